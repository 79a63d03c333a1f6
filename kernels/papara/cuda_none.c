/* SPDX-License-Identifier: MIT
 * The "cuda" backend of a build without CUDA: listed, never usable. */
#include "kernels/papara/papara.h"
#include "lib/dev/device.h"

static int usable(const ws_machine *m, const char **why) { return ws_dev_usable(m->device, why); }

static int start(const ws_devconf *conf, ws_err *err) { return ws_dev_start(conf->list, conf->mem, err); }

const ws_backend ws_papara_cuda = {.name = "cuda", .usable = usable, .start = start, .stop = ws_dev_stop};
