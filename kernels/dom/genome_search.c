/* SPDX-License-Identifier: MIT
 * The work on a batch in parts: a slice of its blocks against a group of models each. Where a device marks, further parts mark the whole
 * batch for a group, two groups ahead, and the slices of that group wait for it. A device also says which windows the Viterbi scan can
 * leave out, of a group at a time. Sub-windows that pass Forward wait until all slices of their group are done: then there are many of one
 * model, whose domains fill the vectors. The thread of the last slice does these two, and further parts help with the domains. */
#include "kernels/dom/genome.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What a group of models has of a batch. */
typedef struct group_state {
    const ws_backend *backend; /* who searches; NULL: not known yet */
    ws_long_marks *marks;      /* NULL: the CPU marks */
    size_t left;               /* slices that are not done */
    int failed, found;         /* found: `subs` has all sub-windows, sorted */
    ws_genome_subs windows, subs; /* windows that wait for a device; sub-windows that wait for their domains */
} group_state;

struct ws_genome_work {
    ws_long_units units; /* their parts are the slices */
    ws_genome_found found;
    group_state *group; /* [group_cap] */
    size_t ngroup, group_cap, helpers; /* helpers: parts of each group that look for domains */
    int marking;        /* parts mark */
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

static void reuse_subs(ws_genome_subs *s) { s->n = s->next = s->codes.n = 0; }

static void release_subs(ws_genome_subs *s) {
    ws_free(s->at);
    ws_buf_release(&s->codes);
}

void ws_genome_worker_release(ws_genome_worker *w) {
    ws_dom_worker_destroy(w->dom);
    ws_long_worker_release(&w->search);
    release_subs(&w->windows);
    release_subs(&w->untested);
    release_subs(&w->subs);
    ws_buf_release(&w->origin);
    ws_buf_release(&w->places);
    ws_free(w->found.at);
}

void ws_genome_work_destroy(ws_genome_work *w) {
    if (!w) return;
    drop_marks(w);
    for (size_t g = 0; g < w->group_cap; g++) {
        release_subs(&w->group[g].windows);
        release_subs(&w->group[g].subs);
    }
    ws_free(w->found.at);
    ws_free(w->group);
    ws_long_units_release(&w->units);
    pthread_cond_destroy(&w->known);
    pthread_mutex_destroy(&w->lock);
    ws_free(w);
}

static const ws_backend *cpu_of(const ws_job *job) { return job->cpu_backend ? job->cpu_backend : job->backend; }

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
        group_state *group = &w->group[g];
        reuse_subs(&group->windows);
        reuse_subs(&group->subs);
        *group = (group_state){.backend = w->marking ? NULL : cpu_of(s->job), .left = w->units.nparts, .windows = group->windows,
                               .subs = group->subs};
    }
    *parts = w->units.nparts ? parts_of(w) : 1;
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
    ws_long_marks *marks = NULL;
    int rc = be->start ? make_marks(s, w, be, g, b, &marks, err) : WS_OK;
    if (rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) {
        be = cpu_of(s->job);
        rc = WS_OK;
    }
    pthread_mutex_lock(&w->lock);
    w->group[g].backend = be;
    w->group[g].marks = marks;
    w->group[g].failed = rc != WS_OK;
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

/* ---- domains ---- */

static const ws_genome *genome_of(const ws_genome_search *s) { return s->job->own; }

static int add_sub(ws_genome_subs *to, const ws_genome_sub *sub, const uint8_t *codes, ws_err *err) {
    const size_t words = ws_batch_words(sub->len), at = to->codes.n;
    int rc = ws_grow(&to->at, &to->cap, to->n + 1, sizeof *to->at, err);
    if (!rc) rc = ws_buf_reserve(&to->codes, words * WS_RESIDUES_PER_WORD + WS_ALIGN, err); /* filters read whole registers */
    if (rc) return rc;
    to->at[to->n] = *sub;
    to->at[to->n++].at = at;
    memcpy(to->codes.p + at, codes, sub->len);
    to->codes.n += words * WS_RESIDUES_PER_WORD;
    return WS_OK;
}

static int add_subs(ws_genome_subs *to, const ws_genome_subs *from, ws_err *err) {
    int rc = WS_OK;
    for (size_t j = 0; j < from->n && !rc; j++) rc = add_sub(to, &from->at[j], (const uint8_t *)from->codes.p + from->at[j].at, err);
    return rc;
}

/* By model, and the longest first, so that problems side by side have similar length. */
static int by_model(const void *a, const void *b) {
    const ws_genome_sub *x = a, *y = b;
    if (x->target != y->target) return x->target < y->target ? -1 : 1;
    return (x->len < y->len) - (x->len > y->len);
}

static void sort_subs(ws_genome_subs *s) {
    s->next = 0;
    if (s->n) qsort(s->at, s->n, sizeof *s->at, by_model);
}

/* Takes the next sub-windows of one model: four, which fill a register of 16 floats, or more if these have few cells. Returns how many. */
static size_t take_chunk(ws_genome_subs *s, int M, size_t *first) {
    enum { LEAST = 4, MOST = 64 };
    const double most = 1e7;
    double cells = 0;
    size_t n = 0;
    *first = s->next;
    for (; s->next < s->n && s->at[s->next].target == s->at[*first].target && n < MOST; s->next++, n++) {
        cells += (double)s->at[s->next].len * M;
        if (n >= LEAST && cells > most) break;
    }
    return n;
}

/* The domains of sub-windows of one model, to the worker's list of hits. */
static int find_domains(const ws_genome_search *s, const ws_genome_subs *subs, size_t first, size_t n, ws_genome_worker *w, ws_err *err) {
    ws_long_pieces *p = &w->search.parts;
    const size_t before = w->found.n;
    int rc = WS_OK;
    ws_long_pieces_reuse(p);
    for (size_t j = 0; j < n && !rc; j++) {
        const ws_genome_sub *sub = &subs->at[first + j];
        rc = ws_long_pieces_add(p, (const uint8_t *)subs->codes.p + sub->at, sub->len, &sub->place, err);
        if (!rc) p->item[j] = (uint32_t)j;
    }
    w->found.target = subs->at[first].target;
    if (!rc) rc = ws_genome_domains(&genome_of(s)->model[w->found.target], w->dom, p, n, &w->found, err);
    for (size_t j = before; j < w->found.n; j++) {
        ws_genome_hit *h = &w->found.at[j];
        h->unit = subs->at[first + h->item].unit;
        h->window = subs->at[first + h->item].window;
        h->part = subs->at[first + h->item].part;
        h->number = (uint32_t)j;
    }
    return rc;
}

static int M_of(const ws_genome_search *s, const ws_genome_subs *subs) {
    return subs->next < subs->n ? genome_of(s)->model[subs->at[subs->next].target].model.M : 0;
}

/* Hands over the worker's hits. */
static int give_hits(ws_genome_search *s, ws_genome_work *w, ws_genome_worker *worker, ws_err *err) {
    pthread_mutex_lock(&w->lock);
    const int rc = ws_grow(&w->found.at, &w->found.cap, w->found.n + worker->found.n, sizeof *w->found.at, err);
    if (!rc && worker->found.n) memcpy(w->found.at + w->found.n, worker->found.at, worker->found.n * sizeof *w->found.at);
    if (!rc) w->found.n += worker->found.n;
    pthread_mutex_unlock(&w->lock);
    s->envelopes += worker->found.envelopes;
    worker->found.n = worker->found.envelopes = 0;
    return rc;
}

/* The domains of what the thread's own slice found. */
static int find_own(ws_genome_search *s, ws_genome_worker *w, ws_err *err) {
    size_t first, n;
    int rc = WS_OK;
    sort_subs(&w->subs);
    while (!rc && (n = take_chunk(&w->subs, M_of(s, &w->subs), &first))) rc = find_domains(s, &w->subs, first, n, w, err);
    reuse_subs(&w->subs);
    return rc;
}

/* The domains of a group whose slices are done, as long as there are sub-windows that nobody has taken. */
static int find_of_group(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    ws_genome_subs *subs = &w->group[g].subs;
    size_t first, n;
    int rc = WS_OK;
    do {
        pthread_mutex_lock(&w->lock);
        n = w->group[g].found ? take_chunk(subs, M_of(s, subs), &first) : 0;
        pthread_mutex_unlock(&w->lock);
        if (n) rc = find_domains(s, subs, first, n, worker, err);
    } while (n && !rc);
    if (!rc) return give_hits(s, w, worker, err);
    worker->found.n = 0;
    return rc;
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

/* Windows or sub-windows of so many residues do not wait for others: that bounds the memory of arrays of repeats. */
enum { ENOUGH = 1 << 20 };

/* From windows that passed MSV, item[0..n) of worker->search.windows, to their sub-windows; with `test`, to those that pass Forward. of[j]:
 * where window j is. */
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
        rc = add_sub(to, &sub, ws_long_codes_of(&w->parts, at), err);
    }
    return rc;
}

/* The windows of a model in a block, which wait for a device or go on to sub-windows. unit: the block's number in the batch. */
static int search_block(slice *s, size_t t, uint32_t unit, const ws_long_block *b, ws_err *err) {
    const ws_long_layout *l = &s->layout[t - s->from]->of;
    ws_genome_worker *worker = s->worker;
    ws_long_worker *w = &worker->search;
    size_t n;
    ws_long_pieces_reuse(&w->windows);
    int rc = ws_long_find_windows(b, &w->windows, &w->scratch, err);
    s->windows += w->windows.n;
    if (!rc) rc = ws_long_test_windows(l, &s->s->job->machine.cpu, &w->windows, &n, &w->scratch, err);
    ws_genome_sub *of = rc ? NULL : ws_buf_scratch(&worker->places, w->windows.n * sizeof *of, err);
    if (!of) return err->code;
    for (size_t j = 0; j < w->windows.n; j++)
        of[j] = (ws_genome_sub){.target = (uint32_t)t, .unit = unit, .window = (uint32_t)j, .len = w->windows.len[j],
                                .place = w->windows.at[j]};
    if (!s->layout[t - s->from]->viterbi || worker->windows.codes.n + w->windows.codes.n > ENOUGH)
        return find_subs(s->s, l, worker, n, of, 1, &worker->subs, err);
    for (size_t j = 0; !rc && j < n; j++) {
        const uint32_t at = w->windows.item[j];
        rc = add_sub(&worker->windows, &of[at], ws_long_codes_of(&w->windows, at), err);
    }
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
    const ws_genome *g = genome_of(s->s);
    const ws_dom_options options = {.seed = (uint32_t)g->seed, .nonull2 = g->nonull2, .memory = g->mem};
    return s->worker->dom ? WS_OK : ws_dom_worker_create(&s->worker->dom, s->layout[0]->dom, &options, err);
}

/* Hands over what the slice found. The thread of the last slice gives the group's marks back. Sets *last for it. */
static int slice_done(ws_genome_work *w, size_t g, const ws_genome_worker *worker, int *last, ws_err *err) {
    group_state *group = &w->group[g];
    pthread_mutex_lock(&w->lock);
    int rc = add_subs(&group->windows, &worker->windows, err);
    if (!rc) rc = add_subs(&group->subs, &worker->subs, err);
    *last = --group->left == 0;
    ws_long_marks *marks = *last ? group->marks : NULL;
    if (*last) group->marks = NULL;
    pthread_mutex_unlock(&w->lock);
    ws_long_marks_destroy(marks);
    return rc;
}

/* The scan of the windows of model t that the device let pass, some at a time, so that the scan has several to do side by side. */
static int scan_kept(ws_genome_search *s, const ws_long_layout *l, uint32_t t, const ws_genome_subs *windows, const uint8_t *keep,
                     ws_genome_worker *worker, ws_err *err) {
    enum { MOST = 32 };
    ws_long_pieces *p = &worker->search.windows;
    ws_genome_sub of[MOST];
    int rc = WS_OK;
    for (size_t j = 0; j < windows->n && !rc;) {
        ws_long_pieces_reuse(p);
        for (; j < windows->n && p->n < MOST && !rc; j++) {
            const ws_genome_sub *one = &windows->at[j];
            if (!keep[j] || one->target != t) continue;
            of[p->n] = *one;
            rc = ws_long_pieces_add(p, (const uint8_t *)windows->codes.p + one->at, one->len, &one->place, err);
            if (!rc) p->item[p->n - 1] = (uint32_t)(p->n - 1);
        }
        if (!rc && p->n) rc = find_subs(s, l, worker, p->n, of, 0, &worker->untested, err);
    }
    return rc;
}

/* The test of sub-windows by the CPU. */
static int test_subs(ws_genome_search *s, ws_genome_layout *const *layout, size_t from, ws_genome_worker *worker, uint8_t *keep,
                     ws_err *err) {
    ws_long_pieces *p = &worker->search.parts;
    int rc = WS_OK;
    for (size_t j = 0, n; j < worker->untested.n && !rc; j++) {
        const ws_genome_sub *sub = &worker->untested.at[j];
        ws_long_pieces_reuse(p);
        rc = ws_long_pieces_add(p, (const uint8_t *)worker->untested.codes.p + sub->at, sub->len, &sub->place, err);
        if (!rc) rc = ws_long_test_parts(&layout[sub->target - from]->of, &s->job->machine.cpu, p, &n, &worker->search.scratch, err);
        keep[j] = !rc && n;
    }
    return rc;
}

/* From the windows of a group to worker->subs. A device that fails in a run that asked for none leaves all to the CPU. */
static int scan_windows(ws_genome_search *s, const ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    const ws_genome_subs *windows = &w->group[g].windows, *subs = &worker->untested;
    const size_t from = s->groups.first[g], to = s->groups.first[g + 1];
    const ws_backend *be = w->group[g].backend;
    ws_genome_layout *layout[WS_GENOME_GROUP];
    uint8_t *passes = NULL, *keep = ws_calloc(windows->n, 1, err);
    int rc = keep ? find_layouts(s, be, g, layout, err) : err->code;
    if (!rc) rc = ws_genome_filter_windows(s, layout, from, to, windows, keep, err);
    if (rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) {
        memset(keep, 1, windows->n);
        rc = WS_OK;
    }
    for (size_t t = from; t < to && !rc; t++) rc = scan_kept(s, &layout[t - from]->of, (uint32_t)t, windows, keep, worker, err);
    if (!rc && subs->n) {
        passes = ws_calloc(subs->n, 1, err);
        rc = passes ? ws_genome_test_subs(s, layout, from, to, subs, passes, err) : err->code;
        if (rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) rc = test_subs(s, layout, from, worker, passes, err);
    }
    for (size_t j = 0; j < subs->n && !rc; j++)
        if (passes[j]) rc = add_sub(&worker->subs, &subs->at[j], (const uint8_t *)subs->codes.p + subs->at[j].at, err);
    ws_free(keep);
    ws_free(passes);
    return rc;
}

/* What the last slice of a group leaves to do. */
static int finish_group(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    reuse_subs(&worker->subs);
    reuse_subs(&worker->untested);
    int rc = w->group[g].windows.n ? scan_windows(s, w, g, worker, err) : WS_OK;
    if (rc) return rc;
    pthread_mutex_lock(&w->lock);
    rc = add_subs(&w->group[g].subs, &worker->subs, err);
    sort_subs(&w->group[g].subs);
    w->group[g].found = 1;
    pthread_mutex_unlock(&w->lock);
    return rc ? rc : find_of_group(s, w, g, worker, err);
}

static int search_slice(ws_genome_search *all, ws_genome_work *w, const ws_batch *b, size_t g, size_t at, ws_genome_worker *worker,
                        ws_err *err) {
    if (!wait_for_group(w, g)) return WS_OK; /* the part that marked has said why */
    const ws_long_units *u = &w->units;
    slice s = {.s = all, .batch = b, .marks = w->group[g].marks, .worker = worker,
               .from = all->groups.first[g], .to = all->groups.first[g + 1]};
    int last;
    reuse_subs(&worker->windows);
    reuse_subs(&worker->subs);
    worker->found.n = worker->found.envelopes = 0;
    int rc = find_layouts(all, w->group[g].backend, g, s.layout, err);
    if (!rc) rc = dom_worker(&s, err);
    for (size_t j = u->part[at]; j < u->part[at + 1] && !rc; j++) {
        rc = search_unit(&s, &u->at[j], j, err);
        if (!rc && worker->subs.codes.n >= ENOUGH) rc = find_own(all, worker, err);
    }
    all->windows += s.windows;
    all->cells += s.cells;
    if (s.marks) all->device_cells += s.cells;
    if (rc) worker->windows.n = worker->subs.n = 0;
    ws_err other;
    const int given = slice_done(w, g, worker, &last, rc ? &other : err);
    if (!rc) rc = given;
    if (!rc && last) return finish_group(all, w, g, worker, err);
    return rc ? rc : give_hits(all, w, worker, err);
}

/* Helps with the domains of a group whose slices are done. The thread needs the memory of a domain stage, which its slices made. */
static int help(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err) {
    return worker->dom ? find_of_group(s, w, g, worker, err) : WS_OK;
}

/* Threads take the parts in ascending order, so whoever waits for a group waits for a thread that marks it. */
int ws_genome_work_do(ws_genome_search *s, ws_genome_work *w, const ws_batch *b, size_t part, ws_genome_worker *worker, ws_err *err) {
    const size_t slices = w->units.nparts, ahead = w->marking ? AHEAD : 0;
    if (slices == 0) return WS_OK;
    if (part < ahead) return part < w->ngroup ? mark_group(s, w, part, b, err) : WS_OK;
    const size_t g = (part - ahead) / round_of(w);
    size_t at = (part - ahead) % round_of(w);
    if (w->marking && at-- == 0) return g + AHEAD < w->ngroup ? mark_group(s, w, g + AHEAD, b, err) : WS_OK;
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
