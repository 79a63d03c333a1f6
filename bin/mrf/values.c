/* SPDX-License-Identifier: MIT
 * Codes of values: see bin/mrf/values.h. */
#include "bin/mrf/values.h"

#include "lib/base/mem.h"
#include "lib/base/parallel_for.h"

#include <string.h>

enum { TOP = WS_MRF_CODES - 1, CHUNK = 1 << 16 /* values that a thread takes at once, at least a row */ };

typedef struct work {
    const ws_nifti *h;
    void *data;
    const uint8_t *mask;
    ws_mrf_volume *v;
    double least, greatest, step;
    int exact;         /* codes are differences */
    size_t rows;       /* of a chunk */
    double (*range)[2]; /* of each chunk */
} work;

/* ---- byte order ---- */

void ws_mrf_turn(void *data, size_t n, size_t size) {
    uint16_t *a = data;
    uint32_t *b = data;
    uint64_t *c = data;
    for (size_t i = 0; i < n && size == 2; i++) a[i] = __builtin_bswap16(a[i]);
    for (size_t i = 0; i < n && size == 4; i++) b[i] = __builtin_bswap32(b[i]);
    for (size_t i = 0; i < n && size == 8; i++) c[i] = __builtin_bswap64(c[i]);
}

/* ---- values of each type ---- */

/* The numbers of ws_nifti_type, and their types in C. */
#define TYPES(F) \
    F(WS_NIFTI_UINT8, uint8_t) F(WS_NIFTI_INT8, int8_t) F(WS_NIFTI_INT16, int16_t) F(WS_NIFTI_UINT16, uint16_t) \
    F(WS_NIFTI_INT32, int32_t) F(WS_NIFTI_UINT32, uint32_t) F(WS_NIFTI_FLOAT32, float) F(WS_NIFTI_FLOAT64, double)

/* Least and greatest of n values; returns the number of the first that is not finite, n if all are. */
#define RANGE(number, type) \
    static size_t range_##type(const void *data, size_t n, double range[2]) { \
        const type *v = data; \
        type least = v[0], greatest = v[0]; \
        int bad = 0; \
        for (size_t i = 0; i < n; i++) { \
            bad |= !(v[i] - v[i] == 0); \
            least = v[i] < least ? v[i] : least; \
            greatest = v[i] > greatest ? v[i] : greatest; \
        } \
        range[0] = (double)least; \
        range[1] = (double)greatest; \
        size_t i = bad ? 0 : n; \
        while (i < n && v[i] - v[i] == 0) i++; \
        return i; \
    }
/* Codes of n values. */
#define CODES(number, type) \
    static void codes_##type(const work *w, const void *data, size_t n, uint16_t *q) { \
        const type *v = data, least = (type)w->least; \
        if (w->exact) { \
            for (size_t i = 0; i < n; i++) q[i] = (uint16_t)(v[i] - least); \
            return; \
        } \
        for (size_t i = 0; i < n; i++) { \
            const double code = ((double)v[i] - w->least) / w->step + 0.5; \
            q[i] = (uint16_t)(code < TOP ? code : TOP); \
        } \
    }
/* A value as a double. */
#define VALUE(number, type) \
    static double value_##type(const void *data, size_t i) { return (double)((const type *)data)[i]; }
TYPES(RANGE)
TYPES(CODES)
TYPES(VALUE)

typedef size_t range_fn(const void *data, size_t n, double range[2]);
typedef void codes_fn(const work *w, const void *data, size_t n, uint16_t *q);
typedef double value_fn(const void *data, size_t i);
#define RANGE_ENTRY(number, type) [number] = range_##type,
#define CODES_ENTRY(number, type) [number] = codes_##type,
#define VALUE_ENTRY(number, type) [number] = value_##type,
static range_fn *const range_of[WS_NIFTI_NTYPE] = {TYPES(RANGE_ENTRY)};
static codes_fn *const codes_of[WS_NIFTI_NTYPE] = {TYPES(CODES_ENTRY)};
static value_fn *const value_of[WS_NIFTI_NTYPE] = {TYPES(VALUE_ENTRY)};

/* ---- chunks of rows ---- */

static char *at(const work *w, size_t row) { return (char *)w->data + row * w->h->X * w->h->size; }
static size_t end_of(const work *w, size_t chunk) { return ws_min((chunk + 1) * w->rows, w->h->Y * w->h->Z); }

/* Moves *from to the next voxel inside of the mask before `end`, and returns the end of the run that begins there. */
static size_t run_of(const uint8_t *mask, size_t *from, size_t end) {
    while (mask && *from < end && !mask[*from]) ++*from;
    size_t to = mask ? *from : end;
    while (to < end && mask[to]) to++;
    return to;
}

static const char *what_is(double value) { return isnan(value) ? "not a number" : "infinite"; }

static int find_range(void *ctx, size_t chunk, ws_err *err) {
    const work *w = ctx;
    const ws_nifti *h = w->h;
    const size_t first = chunk * w->rows * h->X, end = end_of(w, chunk) * h->X;
    double *range = w->range[chunk], of_run[2];
    if (h->foreign) ws_mrf_turn(at(w, chunk * w->rows), end - first, h->size);
    range[0] = HUGE_VAL, range[1] = -HUGE_VAL;
    for (size_t from = first, to; (to = run_of(w->mask, &from, end)) > from; from = to) {
        const size_t i = from + range_of[h->type]((char *)w->data + from * h->size, to - from, of_run);
        if (i < to)
            return ws_fail(err, WS_EDATA, "voxel %zu,%zu,%zu, counted from 0, is %s; expected finite numbers", i % h->X,
                           i / h->X % h->Y, i / h->X / h->Y, what_is(value_of[h->type](w->data, i)));
        range[0] = fmin(range[0], of_run[0]);
        range[1] = fmax(range[1], of_run[1]);
    }
    return WS_OK;
}

static int code_rows(void *ctx, size_t chunk, ws_err *err) {
    const work *w = ctx;
    uint16_t q[INT16_MAX];
    (void)err;
    if (w->mask) memset(q, 0, w->h->X * sizeof *q);
    for (size_t row = chunk * w->rows; row < end_of(w, chunk); row++) {
        const uint8_t *mask = w->mask ? w->mask + row * w->h->X : NULL;
        for (size_t from = 0, to; (to = run_of(mask, &from, w->h->X)) > from; from = to)
            codes_of[w->h->type](w, at(w, row) + from * w->h->size, to - from, q + from);
        ws_mrf_volume_put(w->v, row % w->h->Y, row / w->h->Y, q);
    }
    return WS_OK;
}

/* Sets least, greatest, step and whether codes are differences. */
static int choose_step(work *w, size_t chunks, ws_err *err) {
    w->least = w->range[0][0], w->greatest = w->range[0][1];
    for (size_t i = 1; i < chunks; i++) {
        w->least = w->range[i][0] < w->least ? w->range[i][0] : w->least;
        w->greatest = w->range[i][1] > w->greatest ? w->range[i][1] : w->greatest;
    }
    const double range = w->greatest - w->least;
    if (!isfinite(range))
        return ws_fail(err, WS_EDATA, "values go from %g to %g; expected a range that a double can hold", w->least,
                       w->greatest);
    const double slope = w->h->slope, inter = w->h->inter;
    if (!isfinite(fabs(slope * w->least + inter) + fabs(slope * w->greatest + inter)))
        return ws_fail(err, WS_EDATA, "values go from %g to %g, which the header scales by %g; expected products that "
                                      "a double can hold", w->least, w->greatest, slope);
    w->exact = w->h->type < WS_NIFTI_FLOAT32 && range <= TOP;
    w->step = w->exact ? 1 : range / TOP;
    if (w->step == 0) w->step = 1;
    w->v->top = w->exact ? (uint32_t)range : range > 0 ? TOP : 0;
    return WS_OK;
}

int ws_mrf_codes(const ws_nifti *h, void *data, const uint8_t *mask, ws_mrf_volume *v, ws_mrf_scale *scale, int threads,
                 ws_err *err) {
    work w = {.h = h, .data = data, .mask = mask, .v = v, .rows = CHUNK / h->X + 1};
    const size_t chunks = (h->Y * h->Z + w.rows - 1) / w.rows;
    int rc = ws_mrf_volume_shape(v, h->X, h->Y, h->Z, err);
    if (rc) return rc;
    if (mask) ws_mrf_volume_mask(v, mask);
    w.range = ws_calloc(chunks, sizeof *w.range, err);
    if (!w.range) return WS_ENOMEM;
    rc = ws_parallel_for(chunks, threads, find_range, &w, err);
    if (!rc) rc = choose_step(&w, chunks, err);
    if (!rc) rc = ws_parallel_for(chunks, threads, code_rows, &w, err);
    ws_free(w.range);
    *scale = (ws_mrf_scale){w.least, w.step, h->slope, h->inter};
    return rc;
}

/* ---- a mask ---- */

/* Fails at voxel i of a mask; one: the first voxel that is not 0. */
static int not_binary(const ws_nifti *h, const void *data, size_t i, size_t one, ws_err *err) {
    const double value = value_of[h->type](data, i), other = value_of[h->type](data, one);
    const char *const expected = "expected 0 outside, and one other value inside";
    const size_t X = h->X, Y = h->Y;
    if (value - value != 0)
        return ws_fail(err, WS_EDATA, "voxel %zu,%zu,%zu of the mask, counted from 0, is %s; %s", i % X, i / X % Y,
                       i / X / Y, what_is(value), expected);
    return ws_fail(err, WS_EDATA, "voxel %zu,%zu,%zu of the mask, counted from 0, is %g, and voxel %zu,%zu,%zu is %g; "
                                  "%s",
                   one % X, one / X % Y, one / X / Y, h->slope * other + h->inter, i % X, i / X % Y, i / X / Y,
                   h->slope * value + h->inter, expected);
}

int ws_mrf_inside(const ws_nifti *h, void *data, uint8_t *inside, ws_err *err) {
    const size_t n = h->X * h->Y * h->Z;
    value_fn *const value = value_of[h->type];
    size_t one = n;
    if (h->foreign) ws_mrf_turn(data, n, h->size);
    for (size_t i = 0; i < n; i++) {
        const double v = value(data, i);
        if (v - v != 0) return not_binary(h, data, i, i, err);
        inside[i] = h->slope * v + h->inter != 0;
        if (!inside[i]) continue;
        if (one == n) one = i;
        if (v != value(data, one)) return not_binary(h, data, i, one, err);
    }
    return one < n ? WS_OK : ws_fail(err, WS_EDATA, "all voxels of the mask are 0; expected another value inside");
}

/* ---- units ---- */

ws_mrf_gauss ws_mrf_in_units(const ws_mrf_scale *s, ws_mrf_gauss g) {
    return (ws_mrf_gauss){s->slope * (s->least + s->step * g.mean) + s->inter, fabs(s->slope) * (s->step * g.sd)};
}

ws_mrf_gauss ws_mrf_in_codes(const ws_mrf_scale *s, ws_mrf_gauss g) {
    const double sd = g.sd / fabs(s->slope) / s->step;
    return (ws_mrf_gauss){((g.mean - s->inter) / s->slope - s->least) / s->step, sd > 0.5 ? sd : 0.5};
}
