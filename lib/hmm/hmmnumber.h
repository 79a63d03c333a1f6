/* SPDX-License-Identifier: MIT
 * Numbers of HMMER3 text files. They are nearly all of a file, so the functions are inlined where models are read. */
#ifndef WS_HMM_HMMNUMBER_H
#define WS_HMM_HMMNUMBER_H

#include "lib/hmm/hmmfile.h"

#include <stdlib.h>
#include <string.h>

static const double ws_power_of_ten[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* Parses a plain decimal number, correctly rounded. With at most 15 digits in all, the digits form an integer below
 * 10^15 < 2^53, and the power of ten is at most 10^15. Both are exact doubles, and IEEE division rounds their
 * quotient once, as strtod promises. All other numbers go to strtod, after a check that excludes names like "inf"
 * and text beyond the line. */
static inline int ws_hmmtext_number(const char *p, const char **after, double *value) {
    const char *q = p + (*p == '-'), *digits = q;
    uint64_t n = 0;
    ptrdiff_t count, decimals = 0;
    for (; *q >= '0' && *q <= '9'; q++) n = n * 10 + (uint64_t)(*q - '0');
    count = q - digits;
    if (*q == '.') {
        const char *point = q++;
        for (; *q >= '0' && *q <= '9'; q++) n = n * 10 + (uint64_t)(*q - '0');
        decimals = q - point - 1;
    }
    count += decimals;
    if (count >= 1 && count <= 15 && ws_hmmtext_is_end(*q)) {
        double v = (double)n / ws_power_of_ten[decimals];
        *value = *p == '-' ? -v : v;
        *after = q;
        return 1;
    }
    char *stop;
    size_t like = strspn(p, "+-.0123456789eE");
    *value = strtod(p, &stop);
    *after = stop;
    return like > 0 && stop == p + like;
}

/* Parses "2.68618": one digit, the point, five digits and an end, eight characters at a time. Nearly all numbers of
 * a model have this form. The value is that of ws_hmmtext_number. */
static inline int ws_hmmtext_short(const char *p, double *value) {
    uint64_t x, digits;
    memcpy(&x, p, sizeof x);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) x = __builtin_bswap64(x);
    if (!ws_hmmtext_is_end((char)(x >> 56))) return 0;
    x ^= 0x30303030302e30; /* digits become 0 to 9, the point 0, all else another value */
    if (((x + 0x06060606060006) | x) & 0xf0f0f0f0f0fff0) return 0;
    /* 00d.ddddd without the point: eight digits, the first one lowest */
    digits = (x & 0xff) << 16 | (x & 0xffffffffff0000) << 8;
    digits = digits * 10 + (digits >> 8);                    /* pairs, in the even bytes */
    digits = ((digits & 0xff000000ff) * (100 + (1000000ull << 32)) +
              ((digits >> 16 & 0xff000000ff) * (1 + (10000ull << 32)))) >>
             32;
    *value = (double)(uint32_t)digits / 1e5;
    return 1;
}

#endif
