/* SPDX-License-Identifier: MIT
 * Models of nhmmsieve in sets, and its backends: every stage of a search by one vector width. */
#include "bin/genomes/program.h"
#include "bin/stages/plan.h"

/* ---- sets ---- */

int ws_genome_sets_create(ws_genome_sets *sets, const ws_long_target *target, size_t n, ws_err *err) {
    int nodes = 0, most = 0;
    long long left = 0;
    for (size_t t = 0; t < n; t++) left += target[t].model.M;
    *sets = (ws_genome_sets){.first = ws_calloc(n + 1, sizeof *sets->first, err)};
    if (!sets->first) return err->code;
    for (size_t t = 0; t < n; t++) {
        const int M = target[t].model.M;
        if (t == 0 || nodes + M > most || t - sets->first[sets->n - 1] == WS_PLAN_SET_MODELS) {
            sets->first[sets->n++] = t;
            nodes = 0;
            most = ws_plan_set_nodes(left);
        }
        nodes += M;
        left -= M;
        sets->nodes = (int)ws_max(sets->nodes, nodes);
    }
    sets->first[sets->n] = n;
    return WS_OK;
}

void ws_genome_sets_release(ws_genome_sets *sets) { ws_free(sets->first); }

/* ---- backends ---- */

static int prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const ws_genome_model *m = t->data;
    *prep = m->target;
    return ws_long_target_lay_out(m->target, *(const int *)self->own, err);
}

/* The tool releases the target. */
static void release(void *prep) { (void)prep; }

#define BACKEND(width, ...) \
    static const int number_##width = WS_WIDTH_##width; \
    static const ws_backend backend_##width = {.name = #width, .usable = ws_usable_##width, .prepare = prepare, \
                                               .release = release, .own = &number_##width};
WS_WIDTHS(BACKEND, )
BACKEND(scalar, )

static int prepare_device(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const ws_genome_model *m = t->data;
    ws_cpu cpu;
    (void)self;
    ws_cpu_probe(&cpu);
    *prep = m->target;
    const int rc = ws_long_target_lay_out(m->target, ws_cpu_best(&cpu), err);
    return rc ? rc : ws_long_target_to_device(m->target, m->by, err);
}

/* A device marks and tests windows; the CPU does the rest by its best width. */
static const ws_backend backend_cuda = {
    WS_BACKEND_DEVICE,
    .prepare = prepare_device,
    .release = release,
    .batch = WS_PLAN_GENOME_DEVICE_BATCH,
    .streams = WS_PLAN_STREAMS,
};

#define ADDRESS(width, ...) &backend_##width,
const ws_backend *const ws_genome_backends[] = {&backend_cuda, WS_WIDTHS(ADDRESS, ) &backend_scalar, NULL};
