// SPDX-License-Identifier: MIT
// The domain stage on CUDA devices: calls over lists of spans of many models. kernels.cu has the kernels.
//
// The spans of a call are sorted by length of the model, then of the span, so that the problems of a warp are alike.
// Warps of similar models are one launch.
//
// Contents: 1 a call's problems; 2 its launches; 3 its memory and copies; 4 its results; 5 lists

#include "kernels/dom/device.h"
#include "kernels/dom/launches.h"
#include "kernels/dom/device/model.cuh"
#include "kernels/dom/device/sample.cuh"
#include "kernels/filter/launch.cuh"

#include <stdlib.h>
#include <string.h>

// ---- 1 a call's problems ----

// A problem of a call, before it has a place.
struct problem {
    ws_dom_load *load;
    ws_dom_devmodel *m;
    const ws_dom_tables *odds; // whose emissions; NULL: the model's
    const uint8_t *x;
    uint32_t L, order;
    bool wide; // a warp or a gang computes it
};

// Problems that follow one another in a list and differ little in Q: one launch for each kernel. Those that have a warp
// each share blocks of up to `warps`, with the transitions of their model in shared memory (`tables`) or not. Or each
// has a gang of warps, which is a block with these transitions.
struct group {
    uint32_t from, to;
    int Qmax;
    bool wide, gang, tables;
    uint32_t warps, block, blocks; // block: the first of its blocks in call.block
};
enum { GROUPS = 24 }; // of each kind

// A call computes both parsers of targets, or all of envelopes, or Forward's score of envelopes, or traces of regions,
// or Forward's score of targets.
enum kind { PARSE, FIT, SCORE, RESOLVE, TARGETS };

struct call {
    ws_devstream *stream;
    kind what;
    float *nats;            // of SCORE and TARGETS, by the problems' order
    const ws_dom_options *o; // of RESOLVE
    problem *p;
    uint32_t n;
    ws_dom_args a;
    group group[2 * GROUPS + 2]; // two more where gangs begin and end
    int ngroup;
    uint32_t *block; // [nblock] the first problem of each block of warps; then the end of the last one
    uint32_t nblock;
    size_t rows, places, cells, choices, columns, residues, odds, segments, words; // of all problems together
};

static int Q_of(const problem *p) { return p->load->t->Q; }

// Returns the bytes of emissions of a problem's own; 0: it has the model's.
static size_t odds_of(const problem *p) {
    const ws_dom_tables *t = p->odds;
    return t ? (size_t)t->codes * ws_dom_emissions(t->Q, p->wide) * sizeof *t->emit : 0;
}

// Returns the segments for which a region has room: the traces have about as many as domains begin there.
static uint32_t segments_of(const problem *p) {
    return (uint32_t)((float)WS_DOM_TRACES * (1.5f * p->load->span.region->begins + 1.0f));
}

// Returns the bytes of shared memory for a row that a warp has alone.
static size_t wide_bytes(int what, int Q) {
    return (size_t)ws_dom_row_floats(Q, what == WS_DOM_ACCURACY ? WS_DOM_FIT_ROWS : WS_DOM_PARSER_ROWS) * sizeof(float);
}
// Returns the bytes of a model's transitions, one way.
static size_t table_bytes(int Q) { return ws_dom_emissions(Q, true) * WS_DOM_NTR * sizeof(float); }

// Returns whether a warp computes such a problem alone. Four threads take some 360 cycles of an H200 for a place of a
// row, so that ALONE places are 10 ms of each recurrence. room: bytes of shared memory that a block can have.
static bool is_wide(int Q, uint32_t L, size_t room) {
    enum { ALONE = 50000 };
    return (Q >= ws_dom_wide_least || (size_t)Q * L >= ALONE) && wide_bytes(WS_DOM_ACCURACY, Q) <= room;
}

// Returns how many problems from this one on share a warp, if there are n.
static uint32_t of_warp(const problem *p, size_t n) {
    uint32_t k = 1;
    while (!p->wide && k < n && k < WS_DOM_SIDE_BY_SIDE) k++;
    return k;
}

static int by_size(const void *a, const void *b) {
    const problem *x = (const problem *)a, *y = (const problem *)b;
    if (x->wide != y->wide) return x->wide ? -1 : 1;
    if (Q_of(x) != Q_of(y)) return Q_of(x) < Q_of(y) ? 1 : -1;
    if (x->wide && x->m != y->m) return (uintptr_t)x->m < (uintptr_t)y->m ? -1 : 1; // a block has one model
    if (x->L != y->L) return x->L < y->L ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

// The problems of the warp that begins with problem p.
struct warp {
    uint32_t n, line, longest;
    int Qmax;
};
static warp warp_of(const call *c, uint32_t p) {
    warp w = {of_warp(&c->p[p], c->n - p), 0, 0, 0};
    for (uint32_t k = 0; k < w.n; k++) {
        w.Qmax = (int)ws_max(w.Qmax, Q_of(&c->p[p + k]));
        w.longest = (uint32_t)ws_max(w.longest, c->p[p + k].L);
    }
    w.line = WS_DOM_LANES * w.n;
    return w;
}

// Returns the bytes that a region needs, about. Its row may lie in shared memory.
static size_t region_bytes(const problem *p) {
    const ws_dom_tables *t = p->load->t;
    const size_t row = WS_DOM_CELL * ((size_t)t->M + 1) * sizeof(float) + sizeof(ws_dom_row) + 3 * sizeof(float) + 1;
    const size_t words = (size_t)segments_of(p) * (WS_DOM_SEGMENT_ROOM + WS_DOM_SEGMENT_WORDS);
    return ((size_t)p->L + 1) * row + words * sizeof(uint32_t) + 1024 +
           (size_t)t->Q * WS_DOM_LANES * WS_DOM_FIT_ROWS * sizeof(float);
}

// Returns the bytes that a warp of such problems needs, about.
static size_t bytes_of(kind what, int Q, uint32_t L, uint32_t n, bool wide) {
    const size_t rows = ((size_t)L + 1) * n, places = (size_t)(wide ? Q + 4 * WS_DOM_PARTS : Q) * WS_DOM_LANES;
    const size_t fixed = rows * (2 * sizeof(ws_dom_row) + 7 * sizeof(float)) + 1024 * n +
                         places * n * WS_DOM_FIT_ROWS * sizeof(float);
    return fixed + (what == FIT ? rows * (places + 32) * (2 * sizeof(float) + 1) : 0);
}

enum { OF_BLOCK = 1 << 10 }; // bytes of shared memory that a block takes besides

// Returns how many gangs a device has room for at a time, for models of Q places in a lane.
static size_t gangs_of(const ws_device *dev, int Q) {
    const size_t each = table_bytes(Q) + wide_bytes(WS_DOM_BACKWARD, Q) + OF_BLOCK, room = (size_t)dev->shared_max;
    return room / each * (size_t)dev->sms;
}

// Problems of a call, from .. to - 1.
struct range {
    uint32_t from, to;
};

// Returns those of the first n problems, which have warps, that have gangs instead: few problems of long models leave
// most of a device's warps without work, and each lasts as long as its rows one after another. Longer models come
// first, with all problems of their length or none, until the device has no room for more gangs at a time.
static range gangs_among(const call *c, uint32_t n) {
    range r = {0, 0};
    double share = 0; // of the device
    for (uint32_t end = 0; end < n;) {
        const uint32_t from = end;
        const int Q = Q_of(&c->p[from]);
        while (end < n && Q_of(&c->p[end]) == Q) end++;
        const size_t room = gangs_of(c->stream->dev, Q);
        if (!room) { // the model is too long for a gang
            r = {end, end};
            continue;
        }
        share += (double)(end - from) / (double)room;
        const bool fits = ws_dom_gangs_most ? end - r.from <= ws_dom_gangs_most : share <= 1;
        if (Q < ws_dom_gang_least || !fits) break;
        r.to = end;
    }
    return r;
}

// Places the problems and makes their jobs; device addresses are still relative.
static void lay_out(call *c, ws_dom_job *job) {
    uint32_t nwide = 0;
    while (nwide < c->n && c->p[nwide].wide) nwide++;
    const range gangs = gangs_among(c, nwide);
    c->ngroup = 0;
    for (uint32_t p = 0, n; p < c->n; p += n) {
        const warp w = warp_of(c, p);
        const bool wide = c->p[p].wide, gang = gangs.from <= p && p < gangs.to;
        n = w.n;
        for (uint32_t k = 0; k < w.n; k++) {
            const problem *q = &c->p[p + k];
            const ws_dom_tables *t = q->load->t;
            const uint32_t L = q->load->span.pair->L;
            ws_dom_job *j = &job[p + k];
            *j = {};
            j->mode = c->what == FIT || c->what == SCORE ? ws_dom_unihit(L) : ws_dom_multihit(L);
            j->L = q->L, j->line = w.line;
            j->M = t->M, j->Q = t->Q, j->K = t->K, j->Kp = t->Kp, j->Qmax = w.Qmax;
            j->part = wide ? ws_dom_part_of(t->Q, gang ? WS_DOM_GANG : 1) : 0;
            j->row = c->rows;
            j->place = c->places + WS_DOM_LANES * k;
            j->cell = c->cells + WS_DOM_LANES * k;
            j->choice = c->choices + WS_DOM_LANES * k;
            j->column = c->columns;
            c->rows += (size_t)q->L + 1;
            c->columns += q->L + (size_t)t->M;
            c->residues += q->L;
            c->odds += odds_of(q);
            c->words += q->L + (c->what == FIT       ? (q->L + (size_t)t->M) / 4 + 1
                                : c->what == RESOLVE ? q->L
                                                     : q->L / 2 * sizeof(ws_dom_found) / 4);
            if (c->what != RESOLVE) continue;
            j->cell = c->cells;
            c->cells += ((size_t)q->L + 1) * ws_dom_kept_row<WS_DOM_KEEP_CELLS>(*j);
            j->segment = c->segments;
            j->segments = segments_of(q);
            c->segments += j->segments;
            c->words += j->segments * WS_DOM_SEGMENT_WORDS;
        }
        c->places += wide ? 0 : (size_t)WS_DOM_FIT_ROWS * (size_t)w.Qmax * w.line;
        c->cells += c->what == FIT ? ((size_t)w.longest + 1) * ws_dom_cell_row(job[p]) : 0;
        c->choices += c->what == FIT ? ((size_t)w.longest + 1) * ws_dom_choice_row(job[p]) : 0;
        group *last = c->ngroup ? &c->group[c->ngroup - 1] : NULL;
        const int full = c->ngroup >= (wide ? GROUPS : 2 * GROUPS);
        const bool alike = last && last->wide == wide && last->gang == gang;
        if (alike && (4 * w.Qmax > 3 * last->Qmax || full)) last->to = p + w.n;
        else c->group[c->ngroup++] = {p, p + w.n, w.Qmax, wide, gang, gang, 1, 0, 0};
    }
}

// Chooses how many warps share a block, so that most warps run at a time on a multiprocessor. A block gets as many as
// the model has problems, on average, and not so many that multiprocessors are left idle.
static void size_blocks(const call *c, group *g) {
    enum { SM_WARPS = 12 }; // for which a multiprocessor has registers
    const ws_device *dev = c->stream->dev;
    const size_t table = table_bytes(g->Qmax), row = wide_bytes(WS_DOM_BACKWARD, g->Qmax);
    const size_t room = ws_min((size_t)dev->shared_max, ws_dom_block_most), n = g->to - g->from;
    size_t models = 1, best = 0;
    for (uint32_t p = g->from + 1; p < g->to; p++) models += c->p[p].m != c->p[p - 1].m;
    const size_t most = ws_min(ws_max(n / models, 1), (n + (size_t)dev->sms - 1) / (size_t)dev->sms);
    for (size_t w = 1; w <= ws_min(most, WS_DOM_WARPS) && table + w * row <= room; w++) {
        const size_t warps = ws_min(room / (table + w * row + OF_BLOCK), SM_WARPS / w) * w;
        if (g->tables && warps <= best) continue;
        g->tables = true;
        g->warps = (uint32_t)w;
        best = warps;
    }
}

// Forms the blocks of all groups.
static void form_blocks(call *c) {
    for (int k = 0; k < c->ngroup && c->group[k].wide; k++) {
        group *g = &c->group[k];
        if (!g->gang) size_blocks(c, g);
        g->block = c->nblock;
        for (uint32_t p = g->from, n; p < g->to; p += n) {
            for (n = 1; n < g->warps && p + n < g->to && c->p[p + n].m == c->p[p].m;) n++;
            c->block[c->nblock++] = p;
        }
        g->blocks = c->nblock - g->block;
        c->block[c->nblock] = g->to;
    }
}

// ---- 2 its launches ----

// Returns the bytes of a block's shared memory; 0: its rows lie in the device's, or it has none.
static size_t shared_bytes(int what, const group *g, int kinds) {
    if (what == WS_DOM_SAMPLE) return ws_dom_domain_sums::floats(g->Qmax) * sizeof(float);
    if (kinds && g->wide && what == WS_DOM_ACCURACY) return wide_bytes(what, g->Qmax);
    if (kinds && g->wide) return (g->tables ? table_bytes(g->Qmax) : 0) + g->warps * wide_bytes(what, g->Qmax);
    const size_t bytes = (size_t)g->Qmax * (size_t)kinds * 32 * sizeof(float);
    return bytes <= ws_dom_shared_most ? bytes : 0;
}

static int launch(call *c, int what, const group *g, int kinds, ws_err *err) {
    const size_t shared = shared_bytes(what, g, kinds);
    const bool team = !kinds || what == WS_DOM_SAMPLE, blocks = g->wide && !team && what != WS_DOM_ACCURACY,
               alone = g->wide || team;
    const int rows = shared == 0           ? WS_DOM_IN_MEMORY
                     : g->gang && !team    ? WS_DOM_BY_GANG
                     : blocks && g->tables ? WS_DOM_BY_BLOCK
                     : alone               ? WS_DOM_BY_WARP
                                           : WS_DOM_IN_SHARED;
    const ws_dom_launch *l = ws_dom_launches;
    while (l->what != what || l->rows != rows) l++;
    const uint32_t each = alone ? 1 : (uint32_t)WS_DOM_SIDE_BY_SIDE;
    c->a.from = blocks ? g->block : g->from;
    c->a.to = g->to;
    const dim3 grid(blocks ? g->blocks : (g->to - g->from + each - 1) / each);
    const uint32_t warps = rows == WS_DOM_BY_GANG ? (uint32_t)WS_DOM_GANG : blocks ? g->warps : 1;
    return ws_launch_kernel(c->stream, l->kernel, l->name, grid, 32 * warps, 1, shared, &c->a, err);
}

static int launch_group(call *c, const group *g, ws_err *err) {
    static const struct {
        int what, kinds;
    } step[5][6] = {{{WS_DOM_FORWARD, WS_DOM_PARSER_ROWS}, {WS_DOM_BACKWARD, WS_DOM_PARSER_ROWS}, {WS_DOM_FIND, 0}},
                    {{WS_DOM_FORWARD_FIT, WS_DOM_PARSER_ROWS},
                     {WS_DOM_BACKWARD_FIT, WS_DOM_PARSER_ROWS},
                     {WS_DOM_DECODE, 0},
                     {WS_DOM_ACCURACY, WS_DOM_FIT_ROWS},
                     {WS_DOM_TRACE, 0}},
                    {{WS_DOM_FORWARD, WS_DOM_PARSER_ROWS}, {WS_DOM_SCORE, 0}},
                    {{WS_DOM_FORWARD_CELLS, WS_DOM_PARSER_ROWS}, {WS_DOM_SAMPLE, 1}},
                    {{WS_DOM_FORWARD, WS_DOM_PARSER_ROWS}, {WS_DOM_SCORE, 0}}};
    static const int steps[] = {3, 5, 2, 2, 2};
    int rc = WS_OK;
    for (int k = 0; k < steps[c->what] && !rc; k++)
        rc = launch(c, step[c->what][k].what, g, step[c->what][k].kinds, err);
    return rc;
}

static int launch_all(call *c, ws_err *err) {
    // most kernels of a group have fewer warps than the device, and last as long as their longest problem
    int rc = ws_devstream_fork(c->stream, WS_DEVSTREAM_WAYS, err);
    for (int g = 0; g < c->ngroup && !rc; g++) {
        rc = ws_devstream_side(c->stream, (size_t)g, err);
        if (!rc) rc = launch_group(c, &c->group[g], err);
    }
    return ws_devstream_join(c->stream, rc, err);
}

// ---- 3 its memory and copies ----

static int by_address(const void *a, const void *b) {
    const uintptr_t x = (uintptr_t)*(ws_devtable *const *)a, y = (uintptr_t)*(ws_devtable *const *)b;
    return (x > y) - (x < y);
}

// Copies the tables of models that the device lacks, each once. Problems are sorted by Q, so those of a model need not
// be neighbours.
static int put_models(const call *c, ws_err *err) {
    ws_devtable **table = (ws_devtable **)ws_calloc(c->n, sizeof *table, err);
    size_t n = 0, m = 0;
    if (!table) return WS_ENOMEM;
    for (uint32_t p = 0; p < c->n; p++) {
        ws_devtable *t = &c->p[p].m->table;
        if (!t->at[c->stream->dev->index] && !(n && table[n - 1] == t)) table[n++] = t;
    }
    qsort(table, n, sizeof *table, by_address);
    for (size_t i = 0; i < n; i++)
        if (!m || table[m - 1] != table[i]) table[m++] = table[i];
    const int rc = ws_devstream_tables(c->stream, table, m, err);
    ws_free(table);
    return rc;
}

static size_t result_bytes(const call *c) {
    return c->what == FIT       ? sizeof(ws_dom_fitted)
           : c->what == RESOLVE ? sizeof(ws_dom_resolved)
                                : sizeof(ws_dom_parsed);
}

// Sends jobs, residues, and emissions of problems' own, which lie before the residues.
static int send_problems(call *c, ws_dom_job *job, ws_err *err) {
    ws_devstream *s = c->stream;
    void *there;
    char *here;
    int rc = ws_devstream_alloc(s, c->odds + c->residues, &there, err);
    if (!rc) rc = ws_devstream_stage(s, c->odds + c->residues, &here, err);
    if (rc) return rc;
    size_t at = c->odds, odds = 0;
    for (uint32_t p = 0; p < c->n; p++) {
        const float *table = (const float *)c->p[p].m->table.at[s->dev->index];
        job[p].emit = table;
        job[p].in = table + c->p[p].m->in;
        job[p].out = table + c->p[p].m->out;
        job[p].node = table + c->p[p].m->node;
        job[p].mix = table + c->p[p].m->mix;
        job[p].contains = (const uint32_t *)(const void *)(table + c->p[p].m->contains);
        job[p].x = (const uint8_t *)there + at;
        memcpy(here + at, c->p[p].x, c->p[p].L);
        at += c->p[p].L;
        if (!c->p[p].odds) continue;
        job[p].emit = (const float *)there + odds / sizeof(float);
        const ws_dom_tables *own = c->p[p].odds;
        ws_dom_devmodel_emissions((float *)(void *)(here + odds), own, (size_t)own->codes, c->p[p].wide);
        odds += odds_of(&c->p[p]);
    }
    rc = ws_cuda_check(cudaMemcpyAsync(there, here, at, cudaMemcpyHostToDevice, s->stream), "copying residues", err);
    if (!rc) rc = ws_devstream_put(s, job, c->n * sizeof *job, &there, err);
    c->a.job = (const ws_dom_job *)there;
    if (!rc && c->nblock) rc = ws_devstream_put(s, c->block, (c->nblock + 1) * sizeof *c->block, &there, err);
    c->a.block = (const uint32_t *)there;
    return rc;
}

// Allocates what kernels write. The results are in the stream's `out`, behind the number of packed words.
static int allocate(call *c, ws_err *err) {
    enum { HEAD = 256, ROOM = 16 * 256 };
    ws_devstream *s = c->stream;
    const bool resolve = c->what == RESOLVE;
    const size_t both = resolve ? 0 : c->rows; // rows of what has Backward
    bool global = false;
    for (int g = 0; g < c->ngroup; g++)
        global |= c->what == FIT ? !shared_bytes(WS_DOM_ACCURACY, &c->group[g], WS_DOM_FIT_ROWS)
                                 : !shared_bytes(WS_DOM_FORWARD, &c->group[g], WS_DOM_PARSER_ROWS);
    const struct {
        void **at;
        size_t bytes;
    } part[] = {{(void **)&c->a.f, c->rows * sizeof(ws_dom_row)},
                {(void **)&c->a.b, both * sizeof(ws_dom_row)},
                {(void **)&c->a.own, c->n},
                {(void **)&c->a.state, global ? c->places * sizeof(float) : 0},
                {(void **)&c->a.cell, c->cells * sizeof(float)},
                {(void **)&c->a.choice, c->choices * sizeof(uint32_t)},
                {(void **)&c->a.w, both * sizeof(float)},
                {(void **)&c->a.B, both * sizeof(float)},
                {(void **)&c->a.pC, both * sizeof(float)},
                {(void **)&c->a.column, c->what == FIT ? c->columns : 0},
                {(void **)&c->a.n2, resolve ? c->rows * sizeof(float) : 0},
                {(void **)&c->a.segment, c->segments * WS_DOM_SEGMENT_ROOM * sizeof(uint32_t)},
                {(void **)&c->a.pack, c->words * sizeof(uint32_t)}};
    size_t bytes = ROOM + c->odds + c->residues + c->n * sizeof(ws_dom_job) + (c->n + 1) * sizeof *c->block;
    for (const auto &one : part) bytes += one.bytes;
    const size_t results = HEAD + c->n * result_bytes(c);
    int rc = ws_devstream_reserve(s, bytes, err);
    if (!rc) rc = ws_devstream_room(s, &s->out, results, err);
    if (!rc) rc = ws_cuda_check(cudaMemsetAsync(s->out.p, 0, results, s->stream), "clearing results", err);
    for (const auto &one : part)
        if (!rc && one.bytes) rc = ws_devstream_alloc(s, one.bytes, one.at, err);
    c->a.packed = (uint32_t *)s->out.p;
    void *results_at = (char *)s->out.p + HEAD;
    if (resolve) {
        c->a.resolved = (ws_dom_resolved *)results_at;
        c->a.seed = ws_dom_seeded(c->o->seed);
        c->a.margin = ws_dom_margin;
    }
    if (c->what == FIT) c->a.fitted = (ws_dom_fitted *)results_at;
    else if (!resolve) c->a.parsed = (ws_dom_parsed *)results_at;
    return rc;
}

// ---- 4 its results ----

static int take_results(call *c, const char *result, const uint32_t *pack, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t p = 0; p < c->n && !rc; p++) {
        ws_dom_load *l = c->p[p].load;
        const ws_dom_parsed *parsed = (const ws_dom_parsed *)result + p;
        if (c->what == FIT) {
            const ws_dom_fitted *r = (const ws_dom_fitted *)result + p;
            if (r->strange) continue;
            rc = ws_dom_take_fitted(l->t, &l->span, r, pack, err);
        } else if (c->what == RESOLVE) {
            const ws_dom_resolved *r = (const ws_dom_resolved *)result + p;
            if (r->strange) continue;
            rc = ws_dom_take_resolved(&l->span, r, pack, err);
        } else if (c->what == PARSE) {
            rc = ws_dom_take_parsed(l->span.pair, parsed, pack, err);
        } else {
            c->nats[c->p[p].order] = ws_dom_nats_of(parsed->end, pack + parsed->scale, parsed->nscale);
        }
        l->done = !rc;
    }
    return rc;
}

// Fetches results, then what is packed, of a size that they tell.
static int fetch(call *c, ws_err *err) {
    enum { HEAD = 256 };
    ws_devstream *s = c->stream;
    const size_t bytes = HEAD + c->n * result_bytes(c);
    int rc = ws_devstream_fetch(s, s->out.p, bytes, err);
    if (!rc) rc = ws_devstream_sync(s, err);
    if (rc) return rc;
    ws_devstream_clock(s);
    char *result = (char *)ws_alloc(bytes, err);
    if (!result) return WS_ENOMEM;
    memcpy(result, s->back.p, bytes);
    uint32_t words;
    memcpy(&words, result, sizeof words);
    if (words) rc = ws_devstream_fetch(s, c->a.pack, words * sizeof words, err);
    if (!rc && words) rc = ws_devstream_sync(s, err);
    if (!rc) rc = take_results(c, result + HEAD, (const uint32_t *)s->back.p, err);
    ws_free(result);
    return rc;
}

static int run(call *c, ws_err *err) {
    ws_devstream *s = c->stream;
    ws_dom_job *job = (ws_dom_job *)ws_calloc(c->n, sizeof *job, err);
    c->block = (uint32_t *)ws_calloc((size_t)c->n + 1, sizeof *c->block, err);
    int rc = job && c->block ? WS_OK : WS_ENOMEM;
    if (!rc) {
        lay_out(c, job);
        form_blocks(c);
        rc = put_models(c, err);
    }
    if (!rc) rc = allocate(c, err);
    if (!rc) rc = send_problems(c, job, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->start, s->stream), "recording an event", err);
    if (!rc) rc = launch_all(c, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->end, s->stream), "recording an event", err);
    if (!rc) rc = fetch(c, err);
    ws_free(job);
    ws_free(c->block);
    return rc;
}

// ---- 5 lists ----

// Returns the bytes that a call on this stream may take: an eighth of the device, since up to six streams share it with
// the tables of models and with other programs, and MOST, by an estimate. Calls of MOST fill a device, and the driver
// takes some 4 ms for each gigabyte, for one stream after another.
static size_t budget_of(const ws_devstream *s) {
    const size_t SHARE = 8, MOST = (size_t)6 << 30;
    size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) (void)cudaGetLastError();
    if (s->dev->limit && s->dev->limit < total) total = s->dev->limit;
    return ws_min(ws_min(total / SHARE, MOST), (free + s->arena.cap) / 2);
}

// Returns how many of the first problems of a list fit into the stream's share of memory together.
static size_t fitting(const call *c, const problem *p, size_t n) {
    enum { ROWS_MOST = 1 << 27 };
    const size_t budget = budget_of(c->stream);
    size_t bytes = 0, rows = 0, m = 0;
    for (uint32_t some; m < n; m += some) {
        uint32_t longest = 0;
        some = of_warp(&p[m], n - m);
        for (uint32_t k = 0; k < some; k++) longest = (uint32_t)ws_max(longest, p[m + k].L);
        if (c->what != RESOLVE) bytes += bytes_of(c->what, Q_of(&p[m]), longest, some, p[m].wide);
        for (uint32_t k = 0; k < some; k++)
            bytes += odds_of(&p[m + k]) + (c->what == RESOLVE ? region_bytes(&p[m + k]) : 0);
        rows += (size_t)longest * some;
        if (bytes > budget || rows > ROWS_MOST) break;
    }
    return m;
}

// Runs the first problems of a list that fit into memory together; *taken: how many, at least one.
static int run_some(const call *like, problem *p, size_t n, size_t *taken, ws_err *err) {
    call c;
    int rc;
    do {
        c = *like;
        if ((rc = ws_devstream_take(&c.stream, 0, err))) return rc;
        c.p = p;
        c.n = (uint32_t)fitting(&c, p, n);
        *taken = ws_max(c.n, 1); // a problem that does not fit alone stays with the host
        if (c.n) rc = run(&c, err);
    } while (ws_devstream_give(c.stream, rc, err));
    return rc;
}

// Whether the host must compute a span: its model has transitions of probability 0, or its traces have no room.
static bool is_for_host(const call *like, const ws_dom_load *l, uint32_t L) {
    enum { ROOM = 64 << 10 }; // of shared memory, that all devices give a block
    const ws_dom_tables *t = l->t;
    if (L == 0 || (like->what == FIT && !t->complete)) return true;
    return like->what == RESOLVE &&
           (l->span.pair->odds || L > WS_DOM_SEGMENT_MOST || t->M > WS_DOM_SEGMENT_MOST ||
            ws_dom_domain_sums::floats(t->Q) * sizeof(float) > ROOM ||
            (like->o->memory && ws_dom_matrix_bytes(t, L) > like->o->memory));
}

static int run_list(const call *like, ws_dom_load *load, size_t n, ws_err *err) {
    problem *p = (problem *)ws_calloc(n, sizeof *p, err);
    const size_t room = ws_dev_shared();
    size_t m = 0;
    int rc = p ? WS_OK : WS_ENOMEM;
    for (size_t i = 0; i < n && !rc; i++) {
        ws_dom_load *l = &load[i];
        const ws_dom_envelope *e = l->span.env;
        const ws_dom_region *g = l->span.region;
        const uint32_t from = e ? e->from : like->what == RESOLVE ? g->from : 1,
                       to = e ? e->to : like->what == RESOLVE ? g->to : l->span.pair->L, L = to - from + 1;
        l->done = 0;
        if (is_for_host(like, l, L)) continue;
        p[m] = {l, NULL, l->span.pair->odds, l->span.pair->x + from - 1, L, (uint32_t)i, is_wide(l->t->Q, L, room)};
        rc = ws_dom_devmodel_need(l->t, p[m].wide, &p[m].m, err);
        m++;
    }
    if (!rc) qsort(p, m, sizeof *p, by_size);
    for (size_t i = 0, some; i < m && !rc; i += some) rc = run_some(like, p + i, m - i, &some, err);
    ws_free(p);
    return rc;
}

int ws_dom_device_parse(ws_dom_load *load, size_t n, ws_err *err) {
    call c = {};
    c.what = PARSE;
    return run_list(&c, load, n, err);
}
int ws_dom_device_rescore(ws_dom_load *load, size_t n, ws_err *err) {
    call c = {};
    c.what = FIT;
    return run_list(&c, load, n, err);
}
int ws_dom_device_forward(ws_dom_load *load, size_t n, float *nats, ws_err *err) {
    call c = {};
    c.what = SCORE;
    c.nats = nats;
    return run_list(&c, load, n, err);
}
int ws_dom_device_resolve(ws_dom_load *load, size_t n, const ws_dom_options *o, ws_err *err) {
    call c = {};
    c.what = RESOLVE;
    c.o = o;
    return run_list(&c, load, n, err);
}
int ws_dom_device_targets(ws_dom_load *load, size_t n, float *nats, ws_err *err) {
    call c = {};
    c.what = TARGETS;
    c.nats = nats;
    return run_list(&c, load, n, err);
}
