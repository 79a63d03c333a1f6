/* SPDX-License-Identifier: MIT
 * The work on a batch in parts: a slice of its blocks against a group of models each. Where a device marks, further parts mark the whole
 * batch for a group, two groups ahead, and the slices of that group wait for it. */
#include "kernels/dom/genome.h"

#include <pthread.h>
#include <string.h>

/* What a group of models has of a batch. */
typedef struct group_state {
    const ws_backend *backend; /* who searches; NULL: not known yet */
    ws_long_marks *marks;      /* NULL: the CPU marks */
    size_t left;               /* slices that are not done */
    int failed;
} group_state;

struct ws_genome_work {
    ws_long_units units; /* their parts are the slices */
    ws_genome_found *found; /* [groups][slices] */
    group_state *group;
    size_t ngroup, nfound, found_cap, group_cap;
    int marking; /* parts mark */
    pthread_mutex_t lock;
    pthread_cond_t known;
};

/* ---- groups ---- */

/* A group is searched by one thread in one block, so genes of all its models in that block are the least that the end of a run waits for:
 * some tenths of a second (23S rRNA, bench/long-xeon.md). Each group unpacks the block again, a tenth of a millisecond. */
enum { GROUP_NODES = 4096 };

int ws_genome_groups_create(ws_genome_groups *g, const ws_genome_model *model, size_t n, ws_err *err) {
    int nodes = 0;
    *g = (ws_genome_groups){.first = ws_calloc(n + 1, sizeof *g->first, err)};
    if (!g->first) return err->code;
    for (size_t t = 0; t < n; t++) {
        const int M = model[t].model.M;
        if (t == 0 || nodes + M > GROUP_NODES || t - g->first[g->n - 1] == WS_GENOME_GROUP) {
            g->first[g->n++] = t;
            nodes = 0;
        }
        nodes += M;
        g->nodes = (int)ws_max(g->nodes, nodes);
    }
    g->first[g->n] = n;
    return WS_OK;
}

void ws_genome_groups_release(ws_genome_groups *g) { ws_free(g->first); }

/* ---- parts ---- */

enum { AHEAD = 2 /* groups that are marked before their turn */ };

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

void ws_genome_work_destroy(ws_genome_work *w) {
    if (!w) return;
    drop_marks(w);
    for (size_t p = 0; p < w->found_cap; p++) ws_free(w->found[p].at);
    ws_free(w->found);
    ws_free(w->group);
    ws_long_units_release(&w->units);
    pthread_cond_destroy(&w->known);
    pthread_mutex_destroy(&w->lock);
    ws_free(w);
}

static const ws_backend *cpu_of(const ws_job *job) { return job->cpu_backend ? job->cpu_backend : job->backend; }

/* Lists of hits for all slices, empty but with the memory of the batch before. */
static int make_lists(ws_genome_work *w, ws_err *err) {
    const size_t before = w->found_cap;
    const int rc = ws_grow(&w->found, &w->found_cap, w->nfound, sizeof *w->found, err);
    if (rc) return rc;
    memset(w->found + before, 0, (w->found_cap - before) * sizeof *w->found);
    for (size_t p = 0; p < w->nfound; p++) w->found[p].n = 0;
    return WS_OK;
}

int ws_genome_work_plan(ws_genome_work *w, const ws_genome_search *s, const ws_batch *b, size_t *parts, ws_err *err) {
    const size_t groups = s->groups.n;
    drop_marks(w);
    w->marking = ws_job_has_device(s->job);
    int rc = ws_long_units_cut(&w->units, b, s->cut.block, least_of(s, w->marking), err);
    w->nfound = groups * w->units.nparts;
    if (!rc) rc = make_lists(w, err);
    if (!rc) rc = ws_grow(&w->group, &w->group_cap, groups, sizeof *w->group, err);
    if (rc) return rc;
    w->ngroup = groups;
    for (size_t g = 0; g < groups; g++)
        w->group[g] = (group_state){.backend = w->marking ? NULL : cpu_of(s->job), .left = w->units.nparts};
    *parts = w->nfound + (w->marking && w->nfound ? AHEAD + groups : 0);
    *parts = ws_max(*parts, 1);
    return WS_OK;
}

/* ---- a group's backend and marks ---- */

/* What a backend made of the group's models; a device that joined late makes it now. */
static int find_layouts(ws_genome_search *s, const ws_backend *be, size_t g, ws_genome_layout **layout, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = s->groups.first[g]; t < s->groups.first[g + 1] && !rc; t++) {
        if (!ws_job_prep(s->job, be, (uint32_t)t)) rc = ws_job_ready(s->job, be, (uint32_t)t, NULL, err);
        if (!rc) *layout++ = ws_job_prep(s->job, be, (uint32_t)t);
    }
    return rc;
}

static int make_marks(ws_genome_search *s, const ws_genome_work *w, const ws_backend *be, size_t g, const ws_batch *b,
                      ws_long_marks **marks, ws_err *err) {
    ws_genome_layout *layout[WS_GENOME_GROUP];
    const ws_long_dev *dev[WS_GENOME_GROUP];
    const ws_long_model *model[WS_GENOME_GROUP];
    const size_t n = s->groups.first[g + 1] - s->groups.first[g];
    const int rc = find_layouts(s, be, g, layout, err);
    for (size_t k = 0; k < n && !rc; k++) {
        dev[k] = layout[k]->dev;
        model[k] = layout[k]->of.model;
    }
    return rc ? rc : ws_long_marks_create(marks, &s->cut, dev, model, n, b, w->units.at, w->units.n, err);
}

/* Marks the batch for a group, if a device is free for it. */
static int mark_group(ws_genome_search *s, ws_genome_work *w, size_t g, const ws_batch *b, ws_err *err) {
    const ws_backend *be = ws_job_pick_backend(s->job);
    group_state made = {.backend = be, .left = w->units.nparts};
    int rc = be->start ? make_marks(s, w, be, g, b, &made.marks, err) : WS_OK;
    if (rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) {
        made.backend = cpu_of(s->job);
        rc = WS_OK;
    }
    made.failed = rc != WS_OK;
    pthread_mutex_lock(&w->lock);
    w->group[g] = made;
    pthread_cond_broadcast(&w->known);
    pthread_mutex_unlock(&w->lock);
    return rc;
}

/* Waits until somebody has marked the group. Returns 0 if that failed. */
static int wait_for_group(ws_genome_work *w, size_t g) {
    pthread_mutex_lock(&w->lock);
    while (!w->group[g].backend) pthread_cond_wait(&w->known, &w->lock);
    const int good = !w->group[g].failed;
    pthread_mutex_unlock(&w->lock);
    return good;
}

/* The last slice of a group gives its marks back. */
static void slice_done(ws_genome_work *w, size_t g) {
    pthread_mutex_lock(&w->lock);
    ws_long_marks *marks = --w->group[g].left ? NULL : w->group[g].marks;
    if (marks) w->group[g].marks = NULL;
    pthread_mutex_unlock(&w->lock);
    ws_long_marks_destroy(marks);
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
    ws_genome_found *found;
    uint64_t windows, cells;
} slice;

static const ws_genome *genome_of(const slice *s) { return s->s->job->own; }

/* The windows of a model in a block to hits. */
static int search_block(slice *s, size_t t, const ws_long_block *b, ws_err *err) {
    const ws_genome_layout *l = s->layout[t - s->from];
    const ws_cpu *cpu = &s->s->job->machine.cpu;
    ws_long_worker *w = &s->worker->search;
    size_t n;
    ws_long_pieces_reuse(&w->windows);
    ws_long_pieces_reuse(&w->parts);
    int rc = ws_long_find_windows(b, &w->windows, &w->scratch, err);
    s->windows += w->windows.n;
    if (!rc) rc = ws_long_test_windows(&l->of, cpu, &w->windows, &n, &w->scratch, err);
    if (!rc) rc = ws_long_find_parts(&l->of, &w->windows, n, &w->parts, NULL, &w->scratch, err);
    if (!rc) rc = ws_long_test_parts(&l->of, cpu, &w->parts, &n, &w->scratch, err);
    s->found->target = (uint32_t)t;
    return rc ? rc : ws_genome_domains(&genome_of(s)->model[t], s->worker->dom, &w->parts, n, s->found, err);
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
        if (!rc && any) rc = search_block(s, t, &b, err);
    }
    return rc;
}

static int dom_worker(const slice *s, ws_err *err) {
    const ws_genome *g = genome_of(s);
    const ws_dom_options options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem};
    return s->worker->dom ? WS_OK : ws_dom_worker_create(&s->worker->dom, s->layout[0]->dom, &options, err);
}

static int search_slice(ws_genome_search *all, ws_genome_work *w, const ws_batch *b, size_t g, size_t at, ws_genome_worker *worker,
                        ws_err *err) {
    if (!wait_for_group(w, g)) return WS_OK; /* the part that marked has said why */
    const ws_long_units *u = &w->units;
    slice s = {.s = all, .batch = b, .marks = w->group[g].marks, .worker = worker, .found = &w->found[g * u->nparts + at],
               .from = all->groups.first[g], .to = all->groups.first[g + 1]};
    s.found->n = 0;
    s.found->envelopes = 0;
    int rc = find_layouts(all, w->group[g].backend, g, s.layout, err);
    if (!rc) rc = dom_worker(&s, err);
    for (size_t j = u->part[at]; j < u->part[at + 1] && !rc; j++) rc = search_unit(&s, &u->at[j], j, err);
    slice_done(w, g);
    if (rc) return rc;
    all->windows += s.windows;
    all->envelopes += s.found->envelopes;
    all->cells += s.cells;
    if (s.marks) all->device_cells += s.cells;
    return WS_OK;
}

/* Parts come in this order: the first AHEAD groups are marked, then for each group one more is, and its slices are searched. Threads take
 * them in that order, so whoever waits for a group waits for a thread that marks it. */
int ws_genome_work_do(ws_genome_search *s, ws_genome_work *w, const ws_batch *b, size_t part, ws_genome_worker *worker, ws_err *err) {
    const size_t slices = w->units.nparts;
    if (slices == 0) return WS_OK;
    if (!w->marking) return search_slice(s, w, b, part / slices, part % slices, worker, err);
    size_t mark = part;
    if (part >= AHEAD) {
        const size_t g = (part - AHEAD) / (slices + 1), at = (part - AHEAD) % (slices + 1);
        if (at) return search_slice(s, w, b, g, at - 1, worker, err);
        mark = g + AHEAD;
    }
    return mark < w->ngroup ? mark_group(s, w, mark, b, err) : WS_OK;
}

/* ---- hits ---- */

const ws_genome_found *ws_genome_work_found(const ws_genome_work *w, size_t *n) {
    *n = w->nfound;
    return w->found;
}
