/* SPDX-License-Identifier: MIT
 * The reader of sequences as the engine calls it: see ws_reader in lib/run/tool.h. */
#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/io/inputs.h"
#include "lib/run/message.h"
#include "lib/scan/state.h"

#include <stdio.h>
#include <string.h>

/* ---- outputs ---- */

void ws_scan_add_output(ws_job *job, const ws_scan_output *o) { ws_scan_of(job)->emit[ws_job_add_output(job, &o->output)] = o->emit; }

/* Rows that name a model must name one: whoever writes such rows refuses two models of one name. */
static int writes_queries(const ws_job *job) {
    const ws_scan *scan = ws_scan_of(job);
    const ws_scoring *scoring = job->tool->scoring;
    if (!job->tool->backends || scoring->any_query || scan->main.emit) return 0;
    if (scan->out_format == WS_OUT_PACKED) return 1;
    return scan->out_format == WS_OUT_TSV && (!job->common.fields || strstr(job->common.fields, "query"));
}

static int outputs(ws_job *job, ws_err *err) {
    ws_scan *scan = ws_scan_of(job);
    if (job->common.fields && scan->out_format != WS_OUT_TSV)
        return ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table, so it goes with --out-format tsv only");
    if (writes_queries(job)) {
        ws_target_index *index;
        int rc = ws_target_index_create(&index, job->target, job->ntarget, err);
        if (rc) return rc;
        ws_target_index_destroy(index);
    }
    if (scan->top && (scan->out_format != WS_OUT_TSV || scan->rejected))
        return ws_fail(err, WS_EUSAGE, "--top holds rows of a table, so it goes with --out-format tsv and without --rejected");
    const int pairs = scan->out_format == WS_OUT_TSV || (scan->out_format == WS_OUT_PACKED && job->tool->backends);
    scan->keep_rejected = scan->rejected && pairs;
    if (scan->rejected) scan->rejected_output = ws_job_add_output(job, &(ws_output){.path = scan->rejected});
    scan->emit[0] = scan->main.emit;
    ws_scan_set_format(job, &job->out[0]);
    if (scan->rejected) ws_scan_set_format(job, &job->out[scan->rejected_output]);
    return WS_OK;
}

/* ---- opening and closing ---- */

/* Of packed pairs a model meets few sequences of a batch. With four times as many of them, vector bodies that interleave sequences run out
 * of them less often: fwdscore takes a seventh less processor time, vitfilt a thirtieth (2,766 models x E. coli, AVX-512). */
enum { PAIRS_WIDE = 4 };

/* Half of the memory is for rows, half for hits: of a pair in the list of its part and in that of its batch. A batch's rows have some
 * room in any case. */
enum { LEAST_TEXT = 1 << 20, MOST_PAIRS = 1000000, PAIR_BYTES = 2 * sizeof(ws_hit) };

static void configure(ws_scan_state *s) {
    const ws_job *job = s->job;
    const ws_scan *scan = s->scan;
    int nown = 0, side = 0;
    for (int i = 0; i < scan->ncol; i++)
        if (!scan->col[i].if_absent && !scan->col[i].on_demand) s->own[nown++] = scan->col[i].name;
    for (int k = 0; k < job->nout; k++) side |= scan->emit[k] != NULL;
    const int wide = !job->batch_given && job->backend && !ws_job_has_device(job);
    s->conf = (ws_seqread_conf){.path = job->input,
                                .npath = job->ninput,
                                .format = (ws_format)scan->in_format,
                                .abc = scan->abc,
                                .any_abc = scan->any_abc,
                                .rows_apart = scan->out_format == WS_OUT_TSV && !side && !scan->best,
                                .queries = job->tool->backends && !s->scoring->any_query,
                                .wait_ms = WS_INPUTS_WAIT_MS,
                                .badres = (ws_badres)scan->badres,
                                .allow_cut = scan->allow_cut,
                                .tab_joins = scan->tab_joins,
                                .batch_residues = job->common.batch,
                                .pair_residues = wide ? PAIRS_WIDE * job->common.batch : 0,
                                .batch_seqs = SIZE_MAX,
                                .own = s->own,
                                .nown = nown};
    const uint64_t mem = scan->mem ? scan->mem : ws_memory_allowed() / 4, slots = (uint64_t)ws_run_slots(job);
    s->item_text = ws_max((mem - job->target_mem) / 2 / slots, LEAST_TEXT);
    /* With -a or -U every pair is a hit, and its row about as long again: at most a million of them in a batch. */
    const uint64_t pairs = ws_min(MOST_PAIRS, (mem - job->target_mem) / 2 / slots / PAIR_BYTES);
    if ((scan->all || scan->keep_rejected) && job->ntarget > 0) s->conf.batch_seqs = ws_max(1, pairs / job->ntarget);
}

static int open_reader(ws_job *job, ws_err *err) {
    ws_scan_state *s = job->reader = ws_calloc(1, sizeof *s, err);
    if (!s) return WS_ENOMEM;
    s->job = job;
    s->scan = ws_scan_of(job);
    s->scoring = job->tool->scoring;
    s->codec = ws_codec_get(&job->machine.cpu);
    s->thread = ws_calloc((size_t)job->nworker, sizeof *s->thread, err);
    if (!s->thread) return err->code;
    for (int k = 0, n = 0; k < job->nout; k++)
        if (job->out[k].pack == ws_packed_output_add) {
            s->packed[n].number = k;
            job->out[k].own = &s->packed[n++];
        }
    for (int k = 0, n = 0; k < job->nout; k++)
        if (job->out[k].rest == ws_rows_late) {
            s->rows[n].number = k;
            job->out[k].own = &s->rows[n++];
        }
    if (job->out[0].pack == ws_top_add) job->out[0].own = &s->top;
    configure(s);
    const ws_cutter *cutter = s->scan->cutter;
    int rc = cutter && cutter->pieces ? cutter->pieces(job, &s->conf.block, &s->conf.context, err) : WS_OK;
    if (!rc) rc = ws_seqread_open(&s->input, &s->conf, err);
    if (!rc) s->scan->head = ws_seqread_head(s->input);
    return rc;
}

static void close_reader(ws_job *job) {
    ws_scan_state *s = job->reader;
    if (!s) return;
    ws_seqread_close(s->input);
    ws_binding_release(&s->binding);
    ws_top_release(&s->top, job->ntarget);
    for (int k = 0; k < 2; k++) {
        ws_batch_release(&s->packed[k].open);
        ws_pairs_output_release(&s->packed[k]);
        ws_records_release(&s->rows[k].records.of);
    }
    for (int i = 0; s->thread && i < job->nworker; i++) {
        ws_buf *const own[] = {&s->thread[i].codes, &s->thread[i].values, &s->thread[i].scores, &s->thread[i].hints};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) ws_buf_release(own[k]);
    }
    ws_free(s->thread);
    ws_free(s->ocol);
    ws_free(s->oname);
    ws_free(s);
}

static void resize(ws_job *job, uint64_t batch) { ws_seqread_batch(ws_scan_state_of(job)->input, batch); }

static int create(void **item, ws_err *err) {
    *item = ws_calloc(1, sizeof(ws_scan_item), err);
    return *item ? WS_OK : WS_ENOMEM;
}

static void destroy(void *item) {
    ws_scan_item_release(item);
    ws_free(item);
}

/* ---- stages ---- */

static double share_of(const ws_scan_state *s) {
    uint64_t done, all;
    ws_seqread_progress(s->input, &done, &all);
    return all ? (double)done / (double)all : -1;
}

static void choose_batch(ws_scan_state *s) {
    const ws_cutter *cutter = s->scan->cutter;
    if (!cutter || !cutter->batch || s->job->batch_given) return;
    ws_seqread_counts n;
    ws_seqread_counts_get(s->input, &n);
    const uint64_t residues = cutter->batch(s->job, n.residues, share_of(s));
    if (residues) ws_seqread_batch(s->input, residues);
}

int ws_scan_fill(ws_job *job, ws_batch *b, ws_err *err) {
    ws_scan_state *s = job->reader;
    int rc = s->read_err.code;
    if (rc) {
        *err = s->read_err;
        return rc;
    }
    rc = ws_seqread_fill(s->input, b, err);
    if (!s->columns_chosen && (rc == WS_OK || rc == WS_EOF)) {
        s->scan->abc = ws_seqread_abc(s->input);
        int bad = s->scoring && s->scoring->input ? s->scoring->input(job, err) : WS_OK;
        if (!bad) bad = ws_scan_columns(s, err);
        s->reads_pairs = ws_scan_binds(s);
        if (!bad && rc == WS_OK && job->tool->backends && !ws_scan_binds(s)) bad = ws_job_ready_all(job, job->nworker, err);
        if (bad) rc = bad;
    }
    if (rc == WS_EOF) ws_scan_look_at_letters(s, NULL);
    if (rc) return rc;
    ws_scan_look_at_letters(s, b);
    b->number = s->nbatch++;
    ws_scan_bind(s, b, &s->read_err); /* a failure is kept in read_err for the next call */
    return WS_OK;
}

static int fill(ws_job *job, void *item, size_t *parts, ws_err *err) {
    ws_scan_state *s = job->reader;
    ws_scan_item *it = item;
    ws_scan_part(it);
    choose_batch(s);
    int rc = ws_scan_fill(job, &it->batch, err);
    if (rc) return rc;
    it->identity = ws_dev_identity();
    it->late = SIZE_MAX;
    it->done = 0;
    rc = s->scan->cutter ? ws_scan_plan(s, it, err) : ws_scan_split(s, it, err);
    *parts = it->nparts;
    return rc;
}

static ws_scan_thread *thread_of(ws_scan_state *s, ws_worker *worker) {
    ws_scan_thread *t = &s->thread[worker->number];
    t->worker.number = worker->number;
    t->worker.scratch = &worker->scratch;
    return t;
}

static int work(ws_job *job, void *item, size_t part, ws_worker *worker, ws_err *err) {
    ws_scan_state *s = job->reader;
    ws_scan_thread *t = thread_of(s, worker);
    return s->scan->cutter ? ws_scan_cut(s, item, part, t, err) : ws_scan_score(s, item, part, t, err);
}

static int format(ws_job *job, void *item, ws_worker *worker, ws_outtext *out, ws_err *err) {
    ws_scan_state *s = job->reader;
    ws_scan_thread *t = thread_of(s, worker);
    int rc = s->scan->cutter ? ws_scan_join(s, item, t, err) : ws_scan_collect(s, item, err);
    if (!rc && s->scan->best) rc = ws_scan_keep_best(s, item, err);
    if (!rc) rc = ws_scan_format(s, item, &t->worker, out, err);
    ((ws_scan_item *)item)->done = !rc;
    if (rc) ((ws_scan_item *)item)->late = SIZE_MAX;
    for (int k = 0; k < job->nout && rc; k++) { /* neither half a row nor some of a batch */
        out[k].text.n = 0;
        out[k].rows = 0;
    }
    return rc;
}

static int ahead(ws_job *job) { return ws_seqread_ahead(ws_scan_state_of(job)->input); }

/* ---- report ---- */

void ws_scan_count(const ws_job *job, uint64_t pairs, uint64_t cells, uint64_t device_cells) {
    ws_scan_state *s = ws_scan_state_of(job);
    s->pairs += pairs;
    s->cells += cells;
    s->device_cells += device_cells;
}

static ws_seqread_counts counts_of(const ws_job *job) {
    ws_seqread_counts n;
    ws_seqread_counts_get(ws_scan_state_of(job)->input, &n);
    return n;
}

/* Says what was kept: pairs, unless the output has each sequence once. Nothing where a tool writes its own form, at the end or not. */
static void add_kept(const ws_job *job, char *text, size_t size) {
    const ws_scan *scan = ws_scan_of(job);
    const ws_scoring *scoring = job->tool->scoring;
    const int rows = scan->out_format == WS_OUT_TSV || scan->out_format == WS_OUT_PACKED;
    char kept[WS_NUMBER_MAX];
    if (!scan->main.emit && !job->tool->chain)
        snprintf(text, size, ", %s %skept", ws_number_human(kept, (double)job->out[0].rows),
                 rows && job->tool->backends && !scoring->any_query ? "pairs " : "");
}

static void progress(ws_job *job, double seconds, char *text, size_t size, double *share) {
    char rows[WS_NUMBER_MAX], recs[WS_NUMBER_MAX], res[WS_NUMBER_MAX], rate[WS_NUMBER_MAX];
    char pairs[WS_NUMBER_MAX + sizeof " pairs of "] = "", kept[WS_NUMBER_MAX + sizeof ", pairs kept"] = "";
    const ws_seqread_counts n = counts_of(job);
    *share = share_of(ws_scan_state_of(job));
    if (ws_scan_state_of(job)->reads_pairs) snprintf(pairs, sizeof pairs, "%s pairs of ", ws_number_human(rows, (double)n.rows));
    add_kept(job, kept, sizeof kept);
    snprintf(text, size, "%s%s sequences, %s residues, %s residues/s%s", pairs, ws_number_human(recs, (double)n.seqs),
             ws_number_human(res, (double)n.residues), ws_number_human(rate, (double)n.residues / (seconds > 0 ? seconds : 1)), kept);
}

static void note(const ws_job *job) {
    const ws_seqread_counts n = counts_of(job);
    if (n.bad_residues)
        ws_message_note(job, "characters that were no residues, %s: %llu",
                        ws_scan_of(job)->badres == WS_BADRES_X ? "taken as unknown ones" : "left out", (unsigned long long)n.bad_residues);
}

static int stats(ws_job *job, double seconds, ws_stat *stat) {
    const ws_scan_state *s = job->reader;
    const ws_seqread_counts n = counts_of(job);
    const ws_stat own[] = {
        {"sequences", "sequences read", (double)n.seqs, 0},
        {"residues", "residues read", (double)n.residues, 0},
        {"bad_residues", "characters taken as unknown or left out", (double)n.bad_residues, 0},
        {"models", "models", (double)job->ntarget, 0},
        {"pairs", "(sequence, model) pairs scored", (double)s->pairs, 0},
        {"cells", "cells, M x L over the pairs", (double)s->cells, 0},
        {"gcups", "10^9 cells per processor second of scoring", seconds > 0 ? (double)s->cells / 1e9 / seconds : 0, 1},
        {"device_cells", "of the cells, those that went to a device", (double)s->device_cells, 0},
    };
    const int count = (int)(sizeof own / sizeof *own) - !ws_job_has_device(job);
    memcpy(stat, own, (size_t)count * sizeof *own);
    return count;
}

const ws_reader ws_scan_source = {.size = sizeof(ws_scan), .open = open_reader, .close = close_reader, .resize = resize,
                                  .ahead = ahead, .progress = progress, .note = note, .stats = stats};

const ws_reader ws_scan_reader = {
    .opts = ws_scan_opts,
    .size = sizeof(ws_scan),
    .outputs = outputs,
    .open = open_reader,
    .close = close_reader,
    .resize = resize,
    .create = create,
    .destroy = destroy,
    .fill = fill,
    .work = work,
    .format = format,
    .ahead = ahead,
    .progress = progress,
    .note = note,
    .stats = stats,
};
