/* SPDX-License-Identifier: MIT
 * Which pool of a filter a thread of a device takes pairs from (bin/search/filters.c): the one that its stream holds,
 * then one that no stream holds, else any. */
#include "bin/search/sieve.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

/* Four pairs of 1e10 cells each; the first calls of a filter have two of them. */
enum { POOLS = 2, SEQUENCES = 4, NODES = 1000000, RESIDUES = 10000, PAIRS = 2 };

static int start(const ws_devconf *conf, ws_err *err) {
    (void)conf, (void)err;
    return WS_OK;
}

/* Returns the number of the pool that a thread gets, from 1; 0: none. */
static int take(const ws_chain_stage *stage, const ws_sieve_pool *const *pool, int thread, size_t *pairs) {
    const ws_chain_thread t = {WS_CHAIN_DEVICE, thread};
    ws_chain_step step;
    if (!stage->take(stage->own, &t, WS_CHAIN_FULL, &step)) return 0;
    *pairs = step.to - step.from;
    for (int k = 0; k < POOLS; k++)
        if (step.pool == pool[k]) return k + 1;
    return POOLS + 1;
}

int main(void) {
    static const ws_backend device = {.name = "device", .start = start};
    /* thread, and the pool that it should get: each pool has two steps */
    static const int order[][2] = {{1, 1}, {2, 2}, {2, 2}, {1, 1}, {1, 0}};
    static const int others[][2] = {{1, 1}, {2, 2}, {3, 1}, {2, 2}, {1, 0}};
    static ws_sieve s;
    ws_err err = {0};
    tap t = {0};
    for (int k = 0; k < 2; k++) {
        const int(*want)[2] = k ? others : order;
        ws_sieve_filter f;
        ws_target target = {.qlen = NODES};
        ws_job job = {.backend = &device, .backend_ready = 1, .target = &target, .ntarget = 1, .own = &s, .nworker = 2};
        uint32_t model[1] = {0}, item[SEQUENCES] = {0, 1, 2, 3}, length[SEQUENCES];
        const ws_sieve_pool *pool[POOLS];
        s = (ws_sieve){.job = &job, .model = model};
        job.common.backend = "device";
        sample_must(ws_sieve_filter_create(&f, &s, WS_SIEVE_MSV, NULL, 1, &err), &err);
        for (int i = 0; i < SEQUENCES; i++) length[i] = RESIDUES;
        for (int i = 0; i < POOLS; i++) {
            ws_sieve_pool *p = ws_sieve_filter_pool(&f, &err);
            uint64_t *number = ws_calloc(SEQUENCES, sizeof *number, &err);
            sample_must(p && number ? WS_OK : WS_ENOMEM, &err);
            p->number = number;
            p->batch.n = SEQUENCES;
            p->batch.len = length;
            p->batch.residues = SEQUENCES * RESIDUES;
            p->item = item;
            p->all = 1;
            p->state = WS_SIEVE_READY;
            ws_sieve_filter_put(&f, p);
            pool[i] = p;
        }
        const ws_chain_stage stage = ws_sieve_filter_stage(&f);
        int bad = 0;
        for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
            size_t pairs = PAIRS;
            const int got = take(&stage, pool, want[i][0], &pairs);
            if (got != want[i][1]) tap_note("step %zu: pool %d for %d", i, got, want[i][1]);
            bad += got != want[i][1] || pairs != PAIRS;
        }
        tap_ok(&t, bad == 0,
               k ? "a thread that has no pool takes any" : "a thread goes on with its pool, then takes others");
        for (int i = 0; i < POOLS; i++) { /* what the pools hold is not theirs */
            ws_sieve_pool *p = (ws_sieve_pool *)(uintptr_t)pool[i];
            p->batch.n = 0;
            p->batch.len = NULL;
            p->item = NULL;
        }
        ws_sieve_filter_release(&f);
    }
    return tap_end(&t);
}
