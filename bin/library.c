/* SPDX-License-Identifier: MIT
 * All programs as functions of a shared object: see bin/library.h. The Makefile lists them in WS_TOOLS. */
#include "bin/library.h"
#include "lib/dev/ids.h"
#include "lib/run/peer.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DECLARE(name) extern const ws_tool name;
#define ADDRESS(name) &name,
WS_TOOLS(DECLARE)
static const ws_tool *const tools[] = {WS_TOOLS(ADDRESS) NULL};

static const ws_tool *find(const char *name) {
    for (const ws_tool *const *t = tools; *t; t++)
        if (strcmp((*t)->name, name) == 0) return *t;
    return NULL;
}

const char *ws_library_version(void) { return WS_VERSION; }

/* The CUDA runtime, its streams and its memory are those of the process: where a driver is, one run at a time has
 * them. */
static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;

int ws_library_run(int argc, char **argv, const int *stop, char *text, unsigned long n) {
    const ws_tool *tool = argc > 0 ? find(argv[0]) : NULL;
    static const int never = 0;
    ws_err err = {0};
    int rc = WS_EUSAGE;
    if (!tool) {
        (void)ws_fail(&err, WS_EUSAGE, "there is no program %s", argc > 0 ? argv[0] : "without a name");
    } else {
        const int alone = ws_dev_built() && (access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0);
        if (alone) pthread_mutex_lock(&device);
        rc = ws_main_run(tool, NULL, argc, argv, stop ? stop : &never, &err);
        if (alone) pthread_mutex_unlock(&device);
    }
    if (n) snprintf(text, n, "%s", rc ? err.text : "");
    return rc == WS_OK ? 0 : rc == WS_EUSAGE ? 2 : 1;
}

int ws_library_main(const char *program, int argc, char **argv) {
    const ws_tool *tool = find(program);
    return tool ? ws_main(tool, argc, argv) : 2;
}
