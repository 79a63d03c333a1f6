/* SPDX-License-Identifier: MIT
 * Bases into batches of ORFs: see lib/translate/orfread.h.
 *
 * A round takes spans of records that are there, some to a job, and all threads that have nothing else to do find the
 * ORFs of jobs. They leave in the order of the jobs, batch by batch: once it is known how many of each job go into a
 * batch, their places and numbers are, and the same threads write them there. Then comes the next round. */
#include "lib/translate/orfread.h"

#include "lib/stream/policy.h"
#include "lib/translate/record.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

typedef struct job {
    ws_span *span;
    size_t n, cap;
    uint64_t bases, takes; /* takes: as many, or more for a short record, as its work and its memory are */

    ws_cut_room room;
    ws_cut_orfs orfs;
    ws_err err;      /* of finding: it comes behind the ORFs */
    size_t left, end; /* of these have left; go into the batch at hand */
    ws_cut_place to;  /* ... here */
    size_t text;      /* their text ends here */
    ws_err bad;       /* of writing */
} job;

struct ws_orfread {
    ws_seqread *in;
    ws_seqread_conf conf; /* of batches of ORFs */
    ws_cut cut;
    int watson, crick, joins;
    size_t hold;
    ws_err end; /* code: the input has ended, or failed */

    ws_batch dna;
    size_t next; /* the sequence of it that comes next */
    ws_record record;
    uint64_t joined;

    job *job; /* [most] */
    size_t most, n, now; /* jobs of a round; of this one; the first that has ORFs left */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t done_change;
    size_t taken, done; /* jobs; threads take jobs while taken < open */
    size_t open;
    ws_batch *to; /* what they do: they write to it; NULL: they find */
    ws_seqread_counts counts;
    uint64_t cut_bases; /* of all strands that are wanted: those whose ORFs have left */

    ws_tsv_head head;
    ws_ledger ledger;
};

/* ---- opening and closing ---- */

int ws_orfread_open(ws_orfread **out, const ws_seqread_conf *conf, const ws_translate *how, int threads, size_t hold,
                    ws_err *err) {
    ws_orfread *r = *out = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->done_change, NULL);
    r->conf = *conf;
    r->watson = how->strands != WS_STRANDS_CRICK;
    r->crick = how->strands != WS_STRANDS_WATSON;
    r->joins = how->joins;
    r->hold = hold ? hold : WS_STREAM_CUT_HOLD;
    r->most = ws_min(ws_max((size_t)threads * 2, WS_STREAM_CUTS_LEAST), WS_STREAM_CUTS_MOST);
    r->cut.least = (uint64_t)how->least;
    r->cut.codec = ws_codec_get(&cpu);
    ws_seqread_conf bases = *conf;
    bases.any_abc = 1;
    bases.abc = ws_abc_get(WS_ABC_DNA);
    bases.batch_residues = r->most * WS_STREAM_CUT;
    bases.batch_seqs = SIZE_MAX;
    bases.block = WS_RESIDUES_PER_WORD; /* records come in pieces of whole words */
    bases.context = 0;
    ws_gencode_make(&r->cut.code, how->table, how->starts);
    int rc = (r->job = ws_calloc(r->most, sizeof *r->job, err)) ? WS_OK : err->code;
    if (!rc) rc = ws_seqread_open(&r->in, &bases, err);
    if (!rc) return WS_OK;
    ws_orfread_close(r);
    *out = NULL;
    return rc;
}

static void job_release(job *j) {
    ws_free(j->span);
    ws_cut_orfs_release(&j->orfs);
    ws_cut_room_release(&j->room);
}

void ws_orfread_close(ws_orfread *r) {
    if (!r) return;
    ws_seqread_close(r->in);
    for (size_t i = 0; r->job && i < r->most; i++) job_release(&r->job[i]);
    ws_free(r->job);
    ws_record_release(&r->record);
    ws_batch_release(&r->dna);
    ws_ledger_release(&r->ledger);
    pthread_cond_destroy(&r->done_change);
    pthread_mutex_destroy(&r->lock);
    ws_free(r);
}

void ws_orfread_batch(ws_orfread *r, uint64_t residues) {
    r->conf.batch_residues = ws_max(residues, 1);
    r->conf.grows = 0;
}

/* ---- a round ---- */

static job *new_job(ws_orfread *r) {
    job *j = &r->job[r->n++];
    j->n = j->left = j->orfs.n = j->orfs.residue.n = 0;
    j->bases = j->takes = 0;
    j->err = (ws_err){0};
    return j;
}

/* Returns the job that takes the next span; NULL: the round has as many as it may. */
static job *job_for(ws_orfread *r, uint64_t takes) {
    job *j = r->n ? &r->job[r->n - 1] : NULL;
    if (!j || j->takes + takes > WS_STREAM_CUT) j = r->n < r->most ? new_job(r) : NULL;
    if (j) j->takes += takes;
    return j;
}

static int add_span(job *j, const ws_span *s, ws_err *err) {
    const int rc = ws_grow(&j->span, &j->cap, j->n + 1, sizeof *j->span, err);
    if (rc) return rc;
    j->span[j->n++] = *s;
    j->bases += s->hi - s->lo + (s->last ? s->bases.n - s->hi : 0);
    return WS_OK;
}

/* Adds the strands of a short record, sequence i. */
static int add_record(const ws_orfread *r, job *j, size_t i, ws_err *err) {
    ws_record whole = {0};
    ws_span s;
    ws_record_begin(&whole, &r->dna, i, !r->watson);
    if (!whole.whole) j->bases += (r->watson + r->crick) * whole.bases.n;
    int rc = WS_OK;
    while (whole.whole && !rc) {
        rc = ws_record_next(&whole, &r->cut, WS_STREAM_CUT, r->crick, &s, err);
        if (!rc) rc = add_span(j, &s, err);
    }
    return rc;
}

/* Adds parts of the record that is cut in parts. *full: the round has no room for more. */
static int add_parts(ws_orfread *r, int *full, ws_err *err) {
    ws_span s;
    int rc = WS_OK;
    while (r->record.whole && !rc && !*full) {
        job *j = job_for(r, WS_STREAM_CUT);
        *full = !j;
        if (j) rc = ws_record_next(&r->record, &r->cut, WS_STREAM_CUT, r->crick, &s, err);
        if (j && !rc) rc = add_span(j, &s, err);
    }
    return rc;
}

/* Takes the next sequence of the bases. *full: it must wait for the next round. */
static int add_next(ws_orfread *r, int *full, ws_err *err) {
    const size_t i = r->next;
    const ws_seqtext *t = &r->dna.seqtext[i];
    const uint64_t n = r->dna.len[i];
    const int joins = r->joins && !t->more && !t->at && n + r->record.ncode < 3;
    if (joins) {
        ws_record_join(&r->record, &r->dna, i);
        r->joined++;
        r->next++;
        return WS_OK;
    }
    if (t->more || t->at || ws_record_joins(&r->record)) {
        *full = r->n > 0; /* the record before it may lie where this one will */
        if (*full) return WS_OK;
        r->next++;
        return ws_record_add(&r->record, &r->dna, i, r->hold, r->cut.codec, !r->watson, err);
    }
    if (n <= WS_STREAM_CUT / 2) {
        job *j = job_for(r, (r->watson + r->crick) * ws_max(n, WS_FRAMES * WS_FRAME_STEP));
        *full = !j;
        if (*full) return WS_OK;
        r->next++;
        return add_record(r, j, i, err);
    }
    r->next++;
    ws_record_begin(&r->record, &r->dna, i, !r->watson);
    return WS_OK;
}

static int make_round(ws_orfread *r, ws_err *err) {
    int full = 0, rc = WS_OK;
    r->n = r->now = 0;
    while (!rc && !full && (r->record.whole || r->next < r->dna.n))
        rc = r->record.whole ? add_parts(r, &full, err) : add_next(r, &full, err);
    return rc;
}

/* ---- jobs ---- */

/* Finds the ORFs of a job, or writes those that go into a batch. A failure stays with the job. */
static void do_job(const ws_orfread *r, job *j, ws_batch *to) {
    int rc = WS_OK;
    if (to) {
        j->bad.code = ws_cut_write(&r->cut, j->span, &j->orfs, j->left, j->end, j->to, to, &j->text, &j->bad);
        return;
    }
    for (uint32_t i = 0; i < j->n && !rc; i++)
        rc = ws_cut_find(&r->cut, &j->span[i], i, &j->room, &j->orfs, &j->err);
    j->err.code = rc;
}

/* Does the next job of those that are open. Returns 0 if no job is left. The lock is held, but for the work. */
static int do_one(ws_orfread *r) {
    if (r->taken >= r->open) return 0;
    job *j = &r->job[r->taken++];
    ws_batch *to = r->to;
    pthread_mutex_unlock(&r->lock);
    do_job(r, j, to);
    pthread_mutex_lock(&r->lock);
    if (++r->done == r->open) pthread_cond_signal(&r->done_change);
    return 1;
}

/* Does jobs first .. end - 1, with the help of threads that call ws_orfread_ahead. */
static void do_jobs(ws_orfread *r, size_t first, size_t end, ws_batch *to) {
    pthread_mutex_lock(&r->lock);
    r->taken = r->done = first;
    r->open = end;
    r->to = to;
    while (do_one(r)) continue;
    while (r->done < r->open) pthread_cond_wait(&r->done_change, &r->lock);
    r->open = 0;
    pthread_mutex_unlock(&r->lock);
}

int ws_orfread_ahead(ws_orfread *r) {
    pthread_mutex_lock(&r->lock);
    const int some = do_one(r);
    pthread_mutex_unlock(&r->lock);
    return some ? 1 : ws_seqread_ahead(r->in);
}

/* ---- batches ---- */

static int is_full(const ws_seqread_conf *c, uint64_t most, uint64_t residues, size_t n, size_t text) {
    return residues >= most || n >= c->batch_seqs || n >= most || text / 64 >= most;
}

/* Gives ORFs of jobs from the first that has some left their places in a batch, until it is full or a job failed.
 * Returns the end of these jobs, and sets what the places take and *residues. */
static size_t give_places(ws_orfread *r, ws_cut_place *at, uint64_t *residues) {
    const uint64_t most = r->conf.grows ? ws_stream_batch(r->counts.residues, r->conf.batch_residues)
                                        : r->conf.batch_residues;
    size_t i = r->now;
    int full = 0;
    for (; i < r->n && !full; i++) {
        job *j = &r->job[i];
        if (i > r->now && j[-1].err.code) break;
        j->to = *at;
        for (j->end = j->left; j->end < j->orfs.n && !full; j->end++) {
            const ws_cut_orf *o = &j->orfs.orf[j->end];
            *residues += o->n;
            ws_cut_pass(at, j->span, o);
            full = is_full(&r->conf, most, *residues, at->seq, at->text);
        }
        at->word += WS_CUT_GAP;
    }
    return i;
}

/* Fills a batch with ORFs that are found. */
static int deliver(ws_orfread *r, ws_batch *b, ws_err *err) {
    ws_cut_place at = {.number = r->counts.seqs + 1};
    uint64_t residues = 0;
    const size_t end = give_places(r, &at, &residues);
    int rc = at.seq ? ws_batch_make_room(b, at.seq, at.word, at.text, err) : WS_OK;
    if (!rc && at.seq) do_jobs(r, r->now, end, b);
    for (size_t i = r->now; i < end && !rc; i++) {
        job *j = &r->job[i];
        if (at.seq && j->bad.code) *err = j->bad;
        rc = at.seq ? j->bad.code : WS_OK;
        if (j->end > j->left) b->text.n = j->text;
        j->left = j->end;
    }
    if (rc) return rc;
    b->n = at.seq;
    b->nword = at.word;
    b->residues = residues;
    pthread_mutex_lock(&r->lock);
    for (; r->now < end && r->job[r->now].left == r->job[r->now].orfs.n && !r->job[r->now].err.code; r->now++)
        r->cut_bases += r->job[r->now].bases;
    pthread_mutex_unlock(&r->lock);
    if (!at.seq && r->now < end) {
        r->end = r->job[r->now].err;
        r->n = 0;
    }
    return WS_OK;
}

static void count(ws_orfread *r, ws_batch *b) {
    ws_seqread_counts bases;
    ws_seqread_counts_get(r->in, &bases);
    pthread_mutex_lock(&r->lock);
    b->before = r->counts.seqs;
    r->counts.seqs += b->n;
    r->counts.residues += b->residues;
    r->counts.bad_residues = bases.bad_residues;
    pthread_mutex_unlock(&r->lock);
    r->ledger.seqs += b->n;
    r->ledger.residues += b->residues;
}

/* Reads bases. WS_AGAIN if none came; other failures stay. */
static int read_bases(ws_orfread *r, ws_err *err) {
    r->next = 0;
    int rc = ws_seqread_fill(r->in, &r->dna, err);
    if (rc == WS_OK && r->dna.has_rows)
        rc = ws_fail(err, WS_EDATA, "the input is a table of pairs; expected DNA or RNA to translate");
    if (rc == WS_OK && !ws_seqread_abc(r->in)->complement)
        rc = ws_fail(err, WS_EDATA, "the input is a packed stream of proteins; expected DNA or RNA to translate");
    if (rc == WS_EOF) r->ledger.unknown = ws_seqread_ledger(r->in)->unknown || ws_seqread_head(r->in)->present;
    if (rc && rc != WS_AGAIN) {
        r->end = *err;
        r->end.code = rc;
        ws_batch_reuse(&r->dna);
    }
    return rc;
}

int ws_orfread_fill(ws_orfread *r, ws_batch *b, ws_err *err) {
    int rc = WS_OK;
    ws_batch_reuse(b);
    while (!rc) {
        rc = deliver(r, b, err);
        if (rc || b->n) break;
        if (r->end.code) {
            *err = r->end;
            return r->end.code;
        }
        rc = make_round(r, err);
        if (!rc && r->n) do_jobs(r, 0, r->n, NULL);
        else if (!rc) rc = read_bases(r, err);
    }
    if (rc && rc != WS_AGAIN && !r->end.code) {
        r->end = *err;
        r->end.code = rc;
        r->n = 0;
    }
    if (!rc) count(r, b);
    return rc;
}

/* ---- questions ---- */

ws_seqread *ws_orfread_bases(ws_orfread *r) { return r->in; }
const ws_tsv_head *ws_orfread_head(const ws_orfread *r) { return &r->head; }
uint64_t ws_orfread_joined(const ws_orfread *r) { return r->joined; }
const ws_ledger *ws_orfread_ledger(const ws_orfread *r) { return &r->ledger; }

void ws_orfread_counts_get(ws_orfread *r, ws_seqread_counts *c) {
    pthread_mutex_lock(&r->lock);
    *c = r->counts;
    pthread_mutex_unlock(&r->lock);
}

double ws_orfread_share(ws_orfread *r) {
    ws_seqread_counts bases;
    uint64_t done, all;
    pthread_mutex_lock(&r->lock);
    const double cut = (double)r->cut_bases;
    pthread_mutex_unlock(&r->lock);
    ws_seqread_counts_get(r->in, &bases);
    ws_seqread_progress(r->in, &done, &all);
    if (!all) return -1;
    const double read = (double)bases.residues * (r->watson + r->crick);
    return (double)done / (double)all * (read > 0 ? fmin(cut / read, 1) : 1);
}
