/* SPDX-License-Identifier: MIT
 * The V* macros of the width that is being compiled. A vector body is a file whose name ends in simd.c. The Makefile
 * compiles each once for every width of lib/simd/width.h, with that width's flags, and defines V_WIDTH and V_HEADER.
 * v_avx512.h specifies the macros. */
#ifndef WS_SIMD_V_H
#define WS_SIMD_V_H

#ifndef V_WIDTH
#error "a vector body needs V_WIDTH, V_HEADER and the compiler flags of a width: see the Makefile"
#endif
#include V_HEADER

#define V_CAT2(a, b) a##b
#define V_CAT1(a, b) V_CAT2(a, b)
#define V_STRING2(a) #a
#define V_STRING1(a) V_STRING2(a)
#define V_NAME V_STRING1(V_WIDTH)         /* "avx2" */
#define V_FACE(name) V_CAT1(name, V_WIDTH) /* V_FACE(ws_ssv_) is ws_ssv_avx2 */

/* Before a loop with constant bounds: unrolls it wholly, so that arrays become registers. */
#if defined(__clang__)
#define V_UNROLL _Pragma("clang loop unroll(full)")
#else
#define V_UNROLL _Pragma("GCC unroll 64")
#endif

#endif
