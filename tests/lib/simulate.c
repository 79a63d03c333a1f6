/* SPDX-License-Identifier: MIT
 * Searches of recorded work (tests/data/plan/NAME.work) on machines that need not be there (tests/data/plan/machines),
 * beside the lower bound: see tests/lib/simulator.h. Without arguments the program tests that all work is done, and not
 * much later than the bound, with auto about as soon as with the best backend. With arguments it prints a table:
 * simulate FOLDER WORK... */
#include "tests/lib/simulator.h"
#include "tests/lib/simulator_files.h"
#include "tests/tap.h"

/* ---- a run ---- */

static int take_listed(sim_task **list, ws_chain_step *step) {
    sim_task *t = *list;
    if (t) *list = t->next;
    step->pool = t;
    return t != NULL;
}

static int take_end(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    (void)need;
    return t->kind == WS_CHAIN_CPU && take_listed(&((sim *)own)->ends, step);
}

static int take_decision(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    return ws_plan_decides(t->kind, need) && take_listed(&((sim *)own)->decisions, step);
}

static int none_left(void *own) {
    (void)own;
    return 0;
}

static ws_chain_wish wish(void *own) {
    const sim *s = own;
    size_t n = 0, pools = 0, half = 0;
    double cells = 0;
    for (int k = 0; k < SPAN_KINDS; k++) {
        n += s->spans[k].waiting;
        cells += s->spans[k].cells;
    }
    for (const sim_pool *p = s->filter[0].first; p; p = p->next, pools++) half += 2 * p->taken < p->pairs;
    return ws_plan_wish(&s->plan, pools, half, ws_plan_spans_are_many(n, cells));
}

static int hungry(void *own) {
    const sim *s = own;
    double seconds = 0;
    for (int k = 0; k < SPAN_KINDS; k++) {
        const ws_plan_spans plan = sim_plan_of(&s->spans[k]);
        seconds += ws_plan_spans_seconds(&plan);
    }
    return ws_plan_spans_are_few(seconds, s->plan.threads);
}

/* ---- what the run believes, and when it opens a device ---- */

static void believe(sim *s) {
    ws_plan_machine *m = &s->plan;
    for (int k = 0; k < KINDS; k++) {
        const ws_step_kind step = (ws_step_kind)(WS_STEP_MSV + k);
        const double thread = ws_policy_thread_speed(s->m.width, step),
                     stream = s->m.devices ? ws_policy_device_speed(s->m.capability, step) / s->m.streams : 0;
        m->thread[step] = ws_policy_believed(thread, s->cells[0][k], s->measured[0][k]);
        m->stream[step] = s->heard ? ws_policy_believed(stream, s->cells[1][k], s->measured[1][k]) : 0;
    }
}

static int device_of(const sim *s, const sim_thread *t) { return t->stream / s->m.streams; }

static void measure(sim *s, const sim_thread *t, const sim_task *task) {
    if (t->begun < 0 || (task->what != SCORE && task->what != SPANS)) return;
    s->cells[t->is.kind][task->kind] += task->cells;
    s->measured[t->is.kind][task->kind] += s->now - t->begun;
    s->heard |= t->is.kind == WS_CHAIN_DEVICE;
}

/* Returns the seconds of a thread for what is left. */
static double seconds_left(const sim *s) {
    ws_policy_step step[KINDS] = {[MSV] = {.left = s->w->cells[MSV] - s->scored}};
    for (int k = MSV; k < KINDS; k++) {
        step[k].after = k <= PARSE ? k - 1 : PARSE;
        step[k].done = s->cells[0][k] + s->cells[1][k];
        step[k].speed = s->plan.thread[WS_STEP_MSV + k];
    }
    for (int k = PARSE; k < KINDS; k++) step[k].left = s->spans[k - PARSE].cells_left;
    for (int k = VIT; k <= FWD; k++) {
        for (const sim_pool *p = s->filter[k].first; p; p = p->next)
            step[k].left += p->cells * (1 - p->taken / p->pairs);
        for (int i = 0; i < WS_PLAN_INLETS; i++) step[k].left += s->filter[k].open[i] ? s->filter[k].open[i]->cells : 0;
    }
    return ws_policy_seconds(step, KINDS);
}

static void join_device(sim *s) {
    s->plan.device = 1;
    s->plan.opening = 0;
    s->plan.streams = s->m.devices * s->m.streams;
    s->nthread = s->m.threads + s->plan.streams;
}

/* Does for --backend auto as lib/run/auto_device.c. */
static void look(sim *s) {
    const double all = s->w->cells[MSV];
    if (s->mode != SIM_AUTO || s->open_at < INFINITY || s->now >= s->lost) return;
    believe(s);
    const ws_policy_run r = {.done = s->scored / all, .start = 0.3, .worked = s->r.cpu / s->m.threads,
                             .left = seconds_left(s) / s->m.threads, .measured = 1};
    const ws_opens opens = ws_policy_opens(&r);
    if (opens == WS_OPENS_NOT) return;
    s->open_at = s->now + s->m.wake + s->m.open;
    if (opens == WS_OPENS_AT_ONCE) join_device(s);
    else s->plan.opening = 1;
}

static int is_used(const sim *s, int stream) {
    for (int i = s->m.threads; i < s->nthread; i++)
        if (s->thread[i].stream == stream) return 1;
    return 0;
}

/* Returns the stream of a call as lib/dev does: one that has the pool, else the first free one of devices in turns. */
static int free_stream(const sim *s, const sim_thread *t, const sim_pool *pool) {
    int best = -1;
    if (s->m.bound) return t->is.number - s->m.threads;
    for (int j = 0; j < s->m.streams; j++)
        for (int d = 0; d < s->m.devices; d++) {
            const int k = d * s->m.streams + j;
            if (is_used(s, k)) continue;
            if (pool && pool->loaded >> k & 1) return k;
            if (best < 0) best = k;
        }
    return best;
}

/* Returns the seconds in which a thread of the CPU does a task. */
static double cpu_seconds(const sim *s, const sim_task *t) {
    return t->what == SCORE || t->what == SPANS ? t->cells / s->m.cpu[t->kind] : t->seconds;
}

/* Sets how long a thread has for what it took. */
static void begin(sim *s, sim_thread *t, sim_task *task) {
    const int on_device = t->is.kind == WS_CHAIN_DEVICE && (task->what == SCORE || task->what == SPANS);
    t->task = task;
    t->kernel = 0;
    t->host = cpu_seconds(s, task);
    s->state.busy++;
    t->begun = on_device && s->now < s->open_at ? -1 : s->now;
    if (!on_device) return;
    t->stream = free_stream(s, t, task->what == SCORE ? task->pool : NULL);
    t->kernel = task->cells / (s->m.device[task->kind] * s->m.part[device_of(s, t)]);
    t->host = s->m.call + task->longest * s->m.serial + fmax(0, s->open_at - s->now);
    if (task->what == SPANS || task->pool->loaded >> t->stream & 1) return;
    task->pool->loaded |= 1u << t->stream;
    t->host += task->pool->residues * s->m.unpack;
}

/* Returns the seconds of the host for n pairs of a filter that a device has scored: of MSV's those alone that pass. */
static double look_seconds(const sim *s, const sim_task *t) {
    return s->m.look * t->pairs * (t->kind == MSV ? s->w->n[VIT] / s->w->n[MSV] : 1);
}

/* Gives what a device had to the CPU: of regions what follows, of other spans ends; if they are not done, all of it. */
static void leave_spans(sim *s, sim_task *t, int done) {
    const int sampled = t->kind == RESOLVE;
    const size_t most = sampled || !done ? WS_PLAN_SPANS_OF_STEP : WS_PLAN_SPANS_DONE;
    while (t->first) {
        sim_task *e = sim_new_task(END, t->kind);
        for (size_t n = 0; t->first && n < most; n++) {
            sim_span *p = t->first;
            t->first = p->next;
            p->next = e->first;
            e->first = p;
            e->seconds += !done ? p->cells / s->m.cpu[t->kind] : sampled ? s->m.region : s->m.look;
        }
        sim_queue(&s->ends, e);
    }
}

/* Ends what a thread did. Returns what the same thread does next, or NULL. */
static sim_task *end(sim *s, sim_thread *t) {
    sim_task *task = t->task;
    const int on_device = t->is.kind == WS_CHAIN_DEVICE;
    int waiting = 0;
    t->task = NULL;
    s->state.busy--;
    measure(s, t, task);
    t->stream = -1;
    if (task->what == SCORE && task->kind == MSV) s->scored += task->cells;
    for (const sim_task *d = s->decisions; d; d = d->next) waiting++;
    switch (task->what) {
    case MAKE:
        task->pool->state = READY;
        task->pool->steps--;
        if (ws_plan_pool_spreads(&s->plan, task->kind, task->pool->pairs * s->w->n[VIT] / s->w->n[MSV]))
            task->pool->inlet = (int)(task->pool->number % WS_PLAN_INLETS);
        break;
    case SCORE:
        if (!on_device || !s->plan.device) {
            sim_pass(s, task);
            break;
        }
        task->what = DECIDE;
        task->seconds = look_seconds(s, task);
        if (!ws_plan_leaves_decision(s->plan.streams, waiting)) return task;
        sim_queue(&s->decisions, task);
        return NULL;
    case DECIDE: sim_pass(s, task); break;
    case SPANS:
        s->calls -= on_device;
        if (!on_device || !s->plan.device) sim_end_spans(s, task);
        else leave_spans(s, task, 1);
        break;
    case END: sim_end_spans(s, task); break;
    case READ: s->state.reading = 0;
    }
    free(task);
    return NULL;
}

static sim_task *read_batch(sim *s) {
    const int device = s->plan.device && (s->mode != SIM_AUTO || s->now >= s->open_at - s->m.open);
    const double length = s->w->residues / s->w->seqs, usual = WS_PLAN_DEVICE_BATCH;
    const double batch = fmin((double)ws_plan_most_batch(s->w->nodes),
                              device ? usual : (double)ws_plan_batch((uint64_t)s->w->nodes));
    sim_task *t = sim_new_task(READ, MSV);
    s->state.reading = 1;
    if (s->seqs_left < 1) {
        s->state.ended = 1;
        return t;
    }
    sim_pool *p = calloc(1, sizeof *p), **last = &s->filter[0].first;
    p->seqs = fmin(s->seqs_left, ceil(batch / length));
    p->all = 1;
    p->number = ++s->pools;
    p->residues = p->seqs * length;
    p->pairs = p->seqs * s->w->models;
    p->cells = p->pairs * s->w->cells[MSV] / s->w->n[MSV];
    s->seqs_left -= p->seqs;
    t->seconds = p->residues * s->w->read;
    while (*last) last = &(*last)->next;
    *last = p; /* threads find it at once, not after the reading: a batch is milliseconds */
    return t;
}

/* Lets a thread choose. Returns whether it has something to do. */
static int choose(sim *s, sim_thread *t) {
    const ws_chain_stage *stage;
    ws_chain_step step;
    believe(s);
    const ws_chain_action what = ws_chain_choose(&s->ops, &s->state, &t->is, &stage, &step);
    if (what == WS_CHAIN_WAIT || what == WS_CHAIN_LEAVE) return 0;
    t->helps = what == WS_CHAIN_HELP;
    begin(s, t, what == WS_CHAIN_READ ? read_batch(s) : step.pool);
    return 1;
}

/* Lets all threads choose that wait, until none finds anything. */
static void choose_all(sim *s) {
    int some = 1;
    while (some) {
        some = 0;
        for (int i = 0; i < s->nthread; i++) {
            sim_thread *t = &s->thread[i];
            const int cpu = t->is.kind == WS_CHAIN_CPU;
            if (t->task) continue;
            s->state.idle -= cpu;
            const int took = choose(s, t);
            s->state.idle += cpu && (!took || t->helps);
            some |= took;
        }
    }
}

/* Opens or loses the device at its time. The thread of a stream scores what its call had; spans are for all. */
static void change_device(sim *s) {
    look(s);
    if (s->plan.opening && s->now >= s->open_at) join_device(s);
    if (!s->plan.device || s->now < s->lost) return;
    s->plan.device = s->plan.streams = s->plan.opening = 0;
    for (int i = s->m.threads; i < s->nthread; i++) {
        sim_thread *t = &s->thread[i];
        if (!t->task || (t->task->what != SCORE && t->task->what != SPANS)) continue;
        t->host = t->task->what == SCORE ? cpu_seconds(s, t->task) : 1e-9;
        t->kernel = 0;
        if (t->task->what == SPANS) leave_spans(s, t->task, 0);
    }
}

/* Goes on to the next end of a thread, or of a device's change. Returns 0 if nothing goes on. */
static int advance(sim *s) {
    enum { MOST = 16 };
    int active[MOST] = {0};
    double least = INFINITY;
    for (int i = s->m.threads; i < s->nthread; i++)
        if (s->thread[i].task && s->thread[i].kernel > 0 && s->thread[i].host <= 0)
            active[device_of(s, &s->thread[i])]++;
    for (int i = 0; i < s->nthread; i++) {
        const sim_thread *t = &s->thread[i];
        if (!t->task) continue;
        least = fmin(least, t->host > 0 || t->kernel <= 0 ? t->host : t->kernel * active[device_of(s, t)]);
    }
    if (least == INFINITY) return 0;
    if (s->plan.opening) least = fmin(least, s->open_at - s->now);
    if (s->now < s->lost) least = fmin(least, s->lost - s->now);
    s->now += least;
    for (int d = 0; d < s->m.devices; d++) s->r.device += active[d] ? least : 0;
    for (int i = 0; i < s->nthread; i++) {
        sim_thread *t = &s->thread[i];
        if (!t->task) continue;
        if (t->is.kind == WS_CHAIN_CPU) s->r.cpu += least;
        if (t->host > 0) t->host = t->host - least < 1e-12 ? 0 : t->host - least;
        else if (t->kernel > 0) t->kernel -= least / active[device_of(s, t)];
        if (t->host > 0 || t->kernel > 1e-12) continue;
        s->state.idle -= t->helps;
        t->helps = 0;
        sim_task *next = end(s, t);
        if (next) begin(s, t, next);
        else s->state.idle += t->is.kind == WS_CHAIN_CPU;
    }
    change_device(s);
    return 1;
}

/* ---- the lower bound ---- */

/* Returns how many times faster a device does work of a kind than a thread; without end, if it alone may. */
static double gain(const sim *s, int kind) {
    return s->mode == SIM_CUDA && kind < PARSE ? INFINITY : s->m.device[kind] / s->m.cpu[kind];
}

/* Return the seconds before the chain, and behind it. */
static double start_of(const sim *s) { return s->w->start[0] + s->w->start[1] / s->m.threads; }
static double end_of(const sim *s) { return s->w->end[0] + s->w->end[1] / s->m.threads; }

/* Returns whether threads and devices, each at work all the time, end the chain in so many seconds: devices get what
 * they do fastest beside the CPU. */
static int may_end(const sim *s, double seconds, int opens) {
    const double open = fmax(s->m.wake, start_of(s)) + s->m.open;
    double device = 0, cpu = 0; /* seconds of a device */
    int done[KINDS] = {0};
    for (int d = 0; d < s->m.devices && opens; d++) device += fmax(0, seconds - open) * s->m.part[d];
    for (int n = 0; n < KINDS; n++) {
        int best = -1;
        for (int k = 0; k < KINDS; k++)
            if (!done[k] && (best < 0 || gain(s, k) > gain(s, best))) best = k;
        const double there = s->w->cells[best] / s->m.device[best], share = fmin(1, device / there);
        if (share < 1 && gain(s, best) == INFINITY) return 0;
        device -= share * there;
        cpu += (1 - share) * s->w->cells[best] / s->m.cpu[best];
        done[best] = 1;
    }
    return cpu + s->w->residues * s->w->read <= (seconds - start_of(s)) * s->m.threads;
}

/* Work over all that computes; or the longest target, region and envelope one after another; or the reading. Then comes
 * what is written, or a device closes. */
static double bound_with(const sim *s, int opens) {
    double low = 0, high = 1e6, chain = 0;
    for (int k = PARSE; k < KINDS; k++) chain += s->w->longest[k] / s->m.cpu[k];
    while (high - low > 1e-4 * high) {
        const double middle = (low + high) / 2;
        if (may_end(s, middle, opens)) high = middle;
        else low = middle;
    }
    return fmax(low, start_of(s) + fmax(chain, s->w->residues * s->w->read)) +
           fmax(end_of(s), opens ? s->m.close : 0);
}

/* Returns the bound of the backend; of auto with a device or without, whichever is less. */
static double bound_of(const sim *s) {
    if (s->mode != SIM_AUTO) return bound_with(s, s->mode != SIM_CPU);
    return fmin(bound_with(s, 0), bound_with(s, 1));
}

/* ---- from work and machine to a result ---- */

static void open_sim(sim *s) {
    static const char *const name[] = {"msv", "vit", "fwd", "parse", "ensemble", "envelope"};
    const int streams = s->m.devices * s->m.streams;
    s->now = start_of(s);
    s->plan = (ws_plan_machine){.threads = s->m.threads, .cpu = s->mode != SIM_CUDA};
    s->plan.device = s->mode == SIM_CUDA || s->mode == SIM_BOTH;
    s->open_at = s->plan.device ? fmax(s->m.wake, s->now) + s->m.open : INFINITY;
    s->plan.streams = s->plan.device ? streams : 0;
    s->thread = calloc((size_t)(s->m.threads + streams), sizeof *s->thread);
    s->nthread = s->m.threads + s->plan.streams;
    s->seqs_left = s->w->seqs;
    s->state.idle = s->m.threads;
    for (int i = 0; i < s->m.threads + streams; i++)
        s->thread[i] = (sim_thread){.is = {i < s->m.threads ? WS_CHAIN_CPU : WS_CHAIN_DEVICE, i}, .stream = -1};
    for (int k = 0; k < 3; k++) {
        s->filter[k] = (sim_filter){.of = s, .kind = k};
        s->spans[k] = (sim_stage){.of = s, .kind = PARSE + k};
        s->spans[k].bucket = calloc((size_t)s->w->models, sizeof *s->spans[k].bucket);
        s->stage[k] = (ws_chain_stage){&s->filter[k], sim_take_pairs, NULL, sim_pairs_left, name[k], WS_STEP_NONE};
        s->stage[PARSE + k] = (ws_chain_stage){&s->spans[k], sim_take_spans, NULL, sim_spans_left, name[PARSE + k],
                                               WS_STEP_NONE};
    }
    s->stage[KINDS] = (ws_chain_stage){s, take_end, NULL, none_left, "end", WS_STEP_NONE};
    s->stage[KINDS + 1] = (ws_chain_stage){s, take_decision, NULL, none_left, "decide", WS_STEP_NONE};
    s->ops = (ws_chain_ops){.stage = s->stage, .nstage = KINDS + 2, .own = s, .wish = wish, .hungry = hungry};
}

/* Runs a search. lost: when the device is lost; INFINITY: never. */
static sim_result simulate(const sim_work *w, const sim_machine *m, sim_mode mode, double lost) {
    static sim s;
    s = (sim){.w = w, .m = *m, .mode = mode, .lost = lost};
    open_sim(&s);
    s.r.bound = bound_of(&s);
    look(&s); /* at the first reading */
    do choose_all(&s);
    while (advance(&s));
    /* the run waits for a device that opens; it closes beside the output */
    const int opened = s.open_at < INFINITY;
    s.r.seconds = opened ? fmax(s.now, s.open_at) + fmax(end_of(&s), s.m.close) : s.now + end_of(&s);
    for (int k = 0; k < SPAN_KINDS; k++) free(s.spans[k].bucket);
    free(s.thread);
    return s.r;
}

static const char *const mode_name[] = {"cpu", "cuda", "cuda+cpu", "auto"};

static int print_table(int argc, char **argv) {
    sim_machine m[16];
    const int n = read_machines(m, 16, argv[1]);
    printf("work\tmachine\tbackend\tseconds\tbound\tratio\tprocessor\tdevice\n");
    for (int i = 2; i < argc; i++) {
        sim_work w;
        read_work(&w, argv[1], argv[i]);
        for (int k = 0; k < n; k++)
            for (int mode = SIM_CPU; mode <= (m[k].devices ? SIM_AUTO : SIM_CPU); mode++) {
                const sim_result r = simulate(&w, &m[k], (sim_mode)mode, INFINITY);
                printf("%s\t%s\t%s\t%.3f\t%.3f\t%.2f\t%.1f\t%.2f\n", w.name, m[k].name, mode_name[mode], r.seconds,
                       r.bound, r.seconds / r.bound, r.cpu, r.device);
                fflush(stdout);
            }
    }
    return 0;
}

/* ---- tests ---- */

#define FOLDER "tests/data/plan"

/* Returns whether a run did all of its work. Parts of pairs that pass may be left. */
static int is_done(const sim_work *w, const sim_result *r) {
    int bad = 0;
    for (int k = 0; k < KINDS; k++) bad += fabs(r->done[k] - w->n[k]) > 4 + 0.002 * w->n[k];
    return !bad;
}

/* Runs that take more than MOST of their bound, and why. machine NULL: all; mode ALL: all backends. */
#define MOST 1.15
enum { ALL = -1 };
static const struct {
    const char *work, *machine;
    int mode;
    double most;
    const char *why;
} longer[] = {
    {"query", NULL, ALL, 2, "what passes is little, and waits for the end of the input, which one thread reads"},
    {"yeast", "64-avx512-t4", SIM_BOTH, 2.6, "the CPU alone would end before the device is open"},
    {"yeast", "8-avx512-l40s", SIM_AUTO, 1.85, "what is left seems too short for a device"},
    {"yeast", NULL, ALL, 1.6, "the last steps of each stage are not many"},
    {"family", "64-avx512-t4", ALL, 1.5, "the device has the first pairs of each filter while threads wait"},
    {"family", NULL, SIM_AUTO, 1.22, "the device opens when some of the work was seen"},
    {"family", NULL, ALL, 1.22, "domains come after the first calls of three filters"},
    {"padloc", NULL, ALL, 1.23, "domains come after the first calls of three filters"},
    {"queries", "64-avx512-t4", SIM_CUDA, 1.27, "the device alone may score pairs, and ends late"},
};

/* Where auto takes longer beside the best backend than it should, and why. */
static const struct {
    const char *work, *machine;
    double most;
    const char *why;
} slower[] = {
    {"yeast", "8-avx512-l40s", 1.25, "what is left seems too short for a device"},
    {"padloc", "8-avx512-l40s", 1.15, "the first batches are small, and the last calls meet badly"},
};

static void test_auto(tap *t, const sim_work *w, const sim_machine *m, double best, double seconds) {
    const size_t n = sizeof slower / sizeof *slower;
    size_t k = 0;
    while (k < n && (strcmp(slower[k].work, w->name) != 0 || strcmp(slower[k].machine, m->name) != 0)) k++;
    tap_ok(t, seconds < best * (k < n ? slower[k].most : best < 1 ? 1.15 : 1.10),
           "%s, %s: auto takes %.2f of the best backend%s%s", w->name, m->name, seconds / best, k < n ? ": " : "",
           k < n ? slower[k].why : "");
}

static void test_measured(tap *t, const sim_work *w, const sim_machine *m, const char *backend, double seconds) {
    for (int i = 0; i < w->nmeasured; i++) {
        const struct sim_measured *x = &w->measured[i];
        if (strcmp(x->machine, m->name) != 0 || strcmp(x->backend, backend) != 0) continue;
        tap_ok(t, fabs(seconds / x->seconds - 1) < 0.15, "%s, %s, %s: %.2f s, measured %.2f", w->name, m->name, backend,
               seconds, x->seconds);
    }
}

/* A search does all of its work, not before the bound, and not much later. With auto it is about as fast as with the
 * best backend. */
static void test_runs(tap *t, const sim_work *w, const sim_machine *m) {
    double best = INFINITY, last = 0;
    for (int mode = SIM_CPU; mode <= (m->devices ? SIM_AUTO : SIM_CPU); mode++) {
        const sim_result r = simulate(w, m, (sim_mode)mode, INFINITY);
        const size_t n = sizeof longer / sizeof *longer;
        size_t k = 0;
        while (k < n && (strcmp(longer[k].work, w->name) != 0 ||
                         (longer[k].machine && strcmp(longer[k].machine, m->name) != 0) ||
                         (longer[k].mode != ALL && longer[k].mode != mode)))
            k++;
        tap_ok(t, is_done(w, &r) && r.seconds > 0.99 * r.bound && r.seconds < (k < n ? longer[k].most : MOST) * r.bound,
               "%s, %s, %s: %.2f s, bound %.2f, %.2f times%s%s", w->name, m->name, mode_name[mode], r.seconds, r.bound,
               r.seconds / r.bound, r.seconds > MOST * r.bound ? ": " : "",
               r.seconds > MOST * r.bound && k < n ? longer[k].why : "");
        test_measured(t, w, m, mode_name[mode], r.seconds);
        best = fmin(best, r.seconds);
        last = r.seconds;
    }
    if (m->devices) test_auto(t, w, m, best, last);
}

/* A device that opens late, is lost, or is 100 times slower than the plan believed, beside the CPU. */
static void test_devices(tap *t, const sim_work *w, const sim_machine *m) {
    const sim_result cpu = simulate(w, m, SIM_CPU, INFINITY), both = simulate(w, m, SIM_BOTH, INFINITY);
    sim_machine late = *m, slow = *m;
    late.open = cpu.seconds / 2;
    for (int k = 0; k < KINDS; k++) slow.device[k] /= 100;
    const sim_result opened = simulate(w, &late, SIM_AUTO, INFINITY), lost = simulate(w, m, SIM_BOTH, both.seconds / 2),
                     slowed = simulate(w, &slow, SIM_BOTH, INFINITY);
    tap_ok(t, is_done(w, &opened) && opened.seconds > late.open && opened.seconds < 0.8 * cpu.seconds,
           "a device that opens late ends what is left: %.2f s, of the CPU %.2f", opened.seconds, cpu.seconds);
    tap_ok(t, is_done(w, &lost) && lost.seconds > both.seconds && lost.seconds < cpu.seconds,
           "the CPU ends what a lost device leaves: %.2f s", lost.seconds);
    tap_ok(t, is_done(w, &slowed) && slowed.seconds < 1.4 * cpu.seconds,
           "a device 100 times slower than believed: %.2f s", slowed.seconds);
}

/* A second device that is slower by so many times. Work is shared by demand: with half of it each, the slower one would
 * end last. */
static void test_slower(tap *t, const sim_work *w, const sim_machine *m) {
    static const struct {
        double times, most; /* of the bound */
    } c[] = {{2, 1.15}, {3, 1.15}};
    for (int first = 0; first < 2; first++)
        for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
            sim_machine x = *m;
            x.part[first ? 0 : 1] = 1 / c[i].times;
            const sim_result r = simulate(w, &x, SIM_CUDA, INFINITY);
            tap_ok(t, is_done(w, &r) && r.seconds < c[i].most * r.bound,
                   "%s, %s, one is %g times slower, the %s: %.2f s, bound %.2f", w->name, m->name, c[i].times,
                   first ? "first" : "second", r.seconds, r.bound);
        }
}

int main(int argc, char **argv) {
    static const char *const name[] = {"query", "yeast", "family", "padloc", "queries"};
    enum { H100 = 1, TWO_H100 = 2, MACHINES = 16 };
    sim_machine m[MACHINES];
    sim_work w;
    tap t = {0};
    if (argc > 2) return print_table(argc, argv);
    const int n = read_machines(m, MACHINES, FOLDER);
    if (!tap_ok(&t, n == 5, "machines are read: %d", n)) return tap_end(&t);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        read_work(&w, FOLDER, name[i]);
        for (int k = 0; k < n; k++) test_runs(&t, &w, &m[k]);
        if (!strcmp(w.name, "padloc")) test_devices(&t, &w, &m[H100]);
        if (!strcmp(w.name, "queries")) test_slower(&t, &w, &m[TWO_H100]);
    }
    return tap_end(&t);
}
