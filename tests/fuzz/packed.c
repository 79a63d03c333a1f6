/* SPDX-License-Identifier: MIT
 * Fuzz target: the packed stream. Half of the inputs get right checksums first, so that what lies behind them is reached. */
#include "lib/io/packfmt.h"
#include "tests/fuzz/parser.h"

const char ws_fuzz_name[] = "packed";

/* Walks over frames and bodies as a reader would and puts the checksums right. */
static void mend(uint8_t *p, size_t n) {
    size_t i = 0;
    while (n - i >= PACK_FRAME) {
        pack_frame f;
        memcpy(&f, p + i, sizeof f);
        f.check = pack_frame_check(&f);
        memcpy(p + i, &f, sizeof f);
        i += PACK_FRAME;
        if (memcmp(f.magic, PACK_BLOCK, sizeof f.magic)) continue;
        if (f.v[BLOCK_SEQS] > n || f.v[BLOCK_TEXT] > n || f.v[BLOCK_WORDS] > n) return;
        const uint64_t body = pack_front(&f) + 4 * f.v[BLOCK_WORDS] + pack_gap(&f);
        if (body + sizeof(uint64_t) > n - i) return;
        const uint64_t check = XXH3_64bits(p + i, (size_t)body);
        memcpy(p + i + body, &check, sizeof check);
        i += (size_t)body + sizeof check;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n < 2) return 0;
    uint8_t *text = fuzz_copy(p + 2, n - 2);
    if (p[0] & 1) mend(text, n - 2);
    fuzz_parser(&ws_parser_packed, WS_FORMAT_PACKED, p[0], p[1], text, n - 2);
    free(text);
    return 0;
}
