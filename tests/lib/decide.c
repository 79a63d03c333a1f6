/* SPDX-License-Identifier: MIT
 * The decision about pairs: ws_cascade_decide, which turns most away at a gate, against the specification's questions
 * asked of every pair, at scores around each threshold; and the bound on the bias filter that the gate of vit and fwd
 * rests on. */
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include "bin/filters/cutoffs.h"
#include "lib/hmm/evalue.h"
#include "lib/hmm/fscore.h"

static const ws_filtercol bits_and_p[] = {{"bits", WS_COL_BITS, ws_filtercol_bits, 0},
                                          {"p", WS_COL_P, ws_filtercol_p, 0}};
static const ws_names columns = WS_NAMES(bits_and_p);
static const ws_stage stages[] = {
    {.columns = &columns, .default_p = 0.02, .mu = WS_MMU, .lambda = WS_MLAMBDA},
    {.columns = &columns, .default_p = 0.02, .mu = WS_MMU, .lambda = WS_MLAMBDA, .bias = 1, .uncorrected_first = 1},
    {.columns = &columns, .default_p = 0.001, .mu = WS_VMU, .lambda = WS_VLAMBDA, .bias = 1, .may_skip = 1},
    {.columns = &columns, .default_p = 1e-5, .mu = WS_FTAU, .lambda = WS_FLAMBDA, .tail = 1, .bias = 1}};
static const char *const stage_name[] = {"ssv", "msv", "vit", "fwd"};
enum { NSTAGE = sizeof stages / sizeof stages[0], NSEQ = 24, EACH = 60, ROUNDS = 300 };

/* Section 12.2, one question after the other. */
static int passes(const ws_cascade *c, const ws_hmm *hmm, const ws_fscore *s, const ws_lenmodel *lm, float filtersc,
                  float *p_bits) {
    const ws_stage *st = c->stage;
    const ws_cascade_opts *o = c->opts;
    const int with_bias = st->bias && !o->nobias;
    const float *ev = hmm->evparam, bits = ws_bits(s->nats, lm->null_nats);
    const float corrected = with_bias ? ws_bits(s->nats, filtersc) : bits;
    *p_bits = corrected;
    int pass = !(o->bits_given && bits < o->bits);
    const float asked[2] = {bits, corrected};
    for (int i = st->uncorrected_first || !with_bias ? 0 : 1; i < (with_bias ? 2 : 1); i++) {
        const double p = st->tail ? ws_exp_p(asked[i], ev[st->mu], ev[st->lambda])
                                  : ws_gumbel_p(asked[i], ev[st->mu], ev[st->lambda]);
        const int ok = !(p > c->max_p) && !(o->evalue_given && p * o->z > o->evalue);
        pass = i == 0 && s->status == WS_F_OPEN ? 1 : pass && ok;
    }
    return pass;
}

static void sample_options(ws_cascade *c, ws_cascade_opts *o, sample *r, ws_hmm *hmm) {
    static const double p[] = {0.5, 0.02, 1e-3, 1e-5, 4e-9, 6e-9, 1e-40, 0.998, 0.9999, 1, 0};
    *o = (ws_cascade_opts){.p = p[sample_below(r, sizeof p / sizeof *p)], .nobias = sample_below(r, 4) == 0};
    o->bits_given = sample_below(r, 3) == 0;
    o->bits = 30 * sample_unit(r) - 10;
    o->evalue_given = sample_below(r, 4) == 0;
    o->z = exp(15 * sample_unit(r));
    o->evalue = exp(10 * sample_unit(r) - 8);
    c->max_p = o->bits_given && sample_below(r, 2) ? HUGE_VAL : o->p;
    for (int i = 0; i < WS_NEVPARAM; i++)
        hmm->evparam[i] = (float)(i % 2 ? 0.69 + 0.03 * sample_unit(r) : -12 + 10 * sample_unit(r));
}

/* Scores around where the answer changes: found by halving, then singles beside it and some a little further off. */
static void random_scores(ws_fscore *out, const ws_cascade *c, const ws_hmm *hmm, const ws_lenmodel *lm, float filtersc,
                          sample *r) {
    float low = -1000, high = 1000, unused;
    for (int i = 0; i < 60; i++) {
        const float mid = low + (high - low) / 2;
        if (passes(c, hmm, &(ws_fscore){mid, WS_F_OK}, lm, filtersc, &unused)) high = mid;
        else low = mid;
    }
    for (int j = 0; j < EACH; j++) {
        float x = sample_below(r, 2) ? low : high;
        if (j < EACH / 3)
            for (int step = sample_below(r, 20); step-- > 0;) x = nextafterf(x, j % 2 ? -2000 : 2000);
        else
            x += (float)((sample_unit(r) - 0.5) * pow(10, 1 - sample_below(r, 6)));
        out[j] = (ws_fscore){x, WS_F_OK};
    }
    out[0] = (ws_fscore){INFINITY, WS_F_OVERFLOW};
    out[1] = (ws_fscore){-INFINITY, WS_F_UNDERFLOW};
    if (!c->stage->bias) out[2].status = WS_F_OPEN;
}

/* The first has no residues; of some, one residue is most of it. */
static void sample_sequences(sample_batch *s, const ws_abc *abc, sample *r) {
    for (int i = 0; i < NSEQ; i++) {
        const size_t L = i ? (size_t)(1 + sample_below(r, i < 20 ? 300 : 3000)) : 0;
        const int one = sample_below(r, 3) ? -1 : sample_below(r, abc->Kp);
        uint8_t *x = sample_add(s, L);
        for (size_t j = 0; j < L; j++) x[j] = (uint8_t)(one >= 0 && sample_below(r, 3) ? one : sample_residue(r, abc));
    }
    sample_ready(s);
}

/* One model of each stage, options and sequences at random. */
static int round_differs(const ws_stage *st, sample *r, size_t *kept, size_t *away) {
    ws_err err = {0};
    ws_hmm hmm;
    ws_hmm_target model;
    ws_cascade_opts opts;
    sample_batch s = {0};
    ws_hits hits = {0};
    static uint32_t item[NSEQ * EACH];
    static ws_fscore score[NSEQ * EACH];
    static float hint[NSEQ * EACH];
    sample_model(&hmm, r, 1 + sample_below(r, 400), 0);
    sample_target(&model, &hmm);
    ws_cascade c = {.stage = st, .opts = &opts, .model = &model};
    sample_options(&c, &opts, r, &hmm);
    model.gate = ws_gate_make(&c, &hmm);
    ws_target target = {.name = "random", .qlen = (uint64_t)hmm.M, .data = &model};
    ws_scan scan = {0};
    ws_job job = {.target = &target, .ntarget = 1, .reader_opts = &scan, .data = &c};
    ws_cpu_probe(&job.machine.cpu);
    sample_sequences(&s, hmm.abc, r);
    const ws_lenmodel *lm = s.lm;
    float filtersc[NSEQ] = {0};
    for (uint32_t i = 0; i < NSEQ; i++) {
        if (i) filtersc[i] = ws_bias_score(&model.bias, &lm[i], ws_seqs_codes(&s.seqs, i), s.b.len[i]);
        random_scores(score + i * EACH, &c, &hmm, &lm[i], filtersc[i], r);
        const float sum = i ? ws_bias_sum(&model.bias, &lm[i], ws_seqs_codes(&s.seqs, i), s.b.len[i]) : NAN;
        for (size_t j = i * EACH; j < (i + 1) * EACH; j++) {
            item[j] = i;
            hint[j] = sample_below(r, 2) ? sum : NAN;
        }
    }
    const ws_scan_worker worker = {.scratch = &s.scratch, .seqs = s.seqs, .value = s.lm};
    const ws_task task = {.item = item, .n = NSEQ * EACH, .score = score, .hint = sample_below(r, 2) ? hint : NULL};
    sample_must(ws_cascade_decide(&job, &s.b, &task, NULL, &worker, &hits, &err), &err);
    size_t at = 0, differ = 0;
    for (size_t j = 0; j < task.n; j++) {
        const size_t i = item[j];
        float bits;
        if (i == 0) continue; /* no residues: never a hit */
        *away += ws_gate_fails(&model.gate, score[j].nats - lm[i].null_nats, lm[i].L);
        if (!passes(&c, &hmm, &score[j], &lm[i], filtersc[i], &bits)) continue;
        const double want = ws_cutoffs_p(&hmm, st->mu, st->lambda, st->tail, bits);
        differ += at >= hits.n || hits.hit[at].seq != i || memcmp(&hits.hit[at].value[1], &want, sizeof want);
        at++;
    }
    differ += at != hits.n;
    *kept += at;
    if (differ)
        tap_note("M %d, -P %g, bits %g (%d), E %g Z %g (%d), gate %.9g %.9g: %zu of %zu hits differ", hmm.M, c.max_p,
                 opts.bits, opts.bits_given, opts.evalue, opts.z, opts.evalue_given, (double)model.gate.least,
                 (double)model.gate.each, differ, at);
    ws_free(hits.hit);
    sample_batch_release(&s);
    ws_profile_destroy(&model.profile);
    sample_model_release(&hmm);
    return differ > 0;
}

/* How far the correction goes up, against what ws_gate_make allows for. */
static void check_bound(tap *t, sample *r) {
    enum { MOST = 200000 };
    ws_err err = {0};
    uint8_t *x = ws_calloc(MOST, 1, &err);
    double closest = HUGE_VAL;
    for (int round = 0; x && round < 400; round++) {
        ws_hmm h;
        ws_bias bias;
        ws_lenmodel lm;
        sample_model(&h, r, 1 + sample_below(r, round % 3 ? 40 : 3000), 0);
        if (round % 8 == 0) memset(h.compo, 0, sizeof h.compo);
        if (round % 8 == 1) /* one residue is all */
            for (int c = 0; c < 20; c++) h.compo[c] = c == 7;
        ws_bias_set(&bias, &h);
        const size_t L = (size_t)(1 + sample_below(r, round % 40 ? round * 10 + 1 : MOST));
        uint8_t one = sample_residue(r, h.abc);
        for (size_t i = 0; i < L; i++) { /* stretches of one residue and of many, so that the sum goes up and down */
            if (sample_below(r, 400) == 0) one = sample_below(r, 2) ? 7 : sample_residue(r, h.abc);
            x[i] = sample_below(r, 2) || round % 4 == 1 ? one : sample_residue(r, h.abc);
        }
        ws_lenmodel_set(&lm, (uint32_t)L);
        const double up = (double)lm.null_nats - (double)ws_bias_score(&bias, &lm, x, L);
        closest = fmin(closest, WS_BIAS_MOST + WS_BIAS_MOST_EACH * (double)L - up);
        sample_model_release(&h);
    }
    ws_free(x);
    tap_ok(t, closest > 0 && closest < 0.1,
           "the bias filter is never below the null score by more than is allowed for: %g to spare", closest);
}

/* The bias that a row of packed pairs carries is taken where it is said to be exact, and only there: the rows lie about
 * theirs. */
static void check_carried(tap *t, sample *r, ws_cellform form) {
    static char name[] = "bias_bits", *column[] = {name};
    ws_err err = {0};
    ws_hmm hmm;
    ws_hmm_target model;
    ws_cascade_opts opts = {0};
    ws_tsv_head head = {.present = 1, .pairs = 1, .column = column, .ncolumn = 1};
    ws_scan scan = {.all = 1, .head = &head};
    sample_batch s = {0};
    ws_hits hits = {0};
    uint32_t item[NSEQ], row[NSEQ];
    ws_fscore score[NSEQ];
    float lie[NSEQ];
    sample_model(&hmm, r, 150, 0);
    sample_target(&model, &hmm);
    ws_cascade c = {.stage = &stages[2], .opts = &opts, .model = &model, .max_p = 1};
    ws_target target = {.name = "random", .qlen = (uint64_t)hmm.M, .data = &model};
    ws_job job = {.target = &target, .ntarget = 1, .reader_opts = &scan, .data = &c};
    ws_cpu_probe(&job.machine.cpu);
    sample_sequences(&s, hmm.abc, r);
    const ws_lenmodel *lm = s.lm;
    ws_blockcol col = {.form = (uint8_t)form};
    s.b.col = &col;
    s.b.ncolumn = s.b.nblock = s.b.has_rows = 1;
    for (uint32_t i = 0; i < NSEQ; i++) {
        const ws_row at = {.seq = i, .number = 0, .place = i};
        item[i] = row[i] = i;
        score[i] = (ws_fscore){(float)(3 + 4 * sample_unit(r)), WS_F_OK};
        lie[i] = lm[i].null_nats + (float)(0.4 * sample_unit(r));
        const float bits = ws_bits(lie[i], lm[i].null_nats);
        sample_must(ws_batch_add_row(&s.b, &at, &err), &err);
        sample_must(ws_buf_add(&s.b.raw, &bits, sizeof bits, &err), &err);
    }
    const ws_scan_worker worker = {.scratch = &s.scratch, .seqs = s.seqs, .value = s.lm};
    const ws_task task = {.item = item, .n = NSEQ, .score = score};
    sample_must(ws_cascade_decide(&job, &s.b, &task, row, &worker, &hits, &err), &err);
    size_t differ = hits.n != NSEQ;
    for (size_t i = 1; i < NSEQ && !differ; i++) {
        const float real = ws_bias_score(&model.bias, &lm[i], ws_seqs_codes(&s.seqs, i), s.b.len[i]);
        const float null2 = form == WS_CELL_EXACT32 ? lie[i] : real;
        const double want = ws_cutoffs_p(&hmm, WS_VMU, WS_VLAMBDA, 0, ws_bits(score[i].nats, null2));
        differ += memcmp(&hits.hit[i].value[1], &want, sizeof want) != 0;
    }
    tap_ok(t, !differ, "a bias of form %d is %s", form, form == WS_CELL_EXACT32 ? "taken as it is" : "computed again");
    s.b.col = NULL;
    ws_free(s.b.row);
    ws_buf_release(&s.b.raw);
    ws_free(hits.hit);
    sample_batch_release(&s);
    ws_profile_destroy(&model.profile);
    sample_model_release(&hmm);
}

/* A score comes back from its bits, or is said to be lost, and those that are corrected a little come back. */
static void check_undo(tap *t, sample *r) {
    size_t wrong = 0, lost = 0;
    for (int i = 0; i < 300000; i++) {
        ws_lenmodel lm;
        ws_lenmodel_set(&lm, (uint32_t)(1 + sample_below(r, i % 10 ? 2000 : 4000000)));
        const int small = i % 3 > 0;
        const float score = lm.null_nats + (float)((small ? 1 : 40) * sample_unit(r) - (i % 3 == 1));
        const float back = ws_bits_undo(ws_bits(score, lm.null_nats), lm.null_nats);
        wrong += !isnan(back) && back != score;
        lost += isnan(back) && small && lm.L > 50;
    }
    wrong += !isnan(ws_bits_undo(INFINITY, -6)) + !isnan(ws_bits_undo(NAN, -6)) + !isnan(ws_bits_undo(0.1f, -6));
    tap_ok(t, !wrong && !lost, "scores from their bits: %zu wrong, %zu of a small correction lost", wrong, lost);
}

int main(void) {
    const char *seed = getenv("WARPSIEVE_SEED");
    sample r = {seed ? strtoull(seed, NULL, 0) : 20240607};
    tap t = {0};
    tap_note("seed %llu", (unsigned long long)r.state);
    for (int i = 0; i < NSTAGE; i++) {
        size_t differ = 0, kept = 0, away = 0;
        for (int round = 0; round < ROUNDS; round++) differ += (size_t)round_differs(&stages[i], &r, &kept, &away);
        tap_ok(&t, differ == 0 && kept > 1000 && away > 1000,
               "%s: %zu pairs pass, %zu turned away at the gate, as the specification says", stage_name[i], kept, away);
    }
    check_bound(&t, &r);
    check_carried(&t, &r, WS_CELL_EXACT32);
    check_carried(&t, &r, WS_CELL_FIXED32);
    check_undo(&t, &r);
    return tap_end(&t);
}
