/* SPDX-License-Identifier: MIT
 * exp, exp2, log, log2 and pow by the names that they had before glibc 2.29, where they are the same functions:
 * portable programs (packaging/stage.sh) are linked with this and run on glibc 2.27. Hidden, or libm itself would call
 * these. */
#ifdef __aarch64__
#define FIRST "GLIBC_2.17" /* glibc's first version for this processor */
#else
#define FIRST "GLIBC_2.2.5"
#endif
#define FORM(name, parameters, arguments)                                                                              \
    __attribute__((visibility("hidden"))) double name parameters;                                                      \
    double ws_old_##name parameters;                                                                                   \
    __asm__(".symver ws_old_" #name "," #name "@" FIRST);                                                         \
    double name parameters { return ws_old_##name arguments; }
FORM(exp, (double x), (x))
FORM(exp2, (double x), (x))
FORM(log, (double x), (x))
FORM(log2, (double x), (x))
FORM(pow, (double x, double y), (x, y))
