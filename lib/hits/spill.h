/* SPDX-License-Identifier: MIT
 * Memory that is written once and read at the end. Bytes beyond a limit go to a file without a name. Its pages take the
 * place of the memory, so every address stays valid. */
#ifndef WS_HITS_SPILL_H
#define WS_HITS_SPILL_H

#include "lib/base/mem.h"

/* Zero-initialise, set room, and call ws_spill_release. */
typedef struct ws_spill {
    uint64_t room;    /* bytes that may stay in memory; 0: all may */
    uint64_t bytes;   /* that were taken from memory */
    uint64_t in_file;
    struct ws_spillpart *part; /* newest first */
    int has_file, fd;
} ws_spill;

/* Returns n bytes, which the caller fills before it asks for more and leaves as they are from then on; NULL and a
 * sentence on failure: WS_ENOMEM, or WS_EIO of the file. It is in the folder that TMPDIR names, else in /tmp. */
void *ws_spill_keep(ws_spill *s, size_t n, ws_err *err);
void ws_spill_release(ws_spill *s);

#endif
