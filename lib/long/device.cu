// SPDX-License-Identifier: MIT
// The first pass of the SSV scan of long targets on CUDA devices: lib/ssv/state.cuh over pieces of block strands.
//
// A group of lanes runs through one piece: the words of some steps, and before them as many as a diagonal can reach back. Where a cell
// is at the threshold, the step is marked, and all cells above the threshold are set back to it. No cell of the scan with clearing is
// above the threshold before its row is found, so these stay at least as large as that scan's. Between two looks are the six rows of a
// word, in which a byte grows by 6 * bias at most. Specification long-targets.md, section 5, "Latitude".
//
// Contents: 1 parameters; 2 the kernel; 3 models; 4 calls

#include "lib/long/device.h"
#include "lib/ssv/ssv.cuh"
#include "lib/ssv/state.cuh"

extern "C" {
#include "lib/base/cpu.h"
#include "lib/simd/codec.h"
}

// ---- 1 parameters ----

// A piece: the words from `first` on, `before` of them run-in, and the step that the first word behind these belongs to.
struct mark_item {
    uint32_t first, before, words, step;
};

struct mark_args {
    const uint4 *table;
    const mark_item *item;
    const uint32_t *word;
    uint8_t *flag;
    uint32_t n, step, top; // pieces; words of a step; byte of a height at the threshold
    uint32_t byte_up;      // 256, as in lib/ssv/device.cu
    int glog;              // log2 of lanes a group
};

// ---- 2 the kernel ----

template <int R, int COLUMNS, bool GROUP, bool GLOBAL>
__global__ void __launch_bounds__(COLUMNS == 32 && !GLOBAL ? WS_SSV_THREADS_WIDE : WS_SSV_THREADS) ws_long_mark(const mark_args a) {
    extern __shared__ uint4 shared[];
    const uint32_t lane = threadIdx.x % 32, g = GROUP ? 1u << a.glog : 1, z = lane & (g - 1);
    const uint4 *table = a.table + z;
    if (!GLOBAL) {
        ws_load_table<COLUMNS>(shared, a.table, (R + 3) / 4, a.glog);
        __syncthreads();
        table = shared + lane % COLUMNS;
    }
    const uint32_t place = (blockIdx.x * blockDim.x + threadIdx.x) >> (GROUP ? a.glog : 0);
    mark_item item = {};
    if (place < a.n) item = a.item[place];
    const uint32_t words = item.before + item.words, cap = a.top * 0x01010101u;
    ws_fetch fetch;
    fetch.begin(a.word + item.first, words);

    ws_ssv_state<R, COLUMNS, GROUP> s;
    s.clear();
    const uint32_t most = ws_warp_max(words);
    for (uint32_t w = 0; w < most; w++) {
        const uint32_t codes = fetch.get();
#pragma unroll
        for (int i = 0; i < 6; i++) s.row(table + (codes >> 5 * i & 31u) * COLUMNS, z == 0, (int)g, a.byte_up);
        if (s.best() >= a.top) {
            s.clamp(cap);
            if (w >= item.before && w < words) a.flag[item.step + (w - item.before) / a.step] = 1;
        }
    }
}

#define SHAPE(R, COLUMNS, GROUP, GLOBAL, BLOCK, MIN_G, MAX_G) \
    {(const void *)ws_long_mark<R, COLUMNS, GROUP, GLOBAL>, "ws_long_mark<" #R ", " #COLUMNS ">", R, 4 * R, MIN_G, MAX_G, BLOCK, \
     GLOBAL ? 0 : COLUMNS, 1},
static const ws_shape shapes[] = {WS_SSV_SHAPES(SHAPE)};

// ---- 3 models ----

struct ws_long_dev {
    int M;
    uint32_t top;
    ws_ssv_dev ssv;
    ws_devtable table;
};

// Seven rows above the threshold stay below the range of ws_ssv_state.
static bool fits(const ws_long_model *m) {
    const int least = m->threshold - m->xB;
    return least > 0 && least + 7 * m->bytes.bias <= 127 && m->threshold + m->bytes.bias <= 255;
}

int ws_long_dev_create(ws_long_dev **out, const ws_long_model *m, ws_err *err) {
    *out = NULL;
    if (!fits(m)) return WS_OK;
    ws_long_dev *d = (ws_long_dev *)ws_calloc(1, sizeof *d, err);
    if (!d) return WS_ENOMEM;
    d->M = m->M;
    d->top = (uint32_t)(128 + m->threshold - m->xB);
    const int rc = ws_ssv_dev_lay_out(&d->ssv, &d->table, &m->bytes, err);
    if (rc || d->ssv.fit.shape < 0) ws_long_dev_destroy(d);
    else *out = d;
    return rc;
}

void ws_long_dev_destroy(ws_long_dev *d) {
    if (d) ws_devtable_destroy(&d->table);
    ws_free(d);
}

// ---- 4 calls ----

enum { WORD = 6, GROUPS = 32 * 1024 /* pieces of a call that fill a device several times over */ };

static uint32_t words_of(uint32_t n) { return (n + WORD - 1) / WORD; }

// The strands as words in a stream's first buffer.
static int send_words(ws_devstream *s, const ws_long_strand *strand, size_t n, ws_err *err) {
    enum { BEYOND = 16 * sizeof(uint32_t) };
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    const ws_codec *codec = ws_codec_get(&cpu);
    size_t total = 0;
    char *staged;
    for (size_t j = 0; j < n; j++) total += words_of(strand[j].n);
    if (total > UINT32_MAX) return ws_fail(err, WS_EDEV, "a call of more than 2^32 words");
    int rc = ws_devstream_room(s, &s->kept[0], total * sizeof(uint32_t) + BEYOND, err);
    if (!rc) rc = ws_devstream_stage(s, total * sizeof(uint32_t) + BEYOND, &staged, err);
    if (rc) return rc;
    uint32_t *to = (uint32_t *)staged;
    for (size_t j = 0; j < n; to += words_of(strand[j].n), j++) codec->pack(strand[j].x, strand[j].n, to);
    return ws_cuda_check(cudaMemcpyAsync(s->kept[0].p, staged, total * sizeof(uint32_t), cudaMemcpyHostToDevice, s->stream),
                         "a copy to the device", err);
}

// Cuts the strands into pieces for a model; returns how many, and their steps altogether in *steps. item: NULL to count.
static size_t cut(const ws_long_dev *d, const ws_long_strand *strand, size_t n, uint32_t piece, mark_item *item, size_t *steps) {
    const uint32_t step = ws_long_step(d->M) / WORD;
    size_t count = 0;
    uint32_t first = 0;
    *steps = 0;
    for (size_t j = 0; j < n; j++) {
        const uint32_t all = words_of(strand[j].n);
        for (uint32_t at = 0; at < all; at += piece * step, count++) {
            if (!item) continue;
            const uint32_t before = (uint32_t)ws_min(at, (size_t)d->ssv.overlap);
            item[count] = {first + at - before, before, (uint32_t)ws_min(piece * step, all - at), (uint32_t)*steps + at / step};
        }
        first += all;
        *steps += ws_long_steps(d->M, strand[j].n);
    }
    return count;
}

// Steps of a piece: run-ins are a small part of the work, or there are just enough pieces for the device.
static uint32_t piece_of(const ws_long_dev *d, const ws_long_strand *strand, size_t n) {
    size_t steps;
    (void)cut(d, strand, n, UINT16_MAX, NULL, &steps);
    const size_t runin = (size_t)d->ssv.overlap / (ws_long_step(d->M) / WORD) + 1;
    const size_t groups = (size_t)GROUPS * 32 / (size_t)d->ssv.fit.g;
    return (uint32_t)ws_min(ws_max(runin, steps / groups), 16 * runin + 16);
}

// Queues one model: its flags go to s->out at `at`.
static int queue(ws_devstream *s, const ws_long_dev *d, const ws_long_strand *strand, size_t n, size_t at, ws_err *err) {
    const uint32_t piece = piece_of(d, strand, n);
    const ws_shape &shape = shapes[d->ssv.fit.shape];
    size_t steps;
    const size_t count = cut(d, strand, n, piece, NULL, &steps);
    void *items;
    if (count == 0) return WS_OK;
    mark_item *item = (mark_item *)ws_calloc(count, sizeof *item, err);
    if (!item) return WS_ENOMEM;
    (void)cut(d, strand, n, piece, item, &steps);
    int rc = ws_devstream_put(s, item, count * sizeof *item, &items, err);
    ws_free(item);
    if (rc) return rc;
    const uint32_t step = ws_long_step(d->M) / WORD;
    mark_args a = {(const uint4 *)d->table.at[s->dev->index], (const mark_item *)items, (const uint32_t *)s->kept[0].p,
                   (uint8_t *)s->out.p + at, (uint32_t)count, step, d->top, 256, ws_log2(d->ssv.fit.g)};
    const size_t per_block = (size_t)shape.threads / (size_t)d->ssv.fit.g, blocks = (count + per_block - 1) / per_block;
    return ws_launch_kernel(s, shape.kernel, shape.name, dim3((unsigned)blocks), (unsigned)shape.threads, 1,
                            shape.columns ? ws_emissions_shared(shape) : 0, &a, err);
}

static int mark(ws_devstream *s, const ws_long_dev *const *d, size_t nmodel, const ws_long_strand *strand, size_t n, uint8_t *const *flag,
                ws_err *err) {
    size_t total = 0, steps;
    int rc = WS_OK;
    for (size_t k = 0; k < nmodel; k++) {
        (void)cut(d[k], strand, n, UINT16_MAX, NULL, &steps);
        total += steps;
        ws_devtable *table = const_cast<ws_devtable *>(&d[k]->table);
        if (!rc) rc = ws_devstream_tables(s, &table, 1, err);
    }
    if (!rc) rc = ws_devstream_room(s, &s->out, total, err);
    if (!rc) rc = ws_cuda_check(cudaMemsetAsync(s->out.p, 0, total, s->stream), "clearing flags", err);
    if (!rc) rc = send_words(s, strand, n, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->start, s->stream), "recording an event", err);
    total = 0;
    for (size_t k = 0; k < nmodel && !rc; k++, total += steps) {
        (void)cut(d[k], strand, n, UINT16_MAX, NULL, &steps);
        rc = queue(s, d[k], strand, n, total, err);
    }
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->end, s->stream), "recording an event", err);
    if (!rc) rc = ws_devstream_fetch(s, s->out.p, total, err);
    if (!rc) rc = ws_devstream_sync(s, err);
    if (rc) return rc;
    ws_devstream_clock(s);
    const char *back = (const char *)s->back.p;
    for (size_t k = 0; k < nmodel; k++, back += steps) {
        (void)cut(d[k], strand, n, UINT16_MAX, NULL, &steps);
        memcpy(flag[k], back, steps);
    }
    return WS_OK;
}

int ws_long_dev_mark(const ws_long_dev *const *d, size_t nmodel, const ws_long_strand *strand, size_t n, uint8_t *const *flag,
                     ws_err *err) {
    ws_devstream *s;
    int rc = ws_devstream_take(&s, 0, err);
    if (rc) return rc;
    s->id = 0;
    rc = mark(s, d, nmodel, strand, n, flag, err);
    ws_devstream_give(s);
    return rc;
}
