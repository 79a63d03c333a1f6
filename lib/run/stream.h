/* SPDX-License-Identifier: MIT
 * What flows through the pipeline of one run: slots, the counters of --stats, and the three stages' functions. */
#ifndef WS_RUN_STREAM_H
#define WS_RUN_STREAM_H

#include "lib/io/packed.h"
#include "lib/run/job.h"
#include "lib/simd/codec.h"

#include <pthread.h>
#include <stdatomic.h>

/* lib/run/packout.c: the packed stream. Blocks are closed by their content alone, so they hold sequences of several batches and
 * are made by the writer: the bytes are the same whatever the batches were. */
typedef struct ws_packout {
    ws_batch open; /* the sequences of the block that is not full yet */
    ws_packed_totals totals;
} ws_packout;

typedef struct ws_slot {
    ws_batch batch;
    ws_hits *part; /* [nparts] hits of a range of targets each */
    size_t nparts, part_cap;
    ws_hits hits;  /* of all parts, in the order of the output */
    void *item; /* of a tool with its own reader, in place of batch and hits */
    ws_outtext kept, rejected, side; /* kept: for -O packed the uint32_t numbers of the sequences that the writer is to pack */
} ws_slot;

/* One output column. */
typedef enum ws_ocol_kind { WS_OCOL_NAME, WS_OCOL_SEQ, WS_OCOL_QUAL, WS_OCOL_DESC, WS_OCOL_REST, WS_OCOL_QUERY, WS_OCOL_QLEN,
                            WS_OCOL_TLEN, WS_OCOL_OWN } ws_ocol_kind;
typedef struct ws_ocol {
    ws_ocol_kind kind;
    int index; /* of the pass-through or own column */
    const char *name;
} ws_ocol;

/* Nanoseconds spent in a stage, summed over threads. */
typedef struct ws_clock {
    _Atomic uint64_t cpu, wall;
} ws_clock;

typedef struct ws_counters {
    _Atomic uint64_t pairs, cells, device_cells; /* device_cells: of the cells */
    ws_clock read, score, write;
} ws_counters;

typedef struct ws_moment {
    uint64_t cpu, wall;
} ws_moment;

typedef struct ws_stream {
    ws_job *job;
    ws_seqread *reader; /* NULL for a tool with its own reader: */
    void *own_reader;
    ws_seqread_conf conf;
    const char *own[WS_COL_MAX]; /* for conf.own */
    const ws_codec *codec;
    ws_lane *lane; /* [threads] */
    int nlane;
    uint64_t nbatch;
    ws_err read_err; /* found in a batch that still has rows to deliver: reported by the next read */

    struct ws_names *names; /* query column -> target, for tables; made when first needed */

    int columns_chosen;
    ws_ocol *ocol;
    int nocol;

    ws_out out, rejected, side, stats;
    int has_rejected, has_side, has_stats, headed;
    ws_packout packed_kept, packed_rejected;
    uint64_t rows, rows_rejected;

    pthread_t late; /* opens a device for --backend auto */
    atomic_int late_begun;
    int late_runs;
    int batch_given; /* --batch, or the tool's own */

    ws_counters count;
    uint64_t start_ns, open_ns, progress_ns; /* when the run began, how long opening took, when progress was last shown */
} ws_stream;

uint64_t ws_now_ns(void); /* monotonic */
ws_moment ws_clock_start(void);
void ws_clock_stop(ws_clock *c, ws_moment since);

/* lib/run/stages.c: the operations of lib/run/pipe.h over a ws_stream and its ws_slots. */
int ws_stream_read(void *stream, void *slot, size_t *parts, ws_err *err);
int ws_stream_work(void *stream, void *slot, size_t part, int thread, ws_err *err);
int ws_stream_finish(void *stream, void *slot, int rc, int thread, ws_err *err);
int ws_stream_write(void *stream, void *slot, ws_err *err);
int ws_stream_idle(void *stream);
/* lib/run/items.c: the same for tools with their own reader. */
int ws_item_read(void *stream, void *slot, size_t *parts, ws_err *err);
int ws_item_work(void *stream, void *slot, size_t part, int thread, ws_err *err);
int ws_item_finish(void *stream, void *slot, int rc, int thread, ws_err *err);
int ws_item_write(void *stream, void *slot, ws_err *err);
int ws_item_idle(void *stream);
int ws_item_head(ws_stream *st, ws_err *err);
int ws_item_end(ws_stream *st, ws_err *err);

/* What was read so far. Any thread. */
ws_seqread_counts ws_stream_counts(ws_stream *st);
void ws_stream_progress(ws_stream *st, uint64_t *done, uint64_t *size);

/* A table without a query column: every row meets every target, so there is one list for all. */
static inline int ws_rows_are_free(const ws_batch *b) { return b->nrow > 0 && b->row[0].target == UINT32_MAX; }

/* lib/run/parts.c: ranges of targets are parts of the work on a slot, for threads that would stand by. How many there are has no
 * influence on the output. */
int ws_slot_split(const ws_stream *st, ws_slot *slot, ws_err *err);   /* sets nparts, at least 1 */
int ws_slot_collect(const ws_stream *st, ws_slot *slot, ws_err *err); /* sets hits, once all parts are scored */
void ws_slot_release(ws_slot *slot);                                  /* all but the item */
/* lib/run/score.c: the targets of a part against the batch; its hits, target by target. */
int ws_slot_score(ws_stream *st, ws_slot *slot, size_t part, ws_lane *lane, ws_err *err);

/* lib/run/late.c: to be called when something was scored. Opens the device of --backend auto once that pays. */
void ws_late_look(ws_stream *st);
void ws_late_join(ws_stream *st);

/* lib/run/places.c: WS_EUSAGE if an output is the same file as an input or as another output. Inputs are those of the job, all
 * operands and the FILEs of options about input; outputs those of all other options with a FILE. */
int ws_places_check(const ws_job *job, ws_err *err);

/* lib/run/columns.c: which columns the table has, once the input's are known. */
int ws_stream_columns(ws_stream *st, ws_err *err);

/* lib/run/emit.c: hits to text, in the worker. */
int ws_stream_emit(const ws_stream *st, ws_slot *slot, ws_lane *lane, ws_err *err);

/* lib/run/ends.c: before the first row and behind the last, in the writer. */
int ws_stream_head(ws_stream *st, ws_err *err);
int ws_stream_end(ws_stream *st, ws_err *err);
/* After a failure: what still waits for its block to fill leaves too, but no end follows. */
void ws_stream_break(ws_stream *st);

/* Packs the sequences of b that o names and writes the blocks that are full. */
int ws_packout_write(ws_packout *p, ws_out *out, const ws_batch *b, const ws_outtext *o, ws_err *err);
/* The last block, and if the stream is whole its end. */
int ws_packout_finish(ws_packout *p, ws_out *out, int whole, ws_err *err);

/* lib/run/report.c */
void ws_report_progress(ws_stream *st, int last);
int ws_report_stats(ws_stream *st, ws_err *err);

/* lib/run/names.c: target indices by name. */
typedef struct ws_names ws_names;
int ws_names_create(ws_names **out, const ws_target *target, size_t n, ws_err *err);
void ws_names_destroy(ws_names *names);
/* Index of the target of that name, UINT32_MAX if there is none. */
uint32_t ws_names_find(const ws_names *names, const char *name, size_t n);

#endif
