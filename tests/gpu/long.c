/* SPDX-License-Identifier: MIT
 * The scans of long targets on a device against their definitions. SSV, whose first pass a device does: random models,
 * ranges of corner lengths, both strands, thresholds of several heights, several models in one call. Viterbi: what the
 * device says of the points of windows, for models of each kernel. Without a limit also the speed of the first one.
 *
 *   long [-m MOST]     MOST: leave out longer models, and the speed (for the sanitizer)
 *
 * WARPSIEVE_SEED chooses another run. Without a device all is skipped, with WARPSIEVE_REQUIRE_GPU=1 all fails. */
#include "kernels/vit/vit.h"
#include "lib/dev/device.h"
#include "lib/hmm/target.h"
#include "kernels/long/device.h"
#include "kernels/long/point.h"
#include "lib/simd/codec.h"
#include "kernels/vit/points.h"
#include "tests/lib/longdata.h"
#include "tests/tap.h"

#include <unistd.h>

static const int model_sizes[] = {1, 2, 16, 17, 80, 119, 128, 129, 257, 400, 513, 800, 1533, 2049, 2900, 5000};
enum { both = WS_LONG_PLUS | WS_LONG_MINUS, NMODEL = sizeof model_sizes / sizeof model_sizes[0] };

static const ws_long_ssv_body *best_body(void) {
    static const ws_long_ssv_body *const all[] = {WS_BY_WIDTH(ws_long_ssv_)};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    return all[ws_cpu_best(&cpu)];
}

static const ws_codec *codec(void) {
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    return ws_codec_get(&cpu);
}

static void make_model(ws_long_model *m, ws_hmm *h, sample *r, int M, int height) {
    const ws_long_options options = WS_LONG_DEFAULTS;
    ws_profile p;
    ws_err err;
    make_dna_model(h, r, M);
    h->maxl = (int32_t)(2 * M + 10);
    h->evparam[WS_MLAMBDA] = h->evparam[WS_VLAMBDA] = h->evparam[WS_FLAMBDA] = 0.7f;
    sample_must(ws_profile_create(&p, h, &err), &err);
    sample_must(ws_long_model_create(m, h, &p, &options, &err), &err);
    m->threshold = m->xB + height;
    ws_profile_destroy(&p);
}

/* Ranges of codes as a batch has them. */
static void pack(ws_long_range *range, const ws_long_strand *strand, size_t n) {
    for (size_t j = 0; j < n; j++) {
        uint32_t *word = malloc((strand[j].n / 6 + 32) * sizeof *word);
        codec()->pack(strand[j].x, strand[j].n, word);
        range[j] = (ws_long_range){word, strand[j].n};
    }
}

static void release_ranges(ws_long_range *range, size_t n) {
    for (size_t j = 0; j < n; j++) free((void *)(uintptr_t)range[j].word);
}

static uint8_t *flags_for(int M, const ws_long_range *range, size_t n) {
    size_t steps = 0;
    for (size_t j = 0; j < n; j++) steps += 2 * ws_long_steps(M, range[j].n);
    return malloc(steps + 1);
}

/* The diagonals of a strand by flags, and of its second half, against those of the definition; returns how many of the
 * two differ. */
static int differ(const ws_long_ssv *s, const ws_long_strand *strand, const uint8_t *flag, size_t *found) {
    const uint32_t at = strand->n / 2;
    const ws_long_strand half = {strand->x + at, strand->n - at};
    uint8_t *cell = malloc((size_t)s->model->M + 1), *own = malloc(ws_long_steps(s->model->M, half.n) + 1);
    ws_buf scratch = {0};
    ws_err err;
    int bad = 0;
    for (int part = 0; part < 2; part++) {
        const ws_long_strand *x = part ? &half : strand;
        ws_long_seeds want = {0}, got = {0};
        sample_must(ws_long_diagonals_ref(s->model, x->x, x->n, cell, &want, &err), &err);
        if (part) (void)ws_long_flags_of_rows(s->model->M, flag, at, half.n, own);
        sample_must(ws_long_follow(s, x, part ? own : flag, &got, &scratch, &err), &err);
        bad += !same_seeds(&got, &want);
        *found += want.n;
        ws_free(want.at);
        ws_free(got.at);
    }
    ws_buf_release(&scratch);
    free(cell);
    free(own);
    return bad;
}

/* All ranges and both strands of each. */
static int model_differs(const ws_long_model *m, const longdata *d, const uint8_t *flag, size_t *found) {
    ws_long_ssv s;
    ws_err err;
    int bad = 0;
    sample_must(ws_long_ssv_create(&s, best_body(), m, &err), &err);
    for (int j = 0; j < NLENGTH; j++) {
        const ws_long_strand *plus = &d->strand[j];
        uint8_t *x = malloc(plus->n + WS_LONG_PAD);
        memset(x, 0, plus->n + WS_LONG_PAD);
        codec()->other_strand(ws_abc_get(WS_ABC_DNA), plus->x, plus->n, x);
        const ws_long_strand minus = {x, plus->n};
        bad += differ(&s, plus, flag, found);
        bad += differ(&s, &minus, flag + ws_long_steps(m->M, plus->n), found);
        flag += 2 * ws_long_steps(m->M, plus->n);
        free(x);
    }
    ws_long_ssv_destroy(&s);
    return bad;
}

/* A call of as many models as nhmmsieve and ssvfilt give marks the same; returns how many do not. */
static int many_differ(const ws_long_dev *const *dev, const ws_long_model *m, int n, const ws_long_range *range,
                       uint8_t *const *flag) {
    enum { MANY = 200 };
    const ws_long_dev *list[MANY];
    uint8_t *own[MANY];
    ws_err err;
    int bad = 0;
    for (int k = 0; k < MANY; k++) {
        list[k] = dev[k % n];
        own[k] = flags_for(m[k % n].M, range, NLENGTH);
    }
    sample_must(ws_long_dev_mark(list, MANY, ws_abc_get(WS_ABC_DNA), range, NLENGTH, both, own, &err), &err);
    for (int k = 0; k < MANY; k++) {
        size_t steps = 0;
        for (int j = 0; j < NLENGTH; j++) steps += 2 * ws_long_steps(m[k % n].M, range[j].n);
        bad += memcmp(own[k], flag[k % n], steps) != 0;
        free(own[k]);
    }
    return bad;
}

/* All models of one height in one call. The CPU keeps models whose threshold is beyond a byte: a few at great heights,
 * where random strands may be without diagonals too. */
static void check_height(tap *t, sample *r, int height, int most) {
    ws_hmm h[NMODEL];
    ws_long_model m[NMODEL];
    ws_long_dev *dev[NMODEL];
    uint8_t *flag[NMODEL];
    ws_long_range range[NLENGTH];
    longdata d;
    size_t found = 0;
    ws_err err;
    int n = 0, bad = 0, kept = 0;
    for (int k = 0; k < NMODEL && model_sizes[k] <= most; k++) {
        make_model(&m[n], &h[n], r, model_sizes[k], height);
        sample_must(ws_long_dev_create(&dev[n], &m[n], &err), &err);
        if (dev[n]) {
            n++;
            continue;
        }
        kept++;
        ws_long_model_destroy(&m[n]);
        sample_model_release(&h[n]);
    }
    make_data(&d, r, &h[n / 2]);
    pack(range, d.strand, NLENGTH);
    for (int k = 0; k < n; k++) flag[k] = flags_for(m[k].M, range, NLENGTH);
    const ws_abc *abc = ws_abc_get(WS_ABC_DNA);
    sample_must(ws_long_dev_mark((const ws_long_dev *const *)dev, (size_t)n, abc, range, NLENGTH, both, flag, &err),
                &err);
    bad += many_differ((const ws_long_dev *const *)dev, m, n, range, flag);
    release_ranges(range, NLENGTH);
    for (int k = 0; k < n; k++) {
        bad += model_differs(&m[k], &d, flag[k], &found);
        ws_long_dev_destroy(dev[k]);
        ws_long_model_destroy(&m[k]);
        sample_model_release(&h[k]);
        free(flag[k]);
    }
    tap_ok(t, bad == 0 && n > 0 && (height > 50 || most < INT32_MAX || (kept == 0 && found > 100)),
           "height %d: %d models on the device, %d left to the CPU, %zu diagonals, %d strands differ", height, n, kept,
           found, bad);
    release_data(&d);
}

/* Returns how many segments of a strand of plain residues have a mark, and in *extra how many of them have no row in
 * which the scan without clearing reaches the threshold. */
static int count_marks(const ws_long_model *m, const uint8_t *x, uint32_t n, const uint8_t *flag, int *extra) {
    const uint32_t segment = ws_long_segment(m->M);
    const size_t row = (size_t)m->M + 1;
    int *height = calloc(row, sizeof *height), marks = 0;
    *extra = 0;
    for (uint32_t i = 0; i < n; i += segment) {
        int reached = 0;
        for (uint32_t at = i; at < i + segment && at < n; at++)
            for (int k = m->M; k >= 1; k--) {
                height[k] = height[k - 1] + m->bytes.bias - (int)m->bytes.cost[x[at] * row + (size_t)k];
                if (height[k] < 0) height[k] = 0;
                reached |= height[k] >= m->threshold - m->xB;
            }
        const int marked = flag[i / ws_long_step(m->M)] & ws_long_mark_segment(i / segment % WS_LONG_SEGMENTS);
        marks += marked != 0;
        *extra += marked && !reached;
    }
    free(height);
    return marks;
}

/* One model of a height on the device, and n residues as a strand and as a range. */
typedef struct alone {
    ws_hmm h;
    ws_long_model m;
    ws_long_dev *dev;
    uint8_t *x, *flag;
    ws_long_range range;
} alone;

static void make_alone(alone *a, sample *r, int M, int height, uint32_t n) {
    make_model(&a->m, &a->h, r, M, height);
    a->x = malloc(n + WS_LONG_PAD);
}

/* Lays the model and the residues out, once they are all there. */
static void lay_out(alone *a, uint32_t n) {
    const ws_long_strand strand = {a->x, n};
    ws_err err;
    pack(&a->range, &strand, 1);
    sample_must(ws_long_dev_create(&a->dev, &a->m, &err), &err);
    a->flag = flags_for(a->m.M, &a->range, 1);
}

static void mark(alone *a, int strands) {
    const ws_long_dev *const dev = a->dev;
    ws_err err;
    sample_must(ws_long_dev_mark(&dev, 1, a->h.abc, &a->range, 1, strands, &a->flag, &err), &err);
}

static void release(alone *a) {
    release_ranges(&a->range, 1);
    ws_long_dev_destroy(a->dev);
    ws_long_model_destroy(&a->m);
    sample_model_release(&a->h);
    free(a->flag);
    free(a->x);
}

/* Marks on a device are of rows in which some height reaches the threshold, and of no others. */
static void check_marks(tap *t, sample *r, int M) {
    enum { N = 60000, EACH = 6000 };
    alone a;
    int extra;
    make_alone(&a, r, M, 40, N);
    for (uint32_t i = 0; i < N + WS_LONG_PAD; i++) a.x[i] = sample_residue(r, a.h.abc);
    for (uint32_t i = 0; i < N; i += EACH) emit(r, &a.h, a.x + i, ws_min((size_t)M, EACH / 2));
    lay_out(&a, N);
    mark(&a, WS_LONG_PLUS);
    const int marks = count_marks(&a.m, a.x, N, a.flag, &extra);
    tap_ok(t, marks > 0 && extra == 0, "%d nodes: %d marks, %d of them for nothing", M, marks, extra);
    release(&a);
}

/* One model over both strands of a range: random residues again and again, as many as a batch of nhmmsieve has, and
 * eight times as many. */
static void speed(sample *r, int M, uint32_t n) {
    enum { ONCE = 1 << 20 };
    alone a;
    make_alone(&a, r, M, 70, n);
    for (uint32_t i = 0; i < ONCE; i++) a.x[i] = sample_residue(r, a.h.abc);
    for (uint32_t i = ONCE; i < n + WS_LONG_PAD; i++) a.x[i] = a.x[i - ONCE];
    lay_out(&a, n);
    for (int round = 0; round < 3; round++) {
        const double before = ws_dev_clock().kernels;
        mark(&a, both);
        const double seconds = ws_dev_clock().kernels - before;
        tap_note("M %d, 2 x %u residues: %.4f s in kernels, %.0f Gcells/s", M, n, seconds, 2e-9 * M * n / seconds);
    }
    release(&a);
}

/* ---- the Viterbi scan ---- */

enum { NWINDOW = 64 };

/* Windows of a model, some with pieces of its instances, and what the definition finds in each. */
typedef struct windows {
    ws_batch batch; /* the device takes its words alone */
    ws_lenmodel lm[NWINDOW];
    ws_buf scratch;
    ws_vit_points got[NWINDOW];
    ws_long_seeds want[NWINDOW];
    int taken[NWINDOW]; /* 0: the device must leave it to the CPU */
} windows;

static void add_window(windows *w, sample *r, const ws_hmm *h, const ws_words *words, int16_t *cell, int j) {
    static const int tops[] = {0,     12000, 12400, 12500, 12501,  12600, 13000, 13400,
                               14000, 15000, 17000, 20000, -12288, 28671, 32767};
    enum { NTOP = sizeof tops / sizeof tops[0], BAD = 3 };
    const uint32_t n = j < 8 ? (uint32_t)j + 1 : 1 + (uint32_t)sample_below(r, 700);
    const ws_seqtext none = {.at = 0};
    const int top = j % 8 == 7 ? tops[NTOP - 1 - j / 8 % BAD] : tops[sample_below(r, NTOP - BAD)];
    ws_lenmodel *lm = &w->lm[j];
    ws_err err;
    uint8_t x[720];
    for (uint32_t i = 0; i < n; i++) x[i] = (uint8_t)sample_below(r, 4);
    for (uint32_t i = (uint32_t)sample_below(r, 60); i + 40 < n; i += 40 + (uint32_t)sample_below(r, j % 2 ? 900 : 90))
        emit(r, h, x + i, (size_t)sample_below(r, (int)ws_min(n - i, h->M) + 1));
    for (uint32_t i = 0; i < n; i++)
        if (sample_below(r, 200) == 0) x[i] = (uint8_t)sample_below(r, h->abc->Kp);
    const uint64_t first = w->batch.nword;
    sample_must(ws_batch_reserve_words(&w->batch, ws_batch_words(n), &err), &err);
    codec()->pack(x, n, w->batch.word + first);
    sample_must(ws_batch_add_seq(&w->batch, first, n, &none, &err), &err);
    ws_lenmodel_set(lm, n);
    const ws_long_vit v = {.wmove = lm->wmove, .threshold = top};
    ws_vit_window_set(lm, v.wmove, v.threshold);
    sample_must(ws_long_points_ref(words, &v, x, n, cell, &w->want[j], &err), &err);
    w->taken[j] = j % 8 != 7;
}

/* Whether the device has the points that the definition found. */
static int agrees(const windows *w, int j, int M) {
    const ws_vit_points p = w->got[j];
    const ws_long_seeds *want = &w->want[j];
    if (!w->taken[j]) return p.n == WS_VIT_UNKNOWN;
    if (p.n != want->n || p.n == 0) return p.n == want->n;
    const ws_vit_point *own = ws_vit_points_list(&w->scratch) + p.first;
    int same = 1;
    ws_long_seeds row = {0};
    for (size_t i = 0, from = 0; i < want->n && same; i++) {
        ws_err err;
        if (i && want->at[i].i != want->at[i - 1].i) row.n = 0, from = i;
        sample_must(ws_long_point_add(&row, ws_vit_point_row(own[i]), ws_vit_point_node(own[i]), &err), &err);
        if (i + 1 < want->n && want->at[i + 1].i == want->at[i].i) continue;
        ws_long_point_sort(&row, 0, M);
        for (size_t k = from; k <= i; k++)
            same = same && row.at[k - from].i == want->at[k].i && row.at[k - from].k == want->at[k].k;
    }
    ws_free(row.at);
    return same;
}

static void check_points(tap *t, sample *r, int M) {
    ws_hmm h;
    ws_hmm_target target = {.hmm = &h};
    ws_words words;
    static windows w;
    uint32_t item[NWINDOW];
    void *prep;
    int bad = 0, with[3] = {0};
    ws_err err;
    w = (windows){0};
    make_dna_model(&h, r, M);
    sample_must(ws_profile_create(&target.profile, &h, &err), &err);
    sample_must(ws_words_create(&words, &target.profile, &err), &err);
    int16_t *cell = malloc(6 * sizeof *cell * ((size_t)M + 1));
    for (int j = 0; j < NWINDOW; j++) {
        add_window(&w, r, &h, &words, cell, j);
        item[j] = (uint32_t)j;
        with[ws_min(w.want[j].n, 2)]++;
    }
    ws_seqs seqs = ws_seqs_of(&w.batch, NULL);
    seqs.perseq = w.lm;
    const ws_target of = {.name = "made", .qlen = (uint64_t)M, .data = &target};
    sample_must(ws_vit_points_cuda.prepare(&ws_vit_points_cuda, &of, &prep, &err), &err);
    const ws_task task[] = {{.prep = prep, .item = item, .n = NWINDOW / 4, .score = w.got},
                            {.prep = prep, .item = item + NWINDOW / 4, .n = NWINDOW - NWINDOW / 4,
                             .score = w.got + NWINDOW / 4}};
    sample_must(ws_vit_points_cuda.score(&seqs, task, 2, &w.scratch, &err), &err);
    for (int j = 0; j < NWINDOW; j++) {
        bad += !agrees(&w, j, M);
        ws_free(w.want[j].at);
    }
    tap_ok(t, bad == 0, "points, %d nodes: %d windows without, %d with one, %d with several, %d differ", M, with[0],
           with[1], with[2], bad);
    ws_vit_points_cuda.release(prep);
    ws_words_destroy(&words);
    ws_profile_destroy(&target.profile);
    sample_model_release(&h);
    ws_batch_release(&w.batch);
    ws_buf_release(&w.scratch);
    free(cell);
}

/* Windows all of whose rows have points, and one without. Where a call has more points than there is room for, the
 * device knows the windows without any alone. */
static void check_crowd(tap *t, sample *r, uint32_t rows, int known) {
    enum { M = 40, N = 3 };
    const uint32_t len[N] = {500, rows, 500};
    const int top[N] = {28000, -8000, -8000}; /* below what B sends to the first nodes of any window */
    ws_hmm h;
    ws_hmm_target target = {.hmm = &h};
    ws_batch batch = {0};
    ws_lenmodel lm[N];
    ws_vit_points got[N];
    ws_buf list = {0};
    ws_err err;
    void *prep;
    int bad = 0;
    make_dna_model(&h, r, M);
    sample_must(ws_profile_create(&target.profile, &h, &err), &err);
    uint8_t *x = malloc(rows + 500);
    for (uint32_t i = 0; i < rows + 500; i++) x[i] = (uint8_t)sample_below(r, 4);
    for (int j = 0; j < N; j++) {
        const ws_seqtext none = {.at = 0};
        const uint64_t first = batch.nword;
        sample_must(ws_batch_reserve_words(&batch, ws_batch_words(len[j]), &err), &err);
        codec()->pack(x, len[j], batch.word + first);
        sample_must(ws_batch_add_seq(&batch, first, len[j], &none, &err), &err);
        ws_lenmodel_set(&lm[j], len[j]);
        ws_vit_window_set(&lm[j], lm[j].wmove, top[j]);
    }
    ws_seqs seqs = ws_seqs_of(&batch, NULL);
    seqs.perseq = lm;
    const ws_target of = {.name = "made", .qlen = M, .data = &target};
    sample_must(ws_vit_points_cuda.prepare(&ws_vit_points_cuda, &of, &prep, &err), &err);
    const ws_task task = {.prep = prep, .n = N, .score = got};
    sample_must(ws_vit_points_cuda.score(&seqs, &task, 1, &list, &err), &err);
    for (int j = 1; j < N; j++) {
        const ws_vit_point *own = ws_vit_points_list(&list) + got[j].first;
        if (!known || got[j].n < len[j]) bad += known || got[j].n != WS_VIT_UNKNOWN;
        else {
            for (uint32_t i = 1; i < got[j].n; i++)
                bad += own[i] <= own[i - 1] || ws_vit_point_row(own[i]) - ws_vit_point_row(own[i - 1]) > 1;
            bad += ws_vit_point_row(own[0]) != 1 || ws_vit_point_row(own[got[j].n - 1]) != len[j];
        }
    }
    tap_ok(t, got[0].n == 0 && bad == 0, "a window of %u rows with points: %s", rows, known ? "all known" : "too many");
    ws_vit_points_cuda.release(prep);
    ws_profile_destroy(&target.profile);
    sample_model_release(&h);
    ws_batch_release(&batch);
    ws_buf_release(&list);
    free(x);
}

int main(int argc, char **argv) {
    static const int heights[] = {14, 25, 50, 80};
    const char *seed = getenv("WARPSIEVE_SEED"), *required = getenv("WARPSIEVE_REQUIRE_GPU"), *why;
    const int most = argc == 3 && strcmp(argv[1], "-m") == 0 ? atoi(argv[2]) : INT32_MAX;
    sample r = {seed ? strtoull(seed, NULL, 10) : 23};
    tap t = {0};
    ws_err err;
    if (!ws_dev_usable(NULL, &why)) {
        if (required && *required == '1') tap_ok(&t, 0, "a device: %s", why);
        else tap_skip(&t, "the SSV scan on a device", why);
        return tap_end(&t);
    }
    sample_must(ws_dev_start(NULL, 0, &err), &err);
    sample_must(ws_dev_wait(&err), &err);
    for (size_t j = 0; j < sizeof heights / sizeof heights[0]; j++) check_height(&t, &r, heights[j], most);
    static const int some[] = {40, 400, 1533, 3500};
    for (size_t j = 0; j < sizeof some / sizeof some[0]; j++)
        if (some[j] <= most) check_marks(&t, &r, some[j]);
    static const int sizes[] = {1,   7,   30,  64,   66,   80,   119,  200,  257,  400,
                                520, 700, 900, 1025, 1533, 2049, 2900, 4100, 8193, 9000};
    for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++)
        if (sizes[j] <= most) check_points(&t, &r, sizes[j]);
    check_crowd(&t, &r, 30000, 1);
    check_crowd(&t, &r, 500000, 0);
    if (most == INT32_MAX)
        for (int k = 0; k < NMODEL; k++)
            if (model_sizes[k] >= 80) {
                speed(&r, model_sizes[k], 32 << 20);
                speed(&r, model_sizes[k], 256 << 20);
            }
    ws_dev_stop();
    return tap_end(&t);
}
