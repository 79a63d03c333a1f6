/* SPDX-License-Identifier: MIT
 * The "cuda" backends of a build without CUDA: listed, never usable. */
#include "lib/dev/device.h"
#include "lib/run/tool.h"

static int usable(const ws_machine *m, const char **why) { return ws_dev_usable(m->device, why); }

static int start(const ws_devconf *conf, ws_err *err) { return ws_dev_start(conf->list, conf->mem, err); }

#define NONE {.name = "cuda", .usable = usable, .start = start, .stop = ws_dev_stop}
extern const ws_backend ws_ssv_cuda, ws_msv_cuda, ws_vit_cuda, ws_fwd_cuda;
const ws_backend ws_ssv_cuda = NONE, ws_msv_cuda = NONE, ws_vit_cuda = NONE, ws_fwd_cuda = NONE;
