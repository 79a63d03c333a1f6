/* SPDX-License-Identifier: MIT
 * The SSV scan of long targets with its first pass on a device, against the definition: random models, strands of corner lengths,
 * thresholds of several heights, several models in one call. Without a limit also the speed on strands of 16 M residues.
 *
 *   long [-m MOST]     MOST: leave out longer models, and the speed (for the sanitizer)
 *
 * WARPSIEVE_SEED chooses another run. Without a device all is skipped, with WARPSIEVE_REQUIRE_GPU=1 all fails. */
#include "lib/dev/device.h"
#include "lib/long/device.h"
#include "tests/lib/longdata.h"
#include "tests/tap.h"

#include <unistd.h>

static const int model_sizes[] = {1, 2, 16, 17, 80, 119, 128, 129, 257, 513, 800, 1533, 2049, 2900, 5000};
enum { NMODEL = sizeof model_sizes / sizeof model_sizes[0] };

static const ws_long_ssv_body *best_body(void) {
    static const ws_long_ssv_body *const all[] = {WS_BY_WIDTH(ws_long_ssv_)};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    return all[ws_cpu_best(&cpu)];
}

static void make_model(ws_long_model *m, ws_hmm *h, sample *r, int M, int height) {
    const ws_long_options options = WS_LONG_DEFAULTS;
    ws_profile p;
    ws_err err;
    make_dna_model(h, r, M);
    h->maxl = (int32_t)(2 * M + 10);
    h->evparam[WS_MLAMBDA] = h->evparam[WS_VLAMBDA] = h->evparam[WS_FLAMBDA] = 0.7f;
    sample_must(ws_profile_create(&p, h, &err), &err);
    sample_must(ws_long_model_create(m, h, &p, &options, &err), &err);
    m->threshold = m->xB + height;
    ws_profile_destroy(&p);
}

static uint8_t *flags_for(int M, const ws_long_strand *strand, size_t n) {
    size_t steps = 0;
    for (size_t j = 0; j < n; j++) steps += ws_long_steps(M, strand[j].n);
    return malloc(steps + 1);
}

/* The diagonals by the flags, against those of the definition. */
static int differ(const ws_long_model *m, const longdata *d, const uint8_t *flag, size_t *found) {
    ws_long_ssv s;
    ws_buf scratch = {0};
    ws_err err;
    int bad = 0;
    sample_must(ws_long_ssv_create(&s, best_body(), m, &err), &err);
    for (int j = 0; j < NLENGTH; j++) {
        ws_long_seeds want = {0}, got = {0};
        uint8_t *cell = malloc((size_t)m->M + 1);
        sample_must(ws_long_diagonals_ref(m, d->strand[j].x, d->strand[j].n, cell, &want, &err), &err);
        sample_must(s.body->follow(s.layout, m, &d->strand[j], flag, &got, &scratch, &err), &err);
        bad += !same_seeds(&got, &want);
        *found += want.n;
        flag += ws_long_steps(m->M, d->strand[j].n);
        free(cell);
        ws_free(want.at);
        ws_free(got.at);
    }
    ws_long_ssv_destroy(&s);
    ws_buf_release(&scratch);
    return bad;
}

/* All models of one height in one call. The CPU keeps models whose threshold is beyond a byte: a few at great heights, where random
 * strands may be without diagonals too. */
static void check_height(tap *t, sample *r, int height, int most) {
    ws_hmm h[NMODEL];
    ws_long_model m[NMODEL];
    ws_long_dev *dev[NMODEL];
    uint8_t *flag[NMODEL];
    longdata d;
    size_t found = 0;
    ws_err err;
    int n = 0, bad = 0, kept = 0;
    for (int k = 0; k < NMODEL && model_sizes[k] <= most; k++) {
        make_model(&m[n], &h[n], r, model_sizes[k], height);
        sample_must(ws_long_dev_create(&dev[n], &m[n], &err), &err);
        if (dev[n]) {
            n++;
            continue;
        }
        kept++;
        ws_long_model_destroy(&m[n]);
        sample_model_release(&h[n]);
    }
    make_data(&d, r, &h[n / 2]);
    for (int k = 0; k < n; k++) flag[k] = flags_for(m[k].M, d.strand, NLENGTH);
    sample_must(ws_long_dev_mark((const ws_long_dev *const *)dev, (size_t)n, d.strand, NLENGTH, flag, &err), &err);
    for (int k = 0; k < n; k++) {
        bad += differ(&m[k], &d, flag[k], &found);
        ws_long_dev_destroy(dev[k]);
        ws_long_model_destroy(&m[k]);
        sample_model_release(&h[k]);
        free(flag[k]);
    }
    tap_ok(t, bad == 0 && n > 0 && (height > 50 || most < INT32_MAX || (kept == 0 && found > 100)),
           "height %d: %d models on the device, %d left to the CPU, %zu diagonals, %d strands differ", height, n, kept, found, bad);
    release_data(&d);
}

/* One model over random strands, of which there is one in memory. */
static void speed(sample *r, int M) {
    enum { LONG = 16 << 20, TIMES = 16 };
    ws_hmm h;
    ws_long_model m;
    ws_long_dev *dev;
    ws_err err;
    ws_long_strand strand[TIMES];
    uint8_t *x = malloc(LONG + WS_LONG_PAD);
    make_model(&m, &h, r, M, 70);
    for (int i = 0; i < LONG + WS_LONG_PAD; i++) x[i] = sample_residue(r, h.abc);
    for (int j = 0; j < TIMES; j++) strand[j] = (ws_long_strand){x, LONG};
    sample_must(ws_long_dev_create(&dev, &m, &err), &err);
    uint8_t *flag = flags_for(M, strand, TIMES);
    for (int round = 0; round < 3; round++) {
        const double before = ws_dev_clock().kernels;
        sample_must(ws_long_dev_mark((const ws_long_dev *const *)&dev, 1, strand, TIMES, &flag, &err), &err);
        const double seconds = ws_dev_clock().kernels - before;
        tap_note("M %d, %d residues: %.4f s in kernels, %.0f Gcells/s", M, TIMES * LONG, seconds, 1e-9 * M * TIMES * LONG / seconds);
    }
    ws_long_dev_destroy(dev);
    ws_long_model_destroy(&m);
    sample_model_release(&h);
    free(flag);
    free(x);
}

int main(int argc, char **argv) {
    static const int heights[] = {12, 25, 50, 80};
    const char *seed = getenv("WARPSIEVE_SEED"), *required = getenv("WARPSIEVE_REQUIRE_GPU"), *why;
    const int most = argc == 3 && strcmp(argv[1], "-m") == 0 ? atoi(argv[2]) : INT32_MAX;
    sample r = {seed ? strtoull(seed, NULL, 10) : 23};
    tap t = {0};
    ws_err err;
    if (!ws_dev_usable(NULL, &why)) {
        if (required && *required == '1') tap_ok(&t, 0, "a device: %s", why);
        else tap_skip(&t, "the SSV scan on a device", why);
        return tap_end(&t);
    }
    sample_must(ws_dev_start(NULL, 0, &err), &err);
    sample_must(ws_dev_wait(&err), &err);
    for (size_t j = 0; j < sizeof heights / sizeof heights[0]; j++) check_height(&t, &r, heights[j], most);
    if (most == INT32_MAX)
        for (int k = 0; k < NMODEL; k++)
            if (model_sizes[k] >= 80) speed(&r, model_sizes[k]);
    ws_dev_stop();
    return tap_end(&t);
}
