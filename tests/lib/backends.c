/* SPDX-License-Identifier: MIT
 * Every width of ssv, msv, vit and fwd that runs here against scalar, byte for byte, at the sizes where layouts have
 * corners. WARPSIEVE_SEED chooses another run; in `make check-full` there are ten rounds. */
#include "tests/lib/kinds.h"
#include "tests/tap.h"

#include "kernels/fwd/fwd.h"
#include "kernels/msv/msv.h"
#include "kernels/vit/vit.h"
#include "kernels/ssv/ssv.h"

typedef struct kernel {
    const char *name;
    const ws_body *by_width[WS_NWIDTH];
} kernel;

static const kernel kernels[] = {
    {"ssv", {WS_BY_WIDTH(ws_ssv_)}},
    {"msv", {WS_BY_WIDTH(ws_msv_)}},
    {"vit", {WS_BY_WIDTH(ws_vit_)}},
    {"fwd", {WS_BY_WIDTH(ws_fwd_)}},
};
enum { NKERNEL = sizeof kernels / sizeof kernels[0] };

/* Lanes of 8, 16 and 32 bits, stripes of 32, the register shapes and the blocks of SSV change at these and beside them.
 * */
static const int model_sizes[] = {1,   2,   3,   7,   8,   15,   16,   17,   31,   32,   33,   63,   64,  65,  100,
                                  127, 128, 129, 160, 192, 200,  255,  256,  257,  320,  352,  353,  384, 385, 416,
                                  511, 512, 513, 700, 800, 1025, 1151, 1400, 1408, 1409, 1536, 1537, 2405};
static const int lengths[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300, 0, 401};

typedef struct totals {
    int compared, differ;
} totals;

static void add(sample_batch *s, sample *r, const ws_hmm *h, size_t L, kind what) {
    fill(sample_add(s, L), L, what, r, h);
}

static void make_batch(sample_batch *s, sample *r, const ws_hmm *h) {
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        add(s, r, h, (size_t)lengths[i], (kind)sample_below(r, NKIND));
    for (kind what = RANDOM; what < NKIND; what++) add(s, r, h, (size_t)(1 + sample_below(r, 200)), what);
    add(s, r, h, (size_t)h->M, HOMOLOG);
    /* long enough to pass every integer range and the rescaling of Forward several times */
    add(s, r, h, 1500, HOMOLOG);
    add(s, r, h, 700, RANDOM);
    sample_ready(s);
}

/* The whole batch, and a list with duplicates in random order: each place has the score of its sequence. */
static void compare(const kernel *k, int width, const ws_hmm_target *t, sample_batch *s, sample *r,
                    const ws_fscore *truth, totals *sum) {
    enum { MOST = 256 };
    ws_fscore got[MOST];
    uint32_t item[MOST];
    sample_scores(s, k->by_width[width], t, NULL, s->b.n, got);
    for (size_t i = 0; i < s->b.n; i++) {
        sum->compared++;
        if (!memcmp(&got[i], &truth[i], sizeof *got)) continue;
        if (sum->differ++ < 5)
            printf("# %s %s M %d L %u (sequence %zu): %.9g %d, scalar %.9g %d\n", k->name, ws_width_name[width],
                   t->hmm->M, s->b.len[i], i, (double)got[i].nats, got[i].status, (double)truth[i].nats,
                   truth[i].status);
    }
    const size_t n = (size_t)sample_below(r, (int)(2 * s->b.n));
    for (size_t j = 0; j < n; j++) item[j] = (uint32_t)sample_below(r, (int)s->b.n);
    sample_scores(s, k->by_width[width], t, item, n, got);
    for (size_t j = 0; j < n; j++) {
        sum->compared++;
        if (!memcmp(&got[j], &truth[item[j]], sizeof *got)) continue;
        if (sum->differ++ < 5)
            printf("# %s %s M %d: place %zu of a list of %zu\n", k->name, ws_width_name[width], t->hmm->M, j, n);
    }
}

/* Gives one transition in eight the probability 2^-bits. */
static void lower_gaps(ws_hmm *h, sample *r, double bits) {
    for (int i = 0; i <= h->M * WS_NTRANS; i++)
        if (sample_below(r, 8) == 0) h->tr[i] = (float)exp2(-bits);
}

/* bits: see lower_gaps; 0: transitions as they are. */
static void one_model(const kernel *k, const ws_cpu *cpu, int M, double zeros, double bits, sample *r,
                      totals sum[WS_NWIDTH]) {
    ws_hmm h;
    ws_hmm_target data;
    sample_batch s = {0};
    ws_fscore truth[256];
    sample_model(&h, r, M, zeros);
    if (bits > 0) lower_gaps(&h, r, bits);
    sample_target(&data, &h);
    make_batch(&s, r, &h);
    sample_scores(&s, k->by_width[WS_WIDTH_scalar], &data, NULL, s.b.n, truth);
    for (int w = 0; w < WS_WIDTH_scalar; w++)
        if (!cpu->why_not[w]) compare(k, w, &data, &s, r, truth, &sum[w]);
    sample_batch_release(&s);
    ws_profile_destroy(&data.profile);
    sample_model_release(&h);
}

int main(void) {
    const char *seed = getenv("WARPSIEVE_SEED"), *depth = getenv("WARPSIEVE_TESTS");
    const int rounds = depth && !strcmp(depth, "full") ? 10 : 1;
    sample r = {seed ? strtoull(seed, NULL, 0) : 20240607};
    ws_cpu cpu;
    tap t = {0};
    ws_cpu_probe(&cpu);
    tap_note("seed %llu", (unsigned long long)r.state);
    for (int i = 0; i < NKERNEL; i++) {
        totals sum[WS_NWIDTH] = {{0, 0}};
        for (int round = 0; round < rounds; round++)
            for (size_t j = 0; j < sizeof model_sizes / sizeof model_sizes[0]; j++)
                one_model(&kernels[i], &cpu, model_sizes[j], j % 3 == 2 ? 0.2 : 0, 0, &r, sum);
        /* around the lowest transition with which Viterbi's rows add without saturation: kernels/vit/rows.inc.h */
        for (double bits = 28; bits < 42; bits += 0.5)
            one_model(&kernels[i], &cpu, 50 + sample_below(&r, 200), 0, bits, &r, sum);
        if (WS_WIDTH_scalar == 0) tap_skip(&t, kernels[i].name, "this build has no vector units");
        for (int w = 0; w < WS_WIDTH_scalar; w++) {
            char what[64];
            snprintf(what, sizeof what, "%s %s equals scalar", kernels[i].name, ws_width_name[w]);
            if (!cpu.why_not[w])
                tap_ok(&t, sum[w].compared > 0 && !sum[w].differ, "%s in %d scores", what, sum[w].compared);
            else tap_skip(&t, what, cpu.why_not[w]);
        }
    }
    return tap_end(&t);
}
