/* SPDX-License-Identifier: MIT
 * The vector body of the bias filter, compiled once for each width: one sequence to a lane of a float register.
 *
 * Each lane does the operations of ws_bias_score in its order, so the bits are equal. When a sequence ends, the next
 * one of the list gets its lane. */

#include "lib/hmm/bias.h"
#include "lib/hmm/floatlog.h"
#include "lib/simd/v.h"

enum { LANES = VF_LANES, CHUNK = WS_FLOATLOGS };

/* Returns (float)log((double)m) of half the lanes; see floatlog.h. Sums are fused, which lets the double differ in its
 * last places, and no single (tests/lib/bias.c compares them all). */
WS_INLINE VD half_log(VD m) {
    const V bits = VD_BITS(m);
    const V shifted = VL_ADD(bits, VL_SET1(WS_LOG_BIAS - WS_LOG_OFFSET));
    const V i = VL_AND(VL_SHR(shifted, 48), VL_SET1(15));
    const V exponent = VL_AND(shifted, VL_SET1(INT64_C(0x7ff0000000000000)));
    const VD z = VD_FROM_BITS(VL_ADD(VL_SUB(bits, exponent), VL_SET1(WS_LOG_BIAS)));
    const VD k = VD_SUB(VD_FROM_BITS(VL_OR(VL_SHR(exponent, 52), VL_SET1(WS_LOG_MAGIC))), VD_SET1(WS_LOG_MAGIC_BIAS));
    const VD r = VD_FMA(z, VD_LOOKUP16(ws_floatlog.inverse, i), VD_SET1(-1.0)), r2 = VD_MUL(r, r);
    const VD high = VD_FMA(k, VD_SET1(WS_LN2_HIGH), VD_LOOKUP16(ws_floatlog.high, i));
    const VD low = VD_FMA(k, VD_SET1(WS_LN2_LOW), VD_LOOKUP16(ws_floatlog.low, i));
    const VD w = VD_ADD(high, r), rest = VD_ADD(VD_ADD(VD_SUB(high, w), r), low);
    VD even = VD_SET1(-1.0 / 14), odd = VD_SET1(1.0 / 13);
    V_UNROLL for (int n = 12; n >= 2; n -= 2) {
        even = VD_FMA(even, r2, VD_SET1(-1.0 / n));
        if (n > 2) odd = VD_FMA(odd, r2, VD_SET1(1.0 / (n - 1)));
    }
    return VD_ADD(w, VD_FMA(r2, VD_FMA(r, odd, even), rest));
}

WS_INLINE VF float_log(VF m) { return VF_OF_HALVES(half_log(VD_OF_HALF(m, 0)), half_log(VD_OF_HALF(m, 1))); }

void V_FACE(ws_float_logs_)(float *v) {
    for (size_t i = 0; i < WS_FLOATLOGS; i += LANES) VF_STORE(v + i, float_log(VF_LOAD(v + i)));
}

/* State of the lanes between rows: both states, normalised; the sum; the transitions, which depend on the length. */
typedef struct lanes {
    float a[LANES], b[LANES], F[LANES], t00[LANES], t01[LANES];
    float odds[32];
    uint8_t code[CHUNK * LANES]; /* codes of the next rows, row by row */
} __attribute__((aligned(WS_ALIGN))) lanes;

/* Computes row 1 of the next sequence of at least two residues, in lane s. Scores shorter sequences at once. */
static void fill(ws_tracks *tracks, int s, lanes *v, const ws_bias *bias, float *out) {
    const ws_seqlist *list = tracks->list;
    while (ws_tracks_fill(tracks, s)) {
        const size_t j = tracks->at[s];
        const ws_lenmodel *lm = ws_seqlist_lm(list, j);
        if (tracks->left[s] > 1) {
            v->a[s] = WS_BIAS_PI0;
            v->b[s] = v->odds[*tracks->x[s]] * WS_BIAS_PI1;
            const float m = v->a[s] > v->b[s] ? v->a[s] : v->b[s];
            v->a[s] /= m;
            v->b[s] /= m;
            v->F[s] = ws_float_log(m);
            v->t00[s] = lm->p1;
            v->t01[s] = 1.0f - lm->p1;
            tracks->x[s]++;
            tracks->left[s]--;
            return;
        }
        out[j] = ws_bias_score(bias, lm, tracks->x[s], 1);
        ws_tracks_drop(tracks, s);
    }
}

static void rows(lanes *v, const ws_bias *bias, const uint8_t *const *x, size_t n) {
    const VF t00 = VF_LOAD(v->t00), t01 = VF_LOAD(v->t01), t10 = VF_SET1(bias->t10), t11 = VF_SET1(bias->t11);
    const VF one = VF_SET1(1.0f);
    VF a = VF_LOAD(v->a), b = VF_LOAD(v->b), F = VF_LOAD(v->F);
    for (size_t from = 0; from < n; from += CHUNK) {
        const size_t rest = ws_min(n - from, CHUNK);
        for (size_t s = 0; s < LANES; s++)
            for (size_t i = 0; i < rest; i++) v->code[i * LANES + s] = x[s][from + i];
        for (size_t i = 0; i < rest; i++) {
            const VF next_a = VF_ADD(VF_MUL(a, t00), VF_MUL(b, t10));
            const VF next_b = VF_MUL(VF_ADD(VF_MUL(a, t01), VF_MUL(b, t11)), VF_LOOKUP32(v->odds, v->code + i * LANES));
            const VF m = VF_MAX(next_a, next_b);
            const VM less = VM_GT(next_b, next_a); /* the larger one becomes 1 */
            const VF other = VF_DIV(VM_PICK(less, next_a, next_b), m);
            a = VM_PICK(less, other, one);
            b = VM_PICK(less, one, other);
            F = VF_ADD(F, float_log(m));
        }
    }
    VF_STORE(v->a, a);
    VF_STORE(v->b, b);
    VF_STORE(v->F, F);
}

/* Returns the score of one sequence of L >= 1 residues, as ws_bias_score: its states one after another, and logarithms
 * in lanes. */
static float score_one(const ws_bias *bias, const ws_lenmodel *lm, const uint8_t *x, size_t L) {
    const float t00 = lm->p1, t01 = 1.0f - lm->p1, t10 = bias->t10, t11 = bias->t11;
    float a = 1.0f * WS_BIAS_PI0, b = bias->odds[x[0]] * WS_BIAS_PI1, F = 0.0f;
    float m[CHUNK] __attribute__((aligned(WS_ALIGN)));
    for (int i = 0; i < CHUNK; i++) m[i] = 1.0f;
    for (size_t from = 0; from < L; from += CHUNK) {
        const size_t rest = ws_min(L - from, CHUNK);
        for (size_t i = 0; i < rest; i++) {
            if (from + i > 0) {
                const float next_a = a * t00 + b * t10, next_b = (a * t01 + b * t11) * bias->odds[x[from + i]];
                a = next_a;
                b = next_b;
            }
            m[i] = a > b ? a : b;
            a /= m[i];
            b /= m[i];
        }
        V_FACE(ws_float_logs_)(m);
        for (size_t i = 0; i < rest; i++) F += m[i];
        for (size_t i = 0; i < CHUNK; i++) m[i] = 1.0f;
    }
    return ws_bias_finish(F + ws_float_log(a + b), lm);
}

/* A vector takes as long for one sequence as for all of its lanes. So few are done one by one. */
enum { ONE_BY_ONE = 2 };

void V_FACE(ws_bias_scores_)(const ws_bias *bias, const ws_seqlist *list, float *out) {
    lanes v;
    for (size_t j = 0; j < list->n && list->n <= ONE_BY_ONE; j++) {
        const size_t L = ws_seqlist_len(list, j);
        out[j] = L ? score_one(bias, ws_seqlist_lm(list, j), ws_seqlist_codes(list, j), L) : 0.0f;
    }
    if (list->n <= ONE_BY_ONE) return;
    ws_tracks tracks;
    ws_tracks_begin(&tracks, list, LANES);
    for (size_t j = 0; j < list->n; j++) out[j] = 0.0f;
    for (int x = 0; x < 32; x++) v.odds[x] = x < WS_KP_MAX ? bias->odds[x] : 1.0f;
    for (int s = 0; s < LANES; s++) { /* an empty lane computes too; any values in range do */
        v.a[s] = v.b[s] = v.t00[s] = v.t01[s] = 1.0f;
        v.F[s] = 0.0f;
        fill(&tracks, s, &v, bias, out);
    }
    for (size_t n; (n = ws_tracks_rows(&tracks)) > 0;) {
        rows(&v, bias, tracks.x, n);
        ws_tracks_advance(&tracks, n);
        for (int s = 0; s < LANES; s++) {
            if (tracks.at[s] == WS_TRACK_EMPTY || tracks.left[s] > 0) continue;
            const ws_lenmodel *lm = ws_seqlist_lm(list, tracks.at[s]);
            out[tracks.at[s]] = ws_bias_finish(v.F[s] + ws_float_log(v.a[s] + v.b[s]), lm);
            ws_tracks_drop(&tracks, s);
            fill(&tracks, s, &v, bias, out);
        }
    }
}
