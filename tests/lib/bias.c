/* SPDX-License-Identifier: MIT
 * The bias filter: its logarithm against libm, and every vector width against the scalar form, bit for bit.
 * `make check-full` compares the logarithms of every normal single (2.1 thousand million, 20 s for each width), `make
 * check` one in 1009. */
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include "lib/hmm/floatlog.h"

/* Singles above 0 in the order of their bits: normal ones are these. */
enum { FIRST_NORMAL = 0x00800000, FIRST_INFINITE = 0x7f800000 };

/* Compares logarithms of WS_FLOATLOGS singles of a step, from `bits` on, with libm's. Returns how many differ. */
static size_t others(const char *name, ws_float_logs_fn *logs, uint32_t bits, uint32_t step) {
    float m[WS_FLOATLOGS], ours[WS_FLOATLOGS] __attribute__((aligned(WS_ALIGN)));
    size_t differ = 0;
    for (uint32_t i = 0; i < WS_FLOATLOGS; i++) {
        const uint32_t b = bits + (uint64_t)i * step < FIRST_INFINITE ? bits + i * step : FIRST_NORMAL;
        memcpy(&m[i], &b, sizeof m[i]);
        ours[i] = m[i];
        if (!logs) ours[i] = ws_float_log(m[i]);
    }
    if (logs) logs(ours);
    for (int i = 0; i < WS_FLOATLOGS; i++) {
        const float theirs = (float)log((double)m[i]);
        if (memcmp(&ours[i], &theirs, sizeof theirs) && differ++ < 5)
            tap_note("%s: log(%a) is %a, libm says %a", name, (double)m[i], (double)ours[i], (double)theirs);
    }
    return differ;
}

static void check_log(tap *t, const char *name, ws_float_logs_fn *logs, int full) {
    const uint32_t step = full ? 1 : 1009;
    size_t n = 0, differ = 0;
    for (uint64_t bits = FIRST_NORMAL; bits < FIRST_INFINITE; bits += WS_FLOATLOGS * step, n += WS_FLOATLOGS)
        differ += others(name, logs, (uint32_t)bits, step);
    tap_ok(t, differ == 0, "%s: the logarithm equals libm's for %zu singles", name, n);
}

static const int lengths[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 300, 1000};
enum { NLENGTH = sizeof lengths / sizeof lengths[0], MOST = 200 };

static void fill(sample_batch *s, sample *r, const ws_abc *abc, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const size_t L = (size_t)lengths[sample_below(r, NLENGTH)];
        const int one = sample_below(r, 6) ? -1 : sample_below(r, abc->Kp); /* some consist of one residue alone */
        uint8_t *x = sample_add(s, L);
        for (size_t j = 0; j < L; j++)
            x[j] = (uint8_t)(one >= 0 ? one : sample_below(r, 9) ? sample_residue(r, abc) : sample_below(r, abc->Kp));
    }
    sample_ready(s);
}

static int same(ws_bias_scores_fn *fn, const ws_bias *bias, sample_batch *s, sample *r) {
    uint32_t item[MOST];
    float got[MOST], truth[MOST];
    const size_t n = (size_t)sample_below(r, sample_below(r, 4) ? MOST : 5);
    for (size_t j = 0; j < n; j++) item[j] = (uint32_t)sample_below(r, (int)s->b.n);
    const ws_seqlist list = sample_list(s, item, n);
    ws_bias_scores_scalar(bias, &list, truth);
    fn(bias, &list, got);
    for (size_t j = 0; j < n; j++)
        if (memcmp(&got[j], &truth[j], sizeof *got)) {
            tap_note("place %zu of %zu, L %u: %.9g, scalar %.9g", j, n, ws_seqlist_len(&list, j), (double)got[j],
                     (double)truth[j]);
            return 0;
        }
    return 1;
}

static void check_width(tap *t, const char *name, const char *why_not, ws_bias_scores_fn *fn, uint64_t seed) {
    if (why_not) {
        tap_skip(t, name, why_not);
        return;
    }
    sample r = {seed};
    int good = 1;
    for (int round = 0; round < 100 && good; round++) {
        ws_hmm h;
        sample_batch s = {0};
        ws_bias bias;
        sample_model(&h, &r, 1 + sample_below(&r, 3000), 0);
        if (round % 10 == 0) memset(h.compo, 0, sizeof h.compo); /* as a file without COMPO */
        ws_bias_set(&bias, &h);
        fill(&s, &r, h.abc, (size_t)(1 + sample_below(&r, MOST - 1)));
        good = same(fn, &bias, &s, &r);
        sample_batch_release(&s);
        sample_model_release(&h);
    }
    tap_ok(t, good, "%s equals scalar", name);
}

/* ws_bias_scores with what this machine has, on a list that is longer than the pieces it works in. */
static void check_long_list(tap *t, const ws_cpu *cpu, uint64_t seed) {
    enum { LONG = 2500 };
    ws_err err = {0};
    sample r = {seed};
    sample_batch s = {0};
    ws_hmm h;
    ws_bias bias;
    uint32_t *item = ws_calloc(LONG, sizeof *item, &err);
    float *got = ws_calloc(LONG, sizeof *got, &err), *truth = ws_calloc(LONG, sizeof *truth, &err);
    if (!item || !got || !truth) sample_must(1, &err);
    sample_model(&h, &r, 130, 0);
    ws_bias_set(&bias, &h);
    fill(&s, &r, h.abc, MOST);
    for (size_t j = 0; j < LONG; j++) item[j] = (uint32_t)sample_below(&r, (int)s.b.n);
    const ws_seqlist list = sample_list(&s, item, LONG);
    ws_bias_scores_scalar(&bias, &list, truth);
    ws_bias_scores(&bias, cpu, &list, got);
    tap_ok(t, !memcmp(got, truth, LONG * sizeof *got), "a list of %d, each score in its place", LONG);
    ws_free(item);
    ws_free(got);
    ws_free(truth);
    sample_batch_release(&s);
    sample_model_release(&h);
}

#define LOGS(width, ...) [WS_WIDTH_##width] = ws_float_logs_##width,

int main(void) {
    static ws_float_logs_fn *const logs[WS_NWIDTH] = {WS_WIDTHS(LOGS, )};
    static ws_bias_scores_fn *const by_width[] = {WS_BY_WIDTH(ws_bias_scores_)};
    const char *seed = getenv("WARPSIEVE_SEED"), *depth = getenv("WARPSIEVE_TESTS");
    const uint64_t from = seed ? strtoull(seed, NULL, 0) : 20240607;
    tap t = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    tap_note("seed %llu", (unsigned long long)from);
    const int full = depth && !strcmp(depth, "full");
    check_log(&t, "scalar", NULL, full);
    for (int w = 0; w < WS_NWIDTH; w++)
        if (logs[w] && !cpu.why_not[w]) check_log(&t, ws_width_name[w], logs[w], full);
    for (int w = 0; w < WS_NWIDTH; w++) check_width(&t, ws_width_name[w], cpu.why_not[w], by_width[w], from);
    check_long_list(&t, &cpu, from);
    return tap_end(&t);
}
