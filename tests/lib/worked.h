/* SPDX-License-Identifier: MIT
 * The worked example of specification profile-filters.md, section 15, for the tests of the four HMM kernels: a model of
 * four nodes and the target MCQIRX. Its beginnings are targets too, with the length model of the whole, so that the
 * cells a scalar backend leaves behind are those of any row. */
#ifndef WS_TESTS_WORKED_H
#define WS_TESTS_WORKED_H

#include "tests/lib/hmmread.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

typedef struct worked {
    ws_hmmset set;
    ws_hmm_target data;
    sample_batch s; /* sequence i: the first i + 1 residues of MCQIRX, i < 6; sequence 6: AKTEW */
} worked;
enum { WORKED_L = 6, WORKED_W2 = 6 };

static inline void worked_add(worked *w, const char *letters, size_t L) {
    uint8_t *x = sample_add(&w->s, L);
    for (size_t i = 0; i < L; i++) x[i] = w->set.hmm[0].abc->code_of[(unsigned char)letters[i]];
}

static inline void worked_open(worked *w) {
    ws_err err = {0};
    *w = (worked){.set = {0}};
    sample_must(hmm_read(&w->set, "tests/data/golden/worked/tiny004.hmm", 1, &err), &err);
    sample_target(&w->data, &w->set.hmm[0]);
    for (size_t L = 1; L <= WORKED_L; L++) worked_add(w, "MCQIRX", L);
    worked_add(w, "AKTEW", 5);
    sample_ready(&w->s);
    for (size_t i = 0; i < WORKED_L; i++) ws_lenmodel_set(&w->s.lm[i], WORKED_L);
}

static inline const ws_lenmodel *sample_lenmodel(const sample_batch *s, size_t i) { return &s->lm[i]; }

/* The score of sequence i; the definition's rows stay in the scratch. */
static inline ws_fscore sample_score(sample_batch *s, const ws_body *body, const ws_hmm_target *t, size_t i) {
    ws_fscore out;
    const uint32_t item = (uint32_t)i;
    sample_scores(s, body, t, &item, 1, &out);
    return out;
}

static inline void worked_close(worked *w) {
    ws_profile_destroy(&w->data.profile);
    ws_hmmset_release(&w->set);
    sample_batch_release(&w->s);
}

/* The seed of a test: WARPSIEVE_SEED or a fixed one, printed. */
static inline sample worked_seed(void) {
    const char *given = getenv("WARPSIEVE_SEED");
    sample r = {given ? strtoull(given, NULL, 0) : 20110707};
    tap_note("seed %llu", (unsigned long long)r.state);
    return r;
}

#endif
