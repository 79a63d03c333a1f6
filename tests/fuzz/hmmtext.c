/* SPDX-License-Identifier: MIT
 * Fuzz target: HMMER3 text files. */
#include "tests/fuzz/hmm.h"

const char ws_fuzz_name[] = "hmmtext";

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_err err;
    size_t *start = NULL, count = 0;
    if (memchr(p, '\0', n)) return 0; /* hmmset.c refuses it */
    char *text = malloc(n + 1);
    FUZZ_CHECK(text != NULL);
    if (n) memcpy(text, p, n);
    text[n] = '\0';
    ws_hmmfile f = {.name = "in", .text = text, .n = n};
    if (!ws_hmmtext_version(&f, &err) && !ws_hmmtext_split(&f, &start, &count, &err)) {
        FUZZ_CHECK(count > 0);
        for (size_t i = 0; i < count; i++) {
            ws_hmm h = {0};
            FUZZ_CHECK(start[i] < n);
            if (!ws_hmmtext_read(&h, &f, start[i], &err)) {
                ws_hmm header = {0};
                fuzz_forms(&h);
                FUZZ_CHECK(!ws_hmmtext_header(&header, &f, start[i], &err) && header.M == h.M);
                ws_hmm_release(&header);
            }
            ws_hmm_release(&h);
        }
    }
    ws_free(start);
    free(text);
    return 0;
}
