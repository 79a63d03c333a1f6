/* SPDX-License-Identifier: MIT
 * A fuzz target: its name, the folder of its seeds, and libFuzzer's entry. A target aborts on a state that must not be.
 * */
#ifndef WS_TESTS_FUZZ_H
#define WS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern const char ws_fuzz_name[];
extern const long ws_fuzz_cost __attribute__((weak)); /* of a target that is slow: its runs are so many times fewer */
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

#define FUZZ_CHECK(what)                                             \
    do {                                                             \
        if (!(what)) {                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                 \
        }                                                            \
    } while (0)

/* A copy of its own, so that a look beyond it is seen by the sanitizer. */
static inline uint8_t *fuzz_copy(const uint8_t *p, size_t n) {
    uint8_t *q = malloc(n ? n : 1);
    if (!q) abort();
    for (size_t i = 0; i < n; i++) q[i] = p[i];
    return q;
}

#endif
