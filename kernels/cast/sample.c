/* SPDX-License-Identifier: MIT
 * Which rows of a deep alignment tell its consensus columns: section 6.2 of build.md. Mersenne Twister of 64 bits
 * (Matsumoto and Nishimura 2000), and sequential sampling by methods D and A of Vitter (ACM TOMS 13, 1987). */
#include <math.h>

#include "kernels/cast/align.h"

enum { STATE = 312, MIDDLE = 156, SEED = 42, ALPHA_INVERSE = 13 };

typedef struct twister {
    uint64_t x[STATE];
    int next;
} twister;

static void seed(twister *t) {
    t->x[0] = SEED;
    for (int i = 1; i < STATE; i++)
        t->x[i] = UINT64_C(6364136223846793005) * (t->x[i - 1] ^ (t->x[i - 1] >> 62)) + (uint64_t)i;
    t->next = STATE;
}

static void refill(twister *t) {
    for (int i = 0; i < STATE; i++) {
        const uint64_t upper = t->x[i] & UINT64_C(0xffffffff80000000);
        const uint64_t y = upper | (t->x[(i + 1) % STATE] & UINT64_C(0x7fffffff));
        t->x[i] = t->x[(i + MIDDLE) % STATE] ^ (y >> 1) ^ (y & 1 ? UINT64_C(0xb5026f5aa96619e9) : 0);
    }
    t->next = 0;
}

static uint64_t draw(twister *t) {
    if (t->next == STATE) refill(t);
    uint64_t y = t->x[t->next++];
    y ^= (y >> 29) & UINT64_C(0x5555555555555555);
    y ^= (y << 17) & UINT64_C(0x71d67fffeda60000);
    y ^= (y << 37) & UINT64_C(0xfff7eee000000000);
    return y ^ (y >> 43);
}

/* [0, 1) and (0, 1) */
static double closed(twister *t) { return (double)(draw(t) >> 11) * 0x1p-53; }
static double inside(twister *t) { return ((double)(draw(t) >> 12) + 0.5) * 0x1p-52; }

/* The indices left to draw from: n indices behind `last`, `take` of them. */
typedef struct urn {
    twister random;
    int64_t n, take, last;
    double v;   /* method D's variate for the next skip */
} urn;

/* Returns the quotient that decides, where the squeeze does not, whether a skip of s is taken. Two or more indices are
 * still to be drawn, so s is below n - 1, for which Vitter has one order of the factors. */
static double quotient(const urn *u, int64_t s) {
    double y = 1, top = (double)u->n - 1, bottom = (double)u->n - (double)u->take;
    for (int64_t t = u->n - 1; t >= u->n - s; t--) {
        y = y * top / bottom;
        top--;
        bottom--;
    }
    return y;
}

/* Draws how many indices to skip, by method D. */
static int64_t skip_d(urn *u) {
    const double n = (double)u->n, rest = (double)(u->n - u->take + 1);
    const double inverse = 1.0 / (double)u->take, inverse_next = 1.0 / (-1.0 + (double)u->take);
    for (;;) {
        double x = n * (1.0 - u->v);
        while ((int64_t)floor(x) >= u->n - u->take + 1) {
            u->v = exp(inverse * log(inside(&u->random)));
            x = n * (1.0 - u->v);
        }
        const int64_t s = (int64_t)floor(x);
        const double y = exp(inverse_next * log(inside(&u->random) * n / rest));
        u->v = y * (1.0 - x / n) * (rest / (rest - (double)s));
        if (u->v <= 1.0) return s;
        if (n / (n - x) >= y * exp(inverse_next * log(quotient(u, s)))) {
            u->v = exp(inverse_next * log(inside(&u->random)));
            return s;
        }
        u->v = exp(inverse * log(inside(&u->random)));
    }
}

/* Draws the same by method A, one index after the other. */
static int64_t skip_a(urn *u) {
    double top = (double)(u->n - u->take), n = (double)u->n, left = top / n;
    const double v = inside(&u->random);
    int64_t s = 0;
    while (left > v) {
        s++;
        top--;
        n--;
        left = left * top / n;
    }
    return s;
}

static int64_t take_one(urn *u, int64_t skip) {
    u->last += skip + 1;
    u->n -= skip + 1;
    u->take--;
    return u->last;
}

void ws_build_sample(int64_t n, int64_t take, int64_t *index) {
    urn u = {.n = n, .take = take, .last = -1};
    seed(&u.random);
    u.v = exp(1.0 / (double)take * log(closed(&u.random)));
    while (u.take > 1 && u.n > ALPHA_INVERSE * u.take) *index++ = take_one(&u, skip_d(&u));
    const int by_d = u.take == 1;
    while (u.take > 1) *index++ = take_one(&u, skip_a(&u));
    *index = take_one(&u, (int64_t)floor((double)u.n * (by_d ? u.v : closed(&u.random))));
}
