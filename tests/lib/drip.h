/* SPDX-License-Identifier: MIT
 * Standard input as a pipe that gives a text in pieces, with pauses if wanted. */
#ifndef WS_TESTS_DRIP_H
#define WS_TESTS_DRIP_H

#include "tests/lib/io.h"

#include <pthread.h>
#include <time.h>

static const char *const standard_input[] = {"-"};

typedef struct drip {
    int fd;
    const ws_buf *text;
    uint64_t seed;
    size_t piece, pause_every; /* sizes up to piece; a pause of 70 ms after so many pieces, 0: never */
} drip;

static void pause_ms(int ms) {
    const struct timespec p = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&p, NULL);
}

static void *drip_run(void *arg) {
    drip *d = arg;
    for (size_t i = 0, k = 1; i < d->text->n; k++) {
        const size_t n = ws_min(d->text->n - i, below(&d->seed, d->piece) + 1);
        must(write(d->fd, d->text->p + i, n) == (ssize_t)n, "write");
        i += n;
        if (d->pause_every && k % d->pause_every == 0) pause_ms(70);
    }
    close(d->fd);
    return NULL;
}

WS_UNUSED static int read_drips(drip *d, const ws_seqread_conf *conf, ws_buf *got, int marks, ws_err *err) {
    int fd[2], old = dup(STDIN_FILENO);
    pthread_t thread;
    must(pipe(fd) == 0 && dup2(fd[0], STDIN_FILENO) == 0, "pipe");
    close(fd[0]);
    d->fd = fd[1];
    must(!pthread_create(&thread, NULL, drip_run, d), "thread");
    int rc = read_all(conf, got, marks, err);
    pthread_join(thread, NULL);
    must(dup2(old, STDIN_FILENO) == 0, "dup2");
    close(old);
    return rc;
}

#endif
