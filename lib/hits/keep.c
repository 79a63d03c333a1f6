/* SPDX-License-Identifier: MIT
 * Memory, order and P-values of hit lists: see lib/hits/keep.h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "lib/hits/keep.h"

enum { BLOCK = 1 << 20 };

struct ws_hitblock {
    struct ws_hitblock *next;
    size_t n, cap; /* bytes in use, bytes there are */
};

void *ws_hits_keep(struct ws_hitblock **block, size_t n, ws_err *err) {
    const size_t head = (sizeof(struct ws_hitblock) + 7) & ~(size_t)7;
    n = (n + 7) & ~(size_t)7;
    if (!*block || (*block)->cap - (*block)->n < n) {
        const size_t cap = ws_max(BLOCK, n + head);
        struct ws_hitblock *b = ws_alloc(cap, err);
        if (!b) return NULL;
        *b = (struct ws_hitblock){.next = *block, .n = head, .cap = cap};
        *block = b;
    }
    void *p = memset((char *)*block + (*block)->n, 0, n);
    (*block)->n += n;
    return p;
}

void ws_hits_forget(struct ws_hitblock **block) {
    while (*block) {
        struct ws_hitblock *next = (*block)->next;
        ws_free(*block);
        *block = next;
    }
}

/* Moves element `from` of a heap of n to its place. Pairs of key and hit would need memory that may not be there when a
 * long list ends, so the list itself is a heap. */
static void sift(void **hit, size_t from, size_t n, int (*compare)(const void *a, const void *b, const void *ctx),
                 const void *ctx) {
    for (size_t at = from, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && compare(hit[child + 1], hit[child], ctx) > 0) child++;
        if (compare(hit[at], hit[child], ctx) >= 0) return;
        void *swap = hit[child];
        hit[child] = hit[at];
        hit[at] = swap;
    }
}

void ws_hits_sort(void *hits, size_t n, int (*compare)(const void *a, const void *b, const void *ctx),
                  const void *ctx) {
    void **hit = hits;
    for (size_t i = n / 2; i-- > 0;) sift(hit, i, n, compare, ctx);
    for (; n > 1; sift(hit, 0, n, compare, ctx)) {
        void *first = hit[0];
        hit[0] = hit[--n];
        hit[n] = first;
    }
}

double ws_hits_exp(double x) {
    const double e = exp(x);
    return e < DBL_MIN ? 0.0 : e;
}
