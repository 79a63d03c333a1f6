/* SPDX-License-Identifier: MIT
 * The ledger of a stream: see lib/stream/ledger.h. */
#include "lib/stream/ledger.h"

#include "lib/base/ws.h"

#include <string.h>

#define COUNT_MAX UINT64_C(1000000000000000000) /* as many sequences as -Z takes */
#define FRAME_UNKNOWN UINT64_MAX

void ws_ledger_release(ws_ledger *g) { ws_buf_release(&g->lines); }

/* ---- stage lines ---- */

static const char stage_word[] = "##warpsieve";

/* A text that is read from its beginning. */
typedef struct text {
    const char *p, *end;
} text;

/* Takes a word that must stand next. Returns whether it does. */
static int take(text *t, const char *word) {
    const size_t n = strlen(word);
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0) return 0;
    t->p += n;
    return 1;
}

/* Takes what stands before the next blank or the end, at least one byte. */
static int take_word(text *t, text *word) {
    const char *blank = memchr(t->p, ' ', (size_t)(t->end - t->p));
    *word = (text){t->p, blank ? blank : t->end};
    t->p = word->end;
    return word->end > word->p;
}

/* Takes a plain decimal number of at most COUNT_MAX, without needless zeros. */
static int take_count(text *t, uint64_t *v) {
    const char *digit = t->p;
    for (*v = 0; t->p < t->end && *t->p >= '0' && *t->p <= '9' && *v <= COUNT_MAX; t->p++)
        *v = 10 * *v + (uint64_t)(*t->p - '0');
    return t->p > digit && *v <= COUNT_MAX && (*digit != '0' || t->p == digit + 1);
}

/* Reads the hash at the end of NAME(xxh3:HASH). Returns 0 without one: users may take it out. */
static int read_hash(const text *model, uint64_t *hash) {
    enum { TAIL = 23 }; /* bytes of "(xxh3:HASH)" */
    text t = {model->end - TAIL, model->end};
    if (model->end - model->p <= TAIL || !take(&t, "(xxh3:") || model->end[-1] != ')') return 0;
    *hash = 0;
    for (; t.p < model->end - 1; t.p++) {
        static const char digits[] = "0123456789abcdef";
        const char *d = memchr(digits, *t.p, 16);
        if (!d) return 0;
        *hash = *hash << 4 | (uint64_t)(d - digits);
    }
    return 1;
}

/* Reads a stage line. *names_models: it has the hash of a file of models. Returns whether it is well formed. */
static int read_stage(const char *line, size_t n, uint64_t *number, int *names_models, uint64_t *models) {
    text t = {line, line + n}, word;
    *names_models = 0;
    if (!take(&t, stage_word) || !take(&t, " pg=") || !take_count(&t, number) || *number == 0) return 0;
    if (take(&t, " prog=") && !take_word(&t, &word)) return 0;
    if (take(&t, " version=") && !take_word(&t, &word)) return 0;
    if (take(&t, " model=")) {
        if (!take_word(&t, &word)) return 0;
        *names_models = read_hash(&word, models);
    }
    if (take(&t, " args=\"")) return t.p < t.end && t.end[-1] == '"';
    return t.p == t.end;
}

int ws_ledger_is_stage(const char *line, size_t n) {
    const size_t len = sizeof stage_word - 1;
    return n >= len && !memcmp(line, stage_word, len) && (n == len || line[len] == ' ');
}

uint64_t ws_ledger_stage_number(const char *line, size_t n) {
    uint64_t number, models;
    int names_models;
    return read_stage(line, n, &number, &names_models, &models) ? number : 0;
}

int ws_ledger_add_line(ws_ledger *g, const char *line, size_t n, ws_err *err) {
    uint64_t number, models = 0;
    int names_models;
    if (read_stage(line, n, &number, &names_models, &models)) {
        g->nstage++;
        if (names_models) g->models = models;
        g->names_models |= names_models;
    }
    const int rc = ws_buf_add(&g->lines, line, n, err);
    return rc ? rc : ws_buf_add(&g->lines, "\n", 1, err);
}

int ws_ledger_put_stage(ws_buf *out, int number, const char *program, const char *model, const char *args,
                        ws_err *err) {
    int rc = ws_buf_addf(out, err, "%s pg=%d prog=%s version=" WS_VERSION, stage_word, number, program);
    if (!rc && model) rc = ws_buf_addf(out, err, " model=%s", model);
    return rc ? rc : ws_buf_addf(out, err, " args=\"%s\"\n", args);
}

/* ---- sizes ---- */

int ws_ledger_read_end(const char *line, size_t n, uint64_t *rows, ws_stream_size *size) {
    text t = {line, line + n};
    *size = (ws_stream_size){.state = WS_SIZE_UNKNOWN};
    if (!take(&t, "##end rows=") || !take_count(&t, rows)) return 0;
    if (t.p == t.end) return 1;
    size->state = WS_SIZE_KNOWN;
    return take(&t, " in=") && take_count(&t, &size->seqs) && take(&t, " residues=") &&
           take_count(&t, &size->residues) && t.p == t.end;
}

int ws_ledger_add_size(ws_ledger *g, const ws_stream_size *size) {
    if (size->state != WS_SIZE_KNOWN) {
        g->unknown = 1;
        return 1;
    }
    if (size->seqs > COUNT_MAX - g->seqs || size->residues > COUNT_MAX - g->residues) return 0;
    g->seqs += size->seqs;
    g->residues += size->residues;
    return 1;
}

ws_stream_size ws_ledger_size(const ws_ledger *g) {
    if (g->unknown) return (ws_stream_size){.state = WS_SIZE_UNKNOWN};
    return (ws_stream_size){WS_SIZE_KNOWN, g->seqs, g->residues};
}

int ws_ledger_put_end(ws_buf *out, uint64_t rows, const ws_stream_size *size, ws_err *err) {
    if (size->state == WS_SIZE_NO_END) return WS_OK;
    int rc = ws_buf_addf(out, err, "##end rows=%llu", (unsigned long long)rows);
    if (!rc && size->state == WS_SIZE_KNOWN)
        rc = ws_buf_addf(out, err, " in=%llu residues=%llu", (unsigned long long)size->seqs,
                         (unsigned long long)size->residues);
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

void ws_ledger_to_frame(const ws_stream_size *size, uint64_t *seqs, uint64_t *residues) {
    *seqs = size->state == WS_SIZE_KNOWN ? size->seqs : FRAME_UNKNOWN;
    *residues = size->state == WS_SIZE_KNOWN ? size->residues : size->state == WS_SIZE_UNKNOWN ? FRAME_UNKNOWN : 0;
}

ws_stream_size ws_ledger_from_frame(uint64_t seqs, uint64_t residues) {
    if (seqs != FRAME_UNKNOWN) return (ws_stream_size){WS_SIZE_KNOWN, seqs, residues};
    return (ws_stream_size){.state = residues == FRAME_UNKNOWN ? WS_SIZE_UNKNOWN : WS_SIZE_NO_END};
}
