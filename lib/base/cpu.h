/* SPDX-License-Identifier: MIT
 * What this processor can do and how much of it we may use. */
#ifndef WS_BASE_CPU_H
#define WS_BASE_CPU_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ws_cpu {
    int avx2;     /* AVX2 and FMA, and the operating system saves the 256-bit registers (XGETBV) */
    int avx512;   /* AVX-512 F, BW, VL and DQ, and 512-bit registers saved */
    const char *why_not_avx2, *why_not_avx512; /* NULL where usable, else the reason for --list-backends */
} ws_cpu;

/* Asks the processor (CPUID) and the operating system; cannot fail. */
void ws_cpu_probe(ws_cpu *cpu);

/* Around what only builds for x86-64 have: the backends of its vector units. Elsewhere their files are not compiled. */
#if defined(__x86_64__)
#define WS_X86(...) __VA_ARGS__
#else
#define WS_X86(...)
#endif

/* Threads worth starting: the smaller of the affinity mask and the cgroup's CPU quota (rounded up), at least 1. */
int ws_cpu_allowed(void);

#ifdef __cplusplus
}
#endif
#endif
