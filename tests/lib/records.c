/* SPDX-License-Identifier: MIT
 * Records and their lengths: names that come again, lines that are none, lines in tables and in packed pairs, and
 * streams whose records are missing, doubled, damaged or cut. */
#include "lib/io/records.h"

#include "lib/io/packfmt.h"
#include "lib/io/pairs.h"
#include "tests/lib/io.h"

static void fine(int rc) { must(!rc, "memory"); }

static ws_record rec(const char *name, uint64_t number) { return (ws_record){name, strlen(name), number}; }

static void names(tap *t) {
    const ws_record a = rec("a", 1), ab = rec("ab", 1), ab2 = rec("ab", 2), b = rec("b", 1);
    ws_records r = {0};
    ws_buf out = {0};
    ws_err err;
    uint32_t entry = 9, again = 9, other = 9;
    tap_ok(t, ws_records_count(&r) == 0 && ws_records_length(&r, &a) == 0, "none");
    fine(ws_records_add(&r, &a, 0, NULL, &err) | ws_records_add(&r, &ab, 7, &entry, &err) |
         ws_records_add(&r, &b, 0, NULL, &err));
    fine(ws_records_add(&r, &ab2, 5, &other, &err) | ws_records_add(&r, &ab, 9, &again, &err));
    tap_ok(t, entry == 1 && again == 1 && other == 3 && ws_records_count(&r) == 4, "a name and a number are a record");
    fine(ws_records_add(&r, &a, 12, NULL, &err) | ws_records_add(&r, &ab, 5, NULL, &err));
    tap_ok(t, ws_records_length(&r, &a) == 12 && ws_records_length(&r, &ab) == 9 && ws_records_length(&r, &ab2) == 5,
           "lengths grow");
    fine(ws_records_put_lines(&out, &r, &err));
    tap_ok(t, same_text(&out, "##record\ta\t12\t1\n##record\tab\t9\t1\n##record\tab\t5\t2\n"),
           "lines in order, none where the length is not known");
    int same = 1;
    for (uint64_t i = 1; i <= 3000; i++)
        fine(ws_records_add(&r, &(ws_record){(const char *)&i, sizeof i, i}, i, NULL, &err));
    for (uint64_t i = 1; i <= 3000; i++)
        same &= ws_records_length(&r, &(ws_record){(const char *)&i, sizeof i, i}) == i;
    tap_ok(t, same && ws_records_count(&r) == 3004, "thousands of records");
    ws_buf_release(&out);
    ws_records_release(&r);
}

static void lines(tap *t) {
    static const char *const good[] = {"##record\tx\t1\t2", "##record\t#x y\t9223372036854775807\t1"};
    static const char *const bad[] = {"##record",
                                      "##record ",
                                      "##record\t",
                                      "##record\tx",
                                      "##record\tx\t",
                                      "##record\tx\t5",
                                      "##record\tx\t5\t",
                                      "##record\tx\t0\t1",
                                      "##record\tx\t1\t0",
                                      "##record x\t5\t1",
                                      "##record\t\t5\t1",
                                      "##record\tx\t5 \t1",
                                      "##record\tx\t-5\t1",
                                      "##record\tx\t5\t6\t7",
                                      "##record\tx\t1e6\t1",
                                      "##record x\ty\t5\t1",
                                      "##record\tx\t12345678901234567890\t1",
                                      "##record\tx\t5\t2"};
    ws_records r = {0};
    ws_err err;
    const char *what;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        tap_ok(t,
               ws_records_is_line(good[i], strlen(good[i])) &&
                   !ws_records_take_line(&r, good[i], strlen(good[i]), &what, &err),
               "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const size_t n = strlen(bad[i]);
        char *exact = malloc(n); /* a sanitizer sees what is read after it */
        memcpy(exact, bad[i], n);
        tap_ok(t, ws_records_is_line(exact, n) && ws_records_take_line(&r, exact, n, &what, &err) == WS_EDATA,
               "refused: \"%s\"", bad[i]);
        free(exact);
    }
    tap_ok(t, strstr(what, "another length") != NULL, "another length of a record");
    tap_ok(t, !ws_records_is_line("##records\tx\t1", 13) && !ws_records_is_line("##recor", 7), "other lines");
    const ws_record far = rec("#x y", 1);
    tap_ok(t, ws_records_count(&r) == 2 && ws_records_length(&r, &far) == INT64_MAX,
           "names with blanks, large lengths");
    ws_records_release(&r);
}

/* Reads all of an input and writes the lines of its records. */
static int lines_of(const char *p, size_t n, ws_buf *out, ws_err *err) {
    char path[PATH_SIZE];
    const char *paths[] = {path};
    const ws_seqread_conf conf = {
        .path = paths, .npath = 1, .abc = ws_abc_get(WS_ABC_DNA), .batch_residues = 100, .batch_seqs = 9};
    ws_seqread *r = NULL;
    ws_batch b = {0};
    ws_err e;
    temp_file(path, p, n);
    out->n = 0;
    int rc = ws_seqread_open(&r, &conf, err);
    while (!rc) rc = ws_seqread_fill(r, &b, err);
    fine(ws_records_put_lines(out, &ws_seqread_head(r)->records, &e));
    ws_seqread_close(r);
    ws_batch_release(&b);
    unlink(path);
    return rc;
}

static void tables(tap *t) {
    static const char text[] =
        "##record\tz\t3\t9\n##warpsieve pg=1 prog=x\n#name\tseq\tfrom\na\tACGT\t1\n##record\ta\t4\t1\r\n"
        "##end rows=1\n##record\tb\t8\t2\n#name\tseq\tfrom\nb\tAC\t2\n##record\ta\t5\t3\n##record\ta\t4\t1\n";
    static const char bad[] = "#name\tseq\tfrom\na\tACGT\t1\n##record a 4\nb\tACGT\t1\n";
    static const char other[] = "#name\tseq\tfrom\na\tACGT\t1\n##record\ta\t5\t1\n##record\ta\t4\t1\n";
    ws_buf out = {0};
    ws_err err;
    int rc = lines_of(text, sizeof text - 1, &out, &err);
    tap_ok(t,
           rc == WS_EOF &&
               same_text(&out, "##record\tz\t3\t9\n##record\ta\t4\t1\n##record\tb\t8\t2\n##record\ta\t5\t3\n"),
           "lines anywhere in tables");
    rc = lines_of(bad, sizeof bad - 1, &out, &err);
    tap_ok(t, rc == WS_EDATA && strstr(err.text, "line 3") && strstr(err.text, "##record, a name, a length"),
           "a line that is none");
    rc = lines_of(other, sizeof other - 1, &out, &err);
    tap_ok(t, rc == WS_EDATA && strstr(err.text, "line 4") && strstr(err.text, "another length"),
           "two lengths of a record");
    ws_buf_release(&out);
}

/* ---- packed pairs ---- */

static const char two[] = "##record\tchr1\t1000\t1\n##record\tchr2\t20\t3\n";

static void put_stream(ws_buf *out, const char *records, size_t n) {
    static const char *const column[] = {"name", "seq", "query"};
    const ws_pairs_counts counts = {WS_COUNTS_KNOWN, 3, 9, records, n};
    ws_pairs *p;
    ws_err err;
    fine(ws_pairs_open(&p, column, 3, &err));
    fine(ws_pairs_head(p, out, ws_abc_get(WS_ABC_DNA), "", 0, &err));
    fine(ws_pairs_end(p, out, &counts, &err));
    ws_pairs_close(p);
}

static size_t at_of(const ws_buf *s, const char *magic) {
    size_t i = 0;
    while (memcmp(s->p + i, magic, 8) != 0) i += PACK_ALIGN;
    return i;
}

static void refused(tap *t, const ws_buf *s, const char *says, const char *what) {
    ws_buf out = {0};
    ws_err err;
    const int rc = lines_of(s->p, s->n, &out, &err);
    if (!tap_ok(t, rc == WS_EDATA && strstr(err.text, says), "%s", what))
        tap_note("code %d: %s", rc, rc == WS_EOF ? "" : err.text);
    ws_buf_release(&out);
}

static void broken(tap *t, const ws_buf *s) {
    const size_t at = at_of(s, PACK_RECORDS), end = at_of(s, PACK_END);
    ws_buf x = {0}, out = {0};
    ws_err err;
    fine(ws_buf_add(&x, s->p, at, &err) | ws_buf_add(&x, s->p + end, s->n - end, &err));
    refused(t, &x, "records are missing", "records that were dropped");
    x.n = 0;
    fine(ws_buf_add(&x, s->p, end, &err) | ws_buf_add(&x, s->p + at, s->n - at, &err));
    refused(t, &x, "behind the records", "records that are doubled");
    int seen = 1;
    for (size_t n = at; n < s->n; n++) seen &= lines_of(s->p, n, &out, &err) == WS_EDATA;
    for (size_t i = at; i < s->n; i++) {
        x.n = 0;
        fine(ws_buf_add(&x, s->p, s->n, &err));
        x.p[i] ^= 1;
        seen &= lines_of(x.p, x.n, &out, &err) == WS_EDATA;
    }
    tap_ok(t, seen, "cuts and damage at every byte of the records");
    ws_buf_release(&x);
    ws_buf_release(&out);
}

static void streams(tap *t) {
    static const char *const bad[][2] = {{"##record\tx\t5\t1", "has a line without an end"},
                                         {"##record\tx\t5\n", "has a line that is not ##record, a name, a length"},
                                         {"##end\n", "has a line that is not a ##record line"},
                                         {"\n", "has a line that is not a ##record line"},
                                         {"##record\tx\t5\t1\n\n", "has a line that is not a ##record line"}};
    ws_buf s = {0}, out = {0};
    ws_err err;
    put_stream(&s, NULL, 0);
    tap_ok(t, lines_of(s.p, s.n, &out, &err) == WS_EOF && out.n == 0, "a stream without records");
    put_stream(&s, two, sizeof two - 1);
    tap_ok(t, lines_of(s.p, s.n, &out, &err) == WS_EOF && same_text(&out, two),
           "records of a stream, after one that has none");
    s.n = 0;
    put_stream(&s, two, sizeof two - 1);
    broken(t, &s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        s.n = 0;
        put_stream(&s, bad[i][0], strlen(bad[i][0]));
        refused(t, &s, bad[i][1], bad[i][1]);
    }
    ws_buf_release(&s);
    ws_buf_release(&out);
}

int main(void) {
    tap t = {0};
    names(&t);
    lines(&t);
    tables(&t);
    streams(&t);
    return tap_end(&t);
}
