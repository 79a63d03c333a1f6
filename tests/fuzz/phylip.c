/* SPDX-License-Identifier: MIT
 * Fuzz target: reference alignments, PHYLIP in its forms and FASTA. */
#include "kernels/papara/papara.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

const char ws_fuzz_name[] = "phylip";

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_papara_msa m;
    ws_err err = {0};
    char *text = malloc(n + 1);
    FUZZ_CHECK(text != NULL);
    if (n) memcpy(text, p, n);
    text[n] = '\0';
    const int rc = ws_papara_msa_parse(&m, "in", text, n, &err);
    FUZZ_CHECK(rc == WS_OK || rc == WS_EDATA); /* no memory that the file's size does not justify */
    if (!rc) {
        FUZZ_CHECK(m.n > 0 && m.sites > 0 && m.n * m.sites <= n);
        for (size_t r = 0; r < m.n; r++) FUZZ_CHECK(m.row[r].site[m.sites] == '\0' && m.row[r].name);
        (void)ws_papara_msa_is_protein(&m);
        ws_papara_msa_release(&m);
    }
    free(text);
    return 0;
}
