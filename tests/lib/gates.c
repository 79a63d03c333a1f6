/* SPDX-License-Identifier: MIT
 * Scores for a caller with a gate: each width of SSV and MSV beside the definition, and which pairs a task keeps.
 * Alarms are at the heights of the pairs and beside them, in models of one block and of several. */
#include "kernels/filter/backend.h"
#include "kernels/msv/msv.h"
#include "kernels/ssv/ssv.h"
#include "tests/lib/worked.h"

#include <string.h>

enum { PAIRS = 90, GATES = 16 };

typedef struct model {
    ws_hmm h;
    ws_hmm_target data;
    ws_bytes b;
    sample_batch s;
    int best[PAIRS];                  /* the height of each sequence */
    ws_fscore ssv[PAIRS], msv[PAIRS]; /* by the definition */
} model;

/* Writes the likeliest residues of nodes on both sides of the end of a first block of AVX-512, if there are several. */
static void cross_blocks(const ws_hmm *h, uint8_t *x, size_t L, size_t n) {
    const size_t M = (size_t)h->M, blocks = (M + 1535) / 1536, Q = (M + 64 * blocks - 1) / (64 * blocks);
    if (blocks < 2) return;
    for (size_t j = 0; j < ws_min(n, L); j++) {
        const float *p = h->mat + (64 * Q - n / 2 + j) * 20;
        for (uint8_t c = x[j] = 0; c < 20; c++)
            if (p[c] > p[x[j]]) x[j] = c;
    }
}

/* Random sequences, many with some residues of the model, whose heights are near 64; homologs; and three without
 * residues. */
static void open_model(model *m, sample *r, int M) {
    ws_err err = {0};
    *m = (model){.best = {0}};
    sample_model(&m->h, r, M, 0.01);
    sample_target(&m->data, &m->h);
    sample_must(ws_bytes_create(&m->b, &m->data.profile, &err), &err);
    for (int i = 0; i < PAIRS; i++) {
        const size_t L = i % 29 == 7 ? 0 : (size_t)(1 + sample_below(r, i % 5 ? 300 : 30));
        uint8_t *x = sample_add(&m->s, L);
        for (size_t j = 0; j < L; j++) x[j] = sample_residue(r, m->h.abc);
        if (i % 3 && L) sample_homolog(r, &m->h, x, ws_min(L, (size_t)(3 + sample_below(r, 9))));
        if (i % 2) cross_blocks(&m->h, x, L, (size_t)(4 + sample_below(r, 7)));
        if (i % 12 == 1 && L) sample_homolog(r, &m->h, x, L);
    }
    sample_ready(&m->s);
    for (size_t i = 0; i < PAIRS; i++) m->best[i] = ws_ssv_best_ref(&m->b, ws_seqs_codes(&m->s.seqs, i), m->s.b.len[i]);
    sample_scores(&m->s, &ws_ssv_scalar, &m->data, NULL, PAIRS, m->ssv);
    sample_scores(&m->s, &ws_msv_scalar, &m->data, NULL, PAIRS, m->msv);
}

static void close_model(model *m) {
    ws_bytes_destroy(&m->b);
    ws_profile_destroy(&m->data.profile);
    sample_model_release(&m->h);
    sample_batch_release(&m->s);
}

/* Sets a gate at the score of a pair, or just above it, now and then with a part for each residue. Every other gate is
 * that of a height from 62 to 82, if there is one. One in six rejects nothing. */
static void choose_gate(model *m, sample *r) {
    size_t i = 0, tries = 0;
    const int near = sample_below(r, 2);
    do i = (size_t)sample_below(r, PAIRS);
    while (!isfinite(m->ssv[i].nats) || (near && tries++ < 1000 && (m->best[i] < 62 || m->best[i] > 82)));
    const float each = sample_below(r, 4) ? 0 : 0.01f, beside = sample_below(r, 2) ? 0 : 0.12f;
    m->data.gate = (ws_gate){m->ssv[i].nats - m->s.lm[i].null_nats + each * (float)m->s.lm[i].L + beside, each, 1};
    if (sample_below(r, 6) == 0) m->data.gate.least = -INFINITY;
}

static int same(ws_fscore a, ws_fscore b) { return memcmp(&a, &b, sizeof a) == 0; }

static int rejected(const model *m, size_t i, ws_fscore truth) {
    return !m->s.b.len[i] || (truth.status != WS_F_OPEN &&
                              ws_gate_fails(&m->data.gate, truth.nats - m->s.lm[i].null_nats, m->s.b.len[i]));
}

typedef struct totals {
    int lost;   /* pairs that the gate keeps, without their score */
    int other;  /* rejected pairs with something else than their score or minus infinity */
    int spared; /* pairs with minus infinity */
    int late;   /* pairs that were spared in spite of an alarm, and the reverse */
    int n;
} totals;

/* Returns the height that gives an alarm where a body uses them: bit 6 tells of 64. */
static int alarm_of(int least) { return least > 64 && least <= 80 ? 64 : least; }

static void check_body(model *m, const ws_body *body, const ws_fscore *truth, sample *r, totals *sum) {
    ws_err err = {0};
    ws_filter *f;
    uint32_t item[PAIRS];
    ws_fscore out[PAIRS];
    sample_must(ws_filter_create(&f, body, &m->data.profile, &err), &err);
    for (size_t j = 0; j < PAIRS; j++) item[j] = (uint32_t)sample_below(r, PAIRS);
    ws_seqlist list = sample_list(&m->s, item, PAIRS);
    list.gate = &m->data.gate;
    memset(out, 0x55, sizeof out);
    sample_must(ws_filter_scores(f, &list, out, &m->s.scratch, &err), &err);
    for (size_t j = 0; j < PAIRS; j++, sum->n++) {
        const size_t i = item[j];
        const ws_lenmodel *lm = &m->s.lm[i];
        const int spared = m->s.b.len[i] && same(out[j], (ws_fscore){-INFINITY, WS_F_OK});
        const float least = m->data.gate.least - m->data.gate.each * (float)lm->L;
        sum->lost += !rejected(m, i, truth[i]) && !same(out[j], truth[i]);
        sum->other += !spared && !same(out[j], truth[i]);
        sum->spared += spared;
        if (m->s.b.len[i])
            sum->late += spared != (m->best[i] < alarm_of(ws_ssv_least(&m->b, lm->tjb, lm->null_nats, least)));
    }
    ws_filter_destroy(f);
}

/* A task without room for kept items has every score; with it, those of the pairs that the gate keeps, in order. */
static void check_task(model *m, const ws_body *body, sample *r, totals *sum) {
    ws_err err = {0};
    ws_filter *f;
    uint32_t item[PAIRS], room[PAIRS];
    ws_fscore out[PAIRS];
    ws_kept kept = {room, SIZE_MAX};
    const int whole = sample_below(r, 2), tells = sample_below(r, 2);
    for (size_t j = 0; j < PAIRS; j++) item[j] = whole ? (uint32_t)j : (uint32_t)sample_below(r, PAIRS);
    sample_must(ws_filter_create(&f, body, &m->data.profile, &err), &err);
    ws_filter_set_gate(f, &m->data.gate);
    const ws_task task = {
        .prep = f, .item = whole ? NULL : item, .n = PAIRS, .score = out, .kept = tells ? &kept : NULL};
    sample_must(ws_filter_score_tasks(&m->s.seqs, &task, 1, &m->s.scratch, &err), &err);
    sum->other += (kept.n == SIZE_MAX) != (!tells || m->data.gate.least == -INFINITY);
    size_t at = 0;
    for (size_t j = 0; j < PAIRS; j++, sum->n++) {
        const int has = kept.n == SIZE_MAX || (at < kept.n && room[at] == item[j]);
        sum->lost += !has && !rejected(m, item[j], m->msv[item[j]]);
        if (has) sum->other += !same(out[at++], m->msv[item[j]]);
        else sum->spared++;
    }
    sum->other += kept.n != SIZE_MAX && at != kept.n;
    ws_filter_destroy(f);
}

static void report(tap *t, const char *name, const char *width, const totals *sum) {
    tap_ok(t, sum->lost == 0 && sum->other == 0, "%s %s: %d pairs, %d spared, %d lost, %d other", name, width, sum->n,
           sum->spared, sum->lost, sum->other);
}

int main(void) {
    static const ws_body *const ssv[] = {WS_BY_WIDTH(ws_ssv_)}, *const msv[] = {WS_BY_WIDTH(ws_msv_)};
    static const int size[] = {1,   2,   31,  63,  64,   65,   127,  129,  192, 250,
                               384, 449, 640, 1024, 1535, 1536, 1537, 2405, 3100};
    tap t = {0};
    sample r = worked_seed();
    totals by_ssv[WS_NWIDTH] = {{0}}, by_msv[WS_NWIDTH] = {{0}}, by_task[WS_NWIDTH] = {{0}};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        model m;
        open_model(&m, &r, size[i]);
        for (int g = 0; g < GATES; g++) {
            choose_gate(&m, &r);
            for (int w = 0; w < WS_NWIDTH; w++) {
                if (cpu.why_not[w] || (g > 0 && w == WS_WIDTH_scalar)) continue;
                check_body(&m, ssv[w], m.ssv, &r, &by_ssv[w]);
                check_body(&m, msv[w], m.msv, &r, &by_msv[w]);
                check_task(&m, msv[w], &r, &by_task[w]);
            }
        }
        close_model(&m);
    }
    for (int w = 0; w < WS_NWIDTH; w++) {
        if (cpu.why_not[w]) continue;
        report(&t, "ssv", ws_width_name[w], &by_ssv[w]);
        report(&t, "msv", ws_width_name[w], &by_msv[w]);
        report(&t, "tasks", ws_width_name[w], &by_task[w]);
        tap_ok(&t, by_ssv[w].late == 0 || (by_ssv[w].spared == 0 && strcmp(ws_width_name[w], "avx512")),
               "%s spares all pairs without an alarm, or none: %d, not %d", ws_width_name[w],
               by_ssv[w].spared, by_ssv[w].late);
    }
    return tap_end(&t);
}
