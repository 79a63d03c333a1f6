/* SPDX-License-Identifier: MIT
 * Long DNA targets: from a genome to windows that may hold an instance of a model, and from a window to sub-windows.
 * nhmmer does this before its Forward filter; the test after that filter is here too. Specification long-targets.md,
 * sections 3 to 9.
 *
 * A record is cut into blocks with overlap, and both strands of a block are searched. Positions count from 1 in the
 * strand of a block, later in the window. */
#ifndef WS_LONG_H
#define WS_LONG_H

#include "lib/hmm/bias.h"
#include "lib/hmm/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Section 2. F1, F2, F3 are the largest P-values that pass, at most 1. */
typedef struct ws_long_options {
    double F1, F2, F3;
    uint32_t B1, B2, B3; /* residues over which a bias counts in full */
    int nobias;
    uint32_t block;      /* residues of a block without its context */
    uint32_t w_length;   /* MAXL of every model, at least 4; 0: w_beta or the model decides */
    double w_beta;       /* MAXL leaves out so much of the model's length distribution; 0: the model decides */
} ws_long_options;
#define WS_LONG_DEFAULTS \
    { .F1 = 0.02, .F2 = 0.003, .F3 = 3e-5, .B1 = 110, .B2 = 240, .B3 = 1000, .block = 262144 }

/* Sets *maxl to the length of the longest instance worth looking for (section 3.1), 1 or more. Reads the model's
 * transitions, which ws_hmm_forget gives back. The only failure is WS_ENOMEM. */
int ws_long_maxl(const ws_hmm *hmm, const ws_long_options *o, uint32_t *maxl, ws_err *err);

/* A model as the stages below want it. Threads may share it. */
typedef struct ws_long_model {
    int M;
    uint32_t maxl;
    ws_long_options options;
    float evparam[WS_NEVPARAM];
    ws_bytes bytes;      /* of the SSV scan */
    int threshold, xB;   /* section 3.3: bytes at which a diagonal is found, and from which each begins */
    int begin;           /* base - tjb - tbm, below which a diagonal's start has no part in it */
    float *before, *after; /* section 3.2, [0..M + 1]: share of MAXL up to node k and from node k on */
} ws_long_model;
/* From a model and its profile. The only failure is WS_ENOMEM; it leaves nothing to destroy. */
int ws_long_model_create(ws_long_model *m, const ws_hmm *hmm, const ws_profile *p, const ws_long_options *o,
                         ws_err *err);
void ws_long_model_destroy(ws_long_model *m);

/* ---- blocks: section 4.1 ---- */

/* Returns the first residue, from 1, of block j (from 0) of a record, its context included. The block's new residues
 * begin at j * block + 1. */
static inline uint64_t ws_long_block_first(uint64_t j, uint32_t block, uint32_t maxl) {
    const uint64_t before = j * block;
    return before > maxl ? before - maxl + 1 : 1;
}

/* ---- seeds: what a scan finds ---- */

/* A diagonal: its first residue, its last node and its length; or a point of the Viterbi scan, of length 1. */
typedef struct ws_long_seed {
    uint32_t i;
    int32_t k, len;
} ws_long_seed;
/* Zero-initialise; the caller sets n to 0 between uses and releases with ws_free(at). */
typedef struct ws_long_seeds {
    ws_long_seed *at;
    size_t n, cap;
} ws_long_seeds;

/* Appends the diagonals of a block strand x[0..n), in the order of section 5. cell: M + 1 bytes. The definition. */
int ws_long_diagonals_ref(const ws_long_model *m, const uint8_t *x, uint32_t n, uint8_t *cell, ws_long_seeds *found,
                          ws_err *err);

/* ---- windows: section 6 ---- */

typedef struct ws_long_window {
    uint32_t from, len;
} ws_long_window;
typedef struct ws_long_windows {
    ws_long_window *at;
    size_t n, cap;
} ws_long_windows;

/* Appends the windows around seeds of a stretch of T residues; neighbours whose overlap is more than `share` of the
 * shorter one are one. */
int ws_long_extend(const ws_long_model *m, const ws_long_seeds *seeds, uint32_t T, float share, ws_long_windows *w,
                   ws_err *err);
/* Cuts windows of more than 80000 residues (section 8); further ones stand at the end of the list. */
int ws_long_split(const ws_long_model *m, ws_long_windows *w, ws_err *err);
#define WS_LONG_SHARE_SSV 0.0f
#define WS_LONG_SHARE_VIT 0.5f

/* ---- tests of windows: sections 7 to 9 ---- */

typedef struct ws_long_msv {
    int passes;
    float p;           /* P-value before the correction for composition */
    float bias_nats;   /* b: what the next stage takes over */
    float filter_nats; /* the null score with its share of b */
    double p_corrected;
} ws_long_msv;
/* Tests a window by its MSV score and its bias score, both in nats; lm is that of its length. Without the bias tests
 * the bias score is not read. */
void ws_long_test_msv(const ws_long_model *m, const ws_lenmodel *lm, float msv_nats, float bias_score, ws_long_msv *t);

/* The numbers of the Viterbi scan of a window (section 8): the move into the model and the words at which a row has
 * points. */
typedef struct ws_long_vit {
    int wmove, threshold;
} ws_long_vit;
void ws_long_vit_set(const ws_long_model *m, const ws_lenmodel *lm, float bias_nats, ws_long_vit *v);

/* Appends the points of the window x[0..n). cell: room for 6 * (M + 1) words. The definition. */
int ws_long_points_ref(const ws_words *w, const ws_long_vit *v, const uint8_t *x, uint32_t n, int16_t *cell,
                       ws_long_seeds *found, ws_err *err);

typedef struct ws_long_fwd {
    int passes;
    float bias_nats, filter_nats;
    double p;
} ws_long_fwd;
/* Tests a sub-window by its Forward score and its bias score (section 9). */
void ws_long_test_fwd(const ws_long_model *m, const ws_lenmodel *lm, float fwd_nats, float bias_score, ws_long_fwd *t);

/* ---- hits: sections 11 and 12 ---- */

/* Alignments of fewer residues give no hit. */
enum { WS_LONG_LEAST = 8 };

/* Sets the score in bits and the logarithm of its P-value from an envelope of so many residues, its alignment's, and
 * envsc. Returns the score in nats, without the null model's. */
float ws_long_score(const ws_long_model *m, uint32_t envelope, uint32_t alignment, float nats, float *bits,
                    double *lnp);

/* Returns where residue q of a window is in the record, for a window whose first residue is there at `from`. */
static inline uint64_t ws_long_coordinate(uint64_t from, int minus,
                                          uint64_t q) { return minus ? from - (q - 1) : from + (q - 1); }

#ifdef __cplusplus
}
#endif
#endif
