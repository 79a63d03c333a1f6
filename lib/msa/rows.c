/* SPDX-License-Identifier: MIT
 * Rows of an alignment on their way into memory: see lib/msa/reader.h. All text stands in one piece of memory in the
 * order of the file, until ws_rows_finish (blocks_in_place.c) brings it into the order of the rows. */
#include "lib/msa/reader.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

int ws_rows_add(ws_msareader *r, ws_word name, ws_err *err) {
    ws_msa *m = r->m;
    if (m->rows >= INT32_MAX) return ws_msa_fail(r, err, "the alignment has more than %d rows", INT32_MAX);
    if (ws_grow(&m->name_at, &r->name_cap, m->rows + 1, sizeof *m->name_at, err)) return err->code;
    if (ws_grow(&r->length, &r->length_cap, m->rows + 1, sizeof *r->length, err)) return err->code;
    m->name_at[m->rows] = m->names.n;
    if (ws_buf_add(&m->names, name.p, name.n, err) || ws_buf_add(&m->names, "", 1, err)) return err->code;
    if (r->keeps && ws_grow(&m->note_at, &r->note_cap, m->rows + 1, sizeof *m->note_at, err)) return err->code;
    if (r->keeps) m->note_at[m->rows][0] = m->note_at[m->rows][1] = 0;
    r->length[m->rows++] = 0;
    return WS_OK;
}

int ws_rows_note(ws_msareader *r, size_t row, int which, ws_word text, ws_err *err) {
    ws_msa *m = r->m;
    if (!r->keeps || text.n == 0) return WS_OK;
    m->note_at[row][which] = m->notes.n + 1;
    return ws_buf_add(&m->notes, text.p, text.n, err) || ws_buf_add(&m->notes, "", 1, err) ? err->code : WS_OK;
}

static int is_row(const ws_msa *m, size_t i, ws_word name) {
    const char *own = ws_msa_name(m, i);
    return !strncmp(own, name.p, name.n) && own[name.n] == '\0';
}

static uint32_t hash_of(ws_word name) { return (uint32_t)XXH3_64bits(name.p, name.n); }

/* Returns the place of a name in the hash table, or the free place for it. */
static size_t place_of(const ws_msareader *r, ws_word name, uint32_t hash) {
    size_t at = hash & (r->hash_cap - 1);
    while (r->hash[at].row && (r->hash[at].hash != hash || !is_row(r->m, r->hash[at].row - 1, name)))
        at = (at + 1) & (r->hash_cap - 1);
    return at;
}

int64_t ws_rows_find(const ws_msareader *r, ws_word name, size_t guess) {
    if (guess < r->m->rows && is_row(r->m, guess, name)) return (int64_t)guess;
    return r->hash_cap == 0 ? -1 : (int64_t)r->hash[place_of(r, name, hash_of(name))].row - 1;
}

/* Makes the table four times as large. */
static int widen_table(ws_msareader *r, ws_err *err) {
    const size_t cap = r->hash_cap ? 4 * r->hash_cap : 64;
    struct ws_named *to = ws_calloc(cap, sizeof *to, err);
    if (!to) return err->code;
    for (size_t i = 0; i < r->hash_cap; i++) {
        size_t at = r->hash[i].hash & (cap - 1);
        if (r->hash[i].row == 0) continue;
        while (to[at].row) at = (at + 1) & (cap - 1);
        to[at] = r->hash[i];
    }
    ws_free(r->hash);
    r->hash = to;
    r->hash_cap = cap;
    return WS_OK;
}

int ws_rows_index(ws_msareader *r, ws_err *err) {
    const char *text = ws_msa_name(r->m, r->m->rows - 1);
    const ws_word name = {text, strlen(text)};
    const uint32_t hash = hash_of(name);
    if (2 * r->m->rows > r->hash_cap && widen_table(r, err)) return err->code;
    r->hash[place_of(r, name, hash)] = (struct ws_named){(uint32_t)r->m->rows, hash};
    return WS_OK;
}

const char *ws_row_name(const ws_msareader *r, size_t row) { return ws_msa_name(r->m, row); }

int ws_rows_bad(const ws_msareader *r, size_t row, ws_word text, ws_err *err) {
    char quote[WS_QUOTE_MAX], name[WS_QUOTE_MAX];
    size_t i = 0;
    while (r->map[(uint8_t)text.p[i]] != WS_MAP_BAD) i++;
    return ws_msa_fail(r, err, "row \"%s\" has \"%s\" at character %zu of its text, where a residue%s%s%s or a gap was "
                       "expected", ws_quote(name, ws_row_name(r, row), strlen(ws_row_name(r, row))),
                       ws_quote(quote, text.p + i, 1), i + 1, r->abc ? " of the " : "", r->abc ? r->abc->name : "",
                       r->abc ? " alphabet" : "");
}

/* Counts n columns more for a row, which the code holds already. */
static int add_piece(ws_msareader *r, size_t row, size_t n, ws_err *err) {
    r->length[row] += n;
    while (n > 0) {
        struct ws_piece *last = r->npiece ? &r->piece[r->npiece - 1] : NULL;
        if (!last || last->row != row || last->n == UINT32_MAX) {
            if (ws_grow(&r->piece, &r->piece_cap, r->npiece + 1, sizeof *r->piece, err)) return err->code;
            last = &r->piece[r->npiece++];
            *last = (struct ws_piece){.row = (uint32_t)row};
        }
        const size_t part = ws_min(n, UINT32_MAX - last->n);
        last->n += (uint32_t)part;
        n -= part;
    }
    return WS_OK;
}

/* Maps text where no character is skipped; returns 0 if there may be one, or one that the map refuses. */
static int map_plain(const uint8_t *map, ws_word text, uint8_t *to) {
    uint8_t all = 0;
    for (size_t i = 0; i < text.n; i++) all |= to[i] = map[(uint8_t)text.p[i]];
    return !(all & WS_MAP_SKIP & ~WS_MAP_CODE);
}

int ws_rows_append(ws_msareader *r, size_t row, ws_word text, size_t *added, ws_err *err) {
    if (ws_grow(&r->code, &r->code_cap, r->ncode + text.n, 1, err)) return err->code;
    uint8_t *to = r->code + r->ncode;
    size_t n = text.n;
    if (r->in_place || !map_plain(r->map, text, to)) {
        n = 0;
        for (size_t i = 0; i < text.n; i++) {
            const uint8_t x = r->map[(uint8_t)text.p[i]];
            if (x == WS_MAP_BAD) return ws_rows_bad(r, row, text, err);
            to[n] = x;
            n += x != WS_MAP_SKIP;
        }
    }
    r->ncode += n;
    *added = n;
    return add_piece(r, row, n, err);
}

int ws_rows_gaps(ws_msareader *r, size_t row, size_t n, ws_err *err) {
    if (n == 0) return WS_OK;
    if (ws_grow(&r->code, &r->code_cap, r->ncode + n, 1, err)) return err->code;
    memset(r->code + r->ncode, r->abc->K, n);
    r->ncode += n;
    return add_piece(r, row, n, err);
}
