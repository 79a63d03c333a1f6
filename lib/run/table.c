/* SPDX-License-Identifier: MIT
 * The lines that all tables have: see lib/run/table.h. */
#include "lib/run/table.h"

#include "lib/stream/ledger.h"

int ws_table_head(const ws_job *job, const ws_names *all, const int *pick, int n, ws_buf *out, ws_err *err) {
    if (job->common.header == WS_HEADER_NONE) return WS_OK;
    int rc = job->common.header == WS_HEADER_HASH ? ws_buf_add(out, "#", 1, err) : WS_OK;
    for (int c = 0; c < n && !rc; c++)
        rc = ws_buf_addf(out, err, "%s%s", c ? "\t" : "", ws_name_of(all, pick ? pick[c] : c));
    return rc ? rc : ws_buf_add(out, "\n", 1, err);
}

int ws_table_end(const ws_job *job, uint64_t rows, ws_buf *out, ws_err *err) {
    const ws_stream_size none = {.state = WS_SIZE_UNKNOWN};
    return job->common.no_provenance ? WS_OK : ws_ledger_put_end(out, rows, &none, err);
}
