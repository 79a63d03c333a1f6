/* SPDX-License-Identifier: MIT
 * The formats of -O as outputs of the engine. FASTA and names have neither head nor end. */
#include "lib/scan/state.h"

void ws_scan_set_format(ws_job *job, ws_output *o) {
    const ws_scan *scan = ws_scan_of(job);
    const char *path = o->path;
    if (scan->main.emit)
        *o = scan->main.output;
    else if (scan->out_format == WS_OUT_TSV && scan->top)
        *o = (ws_output){.head = ws_scan_head, .pack = ws_top_add, .end = ws_top_end, .flush = ws_top_flush};
    else if (scan->out_format == WS_OUT_TSV)
        *o = (ws_output){.head = ws_scan_head, .rest = ws_rows_late, .end = ws_rows_end};
    else if (scan->out_format == WS_OUT_PACKED)
        *o = (ws_output){.head = ws_packed_output_head, .pack = ws_packed_output_add, .end = ws_packed_output_end,
                         .flush = ws_packed_output_flush};
    o->path = path;
}
