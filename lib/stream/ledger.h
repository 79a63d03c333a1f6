/* SPDX-License-Identifier: MIT
 * The ledger of a stream: what it says of itself, so that a later stage need not guess. Tables say it in "##" lines,
 * packed streams in their heads and end frames. Nothing is ever searched in the text of a line.
 *
 *   ##warpsieve pg=1 prog=msvfilt version=0.2.0 model=globins4(xxh3:0123456789abcdef) args="-P 0.02"
 *   ##end rows=123 in=82814 residues=38677248
 *
 * A stage line names a program that made the stream. The end line counts what the first of them read. A stream whose
 * end says no counts has no known size, and neither has one that lost its end line. */
#ifndef WS_STREAM_LEDGER_H
#define WS_STREAM_LEDGER_H

#include "lib/base/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a stream: how much its first stage read, as its end says. */
typedef enum ws_size_state { WS_SIZE_NO_END, WS_SIZE_UNKNOWN, WS_SIZE_KNOWN } ws_size_state;
typedef struct ws_stream_size {
    ws_size_state state; /* NO_END: there is no end line */
    uint64_t seqs, residues;
} ws_stream_size;

/* Zero-initialise; release at the end. */
typedef struct ws_ledger {
    ws_buf lines;            /* "##" lines of the first table but "##end", each with its newline */
    int nstage;              /* stage lines among them: the next stage is number nstage + 1 */
    int names_models;        /* a stage line names the file of its models ... */
    uint64_t models;         /* ... and this is the hash of that file, of the last line that does */
    int ends;                /* ends that were read, of tables and packed pairs */
    int unknown;             /* a table or packed stream does not say its size */
    uint64_t seqs, residues; /* sums over all inputs; no size if `unknown` */
} ws_ledger;
void ws_ledger_release(ws_ledger *g);

/* Returns whether a "##" line of n bytes, without its line feed, is that of a stage or looks like one. */
int ws_ledger_is_stage(const char *line, size_t n);
/* Returns the number of a stage line, which begins at 1; 0 if it is malformed. */
uint64_t ws_ledger_stage_number(const char *line, size_t n);
/* Appends a "##" line of the first table, n bytes without its line feed. A stage line must be well formed.
 * WS_ENOMEM. */
int ws_ledger_add_line(ws_ledger *g, const char *line, size_t n, ws_err *err);
/* Takes an "##end" line, n bytes without its line feed. Returns whether it is one to its last byte; then sets what it
 * says. size->state: UNKNOWN or KNOWN. */
int ws_ledger_read_end(const char *line, size_t n, uint64_t *rows, ws_stream_size *size);
/* Adds a size to the sums; of any state but KNOWN the sum is unknown from then on. Returns 0, and adds nothing, if a
 * sum would exceed 10^18, which is as much as -Z takes. */
int ws_ledger_add_size(ws_ledger *g, const ws_stream_size *size);
/* Returns the size of all inputs, once they have ended: UNKNOWN or KNOWN. */
ws_stream_size ws_ledger_size(const ws_ledger *g);

/* Appends the line of a stage. model: NAME(xxh3:HASH), or NULL. WS_ENOMEM. */
int ws_ledger_put_stage(ws_buf *out, int number, const char *program, const char *model, const char *args, ws_err *err);
/* Appends the "##end" line of so many rows; nothing for NO_END. WS_ENOMEM. */
int ws_ledger_put_end(ws_buf *out, uint64_t rows, const ws_stream_size *size, ws_err *err);

/* Convert between a size and the two numbers of a packed end frame. A stream of sequences alone writes zeros where its
 * own sequences are its size. */
void ws_ledger_to_frame(const ws_stream_size *size, uint64_t *seqs, uint64_t *residues);
ws_stream_size ws_ledger_from_frame(uint64_t seqs, uint64_t residues);

#ifdef __cplusplus
}
#endif
#endif
