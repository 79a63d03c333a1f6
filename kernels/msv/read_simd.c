/* SPDX-License-Identifier: MIT
 * MSV, with SSV first, of a model that is read when a sequence meets it. Compiled once for each width.
 *
 * A layout costs more than a score of a few sequences. So the rows are taken as a pressed file has them: vectors of 16
 * lanes, groups here, of which a register holds one, two or four: register g has groups g, g + G, and so on. Node k-1
 * of a lane is in the group before, so in the register before; that of the first group is in the lane before of the
 * last one. Behind the last group is room for up to three more, whose costs keep them at the floor. */
#include "kernels/msv/msv.h"
#include "kernels/ssv/ssv.h"
#include "lib/hmm/target.h"
#include "lib/run/policy.h"
#include "lib/simd/v.h"

#include <math.h>
#include <string.h>

enum { GROUPS = VB_LANES / WS_STRIPED_VECTOR, FLOOR = -128 };

/* READ_SHAPES(F) lists the register shapes to compile as F(G, S): rows of G registers, S sequences together. One
 * sequence alone leaves the processor waiting for its own results, and more than two registers in flight for each of
 * two sequences gain nothing. READ_LONG(F) has the shapes for one sequence only. Longer rows are in memory. */
#if V_REGISTERS == 32
#define READ_MOST 20
#define READ_SHAPES(F) \
    F(1, 4) F(2, 2) F(3, 2) F(4, 2) F(5, 2) F(6, 2) F(7, 2) F(8, 2) F(9, 2) F(10, 2)
#define READ_LONG(F) \
    F(11, 1) F(12, 1) F(13, 1) F(14, 1) F(15, 1) F(16, 1) F(17, 1) F(18, 1) F(19, 1) F(20, 1)
#else
#define READ_MOST 11
#define READ_SHAPES(F) F(1, 4) F(2, 3) F(3, 2) F(4, 2)
#define READ_LONG(F) F(5, 1) F(6, 1) F(7, 1) F(8, 1) F(9, 1) F(10, 1) F(11, 1)
#endif
enum { READ_TOGETHER = 4 };

/* READ_FREE(F, G, S) is F(G, S, P) for each number of groups that the registers may have free. */
#if VB_LANES == 64
#define READ_FREE(F, G, S) F(G, S, 0) F(G, S, 1) F(G, S, 2) F(G, S, 3)
#elif VB_LANES == 32
#define READ_FREE(F, G, S) F(G, S, 0) F(G, S, 1)
#else
#define READ_FREE(F, G, S) F(G, S, 0)
#endif

/* A model's rows in registers. */
typedef struct rows {
    ws_bytes bytes; /* the scalars */
    size_t nq, G;   /* groups of a row, and registers */
    V *ssv, *msv;   /* [ncode][G] costs without and with the bias */
} rows;

/* ---- SSV: kernels/ssv/ssv.h ---- */

/* Returns what goes into the first register: the groups of the last one, one further, and in the first group what
 * leaves the last group of the model, one lane further. */
#define FIRST_OF(v, G, P, fill) \
    VB_UP_GROUP((v)[(G) - 1], \
                VB_GROUP_UP1(LAST_OF((v)[LAST_GROUP(G, P) % (G)], LAST_GROUP(G, P) / (G)), fill))
#define LAST_GROUP(G, P) ((G) * GROUPS - 1 - (P))
#define LAST_OF(v, group) ((group) == GROUPS - 1 ? (v) : VB_GROUP_TO_TOP(v, group))

/* The rows take the maximum of all cells of a sequence, or notice whether one reaches its least height, as with SIGN of
 * kernels/ssv/simd.c. */
enum look { HEIGHT, ALARM, NLOOK };
enum { ALARMED = 255 };

/* State of a sequence: G vectors of cells, what the rows took, and for ALARM `below`. */
#define STATE(G) ((G) + 2)

/* Adds the cells a and b to what a sequence has. */
WS_INLINE V take(const enum look look, V best, V a, V b, V below) {
    return look == HEIGHT ? VB_MAX_S(best, VB_MAX_S(a, b)) : VB_OR3(best, VB_SUB(below, a), VB_SUB(below, b));
}

/* Computes n rows of S sequences, with P groups free. state: that of each sequence. */
WS_INLINE void rows_of(const int G, const int S, const int P, const enum look look, const rows *r,
                       const uint8_t *const *seq, size_t n, V *state) {
    const V floor = VB_SET1(FLOOR);
    V v[READ_TOGETHER][READ_MOST], best[READ_TOGETHER], below[READ_TOGETHER];
    const uint8_t *x[READ_TOGETHER];
    V_UNROLL for (int s = 0; s < S; s++) {
        x[s] = seq[s];
        V_UNROLL for (int g = 0; g < G; g++) v[s][g] = state[s * STATE(G) + g];
        best[s] = state[s * STATE(G) + G];
        below[s] = state[s * STATE(G) + G + 1];
    }
    for (size_t i = 0; i < n; i++) {
        V_UNROLL for (int s = 0; s < S; s++) {
            const V *cost = r->ssv + (size_t)x[s][i] * (size_t)G;
            const V in = FIRST_OF(v[s], G, P, floor);
            V_UNROLL for (int g = G - 1; g >= 0; g--) {
                v[s][g] = VB_SUBS_S(g ? v[s][g - 1] : in, V_LOAD(&cost[g]));
                if ((G - g) % 2 == 0) best[s] = take(look, best[s], v[s][g + 1], v[s][g], below[s]);
                else if (g == 0) best[s] = take(look, best[s], v[s][g], v[s][g], below[s]);
            }
        }
    }
    V_UNROLL for (int s = 0; s < S; s++) {
        V_UNROLL for (int g = 0; g < G; g++) state[s * STATE(G) + g] = v[s][g];
        state[s * STATE(G) + G] = best[s];
    }
}

/* Returns the same as FIRST_OF from registers in memory. */
static V first_in_memory(const rows *r, const V *v, V fill) {
    const size_t last = r->nq - 1;
    uint8_t top[VB_LANES] __attribute__((aligned(WS_ALIGN))) = {0};
    memcpy(top + VB_LANES - WS_STRIPED_VECTOR, (const uint8_t *)&v[last % r->G] + last / r->G * WS_STRIPED_VECTOR,
           WS_STRIPED_VECTOR);
    return VB_UP_GROUP(v[r->G - 1], VB_GROUP_UP1(V_LOAD(top), fill));
}

/* Does the same for one sequence and any number of registers, and takes the maximum. */
static void rows_any(const rows *r, const uint8_t *const *seq, size_t n, V *v) {
    const size_t G = r->G;
    V best = v[G];
    for (size_t i = 0; i < n; i++) {
        const V *cost = r->ssv + (size_t)seq[0][i] * G;
        const V in = first_in_memory(r, v, VB_SET1(FLOOR));
        for (size_t g = G; g-- > 0;) {
            v[g] = VB_SUBS_S(g ? v[g - 1] : in, V_LOAD(&cost[g]));
            best = VB_MAX_S(best, v[g]);
        }
    }
    v[G] = best;
}

typedef void rows_fn(const rows *r, const uint8_t *const *seq, size_t n, V *state);
typedef struct shape {
    rows_fn *alone[NLOOK], *together[NLOOK]; /* of ALARM: where an OR of three is one operation */
    int S;
} shape;

#define READ_ROWS(name, G, S, P, look) \
    static void name##_##G##_##P(const rows *r, const uint8_t *const *x, size_t n, V *v) { \
        rows_of(G, S, P, look, r, x, n, v); \
    }
#define READ_ALONE(G, S, P) READ_ROWS(alone, G, 1, P, HEIGHT)
#define READ_TWO(G, S, P) READ_ROWS(together, G, S, P, HEIGHT)
#if VB_OR3_IS_ONE
#define READ_ALONE_ALARM(G, S, P) READ_ROWS(alarm_alone, G, 1, P, ALARM)
#define READ_TWO_ALARM(G, S, P) READ_ROWS(alarm_together, G, S, P, ALARM)
#define READ_OF(name, G, P) {name##_##G##_##P, alarm_##name##_##G##_##P}
#else
#define READ_ALONE_ALARM(G, S, P)
#define READ_TWO_ALARM(G, S, P)
#define READ_OF(name, G, P) {name##_##G##_##P, NULL}
#endif
#define READ_DEFINE_LONG(G, S) READ_FREE(READ_ALONE, G, S) READ_FREE(READ_ALONE_ALARM, G, S)
#define READ_DEFINE(G, S) READ_DEFINE_LONG(G, S) READ_FREE(READ_TWO, G, S) READ_FREE(READ_TWO_ALARM, G, S)
#define READ_ENTRY_ONE(G, S, P) [P] = {READ_OF(alone, G, P), READ_OF(together, G, P), S},
#define READ_ENTRY_ONE_LONG(G, S, P) [P] = {READ_OF(alone, G, P), {NULL, NULL}, S},
#define READ_ENTRY(G, S) [G] = {READ_FREE(READ_ENTRY_ONE, G, S)},
#define READ_ENTRY_LONG(G, S) [G] = {READ_FREE(READ_ENTRY_ONE_LONG, G, S)},
READ_SHAPES(READ_DEFINE)
READ_LONG(READ_DEFINE_LONG)
static const shape any = {.alone = {rows_any}, .S = 1},
                   shapes[READ_MOST + 1][GROUPS] = {READ_SHAPES(READ_ENTRY) READ_LONG(READ_ENTRY_LONG)};

/* Begins a sequence. least: the height of an alarm. */
static void begin(V *state, size_t G, enum look look, int least) {
    for (size_t g = 0; g < G; g++) state[g] = VB_SET1(FLOOR);
    state[G] = VB_SET1(look == HEIGHT ? FLOOR : 0);
    state[G + 1] = VB_SET1(look == HEIGHT ? 0 : FLOOR + least - 1);
}

/* Ends the only sequence that is left, with L residues. A cell is that of a diagonal of at most M residues. So the rest
 * of a sequence may be cut into parts that are computed together, where each but the first begins M residues early:
 * what it lacks there, the part before it has. state: that of the sequence, then room for the others. */
static void end_alone(const rows *r, const shape *sh, enum look look, const uint8_t *x, size_t L, V *state) {
    const size_t M = (size_t)r->bytes.M, S = (size_t)sh->S, size = STATE(r->G);
    const size_t part = L > M ? (L - M + S - 1) / S + M : L;
    if (sh->S == 1 || 3 * part > 2 * L) {
        sh->alone[look](r, &x, L, state);
        return;
    }
    const uint8_t *from[READ_TOGETHER] = {x};
    for (size_t s = 0; s < S; s++) {
        from[s] = x + ws_min(s * (part - M), L - part);
        for (size_t g = 0; g < size && s; g++) state[s * size + g] = g < r->G ? VB_SET1(FLOOR) : state[g];
    }
    sh->together[look](r, from, part, state);
    for (size_t s = 1; s < S; s++) {
        V *best = &state[r->G], other = state[s * size + r->G];
        *best = look == HEIGHT ? VB_MAX_S(*best, other) : VB_OR3(*best, other, other);
    }
}

/* Returns what a sequence has: its best height, or 255 for an alarm and 0 for none. */
static int result(enum look look, V best) {
    if (look == HEIGHT) return VB_HMAX_U(VB_XOR(best, VB_SET1(FLOOR)));
    return VB_HMAX_U(best) > INT8_MAX ? ALARMED : 0;
}

/* Sets the status of each item that has residues to its result; before, it is the least height of an ALARM. state: room
 * for READ_TOGETHER sequences. */
static void scan(const rows *r, const ws_seqlist *list, enum look look, ws_fscore *out, V *state) {
    const shape *sh = r->G <= READ_MOST ? &shapes[r->G][r->G * GROUPS - r->nq] : &any;
    const size_t size = STATE(r->G);
    ws_tracks tracks;
    ws_tracks_begin(&tracks, list, sh->S);
    for (int s = 0; s < tracks.width; s++)
        begin(state + (size_t)s * size, r->G, look, ws_tracks_fill(&tracks, s) ? out[tracks.at[s]].status : 1);
    for (size_t n; (n = ws_tracks_rows(&tracks)) > 0;) {
        if (tracks.live == 1) {
            int s = 0;
            while (tracks.at[s] == WS_TRACK_EMPTY) s++;
            if (s) memcpy(state, state + (size_t)s * size, size * sizeof *state);
            end_alone(r, sh, look, tracks.x[s], tracks.left[s], state);
            out[tracks.at[s]].status = result(look, state[r->G]);
            ws_tracks_drop(&tracks, s);
            if (!ws_tracks_fill(&tracks, 0)) return;
            begin(state, r->G, look, out[tracks.at[0]].status);
            continue;
        }
        sh->together[look](r, tracks.x, n, state);
        ws_tracks_advance(&tracks, n);
        for (int s = 0; s < tracks.width; s++) {
            V *own = state + (size_t)s * size;
            if (tracks.at[s] == WS_TRACK_EMPTY || tracks.left[s] > 0) continue;
            out[tracks.at[s]].status = result(look, own[r->G]);
            ws_tracks_drop(&tracks, s);
            begin(own, r->G, look, ws_tracks_fill(&tracks, s) ? out[tracks.at[s]].status : 1);
        }
    }
}

/* ---- MSV, where SSV is open ---- */

/* As kernels/msv/simd.c: xB moves only when a cell passes a limit. */
static ws_fscore full(const rows *r, const ws_lenmodel *lm, const uint8_t *x, size_t L, V *v) {
    const ws_bytes *b = &r->bytes;
    const size_t G = r->G;
    const V bias = VB_SET1(b->bias), zero = VB_SET1(0);
    const int tjbm = (lm->tjb + b->tbm) % 256;
    V best = zero, limit = VB_SET1(ws_min((size_t)(WS_BYTE_BASE + b->tec), (size_t)(254 - b->bias)));
    V xB = VB_SET1(tjbm < WS_BYTE_BASE ? WS_BYTE_BASE - tjbm : 0);
    for (size_t g = 0; g < G; g++) v[g] = zero;
    for (size_t i = 0; i < L; i++) {
        const V *cost = r->msv + (size_t)x[i] * G;
        const V in = first_in_memory(r, v, zero);
        for (size_t g = G; g-- > 0;) {
            v[g] = VB_SUBS_U(VB_ADDS_U(VB_MAX_U(g ? v[g - 1] : in, xB), bias), V_LOAD(&cost[g]));
            best = VB_MAX_U(best, v[g]);
        }
        if (!VB_ANY_GT_U(best, limit)) continue;
        const int xE = VB_HMAX_U(best), next = xE - b->tec - tjbm;
        if (xE >= 255 - b->bias) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
        limit = VB_SET1(xE);
        xB = VB_SET1(next > 0 ? next : 0);
    }
    const int xE = VB_HMAX_U(best), xJ = xE > b->tec ? xE - b->tec : 0;
    return (ws_fscore){ws_bytes_nats(xJ, lm->tjb), WS_F_OK};
}

/* ---- rows of a list ---- */

/* Returns a bit for each lane of register g that has a group of the model. */
static uint64_t bits_of(size_t nq, size_t G, size_t g) {
    const size_t groups = (nq - g + G - 1) / G;
    return groups * WS_STRIPED_VECTOR < 64 ? (UINT64_C(1) << groups * WS_STRIPED_VECTOR) - 1 : UINT64_MAX;
}

/* Brings the rows of a model into registers, in `to`, which has room for 2 * ncode * G of them. Registers may be loaded
 * beyond the end of s->cost. */
static rows take_rows(const ws_striped *s, V *to) {
    const size_t G = (s->nq + GROUPS - 1) / GROUPS, all = (size_t)s->ncode * G, step = G * WS_STRIPED_VECTOR;
    const V most = VB_SET1((int)ws_min(255, (size_t)(127 + s->bytes.bias))), bias = VB_SET1(s->bytes.bias);
    const V free = VB_SET1(255);
    const rows r = {s->bytes, s->nq, G, to + all, to};
    const uint8_t *row = s->cost;
    /* the registers behind these have free groups: all, if there are more of these than registers */
    const size_t full = G * GROUPS - s->nq < G ? s->nq - G * (GROUPS - 1) : 0;
    for (size_t x = 0; x < (size_t)s->ncode; x++, row += s->nq * WS_STRIPED_VECTOR)
        for (size_t g = 0; g < G; g++) {
            V cost = VB_LOAD_GROUPS(row + g * WS_STRIPED_VECTOR, step);
            if (g >= full) cost = VB_PICK(bits_of(s->nq, G, g), cost, free);
            V_STORE(to, cost);
            V_STORE(to++ + all, VB_SUB(VB_MIN_U(cost, most), bias));
        }
    return r;
}

typedef struct msv_read {
    ws_hmm_target *target;
    uint64_t seen;   /* residues that were scored without a layout. Atomic */
    ws_filter *laid; /* NULL: there is no layout. Atomic */
} msv_read;

/* Returns the least height of item j that matters; 0: every one does. */
static int least_of(const rows *r, const ws_seqlist *list, size_t j) {
    const ws_lenmodel *lm = ws_seqlist_lm(list, j);
    const ws_gate *gate = list->gate;
    return ws_ssv_least(&r->bytes, lm->tjb, lm->null_nats, gate->least - gate->each * (float)lm->L);
}

/* Sets the status of each item that has residues to its best height; to -1 where the gate rejects that of the item. */
static void set_heights(const rows *r, const ws_seqlist *list, ws_fscore *out, V *state) {
    if (!VB_OR3_IS_ONE || !list->gate || r->G > READ_MOST) {
        scan(r, list, HEIGHT, out, state);
        return;
    }
    for (size_t j = 0; j < list->n; j++)
        if (ws_seqlist_len(list, j)) out[j].status = (int32_t)ws_max((size_t)least_of(r, list, j), 1);
    scan(r, list, ALARM, out, state);
    for (size_t j = 0; j < list->n; j++) {
        const uint32_t item = (uint32_t)ws_seqlist_at(list, j);
        ws_seqlist one = *list;
        one.item = &item;
        one.n = 1;
        if (!ws_seqlist_len(list, j)) continue;
        if (out[j].status != ALARMED && least_of(r, list, j)) out[j].status = -1;
        else scan(r, &one, HEIGHT, &out[j], state);
    }
}

/* Returns 1 if a sequence of the list has a residue that is several. */
static int has_degenerate(const ws_seqlist *list, int K) {
    uint8_t most = 0;
    for (size_t j = 0; j < list->n; j++) {
        const uint8_t *x = ws_seqlist_codes(list, j);
        const size_t L = ws_seqlist_len(list, j);
        for (size_t i = 0; i < L; i++) most = x[i] > most ? x[i] : most;
    }
    return most >= K;
}

static size_t aligned(size_t n) { return (n + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN; }

/* Scores a list by the rows as they are read. */
static int score_rows(const msv_read *m, const ws_seqlist *list, ws_fscore *out, ws_striped *s, ws_buf *scratch,
                      ws_err *err) {
    const ws_hmm *h = m->target->hmm;
    const size_t room = aligned(ws_striped_room(h->M, h->abc)) + GROUPS * WS_ALIGN;
    const size_t G = (ws_striped_vectors(h->M) + GROUPS - 1) / GROUPS;
    char *at = ws_buf_scratch(scratch, room + (2 * (size_t)h->abc->Kp * G + READ_TOGETHER * STATE(G)) * sizeof(V), err);
    if (!at) return err->code;
    const ws_hmm_reader *reader = m->target->reader;
    const int rc = reader->striped(reader->own, m->target->number, at, has_degenerate(list, h->abc->K), s, err);
    if (rc) return rc;
    V *cell = (V *)(void *)(at + room);
    const rows r = take_rows(s, cell + READ_TOGETHER * STATE(G));
    set_heights(&r, list, out, cell);
    for (size_t j = 0; j < list->n; j++) {
        const uint8_t *x = ws_seqlist_codes(list, j);
        const size_t L = ws_seqlist_len(list, j);
        const ws_lenmodel *lm = ws_seqlist_lm(list, j);
        if (!L) continue;
        if (out[j].status < 0) out[j] = (ws_fscore){-INFINITY, WS_F_OK};
        else out[j] = ws_ssv_decide(&r.bytes, lm->tjb, out[j].status);
        if (out[j].status == WS_F_OPEN) out[j] = full(&r, lm, x, L, cell);
    }
    return WS_OK;
}

/* ---- a layout ---- */

/* Makes the layout from rows of all codes, which are read. */
static int lay_rows(const msv_read *m, ws_filter **f, ws_buf *scratch, ws_err *err) {
    const ws_hmm *h = m->target->hmm;
    const ws_hmm_reader *reader = m->target->reader;
    const size_t room = aligned(ws_striped_room(h->M, h->abc));
    char *at = ws_buf_scratch(scratch, room + (size_t)h->abc->Kp * ((size_t)h->M + 1), err);
    ws_striped s;
    int rc = at ? reader->striped(reader->own, m->target->number, at, 1, &s, err) : err->code;
    if (rc) return rc;
    ws_bytes b = s.bytes;
    b.cost = (uint8_t *)at + room;
    ws_striped_undo(&s, b.cost);
    ws_hmm_target_bias(m->target, s.compo);
    return ws_filter_create_from(f, &V_FACE(ws_msv_), &b, err);
}

/* Makes the layout: where rows must be computed, of the whole model, since some sequence of many will need that.
 * Several threads may do so: the first one's stays. */
static int lay(msv_read *m, ws_buf *scratch, ws_err *err) {
    ws_filter *f = NULL, *none = NULL;
    int rc = m->target->reader->words ? lay_rows(m, &f, scratch, err) : ws_hmm_target_whole(m->target, err);
    if (!rc && !f) rc = ws_filter_create(&f, &V_FACE(ws_msv_), &m->target->profile, err);
    if (rc) return rc;
    if (!__atomic_compare_exchange_n(&m->laid, &none, f, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) ws_filter_destroy(f);
    return WS_OK;
}

static int lay_out(void *layout, const void *target, ws_err *err) {
    (void)err;
    ((msv_read *)layout)->target = (ws_hmm_target *)(uintptr_t)target;
    return WS_OK;
}

static void clear(void *layout) { ws_filter_destroy(((msv_read *)layout)->laid); }

/* Returns 1 if a score may pass, so that its pair needs the bias. */
static int may_any_pass(const msv_read *m, const ws_seqlist *list, const ws_fscore *out) {
    const ws_gate *gate = &m->target->gate;
    for (size_t j = 0; j < list->n; j++) {
        const ws_lenmodel *lm = ws_seqlist_lm(list, j);
        if (ws_seqlist_len(list, j) && !ws_gate_fails(gate, out[j].nats - lm->null_nats, lm->L)) return 1;
    }
    return 0;
}

static int score(const void *layout, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    msv_read *m = (msv_read *)(uintptr_t)layout;
    uint64_t residues = 0;
    int rc = WS_OK;
    for (size_t j = 0; j < list->n; j++) residues += ws_seqlist_len(list, j);
    if (!__atomic_load_n(&m->laid, __ATOMIC_ACQUIRE)) {
        ws_striped s;
        if (__atomic_add_fetch(&m->seen, residues, __ATOMIC_RELAXED) <= WS_POLICY_LAYOUT) {
            rc = score_rows(m, list, out, &s, scratch, err);
            if (!rc && may_any_pass(m, list, out)) ws_hmm_target_bias(m->target, s.compo);
            return rc;
        }
        rc = lay(m, scratch, err);
    }
    return rc ? rc : ws_filter_scores(__atomic_load_n(&m->laid, __ATOMIC_ACQUIRE), list, out, scratch, err);
}

const ws_body V_FACE(ws_msv_read_) = {.node_bytes = 96, .size = sizeof(msv_read), .lay_out = lay_out, .clear = clear,
                                      .score = score};
