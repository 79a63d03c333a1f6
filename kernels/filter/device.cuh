// SPDX-License-Identifier: MIT
// From the code of a filter on devices to its "cuda" backend.
#ifndef WS_FILTER_DEVICE_CUH
#define WS_FILTER_DEVICE_CUH

#include "kernels/filter/launch.cuh"
#include "lib/run/dev_backend.cuh"

#include <type_traits>

extern "C" {
#include "kernels/filter/backend.h"
#include "kernels/filter/found.h"
#include "lib/hmm/target.h"
}

struct ws_devfilter;

// The part of a model on devices that all filters share. A filter's own record begins with it.
struct ws_devmodel {
    const ws_devfilter *filter;
    const ws_hmm_target *target;
    ws_fit fit; // shape -1: the CPU scores the model
    enum { TABLES = 4 };
    ws_devtable table[TABLES]; // a stream copies all of them together
    pthread_mutex_t lock;
    ws_filter *cpu; // scores what devices cannot; made on first use, under the lock
};

// A pair that may pass, with its score and hint; pair: the index of its score in the call.
struct ws_devkept {
    uint32_t pair, raw;
    float hint;
};

// The pairs of a call that may pass, on the device: at[0..*n). left_out: how many may not; zeroed, so that none is left
// out where no kernel ran. The filter sets `pairs`, those with residues.
struct ws_devscreen {
    uint32_t *left_out, *n;
    ws_devkept *at;
    uint32_t room, pairs; // of at; 0: the caller wants all scores
};

// A call: ntask tasks against the sequences that are in the stream.
struct ws_devcall {
    ws_devstream *stream;
    const ws_seqs *seqs;
    const ws_task *task;
    size_t ntask;
    const uint32_t *first; // [ntask + 1]: index of each task's first score
    // [first[ntask]] on the device; NaN where nothing is written: see ws_task.hint; NULL: no hints
    float *hint;
    ws_devscreen screen;
    ws_devfinds finds;
};

// The functions and forms by which devices run a filter.
struct ws_devfilter {
    const ws_profile_form *form; // the form of a profile from which lay_out starts
    const ws_body *const *cpu;   // [WS_NWIDTH] its bodies on the CPU
    size_t size;                 // bytes of its own record of a model
    // Chooses m->fit and makes m->table from a form, and keeps no pointer to it. fit.shape stays -1 if no shape is
    // large enough. The record is zeroed but for its head. Returns WS_ENOMEM on failure.
    int (*lay_out)(ws_devmodel *m, const void *form, ws_err *err);
    // Queues all kernels of a call. The score of task t's item j goes to index first[t] + j of stream->out, which is
    // zeroed. All tables are on the device.
    int (*queue)(ws_devcall *c, ws_err *err);
    size_t raw; // bytes of a raw score: 2, 4 or 8
    // NULL: a raw score of 8 bytes is what the caller gets, all bits of it set where no shape takes the model.
    ws_fscore (*decode)(const ws_devmodel *m, const ws_lenmodel *lm, const void *raw);
    bool (*undecided)(const void *raw); // returns 1 if the CPU must score the pair; NULL: never
    bool screens; // queue fills ws_devcall.screen where it has room; raw scores have 2 bytes, and there are hints
    // NULL: kernels find scores alone. Else queue fills ws_devcall.finds, raw is 8, decode NULL, and screens false
    ws_devfound_take *take;
};

// Returns the model of a task; MODEL is the filter's own record.
template <class MODEL> static inline const MODEL &ws_devmodel_of(const ws_task &t) { return *(const MODEL *)t.prep; }

// Returns the address of table i of a model on the stream's device.
template <class T> static inline const T *ws_devmodel_table(const ws_devstream *s, const ws_devmodel &m, int i) {
    return (const T *)m.table[i].at[s->dev->index];
}

// Launches of a call and what their kernels read; TASK is the kernels' record of a model. The user zero-initialises it
// and releases it in any case.
template <class TASK> struct ws_devqueue {
    ws_launches launches;
    ws_devlist *list; // of each task
    const TASK *task; // on the device, as are the units
    const ws_devunit *unit;
};

template <class TASK> void ws_devqueue_release(ws_devqueue<TASK> *q) {
    ws_launches_release(&q->launches);
    ws_free(q->list);
}

// Makes the lists and launches of a call. fit_of returns a model's fit; task_of its record for the kernel, from its
// list and the index of its first score. cut: long sequences in pieces. takes: each free block takes the next sequence
// of a list.
template <class TASK, class FIT_OF, class TASK_OF>
int ws_devqueue_make(ws_devqueue<TASK> *q, ws_devcall *c, const ws_shape *shape, bool cut, bool takes, FIT_OF fit_of,
                     TASK_OF task_of, ws_err *err) {
    void *tasks = NULL, *units = NULL;
    ws_launches *ls = &q->launches;
    ws_fit *fit = (ws_fit *)ws_calloc(c->ntask, sizeof *fit, err);
    TASK *own = (TASK *)ws_calloc(c->ntask, sizeof *own, err);
    q->list = (ws_devlist *)ws_calloc(c->ntask, sizeof *q->list, err);
    int rc = fit && own && q->list ? ws_devbatch_lists(c->stream, c->seqs, c->task, c->ntask, cut, q->list, err)
                                   : WS_ENOMEM;
    for (size_t t = 0; t < c->ntask && !rc; t++) {
        fit[t] = fit_of(c->task[t]);
        own[t] = task_of(c->task[t], q->list[t], c->first[t]);
    }
    if (!rc) rc = ws_launches_make(ls, shape, fit, c->ntask, err);
    if (!rc) rc = ws_launches_cut(ls, shape, fit, q->list, takes ? c->stream->dev->sms : 0, err);
    if (!rc) rc = ws_devstream_put(c->stream, own, c->ntask * sizeof *own, &tasks, err);
    if (!rc) rc = ws_devstream_put(c->stream, ls->unit, ls->nunit * sizeof *ls->unit, &units, err);
    q->task = (const TASK *)tasks;
    q->unit = (const ws_devunit *)units;
    ws_free(fit);
    ws_free(own);
    return rc;
}

// Queues a kernel, once for each launch. args is complete but for task and unit; shared_of returns the bytes of shared
// memory of a model; fills: see ws_launch_filling. A launch lasts as long as its longest sequence, so few pairs of many
// shapes leave a device idle unless launches overlap.
template <class ARGS, class TASK, class SHARED_OF>
int ws_devqueue_launch(const ws_devqueue<TASK> *q, ws_devcall *c, const ws_shape *shape, ARGS args,
                       SHARED_OF shared_of, bool fills, ws_err *err) {
    const ws_launches *ls = &q->launches;
    args.task = q->task;
    int rc = ws_devstream_fork(c->stream, 2, err);
    for (size_t k = 0; k < ls->n && !rc; k++) {
        size_t shared = 0;
        for (size_t i = 0; i < ls->at[k].n; i++)
            shared = ws_max(shared, shared_of(c->task[ls->order[ls->at[k].first + i]]));
        args.unit = q->unit + ls->at[k].unit;
        rc = ws_devstream_side(c->stream, k, err);
        if (!rc) rc = ws_launch_units(c->stream, shape[ls->at[k].shape], ls->at[k], shared, fills, &args, err);
    }
    return ws_devstream_join(c->stream, rc, err);
}

// Queues one kernel that follows lists: ws_devqueue_make and ws_devqueue_launch.
template <class ARGS, class FIT_OF, class TASK_OF, class SHARED_OF>
int ws_devcall_queue(ws_devcall *c, const ws_shape *shape, bool cut, bool takes, ARGS args, FIT_OF fit_of,
                     TASK_OF task_of, SHARED_OF shared_of, ws_err *err) {
    typedef typename std::remove_const<typename std::remove_pointer<decltype(args.task)>::type>::type TASK;
    ws_devqueue<TASK> q = {};
    int rc = ws_devqueue_make(&q, c, shape, cut, takes, fit_of, task_of, err);
    if (!rc) rc = ws_devqueue_launch(&q, c, shape, args, shared_of, false, err);
    ws_devqueue_release(&q);
    return rc;
}

// Sets *p to n zeroed bytes on the device, which stay until the end of the call. Returns WS_EDEV on failure.
int ws_devcall_zeros(ws_devcall *c, size_t n, void **p, ws_err *err);

// Implement ws_backend.prepare, release and score for the filter self->own.
int ws_devfilter_prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err);
void ws_devfilter_release(void *prep);
int ws_devfilter_score(const ws_seqs *seqs, const ws_task *task, size_t ntask, ws_buf *scratch, ws_err *err);

// Returns the "cuda" backend of a filter. cpu_speed: cells a second of one CPU core. hints: the filter fills
// ws_devcall.hint.
constexpr ws_backend ws_devfilter_backend(const ws_devfilter *filter, double cpu_speed, bool hints = false) {
    ws_backend b = ws_dev_backend(ws_devfilter_prepare, ws_devfilter_release, ws_devfilter_score, cpu_speed, hints);
    b.own = filter;
    return b;
}

#endif
