/* SPDX-License-Identifier: MIT
 * What --version says: the program, and how it was built. */
#include "lib/dev/device.h"
#include "lib/run/backend.h"

int ws_version_text(const ws_tool *tool, ws_buf *out, ws_err *err) {
    const char *cuda = ws_dev_built();
    int n = 0;
    int rc = ws_buf_addf(out, err, "%s " WS_VERSION "\ncommit: " WS_COMMIT "\nbackends:", tool->name);
    for (int i = 0; tool->backends && tool->backends[i] && !rc; i++) {
        const ws_backend *b = tool->backends[i];
        if (b->usable == ws_usable_device && !cuda) continue;
        rc = ws_buf_addf(out, err, " %s", b->name);
        n++;
    }
    return rc ? rc : ws_buf_addf(out, err, "%s\ncuda: %s\n", n ? "" : " none", cuda ? cuda : "none");
}
