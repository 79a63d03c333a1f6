/* SPDX-License-Identifier: MIT
 * Components of linked segments, by tests of whole blocks. cluster.inc.h includes this file for each size of
 * coordinates. Source: specification domains.md, section 8.5.
 *
 * Segments link if they have 4/5 of the shorter one in common, in rows and in nodes, and nearly a diagonal. A segment
 * of n rows needs need(n) = n - n/5 of them in common, which is 4n/5 rounded up. The shorter segment has the smaller
 * need, because need never falls as n grows. No test multiplies.
 *
 * A test compares a block with one segment, or with the bounds of a group of segments. A free segment that links to a
 * member of the group passes the test with the group's bounds, because each comparison takes the bound that lets most
 * pass. Few other segments pass, since the segments of a cluster have similar ends.
 *
 * The code begins a component with its first free segment. All free segments that link to this one are a group. A round
 * finds the free segments that link to any member of the group, and they are the next group. The round compares the
 * members one by one, or the free segments that pass with the group's bounds, whichever are fewer. So all rounds
 * compare no more segments than there are. While many segments pass, the code compares all free ones with one member
 * from the group's middle first, since most of them link to it. A region of 1,200 Pfam models x yeast has 416 segments
 * on average, and takes 560 tests. */

typedef struct SIZED(block) {
    LANE side[SIDES][TESTS];
    ULANE stamp[TESTS]; /* FREE, then a number for each group */
} SIZED(block);

/* A segment or group as a test takes it: the smallest or largest sides, and diagonals from b to b + b_most. */
typedef struct SIZED(query) {
    LANE i, j, k, m, ni, nk;
    ULANE b, b_most, e, e_most;
} SIZED(query);

/* Segments with one stamp whose links the code must still follow: bounds in each lane, and from which block to which
 * they are. */
typedef struct SIZED(group) {
    LANE low[LOWS][TESTS], high[SIDES - UPPER][TESTS];
    uint32_t n, from, to;
    ULANE stamp;
} SIZED(group);

typedef struct SIZED(links) {
    SIZED(block) *block;
    uint32_t nblock, *live; /* live: [block] its free segments */
    const uint32_t *until;  /* [i] how many segments begin at i or before */
    LANE longest;
} SIZED(links);

/* Tests a block: sets linked[w] to all ones for segments with stamp `only` that pass, else to 0. Returns whether any
 * pass. */
static inline int SIZED(test)(const SIZED(block) *g, const SIZED(query) *q, ULANE only, ULANE *linked) {
    const LANE *I = g->side[SIDE_I], *J = g->side[SIDE_J], *K = g->side[SIDE_K], *M = g->side[SIDE_M];
    const LANE *NI = g->side[SIDE_NI], *NK = g->side[SIDE_NK], *B = g->side[SIDE_B], *E = g->side[SIDE_E];
    for (uint32_t w = 0; w < TESTS; w++) {
        const LANE ov = (LANE)((q->j < J[w] ? q->j : J[w]) - (q->i > I[w] ? q->i : I[w])),
                   n = q->ni < NI[w] ? q->ni : NI[w];
        const LANE om = (LANE)((q->m < M[w] ? q->m : M[w]) - (q->k > K[w] ? q->k : K[w])),
                   nm = q->nk < NK[w] ? q->nk : NK[w];
        const ULANE b = (ULANE)((ULANE)B[w] - q->b), e = (ULANE)((ULANE)E[w] - q->e);
        const int is = (ov >= n) & (om >= nm) & ((b <= q->b_most) | (e <= q->e_most)) & (g->stamp[w] == only);
        linked[w] = is ? (ULANE)-1 : 0;
    }
    int any = 0;
    for (size_t at = 0; at < TESTS * sizeof(ULANE); at += sizeof(V)) {
        const V x = V_LOAD((const char *)linked + at);
        any |= VB_MEET(x, x);
    }
    return any;
}

/* Returns the query of the smallest and largest sides. */
static SIZED(query) SIZED(query_of)(const LANE *low, const LANE *high) {
    enum { NEAR = 4 }; /* diagonals */
    const LANE *up = high - UPPER;
    return (SIZED(query)){.i = low[SIDE_I], .j = up[SIDE_J], .k = low[SIDE_K], .m = up[SIDE_M],
                          .ni = low[SIDE_NI], .nk = low[SIDE_NK],
                          .b = (ULANE)(low[SIDE_B] - NEAR), .b_most = (ULANE)(up[SIDE_B] - low[SIDE_B] + 2 * NEAR),
                          .e = (ULANE)(low[SIDE_E] - NEAR), .e_most = (ULANE)(up[SIDE_E] - low[SIDE_E] + 2 * NEAR)};
}

static SIZED(query) SIZED(query_of_one)(const SIZED(links) *a, uint32_t at) {
    LANE side[SIDES];
    for (int s = 0; s < SIDES; s++) side[s] = a->block[at / TESTS].side[s][at % TESTS];
    return SIZED(query_of)(side, side + UPPER);
}

static SIZED(query) SIZED(query_of_group)(const SIZED(group) *u) {
    LANE low[LOWS], high[SIDES - UPPER];
    for (int s = 0; s < LOWS; s++) {
        LANE most = u->low[s][0];
        for (int w = 1; w < TESTS; w++) most = u->low[s][w] < most ? u->low[s][w] : most;
        low[s] = most;
    }
    for (int s = 0; s < SIDES - UPPER; s++) {
        LANE most = u->high[s][0];
        for (int w = 1; w < TESTS; w++) most = u->high[s][w] > most ? u->high[s][w] : most;
        high[s] = most;
    }
    return SIZED(query_of)(low, high);
}

static void SIZED(begin_group)(SIZED(group) *u, ULANE stamp) {
    enum { FAR = (ULANE)-1 >> 1 };
    for (int s = 0; s < LOWS; s++)
        for (int w = 0; w < TESTS; w++) u->low[s][w] = FAR;
    for (int s = 0; s < SIDES - UPPER; s++)
        for (int w = 0; w < TESTS; w++) u->high[s][w] = -FAR;
    u->n = u->to = 0;
    u->from = UINT32_MAX;
    u->stamp = stamp;
}

/* Lowers or raises the bounds of a side to the linked segments of a block. */
static inline void SIZED(lower)(LANE *restrict bound, const LANE *restrict side, const ULANE *restrict linked) {
    for (int w = 0; w < TESTS; w++) {
        const LANE x = side[w], was = bound[w], least = x < was ? x : was;
        bound[w] = linked[w] ? least : was;
    }
}
static inline void SIZED(raise)(LANE *restrict bound, const LANE *restrict side, const ULANE *restrict linked) {
    for (int w = 0; w < TESTS; w++) {
        const LANE x = side[w], was = bound[w], most = x > was ? x : was;
        bound[w] = linked[w] ? most : was;
    }
}

/* Takes the linked segments of a block, which are free, to a group. */
static void SIZED(join)(SIZED(links) *a, SIZED(group) *u, uint32_t b, const ULANE *restrict linked) {
    SIZED(block) *g = &a->block[b];
    ULANE *restrict stamp = g->stamp;
    const ULANE with = u->stamp;
    ULANE n = 0;
    for (int w = 0; w < TESTS; w++) stamp[w] = (ULANE)(stamp[w] | (linked[w] & with)); /* FREE is 0 */
    for (int w = 0; w < TESTS; w++) n = (ULANE)(n - linked[w]);
    for (int s = 0; s < LOWS; s++) SIZED(lower)(u->low[s], g->side[s], linked);
    for (int s = 0; s < SIDES - UPPER; s++) SIZED(raise)(u->high[s], g->side[s + UPPER], linked);
    a->live[b] -= n;
    u->n += n;
    u->from = ws_min(u->from, b);
    u->to = ws_max(u->to, b + 1);
}

/* Takes one free segment to a group. */
static void SIZED(join_one)(SIZED(links) *a, SIZED(group) *u, uint32_t at) {
    const uint32_t b = at / TESTS, w = at % TESTS;
    SIZED(block) *g = &a->block[b];
    g->stamp[w] = u->stamp;
    for (int s = 0; s < SIDES; s++) {
        const LANE x = g->side[s][w];
        if (s < LOWS) u->low[s][w] = x < u->low[s][w] ? x : u->low[s][w];
        if (s >= UPPER) u->high[s - UPPER][w] = x > u->high[s - UPPER][w] ? x : u->high[s - UPPER][w];
    }
    a->live[b]--;
    u->n++;
    u->from = ws_min(u->from, b);
    u->to = ws_max(u->to, b + 1);
}

/* The blocks whose segments may overlap with a query's. */
typedef struct SIZED(window) {
    uint32_t from, to;
} SIZED(window);
static SIZED(window) SIZED(window_of)(const SIZED(links) *a, const SIZED(query) *q) {
    const LANE before = (LANE)(q->i - a->longest);
    return (SIZED(window)){before > 0 ? a->until[before] / TESTS : 0, (a->until[q->j - 1] + TESTS - 1) / TESTS};
}

/* Takes all free segments that link to q to a group. */
static void SIZED(take_linked)(SIZED(links) *a, const SIZED(query) *q, SIZED(group) *u) {
    _Alignas(64) ULANE linked[TESTS];
    const SIZED(window) x = SIZED(window_of)(a, q);
    for (uint32_t b = x.from; b < x.to; b++)
        if (a->live[b] && SIZED(test)(&a->block[b], q, FREE, linked)) SIZED(join)(a, u, b, linked);
}

/* Adds the linked segments of a block to a list, which has room for one more. Returns the new length. The loop has no
 * branch, because they are at random places. */
static uint32_t SIZED(list_linked)(const ULANE *linked, uint32_t b, uint32_t *list, uint32_t n) {
    for (uint32_t w = 0; w < TESTS; w++) {
        list[n] = b * TESTS + w;
        n += linked[w] & 1;
    }
    return n;
}

/* Lists the free segments that pass the test with q. Returns their number. */
static uint32_t SIZED(list_near)(const SIZED(links) *a, const SIZED(query) *q, uint32_t *list) {
    _Alignas(64) ULANE linked[TESTS];
    uint32_t n = 0;
    const SIZED(window) x = SIZED(window_of)(a, q);
    for (uint32_t b = x.from; b < x.to; b++)
        if (a->live[b] && SIZED(test)(&a->block[b], q, FREE, linked)) n = SIZED(list_linked)(linked, b, list, n);
    return n;
}

/* Lists the segments of a group. Returns their number. */
static uint32_t SIZED(list_group)(const SIZED(links) *a, const SIZED(group) *u, uint32_t *list) {
    uint32_t n = 0;
    for (uint32_t b = u->from; b < u->to; b++)
        for (uint32_t w = 0; w < TESTS; w++) {
            list[n] = b * TESTS + w;
            n += a->block[b].stamp[w] == u->stamp;
        }
    return n;
}

/* Returns whether a segment links to one of a group. */
static int SIZED(links_to_group)(const SIZED(links) *a, uint32_t at, const SIZED(group) *u) {
    _Alignas(64) ULANE linked[TESTS];
    const SIZED(query) q = SIZED(query_of_one)(a, at);
    const SIZED(window) x = SIZED(window_of)(a, &q);
    const uint32_t to = x.to < u->to ? x.to : u->to;
    for (uint32_t b = x.from > u->from ? x.from : u->from; b < to; b++)
        if (SIZED(test)(&a->block[b], &q, u->stamp, linked)) return 1;
    return 0;
}

/* Returns a segment from the middle of a group, since such a one links to many of its cluster. */
static uint32_t SIZED(middle_of)(const SIZED(links) *a, const SIZED(group) *u) {
    const uint32_t nblock = u->to - u->from, middle = nblock / 2;
    for (uint32_t k = 0; k < nblock; k++) {
        const uint32_t b = u->from + (middle + k) % nblock;
        for (uint32_t w = 0; w < TESTS; w++)
            if (a->block[b].stamp[w] == u->stamp) return b * TESTS + w;
    }
    return UINT32_MAX;
}

/* Takes a segment from a group and all that link to it into the group. Returns how many these were. */
static uint32_t SIZED(absorb)(SIZED(links) *a, SIZED(group) *u, ULANE done) {
    const uint32_t at = SIZED(middle_of)(a, u), n = u->n;
    const SIZED(query) q = SIZED(query_of_one)(a, at);
    a->block[at / TESTS].stamp[at % TESTS] = done;
    SIZED(take_linked)(a, &q, u);
    u->n--;
    return u->n + 1 - n;
}

/* Takes the free segments that link to any of u to u itself, if it is by its middle, or to `next`. done: a stamp for
 * segments whose links are followed. If absorb adds none the list still holds. */
static void SIZED(follow)(SIZED(links) *a, SIZED(group) *u, SIZED(group) *next, ULANE done, const places *p) {
    uint32_t n = UINT32_MAX;
    for (int is_worth = 1; u->n > FEW; is_worth = 4 * SIZED(absorb)(a, u, done) >= n) {
        const SIZED(query) q = SIZED(query_of_group)(u);
        n = SIZED(list_near)(a, &q, p->list);
        if (n <= FEW || !is_worth) break;
    }
    if (n < u->n) {
        for (uint32_t k = 0; k < n; k++)
            if (SIZED(links_to_group)(a, p->list[k], u)) SIZED(join_one)(a, next, p->list[k]);
        return;
    }
    n = SIZED(list_group)(a, u, p->list);
    for (uint32_t k = 0; k < n; k++) {
        const SIZED(query) q = SIZED(query_of_one)(a, p->list[k]);
        SIZED(take_linked)(a, &q, next);
    }
}

/* Lays the segments into blocks, sorted by i. */
static void SIZED(lay)(SIZED(links) *a, const ws_dom_sample *s, const places *p) {
    const uint32_t n = (uint32_t)s->n;
    for (uint32_t at = n; at < a->nblock * TESTS; at++) {
        SIZED(block) *g = &a->block[at / TESTS];
        for (int side = 0; side < SIDES; side++) g->side[side][at % TESTS] = 0;
    }
    for (uint32_t v = 0; v < n; v++) {
        const ws_dom_segment *x = &s->segment[v];
        const uint32_t at = p->at[v] = p->first[x->i]++, w = at % TESTS;
        SIZED(block) *g = &a->block[at / TESTS];
        g->side[SIDE_I][w] = (LANE)x->i;
        g->side[SIDE_J][w] = (LANE)(x->j + 1);
        g->side[SIDE_K][w] = (LANE)x->k;
        g->side[SIDE_M][w] = (LANE)x->m;
    }
    _Alignas(64) LANE longest[TESTS] = {0};
    for (uint32_t b = 0; b < a->nblock; b++) {
        SIZED(block) *g = &a->block[b];
        for (int w = 0; w < TESTS; w++) {
            const LANE i = g->side[SIDE_I][w], j = g->side[SIDE_J][w], k = g->side[SIDE_K][w], m = g->side[SIDE_M][w];
            const ULANE rows = (ULANE)(j - i), nodes = (ULANE)(m - k + 1);
            g->side[SIDE_NI][w] = (LANE)(rows - rows / 5);
            g->side[SIDE_NK][w] = (LANE)(nodes - nodes / 5);
            g->side[SIDE_B][w] = (LANE)(i - k);
            g->side[SIDE_E][w] = (LANE)(j - m);
            g->stamp[w] = FREE;
            longest[w] = (LANE)rows > longest[w] ? (LANE)rows : longest[w];
        }
        a->live[b] = ws_min(TESTS, n - b * TESTS);
    }
    for (uint32_t at = n; at < a->nblock * TESTS; at++) a->block[at / TESTS].stamp[at % TESTS] = (ULANE)NO_SEGMENT;
    for (int w = 0; w < TESTS; w++) a->longest = longest[w] > a->longest ? longest[w] : a->longest;
}

/* Sets label[v] to the component of segment v: they are numbered by their first segments. Returns their number. */
static uint32_t SIZED(find_components)(const ws_dom_sample *s, const places *p, void *block, uint32_t *label) {
    SIZED(links) a = {.block = block, .nblock = (uint32_t)(s->n + TESTS - 1) / TESTS, .live = p->live,
                      .until = p->first};
    uint32_t found = 0;
    ULANE stamp = FREE + 1; /* the next one */
    SIZED(lay)(&a, s, p);
    for (uint32_t v = 0; v < s->n; v++) {
        const uint32_t at = p->at[v];
        SIZED(block) *g = &a.block[at / TESTS];
        if (g->stamp[at % TESTS] == FREE) {
            SIZED(group) group[2];
            const SIZED(query) q = SIZED(query_of_one)(&a, at);
            const ULANE first = stamp;
            a.live[at / TESTS]--;
            p->cluster[stamp] = found;
            g->stamp[at % TESTS] = stamp++;
            SIZED(begin_group)(&group[0], stamp);
            SIZED(take_linked)(&a, &q, &group[0]);
            for (int now = 0; group[now].n > 0; now = !now) {
                p->cluster[stamp++] = found;
                SIZED(begin_group)(&group[!now], stamp);
                SIZED(follow)(&a, &group[now], &group[!now], first, p);
            }
            found++;
        }
        label[v] = p->cluster[g->stamp[at % TESTS]];
    }
    return found;
}
