/* SPDX-License-Identifier: MIT
 * Which columns the output table has: the input's, then the pair, then the tool's own; or those that -f names. */
#include "lib/scan/state.h"

#include <string.h>

static const char *const pair_columns[] = {"name", "seq", "qual", "desc", "query", "qlen", "tlen"};
const ws_names ws_pair_columns = WS_NAMES(pair_columns);

static void add(ws_scan_state *s, ws_ocol_kind kind, int index, const char *name) {
    s->ocol[s->nocol++] = (ws_ocol){name, kind, index};
}

int ws_head_find(const ws_tsv_head *head, const char *name) {
    for (int i = 0; i < head->ncolumn; i++)
        if (strcmp(head->column[i], name) == 0) return i;
    return -1;
}

static int in_rest(const ws_tsv_head *head, const char *name) { return ws_head_find(head, name) >= 0; }

int ws_scan_changes_form_only(const ws_scan_state *s) {
    return !s->job->tool->backends && in_rest(s->scan->head, "query");
}

int ws_scan_packs_pairs(const ws_job *job) {
    const ws_scan_state *s = ws_scan_state_of(job);
    if (s->scan->out_format != WS_OUT_PACKED || s->scan->emit[0]) return 0;
    return ws_scan_has_queries(job) || ws_scan_changes_form_only(s);
}

/* Adds the columns of the input and no others, in its order. */
static void same_columns(ws_scan_state *s, const ws_tsv_head *head) {
    static const struct {
        const char *name;
        ws_ocol_kind kind;
    } own[] = {{"name", WS_OCOL_NAME}, {"seq", WS_OCOL_SEQ}, {"qual", WS_OCOL_QUAL}, {"desc", WS_OCOL_DESC}};
    const int sequences = !s->job->common.no_seq;
    int rest = 0;
    for (int i = 0; i < head->nall; i++) {
        size_t k = 0;
        if (rest < head->ncolumn && head->all[i] == head->column[rest]) {
            add(s, WS_OCOL_REST, rest++, head->all[i]);
            continue;
        }
        while (strcmp(own[k].name, head->all[i]) != 0) k++;
        if (sequences || (own[k].kind != WS_OCOL_SEQ && own[k].kind != WS_OCOL_QUAL))
            add(s, own[k].kind, 0, own[k].name);
    }
}

/* Adds all columns that can be written, in the default order. */
static void all_columns(ws_scan_state *s, const ws_tsv_head *head) {
    const ws_job *job = s->job;
    s->nocol = 0;
    add(s, WS_OCOL_NAME, 0, "name");
    if (!job->common.no_seq) {
        add(s, WS_OCOL_SEQ, 0, "seq");
        add(s, WS_OCOL_QUAL, 0, "qual");
    }
    add(s, WS_OCOL_DESC, 0, "desc");
    for (int i = 0; i < head->ncolumn; i++) add(s, WS_OCOL_REST, i, head->column[i]);
    if (job->tool->backends && !in_rest(head, "query")) add(s, WS_OCOL_QUERY, 0, "query");
    if (job->tool->backends && !in_rest(head, "qlen")) add(s, WS_OCOL_QLEN, 0, "qlen");
    if (!in_rest(head, "tlen")) add(s, WS_OCOL_TLEN, 0, "tlen");
    for (int i = 0; i < s->scan->ncol; i++)
        if (!s->scan->col[i].on_demand && (!s->scan->col[i].if_absent || !in_rest(head, s->scan->col[i].name)))
            add(s, WS_OCOL_OWN, i, s->scan->col[i].name);
}

/* Adds after these the columns that are written only if -f names them. */
static void more_columns(ws_scan_state *s, const ws_tsv_head *head) {
    const int n = s->nocol;
    if (s->job->common.no_seq) {
        add(s, WS_OCOL_SEQ, 0, "seq");
        add(s, WS_OCOL_QUAL, 0, "qual");
    }
    if (ws_scan_has_queries(s->job) && !in_rest(head, "query_accession")) add(s, WS_OCOL_ACC, 0, "query_accession");
    for (int i = 0; i < s->scan->ncol; i++)
        if (s->scan->col[i].on_demand && !in_rest(head, s->scan->col[i].name))
            add(s, WS_OCOL_OWN, i, s->scan->col[i].name);
    s->nmore = s->nocol - n;
    s->nocol = n;
}

/* Replaces the columns by those of the list, in its order. */
static int pick_fields(ws_scan_state *s, const char *list, ws_err *err) {
    const ws_names all = {s->ocol, sizeof *s->ocol, s->nocol + s->nmore};
    const int n = ws_fields_count(list);
    int npick = 0;
    int *pick = ws_calloc((size_t)n, sizeof *pick, err);
    ws_ocol *column = ws_calloc((size_t)n, sizeof *column, err);
    int rc = pick && column ? ws_fields_choose(list, &all, pick, n, &npick, err) : WS_ENOMEM;
    for (int i = 0; i < npick; i++) column[i] = s->ocol[pick[i]];
    ws_free(pick);
    ws_free(rc ? column : s->ocol);
    if (rc) return rc;
    s->ocol = column;
    s->nocol = npick;
    return WS_OK;
}

int ws_scan_columns(ws_scan_state *s, ws_err *err) {
    const ws_tsv_head *head = ws_seqread_head(s->input.files);
    const size_t most = (size_t)head->ncolumn + WS_COL_MAX + 12;
    s->ocol = ws_calloc(most, sizeof *s->ocol, err);
    if (!s->ocol) return err->code;
    if (ws_scan_changes_form_only(s)) same_columns(s, head);
    else all_columns(s, head);
    more_columns(s, head);
    s->columns_chosen = 1;
    const char *fields = s->job->common.fields;
    return fields && !s->scan->own_fields ? pick_fields(s, fields, err) : WS_OK;
}
