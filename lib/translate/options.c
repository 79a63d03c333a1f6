/* SPDX-License-Identifier: MIT
 * Options of translation: see lib/translate/options.h. */
#include "lib/translate/options.h"

#include <errno.h>
#include <stdlib.h>

const char *const ws_translate_starts[] = {"any", "atg", "table", NULL}; /* as ws_starts */
const char *const ws_translate_strands[] = {"both", "watson", "crick", NULL}; /* as ws_strands */

int ws_translate_choose(ws_translate_opts *o, const ws_translate **how, ws_err *err) {
    enum { LEAST = 20 };
    char *end;
    *how = NULL;
    if (!o->table && (o->least_given || o->starts_given || o->strands_given))
        return ws_fail(err, WS_EUSAGE,
                       "--orf-length, --orf-start and --orf-strand say how to cut ORFs, so they go with --translate");
    if (!o->table) return WS_OK;
    errno = 0;
    const long long table = *o->table ? strtoll(o->table, &end, 10) : 1;
    if (*o->table && (*end || errno))
        return ws_fail(err, WS_EUSAGE, "--translate: expected the number of a genetic code, found \"%s\"", o->table);
    o->how = (ws_translate){.table = table, .least = o->least_given ? o->least : LEAST, .starts = (ws_starts)o->starts,
                            .strands = (ws_strands)o->strands};
    *how = &o->how;
    return ws_gencode_check(table, "--translate", err);
}
