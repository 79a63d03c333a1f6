/* SPDX-License-Identifier: MIT
 * One input as a stream of decompressed chunks: a file, a pipe or "-", plain or gzip (recognised by content; several
 * members, BGZF; a cut or damaged member is an error with its byte offset).
 *
 * Chunks come through a small ring. The consumer fills the next chunk itself if none is ready. An idle thread may fill
 * chunks ahead with ws_source_ahead. So reading and inflating overlap with parsing and scoring, and the program needs
 * no thread beyond those the user allowed. All functions but _ahead are for one consumer at a time. */
#ifndef WS_COMPRESS_SOURCE_H
#define WS_COMPRESS_SOURCE_H

#include "lib/base/ws.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ws_source ws_source;

enum { WS_SOURCE_CHUNK = 1 << 18 }; /* bytes: fits L2 together with what is made of it */

/* Opens path ("-" is stdin). *out is NULL on failure. Close with ws_source_close, for which NULL is legal. */
int ws_source_open(ws_source **out, const char *path, ws_err *err);
void ws_source_close(ws_source *s);

/* Returns the name for messages: the path, or "standard input". */
const char *ws_source_name(const ws_source *s);
/* Returns the same for an input that is not open, or not any more: path itself, or a constant. */
const char *ws_source_name_of(const char *path);

/* Returns whether a path is standard input, by any of its names. */
int ws_source_is_stdin(const char *path);
/* Returns 1, after WS_EOF, if this was a pipe that gave no byte, as one does whose writer has failed. */
int ws_source_was_silent(const ws_source *s);

/* Gives the next chunk, valid until the following call: WS_OK, WS_EOF, WS_AGAIN if timeout_ms >= 0 and nothing arrived
 * for so long, or a failure. A failure comes after all data before it was given out, and again on every later call.
 * timeout_ms < 0 waits for ever. */
int ws_source_next(ws_source *s, int timeout_ms, const uint8_t **p, size_t *n, ws_err *err);

/* Fills one chunk ahead if there is room, no other thread does so and input can be read. Returns 1 if it did
 * something. Any thread. Never blocks for input. */
int ws_source_ahead(ws_source *s);

/* Sets the bytes read from the file so far (compressed) and its size (0 if not known): for progress. Any thread. */
void ws_source_progress(const ws_source *s, uint64_t *done, uint64_t *size);

/* Reads the whole input into memory, for operands (alignments, trees): n bytes and a NUL. The caller releases it with
 * ws_free. *text is NULL on failure. The function does not read on where a parser of text will refuse the input, so
 * *text is its beginning then: behind a zero byte, and behind a first character other than white space that is none of
 * `begins` (NULL: any may be). */
int ws_source_slurp(const char *path, const char *begins, char **text, size_t *n, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
