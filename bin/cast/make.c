/* SPDX-License-Identifier: MIT
 * The making of models of an item, and their texts: the model, the alignment as it sees it, its line of the summary.
 * Models of sequences go in groups, which a device calibrates in one call. */
#include <string.h>

#include "bin/cast/program.h"
#include "bin/stages/machine.h"
#include "lib/hmm/hmmwrite.h"
#include "lib/files/sink.h"

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
    if (!rc && (p->summary || p->behind)) rc = add_line(name, h, number, columns, desc, &m->line, err);
    return rc;
}

/* A model between its draft and its texts. */
typedef struct casting {
    ws_cast_model *model;
    ws_hmm hmm;
    ws_build_ali ali; /* of an alignment's rows */
    char *name, *desc; /* of a sequence of a batch; desc goes into the summary alone, as in hmmbuild */
    size_t columns;
    int from_rows;
} casting;

/* ---- sequences ---- */

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

static int draft_of_batch(const ws_cast_plan *p, const ws_cast_item *it, size_t at, casting *c, ws_err *err) {
    const ws_batch *b = &it->batch;
    const ws_seqtext *text = &b->seqtext[at];
    c->columns = b->len[at];
    c->name = p->o->name ? ws_strndup(p->o->name, strlen(p->o->name), err) : copy(b, text->name, err);
    c->desc = c->name ? copy(b, text->desc, err) : NULL;
    if (!c->desc) return err->code;
    const ws_build_sequence q = {.name = c->name, .L = b->len[at],
                                 .codes = (const uint8_t *)it->codes.p + WS_RESIDUES_PER_WORD * b->first[at]};
    const int rc = check_codes(&q, p->abc, err);
    return rc ? rc : ws_build_draft_sequence(p->builder, &q, &c->hmm, err);
}

/* ---- alignments ---- */

/* Drafts the model of the only row of an alignment, without its gaps (section 10.4). */
static int draft_of_row(const ws_cast_plan *p, const ws_msa *a, ws_buf *scratch, casting *c, ws_err *err) {
    const uint8_t *row = ws_msa_row(a, 0);
    uint8_t *code = ws_buf_scratch(scratch, a->columns, err);
    ws_build_sequence q = {.name = ws_msa_name(a, 0), .codes = code};
    if (!code) return err->code;
    for (size_t i = 0; i < a->columns; i++)
        if (row[i] != a->abc->K && row[i] != a->abc->Kp - 1) code[q.L++] = row[i];
    return ws_build_draft_sequence(p->builder, &q, &c->hmm, err);
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

static int draft_of_alignment(const ws_cast_plan *p, ws_cast_item *it, int threads, ws_buf *scratch, casting *c,
                              ws_err *err) {
    ws_build_ali_settings s = p->alignment;
    s.threads = threads;
    c->columns = it->msa.columns;
    c->from_rows = !p->o->singlemx || it->msa.rows > 1;
    if (!c->from_rows) return draft_of_row(p, &it->msa, scratch, c, err);
    return ws_build_draft_msa(p->builder, &s, &it->msa, it->name, &c->ali, &c->hmm, err);
}

/* ---- a group ---- */

/* Takes a fault of the input to its model. Returns other failures. */
static int note(casting *c, int rc, const ws_err *err) {
    if (rc != WS_EDATA) return rc;
    c->model->fault = *err;
    return WS_OK;
}

static int draft(const ws_cast_plan *p, ws_cast_item *it, size_t at, int threads, ws_buf *scratch, casting *c,
                 ws_err *err) {
    ws_cast_model *m = c->model = &it->model[at];
    m->text.n = m->resaved.n = m->line.n = 0;
    m->fault = (ws_err){0};
    return note(c, p->sequences ? draft_of_batch(p, it, at, c, err)
                                : draft_of_alignment(p, it, threads, scratch, c, err), err);
}

/* Returns the backend for the next models. */
static const ws_backend *calibrator(const ws_job *job) {
    ws_plan_machine m = ws_plan_machine_of(job, job->nworker);
    m.stream[WS_STEP_FWD] = ws_job_speed(job, WS_CHAIN_DEVICE, WS_STEP_FWD);
    return ws_job_has_device(job) && ws_plan_device_calibrates(&m) ? job->backend : ws_job_pick_backend(job);
}

/* Calibrates all of the models on a device, or the first one on the processor. *done: how many; 0 after a failure of a
 * device that no option asked for. */
static int calibrate_some(ws_job *job, ws_build_load *load, size_t n, size_t *done, ws_err *err) {
    const ws_builder *b = ws_cast_plan_of(job)->builder;
    const ws_backend *backend = calibrator(job);
    int rc = WS_OK;
    *done = backend->start ? n : 1;
    if (backend->start) rc = ws_build_calibrate_together(b, load, n, err);
    else if (!load->fault->code) rc = ws_build_calibrate(b, load->h, err);
    if (!backend->start && rc == WS_EDATA) {
        *load->fault = *err;
        return WS_OK;
    }
    if (!rc || !ws_job_fall_back_to_cpu(job, backend, rc, err)) return rc;
    *done = 0;
    return WS_OK;
}

static int calibrate(ws_job *job, casting *c, size_t n, ws_err *err) {
    ws_build_load *load = ws_calloc(n, sizeof *load, err);
    int rc = load ? WS_OK : err->code;
    for (size_t i = 0; i < n && !rc; i++) load[i] = (ws_build_load){&c[i].hmm, &c[i].model->fault};
    for (size_t i = 0, done; i < n && !rc; i += done) rc = calibrate_some(job, load + i, n - i, &done, err);
    ws_free(load);
    return rc;
}

/* Finishes a model and makes its texts. The summary's line has the name of the alignment even where a model has that of
 * its row. */
static int finish(const ws_cast_plan *p, const ws_cast_item *it, size_t at, casting *c, ws_err *err) {
    const char *name = p->sequences ? c->name : it->name, *desc = p->sequences ? c->desc : it->msa.desc;
    int rc = ws_build_finish(p->builder, &c->hmm, err);
    if (!rc) rc = add_texts(p, name, &c->hmm, it->first + at, c->columns, desc, c->model, err);
    if (!rc && p->resave && c->from_rows) rc = resave(it, &c->ali, c->model, err);
    return rc;
}

/* Leaves no text with a fault, whose message names the alignment. */
static void show_fault(const ws_cast_plan *p, const ws_cast_item *it, ws_cast_model *m) {
    m->text.n = m->resaved.n = m->line.n = 0;
    char quote[WS_QUOTE_MAX];
    if (!p->sequences)
        ws_err_prefix(&m->fault, "%s, alignment %llu, %s: ", it->file, (unsigned long long)it->in_file,
                      ws_quote(quote, it->name, strlen(it->name)));
}

static void release(casting *c) {
    ws_build_ali_release(&c->ali);
    ws_hmm_release(&c->hmm);
    ws_free(c->name);
    ws_free(c->desc);
}

int ws_cast_make(ws_job *job, ws_cast_item *it, size_t part, int threads, ws_buf *scratch, ws_err *err) {
    const ws_cast_plan *p = ws_cast_plan_of(job);
    const size_t from = part * it->group, n = ws_min(it->group, it->nmodel - from);
    casting *c = ws_calloc(n, sizeof *c, err);
    int rc = c ? WS_OK : err->code;
    for (size_t i = 0; i < n && !rc; i++) rc = draft(p, it, from + i, threads, scratch, &c[i], err);
    if (!rc) rc = calibrate(job, c, n, err);
    for (size_t i = 0; i < n && !rc; i++)
        if (!c[i].model->fault.code) rc = note(&c[i], finish(p, it, from + i, &c[i], err), err);
    for (size_t i = 0; i < n && !rc; i++)
        if (c[i].model->fault.code) show_fault(p, it, c[i].model);
    for (size_t i = 0; c && i < n; i++) release(&c[i]);
    ws_free(c);
    if (!p->sequences) ws_msa_release(&it->msa);
    return rc;
}
