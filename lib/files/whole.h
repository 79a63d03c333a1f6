/* SPDX-License-Identifier: MIT
 * Files that appear whole or not at all: each is written beside the one that it replaces, without a name where the
 * folder has such files, and takes the place when all is on disk. However the process ends, no name leads to a part. */
#ifndef WS_FILES_WHOLE_H
#define WS_FILES_WHOLE_H

#include "lib/base/ws.h"

typedef struct ws_whole {
    int fd;
    char *path;  /* of the file to be, where links to it end */
    char *temp;  /* its name until then */
    int named;   /* that name exists */
    const char *name; /* for messages */
    uint64_t size;
    int failed;
} ws_whole;

/* Begins a file. The one that it will replace lends it its mode. `path` must stay as long as *w. WS_EIO, WS_ENOMEM;
 * after a failure, too, the caller calls ws_whole_release. */
int ws_whole_open(ws_whole *w, const char *path, ws_err *err);
int ws_whole_write(ws_whole *w, const void *p, size_t n, ws_err *err);
/* Writes all to disk and closes. Then only a renaming is left to do. */
int ws_whole_seal(ws_whole *w, ws_err *err);
/* Gives a sealed file its name, in place of a file that has it. */
int ws_whole_place(ws_whole *w, ws_err *err);
/* Does the same where no file has the name; WS_EIO if one has. */
int ws_whole_place_new(ws_whole *w, ws_err *err);
/* Frees *w, and removes a file that was not placed. */
void ws_whole_release(ws_whole *w);

#endif
