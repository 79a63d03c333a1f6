/* SPDX-License-Identifier: MIT
 * The pipeline alone, with slots of 1 to 9 parts that take chance times: each part is worked on once, a slot is
 * finished after the last of its parts and written in its turn, and a failure leaves what came before it. */
#include "lib/run/pipe.h"
#include "tests/lib/sample.h"
#include "tests/tap.h"

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
    return WS_OK;
}

static int run(stream *st, int threads, ws_err *err) {
    static const ws_pipe_ops ops = {read_slot, work_part, finish_slot, write_slot, NULL};
    slot room[SLOTS];
    void *slots[SLOTS];
    for (int i = 0; i < SLOTS; i++) slots[i] = &room[i];
    return ws_pipe_run(&ops, st, slots, SLOTS, threads, err);
}

int main(void) {
    const char *seed = getenv("WARPSIEVE_SEED");
    sample chance = {seed ? strtoull(seed, NULL, 0) : 20240607};
    tap t = {0};
    tap_note("seed %llu", (unsigned long long)chance.state);
    for (int threads = 1; threads <= THREADS; threads += 2) {
        stream whole = {.bad_slot = NOWHERE, .bad_read = NOWHERE};
        for (int i = 0; i < LENGTH; i++) whole.parts[i] = 1 + (size_t)sample_below(&chance, PARTS);
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
