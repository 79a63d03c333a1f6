/* SPDX-License-Identifier: MIT
 * Checked output: see lib/io/out.h. */
#include "lib/io/out.h"

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

int ws_out_open(ws_out *o, const char *path, ws_err *err) {
    if (!path || !strcmp(path, "-")) {
        *o = (ws_out){.fd = STDOUT_FILENO, .name = "standard output"};
        return WS_OK;
    }
    const int named = ws_out_descriptor(path);
    *o = (ws_out){.fd = -1, .name = path};
    do
        o->fd = named < 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : fcntl(named, F_DUPFD_CLOEXEC, 0);
    while (o->fd < 0 && errno == EINTR);
    return o->fd < 0 ? ws_fail_errno(err, WS_EIO, "cannot open %s for writing", path) : WS_OK;
}

static int failure(const ws_out *o, ws_err *err) {
    if (errno == EPIPE) return ws_fail_errno(err, WS_EPIPE, "%s", o->name);
    return ws_fail_errno(err, WS_EIO, "cannot write to %s", o->name);
}

/* Takes back the last n bytes, if they are the end of a regular file. */
static void take_back(const ws_out *o, size_t n) {
    struct stat st;
    const off_t at = lseek(o->fd, 0, SEEK_CUR), from = at - (off_t)n;
    if (!n || at < (off_t)n || fstat(o->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != at) return;
    if (ftruncate(o->fd, from) == 0) (void)lseek(o->fd, from, SEEK_SET);
}

/* errno says why; n bytes of the call were written. */
static int write_failed(ws_out *o, size_t n, ws_err *err) {
    o->failed = failure(o, err);
    take_back(o, n);
    return o->failed;
}

int ws_out_write(ws_out *o, const void *p, size_t n, ws_err *err) {
    const char *at = p;
    if (o->failed) return ws_fail(err, o->failed, "%s: a write failed before", o->name);
    while (n) {
        ssize_t got = write(o->fd, at, n);
        if (got >= 0) {
            at += got;
            n -= (size_t)got;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) { /* a descriptor that somebody made non-blocking */
            struct pollfd pfd = {.fd = o->fd, .events = POLLOUT};
            if (poll(&pfd, 1, -1) < 0 && errno != EINTR) return write_failed(o, (size_t)(at - (const char *)p), err);
        } else if (errno != EINTR) {
            return write_failed(o, (size_t)(at - (const char *)p), err);
        }
    }
    return WS_OK;
}

int ws_out_close(ws_out *o, ws_err *err) {
    int fd = o->fd;
    if (fd < 0) return WS_OK;
    o->fd = -1;
    /* after EINTR the state of the descriptor is unspecified, on Linux it is closed: never again */
    if (close(fd) < 0 && errno != EINTR) return failure(o, err);
    return WS_OK;
}
