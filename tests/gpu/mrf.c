/* SPDX-License-Identifier: MIT
 * mrfseg's "cuda" backend against the vector units of the host: labels, classes, sums, sweeps and falls of random
 * volumes whose rows end around words, warps and blocks; all neighbourhoods, both rules, up to 64 classes, codes of 16
 * bits; a third of them with masks.
 *
 *   mrf [-m MOST]     MOST: leave out rows that are longer, below 300 also four of five volumes (the sanitizer takes
 * 0.4 s for each)
 *
 * Without a device all is skipped, with WARPSIEVE_REQUIRE_GPU=1 all fails. */
#include "kernels/mrf/mrf.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

static const size_t widths[] = {1,  2,  3,  6,  7,  8,  9,   15,  16,  17,  31,  32,  33,
                                34, 62, 63, 64, 65, 66, 127, 128, 129, 200, 513, 1030};
static const int classes[] = {1, 2, 3, 4, 5, 8, 13, 64};
static const int neighbourhoods[] = {6, 18, 26};
static const int32_t betas[] = {32768, 0, 98304, -20000, 9633, 6553600};
enum { NWIDTH = sizeof widths / sizeof *widths, NCLASS = sizeof classes / sizeof *classes };

/* Returns a mask of the voxels of v by lot, a run of up to 40 at a time. The caller releases it with ws_free. */
static uint8_t *make_mask(ws_mrf_volume *v, sample *r) {
    ws_err err = {0};
    uint8_t *in = ws_calloc(v->n, 1, &err);
    sample_must(in ? WS_OK : WS_ENOMEM, &err);
    const int share = 1 + sample_below(r, 99), run = 1 + sample_below(r, 40);
    for (size_t i = 0; i < v->n;) {
        const int inside = sample_below(r, 100) < share;
        for (int k = 1 + sample_below(r, run); k > 0 && i < v->n; k--) in[i++] = (uint8_t)inside;
    }
    in[v->n / 2] = 1;
    ws_mrf_volume_mask(v, in);
    return in;
}

/* Returns the mask, or NULL. */
static uint8_t *fill(ws_mrf_volume *v, sample *r, size_t X, size_t Y, size_t Z, int K, int range, int masked) {
    ws_err err = {0};
    uint16_t *q = ws_calloc(X, sizeof *q, &err);
    sample_must(q ? ws_mrf_volume_shape(v, X, Y, Z, &err) : WS_ENOMEM, &err);
    uint8_t *mask = masked ? make_mask(v, r) : NULL;
    const size_t size = 1 + (size_t)sample_below(r, 9);
    for (size_t row = 0; row < Y * Z; row++) {
        for (size_t x = 0; x < X; x++) {
            const int kind = (int)((x / size * 7 + row % Y / size * 5 + row / Y / size * 3) % (size_t)K);
            q[x] = (uint16_t)((int64_t)(range - 1) * (kind * 64 + sample_below(r, 128)) / (K * 64 + 64));
        }
        ws_mrf_volume_put(v, row % Y, row / Y, q);
    }
    v->top = (uint32_t)range - 1;
    ws_free(q);
    return mask;
}

static ws_mrf_conf conf_of(sample *r, int k, int K) {
    const ws_mrf_conf conf = {.K = K,
                              .neighbours = neighbourhoods[k % 3],
                              .rule = k / 3 % 2 ? WS_MRF_RANDOM : WS_MRF_ICM,
                              .fixed = k % 5 == 4,
                              .in = betas[sample_below(r, 6)],
                              .out = k % 4 ? 0 : -betas[sample_below(r, 6)],
                              .xi = k % 7 == 6 ? sample_below(r, 200000) : 0,
                              .seed = (uint64_t)sample_below(r, 1 << 30) << sample_below(r, 34),
                              .sweeps = (uint64_t)(k % 6 == 5 ? 70 : 1 + sample_below(r, 9)),
                              .eps = k % 2 ? 0 : 1e-3};
    return conf;
}

static int same(const ws_mrf_result *a, const ws_mrf_result *b, int K) {
    return a->sweeps == b->sweeps && a->changed == b->changed && a->fall == b->fall &&
           !memcmp(a->gauss, b->gauss, (size_t)K * sizeof *a->gauss) &&
           !memcmp(a->sums, b->sums, (size_t)K * sizeof *a->sums);
}

/* Both backends from the histogram's classes; returns whether they agree, and adds the labels that changed. */
static int agree(const ws_mrf_body *host, const ws_mrf_conf *conf, ws_mrf_volume *v, uint64_t *changed) {
    ws_mrf_work work = {0};
    ws_mrf_result want, got;
    ws_err err = {0};
    uint8_t *label = ws_calloc(v->places, 1, &err);
    sample_must(label ? ws_mrf_segment(conf, host, v, 0, 1, &work, &want, &err) : WS_ENOMEM, &err);
    memcpy(label, v->label, v->places);
    sample_must(ws_mrf_segment(conf, &ws_mrf_cuda, v, 0, 1, &work, &got, &err), &err);
    const int good = same(&want, &got, conf->K) && !memcmp(label, v->label, v->places);
    *changed += want.changed;
    ws_free(label);
    ws_mrf_work_release(&work);
    return good;
}

/* Compares volume 0, step, 2 step ... of 48; a step without a common divisor with 2 and 3 meets all neighbourhoods,
 * rules and classes. */
static void test_width(tap *t, const ws_mrf_body *host, sample *r, size_t X, int step) {
    int differ = 0, n = 0;
    uint64_t changed = 0;
    for (int k = 0; k < 48; k += step, n++) {
        const int K = classes[k % NCLASS], range = k % 3 == 2 ? WS_MRF_CODES : 2 + sample_below(r, 4000);
        ws_mrf_volume v = {0};
        uint8_t *mask = fill(&v, r, X, 1 + (size_t)sample_below(r, 9), 1 + (size_t)sample_below(r, 9), K, range,
                             k / 2 % 3 == 2);
        const ws_mrf_conf conf = conf_of(r, k, K);
        if (!agree(host, &conf, &v, &changed)) {
            differ++;
            tap_note("%zu x %zu x %zu, %d classes, %d neighbours, rule %d, range %d, %zu voxels inside", v.X, v.Y, v.Z,
                     K, conf.neighbours, conf.rule, range, v.inside);
        }
        ws_mrf_volume_release(&v);
        ws_free(mask);
    }
    tap_ok(t, differ == 0, "rows of %zu: %d volumes as on the host, %llu labels changed", X, n,
           (unsigned long long)changed);
}

/* Several rounds of every block, sums of many warps, and copies in pieces. */
static void test_large(tap *t, const ws_mrf_body *host, sample *r, int masked) {
    ws_mrf_volume v = {0};
    uint64_t changed = 0;
    int differ = 0;
    uint8_t *mask = fill(&v, r, 300, 260, 120, 4, 4000, masked);
    for (int k = 0; k < 6; k++) {
        ws_mrf_conf conf = {.K = 4, .neighbours = neighbourhoods[k % 3], .rule = k / 3 ? WS_MRF_RANDOM : WS_MRF_ICM,
                            .in = 40000, .seed = 42, .sweeps = 5, .eps = 1e-4};
        differ += !agree(host, &conf, &v, &changed);
    }
    ws_mrf_volume_release(&v);
    ws_free(mask);
    tap_ok(t, differ == 0, "9 million voxels%s: as on the host, %llu labels changed", masked ? " with a mask" : "",
           (unsigned long long)changed);
}

int main(int argc, char **argv) {
    static const ws_mrf_body *const hosts[] = {WS_BY_WIDTH(ws_mrf_)};
    tap t = {0};
    sample r = {20080607};
    ws_err err = {0};
    ws_cpu cpu;
    const char *why = NULL, *require = getenv("WARPSIEVE_REQUIRE_GPU");
    const size_t most = argc > 2 ? (size_t)atoi(argv[2]) : 1 << 20;
    ws_cpu_probe(&cpu);
    const ws_mrf_body *host = hosts[ws_cpu_best(&cpu)];
    if (!ws_dev_usable(NULL, &why)) {
        if (require && !strcmp(require, "1")) tap_ok(&t, 0, "a device: %s", why);
        else tap_skip(&t, "mrfseg on a device", why);
        return tap_end(&t);
    }
    sample_must(ws_dev_start(NULL, 0, &err), &err);
    for (int k = 0; k < NWIDTH; k++)
        if (widths[k] <= most) test_width(&t, host, &r, widths[k], most < 300 ? 5 : 1);
    for (int masked = 0; masked < 2 && most >= 300; masked++) test_large(&t, host, &r, masked);
    ws_dev_stop();
    return tap_end(&t);
}
