/* SPDX-License-Identifier: MIT
 * Seconds per sweep and voxel: of each CPU backend on one core, by processor time, and of a device by its clock. A
 * noisy volume is made here, classes are made anew after each sweep as in a run.
 *   build/kernels/mrf/bench [-b BACKEND] [-K CLASSES] [-s X,Y,Z] [-r RANGE] [-n SWEEPS]... [-N NEIGHBOURS] [-R
 * icm|random] Of a device a column more: the share of its bandwidth, 4 bytes a voxel at 4.8 TB/s (mrf.md, section 7;
 * H200). */
#include "kernels/mrf/mrf.h"

#include "lib/base/mem.h"
#include "lib/dev/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNTS = 8 }; /* of -n */
#define BANDWIDTH 4.8e12 /* bytes a second */

static uint32_t noise(void) {
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 40); /* 24 bits */
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Balls of K values, a noise of a class's width around them. */
static int fill(ws_mrf_volume *v, size_t X, size_t Y, size_t Z, int K, uint32_t range, ws_err *err) {
    int rc = ws_mrf_volume_shape(v, X, Y, Z, err);
    uint16_t *q = ws_calloc(X, sizeof *q, err);
    for (size_t row = 0; row < Y * Z && !rc && q; row++) {
        for (size_t x = 0; x < X; x++) {
            const double a = (double)x / (double)X - 0.5, b = (double)(row % Y) / (double)Y - 0.5,
                         c = (double)(row / Y) / (double)Z - 0.5;
            const int kind = (int)((a * a + b * b + c * c) * 2 * K);
            const double value = ((kind < K ? kind : K - 1) + 0.25 + 1.5 * noise() / 0x1p24) / (K + 1) * range;
            q[x] = (uint16_t)value;
        }
        ws_mrf_volume_put(v, row % Y, row / Y, q);
    }
    v->top = range - 1;
    ws_free(q);
    return q ? rc : WS_ENOMEM;
}

/* Seconds of the kernels of a device so far, else of this process. */
static double clock_of(const ws_mrf_body *b) { return b->sweeps ? ws_dev_clock().kernels : seconds(); }

static int run(const char *name, const ws_mrf_body *b, ws_mrf_volume *v, ws_mrf_conf conf, uint64_t sweeps,
               ws_mrf_work *w, ws_err *err) {
    double spent[2] = {0};
    ws_mrf_result r = {.sweeps = 0};
    for (int k = 0; k < 2; k++) { /* without sweeps, and with them */
        conf.sweeps = k ? sweeps : 0;
        const double t = clock_of(b);
        const int rc = ws_mrf_segment(&conf, b, v, 0, 1, w, &r, err);
        if (rc) return rc;
        spent[k] = clock_of(b) - t;
    }
    const double sweep = (spent[1] - spent[0]) / (double)r.sweeps;
    printf("%s\t%s\t%d\t%zu,%zu,%zu\t%d\t%llu\t%.5f\t%.2f\t%llu", name, conf.rule ? "random" : "icm",
           conf.neighbours, v->X, v->Y, v->Z, conf.K, (unsigned long long)r.sweeps, sweep / (double)v->n * 1e9,
           spent[0] / (double)v->n * 1e9,
           (unsigned long long)r.changed);
    if (b->sweeps) printf("\t%.1f%%", 100 * 4 * (double)v->n / BANDWIDTH / sweep);
    printf("\n");
    return WS_OK;
}

int main(int argc, char **argv) {
    static const ws_mrf_body *const bodies[] = {WS_BY_WIDTH(ws_mrf_), &ws_mrf_cuda};
#define SIZE(size, colours, reach) size,
    static const int sizes[] = {WS_MRF_NEIGHBOURHOODS(SIZE)}, nsizes = sizeof sizes / sizeof *sizes;
    static const char *const rules[] = {"icm", "random"};
    size_t X = 197, Y = 233, Z = 189;
    unsigned range = 4096;
    unsigned long long sweeps[COUNTS] = {10};
    const char *only = NULL, *only_rule = NULL, *why;
    int K = 3, option, only_neighbours = 0, nsweeps = 0, rc = WS_OK;
    while ((option = getopt(argc, argv, "b:K:s:r:n:N:R:")) != -1)
        if (option == 'b') only = optarg;
        else if (option == 'K' && sscanf(optarg, "%d", &K) == 1 && K > 0 && K <= WS_MRF_CLASSES) continue;
        else if (option == 's' && sscanf(optarg, "%zu,%zu,%zu", &X, &Y, &Z) == 3) continue;
        else if (option == 'r' && sscanf(optarg, "%u", &range) == 1 && range > 0 && range <= WS_MRF_CODES) continue;
        else if (option == 'n' && nsweeps < COUNTS && sscanf(optarg, "%llu", &sweeps[nsweeps]) == 1 &&
                 sweeps[nsweeps] > 0)
            nsweeps++;
        else if (option == 'N' && sscanf(optarg, "%d", &only_neighbours) == 1) continue;
        else if (option == 'R') only_rule = optarg;
        else return 2;
    ws_cpu cpu;
    ws_mrf_volume v = {0};
    ws_mrf_work w = {0};
    ws_err err = {0};
    ws_cpu_probe(&cpu);
    rc = fill(&v, X, Y, Z, K, range, &err);
    printf("backend\trule\tneighbours\tvoxels\tclasses\tsweeps\tns_per_sweep_voxel\tns_per_voxel_else\tchanged\n");
    for (int b = 0; b <= WS_NWIDTH && !rc; b++) {
        const int device = b == WS_NWIDTH;
        const char *const name = device ? "cuda" : ws_width_name[b];
        if (only && strcmp(only, name) != 0) continue;
        if (device ? !ws_dev_usable(NULL, &why) : cpu.why_not[b] != NULL) continue;
        if (device) rc = ws_dev_start(NULL, 0, &err);
        if (device && !rc) rc = ws_dev_wait(&err);
        for (int k = 0; k < 2 * nsizes && !rc; k++) {
            const int size = sizes[k % nsizes];
            if ((only_neighbours && only_neighbours != size) ||
                (only_rule && strcmp(only_rule, rules[k / nsizes]) != 0))
                continue;
            const int32_t in = ws_mrf_energy(WS_MRF_BETA_ALL / size);
            const ws_mrf_conf conf = {
                .K = K, .neighbours = size, .rule = (ws_mrf_rule)(k / nsizes), .in = in, .eps = -1};
            for (int i = 0; i < (nsweeps ? nsweeps : 1) && !rc; i++)
                rc = run(name, bodies[b], &v, conf, sweeps[i], &w, &err);
        }
        if (device) ws_dev_stop();
    }
    if (rc) fprintf(stderr, "%s\n", err.text);
    ws_mrf_volume_release(&v);
    ws_mrf_work_release(&w);
    return rc != WS_OK;
}
