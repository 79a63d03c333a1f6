/* SPDX-License-Identifier: MIT
 * Blocks of the records of a batch, their strands, and the parts in which threads take them. Specification
 * long-targets.md, section 4. */
#include "kernels/long/search.h"

#include <math.h>
#include <string.h>

/* ---- cutting ---- */

/* Residues of the record up to the end of sequence i. */
static uint64_t end_of(const ws_batch *b, size_t i) { return b->seqtext[i].at + b->len[i]; }

/* The blocks that are whole in a piece of a record and were not in the piece before; the record's last block ends with
 * it. */
static int add_units(ws_long_units *u, const ws_batch *b, size_t seq, uint32_t block, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[seq];
    const uint64_t from = (t->at + t->old) / block,
                   to = t->more ? end_of(b, seq) / block : (end_of(b, seq) + block - 1) / block;
    const int rc = ws_grow(&u->at, &u->cap, u->n + (size_t)(to - from), sizeof *u->at, err);
    for (uint64_t j = from; j < to && !rc; j++) u->at[u->n++] = (ws_long_unit){(uint32_t)seq, j};
    return rc;
}

int ws_long_units_cut(ws_long_units *u, const ws_batch *b, uint32_t block, uint64_t least, ws_err *err) {
    uint64_t residues = 0;
    int rc = WS_OK;
    u->n = u->nparts = 0;
    for (size_t i = 0; i < b->n && !rc; i++) rc = add_units(u, b, i, block, err);
    for (size_t j = 0; j < u->n && !rc; j++) {
        if (j == 0 || residues >= least) {
            if ((rc = ws_grow(&u->part, &u->part_cap, u->nparts + 2, sizeof *u->part, err))) break;
            u->part[u->nparts++] = j;
            residues = 0;
        }
        residues += ws_min(end_of(b, u->at[j].seq) - u->at[j].block * block, block);
    }
    if (!rc && u->nparts) u->part[u->nparts] = u->n;
    return rc;
}

void ws_long_units_release(ws_long_units *u) {
    ws_free(u->at);
    ws_free(u->part);
}

/* ---- strands ---- */

void ws_long_worker_release(ws_long_worker *w) {
    ws_long_list_release(&w->windows);
    ws_long_list_release(&w->subwindows);
    ws_buf_release(&w->codes);
    ws_buf_release(&w->other);
    ws_buf_release(&w->flags);
    ws_buf_release(&w->scratch);
    ws_buf_release(&w->scores);
    ws_buf_release(&w->verdicts);
}

static uint64_t last_of(const ws_long_cut *c, const ws_batch *b, const ws_long_unit *u) {
    return ws_min((u->block + 1) * c->block, end_of(b, u->seq));
}

/* Unpacks residues w->first..last of a sequence; w->x is the first of them, with padding that is a code behind the
 * last. */
static int unpack(ws_long_worker *w, const ws_long_cut *c, const ws_batch *b, const ws_long_unit *u, uint64_t last,
                  ws_err *err) {
    const uint64_t at = b->seqtext[u->seq].at, word = (w->first - 1 - at) / WS_RESIDUES_PER_WORD;
    const uint64_t skipped = at + word * WS_RESIDUES_PER_WORD;
    const size_t n = (size_t)(last - skipped);
    uint8_t *codes = ws_buf_scratch(&w->codes, n + WS_LONG_PAD + WS_ALIGN, err);
    if (!codes) return err->code;
    c->codec->unpack(b->word + b->first[u->seq] + word, n, codes);
    memset(codes + n, 0, WS_LONG_PAD);
    w->x = codes + (w->first - 1 - skipped);
    return WS_OK;
}

static int other_strand(ws_long_worker *w, const ws_long_cut *c, size_t n, ws_err *err) {
    uint8_t *other = ws_buf_scratch(&w->other, n + WS_LONG_PAD, err);
    if (!other) return err->code;
    c->codec->other_strand(c->abc, w->x, n, other);
    memset(other + n, 0, WS_LONG_PAD);
    return WS_OK;
}

uint32_t ws_long_unit_residues(const ws_long_cut *c, const ws_batch *batch, const ws_long_unit *u,
                               const ws_long_model *m) {
    return (uint32_t)(last_of(c, batch, u) - ws_long_block_first(u->block, c->block, m->maxl) + 1);
}

int ws_long_unit_block(ws_long_worker *w, const ws_long_cut *c, const ws_batch *batch, const ws_long_unit *u,
                       const ws_long_target *t,
                       const ws_long_marked *marked, ws_long_block *b, int *any, ws_err *err) {
    const uint64_t last = last_of(c, batch, u);
    int rc = WS_OK;
    *any = 1;
    *b = (ws_long_block){.target = t, .first = ws_long_block_first(u->block, c->block, t->model.maxl)};
    b->n = (uint32_t)(last - b->first + 1);
    if (marked->m) rc = ws_long_marks_of(marked->m, marked->k, marked->unit, &w->flags, b, any, err);
    if (rc || !*any) return rc;
    if (!w->x) {
        w->first = ws_long_block_first(u->block, c->block, c->maxl);
        rc = unpack(w, c, batch, u, last, err);
        if (!rc && c->strands & WS_LONG_MINUS) rc = other_strand(w, c, (size_t)(last - w->first + 1), err);
    }
    if (c->strands & WS_LONG_PLUS) b->strand[0] = w->x + (b->first - w->first);
    if (c->strands & WS_LONG_MINUS) b->strand[1] = (const uint8_t *)w->other.p;
    return rc;
}
