/* SPDX-License-Identifier: MIT
 * A model made ready for searches of long DNA: what each stage wants of it. Threads may share it. */
#ifndef WS_LONG_TARGET_H
#define WS_LONG_TARGET_H

#include "kernels/dom/window.h"
#include "kernels/filter/filter.h"
#include "kernels/long/device.h"
#include "lib/hmm/target.h"
#include "lib/run/tool.h"

#include <pthread.h>

/* Filters of a device for windows. points: the Viterbi scan, as kernels/vit/points.h says. */
typedef struct ws_long_filters {
    const ws_backend *msv, *points, *forward;
} ws_long_filters;
extern const ws_long_filters ws_long_cuda;

typedef struct ws_long_target {
    const ws_hmm_target *filter; /* the model itself, its profile, its bias */
    ws_long_model model;

    /* by ws_long_target_remember: the model changes when it is first fitted to an envelope, and is `later` from then
     * on. 0: it stays as it is, and there is no `later` */
    int changes;
    ws_hmm_target later;

    /* by ws_long_target_lay_out. Those of a model that changes are of the later one, but for first_... */
    int laid_out;
    ws_filter *first_fwd;
    ws_dom_tables *first_tables;
    ws_dom_window_model first_background; /* with fits to the model as it came, and the later one's own scores */
    ws_long_ssv ssv;
    ws_long_viterbi viterbi;
    ws_filter *msv, *fwd;
    const ws_dom_backend *dom;
    ws_dom_tables *tables;
    ws_dom_window_model background;

    /* by ws_long_target_to_device */
    pthread_mutex_t lock;
    int on_device, has_behind;
    ws_dom_window_model behind; /* by ws_long_target_behind */
    ws_long_dev *dev; /* NULL: the CPU marks */
    const ws_long_filters *by;
    void *dev_msv, *dev_points, *dev_forward; /* as `by` prepared them */
} ws_long_target;

/* Makes what does not depend on a width. The filter must stay, and its model has its transitions for now. WS_ENOMEM is
 * the only failure.
 * Release in any case. */
int ws_long_target_create(ws_long_target *t, const ws_hmm_target *filter, const ws_long_options *o, ws_err *err);
/* Has the target change as HMMER's models do (long-targets.md, section 15.2). The caller's search keeps a history of it
 * (kernels/long/search.h). Call it before the layouts, while the model has its transitions. WS_ENOMEM is the only
 * failure. */
int ws_long_target_remember(ws_long_target *t, ws_err *err);
/* Makes `behind` of a target that is laid out and does not change, once; any thread. WS_ENOMEM is the only failure. */
int ws_long_target_behind(ws_long_target *t, ws_err *err);
/* Lays out the stages for a number of lib/simd/width.h, once. WS_ENOMEM is the only failure; then t has no layouts, and
 * another thread may ask again. One thread at a time. */
int ws_long_target_lay_out(ws_long_target *t, int width, ws_err *err);
/* Makes the device's form of the SSV scan and, unless `by` is NULL, of the filters, once. Devices must be started. */
int ws_long_target_to_device(ws_long_target *t, const ws_long_filters *by, ws_err *err);
void ws_long_target_release(ws_long_target *t); /* one that was zeroed is legal */

#endif
