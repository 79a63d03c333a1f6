/* SPDX-License-Identifier: MIT
 * The processor probe: see lib/simd/width.h. */
#include "lib/simd/width.h"

#include <stddef.h>
#include <stdint.h>

#define NAME(width, ...) #width,
const char *const ws_width_name[WS_NWIDTH] = {WS_WIDTHS(NAME, ) "scalar"};

int ws_cpu_best(const ws_cpu *cpu) {
    int width = 0;
    while (cpu->why_not[width]) width++; /* scalar always runs */
    return width;
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <pthread.h>
#include <string.h>

enum {
    L1_ECX_FMA = 1 << 12,
    L1_ECX_OSXSAVE = 1 << 27,
    L7_EBX_AVX2 = 1 << 5,
    L7_EBX_BMI2 = 1 << 8,
    L7_EBX_AVX512F = 1 << 16,
    L7_EBX_AVX512DQ = 1 << 17,
    L7_EBX_AVX512BW = 1 << 30,
    XCR0_YMM = 0x06, /* state of SSE and AVX */
    XCR0_ZMM = 0xe6  /* also the mask registers, the upper halves, registers 16-31 */
};
#define L7_EBX_AVX512VL (1u << 31)

static uint64_t xcr0(void) {
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static const char *without_avx2(uint32_t ecx1, uint32_t ebx7, uint64_t saved) {
    if (!(ecx1 & L1_ECX_OSXSAVE)) return "the operating system does not save vector registers";
    if ((saved & XCR0_YMM) != XCR0_YMM) return "the operating system does not save 256-bit registers";
    if (!(ebx7 & L7_EBX_AVX2)) return "the processor has no AVX2";
    if (!(ecx1 & L1_ECX_FMA)) return "the processor has no FMA";
    if (!(ebx7 & L7_EBX_BMI2)) return "the processor has no BMI2";
    return NULL;
}

static const char *without_avx512(uint32_t ebx7, uint64_t saved) {
    if (!(ebx7 & L7_EBX_AVX512F)) return "the processor has no AVX-512";
    if ((saved & XCR0_ZMM) != XCR0_ZMM) return "the operating system does not save 512-bit registers";
    if (!(ebx7 & L7_EBX_AVX512BW)) return "the processor's AVX-512 lacks BW";
    if (!(ebx7 & L7_EBX_AVX512VL)) return "the processor's AVX-512 lacks VL";
    if (!(ebx7 & L7_EBX_AVX512DQ)) return "the processor's AVX-512 lacks DQ";
    return NULL;
}

/* The answers, for the process. In a virtual machine its host answers, which takes some 20 microseconds for each
 * question, and __builtin_cpu_is asks ten at the start of every program. */
static struct {
    pthread_once_t once;
    ws_cpu cpu;
    int is_intel;
} found = {.once = PTHREAD_ONCE_INIT};

static void ask(void) {
    uint32_t a, b, c = 0, d, b7 = 0, c7, d7, maker[3];
    uint64_t saved = 0;
    if (__get_cpuid(0, &a, &maker[0], &maker[2], &maker[1])) found.is_intel = memcmp(maker, "GenuineIntel", 12) == 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) c = 0;
    if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d7)) b7 = 0;
    if (c & L1_ECX_OSXSAVE) saved = xcr0();
    const char *avx2 = found.cpu.why_not[WS_WIDTH_avx2] = without_avx2(c, b7, saved);
    found.cpu.why_not[WS_WIDTH_avx512] = avx2 ? avx2 : without_avx512(b7, saved);
}

void ws_cpu_probe(ws_cpu *cpu) {
    (void)pthread_once(&found.once, ask);
    *cpu = found.cpu;
}

int ws_cpu_has_dear_maxima(void) {
    (void)pthread_once(&found.once, ask);
    return found.is_intel;
}

#else /* every width of other processors is part of their architecture, as NEON is of 64-bit ARM */

void ws_cpu_probe(ws_cpu *cpu) { *cpu = (ws_cpu){{NULL}}; }

int ws_cpu_has_dear_maxima(void) { return 0; }

#endif
