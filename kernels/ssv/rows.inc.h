/* SPDX-License-Identifier: MIT
 * Rows of ungapped diagonals in vectors, shared by kernels/ssv/simd.c and kernels/long/ssv_simd.c. A vector body
 * includes this file.
 *
 * Layout: a model is cut into blocks of Q * VB_LANES nodes, and each block is striped. Node k of the block (from 0)
 * is lane k / Q of vector k % Q. v is a signed byte, and -128 stands for the floor 0. So one saturating subtraction
 * subtracts d and takes the maximum with 0; heights up to 255 fit. All Q vectors stay in registers over many rows.
 * The row loop goes from the last vector to the first, so vector q reads vector q-1 of the previous row without a
 * move. */

#include <string.h>

/* SSV_QMAX: the most vectors of a block. SSV_SHAPES(F) and SSV_EDGED(F) list the register shapes to compile as F(Q,
 * S): Q vectors a sequence, S sequences together. S * (Q + 2) + 2 registers are live, with an alarm S more.
 * SSV_SHAPES, for models of one block, has each Q up to SSV_QMAX once. SSV_EDGED, for models of several blocks, begins
 * at SSV_QMAX / 2 + 1: a model has the fewest equal blocks, which are never smaller. */
#if V_REGISTERS == 32
#define SSV_QMAX 24
#define SSV_SHAPES(F) \
    F(1, 8) F(2, 6) F(3, 5) F(4, 4) F(5, 3) F(6, 3) F(7, 2) F(8, 2) F(9, 2) F(10, 1) F(11, 1) F(12, 1) SSV_EDGED(F)
#define SSV_EDGED(F) \
    F(13, 1) F(14, 1) F(15, 1) F(16, 1) F(17, 1) F(18, 1) F(19, 1) F(20, 1) F(21, 1) F(22, 1) F(23, 1) F(24, 1)
#else
#define SSV_QMAX 12
#define SSV_SHAPES(F) F(1, 4) F(2, 3) F(3, 2) F(4, 2) F(5, 2) F(6, 1) SSV_EDGED(F)
#define SSV_EDGED(F) F(7, 1) F(8, 1) F(9, 1) F(10, 1) F(11, 1) F(12, 1)
#endif

enum { FLOOR = -128, SMAX = 8, QROOM = 32 };

typedef struct stripes {
    int M, Q, nblock;
    int8_t *cost; /* cost[((block * Kp + x) * Q + q) * VB_LANES + lane]: d clipped to 127 */
    size_t block_size;
} stripes;

/* Fills *me from b. Returns WS_ENOMEM on failure. The caller frees me->cost, also after a failure. */
static int lay_stripes(stripes *me, const ws_bytes *b, ws_err *err) {
    me->M = b->M;
    me->nblock = (b->M + SSV_QMAX * VB_LANES - 1) / (SSV_QMAX * VB_LANES);
    me->Q = (b->M + me->nblock * VB_LANES - 1) / (me->nblock * VB_LANES);
    me->block_size = (size_t)b->Kp * (size_t)me->Q * VB_LANES;
    me->cost = ws_calloc((size_t)me->nblock, me->block_size, err);
    if (!me->cost) return WS_ENOMEM;
    memset(me->cost, 127, (size_t)me->nblock * me->block_size); /* a cost so high that padding stays at the floor */
    const int Q = me->Q, lanes = me->nblock * VB_LANES;
    for (int x = 0; x < b->Kp; x++)
        for (int z = 0; z < lanes && z * Q < b->M; z++) {
            const uint8_t *from = b->cost + (size_t)x * (size_t)(b->M + 1) + (size_t)(z * Q + 1);
            int8_t *to = me->cost + (size_t)(z / VB_LANES) * me->block_size + (size_t)(x * Q * VB_LANES + z % VB_LANES);
            const int n = Q < b->M - z * Q ? Q : b->M - z * Q;
            for (int q = 0; q < n; q++) {
                const int d = from[q] - b->bias;
                to[q * VB_LANES] = (int8_t)(d > 127 ? 127 : d);
            }
        }
    return WS_OK;
}

static void set_floor(V *state, int n) {
    for (int j = 0; j < n; j++) state[j] = VB_SET1(FLOOR);
}
