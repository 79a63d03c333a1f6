/* SPDX-License-Identifier: MIT
 * Tables of cutoffs: see lib/hits/cutoffs.h. Lines are split in place. */
#include "lib/hits/cutoffs.h"

#include "lib/base/system.h"
#include "lib/compress/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column holds a cell of ws_cutoff_row, or one of these. */
enum { NAME = WS_CUTOFF_CELLS, THRESHOLD, SCORE_TYPE, KINDS };

typedef struct column {
    const char *name, *alias;
    int kind;
} column;

/* A form of table, by the name of the column with the models. */
typedef struct form {
    const char *models;
    column column[8];
    int is_own; /* it has these columns in any number, and no others */
} form;

enum { OWN, KOFAM, PADLOC, FORMS };
static const form forms[FORMS] = {
    [OWN] = {"model",
             {{"model", NULL, NAME}, {"bits", NULL, WS_CUTOFF_BITS}, {"dom_bits", NULL, WS_CUTOFF_DOM_BITS},
              {"evalue", NULL, WS_CUTOFF_EVALUE}, {"i_evalue", NULL, WS_CUTOFF_I_EVALUE},
              {"hmm_cov", NULL, WS_CUTOFF_HMM_COV}, {"target_cov", NULL, WS_CUTOFF_TARGET_COV}},
             1},
    [KOFAM] = {"knum", {{"knum", NULL, NAME}, {"threshold", NULL, THRESHOLD}, {"score_type", NULL, SCORE_TYPE}}, 0},
    [PADLOC] = {"hmm.name",
                {{"hmm.name", NULL, NAME}, {"e.val.threshold", "e.value.threshold", WS_CUTOFF_I_EVALUE},
                 {"hmm.coverage.threshold", NULL, WS_CUTOFF_HMM_COV},
                 {"target.coverage.threshold", NULL, WS_CUTOFF_TARGET_COV}},
                0},
};

/* PADLOC's cutoffs where a cell is empty. */
static const double padloc_default[WS_CUTOFF_CELLS] = {
    [WS_CUTOFF_I_EVALUE] = 1e-5, [WS_CUTOFF_HMM_COV] = 0.3, [WS_CUTOFF_TARGET_COV] = 0.3};

/* A walk over the lines. */
typedef struct walk {
    ws_cutoffs *to;
    const form *form;   /* NULL: the head has not come */
    int *kind;          /* [columns] what each holds; KINDS: nothing that is needed */
    const char **title; /* [columns] */
    size_t columns, cap_kind, cap_title, line;
    const char *text[KINDS + 1]; /* cells of this row */
    ws_err *err;
} walk;

static int fail(const walk *w, const char *what) {
    return ws_fail(w->err, WS_EDATA, "%s, line %zu: %s", ws_source_name_of(w->to->path), w->line, what);
}

/* Ends the cell at *at, and moves *at behind it. Returns the cell, NULL behind the last one. */
static char *next_cell(char **at) {
    char *cell = *at, *tab;
    if (!cell) return NULL;
    if ((tab = strchr(cell, '\t'))) *tab = '\0';
    *at = tab ? tab + 1 : NULL;
    return cell;
}

/* ---- the head ---- */

static int kind_of(const form *f, const char *name) {
    for (const column *c = f->column; c->name; c++)
        if (strcmp(c->name, name) == 0 || (c->alias && strcmp(c->alias, name) == 0)) return c->kind;
    return KINDS;
}

static int check_columns(const walk *w) {
    char q[WS_QUOTE_MAX];
    int seen[KINDS + 1] = {0};
    for (size_t i = 0; i < w->columns; i++) {
        if (w->kind[i] == KINDS && w->form->is_own)
            return ws_fail(w->err, WS_EDATA, "%s, line %zu: there is no column \"%s\"; columns are model, bits, "
                           "dom_bits, evalue, i_evalue, hmm_cov and target_cov",
                           ws_source_name_of(w->to->path), w->line,
                           ws_quote(q, w->title[i], strlen(w->title[i])));
        if (seen[w->kind[i]]++ && w->kind[i] != KINDS)
            return ws_fail(w->err, WS_EDATA, "%s, line %zu: column %s stands twice in the head",
                           ws_source_name_of(w->to->path), w->line, w->title[i]);
    }
    if (w->form->is_own)
        return w->columns > 1 ? WS_OK : fail(w, "the head has the column model alone, expected a cutoff beside it");
    for (const column *c = w->form->column; c->name; c++)
        if (!seen[c->kind])
            return ws_fail(w->err, WS_EDATA, "%s, line %zu: the head has %s, but no column %s",
                           ws_source_name_of(w->to->path), w->line, w->form->models, c->name);
    return WS_OK;
}

static int take_head(walk *w, char *line) {
    char q[WS_QUOTE_MAX];
    ws_quote(q, line, strlen(line));
    for (char *cell; (cell = next_cell(&line));) {
        if (ws_grow(&w->title, &w->cap_title, w->columns + 1, sizeof *w->title, w->err) ||
            ws_grow(&w->kind, &w->cap_kind, w->columns + 1, sizeof *w->kind, w->err))
            return w->err->code;
        w->title[w->columns++] = cell;
        for (int f = 0; f < FORMS && !w->form; f++)
            if (strcmp(cell, forms[f].models) == 0) w->form = &forms[f];
    }
    if (!w->form)
        return ws_fail(w->err, WS_EDATA, "%s, line %zu: found \"%s\", expected a head with tabs between its columns: "
                       "model and others of --cutoffs, knum as KofamScan's ko_list has it, or hmm.name as PADLOC's "
                       "hmm_meta.txt",
                       ws_source_name_of(w->to->path), w->line, q);
    for (size_t i = 0; i < w->columns; i++) w->kind[i] = kind_of(w->form, w->title[i]);
    w->to->needs_domain = w->form == &forms[KOFAM];
    w->to->as_padloc = w->form == &forms[PADLOC];
    return check_columns(w);
}

/* ---- rows ---- */

static int is_empty(const char *cell) { return !*cell || strcmp(cell, "-") == 0 || strcmp(cell, "NA") == 0; }

/* Sets *v to the number of a cell, NaN if it is empty. */
static int take_number(const walk *w, const char *cell, int kind, const char *title, double *v) {
    const int is_e = kind == WS_CUTOFF_EVALUE || kind == WS_CUTOFF_I_EVALUE;
    const int is_share = kind == WS_CUTOFF_HMM_COV || kind == WS_CUTOFF_TARGET_COV;
    const size_t n = strlen(cell);
    char q[WS_QUOTE_MAX], *end;
    *v = NAN;
    if (is_empty(cell)) return WS_OK;
    *v = strtod(cell, &end);
    const int is_number = strspn(cell, "0123456789+-.eE") == n && *end == '\0' && isfinite(*v);
    if (is_number && !(is_e && *v <= 0) && !(is_share && (*v < 0 || *v > 1))) return WS_OK;
    return ws_fail(w->err, WS_EDATA, "%s, line %zu: column %s holds \"%s\", expected %s, or nothing",
                   ws_source_name_of(w->to->path), w->line, title, ws_quote(q, cell, n),
                   is_e ? "a number above 0" : is_share ? "a number from 0 to 1" : "a number");
}

/* Takes the row of a ko_list, whose threshold is that of sequences or of domains. */
static int take_kofam(const walk *w, ws_cutoff_row *r) {
    const char *type = w->text[SCORE_TYPE];
    char q[WS_QUOTE_MAX];
    double v;
    const int rc = take_number(w, w->text[THRESHOLD], THRESHOLD, "threshold", &v);
    if (rc || isnan(v)) return rc;
    if (strcmp(type, "full") != 0 && strcmp(type, "domain") != 0)
        return ws_fail(w->err, WS_EDATA, "%s, line %zu: column score_type holds \"%s\", expected full or domain",
                       ws_source_name_of(w->to->path), w->line, ws_quote(q, type, strlen(type)));
    r->cell[*type == 'f' ? WS_CUTOFF_BITS : WS_CUTOFF_DOM_BITS] = v;
    return WS_OK;
}

static int take_cells(const walk *w, ws_cutoff_row *r) {
    int rc = WS_OK;
    for (size_t i = 0; i < w->columns && !rc; i++) {
        const int kind = w->kind[i];
        if (kind >= WS_CUTOFF_CELLS) continue;
        rc = take_number(w, w->text[kind], kind, w->title[i], &r->cell[kind]);
        if (w->to->as_padloc && isnan(r->cell[kind])) r->cell[kind] = padloc_default[kind];
    }
    return rc;
}

/* Splits a row. Other tools' tables may lack cells that have no use here. */
static int split(walk *w, char *line) {
    size_t n = 0, needed = w->columns;
    while (!w->form->is_own && w->kind[needed - 1] == KINDS) needed--;
    for (char *cell; (cell = next_cell(&line)); n++)
        if (n < w->columns) w->text[w->kind[n]] = cell;
    if (n >= needed && (n <= w->columns || !w->form->is_own)) return WS_OK;
    return ws_fail(w->err, WS_EDATA, "%s, line %zu: found %zu cells, expected %zu, as many as the head has",
                   ws_source_name_of(w->to->path), w->line, n, w->columns);
}

static int take_row(walk *w, char *line) {
    ws_cutoffs *c = w->to;
    ws_cutoff_row r = {.line = w->line};
    int rc = split(w, line);
    if (rc) return rc;
    if (!*w->text[NAME]) return fail(w, "there is no name of a model");
    r.model = w->text[NAME];
    for (int k = 0; k < WS_CUTOFF_CELLS; k++) r.cell[k] = NAN;
    rc = c->needs_domain ? take_kofam(w, &r) : take_cells(w, &r);
    if (rc) return rc;
    if (strcmp(r.model, "*") == 0) {
        if (c->other.model)
            return ws_fail(w->err, WS_EDATA, "%s, line %zu: model * has a row already, line %zu",
                           ws_source_name_of(c->path), w->line, c->other.line);
        c->other = r;
        return WS_OK;
    }
    if (ws_grow(&c->row, &c->cap, c->n + 1, sizeof *c->row, w->err)) return w->err->code;
    c->row[c->n++] = r;
    return WS_OK;
}

/* ---- all ---- */

static int by_name(const void *a, const void *b, void *ctx) {
    const ws_cutoff_row *x = a, *y = b;
    const int order = strcmp(x->model, y->model);
    (void)ctx;
    return order ? order : x->line < y->line ? -1 : 1;
}

static int sort_rows(ws_cutoffs *c, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_system_sort(c->row, c->n, sizeof *c->row, by_name, NULL);
    for (size_t i = 1; i < c->n; i++)
        if (strcmp(c->row[i].model, c->row[i - 1].model) == 0)
            return ws_fail(err, WS_EDATA, "%s, line %zu: model %s has a row already, line %zu",
                           ws_source_name_of(c->path), c->row[i].line,
                           ws_quote(q, c->row[i].model, strlen(c->row[i].model)), c->row[i - 1].line);
    return WS_OK;
}

static int take_lines(walk *w, char *text, char *stop) {
    int rc = WS_OK;
    for (char *line = text, *next; line < stop && !rc; line = next) {
        char *end = memchr(line, '\n', (size_t)(stop - line));
        w->line++;
        next = end ? end + 1 : stop;
        if (!end) end = next;
        if (end > line && end[-1] == '\r') end--;
        *end = '\0';
        if (!*line || *line == '#') continue;
        if (strchr(line, '\r'))
            return fail(w, "lines end in carriage returns alone, expected line feeds (tr '\\r' '\\n' makes them)");
        rc = w->form ? take_row(w, line) : take_head(w, line);
    }
    return rc;
}

int ws_cutoffs_parse(ws_cutoffs *c, const char *path, char *text, size_t n, ws_err *err) {
    walk w = {.to = c, .err = err};
    *c = (ws_cutoffs){.path = path, .text = text};
    int rc = WS_OK;
    if (memchr(text, '\0', n))
        rc = ws_fail(err, WS_EDATA, "%s: a byte of it is zero, but it should be a table of cutoffs",
                     ws_source_name_of(path));
    if (!rc) rc = take_lines(&w, text, text + n);
    if (!rc && !w.form)
        rc = ws_fail(err, WS_EDATA, "%s: it is empty, expected a table of cutoffs", ws_source_name_of(path));
    if (!rc) rc = sort_rows(c, err);
    ws_free(w.kind);
    ws_free(w.title);
    return rc;
}

int ws_cutoffs_read(ws_cutoffs *c, const char *path, ws_err *err) {
    char *text = NULL;
    size_t n;
    *c = (ws_cutoffs){0};
    const int rc = ws_source_slurp(path, NULL, &text, &n, err);
    return rc ? rc : ws_cutoffs_parse(c, path, text, n, err);
}

void ws_cutoffs_release(ws_cutoffs *c) {
    ws_free(c->text);
    ws_free(c->row);
    *c = (ws_cutoffs){0};
}

static int compare(const void *key, const void *row) { return strcmp(key, ((const ws_cutoff_row *)row)->model); }

const ws_cutoff_row *ws_cutoffs_find(const ws_cutoffs *c, const char *model, ws_err *err) {
    char q[WS_QUOTE_MAX];
    const ws_cutoff_row *r = c->n ? bsearch(model, c->row, c->n, sizeof *c->row, compare) : NULL;
    if (!r && c->other.model) r = &c->other;
    if (!r)
        ws_fail(err, WS_EDATA, "%s has no row for model %s; each model needs one, or a row for model * that holds for "
                "all others", ws_source_name_of(c->path), ws_quote(q, model, strlen(model)));
    return r;
}
