/* SPDX-License-Identifier: MIT
 * The making of one model of an item, and its texts: the model, the alignment as it sees it, its line of the summary.
 */
#include <string.h>

#include "bin/casting/program.h"
#include "lib/hmm/hmmwrite.h"
#include "lib/io/sink.h"

/* ---- texts ---- */

/* Appends the line of hmmbuild's table (section 10.1). columns: of the alignment. */
static int add_line(const char *name, const ws_hmm *h, uint64_t number, size_t columns, const char *desc, ws_buf *out,
                    ws_err *err) {
    int rc = ws_buf_addf(out, err, "%-5llu %-20s %5d %5zu %5d ", (unsigned long long)number, name, h->nseq, columns,
                         h->M);
    if (!rc && h->abc->type != WS_ABC_AMINO) rc = ws_buf_addf(out, err, "%5d ", h->maxl);
    if (rc) return rc;
    return ws_buf_addf(out, err, "%8.2f %6.3f %s\n", (double)h->made->effn, h->made->entropy, desc ? desc : "");
}

/* name: of the summary's line, which is that of the alignment even where a model has the name of its row. */
static int add_texts(const ws_cast_plan *p, const char *name, const ws_hmm *h, uint64_t number, size_t columns,
                     const char *desc, ws_cast_model *m, ws_err *err) {
    int rc = ws_hmm_write(h, p->program, *p->date ? p->date : NULL, &m->text, err);
    if (!rc && p->summary) rc = add_line(name, h, number, columns, desc, &m->line, err);
    return rc;
}

/* ---- sequences ---- */

/* Makes the model of a sequence; desc goes into the summary alone, as in hmmbuild. */
static int from_sequence(const ws_cast_plan *p, const char *name, const ws_build_sequence *q, uint64_t number,
                         size_t columns, const char *desc, ws_cast_model *m, ws_err *err) {
    ws_hmm h;
    int rc = ws_build_from_sequence(p->builder, q, &h, err);
    if (rc) return rc;
    rc = add_texts(p, name, &h, number, columns, desc, m, err);
    ws_hmm_release(&h);
    return rc;
}

/* Checks that all residues are in the alphabet, which was guessed after they were read. */
static int check_codes(const ws_build_sequence *q, const ws_abc *abc, ws_err *err) {
    for (uint32_t i = 0; i < q->L; i++)
        if (q->codes[i] >= abc->Kp)
            return ws_fail(err, WS_EDATA, "sequence %s, residue %u, is none of the alphabet %s, which the first "
                           "sequence has", q->name, i + 1, abc->name);
    return WS_OK;
}

static char *copy(const ws_batch *b, ws_slice text, ws_err *err) {
    return ws_strndup(ws_batch_text(b, text), text.n, err);
}

static int from_batch(const ws_cast_plan *p, const ws_cast_item *it, size_t part, ws_cast_model *m, ws_err *err) {
    const ws_batch *b = &it->batch;
    const ws_seqtext *text = &b->seqtext[part];
    char *name = copy(b, text->name, err), *desc = name ? copy(b, text->desc, err) : NULL;
    ws_build_sequence q = {.name = p->o->name ? p->o->name : name, .L = b->len[part],
                           .codes = (const uint8_t *)it->codes.p + WS_RESIDUES_PER_WORD * b->first[part]};
    int rc = desc ? check_codes(&q, p->abc, err) : err->code;
    if (!rc) rc = from_sequence(p, q.name, &q, it->first + part, q.L, desc, m, err);
    ws_free(name);
    ws_free(desc);
    return rc;
}

/* ---- alignments ---- */

/* Makes the model of the only row of an alignment, without its gaps (section 10.4). */
static int from_row(const ws_cast_plan *p, const ws_cast_item *it, ws_buf *scratch, ws_cast_model *m, ws_err *err) {
    const ws_msa *a = &it->msa;
    const uint8_t *row = ws_msa_row(a, 0);
    uint8_t *code = ws_buf_scratch(scratch, a->columns, err);
    ws_build_sequence q = {.name = ws_msa_name(a, 0), .codes = code};
    if (!code) return err->code;
    for (size_t c = 0; c < a->columns; c++)
        if (row[c] != a->abc->K && row[c] != a->abc->Kp - 1) code[q.L++] = row[c];
    return from_sequence(p, it->name, &q, it->first, a->columns, a->desc, m, err);
}

/* Appends the alignment as its model sees it (section 10.2). */
static int resave(const ws_cast_item *it, const ws_build_ali *a, ws_cast_model *m, ws_err *err) {
    ws_build_resave r;
    ws_sink sink = {.text = m->resaved};
    int rc = ws_build_resave_open(&r, a, &it->msa, it->name, err);
    if (!rc) {
        ws_msa_write(&sink, &r.source, WS_MSAFORM_STOCKHOLM);
        rc = ws_sink_flush(&sink, err);
    }
    ws_build_resave_release(&r);
    m->resaved = sink.text;
    return rc;
}

static int from_rows(const ws_cast_plan *p, ws_cast_item *it, int threads, ws_cast_model *m, ws_err *err) {
    ws_build_ali_settings s = p->alignment;
    ws_build_ali a;
    ws_hmm h;
    s.threads = threads;
    int rc = ws_build_from_msa(p->builder, &s, &it->msa, it->name, &a, &h, err);
    if (!rc) rc = add_texts(p, it->name, &h, it->first, it->msa.columns, it->msa.desc, m, err);
    if (!rc && p->resave) rc = resave(it, &a, m, err);
    ws_build_ali_release(&a);
    ws_hmm_release(&h);
    return rc;
}

static int from_alignment(const ws_cast_plan *p, ws_cast_item *it, int threads, ws_buf *scratch, ws_cast_model *m,
                          ws_err *err) {
    int rc = p->o->singlemx && it->msa.rows == 1 ? from_row(p, it, scratch, m, err) : from_rows(p, it, threads, m, err);
    if (rc == WS_EDATA)
        ws_err_prefix(err, "%s, alignment %llu, %s: ", it->file, (unsigned long long)it->in_file, it->name);
    ws_msa_release(&it->msa);
    return rc;
}

int ws_cast_make(const ws_cast_plan *p, ws_cast_item *it, size_t part, int threads, ws_buf *scratch, ws_err *err) {
    ws_cast_model *m = &it->model[part];
    m->text.n = m->resaved.n = m->line.n = 0;
    m->fault = (ws_err){0};
    const int rc = p->sequences ? from_batch(p, it, part, m, err) : from_alignment(p, it, threads, scratch, m, err);
    if (rc != WS_EDATA) return rc;
    m->text.n = m->resaved.n = m->line.n = 0;
    m->fault = *err;
    return WS_OK;
}
