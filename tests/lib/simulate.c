/* SPDX-License-Identifier: MIT
 * Searches of recorded work (tests/data/plan/NAME.work) on machines that need not be there (tests/data/plan/machines),
 * beside the lower bound: see tests/lib/simulator.h. Without arguments the program tests that all work is done, and no
 * more than so much later than the bound. With arguments it prints a table: simulate FOLDER WORK... */
#include "tests/lib/simulator.h"
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

static int device_of(const sim *s, const sim_thread *t) { return (t->is.number - s->m.threads) / s->m.streams; }

/* Returns the seconds in which a thread of the CPU does a task. */
static double cpu_seconds(const sim *s, const sim_task *t) {
    return t->what == SCORE || t->what == SPANS ? t->cells / s->m.cpu[t->kind] : t->seconds;
}

/* Sets how long a thread has for what it took. */
static void begin(sim *s, sim_thread *t, sim_task *task) {
    const unsigned stream = (unsigned)(t->is.number - s->m.threads);
    const int on_device = t->is.kind == WS_CHAIN_DEVICE && (task->what == SCORE || task->what == SPANS);
    t->task = task;
    t->kernel = 0;
    t->host = cpu_seconds(s, task);
    s->state.busy++;
    if (!on_device) return;
    t->kernel = task->cells / s->m.device[task->kind];
    t->host = s->m.call + task->longest * s->m.serial + fmax(0, s->m.open - s->now);
    if (task->what == SPANS || task->pool->loaded >> stream & 1) return;
    task->pool->loaded |= 1u << stream;
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
    for (const sim_task *d = s->decisions; d; d = d->next) waiting++;
    switch (task->what) {
    case MAKE:
        task->pool->state = READY;
        task->pool->steps--;
        if (ws_plan_pool_spreads(&s->plan, task->kind, task->pool->pairs * s->w->n[VIT] / s->w->n[MSV]))
            task->pool->inlet = (int)(task->pool->number % INLETS);
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
    const int device = s->plan.device;
    const double length = s->w->residues / s->w->seqs, usual = 4 << 20; /* of a device: lib/run/dev_backend.cuh */
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
    if (s->mode == SIM_AUTO && !s->plan.device && s->now >= s->m.open && s->now < s->lost) {
        s->plan.device = 1;
        s->plan.streams = s->m.devices * s->m.streams;
        s->nthread = s->m.threads + s->plan.streams;
    }
    if (!s->plan.device || s->now < s->lost) return;
    s->plan.device = s->plan.streams = 0;
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
    if (s->mode == SIM_AUTO && s->now < s->m.open) least = fmin(least, s->m.open - s->now);
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

/* Returns whether threads and devices, each at work all the time, end all in so many seconds: devices get what they do
 * fastest beside the CPU. */
static int may_end(const sim *s, double seconds) {
    double device = s->mode == SIM_CPU ? 0 : fmax(0, seconds - s->m.open) * s->m.devices, cpu = 0;
    int done[KINDS] = {0};
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
    return cpu + s->w->residues * s->w->read <= seconds * s->m.threads;
}

/* Work over all that computes; or the longest target, region and envelope one after another; or the reading. */
static double bound_of(const sim *s) {
    double low = 0, high = 1e6, chain = 0;
    for (int k = PARSE; k < KINDS; k++) chain += s->w->longest[k] / s->m.cpu[k];
    while (high - low > 1e-4 * high) {
        const double middle = (low + high) / 2;
        if (may_end(s, middle)) high = middle;
        else low = middle;
    }
    return fmax(fmax(low, chain), s->w->residues * s->w->read);
}

/* ---- from work and machine to a result ---- */

static void open_sim(sim *s) {
    static const char *const name[] = {"msv", "vit", "fwd", "parse", "ensemble", "envelope"};
    const int streams = s->m.devices * s->m.streams;
    s->plan = (ws_plan_machine){s->m.threads, 0, 0, s->mode != SIM_CUDA};
    s->plan.device = s->mode == SIM_CUDA || s->mode == SIM_BOTH;
    s->plan.streams = s->plan.device ? streams : 0;
    s->thread = calloc((size_t)(s->m.threads + streams), sizeof *s->thread);
    s->nthread = s->m.threads + s->plan.streams;
    s->seqs_left = s->w->seqs;
    s->state.idle = s->m.threads;
    for (int i = 0; i < s->m.threads + streams; i++)
        s->thread[i].is = (ws_chain_thread){i < s->m.threads ? WS_CHAIN_CPU : WS_CHAIN_DEVICE, i};
    for (int k = 0; k < 3; k++) {
        s->filter[k] = (sim_filter){.of = s, .kind = k};
        s->spans[k] = (sim_stage){.of = s, .kind = PARSE + k};
        s->spans[k].bucket = calloc((size_t)s->w->models, sizeof *s->spans[k].bucket);
        s->stage[k] = (ws_chain_stage){&s->filter[k], sim_take_pairs, NULL, sim_pairs_left, name[k]};
        s->stage[PARSE + k] = (ws_chain_stage){&s->spans[k], sim_take_spans, NULL, sim_spans_left, name[PARSE + k]};
    }
    s->stage[KINDS] = (ws_chain_stage){s, take_end, NULL, none_left, "end"};
    s->stage[KINDS + 1] = (ws_chain_stage){s, take_decision, NULL, none_left, "decide"};
    s->ops = (ws_chain_ops){.stage = s->stage, .nstage = KINDS + 2, .own = s, .wish = wish, .hungry = hungry};
}

/* Runs a search. lost: when the device is lost; INFINITY: never. */
static sim_result simulate(const sim_work *w, const sim_machine *m, sim_mode mode, double lost) {
    static sim s;
    s = (sim){.w = w, .m = *m, .mode = mode, .lost = lost};
    open_sim(&s);
    s.r.bound = bound_of(&s);
    do choose_all(&s);
    while (advance(&s));
    s.r.seconds = s.now;
    for (int k = 0; k < SPAN_KINDS; k++) free(s.spans[k].bucket);
    free(s.thread);
    return s.r;
}

/* ---- files ---- */

/* Returns the next word of a line as a number. */
static double number(char **line) {
    char *end;
    const double x = strtod(*line, &end);
    if (end == *line) {
        printf("Bail out! a number was expected: %s\n", *line);
        exit(1);
    }
    *line = end;
    return x;
}

static FILE *open_file(const char *folder, const char *name, const char *suffix) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *f = fopen(path, "r");
    if (f) return f;
    printf("Bail out! %s cannot be read\n", path);
    exit(1);
}

/* Returns the line's rest behind its first word, if that is this word. */
static char *behind(char *line, const char *word) {
    const size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && line[n] == ' ' ? line + n : NULL;
}

static void read_numbers(char **line, int n, double *a, double *b, double *c) {
    double *const to[] = {a, b, c};
    for (int i = 0; i < n; i++) *to[i] = number(line);
}

/* Makes a work so many times as large. */
static void repeat(sim_work *w, double times) {
    w->seqs *= times;
    w->residues *= times;
    w->from_regions *= times;
    for (int k = 0; k < KINDS; k++) {
        w->n[k] *= times;
        w->cells[k] *= times;
    }
}

/* Reads a work. "times N" at its end: the input is so many times as large as the recorded one. */
static void read_work(sim_work *w, const char *folder, const char *name) {
    static const char *const kind[] = {"msv", "vit", "fwd", "parse", "ensemble", "envelope"};
    FILE *f = open_file(folder, name, ".work");
    char line[1024], *at;
    *w = (sim_work){0};
    snprintf(w->name, sizeof w->name, "%s", name);
    while (fgets(line, sizeof line, f)) {
        if ((at = behind(line, "models"))) read_numbers(&at, 2, &w->models, &w->nodes, NULL);
        if ((at = behind(line, "sequences"))) read_numbers(&at, 3, &w->seqs, &w->residues, &w->read);
        if ((at = behind(line, "from_ensembles"))) w->from_regions = number(&at);
        if ((at = behind(line, "times"))) repeat(w, number(&at));
        for (int k = 0; k < KINDS; k++) {
            if (!(at = behind(line, kind[k]))) continue;
            read_numbers(&at, 2, &w->n[k], &w->cells[k], NULL);
            for (int q = 0; q < TENTHS && k >= PARSE; q++) w->tenth[k][q] = number(&at);
            if (k >= PARSE) w->longest[k] = number(&at);
        }
    }
    fclose(f);
}

/* Reads the machines. Returns how many there are. */
static int read_machines(sim_machine *m, int most, const char *folder) {
    FILE *f = open_file(folder, "machines", "");
    char line[1024];
    int n = 0;
    while (n < most && fgets(line, sizeof line, f)) {
        char *at = line + strcspn(line, " ");
        sim_machine *x = &m[n];
        if (*line == '#' || *line == '\n') continue;
        snprintf(x->name, sizeof x->name, "%.*s", (int)(at - line), line);
        x->threads = (int)number(&at);
        x->devices = (int)number(&at);
        x->streams = (int)number(&at);
        for (int k = 0; k < KINDS; k++) x->cpu[k] = number(&at);
        for (int k = 0; k < KINDS; k++) x->device[k] = number(&at);
        double *const rest[] = {&x->open, &x->call, &x->serial, &x->unpack, &x->look, &x->region};
        for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) *rest[k] = number(&at);
        n++;
    }
    fclose(f);
    return n;
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

/* A search does all of its work, not before the bound, and not much later: START is what the first calls of a device
 * and its late first domains cost small searches. */
static void test_runs(tap *t, const sim_work *w, const sim_machine *m, sim_mode from) {
    const double most = 1.4, start = 0.4;
    for (int mode = (int)from; mode <= (m->devices ? SIM_AUTO : SIM_CPU); mode++) {
        const sim_result r = simulate(w, m, (sim_mode)mode, INFINITY);
        tap_ok(t, is_done(w, &r) && r.seconds > 0.99 * r.bound && r.seconds < most * r.bound + start,
               "%s, %s, %s: %.2f s, bound %.2f", w->name, m->name, mode_name[mode], r.seconds, r.bound);
    }
}

/* A device that opens late, is lost, or is 100 times slower than the plan believes, beside the CPU. The plan does not
 * see how slow the device is: its last calls end late. */
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

int main(int argc, char **argv) {
    static const char *const name[] = {"query", "yeast", "padloc"};
    enum { H100 = 1, MOST = 16 };
    sim_machine m[MOST];
    sim_work w;
    tap t = {0};
    if (argc > 2) return print_table(argc, argv);
    const int n = read_machines(m, MOST, FOLDER);
    if (!tap_ok(&t, n == 5, "machines are read: %d", n)) return tap_end(&t);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        read_work(&w, FOLDER, name[i]);
        for (int k = 0; k < n; k++) test_runs(&t, &w, &m[k], SIM_CPU);
    }
    test_devices(&t, &w, &m[H100]);
    read_work(&w, FOLDER, "queries");
    test_runs(&t, &w, &m[H100], SIM_CUDA);
    return tap_end(&t);
}
