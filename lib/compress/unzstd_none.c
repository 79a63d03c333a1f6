/* SPDX-License-Identifier: MIT
 * A build without libzstd: see lib/compress/unzstd.h. */
#include "lib/compress/unzstd.h"

const char *ws_unzstd_version(void) { return NULL; }

ws_unzstd *ws_unzstd_create(WS_UNUSED ws_err *err) { ws_bug("no libzstd"); }

void ws_unzstd_destroy(WS_UNUSED ws_unzstd *f) {}

int ws_unzstd_step(WS_UNUSED ws_unzstd *f, WS_UNUSED const uint8_t *in, WS_UNUSED size_t *nin, WS_UNUSED uint8_t *out,
                   WS_UNUSED size_t *nout, WS_UNUSED ws_err *err) {
    ws_bug("no libzstd");
}

int ws_unzstd_let_go(WS_UNUSED ws_unzstd *f) { ws_bug("no libzstd"); }

int ws_unzstd_end(WS_UNUSED const ws_unzstd *f, WS_UNUSED ws_err *err) { ws_bug("no libzstd"); }
