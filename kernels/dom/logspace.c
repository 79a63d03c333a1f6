/* SPDX-License-Identifier: MIT
 * A whole target in logarithms, where odds go out of range: several domains, of which the model of one domain takes the
 * best. HMMER's generic routines define the result: sums by a table of log(1 + exp(-d)) in steps of 0.001, posteriors
 * that are made to add up to 1 in each row. Source: README.md, "In logarithms". */
#include "kernels/dom/kernel.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TABLE = 16000 };          /* entries of the table of sums */
enum { CELL_M, CELL_I, CELL_D, CELLS };

typedef struct special {
    float E, N, J, B, C;
} special;

typedef struct logs {
    const ws_profile *p;
    const uint8_t *x;
    uint32_t L;
    int M;
    float loop, move;         /* of N, C and J */
    const float *sum;         /* the table */
    special *f, *b, *a;       /* [L + 1] Forward, Backward, accuracies */
    float *pN, *pC, *pJ;      /* [L + 1] posteriors */
    uint32_t length, n;       /* rows of a block; number of blocks */
    size_t row;               /* floats of a row */
    float *fm, *bm;           /* rows of a block, from the row before it and to the row behind it */
    float *fsaved, *bsaved;   /* of each block: Forward before its first row, Backward after its last */
    float *accuracy[2];       /* two rows */
    uint8_t *choice;          /* [L + 1][M + 1] bits of WS_DOM_FROM_.. */
    ws_dom_step *step;
} logs;

static float log_sum(const float *table, float a, float b) {
    const float max = a > b ? a : b, min = a < b ? a : b;
    return min == -INFINITY || (max - min) >= 15.7f ? max : max + table[(int)((max - min) * 1000.0f)];
}

static float match_of(const logs *g, uint8_t x, int k) {
    return g->p->score[(size_t)x * ((size_t)g->M + 1) + (size_t)k];
}
/* Returns the score of a residue in an insert, which node M does not have. */
static float insert_of(const logs *g, uint8_t x, int k) {
    return k < g->M && g->p->abc->contains[x] ? 0.0f : -INFINITY;
}
static float *cell_of(float *row, int k) { return row + CELLS * k; }

/* ---- Forward ---- */

static void forward_row(const logs *g, uint32_t i, const float *old, float *new) {
    float *const *t = g->p->tr;
    const uint8_t x = g->x[i - 1];
    const special *from = &g->f[i - 1];
    special *to = &g->f[i];
    const float *s = g->sum;
    new[CELL_M] = new[CELL_I] = new[CELL_D] = to->E = -INFINITY;
    for (int k = 1; k <= g->M; k++) {
        const float *left = old + CELLS * (k - 1), *up = old + CELLS * k, *now = new + CELLS * (k - 1);
        float *c = cell_of(new, k);
        const float m = log_sum(s, log_sum(s, left[CELL_M] + t[WS_PMM][k - 1], left[CELL_I] + t[WS_PIM][k - 1]),
                                log_sum(s, from->B + t[WS_PBM][k], left[CELL_D] + t[WS_PDM][k - 1]));
        c[CELL_M] = m + match_of(g, x, k);
        c[CELL_I] = k == g->M ? -INFINITY
                              : log_sum(s, up[CELL_M] + t[WS_PMI][k], up[CELL_I] + t[WS_PII][k]) + insert_of(g, x, k);
        c[CELL_D] = log_sum(s, now[CELL_M] + t[WS_PMD][k - 1], now[CELL_D] + t[WS_PDD][k - 1]);
        to->E = log_sum(s, log_sum(s, c[CELL_M], c[CELL_D]), to->E);
    }
    to->J = log_sum(s, from->J + g->loop, -INFINITY);
    to->C = log_sum(s, from->C + g->loop, to->E);
    to->N = from->N + g->loop;
    to->B = log_sum(s, to->N + g->move, to->J + g->move);
}

static void forward_row0(const logs *g, float *row) {
    for (size_t c = 0; c < g->row; c++) row[c] = -INFINITY;
    g->f[0] = (special){.E = -INFINITY, .J = -INFINITY, .C = -INFINITY, .B = g->move};
}

/* ---- Backward ---- */

static void backward_last(const logs *g, float *row) {
    float *const *t = g->p->tr;
    special *to = &g->b[g->L];
    *to = (special){.C = g->move, .E = g->move, .J = -INFINITY, .B = -INFINITY, .N = -INFINITY};
    float *c = cell_of(row, g->M);
    c[CELL_M] = c[CELL_D] = to->E;
    c[CELL_I] = -INFINITY;
    for (int k = g->M - 1; k >= 1; k--) {
        const float d = cell_of(row, k + 1)[CELL_D];
        c = cell_of(row, k);
        c[CELL_M] = log_sum(g->sum, to->E, d + t[WS_PMD][k]);
        c[CELL_D] = log_sum(g->sum, to->E, d + t[WS_PDD][k]);
        c[CELL_I] = -INFINITY;
    }
}

/* Returns B of the row before `above`, whose residue is x. */
static float begin_of(const logs *g, const float *above, uint8_t x) {
    float B = above[CELLS + CELL_M] + g->p->tr[WS_PBM][1] + match_of(g, x, 1);
    for (int k = 2; k <= g->M; k++)
        B = log_sum(g->sum, B, above[CELLS * k + CELL_M] + g->p->tr[WS_PBM][k] + match_of(g, x, k));
    return B;
}

static void backward_row(const logs *g, uint32_t i, const float *above, float *new) {
    float *const *t = g->p->tr;
    const uint8_t x = g->x[i];
    const float *s = g->sum;
    const special *from = &g->b[i + 1];
    special *to = &g->b[i];
    to->B = begin_of(g, above, x);
    to->J = log_sum(s, from->J + g->loop, to->B + g->move);
    to->C = from->C + g->loop;
    to->E = log_sum(s, -INFINITY, to->C);
    to->N = log_sum(s, from->N + g->loop, to->B + g->move);
    float *c = cell_of(new, g->M);
    c[CELL_M] = c[CELL_D] = to->E;
    c[CELL_I] = -INFINITY;
    for (int k = g->M - 1; k >= 1; k--) {
        const float m = above[CELLS * (k + 1) + CELL_M], e = match_of(g, x, k + 1), d = cell_of(new, k + 1)[CELL_D];
        const float i_next = above[CELLS * k + CELL_I], in = insert_of(g, x, k);
        c = cell_of(new, k);
        c[CELL_M] = log_sum(s, log_sum(s, m + t[WS_PMM][k] + e, i_next + t[WS_PMI][k] + in),
                            log_sum(s, to->E, d + t[WS_PMD][k]));
        c[CELL_I] = log_sum(s, m + t[WS_PIM][k] + e, i_next + t[WS_PII][k] + in);
        c[CELL_D] = log_sum(s, m + t[WS_PDM][k] + e, log_sum(s, d + t[WS_PDD][k], to->E));
    }
}

/* ---- blocks of rows ---- */

static uint32_t block_end(const logs *g, uint32_t at) { return (uint32_t)ws_min((size_t)(at + 1) * g->length, g->L); }

/* Runs Forward over rows `from` + 1 to `to`, and keeps all rows from `from` on. */
static void forward_rows(const logs *g, uint32_t from, uint32_t to) {
    for (uint32_t i = from + 1; i <= to; i++)
        forward_row(g, i, g->fm + (i - 1 - from) * g->row, g->fm + (i - from) * g->row);
}

/* Runs Backward over rows `to` down to `from` + 1; the row behind them, if there is one, stands in its place. */
static void backward_rows(const logs *g, uint32_t from, uint32_t to) {
    for (uint32_t i = to; i > from; i--) {
        float *row = g->bm + (i - from) * g->row;
        if (i == g->L) backward_last(g, row);
        else backward_row(g, i, row + g->row, row);
    }
}

static void run(const logs *g) {
    forward_row0(g, g->fm);
    for (uint32_t at = 0; at < g->n; at++) {
        const uint32_t from = at * g->length, to = block_end(g, at);
        memcpy(g->fsaved + at * g->row, g->fm, g->row * sizeof *g->fm);
        forward_rows(g, from, to);
        memmove(g->fm, g->fm + (to - from) * g->row, g->n > 1 ? g->row * sizeof *g->fm : 0);
    }
    for (uint32_t at = g->n; at-- > 0;) {
        const uint32_t from = at * g->length, to = block_end(g, at);
        float *behind = g->bm + (to - from + 1) * g->row;
        if (at + 1 < g->n) {
            memcpy(behind, g->bm + g->row, g->row * sizeof *g->bm);
            memcpy(g->bsaved + at * g->row, behind, g->row * sizeof *g->bm);
        }
        backward_rows(g, from, to);
    }
    g->b[0].B = begin_of(g, g->bm + g->row, g->x[0]);
    g->b[0].N = log_sum(g->sum, g->b[1].N + g->loop, g->b[0].B + g->move);
}

/* Turns Forward's rows of a block into posteriors, and sets those of N, C and J. */
static void decode_rows(const logs *g, uint32_t from, uint32_t to) {
    const float all = g->f[g->L].C + g->move;
    for (uint32_t i = from + 1; i <= to; i++) {
        float *f = g->fm + (i - from) * g->row, sum = 0.0f;
        const float *b = g->bm + (i - from) * g->row;
        for (int k = 1; k <= g->M; k++) {
            float *c = cell_of(f, k);
            c[CELL_M] = expf(c[CELL_M] + b[CELLS * k + CELL_M] - all);
            sum += c[CELL_M];
            if (k == g->M) {
                c[CELL_I] = 0.0f;
                break;
            }
            c[CELL_I] = expf(c[CELL_I] + b[CELLS * k + CELL_I] - all);
            sum += c[CELL_I];
        }
        g->pN[i] = expf(g->f[i - 1].N + g->b[i].N + g->loop - all);
        g->pJ[i] = expf(g->f[i - 1].J + g->b[i].J + g->loop - all);
        g->pC[i] = expf(g->f[i - 1].C + g->b[i].C + g->loop - all);
        sum += g->pN[i] + g->pJ[i] + g->pC[i];
        sum = (float)(1.0 / (double)sum);
        for (int k = 1; k <= g->M; k++) cell_of(f, k)[CELL_M] *= sum, cell_of(f, k)[CELL_I] *= sum;
        g->pN[i] *= sum;
        g->pJ[i] *= sum;
        g->pC[i] *= sum;
    }
}

/* Makes the posteriors of a block, in g->fm. */
static void fill_block(const logs *g, uint32_t at) {
    const uint32_t from = at * g->length, to = block_end(g, at);
    if (g->n > 1) {
        memcpy(g->fm, g->fsaved + at * g->row, g->row * sizeof *g->fm);
        if (at + 1 < g->n)
            memcpy(g->bm + (to - from + 1) * g->row, g->bsaved + at * g->row, g->row * sizeof *g->bm);
        forward_rows(g, from, to);
        backward_rows(g, from, to);
    }
    decode_rows(g, from, to);
}

/* ---- optimal accuracy ---- */

/* Returns the factor of a transition: a tiny one for what does not exist. The products are in double. */
static double factor(float t) { return t == -INFINITY ? (double)FLT_MIN : 1.0; }
static double larger(double a, double b) { return a > b ? a : b; }

/* Returns the index of the largest, the first of equals. */
static int first_best(const float *v, int n) {
    int best = 0;
    for (int j = 1; j < n; j++)
        if (v[j] > v[best]) best = j;
    return best;
}

static uint8_t choose(const logs *g, const float *old, const float *new, float B, int k) {
    float *const *t = g->p->tr;
    const float *left = old + CELLS * (k - 1), *up = old + CELLS * k, *now = new + CELLS * (k - 1);
    const float m[4] = {[WS_DOM_FROM_M] = (float)(factor(t[WS_PMM][k - 1]) * (double)left[CELL_M]),
                        [WS_DOM_FROM_I] = (float)(factor(t[WS_PIM][k - 1]) * (double)left[CELL_I]),
                        [WS_DOM_FROM_D] = (float)(factor(t[WS_PDM][k - 1]) * (double)left[CELL_D]),
                        [WS_DOM_FROM_B] = (float)(factor(t[WS_PBM][k]) * (double)B)};
    const float dm = (float)(factor(t[WS_PMD][k - 1]) * (double)now[CELL_M]),
                dd = (float)(factor(t[WS_PDD][k - 1]) * (double)now[CELL_D]);
    const float im = (float)(factor(t[WS_PMI][k]) * (double)up[CELL_M]),
                ii = (float)(factor(t[WS_PII][k]) * (double)up[CELL_I]);
    return (uint8_t)(first_best(m, 4) | (dm >= dd ? 0 : WS_DOM_D_FROM_D) | (im >= ii ? 0 : WS_DOM_I_FROM_I));
}

static void accuracy_cells(const logs *g, const float *post, const float *old, float *new, float B, uint8_t *choice) {
    float *const *t = g->p->tr;
    new[CELL_M] = new[CELL_I] = new[CELL_D] = -INFINITY;
    for (int k = 1; k <= g->M; k++) {
        const float *left = old + CELLS * (k - 1), *up = old + CELLS * k, *now = new + CELLS * (k - 1);
        const float pM = post[CELLS * k + CELL_M], pI = post[CELLS * k + CELL_I];
        float *c = cell_of(new, k);
        const double m = larger(factor(t[WS_PMM][k - 1]) * (double)(left[CELL_M] + pM),
                                factor(t[WS_PIM][k - 1]) * (double)(left[CELL_I] + pM));
        const double d = larger(factor(t[WS_PDM][k - 1]) * (double)(left[CELL_D] + pM),
                                factor(t[WS_PBM][k]) * (double)(B + pM));
        c[CELL_M] = (float)larger(m, d);
        c[CELL_I] = k == g->M ? -INFINITY
                              : (float)larger(factor(t[WS_PMI][k]) * (double)(up[CELL_M] + pI),
                                              factor(t[WS_PII][k]) * (double)(up[CELL_I] + pI));
        c[CELL_D] = (float)larger(factor(t[WS_PMD][k - 1]) * (double)now[CELL_M],
                                  factor(t[WS_PDD][k - 1]) * (double)now[CELL_D]);
        choice[k] = choose(g, old, new, B, k);
    }
}

/* Sets E of a row, and the node from which it comes: the last of the best M, or a D that is better. */
static void end_row(const logs *g, uint32_t i, const float *row) {
    ws_dom_step *to = &g->step[i];
    special *a = &g->a[i];
    float best = -INFINITY;
    *to = (ws_dom_step){.e_node = 1, .e_state = WS_COLUMN_M, .b_from_n = 1};
    a->E = -INFINITY;
    for (int k = 1; k <= g->M; k++) {
        const float m = row[CELLS * k + CELL_M], d = row[CELLS * k + CELL_D];
        if (m > a->E) a->E = m;
        if (k == g->M && d > a->E) a->E = d;
        if (m >= best) best = m, to->e_state = WS_COLUMN_M, to->e_node = (uint32_t)k;
        if (d > best) best = d, to->e_state = WS_COLUMN_D, to->e_node = (uint32_t)k;
    }
}

/* Sets the special states of a row. E leads to J by a transition that does not exist. */
static void accuracy_specials(const logs *g, uint32_t i) {
    const special *from = &g->a[i - 1];
    special *to = &g->a[i];
    const float stay = from->C + g->pC[i];
    to->J = (float)larger((double)(from->J + g->pJ[i]), (double)FLT_MIN * (double)to->E);
    to->C = stay > to->E ? stay : to->E;
    to->N = from->N + g->pN[i];
    to->B = to->N > to->J ? to->N : to->J;
    g->step[i].c_from_e = !(stay > to->E);
}

static void accuracy(const logs *g) {
    for (size_t c = 0; c < g->row; c++) g->accuracy[0][c] = -INFINITY;
    g->a[0] = (special){.E = -INFINITY, .J = -INFINITY, .C = -INFINITY};
    g->step[0] = (ws_dom_step){.b_from_n = 1};
    for (uint32_t at = 0; at < g->n; at++) {
        const uint32_t from = at * g->length, to = block_end(g, at);
        fill_block(g, at);
        for (uint32_t i = from + 1; i <= to; i++) {
            float *new = g->accuracy[i & 1];
            accuracy_cells(g, g->fm + (i - from) * g->row, g->accuracy[~i & 1], new, g->a[i - 1].B,
                           g->choice + (size_t)i * ((size_t)g->M + 1));
            end_row(g, i, new);
            accuracy_specials(g, i);
        }
    }
}

/* ---- the path ---- */

typedef struct log_choices {
    ws_dom_choices face;
    const logs *g;
} log_choices;

static int choice_of(const ws_dom_choices *c, uint32_t i, uint32_t k) {
    const logs *g = ((const log_choices *)(const void *)c)->g;
    return g->choice[(size_t)i * ((size_t)g->M + 1) + k];
}

static void read_posteriors(const logs *g, const ws_dom_visit *visit, size_t n, float *posterior) {
    size_t j = 0;
    for (uint32_t at = 0; at < g->n; at++) {
        const uint32_t from = at * g->length, to = block_end(g, at);
        if (g->n > 1) fill_block(g, at);
        for (; j < n && visit[j].i <= to; j++) {
            const float *c = g->fm + (visit[j].i - from) * g->row + CELLS * visit[j].k;
            posterior[j] = visit[j].state == WS_COLUMN_D ? 0.0f : c[visit[j].state == WS_COLUMN_M ? CELL_M : CELL_I];
        }
    }
}

static int set_outside(const logs *g, const ws_dom_fit *f, uint8_t **outside, ws_err *err) {
    if (!(*outside = ws_calloc(g->L, 1, err))) return err->code;
    for (uint32_t i = 1; i <= g->L; i++) {
        if (i < f->i_from) (*outside)[i - 1] = ws_dom_code_of(g->pN[i]);
        if (i > f->i_to) (*outside)[i - 1] = ws_dom_code_of(g->pC[i]);
    }
    return WS_OK;
}

static int trace_back(const logs *g, ws_dom_worker *w, ws_dom_fit *f, uint8_t **outside, ws_err *err) {
    const log_choices c = {{.step = g->step, .cell = choice_of}, g};
    ws_dom_visit *visit;
    size_t n;
    int rc = ws_dom_walk(w, &c.face, g->L, (uint32_t)g->M, &visit, &n, err);
    if (rc) return rc;
    float *posterior = ws_dom_scratch(w, WS_DOM_COUNT, (n + 1) * sizeof *posterior, err);
    if (!posterior) return err->code;
    read_posteriors(g, visit, n, posterior);
    rc = ws_dom_set_columns(f, visit, posterior, n, err);
    return rc ? rc : set_outside(g, f, outside, err);
}

/* ---- together ---- */

/* Gives out the next n bytes of *from. */
static void *cut(char **from, size_t n) {
    char *p = *from;
    *from += (n + 63) / 64 * 64;
    return p;
}

/* Plans blocks and sets pointers into w's memory. Returns WS_ENOMEM on failure. */
static int allocate(logs *g, ws_dom_worker *w, ws_err *err) {
    const size_t most = w->options.plain ? w->options.plain : WS_DOM_PLAIN, rows = (size_t)g->L + 1;
    const size_t row = (g->row = CELLS * ((size_t)g->M + 1)) * sizeof(float);
    g->length = 2 * rows * row > most ? (uint32_t)ceil(sqrt((double)g->L)) : g->L;
    g->n = (g->L - 1) / g->length + 1;
    char *p = ws_dom_scratch(w, WS_DOM_MATRIX, (2 * ((size_t)g->length + 2) + 2 * g->n + 2) * (row + 64), err);
    float *sum = p ? ws_dom_scratch(w, WS_DOM_STATE, TABLE * sizeof *sum, err) : NULL;
    char *s = sum ? ws_dom_scratch(w, WS_DOM_SUMS, rows * (3 * (sizeof(special) + sizeof(float))) + 6 * 64, err) : NULL;
    g->choice = s ? ws_dom_scratch(w, WS_DOM_CHOICE, rows * ((size_t)g->M + 1), err) : NULL;
    g->step = g->choice ? ws_dom_scratch(w, WS_DOM_SPARE, rows * sizeof *g->step, err) : NULL;
    if (!g->step) return err->code;
    for (int d = 0; d < TABLE; d++) sum[d] = (float)log(1.0 + exp(-(double)d / 1000.0));
    g->sum = sum;
    g->fm = cut(&p, ((size_t)g->length + 2) * row);
    g->bm = cut(&p, ((size_t)g->length + 2) * row);
    g->fsaved = cut(&p, g->n * row);
    g->bsaved = cut(&p, g->n * row);
    g->accuracy[0] = cut(&p, row);
    g->accuracy[1] = cut(&p, row);
    g->f = cut(&s, rows * sizeof *g->f);
    g->b = cut(&s, rows * sizeof *g->b);
    g->a = cut(&s, rows * sizeof *g->a);
    g->pN = cut(&s, rows * sizeof *g->pN);
    g->pC = cut(&s, rows * sizeof *g->pC);
    g->pJ = cut(&s, rows * sizeof *g->pJ);
    return WS_OK;
}

int ws_dom_fit_logs(const ws_profile *p, ws_dom_worker *w, ws_dom_fit *f, uint8_t **outside, ws_err *err) {
    logs g = {.p = p, .x = f->p.x, .L = f->p.L, .M = p->M};
    g.loop = (float)log((double)f->p.mode.ploop);
    g.move = (float)log((double)f->p.mode.pmove);
    const int rc = allocate(&g, w, err);
    if (rc) return rc;
    run(&g);
    if (g.f[g.L].C == -INFINITY) { /* no path leads through the model: no residue is in a node */
        *outside = ws_calloc(g.L, 1, err);
        return *outside ? ws_dom_set_columns(f, NULL, NULL, 0, err) : err->code;
    }
    accuracy(&g);
    return trace_back(&g, w, f, outside, err);
}
