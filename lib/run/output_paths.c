/* SPDX-License-Identifier: MIT
 * Where output goes must be a file of its own: opening a file empties it, so an input would be gone before it is read,
 * and of two outputs in one file neither would be whole. */
#include "lib/base/mem.h"
#include "lib/compress/source.h"
#include "lib/run/peer.h"
#include "lib/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An output: the file that its path leads to, or the folder and the name of the file that would be made. */
typedef struct output_path {
    const char *option, *path; /* option: of a table, or as it is typed */
    int fd;        /* -1 for a file */
    size_t number; /* in the order of the options */
    mode_t mode;   /* 0: nothing is there */
    dev_t dev;
    ino_t ino;
    char *name;    /* of a new file; NULL: there is one, or no folder for it */
} output_path;

enum { INPUTS = WS_OPT_LIST_MAX + 16 };
typedef struct paths {
    output_path *out;
    const char *in[INPUTS];
    size_t nout, cap;
    int nin;
} paths;

static const char *dashes(const output_path *p) { return *p->option == '-' ? "" : "--"; }

static const char *name_of(const output_path *p) {
    return p->fd == STDIN_FILENO    ? ws_source_name_of("-")
           : p->fd == STDOUT_FILENO ? "standard output"
           : p->fd == STDERR_FILENO ? "standard error"
                                    : p->path;
}

/* Returns the length of the folder in a path, with its slash: the name comes after it. */
static size_t folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Writes to `to` the path of the file that would be made: the end of a chain of symbolic links whose last one leads
 * nowhere. Returns 0 if it is too long. */
static int follow(const char *path, char to[PATH_MAX]) {
    enum { LINKS = 40 }; /* as many as the kernel follows */
    char target[PATH_MAX], next[2 * PATH_MAX];
    if (snprintf(to, PATH_MAX, "%s", path) >= PATH_MAX) return 0;
    for (int i = 0; i < LINKS; i++) {
        const ssize_t n = readlink(to, target, sizeof target - 1);
        if (n < 0) break;
        target[n] = '\0';
        snprintf(next, sizeof next, "%.*s%s", target[0] == '/' ? 0 : (int)folder_of(to), to, target);
        if (snprintf(to, PATH_MAX, "%s", next) >= PATH_MAX) return 0;
    }
    return 1;
}

/* The folder that a file would be made in, and its name there. */
static const char *split(char *path, struct stat *folder) {
    const size_t n = folder_of(path);
    const char *name = path + n;
    if (!n) return stat(".", folder) == 0 ? name : NULL;
    const char kept = path[n];
    path[n] = '\0';
    const int rc = stat(path, folder);
    path[n] = kept;
    return rc == 0 ? name : NULL;
}

/* Finds what is at a path, or where a file would be made. WS_ENOMEM. */
static int look_at(output_path *p, int is_output, ws_err *err) {
    char path[PATH_MAX];
    struct stat st;
    const int found = (p->fd >= 0 ? fstat(p->fd, &st) : stat(p->path, &st)) == 0;
    const char *name = found || p->fd >= 0 || !is_output || !follow(p->path, path) ? NULL : split(path, &st);
    if (!found && !name) return WS_OK;
    p->dev = st.st_dev;
    p->ino = st.st_ino;
    if (found) p->mode = st.st_mode;
    else if (!(p->name = ws_strndup(name, strlen(name), err))) return err->code;
    return WS_OK;
}

/* Returns 0 for a file, 1 for a new one, 2 for what may be shared or not be opened: a terminal, pipe or /dev/null. */
static int kind(const output_path *p) { return p->name ? 1 : S_ISREG(p->mode) ? 0 : 2; }

static int by_place(const void *a, const void *b) {
    const output_path *x = *(const output_path *const *)a, *y = *(const output_path *const *)b;
    if (kind(x) != kind(y)) return kind(x) - kind(y);
    if (x->dev != y->dev) return x->dev < y->dev ? -1 : 1;
    if (x->ino != y->ino) return x->ino < y->ino ? -1 : 1;
    return x->name ? strcmp(x->name, y->name) : 0;
}

static int by_place_and_number(const void *a, const void *b) {
    const output_path *x = *(const output_path *const *)a, *y = *(const output_path *const *)b;
    const int d = by_place(a, b);
    return d ? d : (x->number > y->number) - (x->number < y->number);
}

/* ---- the list ---- */

static int add_output(paths *p, const char *option, const char *path, int fd, ws_err *err) {
    int rc = ws_grow(&p->out, &p->cap, p->nout + 1, sizeof *p->out, err);
    if (rc) return rc;
    p->out[p->nout] = (output_path){.option = option, .path = path, .fd = fd, .number = p->nout};
    return look_at(&p->out[p->nout++], 1, err);
}

/* Every option that takes a FILE: those among the options about input are read, all others written. */
static int add_options(paths *p, ws_opt_group group, const ws_opt *o, const void *values, ws_err *err) {
    int rc = WS_OK;
    for (; o && o->name && !rc; o++) {
        if (o->group != group || !o->arg || strcmp(o->arg, "FILE") != 0) continue;
        const void *value = (const char *)values + o->offset;
        const ws_opt_list *list = o->type == WS_OPT_LIST ? value : NULL;
        for (int i = 0; list && i < list->n && p->nin < INPUTS; i++) p->in[p->nin++] = list->value[i];
        const char *path = list ? NULL : *(const char *const *)value;
        if (p->nin == INPUTS) ws_bug("more options for files than expected");
        if (path && *path && o->group == WS_GROUP_INPUT) p->in[p->nin++] = path;
        if (path && *path && o->group != WS_GROUP_INPUT)
            rc = add_output(p, o->name, path, ws_out_descriptor(path), err);
    }
    return rc;
}

static int add_all(paths *p, const ws_job *job, ws_err *err) {
    int rc = job->common.output ? WS_OK : add_output(p, "output", NULL, STDOUT_FILENO, err);
    for (ws_opt_group g = 0; g < WS_NGROUP && !rc; g++) {
        rc = add_options(p, g, ws_common_opts, &job->common, err);
        if (!rc) rc = add_options(p, g, job->tool->reader->opts, job->reader_opts, err);
        if (!rc) rc = add_options(p, g, job->tool->opts, job->own, err);
    }
    const char *end = job->own_files.p + job->own_files.n;
    for (const char *option = job->own_files.p; option < end && !rc;) {
        const char *path = option + strlen(option) + 1;
        rc = add_output(p, option, path, -1, err);
        option = path + strlen(path) + 1;
    }
    return rc;
}

int ws_job_add_file(ws_job *job, const char *option, const char *path, ws_err *err) {
    const int rc = ws_buf_add(&job->own_files, option, strlen(option) + 1, err);
    return rc ? rc : ws_buf_add(&job->own_files, path, strlen(path) + 1, err);
}

/* ---- the checks ---- */

/* A descriptor that is named must be open for writing now: the next file or pipe of this process may get its number. */
static int is_writable(const output_path *p, ws_err *err) {
    const int flags = p->path && p->fd >= 0 ? fcntl(p->fd, F_GETFL) : O_WRONLY;
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return WS_OK;
    errno = EBADF;
    return ws_fail_errno(err, WS_EIO, "cannot open %s for writing", p->path);
}

static int fail_same(const output_path *a, const output_path *b, ws_err *err) {
    return ws_fail(err, WS_EUSAGE, "%s%s: %s is where %s%s goes", dashes(b), b->option, name_of(b), dashes(a),
                   a->option);
}

int ws_job_share_descriptor(const ws_job *job, int a, int b) { return ws_peer_is_hmmer(job->peer) && a >= 0 && a == b; }

/* Fails if two outputs are one file or one descriptor that they may not share. `sorted` is by place. */
static int are_apart(const paths *p, const ws_job *job, output_path *const *sorted, ws_err *err) {
    for (size_t i = 1; i < p->nout; i++)
        for (size_t j = 0; j < i && p->out[i].fd >= 0; j++)
            if (p->out[i].fd == p->out[j].fd && !ws_job_share_descriptor(job, p->out[i].fd, p->out[j].fd))
                return fail_same(&p->out[j], &p->out[i], err);
    for (size_t i = 1; i < p->nout; i++)
        if (kind(sorted[i]) < 2 && by_place(&sorted[i - 1], &sorted[i]) == 0 &&
            !ws_job_share_descriptor(job, sorted[i - 1]->fd, sorted[i]->fd))
            return fail_same(sorted[i - 1], sorted[i], err);
    return WS_OK;
}

static int look_at_input(output_path *in, const char *input, ws_err *err) {
    *in = (output_path){.path = input, .fd = strcmp(input, "-") == 0 ? STDIN_FILENO : -1};
    return look_at(in, 0, err);
}

/* Fails if an output is an input. `sorted` is by place. */
static int not_read(const paths *p, output_path *const *sorted, const char *input, ws_err *err) {
    output_path in;
    const output_path *key = &in;
    const int rc = look_at_input(&in, input, err);
    if (rc || !S_ISREG(in.mode)) return rc;
    output_path *const *found = bsearch(&key, sorted, p->nout, sizeof *sorted, by_place);
    if (!found) return WS_OK;
    return ws_fail(err, WS_EUSAGE, "%s%s: %s is also read, and would be lost", dashes(*found), (*found)->option,
                   name_of(&in));
}

/* Fails if an output is the pipe or named pipe that the program reads: it would block for ever. */
static int not_own_pipe(const paths *p, const char *input, ws_err *err) {
    output_path in;
    const int rc = look_at_input(&in, input, err);
    for (size_t i = 0; i < p->nout && !rc && S_ISFIFO(in.mode); i++)
        if (p->out[i].path && S_ISFIFO(p->out[i].mode) && p->out[i].dev == in.dev && p->out[i].ino == in.ino)
            return ws_fail(err, WS_EUSAGE, "%s%s: %s is the pipe that is read as %s", dashes(&p->out[i]),
                           p->out[i].option, p->out[i].path, name_of(&in));
    return rc;
}

static int check(const paths *p, const ws_job *job, ws_err *err) {
    int rc = WS_OK;
    output_path **sorted = ws_calloc(p->nout, sizeof *sorted, err);
    if (!sorted) return err->code;
    for (size_t i = 0; i < p->nout; i++) sorted[i] = &p->out[i];
    if (p->nout) qsort(sorted, p->nout, sizeof *sorted, by_place_and_number);
    for (size_t i = 0; i < p->nout && !rc; i++) rc = is_writable(&p->out[i], err);
    if (!rc) rc = are_apart(p, job, sorted, err);
    for (int i = 0; i < p->nin && !rc; i++) rc = not_read(p, sorted, p->in[i], err);
    if (!rc) rc = not_own_pipe(p, "-", err);
    for (int i = 0; i < job->ninput && !rc; i++) rc = not_own_pipe(p, job->input[i], err);
    for (int i = 0; i < job->ninput && !rc; i++) rc = not_read(p, sorted, job->input[i], err);
    for (int i = 0; i < job->cmdline.noperand && !rc; i++) rc = not_read(p, sorted, job->cmdline.operand[i], err);
    if (!rc && job->ninput == 0) rc = not_read(p, sorted, "-", err);
    ws_free(sorted);
    return rc;
}

int ws_output_paths_check(const ws_job *job, ws_err *err) {
    paths p = {.nout = 0};
    int rc = add_all(&p, job, err);
    if (!rc) rc = check(&p, job, err);
    for (size_t i = 0; i < p.nout; i++) ws_free(p.out[i].name);
    ws_free(p.out);
    return rc;
}
