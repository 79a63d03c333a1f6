/* SPDX-License-Identifier: MIT
 * The codec in AVX-512 F and BW: lib/simd/codec.inc.h with 512-bit registers. A FASTA line of 60 is one step. */
#ifdef __AVX512BW__
#include "lib/simd/codec.h"

#include <immintrin.h>
#include <string.h>

static inline __m512i lanes(const uint8_t *p, size_t step) {
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)p));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p + step)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p + 2 * step)), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const __m128i *)(p + 3 * step)), 3);
}

#define CODEC ws_codec_avx512
#define CODEC_NAME "avx512"
#define V __m512i
#define VH __m256i
#define V_BYTES 64
#define V_LOAD(p) _mm512_loadu_si512(p)
#define V_LOAD_PART(p, n) _mm512_mask_loadu_epi8(_mm512_set1_epi8(' '), (UINT64_C(1) << (n)) - 1, p)
#define V_STORE(p, v) _mm512_storeu_si512(p, v)
#define VH_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define VH_STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define V_SET8(x) _mm512_set1_epi8((char)(x))
#define V_SET32(x) _mm512_set1_epi32(x)
#define V_SET64(x) _mm512_set1_epi64(x)
#define V_ROW(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p)))
#define V_LANES(p, step) lanes(p, step)
#define V_AND _mm512_and_si512
#define V_OR _mm512_or_si512
#define V_XOR _mm512_xor_si512
#define V_ADD32 _mm512_add_epi32
#define V_SHUFFLE8 _mm512_shuffle_epi8
/* The addition sets the top bit from 16 on, for which the shuffle gives 0. */
#define V_LOOKUP8(t, v) _mm512_shuffle_epi8(t, _mm512_adds_epu8(v, _mm512_set1_epi8(0x70)))
#define V_MADDUBS _mm512_maddubs_epi16
#define V_MADD16 _mm512_madd_epi16
#define V_MULLO16 _mm512_mullo_epi16
#define V_SRL16 _mm512_srli_epi16
#define V_SRL32 _mm512_srli_epi32
#define V_SRL64 _mm512_srli_epi64
#define V_SLL64 _mm512_slli_epi64
#define V_TOPS8(v) ((uint64_t)_mm512_movepi8_mask(v))
#define V_ANY(v) (_mm512_test_epi32_mask(v, v) != 0)
#define V_SPREAD(v) _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11), v)
#define V_JOIN(v) _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15, 15, 15), v)
#define V_TURN(v) _mm512_shuffle_i64x2(v, v, 0x1b)
#define V_NARROW(v) _mm512_cvtepi64_epi32(v)
#define V_WIDEN(h) _mm512_cvtepu32_epi64(h)
#include "lib/simd/codec.inc.h"

#else
typedef int ws_codec_avx512_is_for_x86;
#endif
