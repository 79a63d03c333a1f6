/* SPDX-License-Identifier: MIT
 * The first pass of the SSV scan of a part's blocks on a device: neighbouring blocks of a record are one range, and each block finds its
 * marks among those of its range. A range has rows before a block that the block has not; they can add marks, which do no harm. */
#include "lib/long/search.h"

#include <string.h>

/* Residues first..first + n of a sequence, from 1, for some units. */
typedef struct span {
    uint64_t first;
    uint32_t n, units;
} span;

struct ws_long_marks {
    span *span;
    ws_long_range *range;
    size_t n, span_cap, range_cap;
    int strands;
    int *M; /* [nmodel] nodes of each */
    size_t nmodel;
    uint8_t **flag; /* [nmodel], NULL: no device takes the model */
    size_t *at;     /* [nmodel] where the span's marks begin */
    size_t flag_cap, at_cap, M_cap;
    ws_buf flags, own;
    size_t now, unit; /* the span and its unit that are being searched; unit 0: none yet */
};

void ws_long_marks_release(ws_long_marks *m) {
    if (!m) return;
    ws_free(m->span);
    ws_free(m->range);
    ws_free(m->M);
    ws_free(m->flag);
    ws_free(m->at);
    ws_buf_release(&m->flags);
    ws_buf_release(&m->own);
    ws_free(m);
}

static int add_span(ws_long_marks *m, const ws_batch *b, uint32_t seq, uint64_t first, uint64_t last, uint32_t units, ws_err *err) {
    const uint64_t at = b->seqtext[seq].at, word = (first - 1 - at) / WS_RESIDUES_PER_WORD;
    int rc = ws_grow(&m->span, &m->span_cap, m->n + 1, sizeof *m->span, err);
    if (!rc) rc = ws_grow(&m->range, &m->range_cap, m->n + 1, sizeof *m->range, err);
    if (rc) return rc;
    span *s = &m->span[m->n];
    *s = (span){at + word * WS_RESIDUES_PER_WORD + 1, 0, units};
    s->n = (uint32_t)(last - s->first + 1);
    m->range[m->n++] = (ws_long_range){b->word + b->first[seq] + word, s->n};
    return WS_OK;
}

static int find_spans(ws_long_marks *m, const ws_batch *b, const ws_long_unit *unit, size_t n, uint32_t block, uint32_t maxl,
                      ws_err *err) {
    int rc = WS_OK;
    m->n = 0;
    for (size_t u = 0, end; u < n && !rc; u = end) {
        for (end = u + 1; end < n && unit[end].seq == unit[u].seq; end++) continue;
        const uint64_t last = ws_min((unit[end - 1].block + 1) * block, b->seqtext[unit[u].seq].at + b->len[unit[u].seq]);
        rc = add_span(m, b, unit[u].seq, ws_long_block_first(unit[u].block, block, maxl), last, (uint32_t)(end - u), err);
    }
    return rc;
}

/* Steps of one strand, or of all that are asked. */
static size_t steps_of(const ws_long_marks *m, size_t k, size_t s) { return ws_long_steps(m->M[k], m->span[s].n); }
static size_t all_steps_of(const ws_long_marks *m, size_t k, size_t s) {
    return steps_of(m, k, s) * (size_t)(m->strands == (WS_LONG_PLUS | WS_LONG_MINUS) ? 2 : 1);
}

/* Room for the marks of models that a device takes. */
static int make_room(ws_long_marks *m, const ws_long_dev *const *dev, ws_err *err) {
    size_t total = 0;
    int rc = ws_grow(&m->flag, &m->flag_cap, m->nmodel, sizeof *m->flag, err);
    if (!rc) rc = ws_grow(&m->at, &m->at_cap, m->nmodel, sizeof *m->at, err);
    if (rc) return rc;
    for (size_t k = 0; k < m->nmodel; k++) {
        m->at[k] = total;
        for (size_t s = 0; s < m->n && dev[k]; s++) total += all_steps_of(m, k, s);
    }
    uint8_t *flags = ws_buf_scratch(&m->flags, total + 1, err);
    if (!flags) return err->code;
    for (size_t k = 0; k < m->nmodel; k++) {
        m->flag[k] = dev[k] ? flags + m->at[k] : NULL;
        m->at[k] = 0;
    }
    return WS_OK;
}

static int mark(const ws_long_marks *m, const ws_abc *abc, const ws_long_dev *const *all, ws_err *err) {
    const ws_long_dev **dev = ws_calloc(m->nmodel, sizeof *dev, err);
    uint8_t **flag = dev ? ws_calloc(m->nmodel, sizeof *flag, err) : NULL;
    size_t n = 0;
    int rc = flag ? WS_OK : err->code;
    for (size_t k = 0; k < m->nmodel && !rc; k++) {
        if (!all[k]) continue;
        dev[n] = all[k];
        flag[n++] = m->flag[k];
    }
    if (!rc) rc = ws_long_dev_mark(dev, n, abc, m->range, m->n, m->strands, flag, err);
    ws_free(flag);
    ws_free(dev);
    return rc;
}

int ws_long_mark(ws_long_worker *w, const ws_long_cut *c, const ws_long_dev *const *dev, const ws_long_model *const *model, size_t nmodel,
                 const ws_batch *b, const ws_long_unit *unit, size_t n, ws_err *err) {
    if (!w->marks && !(w->marks = ws_calloc(1, sizeof *w->marks, err))) return err->code;
    ws_long_marks *m = w->marks;
    m->nmodel = nmodel;
    m->strands = c->strands;
    m->now = m->unit = 0;
    int rc = ws_grow(&m->M, &m->M_cap, nmodel, sizeof *m->M, err);
    for (size_t k = 0; k < nmodel && !rc; k++) m->M[k] = model[k]->M;
    if (!rc) rc = find_spans(m, b, unit, n, c->block, c->maxl, err);
    if (!rc) rc = make_room(m, dev, err);
    return rc ? rc : mark(m, c->abc, dev, err);
}

void ws_long_marks_next(ws_long_marks *m) {
    if (m->unit++ < m->span[m->now].units) return;
    for (size_t k = 0; k < m->nmodel; k++) m->at[k] += all_steps_of(m, k, m->now);
    m->now++;
    m->unit = 1;
}

int ws_long_marks_of(ws_long_marks *m, size_t k, ws_long_block *b, int *any, ws_err *err) {
    const span *s = &m->span[m->now];
    *any = 1;
    if (!m->flag[k]) return WS_OK;
    const int M = m->M[k];
    const size_t steps = ws_long_steps(M, b->n);
    const uint8_t *whole = m->flag[k] + m->at[k];
    uint8_t *own = ws_buf_scratch(&m->own, 2 * steps, err);
    if (!own) return err->code;
    const uint64_t before = b->first - s->first, behind = s->first + s->n - b->first - b->n;
    *any = 0;
    for (int minus = 0; minus < 2; minus++, own += steps) {
        if (!(m->strands & (minus ? WS_LONG_MINUS : WS_LONG_PLUS))) continue;
        *any |= ws_long_flags_part(M, whole, minus ? behind : before, b->n, own);
        b->flag[minus] = own;
        whole += steps_of(m, k, m->now);
    }
    return WS_OK;
}
