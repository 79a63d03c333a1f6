/* SPDX-License-Identifier: MIT
 * hmmsieve --scan: hits by sequence, as hmmscan has them. Sequences that were read together are a block. Its pairs are
 * counted; with the last one the block is ranked, and its text is made by the thread that ended it. Blocks leave in the
 * order of the input (lib/run/turns.h). So memory is that of the blocks in flight, of which the chain begins no more
 * while they hold too much. */
#include "bin/search/sieve.h"

#include <string.h>

/* Passing one of these filters is counted for each sequence. */
typedef uint32_t counts[WS_TEXT_FILTERS];

struct ws_sieve_block {
    uint64_t first; /* number of its first sequence in the input */
    size_t n;
    uint64_t left;  /* pairs that are not decided. Atomic */
    ws_hitstore store; /* a list for each sequence; under the lock of ws_domscore */
    counts *passed;    /* [n] atomic */
    ws_queryseq *seq;  /* [n]; their texts lie in `text` */
    char *text;
    uint64_t bytes;    /* that it takes, as counted in ws_sieve_scan.bytes */
    ws_dom_out out[WS_DOMSCORE_OUTPUTS]; /* its texts, when it ends */
    ws_turn *turn;
    struct ws_sieve_block *next, **at; /* at: what points to this one */
};

static const ws_hmm_target *models_of(const ws_sieve *s) { return ws_cascade_of(s->job)->model; }

/* ---- memory ---- */

static void count_bytes(ws_sieve *s, ws_sieve_block *b, uint64_t bytes) {
    __atomic_add_fetch(&s->by_seq.bytes, bytes - b->bytes, __ATOMIC_RELAXED);
    b->bytes = bytes;
}

int ws_sieve_scan_is_full(ws_sieve *s) {
    uint64_t waiting;
    if (!s->dom.by_seq) return 0;
    (void)ws_turns_left(&s->by_seq.turns, &waiting);
    return __atomic_load_n(&s->by_seq.bytes, __ATOMIC_RELAXED) + waiting > s->by_seq.room;
}

/* A model stays while a pair is in the domain stage, and while a hit of it waits for its text. */
void ws_sieve_scan_keep_model(ws_sieve *s, uint32_t m) {
    if (__atomic_fetch_add(&s->by_seq.users[m], 1, __ATOMIC_ACQ_REL)) return;
    __atomic_add_fetch(&s->by_seq.bytes, WS_SIEVE_MODEL_BYTES * s->job->target[m].qlen, __ATOMIC_RELAXED);
}

static void leave_model(ws_sieve *s, uint32_t m) {
    if (__atomic_sub_fetch(&s->by_seq.users[m], 1, __ATOMIC_ACQ_REL) == 0)
        __atomic_sub_fetch(&s->by_seq.bytes, WS_SIEVE_MODEL_BYTES * s->job->target[m].qlen, __ATOMIC_RELAXED);
    ws_job_leave(s->job, m);
}

static void free_block(ws_sieve *s, ws_sieve_block *b) {
    count_bytes(s, b, 0);
    for (int k = 0; k < WS_DOMSCORE_OUTPUTS; k++) ws_sink_release(&b->out[k].sink);
    ws_hitstore_destroy(&b->store);
    ws_free(b->passed);
    ws_free(b->seq);
    ws_free(b->text);
    ws_free(b);
}

/* ---- the beginning of a block ---- */

static int copy_texts(ws_sieve *s, ws_sieve_block *b, const ws_batch *batch, ws_err *err) {
    size_t size = 0;
    enum { PARTS = 3 };
    for (size_t i = 0; i < b->n; i++)
        size += batch->seqtext[i].name.n + batch->seqtext[i].desc.n + batch->seqtext[i].acc.n + PARTS;
    char *to = b->text = ws_calloc(size, 1, err);
    if (!to) return err->code;
    for (size_t i = 0; i < b->n; i++) {
        const ws_slice part[PARTS] = {batch->seqtext[i].name, batch->seqtext[i].desc, batch->seqtext[i].acc};
        char *at[PARTS];
        for (int k = 0; k < PARTS; to += part[k++].n + 1) {
            at[k] = to;
            if (part[k].n) memcpy(to, ws_batch_text(batch, part[k]), part[k].n);
        }
        b->seq[i] = (ws_queryseq){.name = at[0], .desc = at[1], .acc = at[2], .L = batch->len[i]};
    }
    count_bytes(s, b, size + b->n * (sizeof *b->store.list + sizeof *b->passed + sizeof *b->seq));
    return WS_OK;
}

static int fill_block(ws_sieve *s, ws_sieve_block *b, const ws_sieve_pool *p, ws_err *err) {
    const uint32_t models = (uint32_t)s->job->ntarget;
    int rc = ws_hitstore_create(&b->store, b->n, err);
    if (!rc && !(b->passed = ws_calloc(b->n, sizeof *b->passed, err))) rc = err->code;
    if (!rc && !(b->seq = ws_calloc(b->n, sizeof *b->seq, err))) rc = err->code;
    if (!rc) rc = copy_texts(s, b, &p->batch, err);
    for (size_t i = 0; i < b->n && !rc; i++) {
        b->store.list[i].model = models_of(s);
        for (int k = 0; k < WS_TEXT_FILTERS && s->max; k++) b->passed[i][k] = p->batch.len[i] ? models : 0;
    }
    return rc;
}

int ws_sieve_scan_begin(ws_sieve *s, ws_sieve_pool *p, ws_err *err) {
    if (!s->dom.by_seq || !p->batch.n) return WS_OK;
    int rc = ws_grow(&p->block, &p->block_cap, p->batch.n, sizeof *p->block, err);
    ws_sieve_block *b = rc ? NULL : ws_calloc(1, sizeof *b, err);
    if (!b) return err->code;
    b->first = p->batch.before;
    b->n = p->batch.n;
    b->left = ws_sieve_pairs(p, s->job->ntarget) + 1; /* the reader ends one of its own */
    for (int k = 0; k < s->dom.nout; k++) b->out[k] = s->dom.out[k];
    rc = fill_block(s, b, p, err);
    if (!rc && !(b->turn = ws_turns_take(&s->by_seq.turns, err))) rc = err->code;
    if (rc) {
        free_block(s, b);
        return rc;
    }
    for (size_t i = 0; i < b->n; i++) p->block[i] = b;
    pthread_mutex_lock(&s->by_seq.lock);
    b->next = s->by_seq.blocks;
    b->at = &s->by_seq.blocks;
    if (b->next) b->next->at = &b->next;
    s->by_seq.blocks = b;
    pthread_mutex_unlock(&s->by_seq.lock);
    return WS_OK;
}

/* ---- hits ---- */

void ws_sieve_scan_count(ws_sieve_block *b, uint64_t number, int filter) {
    __atomic_add_fetch(&b->passed[number - b->first][filter], 1, __ATOMIC_RELAXED);
}

int ws_sieve_scan_hold(ws_sieve *s, ws_sieve_block *b, uint32_t m, const ws_hitseq *seq, const ws_dom_result *hit,
                       ws_err *err) {
    const size_t i = seq->number - b->first, before = b->store.bytes;
    /* what was searched so far, as hmmscan counts it: the widths of columns depend on this */
    const double least = s->dom.Z_given ? s->dom.Z : (double)m + 1;
    if (!ws_domscore_is_worth(&s->dom, s->job, m, seq, hit, least)) {
        leave_model(s, m);
        return WS_OK;
    }
    const int rc = ws_hitstore_add(&b->store, i, seq, hit, s->dom.hold, err);
    if (rc) return rc;
    ws_hitlist *l = &b->store.list[i];
    l->hit[l->n - 1]->model = m;
    count_bytes(s, b, b->bytes + b->store.bytes - before);
    return WS_OK;
}

/* ---- the end of a block ---- */

static int make_text(ws_sieve *s, ws_sieve_block *b, size_t i, ws_err *err) {
    ws_domscore *d = &s->dom;
    ws_hitlist *l = &b->store.list[i];
    ws_textconf text = ws_domscore_text(d);
    ws_hitquery q = ws_domscore_query(d, models_of(s), l, &text);
    int rc = WS_OK;
    q.seq = &b->seq[i];
    q.first = b->first + i == 0;
    text.known = text.filters = 1;
    text.seqs = s->job->ntarget;
    text.nodes = s->by_seq.nodes;
    memcpy(text.filter_p, s->passed.p, sizeof text.filter_p);
    for (int k = 0; k < WS_TEXT_FILTERS; k++) text.passed[k] = b->passed[i][k];
    ws_hitlist_rank(l, d->threshold, (ws_spaces){d->Z_given ? d->Z : (double)s->job->ntarget, d->domZ});
    rc = ws_hitlists_resolve(l, 1, (ws_resolve)d->resolve, err);
    for (int k = 0; k < d->nout && !rc; k++) {
        ws_domscore_write_list(&b->out[k], &q);
        rc = b->out[k].sink.err.code;
        if (rc) *err = b->out[k].sink.err;
    }
    return rc;
}

static int end_block(ws_sieve *s, ws_sieve_block *b, ws_err *err) {
    ws_turn *turn = b->turn;
    int rc = WS_OK;
    for (size_t i = 0; i < b->n && !rc; i++) {
        rc = make_text(s, b, i, err);
        const ws_hitlist *l = &b->store.list[i];
        for (size_t h = 0; h < l->n; h++) leave_model(s, l->hit[h]->model);
    }
    if (rc) return rc;
    for (int k = 0; k < s->dom.nout; k++) {
        turn->out[b->out[k].number] = (ws_outtext){b->out[k].sink.text, b->out[k].rows};
        b->out[k].sink.text = (ws_buf){0};
    }
    pthread_mutex_lock(&s->by_seq.lock);
    *b->at = b->next;
    if (b->next) b->next->at = b->at;
    pthread_mutex_unlock(&s->by_seq.lock);
    free_block(s, b);
    return ws_turns_give(&s->by_seq.turns, turn, err);
}

int ws_sieve_scan_end(ws_sieve *s, ws_sieve_block *b, uint64_t pairs, ws_err *err) {
    return __atomic_sub_fetch(&b->left, pairs, __ATOMIC_ACQ_REL) ? WS_OK : end_block(s, b, err);
}

int ws_sieve_scan_decide(ws_sieve *s, ws_sieve_pool *p, const uint32_t *seq, size_t n, const ws_sieve_pair *passed,
                         size_t npassed, ws_err *err) {
    int rc = WS_OK;
    if (p->all) return n > npassed ? ws_sieve_scan_end(s, p->block[0], n - npassed, err) : WS_OK;
    /* no block can end while its pairs count twice */
    for (size_t i = 0; i < npassed; i++) __atomic_add_fetch(&p->block[passed[i].seq]->left, 1, __ATOMIC_RELAXED);
    for (size_t i = 0; i < n && !rc; i++) rc = ws_sieve_scan_end(s, p->block[seq[i]], 1, err);
    return rc;
}

/* ---- opening and closing ---- */

int ws_sieve_scan_open(ws_sieve *s, ws_err *err) {
    ws_sieve_scan *all = &s->by_seq;
    const ws_job *job = s->job;
    pthread_mutex_init(&all->lock, NULL);
    ws_turns_open(&all->turns, s->job);
    all->room = ws_scan_of(job)->mem / 4;
    if (!(all->users = ws_calloc(job->ntarget, sizeof *all->users, err))) return err->code;
    for (size_t m = 0; m < job->ntarget; m++) all->nodes += job->target[m].qlen;
    return WS_OK;
}

void ws_sieve_scan_close(ws_sieve *s) {
    ws_sieve_scan *all = &s->by_seq;
    if (!all->turns.end) return;
    for (ws_sieve_block *b = all->blocks, *next; b; b = next) { /* after a failure */
        next = b->next;
        free_block(s, b);
    }
    ws_turns_close(&all->turns);
    ws_free(all->users);
    pthread_mutex_destroy(&all->lock);
}
