/* SPDX-License-Identifier: MIT
 * Included domains, or hits in long DNA, as one multiple alignment: -A of hmmsearch and nhmmer, A2M.
 * Specification domains.md, section 11.4; nhmmer.md, section 5.
 *
 * Every node is a column; in long DNA every node that a row has a residue at. Between nodes k and k+1 stand as many
 * columns as the longest insert there has residues. */
#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "lib/base/parallel_for.h"
#include "lib/hits/keep.h"
#include "lib/hits/pieces.h"
#include "lib/hits/write.h"
#include "lib/msa/write.h"

/* Columns of a row that are not written yet. */
typedef struct stretch {
    ws_aliwalk walk; /* before the first of them */
    uint32_t node;   /* its node, or the one after an insert */
    uint32_t columns;
} stretch;

typedef struct place {
    const char *name, *desc, *acc;
    ws_ali ali;
    stretch next; /* where the next piece begins */
} place;

/* Counts of rows, by node. */
typedef struct tally {
    size_t *first; /* [M + 2] of k + 1: the longest insert after node k */
    double *sum;   /* [M + 1] posteriors of node k, over rows with a residue there */
    size_t *used;  /* [M + 1] such rows */
} tally;

typedef struct msa {
    const ws_hmm *hmm;
    const ws_queryseq *origin; /* the sequence that is a row before the others; NULL: none */
    const char *acc; /* of the query; NULL: there is none */
    int some_nodes;  /* no columns for nodes without residues */
    size_t rows;
    /* of all rows; then first[k] is the column of node k, of M + 1 the number of columns. A node without one has the
     * next's */
    tally col;
    char *rf, *pp_cons; /* [columns + 1] */
    place *place;    /* [rows] */
    size_t cap;
    int subseq;      /* descriptions say so, and are never empty */
    int threads;
    ws_pieces pieces; /* of groups of rows by blocks of `block` columns, if has_file */
    size_t block;
} msa;

/* ---- the columns ---- */

/* The posterior that a code stands for (p of domains.md, section 11.4). */
static float posterior_of(uint8_t column) {
    const int code = column & WS_COLUMN_CODE;
    return code == WS_CODE_STAR ? 1.0f : code == 0 ? 0.01f : (float)code / 10.0f;
}

static int create_tally(tally *s, size_t M, ws_err *err) {
    if (!(s->first = ws_calloc(M + 2, sizeof *s->first, err))) return err->code;
    if (!(s->sum = ws_calloc(M + 1, sizeof *s->sum, err))) return err->code;
    return (s->used = ws_calloc(M + 1, sizeof *s->used, err)) ? WS_OK : err->code;
}

static void release_tally(tally *s) {
    ws_free(s->first);
    ws_free(s->sum);
    ws_free(s->used);
}

static void measure(tally *s, const ws_ali *ali) {
    ws_aliwalk w = ali->walk;
    size_t k = ali->hmm_from, insert = 0;
    for (size_t c = 0; c < ali->ncolumn; c++) {
        ws_aliwalk_step(&w);
        const int state = w.column & WS_COLUMN_STATE;
        if (state == WS_COLUMN_I) {
            insert++;
            s->first[k] = ws_max(s->first[k], insert); /* k: the node after the insert */
            continue;
        }
        insert = 0;
        if (state == WS_COLUMN_M) {
            s->sum[k] += (double)posterior_of(w.column);
            s->used[k]++;
        }
        k++;
    }
}

/* Shares of the rows that threads measure. Posteriors are multiples of 2^-30, so their sums over up to 2^23 rows are
 * exact in any order. More rows are one share. */
typedef struct measuring {
    msa *m;
    size_t rows; /* of a share */
    pthread_mutex_t lock;
} measuring;
enum { MEASURED_LEAST = 1024, EXACT_ROWS = 1 << 23 };

static int measure_share(void *of, size_t i, ws_err *err) {
    measuring *w = of;
    msa *m = w->m;
    const size_t M = (size_t)m->hmm->M, from = i * w->rows, to = ws_min(from + w->rows, m->rows);
    tally s = {0};
    const int rc = create_tally(&s, M, err);
    for (size_t r = from; r < to && !rc; r++) measure(&s, &m->place[r].ali);
    pthread_mutex_lock(&w->lock);
    for (size_t k = 1; k <= M + 1 && !rc; k++) {
        m->col.first[k] = ws_max(m->col.first[k], s.first[k]);
        if (k == M + 1) break;
        m->col.sum[k] += s.sum[k];
        m->col.used[k] += s.used[k];
    }
    pthread_mutex_unlock(&w->lock);
    release_tally(&s);
    return rc;
}

static int measure_rows(msa *m, ws_err *err) {
    const int alone = m->threads <= 1 || m->rows > EXACT_ROWS;
    const size_t share = alone ? m->rows : m->rows / (4 * (size_t)m->threads);
    measuring w = {.m = m, .rows = ws_max(share, MEASURED_LEAST)};
    pthread_mutex_init(&w.lock, NULL);
    const int rc = ws_parallel_for((m->rows + w.rows - 1) / w.rows, m->threads, measure_share, &w, err);
    pthread_mutex_destroy(&w.lock);
    return rc;
}

static int add_row(msa *m, const place *row, ws_err *err) {
    if (ws_grow(&m->place, &m->cap, m->rows + 1, sizeof *m->place, err)) return err->code;
    m->place[m->rows++] = *row;
    return WS_OK;
}

/* Lists the included domains. */
static int find_rows(msa *m, const ws_hitlist *l, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < l->n; i++)
        for (uint32_t j = 0; j < l->hit[i]->n && (l->hit[i]->flags & WS_HELD_INCLUDED) && !rc; j++) {
            const ws_held *h = l->hit[i];
            const ws_held_domain *d = &ws_held_domains(h)[j];
            const place row = {.name = ws_held_name(h), .desc = ws_held_desc(h), .acc = ws_hitlist_acc(l, h),
                               .ali = ws_held_ali(h, d)};
            if (d->flags & WS_HELD_INCLUDED) rc = add_row(m, &row, err);
        }
    return rc;
}

/* The same of hits in long DNA. */
static int find_hits(msa *m, const ws_dnalist *l, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0; i < l->n && !rc; i++) {
        const ws_dnahit *h = l->hit[i];
        const place row = {.name = h->record->name, .desc = h->record->desc, .acc = h->record->acc,
                           .ali = ws_dnahit_ali(h)};
        if (h->included && h->shown) rc = add_row(m, &row, err);
    }
    return rc;
}

static int has_column(const msa *m, size_t k) { return !m->some_nodes || m->col.used[k] > 0; }

/* From lengths of inserts to places of nodes. */
static void place_nodes(msa *m) {
    const size_t M = (size_t)m->hmm->M;
    size_t at = 0;
    for (size_t k = 1; k <= M + 1; k++) {
        at += m->col.first[k];
        m->col.first[k] = at;
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
        if (m->col.first[middle] <= c) from = middle;
        else to = middle;
    }
    return from;
}

/* Passes a column of a stretch, and returns its state. */
static int pass(stretch *s) {
    ws_aliwalk_step(&s->walk);
    const int state = s->walk.column & WS_COLUMN_STATE;
    s->node += state != WS_COLUMN_I;
    s->columns--;
    return state;
}

/* Returns the stretch behind all columns before node `to`, and behind inserts before it. */
static stretch advance(stretch s, size_t to) {
    while (s.columns) {
        stretch next = s;
        if (pass(&next) != WS_COLUMN_I && s.node >= to) break;
        s = next;
    }
    return s;
}

/* Makes the columns of nodes a..b and of the inserts after them. */
static void make_nodes(const msa *m, stretch s, size_t a, size_t b, char *row, char *pp) {
    const ws_abc *abc = m->hmm->abc;
    const size_t base = m->col.first[a], n = m->col.first[b + 1] - base;
    size_t at = 0;
    memset(row, '.', n);
    memset(pp, '.', n);
    for (size_t j = a; j <= b; j++) row[m->col.first[j] - base] = '-'; /* b has a column */
    while (s.columns) {
        const size_t k = s.node;
        const int state = pass(&s);
        if (state != WS_COLUMN_I && k > b) break;
        if (state != WS_COLUMN_I) at = m->col.first[k] - base;
        if (state == WS_COLUMN_M) row[at] = (char)toupper(ws_ali_letter(abc, s.walk.x));
        if (state == WS_COLUMN_I) row[at] = (char)tolower(ws_ali_letter(abc, s.walk.x));
        if (state != WS_COLUMN_D) pp[at] = ws_code_letter(s.walk.column);
        at++;
    }
    for (size_t j = a; j <= b && j < (size_t)m->hmm->M; j++) {
        if (!has_column(m, j)) continue;
        const size_t insert = m->col.first[j] + 1 - base, length = m->col.first[j + 1] - m->col.first[j] - 1;
        if (length > 1) spread(row + insert, pp + insert, length);
    }
}

/* Makes columns from .. from + n - 1 of the row of the query: a residue in each match column. */
static void make_origin(const msa *m, size_t from, size_t n, char *text) {
    const ws_queryseq *o = m->origin;
    memset(text, '-', n);
    for (size_t k = node_at(m, from); k <= o->L && m->col.first[k] < from + n; k++)
        if (m->col.first[k] >= from)
            text[m->col.first[k] - from] = (char)toupper(ws_ali_letter(m->hmm->abc, o->x[k - 1]));
}

/* Spells columns as an alignment that was read is spelled: capitals, and one kind of gap. */
static void make_plain(char *text, size_t n) {
    for (size_t c = 0; c < n; c++) text[c] = (char)(text[c] == '.' ? '-' : toupper((unsigned char)text[c]));
}

/* ---- rows whose alignments are in a file ---- */

/* A list's order is not that of the file, whose pages may leave memory between two blocks. So pieces are copied, in the
 * order in which they are written. Each row of a group has there: the bytes of its columns in the block (0: there are
 * none, and nothing else), the number of columns, the column before them, the columns. */
enum { GROUP = 64 /* rows */, MANY = 500 /* rows that are worth a file */ };

static int put_number(ws_buf *to, size_t n, ws_err *err) {
    uint8_t byte[10];
    size_t used = 0;
    for (; n > 0x7f; n >>= 7) byte[used++] = (uint8_t)(n | 0x80);
    byte[used++] = (uint8_t)n;
    return ws_buf_add(to, byte, used, err);
}

static size_t get_number(const uint8_t **at) {
    size_t n = 0;
    int shift = 0;
    for (; **at & 0x80; shift += 7) n |= (size_t)(*(*at)++ & 0x7f) << shift;
    return n | (size_t)*(*at)++ << shift;
}

/* Adds the columns of s up to node b and the inserts after it. */
static int put_stretch(stretch s, size_t b, ws_buf *to, ws_err *err) {
    const stretch end = advance(s, b + 1);
    const size_t bytes = (size_t)(end.walk.at - s.walk.at);
    int rc = put_number(to, bytes, err);
    if (!bytes || rc) return rc;
    rc = put_number(to, s.columns - end.columns, err);
    if (!rc) rc = ws_buf_add(to, &s.walk.column, 1, err);
    return rc ? rc : ws_buf_add(to, s.walk.at, bytes, err);
}

static stretch whole(const place *p) {
    return (stretch){.walk = p->ali.walk, .node = p->ali.hmm_from, .columns = p->ali.ncolumn};
}

/* Sets the nodes of columns from .. from + n - 1. */
static void nodes_of(const msa *m, size_t from, size_t n, size_t *a, size_t *b) {
    *a = node_at(m, from);
    *b = node_at(m, from + n - 1);
}

static int make_piece(void *of, size_t group, size_t block, ws_buf *to, ws_err *err) {
    msa *m = of;
    const size_t columns = m->col.first[m->hmm->M + 1], from = block * m->block;
    const size_t first = group * GROUP, end = ws_min(first + GROUP, m->rows);
    size_t a, b;
    int rc = WS_OK;
    nodes_of(m, from, ws_min(m->block, columns - from), &a, &b);
    for (size_t i = first; i < end && !rc; i++) {
        place *p = &m->place[i];
        p->next = advance(block ? p->next : whole(p), a);
        rc = put_stretch(p->next, b, to, err);
    }
    return rc;
}

/* Returns what a row has in a block that begins with node a. */
static stretch piece_of(const msa *m, size_t i, size_t block, size_t a) {
    const uint8_t *at = ws_pieces_at(&m->pieces, block, i / GROUP);
    stretch s;
    size_t bytes = 0;
    for (size_t k = 0; k <= i % GROUP; k++) {
        at += bytes;
        s = (stretch){.node = (uint32_t)ws_max(m->place[i].ali.hmm_from, a)};
        if (!(bytes = get_number(&at))) continue;
        s.columns = (uint32_t)get_number(&at);
        s.walk = (ws_aliwalk){.column = *at++};
        s.walk.at = at;
    }
    return s;
}

static int make_pieces(msa *m, size_t block, ws_err *err) {
    const size_t columns = m->col.first[m->hmm->M + 1];
    m->block = block;
    return ws_pieces_make(&m->pieces, (columns + block - 1) / block, (m->rows + GROUP - 1) / GROUP, m->threads,
                          make_piece, m, err);
}

/* ---- the rows for lib/msa ---- */

/* Returns the description of an alignment, that of the query; NULL: none. */
static const char *desc_of(const ws_hmm *hmm, const ws_queryseq *origin) {
    const char *desc = origin ? origin->desc : hmm->desc;
    return desc && *desc ? desc : NULL;
}

static int put_desc(const msa *m, const place *p, ws_buf *text, ws_err *err) {
    const int n = m->subseq ? ws_hits_desc(p->desc) : (int)ws_hits_plain(p->desc);
    const size_t at = text->n;
    if (m->subseq && ws_buf_adds(text, "[subseq from] ", err)) return err->code;
    if (ws_buf_addf(text, err, "%.*s", n ? n : INT_MAX, n ? p->desc : m->subseq ? p->name : "")) return err->code;
    if (!m->subseq) ws_hits_blank(text->p + at, text->n - at);
    return WS_OK;
}

static int row_head(void *of, size_t i, int texts, ws_msarow *row, ws_buf *text, ws_err *err) {
    const msa *m = of;
    if (m->origin && i-- == 0) {
        row->name = m->origin->name;
        if (m->subseq && m->acc) row->acc = m->acc;
        row->desc = desc_of(m->hmm, m->origin);
        return WS_OK;
    }
    const place *p = &m->place[i];
    text->n = 0;
    if (ws_buf_addf(text, err, "%s/%llu-%llu", p->name, (unsigned long long)p->ali.from,
                    (unsigned long long)p->ali.to))
        return err->code;
    const size_t at = ++text->n; /* behind the NUL */
    if (texts && put_desc(m, p, text, err)) return err->code;
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
    place *p = &m->place[i];
    size_t a, b;
    nodes_of(m, from, n, &a, &b);
    const size_t width = m->col.first[b + 1] - m->col.first[a];
    char *row = ws_buf_scratch(scratch, 2 * width, err);
    if (!row) return err->code;
    if (!m->pieces.map) p->next = advance(from ? p->next : whole(p), a);
    make_nodes(m, m->pieces.map ? piece_of(m, i, from / m->block, a) : p->next, a, b, row, row + width);
    memcpy(text, row + (from - m->col.first[a]), n);
    memcpy(pp, row + width + (from - m->col.first[a]), n);
    if (m->origin) make_plain(text, n);
    return WS_OK;
}

/* Makes the lines for all rows: mean posteriors, and which columns are nodes. */
static void make_consensus(msa *m) {
    const size_t M = (size_t)m->hmm->M;
    const tally *c = &m->col;
    memset(m->rf, '.', c->first[M + 1]);
    memset(m->pp_cons, '.', c->first[M + 1]);
    for (size_t k = 1; k <= M; k++) {
        if (has_column(m, k)) m->rf[c->first[k]] = 'x';
        if (c->used[k])
            m->pp_cons[c->first[k]] = ws_code_letter(ws_dom_code_of((float)(c->sum[k] / (double)c->used[k])));
    }
}

/* Makes the columns of the included hits of a list, which is one of the two. */
static int open_msa(msa *m, const ws_hitlist *l, const ws_dnalist *dna, ws_err *err) {
    const size_t M = (size_t)m->hmm->M;
    if (create_tally(&m->col, M, err) || (l ? find_rows(m, l, err) : find_hits(m, dna, err)) || measure_rows(m, err))
        return err->code;
    place_nodes(m);
    const size_t n = m->col.first[M + 1] + 1;
    if (!(m->rf = ws_calloc(n, 2, err))) return err->code;
    m->pp_cons = m->rf + n;
    return WS_OK;
}

static void release(msa *m) {
    release_tally(&m->col);
    ws_pieces_release(&m->pieces);
    ws_free(m->rf);
    ws_free(m->place);
}

static msa msa_of(const ws_hitquery *q, int subseq) {
    const char *acc = ws_hitquery_acc(q);
    return (msa){.hmm = q->hmm, .origin = q->msa_name ? q->origin : NULL, .acc = *acc ? acc : NULL, .subseq = subseq,
                 .threads = q->threads};
}

/* Writes an opened alignment; *source has what its head says. */
static void write_rows(ws_sink *s, msa *m, ws_msasource *source, ws_msaform form) {
    if (m->rows + (m->origin != NULL) == 0) return;
    make_consensus(m);
    source->acc = m->acc;
    source->rows = m->rows + (m->origin != NULL);
    source->columns = m->col.first[m->hmm->M + 1];
    source->posteriors = m->rows > 0;
    source->pp_cons = m->rows ? m->pp_cons : NULL;
    source->rf = m->rf;
    source->of = m;
    source->head = row_head;
    source->piece = row_piece;
    source->threads = m->threads;
    ws_msa_write(s, source, form);
}

static void write_msa(ws_sink *s, const ws_hitquery *q, ws_msaform form) {
    msa m = msa_of(q, form != WS_MSAFORM_A2M_DOTS);
    ws_msasource source = {.id = q->msa_name ? q->msa_name : q->hmm->name, .desc = desc_of(q->hmm, q->origin),
                           .author = q->author, .block = q->msa_width, .odd_names = q->odd_names};
    int rc = s->err.code ? s->err.code : open_msa(&m, q->list, NULL, &s->err);
    if (!rc && q->in_file && m.rows > MANY && form == WS_MSAFORM_STOCKHOLM && m.col.first[m.hmm->M + 1] > q->msa_width)
        rc = make_pieces(&m, q->msa_width, &s->err);
    if (!rc) write_rows(s, &m, &source, form);
    release(&m);
}

void ws_write_stockholm_dna(ws_sink *s, const ws_dnaquery *q) {
    msa m = {.hmm = q->hmm, .acc = q->hmm->acc, .some_nodes = 1, .subseq = 1, .threads = q->threads};
    ws_msasource source = {.id = q->hmm->name, .desc = desc_of(q->hmm, NULL), .author = q->author,
                           .block = q->msa_width, .odd_names = q->odd_names};
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
        rc = row_head(m, i, 0, &row, &head, err);
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
        to->columns = m.col.first[q->hmm->M + 1];
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
