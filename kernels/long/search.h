/* SPDX-License-Identifier: MIT
 * The stages of a search of long targets before the domains, over lists: blocks of records to windows, windows to sub-windows. nhmmsieve
 * runs them one after the other, the filters one each. Specification long-targets.md, sections 4 to 9. */
#ifndef WS_LONG_SEARCH_H
#define WS_LONG_SEARCH_H

#include "kernels/filter/filter.h"
#include "lib/io/batch.h"
#include "kernels/long/device.h"
#include "kernels/long/hits.h"
#include "lib/simd/codec.h"

/* ---- a model for the stages ---- */

/* Laid out for a vector width; threads may share it. */
typedef struct ws_long_layout {
    const ws_long_model *model;
    const ws_bias *bias;
    ws_long_ssv ssv;
    ws_long_viterbi viterbi; /* body NULL: not asked for, as is a filter that is NULL */
    ws_filter *msv, *fwd;
} ws_long_layout;
enum { WS_LONG_HAS_SSV = 1, WS_LONG_HAS_MSV = 2, WS_LONG_HAS_VIT = 4, WS_LONG_HAS_FWD = 8, WS_LONG_HAS_ALL = 15 };
/* width: a number of lib/simd/width.h; parts: WS_LONG_HAS_... that are asked for. What is handed over must stay, but the profile. The only
 * failure is WS_ENOMEM. Release it in any case. */
int ws_long_layout_create(ws_long_layout *l, int width, int parts, const ws_long_model *m, const ws_profile *p, const ws_bias *bias,
                          ws_err *err);
void ws_long_layout_release(ws_long_layout *l);

/* ---- windows and sub-windows ---- */

typedef struct ws_long_place {
    uint64_t from;   /* of the first residue, in the record */
    uint32_t record; /* its number, in what the caller counts */
    int minus;
    float bias_nats; /* section 7: b; NaN of a window whose bias nobody looked at */
    double p;        /* of a window that was tested */
} ws_long_place;

/* Codes of their own, as filters take them, and where their first residues are in the record. Zero-initialise; _reuse empties. */
typedef struct ws_long_pieces {
    ws_long_place *at;
    uint64_t *first;
    uint32_t *len, *item; /* item: those that are still in question */
    ws_lenmodel *lm;
    float *bias;
    ws_fscore *score;
    ws_buf codes;
    size_t n, cap[7];
} ws_long_pieces;
void ws_long_pieces_reuse(ws_long_pieces *p);
void ws_long_pieces_release(ws_long_pieces *p);
int ws_long_pieces_add(ws_long_pieces *p, const uint8_t *x, uint32_t len, const ws_long_place *place, ws_err *err);
static inline const uint8_t *ws_long_codes_of(const ws_long_pieces *p, size_t j) { return (const uint8_t *)p->codes.p + 6 * p->first[j]; }

/* A block of a record. */
typedef struct ws_long_block {
    const ws_long_layout *layout;
    const uint8_t *strand[2]; /* both with WS_LONG_PAD codes behind them; NULL: not searched */
    const uint8_t *flag[2];   /* marks of their steps (kernels/long/scan.h); NULL: the scan makes them */
    uint32_t n, record;
    uint64_t first;           /* residue of the record */
} ws_long_block;

/* The functions that follow fail with WS_ENOMEM alone. */

/* Appends the windows of both strands of a block (sections 5 and 6). */
int ws_long_find_windows(const ws_long_block *b, ws_long_pieces *windows, ws_buf *scratch, ws_err *err);
/* Sets item[0..*n) of the windows to those that pass MSV and bias, with their bias_nats (section 7). */
int ws_long_test_windows(const ws_long_layout *l, const ws_cpu *cpu, ws_long_pieces *windows, size_t *n, ws_buf *scratch, ws_err *err);
/* Appends the sub-windows of the windows item[0..n) (section 8); origin[j], if that is not NULL, gets the window of each. */
int ws_long_find_parts(const ws_long_layout *l, const ws_long_pieces *windows, size_t n, ws_long_pieces *parts, ws_buf *origin,
                       ws_buf *scratch, ws_err *err);
/* Appends the sub-windows around the points of one window, the codes x[0..len) from `from` on. */
int ws_long_add_parts(const ws_long_layout *l, const uint8_t *x, uint32_t len, const ws_long_place *from, const ws_long_seeds *points,
                      ws_long_pieces *parts, ws_err *err);
/* Sets item[0..*n) of the sub-windows to those that pass Forward (section 9). */
int ws_long_test_parts(const ws_long_layout *l, const ws_cpu *cpu, ws_long_pieces *parts, size_t *n, ws_buf *scratch, ws_err *err);

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

/* What a run that marks blocks on a device is like. */
typedef struct ws_long_run {
    size_t models;
    uint64_t nodes; /* of all models */
    int slots;      /* batches that are read, worked on or wait at once */
    uint64_t mem;   /* bytes that these and their windows should keep to */
} ws_long_run;
enum { WS_LONG_CALL_LEAST = 4 << 20, WS_LONG_CALL_MOST = 48 << 20 };
/* Returns the residues of the next batch, which a device marks in one call, when so many were read. They are `share` of the input; below 0:
 * nobody knows, and as much may follow. Large calls have fewer run-ins, but small batches are read faster. */
uint64_t ws_long_call_residues(const ws_long_run *run, uint64_t residues, double share);

/* What a search takes from a batch. */
typedef struct ws_long_cut {
    const ws_abc *abc;
    const ws_codec *codec;
    uint32_t block, maxl; /* residues of a block; the largest MAXL of all models */
    int strands;          /* WS_LONG_PLUS, WS_LONG_MINUS or both */
} ws_long_cut;

typedef struct ws_long_marks ws_long_marks;

/* What one thread needs. Zero-initialise; its buffers grow as needed. */
typedef struct ws_long_worker {
    ws_long_pieces windows, parts;
    ws_buf codes, other, flags, scratch;
    const uint8_t *x; /* the unit's residues from `first` on; NULL: not unpacked */
    uint64_t first;
} ws_long_worker;
void ws_long_worker_release(ws_long_worker *w);

/* Marks of a model in a unit: model k and unit number `unit` of ws_long_marks_create. m NULL: the CPU marks. */
typedef struct ws_long_marked {
    const ws_long_marks *m;
    size_t k, unit;
} ws_long_marked;

/* Goes on to a unit, whose residues are not unpacked before somebody needs them. */
static inline void ws_long_unit_begin(ws_long_worker *w) { w->x = NULL; }
/* Sets *b to the unit's block for a model with its own context, and the residues of its strands, unpacked once for all models. *any: 0 if
 * no step is marked, and no strand is set then. Marks of the block stay until the next call. WS_ENOMEM. */
int ws_long_unit_block(ws_long_worker *w, const ws_long_cut *c, const ws_batch *batch, const ws_long_unit *u, const ws_long_layout *l,
                       const ws_long_marked *marked, ws_long_block *b, int *any, ws_err *err);
/* Returns how many residues that block has. */
uint32_t ws_long_unit_residues(const ws_long_cut *c, const ws_batch *batch, const ws_long_unit *u, const ws_long_model *m);

/* ---- marks of a device: kernels/long/marks.c ---- */

/* Marks n > 0 units of a batch for nmodel models; dev[k] is NULL where no device takes model k. Threads may share the marks. Failures are
 * those of ws_long_dev_mark; then *m is NULL. */
int ws_long_marks_create(ws_long_marks **m, const ws_long_cut *c, const ws_long_dev *const *dev, const ws_long_model *const *model,
                         size_t nmodel, const ws_batch *b, const ws_long_unit *unit, size_t n, ws_err *err);
/* Sets b->flag for model k and a unit, by first and n of the block; the flags are in `own`. *any says whether a step is marked. A model
 * that no device takes has any and no flags. The only failure is WS_ENOMEM. */
int ws_long_marks_of(const ws_long_marks *m, size_t k, size_t unit, ws_buf *own, ws_long_block *b, int *any, ws_err *err);
void ws_long_marks_destroy(ws_long_marks *m); /* NULL is legal */

#endif
