/* SPDX-License-Identifier: MIT
 * One input as a stream of decompressed chunks: see lib/compress/source.h.
 *
 * The lock guards the queue and the flag `filling`. The thread that sets `filling` owns the feed and one free chunk
 * until it takes the flag back. It reads and inflates outside the lock. A chunk with blocks of BGZF goes into the queue
 * packed. The same thread unpacks it there, while others fill the next ones. */
#include "lib/compress/source.h"

#include "lib/base/mem.h"
#include "lib/compress/feed.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* READY_MAX chunks wait for the consumer at most. With BGZF each thread may have one more. */
enum { READY_MAX = 4, CHUNKS = 64 };

typedef struct slot {
    ws_chunk c;
    int ready;  /* the bytes are there */
    int rc;     /* what follows them if they were packed: WS_OK or a failure */
    ws_err err;
} slot;

struct ws_source {
    ws_feed feed;

    pthread_mutex_t lock;
    pthread_cond_t filled;
    int filling;
    int nslot;                                /* so many slots have memory */
    int queue[CHUNKS], first, nqueue, nready; /* indices of slots in input order; how many, and how many are ready */
    int idle[CHUNKS], nidle; /* a stack, so that a consumer alone uses the same cache-warm chunk all along */
    int held;                /* the consumer's, or -1 */
    int end;                 /* WS_OK, or what follows the last chunk of the queue: WS_EOF or a failure */
    int failed;              /* the end has come before what is in the queue */
    ws_err err;
    slot slot[CHUNKS]; /* the last member: those beyond nslot are not touched */
};

/* Opening and closing */

/* Makes memory for one more chunk, which is idle. */
static int add_slot(ws_source *s, ws_err *err) {
    slot *made = &s->slot[s->nslot];
    made->ready = 0;
    made->rc = WS_OK;
    made->c = (ws_chunk){.p = ws_alloc(WS_SOURCE_CHUNK, err)};
    if (!made->c.p) return err->code;
    s->idle[s->nidle++] = s->nslot++;
    return WS_OK;
}

int ws_source_open(ws_source **out, const char *path, ws_err *err) {
    *out = NULL;
    ws_source *s = ws_alloc(sizeof *s, err);
    if (!s) return err->code;
    memset(s, 0, offsetof(ws_source, slot));
    s->held = -1;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->filled, NULL);
    int rc = ws_feed_open(&s->feed, path, ws_source_name_of(path), err);
    while (!rc && s->nslot < READY_MAX) rc = add_slot(s, err);
    if (rc) ws_source_close(s);
    else *out = s;
    return rc;
}

void ws_source_close(ws_source *s) {
    if (!s) return;
    ws_feed_close(&s->feed);
    for (int i = 0; i < s->nslot; i++) {
        ws_bgzf_destroy(s->slot[i].c.group);
        ws_free(s->slot[i].c.p);
    }
    pthread_cond_destroy(&s->filled);
    pthread_mutex_destroy(&s->lock);
    ws_free(s);
}

const char *ws_source_name(const ws_source *s) { return s->feed.name; }

int ws_source_is_stdin(const char *path) {
    static const char *const name[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(path, name[i])) return 1;
    return 0;
}

int ws_source_was_silent(const ws_source *s) {
    return s->feed.is_pipe && !atomic_load_explicit(&s->feed.done, memory_order_relaxed);
}

const char *ws_source_name_of(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

void ws_source_progress(const ws_source *s, uint64_t *done, uint64_t *size) {
    *done = atomic_load_explicit(&s->feed.done, memory_order_relaxed);
    *size = s->feed.size;
}

/* The queue: these are called with the lock held */

/* Returns whether one may fill a chunk now. */
static int may_fill(const ws_source *s) {
    if (s->filling || s->end || s->failed || s->nready >= READY_MAX) return 0;
    return s->nidle > 0 || (s->feed.kind == WS_FEED_BGZF && s->nslot < CHUNKS);
}

/* Makes the bytes of a packed chunk, with the lock released. */
static void unpack(ws_source *s, slot *c) {
    pthread_mutex_unlock(&s->lock);
    const int rc = ws_chunk_unpack(&s->feed, &c->c, &c->err);
    pthread_mutex_lock(&s->lock);
    c->rc = rc;
}

/* Takes a free chunk, fills it with the lock released, and puts it where it belongs. WS_AGAIN if nothing came of it. */
static int fill_next(ws_source *s, int timeout_ms) {
    ws_err err;
    if (s->nidle == 0 && add_slot(s, &err)) return WS_AGAIN; /* the chunks that are there will do */
    const int i = s->idle[--s->nidle];
    slot *c = &s->slot[i];
    s->filling = 1;
    pthread_mutex_unlock(&s->lock);
    int rc = ws_feed_fill(&s->feed, timeout_ms, &c->c, &err);
    pthread_mutex_lock(&s->lock);
    s->filling = 0;
    const int any = c->c.packed || c->c.n;
    if (any)
        s->queue[(s->first + s->nqueue++) % CHUNKS] = i;
    else
        s->idle[s->nidle++] = i;
    if (rc != WS_AGAIN && !s->failed) {
        s->end = rc;
        if (rc && rc != WS_EOF) s->err = err;
    }
    c->rc = WS_OK;
    pthread_cond_broadcast(&s->filled);
    if (c->c.packed) unpack(s, c);
    if (any) {
        c->ready = 1;
        s->nready++;
    }
    pthread_cond_broadcast(&s->filled);
    return any ? WS_OK : rc;
}

/* Takes the first chunk, which is ready, out of the queue: WS_AGAIN if it has no bytes. */
static int take_first(ws_source *s, const uint8_t **p, size_t *n) {
    const int i = s->queue[s->first];
    slot *c = &s->slot[i];
    s->first = (s->first + 1) % CHUNKS;
    s->nqueue--;
    s->nready--;
    c->ready = 0;
    if (c->rc) {
        s->failed = 1;
        s->end = c->rc;
        s->err = c->err;
    }
    if (c->c.n == 0) {
        s->idle[s->nidle++] = i;
        return WS_AGAIN;
    }
    s->held = i;
    *p = c->c.p;
    *n = c->c.n;
    return WS_OK;
}

int ws_source_ahead(ws_source *s) {
    int did = 0;
    pthread_mutex_lock(&s->lock);
    if (may_fill(s)) did = fill_next(s, 0) != WS_AGAIN;
    pthread_mutex_unlock(&s->lock);
    return did;
}

int ws_source_next(ws_source *s, int timeout_ms, const uint8_t **p, size_t *n, ws_err *err) {
    int rc = WS_AGAIN;
    pthread_mutex_lock(&s->lock);
    if (s->held >= 0) s->idle[s->nidle++] = s->held;
    s->held = -1;
    for (;;) {
        if (s->nqueue && !s->failed && s->slot[s->queue[s->first]].ready) {
            if (!(rc = take_first(s, p, n))) break;
        } else if (s->end && (s->failed || !s->nqueue)) {
            rc = s->end;
            if (rc != WS_EOF) *err = s->err;
            break;
        } else if (may_fill(s)) {
            if (fill_next(s, s->nqueue ? 0 : timeout_ms) != WS_AGAIN) continue;
            if (!s->nqueue && !s->end) break;
            if (!s->slot[s->queue[s->first]].ready) pthread_cond_wait(&s->filled, &s->lock);
        } else { /* other threads fill or unpack: they do not wait for input, so they are soon done */
            pthread_cond_wait(&s->filled, &s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* Operands */

#define SLURP_MAX (UINT64_C(1) << 32) /* a sparse file of any size is not believed */

enum { BLANKS = 16 << 20 }; /* a text begins within so many bytes */

/* Returns whether a text may go on behind its last `got` bytes. *begun: its first character was seen. */
static int goes_on(const ws_buf *all, size_t got, const char *begins, int *begun) {
    if (memchr(all->p + all->n - got, '\0', got)) return 0;
    for (size_t i = all->n - got; i < all->n && !*begun; i++) {
        *begun = !isspace((unsigned char)all->p[i]);
        if (*begun && begins && !strchr(begins, all->p[i])) return 0;
    }
    return *begun || all->n < BLANKS;
}

int ws_source_slurp(const char *path, const char *begins, char **text, size_t *n, ws_err *err) {
    ws_source *s = NULL;
    ws_buf all = {0};
    int begun = 0;
    *text = NULL;
    *n = 0;
    int rc = ws_source_open(&s, path, err);
    while (!rc) {
        const uint8_t *p;
        size_t got;
        rc = ws_source_next(s, -1, &p, &got, err);
        if (!rc) rc = ws_buf_add(&all, p, got, err);
        if (!rc && !goes_on(&all, got, begins, &begun)) break;
        /* growing would touch every page twice */
        if (!rc && begun && s->feed.size < SLURP_MAX && all.n < s->feed.size)
            rc = ws_buf_reserve(&all, s->feed.size - all.n + 1, err);
    }
    ws_source_close(s);
    if (!rc || rc == WS_EOF) rc = ws_buf_add(&all, "", 1, err);
    if (!rc) {
        *text = all.p;
        *n = all.n - 1;
    } else {
        ws_buf_release(&all);
    }
    return rc;
}
