/* SPDX-License-Identifier: MIT
 * The way of rows to the writer of alignments. */
#include "bin/fit/fit.h"

#include <string.h>

typedef struct source {
    ws_fit *fit;
    const ws_fitrow *alone; /* the only row; NULL: the rows of fit */
    ws_fitplace *place;
    ws_fitcolumns c;
    size_t rows, block, made; /* of a block the columns; how many texts of rows were made, over all blocks */
} source;

static int get(source *s, size_t i, ws_fitrow *r, ws_err *err) {
    if (!s->alone) return ws_fitrows_get(&s->fit->rows, i, r, err);
    *r = *s->alone;
    return WS_OK;
}

static int head(void *of, size_t i, int texts, ws_msarow *row, ws_buf *scratch, ws_err *err) {
    ws_fitrow r;
    (void)texts, (void)scratch;
    if (get(of, i, &r, err)) return err->code;
    row->name = r.name;
    row->acc = r.acc;
    row->desc = r.desc;
    return WS_OK;
}

/* Rows come block by block, and in each block in order. */
static int body(void *of, size_t i, ws_msarow *row, ws_err *err) {
    source *s = of;
    ws_fitrow r;
    const size_t from = s->made++ / s->rows * s->block;
    if (get(s, i, &r, err)) return err->code;
    ws_fitrow_fill(&r, s->fit->hmm, s->fit->trim, &s->c, &s->place[i], from, ws_min(from + s->block, s->c.n));
    row->text = s->c.row;
    row->pp = r.posteriors ? s->c.pp : NULL;
    return WS_OK;
}

/* Returns the line of the nodes' mean posteriors, which the caller frees; NULL: there is no memory. */
static char *mean_posteriors(const ws_fitrows *rows, const ws_hmm *hmm, const ws_fitcolumns *c, ws_err *err) {
    char *line = ws_alloc(c->n + 1, err);
    if (!line) return NULL;
    memset(line, '.', c->n);
    for (int k = 1; k <= hmm->M; k++)
        if (rows->used[k])
            line[c->first[k]] =
                ws_fitrow_code_letter(ws_dom_code_of((float)(rows->sum[k] / (double)rows->used[k])));
    return line;
}

/* Widens the columns to what the rows need. *posteriors: some have them. */
static int measure(source *s, uint32_t *widths, int *posteriors, ws_err *err) {
    *posteriors = 0;
    for (size_t i = 0; i < s->rows; i++) {
        ws_fitrow r;
        if (get(s, i, &r, err)) return err->code;
        ws_fitrow_measure(&r, s->fit->hmm->M, s->fit->trim, widths);
        *posteriors |= r.posteriors;
    }
    return ws_fitcolumns_create(&s->c, s->fit->hmm, widths, err);
}

static int write_rows(source *s, uint32_t *widths, char **pp_cons, ws_sink *sink, ws_err *err) {
    const ws_fit *f = s->fit;
    int posteriors;
    if (!(s->place = ws_calloc(s->rows, sizeof *s->place, err)) || measure(s, widths, &posteriors, err))
        return err->code;
    s->block = ws_msaform_block(f->form);
    if (!s->block) s->block = ws_max(s->c.n, 1);
    if (!s->alone && posteriors && !(*pp_cons = mean_posteriors(&f->rows, f->hmm, &s->c, err))) return err->code;
    ws_msa_write(sink, &(ws_msasource){.rows = s->rows,
                                       .columns = s->c.n,
                                       .posteriors = posteriors,
                                       .pp_cons = *pp_cons,
                                       .rf = s->c.rf,
                                       .mm = s->c.mm,
                                       .of = s,
                                       .head = head,
                                       .body = body,
                                       .odd_names = f->odd_names},
                 f->form);
    return WS_OK;
}

static int write_all(ws_fit *f, const ws_fitrow *alone, ws_sink *sink, ws_err *err) {
    source s = {.fit = f, .alone = alone, .rows = alone ? 1 : f->rows.n};
    char *pp_cons = NULL;
    uint32_t *widths = ws_calloc((size_t)f->hmm->M + 1, sizeof *widths, err);
    const int rc = widths ? write_rows(&s, widths, &pp_cons, sink, err) : err->code;
    ws_fitcolumns_release(&s.c);
    ws_free(s.place);
    ws_free(widths);
    ws_free(pp_cons);
    return rc;
}

int ws_fitrows_write(ws_fit *f, ws_sink *sink, ws_err *err) { return write_all(f, NULL, sink, err); }

int ws_fitrow_stream(ws_fit *f, const ws_fitrow *row, ws_sink *sink, ws_err *err) {
    return write_all(f, row, sink, err);
}
