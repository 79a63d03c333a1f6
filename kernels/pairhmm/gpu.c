/* SPDX-License-Identifier: MIT
 * The plan of a block of input for a device. */
#include "kernels/pairhmm/gpu.h"

#include "lib/base/mem.h"
#include "lib/dev/device.h"

#include <math.h>
#include <string.h>

enum { STEP = 4, STEPS = 256 }; /* lengths within STEP share a class, so that such haplotypes run side by side */

void ws_pairhmm_gpu_release(ws_pairhmm_gpu *g) {
    ws_free(g->read);
    ws_free(g->hap);
    ws_free(g->letter);
    ws_free(g->quality);
    ws_free(g->gap);
    ws_free(g->takes);
    ws_free(g->correction);
    for (int p = 0; p < 2; p++) {
        ws_free(g->kind[p]);
        ws_free(g->total[p]);
        ws_free(g->list[p].pair);
        ws_free(g->list[p].result);
        ws_free(g->list[p].read);
    }
}

/* ---- classes ---- */

/* Returns 1 if the gap qualities are equal in all rows and at least 10, so that alpha is at least 0.8. Then I and D
 * stay below row 0's 2^120, and add less than 1/alpha of that to y. So y is finite even in the rows beyond the end. */
static int uniform(const ws_pairhmm_read *r) {
    const size_t n = r->m - 1;
    return r->ins[0] >= 33 + 10 && r->del[0] >= 33 + 10 && !memcmp(r->ins, r->ins + 1, n) &&
           !memcmp(r->del, r->del + 1, n) && !memcmp(r->gcp, r->gcp + 1, n);
}

#define ROWS_OF(p, k) (p) * (k),
static const struct classes {
    size_t nalike, n; /* without the two classes of long reads */
    uint32_t rows[WS_PAIRHMM_NCLASS];
} classes[2] = {
    {WS_PAIRHMM_NALIKE, WS_PAIRHMM_NALIKE + WS_PAIRHMM_NOTHERS, {WS_PAIRHMM_ALIKE(ROWS_OF) WS_PAIRHMM_OTHERS(ROWS_OF)}},
    {WS_PAIRHMM_NALIKE_DOUBLE,
     WS_PAIRHMM_NALIKE_DOUBLE + WS_PAIRHMM_NOTHERS_DOUBLE,
     {WS_PAIRHMM_ALIKE_DOUBLE(ROWS_OF) WS_PAIRHMM_OTHERS_DOUBLE(ROWS_OF)}}};

static uint8_t class_of(const struct classes *k, uint32_t m, int alike) {
    const size_t end = alike ? k->nalike : k->n;
    size_t c = alike ? 0 : k->nalike;
    while (c < end && k->rows[c] < m) c++;
    return (uint8_t)(c < end ? c : k->n + !alike);
}

static size_t key_of(size_t class, uint32_t n) {
    return class * STEPS + (STEPS - 1 - ws_min(n / STEP, STEPS - 1));
}

/* ---- reads and haplotypes ---- */

static int only_acgtn(const ws_pairhmm_hap *h) {
    unsigned other = 0;
    for (size_t i = 0; i < h->n; i++) {
        const uint8_t c = h->base[i] & 31;
        other |= (c != 1) & (c != 3) & (c != 7) & (c != 20) & (c != 14);
    }
    return !other;
}

static size_t whole_fours(size_t n) { return (n + WS_PAIRHMM_FOUR - 1) / WS_PAIRHMM_FOUR * WS_PAIRHMM_FOUR; }

/* Lists the reads that the device computes. The host computes regions whose haplotypes have other letters. */
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
            const int alike = uniform(r);
            for (int p = 0; p < 2; p++) g->kind[p][i] = class_of(&classes[p], r->m, alike);
            g->read[i] = (ws_pairhmm_gpu_read){.at = (uint32_t)g->nrow,
                                               .m = r->m,
                                               .gap = (uint32_t)g->ngap,
                                               .ins = r->ins[0],
                                               .del = r->del[0],
                                               .gcp = r->gcp[0],
                                               .unalike = !alike};
            g->nrow += whole_fours(r->m);
            if (!alike) g->ngap += whole_fours(r->m);
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

/* ---- pairs ---- */

/* columns of 8 or 16 bytes: 256 MiB, enough warps for the whole device at haplotypes of 50,000 */
enum { COLUMNS = 1 << 25 };

size_t ws_pairhmm_gpu_together(const ws_pairhmm_gpu *g, const ws_pairhmm_gpu_list *list, size_t first, size_t last,
                               size_t *pitch) {
    size_t n = 0, longest = 0;
    for (*pitch = 0; first + n < last; n++) {
        longest = ws_max(longest, g->hap[list->pair[first + n].hap].n);
        if (n > 0 && (n + 1) * longest > COLUMNS) break;
        *pitch = longest;
    }
    return n;
}

static void count_columns(ws_pairhmm_gpu *g, int p) {
    ws_pairhmm_gpu_list *list = &g->list[p];
    list->ncolumn = 0;
    for (size_t c = classes[p].n; c < classes[p].n + 2; c++)
        for (size_t at = list->first[c], n; at < list->first[c + 1]; at += n) {
            size_t pitch;
            n = ws_pairhmm_gpu_together(g, list, at, list->first[c + 1], &pitch);
            list->ncolumn = ws_max(list->ncolumn, n * pitch);
        }
}

static void add_pair(ws_pairhmm_gpu_list *list, size_t at, size_t read, size_t hap, size_t result) {
    list->pair[at] = (ws_pairhmm_gpu_pair){(uint32_t)read, (uint32_t)hap};
    list->result[at] = (uint32_t)result;
}

/* Sorts the pairs by counting: one pass counts, one places. */
static void list_pairs(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, int p) {
    size_t at[WS_PAIRHMM_NCLASS * STEPS + 1] = {0};
    ws_pairhmm_gpu_list *list = &g->list[p];
    for (int place = 0; place < 2; place++) {
        for (size_t k = 0; k < t->nregion; k++) {
            const ws_pairhmm_region *region = &t->region[k];
            for (size_t i = 0; i < region->R; i++) {
                const size_t read = region->read + i;
                if (!g->takes[read]) continue;
                for (size_t j = 0; j < region->H; j++) {
                    const size_t key = key_of(g->kind[p][read], t->hap[region->hap + j].n);
                    if (place) add_pair(list, at[key]++, read, region->hap + j, region->pair + i * region->H + j);
                    else at[key + 1]++;
                }
            }
        }
        if (place) break;
        for (size_t k = 1; k <= WS_PAIRHMM_NCLASS * STEPS; k++) at[k] += at[k - 1];
        for (size_t c = 0; c <= WS_PAIRHMM_NCLASS; c++) list->first[c] = at[c * STEPS];
        list->n = list->first[WS_PAIRHMM_NCLASS];
    }
    for (size_t k = 0; k < g->nread; k++)
        if (g->takes[k]) list->read[list->nread++] = (uint32_t)k;
}

static int reserve_list(ws_pairhmm_gpu_list *list, size_t n, size_t nread, ws_err *err) {
    int rc = ws_grow(&list->pair, &list->pair_cap, n, sizeof *list->pair, err);
    if (!rc) rc = ws_grow(&list->result, &list->result_cap, n, sizeof *list->result, err);
    return rc ? rc : ws_grow(&list->read, &list->read_cap, nread, sizeof *list->read, err);
}

/* Returns 1 if pair k of the first list underflows single precision. */
static int underflows_single(const ws_pairhmm_gpu *g, size_t k) {
    const ws_pairhmm_gpu_list *list = &g->list[0];
    return isnan(g->correction[list->pair[k].read]) ||
           !ws_pairhmm_enough(0, g->total[0][list->result[k]], g->hap[list->pair[k].hap].n);
}

int ws_pairhmm_gpu_wider(ws_pairhmm_gpu *g, ws_err *err) {
    const ws_pairhmm_gpu_list *from = &g->list[0];
    ws_pairhmm_gpu_list *to = &g->list[1];
    size_t at[WS_PAIRHMM_NCLASS + 1] = {0};
    for (size_t k = 0; k < g->nread; k++) g->takes[k] = g->takes[k] != 0; /* 2: the read is on the list */
    for (size_t k = 0; k < from->n; k++)
        if (underflows_single(g, k)) at[g->kind[1][from->pair[k].read] + 1]++;
    for (size_t c = 1; c <= WS_PAIRHMM_NCLASS; c++) at[c] += at[c - 1];
    memcpy(to->first, at, sizeof at);
    to->n = at[WS_PAIRHMM_NCLASS];
    to->nread = 0;
    int rc = reserve_list(to, to->n, ws_min(to->n, g->nread), err);
    if (rc) return rc;
    for (size_t k = 0; k < from->n; k++) {
        const uint32_t read = from->pair[k].read;
        if (!underflows_single(g, k)) continue;
        add_pair(to, at[g->kind[1][read]]++, read, from->pair[k].hap, from->result[k]);
        if (g->takes[read] == 1) to->read[to->nread++] = read;
        g->takes[read] = 2;
    }
    count_columns(g, 1);
    return WS_OK;
}

int ws_pairhmm_gpu_plan(ws_pairhmm_gpu *g, const ws_pairhmm_text *t, int all_double, ws_err *err) {
    const int p = all_double != 0;
    int rc = ws_grow(&g->read, &g->read_cap, t->nread, sizeof *g->read, err);
    if (!rc) rc = ws_grow(&g->takes, &g->takes_cap, t->nread, sizeof *g->takes, err);
    if (!rc) rc = ws_grow(&g->hap, &g->hap_cap, t->nhap, sizeof *g->hap, err);
    if (!rc) rc = ws_grow(&g->correction, &g->correction_cap, t->nread, sizeof *g->correction, err);
    for (int k = 0; k < 2 && !rc; k++) {
        rc = ws_grow(&g->kind[k], &g->kind_cap[k], t->nread, sizeof *g->kind[k], err);
        if (!rc) rc = ws_grow(&g->total[k], &g->total_cap[k], t->npair, sizeof *g->total[k], err);
        g->list[k].n = g->list[k].nread = g->list[k].ncolumn = 0;
    }
    if (!rc) rc = reserve_list(&g->list[p], t->npair, t->nread, err);
    if (rc) return rc;
    g->nread = t->nread;
    g->nhap = t->nhap;
    g->npair = t->npair;
    g->nrow = g->ngap = 0;
    memset(g->takes, 0, t->nread);
    /* too large for 32-bit indices: the host computes it */
    if (t->size >= UINT32_MAX / 4 || t->npair >= UINT32_MAX) return WS_OK;
    list_reads(g, t);
    list_haps(g, t);
    list_pairs(g, t, p);
    count_columns(g, p);
    return copy_letters(g, t, err);
}

const ws_pairhmm_body ws_pairhmm_cuda = {.on_device = 1};
