/* SPDX-License-Identifier: MIT
 * The V* macros of each width that this machine runs, beside plain C (tests/simd/vectors.c), on random lanes. */
#include "tests/lib/sample.h"
#include "tests/simd/vectors.h"
#include "tests/tap.h"

enum { ROUNDS = 2000 };

/* Returns a byte of which one in four is at an end of its range. */
static uint8_t any_byte(sample *r) {
    static const uint8_t corner[] = {0, 1, 127, 128, 129, 255};
    return sample_below(r, 4) ? (uint8_t)sample_next(r) : corner[sample_below(r, 6)];
}

/* Returns a number with 24 bits that are known, so that a product of two is not a float. */
static double number(sample *r) {
    const double size = ldexp(sample_below(r, 1 << 24) + (1 << 24), -20 - sample_below(r, 6));
    return sample_below(r, 2) ? size : -size;
}

static void fill(ws_vectors *in, sample *r) {
    for (int i = 0; i < 128; i++) {
        in->x.u8[i] = any_byte(r);
        in->y.u8[i] = sample_below(r, 3) ? any_byte(r) : in->x.u8[i];
        in->m.u8[i] = sample_below(r, 3) ? any_byte(r) : in->y.u8[i];
    }
    for (int i = 0; i < 32; i++) {
        in->f.f[i] = (float)number(r);
        in->g.f[i] = sample_below(r, 4) ? (float)number(r) : in->f.f[i];
        in->h.f[i] = sample_below(r, 4) ? (float)number(r) : in->f.f[i];
        in->number[i] = (float)number(r);
    }
    for (int i = 0; i < 16; i++) {
        in->d[i] = number(r) * 0x1.000001p-1;
        in->e[i] = number(r) / 3;
        in->c[i] = number(r) / 7;
        in->real[i] = number(r) / 11;
    }
}

#define TEST(width, ...) {#width, ws_vectors_##width},
static const struct {
    const char *name;
    ws_vectors_test *test;
} of_width[] = {WS_WIDTHS(TEST, ){"scalar", NULL}};

int main(void) {
    tap t = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (int w = 0; w < WS_WIDTH_scalar; w++) {
        sample r = {20261123};
        ws_vectors in;
        const char *bad = NULL;
        if (cpu.why_not[w]) {
            tap_skip(&t, of_width[w].name, cpu.why_not[w]);
            continue;
        }
        for (int i = 0; i < ROUNDS && !bad; i++) {
            fill(&in, &r);
            bad = of_width[w].test(&in);
        }
        tap_ok(&t, !bad, "%s: every macro as in plain C, %d times%s%s", of_width[w].name, ROUNDS, bad ? ", not " : "",
               bad ? bad : "");
    }
    if (WS_WIDTH_scalar == 0) tap_skip(&t, "vector macros", "this processor has no width");
    return tap_end(&t);
}
