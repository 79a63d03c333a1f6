/* SPDX-License-Identifier: MIT
 * Fuzz target: the domain stage. Byte 0 chooses the model, byte 1 the options, byte 2 the random numbers, byte 3 the
 * number of targets; the rest are their residues. The best backend must find what the scalar one finds, bit for bit.
 * Run from the top of the tree. */
#include "kernels/dom/dom.h"
#include "lib/base/mem.h"
#include "lib/hmm/model.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/hmmread.h"

#include <string.h>

const char ws_fuzz_name[] = "domains";
const long ws_fuzz_cost = 40; /* a run takes a millisecond */

enum { MODELS = 4, PAIRS = 5, RESIDUES = 250 };

typedef struct model {
    ws_hmmset set;
    ws_dom_tables *t;
} model;

static const model *models(void) {
    static const char *const path[MODELS] = {"tests/data/golden/models/M1.hmm.gz",
                                             "tests/data/golden/models/tiny.hmm.gz",
                                             "tests/data/golden/models/XYPPX.hmm.gz", "tests/data/fn3.hmm"};
    static model m[MODELS];
    for (int i = 0; i < MODELS && !m[i].t; i++) {
        ws_err err = {0};
        ws_profile p;
        FUZZ_CHECK(!hmm_read(&m[i].set, path[i], 1, &err));
        const ws_hmm *h = &m[i].set.hmm[0];
        FUZZ_CHECK(!ws_profile_create(&p, h, &err));
        FUZZ_CHECK(!ws_dom_tables_create(&m[i].t, &p, h->evparam[WS_FTAU], h->evparam[WS_FLAMBDA], &err));
        ws_profile_destroy(&p);
    }
    return m;
}

/* Targets cut from the input; equal for both backends. */
typedef struct problem {
    ws_dom_pair pair[PAIRS], *list[PAIRS];
    ws_lenmodel lm[PAIRS];
    size_t n;
} problem;

static void score(problem *q, const model *m, const ws_dom_backend *b, const ws_dom_options *o, uint8_t *const *x,
                  const uint32_t *L, size_t n) {
    ws_dom_worker *w;
    ws_err err = {0};
    q->n = n;
    FUZZ_CHECK(!ws_dom_worker_create(&w, b, o, &err));
    for (size_t j = 0; j < n; j++) {
        ws_lenmodel_set(&q->lm[j], L[j]);
        ws_dom_pair_begin(&q->pair[j], x[j], &q->lm[j]);
        q->list[j] = &q->pair[j];
    }
    FUZZ_CHECK(!ws_dom_score(m->t, w, q->list, n, &err));
    ws_dom_worker_destroy(w);
}

static int same_float(float a, float b) { return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

static void check_pair(const ws_dom_pair *a, const ws_dom_pair *b, uint32_t M) {
    const ws_dom_result *h = &a->hit, *g = &b->hit;
    FUZZ_CHECK(h->status == g->status && h->n == g->n && a->nregion == b->nregion);
    if (h->status != WS_DOM_HIT) return;
    FUZZ_CHECK(same_float(h->bits, g->bits) && same_float(h->pre_bits, g->pre_bits) &&
               same_float(h->expected, g->expected));
    for (uint32_t d = 0; d < h->n; d++) {
        const ws_domain *p = &h->domain[d], *q = &g->domain[d];
        FUZZ_CHECK(1 <= p->env_from && p->env_from <= p->ali_from && p->ali_from <= p->ali_to &&
                   p->ali_to <= p->env_to && p->env_to <= a->L);
        FUZZ_CHECK(1 <= p->hmm_from && p->hmm_from <= p->hmm_to && p->hmm_to <= M);
        FUZZ_CHECK(p->env_from == q->env_from && p->env_to == q->env_to && p->ali_from == q->ali_from &&
                   p->ali_to == q->ali_to && p->hmm_from == q->hmm_from && p->hmm_to == q->hmm_to);
        FUZZ_CHECK(same_float(p->bits, q->bits) && same_float(p->bias_nats, q->bias_nats) &&
                   same_float(p->accuracy, q->accuracy));
        FUZZ_CHECK(p->ncolumn == q->ncolumn && memcmp(p->column, q->column, p->ncolumn) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n < 5) return 0;
    const model *m = &models()[p[0] % MODELS];
    const ws_dom_options o = {
        .seed = p[2], .nonull2 = p[1] & 1, .memory = p[1] & 2 ? 20000 : 0, .plain = p[1] & 4 ? 1000 : 0};
    const size_t pairs = 1 + p[3] % PAIRS, residues = ws_min(n - 4, RESIDUES);
    uint8_t *x[PAIRS];
    uint32_t L[PAIRS];
    problem scalar = {0}, best = {0};
    ws_cpu cpu;
    for (size_t j = 0, at = 0; j < pairs; at += L[j], j++) { /* of different lengths, and some of none */
        L[j] = (uint32_t)(j + 1 == pairs ? residues - at : (residues - at) * (j + 1) / (pairs + 1));
        x[j] = fuzz_copy(p + 4 + at, L[j]);
        /* no gap is a residue */
        for (uint32_t i = 0; i < L[j]; i++) x[j][i] = (uint8_t)(x[j][i] % 29 == 20 ? 0 : x[j][i] % 29);
    }
    ws_cpu_probe(&cpu);
    score(&scalar, m, &ws_dom_scalar, &o, x, L, pairs);
    score(&best, m, ws_dom_backend_best(&cpu), &o, x, L, pairs);
    for (size_t j = 0; j < pairs; j++) {
        check_pair(&scalar.pair[j], &best.pair[j], (uint32_t)m->set.hmm[0].M);
        ws_dom_pair_release(&scalar.pair[j]);
        ws_dom_pair_release(&best.pair[j]);
        free(x[j]);
    }
    return 0;
}
