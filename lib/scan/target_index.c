/* SPDX-License-Identifier: MIT
 * Target indices by name: an open hash table over XXH3, built once. */
#include "lib/scan/state.h"

#include <string.h>
#include <xxhash.h>

struct ws_target_index {
    const ws_target *target;
    uint32_t *entry; /* index + 1; 0: empty */
    size_t mask;
};

static uint32_t *find_entry(const ws_target_index *index, const char *name, size_t n) {
    size_t h = (size_t)XXH3_64bits(name, n) & index->mask;
    for (;; h = (h + 1) & index->mask) {
        uint32_t *s = &index->entry[h];
        if (*s == 0) return s;
        const char *have = index->target[*s - 1].name;
        if (strlen(have) == n && memcmp(have, name, n) == 0) return s;
    }
}

int ws_target_index_create(ws_target_index **out, const ws_target *target, size_t n, ws_err *err) {
    size_t size = 4;
    while (size < 2 * n) size *= 2; /* at most half full, so searches are short and end */
    *out = NULL;
    ws_target_index *index = ws_calloc(1, sizeof *index, err);
    if (!index) return WS_ENOMEM;
    index->target = target;
    index->mask = size - 1;
    index->entry = ws_calloc(size, sizeof *index->entry, err);
    if (!index->entry) {
        ws_target_index_destroy(index);
        return WS_ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t *s = find_entry(index, target[i].name, strlen(target[i].name));
        if (*s) {
            char q[WS_QUOTE_MAX];
            ws_target_index_destroy(index);
            return ws_fail(err, WS_EDATA, "duplicate model name %s; a table needs unique names",
                           ws_quote(q, target[i].name, strlen(target[i].name)));
        }
        *s = (uint32_t)(i + 1);
    }
    *out = index;
    return WS_OK;
}

void ws_target_index_destroy(ws_target_index *index) {
    if (!index) return;
    ws_free(index->entry);
    ws_free(index);
}

uint32_t ws_target_index_find(const ws_target_index *index, const char *name, size_t n) {
    uint32_t s = *find_entry(index, name, n);
    return s == 0 ? UINT32_MAX : s - 1;
}
