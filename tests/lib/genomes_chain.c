/* SPDX-License-Identifier: MIT
 * The stages of nhmmsieve as a chain: random models and records, some of them pieces, with planted instances. A
 * stand-in for a device marks and scores, it may be slow or fail; any number of threads; hits must be those of
 * one thread without it. WARPSIEVE_SEED chooses another run; with WARPSIEVE_SLOW models and instances are fewer. */
#include "bin/genomes/program.h"
#include "kernels/dom/device.h"
#include "kernels/dom/kernel.h"
#include "kernels/filter/backend.h"
#include "kernels/fwd/fwd.h"
#include "kernels/long/point.h"
#include "kernels/msv/msv.h"
#include "lib/simd/flush.h"
#include "tests/lib/longdata.h"
#include "tests/tap.h"

#include <string.h>
#include <time.h>

/* ---- the stand-in: a device that marks as the CPU does ---- */

struct ws_long_dev {
    ws_long_ssv ssv;
};

static int slow_ms, fail_at, calls; /* of a call that marks; which of these fails, 0: none */
static ws_genome_search *beside; /* in which the CPU marks too; NULL: none */

/* Sleeps slow_ms. Where the CPU may mark now, the stand-in sleeps again until the CPU has marked, 50 times at most. */
static void wait_slowly(void) {
    int waits = 1;
    for (int k = 0; k < 50 && waits; k++) {
        nanosleep(&(struct timespec){.tv_nsec = slow_ms * 1000000L}, NULL);
        if (!beside || !slow_ms) return;
        pthread_mutex_lock(&beside->lock);
        waits = beside->tested && beside->cells == beside->device_cells;
        pthread_mutex_unlock(&beside->lock);
        waits &= !ws_dom_steps_waiting(beside->steps);
    }
}

int ws_long_dev_create(ws_long_dev **d, const ws_long_model *m, ws_err *err) {
    static const ws_long_ssv_body *const all[] = {WS_BY_WIDTH(ws_long_ssv_)};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    *d = ws_calloc(1, sizeof **d, err);
    return *d ? ws_long_ssv_create(&(*d)->ssv, all[ws_cpu_best(&cpu)], m, err) : err->code;
}

void ws_long_dev_destroy(ws_long_dev *d) {
    if (d) ws_long_ssv_destroy(&d->ssv);
    ws_free(d);
}

/* Returns which segments of a step, rows from..to of a strand, hold a cell at the threshold: the scan without clearing.
 * */
static uint8_t segments_of(const ws_long_model *m, const uint8_t *x, uint32_t from, uint32_t to) {
    const ws_bytes *b = &m->bytes;
    uint8_t mark = 0, *cell = calloc((size_t)m->M + 1, 1);
    for (uint32_t i = from > (uint32_t)m->M ? from - (uint32_t)m->M : 0; i < to; i++) {
        const uint8_t *cost = b->cost + (size_t)x[i] * ((size_t)m->M + 1);
        for (int k = m->M; k >= 1; k--) {
            const int c = (int)ws_min(ws_max(cell[k - 1], m->xB) + b->bias, 255) - cost[k];
            cell[k] = (uint8_t)ws_min(ws_max(c, 0), m->threshold);
            if (i >= from && c >= m->threshold) mark |= ws_long_mark_segment((i - from) / ws_long_segment(m->M));
        }
    }
    free(cell);
    return mark;
}

/* Every third strand's steps whole, as the CPU does, else in segments, as devices do. */
static void mark_strand(const ws_long_dev *d, const uint8_t *x, uint32_t n, uint8_t *flag) {
    static int strands;
    const ws_long_strand s = {x, n};
    const uint32_t step = ws_long_step(d->ssv.model->M);
    ws_buf scratch = {0};
    ws_err err;
    sample_must(d->ssv.body->mark(d->ssv.layout, &s, 1, flag, &scratch, &err), &err);
    ws_buf_release(&scratch);
    if (__atomic_add_fetch(&strands, 1, __ATOMIC_RELAXED) % 3 == 0) return;
    for (uint32_t j = 0; j < ws_long_steps(d->ssv.model->M, n); j++)
        if (flag[j]) flag[j] = segments_of(d->ssv.model, x, j * step, (uint32_t)ws_min((j + 1) * step, n));
}

static void mark_range(const ws_long_dev *d, const ws_abc *abc, const ws_long_range *r, int strands, uint8_t **flag) {
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    const ws_codec *codec = ws_codec_get(&cpu);
    const size_t steps = ws_long_steps(d->ssv.model->M, r->n),
                 size = ((size_t)r->n + WS_LONG_PAD + 2 * WS_ALIGN) / WS_ALIGN * WS_ALIGN;
    uint8_t *x = aligned_alloc(WS_ALIGN, size), *y = aligned_alloc(WS_ALIGN, size);
    memset(x, 0, size);
    memset(y, 0, size);
    codec->unpack(r->word, r->n, x);
    memset(x + r->n, 0, WS_LONG_PAD);
    codec->other_strand(abc, x, r->n, y);
    memset(y + r->n, 0, WS_LONG_PAD);
    for (int minus = 0; minus < 2; minus++) {
        if (!(strands & (minus ? WS_LONG_MINUS : WS_LONG_PLUS))) continue;
        memset(*flag, 0, steps);
        mark_strand(d, minus ? y : x, r->n, *flag);
        *flag += steps;
    }
    free(x);
    free(y);
}

int ws_long_dev_mark(const ws_long_dev *const *d, size_t nmodel, const ws_abc *abc, const ws_long_range *range,
                     size_t n, int strands, uint8_t *const *flag, ws_err *err) {
    const int call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (call == fail_at) return ws_fail(err, WS_EDEV, "the stand-in fails");
    wait_slowly();
    for (size_t k = 0; k < nmodel; k++) {
        uint8_t *to = flag[k];
        for (size_t j = 0; j < n; j++) mark_range(d[k], abc, &range[j], strands, &to);
    }
    return WS_OK;
}

/* ---- its domain stage, which leaves every fifth span to the CPU ---- */

static int fail_domain_at, domain_calls, domain_spans; /* which call fails, 0: none; calls; spans that it did */
static int at_once, most_at_once;                      /* of the steps that call */
static pthread_mutex_t domains = PTHREAD_MUTEX_INITIALIZER;

void ws_dom_device_forget(void *model) { (void)model; }

/* Forward's score of an envelope, unihit. */
static int forward_of(const ws_dom_load *l, ws_dom_worker *w, float *nats, ws_err *err) {
    const ws_dom_envelope *e = l->span.env;
    ws_dom_problem p = {.x = l->span.pair->x + e->from - 1, .L = e->to - e->from + 1,
                        .mode = ws_dom_unihit(l->span.pair->L)}, *each = &p;
    if (!(p.f = ws_dom_scratch(w, WS_DOM_ROWS, ((size_t)p.L + 1) * sizeof *p.f, err))) return err->code;
    const uint32_t before = ws_flush_begin();
    const int rc = w->backend->parse(l->t, w, &each, 1, err);
    ws_flush_end(before);
    *nats = rc ? 0 : ws_dom_forward_nats(&p);
    return rc;
}

/* what: 0 whole targets, 1 envelopes, 2 their Forward scores, 3 traces of regions, which it leaves to the CPU. */
static int do_spans(ws_dom_load *l, size_t n, int what, float *nats, ws_err *err) {
    const ws_dom_options options = {.seed = 42};
    ws_cpu cpu;
    ws_dom_worker *w;
    if (__atomic_add_fetch(&domain_calls, 1, __ATOMIC_RELAXED) == fail_domain_at)
        return ws_fail(err, WS_EDEV, "the stand-in fails");
    const int is_step = what != 2; /* Forward runs beside the second envelopes of its step */
    const int now = __atomic_add_fetch(&at_once, is_step, __ATOMIC_RELAXED);
    ws_cpu_probe(&cpu);
    int rc = ws_dom_worker_create(&w, ws_dom_backend_best(&cpu), &options, err);
    nanosleep(&(struct timespec){.tv_nsec = slow_ms * 1000000L}, NULL);
    pthread_mutex_lock(&domains);
    most_at_once = (int)ws_max(most_at_once, now);
    for (size_t i = 0; i < n && !rc; i++) {
        if (!(l[i].done = what < 3 && ++domain_spans % 5 != 0)) continue;
        rc = what == 0   ? ws_dom_parse(l[i].t, w, &l[i].span.pair, 1, err)
             : what == 1 ? ws_dom_rescore(l[i].t, w, &l[i].span, 1, err)
                         : forward_of(&l[i], w, &nats[i], err);
    }
    pthread_mutex_unlock(&domains);
    __atomic_sub_fetch(&at_once, is_step, __ATOMIC_RELAXED);
    ws_dom_worker_destroy(w);
    return rc;
}

int ws_dom_device_parse(ws_dom_load *l, size_t n, ws_err *err) { return do_spans(l, n, 0, NULL, err); }
int ws_dom_device_rescore(ws_dom_load *l, size_t n, ws_err *err) { return do_spans(l, n, 1, NULL, err); }
int ws_dom_device_forward(ws_dom_load *l, size_t n, float *nats, ws_err *err) { return do_spans(l, n, 2, nats, err); }
int ws_dom_device_resolve(ws_dom_load *l, size_t n, const ws_dom_options *o, ws_err *err) {
    (void)o;
    return do_spans(l, n, 3, NULL, err);
}

/* ---- its start and its filters ---- */

static int start(const ws_devconf *conf, ws_err *err) {
    (void)conf, (void)err;
    return WS_OK;
}

/* The filters of the stand-in: those of the CPU. */
static const ws_body *const msv_bodies[] = {WS_BY_WIDTH(ws_msv_)}, *const forward_bodies[] = {WS_BY_WIDTH(ws_fwd_)};

static int prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const ws_body *const *all = self->own;
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    return ws_filter_create((ws_filter **)prep, all[ws_cpu_best(&cpu)], &((const ws_hmm_target *)t->data)->profile,
                            err);
}

static void release(void *prep) { ws_filter_destroy(prep); }

static int scored, scores, fail_score_at; /* windows; calls; the call that fails, 0: none */

static int score(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    if (__atomic_add_fetch(&scores, 1, __ATOMIC_RELAXED) == fail_score_at)
        return ws_fail(err, WS_EDEV, "the stand-in fails");
    for (size_t k = 0; k < ntask; k++) __atomic_add_fetch(&scored, (int)task[k].n, __ATOMIC_RELAXED);
    return ws_filter_score_tasks(seqs, task, ntask, scratch, err);
}

/* The Viterbi scan of the stand-in: the definition, with what a device says of its points. Now and then it leaves a
 * window to the CPU. */
static int prepare_points(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    (void)self;
    if (!(*prep = ws_calloc(1, sizeof(ws_words), err))) return err->code;
    return ws_words_create(*prep, &((const ws_hmm_target *)t->data)->profile, err);
}

static void release_points(void *prep) {
    ws_words_destroy(prep);
    ws_free(prep);
}

static int windows_with[3]; /* without points, with one, with several */

/* Writes the number of a window's points to its score, as a device does, and adds them to what was found. */
static void scan(const ws_words *w, const ws_seqs *seqs, size_t i, uint32_t pair, void *score, ws_buf *finds) {
    const ws_lenmodel *lm = seqs->perseq;
    const ws_long_vit v = {.wmove = lm[i].wmove, .threshold = lm[i].tjb};
    int16_t *cell = malloc(6 * sizeof *cell * ((size_t)w->M + 1));
    ws_long_seeds found = {0};
    ws_err err;
    sample_must(ws_long_points_ref(w, &v, ws_seqs_codes(seqs, i), seqs->len[i], cell, &found, &err), &err);
    const uint64_t n = i % 7 == 6 ? UINT64_MAX : found.n;
    memcpy(score, &n, sizeof n);
    for (size_t k = 0; k < found.n && i % 7 < 6; k++) {
        const ws_devfound one = {ws_vit_point_of(found.at[k].i, (uint32_t)found.at[k].k), pair, 0};
        sample_must(ws_buf_add(finds, &one, sizeof one, &err), &err);
    }
    __atomic_add_fetch(&windows_with[ws_min(found.n, 2)], 1, __ATOMIC_RELAXED);
    ws_free(found.at);
    free(cell);
}

static int score_points(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err) {
    if (__atomic_add_fetch(&scores, 1, __ATOMIC_RELAXED) == fail_score_at)
        return ws_fail(err, WS_EDEV, "the stand-in fails");
    ws_buf finds = {0};
    uint32_t pair = 0;
    sample_must(ws_buf_reserve(&finds, 1, err), err);
    for (size_t k = 0; k < ntask; k++)
        for (size_t j = 0; j < task[k].n; j++)
            scan(task[k].prep, seqs, ws_task_item(&task[k], j), pair++, (ws_vit_points *)task[k].score + j, &finds);
    scratch->n = 0;
    const ws_devfound *found = (const ws_devfound *)(void *)finds.p;
    const int rc = ws_vit_points_take(task, ntask, found, finds.n / sizeof *found, scratch, err);
    ws_buf_release(&finds);
    return rc;
}

#define FILTER(bodies) {.name = "stand-in", .prepare = prepare, .release = release, .score = score, .own = bodies}
static const ws_backend msv = FILTER(msv_bodies), forward = FILTER(forward_bodies);
static const ws_backend points = {
    .name = "stand-in", .prepare = prepare_points, .release = release_points, .score = score_points};
static const ws_long_filters filters = {&msv, &points, &forward};

/* ---- models and records ---- */

/* POOLS: batches x sets of models. A device has several before the CPU may mark. */
enum { MODELS = 40, RECORDS = 10, BLOCK = 50000, STREAMS = 2, FEWER = 5, POOLS = 9 };

static int share = 1; /* the work is divided by so much: 1 or FEWER */
static int models(void) { return MODELS / share; }

typedef struct scene {
    ws_hmm hmm[MODELS];
    ws_genome genome;
    ws_genome_model model[MODELS];
    ws_long_target target[MODELS];
    uint64_t seed; /* of the records */
    int nread;     /* batches */
    ws_batch batch;
    ws_backend cpu, device;
    ws_long_cut cut;
    ws_genome_sets sets;
    ws_genome_search search;
    ws_long_passed passed[MODELS];
    ws_job job;
} scene;

static void make_models(scene *s, sample *r, int width) {
    const ws_long_options options = {
        .F1 = 0.02, .F2 = 0.003, .F3 = 3e-5, .B1 = 110, .B2 = 240, .B3 = 1000, .block = BLOCK};
    ws_err err = {0};
    for (int t = 0; t < models(); t++) {
        static const int sizes[] = {20, 45, 80, 300, 90, 256, 257, 61};
        ws_hmm *h = &s->hmm[t];
        make_dna_model(h, r, sizes[t % 8]);
        h->maxl = (int32_t)(2 * h->M + 10);
        for (int x = 0; x < 4 && t % 2; x++) h->compo[x] = x == 0 || x == 3 ? 0.4f : 0.1f; /* so that bias counts */
        const float parameters[WS_NEVPARAM] = {[WS_MMU] = -8,       [WS_MLAMBDA] = 0.7f, [WS_VMU] = -9,
                                               [WS_VLAMBDA] = 0.7f, [WS_FTAU] = -4,      [WS_FLAMBDA] = 0.7f};
        memcpy(h->evparam, parameters, sizeof parameters);
        ws_genome_model *m = &s->model[t];
        *m = (ws_genome_model){.filter = {.hmm = h}, .target = &s->target[t], .by = &filters};
        ws_bias_set(&m->filter.bias, h);
        sample_must(ws_profile_create(&m->filter.profile, h, &err), &err);
        sample_must(ws_long_target_create(m->target, &m->filter, &options, &err), &err);
        sample_must(ws_long_target_lay_out(m->target, width, &err), &err);
        sample_must(ws_long_target_to_device(m->target, m->by, &err), &err);
    }
}

/* Records of all lengths, the last one a piece whose record goes on. They are those of all batches of that number. */
static void make_records(const scene *s, int number, ws_batch *b) {
    sample own = {s->seed + (uint64_t)number}, *r = &own;
    const ws_codec *codec = s->search.cut.codec;
    ws_err err;
    ws_batch_reuse(b);
    b->number = (uint64_t)number;
    b->before = (uint64_t)number * RECORDS;
    for (int i = 0; i < RECORDS; i++) {
        const int blocks = share > 1 && number ? 1 : 4;
        const uint32_t n = i % 10 == 9 ? (uint32_t)(blocks * BLOCK + sample_below(r, 1000))
                                       : (uint32_t)sample_below(r, i % 3 ? 3000 : 60000);
        uint8_t *x = malloc(n + WS_LONG_PAD);
        const ws_seqtext t = {.more = i == RECORDS - 1};
        for (uint32_t j = 0; j < n; j++) x[j] = (uint8_t)sample_below(r, 4);
        for (uint32_t j = 0; j + 700 < n; j += 200 + (uint32_t)sample_below(r, share * 3000)) {
            const ws_hmm *h = &s->hmm[sample_below(r, models())];
            emit(r, h, x + j, (size_t)h->M);
        }
        sample_must(ws_batch_reserve_words(b, ws_batch_words(n), &err), &err);
        codec->pack(x, n, b->word + b->nword);
        sample_must(ws_batch_add_seq(b, b->nword, n, &t, &err), &err);
        free(x);
    }
}

static void make_scene(scene *s, sample *r) {
    ws_err err = {0};
    *s = (scene){.cpu = {.name = "cpu"}, .device = {.name = "device", .start = start}};
    ws_cpu_probe(&s->job.machine.cpu);
    make_models(s, r, ws_cpu_best(&s->job.machine.cpu));
    s->seed = sample_below(r, 1 << 30);
    s->genome.seed = 42;
    s->genome.dna.cut = -1;
    s->genome.dna.alignments = 1;
    s->genome.dna.limits = (ws_dnalimits){.by_bits = 1, .bits = -1e30};
    s->genome.model = s->model;
    s->genome.target = s->target;
    ws_long_cut *cut = &s->cut;
    *cut = (ws_long_cut){s->hmm[0].abc, ws_codec_get(&s->job.machine.cpu), BLOCK, 0, WS_LONG_PLUS | WS_LONG_MINUS};
    for (int t = 0; t < models(); t++) cut->maxl = (uint32_t)ws_max(cut->maxl, s->target[t].model.maxl);
    s->job.own = &s->genome;
    s->job.ntarget = (size_t)models();
    sample_must(ws_genome_sets_create(&s->sets, s->target, (size_t)models(), &err), &err);
}

static void release_scene(scene *s) {
    for (int t = 0; t < models(); t++) {
        ws_long_target_release(&s->target[t]);
        ws_profile_destroy(&s->model[t].filter.profile);
        sample_model_release(&s->hmm[t]);
    }
    ws_genome_sets_release(&s->sets);
    ws_batch_release(&s->batch);
}

/* ---- runs ---- */

static int read_batch(void *own, ws_err *err) {
    scene *s = own;
    if ((size_t)s->nread * s->sets.n >= POOLS) return WS_EOF;
    make_records(s, s->nread++, &s->batch);
    return ws_genome_add(&s->search, &s->batch, err);
}

static ws_chain_wish wish(void *own) { return ws_genome_wish(&((scene *)own)->search); }

/* The hits of each model as text. */
static char *hits_of(scene *s) {
    const ws_dnalimits limits = WS_DNA_LIMITS;
    ws_buf text = {0};
    ws_err err;
    for (int t = 0; t < models(); t++) {
        ws_dnalist *l = &s->genome.dna.store.list[t];
        ws_dnalist_rank(l, &limits, 1000, s->target[t].model.maxl);
        for (size_t j = 0; j < l->n; j++) {
            const ws_dnahit *h = l->hit[j];
            uint64_t sum = 0; /* of the alignment */
            for (uint64_t c = 0; c < h->ncolumn + ws_dnahit_residues(h); c++) sum = 31 * sum + h->column[c];
            sample_must(ws_buf_addf(&text, &err, "%d %llu %d %llu %llu %u %a %d %llx\n", t,
                                    (unsigned long long)h->record->number, h->minus,
                                    (unsigned long long)h->ali_from, (unsigned long long)h->ali_to, h->hmm_from,
                                    (double)h->bits,
                                    h->reported, (unsigned long long)sum), &err);
        }
        for (int k = 0; k < WS_LONG_NPASSED; k++)
            sample_must(ws_buf_addf(&text, &err, " %lld", (long long)s->passed[t][k]), &err);
    }
    sample_must(ws_buf_add(&text, "", 1, &err), &err);
    return text.p;
}

enum { CPU, DEVICE, BOTH };

/* Begins a search whose chain has the stages. */
static void begin_search(scene *s, int who, int threads, ws_chain_stage *stage) {
    ws_err err = {0};
    s->search = (ws_genome_search){.job = &s->job, .genome = &s->genome, .cut = s->cut, .sets = s->sets};
    ws_genome_search_begin(&s->search);
    s->job.backend = who == CPU ? &s->cpu : &s->device;
    s->job.cpu_backend = who == BOTH ? &s->cpu : NULL;
    s->job.backend_ready = 1;
    s->job.nworker = threads;
    s->job.common.quiet = 1;
    s->job.common.backend = who == DEVICE ? "device" : NULL;
    s->nread = 0;
    sample_must(ws_genome_search_stages(&s->search, stage, &err), &err);
}

/* Beside a device that marks alone the CPU marks before it would wait, if no domains wait. */
static void test_cpu_marks(tap *t, scene *s) {
    const ws_chain_thread cpu = {WS_CHAIN_CPU, 0};
    ws_chain_stage stage[WS_GENOME_STAGES + WS_DOM_STEPS], *scan = &stage[1];
    static const ws_chain_need need[] = {WS_CHAIN_FULL, WS_CHAIN_SOME, WS_CHAIN_SPARE, WS_CHAIN_ANY};
    enum { NONE_YET, TESTS_TOO, ALL_MARK, DOMAINS_WAIT, STATES }; /* of devices and pools */
    int marks[STATES][4];
    for (int state = 0; state < STATES; state++)
        for (int k = 0; k < 4; k++) {
            static const uint8_t x[1] = {0};
            ws_lenmodel lm;
            ws_chain_step step;
            ws_err err = {0};
            ws_dom_item item = {.tables = s->target[0].tables, .M = (uint32_t)s->target[0].model.M};
            ws_lenmodel_set(&lm, 1);
            ws_dom_pair_begin(&item.pair, x, &lm);
            begin_search(s, BOTH, 4, stage);
            sample_must(read_batch(s, &err), &err);
            s->search.tested = state != NONE_YET;
            s->search.marking = 2;
            s->search.testing = state == TESTS_TOO;
            if (state == DOMAINS_WAIT) sample_must(ws_dom_steps_add(s->search.steps, &item, &err), &err);
            marks[state][k] = scan->take(scan->own, &cpu, need[k], &step);
            ws_genome_search_release(&s->search);
            ws_dom_pair_release(&item.pair);
        }
    int right = 1;
    for (int state = 0; state < STATES; state++)
        for (int k = 0; k < 4; k++) right &= marks[state][k] == (state == ALL_MARK && k >= 2);
    tap_ok(t, right, "beside a device that marks alone the CPU marks before it would wait, if no domains wait");
}

/* Points of a device become seeds in the order of the definition, with several nodes in a row. */
static void test_seeds(tap *t, sample *r) {
    enum { MOST = 60 };
    int bad = 0, rows = 0;
    for (int round = 0; round < 200; round++) {
        const int M = 1 + sample_below(r, 400);
        ws_vit_point p[MOST];
        ws_long_seeds want = {0}, got = {0};
        uint32_t n = 0, row = 1;
        ws_err err;
        for (; n + 5 < MOST; row += 1 + (uint32_t)sample_below(r, 9)) {
            const size_t first = want.n;
            for (int k = M, left = 5; k >= 1 && left > 0; k -= 1 + sample_below(r, M / 3 + 1), left--)
                sample_must(ws_long_point_add(&want, row, k, &err), &err);
            for (size_t i = want.n; i-- > first;) p[n++] = ws_vit_point_of(row, (uint32_t)want.at[i].k);
            ws_long_point_sort(&want, first, M);
            rows += want.n > first + 1;
        }
        sample_must(ws_long_point_seeds(&got, p, n, M, &err), &err);
        bad += got.n != want.n || memcmp(got.at, want.at, want.n * sizeof *got.at) != 0;
        ws_free(got.at);
        ws_free(want.at);
    }
    tap_ok(t, bad == 0, "seeds of 200 windows, %d rows with several points, %d windows differ", rows, bad);
}

/* All batches by so many threads of the CPU, and of the device if it is used. Returns the hits, or NULL where a stage
 * failed. */
static char *search(scene *s, int who, int threads) {
    enum { ALL = WS_GENOME_STAGES + WS_DOM_STEPS };
    ws_chain_stage stage[ALL];
    const ws_chain_ops ops = {.stage = stage, .nstage = ALL, .own = s, .wish = wish, .read = read_batch};
    ws_chain *c;
    ws_err err = {0};
    calls = scores = domain_calls = domain_spans = 0;
    sample_must(ws_dnastore_create(&s->genome.dna.store, (size_t)models(), &err), &err);
    memset(s->passed, 0, sizeof s->passed);
    s->genome.dna.passed = s->passed;
    begin_search(s, who, threads, stage);
    sample_must(ws_chain_create(&c, &ops, &err), &err);
    if (who != CPU && ws_chain_join(c, WS_CHAIN_DEVICE, STREAMS) != STREAMS) return NULL;
    const int rc = ws_chain_run(c, threads, &err);
    ws_chain_destroy(c);
    char *text = rc ? NULL : hits_of(s);
    ws_dnastore_destroy(&s->genome.dna.store);
    ws_genome_search_release(&s->search);
    return text;
}

typedef struct run {
    const char *name;
    int who, threads, slow, fail, fail_score, fail_domain;
} run;

/* Returns whether the last search made the call that fails, if one does. */
static int failed(const run *r) {
    return calls >= r->fail && scores >= r->fail_score && domain_calls >= r->fail_domain;
}

/* Returns whether each had its part. A device alone marks all, and has domains if it is not slow. Where the device is
 * slow, the CPU marks beside it. */
static int had_part(const scene *s, const run *r) {
    const uint64_t cells = s->search.cells, of_device = s->search.device_cells;
    if (r->who == DEVICE) return of_device == cells && (r->slow || domain_spans > 50 / share);
    return r->who == CPU || !r->slow || (of_device && of_device < cells);
}

static size_t lines(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

int main(void) {
    const char *seed = getenv("WARPSIEVE_SEED");
    sample r = {seed ? strtoull(seed, NULL, 10) : 23};
    tap t = {0};
    static scene s;
    if (tap_slow()) {
        share = FEWER;
        tap_note("ran a part only, because the build is slow: %d of %d models, fewer instances", models(), MODELS);
    }
    make_scene(&s, &r);
    char *want = search(&s, CPU, 1);
    tap_ok(&t, (int)lines(want) > 300 / share, "one thread of the CPU finds %zu hits", lines(want));
    static const run runs[] = {
        {"CPU, 5 threads", CPU, 5, 0, 0, 0, 0},
        {"device, 1 thread", DEVICE, 1, 0, 0, 0, 0},
        {"device, 8 threads", DEVICE, 8, 0, 0, 0, 0},
        {"device and CPU", BOTH, 4, 0, 0, 0, 0},
        {"a device that is slow, beside the CPU", BOTH, 3, 20, 0, 0, 0},
        {"a device that is slow", DEVICE, 3, 20, 0, 0, 0},
        {"a device that fails to mark, beside the CPU", BOTH, 4, 0, 2, 0, 0},
        {"a device that fails in MSV, beside the CPU", BOTH, 1, 0, 0, 1, 0},
        {"a device that fails in Viterbi, beside the CPU", BOTH, 1, 0, 0, 2, 0},
        {"a device that fails in Forward, beside the CPU", BOTH, 1, 0, 0, 3, 0},
        {"a device that fails in the first domains", DEVICE, 4, 0, 0, 0, 1},
        {"a device that fails in later domains", DEVICE, 4, 0, 0, 0, 3},
        {"a device that fails to mark", DEVICE, 4, 0, 2, 0, 0},
        {"a device that fails in MSV", DEVICE, 4, 0, 0, 1, 0},
        {"a device that fails in Viterbi", DEVICE, 1, 0, 0, 2, 0},
        {"a device that fails in Forward", DEVICE, 1, 0, 0, 3, 0},
    };
    for (const run *k = runs; k < runs + sizeof runs / sizeof *runs; k++) {
        slow_ms = k->slow;
        beside = k->who == BOTH ? &s.search : NULL;
        fail_at = k->fail;
        fail_score_at = k->fail_score;
        fail_domain_at = k->fail_domain;
        char *got = NULL;
        int again = 20; /* searches more, while the device or the CPU was too late for its part */
        do {
            ws_free(got);
            got = search(&s, k->who, k->threads);
        } while (got && !(failed(k) && had_part(&s, k)) && again-- > 0);
        if ((k->fail || k->fail_score || k->fail_domain) && k->who == DEVICE)
            tap_ok(&t, !got, "%s: an error", k->name);
        else tap_ok(&t, got && strcmp(got, want) == 0 && failed(k), "%s: the same hits", k->name);
        if (got && k->who == DEVICE)
            tap_ok(&t, had_part(&s, k), "%s: it marks all, and gets %d spans of domains", k->name, domain_spans);
        if (k->slow && k->who == BOTH) tap_ok(&t, had_part(&s, k), "%s: both mark", k->name);
        ws_free(got);
    }
    slow_ms = fail_at = fail_score_at = fail_domain_at = 0;
    s.genome.cpu_domains = 1;
    char *of_cpu = search(&s, DEVICE, 4);
    tap_ok(&t, of_cpu && strcmp(of_cpu, want) == 0 && domain_calls == 0, "device, domains by the CPU: the same hits");
    ws_free(of_cpu);
    tap_ok(&t, most_at_once == 1, "of two threads of the device %d have domains at once", most_at_once);
    tap_ok(&t, scored > 1000 / share, "the stand-in's filters score %d windows", scored);
    const int many = 100 / share, all = windows_with[0] > many && windows_with[1] > many && windows_with[2] > many;
    tap_ok(&t, all, "its scan finds no point in %d, one in %d, several in %d", windows_with[0], windows_with[1],
           windows_with[2]);
    test_cpu_marks(&t, &s);
    test_seeds(&t, &r);
    ws_free(want);
    release_scene(&s);
    return tap_end(&t);
}
