/* SPDX-License-Identifier: MIT
 * All models of a file with their tables, read as a program reads a compressed file: without looking for headers first.
 * */
#ifndef WS_TESTS_HMMREAD_H
#define WS_TESTS_HMMREAD_H

#include "lib/hmm/hmmfile.h"

/* Reads the models of a file into *set. Errors are those of ws_hmmset_find and ws_hmmset_load; a failure leaves nothing
 * to release. */
static inline int hmm_read(ws_hmmset *set, const char *path, int threads, ws_err *err) {
    *set = (ws_hmmset){0};
    XXH3_state_t *hash = XXH3_createState();
    int rc = hash && XXH3_64bits_reset(hash) == XXH_OK ? WS_OK : ws_fail_nomem(err, sizeof(XXH3_state_t *));
    if (rc == WS_OK) rc = ws_hmmset_append(set, hash, path, threads, err);
    if (rc == WS_OK) set->xxh3 = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return rc;
}

#endif
