/* SPDX-License-Identifier: MIT
 * The vector widths of this build, and which of them this machine can run.
 *
 * A width is one line here, its probe in width.c, its header v_<name>.h and its compiler flags in the Makefile. The
 * macros below list code that exists once for each width, so no other file names a width. */
#ifndef WS_SIMD_WIDTH_H
#define WS_SIMD_WIDTH_H

#ifdef __cplusplus
extern "C" {
#endif

/* WS_WIDTHS(F, ...) is F(width, ...) for each vector width of this build, widest first. The Makefile reads this list.
 * */
#if defined(__x86_64__)
#define WS_WIDTHS(F, ...) F(avx512, __VA_ARGS__) F(avx2, __VA_ARGS__)
#elif defined(__aarch64__)
#define WS_WIDTHS(F, ...) F(neon, __VA_ARGS__)
#else
#define WS_WIDTHS(F, ...)
#endif

/* Numbers of the widths, best first: WS_WIDTH_avx512 ... Scalar code runs everywhere and is last. */
#define WS_WIDTH_NUMBER_(width, ...) WS_WIDTH_##width,
enum { WS_WIDTHS(WS_WIDTH_NUMBER_, ) WS_WIDTH_scalar, WS_NWIDTH };

/* Declares objects of a type, prefix<width> for each width and prefix scalar. */
#define WS_WIDTH_DECLARE_(width, type, prefix) extern const type prefix##width;
#define WS_DECLARE_WIDTHS(type, prefix) WS_WIDTHS(WS_WIDTH_DECLARE_, type, prefix) extern const type prefix##scalar

/* Lists the addresses of all of them by number, to initialise an array [WS_NWIDTH]. */
#define WS_WIDTH_ADDRESS_(width, prefix) &prefix##width,
#define WS_BY_WIDTH(prefix) WS_WIDTHS(WS_WIDTH_ADDRESS_, prefix) &prefix##scalar

/* The widths that this machine can run. */
typedef struct ws_cpu {
    const char *why_not[WS_NWIDTH]; /* by number: NULL if the width runs here, else the reason for --list-backends */
} ws_cpu;

extern const char *const ws_width_name[WS_NWIDTH]; /* "avx512" ... "scalar" */

/* Asks the processor and the operating system, and fills *cpu. */
void ws_cpu_probe(ws_cpu *cpu);

/* Returns the number of the best width that runs here. */
int ws_cpu_best(const ws_cpu *cpu);

/* Returns 1 if maxima and saturating differences of 512 bits share one port, so that two other operations cost less
 * than one more maximum: on Intel's processors, not on AMD's. kernels/ssv/README.md has the figures of one Xeon and one
 * EPYC, and no other processor was measured. */
int ws_cpu_has_dear_maxima(void);

#ifdef __cplusplus
}
#endif
#endif
