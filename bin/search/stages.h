/* SPDX-License-Identifier: MIT
 * Programs that run side by side, each reading what the one before writes. */
#ifndef WS_SEARCH_STAGES_H
#define WS_SEARCH_STAGES_H

#include "lib/base/mem.h"
#include "lib/run/tool.h"

enum { WS_STAGES_MAX = 4 };

/* A program and its arguments, each text its own memory. Zero-initialise. */
typedef struct ws_stage_args {
    char **arg; /* arg[0]: the program; NULL behind the last */
    size_t n, cap;
} ws_stage_args;

/* Appends an argument. This and what follows can fail with WS_ENOMEM alone. */
int ws_stage_add(ws_stage_args *s, const char *text, ws_err *err);
/* Appends an option and its value, whole and exact. */
int ws_stage_add_real(ws_stage_args *s, const char *option, double v, ws_err *err);
int ws_stage_add_text(ws_stage_args *s, const char *option, const char *v, ws_err *err);
void ws_stage_release(ws_stage_args *s);

/* Runs the n tools in child processes of this one and waits for all. The caller has no other threads and has not used CUDA, which does
 * not outlive a fork. The first tool reads our standard input, the last writes to our standard output. They print no sentence of
 * their own when they fail: that of the first one that failed of its own account becomes ours, behind its name, with WS_EUSAGE for misuse
 * and else WS_EDATA. WS_EPIPE: the reader of standard output went away. */
int ws_stages_run(const ws_tool *const *tool, const ws_stage_args *stage, size_t n, ws_err *err);

#endif
