/* SPDX-License-Identifier: MIT
 * The domain stage: from "a pair passed the Forward filter" to domains with scores, alignments and posterior codes.
 * Specification domains.md, sections 2 to 9 and 12 to 15; README.md has the recurrences and layouts.
 *
 * A caller has a model, a worker for each thread, and pairs of that model with targets. ws_dom_score does all for a
 * list of pairs. A caller may call its four steps one by one. Each may run for different pairs on different threads,
 * the second and third also for different spans of one pair. No result depends on the thread, on the list's order, or
 * on the rest of the list.
 *
 *   parse     Forward and Backward of whole targets, decoding, regions
 *   resolve   the ensembles of regions with several domains: envelopes by clustering sampled paths
 *   rescore   envelopes: score, alignment, composition
 *   finish    scores of the target and its domains */
#ifndef WS_DOM_H
#define WS_DOM_H

#include "lib/hmm/domain.h"
#include "lib/hmm/profile.h"
#include "lib/simd/width.h"

/* A model in the form of this stage; read-only, so threads may share it. */
typedef struct ws_dom_tables ws_dom_tables;
/* Makes the tables of a profile and of the parameters of the Forward scores' tail (WS_FTAU, WS_FLAMBDA). The caller
 * destroys *t. Returns WS_ENOMEM on failure. */
int ws_dom_tables_create(ws_dom_tables **t, const ws_profile *p, float tau, float lambda, ws_err *err);
void ws_dom_tables_destroy(ws_dom_tables *t);

typedef struct ws_dom_options {
    uint32_t seed;  /* seed of the generator for each region; HMMER's default is 42, and 0 is an ordinary seed */
    int nonull2;    /* 1: scores are not corrected for composition */
    size_t memory;  /* most bytes for the matrix of one ensemble; 0: no limit */
    size_t plain;   /* an envelope whose matrix has more bytes is computed by blocks of rows; 0: 16 MB */
} ws_dom_options;

/* A backend: vector code or scalar code, with equal bits. */
typedef struct ws_dom_backend ws_dom_backend;
WS_DECLARE_WIDTHS(ws_dom_backend, ws_dom_);
/* Returns the best backend for the processor; static. */
static inline const ws_dom_backend *ws_dom_backend_best(const ws_cpu *cpu) {
    static const ws_dom_backend *const by_width[] = {WS_BY_WIDTH(ws_dom_)};
    return by_width[ws_cpu_best(cpu)];
}

/* The memory of one thread; it grows to its largest problem. */
typedef struct ws_dom_worker ws_dom_worker;
int ws_dom_worker_create(ws_dom_worker **w, const ws_dom_backend *b, const ws_dom_options *o, ws_err *err);
void ws_dom_worker_destroy(ws_dom_worker *w);

/* A stretch of a target that is scored as one domain. parse or resolve sets `from`, `to` and `expected`; rescore sets
 * the rest. */
typedef struct ws_dom_envelope {
    uint32_t from, to;
    int by_ensemble;   /* its composition comes from the ensemble instead of its own posteriors */
    int scored;        /* 0 after rescore: a posterior went out of range, so there is no domain */
    int own_scales;    /* Backward needed its own scales */
    ws_domain domain;  /* without bits, bias and lnp, which finish adds */
} ws_dom_envelope;

/* A significant cluster of sampled segments. removed: another cluster covers it. posterior: share of traces that
 * have it. */
typedef struct ws_dom_cluster {
    uint32_t i, j, k, m;
    float posterior;
    int removed;
} ws_dom_cluster;

typedef struct ws_dom_region {
    uint32_t from, to;
    int multi;            /* resolve must handle it */
    float begins, ends;   /* expected number of domains that begin and end in it */
    float crowd;          /* the largest e(z) of section 6 */
    int failed;           /* after resolve: 0, or the ws_dom_status for the target */
    float fwd_nats;       /* of a resolved region, with statistics of its sampling */
    uint64_t draws;
    uint32_t segments, clusters, nsignificant;
    struct ws_dom_sampled *sampled; /* of device.h: traces that resolve must still cluster, else NULL */
    ws_dom_cluster *cluster; /* [nsignificant], ascending */
    ws_dom_envelope *env;
    uint32_t nenv;
} ws_dom_region;

typedef struct ws_dom_pair {
    const uint8_t *x; /* L codes, owned by the caller */
    const ws_lenmodel *lm;
    uint32_t L;
    /* rescore takes emissions from them, not from the model's; NULL: from the model's. The caller sets it */
    const ws_dom_tables *odds;
    float *n2;        /* [0..L] logarithm of the null2 odds of residue i */
    ws_dom_region *region;
    uint32_t nregion;
    ws_dom_result hit; /* the result; a caller may take it over by copying and zeroing it */
} ws_dom_pair;

/* Sets up a pair with a target of lm->L codes x, which must outlive it. A target without residues is no hit. The
 * caller releases the pair after any outcome. */
void ws_dom_pair_begin(ws_dom_pair *pair, const uint8_t *x, const ws_lenmodel *lm);
void ws_dom_pair_release(ws_dom_pair *pair);

/* Does all steps for n pairs of one model. This function and those below return WS_OK or WS_ENOMEM, after which the
 * caller can only release the pairs. An error of one pair (range, limit) is in its hit.status and concerns no other
 * pair. */
int ws_dom_score(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *const *pair, size_t n, ws_err *err);

/* A span is an element of a step's list: a region or an envelope, with its pair. */
typedef struct ws_dom_span {
    ws_dom_pair *pair;
    ws_dom_region *region;
    ws_dom_envelope *env; /* NULL in lists for resolve */
} ws_dom_span;
int ws_dom_parse(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *const *pair, size_t n, ws_err *err);
int ws_dom_resolve(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, size_t n, ws_err *err);
int ws_dom_rescore(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_span *span, size_t n, ws_err *err);
/* Does resolve for all regions of the pairs, or with `envelopes` rescore for all envelopes. */
int ws_dom_for_spans(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_pair *const *pair, size_t n, int envelopes,
                     ws_err *err);
int ws_dom_finish(const ws_dom_tables *t, const ws_dom_options *o, ws_dom_pair *pair, ws_err *err);

/* Sets nats[j] to the Forward score, multihit, of n targets of L codes each, L >= 1; NaN if it leaves the range.
 * Returns WS_ENOMEM on failure. */
int ws_dom_forward(const ws_dom_tables *t, ws_dom_worker *w, const uint8_t *const *x, uint32_t L, size_t n, float *nats,
                   ws_err *err);

#endif
