/* SPDX-License-Identifier: MIT
 * A model as a target of ssv, msv, vit and fwd: what ws_target.data points to. */
#ifndef WS_HMM_TARGET_H
#define WS_HMM_TARGET_H

#include "lib/hmm/bias.h"
#include "lib/hmm/model.h"
#include "lib/hmm/profile.h"
#include "lib/hmm/striped.h"

#include <pthread.h>


/* A bound below which a pair surely fails, so that no further test is needed: any score less than least - each * L
 * nats above the null score, for L residues and any composition. -INFINITY and 0: no score surely fails. bin/filters
 * makes it. */
typedef struct ws_gate {
    float least, each;
    int biased; /* pairs that may pass need the bias filter */
} ws_gate;

/* Returns 1 if a score `above_null` nats above the null score surely fails. */
static inline int ws_gate_fails(const ws_gate *g, float above_null, uint32_t L) {
    return above_null < g->least - g->each * (float)L;
}

struct ws_hmm_target;

/* Where models come from that are read in parts: rows for the first filter (ws_hmmset_striped), words for
 * the second (ws_pressed_words), and all that a target has. Any thread; `whole`, which sets the bias too, under the
 * lock of the target. */
enum { WS_READER_LOCKS = 256 }; /* targets share them */
typedef struct ws_hmm_reader {
    pthread_mutex_t lock[WS_READER_LOCKS];
    void *own;
    int (*striped)(void *own, size_t number, void *room, int all, ws_striped *out, ws_err *err);
    int (*words)(void *own, size_t number, ws_words *out, ws_err *err); /* NULL: they are made of the profile */
    int (*whole)(void *own, size_t number, ws_err *err);
} ws_hmm_reader;

typedef struct ws_hmm_target {
    const ws_hmm *hmm;
    ws_gate gate;

    /* of a model that is read in parts */
    int is_whole, is_biased; /* profile and bias are there. Atomic */
    ws_hmm_reader *reader;   /* NULL: it is made as a whole */
    size_t number;           /* the reader's */

    ws_profile profile;
    ws_bias bias;
} ws_hmm_target;

/* Make and end the locks. */
void ws_hmm_reader_open(ws_hmm_reader *r);
void ws_hmm_reader_close(ws_hmm_reader *r);
/* Makes what a target lacks, if another thread did not. Fails as its reader. */
int ws_hmm_target_whole(ws_hmm_target *t, ws_err *err);
/* Sets the bias from a composition, if no thread did. */
void ws_hmm_target_bias(ws_hmm_target *t, const float *compo);

#endif
