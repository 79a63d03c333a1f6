/* SPDX-License-Identifier: MIT
 * The results text of GATK (--pair-hmm-results-file) and of GKL's tests: one line for each pair, haplotype first,
 * with or without a value. The parser recovers regions from the lines, which saves work; values and their order do
 * not depend on regions. The matrix layout shows regions. They depend on the lines alone, because whole.c ends no
 * block inside a region. */
#include "kernels/pairhmm/pairhmm.h"

#include <string.h>

/* A region of more text than this ends before the next read, which bounds memory. */
enum { REGION_BYTES = 1 << 26 };

/* A region that is being read. Its first read makes the list of haplotypes, and each later read must repeat it. */
typedef struct grower {
    ws_pairhmm_text *t;
    size_t at;      /* haplotypes of the list that the last read has had */
    int collecting; /* the last read is the first of the region */
} grower;

static ws_pairhmm_region *last_region(grower *g) { return g->t->nregion ? &g->t->region[g->t->nregion - 1] : NULL; }

/* Returns 1 if the region's text reaches its limit where haplotype h begins. */
static int is_long(const grower *g, const ws_pairhmm_hap *h) {
    return h->base - g->t->read[g->t->region[g->t->nregion - 1].read].base >= REGION_BYTES;
}

static int same_hap(const ws_pairhmm_hap *a, const ws_pairhmm_hap *b) {
    return a->n == b->n && !memcmp(a->base, b->base, a->n);
}

static int new_region(grower *g, const ws_pairhmm_read *r, const ws_pairhmm_hap *hap, size_t n, ws_err *err) {
    ws_pairhmm_region *region = ws_pairhmm_add_region(g->t, err);
    ws_pairhmm_read *read = region ? ws_pairhmm_add_read(g->t, err) : NULL;
    if (!read) return WS_ENOMEM;
    *read = *r;
    for (size_t i = 0; i < n; i++) {
        ws_pairhmm_hap *h = ws_pairhmm_add_hap(g->t, err);
        if (!h) return WS_ENOMEM;
        *h = hap[i];
    }
    region->R = region->all = 1;
    region->H = n;
    g->collecting = 1;
    g->at = n;
    g->t->npair += n;
    return WS_OK;
}

/* Makes the last read, which lacks haplotypes of the list, the first read of a new region. */
static int split_off(grower *g, ws_err *err) {
    ws_pairhmm_region *region = last_region(g);
    if (!region || g->collecting || g->at == region->H) return WS_OK;
    const ws_pairhmm_read r = g->t->read[--g->t->nread];
    const size_t from = region->hap, n = g->at;
    region->R--;
    region->all--;
    g->t->npair -= n;
    int rc = new_region(g, &r, NULL, 0, err);
    for (size_t i = 0; i < n && !rc; i++) {
        ws_pairhmm_hap *h = ws_pairhmm_add_hap(g->t, err);
        if (!h) return WS_ENOMEM;
        *h = g->t->hap[from + i];
    }
    last_region(g)->H = g->at = n;
    g->t->npair += n;
    return rc;
}

static int next_read(grower *g, const ws_pairhmm_read *r, ws_err *err) {
    ws_pairhmm_read *read = ws_pairhmm_add_read(g->t, err);
    if (!read) return WS_ENOMEM;
    *read = *r;
    last_region(g)->R++;
    last_region(g)->all++;
    g->collecting = 0;
    g->at = 1;
    g->t->npair++;
    return WS_OK;
}

static int add_pair(grower *g, const ws_pairhmm_read *r, const ws_pairhmm_hap *h, ws_err *err) {
    ws_pairhmm_region *region = last_region(g);
    if (region) {
        const ws_pairhmm_hap *list = g->t->hap + region->hap;
        const int same = ws_pairhmm_same_read(&g->t->read[g->t->nread - 1], r);
        const int complete = g->collecting || g->at == region->H, full = complete && is_long(g, h);
        if (complete && !full && same_hap(&list[0], h)) return next_read(g, r, err);
        if (same && g->collecting && !full) {
            ws_pairhmm_hap *to = ws_pairhmm_add_hap(g->t, err);
            if (!to) return WS_ENOMEM;
            *to = *h;
            g->at = ++region->H;
            g->t->npair++;
            return WS_OK;
        }
        if (same && g->at < region->H && same_hap(&list[g->at], h)) {
            g->at++;
            g->t->npair++;
            return WS_OK;
        }
        const int cut = !g->collecting && g->at < region->H;
        int rc = split_off(g, err);
        if (rc) return rc;
        if (cut) return add_pair(g, r, h, err); /* at most once: the new region collects haplotypes */
    }
    return new_region(g, r, h, 1, err);
}

/* Cuts a comment off the last field: `cat` of files without a final newline joins the next header to it. */
static void cut_comment(ws_pairhmm_field f[7], size_t *n) {
    if (*n >= 7) {
        const char *hash = memchr(f[6].p, '#', f[6].n);
        if (!hash) return;
        f[6].n = (size_t)(hash - f[6].p);
        *n = f[6].n ? 7 : 6;
    } else if (*n == 6 && f[5].n > f[1].n && f[5].p[f[1].n] == '#') {
        f[5].n = f[1].n;
    }
}

static int is_value(const ws_pairhmm_field *f) {
    static const char *const words[] = {"NaN", "Infinity", "-Infinity", "inf", "-inf", "nan"};
    int digits = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (f->n == strlen(words[i]) && !memcmp(f->p, words[i], f->n)) return 1;
    for (size_t i = 0; i < f->n; i++) {
        digits |= f->p[i] >= '0' && f->p[i] <= '9';
        if (!strchr("0123456789+-.,eE", f->p[i]) || !f->p[i]) return 0;
    }
    return digits;
}

static int parse_line(grower *g, const ws_pairhmm_line *l, ws_err *err) {
    ws_pairhmm_field f[7];
    size_t n = ws_pairhmm_split(l, f, 7);
    char q[WS_QUOTE_MAX];
    if (n && f[0].n > 5 && !memcmp(f[0].p, "HMMER", 5) && f[0].p[5] >= '2' && f[0].p[5] <= '3') /* a digit is no base */
        return ws_pairhmm_fail(err, l, f[0].p,
                               "\"%s\" begins a profile HMM of HMMER: msvfilt, vitfilt and fwdscore read those",
                               ws_quote(q, f[0].p, f[0].n));
    if (n > 1 && f[1].p[0] == '[')
        return ws_pairhmm_fail(err, l, f[1].p, "partially determined haplotypes (GATK's PDHMM) are another model");
    const int glued =
        (n > 7 && (memchr(f[6].p, '#', f[6].n) != NULL)) || (n > 6 && f[5].n > f[1].n && f[5].p[f[1].n] == '#');
    if (n > 6 && f[5].n > f[1].n && f[5].p[f[1].n] == '#') n = 6;
    if (n < 6 || (n > 7 && !glued))
        return ws_pairhmm_fail(
            err, l, NULL, "%zu columns where haplotype, read, four quality strings and perhaps a value are expected",
            n);
    cut_comment(f, &n);
    if (n >= 7 && !is_value(&f[6]))
        return ws_pairhmm_fail(err, l, f[6].p, "\"%s\" is no value", ws_quote(q, f[6].p, f[6].n));
    ws_pairhmm_read r;
    ws_pairhmm_hap h;
    int rc = ws_pairhmm_hap_of(&h, l, &f[0], err);
    if (!rc) rc = ws_pairhmm_read_of(&r, l, f + 1, err);
    return rc ? rc : add_pair(g, &r, &h, err);
}

static int comment(const ws_pairhmm_line *l, ws_err *err) {
    const char *end = l->end;
    while (end > l->p && end[-1] == '\r') end--;
    if (memchr(l->p, '\r', (size_t)(end - l->p))) /* otherwise all lines after it would belong to the comment */
        return ws_pairhmm_fail(err, l, NULL,
                               "lines end in carriage returns alone, expected line feeds (tr '\\r' '\\n' makes them)");
    if (memmem(l->p, (size_t)(l->end - l->p), "hap-pd-bases", 12))
        return ws_pairhmm_fail(err, l, NULL, "partially determined haplotypes (GATK's PDHMM) are another model");
    return WS_OK;
}

static int parse(grower *g, const char *p, size_t n, const ws_pairhmm_origin *at, ws_err *err) {
    ws_pairhmm_line l = {.number = at->line - 1, .name = at->name};
    const char *end = p + n;
    g->t->from = p;
    g->t->size = n;
    int rc = WS_OK;
    while (!rc && ws_pairhmm_next_line(&l, &p, end)) {
        if (ws_pairhmm_blank(&l)) continue;
        rc = l.p[0] == '#' ? comment(&l, err) : parse_line(g, &l, err);
    }
    return rc;
}

int ws_pairhmm_parse_results(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_origin *at, ws_err *err) {
    grower g = {.t = t};
    ws_err later;
    int rc = parse(&g, p, n, at, err);
    int rc2 = split_off(&g, rc ? &later : err);
    return rc ? rc : rc2;
}

int ws_pairhmm_whole_results(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_origin *at, size_t *bytes,
                             ws_err *err) {
    grower g = {.t = t};
    ws_err fault;
    ws_pairhmm_text_reset(t);
    int rc = parse(&g, p, n, at, &fault);
    *bytes = n;
    if (rc == WS_ENOMEM) {
        *err = fault;
        return rc;
    }
    if (rc || !t->nregion) return WS_OK; /* the parser of the whole text reports what is wrong */
    const char *open = (const char *)t->read[t->region[t->nregion - 1].read].base;
    while (open > p && open[-1] != '\n') open--;
    *bytes = (size_t)(open - p);
    return WS_OK;
}
