/* SPDX-License-Identifier: MIT
 * Clusters of sampled segments, and the envelope of each. Source: specification domains.md, section 8.5. */
#include "kernels/dom/ref.h"
#include "lib/base/counting_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_POSTERIOR 0.25f /* least share of the traces with a segment of the cluster */
#define LEAST_SHARE 0.02f     /* least share of a cluster's traces for an end to count */

/* Returns whether ov/n >= 0.8 in single precision. The quotient 4/5 rounds to exactly 0.8f, and no other quotient of
 * such small numbers is near it. */
static int most_of(int64_t ov, int64_t n) { return 5 * ov >= 4 * n; }

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

static int linked(const ws_dom_segment *a, const ws_dom_segment *b) {
    const int64_t ai = a->i, aj = a->j, ak = a->k, am = a->m, bi = b->i, bj = b->j, bk = b->k, bm = b->m;
    if (!most_of(min64(aj, bj) - max64(ai, bi) + 1, min64(aj - ai, bj - bi) + 1)) return 0;
    if (!most_of(min64(am, bm) - max64(ak, bk), min64(am - ak, bm - bk) + 1))
        return 0; /* not no + 1, as in the reference */
    return llabs((ai - ak) - (bi - bk)) <= 4 || llabs((aj - am) - (bj - bm)) <= 4;
}

/* Labels segments with their clusters: the definition. It has a list a of free segments, the first on top, and a
 * stack b of segments whose links it must still follow. */
int ws_dom_ref_label(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t *label, uint32_t *clusters,
                     ws_err *err) {
    uint32_t *a = ws_dom_scratch(w, WS_DOM_COUNT, 2 * s->n * sizeof *a, err), *b = a + s->n, na = (uint32_t)s->n,
             nb = 0, found = 0;
    (void)rows;
    if (!a) return err->code;
    for (uint32_t v = 0; v < na; v++) a[v] = na - 1 - v;
    for (; na > 0; found++) {
        b[nb++] = a[--na];
        while (nb > 0) {
            const uint32_t v = b[--nb];
            label[v] = found;
            for (uint32_t at = na; at-- > 0;)
                if (linked(&s->segment[v], &s->segment[a[at]])) {
                    b[nb++] = a[at];
                    a[at] = a[--na];
                }
        }
    }
    *clusters = found;
    return WS_OK;
}

/* ---- the envelope of a cluster ---- */

/* Returns an end of the envelope: the first value that at least `least` members have, or with `from_above` the last
 * one. Without such a value returns the most frequent, the smallest of equals. count: zeros for all possible values;
 * zeros again on return. */
static uint32_t end_of(const uint32_t *value, size_t n, size_t least, int from_above, uint32_t *count) {
    uint32_t low = UINT32_MAX, high = 0, first = 0, last = 0, top = 0, most = 0;
    for (size_t j = 0; j < n; j++) {
        count[value[j]]++;
        if (value[j] < low) low = value[j];
        if (value[j] > high) high = value[j];
    }
    for (uint32_t v = low; v <= high; v++) {
        if (count[v] > most) most = count[v], top = v;
        if (count[v] >= least) first = first ? first : v, last = v;
        count[v] = 0;
    }
    return !first ? top : from_above ? last : first;
}

typedef struct members {
    const ws_dom_sample *s;
    const uint32_t *item; /* indices of the cluster's segments, ascending */
    size_t n;
    uint32_t *value;      /* room for n */
    uint32_t *count;      /* zeros for all rows and nodes */
} members;

enum { END_I, END_J, END_K, END_M };

static uint32_t end_by(const members *c, int which, size_t least) {
    for (size_t at = 0; at < c->n; at++) {
        const ws_dom_segment *g = &c->s->segment[c->item[at]];
        c->value[at] = which == END_I ? g->i : which == END_J ? g->j : which == END_K ? g->k : g->m;
    }
    return end_of(c->value, c->n, least, which == END_J || which == END_M, c->count);
}

/* Computes the envelope of a cluster. Returns 1 if the cluster is significant. */
static int envelope_of(const members *c, ws_dom_cluster *to) {
    uint32_t traces = 0;
    for (size_t at = 0; at < c->n; at++)
        traces += at == 0 || c->s->segment[c->item[at]].trace != c->s->segment[c->item[at - 1]].trace;
    const float posterior = (float)traces / (float)WS_DOM_TRACES;
    if (posterior < LEAST_POSTERIOR) return 0;
    const size_t least = (size_t)ceilf((float)traces * LEAST_SHARE);
    *to = (ws_dom_cluster){.i = end_by(c, END_I, least), .j = end_by(c, END_J, least), .k = end_by(c, END_K, least),
                           .m = end_by(c, END_M, least), .posterior = posterior};
    return to->i <= to->j && to->k <= to->m;
}

static void insert_by_begin(ws_dom_cluster *list, uint32_t n, const ws_dom_cluster *c) {
    uint32_t at = n;
    for (; at > 0 && list[at - 1].i > c->i; at--) list[at] = list[at - 1];
    list[at] = *c;
}

/* Marks the less frequent one of two clusters that cover each other. A pair that only touches ends the comparisons of
 * its first. */
static void dominate(ws_dom_cluster *c, uint32_t n) {
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t e = d + 1; e < n; e++) {
            const int64_t ov = min64(c[d].j, c[e].j) - max64(c[d].i, c[e].i) + 1;
            const int64_t len = min64((int64_t)c[d].j - c[d].i, (int64_t)c[e].j - c[e].i) + 1;
            if (ov == 0) break;
            if ((double)((float)ov / (float)len) >= 0.8) c[c[d].posterior > c[e].posterior ? e : d].removed = 1;
        }
}

int ws_dom_cluster_segments(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t nodes,
                            ws_dom_cluster **cluster, uint32_t *n, uint32_t *components, ws_err *err) {
    const uint32_t count = (uint32_t)s->n, values = (rows > nodes ? rows : nodes) + 1;
    uint32_t found;
    *n = *components = 0;
    *cluster = NULL;
    if (count == 0) return WS_OK;
    uint32_t *label = ws_dom_scratch(w, WS_DOM_LIST, (4 * (size_t)count + 2 + values) * sizeof *label, err);
    if (!label) return err->code;
    uint32_t *item = label + count, *value = item + count, *start = value + count, *zero = start + count + 2;
    int rc = w->backend->label(w, s, rows, label, &found, err);
    if (rc) return rc;
    *components = found;
    ws_counting_sort(&(ws_keys){label, sizeof *label, 0, count, 0, found, NULL}, item, start);
    memset(zero, 0, values * sizeof *zero);
    /* a significant cluster has segments in a quarter of the traces, and each segment belongs to one cluster */
    ws_dom_cluster *list = ws_calloc(4 * (size_t)count / WS_DOM_TRACES + 1, sizeof *list, err);
    if (!list) return err->code;
    for (uint32_t c = 0; c < found; c++) {
        const members m = {s, item + start[c], start[c + 1] - start[c], value, zero};
        ws_dom_cluster one;
        if (envelope_of(&m, &one)) insert_by_begin(list, (*n)++, &one);
    }
    dominate(list, *n);
    *cluster = list;
    return WS_OK;
}
