/* SPDX-License-Identifier: MIT
 * Cells per second of each CPU backend, one core: random references of several sizes and reads cut from their edges.
 *   build/kernels/papara/bench [READ_LENGTH [EDGES]] */
#include "kernels/papara/papara.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t state = 1;
static uint32_t below(uint32_t n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Makes a random reference: edges differ in a tenth of their sites, and a fifth of the sites are CGAP. */
static void random_ref(ws_papara_ref *ref, size_t nedge, size_t sites) {
    ws_err err = {0};
    *ref = (ws_papara_ref){.scheme = ws_papara_scheme_of(WS_PAPARA_2, -3, -1, 2, -3)};
    ws_papara_letters_set(&ref->letters, 0, 0);
    ref->edges = (ws_papara_edges){.nstate = 4, .nedge = nedge, .ngroup = (nedge + 63) / 64, .sites = sites};
    ref->edges.bit = ws_calloc(ref->edges.ngroup * sites * 5, sizeof *ref->edges.bit, &err);
    if (!ref->edges.bit) exit(1);
    for (size_t k = 0; k < nedge; k++)
        for (size_t i = 0; i < sites; i++) {
            uint64_t *w = ref->edges.bit + (k / 64 * sites + i) * 5, bit = UINT64_C(1) << k % 64;
            w[below(10) ? (i * i * 7 + i / 3) % 4 : below(4)] |= bit;
            if (below(5) == 0) w[4] |= bit;
        }
}

static double run(const ws_papara_ref *ref, const ws_backend *b, size_t m, double *check) {
    enum { READS = 32, CELLS = 2000000000 };
    uint8_t *code = calloc(m, 1);
    ws_buf scratch = {0};
    ws_err err = {0};
    double spent = 0, cells = 0, limit = b->own == ws_papara_scalar.own ? CELLS / 8 : 4.0 * CELLS;
    state = 7;
    *check = 0;
    for (int q = 0; q < READS || cells < limit; q++) {
        const size_t from = below((uint32_t)ref->edges.sites);
        for (size_t j = 0; j < m; j++)
            code[j] = (uint8_t)(below(20) ? ((from + j) * (from + j) * 7 + (from + j) / 3) % 4 : below(4));
        ws_papara_read r;
        ws_papara_score s;
        if (ws_papara_read_begin(&r, ref, code, m, &scratch, &err)) exit(1);
        const double t = seconds();
        ws_papara_read_score(&r, ((const ws_papara_face *)b->own)->cost, &s);
        spent += seconds() - t;
        cells += (double)m * (double)ref->edges.sites * (double)ref->edges.nedge;
        if (q < READS / 8) *check += (double)s.cost[0] + s.edge[0];
        if (cells > limit) break;
    }
    free(code);
    ws_buf_release(&scratch);
    return cells / spent / 1e9;
}

int main(int argc, char **argv) {
    static const ws_backend *const backends[] = {WS_BY_WIDTH(ws_papara_)};
    static const size_t sites[] = {500, 1500, 5000};
    const size_t m = argc > 1 ? strtoull(argv[1], NULL, 10) : 100,
                 nedge = argc > 2 ? strtoull(argv[2], NULL, 10) : 1301;
    ws_machine machine = {0};
    ws_cpu_probe(&machine.cpu);
    printf("backend\tsites\tedges\tresidues\tgcups\tcheck\n");
    for (int k = 0; k < 3; k++) {
        ws_papara_ref ref;
        random_ref(&ref, nedge, sites[k]);
        for (size_t b = 0; b < sizeof backends / sizeof backends[0]; b++) {
            const char *why;
            double check;
            if (!backends[b]->usable(&machine, &why)) continue;
            const double gcups = run(&ref, backends[b], m, &check);
            printf("%s\t%zu\t%zu\t%zu\t%.2f\t%.0f\n", backends[b]->name, sites[k], nedge, m, gcups, check);
        }
        ws_papara_edges_release(&ref.edges);
    }
    return 0;
}
