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
    ws_mrf_volume *v;
    double least, greatest, step;
    int exact;         /* codes are differences */
    size_t rows;       /* of a chunk */
    double (*range)[2]; /* of each chunk */
} work;

/* ---- byte order ---- */

static void turn(void *data, size_t n, size_t size) {
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
TYPES(RANGE)
TYPES(CODES)

typedef size_t range_fn(const void *data, size_t n, double range[2]);
typedef void codes_fn(const work *w, const void *data, size_t n, uint16_t *q);
#define RANGE_ENTRY(number, type) [number] = range_##type,
#define CODES_ENTRY(number, type) [number] = codes_##type,
static range_fn *const range_of[WS_NIFTI_NTYPE] = {TYPES(RANGE_ENTRY)};
static codes_fn *const codes_of[WS_NIFTI_NTYPE] = {TYPES(CODES_ENTRY)};

/* ---- chunks of rows ---- */

static char *at(const work *w, size_t row) { return (char *)w->data + row * w->h->X * w->h->size; }
static size_t end_of(const work *w, size_t chunk) { return ws_min((chunk + 1) * w->rows, w->h->Y * w->h->Z); }

static int find_range(void *ctx, size_t chunk, ws_err *err) {
    const work *w = ctx;
    const ws_nifti *h = w->h;
    const size_t first = chunk * w->rows, n = (end_of(w, chunk) - first) * h->X;
    if (h->foreign) turn(at(w, first), n, h->size);
    const size_t bad = range_of[h->type](at(w, first), n, w->range[chunk]);
    if (bad == n) return WS_OK;
    const size_t i = first * h->X + bad;
    double value;
    if (h->type == WS_NIFTI_FLOAT32) value = (double)((const float *)w->data)[i];
    else value = ((const double *)w->data)[i];
    return ws_fail(err, WS_EDATA, "voxel %zu,%zu,%zu, counted from 0, is %s; expected finite numbers", i % h->X,
                   i / h->X % h->Y, i / h->X / h->Y, isnan(value) ? "not a number" : "infinite");
}

static int code_rows(void *ctx, size_t chunk, ws_err *err) {
    const work *w = ctx;
    uint16_t q[INT16_MAX];
    (void)err;
    for (size_t row = chunk * w->rows; row < end_of(w, chunk); row++) {
        codes_of[w->h->type](w, at(w, row), w->h->X, q);
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

int ws_mrf_codes(const ws_nifti *h, void *data, ws_mrf_volume *v, ws_mrf_scale *scale, int threads, ws_err *err) {
    work w = {.h = h, .data = data, .v = v, .rows = CHUNK / h->X + 1};
    const size_t chunks = (h->Y * h->Z + w.rows - 1) / w.rows;
    int rc = ws_mrf_volume_shape(v, h->X, h->Y, h->Z, err);
    if (rc) return rc;
    w.range = ws_calloc(chunks, sizeof *w.range, err);
    if (!w.range) return WS_ENOMEM;
    rc = ws_parallel_for(chunks, threads, find_range, &w, err);
    if (!rc) rc = choose_step(&w, chunks, err);
    if (!rc) rc = ws_parallel_for(chunks, threads, code_rows, &w, err);
    ws_free(w.range);
    *scale = (ws_mrf_scale){w.least, w.step, h->slope, h->inter};
    return rc;
}

/* ---- units ---- */

ws_mrf_gauss ws_mrf_in_units(const ws_mrf_scale *s, ws_mrf_gauss g) {
    return (ws_mrf_gauss){s->slope * (s->least + s->step * g.mean) + s->inter, fabs(s->slope) * (s->step * g.sd)};
}

ws_mrf_gauss ws_mrf_in_codes(const ws_mrf_scale *s, ws_mrf_gauss g) {
    const double sd = g.sd / fabs(s->slope) / s->step;
    return (ws_mrf_gauss){((g.mean - s->inter) / s->slope - s->least) / s->step, sd > 0.5 ? sd : 0.5};
}
