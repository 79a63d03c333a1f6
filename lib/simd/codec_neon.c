/* SPDX-License-Identifier: MIT
 * The codec in NEON: lib/simd/codec.inc.h with 128-bit registers. */
#ifdef __aarch64__
#include "lib/simd/codec.h"

#include <arm_neon.h>
#include <string.h>

static inline uint8x16_t load_part(const char *p, size_t n) {
    uint8_t part[16];
    memset(part, ' ', sizeof part);
    memcpy(part, p, n);
    return vld1q_u8(part);
}

/* Both factors are unsigned here: the constants of the body have no negative byte. */
static inline uint8x16_t maddubs(uint8x16_t a, uint8x16_t b) {
    const uint16x8_t low = vmull_u8(vget_low_u8(a), vget_low_u8(b)), high = vmull_high_u8(a, b);
    return vreinterpretq_u8_u16(vpaddq_u16(low, high));
}

static inline uint8x16_t madd16(int16x8_t a, int16x8_t b) {
    const int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b)), high = vmull_high_s16(a, b);
    return vreinterpretq_u8_s32(vpaddq_s32(low, high));
}

/* Adds each half's bits of their own place. */
static inline uint64_t tops(uint8x16_t v) {
    static const uint8_t bit[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t top = vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(v), 7));
    uint8x16_t sum = vandq_u8(top, vld1q_u8(bit));
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u16(vreinterpretq_u16_u8(sum), 0);
}

#define U16(v) vreinterpretq_u16_u8(v)
#define U32(v) vreinterpretq_u32_u8(v)
#define U64(v) vreinterpretq_u64_u8(v)
#define OF_U16(v) vreinterpretq_u8_u16(v)
#define OF_U32(v) vreinterpretq_u8_u32(v)
#define OF_U64(v) vreinterpretq_u8_u64(v)

#define CODEC ws_codec_neon
#define CODEC_NAME "neon"
#define V uint8x16_t
#define VH uint8x8_t
#define V_BYTES 16
#define V_LOAD(p) vld1q_u8((const uint8_t *)(p))
#define V_LOAD_PART(p, n) load_part(p, n)
#define V_STORE(p, v) vst1q_u8((uint8_t *)(p), v)
#define VH_LOAD(p) vld1_u8((const uint8_t *)(p))
#define VH_STORE(p, v) vst1_u8((uint8_t *)(p), v)
#define V_SET8(x) vdupq_n_u8((uint8_t)(x))
#define V_SET32(x) OF_U32(vdupq_n_u32((uint32_t)(x)))
#define V_SET64(x) OF_U64(vdupq_n_u64((uint64_t)(x)))
#define V_ROW(p) vld1q_u8((const uint8_t *)(p))
#define V_LANES(p, step) V_LOAD(p)
#define V_AND vandq_u8
#define V_OR vorrq_u8
#define V_XOR veorq_u8
#define V_ADD32(a, b) OF_U32(vaddq_u32(U32(a), U32(b)))
#define V_SHUFFLE8 vqtbl1q_u8
#define V_LOOKUP8 vqtbl1q_u8
#define V_MADDUBS(a, b) maddubs(a, b)
#define V_MADD16(a, b) madd16(vreinterpretq_s16_u8(a), vreinterpretq_s16_u8(b))
#define V_MULLO16(a, b) OF_U16(vmulq_u16(U16(a), U16(b)))
#define V_SRL16(v, n) OF_U16(vshrq_n_u16(U16(v), n))
#define V_SRL32(v, n) OF_U32(vshrq_n_u32(U32(v), n))
#define V_SRL64(v, n) OF_U64(vshrq_n_u64(U64(v), n))
#define V_SLL64(v, n) OF_U64(vshlq_n_u64(U64(v), n))
#define V_TOPS8(v) tops(v)
#define V_ANY(v) (vmaxvq_u32(U32(v)) != 0)
#define V_SPREAD(v) (v)
#define V_JOIN(v) (v)
#define V_TURN(v) (v)
#define V_NARROW(v) vreinterpret_u8_u32(vmovn_u64(U64(v)))
#define V_WIDEN(h) OF_U64(vmovl_u32(vreinterpret_u32_u8(h)))
#include "lib/simd/codec.inc.h"

#else
typedef int ws_codec_neon_is_for_arm;
#endif
