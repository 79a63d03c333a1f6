/* SPDX-License-Identifier: MIT
 * The plan of a piece of input for a device, and the backend that uses it. */
#include "kernels/pairhmm/gpu.h"

#include "lib/base/mem.h"
#include "lib/dev/device.h"

#include <math.h>
#include <string.h>

enum { STEP = 4, STEPS = 256 }; /* haplotypes of lengths within STEP go side by side */

void ws_pairhmm_gpu_release(ws_pairhmm_gpu *g) {
    ws_free(g->read);
    ws_free(g->hap);
    ws_free(g->pair);
    ws_free(g->result);
    ws_free(g->letter);
    ws_free(g->quality);
    ws_free(g->gap);
    ws_free(g->takes);
    ws_free(g->kind);
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
    static const uint32_t rows[WS_PAIRHMM_LONG] = {WS_PAIRHMM_ALIKE(ROWS_OF) WS_PAIRHMM_OTHERS(ROWS_OF)};
    const int alike = uniform(r);
    const size_t end = alike ? WS_PAIRHMM_NALIKE : WS_PAIRHMM_LONG;
    size_t c = alike ? 0 : WS_PAIRHMM_NALIKE;
    while (c < end && rows[c] < r->m) c++;
    return c < end ? c : WS_PAIRHMM_LONG + !alike;
}

static int alike_class(size_t class) { return class < WS_PAIRHMM_NALIKE || class == WS_PAIRHMM_LONG; }

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

static size_t whole_fours(size_t n) { return (n + WS_PAIRHMM_FOUR - 1) / WS_PAIRHMM_FOUR * WS_PAIRHMM_FOUR; }

/* A region with other letters in its haplotypes is for the host. */
static void list_reads(ws_pairhmm_gpu *g, const ws_pairhmm_text *t) {
    for (size_t k = 0; k < t->nregion; k++) {
        const ws_pairhmm_region *region = &t->region[k];
        int good = 1;
        for (size_t h = 0; h < region->H && good; h++) good = only_acgtn(&t->hap[region->hap + h]);
        for (size_t i = region->read; i < region->read + region->R; i++) {
            const ws_pairhmm_read *r = &t->read[i];
            g->takes[i] = (uint8_t)good;
            g->read[i] = (ws_pairhmm_gpu_read){0};
            if (!good) continue;
            const size_t class = class_of(r);
            g->kind[i] = (uint8_t)class;
            g->read[i] = (ws_pairhmm_gpu_read){.at = (uint32_t)g->nrow,
                                               .m = r->m,
                                               .gap = (uint32_t)g->ngap,
                                               .ins = r->ins[0],
                                               .del = r->del[0],
                                               .gcp = r->gcp[0],
                                               .unalike = !alike_class(class)};
            g->nrow += whole_fours(r->m);
            if (!alike_class(class)) g->ngap += whole_fours(r->m);
        }
    }
}

static void list_haps(ws_pairhmm_gpu *g, const ws_pairhmm_text *t) {
    g->nletter = g->nrow;
    for (size_t k = 0; k < t->nhap; k++) {
        g->hap[k] = (ws_pairhmm_gpu_hap){(uint32_t)g->nletter, t->hap[k].n};
        g->nletter += whole_fours(t->hap[k].n);
    }
}

static int copy_letters(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, ws_err *err) {
    int rc = ws_grow(&g->letter, &g->letter_cap, g->nletter, 1, err);
    if (!rc) rc = ws_grow(&g->quality, &g->quality_cap, g->nrow, 1, err);
    if (!rc) rc = ws_grow(&g->gap, &g->gap_cap, 3 * g->ngap, 1, err);
    if (rc) return rc;
    for (size_t k = 0; k < t->nread; k++) {
        const ws_pairhmm_read *r = &t->read[k];
        const ws_pairhmm_gpu_read *to = &g->read[k];
        if (!g->takes[k]) continue;
        memcpy(g->letter + to->at, r->base, r->m);
        memcpy(g->quality + to->at, r->q, r->m);
        if (!to->unalike) continue;
        const size_t m = whole_fours(r->m);
        memcpy(g->gap + 3 * (size_t)to->gap, r->ins, r->m);
        memcpy(g->gap + 3 * (size_t)to->gap + m, r->del, r->m);
        memcpy(g->gap + 3 * (size_t)to->gap + 2 * m, r->gcp, r->m);
    }
    for (size_t k = 0; k < t->nhap; k++) memcpy(g->letter + g->hap[k].at, t->hap[k].base, t->hap[k].n);
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
                for (size_t j = 0; j < region->H; j++) {
                    const size_t key = key_of(g->kind[read], &t->hap[region->hap + j]);
                    if (!place) {
                        at[key + 1]++;
                        continue;
                    }
                    g->pair[at[key]] = (ws_pairhmm_gpu_pair){(uint32_t)read, (uint32_t)(region->hap + j)};
                    g->result[at[key]++] = (uint32_t)(region->pair + i * region->H + j);
                }
            }
        }
        if (place) break;
        for (size_t k = 1; k <= WS_PAIRHMM_NCLASS * STEPS; k++) at[k] += at[k - 1];
        for (size_t c = 0; c <= WS_PAIRHMM_NCLASS; c++) g->first[c] = at[c * STEPS];
        g->npair = g->first[WS_PAIRHMM_NCLASS];
    }
}

enum { COLUMNS = 1 << 25 }; /* of 8 bytes: 256 MiB, warps for the whole device at haplotypes of 50,000 */

size_t ws_pairhmm_gpu_together(const ws_pairhmm_gpu *g, size_t first, size_t last, size_t *pitch) {
    size_t n = 0, longest = 0;
    for (*pitch = 0; first + n < last; n++) {
        longest = ws_max(longest, g->hap[g->pair[first + n].hap].n);
        if (n > 0 && (n + 1) * longest > COLUMNS) break;
        *pitch = longest;
    }
    return n;
}

static void count_columns(ws_pairhmm_gpu *g) {
    g->ncolumn = 0;
    for (size_t c = WS_PAIRHMM_LONG; c < WS_PAIRHMM_NCLASS; c++)
        for (size_t at = g->first[c], n; at < g->first[c + 1]; at += n) {
            size_t pitch;
            n = ws_pairhmm_gpu_together(g, at, g->first[c + 1], &pitch);
            g->ncolumn = ws_max(g->ncolumn, n * pitch);
        }
}

int ws_pairhmm_gpu_plan(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, ws_err *err) {
    int rc = ws_grow(&g->read, &g->read_cap, t->nread, sizeof *g->read, err);
    if (!rc) rc = ws_grow(&g->takes, &g->takes_cap, t->nread, sizeof *g->takes, err);
    if (!rc) rc = ws_grow(&g->kind, &g->kind_cap, t->nread, sizeof *g->kind, err);
    if (!rc) rc = ws_grow(&g->correction, &g->correction_cap, t->nread, sizeof *g->correction, err);
    if (!rc) rc = ws_grow(&g->hap, &g->hap_cap, t->nhap, sizeof *g->hap, err);
    if (!rc) rc = ws_grow(&g->pair, &g->pair_cap, t->npair, sizeof *g->pair, err);
    if (!rc) rc = ws_grow(&g->result, &g->result_cap, t->npair, sizeof *g->result, err);
    if (!rc) rc = ws_grow(&g->total, &g->total_cap, t->npair, sizeof *g->total, err);
    if (rc) return rc;
    g->nread = t->nread;
    g->nhap = t->nhap;
    g->nresult = t->npair;
    g->nrow = g->ngap = g->npair = g->ncolumn = 0;
    memset(g->takes, 0, t->nread);
    memset(g->first, 0, sizeof g->first);
    if (t->size >= UINT32_MAX / 4 || t->npair >= UINT32_MAX) return WS_OK; /* all of it for the host */
    list_reads(g, t);
    list_haps(g, t);
    list_pairs(g, t);
    count_columns(g);
    return copy_letters(g, t, err);
}

/* ---- the backend ---- */

static int usable(const ws_machine *m, const char **why) { return ws_dev_usable(m->device, why); }

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
