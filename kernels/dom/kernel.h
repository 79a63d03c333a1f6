/* SPDX-License-Identifier: MIT
 * Shared by the files of kernels/dom: a model's tables, the rows of a problem, and the interface of a backend.
 *
 * Node k of 1..M is in lane z = (k-1) / Q at position q = (k-1) % Q, Q = max(2, ceil(M/4)). These are HMMER's four
 * lanes, which all backends keep. "Striped" arrays are [q][4]; nodes beyond M are 0 in all tables. */
#ifndef WS_DOM_KERNEL_H
#define WS_DOM_KERNEL_H

#include "kernels/dom/dom.h"
#include "lib/base/mem.h"

enum { WS_DOM_LANES = 4, WS_DOM_TRACES = 200 };
#define WS_DOM_PLAIN ((size_t)16 << 20) /* default of ws_dom_options.plain */

/* Indices of a node's transitions in `in` and `out`. */
enum { WS_DOM_BM, WS_DOM_MM, WS_DOM_IM, WS_DOM_DM, WS_DOM_MD, WS_DOM_MI, WS_DOM_II, WS_DOM_DD, WS_DOM_NTR };

/* Zero entries before index 0 of tables by node, so that code can load the sixteen nodes up to any k. */
enum { WS_DOM_FRONT = 16 };

struct ws_dom_tables {
    int M, Q, K, Kp;
    int codes; /* that `emit` has; Kp but in tables with fitted emissions */
    const ws_abc *abc;
    float tau, lambda;
    float *emit; /* o_k(x), striped: emit[(x Q + q) 4 + z] */
    float *in;   /* [q][WS_DOM_NTR][4]: BM_k, then MM IM DM of k-1, which lead into k, then MD MI II DD of k */
    float *out;  /* the same with MM IM DM of k, which lead into k+1 */
    float *valid; /* [q][4]: all bits set for nodes up to M, none beyond */
    size_t alike; /* positions 1 .. alike have the same odds of `in` but BM, or 0: models of single sequences */
    int complete; /* all transitions that a model of M nodes has are above 0 */
    float *mix;  /* o_k(x) of the canonical x, for sums over nodes: mix[(q K + x) 4 + z] */
    float *node[WS_NPTRANS]; /* transitions by node: node[WS_PMM][k] is MM_k, 0 for k = 0 and k >= M */
    float *memory;           /* the memory of all these tables; of fitted ones, of emit and mix */
    void *device[2];         /* what devices made of them, two forms: of kernels/dom/device/cuda.cu. Atomic */
};

static inline const float *ws_dom_emit(const ws_dom_tables *t, int x) {
    return t->emit + (size_t)x * (size_t)t->Q * WS_DOM_LANES;
}
/* Makes a model's tables with other emissions: those of codes 0 .. codes - 1, at least the canonical ones and the gap.
 * score: [codes][M + 1], of code x and node k at score[x (M + 1) + k], in nats. The model must stay. The caller
 * destroys *out. Returns WS_ENOMEM on failure. */
int ws_dom_tables_fit(ws_dom_tables **out, const ws_dom_tables *model, const float *score, int codes, ws_err *err);

/* Return the node of position q, lane z, and a node's index in a striped array. */
static inline int ws_dom_node(const ws_dom_tables *t, int q, int z) { return z * t->Q + q + 1; }
static inline size_t ws_dom_striped(const ws_dom_tables *t, uint32_t k) {
    const uint32_t Q = (uint32_t)t->Q;
    return (size_t)((k - 1) % Q) * WS_DOM_LANES + (k - 1) / Q;
}

/* The special states of a row after rescaling, and the row's scale s. */
typedef struct ws_dom_row {
    float E, N, J, B, C, s, unused[2];
} ws_dom_row;

/* Parameters that depend on the target's length and the mode (section 2). */
typedef struct ws_dom_mode {
    float pmove, ploop, eC, eJ;
} ws_dom_mode;
ws_dom_mode ws_dom_multihit(uint32_t L);
ws_dom_mode ws_dom_unihit(uint32_t L);

/* A stretch of a target against the model: rows 1..L are the residues x[0..L-1]; row 0 precedes them. */
typedef struct ws_dom_problem {
    const uint8_t *x;
    uint32_t L;
    ws_dom_mode mode;
    const ws_dom_tables *odds; /* whose emissions; NULL: those of the model */
    ws_dom_row *f, *b; /* L + 1 rows each: Forward's and Backward's */
    float *cell;       /* a region's Forward matrix: M I D 0 of node k of row i at cell[4 (i (M+1) + k)]; k = 0 is 0 */
    float *ends;       /* of a region: ws_dom_nends sums of M and D for each row, which vector code computes and uses */
    int own;           /* Backward set its own scales */
} ws_dom_problem;
#define WS_DOM_CELL 4
/* Floats before a matrix of cells that code may read, so that it can load sixteen steps of a diagonal from any cell.
 * WS_DOM_CELL_BEHIND: floats after it that code may write, for nodes beyond M. */
static inline size_t ws_dom_cell_front(int M) { return WS_DOM_CELL * 16 * ((size_t)M + 2); }
enum { WS_DOM_CELL_BEHIND = WS_DOM_CELL * 8 };

/* Positions of a sum of the weights with which a row leads to E, and the number of sums in `ends`, a multiple of 4. */
enum { WS_DOM_END_BLOCK = 4 };
static inline size_t ws_dom_nends(const ws_dom_tables *t) { return ((size_t)t->Q + 15) / 16 * 4; }

/* One domain of one sampled trace: target positions (of the region's rows) and nodes of its first and last M. */
typedef struct ws_dom_segment {
    uint32_t trace, i, j, k, m;
} ws_dom_segment;

/* A backend's samples from a region's matrix. The user zero-initialises it and reuses it from region to region. */
typedef struct ws_dom_sample {
    ws_dom_segment *segment;
    size_t n, cap;
    float *n2; /* sums of null2 odds over the traces, rows 1..L */
    size_t n2_cap;
    uint64_t draws;
    uint32_t *label; /* the component of each segment, of so many, in any order. components = 0: there are no labels */
    uint32_t components;
    size_t label_cap;
} ws_dom_sample;
/* Takes from a region what a device sampled: Forward's score, `failed`, and all of *s. Returns WS_ENOMEM on failure. */
int ws_dom_unpack_sample(ws_dom_region *g, ws_dom_sample *s, ws_err *err);

/* Returns the bytes of the matrix of a region of L residues. */
size_t ws_dom_matrix_bytes(const ws_dom_tables *t, uint32_t L);

/* An envelope's alignment as a path through the model, and the results from its posteriors. */
typedef struct ws_dom_fit {
    ws_dom_problem p; /* in unihit mode */
    int whole;        /* set by the caller: the target is one domain, so B comes from N; `posterior` is wanted */
    int range;        /* a posterior went out of range: all fields below are invalid */
    int strange;      /* for the backend: N has no posterior; only scalar code handles that */
    float accuracy;   /* oasc */
    float null2[WS_KP_MAX]; /* odds by residue code, by expectation */
    /* rows and nodes of the alignment's first and last M; i_to = 0: no alignment */
    uint32_t i_from, i_to, k_from, k_to;
    uint8_t *column;  /* its columns, allocated by the fit */
    float *posterior; /* with `whole` the posterior of each, allocated by the fit */
    uint32_t ncolumn;
} ws_dom_fit;

struct ws_dom_backend {
    const char *name;
    size_t quads; /* problems that it computes side by side */
    /* Computes f of each problem, b if that is not NULL, and the matrix if cell is not NULL. Problems share no
     * arithmetic. */
    int (*parse)(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_problem *const *p, size_t n, ws_err *err);
    /* Samples 200 traces of one region, whose f and cell are computed. */
    int (*sample)(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_problem *p, uint32_t seed, ws_dom_sample *s,
                  ws_err *err);
    int in_order; /* label numbers clusters in the order of the reference, as the definition does */
    /* Sets label[v] to the cluster of segment v (section 8.5). Without in_order ws_dom_number_clusters renumbers
     * them, as it does labels of a device. */
    int (*label)(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t *label, uint32_t *clusters,
                 ws_err *err);
    int (*fit)(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_fit *const *f, size_t n, ws_err *err);
};

/* A thread's scratch areas. Each grows as needed and keeps nothing between calls. */
enum {
    WS_DOM_ROWS,
    WS_DOM_MATRIX,
    WS_DOM_STATE,
    WS_DOM_CHOICE,
    WS_DOM_PATH,
    WS_DOM_LIST,
    WS_DOM_SPARE,
    WS_DOM_SUMS,
    WS_DOM_COUNT,
    WS_DOM_ORDER,
    WS_DOM_SAVED,
    WS_DOM_ENDS,
    WS_DOM_NSCRATCH
};
struct ws_dom_worker {
    const ws_dom_backend *backend;
    ws_dom_options options;
    int subnormals; /* the arithmetic has subnormal numbers */
    ws_buf scratch[WS_DOM_NSCRATCH];
    ws_dom_sample sample;
};
/* Returns `bytes` bytes of scratch area `place`, aligned, of undefined content; NULL on failure. */
void *ws_dom_scratch(ws_dom_worker *w, int place, size_t bytes, ws_err *err);

/* ---- shared by all backends ---- */

/* Returns a generator's state from a seed (section 8.1); ws_dom_random advances it. */
uint32_t ws_dom_seeded(uint32_t seed);
static inline uint32_t ws_dom_random(uint32_t *state) { return *state = *state * 69069u + 1u; }
static inline double ws_dom_deviate(uint32_t state) { return (double)state / 4294967296.0; }

/* Returns Forward's score in nats from its rows; NaN if the end is 0, infinite or NaN. */
float ws_dom_forward_nats(const ws_dom_problem *p);

/* Adds a region to a pair; *cap is 0 at first. Returns WS_ENOMEM on failure. */
struct ws_dom_found;
int ws_dom_add_region(ws_dom_pair *pair, size_t *cap, const struct ws_dom_found *found, ws_err *err);
/* Computes nexp and the regions from the rows of both parsers (sections 4 to 6). Returns WS_EDATA without a sentence
 * for a range error, or WS_ENOMEM. */
int ws_dom_find_regions(ws_dom_worker *w, ws_dom_pair *pair, const ws_dom_problem *p, ws_err *err);

/* Takes an envelope's results from a fit and its Forward score; the columns too. */
void ws_dom_take_fit(ws_dom_pair *pair, ws_dom_envelope *e, ws_dom_fit *f, float nats);

/* Finds the significant clusters of the segments (section 8.5), sorted, with dominated ones marked. The caller frees
 * *cluster with ws_free. Returns WS_ENOMEM on failure. */
int ws_dom_cluster_segments(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t nodes,
                            ws_dom_cluster **cluster, uint32_t *n, uint32_t *components, ws_err *err);

/* Renumbers n clusters, numbered in any order, in the order of the reference. Returns WS_ENOMEM on failure. */
int ws_dom_number_clusters(ws_dom_worker *w, const ws_dom_sample *s, uint32_t *label, uint32_t n, ws_err *err);

/* Computes the null2 odds of all codes from the sums over canonical codes (sections 7.4 and 8.4). */
void ws_dom_null2_degenerate(const ws_abc *abc, float *null2);

/* The origins of a path (section 7.3). `cell` returns the origin of M, D and I of node k of row i. Its bits 0 and 1 are
 * WS_DOM_FROM_.. of M. `step` has the special states of each row. step = NULL: the path ends at end_row and end_node,
 * and begins in N. */
typedef struct ws_dom_step {
    uint32_t e_node;   /* node from which E comes */
    uint8_t e_state;   /* WS_COLUMN_M or _D */
    uint8_t c_from_e, b_from_n, j_from_e;
} ws_dom_step;
typedef struct ws_dom_choices {
    int (*cell)(const struct ws_dom_choices *c, uint32_t i, uint32_t k);
    const ws_dom_step *step;    /* rows 0..L */
    uint32_t end_row, end_node; /* for step = NULL: C comes from E of this row, and E from M of this node */
    const void *cells;          /* the argument of `cell` */
    int quad;
} ws_dom_choices;
enum { WS_DOM_FROM_M, WS_DOM_FROM_I, WS_DOM_FROM_D, WS_DOM_FROM_B, WS_DOM_D_FROM_D = 4, WS_DOM_I_FROM_I = 8 };

/* A state of the path: row and node of an M, I or D. */
typedef struct ws_dom_visit {
    uint32_t i, k;
    uint8_t state; /* WS_COLUMN_M, _I, _D */
} ws_dom_visit;
/* Walks from the last row to S. *visit: the alignment's *n states in target order, in w's memory. Returns WS_ENOMEM on
 * failure. */
int ws_dom_walk(ws_dom_worker *w, const ws_dom_choices *c, uint32_t L, uint32_t M, ws_dom_visit **visit, size_t *n,
                ws_err *err);
/* Sets coordinates and columns of the fit from the states and the posterior of each (0 for D). Returns WS_ENOMEM on
 * failure. */
int ws_dom_set_columns(ws_dom_fit *f, const ws_dom_visit *visit, const float *posterior, size_t n, ws_err *err);

/* Fits a whole target in logarithms, where odds went out of range. *outside: as in whole.h, allocated. Returns
 * WS_ENOMEM on failure. */
int ws_dom_fit_logs(const ws_profile *p, ws_dom_worker *w, ws_dom_fit *f, uint8_t **outside, ws_err *err);

#endif
