/* SPDX-License-Identifier: MIT
 * Bases into batches of ORFs: see lib/translate/orfread.h.
 *
 * A round takes spans of records that are there, some to a job, and all threads that have nothing else to do cut jobs.
 * Once all are cut, their ORFs are numbered and leave in the order of the jobs, batch by batch. Then comes the next
 * round. */
#include "lib/translate/orfread.h"

#include "lib/stream/policy.h"
#include "lib/translate/record.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

typedef struct job {
    ws_span *span;
    size_t n, cap;
    uint64_t bases;

    size_t at;      /* the span that is cut */
    uint64_t skip;  /* ORFs of it that have left */
    ws_batch orfs;
    size_t left;    /* of these have left */
    ws_cut_room room;
    ws_err err;
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
    ws_batch_release(&j->orfs);
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
    j->n = j->at = j->left = 0;
    j->bases = j->skip = 0;
    j->err = (ws_err){0};
    ws_batch_reuse(&j->orfs);
    return j;
}

/* Returns the job that takes the next span; NULL: the round has as many as it may. */
static job *job_for(ws_orfread *r, uint64_t bases) {
    job *j = r->n ? &r->job[r->n - 1] : NULL;
    if (!j || j->bases + bases > WS_STREAM_CUT) j = r->n < r->most ? new_job(r) : NULL;
    if (j) j->bases += bases;
    return j;
}

static int add_span(job *j, const ws_span *s, ws_err *err) {
    const int rc = ws_grow(&j->span, &j->cap, j->n + 1, sizeof *j->span, err);
    if (!rc) j->span[j->n++] = *s;
    return rc;
}

/* Adds the strands of a short record, sequence i. */
static int add_record(const ws_orfread *r, job *j, size_t i, ws_err *err) {
    ws_record whole = {0};
    ws_span s;
    ws_record_begin(&whole, &r->dna, i, !r->watson);
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
        job *j = job_for(r, (r->watson + r->crick) * ws_max(n, 1));
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

/* ---- cutting ---- */

/* Cuts what is left of a job, or so much of it that its batch is full. A failure stays with the job. */
static void cut_job(const ws_orfread *r, job *j) {
    int whole, rc = WS_OK;
    while (j->at < j->n && !rc) {
        rc = ws_cut_span(&r->cut, &j->span[j->at], &j->room, &j->orfs, &j->skip, &whole, &j->err);
        if (rc) j->err.code = rc;
        if (!rc && !whole) return;
        j->skip = 0;
        j->at++;
    }
}

/* Cuts the next job of the round. Returns 0 if no job is left. The lock is held, but for the work. */
static int cut_one(ws_orfread *r) {
    if (r->taken >= r->open) return 0;
    job *j = &r->job[r->taken++];
    pthread_mutex_unlock(&r->lock);
    cut_job(r, j);
    pthread_mutex_lock(&r->lock);
    if (++r->done == r->open) pthread_cond_signal(&r->done_change);
    return 1;
}

static void cut_all(ws_orfread *r) {
    pthread_mutex_lock(&r->lock);
    r->taken = r->done = 0;
    r->open = r->n;
    while (cut_one(r)) continue;
    while (r->done < r->open) pthread_cond_wait(&r->done_change, &r->lock);
    r->open = 0;
    pthread_mutex_unlock(&r->lock);
}

int ws_orfread_ahead(ws_orfread *r) {
    pthread_mutex_lock(&r->lock);
    const int cut = cut_one(r);
    pthread_mutex_unlock(&r->lock);
    return cut ? 1 : ws_seqread_ahead(r->in);
}

/* ---- batches ---- */

static int is_full(const ws_seqread_conf *c, uint64_t most, uint64_t residues, size_t n, size_t text) {
    return residues >= most || n >= c->batch_seqs || n >= most || text / 64 >= most;
}

/* Appends sequences from .. to - 1 of one batch to another, and numbers them. */
static int append(ws_batch *b, const ws_batch *from, size_t first, size_t end, uint64_t number, ws_err *err) {
    const size_t text = from->seqtext[first].name.at, word = (size_t)from->first[first],
                 last = end - 1, ntext = from->seqtext[last].desc.at + from->seqtext[last].desc.n - text,
                 nword = (size_t)from->first[last] + ws_batch_words(from->len[last]) - word, to = b->text.n,
                 at = b->nword;
    int rc = ws_batch_reserve_words(b, nword, err);
    if (!rc) rc = ws_batch_add_text(b, from->text.p + text, ntext, err);
    if (!rc && nword) memcpy(b->word + at, from->word + word, nword * sizeof *b->word);
    for (size_t i = first; i < end && !rc; i++) {
        ws_seqtext t = from->seqtext[i];
        t.name.at += to - text;
        t.desc.at += to - text;
        rc = ws_batch_add_seq(b, from->first[i] - word + at, from->len[i], &t, err);
        if (!rc) ws_cut_number(b, b->n - 1, number++);
    }
    return rc;
}

/* Moves ORFs of a job until the batch is full. */
static int deliver_job(ws_orfread *r, job *j, ws_batch *b, uint64_t most, int *full, ws_err *err) {
    const size_t first = j->left, text = b->text.n;
    uint64_t residues = b->residues;
    while (j->left < j->orfs.n && !*full) {
        residues += j->orfs.len[j->left++];
        *full = is_full(&r->conf, most, residues, b->n + j->left - first,
                        text + j->orfs.seqtext[j->left - 1].desc.at - j->orfs.seqtext[first].name.at);
    }
    return j->left == first ? WS_OK : append(b, &j->orfs, first, j->left, r->counts.seqs + b->n + 1, err);
}

/* Fills a batch with ORFs that are cut. A job whose batch was full goes on once that has left. */
static int deliver(ws_orfread *r, ws_batch *b, ws_err *err) {
    const uint64_t most = r->conf.grows ? ws_stream_batch(r->counts.residues, r->conf.batch_residues)
                                        : r->conf.batch_residues;
    int full = 0, rc = b->word_cap ? WS_OK : ws_batch_expect(b, most, err);
    while (r->now < r->n && !full && !rc) {
        job *j = &r->job[r->now];
        rc = deliver_job(r, j, b, most, &full, err);
        if (rc || j->left < j->orfs.n) break;
        if (j->err.code) {
            r->end = j->err;
            r->n = 0;
        } else if (j->at < j->n) {
            ws_batch_reuse(&j->orfs);
            j->left = 0;
            cut_job(r, j);
        } else {
            r->now++;
            pthread_mutex_lock(&r->lock);
            r->cut_bases += j->bases;
            pthread_mutex_unlock(&r->lock);
        }
    }
    return rc;
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
        if (!rc && r->n) cut_all(r);
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
