/* SPDX-License-Identifier: MIT
 * Checked output: what arrives, and the ways in which it cannot. */
#include "lib/files/out.h"
#include "lib/compress/source.h"
#include "tests/lib/io.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void to_file(tap *t) {
    char path[PATH_SIZE], *text;
    size_t n;
    ws_err err;
    ws_out o;
    temp_file(path, "what was there before", 21);
    int rc = ws_out_open(&o, path, &err);
    if (!rc) rc = ws_out_write(&o, "one", 3, &err);
    if (!rc) rc = ws_out_write(&o, "", 0, &err);
    if (!rc) rc = ws_out_write(&o, "two", 3, &err);
    if (!rc) rc = ws_out_close(&o, &err);
    must(!ws_source_slurp(path, NULL, &text, &n, &err), "read back");
    tap_ok(t, !rc && n == 6 && !memcmp(text, "onetwo", 6), "a file is replaced");
    tap_ok(t, ws_out_close(&o, &err) == WS_OK, "closing twice does no harm");
    ws_free(text);
    unlink(path);
}

static void failures(tap *t) {
    ws_err err;
    ws_out o;
    int rc = ws_out_open(&o, "/nonexistent/file", &err), fd[2];
    tap_ok(t, rc == WS_EIO && !strcmp(err.text, "cannot open /nonexistent/file for writing: No such file or directory"),
           "a folder that is not there");
    tap_ok(t, ws_out_close(&o, &err) == WS_OK, "closing what was not opened does no harm");
    if (access("/dev/full", W_OK) == 0) {
        must(!ws_out_open(&o, "/dev/full", &err), "/dev/full");
        rc = ws_out_write(&o, "x", 1, &err);
        tap_ok(t, rc == WS_EIO && !strcmp(err.text, "cannot write to /dev/full: No space left on device"),
               "a full disk");
        (void)ws_out_close(&o, &err);
    } else {
        tap_skip(t, "a full disk", "no /dev/full");
    }
    must(pipe(fd) == 0, "pipe");
    close(fd[0]);
    o = (ws_out){.fd = fd[1], .name = "standard output"};
    tap_ok(t, ws_out_write(&o, "x", 1, &err) == WS_EPIPE, "a reader that went away");
    (void)ws_out_close(&o, &err);
    tap_ok(t, !ws_out_open(&o, "-", &err) && o.fd == STDOUT_FILENO && !strcmp(o.name, "standard output"),
           "- is stdout");
}

/* A limit on the size of files makes a write fail in its middle: what it wrote is taken back where that was the end of
 * the file, and nothing is cut where bytes stand after it. */
static void partial_write(tap *t) {
    enum { BEFORE = 10, ALL = 100, LIMIT = 50, WRITTEN = 60 };
    struct rlimit old;
    must(getrlimit(RLIMIT_FSIZE, &old) == 0, "limit");
    for (int behind = 0; behind < 2; behind++) {
        char path[PATH_SIZE], name[32], bytes[ALL] = {0};
        ws_err err;
        ws_out o;
        struct stat st;
        temp_file(path, bytes, behind ? ALL : BEFORE);
        const int fd = open(path, O_WRONLY);
        must(fd >= 0 && lseek(fd, BEFORE, SEEK_SET) == BEFORE, "file");
        snprintf(name, sizeof name, "/dev/fd/%d", fd);
        must(!ws_out_open(&o, name, &err), "descriptor");
        must(setrlimit(RLIMIT_FSIZE, &(struct rlimit){LIMIT, old.rlim_max}) == 0, "limit");
        const int rc = ws_out_write(&o, bytes, WRITTEN, &err);
        must(setrlimit(RLIMIT_FSIZE, &old) == 0 && stat(path, &st) == 0, "limit");
        tap_ok(t, rc == WS_EIO && st.st_size == (behind ? ALL : BEFORE),
               "a write that fails in its middle, %s: %lld bytes are left",
               behind ? "with bytes behind it" : "at the end of a file", (long long)st.st_size);
        (void)ws_out_close(&o, &err);
        close(fd);
        unlink(path);
    }
}

typedef struct reader {
    int fd;
    uint64_t sum;
    size_t n;
} reader;

static void *read_slowly(void *arg) {
    reader *r = arg;
    uint8_t buf[5000];
    for (ssize_t got; (got = read(r->fd, buf, sizeof buf)) > 0; r->n += (size_t)got)
        for (ssize_t i = 0; i < got; i++) r->sum = r->sum * 31 + buf[i];
    return NULL;
}

/* A pipe that another process made non-blocking takes some bytes, then nothing for a while. */
static void non_blocking(tap *t) {
    enum { N = 3000000 };
    uint8_t *p = malloc(N);
    uint64_t seed = 1, sum = 0;
    pthread_t thread;
    ws_err err;
    int fd[2];
    must(p && pipe(fd) == 0 && fcntl(fd[1], F_SETFL, O_NONBLOCK) == 0, "pipe");
    for (size_t i = 0; i < N; i++) sum = sum * 31 + (p[i] = (uint8_t)rnd(&seed));
    reader r = {.fd = fd[0]};
    ws_out o = {.fd = fd[1], .name = "pipe"};
    must(!pthread_create(&thread, NULL, read_slowly, &r), "thread");
    int rc = ws_out_write(&o, p, N, &err);
    rc = rc ? rc : ws_out_close(&o, &err);
    pthread_join(thread, NULL);
    tap_ok(t, !rc && r.n == N && r.sum == sum, "3 MB through a non-blocking pipe");
    close(fd[0]);
    free(p);
}

/* Text in a buffer is a string, also where it fills the room that was asked for and what was there before is no NUL. */
static void text(tap *t) {
    ws_err err;
    int bad = 0;
    for (int n = 0; n < 200; n++) {
        ws_buf b = {0};
        must(!ws_buf_reserve(&b, 64, &err), "memory");
        memset(b.p, 'x', b.cap);
        for (int i = 0; i < n; i++) {
            must(!(i % 3 ? ws_buf_adds(&b, "a", &err) : ws_buf_addf(&b, &err, "%s", "a")), "memory");
            bad += b.p[b.n] != '\0' || b.n != (size_t)i + 1;
        }
        ws_buf_release(&b);
    }
    tap_ok(t, !bad, "what ws_buf_adds and ws_buf_addf leave is a string");
}

/* An output to /dev/null goes nowhere, whatever its name. A closed descriptor has to fail later. */
static void null(tap *t) {
    char folder[] = "/tmp/out-test-XXXXXX", link[64], file[64], at[32];
    const int fd = open("/dev/null", O_WRONLY), read_only = open("/dev/null", O_RDONLY);
    must(mkdtemp(folder) && fd >= 0 && read_only >= 0, "folder");
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(file, sizeof file, "%s/file", folder);
    must(symlink("/dev/null", link) == 0 && close(open(file, O_WRONLY | O_CREAT, 0600)) == 0, "files");
    snprintf(at, sizeof at, "/dev/fd/%d", fd);
    tap_ok(t, ws_out_is_null("/dev/null") && ws_out_is_null(link) && ws_out_is_null(at), "/dev/null by three names");
    snprintf(at, sizeof at, "/dev/fd/%d", read_only);
    tap_ok(t, !ws_out_is_null(at) && !ws_out_is_null(file) && !ws_out_is_null("/dev/fd/999") &&
              !ws_out_is_null("/no/folder") && !ws_out_is_null("/dev/zero"), "other outputs are read");
    close(fd);
    close(read_only);
    must(unlink(link) == 0 && unlink(file) == 0 && rmdir(folder) == 0, "files");
}

int main(void) {
    tap t = {0};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    null(&t);
    text(&t);
    to_file(&t);
    failures(&t);
    partial_write(&t);
    non_blocking(&t);
    return tap_end(&t);
}
