/* SPDX-License-Identifier: MIT
 * Flush of subnormal results and operands to zero, for the calling thread, as HMMER does in Forward and later
 * stages. It covers plain and vector arithmetic. */
#ifndef WS_SIMD_FLUSH_H
#define WS_SIMD_FLUSH_H

#include "lib/base/ws.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

/* Begins the flush. Returns the state that ws_flush_end restores. */
static inline uint32_t ws_flush_begin(void) {
    const uint32_t before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* flush to zero, denormals are zero */
    return before;
}
static inline void ws_flush_end(uint32_t before) { _mm_setcsr(before); }

#elif defined(__aarch64__)

static inline uint32_t ws_flush_begin(void) {
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | UINT64_C(1) << 24));
    return (uint32_t)before;
}
static inline void ws_flush_end(uint32_t before) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)before)); }

#else /* other processors keep subnormals: no known result depends on them (specification domains.md, section 12) */

static inline uint32_t ws_flush_begin(void) { return 0; }
static inline void ws_flush_end(uint32_t before) { (void)before; }

#endif
#endif
