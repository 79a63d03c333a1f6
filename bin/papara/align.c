/* SPDX-License-Identifier: MIT
 * --alignment: reads in the columns of the reference alignment. Source: specification papara.md, section 10.1.
 *
 * Without columns for insertions FASTA streams, because a read's row depends on that read alone. New columns, and
 * PHYLIP's count of rows, depend on all reads. So the code then keeps the paths of each batch and writes everything
 * at the end. */
#include "bin/papara/program.h"

#include <stdlib.h>
#include <string.h>

typedef struct record {
    size_t name_at, name_n, run_at, nrun, letter_at;
} record;

/* The reads of one batch. */
typedef struct ws_papara_chunk {
    struct ws_papara_chunk *next;
    uint64_t number;
    record *rec;
    size_t nrec, rec_cap;
    ws_papara_run *run;
    size_t nrun, run_cap;
    ws_buf names, letters;
} chunk;

static ws_papara_insertions insertions(const ws_papara_opts *o) {
    if (o->insertions_given) return (ws_papara_insertions)o->insertions;
    return o->alignment_format == WS_PAPARA_PHYLIP ? WS_PAPARA_COLUMNS : WS_PAPARA_DROP;
}

/* Rows need no other row, so they leave as they come. */
static int streams(const ws_papara_opts *o) {
    return o->alignment_format == WS_PAPARA_FASTA && insertions(o) == WS_PAPARA_DROP;
}

/* ---- rows of the alignment ---- */

/* Columns of the output: those of the file, or the kept ones with `before[p]` new columns before site p;
 * [sites] is after the last. */
typedef struct layout {
    const ws_papara_ref *ref;
    const size_t *before; /* NULL: no new columns */
    int all_columns;      /* write all columns of the file, also dropped ones */
    size_t width;
} layout;

static layout layout_of(const ws_papara_run_data *d, const size_t *before) {
    const ws_papara_opts *o = d->opts;
    layout l = {&d->ref, before, !before && !o->drop_gap_columns && o->alignment_format == WS_PAPARA_FASTA, 0};
    l.width = l.all_columns ? d->ref.msa.sites : d->ref.edges.sites;
    for (size_t p = 0; before && p <= d->ref.edges.sites; p++) l.width += before[p];
    return l;
}

/* Writes the row of a path to text[0..width). Letters fill new columns from the left, but those before the first
 * site from the right. */
static void read_row(const layout *l, const ws_papara_run *run, size_t nrun, const char *letter, char *text) {
    size_t site = 0, at = 0;
    memset(text, '-', l->width);
    for (size_t k = 0; k < nrun; k++) {
        if (run[k].op == WS_PAPARA_I) {
            if (l->before) memcpy(text + at + (site ? 0 : l->before[0] - run[k].n), letter, run[k].n);
            letter += run[k].n;
            continue;
        }
        for (size_t i = 0; i < run[k].n; i++, site++, at++) {
            if (l->before) at += l->before[site];
            if (run[k].op == WS_PAPARA_M) text[l->all_columns ? l->ref->edges.column[site] : at] = *letter++;
        }
    }
}

/* Writes a reference row as in the file or, where residues are dropped, in the form that papara -r gives it. */
static void reference_row(const layout *l, const char *site, int normal, char *text) {
    size_t at = 0;
    memset(text, '-', l->width);
    if (l->all_columns) {
        for (size_t i = 0; i < l->width; i++)
            text[i] =
                normal ? ws_papara_letter_of(&l->ref->letters, l->ref->letters.mask[(unsigned char)site[i]]) : site[i];
        return;
    }
    for (size_t i = 0; i < l->ref->edges.sites; i++) {
        if (l->before) at += l->before[i];
        const char c = site[l->ref->edges.column[i]];
        text[at++] = normal ? ws_papara_letter_of(&l->ref->letters, l->ref->letters.mask[(unsigned char)c]) : c;
    }
}

/* Appends one line: FASTA, or PHYLIP with the name padded to `pad` characters. Returns WS_ENOMEM on failure. */
static int put_row(ws_buf *out, size_t pad, const char *name, size_t n, const char *text, size_t width, ws_err *err) {
    int rc = pad ? ws_buf_addf(out, err, "%.*s%*s", (int)n, name, (int)(pad - n), "")
                 : ws_buf_addf(out, err, ">%.*s\n", (int)n, name);
    if (!rc) rc = ws_buf_add(out, text, width, err);
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

static int put_references(const ws_papara_run_data *d, const layout *l, size_t pad, ws_buf *out, ws_err *err) {
    const ws_papara_ref *ref = &d->ref;
    uint8_t *leaf = ws_calloc(ref->msa.n, 1, err);
    char *text = ws_calloc(l->width, 1, err);
    int rc = leaf && text ? WS_OK : WS_ENOMEM;
    for (int x = 0; x < ref->tree.n && !rc; x++)
        if (!ref->tree.node[x].nchild) leaf[ref->tree.node[x].row] = 1;
    for (size_t r = 0; r < ref->msa.n && !rc; r++) {
        if (!leaf[r]) continue;
        reference_row(l, ref->msa.row[r].site, insertions(d->opts) == WS_PAPARA_DROP, text);
        rc = put_row(out, pad, ref->msa.row[r].name, strlen(ref->msa.row[r].name), text, l->width, err);
    }
    ws_free(leaf);
    ws_free(text);
    return rc;
}

/* ---- paths of a batch ---- */

static int trace_one(const ws_papara_run_data *d, const ws_batch *b, uint32_t seq, const ws_papara_score *s,
                     const ws_scan_worker *worker, uint32_t *cell, ws_papara_path *path, ws_buf *letters, ws_err *err) {
    const ws_papara_ref *ref = &d->ref;
    ws_papara_read r;
    int rc = ws_papara_read_begin(&r, ref, ws_seqs_codes(&worker->seqs, seq), b->len[seq], worker->scratch, err);
    if (!rc) rc = ws_buf_reserve(letters, r.m, err);
    if (rc) return rc;
    if (s->reverse) ws_papara_reverse(r.mask, r.m);
    for (size_t j = 0; j < r.m; j++) letters->p[letters->n++] = ws_papara_letter_of(&ref->letters, r.mask[j]);
    ws_papara_edges_get(&ref->edges, s->edge[0], cell);
    return ws_papara_trace(path, &ref->scheme, cell, ref->edges.sites, r.mask, r.m, err);
}

static int add_record(chunk *c, const char *name, size_t n, size_t letter_at, const ws_papara_path *path, ws_err *err) {
    int rc = ws_grow(&c->rec, &c->rec_cap, c->nrec + 1, sizeof *c->rec, err);
    if (!rc) rc = ws_grow(&c->run, &c->run_cap, c->nrun + path->n, sizeof *c->run, err);
    if (rc) return rc;
    c->rec[c->nrec++] = (record){c->names.n, n, c->nrun, path->n, letter_at};
    memcpy(c->run + c->nrun, path->run, path->n * sizeof *path->run);
    c->nrun += path->n;
    return ws_buf_add(&c->names, name, n, err);
}

static int trace_batch(const ws_papara_run_data *d, const ws_batch *b, const ws_hits *hits,
                       const ws_scan_worker *worker, chunk *c, ws_err *err) {
    uint32_t *cell = ws_calloc(d->ref.edges.sites, sizeof *cell, err);
    ws_papara_path path = {0};
    int rc = cell ? WS_OK : WS_ENOMEM;
    for (size_t i = 0; i < hits->n && !rc; i++) {
        const uint32_t seq = hits->hit[i].seq;
        const ws_papara_score *s = ws_papara_score_of(worker, seq);
        const ws_slice name = b->seqtext[seq].name;
        const size_t letter_at = c->letters.n;
        if (s->tied == 0) continue;
        rc = trace_one(d, b, seq, s, worker, cell, &path, &c->letters, err);
        if (!rc) rc = add_record(c, ws_batch_text(b, name), name.n, letter_at, &path, err);
    }
    ws_free(path.run);
    ws_free(cell);
    return rc;
}

static void chunk_release(chunk *c) {
    ws_free(c->rec);
    ws_free(c->run);
    ws_buf_release(&c->names);
    ws_buf_release(&c->letters);
}

static int put_chunk(const chunk *c, const layout *l, size_t pad, ws_buf *out, ws_err *err) {
    char *text = ws_calloc(l->width, 1, err);
    int rc = text ? WS_OK : WS_ENOMEM;
    for (size_t i = 0; i < c->nrec && !rc; i++) {
        const record *r = &c->rec[i];
        read_row(l, c->run + r->run_at, r->nrun, c->letters.p + r->letter_at, text);
        rc = put_row(out, pad, c->names.p + r->name_at, r->name_n, text, l->width, err);
    }
    ws_free(text);
    return rc;
}

/* ---- rows written as they come ---- */

static int stream_head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    (void)own;
    const ws_papara_run_data *d = ws_papara_data_of(job);
    const layout l = layout_of(d, NULL);
    return d->opts->with_references ? put_references(d, &l, 0, out, err) : WS_OK;
}

static int stream_emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                       ws_outtext *out, ws_err *err) {
    const ws_papara_run_data *d = ws_papara_data_of(job);
    const layout l = layout_of(d, NULL);
    chunk c = {0};
    int rc = trace_batch(d, b, hits, worker, &c, err);
    if (!rc) rc = put_chunk(&c, &l, 0, &out->text, err);
    chunk_release(&c);
    return rc;
}

/* ---- all rows at the end ---- */

/* Keeps a batch's paths. Workers push them onto a list without a lock; only the end of the run reads the list. */
static int keep_emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                     ws_outtext *out, ws_err *err) {
    ws_papara_run_data *d = ws_papara_data_of(job);
    chunk *c = ws_calloc(1, sizeof *c, err);
    (void)out;
    if (!c) return WS_ENOMEM;
    c->number = b->number;
    int rc = trace_batch(d, b, hits, worker, c, err);
    c->next = atomic_load(&d->chunks);
    while (!atomic_compare_exchange_weak(&d->chunks, &c->next, c)) {}
    return rc;
}

static int by_number(const void *a, const void *b) {
    const chunk *x = *(chunk *const *)a, *y = *(chunk *const *)b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Finds the widest insertion of all reads before each site, and the longest name. */
static void survey(const chunk *c, size_t *before, size_t *longest) {
    for (size_t i = 0; i < c->nrec; i++) {
        size_t site = 0;
        *longest = ws_max(*longest, c->rec[i].name_n);
        for (size_t k = 0; k < c->rec[i].nrun; k++) {
            const ws_papara_run *run = &c->run[c->rec[i].run_at + k];
            if (run->op == WS_PAPARA_I) before[site] = ws_max(before[site], run->n);
            else site += run->n;
        }
    }
}

/* Writes what has come together, so that the alignment is never in memory as a whole. */
static int hand_over(ws_job *job, ws_buf *text, ws_err *err) {
    const ws_papara_run_data *d = ws_papara_data_of(job);
    const int rc = ws_job_write(job, d->alignment_output, text->p, text->n, 0, err);
    text->n = 0;
    return rc;
}

static int write_all(ws_job *job, chunk **list, size_t n, size_t *before, ws_buf *out, ws_err *err) {
    const ws_papara_run_data *d = ws_papara_data_of(job);
    const ws_papara_ref *ref = &d->ref;
    const int phylip = d->opts->alignment_format == WS_PAPARA_PHYLIP,
              new_columns = insertions(d->opts) == WS_PAPARA_COLUMNS;
    size_t longest = 0, rows = (size_t)ref->tree.ntip;
    for (int x = 0; x < ref->tree.n; x++)
        if (!ref->tree.node[x].nchild) longest = ws_max(longest, strlen(ref->tree.node[x].name));
    for (size_t i = 0; i < n; i++) {
        survey(list[i], before, &longest);
        rows += list[i]->nrec;
    }
    const layout l = layout_of(d, new_columns ? before : NULL);
    const size_t pad = phylip ? longest + 1 : 0;
    int rc = phylip ? ws_buf_addf(out, err, "%zu %zu\n", rows, l.width) : WS_OK;
    if (!rc && (phylip || d->opts->with_references)) rc = put_references(d, &l, pad, out, err);
    if (!rc) rc = hand_over(job, out, err);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = put_chunk(list[i], &l, pad, out, err);
        if (!rc) rc = hand_over(job, out, err);
    }
    return rc;
}

int ws_papara_alignment_finish(ws_job *job, ws_err *err) {
    ws_papara_run_data *d = ws_papara_data_of(job);
    ws_buf text = {0};
    size_t n = 0;
    if (!d->alignment_output || streams(d->opts)) return WS_OK;
    for (const chunk *c = d->chunks; c; c = c->next) n++;
    chunk **list = ws_calloc(n, sizeof *list, err);
    size_t *before = ws_calloc(d->ref.edges.sites + 1, sizeof *before, err);
    int rc = list && before ? WS_OK : WS_ENOMEM;
    n = 0;
    for (chunk *c = d->chunks; c && !rc; c = c->next) list[n++] = c;
    if (!rc) qsort(list, n, sizeof *list, by_number);
    if (!rc) rc = write_all(job, list, n, before, &text, err);
    ws_buf_release(&text);
    ws_free(list);
    ws_free(before);
    return rc;
}

void ws_papara_chunks_release(ws_papara_run_data *d) {
    for (chunk *c = d->chunks, *next; c; c = next) {
        next = c->next;
        chunk_release(c);
        ws_free(c);
    }
}

ws_scan_output ws_papara_alignment_out(const ws_papara_opts *o, const char *path) {
    if (streams(o)) return (ws_scan_output){.output = {.path = path, .head = stream_head}, .emit = stream_emit};
    return (ws_scan_output){.output = {.path = path}, .emit = keep_emit};
}
