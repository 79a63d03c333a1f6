/* SPDX-License-Identifier: MIT
 * Fuzz target: HMMER3 binary files. */
#include "tests/fuzz/hmm.h"

const char ws_fuzz_name[] = "hmmbin";

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_err err;
    size_t at = 0;
    char *text = malloc(n + 1);
    FUZZ_CHECK(text != NULL);
    if (n) memcpy(text, p, n);
    text[n] = '\0';
    ws_hmmfile f = {.name = "in", .text = text, .n = n};
    int rc = ws_hmmbin_detect(&f) ? ws_hmmbin_version(&f, &err) : WS_EDATA;
    while (!rc && at < n) {
        const size_t before = at;
        size_t behind = at;
        ws_hmm h = {0}, header = {0};
        const int skimmed = ws_hmmbin_header(&header, &f, &behind, &err);
        rc = ws_hmmbin_read(&h, &f, &at, &err);
        if (!rc) fuzz_forms(&h);
        FUZZ_CHECK(rc || (!skimmed && behind == at && header.M == h.M));
        ws_hmm_release(&header);
        FUZZ_CHECK(rc || (at > before && at <= n));
        ws_hmm_release(&h);
    }
    free(text);
    return 0;
}
