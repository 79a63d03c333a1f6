/* SPDX-License-Identifier: MIT
 * Forward and Backward of a group: VP_PARTS problems of one model side by side. Each has its own part of every
 * register, and its operations are in the order of ref.c. forward.inc.h and backward.inc.h have the recurrences.
 *
 * Rows are aligned at the end: step g of a group is row g - skip[j] of part j, which idles with zeros before its
 * first row.
 *
 * The step that loads a row also finishes it: scaling (by), and in Backward "+ E" and the share of M from D. So each
 * row is written once.
 *
 * Parsers run two groups through each loop. The groups share the loads of a model's odds. While one group waits for
 * its own results (sums and D's passes are chains of an operation or two for each position), the other one computes. */

/* An addition below this share of a value changes nothing, at this position or any later one: README.md. */
#define NOTHING 0x1p-27f
enum { BLOCK = 8 }; /* positions between two such tests */

/* State between rows, besides the cells. */
typedef struct specials {
    VF E, N, J, B, C;
} specials;

typedef struct forward_state {
    specials s;
    VF by;      /* factor for the last row's cells, */
    int scaled; /* if this is set */
} forward_state;

typedef struct backward_state {
    specials s;
    int own, part[VP_PARTS]; /* some part has its own scales; which parts have */
    int passed; /* the first pass of D to D is done for the row, */
    VF carry;   /* and ended with this */
} backward_state;

typedef struct group {
    const ws_dom_tables *t;
    size_t Q;
    ws_dom_problem *p[VP_PARTS]; /* NULL: no problem */
    const ws_dom_tables *odds[VP_PARTS]; /* whose emissions */
    uint32_t rows, skip[VP_PARTS];
    VF pmove, ploop, eC, eJ;
    VF *M, *I, *D;        /* the row, Q positions each */
    forward_state f;
    backward_state b;
    VF *keep; /* M and I by position, rows from `kept` on: first Forward's, then their products with Backward's; or NULL */
    uint32_t kept;
    float *cell[VP_PARTS]; /* next row of a region's matrix, or NULL */
    float *cell_spare;     /* target for the rows of idle parts */
    ws_dom_row spare[VP_PARTS] __attribute__((aligned(64)));
} group;

enum { GROUPS = 2 }; /* most groups in one loop */
#define EACH(s) V_UNROLL for (int s = 0; s < S; s++)

#define TABLE(w, q, kind) VP_BCAST((w) + 4 * (WS_DOM_NTR * (q) + (kind)))

/* Returns v with part j replaced by x. */
static VF set_part(VF v, int j, float x) {
    float lane[VF_LANES] __attribute__((aligned(64)));
    VF_STORE(lane, v);
    for (int z = 0; z < 4; z++) lane[4 * j + z] = x;
    return VF_LOAD(lane);
}

static float get_part(VF v, int j) {
    float lane[VF_LANES] __attribute__((aligned(64)));
    VF_STORE(lane, v);
    return lane[4 * j];
}

static void zero_part(VF *v, size_t n, int j) {
    for (size_t q = 0; q < n; q++) memset((float *)(void *)(v + q) + 4 * j, 0, 4 * sizeof(float));
}

/* Sets up a group of n problems. rows: of the longest problem, over all groups of the loop. state: 3 Q positions. */
static void group_begin(group *g, const ws_dom_tables *t, ws_dom_problem *const *p, size_t n, uint32_t rows,
                        VF *state) {
    *g = (group){.t = t, .Q = (size_t)t->Q, .rows = rows, .M = state, .I = state + t->Q, .D = state + 2 * t->Q};
    for (int j = 0; j < VP_PARTS; j++) {
        g->p[j] = (size_t)j < n ? p[j] : NULL;
        g->odds[j] = g->p[j] && p[j]->odds ? p[j]->odds : t;
        g->skip[j] = g->p[j] ? g->rows - p[j]->L : g->rows;
        g->spare[j].s = 1.0f;
        if (!g->p[j]) continue;
        g->pmove = set_part(g->pmove, j, p[j]->mode.pmove);
        g->ploop = set_part(g->ploop, j, p[j]->mode.ploop);
        g->eC = set_part(g->eC, j, p[j]->mode.eC);
        g->eJ = set_part(g->eJ, j, p[j]->mode.eJ);
    }
}

/* Sets pointers to the emissions of each part's residue at step g (its row g - skip). Before its first row a part
 * emits nothing. */
WS_INLINE void emissions(const group *g, uint32_t step, const float **o) {
    for (int j = 0; j < VP_PARTS; j++)
        o[j] = ws_dom_emit(g->odds[j], step > g->skip[j] ? g->p[j]->x[step - g->skip[j] - 1] : g->t->K);
}

/* Sets pointers to the specials of step g. */
WS_INLINE void row_of_step(group *g, uint32_t step, int backward, float **at) {
    for (int j = 0; j < VP_PARTS; j++) {
        ws_dom_row *r = step > g->skip[j] ? (backward ? g->p[j]->b : g->p[j]->f) + (step - g->skip[j]) : &g->spare[j];
        at[j] = &r->E;
    }
}

WS_INLINE void store_specials(float *const *at, VF E, VF N, VF J, VF B, VF C, VF s) {
    const VF zero = VF_SET1(0.0f);
    VP_STORES(at, 0, VP_MIX(E, N, J, B));
    VP_STORES(at, 4, VP_MIX(C, s, zero, zero));
}

/* Returns 1 if the carry changes nothing from position q on, in any group. */
WS_INLINE int adds_nothing(VF carry, VF to) { return !VM_ANY(VM_GT(carry, VF_MUL(to, VF_SET1(NOTHING)))); }

WS_INLINE int add_nothing(const int S, const VF *carry, VF *const *to, size_t q) {
    int nothing = 1;
    EACH(s) nothing &= adds_nothing(carry[s], to[s][q]);
    return nothing;
}
