/* SPDX-License-Identifier: MIT
 * Temporary files: see lib/files/temp.h. */
#include "lib/files/temp.h"

#include "lib/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *ws_temp_folder(void) {
    const char *dir = getenv("TMPDIR");
    return dir && *dir ? dir : "/tmp";
}

int ws_temp_open_in(const char *folder) {
    char path[PATH_MAX];
    int fd = ws_system_unnamed_file(folder);
    if (fd >= 0) return fd; /* some file systems have no such files */
    const int n = snprintf(path, sizeof path, "%s/warpsieve.XXXXXX", folder);
    if (n >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}

int ws_temp_open(void) { return ws_temp_open_in(ws_temp_folder()); }

int ws_temp_write(int fd, const char *p, size_t n) {
    for (size_t at = 0; at < n;) {
        const ssize_t put = write(fd, p + at, n - at);
        if (put < 0 && errno != EINTR && errno != EAGAIN) return -1;
        at += put > 0 ? (size_t)put : 0;
    }
    return 0;
}
