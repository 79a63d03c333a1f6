// SPDX-License-Identifier: MIT
// The "cuda" backend of mrfseg: all sweeps are queued at once, the host looks at the result only.
//
// 1 launches   2 the backend
#include "kernels/mrf/device.cuh"
#include "lib/dev/stream.cuh"

#include <string.h>

enum {
    AHEAD = 64,        // sweeps that are queued before the host asks whether they have ended
    COPY = 4 << 20,   // bytes of a copy
    STAGED = 2 * COPY // pinned memory each way
};

// ---- 1 launches ----

typedef void pass_fn(mrf_args, mrf_colour);

static pass_fn *pass_of(const ws_mrf_conf *conf) {
    const bool random = conf->rule == WS_MRF_RANDOM;
#define KERNEL_IF(n, colours, reach) \
    if (conf->neighbours == n) return random ? ws_mrf_pass_kernel<n, reach, true> : ws_mrf_pass_kernel<n, reach, false>;
    WS_MRF_NEIGHBOURHOODS(KERNEL_IF)
    return nullptr;
}

// Returns the threads of a block: fewer where the sums of many classes take shared memory.
static uint32_t threads_of(uint32_t K) { return K <= 16 ? THREADS : THREADS / 4; }

// Makes the arguments of a colour. running: blocks that run at once. If they can, all blocks of a colour do so.
static mrf_colour colour_of(const mrf_args &a, int colours, int colour, uint32_t running) {
    mrf_colour g = {};
    g.colour = colour;
    g.two = colours == 2;
    g.step = g.two ? 1 : 2;
    g.y0 = g.two ? 0 : colour >> 1 & 1;
    g.z0 = g.two ? 0 : colour >> 2;
    g.units = ((a.X + 1) / 2 + UNIT - 1) / UNIT;
    g.ny = g.y0 < a.Y ? (a.Y - g.y0 + g.step - 1) / g.step : 0;
    g.nz = g.z0 < a.Z ? (a.Z - g.z0 + g.step - 1) / g.step : 0;
    g.columns = g.units * g.ny;
    const uint32_t threads = threads_of(a.K), blocks = (g.columns + threads - 1) / threads;
    const uint32_t parts = ws_max(1u, running / ws_max(1u, blocks));
    g.length = ws_max(1u, (g.nz + parts - 1) / parts);
    return g;
}

// Returns the bytes of shared memory beside the limits.
static size_t shared_of(uint32_t K) {
    return threads_of(K) / 32 * ((3 * (size_t)K + 2) * sizeof(uint64_t) + QUEUE * (sizeof(uint2) + sizeof(uint32_t)));
}

// Returns whether a kernel waits for the one before by itself (depend), as code for 9.0 and later does. Then it may
// start early.
static int waits(const void *fn, bool *itself, ws_err *err) {
    cudaFuncAttributes at = {};
    const int rc = ws_cuda_check(cudaFuncGetAttributes(&at, fn), "asking for a kernel", err);
    *itself = at.ptxVersion >= 90;
    return rc;
}

template <typename... P>
static int launch(ws_devstream *l, bool early, const char *name, void (*fn)(P...), dim3 blocks, uint32_t threads,
                  size_t shared, ws_err *err, P... args) {
    cudaLaunchAttribute at = {};
    cudaLaunchConfig_t c = {};
    at.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at.val.programmaticStreamSerializationAllowed = 1;
    c.gridDim = blocks, c.blockDim = dim3(threads), c.dynamicSmemBytes = shared, c.stream = l->stream, c.attrs = &at,
    c.numAttrs = early;
    const int rc = ws_cuda_check(cudaLaunchKernelEx(&c, fn, args...), name, err);
    return rc ? rc : ws_devstream_launched(l, name, err);
}

// Queues sweeps, of which those after the last do nothing.
static int queue(ws_devstream *l, const mrf_args &a, const ws_mrf_conf *conf, const ws_mrf_volume *v, uint64_t sweeps,
                 ws_err *err) {
    pass_fn *fn = pass_of(conf);
    const int colours = ws_mrf_neighbourhood_of(conf->neighbours)->colours;
    const size_t shared = shared_of(a.K) + a.nlimit;
    const uint32_t renewing = (a.top + CODES) / CODES, threads = threads_of(a.K);
    const uint32_t resident = (uint32_t)ws_min(THREADS / threads, ws_max(1, (size_t)l->dev->shared_max / shared));
    bool early = false;
    int rc = ws_cuda_shared(l->dev, (const void *)fn, shared, "ws_mrf_pass_kernel", err);
    if (!rc) rc = waits((const void *)fn, &early, err);
    for (uint64_t k = 0; k < sweeps && !rc; k++) {
        for (int i = 0; i < colours && !rc; i++) {
            const int colour = ws_mrf_colour_of(v, colours, i);
            const mrf_colour g = colour_of(a, colours, colour, (uint32_t)l->dev->sms * resident);
            const dim3 blocks((g.columns + threads - 1) / threads, (g.nz + g.length - 1) / g.length);
            if (g.columns > 0 && g.nz > 0)
                rc = launch(l, early, "ws_mrf_pass_kernel", fn, blocks, threads, shared, err, a, g);
        }
        if (!rc) rc = launch(l, early, "ws_mrf_renew_kernel", ws_mrf_renew_kernel, dim3(renewing), CODES, 0, err, a, 0);
    }
    return rc;
}

// ---- 2 the backend ----

static int send(ws_devstream *l, void *to, const void *from, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t at = 0; at < n && !rc; at += COPY)
        rc = ws_devstream_send(l, (char *)to + at, (const char *)from + at, ws_min(n - at, COPY), err);
    return rc;
}

static int fetch(ws_devstream *l, void *to, const void *from, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t at = 0; at < n && !rc; at += STAGED) {
        const size_t some = ws_min(n - at, STAGED);
        rc = ws_devstream_fetch(l, (const char *)from + at, some, err);
        if (!rc) rc = ws_devstream_sync(l, err);
        if (!rc) memcpy((char *)to + at, l->back.p, some);
    }
    return rc;
}

// Returns the bytes of the limits. A pass also looks up voxels outside the volume or its mask, as class 63 of code 0.
static size_t limits_of(uint32_t top, uint32_t K, uint32_t shift) {
    const size_t n = ((size_t)(top >> shift) + 1) * K;
    return n > WS_MRF_CLASSES ? (n + 15) / 16 * 16 : (size_t)WS_MRF_CLASSES;
}

// Returns how many codes share a limit, as a power of two. Without room for that, all share one, which is 0: each voxel
// is looked at.
static uint32_t shift_of(uint32_t top, uint32_t K, size_t most) {
    for (uint32_t shift = 0; shift <= MOST_SHIFT; shift++) {
        const size_t n = limits_of(top, K, shift);
        if (n <= (shift < MOST_SHIFT ? LIMITS : 2 * LIMITS) && n + shared_of(K) <= most) return shift;
    }
    return ALL_SHIFT;
}

// Brings volume, first classes and their sums to the device; the table is made there.
static int put(ws_devstream *l, const ws_mrf_conf *conf, const ws_mrf_volume *v, const mrf_state *first, mrf_args *a,
               ws_err *err) {
    const size_t ntable = ((size_t)v->top + 1) * ws_mrf_width(conf->K);
    void *table, *limit, *state;
    const uint32_t shift = shift_of(v->top, (uint32_t)conf->K, (size_t)l->dev->shared_max);
    const size_t nlimit = limits_of(v->top, (uint32_t)conf->K, shift);
    if (v->places > UINT32_MAX) // an index in `label` has 32 bits there
        return ws_fail(
            err, WS_EDEV,
            "%zu x %zu x %zu voxels in half rows take %zu bytes, a device takes less than 2^32: use a CPU backend",
            v->size[0], v->size[1], v->size[2], v->places);
    int rc = ws_devstream_expect(l, STAGED, err);
    if (!rc) rc = ws_devstream_reserve(l, ntable * sizeof *a->table + nlimit + sizeof *first + 4096, err);
    if (!rc) rc = ws_devstream_room(l, &l->kept[0], v->ncode * sizeof *v->code, err);
    if (!rc) rc = ws_devstream_room(l, &l->kept[1], v->places, err);
    if (!rc) rc = ws_devstream_alloc(l, ntable * sizeof *a->table, &table, err);
    if (!rc) rc = ws_devstream_alloc(l, nlimit, &limit, err);
    if (!rc) rc = ws_devstream_put(l, first, sizeof *first, &state, err);
    if (!rc) rc = send(l, l->kept[0].p, v->code, v->ncode * sizeof *v->code, err);
    if (!rc) rc = send(l, l->kept[1].p, v->label, v->places, err);
    if (!rc) rc = ws_cuda_check(cudaMemsetAsync(limit, 0, nlimit, l->stream), "clearing the limits", err);
    if (rc) return rc;
    a->code = (const uint16_t *)l->kept[0].p - ws_mrf_skipped(v); // so that labels and codes have one index
    a->label = (uint8_t *)l->kept[1].p;
    a->limit = (uint8_t *)limit;
    a->shift = shift, a->nlimit = (uint32_t)nlimit;
    a->table = (int32_t *)table;
    a->state = (mrf_state *)state;
    a->X = (uint32_t)v->X, a->Y = (uint32_t)v->Y, a->Z = (uint32_t)v->Z;
    a->up = (uint32_t)v->stride, a->plane = (uint32_t)ws_mrf_plane(v), a->half = (uint32_t)(v->Z + 1) * a->plane;
    for (int axis = 0; axis < 3; axis++) a->step[axis] = v->step[axis];
    a->top = v->top;
    a->K = (uint32_t)conf->K, a->width = (uint32_t)ws_mrf_width(conf->K);
    a->weight = conf->in - conf->out, a->xi = conf->xi, a->neighbours = conf->neighbours;
    a->seed = conf->seed, a->most = conf->sweeps, a->fixed = conf->fixed;
    a->enough = conf->eps * (double)v->inside * WS_MRF_ONE;
    ws_mrf_renew_kernel<<<(a->top + CODES) / CODES, CODES, 0, l->stream>>>(*a, 1);
    return ws_devstream_launched(l, "ws_mrf_renew_kernel", err);
}

static int run(ws_devstream *l, const ws_mrf_conf *conf, ws_mrf_volume *v, mrf_state *s, ws_err *err) {
    mrf_args a = {};
    int rc = put(l, conf, v, s, &a, err);
    for (cudaEvent_t event : {l->start, l->end})
        if (!rc) rc = ws_cuda_check(cudaEventRecord(event, l->stream), "recording an event", err);
    for (uint64_t left = conf->sweeps; left > 0 && !s->done && !rc;) {
        const uint64_t n = ws_min(left, AHEAD);
        rc = queue(l, a, conf, v, n, err);
        if (!rc) rc = ws_cuda_check(cudaEventRecord(l->end, l->stream), "recording an event", err);
        if (!rc) rc = fetch(l, s, a.state, sizeof *s, err);
        left -= n;
    }
    if (!rc) rc = fetch(l, v->label, a.label, v->places, err);
    if (!rc) ws_devstream_clock(l);
    return rc;
}

static int sweeps(const ws_mrf_conf *conf, ws_mrf_volume *v, ws_mrf_result *r, ws_err *err) {
    ws_devstream *l = NULL;
    mrf_state *s = (mrf_state *)ws_calloc(1, sizeof *s, err);
    if (!s) return WS_ENOMEM;
    memcpy(s->sums, r->sums, sizeof s->sums);
    memcpy(s->gauss, r->gauss, sizeof s->gauss);
    int rc = ws_devstream_take(&l, 0, err);
    if (!rc) {
        l->id = 0;
        rc = run(l, conf, v, s, err);
        if (ws_devstream_give(l, rc, err)) rc = WS_AGAIN; // some labels may be those of its last sweep
    }
    if (!rc) {
        memcpy(r->sums, s->sums, sizeof s->sums);
        memcpy(r->gauss, s->gauss, sizeof s->gauss);
        r->sweeps = s->sweeps;
        r->changed = s->changed;
        r->fall = s->falls;
    }
    ws_free(s);
    return rc;
}

extern "C" const ws_mrf_body ws_mrf_cuda = {nullptr, sweeps};
