/* SPDX-License-Identifier: MIT
 * Fuzz target: score matrices of --mxfile, their scale, and the model of a sequence by them. The first byte chooses the
 * alphabet: odd is DNA. */
#include "kernels/cast/build.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

const char ws_fuzz_name[] = "matrix";
const long ws_fuzz_cost = 8;

/* Checks the emissions of a node: probabilities, whose sum is 1. */
static void check_node(const float *e, int K) {
    double sum = 0.0;
    for (int x = 0; x < K; x++) {
        FUZZ_CHECK(e[x] >= 0.0f && e[x] <= 1.0f);
        sum += (double)e[x];
    }
    FUZZ_CHECK(fabs(sum - 1.0) < 1e-5);
}

/* Makes the model of all residues of the alphabet, in its order. Few random sequences calibrate it. */
static void build(const ws_build_matrix *m, ws_err *err) {
    ws_build_settings s;
    ws_builder *b;
    ws_hmm h;
    uint8_t codes[20];
    const ws_build_sequence q = {.name = "q", .codes = codes, .L = (uint32_t)m->abc->K};
    for (int x = 0; x < m->abc->K; x++) codes[x] = (uint8_t)x;
    ws_build_settings_default(&s, m->abc);
    s.matrix = *m;
    for (int f = 0; f < WS_BUILD_NFILTER; f++) s.random[f] = (ws_build_lengths){.length = 20, .n = 10};
    const int rc = ws_builder_create(&b, &s, err);
    FUZZ_CHECK((rc == WS_OK) == (b != NULL) && (rc == WS_OK || (rc == WS_EDATA && strstr(err->text, "lambda"))));
    if (rc) return;
    if (ws_build_from_sequence(b, &q, &h, err) == WS_OK) {
        FUZZ_CHECK(h.M == m->abc->K);
        for (int k = 1; k <= h.M; k++) check_node(h.mat + k * m->abc->K, m->abc->K);
        ws_hmm_release(&h);
    }
    ws_builder_destroy(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    ws_build_matrix m = {0};
    ws_err err = {0};
    if (n < 1) return 0;
    const ws_abc *abc = ws_abc_get(p[0] & 1 ? WS_ABC_DNA : WS_ABC_AMINO);
    char *text = (char *)fuzz_copy(p + 1, n - 1);
    const int rc = ws_build_matrix_parse(&m, abc, "in", text, n - 1, &err);
    FUZZ_CHECK(rc == WS_OK || (rc == WS_EDATA && !strncmp(err.text, "in", 2) && strlen(err.text) > 20));
    if (rc == WS_OK) build(&m, &err);
    free(text);
    return 0;
}
