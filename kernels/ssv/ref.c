/* SPDX-License-Identifier: MIT
 * SSV, scalar: the definition of the result. Specification profile-filters.md, section 6. */
#include <math.h>

#include "kernels/ssv/ssv.h"
#include "lib/hmm/target.h"

/* v(i,k) = max(0, v(i-1,k-1) - d_k(x_i)), one diagonal after the other: only its own last value is needed. */
int ws_ssv_best_ref(const ws_bytes *b, const uint8_t *x, size_t L) {
    size_t row = (size_t)b->M + 1, M = (size_t)b->M;
    int best = 0;
    for (size_t d = 1; d < M + L; d++) { /* i - k = d - M */
        size_t i = d > M ? d - M : 0, k = d > M ? 0 : M - d;
        for (int v = 0; ++i <= L && ++k <= M;) {
            v -= (int)b->cost[x[i - 1] * row + k] - b->bias;
            if (v < 0) v = 0;
            if (v > best) best = v;
        }
        if (best >= 127 - b->bias) break; /* S2 decides, whatever comes */
    }
    return best;
}

int ws_ungapped_prepare(const ws_target *t, void **prep, ws_err *err) {
    const ws_hmm_target *target = t->data;
    ws_bytes *b = ws_calloc(1, sizeof *b, err);
    *prep = b;
    if (!b) return err->code;
    int rc = ws_bytes_create(b, &target->profile, err);
    if (rc == WS_OK) return WS_OK;
    ws_free(b);
    *prep = NULL;
    return rc;
}

void ws_ungapped_release(void *prep) {
    if (prep) ws_bytes_destroy(prep);
    ws_free(prep);
}

static int score(const ws_batch *batch, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err) {
    const ws_lenmodel *lm = (const ws_lenmodel *)lane->perseq.p;
    (void)err;
    for (size_t t = 0; t < ntask; t++) {
        const ws_bytes *b = task[t].prep;
        ws_fscore *out = task[t].score;
        for (size_t j = 0; j < task[t].n; j++) {
            size_t i = ws_task_item(&task[t], j), L = batch->len[i];
            out[j] = L ? ws_ssv_decide(b, &lm[i], ws_ssv_best_ref(b, ws_lane_codes(lane, i), L))
                       : (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
        }
    }
    return WS_OK;
}

const ws_backend ws_ssv_scalar = {
    .name = "scalar", .usable = ws_usable_always, .prepare = ws_ungapped_prepare, .release = ws_ungapped_release, .score = score,
    .group = 1};
