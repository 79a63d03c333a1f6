// SPDX-License-Identifier: MIT
// The first pass of the SSV scan of long targets on CUDA devices: kernels/ssv/state.cuh over stretches of strands.
//
// A group of lanes runs through one stretch: the words of some steps, and before them as many as a diagonal can reach
// back. Where a cell is at the threshold, the segment of its step is marked, and all cells above the threshold are set
// back to it. No cell of the scan with clearing is above the threshold before its row is found, so these stay at least
// as large as that scan's. Between two looks are the six rows of a word, in which a byte grows by 6 * bias at most.
// Specification long-targets.md, section 5, "Latitude".
//
// There are as many stretches as the device has room for groups at once: then all end together, and run-ins are as rare
// as they can be.
//
// Contents: 1 parameters; 2 kernels; 3 models; 4 calls

#include "kernels/long/device.h"
#include "kernels/ssv/ssv.cuh"
#include "kernels/ssv/state.cuh"

#include <string.h>

// ---- 1 parameters ----

enum { WORD = WS_RESIDUES_PER_WORD };

// A strand: its words from `word` on, and the first of its stretches and steps.
struct mark_strand {
    uint32_t word, words, stretch, step;
};

struct mark_args {
    const uint4 *table;
    const mark_strand *strand;
    const uint32_t *word;
    uint32_t *flag; // a byte a step
    uint32_t nstrand, stretches, stretch;   // stretches of all strands; words of a stretch, whole steps
    // words of a run-in, of a step, of its segments; byte of a height at the threshold
    uint32_t overlap, step, segment, top;
    uint32_t byte_up;                // 256, for ws_ssv_top
    int glog;                        // log2 of lanes a group
};

// A range whose other strand is asked: n residues from word `from` on, whose complement begins at word `to`.
struct turn_range {
    uint32_t from, n, to;
};

struct turn_args {
    const turn_range *range;
    uint32_t *word;
    uint32_t nrange, first, end; // the words to make
    uint8_t complement[WS_CODES];
};

// Returns the last of n > 0 entries whose `start` is at most v; the first entry's is.
template <class T> __device__ __forceinline__ T entry_of(const T *list, uint32_t n, uint32_t T::*start, uint32_t v) {
    uint32_t from = 0;
    while (n > 1) {
        const uint32_t half = n / 2;
        if (list[from + half].*start <= v) from += half;
        n -= half;
    }
    return list[from];
}

// ---- 2 kernels ----

// A word of the other strand for each thread.
__global__ void __launch_bounds__(256) ws_long_turn(const turn_args a) {
    const uint32_t at = a.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= a.end) return;
    const turn_range r = entry_of(a.range, a.nrange, &turn_range::to, at);
    uint32_t word = 0;
    for (uint32_t i = 0, p = WORD * (at - r.to); i < WORD; i++, p++) {
        const uint32_t q = r.n - 1 - p;
        const uint32_t code =
            p < r.n ? a.complement[a.word[r.from + q / WORD] >> 5 * (q % WORD) & 31u] : (uint32_t)WS_CODE_PAD;
        word |= code << 5 * i;
    }
    a.word[at] = word;
}

template <int R, int COLUMNS, bool GROUP, bool GLOBAL>
__global__ void __launch_bounds__(COLUMNS == 32 && !GLOBAL ? WS_SSV_THREADS_WIDE : WS_SSV_THREADS)
    ws_long_mark(const mark_args a) {
    extern __shared__ uint4 shared[];
    const uint32_t lane = threadIdx.x % 32, g = GROUP ? 1u << a.glog : 1, z = lane & (g - 1);
    const uint4 *table = a.table + z;
    if (!GLOBAL) {
        ws_load_table<COLUMNS>(shared, a.table, (R + 3) / 4, a.glog);
        __syncthreads();
        table = shared + lane % COLUMNS;
    }
    const uint32_t place = (blockIdx.x * blockDim.x + threadIdx.x) >> (GROUP ? a.glog : 0);
    uint32_t before = 0, words = 0, step = 0;
    ws_fetch fetch;
    fetch.begin(a.word, 0);
    if (place < a.stretches) {
        const mark_strand s = entry_of(a.strand, a.nstrand, &mark_strand::stretch, place);
        const uint32_t at = (place - s.stretch) * a.stretch;
        before = min(at, a.overlap);
        words = before + min(a.stretch, s.words - at);
        step = s.step + at / a.step;
        fetch.begin(a.word + s.word + at - before, words);
    }

    ws_ssv_state<R, COLUMNS, GROUP, ws_ssv_top> s;
    s.watch.byte_up = a.byte_up;
    s.clear();
    const uint32_t most = ws_warp_max(words), cap = a.top * 0x01010101u;
    for (uint32_t w = 0; w < most; w++) {
        const uint32_t codes = fetch.get();
#pragma unroll
        for (int i = 0; i < WORD; i++) s.row(table + (codes >> 5 * i & 31u) * COLUMNS, z == 0, (int)g);
        if (s.watch.best() >= a.top) {
            s.clamp(cap);
            if (w >= before && w < words) {
                const uint32_t at = step + (w - before) / a.step,
                        mark = WS_LONG_MARK_SEGMENT << (w - before) % a.step / a.segment;
                atomicOr(a.flag + at / 4, mark << 8 * (at % 4));
            }
        }
    }
}

#define SHAPE(R, COLUMNS, GROUP, GLOBAL, BLOCK, MIN_G, MAX_G) \
    {(const void *)ws_long_mark<R, COLUMNS, GROUP, GLOBAL>, "ws_long_mark<" #R ", " #COLUMNS ">", R, 4 * R, MIN_G, \
     MAX_G, BLOCK, \
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

static uint32_t words_of(uint32_t n) { return (n + WORD - 1) / WORD; }

// A call that marks: ranges, and their strands in the order of the flags.
struct mark_call {
    ws_devstream *stream;
    const ws_long_range *range;
    size_t n;
    uint32_t words;        // of all ranges as they are read
    mark_strand *strand;   // those that have residues
    uint32_t *length;      // residues of each
    uint32_t nstrand;
    turn_range *turn;
    uint32_t nturn;
};

// Lays out the words of a call: the ranges as they are read, behind them the other strands.
static int lay_words(mark_call *c, int strands, ws_err *err) {
    uint64_t total = 0;
    for (size_t j = 0; j < c->n; j++) total += words_of(c->range[j].n);
    if (2 * total > UINT32_MAX) return ws_fail(err, WS_EDEV, "a call of more than 2^32 words");
    c->words = (uint32_t)total;
    c->strand = (mark_strand *)ws_calloc(2 * c->n, sizeof *c->strand, err);
    c->length = (uint32_t *)ws_calloc(2 * c->n, sizeof *c->length, err);
    c->turn = (turn_range *)ws_calloc(c->n, sizeof *c->turn, err);
    if (!c->strand || !c->length || !c->turn) return WS_ENOMEM;
    uint32_t at = 0;
    for (size_t j = 0; j < c->n; j++) {
        const uint32_t n = c->range[j].n, words = words_of(n);
        if (n == 0) continue;
        if (strands & WS_LONG_PLUS) {
            c->length[c->nstrand] = n;
            c->strand[c->nstrand++] = {at, words, 0, 0};
        }
        if (strands & WS_LONG_MINUS) {
            c->length[c->nstrand] = n;
            c->strand[c->nstrand++] = {c->words + at, words, 0, 0};
            c->turn[c->nturn++] = {at, n, c->words + at};
        }
        at += words;
    }
    return WS_OK;
}

// The words to the stream's first buffer, and the other strands made of them.
static int send_words(mark_call *c, const ws_abc *abc, ws_err *err) {
    enum { BEYOND = 16 * sizeof(uint32_t), THREADS = 256 };
    ws_devstream *s = c->stream;
    const size_t bytes = c->words * sizeof(uint32_t);
    char *staged;
    void *ranges;
    int rc = ws_devstream_room(s, &s->kept[0], 2 * bytes + BEYOND, err);
    if (!rc) rc = ws_devstream_stage(s, bytes, &staged, err);
    if (rc) return rc;
    uint32_t *to = (uint32_t *)staged;
    for (size_t j = 0; j < c->n; to += words_of(c->range[j].n), j++)
        if (c->range[j].n) memcpy(to, c->range[j].word, words_of(c->range[j].n) * sizeof *to);
    rc = ws_cuda_check(cudaMemcpyAsync(s->kept[0].p, staged, bytes, cudaMemcpyHostToDevice, s->stream),
                       "a copy to the device", err);
    if (rc || c->nturn == 0) return rc;
    if ((rc = ws_devstream_put(s, c->turn, c->nturn * sizeof *c->turn, &ranges, err))) return rc;
    turn_args a = {(const turn_range *)ranges, (uint32_t *)s->kept[0].p, c->nturn, c->words, 2 * c->words, {}};
    memcpy(a.complement, abc->complement, sizeof a.complement);
    const dim3 blocks((c->words + THREADS - 1) / THREADS);
    return ws_launch_kernel(s, (const void *)ws_long_turn, "ws_long_turn", blocks, THREADS, 1, 0, &a, err);
}

// Sets *n to the groups of a shape that the device runs at once.
static int groups_of(const ws_devstream *s, const ws_long_dev *d, size_t shared, uint32_t *n, ws_err *err) {
    const ws_shape &shape = shapes[d->ssv.fit.shape];
    int blocks = 0;
    int rc = ws_cuda_shared(s->dev, shape.kernel, shared, shape.name, err);
    if (!rc)
        rc = ws_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shape.kernel, shape.threads, shared),
                           "asking how many blocks run at once", err);
    *n = (uint32_t)(ws_max(blocks, 1) * s->dev->sms * shape.threads / d->ssv.fit.g);
    return rc;
}

// Cuts the strands into stretches for a model of so many steps in all: one for each group. A stretch is no shorter than
// a quarter of its run-in. Returns the words of a stretch.
static uint32_t cut(mark_call *c, const ws_long_dev *d, size_t steps, uint32_t groups, uint32_t *stretches) {
    // strands end with shorter stretches
    const uint32_t step = ws_long_step(d->M) / WORD, spare = ws_min(c->nstrand, groups / 2);
    const size_t least = (size_t)d->ssv.overlap / step / 4 + 1, even = (steps + groups - spare - 1) / (groups - spare);
    const uint32_t stretch = (uint32_t)ws_max(least, even) * step;
    uint32_t first_step = 0;
    *stretches = 0;
    for (uint32_t j = 0; j < c->nstrand; j++) {
        mark_strand *s = &c->strand[j];
        s->stretch = *stretches;
        s->step = first_step;
        *stretches += (s->words + stretch - 1) / stretch;
        first_step += (uint32_t)ws_long_steps(d->M, c->length[j]);
    }
    return stretch;
}

static size_t steps_of(const mark_call *c, const ws_long_dev *d) {
    size_t steps = 0;
    for (uint32_t j = 0; j < c->nstrand; j++) steps += ws_long_steps(d->M, c->length[j]);
    return steps;
}

// Queues one model: its flags go to s->out at `at`.
static int queue(mark_call *c, const ws_long_dev *d, size_t steps, size_t at, ws_err *err) {
    ws_devstream *s = c->stream;
    const ws_shape &shape = shapes[d->ssv.fit.shape];
    const size_t shared = shape.columns ? ws_emissions_shared(shape) : 0;
    uint32_t groups, stretches;
    void *strands;
    int rc = groups_of(s, d, shared, &groups, err);
    if (rc) return rc;
    const uint32_t stretch = cut(c, d, steps, groups, &stretches);
    if ((rc = ws_devstream_put(s, c->strand, c->nstrand * sizeof *c->strand, &strands, err))) return rc;
    mark_args a = {(const uint4 *)d->table.at[s->dev->index],
                   (const mark_strand *)strands,
                   (const uint32_t *)s->kept[0].p,
                   (uint32_t *)((uint8_t *)s->out.p + at),
                   c->nstrand,
                   stretches,
                   stretch,
                   (uint32_t)d->ssv.overlap,
                   ws_long_step(d->M) / WORD,
                   ws_long_segment(d->M) / WORD,
                   d->top,
                   256,
                   ws_log2(d->ssv.fit.g)};
    const size_t per_block = (size_t)shape.threads / (size_t)d->ssv.fit.g,
            blocks = (stretches + per_block - 1) / per_block;
    return ws_launch_kernel(s, shape.kernel, shape.name, dim3((unsigned)blocks), (unsigned)shape.threads, 1, shared, &a,
                            err);
}

enum { LIST_ALIGN = 256 /* of what a stream allots */ };

// Bytes for the flags of a model, which are whole words.
static size_t room_of(size_t steps) { return (steps + 3) / 4 * 4; }

static int mark(mark_call *c, const ws_long_dev *const *d, size_t nmodel, const ws_abc *abc, uint8_t *const *flag,
                ws_err *err) {
    ws_devstream *s = c->stream;
    size_t total = 0;
    int rc = WS_OK;
    for (size_t k = 0; k < nmodel; k++) {
        total += room_of(steps_of(c, d[k]));
        ws_devtable *table = const_cast<ws_devtable *>(&d[k]->table);
        if (!rc) rc = ws_devstream_tables(s, &table, 1, err);
    }
    const size_t lists = (nmodel + 1) * (c->nstrand * sizeof *c->strand + LIST_ALIGN),
                 turn = c->nturn * sizeof *c->turn + LIST_ALIGN;
    if (!rc) rc = ws_devstream_reserve(s, lists + turn, err);
    if (!rc) rc = ws_devstream_expect(s, c->words * sizeof(uint32_t) + LIST_ALIGN + lists + turn, err);
    if (!rc) rc = ws_devstream_room(s, &s->out, total, err);
    if (!rc) rc = ws_cuda_check(cudaMemsetAsync(s->out.p, 0, total, s->stream), "clearing flags", err);
    if (!rc) rc = send_words(c, abc, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->start, s->stream), "recording an event", err);
    total = 0;
    for (size_t k = 0; k < nmodel && !rc; k++) {
        const size_t steps = steps_of(c, d[k]);
        rc = queue(c, d[k], steps, total, err);
        total += room_of(steps);
    }
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->end, s->stream), "recording an event", err);
    if (!rc) rc = ws_devstream_fetch(s, s->out.p, total, err);
    if (!rc) rc = ws_devstream_sync(s, err);
    if (rc) return rc;
    ws_devstream_clock(s);
    const char *back = (const char *)s->back.p;
    for (size_t k = 0; k < nmodel; k++) {
        const size_t steps = steps_of(c, d[k]);
        memcpy(flag[k], back, steps);
        back += room_of(steps);
    }
    return WS_OK;
}

int ws_long_dev_mark(const ws_long_dev *const *d, size_t nmodel, const ws_abc *abc, const ws_long_range *range,
                     size_t n, int strands, uint8_t *const *flag, ws_err *err) {
    mark_call c = {};
    c.range = range;
    c.n = n;
    int rc = lay_words(&c, strands, err);
    if (!rc && nmodel && c.nstrand) rc = ws_devstream_take(&c.stream, 0, err);
    if (c.stream) {
        c.stream->id = 0;
        rc = mark(&c, d, nmodel, abc, flag, err);
        ws_devstream_give(c.stream);
    }
    ws_free(c.strand);
    ws_free(c.length);
    ws_free(c.turn);
    return rc;
}
