/* SPDX-License-Identifier: MIT
 * The reader of sequences as the engine calls it: see ws_reader in lib/run/tool.h. */
#include "lib/base/number.h"
#include "lib/run/message.h"
#include "lib/scan/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- opening and closing ---- */

static int open_input(ws_scan_state *s, ws_err *err) {
    const int rc = ws_scan_input_open(&s->input, &s->conf, s->scan->translate, s->job->nworker, err);
    s->scan->head = s->input.head;
    s->scan->ledger = s->input.ledger;
    return rc;
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
        if (job->out[k].pack == ws_packed_output_add || job->out[k].rest == ws_rows_late) {
            s->form[n].number = k;
            job->out[k].own = &s->form[n++];
        }
    if (job->out[0].pack == ws_top_add) job->out[0].own = &s->top;
    ws_scan_configure(s);
    return open_input(s, err);
}

static void close_reader(ws_job *job) {
    ws_scan_state *s = job->reader;
    if (!s) return;
    ws_scan_input_close(&s->input);
    ws_binding_release(&s->binding);
    ws_top_release(&s->top, job->ntarget);
    for (int k = 0; k < 2; k++) ws_packed_output_release(&s->form[k]);
    for (int i = 0; s->thread && i < job->nworker; i++) {
        ws_scan_thread *t = &s->thread[i];
        ws_buf *const own[] = {&t->codes, &t->values, &t->scores, &t->hints, &t->tasks.room};
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) ws_buf_release(own[k]);
    }
    ws_free(s->thread);
    ws_free(s->ocol);
    ws_free(s);
}

static void resize(ws_job *job, uint64_t batch) {
    const ws_scan_input *in = &ws_scan_state_of(job)->input;
    in->kind->batch(in->own, batch);
}

static int create(void **item, ws_err *err) {
    *item = ws_calloc(1, sizeof(ws_scan_item), err);
    return *item ? WS_OK : WS_ENOMEM;
}

static void destroy(void *item) {
    ws_scan_item_release(item);
    ws_free(item);
}

/* ---- a look at the input ---- */

/* Nucleotides are letters of amino acids too, so a program would score DNA in place of proteins without a word. These
 * are the most letters that it looks at, and the fewest that tell: a peptide of 50 residues has letters that DNA lacks.
 * In proteins three of four letters are none of ACGTUN. Reads have a few codes of several nucleotides. */
enum { LETTERS_MOST = 10000, LETTERS_LEAST = 50, SHARE_OF_OTHERS = 20 };

static void count(ws_letters *l, const ws_batch *b, const char *letters) {
    enum { CODES = 32 };
    uint8_t counts[CODES] = {0}, other[CODES] = {0};
    for (size_t code = 0; letters[code] && code < CODES; code++) {
        counts[code] = strchr(".*~X", letters[code]) == NULL;
        other[code] = counts[code] && strchr("ACGTUN", letters[code]) == NULL;
    }
    for (size_t i = 0; i < b->n; i++) {
        const uint32_t *word = b->word + b->first[i];
        for (size_t k = 0; k < b->len[i] && l->n < LETTERS_MOST; k++) {
            const uint32_t code = word[k / 6] >> 5 * (k % 6) & 31;
            l->n += counts[code];
            l->others += other[code];
        }
    }
}

/* A longer record is probably a chromosome: targets are places in it, not the record. */
enum { LONG_RECORD = 100000 };

static void look_at_lengths(ws_scan_state *s, const ws_batch *b) {
    ws_letters *l = &s->letters;
    if (!b || l->noted_length || !s->scan->looks_long || !s->scan->abc->complement || ws_scan_binds(s)) return;
    for (size_t i = 0; i < b->n && !l->noted_length; i++) l->noted_length = b->len[i] > LONG_RECORD;
    if (l->noted_length) ws_message_note(s->job, "%s", s->scan->looks_long);
}

/* Looks at the sequences of a batch, in input order; NULL: the input has ended. Prints each of the two notes once, if
 * it is due. */
static void look_at_letters(ws_scan_state *s, const ws_batch *b) {
    ws_letters *l = &s->letters;
    look_at_lengths(s, b);
    const ws_scan *scan = s->scan;
    if (l->noted_dna || !scan->looks_like_dna || scan->abc->type != WS_ABC_AMINO || ws_scan_binds(s)) return;
    if (b) count(l, b, scan->abc->letters);
    if (b && l->n < LETTERS_MOST) return;
    l->noted_dna = 1;
    if (l->n >= LETTERS_LEAST && l->others * SHARE_OF_OTHERS <= l->n)
        ws_message_note(s->job, "%s", scan->looks_like_dna);
}

/* ---- stages ---- */

static double share_of(const ws_scan_state *s) { return s->input.kind->share(s->input.own); }

/* Lets the tool look at each sequence of a batch, which ends before the first one that it cannot take. */
static int check(const ws_scan_state *s, ws_batch *b, ws_err *err) {
    size_t i = 0;
    int rc = WS_OK;
    while (s->scan->check && i < b->n && !(rc = s->scan->check(b, i, err))) i++;
    if (!rc) return WS_OK;
    ws_scan_name_input(s->job, err);
    b->n = i;
    while (b->nrow && b->row[b->nrow - 1].seq >= i) b->nrow--;
    return rc;
}

int ws_scan_fill(ws_job *job, ws_batch *b, ws_err *err) {
    ws_scan_state *s = job->reader;
    int rc = s->read_err.code;
    if (rc) {
        *err = s->read_err;
        return rc;
    }
    rc = s->input.kind->fill(s->input.own, b, err);
    if (!s->columns_chosen && (rc == WS_OK || rc == WS_EOF)) {
        s->scan->abc = s->input.kind->abc(s->input.own);
        int bad = s->scoring && s->scoring->input ? s->scoring->input(job, err) : WS_OK;
        if (!bad) bad = ws_scan_columns(s, err);
        s->reads_pairs = ws_scan_binds(s);
        if (!bad && rc == WS_OK && job->tool->backends && !ws_scan_binds(s))
            bad = ws_job_ready_all(job, job->nworker, err);
        if (bad) rc = bad;
    }
    if (rc == WS_EOF) look_at_letters(s, NULL);
    if (rc) return rc;
    look_at_letters(s, b);
    b->number = s->nbatch++;
    ws_err unbound;
    (void)check(s, b, &s->read_err); /* a failure is kept in read_err for the next call */
    if (ws_scan_bind(s, b, &unbound)) s->read_err = unbound;
    return WS_OK;
}

static int fill(ws_job *job, void *item, size_t *parts, ws_err *err) {
    ws_scan_state *s = job->reader;
    ws_scan_item *it = item;
    int rc = ws_scan_fill(job, &it->batch, err);
    if (rc) return rc;
    it->identity = ws_dev_identity();
    it->late = SIZE_MAX;
    it->done = 0;
    rc = ws_scan_split(s, it, err);
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
    return ws_scan_work(s, item, part, thread_of(s, worker), err);
}

static int format(ws_job *job, void *item, ws_worker *worker, ws_outtext *out, ws_err *err) {
    ws_scan_state *s = job->reader;
    ws_scan_thread *t = thread_of(s, worker);
    int rc = ws_scan_collect(s, item, err);
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

static int ahead(ws_job *job) {
    const ws_scan_input *in = &ws_scan_state_of(job)->input;
    return in->kind->ahead(in->own);
}

/* ---- report ---- */

void ws_scan_count(const ws_job *job, uint64_t pairs, uint64_t cells, uint64_t device_cells) {
    ws_scan_state *s = ws_scan_state_of(job);
    s->pairs += pairs;
    s->cells += cells;
    s->device_cells += device_cells;
}

static ws_seqread_counts counts_of(const ws_job *job) {
    const ws_scan_input *in = &ws_scan_state_of(job)->input;
    ws_seqread_counts n;
    in->kind->counts(in->own, &n);
    return n;
}

/* Says what was kept: pairs, unless the output has each sequence once. Nothing where a tool writes its own form, at the
 * end or not. */
static void add_kept(const ws_job *job, char *text, size_t size) {
    const ws_scan *scan = ws_scan_of(job);
    const int rows = scan->out_format == WS_OUT_TSV || scan->out_format == WS_OUT_PACKED;
    char kept[WS_NUMBER_MAX];
    if (!scan->emit[0] && !job->tool->chain)
        snprintf(text, size, ", %s %skept", ws_number_human(kept, (double)job->out[0].rows),
                 rows && ws_scan_has_queries(job) ? "pairs " : "");
}

static void progress(ws_job *job, double seconds, char *text, size_t size, double *share) {
    char rows[WS_NUMBER_MAX], recs[WS_NUMBER_MAX], res[WS_NUMBER_MAX], rate[WS_NUMBER_MAX];
    char pairs[WS_NUMBER_MAX + sizeof " pairs of "] = "", kept[WS_NUMBER_MAX + sizeof ", pairs kept"] = "";
    const ws_seqread_counts n = counts_of(job);
    *share = share_of(ws_scan_state_of(job));
    if (ws_scan_state_of(job)->reads_pairs)
        snprintf(pairs, sizeof pairs, "%s pairs of ", ws_number_human(rows, (double)n.rows));
    add_kept(job, kept, sizeof kept);
    snprintf(text, size, "%s%s sequences, %s residues, %s residues/s%s", pairs, ws_number_human(recs, (double)n.seqs),
             ws_number_human(res, (double)n.residues),
             ws_number_human(rate, (double)n.residues / (seconds > 0 ? seconds : 1)), kept);
}

/* Threads read ahead of scoring, so the share of the input that was read is too large. */
static double done(ws_job *job, double *all) {
    const ws_scan_state *s = ws_scan_state_of(job);
    const double read = (double)counts_of(job).residues * (double)ws_job_nodes(job);
    const double share = share_of(s); /* after what was read: else *all could be too large */
    *all = share > 0 ? read / share : 0;
    return share < 0 || s->reads_pairs || read <= 0 ? -1 : share * fmin((double)s->cells / read, 1);
}

/* Returns the residues, unknown for rows of pairs, of which each meets one model. See ws_reader. */
static double residues(ws_job *job, int ended, int *exact, double *read) {
    const double share = share_of(ws_scan_state_of(job));
    uint64_t whole, sum = 0;
    int packed = 0;
    *exact = 0;
    *read = (double)counts_of(job).residues;
    if (ws_scan_state_of(job)->reads_pairs) return -1;
    while (packed < job->ninput && ws_scan_state_of(job)->input.kind->measure(job->input[packed], &whole)) {
        sum += whole;
        packed++;
    }
    *exact = ended || (packed && packed == job->ninput);
    if (ended) return *read;
    return *exact ? (double)sum : share > 0 ? *read / share : -1;
}

static void note(const ws_job *job) {
    const ws_scan_state *s = ws_scan_state_of(job);
    const ws_seqread_counts n = counts_of(job);
    const uint64_t joined = s->input.kind->joined(s->input.own);
    if (joined)
        ws_message_note(job, "records of fewer than 3 bases: %llu; as esl-translate does, the program put their bases "
                        "before those of the next record; -W keeps records apart",
                        (unsigned long long)joined);
    if (n.bad_residues)
        ws_message_note(job, "characters that were no residues, %s: %llu",
                        ws_scan_of(job)->badres == WS_BADRES_X ? "taken as unknown ones" : "left out",
                        (unsigned long long)n.bad_residues);
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
                                  .ahead = ahead, .progress = progress, .done = done, .residues = residues,
                                  .note = note, .stats = stats};

const ws_reader ws_scan_reader = {
    .opts = ws_scan_opts,
    .size = sizeof(ws_scan),
    .outputs = ws_scan_outputs,
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
    .done = done,
    .residues = residues,
    .note = note,
    .stats = stats,
};
