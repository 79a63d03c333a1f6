/* SPDX-License-Identifier: MIT
 * Relative weights of rows, position based: section 6.1 of build.md. */
#include <math.h>
#include <string.h>

#include "kernels/cast/align.h"
#include "kernels/cast/column_sums.h"
#include "lib/base/parallel_for.h"
#include "lib/msa/digital.h"

enum { DEEP = 50000, SAMPLE = 10000, SAMPLE_FRAGMENTS = 5000, SHARES = 16, CODES = 32 };

int ws_build_weigh(const ws_msa *m, const ws_build_ali_settings *s, double *weight, ws_err *err) {
    for (size_t i = 0; i < m->rows; i++) weight[i] = s->weights == WS_BUILD_WGIVEN && m->weight ? m->weight[i] : 1.0;
    if (m->rows == 1 && s->weights != WS_BUILD_WGIVEN) return WS_OK;
    switch (s->weights) {
    case WS_BUILD_WPB: return ws_build_weigh_pb(m, s, weight, err);
    case WS_BUILD_WGSC: return ws_build_weigh_gsc(m, s->threads, weight, err);
    case WS_BUILD_WBLOSUM: return ws_build_weigh_blosum(m, s->wid, weight, err);
    case WS_BUILD_WGIVEN: case WS_BUILD_WNONE: break;
    }
    return WS_OK;
}

/* Which columns tell, and their codes. */
typedef struct pb {
    const ws_msa *m;
    const ws_build_column_sums *code;
    size_t span;             /* a row shorter than this counts in its span only */
    size_t shares;           /* of the rows, for threads */
    uint32_t *tally[SHARES]; /* [2 * columns] of each share: gaps; residues and gaps. The first takes the sums */
    size_t *column, n;       /* the columns that tell */
    uint32_t *count[SHARES]; /* [n * CODES] of each share; the first takes the sums */
    double *part;            /* [n * CODES] what a code adds to the weight of its row */
    double *weight;
} pb;

/* Sets which columns of a row count; returns whether it is a fragment. */
static int span_of(const pb *p, const uint8_t *x, size_t *from, size_t *to) {
    const ws_msa *m = p->m;
    const uint8_t K = (uint8_t)m->abc->K;
    *from = 0;
    *to = m->columns;
    while (*from < *to && !ws_msa_is_residue(m->abc, x[*from])) *from = ws_msa_skip(x, *from + 1, *to, K);
    while (*to > *from && !ws_msa_is_residue(m->abc, x[*to - 1])) --*to;
    if (*to - *from < p->span) return 1;
    *from = 0;
    *to = m->columns;
    return 0;
}

static size_t share_from(const pb *p, size_t share) { return p->m->rows * share / p->shares; }

/* ---- the columns that tell ---- */

/* Counts gaps, and residues and gaps, of n rows: those of an index, or from row `first` on. *fragments takes the number
 * of fragments. */
static int tally_rows(const pb *p, size_t first, size_t n, const int64_t *index, uint32_t *to, size_t *fragments,
                      ws_err *err) {
    enum { MOST = 255 }; /* rows that a byte can count */
    const size_t columns = p->m->columns;
    const uint8_t K = (uint8_t)p->m->abc->K, end = (uint8_t)(p->m->abc->Kp - 2);
    uint8_t *gaps = ws_calloc(2 * columns, 1, err), *all = gaps + columns;
    if (!gaps) return err->code;
    *fragments = 0;
    for (size_t i = 0; i < n; i++) {
        const uint8_t *x = ws_msa_row(p->m, index ? (size_t)index[i] : first + i);
        size_t from, stop;
        *fragments += (size_t)span_of(p, x, &from, &stop);
        p->code->tally_row(x + from, stop - from, K, end, gaps + from, all + from);
        if ((i + 1) % MOST > 0 && i + 1 < n) continue;
        for (size_t c = 0; c < 2 * columns; c++) to[c] += gaps[c];
        memset(gaps, 0, 2 * columns);
    }
    ws_free(gaps);
    return WS_OK;
}

/* Lists the columns where fewer than half of residues and gaps are gaps. */
static void choose_columns(pb *p, const uint32_t *tally) {
    const uint32_t *gaps = tally, *all = tally + p->m->columns;
    p->n = 0;
    for (size_t c = 0; c < p->m->columns; c++)
        if ((float)gaps[c] / (float)all[c] < 0.5f) p->column[p->n++] = c; /* 0/0 is not */
}

/* Chooses the columns from a sample of the rows, unless it has too many fragments. */
static int choose_by_sample(pb *p, ws_err *err) {
    int64_t *index = ws_alloc(SAMPLE * sizeof *index, err);
    uint32_t *tally = index ? ws_calloc(2 * p->m->columns, sizeof *tally, err) : NULL;
    size_t fragments = 0;
    if (index) ws_build_sample((int64_t)p->m->rows, SAMPLE, index);
    const int rc = tally ? tally_rows(p, 0, SAMPLE, index, tally, &fragments, err) : err->code;
    if (!rc && fragments <= SAMPLE_FRAGMENTS) choose_columns(p, tally);
    ws_free(index);
    ws_free(tally);
    return rc;
}

static int tally_share(void *ctx, size_t share, ws_err *err) {
    pb *p = ctx;
    const size_t first = share_from(p, share);
    size_t fragments;
    if (!(p->tally[share] = ws_calloc(2 * p->m->columns, sizeof **p->tally, err))) return err->code;
    return tally_rows(p, first, share_from(p, share + 1) - first, NULL, p->tally[share], &fragments, err);
}

static int choose_by_all(pb *p, int threads, ws_err *err) {
    if (ws_parallel_for(p->shares, threads, tally_share, p, err)) return err->code;
    for (size_t i = 1; i < p->shares; i++)
        for (size_t c = 0; c < 2 * p->m->columns; c++) p->tally[0][c] += p->tally[i][c];
    choose_columns(p, p->tally[0]);
    return WS_OK;
}

static int choose(pb *p, const ws_build_ali_settings *s, ws_err *err) {
    const ws_msa *m = p->m;
    const char *rf = m->line[WS_MSA_RF];
    if (!(p->column = ws_alloc(m->columns * sizeof *p->column, err))) return err->code;
    if (s->hand && rf) {
        for (size_t c = 0; c < m->columns; c++)
            if (ws_msa_is_consensus(rf[c])) p->column[p->n++] = c;
    } else if (m->rows > DEEP && choose_by_sample(p, err)) {
        return err->code;
    }
    if (p->n == 0 && choose_by_all(p, s->threads, err)) return err->code;
    if (p->n > 0) return WS_OK;
    for (size_t c = 0; c < m->columns; c++) p->column[c] = c;
    p->n = m->columns;
    return WS_OK;
}

/* ---- weights ---- */

static int count_share(void *ctx, size_t share, ws_err *err) {
    pb *p = ctx;
    uint32_t *count = p->count[share] = ws_calloc(p->n * CODES, sizeof *count, err);
    if (!count) return err->code;
    for (size_t i = share_from(p, share); i < share_from(p, share + 1); i++) {
        const uint8_t *x = ws_msa_row(p->m, i);
        size_t from, to, j = 0, end = p->n;
        if (span_of(p, x, &from, &to)) {
            while (j < end && p->column[j] < from) j++;
            while (end > j && p->column[end - 1] >= to) end--;
        }
        for (; j < end; j++) count[j * CODES + x[p->column[j]]]++;
    }
    return WS_OK;
}

/* Sets what each code of each column adds: 1 over the kinds of residues there and over how many are of its kind. */
static int set_parts(pb *p, ws_err *err) {
    const int K = p->m->abc->K;
    if (!(p->part = ws_calloc(p->n * CODES, sizeof *p->part, err))) return err->code;
    for (size_t j = 0; j < p->n; j++) {
        const uint32_t *count = p->count[0] + j * CODES;
        int kinds = 0;
        for (int x = 0; x < K; x++) kinds += count[x] > 0;
        for (int x = 0; x < K; x++)
            if (count[x] > 0) p->part[j * CODES + (size_t)x] = 1.0 / ((double)kinds * (double)count[x]);
    }
    return WS_OK;
}

enum { ABREAST = 4 };

/* Weighs n rows from `first` on, at most ABREAST. Their sums are independent, so the processor adds them side by
 * side. */
static void weigh_rows(const pb *p, size_t first, size_t n) {
    const uint8_t *row[ABREAST];
    double sum[ABREAST] = {0};
    int residues[ABREAST] = {0};
    for (size_t i = 0; i < ABREAST; i++) row[i] = ws_msa_row(p->m, first + (i < n ? i : 0));
    for (size_t j = 0; j < p->n; j++)
        for (size_t i = 0; i < ABREAST; i++) {
            const uint8_t x = row[i][p->column[j]];
            sum[i] += p->part[j * CODES + x];
            residues[i] += x < p->m->abc->K;
        }
    for (size_t i = 0; i < n; i++) p->weight[first + i] = residues[i] > 0 ? sum[i] / residues[i] : 0;
}

static int weigh_share(void *ctx, size_t share, ws_err *err) {
    const pb *p = ctx;
    const size_t end = share_from(p, share + 1);
    (void)err;
    for (size_t i = share_from(p, share); i < end; i += ABREAST) weigh_rows(p, i, ws_min(ABREAST, end - i));
    return WS_OK;
}

static int weigh(pb *p, const ws_build_ali_settings *s, ws_err *err) {
    if (choose(p, s, err) || ws_parallel_for(p->shares, s->threads, count_share, p, err)) return err->code;
    for (size_t i = 1; i < p->shares; i++)
        for (size_t c = 0; c < p->n * CODES; c++) p->count[0][c] += p->count[i][c];
    if (set_parts(p, err) || ws_parallel_for(p->shares, s->threads, weigh_share, p, err)) return err->code;
    ws_build_norm_weights(p->weight, p->m->rows);
    return WS_OK;
}

int ws_build_weigh_pb(const ws_msa *m, const ws_build_ali_settings *s, double *weight, ws_err *err) {
    enum { ROWS = 512 }; /* at least so many to a share: its counts are smaller than its rows */
    pb p = {.m = m, .code = ws_build_column_sums_of(s->width), .span = (size_t)ceil((double)(0.5f * (float)m->columns)),
            .shares = m->rows < 2 * ROWS ? 1 : ws_min(m->rows / ROWS, SHARES), .weight = weight};
    const int rc = weigh(&p, s, err);
    for (size_t i = 0; i < SHARES; i++) {
        ws_free(p.tally[i]);
        ws_free(p.count[i]);
    }
    ws_free(p.column);
    ws_free(p.part);
    return rc;
}
