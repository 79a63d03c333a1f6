/* SPDX-License-Identifier: MIT
 * Hits to text: rows of the table, FASTA, names, or what the tool makes of them; and the lines of a table before its
 * first row and after its last one. Rows are made in the worker, so formatting is as parallel as scoring. */
#include "lib/run/table.h"
#include "lib/scan/state.h"

#include <stdio.h>
#include <string.h>

/* ---- before the first row, and the counts that go on to the next stage ---- */

int ws_scan_provenance(const ws_job *job, ws_buf *out, ws_err *err) {
    const ws_ledger *g = ws_scan_of(job)->ledger;
    int rc = job->common.no_provenance ? WS_OK : ws_buf_add(out, g->lines.p, g->lines.n, err);
    return rc || ws_scan_changes_form_only(ws_scan_state_of(job)) ? rc : ws_provenance(job, g->nstage + 1, out, err);
}

int ws_rows_head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    const ws_scan_state *s = ws_scan_state_of(job);
    const ws_names names = {s->ocol, sizeof *s->ocol, s->nocol};
    (void)own;
    int rc = ws_scan_provenance(job, out, err);
    return rc ? rc : ws_table_head(job, &names, NULL, s->nocol, out, err);
}

/* E-values need what the first stage read, so it is handed on. A table without "##" lines keeps its form. */
ws_stream_size ws_scan_size(const ws_job *job) {
    const ws_ledger *g = ws_scan_of(job)->ledger;
    if (ws_scan_changes_form_only(ws_scan_state_of(job)) && !g->nstage && !g->ends)
        return (ws_stream_size){.state = WS_SIZE_NO_END};
    return ws_ledger_size(g);
}

/* The line is no provenance: the next stage needs it. Without a '#' before the names no stage is meant to read it. */
int ws_scan_end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err) {
    const ws_stream_size size = ws_scan_size(job);
    (void)own;
    if (job->common.no_provenance && job->common.header != WS_HEADER_HASH) return WS_OK;
    return ws_ledger_put_end(out, rows, &size, err);
}

/* ---- rows and sequences ---- */

static int add_slice(ws_buf *out, const ws_batch *b, ws_slice s, ws_err *err) {
    return ws_buf_add(out, ws_batch_text(b, s), s.n, err);
}

/* Appends the letters of a whole sequence, from its words: the writer has no codes. */
static int add_packed_letters(const ws_scan_state *s, ws_buf *out, const ws_batch *b, size_t seq, ws_err *err) {
    enum { WORDS = 512, CODES = WORDS * WS_RESIDUES_PER_WORD };
    uint8_t code[CODES + WS_ALIGN];
    const uint32_t *word = b->word + b->first[seq];
    int rc = ws_buf_reserve(out, b->len[seq] + (size_t)WS_ALIGN, err);
    for (size_t i = 0; i < b->len[seq] && !rc; i += CODES, word += WORDS) {
        const size_t n = ws_min(CODES, b->len[seq] - i);
        s->codec->unpack(word, n, code);
        s->codec->spell(s->scan->abc, code, n, out->p + out->n);
        out->n += n;
    }
    return rc;
}

/* Appends n letters of a sequence. seqs: NULL in the writer, which asks for whole sequences only. */
static int add_letters(const ws_scan_state *s, ws_buf *out, const ws_batch *b, const ws_seqs *seqs, size_t seq,
                       size_t from, size_t n, ws_err *err) {
    if (!seqs) return add_packed_letters(s, out, b, seq, err);
    int rc = ws_buf_reserve(out, n + WS_ALIGN, err); /* the codec writes whole registers */
    if (rc) return rc;
    s->codec->spell(s->scan->abc, ws_seqs_codes(seqs, seq) + from, n, out->p + out->n);
    out->n += n;
    return WS_OK;
}

static int add_text(const ws_scan_state *s, ws_buf *out, const char *p, size_t n, ws_err *err) {
    return ws_cell_text(out, s->job->common.plain, p, n, err);
}

static int add_value(ws_buf *out, ws_coltype type, double v, ws_err *err) {
    const ws_cell c = ws_cell_number(type, v);
    return ws_cell_print(out, &c, err);
}

static int add_passed(const ws_scan_state *s, ws_buf *out, const ws_batch *b, const ws_row *row, int index,
                      ws_rowplace *place, ws_err *err) {
    const ws_cell c = ws_row_cell_behind(b, row, index, place);
    return !c.forms ? add_text(s, out, c.text, c.n, err) : ws_cell_print(out, &c, err);
}

static int add_field(const ws_scan_state *s, ws_buf *out, const ws_batch *b, const ws_seqs *seqs, const ws_hit *h,
                     const ws_ocol *c, ws_rowplace *place, ws_err *err) {
    const ws_job *job = s->job;
    const ws_seqtext *t = &b->seqtext[h->seq];
    switch (c->kind) {
    case WS_OCOL_NAME: return add_text(s, out, ws_batch_text(b, t->name), t->name.n, err);
    case WS_OCOL_SEQ: return add_letters(s, out, b, seqs, h->seq, 0, b->len[h->seq], err);
    case WS_OCOL_QUAL: return add_slice(out, b, t->qual, err);
    case WS_OCOL_DESC: return add_text(s, out, ws_batch_text(b, t->desc), t->desc.n, err);
    case WS_OCOL_REST: return add_passed(s, out, b, &b->row[h->row], c->index, place, err);
    case WS_OCOL_QUERY: return ws_buf_adds(out, job->target[h->target].name, err);
    case WS_OCOL_QLEN: return ws_buf_addf(out, err, "%llu", (unsigned long long)job->target[h->target].qlen);
    case WS_OCOL_ACC: return job->target[h->target].acc ? ws_buf_adds(out, job->target[h->target].acc, err) : WS_OK;
    case WS_OCOL_TLEN: return ws_buf_addf(out, err, "%u", b->len[h->seq]);
    case WS_OCOL_OWN: return add_value(out, s->scan->col[c->index].type, h->value[c->index], err);
    }
    return WS_OK;
}

static int emit_row(const ws_scan_state *s, ws_buf *out, const ws_batch *b, const ws_seqs *seqs, const ws_hit *h,
                    ws_err *err) {
    const size_t before = out->n;
    ws_rowplace place = {0};
    int rc = WS_OK;
    for (int c = 0; c < s->nocol && !rc; c++) {
        if (c > 0) rc = ws_buf_add(out, "\t", 1, err);
        if (!rc) rc = add_field(s, out, b, seqs, h, &s->ocol[c], &place, err);
    }
    if (!rc) rc = ws_buf_add(out, "\n", 1, err);
    if (rc) out->n = before;
    return rc;
}

/* Makes rows until item_text is used up or a row is longer than a write. The writer makes the remaining rows, one write
 * after another. */
static int emit_rows(const ws_scan_state *s, ws_scan_item *it, const ws_seqs *seqs, ws_outtext *out, ws_err *err) {
    const ws_batch *b = &it->batch;
    for (it->late = 0; it->late < it->hits.n; it->late++) {
        const ws_hit *h = &it->hits.hit[it->late];
        ws_outtext *o = &out[ws_scan_output_of(s->scan, h)];
        const size_t letters = s->job->common.no_seq ? 0 : b->len[h->seq] + b->seqtext[h->seq].qual.n;
        if (o->text.n + letters > s->item_text || letters > WS_POLICY_WRITE) break;
        int rc = emit_row(s, &o->text, b, seqs, h, err);
        if (rc) return rc;
        o->rows++;
    }
    return WS_OK;
}

int ws_rows_late(const ws_job *job, void *own, const void *item, ws_buf *text, uint64_t *rows, ws_err *err) {
    const ws_scan_state *s = ws_scan_state_of(job);
    const ws_scan_item *it = item;
    ws_scan_form *f = own;
    for (f->at = ws_max(f->at, it->late); f->at < it->hits.n; f->at++) {
        const ws_hit *h = &it->hits.hit[f->at];
        if (text->n >= WS_POLICY_WRITE) return WS_OK;
        if (ws_scan_output_of(s->scan, h) != f->number) continue;
        int rc = emit_row(s, text, &it->batch, NULL, h, err);
        if (rc) return rc;
        ++*rows;
    }
    f->at = 0;
    return WS_EOF;
}

enum { FASTA_LINE = 60 };

static void put(ws_buf *out, const char *p, size_t n) {
    if (n) memcpy(out->p + out->n, p, n);
    out->n += n;
}

static int emit_fasta(const ws_scan_state *s, ws_buf *out, const ws_batch *b, const ws_seqs *seqs, size_t seq,
                      ws_err *err) {
    const ws_seqtext *t = &b->seqtext[seq];
    const uint8_t *code = ws_seqs_codes(seqs, seq);
    const size_t L = b->len[seq], marks = sizeof "> \n";
    const int rc = ws_buf_reserve(out, t->name.n + t->desc.n + marks + L + L / FASTA_LINE + 2 * WS_ALIGN, err);
    if (rc) return rc;
    put(out, ">", 1);
    put(out, ws_batch_text(b, t->name), t->name.n);
    if (t->desc.n) put(out, " ", 1);
    put(out, ws_batch_text(b, t->desc), t->desc.n);
    put(out, "\n", 1);
    for (size_t i = 0; i < L; i += FASTA_LINE) {
        const size_t n = ws_min(FASTA_LINE, L - i);
        /* whole registers, also of what follows: the codec takes a rest letter by letter */
        s->codec->spell(s->scan->abc, code + i, (n + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN, out->p + out->n);
        out->n += n;
        put(out, "\n", 1);
    }
    return WS_OK;
}

static int emit_id(ws_buf *out, const ws_batch *b, size_t seq, ws_err *err) {
    int rc = add_slice(out, b, b->seqtext[seq].name, err);
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

/* Counts the rows of packed pairs, which the writer makes. */
static int count_rows(const ws_scan_state *s, const ws_scan_item *it, ws_outtext *out) {
    for (size_t i = 0; i < it->hits.n; i++) out[ws_scan_output_of(s->scan, &it->hits.hit[i])].rows++;
    return WS_OK;
}

/* Makes the text of each sequence once, for the main output if any of its pairs passed: FASTA, names, or of packed
 * sequences their numbers for the writer. */
static int emit_seqs(const ws_scan_state *s, const ws_scan_item *it, const ws_seqs *seqs, ws_outtext *out,
                     ws_err *err) {
    const ws_scan *scan = s->scan;
    const ws_batch *b = &it->batch;
    const int all = ws_scan_passes_all(s, b);
    int rc = WS_OK;
    size_t h = 0;
    for (uint32_t i = 0; i < b->n && !rc; i++) {
        int pass = all;
        for (; h < it->hits.n && it->hits.hit[h].seq == i; h++) pass |= it->hits.hit[h].pass;
        if (!pass && !scan->rejected_output) continue;
        ws_outtext *o = &out[pass ? 0 : scan->rejected_output];
        rc = scan->out_format == WS_OUT_FASTA ? emit_fasta(s, &o->text, b, seqs, i, err)
             : scan->out_format == WS_OUT_IDS ? emit_id(&o->text, b, i, err)
                                              : ws_buf_add(&o->text, &i, sizeof i, err);
        o->rows++;
    }
    return rc;
}

int ws_scan_format(const ws_scan_state *s, ws_scan_item *it, const ws_scan_worker *worker, ws_outtext *out,
                   ws_err *err) {
    const ws_scan *scan = s->scan;
    int rc = scan->emit[0]                     ? WS_OK
             : scan->out_format == WS_OUT_TSV ? emit_rows(s, it, &worker->seqs, out, err)
             : ws_scan_packs_pairs(s->job)    ? count_rows(s, it, out)
                                              : emit_seqs(s, it, &worker->seqs, out, err);
    for (int k = 0; k < s->job->nout && !rc; k++)
        if (scan->emit[k]) rc = scan->emit[k](s->job, &it->batch, &it->hits, worker, &out[k], err);
    return rc;
}
