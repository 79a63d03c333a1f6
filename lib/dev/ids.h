/* SPDX-License-Identifier: MIT
 * Which devices --device names, and a driver that looks at no others. */
#ifndef WS_DEV_IDS_H
#define WS_DEV_IDS_H

#include "lib/base/ws.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WS_DEV_MAX = 16 };

typedef struct ws_dev_ids {
    int all;
    int n, id[WS_DEV_MAX]; /* unless all */
} ws_dev_ids;

/* "0,2", "all", NULL for the first; a failure names what cannot be read or is there twice. */
int ws_dev_ids_parse(ws_dev_ids *ids, const char *list, ws_err *err);

/* To be called before CUDA is: makes the driver find these devices alone, because each one that it finds costs every process time:
 * one of four H200 was ready after 0.4 s, and with all four in sight after 1.3. Returns 1 if the driver will number them 0, 1 ... in the
 * order of ids; 0 if they keep their numbers, for all and where CUDA_VISIBLE_DEVICES already says which devices there are. */
int ws_dev_ids_narrow(const ws_dev_ids *ids);

#ifdef __cplusplus
}
#endif
#endif
