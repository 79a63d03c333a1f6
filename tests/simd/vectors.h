/* SPDX-License-Identifier: MIT
 * Lanes that tests/lib/vectors.c gives to the test of the V* macros of each width. */
#ifndef WS_TESTS_SIMD_VECTORS_H
#define WS_TESTS_SIMD_VECTORS_H

#include "lib/simd/width.h"

#include <stdint.h>

/* One register of any width and a few lanes more, as lanes of each kind. */
typedef union lanes {
    _Alignas(64) uint8_t u8[128];
    int8_t s8[128];
    uint16_t u16[64];
    int16_t s16[64];
    uint32_t u32[32];
    int32_t s32[32];
    uint64_t u64[16];
    int64_t s64[16];
    float f[32];
    double d[16];
} lanes;

typedef struct ws_vectors {
    lanes x, y, m; /* any bits */
    lanes f, g, h; /* floats */
    _Alignas(64) float number[32];
    _Alignas(64) double d[16], e[16], c[16], real[16];
} ws_vectors;

/* Returns the name of a macro that is not as defined; NULL: all are. */
typedef const char *ws_vectors_test(const ws_vectors *in);
#define WS_VECTORS(width, ...) ws_vectors_test ws_vectors_##width;
WS_WIDTHS(WS_VECTORS, )

#endif
