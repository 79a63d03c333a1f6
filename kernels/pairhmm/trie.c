/* SPDX-License-Identifier: MIT
 * Haplotypes of a region as a trie of columns, cut into segments. Columns that a haplotype shares with the previous
 * one are computed once: the sweep resumes from the state where they part. */
#include "kernels/pairhmm/pairhmm.h"

#include "lib/base/mem.h"
#include "lib/base/system.h"

#include <string.h>

static uint8_t letter_of(uint8_t c) { return c & 31; }

static size_t common_prefix(const ws_pairhmm_hap *a, const ws_pairhmm_hap *b) {
    const size_t n = ws_min(a->n, b->n);
    size_t i = 0;
    while (i < n && letter_of(a->base[i]) == letter_of(b->base[i])) i++;
    return i;
}

static int compare(const void *a_, const void *b_, void *hap_) {
    const ws_pairhmm_hap *hap = hap_, *a = hap + *(const uint32_t *)a_, *b = hap + *(const uint32_t *)b_;
    const size_t i = common_prefix(a, b);
    if (i < a->n && i < b->n) return letter_of(a->base[i]) - letter_of(b->base[i]);
    return a->n < b->n ? -1 : a->n > b->n;
}

void ws_pairhmm_order(const ws_pairhmm_hap *hap, uint32_t *list, size_t n) {
    ws_system_sort(list, n, sizeof *list, compare, (void *)(uintptr_t)hap);
}

void ws_pairhmm_trie_release(ws_pairhmm_trie *t) {
    ws_free(t->code);
    ws_free(t->seg);
    ws_free(t->end);
    ws_free(t->lcp);
    ws_free(t->cut);
    ws_free(t->open);
}

/* Counts the haplotypes that fit into max columns, at least one, and sets how many letters each shares with the one
 * before. */
static int measure(ws_pairhmm_trie *t, const ws_pairhmm_hap *hap, const uint32_t *list, size_t n, int share, size_t max,
                   ws_err *err) {
    t->nhap = 0;
    t->ncol = 1;
    int rc = ws_grow(&t->lcp, &t->lcp_cap, n, sizeof *t->lcp, err);
    for (size_t k = 0; k < n && !rc; k++) {
        const ws_pairhmm_hap *h = hap + list[k];
        const size_t same = k && share ? common_prefix(hap + list[k - 1], h) : 0;
        if (k && t->ncol + (h->n - same) > max) break;
        t->lcp[k] = (uint32_t)same;
        t->ncol += h->n - same;
        t->nhap++;
    }
    if (!rc) rc = ws_grow(&t->code, &t->code_cap, t->ncol, sizeof *t->code, err);
    if (!rc) rc = ws_grow(&t->end, &t->end_cap, t->nhap, sizeof *t->end, err);
    return rc;
}

static void write_codes(ws_pairhmm_trie *t, uint8_t code_of[32], const ws_pairhmm_hap *h, size_t from, uint8_t *to) {
    for (size_t i = from; i < h->n; i++) {
        const uint8_t letter = letter_of(h->base[i]);
        if (code_of[letter] == 0) {
            t->letter[t->ncode++] = letter;
            code_of[letter] = (uint8_t)t->ncode;
        }
        *to++ = (uint8_t)(code_of[letter] - 1);
    }
}

/* Finds the depths, in descending order, at which later haplotypes leave the columns that haplotype k adds; *ncut:
 * their number. */
static int find_cuts(ws_pairhmm_trie *t, size_t k, uint32_t n, size_t *ncut, ws_err *err) {
    uint32_t low = n + 1;
    *ncut = 0;
    for (size_t later = k + 1; later < t->nhap && t->lcp[later] > t->lcp[k]; later++) {
        if (t->lcp[later] >= low) continue;
        int rc = ws_grow(&t->cut, &t->cut_cap, *ncut + 1, sizeof *t->cut, err);
        if (rc) return rc;
        low = t->cut[(*ncut)++] = t->lcp[later];
    }
    return WS_OK;
}

/* Adds a segment after the innermost open branch, up to `depth`. With `keep` its end becomes the innermost open
 * branch. */
static int add_seg(ws_pairhmm_trie *t, uint32_t *col, uint32_t depth, int keep, ws_err *err) {
    int rc = ws_grow(&t->seg, &t->seg_cap, t->nseg + 1, sizeof *t->seg, err);
    if (!rc) rc = ws_grow(&t->open, &t->open_cap, t->nopen + 1, sizeof *t->open, err);
    if (rc) return rc;
    const ws_pairhmm_branch from = t->open[t->nopen - 1];
    ws_pairhmm_seg *s = &t->seg[t->nseg++];
    *s = (ws_pairhmm_seg){.begin = *col,
                          .end = *col + (depth - from.depth),
                          .pred = from.col,
                          .depth = from.depth,
                          .from = (uint32_t)t->nopen - 1,
                          .to = keep ? (uint32_t)t->nopen : 0};
    *col = s->end;
    if (keep) t->open[t->nopen++] = (ws_pairhmm_branch){.depth = depth, .col = s->end - 1};
    t->nbranch = ws_max(t->nbranch, t->nopen);
    return WS_OK;
}

/* Adds the columns that haplotype k, of n residues, does not share with the previous one. */
static int add_columns(ws_pairhmm_trie *t, size_t k, uint32_t n, uint32_t *col, ws_err *err) {
    size_t ncut;
    int rc = find_cuts(t, k, n, &ncut, err);
    if (rc) return rc;
    const int end_kept = ncut && t->cut[0] == n;
    while (ncut-- > (size_t)end_kept && !rc) rc = add_seg(t, col, t->cut[ncut], 1, err);
    return rc ? rc : add_seg(t, col, n, end_kept, err);
}

static int add_hap(ws_pairhmm_trie *t, size_t k, uint32_t n, uint32_t *col, ws_err *err) {
    while (t->open[t->nopen - 1].depth > t->lcp[k]) t->nopen--;
    int rc = t->lcp[k] < n ? add_columns(t, k, n, col, err) : WS_OK;
    if (rc) return rc;
    t->end[k] = (uint32_t)t->nseg - 1; /* an equal haplotype ends where the previous one ends */
    return WS_OK;
}

int ws_pairhmm_trie_make(ws_pairhmm_trie *t, const ws_pairhmm_hap *hap, const uint32_t *list, size_t n, int share,
                         size_t max, ws_err *err) {
    uint8_t code_of[32] = {0};
    uint32_t col = 1;
    int rc = measure(t, hap, list, n, share, max, err);
    if (!rc) rc = ws_grow(&t->open, &t->open_cap, 1, sizeof *t->open, err);
    if (rc) return rc;
    t->open[0] = (ws_pairhmm_branch){0, 0};
    t->nopen = t->nbranch = 1;
    t->nseg = t->ncode = 0;
    t->code[0] = 0;
    for (size_t k = 0; k < t->nhap && !rc; k++) {
        write_codes(t, code_of, hap + list[k], t->lcp[k], t->code + col);
        rc = add_hap(t, k, hap[list[k]].n, &col, err);
    }
    return rc;
}
