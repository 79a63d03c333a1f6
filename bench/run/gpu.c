/* SPDX-License-Identifier: MIT
 * Speed of the CUDA kernels with the data on the device: one row per kernel and model, best of several passes.
 *
 *     make build/bench/run/gpu && build/bench/run/gpu [-p passes] [-r million residues] [-k kernel] [-M size,...] [-f
 * FASTA]
 *
 * Random models; random proteins with lengths like a proteome's, or those of a file over and over until there are
 * enough. Models beyond what the device takes (M > 65536 in vit) have no place here.
 * Seconds are the device's own, around the kernels; cells are model nodes times residues, without padding. */
#include "tests/lib/sample.h"

#include "lib/dev/device.h"
#include "lib/hmm/fscore.h"

#include <time.h>
#include <unistd.h>
#include <xxhash.h>

extern const ws_backend ws_ssv_cuda, ws_msv_cuda, ws_vit_cuda, ws_fwd_cuda;
static const struct kernel {
    const char *name;
    const ws_backend *be;
    double passing; /* of random pairs, for a caller that wants the pairs alone that pass a gate; 0: wants all scores */
} kernels[] = {{"ssv", &ws_ssv_cuda, 0},        {"msv", &ws_msv_cuda, 0}, {"gate-0.02", &ws_msv_cuda, 0.02},
               {"gate-0.0005", &ws_msv_cuda, 0.0005}, {"vit", &ws_vit_cuda, 0}, {"fwd", &ws_fwd_cuda, 0}};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add(ws_batch *b, const uint8_t *x, size_t L) {
    ws_err err = {0};
    const size_t words = ws_batch_words(L);
    sample_must(ws_batch_reserve_words(b, words, &err), &err);
    uint32_t *w = b->word + b->nword;
    for (size_t i = 0; i < words; i++) {
        w[i] = 0;
        for (size_t j = 0; j < 6; j++) w[i] |= (uint32_t)(6 * i + j < L ? x[6 * i + j] : WS_CODE_PAD) << 5 * j;
    }
    sample_must(ws_batch_add_seq(b, b->nword, (uint32_t)L, &(ws_seqtext){.at = 0}, &err), &err);
    if (b->nword < b->first[b->n - 1] + words) b->nword = b->first[b->n - 1] + words;
}

/* Letters of a FASTA file's sequences, or one random sequence, into x; returns how many residues, 0 at the end. */
static size_t next_record(FILE *f, uint8_t *x, size_t most) {
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    size_t L = 0;
    int c;
    while ((c = getc(f)) != EOF && !(c == '>' && L > 0)) {
        if (c == '>')
            while ((c = getc(f)) != EOF && c != '\n') continue;
        else if (L < most && abc->code_of[c & 255] < abc->Kp)
            x[L++] = abc->code_of[c & 255];
    }
    if (c == '>')
        while ((c = getc(f)) != EOF && c != '\n') continue;
    return L;
}

enum { MOST = 100000 };

static size_t random_record(sample *r, uint8_t *x) {
    const double z = sqrt(-2 * log(1 - sample_unit(r))) * cos(6.283185307179586 * sample_unit(r));
    const size_t L = (size_t)fmin(8000, fmax(30, exp(5.6 + 0.7 * z)));
    for (size_t j = 0; j < L; j++) x[j] = sample_residue(r, ws_abc_get(WS_ABC_AMINO));
    return L;
}

static void fill(ws_batch *b, sample *r, const char *fasta, uint64_t residues) {
    static uint8_t x[MOST];
    ws_err err = {0};
    FILE *f = fasta ? fopen(fasta, "r") : NULL;
    if (fasta && !f) exit(1);
    const uint64_t own = 50000000 < residues ? 50000000 : residues;
    for (size_t L = 1; L && b->residues < own;) {
        L = f ? next_record(f, x, MOST) : random_record(r, x);
        if (L) add(b, x, L);
    }
    if (f) fclose(f);
    const size_t n = b->n;
    for (size_t i = 0; b->residues < residues; i = (i + 1) % n) { /* the same again: the device does not notice */
        const size_t words = ws_batch_words(b->len[i]);
        sample_must(ws_batch_reserve_words(b, words, &err), &err);
        memcpy(b->word + b->nword, b->word + b->first[i], words * 4);
        const size_t at = b->nword;
        sample_must(ws_batch_add_seq(b, at, b->len[i], &(ws_seqtext){.at = 0}, &err), &err);
        if (b->nword < at + words) b->nword = at + words;
    }
}

static int rising(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sets the gate of a model, and its calibration, so that the wanted part of the sequences passes. */
static void set_gate(const struct kernel *k, const void *prep, const ws_seqs *seqs, ws_hmm *h, ws_hmm_target *data,
                     ws_buf *scratch, ws_fscore *score) {
    ws_err err = {0};
    const ws_lenmodel *lm = seqs->perseq;
    float *above = ws_calloc(seqs->n, sizeof *above, &err);
    if (!above) sample_must(err.code, &err);
    sample_must(k->be->score(seqs, &(ws_task){.prep = prep, .n = seqs->n, .score = score}, 1, scratch, &err), &err);
    for (size_t i = 0; i < seqs->n; i++) above[i] = score[i].nats - lm[i].null_nats;
    qsort(above, seqs->n, sizeof *above, rising);
    data->gate = (ws_gate){above[(size_t)((double)seqs->n * (1 - k->passing))], 0, 1};
    ws_free(above);
    h->calibrated = 1;
    h->evparam[WS_MLAMBDA] = (float)WS_LN2;
    h->evparam[WS_MMU] = (float)((data->gate.least + log(k->passing)) / WS_LN2);
}

static void measure(const struct kernel *k, ws_hmm *h, ws_hmm_target *data, const ws_seqs *seqs, uint64_t residues,
                    int passes, ws_fscore *score) {
    ws_err err = {0};
    const ws_target t = {.name = "random", .qlen = (uint64_t)h->M, .data = data};
    void *prep;
    ws_buf scratch = {0};
    double best = 1e9, wall = 1e9;
    uint32_t *item = ws_calloc(seqs->n, sizeof *item, &err);
    float *hint = ws_calloc(seqs->n, sizeof *hint, &err);
    if (!item || !hint) sample_must(err.code, &err);
    ws_kept kept = {item, SIZE_MAX};
    sample_must(k->be->prepare(k->be, &t, &prep, &err), &err);
    ws_task task = {.prep = prep, .n = seqs->n, .score = score};
    if (k->passing > 0) {
        set_gate(k, prep, seqs, h, data, &scratch, score);
        task.hint = hint;
        task.kept = &kept;
    }
    for (int pass = 0; pass < passes; pass++) {
        const double from = now(), dev = ws_dev_clock().kernels_summed;
        sample_must(k->be->score(seqs, &task, 1, &scratch, &err), &err);
        wall = fmin(wall, now() - from);
        best = fmin(best, ws_dev_clock().kernels_summed - dev);
    }
    const size_t n = k->passing > 0 && kept.n < seqs->n ? kept.n : seqs->n;
    const double cells = (double)residues * (double)t.qlen;
    printf("%s\t%d\t%.3f\t%.2f\t%.2f\t%016llx\n", k->name, (int)t.qlen, cells / best * 1e-12, 1e3 * best, 1e3 * wall,
           (unsigned long long)XXH3_64bits(score, n * sizeof *score));
    fflush(stdout);
    k->be->release(prep);
    ws_buf_release(&scratch);
    ws_free(item);
    ws_free(hint);
}

/* An empty batch: waits for the context. */
static void first_call(ws_err *err) {
    uint32_t word = 0, len = 0;
    uint64_t first = 0;
    ws_lenmodel lm;
    ws_lenmodel_set(&lm, 1);
    const ws_seqs seqs = {.word = &word, .first = &first, .len = &len, .n = 1, .perseq = &lm};
    ws_buf scratch = {0};
    ws_fscore score;
    sample r = {1};
    ws_hmm h;
    ws_hmm_target data;
    void *prep;
    sample_model(&h, &r, 10, 0);
    sample_target(&data, &h);
    sample_must(ws_ssv_cuda.prepare(&ws_ssv_cuda, &(ws_target){.name = "", .qlen = 10, .data = &data}, &prep, err),
                err);
    const ws_task task = {.prep = prep, .n = 1, .score = &score};
    sample_must(ws_ssv_cuda.score(&seqs, &task, 1, &scratch, err), err);
    ws_ssv_cuda.release(prep);
    ws_buf_release(&scratch);
    ws_profile_destroy(&data.profile);
    sample_model_release(&h);
}

int main(int argc, char **argv) {
    const char *only = NULL, *fasta = NULL, *sizes = "100,200,400,800,1400,2405";
    int passes = 3;
    uint64_t residues = 800000000;
    for (int c; (c = getopt(argc, argv, "p:r:k:M:f:")) != -1;) {
        if (c == 'p') passes = atoi(optarg);
        else if (c == 'r') residues = (uint64_t)(1e6 * atof(optarg));
        else if (c == 'k') only = optarg;
        else if (c == 'M') sizes = optarg;
        else if (c == 'f') fasta = optarg;
        else return 2;
    }
    ws_err err = {0};
    const char *why;
    const double t0 = now();
    if (!ws_dev_usable(NULL, &why)) {
        printf("no device: %s\n", why);
        return 1;
    }
    const double t1 = now();
    sample_must(ws_dev_start(NULL, 0, &err), &err);
    first_call(&err);
    const double t2 = now();
    printf("# %.0f ms to find the device, %.0f ms to open it\n", 1e3 * (t1 - t0), 1e3 * (t2 - t1));
    sample r = {1};
    ws_batch b = {0};
    fill(&b, &r, fasta, residues);
    ws_lenmodel *lm = ws_calloc(b.n, sizeof *lm, &err);
    for (size_t i = 0; i < b.n; i++) ws_lenmodel_set(&lm[i], b.len[i] ? b.len[i] : 1);
    ws_seqs seqs = ws_seqs_of(&b, NULL); /* no model here goes to the CPU, which reads codes */
    seqs.perseq = lm;
    seqs.identity = ws_dev_identity();
    ws_fscore *score = ws_calloc(b.n, sizeof *score, &err);
    printf("# %zu sequences, %llu residues, best of %d passes\n#kernel\tM\tTCUPS\tdevice_ms\tcall_ms\tsum\n", b.n,
           (unsigned long long)b.residues, passes);
    for (const char *p = sizes; *p;) {
        char *end;
        ws_hmm h;
        ws_hmm_target data;
        sample_model(&h, &r, (int)strtol(p, &end, 10), 0);
        sample_target(&data, &h);
        for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
            if (kernels[i].be && (!only || strstr(only, kernels[i].name)))
                measure(&kernels[i], &h, &data, &seqs, b.residues, passes, score);
        ws_profile_destroy(&data.profile);
        sample_model_release(&h);
        p = *end ? end + 1 : end;
    }
    const double t3 = now();
    ws_dev_stop();
    printf("# %.0f ms to close it\n", 1e3 * (now() - t3));
    ws_free(score);
    ws_batch_release(&b);
    ws_free(lm);
    return 0;
}
