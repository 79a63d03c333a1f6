// SPDX-License-Identifier: MIT
// The first pass of the SSV scan of long targets on CUDA devices: models and calls. kernels/long/mark.cuh has the
// kernels.
//
// There are as many stretches as the device has room for groups at once: then all end together, and run-ins are as rare
// as they can be.
//
// Contents: 1 models; 2 calls

#include "kernels/long/device.h"
#include "kernels/long/mark.cuh"

#include <string.h>

#define SHAPE(R, COLUMNS, GROUP, GLOBAL, BLOCK, MIN_G, MAX_G) \
    {(const void *)ws_long_mark<R, COLUMNS, GROUP, GLOBAL>, "ws_long_mark<" #R ", " #COLUMNS ">", R, 4 * R, MIN_G, \
     MAX_G, BLOCK, \
     GLOBAL ? 0 : COLUMNS, 1},
static const ws_shape shapes[] = {WS_LONG_SHAPES(SHAPE)};
static const ws_cost costs[] = {{90, 5.3, 20, 0, 2}};

// ---- 1 models ----

enum { TABLE_STEPS, TABLE_GAINS, NTABLE };
enum { MOST_BIAS = 64 }; // of models whose gains surely fit a byte, as for the CPU

struct ws_long_dev {
    int M;
    int least, alarm; // the heights, without clearing, of a mark and of an alarm
    ws_fit fit;
    int overlap; // words before a stretch's first word that its marks depend on
    ws_devtable table[NTABLE];
};

static int larger(int a, int b) { return a > b ? a : b; }

// The gains of symbols at nodes, from 1. A gain is -d, and -128 where the symbol ends all diagonals.
struct gains {
    const int8_t *at; // [symbol][M + 2]
    int M;

    int of(int symbol, int k) const { return at[symbol * (M + 2) + k]; }
    int above(int symbol, int k) const { return larger(of(symbol, k), 0); } // g
};

static int gain_of(const ws_bytes *b, int code, int k) {
    return larger(b->bias - (int)b->cost[(size_t)code * (size_t)(b->M + 1) + (size_t)k], -128);
}

// Fills a table of gains: the plain residues, the most that any code gains, N.
static void fill_gains(int8_t *to, const ws_bytes *b) {
    const int row = b->M + 2, any = ws_abc_get(WS_ABC_DNA)->any;
    for (int k = 1; k <= b->M; k++) {
        int most = -128;
        for (int x = 0; x < b->Kp; x++) most = larger(most, gain_of(b, x, k));
        for (int x = 0; x < WS_LONG_SEVERAL; x++) to[x * row + k] = (int8_t)gain_of(b, x, k);
        to[WS_LONG_SEVERAL * row + k] = (int8_t)most;
        to[WS_LONG_ANY * row + k] = (int8_t)gain_of(b, any, k);
    }
}

// Returns -D of a row of the table at a place of the chain.
static int step_of(const gains &g, int row, int place) {
    const int k = place < g.M ? ws_long_node(place, g.M) : 1;
    if (row == WS_LONG_ROW_NONE || k == 1) return -128;
    const bool plain = row < WS_LONG_ROW_ANY;
    const int same = row == WS_LONG_ROW_ANY ? WS_LONG_ANY : WS_LONG_SEVERAL;
    const int before = plain ? row >> 4 : same, between = plain ? row >> 2 & 3 : same, last = plain ? row & 3 : same;
    const int step = (k > 2 ? g.above(before, k - 2) : 0) + g.of(between, k - 1) + -larger(-g.of(last, k), 0);
    return larger(step, -128);
}

// Sets the height of an alarm, which lies below that of a mark by the most that two rows add to w. No symbol gains more
// than WS_LONG_SEVERAL. Returns whether the heights stay in a byte: they are at most `least`, and then a step more.
static bool set_heights(ws_long_dev *d, const ws_long_model *m, const gains &g) {
    int slack = g.above(WS_LONG_SEVERAL, 1), step = 0;
    for (int k = 2; k <= g.M; k++) slack = larger(slack, g.above(WS_LONG_SEVERAL, k - 1) + g.above(WS_LONG_SEVERAL, k));
    for (int p = 0; p < g.M; p++) step = larger(step, step_of(g, WS_LONG_ROW_SEVERAL, p));
    d->least = m->threshold - m->xB;
    d->alarm = d->least - slack;
    return d->alarm > 0 && d->least + step <= 127 && m->threshold + m->bytes.bias <= 255 && m->bytes.bias <= MOST_BIAS;
}

static int lay_out(ws_long_dev *d, const ws_long_model *m, ws_err *err) {
    d->fit = WS_FIT(shapes, costs, WS_LONG_ROWS, m->M);
    if (d->fit.shape < 0) return WS_OK;
    int rc = ws_devtable_create(&d->table[TABLE_GAINS], (size_t)WS_LONG_NONE * (size_t)(m->M + 2), err);
    if (rc) return rc;
    const gains g = {(const int8_t *)d->table[TABLE_GAINS].host, m->M};
    fill_gains((int8_t *)d->table[TABLE_GAINS].host, &m->bytes);
    if (!set_heights(d, m, g)) {
        d->fit.shape = -1;
        return WS_OK;
    }
    const int R = shapes[d->fit.shape].R;
    auto reg = [=](int row, int first) {
        uint32_t e = 0;
        for (int byte = 0; byte < 4; byte++) e += (uint32_t)step_of(g, row, first - 1 + byte * R) << 8 * byte;
        return e;
    };
    return ws_emissions_create(&d->table[TABLE_STEPS], WS_LONG_ROWS, R, d->fit.g, 4, reg, err);
}

int ws_long_dev_create(ws_long_dev **out, const ws_long_model *m, ws_err *err) {
    *out = NULL;
    ws_long_dev *d = (ws_long_dev *)ws_calloc(1, sizeof *d, err);
    if (!d) return WS_ENOMEM;
    d->M = m->M;
    d->overlap = (m->M + WORD - 1) / WORD;
    const int rc = lay_out(d, m, err);
    if (rc || d->fit.shape < 0) ws_long_dev_destroy(d);
    else *out = d;
    return rc;
}

void ws_long_dev_destroy(ws_long_dev *d) {
    for (int t = 0; d && t < NTABLE; t++) ws_devtable_destroy(&d->table[t]);
    ws_free(d);
}

// ---- 2 calls ----

static uint32_t words_of(uint32_t n) { return (n + WORD - 1) / WORD; }

// A call that marks: ranges, and their strands in the order of the flags.
struct mark_call {
    ws_devstream *stream;
    const ws_long_range *range;
    size_t n;
    uint32_t codes, words; // words of all ranges as they are read; words of triples of all strands
    mark_strand *strand;   // those that have residues
    uint32_t nstrand;
};

// Lays out the words of a call: the ranges as they are read, and the triples of the strands.
static int lay_words(mark_call *c, int strands, ws_err *err) {
    uint64_t total = 0;
    for (size_t j = 0; j < c->n; j++) total += words_of(c->range[j].n);
    if (2 * total > UINT32_MAX) return ws_fail(err, WS_EDEV, "a call of more than 2^32 words");
    c->strand = (mark_strand *)ws_calloc(2 * c->n, sizeof *c->strand, err);
    if (!c->strand) return WS_ENOMEM;
    for (size_t j = 0; j < c->n; j++) {
        const uint32_t n = c->range[j].n, words = words_of(n);
        for (uint32_t minus = 0; minus < 2 && n; minus++) {
            if (!(strands & (minus ? WS_LONG_MINUS : WS_LONG_PLUS))) continue;
            c->strand[c->nstrand++] = {c->words, words, 0, 0, c->codes, n, minus};
            c->words += words;
        }
        c->codes += words;
    }
    return WS_OK;
}

// Returns the symbol of a code.
static uint8_t symbol_of(const ws_abc *abc, int code) {
    return (uint8_t)(code < abc->K          ? code
                     : code == abc->any     ? WS_LONG_ANY
                     : code == WS_CODE_PAD ? WS_LONG_NONE
                                           : WS_LONG_SEVERAL);
}

// Returns the words of triples on the device.
static uint32_t *words_at(const mark_call *c) { return (uint32_t *)c->stream->kept[0].p + c->codes; }

// Sends the ranges to the stream's first buffer, in which the device makes the words of triples behind them.
static int send_words(mark_call *c, const ws_abc *abc, ws_err *err) {
    enum { BEYOND = 16 * sizeof(uint32_t), THREADS = 256 };
    ws_devstream *s = c->stream;
    const size_t bytes = c->codes * sizeof(uint32_t);
    char *staged;
    void *strands;
    int rc = ws_devstream_room(s, &s->kept[0], bytes + c->words * sizeof(uint32_t) + BEYOND, err);
    if (!rc) rc = ws_devstream_stage(s, bytes, &staged, err);
    if (rc) return rc;
    uint32_t *to = (uint32_t *)staged;
    for (size_t j = 0; j < c->n; to += words_of(c->range[j].n), j++)
        if (c->range[j].n) memcpy(to, c->range[j].word, words_of(c->range[j].n) * sizeof *to);
    rc = ws_cuda_check(cudaMemcpyAsync(s->kept[0].p, staged, bytes, cudaMemcpyHostToDevice, s->stream),
                       "a copy to the device", err);
    if (!rc) rc = ws_devstream_put(s, c->strand, c->nstrand * sizeof *c->strand, &strands, err);
    if (rc) return rc;
    triple_args a = {
        (const mark_strand *)strands, (const uint32_t *)s->kept[0].p, words_at(c), c->nstrand, c->words, {}};
    for (int code = 0; code < WS_CODES; code++)
        for (int minus = 0; minus < 2; minus++)
            a.symbol[minus][code] = symbol_of(abc, minus ? abc->complement[code] : code);
    const dim3 blocks((c->words + THREADS - 1) / THREADS);
    return ws_launch_kernel(s, (const void *)ws_long_triples, "ws_long_triples", blocks, THREADS, 1, 0, &a, err);
}

// Sets *n to the groups of a shape that the device runs at once.
static int groups_of(const ws_devstream *s, const ws_long_dev *d, size_t shared, uint32_t *n, ws_err *err) {
    const ws_shape &shape = shapes[d->fit.shape];
    int blocks = 0;
    int rc = ws_cuda_shared(s->dev, shape.kernel, shared, shape.name, err);
    if (!rc)
        rc = ws_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shape.kernel, shape.threads, shared),
                           "asking how many blocks run at once", err);
    *n = (uint32_t)(ws_max(blocks, 1) * s->dev->sms * shape.threads / d->fit.g);
    return rc;
}

// Cuts the strands into stretches for a model of so many steps in all: one for each group. A stretch is no shorter than
// a quarter of its run-in. Returns the words of a stretch.
static uint32_t cut(mark_call *c, const ws_long_dev *d, size_t steps, uint32_t groups, uint32_t *stretches) {
    // strands end with shorter stretches
    const uint32_t step = ws_long_step(d->M) / WORD, spare = ws_min(c->nstrand, groups / 2);
    const size_t least = (size_t)d->overlap / step / 4 + 1, even = (steps + groups - spare - 1) / (groups - spare);
    const uint32_t stretch = (uint32_t)ws_max(least, even) * step;
    uint32_t first_step = 0;
    *stretches = 0;
    for (uint32_t j = 0; j < c->nstrand; j++) {
        mark_strand *s = &c->strand[j];
        s->stretch = *stretches;
        s->step = first_step;
        *stretches += (s->words + stretch - 1) / stretch;
        first_step += (uint32_t)ws_long_steps(d->M, c->strand[j].n);
    }
    return stretch;
}

static size_t steps_of(const mark_call *c, const ws_long_dev *d) {
    size_t steps = 0;
    for (uint32_t j = 0; j < c->nstrand; j++) steps += ws_long_steps(d->M, c->strand[j].n);
    return steps;
}

// Queues one model: its flags go to s->out at `at`.
static int queue(mark_call *c, const ws_long_dev *d, size_t steps, size_t at, ws_err *err) {
    ws_devstream *s = c->stream;
    const ws_shape &shape = shapes[d->fit.shape];
    const size_t shared = ws_emissions_shared(shape, WS_LONG_ROWS);
    uint32_t groups, stretches;
    void *strands;
    int rc = groups_of(s, d, shared, &groups, err);
    if (rc) return rc;
    const uint32_t stretch = cut(c, d, steps, groups, &stretches);
    if ((rc = ws_devstream_put(s, c->strand, c->nstrand * sizeof *c->strand, &strands, err))) return rc;
    mark_args a = {.table = (const uint4 *)d->table[TABLE_STEPS].at[s->dev->index],
                   .gain = (const int8_t *)d->table[TABLE_GAINS].at[s->dev->index],
                   .strand = (const mark_strand *)strands,
                   .word = words_at(c),
                   .flag = (uint32_t *)((uint8_t *)s->out.p + at),
                   .nstrand = c->nstrand,
                   .stretches = stretches,
                   .stretch = stretch,
                   .overlap = (uint32_t)d->overlap,
                   .step = ws_long_step(d->M) / WORD,
                   .segment = ws_long_segment(d->M) / WORD,
                   .M = d->M,
                   .least = d->least,
                   .glog = ws_log2(d->fit.g),
                   .one = 1,
                   .minus = -((uint32_t)d->alarm * 0x01010101u)};
    const size_t per_block = (size_t)shape.threads / (size_t)d->fit.g,
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
        ws_devtable *table[NTABLE];
        for (int t = 0; t < NTABLE; t++) table[t] = const_cast<ws_devtable *>(&d[k]->table[t]);
        if (!rc) rc = ws_devstream_tables(s, table, NTABLE, err);
    }
    const size_t lists = (nmodel + 2) * (c->nstrand * sizeof *c->strand + LIST_ALIGN);
    if (!rc) rc = ws_devstream_reserve(s, lists, err);
    if (!rc) rc = ws_devstream_expect(s, c->codes * sizeof(uint32_t) + LIST_ALIGN + lists, err);
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
    bool again = !rc && nmodel && c.nstrand;
    while (again && !(rc = ws_devstream_take(&c.stream, 0, err))) {
        c.stream->id = 0;
        rc = mark(&c, d, nmodel, abc, flag, err);
        again = ws_devstream_give(c.stream, rc, err);
    }
    ws_free(c.strand);
    return rc;
}
