/* SPDX-License-Identifier: MIT
 * The vector body of the Viterbi scan, compiled once for each width: kernels/vit/rows.inc.h over windows. A row of M
 * values at the threshold stops the rows; its points are read from the M of the row, and the window goes on with
 * empty cells. Specification long-targets.md, section 8. */

#include "lib/simd/v.h"

#include "kernels/long/point.h"
#include "kernels/long/scan.h"
#include "kernels/vit/rows.inc.h"

/* A window on its way. */
typedef struct run {
    const ws_long_vit_window *window;
    ws_long_seeds *found;
    uint32_t i; /* rows done */
} run;

/* The lowest threshold, which no M is below. */
static int every_row(const run *r) { return r->window->vit.threshold == LOWEST; }

/* The points of row i: the nodes whose M is the largest one. */
static int add_points(const vit *p, const track *t, uint32_t i, int M, ws_long_seeds *found, ws_err *err) {
    const V *match = t->cell + 2 * p->Q;
    const int16_t *cell = (const int16_t *)match;
    V most = match[0];
    for (int q = 1; q < p->Q; q++) most = VW_MAX(most, match[q]);
    const int xE = VW_HMAX(most);
    const size_t first = found->n;
    for (int q = 0; q < p->Q; q++)
        for (int z = 0; z < VW_LANES && z * p->Q + q < M; z++) {
            const int rc = cell[q * VW_LANES + z] == xE ? ws_long_point_add(found, i, z * p->Q + q + 1, err) : WS_OK;
            if (rc) return rc;
        }
    ws_long_point_sort(found, first, M);
    return WS_OK;
}

WS_INLINE size_t some_rows(const vit *p, const int wrap, int width, const uint8_t *const *x, size_t n,
                           void *const *state) {
    switch (width) {
    case 1: return rows(1, 1, wrap, p, x, n, state);
    case 2: return rows(2, 1, wrap, p, x, n, state);
    case 3: return rows(3, 1, wrap, p, x, n, state);
    default: return rows(4, 1, wrap, p, x, n, state);
    }
}

typedef struct scan {
    vit v;
    int M;
} scan;

static int lay_scan(void *layout, const ws_profile *p, ws_err *err) {
    scan *me = layout;
    ws_words w;
    me->M = p->M;
    int rc = ws_words_create(&w, p, err);
    if (rc) return rc;
    rc = lay_out(&me->v, &w, err);
    ws_words_destroy(&w);
    return rc;
}

static void clear_scan(void *layout) { clear(&((scan *)layout)->v); }

/* The windows of a list that are not done. */
typedef struct windows {
    const ws_long_vit_window *window;
    ws_long_seeds *found;
    size_t n;
    int wrap; /* additions of all rows may wrap */
} windows;

/* Begins the next window that has residues; 0 at the end of the list. */
static int next_window(const scan *me, windows *list, run *r, track *t) {
    while (list->n && list->window->n == 0) list->window++, list->found++, list->n--;
    if (!list->n) return 0;
    *r = (run){list->window++, list->found++, 0};
    list->n--;
    start_rows(&me->v, list->wrap, t, t->cell, r->window->vit.wmove, r->window->vit.threshold);
    return 1;
}

/* All windows, some at a time. Track s has the state t[s]. */
static int run_windows(const scan *me, windows *list, void *const *t, ws_err *err) {
    run r[TRACKS];
    int live = 0, order[TRACKS]; /* order[s]: which of t and r is in place s */
    for (int s = 0; s < TRACKS; s++) order[s] = s;
    while (live < me->v.S && next_window(me, list, &r[live], t[live])) live++;
    while (live) {
        const uint8_t *x[TRACKS];
        void *state[TRACKS];
        size_t n = SIZE_MAX;
        for (int s = 0; s < live; s++) {
            const run *one = &r[order[s]];
            x[s] = one->window->x + one->i;
            state[s] = t[order[s]];
            n = ws_min(n, every_row(one) ? 1 : one->window->n - one->i);
        }
        n = list->wrap ? some_rows(&me->v, 1, live, x, n, state) : some_rows(&me->v, 0, live, x, n, state);
        for (int s = live - 1; s >= 0; s--) {
            run *one = &r[order[s]];
            track *own = t[order[s]];
            one->i += (uint32_t)n;
            if (own->over || every_row(one)) {
                const int rc = add_points(&me->v, own, one->i, me->M, one->found, err);
                if (rc) return rc;
                clear_rows(&me->v, list->wrap, own);
            }
            if (one->i < one->window->n || next_window(me, list, one, own)) continue;
            live--;
            const int gone = order[s];
            order[s] = order[live];
            order[live] = gone;
        }
    }
    return WS_OK;
}

static int points(const void *layout, const ws_long_vit_window *window, size_t n, ws_long_seeds *found, ws_buf *scratch,
                  ws_err *err) {
    const scan *me = layout;
    const size_t state = (sizeof(track) + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN, row = 3 * (size_t)me->v.Q * sizeof(V);
    windows list = {window, found, n, 1};
    for (size_t j = 0; j < n; j++) list.wrap &= wraps(&me->v,
                                                      window[j].vit.wmove) && window[j].vit.threshold > me->v.floor;
    void *t[TRACKS];
    char *room = ws_buf_scratch(scratch, TRACKS * (state + row), err);
    if (!room) return err->code;
    for (int s = 0; s < TRACKS; s++) {
        t[s] = room + (size_t)s * (state + row);
        ((track *)t[s])->cell = (V *)(void *)(room + (size_t)s * (state + row) + state);
    }
    return run_windows(me, &list, t, err);
}

const ws_long_vit_body V_FACE(ws_long_vit_) = {sizeof(scan), lay_scan, clear_scan, points};
