/* SPDX-License-Identifier: MIT
 * The first pass of the SSV scan of blocks on a device: neighbouring blocks of a record are one range, and each block
 * finds its marks among those of its range. A range has rows before a block that the block has not; they can add marks,
 * which do no harm. */
#include "kernels/long/search.h"

#include <string.h>

/* Residues first..first + n of a sequence, from 1, for the units from `unit` on. steps: of one strand of all spans
 * before, by length of a step. */
typedef struct span {
    uint64_t first;
    uint32_t n;
    size_t unit, steps[2];
} span;

struct ws_long_marks {
    span *span;
    ws_long_range *range;
    size_t n, span_cap, range_cap;
    int strands;
    int *M; /* [nmodel] nodes of each */
    size_t nmodel;
    uint8_t **flag; /* [nmodel], NULL: no device takes the model */
    uint8_t *flags;
};

void ws_long_marks_destroy(ws_long_marks *m) {
    if (!m) return;
    ws_free(m->span);
    ws_free(m->range);
    ws_free(m->M);
    ws_free(m->flag);
    ws_free(m->flags);
    ws_free(m);
}

/* ---- spans ---- */

/* 0 for models with short steps, 1 for those with long ones. */
static int kind_of(int M) { return ws_long_step(M) != ws_long_step(1); }
static size_t strands_of(const ws_long_marks *m) { return m->strands == (WS_LONG_PLUS | WS_LONG_MINUS) ? 2 : 1; }

static int add_span(ws_long_marks *m, const ws_batch *b, uint32_t seq, uint64_t first, uint64_t last, size_t unit,
                    ws_err *err) {
    const uint64_t at = b->seqtext[seq].at, word = (first - 1 - at) / WS_RESIDUES_PER_WORD;
    int rc = ws_grow(&m->span, &m->span_cap, m->n + 1, sizeof *m->span, err);
    if (!rc) rc = ws_grow(&m->range, &m->range_cap, m->n + 1, sizeof *m->range, err);
    if (rc) return rc;
    span *s = &m->span[m->n];
    *s = (span){.first = at + word * WS_RESIDUES_PER_WORD + 1, .unit = unit};
    s->n = (uint32_t)(last - s->first + 1);
    for (int kind = 0; kind < 2 && m->n; kind++)
        s->steps[kind] = s[-1].steps[kind] + ws_long_steps(kind ? INT32_MAX : 1, s[-1].n);
    m->range[m->n++] = (ws_long_range){b->word + b->first[seq] + word, s->n};
    return WS_OK;
}

static int find_spans(ws_long_marks *m, const ws_batch *b, const ws_long_unit *unit, size_t n, uint32_t block,
                      uint32_t maxl, ws_err *err) {
    int rc = WS_OK;
    for (size_t u = 0, end; u < n && !rc; u = end) {
        for (end = u + 1; end < n && unit[end].seq == unit[u].seq; end++) continue;
        const uint64_t last =
            ws_min((unit[end - 1].block + 1) * block, b->seqtext[unit[u].seq].at + b->len[unit[u].seq]);
        rc = add_span(m, b, unit[u].seq, ws_long_block_first(unit[u].block, block, maxl), last, u, err);
    }
    return rc;
}

/* Returns the span of a unit. */
static const span *span_of(const ws_long_marks *m, size_t unit) {
    size_t from = 0;
    for (size_t n = m->n, half; n > 1; n -= half) {
        half = n / 2;
        if (m->span[from + half].unit <= unit) from += half;
    }
    return &m->span[from];
}

/* Steps of all strands of all spans. */
static size_t all_steps_of(const ws_long_marks *m, int M) {
    const span *last = &m->span[m->n - 1];
    return (last->steps[kind_of(M)] + ws_long_steps(M, last->n)) * strands_of(m);
}

/* ---- marking ---- */

/* Room for the marks of models that a device takes. */
static int make_room(ws_long_marks *m, const ws_long_target *target, ws_err *err) {
    size_t total = 0;
    for (size_t k = 0; k < m->nmodel; k++) total += target[k].dev ? all_steps_of(m, m->M[k]) : 0;
    m->flag = ws_calloc(m->nmodel, sizeof *m->flag, err);
    m->flags = m->flag ? ws_calloc(total, 1, err) : NULL;
    if (!m->flags) return err->code;
    total = 0;
    for (size_t k = 0; k < m->nmodel; k++) {
        if (!target[k].dev) continue;
        m->flag[k] = m->flags + total;
        total += all_steps_of(m, m->M[k]);
    }
    return WS_OK;
}

static int mark(const ws_long_marks *m, const ws_abc *abc, const ws_long_target *target, ws_err *err) {
    const ws_long_dev **dev = ws_calloc(m->nmodel, sizeof *dev, err);
    uint8_t **flag = dev ? ws_calloc(m->nmodel, sizeof *flag, err) : NULL;
    size_t n = 0;
    int rc = flag ? WS_OK : err->code;
    for (size_t k = 0; k < m->nmodel && !rc; k++) {
        if (!target[k].dev) continue;
        dev[n] = target[k].dev;
        flag[n++] = m->flag[k];
    }
    if (!rc) rc = ws_long_dev_mark(dev, n, abc, m->range, m->n, m->strands, flag, err);
    ws_free(flag);
    ws_free(dev);
    return rc;
}

int ws_long_marks_create(ws_long_marks **out, const ws_long_cut *c, const ws_long_target *target, size_t nmodel,
                         const ws_batch *b,
                         const ws_long_unit *unit, size_t n, ws_err *err) {
    ws_long_marks *m = *out = ws_calloc(1, sizeof *m, err);
    if (!m) return err->code;
    m->nmodel = nmodel;
    m->strands = c->strands;
    m->M = ws_calloc(nmodel, sizeof *m->M, err);
    int rc = m->M ? WS_OK : err->code;
    for (size_t k = 0; k < nmodel && !rc; k++) m->M[k] = target[k].model.M;
    if (!rc) rc = find_spans(m, b, unit, n, c->block, c->maxl, err);
    if (!rc) rc = make_room(m, target, err);
    if (!rc) rc = mark(m, c->abc, target, err);
    if (!rc) return WS_OK;
    ws_long_marks_destroy(m);
    *out = NULL;
    return rc;
}

int ws_long_marks_of(const ws_long_marks *m, size_t k, size_t unit, ws_buf *own, ws_long_block *b, int *any,
                     ws_err *err) {
    const span *s = span_of(m, unit);
    *any = 1;
    if (!m->flag[k]) return WS_OK;
    const int M = m->M[k];
    const size_t steps = ws_long_steps(M, b->n);
    const uint8_t *whole = m->flag[k] + s->steps[kind_of(M)] * strands_of(m);
    uint8_t *flag = ws_buf_scratch(own, 2 * steps, err);
    if (!flag) return err->code;
    const uint64_t before = b->first - s->first, behind = s->first + s->n - b->first - b->n;
    *any = 0;
    for (int minus = 0; minus < 2; minus++, flag += steps) {
        if (!(m->strands & (minus ? WS_LONG_MINUS : WS_LONG_PLUS))) continue;
        *any |= ws_long_flags_of_rows(M, whole, minus ? behind : before, b->n, flag);
        b->flag[minus] = flag;
        whole += ws_long_steps(M, s->n);
    }
    return WS_OK;
}
