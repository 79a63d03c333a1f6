/* SPDX-License-Identifier: MIT
 * Fuzz target: the region formats of pairhmm. Small ones are scored too, with sharing and without: the results must
 * agree. */
#include "kernels/pairhmm/pairhmm.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

const char ws_fuzz_name[] = "pairhmm";

enum { CELLS_MAX = 2000 };

static size_t cells(const ws_pairhmm_text *t) {
    size_t sum = 0;
    for (size_t g = 0; g < t->nregion; g++) {
        const ws_pairhmm_region *r = &t->region[g];
        FUZZ_CHECK(r->read + r->R <= t->nread && r->hap + r->H <= t->nhap);
        FUZZ_CHECK(r->pair + r->R * r->H <= t->npair);
        for (size_t i = 0; i < r->R; i++)
            for (size_t j = 0; j < r->H && sum <= CELLS_MAX; j++)
                sum += 1 + t->read[r->read + i].m * (size_t)t->hap[r->hap + j].n;
    }
    return sum;
}

static void score(const ws_pairhmm_text *t, int share, ws_pairhmm_result *result) {
    ws_err err;
    ws_buf room = {0};
    ws_pairhmm_work *w = NULL;
    ws_pairhmm_counts c = {0};
    ws_pairhmm_conf conf = {.share = share};
    ws_pairhmm_quals_make(&conf.quals);
    FUZZ_CHECK(!ws_pairhmm_work_create(&w, &err));
    FUZZ_CHECK(!ws_pairhmm_score(&conf, &ws_pairhmm_scalar, t, w, &room, result, &c, &err));
    ws_pairhmm_work_destroy(w);
    ws_buf_release(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_pairhmm_text t = {0};
    ws_err err;
    if (n < 1) return 0;
    const ws_pairhmm_origin at = {.name = "in", .line = 1};
    char *text = (char *)fuzz_copy(p + 1, n - 1);
    const int rc = p[0] & 1 ? ws_pairhmm_parse_results(&t, text, n - 1, &at, &err)
                            : ws_pairhmm_parse_batches(&t, text, n - 1, &at, &err);
    FUZZ_CHECK(rc == WS_OK || rc == WS_EDATA);
    if (cells(&t) <= CELLS_MAX && t.npair) {
        ws_pairhmm_result *a = calloc(t.npair, sizeof *a), *b = calloc(t.npair, sizeof *b);
        FUZZ_CHECK(a && b);
        score(&t, 1, a);
        score(&t, 0, b);
        for (size_t i = 0; i < t.npair; i++) {
            FUZZ_CHECK(!isnan(a[i].log10));
            FUZZ_CHECK(a[i].log10 == b[i].log10 && a[i].precision == b[i].precision);
        }
        free(a);
        free(b);
    }
    ws_pairhmm_text_release(&t);
    free(text);
    return 0;
}
