/* SPDX-License-Identifier: MIT
 * Rows to targets, by the name of the query, and whether that name means the same model as where the rows were made. */
#include "lib/compress/source.h"
#include "lib/scan/state.h"

#include <stdio.h>
#include <string.h>

int ws_scan_name_targets(ws_queries **out, const ws_target *target, size_t n, ws_err *err) {
    int rc = ws_queries_create(out, err);
    for (size_t i = 0; i < n && !rc; i++) {
        const ws_query query = {.name = target[i].name, .n = strlen(target[i].name)};
        char q[WS_QUOTE_MAX];
        uint32_t number;
        rc = ws_queries_add(*out, &query, &number, err);
        if (!rc && number < i)
            rc = ws_fail(err, WS_EDATA, "duplicate model name %s; a table needs unique names",
                         ws_quote(q, query.name, query.n));
    }
    if (!rc) return WS_OK;
    ws_queries_destroy(*out);
    *out = NULL;
    return rc;
}

/* "name: " if there is one input; a batch may hold rows of several. */
static const char *input_name(const ws_job *job, char name[512]) {
    name[0] = '\0';
    if (job->ninput <= 1) snprintf(name, 512, "%s: ", ws_source_name_of(job->ninput ? job->input[0] : "-"));
    return name;
}

void ws_scan_name_input(const ws_job *job, ws_err *err) {
    char name[512];
    input_name(job, name);
    ws_err_prefix(err, "%s", name);
}

int ws_scan_binds(const ws_scan_state *s) {
    return ws_scan_has_queries(s->job) && ws_head_find(s->scan->head, "query") >= 0;
}

void ws_binding_release(ws_binding *b) {
    ws_queries_destroy(b->names);
    ws_free(b->target);
    ws_free(b->hash);
}

/* Where nothing says which models the queries are, the model files must be the same. */
static int check_file(const ws_scan_state *s, ws_err *err) {
    const ws_job *job = s->job;
    const ws_ledger *g = s->scan->ledger;
    char name[512];
    if (!g->names_models || !job->model_id || g->models == job->model_hash) return WS_OK;
    return ws_fail(
        err, WS_EDATA,
        "%sthe rows were made with another model file, xxh3:%016llx, than this one, xxh3:%016llx; give all stages "
        "the same file, or take the ##warpsieve lines out if its models are the same",
        input_name(job, name), (unsigned long long)g->models, (unsigned long long)job->model_hash);
}

static int begin(ws_scan_state *s, ws_err *err) {
    ws_binding *b = &s->binding;
    const ws_job *job = s->job;
    if (b->names) return WS_OK;
    if (!b->hash && !(b->hash = ws_calloc(job->ntarget, sizeof *b->hash, err))) return err->code;
    return ws_scan_name_targets(&b->names, job->target, job->ntarget, err);
}

static int no_target(const ws_scan_state *s, const ws_row *row, const char *query, size_t n, ws_err *err) {
    char q[WS_QUOTE_MAX], name[512], line[40] = "";
    if (row->number == UINT32_MAX) snprintf(line, sizeof line, "line %llu: ", (unsigned long long)row->line);
    return ws_fail(
        err, WS_EDATA, "%s%sthe query \"%s\" is none of the models given; use the model file that made the %s",
        input_name(s->job, name), line, ws_quote(q, query, n), row->number == UINT32_MAX ? "table" : "pairs");
}

static int bind_text(ws_scan_state *s, const ws_batch *b, ws_row *row, ws_err *err) {
    const char *query = ws_batch_text(b, row->query);
    row->target = ws_queries_find(s->binding.names, query, row->query.n);
    if (row->target == UINT32_MAX) return no_target(s, row, query, row->query.n, err);
    if (s->binding.same_file) return WS_OK;
    s->binding.same_file = 1;
    return check_file(s, err);
}

/* The first row of a query finds its target, and what hash the model has to have. */
static int bind_number(ws_scan_state *s, const ws_batch *b, ws_row *row, ws_err *err) {
    ws_binding *x = &s->binding;
    if (row->number < x->ntarget && (row->target = x->target[row->number]) != UINT32_MAX) return WS_OK;
    const ws_query *q = ws_queries_at(b->queries, row->number);
    int rc = ws_grow(&x->target, &x->cap, (size_t)row->number + 1, sizeof *x->target, err);
    if (rc) return rc;
    while (x->ntarget <= row->number) x->target[x->ntarget++] = UINT32_MAX;
    row->target = ws_queries_find(x->names, q->name, q->n);
    if (row->target == UINT32_MAX) return no_target(s, row, q->name, q->n, err);
    if (!q->hash && (rc = check_file(s, err)) != WS_OK) return rc;
    if (q->hash) __atomic_store_n(&x->hash[row->target], q->hash, __ATOMIC_RELEASE);
    x->target[row->number] = row->target;
    return WS_OK;
}

int ws_scan_bind(ws_scan_state *s, ws_batch *b, ws_err *err) {
    if (b->nrow == 0 || !b->has_rows || !ws_scan_binds(s)) return WS_OK;
    size_t r = 0;
    int rc = begin(s, err);
    for (; r < b->nrow && !rc; r++)
        rc = b->row[r].number == UINT32_MAX ? bind_text(s, b, &b->row[r], err) : bind_number(s, b, &b->row[r], err);
    if (!rc) return WS_OK;
    b->nrow = r ? r - 1 : 0;
    b->n = b->nrow ? b->row[b->nrow - 1].seq + 1 : 0;
    return rc;
}

int ws_scan_check_model(const ws_job *job, uint32_t t, ws_err *err) {
    const ws_binding *b = &ws_scan_state_of(job)->binding;
    const uint64_t want = __atomic_load_n(&b->hash[t], __ATOMIC_ACQUIRE), have = job->target[t].hash;
    char q[WS_QUOTE_MAX], name[512];
    if (!want || !have || want == have) return WS_OK;
    return ws_fail(
        err, WS_EDATA,
        "%sthe query \"%s\" is another model, of hash %016llx, than that of the same name given here, of hash "
        "%016llx; give all stages the same models",
        input_name(job, name), ws_quote(q, job->target[t].name, strlen(job->target[t].name)),
        (unsigned long long)want, (unsigned long long)have);
}
