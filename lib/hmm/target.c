/* SPDX-License-Identifier: MIT
 * Targets that are read in parts: see lib/hmm/target.h. */
#include "lib/hmm/target.h"

#include <string.h>

void ws_hmm_reader_open(ws_hmm_reader *r) {
    for (int i = 0; i < WS_READER_LOCKS; i++) pthread_mutex_init(&r->lock[i], NULL);
}

void ws_hmm_reader_close(ws_hmm_reader *r) {
    for (int i = 0; i < WS_READER_LOCKS; i++) pthread_mutex_destroy(&r->lock[i]);
}

static pthread_mutex_t *lock_of(const ws_hmm_target *t) {
    return &t->reader->lock[t->number % WS_READER_LOCKS];
}

int ws_hmm_target_whole(ws_hmm_target *t, ws_err *err) {
    int rc = WS_OK;
    if (!t->reader || __atomic_load_n(&t->is_whole, __ATOMIC_ACQUIRE)) return WS_OK;
    pthread_mutex_lock(lock_of(t));
    if (!t->is_whole) rc = t->reader->whole(t->reader->own, t->number, err);
    if (!rc) __atomic_store_n(&t->is_whole, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(lock_of(t));
    return rc;
}

void ws_hmm_target_bias(ws_hmm_target *t, const float *compo) {
    if (__atomic_load_n(&t->is_biased, __ATOMIC_ACQUIRE)) return;
    pthread_mutex_lock(lock_of(t));
    if (!t->is_biased) {
        ws_hmm h = {.M = t->hmm->M, .abc = t->hmm->abc};
        memcpy(h.compo, compo, sizeof h.compo);
        ws_bias_set(&t->bias, &h);
    }
    __atomic_store_n(&t->is_biased, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(lock_of(t));
}
