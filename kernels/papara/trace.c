/* SPDX-License-Identifier: MIT
 * The path of one pair (specification papara.md, section 10). Rows are residues here. The forward pass keeps every
 * STEP-th row. The trace computes the STEP rows after the path's end again. So memory is 16 bytes * sites *
 * residues / STEP instead of one byte a cell. */
#include "kernels/papara/papara.h"

#include <string.h>

enum { STEP = 256 };
#define FAR_AWAY (INT64_MAX / 4)

enum {
    FROM = 3,
    FROM_M = 0,
    FROM_H = 1,
    FROM_V = 2,
    STAY_H = 4,
    STAY_V = 8
}; /* of a cell: the origin of S, and whether H and V continue a gap */

typedef struct trace {
    const ws_papara_scheme *s;
    const uint32_t *cell, *mask;
    size_t n, m;
    int64_t *T, *V; /* [n + 1] one row: costs, and costs of ending with an insertion */
    int64_t *keep;  /* T and V of rows 0, STEP, 2 STEP ... */
    uint8_t *where; /* [STEP][n + 1] */
} trace;

/* Returns 1 outside of eq1's band. */
static int outside(const trace *t, size_t i, size_t j) {
    return t->s->model == WS_PAPARA_EQ1 && (i < j || i > j + (t->n - t->m));
}

static void first_row(trace *t) {
    for (size_t i = 0; i <= t->n; i++) {
        t->T[i] = outside(t, i, 0) ? FAR_AWAY : 0;
        t->V[i] = FAR_AWAY;
    }
}

/* Computes row j from row j - 1. where: NULL, or receives the origin of each cell. A cost is match * j - score, so
 * comparisons are those of the specification with the sign reversed: M before H before V, and a gap continues only
 * if that is strictly better. */
static void next_row(trace *t, size_t j, uint8_t *where) {
    const ws_papara_scheme *s = t->s;
    int64_t diagonal = t->T[0], H = FAR_AWAY;
    t->T[0] = s->model == WS_PAPARA_EQ1 ? FAR_AWAY : (int64_t)s->match * (int64_t)j;
    for (size_t i = 1; i <= t->n; i++) {
        const uint32_t cell = t->cell[i - 1];
        const int64_t o = cell & WS_PAPARA_CGAP ? 0 : s->del_open, x = cell & WS_PAPARA_CGAP ? 0 : s->del_extend;
        int64_t M = diagonal + (cell & t->mask[j - 1] ? 0 : s->mismatch) + (cell & WS_PAPARA_CGAP ? s->cgap : 0);
        const int stay_h = H + x < t->T[i - 1] + o, stay_v = t->V[i] + s->ins_extend < t->T[i] + s->ins_open;
        H = stay_h ? H + x : t->T[i - 1] + o;
        int64_t V = stay_v ? t->V[i] + s->ins_extend : t->T[i] + s->ins_open, best = M;
        int from = FROM_M;
        if (H < best) from = FROM_H, best = H;
        if (V < best) from = FROM_V, best = V;
        diagonal = t->T[i];
        if (outside(t, i, j)) best = V = H = FAR_AWAY;
        t->T[i] = best;
        t->V[i] = V;
        if (where) where[i] = (uint8_t)(from | (stay_h ? STAY_H : 0) | (stay_v ? STAY_V : 0));
    }
}

static void save(trace *t, size_t j) {
    memcpy(t->keep + j / STEP * 2 * (t->n + 1), t->T, (t->n + 1) * sizeof *t->T);
    memcpy(t->keep + (j / STEP * 2 + 1) * (t->n + 1), t->V, (t->n + 1) * sizeof *t->V);
}

static void load(trace *t, size_t j) {
    memcpy(t->T, t->keep + j / STEP * 2 * (t->n + 1), (t->n + 1) * sizeof *t->T);
    memcpy(t->V, t->keep + (j / STEP * 2 + 1) * (t->n + 1), (t->n + 1) * sizeof *t->V);
}

/* Finds the first cell with the strictly best result, row by row: in the last column or row; for eq1 only in the
 * last row. */
static void find_end(trace *t, size_t *end_i, size_t *end_j) {
    int64_t best = 0;
    int any = 0;
    first_row(t);
    save(t, 0);
    for (size_t j = 1; j <= t->m; j++) {
        next_row(t, j, NULL);
        if (j % STEP == 0) save(t, j);
        if (j < t->m && t->s->model == WS_PAPARA_EQ1) continue;
        for (size_t i = j < t->m ? t->n : 1; i <= t->n; i++) {
            const int64_t score = (int64_t)t->s->match * (int64_t)j - t->T[i];
            if (any && score <= best) continue;
            best = score;
            any = 1;
            *end_i = i;
            *end_j = j;
        }
    }
}

/* Adds n steps of an operation to the path, which grows from its end. */
static int step(ws_papara_path *p, ws_papara_op op, size_t n, ws_err *err) {
    if (n == 0) return WS_OK;
    if (p->n > 0 && p->run[p->n - 1].op == op) {
        p->run[p->n - 1].n += (uint32_t)n;
        return WS_OK;
    }
    int rc = ws_grow(&p->run, &p->cap, p->n + 1, sizeof *p->run, err);
    if (!rc) p->run[p->n++] = (ws_papara_run){(uint32_t)n, op};
    return rc;
}

static void turn_round(ws_papara_path *p) {
    for (size_t i = 0, j = p->n; i < j--; i++) {
        const ws_papara_run a = p->run[i];
        p->run[i] = p->run[j];
        p->run[j] = a;
    }
}

static int walk_back(trace *t, ws_papara_path *p, size_t i, size_t j, ws_err *err) {
    size_t base = SIZE_MAX;      /* row before those in `where` */
    int in = FROM_M, rc = WS_OK; /* FROM_H, FROM_V: inside a gap of that kind */
    while (i > 0 && j > 0 && !rc) {
        if (base != (j - 1) / STEP * STEP) {
            base = (j - 1) / STEP * STEP;
            load(t, base);
            for (size_t k = base + 1; k <= j; k++) next_row(t, k, t->where + (k - base - 1) * (t->n + 1));
        }
        const uint8_t w = t->where[(j - base - 1) * (t->n + 1) + i];
        if (in == FROM_M) in = w & FROM;
        if (in == FROM_M) {
            rc = step(p, WS_PAPARA_M, 1, err);
            i--, j--;
        } else if (in == FROM_H) {
            rc = step(p, WS_PAPARA_D, 1, err);
            if (!(w & STAY_H)) in = FROM_M;
            i--;
        } else {
            rc = step(p, WS_PAPARA_I, 1, err);
            if (!(w & STAY_V)) in = FROM_M;
            j--;
        }
    }
    if (!rc) rc = step(p, WS_PAPARA_I, j, err);
    return rc ? rc : step(p, WS_PAPARA_D, i, err);
}

int ws_papara_trace(ws_papara_path *p, const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask,
                    size_t m, ws_err *err) {
    trace t = {.s = s, .cell = cell, .mask = mask, .n = n, .m = m};
    const size_t row = n + 1;
    size_t i = 0, j = 0;
    t.T = ws_calloc(2 * row, sizeof *t.T, err);
    t.keep = ws_calloc((m / STEP + 1) * 2, row * sizeof *t.keep, err);
    t.where = ws_calloc(ws_min(m, STEP), row, err);
    int rc = t.T && t.keep && t.where ? WS_OK : WS_ENOMEM;
    p->n = 0;
    if (!rc) {
        t.V = t.T + row;
        find_end(&t, &i, &j);
        rc = step(p, WS_PAPARA_I, m - j, err);
        if (!rc) rc = step(p, WS_PAPARA_D, n - i, err);
        if (!rc) rc = walk_back(&t, p, i, j, err);
        turn_round(p);
    }
    ws_free(t.T);
    ws_free(t.keep);
    ws_free(t.where);
    return rc;
}
