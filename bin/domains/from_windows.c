/* SPDX-License-Identifier: MIT
 * domscore's pairs that are windows. */
#include "bin/domains/from_windows.h"
#include "bin/domains/dna.h"

#include <string.h>

struct ws_dom_windows {
    ws_dna dna;
    ws_dom_worker **worker; /* [nworker] */
    ws_long_list *list;     /* [nworker] */
    int nworker;
};

/* ---- opening ---- */

static int add_outputs(ws_job *job, ws_domscore *d, ws_dna *dna, ws_err *err) {
    static const char *const name[] = {WS_HIT_FORMS, "bed", "gff3"};
    for (int k = 0; k < d->nout; k++) {
        const ws_dnaform *form = ws_dnaform_find(name[d->out[k].form]);
        if (!form || form->alignments)
            return ws_fail(err, WS_EUSAGE,
                           "of windows domscore writes tsv, tblout, bed and gff3, and no alignments");
        ws_dna_add_output(dna, job, form, d->out[k].number);
    }
    return d->stream ? ws_fail(err, WS_EUSAGE,
                               "--stream has no meaning for windows: duplicates are found when all hits are there")
                     : WS_OK;
}

int ws_dom_windows_open(ws_job *job, ws_err *err) {
    ws_domscore *d = job->own;
    struct ws_dom_windows *w = d->windows = ws_calloc(1, sizeof *w, err);
    if (!w) return err->code;
    w->nworker = job->nworker;
    if (ws_head_find(ws_scan_of(job)->head, "fwd_bits") < 0)
        return ws_fail(err, WS_EDATA,
                       "the windows of the input have no Forward score; fwdscore is the stage before domscore");
    if (d->resolve)
        return ws_fail(err, WS_EDATA, "--resolve is for whole targets, but the input has windows of long DNA");
    int rc = add_outputs(job, d, &w->dna, err);
    if (!rc && !(w->worker = ws_calloc((size_t)w->nworker, sizeof *w->worker, err))) rc = err->code;
    if (!rc && !(w->list = ws_calloc((size_t)w->nworker, sizeof *w->list, err))) rc = err->code;
    if (!rc) rc = ws_dna_open(&w->dna, job, err);
    if (!rc) rc = ws_dnastore_create(&w->dna.store, job->ntarget, err);
    w->dna.limits = (ws_dnalimits){.evalue = d->E, .bits = d->T, .by_bits = d->T_given};
    w->dna.cut = d->cut;
    return rc;
}

void ws_dom_windows_close(ws_job *job) {
    struct ws_dom_windows *w = ((ws_domscore *)job->own)->windows;
    if (!w) return;
    for (int i = 0; i < w->nworker; i++) {
        if (w->worker) ws_dom_worker_destroy(w->worker[i]);
        if (w->list) ws_long_list_release(&w->list[i]);
    }
    ws_dna_close(&w->dna);
    ws_free(w->worker);
    ws_free(w->list);
    ws_free(w);
}

/* ---- scoring, in the workers ---- */

static int make_worker(const ws_job *job, struct ws_dom_windows *w, int number, const ws_dom_backend *backend,
                       ws_err *err) {
    const ws_domscore *d = job->own;
    const ws_dom_options o = {.seed = (uint32_t)d->seed, .nonull2 = d->nonull2, .memory = (size_t)d->mem};
    return w->worker[number] ? WS_OK : ws_dom_worker_create(&w->worker[number], backend, &o, err);
}

enum { TOGETHER = 64 /* windows of one model: they fill registers side by side */ };

/* The windows of hits hit[0..n); record[j]: the number of each one's record. */
static int take_rows(const ws_job *job, const ws_batch *b, const ws_hit *hit, size_t n, const ws_scan_worker *worker,
                     ws_long_list *l,
                     uint64_t *record, ws_err *err) {
    int rc = WS_OK;
    ws_long_list_reuse(l);
    for (size_t j = 0; j < n && !rc; j++) {
        const ws_row *row = &b->row[hit[j].row];
        ws_long_row where;
        rc = ws_long_row_read(&where, ws_cascade_window_columns(job->data), b, row, err);
        if (rc) ws_scan_name_input(job, err);
        where.place.block = b->number;
        where.place.window = hit[j].row;
        where.place.record = row->seq;
        record[j] = where.record;
        if (!rc) rc = ws_long_list_add(l, ws_seqs_codes(&worker->seqs, row->seq), b->len[row->seq], &where.place, err);
        if (!rc) l->item[j] = (uint32_t)j;
    }
    return rc;
}

/* Scores hits hit[0..n), all of one target and of rows that passed. */
static int score_some(const ws_job *job, const ws_batch *b, const ws_hit *hit, size_t n, const ws_scan_worker *worker,
                      ws_err *err) {
    struct ws_dom_windows *w = ((ws_domscore *)job->own)->windows;
    const ws_long_target *t = ws_cascade_window_target(job->data, hit->target);
    ws_long_list *l = &w->list[worker->number];
    ws_long_hits found = {0};
    uint64_t record[TOGETHER];
    int rc = make_worker(job, w, worker->number, t->dom, err);
    if (!rc) rc = take_rows(job, b, hit, n, worker, l, record, err);
    if (!rc) rc = ws_long_find_hits(t, w->worker[worker->number], l, l->item, n, &found, err);
    for (size_t i = 0; i < found.n && !rc; i++) {
        const size_t j = found.at[i].item;
        const ws_long_place *at = &l->at[j];
        const uint64_t end = at->minus ? at->from : ws_long_coordinate(at->from, 0, l->len[j]);
        rc = ws_dna_add(&w->dna, hit->target, b, at->record, record[j], end, &found.at[i].hit, err);
    }
    ws_long_hits_release(&found);
    return rc;
}

int ws_dom_windows_score(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                         ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0, n; i < hits->n && !rc; i += n) {
        const ws_hit *h = &hits->hit[i];
        for (n = 1; i + n < hits->n && n < TOGETHER && h[n].target == h->target; n++) continue;
        rc = score_some(job, b, h, n, worker, err);
    }
    return rc;
}

/* ---- the end of the input ---- */

/* Sets the lengths of records to what the input says at its end. Until then they are the least that their windows ask
 * for. */
static int set_lengths(const ws_job *job, const ws_dnastore *store, ws_err *err) {
    const ws_records *said = &ws_scan_of(job)->head->records;
    char quote[WS_QUOTE_MAX];
    for (size_t i = 0; i < store->nrecord; i++) {
        ws_dnarecord *record = store->record[i];
        const size_t n = strlen(record->name);
        const uint64_t least = record->L;
        record->L = ws_records_length(said, &(ws_record){record->name, n, record->number});
        if (record->L == 0 && !ws_scan_of(job)->allow_cut)
            return ws_fail(err, WS_EDATA,
                           "the input has no ##record line with the length of record \"%s\", in which there are hits; "
                           "--allow-cut leaves unknown lengths out",
                           ws_quote(quote, record->name, n));
        if (record->L && record->L < least)
            return ws_fail(
                err, WS_EDATA,
                "a window of record \"%s\" ends at residue %llu, but its ##record line says that it has %llu",
                ws_quote(quote, record->name, n), (unsigned long long)least, (unsigned long long)record->L);
    }
    return WS_OK;
}

int ws_dom_windows_write(ws_job *job, uint64_t residues, ws_err *err) {
    struct ws_dom_windows *w = ((ws_domscore *)job->own)->windows;
    const int rc = set_lengths(job, &w->dna.store, err);
    return rc ? rc : ws_dna_write(job, &w->dna, ws_cascade_window_target(job->data, 0), residues, err);
}

int ws_dom_windows_head(const ws_job *job, int k, ws_buf *text, ws_err *err) {
    const ws_dna_out *o = &((const ws_domscore *)job->own)->windows->dna.out[k];
    const int rc = o->form->frame == WS_FRAME_COLUMNS ? ws_scan_provenance(job, text, err) : WS_OK;
    return rc ? rc : ws_dna_head(job, o, text, err);
}

int ws_dom_windows_end(const ws_job *job, int k, uint64_t rows, ws_buf *text, ws_err *err) {
    const ws_dna_out *o = &((const ws_domscore *)job->own)->windows->dna.out[k];
    return o->form->frame == WS_FRAME_COLUMNS ? ws_scan_end(job, NULL, rows, text, err) : WS_OK;
}
