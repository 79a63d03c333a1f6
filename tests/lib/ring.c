/* SPDX-License-Identifier: MIT
 * The ring of items alone, with slots of 1 to 9 parts that take chance times: each part is worked on once, a slot is
 * finished after the last of its parts and written in its turn, and a failure leaves what came before it. A stage
 * behind the ring ends what it has got. */
#include "lib/run/ring.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { SLOTS = 4, PARTS = 9, THREADS = 7, LENGTH = 60, NOWHERE = -1 };

typedef struct slot {
    int number;
    size_t parts;
    _Atomic int worked[PARTS], finished;
    int failed; /* what finish was told */
} slot;

typedef struct stream {
    size_t parts[LENGTH]; /* of each slot; the stream ends after the last */
    int bad_slot, bad_read; /* where a part fails, and the reader; NOWHERE: not at all */
    size_t bad_part;
    int nread, nwritten;
    int patient;              /* the bad part waits until the reader has failed */
    _Atomic int reader_failed;
    _Atomic int wrong;
    int behind;               /* a third stage gets every slot that is written, in steps of a full pool */
    pthread_mutex_t lock;     /* of these counts of it */
    int came, taken, ended;
} stream;

static void dawdle(const slot *s, size_t part) {
    nanosleep(&(struct timespec){.tv_nsec = (long)((size_t)s->number * 7 + part * 13) % 11 * 20000 + 1}, NULL);
}

static int read_slot(void *ctx, void *slot_, size_t *parts, ws_err *err) {
    stream *st = ctx;
    slot *s = slot_;
    st->reader_failed = st->nread == st->bad_read;
    if (st->reader_failed) return ws_fail(err, WS_EDATA, "the reader fails at %d", st->nread);
    if (st->nread == LENGTH) return WS_EOF;
    *s = (slot){.number = st->nread, .parts = st->parts[st->nread]};
    *parts = s->parts;
    st->nread++;
    return WS_OK;
}

static int work_part(void *ctx, void *slot_, size_t part, int thread, ws_err *err) {
    stream *st = ctx;
    slot *s = slot_;
    if (part >= s->parts || thread < 0 || thread >= THREADS || s->finished || s->worked[part]++) st->wrong++;
    dawdle(s, part);
    while (st->patient && !st->reader_failed && s->number == st->bad_slot && part == st->bad_part) dawdle(s, part);
    if (s->number == st->bad_slot && part == st->bad_part)
        return ws_fail(err, WS_EDATA, "part %zu of %d fails", part, s->number);
    return WS_OK;
}

static int finish_slot(void *ctx, void *slot_, int rc, int thread, ws_err *err) {
    stream *st = ctx;
    slot *s = slot_;
    (void)thread;
    (void)err;
    if (s->finished++) st->wrong++;
    for (size_t i = 0; i < s->parts && !rc; i++) st->wrong += s->worked[i] != 1;
    s->failed = rc != WS_OK;
    return rc;
}

static int write_slot(void *ctx, void *slot_, ws_err *err) {
    stream *st = ctx;
    const slot *s = slot_;
    (void)err;
    if (s->number != st->nwritten++ || s->finished != 1 || s->failed != (s->number == st->bad_slot)) st->wrong++;
    pthread_mutex_lock(&st->lock);
    st->came++;
    pthread_mutex_unlock(&st->lock);
    return WS_OK;
}

/* ---- the stage behind ---- */

static int take_behind(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step) {
    enum { FULL = 7 };
    stream *st = own;
    (void)t;
    pthread_mutex_lock(&st->lock);
    const int n = st->came - st->taken, some = n >= FULL || (need == WS_CHAIN_ANY && n > 0);
    *step = (ws_chain_step){.to = (size_t)n};
    if (some) st->taken = st->came;
    pthread_mutex_unlock(&st->lock);
    return some;
}

static int work_behind(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err) {
    stream *st = own;
    (void)t, (void)err;
    pthread_mutex_lock(&st->lock);
    st->ended += (int)step->to;
    pthread_mutex_unlock(&st->lock);
    return WS_OK;
}

static int left_behind(void *own) { return ((stream *)own)->ended < ((stream *)own)->came; }

static int run(stream *st, int threads, ws_err *err) {
    static const ws_ring_ops ops = {read_slot, work_part, finish_slot, write_slot};
    slot room[SLOTS];
    void *slots[SLOTS];
    ws_ring *r;
    ws_chain *c;
    for (int i = 0; i < SLOTS; i++) slots[i] = &room[i];
    pthread_mutex_init(&st->lock, NULL);
    sample_must(ws_ring_create(&r, &ops, st, slots, SLOTS, threads, err), err);
    ws_chain_stage stage[WS_RING_STAGES + 1];
    ws_ring_stages(r, stage);
    stage[WS_RING_STAGES] = (ws_chain_stage){st, take_behind, work_behind, left_behind, "behind", WS_STEP_NONE};
    const ws_chain_ops ops_of_chain = {.stage = stage, .nstage = WS_RING_STAGES + (st->behind != 0), .own = r,
                                       .wish = ws_ring_wish, .read = ws_ring_read};
    sample_must(ws_chain_create(&c, &ops_of_chain, err), err);
    int rc = ws_chain_run(c, threads, err);
    if (ws_ring_failure(r, err)) rc = err->code;
    ws_chain_destroy(c);
    ws_ring_destroy(r);
    pthread_mutex_destroy(&st->lock);
    if (st->behind && (st->ended != st->nwritten || st->taken != st->nwritten)) st->wrong++;
    return rc;
}

int main(void) {
    const char *seed = getenv("WARPSIEVE_SEED");
    sample chance = {seed ? strtoull(seed, NULL, 0) : 20240607};
    tap t = {0};
    tap_note("seed %llu", (unsigned long long)chance.state);
    for (int threads = 1; threads <= THREADS; threads += 2) {
        stream whole = {.bad_slot = NOWHERE, .bad_read = NOWHERE};
        for (int i = 0; i < LENGTH; i++) whole.parts[i] = 1 + (size_t)sample_below(&chance, PARTS);
        whole.behind = threads % 4 == 1;
        stream part = whole, both = whole, reader = whole;
        ws_err err = {0};
        int rc = run(&whole, threads, &err);
        tap_ok(&t, rc == WS_OK && whole.nwritten == LENGTH && !whole.wrong,
               "%d threads: every part once, slots in order", threads);

        part.bad_slot = sample_below(&chance, LENGTH);
        part.bad_part = (size_t)sample_below(&chance, (int)part.parts[part.bad_slot]);
        rc = run(&part, threads, &err);
        tap_ok(&t, rc == WS_EDATA && strstr(err.text, "part") && part.nwritten == part.bad_slot + 1 && !part.wrong,
               "%d threads: part %zu of slot %d fails, which is the last that is written", threads, part.bad_part,
               part.bad_slot);

        both.bad_slot = sample_below(&chance, LENGTH - 1);
        both.bad_read = both.bad_slot + 2;
        both.patient = threads > 1;
        rc = run(&both, threads, &err);
        tap_ok(&t, rc == WS_EDATA && strstr(err.text, "part") && both.nwritten == both.bad_slot + 1,
               "%d threads: a part of slot %d fails and the reader behind it, which counts for nothing", threads,
               both.bad_slot);

        reader.bad_read = sample_below(&chance, LENGTH);
        rc = run(&reader, threads, &err);
        tap_ok(&t, rc == WS_EDATA && strstr(err.text, "reader") && reader.nwritten == reader.bad_read && !reader.wrong,
               "%d threads: the reader fails behind %d slots, which are written", threads, reader.bad_read);
    }
    return tap_end(&t);
}
