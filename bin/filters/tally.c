/* SPDX-License-Identifier: MIT
 * Counts that processes share: see bin/filters/tally.h. */
#include "bin/filters/tally.h"

#include <sys/mman.h>
#include <unistd.h>

static size_t bytes_of(size_t models) { return sizeof(ws_tally) + models * sizeof(uint64_t[WS_PAST_N]); }

int ws_tally_create(ws_err *err) {
    const int fd = memfd_create("tally", MFD_CLOEXEC);
    if (fd < 0) ws_fail_errno(err, WS_EIO, "cannot make memory for the counts of the filters");
    return fd;
}

/* Each process sets the size, which is the same for all: they have the same models. */
int ws_tally_open(ws_tally **t, int fd, size_t models, ws_err *err) {
    const size_t n = bytes_of(models);
    void *p = ftruncate(fd, (off_t)n) < 0 ? MAP_FAILED : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) return ws_fail_errno(err, WS_EIO, "cannot share the counts of the filters");
    *t = p;
    return WS_OK;
}

void ws_tally_close(ws_tally *t, size_t models) {
    if (t) munmap(t, bytes_of(models));
}
