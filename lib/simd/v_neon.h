/* SPDX-License-Identifier: MIT
 * The V* macros for NEON of 64-bit ARM: 16 bytes, 8 words, 4 floats, 2 doubles to a register. v_avx512.h specifies
 * them. Products and sums are operations of their own: only VF_FMA and VD_FMA are fused. */
#ifndef WS_SIMD_V
#define WS_SIMD_V

#include "lib/base/ws.h"

#include <arm_neon.h>
#include <string.h>

#define V_REGISTERS 32
#define VB_LANES 16
#define VW_LANES 8
#define VF_LANES 4
#define VD_LANES 2
#define V32 8

typedef uint8x16_t V;
typedef float32x4_t VF;
typedef float64x2_t VD;

/* Views of a V as other lanes, and back. */
#define V_S8(v) vreinterpretq_s8_u8(v)
#define V_S16(v) vreinterpretq_s16_u8(v)
#define V_U16(v) vreinterpretq_u16_u8(v)
#define V_S32(v) vreinterpretq_s32_u8(v)
#define V_U32(v) vreinterpretq_u32_u8(v)
#define V_S64(v) vreinterpretq_s64_u8(v)
#define V_U64(v) vreinterpretq_u64_u8(v)
#define V_OF_S8(v) vreinterpretq_u8_s8(v)
#define V_OF_S16(v) vreinterpretq_u8_s16(v)
#define V_OF_U16(v) vreinterpretq_u8_u16(v)
#define V_OF_S32(v) vreinterpretq_u8_s32(v)
#define V_OF_U32(v) vreinterpretq_u8_u32(v)
#define V_OF_S64(v) vreinterpretq_u8_s64(v)
#define V_OF_U64(v) vreinterpretq_u8_u64(v)

#define V_LOAD(p) vld1q_u8((const uint8_t *)(const void *)(p))
#define V_LOADU(p) V_LOAD(p)
#define V_STORE(p, v) vst1q_u8((uint8_t *)(void *)(p), v)
#define V_STOREU(p, v) V_STORE(p, v)
WS_INLINE int v_any(V v) { return vmaxvq_u32(V_U32(v)) != 0; }

#define VB_SET1(x) vdupq_n_u8((uint8_t)(x))
#define VB_ADDS_U(a, b) vqaddq_u8(a, b)
#define VB_SUBS_U(a, b) vqsubq_u8(a, b)
#define VB_SUBS_S(a, b) V_OF_S8(vqsubq_s8(V_S8(a), V_S8(b)))
#define VB_SUB(a, b) vsubq_u8(a, b)
#define VB_MAX_U(a, b) vmaxq_u8(a, b)
#define VB_MAX_S(a, b) V_OF_S8(vmaxq_s8(V_S8(a), V_S8(b)))
#define VB_MIN_U(a, b) vminq_u8(a, b)
WS_INLINE V v_dot8(V a, V b) {
    const int16x8_t low = vmulq_s16(V_S16(V_OF_U16(vmovl_u8(vget_low_u8(a)))), vmovl_s8(vget_low_s8(V_S8(b))));
    const int16x8_t high = vmulq_s16(V_S16(V_OF_U16(vmovl_high_u8(a))), vmovl_high_s8(V_S8(b)));
    return V_OF_S16(vqaddq_s16(vuzp1q_s16(low, high), vuzp2q_s16(low, high)));
}
#define VB_DOT(a, b) v_dot8(a, b)
WS_INLINE V v_pick8(uint32_t bits, V a, V b) {
    static const uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const V spread = vcombine_u8(vdup_n_u8((uint8_t)bits), vdup_n_u8((uint8_t)(bits >> 8)));
    return vbslq_u8(vtstq_u8(spread, vld1q_u8(bit)), a, b);
}
#define VB_PICK(bits, a, b) v_pick8((uint32_t)(bits), a, b)
#define VB_UP1(v, fill) vextq_u8(fill, v, 15)
#define VB_GROUP_UP1(v, fill) vextq_u8(fill, v, 15)
#define VB_UP_GROUP(v, fill) ((void)(v), (fill))
#define VB_GROUP_TO_TOP(v, g) (v)
#define VB_LOAD_GROUPS(p, step) ((void)(step), vld1q_u8(p))
#define VB_ANY_GT_U(a, b) v_any(vcgtq_u8(a, b))
#define VB_COUNT_EQ(n, a, b) vsubq_u8(n, vceqq_u8(a, b))

typedef V vb_watch;
#define VB_BELOW vdupq_n_u8(0x80)
#define VB_WATCH(w, v, most) VB_MAX_S(w, v)
#define VB_ABOVE(w, most) v_any(vcgtq_s8(V_S8(w), V_S8(most)))
#define VB_WATCH_JOINED(Q) ((Q) / 2)
#define VB_WATCHES(Q, S) ((Q) > 6 ? 2 : 1)

#define VB_XOR(a, b) veorq_u8(a, b)
#define VB_OR3(a, b, c) vorrq_u8(vorrq_u8(a, b), c)
#define VB_OR3_IS_ONE 0
#define VB_MEET(a, b) v_any(vandq_u8(a, b))
#define VB_HMAX_U(v) vmaxvq_u8(v)
#define VB_LAST(v) vgetq_lane_u8(v, 15)

#define VW_SET1(x) V_OF_S16(vdupq_n_s16((int16_t)(x)))
#define VW_ADD(a, b) V_OF_S16(vaddq_s16(V_S16(a), V_S16(b)))
#define VW_ADDS(a, b) V_OF_S16(vqaddq_s16(V_S16(a), V_S16(b)))
#define VW_SUBS(a, b) V_OF_S16(vqsubq_s16(V_S16(a), V_S16(b)))
#define VW_MAX(a, b) V_OF_S16(vmaxq_s16(V_S16(a), V_S16(b)))
#define VW_ADDS_U(a, b) V_OF_U16(vqaddq_u16(V_U16(a), V_U16(b)))
#define VW_MIN_U(a, b) V_OF_U16(vminq_u16(V_U16(a), V_U16(b)))
WS_INLINE V v_pick16(uint32_t bits, V a, V b) {
    static const uint16_t bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return vbslq_u8(V_OF_U16(vtstq_u16(vdupq_n_u16((uint16_t)bits), vld1q_u16(bit))), a, b);
}
#define VW_PICK(bits, a, b) v_pick16((uint32_t)(bits), a, b)
#define VW_UP1(v, fill) vextq_u8(fill, v, 14)
#define VW_ANY_GT(a, b) v_any(V_OF_U16(vcgtq_s16(V_S16(a), V_S16(b))))
#define VW_HMAX(v) vmaxvq_s16(V_S16(v))

#define VI_LANES 4
#define VI_SET1(x) V_OF_S32(vdupq_n_s32((int32_t)(x)))
#define VI_ADD(a, b) V_OF_S32(vaddq_s32(V_S32(a), V_S32(b)))
#define VI_MIN_U(a, b) V_OF_U32(vminq_u32(V_U32(a), V_U32(b)))
WS_INLINE V v_pick32(uint32_t bits, V a, V b) {
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vbslq_u8(V_OF_U32(vtstq_u32(vdupq_n_u32(bits), vld1q_u32(bit))), a, b);
}
#define VI_PICK(bits, a, b) v_pick32((uint32_t)(bits), a, b)
#define VI_LOAD(p) V_LOAD(p)
#define VI_MUL(a, b) V_OF_S32(vmulq_s32(V_S32(a), V_S32(b)))
#define VI_SUB(a, b) V_OF_S32(vsubq_s32(V_S32(a), V_S32(b)))
WS_INLINE V v_of_bytes(const void *p) {
    uint32_t four;
    memcpy(&four, p, sizeof four);
    return V_OF_U32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four)))));
}
#define VI_OF_BYTES(p) v_of_bytes(p)
#define VI_OF_VF(v) vreinterpretq_u8_f32(v)
typedef uint32x4_t VIM;
#define VI_GT(a, b) vcgtq_s32(V_S32(a), V_S32(b))
#define VI_EQ(a, b) vceqq_s32(V_S32(a), V_S32(b))
WS_INLINE uint32_t v_bits(uint32x4_t m) {
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(m, vld1q_u32(bit)));
}
#define VIM_BITS(m) v_bits(m)
#define VIM_PICK(m, a, b) vbslq_u8(V_OF_U32(m), a, b)
#define VF_OF_TOP24(v) vcvtq_n_f32_u32(vshrq_n_u32(V_U32(v), 8), 24)

/* The maximum of two zeros, and of a NaN, is not that of x86. Bodies have neither negative zeros nor NaNs there. */
#define VF_LOAD(p) vld1q_f32(p)
#define VF_STORE(p, v) vst1q_f32(p, v)
#define VF_SET1(x) vdupq_n_f32(x)
#define VF_ADD(a, b) vaddq_f32(a, b)
#define VF_MUL(a, b) vmulq_f32(a, b)
#define VF_DIV(a, b) vdivq_f32(a, b)
#define VF_MAX(a, b) vmaxq_f32(a, b)
#define VF_FMA(a, b, c) vfmaq_f32(c, a, b)
WS_INLINE VF v_lookup32(const float *t, const uint8_t *p) {
    const VF v = {t[p[0]], t[p[1]], t[p[2]], t[p[3]]};
    return v;
}
#define VF_LOOKUP32(t, p) v_lookup32(t, p)

WS_INLINE void v_f32_up(VF out[V32], const VF in[V32], int off) {
    const VF zero = vdupq_n_f32(0.0f);
    const int whole = off / 4; /* registers */
    VF v[V32];
    for (int j = 0; j < V32; j++) {
        const VF below = j ? in[j - 1] : zero;
        if (off == 1) v[j] = vextq_f32(below, in[j], 3);
        else if (off == 2) v[j] = vextq_f32(below, in[j], 2);
        else v[j] = j < whole ? zero : in[j - whole];
    }
    for (int j = 0; j < V32; j++) out[j] = v[j];
}
#define VF32_UP(out, in, off) v_f32_up(out, in, off)

WS_INLINE float v_f32_sum(const VF in[V32]) {
    const VF even = vaddq_f32(vaddq_f32(in[0], in[4]), vaddq_f32(in[2], in[6]));
    const VF odd = vaddq_f32(vaddq_f32(in[1], in[5]), vaddq_f32(in[3], in[7]));
    const VF four = vaddq_f32(even, odd);
    return vpadds_f32(vadd_f32(vget_low_f32(four), vget_high_f32(four)));
}
#define VF32_SUM(in) v_f32_sum(in)

#define VF_LOADU(p) vld1q_f32(p)
#define VF_STOREU(p, v) vst1q_f32(p, v)
#define VF_AND(a, b) vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)))

typedef uint32x4_t VM;
typedef uint8_t v_mask_bits;
#define VM_GT(a, b) vcgtq_f32(a, b)
#define VM_GE(a, b) vcgeq_f32(a, b)
#define VM_AND(a, b) vandq_u32(a, b)
#define VM_OR(a, b) vorrq_u32(a, b)
#define VM_ANDNOT(a, b) vbicq_u32(a, b)
#define VM_BITS(m) v_bits(m)
#define VM_ANY(m) (vmaxvq_u32(m) != 0)
#define VM_PICK(m, a, b) vbslq_f32(m, a, b)

#define VP_QUADS 1
#define VP_BCAST(p) vld1q_f32(p)
#define VP_SPREAD(p) vld1q_dup_f32(p)
#define VP_FIRSTS(p, v) vst1q_lane_f32(p, v, 0)
#define VP_LOADS(at, off) vld1q_f32((at)[0] + (off))
#define VP_STORES(at, off, v) vst1q_f32((at)[0] + (off), v)
#define VP_UP(v) vextq_f32(vdupq_n_f32(0.0f), v, 3)
#define VP_DOWN(v) vextq_f32(v, vdupq_n_f32(0.0f), 1)
#define VP_SPLAT1(v) vdupq_laneq_f32(v, 1)
WS_INLINE VF v_quad_sum(VF v) {
    const VF pairs = vpaddq_f32(v, v);
    return vpaddq_f32(pairs, pairs);
}
#define VP_SUM(v) v_quad_sum(v)
#define VP_MAX(v) vdupq_n_f32(vmaxvq_f32(v))
#define VP_MIX(a, b, c, d) vcopyq_laneq_f32(vcopyq_laneq_f32(vcopyq_laneq_f32(a, 1, b, 1), 2, c, 2), 3, d, 3)
WS_INLINE void v_transpose(VF r[4]) {
    const VD a = vreinterpretq_f64_f32(vtrn1q_f32(r[0], r[1])), b = vreinterpretq_f64_f32(vtrn1q_f32(r[2], r[3]));
    const VD c = vreinterpretq_f64_f32(vtrn2q_f32(r[0], r[1])), d = vreinterpretq_f64_f32(vtrn2q_f32(r[2], r[3]));
    r[0] = vreinterpretq_f32_f64(vtrn1q_f64(a, b));
    r[1] = vreinterpretq_f32_f64(vtrn1q_f64(c, d));
    r[2] = vreinterpretq_f32_f64(vtrn2q_f64(a, b));
    r[3] = vreinterpretq_f32_f64(vtrn2q_f64(c, d));
}
#define VP_TRANSPOSE(r) v_transpose(r)
#define VP_EXCHANGE(r) ((void)(r)) /* a register is one quad */

#define VD_LOAD(p) vld1q_f64(p)
#define VD_STORE(p, v) vst1q_f64(p, v)
#define VD_FMA(a, b, c) vfmaq_f64(c, a, b)
#define VD_SET1(x) vdupq_n_f64(x)
#define VD_ADD(a, b) vaddq_f64(a, b)
#define VD_SUB(a, b) vsubq_f64(a, b)
#define VD_MUL(a, b) vmulq_f64(a, b)
#define VD_OF_HALF(v, h) ((h) ? vcvt_high_f64_f32(v) : vcvt_f64_f32(vget_low_f32(v)))
#define VF_OF_HALVES(a, b) vcvt_high_f32_f64(vcvt_f32_f64(a), b)
#define VD_BITS(v) vreinterpretq_u8_f64(v)
#define VD_FROM_BITS(v) vreinterpretq_f64_u8(v)
#define VL_SET1(x) V_OF_S64(vdupq_n_s64(x))
#define VL_ADD(a, b) V_OF_S64(vaddq_s64(V_S64(a), V_S64(b)))
#define VL_SUB(a, b) V_OF_S64(vsubq_s64(V_S64(a), V_S64(b)))
#define VL_AND(a, b) vandq_u8(a, b)
#define VL_OR(a, b) vorrq_u8(a, b)
#define VL_SHR(a, n) V_OF_U64(vshrq_n_u64(V_U64(a), n))
WS_INLINE VD v_lookup16(const double *t, V idx) {
    const VD v = {t[vgetq_lane_u64(V_U64(idx), 0)], t[vgetq_lane_u64(V_U64(idx), 1)]};
    return v;
}
#define VD_LOOKUP16(t, idx) v_lookup16(t, idx)

#endif
