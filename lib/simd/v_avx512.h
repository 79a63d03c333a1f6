/* SPDX-License-Identifier: MIT
 * The V* macros for AVX-512 (F, BW, VL, DQ): 64 bytes, 32 words, 16 floats, 8 doubles to a register.
 *
 * v_avx2.h and this header define the same names; a vector body (simd.inc.h) is written over them and includes v_end.h as
 * its last line. Prefixes: V any lanes, VB bytes, VW 16-bit words, VI 32-bit integers, VF floats, VD doubles, VF32 32
 * floats in V32 registers. Suffix _U unsigned, _S signed; ADDS and SUBS saturate. Argument order is that of the operation:
 * VB_SUBS_U(a, b) = a - b. */
#ifndef WS_SIMD_V
#define WS_SIMD_V

#include "lib/base/ws.h"

#include <immintrin.h>

/* Before a loop with constant bounds: unroll it wholly, so that arrays become registers. */
#if defined(__clang__)
#define V_UNROLL _Pragma("clang loop unroll(full)")
#else
#define V_UNROLL _Pragma("GCC unroll 64")
#endif

#define V_ISA avx512
#define V_NAME "avx512"
#define V_CAT2(a, b) a##b
#define V_CAT1(a, b) V_CAT2(a, b)
#define V_FACE(name) V_CAT1(name, V_ISA) /* V_FACE(ws_ssv_) is ws_ssv_avx512 */
#define VB_LANES 64
#define VW_LANES 32
#define VF_LANES 16
#define VD_LANES 8
#define V32 2 /* registers that hold 32 floats */

typedef __m512i V;
typedef __m512 VF;
typedef __m512d VD;

#define V_LOAD(p) _mm512_load_si512((const void *)(p))

/* Bytes. */
#define VB_SET1(x) _mm512_set1_epi8((char)(x))
#define VB_ADDS_U(a, b) _mm512_adds_epu8(a, b)
#define VB_SUBS_U(a, b) _mm512_subs_epu8(a, b)
#define VB_SUBS_S(a, b) _mm512_subs_epi8(a, b)
#define VB_MAX_U(a, b) _mm512_max_epu8(a, b)
#define VB_MAX_S(a, b) _mm512_max_epi8(a, b)
#define VB_MIN_U(a, b) _mm512_min_epu8(a, b)
/* a in the lanes whose bit is set, b in the others. */
#define VB_PICK(bits, a, b) _mm512_mask_blend_epi8((__mmask64)(bits), b, a)
/* Lane z takes lane z-1; lane 0 takes the last lane of `fill`. */
#define VB_UP1(v, fill) _mm512_alignr_epi8(v, _mm512_alignr_epi64(v, fill, 6), 15)
/* 1 if a > b in any lane. */
#define VB_ANY_GT_U(a, b) (_mm512_cmpgt_epu8_mask(a, b) != 0)

WS_INLINE uint8_t v_hmax_u8(V v) {
    __m256i a = _mm256_max_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    __m128i b = _mm_max_epu8(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 8));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 4));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 2));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 1));
    return (uint8_t)_mm_cvtsi128_si32(b);
}
#define VB_XOR(a, b) _mm512_xor_si512(a, b)
#define VB_HMAX_U(v) v_hmax_u8(v)
#define VB_LAST(v) ((uint8_t)_mm_extract_epi8(_mm512_extracti32x4_epi32(v, 3), 15))

/* Words. */
#define VW_SET1(x) _mm512_set1_epi16((short)(x))
#define VW_ADDS(a, b) _mm512_adds_epi16(a, b)
#define VW_SUBS(a, b) _mm512_subs_epi16(a, b)
#define VW_MAX(a, b) _mm512_max_epi16(a, b)
#define VW_ADDS_U(a, b) _mm512_adds_epu16(a, b)
#define VW_MIN_U(a, b) _mm512_min_epu16(a, b)
#define VW_PICK(bits, a, b) _mm512_mask_blend_epi16((__mmask32)(bits), b, a)
WS_INLINE V v_up1_16(V v, V fill) {
    const V from = _mm512_set_epi16(30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
                                    3, 2, 1, 0, 31);
    return _mm512_mask_permutexvar_epi16(fill, 0xfffffffe, from, v);
}
/* Lane z takes lane z-1; all lanes of `fill` are alike. */
#define VW_UP1(v, fill) v_up1_16(v, fill)
#define VW_ANY_GT(a, b) (_mm512_cmpgt_epi16_mask(a, b) != 0)

WS_INLINE int16_t v_hmax_s16(V v) {
    __m256i a = _mm256_max_epi16(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64(v, 1));
    __m128i b = _mm_max_epi16(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    b = _mm_max_epi16(b, _mm_srli_si128(b, 8));
    b = _mm_max_epi16(b, _mm_srli_si128(b, 4));
    b = _mm_max_epi16(b, _mm_srli_si128(b, 2));
    return (int16_t)_mm_cvtsi128_si32(b);
}
#define VW_HMAX(v) v_hmax_s16(v)

/* 32-bit integers. */
#define VI_LANES 16
#define VI_SET1(x) _mm512_set1_epi32((int)(x))
#define VI_ADD(a, b) _mm512_add_epi32(a, b)
#define VI_MIN_U(a, b) _mm512_min_epu32(a, b)
#define VI_PICK(bits, a, b) _mm512_mask_blend_epi32((__mmask16)(bits), b, a)

/* Floats: contraction is off, VF_FMA(a, b, c) = a*b + c is the only fused operation. */
#define VF_LOAD(p) _mm512_load_ps(p)
#define VF_STORE(p, v) _mm512_store_ps(p, v)
#define VF_SET1(x) _mm512_set1_ps(x)
#define VF_ADD(a, b) _mm512_add_ps(a, b)
#define VF_MUL(a, b) _mm512_mul_ps(a, b)
#define VF_DIV(a, b) _mm512_div_ps(a, b)
#define VF_MAX(a, b) _mm512_max_ps(a, b)
#define VF_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
/* t[i] for 32 floats at t and as many byte indices below 32 at p as a register has floats. */
#define VF_LOOKUP32(t, p) \
    _mm512_permutex2var_ps(_mm512_load_ps(t), _mm512_cvtepu8_epi32(_mm_load_si128((const void *)(p))), _mm512_load_ps((t) + 16))

/* Lane z of 32 takes lane z - off, the lowest off lanes become 0; off is 1, 2, 4, 8 or 16 and a constant. */
WS_INLINE void v_f32_up(VF out[V32], const VF in[V32], int off) {
    const __m512i zero = _mm512_setzero_si512(), lo = _mm512_castps_si512(in[0]), hi = _mm512_castps_si512(in[1]);
#define V_UP_CASE(n) \
    case n: \
        out[0] = _mm512_castsi512_ps(_mm512_alignr_epi32(lo, zero, 16 - n)); \
        out[1] = _mm512_castsi512_ps(_mm512_alignr_epi32(hi, lo, 16 - n)); \
        return;
    switch (off) {
        V_UP_CASE(1)
        V_UP_CASE(2)
        V_UP_CASE(4)
        V_UP_CASE(8)
    default: out[1] = in[0]; out[0] = _mm512_setzero_ps();
    }
#undef V_UP_CASE
}
#define VF32_UP(out, in, off) v_f32_up(out, in, off)

/* Sum of 32 lanes by butterfly: offsets 16, 8, 4, 2, 1. */
WS_INLINE float v_f32_sum(const VF in[V32]) {
    VF v = _mm512_add_ps(in[0], in[1]);
    __m256 a = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_add_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}
#define VF32_SUM(in) v_f32_sum(in)

/* Doubles. */
#define VD_LOAD(p) _mm512_load_pd(p)
#define VD_STORE(p, v) _mm512_store_pd(p, v)
#define VD_FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define VD_SET1(x) _mm512_set1_pd(x)
#define VD_ADD(a, b) _mm512_add_pd(a, b)
#define VD_SUB(a, b) _mm512_sub_pd(a, b)
#define VD_MUL(a, b) _mm512_mul_pd(a, b)
/* Half h (0, 1) of a float register's lanes, widened; and two halves rounded back. */
#define VD_OF_HALF(v, h) _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, h))
#define VF_OF_HALVES(a, b) _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b), 1)
/* The bits of doubles as 64-bit integers, and arithmetic on them. */
#define VD_BITS(v) _mm512_castpd_si512(v)
#define VD_FROM_BITS(v) _mm512_castsi512_pd(v)
#define VL_SET1(x) _mm512_set1_epi64(x)
#define VL_ADD(a, b) _mm512_add_epi64(a, b)
#define VL_SUB(a, b) _mm512_sub_epi64(a, b)
#define VL_AND(a, b) _mm512_and_si512(a, b)
#define VL_OR(a, b) _mm512_or_si512(a, b)
#define VL_SHR(a, n) _mm512_srli_epi64(a, n)
/* t[idx] for 16 doubles at t, 64-bit indices below 16. */
#define VD_LOOKUP16(t, idx) _mm512_permutex2var_pd(_mm512_load_pd(t), idx, _mm512_load_pd((t) + 8))

#endif
