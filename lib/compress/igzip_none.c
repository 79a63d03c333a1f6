/* SPDX-License-Identifier: MIT
 * A build without ISA-L: see lib/compress/igzip.h. */
#include "lib/compress/igzip.h"

const char *ws_igzip_version(void) { return NULL; }

ws_igzip *ws_igzip_create(WS_UNUSED ws_err *err) { ws_bug("no ISA-L"); }

void ws_igzip_destroy(WS_UNUSED ws_igzip *z) {}

int ws_igzip_whole(WS_UNUSED ws_igzip *z, WS_UNUSED const uint8_t *in, WS_UNUSED size_t nin, WS_UNUSED uint8_t *out,
                   WS_UNUSED size_t nout, WS_UNUSED uint32_t crc) {
    ws_bug("no ISA-L");
}

void ws_igzip_begin(WS_UNUSED ws_igzip *z) { ws_bug("no ISA-L"); }

ws_igzip_at ws_igzip_step(WS_UNUSED ws_igzip *z, WS_UNUSED const uint8_t *in, WS_UNUSED size_t *nin,
                          WS_UNUSED uint8_t *out, WS_UNUSED size_t *nout) {
    ws_bug("no ISA-L");
}
