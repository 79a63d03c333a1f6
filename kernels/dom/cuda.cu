// SPDX-License-Identifier: MIT
// The domain stage on CUDA devices: kernels, and calls over lists of spans of many models.
//
// Four threads compute a problem, eight problems are a warp (rows.cuh, fit.cuh); or a warp computes one (wide.cuh), as
// for long models. The order of operations is that of ref.c. The spans of a call are sorted by length of the model,
// then of the span, so that the problems of a warp are alike. Warps of similar models are one launch. Multiplications
// and additions are not fused, divisions are exact, subnormals are zero: the Makefile has the flags.
//
// Contents: 1 kernels; 2 models; 3 a call's problems; 4 its launches; 5 its results; 6 lists

// Device code that calls a host function is compiled, without the call and what follows it.
#pragma nv_diag_error 20011, 20014

#include "kernels/dom/device.h"
#include "kernels/dom/fit.cuh"
#include "kernels/dom/launches.h"
#include "kernels/dom/wide.cuh"
#include "kernels/filter/launch.cuh"

#include <stdlib.h>
#include <string.h>

// ---- 1 kernels ----

// Rows lie in shared memory (SHARED) or in the call's. A block is a warp.
extern __shared__ __align__(16) float shared[];
template <bool SHARED> __device__ __forceinline__ float *rows_of(const ws_dom_args &a, const ws_dom_job &j) {
    return SHARED ? shared + (threadIdx.x & ~3u) : a.state + j.place;
}

// So many blocks of a multiprocessor leave enough registers for a thread: nothing is spilled.
enum { BLOCKS = 16 };

// More registers for rows that are farther away: few problems of long models fit into a device's memory anyhow.
template <bool SHARED> using quad = ws_dom_quad<SHARED ? 4 : 8>;

template <bool SHARED, bool KEEP> __global__ void __launch_bounds__(32) forward_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x * WS_DOM_SIDE_BY_SIDE + threadIdx.x / 4;
    if (p >= a.to) return;
    const ws_dom_job j = a.job[p];
    ws_dom_forward<KEEP>(quad<SHARED>(), j, ws_dom_state(rows_of<SHARED>(a, j), j.line, WS_DOM_PARSER_ROWS),
                         a.f + j.row, KEEP ? a.cell + j.cell : NULL);
}

template <bool SHARED, bool KEEP> __global__ void __launch_bounds__(32, SHARED ? BLOCKS : 0)
    backward_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x * WS_DOM_SIDE_BY_SIDE + threadIdx.x / 4;
    if (p >= a.to) return;
    const ws_dom_job j = a.job[p];
    const quad<SHARED> g;
    const bool own = ws_dom_backward<KEEP>(g, j, ws_dom_state(rows_of<SHARED>(a, j), j.line, WS_DOM_PARSER_ROWS),
                                           a.f + j.row, a.b + j.row,
                                           KEEP ? a.cell + j.cell + j.L * ws_dom_cell_row(j) : NULL);
    if (g.leads()) a.own[p] = own;
}

template <bool SHARED> __global__ void __launch_bounds__(32) accuracy_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x * WS_DOM_SIDE_BY_SIDE + threadIdx.x / 4;
    if (p >= a.to || a.fitted[p].range) return;
    const ws_dom_job j = a.job[p];
    const ws_dom_factors at = {a.w + j.row, a.B + j.row, a.pC + j.row, 1};
    ws_dom_accuracy(quad<SHARED>(), j, ws_dom_state(rows_of<SHARED>(a, j), j.line, WS_DOM_FIT_ROWS), a.cell + j.cell,
                    a.choice + j.choice, at, &a.fitted[p]);
}

// A block is a warp, which has one problem.
template <bool KEEP> __global__ void __launch_bounds__(32, BLOCKS) wide_forward_kernel(const ws_dom_args a) {
    const ws_dom_job &j = a.job[a.from + blockIdx.x];
    ws_dom_warp g;
    ws_dom_wide_forward<KEEP>(g, j, ws_dom_wide_row(shared, j), a.f + j.row, KEEP ? a.cell + j.cell : NULL);
}

template <bool KEEP> __global__ void __launch_bounds__(32, BLOCKS) wide_backward_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x;
    const ws_dom_job &j = a.job[p];
    ws_dom_warp g;
    const bool own = ws_dom_wide_backward<KEEP>(g, j, ws_dom_wide_row(shared, j), a.f + j.row, a.b + j.row,
                                                KEEP ? a.cell + j.cell + j.L * ws_dom_cell_row(j) : NULL);
    if (g.leads()) a.own[p] = own;
}

static __global__ void __launch_bounds__(32, BLOCKS) wide_accuracy_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x;
    if (a.fitted[p].range) return;
    const ws_dom_job &j = a.job[p];
    const ws_dom_factors at = {a.w + j.row, a.B + j.row, a.pC + j.row, 1};
    ws_dom_warp g;
    ws_dom_wide_accuracy(g, j, ws_dom_wide_row(shared, j), a.cell + j.cell, a.choice + j.choice, at, &a.fitted[p]);
}

enum { THREADS = 64 }; // of kernels with a thread for a problem
template <void BODY(const ws_dom_args &, uint32_t)> __global__ void __launch_bounds__(THREADS)
    thread_kernel(const ws_dom_args a) {
    const uint32_t p = a.from + blockIdx.x * THREADS + threadIdx.x;
    if (p < a.to) BODY(a, p);
}

extern "C" const ws_dom_launch ws_dom_launches[WS_DOM_LAUNCHES] = {
    {WS_DOM_FORWARD, WS_DOM_IN_MEMORY, (const void *)forward_kernel<false, false>, "ws_dom_forward"},
    {WS_DOM_FORWARD, WS_DOM_IN_SHARED, (const void *)forward_kernel<true, false>, "ws_dom_forward"},
    {WS_DOM_BACKWARD, WS_DOM_IN_MEMORY, (const void *)backward_kernel<false, false>, "ws_dom_backward"},
    {WS_DOM_BACKWARD, WS_DOM_IN_SHARED, (const void *)backward_kernel<true, false>, "ws_dom_backward"},
    {WS_DOM_FORWARD_FIT, WS_DOM_IN_MEMORY, (const void *)forward_kernel<false, true>, "ws_dom_forward_fit"},
    {WS_DOM_FORWARD_FIT, WS_DOM_IN_SHARED, (const void *)forward_kernel<true, true>, "ws_dom_forward_fit"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_IN_MEMORY, (const void *)backward_kernel<false, true>, "ws_dom_backward_fit"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_IN_SHARED, (const void *)backward_kernel<true, true>, "ws_dom_backward_fit"},
    {WS_DOM_ACCURACY, WS_DOM_IN_MEMORY, (const void *)accuracy_kernel<false>, "ws_dom_accuracy"},
    {WS_DOM_ACCURACY, WS_DOM_IN_SHARED, (const void *)accuracy_kernel<true>, "ws_dom_accuracy"},
    {WS_DOM_FORWARD, WS_DOM_BY_WARP, (const void *)wide_forward_kernel<false>, "ws_dom_forward_wide"},
    {WS_DOM_BACKWARD, WS_DOM_BY_WARP, (const void *)wide_backward_kernel<false>, "ws_dom_backward_wide"},
    {WS_DOM_FORWARD_FIT, WS_DOM_BY_WARP, (const void *)wide_forward_kernel<true>, "ws_dom_forward_fit_wide"},
    {WS_DOM_BACKWARD_FIT, WS_DOM_BY_WARP, (const void *)wide_backward_kernel<true>, "ws_dom_backward_fit_wide"},
    {WS_DOM_ACCURACY, WS_DOM_BY_WARP, (const void *)wide_accuracy_kernel, "ws_dom_accuracy_wide"},
    {WS_DOM_FIND, 0, (const void *)thread_kernel<ws_dom_find>, "ws_dom_find"},
    {WS_DOM_SCORE, 0, (const void *)thread_kernel<ws_dom_score_rows>, "ws_dom_score"},
    {WS_DOM_DECODE, 0, (const void *)thread_kernel<ws_dom_decode>, "ws_dom_decode"},
    {WS_DOM_TRACE, 0, (const void *)thread_kernel<ws_dom_trace>, "ws_dom_trace"},
};
size_t ws_dom_shared_most = 32 << 10;
int ws_dom_wide_least = 33;

// ---- 2 models ----

// A model's tables on devices: emissions, transitions in, transitions out.
struct model {
    ws_devtable table;
    size_t in, out; // floats before them
};

static void destroy_model(model *m) {
    if (m) ws_devtable_destroy(&m->table);
    ws_free(m);
}
void ws_dom_device_forget(void *m) { destroy_model((model *)m); }

static int create_model(model **out, const ws_dom_tables *t, ws_err *err) {
    const size_t places = (size_t)t->Q * WS_DOM_LANES;
    model *m = *out = (model *)ws_calloc(1, sizeof *m, err);
    if (!m) return WS_ENOMEM;
    m->in = (size_t)t->Kp * places;
    m->out = m->in + places * WS_DOM_NTR;
    const int rc = ws_devtable_create(&m->table, (m->out + places * WS_DOM_NTR) * sizeof(float), err);
    if (rc) return rc;
    float *to = (float *)m->table.host;
    memcpy(to, t->emit, m->in * sizeof *to);
    for (size_t q = 0; q < (size_t)t->Q; q++)
        for (size_t z = 0; z < WS_DOM_LANES; z++)
            for (size_t kind = 0; kind < WS_DOM_NTR; kind++) {
                const size_t from = (q * WS_DOM_NTR + kind) * WS_DOM_LANES + z,
                             at = (q * WS_DOM_LANES + z) * WS_DOM_NTR + kind;
                to[m->in + at] = t->in[from];
                to[m->out + at] = t->out[from];
            }
    return WS_OK;
}

// Makes the device's form of a model, unless a thread did so before. Returns WS_ENOMEM on failure.
static int need_model(const ws_dom_tables *t, model **out, ws_err *err) {
    void **place = &const_cast<ws_dom_tables *>(t)->device, *first = NULL;
    if ((*out = (model *)__atomic_load_n(place, __ATOMIC_ACQUIRE))) return WS_OK;
    const int rc = create_model(out, t, err);
    if (!rc && __atomic_compare_exchange_n(place, &first, (void *)*out, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return WS_OK;
    destroy_model(*out);
    *out = (model *)first; // another thread's
    return rc;
}

// ---- 3 a call's problems ----

// A problem of a call, before it has a place.
struct problem {
    ws_dom_load *load;
    model *m;
    const ws_dom_tables *odds; // whose emissions; NULL: the model's
    const uint8_t *x;
    uint32_t L, order;
    bool wide; // a warp computes it
};

// Problems that follow one another in a list and differ little in Q: one launch for each kernel.
struct group {
    uint32_t from, to;
    int Qmax;
    bool wide;
};
enum { GROUPS = 24 }; // of each kind

// A call computes both parsers of targets, or all of envelopes, or Forward's score of envelopes.
enum kind { PARSE, FIT, SCORE };

struct call {
    ws_devstream *stream;
    kind what;
    float *nats; // of SCORE, by the problems' order
    problem *p;
    uint32_t n;
    ws_dom_args a;
    group group[2 * GROUPS];
    int ngroup;
    size_t rows, places, cells, choices, columns, residues, odds, words; // of all problems together
};

static int Q_of(const problem *p) { return p->load->t->Q; }

// Returns the bytes of emissions of a problem's own; 0: it has the model's.
static size_t odds_of(const problem *p) {
    const ws_dom_tables *t = p->odds;
    return t ? (size_t)t->Kp * (size_t)t->Q * WS_DOM_LANES * sizeof *t->emit : 0;
}

// Returns the bytes of shared memory for a row that a warp has alone. Forward has four values of a place and lane.
static size_t wide_bytes(int what, int Q) {
    const bool four = what == WS_DOM_FORWARD || what == WS_DOM_FORWARD_FIT;
    return ((size_t)Q * (four ? 16 : 20) + (what == WS_DOM_ACCURACY ? 4 * WS_DOM_PARTS : 0)) * sizeof(float);
}

// Returns whether a warp computes such a problem alone. Four threads take some 360 cycles of an H200 for a place of a
// row, so that ALONE places are 10 ms of each recurrence. All devices give a block ROOM bytes of shared memory.
static bool is_wide(int Q, uint32_t L) {
    enum { ALONE = 50000, ROOM = 64 << 10 };
    return (Q >= ws_dom_wide_least || (size_t)Q * L >= ALONE) && wide_bytes(WS_DOM_ACCURACY, Q) <= ROOM;
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

// Bytes that a warp of such problems needs, about.
static size_t bytes_of(kind what, int Q, uint32_t L, uint32_t n, bool wide) {
    const size_t rows = ((size_t)L + 1) * n, places = (size_t)(wide ? Q + 4 * WS_DOM_PARTS : Q) * WS_DOM_LANES;
    const size_t fixed = rows * (2 * sizeof(ws_dom_row) + 7 * sizeof(float)) + 1024 * n +
                         places * n * WS_DOM_FIT_ROWS * sizeof(float);
    return fixed + (what == FIT ? rows * (places + 32) * (2 * sizeof(float) + 1) : 0);
}

// Places the problems and makes their jobs; device addresses are still relative.
static void lay_out(call *c, ws_dom_job *job) {
    c->ngroup = 0;
    for (uint32_t p = 0, n; p < c->n; p += n) {
        const warp w = warp_of(c, p);
        const bool wide = c->p[p].wide;
        n = w.n;
        for (uint32_t k = 0; k < w.n; k++) {
            const problem *q = &c->p[p + k];
            const ws_dom_tables *t = q->load->t;
            const uint32_t L = q->load->span.pair->L;
            ws_dom_job *j = &job[p + k];
            *j = {};
            j->mode = c->what == PARSE ? ws_dom_multihit(L) : ws_dom_unihit(L);
            j->L = q->L, j->line = w.line;
            j->M = t->M, j->Q = t->Q, j->K = t->K, j->Qmax = w.Qmax;
            j->part = wide ? ws_dom_part_of(t->Q) : 0;
            j->row = c->rows;
            j->place = c->places + WS_DOM_LANES * k;
            j->cell = c->cells + WS_DOM_LANES * k;
            j->choice = c->choices + WS_DOM_LANES * k;
            j->column = c->columns;
            c->rows += (size_t)q->L + 1;
            c->columns += q->L + (size_t)t->M;
            c->residues += q->L;
            c->odds += odds_of(q);
            c->words += q->L + (c->what == FIT ? (q->L + (size_t)t->M) / 4 + 1 : q->L / 2 * sizeof(ws_dom_found) / 4);
        }
        c->places += wide ? 0 : (size_t)WS_DOM_FIT_ROWS * (size_t)w.Qmax * w.line;
        c->cells += c->what == FIT ? ((size_t)w.longest + 1) * ws_dom_cell_row(job[p]) : 0;
        c->choices += c->what == FIT ? ((size_t)w.longest + 1) * ws_dom_choice_row(job[p]) : 0;
        group *last = c->ngroup ? &c->group[c->ngroup - 1] : NULL;
        const int full = c->ngroup == (wide ? GROUPS : 2 * GROUPS);
        if (last && last->wide == wide && (4 * w.Qmax > 3 * last->Qmax || full)) last->to = p + w.n;
        else c->group[c->ngroup++] = {p, p + w.n, w.Qmax, wide};
    }
}

// ---- 4 its launches ----

// Returns the bytes of a block's shared memory; 0: its rows lie in the device's, or it has none.
static size_t shared_bytes(int what, const group *g, int kinds) {
    const size_t bytes = (size_t)g->Qmax * (size_t)kinds * 32 * sizeof(float);
    return kinds && g->wide ? wide_bytes(what, g->Qmax) : bytes <= ws_dom_shared_most ? bytes : 0;
}

static int launch(call *c, int what, const group *g, int kinds, ws_err *err) {
    const size_t shared = shared_bytes(what, g, kinds);
    const int rows = shared == 0 ? WS_DOM_IN_MEMORY : g->wide ? WS_DOM_BY_WARP : WS_DOM_IN_SHARED;
    const ws_dom_launch *l = ws_dom_launches;
    while (l->what != what || l->rows != rows) l++;
    const uint32_t each = !kinds ? (uint32_t)THREADS : g->wide ? 1 : (uint32_t)WS_DOM_SIDE_BY_SIDE;
    c->a.from = g->from;
    c->a.to = g->to;
    return ws_launch_kernel(c->stream, l->kernel, l->name, dim3((g->to - g->from + each - 1) / each),
                            kinds ? 32 : THREADS, 1, shared, &c->a, err);
}

static int launch_group(call *c, const group *g, ws_err *err) {
    static const struct {
        int what, kinds;
    } step[3][6] = {{{WS_DOM_FORWARD, WS_DOM_PARSER_ROWS}, {WS_DOM_BACKWARD, WS_DOM_PARSER_ROWS}, {WS_DOM_FIND, 0}},
                    {{WS_DOM_FORWARD_FIT, WS_DOM_PARSER_ROWS},
                     {WS_DOM_BACKWARD_FIT, WS_DOM_PARSER_ROWS},
                     {WS_DOM_DECODE, 0},
                     {WS_DOM_ACCURACY, WS_DOM_FIT_ROWS},
                     {WS_DOM_TRACE, 0}},
                    {{WS_DOM_FORWARD, WS_DOM_PARSER_ROWS}, {WS_DOM_SCORE, 0}}};
    static const int steps[] = {3, 5, 2};
    int rc = WS_OK;
    for (int k = 0; k < steps[c->what] && !rc; k++)
        rc = launch(c, step[c->what][k].what, g, step[c->what][k].kinds, err);
    return rc;
}

static int launch_all(call *c, ws_err *err) {
    int rc = ws_devstream_fork(c->stream, err);
    for (int g = 0; g < c->ngroup && !rc; g++) {
        rc = ws_devstream_side(c->stream, (size_t)g, err);
        if (!rc) rc = launch_group(c, &c->group[g], err);
    }
    return ws_devstream_join(c->stream, rc, err);
}

// ---- memory and copies ----

static int put_models(const call *c, ws_err *err) {
    ws_devtable **table = (ws_devtable **)ws_calloc(c->n, sizeof *table, err);
    size_t n = 0;
    if (!table) return WS_ENOMEM;
    for (uint32_t p = 0; p < c->n; p++) /* sorted by Q: the problems of a model need not be neighbours */
        if (!c->p[p].m->table.at[c->stream->dev->index]) table[n++] = &c->p[p].m->table;
    const int rc = ws_devstream_tables(c->stream, table, n, err);
    ws_free(table);
    return rc;
}

static size_t result_bytes(const call *c) { return c->what == FIT ? sizeof(ws_dom_fitted) : sizeof(ws_dom_parsed); }

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
        job[p].x = (const uint8_t *)there + at;
        memcpy(here + at, c->p[p].x, c->p[p].L);
        at += c->p[p].L;
        if (!c->p[p].odds) continue;
        job[p].emit = (const float *)there + odds / sizeof(float);
        memcpy(here + odds, c->p[p].odds->emit, odds_of(&c->p[p]));
        odds += odds_of(&c->p[p]);
    }
    rc = ws_cuda_check(cudaMemcpyAsync(there, here, at, cudaMemcpyHostToDevice, s->stream), "copying residues", err);
    if (!rc) rc = ws_devstream_put(s, job, c->n * sizeof *job, &there, err);
    c->a.job = (const ws_dom_job *)there;
    return rc;
}

// Allocates what kernels write. The results are in the stream's `out`, behind the number of packed words.
static int allocate(call *c, ws_err *err) {
    enum { HEAD = 256, ROOM = 16 * 256 };
    ws_devstream *s = c->stream;
    bool global = false;
    for (int g = 0; g < c->ngroup; g++)
        global |= c->what == FIT ? !shared_bytes(WS_DOM_ACCURACY, &c->group[g], WS_DOM_FIT_ROWS)
                                 : !shared_bytes(WS_DOM_FORWARD, &c->group[g], WS_DOM_PARSER_ROWS);
    const struct {
        void **at;
        size_t bytes;
    } part[] = {{(void **)&c->a.f, c->rows * sizeof(ws_dom_row)},
                {(void **)&c->a.b, c->rows * sizeof(ws_dom_row)},
                {(void **)&c->a.own, c->n},
                {(void **)&c->a.state, global ? c->places * sizeof(float) : 0},
                {(void **)&c->a.cell, c->cells * sizeof(float)},
                {(void **)&c->a.choice, c->choices * sizeof(uint32_t)},
                {(void **)&c->a.w, c->rows * sizeof(float)},
                {(void **)&c->a.B, c->rows * sizeof(float)},
                {(void **)&c->a.pC, c->rows * sizeof(float)},
                {(void **)&c->a.column, c->what == FIT ? c->columns : 0},
                {(void **)&c->a.pack, c->words * sizeof(uint32_t)}};
    size_t bytes = ROOM + c->odds + c->residues + c->n * sizeof(ws_dom_job);
    for (const auto &one : part) bytes += one.bytes;
    const size_t results = HEAD + c->n * result_bytes(c);
    int rc = ws_devstream_reserve(s, bytes, err);
    if (!rc) rc = ws_devstream_room(s, &s->out, results, err);
    if (!rc) rc = ws_cuda_check(cudaMemsetAsync(s->out.p, 0, results, s->stream), "clearing results", err);
    for (const auto &one : part)
        if (!rc && one.bytes) rc = ws_devstream_alloc(s, one.bytes, one.at, err);
    c->a.packed = (uint32_t *)s->out.p;
    void *results_at = (char *)s->out.p + HEAD;
    if (c->what == FIT) c->a.fitted = (ws_dom_fitted *)results_at;
    else c->a.parsed = (ws_dom_parsed *)results_at;
    return rc;
}

// ---- 5 its results ----

static int take_results(call *c, const char *result, const uint32_t *pack, ws_err *err) {
    int rc = WS_OK;
    for (uint32_t p = 0; p < c->n && !rc; p++) {
        ws_dom_load *l = c->p[p].load;
        const ws_dom_parsed *parsed = (const ws_dom_parsed *)result + p;
        if (c->what == FIT) {
            const ws_dom_fitted *r = (const ws_dom_fitted *)result + p;
            if (r->strange) continue;
            rc = ws_dom_take_fitted(l->t, &l->span, r, pack, err);
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
    if (!job) return WS_ENOMEM;
    lay_out(c, job);
    int rc = put_models(c, err);
    if (!rc) rc = allocate(c, err);
    if (!rc) rc = send_problems(c, job, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->start, s->stream), "recording an event", err);
    if (!rc) rc = launch_all(c, err);
    if (!rc) rc = ws_cuda_check(cudaEventRecord(s->end, s->stream), "recording an event", err);
    if (!rc) rc = fetch(c, err);
    ws_free(job);
    return rc;
}

// ---- 6 lists ----

// Returns the bytes that a call on this stream may take: an eighth of the device, since four streams share it with the
// tables of models and with other programs.
static size_t budget_of(const ws_devstream *s) {
    enum { SHARE = 8 };
    size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) != cudaSuccess) (void)cudaGetLastError();
    if (s->dev->limit && s->dev->limit < total) total = s->dev->limit;
    return ws_min(total / SHARE, (free + s->arena.cap) / 2);
}

// Runs the first problems of a list that fit into memory together; *taken: how many, at least one.
static int run_some(problem *p, size_t n, kind what, float *nats, size_t *taken, ws_err *err) {
    enum { ROWS_MOST = 1 << 27 };
    call c = {};
    int rc = ws_devstream_take(&c.stream, 0, err);
    if (rc) return rc;
    const size_t budget = budget_of(c.stream);
    size_t bytes = 0, rows = 0, m = 0;
    while (m < n) {
        const uint32_t some = of_warp(&p[m], n - m);
        uint32_t longest = 0;
        for (uint32_t k = 0; k < some; k++) longest = (uint32_t)ws_max(longest, p[m + k].L);
        bytes += bytes_of(what, Q_of(&p[m]), longest, some, p[m].wide);
        for (uint32_t k = 0; k < some; k++) bytes += odds_of(&p[m + k]);
        rows += (size_t)longest * some;
        if (bytes > budget || rows > ROWS_MOST) break;
        m += some;
    }
    c.what = what;
    c.nats = nats;
    c.p = p;
    c.n = (uint32_t)m;
    *taken = ws_max(m, 1); // a problem that does not fit alone stays with the host
    if (m) rc = run(&c, err);
    ws_devstream_give(c.stream);
    return rc;
}

static int run_list(ws_dom_load *load, size_t n, kind what, float *nats, ws_err *err) {
    problem *p = (problem *)ws_calloc(n, sizeof *p, err);
    size_t m = 0;
    int rc = p ? WS_OK : WS_ENOMEM;
    for (size_t i = 0; i < n && !rc; i++) {
        ws_dom_load *l = &load[i];
        const ws_dom_envelope *e = l->span.env;
        const uint32_t from = e ? e->from : 1, L = e ? e->to - from + 1 : l->span.pair->L;
        l->done = 0;
        if (L == 0 || (what == FIT && !l->t->complete)) continue;
        p[m] = {l, NULL, l->span.pair->odds, l->span.pair->x + from - 1, L, (uint32_t)i, is_wide(l->t->Q, L)};
        rc = need_model(l->t, &p[m++].m, err);
    }
    if (!rc) qsort(p, m, sizeof *p, by_size);
    for (size_t i = 0, some; i < m && !rc; i += some) rc = run_some(p + i, m - i, what, nats, &some, err);
    ws_free(p);
    return rc;
}

int ws_dom_device_parse(ws_dom_load *load, size_t n, ws_err *err) { return run_list(load, n, PARSE, NULL, err); }
int ws_dom_device_rescore(ws_dom_load *load, size_t n, ws_err *err) { return run_list(load, n, FIT, NULL, err); }
int ws_dom_device_forward(ws_dom_load *load, size_t n, float *nats, ws_err *err) {
    return run_list(load, n, SCORE, nats, err);
}
