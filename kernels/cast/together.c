/* SPDX-License-Identifier: MIT
 * Calibration of many models together on devices: Viterbi and Forward, which are nearly all of its time. MSV and the
 * fits stay with the processor. Devices hold the tables of the models of one call only. Specification build.md,
 * section 3. */
#include "kernels/cast/tables.h"
#include "kernels/dom/device.h"
#include "kernels/vit/vit.h"
#include "lib/hmm/target.h"
#include "lib/simd/flush.h"

#include <string.h>

/* A model of a call, with what the filters want of it. */
typedef struct entry {
    ws_build_load *load;
    ws_hmm_target target; /* of Viterbi: with the profile */
    void *viterbi;
    ws_dom_tables *forward;
    ws_build_bits bits;
} entry;

/* Notes a fault of the model itself, and returns any other failure. */
static int note(entry *e, int rc, const ws_err *err) {
    if (rc != WS_EDATA) return rc;
    *e->load->fault = *err;
    return WS_OK;
}

static int is_well(const entry *e) { return !e->load->fault->code; }

static int prepare(const ws_builder *b, entry *e, ws_err *err) {
    const ws_target target = {.name = e->load->h->name, .qlen = (uint64_t)e->load->h->M, .data = &e->target};
    ws_profile *p = &e->target.profile;
    int rc = ws_profile_create(p, e->load->h, err);
    if (!rc) rc = ws_build_bits_create(&e->bits, b, err);
    if (!rc) rc = ws_build_filter_bits(b, WS_BUILD_MSV, p, e->bits.of[WS_BUILD_MSV], err);
    if (!rc) rc = ws_vit_cuda.prepare(&ws_vit_cuda, &target, &e->viterbi, err);
    if (!rc) rc = ws_dom_tables_create(&e->forward, p, 0.0f, 0.0f, err);
    return note(e, rc, err);
}

static void release(entry *e) {
    ws_dom_tables_destroy(e->forward);
    if (e->viterbi) ws_vit_cuda.release(e->viterbi);
    ws_build_bits_release(&e->bits);
    ws_profile_destroy(&e->target.profile);
}

static int score_viterbi(const ws_builder *b, entry *e, size_t n, ws_err *err) {
    const ws_build_random *r = &b->random[WS_BUILD_VITERBI];
    const ws_seqs seqs = {r->codes, r->word, r->nword, r->first, r->len, r->n, r->lm, r->identity};
    ws_task *task = ws_calloc(n, sizeof *task, err);
    ws_fscore *score = task ? ws_calloc(n * r->n, sizeof *score, err) : NULL;
    ws_buf scratch = {0};
    size_t m = 0;
    int rc = score ? WS_OK : err->code;
    for (size_t k = 0; k < n && !rc; k++)
        if (is_well(&e[k])) task[m++] = (ws_task){.prep = e[k].viterbi, .n = r->n, .score = score + k * r->n};
    if (!rc && m) rc = ws_vit_cuda.score(&seqs, task, m, &scratch, err);
    for (size_t k = 0; k < n && !rc; k++)
        if (is_well(&e[k]))
            ws_build_take_scores(b, WS_BUILD_VITERBI, score + k * r->n, e[k].bits.of[WS_BUILD_VITERBI]);
    ws_buf_release(&scratch);
    ws_free(score);
    ws_free(task);
    return rc;
}

/* Takes the scores of a model; what the device left undone, all of such a model, the processor computes. */
static int take_forward(const ws_builder *b, entry *e, const ws_dom_load *load, const float *nats, ws_err *err) {
    const size_t n = b->random[WS_BUILD_FORWARD].n;
    double *bits = e->bits.of[WS_BUILD_FORWARD];
    int done = 1;
    for (size_t i = 0; i < n; i++) done &= load[i].done;
    return note(e, done ? ws_build_take_nats(b, e->load->h, 0, nats, n, bits, err)
                        : ws_build_forward_bits(b, e->load->h, e->forward, bits, err), err);
}

static int score_forward(const ws_builder *b, entry *e, size_t n, ws_err *err) {
    const ws_build_random *r = &b->random[WS_BUILD_FORWARD];
    ws_dom_pair *pair = ws_calloc(r->n, sizeof *pair, err);
    ws_dom_load *load = pair ? ws_calloc(n * r->n, sizeof *load, err) : NULL;
    float *nats = load ? ws_calloc(n * r->n, sizeof *nats, err) : NULL;
    size_t m = 0;
    int rc = nats ? WS_OK : err->code;
    for (size_t i = 0; i < r->n && !rc; i++)
        ws_dom_pair_begin(&pair[i], r->codes + WS_RESIDUES_PER_WORD * r->first[i], &r->lm[i]);
    for (size_t k = 0; k < n && !rc; k++)
        for (size_t i = 0; i < r->n && is_well(&e[k]); i++)
            load[m++] = (ws_dom_load){.t = e[k].forward, .span.pair = &pair[i]};
    if (!rc && m) rc = ws_dom_device_targets(load, m, nats, err);
    for (size_t k = 0, at = 0; k < n && !rc; k++) {
        if (!is_well(&e[k])) continue;
        rc = take_forward(b, &e[k], load + at, nats + at, err);
        at += r->n;
    }
    ws_free(nats);
    ws_free(load);
    ws_free(pair);
    return rc;
}

static int calibrate_some(const ws_builder *b, entry *e, size_t n, ws_err *err) {
    int rc = WS_OK;
    for (size_t k = 0; k < n && !rc; k++)
        if (is_well(&e[k])) rc = prepare(b, &e[k], err);
    if (!rc) rc = score_viterbi(b, e, n, err);
    if (!rc) rc = score_forward(b, e, n, err);
    for (size_t k = 0; k < n && !rc; k++)
        if (is_well(&e[k])) rc = note(&e[k], ws_build_fit(b, e[k].load->h, &e[k].bits, err), err);
    return rc;
}

int ws_build_calibrate_together(const ws_builder *b, ws_build_load *load, size_t n, ws_err *err) {
    enum { PAIRS = 1 << 17 }; /* of a call, which bounds its memory */
    const size_t random = ws_max(b->random[WS_BUILD_VITERBI].n, b->random[WS_BUILD_FORWARD].n);
    const size_t most = ws_max(PAIRS / random, 1);
    if (!ws_vit_cuda.prepare) return ws_fail(err, WS_EDEV, "this build has no CUDA");
    entry *e = ws_calloc(n, sizeof *e, err);
    if (!e) return err->code;
    const uint32_t before = ws_flush_begin();
    int rc = WS_OK;
    for (size_t k = 0; k < n; k++) e[k].load = &load[k];
    for (size_t k = 0; k < n && !rc; k += most) rc = calibrate_some(b, e + k, ws_min(most, n - k), err);
    for (size_t k = 0; k < n; k++) release(&e[k]);
    ws_flush_end(before);
    ws_free(e);
    return rc;
}
