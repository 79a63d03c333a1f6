/* SPDX-License-Identifier: MIT
 * Hits in long DNA on their way to the outputs: see bin/genomes/dna.h. */
#include "bin/genomes/dna.h"
#include "lib/run/table.h"

int ws_dna_open(ws_dna *d, const ws_job *job, ws_err *err) {
    d->cut = -1;
    const int rc = ws_hitcols_choose(&d->columns, &ws_dna_columns, 0, job->common.fields, err);
    d->columns.plain = job->common.plain;
    return rc;
}

void ws_dna_close(ws_dna *d) {
    if (d->store.nlist) ws_dnastore_destroy(&d->store);
    ws_hitcols_release(&d->columns);
}

ws_dna_out *ws_dna_add_output(ws_dna *d, ws_job *job, const ws_dnaform *form, int number, const char *path) {
    ws_dna_out *o = &d->out[d->nout++];
    *o = (ws_dna_out){.form = form, .columns = &d->columns, .job = job, .number = number};
    o->unread = !job->common.dry_run && ws_out_is_null(path);
    d->alignments |= !o->unread && form->alignments;
    d->all |= !o->unread && form->all;
    return o;
}

ws_dnaseq ws_dna_record(const ws_batch *b, size_t seq, uint64_t number, uint64_t L) {
    const ws_seqtext *t = &b->seqtext[seq];
    return (ws_dnaseq){.number = number, .L = L, .name = ws_batch_text(b, t->name), .nname = t->name.n,
                       .desc = ws_batch_text(b, t->desc), .ndesc = t->desc.n,
                       .acc = ws_batch_text(b, t->acc), .nacc = t->acc.n};
}

int ws_dna_add(ws_dna *d, uint32_t target, const ws_batch *b, size_t seq, uint64_t number, uint64_t end,
               const ws_dnahit *h, ws_err *err) {
    const ws_dnaseq record = ws_dna_record(b, seq, number, end);
    return ws_dnastore_add(&d->store, target, &record, h, err);
}

int ws_dna_head(const ws_job *job, const ws_dna_out *o, ws_buf *text, ws_err *err) {
    return o->form->frame == WS_FRAME_COLUMNS
               ? ws_table_head(job, o->columns->of, o->columns->column, o->columns->n, text, err)
               : ws_buf_adds(text, o->form->head, err);
}

static int to_output(void *out, const char *p, size_t n, ws_err *err) {
    const ws_dna_out *o = out;
    return ws_job_write(o->job, o->number, p, n, 0, err);
}

ws_dnalimits ws_dna_limits(const ws_dna *d, const ws_hmm *hmm) {
    ws_dnalimits l = d->limits;
    if (d->cut >= 0) ws_dnalimits_cut(&l, hmm, d->cut, d->row);
    return l;
}

static int write_model(ws_job *job, ws_dna *d, size_t t, ws_err *err) {
    const ws_hmm_target *of = job->target[t].data;
    ws_textconf text = d->text;
    const ws_dnaquery q = {.hmm = of->hmm, .list = &d->store.list[t], .columns = &d->columns,
                           .program = job->tool->name, .first = t == 0, .text = &text, .profile = &of->profile,
                           .msa_width = d->msa_width, .author = d->author, .threads = job->nworker,
                           .odd_names = &job->odd_names};
    int rc = WS_OK;
    for (int k = 0; k < WS_LONG_NPASSED; k++) text.passed[k] = (uint64_t)d->passed[t][k];
    for (int k = 0; k < d->nout && !rc; k++) {
        ws_sink sink = {.write = to_output, .to = &d->out[k]};
        if (!d->out[k].unread) d->out[k].form->write(&sink, &q);
        rc = ws_sink_flush(&sink, err);
        ws_sink_release(&sink);
        job->out[d->out[k].number].rows += q.list->nreported;
    }
    return rc;
}

int ws_dna_write(ws_job *job, ws_dna *d, const ws_long_target *target, uint64_t residues, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = 0; t < job->ntarget && !rc; t++) {
        const ws_dnalimits limits = ws_dna_limits(d, ((const ws_hmm_target *)job->target[t].data)->hmm);
        if (d->store.list[t].n) ws_dnalist_rank(&d->store.list[t], &limits, residues, target[t].model.maxl);
        rc = write_model(job, d, t, err);
    }
    return rc;
}
