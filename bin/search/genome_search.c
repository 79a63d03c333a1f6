/* SPDX-License-Identifier: MIT
 * The work on a batch in parts: a slice of its blocks against a group of models each. Where a device marks, further parts mark the whole
 * batch for a group, two groups ahead, and the slices of that group wait for it. A device also takes the windows of a group to sub-windows
 * that pass Forward. These wait until all slices of their group are done: then there are many of one model, whose domains fill the vectors.
 * The thread of the last slice does these two, and further parts help with the domains. */
#include "bin/search/genome.h"

#include <pthread.h>
#include <string.h>

/* Lists that were handed over. Those from n on are empty and keep their memory. */
typedef struct lists {
    ws_long_list *at;
    size_t n, cap;
} lists;

/* State of one group of models while a batch is searched. */
typedef struct group {
    const ws_backend *backend; /* who searches; NULL: not known yet */
    ws_long_marks *marks;      /* NULL: the CPU marks */
    size_t left;               /* slices that are not done */
    int failed, found;         /* found: `all` has all sub-windows, sorted */
    lists windows, parts;      /* of slices: windows that wait for a device, sub-windows that wait for their domains */
    ws_long_list all;
    size_t next;               /* the first one whose domains no thread has taken */
} group;

struct ws_genome_work {
    ws_long_units units; /* their parts are the slices */
    group *group;        /* [group_cap] */
    size_t ngroup, group_cap, helpers; /* helpers: parts of each group that look for domains */
    int marking;         /* parts mark */
    pthread_mutex_t lock;
    pthread_cond_t known;
};

/* ---- parts ---- */

enum { AHEAD = 2 /* groups that are marked before their turn */, MOST_HELPERS = 15 };

/* A slice takes a few milliseconds at least, also where a device marks. There it has up to 8 M residues: a batch has
 * few slices of short
 * models, so that some threads stay free to read while others wait for the marks. */
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

void ws_genome_worker_release(ws_genome_worker *w) {
    ws_dom_worker_destroy(w->dom);
    ws_long_worker_release(&w->search);
    ws_long_list_release(&w->windows);
    ws_long_list_release(&w->parts);
    ws_free(w->found.at);
}

static void release_lists(lists *l) {
    for (size_t j = 0; j < l->cap; j++) ws_long_list_release(&l->at[j]);
    ws_free(l->at);
}

void ws_genome_work_destroy(ws_genome_work *w) {
    if (!w) return;
    for (size_t g = 0; g < w->group_cap; g++) {
        ws_long_marks_destroy(w->group[g].marks);
        release_lists(&w->group[g].windows);
        release_lists(&w->group[g].parts);
        ws_long_list_release(&w->group[g].all);
    }
    ws_free(w->group);
    ws_long_units_release(&w->units);
    pthread_cond_destroy(&w->known);
    pthread_mutex_destroy(&w->lock);
    ws_free(w);
}

static const ws_backend *cpu_of(const ws_job *job) { return job->cpu_backend ? job->cpu_backend : job->backend; }

/* Returns how many parts there are: the groups that are marked first, then rounds of one mark, all slices, and the
 * helpers of the group
 * before. */
static size_t round_of(const ws_genome_work *w) { return (size_t)w->marking + w->units.nparts + w->helpers; }
static size_t parts_of(const ws_genome_work *w) { return (w->marking ? AHEAD : 0) + (w->ngroup + 1) * round_of(w); }

int ws_genome_work_plan(ws_genome_work *w, const ws_genome_search *s, const ws_batch *b, size_t *parts, ws_err *err) {
    const size_t had = w->group_cap;
    w->marking = ws_job_has_device(s->job);
    w->helpers = ws_min((size_t)s->job->nworker - 1, MOST_HELPERS);
    int rc = ws_long_units_cut(&w->units, b, s->cut.block, least_of(s, w->marking), err);
    if (!rc) rc = ws_grow(&w->group, &w->group_cap, s->groups.n, sizeof *w->group, err);
    if (rc) return rc;
    memset(w->group + had, 0, (w->group_cap - had) * sizeof *w->group);
    w->ngroup = s->groups.n;
    for (size_t k = 0; k < w->ngroup; k++) {
        group *g = &w->group[k];
        ws_long_marks_destroy(g->marks); /* left where a batch failed */
        g->marks = NULL;
        g->backend = w->marking ? NULL : cpu_of(s->job);
        g->left = w->units.nparts;
        g->failed = g->found = 0;
        g->windows.n = g->parts.n = g->next = 0;
        ws_long_list_reuse(&g->all);
    }
    *parts = w->units.nparts ? parts_of(w) : 1;
    return WS_OK;
}

/* ---- a group's backend and marks ---- */

/* Makes the forms of the group's models: a device may have joined late. */
static int make_ready(const ws_genome_search *s, const ws_backend *be, size_t g, ws_err *err) {
    int rc = WS_OK;
    for (size_t t = s->groups.first[g]; t < s->groups.first[g + 1] && !rc; t++)
        if (!ws_job_prep(s->job, be, (uint32_t)t)) rc = ws_job_ready(s->job, be, (uint32_t)t, NULL, err);
    return rc;
}

static ws_long_group group_of(const ws_genome_search *s, const ws_genome_work *w, const ws_batch *b, size_t g) {
    return (ws_long_group){.cut = &s->cut, .batch = b, .unit = w->units.at, .nunit = w->units.n,
                           .target = s->genome->target,
                           .from = s->groups.first[g], .to = s->groups.first[g + 1], .marks = w->group[g].marks};
}

/* Marks the batch for a group, if a device is free for it. */
static int mark(ws_genome_search *s, ws_genome_work *w, size_t g, const ws_batch *b, ws_err *err) {
    const ws_backend *be = ws_job_pick_backend(s->job);
    ws_long_group own = group_of(s, w, b, g);
    int rc = make_ready(s, be, g, err);
    if (!rc && be->start) rc = ws_long_group_mark(&own, s->genome->model[own.from].by, err);
    if (rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) {
        be = cpu_of(s->job);
        rc = make_ready(s, be, g, err);
    }
    pthread_mutex_lock(&w->lock);
    w->group[g].backend = be;
    w->group[g].marks = own.marks;
    w->group[g].failed = rc != WS_OK;
    pthread_cond_broadcast(&w->known);
    pthread_mutex_unlock(&w->lock);
    return rc;
}

/* Waits until a thread has marked the group. Returns 0 if that failed. */
static int wait_for(ws_genome_work *w, size_t g) {
    pthread_mutex_lock(&w->lock);
    while (!w->group[g].backend) pthread_cond_wait(&w->known, &w->lock);
    const int good = !w->group[g].failed;
    pthread_mutex_unlock(&w->lock);
    return good;
}

/* ---- domains ---- */

/* Takes the next sub-windows of one model: four, which fill a register of 16 floats, or more if these have few cells.
 * Returns how many;
 * the first of them is item[*first]. */
static size_t take_chunk(const ws_genome_search *s, const ws_long_list *l, size_t *next, size_t *first) {
    enum { LEAST = 4, MOST = 64 };
    const double most = 1e7;
    double cells = 0;
    size_t n = 0;
    *first = *next;
    for (; *next < l->n && n < MOST; ++*next, n++) {
        const uint32_t at = l->item[*next], target = l->at[at].target;
        cells += (double)l->len[at] * s->genome->target[target].model.M;
        if (target != l->at[l->item[*first]].target || (n >= LEAST && cells > most)) break;
    }
    return n;
}

/* The hits of sub-windows item[first .. first + n), all of one model, go to the store. */
static int find_domains(ws_genome_search *s, const ws_batch *b, const ws_long_list *l, size_t first, size_t n,
                        ws_genome_worker *w,
                        ws_err *err) {
    const uint32_t target = l->at[l->item[first]].target;
    w->found.n = w->found.envelopes = 0;
    int rc = ws_long_find_hits(&s->genome->target[target], w->dom, l, l->item + first, n, &w->found, err);
    for (size_t j = 0; j < w->found.n && !rc; j++) {
        const uint32_t seq = l->at[w->found.at[j].item].record;
        rc = ws_dna_add(&s->genome->dna, target, b, seq, b->before + seq + 1, b->seqtext[seq].at + b->len[seq],
                        &w->found.at[j].hit, err);
    }
    s->envelopes += w->found.envelopes;
    return rc;
}

/* Finds the domains of what the thread's own slice found. */
static int find_own(ws_genome_search *s, const ws_batch *b, ws_genome_worker *w, ws_err *err) {
    size_t next = 0, first, n;
    int rc = WS_OK;
    ws_long_list_sort(&w->parts, 1);
    while (!rc && (n = take_chunk(s, &w->parts, &next, &first))) rc = find_domains(s, b, &w->parts, first, n, w, err);
    ws_long_list_reuse(&w->parts);
    return rc;
}

/* Finds the domains of a group whose slices are done, as long as there are sub-windows that no thread has taken. */
static int find_of_group(ws_genome_search *s, ws_genome_work *w, size_t k, const ws_batch *b, ws_genome_worker *worker,
                         ws_err *err) {
    group *g = &w->group[k];
    size_t first, n;
    int rc = WS_OK;
    do {
        pthread_mutex_lock(&w->lock);
        n = g->found ? take_chunk(s, &g->all, &g->next, &first) : 0;
        pthread_mutex_unlock(&w->lock);
        if (n) rc = find_domains(s, b, &g->all, first, n, worker, err);
    } while (n && !rc);
    return rc;
}

/* ---- slices ---- */

/* Sub-windows, or windows, of so many residues do not wait for others: that bounds the memory of arrays of repeats. */
enum { ENOUGH = 1 << 20, ENOUGH_WINDOWS = 4 << 20 };

/* From windows to the worker's sub-windows that pass Forward. A device that fails in a run that asked for none leaves
 * all to the CPU. */
static int sieve(ws_genome_search *s, const ws_backend *be, ws_long_list *windows, ws_genome_worker *w, ws_err *err) {
    const ws_cpu *cpu = &s->job->machine.cpu;
    const size_t n = w->parts.n, codes = w->parts.codes.n;
    int rc = be->start ? ws_long_sieve_on_device(s->genome->target, cpu, s->cut.codec, windows, &w->search, &w->parts,
                                                 err) : WS_OK;
    const int failed = rc && ws_job_fall_back_to_cpu(s->job, be, rc, err);
    if (failed) {
        w->parts.n = n;
        w->parts.codes.n = codes;
    }
    return failed || !be->start ? ws_long_sieve(s->genome->target, cpu, windows, &w->search, &w->parts, err) : rc;
}

/* One block against the models. Its windows wait for a device, or go on to sub-windows. */
static int search_unit(ws_genome_search *s, const ws_long_group *own, const ws_backend *be, size_t u,
                       ws_genome_worker *w, uint64_t *cells,
                       ws_err *err) {
    const size_t before = w->windows.n;
    int rc = ws_long_group_search(own, u, own->batch->number << 32 | u, &w->search, &w->windows, cells, err);
    s->windows += w->windows.n - before;
    if (rc || (be->start && w->windows.codes.n <= ENOUGH_WINDOWS)) return rc;
    rc = sieve(s, be, &w->windows, w, err);
    ws_long_list_reuse(&w->windows);
    return !rc && w->parts.codes.n >= ENOUGH ? find_own(s, own->batch, w, err) : rc;
}

/* Hands a list over in exchange for one that is empty. */
static int hand_over(lists *to, ws_long_list *l, ws_err *err) {
    const size_t had = to->cap;
    const int rc = ws_grow(&to->at, &to->cap, to->n + 1, sizeof *to->at, err);
    if (rc) return rc;
    memset(to->at + had, 0, (to->cap - had) * sizeof *to->at);
    const ws_long_list empty = to->at[to->n];
    to->at[to->n++] = *l;
    *l = empty;
    ws_long_list_reuse(l);
    return WS_OK;
}

/* Hands over what the slice found. The thread of the last slice gives the group's marks back. Sets *last for it. */
static int slice_done(ws_genome_work *w, size_t k, ws_genome_worker *worker, int *last, ws_err *err) {
    group *g = &w->group[k];
    pthread_mutex_lock(&w->lock);
    int rc = hand_over(&g->windows, &worker->windows, err);
    if (!rc) rc = hand_over(&g->parts, &worker->parts, err);
    *last = --g->left == 0;
    ws_long_marks *marks = *last ? g->marks : NULL;
    if (*last) g->marks = NULL;
    pthread_mutex_unlock(&w->lock);
    ws_long_marks_destroy(marks);
    return rc;
}

/* What the last slice of a group leaves to do. */
static int finish_group(ws_genome_search *s, ws_genome_work *w, size_t k, const ws_batch *b, ws_genome_worker *worker,
                        ws_err *err) {
    group *g = &w->group[k];
    ws_long_list *windows = &worker->windows;
    int rc = WS_OK;
    for (size_t j = 0; j < g->windows.n && !rc; j++) rc = ws_long_list_append(windows, &g->windows.at[j], err);
    if (!rc) rc = sieve(s, g->backend, windows, worker, err);
    for (size_t j = 0; j < g->parts.n && !rc; j++) rc = ws_long_list_append(&worker->parts, &g->parts.at[j], err);
    ws_long_list_reuse(windows);
    if (rc) return rc;
    ws_long_list_sort(&worker->parts, 1);
    pthread_mutex_lock(&w->lock);
    const ws_long_list empty = g->all;
    g->all = worker->parts;
    worker->parts = empty;
    g->found = 1;
    pthread_mutex_unlock(&w->lock);
    return find_of_group(s, w, k, b, worker, err);
}

static int make_dom_worker(const ws_genome_search *s, ws_genome_worker *w, ws_err *err) {
    const ws_genome *g = s->genome;
    const ws_dom_options options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem};
    return w->dom ? WS_OK : ws_dom_worker_create(&w->dom, g->target[0].dom, &options, err);
}

static int search_slice(ws_genome_search *s, ws_genome_work *w, const ws_batch *b, size_t g, size_t at,
                        ws_genome_worker *worker,
                        ws_err *err) {
    if (!wait_for(w, g)) return WS_OK; /* the part that marked has said why */
    const ws_long_group own = group_of(s, w, b, g);
    const ws_long_units *u = &w->units;
    uint64_t cells = 0;
    int last;
    ws_long_list_reuse(&worker->windows);
    ws_long_list_reuse(&worker->parts);
    int rc = make_ready(s, w->group[g].backend, g, err);
    if (!rc) rc = make_dom_worker(s, worker, err);
    for (size_t j = u->part[at]; j < u->part[at + 1] && !rc; j++) rc = search_unit(s, &own, w->group[g].backend, j,
                                                                                   worker, &cells, err);
    s->cells += cells;
    if (own.marks) s->device_cells += cells;
    ws_err other;
    const int given = slice_done(w, g, worker, &last, rc ? &other : err);
    if (rc || given) return rc ? rc : given;
    return last ? finish_group(s, w, g, b, worker, err) : WS_OK;
}

/* Threads take the parts in ascending order, so a thread that waits for a group waits for one that marks it. A thread
 * that helps needs the
 * memory of a domain stage, which its slices made. */
int ws_genome_work_do(ws_genome_search *s, ws_genome_work *w, const ws_batch *b, size_t part, ws_genome_worker *worker, ws_err *err) {
    const size_t slices = w->units.nparts, ahead = w->marking ? AHEAD : 0;
    if (slices == 0) return WS_OK;
    if (part < ahead) return part < w->ngroup ? mark(s, w, part, b, err) : WS_OK;
    const size_t g = (part - ahead) / round_of(w);
    size_t at = (part - ahead) % round_of(w);
    if (w->marking && at-- == 0) return g + AHEAD < w->ngroup ? mark(s, w, g + AHEAD, b, err) : WS_OK;
    if (at < slices) return g < w->ngroup ? search_slice(s, w, b, g, at, worker, err) : WS_OK;
    return g && worker->dom ? find_of_group(s, w, g - 1, b, worker, err) : WS_OK;
}
