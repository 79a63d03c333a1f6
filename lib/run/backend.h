/* SPDX-License-Identifier: MIT
 * Which backend runs, and what it makes of the targets. */
#ifndef WS_RUN_BACKEND_H
#define WS_RUN_BACKEND_H

#include "lib/run/job.h"

/* Sets job->backend: the one named by --backend (a failure with the reason if it cannot run here), or the best usable that is
 * worth its start; opens its devices. A device's name with "+cpu" behind it
 * sets job->beside too. threads: how many a CPU backend would get. */
int ws_backend_choose(ws_job *job, int threads, ws_err *err);

/* The table of --list-backends. */
int ws_backend_list(const ws_tool *tool, const ws_machine *m, ws_buf *out, ws_err *err);

/* "cuda", "cuda+cpu", "none" of a tool that scores nothing. */
const char *ws_backend_name(const ws_job *job);

/* job->prep[] and beside_prep[] for every target, on up to `threads` threads; ws_backend_release releases it and closes devices. */
int ws_backend_prepare(ws_job *job, int threads, ws_err *err);
void ws_backend_release(ws_job *job);

#endif
