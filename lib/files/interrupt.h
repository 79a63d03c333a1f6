/* SPDX-License-Identifier: MIT
 * SIGINT, SIGTERM and SIGHUP end the process between two writes to a regular file, not inside one. There the kernel
 * would leave a cut row. Pipes need no such care, since a write to one may wait for ever. */
#ifndef WS_FILES_INTERRUPT_H
#define WS_FILES_INTERRUPT_H

#include "lib/base/ws.h"

/* Takes over these signals where they would end the process; one that is ignored stays ignored. Once, by the main
 * thread. */
void ws_interrupt_init(void);

/* Holds signals back: one that comes between hold and release ends the process at release. Any thread; holds may be
 * nested. */
void ws_interrupt_hold(void);
void ws_interrupt_release(void);

/* Dies of the signal as if the program had not taken it over. Process 1 of a container, which no signal of its own
 * ends, exits with the status that shells show for it. Any thread, also in a handler; does not return. */
_Noreturn void ws_interrupt_die(int sig);

#endif
