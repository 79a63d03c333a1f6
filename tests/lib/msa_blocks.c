/* SPDX-License-Identifier: MIT
 * Blocks in any number, of any widths, with their rows in any order: the rows that come out are those that were cut. */
#include "lib/msa/msa.h"
#include "tests/lib/io.h"
#include "tests/tap.h"

enum { ROWS = 7, WIDTH = 9, BLOCKS = 6, TIMES = 1000 };

static uint64_t state = 1;
static size_t any(size_t n) { return below(&state, n); }

/* An alignment that is cut into blocks. */
typedef struct cut {
    size_t rows, blocks, width[BLOCKS], columns;
    char row[ROWS][WIDTH * BLOCKS];
} cut;

/* Makes an alignment whose blocks have equal widths, but for the last; with `odd` each has its own. */
static void make(cut *c, int odd) {
    const size_t width = 1 + any(WIDTH);
    *c = (cut){.rows = 1 + any(ROWS), .blocks = 1 + any(BLOCKS)};
    for (size_t b = 0; b < c->blocks; b++) {
        c->width[b] = odd || b + 1 == c->blocks ? 1 + any(WIDTH) : width;
        c->columns += c->width[b];
    }
    for (size_t i = 0; i < c->rows; i++)
        for (size_t k = 0; k < c->columns; k++) c->row[i][k] = "ACDEFGHIKLMNPQRSTVWY-"[any(21)];
}

/* Writes Stockholm; with `mixed` the rows of later blocks begin anywhere. */
static void write_text(const cut *c, int mixed, ws_buf *text) {
    ws_err err = {0};
    size_t at = 0;
    must(!ws_buf_adds(text, "# STOCKHOLM 1.0\n", &err), "memory");
    for (size_t b = 0; b < c->blocks; at += c->width[b++]) {
        const size_t first = mixed && b > 0 ? any(c->rows) : 0;
        for (size_t j = 0; j < c->rows; j++) {
            const size_t i = (first + j) % c->rows;
            must(!ws_buf_addf(text, &err, "s%zu %.*s\n", i, (int)c->width[b], c->row[i] + at), "memory");
        }
        must(!ws_buf_adds(text, "\n", &err), "memory");
    }
    must(!ws_buf_adds(text, "//\n", &err), "memory");
}

/* Returns whether the text is read as the rows that it was made of. */
static int comes_back(const cut *c, const ws_buf *text) {
    char path[PATH_SIZE];
    const ws_abc *abc = ws_abc_get(WS_ABC_AMINO);
    ws_msareader *r;
    ws_msa m;
    ws_err err = {0};
    temp_file(path, text->p, text->n);
    must(!ws_msareader_open(&r, path, WS_MSA_STOCKHOLM, abc, &err), err.text);
    must(!ws_msareader_next(r, &m, &err), err.text);
    int same = m.rows == c->rows && m.columns == c->columns;
    for (size_t i = 0; same && i < c->rows; i++)
        for (size_t k = 0; k < c->columns; k++) {
            const char x = c->row[i][k];
            same &= ws_msa_row(&m, i)[k] == (x == '-' ? abc->K : abc->code_of[(uint8_t)x]);
        }
    ws_msa_release(&m);
    ws_msareader_close(r);
    unlink(path);
    return same;
}

int main(void) {
    static const char *const what[] = {"equal widths, and a last one", "any widths"};
    tap t = {0};
    for (int odd = 0; odd < 2; odd++)
        for (int mixed = 0; mixed < 2; mixed++) {
            int fine = 1;
            for (int i = 0; i < TIMES && fine; i++) {
                cut c;
                ws_buf text = {0};
                make(&c, odd);
                write_text(&c, mixed, &text);
                fine = comes_back(&c, &text);
                ws_buf_release(&text);
            }
            tap_ok(&t, fine, "blocks of %s%s", what[odd], mixed ? ", rows in any order" : "");
        }
    return tap_end(&t);
}
