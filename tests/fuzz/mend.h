/* SPDX-License-Identifier: MIT
 * Right checksums for packed streams that a fuzzer made, so that what lies behind them is reached. */
#ifndef WS_TESTS_FUZZ_MEND_H
#define WS_TESTS_FUZZ_MEND_H

#include "lib/stream/packfmt.h"

#include <string.h>

/* Bytes of the body after a frame, without its checksum; 0: there is none. */
static inline uint64_t fuzz_body_of(const pack_frame *f) {
    const uint64_t *v = f->v;
    uint64_t n = 0;
    if (!memcmp(f->magic, PACK_BLOCK, sizeof f->magic)) return pack_front(f) + 4 * v[BLOCK_WORDS] + pack_gap(f);
    if (!memcmp(f->magic, PACK_HEAD, sizeof f->magic) && v[HEAD_VERSION] == PACK_WITH_PAIRS)
        n = 4 * (v[HEAD_COLUMNS] + 1) + v[HEAD_TEXT];
    if (!memcmp(f->magic, PACK_QUERIES, sizeof f->magic)) n = 16 * v[QUERIES_N] + v[QUERIES_TEXT];
    if (!memcmp(f->magic, PACK_PAIRS, sizeof f->magic)) n = v[PAIRS_TABLE] + v[PAIRS_TEXT];
    return n ? pack_body(n) - sizeof(uint64_t) : 0;
}

/* Walks over frames and bodies as a reader would and puts the checksums right. */
static inline void fuzz_mend(uint8_t *p, size_t n) {
    size_t i = 0;
    while (n - i >= PACK_FRAME) {
        pack_frame f;
        memcpy(&f, p + i, sizeof f);
        f.check = pack_frame_check(&f);
        memcpy(p + i, &f, sizeof f);
        i += PACK_FRAME;
        for (int k = 0; k < PACK_NUMBERS; k++)
            if (f.v[k] > n && memcmp(f.magic, PACK_END, sizeof f.magic) != 0) return;
        const uint64_t body = fuzz_body_of(&f);
        if (!body) continue;
        if (body + sizeof(uint64_t) > n - i) return;
        const uint64_t check = XXH3_64bits(p + i, (size_t)body);
        memcpy(p + i + body, &check, sizeof check);
        i += (size_t)body + sizeof check;
    }
}

#endif
