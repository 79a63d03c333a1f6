/* SPDX-License-Identifier: MIT
 * Progress on a terminal, and the counts, times and speeds of --stats, on stderr or as JSON. */
#include "lib/dev/device.h"
#include "lib/run/backend.h"
#include "lib/run/stream.h"

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

/* 12345678 -> "12.3M" */
static const char *human(char buf[16], double v) {
    const char *unit = "\0KMGTP";
    while (v >= 999.5 && unit[1]) {
        v /= 1000;
        unit++;
    }
    snprintf(buf, 16, v < 9.995 && *unit ? "%.2f%c" : v < 99.95 && *unit ? "%.1f%c" : "%.0f%c", v, *unit);
    return buf;
}

/* A line that overwrites itself, at most five times a second; the last one stays. */
void ws_report_progress(ws_stream *st, int last) {
    const ws_common *c = &st->job->common;
    if (c->quiet || c->no_progress || (!c->progress && !isatty(STDERR_FILENO))) return;
    uint64_t now = ws_now_ns();
    if (!last && now - st->progress_ns < 200000000u) return;
    st->progress_ns = now;
    double seconds = (double)(now - st->start_ns) / 1e9;
    char recs[16], res[16], rate[16], kept[16], share[32] = "";
    uint64_t done, size;
    const ws_seqread_counts n = ws_stream_counts(st);
    ws_stream_progress(st, &done, &size);
    if (size && !last) snprintf(share, sizeof share, ", %.0f%%", 100.0 * (double)done / (double)size);
    fprintf(stderr, "\r\033[K%s: ", st->job->tool->name);
    if (st->reader)
        fprintf(stderr, "%s sequences, %s residues, %s residues/s, %s kept%s", human(recs, (double)n.seqs), human(res, (double)n.residues),
                human(rate, (double)n.residues / (seconds > 0 ? seconds : 1)), human(kept, (double)st->rows), share);
    else
        fprintf(stderr, "%s bytes read, %s rows%s", human(res, (double)done), human(kept, (double)st->rows), share);
    if (last) fprintf(stderr, ", %.1f s, %s\n", seconds, ws_backend_name(st->job));
}

static int has_device(const ws_job *job) { return job->backend && job->backend->start && ws_job_is_open(job); }

/* What was busy or waiting for the largest share of the time it could have been: reading and writing are one thread's at a time,
 * scoring is everybody's, and beside a device, where workers mostly wait, their processor time. */
static const char *what_bound(const ws_stream *st) {
    const ws_dev_times dev = ws_dev_clock();
    const double devices = (double)ws_max((size_t)dev.devices, 1);
    const ws_clock *score = &st->count.score;
    const struct {
        const char *name;
        double busy;
    } part[] = {
        {"input", 1e-9 * (double)st->count.read.wall},
        {"scoring", 1e-9 * (double)(has_device(st->job) ? score->cpu : score->wall) / st->nlane},
        {"output", 1e-9 * (double)st->count.write.wall},
        {"copy", dev.copies / devices},
        {"kernel", dev.kernels / devices},
    };
    size_t most = 0;
    for (size_t i = 1; i < sizeof part / sizeof *part; i++)
        if (part[i].busy > part[most].busy) most = i;
    return part[most].name;
}

static int write_json(ws_stream *st, const ws_stat *s, int n, ws_err *err) {
    ws_buf text = {0};
    int rc = ws_buf_addf(&text, err,
                         "{\n  \"program\": \"%s\",\n  \"version\": \"" WS_VERSION
                         "\",\n  \"backend\": \"%s\",\n  \"device\": \"%s\",\n  \"bound\": \"%s\"",
                         st->job->tool->name, ws_backend_name(st->job), has_device(st->job) ? ws_dev_name() : "none", what_bound(st));
    for (int i = 0; i < n && !rc; i++)
        rc = ws_buf_addf(&text, err, ",\n  \"%s\": %.*f", s[i].name, s[i].real ? 6 : 0, s[i].v);
    if (!rc) rc = ws_buf_adds(&text, "\n}\n", err);
    if (!rc) rc = ws_out_write(&st->stats, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}

enum { STAT_MAX = 32 };

static int sequence_stats(ws_stream *st, ws_stat *s) {
    const ws_seqread_counts n = ws_stream_counts(st);
    const double score = (double)st->count.score.cpu / 1e9;
    const ws_stat own[] = {
        {"sequences", "sequences read", (double)n.seqs, 0},
        {"residues", "residues read", (double)n.residues, 0},
        {"bad_residues", "characters taken as unknown or left out", (double)n.bad_residues, 0},
        {"models", "models", (double)st->job->ntarget, 0},
        {"pairs", "(sequence, model) pairs scored", (double)st->count.pairs, 0},
        {"cells", "cells, M x L over the pairs", (double)st->count.cells, 0},
        {"gcups", "10^9 cells per processor second of scoring", score > 0 ? (double)st->count.cells / 1e9 / score : 0, 1},
    };
    memcpy(s, own, sizeof own);
    return (int)(sizeof own / sizeof *own);
}

enum { NDEVICE = 3 };

static int device_stats(const ws_stream *st, ws_stat *s) {
    const ws_dev_times t = ws_dev_clock();
    const ws_stat own[NDEVICE] = {
        {"device_seconds", "seconds in which kernels ran, summed over devices", t.kernels, 1},
        {"copy_seconds", "seconds in which something was copied to or from a device", t.copies, 1},
        {"device_cells", "of the cells, those that went to a device", (double)st->count.device_cells, 0},
    };
    memcpy(s, own, sizeof own);
    return st->reader ? NDEVICE : NDEVICE - 1; /* a reader of its own counts its own cells */
}

int ws_report_stats(ws_stream *st, ws_err *err) {
    if (!st->job->common.stats) return WS_OK;
    const ws_stat common[] = {
        {"rows", "rows written", (double)st->rows, 0},
        {"threads", "threads", (double)st->nlane, 0},
        {"seconds", "seconds in all", (double)(ws_now_ns() - st->start_ns) / 1e9, 1},
        {"open_seconds", "of these to load and prepare the operands", (double)st->open_ns / 1e9, 1},
        {"read_seconds", "processor seconds reading", (double)st->count.read.cpu / 1e9, 1},
        {"score_seconds", "processor seconds scoring and formatting", (double)st->count.score.cpu / 1e9, 1},
        {"write_seconds", "processor seconds writing", (double)st->count.write.cpu / 1e9, 1},
    };
    enum { NCOMMON = sizeof common / sizeof *common };
    ws_stat s[STAT_MAX + NCOMMON + NDEVICE];
    int n = st->reader ? sequence_stats(st, s) : st->job->tool->reader->stats(st->own_reader, s, STAT_MAX);
    memcpy(s + n, common, sizeof common);
    n += NCOMMON;
    if (has_device(st->job)) n += device_stats(st, s + n);
    if (st->has_stats) return write_json(st, s, n, err);
    fprintf(stderr, "%s " WS_VERSION ", backend %s, bound by %s\n", st->job->tool->name,
            ws_backend_name(st->job), what_bound(st));
    for (int i = 0; i < n; i++) fprintf(stderr, "%18.*f  %s\n", s[i].real ? 3 : 0, s[i].v, s[i].what);
    return WS_OK;
}
