/* SPDX-License-Identifier: MIT
 * A model file as a whole: reads it, tells text from binary, converts its models on several threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <xxhash.h>

#include "lib/hmm/hmmfile.h"
#include "lib/io/source.h"

enum { THREADS_MAX = 64 };

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
    size_t line = 1;
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

static int convert_all(ws_hmmset *set, const ws_hmmfile *f, const size_t *start, int threads, ws_err *err) {
    work w = {.file = f, .start = start, .n = set->n, .hmm = set->hmm, .failed = set->n};
    pthread_t thread[THREADS_MAX];
    size_t others = threads > 1 ? ws_min(ws_min((size_t)threads, THREADS_MAX), set->n) - 1 : 0, started = 0;

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

static int read_text(ws_hmmset *set, ws_hmmfile *f, int threads, ws_err *err) {
    size_t *start = NULL, n;
    const char *nul = memchr(f->text, '\0', f->n);
    int rc;

    if (nul)
        return ws_fail(err, WS_EDATA, "%s: byte %zu is zero, which no HMMER3 text file holds; it is neither text nor a "
                       "HMMER3 binary file (.h3m)", f->name, (size_t)(nul - f->text));
    if ((rc = ws_hmmtext_version(f, err)) != WS_OK) return rc;
    if ((rc = ws_hmmtext_split(f, &start, &n, err)) != WS_OK) return rc;
    set->hmm = ws_calloc(n, sizeof *set->hmm, err);
    set->n = set->hmm ? n : 0;
    rc = set->hmm ? convert_all(set, f, start, threads, err) : err->code;
    ws_free(start);
    return rc;
}

/* ---- binary: where a model ends is known only from reading it, and reading it is little more than a copy ---- */

static int read_binary(ws_hmmset *set, ws_hmmfile *f, ws_err *err) {
    size_t cap = 0, at = 0;
    int rc = ws_hmmbin_version(f, err);
    while (rc == WS_OK && at < f->n) {
        if ((rc = ws_grow(&set->hmm, &cap, set->n + 1, sizeof *set->hmm, err)) != WS_OK) break;
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

int ws_hmmset_read(ws_hmmset *set, const char *path, int threads, ws_err *err) {
    char *text = NULL;
    ws_hmmfile f = {.name = strcmp(path, "-") == 0 ? "standard input" : path};
    int rc;

    *set = (ws_hmmset){0};
    if ((rc = ws_source_slurp(path, &text, &f.n, err)) != WS_OK) return rc;
    f.text = text;
    set->xxh3 = XXH3_64bits(text, f.n);
    rc = ws_hmmbin_detect(&f) ? read_binary(set, &f, err) : read_text(set, &f, threads, err);
    if (rc == WS_OK) rc = check_alphabets(set, &f, err);
    if (rc != WS_OK) ws_hmmset_release(set);
    ws_free(text);
    return rc;
}

void ws_hmmset_release(ws_hmmset *set) {
    for (size_t i = 0; i < set->n; i++) ws_hmm_release(&set->hmm[i]);
    ws_free(set->hmm);
    *set = (ws_hmmset){0};
}
