/* SPDX-License-Identifier: MIT
 * Printing on standard error: see lib/run/message.h. */
#include "lib/run/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* Returns the escape sequence that clears a progress line of another program on this terminal. */
static const char *on_a_line(void) { return isatty(STDERR_FILENO) ? "\r\033[K" : ""; }

void ws_message_error(const char *program, const char *sentence) {
    char text[4 * WS_ERR_MAX];
    /* one write(2): the sentences of a pipeline's parts do not mix */
    fprintf(stderr, "%s%s: %s\n", on_a_line(), program, ws_err_show(text, sentence));
}

void ws_message_usage(const char *program) {
    fprintf(stderr, "%s --help shows what is possible\n", program);
}

void ws_message_note(const ws_job *job, const char *fmt, ...) {
    char text[2 * WS_ERR_MAX], shown[4 * sizeof text];
    va_list args;
    if (job->common.quiet) return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "%s%s: %s\n", on_a_line(), job->tool->name, ws_err_show(shown, text));
}

void ws_message_text(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
}
