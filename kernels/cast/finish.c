/* SPDX-License-Identifier: MIT
 * Numbers that follow from a model's parameters: relative entropy, composition, MAXL; what follows the calibration.
 * Specification build.md, sections 1, 9.2, 9.3 and 10.3. */
#include <math.h>
#include <string.h>

#include "kernels/cast/tables.h"
#include "kernels/long/long.h"
#include "lib/simd/flush.h"

void ws_build_set_gaps(ws_hmm *h, const ws_build_settings *s, int open, int extend) {
    for (int k = 0; k <= h->M; k++) {
        float *t = h->tr + (size_t)k * WS_NTRANS;
        if (open) {
            t[WS_TMM] = (float)(1.0 - 2.0 * s->popen);
            t[WS_TMI] = t[WS_TMD] = (float)s->popen;
        }
        if (extend) {
            t[WS_TIM] = t[WS_TDM] = (float)(1.0 - s->pextend);
            t[WS_TII] = t[WS_TDD] = (float)s->pextend;
        }
    }
    float *last = h->tr + (size_t)h->M * WS_NTRANS;
    if (open) last[WS_TMM] = (float)(1.0 - s->popen);
    last[WS_TMD] = last[WS_TDD] = 0.0f;
    last[WS_TDM] = 1.0f;
}

/* Adds what a visit to match state k and the insert state behind it emits. */
static void add_node(const ws_hmm *h, size_t k, float match, float *to) {
    const size_t K = (size_t)h->abc->K;
    const float *t = h->tr + k * WS_NTRANS, insert = k ? (match * t[WS_TMI]) / t[WS_TIM] : t[WS_TMI] / t[WS_TIM];
    const float *i = h->made && h->made->ins ? h->made->ins + k * K : h->abc->background;
    for (size_t x = 0; x < K; x++) {
        if (k) to[x] += h->mat[k * K + x] * match;
        to[x] += i[x] * insert;
    }
}

void ws_build_composition(ws_hmm *h) {
    float match = 0.0f;
    for (int x = 0; x < h->abc->K; x++) h->compo[x] = 0.0f;
    add_node(h, 0, match, h->compo);
    for (size_t k = 1; k <= (size_t)h->M; k++) {
        const float *t = h->tr + (k - 1) * WS_NTRANS;
        if (k == 1) match = t[WS_TMI] + t[WS_TMM];
        else
            match = (float)((double)(match * (t[WS_TMM] + t[WS_TMI])) + (1.0 - (double)match) * (double)t[WS_TDM]);
        add_node(h, k, match, h->compo);
    }
    ws_build_norm(h->compo, (size_t)h->abc->K);
}

/* Sets MAXL of a model of nucleotides (section 9.3), and nothing of proteins. Returns WS_ENOMEM on failure. */
static int set_maxl(const ws_build_settings *s, ws_hmm *h, ws_err *err) {
    uint32_t maxl;
    if (h->abc->type == WS_ABC_AMINO) return WS_OK;
    if (!s->w_length && !(s->w_beta > 0.0)) {
        h->maxl = h->M < INT32_MAX / 4 ? 4 * h->M : INT32_MAX;
        return WS_OK;
    }
    const ws_long_options o = {.w_length = (uint32_t)s->w_length, .w_beta = s->w_beta};
    int rc = ws_long_maxl(h, &o, &maxl, err);
    if (!rc) h->maxl = (int32_t)maxl;
    return rc;
}

/* Gives masked nodes the emissions of the background, but for the last node, as HMMER does. */
static void mask(ws_hmm *h) {
    const size_t K = (size_t)h->abc->K;
    const char *line = h->note[WS_NOTE_MM];
    for (size_t k = 1; line && k < (size_t)h->M; k++)
        if (line[k] == 'm') memcpy(h->mat + k * K, h->abc->background, K * sizeof *h->mat);
}

int ws_build_finish(const ws_builder *b, ws_hmm *h, ws_err *err) {
    const ws_build_settings *s = &b->set;
    const uint32_t before = ws_flush_begin();
    mask(h);
    const int rc = set_maxl(s, h, err);
    if (!h->made->from_sequence && (s->fix_open || s->fix_extend)) ws_build_set_gaps(h, s, s->fix_open, s->fix_extend);
    if (h->note[WS_NOTE_MM]) h->made->entropy = ws_build_entropy(h->mat, h->M, h->abc); /* else it is the draft's */
    h->hash = ws_hmm_hash(h);
    ws_flush_end(before);
    return rc;
}

int ws_build_complete(const ws_builder *b, ws_hmm *h, ws_err *err) {
    const int rc = ws_build_calibrate(b, h, err);
    return rc ? rc : ws_build_finish(b, h, err);
}
