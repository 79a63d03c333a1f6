/* SPDX-License-Identifier: MIT
 * The vector body of the Viterbi filter, compiled once for each width: kernels/vit/rows.inc.h over lists of sequences.
 * */

#include "kernels/vit/vit.h"
#include "kernels/filter/interleave.h"
#include "lib/simd/v.h"

#include "kernels/vit/rows.inc.h"

#include <math.h>

WS_INLINE size_t exact_scores(const int S, const void *layout, const uint8_t *const *x, size_t n, void *const *state) {
    return rows(S, 0, 0, layout, x, n, state);
}

WS_INLINE size_t fast_scores(const int S, const void *layout, const uint8_t *const *x, size_t n, void *const *state) {
    return rows(S, 0, 1, layout, x, n, state);
}

WS_INTERLEAVE_ROWS(exact_rows, exact_scores)
WS_INTERLEAVE_ROWS(fast_rows, fast_scores)

static void start_exact(const void *layout, void *state, void *row, const ws_lenmodel *lm) {
    start_rows(layout, 0, state, row, lm->wmove, HIGHEST);
}

static void start_fast(const void *layout, void *state, void *row, const ws_lenmodel *lm) {
    start_rows(layout, 1, state, row, lm->wmove, HIGHEST);
}

static int decided(const void *state) { return ((const track *)state)->over; }

static ws_fscore finish(const void *state) {
    const track *t = state;
    if (t->over) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
    const int xC = VW_HMAX(t->best) + WS_WORD_E;
    if (xC <= LOWEST) return (ws_fscore){-INFINITY, WS_F_OK};
    return ws_viterbi_score(xC, t->wmove);
}

/* Does the same for rows with `wrap`: a score at the floor may be lower in truth. */
static ws_fscore finish_fast(const void *state) {
    const track *t = state;
    return !t->over && VW_HMAX(t->best) <= t->floor ? (ws_fscore){0, WS_F_OPEN} : finish(state);
}

static int score(const void *layout, const ws_seqlist *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    const vit *p = layout;
    const size_t row = 2 * (size_t)p->Q * sizeof(V);
    const ws_interleave exact = {p->S, sizeof(track), row, start_exact, exact_rows, decided, finish};
    const ws_interleave fast = {p->S, sizeof(track), row, start_fast, fast_rows, decided, finish_fast};
    int fits = 1;
    for (size_t j = 0; j < list->n; j++) fits &= wraps(p, ws_seqlist_lm(list, j)->wmove);
    if (!fits) return ws_interleave_scores(&exact, p, list, out, scratch, err);
    int rc = ws_interleave_scores(&fast, p, list, out, scratch, err);
    for (size_t j = 0; j < list->n && !rc; j++) {
        if (!ws_seqlist_len(list, j) || out[j].status != WS_F_OPEN) continue;
        const uint32_t item = (uint32_t)ws_seqlist_at(list, j);
        ws_seqlist one = *list;
        one.item = &item;
        one.n = 1;
        rc = ws_interleave_scores(&exact, p, &one, &out[j], scratch, err);
    }
    return rc;
}

const ws_body V_FACE(ws_vit_) = {.form = &ws_words_form, .node_bytes = 80,
                                 .size = sizeof(vit), .lay_out = lay_out, .clear = clear, .score = score};
