/* SPDX-License-Identifier: MIT
 * Texts that leave in turn: see lib/run/turns.h. */
#include "lib/run/turns.h"

#include "lib/base/mem.h"

void ws_turns_open(ws_turns *t, ws_job *job) {
    *t = (ws_turns){.job = job};
    t->end = &t->first;
    pthread_mutex_init(&t->lock, NULL);
}

static void free_turn(ws_turn *turn) {
    for (int k = 0; k < WS_OUTPUT_MAX; k++) ws_buf_release(&turn->out[k].text);
    ws_free(turn);
}

void ws_turns_close(ws_turns *t) {
    if (!t->end) return;
    for (ws_turn *turn = t->first, *next; turn; turn = next) {
        next = turn->next;
        free_turn(turn);
    }
    pthread_mutex_destroy(&t->lock);
    *t = (ws_turns){0};
}

ws_turn *ws_turns_take(ws_turns *t, ws_err *err) {
    ws_turn *turn = ws_calloc(1, sizeof *turn, err);
    if (!turn) return NULL;
    pthread_mutex_lock(&t->lock);
    *t->end = turn;
    t->end = &turn->next;
    t->n++;
    pthread_mutex_unlock(&t->lock);
    return turn;
}

static uint64_t bytes_of(const ws_turn *turn) {
    uint64_t n = 0;
    for (int k = 0; k < WS_OUTPUT_MAX; k++) n += turn->out[k].text.n;
    return n;
}

static int write_turn(ws_job *job, const ws_turn *turn, ws_err *err) {
    int rc = ws_job_head(job, err);
    for (int k = 0; k < job->nout && !rc; k++)
        rc = ws_job_write(job, k, turn->out[k].text.p, turn->out[k].text.n, turn->out[k].rows, err);
    return rc;
}

int ws_turns_give(ws_turns *t, ws_turn *turn, ws_err *err) {
    int rc = WS_OK;
    pthread_mutex_lock(&t->lock);
    turn->given = 1;
    t->bytes += bytes_of(turn);
    for (const int mine = !t->writing; mine && !rc && t->first && t->first->given;) {
        ws_turn *first = t->first;
        t->writing = 1;
        t->first = first->next;
        if (!t->first) t->end = &t->first;
        pthread_mutex_unlock(&t->lock);
        rc = write_turn(t->job, first, err);
        const uint64_t bytes = bytes_of(first);
        free_turn(first);
        pthread_mutex_lock(&t->lock);
        t->bytes -= bytes;
        t->n--;
        t->writing = rc != WS_OK;
    }
    pthread_mutex_unlock(&t->lock);
    return rc;
}

size_t ws_turns_left(ws_turns *t, uint64_t *bytes) {
    pthread_mutex_lock(&t->lock);
    const size_t n = t->n;
    *bytes = t->bytes;
    pthread_mutex_unlock(&t->lock);
    return n;
}
