/* SPDX-License-Identifier: MIT
 * Which pool of a filter a thread of a device takes pairs from (bin/search/filters.c): the one that its stream holds,
 * then one that no stream holds, else any. And which pools pairs of several batches go to. */
#include "bin/search/sieve.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

/* Four pairs of 1e10 cells each; the first calls of a filter have two of them. */
enum { POOLS = 2, SEQUENCES = 4, NODES = 1000000, RESIDUES = 10000, PAIRS = 2 };

static int start(const ws_devconf *conf, ws_err *err) {
    (void)conf, (void)err;
    return WS_OK;
}

static const ws_backend device = {.name = "device", .start = start};

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

static void test_taking(tap *t) {
    /* thread, and the pool that it should get: each pool has two steps */
    static const int order[][2] = {{1, 1}, {2, 2}, {2, 2}, {1, 1}, {1, 0}};
    static const int others[][2] = {{1, 1}, {2, 2}, {3, 1}, {2, 2}, {1, 0}};
    static ws_sieve s;
    ws_err err = {0};
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
            p->all = 1;
            p->by_model = (ws_scan_pairs){&p->batch, model, 0, 1, item, NULL, SEQUENCES, 1};
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
        tap_ok(t, bad == 0,
               k ? "a thread that has no pool takes any" : "a thread goes on with its pool, then takes others");
        for (int i = 0; i < POOLS; i++) { /* what the pools hold is not theirs */
            ws_sieve_pool *p = (ws_sieve_pool *)(uintptr_t)pool[i];
            p->batch.n = 0;
            p->batch.len = NULL;
        }
        ws_sieve_filter_release(&f);
    }
}

/* ---- pairs of several batches ---- */

/* F1 of 1 lets 32,768 pairs of four sequences and all models pass, 0.5 half as many. A call takes 24,576. */
enum { BATCHES = 6, ALL = BATCHES * SEQUENCES, ROUNDS = 3, SHORTEST = 7, MODELS = 8192 };

/* Makes a ready pool of batch number k, as the stage of MSV does. Sequences are numbered through all batches,
 * and number i has SHORTEST + i residues. */
static ws_sieve_pool *make_batch(const ws_chain_stage *msv, uint32_t k) {
    ws_sieve_filter *f = msv->own;
    const ws_chain_thread thread = {WS_CHAIN_CPU, 1};
    ws_chain_step step;
    ws_err err = {0};
    ws_sieve_pool *p = ws_sieve_filter_pool(f, &err);
    sample_must(p ? ws_grow(&p->number, &p->number_cap, SEQUENCES, sizeof *p->number, &err) : WS_ENOMEM, &err);
    p->all = 1;
    p->batch.number = k;
    for (uint32_t i = 0; i < SEQUENCES; i++) {
        const uint32_t L = SHORTEST + k * SEQUENCES + i;
        const ws_seqtext text = {0};
        p->number[i] = k * SEQUENCES + i;
        sample_must(ws_batch_reserve_words(&p->batch, ws_batch_words(L), &err), &err);
        memset(p->batch.word + p->batch.nword, 0, ws_batch_words(L) * sizeof *p->batch.word);
        sample_must(ws_batch_add_seq(&p->batch, p->batch.nword, L, &text, &err), &err);
    }
    ws_sieve_filter_put(f, p);
    sample_must(!msv->take(f, &thread, WS_CHAIN_FULL, &step) || msv->work(f, &thread, &step, &err), &err);
    return p;
}

/* Returns 1 if the pool has each of its sequences once, and each pair that of its target's number. */
static int is_right(const ws_sieve_pool *p) {
    int seen[ALL] = {0};
    for (size_t i = 0; i < p->batch.n; i++)
        if (p->number[i] >= ALL || seen[p->number[i]]++ || p->batch.len[i] != SHORTEST + p->number[i]) return 0;
    for (size_t i = 0; i < p->npair; i++)
        if (p->pair[i].seq >= p->batch.n || p->number[p->pair[i].seq] != p->pair[i].target) return 0;
    return 1;
}

/* Adds a pair of each sequence of all batches in each round, and looks at the pools of Viterbi. A device opens before
 * round `opens`. Returns how many pools there are, 0 if their pairs are not those. */
static int fill(double F1, int mem_given, int opens) {
    ws_sieve s = {.F1 = F1, .dom.mem_given = mem_given, .dom.mem = UINT64_C(1) << 30, .codec = &ws_codec_scalar};
    ws_sieve_filter *const msv = &s.filter[WS_SIEVE_MSV], *const vit = &s.filter[WS_SIEVE_VIT];
    static ws_target target[MODELS];
    static uint32_t model[MODELS];
    ws_job job = {.backend = &device, .target = target, .ntarget = MODELS, .own = &s, .nworker = 2};
    ws_sieve_pool *from[BATCHES];
    ws_err err = {0};
    const ws_chain_thread thread = {WS_CHAIN_DEVICE, 1};
    ws_chain_step step;
    int pools = 0;
    size_t pairs = 0;
    s.job = &job;
    s.model = model;
    job.common.backend = "device";
    for (uint32_t i = 0; i < MODELS; i++) {
        target[i] = (ws_target){.qlen = 10};
        model[i] = i;
    }
    sample_must(ws_sieve_filter_create(msv, &s, WS_SIEVE_MSV, NULL, 1, &err), &err);
    sample_must(ws_sieve_filter_create(vit, &s, WS_SIEVE_VIT, NULL, 1, &err), &err);
    const ws_chain_stage first = ws_sieve_filter_stage(msv), stage = ws_sieve_filter_stage(vit);
    job.backend_ready = opens == 0;
    for (uint32_t k = 0; k < BATCHES; k++) from[k] = make_batch(&first, k);
    for (int round = 0; round < ROUNDS; round++) {
        job.backend_ready = round >= opens;
        for (uint32_t i = 0; i < ALL; i++) {
            const ws_sieve_pair pair = {i % SEQUENCES, i, NAN, NAN};
            sample_must(ws_sieve_filter_add(vit, from[i / SEQUENCES], &pair, 1, &err), &err);
        }
    }
    job.backend_ready = 1;
    int right = stage.left(stage.own);
    for (; stage.take(stage.own, &thread, WS_CHAIN_ANY, &step); pools++) {
        const ws_sieve_pool *p = step.pool;
        right = right && is_right(p);
        pairs += p->npair;
    }
    ws_sieve_filter_release(msv);
    ws_sieve_filter_release(vit);
    return right && pairs == ROUNDS * ALL ? pools : 0;
}

int main(void) {
    tap t = {0};
    test_taking(&t);
    tap_ok(&t, fill(1, 0, ROUNDS) == 1, "for the CPU, pairs of all batches go to one pool");
    tap_ok(&t, fill(1, 0, 0) == WS_PLAN_INLETS, "with a device, batches have pools of their own");
    tap_ok(&t, fill(1, 0, 1) == 1, "but not those that were there before it: all pairs of a batch go to one");
    tap_ok(&t, fill(0.5, 0, 0) == 1, "nor where few pass");
    tap_ok(&t, fill(1, 1, 0) == 1, "nor with --mem");
    return tap_end(&t);
}
