/* SPDX-License-Identifier: MIT
 * The V* macros for AVX2 with FMA: 32 bytes, 16 words, 8 floats, 4 doubles to a register. v_avx512.h specifies them. */
#ifndef WS_SIMD_V
#define WS_SIMD_V

#include "lib/base/ws.h"

#include <immintrin.h>

#define V_REGISTERS 16
#define VB_LANES 32
#define VW_LANES 16
#define VF_LANES 8
#define VD_LANES 4
#define V32 4

typedef __m256i V;
typedef __m256 VF;
typedef __m256d VD;

#define V_LOAD(p) _mm256_load_si256((const __m256i *)(const void *)(p))
#define V_LOADU(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define V_STORE(p, v) _mm256_store_si256((__m256i *)(void *)(p), v)
#define V_STOREU(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)

#define VB_SET1(x) _mm256_set1_epi8((char)(x))
#define VB_ADDS_U(a, b) _mm256_adds_epu8(a, b)
#define VB_SUBS_U(a, b) _mm256_subs_epu8(a, b)
#define VB_SUBS_S(a, b) _mm256_subs_epi8(a, b)
#define VB_SUB(a, b) _mm256_sub_epi8(a, b)
#define VB_MAX_U(a, b) _mm256_max_epu8(a, b)
#define VB_MAX_S(a, b) _mm256_max_epi8(a, b)
#define VB_MIN_U(a, b) _mm256_min_epu8(a, b)
#define VB_DOT(a, b) _mm256_maddubs_epi16(a, b)
WS_INLINE V v_pick8(uint32_t bits, V a, V b) {
    const V byte_of = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3,
                                       3, 3, 3, 3, 3);
    const V bit = _mm256_set1_epi64x(INT64_C(-0x7fbfdfeff7fbfdff));
    const V spread = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), byte_of), bit);
    return _mm256_blendv_epi8(b, a, _mm256_cmpeq_epi8(spread, bit));
}
#define VB_PICK(bits, a, b) v_pick8((uint32_t)(bits), a, b)
#define VB_UP1(v, fill) _mm256_alignr_epi8(v, _mm256_permute2x128_si256(v, fill, 0x03), 15)
#define VB_GROUP_UP1(v, fill) _mm256_alignr_epi8(v, fill, 15)
#define VB_UP_GROUP(v, fill) _mm256_permute2x128_si256(fill, v, 0x21)
#define VB_GROUP_TO_TOP(v, g) ((g) ? _mm256_permute2x128_si256(v, v, 0x11) : _mm256_permute2x128_si256(v, v, 0))
#define VB_LOAD_GROUPS(p, step) \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(p))), \
                            _mm_loadu_si128((const __m128i *)(const void *)((p) + (step))), 1)
WS_INLINE int v_any(__m256i v) { return !_mm256_testz_si256(v, v); }
#define VB_ANY_GT_U(a, b) v_any(_mm256_subs_epu8(a, b))
#define VB_COUNT_EQ(n, a, b) _mm256_sub_epi8(n, _mm256_cmpeq_epi8(a, b))

typedef V vb_watch;
#define VB_BELOW _mm256_set1_epi8(INT8_MIN)
#define VB_WATCH(w, v, most) _mm256_max_epi8(w, v)
#define VB_ABOVE(w, most) v_any(_mm256_cmpgt_epi8(w, most))
#define VB_WATCH_JOINED(Q) ((Q) / 2)
#define VB_WATCHES(Q, S) ((Q) > 6 ? 2 : 1)

WS_INLINE uint8_t v_hmax_u8(V v) {
    __m128i b = _mm_max_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 8));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 4));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 2));
    b = _mm_max_epu8(b, _mm_srli_si128(b, 1));
    return (uint8_t)_mm_cvtsi128_si32(b);
}
#define VB_XOR(a, b) _mm256_xor_si256(a, b)
#define VB_OR3(a, b, c) _mm256_or_si256(_mm256_or_si256(a, b), c)
#define VB_OR3_IS_ONE 0
#define VB_MEET(a, b) (!_mm256_testz_si256(a, b))
#define VB_HMAX_U(v) v_hmax_u8(v)
#define VB_LAST(v) ((uint8_t)_mm256_extract_epi8(v, 31))

#define VW_SET1(x) _mm256_set1_epi16((short)(x))
#define VW_ADD(a, b) _mm256_add_epi16(a, b)
#define VW_ADDS(a, b) _mm256_adds_epi16(a, b)
#define VW_SUBS(a, b) _mm256_subs_epi16(a, b)
#define VW_MAX(a, b) _mm256_max_epi16(a, b)
#define VW_ADDS_U(a, b) _mm256_adds_epu16(a, b)
#define VW_MIN_U(a, b) _mm256_min_epu16(a, b)
WS_INLINE V v_pick16(uint32_t bits, V a, V b) {
    const V bit = _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, INT16_MIN);
    return _mm256_blendv_epi8(b, a, _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16((short)bits), bit), bit));
}
#define VW_PICK(bits, a, b) v_pick16((uint32_t)(bits), a, b)
#define VW_UP1(v, fill) _mm256_alignr_epi8(v, _mm256_permute2x128_si256(v, fill, 0x03), 14)
#define VW_ANY_GT(a, b) (_mm256_movemask_epi8(_mm256_cmpgt_epi16(a, b)) != 0)

WS_INLINE int16_t v_hmax_s16(V v) {
    __m128i b = _mm_max_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    b = _mm_max_epi16(b, _mm_srli_si128(b, 8));
    b = _mm_max_epi16(b, _mm_srli_si128(b, 4));
    b = _mm_max_epi16(b, _mm_srli_si128(b, 2));
    return (int16_t)_mm_cvtsi128_si32(b);
}
#define VW_HMAX(v) v_hmax_s16(v)

#define VI_LANES 8
#define VI_SET1(x) _mm256_set1_epi32((int)(x))
#define VI_ADD(a, b) _mm256_add_epi32(a, b)
#define VI_MIN_U(a, b) _mm256_min_epu32(a, b)
WS_INLINE V v_pick32(uint32_t bits, V a, V b) {
    const V bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return _mm256_blendv_epi8(b, a, _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)bits), bit), bit));
}
#define VI_PICK(bits, a, b) v_pick32((uint32_t)(bits), a, b)
#define VI_LOAD(p) V_LOAD(p)
#define VI_MUL(a, b) _mm256_mullo_epi32(a, b)
#define VI_SUB(a, b) _mm256_sub_epi32(a, b)
#define VI_OF_BYTES(p) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p)))
#define VI_OF_VF(v) _mm256_castps_si256(v)
typedef __m256i VIM;
#define VI_GT(a, b) _mm256_cmpgt_epi32(a, b)
#define VI_EQ(a, b) _mm256_cmpeq_epi32(a, b)
#define VIM_BITS(m) ((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(m)))
#define VIM_PICK(m, a, b) _mm256_blendv_epi8(b, a, m)
#define VF_OF_TOP24(v) _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(v, 8)), _mm256_set1_ps(0x1p-24f))

#define VF_LOAD(p) _mm256_load_ps(p)
#define VF_STORE(p, v) _mm256_store_ps(p, v)
#define VF_SET1(x) _mm256_set1_ps(x)
#define VF_ADD(a, b) _mm256_add_ps(a, b)
#define VF_MUL(a, b) _mm256_mul_ps(a, b)
#define VF_DIV(a, b) _mm256_div_ps(a, b)
#define VF_MAX(a, b) _mm256_max_ps(a, b)
#define VF_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
/* Looks eight numbers up by bytes below 32. A gather would take four times as long: Intel's processors do these slowly
 * since a leak was closed, and AMD's never did them fast. */
WS_INLINE __m256 v_lookup32(const float *t, const uint8_t *p) {
    const __m256i i = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)p));
    const __m256 by8 = _mm256_castsi256_ps(_mm256_slli_epi32(i, 28));
    const __m256 by16 = _mm256_castsi256_ps(_mm256_slli_epi32(i, 27));
    const __m256 a = _mm256_permutevar8x32_ps(_mm256_loadu_ps(t), i);
    const __m256 b = _mm256_permutevar8x32_ps(_mm256_loadu_ps(t + 8), i);
    const __m256 c = _mm256_permutevar8x32_ps(_mm256_loadu_ps(t + 16), i);
    const __m256 d = _mm256_permutevar8x32_ps(_mm256_loadu_ps(t + 24), i);
    return _mm256_blendv_ps(_mm256_blendv_ps(a, b, by8), _mm256_blendv_ps(c, d, by8), by16);
}
#define VF_LOOKUP32(t, p) v_lookup32(t, p)

WS_INLINE __m256 v_f32_up_small(__m256 v, __m256 below, int off) {
    const __m256i a = _mm256_castps_si256(v), b = _mm256_castps_si256(_mm256_permute2f128_ps(below, v, 0x21));
    switch (off) {
    case 1: return _mm256_castsi256_ps(_mm256_alignr_epi8(a, b, 12));
    case 2: return _mm256_castsi256_ps(_mm256_alignr_epi8(a, b, 8));
    default: return _mm256_castsi256_ps(b);
    }
}

WS_INLINE void v_f32_up(VF out[V32], const VF in[V32], int off) {
    const VF zero = _mm256_setzero_ps(), a = in[0], b = in[1], c = in[2], d = in[3];
    if (off == 16) {
        out[0] = zero, out[1] = zero, out[2] = a, out[3] = b;
    } else if (off == 8) {
        out[0] = zero, out[1] = a, out[2] = b, out[3] = c;
    } else {
        out[0] = v_f32_up_small(a, zero, off), out[1] = v_f32_up_small(b, a, off);
        out[2] = v_f32_up_small(c, b, off), out[3] = v_f32_up_small(d, c, off);
    }
}
#define VF32_UP(out, in, off) v_f32_up(out, in, off)

WS_INLINE float v_f32_sum(const VF in[V32]) {
    __m256 a = _mm256_add_ps(_mm256_add_ps(in[0], in[2]), _mm256_add_ps(in[1], in[3]));
    __m128 b = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    b = _mm_add_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}
#define VF32_SUM(in) v_f32_sum(in)

#define VF_LOADU(p) _mm256_loadu_ps(p)
#define VF_STOREU(p, v) _mm256_storeu_ps(p, v)
#define VF_AND(a, b) _mm256_and_ps(a, b)

typedef __m256 VM;
typedef uint8_t v_mask_bits;
#define VM_GT(a, b) _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define VM_GE(a, b) _mm256_cmp_ps(a, b, _CMP_GE_OQ)
#define VM_AND(a, b) _mm256_and_ps(a, b)
#define VM_OR(a, b) _mm256_or_ps(a, b)
#define VM_ANDNOT(a, b) _mm256_andnot_ps(b, a)
#define VM_BITS(m) ((uint32_t)_mm256_movemask_ps(m))
#define VM_ANY(m) (_mm256_movemask_ps(m) != 0)
#define VM_PICK(m, a, b) _mm256_blendv_ps(b, a, m)

#define VP_QUADS 2
#define VP_BCAST(p) _mm256_broadcast_ps((const __m128 *)(const void *)(p))
#define VP_SPREAD(p) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_broadcast_ss(p)), _mm_broadcast_ss((p) + 1), 1)
WS_INLINE void v_firsts(float *p, VF v) {
    p[0] = _mm256_cvtss_f32(v);
    p[1] = _mm_cvtss_f32(_mm256_extractf128_ps(v, 1));
}
#define VP_FIRSTS(p, v) v_firsts(p, v)
#define VP_LOADS(at, off) \
    _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps((at)[0] + (off))), _mm_load_ps((at)[1] + (off)), 1)
WS_INLINE void v_stores(float *const *at, size_t off, VF v) {
    _mm_store_ps(at[0] + off, _mm256_castps256_ps128(v));
    _mm_store_ps(at[1] + off, _mm256_extractf128_ps(v, 1));
}
#define VP_STORES(at, off, v) v_stores(at, off, v)
#define VP_UP(v) _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(v), 4))
#define VP_DOWN(v) _mm256_castsi256_ps(_mm256_srli_si256(_mm256_castps_si256(v), 4))
WS_INLINE VF v_quad_sum(VF v) {
    v = _mm256_add_ps(v, _mm256_permute_ps(v, 0xb1));
    return _mm256_add_ps(v, _mm256_permute_ps(v, 0x4e));
}
#define VP_SPLAT1(v) _mm256_permute_ps(v, 0x55)
#define VP_SUM(v) v_quad_sum(v)
WS_INLINE VF v_quad_max(VF v) {
    v = _mm256_max_ps(v, _mm256_permute_ps(v, 0xb1));
    return _mm256_max_ps(v, _mm256_permute_ps(v, 0x4e));
}
#define VP_MAX(v) v_quad_max(v)
#define VP_MIX(a, b, c, d) _mm256_blend_ps(_mm256_blend_ps(a, b, 0xaa), _mm256_blend_ps(c, d, 0xaa), 0xcc)
WS_INLINE void v_transpose(VF r[4]) {
    const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(r[0], r[1])),
                  b = _mm256_castps_pd(_mm256_unpacklo_ps(r[2], r[3]));
    const __m256d c = _mm256_castps_pd(_mm256_unpackhi_ps(r[0], r[1])),
                  d = _mm256_castps_pd(_mm256_unpackhi_ps(r[2], r[3]));
    r[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
    r[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
    r[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(c, d));
    r[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(c, d));
}
#define VP_TRANSPOSE(r) v_transpose(r)
WS_INLINE void v_exchange(VF r[VP_QUADS]) {
    const VF a = r[0];
    r[0] = _mm256_permute2f128_ps(a, r[1], 0x20);
    r[1] = _mm256_permute2f128_ps(a, r[1], 0x31);
}
#define VP_EXCHANGE(r) v_exchange(r)

#define VD_LOAD(p) _mm256_load_pd(p)
#define VD_STORE(p, v) _mm256_store_pd(p, v)
#define VD_FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define VD_SET1(x) _mm256_set1_pd(x)
#define VD_ADD(a, b) _mm256_add_pd(a, b)
#define VD_SUB(a, b) _mm256_sub_pd(a, b)
#define VD_MUL(a, b) _mm256_mul_pd(a, b)
#define VD_OF_HALF(v, h) _mm256_cvtps_pd(_mm256_extractf128_ps(v, h))
#define VF_OF_HALVES(a, b) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(a)), _mm256_cvtpd_ps(b), 1)
#define VD_BITS(v) _mm256_castpd_si256(v)
#define VD_FROM_BITS(v) _mm256_castsi256_pd(v)
#define VL_SET1(x) _mm256_set1_epi64x(x)
#define VL_ADD(a, b) _mm256_add_epi64(a, b)
#define VL_SUB(a, b) _mm256_sub_epi64(a, b)
#define VL_AND(a, b) _mm256_and_si256(a, b)
#define VL_OR(a, b) _mm256_or_si256(a, b)
#define VL_SHR(a, n) _mm256_srli_epi64(a, n)
WS_INLINE __m256d v_lookup16(const double *t, __m256i i) {
    const __m128i low = _mm256_castsi256_si128(i), high = _mm256_extracti128_si256(i, 1);
    return _mm256_set_pd(t[_mm_extract_epi64(high, 1)], t[_mm_cvtsi128_si64(high)], t[_mm_extract_epi64(low, 1)],
                         t[_mm_cvtsi128_si64(low)]);
}
#define VD_LOOKUP16(t, idx) v_lookup16(t, idx)

#endif
