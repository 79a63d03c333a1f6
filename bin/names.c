/* SPDX-License-Identifier: MIT
 * All programs under the names of HMMER's as one executable, which looks at the name that it was called by. It is
 * linked so that it needs nothing beside it, and lies under each name in the folders that hmmsieve --hmmer-path=DIR
 * makes. The Makefile lists the programs in WS_TOOLS. */
#include "lib/run/message.h"
#include "lib/run/peer.h"

#define DECLARE(name) extern const ws_tool name;
#define ADDRESS(name) &name,
WS_TOOLS(DECLARE)
static const ws_tool *const tools[] = {WS_TOOLS(ADDRESS) NULL};

/* Says which names there are. Returns the exit status. */
static int refuse(void) {
    ws_buf text = {0};
    ws_err err = {0};
    int rc = ws_buf_adds(&text, "call this program by one of the names", &err);
    for (const ws_tool *const *t = tools; *t && !rc; t++)
        for (const ws_peer *const *p = (*t)->peers; *p && !rc; p++) rc = ws_buf_addf(&text, &err, " %s", (*p)->name);
    if (!rc) rc = ws_buf_add(&text, "", 1, &err);
    ws_message_error("warpsieve", rc ? err.text : text.p);
    ws_buf_release(&text);
    return 2;
}

int main(int argc, char **argv) {
    for (const ws_tool *const *t = tools; *t; t++)
        if (argc > 0 && ws_peer_find((*t)->peers, argv[0])) return ws_main(*t, argc, argv);
    return refuse();
}
