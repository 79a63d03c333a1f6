/* SPDX-License-Identifier: MIT
 * Inputs as bytes: plain and gzip in all its shapes, whole, cut, damaged; timeouts; threads that read ahead.
 * tests/lib/zstd.c has the same for zstd. */
#include "lib/compress/source.h"
#include "lib/compress/inflate.h"
#include "tests/lib/io.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <zlib.h>

/* gzip members, made with zlib */

static void member(ws_buf *out, const void *p, size_t n, int level) {
    ws_err err;
    z_stream z = {0};
    must(deflateInit2(&z, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK, "deflateInit2");
    const size_t bound = deflateBound(&z, n) + 64;
    must(!ws_buf_reserve(out, bound, &err), "memory");
    z.next_in = (z_const Bytef *)p;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)out->p + out->n;
    z.avail_out = (uInt)bound;
    must(deflate(&z, Z_FINISH) == Z_STREAM_END, "deflate");
    out->n += z.total_out;
    deflateEnd(&z);
}

/* A BGZF block: a member whose extra field holds its size; the last one is empty. */
static void bgzf(ws_buf *out, const void *p, size_t n) {
    ws_err err;
    ws_buf m = {0};
    member(&m, p, n, 6);
    const size_t size = m.n + 8 - 1; /* the extra field takes 8 bytes */
    const uint8_t extra[8] = {6, 0, 'B', 'C', 2, 0, (uint8_t)size, (uint8_t)(size >> 8)};
    m.p[3] |= 4;
    must(!ws_buf_add(out, m.p, 10, &err) && !ws_buf_add(out, extra, 8, &err) &&
             !ws_buf_add(out, m.p + 10, m.n - 10, &err),
         "memory");
    ws_buf_release(&m);
}

static void fill_text(ws_buf *b, size_t n, uint64_t seed) {
    ws_err err;
    must(!ws_buf_reserve(b, n, &err), "memory");
    for (size_t i = 0; i < n; i++) b->p[i] = (char)('A' + below(&seed, 20));
    b->n = n;
}

/* slurps a file of these bytes */
static int slurp(const void *p, size_t n, ws_buf *got, ws_err *err) {
    char path[PATH_SIZE], *text;
    size_t len;
    temp_file(path, p, n);
    int rc = ws_source_slurp(path, NULL, &text, &len, err);
    unlink(path);
    ws_buf_release(got);
    if (rc) return rc;
    must(text[len] == '\0', "not terminated");
    *got = (ws_buf){text, len, len + 1};
    return WS_OK;
}

static void same(tap *t, const ws_buf *in, const ws_buf *want, const char *what) {
    ws_err err;
    ws_buf got = {0};
    int rc = slurp(in->p, in->n, &got, &err);
    tap_ok(t, !rc && got.n == want->n && (!want->n || !memcmp(got.p, want->p, want->n)), "%s", what);
    if (rc) tap_note("%s", err.text);
    ws_buf_release(&got);
}

static void refused(tap *t, const ws_buf *in, const char *says, const char *what) {
    ws_err err;
    ws_buf got = {0};
    int rc = slurp(in->p, in->n, &got, &err);
    tap_ok(t, rc == WS_EDATA && strstr(err.text, says), "%s", what);
    if (rc) tap_note("%s", err.text);
    ws_buf_release(&got);
}

static void shapes(tap *t) {
    ws_err err;
    ws_buf text = {0}, gz = {0}, empty = {0}, two = {0};
    fill_text(&text, 1000000, 7);
    same(t, &text, &text, "plain, 1 MB");
    same(t, &empty, &empty, "empty file");
    for (int level = 0; level <= 9; level += 3) {
        gz.n = 0;
        member(&gz, text.p, text.n, level);
        same(t, &gz, &text, "one member");
    }
    gz.n = 0;
    for (size_t i = 0; i < text.n; i += 1000) member(&gz, text.p + i, 1000, 6);
    same(t, &gz, &text, "1000 members");
    gz.n = 0;
    member(&gz, "", 0, 6);
    member(&gz, text.p, text.n, 6);
    member(&gz, "", 0, 6);
    same(t, &gz, &text, "empty members around a full one");
    must(!ws_buf_reserve(&gz, 1000, &err), "memory");
    memset(gz.p + gz.n, 0, 1000);
    gz.n += 1000;
    same(t, &gz, &text, "zero padding at the end");
    must(!ws_buf_add(&gz, "x", 1, &err), "memory");
    refused(t, &gz, "\"x\" follows", "... and something behind it");
    gz.n = 0;
    for (size_t i = 0; i < text.n; i += 50000) bgzf(&gz, text.p + i, 50000);
    bgzf(&gz, "", 0);
    same(t, &gz, &text, "BGZF");
    const size_t end = gz.n;
    bgzf(&gz, text.p, 1000);
    refused(t, &gz, "without the empty block at the end, so they were cut", "BGZF whose last block has bytes was cut");
    member(&gz, "", 0, 6);
    refused(t, &gz, "without the empty block at the end, so they were cut",
            "... also with a member behind it that is no block");
    gz.n = end;
    bgzf(&gz, "", 0);
    member(&gz, "", 0, 6);
    same(t, &gz, &text, "BGZF with two end blocks and a plain member");
    gz.n = 0;
    member(&gz, "", 0, 6);
    same(t, &gz, &empty, "an empty member alone");
    must(!ws_buf_add(&gz, "garbage", 7, &err), "memory");
    refused(t, &gz, "byte 20 of the gzip data", "trailing garbage names its byte");
    gz.n = 20;
    must(!ws_buf_add(&gz, "\x1f\x8c", 2, &err), "memory");
    refused(t, &gz, "byte 20 of the gzip data", "half a magic number names its byte");
    must(!ws_buf_add(&two, "\x1f", 1, &err), "memory");
    same(t, &two, &two, "one byte 1f is plain");
    ws_buf_release(&two);
    ws_buf_release(&gz);
    ws_buf_release(&text);
}

/* U+FEFF in front is left out, and nothing that only begins like it. */
static void byte_order_marks(tap *t) {
    ws_err err;
    ws_buf in = {0}, want = {0};
    must(!ws_buf_add(&in, "\xef\xbb", 2, &err), "memory");
    same(t, &in, &in, "two bytes of a byte-order mark are text");
    must(!ws_buf_add(&in, "\xbf", 1, &err), "memory");
    same(t, &in, &want, "a byte-order mark alone is an empty text");
    must(!ws_buf_add(&in, "\xef\xbb\xbf>", 4, &err) && !ws_buf_add(&want, "\xef\xbb\xbf>", 4, &err), "memory");
    same(t, &in, &want, "one byte-order mark is left out");
    ws_buf_release(&in);
    ws_buf_release(&want);
}

/* Runs of 7 letters, so that members are short and have all kinds of parts. */
static void cuts(tap *t) {
    ws_err err;
    ws_buf text = {0}, gz = {0}, got = {0};
    int fine = 1;
    fill_text(&text, 700, 3);
    member(&gz, text.p, 350, 6);
    const size_t first = gz.n;
    member(&gz, text.p + 350, 350, 6);
    for (size_t n = 2; n < gz.n; n++) {
        char offset[64];
        int rc = slurp(gz.p, n, &got, &err);
        snprintf(offset, sizeof offset, "after %zu bytes", n);
        fine &= n == first ? rc == WS_OK && got.n == 350 : rc == WS_EDATA && strstr(err.text, offset) != NULL;
    }
    tap_ok(t, fine, "two members cut at each of %zu bytes: an error with the offset, but at the seam", gz.n);
    fine = 1;
    for (size_t i = 0; i < gz.n; i++) { /* time, flags and system of the header are not protected by gzip */
        const char kept = gz.p[i];
        gz.p[i] ^= 0x55;
        int rc = slurp(gz.p, gz.n, &got, &err);
        fine &= rc != WS_OK || i < 2 || (got.n == text.n && !memcmp(got.p, text.p, text.n));
        gz.p[i] = kept;
    }
    tap_ok(t, fine, "two members damaged at each byte: an error or the same text");
    ws_buf_release(&got);
    ws_buf_release(&gz);
    ws_buf_release(&text);
}

/* How much of a cut member zlib itself can give. */
static size_t inflatable(const void *p, size_t n, size_t most) {
    z_stream z = {0};
    uint8_t *out = malloc(most);
    must(out && inflateInit2(&z, 16 + MAX_WBITS) == Z_OK, "inflateInit2");
    z.next_in = (z_const Bytef *)p;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)most;
    (void)inflate(&z, Z_NO_FLUSH);
    const size_t got = z.total_out;
    inflateEnd(&z);
    free(out);
    return got;
}

/* A cut may come where zlib has taken all input and still holds output for which a chunk had no room. */
static void cut_in_runs(tap *t) {
    char path[PATH_SIZE];
    ws_err err;
    ws_buf text = {0}, gz = {0};
    const uint8_t *p;
    size_t n;
    int fine = 1;
    fill_text(&text, 600000, 3);
    for (size_t i = 0; i < text.n; i++) text.p[i] = (char)('A' + i / 1500 % 20);
    member(&gz, text.p, text.n, 6);
    for (size_t cut = 2; cut < gz.n; cut++) {
        ws_source *s;
        size_t sum = 0;
        temp_file(path, gz.p, cut);
        must(!ws_source_open(&s, path, &err), "open");
        while (!ws_source_next(s, -1, &p, &n, &err)) sum += n;
        ws_source_close(s);
        unlink(path);
        fine &= sum == inflatable(gz.p, cut, text.n);
    }
    tap_ok(t, fine, "cut at each of %zu bytes: everything before the cut is given", gz.n);
    ws_buf_release(&gz);
    ws_buf_release(&text);
}

/* All data before a failure are given out, then the failure, and again. */
static void failure_is_last(tap *t) {
    char path[PATH_SIZE];
    ws_err err;
    ws_buf text = {0}, gz = {0};
    ws_source *s;
    const uint8_t *p;
    size_t n, sum = 0;
    int rc, same_data = 1;
    fill_text(&text, 2000000, 9);
    member(&gz, text.p, text.n, 6);
    temp_file(path, gz.p, gz.n - 8);
    must(!ws_source_open(&s, path, &err), "open");
    while (!(rc = ws_source_next(s, -1, &p, &n, &err))) {
        same_data &= sum + n <= text.n && !memcmp(p, text.p + sum, n);
        sum += n;
    }
    tap_ok(t, rc == WS_EDATA && same_data && sum == text.n, "a member without its trailer: all data, then the failure");
    err.text[0] = '\0';
    tap_ok(t, ws_source_next(s, -1, &p, &n, &err) == WS_EDATA && strstr(err.text, path),
           "... which stays, with the name");
    ws_source_close(s);
    unlink(path);
    ws_buf_release(&gz);
    ws_buf_release(&text);
}

/* Bytes whose checksum is wrong stay inside: those of the last deflate block, which is all that a member of 64 KB has.
 * */
static void wrong_checksums(tap *t) {
    char path[PATH_SIZE];
    ws_err err;
    ws_buf text = {0}, gz = {0};
    ws_source *s;
    const uint8_t *p;
    size_t n, sum = 0, end[4];
    int rc, same_data = 1;
    fill_text(&text, 120000, 5);
    for (size_t i = 0; i < 4; i++) {
        bgzf(&gz, text.p + i * 30000, 30000);
        end[i] = gz.n;
    }
    gz.p[end[2] - 8] ^= 1;
    temp_file(path, gz.p, gz.n);
    must(!ws_source_open(&s, path, &err), "open");
    while (!(rc = ws_source_next(s, -1, &p, &n, &err))) {
        same_data &= sum + n <= text.n && !memcmp(p, text.p + sum, n);
        sum += n;
    }
    tap_ok(t, rc == WS_EDATA && strstr(err.text, "incorrect data check") && same_data && sum == 60000,
           "the third member's checksum is wrong: the first two, then the failure");
    ws_source_close(s);
    unlink(path);
    ws_buf_release(&gz);
    ws_buf_release(&text);
}

/* Does what read_source does, through zlib alone. */
static int zlib_all(const ws_buf *in, ws_buf *out, ws_err *err) {
    uint8_t room[5000];
    ws_inflate *f = ws_inflate_create(0, err);
    int rc = WS_OK;
    size_t nout = 1;
    out->n = 0;
    for (size_t i = 0, nin = 1; !rc && (nin || nout || ws_inflate_let_go(f)); i += nin) {
        nin = in->n - i;
        nout = sizeof room;
        rc = ws_inflate_step(f, (const uint8_t *)in->p + i, &nin, room, &nout, err);
        must(!ws_buf_add(out, room, nout, err) || rc, "memory");
    }
    if (!rc) rc = ws_inflate_end(f, err);
    ws_inflate_destroy(f);
    return rc ? rc : WS_EOF;
}

/* Damages and cuts members of several deflate blocks, of one that has more than 1 MiB of text, and blocks of BGZF. */
static void one_answer(tap *t) {
    ws_err err, want_err;
    ws_buf text = {0}, gz[4] = {{0}}, got = {0}, want = {0};
    uint64_t seed = 21;
    int fine = 1, tries = 0;
    fill_text(&text, 700000, 4);
    member(&gz[0], text.p, 300000, 6);
    member(&gz[0], text.p, 400000, 1);
    member(&gz[1], text.p, 700000, 0);
    for (size_t i = 0; i < 700000; i += 50000) bgzf(&gz[2], text.p + i, 50000);
    bgzf(&gz[2], "", 0);
    ws_buf runs = {0};
    must(!ws_buf_reserve(&runs, 6000000, &err), "memory");
    for (runs.n = 0; runs.n < 6000000; runs.n++) runs.p[runs.n] = (char)('A' + runs.n / 30000 % 20);
    member(&gz[3], runs.p, runs.n, 6); /* one deflate block */
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 40; i++, tries++) {
            const size_t at = below(&seed, gz[k].n), n = gz[k].n;
            const char kept = gz[k].p[at];
            if (i % 4) gz[k].p[at] ^= (char)(1 << below(&seed, 8));
            else gz[k].n = at;
            if (at >= 2) {
                const int rc = read_source(&gz[k], &got, &err), want_rc = zlib_all(&gz[k], &want, &want_err);
                const int same = rc == want_rc && got.n == want.n && !memcmp(got.p, want.p, want.n) &&
                                 (rc == WS_EOF || !strcmp(err.text, want_err.text));
                if (!same)
                    tap_note("shape %d, byte %zu: %zu bytes, %s; zlib: %zu, %s", k, at, got.n, err.text, want.n,
                             want_err.text);
                fine &= same || (k == 2 && rc == WS_EDATA && strstr(err.text, "does not have the"));
            }
            gz[k].p[at] = kept;
            gz[k].n = n;
        }
    tap_ok(t, fine, "%d times damaged or cut: bytes and sentence are those of zlib", tries);
    for (int k = 0; k < 4; k++) ws_buf_release(&gz[k]);
    ws_buf_release(&runs);
    ws_buf_release(&text);
    ws_buf_release(&got);
    ws_buf_release(&want);
}

/* A block of BGZF whose length is wrong, though its neighbours make it a gzip member all the same. */
static void wrong_length(tap *t) {
    ws_buf gz = {0};
    bgzf(&gz, "one", 3);
    bgzf(&gz, "two", 3);
    gz.p[16] = (char)(gz.n - 1);
    bgzf(&gz, "", 0);
    refused(t, &gz, "byte 0: a block (BGZF) does not have the ", "a block of BGZF that says it is as long as two");
    ws_buf_release(&gz);
}

static void unreadable(tap *t) {
    ws_err err;
    char *text;
    size_t n;
    int rc = ws_source_slurp("/nonexistent/file", NULL, &text, &n, &err);
    tap_ok(t, rc == WS_EIO && !strcmp(err.text, "cannot open /nonexistent/file: No such file or directory"),
           "missing file");
    rc = ws_source_slurp("/", NULL, &text, &n, &err);
    tap_ok(t, rc == WS_EIO && !strcmp(err.text, "cannot read /: Is a directory"), "directory");
}

/* A pipe as standard input */

static int set_stdin(int fd) {
    int old = dup(STDIN_FILENO);
    must(dup2(fd, STDIN_FILENO) == 0, "dup2");
    close(fd);
    return old;
}

static void restore_stdin(int old) {
    must(dup2(old, STDIN_FILENO) == 0, "dup2");
    close(old);
}

static void timeouts(tap *t) {
    int fd[2];
    ws_err err;
    ws_source *s;
    const uint8_t *p = NULL;
    size_t n = 0;
    must(pipe(fd) == 0, "pipe");
    int old = set_stdin(fd[0]);
    must(!ws_source_open(&s, "-", &err), "open");
    tap_ok(t, !strcmp(ws_source_name(s), "standard input"), "the name of -");
    tap_ok(t, ws_source_next(s, 0, &p, &n, &err) == WS_AGAIN, "nothing there, no patience");
    tap_ok(t, ws_source_next(s, 20, &p, &n, &err) == WS_AGAIN, "nothing there for 20 ms");
    tap_ok(t, ws_source_ahead(s) == 0, "nothing to read ahead");
    must(write(fd[1], "\x1f", 1) == 1, "write");
    tap_ok(t, ws_source_next(s, 20, &p, &n, &err) == WS_AGAIN, "one byte does not tell gzip from plain");
    must(write(fd[1], "bc", 2) == 2, "write");
    tap_ok(t, ws_source_next(s, 1000, &p, &n, &err) == WS_OK && n >= 2 && !memcmp(p, "\x1f" "bc", n), "three do");
    if (n == 2) (void)ws_source_next(s, 1000, &p, &n, &err);
    must(write(fd[1], "def", 3) == 3, "write");
    tap_ok(t, ws_source_ahead(s) == 1 && ws_source_next(s, 0, &p, &n, &err) == WS_OK && n == 3 && !memcmp(p, "def", 3),
           "what was read ahead is there");
    close(fd[1]);
    tap_ok(t, ws_source_next(s, -1, &p, &n, &err) == WS_EOF && ws_source_next(s, 0, &p, &n, &err) == WS_EOF,
           "the end, twice");
    ws_source_close(s);
    restore_stdin(old);
}

typedef struct helper {
    ws_source *s;
    atomic_int stop, did;
} helper;

static void *read_ahead(void *arg) {
    helper *h = arg;
    while (!h->stop)
        if (ws_source_ahead(h->s)) h->did++;
        else sched_yield();
    return NULL;
}

static void threads_ahead(tap *t, const ws_buf *in, const ws_buf *want, const char *what) {
    char path[PATH_SIZE];
    ws_err err;
    helper h = {0};
    pthread_t thread[3];
    const uint8_t *p;
    size_t n, sum = 0;
    uint64_t done, size;
    int rc, fine = 1;
    temp_file(path, in->p, in->n);
    must(!ws_source_open(&h.s, path, &err), "open");
    for (int i = 0; i < 3; i++) must(!pthread_create(&thread[i], NULL, read_ahead, &h), "thread");
    while (!(rc = ws_source_next(h.s, -1, &p, &n, &err))) {
        fine &= sum + n <= want->n && !memcmp(p, want->p + sum, n);
        sum += n;
    }
    h.stop = 1;
    for (int i = 0; i < 3; i++) pthread_join(thread[i], NULL);
    ws_source_progress(h.s, &done, &size);
    tap_ok(t, rc == WS_EOF && fine && sum == want->n && done == in->n && size == in->n,
           "%s, three threads reading ahead", what);
    ws_source_close(h.s);
    unlink(path);
}

int main(void) {
    tap t = {0};
    ws_buf text = {0}, gz = {0};
    shapes(&t);
    byte_order_marks(&t);
    cuts(&t);
    cut_in_runs(&t);
    failure_is_last(&t);
    wrong_checksums(&t);
    one_answer(&t);
    wrong_length(&t);
    unreadable(&t);
    timeouts(&t);
    fill_text(&text, 5000000, 11);
    member(&gz, text.p, text.n, 1);
    threads_ahead(&t, &text, &text, "plain");
    threads_ahead(&t, &gz, &text, "gzip");
    gz.n = 0;
    for (size_t i = 0; i < text.n; i += 50000) bgzf(&gz, text.p + i, 50000);
    bgzf(&gz, "", 0);
    threads_ahead(&t, &gz, &text, "BGZF");
    ws_buf_release(&text);
    ws_buf_release(&gz);
    return tap_end(&t);
}
