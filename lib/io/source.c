/* SPDX-License-Identifier: MIT
 * One input as a stream of decompressed chunks: see lib/io/source.h.
 *
 * The lock guards the ring and the flag `filling`. The thread that sets `filling` owns the file, the inflater and one
 * free chunk until it takes the flag back. It reads and inflates outside the lock. */
#include "lib/io/source.h"

#include "lib/base/mem.h"
#include "lib/io/inflate.h"
#include "lib/io/magic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CHUNKS = 4, PIPE_BYTES = 1 << 20 };
typedef enum kind { UNKNOWN, PLAIN, GZIP } kind;

typedef struct chunk {
    uint8_t *p;
    size_t n;
} chunk;

struct ws_source {
    char *name;
    int fd, own_fd, always_ready; /* a regular file never makes us wait */
    int is_pipe;
    uint64_t size;
    _Atomic uint64_t done;

    kind kind;
    chunk raw;     /* bytes read and not yet used: the first ones of a plain input, compressed ones of gzip */
    size_t raw_at; /* ... from here on */
    int raw_eof;
    ws_inflate *inflate;

    pthread_mutex_t lock;
    pthread_cond_t filled;
    int filling;
    chunk chunk[CHUNKS];
    int ready[CHUNKS], first, nready; /* ring of chunk indices in input order */
    int idle[CHUNKS], nidle;          /* a stack, so that a consumer alone uses the same cache-warm chunk all along */
    int held;                         /* the consumer's, or -1 */
    int end;                          /* WS_OK, or what follows the last ready chunk: WS_EOF or a failure */
    ws_err err;
};

/* Opening and closing */

static int open_fd(ws_source *s, const char *path, ws_err *err) {
    struct stat st;
    if (!strcmp(path, "-")) {
        s->fd = STDIN_FILENO;
    } else {
        do
            s->fd = open(path, O_RDONLY | O_CLOEXEC);
        while (s->fd < 0 && errno == EINTR);
        s->own_fd = s->fd >= 0;
    }
    if (s->fd < 0 || fstat(s->fd, &st) < 0) return ws_fail_errno(err, WS_EIO, "cannot open %s", s->name);
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return ws_fail_errno(err, WS_EIO, "cannot read %s", s->name);
    }
    if (S_ISREG(st.st_mode)) {
        /* a shell may have read from our stdin before */
        const off_t now = lseek(s->fd, 0, SEEK_CUR), at = now > 0 ? now : 0;
        s->always_ready = 1;
        s->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
        (void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    s->is_pipe = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
    if (S_ISFIFO(st.st_mode)) (void)fcntl(s->fd, F_SETPIPE_SZ, PIPE_BYTES); /* may be refused: no harm */
    return WS_OK;
}

int ws_source_open(ws_source **out, const char *path, ws_err *err) {
    const char *name = ws_source_name_of(path);
    *out = NULL;
    ws_source *s = ws_calloc(1, sizeof *s, err);
    if (!s) return err->code;
    s->fd = s->held = -1;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->filled, NULL);
    if (!(s->name = ws_strndup(name, strlen(name), err))) goto fail;
    if (open_fd(s, path, err)) goto fail;
    if (!(s->raw.p = ws_alloc(WS_SOURCE_CHUNK, err))) goto fail;
    for (int i = 0; i < CHUNKS; i++) {
        if (!(s->chunk[i].p = ws_alloc(WS_SOURCE_CHUNK, err))) goto fail;
        s->idle[s->nidle++] = i;
    }
    *out = s;
    return WS_OK;
fail:
    ws_source_close(s);
    return err->code;
}

void ws_source_close(ws_source *s) {
    if (!s) return;
    if (s->own_fd) close(s->fd);
    ws_inflate_destroy(s->inflate);
    for (int i = 0; i < CHUNKS; i++) ws_free(s->chunk[i].p);
    ws_free(s->raw.p);
    ws_free(s->name);
    pthread_cond_destroy(&s->filled);
    pthread_mutex_destroy(&s->lock);
    ws_free(s);
}

const char *ws_source_name(const ws_source *s) { return s->name; }

int ws_source_is_stdin(const char *path) {
    static const char *const name[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (!strcmp(path, name[i])) return 1;
    return 0;
}

int ws_source_was_silent(const ws_source *s) {
    return s->is_pipe && !atomic_load_explicit(&s->done, memory_order_relaxed);
}

const char *ws_source_name_of(const char *path) { return strcmp(path, "-") ? path : "standard input"; }

void ws_source_progress(const ws_source *s, uint64_t *done, uint64_t *size) {
    *done = atomic_load_explicit(&s->done, memory_order_relaxed);
    *size = s->size;
}

/* Reading: outside the lock, by the thread that has `filling` */

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits until a read would not block: WS_OK or WS_AGAIN. A descriptor that poll cannot watch counts as ready, the read
 * will tell. */
static int wait_input(const ws_source *s, int timeout_ms) {
    const int64_t until = timeout_ms > 0 ? now_ms() + timeout_ms : 0;
    for (;;) {
        struct pollfd pfd = {.fd = s->fd, .events = POLLIN};
        int got = poll(&pfd, 1, timeout_ms);
        if (got > 0 || (got < 0 && errno != EINTR)) return WS_OK;
        if (timeout_ms > 0) timeout_ms = (int)(until > now_ms() ? until - now_ms() : 0);
        if (got == 0 && timeout_ms == 0) return WS_AGAIN;
    }
}

/* Does one read. *n = 0 at the end. */
static int read_some(ws_source *s, int timeout_ms, uint8_t *p, size_t cap, size_t *n, ws_err *err) {
    for (;;) {
        if (!s->always_ready && wait_input(s, timeout_ms)) return WS_AGAIN;
        ssize_t got = read(s->fd, p, cap);
        if (got >= 0) {
            *n = (size_t)got;
            const uint64_t done =
                (uint64_t)got + atomic_fetch_add_explicit(&s->done, (uint64_t)got, memory_order_relaxed);
            if (got || done >= s->size) return WS_OK;
            return ws_fail(err, WS_EDATA,
                           "%s became shorter while it was read: it had %llu bytes, and ended after %llu", s->name,
                           (unsigned long long)s->size, (unsigned long long)done);
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return ws_fail_errno(err, WS_EIO, "cannot read %s", s->name);
    }
}

/* Makes sure that raw has bytes or is at its end. */
static int need_raw(ws_source *s, int timeout_ms, ws_err *err) {
    if (s->raw_at < s->raw.n || s->raw_eof) return WS_OK;
    s->raw_at = s->raw.n = 0;
    int rc = read_some(s, timeout_ms, s->raw.p, WS_SOURCE_CHUNK, &s->raw.n, err);
    if (!rc && s->raw.n == 0) s->raw_eof = 1;
    return rc;
}

/* Fails with the name of a compression that this program does not undo, and the command that does. */
static int other_format(const ws_source *s, const ws_magic *m, ws_err *err) {
    if (s->fd == STDIN_FILENO)
        return ws_fail(err, WS_EDATA, "%s: %s is not supported; put %s in front of %s", s->name, m->name, m->undo_pipe,
                       program_invocation_short_name);
    ws_fail(err, WS_EDATA, "%s: %s is not supported; run: %s %s | %s", s->name, m->name, m->undo, s->name,
            program_invocation_short_name);
    err->ends_in_command = 1;
    return WS_EDATA;
}

/* Looks at the first bytes, which tell gzip from everything else, and a byte-order mark from text. A first byte is
 * mostly enough. */
static int sniff(ws_source *s, int timeout_ms, ws_err *err) {
    const ws_magic *m;
    int more;
    while (!(m = ws_magic_find(s->raw.p, s->raw.n, &more)) && more && !s->raw_eof) {
        size_t got = 0;
        int rc = read_some(s, timeout_ms, s->raw.p + s->raw.n, WS_SOURCE_CHUNK - s->raw.n, &got, err);
        if (rc) return rc;
        s->raw.n += got;
        s->raw_eof = got == 0;
    }
    if (m && m->undo) return other_format(s, m, err);
    if (m && !m->name) {
        s->raw_at = m->n;
        m = NULL;
    }
    if (m && !(s->inflate = ws_inflate_create(err))) return err->code;
    s->kind = m ? GZIP : PLAIN;
    return WS_OK;
}

/* Adds to c; WS_OK if it may be called again, WS_EOF, WS_AGAIN or a failure. */
static int add_plain(ws_source *s, int timeout_ms, chunk *c, ws_err *err) {
    size_t n = s->raw.n - s->raw_at, room = WS_SOURCE_CHUNK - c->n;
    if (n) {
        n = ws_min(n, room);
        memcpy(c->p + c->n, s->raw.p + s->raw_at, n);
        s->raw_at += n;
    } else if (s->raw_eof) {
        return WS_EOF;
    } else {
        int rc = read_some(s, timeout_ms, c->p + c->n, room, &n, err);
        if (rc) return rc;
        if (n == 0) s->raw_eof = 1;
    }
    c->n += n;
    return WS_OK;
}

static int add_inflated(ws_source *s, int timeout_ms, chunk *c, ws_err *err) {
    size_t nout = WS_SOURCE_CHUNK - c->n, nin = s->raw.n - s->raw_at;
    int rc = ws_inflate_step(s->inflate, s->raw.p + s->raw_at, &nin, c->p + c->n, &nout, err);
    s->raw_at += nin;
    c->n += nout;
    if (!rc && nin == 0 && nout == 0) {
        if (!s->raw_eof) return need_raw(s, timeout_ms, err);
        if (ws_inflate_let_go(s->inflate)) return WS_OK;
        rc = ws_inflate_end(s->inflate, err);
        if (!rc) return WS_EOF;
    }
    if (rc) ws_err_prefix(err, "%s: ", s->name);
    return rc;
}

/* Fills one chunk as far as it goes without waiting, except that it waits timeout_ms for the first byte. */
static int fill(ws_source *s, int timeout_ms, chunk *c, ws_err *err) {
    int rc = WS_OK;
    c->n = 0;
    if (s->kind == UNKNOWN) rc = sniff(s, timeout_ms, err);
    while (!rc && c->n < WS_SOURCE_CHUNK) {
        const int wait = c->n ? 0 : timeout_ms;
        rc = s->kind == GZIP ? add_inflated(s, wait, c, err) : add_plain(s, wait, c, err);
    }
    return rc;
}

/* The ring: these are called with the lock held */

/* Takes a free chunk, fills it with the lock released, and puts it where it belongs. WS_AGAIN if nothing came of it. */
static int fill_next(ws_source *s, int timeout_ms) {
    const int i = s->idle[--s->nidle];
    chunk *c = &s->chunk[i];
    s->filling = 1;
    pthread_mutex_unlock(&s->lock);
    int rc = fill(s, timeout_ms, c, &s->err);
    pthread_mutex_lock(&s->lock);
    s->filling = 0;
    if (c->n)
        s->ready[(s->first + s->nready++) % CHUNKS] = i;
    else
        s->idle[s->nidle++] = i;
    if (rc != WS_AGAIN) s->end = rc;
    pthread_cond_broadcast(&s->filled);
    return c->n ? WS_OK : rc;
}

int ws_source_ahead(ws_source *s) {
    int did = 0;
    pthread_mutex_lock(&s->lock);
    if (!s->filling && !s->end && s->nidle) did = fill_next(s, 0) != WS_AGAIN;
    pthread_mutex_unlock(&s->lock);
    return did;
}

int ws_source_next(ws_source *s, int timeout_ms, const uint8_t **p, size_t *n, ws_err *err) {
    int rc = WS_OK;
    pthread_mutex_lock(&s->lock);
    if (s->held >= 0) s->idle[s->nidle++] = s->held;
    s->held = -1;
    while (!s->nready && !s->end && rc != WS_AGAIN) {
        if (s->filling) /* a thread in ws_source_ahead: it does not wait for input, so it is soon done */
            pthread_cond_wait(&s->filled, &s->lock);
        else
            rc = fill_next(s, timeout_ms);
    }
    if (s->nready) {
        s->held = s->ready[s->first];
        s->first = (s->first + 1) % CHUNKS;
        s->nready--;
        *p = s->chunk[s->held].p;
        *n = s->chunk[s->held].n;
        rc = WS_OK;
    } else if (s->end) {
        rc = s->end;
        if (rc != WS_EOF) *err = s->err;
    }
    pthread_mutex_unlock(&s->lock);
    return rc;
}

/* Operands */

#define SLURP_MAX (UINT64_C(1) << 32) /* a sparse file of any size is not believed */

int ws_source_slurp(const char *path, char **text, size_t *n, ws_err *err) {
    ws_source *s = NULL;
    ws_buf all = {0};
    *text = NULL;
    *n = 0;
    int rc = ws_source_open(&s, path, err);
    /* growing would touch every page twice */
    if (!rc && s->size < SLURP_MAX) rc = ws_buf_reserve(&all, s->size + 1, err);
    while (!rc) {
        const uint8_t *p;
        size_t got;
        rc = ws_source_next(s, -1, &p, &got, err);
        if (!rc) rc = ws_buf_add(&all, p, got, err);
    }
    ws_source_close(s);
    if (rc == WS_EOF) rc = ws_buf_add(&all, "", 1, err);
    if (!rc) {
        *text = all.p;
        *n = all.n - 1;
    } else {
        ws_buf_release(&all);
    }
    return rc;
}
