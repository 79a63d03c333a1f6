/* SPDX-License-Identifier: MIT
 * The path of best accuracy, from the choices of a fill, and its alignment. Source: specification domains.md,
 * sections 7.3 and 11.3. */
#include "kernels/dom/kernel.h"

#include <string.h>

/* The walk notes states from the last to the first; marks note the borders of domains. */
enum { MARK_B = 0xe0, MARK_E = 0xf0 };

typedef struct walker {
    const ws_dom_choices *c;
    ws_dom_worker *w;
    ws_dom_visit *visit;
    size_t n, most;
} walker;

static void note(walker *w, uint32_t i, uint32_t k, uint8_t state) { w->visit[w->n++] = (ws_dom_visit){i, k, state}; }

/* Walks from E of row i to B; returns the row of B. */
static uint32_t walk_core(walker *w, uint32_t i) {
    const ws_dom_step *end = w->c->step ? &w->c->step[i] : NULL;
    uint32_t k = end ? end->e_node : w->c->end_node;
    uint8_t state = end ? end->e_state : WS_COLUMN_M;
    note(w, i, 0, MARK_E);
    for (;;) {
        note(w, i, k, state);
        const int bits = i > 0 && k > 0 ? w->c->cell(w->c, i, k) : WS_DOM_FROM_B;
        if (state == WS_COLUMN_M) {
            static const uint8_t from[4] = {WS_COLUMN_M, WS_COLUMN_I, WS_COLUMN_D, MARK_B};
            state = from[bits & 3];
            i -= i > 0;
            k -= k > 0;
            if (state == MARK_B) break;
        } else if (state == WS_COLUMN_D) {
            if (k <= 1) break; /* node 1 has no D: only a range error leads here */
            state = bits & WS_DOM_D_FROM_D ? WS_COLUMN_D : WS_COLUMN_M;
            k--;
        } else {
            if (i == 0) break;
            state = bits & WS_DOM_I_FROM_I ? WS_COLUMN_I : WS_COLUMN_M;
            i--;
        }
    }
    note(w, i, 0, MARK_B);
    return i;
}

/* Makes room for a domain: nodes only decrease, so it has at most M states M and D, an I for each row, and two
 * marks. */
static int make_room(walker *w, uint32_t i, uint32_t M, ws_err *err) {
    if (w->n + i + M + 4 <= w->most) return WS_OK;
    w->most = w->n + i + M + 4;
    ws_buf *b = &w->w->scratch[WS_DOM_PATH];
    b->n = w->n * sizeof *w->visit;
    int rc = ws_buf_reserve(b, (w->most - w->n) * sizeof *w->visit, err);
    w->visit = (ws_dom_visit *)(void *)b->p;
    return rc;
}

/* Walks from C of the last row to S. */
static int walk_all(walker *w, uint32_t i, uint32_t M, ws_err *err) {
    const ws_dom_step *step = w->c->step;
    int in_c = 1, rc = WS_OK;
    if (!step) i = w->c->end_row;
    while (rc == WS_OK) {
        while (step && i > 0 && !(in_c ? step[i].c_from_e : step[i].j_from_e)) i--;
        if (i == 0 || (rc = make_room(w, i, M, err)) != WS_OK) break;
        i = walk_core(w, i);
        if (!step || step[i].b_from_n) break;
        in_c = 0;
    }
    return rc;
}

/* Cuts out the alignment: from the first M of the first domain to its last M, in target order. */
static void cut_out(walker *w) {
    size_t lo = w->n, hi;
    while (lo > 0 && w->visit[lo - 1].state != MARK_B) lo--;  /* [lo-1] is the first B of the target */
    for (hi = lo; hi > 0 && w->visit[hi - 1].state != MARK_E; hi--) continue;
    if (lo == 0 || hi == 0) {
        w->n = 0;
        return;
    }
    size_t first = lo - 1, last = hi;
    while (first > last && w->visit[first - 1].state != WS_COLUMN_M) first--;
    while (last < first && w->visit[last].state != WS_COLUMN_M) last++;
    /* the alignment is [last, first) backwards */
    w->n = first - last;
    memmove(w->visit, w->visit + last, w->n * sizeof *w->visit);
    for (size_t a = 0, b = w->n; a + 1 < b; a++, b--) {
        const ws_dom_visit keep = w->visit[a];
        w->visit[a] = w->visit[b - 1];
        w->visit[b - 1] = keep;
    }
}

int ws_dom_walk(ws_dom_worker *w, const ws_dom_choices *c, uint32_t L, uint32_t M, ws_dom_visit **visit, size_t *n,
                ws_err *err) {
    walker a = {.c = c, .w = w, .most = (size_t)L + M + 8};
    a.visit = ws_dom_scratch(w, WS_DOM_PATH, a.most * sizeof *a.visit, err);
    if (!a.visit) return err->code;
    int rc = walk_all(&a, L, M, err);
    if (rc) return rc;
    cut_out(&a);
    *visit = a.visit;
    *n = a.n;
    return WS_OK;
}

int ws_dom_set_columns(ws_dom_fit *f, const ws_dom_visit *visit, const float *posterior, size_t n, ws_err *err) {
    f->ncolumn = 0;
    f->column = NULL;
    f->posterior = NULL;
    f->i_from = f->i_to = f->k_from = f->k_to = 0;
    if (n == 0) return WS_OK;
    if (!(f->column = ws_calloc(n, 1, err))) return err->code;
    if (f->whole && !(f->posterior = ws_calloc(n, sizeof *f->posterior, err))) return err->code;
    if (f->whole) memcpy(f->posterior, posterior, n * sizeof *posterior);
    f->ncolumn = (uint32_t)n;
    for (size_t j = 0; j < n; j++)
        f->column[j] =
            (uint8_t)(visit[j].state | (visit[j].state == WS_COLUMN_D ? WS_CODE_NONE : ws_dom_code_of(posterior[j])));
    f->i_from = visit[0].i;
    f->k_from = visit[0].k;
    f->i_to = visit[n - 1].i;
    f->k_to = visit[n - 1].k;
    return WS_OK;
}
