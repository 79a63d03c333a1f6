// SPDX-License-Identifier: MIT
// The score callback that all "cuda" backends share: a lane with the batch, the kernels' queueing, the way back, decoding.
#ifndef WS_CASCADE_GPU_SCORE_CUH
#define WS_CASCADE_GPU_SCORE_CUH

#include "lib/cascade/gpu.cuh"
#include "lib/run/devbackend.cuh"

// The backends of the host, best first, for what a device does not score.
struct ws_devhost {
    const ws_backend *backend[3];
};
const ws_backend *ws_dev_host(const ws_devhost *h); // the first that is usable

// What differs between kernels.
struct ws_devkernel {
    size_t raw; // bytes of a score on the device: 2, 4 or 8
    // Queues everything for ntask tasks; the score of task t's item j goes to place first[t] + j of lane->out, which is zeroed.
    int (*queue)(ws_devlane *lane, const ws_batch *b, const ws_task *task, const uint32_t *first, size_t ntask, ws_err *err);
    ws_fscore (*decode)(const void *prep, const ws_lenmodel *lm, const void *raw);
    // A backend of the host and its prep of a target; for targets that the device does not take.
    const ws_devhost *host;
    void *(*host_prep)(const void *prep, ws_err *err);
    bool (*on_host)(const void *prep);
    // Whether a score of the device does not stand and the host has to find it out; NULL: never.
    bool (*unsure)(const void *raw);
    // queue also writes what ws_dev_hints says if tasks have room for it, which they have in backends made with `hints`
};

// Hints stand behind `bytes` of scores, from there on.
static inline size_t ws_dev_behind(size_t bytes) { return (bytes + 255) / 256 * 256; }

// Where the hint of task t's item j is to go, at first[t] + j: NaN before, for npair scores of `raw` bytes.
static inline float *ws_dev_hints(const ws_devlane *l, size_t raw, size_t npair) {
    return (float *)((char *)l->out.p + ws_dev_behind(raw * npair));
}

int ws_dev_score(const ws_devkernel *k, const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane, ws_err *err);

#endif
