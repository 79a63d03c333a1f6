/* SPDX-License-Identifier: MIT
 * Where output goes must be a place of its own: opening a file empties it, so an input would be gone before it is read, and of two
 * outputs in one file neither would be whole. */
#include "lib/io/source.h"
#include "lib/run/stream.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    const char *option, *path;
    int fd, there; /* fd: -1 for a file */
    struct stat st;
} place;

enum { PLACES = 16 };
typedef struct places {
    place out[PLACES];
    const char *in[PLACES];
    int nout, nin;
} places;

static place place_of(const char *option, const char *path, int fd) {
    place p = {.option = option, .path = path, .fd = fd};
    p.there = (fd >= 0 ? fstat(fd, &p.st) : stat(path, &p.st)) == 0;
    return p;
}

static const char *name_of(const place *p) {
    return p->fd == STDIN_FILENO    ? ws_source_name_of("-")
           : p->fd == STDOUT_FILENO ? "standard output"
           : p->fd == STDERR_FILENO ? "standard error"
                                    : p->path;
}

static int same_inode(const struct stat *a, const struct stat *b) { return a->st_dev == b->st_dev && a->st_ino == b->st_ino; }

/* The same regular file: terminals, pipes and /dev/null may be shared. */
static int same_file(const place *a, const place *b) {
    return a->there && b->there && S_ISREG(a->st.st_mode) && same_inode(&a->st, &b->st);
}

/* The folder that a file would be made in, and its name there. */
static const char *split(const char *path, struct stat *folder) {
    char text[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash) return stat(".", folder) == 0 ? path : NULL;
    if (snprintf(text, sizeof text, "%.*s/", (int)(slash - path), path) >= (int)sizeof text) return NULL;
    return stat(text, folder) == 0 ? slash + 1 : NULL;
}

static int same_new(const place *a, const place *b) {
    struct stat sa, sb;
    const char *na = split(a->path, &sa), *nb = split(b->path, &sb);
    return na && nb && strcmp(na, nb) == 0 && same_inode(&sa, &sb);
}

/* A descriptor is closed by whoever wrote to it, so two cannot. */
static int same_output(const place *a, const place *b) {
    if (a->fd >= 0 && a->fd == b->fd) return 1;
    return same_file(a, b) || (a->fd < 0 && b->fd < 0 && !a->there && !b->there && same_new(a, b));
}

static int not_read(const places *p, const char *input, ws_err *err) {
    const place in = place_of(NULL, input, strcmp(input, "-") == 0 ? STDIN_FILENO : -1);
    for (int i = 0; i < p->nout; i++)
        if (same_file(&p->out[i], &in))
            return ws_fail(err, WS_EUSAGE, "--%s: %s is also read, and would be lost", p->out[i].option, name_of(&in));
    return WS_OK;
}

/* Every option that takes a FILE: those among the options about input are read, all others written. */
static void add_options(places *p, const ws_opt *o, const void *values) {
    for (; o->name; o++) {
        if (!o->arg || strcmp(o->arg, "FILE") != 0) continue;
        const char *path = *(const char *const *)(const void *)((const char *)values + o->offset);
        if (p->nout == PLACES || p->nin == PLACES) ws_bug("more options for files than expected");
        if (path && *path && o->group == WS_GROUP_INPUT) p->in[p->nin++] = path;
        if (path && *path && o->group != WS_GROUP_INPUT) p->out[p->nout++] = place_of(o->name, path, ws_out_descriptor(path));
    }
}

int ws_places_check(const ws_job *job, ws_err *err) {
    places p = {.nout = 0};
    int rc = WS_OK;
    if (!job->common.output) p.out[p.nout++] = place_of("output", NULL, STDOUT_FILENO);
    add_options(&p, ws_common_opts, &job->common);
    add_options(&p, job->tool->opts, job->own);
    for (int i = 1; i < p.nout; i++)
        for (int j = 0; j < i; j++)
            if (same_output(&p.out[j], &p.out[i]))
                return ws_fail(err, WS_EUSAGE, "--%s: %s is where --%s goes", p.out[i].option, name_of(&p.out[i]), p.out[j].option);
    for (int i = 0; i < p.nin && !rc; i++) rc = not_read(&p, p.in[i], err);
    for (int i = 0; i < job->ninput && !rc; i++) rc = not_read(&p, job->input[i], err);
    for (int i = 0; i < job->cmdline.noperand && !rc; i++) rc = not_read(&p, job->cmdline.operand[i], err);
    return rc || job->ninput > 0 ? rc : not_read(&p, "-", err);
}
