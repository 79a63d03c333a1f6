/* SPDX-License-Identifier: MIT
 * Results as text: rows of a table, or the matrix layout of gpuPairHMM. */
#include "bin/likelihoods/format.h"

#include "lib/base/number.h"

#include <math.h>
#include <string.h>

static const char *const batch_columns[] = {"batch",    "read", "hap", "read_len", "hap_len", "log10_likelihood",
                                            "precision"};
static const char *const results_columns[] = {"pair", "read_len", "hap_len", "log10_likelihood", "precision"};
static const char *const help_columns[] = {"batch",   "read",    "hap (of results: pair)",
                                           "read_len", "hap_len", "log10_likelihood", "precision (with --raw)"};
const ws_names ws_pairhmm_help_columns = WS_NAMES(help_columns);
static const char *const stages[] = {"single", "double", "scaled"};

ws_names ws_pairhmm_columns(ws_pairhmm_format f, int raw) {
    static const ws_names batch = WS_NAMES(batch_columns), results = WS_NAMES(results_columns);
    ws_names all = f == WS_PAIRHMM_RESULTS ? results : batch;
    if (!raw) all.n--;
    return all;
}

/* ---- numbers: printf is as slow as a small pair ---- */

static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

/* Writes v, |v| below 10^6, with at most 12 decimals: the scaled value is an integer of at most 18 digits. */
static char *put_value(char *to, double v, int decimals) {
    if (isinf(v)) {
        memcpy(to, "-inf", 4);
        return to + 4;
    }
    const int64_t scaled = llrint(v * power[decimals]);
    const uint64_t size = scaled < 0 ? 0 - (uint64_t)scaled : (uint64_t)scaled, unit = (uint64_t)power[decimals];
    if (scaled < 0) *to++ = '-';
    to = ws_number_put(to, (int64_t)(size / unit));
    if (!decimals) return to;
    uint64_t rest = size % unit;
    *to = '.';
    for (int i = decimals; i > 0; i--, rest /= 10) to[i] = (char)('0' + rest % 10);
    return to + decimals + 1;
}

static char *put_word(char *to, const char *word) {
    const size_t n = strlen(word);
    memcpy(to, word, n);
    return to + n;
}

/* ---- rows ---- */

enum { VALUE_MAX = 24, ROW_MAX = 192 };

typedef struct row {
    uint64_t batch, read, hap, m, n;
    const ws_pairhmm_result *result;
} row;

static char *put_column(char *to, int c, const row *r, int decimals) {
    switch (c) {
    case 0: return ws_number_put(to, (int64_t)r->batch);
    case 1: return ws_number_put(to, (int64_t)r->read);
    case 2: return ws_number_put(to, (int64_t)r->hap);
    case 3: return ws_number_put(to, (int64_t)r->m);
    case 4: return ws_number_put(to, (int64_t)r->n);
    case 5: return put_value(to, r->result->log10, decimals);
    default: return put_word(to, stages[r->result->precision]);
    }
}

static int add_row(const ws_pairhmm_style *style, ws_pairhmm_format f, const row *r, ws_buf *out, ws_err *err) {
    int rc = ws_buf_reserve(out, ROW_MAX, err);
    if (rc) return rc;
    char *to = out->p + out->n;
    for (int i = 0; i < style->ncolumn; i++) {
        const int c = style->column[i]; /* results text has the first and the last four columns of batch text */
        to = put_column(to, f == WS_PAIRHMM_RESULTS && c > 0 ? c + 2 : c, r, style->decimals);
        *to++ = i + 1 < style->ncolumn ? '\t' : '\n';
    }
    out->n = (size_t)(to - out->p);
    return WS_OK;
}

static int table(const ws_pairhmm_style *style, ws_pairhmm_format f, uint64_t first_pair, const ws_pairhmm_text *t,
                 const ws_pairhmm_region *g, const ws_pairhmm_result *result, ws_outtext *out, ws_err *err) {
    for (size_t i = 0; i < g->R; i++)
        for (size_t j = 0; j < g->H; j++) {
            const size_t pair = g->pair + i * g->H + j;
            const row r = {f == WS_PAIRHMM_RESULTS ? first_pair + pair : g->number,
                           g->first + i,
                           j,
                           t->read[g->read + i].m,
                           t->hap[g->hap + j].n,
                           &result[pair]};
            int rc = add_row(style, f, &r, &out->text, err);
            if (rc) return rc;
            out->rows++;
        }
    return WS_OK;
}

static int matrix(const ws_pairhmm_style *style, const ws_pairhmm_region *g, const ws_pairhmm_result *result,
                  ws_outtext *out, ws_err *err) {
    int rc = g->first ? WS_OK : ws_buf_addf(&out->text, err, "%llu %zu\n", (unsigned long long)g->all, g->H);
    for (size_t i = 0; i < g->R && !rc; i++) {
        rc = ws_buf_reserve(&out->text, (g->H + 1) * (VALUE_MAX + 1), err);
        if (rc) return rc;
        char *to = out->text.p + out->text.n;
        for (size_t j = 0; j < g->H; j++) {
            if (j) *to++ = ' ';
            to = put_value(to, result[g->pair + i * g->H + j].log10, style->decimals);
        }
        *to++ = '\n';
        out->text.n = (size_t)(to - out->text.p);
        out->rows++;
    }
    return rc;
}

int ws_pairhmm_write(const ws_pairhmm_style *style, ws_pairhmm_format f, uint64_t first_pair, const ws_pairhmm_text *t,
                     const ws_pairhmm_result *result, ws_outtext *out, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < t->nregion && !rc; i++)
        rc = style->matrix ? matrix(style, &t->region[i], result, out, err)
                           : table(style, f, first_pair, t, &t->region[i], result, out, err);
    return rc;
}
