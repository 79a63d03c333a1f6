/* SPDX-License-Identifier: MIT
 * nhmmsieve: nhmmer's whole search of long DNA targets in one program. Blocks of records go through the stages of kernels/long one
 * after the other; hits wait for the end of the input, which their E-values need. Specification long-targets.md. */
#ifndef WS_DOMAINS_GENOME_H
#define WS_DOMAINS_GENOME_H

#include "kernels/dom/window.h"
#include "lib/hmm/target.h"
#include "kernels/long/search.h"
#include "lib/run/job.h"
#include "kernels/vit/points.h"

/* ---- models ---- */

/* Filters on devices, by which windows of the device's own backend are tested. points: the Viterbi scan of
 * kernels/vit/points.h. */
typedef struct ws_genome_devices {
    const ws_backend *msv, *points, *forward;
} ws_genome_devices;

/* What ws_target.data points to. */
typedef struct ws_genome_model {
    ws_hmm_target filter; /* as filters take it */
    const ws_genome_devices *devices; /* NULL: none */
    ws_long_model model;
    ws_dom_tables *tables;
    ws_dom_window_model background;
} ws_genome_model;
/* From a model whose transitions are there. The only failures are WS_ENOMEM and those of ws_profile_create. Release it in any case. */
int ws_genome_model_create(ws_genome_model *m, const ws_hmm *hmm, const ws_long_options *o, ws_err *err);
void ws_genome_model_release(ws_genome_model *m);

/* A model laid out for the vector width of a backend: ws_job.prep. That of devices has the best width, and what marks for it. */
typedef struct ws_genome_layout {
    ws_long_layout of;
    ws_long_dev *dev; /* NULL: the CPU marks */
    const ws_dom_backend *dom;
    void *msv, *points, *forward; /* of ws_genome_devices, which `by` is; NULL: the CPU tests and scans all windows */
    const ws_genome_devices *by;
} ws_genome_layout;
/* Lays a model out for a width of lib/simd/width.h; if `device` is set, for a device too. The only failure is WS_ENOMEM. */
int ws_genome_lay_out(ws_genome_model *m, int width, int device, void **layout, ws_err *err);
void ws_genome_layout_release(void *layout); /* NULL is legal */
extern const ws_backend *const ws_genome_backends[];

/* ---- domains of sub-windows ---- */

/* A hit and where it came from. */
typedef struct ws_genome_hit {
    uint32_t target, item;       /* item: place of its sub-window in the list */
    uint32_t unit, window, part, number; /* in a batch: its block, its window and sub-window of the model there, its place in that */
    ws_long_hit hit;             /* record: that of its place */
} ws_genome_hit;
typedef struct ws_genome_found {
    uint32_t target;    /* that is looked at */
    uint64_t envelopes; /* scored so far */
    ws_genome_hit *at;
    size_t n, cap;
} ws_genome_found;

/* Appends the hits of the sub-windows item[0..n), of which it looks at codes, lengths and places alone. WS_EDATA where a region needs more
 * memory than the worker's options allow, WS_ENOMEM. */
int ws_genome_domains(const ws_genome_model *m, ws_dom_worker *w, const ws_long_pieces *p, size_t n, ws_genome_found *found, ws_err *err);

/* ---- a batch in parts: bin/search/genome_search.c ---- */

enum { WS_GENOME_GROUP = 16 /* most models of a group */ };

/* Models in groups of neighbours: group g has the models first[g] .. first[g + 1] - 1. */
typedef struct ws_genome_groups {
    size_t *first; /* [n + 1] */
    size_t n;
    int nodes; /* of the largest group */
} ws_genome_groups;
int ws_genome_groups_create(ws_genome_groups *g, const ws_genome_model *model, size_t n, ws_err *err);
void ws_genome_groups_release(ws_genome_groups *g);

/* What all parts share, and what they count. */
typedef struct ws_genome_search {
    ws_job *job;
    ws_long_cut cut;
    ws_genome_groups groups;
    _Atomic uint64_t windows, envelopes, cells, device_cells;
} ws_genome_search;

/* Windows that wait for their tests, or sub-windows that passed Forward and wait for their domains. */
typedef struct ws_genome_sub {
    uint32_t target, unit, window, part, len; /* window, part: places in the lists of its unit, the last one of sub-windows */
    ws_long_place place;
    size_t at; /* its first code, a multiple of WS_RESIDUES_PER_WORD */
} ws_genome_sub;
typedef struct ws_genome_subs {
    ws_genome_sub *at;
    size_t n, cap, next; /* next: the first one whose domains nobody has looked for */
    ws_buf codes;
} ws_genome_subs;

/* What one thread needs. Zero-initialise; released by ws_genome_worker_release. */
typedef struct ws_genome_worker {
    ws_dom_worker *dom;
    ws_long_worker search;
    ws_genome_subs windows, untested, subs; /* of the slice; untested: not by Forward */
    ws_buf origin, places;                  /* of windows in a list */
    ws_genome_found found;
} ws_genome_worker;
void ws_genome_worker_release(ws_genome_worker *w);

/* The work on one batch. It is planned again for each batch that it serves. */
typedef struct ws_genome_work ws_genome_work;
int ws_genome_work_create(ws_genome_work **w, ws_err *err);
void ws_genome_work_destroy(ws_genome_work *w); /* NULL is legal */
/* Sets *parts, at least 1. WS_ENOMEM. */
int ws_genome_work_plan(ws_genome_work *w, const ws_genome_search *s, const ws_batch *b, size_t *parts, ws_err *err);
/* Does a part. Threads must take the parts in ascending order, because some wait for earlier ones. Failures are those of a device, of
 * making a model, and of ws_genome_domains. */
int ws_genome_work_do(ws_genome_search *s, ws_genome_work *w, const ws_batch *b, size_t part, ws_genome_worker *worker, ws_err *err);
/* Filters of a device, over windows of the models from..to, in one call: kernels/dom/genome_device.c. Failures are those of the device. */
/* Sets keep[j] to whether window j passes MSV and bias, and the bias of those that pass. */
int ws_genome_test_windows(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *w,
                           uint8_t *keep, ws_err *err);
/* Sets points[j] to what the Viterbi scan finds in window j, and to 0 where keep[j] is 0. */
int ws_genome_find_points(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *w,
                          const uint8_t *keep, ws_vit_points *points, ws_err *err);
/* Sets keep[j] to whether sub-window j passes Forward. */
int ws_genome_test_subs(const ws_genome_search *s, ws_genome_layout *const *layout, size_t from, size_t to, const ws_genome_subs *subs,
                        uint8_t *keep, ws_err *err);
/* Returns the *n hits, sorted by model, and for each model in input order. Not before all parts are done. */
const ws_genome_hit *ws_genome_work_hits(ws_genome_work *w, size_t *n);

/* ---- results: bin/domains/genome_output.c ---- */

typedef enum ws_genome_form { WS_GENOME_TSV, WS_GENOME_TBLOUT, WS_GENOME_BED, WS_GENOME_GFF3, WS_GENOME_DFAM } ws_genome_form;
enum { WS_GENOME_COLUMNS = 16 };
extern const ws_names ws_genome_all_columns;

/* Hits until the end of the input, and how they are written. Zero-initialise, set what is needed, and release. */
typedef struct ws_genome_results {
    size_t n;                     /* models */
    const ws_hmm *hmm;            /* [n] */
    const ws_long_model **model;  /* [n], NULL: of a model that has no hits */
    ws_long_hits *hits;           /* [n], record: an index into `record` */
    ws_long_record *record;       /* those that have hits */
    size_t nrecord, record_cap;
    uint64_t residues;            /* searched, for E-values: both strands if both are */
    ws_long_limits limits;
    int cut;                      /* WS_CUT_GA ..., -1: limits decide */
    int column[WS_GENOME_COLUMNS], ncolumn;
    int plain; /* texts of the table as CSV has them; the caller sets it */
} ws_genome_results;
int ws_genome_results_create(ws_genome_results *r, const ws_hmm *hmm, size_t n, ws_err *err);
void ws_genome_results_release(ws_genome_results *r);
/* Chooses the columns of -f; NULL: all. */
int ws_genome_columns(ws_genome_results *r, const char *fields, ws_err *err);
/* Appends a record. WS_ENOMEM. */
int ws_genome_add_record(ws_genome_results *r, const char *name, size_t nname, const char *desc, size_t ndesc, uint64_t L, ws_err *err);
int ws_genome_add_hit(ws_genome_results *r, uint32_t target, const ws_long_hit *h, ws_err *err);

/* ws_output.own of an output of results, and its head and end. */
typedef struct ws_genome_out {
    const ws_genome_results *results;
    ws_genome_form form;
    int number; /* of the job's outputs */
} ws_genome_out;
int ws_genome_head(const ws_job *job, const ws_genome_out *o, ws_buf *text, ws_err *err);
int ws_genome_end(const ws_job *job, const ws_genome_out *o, uint64_t rows, ws_buf *text, ws_err *err);
/* Sorts the hits of all models and writes n outputs. */
int ws_genome_write(ws_job *job, ws_genome_results *r, const ws_genome_out *out, int n, ws_err *err);

/* ---- the program nhmmsieve ---- */

/* ws_job.own. */
typedef struct ws_genome {
    ws_long_options scan;
    long long B1, B2, B3, w_length, seed;
    uint64_t block, mem;
    double E, T, megabases;
    int E_given, T_given, Z_given, cut_ga, cut_nc, cut_tc, all, max, nonull2, watson, crick, form, ignored;
    int format; /* ws_format of the sequences, asserted */
    const char *tblout, *dfamtblout;

    /* behind open */
    ws_hmmset set;
    ws_genome_model *model; /* [set.n] */
    ws_genome_results results;
    ws_genome_out out[3];
    int nout;
    size_t *place;          /* of a batch: 1 + the entry of each sequence, 0 before it has one */
    size_t place_cap, going_on; /* the entry of the record whose last piece was not its last, 0: none */
} ws_genome;

/* bin/search/genome_input.c */
extern const ws_reader ws_genome_reader;
/* Takes the hits of an item, which come in input order: ws_output.pack of the main output. */
int ws_genome_take(const ws_job *job, void *own, const void *item, const ws_outtext *made, ws_buf *text, ws_err *err);

#endif
