/* SPDX-License-Identifier: MIT
 * Models by an index: see bin/press/program.h. An index is a help alone. The model at each place must have the key,
 * and if one has not, or the index lacks a key, the file is read from its beginning. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bin/press/program.h"
#include "lib/base/system.h"

enum { FIRST_LOOK = 1 << 16, MOST = 1 << 30 }; /* bytes that are read of a model at first, and at most */

/* ---- one model ---- */

/* Reads what is at a place: at least one whole model. Returns WS_EDATA if there is none. */
static int portion_at(const ws_places *x, uint64_t at, ws_hmmportion *p, ws_err *err) {
    p->text.n = 0;
    p->binary = x->binary;
    for (size_t want = FIRST_LOOK; want <= MOST; want *= 4) {
        int rc = ws_buf_reserve(&p->text, want + 1, err), ended = 0;
        if (rc) return rc;
        while (p->text.n < want && !ended) {
            const ssize_t n = pread(x->fd, p->text.p + p->text.n, want - p->text.n, (off_t)(at + p->text.n));
            if (n < 0 && errno != EINTR) return ws_fail_errno(err, WS_EIO, "cannot read %s", x->path);
            ended = n == 0;
            p->text.n += n > 0 ? (size_t)n : 0;
        }
        p->text.p[p->text.n] = '\0';
        p->file = (ws_hmmfile){.name = x->path, .text = p->text.p, .n = p->text.n, .bytes_before = at,
                               .version = x->version, .more = ended ? 0 : MOST};
        ws_hmm h = {0};
        size_t whole = 0;
        if (x->binary) rc = ws_hmmbin_header(&h, &p->file, &whole, err);
        else whole = ended ? p->text.n : ws_hmmtext_whole(p->text.p, p->text.n);
        ws_hmm_release(&h);
        p->file.more = 0;
        if (whole && !rc) return WS_OK;
        if (rc && rc != WS_AGAIN) return rc;
        if (ended) break;
    }
    return ws_fail(err, WS_EDATA, "%s: no model is at byte %llu", x->path, (unsigned long long)at);
}

/* Hands on the first model of a portion alone. */
typedef struct only {
    ws_hmmportion_take *take;
    void *ctx;
    int rc;
} only;
static int take_only(void *ctx, ws_hmm *h, uint64_t at, ws_err *err) {
    only *o = ctx;
    o->rc = o->take(o->ctx, h, at, err);
    return o->rc ? o->rc : WS_EOF;
}

int ws_places_read(const ws_places *x, size_t i, ws_hmmportion *p, ws_hmmportion_take *take, void *ctx, ws_err *err) {
    only o = {take, ctx, WS_OK};
    int rc = portion_at(x, x->at[i], p, err);
    if (!rc) rc = ws_hmmportion_read(p, take_only, &o, err);
    return rc == WS_EOF ? o.rc : rc;
}

/* Returns whether the model at a place has the key as its name or accession. */
static int has_key(const ws_places *x, uint64_t at, const char *key, ws_hmmportion *p) {
    ws_err ignored;
    ws_hmm h = {0};
    size_t skipped = 0;
    int good = portion_at(x, at, p, &ignored) == WS_OK;
    if (good && x->binary) good = ws_hmmbin_header(&h, &p->file, &skipped, &ignored) == WS_OK;
    else if (good) good = ws_hmmtext_header(&h, &p->file, 0, &ignored) == WS_OK;
    good = good && (strcmp(h.name, key) == 0 || (h.acc && strcmp(h.acc, key) == 0));
    ws_hmm_release(&h);
    return good;
}

/* ---- the index ---- */

/* Opens the models that an index is about; returns 0 if they are no file of models as they are. */
static int open_models(ws_places *x, const char *path) {
    ws_err ignored;
    char b[9] = {0};
    struct stat st;
    x->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (x->fd < 0 || fstat(x->fd, &st) != 0 || !S_ISREG(st.st_mode) || pread(x->fd, b, 8, 0) != 8) return 0;
    ws_hmmfile f = {.name = path, .text = b, .n = 8};
    x->path = path;
    x->binary = ws_hmmbin_detect(&f);
    const int rc = x->binary ? ws_hmmbin_version(&f, &ignored) : ws_hmmtext_version(&f, &ignored);
    x->version = f.version;
    return rc == WS_OK;
}

static int by_place(const void *a_, const void *b_, void *none) {
    const uint64_t a = *(const uint64_t *)a_, b = *(const uint64_t *)b_;
    (void)none;
    return (a > b) - (a < b);
}

/* Finds all keys by an index; returns 0 if it lacks one of them, or leads astray. */
static int find_all(ws_places *x, const char *index, const char *models, const ws_picks *keys) {
    ws_ssi ssi;
    ws_hmmportion p = {.binary = 0};
    if (!ws_ssi_read(&ssi, index)) return 0;
    int good = open_models(x, models);
    for (size_t i = 0; i < keys->n && good; i++) {
        const char *key = ws_picks_key(keys, i);
        good = ws_ssi_find(&ssi, key, &x->at[i]) && has_key(x, x->at[i], key, &p);
    }
    ws_ssi_release(&ssi);
    ws_buf_release(&p.text);
    if (!good && x->fd >= 0) close(x->fd);
    if (!good) x->fd = -1;
    return good;
}

/* Returns whether the models of a pressed database are not older than the file that they were made of. */
static int is_current(const char *path, const char *pressed) {
    struct stat a, b;
    if (stat(path, &a) != 0 || stat(pressed, &b) != 0) return 0;
    const struct timespec ta = ws_system_written(&a), tb = ws_system_written(&b);
    return tb.tv_sec != ta.tv_sec ? tb.tv_sec > ta.tv_sec : tb.tv_nsec >= ta.tv_nsec;
}

int ws_places_find(ws_places *x, const char *path, const ws_picks *keys, int in_file, ws_err *err) {
    char *index = ws_models_sibling(path, ".h3i", err), *ssi = ws_models_sibling(path, ".ssi", err);
    x->fd = -1;
    x->own = ws_models_sibling(path, ".h3m", err);
    x->at = ws_calloc(keys->n, sizeof *x->at, err);
    x->n = keys->n;
    int rc = index && ssi && x->own && x->at ? WS_OK : WS_ENOMEM;
    if (!rc && !(is_current(path, x->own) && find_all(x, index, x->own, keys))) (void)find_all(x, ssi, path, keys);
    ws_free(index);
    ws_free(ssi);
    if (rc || x->fd < 0 || !in_file) return rc;
    ws_system_sort(x->at, x->n, sizeof *x->at, by_place, NULL);
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++)
        if (!n || x->at[n - 1] != x->at[i]) x->at[n++] = x->at[i];
    x->n = n;
    return WS_OK;
}

void ws_places_release(ws_places *x) {
    if (x->fd >= 0) close(x->fd);
    ws_free(x->own);
    ws_free(x->at);
}
