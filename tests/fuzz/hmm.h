/* SPDX-License-Identifier: MIT
 * The common base of the two model targets: a model that was read goes on into its profile and the three quantised
 * forms. */
#ifndef WS_TESTS_FUZZ_HMM_H
#define WS_TESTS_FUZZ_HMM_H

#include "lib/hmm/hmmfile.h"
#include "lib/hmm/profile.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void fuzz_forms(const ws_hmm *h) {
    ws_err err;
    ws_profile p;
    ws_bytes bytes;
    ws_words words;
    ws_odds odds;
    FUZZ_CHECK(h->M > 0 && h->abc && h->name && h->name[0]);
    if (ws_profile_create(&p, h, &err)) return;
    for (size_t i = 0; i < (size_t)h->abc->Kp * ((size_t)h->M + 1); i++) FUZZ_CHECK(!isnan(p.score[i]));
    FUZZ_CHECK(!ws_bytes_create(&bytes, &p, &err));
    FUZZ_CHECK(!ws_words_create(&words, &p, &err));
    FUZZ_CHECK(!ws_odds_create(&odds, &p, &err));
    ws_bytes_destroy(&bytes);
    ws_words_destroy(&words);
    ws_odds_destroy(&odds);
    ws_profile_destroy(&p);
}

#endif
