/* SPDX-License-Identifier: MIT
 * The mark of a file: see lib/files/mark.h. */
#include "lib/files/mark.h"

#include "lib/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* for a hash state that we own */
#include <xxhash.h>

enum { BLOCKS = 16, BLOCK = 4096 };

/* Reads up to n bytes at an offset; fewer at the end of the file. Returns -1 and errno on failure. */
static ssize_t read_at(int fd, void *p, size_t n, off_t at) {
    size_t got = 0;
    while (got < n) {
        const ssize_t more = pread(fd, (char *)p + got, n - got, at + (off_t)got);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return -1;
        if (more == 0) break;
        got += (size_t)more;
    }
    return (ssize_t)got;
}

static int hash(int fd, off_t size, uint64_t *xxh3) {
    XXH3_state_t state;
    char block[BLOCK];
    const off_t last = size > BLOCK ? size - BLOCK : 0;
    (void)XXH3_64bits_reset(&state);
    for (int i = 0; i < BLOCKS; i++) {
        const ssize_t n = read_at(fd, block, BLOCK, last / (BLOCKS - 1) * i + last % (BLOCKS - 1) * i / (BLOCKS - 1));
        if (n < 0) return -1;
        (void)XXH3_64bits_update(&state, block, (size_t)n);
    }
    *xxh3 = XXH3_64bits_digest(&state);
    return 0;
}

int ws_mark_take(ws_mark *mark, const char *path, ws_err *err) {
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ws_fail_errno(err, WS_EIO, "cannot open %s", path);
    int rc = fstat(fd, &st);
    *mark = (ws_mark){0};
    if (!rc) {
        *mark = (ws_mark){.dev = st.st_dev, .ino = st.st_ino, .size = st.st_size, .written = ws_system_written(&st)};
        rc = hash(fd, st.st_size, &mark->xxh3);
    }
    if (rc) (void)ws_fail_errno(err, WS_EIO, "%s: reading failed", path);
    close(fd);
    return rc ? err->code : WS_OK;
}

const char *ws_mark_difference(const ws_mark *was, const ws_mark *now, char *text, size_t n) {
    if (was->dev != now->dev || was->ino != now->ino) return "another file has taken its place";
    if (was->size != now->size) {
        snprintf(text, n, "it had %lld bytes and has %lld", (long long)was->size, (long long)now->size);
        return text;
    }
    if (was->written.tv_sec != now->written.tv_sec || was->written.tv_nsec != now->written.tv_nsec)
        return "it was written to";
    return was->xxh3 != now->xxh3 ? "its bytes are others" : NULL;
}
