/* SPDX-License-Identifier: MIT
 * Progress on a terminal: a line that overwrites itself while the run goes on, and one that stays at its end. */
#include "lib/run/backend.h"
#include "lib/run/message.h"
#include "lib/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Returns whether the line that moves is this program's. All programs of a chain have the same terminal: the first one
 * to ask has the line until it ends, and then the next. A record lock tells, which ends with its process; where there
 * are no locks each program has the line. */
static int has_the_line(ws_run *run) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (!run->has_line) run->has_line = fcntl(STDERR_FILENO, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
    return run->has_line;
}

void ws_run_progress(ws_run *run, double seconds, char *text, size_t n, double *share) {
    *share = -1;
    if (run->reader->progress) run->reader->progress(run->job, seconds, text, n, share);
    else snprintf(text, n, "done");
}

/* At most five times a second. */
void ws_report_progress(ws_run *run, int last) {
    const ws_job *job = run->job;
    const ws_common *c = &job->common;
    if (c->quiet || c->no_progress || (!c->progress && !isatty(STDERR_FILENO))) return;
    const uint64_t now = ws_now_ns();
    if (!last && now - run->progress_ns < 200000000u) return;
    run->progress_ns = now;
    if (!last && !has_the_line(run)) return;
    const double seconds = (double)(now - run->start_ns) / 1e9;
    char text[256], after[64] = "";
    double share;
    ws_run_progress(run, seconds, text, sizeof text, &share);
    if (last) snprintf(after, sizeof after, ", %.1f s, %s\n", seconds, ws_backend_name(job));
    else if (share >= 0) snprintf(after, sizeof after, ", %.0f%%", 100.0 * share);
    ws_message_text("\r\033[K%s: %s%s", job->tool->name, text, after);
}
