/* SPDX-License-Identifier: MIT
 * domscore: domains, final scores and hmmsearch's own tables of the pairs that passed the filters. Their rows are the
 * source of a chain, with the domain stage behind them. */
#include "bin/domains/domscore.h"
#include "kernels/filter/backend.h"
#include "kernels/fwd/fwd.h"

#include <string.h>

/* The decision about sequences that come without pairs: fwdscore's. */
static const ws_names no_columns; /* rows are of domains */
static const ws_stage stage = {.columns = &no_columns, .default_p = 1e-5, .mu = WS_FTAU,
                               .lambda = WS_FLAMBDA, .tail = 1, .bias = 1, .final = 1};

/* ---- what comes in ---- */

static size_t pairs_of(const ws_hits *hits, size_t from) {
    size_t n = from;
    while (n < hits->n && hits->hit[n].seq == hits->hit[from].seq) n++;
    return n - from;
}

/* Makes pairs of the passing hits of a sequence; their addresses go to the writer. */
static int add_seq(const ws_job *job, ws_dom_seq *seq, const ws_hit *hit, size_t n, ws_buf *out, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    int rc = WS_OK;
    for (size_t j = 0; j < n && !rc; j++) {
        if (!hit[j].pass) continue;
        ws_dom_entry *e = ws_dom_pairs_make(seq, hit[j].target, err);
        if (!e) return err->code;
        ws_dom_pairs_add(d, e);
        rc = ws_domscore_tables(d, job, hit[j].target, &e->of.tables, err);
        if (!rc) rc = ws_buf_add(out, &e, sizeof e, err);
    }
    return rc;
}

static int emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                ws_outtext *out, ws_err *err) {
    const ws_abc *abc = ((const ws_hmm_target *)job->target[0].data)->hmm->abc;
    int rc = WS_OK;
    for (size_t i = 0, n; i < hits->n && !rc; i += n) {
        const ws_hit *hit = &hits->hit[i];
        int pass = 0;
        n = pairs_of(hits, i);
        for (size_t j = 0; j < n; j++) pass |= hit[j].pass;
        if (!pass || !b->len[hit->seq]) continue;
        ws_dom_seq *seq = ws_dom_seq_make(b, &worker->seqs, hit->seq, 0, abc, err);
        rc = seq ? add_seq(job, seq, hit, n, &out->text, err) : err->code;
        ws_dom_seq_leave(seq);
    }
    return rc;
}

/* Lets the pairs of a batch begin, in the order of the input. Sequences get their numbers. */
static int begin(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    ws_dom_entry *const *pair = (ws_dom_entry *const *)(const void *)made->text.p;
    const ws_dom_seq *last = NULL;
    int rc = WS_OK;
    (void)own, (void)item, (void)text;
    for (size_t i = 0; i < made->text.n / sizeof *pair && !rc; i++) {
        ws_dom_entry *e = pair[i];
        if (e->seq != last) e->seq->seq.number = d->number++;
        last = e->seq;
        if (d->stream && !(e->turn = ws_turns_take(&d->turns, err))) return err->code;
        rc = ws_dom_pairs_begin(d, job, e, err);
    }
    return rc;
}

/* ---- what the domain stage makes of it ---- */

/* With --stream a target is ranked alone, and its text leaves in turn. */
static int write_alone(ws_domscore *d, const ws_job *job, const ws_dom_entry *e, ws_err *err) {
    const uint32_t m = e->of.model;
    ws_hitlist *l = &d->store.list[m];
    ws_hitquery q = ws_domscore_query(d, job->target[m].data, l, NULL);
    int rc = WS_OK;
    q.streams = 1;
    if (!l->n) return WS_OK;
    ws_hitlist_rank(l, &d->threshold[m], (ws_spaces){d->Z, d->domZ});
    ws_domscore_write_target(d, &q, l->hit[0]);
    l->n = 0;
    for (int k = 0; k < d->nout && !rc; k++) {
        ws_sink *s = &d->out[k].sink;
        rc = ws_sink_flush(s, err);
        e->turn->out[d->out[k].number].text = s->text;
        s->text = (ws_buf){0};
    }
    return rc;
}

static int done(void *own, ws_dom_item *first, ws_err *err) {
    const ws_job *job = own;
    ws_domscore *d = ws_domscore_of(job);
    int rc = WS_OK;
    pthread_mutex_lock(&d->lock);
    for (ws_dom_item *i = first; i; i = i->next) {
        ws_dom_entry *e = (ws_dom_entry *)i;
        if (!rc) rc = ws_domscore_hold(d, job, i->model, &e->seq->seq, &i->pair.hit, err);
        if (!rc && d->stream) rc = write_alone(d, job, e, err);
        ws_dom_pairs_unlink(e);
    }
    pthread_mutex_unlock(&d->lock);
    for (ws_dom_item *i = first, *next; i; i = next) {
        ws_dom_entry *e = (ws_dom_entry *)i;
        next = i->next;
        if (!rc && d->stream) rc = ws_turns_give(&d->turns, e->turn, err);
        ws_dom_pairs_free(e);
    }
    return rc;
}

static ws_chain_wish wish(void *own) {
    const ws_job *job = own;
    return ws_dom_steps_are_many(ws_domscore_of(job)->steps) ? WS_CHAIN_NO_ROOM : WS_CHAIN_HURRY;
}

static int chain(ws_job *job, ws_chain_ops *ops, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    int rc = ws_domscore_open_store(d, job, err);
    if (!rc) rc = ws_domscore_make_steps(d, job, 0, job, done, err);
    if (rc) return rc;
    if (d->stream) ws_turns_open(&d->turns, job);
    ws_dom_steps_stages(d->steps, d->stage);
    *ops = (ws_chain_ops){.stage = d->stage, .nstage = WS_DOM_STEPS, .own = job, .wish = wish};
    return WS_OK;
}

/* ---- what goes out ---- */

/* Writes what is held after a cut or other bad input. The size of the database is then unknown, and E-values that need
 * it are left out. */
static int flush(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    ws_dom_out *o = own;
    int rc = WS_OK;
    if (!d->finished && job->failed == WS_EDATA) {
        d->finished = 1;
        if (!d->stream) rc = ws_domscore_write(o->job, 0, err);
    }
    if (!rc) rc = ws_sink_flush(&o->sink, err);
    if (!rc) rc = ws_buf_add(text, o->sink.text.p, o->sink.text.n, err);
    o->sink.text.n = 0;
    return rc;
}

/* ---- opening ---- */

static void add_output(ws_job *job, ws_dom_form form, const char *path) {
    ws_domscore *d = ws_domscore_of(job);
    ws_dom_out *o = &d->out[d->nout];
    ws_output output = {.path = path, .own = o, .head = ws_domscore_head, .pack = d->nout ? NULL : begin,
                        .end = ws_domscore_end, .flush = flush};
    *o = (ws_dom_out){.form = form, .job = job};
    if (d->nout++ == 0) ws_scan_set_main(job, &(ws_scan_output){output, emit});
    else o->number = ws_job_add_output(job, &output);
}

static int open_outputs(ws_job *job, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    add_output(job, (ws_dom_form)d->form, NULL);
    for (int f = 0; f < WS_NDOMFORM; f++)
        if (d->beside[f]) add_output(job, (ws_dom_form)f, d->beside[f]);
    if (d->rejected)
        return ws_fail(
            err, WS_EUSAGE,
            "domscore has no -U: what it does not report was found, but below the thresholds; use fwdscore -U");
    return ws_domscore_choose(d, job, err);
}

static int open_tool(ws_job *job, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    int rc = ws_cascade_open(job, &stage, err);
    if (rc) return rc;
    ws_scan_of(job)->own_fields = 1;
    rc = ws_domscore_check(d, job, &ws_cascade_of(job)->set, err);
    if (!rc) rc = open_outputs(job, err);
    if (!rc && !(d->tables = ws_calloc(job->ntarget, sizeof *d->tables, err))) rc = err->code;
    return rc;
}

/* Rows that have a Forward score have passed. */
static int has_passed(const ws_job *job) { return ws_head_find(ws_scan_of(job)->head, "fwd_bits") >= 0; }

static const ws_scoring scoring = {.score_size = sizeof(ws_fscore),
                                   .value_size = sizeof(ws_lenmodel),
                                   .has_passed = has_passed,
                                   .set_values = ws_cascade_set_values,
                                   .decide = ws_cascade_decide};

static const ws_backend *const backends[] = {&ws_fwd_cuda, WS_FILTER_BACKENDS(ws_fwd_), NULL};

const ws_tool ws_domscore_tool = {
    .name = "domscore",
    .summary = "domains, final scores, alignments and hmmsearch's tables",
    .usage = "MODELS [FILE...]",
    .columns = {&ws_hit_columns},
    .examples = "  # hmmsearch's tables, and a table of domains\n"
                "  zcat db.fa.gz | msvfilt m.hmm | vitfilt m.hmm | fwdscore m.hmm > hits.tsv\n"
                "  domscore --tblout hits.tbl --domtblout hits.dom m.hmm hits.tsv > domains.tsv\n"
                "  # all included domains aligned\n"
                "  ... | fwdscore m.hmm | domscore -O a3m m.hmm > domains.a3m\n",
    .opts = ws_domscore_opts,
    .own_size = sizeof(ws_domscore),
    .defaults = ws_domscore_defaults,
    .backends = backends,
    .reader = &ws_scan_reader,
    .scoring = &scoring,
    .open = open_tool,
    .close = ws_domscore_close,
    .make = ws_cascade_make,
    .chain = chain,
    .finish = ws_domscore_finish,
};
