/* SPDX-License-Identifier: MIT
 * Files that appear whole or not at all: see lib/files/whole.h. */
#include "lib/files/whole.h"

#include "lib/base/mem.h"
#include "lib/base/system.h"
#include "lib/files/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies the path at which links end; a link to nowhere, or a new name, stays as it is. */
static char *end_of_links(const char *path, ws_err *err) {
    char real[PATH_MAX];
    const char *end = realpath(path, real) ? real : path;
    return ws_strndup(end, strlen(end), err);
}

/* Sets w->temp to a name in the folder that no other file of this process has. */
static int next_name(ws_whole *w, const char *folder, unsigned n, ws_err *err) {
    char name[PATH_MAX];
    const int length = snprintf(name, sizeof name, "%s/.warpsieve.%ld.%u", folder, (long)getpid(), n);
    if (length >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return ws_fail_errno(err, WS_EIO, "cannot open %s for writing", w->name);
    }
    ws_free(w->temp);
    w->temp = ws_strndup(name, (size_t)length, err);
    return w->temp ? WS_OK : err->code;
}

/* Gives the file its name beside its place: makes it, or names the one that is open. */
static int name_it(ws_whole *w, ws_err *err) {
    enum { TRIES = 10000 };
    char folder[PATH_MAX];
    const char *slash = strrchr(w->path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - w->path) : 1, slash ? w->path : ".");
    if (slash == w->path) snprintf(folder, sizeof folder, "/");
    if (!w->temp && w->fd < 0) w->fd = ws_system_nameless_file(folder);
    if (!w->temp && w->fd >= 0) return next_name(w, folder, 0, err);
    for (unsigned n = 0; n < TRIES; n++) {
        const int rc = next_name(w, folder, n, err);
        if (rc) return rc;
        if (w->fd >= 0) {
            w->named = ws_system_name_file(w->fd, w->temp) == 0;
        } else {
            w->fd = open(w->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            w->named = w->fd >= 0;
        }
        if (w->named) return WS_OK;
        if (errno != EEXIST) break;
    }
    return ws_fail_errno(err, WS_EIO, "cannot open %s for writing", w->name);
}

int ws_whole_open(ws_whole *w, const char *path, ws_err *err) {
    struct stat st;
    *w = (ws_whole){.fd = -1, .name = path, .path = end_of_links(path, err)};
    if (!w->path) return err->code;
    if (stat(w->path, &st) == 0 && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return ws_fail_errno(err, WS_EIO, "cannot open %s for writing", path);
    }
    const int rc = name_it(w, err);
    if (!rc && stat(w->path, &st) == 0) (void)fchmod(w->fd, st.st_mode & 0777);
    return rc;
}

static int failure(ws_whole *w, ws_err *err) {
    return w->failed = ws_fail_errno(err, WS_EIO, "cannot write to %s", w->name);
}

int ws_whole_write(ws_whole *w, const void *p, size_t n, ws_err *err) {
    if (w->failed) return ws_fail(err, w->failed, "%s: a write failed before", w->name);
    if (ws_temp_write(w->fd, p, n) != 0) return failure(w, err);
    w->size += n;
    return WS_OK;
}

int ws_whole_seal(ws_whole *w, ws_err *err) {
    if (fsync(w->fd) != 0 && errno != EINVAL) return failure(w, err);
    const int rc = w->named ? WS_OK : name_it(w, err);
    const int fd = w->fd;
    if (rc) return rc;
    w->fd = -1;
    return close(fd) == 0 || errno == EINTR ? WS_OK : failure(w, err);
}

int ws_whole_place(ws_whole *w, ws_err *err) {
    if (rename(w->temp, w->path) != 0) return failure(w, err);
    w->named = 0;
    return WS_OK;
}

int ws_whole_place_new(ws_whole *w, ws_err *err) {
    if (link(w->temp, w->path) != 0) {
        if (errno != EPERM && errno != ENOTSUP && errno != EOPNOTSUPP) return failure(w, err);
        return ws_whole_place(w, err); /* a file system without links */
    }
    return WS_OK;
}

void ws_whole_release(ws_whole *w) {
    if (w->fd >= 0) close(w->fd);
    if (w->named) (void)unlink(w->temp);
    ws_free(w->path);
    ws_free(w->temp);
    *w = (ws_whole){.fd = -1};
}
