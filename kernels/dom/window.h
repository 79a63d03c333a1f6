/* SPDX-License-Identifier: MIT
 * Envelopes of windows of long DNA targets: scored against a background that is fitted to each of them. Regions and
 * ensembles are those of dom.h, with the window as the target. Specification long-targets.md, section 10. */
#ifndef WS_DOM_WINDOW_H
#define WS_DOM_WINDOW_H

#include "kernels/dom/dom.h"

/* A model for fitted backgrounds. Threads may share it. */
typedef struct ws_dom_window_model {
    const ws_dom_tables *tables;
    const ws_profile *profile;
    const char *mask; /* [0..M], 'm' where the MM line masks the node; NULL */
    ws_odds odds;
} ws_dom_window_model;
/* Makes a model for windows. tables, profile and hmm must stay. The only failure is WS_ENOMEM, which leaves nothing to
 * destroy. */
int ws_dom_window_model_create(ws_dom_window_model *m, const ws_dom_tables *tables, const ws_profile *profile,
                               const ws_hmm *hmm, ws_err *err);
void ws_dom_window_model_destroy(ws_dom_window_model *m);
/* Makes the model that `of`, which must stay, is to HMMER once a fit was taken back: its scores are rounded once more.
 * Backgrounds are fitted to that one; the tables are those of `of`. Fails as ws_dom_window_model_create. */
int ws_dom_window_model_behind(ws_dom_window_model *m, const ws_dom_window_model *of, ws_err *err);

/* Makes of a profile what HMMER makes of it when it takes a fitted background back (long-targets.md, section 15.2):
 * scores are rounded once more, and those of masked nodes are 0. The only failure is WS_ENOMEM. */
int ws_dom_window_revert(ws_profile *p, const char *mask, ws_err *err);

/* An envelope of a window. Positions count in the window. */
typedef struct ws_dom_window_envelope {
    const uint8_t *x; /* the window's L codes; the caller sets x, L, from and to, and zero-initialises the rest */
    uint32_t L, from, to;
    /* the background is fitted to this one, which has the tables of the call's; NULL: to the call's */
    const ws_dom_window_model *fit;
    int cut;                      /* it was cut to 20 residues around its alignment; from and to say so */
    int scored;                   /* 0: a posterior went out of range, and there is no hit */
    float fitted_nats, own_nats;  /* Forward with the fitted background, and with the model's own (e1, e0) */
    /* env_nats: the smaller of the two; correction_nats: what lies between. Columns have WS_COLUMN_ABOVE. The caller
     * frees `column`, also after a failure */
    ws_domain domain;
} ws_dom_window_envelope;

/* Scores n envelopes, side by side up to WS_DOM_WINDOW_MOST of them; no result depends on the others. The worker's
 * nonull2 leaves the background alone. The only failure is WS_ENOMEM. */
enum { WS_DOM_WINDOW_MOST = 8 };
int ws_dom_window_rescore(const ws_dom_window_model *m, ws_dom_worker *w, ws_dom_window_envelope *e, size_t n,
                          ws_err *err);

/* An envelope and its model. done: the device has scored it; 0 after a call: the envelope is undefined, and the host
 * must score it from its beginning. */
typedef struct ws_dom_window_load {
    const ws_dom_window_model *m;
    ws_dom_window_envelope *e;
    int done;
} ws_dom_window_load;
/* Scores envelopes of any models on a device, with backgrounds that are fitted on so many threads. Fails as
 * ws_dom_device_rescore. */
int ws_dom_window_rescore_on_device(ws_dom_window_load *load, size_t n, int nonull2, int threads, ws_err *err);

#endif
