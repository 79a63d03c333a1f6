/* SPDX-License-Identifier: MIT
 * The search of long targets before the domains, over lists: blocks of records to windows, windows to sub-windows, and
 * the domains of
 * those. Specification long-targets.md, sections 4 to 12. */
#ifndef WS_LONG_SEARCH_H
#define WS_LONG_SEARCH_H

#include "kernels/long/list.h"
#include "kernels/long/target.h"
#include "lib/hits/dna.h"
#include "lib/stream/batch.h"
#include "lib/simd/codec.h"

/* ---- what passed: kernels/long/passed.c ---- */

/* Residues that passed the tests of nhmmer's report (nhmmer.md, section 4). Overlaps of sub-windows are taken off, so a
 * sum may fall. */
enum { WS_LONG_PASSED_SSV, WS_LONG_PASSED_BIAS, WS_LONG_PASSED_VIT, WS_LONG_PASSED_FWD, WS_LONG_NPASSED };
typedef int64_t ws_long_passed[WS_LONG_NPASSED];

/* Where threads count: for each model, or for each record of a batch. */
typedef struct ws_long_count {
    ws_long_passed *of; /* atomic; NULL: there is no count */
    int by_record;
} ws_long_count;
/* Counts the windows of a list, all of which were tested. */
void ws_long_count_windows(const ws_long_count *c, const ws_long_target *target, const ws_long_list *l);
/* Counts sub-windows item[0..n) as passed (WS_LONG_PASSED_VIT or _FWD); item NULL: from .. from + n - 1. Those of a
 * window follow one another. */
void ws_long_count_subwindows(const ws_long_count *c, int passed, const ws_long_list *l, const uint32_t *item,
                              size_t from, size_t n);
/* Counts n residues more of the item's model or record. */
void ws_long_count_more(const ws_long_count *c, const ws_long_place *at, int passed, int64_t n);
/* Returns how far sub-window b reaches back into a, if a is the one before it in the same window; else 0. */
int64_t ws_long_overlap(const ws_long_list *l, size_t a, size_t b);

/* ---- models that change: kernels/long/history.c ---- */

/* HMMER changes a model with masked nodes when it first fits it to an envelope (long-targets.md, section 15.2).
 * Sub-windows stand in the order of a search by one thread. Up to the first one with an envelope the model is as it
 * came, and behind it the later one. On that strand of that block backgrounds are still fitted to the model as it came.
 * Threads search all sub-windows by the later model, and those before the first one known so far by the other one too.
 * The end of the search says which hits count. */

/* A sub-window's place in that order. late: of the strand that is searched after the other one. */
typedef struct ws_long_moment {
    uint64_t block;
    uint32_t late, window, subwindow;
} ws_long_moment;

/* The first envelope of a model so far. Threads may share it. */
typedef struct ws_long_history {
    pthread_mutex_t lock;
    int known;               /* a sub-window with an envelope, the first one so far, is `at` */
    ws_long_moment at;
    struct ws_long_differ *differ; /* sub-windows of which one model lets more residues pass than the other */
    size_t n, cap;
} ws_long_history;
void ws_long_history_begin(ws_long_history *h);
void ws_long_history_release(ws_long_history *h);
/* Keeps of a model's hits those that count, at the end. Returns by how much WS_LONG_PASSED_FWD grows. */
int64_t ws_long_history_settle(const ws_long_history *h, ws_dnalist *hits);

/* The histories of a search, and its function for hits by the model as it came. */
typedef struct ws_long_past {
    ws_long_history *of; /* [models]; NULL: each block is a search of its own, whose - strand comes first */
    /* Takes the hits of a sub-window, item of l, with fits to the model as it came. behind: another sub-window had an
     * envelope before. *any: this one has one. */
    int (*first)(void *own, const ws_long_target *t, const ws_long_list *l, uint32_t item, int behind, int *any,
                 ws_err *err);
    void *own;
} ws_long_past;
static inline int ws_long_by_block(const ws_long_past *p) { return p->first && !p->of; }

/* Notes for sub-windows item[0..n) of the + strand whether their block has some of the - strand. They are of one model,
 * ascending, and each block is a search of its own. HMMER fits their backgrounds to a model that is rounded once
 * more. */
void ws_long_mark_behind(ws_long_list *l, const uint32_t *item, size_t n);

/* Memory of one thread. Zero-initialise; its buffers grow as needed. */
typedef struct ws_long_worker {
    ws_long_count count; /* the caller sets it */
    ws_long_past past;   /* the same; not read unless models change */
    ws_long_list windows, subwindows;
    ws_buf codes, other, flags, scratch, scores, verdicts;
    const uint8_t *x; /* the unit's residues from `first` on; NULL: not unpacked */
    uint64_t first;
} ws_long_worker;
void ws_long_worker_release(ws_long_worker *w);

/* Looks at sub-windows all[0..n) of model t, which changes, for the first one with an envelope; all NULL: 0 .. n - 1.
 * passed[0..*m): those that pass Forward by the later model. Where each block is a search of its own, all its
 * sub-windows are there, and those that do not count are taken off `passed`. Fails as w->past.first. */
int ws_long_look_back(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, const uint32_t *all, size_t n,
                      uint32_t *passed, size_t *m, ws_long_worker *w, ws_err *err);

/* ---- stages: kernels/long/stages.c. Failures are WS_ENOMEM alone ---- */

/* A block of a record. */
typedef struct ws_long_block {
    const ws_long_target *target;
    const uint8_t *strand[2]; /* both with WS_LONG_PAD codes behind them; NULL: not searched */
    const uint8_t *flag[2];   /* marks of their steps (kernels/long/scan.h); NULL: the scan makes them */
    uint32_t n;
    uint64_t first;           /* residue of the record */
} ws_long_block;

/* Appends the windows of both strands of a block (sections 5 and 6), numbered from 0. The rest of their places is that
 * of `place`. */
int ws_long_find_windows(const ws_long_block *b, const ws_long_place *place, ws_long_list *windows, ws_buf *scratch,
                         ws_err *err);

/* Keeps of windows item[0..*n), all of model t, those that pass MSV and bias (section 7), and notes score, P-value and
 * bias of all.
 * item: elements of l->item. _judge does so by scores, which belong to the items; hint: as ws_task.hint. */
int ws_long_test_windows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                         ws_long_worker *w,
                         ws_err *err);
int ws_long_judge_windows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                          const ws_fscore *score,
                          const float *hint, ws_long_worker *w, ws_err *err);

/* Appends the sub-windows of windows item[0..n) of model t (section 8). Their places say of which window they are. */
int ws_long_find_subwindows(const ws_long_target *t, const ws_long_list *windows, const uint32_t *item, size_t n,
                            ws_long_list *subwindows, ws_buf *scratch, ws_err *err);
/* Appends the sub-windows around the points of window j. */
int ws_long_add_subwindows(const ws_long_target *t, const ws_long_list *windows, size_t j, const ws_long_seeds *points,
                           ws_long_list *subwindows, ws_err *err);

/* The same as for windows, of sub-windows and Forward (section 9). */
int ws_long_test_subwindows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                            ws_long_worker *w, ws_err *err);
int ws_long_judge_subwindows(const ws_long_target *t, const ws_cpu *cpu, ws_long_list *l, uint32_t *item, size_t *n,
                             const ws_fscore *score, const float *hint, ws_long_worker *w, ws_err *err);

/* Set out[j] for item j of a list by its score. hint: as ws_task.hint. room: WS_FILTER_BIAS_ROOM bytes and a float for
 * each item. */
void ws_long_judge_msv(const ws_long_target *t, const ws_cpu *cpu, const ws_seqlist *list, const ws_fscore *score,
                       const float *hint,
                       void *room, ws_long_msv *out);
void ws_long_judge_fwd(const ws_long_target *t, const ws_cpu *cpu, const ws_seqlist *list, const ws_fscore *score,
                       const float *hint,
                       void *room, ws_long_fwd *out);
enum { WS_LONG_JUDGE_ROOM = WS_FILTER_BIAS_ROOM + sizeof(float) };

/* ---- domains: kernels/long/domains.c ---- */

/* A hit and the window that it is of. Its record is not set. Its alignment lies in `column` and in the window. */
typedef struct ws_long_found {
    size_t item;
    ws_dnahit hit;
    uint8_t *column;
} ws_long_found;
typedef struct ws_long_hits {
    ws_long_found *at;
    size_t n, cap;
    uint64_t envelopes; /* scored so far */
} ws_long_hits;
/* Empties a list and keeps its memory. */
void ws_long_hits_reuse(ws_long_hits *found);
void ws_long_hits_release(ws_long_hits *found);

/* Appends the hits of sub-windows item[0..n) of model t (sections 10 to 12). WS_EDATA where a region needs more memory
 * than the worker's
 * options allow, WS_ENOMEM. */
int ws_long_find_hits(const ws_long_target *t, ws_dom_worker *w, const ws_long_list *l, const uint32_t *item, size_t n,
                      ws_long_hits *found,
                      ws_err *err);

/* Appends the hits of one sub-window, item of l, whose backgrounds are fitted to a model that changes as it came.
 * behind: it is parsed by the later model; else by the one that came until there is an envelope. Fails as
 * ws_long_find_hits. */
int ws_long_find_first_hits(const ws_long_target *t, ws_dom_worker *w, const ws_long_list *l, uint32_t item, int behind,
                            ws_long_hits *found, ws_err *err);

/* Appends the hits of one sub-window, item of l, whose envelopes are scored. Fails as ws_long_find_hits. */
int ws_long_take_hits(const ws_long_target *t, const ws_dom_pair *pair, const ws_long_list *l, size_t item,
                      ws_long_hits *found, ws_err *err);

/* ---- blocks of a batch ---- */

/* Block `block` of sequence `seq` of a batch. */
typedef struct ws_long_unit {
    uint32_t seq;
    uint64_t block;
} ws_long_unit;

/* How a batch is cut into blocks, and those into parts of the work. */
typedef struct ws_long_units {
    ws_long_unit *at;
    size_t n, cap;
    size_t *part; /* [nparts + 1] where the units of each part begin */
    size_t nparts, part_cap;
} ws_long_units;
/* Parts have at least so many residues each, so many short records are one part. */
int ws_long_units_cut(ws_long_units *u, const ws_batch *b, uint32_t block, uint64_t least, ws_err *err);
void ws_long_units_release(ws_long_units *u);

/* Settings by which a search cuts a batch. */
typedef struct ws_long_cut {
    const ws_abc *abc;
    const ws_codec *codec;
    uint32_t block, maxl; /* residues of a block; the largest MAXL of all models */
    int strands;          /* WS_LONG_PLUS, WS_LONG_MINUS or both */
} ws_long_cut;

typedef struct ws_long_marks ws_long_marks;

/* Marks of a model in a unit: model k and unit number `unit` of ws_long_marks_create. m NULL: the CPU marks. */
typedef struct ws_long_marked {
    const ws_long_marks *m;
    size_t k, unit;
} ws_long_marked;

/* Goes on to a unit, whose residues are unpacked when a model first needs them. */
static inline void ws_long_unit_begin(ws_long_worker *w) { w->x = NULL; }
/* Sets *b to the unit's block for a model with its own context, and the residues of its strands, unpacked once for all
 * models. *any: 0 if no step is marked, and no strand is set then. Marks of the block stay until the next call.
 * WS_ENOMEM. */
int ws_long_unit_block(ws_long_worker *w, const ws_long_cut *c, const ws_batch *batch, const ws_long_unit *u,
                       const ws_long_target *t,
                       const ws_long_marked *marked, ws_long_block *b, int *any, ws_err *err);
/* Returns how many residues that block has. */
uint32_t ws_long_unit_residues(const ws_long_cut *c, const ws_batch *batch, const ws_long_unit *u,
                               const ws_long_model *m);

/* ---- marks of a device: kernels/long/marks.c ---- */

/* Marks n > 0 units of a batch for nmodel models, which are on devices (ws_long_target_to_device). Threads may share
 * the marks. Failures
 * are those of ws_long_dev_mark; then *m is NULL. */
int ws_long_marks_create(ws_long_marks **m, const ws_long_cut *c, const ws_long_target *target, size_t nmodel,
                         const ws_batch *b,
                         const ws_long_unit *unit, size_t n, ws_err *err);
/* Sets b->flag for model k and a unit, by first and n of the block; the flags are in `own`. *any says whether a step is
 * marked. A model that no device takes has any and no flags. The only failure is WS_ENOMEM. */
int ws_long_marks_of(const ws_long_marks *m, size_t k, size_t unit, ws_buf *own, ws_long_block *b, int *any,
                     ws_err *err);
void ws_long_marks_destroy(ws_long_marks *m); /* NULL is legal */

/* ---- a batch of records against neighbouring models: kernels/long/set.c ---- */

typedef struct ws_long_set {
    const ws_long_cut *cut;
    const ws_batch *batch;
    const ws_long_unit *unit; /* [nunit] of the batch */
    size_t nunit;
    ws_long_target *target;   /* models from .. to - 1 of this array */
    size_t from, to;
    ws_long_marks *marks;     /* of all units; NULL: the CPU marks */
} ws_long_set;
/* Has a device mark all units. The caller destroys set->marks. Failures are those of a device and of making a model's
 * form for it. */
int ws_long_set_mark(ws_long_set *set, const ws_long_filters *by, ws_err *err);
/* Appends the windows of all models in unit u, model by model. block: the number of the unit for their places. Adds to
 * *cells those of the scan. WS_ENOMEM. */
int ws_long_set_search(const ws_long_set *set, size_t u, uint64_t block, ws_long_worker *w, ws_long_list *windows,
                       uint64_t *cells, ws_err *err);

/* Append the sub-windows of windows of any models that pass all tests up to Forward. The items of the windows are
 * sorted by model, and of any order afterwards. target: of all models. The CPU does it, or filters of a
 * device, on which the models are, with so many threads of the CPU for windows that a device leaves to it:
 * kernels/long/on_device.c. WS_ENOMEM, and failures of the device. */
int ws_long_sieve(const ws_long_target *target, const ws_cpu *cpu, ws_long_list *windows, ws_long_worker *w,
                  ws_long_list *subwindows, ws_err *err);
int ws_long_sieve_on_device(const ws_long_target *target, const ws_cpu *cpu, const ws_codec *codec,
                            int threads, ws_long_list *windows, ws_long_worker *w, ws_long_list *subwindows,
                            ws_err *err);

#endif
