/* SPDX-License-Identifier: MIT
 * The domain stage's backends against the scalar one: every row, cell, trace and fit, bit for bit, whatever is side by
 * side.
 *
 * Models and targets are random (WARPSIEVE_SEED); sizes are the corners of lanes and registers. */
#include "kernels/dom/kernel.h"
#include "lib/simd/flush.h"
#include "tests/lib/worked.h"

enum { PROBLEMS = 11 };

typedef struct bench {
    ws_dom_problem p[PROBLEMS], *list[PROBLEMS];
    uint8_t *x[PROBLEMS];
    ws_dom_row *rows[PROBLEMS];
    float *cells[PROBLEMS], *memory[PROBLEMS], *ends[PROBLEMS];
    size_t ncell[PROBLEMS];
} bench;

/* Homologs, chance, repeats of one residue, and what no match state emits. */
static void make_problem(bench *b, int j, const ws_dom_tables *t, const ws_hmm *h, sample *r, uint32_t L, int what) {
    ws_err err = {0};
    b->x[j] = ws_calloc(L, 1, &err);
    const uint8_t same = (uint8_t)sample_below(r, 20);
    if (what == 0) sample_homolog(r, h, b->x[j], L);
    else
        for (uint32_t i = 0; i < L; i++)
            b->x[j][i] = (uint8_t)(what == 1            ? sample_below(r, 29)
                                   : what == 2          ? same
                                   : sample_below(r, 4) ? 27
                                                        : sample_residue(r, h->abc));
    b->p[j] = (ws_dom_problem){.x = b->x[j], .L = L, .mode = what & 1 ? ws_dom_unihit(2 * L) : ws_dom_multihit(2 * L)};
    b->rows[j] = ws_calloc(2 * ((size_t)L + 1), sizeof(ws_dom_row), &err);
    b->p[j].f = b->rows[j];
    b->p[j].b = b->rows[j] + L + 1;
    b->ncell[j] = WS_DOM_CELL * ((size_t)L + 1) * ((size_t)h->M + 1);
    b->memory[j] = ws_calloc(ws_dom_cell_front(h->M) + b->ncell[j] + WS_DOM_CELL_BEHIND, sizeof(float), &err);
    b->cells[j] = b->memory[j] + ws_dom_cell_front(h->M);
    b->ends[j] = b->p[j].ends = ws_calloc(((size_t)L + 1) * ws_dom_nends(t), sizeof(float), &err);
    b->list[j] = &b->p[j];
}

static void release(bench *b) {
    for (int j = 0; j < PROBLEMS; j++) {
        ws_free(b->x[j]);
        ws_free(b->rows[j]);
        ws_free(b->memory[j]);
        ws_free(b->ends[j]);
    }
}

/* Bits, but one NaN is as good as another and so are both zeros. */
static int same_floats(const float *a, const float *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))) return 0;
    return 1;
}

static int same_rows(const ws_dom_row *a, const ws_dom_row *b, size_t n) { return same_floats(&a->E, &b->E, 8 * n); }

static int compare_parse(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_backend *be, const ws_hmm *h, sample *r,
                         int keep) {
    bench a = {0}, b = {0};
    ws_err err = {0};
    int bad = 0;
    sample again = *r;
    for (int j = 0; j < PROBLEMS; j++) {
        static const uint32_t length[PROBLEMS] = {1, 2, 3, 16, 17, 40, 90, 90, 150, 333, 1};
        make_problem(&a, j, t, h, r, length[j], j % 4);
        make_problem(&b, j, t, h, &again, length[j], j % 4);
        if (!keep) continue;
        a.p[j].cell = a.cells[j];
        b.p[j].cell = b.cells[j];
        a.p[j].b = b.p[j].b = NULL;
    }
    sample_must(ws_dom_scalar.parse(t, w, a.list, PROBLEMS, &err), &err);
    sample_must(be->parse(t, w, b.list, PROBLEMS, &err), &err);
    for (int j = 0; j < PROBLEMS; j++) {
        const size_t rows = (size_t)a.p[j].L + 1;
        bad += !same_rows(a.p[j].f, b.p[j].f, rows);
        if (!keep) bad += !same_rows(a.p[j].b, b.p[j].b, rows) || a.p[j].own != b.p[j].own;
        else bad += !same_floats(a.cells[j], b.cells[j], a.ncell[j]);
    }
    release(&a);
    release(&b);
    return bad;
}

/* 200 traces of each matrix by both, from the same rows and cells; and the clusters of their segments. */
static int compare_samples(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_backend *be, const ws_hmm *h,
                           sample *r, int *labels) {
    bench a = {0};
    ws_err err = {0};
    ws_dom_sample one = {0}, two = {0};
    int bad = 0;
    for (int j = 0; j < PROBLEMS; j++) {
        make_problem(&a, j, t, h, r, (uint32_t)(1 + 17 * j), 0);
        a.p[j].mode = ws_dom_multihit(a.p[j].L);
        a.p[j].cell = a.cells[j];
        a.p[j].b = NULL;
    }
    sample_must(be->parse(t, w, a.list, PROBLEMS, &err), &err);
    for (int j = 0; j < PROBLEMS; j++) {
        const int first = ws_dom_scalar.sample(t, w, &a.p[j], 42, &one, &err),
                  second = be->sample(t, w, &a.p[j], 42, &two, &err);
        bad += first != second || one.n != two.n || one.draws != two.draws;
        if (first != WS_OK || second != WS_OK || one.n != two.n) continue;
        bad += memcmp(one.segment, two.segment, one.n * sizeof *one.segment) != 0;
        bad += !same_floats(one.n2 + 1, two.n2 + 1, a.p[j].L);
        uint32_t *label = ws_calloc(2 * one.n, sizeof *label, &err), clusters[2];
        sample_must(ws_dom_scalar.label(w, &one, a.p[j].L, label, &clusters[0], &err), &err);
        sample_must(be->label(w, &one, a.p[j].L, label + one.n, &clusters[1], &err), &err);
        sample_must(ws_dom_number_clusters(w, &one, label + one.n, clusters[1], &err), &err);
        *labels += clusters[0] != clusters[1] || memcmp(label, label + one.n, one.n * sizeof *label) != 0;
        ws_free(label);
    }
    ws_free(one.segment), ws_free(one.n2), ws_free(two.segment), ws_free(two.n2);
    release(&a);
    return bad;
}

/* Weights whose border lies within some units of the last place of a deviate, of C (the first), of E (the second) and
 * of M (the third): what a comparison in single precision cannot decide. u: the first three deviates of seed 42. */
enum { BORDER_C, BORDER_E, BORDER_M, NBORDER };

static int sample_border(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_backend *be, int which, float share,
                         ws_dom_sample *s) {
    ws_err err = {0};
    const size_t front = ws_dom_cell_front(t->M), row = WS_DOM_CELL * 3;
    ws_dom_row f[3] = {{.N = 1, .B = 1, .s = 1}, {.E = 1, .N = 1, .B = 1, .s = 1}, {.E = 1, .N = 1, .B = 1, .s = 1}};
    const uint8_t x[2] = {0, 0};
    float *memory = ws_calloc(front + 3 * row + WS_DOM_CELL_BEHIND, sizeof *memory, &err), *cell = memory + front;
    float ends[3 * 4] __attribute__((aligned(64))) = {[2 * 4] = 1}; /* the sum of row 2, whose weights are one block */
    ws_dom_problem p = {.x = x, .L = 2, .mode = {.pmove = 1, .ploop = 1, .eC = 1}, .f = f, .cell = cell, .ends = ends};
    f[1].C = which == BORDER_C ? share / (1 - share) : 1e-20f;
    cell[2 * row + WS_DOM_CELL * 2] = which == BORDER_E ? 1 - share : 1;
    cell[2 * row + WS_DOM_CELL] = which == BORDER_E ? share : 0;
    f[1].B = which == BORDER_M ? share / t->node[WS_PBM][2] : 1;
    cell[row + WS_DOM_CELL] = which == BORDER_M ? (1 - share) / t->node[WS_PMM][1] : 0;
    const int rc = be->sample(t, w, &p, 42, s, &err);
    ws_free(memory);
    return rc;
}

/* *both: places where the definition's choice changes. */
static int compare_borders(const ws_dom_backend *be, ws_dom_worker *w, int *both) {
    static const float u[NBORDER] = {0.10076650f, 0.84135582f, 0.60490324f};
    sample r = {7};
    ws_err err = {0};
    ws_hmm h;
    ws_profile p;
    ws_dom_tables *t;
    ws_dom_sample one = {0}, two = {0};
    int bad = 0;
    sample_model(&h, &r, 2, 0);
    sample_must(ws_profile_create(&p, &h, &err), &err);
    sample_must(ws_dom_tables_create(&t, &p, -4.0f, 0.7f, &err), &err);
    for (int which = 0; which < NBORDER; which++) {
        uint64_t draws = 0;
        uint32_t first = 0;
        float share = u[which];
        for (int step = 0; step < 60; step++) share = nextafterf(share, 0);
        for (int step = 0; step < 120; step++, share = nextafterf(share, 1)) {
            const int a = sample_border(t, w, &ws_dom_scalar, which, share, &one);
            const int b = sample_border(t, w, be, which, share, &two);
            bad += a != b || one.draws != two.draws || one.n != two.n ||
                   memcmp(one.segment, two.segment, one.n * sizeof *one.segment) != 0;
            const uint32_t k = one.n ? one.segment[0].k * 8 + one.segment[0].m : 0;
            *both += step > 0 && (draws != one.draws || first != k);
            draws = one.draws, first = k;
        }
    }
    ws_free(one.segment), ws_free(one.n2), ws_free(two.segment), ws_free(two.n2);
    ws_dom_tables_destroy(t);
    ws_profile_destroy(&p);
    sample_model_release(&h);
    return bad;
}

static int same_fit(const ws_dom_fit *a, const ws_dom_fit *b, int Kp) {
    if (a->range != b->range) return 0;
    if (a->range) return 1;
    return a->accuracy == b->accuracy && same_floats(a->null2, b->null2, (size_t)Kp) && a->i_from == b->i_from &&
           a->i_to == b->i_to && a->k_from == b->k_from && a->k_to == b->k_to && a->ncolumn == b->ncolumn &&
           (a->ncolumn == 0 || memcmp(a->column, b->column, a->ncolumn) == 0);
}

/* Envelopes, side by side. */
static int compare_fits(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_backend *be, const ws_hmm *h,
                        sample *r) {
    bench a = {0}, b = {0};
    ws_dom_fit f[2][PROBLEMS], *list[2][PROBLEMS];
    ws_err err = {0};
    sample again = *r;
    int bad = 0;
    for (int j = 0; j < PROBLEMS; j++) {
        const uint32_t L = (uint32_t)(1 + 13 * j);
        make_problem(&a, j, t, h, r, L, j % 4);
        make_problem(&b, j, t, h, &again, L, j % 4);
        f[0][j] = (ws_dom_fit){.p = a.p[j]}, f[1][j] = (ws_dom_fit){.p = b.p[j]};
        f[0][j].p.mode = f[1][j].p.mode = ws_dom_unihit(3 * L);
        for (int v = 0; v < 2; v++) list[v][j] = &f[v][j];
    }
    sample_must(ws_dom_scalar.fit(t, w, list[0], PROBLEMS, &err), &err);
    sample_must(be->fit(t, w, list[1], PROBLEMS, &err), &err);
    for (int j = 0; j < PROBLEMS; j++) {
        bad += !same_fit(&f[0][j], &f[1][j], t->Kp);
        for (int v = 0; v < 2; v++) ws_free(f[v][j].column);
    }
    release(&a);
    release(&b);
    return bad;
}

static void test_backend(tap *tp, const ws_dom_backend *be, sample *r) {
    static const int size[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 100, 129, 260};
    const ws_dom_options options = {.seed = 42};
    ws_err err = {0};
    ws_dom_worker *w;
    int parsers = 0, matrices = 0, samples = 0, labels = 0, fits = 0, n = 0;
    sample_must(ws_dom_worker_create(&w, be, &options, &err), &err);
    const uint32_t before = ws_flush_begin();
    for (size_t m = 0; m < sizeof size / sizeof size[0]; m++) {
        ws_hmm h;
        ws_profile p;
        ws_dom_tables *t;
        sample_model(&h, r, size[m], m % 3 ? 0 : 0.02);
        sample_must(ws_profile_create(&p, &h, &err), &err);
        sample_must(ws_dom_tables_create(&t, &p, -4.0f, 0.7f, &err), &err);
        parsers += compare_parse(t, w, be, &h, r, 0);
        matrices += compare_parse(t, w, be, &h, r, 1);
        samples += compare_samples(t, w, be, &h, r, &labels);
        fits += compare_fits(t, w, be, &h, r);
        n += PROBLEMS;
        ws_dom_tables_destroy(t);
        ws_profile_destroy(&p);
        sample_model_release(&h);
    }
    int changes = 0;
    const int borders = compare_borders(be, w, &changes);
    ws_flush_end(before);
    tap_ok(tp, borders == 0 && changes >= NBORDER, "%s: %d choices at a border differ from scalar (%d borders met)",
           be->name, borders, changes);
    tap_ok(tp, parsers == 0, "%s: %d of %d parsers' rows differ from scalar", be->name, parsers, n);
    tap_ok(tp, matrices == 0, "%s: %d of %d matrices differ from scalar", be->name, matrices, n);
    tap_ok(tp, samples == 0, "%s: %d of %d ensembles differ from scalar", be->name, samples, n);
    tap_ok(tp, labels == 0, "%s: clusters of %d of %d ensembles differ from scalar", be->name, labels, n);
    tap_ok(tp, fits == 0, "%s: %d of %d envelopes differ from scalar", be->name, fits, n);
    ws_dom_worker_destroy(w);
}

int main(void) {
    static const ws_dom_backend *const all[] = {WS_BY_WIDTH(ws_dom_)};
    tap t = {0};
    ws_cpu cpu;
    sample r = worked_seed();
    ws_cpu_probe(&cpu);
    if (WS_WIDTH_scalar == 0) tap_skip(&t, "vector widths equal scalar", "this build has none");
    for (int w = WS_WIDTH_scalar - 1; w >= 0; w--) {
        if (!cpu.why_not[w]) test_backend(&t, all[w], &r);
        else tap_skip(&t, all[w]->name, cpu.why_not[w]);
    }
    return tap_end(&t);
}
