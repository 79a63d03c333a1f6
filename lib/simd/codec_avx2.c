/* SPDX-License-Identifier: MIT
 * The codec in AVX2: lib/simd/codec.inc.h with 256-bit registers. */
#ifdef __AVX2__
#include "lib/simd/codec.h"

#include <immintrin.h>
#include <string.h>

static inline __m256i load_part(const char *p, size_t n) {
    char part[32];
    memset(part, ' ', sizeof part);
    memcpy(part, p, n);
    return _mm256_loadu_si256((const __m256i *)part);
}

#define CODEC ws_codec_avx2
#define CODEC_NAME "avx2"
#define V __m256i
#define VH __m128i
#define V_BYTES 32
#define V_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define V_LOAD_PART(p, n) load_part(p, n)
#define V_STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define VH_LOAD(p) _mm_loadu_si128((const __m128i *)(p))
#define VH_STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define V_SET8(x) _mm256_set1_epi8((char)(x))
#define V_SET32(x) _mm256_set1_epi32(x)
#define V_SET64(x) _mm256_set1_epi64x(x)
#define V_ROW(p) _mm256_broadcastsi128_si256(VH_LOAD(p))
#define V_LANES(p, step) _mm256_inserti128_si256(_mm256_castsi128_si256(VH_LOAD(p)), VH_LOAD((p) + (step)), 1)
#define V_AND _mm256_and_si256
#define V_OR _mm256_or_si256
#define V_XOR _mm256_xor_si256
#define V_ADD32 _mm256_add_epi32
#define V_SHUFFLE8 _mm256_shuffle_epi8
/* The addition sets the top bit from 16 on, for which the shuffle gives 0. */
#define V_LOOKUP8(t, v) _mm256_shuffle_epi8(t, _mm256_adds_epu8(v, _mm256_set1_epi8(0x70)))
#define V_MADDUBS _mm256_maddubs_epi16
#define V_MADD16 _mm256_madd_epi16
#define V_MULLO16 _mm256_mullo_epi16
#define V_SRL16 _mm256_srli_epi16
#define V_SRL32 _mm256_srli_epi32
#define V_SRL64 _mm256_srli_epi64
#define V_SLL64 _mm256_slli_epi64
#define V_TOPS8(v) ((uint64_t)(uint32_t)_mm256_movemask_epi8(v))
#define V_ANY(v) (!_mm256_testz_si256(v, v))
#define V_SPREAD(v) _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5))
#define V_JOIN(v) _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7))
#define V_TURN(v) _mm256_permute4x64_epi64(v, 0x4e)
#define V_NARROW(v) _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)))
#define V_WIDEN(h) _mm256_cvtepu32_epi64(h)
#include "lib/simd/codec.inc.h"

#else
typedef int ws_codec_avx2_is_for_x86;
#endif
