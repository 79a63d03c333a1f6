/* SPDX-License-Identifier: MIT
 * The bytes of one input in their order: see lib/compress/feed.h. */
#include "lib/compress/feed.h"

#include "lib/base/mem.h"
#include "lib/base/system.h"
#include "lib/compress/magic.h"
#include "lib/compress/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PIPE_BYTES = 1 << 20 };

/* Opening and closing */

/* Returns whether files of a BLAST database have this name. */
static int names_blast(const char *path) {
    static const char *const ends[] = {"pin", "nin", "pal", "nal"};
    char file[PATH_MAX];
    int found = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !found; i++)
        found = snprintf(file, sizeof file, "%s.%s", path, ends[i]) < (int)sizeof file && access(file, F_OK) == 0;
    return found;
}

static int cannot_open(const ws_feed *f, const char *path, ws_err *err) {
    const int why = errno;
    if (why == ENOENT && names_blast(path))
        return ws_fail(err, WS_EIO, "cannot open %s: it is a BLAST database; make FASTA of it first: blastdbcmd -db %s "
                       "-entry all", f->name, path);
    errno = why;
    return ws_fail_errno(err, WS_EIO, "cannot open %s", f->name);
}

static int open_fd(ws_feed *f, const char *path, ws_err *err) {
    struct stat st;
    if (!strcmp(path, "-")) {
        f->fd = STDIN_FILENO;
    } else {
        do
            f->fd = open(path, O_RDONLY | O_CLOEXEC);
        while (f->fd < 0 && errno == EINTR);
        f->own_fd = f->fd >= 0;
    }
    if (f->fd < 0 || fstat(f->fd, &st) < 0) return cannot_open(f, path, err);
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
        return ws_fail_errno(err, WS_EIO, "cannot read %s", f->name);
    }
    if (S_ISREG(st.st_mode)) {
        /* a shell may have read from our stdin before */
        const off_t now = lseek(f->fd, 0, SEEK_CUR), at = now > 0 ? now : 0;
        f->always_ready = 1;
        f->base = at;
        f->size = st.st_size > at ? (uint64_t)(st.st_size - at) : 0;
        ws_system_read_ahead(f->fd);
    }
    f->is_pipe = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
    if (S_ISFIFO(st.st_mode)) ws_system_widen_pipe(f->fd, PIPE_BYTES);
    return WS_OK;
}

int ws_feed_open(ws_feed *f, const char *path, const char *name, ws_err *err) {
    f->fd = -1;
    if (!(f->name = ws_strndup(name, strlen(name), err))) return err->code;
    const int rc = open_fd(f, path, err);
    if (rc) return rc;
    return (f->raw = ws_alloc(WS_SOURCE_CHUNK, err)) ? WS_OK : err->code;
}

void ws_feed_close(ws_feed *f) {
    if (f->own_fd) close(f->fd);
    ws_inflate_destroy(f->inflate);
    ws_unzstd_destroy(f->unzstd);
    ws_free(f->raw);
    ws_free(f->name);
}

/* Reading */

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits until a read would not block: WS_OK or WS_AGAIN. A descriptor that poll cannot watch counts as ready, the read
 * will tell. */
static int wait_input(const ws_feed *f, int timeout_ms) {
    const int64_t until = timeout_ms > 0 ? now_ms() + timeout_ms : 0;
    for (;;) {
        struct pollfd pfd = {.fd = f->fd, .events = POLLIN};
        int got = poll(&pfd, 1, timeout_ms);
        if (got > 0 || (got < 0 && errno != EINTR)) return WS_OK;
        if (timeout_ms > 0) timeout_ms = (int)(until > now_ms() ? until - now_ms() : 0);
        if (got == 0 && timeout_ms == 0) return WS_AGAIN;
    }
}

/* Does one read. *n = 0 at the end. */
static int read_some(ws_feed *f, int timeout_ms, uint8_t *p, size_t cap, size_t *n, ws_err *err) {
    for (;;) {
        if (!f->always_ready && wait_input(f, timeout_ms)) return WS_AGAIN;
        ssize_t got = read(f->fd, p, cap);
        if (got >= 0) {
            *n = (size_t)got;
            const uint64_t done =
                (uint64_t)got + atomic_fetch_add_explicit(&f->done, (uint64_t)got, memory_order_relaxed);
            if (got || done >= f->size) return WS_OK;
            return ws_fail(err, WS_EDATA,
                           "%s became shorter while it was read: it had %llu bytes, and ended after %llu", f->name,
                           (unsigned long long)f->size, (unsigned long long)done);
        }
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
            return ws_fail_errno(err, WS_EIO, "cannot read %s", f->name);
    }
}

/* Returns how much of a chunk is filled: all of it in a large input, as what was read so far tells. A small one is read
 * in less memory, again and again. */
static size_t most_of_chunk(const ws_feed *f) {
    enum { SMALL = WS_SOURCE_CHUNK / 4, LARGE = 8 * WS_SOURCE_CHUNK };
    return atomic_load_explicit(&f->done, memory_order_relaxed) < LARGE ? SMALL : WS_SOURCE_CHUNK;
}

/* Reads more behind the raw bytes that are left, which move to the front: `most` in all. WS_OK at the end too, which
 * sets raw_eof. */
static int more_raw(ws_feed *f, size_t most, int timeout_ms, ws_err *err) {
    size_t got = 0;
    memmove(f->raw, f->raw + f->raw_at, f->nraw - f->raw_at);
    f->nraw -= f->raw_at;
    f->raw_at = 0;
    const int rc = read_some(f, timeout_ms, f->raw + f->nraw, most - f->nraw, &got, err);
    if (rc) return rc;
    f->nraw += got;
    f->raw_eof = got == 0;
    return WS_OK;
}

/* Goes back to byte `to` of the input, which is a regular file. */
static int rewind_raw(ws_feed *f, uint64_t to, ws_err *err) {
    if (lseek(f->fd, (off_t)(f->base + (int64_t)to), SEEK_SET) < 0)
        return ws_fail_errno(err, WS_EIO, "cannot read %s", f->name);
    f->nraw = f->raw_at = 0;
    f->raw_eof = 0;
    atomic_store_explicit(&f->done, to, memory_order_relaxed);
    return WS_OK;
}

/* Fails with the name of what no program here reads, or of a compression and the command that undoes it. */
static int other_format(const ws_feed *f, const ws_magic *m, ws_err *err) {
    if (!*m->undo) return ws_fail(err, WS_EDATA, "%s: found %s, expected data", f->name, m->name);
    if (f->fd == STDIN_FILENO)
        return ws_fail(err, WS_EDATA, "%s: %s is not supported; put %s in front of %s", f->name, m->name, m->undo_pipe,
                       ws_system_program());
    ws_fail(err, WS_EDATA, "%s: %s is not supported; run: %s %s | %s", f->name, m->name, m->undo, f->name,
            ws_system_program());
    err->ends_in_command = 1;
    return WS_EDATA;
}

/* Looks at the first bytes, which tell gzip from everything else, and a byte-order mark from text. A first byte is
 * mostly enough, and what follows is read to where it is used. */
static int sniff(ws_feed *f, int timeout_ms, ws_err *err) {
    enum { FIRST = 4096 };
    const ws_magic *m;
    int more;
    while (!(m = ws_magic_find(f->raw, f->nraw, &more)) && more && !f->raw_eof) {
        const int rc = more_raw(f, f->nraw + FIRST, timeout_ms, err);
        if (rc) return rc;
    }
    if (m && !m->name) {
        f->raw_at = m->n;
        m = NULL;
    }
    if (!m) {
        f->kind = WS_FEED_PLAIN;
    } else if (!m->undo) {
        f->kind = WS_FEED_BGZF;
    } else if (!strcmp(m->name, "zstd") && ws_unzstd_version()) {
        f->kind = WS_FEED_ZSTD;
        if (!(f->unzstd = ws_unzstd_create(err))) return err->code;
    } else {
        return other_format(f, m, err);
    }
    return WS_OK;
}

/* Adds to c; WS_OK if it may be called again, WS_EOF, WS_AGAIN or a failure. */
static int add_plain(ws_feed *f, int timeout_ms, ws_chunk *c, ws_err *err) {
    size_t n = f->nraw - f->raw_at, room = f->most - c->n;
    if (n) {
        n = ws_min(n, room);
        memcpy(c->p + c->n, f->raw + f->raw_at, n);
        f->raw_at += n;
    } else if (f->raw_eof) {
        return WS_EOF;
    } else {
        int rc = read_some(f, timeout_ms, c->p + c->n, room, &n, err);
        if (rc) return rc;
        if (n == 0) f->raw_eof = 1;
    }
    c->n += n;
    return WS_OK;
}

static int step(ws_feed *f, const uint8_t *in, size_t *nin, uint8_t *out, size_t *nout, ws_err *err) {
    return f->unzstd ? ws_unzstd_step(f->unzstd, in, nin, out, nout, err)
                     : ws_inflate_step(f->inflate, in, nin, out, nout, err);
}

static int let_go(ws_feed *f) { return f->unzstd ? ws_unzstd_let_go(f->unzstd) : ws_inflate_let_go(f->inflate); }

static int add_inflated(ws_feed *f, int timeout_ms, ws_chunk *c, ws_err *err) {
    size_t nout = f->most - c->n, nin = f->nraw - f->raw_at;
    uint64_t to;
    int rc = step(f, f->raw + f->raw_at, &nin, c->p + c->n, &nout, err);
    f->raw_at += nin;
    c->n += nout;
    if (f->inflate && ws_inflate_rewinds(f->inflate, &to)) return rewind_raw(f, to, err);
    if (!rc && nin == 0 && nout == 0) {
        if (!f->raw_eof) return more_raw(f, WS_SOURCE_CHUNK, timeout_ms, err);
        if (let_go(f)) return f->inflate && ws_inflate_rewinds(f->inflate, &to) ? rewind_raw(f, to, err) : WS_OK;
        rc = f->unzstd ? ws_unzstd_end(f->unzstd, err) : ws_inflate_end(f->inflate, err);
        if (!rc) return WS_EOF;
    }
    if (rc) ws_err_prefix(err, "%s: ", f->name);
    return rc;
}

/* Leaves what follows to lib/compress/inflate.c, which knows all gzip members, and a sentence for all other bytes. */
static int no_more_blocks(ws_feed *f, ws_err *err) {
    if (!(f->inflate = ws_inflate_create(f->always_ready, err))) return err->code;
    ws_inflate_resume(f->inflate, f->taken, f->blocks, f->open);
    f->kind = WS_FEED_GZIP;
    return WS_OK;
}

/* Fills a chunk with packed blocks whose text it has room for. */
static int add_blocks(ws_feed *f, int timeout_ms, ws_chunk *c, ws_err *err) {
    size_t size, text, sum = 0;
    if (!c->group && !(c->group = ws_bgzf_create(err))) return err->code;
    ws_bgzf_reuse(c->group, f->taken);
    for (;;) {
        const int is = ws_bgzf_find(f->raw + f->raw_at, f->nraw - f->raw_at, &size, &text);
        if (is == WS_AGAIN && !f->raw_eof) {
            const int rc = more_raw(f, WS_SOURCE_CHUNK, c->packed ? 0 : timeout_ms, err);
            if (rc) return rc;
        } else if (is) {
            return c->packed ? WS_OK : no_more_blocks(f, err);
        } else if (sum + text > WS_SOURCE_CHUNK || ws_bgzf_bytes(c->group) + size > WS_SOURCE_CHUNK) {
            return WS_OK;
        } else {
            if (ws_bgzf_add(c->group, f->raw + f->raw_at, size, err)) return err->code;
            c->packed = 1;
            f->raw_at += size;
            f->taken += size;
            f->blocks++;
            f->open = text > 0;
            sum += text;
        }
    }
}

int ws_feed_fill(ws_feed *f, int timeout_ms, ws_chunk *c, ws_err *err) {
    int rc = WS_OK;
    c->n = 0;
    c->packed = 0;
    if (f->kind == WS_FEED_UNKNOWN) rc = sniff(f, timeout_ms, err);
    f->most = most_of_chunk(f);
    while (!rc && !c->packed && c->n < f->most) {
        const int wait = c->n ? 0 : timeout_ms;
        if (f->kind == WS_FEED_BGZF) rc = add_blocks(f, wait, c, err);
        else rc = f->kind == WS_FEED_PLAIN ? add_plain(f, wait, c, err) : add_inflated(f, wait, c, err);
    }
    return rc;
}

int ws_chunk_unpack(const ws_feed *f, ws_chunk *c, ws_err *err) {
    const int rc = ws_bgzf_inflate(c->group, c->p, &c->n, err);
    c->packed = 0;
    if (rc) ws_err_prefix(err, "%s: ", f->name);
    return rc;
}
