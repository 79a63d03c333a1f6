/* SPDX-License-Identifier: MIT
 * Arrays that grow: content and alignment stay, small and large; a size that no machine has is refused. */
#include "lib/base/mem.h"
#include "tests/tap.h"

#include <stdint.h>
#include <string.h>

/* Grows an array by steps up to n numbers; returns whether each one is where it was. */
static int grows(size_t n) {
    uint64_t *p = NULL;
    size_t cap = 0;
    int fine = 1;
    ws_err err = {0};
    for (size_t i = 0; i < n && fine; i++) {
        fine = ws_grow(&p, &cap, i + 1, sizeof *p, &err) == WS_OK && cap > i && (uintptr_t)p % WS_ALIGN == 0;
        if (fine) p[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    }
    for (size_t i = 0; i < n && fine; i++) fine = p[i] == i * UINT64_C(0x9e3779b97f4a7c15);
    ws_free(p);
    return fine;
}

/* Asks for more than there is, of an array with n numbers; returns whether it is refused and stays as it was. */
static int refuses(size_t n) {
    uint64_t *p = NULL;
    size_t cap = 0;
    ws_err err = {0};
    if (ws_grow(&p, &cap, n, sizeof *p, &err)) return 0;
    memset(p, 7, n * sizeof *p);
    const uint64_t *before = p, was = p[n - 1];
    const size_t had = cap;
    const int fine = ws_grow(&p, &cap, SIZE_MAX / 32, sizeof *p, &err) == WS_ENOMEM && p == before && cap == had &&
                     p[n - 1] == was && strstr(err.text, "memory");
    ws_free(p);
    return fine;
}

/* Appends words of all lengths up to twice the room that a buffer keeps for a row; returns whether each is whole. */
static int prints(void) {
    enum { MOST = 1100 };
    static char word[MOST + 1];
    ws_buf b = {0};
    ws_err err = {0};
    int fine = 1;
    memset(word, 'x', MOST);
    for (int n = 0; n <= MOST && fine; n++) {
        const size_t before = b.n;
        fine = ws_buf_addf(&b, &err, "%d %s.", n % 10, word + MOST - n) == WS_OK && b.n == before + 3 + (size_t)n &&
               b.p[before] == '0' + n % 10 && b.p[b.n - 1] == '.' && b.p[b.n] == 0 &&
               strspn(b.p + before + 2, "x") == (size_t)n;
        if (n % 4 == 0) ws_buf_release(&b); /* the next one meets an empty buffer: 509 fills its room */
    }
    ws_buf_release(&b);
    return fine;
}

/* With a sanitizer, which ends a program that asks for more memory than any machine has, one of them is there. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

int main(void) {
    tap t = {0};
    tap_ok(&t, grows(100) && grows(100000), "small arrays");
    tap_ok(&t, grows(5000000), "an array of 40 MB");
    tap_ok(&t, prints(), "formatted text, in the room of a row and beyond");
    if (__asan_init || __tsan_init) tap_skip(&t, "too much", "a sanitizer would end the program");
    else tap_ok(&t, refuses(100) && refuses(1000000), "too much");
    return tap_end(&t);
}
