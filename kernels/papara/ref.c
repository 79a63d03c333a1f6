/* SPDX-License-Identifier: MIT
 * Scores in 32 bits, cell by cell: the definition of the result. Source: specification papara.md, sections 7 and 8.
 * Scores never exceed match * sites, so 32 bits suffice for reads of any length. */
#include "kernels/papara/papara.h"

enum { FAR_AWAY = 1 << 30 }; /* far beyond any score of either model */

static inline int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }
static inline int32_t min(int32_t a, int32_t b) { return a < b ? a : b; }

/* Returns the cost by papara 2's model. S, H: row i - 1 at the loop's begin, row i at its end; V runs along the row. */
static int32_t papara2(const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask, size_t m,
                       int32_t *row) {
    const int32_t R = s->match, O = R - s->ins_open, X = R - s->ins_extend;
    int32_t *S = row, *H = row + m + 1, best = 0;
    for (size_t j = 0; j <= m; j++) S[j] = 0, H[j] = -FAR_AWAY;
    for (size_t i = 0; i < n; i++) {
        const int c = (cell[i] & WS_PAPARA_CGAP) != 0;
        const int32_t Z = c ? -s->cgap : 0, o = c ? 0 : -s->del_open, x = c ? 0 : -s->del_extend;
        int32_t diagonal = 0, V = -FAR_AWAY, left = 0;
        for (size_t j = 1; j <= m; j++) {
            const int32_t M = diagonal + (cell[i] & mask[j - 1] ? R : R - s->mismatch) + Z;
            H[j] = max(S[j] + o, H[j] + x);
            V = max(left + O, V + X);
            diagonal = S[j];
            S[j] = left = max(max(M, H[j]), V);
        }
        best = max(best, S[m]);
    }
    for (size_t j = 1; j <= m; j++) best = max(best, S[j]);
    return best;
}

/* Returns the cost by Equation 1: penalties on the cells j <= i <= j + (n - m). */
static int32_t eq1(const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask, size_t m,
                   int32_t *row) {
    int32_t *S = row, *D = row + m + 1, best = FAR_AWAY;
    for (size_t j = 0; j <= m; j++) S[j] = D[j] = FAR_AWAY;
    S[0] = 0;
    for (size_t i = 1; i <= n; i++) {
        const int c = (cell[i - 1] & WS_PAPARA_CGAP) != 0;
        const int32_t Z = c ? s->cgap : 0, o = c ? 0 : s->del_open, x = c ? 0 : s->del_extend;
        const size_t first = i > n - m ? i - (n - m) : 1, last = ws_min(i, m);
        int32_t diagonal = S[first - 1], left = i > n - m ? FAR_AWAY : 0;
        for (size_t j = first; j <= last; j++) {
            const int32_t M = diagonal + (cell[i - 1] & mask[j - 1] ? 0 : s->mismatch) + Z;
            D[j] = min(S[j] + o, D[j] + x);
            diagonal = S[j];
            S[j] = left = min(min(M, D[j]), left + s->ins_open);
        }
        if (last == m) best = min(best, S[m]);
    }
    return best;
}

int64_t ws_papara_cost(const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask, size_t m,
                       int32_t *row) {
    if (s->model == WS_PAPARA_EQ1) return eq1(s, cell, n, mask, m, row);
    return (int64_t)s->match * (int64_t)m - papara2(s, cell, n, mask, m, row);
}

/* Unpacks the cells of an edge from the planes once, after the row in r->room. */
void ws_papara_cost_far(const ws_papara_read *r) {
    const ws_papara_edges *e = &r->ref->edges;
    int32_t *row = r->room;
    uint32_t *cell = (uint32_t *)(row + 2 * (r->m + 1));
    for (size_t k = 0; k < e->nedge; k++) {
        if (r->cost[k] != WS_PAPARA_FAR) continue;
        ws_papara_edges_get(e, k, cell);
        r->cost[k] = ws_papara_cost(&r->ref->scheme, cell, e->sites, r->mask, r->m, row);
    }
}

static void cost(const ws_papara_read *r) {
    for (size_t k = 0; k < r->ref->edges.nedge; k++) r->cost[k] = WS_PAPARA_FAR;
    ws_papara_cost_far(r);
}

static const ws_papara_face face = {cost};

static int score(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    return ws_papara_score_tasks(cost, seqs, task, ntask, scratch, err);
}

const ws_backend ws_papara_scalar = {.name = "scalar",
                                     .usable = ws_usable_scalar,
                                     .prepare = ws_papara_prepare,
                                     .release = ws_papara_release,
                                     .score = score,
                                     .max_tasks = 1,
                                     .own = &face};
