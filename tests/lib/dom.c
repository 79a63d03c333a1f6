/* SPDX-License-Identifier: MIT
 * The domain stage: the generator, the worked example cell by cell, inputs that must not end a run, independence of
 * the rest of a list. tests/lib/dom_golden.c has HMMER's own values, tests/lib/dom_backends.c the backends. */
#include "bin/domains/steps.h"
#include "kernels/dom/ref.h"
#include "kernels/dom/window.h"
#include "lib/compress/source.h"
#include "tests/lib/worked.h"

#define FOLDER "tests/data/golden/domains/"

static char *slurp(const char *path) {
    ws_err err = {0};
    char *text;
    size_t n;
    sample_must(ws_source_slurp(path, NULL, &text, &n, &err), &err);
    return text;
}

/* ---- the generator ---- */

static void test_random(tap *t) {
    char *text = slurp(FOLDER "rng42.txt"), *p = text;
    uint32_t state = ws_dom_seeded(42);
    unsigned want;
    double u;
    int n = 0, same = sscanf(p, "x0 %u", &want) == 1 && want == state;
    for (p = strchr(p, '\n'); p && sscanf(p, "%u %lf", &want, &u) == 2; p = strchr(p + 1, '\n'), n++)
        same &= ws_dom_random(&state) == want && ws_dom_deviate(state) == u;
    tap_ok(t, same && n == 20, "the generator: %d numbers of seed 42", n);
    ws_free(text);
}

/* ---- the worked example (domains.md, section 17) ---- */

typedef struct text {
    char *p;      /* lines that are still expected */
    int met, bad;
} text;

/* Compares `line` with the next expected line that begins with the same word. */
static void expect(text *t, const char *line) {
    char *at = strstr(t->p, line);
    t->met++;
    if (!at) {
        t->bad++;
        tap_note("not there: %s", line);
        return;
    }
    t->p = at + strlen(line);
}

static char *add_cells(char *to, const char *name, const v4 *v, const ws_dom_tables *t) {
    to += sprintf(to, " %s", name);
    for (uint32_t k = 1; k <= (uint32_t)t->M; k++) {
        const size_t at = ws_dom_striped(t, k);
        to += sprintf(to, " %.7g", (double)v[at / 4].z[at % 4]);
    }
    return to;
}

static void expect_row(text *want, const ws_dom_tables *t, uint32_t i, const ref_row *r, const ws_dom_row *s) {
    char line[1024], *p = line + sprintf(line, " i=%u", i);
    p = add_cells(p, "M", r->M, t);
    p = add_cells(p + sprintf(p, " |"), "I", r->I, t);
    p = add_cells(p + sprintf(p, " |"), "D", r->D, t);
    sprintf(p, " | E %.7g N %.7g J %.7g B %.7g C %.7g s %.7g\n", (double)s->E, (double)s->N, (double)s->J, (double)s->B,
            (double)s->C, (double)s->s);
    expect(want, line);
}

/* Compares Forward's rows, then Backward's from row 0 on, in the order of the file. */
static void expect_matrices(text *want, const ws_dom_tables *t, const uint8_t *x, uint32_t L, ws_dom_mode mode) {
    v4 memory[8][6];
    ref_row row[8];
    ws_dom_row f[8], b[8];
    int own = 0;
    for (int i = 0; i < 8; i++) ws_dom_ref_row_set(&row[i], memory[i], t->Q);
    ws_dom_ref_forward_row0(t, &mode, &row[0], &f[0]);
    expect_row(want, t, 0, &row[0], &f[0]);
    for (uint32_t i = 1; i <= L; i++) {
        ws_dom_ref_forward_row(t, &mode, x[i - 1], &row[i - 1], &row[i], &f[i - 1], &f[i]);
        expect_row(want, t, i, &row[i], &f[i]);
    }
    ws_dom_ref_backward_last(t, &mode, &row[L], &f[L], &b[L]);
    for (uint32_t i = L - 1; i >= 1; i--)
        ws_dom_ref_backward_row(t, &mode, x[i], &row[i + 1], &row[i], &b[i + 1], &f[i], &own, &b[i]);
    ws_dom_ref_backward_row0(t, &mode, x[0], &row[1], &b[1], &b[0]);
    memset(memory[0], 0, sizeof memory[0]);
    for (uint32_t i = 0; i <= L; i++) expect_row(want, t, i, &row[i], &b[i]);
}

static void expect_curves(text *want, const ws_dom_worker *w, uint32_t L) {
    const float *c = (const float *)(const void *)w->scratch[WS_DOM_SUMS].p;
    for (uint32_t i = 1; i <= L; i++) {
        char line[256];
        sprintf(line, " i=%u mocc %.7g btot %.7g etot %.7g\n", i, (double)c[i], (double)c[L + 1 + i],
                (double)c[2 * (L + 1) + i]);
        expect(want, line);
    }
}

static ws_dom_tables *tables_of(const ws_profile *p, const ws_hmm *h) {
    ws_err err = {0};
    ws_dom_tables *t;
    sample_must(ws_dom_tables_create(&t, p, h->evparam[WS_FTAU], h->evparam[WS_FLAMBDA], &err), &err);
    return t;
}

static void test_worked(tap *tp) {
    const ws_dom_options options = {.seed = 42};
    ws_err err = {0};
    ws_dom_worker *w;
    worked m;
    worked_open(&m);
    ws_dom_tables *t = tables_of(&m.data.profile, &m.set.hmm[0]);
    char *file = slurp(FOLDER "worked-matrices.txt");
    text want = {.p = file};
    sample_must(ws_dom_worker_create(&w, &ws_dom_scalar, &options, &err), &err);
    for (int which = 0; which < 2; which++) {
        const size_t at = which ? WORKED_W2 : WORKED_L - 1;
        const uint8_t *x = ws_seqs_codes(&m.s.seqs, at);
        ws_dom_pair pair, *list = &pair;
        ws_dom_pair_begin(&pair, x, sample_lenmodel(&m.s, at));
        expect_matrices(&want, t, x, pair.L, ws_dom_multihit(pair.L));
        sample_must(ws_dom_parse(t, w, &list, 1, &err), &err);
        expect_curves(&want, w, pair.L);
        if (!which) expect_matrices(&want, t, x + 1, 4, ws_dom_unihit(pair.L));
        sample_must(ws_dom_score(t, w, &list, 0, &err), &err);
        ws_dom_pair_release(&pair);
    }
    tap_ok(tp, want.bad == 0 && want.met == 2 * 7 + 6 + 2 * 5 + 2 * 6 + 5, "the worked example: %d rows, %d differ",
           want.met, want.bad);
    ws_free(file);
    ws_dom_worker_destroy(w);
    ws_dom_tables_destroy(t);
    worked_close(&m);
}

/* Checks the scores of w1 (17.3). */
static void test_scores(tap *tp, const ws_dom_backend *be) {
    const ws_dom_options options = {.seed = 42};
    ws_err err = {0};
    ws_dom_worker *w;
    worked m;
    worked_open(&m);
    ws_dom_tables *t = tables_of(&m.data.profile, &m.set.hmm[0]);
    ws_dom_pair pair, *list = &pair;
    sample_must(ws_dom_worker_create(&w, be, &options, &err), &err);
    ws_dom_pair_begin(&pair, ws_seqs_codes(&m.s.seqs, WORKED_L - 1), sample_lenmodel(&m.s, WORKED_L - 1));
    sample_must(ws_dom_score(t, w, &list, 1, &err), &err);
    const ws_dom_result *h = &pair.hit;
    const ws_domain *d = h->domain;
    tap_ok(tp,
           h->status == WS_DOM_HIT && h->n == 1 && fabsf(h->bits - 10.73642f) < 1e-5f &&
               fabsf(h->pre_bits - 11.95366f) < 1e-5f && fabsf(d->bits - 10.49784f) < 1e-5f &&
               fabsf(d->correction_nats - 5.825984f) < 1e-6f && !h->reconstructed &&
               fabs(2 * exp(h->lnp) - 5.7e-5) < 1e-6,
           "w1: scores and E-value (%s)", be->name);
    static const uint8_t columns[] = {WS_COLUMN_M | WS_CODE_STAR, WS_COLUMN_M | WS_CODE_STAR,
                                      WS_COLUMN_M | WS_CODE_STAR, WS_COLUMN_M | 9};
    tap_ok(tp,
           d->ali_from == 2 && d->ali_to == 5 && d->hmm_from == 1 && d->hmm_to == 4 && d->ncolumn == 4 &&
               memcmp(d->column, columns, 4) == 0 && fabsf(d->accuracy / 4 - 0.97f) < 0.005f,
           "w1: alignment (%s)", be->name);
    ws_dom_pair_release(&pair);
    ws_dom_worker_destroy(w);
    ws_dom_tables_destroy(t);
    worked_close(&m);
}

/* ---- lists ---- */

enum { PAIRS = 23 };

static int same_target(const ws_dom_result *a, const ws_dom_result *b) {
    if (a->status != b->status || a->n != b->n || a->regions != b->regions || a->ensembles != b->ensembles ||
        a->overlaps != b->overlaps || a->envelopes != b->envelopes)
        return 0;
    if (a->status != WS_DOM_HIT) return 1;
    if (a->fwd_nats != b->fwd_nats || a->bits != b->bits || a->pre_bits != b->pre_bits || a->lnp != b->lnp ||
        a->n2_sum != b->n2_sum)
        return 0;
    for (uint32_t d = 0; d < a->n; d++) {
        const ws_domain *p = &a->domain[d], *q = &b->domain[d];
        if (p->env_from != q->env_from || p->env_to != q->env_to || p->ali_from != q->ali_from ||
            p->hmm_to != q->hmm_to || p->bits != q->bits || p->env_nats != q->env_nats ||
            p->correction_nats != q->correction_nats || p->accuracy != q->accuracy || p->ncolumn != q->ncolumn ||
            memcmp(p->column, q->column, p->ncolumn) != 0)
            return 0;
    }
    return 1;
}

/* Makes targets of one to three homologs, some of them only half, with a '*' in places. */
static void make_targets(sample *r, const ws_hmm *h, uint8_t **x, ws_lenmodel *lm) {
    ws_err err = {0};
    for (int j = 0; j < PAIRS; j++) {
        const uint32_t L = j == 0 ? 1 : j == 1 ? 2 : (uint32_t)(h->M / 2 + sample_below(r, 4 * h->M));
        if (!(x[j] = ws_calloc(L, 1, &err))) sample_must(1, &err);
        sample_homolog(r, h, x[j], L);
        for (uint32_t i = 0; i < L; i++)
            if (j % 3 && (i / 16 + (uint32_t)j) % 3 == 0) x[j][i] = sample_residue(r, h->abc);
        if (j == 7) memset(x[j], 27, L);
        if (j == 8) memset(x[j], 26, L);
        if (L > 20) x[j][sample_below(r, (int)L)] = 27;
        ws_lenmodel_set(&lm[j], L);
    }
}

static void score_list(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *pair, size_t from, size_t n, uint8_t **x,
                       const ws_lenmodel *lm) {
    ws_err err = {0};
    ws_dom_pair *list[PAIRS];
    for (size_t j = 0; j < n; j++) {
        list[n - 1 - j] = &pair[from + j];
        ws_dom_pair_begin(&pair[from + j], x[from + j], &lm[from + j]);
    }
    sample_must(ws_dom_score(t, w, list, n, &err), &err);
}

/* The pairs of a chain that has the domain stage alone. */
typedef struct list_source {
    ws_dom_steps *steps;
    ws_dom_item *item;
    size_t n;
} list_source;

static int read_list(void *own, ws_err *err) {
    list_source *s = own;
    int rc = s->n ? WS_OK : WS_EOF;
    for (; s->n && !rc; s->n--) rc = ws_dom_steps_add(s->steps, s->item++, err);
    return rc;
}

static ws_chain_wish has_room(void *own) {
    (void)own;
    return WS_CHAIN_ROOM;
}

static int stays(void *own, ws_dom_item *first, ws_err *err) {
    (void)err;
    for (const ws_dom_item *i = first; i; i = i->next) ++*(_Atomic int *)own;
    return WS_OK;
}

/* Scores the same pairs for two tables of the model on several threads; the second half of `item` must equal the
 * first. */
static int score_chain(const ws_dom_backend *be, ws_dom_tables *const *t, ws_dom_item *item, uint8_t **x,
                       const ws_lenmodel *lm) {
    ws_err err = {0};
    _Atomic int done = 0;
    const ws_dom_steps_conf conf = {
        .backend = be, .options = {.seed = 42}, .models = 2, .threads = 3, .own = (void *)&done, .done = stays};
    ws_chain_stage stage[WS_DOM_STEPS];
    list_source source = {.item = item, .n = 2 * PAIRS};
    const ws_chain_ops ops = {
        .stage = stage, .nstage = WS_DOM_STEPS, .own = &source, .wish = has_room, .read = read_list};
    ws_chain *chain;
    sample_must(ws_dom_steps_create(&source.steps, &conf, &err), &err);
    ws_dom_steps_stages(source.steps, stage);
    for (uint32_t j = 0; j < 2 * PAIRS; j++) {
        item[j] = (ws_dom_item){.tables = t[j / PAIRS], .model = j / PAIRS, .M = 100, .order = j};
        ws_dom_pair_begin(&item[j].pair, x[j % PAIRS], &lm[j % PAIRS]);
    }
    sample_must(ws_chain_create(&chain, &ops, &err), &err);
    sample_must(ws_chain_run(chain, 3, &err), &err);
    ws_chain_destroy(chain);
    ws_dom_steps_destroy(source.steps);
    return done == 2 * PAIRS;
}

/* Compares all at once with one by one, and blocks of rows with whole matrices; all are compared with scalar. */
static void test_lists(tap *tp, const ws_dom_backend *be, sample r) {
    static const int size[] = {1, 4, 6, 33, 120};
    const ws_dom_options plain = {.seed = 42}, blocks = {.seed = 42, .plain = 1};
    ws_dom_worker *w[3];
    ws_err err = {0};
    int bad = 0, hits = 0, ensembles = 0, none = 0;
    sample_must(ws_dom_worker_create(&w[0], &ws_dom_scalar, &plain, &err), &err);
    sample_must(ws_dom_worker_create(&w[1], be, &plain, &err), &err);
    sample_must(ws_dom_worker_create(&w[2], be, &blocks, &err), &err);
    for (size_t m = 0; m < sizeof size / sizeof size[0]; m++) {
        ws_hmm h;
        ws_profile p;
        uint8_t *x[PAIRS];
        ws_lenmodel lm[PAIRS];
        ws_dom_pair pair[3][PAIRS];
        ws_dom_item shared[2 * PAIRS];
        sample_model(&h, &r, size[m], m == 3 ? 0.02 : 0);
        sample_must(ws_profile_create(&p, &h, &err), &err);
        ws_dom_tables *t = tables_of(&p, &h), *twin = tables_of(&p, &h);
        make_targets(&r, &h, x, lm);
        bad += !score_chain(be, (ws_dom_tables *const[]){t, twin}, shared, x, lm);
        score_list(t, w[0], pair[0], 0, PAIRS, x, lm);
        score_list(t, w[1], pair[1], 0, PAIRS, x, lm);
        for (size_t j = 0; j < PAIRS; j++) score_list(t, w[2], pair[2], j, 1, x, lm);
        for (int j = 0; j < PAIRS; j++) {
            bad += !same_target(&pair[0][j].hit, &pair[1][j].hit) || !same_target(&pair[0][j].hit, &pair[2][j].hit);
            for (int v = 0; v < 2; v++) {
                bad += !same_target(&pair[0][j].hit, &shared[v * PAIRS + j].pair.hit);
                ws_dom_pair_release(&shared[v * PAIRS + j].pair);
            }
            hits += pair[0][j].hit.status == WS_DOM_HIT;
            none += pair[0][j].hit.status == WS_DOM_RANGE;
            ensembles += (int)pair[0][j].hit.ensembles;
            for (int v = 0; v < 3; v++) ws_dom_pair_release(&pair[v][j]);
            ws_free(x[j]);
        }
        ws_dom_tables_destroy(t);
        ws_dom_tables_destroy(twin);
        ws_profile_destroy(&p);
        sample_model_release(&h);
    }
    tap_ok(tp, bad == 0 && hits > 20 && ensembles > 5 && none >= 5,
           "lists of %d pairs: %d hits, %d ensembles, %d out of range, %d differ (%s)", PAIRS, hits, ensembles, none,
           bad, be->name);
    for (int v = 0; v < 3; v++) ws_dom_worker_destroy(w[v]);
}

/* ---- targets without an answer ---- */

static void test_limits(tap *tp, const ws_dom_backend *be, sample r) {
    const ws_dom_options none = {.seed = 42}, tight = {.seed = 42, .memory = 1000};
    ws_dom_worker *w, *v;
    ws_err err = {0};
    ws_hmm h;
    ws_profile p;
    ws_lenmodel lm, nothing;
    uint8_t x[400];
    ws_dom_pair pair[3], *list[3] = {&pair[0], &pair[1], &pair[2]};
    sample_must(ws_dom_worker_create(&w, be, &none, &err), &err);
    sample_must(ws_dom_worker_create(&v, be, &tight, &err), &err);
    sample_model(&h, &r, 40, 0);
    sample_must(ws_profile_create(&p, &h, &err), &err);
    ws_dom_tables *t = tables_of(&p, &h);
    for (int i = 0; i < 400; i += 40) sample_homolog(&r, &h, x + i, 40);
    ws_lenmodel_set(&lm, 400);
    ws_lenmodel_set(&nothing, 0);
    for (int limited = 0; limited < 2; limited++) {
        ws_dom_pair_begin(&pair[0], x, &lm);
        ws_dom_pair_begin(&pair[1], x, &nothing);
        ws_dom_pair_begin(&pair[2], x, &lm);
        sample_must(ws_dom_score(t, limited ? v : w, list, 3, &err), &err);
        const int multi = pair[0].hit.ensembles > 0;
        tap_ok(tp,
               multi && pair[0].hit.status == (limited ? WS_DOM_MEMORY : WS_DOM_HIT) &&
                   pair[1].hit.status == WS_DOM_NONE && pair[2].hit.status == pair[0].hit.status,
               "%s (%s)", limited ? "an ensemble beyond the limit is its pair's status" : "no residues are no hit",
               be->name);
        for (int j = 0; j < 3; j++) ws_dom_pair_release(&pair[j]);
    }
    sample_must(ws_dom_score(t, w, list, 0, &err), &err);
    ws_dom_tables_destroy(t);
    ws_profile_destroy(&p);
    sample_model_release(&h);
    ws_dom_worker_destroy(w);
    ws_dom_worker_destroy(v);
}

/* Compares the definition of links in single precision (domains.md, section 8.5) with that in whole numbers, for all
 * quotients near the border. */
static void test_quotients(tap *tp) {
    int bad = 0;
    for (int n = 1; n <= 4000; n++)
        for (int ov = n * 4 / 5 - 3; ov <= n * 4 / 5 + 3; ov++)
            bad += ((float)ov / (float)n >= 0.8f) != (5 * ov >= 4 * n);
    tap_ok(tp, bad == 0, "0.8 of n in single precision is 4/5 of it");
}

/* ---- paths ---- */

/* The walk's choices: nodes 1 to 3 by M of residues 1 to 3, then D of nodes 4 to 6, from which E comes. */
static int cell_of_walk(const ws_dom_choices *c, uint32_t i, uint32_t k) {
    (void)c;
    (void)i;
    return k == 1 ? WS_DOM_FROM_B : k > 4 ? WS_DOM_D_FROM_D : WS_DOM_FROM_M;
}

/* An end of one, two or three D is no part of the alignment. */
static void test_ends(tap *tp) {
    const ws_dom_options options = {.seed = 42};
    ws_err err = {0};
    ws_dom_worker *w;
    ws_dom_visit *visit;
    size_t n;
    int good = 1;
    sample_must(ws_dom_worker_create(&w, &ws_dom_scalar, &options, &err), &err);
    for (uint32_t last = 4; last <= 6; last++) {
        const ws_dom_step step[4] = {[1] = {.b_from_n = 1}, [0] = {.b_from_n = 1},
                                     [3] = {.e_node = last, .e_state = WS_COLUMN_D, .c_from_e = 1}};
        const ws_dom_choices c = {.cell = cell_of_walk, .step = step};
        sample_must(ws_dom_walk(w, &c, 3, 6, &visit, &n, &err), &err);
        good &= n == 3;
        for (uint32_t i = 0; i < n; i++)
            good &= visit[i].state == WS_COLUMN_M && visit[i].i == i + 1 && visit[i].k == i + 1;
    }
    tap_ok(tp, good, "an alignment ends with its last M, however many D stand behind");
    ws_dom_worker_destroy(w);
}

/* ---- envelopes of windows ---- */

static int same_envelope(const ws_dom_window_envelope *a, const ws_dom_window_envelope *b) {
    const ws_domain *c = &a->domain, *d = &b->domain;
    return a->scored && b->scored && a->fitted_nats == b->fitted_nats && a->own_nats == b->own_nats &&
           c->env_from == d->env_from && c->env_to == d->env_to && c->ali_from == d->ali_from && c->ali_to == d->ali_to;
}

/* An envelope that reaches far beyond its alignment is what the cut one would be by itself. */
static void test_far_envelope(tap *tp, sample *r) {
    enum { SIDE = 150, MOST = 2 * SIDE + 200 };
    const ws_dom_options options = {.seed = 42};
    ws_err err = {0};
    ws_dom_worker *w;
    ws_hmmset set;
    ws_profile p;
    ws_dom_window_model m;
    uint8_t x[MOST];
    sample_must(hmm_read(&set, "tests/data/golden/dna-models/MADE1.hmm.gz", 1, &err), &err);
    const ws_hmm *h = &set.hmm[0];
    const uint32_t L = 2 * SIDE + (uint32_t)h->M;
    for (uint32_t i = 0; i < L; i++) x[i] = (uint8_t)sample_below(r, 4);
    for (int k = 1; k <= h->M; k++) {
        const float *match = h->mat + (size_t)k * (size_t)h->abc->K;
        for (uint8_t y = x[SIDE + k - 1] = 0; y < 4; y++)
            if (match[y] > match[x[SIDE + k - 1]]) x[SIDE + k - 1] = y;
    }
    sample_must(ws_profile_create(&p, h, &err), &err);
    ws_dom_tables *t = tables_of(&p, h);
    sample_must(ws_dom_window_model_create(&m, t, &p, h, &err), &err);
    sample_must(ws_dom_worker_create(&w, &ws_dom_scalar, &options, &err), &err);
    ws_dom_window_envelope far = {.x = x, .L = L, .from = 1, .to = L}, near;
    sample_must(ws_dom_window_rescore(&m, w, &far, 1, &err), &err);
    const ws_domain *d = &far.domain;
    const int cut =
        far.scored && d->env_from == d->ali_from - 20 && d->env_to == d->ali_to + 20 && d->ali_from > SIDE - 20;
    near = (ws_dom_window_envelope){.x = x, .L = L, .from = cut ? d->env_from : 1, .to = cut ? d->env_to : L};
    sample_must(ws_dom_window_rescore(&m, w, &near, 1, &err), &err);
    tap_ok(tp, cut && same_envelope(&far, &near),
           "a far envelope: %u..%u around %u..%u, scores %.9g and %.9g, cut before %.9g and %.9g", d->env_from,
           d->env_to, d->ali_from, d->ali_to, (double)far.fitted_nats, (double)far.own_nats, (double)near.fitted_nats,
           (double)near.own_nats);
    ws_free(far.domain.column);
    ws_free(near.domain.column);
    ws_dom_worker_destroy(w);
    ws_dom_window_model_destroy(&m);
    ws_dom_tables_destroy(t);
    ws_profile_destroy(&p);
    ws_hmmset_release(&set);
}

/* Where the MM line masks all nodes no residue counts: the scores of any two envelopes of one length are equal. */
static void test_masked(tap *tp, sample r) {
    enum { L = 90 };
    const ws_dom_options options = {.seed = 42};
    ws_err err = {0};
    ws_dom_worker *w;
    ws_hmmset set;
    ws_profile p;
    ws_dom_window_model m;
    float score[2][2];
    sample_must(hmm_read(&set, "tests/data/golden/dna-models/MADE1.hmm.gz", 1, &err), &err);
    ws_hmm *h = &set.hmm[0];
    sample_must(ws_hmm_add_note(h, WS_NOTE_MM, &err), &err);
    sample_must(ws_profile_create(&p, h, &err), &err);
    ws_dom_tables *t = tables_of(&p, h);
    for (int masked = 0; masked < 2; masked++) {
        memset(h->note[WS_NOTE_MM] + 1, masked ? 'm' : '.', (size_t)h->M);
        sample_must(ws_dom_window_model_create(&m, t, &p, h, &err), &err);
        sample_must(ws_dom_worker_create(&w, &ws_dom_scalar, &options, &err), &err);
        for (int k = 0; k < 2; k++) {
            sample own = {r.state + (uint64_t)k};
            uint8_t x[L];
            for (int i = 0; i < L; i++) x[i] = (uint8_t)sample_below(&own, 4);
            ws_dom_window_envelope e = {.x = x, .L = L, .from = 1, .to = L};
            sample_must(ws_dom_window_rescore(&m, w, &e, 1, &err), &err);
            score[masked][k] = e.fitted_nats;
            ws_free(e.domain.column);
        }
        ws_dom_worker_destroy(w);
        ws_dom_window_model_destroy(&m);
    }
    tap_ok(tp, score[1][0] == score[1][1] && score[0][0] != score[0][1] && isfinite(score[1][0]),
           "a fitted background and a mask: %.6f and %.6f, without %.6f and %.6f", (double)score[1][0],
           (double)score[1][1], (double)score[0][0], (double)score[0][1]);
    ws_dom_tables_destroy(t);
    ws_profile_destroy(&p);
    ws_hmmset_release(&set);
}

/* Envelopes of a window, some far and some near: side by side by a backend, as each alone by definition. plain: 1 for
 * blocks of rows. */
static void test_side_by_side(tap *tp, const ws_dom_backend *be, sample r, size_t plain) {
    enum { N = 19, MOST = 400 };
    const ws_dom_options options = {.seed = 42, .plain = plain};
    static uint8_t x[N][MOST];
    ws_dom_window_envelope want[N], got[N];
    ws_err err = {0};
    ws_dom_worker *w[2];
    ws_hmmset set;
    ws_profile p;
    ws_dom_window_model m;
    int same = 1, cut = 0, scored = 0;
    sample_must(hmm_read(&set, "tests/data/golden/dna-models/MADE1.hmm.gz", 1, &err), &err);
    const ws_hmm *h = &set.hmm[0];
    sample_must(ws_profile_create(&p, h, &err), &err);
    ws_dom_tables *t = tables_of(&p, h);
    sample_must(ws_dom_window_model_create(&m, t, &p, h, &err), &err);
    sample_must(ws_dom_worker_create(&w[0], &ws_dom_scalar, &options, &err), &err);
    sample_must(ws_dom_worker_create(&w[1], be, &options, &err), &err);
    for (int j = 0; j < N; j++) {
        const uint32_t L = (uint32_t)(h->M + sample_below(&r, MOST - h->M + 1));
        const uint32_t at = (uint32_t)sample_below(&r, (int)L - h->M + 1);
        for (uint32_t i = 0; i < L; i++) x[j][i] = (uint8_t)sample_below(&r, 4);
        for (int k = 1; k <= h->M; k++)
            for (uint8_t y = 0; y < 4; y++)
                if (h->mat[k * h->abc->K + y] > 0.5f) x[j][at + (uint32_t)k - 1] = y;
        want[j] = got[j] = (ws_dom_window_envelope){.x = x[j], .L = L, .from = 1, .to = L};
        sample_must(ws_dom_window_rescore(&m, w[0], &want[j], 1, &err), &err);
    }
    sample_must(ws_dom_window_rescore(&m, w[1], got, N, &err), &err);
    for (int j = 0; j < N; j++) {
        same &= same_envelope(&want[j], &got[j]);
        cut += want[j].cut;
        scored += want[j].scored;
        ws_free(want[j].domain.column);
        ws_free(got[j].domain.column);
    }
    tap_ok(tp, same && cut > 2 && cut < N && scored == N, "%s: %d envelopes of windows side by side%s, %d cut",
           be->name, N, plain ? ", by blocks" : "", cut);
    ws_dom_worker_destroy(w[0]);
    ws_dom_worker_destroy(w[1]);
    ws_dom_window_model_destroy(&m);
    ws_dom_tables_destroy(t);
    ws_profile_destroy(&p);
    ws_hmmset_release(&set);
}

int main(void) {
    static const ws_dom_backend *const all[] = {WS_BY_WIDTH(ws_dom_)};
    tap t = {0};
    ws_cpu cpu;
    sample r = worked_seed();
    ws_cpu_probe(&cpu);
    test_random(&t);
    test_worked(&t);
    test_quotients(&t);
    test_ends(&t);
    test_far_envelope(&t, &r);
    test_masked(&t, r);
    for (int b = WS_NWIDTH - 1; b >= 0; b--) {
        if (cpu.why_not[b]) {
            tap_skip(&t, ws_width_name[b], cpu.why_not[b]);
            continue;
        }
        test_scores(&t, all[b]);
        test_lists(&t, all[b], r);
        test_limits(&t, all[b], r);
        test_side_by_side(&t, all[b], r, 0);
        test_side_by_side(&t, all[b], r, 1);
    }
    return tap_end(&t);
}
