/* SPDX-License-Identifier: MIT
 * Multiple alignments as text: see lib/msa/write.h. Specification domains.md, section 11.4, and build.md, 10.2. */
#include "lib/msa/write.h"

#include "lib/base/parallel_for.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LINE = 60, BLOCK = 200 };

const char *const ws_msaform_names[] = {"stockholm", "pfam",        "a2m",    "afa",     "psiblast", "a3m",
                                        "clustal",   "clustallike", "phylip", "phylips", "selex",    NULL};

size_t ws_msaform_block(ws_msaform form) {
    switch (form) {
    case WS_MSAFORM_STOCKHOLM: return BLOCK;
    case WS_MSAFORM_PSIBLAST: case WS_MSAFORM_CLUSTAL: case WS_MSAFORM_CLUSTALLIKE: case WS_MSAFORM_PHYLIP:
    case WS_MSAFORM_SELEX: return LINE;
    case WS_MSAFORM_PFAM: case WS_MSAFORM_A2M: case WS_MSAFORM_AFA: case WS_MSAFORM_A3M: case WS_MSAFORM_PHYLIPS:
    case WS_MSAFORM_A2M_DOTS: case WS_MSAFORM_N: break;
    }
    return 0;
}

/* An alignment while it is written. */
typedef struct out {
    ws_sink *s;
    const ws_msasource *m;
    ws_msaform form;
    size_t name_width;
    int digits; /* of the numbers in front of names; 0: names differ */
    size_t from, n; /* columns that are written of each row */
    uint32_t *seen; /* [n] of Clustal the letters of each of these columns, a bit for each. Atomic */
    int texts;      /* more than the name is written of its head */
    int heads;      /* nothing else is written */
} out;

/* Returns what head() sets, or an empty row after a failure. */
static ws_msarow head_of(const out *o, ws_sink *s, size_t i, int texts, ws_buf *text) {
    ws_msarow row = {0};
    if (s->err.code != WS_OK || o->m->head(o->m->of, i, texts, &row, text, &s->err) != WS_OK)
        return (ws_msarow){.name = ""};
    return row;
}

/* ---- rows, on several threads ---- */

/* Rows that a thread writes, and its memory. */
typedef struct hand {
    const out *o;
    ws_sink *s;   /* text of a share */
    ws_buf head;  /* texts of the row at hand */
    ws_buf text;  /* its columns and their posteriors */
    ws_buf scratch;
} hand;

/* Writes row i. *row has its head, and its columns unless o->heads. */
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
    *row = head_of(h->o, s, i, h->o->texts, &h->head);
    if (s->err.code != WS_OK) return 0;
    if (!m->piece) {
        if (m->body(m->of, i, row, &s->err) != WS_OK) return 0;
        row->text += h->o->from;
        if (row->pp) row->pp += h->o->from;
        return 1;
    }
    char *text = ws_buf_scratch(&h->text, 2 * h->o->n + 1, &s->err);
    if (!text) return 0;
    row->text = text;
    row->pp = m->posteriors ? text + h->o->n : NULL;
    if (m->piece(m->of, i, h->o->from, h->o->n, text, text + h->o->n, &h->scratch, &s->err)) return 0;
    if (row->pp && !*row->pp) row->pp = NULL;
    return 1;
}

typedef struct shares {
    const out *o;
    put_row *put;
} shares;

/* Writes rows from .. to - 1 to s, up to the first one that cannot be made. */
static void make_share(void *of, ws_sink *s, size_t from, size_t to) {
    const shares *r = of;
    hand h = {.o = r->o, .s = s};
    for (size_t i = from; i < to && s->err.code == WS_OK; i++) {
        ws_msarow row;
        if (r->o->heads) row = head_of(r->o, s, i, r->o->texts, &h.head);
        else if (!make_row(&h, i, &row)) break;
        r->put(&h, &row, i);
    }
    hand_release(&h);
}

static int threads_of(const out *o) { return o->m->piece ? ws_max(o->m->threads, 1) : 1; }

/* Writes something of all rows. Returns 1 if there was text. */
static int put_all(const out *o, put_row *put) {
    enum { LEAST = 64, MOST = 512 /* rows of a share */, BYTES = 1 << 18 };
    shares r = {.o = o, .put = put};
    const size_t few = o->m->rows / (16 * (size_t)threads_of(o)), most = BYTES / (2 * o->n + 1);
    const size_t rows = o->heads ? LEAST : ws_max(1, ws_min(ws_max(LEAST, ws_min(few, MOST)), most));
    return ws_sink_items(o->s, o->m->rows, rows, threads_of(o), make_share, &r);
}

/* Writes columns from .. from + n - 1 of all rows. */
static void put_rows(out *o, size_t from, size_t n, put_row *put) {
    o->from = from;
    o->n = n;
    (void)put_all(o, put);
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
    ws_buf text = {0}, other = {0};
    const int same = !strcmp(head_of(o, o->s, i, 0, &text).name, head_of(o, o->s, j, 0, &other).name);
    ws_buf_release(&text);
    ws_buf_release(&other);
    return same && o->s->err.code == WS_OK;
}

/* A look at the names of all rows, by all threads. */
typedef struct look {
    const out *o;
    named *all;    /* [rows]; NULL: their width alone is asked for */
    size_t *width; /* [shares] of the widest name of a share */
    uint64_t odd;  /* names that begin as other lines do. Atomic */
} look;
enum { LOOK_ROWS = 4096 };

static int is_odd(const char *name) { return name[0] == '#' || (name[0] == '/' && name[1] == '/'); }

static int look_at_share(void *of, size_t k, ws_err *err) {
    look *l = of;
    uint64_t odd = 0;
    const size_t from = k * LOOK_ROWS, to = ws_min(from + LOOK_ROWS, l->o->m->rows);
    ws_sink s = {0};
    ws_buf text = {0};
    for (size_t i = from; i < to; i++) {
        const char *name = head_of(l->o, &s, i, 0, &text).name;
        const size_t width = strlen(name);
        l->width[k] = ws_max(l->width[k], width);
        odd += (uint64_t)is_odd(name);
        if (l->all) l->all[i] = (named){XXH3_64bits(name, width), i};
    }
    ws_buf_release(&text);
    __atomic_fetch_add(&l->odd, odd, __ATOMIC_RELAXED);
    if (s.err.code) *err = s.err;
    return s.err.code;
}

/* Finds the widest name, and for Stockholm whether names must be made different. */
static void look_at_names(out *o, int unique) {
    const size_t n = o->m->rows, count = (n + LOOK_ROWS - 1) / LOOK_ROWS;
    look l = {.o = o, .width = ws_calloc(count, sizeof *l.width, &o->s->err)};
    if (l.width && unique) l.all = ws_calloc(n, sizeof *l.all, &o->s->err);
    if (!o->s->err.code) (void)ws_parallel_for(count, threads_of(o), look_at_share, &l, &o->s->err);
    for (size_t k = 0; k < count && l.width; k++) o->name_width = ws_max(o->name_width, l.width[k]);
    if (l.all && !o->s->err.code) {
        qsort(l.all, n, sizeof *l.all, by_hash);
        for (size_t i = 1; i < n && !o->digits; i++)
            if (l.all[i].hash == l.all[i - 1].hash && same_name(o, l.all[i - 1].i, l.all[i].i))
                for (size_t left = n; left > 0; left /= 10) o->digits++;
    }
    if (unique && !o->digits && o->m->odd_names) __atomic_fetch_add(o->m->odd_names, l.odd, __ATOMIC_RELAXED);
    ws_free(l.width);
    ws_free(l.all);
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

/* ---- the lines of rows that stand before all columns ---- */

static void begin_gs(hand *h, const ws_msarow *row, size_t i) {
    ws_sink_add(h->s, "#=GS ", 5);
    put_name(h->o, h->s, i, row->name, h->o->name_width);
}

static void put_weight(hand *h, const ws_msarow *row, size_t i) {
    begin_gs(h, row, i);
    ws_sink_f(h->s, " WT %.2f\n", row->weight);
}

static void put_text(hand *h, const ws_msarow *row, size_t i, const char *tag, const char *text) {
    if (!text) return;
    begin_gs(h, row, i);
    ws_sink_add(h->s, tag, 4);
    ws_sink_add(h->s, text, strlen(text));
    ws_sink_add(h->s, "\n", 1);
}
static void put_acc(hand *h, const ws_msarow *row, size_t i) { put_text(h, row, i, " AC ", row->acc); }
static void put_desc(hand *h, const ws_msarow *row, size_t i) { put_text(h, row, i, " DE ", row->desc); }

/* Writes one kind of #=GS lines, and the empty line behind them. */
static void put_gs(out *o, put_row *put) {
    o->heads = o->texts = 1;
    if (put_all(o, put)) ws_sink_add(o->s, "\n", 1);
    o->heads = o->texts = 0;
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
    if (m->weights) put_gs(o, put_weight);
    put_gs(o, put_acc);
    put_gs(o, put_desc);
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

/* ---- Clustal and SELEX ---- */

static void put_named_row(hand *h, const ws_msarow *row, size_t i) {
    (void)i;
    put_padded(h->s, row->name, h->o->name_width);
    ws_sink_add(h->s, " ", 1);
    ws_sink_add(h->s, row->text, h->o->n);
    ws_sink_add(h->s, "\n", 1);
}

enum { NO_LETTER = 1 << 26 };

/* Writes a row and notes its letters, in any case, for the line of conserved columns. */
static void put_clustal_row(hand *h, const ws_msarow *row, size_t i) {
    uint32_t *seen = h->o->seen;
    for (size_t c = 0; c < h->o->n; c++) {
        const int letter = toupper((unsigned char)row->text[c]) - 'A';
        const uint32_t bit = letter >= 0 && letter < 26 ? (uint32_t)1 << letter : NO_LETTER;
        if (!(__atomic_load_n(&seen[c], __ATOMIC_RELAXED) & bit)) __atomic_fetch_or(&seen[c], bit, __ATOMIC_RELAXED);
    }
    put_named_row(h, row, i);
}

/* Writes the line below a block: '*' where all rows have the same letter. */
static void put_conserved(const out *o) {
    char line[LINE + 1];
    put_blanks(o->s, o->name_width + 1);
    for (size_t c = 0; c < o->n; c++)
        line[c] = o->seen[c] && !(o->seen[c] & (o->seen[c] - 1)) && o->seen[c] != NO_LETTER ? '*' : ' ';
    line[o->n] = '\n';
    ws_sink_add(o->s, line, o->n + 1);
}

static void put_clustal(out *o) {
    uint32_t seen[LINE];
    o->seen = seen;
    look_at_names(o, 0);
    ws_sink_f(o->s, o->form == WS_MSAFORM_CLUSTAL ? "CLUSTAL 2.1 multiple sequence alignment\n"
                                                  : "EASEL (0.49) multiple sequence alignment\n");
    for (size_t from = 0; from < o->m->columns; from += LINE) {
        memset(seen, 0, sizeof seen);
        ws_sink_add(o->s, "\n", 1);
        put_rows(o, from, ws_min(LINE, o->m->columns - from), put_clustal_row);
        put_conserved(o);
    }
}

static void put_selex_line(const out *o, const char *tag, const char *text, size_t from, size_t n) {
    if (!text) return;
    put_padded(o->s, tag, o->name_width);
    ws_sink_add(o->s, " ", 1);
    ws_sink_add(o->s, text + from, n);
    ws_sink_add(o->s, "\n", 1);
}

static void put_selex(out *o) {
    look_at_names(o, 0);
    o->name_width = ws_max(o->name_width, 4);
    for (size_t from = 0; from < o->m->columns; from += LINE) {
        const size_t n = ws_min(LINE, o->m->columns - from);
        if (from > 0) ws_sink_add(o->s, "\n", 1);
        put_selex_line(o, "#=CS", o->m->ss_cons, from, n);
        put_selex_line(o, "#=RF", o->m->rf, from, n);
        put_selex_line(o, "#=MM", o->m->mm, from, n);
        put_rows(o, from, n, put_named_row);
    }
}

/* ---- PHYLIP ---- */

/* Returns a letter or gap of an alignment as PHYLIP has it. */
static char phylip_letter(char c) {
    return (char)(c == '.' || c == '_' || c == ' ' ? '-' : c == '~' ? '?' : toupper((unsigned char)c));
}

/* Writes the columns at hand of a row in lines; the first line of a row has its name, cut to 10 characters. */
static void put_phylip_row(hand *h, const ws_msarow *row, size_t i) {
    const out *o = h->o;
    char line[LINE + 1];
    (void)i;
    if (o->from == 0) ws_sink_f(h->s, "%-10.10s ", row->name);
    for (size_t at = 0; at < o->n; at += LINE) {
        const size_t n = ws_min(LINE, o->n - at);
        for (size_t c = 0; c < n; c++) line[c] = phylip_letter(row->text[at + c]);
        line[n] = '\n';
        ws_sink_add(h->s, line, n + 1);
    }
}

static void put_phylip(out *o) {
    const size_t columns = o->m->columns, block = o->form == WS_MSAFORM_PHYLIP ? LINE : ws_max(columns, 1);
    ws_sink_f(o->s, " %zu %zu", o->m->rows, columns);
    for (size_t from = 0; from < columns; from += block) {
        ws_sink_add(o->s, "\n", 1);
        put_rows(o, from, ws_min(block, columns - from), put_phylip_row);
    }
}

void ws_msa_write(ws_sink *s, const ws_msasource *m, ws_msaform form) {
    out o = {.s = s, .m = m, .form = form};
    if (s->err.code != WS_OK) return;
    switch (form) {
    case WS_MSAFORM_STOCKHOLM: put_stockholm(&o, m->block ? m->block : BLOCK); break;
    case WS_MSAFORM_PFAM: put_stockholm(&o, ws_max(m->columns, 1)); break;
    case WS_MSAFORM_PSIBLAST: put_psiblast(&o); break;
    case WS_MSAFORM_CLUSTAL: case WS_MSAFORM_CLUSTALLIKE: put_clustal(&o); break;
    case WS_MSAFORM_PHYLIP: case WS_MSAFORM_PHYLIPS: put_phylip(&o); break;
    case WS_MSAFORM_SELEX: put_selex(&o); break;
    case WS_MSAFORM_A2M: case WS_MSAFORM_AFA: case WS_MSAFORM_A3M: case WS_MSAFORM_A2M_DOTS: case WS_MSAFORM_N:
        o.texts = 1;
        put_rows(&o, 0, m->columns, put_record);
    }
}
