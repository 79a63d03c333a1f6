/* SPDX-License-Identifier: MIT
 * Lines and fields of pair-HMM input, with the checks that every format shares, and the lists that parsers fill. */
#include "kernels/pairhmm/pairhmm.h"

#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- lists ---- */

void ws_pairhmm_text_reset(ws_pairhmm_text *t) { t->nread = t->nhap = t->nregion = t->npair = 0; }

void ws_pairhmm_text_release(ws_pairhmm_text *t) {
    ws_free(t->read);
    ws_free(t->hap);
    ws_free(t->region);
}

ws_pairhmm_read *ws_pairhmm_add_read(ws_pairhmm_text *t, ws_err *err) {
    return ws_grow(&t->read, &t->read_cap, t->nread + 1, sizeof *t->read, err) ? NULL : &t->read[t->nread++];
}

ws_pairhmm_hap *ws_pairhmm_add_hap(ws_pairhmm_text *t, ws_err *err) {
    return ws_grow(&t->hap, &t->hap_cap, t->nhap + 1, sizeof *t->hap, err) ? NULL : &t->hap[t->nhap++];
}

ws_pairhmm_region *ws_pairhmm_add_region(ws_pairhmm_text *t, ws_err *err) {
    if (ws_grow(&t->region, &t->region_cap, t->nregion + 1, sizeof *t->region, err)) return NULL;
    ws_pairhmm_region *g = &t->region[t->nregion++];
    *g = (ws_pairhmm_region){.read = t->nread, .hap = t->nhap, .pair = t->npair};
    return g;
}

/* ---- lines ---- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int ws_pairhmm_next_line(ws_pairhmm_line *l, const char **p, const char *end) {
    if (*p >= end) return 0;
    const char *lf = memchr(*p, '\n', (size_t)(end - *p));
    l->p = *p;
    l->end = lf ? lf : end;
    l->number++;
    *p = lf ? lf + 1 : end;
    if (l->end > l->p && l->end[-1] == '\r') l->end--;
    return 1;
}

int ws_pairhmm_blank(const ws_pairhmm_line *l) {
    const char *p = l->p;
    while (p < l->end && is_blank(*p)) p++;
    return p == l->end;
}

int ws_pairhmm_fail(ws_err *err, const ws_pairhmm_line *l, const char *at, const char *fmt, ...) {
    char what[WS_ERR_MAX / 2], column[32] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    if (at) snprintf(column, sizeof column, ", column %zu", (size_t)(at - l->p) + 1);
    return ws_fail(err, WS_EDATA, "%s: line %llu%s: %s", l->name, (unsigned long long)l->number, column, what);
}

size_t ws_pairhmm_split(const ws_pairhmm_line *l, ws_pairhmm_field *f, size_t max) {
    size_t n = 0;
    for (const char *p = l->p;;) {
        while (p < l->end && is_blank(*p)) p++;
        if (p == l->end) return n;
        const char *from = p;
        while (p < l->end && !is_blank(*p)) p++;
        if (n < max) f[n] = (ws_pairhmm_field){from, (size_t)(p - from)};
        n++;
    }
}

/* ---- characters: loops that the compiler vectorises; after a failed check a second loop finds the place ---- */

static int all_letters(const char *p, size_t n) {
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++) bad |= (uint8_t)((p[i] | 0x20) - 'a') > 25;
    return !bad;
}

static int all_qualities(const char *p, size_t n) {
    unsigned bad = 0;
    for (size_t i = 0; i < n; i++) bad |= (uint8_t)(p[i] - 33) > 93;
    return !bad;
}

static int check_letters(const ws_pairhmm_line *l, const ws_pairhmm_field *f, const char *what, ws_err *err) {
    if (all_letters(f->p, f->n)) return WS_OK;
    const char *p = f->p;
    while (all_letters(p, 1)) p++;
    char q[WS_QUOTE_MAX];
    return ws_pairhmm_fail(err, l, p, "\"%s\" in the %s is no base; letters are", ws_quote(q, p, 1), what);
}

static int check_qualities(const ws_pairhmm_line *l, const ws_pairhmm_field *f, const char *what, ws_err *err) {
    if (all_qualities(f->p, f->n)) return WS_OK;
    const char *p = f->p;
    while (all_qualities(p, 1)) p++;
    char q[WS_QUOTE_MAX];
    return ws_pairhmm_fail(err, l, p, "\"%s\" in the %s is no quality; characters 33 (!) to 126 (~) are",
                           ws_quote(q, p, 1), what);
}

static int too_long(const ws_pairhmm_line *l, const ws_pairhmm_field *f, ws_err *err) {
    return ws_pairhmm_fail(err, l, f->p, "a string of %zu characters; at most 2147483647 are possible", f->n);
}

int ws_pairhmm_read_of(ws_pairhmm_read *r, const ws_pairhmm_line *l, const ws_pairhmm_field f[5], ws_err *err) {
    static const char *const what[5] = {"read", "base qualities", "insertion qualities", "deletion qualities",
                                        "gap continuation qualities"};
    if (f[0].n > INT32_MAX) return too_long(l, &f[0], err);
    int rc = check_letters(l, &f[0], what[0], err);
    for (int i = 1; i < 5 && !rc; i++) {
        rc = check_qualities(l, &f[i], what[i], err);
        if (!rc && f[i].n != f[0].n)
            rc = ws_pairhmm_fail(err, l, f[i].p, "%zu %s for a read of %zu bases", f[i].n, what[i], f[0].n);
    }
    *r = (ws_pairhmm_read){(const uint8_t *)f[0].p, (const uint8_t *)f[1].p, (const uint8_t *)f[2].p,
                           (const uint8_t *)f[3].p, (const uint8_t *)f[4].p, (uint32_t)f[0].n};
    return rc;
}

int ws_pairhmm_hap_of(ws_pairhmm_hap *h, const ws_pairhmm_line *l, const ws_pairhmm_field *f, ws_err *err) {
    if (f->n > INT32_MAX) return too_long(l, f, err);
    *h = (ws_pairhmm_hap){(const uint8_t *)f->p, (uint32_t)f->n};
    return check_letters(l, f, "haplotype", err);
}
