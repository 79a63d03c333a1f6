/* SPDX-License-Identifier: MIT
 * Clusters of sampled segments, numbered as by ws_dom_ref_label, but without testing all pairs. Source:
 * specification domains.md, section 8.5.
 *
 * Equal segments link if one of them links to anything, so each distinct segment is tested once. It is tested
 * against segments that begin near enough to overlap and are still free. The order of the tests decides nothing. The
 * numbers follow from the order in which linked segments leave the reference's list: by their position in it, from the
 * top. A segment links to most of its cluster, so few are free after its first tests: on average the 342 distinct
 * segments of a region of 1,200 Pfam models x yeast are tested against 51, not 270. */

typedef struct distinct {
    /* distinct segments, ascending in i, and TESTS more; those of a cluster are FAR away, and leave later */
    int32_t *i, *j, *k, *m;
    uint32_t *head;         /* first segment equal to this one; `next` leads to the others, up to UINT32_MAX */
    uint8_t *linked;
    uint32_t *from;         /* [i] first distinct segment that begins at i or later */
    uint32_t n, far;        /* far: how many of the n are FAR away */
    int32_t longest;
} distinct;

typedef struct labels {
    const ws_dom_sample *s;
    distinct d;
    uint32_t *of;    /* number of the distinct segment that equals this one */
    uint8_t *done;   /* [that number] the code has followed its links */
    uint32_t *next;
    uint32_t *list, *place, na; /* the reference's list of free segments, and the index of each in it */
    uint32_t *work, nb;
    uint64_t *mark;  /* a bit for each place, all 0 between two sorts */
    uint32_t *moved; /* room for remove_far */
    uint32_t *found;
} labels;

#define FAR (1 << 28)
enum { TESTS = 16 };      /* of segments, that the code makes together */
enum { LEAST_NODES = 5 }; /* segments of fewer nodes link to nothing: of n nodes n - 1 count as common */

/* Sets linked[lo..hi-1]: whether the segments of d link to g. The code tests TESTS of them together, and so up to
 * TESTS - 1 too many: a loop that ends at hi would do the last ones one by one, of 51 on average. */
static void link_range(const distinct *d, const ws_dom_segment *g, uint32_t lo, uint32_t hi) {
    const int32_t vi = (int32_t)g->i, vj = (int32_t)g->j, vk = (int32_t)g->k, vm = (int32_t)g->m;
    for (; lo < hi; lo += TESTS) {
        const int32_t *I = d->i + lo, *J = d->j + lo, *K = d->k + lo, *M = d->m + lo;
        uint8_t *linked = d->linked + lo;
        for (uint32_t w = 0; w < TESTS; w++) {
            const int32_t ov = (vj < J[w] ? vj : J[w]) - (vi > I[w] ? vi : I[w]) + 1,
                          n = (vj - vi < J[w] - I[w] ? vj - vi : J[w] - I[w]) + 1;
            const int32_t om = (vm < M[w] ? vm : M[w]) - (vk > K[w] ? vk : K[w]),
                          nm = (vm - vk < M[w] - K[w] ? vm - vk : M[w] - K[w]) + 1;
            const uint32_t begin = (uint32_t)((vi - vk) - (I[w] - K[w]) + 4),
                           end = (uint32_t)((vj - vm) - (J[w] - M[w]) + 4);
            linked[w] = (uint8_t)((5 * ov >= 4 * n) & (5 * om >= 4 * nm) & ((begin <= 8) | (end <= 8)));
        }
    }
}

/* Finds the distinct segments: counting sort on i, then comparison among those of equal i. */
static void find_distinct(labels *a, uint32_t rows, uint32_t *order) {
    const ws_dom_segment *g = a->s->segment;
    const uint32_t n = (uint32_t)a->s->n;
    distinct *d = &a->d;
    memset(d->from, 0, ((size_t)rows + 2) * sizeof *d->from);
    for (uint32_t v = 0; v < n; v++) d->from[g[v].i + 1]++;
    for (uint32_t i = 1; i <= rows + 1; i++) d->from[i] += d->from[i - 1];
    for (uint32_t v = n; v-- > 0;) order[d->from[g[v].i + 1] - 1] = v, d->from[g[v].i + 1]--;
    /* from[i + 1] is now the first index of i in `order`; it becomes the index of the first distinct segment */
    uint32_t at = 0, count = 0;
    for (uint32_t i = 1; i <= rows; i++) {
        const uint32_t first = count;
        for (; at < n && g[order[at]].i == i; at++) {
            const uint32_t v = order[at];
            uint32_t u = first;
            while (u < count &&
                   (d->j[u] != (int32_t)g[v].j || d->k[u] != (int32_t)g[v].k || d->m[u] != (int32_t)g[v].m))
                u++;
            if (u == count) {
                d->i[u] = (int32_t)i, d->j[u] = (int32_t)g[v].j, d->k[u] = (int32_t)g[v].k, d->m[u] = (int32_t)g[v].m;
                d->head[u] = UINT32_MAX;
                if (d->j[u] - d->i[u] > d->longest) d->longest = d->j[u] - d->i[u];
                count++;
            }
            a->of[v] = u;
            a->next[v] = d->head[u];
            d->head[u] = v;
        }
        d->from[i] = first;
    }
    d->from[rows + 1] = d->n = count;
    for (uint32_t u = count; u < count + TESTS; u++) d->i[u] = d->j[u] = d->k[u] = d->m[u] = FAR;
}

/* Removes the segments that are FAR away. moved: room for n + 1. */
static void remove_far(distinct *d, uint32_t rows, uint32_t *moved) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < d->n; w++) {
        moved[w] = n;
        d->i[n] = d->i[w], d->j[n] = d->j[w], d->k[n] = d->k[w], d->m[n] = d->m[w];
        d->head[n] = d->head[w];
        n += d->i[w] != FAR;
    }
    moved[d->n] = n;
    for (uint32_t i = 0; i <= rows + 1; i++) d->from[i] = moved[d->from[i]];
    d->n = n;
    d->far = 0;
}

/* Sorts the places work[first..nb), each of which is there once, in descending order. */
static void sort_from_above(labels *a, uint32_t first) {
    enum { BITS = 64 };
    uint32_t low = UINT32_MAX, high = 0, at = first;
    for (uint32_t b = first; b < a->nb; b++) {
        const uint32_t word = a->work[b] / BITS;
        a->mark[word] |= (uint64_t)1 << a->work[b] % BITS;
        low = ws_min(low, word);
        high = ws_max(high, word);
    }
    for (uint32_t word = high + 1; at < a->nb && word-- > low; a->mark[word] = 0)
        for (uint64_t left = a->mark[word]; left;) {
            const uint32_t bit = (uint32_t)(BITS - 1 - __builtin_clzll(left));
            a->work[at++] = BITS * word + bit;
            left ^= (uint64_t)1 << bit;
        }
}

/* Removes all free segments that link to segment v from the list, from its top, and adds them to the work. */
static void take_linked(labels *a, uint32_t v, uint32_t rows) {
    distinct *d = &a->d;
    const ws_dom_segment *g = &a->s->segment[v];
    const uint32_t u = a->of[v], longest = (uint32_t)d->longest;
    if (a->done[u] || g->m - g->k + 1 < LEAST_NODES) return;
    a->done[u] = 1;
    const uint32_t lo = d->from[g->i > longest ? g->i - longest : 1], hi = d->from[ws_min(g->j, rows) + 1],
                   first = a->nb;
    link_range(d, g, lo, hi);
    for (uint32_t w = lo; w < hi; w++) {
        uint64_t eight;
        memcpy(&eight, d->linked + w, sizeof eight);
        if (!eight) w += 7; /* skips eight, because few are linked */
        if (!eight || !d->linked[w]) continue;
        for (uint32_t s = d->head[w]; s != UINT32_MAX; s = a->next[s])
            if (a->place[s] != UINT32_MAX) a->work[a->nb++] = a->place[s];
        d->i[w] = d->j[w] = FAR;
        d->far++;
    }
    if (4 * d->far > d->n) remove_far(d, rows, a->moved);
    if (a->nb > first + 1) sort_from_above(a, first);
    for (uint32_t at = first; at < a->nb; at++) {
        const uint32_t place = a->work[at], last = a->list[--a->na];
        a->work[at] = a->list[place];
        a->place[a->list[place]] = UINT32_MAX;
        if (last == a->work[at]) continue;
        a->list[place] = last;
        a->place[last] = place;
    }
}

static uint32_t label_in_order(labels *a, uint32_t rows) {
    uint32_t clusters = 0;
    for (uint32_t v = 0; v < a->na; v++) {
        a->list[v] = a->na - 1 - v;
        a->place[a->na - 1 - v] = v;
    }
    for (; a->na > 0; clusters++) {
        const uint32_t top = a->list[--a->na];
        a->place[top] = UINT32_MAX;
        a->work[a->nb++] = top;
        while (a->nb > 0) {
            const uint32_t v = a->work[--a->nb];
            a->found[v] = clusters;
            take_linked(a, v, rows);
        }
    }
    return clusters;
}

static int label(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t *found, uint32_t *clusters,
                 ws_err *err) {
    const size_t n = s->n;
    labels a = {.s = s, .na = (uint32_t)n, .found = found};
    const size_t words = n / 64 + 1, bytes = words * sizeof *a.mark + 2 * n + TESTS + 8, room = n + TESTS;
    uint32_t *p = ws_dom_scratch(w, WS_DOM_COUNT, (4 * room + 7 * n + 1 + rows + 2) * sizeof *p, err);
    a.mark = p ? ws_dom_scratch(w, WS_DOM_PATH, bytes, err) : NULL;
    if (!a.mark) return err->code;
    memset(a.mark, 0, bytes);
    a.d.linked = (uint8_t *)(a.mark + words);
    a.done = a.d.linked + n + TESTS + 8;
    int32_t **const coordinate[] = {&a.d.i, &a.d.j, &a.d.k, &a.d.m};
    uint32_t **const other[] = {&a.d.head, &a.of, &a.next, &a.list, &a.place, &a.work};
    for (size_t v = 0; v < 4; v++) *coordinate[v] = (int32_t *)(void *)(p + v * room);
    p += 4 * room;
    for (size_t v = 0; v < 6; v++) *other[v] = p + v * n;
    a.moved = p + 6 * n; /* before that, the order of segments */
    a.d.from = a.moved + n + 1;
    find_distinct(&a, rows, a.moved);
    *clusters = label_in_order(&a, rows);
    return WS_OK;
}
