/* SPDX-License-Identifier: MIT
 * Where output goes must be a place of its own: opening a file empties it, so an input would be gone before it is read, and of two
 * outputs in one file neither would be whole. */
#include "lib/run/stream.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    const char *option, *path;
    int standard, there;
    struct stat st;
} place;

static place place_of(const char *option, const char *path, int standard) {
    place p = {.option = option, .path = path ? path : "-"};
    p.standard = strcmp(p.path, "-") == 0;
    p.there = (p.standard ? fstat(standard, &p.st) : stat(p.path, &p.st)) == 0;
    return p;
}

/* The same regular file: terminals, pipes and /dev/null may be shared. */
static int same_file(const place *a, const place *b) {
    return a->there && b->there && S_ISREG(a->st.st_mode) && a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino;
}

/* Standard output is closed by whoever wrote to it, so two cannot. */
static int same_output(const place *a, const place *b) {
    if (a->standard || b->standard) return (a->standard && b->standard) || same_file(a, b);
    return same_file(a, b) || (!a->there && strcmp(a->path, b->path) == 0);
}

static int not_read(const place *out, int n, const char *input, ws_err *err) {
    const place in = place_of(NULL, input, STDIN_FILENO);
    for (int i = 0; i < n; i++)
        if (same_file(&out[i], &in))
            return ws_fail(err, WS_EUSAGE, "%s: %s is also read, and would be lost", out[i].option,
                           in.standard ? "standard input" : input);
    return WS_OK;
}

int ws_places_check(const ws_job *job, ws_err *err) {
    const ws_common *c = &job->common;
    place out[4];
    int n = 0, rc = WS_OK;
    out[n++] = place_of("--output", c->output, STDOUT_FILENO);
    if (c->rejected) out[n++] = place_of("--rejected", c->rejected, STDOUT_FILENO);
    if (job->side_out.emit) out[n++] = place_of(job->side_out.option, job->side_out.path, STDOUT_FILENO);
    if (c->stats && *c->stats) out[n++] = place_of("--stats", c->stats, STDOUT_FILENO);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            if (same_output(&out[j], &out[i]))
                return ws_fail(err, WS_EUSAGE, "%s: %s is where %s goes", out[i].option,
                               out[i].standard ? "standard output" : out[i].path, out[j].option);
    if (job->ninput == 0) rc = not_read(out, n, "-", err);
    for (int i = 0; i < job->ninput && !rc; i++) rc = not_read(out, n, job->input[i], err);
    for (int i = 0; i < job->cmdline.noperand && !rc; i++) rc = not_read(out, n, job->cmdline.operand[i], err);
    return rc;
}
