/* SPDX-License-Identifier: MIT
 * The sentence about a packed stream that is damaged. */
#include "lib/io/packed_read.h"

int ws_packed_bad(const unpack *u, const ws_parse *s, const char *what, ws_err *err) {
    if (u->state == HEAD || u->state == ENDED || (u->state == BODY && ws_packed_is(u, PACK_HEAD)))
        return ws_fail(err, WS_EDATA, "%s: the head of the packed stream at byte %llu %s", s->input,
                       (unsigned long long)u->frame_at, what);
    return ws_fail(err, WS_EDATA, "%s: block %llu of the packed stream, at byte %llu, %s", s->input,
                   (unsigned long long)u->blocks, (unsigned long long)u->frame_at, what);
}
