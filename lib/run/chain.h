/* SPDX-License-Identifier: MIT
 * A chain of stages in one process. Elements that a stage lets pass wait in a pool of the next one; threads take steps
 * of any stage, the most urgent first.
 *
 * No thread is tied to a stage. A thread takes a step of a full pool, of the last stage that has one, so that work that
 * has begun ends soon. Without such a step it reads, if the source has room. Without room it takes from a pool that is
 * not full, of the first stage that has one. At the end of the input, and while the source wants it, all pools empty in
 * this way. So one thread is enough for all.
 *
 * Threads of the second kind wait for devices most of the time. They do not read. Threads of the CPU may leave them a
 * stage, and help there before they would wait. While a thread of the CPU waits or helps, a device takes what is enough
 * for a call of the last stage that has it, before full pools of earlier ones. It does so too while the source calls
 * these threads hungry. So work for the CPU comes early. */
#ifndef WS_RUN_CHAIN_H
#define WS_RUN_CHAIN_H

#include "lib/base/ws.h"
#include "lib/run/policy.h"

typedef enum ws_chain_kind { WS_CHAIN_CPU, WS_CHAIN_DEVICE, WS_CHAIN_KINDS } ws_chain_kind;

/* number: of all threads of a run, from 0. */
typedef struct ws_chain_thread {
    ws_chain_kind kind;
    int number;
} ws_chain_thread;

/* From which pools a thread wants a step: full ones alone; for a device while the CPU waits, helps or is hungry, also
 * those that hold enough for a call; while another thread reads, also those that hold enough to be worth it; all.
 * SPARE: full ones too that are for threads of the other kind, before the thread would wait. */
typedef enum ws_chain_need {
    WS_CHAIN_FULL, WS_CHAIN_EARLY, WS_CHAIN_SOME, WS_CHAIN_ANY, WS_CHAIN_SPARE
} ws_chain_need;

/* A step: elements from .. to of a pool, in a meaning of the stage's own. */
typedef struct ws_chain_step {
    void *pool;
    size_t from, to;
    uint64_t order; /* grows with the place in the input: of several failures the program reports that of the lowest */
    double cells;   /* for the speeds that are measured; 0: what is done is no measure */
    size_t n;       /* pairs, spans ..., for --stats */
} ws_chain_step;

/* A stage. It guards its pools by a lock of its own: take and left run under the chain's lock, work outside of it. */
typedef struct ws_chain_stage {
    void *own;
    /* Takes a step for a thread of this kind. Returns 0 if there is none. It should be quick. */
    int (*take)(void *own, const ws_chain_thread *t, ws_chain_need need, ws_chain_step *step);
    /* Does a step, and adds what passes to pools of later stages before the pool of the step may count as done. Any
     * number of threads at once. A failure ends the run. */
    int (*work)(void *own, const ws_chain_thread *t, const ws_chain_step *step, ws_err *err);
    /* Returns 1 while the stage holds something that is not done. */
    int (*left)(void *own);
    const char *name; /* for --stats, static */
    ws_step_kind kind; /* of its steps; WS_STEP_NONE: their speed is not measured */
} ws_chain_stage;

/* How urgently the source should be read. WS_CHAIN_DRAIN: not before pools have emptied, however little they hold. */
typedef enum ws_chain_wish { WS_CHAIN_DRAIN, WS_CHAIN_NO_ROOM, WS_CHAIN_ROOM, WS_CHAIN_HURRY } ws_chain_wish;

typedef struct ws_chain_ops {
    const ws_chain_stage *stage;
    size_t nstage;
    void *own; /* handed to the functions below */
    /* Under the chain's lock: no room, which bounds what is in flight; room; or hurry, since threads will soon have
     * nothing to do. Must be one of the last two when all stages are empty and no thread works. */
    ws_chain_wish (*wish)(void *own);
    /* Adds the next input to pools, one thread at a time. Returns WS_OK, WS_EOF, WS_AGAIN if nothing came yet, or a
     * failure. Elements that were read before a failure still go through all stages. */
    int (*read)(void *own, ws_err *err);
    int (*ahead)(void *own); /* lets an idle thread read ahead: returns 1 if it did something. May be NULL */
    /* Under the chain's lock: returns 1 if threads of the CPU will soon have no step, so that devices do early what
     * brings some. May be NULL. */
    int (*hungry)(void *own);
    /* Returns the seconds that a thread of the CPU would have for `left` cells of the first stage, for what waits in
     * later ones, and for what both will bring. all: the cells of the first stage in one reading of the input. May be
     * NULL. */
    double (*seconds)(void *own, double left, double all);
    void (*look)(void *own); /* called by each thread after each step, without a lock. May be NULL */
    /* Nanoseconds of processor time that the first thread of the CPU works before others start; 0: they start at once.
     * A thread costs a tenth of a millisecond and memory of its own, more than it saves in a small run. */
    uint64_t alone;
} ws_chain_ops;

/* The state of a chain that its threads look at. */
typedef struct ws_chain_state {
    int busy;    /* threads that do a step or read */
    int idle;    /* threads of the CPU that wait, or help in a stage of devices */
    int reading; /* a thread reads */
    int paused;  /* nothing came in the last reading */
    int ended;   /* the input has */
} ws_chain_state;

/* HELP: a step in a stage of devices, for a thread that would wait. */
typedef enum ws_chain_action {
    WS_CHAIN_STEP, WS_CHAIN_HELP, WS_CHAIN_READ, WS_CHAIN_WAIT, WS_CHAIN_LEAVE
} ws_chain_action;

/* Returns what a thread does next, and takes the step of a stage if it is one. The chain's lock is held: of `ops` it
 * calls wish and hungry, and take and left of the stages. */
ws_chain_action ws_chain_choose(const ws_chain_ops *ops, const ws_chain_state *now, const ws_chain_thread *t,
                                const ws_chain_stage **stage, ws_chain_step *step);

typedef struct ws_chain ws_chain;
/* Makes *c, for one run. The caller calls ws_chain_destroy. Returns WS_ENOMEM on failure. */
int ws_chain_create(ws_chain **c, const ws_chain_ops *ops, ws_err *err);
void ws_chain_destroy(ws_chain *c); /* c may be NULL */

/* Runs until the input has ended and all stages are empty, or a step fails. The caller is the first of `threads`
 * threads of the CPU, and has number 0; that fewer start is no failure. Returns the failure of the step with the lowest
 * order, else the source's. */
int ws_chain_run(ws_chain *c, int threads, ws_err *err);

/* Adds n threads of a kind, before the run or while it goes on. Any thread may call this. Returns how many started:
 * none after the end of the run. ws_chain_run waits for them. */
int ws_chain_join(ws_chain *c, ws_chain_kind kind, int n);

/* Lets threads that wait ask their stages again: what these answer has changed without a step. Any thread may call
 * this. */
void ws_chain_ask_again(ws_chain *c);

#endif
