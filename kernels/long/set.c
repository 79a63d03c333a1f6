/* SPDX-License-Identifier: MIT
 * A batch of records against a set of models: the marks of a device, the windows of a unit, and what the CPU makes of
 * them. */
#include "kernels/long/search.h"

int ws_long_set_mark(ws_long_set *set, const ws_long_filters *by, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = set->from; t < set->to && !rc; t++) rc = ws_long_target_to_device(&set->target[t], by, err);
    return rc ? rc : ws_long_marks_create(&set->marks, set->cut, set->target + set->from, set->to - set->from,
                                          set->batch, set->unit,
                                          set->nunit, err);
}

int ws_long_set_search(const ws_long_set *set, size_t u, uint64_t block, ws_long_worker *w, ws_long_list *windows,
                       uint64_t *cells, ws_err *err) {
    const ws_long_unit *unit = &set->unit[u];
    const uint64_t strands = set->cut->strands == (WS_LONG_PLUS | WS_LONG_MINUS) ? 2 : 1;
    int rc = WS_OK, any;
    ws_long_unit_begin(w);
    for (size_t t = set->from; t < set->to && !rc; t++) {
        const ws_long_target *target = &set->target[t];
        const ws_long_marked marked = {set->marks, t - set->from, u};
        const ws_long_place place = {.block = block, .record = unit->seq, .target = (uint32_t)t};
        ws_long_block b;
        *cells += strands * ws_long_unit_residues(set->cut, set->batch, unit,
                                                  &target->model) * (uint64_t)target->model.M;
        rc = ws_long_unit_block(w, set->cut, set->batch, unit, target, &marked, &b, &any, err);
        if (!rc && any) rc = ws_long_find_windows(&b, &place, windows, &w->scratch, err);
    }
    return rc;
}

int ws_long_sieve(const ws_long_target *target, const ws_cpu *cpu, ws_long_list *windows, ws_long_worker *w,
                  ws_long_list *subwindows, ws_err *err) {
    int rc = WS_OK;
    for (size_t i = 0, n; i < windows->n && !rc; i += n) {
        uint32_t *item = windows->item + i;
        const ws_long_target *t = &target[windows->at[*item].target];
        size_t left = n = ws_long_list_run(windows, i);
        rc = ws_long_test_windows(t, cpu, windows, item, &left, w, err);
        ws_long_list_reuse(&w->subwindows);
        if (!rc) rc = ws_long_find_subwindows(t, windows, item, left, &w->subwindows, &w->scratch, err);
        ws_long_list_sort(&w->subwindows, 0);
        left = w->subwindows.n;
        if (!rc) rc = ws_long_test_subwindows(t, cpu, &w->subwindows, w->subwindows.item, &left, w, err);
        if (!rc && t->changes)
            rc = ws_long_look_back(t, cpu, &w->subwindows, NULL, w->subwindows.n, w->subwindows.item, &left, w, err);
        if (!rc && !t->changes && ws_long_by_block(&w->past))
            ws_long_mark_behind(&w->subwindows, w->subwindows.item, left);
        if (!rc) rc = ws_long_list_pick(subwindows, &w->subwindows, w->subwindows.item, left, err);
        if (rc) break;
        ws_long_count_subwindows(&w->count, WS_LONG_PASSED_VIT, &w->subwindows, NULL, 0, w->subwindows.n);
        ws_long_count_subwindows(&w->count, WS_LONG_PASSED_FWD, &w->subwindows, w->subwindows.item, 0, left);
    }
    if (!rc) ws_long_count_windows(&w->count, target, windows);
    return rc;
}
