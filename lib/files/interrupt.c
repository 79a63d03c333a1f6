/* SPDX-License-Identifier: MIT
 * Signals that wait for the end of a write: see lib/files/interrupt.h. A process has one set of handlers, so its state
 * is static. */
#include "lib/files/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic int held, pending; /* threads that write now; the signal that came */

void ws_interrupt_die(int sig) {
    sigset_t set;
    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    raise(sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + sig); /* process 1 of a container: for it the kernel has no default actions */
}

/* Handles a signal. Either this function sees that a thread holds, or that thread sees the signal before it writes: the
 * order of both is sequential. */
static void on_signal(int sig) {
    atomic_store(&pending, sig);
    if (!atomic_load(&held)) ws_interrupt_die(sig);
}

void ws_interrupt_init(void) {
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction now, then = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        if (sigaction(caught[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) (void)sigaction(caught[i], &then, NULL);
    }
}

static void look(void) {
    const int sig = atomic_load(&pending);
    if (sig) ws_interrupt_die(sig);
}

void ws_interrupt_hold(void) {
    atomic_fetch_add(&held, 1);
    look();
}

void ws_interrupt_release(void) {
    atomic_fetch_sub(&held, 1);
    look();
}
