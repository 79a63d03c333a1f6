/* SPDX-License-Identifier: MIT
 * The choice of columns: see lib/base/fields.h. */
#include "lib/base/fields.h"

#include <string.h>

const char *ws_name_of(const ws_names *l, int i) {
    const char *name;
    memcpy(&name, (const char *)l->element + (size_t)i * l->size, sizeof name);
    return name;
}

int ws_names_add(ws_buf *out, const ws_names *l, const char *between, ws_err *err) {
    int rc = WS_OK;
    for (int i = 0; i < l->n && !rc; i++) rc = ws_buf_addf(out, err, "%s%s", i ? between : "", ws_name_of(l, i));
    return rc;
}

int ws_fields_count(const char *list) {
    int n = 1;
    for (; *list; list++) n += *list == ',';
    return n;
}

static int unknown(const ws_names *all, const char *field, size_t len, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_buf names = {0};
    int rc = ws_names_add(&names, all, ",", err);
    if (!rc)
        rc = ws_fail(err, WS_EUSAGE, "--fields: there is no column \"%s\"; there are %s",
                     ws_quote(q, field, len), names.p);
    ws_buf_release(&names);
    return rc;
}

static int find(const ws_names *all, const char *field, size_t len) {
    int i = 0;
    while (i < all->n && (strlen(ws_name_of(all, i)) != len || memcmp(ws_name_of(all, i), field, len) != 0)) i++;
    return i;
}

int ws_fields_choose(const char *list, const ws_names *all, int *pick, int room, int *npick, ws_err *err) {
    const int count = list ? ws_fields_count(list) : all->n;
    if (count > room) return ws_fail(err, WS_EUSAGE, "--fields: %d columns, at most %d are possible", count, room);
    for (int k = 0; k < count; k++) {
        const size_t len = list ? strcspn(list, ",") : 0;
        pick[k] = list ? find(all, list, len) : k;
        if (pick[k] == all->n) return unknown(all, list, len, err);
        if (list) list += len + 1;
    }
    *npick = count;
    return WS_OK;
}
