/* SPDX-License-Identifier: MIT
 * Speed of the CPU kernels: one row per kernel, backend and model, best of several passes over random proteins.
 *
 *     make build/bench/run/kernels && build/bench/run/kernels [-p passes] [-n sequences] [-k kernel] [-b backend]
 * [model.hmm ...]
 *
 * Without models: random ones of 100 to 2405 nodes. `sum` is a checksum of the scores; equal sums in the rows of one
 * kernel and model mean equal scores. `hmmer` is HMMER 3.4's figure for that M on one core (specification
 * profile-filters.md, section 17), where there is one, and `ratio` ours over it. */
#include "tests/lib/hmmread.h"
#include "tests/lib/sample.h"

#include "kernels/fwd/fwd.h"
#include "kernels/msv/msv.h"
#include "kernels/vit/vit.h"
#include "kernels/ssv/ssv.h"

#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { NSIZE = 6 };
static const int model_size[NSIZE] = {100, 200, 400, 800, 1400, 2405};

typedef struct kernel {
    const char *name;
    const ws_body *by_width[WS_NWIDTH];
    double hmmer[NSIZE]; /* GCUPS */
    int full;            /* the MSV recursion alone: SSV is made hopeless by the length model and its time taken off */
    int gated;           /* for a caller whose gate rejects 98 of 100 pairs; then `sum` is that of the others */
} kernel;

static const kernel kernels[] = {
    {"ssv", {WS_BY_WIDTH(ws_ssv_)}, {26.9, 29.1, 30.8, 31.0, 31.2, 31.6}, 0, 0},
    {"gate", {WS_BY_WIDTH(ws_ssv_)}, {26.9, 29.1, 30.8, 31.0, 31.2, 31.6}, 0, 1},
    {"msv", {WS_BY_WIDTH(ws_msv_)}, {26.0, 29.1, 26.6, 30.0, 27.1, 29.3}, 0, 0},
    {"full", {WS_BY_WIDTH(ws_msv_)}, {8.3, 13.0, 18.8, 23.5, 28.0, 28.5}, 1, 0},
    {"vit", {WS_BY_WIDTH(ws_vit_)}, {3.9, 3.3, 3.2, 3.7, 3.2, 3.6}, 0, 0},
    {"fwd", {WS_BY_WIDTH(ws_fwd_)}, {0.81, 0.63, 0.75, 0.75, 0.69, 0.74}, 0, 0},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double hmmer_speed(const kernel *k, int M) {
    for (int i = 0; i < NSIZE; i++)
        if (model_size[i] == M) return k->hmmer[i];
    return 0;
}

/* Best time of several passes over the batch. gate: NULL, or what the caller rejects. */
static double best_time(const ws_body *body, const ws_hmm_target *t, sample_batch *s, int passes, const ws_gate *gate,
                        ws_fscore *score) {
    ws_err err = {0};
    ws_filter *f;
    ws_seqlist list = sample_list(s, NULL, s->b.n);
    list.gate = gate;
    sample_must(ws_filter_create(&f, body, &t->profile, &err), &err);
    double best = 1e9;
    for (int pass = 0; pass < passes; pass++) {
        double from = now();
        sample_must(ws_filter_scores(f, &list, score, &s->scratch, &err), &err);
        best = fmin(best, now() - from);
    }
    ws_filter_destroy(f);
    return best;
}

static void make_hopeless(sample_batch *s) {
    for (size_t i = 0; i < s->b.n; i++) s->lm[i].tjb = 127;
}

static float above_null(const sample_batch *s, const ws_fscore *score, size_t i) {
    return score[i].nats - s->lm[i].null_nats;
}

static int rising(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Returns a gate that rejects 98 of 100 pairs. */
static ws_gate gate_of(const ws_body *body, const ws_hmm_target *t, sample_batch *s, ws_fscore *score) {
    ws_err err = {0};
    float *above = ws_calloc(s->b.n, sizeof *above, &err);
    if (!above) sample_must(err.code, &err);
    best_time(body, t, s, 1, NULL, score);
    for (size_t i = 0; i < s->b.n; i++) above[i] = above_null(s, score, i);
    qsort(above, s->b.n, sizeof *above, rising);
    const ws_gate gate = {above[s->b.n - s->b.n / 50 - 1], 0, 1};
    ws_free(above);
    return gate;
}

static void measure(const kernel *k, int width, const ws_hmm_target *t, sample_batch *s, int passes, ws_fscore *score) {
    if (k->full) make_hopeless(s);
    ws_gate gate;
    if (k->gated) gate = gate_of(k->by_width[width], t, s, score);
    double seconds = best_time(k->by_width[width], t, s, passes, k->gated ? &gate : NULL, score);
    for (size_t i = 0; i < s->b.n && k->gated; i++)
        if (score[i].status == WS_F_OK && ws_gate_fails(&gate, above_null(s, score, i), s->b.len[i]))
            score[i] = (ws_fscore){0};
    const unsigned long long sum = XXH3_64bits(score, s->b.n * sizeof *score);
    if (k->full) {
        seconds -= best_time(kernels[0].by_width[width], t, s, passes, NULL, score);
        sample_ready(s);
    }
    double gcups = (double)s->b.residues * t->hmm->M / seconds * 1e-9, hmmer = hmmer_speed(k, t->hmm->M);
    printf("%-4s %-7s %6d %9.1f  %016llx", k->name, ws_width_name[width], t->hmm->M, gcups, sum);
    if (hmmer > 0) printf(" %7.2f %6.1f", hmmer, gcups / hmmer);
    printf("\n");
    fflush(stdout);
}

/* The bias filter does not depend on M: M residues a second instead of GCUPS. */
static void measure_bias(const char *name, ws_bias_scores_fn *fn, const ws_bias *bias,
                         sample_batch *s, int passes) {
    ws_err err = {0};
    const ws_seqlist list = sample_list(s, NULL, s->b.n);
    float *out = ws_calloc(s->b.n, sizeof *out, &err);
    double best = 1e9;
    for (int pass = 0; pass < passes; pass++) {
        double from = now();
        fn(bias, &list, out);
        best = fmin(best, now() - from);
    }
    const double speed = (double)s->b.residues / best * 1e-6, hmmer = 65;
    printf("bias %-7s %6s %7.0f/s  %016llx %7.2f %6.1f\n", name, "Mres", speed,
           (unsigned long long)XXH3_64bits(out, s->b.n * sizeof *out), hmmer, speed / hmmer);
    ws_free(out);
}

static void bench_bias(const ws_cpu *cpu, sample_batch *s, sample *r, int passes) {
    static ws_bias_scores_fn *const by_width[] = {WS_BY_WIDTH(ws_bias_scores_)};
    ws_hmm h;
    ws_bias bias;
    sample_model(&h, r, 400, 0);
    ws_bias_set(&bias, &h);
    for (int w = 0; w < WS_NWIDTH; w++)
        if (!cpu->why_not[w]) measure_bias(ws_width_name[w], by_width[w], &bias, s, passes);
    sample_model_release(&h);
}

typedef struct options {
    int passes, n;
    const char *kernel, *backend;
} options;

static void bench_model(const ws_hmm *h, const ws_cpu *cpu, sample_batch *s, const options *o) {
    ws_hmm_target data;
    sample_target(&data, h);
    ws_err err = {0};
    ws_fscore *score = ws_calloc(s->b.n, sizeof *score, &err);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const kernel *k = &kernels[i];
        if (o->kernel && strcmp(o->kernel, k->name)) continue;
        for (int w = 0; w < WS_NWIDTH; w++) {
            if (cpu->why_not[w]) continue;
            /* scalar takes minutes for what the others do in a second: only when asked for */
            if (o->backend ? strcmp(o->backend, ws_width_name[w]) != 0 : w == WS_WIDTH_scalar) continue;
            measure(k, w, &data, s, o->passes, score);
        }
    }
    ws_free(score);
    ws_profile_destroy(&data.profile);
}

/* Lengths like a proteome's: log-normal, mean about 450. */
static void fill(sample_batch *s, sample *r, int n) {
    for (int i = 0; i < n; i++) {
        double z = sqrt(-2 * log(1 - sample_unit(r))) * cos(6.283185307179586 * sample_unit(r));
        size_t L = (size_t)fmin(8000, fmax(30, exp(5.85 + 0.7 * z)));
        uint8_t *x = sample_add(s, L);
        for (size_t j = 0; j < L; j++) x[j] = sample_residue(r, ws_abc_get(WS_ABC_AMINO));
    }
    sample_ready(s);
}

int main(int argc, char **argv) {
    options o = {.passes = 5, .n = 2000};
    for (int c; (c = getopt(argc, argv, "p:n:k:b:")) != -1;) {
        if (c == 'p') o.passes = atoi(optarg);
        else if (c == 'n') o.n = atoi(optarg);
        else if (c == 'k') o.kernel = optarg;
        else if (c == 'b') o.backend = optarg;
        else return 2;
    }
    ws_cpu cpu;
    ws_err err = {0};
    ws_cpu_probe(&cpu);
    sample r = {1};
    sample_batch s = {0};
    fill(&s, &r, o.n);
    printf("# %zu sequences, %llu residues, best of %d passes\n", s.b.n, (unsigned long long)s.b.residues, o.passes);
    printf("# %-2s %-7s %6s %9s  %-16s %7s %6s\n", "", "backend", "M", "GCUPS", "sum", "hmmer", "ratio");
    if (!o.kernel || !strcmp(o.kernel, "bias")) bench_bias(&cpu, &s, &r, o.passes);
    for (int i = optind; i < argc; i++) {
        ws_hmmset set;
        sample_must(hmm_read(&set, argv[i], 1, &err), &err);
        for (size_t j = 0; j < set.n; j++) bench_model(&set.hmm[j], &cpu, &s, &o);
        ws_hmmset_release(&set);
    }
    for (int i = 0; i < NSIZE && optind == argc; i++) {
        ws_hmm h;
        sample_model(&h, &r, model_size[i], 0);
        bench_model(&h, &cpu, &s, &o);
        sample_model_release(&h);
    }
    sample_batch_release(&s);
    return 0;
}
