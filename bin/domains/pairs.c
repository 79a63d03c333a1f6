/* SPDX-License-Identifier: MIT
 * Pairs in the domain stage: what it makes of models, the pairs, each with a copy of its sequence, and which hits are
 * held. See bin/domains/domscore.h. */
#include "bin/domains/domscore.h"

#include <math.h>
#include <string.h>

/* ---- models ---- */

static const ws_hmm_target *model_of(const ws_job *job, size_t m) { return job->target[m].data; }

int ws_domscore_tables(ws_domscore *d, const ws_job *job, size_t m, const ws_dom_tables **out, ws_err *err) {
    const ws_hmm_target *h = model_of(job, m);
    ws_dom_tables *t = NULL, *first = NULL;
    if ((*out = __atomic_load_n(&d->tables[m], __ATOMIC_ACQUIRE))) return WS_OK;
    const int rc = ws_dom_tables_create(&t, &h->profile, h->hmm->evparam[WS_FTAU], h->hmm->evparam[WS_FLAMBDA], err);
    *out = t;
    if (rc) return rc;
    if (__atomic_compare_exchange_n(&d->tables[m], &first, t, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return WS_OK;
    ws_dom_tables_destroy(t); /* another thread was first */
    *out = first;
    return WS_OK;
}

int ws_domscore_open_store(ws_domscore *d, const ws_job *job, ws_err *err) {
    if (d->store.list) return WS_OK;
    const size_t lists = d->by_seq ? 0 : job->ntarget; /* --scan holds hits by sequence */
    int rc = ws_hitstore_create(&d->store, lists, err);
    d->store.body.room = d->mem_given ? d->mem / 8 : 0;
    for (size_t m = 0; m < lists && !rc; m++) {
        d->store.list[m].tau = model_of(job, m)->hmm->evparam[WS_FTAU];
        d->store.list[m].lambda = model_of(job, m)->hmm->evparam[WS_FLAMBDA];
    }
    return rc;
}

/* With --stream no span waits for others. */
static int is_eager(void *own) {
    (void)own;
    return 1;
}

int ws_domscore_make_steps(ws_domscore *d, ws_job *job, int device, void *own, ws_dom_done_fn *done, ws_err *err) {
    static const ws_dom_backend *const by_width[] = {WS_BY_WIDTH(ws_dom_)};
    const ws_dom_options options = {.seed = (uint32_t)d->seed, .nonull2 = d->nonull2, .memory = (size_t)d->mem};
    const ws_dom_steps_conf conf = {.backend = by_width[ws_job_width(job)], .options = options,
                                    .models = job->ntarget, .threads = job->nworker, .own = own, .done = done,
                                    .job = device ? job : NULL, .eager = d->stream ? is_eager : NULL};
    return d->steps ? WS_OK : ws_dom_steps_create(&d->steps, &conf, err);
}

void ws_domscore_end_steps(ws_domscore *d) {
    ws_dom_steps_destroy(d->steps);
    d->steps = NULL;
}

void ws_domscore_forget(ws_domscore *d, const ws_job *job) {
    for (size_t m = 0; d->tables && m < job->ntarget; m++) ws_dom_tables_destroy(d->tables[m]);
    ws_free(d->tables);
    ws_free(d->threshold);
    ws_domscore_end_steps(d);
    ws_hitstore_destroy(&d->store);
    d->tables = NULL;
    d->threshold = NULL;
}

/* ---- pairs ---- */

ws_dom_seq *ws_dom_seq_make(const ws_batch *b, const ws_seqs *seqs, size_t i, uint64_t number, const ws_abc *abc,
                            ws_err *err) {
    const ws_seqtext *text = &b->seqtext[i];
    enum { PARTS = 4 };
    const ws_slice part[PARTS] = {text->name, text->desc, text->qual, text->acc};
    const size_t texts = part[0].n + part[1].n + part[2].n + part[3].n;
    ws_dom_seq *s = ws_alloc(sizeof *s + b->len[i] + WS_ALIGN + texts, err);
    if (!s) return NULL;
    /* kernels read whole registers, so codes stand before other bytes */
    uint8_t *x = (uint8_t *)(s + 1);
    char *to = (char *)x + b->len[i] + WS_ALIGN, *at[PARTS];
    memcpy(x, ws_seqs_codes(seqs, i), b->len[i]);
    for (int k = 0; k < PARTS; to += part[k++].n) {
        at[k] = to;
        if (part[k].n) memcpy(to, ws_batch_text(b, part[k]), part[k].n);
    }
    *s = (ws_dom_seq){.users = 1, .lm = ((const ws_lenmodel *)seqs->perseq)[i],
                      .seq = {number, at[0], at[1], at[2], at[3], part[0].n, part[1].n, part[2].n, part[3].n, x, abc}};
    return s;
}

void ws_dom_seq_leave(ws_dom_seq *s) {
    if (s && __atomic_sub_fetch(&s->users, 1, __ATOMIC_ACQ_REL) == 0) ws_free(s);
}

ws_dom_entry *ws_dom_pairs_make(ws_dom_seq *seq, uint32_t m, ws_err *err) {
    ws_dom_entry *e = ws_calloc(1, sizeof *e, err);
    if (!e) return NULL;
    __atomic_add_fetch(&seq->users, 1, __ATOMIC_RELAXED);
    e->seq = seq;
    e->of.model = m;
    return e;
}

static ws_dom_entry *next_of(const ws_dom_entry *e) { return (ws_dom_entry *)e->of.next; }

void ws_dom_pairs_add(ws_domscore *d, ws_dom_entry *first) {
    pthread_mutex_lock(&d->lock);
    for (ws_dom_entry *e = first; e; e = next_of(e)) {
        e->next = d->pairs;
        e->at = &d->pairs;
        if (e->next) e->next->at = &e->next;
        d->pairs = e;
    }
    pthread_mutex_unlock(&d->lock);
}

int ws_dom_pairs_begin(ws_domscore *d, const ws_job *job, ws_dom_entry *first, ws_err *err) {
    for (ws_dom_entry *e = first; e; e = next_of(e)) {
        e->of.M = (uint32_t)job->target[e->of.model].qlen;
        e->of.order = e->seq->seq.number;
        ws_dom_pair_begin(&e->of.pair, e->seq->seq.x, &e->seq->lm);
    }
    return ws_dom_steps_add(d->steps, &first->of, err);
}

void ws_dom_pairs_unlink(ws_dom_entry *e) {
    *e->at = e->next;
    if (e->next) e->next->at = e->at;
}

void ws_dom_pairs_free(ws_dom_entry *e) {
    ws_dom_seq_leave(e->seq);
    ws_dom_pair_release(&e->of.pair);
    ws_free(e);
}

void ws_dom_pairs_release(ws_domscore *d) {
    for (ws_dom_entry *e; (e = d->pairs);) {
        ws_dom_pairs_unlink(e);
        ws_dom_pairs_free(e);
    }
}

/* ---- hits ---- */

/* Keeps the sentence about the first pair in the input, whichever comes first here. */
static void note_failure(ws_domscore *d, const ws_hitseq *seq, size_t m, const ws_hmm *hmm) {
    char name[WS_QUOTE_MAX];
    if (d->failed++ && (seq->number > d->failed_seq || (seq->number == d->failed_seq && m > d->failed_model))) return;
    d->failed_seq = seq->number;
    d->failed_model = m;
    ws_fail(&d->failure, WS_EDATA, "sequence %s, model %s: an ensemble of paths needs more than --mem %llu bytes",
            ws_quote(name, seq->name, seq->nname), hmm->name, (unsigned long long)d->mem);
}

int ws_domscore_is_worth(ws_domscore *d, const ws_job *job, size_t m, const ws_hitseq *seq, const ws_dom_result *hit,
                         double least) {
    if (hit->status == WS_DOM_MEMORY) note_failure(d, seq, m, model_of(job, m)->hmm);
    const float *evparam = model_of(job, m)->hmm->evparam;
    const ws_hitlist l = {.tau = evparam[WS_FTAU], .lambda = evparam[WS_FLAMBDA]};
    return hit->status == WS_DOM_HIT && ws_hit_is_worth(&d->threshold[m], &l, hit->bits, least);
}

int ws_domscore_hold(ws_domscore *d, const ws_job *job, size_t m, const ws_hitseq *seq, const ws_dom_result *hit,
                     ws_err *err) {
    /* E-values only grow with the database. A target that fails E now fails at the end. */
    const double least = d->Z_given ? d->Z : (double)seq->number + 1;
    if (!ws_domscore_is_worth(d, job, m, seq, hit, least)) return WS_OK;
    /* hmmsearch's columns have room for it. A pipe lacks the sequences that were turned down, so it cannot tell */
    ws_hitlist *l = &d->store.list[m];
    if (d->passed) {
        l->least_width = ws_max(l->least_width, seq->nname);
        l->least_shown = ws_max(l->least_shown, seq->nacc ? seq->nacc : seq->nname);
    }
    return ws_hitstore_add(&d->store, m, seq, hit, d->hold, err);
}

int ws_domscore_failure(const ws_domscore *d, ws_err *err) {
    if (!d->failed) return WS_OK;
    *err = d->failure;
    if (d->failed > 1)
        ws_err_prefix(err, "%llu pairs could not be scored, the first of them: ", (unsigned long long)d->failed);
    return err->code;
}
