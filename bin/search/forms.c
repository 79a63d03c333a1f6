/* SPDX-License-Identifier: MIT
 * hmmsieve's backends: what those of the three filters prepare of a model, each when it is first needed. */
#include "bin/search/forms.h"

#include "bin/stages/plan.h"
#include "kernels/filter/backend.h"
#include "kernels/fwd/fwd.h"
#include "kernels/msv/msv.h"
#include "kernels/vit/vit.h"
#include "lib/hmm/target.h"

#include <pthread.h>
#include <string.h>

/* The forms that a backend makes of a model. */
typedef struct forms {
    const ws_sieve_scorers *by;
    const ws_target *target;
    struct block *block; /* that it is in */
    void *of[WS_SIEVE_FILTERS]; /* NULL: not made yet. Atomic */
    char room[] __attribute__((aligned(WS_ALIGN))); /* of the first filter, where models are read in parts */
} forms;

/* Forms of many models lie in blocks: one by one, with their alignment, each takes three times its size. */
typedef struct block {
    size_t size;  /* of one */
    size_t given; /* of PER_BLOCK */
    size_t users; /* forms that are in use, and one more until all are given. Atomic */
    char room[] __attribute__((aligned(WS_ALIGN)));
} block;
enum { PER_BLOCK = 64 };
static block *current; /* that gives the next one; under block_lock */
static pthread_mutex_t block_lock = PTHREAD_MUTEX_INITIALIZER;

static void leave_block(block *b) {
    if (b && __atomic_sub_fetch(&b->users, 1, __ATOMIC_ACQ_REL) == 0) ws_free(b);
}

/* Returns zeroed room of `size` bytes, a multiple of WS_ALIGN, and the block that it is in; NULL and a sentence. */
static void *take_room(size_t size, block **of, ws_err *err) {
    void *p = NULL;
    pthread_mutex_lock(&block_lock);
    if (!current || current->size != size || current->given == PER_BLOCK) {
        leave_block(current);
        current = ws_alloc(sizeof *current + PER_BLOCK * size, err);
        if (current) *current = (block){.size = size, .users = 1};
    }
    if (current) {
        p = memset(current->room + current->given++ * size, 0, size);
        __atomic_add_fetch(&current->users, 1, __ATOMIC_RELAXED);
    }
    *of = current;
    pthread_mutex_unlock(&block_lock);
    return p;
}

/* Threads that make a form take one of these locks. */
enum { LOCKS = 64 };
static pthread_mutex_t lock[LOCKS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_locks(void) {
    for (int i = 0; i < LOCKS; i++) pthread_mutex_init(&lock[i], NULL);
}

static pthread_mutex_t *lock_of(const forms *f) { return &lock[(uintptr_t)f / WS_ALIGN % LOCKS]; }

static void release(void *prep) {
    forms *f = prep;
    for (int k = 0; k < WS_SIEVE_FILTERS; k++)
        if (f->of[k] == f->room) ws_filter_clear(f->of[k]);
        else if (f->of[k]) f->by->scorer[k]->release(f->of[k]);
    leave_block(f->block);
}

/* Makes the form of the second filter of a model that is read in parts, from words that are read. */
static int form_of_words(const ws_hmm_target *t, const ws_body *body, ws_filter **filter, ws_err *err) {
    ws_words w;
    int rc = t->reader->words(t->reader->own, t->number, &w, err);
    if (rc) return rc;
    rc = ws_filter_create_from(filter, body, &w, err);
    ws_words_destroy(&w);
    return rc;
}

/* Makes a form. The first filter reads what it needs itself, where models are read in parts. */
static int make_form(forms *f, int kind, void **form, ws_err *err) {
    ws_hmm_target *t = f->target->data;
    const ws_backend *scorer = f->by->scorer[kind];
    const int in_parts = t->reader && f->by->read;
    ws_filter *filter;
    int rc;
    if (kind == WS_SIEVE_VIT && in_parts && t->reader->words) {
        rc = form_of_words(t, scorer->own, &filter, err);
    } else if (kind != WS_SIEVE_MSV || !in_parts) {
        rc = ws_hmm_target_whole(t, err);
        return rc ? rc : scorer->prepare(scorer, f->target, form, err);
    } else {
        rc = ws_filter_place(&filter, f->room, f->by->read, t, err);
    }
    if (!rc && ws_cpu_has_dear_maxima()) ws_filter_set_gate(filter, &t->gate);
    *form = filter;
    return rc;
}

/* The first filter meets all models, so its form is made at once: the caller has all threads. */
static int prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err) {
    const ws_sieve_scorers *by = self->own;
    const size_t room = by->read && ((const ws_hmm_target *)t->data)->reader ? ws_filter_room(by->read) : 0;
    block *of;
    forms *f = take_room((sizeof *f + room + WS_ALIGN - 1) / WS_ALIGN * WS_ALIGN, &of, err);
    *prep = NULL;
    if (!f) return err->code;
    pthread_once(&once, make_locks);
    f->block = of;
    f->by = by;
    f->target = t;
    const int rc = make_form(f, WS_SIEVE_MSV, &f->of[WS_SIEVE_MSV], err);
    if (rc) release(f);
    else *prep = f;
    return rc;
}

/* Also the profile, which stays as long as forms may be made of it. */
static size_t size(const ws_backend *self, const ws_target *t) {
    const ws_sieve_scorers *by = self->own;
    size_t n = 200 * (size_t)t->qlen;
    for (int k = 0; k < WS_SIEVE_FILTERS; k++) n += by->scorer[k]->size ? by->scorer[k]->size(by->scorer[k], t) : 0;
    return n;
}

int ws_sieve_form(void *prep, int kind, void **form, ws_err *err) {
    forms *f = prep;
    int rc = WS_OK;
    if ((*form = __atomic_load_n(&f->of[kind], __ATOMIC_ACQUIRE))) return WS_OK;
    pthread_mutex_lock(lock_of(f));
    if (!(*form = f->of[kind])) {
        rc = make_form(f, kind, form, err);
        if (!rc) __atomic_store_n(&f->of[kind], *form, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(lock_of(f));
    return rc;
}

const ws_backend *ws_sieve_scorer(const ws_backend *b, int kind) {
    return ((const ws_sieve_scorers *)b->own)->scorer[kind];
}

#define SCORERS(width, read) \
    &(const ws_sieve_scorers){{WS_FILTER_BACKEND_(width, ws_msv_), WS_FILTER_BACKEND_(width, ws_vit_), \
                               WS_FILTER_BACKEND_(width, ws_fwd_)}, read}
#define ON_CPU(width, read) \
    &(const ws_backend){.name = #width, .usable = ws_usable_##width, .prepare = prepare, .release = release, \
                        .size = size, .own = SCORERS(width, read)}
#define ON_CPU_AND(width, ...) ON_CPU(width, &ws_msv_read_##width),

static const ws_sieve_scorers on_device = {{&ws_msv_cuda, &ws_vit_cuda, &ws_fwd_cuda}, NULL};
/* A batch of many models is smaller (ws_plan_most_batch), and with --mem streams are fewer. */
static const ws_backend device = {WS_BACKEND_DEVICE, .own = &on_device, .batch = WS_PLAN_DEVICE_BATCH,
                                  .streams = WS_PLAN_STREAMS, .prepare = prepare, .release = release};

const ws_backend *const ws_sieve_backends[] = {&device, WS_WIDTHS(ON_CPU_AND, ) ON_CPU(scalar, NULL), NULL};
