/* SPDX-License-Identifier: MIT
 * Fuzz target: windows as rows, and lengths of records. Byte 0 chooses the form: a table, or packed pairs with right
 * checksums. A row whose place is taken has as many residues as the place and gives the same columns back. Lines made
 * of the records give them back. */
#include "bin/filters/window_rows.h"
#include "tests/fuzz/parser.h"
#include "tests/fuzz/mend.h"

const char ws_fuzz_name[] = "windows";

static void check_row(const ws_long_columns *c, const ws_batch *b, const ws_row *row) {
    ws_err err = {0};
    ws_long_row r;
    const uint32_t len = b->len[row->seq];
    const int rc = ws_long_row_read(&r, c, b, row, &err);
    FUZZ_CHECK(rc == WS_OK || (rc == WS_EDATA && err.text[0]));
    if (rc) return;
    FUZZ_CHECK(len > 0 && ws_min(r.place.from, ws_long_coordinate(r.place.from, r.place.minus, len)) >= 1);
    double value[WS_LONG_NCOLUMN];
    ws_long_row_values(value, &r.place, len, r.record);
    for (int k = 0; k < WS_LONG_NCOLUMN; k++) {
        const ws_cell cell = ws_row_cell(b, row, c->at[k]);
        if (k == WS_LONG_STRAND)
            FUZZ_CHECK(cell.forms ? cell.v * value[k] > 0 : *cell.text == (value[k] < 0 ? '-' : '+'));
        else FUZZ_CHECK(ws_row_number(b, row, c->at[k]) == value[k]);
    }
}

static void check_records(const ws_records *r) {
    ws_records again = {0};
    ws_buf lines = {0};
    ws_err err;
    const char *what;
    must(!ws_records_put_lines(&lines, r, &err), "memory");
    for (size_t from = 0; from < lines.n;) {
        const char *at = lines.p + from, *eol = memchr(at, '\n', lines.n - from);
        from += eol ? (size_t)(eol - at) + 1 : 0;
        FUZZ_CHECK(eol && ws_records_is_line(at, (size_t)(eol - at)) &&
                   !ws_records_take_line(&again, at, (size_t)(eol - at), &what, &err));
    }
    FUZZ_CHECK(ws_records_count(&again) == ws_records_count(r));
    for (size_t i = 0; i < ws_records_count(r); i++) {
        const ws_record record = ws_records_at(r, (uint32_t)i);
        FUZZ_CHECK(ws_records_length(&again, &record) == r->length[i]);
    }
    ws_records_release(&again);
    ws_buf_release(&lines);
}

static void check_rows(const ws_parser *parser, ws_format format, uint8_t option, const uint8_t *p, size_t n) {
    ws_seqread_conf conf = fuzz_conf(option, format);
    ws_parse s;
    ws_batch batch = {0};
    ws_long_columns c;
    ws_err err = {0};
    size_t took = n;
    conf.nown = 0;
    must(!ws_parse_prepare(&s, &conf, &err), "prepare");
    void *own = ws_calloc(1, parser->size, &err);
    must(own != NULL, "memory");
    s.b = &batch;
    s.input = "in";
    s.line = 1;
    int rc = parser->begin(own, &s, &err);
    if (!rc) rc = parser->feed(own, &s, p, &took, &err);
    (void)parser->finish(own, &s, !rc, &err);
    const ws_mark mark = ws_parse_mark(&s);
    batch.n = mark.n;
    if (ws_long_columns_find(&c, &s.table))
        for (size_t i = 0; i < mark.nrow; i++) check_row(&c, &batch, &batch.row[i]);
    check_records(&s.table.records);
    if (parser->release) parser->release(own);
    ws_free(own);
    ws_parse_release(&s);
    ws_batch_release(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    if (n < 2) return 0;
    uint8_t *text = fuzz_copy(p + 1, n - 1);
    const int packed = p[0] & 1;
    if (packed) fuzz_mend(text, n - 1);
    check_rows(packed ? &ws_parser_packed : &ws_parser_tsv, packed ? WS_FORMAT_PACKED : WS_FORMAT_TSV, p[0] & 0xfe,
               text, n - 1);
    free(text);
    return 0;
}
