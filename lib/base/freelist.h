/* SPDX-License-Identifier: MIT
 * Memory of steps that any thread takes and gives back: what is idle is used again. */
#ifndef WS_BASE_FREELIST_H
#define WS_BASE_FREELIST_H

#include "lib/base/mem.h"

#include <pthread.h>

/* ws_freelist_open begins it; ws_freelist_close destroys what is idle, and does nothing to a zeroed list. */
typedef struct ws_freelist {
    pthread_mutex_t lock;
    void **idle; /* [n], the one that was given back last at the end */
    size_t n, cap;
    void (*destroy)(void *element);
} ws_freelist;

static inline void ws_freelist_open(ws_freelist *l, void (*destroy)(void *element)) {
    *l = (ws_freelist){.destroy = destroy};
    pthread_mutex_init(&l->lock, NULL);
}

/* Returns an idle element, which is the caller's then; NULL if there is none. */
static inline void *ws_freelist_take(ws_freelist *l) {
    pthread_mutex_lock(&l->lock);
    void *element = l->n ? l->idle[--l->n] : NULL;
    pthread_mutex_unlock(&l->lock);
    return element;
}

/* Gives an element back, or destroys it where there is no memory to keep it. */
static inline void ws_freelist_give(ws_freelist *l, void *element) {
    ws_err ignored;
    pthread_mutex_lock(&l->lock);
    const int kept = ws_grow(&l->idle, &l->cap, l->n + 1, sizeof *l->idle, &ignored) == WS_OK;
    if (kept) l->idle[l->n++] = element;
    pthread_mutex_unlock(&l->lock);
    if (!kept) l->destroy(element);
}

static inline void ws_freelist_close(ws_freelist *l) {
    if (!l->destroy) return;
    while (l->n > 0) l->destroy(l->idle[--l->n]);
    ws_free(l->idle);
    pthread_mutex_destroy(&l->lock);
    l->destroy = NULL;
}

#endif
