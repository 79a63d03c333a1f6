/* SPDX-License-Identifier: MIT
 * The devices that --device names, and how the driver is limited to these. */
#ifndef WS_DEV_IDS_H
#define WS_DEV_IDS_H

#include "lib/base/ws.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WS_DEV_MAX = 16 };

typedef struct ws_dev_ids {
    int all;
    int n, id[WS_DEV_MAX]; /* unused if all */
} ws_dev_ids;

/* Parses a list into *ids: "0,2", "all"; NULL: the first device. Returns WS_EUSAGE and a sentence that names the
 * malformed or repeated number. */
int ws_dev_ids_parse(ws_dev_ids *ids, const char *list, ws_err *err);

/* Limits the driver to the devices of `list` by CUDA_VISIBLE_DEVICES, because each device that the driver finds
 * costs start-up time. One of four H200 was ready after 0.4 s, and after 1.3 s with all four visible. Does nothing
 * for "all", for a malformed list, and where the variable is set. main calls this before any CUDA call, and before the
 * first thread starts, because threads may read the environment. */
void ws_dev_narrow(const char *list);

/* Lets the driver find the devices 0 to 15 after ws_dev_narrow: for a run that has work for all, before its first CUDA
 * call. Other threads may read the environment, so the variable keeps its place and only its bytes change. The driver
 * alone reads them. Does nothing where ws_dev_narrow did nothing. */
void ws_dev_widen(void);

/* Returns 1 if the driver numbers the devices of ids 0, 1 ... in their order after ws_dev_narrow; 0 if they keep
 * their numbers. */
int ws_dev_is_narrowed(const ws_dev_ids *ids);

/* Has the driver load all kernels as it starts, by CUDA_MODULE_LOADING. Does nothing where the variable is set. By
 * itself the driver loads a kernel at its first launch, and may wait for the kernels that run. main calls this where it
 * calls ws_dev_narrow. */
void ws_dev_load_at_start(void);

#ifdef __cplusplus
}
#endif
#endif
