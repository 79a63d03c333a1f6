/* SPDX-License-Identifier: MIT
 * The chain of stages alone. Numbers go through four stages with pools of chance sizes, in steps of chance sizes: each
 * number meets each stage that it reaches once, on a thread of the right kind, for any number of threads. A bounded
 * source is never read beyond its bound, one that pauses does not keep anything waiting, and of several failures the
 * first in the input is reported. */
#include "lib/run/chain.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { STAGES = 4, NUMBERS = 3000, ROOM = 4 * NUMBERS, BATCH = 50, BOUND = 4, LAST = STAGES - 1, NOWHERE = -1 };

typedef struct trial trial;

/* All numbers that came to a stage, in their order: those before `taken` are taken, those before `closed` may be. */
typedef struct stage {
    trial *of;
    int place;
    size_t full, step;   /* numbers that make a pool full; the most in a step */
    int number[ROOM];
    size_t n, closed, taken, done;
    _Atomic int met[NUMBERS];
    pthread_mutex_t lock;
} stage;

struct trial {
    stage stage[STAGES];
    int device_stage; /* for devices alone; NOWHERE: the CPU does all */
    int helps;        /* the CPU helps them */
    int next, last;   /* of the source */
    int pauses;       /* every second reading brings nothing, and everything must be done by the third in a row */
    int bad_stage, bad_number, bad_read;
    int slow; /* the source waits until all that it gave is done */
    uint64_t alone;
    _Atomic int wrong, reading, helped, others, kinds[WS_CHAIN_KINDS];
};

/* A fifth of the numbers ends at each stage but the last. */
static int passes(int number, int place) { return number % 5 != place; }

static void dawdle(size_t n) { nanosleep(&(struct timespec){.tv_nsec = (long)(n * 7919 % 11) * 3000 + 1}, NULL); }

static void put(stage *s, int number) {
    pthread_mutex_lock(&s->lock);
    s->number[s->n++] = number;
    if (s->n - s->closed >= s->full) s->closed = s->n;
    pthread_mutex_unlock(&s->lock);
}

static int take(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    stage *s = own;
    const int helps = s->of->helps && s->place == s->of->device_stage && need == WS_CHAIN_SPARE;
    const int mine = s->of->device_stage == NOWHERE || helps ||
                     (s->place == s->of->device_stage) == (t->kind == WS_CHAIN_DEVICE);
    if (helps) s->of->helped++;
    if (need == WS_CHAIN_SPARE && t->kind != WS_CHAIN_CPU) s->of->wrong++;
    pthread_mutex_lock(&s->lock);
    if (mine && s->taken == s->closed &&
        (need == WS_CHAIN_ANY || (need == WS_CHAIN_SOME && s->n - s->closed >= s->full / 2)))
        s->closed = s->n;
    const size_t n = mine ? ws_min(s->closed - s->taken, s->step) : 0;
    *step = (ws_chain_step){.pool = s, .from = s->taken, .to = s->taken + n,
                            .order = n ? (uint64_t)s->number[s->taken] : 0};
    s->taken += n;
    pthread_mutex_unlock(&s->lock);
    return n > 0;
}

static int work(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    stage *s = own;
    int rc = WS_OK;
    dawdle(step->from + step->to);
    s->of->kinds[t->kind]++;
    s->of->others += t->number != 0;
    for (size_t i = step->from; i < step->to && !rc; i++) {
        pthread_mutex_lock(&s->lock);
        const int number = s->number[i];
        pthread_mutex_unlock(&s->lock);
        if (s->met[number]++) s->of->wrong++;
        if (s->place == s->of->bad_stage && number >= s->of->bad_number)
            rc = ws_fail(err, WS_EDATA, "%d fails", number);
        else if (s->place < LAST && passes(number, s->place)) put(s + 1, number);
    }
    pthread_mutex_lock(&s->lock);
    s->done += step->to - step->from;
    pthread_mutex_unlock(&s->lock);
    return rc;
}

static int left(void *own) {
    stage *s = own;
    pthread_mutex_lock(&s->lock);
    const int some = s->done < s->n;
    pthread_mutex_unlock(&s->lock);
    return some;
}

static int is_done(trial *t) {
    int done = 1;
    for (int i = 0; i < STAGES; i++) done &= !left(&t->stage[i]);
    return done;
}

static size_t in_flight(stage *s) {
    pthread_mutex_lock(&s->lock);
    const size_t n = s->n - s->done;
    pthread_mutex_unlock(&s->lock);
    return n;
}

static ws_chain_wish wish(void *own) {
    trial *t = own;
    const size_t n = in_flight(&t->stage[0]);
    if (t->slow && !is_done(t)) return WS_CHAIN_DRAIN;
    return n > (BOUND - 1) * BATCH ? WS_CHAIN_NO_ROOM : n < BATCH ? WS_CHAIN_HURRY : WS_CHAIN_ROOM;
}

static int read_some(void *own, ws_err *err) {
    trial *t = own;
    int rc = WS_OK;
    if (t->reading++) t->wrong++;
    if (in_flight(&t->stage[0]) > (BOUND - 1) * BATCH) t->wrong++;
    if (t->next >= t->bad_read) {
        rc = ws_fail(err, WS_EIO, "the source fails");
    } else if (t->pauses == 2 && !is_done(t)) {
        rc = WS_AGAIN; /* until all is done: a chain that keeps something waiting for more input never ends */
    } else if (t->pauses == 1) {
        t->pauses = 2;
        rc = WS_AGAIN;
    } else if (t->next == t->last) {
        rc = WS_EOF;
    } else {
        for (int i = 0; i < BATCH; i++) put(&t->stage[0], t->next++);
        t->pauses -= t->pauses == 2;
    }
    dawdle((size_t)t->next);
    t->reading--;
    return rc;
}

/* Returns the numbers of the input that did not meet each stage that they should, or met another. */
static int missed(const trial *t) {
    int n = 0;
    for (int i = 0; i < NUMBERS; i++) {
        int comes = i < t->last;
        for (int k = 0; k < STAGES; k++) {
            n += t->stage[k].met[i] != comes;
            comes = comes && passes(i, k);
        }
    }
    return n;
}

static trial *make(sample *chance) {
    ws_err err = {0};
    trial *t = ws_calloc(1, sizeof *t, &err);
    sample_must(t ? WS_OK : WS_ENOMEM, &err);
    for (int i = 0; i < STAGES; i++) {
        t->stage[i] = (stage){.of = t, .place = i, .full = i ? 1 + (size_t)sample_below(chance, 2 * BATCH) : BATCH,
                              .step = 1 + (size_t)sample_below(chance, BATCH)};
        pthread_mutex_init(&t->stage[i].lock, NULL);
    }
    t->device_stage = t->bad_stage = NOWHERE;
    t->bad_read = ROOM;
    t->last = NUMBERS;
    return t;
}

static int run(trial *t, int threads, int devices, ws_err *err) {
    ws_chain_stage list[STAGES];
    for (int i = 0; i < STAGES; i++) list[i] = (ws_chain_stage){&t->stage[i], take, work, left, "stage", WS_STEP_NONE};
    const ws_chain_ops ops = {.stage = list, .nstage = STAGES, .own = t, .wish = wish, .read = read_some,
                              .alone = t->alone};
    ws_chain *c;
    int rc = ws_chain_create(&c, &ops, err);
    sample_must(rc, err);
    if (devices && ws_chain_join(c, WS_CHAIN_DEVICE, devices) != devices) t->wrong++;
    rc = ws_chain_run(c, threads, err);
    if (ws_chain_join(c, WS_CHAIN_CPU, 1) != 0) t->wrong++; /* the run is over */
    ws_chain_destroy(c);
    return rc;
}

static void test(tap *t, sample *chance, int threads) {
    ws_err err = {0};
    trial *r = make(chance);
    int rc = run(r, threads, 0, &err);
    tap_ok(t, rc == WS_OK && !r->wrong && !missed(r) && is_done(r), "%d threads: each number meets its stages once",
           threads);
    ws_free(r);

    r = make(chance);
    r->device_stage = sample_below(chance, STAGES);
    rc = run(r, threads, 2, &err);
    tap_ok(t, rc == WS_OK && !r->wrong && !missed(r) && r->kinds[WS_CHAIN_DEVICE],
           "%d threads and two of devices, which have stage %d", threads, r->device_stage);
    ws_free(r);

    r = make(chance);
    r->device_stage = sample_below(chance, STAGES);
    r->helps = 1;
    rc = run(r, threads, 1, &err);
    tap_ok(t, rc == WS_OK && !r->wrong && !missed(r) && r->helped,
           "%d threads help one of devices before they would wait", threads);
    ws_free(r);

    r = make(chance);
    r->pauses = 1;
    r->last = 10 * BATCH;
    rc = run(r, threads, 0, &err);
    tap_ok(t, rc == WS_OK && !r->wrong && !missed(r), "%d threads: what came before a pause is done in it", threads);
    ws_free(r);

    r = make(chance);
    r->slow = 1;
    r->device_stage = threads % 2 ? NOWHERE : sample_below(chance, STAGES);
    for (int i = 1; i < STAGES; i++) r->stage[i].full = ROOM;
    rc = run(r, threads, 2, &err);
    tap_ok(t, rc == WS_OK && !r->wrong && !missed(r), "%d threads: pools empty when the source wants it", threads);
    ws_free(r);

    for (int much = 0; much < 2; much++) {
        r = make(chance);
        r->alone = much ? 1000 : UINT64_MAX / 2;
        rc = run(r, threads, 0, &err);
        tap_ok(t, rc == WS_OK && !r->wrong && !missed(r) && !r->others == (threads == 1 || !much),
               "%d threads: %s", threads,
               much ? "others start once the first has worked" : "one does what is little work");
        ws_free(r);
    }

    r = make(chance);
    r->last = 0;
    tap_ok(t, run(r, threads, 1, &err) == WS_OK && !missed(r), "%d threads: no input", threads);
    ws_free(r);

    r = make(chance);
    r->bad_read = r->last = BATCH * sample_below(chance, NUMBERS / BATCH);
    rc = run(r, threads, 0, &err);
    tap_ok(t, rc == WS_EIO && !r->wrong && !missed(r),
           "%d threads: the source fails, and what came before goes on to the end", threads);
    ws_free(r);

    for (int bad = 0; bad < STAGES; bad++) {
        r = make(chance);
        r->bad_stage = bad;
        r->bad_number = sample_below(chance, NUMBERS - 2 * BATCH);
        r->bad_read = r->bad_number / BATCH * BATCH + 2 * BATCH;
        int first = r->bad_number; /* the first that reaches the stage */
        for (int k = 0; k < bad; k++)
            if (!passes(first, k)) first++, k = -1;
        rc = run(r, threads, 0, &err);
        char want[32];
        snprintf(want, sizeof want, "%d fails", first);
        const int met = rc == WS_EDATA && !r->wrong;
        tap_ok(t, met && (bad ? strstr(err.text, "fails") != NULL : !strcmp(err.text, want)),
               "%d threads: stage %d fails from %d on, and the source later, which counts for nothing", threads, bad,
               first);
        ws_free(r);
    }
}

/* ---- a device while the CPU waits, or soon will ---- */

enum { EARLY = 20 }; /* full pools of the first stage */

/* Two stages of a device. Each step of the first adds a number to the pool of the second, which is not full. With
 * `busy` the CPU has a step that ends with the first stage, and the source says whether it is hungry. */
typedef struct hungry {
    pthread_mutex_t lock;
    pthread_cond_t asked;
    int wishes, taken, done, waiting, late, read; /* late: steps of the second after all of the first */
    int busy, says, begun;
} hungry;

static int take_early(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    hungry *h = own;
    (void)need;
    if (t->kind != WS_CHAIN_DEVICE || h->taken == EARLY || !h->read || h->begun < h->busy) return 0;
    *step = (ws_chain_step){.order = (uint64_t)h->taken++};
    return 1;
}

static int work_early(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    hungry *h = own;
    (void)t, (void)step, (void)err;
    pthread_mutex_lock(&h->lock);
    /* after its reading the CPU's thread finds nothing */
    while (!h->busy && h->wishes < 2) pthread_cond_wait(&h->asked, &h->lock);
    h->done++;
    h->waiting++;
    pthread_cond_broadcast(&h->asked);
    pthread_mutex_unlock(&h->lock);
    return WS_OK;
}

static int take_late(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    hungry *h = own;
    pthread_mutex_lock(&h->lock);
    const int some = t->kind == WS_CHAIN_DEVICE && h->waiting > 0 && (need == WS_CHAIN_EARLY || need == WS_CHAIN_ANY);
    h->waiting -= some;
    h->late += some && h->done == EARLY;
    pthread_mutex_unlock(&h->lock);
    *step = (ws_chain_step){.order = 0};
    return some;
}

static int work_late(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    (void)own, (void)t, (void)step, (void)err;
    return WS_OK;
}

static int take_busy(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    hungry *h = own;
    (void)need;
    if (t->kind != WS_CHAIN_CPU || !h->read || h->begun == h->busy) return 0;
    *step = (ws_chain_step){.order = 0};
    h->begun++;
    return 1;
}

static int work_busy(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    hungry *h = own;
    (void)t, (void)step, (void)err;
    pthread_mutex_lock(&h->lock);
    while (h->done < EARLY) pthread_cond_wait(&h->asked, &h->lock);
    pthread_mutex_unlock(&h->lock);
    return WS_OK;
}

static int left_busy(void *own) { return ((hungry *)own)->begun < ((hungry *)own)->busy; }
static int is_hungry(void *own) { return ((hungry *)own)->says; }

static int left_early(void *own) { return ((hungry *)own)->done < EARLY; }
static int left_late(void *own) { return ((hungry *)own)->waiting > 0; }

/* There is no room until the first stage is done. */
static ws_chain_wish wish_of_hungry(void *own) {
    hungry *h = own;
    pthread_mutex_lock(&h->lock);
    h->wishes++;
    pthread_cond_broadcast(&h->asked);
    const int done = !h->read || h->done == EARLY;
    pthread_mutex_unlock(&h->lock);
    return done ? WS_CHAIN_ROOM : WS_CHAIN_NO_ROOM;
}

static int read_hungry(void *own, ws_err *err) {
    hungry *h = own;
    (void)err;
    return h->read++ ? WS_EOF : WS_OK;
}

static void test_hungry(tap *t, int busy, int says, int least, int most, const char *what) {
    hungry h = {.lock = PTHREAD_MUTEX_INITIALIZER, .asked = PTHREAD_COND_INITIALIZER, .busy = busy, .says = says};
    const ws_chain_stage list[] = {{&h, take_busy, work_busy, left_busy, "busy", WS_STEP_NONE},
                                   {&h, take_early, work_early, left_early, "early", WS_STEP_NONE},
                                   {&h, take_late, work_late, left_late, "late", WS_STEP_NONE}};
    const ws_chain_ops ops = {.stage = list, .nstage = 3, .own = &h, .wish = wish_of_hungry, .read = read_hungry,
                              .hungry = is_hungry};
    ws_err err = {0};
    ws_chain *c;
    int rc = ws_chain_create(&c, &ops, &err);
    sample_must(rc, &err);
    if (ws_chain_join(c, WS_CHAIN_DEVICE, 1) != 1) rc = WS_ENOMEM;
    if (!rc) rc = ws_chain_run(c, 1, &err);
    ws_chain_destroy(c);
    tap_ok(t, rc == WS_OK && h.done == EARLY && !h.waiting && h.late >= least && h.late <= most, "%s (%d)", what,
           h.late);
}

/* ---- a stage that refuses its work until another thread says so ---- */

typedef struct locked {
    ws_chain *chain;
    _Atomic int open, left;
} locked;

static int take_locked(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    const locked *l = own;
    (void)t, (void)need;
    *step = (ws_chain_step){0};
    return l->open && l->left;
}

static int work_locked(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    (void)t, (void)step, (void)err;
    ((locked *)own)->left = 0;
    return WS_OK;
}

static int left_locked(void *own) { return ((locked *)own)->left; }

static ws_chain_wish wish_nothing(void *own) {
    (void)own;
    return WS_CHAIN_ROOM;
}

static int read_nothing(void *own, ws_err *err) {
    (void)own, (void)err;
    return WS_EOF;
}

/* Opens the stage when both threads wait for long. */
static void *open_locked(void *own) {
    locked *l = own;
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    l->open = 1;
    ws_chain_ask_again(l->chain);
    return NULL;
}

static void test_asked_again(tap *t) {
    enum { PATIENCE = 60 }; /* seconds, after which a signal ends this program */
    locked l = {.left = 1};
    const ws_chain_stage only = {&l, take_locked, work_locked, left_locked, "locked", WS_STEP_NONE};
    const ws_chain_ops ops = {.stage = &only, .nstage = 1, .own = &l, .wish = wish_nothing, .read = read_nothing};
    ws_err err = {0};
    pthread_t opener;
    sample_must(ws_chain_create(&l.chain, &ops, &err), &err);
    if (pthread_create(&opener, NULL, open_locked, &l) != 0) sample_must(ws_fail(&err, WS_ENOMEM, "no thread"), &err);
    alarm(PATIENCE);
    const int rc = ws_chain_run(l.chain, 2, &err);
    alarm(0);
    pthread_join(opener, NULL);
    ws_chain_destroy(l.chain);
    tap_ok(t, rc == WS_OK && !l.left, "threads that wait ask again when another thread says so");
}

int main(void) {
    const char *seed = getenv("WARPSIEVE_SEED");
    sample chance = {seed ? strtoull(seed, NULL, 0) : 20261123};
    tap t = {0};
    tap_note("seed %llu", (unsigned long long)chance.state);
    for (int threads = 1; threads <= 8; threads++) test(&t, &chance, threads);
    test_hungry(&t, 0, 0, 0, 1, "while the CPU waits, a device takes from pools that are not full");
    test_hungry(&t, 1, 1, 0, 1, "the same while the CPU is busy, if the source says that it is hungry");
    test_hungry(&t, 1, 0, EARLY, EARLY, "else full pools come first");
    test_asked_again(&t);
    return tap_end(&t);
}
