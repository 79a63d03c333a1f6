/* SPDX-License-Identifier: MIT
 * Groups of models, who searches each, and the marks of a device. */
#include "bin/search/genome_work.h"

/* ---- groups ---- */

/* Nodes of a group. A large group asks a device for much work in a call, and unpacks few blocks again. The windows of a group go through
 * the device one after the other and a thread waits for them, so the last groups, which the end of a run waits for, are small: a group has
 * at most a quarter of the nodes that are left. */
enum { LEAST_NODES = 4096, MOST_NODES = 16384, QUARTER = 4 };

int ws_genome_groups_create(ws_genome_groups *g, const ws_genome_model *model, size_t n, ws_err *err) {
    int nodes = 0, most = 0;
    long long left = 0;
    for (size_t t = 0; t < n; t++) left += model[t].model.M;
    *g = (ws_genome_groups){.first = ws_calloc(n + 1, sizeof *g->first, err)};
    if (!g->first) return err->code;
    for (size_t t = 0; t < n; t++) {
        const int M = model[t].model.M;
        if (t == 0 || nodes + M > most || t - g->first[g->n - 1] == WS_GENOME_GROUP) {
            g->first[g->n++] = t;
            nodes = 0;
            most = (int)ws_max(ws_min(left / QUARTER, MOST_NODES), LEAST_NODES);
        }
        nodes += M;
        left -= M;
        g->nodes = (int)ws_max(g->nodes, nodes);
    }
    g->first[g->n] = n;
    return WS_OK;
}

void ws_genome_groups_release(ws_genome_groups *g) { ws_free(g->first); }

/* ---- a group's backend and marks ---- */

int ws_genome_layouts(ws_genome_search *s, const ws_backend *be, size_t g, ws_genome_layout **layout, ws_err *err) {
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
    const int rc = ws_genome_layouts(s, be, g, layout, err);
    for (size_t k = 0; k < n && !rc; k++) {
        dev[k] = layout[k]->dev;
        model[k] = layout[k]->of.model;
    }
    return rc ? rc : ws_long_marks_create(marks, &s->cut, dev, model, n, b, w->units.at, w->units.n, err);
}

int ws_genome_mark(ws_genome_search *s, ws_genome_work *w, size_t g, const ws_batch *b, ws_err *err) {
    const ws_backend *be = ws_job_pick_backend(s->job);
    ws_long_marks *marks = NULL;
    int rc = be->start ? make_marks(s, w, be, g, b, &marks, err) : WS_OK;
    if (rc && ws_job_fall_back_to_cpu(s->job, be, rc, err)) {
        be = ws_genome_cpu_of(s->job);
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

int ws_genome_wait(ws_genome_work *w, size_t g) {
    pthread_mutex_lock(&w->lock);
    while (!w->group[g].backend) pthread_cond_wait(&w->known, &w->lock);
    const int good = !w->group[g].failed;
    pthread_mutex_unlock(&w->lock);
    return good;
}
