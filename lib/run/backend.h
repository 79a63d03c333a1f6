/* SPDX-License-Identifier: MIT
 * Which backend runs, and what it makes of the targets. */
#ifndef WS_RUN_BACKEND_H
#define WS_RUN_BACKEND_H

#include "lib/run/job.h"

/* Starts the driver beside what else the run opens first, if an option names a backend for devices. */
void ws_backend_wake(const ws_job *job);

/* Sets job->backend and, where the CPU scores beside a device, job->cpu_backend: as --backend says (a failure with the
 * reason if that cannot run here), or for auto the best of the CPU and a device, not open yet. */
int ws_backend_choose(ws_job *job, ws_err *err);

/* Sets the first guesses of a thread's speeds. */
void ws_backend_guess(ws_job *job);

/* Returns the name of the backend that computes or computed: "avx512", "cuda", "cuda+cpu"; "none" of a tool without. */
const char *ws_backend_name(const ws_job *job);

/* Appends the table of --list-backends. */
int ws_backend_list(const ws_tool *tool, const ws_machine *m, ws_buf *out, ws_err *err);

/* Starts job->backend and prepares every target that is made for it, on up to `threads` threads. A failure is the first
 * of them. */
int ws_backend_open(ws_job *job, int threads, ws_err *err);
/* The same for what is to be used from the start, and for the CPU's backend. ws_backend_end releases all and closes
 * devices, also after a failure. */
int ws_backend_begin(ws_job *job, int threads, ws_err *err);
/* Makes room for what backends prepare of the targets, which are new ones after ws_job_drop_targets. WS_ENOMEM. */
int ws_backend_renew(ws_job *job, ws_err *err);
void ws_backend_end(ws_job *job);
/* Begins to close the run's devices, which no later work of the run needs. Does nothing where the process may have
 * other users of devices: a program's has none. */
void ws_backend_retire(const ws_job *job);

/* lib/run/ready.c: job->readiness. End takes NULL. */
int ws_ready_begin(ws_job *job, ws_err *err);
void ws_ready_end(ws_job *job);
/* Prepares all targets that are made for a backend. */
int ws_ready_for(ws_job *job, const ws_backend *backend, int threads, ws_err *err);

#endif
