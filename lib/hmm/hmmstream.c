/* SPDX-License-Identifier: MIT
 * A file of models as a stream of portions: see lib/hmm/hmmstream.h. */
#include "lib/hmm/hmmstream.h"

#include <string.h>

#include "lib/compress/source.h"

enum { LOOK = 1 << 16 };   /* bytes that tell whether a file has models */
#define ENDLESS ((size_t)1 << 40) /* bytes behind a text whose end is not known */

struct ws_hmmstream {
    const char *name; /* for messages */
    ws_source *source;
    ws_buf rest;         /* read, and in no portion yet */
    size_t bytes, lines; /* of the file, before rest */
    char version;
    int binary, ended;
};

/* Reads until `text` has `want` bytes or the file ends, and adds a NUL. */
static int fill(ws_hmmstream *s, ws_buf *text, size_t want, ws_err *err) {
    while (text->n < want && !s->ended) {
        const uint8_t *p;
        size_t n;
        int rc = ws_source_next(s->source, -1, &p, &n, err);
        s->ended = rc == WS_EOF;
        if (rc == WS_OK) rc = ws_buf_add(text, p, n, err);
        if (rc != WS_OK && rc != WS_EOF) return rc;
    }
    const int rc = ws_buf_reserve(text, 1, err);
    if (!rc) text->p[text->n] = '\0';
    return rc;
}

static ws_hmmfile file_of(const ws_hmmstream *s, const ws_buf *text) {
    return (ws_hmmfile){s->name, text->p, text->n, s->bytes, s->lines, s->version, s->ended ? 0 : ENDLESS};
}

static int look(ws_hmmstream *s, ws_err *err) {
    int rc = fill(s, &s->rest, LOOK, err);
    if (rc) return rc;
    ws_hmmfile f = file_of(s, &s->rest);
    s->binary = ws_hmmbin_detect(&f);
    if (s->binary) rc = ws_hmmbin_version(&f, err);
    if (!s->binary) rc = ws_hmmfile_check_text(&f, err);
    if (!s->binary && !rc) rc = ws_hmmtext_version(&f, err);
    s->version = f.version;
    return rc;
}

int ws_hmmstream_open(ws_hmmstream **out, const char *path, ws_err *err) {
    ws_hmmstream *s = *out = ws_calloc(1, sizeof *s, err);
    if (!s) return err->code;
    s->name = ws_source_name_of(path);
    int rc = ws_source_open(&s->source, path, err);
    if (!rc) rc = look(s, err);
    if (!rc) return WS_OK;
    ws_hmmstream_close(s);
    *out = NULL;
    return rc;
}

void ws_hmmstream_close(ws_hmmstream *s) {
    if (!s) return;
    ws_source_close(s->source);
    ws_buf_release(&s->rest);
    ws_free(s);
}

int ws_hmmstream_ahead(ws_hmmstream *s) { return ws_source_ahead(s->source); }

void ws_hmmstream_progress(const ws_hmmstream *s, uint64_t *done, uint64_t *size) {
    ws_source_progress(s->source, done, size);
}

/* Sets *whole to the bytes of the whole binary models at the beginning of a text; 0: more of the file is needed. */
static int whole_binary(const ws_hmmfile *f, size_t *whole, ws_err *err) {
    int rc = WS_OK;
    for (*whole = 0; !rc && *whole < f->n;) {
        ws_hmm h = {0};
        rc = ws_hmmbin_header(&h, f, whole, err);
        ws_hmm_release(&h);
    }
    return rc == WS_AGAIN ? WS_OK : rc;
}

static int count_whole(const ws_hmmstream *s, const ws_buf *text, size_t *whole, ws_err *err) {
    const ws_hmmfile f = file_of(s, text);
    if (s->binary) return whole_binary(&f, whole, err);
    *whole = s->ended ? text->n : ws_hmmtext_whole(text->p, text->n);
    return WS_OK;
}

/* Returns whether a text has nothing but blank lines and comments. */
static int is_empty(const char *p) {
    while (*p) {
        while (ws_hmmtext_is_blank(*p) || *p == '\n') p++;
        if (*p && *p != '#') return 0;
        p += strcspn(p, "\n");
    }
    return 1;
}

int ws_hmmstream_next(ws_hmmstream *s, ws_hmmportion *p, size_t want, ws_err *err) {
    const ws_buf spare = p->text;
    size_t whole = 0;
    int rc = WS_OK;
    p->text = s->rest;
    s->rest = spare;
    s->rest.n = 0;
    for (; !rc && !whole; want = 2 * p->text.n) {
        rc = fill(s, &p->text, want, err);
        if (!rc) rc = count_whole(s, &p->text, &whole, err);
        if (s->ended) break;
    }
    if (rc) return rc;
    if (p->text.n == 0 || (!s->binary && is_empty(p->text.p))) return WS_EOF;
    rc = ws_buf_add(&s->rest, p->text.p + whole, p->text.n - whole, err);
    if (rc) return rc;
    p->text.n = whole;
    p->text.p[whole] = '\0';
    p->binary = s->binary;
    p->file = file_of(s, &p->text);
    p->file.more = 0;
    s->bytes += whole;
    if (!s->binary) s->lines += ws_hmmtext_lines(p->text.p, whole);
    return WS_OK;
}

/* ---- reading ---- */

/* Returns where HMMER's index says that a model begins: behind the line that ended the one before. */
static size_t begin_of(const char *text, size_t start) {
    size_t line = start;
    while (line > 0 && text[line - 1] != '\n') line--;
    while (line > 0) {
        size_t before = line - 1;
        while (before > 0 && text[before - 1] != '\n') before--;
        const char *p = text + before;
        while (ws_hmmtext_is_blank(*p)) p++;
        if (p[0] == '/' && p[1] == '/' && ws_hmmtext_is_end(p[2])) break;
        line = before;
    }
    return line;
}

static int start_model(ws_hmm *h, ws_err *err) {
    *h = (ws_hmm){0};
    if (!(h->made = ws_calloc(1, sizeof *h->made, err))) return err->code;
    h->made->whole = 1;
    h->made->effn = -1.0f;
    return WS_OK;
}

static int read_text(const ws_hmmportion *p, ws_hmmportion_take *take, void *ctx, ws_err *err) {
    const ws_hmmfile *f = &p->file;
    size_t *start = NULL, n = 0;
    int rc = ws_hmmfile_check_text(f, err);
    if (!rc) rc = ws_hmmtext_split(f, &start, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        ws_hmm h;
        rc = start_model(&h, err);
        if (!rc) rc = ws_hmmtext_read(&h, f, start[i], err);
        if (!rc) rc = take(ctx, &h, f->bytes_before + begin_of(f->text, start[i]), err);
        ws_hmm_release(&h);
    }
    ws_free(start);
    return rc;
}

int ws_hmmportion_read(const ws_hmmportion *p, ws_hmmportion_take *take, void *ctx, ws_err *err) {
    if (!p->binary) return read_text(p, take, ctx, err);
    int rc = WS_OK;
    for (size_t at = 0; at < p->file.n && !rc;) {
        const size_t begin = at;
        ws_hmm h;
        rc = start_model(&h, err);
        if (!rc) rc = ws_hmmbin_read(&h, &p->file, &at, err);
        if (!rc) rc = take(ctx, &h, p->file.bytes_before + begin, err);
        ws_hmm_release(&h);
    }
    return rc;
}
