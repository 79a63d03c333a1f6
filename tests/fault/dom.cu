// SPDX-License-Identifier: MIT
// The kernels of the domain stage on a fake device: the bodies of kernels/dom/*.cuh with four lanes of the processor in
// place of four threads. So the product's own bodies, lists, layouts and copies are tested where there is no device.
//
// The bodies call the functions of four lanes from host code alone, of which the compiler warns all the same.
#pragma nv_diag_suppress 20011, 20013, 20014, 20015
#include "kernels/dom/launches.h"
#include "kernels/dom/device/sample.cuh"
#include "kernels/dom/device/trace.cuh"
#include "kernels/dom/device/wide_fit.cuh"

extern "C" {
#include "lib/simd/flush.h"
}

#include <stdio.h>
#include <stdlib.h>

// ---- four lanes ----

template <class T> struct four {
    T z[4];
};
template <class T, class F> static four<T> each(F f) { return {{f(0), f(1), f(2), f(3)}}; }

typedef four<float> value;
typedef four<bool> truth;
typedef four<uint32_t> words;

static value operator+(value a, value b) {
    return each<float>([&](int z) { return a.z[z] + b.z[z]; });
}
static value operator*(value a, value b) {
    return each<float>([&](int z) { return a.z[z] * b.z[z]; });
}
static truth operator>(value a, value b) {
    return each<bool>([&](int z) { return a.z[z] > b.z[z]; });
}
static truth operator&(truth a, truth b) {
    return each<bool>([&](int z) { return a.z[z] && b.z[z]; });
}
static truth operator|(truth a, truth b) {
    return each<bool>([&](int z) { return a.z[z] || b.z[z]; });
}
static truth operator!(truth a) {
    return each<bool>([&](int z) { return !a.z[z]; });
}
static words operator|(words a, words b) {
    return each<uint32_t>([&](int z) { return a.z[z] | b.z[z]; });
}
static words operator<<(words a, int n) {
    return each<uint32_t>([&](int z) { return a.z[z] << n; });
}

// As ws_dom_quad.
struct lanes {
    enum { AHEAD = 4 };
    typedef value V;
    typedef truth P;
    typedef words W;
    bool leads() const { return true; }
    V set(float a) const { return {{a, a, a, a}}; }
    W word(uint32_t a) const { return {{a, a, a, a}}; }
    V load(const float *p) const { return {{p[0], p[1], p[2], p[3]}}; }
    V load_fixed(const float *p) const { return load(p); }
    template <class T> void store(T *p, four<T> v) const {
        for (int z = 0; z < 4; z++) p[z] = v.z[z];
    }
    ws_dom_odds_at<V> odds(const float *place) const {
        auto kind = [=](int k) { return each<float>([=](int z) { return place[8 * z + k]; }); };
        return {kind(0), kind(1), kind(2), kind(3), kind(4), kind(5), kind(6), kind(7)};
    }
    void store_cells(float *row, int q, int Q, int M, V m, V i, V d, float b) const {
        for (int z = 0; z < 4 && z * Q + q < M; z++)
            ws_dom_store_cell(row + 4 * (size_t)(z * Q + q + 1), m.z[z], i.z[z], d.z[z], b);
    }
    template <class T> four<T> pick(P p, four<T> a, four<T> b) const {
        return each<T>([&](int z) { return p.z[z] ? a.z[z] : b.z[z]; });
    }
    V larger(V a, V b) const { return pick(a > b, a, b); }
    W bit(P p, int at) const {
        return each<uint32_t>([&](int z) { return (uint32_t)p.z[z] << at; });
    }
    bool any(P p) const { return p.z[0] || p.z[1] || p.z[2] || p.z[3]; }
    V up(V a) const { return {{0.0f, a.z[0], a.z[1], a.z[2]}}; }
    V down(V a) const { return {{a.z[1], a.z[2], a.z[3], 0.0f}}; }
    float sum(V a) const { return (a.z[0] + a.z[1]) + (a.z[2] + a.z[3]); }
    float largest(V a) const {
        float most = a.z[0];
        for (int z = 1; z < 4; z++) most = most > a.z[z] ? most : a.z[z];
        return most;
    }
    P has_node(int q, int Q, int M) const {
        return each<bool>([=](int z) { return z * Q + q < M; });
    }
    uint32_t last(P yes, W q) const {
        uint32_t most = 0;
        for (uint32_t z = 0; z < 4; z++)
            if (yes.z[z] && 4 * q.z[z] + z + 1 > most) most = 4 * q.z[z] + z + 1;
        return most;
    }
};

// As ws_dom_warp: the parts of a warp or of a gang one after another, from phase to phase in another order. A part that
// reads or writes a value of the row which another part writes in the same phase ends the program: threads of a device
// would race.
struct warp_lanes : lanes {
    template <class T> struct each {
        T value[WS_DOM_PARTS * WS_DOM_GANG];
        T &operator[](int t) { return value[t]; }
    };
    struct access { // the last phases in which a value was read and written, and by which parts
        unsigned read, written, readers, writer;
    };
    const float *row;
    size_t n;
    access *of;
    unsigned phase, part, all; // all: parts

    warp_lanes(const float *at, size_t floats, unsigned warps)
        : row(at), n(floats), of((access *)calloc(floats, sizeof *of)), phase(0), part(0), all(WS_DOM_PARTS * warps) {
        if (!of) abort();
    }
    ~warp_lanes() { free(of); }

    void watch(const float *p, size_t k, bool writes) const {
        for (size_t at = (size_t)(p - row), end = at + k; p >= row && at < n && at < end; at++) {
            access &a = of[at];
            const bool others = a.read == phase && (a.readers & ~(1u << part));
            if ((a.written == phase && a.writer != part) || (writes && others)) {
                fprintf(stderr, "two parts of a warp race for value %zu of their row\n", at);
                abort();
            }
            if (writes) a.written = phase, a.writer = part;
            else a.readers = (a.read == phase ? a.readers : 0) | 1u << part, a.read = phase;
        }
    }
    template <class F> void parts(F f) {
        phase++;
        for (unsigned k = 0; k < all; k++) f((int)(part = phase & 1 ? k ^ (phase >> 1 & (all - 1)) : all - 1 - k));
    }
    int nparts() const { return (int)all; }
    template <class F> void first(F f) {
        phase++;
        part = 0;
        f();
    }
    bool leads_part() const { return true; }
    float of_first(float a) const { return a; }
    template <class B> float largest_best(each<B> &b) const {
        float most = b[0].best.z[0];
        for (int t = 0; t < nparts(); t++) most = most > largest(b[t].best) ? most : largest(b[t].best);
        return most;
    }
    template <class B> uint32_t last_best(each<B> &b, float E) const {
        uint32_t most = 0;
        for (int t = 0; t < nparts(); t++) {
            const uint32_t own = last(!(set(E) > b[t].best), b[t].at);
            most = own > most ? own : most;
        }
        return most;
    }
    V load(const float *p) const {
        watch(p, 4, false);
        return lanes::load(p);
    }
    template <class T> void store(T *p, four<T> v) const {
        watch((const float *)(const void *)p, 4, true);
        lanes::store(p, v);
    }
    ws_dom_four<V> load_four(const float *p) const {
        watch(p, WS_DOM_TILE, false);
        return load_fixed_four(p);
    }
    ws_dom_four<V> load_fixed_four(const float *p) const {
        return {{load_fixed_at(p, 0), load_fixed_at(p, 1), load_fixed_at(p, 2), load_fixed_at(p, 3)}};
    }
    void fetch_four(float *to, const float *from) const { store_four(to, load_fixed_four(from)); }
    void fetched() const {}
    void store_four(float *p, const ws_dom_four<V> &v) const {
        watch(p, WS_DOM_TILE, true);
        for (int z = 0; z < 4; z++)
            for (int u = 0; u < 4; u++) p[4 * z + u] = v.at[u].z[z];
    }
    V load_at(const float *p, int u) const {
        for (int z = 0; z < 4; z++) watch(p + 4 * z + u, 1, false);
        return load_fixed_at(p, u);
    }
    V load_fixed_at(const float *p, int u) const { return {{p[u], p[4 + u], p[8 + u], p[12 + u]}}; }
    ws_dom_four<V> table(const float *p) const { return load_fixed_four(p); }
    V table_at(const float *p, int u) const { return load_fixed_at(p, u); }
    void soon(const float *) const {}
};

// As ws_dom_team: the lanes one after another, from call to call in another order.
struct team_lanes {
    template <class T> struct each {
        T value[WS_DOM_TEAM];
        T &operator[](int z) { return value[z]; }
    };
    unsigned calls = 0;
    bool leads() const { return true; }
    template <class F> void lanes(F f) {
        calls++;
        for (unsigned k = 0; k < WS_DOM_TEAM; k++) f((int)(calls & 1 ? k ^ (calls >> 1 & 31) : 31 - k));
    }
    void sync() const {}
    template <class F> uint32_t first(F yes) const {
        uint32_t z = 0;
        while (z < WS_DOM_TEAM && !yes((int)z)) z++;
        return z;
    }
    template <class F> uint32_t ballot(F yes) const {
        uint32_t bits = 0;
        for (int z = 0; z < WS_DOM_TEAM; z++) bits |= (uint32_t)(bool)yes(z) << z;
        return bits;
    }
    float running_sum(each<float> &a, float all, uint32_t n) const {
        for (uint32_t z = 0; z < n; z++) a.value[z] = all = all + a.value[z];
        return all;
    }
    float running_product(each<float> &a, float all, uint32_t n) const {
        for (uint32_t z = 0; z < n; z++) a.value[z] = all = all * a.value[z];
        return all;
    }
    void shift(each<float> &a, float first) const {
        for (int z = WS_DOM_TEAM - 1; z > 0; z--) a.value[z] = a.value[z - 1];
        a.value[0] = first;
    }
    float largest(const each<float> &a) const {
        float most = a.value[0];
        for (int z = 1; z < WS_DOM_TEAM; z++) most = a.value[z] > most ? a.value[z] : most;
        return most;
    }
    int32_t least(const each<int32_t> &a) const {
        int32_t least = a.value[0];
        for (int z = 1; z < WS_DOM_TEAM; z++) least = a.value[z] < least ? a.value[z] : least;
        return least;
    }
    template <class T> T of(each<T> &a, uint32_t lane) const { return a.value[lane]; }
    void add_up(each<double> &a) const {
        for (int z = 1; z < WS_DOM_TEAM; z++) a.value[z] += a.value[z - 1];
    }
    void add_four(each<float> &a) const {
        for (int z = 0; z < WS_DOM_TEAM; z += 4) {
            const float all = (a.value[z] + a.value[z + 1]) + (a.value[z + 2] + a.value[z + 3]);
            for (int k = 0; k < 4; k++) a.value[z + k] = all;
        }
    }
};

// ---- kernels ----

// Ends the program, as a device would fail or compute nonsense.
static void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "a launch of the domain stage breaks a rule: %s\n", what);
    abort();
}

// Returns the floats of shared memory for a problem's row.
static size_t row_room(const ws_dom_job &j, int what) {
    return (size_t)ws_dom_row_floats(j.Q, what == WS_DOM_ACCURACY ? WS_DOM_FIT_ROWS : WS_DOM_PARSER_ROWS);
}

static void run_warp(const ws_dom_args &a, uint32_t p, int what, unsigned warps) {
    enum { GUARD = 64 }; // floats behind the row, which keep their values
    const ws_dom_job &j = a.job[p];
    const size_t room = row_room(j, what);
    float *shared = (float *)malloc((room + GUARD) * sizeof *shared), *cell = a.cell + j.cell;
    if (!shared) abort();
    for (size_t k = 0; k < GUARD; k++) shared[room + k] = (float)k;
    warp_lanes g(shared, room, warps);
    const ws_dom_tiles_row row(shared, j);
    ws_dom_row *f = a.f + j.row, *b = a.b + j.row;
    switch (what) {
    case WS_DOM_FORWARD: ws_dom_wide_forward<WS_DOM_KEEP_NOTHING>(g, j, row, j.in, f, NULL); break;
    case WS_DOM_FORWARD_CELLS: ws_dom_wide_forward<WS_DOM_KEEP_CELLS>(g, j, row, j.in, f, cell); break;
    case WS_DOM_BACKWARD: a.own[p] = ws_dom_wide_backward<false>(g, j, row, j.out, f, b, NULL); break;
    case WS_DOM_FORWARD_FIT: ws_dom_wide_forward<WS_DOM_KEEP_PRODUCTS>(g, j, row, j.in, f, cell); break;
    case WS_DOM_BACKWARD_FIT:
        a.own[p] = ws_dom_wide_backward<true>(g, j, row, j.out, f, b, cell + j.L * ws_dom_cell_row(j));
        break;
    default:
        if (!a.fitted[p].range)
            ws_dom_wide_accuracy(g, j, ws_dom_accuracy_tiles(shared, j), a.cell + j.cell, a.choice + j.choice,
                                 {a.w + j.row, a.B + j.row, a.pC + j.row, 1}, &a.fitted[p]);
    }
    for (size_t k = 0; k < GUARD; k++) must(shared[room + k] == (float)k, "a row is larger than its memory");
    free(shared);
}

static void run_problem(const ws_dom_args &a, uint32_t p, int what, float *rows) {
    const ws_dom_job &j = a.job[p];
    const lanes g = {};
    const ws_dom_state parser(rows, j.line, WS_DOM_PARSER_ROWS), fit(rows, j.line, WS_DOM_FIT_ROWS);
    ws_dom_row *f = a.f + j.row, *b = a.b + j.row;
    float *cell = a.cell + j.cell;
    switch (what) {
    case WS_DOM_FORWARD: ws_dom_forward<WS_DOM_KEEP_NOTHING>(g, j, parser, f, NULL); break;
    case WS_DOM_FORWARD_CELLS: ws_dom_forward<WS_DOM_KEEP_CELLS>(g, j, parser, f, cell); break;
    case WS_DOM_BACKWARD: a.own[p] = ws_dom_backward<false>(g, j, parser, f, b, NULL); break;
    case WS_DOM_FORWARD_FIT: ws_dom_forward<WS_DOM_KEEP_PRODUCTS>(g, j, parser, f, cell); break;
    case WS_DOM_BACKWARD_FIT:
        a.own[p] = ws_dom_backward<true>(g, j, parser, f, b, cell + j.L * ws_dom_cell_row(j));
        break;
    default:
        if (!a.fitted[p].range)
            ws_dom_accuracy(g, j, fit, cell, a.choice + j.choice, {a.w + j.row, a.B + j.row, a.pC + j.row, 1},
                            &a.fitted[p]);
    }
}

static void run_team(const ws_dom_args &a, uint32_t p, int what) {
    team_lanes g;
    switch (what) {
    case WS_DOM_FIND: ws_dom_find(g, a, p); return;
    case WS_DOM_SCORE: ws_dom_score_rows(g, a, p); return;
    case WS_DOM_DECODE: ws_dom_decode(g, a, p); return;
    case WS_DOM_TRACE: ws_dom_trace(g, a, p); return;
    }
    const size_t room = ws_dom_domain_sums::floats(a.job[p].Qmax);
    float *shared = (float *)malloc(room * sizeof *shared);
    if (!shared) abort();
    ws_dom_sample_region(g, a, p, shared);
    free(shared);
}

// Labels n segments as a device does, for tests. room: three words for each; labels are the first of them. Returns the
// number of components.
extern "C" uint32_t ws_fault_label(const uint32_t *segment, uint32_t n, uint32_t *room);
extern "C" uint32_t ws_fault_label(const uint32_t *segment, uint32_t n, uint32_t *room) {
    team_lanes g;
    return ws_dom_labeller<team_lanes>(g, segment, n, room).run();
}

// Returns whether each problem of a launch has a warp or a gang of its own.
static bool is_by_warp(const ws_dom_launch *l) { return l->rows >= WS_DOM_BY_WARP; }
static unsigned warps_of(const ws_dom_launch *l) { return l->rows == WS_DOM_BY_GANG ? WS_DOM_GANG : 1; }

static bool is_by_team(const ws_dom_launch *l) {
    return l->what == WS_DOM_SAMPLE || l->what == WS_DOM_FIND || l->what == WS_DOM_SCORE || l->what == WS_DOM_DECODE ||
           l->what == WS_DOM_TRACE;
}

// Checks the blocks of a launch, whose warps have a problem each: of one model, with room for all rows and the model's
// transitions.
static void check_blocks(const cudaLaunchConfig_t *c, const ws_dom_args &a, const ws_dom_launch *l) {
    for (uint32_t b = a.from; b < a.from + c->gridDim.x; b++) {
        const uint32_t first = a.block[b], n = a.block[b + 1] - first;
        const size_t row = row_room(a.job[first], l->what),
                     table = l->rows != WS_DOM_BY_WARP ? ws_dom_emissions(a.job[first].Q, true) * WS_DOM_NTR : 0;
        must(n >= 1 && 32 * n * warps_of(l) <= c->blockDim.x, "a block has warps for each of its problems");
        must(n == 1 || warps_of(l) == 1, "a gang is a block");
        must((table + n * row) * sizeof(float) <= c->dynamicSmemBytes, "a block has memory for its rows and tables");
        for (uint32_t p = first; p < first + n; p++)
            must(a.job[p].in == a.job[first].in && a.job[p].out == a.job[first].out, "a block has one model");
    }
}

// Runs a launch on the processor, problem by problem.
extern "C" void ws_fault_run(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    const ws_dom_launch *l = ws_dom_launches, *end = l + WS_DOM_LAUNCHES;
    while (l < end && l->kernel != kernel) l++;
    if (l == end) return;
    const ws_dom_args &a = *(const ws_dom_args *)arguments[0];
    const bool blocks = is_by_warp(l) && l->what != WS_DOM_SAMPLE && l->what != WS_DOM_ACCURACY;
    const uint32_t before = ws_flush_begin();
    const uint32_t from = blocks ? a.block[a.from] : a.from, to = blocks ? a.block[a.from + config->gridDim.x] : a.to;
    if (blocks) check_blocks(config, a, l);
    if (is_by_warp(l) && l->what == WS_DOM_ACCURACY)
        for (uint32_t p = from; p < to; p++)
            must(row_room(a.job[p], l->what) * sizeof(float) <= config->dynamicSmemBytes, "a block has a row's memory");
    for (uint32_t p = from; p < to; p++) {
        const ws_dom_job &j = a.job[p];
        const size_t room = (size_t)WS_DOM_FIT_ROWS * (size_t)j.Qmax * j.line;
        const bool in_shared = l->rows == WS_DOM_IN_SHARED;
        float *shared = in_shared ? (float *)malloc(room * sizeof *shared) : NULL;
        if (is_by_team(l)) run_team(a, p, l->what);
        else if (is_by_warp(l)) run_warp(a, p, l->what, warps_of(l));
        else run_problem(a, p, l->what, in_shared ? shared : a.state + j.place);
        free(shared);
    }
    ws_flush_end(before);
}
