/* SPDX-License-Identifier: MIT
 * From windows of the SSV scan to sub-windows that pass Forward. A device tests the windows of a group together and says which of them have
 * points; the CPU scans the few that have several. */
#include "bin/search/genome_work.h"
#include "kernels/vit/points.h"

#include <string.h>

/* From n windows, item[0..n) of worker->search.windows, to their sub-windows; with `test`, to those that pass Forward. of[j]: window j. */
static int find_subs(const ws_genome_search *s, const ws_long_layout *l, ws_genome_worker *worker, size_t n, const ws_genome_sub *of,
                     int test, ws_genome_subs *to, ws_err *err) {
    ws_long_worker *w = &worker->search;
    ws_long_pieces_reuse(&w->parts);
    worker->origin.n = 0;
    int rc = ws_long_find_parts(l, &w->windows, n, &w->parts, &worker->origin, &w->scratch, err);
    const uint32_t *origin = (const uint32_t *)(const void *)worker->origin.p;
    size_t found = w->parts.n;
    if (!rc && test) rc = ws_long_test_parts(l, &s->job->machine.cpu, &w->parts, &found, &w->scratch, err);
    for (size_t j = 0; !rc && j < found; j++) {
        const uint32_t at = test ? w->parts.item[j] : (uint32_t)j;
        ws_genome_sub sub = of[origin[at]];
        sub.part = at;
        sub.len = w->parts.len[at];
        sub.place = w->parts.at[at];
        rc = ws_genome_subs_add(to, &sub, ws_long_codes_of(&w->parts, at), err);
    }
    return rc;
}

int ws_genome_find_subs(const ws_genome_search *s, const ws_long_layout *l, ws_genome_worker *worker, size_t n, const ws_genome_sub *of,
                        ws_genome_subs *to, ws_err *err) {
    return find_subs(s, l, worker, n, of, 1, to, err);
}

/* ---- tests by the CPU, where a device failed ---- */

static int test_windows(ws_genome_search *s, ws_genome_layout *const *layout, size_t from, const ws_genome_subs *windows, uint8_t *keep,
                        ws_genome_worker *worker, ws_err *err) {
    ws_long_pieces *p = &worker->search.windows;
    int rc = WS_OK;
    for (size_t j = 0, n; j < windows->n && !rc; j++) {
        ws_genome_sub *one = &windows->at[j];
        ws_long_pieces_reuse(p);
        rc = ws_long_pieces_add(p, ws_genome_codes_of(windows, j), one->len, &one->place, err);
        if (!rc) rc = ws_long_test_windows(&layout[one->target - from]->of, &s->job->machine.cpu, p, &n, &worker->search.scratch, err);
        keep[j] = !rc && n;
        if (keep[j]) one->place = p->at[0];
    }
    return rc;
}

static int test_subs(ws_genome_search *s, ws_genome_layout *const *layout, size_t from, ws_genome_worker *worker, uint8_t *keep,
                     ws_err *err) {
    ws_long_pieces *p = &worker->search.parts;
    int rc = WS_OK;
    for (size_t j = 0, n; j < worker->untested.n && !rc; j++) {
        const ws_genome_sub *sub = &worker->untested.at[j];
        ws_long_pieces_reuse(p);
        rc = ws_long_pieces_add(p, ws_genome_codes_of(&worker->untested, j), sub->len, &sub->place, err);
        if (!rc) rc = ws_long_test_parts(&layout[sub->target - from]->of, &s->job->machine.cpu, p, &n, &worker->search.scratch, err);
        keep[j] = !rc && n;
    }
    return rc;
}

/* ---- windows to sub-windows ---- */

/* The sub-windows around the one point of a window. */
static int add_around(const ws_long_layout *l, const ws_genome_subs *windows, size_t at, ws_vit_points point, ws_genome_worker *worker,
                      ws_err *err) {
    const ws_genome_sub *window = &windows->at[at];
    ws_long_pieces *p = &worker->search.parts;
    ws_long_seed seed = {ws_vit_points_row(point), ws_vit_points_node(point), 1};
    const ws_long_seeds points = {&seed, 1, 1};
    ws_long_pieces_reuse(p);
    int rc = ws_long_add_parts(l, ws_genome_codes_of(windows, at), window->len, &window->place, &points, p, err);
    for (size_t j = 0; j < p->n && !rc; j++) {
        ws_genome_sub sub = *window;
        sub.part = (uint32_t)j;
        sub.len = p->len[j];
        sub.place = p->at[j];
        rc = ws_genome_subs_add(&worker->untested, &sub, ws_long_codes_of(p, j), err);
    }
    return rc;
}

/* The sub-windows of the windows of model t. The CPU scans those with several points, some at a time, so that it has several to do side by
 * side. */
static int scan_model(ws_genome_search *s, const ws_long_layout *l, uint32_t t, const ws_genome_subs *windows, const ws_vit_points *points,
                      ws_genome_worker *worker, ws_err *err) {
    enum { MOST = 32 };
    ws_long_pieces *p = &worker->search.windows;
    ws_genome_sub of[MOST];
    int rc = WS_OK;
    for (size_t j = 0; j < windows->n && !rc;) {
        ws_long_pieces_reuse(p);
        for (; j < windows->n && p->n < MOST && !rc; j++) {
            const ws_genome_sub *one = &windows->at[j];
            if (one->target != t || ws_vit_points_none(points[j])) continue;
            if (!ws_vit_points_several(points[j])) {
                rc = add_around(l, windows, j, points[j], worker, err);
                continue;
            }
            of[p->n] = *one;
            rc = ws_long_pieces_add(p, ws_genome_codes_of(windows, j), one->len, &one->place, err);
            if (!rc) p->item[p->n - 1] = (uint32_t)(p->n - 1);
        }
        if (!rc && p->n) rc = find_subs(s, l, worker, p->n, of, 0, &worker->untested, err);
    }
    return rc;
}

/* The tests of the windows and their points. */
static int test_and_scan(ws_genome_search *s, const ws_backend *be, ws_genome_layout *const *layout, size_t from, size_t to,
                         const ws_genome_subs *windows, ws_genome_worker *worker, ws_err *err) {
    uint8_t *keep = ws_calloc(windows->n, 1, err);
    ws_vit_points *points = keep ? ws_calloc(windows->n, sizeof *points, err) : NULL;
    int rc = points ? ws_genome_test_windows(s, layout, from, to, windows, keep, err) : err->code;
    if (points && rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) rc = test_windows(s, layout, from, windows, keep, worker, err);
    if (!rc) rc = ws_genome_find_points(s, layout, from, to, windows, keep, points, err);
    if (points && rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) {
        for (size_t j = 0; j < windows->n; j++) points[j] = keep[j] ? WS_VIT_UNKNOWN : 0;
        rc = WS_OK;
    }
    for (size_t t = from; t < to && !rc; t++) rc = scan_model(s, &layout[t - from]->of, (uint32_t)t, windows, points, worker, err);
    ws_free(points);
    ws_free(keep);
    return rc;
}

int ws_genome_scan_group(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    const ws_genome_subs *windows = &w->group[g].windows, *subs = &worker->untested;
    const size_t from = s->groups.first[g], to = s->groups.first[g + 1];
    const ws_backend *be = w->group[g].backend;
    ws_genome_layout *layout[WS_GENOME_GROUP];
    uint8_t *passes = NULL;
    ws_genome_subs_reuse(&worker->untested);
    int rc = ws_genome_layouts(s, be, g, layout, err);
    if (!rc) rc = test_and_scan(s, be, layout, from, to, windows, worker, err);
    if (!rc && subs->n) {
        passes = ws_calloc(subs->n, 1, err);
        rc = passes ? ws_genome_test_subs(s, layout, from, to, subs, passes, err) : err->code;
        if (passes && rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) rc = test_subs(s, layout, from, worker, passes, err);
    }
    for (size_t j = 0; j < subs->n && !rc; j++)
        if (passes[j]) rc = ws_genome_subs_add(&worker->subs, &subs->at[j], ws_genome_codes_of(subs, j), err);
    ws_free(passes);
    return rc;
}
