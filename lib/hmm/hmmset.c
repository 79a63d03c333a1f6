/* SPDX-License-Identifier: MIT
 * A model file: reads it, tells text from binary, converts its models on several threads. Text is taken in portions of whole
 * models, so that the text of 50,000 of them, 5 GB and more, is never there at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

#include "lib/hmm/hmmfile.h"
#include "lib/io/source.h"

enum { THREADS_MAX = 64, PORTION = 16 << 20 };

int ws_hmm_alloc(ws_hmm *h, ws_err *err) {
    size_t nodes = (size_t)h->M + 1;
    h->mat = ws_calloc(nodes * (size_t)h->abc->K, sizeof *h->mat, err);
    if (!h->mat) return err->code;
    h->tr = ws_calloc(nodes * WS_NTRANS, sizeof *h->tr, err);
    return h->tr ? WS_OK : err->code;
}

void ws_hmm_release(ws_hmm *h) {
    ws_free(h->name);
    ws_free(h->acc);
    ws_free(h->desc);
    ws_free(h->mat);
    ws_free(h->tr);
    *h = (ws_hmm){0};
}

size_t ws_hmmfile_line(const ws_hmmfile *f, const char *at) {
    size_t line = f->lines_before + 1;
    for (const char *p = f->text; (p = memchr(p, '\n', (size_t)(at - p))) != NULL; p++) line++;
    return line;
}

/* ---- text: models are independent, threads take the next one until none is left ---- */

typedef struct work {
    const ws_hmmfile *file;
    const size_t *start;
    size_t n;
    ws_hmm *hmm;
    atomic_size_t next;
    pthread_mutex_t lock; /* of what follows */
    size_t failed;        /* the first model that cannot be read, n if all can */
    ws_err err;
} work;

/* Models are handed out in ascending order and each one taken is finished, so the failure that is kept is the first of the
 * file, whatever the number of threads. */
static void *convert(void *arg) {
    work *w = arg;
    ws_err err;
    size_t i;
    while ((i = atomic_fetch_add(&w->next, 1)) < w->n) {
        if (ws_hmmtext_read(&w->hmm[i], w->file, w->start[i], &err) == WS_OK) continue;
        pthread_mutex_lock(&w->lock);
        if (i < w->failed) {
            w->failed = i;
            w->err = err;
        }
        pthread_mutex_unlock(&w->lock);
        break;
    }
    return NULL;
}

static int convert_all(ws_hmm *hmm, size_t n, const ws_hmmfile *f, const size_t *start, int threads, ws_err *err) {
    work w = {.file = f, .start = start, .n = n, .hmm = hmm, .failed = n};
    pthread_t thread[THREADS_MAX];
    size_t others = threads > 1 && n ? ws_min(ws_min((size_t)threads, THREADS_MAX), n) - 1 : 0, started = 0;

    atomic_init(&w.next, 0);
    pthread_mutex_init(&w.lock, NULL);
    /* a thread that cannot be had is no failure: the others do its share */
    while (started < others && pthread_create(&thread[started], NULL, convert, &w) == 0) started++;
    convert(&w);
    while (started) pthread_join(thread[--started], NULL);
    pthread_mutex_destroy(&w.lock);
    if (w.failed == w.n) return WS_OK;
    *err = w.err;
    return err->code;
}

/* What is read of a file: `text` holds what no model was made of yet. */
typedef struct input {
    ws_hmmfile file;
    ws_source *source;
    XXH3_state_t *hash;
    ws_buf text;
    size_t cap; /* of the set's models */
    int ended;
} input;

static int check_text(ws_hmmfile *f, ws_err *err) {
    const char *nul = memchr(f->text, '\0', f->n);
    if (nul)
        return ws_fail(err, WS_EDATA, "%s: byte %zu is zero, which no HMMER3 text file holds; it is neither text nor a "
                       "HMMER3 binary file (.h3m)", f->name, f->bytes_before + (size_t)(nul - f->text));
    return f->version ? WS_OK : ws_hmmtext_version(f, err);
}

static int read_portion(ws_hmmset *set, input *in, int threads, ws_err *err) {
    ws_hmmfile *f = &in->file;
    size_t *start = NULL, n;
    int rc = check_text(f, err);

    if (rc != WS_OK) return rc;
    if ((rc = ws_hmmtext_split(f, &start, &n, err)) != WS_OK) return rc;
    rc = ws_grow(&set->hmm, &in->cap, set->n + n, sizeof *set->hmm, err);
    if (rc == WS_OK) {
        ws_hmm *fresh = set->hmm + set->n;
        if (n) memset(fresh, 0, n * sizeof *fresh);
        set->n += n;
        rc = convert_all(fresh, n, f, start, threads, err);
    }
    ws_free(start);
    return rc;
}

/* More of the file, until there are `want` bytes or its end. */
static int fill(input *in, size_t want, ws_err *err) {
    while (in->text.n < want && !in->ended) {
        const uint8_t *p;
        size_t n;
        int rc = ws_source_next(in->source, -1, &p, &n, err);
        in->ended = rc == WS_EOF;
        if (rc == WS_OK) rc = ws_buf_add(&in->text, p, n, err);
        if (rc == WS_OK) XXH3_64bits_update(in->hash, p, n);
        if (rc != WS_OK && rc != WS_EOF) return rc;
    }
    return ws_buf_reserve(&in->text, 1, err); /* for the NUL behind it */
}

/* The first n bytes become the file's text, with a NUL in place of the byte behind them, which is returned. */
static char set_text(input *in, size_t n) {
    const char behind = in->text.n > n ? in->text.p[n] : '\0';
    in->text.p[n] = '\0';
    in->file.text = in->text.p;
    in->file.n = n;
    return behind;
}

static void drop_text(input *in, char behind) {
    ws_hmmfile *f = &in->file;
    for (const char *p = f->text; (p = memchr(p, '\n', f->n - (size_t)(p - f->text))) != NULL; p++) f->lines_before++;
    f->bytes_before += f->n;
    in->text.p[f->n] = behind;
    in->text.n -= f->n;
    memmove(in->text.p, in->text.p + f->n, in->text.n);
}

/* The first portion is there. One without the end of a model becomes twice as large, if models it is: a database in their place may be
 * as large as it likes. */
static int read_text(ws_hmmset *set, input *in, int threads, ws_err *err) {
    int rc = check_text(&in->file, err);
    for (size_t want = PORTION; rc == WS_OK;) {
        const size_t whole = in->ended ? in->text.n : ws_hmmtext_whole(in->text.p, in->text.n);
        if (whole || in->ended) {
            const char behind = set_text(in, whole);
            rc = read_portion(set, in, threads, err);
            if (rc != WS_OK || in->ended) return rc;
            drop_text(in, behind);
            want = PORTION;
        } else {
            want = 2 * in->text.n;
        }
        rc = fill(in, want, err);
    }
    return rc;
}

/* ---- binary: where a model ends is known only from reading it, and reading it is little more than a copy ---- */

static int read_binary(ws_hmmset *set, input *in, ws_err *err) {
    ws_hmmfile *f = &in->file;
    size_t at = 0;
    int rc = fill(in, SIZE_MAX, err);
    if (rc != WS_OK) return rc;
    (void)set_text(in, in->text.n);
    rc = ws_hmmbin_version(f, err);
    while (rc == WS_OK && at < f->n) {
        if ((rc = ws_grow(&set->hmm, &in->cap, set->n + 1, sizeof *set->hmm, err)) != WS_OK) break;
        set->hmm[set->n] = (ws_hmm){0};
        rc = ws_hmmbin_read(&set->hmm[set->n++], f, &at, err);
    }
    return rc;
}

static int check_alphabets(const ws_hmmset *set, const ws_hmmfile *f, ws_err *err) {
    for (size_t i = 1; i < set->n; i++)
        if (set->hmm[i].abc != set->hmm[0].abc)
            return ws_fail(err, WS_EDATA, "%s: model %zu, %s, has the alphabet %s, but the first model, %s, has %s; all "
                           "models of a file must agree", f->name, i + 1, set->hmm[i].name, set->hmm[i].abc->name,
                           set->hmm[0].name, set->hmm[0].abc->name);
    return WS_OK;
}

static int read_all(ws_hmmset *set, input *in, int threads, ws_err *err) {
    uint64_t done, size;
    ws_source_progress(in->source, &done, &size);
    int rc = ws_buf_reserve(&in->text, ws_min(size, PORTION) + WS_SOURCE_CHUNK, err); /* growing would touch every page twice */
    if (rc == WS_OK) rc = fill(in, PORTION, err);
    if (rc != WS_OK) return rc;
    (void)set_text(in, in->text.n);
    rc = ws_hmmbin_detect(&in->file) ? read_binary(set, in, err) : read_text(set, in, threads, err);
    return rc == WS_OK ? check_alphabets(set, &in->file, err) : rc;
}

int ws_hmmset_read(ws_hmmset *set, const char *path, int threads, ws_err *err) {
    input in = {.file = {.name = strcmp(path, "-") == 0 ? "standard input" : path}};
    *set = (ws_hmmset){0};
    int rc = ws_source_open(&in.source, path, err);
    if (rc == WS_OK && (!(in.hash = XXH3_createState()) || XXH3_64bits_reset(in.hash) != XXH_OK))
        rc = ws_fail_nomem(err, sizeof(void *));
    if (rc == WS_OK) rc = read_all(set, &in, threads, err);
    if (rc == WS_OK) set->xxh3 = XXH3_64bits_digest(in.hash);
    else ws_hmmset_release(set);
    XXH3_freeState(in.hash);
    ws_buf_release(&in.text);
    ws_source_close(in.source);
    return rc;
}

void ws_hmm_forget(ws_hmm *h) {
    ws_free(h->mat);
    ws_free(h->tr);
    h->mat = h->tr = NULL;
}

void ws_hmmset_release(ws_hmmset *set) {
    for (size_t i = 0; i < set->n; i++) ws_hmm_release(&set->hmm[i]);
    ws_free(set->hmm);
    *set = (ws_hmmset){0};
}
