/* SPDX-License-Identifier: MIT
 * Scores a region by a body: equal reads once, reads of similar length side by side, haplotypes as a trie. All
 * pairs go through single precision, then through double where they underflow, then through scaled double. The
 * precision that gives a pair's value depends on the pair alone. */
#include "kernels/pairhmm/gpu.h"

#include "lib/base/mem.h"
#include "lib/base/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define LOG10_2 0.30102999566398119521
#define LOG10_E 0.43429448190325182765

/* The y and i of a trie should fit a second-level cache of 1 MiB. More haplotypes become several tries, and each
 * computes again the columns that it shares with the one before. */
enum { COLUMN_BYTES = 768 << 10 };

struct ws_pairhmm_work {
    ws_pairhmm_trie trie;
    uint32_t *read, *hap;    /* lists: distinct reads, longest first; haplotypes in order */
    uint32_t *same;          /* [R] the first equal read of the region */
    uint32_t *bad, *bad_hap; /* reads with a pair for the next precision, and the haplotypes of these pairs */
    ws_pairhmm_begin *begin; /* [R] */
    uint64_t *key;           /* [R] hashes */
    uint32_t *bucket;
    ws_pairhmm_gpu gpu;
    ws_pairhmm_wide *row; /* of ws_pairhmm_scaled */
    size_t read_cap, hap_cap, same_cap, bad_cap, bad_hap_cap, begin_cap, key_cap, bucket_cap, row_cap;
};

int ws_pairhmm_same_read(const ws_pairhmm_read *a, const ws_pairhmm_read *b) {
    return a->m == b->m && !memcmp(a->base, b->base, a->m) && !memcmp(a->q, b->q, a->m) &&
           !memcmp(a->ins, b->ins, a->m) && !memcmp(a->del, b->del, a->m) && !memcmp(a->gcp, b->gcp, a->m);
}

int ws_pairhmm_work_create(ws_pairhmm_work **w, ws_err *err) {
    *w = ws_calloc(1, sizeof **w, err);
    return *w ? WS_OK : WS_ENOMEM;
}

void ws_pairhmm_work_destroy(ws_pairhmm_work *w) {
    if (!w) return;
    ws_pairhmm_trie_release(&w->trie);
    ws_free(w->read);
    ws_free(w->hap);
    ws_free(w->same);
    ws_free(w->bad);
    ws_free(w->bad_hap);
    ws_free(w->begin);
    ws_free(w->key);
    ws_free(w->bucket);
    ws_free(w->row);
    ws_pairhmm_gpu_release(&w->gpu);
    ws_free(w);
}

/* Arguments of the functions below: one region. */
typedef struct task {
    const ws_pairhmm_conf *conf;
    const ws_pairhmm_body *body;
    const ws_pairhmm_read *read;
    const ws_pairhmm_hap *hap;
    size_t R, H;
    ws_pairhmm_work *w;
    ws_buf *room;
    ws_pairhmm_result *result; /* [R][H] */
    ws_pairhmm_counts *count;
} task;

/* ---- a vector of reads against a trie ---- */

typedef struct layout { /* offsets of a sweep's arrays in one allocation */
    size_t row, letter, y0, y, i, branch, emission, sum, total, end;
} layout;

static size_t lay(size_t *at, size_t bytes) {
    const size_t here = *at;
    *at += (bytes + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN;
    return here;
}

static layout lay_out(const ws_pairhmm_trie *t, size_t lanes, size_t rows, size_t nrow, size_t real) {
    layout l;
    size_t at = 0;
    l.y = lay(&at, t->ncol * lanes * real);
    l.i = lay(&at, t->ncol * lanes * real);
    l.emission = lay(&at, ws_max(t->ncode * rows * lanes, 3 * t->ncol * (lanes == 1)) * real);
    l.branch = lay(&at, (t->nbranch + 1) * 3 * rows * lanes * real);
    l.y0 = lay(&at, lanes * real);
    l.letter = lay(&at, nrow * lanes);
    l.row = lay(&at, nrow * WS_PAIRHMM_NVALUE * lanes * real);
    l.sum = lay(&at, (t->nbranch + 1) * lanes * sizeof(double));
    l.total = lay(&at, t->nseg * lanes * sizeof(double));
    l.end = at;
    return l;
}

static int sweep_open(ws_pairhmm_sweep *s, const task *k, int p, size_t m, ws_err *err) {
    const size_t lanes = k->body->lanes[p], rows = k->body->rows[p], nrow = (m + rows - 1) / rows * rows;
    const layout l = lay_out(&k->w->trie, lanes, rows, nrow, p ? sizeof(double) : sizeof(float));
    k->room->n = 0;
    int rc = ws_buf_reserve(k->room, l.end, err);
    if (rc) return rc;
    char *b = k->room->p;
    *s = (ws_pairhmm_sweep){.trie = &k->w->trie,
                            .nrow = nrow,
                            .row = b + l.row,
                            .letter = (uint8_t *)b + l.letter,
                            .y0 = b + l.y0,
                            .y = b + l.y,
                            .i = b + l.i,
                            .branch = b + l.branch,
                            .emission = b + l.emission,
                            .sum = (double *)(void *)(b + l.sum),
                            .total = (double *)(void *)(b + l.total)};
    return WS_OK;
}

/* Fills a lane's rows. Rows beyond a read's end pass its last I on unchanged. */
#define LANE(name, real)                                                                                               \
    static void lane_##name(const task *k, const ws_pairhmm_sweep *s, uint32_t r, size_t lanes, size_t z) {            \
        real *out = (real *)(uintptr_t)s->row + z, *y0 = (real *)(uintptr_t)s->y0;                                     \
        const size_t m = r == UINT32_MAX ? 0 : k->read[r].m;                                                           \
        y0[z] = 0;                                                                                                     \
        if (m) {                                                                                                       \
            ws_pairhmm_begin *b = &k->w->begin[r];                                                                     \
            ws_pairhmm_rows_##name(&k->conf->quals, &k->read[r], out, lanes, b);                                       \
            y0[z] = (real)b->y0;                                                                                       \
        }                                                                                                              \
        for (size_t i = m; i < s->nrow; i++)                                                                           \
            for (size_t v = 0; v < WS_PAIRHMM_NVALUE; v++)                                                             \
                out[(i * WS_PAIRHMM_NVALUE + v) * lanes] = v == WS_PAIRHMM_II;                                         \
    }
LANE(single, float)
LANE(double, double)

static void fill_lane(const task *k, const ws_pairhmm_sweep *s, int p, uint32_t r, size_t lanes, size_t z) {
    uint8_t *letter = (uint8_t *)(uintptr_t)s->letter + z;
    const size_t m = r == UINT32_MAX ? 0 : k->read[r].m;
    for (size_t i = 0; i < m; i++) letter[i * lanes] = k->read[r].base[i] & 31;
    for (size_t i = m; i < s->nrow; i++) letter[i * lanes] = 0;
    if (p) lane_double(k, s, r, lanes, z);
    else lane_single(k, s, r, lanes, z);
}

static ws_pairhmm_result finish(int p, double total, uint32_t n, const ws_pairhmm_begin *b) {
    if (!ws_pairhmm_enough(p, total, n) || (!p && b->clamped)) return (ws_pairhmm_result){0, p + 1};
    if (p) return (ws_pairhmm_result){log10(total / n) - 700 * LOG10_2, WS_PAIRHMM_DOUBLE};
    return (ws_pairhmm_result){log10(total / n) - 120 * LOG10_2 + b->correction * LOG10_E, WS_PAIRHMM_SINGLE};
}

/* Stores the results of this precision: all pairs in the first, in later ones the pairs that the precision before left.
 * */
static void take(const task *k, const ws_pairhmm_sweep *s, int p, uint32_t r, const uint32_t *hap, size_t lanes,
                 size_t z) {
    const ws_pairhmm_trie *t = s->trie;
    for (size_t j = 0; j < t->nhap; j++) {
        ws_pairhmm_result *out = &k->result[r * k->H + hap[j]];
        if (out->precision == p) *out = finish(p, s->total[t->end[j] * lanes + z], k->hap[hap[j]].n, &k->w->begin[r]);
    }
}

/* Scores the first reads of a list against the haplotypes of the trie, one a lane. *n: their number. */
static int sweep(const task *all, int p, const uint32_t *read, size_t nread, const uint32_t *hap, size_t *n,
                 ws_err *err) {
    const ws_pairhmm_body *few = all->conf->few;
    task k = *all;
    ws_pairhmm_sweep s;
    if (few && nread <= few->lanes[p]) k.body = few;
    const size_t lanes = k.body->lanes[p];
    *n = ws_min(lanes, nread);
    int rc = sweep_open(&s, &k, p, k.read[read[0]].m, err);
    if (rc) return rc;
    for (size_t z = 0; z < lanes; z++) fill_lane(&k, &s, p, z < *n ? read[z] : UINT32_MAX, lanes, z);
    k.body->sweep[p](&s);
    for (size_t z = 0; z < *n; z++) {
        take(&k, &s, p, read[z], hap, lanes, z);
        *(p ? &k.count->computed_double : &k.count->computed) +=
            (uint64_t)k.read[read[z]].m * (s.trie->ncol - 1);
    }
    return WS_OK;
}

/* Scores reads (longest first) against haplotypes, both as indices, in precision p. */
static int pass(const task *k, int p, const uint32_t *read, size_t nread, const uint32_t *hap, size_t nhap,
                ws_err *err) {
    const size_t lanes = k->body->lanes[p], real = p ? sizeof(double) : sizeof(float);
    const size_t max = COLUMN_BYTES / (2 * lanes * real);
    ws_pairhmm_trie *t = &k->w->trie;
    for (size_t h = 0; h < nhap; h += t->nhap) {
        int rc = ws_pairhmm_trie_make(t, k->hap, hap + h, nhap - h, k->conf->share, max, err);
        for (size_t r = 0, n; r < nread && !rc; r += n) rc = sweep(k, p, read + r, nread - r, hap + h, &n, err);
        if (rc) return rc;
    }
    return WS_OK;
}

/* ---- precisions ---- */

/* Scores pairs that need double precision: the reads of the list with such pairs, one register of reads at a time,
 * against those pairs' haplotypes. The list may be w->bad itself. */
static int rescue(const task *k, const uint32_t *read, size_t nread, ws_err *err) {
    ws_pairhmm_work *w = k->w;
    const size_t lanes = k->body->lanes[1];
    size_t nbad = 0;
    for (size_t j = 0; j < nread; j++) {
        size_t n = 0;
        for (size_t h = 0; h < k->H; h++) n += k->result[read[j] * k->H + h].precision == WS_PAIRHMM_DOUBLE;
        if (n) w->bad[nbad++] = read[j];
    }
    for (size_t j = 0; j < nbad; j += lanes) {
        const size_t n = ws_min(lanes, nbad - j);
        size_t nhap = 0;
        for (size_t h = 0; h < k->H; h++) {
            int any = 0;
            for (size_t z = 0; z < n && !any; z++)
                any = k->result[w->bad[j + z] * k->H + w->hap[h]].precision == WS_PAIRHMM_DOUBLE;
            if (any) w->bad_hap[nhap++] = w->hap[h];
        }
        int rc = pass(k, 1, w->bad + j, n, w->bad_hap, nhap, err);
        if (rc) return rc;
    }
    return WS_OK;
}

static int rescale(const task *k, size_t nread, ws_err *err) {
    for (size_t j = 0; j < nread; j++)
        for (size_t h = 0; h < k->H; h++) {
            const uint32_t r = k->w->read[j];
            ws_pairhmm_result *out = &k->result[r * k->H + h];
            if (out->precision != WS_PAIRHMM_SCALED) continue;
            int rc = ws_grow(&k->w->row, &k->w->row_cap, 6 * ((size_t)k->hap[h].n + 1), sizeof *k->w->row, err);
            if (rc) return rc;
            out->log10 = ws_pairhmm_scaled(&k->conf->quals, &k->read[r], &k->hap[h], k->w->row);
        }
    return WS_OK;
}

/* ---- equal reads, order ---- */

static uint64_t hash_read(const ws_pairhmm_read *r) {
    uint64_t h = XXH3_64bits(r->base, r->m);
    h = XXH3_64bits_withSeed(r->q, r->m, h);
    h = XXH3_64bits_withSeed(r->ins, r->m, h);
    h = XXH3_64bits_withSeed(r->del, r->m, h);
    return XXH3_64bits_withSeed(r->gcp, r->m, h);
}

/* Fills w->same, by an open hash table of at least twice as many entries. */
static int find_same(const task *k, ws_err *err) {
    ws_pairhmm_work *w = k->w;
    size_t size = 4;
    while (size < 2 * k->R) size *= 2;
    int rc = ws_grow(&w->key, &w->key_cap, k->R, sizeof *w->key, err);
    if (!rc) rc = ws_grow(&w->bucket, &w->bucket_cap, size, sizeof *w->bucket, err);
    if (rc) return rc;
    memset(w->bucket, 0xff, size * sizeof *w->bucket);
    for (size_t r = 0; r < k->R; r++) {
        w->key[r] = hash_read(&k->read[r]);
        size_t b = w->key[r] & (size - 1);
        for (; w->bucket[b] != UINT32_MAX; b = (b + 1) & (size - 1))
            if (w->key[w->bucket[b]] == w->key[r] && ws_pairhmm_same_read(&k->read[w->bucket[b]], &k->read[r])) break;
        if (w->bucket[b] == UINT32_MAX) w->bucket[b] = (uint32_t)r;
        w->same[r] = w->bucket[b];
    }
    return WS_OK;
}

static int longer_first(const void *a_, const void *b_, void *read_) {
    const uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;
    const ws_pairhmm_read *read = read_;
    if (read[a].m != read[b].m) return read[a].m < read[b].m ? 1 : -1;
    return a < b ? -1 : a > b;
}

static int reserve(const task *k, ws_err *err) {
    ws_pairhmm_work *w = k->w;
    int rc = ws_grow(&w->read, &w->read_cap, k->R, sizeof *w->read, err);
    if (!rc) rc = ws_grow(&w->same, &w->same_cap, k->R, sizeof *w->same, err);
    if (!rc) rc = ws_grow(&w->bad, &w->bad_cap, k->R, sizeof *w->bad, err);
    if (!rc) rc = ws_grow(&w->begin, &w->begin_cap, k->R, sizeof *w->begin, err);
    if (!rc) rc = ws_grow(&w->hap, &w->hap_cap, k->H, sizeof *w->hap, err);
    return rc ? rc : ws_grow(&w->bad_hap, &w->bad_hap_cap, k->H, sizeof *w->bad_hap, err);
}

/* Lists the reads and haplotypes to compute; *n: number of reads. */
static int make_lists(const task *k, size_t *n, ws_err *err) {
    ws_pairhmm_work *w = k->w;
    int rc = reserve(k, err);
    *n = 0;
    if (rc) return rc;
    if (k->conf->share && (rc = find_same(k, err)) != WS_OK) return rc;
    for (uint32_t r = 0; r < k->R; r++) {
        if (!k->conf->share) w->same[r] = r;
        if (w->same[r] == r) w->read[(*n)++] = r;
    }
    ws_system_sort(w->read, *n, sizeof *w->read, longer_first, (void *)(uintptr_t)k->read);
    for (uint32_t h = 0; h < k->H; h++) w->hap[h] = h;
    if (k->conf->share) ws_pairhmm_order(k->hap, w->hap, k->H);
    return WS_OK;
}

static void count(const task *k) {
    uint64_t rows = 0, columns = 0;
    for (size_t r = 0; r < k->R; r++) rows += k->read[r].m;
    for (size_t h = 0; h < k->H; h++) columns += k->hap[h].n;
    k->count->cells += rows * columns;
    k->count->pairs += k->R * k->H;
    for (size_t i = 0; i < k->R * k->H; i++) {
        k->count->rescued += k->result[i].precision == WS_PAIRHMM_DOUBLE;
        k->count->scaled += k->result[i].precision == WS_PAIRHMM_SCALED;
    }
}

/* Runs the precisions up to double on the CPU. */
static int by_host(const task *k, int first, const uint32_t *read, size_t nread, ws_err *err) {
    int rc = pass(k, first, read, nread, k->w->hap, k->H, err);
    return rc || first == WS_PAIRHMM_DOUBLE ? rc : rescue(k, read, nread, err);
}

/* Stores the device's sum for read r and haplotype h of the region; read, pair: their indices in the text. */
static void take_pair(const task *k, int p, uint32_t r, size_t h, size_t read, size_t pair) {
    const ws_pairhmm_gpu *g = &k->w->gpu;
    const uint64_t cells = (uint64_t)k->read[r].m * k->hap[h].n;
    ws_pairhmm_result *out = &k->result[r * k->H + h];
    if (p == 0) {
        const ws_pairhmm_begin b = {.correction = g->correction[read], .clamped = isnan(g->correction[read])};
        *out = finish(0, g->total[0][pair], k->hap[h].n, &b);
        k->count->computed += cells;
        if (out->precision == WS_PAIRHMM_SINGLE) return;
    }
    *out = finish(1, g->total[1][pair], k->hap[h].n, NULL);
    k->count->computed_double += cells;
}

/* Stores the device's results of the region. first, pair: index of its first read and of its first result in the
 * text. Reads that the device did not take go through the CPU, in the same order. */
static int take_device(const task *k, int p, size_t first, size_t pair, size_t nread, ws_err *err) {
    ws_pairhmm_work *w = k->w;
    size_t left = 0;
    for (size_t j = 0; j < nread; j++) {
        const uint32_t r = w->read[j];
        if (!w->gpu.takes[first + r]) {
            w->bad[left++] = r;
            continue;
        }
        for (size_t h = 0; h < k->H; h++) take_pair(k, p, r, h, first + r, pair + r * k->H + h);
    }
    return left ? by_host(k, p, w->bad, left, err) : WS_OK;
}

static int score_region(const task *k, const ws_pairhmm_region *device, ws_err *err) {
    const int first = k->conf->all_double ? WS_PAIRHMM_DOUBLE : WS_PAIRHMM_SINGLE;
    size_t n;
    int rc = make_lists(k, &n, err);
    for (size_t i = 0; i < k->R * k->H; i++) k->result[i] = (ws_pairhmm_result){0, first};
    if (!rc && device) rc = take_device(k, first, device->read, device->pair, n, err);
    else if (!rc) rc = by_host(k, first, k->w->read, n, err);
    if (!rc) rc = rescale(k, n, err);
    if (rc) return rc;
    for (size_t r = 0; r < k->R; r++)
        if (k->w->same[r] != r)
            memcpy(k->result + r * k->H, k->result + k->w->same[r] * k->H, k->H * sizeof *k->result);
    count(k);
    return WS_OK;
}

int ws_pairhmm_score(const ws_pairhmm_conf *conf, const ws_pairhmm_body *b, const ws_pairhmm_text *t,
                     ws_pairhmm_work *w, ws_buf *room, ws_pairhmm_result *result, ws_pairhmm_counts *c, ws_err *err) {
    const int device = b->on_device;
    int rc = device ? ws_pairhmm_gpu_plan(&w->gpu, t, conf->all_double, err) : WS_OK;
    if (!rc && device) rc = ws_pairhmm_gpu_run(&conf->quals, &w->gpu, 1, err);
    for (size_t i = 0; i < t->nregion && !rc; i++) {
        const ws_pairhmm_region *g = &t->region[i];
        c->regions++;
        if (!g->R || !g->H) continue; /* without any region, read or hap is NULL, and adding to NULL is undefined */
        const task k = {conf,
                        b->on_device ? conf->host : b,
                        t->read + g->read,
                        t->hap + g->hap,
                        g->R,
                        g->H,
                        w,
                        room,
                        result + g->pair,
                        c};
        rc = score_region(&k, device ? g : NULL, err);
    }
    return rc;
}
