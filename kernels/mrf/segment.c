/* SPDX-License-Identifier: MIT
 * The iteration: labels of least prior energy, sweeps, classes anew (mrf.md, section 4). */
#include "kernels/mrf/mrf.h"

#include "lib/base/parallel_for.h"
#include "lib/base/mem.h"

#include <string.h>

/* A slab of rows has at least so many voxels: a thread has tenths of a millisecond to do. */
enum { SLAB_VOXELS = 1 << 17, SLABS = 4 /* for each thread, so that none waits long for the last one */ };

void ws_mrf_work_release(ws_mrf_work *w) {
    ws_free(w->hist);
    ws_free(w->table);
    ws_free(w->tally);
    *w = (ws_mrf_work){0};
}

typedef struct slabs {
    const ws_mrf_body *b;
    ws_mrf_pass pass;
    ws_mrf_tally *tally; /* [n] */
    const uint8_t *likeliest; /* [top + 1] */
    size_t rows, n;
    int threads;
} slabs;

/* Cuts the rows of v into slabs, for which there is room in w->tally. */
static int cut(slabs *s, const ws_mrf_volume *v, int threads, ws_mrf_work *w, ws_err *err) {
    s->rows = v->Y * v->Z;
    s->threads = threads;
    const size_t most = threads > 1 ? SLABS * (size_t)threads : 1;
    s->n = ws_max(1, ws_min(ws_min(most, s->rows), v->n / SLAB_VOXELS));
    int rc = ws_grow(&w->tally, &w->tally_cap, s->n, sizeof *w->tally, err);
    s->tally = w->tally;
    return rc;
}

static size_t row_of(const slabs *s, size_t slab) { return slab * (s->rows / s->n) + ws_min(slab, s->rows % s->n); }

static int run_slab(void *ctx, size_t i, ws_err *err) {
    const slabs *s = ctx;
    (void)err;
    s->b->pass(&s->pass, row_of(s, i), row_of(s, i + 1), &s->tally[i]);
    return WS_OK;
}

static int label_slab(void *ctx, size_t i, ws_err *err) {
    const slabs *s = ctx;
    ws_mrf_volume *v = s->pass.v;
    (void)err;
    for (size_t row = row_of(s, i); row < row_of(s, i + 1); row++)
        for (int h = 0; h < 2; h++) {
            const uint16_t *q = v->code + ws_mrf_code_at(v, h, row % v->Y, row / v->Y);
            uint8_t *label = v->label + ws_mrf_row_at(v, h, row % v->Y, row / v->Y);
            for (size_t j = 0; j < ws_mrf_half_size(v, h); j++) label[j] = s->likeliest[q[j]];
        }
    return WS_OK;
}

/* Takes the labels of a row of the file outside of the mask away. */
static void erase_row(ws_mrf_volume *v, size_t row) {
    const size_t X = v->size[0], Y = v->size[1];
    const uint8_t *in = v->mask + row * X;
    const ws_mrf_line line = ws_mrf_line_of(v, row % Y, row / Y);
    for (size_t x = 0; x < X; x++)
        if (!in[x]) v->label[ws_mrf_line_at(&line, x)] = WS_MRF_OUTSIDE;
}

/* Labels every voxel inside by its code alone; sums up the classes. */
static int first_labels(slabs *s, const uint64_t *hist, ws_mrf_result *r, ws_err *err) {
    uint8_t likeliest[WS_MRF_CODES];
    const int K = s->pass.conf->K;
    memset(r->sums, 0, sizeof r->sums);
    for (uint32_t q = 0; q <= s->pass.v->top; q++) {
        const int c = ws_mrf_likeliest(s->pass.table + q * ws_mrf_width(K), K);
        likeliest[q] = (uint8_t)c;
        r->sums[c].n += hist[q];
        r->sums[c].s1 += hist[q] * q;
        r->sums[c].s2 += hist[q] * q * q;
    }
    s->likeliest = likeliest;
    int rc = ws_parallel_for(s->n, s->threads, label_slab, s, err);
    ws_mrf_volume *v = s->pass.v;
    for (size_t row = 0; row < v->size[1] * v->size[2] && v->mask && !rc; row++) erase_row(v, row);
    return rc;
}

/* Adds what the slabs changed to *r; returns by how much the energy fell. */
static int64_t add_up(const slabs *s, ws_mrf_result *r) {
    int64_t fall = 0;
    for (size_t i = 0; i < s->n; i++) {
        const ws_mrf_tally *t = &s->tally[i];
        fall += t->fall;
        r->changed += t->changed;
        for (int c = 0; c < s->pass.conf->K; c++) {
            r->sums[c].n += t->change[c].n;
            r->sums[c].s1 += t->change[c].s1;
            r->sums[c].s2 += t->change[c].s2;
        }
    }
    r->fall += fall;
    return fall;
}

/* Sweeps over all colours; *fall is by how much the energy fell. */
static int sweep(slabs *s, ws_mrf_result *r, int64_t *fall, ws_err *err) {
    const int colours = ws_mrf_neighbourhood_of(s->pass.conf->neighbours)->colours;
    int rc = WS_OK;
    memset(s->tally, 0, s->n * sizeof *s->tally);
    s->pass.sweep = r->sweeps++;
    for (int k = 0; k < colours && !rc; k++) {
        s->pass.colour = ws_mrf_colour_of(s->pass.v, colours, k);
        rc = ws_parallel_for(s->n, s->threads, run_slab, s, err);
    }
    *fall = add_up(s, r);
    return rc;
}

static void renew(const ws_mrf_conf *conf, uint32_t top, int32_t *table, ws_mrf_result *r) {
    for (int c = 0; c < conf->K; c++)
        if (r->sums[c].n > 0) r->gauss[c] = ws_mrf_gauss_of(&r->sums[c]);
    ws_mrf_table(r->gauss, conf->K, top, table);
}

/* Sweeps on a device. One that is lost, while others are left, leaves labels and sums of any content. */
static int sweep_on_device(slabs *s, const ws_mrf_body *b, const uint64_t *hist, ws_mrf_result *r, ws_err *err) {
    int rc;
    do {
        rc = first_labels(s, hist, r, err);
        if (!rc) rc = b->sweeps(s->pass.conf, s->pass.v, r, err);
    } while (rc == WS_AGAIN);
    return rc;
}

int ws_mrf_segment(const ws_mrf_conf *conf, const ws_mrf_body *b, ws_mrf_volume *v, int given, int threads,
                   ws_mrf_work *w, ws_mrf_result *r, ws_err *err) {
    slabs s = {.b = b, .pass = {.v = v, .conf = conf}};
    int rc = ws_grow(&w->hist, &w->hist_cap, WS_MRF_CODES, sizeof *w->hist, err);
    if (!rc)
        rc = ws_grow(&w->table, &w->table_cap, ((size_t)v->top + 1) * ws_mrf_width(conf->K), sizeof *w->table, err);
    if (!rc) rc = cut(&s, v, threads, w, err);
    if (!rc) rc = ws_mrf_labels_clear(v, err);
    if (rc) return rc;
    s.pass.table = w->table;
    ws_mrf_histogram(v, w->hist);
    if (!given) ws_mrf_first(w->hist, v->inside, conf->K, r->gauss);
    ws_mrf_table(r->gauss, conf->K, v->top, w->table);
    r->sweeps = r->changed = 0;
    r->fall = 0;
    if (b->sweeps) return sweep_on_device(&s, b, w->hist, r, err);
    rc = first_labels(&s, w->hist, r, err);
    for (int64_t fall; !rc && r->sweeps < conf->sweeps;) {
        rc = sweep(&s, r, &fall, err);
        if (!rc && !conf->fixed) renew(conf, v->top, w->table, r);
        if ((double)fall <= conf->eps * (double)v->inside * WS_MRF_ONE) break;
    }
    return rc;
}
