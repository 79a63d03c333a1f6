/* SPDX-License-Identifier: MIT
 * The device's part of pairhmm by itself: from parsed text and lists in the memory of the host to sums in the memory of
 * the host, copies both ways and kernels, over and over.
 *   build/kernels/pairhmm/bench [-t threads] [-K bytes of a block] [-p passes] [-r] FILE
 * -r: with those pairs in double precision that need it.
 * Blocks are handed out to the threads; seconds are those of the wall clock from the first copy there to the last one
 * back. The kernels' own seconds are sums over what may have run side by side: with -t 1 they are theirs alone. */
#include "kernels/pairhmm/gpu.h"
#include "bin/likelihoods/input.h"
#include "lib/base/mem.h"
#include "lib/dev/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS = 4096 };

typedef struct block {
    ws_pairhmm_block in;
    ws_pairhmm_text text;
    ws_pairhmm_gpu gpu;
} block;

static block all[BLOCKS];
static size_t nblock;
static ws_pairhmm_quals quals;
static atomic_size_t next;
static int rescue;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int rc, const ws_err *err) {
    if (!rc) return;
    fprintf(stderr, "bench: %s\n", err->text);
    exit(1);
}

/* Pairs that the device takes, and their cells. */
static double read_all(const char *path, uint64_t size, double *pairs) {
    ws_pairhmm_input *in;
    ws_err err = {0};
    double cells = 0;
    int rc = ws_pairhmm_input_open(&in, &path, 1, WS_PAIRHMM_BATCH, size, 1e18, &err);
    must(rc, &err);
    for (*pairs = 0; nblock < BLOCKS; nblock++) {
        block *p = &all[nblock];
        while ((rc = ws_pairhmm_input_fill(in, &p->in, &err)) == WS_AGAIN) continue;
        if (rc == WS_EOF) break;
        must(rc, &err);
        must(ws_pairhmm_parse_batches(&p->text, p->in.text.p, p->in.text.n, &p->in.at, &err), &err);
        must(ws_pairhmm_gpu_plan(&p->gpu, &p->text, 0, &err), &err);
        for (size_t k = 0; k < p->text.nregion; k++) {
            const ws_pairhmm_region *g = &p->text.region[k];
            double rows = 0, columns = 0;
            for (size_t i = 0; i < g->R; i++) rows += p->gpu.takes[g->read + i] ? p->text.read[g->read + i].m : 0;
            for (size_t i = 0; i < g->H; i++) columns += p->text.hap[g->hap + i].n;
            cells += rows * columns;
        }
        *pairs += (double)p->gpu.list[0].n;
    }
    ws_pairhmm_input_close(in);
    if (nblock == BLOCKS) must(ws_fail(&err, WS_EUSAGE, "too many blocks: a larger -K"), &err);
    return cells;
}

static void *thread_main(void *unused) {
    ws_err err = {0};
    for (size_t k; (k = next++) < nblock;) must(ws_pairhmm_gpu_run(&quals, &all[k].gpu, rescue, &err), &err);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread[64];
    ws_err err = {0};
    const char *why;
    long threads = 4, passes = 10;
    uint64_t size = 8 << 20;
    double pairs;
    for (int o; (o = getopt(argc, argv, "t:K:p:r")) != -1;) {
        if (o == 't') threads = ws_min(ws_max(1, atol(optarg)), 64);
        else if (o == 'p') passes = ws_max(1, atol(optarg));
        else if (o == 'K') size = strtoull(optarg, NULL, 10);
        else if (o == 'r') rescue = 1;
        else return 2;
    }
    if (optind + 1 != argc) return 2;
    if (!ws_dev_usable(NULL, &why)) must(ws_fail(&err, WS_EDEV, "a device: %s", why), &err);
    must(ws_dev_start(NULL, 0, &err), &err);
    ws_pairhmm_quals_make(&quals);
    const double cells = read_all(argv[optind], size, &pairs);
    printf("# %s: %.0f pairs, %.3f Gcells, %zu blocks, %ld threads\n", argv[optind], pairs, cells * 1e-9, nblock,
           threads);
    double best = 1e9, kernels = 1e9;
    for (long k = 0; k < passes; k++) {
        const double device = ws_dev_clock().kernels_summed, t = now();
        next = 0;
        for (long i = 0; i < threads; i++)
            if (pthread_create(&thread[i], NULL, thread_main, NULL)) must(ws_fail(&err, WS_ENOMEM, "no thread"), &err);
        for (long i = 0; i < threads; i++) pthread_join(thread[i], NULL);
        const double took = now() - t, ran = ws_dev_clock().kernels_summed - device;
        printf("pass %ld: %.3f ms, %.3f TCUPS with copies; kernels %.3f ms, %.3f TCUPS\n", k, took * 1e3,
               cells / took * 1e-12, ran * 1e3, cells / ran * 1e-12);
        best = took < best ? took : best;
        kernels = ran < kernels ? ran : kernels;
    }
    printf("best: %.3f TCUPS with copies, %.3f kernels\n", cells / best * 1e-12, cells / kernels * 1e-12);
    ws_dev_stop();
    return 0;
}
