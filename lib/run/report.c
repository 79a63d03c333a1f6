/* SPDX-License-Identifier: MIT
 * The clocks of a run; progress on a terminal, a line that overwrites itself and one that stays at the end; and the
 * counts, times and speeds of --stats, on stderr or as JSON. */
#include "lib/base/cpu.h"
#include "lib/base/memory.h"
#include "lib/dev/device.h"
#include "lib/run/backend.h"
#include "lib/run/message.h"
#include "lib/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t clock_ns(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t ws_now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

ws_moment ws_clock_start(void) { return (ws_moment){clock_ns(CLOCK_THREAD_CPUTIME_ID), ws_now_ns()}; }

void ws_clock_stop(ws_clock *c, ws_moment since) {
    c->cpu += clock_ns(CLOCK_THREAD_CPUTIME_ID) - since.cpu;
    c->wall += ws_now_ns() - since.wall;
}

/* ---- progress ---- */

/* Returns whether the line that moves is this program's. All programs of a chain have the same terminal: the first one
 * to ask has the line until it ends, and then the next. A record lock tells, which ends with its process; where there
 * are no locks each program has the line. */
static int has_the_line(ws_run *run) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    if (!run->has_line)
        run->has_line = fcntl(STDERR_FILENO, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
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

/* ---- --stats ---- */

/* Returns the stage that was busy for the largest share of the time it had. Reading and writing run in one thread at a
 * time, scoring in all. With a device, scoring counts by processor time, because workers mostly wait for the device. */
static const char *what_bound(const ws_run *run) {
    const ws_dev_times dev = ws_dev_clock();
    const double devices = (double)ws_max((size_t)dev.devices, 1);
    const ws_clock *work = &run->work;
    const struct {
        const char *name;
        double busy;
    } part[] = {
        {"input", 1e-9 * (double)run->read.wall},
        {"scoring", 1e-9 * (double)(ws_job_has_device(run->job) ? work->cpu : work->wall) / run->job->nworker},
        {"output", 1e-9 * (double)run->write.wall},
        {"copy", dev.copies / devices},
        {"kernel", dev.kernels / devices},
    };
    size_t most = 0;
    for (size_t i = 1; i < sizeof part / sizeof *part; i++)
        if (part[i].busy > part[most].busy) most = i;
    return part[most].name;
}

/* Returns the words for what decided the number of threads. */
static const char *threads_by(const ws_job *job) { return job->common.threads > 0 ? "an option" : ws_cpu_limit(); }

static int write_json(ws_run *run, const ws_stat *s, int n, ws_err *err) {
    ws_buf text = {0};
    int rc = ws_buf_addf(&text, err,
                         "{\n  \"program\": \"%s\",\n  \"version\": \"" WS_VERSION
                         "\",\n  \"backend\": \"%s\",\n  \"device\": \"%s\",\n  \"bound\": \"%s\""
                         ",\n  \"threads_by\": \"%s\",\n  \"memory_by\": \"%s\"",
                         run->job->tool->name, ws_backend_name(run->job),
                         ws_job_has_device(run->job) ? ws_dev_name() : "none", what_bound(run),
                         threads_by(run->job), ws_memory_limit());
    for (int i = 0; i < n && !rc; i++)
        rc = ws_buf_addf(&text, err, ",\n  \"%s\": %.*f", s[i].name, s[i].real ? 6 : 0, s[i].v);
    if (!rc) rc = ws_buf_adds(&text, "\n}\n", err);
    if (!rc) rc = ws_out_write(&run->stats, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}

enum { NDEVICE = 2 };

static int device_stats(ws_stat *s) {
    const ws_dev_times t = ws_dev_clock();
    const ws_stat own[NDEVICE] = {
        {"device_seconds", "seconds in which kernels ran, summed over devices", t.kernels, 1},
        {"copy_seconds", "seconds in which something was copied to or from a device", t.copies, 1},
    };
    memcpy(s, own, sizeof own);
    return NDEVICE;
}

/* Lists the times of a chain's stages, and the speeds of those that are measured. A thread of a device mostly waits, so
 * its seconds are those of the clock. */
static int stage_stats(ws_run *run, ws_stat *s) {
    const ws_speeds *speeds = &run->job->speeds;
    int n = 0;
    for (size_t i = 0; i < run->nstage; i++) {
        ws_stage_clock *c = &run->stage[i];
        const uint64_t ns[] = {c->clock[WS_CHAIN_CPU].cpu, c->clock[WS_CHAIN_DEVICE].wall};
        for (int b = 0; b < WS_CHAIN_KINDS; b++) {
            const ws_chain_kind by = (ws_chain_kind)b;
            const double value[WS_STAGE_STATS] = {
                1e-9 * (double)ns[b], (double)speeds->n[b][c->kind], (double)speeds->cells[b][c->kind],
                speeds->guess[b][c->kind], ws_job_speed(run->job, by, c->kind)};
            const int listed = c->kind != WS_STEP_NONE && value[3] > 0 ? WS_STAGE_STATS : 1;
            for (int k = 0; k < listed && (by == WS_CHAIN_CPU || ns[b]); k++)
                s[n++] = (ws_stat){c->key[b][k], c->what[b][k], value[k], k == 0};
        }
    }
    return n;
}

int ws_report_stats(ws_run *run, ws_err *err) {
    if (!run->job->common.stats) return WS_OK;
    char by[64], may[96];
    snprintf(by, sizeof by, "threads, by %s", threads_by(run->job));
    snprintf(may, sizeof may, "bytes that this process may have, by %s", ws_memory_limit());
    const ws_stat common[] = {
        {"rows", "rows written", (double)run->job->out[0].rows, 0},
        {"threads", by, (double)run->job->nworker, 0},
        {"memory_allowed", may, (double)ws_memory_allowed(), 0},
        {"seconds", "seconds in all", (double)(ws_now_ns() - run->start_ns) / 1e9, 1},
        {"open_seconds", "of these to load and prepare the operands", (double)run->open_ns / 1e9, 1},
        {"read_seconds", "processor seconds reading", (double)run->read.cpu / 1e9, 1},
        {"score_seconds", "processor seconds scoring and formatting", (double)run->work.cpu / 1e9, 1},
        {"write_seconds", "processor seconds writing", (double)run->write.cpu / 1e9, 1},
    };
    enum { NCOMMON = sizeof common / sizeof *common };
    enum { STAGES = 16 };
    if (run->nstage > STAGES) ws_bug("a chain of so many stages");
    ws_stat s[WS_STAT_MAX + NCOMMON + NDEVICE + WS_CHAIN_KINDS * WS_STAGE_STATS * STAGES];
    const int device = ws_job_has_device(run->job);
    int n = run->reader->stats ? run->reader->stats(run->job, (double)run->work.cpu / 1e9, s) : 0;
    memcpy(s + n, common, sizeof common);
    n += NCOMMON;
    n += stage_stats(run, s + n);
    if (device) n += device_stats(s + n);
    if (run->has_stats) return write_json(run, s, n, err);
    ws_message_text("%s " WS_VERSION ", backend %s%s%s, bound by %s\n", run->job->tool->name, ws_backend_name(run->job),
                    device ? " on " : "", device ? ws_dev_name() : "", what_bound(run));
    for (int i = 0; i < n; i++) ws_message_text("%18.*f  %s\n", s[i].real ? 3 : 0, s[i].v, s[i].what);
    return WS_OK;
}
