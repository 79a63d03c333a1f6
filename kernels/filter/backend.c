/* SPDX-License-Identifier: MIT
 * The adapter from filters to backends of the CPU: see kernels/filter/backend.h. */
#include "kernels/filter/backend.h"

#include "lib/hmm/target.h"

int ws_filter_prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const ws_hmm_target *target = t->data;
    ws_filter *f;
    int rc = ws_filter_create(&f, self->own, &target->profile, err);
    *prep = f;
    return rc;
}

void ws_filter_release(void *prep) { ws_filter_destroy(prep); }

/* Layouts are padded to whole registers of at most 64 nodes. */
size_t ws_filter_size(const ws_backend *self, const ws_target *t) {
    return ((const ws_body *)self->own)->node_bytes * ((size_t)t->qlen + WS_ALIGN);
}

int ws_filter_score_tasks(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = 0; t < ntask && !rc; t++) {
        const ws_seqlist list = ws_seqlist_of(seqs, task[t].item, task[t].n);
        rc = ws_filter_scores(task[t].prep, &list, task[t].score, scratch, err);
    }
    return rc;
}
