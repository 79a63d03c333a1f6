/* SPDX-License-Identifier: MIT
 * The effective number of sequences: how far the fast estimate of a model's relative entropy is from the exact one,
 * whose sign it must have. Includes the source, because its parts are not to be seen from outside. */
#include "kernels/cast/effective.c"

#include "tests/tap.h"

static uint32_t state = 7;
static double deviate(void) {
    state = state * 69069u + 1u;
    return (double)state / 4294967296.0;
}

/* Sets counts of a random number of residues in each node, from few to many, some nodes without any. */
static void fill(ws_build_counts *c) {
    for (size_t k = 1; k <= (size_t)c->M; k++)
        for (size_t x = 0; x < (size_t)c->abc->K; x++) {
            const double u = deviate();
            c->mat[k * (size_t)c->abc->K + x] = u < 0.6 || k % 17 == 0 ? 0.0f : (float)pow((double)c->nseq, deviate());
        }
}

static void test_estimate(tap *t, ws_abc_type type, ws_build_prior prior, int by_power) {
    const ws_abc *abc = ws_abc_get(type);
    ws_build_settings set;
    ws_builder *b;
    ws_build_counts c;
    ws_err err;
    double worst = 0.0;
    ws_build_settings_default(&set, abc);
    set.prior = prior;
    if (ws_builder_create(&b, &set, &err)) return;
    for (int i = 0; i < 40; i++) {
        const int M = 1 + i * i, nseq = 1 + i * i * i;
        if (ws_build_counts_create(&c, abc, M, nseq, &err)) return;
        fill(&c);
        float *mat = ws_calloc(((size_t)M + 1) * (size_t)abc->K, sizeof *mat, &err);
        const search s = {.b = b, .c = &c, .m = &b->priors.of[WS_BUILD_MATCH], .target = 0.5, .by_power = by_power,
                          .mat = mat};
        for (int j = 0; mat && j < 6; j++) {
            const double x = by_power ? deviate() : (double)nseq * pow(0.5, j);
            const double d = fabs(estimate(&s, x) - exact(&s, x));
            worst = d > worst ? d : worst;
        }
        ws_free(mat);
        ws_build_counts_release(&c);
    }
    ws_builder_destroy(b);
    tap_ok(t, worst < UNSURE / 4, "%s, prior %d%s: the estimate is within %.2g bits", abc->name, prior,
           by_power ? ", by a power" : "", worst);
}

/* A target that is the exact value itself: no sign of the estimate decides. */
static void test_close(tap *t) {
    ws_build_settings set;
    ws_builder *b;
    ws_build_counts c;
    ws_err err;
    int same = 1;
    ws_build_settings_default(&set, ws_abc_get(WS_ABC_AMINO));
    if (ws_builder_create(&b, &set, &err) || ws_build_counts_create(&c, set.abc, 30, 100, &err)) return;
    fill(&c);
    float *mat = ws_calloc(31 * 20, sizeof *mat, &err);
    search s = {.b = b, .c = &c, .m = &b->priors.of[WS_BUILD_MATCH], .mat = mat};
    for (int j = 1; mat && j < 100; j++) {
        s.target = 0.0;
        s.target = exact(&s, j);
        same &= difference(&s, j) == 0.0;
    }
    tap_ok(t, same, "where the difference is 0, it is 0");
    ws_free(mat);
    ws_build_counts_release(&c);
    ws_builder_destroy(b);
}

int main(void) {
    tap t = {0};
    for (int by_power = 0; by_power < 2; by_power++) {
        test_estimate(&t, WS_ABC_AMINO, WS_BUILD_DIRICHLET, by_power);
        test_estimate(&t, WS_ABC_AMINO, WS_BUILD_LAPLACE, by_power);
        test_estimate(&t, WS_ABC_DNA, WS_BUILD_DIRICHLET, by_power);
    }
    test_close(&t);
    return tap_end(&t);
}
