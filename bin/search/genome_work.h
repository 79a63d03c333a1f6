/* SPDX-License-Identifier: MIT
 * The work on a batch, for the files that share it: genome_search.c takes parts, genome_marks.c has groups and their marks,
 * genome_windows.c brings windows to sub-windows, genome_domains.c finds their domains. */
#ifndef WS_SEARCH_GENOME_WORK_H
#define WS_SEARCH_GENOME_WORK_H

#include "bin/domains/genome.h"

#include <pthread.h>

/* What a group of models has of a batch. */
typedef struct ws_genome_group {
    const ws_backend *backend; /* who searches; NULL: not known yet */
    ws_long_marks *marks;      /* NULL: the CPU marks */
    size_t left;               /* slices that are not done */
    int failed, found;         /* found: `subs` has all sub-windows, sorted */
    ws_genome_subs windows, subs; /* windows that wait for a device; sub-windows that wait for their domains */
} ws_genome_group;

struct ws_genome_work {
    ws_long_units units; /* their parts are the slices */
    ws_genome_found found;
    ws_genome_group *group; /* [group_cap] */
    size_t ngroup, group_cap, helpers; /* helpers: parts of each group that look for domains */
    int marking;        /* parts mark */
    pthread_mutex_t lock;
    pthread_cond_t known;
};

static inline const ws_genome *ws_genome_of(const ws_genome_search *s) { return s->job->own; }

/* ---- lists of windows ---- */

static inline void ws_genome_subs_reuse(ws_genome_subs *s) { s->n = s->next = s->codes.n = 0; }
void ws_genome_subs_release(ws_genome_subs *s);
static inline const uint8_t *ws_genome_codes_of(const ws_genome_subs *s, size_t j) { return (const uint8_t *)s->codes.p + s->at[j].at; }
/* Appends one with its codes, and all of a list. WS_ENOMEM. */
int ws_genome_subs_add(ws_genome_subs *to, const ws_genome_sub *sub, const uint8_t *codes, ws_err *err);
int ws_genome_subs_append(ws_genome_subs *to, const ws_genome_subs *from, ws_err *err);
/* Sorts by model, and the longest first, so that problems side by side have similar length. */
void ws_genome_subs_sort(ws_genome_subs *s);

/* ---- groups: bin/search/genome_marks.c ---- */

static inline const ws_backend *ws_genome_cpu_of(const ws_job *job) { return job->cpu_backend ? job->cpu_backend : job->backend; }
/* Sets layout[0..] to what a backend made of the group's models; a device that joined late makes it now. */
int ws_genome_layouts(ws_genome_search *s, const ws_backend *be, size_t g, ws_genome_layout **layout, ws_err *err);
/* Marks the batch for a group, if a device is free for it. */
int ws_genome_mark(ws_genome_search *s, ws_genome_work *w, size_t g, const ws_batch *b, ws_err *err);
/* Waits until somebody has marked the group. Returns 0 if that failed. */
int ws_genome_wait(ws_genome_work *w, size_t g);

/* ---- windows to sub-windows: bin/search/genome_windows.c ---- */

/* From n windows that passed MSV, item[0..n) of worker->search.windows, to the sub-windows that pass Forward. of[j]: where window j is. */
int ws_genome_find_subs(const ws_genome_search *s, const ws_long_layout *l, ws_genome_worker *worker, size_t n, const ws_genome_sub *of,
                        ws_genome_subs *to, ws_err *err);
/* From the windows of a group, which nobody has tested, to worker->subs. A device that fails in a run that asked for none leaves all to the
 * CPU. */
int ws_genome_scan_group(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err);

/* ---- sub-windows to hits: bin/search/genome_domains.c ---- */

/* Hands over the worker's hits. */
int ws_genome_give_hits(ws_genome_search *s, ws_genome_work *w, ws_genome_worker *worker, ws_err *err);
/* Finds the domains of what the thread's own slice found. */
int ws_genome_find_own(ws_genome_search *s, ws_genome_worker *w, ws_err *err);
/* Finds the domains of a group whose slices are done, as long as there are sub-windows that nobody has taken. */
int ws_genome_find_of_group(ws_genome_search *s, ws_genome_work *w, size_t g, ws_genome_worker *worker, ws_err *err);

#endif
