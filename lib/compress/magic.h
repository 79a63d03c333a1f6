/* SPDX-License-Identifier: MIT
 * Recognises files by their first bytes: gzip and zstd, which lib/compress undoes, and others, for messages: other
 * compressions, and what comes in the place of data by mistake, such as the page of a failed download.
 * Also the mark that editors and spreadsheets put before a text. */
#ifndef WS_COMPRESS_MAGIC_H
#define WS_COMPRESS_MAGIC_H

#include "lib/base/ws.h"

typedef struct ws_magic {
    const char *bytes; /* '?' stands for any, '~' for 0x50 to 0x5f */
    size_t n;
    const char *name; /* "xz"; NULL: not compressed, text follows */
    /* the command that writes what a file holds, the file's name goes after it; NULL: every build undoes it; "": none,
     * it holds nothing that a program here reads. A build with libzstd undoes zstd too */
    const char *undo;
    const char *undo_pipe; /* the same for standard input */
} ws_magic;

/* The longest of the marks: where so many bytes are there, *more is 0. */
enum { WS_MAGIC_MAX = 10 };

/* Returns the one that p[0..n) begins with; NULL if it is none of them. *more: it may still turn out to be one with
 * further bytes. */
const ws_magic *ws_magic_find(const uint8_t *p, size_t n, int *more);

#endif
