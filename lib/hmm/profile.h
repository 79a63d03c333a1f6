/* SPDX-License-Identifier: MIT
 * The search profile of a model (local, multihit) and its three quantised forms, with HMMER's rounding. Source:
 * specification profile-filters.md, sections 4 and 5.
 *
 * All tables are in model order: index k runs 1..M; index 0 and missing transitions hold the form's neutral value.
 * Each backend makes its own layout of them. */
#ifndef WS_HMM_PROFILE_H
#define WS_HMM_PROFILE_H

#include "lib/hmm/evalue.h"
#include "lib/hmm/model.h"

/* Each ..._create fills its first argument, and ..._destroy releases it. It returns WS_ENOMEM on failure, and leaves
 * nothing to destroy. ws_profile_create also returns WS_EDATA for a model whose transitions leave no path. */

/* Transition tables of the forms below: into M_k from k-1 (MM IM DM), and out of k (MI MD II DD), as the recurrences
 * of sections 8 and 9.1 name them. BM_k is the entry B -> M_k. */
typedef enum ws_ptrans { WS_PBM, WS_PMM, WS_PIM, WS_PDM, WS_PMI, WS_PII, WS_PMD, WS_PDD, WS_NPTRANS } ws_ptrans;

typedef struct ws_profile {
    int M;
    const ws_abc *abc;
    float *score;             /* s_k(x): score[x*(M+1) + k], all Kp codes, -INFINITY where impossible */
    /* log odds, tr[t][k], k = 0..M; tr[WS_PMM][k] is MM_k, out of node k; BM_k at tr[WS_PBM][k] */
    float *tr[WS_NPTRANS];
} ws_profile;

int ws_profile_create(ws_profile *p, const ws_hmm *hmm, ws_err *err); /* section 4 */
void ws_profile_destroy(ws_profile *p);
/* Does the same without transitions, which the 8-bit form needs not. */
int ws_profile_create_emissions(ws_profile *p, const ws_hmm *hmm, ws_err *err);

/* 8 bits, section 5.1, in third-bits. A cell adds `bias` and subtracts cost[x*(M+1) + k]; 255 = impossible;
 * cost[.][0] = 255. */
typedef struct ws_bytes {
    int M, Kp;
    uint8_t *cost;
    int bias, tbm, tec; /* best canonical score; costs of B->M_k, and of E->C and E->J */
} ws_bytes;
enum { WS_BYTE_BASE = 190 };
#define WS_BYTE_SCALE ((float)(3.0 / WS_LN2)) /* third-bits per nat */
int ws_bytes_create(ws_bytes *b, const ws_profile *p, ws_err *err);
void ws_bytes_destroy(ws_bytes *b);
/* Sets tbm and tec, for which M is enough. */
void ws_bytes_set_entry(ws_bytes *b);
/* Returns a score in third-bits, rounded; from 510 on either side all are that. */
int ws_bytes_third_bits(float nats);

/* Returns the nats of the byte xJ: the last line of section 7.2, and of S5 in section 6. */
WS_DEVICE static inline float ws_bytes_nats(int xJ, int tjb) {
    return (float)((double)(((float)(xJ - tjb) - (float)WS_BYTE_BASE) / WS_BYTE_SCALE) - 3.0);
}

/* 16 bits, section 5.2, in 1/500 bits. emit[x*(M+1) + k], tr[t][k]; -32768 is an ordinary, very low number. */
typedef struct ws_words {
    int M, Kp;
    int16_t *emit;
    int16_t *tr[WS_NPTRANS];
} ws_words;
enum { WS_WORD_BASE = 12000, WS_WORD_E = -500 /* E->C, E->J */ };
#define WS_WORD_SCALE ((float)(500.0 / WS_LN2)) /* 1/500 bit */
int ws_words_create(ws_words *w, const ws_profile *p, ws_err *err);
void ws_words_destroy(ws_words *w);

/* Odds in single precision, section 5.3. emit[x*(M+1) + k], tr[t][k]; 0 where impossible. */
typedef struct ws_odds {
    int M, Kp;
    float *emit;
    float *tr[WS_NPTRANS];
} ws_odds;
int ws_odds_create(ws_odds *o, const ws_profile *p, ws_err *err);
void ws_odds_destroy(ws_odds *o);
/* Sets odds[i] to the odds of score[i], for `count` scores. */
void ws_odds_of(float *odds, const float *score, size_t count);

/* Creates and destroys a form for code that handles any form. */
typedef struct ws_profile_form {
    size_t size;
    int (*create)(void *form, const ws_profile *p, ws_err *err);
    void (*destroy)(void *form);
} ws_profile_form;
extern const ws_profile_form ws_bytes_form, ws_words_form;
/* Defines NAME_form from a type NAME with its NAME_create and NAME_destroy. */
#define WS_PROFILE_FORM(NAME) \
    static int NAME##_make(void *form, const ws_profile *p, ws_err *err) { return NAME##_create(form, p, err); } \
    static void NAME##_drop(void *form) { NAME##_destroy(form); } \
    const ws_profile_form NAME##_form = {sizeof(NAME), NAME##_make, NAME##_drop}

/* The parameters that depend only on the target's length L: sections 3.2, 4.4, 5.1, 5.2. They take about 0.1 us,
 * once for each sequence. */
typedef struct ws_lenmodel {
    uint32_t L;
    float null_nats; /* null score */
    float p1;        /* L/(L+1) */
    float pmove, ploop; /* probability of N->B = J->B = C->T, and of staying */
    int tjb;         /* cost of N->B in 8 bits */
    int wmove;       /* score of N->B in 16 bits */
} ws_lenmodel;
/* Fills *lm for L residues. For L = 0, which no filter scores, the null score is 0. */
void ws_lenmodel_set(ws_lenmodel *lm, uint32_t L);

#endif
