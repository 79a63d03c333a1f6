/* SPDX-License-Identifier: MIT
 * Items listed by a small number that each has, such as rows by their model. */
#ifndef WS_BASE_COUNTING_SORT_H
#define WS_BASE_COUNTING_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where the keys stand: a uint32_t `offset` bytes into each of n elements of `size` bytes; with `map` its value there.
 * Elements whose key is not one of the nkey keys from `first` on are left out. */
typedef struct ws_keys {
    const void *element;
    size_t size, offset, n;
    uint32_t first, nkey;
    const uint32_t *map; /* NULL: none */
} ws_keys;

static inline uint32_t ws_key_of(const ws_keys *k, size_t i) {
    uint32_t key;
    memcpy(&key, (const char *)k->element + i * k->size + k->offset, sizeof key);
    return (k->map ? k->map[key] : key) - k->first;
}

/* Lists the indices of the elements by key, and those of equal keys in their order. The elements of key first + k are
 * item[start[k]] to item[start[k + 1] - 1]. item: room for n; start: room for nkey + 2. */
static inline void ws_counting_sort(const ws_keys *k, uint32_t *item, uint32_t *start) {
    memset(start, 0, ((size_t)k->nkey + 2) * sizeof *start);
    /* start[key + 1] is where the next item of key goes, and at last the end of its items */
    for (size_t i = 0; i < k->n; i++)
        if (ws_key_of(k, i) < k->nkey) start[ws_key_of(k, i) + 2]++;
    for (size_t key = 0; key < k->nkey; key++) start[key + 2] += start[key + 1];
    for (size_t i = 0; i < k->n; i++)
        if (ws_key_of(k, i) < k->nkey) item[start[ws_key_of(k, i) + 1]++] = (uint32_t)i;
}

#endif
