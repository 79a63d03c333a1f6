/* SPDX-License-Identifier: MIT
 * Backends of filters on the CPU: the functions that lib/run calls, for any body. */
#ifndef WS_FILTER_BACKEND_H
#define WS_FILTER_BACKEND_H

#include "kernels/filter/filter.h"
#include "lib/run/tool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lists the addresses of the backends of all widths of this build for a tool, widest first and scalar last. They use
 * the bodies <prefix><width>. Targets are ws_hmm_targets, the values of sequences (ws_seqs.perseq) ws_lenmodels. */
#define WS_FILTER_BACKENDS(prefix) WS_WIDTHS(WS_FILTER_BACKEND_AND_, prefix) WS_FILTER_BACKEND_(scalar, prefix)
#define WS_FILTER_BACKEND_AND_(width, prefix) WS_FILTER_BACKEND_(width, prefix),
#define WS_FILTER_BACKEND_(width, prefix)                                                                            \
    &(const ws_backend){.name = #width, .usable = ws_usable_##width, .prepare = ws_filter_prepare, \
        .release = ws_filter_release, \
                        .size = ws_filter_size, .score = ws_filter_score_tasks, .max_tasks = 1, .own = &prefix##width}

/* Implement ws_backend.prepare, release, size and score: *prep is a ws_filter of the body self->own. */
int ws_filter_prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err);
void ws_filter_release(void *prep);
size_t ws_filter_size(const ws_backend *self, const ws_target *t);
int ws_filter_score_tasks(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
