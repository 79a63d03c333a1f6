/* SPDX-License-Identifier: MIT
 * The plan of a piece of input for a device, and the backend that uses it. */
#include "kernels/pairhmm/gpu.h"

#include "lib/base/mem.h"
#include "lib/dev/device.h"

#include <math.h>
#include <string.h>

enum { STEP = 16, STEPS = 64 }; /* haplotypes of lengths within STEP go side by side */

void ws_pairhmm_gpu_release(ws_pairhmm_gpu *g) {
    ws_free(g->read);
    ws_free(g->pair);
    ws_free(g->takes);
    ws_free(g->total);
    ws_free(g->correction);
}

/* Gap qualities are the same from end to end, and alpha is at least 0.8: then I and D stay below row 0's 2^120, and so,
 * but for a factor of 1/alpha, does what they are in y: that of rows beyond the end is finite. */
static int uniform(const ws_pairhmm_read *r) {
    const size_t n = r->m - 1;
    return r->ins[0] >= 33 + 10 && r->del[0] >= 33 + 10 && !memcmp(r->ins, r->ins + 1, n) &&
           !memcmp(r->del, r->del + 1, n) && !memcmp(r->gcp, r->gcp + 1, n);
}

static size_t class_of(const ws_pairhmm_read *r) {
#define ROWS_OF(p, k) (p) * (k),
    static const uint32_t rows[] = {WS_PAIRHMM_CLASSES(ROWS_OF)};
    size_t c = 0;
    while (rows[c] < r->m) c++;
    return 2 * c + !uniform(r);
}

static size_t key_of(size_t class, const ws_pairhmm_hap *h) {
    return class * STEPS + (STEPS - 1 - ws_min(h->n / STEP, STEPS - 1));
}

static int only_acgtn(const ws_pairhmm_hap *h) {
    unsigned other = 0;
    for (size_t i = 0; i < h->n; i++) {
        const uint8_t c = h->base[i] & 31;
        other |= (c != 1) & (c != 3) & (c != 7) & (c != 20) & (c != 14);
    }
    return !other;
}

/* A region with other letters in its haplotypes, or a read longer than the largest class, is for the host. */
static int list_reads(ws_pairhmm_gpu *g, const ws_pairhmm_text *t) {
    for (size_t k = 0; k < t->nregion; k++) {
        const ws_pairhmm_region *region = &t->region[k];
        int good = 1;
        for (size_t h = 0; h < region->H && good; h++) good = only_acgtn(&t->hap[region->hap + h]);
        for (size_t i = region->read; i < region->read + region->R; i++) {
            const ws_pairhmm_read *r = &t->read[i];
            g->takes[i] = good && r->m <= WS_PAIRHMM_GPU_LONGEST && g->nrow + r->m < UINT32_MAX;
            if (!g->takes[i]) continue;
            const uint8_t *from = (const uint8_t *)t->from;
            g->read[i] =
                (ws_pairhmm_gpu_read){(uint32_t)(r->base - from), (uint32_t)(r->q - from),   (uint32_t)(r->ins - from),
                                      (uint32_t)(r->del - from),  (uint32_t)(r->gcp - from), r->m,
                                      (uint32_t)g->nrow};
            g->nrow += r->m;
        }
    }
    return WS_OK;
}

/* Sorts by counting: once to count, once to place. */
static void list_pairs(ws_pairhmm_gpu *g, const ws_pairhmm_text *t) {
    size_t at[WS_PAIRHMM_NCLASS * STEPS + 1] = {0};
    for (int place = 0; place < 2; place++) {
        for (size_t k = 0; k < t->nregion; k++) {
            const ws_pairhmm_region *region = &t->region[k];
            for (size_t i = 0; i < region->R; i++) {
                const size_t read = region->read + i;
                if (!g->takes[read]) continue;
                const size_t class = class_of(&t->read[read]);
                for (size_t j = 0; j < region->H; j++) {
                    const ws_pairhmm_hap *h = &t->hap[region->hap + j];
                    const size_t key = key_of(class, h);
                    if (place)
                        g->pair[at[key]++] =
                            (ws_pairhmm_gpu_pair){(uint32_t)read, (uint32_t)(h->base - (const uint8_t *)t->from), h->n,
                                                  (uint32_t)(region->pair + i * region->H + j)};
                    else at[key + 1]++;
                }
            }
        }
        if (place) break;
        for (size_t k = 1; k <= WS_PAIRHMM_NCLASS * STEPS; k++) at[k] += at[k - 1];
        for (size_t c = 0; c <= WS_PAIRHMM_NCLASS; c++) g->first[c] = at[c * STEPS];
        g->npair = g->first[WS_PAIRHMM_NCLASS];
    }
}

int ws_pairhmm_gpu_plan(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, ws_err *err) {
    int rc = ws_grow(&g->read, &g->read_cap, t->nread, sizeof *g->read, err);
    if (!rc) rc = ws_grow(&g->takes, &g->takes_cap, t->nread, sizeof *g->takes, err);
    if (!rc) rc = ws_grow(&g->correction, &g->correction_cap, t->nread, sizeof *g->correction, err);
    if (!rc) rc = ws_grow(&g->pair, &g->pair_cap, t->npair, sizeof *g->pair, err);
    if (!rc) rc = ws_grow(&g->total, &g->total_cap, t->npair, sizeof *g->total, err);
    if (rc) return rc;
    g->nread = t->nread;
    g->nresult = t->npair;
    g->nrow = g->npair = 0;
    memset(g->takes, 0, t->nread);
    memset(g->first, 0, sizeof g->first);
    if (t->nread) memset(g->read, 0, t->nread * sizeof *g->read);
    if (t->size >= UINT32_MAX || t->npair >= UINT32_MAX) return WS_OK; /* all of it for the host */
    list_reads(g, t);
    list_pairs(g, t);
    return WS_OK;
}

/* ---- the backend ---- */

static int usable(const ws_machine *m, const char **why) {
    (void)m;
    return ws_dev_usable(why);
}

static int start(const ws_devconf *conf, ws_err *err) { return ws_dev_start(conf->list, conf->mem, err); }

const ws_pairhmm_backend ws_pairhmm_cuda = {
    .base = {.name = "cuda",
             .usable = usable,
             .group = 1,
             .batch = 4 << 20,
             .start = start,
             .stop = ws_dev_stop,
             .ready = ws_dev_ready,
             .wait = ws_dev_wait,
             .start_seconds = WS_DEV_START,
             .cpu_speed = 1.5e10},
    .on_device = 1,
};
