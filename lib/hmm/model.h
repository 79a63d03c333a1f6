/* SPDX-License-Identifier: MIT
 * Profile HMMs as they stand in a file: HMMER3/a to 3/f text and HMMER3 binary (.h3m), any number in a file, gzip too.
 * Source: specification profile-filters.md, section 1.
 *
 * Letters of the field, used everywhere: M model length, k node 1..M, L target length, i residue 1..L, x residue code. */
#ifndef WS_HMM_MODEL_H
#define WS_HMM_MODEL_H

#include "lib/base/alphabet.h"
#include "lib/base/mem.h"

enum { WS_TMM, WS_TMI, WS_TMD, WS_TIM, WS_TII, WS_TDM, WS_TDD, WS_NTRANS };
enum { WS_MMU, WS_MLAMBDA, WS_VMU, WS_VLAMBDA, WS_FTAU, WS_FLAMBDA, WS_NEVPARAM };
enum { WS_CUT_GA, WS_CUT_TC, WS_CUT_NC, WS_NCUT };

typedef struct ws_hmm {
    char *name, *acc, *desc; /* acc and desc may be NULL */
    int M;
    const ws_abc *abc;
    float *mat;       /* match emission probabilities: mat[k*K + x], k = 1..M; row 0 unused */
    float *tr;        /* transition probabilities out of node k: tr[k*WS_NTRANS + WS_T..], k = 0..M */
    float compo[20];  /* composition; all zero if the file has none (section 10.4) */
    int calibrated;   /* the file has STATS */
    float evparam[WS_NEVPARAM];  /* meaningful if calibrated */
    int has_cut[WS_NCUT];
    float cut[WS_NCUT][2]; /* per sequence, per domain, bits */
} ws_hmm;

typedef struct ws_hmmset {
    ws_hmm *hmm;
    size_t n;
    uint64_t xxh3; /* of the file's decompressed bytes, for provenance */
} ws_hmmset;

/* Reads all models of a file ("-" is stdin). An empty file, two alphabets in one file and HMMER2 are errors; messages name
 * file and line (text) or byte (binary). Numbers are converted on up to `threads` threads. Release with ws_hmmset_release; a failure
 * leaves nothing to release. */
int ws_hmmset_read(ws_hmmset *set, const char *path, int threads, ws_err *err);
void ws_hmmset_release(ws_hmmset *set);

/* Gives the tables mat and tr back, which nobody needs once there is a profile: 108 bytes a node. */
void ws_hmm_forget(ws_hmm *h);

#endif
