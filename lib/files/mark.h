/* SPDX-License-Identifier: MIT
 * The mark of a file: its place, its size, the time of writing and a hash of a few blocks. Programs that read a file
 * again compare it, since another file may stand there by then. */
#ifndef WS_FILES_MARK_H
#define WS_FILES_MARK_H

#include "lib/base/ws.h"

#include <sys/types.h>
#include <time.h>

typedef struct ws_mark {
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec written;
    uint64_t xxh3; /* of blocks that lie evenly in the file, 64 KB in all */
} ws_mark;

/* Sets *mark to what a file is now. WS_EIO. */
int ws_mark_take(ws_mark *mark, const char *path, ws_err *err);
/* Returns what tells *now apart from what the file was: the end of a sentence, in a text of n bytes; NULL: nothing. */
const char *ws_mark_difference(const ws_mark *was, const ws_mark *now, char *text, size_t n);

#endif
