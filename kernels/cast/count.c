/* SPDX-License-Identifier: MIT
 * Counts of residues and transitions: section 5.8 of build.md. Each cell is a single sum over the rows in their order,
 * so a thread takes some nodes of all rows. */
#include <string.h>

#include "kernels/cast/align.h"
#include "lib/base/parallel_for.h"
#include "lib/msa/digital.h"

enum { LEAST = 16, MOST = 128 }; /* nodes that a thread takes at once: their counts stay in the first caches */
enum { MATCH, DELETE, MISSING, NSTATE = 4 };

/* Cells of a node's transitions while they are counted: the pair of states, or one of insertions. */
enum { INTO = 12, OUT_OF, ON, NOWHERE, CELLS };

typedef struct counting {
    const ws_msa *m;
    const int32_t *column;
    const double *weight;
    int32_t *from, *to;    /* [rows] the nodes from .. to - 1 count; 0: also what leaves B */
    ws_build_counts *c;
    int strip;             /* nodes that a thread takes at once */
    uint8_t state[WS_KP_MAX];
} counting;

static int pair_of(int here, int next) { return here * NSTATE + next; }

/* Sets which nodes of a row count. A row that begins or ends in '~' counts from its first match on, and up to before
 * its last one. */
static void bound_row(counting *g, size_t i) {
    const uint8_t *x = ws_msa_row(g->m, i), missing = (uint8_t)(g->m->abc->Kp - 1);
    const int M = g->c->M;
    int first = 1, last = M;
    g->from[i] = 0;
    g->to[i] = M + 1;
    if (x[0] == missing) {
        while (first <= M && g->state[x[g->column[first] - 1]] != MATCH) first++;
        if (first <= M) g->from[i] = first;
    }
    if (x[g->m->columns - 1] == missing) {
        while (last >= 1 && g->state[x[g->column[last] - 1]] != MATCH) last--;
        if (last >= 1) g->to[i] = last;
    }
}

/* Adds a residue to counts of K kinds. */
static void add_residue(const ws_abc *abc, float *count, uint8_t x, float w) {
    if (x < abc->K) {
        count[x] += w;
        return;
    }
    const uint32_t members = abc->contains[x];
    if (members == 0) return; /* '*' */
    const float part = w / (float)__builtin_popcount(members);
    for (int y = 0; y < abc->K; y++)
        if (members >> y & 1) count[y] += part;
}

/* Counts what lies between nodes k and k + 1 of a row, whose states are given: the insertion and the transitions. */
static void count_between(const counting *g, int k, const uint8_t *x, size_t n, int here, int next, float w,
                          float *tr) {
    const ws_abc *abc = g->m->abc;
    float *ins = g->c->ins + (size_t)k * (size_t)abc->K;
    size_t inserted = 0;
    int cut = 0; /* '~' stands between the last insertion and the next node */
    for (size_t c = 0; (c = ws_msa_skip(x, c, n, (uint8_t)abc->K)) < n; c++) {
        cut = x[c] == abc->Kp - 1;
        if (cut) {
            if (inserted == 0) here = MISSING;
            continue;
        }
        add_residue(abc, ins, x[c], w);
        tr[inserted > 0 ? ON : here == MATCH ? INTO : NOWHERE] += w;
        inserted++;
    }
    if (cut) return;
    if (inserted == 0) tr[pair_of(here, next)] += w;
    else if (next == MATCH) tr[OUT_OF] += w;
}

/* Counts nodes from .. end - 1 of a row with weight w: tr has the cells of node `first` first. */
static void count_nodes(const counting *g, const uint8_t *x, int first, int from, int end, float w,
                        float (*tr)[CELLS]) {
    const ws_abc *abc = g->m->abc;
    const int M = g->c->M, K = abc->K;
    int here = from > 0 ? g->state[x[g->column[from] - 1]] : MATCH;
    for (int k = from; k < end; k++) {
        const size_t at = (size_t)g->column[k], next = k < M ? (size_t)g->column[k + 1] - 1 : g->m->columns;
        const int after = k < M ? g->state[x[next]] : MATCH;
        if (k > 0 && here == MATCH) {
            float *mat = g->c->mat + (size_t)k * (size_t)K;
            if (x[at - 1] < K) mat[x[at - 1]] += w;
            else add_residue(abc, mat, x[at - 1], w);
        }
        if (at == next) tr[k - first][pair_of(here, after)] += w;
        else count_between(g, k, x + at, next - at, here, after, w, tr[k - first]);
        here = after;
    }
}

static int count_strip(void *ctx, size_t strip, ws_err *err) {
    static const int cell[WS_NTRANS] = {
        [WS_TMM] = MATCH * NSTATE + MATCH, [WS_TMI] = INTO, [WS_TMD] = MATCH * NSTATE + DELETE, [WS_TIM] = OUT_OF,
        [WS_TII] = ON, [WS_TDM] = DELETE * NSTATE + MATCH, [WS_TDD] = DELETE * NSTATE + DELETE};
    const counting *g = ctx;
    const ws_msa *m = g->m;
    const int M = g->c->M, first = (int)strip * g->strip, end = first + g->strip < M + 1 ? first + g->strip : M + 1;
    float tr[MOST][CELLS] = {{0}};
    (void)err;
    for (size_t i = 0; i < m->rows; i++) {
        const int from = first > g->from[i] ? first : g->from[i], to = end < g->to[i] ? end : g->to[i];
        count_nodes(g, ws_msa_row(m, i), first, from, to, (float)g->weight[i], tr);
    }
    for (int k = first; k < end; k++)
        for (int t = 0; t < WS_NTRANS; t++) g->c->tr[(size_t)k * WS_NTRANS + (size_t)t] = tr[k - first][cell[t]];
    return WS_OK;
}

int ws_build_count(const ws_msa *m, const int32_t *column, const double *weight, int threads, ws_build_counts *c,
                   ws_err *err) {
    counting g = {.m = m, .column = column, .weight = weight, .c = c};
    memset(g.state, MATCH, sizeof g.state);
    g.state[m->abc->K] = DELETE;
    g.state[m->abc->Kp - 1] = MISSING;
    if (!(g.from = ws_alloc(2 * m->rows * sizeof *g.from, err))) return err->code;
    g.to = g.from + m->rows;
    for (size_t i = 0; i < m->rows; i++) bound_row(&g, i);
    const int share = c->M / (threads > 1 ? threads : 1) + 1;
    g.strip = share < LEAST ? LEAST : share > MOST ? MOST : share;
    const int rc = ws_parallel_for((size_t)(c->M / g.strip + 1), threads, count_strip, &g, err);
    ws_free(g.from);
    return rc;
}
