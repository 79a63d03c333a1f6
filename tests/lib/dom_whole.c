/* SPDX-License-Identifier: MIT
 * Whole targets: what ws_dom_align makes of a list against the definition, which has subnormal numbers and no blocks.
 * Targets with several domains make the second and the third way run (WARPSIEVE_SEED). A real model gets six of these,
 * with WARPSIEVE_SLOW no other targets. With WARPSIEVE_TESTS=quick it gets other kinds once in place of six times, and
 * each backend computes two of three with blocks or without. HMMER's alignments of such targets: tests/hmmfit.bats. */
#include "kernels/dom/kernel.h"
#include "kernels/dom/ref.h"
#include "kernels/dom/whole.h"
#include "lib/simd/flush.h"
#include "tests/lib/worked.h"

enum { KINDS = 7, SEVERAL = KINDS - 1 }; /* of targets; the last is of several whole domains */
enum { TARGETS = 3 * KINDS };            /* no multiple of what is computed side by side */

typedef struct model {
    ws_hmm *h;
    ws_profile p;
    ws_dom_tables *t;
} model;

/* Makes target j: none, a residue, chance, repeats, codes that no match emits, homologs, parts of them, and several. */
static uint32_t make_target(uint8_t **to, const model *m, sample *r, int j) {
    ws_err err = {0};
    const int M = m->h->M, kind = j % KINDS;
    const uint32_t part = kind == SEVERAL ? (uint32_t)M : (uint32_t)(1 + sample_below(r, 2 * M));
    const uint32_t many = (uint32_t)(kind < 5 ? 1 : 2 + sample_below(r, 3));
    const uint32_t gap = (uint32_t)sample_below(r, 60), L = j == 0 ? 0 : j == 1 ? 1 : many * (part + gap);
    const uint8_t same = (uint8_t)sample_below(r, m->h->abc->K);
    uint8_t *x = *to = ws_calloc((size_t)L + 1, 1, &err);
    for (uint32_t i = 0; i < L; i++)
        x[i] = kind == 3 ? same : kind == 4 ? (uint8_t)sample_below(r, m->h->abc->Kp) : sample_residue(r, m->h->abc);
    for (uint32_t d = 0; d < many && L > 1 && (kind < 2 || kind > 4); d++)
        sample_homolog(r, m->h, x + d * (part + gap), part);
    return L;
}

static int same_bits(const float *a, const float *b, size_t n) { return n == 0 || memcmp(a, b, n * sizeof *a) == 0; }

static int same_fit(const ws_dom_fit *a, const ws_dom_fit *b) {
    if (a->range || b->range) return a->range == b->range;
    return a->accuracy == b->accuracy && a->i_from == b->i_from && a->i_to == b->i_to && a->k_from == b->k_from &&
           a->k_to == b->k_to && a->ncolumn == b->ncolumn && memcmp(a->column, b->column, a->ncolumn) == 0 &&
           same_bits(a->posterior, b->posterior, a->ncolumn);
}

/* Posteriors may differ where flushed numbers have a share of them that no output shows. */
static int as_good(float a, float b) { return a == b || fabsf(a - b) <= 1e-12f; }

static int same_whole(const ws_dom_whole *a, const ws_dom_fit *f) {
    if (a->i_from != f->i_from || a->i_to != f->i_to || a->k_from != f->k_from || a->k_to != f->k_to) return 0;
    if (a->ncolumn != f->ncolumn || memcmp(a->column, f->column, f->ncolumn) != 0) return 0;
    for (uint32_t c = 0; c < f->ncolumn; c++)
        if (!as_good(a->posterior[c], f->posterior[c])) return 0;
    return 1;
}

typedef struct counts {
    int fits, rows, alignments, ways[WS_DOM_WAYS], n;
    int logs;           /* whether targets whose odds are in range are fitted in logarithms too */
    int twice, paths;   /* how many were, and those of them with another path */
    float apart;        /* the most that a posterior differs there */
} counts;

static int in_range(const ws_dom_fit *f) { return !f->range && !isnan(ws_dom_forward_nats(&f->p)) && f->i_to > 0; }

/* Fits a target by the definition and by a backend, both with subnormal numbers. */
static int compare_fit(const model *m, ws_dom_worker *w, const ws_dom_backend *be, const ws_dom_whole *a,
                       ws_dom_mode mode, ws_dom_fit *f, ws_dom_row *row) {
    ws_err err = {0};
    const size_t rows = (size_t)a->L + 1;
    ws_dom_problem p = {.x = a->x, .L = a->L, .mode = mode, .f = row, .b = row + rows};
    ws_dom_fit g = {.whole = 1, .p = p}, *list[2] = {f, &g};
    *f = g;
    f->p.f = row + 2 * rows, f->p.b = row + 3 * rows;
    sample_must(ws_dom_ref_fit(m->t, w, &list[0], 1, &err), &err);
    w->subnormals = 1;
    sample_must(be->fit(m->t, w, &list[1], 1, &err), &err);
    w->subnormals = 0;
    const int same = same_fit(f, &g);
    ws_free(g.column), ws_free(g.posterior);
    return same;
}

/* Fits a target in logarithms whose odds are in range, which no step of ws_dom_align does, and compares it with f. */
static void compare_logs(const model *m, ws_dom_worker *w, const ws_dom_fit *f, counts *c) {
    ws_dom_fit g = {.whole = 1, .p = f->p};
    uint8_t *outside;
    ws_err err = {0};
    sample_must(ws_dom_fit_logs(&m->p, w, &g, &outside, &err), &err);
    int same = g.ncolumn == f->ncolumn && g.i_from == f->i_from && g.k_from == f->k_from;
    for (uint32_t j = 0; j < f->ncolumn && same; j++) same = ((g.column[j] ^ f->column[j]) & WS_COLUMN_STATE) == 0;
    c->twice++;
    c->paths += !same;
    for (uint32_t j = 0; j < f->ncolumn && same; j++)
        c->apart = fmaxf(c->apart, fabsf(g.posterior[j] - f->posterior[j]));
    ws_free(g.column), ws_free(g.posterior), ws_free(outside);
}

/* Compares rows where a domain begins with odds of 1e-36: all cells of many of them are subnormal. */
static int same_subnormals(const model *m, ws_dom_worker *w, const ws_dom_backend *be, const ws_dom_whole *a,
                           ws_dom_row *row) {
    const ws_dom_mode tiny = {.pmove = 1e-36f, .ploop = 1.0f, .eC = 1.0f};
    const size_t rows = (size_t)a->L + 1;
    ws_dom_fit f = {0};
    (void)compare_fit(m, w, be, a, tiny, &f, row);
    ws_free(f.column), ws_free(f.posterior);
    return same_bits(&row->E, &row[2 * rows].E, 16 * rows);
}

/* Compares targets of each kind from `first` on, `each` of them, but three of several domains; of all kinds also their
 * rows of subnormal numbers. */
static void compare(const model *m, ws_dom_worker *w, const ws_dom_backend *be, int first, int each, sample *r,
                    counts *c) {
    ws_dom_whole a[TARGETS] = {{0}};
    uint8_t *x[TARGETS];
    ws_err err = {0};
    int n = 0;
    for (int j = 0; j < TARGETS; j++)
        if (j % KINDS == SEVERAL || (j % KINDS >= first && j >= TARGETS - each * KINDS)) {
            a[n].L = make_target(&x[n], m, r, j);
            a[n].x = x[n];
            n++;
        }
    sample_must(ws_dom_align(m->t, &m->p, w, a, (size_t)n, &err), &err);
    for (int j = 0; j < n; j++) {
        ws_dom_row *row = ws_calloc(4 * ((size_t)a[j].L + 1), sizeof *row, &err);
        ws_dom_fit f = {0};
        c->n++;
        c->ways[a[j].way]++;
        if (a[j].L == 0) {
            c->alignments += a[j].column != NULL || a[j].i_to != 0;
        } else {
            if (first == 0) c->rows += !same_subnormals(m, w, be, &a[j], row);
            c->fits += !compare_fit(m, w, be, &a[j], ws_dom_unihit(a[j].L), &f, row);
            /* logarithms where the odds are out of range, and nowhere else */
            const int odds = in_range(&f);
            c->alignments += odds != (a[j].way != WS_DOM_BY_LOGARITHMS) || (odds && !same_whole(&a[j], &f));
            if (odds && c->logs) compare_logs(m, w, &f, c);
        }
        ws_free(f.column), ws_free(f.posterior), ws_free(row), ws_free(x[j]);
        ws_dom_whole_release(&a[j]);
    }
}

static void open_model(model *m, ws_hmm *h) {
    ws_err err = {0};
    m->h = h;
    sample_must(ws_profile_create(&m->p, h, &err), &err);
    sample_must(ws_dom_tables_create(&m->t, &m->p, 0.0f, 0.0f, &err), &err);
}

static void close_model(model *m) {
    ws_dom_tables_destroy(m->t);
    ws_profile_destroy(&m->p);
}

static void test_backend(tap *tp, const ws_dom_backend *be, int width, sample *r) {
    static const int size[] = {1, 2, 3, 4, 5, 9, 16, 33, 65};
    static const char *const real[] = {"tests/data/golden/models/LuxC.hmm.gz", "tests/data/demo.hmm",
                                       "tests/data/globins4.hmm"};
    const int slow = tap_slow(), quick = tap_quick();
    counts c = {.logs = strcmp(be->name, "scalar") == 0}; /* no backend has a part in logarithms */
    ws_err err = {0};
    for (int blocks = 0; blocks < 2; blocks++) {
        const ws_dom_options options = {.plain = blocks ? 20000 : 0};
        ws_dom_worker *w;
        sample_must(ws_dom_worker_create(&w, be, &options, &err), &err);
        for (size_t s = 0; s < sizeof size / sizeof *size; s++) {
            ws_hmm h;
            model m;
            sample_model(&h, r, size[s], s % 3 ? 0 : 0.02);
            open_model(&m, &h);
            compare(&m, w, be, 0, 3, r, &c);
            close_model(&m);
            sample_model_release(&h);
        }
        for (size_t s = 0; s < (slow ? 1 : sizeof real / sizeof *real); s++) {
            ws_hmmset set;
            model m;
            if (quick && s && ((size_t)(width + blocks) + s) % 2) continue; /* the first needs logarithms most often */
            sample_must(hmm_read(&set, real[s], 1, &err), &err);
            open_model(&m, &set.hmm[0]);
            for (int round = 0; round < 2; round++)
                compare(&m, w, be, slow || (quick && round) ? SEVERAL : 0, quick ? 1 : 3, r, &c);
            close_model(&m);
            ws_hmmset_release(&set);
        }
        ws_dom_worker_destroy(w);
    }
    tap_note("%s: %d targets, %d with subnormal numbers, %d in logarithms", be->name, c.n,
             c.ways[WS_DOM_BY_SUBNORMALS], c.ways[WS_DOM_BY_LOGARITHMS]);
    tap_ok(tp, c.fits == 0, "%s: %d of %d fits with subnormal numbers differ from the definition", be->name, c.fits,
           c.n);
    tap_ok(tp, c.rows == 0, "%s: %d of %d targets have other rows of subnormal numbers", be->name, c.rows, c.n);
    tap_ok(tp, c.alignments == 0, "%s: %d of %d alignments differ from the definition", be->name, c.alignments,
           c.n);
    if (c.logs) {
        tap_note("in logarithms a posterior differs by %.2g at most", (double)c.apart);
        tap_ok(tp, c.twice > 0 && c.paths * 10 <= c.twice, "%d of %d targets have another path in logarithms", c.paths,
               c.twice);
        tap_ok(tp, c.apart < 0.05f, "posteriors in logarithms are those of the definition");
    }
    tap_ok(tp, c.ways[WS_DOM_BY_SUBNORMALS] > 0 && c.ways[WS_DOM_BY_LOGARITHMS] > 0, "%s: all ways were met",
           be->name);
}

/* One residue, in logarithms: a path is B, M of a node k, perhaps D of the nodes behind it, E. Most paths end in D. */
static void test_one_residue(tap *tp, const ws_dom_backend *be, sample *r) {
    const ws_dom_options options = {.plain = 0};
    ws_dom_worker *w;
    ws_err err = {0};
    float worst = 0;
    sample_must(ws_dom_worker_create(&w, be, &options, &err), &err);
    for (int M = 2; M <= 9; M++) {
        ws_hmm h;
        model m;
        sample_model(&h, r, M, 0);
        open_model(&m, &h);
        for (int k = 1; k < M; k++) m.p.tr[WS_PMD][k] = -0.1f * (float)k, m.p.tr[WS_PDD][k] = -0.5f / (float)k;
        const uint8_t x = sample_residue(r, h.abc);
        double ends = 1, sum = 0, most = 0; /* ends: of the paths behind D, by their way to E */
        for (int k = M; k >= 1; k--) {
            const double behind = k < M ? 1 + exp((double)m.p.tr[WS_PMD][k]) * ends : 1;
            const double path = exp((double)m.p.score[(size_t)x * ((size_t)M + 1) + (size_t)k]) *
                                exp((double)m.p.tr[WS_PBM][k]) * behind;
            sum += path;
            most = fmax(most, path);
            if (k < M) ends = 1 + exp((double)m.p.tr[WS_PDD][k]) * ends;
        }
        ws_dom_fit f = {.whole = 1, .p = {.x = &x, .L = 1, .mode = ws_dom_unihit(1)}};
        uint8_t *outside;
        sample_must(ws_dom_fit_logs(&m.p, w, &f, &outside, &err), &err);
        worst = fmaxf(worst, f.ncolumn == 1 ? fabsf(f.posterior[0] - (float)(most / sum)) : 1.0f);
        ws_free(f.column), ws_free(f.posterior), ws_free(outside);
        close_model(&m);
        sample_model_release(&h);
    }
    tap_ok(tp, worst < 0.003f, "one residue in logarithms: the posterior is the path's share, within %.2g",
           (double)worst);
    ws_dom_worker_destroy(w);
}

/* One residue that two nodes emit alike, in logarithms: of matches that are equally good the last one counts. */
static void test_tie(tap *tp, const ws_dom_backend *be, sample *r) {
    enum { M = 2 };
    const ws_dom_options options = {.plain = 0};
    ws_dom_worker *w;
    ws_err err = {0};
    ws_hmm h;
    model m;
    sample_must(ws_dom_worker_create(&w, be, &options, &err), &err);
    sample_model(&h, r, M, 0);
    open_model(&m, &h);
    const uint8_t x = sample_residue(r, h.abc);
    float *score = &m.p.score[(size_t)x * (M + 1)];
    score[2] = score[1];
    m.p.tr[WS_PBM][2] = m.p.tr[WS_PBM][1];
    m.p.tr[WS_PMD][1] = -INFINITY;
    ws_dom_fit f = {.whole = 1, .p = {.x = &x, .L = 1, .mode = ws_dom_unihit(1)}};
    uint8_t *outside;
    sample_must(ws_dom_fit_logs(&m.p, w, &f, &outside, &err), &err);
    tap_ok(tp, f.ncolumn == 1 && f.k_from == 2 && fabsf(f.posterior[0] - 0.5f) < 1e-3f,
           "one residue that two nodes emit alike is aligned to the last: node %d, %g", (int)f.k_from,
           f.ncolumn ? (double)f.posterior[0] : 0.0);
    ws_free(f.column), ws_free(f.posterior), ws_free(outside);
    close_model(&m);
    sample_model_release(&h);
    ws_dom_worker_destroy(w);
}

int main(void) {
    static const ws_dom_backend *const all[] = {WS_BY_WIDTH(ws_dom_)};
    tap t = {0};
    ws_cpu cpu;
    sample r = worked_seed();
    ws_cpu_probe(&cpu);
    if (tap_slow()) tap_note("ran a part only, because the build is slow: of a real model targets of several domains");
    test_one_residue(&t, all[WS_NWIDTH - 1], &r);
    test_tie(&t, all[WS_NWIDTH - 1], &r);
    for (int w = WS_NWIDTH - 1; w >= 0; w--) {
        if (!cpu.why_not[w]) test_backend(&t, all[w], w, &r);
        else tap_skip(&t, all[w]->name, cpu.why_not[w]);
    }
    return tap_end(&t);
}
