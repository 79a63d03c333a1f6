/* SPDX-License-Identifier: MIT
 * Forward and Backward of a bundle: VP_QUADS problems of one model side by side. Each has its own quad of every
 * register, and its operations are in the order of ref.c. forward.inc.h and backward.inc.h have the recurrences.
 *
 * Rows are aligned at the end: step g of a bundle is row g - skip[j] of quad j, which idles with zeros before its
 * first row.
 *
 * The step that loads a row also finishes it: scaling (by), and in Backward "+ E" and the share of M from D. So each
 * row is written once.
 *
 * Parsers run two bundles through each loop. The bundles share the loads of a model's odds. While one bundle waits for
 * its own results (sums and D's passes are chains of an operation or two for each position), the other one computes. */

/* bundle.nothing: README.md. With subnormal numbers, whose precision is smaller, only 0 is. */
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
    int own, quad[VP_QUADS]; /* some quad has its own scales; which quads have */
    int passed; /* the first pass of D to D is done for the row, */
    VF carry;   /* and ended with this */
} backward_state;

typedef struct bundle {
    const ws_dom_tables *t;
    size_t Q;
    ws_dom_problem *p[VP_QUADS]; /* NULL: no problem */
    const ws_dom_tables *odds[VP_QUADS]; /* whose emissions */
    uint32_t rows, skip[VP_QUADS];
    VF pmove, ploop, eC, eJ;
    VF nothing; /* an addition below this share of a value changes nothing, at this position or any later one */
    VF *M, *I, *D;        /* the row, Q positions each */
    forward_state f;
    backward_state b;
    /* M and I by position, rows from `kept` on: first Forward's, then their products with Backward's; or NULL */
    VF *keep;
    uint32_t kept;
    float *cell[VP_QUADS]; /* next row of a region's matrix, or NULL */
    float *cell_spare;     /* target for the rows of idle quads, and for their sums */
    ws_dom_row spare[VP_QUADS] __attribute__((aligned(64)));
} bundle;

enum { BUNDLES = 2 }; /* most bundles in one loop */
#define EACH(s) V_UNROLL for (int s = 0; s < S; s++)

#define TABLE(w, q, kind) VP_BCAST((w) + 4 * (WS_DOM_NTR * (q) + (kind)))

/* Returns v with quad j replaced by x. */
static VF set_quad(VF v, int j, float x) {
    float lane[VF_LANES] __attribute__((aligned(64)));
    VF_STORE(lane, v);
    for (int z = 0; z < 4; z++) lane[4 * j + z] = x;
    return VF_LOAD(lane);
}

static float get_quad(VF v, int j) {
    float lane[VF_LANES] __attribute__((aligned(64)));
    VF_STORE(lane, v);
    return lane[4 * j];
}

static void zero_quad(VF *v, size_t n, int j) {
    for (size_t q = 0; q < n; q++) memset((float *)(void *)(v + q) + 4 * j, 0, 4 * sizeof(float));
}

/* Sets up a bundle of n problems. rows: of the longest problem, over all bundles of the loop. state: 3 Q positions. */
static void bundle_begin(bundle *g, const ws_dom_tables *t, ws_dom_problem *const *p, size_t n, uint32_t rows,
                        VF *state) {
    *g = (bundle){.t = t, .Q = (size_t)t->Q, .rows = rows, .nothing = VF_SET1(NOTHING)};
    g->M = state, g->I = state + t->Q, g->D = state + 2 * t->Q;
    for (int j = 0; j < VP_QUADS; j++) {
        g->p[j] = (size_t)j < n ? p[j] : NULL;
        g->odds[j] = g->p[j] && p[j]->odds ? p[j]->odds : t;
        g->skip[j] = g->p[j] ? g->rows - p[j]->L : g->rows;
        g->spare[j].s = 1.0f;
        if (!g->p[j]) continue;
        g->pmove = set_quad(g->pmove, j, p[j]->mode.pmove);
        g->ploop = set_quad(g->ploop, j, p[j]->mode.ploop);
        g->eC = set_quad(g->eC, j, p[j]->mode.eC);
        g->eJ = set_quad(g->eJ, j, p[j]->mode.eJ);
    }
}

/* Sets pointers to the emissions of each quad's residue at step g (its row g - skip). Before its first row a quad
 * emits nothing. */
WS_INLINE void emissions(const bundle *g, uint32_t step, const float **o) {
    for (int j = 0; j < VP_QUADS; j++)
        o[j] = ws_dom_emit(g->odds[j], step > g->skip[j] ? g->p[j]->x[step - g->skip[j] - 1] : g->t->K);
}

/* Sets pointers to the specials of step g. */
WS_INLINE void row_of_step(bundle *g, uint32_t step, int backward, float **at) {
    for (int j = 0; j < VP_QUADS; j++) {
        ws_dom_row *r = step > g->skip[j] ? (backward ? g->p[j]->b : g->p[j]->f) + (step - g->skip[j]) : &g->spare[j];
        at[j] = &r->E;
    }
}

WS_INLINE void store_specials(float *const *at, VF E, VF N, VF J, VF B, VF C, VF s) {
    const VF zero = VF_SET1(0.0f);
    VP_STORES(at, 0, VP_MIX(E, N, J, B));
    VP_STORES(at, 4, VP_MIX(C, s, zero, zero));
}

/* Returns 1 if the carry changes nothing from position q on, in any bundle. */
WS_INLINE int adds_nothing(VF carry, VF to, VF nothing) { return !VM_ANY(VM_GT(carry, VF_MUL(to, nothing))); }

WS_INLINE int add_nothing(const int S, const VF *carry, VF *const *to, VF share, size_t q) {
    int nothing = 1;
    EACH(s) nothing &= adds_nothing(carry[s], to[s][q], share);
    return nothing;
}
