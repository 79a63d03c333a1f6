/* SPDX-License-Identifier: MIT
 * Rows in common columns: every node is a column, and behind it stand as many columns as the longest insertion there
 * has residues. Specification build.md, sections 10.2 and 14. */
#include "bin/fit/fit.h"

#include <ctype.h>
#include <string.h>

/* ---- the columns ---- */

int ws_fitcolumns_create(ws_fitcolumns *c, const ws_hmm *hmm, const uint32_t *widths, ws_err *err) {
    const size_t M = (size_t)hmm->M;
    *c = (ws_fitcolumns){0};
    if (!(c->ins = ws_calloc(M + 1, sizeof *c->ins, err))) return err->code;
    if (!(c->first = ws_calloc(M + 1, sizeof *c->first, err))) return err->code;
    if (widths) memcpy(c->ins, widths, (M + 1) * sizeof *widths);
    c->n = c->ins[0];
    for (size_t k = 1; k <= M; k++) {
        c->first[k] = c->n;
        c->n += 1 + (size_t)c->ins[k];
    }
    if (!(c->rf = ws_alloc(5 * (c->n + 1), err))) return err->code;
    c->mm = hmm->note[WS_NOTE_MM] ? c->rf + (c->n + 1) : NULL;
    c->row = c->rf + 2 * (c->n + 1);
    c->pp = c->row + (c->n + 1);
    c->empty = c->pp + (c->n + 1);
    memset(c->rf, '.', 2 * (c->n + 1));
    memset(c->empty, '.', c->n + 1);
    for (size_t k = 1; k <= M; k++) {
        c->rf[c->first[k]] = 'x';
        c->empty[c->first[k]] = '-';
        /* hmmalign never shows the mask of the last node */
        if (c->mm && k < M) c->mm[c->first[k]] = hmm->note[WS_NOTE_MM][k];
    }
    return WS_OK;
}

void ws_fitcolumns_release(ws_fitcolumns *c) {
    ws_free(c->ins);
    ws_free(c->first);
    ws_free(c->rf);
    *c = (ws_fitcolumns){0};
}

/* ---- a row ---- */

void ws_fitrow_set(ws_fitrow *r, const ws_abc *abc, const ws_dom_whole *a) {
    r->code = a->x;
    r->L = a->L;
    r->column = a->column;
    r->ncolumn = a->ncolumn;
    r->outside = a->outside;
    r->k_from = a->k_from;
    r->before = a->i_to ? a->i_from - 1 : a->L;
    r->after = a->i_to ? a->L - a->i_to : 0;
    r->posteriors = 1;
    r->gaps = a->L && memchr(a->x, abc->K, a->L) != NULL;
}

static int is_insert(uint8_t column) { return (column & WS_COLUMN_STATE) == WS_COLUMN_I; }

/* Returns how many residues the insertion that begins at column c has. */
static uint32_t insertion(const ws_fitrow *r, uint32_t c) {
    uint32_t n = 0;
    while (c + n < r->ncolumn && is_insert(r->column[c + n])) n++;
    return n;
}

void ws_fitrow_measure(const ws_fitrow *r, int M, int trim, uint32_t *ins) {
    uint32_t k = r->k_from;
    if (!trim) {
        ins[0] = ws_max(ins[0], r->before);
        ins[M] = ws_max(ins[M], r->after);
    }
    for (uint32_t c = 0; c < r->ncolumn; c++) {
        const uint32_t n = insertion(r, c);
        if (n) ins[k - 1] = ws_max(ins[k - 1], n);
        c += n;
        k++;
    }
}

/* A block of columns that is filled. */
typedef struct block {
    ws_fitcolumns *c;
    size_t from, to;
} block;

static void put(const block *b, size_t at, char letter, char pp) {
    if (at < b->from || at >= b->to) return;
    b->c->row[at] = letter;
    b->c->pp[at] = pp;
}

char ws_fitrow_code_letter(uint8_t code) {
    code &= WS_COLUMN_CODE;
    return (char)(code == WS_CODE_NONE ? '.' : code == WS_CODE_STAR ? '*' : '0' + code);
}

static char letter_of(const ws_abc *abc, uint8_t x) { return x == abc->K ? '-' : abc->letters[x]; }
static char inserted(const ws_abc *abc, uint8_t x) { return (char)tolower((unsigned char)letter_of(abc, x)); }

/* Puts n residues, with codes of posteriors, into columns that follow one another. */
static void put_run(const block *b, const ws_abc *abc, const uint8_t *x, const uint8_t *code, size_t n, size_t at) {
    const size_t lo = b->from > at ? b->from - at : 0, hi = b->to > at ? ws_min(n, b->to - at) : 0;
    for (size_t j = lo; j < hi; j++) put(b, at + j, inserted(abc, x[j]), code ? ws_fitrow_code_letter(code[j]) : '.');
}

/* Puts residues at the right end of columns. Gaps, which a sequence may have, are left out. */
static void put_right(const block *b, const ws_abc *abc, const uint8_t *x, const uint8_t *code, size_t n, size_t end,
                      int gaps) {
    if (!gaps) put_run(b, abc, x, code, n, end - n);
    else
        for (size_t j = n; j > 0 && end > b->from; j--)
            if (x[j - 1] != abc->K)
                put(b, --end, inserted(abc, x[j - 1]), code ? ws_fitrow_code_letter(code[j - 1]) : '.');
}

/* Puts an insertion: half of it, by its letters, stands at the left end of its columns and the rest at the right;
 * whole: all at the left. */
static void put_insertion(const block *b, const ws_abc *abc, const uint8_t *x, const uint8_t *code, size_t n, size_t at,
                          size_t width, int gaps, int whole) {
    size_t letters = 0;
    for (size_t j = 0; j < n; j++) letters += isalpha((unsigned char)letter_of(abc, x[j])) != 0;
    const size_t stay = width > 1 && !whole ? letters / 2 : n;
    put_run(b, abc, x, code, stay, at);
    put_right(b, abc, x + stay, code + stay, n - stay, at + width, gaps);
}

/* Fills the block with '~' where a row of --mapali has begun later or ended before. */
static void put_missing(const block *b, const ws_fitrow *r, int trim, uint32_t node, size_t last_run) {
    const ws_fitcolumns *c = b->c;
    size_t from = 0, to = 0;
    if (r->lead) to = (r->lead_node ? c->first[r->lead_node] : 0) + (size_t)r->lead_through;
    if (r->lead && to > b->from) memset(b->c->row + b->from, '~', ws_min(to, b->to) - b->from);
    if (!r->trail) return;
    if (node > 1) from = c->first[node - 1] + 1 + last_run;
    else from = trim ? 0 : r->before;
    if (r->after && !trim) from += r->after;
    from = ws_max(from, b->from);
    if (from < b->to) memset(b->c->row + from, '~', b->to - from);
}

/* Sets the node behind a row's last one, and the residues of the insertion that it ends with. */
static void end_of(const ws_fitrow *r, uint32_t *node, size_t *last_run) {
    *node = r->k_from;
    *last_run = 0;
    for (uint32_t c = 0; c < r->ncolumn; c++) {
        *last_run = is_insert(r->column[c]) ? *last_run + 1 : 0;
        *node += *last_run == 0;
    }
}

void ws_fitrow_fill(const ws_fitrow *r, const ws_hmm *hmm, int trim, ws_fitcolumns *c, ws_fitplace *p, size_t from,
                    size_t to) {
    const block b = {c, from, to};
    const ws_abc *abc = hmm->abc;
    const size_t M = (size_t)hmm->M;
    memcpy(c->row + from, c->empty + from, to - from);
    memset(c->pp + from, '.', to - from);
    if (from == 0) *p = (ws_fitplace){.residue = r->before, .node = r->k_from};
    if (r->lead || r->trail) {
        uint32_t node;
        size_t last_run;
        end_of(r, &node, &last_run);
        put_missing(&b, r, trim, node, last_run);
    }
    if (!trim && r->trail && r->ncolumn == 0) {
        put_run(&b, abc, r->code, NULL, r->before, 0);
    } else if (!trim) {
        put_right(&b, abc, r->code, r->outside, r->before, c->ins[0], r->gaps && c->ins[0] > 1);
        put_run(&b, abc, r->code + (r->L - r->after), r->outside ? r->outside + (r->L - r->after) : NULL, r->after,
                c->first[M] + 1);
    }
    while (p->column < r->ncolumn) {
        const uint8_t *column = r->column + p->column;
        const uint32_t n = insertion(r, p->column);
        const size_t at = n ? c->first[p->node - 1] + 1 : c->first[p->node];
        if (at >= to) break;
        if (n) {
            const size_t width = c->ins[p->node - 1];
            put_insertion(&b, abc, r->code + p->residue, column, n, at, width, r->gaps,
                          r->trail && p->column + n == r->ncolumn);
            if (at + width > to) break; /* the next block has the rest */
            p->column += n;
            p->residue += n;
            continue;
        }
        if ((*column & WS_COLUMN_STATE) == WS_COLUMN_M) {
            const char letter = letter_of(abc, r->code[p->residue]);
            put(&b, at, (char)toupper((unsigned char)letter), ws_fitrow_code_letter(*column));
            p->residue++;
        }
        p->column++;
        p->node++;
    }
}
