/* SPDX-License-Identifier: MIT
 * The costs of SSV and MSV in the order of HMMER's pressed files: rows of vectors of 16 bytes. A program reads such
 * rows from a pressed file, or makes them of match emissions alone. So it looks at nothing else of a model before a
 * sequence has passed the first filter. Source: specification press.md, section 3. */
#ifndef WS_HMM_STRIPED_H
#define WS_HMM_STRIPED_H

#include "lib/hmm/profile.h"

enum { WS_STRIPED_VECTOR = 16 };

typedef struct ws_striped {
    ws_bytes bytes;      /* the scalars; cost is NULL */
    size_t nq;           /* vectors of a row */
    int ncode;           /* rows: Kp, or K without those of codes for several residues */
    const uint8_t *cost; /* [ncode][nq * 16]: lane z of vector q is node q + 1 + z * nq, beyond M it is 255 */
    float compo[20];     /* the model's composition; 0 if it has none */
} ws_striped;

/* Return the vectors of a row of M nodes, and how many bytes of room a model's rows need. */
static inline size_t ws_striped_vectors(int M) {
    return ws_max(2, ((size_t)M + WS_STRIPED_VECTOR - 1) / WS_STRIPED_VECTOR);
}
size_t ws_striped_room(int M, const ws_abc *abc);

/* Returns where a room has match emissions: at k * K + x for k from 1 to M. */
float *ws_striped_mat(void *room);
/* Fills *out, but for compo, from the emissions in a room. nats: they are -ln of probabilities, as in a text. all: rows
 * of all codes. Sets *valid to 0, and nothing else, if one is no probability. WS_ENOMEM. */
int ws_striped_of(ws_striped *out, int M, const ws_abc *abc, void *room, int nats, int all, int *valid, ws_err *err);

/* Fills *out for model i of a set, from what its files have of it, in room of ws_striped_room bytes. Any thread. The
 * model must be one that can be read from its place. Fails as ws_hmmset_load. */
int ws_hmmset_striped(ws_hmmset *set, size_t i, void *room, int all, ws_striped *out, ws_err *err);

/* Reads the 16-bit form of model i of a pressed set from .h3p; the caller destroys it. Any thread. Fails the same. */
int ws_pressed_words(ws_hmmset *set, size_t i, ws_words *out, ws_err *err);

/* Sets cost[k] for each code x and node k from 0 to M, at x * (M + 1) + k, to the costs in the rows; that of node 0 and
 * of codes without a row is 255. */
void ws_striped_undo(const ws_striped *s, uint8_t *cost);

#endif
