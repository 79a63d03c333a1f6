/* SPDX-License-Identifier: MIT
 * The V* macros for AVX-512 (F, BW, VL, DQ): 64 bytes, 32 words, 16 floats, 8 doubles to a register.
 *
 * v_avx2.h, v_neon.h and this header define the same names, over which a vector body (simd.c) is written. V_REGISTERS
 * is the number of vector registers. Prefixes: V any lanes, VB bytes, VW 16-bit words, VI 32-bit integers, VF floats,
 * VD doubles, VF32 32 floats in V32 registers. Suffix _U unsigned, _S signed; ADDS and SUBS saturate. Argument order is
 * that of the operation: VB_SUBS_U(a, b) = a - b. */
#ifndef WS_SIMD_V
#define WS_SIMD_V

#include "lib/base/ws.h"

#include <immintrin.h>

#define V_REGISTERS 32
#define VB_LANES 64
#define VW_LANES 32
#define VF_LANES 16
#define VD_LANES 8
#define V32 2 /* registers that hold 32 floats */

typedef __m512i V;
typedef __m512 VF;
typedef __m512d VD;

#define V_LOAD(p) _mm512_load_si512((const void *)(p))
#define V_LOADU(p) _mm512_loadu_si512((const void *)(p))
#define V_STORE(p, v) _mm512_store_si512((void *)(p), v)
#define V_STOREU(p, v) _mm512_storeu_si512((void *)(p), v)

/* Bytes. */
#define VB_SET1(x) _mm512_set1_epi8((char)(x))
#define VB_ADDS_U(a, b) _mm512_adds_epu8(a, b)
#define VB_SUBS_U(a, b) _mm512_subs_epu8(a, b)
#define VB_SUBS_S(a, b) _mm512_subs_epi8(a, b)
#define VB_SUB(a, b) _mm512_sub_epi8(a, b)
#define VB_MAX_U(a, b) _mm512_max_epu8(a, b)
#define VB_MAX_S(a, b) _mm512_max_epi8(a, b)
#define VB_MIN_U(a, b) _mm512_min_epu8(a, b)
/* Words: the unsigned bytes 2j and 2j+1 of a, times the signed ones of b, added. */
#define VB_DOT(a, b) _mm512_maddubs_epi16(a, b)
/* a in the lanes whose bit is set, b in the others. */
#define VB_PICK(bits, a, b) _mm512_mask_blend_epi8((__mmask64)(bits), b, a)
/* Lane z receives lane z-1; lane 0 receives the last lane of `fill`. */
#define VB_UP1(v, fill) _mm512_alignr_epi8(v, _mm512_alignr_epi64(v, fill, 6), 15)
/* Groups are 16 bytes. VB_GROUP_UP1 is VB_UP1 in each: its lane 0 receives the last lane of the same group of `fill`.
 * In VB_UP_GROUP(v, fill) group g receives group g-1, and group 0 the last one of `fill`. The last group of
 * VB_GROUP_TO_TOP(v, g) is group g, a constant. */
#define VB_GROUP_UP1(v, fill) _mm512_alignr_epi8(v, fill, 15)
#define VB_UP_GROUP(v, fill) _mm512_alignr_epi64(v, fill, 6)
WS_INLINE V v_group_to_top(V v, int g) {
    return g == 0   ? _mm512_shuffle_i64x2(v, v, 0)
           : g == 1 ? _mm512_shuffle_i64x2(v, v, 0x55)
           : g == 2 ? _mm512_shuffle_i64x2(v, v, 0xaa)
                    : _mm512_shuffle_i64x2(v, v, 0xff);
}
#define VB_GROUP_TO_TOP(v, g) v_group_to_top(v, g)
/* Groups at p, p + step, and so on. */
WS_INLINE V v_load_groups(const uint8_t *p, size_t step) {
    const __m512i a = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(const void *)p));
    const __m512i b = _mm512_inserti64x2(a, _mm_loadu_si128((const __m128i *)(const void *)(p + step)), 1);
    const __m512i c = _mm512_inserti64x2(b, _mm_loadu_si128((const __m128i *)(const void *)(p + 2 * step)), 2);
    return _mm512_inserti64x2(c, _mm_loadu_si128((const __m128i *)(const void *)(p + 3 * step)), 3);
}
#define VB_LOAD_GROUPS(p, step) v_load_groups(p, step)
/* 1 if a > b in any lane. */
#define VB_ANY_GT_U(a, b) (_mm512_cmpgt_epu8_mask(a, b) != 0)
/* n plus 1 in the lanes where a == b. */
#define VB_COUNT_EQ(n, a, b) _mm512_mask_sub_epi8(n, _mm512_cmpeq_epi8_mask(a, b), n, _mm512_set1_epi8(-1))

/* Tests whether any byte of many registers is above a limit. VB_BELOW is the initial watch, VB_WATCH(w, v, most)
 * tests one register, and VB_ABOVE(w, most) is 1 if a byte was above. VB_WATCHES(Q, S) watches run side by side for
 * each of S sequences of Q registers, because each test waits for the last on its watch. With VB_WATCH_TWO(Q) one
 * test covers the larger bytes of two registers. Here watches are masks, whose comparisons leave the arithmetic port
 * free; with few registers the move to the next lane occupies the masks' port. */
typedef __mmask64 vb_watch;
#define VB_BELOW UINT64_MAX
#define VB_WATCH(w, v, most) _mm512_mask_cmple_epi8_mask(w, v, most)
#define VB_ABOVE(w, most) ((void)(most), (w) != UINT64_MAX)
#define VB_WATCH_JOINED(Q) ((Q) > 1)
#define VB_WATCHES(Q, S) ((S) == 1 ? 6 : (S) == 2 ? 3 : (S) == 3 ? 2 : 1)

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
/* VB_OR3_IS_ONE: the OR of three registers is one operation. */
#define VB_OR3(a, b, c) _mm512_ternarylogic_epi32(a, b, c, 0xfe)
#define VB_OR3_IS_ONE 1
/* 1 if a and b have a bit in common. */
#define VB_MEET(a, b) (_mm512_test_epi8_mask(a, b) != 0)
#define VB_HMAX_U(v) v_hmax_u8(v)
#define VB_LAST(v) ((uint8_t)_mm_extract_epi8(_mm512_extracti32x4_epi32(v, 3), 15))

/* Words. */
#define VW_SET1(x) _mm512_set1_epi16((short)(x))
#define VW_ADD(a, b) _mm512_add_epi16(a, b)
#define VW_ADDS(a, b) _mm512_adds_epi16(a, b)
#define VW_SUBS(a, b) _mm512_subs_epi16(a, b)
#define VW_MAX(a, b) _mm512_max_epi16(a, b)
#define VW_ADDS_U(a, b) _mm512_adds_epu16(a, b)
#define VW_MIN_U(a, b) _mm512_min_epu16(a, b)
#define VW_PICK(bits, a, b) _mm512_mask_blend_epi16((__mmask32)(bits), b, a)
WS_INLINE V v_up1_16(V v, V fill) {
    const V from = _mm512_set_epi16(30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10,
                                    9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 31);
    return _mm512_mask_permutexvar_epi16(fill, 0xfffffffe, from, v);
}
/* Lane z receives lane z-1; all lanes of `fill` are equal. */
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
#define VI_LOAD(p) _mm512_load_si512((const void *)(p))
#define VI_MUL(a, b) _mm512_mullo_epi32(a, b) /* the low halves of the products */
#define VI_SUB(a, b) _mm512_sub_epi32(a, b)
/* VI_LANES bytes at p, zero-extended. */
#define VI_OF_BYTES(p) _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(p)))
#define VI_OF_VF(v) _mm512_castps_si512(v) /* the bits of floats */
/* Comparisons of signed integers: a mask of lanes, its bits (lane 0 lowest), and selection by it. */
typedef __mmask16 VIM;
#define VI_GT(a, b) _mm512_cmpgt_epi32_mask(a, b)
#define VI_EQ(a, b) _mm512_cmpeq_epi32_mask(a, b)
#define VIM_BITS(m) ((uint32_t)_cvtmask16_u32(m))
#define VIM_PICK(m, a, b) _mm512_mask_blend_epi32(m, b, a)
/* The upper 24 bits of each integer as a fraction of 2^24: exact. */
#define VF_OF_TOP24(v) _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(v, 8)), _mm512_set1_ps(0x1p-24f))

/* Floats: contraction is off, VF_FMA(a, b, c) = a*b + c is the only fused operation. */
#define VF_LOAD(p) _mm512_load_ps(p)
#define VF_STORE(p, v) _mm512_store_ps(p, v)
#define VF_SET1(x) _mm512_set1_ps(x)
#define VF_ADD(a, b) _mm512_add_ps(a, b)
#define VF_MUL(a, b) _mm512_mul_ps(a, b)
#define VF_DIV(a, b) _mm512_div_ps(a, b)
#define VF_MAX(a, b) _mm512_max_ps(a, b)
#define VF_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
/* t[i] for 32 floats at t; the byte indices, below 32, are at p, one for each float of a register. */
#define VF_LOOKUP32(t, p) \
    _mm512_permutex2var_ps(_mm512_load_ps(t), _mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)(p))), \
                           _mm512_load_ps((t) + 16))

/* Shifts 32 lanes up: lane z receives lane z - off, and the lowest off lanes become 0. off: a constant 1, 2, 4, 8 or
 * 16. */
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

/* Returns the sum of 32 lanes by butterfly: offsets 16, 8, 4, 2, 1. */
WS_INLINE float v_f32_sum(const VF in[V32]) {
    VF v = _mm512_add_ps(in[0], in[1]);
    __m256 a = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_add_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}
#define VF32_SUM(in) v_f32_sum(in)

#define VF_LOADU(p) _mm512_loadu_ps(p)
#define VF_STOREU(p, v) _mm512_storeu_ps(p, v)
#define VF_AND(a, b) _mm512_and_ps(a, b)

/* Comparisons of floats: a mask of lanes, its bits (lane 0 lowest), and selection by it. */
typedef __mmask16 VM;
typedef uint16_t v_mask_bits; /* the bits of a mask, in memory */
#define VM_GT(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#define VM_GE(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ)
#define VM_AND(a, b) _kand_mask16(a, b)
#define VM_OR(a, b) _kor_mask16(a, b)
#define VM_ANDNOT(a, b) _kandn_mask16(b, a) /* a and not b */
#define VM_BITS(m) ((uint32_t)_cvtmask16_u32(m))
#define VM_ANY(m) (!_kortestz_mask16_u8(m, m))
#define VM_PICK(m, a, b) _mm512_mask_blend_ps(m, b, a)

/* A register as VP_QUADS independent quads of four floats. Addresses of quads are multiples of 16 bytes. */
#define VP_QUADS 4
#define VP_BCAST(p) _mm512_broadcast_f32x4(_mm_load_ps(p))
/* Float j at p in all lanes of quad j. */
#define VP_SPREAD(p) \
    _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3), \
                          _mm512_castps128_ps512(_mm_load_ps(p)))
/* Lane 0 of quad j to p[j]. */
#define VP_FIRSTS(p, v) \
    _mm_store_ps(p, _mm512_castps512_ps128( \
                        _mm512_permutexvar_ps(_mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), v)))
/* Loads quad j from at[j] + off, and stores it there. */
WS_INLINE VF v_loads(const float *const *at, size_t off) {
    const __m512 v = _mm512_castps128_ps512(_mm_load_ps(at[0] + off));
    const __m512 w = _mm512_mask_broadcast_f32x4(v, 0x00f0, _mm_load_ps(at[1] + off));
    const __m512 x = _mm512_mask_broadcast_f32x4(w, 0x0f00, _mm_load_ps(at[2] + off));
    return _mm512_mask_broadcast_f32x4(x, 0xf000, _mm_load_ps(at[3] + off));
}
#define VP_LOADS(at, off) v_loads(at, off)
WS_INLINE void v_stores(float *const *at, size_t off, VF v) {
    _mm_store_ps(at[0] + off, _mm512_castps512_ps128(v));
    _mm_store_ps(at[1] + off, _mm512_extractf32x4_ps(v, 1));
    _mm_store_ps(at[2] + off, _mm512_extractf32x4_ps(v, 2));
    _mm_store_ps(at[3] + off, _mm512_extractf32x4_ps(v, 3));
}
#define VP_STORES(at, off, v) v_stores(at, off, v)
/* Lane z receives lane z-1 (UP) or z+1 (DOWN) of its quad; 0 enters. */
#define VP_UP(v) _mm512_castsi512_ps(_mm512_bslli_epi128(_mm512_castps_si512(v), 4))
#define VP_DOWN(v) _mm512_castsi512_ps(_mm512_bsrli_epi128(_mm512_castps_si512(v), 4))
/* Compute (lane 0 + lane 1) + (lane 2 + lane 3), and the largest, in all lanes of each quad. */
WS_INLINE VF v_quad_sum(VF v) {
    v = _mm512_add_ps(v, _mm512_permute_ps(v, 0xb1));
    return _mm512_add_ps(v, _mm512_permute_ps(v, 0x4e));
}
#define VP_SPLAT1(v) _mm512_permute_ps(v, 0x55) /* lane 1 of each quad in all its lanes */
#define VP_SUM(v) v_quad_sum(v)
WS_INLINE VF v_quad_max(VF v) {
    v = _mm512_max_ps(v, _mm512_permute_ps(v, 0xb1));
    return _mm512_max_ps(v, _mm512_permute_ps(v, 0x4e));
}
#define VP_MAX(v) v_quad_max(v)
/* Lane 0 of each quad from a, 1 from b, 2 from c, 3 from d. */
#define VP_MIX(a, b, c, d) \
    _mm512_mask_blend_ps(0xcccc, _mm512_mask_blend_ps(0xaaaa, a, b), _mm512_mask_blend_ps(0xaaaa, c, d))
/* Transposes each quad: lane z of register r becomes lane r of register z. */
WS_INLINE void v_transpose(VF r[4]) {
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(r[0], r[1])),
                  b = _mm512_castps_pd(_mm512_unpacklo_ps(r[2], r[3]));
    const __m512d c = _mm512_castps_pd(_mm512_unpackhi_ps(r[0], r[1])),
                  d = _mm512_castps_pd(_mm512_unpackhi_ps(r[2], r[3]));
    r[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
    r[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
    r[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(c, d));
    r[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(c, d));
}
#define VP_TRANSPOSE(r) v_transpose(r)
/* Exchanges quads: quad j of register i becomes quad i of register j, of VP_QUADS registers. */
WS_INLINE void v_exchange(VF r[VP_QUADS]) {
    const VF a = _mm512_shuffle_f32x4(r[0], r[1], 0x44), b = _mm512_shuffle_f32x4(r[2], r[3], 0x44);
    const VF c = _mm512_shuffle_f32x4(r[0], r[1], 0xee), d = _mm512_shuffle_f32x4(r[2], r[3], 0xee);
    r[0] = _mm512_shuffle_f32x4(a, b, 0x88);
    r[1] = _mm512_shuffle_f32x4(a, b, 0xdd);
    r[2] = _mm512_shuffle_f32x4(c, d, 0x88);
    r[3] = _mm512_shuffle_f32x4(c, d, 0xdd);
}
#define VP_EXCHANGE(r) v_exchange(r)

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
