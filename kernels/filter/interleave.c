/* SPDX-License-Identifier: MIT
 * See kernels/filter/interleave.h. */
#include "kernels/filter/interleave.h"

/* Scores a list; the score of item j goes to out[place[j]]. room: memory for all tracks. */
static void run(const ws_interleave *w, const void *layout, const ws_seqlist *list, const uint32_t *place,
                ws_fscore *out, char *room) {
    void *state[WS_INTERLEAVE_MAX], *row[WS_INTERLEAVE_MAX];
    ws_tracks tracks;
    ws_tracks_begin(&tracks, list, 0);
    for (int s = 0; s < w->tracks && ws_tracks_fill(&tracks, s); s++) {
        state[s] = room + (size_t)s * (w->state + w->row);
        row[s] = (char *)state[s] + w->state;
        w->start(layout, state[s], row[s], ws_seqlist_lm(list, tracks.at[s]));
        tracks.width = s + 1;
    }
    while (tracks.width > 0) {
        ws_tracks_advance(&tracks, w->rows(layout, tracks.width, tracks.x, ws_tracks_rows(&tracks), state));
        for (int s = tracks.width - 1; s >= 0; s--) {
            if (tracks.left[s] > 0 && !(w->decided && w->decided(state[s]))) continue;
            out[place[tracks.at[s]]] = w->finish(state[s]);
            ws_tracks_drop(&tracks, s);
            if (ws_tracks_fill(&tracks, s)) {
                w->start(layout, state[s], row[s], ws_seqlist_lm(list, tracks.at[s]));
            } else {
                ws_tracks_close(&tracks, s);
                state[s] = state[tracks.width];
                row[s] = row[tracks.width];
            }
        }
    }
}

static size_t aligned(size_t n) { return (n + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN; }

int ws_interleave_scores(const ws_interleave *work, const void *layout, const ws_seqlist *list, ws_fscore *out,
                         ws_buf *scratch, ws_err *err) {
    ws_interleave w = *work;
    w.state = aligned(w.state);
    w.row = aligned(w.row);
    const size_t states = (size_t)w.tracks * (w.state + w.row);
    char *room = ws_buf_scratch(scratch, states + 2 * list->n * sizeof(uint32_t), err);
    if (!room) return err->code;
    uint32_t *item = (uint32_t *)(void *)(room + states), *place = item + list->n;
    const ws_seqlist sorted = ws_seqlist_longest_first(list, item, place);
    run(&w, layout, &sorted, place, out, room);
    return WS_OK;
}
