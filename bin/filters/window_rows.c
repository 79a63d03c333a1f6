/* SPDX-License-Identifier: MIT
 * Windows as rows of a table. */
#include "bin/filters/window_rows.h"

#include <stdio.h>

const ws_col ws_long_column[WS_LONG_NCOLUMN] = {[WS_LONG_FROM] = {.name = "from", .type = WS_COL_COUNT},
                                                [WS_LONG_TO] = {.name = "to", .type = WS_COL_COUNT},
                                                [WS_LONG_STRAND] = {.name = "strand", .type = WS_COL_STRAND},
                                                [WS_LONG_RECORD] = {.name = "record", .type = WS_COL_COUNT}};

int ws_long_columns_find(ws_long_columns *c, const ws_tsv_head *head) {
    int all = 1;
    for (int k = 0; k < WS_LONG_NCOLUMN; k++) all &= (c->at[k] = ws_head_find(head, ws_long_column[k].name)) >= 0;
    return all;
}

static int refuse(const ws_batch *b, const ws_row *row, const char *what, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[row->seq];
    char name[WS_QUOTE_MAX], line[40] = "";
    ws_quote(name, ws_batch_text(b, t->name), t->name.n);
    if (row->number == UINT32_MAX) snprintf(line, sizeof line, "line %llu: ", (unsigned long long)row->line);
    return ws_fail(err, WS_EDATA, "%sa window of record \"%s\": %s", line, name, what);
}

/* A whole number from 1 on, else 0. */
static uint64_t position(const ws_batch *b, const ws_row *row, int column) {
    const double v = ws_row_number(b, row, column);
    return v >= 1 && v <= 9007199254740991.0 && v == (double)(uint64_t)v ? (uint64_t)v : 0;
}

int ws_long_row_read(ws_long_row *r, const ws_long_columns *c, const ws_batch *b, const ws_row *row, ws_err *err) {
    const ws_cell strand = ws_row_cell(b, row, c->at[WS_LONG_STRAND]);
    const uint64_t from = position(b, row, c->at[WS_LONG_FROM]), to = position(b, row, c->at[WS_LONG_TO]);
    const int minus = strand.forms ? strand.v < 0 : strand.n == 1 && *strand.text == '-';
    if (!minus && !(strand.forms ? strand.v > 0 : strand.n == 1 && *strand.text == '+'))
        return refuse(b, row, "its strand is neither + nor -", err);
    if (!from || !to) return refuse(b, row, "\"from\" and \"to\" are not whole numbers from 1 on", err);
    r->record = position(b, row, c->at[WS_LONG_RECORD]);
    if ((minus ? from < to : from > to) || (minus ? from - to : to - from) + 1 != b->len[row->seq])
        return refuse(b, row, "\"from\" and \"to\" are not as far apart on its strand as it has residues", err);
    if (!r->record) return refuse(b, row, "\"record\" is no whole number from 1 on", err);
    r->place = (ws_long_place){.from = from, .minus = minus};
    return WS_OK;
}

void ws_long_row_values(double *value, const ws_long_place *p, uint32_t len, uint64_t record) {
    value[WS_LONG_FROM] = (double)p->from;
    value[WS_LONG_TO] = (double)ws_long_coordinate(p->from, p->minus, len);
    value[WS_LONG_STRAND] = p->minus ? -1 : 1;
    value[WS_LONG_RECORD] = (double)record;
}
