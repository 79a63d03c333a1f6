/* SPDX-License-Identifier: MIT
 * The hits of domscore that are held, ranked and written model by model. */
#include "bin/domains/domscore.h"
#include "lib/base/parallel_for.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 200 }; /* columns of Stockholm, as hmmsearch has them */

ws_hitquery ws_domscore_query(const ws_domscore *d, const ws_hmm_target *h, const ws_hitlist *l,
                              const ws_textconf *text) {
    return (ws_hitquery){.hmm = h->hmm, .profile = &h->profile, .list = l, .columns = &d->columns, .text = text,
                         .msa_width = d->notextw ? 0 : BLOCK, .author = d->author.p,
                         .in_file = d->store.body.has_file, .odd_names = &d->out[0].job->odd_names};
}

void ws_domscore_count_passed(const ws_job *job, size_t m, ws_textconf *text) {
    const ws_dom_passed *p = ws_domscore_of(job)->passed;
    const ws_stream_size size = ws_scan_size(job);
    text->known = !(p && p->cut) && size.state == WS_SIZE_KNOWN;
    text->seqs = size.seqs;
    text->residues = size.residues;
    text->filters = p != NULL;
    if (!p) return;
    memcpy(text->filter_p, p->p, sizeof text->filter_p);
    memcpy(text->passed, p->count[m], sizeof text->passed);
}

/* The lists of a run whose queries are models, and the sizes of the search. */
typedef struct ranking {
    ws_dom_lists lists;
    ws_spaces spaces;
} ranking;

static int rank_one(void *of, size_t m, ws_err *err) {
    const ranking *r = of;
    const ws_domscore *d = ws_domscore_of(r->lists.job);
    ws_hitlist *l = &r->lists.list[m];
    (void)err;
    if (!d->beside[WS_DOMFORM_RECORDS]) ws_hitlist_prune(l, &d->threshold[m], r->spaces.Z);
    ws_hitlist_rank(l, &d->threshold[m], r->spaces);
    return WS_OK;
}

/* Ranks all lists, and lets domains of all models compete for their sequences. */
static int resolve(ranking *r, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(r->lists.job);
    const int rc = ws_parallel_for(r->lists.n, r->lists.job->nworker, rank_one, r, err);
    return rc ? rc : ws_hitlists_resolve(r->lists.list, r->lists.n, (ws_resolve)d->resolve, err);
}

static int rank(const ws_dom_lists *of, size_t m, ws_hitquery *q, ws_textconf *text, ws_err *err) {
    ranking *r = (ranking *)(uintptr_t)of;
    const ws_domscore *d = ws_domscore_of(of->job);
    ws_hitlist *l = &of->list[m];
    if (!d->resolve) (void)rank_one(r, m, err);
    if (d->seq_limit) ws_hitlist_limit(l, (size_t)d->seq_limit);
    ws_domscore_count_passed(of->job, m, text);
    *q = ws_domscore_query(d, of->job->target[m].data, l, text);
    q->origin = d->query ? &d->query[m] : NULL;
    return WS_OK;
}

int ws_domscore_write(ws_job *job, double Z, int whole, ws_err *err) {
    ws_domscore *d = ws_domscore_of(job);
    const double size = d->Z_given ? d->Z : Z, domZ = d->domZ_given ? d->domZ : whole ? 0 : NAN;
    /* phmmer's tables have their head only if its first sequence is a query */
    const int heads = !d->query || d->query[0].number == 0;
    ranking r = {{.job = job, .list = d->store.list, .n = job->ntarget, .heads = heads, .rank = rank},
                       {size, domZ}};
    int rc = d->resolve ? resolve(&r, err) : WS_OK;
    if (!rc) rc = ws_domscore_write_lists(&r.lists, err);
    for (int k = 0; k < d->nout && !rc; k++) rc = ws_sink_flush(&d->out[k].sink, err);
    return rc;
}
