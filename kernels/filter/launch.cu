// SPDX-License-Identifier: MIT
// See kernels/filter/launch.cuh.

#include "kernels/filter/launch.cuh"

// ---- shapes ----

static int next_g(int g) { return g < 32 || g >= WS_BLOCK_LANES ? 2 * g : g + 32; }
static int blocks_of(const ws_shape &s, int g) {
    return s.blocks ? s.blocks : g > WS_BLOCK_LANES ? g / WS_BLOCK_LANES : 1;
}

static const ws_cost &cost_here(const ws_cost *cost, int ncost) {
    const int capability = ws_dev_capability();
    int i = ncost - 1;
    while (i > 0 && cost[i].capability > capability) i--;
    return cost[i];
}

ws_fit ws_fit_choose(const ws_shape *shape, int nshape, const ws_cost *cost, int ncost, int rows, int M) {
    enum { OWN = 4 << 10 }; // bytes of shared memory that a kernel has besides its table
    const ws_cost &c = cost_here(cost, ncost);
    const bool clusters = ws_dev_clusters();
    const size_t shared = ws_dev_shared();
    ws_fit fit = {-1, 0};
    double least = 1e30;
    for (int i = 0; i < nshape; i++)
        for (int g = shape[i].min_g; g <= shape[i].max_g; g = next_g(g)) {
            const ws_shape &s = shape[i];
            const double work = (c.per_register * s.R + c.per_row) * (c.alone + g) * (s.columns ? 1 : c.cached);
            if (s.nodes * g < M || work >= least || (blocks_of(s, g) > 1 && !clusters)) continue;
            if (shared && ws_emissions_shared(s, rows) + OWN > shared) continue;
            least = work;
            fit = {i, g};
        }
    return fit;
}

// ---- launches ----

// Returns a task's key. Tasks of one key share a launch; launches are in the order of keys.
static uint64_t key_of(const ws_shape *shape, const ws_fit &fit) {
    return (uint64_t)fit.shape << 32 | (shape[fit.shape].max_g > 32 ? (uint64_t)fit.g : 0);
}

int ws_launches_make(ws_launches *ls, const ws_shape *shape, const ws_fit *fit, size_t ntask, ws_err *err) {
    if (!(ls->order = (uint32_t *)ws_calloc(ntask, sizeof *ls->order, err))) return WS_ENOMEM;
    for (uint64_t from = 0, key; from < UINT64_MAX; from = key < UINT64_MAX ? key + 1 : key) {
        key = UINT64_MAX;
        for (size_t t = 0; t < ntask; t++)
            if (fit[t].shape >= 0 && key_of(shape, fit[t]) >= from && key_of(shape, fit[t]) < key)
                key = key_of(shape, fit[t]);
        if (key == UINT64_MAX) break;
        int rc = ws_grow(&ls->at, &ls->cap, ls->n + 1, sizeof *ls->at, err);
        if (rc) return rc;
        ws_launch *launch = &ls->at[ls->n];
        *launch = {};
        launch->first = ls->n ? launch[-1].first + launch[-1].n : 0;
        for (size_t t = 0; t < ntask; t++)
            if (fit[t].shape >= 0 && key_of(shape, fit[t]) == key) {
                launch->shape = fit[t].shape;
                launch->g = fit[t].g;
                ls->order[launch->first + launch->n++] = (uint32_t)t;
            }
        ls->n++;
    }
    return WS_OK;
}

static int cut(ws_launches *ls, ws_launch *launch, const ws_devlist *list, const uint32_t *per_block, ws_err *err) {
    const uint32_t *task = ls->order + launch->first;
    size_t most = 0, total = 0;
    for (size_t i = 0; i < launch->n; i++) {
        const size_t chunks = (list[task[i]].n + per_block[i] - 1) / per_block[i];
        total += chunks;
        most = ws_max(most, chunks);
    }
    int rc = ws_grow(&ls->unit, &ls->unit_cap, ls->nunit + total, sizeof *ls->unit, err);
    if (rc) return rc;
    launch->unit = ls->nunit;
    launch->nunit = total;
    for (size_t c = 0; c < most; c++)
        for (size_t i = 0; i < launch->n; i++)
            if (c * per_block[i] < list[task[i]].n) ls->unit[ls->nunit++] = {task[i], (uint32_t)c};
    return WS_OK;
}

int ws_launches_cut(ws_launches *ls, const ws_shape *shape, const ws_fit *fit, const ws_devlist *list, int sms,
                    ws_err *err) {
    enum { BLOCKS = 64 }; // for each multiprocessor; it holds 2 to 7 at once, and later blocks find no work
    size_t most = 1;
    for (size_t k = 0; k < ls->n; k++) most = ws_max(most, ls->at[k].n);
    uint32_t *per_block = (uint32_t *)ws_calloc(most, sizeof *per_block, err);
    int rc = per_block ? WS_OK : WS_ENOMEM;
    for (size_t k = 0; k < ls->n && !rc; k++) {
        ws_launch *launch = &ls->at[k];
        double blocks = 0;
        for (size_t i = 0; i < launch->n; i++) {
            const uint32_t t = ls->order[launch->first + i];
            per_block[i] = (uint32_t)ws_max(1, (size_t)(shape[launch->shape].threads / fit[t].g));
            blocks += (double)list[t].n / per_block[i];
        }
        const double times = sms ? blocks / (sms * BLOCKS) : 1;
        for (size_t i = 0; i < launch->n && times > 1; i++) per_block[i] = (uint32_t)(per_block[i] * times);
        rc = cut(ls, launch, list, per_block, err);
    }
    ws_free(per_block);
    return rc;
}

void ws_launches_release(ws_launches *ls) {
    ws_free(ls->at);
    ws_free(ls->order);
    ws_free(ls->unit);
}

static int launch(ws_devstream *s, const void *kernel, const char *name, dim3 grid, unsigned threads, unsigned cluster,
                  int priority, size_t shared, void *args, ws_err *err) {
    int rc = ws_cuda_shared(s->dev, kernel, shared, name, err);
    if (rc) return rc;
    cudaLaunchAttribute attribute[2] = {};
    attribute[0].id = cudaLaunchAttributePriority;
    attribute[0].val.priority = priority;
    attribute[1].id = cudaLaunchAttributeClusterDimension;
    attribute[1].val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = s->launch;
    config.attrs = attribute;
    config.numAttrs = cluster > 1 ? 2 : 1;
    rc = ws_cuda_check(cudaLaunchKernelExC(&config, kernel, &args), name, err);
    return rc ? rc : ws_devstream_launched(s, name, err);
}

int ws_launch_kernel(ws_devstream *s, const void *kernel, const char *name, dim3 grid, unsigned threads,
                     unsigned cluster, size_t shared, void *args, ws_err *err) {
    return launch(s, kernel, name, grid, threads, cluster, WS_DEV_FIRST, shared, args, err);
}

int ws_launch_filling(ws_devstream *s, const void *kernel, const char *name, dim3 grid, unsigned threads, size_t shared,
                      void *args, ws_err *err) {
    return launch(s, kernel, name, grid, threads, 1, WS_DEV_FILLS, shared, args, err);
}

int ws_launch_units(ws_devstream *stream, const ws_shape &s, const ws_launch &l, size_t shared, bool fills, void *args,
                    ws_err *err) {
    const unsigned blocks = (unsigned)blocks_of(s, l.g),
                   threads = s.threads ? (unsigned)s.threads : (unsigned)l.g / blocks;
    if (l.nunit == 0) return WS_OK;
    return launch(stream, s.kernel, s.name, dim3((unsigned)l.nunit * blocks), threads, blocks,
                  fills ? WS_DEV_FILLS : WS_DEV_FIRST, shared, args, err);
}
