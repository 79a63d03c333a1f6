/* SPDX-License-Identifier: MIT
 * The state of a filter whose targets are windows of long DNA, for the files of this folder. */
#ifndef WS_FILTERS_WINDOWS_H
#define WS_FILTERS_WINDOWS_H

#include "bin/filters/cascade.h"

struct ws_cascade_windows {
    ws_long_options options;
    ws_long_columns columns; /* of windows that are read */
    ws_long_cut cut;         /* of records */
    ws_long_target *target;   /* [job->ntarget] */
    ws_long_worker *worker;   /* [nworker] */
    int nworker;
};

extern const ws_cutter ws_cascade_cut_records, ws_cascade_cut_windows;

#endif
