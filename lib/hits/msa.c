/* SPDX-License-Identifier: MIT
 * Included domains, or hits in long DNA, as one multiple alignment: -A of hmmsearch and nhmmer, A2M and A3M.
 * Specification domains.md, section 11.4; nhmmer.md, section 5.
 *
 * Every node is a column; in long DNA every node that a row has a residue at. Between nodes k and k+1 stand as many
 * columns as the longest insert there has residues. */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "lib/hits/keep.h"
#include "lib/hits/write.h"
#include "lib/msa/write.h"

typedef struct msa {
    const ws_hmm *hmm;
    const ws_queryseq *origin; /* the sequence that is a row before the others; NULL: none */
    const char *acc; /* of the query; NULL: there is none */
    int some_nodes;  /* no columns for nodes without residues */
    size_t rows;
    size_t *first;   /* [M + 2] column of node k; of M + 1: the number of columns. A node without one has the next's */
    double *sum;     /* [M + 1] posteriors of node k, over rows with a residue there */
    size_t *used;    /* [M + 1] such rows */
    char *rf, *pp_cons; /* [columns + 1] */
    struct place {
        const char *name, *desc, *acc;
        ws_ali ali;
        ws_aliwalk walk;       /* where the next piece begins */
        uint32_t node, column; /* the same: a node, and columns of the alignment */
    } *place;        /* [rows] */
    size_t cap;
    int subseq;      /* descriptions say so, and are never empty */
} msa;

/* ---- the columns ---- */

/* The posterior that a code stands for (p of domains.md, section 11.4). */
static float posterior_of(uint8_t column) {
    const int code = column & WS_COLUMN_CODE;
    return code == WS_CODE_STAR ? 1.0f : code == 0 ? 0.01f : (float)code / 10.0f;
}

/* first[k + 1] takes the longest insert after node k; posteriors of nodes are summed up. */
static void measure(msa *m, const ws_ali *ali) {
    ws_aliwalk w = ali->walk;
    size_t k = ali->hmm_from, insert = 0;
    for (size_t c = 0; c < ali->ncolumn; c++) {
        ws_aliwalk_step(&w);
        const int state = w.column & WS_COLUMN_STATE;
        if (state == WS_COLUMN_I) {
            insert++;
            m->first[k] = ws_max(m->first[k], insert); /* k: the node after the insert */
            continue;
        }
        insert = 0;
        if (state == WS_COLUMN_M) {
            m->sum[k] += (double)posterior_of(w.column);
            m->used[k]++;
        }
        k++;
    }
}

static int add_row(msa *m, const struct place *row, ws_err *err) {
    if (ws_grow(&m->place, &m->cap, m->rows + 1, sizeof *m->place, err)) return err->code;
    m->place[m->rows++] = *row;
    measure(m, &row->ali);
    return WS_OK;
}

/* Lists and measures the included domains. */
static int find_rows(msa *m, const ws_hitlist *l, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < l->n; i++)
        for (uint32_t j = 0; j < l->hit[i]->n && (l->hit[i]->flags & WS_HELD_INCLUDED) && !rc; j++) {
            const ws_held *h = l->hit[i];
            const ws_held_domain *d = &ws_held_domains(h)[j];
            const struct place row = {.name = ws_held_name(h), .desc = ws_held_text(h, h->desc),
                                      .acc = ws_hitlist_acc(l, h), .ali = ws_held_ali(h, d)};
            if (d->flags & WS_HELD_INCLUDED) rc = add_row(m, &row, err);
        }
    return rc;
}

/* The same of hits in long DNA. */
static int find_hits(msa *m, const ws_dnalist *l, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < l->n && !rc; i++) {
        const ws_dnahit *h = l->hit[i];
        const struct place row = {.name = h->record->name, .desc = h->record->desc, .acc = h->record->acc,
                                  .ali = ws_dnahit_ali(h)};
        if (h->included && h->shown) rc = add_row(m, &row, err);
    }
    return rc;
}

static int has_column(const msa *m, size_t k) { return !m->some_nodes || m->used[k] > 0; }

/* From lengths of inserts to places of nodes. */
static void place_nodes(msa *m) {
    const size_t M = (size_t)m->hmm->M;
    size_t at = 0;
    for (size_t k = 1; k <= M + 1; k++) {
        at += m->first[k];
        m->first[k] = at;
        at += k <= M && has_column(m, k);
    }
}

/* ---- one row ---- */

static int is_gap(char c) { return c == '-' || c == '.'; }

/* Moves the second half of an insert, which fills `n` columns from the left, to their right end. */
static void spread(char *row, char *pp, size_t n) {
    size_t letters = 0, old = n, new = n;
    for (size_t c = 0; c < n; c++) letters += isalpha((unsigned char)row[c]) != 0;
    const size_t stay = letters / 2;
    while (old > stay) {
        old--;
        if (is_gap(row[old])) continue;
        new--;
        row[new] = row[old];
        pp[new] = pp[old];
    }
    for (; new > stay; new--) row[new - 1] = pp[new - 1] = '.';
}

/* Returns the node whose column, or insert after it, is column c. */
static size_t node_at(const msa *m, size_t c) {
    size_t from = 1, to = (size_t)m->hmm->M + 1;
    while (to - from > 1) { /* first[from] <= c < first[to] */
        const size_t middle = (from + to) / 2;
        if (m->first[middle] <= c) from = middle;
        else to = middle;
    }
    return from;
}

/* Moves a row's place to where the columns of node `to` begin. */
static void advance(struct place *p, size_t to) {
    for (; p->column < p->ali.ncolumn; p->column++) {
        ws_aliwalk w = p->walk;
        ws_aliwalk_step(&w);
        const int state = w.column & WS_COLUMN_STATE;
        if (state != WS_COLUMN_I && p->node >= to) return;
        p->node += state != WS_COLUMN_I;
        p->walk = w;
    }
}

/* Makes the columns of nodes a..b and of the inserts after them. */
static void make_nodes(const msa *m, const struct place *p, size_t a, size_t b, char *row, char *pp) {
    ws_aliwalk w = p->walk;
    const ws_abc *abc = m->hmm->abc;
    const size_t base = m->first[a], n = m->first[b + 1] - base;
    size_t k = p->node, at = 0;
    memset(row, '.', n);
    memset(pp, '.', n);
    for (size_t j = a; j <= b; j++) row[m->first[j] - base] = '-'; /* b has a column */
    for (size_t c = p->column; c < p->ali.ncolumn; c++) {
        ws_aliwalk_step(&w);
        const int state = w.column & WS_COLUMN_STATE;
        if (state != WS_COLUMN_I && k > b) break;
        if (state != WS_COLUMN_I) at = m->first[k++] - base;
        if (state == WS_COLUMN_M) row[at] = (char)toupper(ws_ali_letter(abc, w.x));
        if (state == WS_COLUMN_I) row[at] = (char)tolower(ws_ali_letter(abc, w.x));
        if (state != WS_COLUMN_D) pp[at] = ws_code_letter(w.column);
        at++;
    }
    for (size_t j = a; j <= b && j < (size_t)m->hmm->M; j++) {
        if (!has_column(m, j)) continue;
        const size_t insert = m->first[j] + 1 - base, length = m->first[j + 1] - m->first[j] - 1;
        if (length > 1) spread(row + insert, pp + insert, length);
    }
}

/* Makes columns from .. from + n - 1 of the row of the query: a residue in each match column. */
static void make_origin(const msa *m, size_t from, size_t n, char *text) {
    const ws_queryseq *o = m->origin;
    memset(text, '-', n);
    for (size_t k = node_at(m, from); k <= o->L && m->first[k] < from + n; k++)
        if (m->first[k] >= from)
            text[m->first[k] - from] = (char)toupper(ws_ali_letter(m->hmm->abc, o->x[k - 1]));
}

/* Spells columns as an alignment that was read is spelled: capitals, and one kind of gap. */
static void make_plain(char *text, size_t n) {
    for (size_t c = 0; c < n; c++) text[c] = (char)(text[c] == '.' ? '-' : toupper((unsigned char)text[c]));
}

/* ---- the rows for lib/msa ---- */

/* Returns the description of an alignment, that of the query; NULL: none. */
static const char *desc_of(const ws_hmm *hmm, const ws_queryseq *origin) {
    const char *desc = origin ? origin->desc : hmm->desc;
    return desc && *desc ? desc : NULL;
}

static int row_head(void *of, size_t i, ws_msarow *row, ws_buf *text, ws_err *err) {
    const msa *m = of;
    if (m->origin && i-- == 0) {
        row->name = m->origin->name;
        if (m->subseq && m->acc) row->acc = m->acc;
        row->desc = desc_of(m->hmm, m->origin);
        return WS_OK;
    }
    const struct place *p = &m->place[i];
    const char *name = p->name, *desc = p->desc;
    text->n = 0;
    if (ws_buf_addf(text, err, "%s/%llu-%llu", name, (unsigned long long)p->ali.from,
                    (unsigned long long)p->ali.to))
        return err->code;
    const size_t at = ++text->n; /* behind the NUL */
    const int n = m->subseq ? ws_hits_desc(desc) : (int)ws_hits_plain(desc);
    if (m->subseq && ws_buf_adds(text, "[subseq from] ", err)) return err->code;
    if (ws_buf_addf(text, err, "%.*s", n ? n : INT_MAX, n ? desc : m->subseq ? name : "")) return err->code;
    if (!m->subseq) ws_hits_blank(text->p + at, text->n - at);
    row->name = text->p;
    if (m->subseq && *p->acc) row->acc = p->acc;
    row->desc = text->n > at ? text->p + at : NULL;
    return WS_OK;
}

static int row_piece(void *of, size_t i, size_t from, size_t n, char *text, char *pp, ws_buf *scratch, ws_err *err) {
    const msa *m = of;
    if (m->origin && i-- == 0) {
        make_origin(m, from, n, text);
        *pp = '\0'; /* it has no such line */
        return WS_OK;
    }
    struct place *p = &m->place[i];
    const size_t a = node_at(m, from), b = node_at(m, from + n - 1), width = m->first[b + 1] - m->first[a];
    char *row = ws_buf_scratch(scratch, 2 * width, err);
    if (!row) return err->code;
    if (from == 0) {
        p->walk = p->ali.walk;
        p->node = p->ali.hmm_from;
        p->column = 0;
    }
    advance(p, a);
    make_nodes(m, p, a, b, row, row + width);
    memcpy(text, row + (from - m->first[a]), n);
    memcpy(pp, row + width + (from - m->first[a]), n);
    if (m->origin) make_plain(text, n);
    return WS_OK;
}

/* Makes the lines for all rows: mean posteriors, and which columns are nodes. */
static void make_consensus(msa *m) {
    const size_t M = (size_t)m->hmm->M;
    memset(m->rf, '.', m->first[M + 1]);
    memset(m->pp_cons, '.', m->first[M + 1]);
    for (size_t k = 1; k <= M; k++) {
        if (has_column(m, k)) m->rf[m->first[k]] = 'x';
        if (m->used[k])
            m->pp_cons[m->first[k]] = ws_code_letter(ws_dom_code_of((float)(m->sum[k] / (double)m->used[k])));
    }
}

/* Makes the columns of the included hits of a list, which is one of the two. */
static int open_msa(msa *m, const ws_hitlist *l, const ws_dnalist *dna, ws_err *err) {
    const size_t M = (size_t)m->hmm->M;
    if (!(m->first = ws_calloc(M + 2, sizeof *m->first, err))) return err->code;
    if (!(m->sum = ws_calloc(M + 1, sizeof *m->sum, err))) return err->code;
    if (!(m->used = ws_calloc(M + 1, sizeof *m->used, err))) return err->code;
    if (l ? find_rows(m, l, err) : find_hits(m, dna, err)) return err->code;
    place_nodes(m);
    const size_t n = m->first[M + 1] + 1;
    if (!(m->rf = ws_calloc(n, 2, err))) return err->code;
    m->pp_cons = m->rf + n;
    return WS_OK;
}

static void release(msa *m) {
    ws_free(m->first);
    ws_free(m->sum);
    ws_free(m->used);
    ws_free(m->rf);
    ws_free(m->place);
}

static msa msa_of(const ws_hitquery *q, int subseq) {
    const char *acc = ws_hitquery_acc(q);
    return (msa){.hmm = q->hmm, .origin = q->msa_name ? q->origin : NULL, .acc = *acc ? acc : NULL, .subseq = subseq};
}

/* Writes an opened alignment; *source has what its head says. */
static void write_rows(ws_sink *s, msa *m, ws_msasource *source, ws_msaform form) {
    if (m->rows + (m->origin != NULL) == 0) return;
    make_consensus(m);
    source->acc = m->acc;
    source->rows = m->rows + (m->origin != NULL);
    source->columns = m->first[m->hmm->M + 1];
    source->posteriors = m->rows > 0;
    source->pp_cons = m->rows ? m->pp_cons : NULL;
    source->rf = m->rf;
    source->of = m;
    source->head = row_head;
    source->piece = row_piece;
    ws_msa_write(s, source, form);
}

static void write_msa(ws_sink *s, const ws_hitquery *q, ws_msaform form) {
    msa m = msa_of(q, form != WS_MSAFORM_A2M_DOTS);
    ws_msasource source = {.id = q->msa_name ? q->msa_name : q->hmm->name, .desc = desc_of(q->hmm, q->origin),
                           .author = q->author, .block = q->msa_width, .threads = q->threads};
    if (s->err.code == WS_OK && open_msa(&m, q->list, NULL, &s->err) == WS_OK) write_rows(s, &m, &source, form);
    release(&m);
}

void ws_write_stockholm_dna(ws_sink *s, const ws_dnaquery *q) {
    msa m = {.hmm = q->hmm, .acc = q->hmm->acc, .some_nodes = 1, .subseq = 1};
    ws_msasource source = {.id = q->hmm->name, .desc = desc_of(q->hmm, NULL), .author = q->author,
                           .block = q->msa_width, .threads = q->threads};
    if (s->err.code == WS_OK && open_msa(&m, NULL, q->list, &s->err) == WS_OK)
        write_rows(s, &m, &source, q->msa_width ? WS_MSAFORM_STOCKHOLM : WS_MSAFORM_PFAM);
    release(&m);
}

/* ---- the same as digital rows ---- */

static int digitise(msa *m, ws_msa *to, ws_err *err) {
    const ws_abc *abc = to->abc;
    ws_buf scratch = {0}, pp = {0}, head = {0};
    int rc = ws_buf_scratch(&pp, to->columns + 1, err) ? WS_OK : err->code;
    for (size_t i = 0; i < to->rows && !rc; i++) {
        ws_msarow row = {0};
        uint8_t *code = ws_msa_row(to, i);
        rc = row_head(m, i, &row, &head, err);
        to->name_at[i] = to->names.n;
        if (!rc) rc = ws_buf_add(&to->names, row.name, strlen(row.name) + 1, err);
        if (!rc) rc = row_piece(m, i, 0, to->columns, (char *)code, pp.p, &scratch, err);
        for (size_t c = 0; c < to->columns && !rc; c++)
            code[c] = code[c] == '-' ? (uint8_t)abc->K : abc->code_of[code[c]];
    }
    ws_buf_release(&scratch);
    ws_buf_release(&pp);
    ws_buf_release(&head);
    return rc;
}

int ws_hitquery_msa(const ws_hitquery *q, ws_msa *to, ws_err *err) {
    msa m = msa_of(q, 1);
    *to = (ws_msa){.abc = q->hmm->abc};
    int rc = open_msa(&m, q->list, NULL, err);
    if (!rc) {
        make_consensus(&m);
        to->rows = m.rows + (m.origin != NULL);
        to->columns = m.first[q->hmm->M + 1];
        to->code = ws_calloc(to->rows, to->columns, err);
        to->name_at = to->code ? ws_calloc(to->rows, sizeof *to->name_at, err) : NULL;
        to->line[WS_MSA_RF] = to->name_at ? ws_strndup(m.rf, to->columns, err) : NULL;
        rc = to->line[WS_MSA_RF] ? digitise(&m, to, err) : err->code;
    }
    const char *desc = desc_of(q->hmm, q->origin);
    if (!rc && desc && !(to->desc = ws_strndup(desc, strlen(desc), err))) rc = err->code;
    release(&m);
    return rc;
}

void ws_write_stockholm(ws_sink *s, const ws_hitquery *q) {
    write_msa(s, q, q->msa_width ? WS_MSAFORM_STOCKHOLM : WS_MSAFORM_PFAM);
}
void ws_write_a2m(ws_sink *s, const ws_hitquery *q) { write_msa(s, q, WS_MSAFORM_A2M_DOTS); }

/* ---- records that stand alone ---- */

static void put_header(ws_sink *s, const ws_held *h, const ws_held_domain *d) {
    const char *desc = ws_held_text(h, h->desc);
    const size_t n = ws_hits_plain(desc);
    ws_sink_f(s, ">%s/%u-%u%s", ws_held_name(h), d->ali_from, d->ali_to, n ? " " : "");
    const size_t at = s->text.n;
    ws_sink_add(s, desc, n);
    if (s->err.code == WS_OK) ws_hits_blank(s->text.p + at, s->text.n - at);
    ws_sink_add(s, "\n", 1);
}

static void put_dashes(ws_sink *s, size_t n) {
    for (; n > 0; n--) ws_sink_add(s, "-", 1);
}

void ws_write_a3m_origin(ws_sink *s, const ws_hitquery *q) {
    const ws_queryseq *o = q->origin;
    if (!o) return;
    ws_sink_f(s, ">%s%s%s\n", o->name, *o->desc ? " " : "", o->desc);
    for (uint32_t i = 0; i < o->L; i++) {
        const char letter = (char)toupper(ws_ali_letter(q->hmm->abc, o->x[i]));
        ws_sink_add(s, &letter, 1);
    }
    ws_sink_add(s, "\n", 1);
}

void ws_write_a3m_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    ws_alilines a = {0};
    for (uint32_t j = 0; j < h->n && (h->flags & WS_HELD_INCLUDED); j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        const ws_ali ali = ws_held_ali(h, d);
        if (!(d->flags & WS_HELD_INCLUDED) || ws_alilines_make(&a, q->hmm, q->profile, &ali, &s->err) != WS_OK)
            continue;
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
    const ws_abc *abc = ws_hitquery_of(q, h).hmm->abc;
    for (uint32_t j = 0; j < h->n && (h->flags & WS_HELD_REPORTED); j++) {
        const ws_held_domain *d = &ws_held_domains(h)[j];
        ws_aliwalk w = ws_held_ali(h, d).walk;
        if (!(d->flags & WS_HELD_REPORTED)) continue;
        put_header(s, h, d);
        for (uint32_t c = 0; c < d->ncolumn; c++) {
            ws_aliwalk_step(&w);
            if ((w.column & WS_COLUMN_STATE) != WS_COLUMN_D) ws_sink_add(s, &abc->letters[w.x], 1);
        }
        ws_sink_add(s, "\n", 1);
        ws_sink_pause(s);
    }
}

void ws_write_ids_target(ws_sink *s, const ws_hitquery *q, const ws_held *h) {
    (void)q;
    if (h->flags & WS_HELD_REPORTED) ws_sink_f(s, "%s\n", ws_held_name(h));
    ws_sink_pause(s);
}
