/* SPDX-License-Identifier: MIT
 * The common base of the tests of readers and writers: random numbers, temporary files, batches as text. */
#ifndef WS_TESTS_IO_H
#define WS_TESTS_IO_H

#include "lib/formats/seqread.h"
#include "lib/compress/source.h"
#include "lib/simd/codec.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* splitmix64 */
WS_UNUSED static uint64_t rnd(uint64_t *seed) {
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
WS_UNUSED static size_t below(uint64_t *seed, size_t n) { return (size_t)(rnd(seed) % n); }

/* Trouble of the test itself. */
WS_UNUSED static void must(int fine, const char *what) {
    if (fine) return;
    printf("Bail out! %s\n", what);
    exit(1);
}

/* A file with these bytes; its name is written to path, the caller unlinks it. */
enum { PATH_SIZE = 256 };
WS_UNUSED static void temp_file(char path[PATH_SIZE], const void *p, size_t n) {
    const char *dir = getenv("TMPDIR");
    snprintf(path, PATH_SIZE, "%s/wstestXXXXXX", dir && *dir ? dir : "/tmp");
    int fd = mkstemp(path);
    must(fd >= 0, "no temporary file");
    for (size_t i = 0; i < n;) {
        ssize_t got = write(fd, (const char *)p + i, n - i);
        must(got > 0, "temporary file: write");
        i += (size_t)got;
    }
    close(fd);
}

/* Reads a file of these bytes through a source, compressed or not, into *out. The file's name does not stand in err.
 * Returns the last code. */
WS_UNUSED static int read_source(const ws_buf *in, ws_buf *out, ws_err *err) {
    char path[PATH_SIZE];
    const uint8_t *p;
    ws_source *s;
    size_t n;
    int rc;
    temp_file(path, in->p, in->n);
    must(!ws_source_open(&s, path, err), "open");
    out->n = 0;
    while (!(rc = ws_source_next(s, -1, &p, &n, err))) must(!ws_buf_add(out, p, n, err), "memory");
    if (rc != WS_EOF) memmove(err->text, err->text + strlen(path) + 2, strlen(err->text) - strlen(path) - 1);
    ws_source_close(s);
    unlink(path);
    return rc;
}

WS_UNUSED static void put_slice(ws_buf *out, const ws_batch *b, ws_slice s) {
    ws_err err;
    must(!ws_buf_add(out, s.n ? ws_batch_text(b, s) : "", s.n, &err), "memory");
}

/* The query of a row and its columns that pass through, as in a table. */
WS_UNUSED static void put_row(ws_buf *out, const ws_batch *b, const ws_row *row) {
    ws_err err;
    int rc = WS_OK;
    if (row->number == UINT32_MAX) {
        put_slice(out, b, row->query);
        rc = ws_buf_adds(out, "|", &err);
        put_slice(out, b, row->rest);
    } else {
        const ws_query *q = ws_queries_at(b->queries, row->number);
        rc = ws_buf_add(out, q->name, q->n, &err) | ws_buf_adds(out, "|", &err);
    }
    for (size_t k = 0; row->number != UINT32_MAX && k < b->ncolumn; k++) {
        const ws_cell c = ws_row_cell(b, row, (int)k);
        if (k) rc |= ws_buf_adds(out, "\t", &err);
        rc |= ws_cell_print(out, &c, &err);
    }
    must(!rc, "memory");
}

/* "name|desc|qual|SEQUENCE" for a sequence, " #number|query|rest|line" for each of its rows, numbered through from
 * *seqs. Words that break the promises of batch.h show as "!". */
WS_UNUSED static void dump(ws_buf *out, const ws_batch *b, const ws_abc *abc, size_t *seqs) {
    ws_err err;
    size_t row = 0;
    for (size_t i = 0; i < b->n; i++) {
        const size_t words = ws_batch_words(b->len[i]);
        uint8_t *code = malloc(6 * words + 64);
        const ws_slice *part[] = {&b->seqtext[i].name, &b->seqtext[i].desc, &b->seqtext[i].qual};
        int rc = 0;
        must(code != NULL, "memory");
        for (int k = 0; k < 3; k++) {
            put_slice(out, b, *part[k]);
            rc |= ws_buf_adds(out, "|", &err);
        }
        rc |= ws_buf_reserve(out, b->len[i] + 64, &err);
        must(!rc, "memory");
        ws_codec_scalar.unpack(b->word + b->first[i], b->len[i], code);
        ws_codec_scalar.spell(abc, code, b->len[i], out->p + out->n);
        out->n += b->len[i];
        for (size_t k = b->len[i]; k < 6 * words; k++)
            if (code[k] != WS_CODE_PAD) rc |= ws_buf_adds(out, "!", &err);
        for (size_t k = 0; k < words; k++)
            if (b->word[b->first[i] + k] >> 30) rc |= ws_buf_adds(out, "!", &err);
        rc |= ws_buf_adds(out, "\n", &err);
        for (; row < b->nrow && b->row[row].seq == i; row++) {
            rc |= ws_buf_addf(out, &err, " #%zu|", *seqs + i);
            put_row(out, b, &b->row[row]);
            rc |= ws_buf_addf(out, &err, "|%llu\n", (unsigned long long)b->row[row].line);
        }
        must(!rc, "memory");
        free(code);
    }
    if (row != b->nrow) must(!ws_buf_adds(out, "!rows", &err), "memory");
    *seqs += b->n;
}

/* Reads everything; the records go to *out as by dump, with "--" between batches if `marks`. Returns the last code. */
WS_UNUSED static int read_all(const ws_seqread_conf *conf, ws_buf *out, int marks, ws_err *err) {
    ws_seqread *r = NULL;
    ws_batch b = {0};
    size_t seqs = 0;
    uint64_t number = 0;
    int rc = ws_seqread_open(&r, conf, err);
    out->n = 0;
    while (!rc && !(rc = ws_seqread_fill(r, &b, err))) {
        ws_err e;
        if (marks && number) must(!ws_buf_adds(out, "--\n", &e), "memory");
        if (b.number != number++ || b.n == 0) must(!ws_buf_adds(out, "!number", &e), "memory");
        dump(out, &b, conf->abc, &seqs);
    }
    if (rc != WS_EOF) { /* a failure is for good */
        ws_err again;
        if (r && ws_seqread_fill(r, &b, &again) != rc) rc = -1;
    }
    ws_seqread_close(r);
    ws_batch_release(&b);
    return rc;
}

WS_UNUSED static int same_text(const ws_buf *got, const char *want) {
    return got->n == strlen(want) && (!got->n || !memcmp(got->p, want, got->n));
}

#endif
