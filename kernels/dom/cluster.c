/* SPDX-License-Identifier: MIT
 * Clusters of sampled segments, and the envelope of each. Source: specification domains.md, section 8.5. */
#include "kernels/dom/link.h"
#include "kernels/dom/ref.h"
#include "lib/base/counting_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_POSTERIOR 0.25f /* least share of the traces with a segment of the cluster */
#define LEAST_SHARE 0.02f     /* least share of a cluster's traces for an end to count */

/* Labels segments with their clusters: the definition. It has a list a of free segments, the first on top, and a
 * stack b of segments whose links it must still follow. */
int ws_dom_ref_label(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t *label, uint32_t *clusters,
                     ws_err *err) {
    uint32_t *a = ws_dom_scratch(w, WS_DOM_COUNT, 2 * s->n * sizeof *a, err), na = (uint32_t)s->n, nb = 0, found = 0;
    (void)rows;
    if (!a) return err->code;
    uint32_t *b = a + s->n;
    for (uint32_t v = 0; v < na; v++) a[v] = na - 1 - v;
    for (; na > 0; found++) {
        b[nb++] = a[--na];
        while (nb > 0) {
            const uint32_t v = b[--nb];
            const ws_dom_bounds to = ws_dom_bounds_of(&s->segment[v]);
            label[v] = found;
            for (uint32_t at = na; at-- > 0;)
                if (ws_dom_links(&to, &s->segment[a[at]])) {
                    b[nb++] = a[at];
                    a[at] = a[--na];
                }
        }
    }
    *clusters = found;
    return WS_OK;
}

/* ---- the numbers of clusters ---- */

/* The lists of ws_dom_ref_label. place: the index of each segment in a, or GONE. Free segments of component c are
 * item[start[c]] to item[end[c] - 1]. */
typedef struct lists {
    const ws_dom_sample *s;
    const uint32_t *label;
    uint32_t *a, *place, *b, na, nb;
    uint32_t *item, *start, *end;
} lists;

#define GONE UINT32_MAX

static int from_above(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* Takes a place from the list: its top takes that place. */
static uint32_t take_place(lists *l, uint32_t place) {
    const uint32_t v = l->a[place], top = l->a[--l->na];
    l->a[place] = top;
    l->place[top] = place;
    l->place[v] = GONE;
    return v;
}

/* Takes the segments that link to v from the list, from its top down, to the work. */
static void take_linked(lists *l, uint32_t v) {
    const uint32_t c = l->label[v], first = l->nb;
    const ws_dom_bounds to = ws_dom_bounds_of(&l->s->segment[v]);
    uint32_t left = l->start[c];
    for (uint32_t at = left; at < l->end[c]; at++) {
        const uint32_t x = l->item[at];
        if (l->place[x] == GONE) continue;
        if (ws_dom_links(&to, &l->s->segment[x])) l->b[l->nb++] = l->place[x];
        else l->item[left++] = x;
    }
    l->end[c] = left;
    qsort(l->b + first, l->nb - first, sizeof *l->b, from_above);
    for (uint32_t at = first; at < l->nb; at++) l->b[at] = take_place(l, l->b[at]);
}

/* Renumbers n components as ws_dom_ref_label does. Segments that link to v leave its list together: it looks at the
 * places from above, and fills each free one with the top, at which it looked before. So they leave in the order of
 * their places. Segments of other components never link to v, and are not tested. */
int ws_dom_number_clusters(ws_dom_worker *w, const ws_dom_sample *s, uint32_t *label, uint32_t n, ws_err *err) {
    const uint32_t count = (uint32_t)s->n;
    uint32_t *p = ws_dom_scratch(w, WS_DOM_COUNT, (4 * s->n + 3 * (size_t)n + 2) * sizeof *p, err), found = 0;
    if (!p) return err->code;
    lists l = {.s = s, .label = label, .a = p, .place = p + count, .b = p + 2 * (size_t)count,
               .item = p + 3 * (size_t)count, .start = p + 4 * (size_t)count, .na = count};
    uint32_t *number = l.start + n + 2;
    l.end = number + n;
    ws_counting_sort(&(ws_keys){label, sizeof *label, 0, count, 0, n, NULL}, l.item, l.start);
    memcpy(l.end, l.start + 1, n * sizeof *l.end);
    for (uint32_t v = 0; v < count; v++) {
        l.a[v] = count - 1 - v;
        l.place[count - 1 - v] = v;
    }
    while (l.na > 0) {
        l.b[l.nb++] = take_place(&l, l.na - 1);
        number[label[l.b[0]]] = found++;
        while (l.nb > 0) take_linked(&l, l.b[--l.nb]);
    }
    for (uint32_t v = 0; v < count; v++) label[v] = number[label[v]];
    return WS_OK;
}

/* ---- the envelope of a cluster ---- */

enum { END_I, END_J, END_K, END_M, ENDS };

typedef struct members {
    const ws_dom_sample *s;
    uint32_t *item; /* indices of the cluster's segments, ascending */
    size_t n;
    uint32_t *count[ENDS], values; /* zeros for all values of each end */
} members;

static uint32_t value_of(const ws_dom_segment *g, int end) {
    return end == END_I ? g->i : end == END_J ? g->j : end == END_K ? g->k : g->m;
}

/* Counts the values of each end. Sets most[] to the smallest i and k, and the largest j and m. Returns the number of
 * traces. */
static uint32_t count_ends(const members *c, uint32_t most[ENDS]) {
    uint32_t traces = 0, last = UINT32_MAX, i = UINT32_MAX, k = UINT32_MAX, j = 0, m = 0;
    uint32_t *I = c->count[END_I], *J = c->count[END_J], *K = c->count[END_K], *M = c->count[END_M];
    for (size_t at = 0; at < c->n; at++) {
        const ws_dom_segment *g = &c->s->segment[c->item[at]];
        traces += g->trace != last;
        last = g->trace;
        I[g->i]++;
        J[g->j]++;
        K[g->k]++;
        M[g->m]++;
        i = g->i < i ? g->i : i;
        j = g->j > j ? g->j : j;
        k = g->k < k ? g->k : k;
        m = g->m > m ? g->m : m;
    }
    most[END_I] = i, most[END_J] = j, most[END_K] = k, most[END_M] = m;
    return traces;
}

static void forget_ends(const members *c) {
    for (size_t at = 0; at < c->n; at++) {
        const ws_dom_segment *g = &c->s->segment[c->item[at]];
        c->count[END_I][g->i] = c->count[END_J][g->j] = c->count[END_K][g->k] = c->count[END_M][g->m] = 0;
    }
}

/* Returns the most frequent value of an end, the smallest of equals. */
static uint32_t most_frequent(const members *c, int end) {
    const uint32_t *count = c->count[end];
    uint32_t top = value_of(&c->s->segment[c->item[0]], end);
    for (size_t at = 1; at < c->n; at++) {
        const uint32_t v = value_of(&c->s->segment[c->item[at]], end);
        if (count[v] > count[top] || (count[v] == count[top] && v < top)) top = v;
    }
    return top;
}

/* Returns an end of the envelope: the first value that at least `least` members have, or of j and m the last one.
 * Without such a value returns the most frequent one. from: the first or last value that a member has. */
static uint32_t end_of(const members *c, int end, uint32_t from, uint32_t least) {
    const uint32_t *count = c->count[end], step = end == END_J || end == END_M ? UINT32_MAX : 1;
    for (uint32_t v = from; v < c->values; v += step) /* below 0 it is too large */
        if (count[v] >= least) return v;
    return most_frequent(c, end);
}

/* Computes the envelope of a cluster. Returns 1 if the cluster is significant. */
static int envelope_of(const members *c, ws_dom_cluster *to) {
    uint32_t end[ENDS];
    const uint32_t traces = count_ends(c, end), least = (uint32_t)ceilf((float)traces * LEAST_SHARE);
    for (int e = 0; e < ENDS; e++) end[e] = end_of(c, e, end[e], least);
    forget_ends(c);
    *to = (ws_dom_cluster){.i = end[END_I], .j = end[END_J], .k = end[END_K], .m = end[END_M],
                           .posterior = (float)traces / (float)WS_DOM_TRACES};
    return to->posterior >= LEAST_POSTERIOR && to->i <= to->j && to->k <= to->m;
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
            const int64_t ov = ws_dom_lesser(c[d].j, c[e].j) - ws_dom_greater(c[d].i, c[e].i) + 1;
            const int64_t len = ws_dom_lesser((int64_t)c[d].j - c[d].i, (int64_t)c[e].j - c[e].i) + 1;
            if (ov == 0) break;
            if ((double)((float)ov / (float)len) >= 0.8) c[c[d].posterior > c[e].posterior ? e : d].removed = 1;
        }
}

/* Finds the significant clusters of n components. start: room for n + 2. */
static uint32_t find_significant(const members *room, const uint32_t *label, uint32_t n, uint32_t *start,
                                 ws_dom_cluster *list) {
    members m = *room;
    uint32_t found = 0;
    ws_counting_sort(&(ws_keys){label, sizeof *label, 0, m.s->n, 0, n, NULL}, room->item, start);
    for (uint32_t c = 0; c < n; c++) {
        ws_dom_cluster one;
        m.item = room->item + start[c];
        m.n = start[c + 1] - start[c];
        if ((float)m.n / (float)WS_DOM_TRACES < LEAST_POSTERIOR) continue; /* it is in no more traces */
        if (envelope_of(&m, &one)) insert_by_begin(list, found++, &one);
    }
    return found;
}

/* Returns whether clusters begin at the same residue, so that their numbers decide about their order. */
static int is_tied(const ws_dom_cluster *list, uint32_t n) {
    for (uint32_t c = 1; c < n; c++)
        if (list[c].i == list[c - 1].i) return 1;
    return 0;
}

int ws_dom_cluster_segments(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t nodes,
                            ws_dom_cluster **cluster, uint32_t *n, uint32_t *components, ws_err *err) {
    const uint32_t count = (uint32_t)s->n, values = (rows > nodes ? rows : nodes) + 1;
    uint32_t found = s->components; /* a device has labelled them */
    *n = *components = 0;
    *cluster = NULL;
    if (count == 0) return WS_OK;
    const size_t words = 3 * (size_t)count + 2 + ENDS * (size_t)values;
    uint32_t *label = ws_dom_scratch(w, WS_DOM_LIST, words * sizeof *label, err);
    if (!label) return err->code;
    uint32_t *item = label + count, *start = item + count, *zero = start + count + 2;
    int rc = WS_OK;
    if (found) label = s->label;
    else rc = w->backend->label(w, s, rows, label, &found, err);
    if (rc) return rc;
    *components = found;
    memset(zero, 0, ENDS * (size_t)values * sizeof *zero);
    /* a significant cluster has segments in a quarter of the traces, and each segment belongs to one cluster */
    ws_dom_cluster *list = ws_alloc((4 * (size_t)count / WS_DOM_TRACES + 1) * sizeof *list, err);
    if (!list) return err->code;
    *cluster = list;
    const members room = {.s = s, .item = item, .values = values,
                          .count = {zero, zero + values, zero + 2 * (size_t)values, zero + 3 * (size_t)values}};
    *n = find_significant(&room, label, found, start, list);
    /* only the order of clusters that begin together depends on numbers: 5 of 1,000 regions have some */
    if (is_tied(list, *n) && (s->components || !w->backend->in_order)) {
        if ((rc = ws_dom_number_clusters(w, s, label, found, err))) return rc;
        *n = find_significant(&room, label, found, start, list);
    }
    dominate(list, *n);
    return WS_OK;
}
