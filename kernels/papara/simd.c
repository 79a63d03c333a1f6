/* SPDX-License-Identifier: MIT
 * The vector body of papara-score: edges across lanes, one read at a time. Compiled once for each width.
 *
 * It computes in bytes first. Code for 16 and then for 32 bits computes costs again that do not fit. It need not if
 * only the best edges are asked for and two are known. */

#include "kernels/papara/papara.h"
#include "lib/simd/v.h"

/* Sites done at once, few enough that their values stay in registers: V and the previous T of each site, and the
 * costs of a deletion. */
#define SITES (V_REGISTERS / 8)

/* A longer read with 5 % errors exceeds 255 on every edge, so bytes would be useless. */
enum { KINDS = 32, BYTES_UP_TO = 1500 };

typedef struct sweep {
    ws_papara_scheme cost;
    size_t m, n, words; /* residues, sites, words of a site in the planes */
    size_t lane;        /* bit of the first edge in these words */
    uint32_t *at;       /* [m] byte offset of each residue's costs in the table */
    uint32_t kind[KINDS]; /* distinct masks of the read */
    int nkind;
} sweep;

/* Returns a cost limited to the range of a cell; beyond it a cost counts as infinite. */
WS_INLINE uint32_t cost_in(int32_t cost, uint32_t most) { return (uint32_t)cost < most ? (uint32_t)cost : most; }

#define C_(name) name##_8
#define C_CELL uint8_t
#define C_LANES VB_LANES
#define C_SET1 VB_SET1
#define C_ADD VB_ADDS_U
#define C_MIN VB_MIN_U
#define C_PICK VB_PICK
#define C_FAR 255u
#include "kernels/papara/sweep.inc.h"

#define C_(name) name##_16
#define C_CELL uint16_t
#define C_LANES VW_LANES
#define C_SET1 VW_SET1
#define C_ADD VW_ADDS_U
#define C_MIN VW_MIN_U
#define C_PICK VW_PICK
#define C_FAR 65535u
#include "kernels/papara/sweep.inc.h"

#define C_(name) name##_32
#define C_CELL uint32_t
#define C_LANES VI_LANES
#define C_SET1 VI_SET1
#define C_ADD VI_ADD
#define C_MIN VI_MIN_U
#define C_PICK VI_PICK
#define C_FAR 0x40000000u
#include "kernels/papara/sweep.inc.h"

static void find_kinds(sweep *s, const uint32_t *mask) {
    for (size_t j = 0; j < s->m; j++) {
        int c = 0;
        while (c < s->nkind && s->kind[c] != mask[j]) c++;
        if (c == s->nkind) s->kind[s->nkind++] = mask[j];
        s->at[j] = (uint32_t)((size_t)c * SITES * sizeof(V));
    }
}

/* Returns 1 if the best two costs are known, or all where all are needed. */
static int enough(const ws_papara_read *r) {
    const size_t n = r->ref->edges.nedge, want = r->ref->exact_all ? n : ws_min(2, n);
    size_t known = 0;
    for (size_t k = 0; k < n; k++) known += r->cost[k] != WS_PAPARA_FAR;
    return known >= want;
}

static void cost(const ws_papara_read *r) {
    V *row = r->room, *table = row + 2 * (r->m + 1);
    sweep s = {.cost = r->ref->scheme,
               .m = r->m,
               .n = r->ref->edges.sites,
               .words = (size_t)r->ref->edges.nstate + 1,
               .at = (uint32_t *)(void *)(table + KINDS * SITES)};
    /* most costs of a residue */
    const uint64_t most = (uint64_t)s.cost.mismatch + (uint64_t)s.cost.cgap + (uint64_t)s.cost.ins_open;
    find_kinds(&s, r->mask);
    for (size_t k = 0; k < r->ref->edges.nedge; k++) r->cost[k] = WS_PAPARA_FAR;
    if (s.m <= BYTES_UP_TO) edges_8(r, &s, row, table);
    if (!enough(r)) edges_16(r, &s, row, table);
    if (!enough(r) && most * (s.m + s.n) < 0x40000000u) edges_32(r, &s, row, table);
    if (!enough(r)) ws_papara_cost_far(r);
}

static const ws_papara_face face = {cost};

static int score(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    return ws_papara_score_tasks(cost, seqs, task, ntask, scratch, err);
}

const ws_backend V_FACE(ws_papara_) = {.name = V_NAME,
                                       .usable = V_FACE(ws_usable_),
                                       .prepare = ws_papara_prepare,
                                       .release = ws_papara_release,
                                       .score = score,
                                       .max_tasks = 1,
                                       .own = &face};
