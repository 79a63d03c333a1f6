/* SPDX-License-Identifier: MIT
 * Every usable backend of ssv, msv, vit and fwd against scalar, byte for byte, at the sizes where layouts have corners.
 * WARPSIEVE_SEED chooses another run; in `make check-full` there are ten rounds. */
#include "tests/lib/kinds.h"
#include "tests/tap.h"

#include "kernels/fwd/fwd.h"
#include "kernels/msv/msv.h"
#include "kernels/ssv/ssv.h"
#include "kernels/vit/vit.h"

typedef struct kernel {
    const char *name;
    const ws_backend *scalar, *wide[3]; /* NULL behind the last */
} kernel;

static const kernel kernels[] = {
    {"ssv", &ws_ssv_scalar, {WS_X86(&ws_ssv_avx2, &ws_ssv_avx512,) NULL}},
    {"msv", &ws_msv_scalar, {WS_X86(&ws_msv_avx2, &ws_msv_avx512,) NULL}},
    {"vit", &ws_vit_scalar, {WS_X86(&ws_vit_avx2, &ws_vit_avx512,) NULL}},
    {"fwd", &ws_fwd_scalar, {WS_X86(&ws_fwd_avx2, &ws_fwd_avx512,) NULL}},
};
enum { NKERNEL = sizeof kernels / sizeof kernels[0] };

/* Lanes of 8, 16 and 32 bits, stripes of 32, the register shapes and the blocks of SSV change at these and beside them. */
static const int model_sizes[] = {1,   2,   3,   7,   8,   15,  16,  17,  31,  32,  33,  63,  64,   65,   100,  127,  128, 129,
                                  160, 192, 200, 255, 256, 257, 320, 352, 353, 384, 385, 416, 511,  512,  513,  700,  800, 1025,
                                  1151, 1400, 1408, 1409, 1536, 1537, 2405};
static const int lengths[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300, 0, 401};

typedef struct totals {
    int compared, differ;
} totals;

static void add(sample_batch *s, sample *r, const ws_hmm *h, size_t L, kind what) { fill(sample_add(s, L), L, what, r, h); }

static void make_batch(sample_batch *s, sample *r, const ws_hmm *h) {
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) add(s, r, h, (size_t)lengths[i], (kind)sample_below(r, NKIND));
    for (kind what = RANDOM; what < NKIND; what++) add(s, r, h, (size_t)(1 + sample_below(r, 200)), what);
    add(s, r, h, (size_t)h->M, HOMOLOG);
    add(s, r, h, 1500, HOMOLOG); /* long enough to pass every integer range and the rescaling of Forward several times */
    add(s, r, h, 700, RANDOM);
    sample_ready(s);
}

static void score(const ws_backend *be, const ws_target *t, sample_batch *s, const uint32_t *item, size_t n, ws_fscore *out) {
    ws_err err = {0};
    void *prep;
    sample_must(be->prepare(t, &prep, &err), &err);
    memset(out, 0x55, n * sizeof *out);
    const ws_task task = {.prep = prep, .item = item, .n = n, .score = out};
    sample_must(be->score(&s->b, &task, 1, &s->lane, &err), &err);
    be->release(prep);
}

/* The whole batch, and a list with duplicates in random order: each place has the score of its sequence. */
static void compare(const kernel *k, const ws_backend *be, const ws_target *t, sample_batch *s, sample *r, const ws_fscore *truth,
                    totals *sum) {
    enum { MOST = 256 };
    ws_fscore got[MOST];
    uint32_t item[MOST];
    score(be, t, s, NULL, s->b.n, got);
    for (size_t i = 0; i < s->b.n; i++) {
        sum->compared++;
        if (!memcmp(&got[i], &truth[i], sizeof *got)) continue;
        if (sum->differ++ < 5)
            printf("# %s %s M %d L %u (sequence %zu): %.9g %d, scalar %.9g %d\n", k->name, be->name, (int)t->qlen, s->b.len[i], i,
                   (double)got[i].nats, got[i].status, (double)truth[i].nats, truth[i].status);
    }
    const size_t n = (size_t)sample_below(r, (int)(2 * s->b.n));
    for (size_t j = 0; j < n; j++) item[j] = (uint32_t)sample_below(r, (int)s->b.n);
    score(be, t, s, item, n, got);
    for (size_t j = 0; j < n; j++) {
        sum->compared++;
        if (!memcmp(&got[j], &truth[item[j]], sizeof *got)) continue;
        if (sum->differ++ < 5) printf("# %s %s M %d: place %zu of a list of %zu\n", k->name, be->name, (int)t->qlen, j, n);
    }
}

static void one_model(const kernel *k, const ws_machine *m, int M, double zeros, sample *r, totals sum[2]) {
    ws_hmm h;
    ws_hmm_target data;
    sample_batch s = {0};
    ws_fscore truth[256];
    sample_model(&h, r, M, zeros);
    sample_target(&data, &h);
    const ws_target t = {.name = "random", .qlen = (uint64_t)M, .data = &data};
    make_batch(&s, r, &h);
    score(k->scalar, &t, &s, NULL, s.b.n, truth);
    for (int w = 0; k->wide[w]; w++) {
        const char *why;
        if (k->wide[w]->usable(m, &why)) compare(k, k->wide[w], &t, &s, r, truth, &sum[w]);
    }
    sample_batch_release(&s);
    ws_profile_destroy(&data.profile);
    sample_model_release(&h);
}

int main(void) {
    const char *seed = getenv("WARPSIEVE_SEED"), *depth = getenv("WARPSIEVE_TESTS");
    const int rounds = depth && !strcmp(depth, "full") ? 10 : 1;
    sample r = {seed ? strtoull(seed, NULL, 0) : 20240607};
    ws_machine m = {0};
    tap t = {0};
    ws_cpu_probe(&m.cpu);
    tap_note("seed %llu", (unsigned long long)r.state);
    for (int i = 0; i < NKERNEL; i++) {
        totals sum[2] = {{0, 0}, {0, 0}};
        for (int round = 0; round < rounds; round++)
            for (size_t j = 0; j < sizeof model_sizes / sizeof model_sizes[0]; j++)
                one_model(&kernels[i], &m, model_sizes[j], j % 3 == 2 ? 0.2 : 0, &r, sum);
        if (!kernels[i].wide[0]) tap_skip(&t, kernels[i].name, m.cpu.why_not_avx2);
        for (int w = 0; kernels[i].wide[w]; w++) {
            const ws_backend *be = kernels[i].wide[w];
            const char *why;
            char what[64];
            snprintf(what, sizeof what, "%s %s equals scalar", kernels[i].name, be->name);
            if (be->usable(&m, &why)) tap_ok(&t, sum[w].compared > 0 && !sum[w].differ, "%s in %d scores", what, sum[w].compared);
            else tap_skip(&t, what, why);
        }
    }
    return tap_end(&t);
}
