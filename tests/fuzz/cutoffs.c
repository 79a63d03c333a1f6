/* SPDX-License-Identifier: MIT
 * Fuzz target: tables of cutoffs, and that each of their rows is found by its name. */
#include "lib/hits/cutoffs.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

const char ws_fuzz_name[] = "cutoffs";

/* Checks the cells of a row: E-values are above 0, shares from 0 to 1. */
static void check(const ws_cutoff_row *r) {
    for (int k = 0; k < WS_CUTOFF_CELLS; k++) {
        const double v = r->cell[k];
        if (isnan(v)) continue;
        FUZZ_CHECK(isfinite(v));
        if (k == WS_CUTOFF_EVALUE || k == WS_CUTOFF_I_EVALUE) FUZZ_CHECK(v > 0);
        if (k == WS_CUTOFF_HMM_COV || k == WS_CUTOFF_TARGET_COV) FUZZ_CHECK(v >= 0 && v <= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_cutoffs c;
    ws_err err = {0};
    char *text = ws_calloc(n + 1, 1, &err);
    FUZZ_CHECK(text != NULL);
    if (n) memcpy(text, p, n);
    const int rc = ws_cutoffs_parse(&c, "in", text, n, &err);
    FUZZ_CHECK(rc == WS_OK || (rc == WS_EDATA && !strncmp(err.text, "in", 2) && strlen(err.text) > 20));
    for (size_t i = 0; i < c.n && rc == WS_OK; i++) {
        FUZZ_CHECK(ws_cutoffs_find(&c, c.row[i].model, &err) == &c.row[i]);
        check(&c.row[i]);
    }
    if (rc == WS_OK) {
        const ws_cutoff_row *r = ws_cutoffs_find(&c, "no such model", &err);
        FUZZ_CHECK(r == (c.other.model ? &c.other : NULL));
    }
    ws_cutoffs_release(&c);
    return 0;
}
