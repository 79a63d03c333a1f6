/* SPDX-License-Identifier: MIT
 * The policy of a chain as pure functions: who takes which work, how much of it at once, and what waits for more. They
 * know plain numbers alone: no engine, no lock, no state. Callers hand in what they see under their locks.
 *
 * A filter's pairs wait in pools, of which threads take steps. Pairs that pass all filters become spans: whole targets,
 * then regions, then envelopes. docs/architecture.md, "Who takes what, and when", has all as a table. */
#ifndef WS_STAGES_PLAN_H
#define WS_STAGES_PLAN_H

#include "lib/run/chain.h" /* the words: kinds of threads, needs and wishes */

/* The threads and devices of a run. */
typedef struct ws_plan_machine {
    int threads; /* of the CPU */
    int device;  /* 1: a device scores, or will soon. Not after it is lost */
    int streams; /* of all devices that score */
    int cpu;     /* 1: the CPU may score what a device could */
    int opening; /* 1: a device will join, and until then the CPU has all work */
    /* Cells a second that the run believes of a thread, and of a stream that shares its device with others. A stream
     * has 0 before the first call has ended: until then the device may be opening. */
    double thread[WS_STEP_KINDS], stream[WS_STEP_KINDS];
} ws_plan_machine;

/* ---- what a program asks for once ---- */

/* Residues of a batch from the input. Where a device scores, the kernels of a large batch are long enough: those of 100
 * models x 400 M residues took 2.2 s by 4 M, 1.6 s by 32 M, and 64 M were no faster (H200). A genome's batch has
 * several hits of a model, whose domains go side by side; on a device run-ins take a small part of it
 * (kernels/long/device.cu). hmmcast makes 600 bytes of text of a residue: a device gets some 20 proteins, and 4 MB of
 * text. pairhmm's residues are those of reads. hmmindex and hmmpick copy bytes of models. */
enum {
    WS_PLAN_DEVICE_BATCH = 16 << 20,
    WS_PLAN_GENOME_BATCH = 12 << 20, WS_PLAN_GENOME_DEVICE_BATCH = 32 << 20,
    WS_PLAN_CAST_BATCH = 4096, WS_PLAN_CAST_DEVICE_BATCH = 8 << 10,
    WS_PLAN_READS_BATCH = 128 << 10, WS_PLAN_READS_DEVICE_BATCH = 4 << 20, WS_PLAN_PRESS_BATCH = 1 << 20
};
/* Returns the same for reads that are placed on a tree: cells of a residue. edges: whose rows are kept; 0: of no
 * edge. */
uint64_t ws_plan_placed_batch(double cells, double edges);
/* Streams of each device. Two more than other programs have fill it beside short kernels: with them 1,200 models x 59 M
 * residues took 2.60 s for 2.67, 100 proteins x 1 G 4.90 for 4.98 (means of four, H100). A test of windows is four
 * calls one after another, whose longest windows decide: 48 DNA models x 300 Mb took 7.95 to 8.12 s with six streams
 * for 8.55 to 8.94 with four, 8.01 to 8.05 with eight (streams-h100.tsv). */
enum { WS_PLAN_STREAMS = 6 };
/* Open pools of a filter, if pairs are spread over several. */
enum { WS_PLAN_INLETS = 4 };
/* Models that a device calibrates in one call. */
enum { WS_PLAN_CAST_MODELS = 64 };
/* A first guess for the whole of a model that hmmcast makes: Forward's cells of its calibration, of which a thread does
 * so many a second with all else. 10,000 proteins took 95 s of a core with AVX-512. */
#define WS_PLAN_CAST_SPEED 1e9

/* Lists of hits whose text is made together: one of more hits than `alone` is by itself, text of `together` hits is in
 * memory at most, and of so many lists. tight: the user gave --mem; aligned: the text has alignments. */
typedef struct ws_plan_lists {
    size_t alone, together, lists;
} ws_plan_lists;
ws_plan_lists ws_plan_lists_of(int tight, int aligned);
/* Returns how many of the threads make the text of a list of so many hits, of all that are made together. */
int ws_plan_list_threads(int threads, size_t hits, size_t all);

/* ---- filters ---- */

enum { WS_PLAN_MSV, WS_PLAN_VIT, WS_PLAN_FWD, WS_PLAN_NO_FILTER, WS_PLAN_FILTERS };

/* A pool of a filter. */
typedef struct ws_plan_pool {
    int filter;   /* WS_PLAN_MSV ... */
    int all;      /* every sequence meets every model: pairs are not listed */
    size_t pairs; /* that are listed */
    double cells; /* of all pairs */
    double bytes; /* of the sequences' words and text */
} ws_plan_pool;

/* So many pairs, or residues, go to a pool under its lock at once: it is larger than a full one by as many at most. */
enum { WS_PLAN_ADD_PAIRS = 512, WS_PLAN_ADD_RESIDUES = 1 << 20 };

/* Returns how many residues a batch from the input has on the CPU, for models of so many nodes in all. */
uint64_t ws_plan_batch(uint64_t nodes);
/* Returns how many residues a batch has at most on any backend, for models of so many nodes. */
uint64_t ws_plan_most_batch(double nodes);
/* Returns how many residues a batch has after the first filter, for so many models; 0: as many as usual. */
uint64_t ws_plan_later_batch(size_t models);
/* Returns the bytes with which a pool is full. mem: what --mem says; 0: nothing. */
double ws_plan_pool_bytes(uint64_t mem);
/* Returns how many times over an open pool is full: 1 or more closes it. most_bytes: of ws_plan_pool_bytes. */
double ws_plan_pool_fullness(const ws_plan_machine *m, const ws_plan_pool *p, double most_bytes);
/* Returns whether a thread closes an open pool that is `full`, to take from it. calls: that devices have had of this
 * filter. */
int ws_plan_pool_closes(const ws_plan_machine *m, const ws_plan_pool *p, double full, int calls, ws_chain_kind kind,
                        ws_chain_need need);
/* Returns whether pairs of a filter that let so many pass are spread over several pools of the next one. */
int ws_plan_pool_spreads(const ws_plan_machine *m, int filter, double passing);
/* Returns whether a device calibrates all models, once it is open; else what comes while it is free. */
int ws_plan_device_calibrates(const ws_plan_machine *m);
/* Returns whether pairs of a filter are for a thread of this kind. */
int ws_plan_filter_is_for(const ws_plan_machine *m, int filter, ws_chain_kind kind, ws_chain_need need);
/* Returns what a step of a ready pool may take, for the same `calls`. */
ws_budget ws_plan_filter_step(const ws_plan_machine *m, const ws_plan_pool *p, ws_chain_kind kind, int calls);
/* Returns whether a stream leaves the decision about its scores to the CPU, where so many decisions wait. */
int ws_plan_leaves_decision(int streams, int waiting);
/* Returns whether a thread takes such a decision. */
int ws_plan_decides(ws_chain_kind kind, ws_chain_need need);
/* Returns how urgently the input is read. pools: of the first filter, of which so many have half or more of their
 * pairs; many: ws_plan_spans_are_many. */
ws_chain_wish ws_plan_wish(const ws_plan_machine *m, size_t pools, size_t half_full, int many);

/* ---- domains ---- */

enum { WS_PLAN_PARSE, WS_PLAN_RESOLVE, WS_PLAN_RESCORE, WS_PLAN_SPAN_KINDS };

/* Spans of a kind that wait, but those that are a step of the CPU already. */
typedef struct ws_plan_spans {
    ws_plan_machine m;
    int kind;         /* WS_PLAN_PARSE ... */
    size_t waiting;
    double cells;     /* of these */
    size_t steps;     /* of the CPU that are ready */
    int had;          /* a device has had some of this kind */
    int calls;        /* that devices have now, of all kinds */
    int device_first; /* the chain's other stages keep the CPU busy: a search of genomes */
    int eager;        /* spans should not wait for others */
} ws_plan_spans;

/* Spans of a step of the CPU at most, which fill the registers twice, so that few are alone at its end. Spans of a
 * model that wait until they are cut into steps: then spans of similar length share registers. With 32 in place of 512,
 * Backward alone took two thirds longer (one model x P. falciparum). Spans of a step that a device is done with. */
enum { WS_PLAN_SPANS_OF_STEP = 8, WS_PLAN_SPANS_OF_MODEL = 512, WS_PLAN_SPANS_DONE = 64 };
/* A residue of an ensemble has the steps of 200 traces. They take as long as Forward of so many nodes. */
enum { WS_PLAN_TRACES_AS_NODES = 1000 };

/* Returns whether WS_PLAN_SPANS_OF_MODEL spans of a model become steps at once. */
int ws_plan_spans_cut(const ws_plan_spans *s);
/* Returns whether a thread of the CPU, for which no step is ready, makes steps of spans. */
int ws_plan_spans_cpu_cuts(const ws_plan_spans *s, ws_chain_need need);
/* Returns whether it takes those of the longest model; else of the one that waits longest. */
int ws_plan_spans_longest_first(const ws_plan_spans *s, ws_chain_need need);
/* Return of n spans of a model how many become steps, the longest first; how many a step has at most. */
size_t ws_plan_spans_to_cut(const ws_plan_spans *s, size_t n);
size_t ws_plan_spans_of_step(const ws_plan_spans *s);
/* Returns the cells that a call of a device takes, at least one span; 0: it takes none now. */
double ws_plan_spans_call(const ws_plan_spans *s, ws_chain_need need);
/* Returns how many calls devices may have at once. */
int ws_plan_spans_most_calls(const ws_plan_machine *m, ws_chain_need need);
/* Returns the cells of a span from which on a device leaves it to the CPU. */
double ws_plan_span_longest(int device_first);
/* Returns whether the thread of a stream makes hits and further spans of its results; else the CPU does. */
int ws_plan_spans_stream_ends(int threads, int streams);
/* Returns the seconds in which a thread of the CPU does what waits and is for it. */
double ws_plan_spans_seconds(const ws_plan_spans *s);
/* Returns whether so many spans of all kinds wait that no input should be read. */
int ws_plan_spans_are_many(size_t n, double cells);
/* Returns whether threads of the CPU end before a device brings more, given those seconds of all kinds. */
int ws_plan_spans_are_few(double seconds, int threads);

/* ---- genomes: before their domains ---- */

/* The pools of a search of genomes, a batch against a set of models each. */
typedef struct ws_plan_genome {
    ws_plan_machine m;
    size_t on_devices;    /* that devices mark or have marked, and whose windows are not tested */
    int tested;           /* a device has tested windows, or had none to test */
    int marking, testing; /* devices that do so now */
    size_t spans;         /* that wait in the domain stage */
} ws_plan_genome;

/* Models of a set at most. Residues in the memory of a step that do not wait for others: of sub-windows, and of windows
 * that wait for a device. That bounds the memory of arrays of repeats. */
enum { WS_PLAN_SET_MODELS = 16, WS_PLAN_SUBWINDOWS = 1 << 20, WS_PLAN_WINDOWS = 32 << 20 };

/* Returns the nodes of the next set, of models with so many that are in no set. */
int ws_plan_set_nodes(long long left);
/* Returns whether a device marks another pool. */
int ws_plan_device_marks(const ws_plan_genome *g);
/* Returns whether a thread of the CPU, which has no marks to scan by, scans a pool without. */
int ws_plan_cpu_marks(const ws_plan_genome *g, ws_chain_need need);
/* Returns the slices of so many residues that a step of the scan has, for a set of so many nodes. */
uint64_t ws_plan_slices(int marked, uint64_t nodes, uint64_t residues);
/* Returns whether n sub-windows of a model are enough for a step, where another one makes them so many cells. */
int ws_plan_chunk_is_full(size_t n, double cells);
/* Returns how urgently the input is read. batches: on their way, of which in so many half of the slices or more are not
 * taken, and so many wait to be marked or scanned. */
ws_chain_wish ws_plan_genome_wish(int threads, size_t batches, size_t half_full, size_t waiting);

#endif
