/* SPDX-License-Identifier: MIT
 * The batch text of most programs: a line "R H", R lines of a read and its four quality strings, H lines of a
 * haplotype. */
#include "kernels/pairhmm/pairhmm.h"

#include <string.h>

static int count_of(uint64_t *v, const ws_pairhmm_line *l, const ws_pairhmm_field *f, ws_err *err) {
    char q[WS_QUOTE_MAX];
    *v = 0;
    if (f->p[0] == '-') return ws_pairhmm_fail(err, l, f->p, "a negative count, \"%s\"", ws_quote(q, f->p, f->n));
    for (size_t i = 0; i < f->n; i++) {
        const unsigned digit = (unsigned)(uint8_t)f->p[i] - '0';
        if (digit > 9) return ws_pairhmm_fail(err, l, f->p, "\"%s\" is no count", ws_quote(q, f->p, f->n));
        if (*v > (INT64_MAX - 9) / 10)
            return ws_pairhmm_fail(err, l, f->p, "the count \"%s\" is too large", ws_quote(q, f->p, f->n));
        *v = *v * 10 + digit;
    }
    return WS_OK;
}

int ws_pairhmm_header(const ws_pairhmm_line *l, uint64_t *R, uint64_t *H, ws_err *err) {
    ws_pairhmm_field f[2];
    const size_t n = ws_pairhmm_split(l, f, 2);
    if (n != 2)
        return ws_pairhmm_fail(err, l, NULL, "%zu fields where the counts of reads and haplotypes are expected", n);
    int rc = count_of(R, l, &f[0], err);
    return rc ? rc : count_of(H, l, &f[1], err);
}

/* Splits the usual line without a search: five strings of equal length with one blank between them. Returns 0 for
 * any other line. */
static int equal_fields(const ws_pairhmm_line *l, ws_pairhmm_field f[5]) {
    const size_t n = (size_t)(l->end - l->p), m = (n - 4) / 5;
    if (n < 9 || n != 5 * m + 4) return 0;
    for (size_t i = 0; i < 5; i++) {
        f[i] = (ws_pairhmm_field){l->p + i * (m + 1), m};
        if (i < 4 && f[i].p[m] != ' ') return 0;
        if (i == 0 && memchr(l->p, ' ', m)) return 0;
    }
    return 1;
}

static int add_read(ws_pairhmm_text *t, const ws_pairhmm_line *l, uint64_t k, uint64_t R, ws_err *err) {
    ws_pairhmm_field f[5];
    if (!equal_fields(l, f)) {
        const size_t n = ws_pairhmm_split(l, f, 5);
        if (n != 5)
            return ws_pairhmm_fail(err, l, NULL,
                                   "%zu strings; read %llu of %llu needs bases and four strings of qualities", n,
                                   (unsigned long long)k, (unsigned long long)R);
    }
    ws_pairhmm_read *r = ws_pairhmm_add_read(t, err);
    return r ? ws_pairhmm_read_of(r, l, f, err) : WS_ENOMEM;
}

static int add_hap(ws_pairhmm_text *t, const ws_pairhmm_line *l, uint64_t k, uint64_t H, ws_err *err) {
    ws_pairhmm_field f;
    const size_t n = ws_pairhmm_split(l, &f, 1);
    if (n != 1)
        return ws_pairhmm_fail(err, l, NULL, "%zu strings; haplotype %llu of %llu is one", n, (unsigned long long)k,
                               (unsigned long long)H);
    ws_pairhmm_hap *h = ws_pairhmm_add_hap(t, err);
    return h ? ws_pairhmm_hap_of(h, l, &f, err) : WS_ENOMEM;
}

static int ended(ws_pairhmm_line *l, const char *what, uint64_t k, uint64_t n, uint64_t batch, ws_err *err) {
    l->number++;
    return ws_pairhmm_fail(err, l, NULL, "the input ends inside batch %llu: %s %llu of %llu is missing",
                           (unsigned long long)batch, what, (unsigned long long)k, (unsigned long long)n);
}

static int parse_region(ws_pairhmm_text *t, ws_pairhmm_line *l, const char **p, const char *end, uint64_t number,
                        ws_err *err) {
    uint64_t R, H;
    int rc = ws_pairhmm_header(l, &R, &H, err);
    if (rc) return rc;
    ws_pairhmm_region *g = ws_pairhmm_add_region(t, err);
    if (!g) return WS_ENOMEM;
    for (uint64_t k = 1; k <= R && !rc; k++)
        rc = ws_pairhmm_next_line(l, p, end) ? add_read(t, l, k, R, err) : ended(l, "read", k, R, number, err);
    for (uint64_t k = 1; k <= H && !rc; k++)
        rc = ws_pairhmm_next_line(l, p, end) ? add_hap(t, l, k, H, err) : ended(l, "haplotype", k, H, number, err);
    g->number = number;
    g->R = R;
    g->H = H;
    g->all = R;
    if (!rc && (R > UINT32_MAX / 2 || H > UINT32_MAX / 2 || (H && R > SIZE_MAX / 64 / H)))
        rc = ws_pairhmm_fail(err, l, NULL, "batch %llu is too large", (unsigned long long)number);
    if (rc) { /* the regions before it stay in t */
        t->nread = g->read;
        t->nhap = g->hap;
        t->nregion--;
        return rc;
    }
    t->npair += R * H;
    return WS_OK;
}

int ws_pairhmm_parse_batches(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_origin *at, ws_err *err) {
    ws_pairhmm_line l = {.number = at->line - 1, .name = at->name};
    const char *end = p + n;
    t->from = p;
    t->size = n;
    uint64_t number = at->number;
    int rc = WS_OK;
    while (!rc && ws_pairhmm_next_line(&l, &p, end))
        if (!ws_pairhmm_blank(&l)) rc = parse_region(t, &l, &p, end, number++, err);
    if (at->all && t->nregion) {
        t->region[0].first = at->first;
        t->region[0].all = at->all;
    }
    return rc;
}
