/* SPDX-License-Identifier: MIT
 * Fuzz target: the packed stream. Half of the inputs get right checksums first, so that what lies behind them is
 * reached. */
#include "tests/fuzz/mend.h"
#include "tests/fuzz/parser.h"

const char ws_fuzz_name[] = "packed";

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n < 2) return 0;
    uint8_t *text = fuzz_copy(p + 2, n - 2);
    if (p[0] & 1) fuzz_mend(text, n - 2);
    fuzz_parser(&ws_parser_packed, WS_FORMAT_PACKED, p[0], p[1], text, n - 2);
    free(text);
    return 0;
}
