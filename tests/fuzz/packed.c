/* SPDX-License-Identifier: MIT
 * Fuzz target: the packed stream. Half of the inputs get right checksums first, so that what lies behind them is reached. */
#include "lib/io/packfmt.h"
#include "tests/fuzz/parser.h"

const char ws_fuzz_name[] = "packed";

/* Bytes of the body behind a frame, without its checksum; 0: there is none. */
static uint64_t body_of(const pack_frame *f) {
    const uint64_t *v = f->v;
    uint64_t n = 0;
    if (!memcmp(f->magic, PACK_BLOCK, sizeof f->magic)) return pack_front(f) + 4 * v[BLOCK_WORDS] + pack_gap(f);
    if (!memcmp(f->magic, PACK_HEAD, sizeof f->magic) && v[HEAD_VERSION] == PACK_WITH_PAIRS) n = 4 * (v[HEAD_COLUMNS] + 1) + v[HEAD_TEXT];
    if (!memcmp(f->magic, PACK_QUERIES, sizeof f->magic)) n = 16 * v[QUERIES_N] + v[QUERIES_TEXT];
    if (!memcmp(f->magic, PACK_PAIRS, sizeof f->magic)) n = v[PAIRS_TABLE] + v[PAIRS_TEXT];
    return n ? pack_body(n) - sizeof(uint64_t) : 0;
}

/* Walks over frames and bodies as a reader would and puts the checksums right. */
static void mend(uint8_t *p, size_t n) {
    size_t i = 0;
    while (n - i >= PACK_FRAME) {
        pack_frame f;
        memcpy(&f, p + i, sizeof f);
        f.check = pack_frame_check(&f);
        memcpy(p + i, &f, sizeof f);
        i += PACK_FRAME;
        for (int k = 0; k < PACK_NUMBERS; k++)
            if (f.v[k] > n && memcmp(f.magic, PACK_END, sizeof f.magic) != 0) return;
        const uint64_t body = body_of(&f);
        if (!body) continue;
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
