/* SPDX-License-Identifier: MIT
 * The policy of batches, as pure functions: how large they become, and how long they wait. lib/run/policy.h has that of
 * a run. Each constant says what it trades. */
#ifndef WS_STREAM_POLICY_H
#define WS_STREAM_POLICY_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds that a batch with records in it waits for more, and if the input comes in drops in all: a slow producer
 * is answered soon, and a fast one is not cut into small batches. */
enum { WS_STREAM_QUIET_MS = 50, WS_STREAM_AGE_MS = 250 };

/* Returns the residues of the next batch of a program whose batches grow, after so many; most: of any batch. */
uint64_t ws_stream_batch(uint64_t read, uint64_t most);

/* Bases that a thread cuts into ORFs at once: what is made of them fits L2. A round has two such jobs for each thread,
 * within bounds: with more of them threads wait less for the slowest one, and memory grows. */
enum { WS_STREAM_CUT = 1 << 16, WS_STREAM_CUTS_LEAST = 2, WS_STREAM_CUTS_MOST = 64 };
/* Bytes of a record in pieces that wait in memory for its other strand; more of them wait in a temporary file. */
enum { WS_STREAM_CUT_HOLD = 1 << 26 };

/* Room that a batch of proteins is likely to need. */
typedef struct ws_stream_room {
    size_t seqs, residues, text; /* text: bytes */
} ws_stream_room;
/* Returns it for a batch of so many residues. */
ws_stream_room ws_stream_expect(uint64_t residues);

#endif
