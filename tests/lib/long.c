/* SPDX-License-Identifier: MIT
 * kernels/long by hand: MAXL, blocks, windows, splitting, options at their ends.
 * tests/lib/long_golden.c has HMMER's values. */
#include "kernels/long/search.h"
#include "tests/lib/hmmread.h"
#include "tests/lib/longcase.h"

#include <math.h>

#define MADE1 "tests/data/golden/dna-models/MADE1.hmm.gz"

typedef struct made {
    ws_hmmset set;
    ws_profile profile;
    ws_long_model model;
} made;

static void open_made(made *m, const ws_long_options *o) {
    ws_err err = {0};
    must(hmm_read(&m->set, MADE1, 1, &err), &err);
    must(ws_profile_create(&m->profile, m->set.hmm, &err), &err);
    must(ws_long_model_create(&m->model, m->set.hmm, &m->profile, o, &err), &err);
}

static void close_made(made *m) {
    ws_long_model_destroy(&m->model);
    ws_profile_destroy(&m->profile);
    ws_hmmset_release(&m->set);
}

/* MADE1's file says 426, which hmmbuild found with beta = 1e-7. */
static void test_maxl(tap *t) {
    ws_long_options o = WS_LONG_DEFAULTS;
    uint32_t from_file, by_beta, loose, given, one;
    ws_err err = {0};
    ws_hmmset set, small;
    must(hmm_read(&set, MADE1, 1, &err), &err);
    ws_hmm h = set.hmm[0];
    must(ws_long_maxl(&h, &o, &from_file, &err), &err);
    h.maxl = 0;
    must(ws_long_maxl(&h, &o, &by_beta, &err), &err);
    o.w_beta = 1e-3;
    must(ws_long_maxl(&h, &o, &loose, &err), &err);
    o.w_length = 200;
    must(ws_long_maxl(&h, &o, &given, &err), &err);
    tap_ok(t, from_file == 426 && by_beta == 426 && given == 200,
           "MAXL of the file, by beta 1e-7, and as given: %u %u %u", from_file, by_beta, given);
    tap_ok(t, loose > 80 && loose < 426, "MAXL by beta 1e-3 is shorter: %u", loose);
    must(hmm_read(&small, "tests/data/golden/models/M1.hmm.gz", 1, &err), &err);
    must(ws_long_maxl(small.hmm, &(ws_long_options)WS_LONG_DEFAULTS, &one, &err), &err);
    tap_ok(t, small.hmm->M == 1 && one == (small.hmm->maxl ? (uint32_t)small.hmm->maxl : 1), "MAXL of one node: %u",
           one);
    ws_hmmset_release(&small);
    ws_hmmset_release(&set);
}

/* Four nodes whose deletions often last: instances of two residues that end in a deletion count. A second
 * implementation gave the lengths, with doubles. */
static void test_short(tap *t) {
    static const struct {
        double beta;
        uint32_t maxl;
    } want[] = {{1e-3, 31}, {1e-4, 40}, {1e-5, 50}, {1e-7, 67}};
    ws_hmm h = {.M = 4, .abc = ws_abc_get(WS_ABC_DNA)};
    ws_err err = {0};
    must(ws_hmm_alloc(&h, &err), &err);
    for (int k = 0; k <= h.M; k++) {
        float *tr = h.tr + (size_t)k * WS_NTRANS;
        tr[WS_TMM] = tr[WS_TMI] = tr[WS_TIM] = tr[WS_TDM] = 0.25f;
        tr[WS_TMD] = 0.5f;
        tr[WS_TII] = tr[WS_TDD] = 0.75f;
    }
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const ws_long_options o = {.w_beta = want[i].beta};
        uint32_t maxl;
        must(ws_long_maxl(&h, &o, &maxl, &err), &err);
        tap_ok(t, maxl == want[i].maxl, "MAXL of four nodes by beta %g: %u", want[i].beta, maxl);
    }
    ws_hmm_release(&h);
}

/* A model whose inserts hardly end, so that MAXL is the limit: 20 M, but no more than 100,000. */
static void test_longest(tap *t) {
    static const int nodes[] = {40, 5001};
    const ws_long_options o = {.w_beta = 1e-300};
    ws_err err = {0};
    for (int m = 0; m < 2; m++) {
        ws_hmm h = {.M = nodes[m], .abc = ws_abc_get(WS_ABC_DNA)};
        uint32_t maxl;
        must(ws_hmm_alloc(&h, &err), &err);
        for (int k = 0; k <= h.M; k++) {
            float *tr = h.tr + (size_t)k * WS_NTRANS;
            tr[WS_TMM] = tr[WS_TMI] = 0.5f;
            tr[WS_TII] = 0.9999f;
            tr[WS_TIM] = 0.0001f;
            tr[WS_TDM] = 1.0f;
        }
        must(ws_long_maxl(&h, &o, &maxl, &err), &err);
        tap_ok(t, maxl == (m ? 100000 : 800), "MAXL of %d nodes is at most %u", h.M, maxl);
        ws_hmm_release(&h);
    }
}

static void test_blocks(tap *t) {
    tap_ok(t,
           ws_long_block_first(0, 100, 30) == 1 && ws_long_block_first(1, 100, 30) == 71 &&
               ws_long_block_first(2, 100, 30) == 171,
           "blocks begin MAXL residues before their new ones");
    tap_ok(t,
           ws_long_block_first(1, 100, 250) == 1 && ws_long_block_first(2, 100, 250) == 1 &&
               ws_long_block_first(3, 100, 250) == 51,
           "a MAXL above the block's length takes whole blocks as context");
    tap_ok(t, ws_long_block_first(1 << 16, 1 << 16, 1) == (UINT64_C(1) << 32), "positions beyond 32 bits");
}

/* A model whose shares are exact: 8 nodes, MAXL 80; before_k = k/8 but 0 at the end, after_k = (8 - k)/8. */
static ws_long_model simple(float *before, float *after) {
    ws_long_model m = {.M = 8, .maxl = 80, .before = before, .after = after};
    for (int k = 1; k <= 8; k++) {
        before[k] = k < 8 ? (float)k / 8 : 0.0f;
        after[k] = (float)(8 - k) / 8;
    }
    return m;
}

static int is_list(const ws_long_windows *w, const ws_long_window *want, size_t n) {
    int same = w->n == n;
    for (size_t j = 0; same && j < n; j++) same = w->at[j].from == want[j].from && w->at[j].len == want[j].len;
    return same;
}

static void test_windows(tap *t) {
    float before[12] = {0}, after[12] = {0};
    const ws_long_model m = simple(before, after);
    /* nodes 3..5 from residue 500: 38 before, to one past 502 and 38 after; the next touches it, the third overlaps
     * that by one */
    ws_long_seed a[] = {{500, 5, 3}, {580, 5, 3}, {659, 5, 3}};
    ws_long_seeds seeds = {a, 1, 3};
    ws_long_windows w = {0};
    ws_err err;
    must(ws_long_extend(&m, &seeds, 2000, 0.0f, &w, &err), &err);
    tap_ok(t, is_list(&w, (ws_long_window[]){{462, 80}}, 1), "one window: %u, %u", w.at[0].from, w.at[0].len);
    seeds.n = 3;
    w.n = 0;
    must(ws_long_extend(&m, &seeds, 2000, 0.0f, &w, &err), &err);
    tap_ok(t, is_list(&w, (ws_long_window[]){{462, 80}, {542, 159}}, 2),
           "touching windows stay two, overlapping ones are one");
    w.n = 0;
    must(ws_long_extend(&m, &seeds, 690, 0.0f, &w, &err), &err);
    tap_ok(t, is_list(&w, (ws_long_window[]){{462, 80}, {542, 149}}, 2), "the end of the piece cuts");
    ws_long_seed b[] = {{20, 5, 3}, {1000, 8, 1}, {1030, 8, 1}};
    seeds = (ws_long_seeds){b, 3, 3};
    w.n = 0;
    must(ws_long_extend(&m, &seeds, 2000, 0.5f, &w, &err), &err);
    tap_ok(t, is_list(&w, (ws_long_window[]){{1, 61}, {992, 18}, {1022, 18}}, 3),
           "the beginning cuts; the last node has a tenth of MAXL before it");
    b[2].i = 1008;
    w.n = 0;
    must(ws_long_extend(&m, &seeds, 2000, 0.5f, &w, &err), &err);
    tap_ok(t, is_list(&w, (ws_long_window[]){{1, 61}, {992, 26}}, 2),
           "more than half of the shorter one, and two are one");
    b[2].i = 1009;
    w.n = 0;
    must(ws_long_extend(&m, &seeds, 2000, 0.5f, &w, &err), &err);
    tap_ok(t, w.n == 3, "half of it, and they stay two");
    ws_free(w.at);
}

static void test_split(tap *t) {
    ws_long_model m = {.maxl = 400};
    ws_long_windows w = {0};
    ws_err err;
    must(ws_grow(&w.at, &w.cap, 3, sizeof *w.at, &err), &err);
    w.n = 3;
    w.at[0] = (ws_long_window){11, 80000};
    w.at[1] = (ws_long_window){1001, 170000};
    w.at[2] = (ws_long_window){5, 7};
    must(ws_long_split(&m, &w, &err), &err);
    tap_ok(t, is_list(&w, (ws_long_window[]){{11, 80000}, {1001, 80000}, {5, 7}, {80601, 80000}, {160201, 10800}}, 5),
           "windows above 80000 residues are split, the further ones stand at the end");
    m.maxl = 50000;
    w.n = 1;
    w.at[0] = (ws_long_window){1, 80001};
    must(ws_long_split(&m, &w, &err), &err);
    tap_ok(t, is_list(&w, (ws_long_window[]){{1, 80000}, {40001, 40001}}, 2),
           "two of them share at most 40000 residues");
    ws_free(w.at);
}

/* With F1 = 1 every row is found, with F2 = 1 the threshold is 0, as x86 converts minus infinity. */
static void test_extremes(tap *t) {
    ws_long_options o = WS_LONG_DEFAULTS;
    made m;
    uint8_t x[40], cell[81];
    ws_long_seeds seeds = {0};
    ws_lenmodel lm;
    ws_long_vit v;
    ws_long_msv msv;
    ws_err err;
    o.F1 = o.F2 = 1.0;
    o.nobias = 1;
    open_made(&m, &o);
    for (int i = 0; i < 40; i++) x[i] = (uint8_t)(i * 7 % 4);
    must(ws_long_diagonals_ref(&m.model, x, 40, cell, &seeds, &err), &err);
    uint32_t last = 0;
    int ordered = 1;
    for (size_t j = 0; j < seeds.n; j++) {
        const uint32_t end = seeds.at[j].i + (uint32_t)seeds.at[j].len;
        ordered &= end >= last && seeds.at[j].k >= 1 && seeds.at[j].k <= 80;
        last = end;
    }
    tap_ok(t, m.model.threshold == 0 && seeds.n > 10 && ordered,
           "F1 = 1: a diagonal in every row that no diagonal holds: %zu", seeds.n);
    ws_lenmodel_set(&lm, 40);
    ws_long_vit_set(&m.model, &lm, 0.0f, &v);
    tap_ok(t, v.threshold == 0, "F2 = 1: the threshold is 0");
    ws_long_test_msv(&m.model, &lm, -INFINITY, 0.0f, &msv);
    tap_ok(t, msv.passes && msv.bias_nats == 0.0f && msv.filter_nats == lm.null_nats,
           "no bias test: the null score and no bias");
    close_made(&m);
    ws_free(seeds.at);
}

int main(void) {
    tap t = {0};
    test_maxl(&t);
    test_short(&t);
    test_longest(&t);
    test_blocks(&t);
    test_windows(&t);
    test_split(&t);
    test_extremes(&t);
    return tap_end(&t);
}
