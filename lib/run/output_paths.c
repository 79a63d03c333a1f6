/* SPDX-License-Identifier: MIT
 * Where output goes must be a file of its own: opening a file empties it, so an input would be gone before it is read,
 * and of two outputs in one file neither would be whole. */
#include "lib/io/source.h"
#include "lib/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct output_path {
    const char *option, *path;
    int fd, found; /* fd: -1 for a file */
    struct stat st;
} output_path;

enum { PATHS = 16, INPUTS = WS_OPT_LIST_MAX + 16 };
typedef struct paths {
    output_path out[PATHS];
    const char *in[INPUTS];
    int nout, nin;
} paths;

static output_path path_of(const char *option, const char *path, int fd) {
    output_path p = {.option = option, .path = path, .fd = fd};
    p.found = (fd >= 0 ? fstat(fd, &p.st) : stat(path, &p.st)) == 0;
    return p;
}

static const char *name_of(const output_path *p) {
    return p->fd == STDIN_FILENO    ? ws_source_name_of("-")
           : p->fd == STDOUT_FILENO ? "standard output"
           : p->fd == STDERR_FILENO ? "standard error"
                                    : p->path;
}

static int same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The same regular file: terminals, pipes and /dev/null may be shared. */
static int same_file(const output_path *a, const output_path *b) {
    return a->found && b->found && S_ISREG(a->st.st_mode) && same_inode(&a->st, &b->st);
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

static int same_new(const output_path *a, const output_path *b) {
    char ta[PATH_MAX], tb[PATH_MAX];
    struct stat sa, sb;
    if (!follow(a->path, ta) || !follow(b->path, tb)) return 0;
    const char *na = split(ta, &sa), *nb = split(tb, &sb);
    return na && nb && strcmp(na, nb) == 0 && same_inode(&sa, &sb);
}

/* An output that has been written is closed, so two cannot share a descriptor. */
static int same_output(const output_path *a, const output_path *b) {
    if (a->fd >= 0 && a->fd == b->fd) return 1;
    return same_file(a, b) || (a->fd < 0 && b->fd < 0 && !a->found && !b->found && same_new(a, b));
}

static int not_read(const paths *p, const char *input, ws_err *err) {
    const output_path in = path_of(NULL, input, strcmp(input, "-") == 0 ? STDIN_FILENO : -1);
    for (int i = 0; i < p->nout; i++)
        if (same_file(&p->out[i], &in))
            return ws_fail(err, WS_EUSAGE, "--%s: %s is also read, and would be lost", p->out[i].option, name_of(&in));
    return WS_OK;
}

/* Fails if an output is the pipe or named pipe that the program reads: it would block for ever. */
static int not_own_pipe(const paths *p, const char *input, ws_err *err) {
    const output_path in = path_of(NULL, input, strcmp(input, "-") == 0 ? STDIN_FILENO : -1);
    for (int i = 0; i < p->nout; i++)
        if (p->out[i].path && p->out[i].found && in.found &&
            S_ISFIFO(in.st.st_mode) && same_inode(&p->out[i].st, &in.st))
            return ws_fail(err, WS_EUSAGE, "--%s: %s is the pipe that is read as %s", p->out[i].option, p->out[i].path,
                           name_of(&in));
    return WS_OK;
}

/* Every option that takes a FILE: those among the options about input are read, all others written. */
static void add_options(paths *p, ws_opt_group group, const ws_opt *o, const void *values) {
    for (; o && o->name; o++) {
        if (o->group != group || !o->arg || strcmp(o->arg, "FILE") != 0) continue;
        const void *value = (const char *)values + o->offset;
        const ws_opt_list *list = o->type == WS_OPT_LIST ? value : NULL;
        for (int i = 0; list && i < list->n && p->nin < INPUTS; i++) p->in[p->nin++] = list->value[i];
        const char *path = list ? NULL : *(const char *const *)value;
        if (p->nout == PATHS || p->nin == INPUTS) ws_bug("more options for files than expected");
        if (path && *path && o->group == WS_GROUP_INPUT) p->in[p->nin++] = path;
        if (path && *path && o->group != WS_GROUP_INPUT)
            p->out[p->nout++] = path_of(o->name, path, ws_out_descriptor(path));
    }
}

/* A descriptor that is named must be open for writing now: the next file or pipe of this process may get its number. */
static int is_writable(const output_path *p, ws_err *err) {
    const int flags = p->path && p->fd >= 0 ? fcntl(p->fd, F_GETFL) : O_WRONLY;
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return WS_OK;
    errno = EBADF;
    return ws_fail_errno(err, WS_EIO, "cannot open %s for writing", p->path);
}

int ws_output_paths_check(const ws_job *job, ws_err *err) {
    paths p = {.nout = 0};
    int rc = WS_OK;
    if (!job->common.output) p.out[p.nout++] = path_of("output", NULL, STDOUT_FILENO);
    for (ws_opt_group g = 0; g < WS_NGROUP; g++) {
        add_options(&p, g, ws_common_opts, &job->common);
        add_options(&p, g, job->tool->reader->opts, job->reader_opts);
        add_options(&p, g, job->tool->opts, job->own);
    }
    for (int i = 0; i < p.nout && !rc; i++) rc = is_writable(&p.out[i], err);
    for (int i = 1; i < p.nout && !rc; i++)
        for (int j = 0; j < i; j++)
            if (same_output(&p.out[j], &p.out[i]))
                return ws_fail(err, WS_EUSAGE, "--%s: %s is where --%s goes", p.out[i].option, name_of(&p.out[i]),
                               p.out[j].option);
    for (int i = 0; i < p.nin && !rc; i++) rc = not_read(&p, p.in[i], err);
    if (!rc) rc = not_own_pipe(&p, "-", err);
    for (int i = 0; i < job->ninput && !rc; i++) rc = not_own_pipe(&p, job->input[i], err);
    for (int i = 0; i < job->ninput && !rc; i++) rc = not_read(&p, job->input[i], err);
    for (int i = 0; i < job->cmdline.noperand && !rc; i++) rc = not_read(&p, job->cmdline.operand[i], err);
    return rc || job->ninput > 0 ? rc : not_read(&p, "-", err);
}
