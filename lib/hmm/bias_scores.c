/* SPDX-License-Identifier: MIT
 * The composition-bias filter over lists, by the best width that runs here: see lib/hmm/bias.h. */
#include "lib/hmm/bias.h"

enum { PIECE = 1024 };

/* Scores one piece of a list, long sequences first. */
static void score_piece(const ws_bias *bias, ws_bias_scores_fn *scores, const ws_seqlist *list, float *out) {
    uint32_t item[PIECE], place[PIECE];
    float score[PIECE];
    const ws_seqlist sorted = ws_seqlist_longest_first(list, item, place);
    scores(bias, &sorted, score);
    for (size_t j = 0; j < list->n; j++) out[place[j]] = score[j];
}

void ws_bias_scores(const ws_bias *bias, const ws_cpu *cpu, const ws_seqlist *list, float *out) {
    static ws_bias_scores_fn *const by_width[WS_NWIDTH] = {WS_BY_WIDTH(ws_bias_scores_)};
    for (size_t from = 0; from < list->n; from += PIECE) {
        ws_seqlist piece = *list;
        uint32_t item[PIECE];
        piece.n = ws_min(list->n - from, PIECE);
        for (size_t j = 0; j < piece.n; j++) item[j] = (uint32_t)ws_seqlist_at(list, from + j);
        piece.item = item;
        score_piece(bias, by_width[ws_cpu_best(cpu)], &piece, out + from);
    }
}
