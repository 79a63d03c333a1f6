/* SPDX-License-Identifier: MIT
 * Random models and sequences for tests and benchmarks, all from one 64-bit seed. */
#ifndef WS_TESTS_SAMPLE_H
#define WS_TESTS_SAMPLE_H

#include "kernels/filter/filter.h"
#include "lib/hmm/target.h"
#include "lib/scan/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample {
    uint64_t state;
} sample;

/* splitmix64 */
static inline uint64_t sample_next(sample *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static inline double sample_unit(sample *r) { return (double)(sample_next(r) >> 11) * 0x1p-53; }
static inline int sample_below(sample *r, int n) { return (int)(sample_next(r) % (uint64_t)n); }

static inline void sample_must(int rc, const ws_err *err) {
    if (!rc) return;
    fprintf(stderr, "sample: %s\n", err->text);
    exit(1);
}

/* A canonical residue under the background. */
static inline uint8_t sample_residue(sample *r, const ws_abc *abc) {
    double u = sample_unit(r);
    int x = 0;
    while (x < abc->K - 1 && (u -= (double)abc->background[x]) >= 0) x++;
    return (uint8_t)x;
}

/* A model of M nodes like hmmbuild's: one favoured residue a node, rare and short gaps. zeros: that share of the
 * emissions and transitions is impossible. */
static inline void sample_model(ws_hmm *h, sample *r, int M, double zeros) {
    ws_err err = {0};
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    *h = (ws_hmm){.name = NULL, .M = M, .abc = abc, .calibrated = 1};
    h->mat = ws_calloc(((size_t)M + 1) * 20, sizeof *h->mat, &err);
    h->tr = ws_calloc(((size_t)M + 1) * WS_NTRANS, sizeof *h->tr, &err);
    if (!h->mat || !h->tr) sample_must(1, &err);
    for (int k = 1; k <= M; k++) {
        double p[20], sum = 0, favour = 0.1 + 0.6 * sample_unit(r);
        int best = sample_residue(r, abc);
        for (int x = 0; x < 20; x++) {
            p[x] = (double)abc->background[x] * (0.3 + sample_unit(r)) + (x == best ? favour : 0);
            if (x != best && sample_unit(r) < zeros) p[x] = 0;
            sum += p[x];
        }
        for (int x = 0; x < 20; x++) {
            h->mat[k * 20 + x] = (float)(p[x] / sum);
            h->compo[x] += (float)(p[x] / sum / M);
        }
    }
    for (int k = 0; k <= M; k++) {
        float *t = h->tr + (size_t)k * WS_NTRANS;
        double open = 0.002 + 0.02 * sample_unit(r), ii = 0.2 + 0.5 * sample_unit(r), dd = 0.2 + 0.6 * sample_unit(r);
        if (sample_unit(r) < zeros) open = ii = dd = 0;
        t[WS_TMI] = t[WS_TMD] = (float)open;
        t[WS_TMM] = (float)(1 - 2 * open);
        t[WS_TII] = (float)ii, t[WS_TIM] = (float)(1 - ii);
        t[WS_TDD] = (float)dd, t[WS_TDM] = (float)(1 - dd);
    }
}

static inline void sample_model_release(ws_hmm *h) {
    ws_free(h->mat);
    ws_free(h->tr);
}

/* L residues that the model emits along a path with gaps, from node 1 round and round. */
static inline void sample_homolog(sample *r, const ws_hmm *h, uint8_t *x, size_t L) {
    for (size_t i = 0, k = 1; i < L; i++, k = k % (size_t)h->M + 1) {
        if (sample_unit(r) < 0.02) k = (k + 2) % (size_t)h->M + 1;
        if (sample_unit(r) < 0.02 && i + 1 < L) x[i++] = sample_residue(r, h->abc);
        double u = sample_unit(r);
        int c = 0;
        while (c < 19 && (u -= (double)h->mat[k * 20 + (size_t)c]) >= 0) c++;
        x[i] = (uint8_t)c;
    }
}

/* A target of a model, as open() of the tools makes it. */
static inline void sample_target(ws_hmm_target *t, const ws_hmm *h) {
    ws_err err = {0};
    t->hmm = h;
    sample_must(ws_profile_create(&t->profile, h, &err), &err);
    ws_bias_set(&t->bias, h);
    t->gate = (ws_gate){-INFINITY, 0, 1};
}

/* Sequences and length models. sample_add returns where the L codes go; then sample_ready sets lm and seqs. */
typedef struct sample_batch {
    ws_batch b; /* its words are the caller's */
    ws_buf codes, scratch;
    ws_lenmodel *lm;
    size_t lm_cap;
    ws_seqs seqs;
} sample_batch;

static inline uint8_t *sample_add(sample_batch *s, size_t L) {
    ws_err err = {0};
    size_t bytes = 6 * ws_batch_words(L);
    sample_must(ws_grow(&s->b.first, &s->b.first_cap, s->b.n + 1, sizeof *s->b.first, &err), &err);
    sample_must(ws_grow(&s->b.len, &s->b.len_cap, s->b.n + 1, sizeof *s->b.len, &err), &err);
    sample_must(ws_buf_reserve(&s->codes, bytes + 64, &err), &err);
    uint8_t *x = (uint8_t *)s->codes.p + s->codes.n;
    memset(x, WS_CODE_PAD, bytes);
    s->b.first[s->b.n] = s->codes.n / 6;
    s->b.len[s->b.n++] = (uint32_t)L;
    s->b.residues += L;
    s->codes.n += bytes;
    return x;
}

static inline void sample_ready(sample_batch *s) {
    ws_err err = {0};
    sample_must(ws_grow(&s->lm, &s->lm_cap, s->b.n, sizeof *s->lm, &err), &err);
    for (size_t i = 0; i < s->b.n; i++)
        if (s->b.len[i]) ws_lenmodel_set(&s->lm[i], s->b.len[i]);
    s->seqs = ws_seqs_of(&s->b, (const uint8_t *)s->codes.p);
    s->seqs.perseq = s->lm;
    s->seqs.identity = ws_dev_identity();
}

/* Sequences item[0..n), or the first n, as filters take them. */
static inline ws_seqlist sample_list(const sample_batch *s, const uint32_t *item, size_t n) {
    return ws_seqlist_of(&s->seqs, item, n);
}

/* The scores of such a list. */
static inline void sample_scores(sample_batch *s, const ws_body *body, const ws_hmm_target *t, const uint32_t *item,
                                 size_t n, ws_fscore *out) {
    ws_err err = {0};
    ws_filter *f;
    const ws_seqlist list = sample_list(s, item, n);
    memset(out, 0x55, n * sizeof *out);
    sample_must(ws_filter_create(&f, body, &t->profile, &err), &err);
    sample_must(ws_filter_scores(f, &list, out, &s->scratch, &err), &err);
    ws_filter_destroy(f);
}

static inline void sample_batch_release(sample_batch *s) {
    ws_free(s->b.first);
    ws_free(s->b.len);
    ws_buf_release(&s->codes);
    ws_free(s->lm);
    ws_buf_release(&s->scratch);
}

#endif
