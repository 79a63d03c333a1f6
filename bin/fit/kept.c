/* SPDX-License-Identifier: MIT
 * The rows of a run, kept until the last sequence is known: in memory, and in a temporary file beyond a limit. */
#include "bin/fit/fit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/files/temp.h"

/* Where a row's texts lie: name, accession, description, codes, codes outside and columns, one after another. */
typedef struct ws_fitkept {
    ws_fitrow row; /* of its pointers only whether they are NULL counts */
    size_t chunk, at;
    size_t name, acc, desc; /* bytes with the NUL; 0: there is none */
} ws_fitkept;

/* Memory for many rows, or the place in the file that it went to. */
typedef struct ws_fitchunk {
    char *bytes; /* NULL: it is in the file, */
    uint64_t in_file; /* here */
    size_t n, cap;
} ws_fitchunk;

enum { CHUNK = 1 << 20 };

/* ---- the temporary file ---- */

static int broken(const char *what, ws_err *err) {
    return ws_fail_errno(err, WS_EIO, "cannot %s the temporary file of rows in %s; --mem SIZE keeps more in memory",
                         what, ws_temp_folder());
}

static int open_file(ws_fitrows *rows, ws_err *err) {
    rows->fd = ws_temp_open();
    return rows->fd < 0 ? broken("make", err) : WS_OK;
}

/* Moves the last chunk to the end of the file. */
static int write_out(ws_fitrows *rows, ws_err *err) {
    ws_fitchunk *c = &rows->chunk[rows->nchunk - 1];
    if (rows->written == 0 && open_file(rows, err)) return err->code;
    c->in_file = rows->written;
    if (ws_temp_write(rows->fd, c->bytes, c->n) < 0) return broken("write", err);
    rows->written += c->n;
    rows->memory -= c->cap;
    ws_free(c->bytes);
    c->bytes = NULL;
    return WS_OK;
}

/* Reads a chunk into the window. */
static int read_back(ws_fitrows *rows, size_t number, ws_err *err) {
    const ws_fitchunk *c = &rows->chunk[number];
    if (rows->in_window == number + 1) return WS_OK;
    rows->in_window = 0;
    char *to = ws_buf_scratch(&rows->window, c->n, err);
    if (!to) return err->code;
    if (lseek(rows->fd, (off_t)c->in_file, SEEK_SET) < 0) return broken("read", err);
    for (size_t at = 0; at < c->n;) {
        const ssize_t got = read(rows->fd, to + at, c->n - at);
        if (got == 0) errno = EIO; /* someone has cut it */
        if (got <= 0 && errno != EINTR && errno != EAGAIN) return broken("read", err);
        at += got > 0 ? (size_t)got : 0;
    }
    rows->in_window = number + 1;
    return WS_OK;
}

/* ---- rows ---- */

/* Returns room for n bytes in the last chunk, which may be a new one. */
static char *reserve(ws_fitrows *rows, size_t n, ws_err *err) {
    ws_fitchunk *c = rows->nchunk ? &rows->chunk[rows->nchunk - 1] : NULL;
    if (!c || c->cap - c->n < n) {
        const size_t cap = ws_max(n, CHUNK);
        if (c && rows->memory + cap > rows->most && write_out(rows, err)) return NULL;
        if (ws_grow(&rows->chunk, &rows->chunk_cap, rows->nchunk + 1, sizeof *rows->chunk, err)) return NULL;
        c = &rows->chunk[rows->nchunk];
        *c = (ws_fitchunk){.cap = cap};
        if (!(c->bytes = ws_alloc(cap, err))) return NULL;
        rows->memory += cap;
        rows->nchunk++;
    }
    c->n += n;
    return c->bytes + (c->n - n);
}

void ws_fitrows_release(ws_fitrows *rows) {
    for (size_t i = 0; i < rows->nchunk; i++) ws_free(rows->chunk[i].bytes);
    if (rows->written > 0) (void)close(rows->fd); /* it has no name, so nothing is left of it */
    ws_buf_release(&rows->window);
    ws_free(rows->chunk);
    ws_free(rows->row);
    ws_free(rows->sum);
    ws_free(rows->used);
    *rows = (ws_fitrows){.most = rows->most};
}

/* Puts n bytes behind the others, if there are some. */
static void put(char **to, const void *from, size_t n) {
    if (n) memcpy(*to, from, n);
    *to += n;
}

/* Takes the next n bytes; NULL if the row has none of this kind. */
static const void *take(const char **from, const void *has, size_t n) {
    const char *p = *from;
    *from += n;
    return has ? p : NULL;
}

static size_t length(const char *text) { return text ? strlen(text) + 1 : 0; }

/* Adds a row's posteriors to those of the nodes: sums in double, in the order of the rows. */
static void add_posteriors(ws_fitrows *rows, const ws_fitrow *r, const float *posterior) {
    uint32_t k = r->k_from;
    for (uint32_t c = 0; c < r->ncolumn; c++) {
        const int state = r->column[c] & WS_COLUMN_STATE;
        if (state == WS_COLUMN_M) {
            rows->sum[k] += (double)posterior[c];
            rows->used[k]++;
        }
        k += state != WS_COLUMN_I;
    }
}

int ws_fitrows_add(ws_fitrows *rows, const ws_hmm *hmm, const ws_fitrow *r, const float *posterior, ws_err *err) {
    const size_t M = (size_t)hmm->M, outside = r->outside ? r->L : 0;
    int rc = ws_grow(&rows->row, &rows->cap, rows->n + 1, sizeof *rows->row, err);
    if (!rc && !rows->sum && !(rows->sum = ws_calloc(M + 1, sizeof *rows->sum, err))) rc = err->code;
    if (!rc && !rows->used && !(rows->used = ws_calloc(M + 1, sizeof *rows->used, err))) rc = err->code;
    if (rc) return rc;
    ws_fitkept *k = &rows->row[rows->n];
    *k = (ws_fitkept){.row = *r, .name = length(r->name), .acc = length(r->acc), .desc = length(r->desc)};
    const size_t bytes = k->name + k->acc + k->desc + r->L + outside + r->ncolumn;
    char *p = reserve(rows, bytes, err);
    if (!p) return err->code;
    k->chunk = rows->nchunk - 1;
    k->at = (size_t)(p - rows->chunk[k->chunk].bytes);
    put(&p, r->name, k->name);
    put(&p, r->acc, k->acc);
    put(&p, r->desc, k->desc);
    put(&p, r->code, r->L);
    put(&p, r->outside, outside);
    put(&p, r->column, r->ncolumn);
    rows->n++;
    if (posterior) add_posteriors(rows, r, posterior);
    return WS_OK;
}

int ws_fitrows_get(ws_fitrows *rows, size_t i, ws_fitrow *r, ws_err *err) {
    const ws_fitkept *k = &rows->row[i];
    const ws_fitchunk *c = &rows->chunk[k->chunk];
    if (!c->bytes && read_back(rows, k->chunk, err)) return err->code;
    const char *p = (c->bytes ? c->bytes : rows->window.p) + k->at;
    *r = k->row;
    r->name = take(&p, r->name, k->name);
    r->acc = take(&p, r->acc, k->acc);
    r->desc = take(&p, r->desc, k->desc);
    r->code = take(&p, r->code, r->L);
    r->outside = take(&p, r->outside, r->outside ? r->L : 0);
    r->column = take(&p, r->column, r->ncolumn);
    return WS_OK;
}
