/* SPDX-License-Identifier: MIT
 * Probabilities of the classes after the last sweep: see kernels/mrf/after.h. */
#include "kernels/mrf/after.h"

#include "lib/base/parallel_for.h"

enum { ROWS = 64 /* that a thread takes at once */ };

typedef struct soft {
    const ws_mrf_conf *conf;
    const ws_mrf_volume *v;
    const int32_t *table;
    const uint8_t *class;
    float *out;
} soft;

/* Sets the probabilities of voxel i of the file, which has code q and neighbours same[c] of class c, degree in all. */
static void share(const soft *s, const int32_t *same, int32_t degree, uint16_t q, size_t i) {
    const ws_mrf_conf *conf = s->conf;
    const int32_t *G = s->table + q * ws_mrf_width(conf->K);
    int32_t E[WS_MRF_CLASSES], least = INT32_MAX;
    double weight[WS_MRF_CLASSES], sum = 0;
    for (int c = 0; c < conf->K; c++) {
        E[c] = G[c] - conf->in * same[c] - conf->out * (degree - same[c]);
        least = E[c] < least ? E[c] : least;
    }
    for (int k = 0; k < conf->K; k++)
        sum += weight[k] = ws_mrf_exp((double)(least - E[s->class[k]]) / WS_MRF_ONE);
    for (int k = 0; k < conf->K; k++) s->out[(size_t)k * s->v->n + i] = (float)(weight[k] / sum);
}

static void share_half(const soft *s, int h, size_t y, size_t z) {
    const ws_mrf_volume *v = s->v;
    const uint16_t *q = v->code + ws_mrf_code_at(v, h, y, z);
    const uint8_t *label = v->label + ws_mrf_row_at(v, h, y, z), *at[WS_MRF_NEIGHBOURS];
    ws_mrf_neighbours(v, ws_mrf_neighbourhood_of(s->conf->neighbours), h, y, z, at);
    for (size_t j = 0; j < ws_mrf_half_size(v, h); j++) {
        const size_t i = ws_mrf_number(v, h, y, z) + 2 * j * v->step[0];
        int32_t same[WS_MRF_OUTSIDE + 1] = {0};
        for (int k = 0; k < s->conf->neighbours; k++) same[at[k][j]]++;
        if (label[j] != WS_MRF_OUTSIDE) share(s, same, s->conf->neighbours - same[WS_MRF_OUTSIDE], q[j], i);
        else
            for (int k = 0; k < s->conf->K; k++) s->out[(size_t)k * v->n + i] = 0;
    }
}

static int share_rows(void *ctx, size_t part, ws_err *err) {
    const soft *s = ctx;
    const ws_mrf_volume *v = s->v;
    (void)err;
    for (size_t row = part * ROWS; row < ws_min((part + 1) * ROWS, v->Y * v->Z); row++)
        for (int h = 0; h < 2; h++) share_half(s, h, row % v->Y, row / v->Y);
    return WS_OK;
}

int ws_mrf_probabilities(const ws_mrf_conf *conf, const ws_mrf_volume *v, const ws_mrf_result *r, const uint8_t *class,
                         int threads, ws_mrf_work *w, float *out, ws_err *err) {
    const size_t n = ((size_t)v->top + 1) * ws_mrf_width(conf->K);
    const int rc = ws_grow(&w->table, &w->table_cap, n, sizeof *w->table, err);
    if (rc) return rc;
    ws_mrf_table(r->gauss, conf->K, v->top, w->table); /* a device keeps its own */
    soft s = {conf, v, w->table, class, out};
    return ws_parallel_for((v->Y * v->Z + ROWS - 1) / ROWS, threads, share_rows, &s, err);
}
