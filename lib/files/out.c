/* SPDX-License-Identifier: MIT
 * Checked output: see lib/files/out.h. */
#include "lib/files/out.h"

#include "lib/files/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ws_out_descriptor(const char *path) {
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!path || !strcmp(path, "-") || !strcmp(path, "/dev/stdout")) return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr")) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        const size_t n = strlen(folder[i]);
        char *end;
        if (strncmp(path, folder[i], n) != 0 || path[n] < '0' || path[n] > '9') continue;
        const long fd = strtol(path + n, &end, 10);
        if (!*end && fd <= INT_MAX) return (int)fd;
    }
    return -1;
}

int ws_out_is_null_file(const struct stat *st) {
    struct stat null;
    return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 && st->st_rdev == null.st_rdev;
}

static int is_null_at(int fd) {
    struct stat st;
    const int flags = fcntl(fd, F_GETFL); /* what stands for a descriptor that was closed can be read only */
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(fd, &st) == 0 && ws_out_is_null_file(&st);
}

int ws_out_is_null(const char *path) {
    struct stat st;
    const int fd = ws_out_descriptor(path);
    return fd >= 0 ? is_null_at(fd) : stat(path, &st) == 0 && ws_out_is_null_file(&st);
}

static int is_regular(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int ws_out_open(ws_out *o, const char *path, ws_err *err) {
    if (!path || !strcmp(path, "-")) {
        *o = (ws_out){.fd = STDOUT_FILENO, .name = "standard output", .regular = is_regular(STDOUT_FILENO)};
        return WS_OK;
    }
    const int named = ws_out_descriptor(path);
    *o = (ws_out){.fd = -1, .name = path};
    do {
        o->fd = named < 0 ? open(path, O_WRONLY | O_CLOEXEC) : fcntl(named, F_DUPFD_CLOEXEC, 0);
        o->made = named < 0 && o->fd < 0 && errno == ENOENT;
        if (o->made) o->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    } while (o->fd < 0 && errno == EINTR);
    if (o->fd < 0) return ws_fail_errno(err, WS_EIO, "cannot open %s for writing", path);
    o->regular = is_regular(o->fd);
    o->full = named < 0 && o->regular && !o->made;
    return WS_OK;
}

int ws_out_begin(ws_out *o, ws_err *err) {
    if (!o->full) return WS_OK;
    o->full = 0;
    if (ftruncate(o->fd, 0) < 0) o->failed = ws_fail_errno(err, WS_EIO, "cannot empty %s", o->name);
    return o->failed;
}

void ws_out_abandon(ws_out *o) {
    char path[PATH_MAX]; /* where the name leads, if that was a link to nowhere; `there` may be another file by now */
    struct stat made, there;
    if (!o->made || fstat(o->fd, &made) < 0 || made.st_size > 0 || !realpath(o->name, path) || lstat(path, &there) < 0)
        return;
    if (made.st_dev == there.st_dev && made.st_ino == there.st_ino) (void)unlink(path);
}

int ws_out_same(const ws_out *a, const ws_out *b) {
    struct stat s, t;
    if (!a->regular || !b->regular || fstat(a->fd, &s) < 0 || fstat(b->fd, &t) < 0) return 0;
    return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

static int failure(const ws_out *o, ws_err *err) {
    if (errno == EPIPE) return ws_fail_errno(err, WS_EPIPE, "%s", o->name);
    return ws_fail_errno(err, WS_EIO, "cannot write to %s", o->name);
}

/* Takes back the last n bytes, if they are the end of a regular file. */
static void undo_partial_write(const ws_out *o, size_t n) {
    struct stat st;
    const off_t at = lseek(o->fd, 0, SEEK_CUR), from = at - (off_t)n;
    if (!n || at < (off_t)n || fstat(o->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != at) return;
    if (ftruncate(o->fd, from) == 0) (void)lseek(o->fd, from, SEEK_SET);
}

/* Fails with the reason in errno. n bytes of the call were written. */
static int write_failed(ws_out *o, size_t n, ws_err *err) {
    o->failed = failure(o, err);
    undo_partial_write(o, n);
    return o->failed;
}

static int write_all(ws_out *o, const void *p, size_t n, ws_err *err) {
    const char *at = p;
    while (n) {
        ssize_t got = write(o->fd, at, n);
        if (got >= 0) {
            at += got;
            n -= (size_t)got;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) { /* another process made the descriptor non-blocking */
            struct pollfd pfd = {.fd = o->fd, .events = POLLOUT};
            if (poll(&pfd, 1, -1) < 0 && errno != EINTR) return write_failed(o, (size_t)(at - (const char *)p), err);
        } else if (errno != EINTR) {
            return write_failed(o, (size_t)(at - (const char *)p), err);
        }
    }
    return WS_OK;
}

int ws_out_write(ws_out *o, const void *p, size_t n, ws_err *err) {
    if (o->failed) return ws_fail(err, o->failed, "%s: a write failed before", o->name);
    int rc = ws_out_begin(o, err);
    if (rc) return rc;
    if (o->regular) ws_interrupt_hold();
    rc = write_all(o, p, n, err);
    if (o->regular) ws_interrupt_release();
    return rc;
}

int ws_out_close(ws_out *o, ws_err *err) {
    int fd = o->fd;
    if (fd < 0) return WS_OK;
    o->fd = -1;
    /* after EINTR the state of the descriptor is unspecified, on Linux it is closed: never again */
    if (close(fd) < 0 && errno != EINTR) return failure(o, err);
    return WS_OK;
}

int ws_out_close_keeping(ws_out *o, int rc, ws_err *err) {
    ws_err ignored;
    const int rc2 = ws_out_close(o, rc ? &ignored : err);
    return rc ? rc : rc2;
}

int ws_out_file(const char *path, const void *p, size_t n, ws_err *err) {
    ws_out out;
    int rc = ws_out_open(&out, path, err);
    if (rc) return rc;
    rc = ws_out_write(&out, p, n, err);
    return ws_out_close_keeping(&out, rc, err);
}
