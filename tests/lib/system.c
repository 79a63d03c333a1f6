/* SPDX-License-Identifier: MIT
 * Nodes of memory (lib/base/system.h). Nothing may change where a node cannot be asked for. */
#include "lib/base/system.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { BYTES = 4 << 20 };

/* Returns the node of a byte; 0 where the system does not say. */
static int node_of(const char *p) {
    int node = 0;
#ifdef __linux__
    enum { NODE = 1, ADDRESS = 2 }; /* MPOL_F_NODE, MPOL_F_ADDR */
    if (syscall(SYS_get_mempolicy, &node, NULL, 0, p, NODE | ADDRESS) != 0) node = 0;
#endif
    (void)p;
    return node;
}

/* Returns whether memory is as good as ever after that. */
static int is_usable(int node) {
    char *p = NULL;
    if (posix_memalign((void **)&p, 2 << 20, BYTES) != 0) return 0;
    ws_system_prefer_node(p, BYTES, node);
    memset(p, 7, BYTES);
    int ok = node_of(p) == 0 || node != 0;
    for (size_t i = 0; i < BYTES; i += 4096) ok &= p[i] == 7;
    free(p);
    return ok;
}

int main(void) {
    tap t = {0};
    tap_ok(&t, is_usable(0), "memory of node 0");
    tap_ok(&t, is_usable(-1) && is_usable(700) && is_usable(1 << 30), "of no node, and of one that there is not");
    char byte = 1;
    ws_system_prefer_node(&byte, 1, 0);
    tap_ok(&t, byte == 1, "what is no page");
    tap_ok(&t, ws_system_node_of("") == -1 && ws_system_node_of("no address") == -1 &&
               ws_system_node_of("0000:00:00.00000000000000000000000000000000000000000000000000000000000000000") == -1,
           "the node of what is no device");
    return tap_end(&t);
}
