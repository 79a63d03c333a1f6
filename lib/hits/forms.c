/* SPDX-License-Identifier: MIT
 * The forms in which a hit list is written, as a table. */
#include "lib/hits/options.h"
#include "lib/hits/write.h"

static int of_columns(const ws_hitquery *q) { return q->columns->hold; }
static int of_report(const ws_hitquery *q) { return q->text->alignments ? WS_HOLD_ALIGNMENTS : 0; }
static int alignments(const ws_hitquery *q) {
    (void)q;
    return WS_HOLD_ALIGNMENTS;
}

#define MSA "an alignment in columns"

const ws_hitform ws_hitforms[WS_NDOMFORM] = {
    [WS_DOMFORM_TSV] = {.by_seq = 1, .frame = WS_FRAME_COLUMNS, .target = ws_write_columns_target, .hold = of_columns},
    [WS_DOMFORM_TEXT] = {.by_seq = 1, .frame = WS_FRAME_REPORT, .whole = "-O text", .list = ws_write_text,
                         .hold = of_report},
    [WS_DOMFORM_TBLOUT] = {.by_seq = 1, .frame = WS_FRAME_HMMER, .option = "--tblout", .row_of_target = 1,
                           .begin = ws_write_tblout_head, .target = ws_write_tblout_target},
    [WS_DOMFORM_DOMTBLOUT] = {.by_seq = 1, .frame = WS_FRAME_HMMER, .option = "--domtblout",
                              .begin = ws_write_domtblout_head, .target = ws_write_domtblout_target},
    [WS_DOMFORM_PFAMTBLOUT] = {.by_seq = 1, .frame = WS_FRAME_HMMER, .whole = "--pfamtblout", .option = "--pfamtblout",
                               .row_of_target = 1, .list = ws_write_pfamtblout},
    [WS_DOMFORM_STO] = {.whole = MSA, .option = "-A", .list = ws_write_stockholm, .hold = alignments},
    [WS_DOMFORM_A2M] = {.whole = MSA, .list = ws_write_a2m, .hold = alignments},
    [WS_DOMFORM_A3M] = {.begin = ws_write_a3m_origin, .target = ws_write_a3m_target, .hold = alignments},
    [WS_DOMFORM_FASTA] = {.by_seq = 1, .target = ws_write_fasta_target, .hold = alignments},
    [WS_DOMFORM_IDS] = {.row_of_target = 1, .target = ws_write_ids_target},
    [WS_DOMFORM_RECORDS] = {.by_seq = 1, .whole = "--records", .option = "--records", .list = ws_write_records,
                            .hold = alignments},
};

void ws_hitform_write(const ws_hitform *f, ws_sink *s, const ws_hitquery *q) {
    if (f->list) {
        f->list(s, q);
        return;
    }
    if (f->begin) f->begin(s, q);
    for (size_t i = 0; i < q->list->n; i++) f->target(s, q, q->list->hit[i]);
}
