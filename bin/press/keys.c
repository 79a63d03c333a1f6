/* SPDX-License-Identifier: MIT
 * Names and accessions that are looked for: see bin/press/program.h. */
#include <string.h>

#include "bin/press/program.h"
#include "lib/base/system.h"
#include "lib/compress/source.h"

const char *ws_picks_key(const ws_picks *p, size_t i) { return p->text.p + p->at[i]; }

static int add(ws_picks *p, const char *key, size_t n, ws_err *err) {
    int rc = ws_grow(&p->at, &p->cap, p->n + 1, sizeof *p->at, err);
    if (!rc) rc = ws_buf_reserve(&p->text, n + 1, err);
    if (rc) return rc;
    p->at[p->n++] = p->text.n;
    memcpy(p->text.p + p->text.n, key, n);
    p->text.p[p->text.n + n] = '\0';
    p->text.n += n + 1;
    return WS_OK;
}

int ws_picks_add(ws_picks *p, const char *key, ws_err *err) { return add(p, key, strlen(key), err); }

static int by_key(const void *a, const void *b, void *picks) {
    return strcmp(ws_picks_key(picks, *(const uint32_t *)a), ws_picks_key(picks, *(const uint32_t *)b));
}

int ws_picks_sort(ws_picks *p, ws_err *err) {
    p->sorted = ws_calloc(p->n, sizeof *p->sorted, err);
    p->found = ws_calloc(p->n, sizeof *p->found, err);
    if (!p->sorted || !p->found) return WS_ENOMEM;
    for (size_t i = 0; i < p->n; i++) p->sorted[i] = (uint32_t)i;
    ws_system_sort(p->sorted, p->n, sizeof *p->sorted, by_key, p);
    return WS_OK;
}

static int check_twice(const ws_picks *p, const char *path, ws_err *err) {
    char q[WS_QUOTE_MAX];
    for (size_t i = 1; i < p->n; i++) {
        const char *key = ws_picks_key(p, p->sorted[i]);
        if (strcmp(key, ws_picks_key(p, p->sorted[i - 1])) == 0)
            return ws_fail(err, WS_EDATA, "%s: the key %s occurs more than once; take out all but one of them",
                           ws_source_name_of(path), ws_quote(q, key, strlen(key)));
    }
    return WS_OK;
}

int ws_picks_read(ws_picks *p, const char *path, ws_err *err) {
    static const char blank[] = " \t\r\n";
    char *text = NULL;
    size_t n;
    int rc = ws_source_slurp(path, NULL, &text, &n, err);
    if (!rc && memchr(text, '\0', n))
        rc = ws_fail(err, WS_EDATA, "%s: a byte of it is zero, but it should be a list of names, one on a line",
                     ws_source_name_of(path));
    for (const char *line = text; !rc && line < text + n;) {
        const char *word = line + strspn(line, " \t\r");
        const size_t length = strcspn(word, blank);
        if (length && *word != '#') rc = add(p, word, length, err);
        line = word + strcspn(word, "\n");
        line += *line == '\n';
    }
    ws_free(text);
    if (!rc) rc = ws_picks_sort(p, err);
    return rc ? rc : check_twice(p, path, err);
}

uint32_t ws_picks_find(const ws_picks *p, const char *key) {
    size_t from = 0, to = key ? p->n : 0;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const int order = strcmp(key, ws_picks_key(p, p->sorted[middle]));
        if (order == 0) return p->sorted[middle];
        if (order < 0) to = middle;
        else from = middle + 1;
    }
    return UINT32_MAX;
}

int ws_picks_check(const ws_picks *p, const char *path, ws_err *err) {
    char q[WS_QUOTE_MAX];
    size_t missing = 0, first = 0;
    for (size_t i = p->n; i-- > 0;)
        if (!p->found[i]) {
            missing++;
            first = i;
        }
    if (!missing) return WS_OK;
    const char *key = ws_picks_key(p, first);
    if (missing == 1)
        return ws_fail(err, WS_EDATA, "%s has no model called %s", ws_source_name_of(path),
                       ws_quote(q, key, strlen(key)));
    return ws_fail(err, WS_EDATA, "%s has no model called %s, and %zu more", ws_source_name_of(path),
                   ws_quote(q, key, strlen(key)), missing - 1);
}

void ws_picks_release(ws_picks *p) {
    ws_buf_release(&p->text);
    ws_free(p->at);
    ws_free(p->sorted);
    ws_free(p->found);
}
