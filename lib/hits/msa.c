/* SPDX-License-Identifier: MIT
 * Included domains as one multiple alignment: hmmsearch -A, A2M and A3M. Specification domains.md, section 11.4.
 *
 * Every node is a column. Between nodes k and k+1 stand as many columns as the longest insert there has residues. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hits/write.h"

typedef struct msa {
    const ws_hitquery *query;
    size_t rows;
    size_t *first;   /* [M + 2] column of node k; of M + 1: the number of columns */
    double *sum;     /* [M + 1] posteriors of node k, over rows with a residue there */
    size_t *used;    /* [M + 1] such rows */
    size_t name_width;
    int prefix;      /* characters of the numbers that make names different, with the '|'; 0: they are */
    char *row, *pp;  /* [columns + 1] of the row at hand */
} msa;

typedef void each_fn(msa *m, ws_sink *s, const ws_held *h, const ws_held_domain *d, size_t number);

/* Calls one() for each included domain. */
static void each(msa *m, ws_sink *s, each_fn *one) {
    const ws_hitlist *l = m->query->list;
    size_t number = 0;
    for (size_t i = 0; i < l->n; i++)
        for (uint32_t j = 0; j < l->hit[i]->n && (l->hit[i]->flags & WS_HELD_INCLUDED); j++) {
            const ws_held_domain *d = &ws_held_domains(l->hit[i])[j];
            if (d->flags & WS_HELD_INCLUDED) one(m, s, l->hit[i], d, number++);
        }
}

/* ---- the columns ---- */

/* The posterior that a code stands for (p of section 11.4). */
static float posterior_of(uint8_t column) {
    const int code = column & WS_COLUMN_CODE;
    return code == WS_CODE_STAR ? 1.0f : code == 0 ? 0.01f : (float)code / 10.0f;
}

/* first[k + 1] takes the longest insert after node k; posteriors of nodes are summed up. */
static void measure(msa *m, ws_sink *s, const ws_held *h, const ws_held_domain *d, size_t number) {
    const uint8_t *column = ws_held_columns(h, d);
    size_t k = d->hmm_from, insert = 0;
    char name[64];
    (void)s;
    (void)number;
    for (size_t c = 0; c < d->ncolumn; c++) {
        const int state = column[c] & WS_COLUMN_STATE;
        if (state == WS_COLUMN_I) {
            insert++;
            m->first[k] = ws_max(m->first[k], insert); /* k: the node after the insert */
            continue;
        }
        insert = 0;
        if (state == WS_COLUMN_M) {
            m->sum[k] += (double)posterior_of(column[c]);
            m->used[k]++;
        }
        k++;
    }
    m->rows++;
    const int ends = snprintf(name, sizeof name, "/%u-%u", d->ali_from, d->ali_to);
    m->name_width = ws_max(m->name_width, strlen(ws_held_text(h, h->name)) + (size_t)ends);
}

/* From lengths of inserts to places of nodes. */
static void place(msa *m) {
    const size_t M = (size_t)m->query->hmm->M;
    size_t at = 0;
    for (size_t k = 1; k <= M + 1; k++) {
        at += m->first[k];
        m->first[k] = at++;
    }
}

/* ---- one row ---- */

static int is_gap(char c) { return c == '-' || c == '.'; }

/* Moves the second half of an insert, which fills columns from .. to - 1 from the left, to their right end. */
static void spread(msa *m, size_t from, size_t to) {
    size_t letters = 0, old = to, new = to;
    for (size_t c = from; c < to; c++) letters += isalpha((unsigned char)m->row[c]) != 0;
    const size_t stay = from + letters / 2;
    while (old > stay) {
        old--;
        if (is_gap(m->row[old])) continue;
        new--;
        m->row[new] = m->row[old];
        m->pp[new] = m->pp[old];
    }
    for (; new > stay; new--) m->row[new - 1] = m->pp[new - 1] = '.';
}

static void make_row(msa *m, const ws_held *h, const ws_held_domain *d) {
    const uint8_t *column = ws_held_columns(h, d), *x = ws_held_residues(h, d);
    const ws_abc *abc = m->query->hmm->abc;
    const size_t M = (size_t)m->query->hmm->M, n = m->first[M + 1];
    size_t k = d->hmm_from, at = 0;
    memset(m->row, '.', n);
    memset(m->pp, '.', n);
    for (size_t j = 1; j <= M; j++) m->row[m->first[j]] = '-';
    for (size_t c = 0; c < d->ncolumn; c++) {
        const int state = column[c] & WS_COLUMN_STATE;
        if (state != WS_COLUMN_I) at = m->first[k++];
        if (state == WS_COLUMN_M) m->row[at] = (char)toupper(ws_ali_letter(abc, *x++));
        if (state == WS_COLUMN_I) m->row[at] = (char)tolower(ws_ali_letter(abc, *x++));
        if (state != WS_COLUMN_D) m->pp[at] = ws_code_letter(column[c]);
        at++;
    }
    for (size_t j = 1; j < M; j++)
        if (m->first[j + 1] - m->first[j] > 2) spread(m, m->first[j] + 1, m->first[j + 1]);
}

/* ---- names ---- */

static void name_of(const msa *m, ws_sink *s, const ws_held *h, const ws_held_domain *d, size_t number) {
    if (m->prefix) ws_sink_f(s, "%0*zu|", m->prefix - 1, number);
    ws_sink_f(s, "%s/%u-%u", ws_held_text(h, h->name), d->ali_from, d->ali_to);
}

typedef struct named {
    const char *name;
    uint32_t from, to;
} named;

static int compare(const void *a, const void *b) {
    const named *p = a, *q = b;
    const int by_name = strcmp(p->name, q->name);
    if (by_name) return by_name;
    if (p->from != q->from) return p->from < q->from ? -1 : 1;
    return p->to < q->to ? -1 : p->to > q->to;
}

/* Sets m->prefix if two rows share their name. */
static void look_for_twins(msa *m, ws_sink *s) {
    const ws_hitlist *l = m->query->list;
    size_t n = 0;
    named *all = ws_calloc(m->rows, sizeof *all, &s->err);
    for (size_t i = 0; all && i < l->n; i++)
        for (uint32_t j = 0; j < l->hit[i]->n && (l->hit[i]->flags & WS_HELD_INCLUDED); j++) {
            const ws_held_domain *d = &ws_held_domains(l->hit[i])[j];
            if (d->flags & WS_HELD_INCLUDED)
                all[n++] = (named){ws_held_text(l->hit[i], l->hit[i]->name), d->ali_from, d->ali_to};
        }
    if (all) qsort(all, n, sizeof *all, compare);
    for (size_t i = 1; i < n && !m->prefix; i++)
        if (compare(&all[i - 1], &all[i]) == 0)
            for (m->prefix = 1; n > 0; n /= 10) m->prefix++;
    ws_free(all);
}

/* ---- forms ---- */

static void put_description(msa *m, ws_sink *s, const ws_held *h, const ws_held_domain *d, size_t number) {
    const size_t before = s->text.n;
    const char *desc = ws_held_text(h, h->desc);
    ws_sink_f(s, "#=GS ");
    name_of(m, s, h, d, number);
    const size_t width = s->text.n - before - 5;
    ws_sink_f(s, "%*s DE [subseq from] %s\n", (int)(m->name_width + (size_t)m->prefix - width), "",
              *desc ? desc : ws_held_text(h, h->name));
    ws_sink_pause(s);
}

static size_t margin_of(const msa *m) { return m->name_width + (size_t)m->prefix + 9; }

/* A block of columns of all rows; m->row and m->pp are made anew for each, so that memory does not grow with rows. */
typedef struct block {
    size_t from, n;
} block;

static void put_piece(msa *m, ws_sink *s, const ws_held *h, const ws_held_domain *d, size_t number, block b) {
    size_t before = s->text.n;
    const int names = (int)(m->name_width + (size_t)m->prefix);
    make_row(m, h, d);
    name_of(m, s, h, d, number);
    ws_sink_f(s, "%*s %.*s\n", (int)(margin_of(m) - 1 - (s->text.n - before)), "", (int)b.n, m->row + b.from);
    before = s->text.n;
    ws_sink_f(s, "#=GR ");
    name_of(m, s, h, d, number);
    ws_sink_f(s, "%*s PP %.*s\n", names + 5 - (int)(s->text.n - before), "", (int)b.n, m->pp + b.from);
    ws_sink_pause(s);
}

/* The lines for all rows: mean posteriors, and which columns are nodes. */
static void put_consensus(msa *m, ws_sink *s, block b) {
    const size_t M = (size_t)m->query->hmm->M;
    const int margin = (int)margin_of(m);
    memset(m->row, '.', m->first[M + 1]);
    memset(m->pp, '.', m->first[M + 1]);
    for (size_t k = 1; k <= M; k++) {
        m->row[m->first[k]] = 'x';
        if (m->used[k]) m->pp[m->first[k]] = ws_code_letter(ws_dom_code_of((float)(m->sum[k] / (double)m->used[k])));
    }
    ws_sink_f(s, "#=GC %-*s %.*s\n", margin - 6, "PP_cons", (int)b.n, m->pp + b.from);
    ws_sink_f(s, "#=GC %-*s %.*s\n", margin - 6, "RF", (int)b.n, m->row + b.from);
}

static void put_stockholm(msa *m, ws_sink *s) {
    const ws_hmm *hmm = m->query->hmm;
    const ws_hitlist *l = m->query->list;
    const size_t columns = m->first[hmm->M + 1], width = m->query->msa_width ? m->query->msa_width : columns;
    look_for_twins(m, s);
    ws_sink_f(s, "# STOCKHOLM 1.0\n");
    if (m->prefix) ws_sink_f(s, "# WARNING: seq names have been made unique by adding a prefix of \"<seq#>|\"\n");
    ws_sink_f(s, "#=GF ID %s\n", hmm->name);
    if (hmm->acc) ws_sink_f(s, "#=GF AC %s\n", hmm->acc);
    if (hmm->desc) ws_sink_f(s, "#=GF DE %s\n", hmm->desc);
    ws_sink_f(s, "#=GF AU %s\n\n", m->query->author);
    each(m, s, put_description);
    ws_sink_f(s, "\n");
    for (size_t from = 0; from < columns; from += width) {
        const block b = {from, ws_min(width, columns - from)};
        size_t number = 0;
        if (from > 0) ws_sink_f(s, "\n");
        for (size_t i = 0; i < l->n; i++)
            for (uint32_t j = 0; j < l->hit[i]->n && (l->hit[i]->flags & WS_HELD_INCLUDED); j++) {
                const ws_held_domain *d = &ws_held_domains(l->hit[i])[j];
                if (d->flags & WS_HELD_INCLUDED) put_piece(m, s, l->hit[i], d, number++, b);
            }
        put_consensus(m, s, b);
    }
    ws_sink_f(s, "//\n");
}

static void put_header(ws_sink *s, const ws_held *h, const ws_held_domain *d) {
    const char *desc = ws_held_text(h, h->desc);
    ws_sink_f(s, ">%s/%u-%u%s%s\n", ws_held_text(h, h->name), d->ali_from, d->ali_to, *desc ? " " : "", desc);
}

static void put_a2m(msa *m, ws_sink *s, const ws_held *h, const ws_held_domain *d, size_t number) {
    (void)number;
    put_header(s, h, d);
    make_row(m, h, d);
    m->row[m->first[m->query->hmm->M + 1]] = '\n';
    ws_sink_add(s, m->row, m->first[m->query->hmm->M + 1] + 1);
    ws_sink_pause(s);
}

static int open_msa(msa *m, ws_sink *s) {
    const size_t M = (size_t)m->query->hmm->M;
    if (!(m->first = ws_calloc(M + 2, sizeof *m->first, &s->err))) return s->err.code;
    if (!(m->sum = ws_calloc(M + 1, sizeof *m->sum, &s->err))) return s->err.code;
    if (!(m->used = ws_calloc(M + 1, sizeof *m->used, &s->err))) return s->err.code;
    each(m, s, measure);
    place(m);
    if (!(m->row = ws_calloc(m->first[M + 1] + 1, 1, &s->err))) return s->err.code;
    if (!(m->pp = ws_calloc(m->first[M + 1] + 1, 1, &s->err))) return s->err.code;
    return WS_OK;
}

static void write_msa(ws_sink *s, const ws_hitquery *q, void (*put)(msa *m, ws_sink *s)) {
    msa m = {.query = q};
    if (s->err.code == WS_OK && open_msa(&m, s) == WS_OK && m.rows > 0) put(&m, s);
    ws_free(m.first);
    ws_free(m.sum);
    ws_free(m.used);
    ws_free(m.row);
    ws_free(m.pp);
}

static void put_all_a2m(msa *m, ws_sink *s) { each(m, s, put_a2m); }

void ws_write_stockholm(ws_sink *s, const ws_hitquery *q) { write_msa(s, q, put_stockholm); }
void ws_write_a2m(ws_sink *s, const ws_hitquery *q) { write_msa(s, q, put_all_a2m); }

/* ---- records that stand alone ---- */

static void put_dashes(ws_sink *s, size_t n) {
    for (; n > 0; n--) ws_sink_add(s, "-", 1);
}

void ws_write_a3m_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    ws_alilines a = {0};
    for (uint32_t j = 0; j < h->n && (h->flags & WS_HELD_INCLUDED); j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        if (!(d->flags & WS_HELD_INCLUDED) || ws_alilines_make(&a, q, h, d, &s->err) != WS_OK) continue;
        put_header(s, h, d);
        put_dashes(s, d->hmm_from - 1);
        ws_sink_add(s, a.target, a.n);
        put_dashes(s, (size_t)q->hmm->M - d->hmm_to);
        ws_sink_add(s, "\n", 1);
        ws_sink_pause(s);
    }
    ws_alilines_release(&a);
}

void ws_write_fasta_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    for (uint32_t j = 0; j < h->n && (h->flags & WS_HELD_REPORTED); j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        const uint8_t *x = ws_held_residues(h, d);
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        put_header(s, h, d);
        for (uint32_t i = d->ali_from; i <= d->ali_to; i++) ws_sink_add(s, &q->hmm->abc->letters[*x++], 1);
        ws_sink_add(s, "\n", 1);
        ws_sink_pause(s);
    }
}

void ws_write_ids_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    (void)q;
    if (h->flags & WS_HELD_REPORTED) ws_sink_f(s, "%s\n", ws_held_text(h, h->name));
    ws_sink_pause(s);
}
