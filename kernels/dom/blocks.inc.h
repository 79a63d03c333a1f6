/* SPDX-License-Identifier: MIT
 * The products of Forward and Backward of a bundle, for all rows at once or for blocks of rows. Source: specification
 * domains.md, section 15.1.
 *
 * Where all rows need too much memory, the code saves the states of both recurrences at the borders of blocks. It
 * computes a block's rows again from these states by the same operations. So the bits are equal, at the cost of one
 * more Forward and one more Backward. */

typedef struct saved {
    forward_state f;
    backward_state b;
    VF *forward, *backward; /* M, I and D: 3 Q positions each */
} saved;

typedef struct blocks {
    bundle *g;
    uint32_t length, n;     /* rows of a block; number of blocks */
    saved *at; /* states for block b: Forward before its first row, Backward after its last; NULL for a single block */
    int own[VP_QUADS];
} blocks;

static uint32_t block_end(const blocks *b, uint32_t at) {
    return (uint32_t)ws_min((size_t)(at + 1) * b->length, b->g->rows);
}

static void save_cells(const bundle *g, VF *to) { memcpy(to, g->M, 3 * g->Q * sizeof *to); }
static void load_cells(const bundle *g, const VF *from) { memcpy(g->M, from, 3 * g->Q * sizeof *from); }

static void save_flags(bundle *g) {
    for (int j = 0; j < VP_QUADS; j++) g->b.quad[j] = g->p[j] ? g->p[j]->own : 0;
}
static void load_flags(const bundle *g, const int *own) {
    for (int j = 0; j < VP_QUADS; j++)
        if (g->p[j]) g->p[j]->own = own[j];
}

/* Computes rows and scales of both parsers, and with a single block also the products. */
static void run_blocks(blocks *b) {
    bundle *g = b->g;
    forward_begin(g);
    for (uint32_t at = 0; at < b->n; at++) {
        const uint32_t from = at * b->length, to = block_end(b, at);
        if (!b->at) {
            forward_places(g, from, to);
            break;
        }
        b->at[at].f = g->f;
        save_cells(g, b->at[at].forward);
        forward_only(g, from, to);
    }
    backward_begin(g);
    for (uint32_t at = b->n; at-- > 0;) {
        const uint32_t from = at * b->length, to = block_end(b, at);
        if (!b->at) {
            backward_products(g, to, from);
            break;
        }
        save_flags(g);
        b->at[at].b = g->b;
        save_cells(g, b->at[at].backward);
        backward_only(g, to, from);
    }
    save_flags(g);
    memcpy(b->own, g->b.quad, sizeof b->own);
}

/* Computes the products of block `at`, rows from g->kept on. */
static void fill_block(const blocks *b, uint32_t at) {
    bundle *g = b->g;
    const uint32_t from = at * b->length, to = block_end(b, at);
    if (!b->at) return;
    g->kept = from;
    g->f = b->at[at].f;
    load_cells(g, b->at[at].forward);
    forward_places(g, from, to);
    g->b = b->at[at].b;
    load_flags(g, g->b.quad);
    load_cells(g, b->at[at].backward);
    backward_products(g, to, from);
    load_flags(g, b->own);
}

/* Plans one block if the products of all rows take at most `most` bytes, else blocks of equal length. Returns
 * WS_ENOMEM on failure. */
static int plan_blocks(blocks *b, bundle *g, ws_dom_worker *w, size_t most, ws_err *err) {
    const size_t Q = g->Q, row = 2 * Q * sizeof(VF), cells = 3 * Q;
    *b = (blocks){.g = g, .length = g->rows, .n = 1};
    if (((size_t)g->rows + 1) * row > most) {
        b->length = (uint32_t)ceil(sqrt((double)g->rows));
        b->n = (g->rows - 1) / b->length + 1;
    }
    g->kept = 0;
    g->keep = ws_dom_scratch(w, WS_DOM_MATRIX,
                             ((size_t)b->length + 1) * row + (b->n > 1 ? b->n * 2 * cells * sizeof(VF) : 0), err);
    if (!g->keep) return err->code;
    if (b->n == 1) return WS_OK;
    b->at = ws_dom_scratch(w, WS_DOM_SAVED, b->n * sizeof *b->at, err);
    if (!b->at) return err->code;
    VF *p = g->keep + ((size_t)b->length + 1) * 2 * Q;
    for (uint32_t at = 0; at < b->n; at++) {
        b->at[at].forward = p + (size_t)at * 2 * cells;
        b->at[at].backward = b->at[at].forward + cells;
    }
    return WS_OK;
}
