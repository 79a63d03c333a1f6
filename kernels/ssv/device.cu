// SPDX-License-Identifier: MIT
// SSV on CUDA devices: four bytes to a register, a group of 1 to 32 lanes a sequence. kernels/ssv/README.md draws the
// layout.
//
// Contents: 1 parameters (kernels/ssv/state.cuh has the layout); 2 kernels; 3 tables and launches

#include "kernels/filter/group.cuh"
#include "kernels/ssv/ssv.cuh"
#include "kernels/ssv/state.cuh"

// ---- 1 parameters and layout ----
//

struct ssv_task {
    const uint4 *table;
    const ws_devitem *item;
    uint32_t n, first; // items of the task; index of its first score
    int glog, overlap; // log2 of the lanes a group; words before a stretch's first word that its scores depend on
};

struct ssv_args {
    const ssv_task *task;
    const ws_devunit *unit;
    const uint32_t *word;
    const ws_devseq *seq;
    uint16_t *best;
    uint32_t byte_up; // 256: the multiplier works beside the integer pipe, a shift would occupy that pipe
};

// ---- 2 kernels ----

template <int R, int COLUMNS, bool GROUP, bool GLOBAL>
__global__ void __launch_bounds__(COLUMNS == 32 && !GLOBAL ? WS_SSV_THREADS_WIDE : WS_SSV_THREADS)
    ws_ssv_best(const ssv_args a) {
    extern __shared__ uint4 shared[];
    const ws_devunit unit = a.unit[blockIdx.x];
    const ssv_task t = a.task[unit.task];
    const uint32_t lane = threadIdx.x % 32, g = GROUP ? 1u << t.glog : 1, z = lane & (g - 1);
    const uint4 *table = t.table + z;
    if (!GLOBAL) {
        ws_load_table<COLUMNS>(shared, t.table, (R + 3) / 4, t.glog);
        __syncthreads();
        table = shared + lane % COLUMNS;
    }
    const uint32_t place = ((unit.chunk * blockDim.x + threadIdx.x) >> (GROUP ? t.glog : 0));
    ws_devitem item = {};
    ws_devseq seq = {};
    if (place < t.n) {
        item = t.item[place];
        seq = a.seq[item.seq];
    }
    const uint32_t before = min(item.from, (uint32_t)t.overlap), words = item.words + before;
    ws_fetch fetch;
    fetch.begin(a.word + seq.first + item.from - before, words);

    ws_ssv_state<R, COLUMNS, GROUP> s;
    s.clear();
    for (uint32_t w = ws_warp_max(words); w; w--) {
        const uint32_t codes = fetch.get();
#pragma unroll
        for (int i = 0; i < 6; i++) s.row(table + (codes >> 5 * i & 31u) * COLUMNS, z == 0, (int)g, a.byte_up);
    }
    uint32_t best = s.best();
    if (GROUP)
        for (uint32_t off = g / 2; off; off /= 2) best = max(best, __shfl_xor_sync(~0u, best, off));
    if (z == 0 && place < t.n && best > 128) {
        uint16_t *out = a.best + t.first + item.out;
        if (6 * (uint64_t)item.words >= seq.len) *out = (uint16_t)(best - 128);
        else ws_atomic_max16(out, (uint16_t)(best - 128));
    }
}

// ---- 3 tables and launches ----

#define SHAPE(R, COLUMNS, GROUP, GLOBAL, BLOCK, MIN_G, MAX_G) \
    {(const void *)ws_ssv_best<R, COLUMNS, GROUP, GLOBAL>, "ws_ssv_best<" #R ", " #COLUMNS ">", R, 4 * R, \
     MIN_G, MAX_G, BLOCK, \
     GLOBAL ? 0 : COLUMNS, 1},
static const ws_shape shapes[] = {WS_SSV_SHAPES(SHAPE)};

int ws_ssv_dev_lay_out(ws_ssv_dev *p, ws_devtable *table, const ws_bytes *b, ws_err *err) {
    *p = {*b, WS_FIT(shapes, ws_ssv_costs, b->M), (b->M + 5) / 6, table};
    p->bytes.cost = NULL;
    if (p->fit.shape < 0) return WS_OK;
    const int R = shapes[p->fit.shape].R;
    auto reg = [=](int x, int first) {
        uint32_t e = 0;
        for (int byte = 0; byte < 4; byte++) {
            const int k = first + byte * R;
            int d = 128; // a cost so high that padding stays at the floor
            if (k <= b->M && x < b->Kp) d = b->cost[(size_t)x * (size_t)(b->M + 1) + (size_t)k] - b->bias;
            e -= (uint32_t)(d > 128 ? 128 : d) << 8 * byte;
        }
        return e;
    };
    return ws_emissions_create(table, R, p->fit.g, 4, reg, err);
}

int ws_ssv_dev_best(ws_devcall *c, const ws_ssv_dev &(*of)(const ws_task &), uint16_t *best, ws_err *err) {
    const ws_devstream *s = c->stream;
    const ssv_args args = {NULL, NULL, ws_devbatch_words(s), ws_devbatch_seqs(s), best, 256};
    auto task_of = [=](const ws_task &t, const ws_devlist &list, uint32_t first) {
        const ws_ssv_dev &p = of(t);
        return ssv_task{
            (const uint4 *)p.table->at[s->dev->index], list.item, list.n, first, ws_log2(p.fit.g), p.overlap};
    };
    auto fit_of = [=](const ws_task &t) { return of(t).fit; };
    auto shared_of = [=](const ws_task &t) { return ws_emissions_shared(shapes[of(t).fit.shape]); };
    return ws_devcall_queue(c, shapes, true, false, args, fit_of, task_of, shared_of, err);
}
