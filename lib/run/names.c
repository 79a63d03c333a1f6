/* SPDX-License-Identifier: MIT
 * Target indices by name: an open hash table over XXH3, built once. */
#include "lib/run/stream.h"

#include <string.h>
#include <xxhash.h>

struct ws_names {
    const ws_target *target;
    uint32_t *slot; /* index + 1; 0: empty */
    size_t mask;
};

static uint32_t *find_slot(const ws_names *names, const char *name, size_t n) {
    size_t h = (size_t)XXH3_64bits(name, n) & names->mask;
    for (;; h = (h + 1) & names->mask) {
        uint32_t *s = &names->slot[h];
        if (*s == 0) return s;
        const char *have = names->target[*s - 1].name;
        if (strlen(have) == n && memcmp(have, name, n) == 0) return s;
    }
}

int ws_names_create(ws_names **out, const ws_target *target, size_t n, ws_err *err) {
    size_t size = 4;
    while (size < 2 * n) size *= 2; /* at most half full, so searches are short and end */
    *out = NULL;
    ws_names *names = ws_calloc(1, sizeof *names, err);
    if (!names) return WS_ENOMEM;
    names->target = target;
    names->mask = size - 1;
    names->slot = ws_calloc(size, sizeof *names->slot, err);
    if (!names->slot) {
        ws_names_destroy(names);
        return WS_ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t *s = find_slot(names, target[i].name, strlen(target[i].name));
        if (*s) {
            char q[WS_QUOTE_MAX];
            ws_names_destroy(names);
            return ws_fail(err, WS_EDATA, "two models are named %s, so the rows of a table cannot say which they mean",
                           ws_quote(q, target[i].name, strlen(target[i].name)));
        }
        *s = (uint32_t)(i + 1);
    }
    *out = names;
    return WS_OK;
}

void ws_names_destroy(ws_names *names) {
    if (!names) return;
    ws_free(names->slot);
    ws_free(names);
}

uint32_t ws_names_find(const ws_names *names, const char *name, size_t n) {
    uint32_t s = *find_slot(names, name, n);
    return s == 0 ? UINT32_MAX : s - 1;
}
