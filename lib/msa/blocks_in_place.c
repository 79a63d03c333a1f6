/* SPDX-License-Identifier: MIT
 * Rows out of blocks, in the memory where they stand. Formats cut rows into blocks of equal widths, of which the last
 * may be narrower. That one is set aside, the others change places, and both are put together from the last row on. */
#include "lib/msa/reader.h"

/* Returns whether each piece belongs to the row of the piece before it or to a later one. */
static int in_order(const ws_msareader *r) {
    for (size_t i = 1; i < r->npiece; i++)
        if (r->piece[i].row < r->piece[i - 1].row) return 0;
    return 1;
}

/* Returns the width of all blocks but the last, each of which has every row; 0 if that is not how the pieces stand. */
static size_t width_of(const ws_msareader *r) {
    const size_t rows = r->m->rows, blocks = r->npiece / rows, width = r->piece[0].n;
    if (r->npiece != blocks * rows) return 0;
    const size_t last = r->piece[r->npiece - 1].n;
    for (size_t i = 0; i < r->npiece; i++)
        if (r->piece[i].n != (i / rows + 1 < blocks ? width : last)) return 0;
    return width;
}

/* Brings equally wide pieces from the order of the blocks into that of their rows. Each piece goes to its place, and
 * the one that stood there goes on. room: of two pieces. */
static void permute(ws_msareader *r, size_t blocks, size_t width, uint8_t *room) {
    const size_t rows = r->m->rows, n = blocks * rows;
    uint8_t *carried = room, *next = room + width;
    for (size_t first = 0; first < n; first++) {
        size_t at = first;
        if (r->piece[first].n == 0) continue; /* it was moved */
        memcpy(carried, r->code + first * width, width);
        do {
            const size_t to = r->piece[at].row * blocks + at / rows;
            r->piece[at].n = 0;
            memcpy(next, r->code + to * width, width);
            memcpy(r->code + to * width, carried, width);
            uint8_t *free_room = carried;
            carried = next;
            next = free_room;
            at = to;
        } while (at != first);
    }
}

/* Puts the last block, of so many columns, behind the others, of `before` columns, from the last row on. */
static void put_behind(ws_msareader *r, const uint8_t *last, size_t before, size_t width) {
    const size_t rows = r->m->rows, columns = before + width;
    const struct ws_piece *piece = r->piece + r->npiece - rows;
    for (size_t i = rows; i-- > 0;) memmove(r->code + i * columns, r->code + i * before, before);
    for (size_t i = 0; i < rows; i++) memcpy(r->code + piece[i].row * columns + before, last + i * width, width);
}

static int arrange(ws_msareader *r, size_t width, ws_err *err) {
    const size_t rows = r->m->rows, blocks = r->npiece / rows, last = r->piece[r->npiece - 1].n;
    const size_t equal = blocks - (last != width), rest = last != width ? last * rows : 0;
    uint8_t *aside = ws_alloc(rest + 2 * width, err);
    if (!aside) return err->code;
    memcpy(aside, r->code + equal * rows * width, rest);
    permute(r, equal, width, aside + rest);
    if (rest > 0) put_behind(r, aside, equal * width, last);
    ws_free(aside);
    return WS_OK;
}

/* Copies pieces of any widths to their rows. */
static int copy(ws_msareader *r, size_t columns, ws_err *err) {
    ws_msa *m = r->m;
    const uint8_t *from = r->code;
    if (!(m->code = ws_alloc(m->rows * columns, err))) return err->code;
    memset(r->length, 0, m->rows * sizeof *r->length);
    for (size_t i = 0; i < r->npiece; i++) {
        const struct ws_piece *p = &r->piece[i];
        memcpy(ws_msa_row(m, p->row) + r->length[p->row], from, p->n);
        r->length[p->row] += p->n;
        from += p->n;
    }
    return WS_OK;
}

int ws_rows_finish(ws_msareader *r, size_t columns, ws_err *err) {
    ws_msa *m = r->m;
    m->columns = columns;
    ws_free(r->hash);
    r->hash = NULL;
    r->hash_cap = 0;
    if (!in_order(r)) {
        const size_t width = width_of(r);
        if (!width) return copy(r, columns, err);
        if (arrange(r, width, err)) return err->code;
    }
    m->code = r->code;
    r->code = NULL;
    r->code_cap = 0;
    return WS_OK;
}
