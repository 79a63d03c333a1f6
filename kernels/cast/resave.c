/* SPDX-License-Identifier: MIT
 * The alignment as a model used it: section 10.2 of build.md. Rows are made on demand. */
#include <ctype.h>
#include <string.h>

#include "kernels/cast/align.h"
#include "lib/msa/digital.h"

static size_t column_of(const ws_build_resave *r, int k) { return (size_t)r->a->column[k] - 1; }

/* Sets which nodes have residues, and the longest insertion behind each. */
static void measure(ws_build_resave *r) {
    const ws_msa *m = r->m;
    const int M = r->a->counts.M;
    const uint8_t gap = (uint8_t)m->abc->K, missing = (uint8_t)(m->abc->Kp - 1);
    for (size_t i = 0; i < m->rows; i++) {
        const uint8_t *x = ws_msa_row(m, i);
        for (int k = 0; k <= M; k++) {
            const size_t from = k > 0 ? column_of(r, k) + 1 : 0, to = k < M ? column_of(r, k + 1) : m->columns;
            size_t n = 0;
            if (k > 0) r->used[k] |= x[from - 1] != gap && x[from - 1] != missing;
            for (size_t c = from; c < to; c++) n += x[c] != gap && x[c] != missing;
            r->inserts[k] = ws_max(r->inserts[k], n);
        }
    }
    r->at[0] = 0;
    for (int k = 1; k <= M; k++) r->at[k] = r->at[k - 1] + r->inserts[k - 1] + r->used[k];
}

/* Moves insertions: in front of node 1 to the right, behind others one half of the residues to the left and the rest to
 * the right. */
static void justify(ws_build_resave *r) {
    for (int k = 0; k < r->a->counts.M; k++) {
        const size_t from = r->at[k], to = from + r->inserts[k];
        size_t residues = 0, old = to, new = to;
        if (r->inserts[k] < 2) continue;
        for (size_t c = from; c < to; c++) residues += isalpha((unsigned char)r->text[c]) != 0;
        const size_t stay = from + (k > 0 ? residues / 2 : 0);
        while (old > stay)
            if (r->text[--old] != '.') r->text[--new] = r->text[old];
        while (new > stay) r->text[--new] = '.';
    }
}

/* Returns the node of the first state behind the '~' in front of a row: -1: there is none. */
static int first_node(const ws_build_resave *r, const uint8_t *x) {
    const ws_msa *m = r->m;
    const int M = r->a->counts.M;
    int k = 0;
    for (size_t c = 0; c < m->columns; c++) {
        const int node = k < M && c == column_of(r, k + 1);
        k += node;
        if (x[c] != m->abc->Kp - 1 && (node || x[c] != m->abc->K)) return k;
    }
    return -1;
}

/* Writes the states of a row from column c and text position `at` on. */
static void put_states(ws_build_resave *r, const uint8_t *x) {
    const ws_msa *m = r->m;
    const char *letters = m->abc->letters;
    const int M = r->a->counts.M;
    const size_t columns = r->source.columns;
    const uint8_t gap = (uint8_t)m->abc->K, missing = (uint8_t)(m->abc->Kp - 1);
    size_t at = 0, c = 0;
    int k = 0;
    if (x[0] == missing) {
        const int first = first_node(r, x);
        if (first < 0) return; /* only '~': the row stays as it is */
        at = r->at[first];
        memset(r->text, '~', at);
        for (; x[c] == missing; c++) k += k < M && c == column_of(r, k + 1);
    }
    for (; c < m->columns; c++) {
        const int node = k < M && c == column_of(r, k + 1);
        k += node;
        if (x[c] == missing) {
            memset(r->text + at, '~', columns - at);
            return;
        }
        if (node) at = r->at[k];
        if (node && r->used[k])
            r->text[at - 1] = x[c] == gap ? '-' : (char)toupper((unsigned char)letters[x[c]]);
        else if (!node && x[c] != gap)
            r->text[at++] = (char)tolower((unsigned char)letters[x[c]]);
    }
}

static int row_head(void *of, size_t i, int texts, ws_msarow *row, ws_buf *scratch, ws_err *err) {
    const ws_build_resave *r = of;
    (void)texts, (void)scratch, (void)err;
    row->name = ws_msa_name(r->m, i);
    row->weight = r->a->weight[i];
    return WS_OK;
}

static int row_body(void *of, size_t i, ws_msarow *row, ws_err *err) {
    ws_build_resave *r = of;
    (void)err;
    memset(r->text, '.', r->source.columns);
    for (int k = 1; k <= r->a->counts.M; k++)
        if (r->used[k]) r->text[r->at[k] - 1] = '-';
    put_states(r, ws_msa_row(r->m, i));
    justify(r);
    row->text = r->text;
    return WS_OK;
}

int ws_build_resave_open(ws_build_resave *r, const ws_build_ali *a, const ws_msa *m, const char *name, ws_err *err) {
    const size_t M = (size_t)a->counts.M;
    *r = (ws_build_resave){.a = a, .m = m};
    if (!(r->used = ws_calloc(M + 1, 1, err)) || !(r->at = ws_calloc(M + 1, sizeof *r->at, err)) ||
        !(r->inserts = ws_calloc(M + 1, sizeof *r->inserts, err)))
        return err->code;
    measure(r);
    const size_t columns = r->at[M] + r->inserts[M];
    if (!(r->text = ws_calloc(columns + 1, 1, err)) || !(r->rf = ws_calloc(columns + 1, 1, err))) return err->code;
    memset(r->rf, '.', columns);
    for (size_t k = 1; k <= M; k++)
        if (r->used[k]) r->rf[r->at[k] - 1] = 'x';
    r->source = (ws_msasource){.id = name, .acc = m->acc, .desc = m->desc, .rows = m->rows,
                               .columns = columns, .weights = a->has_weights, .rf = r->rf, .of = r, .head = row_head,
                               .body = row_body};
    return WS_OK;
}

void ws_build_resave_release(ws_build_resave *r) {
    ws_free(r->used);
    ws_free(r->at);
    ws_free(r->inserts);
    ws_free(r->text);
    ws_free(r->rf);
    *r = (ws_build_resave){0};
}
