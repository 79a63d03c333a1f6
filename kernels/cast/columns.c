/* SPDX-License-Identifier: MIT
 * Which columns are nodes, and which residues are whose: sections 5.4, 5.5 and 5.7 of build.md. */
#include <string.h>

#include "kernels/cast/align.h"
#include "kernels/cast/column_sums.inc.h"
#include "lib/base/parallel_for.h"
#include "lib/msa/digital.h"

enum { LEAST = 64, MOST = 1024 }; /* columns that a thread takes at once: their sums stay in the first cache */

const ws_build_column_sums ws_build_column_sums_scalar = {add_row, tally_row};

const ws_build_column_sums *ws_build_column_sums_of(int width) {
    static const ws_build_column_sums *const of[] = {WS_BY_WIDTH(ws_build_column_sums_)};
    return of[width];
}

typedef struct strips {
    const ws_msa *m;
    const double *weight;
    const ws_build_column_sums *code;
    size_t width; /* of a strip */
    float symfrac;
    uint8_t *is;
} strips;

/* Decides about one column with HMMER's roundings: a sum is single, but an addition to it is double. */
static int judge_exactly(const strips *s, size_t c) {
    const ws_msa *m = s->m;
    float residues = 0, all = 0;
    for (size_t i = 0; i < m->rows; i++) {
        const uint8_t x = ws_msa_row(m, i)[c];
        if (x >= m->abc->Kp - 2) continue;
        all = (float)((double)all + s->weight[i]);
        if (x != m->abc->K) residues = (float)((double)residues + s->weight[i]);
    }
    return residues > 0 && residues / all >= s->symfrac;
}

/* Adds up the weights of residues, and of residues and gaps, of one strip of columns, row by row. Each of n roundings
 * in single precision changes a sum by at most 2^-24 of it, here as in HMMER. So only a quotient within 4(n + 2) 2^-24
 * of the threshold leaves a doubt. */
static int judge_strip(void *ctx, size_t strip, ws_err *err) {
    const strips *s = ctx;
    const ws_msa *m = s->m;
    const size_t from = strip * s->width, n = ws_min(s->width, m->columns - from);
    const uint8_t K = (uint8_t)m->abc->K, end = (uint8_t)(m->abc->Kp - 2);
    const double doubt = 4.0 * (double)(m->rows + 2) * 0x1p-24;
    float residues[MOST] = {0}, all[MOST] = {0};
    (void)err;
    for (size_t i = 0; i < m->rows; i++)
        s->code->add_row(ws_msa_row(m, i) + from, n, K, end, (float)s->weight[i], residues, all);
    for (size_t c = 0; c < n; c++) {
        const double away = (double)residues[c] / (double)all[c] - (double)s->symfrac;
        const int sure = residues[c] > 0 && (away > doubt || away < -doubt);
        s->is[from + c] = (uint8_t)(sure ? away > 0 : judge_exactly(s, from + c));
    }
    return WS_OK;
}

/* Returns how many columns a strip has, so that each thread has one. */
static size_t width_of(size_t columns, int threads) {
    const size_t share = (columns / (size_t)(threads > 1 ? threads : 1) + LEAST) / LEAST * LEAST;
    return ws_min(share, MOST);
}

static int by_rf(const ws_msa *m, uint8_t *is, ws_err *err) {
    const char *rf = m->line[WS_MSA_RF];
    if (!rf)
        return ws_fail(err, WS_EDATA, "the alignment has no RF line, which --hand needs to know the consensus columns");
    for (size_t c = 0; c < m->columns; c++) is[c] = (uint8_t)ws_msa_is_consensus(rf[c]);
    return WS_OK;
}

int ws_build_columns(const ws_msa *m, const ws_build_ali_settings *s, const double *weight, uint8_t *is, ws_err *err) {
    strips of = {.m = m, .weight = weight, .code = ws_build_column_sums_of(s->width),
                 .width = width_of(m->columns, s->threads), .symfrac = s->symfrac, .is = is};
    const size_t n = (m->columns + of.width - 1) / of.width;
    const int rc = s->hand ? by_rf(m, is, err) : ws_parallel_for(n, s->threads, judge_strip, &of, err);
    if (rc) return rc;
    for (size_t c = 0; c < m->columns; c++)
        if (is[c]) return WS_OK;
    if (s->hand) return ws_fail(err, WS_EDATA, "the alignment's RF line marks no consensus column");
    return ws_fail(err, WS_EDATA,
        "the alignment has no consensus column: none of %zu has residues in %g of the rows' weight",
                   m->columns, (double)s->symfrac);
}

void ws_build_mask(ws_msa *m) {
    const char *mm = m->line[WS_MSA_MM];
    for (size_t c = 0; mm && c < m->columns; c++)
        for (size_t i = 0; mm[c] == 'm' && i < m->rows; i++) {
            uint8_t *x = ws_msa_row(m, i) + c;
            if (*x != m->abc->K && *x != m->abc->Kp - 1) *x = (uint8_t)m->abc->any;
        }
}

/* Doctors the insert columns from .. to - 1 of a row, between columns `before` and `after` of nodes. */
static void doctor_insert(const ws_abc *abc, uint8_t *before, uint8_t *from, uint8_t *to, uint8_t *after) {
    const uint8_t gap = (uint8_t)abc->K, missing = (uint8_t)(abc->Kp - 1);
    from += ws_msa_skip(from, 0, (size_t)(to - from), gap);
    while (from < to && (*from == gap || *from == missing)) from++;
    while (from < to && (to[-1] == gap || to[-1] == missing)) to--;
    if (from < to && before && *before == gap) {
        *before = *from;
        *from++ = gap;
    }
    if (from < to && after && *after == gap) {
        *after = to[-1];
        to[-1] = gap;
    }
}

void ws_build_doctor(ws_msa *m, const int32_t *column, int M, size_t from, size_t n) {
    for (size_t i = from; i < from + n; i++)
        for (int k = 0; k <= M; k++) {
            uint8_t *x = ws_msa_row(m, i);
            const size_t first = k > 0 ? (size_t)column[k] : 0; /* from 0: the column behind node k's */
            const size_t end = k < M ? (size_t)column[k + 1] - 1 : m->columns;
            if (first < end)
                doctor_insert(m->abc, k > 0 ? x + first - 1 : NULL, x + first, x + end, k < M ? x + end : NULL);
        }
}
