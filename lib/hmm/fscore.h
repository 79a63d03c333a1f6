/* SPDX-License-Identifier: MIT
 * The result of a backend of ssv, msv, vit or fwd for one (model, sequence) pair. */
#ifndef WS_HMM_FSCORE_H
#define WS_HMM_FSCORE_H

#include <stdint.h>

typedef enum ws_fstatus {
    WS_F_OK,       /* nats is the score */
    WS_F_OVERFLOW, /* beyond the integer range: nats is +INFINITY, the pair passes */
    /* ssv only: SSV cannot decide and MSV may be higher; nats is the best single diagonal, the pair passes */
    WS_F_OPEN,
    WS_F_UNDERFLOW /* no residue, or in fwd no path; nats is -INFINITY */
} ws_fstatus;

typedef struct ws_fscore {
    float nats;
    int32_t status; /* ws_fstatus */
} ws_fscore;

#endif
