/* SPDX-License-Identifier: MIT
 * Which columns the output table has: the input's, then the pair, then the tool's own; or those that -f names. */
#include "lib/run/stream.h"

#include <string.h>

static void add(ws_stream *st, ws_ocol_kind kind, int index, const char *name) {
    st->ocol[st->nocol++] = (ws_ocol){kind, index, name};
}

int ws_head_find(const ws_tsv_head *head, const char *name) {
    for (int i = 0; i < head->ncolumn; i++)
        if (strcmp(head->column[i], name) == 0) return i;
    return -1;
}

ws_slice ws_row_field(const ws_batch *b, const ws_row *row, int index) {
    const char *rest = ws_batch_text(b, row->rest), *p = rest, *end = p + row->rest.n;
    for (; index > 0; index--) p = (const char *)memchr(p, '\t', (size_t)(end - p)) + 1;
    const char *tab = memchr(p, '\t', (size_t)(end - p));
    return (ws_slice){row->rest.at + (size_t)(p - rest), (size_t)((tab ? tab : end) - p)};
}

static int in_rest(const ws_tsv_head *head, const char *name) { return ws_head_find(head, name) >= 0; }

/* All that can be written, in the default order. */
static void all_columns(ws_stream *st, const ws_tsv_head *head) {
    const ws_job *job = st->job;
    st->nocol = 0;
    add(st, WS_OCOL_NAME, 0, "name");
    add(st, WS_OCOL_SEQ, 0, "seq");
    add(st, WS_OCOL_QUAL, 0, "qual");
    add(st, WS_OCOL_DESC, 0, "desc");
    for (int i = 0; i < head->ncolumn; i++) add(st, WS_OCOL_REST, i, head->column[i]);
    if (job->tool->backends && !in_rest(head, "query")) add(st, WS_OCOL_QUERY, 0, "query");
    if (job->tool->backends && !in_rest(head, "qlen")) add(st, WS_OCOL_QLEN, 0, "qlen");
    if (!in_rest(head, "tlen")) add(st, WS_OCOL_TLEN, 0, "tlen");
    for (int i = 0; i < job->ncol; i++)
        if (!job->col[i].if_absent || !in_rest(head, job->col[i].name)) add(st, WS_OCOL_OWN, i, job->col[i].name);
}

static int unknown_field(const ws_stream *st, const char *name, size_t n, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_buf list = {0};
    int rc = WS_OK;
    for (int i = 0; i < st->nocol && !rc; i++) rc = ws_buf_addf(&list, err, "%s%s", i ? "," : "", st->ocol[i].name);
    if (!rc) rc = ws_fail(err, WS_EUSAGE, "--fields: there is no column \"%s\"; there are %s", ws_quote(q, name, n), list.p);
    ws_buf_release(&list);
    return rc;
}

/* Replaces the columns by those of the list, in its order. */
static int pick_fields(ws_stream *st, const char *list, ws_err *err) {
    int n = 1, npicked = 0, rc = WS_OK;
    for (const char *p = list; *p; p++) n += *p == ',';
    ws_ocol *picked = ws_calloc((size_t)n, sizeof *picked, err);
    if (!picked) return WS_ENOMEM;
    for (const char *p = list; !rc;) {
        size_t len = strcspn(p, ",");
        int i = 0;
        while (i < st->nocol && !(strlen(st->ocol[i].name) == len && memcmp(st->ocol[i].name, p, len) == 0)) i++;
        if (i == st->nocol)
            rc = unknown_field(st, p, len, err);
        else
            picked[npicked++] = st->ocol[i];
        if (p[len] == '\0') break;
        p += len + 1;
    }
    if (rc) {
        ws_free(picked);
        return rc;
    }
    ws_free(st->ocol);
    st->ocol = picked;
    st->nocol = npicked;
    return WS_OK;
}

int ws_stream_columns(ws_stream *st, ws_err *err) {
    const ws_tsv_head *head = ws_seqread_head(st->reader);
    st->ocol = ws_calloc((size_t)head->ncolumn + WS_COL_MAX + 8, sizeof *st->ocol, err);
    if (!st->ocol) return WS_ENOMEM;
    all_columns(st, head);
    st->columns_chosen = 1;
    const char *fields = st->job->common.fields ? st->job->common.fields : st->job->default_fields;
    return fields ? pick_fields(st, fields, err) : WS_OK;
}
