/* SPDX-License-Identifier: MIT
 * See lib/cascade/slotwork.h. */
#include "lib/cascade/slotwork.h"
#include "lib/hmm/seqs.h"

#include <math.h>

/* Place j of the list is out[place[j]]. */
static void run(const ws_slotwork *w, const void *prep, const ws_seqs *list, const uint32_t *place, ws_fscore *out, char *room) {
    void *state[WS_SLOTWORK_MAX], *row[WS_SLOTWORK_MAX];
    ws_slots slots;
    ws_slots_begin(&slots, list, 0);
    for (size_t j = 0; j < list->n; j++)
        if (ws_seqs_len(list, j) == 0) out[place[j]] = (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
    for (int s = 0; s < w->slots && ws_slots_fill(&slots, s); s++) {
        state[s] = room + (size_t)s * (w->state + w->row);
        row[s] = (char *)state[s] + w->state;
        w->start(prep, state[s], row[s], ws_seqs_lm(list, slots.at[s]));
        slots.width = s + 1;
    }
    while (slots.width > 0) {
        ws_slots_advance(&slots, w->rows(prep, slots.width, slots.x, ws_slots_rows(&slots), state));
        for (int s = slots.width - 1; s >= 0; s--) {
            if (slots.left[s] > 0 && !(w->decided && w->decided(state[s]))) continue;
            out[place[slots.at[s]]] = w->finish(state[s]);
            ws_slots_drop(&slots, s);
            if (ws_slots_fill(&slots, s)) {
                w->start(prep, state[s], row[s], ws_seqs_lm(list, slots.at[s]));
            } else {
                ws_slots_close(&slots, s);
                state[s] = state[slots.width];
                row[s] = row[slots.width];
            }
        }
    }
}

int ws_slotwork_score(const ws_slotwork *work, const ws_batch *b, const ws_task *task, ws_lane *lane, ws_err *err) {
    const ws_seqs list = {(const uint8_t *)lane->codes.p, b->first, b->len, (const ws_lenmodel *)lane->perseq.p, task->item, task->n};
    ws_slotwork w = *work;
    w.state = (w.state + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN;
    w.row = (w.row + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN;
    const size_t states = (size_t)w.slots * (w.state + w.row);
    char *room = ws_lane_scratch(lane, states + 2 * list.n * sizeof(uint32_t), err);
    if (!room) return err->code;
    uint32_t *item = (uint32_t *)(void *)(room + states), *place = item + list.n;
    const ws_seqs sorted = ws_seqs_longest_first(&list, item, place);
    run(&w, task->prep, &sorted, place, task->score, room);
    return WS_OK;
}
