/* SPDX-License-Identifier: MIT
 * From pairs that wait to hits that are held: the domain stage's steps on all threads. */
#include "bin/domains/domscore.h"

#include <math.h>
#include <string.h>

#include "lib/base/parallel_for.h"

static const ws_hmm_target *model_of(const ws_job *job, size_t m) { return job->target[m].data; }

/* ---- what hmmsieve needs too ---- */

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
    int rc = ws_hitstore_create(&d->store, job->ntarget, err);
    d->store.body.room = d->mem_given ? d->mem / 8 : 0;
    for (size_t m = 0; m < job->ntarget && !rc; m++) {
        d->store.list[m].tau = model_of(job, m)->hmm->evparam[WS_FTAU];
        d->store.list[m].lambda = model_of(job, m)->hmm->evparam[WS_FLAMBDA];
    }
    return rc;
}

int ws_domscore_make_steps(ws_domscore *d, ws_job *job, int device, void *own, ws_dom_done_fn *done, ws_err *err) {
    static const ws_dom_backend *const by_width[] = {WS_BY_WIDTH(ws_dom_)};
    const ws_dom_options options = {.seed = (uint32_t)d->seed, .nonull2 = d->nonull2, .memory = (size_t)d->mem};
    const ws_dom_steps_conf conf = {.backend = by_width[ws_job_width(job)], .options = options,
                                    .models = job->ntarget, .threads = job->nworker, .own = own, .done = done,
                                    .job = device ? job : NULL};
    return d->steps ? WS_OK : ws_dom_steps_create(&d->steps, &conf, err);
}

/* Keeps the sentence about the first pair in the input, whichever comes first here. */
static void note_failure(ws_domscore *d, const ws_hitseq *seq, size_t m, const ws_hmm *hmm) {
    char name[WS_QUOTE_MAX];
    if (d->failed++ && (seq->number > d->failed_seq || (seq->number == d->failed_seq && m > d->failed_model))) return;
    d->failed_seq = seq->number;
    d->failed_model = m;
    ws_fail(&d->failure, WS_EDATA, "sequence %s, model %s: an ensemble of paths needs more than --mem %llu bytes",
            ws_quote(name, seq->name, seq->nname), hmm->name, (unsigned long long)d->mem);
}

int ws_domscore_is_worth(ws_domscore *d, const ws_job *job, size_t m, const ws_hitseq *seq, const ws_dom_target *hit,
                         double least) {
    if (hit->status == WS_DOM_MEMORY) note_failure(d, seq, m, model_of(job, m)->hmm);
    return hit->status == WS_DOM_HIT && ws_hit_is_worth(&d->threshold[m], &d->store.list[m], hit->bits, least);
}

int ws_domscore_hold(ws_domscore *d, const ws_job *job, size_t m, const ws_hitseq *seq, const ws_dom_target *hit,
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

/* ---- one turn over the pool ---- */

typedef struct turn {
    ws_domscore *d;
    ws_job *job;
    ws_lenmodel *lm;   /* [sequences] */
    ws_dom_item *item; /* [pairs], in the order of the input */
    uint8_t *met;      /* [models] 1: there is a pair */
    int begun;
} turn;

static int make_tables(void *ctx, size_t m, ws_err *err) {
    turn *t = ctx;
    const ws_dom_tables *made;
    return t->met[m] ? ws_domscore_tables(t->d, t->job, m, &made, err) : WS_OK;
}

static int stays(void *own, ws_dom_item *item, ws_err *err) {
    (void)own;
    (void)item;
    (void)err;
    return WS_OK;
}

static int open_turn(turn *t, ws_err *err) {
    const ws_pool *p = &t->d->pool;
    int rc = ws_domscore_make_steps(t->d, t->job, 0, NULL, stays, err);
    if (rc) return rc;
    if (!(t->lm = ws_calloc(p->nseq, sizeof *t->lm, err))) return err->code;
    if (!(t->item = ws_calloc(p->npair, sizeof *t->item, err))) return err->code;
    if (!(t->met = ws_calloc(t->job->ntarget, 1, err))) return err->code;
    for (size_t s = 0; s < p->nseq; s++) ws_lenmodel_set(&t->lm[s], p->seq[s].L);
    for (size_t i = 0; i < p->npair; i++) t->met[p->pair[i].model] = 1;
    return ws_parallel_for(t->job->ntarget, t->job->nworker, make_tables, t, err);
}

/* The source of the chain: all pairs of the pool at once. */
static int read_pool(void *own, ws_err *err) {
    turn *t = own;
    const ws_pool *p = &t->d->pool;
    int rc = t->begun ? WS_EOF : WS_OK;
    for (size_t i = 0; i < p->npair && !rc; i++) {
        const ws_pool_pair *pair = &p->pair[i];
        t->item[i] = (ws_dom_item){.tables = t->d->tables[pair->model], .model = pair->model, .order = i,
                                   .M = (uint32_t)t->job->target[pair->model].qlen};
        ws_dom_pair_begin(&t->item[i].pair, (const uint8_t *)p->codes.p + p->seq[pair->seq].codes, &t->lm[pair->seq]);
        rc = ws_dom_steps_add(t->d->steps, &t->item[i], err);
    }
    t->begun = 1;
    return rc;
}

static ws_chain_wish wish(void *own) {
    (void)own;
    return WS_CHAIN_ROOM;
}

static int run_turn(turn *t, ws_err *err) {
    ws_chain_stage stage[WS_DOM_STEPS];
    const ws_chain_ops ops = {.stage = stage, .nstage = WS_DOM_STEPS, .own = t, .wish = wish, .read = read_pool};
    ws_chain *chain;
    ws_dom_steps_stages(t->d->steps, stage);
    int rc = ws_chain_create(&chain, &ops, err);
    if (!rc) rc = ws_chain_run(chain, t->job->nworker, err);
    ws_chain_destroy(chain);
    return rc;
}

static void close_turn(turn *t) {
    for (size_t i = 0; t->item && i < t->d->pool.npair; i++) ws_dom_pair_release(&t->item[i].pair);
    ws_free(t->lm);
    ws_free(t->item);
    ws_free(t->met);
}

static ws_hitseq seq_of(const turn *t, size_t s) {
    const ws_pool *p = &t->d->pool;
    const ws_pool_seq *q = &p->seq[s];
    const char *text = p->text.p + q->text;
    return (ws_hitseq){.number = q->number, .name = text, .desc = text + q->nname, .qual = text + q->nname + q->ndesc,
                       .acc = text + q->nname + q->ndesc + q->nqual,
                       .nname = q->nname, .ndesc = q->ndesc, .nqual = q->nqual, .nacc = q->nacc,
                       .x = (const uint8_t *)p->codes.p + q->codes, .abc = model_of(t->job, 0)->hmm->abc};
}

/* With --stream a target is ranked and written alone. */
static void write_alone(turn *t, size_t m) {
    ws_domscore *d = t->d;
    ws_hitlist *l = &d->store.list[m];
    ws_hitquery q = ws_domscore_query(d, model_of(t->job, m), l, NULL);
    q.streams = 1;
    if (!l->n) return;
    ws_hitlist_rank(l, &d->threshold[m], (ws_spaces){d->Z, d->domZ});
    ws_domscore_write_target(d, &q, l->hit[0]);
    l->n = 0;
}

static int hold_pair(turn *t, size_t i, ws_err *err) {
    const ws_pool_pair *p = &t->d->pool.pair[i];
    const ws_hitseq seq = seq_of(t, p->seq);
    const int rc = ws_domscore_hold(t->d, t->job, p->model, &seq, &t->item[i].pair.hit, err);
    if (!rc && t->d->stream) write_alone(t, p->model);
    return rc;
}

int ws_domscore_score(ws_job *job, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    turn t = {.d = d, .job = job};
    int rc = ws_domscore_open_store(d, job, err);
    if (!rc && d->pool.npair > 0) {
        rc = open_turn(&t, err);
        if (!rc) rc = run_turn(&t, err);
        for (size_t i = 0; i < d->pool.npair && !rc; i++) rc = hold_pair(&t, i, err);
        close_turn(&t);
    }
    if (d->stream) ws_hitstore_destroy(&d->store);
    ws_pool_reuse(&d->pool);
    return rc;
}
