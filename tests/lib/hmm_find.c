/* SPDX-License-Identifier: MIT
 * Models that are found first and read on demand: the same models, hashes and sentences as of a file that is read at
 * once. */
#include "lib/hmm/hmmfile.h"
#include "lib/compress/source.h"
#include "tests/lib/hmmread.h"
#include "tests/lib/io.h"

#include <fcntl.h>

#define GOLDEN "tests/data/golden/"

static void fine(const ws_err *err, int rc) { must(!rc, err->text); }

static int same_tables(const ws_hmm *a, const ws_hmm *b) {
    const size_t M = (size_t)a->M, K = (size_t)a->abc->K;
    int same = !memcmp(a->mat, b->mat, (M + 1) * K * sizeof *a->mat) &&
               !memcmp(a->tr, b->tr, (M + 1) * WS_NTRANS * sizeof *a->tr) &&
               !memcmp(a->compo, b->compo, sizeof a->compo) && a->hash == b->hash;
    for (int i = 0; i < WS_NNOTE; i++)
        same &= !a->note[i] == !b->note[i] && (!a->note[i] || !strcmp(a->note[i], b->note[i]));
    return same && !a->map == !b->map && (!a->map || !memcmp(a->map, b->map, (M + 1) * sizeof *a->map));
}

static int same_header(const ws_hmm *a, const ws_hmm *b) {
    return !strcmp(a->name, b->name) && a->M == b->M && a->abc == b->abc && !a->acc == !b->acc &&
           (!a->acc || !strcmp(a->acc, b->acc)) && a->calibrated == b->calibrated &&
           !memcmp(a->evparam, b->evparam, sizeof a->evparam) && a->nseq == b->nseq && a->maxl == b->maxl &&
           !memcmp(a->has_cut, b->has_cut, sizeof a->has_cut) && !memcmp(a->cut, b->cut, sizeof a->cut);
}

/* All files as one, and each model of them, read backwards and again after it was given back. */
static void test_found(tap *t, const char *const *path, size_t n, const char *what) {
    ws_hmmset found, read;
    ws_err err;
    int ok = 1;
    fine(&err, ws_hmmset_find(&found, path, n, 2, &err));
    size_t at = found.n;
    for (size_t f = n; f-- > 0;) {
        fine(&err, hmm_read(&read, path[f], 2, &err));
        if (n == 1) ok &= read.xxh3 == found.xxh3;
        at -= read.n;
        for (size_t i = read.n; i-- > 0;) {
            ws_hmm *h = &found.hmm[at + i];
            const char *name = h->name;
            ok &= same_header(h, &read.hmm[i]) && (found.place[at + i].n == 0) == (h->mat != NULL);
            fine(&err, ws_hmmset_load(&found, at + i, &err));
            ok &= same_tables(h, &read.hmm[i]) && h->name == name && h->hash != 0;
            if (!found.place[at + i].n) continue;
            ws_hmm_forget(h);
            fine(&err, ws_hmmset_load(&found, at + i, &err));
            ok &= same_tables(h, &read.hmm[i]);
        }
        ws_hmmset_release(&read);
    }
    tap_ok(t, ok && at == 0, "%s", what);
    ws_hmmset_release(&found);
}

/* The models of one file k times over, with what stands between them. */
static void repeat(ws_buf *out, const char *path, int k, const char *between) {
    char *text;
    size_t n;
    ws_err err;
    fine(&err, ws_source_slurp(path, NULL, &text, &n, &err));
    out->n = 0;
    for (int i = 0; i < k; i++) {
        fine(&err, ws_buf_add(out, text, n, &err));
        fine(&err, ws_buf_adds(out, between, &err));
    }
    ws_free(text);
}

static void test_bytes(tap *t, const ws_buf *b, const char *what) {
    char path[PATH_SIZE];
    temp_file(path, b->p, b->n);
    const char *const paths[] = {path};
    test_found(t, paths, 1, what);
    unlink(path);
}

/* The sentence about a file is that of reading it at once, from finding it or, if `late`, from reading model i. */
static void refuse(tap *t, const ws_buf *b, size_t n, int late, size_t i, const char *what) {
    char path[PATH_SIZE];
    ws_hmmset found, read;
    ws_err want = {0}, got = {0};
    temp_file(path, b->p, n);
    const char *const paths[] = {path};
    const int bad = hmm_read(&read, path, 2, &want);
    int rc = ws_hmmset_find(&found, paths, 1, 2, &got);
    const int first = rc;
    if (!rc) {
        rc = ws_hmmset_load(&found, i, &got);
        ws_hmmset_release(&found);
    }
    unlink(path);
    if (!tap_ok(t, bad == WS_EDATA && rc == WS_EDATA && !strcmp(want.text, got.text) && late == !first, "refused: %s",
                what))
        tap_note("%s; expected: %s", got.text, want.text);
    if (!bad) ws_hmmset_release(&read);
}

/* Insert emissions of a node like those of the node before, but with a value too many, one that is none, and a value
 * too few. */
static void test_inserts(tap *t) {
    static const char end[] = "  3.61503\n", *const other[] = {"  3.61503 1\n", "  3.6150x\n", "\n"};
    ws_buf b = {0}, changed = {0};
    ws_err err;
    repeat(&b, GOLDEN "formats/20aa-3f.hmm", 1, "");
    const char *last = NULL;
    for (const char *at = b.p; (at = strstr(at, end)) != NULL; at++) last = at;
    must(last != NULL, "a line of insert emissions");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        const size_t front = (size_t)(last - b.p), behind = front + sizeof end - 1;
        changed.n = 0;
        fine(&err, ws_buf_add(&changed, b.p, front, &err));
        fine(&err, ws_buf_adds(&changed, other[i], &err));
        fine(&err, ws_buf_add(&changed, b.p + behind, b.n - behind, &err));
        refuse(t, &changed, changed.n, 1, 0, "insert emissions that are not those of the node before");
    }
    ws_buf_release(&b);
    ws_buf_release(&changed);
}

static void test_changed(tap *t) {
    char path[PATH_SIZE];
    ws_hmmset found;
    ws_err err;
    ws_buf b = {0};
    repeat(&b, GOLDEN "formats/20aa-3f.hmm", 3, "");
    temp_file(path, b.p, b.n);
    const char *const paths[] = {path};
    fine(&err, ws_hmmset_find(&found, paths, 1, 1, &err));
    must(!truncate(path, (off_t)(b.n - 9)), "truncate");
    int rc = ws_hmmset_load(&found, 2, &err);
    tap_ok(t, rc == WS_EDATA && strstr(err.text, path) && strstr(err.text, "has changed since it was opened"),
           "a file that became shorter: %s", rc ? err.text : "");
    fine(&err, ws_hmmset_load(&found, 0, &err));
    ws_hmmset_release(&found);
    unlink(path);
    ws_buf_release(&b);
}

/* Changes one byte after another of a file whose models were found, and loads them all: those that had none of these
 * bytes are as before, also the second time. n: how many models the file has. */
static void test_bytes_that_change(tap *t, const ws_buf *b, size_t n, const char *what) {
    char path[PATH_SIZE];
    ws_hmmset found;
    ws_err err;
    size_t wrong = 0, tries = 0;
    temp_file(path, b->p, b->n);
    const char *const paths[] = {path};
    fine(&err, ws_hmmset_find(&found, paths, 1, 1, &err));
    const int fd = open(path, O_WRONLY);
    must(fd >= 0 && found.n == n, "the file");
    for (size_t at = 0; at < b->n; at += b->n / 400 + 1, tries++) {
        const char other = (char)(b->p[at] ^ 1);
        must(pwrite(fd, &other, 1, (off_t)at) == 1, "a changed byte");
        for (size_t i = 0; i < n; i++) {
            const ws_hmmplace *p = &found.place[i];
            const int hit = at >= p->at && at < p->at + p->n, rc = ws_hmmset_load(&found, i, &err);
            const int named = !rc || (strstr(err.text, path) && strstr(err.text, found.hmm[i].name));
            wrong += (rc == WS_EDATA) != hit || !named;
            ws_hmm_forget(&found.hmm[i]);
        }
        must(pwrite(fd, b->p + at, 1, (off_t)at) == 1, "the byte");
    }
    tap_ok(t, !wrong, "%s: %zu bytes that change, each in one model: %zu wrong", what, tries, wrong);
    close(fd);
    ws_hmmset_release(&found);
    unlink(path);
}

static void test_hash(tap *t) {
    ws_hmmset set;
    ws_err err;
    fine(&err, hmm_read(&set, GOLDEN "formats/20aa-3f.hmm", 1, &err));
    ws_hmm *h = &set.hmm[0];
    const uint64_t hash = h->hash;
    float *const numbers[] = {&h->mat[20],   &h->mat[20 * h->M + 19], &h->tr[0], &h->tr[h->M * WS_NTRANS + 6],
                              &h->compo[19], &h->evparam[5]};
    int ok = hash == ws_hmm_hash(h);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const float old = *numbers[i];
        *numbers[i] += 0.25f;
        ok &= ws_hmm_hash(h) != hash;
        *numbers[i] = old;
    }
    h->cut[0][0] += 1;
    h->name[0]++;
    ok &= ws_hmm_hash(h) == hash;
    h->calibrated = 0;
    tap_ok(t, ok && ws_hmm_hash(h) != hash, "the hash is of what scores depend on");
    ws_hmmset_release(&set);
}

int main(void) {
    static const char *const many[] = {GOLDEN "formats/20aa-3f.hmm", GOLDEN "models/globins4_mm.hmm.gz",
                                       GOLDEN "formats/20aa-bin3c.h3m", "tests/data/demo.hmm"};
    static const char *const dna[] = {GOLDEN "long-targets/3box.h3m"};
    tap t = {0};
    ws_buf b = {0};
    for (char v = 'a'; v <= 'f'; v++) {
        char path[2][64];
        const char *const paths[2] = {path[0], path[1]};
        snprintf(path[0], sizeof path[0], GOLDEN "formats/20aa-3%c.hmm", v);
        snprintf(path[1], sizeof path[1], GOLDEN "formats/20aa-bin3%c.h3m", v);
        for (int i = 0; i < 2; i++) test_found(&t, paths + i, 1, path[i]);
    }
    test_found(&t, many, 4, "four files, one of them compressed");
    test_found(&t, dna, 1, dna[0]);
    repeat(&b, GOLDEN "formats/20aa-3f.hmm", 300, "");
    test_bytes(&t, &b, "300 models");
    repeat(&b, GOLDEN "formats/20aa-3f.hmm", 20, "\n# a // comment\n  \n");
    test_bytes(&t, &b, "blank lines and comments between models");
    b.n -= 20;
    test_bytes(&t, &b, "... and no line end behind the last");
    repeat(&b, GOLDEN "formats/20aa-bin3f.h3m", 300, "");
    test_bytes(&t, &b, "300 binary models");
    refuse(&t, &b, b.n - 100, 0, 0, "a binary file that is cut");
    repeat(&b, GOLDEN "formats/20aa-3f.hmm", 300, "");
    const size_t one = b.n / 300;
    refuse(&t, &b, b.n - 100, 0, 0, "a file that is cut in its last model");
    refuse(&t, &b, 299 * one + 30, 0, 0, "a file that is cut in its last header");
    b.p[200 * one + one / 2] = 'x';
    refuse(&t, &b, b.n, 1, 200, "a number that is none");
    b.p[100 * one + 7] = 'b';
    refuse(&t, &b, b.n, 0, 0, "a model of another version");
    test_inserts(&t);
    test_changed(&t);
    repeat(&b, GOLDEN "formats/20aa-3f.hmm", 9, "\n# between models\n");
    test_bytes_that_change(&t, &b, 9, "text");
    repeat(&b, GOLDEN "formats/20aa-bin3f.h3m", 9, "");
    test_bytes_that_change(&t, &b, 9, "binary");
    repeat(&b, GOLDEN "formats/20aa-3f.hmm", 60, ""); /* several windows of the finder */
    test_bytes_that_change(&t, &b, 60, "text of several windows");
    test_hash(&t);
    ws_buf_release(&b);
    return tap_end(&t);
}
