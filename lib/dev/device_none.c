/* SPDX-License-Identifier: MIT
 * The devices of a build without CUDA: none. */
#include "lib/dev/device.h"

static const char reason[] = "this program was built without CUDA";

const char *ws_dev_built(void) { return NULL; }

void ws_dev_wake(void) {}
void ws_dev_awake(void) {}

int ws_dev_usable(const char *list, const char **why) {
    (void)list;
    *why = reason;
    return 0;
}

void ws_dev_open_after(int fd) { (void)fd; }
void ws_dev_have_streams(int n) { (void)n; }

void ws_dev_tell_loss(ws_dev_hear *hear, void *own) { (void)hear, (void)own; }

int ws_dev_start(const char *list, uint64_t mem, ws_err *err) {
    (void)list;
    (void)mem;
    return ws_fail(err, WS_EDEV, "%s", reason);
}

void ws_dev_stop(void) {}
void ws_dev_retire(void) {}

uint64_t ws_dev_identity(void) { return 0; }
int ws_dev_streams(void) { return 0; }

int ws_dev_ready(void) { return 0; }

int ws_dev_wait(ws_err *err) { return ws_fail(err, WS_EDEV, "%s", reason); }

ws_dev_times ws_dev_clock(void) { return (ws_dev_times){0}; }

int ws_dev_capability(void) { return 0; }
size_t ws_dev_shared(void) { return 0; }

int ws_dev_clusters(void) { return 0; }

const char *ws_dev_name(void) { return "none"; }
