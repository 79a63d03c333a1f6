/* SPDX-License-Identifier: MIT
 * Messages on standard error. Only this module prints. */
#ifndef WS_RUN_MESSAGE_H
#define WS_RUN_MESSAGE_H

#include "lib/run/job.h"

/* Prints "PROGRAM: sentence" in one write(2); bytes that are no text as \xHH, because file names may hold any. */
void ws_message_error(const char *program, const char *sentence);
/* Prints where the options are explained. */
void ws_message_usage(const char *program);
/* Prints a note, unless --quiet was given. */
void ws_message_note(const ws_job *job, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints text as it is: progress and statistics. */
void ws_message_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
