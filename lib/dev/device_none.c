/* SPDX-License-Identifier: MIT
 * The devices of a build without CUDA: none. */
#include "lib/dev/device.h"

static const char reason[] = "this program was built without CUDA";

int ws_dev_usable(const char **why) {
    *why = reason;
    return 0;
}

int ws_dev_start(const char *list, uint64_t mem, ws_err *err) {
    (void)list;
    (void)mem;
    return ws_fail(err, WS_EDEV, "%s", reason);
}

void ws_dev_stop(void) {}

double ws_dev_seconds(void) { return 0; }
