/* SPDX-License-Identifier: MIT
 * The policy of batches: see lib/stream/policy.h. */
#include "lib/stream/policy.h"

uint64_t ws_stream_batch(uint64_t read, uint64_t most) {
    /* An eighth of what was read, within bounds. Each page that a process touches costs as much as SSV of some 500
     * residues. One model x E. coli touches 520 pages with 128 K residues in a batch, 1,450 with a million. */
    enum { LEAST = 128 << 10, SHARE = 8 };
    const uint64_t share = read / SHARE > LEAST ? read / SHARE : LEAST;
    return share < most ? share : most;
}

ws_stream_room ws_stream_expect(uint64_t residues) {
    /* Growing step by step touches each page twice; room alone touches none. More than MOST would reserve much that
     * short inputs never need. */
    enum { OF_PROTEIN = 256, OF_BYTE = 3, MOST = 1 << 20 };
    const size_t n = residues < MOST ? (size_t)residues : MOST;
    return (ws_stream_room){n / OF_PROTEIN, n, n / OF_BYTE};
}
