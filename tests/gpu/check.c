/* SPDX-License-Identifier: MIT
 * Every "cuda" backend against scalar, byte for byte: corner sizes, many models in one call, lists with duplicates, a
 * batch permuted and in halves, models back to back.
 *
 *   check [-k KERNEL] [-d DEVICES] [-m MOST] [-l LEAST] [-s SEQUENCE]
 *
 * For the sanitizers: MOST leaves out models and sequences longer than that, LEAST models shorter than that, and no
 * sequence is longer than SEQUENCE.
 *
 * WARPSIEVE_SEED chooses another run. Without a device all is skipped, with WARPSIEVE_REQUIRE_GPU=1 all fails. */
#include "tests/lib/kinds.h"
#include "tests/tap.h"

#include "lib/dev/device.h"
#include "lib/hmm/evalue.h"
#include "lib/run/tool.h"

#include <unistd.h>

enum { SLOW = 1100 };

WS_DECLARE_WIDTHS(ws_body, ws_ssv_);
WS_DECLARE_WIDTHS(ws_body, ws_msv_);
WS_DECLARE_WIDTHS(ws_body, ws_vit_);
WS_DECLARE_WIDTHS(ws_body, ws_fwd_);
extern const ws_backend ws_ssv_cuda, ws_msv_cuda, ws_vit_cuda, ws_fwd_cuda;

static const struct kernel {
    const char *name;
    const ws_backend *cuda;
    const ws_body *host[WS_NWIDTH];
} kernels[] = {{"ssv", &ws_ssv_cuda, {WS_BY_WIDTH(ws_ssv_)}},
               {"msv", &ws_msv_cuda, {WS_BY_WIDTH(ws_msv_)}},
               {"vit", &ws_vit_cuda, {WS_BY_WIDTH(ws_vit_)}},
               {"fwd", &ws_fwd_cuda, {WS_BY_WIDTH(ws_fwd_)}}};
enum { NKERNEL = sizeof kernels / sizeof kernels[0] };

static const int model_sizes[] = {1,    2,    3,    4,    5,    16,   31,   32,   33,   62,   63,    64,    65,    100,
                                  126,  127,  128,  129,  130,  200,  254,  255,  256,  257,  400,   510,   511,   512,
                                  513,  800,  801,  1022, 1023, 1024, 1025, 1280, 1400, 1409, 1536,  1537,  2048,  2049,
                                  2405, 3072, 3073, 4097, 6144, 6145, 8192, 8193, 10000, 12289, 16385, 24577, 40000};
static const int lengths[] = {0, 1, 2, 3, 5, 6, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 400, 2405, 4098, 4099, 10000};
enum { NMODEL = sizeof model_sizes / sizeof model_sizes[0], NLENGTH = sizeof lengths / sizeof lengths[0] };


static void pack(sample_batch *s) {
    ws_err err = {0};
    sample_must(ws_grow(&s->b.word, &s->b.word_cap, s->codes.n / 6 + 64, 4, &err), &err);
    for (size_t w = 0; w < s->codes.n / 6; w++) {
        s->b.word[w] = 0;
        for (size_t i = 0; i < 6; i++) s->b.word[w] |= (uint32_t)(uint8_t)s->codes.p[6 * w + i] << 5 * i;
    }
    s->b.nword = s->codes.n / 6;
}

typedef struct model {
    ws_hmm h;
    ws_hmm_target data;
    ws_target t;
    ws_fscore *truth;
} model;

/* Gives the model stretches of nodes that a path leaves behind their end only: what a D can gain differs between the
 * parts of the model that threads share. */
enum { INSIDE = 999 }; /* D to D there, in thousandths */
static void add_stretches(ws_hmm *h, sample *r) {
    for (int k = 8; k < h->M; k += 20 + sample_below(r, 40))
        for (const int end = k + 4 + sample_below(r, 24); k < end && k < h->M; k++) {
            h->tr[(size_t)k * WS_NTRANS + WS_TDD] = INSIDE / 1000.0F;
            h->tr[(size_t)k * WS_NTRANS + WS_TDM] = 1 - INSIDE / 1000.0F;
        }
}
static int in_stretch(const ws_hmm *h, int k) { return h->tr[(size_t)k * WS_NTRANS + WS_TDD] == INSIDE / 1000.0F; }

/* L residues: some of the nodes before a stretch, then those after it. The path's D is hardly better than an entry. */
static void skip_stretches(const ws_hmm *h, sample *r, uint8_t *x, size_t L) {
    int k = 1 + sample_below(r, h->M);
    while (k > 1 && !(in_stretch(h, k) && !in_stretch(h, k - 1))) k--;
    k = (int)ws_max(2, (size_t)k) - 1;
    for (int back = sample_below(r, 8); back && k > 1 && !in_stretch(h, k - 1); back--) k--;
    for (size_t i = 0; i < L; i++, k++) {
        while (k < h->M && in_stretch(h, k)) k++;
        if (k > h->M) k = 1;
        x[i] = sample_best(h, k);
    }
}

/* crosses: with long sequences that have a part of a model where one stretch of a device ends and another begins. */
static void make_batch(sample_batch *s, sample *r, const model *m, int n, int longest, int crosses) {
    for (int i = 0; i < NLENGTH; i++) {
        const ws_hmm *h = &m[sample_below(r, n)].h;
        if (lengths[i] <= longest)
            fill(sample_add(s, (size_t)lengths[i]), (size_t)lengths[i], (kind)sample_below(r, NKIND), r, h);
    }
    for (int i = 0; i < n; i++) {
        const size_t L = ws_min((size_t)m[i].h.M, ws_min(1500, (size_t)longest));
        fill(sample_add(s, L), L, HOMOLOG, r, &m[i].h);
        for (kind what = RANDOM; what < NKIND + 4; what++) {
            const size_t len = ws_min((size_t)(1 + sample_below(r, 200)), (size_t)longest);
            fill(sample_add(s, len), len, ws_min(what, SEGMENTS), r, &m[i].h);
        }
        for (int j = 0; j < 8; j++) {
            const size_t len = ws_min((size_t)(10 + sample_below(r, 60)), (size_t)longest);
            skip_stretches(&m[i].h, r, sample_add(s, len), len);
        }
    }
    enum { CROSSED = 4100, MIDDLE = 2052 }; /* two stretches, and where the second begins */
    for (int i = 0; i < 60 && crosses && longest >= CROSSED; i++) {
        const size_t part = 4 + (size_t)i, from = MIDDLE - part / 4 - sample_below(r, (int)part / 2);
        const ws_hmm *h = &m[sample_below(r, n)].h;
        uint8_t *x = sample_add(s, CROSSED);
        fill(x, CROSSED, RANDOM, r, h);
        sample_part(r, h, x + from, part);
    }
    /* the last nodes of a model, then a letter that the alarm two rows at a time has no costs of, then some nodes.
     * Many have no finite score, which no gate rejects; so few models have fewer of these sequences */
    for (size_t i = 0; i < ws_min(120, 30 * (size_t)n); i++) {
        const ws_hmm *h = &m[sample_below(r, n)].h;
        const size_t last = ws_min((size_t)h->M, (size_t)(1 + i % 6)), part = (size_t)(2 + sample_below(r, 30));
        uint8_t *x = sample_add(s, last + 1 + part);
        for (size_t k = 0; k < last; k++) x[k] = sample_best(h, h->M - (int)last + 1 + (int)k);
        x[last] = (uint8_t)(21 + i % 5);
        sample_part(r, h, x + last + 1, part);
    }
    /* random residues, of which high gates reject most: a screened call has room for a quarter of its pairs */
    for (int i = 0; i < 240; i++) {
        const size_t L = (size_t)(1 + sample_below(r, 60));
        fill(sample_add(s, L), L, RANDOM, r, &m[0].h);
    }
    for (int i = 0; i < 2; i++) { /* past every integer range, several rescalings */
        const size_t L = ws_min(1500, (size_t)longest);
        fill(sample_add(s, L), L, HOMOLOG, r, &m[sample_below(r, n)].h);
    }
    pack(s);
    sample_ready(s);
}

/* The sequences order[0..n) of s. */
static void choose(sample_batch *to, const sample_batch *s, const uint32_t *order, size_t n) {
    for (size_t i = 0; i < n; i++)
        memcpy(sample_add(to, s->b.len[order[i]]), s->codes.p + 6 * s->b.first[order[i]], s->b.len[order[i]]);
    pack(to);
    sample_ready(to);
}

typedef struct totals {
    int compared, differ, hints;
} totals;

/* Models up to this length are on the device in all kernels. */
enum { SURE = 2405 };

/* A hint is there for each pair that the model's gate lets pass, and is ws_bias_sum. */
static int hint_differs(const model *m, const sample_batch *s, size_t i, const ws_fscore *truth, float hint) {
    const ws_lenmodel *lm = &s->lm[i];
    const float above = truth->nats - lm->null_nats, about = 0.01F;
    if (isnan(hint)) return s->b.len[i] > 0 && m->h.M <= SURE && above > m->data.gate.least + about;
    if (s->b.len[i] == 0 || above < m->data.gate.least - about) return 1;
    const float want = ws_bias_sum(&m->data.bias, lm, ws_seqs_codes(&s->seqs, i), s->b.len[i]);
    return memcmp(&hint, &want, sizeof hint) != 0;
}

static void compare(const char *what, const model *m, const sample_batch *s, const ws_task *t, const uint32_t *origin,
                    totals *sum) {
    const ws_fscore *got = t->score;
    for (size_t j = 0; j < t->n; j++) {
        const size_t i = ws_task_item(t, j);
        const ws_fscore *truth = &m->truth[origin ? origin[i] : i];
        sum->compared++;
        if (t->hint) {
            sum->hints += !isnan(t->hint[j]);
            if (hint_differs(m, s, i, truth, t->hint[j]) && sum->differ++ < 12)
                printf("# %s M %d L %u (sequence %zu): bias %.9g, gate %.9g\n", what, m->h.M, s->b.len[i], i,
                       (double)t->hint[j], (double)m->data.gate.least);
        }
        if (!memcmp(&got[j], truth, sizeof *truth)) continue;
        if (sum->differ++ < 12)
            printf("# %s M %d L %u (sequence %zu): %.9g %d, scalar %.9g %d\n", what, m->h.M, s->b.len[i], i,
                   (double)got[j].nats, got[j].status, (double)truth->nats, truth->status);
    }
}

/* All models against s in one call; with lists, each model has one of its own. */
static void score_all(const char *what, const ws_backend *be, void **prep, const model *m, int n, sample_batch *s,
                      const uint32_t *origin, int lists, sample *r, totals *sum) {
    ws_err err = {0};
    ws_task *task = ws_calloc((size_t)n, sizeof *task, &err);
    size_t most = s->b.n;
    ws_fscore *score = ws_calloc((size_t)n * most, sizeof *score, &err);
    uint32_t *item = ws_calloc((size_t)n * most, sizeof *item, &err);
    float *hint = ws_calloc((size_t)n * most, sizeof *hint, &err);
    if (!task || !score || !item || !hint) sample_must(1, &err);
    memset(score, 0x55, (size_t)n * most * sizeof *score);
    for (int i = 0; i < n; i++) {
        task[i] = (ws_task){.target = (uint32_t)i, .prep = prep[i], .n = most, .score = score + (size_t)i * most};
        if (be->hints) task[i].hint = hint + (size_t)i * most;
        if (!lists) continue;
        task[i].n = (size_t)sample_below(r, (int)most) | (i == 0); /* the first list is never empty */
        task[i].item = item + (size_t)i * most;
        for (size_t j = 0; j < task[i].n; j++) item[(size_t)i * most + j] = (uint32_t)sample_below(r, (int)most);
    }
    sample_must(be->score(&s->seqs, task, (size_t)n, &s->scratch, &err), &err);
    for (int i = 0; i < n; i++) compare(what, &m[i], s, &task[i], origin, sum);
    ws_free(task);
    ws_free(score);
    ws_free(item);
    ws_free(hint);
}

/* Compares what a screened call has kept of a task: the pairs that reach the gate, and no others but near it, in order,
 * with their scores and hints. */
static void compare_kept(const model *m, const sample_batch *s, const ws_task *t, totals *sum) {
    const ws_fscore *got = t->score;
    size_t k = 0;
    for (size_t j = 0; j < t->n; j++) {
        const size_t i = ws_task_item(t, j);
        const int kept = k < t->kept->n && t->kept->item[k] == i;
        const float above = m->truth[i].nats - s->lm[i].null_nats;
        const int lost = !kept && s->b.len[i] > 0 && above >= m->data.gate.least;
        const int wrong = kept && (memcmp(&got[k], &m->truth[i], sizeof *got) ||
                                   hint_differs(m, s, i, &m->truth[i], t->hint[k]));
        sum->compared++;
        sum->hints += kept;
        k += (size_t)kept;
        if ((lost || wrong) && sum->differ++ < 12)
            printf("# screened M %d L %u (sequence %zu): %s, %.9g above null, gate %.9g\n", m->h.M, s->b.len[i], i,
                   kept ? "kept" : "left out", (double)above, (double)m->data.gate.least);
    }
    sum->differ += k != t->kept->n;
}

/* Compares a screened call that returned all pairs of a task, since too many may pass: those that reach the gate have
 * their scores, and all others a score that the gate rejects. */
static void compare_all(const model *m, const sample_batch *s, const ws_task *t, totals *sum) {
    const ws_fscore *got = t->score;
    for (size_t j = 0; j < t->n; j++) {
        const size_t i = ws_task_item(t, j);
        const float null_nats = s->lm[i].null_nats, least = m->data.gate.least;
        const int passes = s->b.len[i] > 0 && m->truth[i].nats - null_nats >= least;
        const int wrong = passes ? memcmp(&got[j], &m->truth[i], sizeof *got) != 0
                                 : got[j].nats - null_nats >= least || got[j].status == WS_F_OPEN;
        sum->compared++;
        if (wrong && sum->differ++ < 12)
            printf("# screened, all scores, M %d L %u (sequence %zu): %.9g %d, scalar %.9g %d, gate %.9g\n", m->h.M,
                   s->b.len[i], i, (double)got[j].nats, got[j].status, (double)m->truth[i].nats, m->truth[i].status,
                   (double)least);
    }
}

/* Sets a gate: high is the best of some random scores, which one pair in thirty reaches or so, low is the worst. SSV's
 * alarm depends on how often a gate is reached by the model's calibration. With `always` there is none. Else the gate
 * is reached never, so that the alarm may go two rows at a time, or one time in ten, at random. */
static void set_gate(model *m, int high, int always, const sample_batch *s, sample *r) {
    float least = high ? -1000 : 1000;
    for (int k = 0; k < 30; k++) {
        const int i = sample_below(r, (int)s->b.n);
        const float above = m->truth[i].nats - s->lm[i].null_nats;
        if (s->b.len[i] && isfinite(above) && (above > least) == high) least = above;
    }
    m->data.gate.least = least;
    const float lambda = 0.7F, tenth = least / (float)WS_LN2 - 2.25F / lambda;
    m->h.evparam[WS_MMU] = always ? 1000 : sample_below(r, 2) ? tenth : -1000;
    m->h.evparam[WS_MLAMBDA] = lambda;
}

/* All models against s in one call that may leave out pairs, with lists or without. With a low gate, all scores come
 * back instead. */
static void score_screened(const ws_backend *be, void **prep, model *m, int n, sample_batch *s, int lists, int high,
                           int always, sample *r, totals *sum) {
    ws_err err = {0};
    const size_t most = s->b.n, pairs = (size_t)n * most;
    ws_task *task = ws_calloc((size_t)n, sizeof *task, &err);
    ws_kept *kept = ws_calloc((size_t)n, sizeof *kept, &err);
    ws_fscore *score = ws_calloc(pairs, sizeof *score, &err);
    uint32_t *item = ws_calloc(2 * pairs, sizeof *item, &err);
    float *hint = ws_calloc(pairs, sizeof *hint, &err);
    if (!task || !kept || !score || !item || !hint) sample_must(1, &err);
    for (int i = 0; i < n; i++) {
        const size_t at = (size_t)i * most;
        kept[i] = (ws_kept){item + pairs + at, SIZE_MAX};
        task[i] = (ws_task){.target = (uint32_t)i, .prep = prep[i], .n = most, .score = score + at, .hint = hint + at,
                            .kept = &kept[i]};
        set_gate(&m[i], high, always, s, r);
        if (!lists) continue;
        task[i].item = item + at;
        task[i].n = 0;
        for (uint32_t j = 0; j < most; j++)
            if (sample_below(r, 2)) item[at + task[i].n++] = j;
    }
    sample_must(be->score(&s->seqs, task, (size_t)n, &s->scratch, &err), &err);
    for (int i = 0; i < n; i++) {
        if ((kept[i].n == SIZE_MAX) == high)
            sum->differ++, printf("# model %d was %sscreened\n", m[i].h.M, high ? "not " : "");
        else if (high) compare_kept(&m[i], s, &task[i], sum);
        else compare_all(&m[i], s, &task[i], sum);
    }
    ws_free(task);
    ws_free(kept);
    ws_free(score);
    ws_free(item);
    ws_free(hint);
}

static void release(sample_batch *s) {
    ws_free(s->b.word);
    sample_batch_release(s);
}

/* Whose scores are the truth for a model of M nodes. */
static const ws_body *truth_of(const struct kernel *k, int M) {
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    return k->host[M > SLOW ? ws_cpu_best(&cpu) : WS_WIDTH_scalar];
}

/* Half of the models let everything pass, the others what is as good as some sequence of the batch. */
static void choose_gate(model *m, const sample_batch *s, sample *r) {
    const int i = sample_below(r, (int)s->b.n);
    const ws_lenmodel *lm = &s->lm[i];
    m->data.gate.least = sample_below(r, 2) || !s->b.len[i] ? -INFINITY : m->truth[i].nats - lm->null_nats;
}

static void check_kernel(const struct kernel *k, model *m, int n, sample_batch *s, sample *r, totals sum[5]) {
    ws_err err = {0};
    void **prep = ws_calloc((size_t)n, sizeof *prep, &err);
    uint32_t *order = ws_calloc(s->b.n, sizeof *order, &err);
    sample_batch other = {0}, half[2] = {0};
    for (int i = 0; i < n; i++) {
        m[i].truth = ws_calloc(s->b.n, sizeof *m[i].truth, &err);
        sample_scores(s, truth_of(k, m[i].h.M), &m[i].data, NULL, s->b.n, m[i].truth);
        choose_gate(&m[i], s, r);
        sample_must(k->cuda->prepare(k->cuda, &m[i].t, &prep[i], &err), &err);
    }
    score_all("whole batch", k->cuda, prep, m, n, s, NULL, 0, r, &sum[0]);
    /* back to back */
    for (int i = 0; i < n; i++) score_all("one model", k->cuda, prep + i, m + i, 1, s, NULL, 0, r, &sum[0]);
    score_all("lists", k->cuda, prep, m, n, s, NULL, 1, r, &sum[1]);
    for (uint32_t i = 0; i < s->b.n; i++) order[i] = i;
    for (size_t i = s->b.n; i-- > 1;) {
        const int j = sample_below(r, (int)i + 1);
        const uint32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    choose(&other, s, order, s->b.n);
    score_all("permuted", k->cuda, prep, m, n, &other, order, 0, r, &sum[2]);
    for (int i = 0; i < 2; i++) {
        const size_t from = i ? s->b.n / 3 : 0, end = i ? s->b.n : s->b.n / 3;
        choose(&half[i], s, order + from, end - from);
        score_all("split", k->cuda, prep, m, n, &half[i], order + from, 0, r, &sum[3]);
        release(&half[i]);
    }
    release(&other);
    int sure = 0;
    while (sure < n && m[sure].h.M <= SURE) sure++;
    for (int round = 0; round < 8 && k->cuda->hints; round++)
        score_screened(k->cuda, prep, m, sure, s, round % 2, round < 6, round == 5, r, &sum[4]);
    for (int i = 0; i < n; i++) {
        k->cuda->release(prep[i]);
        ws_free(m[i].truth);
    }
    ws_free(prep);
    ws_free(order);
}

int main(int argc, char **argv) {
    const char *seed = getenv("WARPSIEVE_SEED"), *require = getenv("WARPSIEVE_REQUIRE_GPU"), *why = "", *only = NULL,
               *devices = NULL;
    static const char *const part[5] = {"whole batch", "lists", "permuted", "split", "screened"};
    int most = 50000, least = 1, longest = 50000, n = 0;
    tap t = {0};
    for (int c; (c = getopt(argc, argv, "k:d:m:l:s:")) != -1;) {
        if (c == 'k') only = optarg;
        else if (c == 'd') devices = optarg;
        else if (c == 'm') most = atoi(optarg);
        else if (c == 'l') least = atoi(optarg);
        else if (c == 's') longest = atoi(optarg);
        else return 2;
    }
    sample r = {seed ? strtoull(seed, NULL, 0) : 20240607};
    ws_err err = {0};
    if (!ws_dev_usable(devices, &why)) {
        if (require && *require == '1') tap_ok(&t, 0, "a device: %s", why);
        else tap_skip(&t, "cuda equals scalar", why);
        return tap_end(&t);
    }
    tap_note("seed %llu", (unsigned long long)r.state);
    sample_must(ws_dev_start(devices, 0, &err), &err);
    static model m[NMODEL];
    for (int i = 0; i < NMODEL; i++) {
        if (model_sizes[i] > most || model_sizes[i] < least) continue;
        sample_model(&m[n].h, &r, model_sizes[i], i % 3 == 2 ? 0.2 : 0);
        if (i % 3 == 1) add_stretches(&m[n].h, &r);
        sample_target(&m[n].data, &m[n].h);
        m[n].t = (ws_target){.name = "random", .qlen = (uint64_t)m[n].h.M, .data = &m[n].data};
        n++;
    }
    for (int i = 0; i < NKERNEL; i++) {
        totals sum[5] = {{0, 0, 0}};
        sample_batch s = {0};
        if ((only && strcmp(only, kernels[i].name)) || !kernels[i].cuda) continue;
        make_batch(&s, &r, m, n, most < longest ? most : longest, kernels[i].cuda->hints);
        check_kernel(&kernels[i], m, n, &s, &r, sum);
        for (int p = 0; p < (kernels[i].cuda->hints ? 5 : 4); p++)
            tap_ok(&t, sum[p].compared > 0 && !sum[p].differ && (sum[p].hints > 0) == kernels[i].cuda->hints,
                   "%s cuda equals scalar: %s, %d scores, %d of the bias, %d differ", kernels[i].name, part[p],
                   sum[p].compared, sum[p].hints, sum[p].differ);
        release(&s);
    }
    for (int i = 0; i < n; i++) {
        ws_profile_destroy(&m[i].data.profile);
        sample_model_release(&m[i].h);
    }
    ws_dev_stop();
    return tap_end(&t);
}
