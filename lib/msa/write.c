/* SPDX-License-Identifier: MIT
 * Multiple alignments as text: see lib/msa/write.h. Specification domains.md, section 11.4, and build.md, 10.2. */
#include "lib/msa/write.h"

#include "lib/base/parallel_for.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LINE = 60, BLOCK = 200 };

static const char *const form_name[WS_MSAFORM_N] = {"stockholm", "pfam", "a2m", "afa", "psiblast", "a3m", ""};

int ws_msaform_find(const char *name) {
    for (int f = 0; f < WS_MSAFORM_N; f++)
        if (*form_name[f] && !strcasecmp(name, form_name[f])) return f;
    return -1;
}

/* An alignment while it is written. */
typedef struct out {
    ws_sink *s;
    const ws_msasource *m;
    ws_msaform form;
    size_t name_width;
    int digits; /* of the numbers in front of names; 0: names differ */
    size_t from, n; /* columns that are written of each row */
    ws_buf text;    /* for head(), where there is one thread */
} out;

/* Returns what head() sets, or an empty row after a failure. */
static ws_msarow head_of(const out *o, ws_sink *s, size_t i, ws_buf *text) {
    ws_msarow row = {0};
    if (s->err.code != WS_OK || o->m->head(o->m->of, i, &row, text, &s->err) != WS_OK) return (ws_msarow){.name = ""};
    return row;
}

/* ---- rows, on several threads ---- */

/* Rows that a thread writes, and its memory. */
typedef struct hand {
    out *o;
    ws_sink *s;   /* the alignment's own, or one whose text goes there later */
    ws_buf head;  /* texts of the row at hand */
    ws_buf text;  /* its columns and their posteriors */
    ws_buf scratch;
} hand;

typedef void put_row(hand *h, const ws_msarow *row, size_t i);

static void hand_release(hand *h) {
    ws_buf_release(&h->head);
    ws_buf_release(&h->text);
    ws_buf_release(&h->scratch);
}

/* Makes columns from .. from + n - 1 of row i. Returns 0 after a failure, which the sink has. */
static int make_row(hand *h, size_t i, ws_msarow *row) {
    const ws_msasource *m = h->o->m;
    ws_sink *s = h->s;
    *row = head_of(h->o, s, i, &h->head);
    if (!m->piece) {
        if (s->err.code != WS_OK || m->body(m->of, i, row, &s->err) != WS_OK) return 0;
        row->text += h->o->from;
        if (row->pp) row->pp += h->o->from;
        return 1;
    }
    char *text = s->err.code ? NULL : ws_buf_scratch(&h->text, 2 * h->o->n + 1, &s->err);
    if (!text) return 0;
    row->text = text;
    row->pp = m->posteriors ? text + h->o->n : NULL;
    if (m->piece(m->of, i, h->o->from, h->o->n, text, text + h->o->n, &h->scratch, &s->err)) return 0;
    if (row->pp && !*row->pp) row->pp = NULL;
    return 1;
}

static void put_some(hand *h, put_row *put, size_t from, size_t to) {
    for (size_t i = from; i < to && h->s->err.code == WS_OK; i++) {
        ws_msarow row;
        if (!make_row(h, i, &row)) return;
        put(h, &row, i);
        if (h->s == h->o->s) ws_sink_pause(h->s);
    }
}

/* A round of threads: shares of rows, whose text goes on in order. */
enum { SHARES = 4 /* for each thread */, SHARE_ROWS = 64, SHARE_BYTES = 1 << 18 };

typedef struct shares {
    out *o;
    put_row *put;
    size_t first, rows; /* of the round; of a share */
    ws_sink *made, *before; /* the shares of this round, and those of the one before, which go on meanwhile */
    size_t nbefore;
} shares;

static int hand_on(shares *r, ws_err *err) {
    ws_sink *s = r->o->s;
    for (size_t k = 0; k < r->nbefore; k++) {
        ws_sink_add(s, r->before[k].text.p, r->before[k].text.n);
        ws_sink_pause(s);
        r->before[k].text.n = 0;
    }
    r->nbefore = 0;
    if (s->err.code) *err = s->err;
    return s->err.code;
}

/* Does the first piece of work of a round, which is to hand the last one's shares on, or makes share k - 1. */
static int put_share(void *of, size_t k, ws_err *err) {
    shares *r = of;
    if (k == 0) return hand_on(r, err);
    hand h = {.o = r->o, .s = &r->made[k - 1]};
    const size_t from = r->first + (k - 1) * r->rows;
    put_some(&h, r->put, from, ws_min(from + r->rows, r->o->m->rows));
    hand_release(&h);
    if (h.s->err.code) *err = h.s->err;
    return h.s->err.code;
}

static void put_shares(shares *r, size_t most) {
    ws_sink *s = r->o->s, *all = ws_calloc(2 * most, sizeof *all, &s->err);
    const size_t rows = r->o->m->rows;
    ws_err err = {0};
    int rc = all ? WS_OK : s->err.code;
    r->made = all;
    r->before = all + most;
    for (r->first = 0; r->first < rows && !rc; r->first += most * r->rows) {
        const size_t n = ws_min(most, (rows - r->first + r->rows - 1) / r->rows);
        rc = ws_parallel_for(n + 1, r->o->m->threads, put_share, r, &err);
        ws_sink *const next = r->before;
        r->before = r->made;
        r->made = next;
        r->nbefore = n;
    }
    if (!rc) rc = hand_on(r, &err);
    if (rc && all) s->err = err;
    for (size_t k = 0; k < 2 * most && all; k++) ws_sink_release(&all[k]);
    ws_free(all);
}

/* Writes columns from .. from + n - 1 of all rows. */
static void put_rows(out *o, size_t from, size_t n, put_row *put) {
    shares r = {.o = o, .put = put};
    o->from = from;
    o->n = n;
    r.rows = ws_max(1, ws_min(SHARE_ROWS, SHARE_BYTES / (2 * n + 1)));
    if (o->m->piece && o->m->threads > 1 && o->m->rows > r.rows) {
        put_shares(&r, (size_t)o->m->threads * SHARES);
        return;
    }
    hand h = {.o = o, .s = o->s};
    put_some(&h, put, 0, o->m->rows);
    hand_release(&h);
}

/* ---- names ---- */

typedef struct named {
    uint64_t hash;
    size_t i;
} named;

static int by_hash(const void *a, const void *b) {
    const named *p = a, *q = b;
    if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
    return p->i < q->i ? -1 : p->i > q->i;
}

/* Returns whether rows i and j share their name. */
static int same_name(out *o, size_t i, size_t j) {
    ws_buf text = {0};
    const int same = !strcmp(head_of(o, o->s, i, &o->text).name, head_of(o, o->s, j, &text).name);
    ws_buf_release(&text);
    return same && o->s->err.code == WS_OK;
}

/* Finds the widest name, and for Stockholm whether names must be made different. */
static void look_at_names(out *o, int unique) {
    const size_t n = o->m->rows;
    named *all = unique ? ws_alloc(n * sizeof *all, &o->s->err) : NULL;
    for (size_t i = 0; i < n; i++) {
        const char *name = head_of(o, o->s, i, &o->text).name;
        const size_t width = strlen(name);
        o->name_width = ws_max(o->name_width, width);
        if (all) all[i] = (named){XXH3_64bits(name, width), i};
    }
    if (!all) return;
    qsort(all, n, sizeof *all, by_hash);
    for (size_t i = 1; i < n && !o->digits; i++)
        if (all[i].hash == all[i - 1].hash && same_name(o, all[i - 1].i, all[i].i))
            for (size_t left = n; left > 0; left /= 10) o->digits++;
    ws_free(all);
}

/* ---- Stockholm ---- */

static void put_blanks(ws_sink *s, size_t n) {
    static const char blanks[] = "                                ";
    for (; n > 0; n -= ws_min(n, sizeof blanks - 1)) ws_sink_add(s, blanks, ws_min(n, sizeof blanks - 1));
}

static void put_padded(ws_sink *s, const char *text, size_t width) {
    const size_t n = strlen(text);
    ws_sink_add(s, text, n);
    if (n < width) put_blanks(s, width - n);
}

static void put_name(const out *o, ws_sink *s, size_t i, const char *name, size_t width) {
    if (o->digits) ws_sink_f(s, "%0*zu|", o->digits, i);
    put_padded(s, name, width);
}

/* Characters of the numbers in front of names, with the '|'. */
static size_t prefix_of(const out *o) { return o->digits ? (size_t)o->digits + 1 : 0; }

static size_t margin_of(const out *o) {
    const ws_msasource *m = o->m;
    const size_t tag = m->ss_cons || m->pp_cons ? 7 : m->rf || m->mm ? 2 : 0, names = prefix_of(o) + o->name_width;
    size_t margin = names + 1;
    if (tag) margin = ws_max(margin, tag + 6);
    return m->posteriors ? ws_max(margin, names + 2 + 7) : margin;
}

static void put_gf(ws_sink *s, const char *tag, const char *text) {
    if (text) ws_sink_f(s, "#=GF %s %s\n", tag, text);
}

enum { WEIGHT, ACCESSION, DESCRIPTION };

/* Writes one kind of #=GS lines, and the empty line behind them. */
static void put_gs(out *o, int kind) {
    int any = 0;
    for (size_t i = 0; i < o->m->rows; i++) {
        const ws_msarow row = head_of(o, o->s, i, &o->text);
        const char *text = kind == ACCESSION ? row.acc : row.desc;
        if (kind == WEIGHT ? !o->m->weights : !text) continue;
        any = 1;
        ws_sink_add(o->s, "#=GS ", 5);
        put_name(o, o->s, i, row.name, o->name_width);
        if (kind == WEIGHT) ws_sink_f(o->s, " WT %.2f\n", row.weight);
        else ws_sink_f(o->s, " %s %s\n", kind == ACCESSION ? "AC" : "DE", text);
        ws_sink_pause(o->s);
    }
    if (any) ws_sink_add(o->s, "\n", 1);
}

static void put_gc(const out *o, const char *tag, const char *text, size_t from, size_t n) {
    if (!text) return;
    ws_sink_add(o->s, "#=GC ", 5);
    put_padded(o->s, tag, margin_of(o) - 6);
    ws_sink_add(o->s, " ", 1);
    ws_sink_add(o->s, text + from, n);
    ws_sink_add(o->s, "\n", 1);
}

static void put_stockholm_row(hand *h, const ws_msarow *row, size_t i) {
    const out *o = h->o;
    ws_sink *s = h->s;
    const size_t margin = margin_of(o);
    put_name(o, s, i, row->name, margin - 1 - prefix_of(o));
    ws_sink_add(s, " ", 1);
    ws_sink_add(s, row->text, o->n);
    if (o->m->posteriors && row->pp) {
        ws_sink_add(s, "\n#=GR ", 6);
        put_name(o, s, i, row->name, o->name_width);
        ws_sink_add(s, " ", 1);
        put_padded(s, "PP", margin - o->name_width - prefix_of(o) - 7);
        ws_sink_add(s, " ", 1);
        ws_sink_add(s, row->pp, o->n);
    }
    ws_sink_add(s, "\n", 1);
}

static void put_block(out *o, size_t from, size_t n) {
    put_rows(o, from, n, put_stockholm_row);
    put_gc(o, "SS_cons", o->m->ss_cons, from, n);
    put_gc(o, "PP_cons", o->m->pp_cons, from, n);
    put_gc(o, "RF", o->m->rf, from, n);
    put_gc(o, "MM", o->m->mm, from, n);
}

static void put_stockholm(out *o, size_t width) {
    const ws_msasource *m = o->m;
    ws_sink *s = o->s;
    look_at_names(o, 1);
    ws_sink_f(s, "# STOCKHOLM 1.0\n");
    if (o->digits) ws_sink_f(s, "# WARNING: seq names have been made unique by adding a prefix of \"<seq#>|\"\n");
    put_gf(s, "ID", m->id);
    put_gf(s, "AC", m->acc);
    put_gf(s, "DE", m->desc);
    put_gf(s, "AU", m->author);
    ws_sink_add(s, "\n", 1);
    for (int kind = WEIGHT; kind <= DESCRIPTION; kind++) put_gs(o, kind);
    for (size_t from = 0; from < m->columns && s->err.code == WS_OK; from += width) {
        if (from > 0) ws_sink_add(s, "\n", 1);
        put_block(o, from, ws_min(width, m->columns - from));
    }
    ws_sink_f(s, "//\n");
}

/* ---- the forms of FASTA, and PSI-BLAST ---- */

/* Returns the character of a column in A2M, A3M (0: none) or PSI-BLAST. A2M knows no pyrrolysine: O means a module
 * there. */
static char cast_letter(ws_msaform form, char rf, char c) {
    const int match = isalnum((unsigned char)rf), psi = form == WS_MSAFORM_PSIBLAST;
    if (!psi && c == 'O') c = 'X';
    if (!isalpha((unsigned char)c)) return match || psi ? '-' : 0;
    return (char)(match ? toupper((unsigned char)c) : tolower((unsigned char)c));
}

/* Characters of a line of the forms of FASTA. */
static size_t line_of(const out *o) {
    return o->form == WS_MSAFORM_A3M || o->form == WS_MSAFORM_A2M_DOTS ? o->m->columns + 1 : LINE;
}

/* Writes a row in lines. */
static void put_lines(hand *h, const char *text) {
    const out *o = h->o;
    const size_t width = line_of(o);
    char *line = ws_buf_scratch(&h->scratch, width + 2, &h->s->err);
    size_t n = 0;
    for (size_t c = 0; c < o->m->columns && line; c++) {
        const int as_is = o->form == WS_MSAFORM_AFA || o->form == WS_MSAFORM_A2M_DOTS;
        const char letter = as_is ? text[c] : cast_letter(o->form, o->m->rf[c], text[c]);
        if (letter) line[n++] = letter;
        if (n < width) continue;
        line[n++] = '\n';
        ws_sink_add(h->s, line, n);
        n = 0;
    }
    /* a row of A3M has its line even if no letter is left; lines of 60 only where there are letters */
    if (!line || (n == 0 && width == LINE)) return;
    line[n++] = '\n';
    ws_sink_add(h->s, line, n);
}

static void put_record(hand *h, const ws_msarow *row, size_t i) {
    (void)i;
    ws_sink_f(h->s, ">%s%s%s%s%s\n", row->name, row->acc ? " " : "", row->acc ? row->acc : "", row->desc ? " " : "",
              row->desc ? row->desc : "");
    put_lines(h, row->text);
}

static void put_psiblast_row(hand *h, const ws_msarow *row, size_t i) {
    const out *o = h->o;
    char line[LINE + 1];
    (void)i;
    put_padded(h->s, row->name, o->name_width);
    for (size_t c = 0; c < o->n; c++) line[c] = cast_letter(WS_MSAFORM_PSIBLAST, o->m->rf[o->from + c], row->text[c]);
    line[o->n] = '\n';
    ws_sink_add(h->s, "  ", 2);
    ws_sink_add(h->s, line, o->n + 1);
}

static void put_psiblast(out *o) {
    look_at_names(o, 0);
    for (size_t from = 0; from < o->m->columns; from += LINE) {
        if (from > 0) ws_sink_add(o->s, "\n", 1);
        put_rows(o, from, ws_min(LINE, o->m->columns - from), put_psiblast_row);
    }
}

void ws_msa_write(ws_sink *s, const ws_msasource *m, ws_msaform form) {
    out o = {.s = s, .m = m, .form = form};
    if (s->err.code != WS_OK) return;
    switch (form) {
    case WS_MSAFORM_STOCKHOLM: put_stockholm(&o, m->block ? m->block : BLOCK); break;
    case WS_MSAFORM_PFAM: put_stockholm(&o, ws_max(m->columns, 1)); break;
    case WS_MSAFORM_PSIBLAST: put_psiblast(&o); break;
    case WS_MSAFORM_A2M: case WS_MSAFORM_AFA: case WS_MSAFORM_A3M: case WS_MSAFORM_A2M_DOTS: case WS_MSAFORM_N:
        put_rows(&o, 0, m->columns, put_record);
    }
    ws_buf_release(&o.text);
}
