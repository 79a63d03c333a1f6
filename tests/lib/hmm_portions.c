/* SPDX-License-Identifier: MIT
 * Model files that are larger than the portions they are read in: the models, their order, the hash and the failures
 * are those of the file, whatever the number of threads. */
#include "lib/hmm/model.h"
#include "lib/compress/source.h"
#include "tests/lib/hmmread.h"
#include "tests/lib/io.h"

#define FORMATS "tests/data/golden/formats/"

enum { N = 500, NTHREADS = 4 };
static const int threads[NTHREADS] = {1, 2, 7, 64};

/* A file of N models, which are `one` with their number in place of its name "test". */
typedef struct sheaf {
    ws_buf all;
    size_t at[N]; /* where each begins */
} sheaf;

static void make(sheaf *s, const char *path) {
    char *one, number[16];
    size_t n, name = 0;
    ws_err err;
    must(!ws_source_slurp(path, NULL, &one, &n, &err), err.text);
    while (memcmp(one + name, "test", 4) != 0) name++;
    *s = (sheaf){0};
    for (int i = 0; i < N; i++) {
        sprintf(number, "%04d", i);
        memcpy(one + name, number, 4);
        s->at[i] = s->all.n;
        must(!ws_buf_add(&s->all, one, n, &err), err.text);
    }
    ws_free(one);
}

static int read_it(ws_hmmset *set, const sheaf *s, size_t n, int nthread, ws_err *err) {
    char path[PATH_SIZE];
    temp_file(path, s->all.p, n);
    int rc = hmm_read(set, path, nthread, err);
    char *place = rc == WS_OK ? NULL : strstr(err->text, path);
    if (place) memmove(place, place + strlen(path), strlen(place + strlen(path)) + 1);
    unlink(path);
    return rc;
}

static int equal(const ws_hmm *a, const ws_hmm *b) {
    const size_t M = (size_t)a->M;
    return a->M == b->M && memcmp(a->mat, b->mat, (M + 1) * 20 * sizeof *a->mat) == 0 &&
           memcmp(a->tr, b->tr, (M + 1) * WS_NTRANS * sizeof *a->tr) == 0;
}

static void test_all(tap *t, const sheaf *s, const char *path) {
    ws_hmmset alone, set;
    ws_err err;
    uint64_t hash = 0;
    must(!hmm_read(&alone, path, 1, &err), err.text);
    for (int i = 0; i < NTHREADS; i++) {
        must(!read_it(&set, s, s->all.n, threads[i], &err), err.text);
        size_t right = 0;
        while (right < set.n && atoi(set.hmm[right].name) == (int)right && equal(&set.hmm[right], &alone.hmm[0]))
            right++;
        if (i == 0) hash = set.xxh3;
        tap_ok(t, set.n == N && right == N && set.xxh3 == hash, "%s: %d models with %d threads, in order", path, N,
               threads[i]);
        ws_hmmset_release(&set);
    }
    ws_hmmset_release(&alone);
}

/* Reading n bytes of the file fails with the sentence `expect`, always. */
static void refuse(tap *t, const sheaf *s, size_t n, const char *expect, const char *what) {
    ws_hmmset set;
    ws_err err;
    for (int i = 0; i < NTHREADS; i++) {
        const int rc = read_it(&set, s, n, threads[i], &err);
        if (!tap_ok(t, rc == WS_EDATA && strcmp(err.text, expect) == 0, "refused with %d threads: %s", threads[i],
                    what))
            tap_note("%s; expected: %s", rc ? err.text : "was read", expect);
        if (rc == WS_OK) ws_hmmset_release(&set);
    }
}

static size_t lines(const char *p, size_t n) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++) found += p[i] == '\n';
    return found;
}

static void test_text(tap *t) {
    char expect[WS_ERR_MAX];
    ws_err err;
    sheaf s;
    make(&s, FORMATS "20aa-3f.hmm");
    test_all(t, &s, FORMATS "20aa-3f.hmm");

    sprintf(expect,
            "%s, line %zu: found \"XMMER3/f\" where a further model was expected, which begins with HMMER3/f like the "
            "first",
            "", lines(s.all.p, s.at[400]) + 1);
    s.all.p[s.at[400]] = s.all.p[s.at[410]] = s.all.p[s.at[499]] = 'X';
    refuse(t, &s, s.all.n, expect, "three models damaged, the first of them is told");
    s.all.p[s.at[250] + 40] = '\0';
    sprintf(expect,
            ": byte %zu is zero, which no HMMER3 text file holds; it is neither text nor a HMMER3 binary file (.h3m)",
            s.at[250] + 40);
    refuse(t, &s, s.all.n, expect, "a zero byte before them");
    ws_buf_release(&s.all);

    make(&s, FORMATS "20aa-3f.hmm");
    s.all.n -= 3; /* "//" and its line end */
    sprintf(expect, ", line %zu: the file ends inside model 0499, at node 20 of 20; it may be cut",
            lines(s.all.p, s.all.n) + 1);
    refuse(t, &s, s.all.n, expect, "cut behind the last node");
    ws_buf_release(&s.all);

    /* comments make a model of three portions of the second one */
    const ws_buf none = {0};
    sheaf big;
    make(&s, FORMATS "20aa-3f.hmm");
    big = s;
    big.all = none;
    must(!ws_buf_add(&big.all, s.all.p, s.at[1], &err), err.text);
    must(!ws_buf_adds(&big.all, "HMMER3/f\n", &err), err.text);
    for (int i = 0; i < 100000; i++)
        must(!ws_buf_adds(&big.all, "COM  [1] it was made so, // or so\n", &err), err.text);
    const char *rest = s.all.p + s.at[1] + strcspn(s.all.p + s.at[1], "\n") + 1;
    must(!ws_buf_add(&big.all, rest, s.all.n - (size_t)(rest - s.all.p), &err), err.text);
    test_all(t, &big, FORMATS "20aa-3f.hmm");
    ws_buf_release(&big.all);
    ws_buf_release(&s.all);
}

static void test_binary(tap *t) {
    char expect[WS_ERR_MAX];
    sheaf s;
    make(&s, FORMATS "20aa-bin3f.h3m");
    test_all(t, &s, FORMATS "20aa-bin3f.h3m");
    sprintf(expect, ", byte %zu: the file ends inside flags: 4 bytes were expected, 0 are left; it may be cut",
            s.at[480] + 4);
    refuse(t, &s, s.at[480] + 4, expect, "a binary file that is cut");
    s.all.p[s.at[450]] ^= 1;
    sprintf(expect, ", byte %zu: a further model was expected, which begins with the same number as the first",
            s.at[450]);
    refuse(t, &s, s.all.n, expect, "a binary file damaged where a model begins");
    ws_buf_release(&s.all);
}

int main(void) {
    tap t = {0};
    test_text(&t);
    test_binary(&t);
    return tap_end(&t);
}
