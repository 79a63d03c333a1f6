/* SPDX-License-Identifier: MIT
 * The vector body of the Viterbi filter, compiled once for each width: lib/vit/rows.inc.h over lists of sequences. */

#include "kernels/vit/vit.h"
#include "lib/filter/interleave.h"
#include "lib/simd/v.h"

#include "lib/vit/rows.inc.h"

#include <math.h>

WS_INLINE size_t scores_only(const int S, const void *layout, const uint8_t *const *x, size_t n, void *const *state) {
    return rows(S, 0, layout, x, n, state);
}

WS_INTERLEAVE_ROWS(some_rows, scores_only)

static void start(const void *layout, void *state, void *row, const ws_lenmodel *lm) {
    start_rows(layout, state, row, lm->wmove, HIGHEST);
}

static int decided(const void *state) { return ((const track *)state)->over; }

static ws_fscore finish(const void *state) {
    const track *t = state;
    if (t->over) return (ws_fscore){INFINITY, WS_F_OVERFLOW};
    const int xC = VW_HMAX(t->best) + WS_WORD_E;
    if (xC <= LOWEST) return (ws_fscore){-INFINITY, WS_F_OK};
    return ws_vit_score(xC, t->wmove);
}

static int score(const void *layout, const ws_seqs *list, ws_fscore *out, ws_buf *scratch, ws_err *err) {
    const vit *p = layout;
    const ws_interleave work = {p->S, sizeof(track), 2 * (size_t)p->Q * sizeof(V), start, some_rows, decided, finish};
    return ws_interleave_scores(&work, p, list, out, scratch, err);
}

const ws_body V_FACE(ws_vit_) = {.form = &ws_words_form, .size = sizeof(vit), .lay_out = lay_out, .clear = clear, .score = score};
