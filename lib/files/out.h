/* SPDX-License-Identifier: MIT
 * Checked output to a file or stdout. Nothing is held back: each call is one or more write(2). A reader that went
 * away is WS_EPIPE, everything else that fails is WS_EIO with a sentence. A failed call takes back the bytes that it
 * has put at the end of a regular file, so that a full disk leaves no cut row. No later call can write there. */
#ifndef WS_FILES_OUT_H
#define WS_FILES_OUT_H

#include "lib/base/ws.h"

#include <sys/stat.h>

typedef struct ws_out {
    int fd;
    const char *name; /* the path as given, or "standard output" */
    int failed;       /* code of the first failed write */
    int full;         /* a file that was there and has not been emptied yet */
    int made;         /* the file was not there */
    int regular;      /* a regular file: a signal waits until a write to it is whole */
} ws_out;

/* Returns the descriptor that a path stands for: standard output for NULL and "-", N for /dev/fd/N, and so on; -1 for a
 * file. */
int ws_out_descriptor(const char *path);
/* Returns whether an output of this path goes nowhere: it is /dev/null, by whatever name, and can be written. */
int ws_out_is_null(const char *path);
/* Returns whether a file is /dev/null. */
int ws_out_is_null_file(const struct stat *st);

/* Opens a file or makes it. The file keeps its content until ws_out_begin or the first write, so that misuse, found
 * later, loses nothing. `path` must stay as long as *o. A path that stands for a descriptor is that very descriptor. So
 * with `2>>log` or in the middle of a file nothing is overwritten, as it would be if /dev/stderr were opened. */
int ws_out_open(ws_out *o, const char *path, ws_err *err);
/* Empties the file, once. */
int ws_out_begin(ws_out *o, ws_err *err);
/* Removes the file if ws_out_open made it and nothing was written. */
void ws_out_abandon(ws_out *o);
/* Returns 1 if both are the same regular file. */
int ws_out_same(const ws_out *a, const ws_out *b);
/* Writes all n bytes. After a failure every further call fails with the same code. */
int ws_out_write(ws_out *o, const void *p, size_t n, ws_err *err);
int ws_out_close(ws_out *o, ws_err *err); /* closes, stdout too: a full disk may only show here */
/* Closes after a failure rc, which it returns and whose sentence stays; rc of WS_OK: as ws_out_close. */
int ws_out_close_keeping(ws_out *o, int rc, ws_err *err);
/* Opens a file, writes all of it and closes it. */
int ws_out_file(const char *path, const void *p, size_t n, ws_err *err);

#endif
