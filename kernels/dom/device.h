/* SPDX-License-Identifier: MIT
 * The steps parse, resolve and rescore on CUDA devices: lists of spans of any models. device/README.md has
 * layouts and speed. A build without CUDA has device_none.c. */
#ifndef WS_DOM_DEVICE_H
#define WS_DOM_DEVICE_H

#include "kernels/dom/dom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A span and its model. done: the device has computed it; 0 after a call: it is for ws_dom_parse or ws_dom_rescore. */
typedef struct ws_dom_load {
    const ws_dom_tables *t;
    ws_dom_span span; /* of parse: the pair alone */
    int done;
} ws_dom_load;

/* Do the step for n spans. Spans that the device cannot hold, and those that need other rules, are left for the host;
 * so are all after a failure, which changes no span. Return WS_EDEV or WS_ENOMEM. */
int ws_dom_device_parse(ws_dom_load *load, size_t n, ws_err *err);
int ws_dom_device_rescore(ws_dom_load *load, size_t n, ws_err *err);
/* Follows the traces of n regions. The caller gives all of them to ws_dom_resolve then, which clusters segments. */
int ws_dom_device_resolve(ws_dom_load *load, size_t n, const ws_dom_options *o, ws_err *err);
/* Computes Forward's score of each envelope, in nats, unihit, by the emissions of rescore. */
int ws_dom_device_forward(ws_dom_load *load, size_t n, float *nats, ws_err *err);
/* Computes Forward's score of each pair as ws_dom_forward does: multihit; NaN if it leaves the range. */
int ws_dom_device_targets(ws_dom_load *load, size_t n, float *nats, ws_err *err);

/* Frees what devices made of a model's tables; NULL is legal. */
void ws_dom_device_forget(void *model);

/* ---- results of a device, for the host ---- */

/* A target's. Its regions and scales are in `pack`, at these words. */
typedef struct ws_dom_parsed {
    float end, expected; /* C pmove of the last row; nexp */
    uint32_t ok, nscale, scale, nregion, region;
} ws_dom_parsed;

/* An envelope's. Its scales and columns are in `pack`. strange: the host must compute it. */
typedef struct ws_dom_fitted {
    float end, accuracy, null2[20], outside;
    uint32_t range, strange, own, end_row, end_node;
    uint32_t i_from, i_to, k_from, k_to, nscale, scale, ncolumn, column;
} ws_dom_fitted;

/* A region's. In `pack`, from this word on, are n2 and the scales of rows 1..L, then the segments, a trace's last one
 * first: i and j in the halves of a word, then k and m, with the highest bit for the first one of a trace; then the
 * component of each, of so many, in any order. unsure: the number of steps that the definition decided. */
typedef struct ws_dom_resolved {
    float end;
    uint32_t ok, strange, pack, nsegment, components, unsure;
    uint64_t draws;
} ws_dom_resolved;

enum { WS_DOM_SEGMENT_WORDS = 3, WS_DOM_SEGMENT_MOST = 32767 /* row or node */ };

/* Returns the Forward score of a result whose end and scales these are, in nats. */
float ws_dom_nats_of(float end, const uint32_t *scale, uint32_t n);
/* Take a result to its pair. Return WS_ENOMEM on failure. */
int ws_dom_take_parsed(ws_dom_pair *pair, const ws_dom_parsed *r, const uint32_t *pack, ws_err *err);
int ws_dom_take_fitted(const ws_dom_tables *t, const ws_dom_span *span, const ws_dom_fitted *r, const uint32_t *pack,
                       ws_err *err);
/* Keeps a region's result for ws_dom_resolve, which calls ws_dom_unpack_sample. */
int ws_dom_take_resolved(const ws_dom_span *span, const ws_dom_resolved *r, const uint32_t *pack, ws_err *err);

/* A region keeps this between the two. */
struct ws_dom_sampled {
    ws_dom_resolved of;
    uint32_t word[];
};

#ifdef __cplusplus
}
#endif
#endif
