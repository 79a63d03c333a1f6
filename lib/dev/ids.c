/* SPDX-License-Identifier: MIT
 * The list of --device, and what the driver reads of the environment: see lib/dev/ids.h. */
#include "lib/dev/ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(ws_dev_ids *ids, int id, ws_err *err) {
    if (ids->n == WS_DEV_MAX) return ws_fail(err, WS_EUSAGE, "--device: at most %d devices", WS_DEV_MAX);
    for (int i = 0; i < ids->n; i++)
        if (ids->id[i] == id) return ws_fail(err, WS_EUSAGE, "--device: device %d is named twice", id);
    ids->id[ids->n++] = id;
    return WS_OK;
}

int ws_dev_ids_parse(ws_dev_ids *ids, const char *list, ws_err *err) {
    *ids = (ws_dev_ids){.all = list && strcmp(list, "all") == 0};
    if (!list) return add(ids, 0, err);
    for (const char *p = list; !ids->all;) {
        char *end, q[WS_QUOTE_MAX];
        const long id = *p >= '0' && *p <= '9' ? strtol(p, &end, 10) : -1;
        if (id < 0 || id > 1000000 || (*end && *end != ','))
            return ws_fail(err, WS_EUSAGE, "--device: expected numbers such as 0,2 or all, not \"%s\"",
                           ws_quote(q, list, strlen(list)));
        int rc = add(ids, (int)id, err);
        if (rc || !*end) return rc;
        p = end + 1;
    }
    return WS_OK;
}

/* Where the driver finds the numbers of the devices, and a part of the environment once it has one. */
#define VARIABLE "CUDA_VISIBLE_DEVICES"
static char visible[sizeof VARIABLE + WS_DEV_MAX * 8] = VARIABLE "=";
static int narrowed;

static void show(const ws_dev_ids *ids) {
    char *text = visible + sizeof VARIABLE;
    int at = 0;
    for (int i = 0; i < ids->n; i++)
        at += snprintf(text + at, WS_DEV_MAX * 8 - (size_t)at, "%s%d", i ? "," : "", ids->id[i]);
}

void ws_dev_narrow(const char *list) {
    ws_dev_ids ids;
    ws_err ignored; /* ws_dev_start reports a malformed list */
    if (narrowed || getenv(VARIABLE) || ws_dev_ids_parse(&ids, list, &ignored) || ids.all) return;
    show(&ids);
    narrowed = putenv(visible) == 0;
}

void ws_dev_widen(void) {
    ws_dev_ids ids = {.n = WS_DEV_MAX};
    if (!narrowed) return;
    for (int i = 0; i < ids.n; i++) ids.id[i] = i; /* the driver ends the list at the first that there is not */
    show(&ids);
    narrowed = 0;
}

int ws_dev_is_narrowed(const ws_dev_ids *ids) { return narrowed && !ids->all; }

void ws_dev_load_at_start(void) { (void)setenv("CUDA_MODULE_LOADING", "EAGER", 0); }
