/* SPDX-License-Identifier: MIT
 * The "cuda" backends of a build without CUDA: listed, never usable. */
#include "lib/dev/device.h"

int ws_dev_usable(const ws_machine *m, const char **why) {
    (void)m;
    *why = "this program was built without CUDA";
    return 0;
}

int ws_dev_start(const ws_devconf *conf, ws_err *err) {
    (void)conf;
    return ws_fail(err, WS_EDEV, "this program was built without CUDA");
}

void ws_dev_stop(void) {}

double ws_dev_seconds(void) { return 0; }

extern const ws_backend ws_ssv_cuda, ws_msv_cuda, ws_vit_cuda, ws_fwd_cuda;
const ws_backend ws_ssv_cuda = {.name = "cuda", .usable = ws_dev_usable}, ws_msv_cuda = {.name = "cuda", .usable = ws_dev_usable},
                 ws_vit_cuda = {.name = "cuda", .usable = ws_dev_usable}, ws_fwd_cuda = {.name = "cuda", .usable = ws_dev_usable};
