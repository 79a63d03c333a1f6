/* SPDX-License-Identifier: MIT
 * Two rows of ungapped DNA diagonals in one subtraction, for kernels/long/ssv_simd.c.
 *
 * d(k) is what residue x_i costs at node k, negative where it fits, and g(k) = max(0, -d(k)). Two rows of the heights
 * without clearing:
 *
 *     u(i,k) = max(0, u(i-1,k-1) - d(k))  =  max(u(i-2,k-2) - d(k-1) - d(k), g(k))
 *
 * So w(i,k) = u(i,k) - g(k) has the floor 0, whatever the residues, and three residues decide what one saturating
 * subtraction takes away:
 *
 *     w(i,k) = max(0, w(i-2,k-2) - D),   D = -g(k-2) + d(k-1) + max(0, d(k))
 *
 * Rows i = 0, 2, 4 .. are computed. Rows i and i+1 can reach a height h only if w(i,k) >= h - g(k) - g(k+1) somewhere.
 *
 * Layout: the odd nodes (from 0) and behind them the even ones form a chain, in which the node two before is the
 * neighbour. Node 0 always has w = 0, so nothing passes from the last odd node to it. The chain is cut into blocks of Q
 * * VB_LANES places, and each block is striped like those of kernels/ssv/rows.inc.h. A block has one table of D for
 * each three symbols. */

#include "kernels/ssv/rows.inc.h"

/* TWO_QMAX: the most vectors of a block, so that the 64 tables of plain residues fit the first-level cache. TWO_SHAPES
 * and TWO_EDGED are as SSV_SHAPES and SSV_EDGED in kernels/ssv/rows.inc.h. */
#if V_REGISTERS == 32
#define TWO_QMAX 8
#define TWO_SHAPES(F) F(1, 8) F(2, 6) F(3, 5) F(4, 4) TWO_EDGED(F)
#define TWO_EDGED(F) F(5, 3) F(6, 3) F(7, 2) F(8, 2)
#else
#define TWO_QMAX 12
#define TWO_SHAPES(F) F(1, 4) F(2, 3) F(3, 2) F(4, 2) F(5, 2) F(6, 1) TWO_EDGED(F)
#define TWO_EDGED(F) F(7, 1) F(8, 1) F(9, 1) F(10, 1) F(11, 1) F(12, 1)
#endif

/* Symbols: the residues 0..3, codes of several residues, N. An odd code of several residues costs at a node what the
 * cheapest costs. */
enum { SEVERAL = 4, ANY = 5, SYMBOLS = 6, WORDS = SYMBOLS * SYMBOLS * SYMBOLS };

typedef struct twos {
    int Q, nblock;
    int slack;         /* no g(k) + g(k+1) is larger */
    int8_t *cost;      /* cost[((block * WORDS + word) * Q + q) * VB_LANES + lane]: D clipped to 127 */
    size_t block_size;
} twos;

static inline int larger(int a, int b) { return a > b ? a : b; }

/* Returns d of a symbol at node k, from 1, clipped to 127. */
static int symbol_cost(const ws_bytes *b, int k, int symbol) {
    const uint8_t *cost = b->cost + k;
    const size_t row = (size_t)b->M + 1;
    size_t least = cost[(size_t)(symbol == ANY ? ws_abc_get(WS_ABC_DNA)->any : symbol) * row];
    if (symbol == SEVERAL)
        for (int x = SEVERAL; x < b->Kp; x++) least = ws_min(least, cost[(size_t)x * row]);
    return (int)ws_min(least, 127 + (size_t)b->bias) - b->bias;
}

/* The three summands of D by symbol and place: -D is before + between - after. Padding stays at the floor. */
typedef struct summands {
    int8_t *before, *between, *after;
} summands;

static void fill_summands(const twos *me, const ws_bytes *b, size_t places, const summands *s) {
    memset(s->after, 127, SYMBOLS * places);
    for (int x = 0; x < SYMBOLS; x++)
        for (int p = 0; p < b->M; p++) {
            const int k = p < b->M / 2 ? 2 * p + 2 : 2 * (p - b->M / 2) + 1; // from 1
            const int z = p / me->Q;
            const size_t at =
                (size_t)x * places + (size_t)(((z / VB_LANES) * me->Q + p % me->Q) * VB_LANES + z % VB_LANES);
            if (k == 1) continue;
            s->before[at] = (int8_t)(k > 2 ? larger(0, -symbol_cost(b, k - 2, x)) : 0);
            s->between[at] = (int8_t)-symbol_cost(b, k - 1, x);
            s->after[at] = (int8_t)larger(0, symbol_cost(b, k, x));
        }
}

static void set_slack(twos *me, const ws_bytes *b) {
    int last = 0;
    for (int k = 1; k <= b->M; k++) {
        int most = 0;
        for (int x = 0; x < SYMBOLS; x++) most = larger(most, -symbol_cost(b, k, x));
        me->slack = larger(me->slack, last + most);
        last = most;
    }
}

/* Fills *me from b, whose bias is at most 64. Returns WS_ENOMEM on failure. The caller frees me->cost, also after a
 * failure. */
static int lay_twos(twos *me, const ws_bytes *b, ws_err *err) {
    *me = (twos){.nblock = (b->M + TWO_QMAX * VB_LANES - 1) / (TWO_QMAX * VB_LANES)};
    me->Q = (b->M + me->nblock * VB_LANES - 1) / (me->nblock * VB_LANES);
    const size_t width = (size_t)me->Q * VB_LANES, places = (size_t)me->nblock * width;
    me->block_size = WORDS * width;
    int8_t *room = ws_calloc(3 * SYMBOLS, places, err);
    if (!room) return WS_ENOMEM;
    const summands s = {room, room + SYMBOLS * places, room + 2 * SYMBOLS * places};
    me->cost = ws_alloc((size_t)me->nblock * me->block_size, err);
    if (me->cost) {
        fill_summands(me, b, places, &s);
        set_slack(me, b);
        int8_t *to = me->cost;
        for (size_t block = 0; block < places; block += width)
            for (size_t word = 0; word < WORDS; word++, to += width) {
                const int8_t *before = s.before + word / (SYMBOLS * SYMBOLS) * places + block;
                const int8_t *between = s.between + word / SYMBOLS % SYMBOLS * places + block;
                const int8_t *after = s.after + word % SYMBOLS * places + block;
                for (size_t j = 0; j < width; j += VB_LANES)
                    V_STORE(to + j, VB_SUBS_S(VB_SUBS_S(V_LOAD(after + j), V_LOAD(before + j)), V_LOAD(between + j)));
            }
    }
    ws_free(room);
    return me->cost ? WS_OK : WS_ENOMEM;
}

/* Sets word[t] to the symbols of x[2t-2], x[2t-1], x[2t], of which x[2t] counts 1, x[2t-1] 6 and x[2t-2] 36, for n >
 * VW_LANES words. With `first` nothing is in front of x. Reads x[0..2n). */
static void make_words(const uint8_t *x, size_t n, int first, uint16_t *word) {
    const int any_code = ws_abc_get(WS_ABC_DNA)->any;
    const V any = VB_SET1(any_code), several = VB_SET1(SEVERAL), front = VW_SET1(6 << 8 | 36), last = VW_SET1(1);
#define SYMBOL(codes) VB_COUNT_EQ(VB_MIN_U(codes, several), codes, any)
    for (size_t t = 1;; t += VW_LANES) {
        t = ws_min(t, n - VW_LANES);
        const V a = V_LOADU(x + 2 * t - 2), b = V_LOADU(x + 2 * t);
        V_STOREU(word + t, VW_ADD(VB_DOT(SYMBOL(a), front), VB_DOT(SYMBOL(b), last)));
        if (t + VW_LANES == n) break;
    }
#undef SYMBOL
    uint16_t w = 0;
    for (int j = -2; j <= 0; j++) {
        const int code = first && j < 0 ? any_code : x[j];
        w = (uint16_t)((size_t)w * SYMBOLS + ws_min((size_t)code, SEVERAL) + (code == any_code));
    }
    word[0] = w;
}

/* n pairs of rows of S stretches in block `cost`. state: S times Q vectors. With edged, in[-t] is what the last place
 * of the block before had before pair t, and out[-t] becomes what this block's last place has; out has VB_LANES bytes
 * of room in front of its last, and in as many that may be read. Bit s of the result: a place of stretch s was above
 * `most`. */
WS_INLINE unsigned two_rows(const int Q, const int S, const int edged, const int8_t *cost, const uint16_t *const *words,
                            size_t n, V *state, const int8_t *in, int8_t *out, V most) {
    enum { WATCHES = 6 };
    const V floor = VB_SET1(FLOOR);
    const int watches = VB_WATCHES(Q, S), joined = 2 * VB_WATCH_JOINED(Q);
    V v[SMAX][QROOM];
    vb_watch w[SMAX][WATCHES];
    const uint16_t *word[SMAX];
    V_UNROLL for (int s = 0; s < S; s++) {
        word[s] = words[s];
        V_UNROLL for (int q = 0; q < Q; q++) v[s][q] = state[s * Q + q];
        V_UNROLL for (int j = 0; j < watches; j++) w[s][j] = VB_BELOW;
    }
    if (edged) {
        in -= VB_LANES - 1;
        out -= VB_LANES - 1;
        V_STOREU(out, v[0][Q - 1]);
    }
    for (size_t t = 0; t < n; t++) {
        V_UNROLL for (int s = 0; s < S; s++) {
            const int8_t *c = cost + (size_t)word[s][t] * (size_t)(Q * VB_LANES);
            V up = VB_UP1(v[s][Q - 1], edged ? V_LOADU(in) : floor);
            V_UNROLL for (int r = 0; r < Q; r++) {
                const int q = Q - 1 - r, two = r < joined;
                v[s][q] = VB_SUBS_S(q ? v[s][q - 1] : up, V_LOAD(c + q * VB_LANES));
                if (two && r % 2 == 0) continue;
                const int test = two ? r / 2 : r - joined / 2;
                w[s][test % watches] =
                    VB_WATCH(w[s][test % watches], two ? VB_MAX_S(v[s][q + 1], v[s][q]) : v[s][q], most);
            }
        }
        if (edged) {
            in--;
            V_STOREU(--out, v[0][Q - 1]);
        }
    }
    unsigned above = 0;
    V_UNROLL for (int s = 0; s < S; s++) {
        V_UNROLL for (int q = 0; q < Q; q++) state[s * Q + q] = v[s][q];
        V_UNROLL for (int j = 0; j < watches; j++) above |= (unsigned)VB_ABOVE(w[s][j], most) << s;
    }
    return above;
}
