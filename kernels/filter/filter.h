/* SPDX-License-Identifier: MIT
 * The interface of a filter's code, which scores sequences against a model: one body for each vector width, and the
 * scalar definition. A body sees no batches, tasks, options or threads; kernels/filter/backend.h makes backends of
 * bodies. */
#ifndef WS_FILTER_H
#define WS_FILTER_H

#include "lib/hmm/bias.h"
#include "lib/hmm/fscore.h"
#include "lib/hmm/seqlist.h"
#include "lib/simd/width.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The code of one width, or the scalar definition. */
typedef struct ws_body {
    const ws_profile_form *form; /* the form of a profile from which lay_out starts */
    size_t node_bytes; /* bytes of a layout, or of the definition's form, for each node of a protein's model, about */

    /* For vector widths. lay_out makes a layout of `size` bytes, zeroed before, from a form. It keeps no pointer to
     * the form, and returns WS_ENOMEM on failure. clear frees what the layout points to, also after a failure. */
    size_t size;
    int (*lay_out)(void *layout, const void *form, ws_err *err);
    void (*clear)(void *layout);
    /* Sets out[j] for each item j of the list that has residues. A pair that the list's gate rejects may get minus
     * infinity and WS_F_OK instead of its score. scratch: memory of any content. Returns WS_ENOMEM on failure. */
    int (*score)(const void *layout, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err);

    /* For the definition. one returns the score of the codes x[0..L), L >= 1. room returns the bytes of scratch that
     * one needs; they are WS_ALIGN-aligned and of any content. */
    size_t (*room)(const void *form);
    ws_fscore (*one)(const void *form, const ws_lenmodel *lm, const uint8_t *x, size_t L, void *room);
} ws_body;

/* A body together with a model. Threads may share it. */
typedef struct ws_filter ws_filter;

/* Makes *f from a profile: the body's form, then its layout. The caller calls ws_filter_destroy. On failure returns
 * WS_ENOMEM and sets *f to NULL. */
int ws_filter_create(ws_filter **f, const ws_body *body, const ws_profile *p, ws_err *err);
/* Does the same from a form, and keeps no pointer to it. For vector widths only. */
int ws_filter_create_from(ws_filter **f, const ws_body *body, const void *form, ws_err *err);
void ws_filter_destroy(ws_filter *f); /* f may be NULL */
/* Does the same in `room`, WS_ALIGN-aligned zeroed memory of ws_filter_room bytes. The caller calls ws_filter_clear,
 * also after a failure, and releases the room. */
size_t ws_filter_room(const ws_body *body);
int ws_filter_place(ws_filter **f, void *room, const ws_body *body, const void *form, ws_err *err);
void ws_filter_clear(ws_filter *f); /* f may be NULL */

/* Sets out[j] to the score of item j of the list; without residues it is minus infinity, WS_F_UNDERFLOW. With a gate in
 * the list, out[j] of a pair that it rejects may be minus infinity. scratch grows as needed and loses its content; each
 * thread has its own. Returns WS_ENOMEM on failure. */
int ws_filter_scores(const ws_filter *f, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err);

/* Gives a filter its model's gate, which must outlive it and may change between calls; and returns that, or NULL. */
void ws_filter_set_gate(ws_filter *f, const struct ws_gate *gate);
const struct ws_gate *ws_filter_gate(const ws_filter *f);

/* Sets each out[j] that is NaN to the bias score of item j of the list, in nats. hint: for each item the sum that a
 * device computed, or NaN; NULL: none. All others run in one call: many sequences at once cost a tenth per sequence.
 * room: WS_FILTER_BIAS_ROOM bytes for each item. */
void ws_filter_bias(const ws_bias *bias, const ws_cpu *cpu, const ws_seqlist *list, const float *hint, void *room,
                    float *out);
enum { WS_FILTER_BIAS_ROOM = 8 };

#ifdef __cplusplus
}
#endif
#endif
