/* SPDX-License-Identifier: MIT
 * The memory of counts. */
#include "kernels/cast/counts.h"

int ws_build_counts_create(ws_build_counts *c, const ws_abc *abc, int M, int32_t nseq, ws_err *err) {
    const size_t nodes = (size_t)M + 1, K = (size_t)abc->K;
    *c = (ws_build_counts){.M = M, .abc = abc, .nseq = nseq};
    c->mat = ws_calloc(nodes * (2 * K + WS_NTRANS), sizeof *c->mat, err); /* one block for the three tables */
    if (!c->mat) return err->code;
    c->ins = c->mat + nodes * K;
    c->tr = c->ins + nodes * K;
    return WS_OK;
}

void ws_build_counts_release(ws_build_counts *c) {
    ws_free(c->mat);
    *c = (ws_build_counts){0};
}
