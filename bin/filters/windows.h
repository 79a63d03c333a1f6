/* SPDX-License-Identifier: MIT
 * The state of a filter whose targets are windows of long DNA, for the files of this folder. */
#ifndef WS_FILTERS_WINDOWS_H
#define WS_FILTERS_WINDOWS_H

#include "bin/filters/cascade.h"

#include <pthread.h>

typedef struct ws_window_target {
    ws_long_model model;
    ws_long_layout layout; /* of what the stage's cutter needs */
    ws_long_dev *dev;      /* made when a device is first used, under the lock */
    int dev_made;
} ws_window_target;

struct ws_cascade_windows {
    ws_long_options options;
    ws_long_columns columns; /* of windows that are read */
    ws_long_cut cut;         /* of records */
    ws_window_target *target; /* [job->ntarget] */
    ws_long_worker *worker;   /* [nworker] */
    int nworker;
    pthread_mutex_t lock;
};

extern const ws_cutter ws_cascade_cut_records, ws_cascade_cut_windows;

#endif
