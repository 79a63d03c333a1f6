/* SPDX-License-Identifier: MIT
 * The policy of lib/run, as pure functions over plain numbers: how fast steps are believed to be, when --backend auto
 * opens a device, and how large items are. bin/stages/plan.h has the policy of a chain. Each constant says what it
 * trades. */
#ifndef WS_RUN_POLICY_H
#define WS_RUN_POLICY_H

#include <stddef.h>
#include <stdint.h>

/* ---- speeds ---- */

/* Steps whose cells a run counts. */
typedef enum ws_step_kind {
    WS_STEP_NONE, WS_STEP_MSV, WS_STEP_VIT, WS_STEP_FWD, WS_STEP_PARSE, WS_STEP_RESOLVE, WS_STEP_RESCORE, WS_STEP_MARK,
    WS_STEP_SCAN, WS_STEP_KINDS
} ws_step_kind;

/* Return a first guess of cells a second, 0 of a kind that has none: of a thread of the CPU, by the name of its vector
 * width; of a device, by its compute capability (90 for 9.0). */
double ws_policy_thread_speed(const char *width, ws_step_kind kind);
double ws_policy_device_speed(int capability, ws_step_kind kind);
/* Compute capability of the device that is taken for one where none runs: an H100's, which was measured. */
enum { WS_POLICY_USUAL_DEVICE = 90 };

/* Returns the cells a second that a run believes in: `guess` at first, then more and more what it measured. seconds: of
 * steps that did so many cells, one upon another. */
double ws_policy_believed(double guess, double cells, double seconds);

/* A step of a search, and the step before it, which brings its cells. */
typedef struct ws_policy_step {
    int after;         /* that step; below 0: the input brings them */
    double left, done; /* cells that are known and not done, and that are done */
    double speed;      /* cells a second */
} ws_policy_step;

/* Returns the seconds of a thread for what is left of n steps, the first of which is that of the input, and for what
 * that will bring to steps after them: as many cells for each cell as what is done has brought. */
double ws_policy_seconds(const ws_policy_step *step, int n);

/* ---- opening a device ---- */

/* The state of a run without a device, as far as it is known. */
typedef struct ws_policy_run {
    double done;   /* the share of all work that is done, below 0: unknown */
    double worked; /* seconds that each thread has worked, in the mean */
    double left;   /* seconds that each would have for what is left, below 0 if no cells tell; of an input of unknown
                    * size for what was read */
    double start;  /* seconds from the decision to the first call */
    int measured;  /* `left` is by speeds that the run measures; 0: by a first guess, if at all */
} ws_policy_run;

/* Not now; beside the CPU, which goes on with all work until the device is open; or for so much work that steps which
 * suit a device are left to it from now on. */
typedef enum ws_opens { WS_OPENS_NOT, WS_OPENS_BESIDE, WS_OPENS_AT_ONCE } ws_opens;
ws_opens ws_policy_opens(const ws_policy_run *r);
/* Returns 1 if what is left pays for opening all devices of the machine, 0 if it pays for one at most. */
int ws_policy_opens_all(const ws_policy_run *r);

/* ---- work ---- */

/* How much a step of a thread, or a call of a backend, may take: one pair at least. */
typedef struct ws_budget {
    double cells;
    size_t pairs, tasks;
} ws_budget;

/* Returns how much a call scores of a batch. tasks: what the backend takes at once, 0 is 1. speed: cells a second of a
 * core that scores because a device has no free stream; 0: it does not wait for one. */
ws_budget ws_policy_call(size_t tasks, double speed);

/* A batch and the targets that it meets, for a tool that works on it in parts. */
typedef struct ws_policy_work {
    int threads;    /* of the CPU */
    int device;     /* 1: a device scores */
    double cells;   /* of all pairs */
    size_t rows;    /* of a table */
    size_t targets;
} ws_policy_work;
/* Returns in how many parts threads work on it, at least 1: ranges of targets. */
size_t ws_policy_parts(const ws_policy_work *w);

/* Residues that MSV scores by the rows of a model that is read in parts, before it lays the model out: so many cost
 * what a layout does. More would be scored slowly, and fewer lay out models that few sequences meet. */
enum { WS_POLICY_LAYOUT = 20000 };

/* ---- items ---- */

/* Residues, or what else an input has, of an item where neither an option, nor the backend, nor the program says. */
enum { WS_POLICY_BATCH = 128 << 10 };
/* The same on a device, and the tasks that one call of a device scores: so few launches are long enough. PLACED: of
 * reads that are placed on a tree, each of which meets every edge. */
enum { WS_POLICY_DEVICE_BATCH = 4 << 20, WS_POLICY_DEVICE_PLACED = 512 << 10, WS_POLICY_DEVICE_TASKS = 2048 };
/* Nanoseconds of processor time for which the first thread works alone, where no option asks for threads: most calls of
 * scripts end within milliseconds, and a thread costs more than it brings them. */
enum { WS_POLICY_ALONE = 10 * 1000 * 1000 };
/* Returns how many items there are between reading and writing. */
int ws_policy_slots(int threads);
/* Returns the residues of a batch of packed pairs, where other batches of the run have `batch`. */
uint64_t ws_policy_pair_batch(uint64_t batch);
/* The bytes of rows that an item may hold, and the pairs of it that may be hits. */
typedef struct ws_policy_room {
    uint64_t text, pairs;
} ws_policy_room;
/* Returns these for so many items in memory of `mem` bytes; pair: the bytes of a hit. */
ws_policy_room ws_policy_item_room(uint64_t mem, int slots, size_t pair);
/* Bytes of text that are worth a write. A row that is longer is made by the thread that writes, and never held. */
enum { WS_POLICY_WRITE = 1 << 20 };
/* Seconds of the sample of --dry-run. */
enum { WS_POLICY_SAMPLE = 1 };
/* Returns the size of an item of that sample, for targets of so many nodes: at most `batch`. */
uint64_t ws_policy_sample_batch(uint64_t nodes, uint64_t batch);

#endif
