/* SPDX-License-Identifier: MIT
 * The work on a batch in parts: a slice of its blocks against a group of models each. Where a device marks, further parts mark the whole
 * batch for a group, two groups ahead, and the slices of that group wait for it. A device also takes the windows of a group to sub-windows
 * that pass Forward. These wait until all slices of their group are done: then there are many of one model, whose domains fill the vectors.
 * The thread of the last slice does these two, and further parts help with the domains. */
#include "bin/search/genome_work.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

enum { AHEAD = 2 /* groups that are marked before their turn */, MOST_HELPERS = 15 };

/* A slice takes a few milliseconds at least, also where a device marks. There it has up to 8 M residues: a batch has so few slices of short
 * models that threads which wait for the marks leave others to read. */
static uint64_t least_of(const ws_genome_search *s, int marking) {
    enum { MOST = 8 << 20 };
    const uint64_t cells = (uint64_t)3 << 30;
    return marking ? ws_max(ws_min(cells / (uint64_t)s->groups.nodes, MOST), s->cut.block) : s->cut.block;
}

int ws_genome_work_create(ws_genome_work **w, ws_err *err) {
    *w = ws_calloc(1, sizeof **w, err);
    if (!*w) return err->code;
    pthread_mutex_init(&(*w)->lock, NULL);
    pthread_cond_init(&(*w)->known, NULL);
    return WS_OK;
}

/* Marks are left where the run ended with a failure. */
static void drop_marks(ws_genome_work *w) {
    for (size_t g = 0; g < w->ngroup; g++) ws_long_marks_destroy(w->group[g].marks);
    w->ngroup = 0;
}

void ws_genome_worker_release(ws_genome_worker *w) {
    ws_dom_worker_destroy(w->dom);
    ws_long_worker_release(&w->search);
    ws_genome_subs_release(&w->windows);
    ws_genome_subs_release(&w->untested);
    ws_genome_subs_release(&w->subs);
    ws_buf_release(&w->origin);
    ws_buf_release(&w->places);
    ws_free(w->found.at);
}

void ws_genome_work_destroy(ws_genome_work *w) {
    if (!w) return;
    drop_marks(w);
    for (size_t g = 0; g < w->group_cap; g++) {
        ws_genome_subs_release(&w->group[g].windows);
        ws_genome_subs_release(&w->group[g].subs);
    }
    ws_free(w->found.at);
    ws_free(w->group);
    ws_long_units_release(&w->units);
    pthread_cond_destroy(&w->known);
    pthread_mutex_destroy(&w->lock);
    ws_free(w);
}

/* Returns how many parts there are: the groups that are marked in front, then rounds of one mark, all slices, and the helpers of the group
 * before. */
static size_t round_of(const ws_genome_work *w) { return (size_t)w->marking + w->units.nparts + w->helpers; }
static size_t parts_of(const ws_genome_work *w) { return (w->marking ? AHEAD : 0) + (w->ngroup + 1) * round_of(w); }

int ws_genome_work_plan(ws_genome_work *w, const ws_genome_search *s, const ws_batch *b, size_t *parts, ws_err *err) {
    const size_t had = w->group_cap;
    drop_marks(w);
    w->found.n = 0;
    w->marking = ws_job_has_device(s->job);
    w->helpers = ws_min((size_t)s->job->nworker - 1, MOST_HELPERS);
    int rc = ws_long_units_cut(&w->units, b, s->cut.block, least_of(s, w->marking), err);
    if (!rc) rc = ws_grow(&w->group, &w->group_cap, s->groups.n, sizeof *w->group, err);
    if (rc) return rc;
    memset(w->group + had, 0, (w->group_cap - had) * sizeof *w->group);
    w->ngroup = s->groups.n;
    for (size_t g = 0; g < w->ngroup; g++) {
        ws_genome_group *group = &w->group[g];
        ws_genome_subs_reuse(&group->windows);
        ws_genome_subs_reuse(&group->subs);
        *group = (ws_genome_group){.backend = w->marking ? NULL : ws_genome_cpu_of(s->job), .left = w->units.nparts,
                                   .windows = group->windows, .subs = group->subs};
    }
    *parts = w->units.nparts ? parts_of(w) : 1;
    return WS_OK;
}

/* ---- slices ---- */

/* A slice on its way through the models of a group. */
typedef struct slice {
    ws_genome_search *s;
    const ws_batch *batch;
    const ws_long_marks *marks;
    ws_genome_layout *layout[WS_GENOME_GROUP];
    size_t from, to; /* models */
    ws_genome_worker *worker;
    uint64_t windows, cells;
} slice;

/* Sub-windows, or windows, of so many residues do not wait for others: that bounds the memory of arrays of repeats. */
enum { ENOUGH = 1 << 20, ENOUGH_WINDOWS = 4 << 20 };

/* The windows of a model in a block, which wait for a device or go on to sub-windows. unit: the block's number in the batch. */
static int search_block(slice *s, size_t t, uint32_t unit, const ws_long_block *b, ws_err *err) {
    const ws_long_layout *l = &s->layout[t - s->from]->of;
    ws_genome_worker *worker = s->worker;
    ws_long_worker *w = &worker->search;
    ws_long_pieces_reuse(&w->windows);
    int rc = ws_long_find_windows(b, &w->windows, &w->scratch, err);
    size_t n = w->windows.n;
    const int waits = s->layout[t - s->from]->msv && worker->windows.codes.n + w->windows.codes.n <= ENOUGH_WINDOWS;
    s->windows += n;
    if (!rc && !waits) rc = ws_long_test_windows(l, &s->s->job->machine.cpu, &w->windows, &n, &w->scratch, err);
    ws_genome_sub *of = rc ? NULL : ws_buf_scratch(&worker->places, w->windows.n * sizeof *of, err);
    if (!of) return err->code;
    for (size_t j = 0; j < w->windows.n; j++)
        of[j] = (ws_genome_sub){.target = (uint32_t)t, .unit = unit, .window = (uint32_t)j, .len = w->windows.len[j],
                                .place = w->windows.at[j]};
    if (!waits) return ws_genome_find_subs(s->s, l, worker, n, of, &worker->subs, err);
    for (size_t j = 0; !rc && j < n; j++) rc = ws_genome_subs_add(&worker->windows, &of[j], ws_long_codes_of(&w->windows, j), err);
    return rc;
}

/* One block against the models. number: of the unit in the batch. */
static int search_unit(slice *s, const ws_long_unit *u, size_t number, ws_err *err) {
    const ws_long_cut *cut = &s->s->cut;
    const uint64_t strands = cut->strands == (WS_LONG_PLUS | WS_LONG_MINUS) ? 2 : 1;
    int rc = WS_OK, any;
    ws_long_unit_begin(&s->worker->search);
    for (size_t t = s->from; t < s->to && !rc; t++) {
        const ws_long_layout *l = &s->layout[t - s->from]->of;
        const ws_long_marked marked = {s->marks, t - s->from, number};
        ws_long_block b;
        s->cells += strands * ws_long_unit_residues(cut, s->batch, u, l->model) * (uint64_t)l->model->M;
        rc = ws_long_unit_block(&s->worker->search, cut, s->batch, u, l, &marked, &b, &any, err);
        if (!rc && any) rc = search_block(s, t, (uint32_t)number, &b, err);
    }
    return rc;
}

static int dom_worker(const slice *s, ws_err *err) {
    const ws_genome *g = ws_genome_of(s->s);
    const ws_dom_options options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem};
    return s->worker->dom ? WS_OK : ws_dom_worker_create(&s->worker->dom, s->layout[0]->dom, &options, err);
}

/* Hands over what the slice found. The thread of the last slice gives the group's marks back. Sets *last for it. */
static int slice_done(ws_genome_work *w, size_t g, const ws_genome_worker *worker, int *last, ws_err *err) {
    ws_genome_group *group = &w->group[g];
    pthread_mutex_lock(&w->lock);
    int rc = ws_genome_subs_append(&group->windows, &worker->windows, err);
    if (!rc) rc = ws_genome_subs_append(&group->subs, &worker->subs, err);
    *last = --group->left == 0;
    ws_long_marks *marks = *last ? group->marks : NULL;
    if (*last) group->marks = NULL;
    pthread_mutex_unlock(&w->lock);
    ws_long_marks_destroy(marks);
    return rc;
}

/* What the last slice of a group leaves to do. */
static int finish_group(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    ws_genome_subs_reuse(&worker->subs);
    int rc = w->group[g].windows.n ? ws_genome_scan_group(s, w, g, worker, err) : WS_OK;
    if (rc) return rc;
    pthread_mutex_lock(&w->lock);
    rc = ws_genome_subs_append(&w->group[g].subs, &worker->subs, err);
    ws_genome_subs_sort(&w->group[g].subs);
    w->group[g].found = 1;
    pthread_mutex_unlock(&w->lock);
    return rc ? rc : ws_genome_find_of_group(s, w, g, worker, err);
}

static int search_slice(ws_genome_search *all, ws_genome_work *w, const ws_batch *b, size_t g, size_t at, ws_genome_worker *worker,
                        ws_err *err) {
    if (!ws_genome_wait(w, g)) return WS_OK; /* the part that marked has said why */
    const ws_long_units *u = &w->units;
    slice s = {.s = all, .batch = b, .marks = w->group[g].marks, .worker = worker,
               .from = all->groups.first[g], .to = all->groups.first[g + 1]};
    int last;
    ws_genome_subs_reuse(&worker->windows);
    ws_genome_subs_reuse(&worker->subs);
    worker->found.n = worker->found.envelopes = 0;
    int rc = ws_genome_layouts(all, w->group[g].backend, g, s.layout, err);
    if (!rc) rc = dom_worker(&s, err);
    for (size_t j = u->part[at]; j < u->part[at + 1] && !rc; j++) {
        rc = search_unit(&s, &u->at[j], j, err);
        if (!rc && worker->subs.codes.n >= ENOUGH) rc = ws_genome_find_own(all, worker, err);
    }
    all->windows += s.windows;
    all->cells += s.cells;
    if (s.marks) all->device_cells += s.cells;
    if (rc) worker->windows.n = worker->subs.n = 0;
    ws_err other;
    const int given = slice_done(w, g, worker, &last, rc ? &other : err);
    if (!rc) rc = given;
    if (!rc && last) return finish_group(all, w, g, worker, err);
    return rc ? rc : ws_genome_give_hits(all, w, worker, err);
}

/* Helps with the domains of a group whose slices are done. The thread needs the memory of a domain stage, which its slices made. */
static int help(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    return worker->dom ? ws_genome_find_of_group(s, w, g, worker, err) : WS_OK;
}

/* Threads take the parts in ascending order, so whoever waits for a group waits for a thread that marks it. */
int ws_genome_work_do(ws_genome_search *s, ws_genome_work *w, const ws_batch *b, size_t part, ws_genome_worker *worker, ws_err *err) {
    const size_t slices = w->units.nparts, ahead = w->marking ? AHEAD : 0;
    if (slices == 0) return WS_OK;
    if (part < ahead) return part < w->ngroup ? ws_genome_mark(s, w, part, b, err) : WS_OK;
    const size_t g = (part - ahead) / round_of(w);
    size_t at = (part - ahead) % round_of(w);
    if (w->marking && at-- == 0) return g + AHEAD < w->ngroup ? ws_genome_mark(s, w, g + AHEAD, b, err) : WS_OK;
    if (at < slices) return g < w->ngroup ? search_slice(s, w, b, g, at, worker, err) : WS_OK;
    return g ? help(s, w, g - 1, worker, err) : WS_OK;
}

/* ---- hits ---- */

static int in_order(const void *a, const void *b) {
    const ws_genome_hit *x = a, *y = b;
    const uint32_t key[][2] = {
        {x->target, y->target}, {x->unit, y->unit}, {x->window, y->window}, {x->part, y->part}, {x->number, y->number}};
    for (size_t k = 0; k < sizeof key / sizeof *key; k++)
        if (key[k][0] != key[k][1]) return key[k][0] < key[k][1] ? -1 : 1;
    return 0;
}

const ws_genome_hit *ws_genome_work_hits(ws_genome_work *w, size_t *n) {
    *n = w->found.n;
    if (*n) qsort(w->found.at, *n, sizeof *w->found.at, in_order);
    return w->found.at;
}
