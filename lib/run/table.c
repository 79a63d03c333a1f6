/* SPDX-License-Identifier: MIT
 * What all tables have: see lib/run/table.h. */
#include "lib/run/table.h"

#include "lib/base/mem.h"

#include <string.h>

static int add_names(ws_buf *out, const char *const *name, int n, const char *between, ws_err *err) {
    int rc = WS_OK;
    for (int i = 0; i < n && !rc; i++) rc = ws_buf_addf(out, err, "%s%s", i ? between : "", name[i]);
    return rc;
}

int ws_table_head(const ws_job *job, const char *const *name, int n, ws_buf *out, ws_err *err) {
    if (job->common.header == WS_HEADER_NONE) return WS_OK;
    int rc = job->common.header == WS_HEADER_HASH ? ws_buf_add(out, "#", 1, err) : WS_OK;
    if (!rc) rc = add_names(out, name, n, "\t", err);
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

int ws_table_count(const char *list) {
    int n = 1;
    for (; *list; list++) n += *list == ',';
    return n;
}

static int unknown(const char *const *name, int n, const char *field, size_t len, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_buf all = {0};
    int rc = add_names(&all, name, n, ",", err);
    if (!rc) rc = ws_fail(err, WS_EUSAGE, "--fields: there is no column \"%s\"; there are %s", ws_quote(q, field, len), all.p);
    ws_buf_release(&all);
    return rc;
}

int ws_table_choose(const char *list, const char *const *name, int n, int *pick, int room, int *npick, ws_err *err) {
    const int count = list ? ws_table_count(list) : n;
    if (count > room) return ws_fail(err, WS_EUSAGE, "--fields: %d columns, at most %d are possible", count, room);
    for (int k = 0; k < count; k++) {
        const size_t len = list ? strcspn(list, ",") : 0;
        int i = list ? 0 : k;
        while (list && i < n && (strlen(name[i]) != len || memcmp(name[i], list, len) != 0)) i++;
        if (i == n) return unknown(name, n, list, len, err);
        pick[k] = i;
        if (list) list += len + 1;
    }
    *npick = count;
    return WS_OK;
}

int ws_table_end(const ws_job *job, uint64_t rows, const char *counts, ws_buf *out, ws_err *err) {
    if (job->common.no_provenance) return WS_OK;
    return ws_buf_addf(out, err, "##end rows=%llu%s\n", (unsigned long long)rows, counts);
}
