/* SPDX-License-Identifier: MIT
 * The search profile of a model (local, multihit) and its three quantised forms, with HMMER's rounding.
 * Source: specification profile-filters.md, sections 4 and 5.
 *
 * All tables here are in plain model order: index k runs 1..M, index 0 and the missing transitions hold the neutral value
 * of their form. Backends lay them out as they like in their own prepare. */
#ifndef WS_HMM_PROFILE_H
#define WS_HMM_PROFILE_H

#include "lib/hmm/model.h"

/* Each ..._create fills its first argument, which ..._destroy gives back. A failure is WS_ENOMEM, of a profile also WS_EDATA for
 * transitions that add up to no way through the model, and leaves nothing to destroy. */

/* Transition tables of the forms below: `into` M_k from k-1 (MM IM DM), and out of k (MI MD II DD), as the recurrences
 * of sections 8.1 and 9.1 name them. BM_k is the entry B -> M_k. */
typedef enum ws_ptrans { WS_PBM, WS_PMM, WS_PIM, WS_PDM, WS_PMI, WS_PII, WS_PMD, WS_PDD, WS_NPTRANS } ws_ptrans;

typedef struct ws_profile {
    int M;
    const ws_abc *abc;
    float *score;             /* s_k(x): score[x*(M+1) + k], all Kp codes, -INFINITY where impossible */
    float *tr[WS_NPTRANS];    /* log odds, tr[t][k], k = 0..M; tr[WS_PMM][k] is MM_k, out of node k; BM_k at tr[WS_PBM][k] */
} ws_profile;

int ws_profile_create(ws_profile *p, const ws_hmm *hmm, ws_err *err); /* section 4 */
void ws_profile_destroy(ws_profile *p);

/* 8 bits, section 5.1, in third-bits. A cell adds `bias` and subtracts cost[x*(M+1) + k]; 255 = impossible; cost[.][0] = 255. */
typedef struct ws_bytes {
    int M, Kp;
    uint8_t *cost;
    int bias, tbm, tec; /* best canonical score; costs of B->M_k, and of E->C and E->J */
} ws_bytes;
enum { WS_BYTE_BASE = 190 };
#define WS_BYTE_SCALE ((float)(3.0 / 0.69314718055994529)) /* third-bits per nat */
int ws_bytes_create(ws_bytes *b, const ws_profile *p, ws_err *err);
void ws_bytes_destroy(ws_bytes *b);

/* 16 bits, section 5.2, in 1/500 bits. emit[x*(M+1) + k], tr[t][k]; -32768 is an ordinary very low number. */
typedef struct ws_words {
    int M, Kp;
    int16_t *emit;
    int16_t *tr[WS_NPTRANS];
} ws_words;
enum { WS_WORD_BASE = 12000, WS_WORD_E = -500 /* E->C, E->J */ };
#define WS_WORD_SCALE ((float)(500.0 / 0.69314718055994529)) /* 1/500 bit */
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

/* What depends on the target's length L alone: sections 3.2, 4.4, 5.1, 5.2. About 0.1 us, computed once per sequence. */
typedef struct ws_lenmodel {
    uint32_t L;
    float null_nats; /* null score */
    float p1;        /* L/(L+1) */
    float pmove, ploop; /* probabilities of N->B = J->B = C->T, and of staying */
    int tjb;         /* the cost of the former in 8 bits */
    int wmove;       /* its score in 16 bits */
} ws_lenmodel;
/* Of no residues, which no filter scores, the null score is 0. */
void ws_lenmodel_set(ws_lenmodel *lm, uint32_t L);

#endif
