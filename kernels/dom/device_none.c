/* SPDX-License-Identifier: MIT
 * The domain stage on devices in a build without CUDA: there are none. */
#include "kernels/dom/device.h"

int ws_dom_device_parse(ws_dom_load *load, size_t n, ws_err *err) {
    (void)load, (void)n;
    return ws_fail(err, WS_EDEV, "this build has no CUDA");
}

int ws_dom_device_rescore(ws_dom_load *load, size_t n, ws_err *err) { return ws_dom_device_parse(load, n, err); }

int ws_dom_device_resolve(ws_dom_load *load, size_t n, const ws_dom_options *o, ws_err *err) {
    (void)o;
    return ws_dom_device_parse(load, n, err);
}

int ws_dom_device_forward(ws_dom_load *load, size_t n, float *nats, ws_err *err) {
    (void)nats;
    return ws_dom_device_parse(load, n, err);
}

int ws_dom_device_targets(ws_dom_load *load, size_t n, float *nats, ws_err *err) {
    return ws_dom_device_forward(load, n, nats, err);
}

void ws_dom_device_forget(void *model) { (void)model; }
