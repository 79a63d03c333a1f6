/* SPDX-License-Identifier: MIT
 * From pairs that wait to hits that are held: the stage's steps on all threads, in lists of many models. */
#include "bin/domains/domscore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/counting_sort.h"
#include "lib/base/parallel_for.h"

/* One turn over the pool. */
typedef struct turn {
    ws_domscore *d;
    ws_job *job;
    ws_lenmodel *lm;   /* [sequences] */
    ws_dom_pair *pair; /* [pairs], in the order of the input */
    ws_dom_task *task; /* the same, model by model */
    uint32_t *first;   /* [models + 1]: where each model's tasks begin */
} turn;

static const ws_hmm_target *model_of(const ws_job *job, size_t m) { return job->target[m].data; }

/* ---- models ---- */

static int make_tables(void *ctx, size_t m, ws_err *err) {
    turn *t = ctx;
    const ws_hmm_target *h = model_of(t->job, m);
    if (t->d->tables[m] || t->first[m] == t->first[m + 1]) return WS_OK;
    return ws_dom_tables_create(&t->d->tables[m], &h->profile, h->hmm->evparam[WS_FTAU], h->hmm->evparam[WS_FLAMBDA], err);
}

static int make_crew(turn *t, ws_err *err) {
    static const ws_dom_backend *const by_width[] = {WS_BY_WIDTH(ws_dom_)};
    ws_domscore *d = t->d;
    const ws_dom_options o = {.seed = (uint32_t)d->seed, .nonull2 = d->nonull2, .memory = (size_t)d->mem};
    if (d->crew) return WS_OK;
    return ws_dom_crew_create(&d->crew, by_width[ws_job_width(t->job)], &o, t->job->nworker, err);
}

/* ---- pairs ---- */

/* Tasks by their model, and within it in the order of the input. */
static int sort_tasks(turn *t, ws_err *err) {
    const ws_pool *p = &t->d->pool;
    if (!(t->first = ws_calloc(t->job->ntarget + 2, sizeof *t->first, err))) return err->code;
    uint32_t *item = ws_calloc(p->npair, sizeof *item, err);
    if (!item) return err->code;
    const ws_keys models = {p->pair, sizeof *p->pair, offsetof(ws_pool_pair, model), p->npair, 0,
                            (uint32_t)t->job->ntarget};
    ws_counting_sort(&models, item, t->first);
    for (size_t i = 0; i < p->npair; i++) t->task[i].pair = &t->pair[item[i]];
    ws_free(item);
    return WS_OK;
}

static int open_turn(turn *t, ws_err *err) {
    const ws_pool *p = &t->d->pool;
    if (!(t->lm = ws_calloc(p->nseq, sizeof *t->lm, err))) return err->code;
    if (!(t->pair = ws_calloc(p->npair, sizeof *t->pair, err))) return err->code;
    if (!(t->task = ws_calloc(p->npair, sizeof *t->task, err))) return err->code;
    for (size_t s = 0; s < p->nseq; s++) ws_lenmodel_set(&t->lm[s], p->seq[s].L);
    for (size_t i = 0; i < p->npair; i++) {
        const uint32_t s = p->pair[i].seq;
        ws_dom_pair_begin(&t->pair[i], (const uint8_t *)p->codes.p + p->seq[s].codes, &t->lm[s]);
    }
    int rc = sort_tasks(t, err);
    if (!rc) rc = ws_parallel_for(t->job->ntarget, t->job->nworker, make_tables, t, err);
    for (size_t m = 0; m < t->job->ntarget && !rc; m++)
        for (size_t j = t->first[m]; j < t->first[m + 1]; j++) t->task[j].tables = t->d->tables[m];
    return rc;
}

static void close_turn(turn *t) {
    for (size_t i = 0; t->pair && i < t->d->pool.npair; i++) ws_dom_pair_release(&t->pair[i]);
    ws_free(t->lm);
    ws_free(t->pair);
    ws_free(t->task);
    ws_free(t->first);
}

/* ---- hits ---- */

static ws_hitseq seq_of(const turn *t, size_t s) {
    const ws_pool *p = &t->d->pool;
    const ws_pool_seq *q = &p->seq[s];
    const char *text = p->text.p + q->text;
    return (ws_hitseq){.number = q->number, .name = text, .desc = text + q->nname, .qual = text + q->nname + q->ndesc,
                       .nname = q->nname, .ndesc = q->ndesc, .nqual = q->nqual,
                       .x = (const uint8_t *)p->codes.p + q->codes, .abc = model_of(t->job, 0)->hmm->abc};
}

static void note_failure(ws_domscore *d, const ws_hitseq *seq, const ws_hmm *hmm) {
    char name[WS_QUOTE_MAX];
    if (d->failed++ == 0)
        ws_fail(&d->failure, WS_EDATA, "sequence %s, model %s: an ensemble of paths needs more than --mem %llu bytes",
                ws_quote(name, seq->name, seq->nname), hmm->name, (unsigned long long)d->mem);
}

/* With --stream a target is ranked and written alone. */
static void write_alone(turn *t, size_t m) {
    ws_domscore *d = t->d;
    ws_hitlist *l = &d->store.list[m];
    const ws_hitquery q = ws_domscore_query(d, model_of(t->job, m), l, NULL);
    ws_hitlist_rank(l, &d->threshold[m], (ws_spaces){d->Z, d->domZ});
    ws_domscore_write_target(d, &q, l->hit[0]);
    l->n = 0;
}

static int hold_pair(turn *t, size_t i, ws_err *err) {
    ws_domscore *d = t->d;
    const ws_pool_pair *p = &d->pool.pair[i];
    const ws_dom_target *hit = &t->pair[i].hit;
    const ws_hitseq seq = seq_of(t, p->seq);
    /* The database has at least the sequences that came, so what E turns down for these it turns down in the end. */
    const double least = d->Z_given ? d->Z : (double)seq.number + 1;
    if (hit->status == WS_DOM_MEMORY) note_failure(d, &seq, model_of(t->job, p->model)->hmm);
    if (hit->status != WS_DOM_HIT) return WS_OK;
    if (!ws_hit_is_worth(&d->threshold[p->model], &d->store.list[p->model], hit->bits, least)) return WS_OK;
    int rc = ws_hitstore_add(&d->store, p->model, &seq, hit, d->hold, err);
    if (!rc && d->stream) write_alone(t, p->model);
    return rc;
}

static int open_store(turn *t, ws_err *err) {
    ws_domscore *d = t->d;
    if (d->store.list) return WS_OK;
    int rc = ws_hitstore_create(&d->store, t->job->ntarget, err);
    for (size_t m = 0; m < t->job->ntarget && !rc; m++) {
        d->store.list[m].tau = model_of(t->job, m)->hmm->evparam[WS_FTAU];
        d->store.list[m].lambda = model_of(t->job, m)->hmm->evparam[WS_FLAMBDA];
    }
    return rc;
}

int ws_domscore_score(ws_job *job, ws_err *err) {
    ws_domscore *d = job->own;
    turn t = {.d = d, .job = job};
    int rc = open_store(&t, err);
    if (!rc && d->pool.npair > 0) {
        rc = make_crew(&t, err);
        if (!rc) rc = open_turn(&t, err);
        if (!rc) rc = ws_dom_crew_score(d->crew, t.task, d->pool.npair, err);
        for (size_t i = 0; i < d->pool.npair && !rc; i++) rc = hold_pair(&t, i, err);
        close_turn(&t);
    }
    if (d->stream) ws_hitstore_destroy(&d->store);
    ws_pool_reuse(&d->pool);
    return rc;
}
