// SPDX-License-Identifier: MIT
// The bias filter on a device, one thread for each pair: see kernels/filter/bias.cuh.
//
// A row waits for the division of the row before, about 70 cycles. The logarithm, thirty operations in double
// precision, is off this chain. Hundreds of pairs for each of hundreds of models give threads enough. A list is roughly
// in the order of length, so the threads of a warp end together.

#include "kernels/filter/bias.cuh"
#include "kernels/filter/group.cuh"

extern "C" {
#include "lib/hmm/floatlog.h"
}

#include <string.h>

enum { THREADS = 64 };

struct bias_args {
    const ws_bias_devtask *task;
    uint32_t blocks; // blocks of each task
    const uint32_t *word;
    const ws_devseq *seq;
    ws_floatlog_table log;
};

// Returns ws_bias_sum with the same operations; m / m is 1.
__device__ static float sum_of(const uint32_t *word, const ws_devseq &s, const float *odds, float t10, float t11,
                               const ws_floatlog_table *log) {
    const float t00 = (float)s.len / (float)(s.len + 1), t01 = 1.0f - t00;
    ws_fetch words;
    words.begin(word + s.first, (s.len + WS_RESIDUES_PER_WORD - 1) / WS_RESIDUES_PER_WORD);
    uint32_t codes = words.get(), in_word = 0;
    float a = WS_BIAS_PI0, b = odds[codes & 31u] * WS_BIAS_PI1, F = 0;
    for (uint32_t i = 0;;) {
        const bool first = a > b;
        const float m = first ? a : b, rest = (first ? b : a) / m;
        a = first ? 1.0f : rest;
        b = first ? rest : 1.0f;
        F += ws_float_log_by(log, m);
        if (++i == s.len) break;
        if (++in_word == WS_RESIDUES_PER_WORD) {
            in_word = 0;
            codes = words.get();
        } else {
            codes >>= 5;
        }
        const float next_a = a * t00 + b * t10;
        b = (a * t01 + b * t11) * odds[codes & 31u];
        a = next_a;
    }
    return F + ws_float_log_by(log, a + b);
}

__global__ void __launch_bounds__(THREADS) ws_bias_sums(const bias_args args) {
    __shared__ ws_floatlog_table log; // 16 doubles fill all banks once, so no two entries conflict
    __shared__ float odds[WS_CODES];
    const ws_bias_devtask t = args.task[blockIdx.x / args.blocks];
    const uint32_t n = *t.count;
    uint32_t at = blockIdx.x % args.blocks * THREADS;
    if (at >= n) return;
    if (threadIdx.x == 0) log = args.log;
    if (threadIdx.x < WS_CODES) odds[threadIdx.x] = threadIdx.x < WS_KP_MAX ? t.bias->odds[threadIdx.x] : 1.0f;
    __syncthreads();
    for (; at < n; at += args.blocks * THREADS) {
        if (at + threadIdx.x >= n) break;
        const ws_devitem item = t.item[t.queue[at + threadIdx.x]];
        t.sum[item.out] = sum_of(args.word, args.seq[item.seq], odds, t.bias->t10, t.bias->t11, &log);
    }
}

int ws_bias_dev_lay_out(ws_devtable *t, const ws_bias *bias, ws_err *err) {
    int rc = ws_devtable_create(t, sizeof *bias, err);
    if (!rc) memcpy(t->host, bias, sizeof *bias);
    return rc;
}

int ws_bias_dev_sums(ws_devstream *s, const ws_bias_devtask *task, uint32_t ntask, uint32_t longest, ws_err *err) {
    enum { RESIDENT = 32 }; // blocks on a multiprocessor
    const uint32_t most = (longest + THREADS - 1) / THREADS, want = (uint32_t)s->dev->sms * RESIDENT / ntask + 1;
    const uint32_t blocks = most < want ? most : want;
    bias_args a = {task, blocks, ws_devbatch_words(s), ws_devbatch_seqs(s), ws_floatlog};
    return ws_launch_kernel(s, (const void *)ws_bias_sums, "ws_bias_sums", dim3(ntask * blocks), THREADS, 1, 0, &a,
                            err);
}
