/* SPDX-License-Identifier: MIT
 * A model file: reads it, tells text from binary, and converts its models on several threads. It takes the file in
 * portions, so the text of 50,000 models, over 5 GB, is never in memory at once. Reading continues while threads
 * convert. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* for a hash state that we own */
#include <xxhash.h>

#include "lib/base/parallel_for.h"
#include "lib/base/system.h"
#include "lib/hmm/hmmfile.h"
#include "lib/compress/source.h"

enum {
    PORTION = 1 << 20, /* bytes that a thread takes at a time */
    LOOK = 16 << 20    /* most bytes in all threads' portions, and in front of the end of the first model */
};

/* ---- the file: bytes are in `rest` between their reading and a portion ---- */

typedef struct input {
    const char *name; /* for messages */
    ws_source *source;
    XXH3_state_t *hash;
    ws_buf rest;
    size_t bytes, lines; /* of the file, before rest */
    size_t read, line;   /* bytes that were read; those of the last line */
    char version;
    int ended, is_text;
} input;

int ws_hmmfile_check_line(const char *name, size_t begin, size_t n, ws_err *err) {
    if (n <= WS_HMMTEXT_LINE) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s: the line from byte %zu on has more than %d MB, which no line of a model has",
                   name, begin, WS_HMMTEXT_LINE >> 20);
}

/* Notes the lines in n bytes that were read. */
static int follow_lines(input *in, const uint8_t *p, size_t n, ws_err *err) {
    const uint8_t *lf = ws_system_last(p, '\n', n);
    in->line = lf ? (size_t)(p + n - lf) - 1 : in->line + n;
    in->read += n;
    return in->is_text ? ws_hmmfile_check_line(in->name, in->read - in->line, in->line, err) : WS_OK;
}

/* Reads more of the file behind `text`, until there are `want` bytes or the file ends; then adds a NUL. */
static int fill(input *in, ws_buf *text, size_t want, ws_err *err) {
    while (text->n < want && !in->ended) {
        const uint8_t *p;
        size_t n;
        int rc = ws_source_next(in->source, -1, &p, &n, err);
        in->ended = rc == WS_EOF;
        if (rc == WS_OK) rc = ws_buf_add(text, p, n, err);
        if (rc == WS_OK) XXH3_64bits_update(in->hash, p, n);
        if (rc == WS_OK) rc = follow_lines(in, p, n, err);
        if (rc != WS_OK && rc != WS_EOF) return rc;
    }
    int rc = ws_buf_reserve(text, 1, err);
    if (rc == WS_OK) text->p[text->n] = '\0';
    return rc;
}

/* Does the same until there are whole models too, but at most `most` bytes. *whole: bytes of the whole models. */
static int fill_whole(input *in, ws_buf *text, size_t want, size_t most, size_t *whole, ws_err *err) {
    for (*whole = 0;; want = 2 * text->n) {
        int rc = fill(in, text, ws_min(want, most), err);
        if (rc != WS_OK) return rc;
        *whole = in->ended ? text->n : ws_hmmtext_whole(text->p, text->n);
        if (*whole || in->ended || text->n >= most) return WS_OK;
    }
}

static ws_hmmfile file_of(const input *in, const ws_buf *text) {
    return (ws_hmmfile){in->name, text->p, text->n, in->bytes, in->lines, in->version, 0};
}

/* ---- text: each thread takes the next portion of whole models until none is left ---- */

typedef struct models {
    ws_hmm *hmm;
    size_t n;
} models;

typedef struct portion {
    size_t index;
    ws_buf text;
    ws_hmmfile file;
} portion;

typedef struct team {
    size_t want; /* bytes in a portion */
    pthread_mutex_t lock; /* protects the fields below */
    input *in;
    models *done; /* [taken], in the order of the file */
    size_t taken, cap;
    size_t failed; /* index of the first portion that failed, SIZE_MAX: none */
    ws_err err;
} team;

int ws_hmmfile_check_text(const ws_hmmfile *f, ws_err *err) {
    const char *nul = memchr(f->text, '\0', f->n);
    if (nul)
        return ws_fail(err, WS_EDATA, "%s: byte %zu is zero, which no HMMER3 text file holds; it is neither text nor a "
                       "HMMER3 binary file (.h3m)", f->name, f->bytes_before + (size_t)(nul - f->text));
    return WS_OK;
}

/* Takes the lock. A thread that would only wait for it reads and inflates meanwhile. */
static void lock(team *w) {
    while (pthread_mutex_trylock(&w->lock) != 0) {
        if (ws_source_ahead(w->in->source)) continue;
        pthread_mutex_lock(&w->lock);
        return;
    }
}

static void note_failure(team *w, size_t index, const ws_err *err) {
    if (index > w->failed) return;
    w->failed = index;
    w->err = *err;
}

/* Cuts a portion: the whole models that are read and not taken. The rest stays for the next portion. */
static int cut_portion(team *w, portion *p, ws_err *err) {
    input *in = w->in;
    const ws_buf spare = p->text;
    size_t whole;
    p->text = in->rest;
    in->rest = spare;
    in->rest.n = 0;
    int rc = ws_grow(&w->done, &w->cap, w->taken + 1, sizeof *w->done, err);
    if (rc != WS_OK) return rc;
    w->done[w->taken] = (models){0};
    p->index = w->taken++;
    rc = fill_whole(in, &p->text, w->want, SIZE_MAX, &whole, err);
    if (rc == WS_OK) rc = ws_buf_add(&in->rest, p->text.p + whole, p->text.n - whole, err);
    if (rc != WS_OK) return rc;
    p->text.n = whole;
    p->text.p[whole] = '\0';
    p->file = file_of(in, &p->text);
    in->bytes += whole;
    in->lines += ws_hmmtext_lines(p->text.p, whole);
    return WS_OK;
}

/* Takes the next portion. Portions are numbered in file order and every one taken is finished. So the failure that
 * is kept is the first in the file for any number of threads. */
static int take(team *w, portion *p) {
    ws_err err;
    int go;
    lock(w);
    go = w->failed == SIZE_MAX && !(w->in->ended && w->in->rest.n == 0);
    if (go) {
        go = cut_portion(w, p, &err) == WS_OK;
        if (!go) note_failure(w, w->taken, &err);
    }
    pthread_mutex_unlock(&w->lock);
    return go;
}

static int convert(const ws_hmmfile *f, models *m, ws_err *err) {
    size_t *start = NULL, n;
    int rc = ws_hmmfile_check_text(f, err);
    if (rc == WS_OK) rc = ws_hmmtext_split(f, &start, &n, err);
    if (rc != WS_OK) return rc;
    m->hmm = ws_calloc(n, sizeof *m->hmm, err);
    if (!m->hmm) rc = err->code;
    while (rc == WS_OK && m->n < n) {
        rc = ws_hmmtext_read(&m->hmm[m->n], f, start[m->n], err);
        m->n++;
    }
    ws_free(start);
    return rc;
}

/* Runs one thread's share. It returns WS_OK always: failures are kept by portion, not by thread. */
static int work(void *arg, size_t thread, ws_err *err) {
    team *w = arg;
    portion p = {0};
    (void)thread;
    while (take(w, &p)) {
        models m = {0};
        const int rc = convert(&p.file, &m, err);
        lock(w);
        w->done[p.index] = m;
        if (rc != WS_OK) note_failure(w, p.index, err);
        pthread_mutex_unlock(&w->lock);
    }
    ws_buf_release(&p.text);
    return WS_OK;
}

/* Moves the models of all portions into the set. */
static int gather(team *w, ws_hmmset *set, ws_err *err) {
    size_t n = 0;
    for (size_t i = 0; i < w->taken; i++) n += w->done[i].n;
    set->hmm = ws_calloc(n, sizeof *set->hmm, err);
    for (size_t i = 0; i < w->taken; i++) {
        models *m = &w->done[i];
        if (set->hmm && m->n) memcpy(set->hmm + set->n, m->hmm, m->n * sizeof *m->hmm);
        if (set->hmm) set->n += m->n;
        for (size_t j = 0; !set->hmm && j < m->n; j++) ws_hmm_release(&m->hmm[j]);
        ws_free(m->hmm);
    }
    ws_free(w->done);
    return set->hmm ? WS_OK : err->code;
}

static int read_text(ws_hmmset *set, input *in, size_t want, int threads, ws_err *err) {
    team w = {.want = want, .in = in, .failed = SIZE_MAX};
    pthread_mutex_init(&w.lock, NULL);
    (void)ws_parallel_for(in->ended ? 1 : (size_t)ws_max(threads, 1), threads, work, &w, err);
    pthread_mutex_destroy(&w.lock);
    int rc = gather(&w, set, err);
    if (w.failed == SIZE_MAX) return rc;
    /* a damaged .gz is found soon behind the text that it spoils, and its message says more */
    (void)fill(in, &in->rest, LOOK, &w.err);
    *err = w.err;
    return err->code;
}

/* ---- binary: only reading a model finds its end, and reading it is little more than a copy ---- */

/* Reads binary models one after another. A failure before the end of the file may only mean that more bytes are
 * needed. */
static int read_binary(ws_hmmset *set, input *in, size_t want, ws_err *err) {
    ws_hmmfile f = file_of(in, &in->rest);
    size_t at = 0, cap = 0;
    int rc = ws_hmmbin_version(&f, err);
    in->version = f.version;
    while (rc == WS_OK && !(in->ended && at == in->rest.n)) {
        f = file_of(in, &in->rest);
        if ((rc = ws_grow(&set->hmm, &cap, set->n + 1, sizeof *set->hmm, err)) != WS_OK) break;
        ws_hmm *h = &set->hmm[set->n];
        *h = (ws_hmm){0};
        rc = ws_hmmbin_read(h, &f, &at, err);
        if (rc == WS_OK) {
            set->n++;
            continue;
        }
        ws_hmm_release(h);
        if (rc != WS_EDATA || in->ended) break;
        in->bytes += at;
        in->rest.n -= at;
        memmove(in->rest.p, in->rest.p + at, in->rest.n);
        at = 0;
        rc = fill(in, &in->rest, ws_max(want, 2 * in->rest.n), err);
    }
    return rc;
}

int ws_hmmset_check_alphabets(const ws_hmmset *set, const char *name, ws_err *err) {
    for (size_t i = 1; i < set->n; i++)
        /* one search takes models of DNA and of RNA, whose codes are the same */
        if (set->hmm[i].abc != set->hmm[0].abc && !(set->hmm[i].abc->complement && set->hmm[0].abc->complement))
            return ws_fail(err, WS_EDATA,
                           "%s: model %zu, %s, has the alphabet %s, but the first model, %s, has %s; all "
                           "models of a file must agree",
                           name, i + 1, set->hmm[i].name, set->hmm[i].abc->name, set->hmm[0].name,
                           set->hmm[0].abc->name);
    return WS_OK;
}

static int read_all(ws_hmmset *set, input *in, int threads, ws_err *err) {
    const size_t want = ws_min(PORTION, LOOK / (size_t)ws_max((size_t)threads, 1));
    size_t whole;
    int rc = fill(in, &in->rest, WS_HMMBIN_MAGIC, err);
    if (rc != WS_OK) return rc;
    ws_hmmfile f = file_of(in, &in->rest);
    in->is_text = !ws_hmmbin_detect(&f);
    if (!in->is_text) {
        rc = read_binary(set, in, want, err);
    } else if ((rc = fill_whole(in, &in->rest, want, LOOK, &whole, err)) == WS_OK) {
        f = file_of(in, &in->rest); /* checks only the first bytes: the file may be a huge database */
        rc = ws_hmmfile_check_text(&f, err);
        if (rc == WS_OK) rc = ws_hmmtext_version(&f, err);
        in->version = f.version;
        if (rc == WS_OK) rc = read_text(set, in, want, threads, err);
    }
    return rc == WS_OK ? ws_hmmset_check_alphabets(set, in->name, err) : rc;
}

/* Moves the models of `more` to the end of the set. */
static int join(ws_hmmset *set, ws_hmmset *more, ws_err *err) {
    ws_hmm *hmm = ws_calloc(set->n + more->n, sizeof *hmm, err);
    if (!hmm) return err->code;
    if (set->n) memcpy(hmm, set->hmm, set->n * sizeof *hmm);
    if (more->n) memcpy(hmm + set->n, more->hmm, more->n * sizeof *hmm);
    ws_free(set->hmm);
    set->hmm = hmm;
    set->n += more->n;
    more->n = 0;
    return WS_OK;
}

int ws_hmmset_append(ws_hmmset *set, XXH3_state_t *hash, const char *path, int threads, ws_err *err) {
    input in = {.name = ws_source_name_of(path), .hash = hash};
    ws_hmmset more = {0};
    int rc = ws_source_open(&in.source, path, err);
    if (rc == WS_OK) rc = read_all(&more, &in, threads, err);
    if (rc == WS_OK) rc = join(set, &more, err);
    ws_hmmset_release(&more);
    ws_buf_release(&in.rest);
    ws_source_close(in.source);
    return rc;
}

void ws_hmm_forget(ws_hmm *h) {
    ws_free(h->mat);
    ws_free(h->tr);
    h->mat = h->tr = NULL;
}

void ws_hmm_forget_annotation(ws_hmm *h) {
    for (int k = 0; k < WS_NNOTE; k++) {
        ws_free(h->note[k]);
        h->note[k] = NULL;
    }
    ws_free(h->map);
    h->map = NULL;
}

void ws_hmmset_release(ws_hmmset *set) {
    for (size_t i = 0; i < set->n; i++) ws_hmm_release(&set->hmm[i]);
    for (size_t i = 0; i < set->nfile; i++)
        if (set->fd[i] >= 0) close(set->fd[i]);
    for (int i = 0; i < WS_HMMSET_TEXTS; i++) {
        if (set->text[i]) ws_buf_release(set->text[i]);
        ws_free(set->text[i]);
    }
    ws_free(set->hmm);
    ws_pressed_close(set->pressed);
    ws_free(set->place);
    ws_free(set->fd);
    ws_free(set->was);
    *set = (ws_hmmset){0};
}
