/* SPDX-License-Identifier: MIT
 * The adapter from filters to backends of the CPU: see kernels/filter/backend.h. */
#include "kernels/filter/backend.h"

#include "lib/hmm/target.h"

#include <math.h>

int ws_filter_prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const ws_hmm_target *target = t->data;
    ws_filter *f;
    int rc = ws_filter_create(&f, self->own, &target->profile, err);
    if (!rc && ws_cpu_has_dear_maxima()) ws_filter_set_gate(f, &target->gate);
    *prep = f;
    return rc;
}

void ws_filter_release(void *prep) { ws_filter_destroy(prep); }

/* Layouts are padded to whole registers of at most 64 nodes. */
size_t ws_filter_size(const ws_backend *self, const ws_target *t) {
    return ((const ws_body *)self->own)->node_bytes * ((size_t)t->qlen + WS_ALIGN);
}

/* Keeps the pairs of a scored task whose score is above minus infinity, which every gate that rejects any rejects. */
static void keep(const ws_task *t) {
    ws_fscore *score = t->score;
    size_t n = 0;
    for (size_t j = 0; j < t->n; j++)
        if (score[j].nats > -INFINITY) {
            t->kept->item[n] = (uint32_t)ws_task_item(t, j);
            score[n++] = score[j];
        }
    t->kept->n = n;
}

int ws_filter_score_tasks(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = 0; t < ntask && !rc; t++) {
        const ws_gate *gate = task[t].kept || task[t].gated ? ws_filter_gate(task[t].prep) : NULL;
        ws_seqlist list = ws_seqlist_of(seqs, task[t].item, task[t].n);
        if (gate && gate->least > -INFINITY) list.gate = gate;
        rc = ws_filter_scores(task[t].prep, &list, task[t].score, scratch, err);
        if (!rc && list.gate && task[t].kept) keep(&task[t]);
    }
    return rc;
}
