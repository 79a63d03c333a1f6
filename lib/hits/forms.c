/* SPDX-License-Identifier: MIT
 * The forms in which a hit list is written, as a table. */
#include "lib/hits/features.h"
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
    [WS_DOMFORM_TSV] = {.by_seq = 1, .frame = WS_FRAME_COLUMNS, .pass = {{.target = ws_write_columns_target}},
                        .hold = of_columns},
    [WS_DOMFORM_TEXT] = {.by_seq = 1, .frame = WS_FRAME_REPORT, .whole = "-O text", .hold = of_report,
                         .pass = {{.begin = ws_write_text_begin, .target = ws_write_text_target},
                                  {.begin = ws_write_domains_begin, .target = ws_write_domains_target,
                                   .end = ws_write_domains_end}}},
    [WS_DOMFORM_TBLOUT] = {.by_seq = 1, .frame = WS_FRAME_HMMER, .option = "--tblout", .row_of_target = 1,
                           .pass = {{.begin = ws_write_tblout_head, .target = ws_write_tblout_target}}},
    [WS_DOMFORM_DOMTBLOUT] = {.by_seq = 1, .frame = WS_FRAME_HMMER, .option = "--domtblout",
                              .pass = {{.begin = ws_write_domtblout_head, .target = ws_write_domtblout_target}}},
    [WS_DOMFORM_PFAMTBLOUT] = {.by_seq = 1, .frame = WS_FRAME_HMMER, .whole = "--pfamtblout", .option = "--pfamtblout",
                               .row_of_target = 1, .list = ws_write_pfamtblout},
    [WS_DOMFORM_STO] = {.whole = MSA, .option = "-A", .list = ws_write_stockholm, .hold = alignments},
    [WS_DOMFORM_A2M] = {.whole = MSA, .list = ws_write_a2m, .hold = alignments},
    [WS_DOMFORM_A3M] = {.pass = {{.begin = ws_write_a3m_origin, .target = ws_write_a3m_target}}, .hold = alignments},
    [WS_DOMFORM_FASTA] = {.by_seq = 1, .pass = {{.target = ws_write_fasta_target}}, .hold = alignments},
    [WS_DOMFORM_IDS] = {.row_of_target = 1, .pass = {{.target = ws_write_ids_target}}},
    [WS_DOMFORM_BED] = {.by_seq = 1, .places = 1, .pass = {{.target = ws_write_bed_target}}},
    [WS_DOMFORM_GFF3] = {.by_seq = 1, .places = 1, .head = WS_GFF3_HEAD, .pass = {{.target = ws_write_gff3_target}}},
    [WS_DOMFORM_RECORDS] = {.by_seq = 1, .whole = "--records", .option = "--records", .list = ws_write_records,
                            .hold = alignments},
};

static const ws_held *first_below(const ws_hitlist *l) {
    for (size_t i = 0; i < l->n; i++)
        if ((l->hit[i]->flags & WS_HELD_REPORTED) && !(l->hit[i]->flags & WS_HELD_INCLUDED)) return l->hit[i];
    return NULL;
}

/* Returns how many targets are a share: those of some 64 domains, on average. */
static size_t share_of(const ws_hitlist *l) {
    enum { DOMAINS = 64 };
    size_t domains = 0;
    for (size_t i = 0; i < l->n; i++) domains += ws_max(l->hit[i]->n, 1);
    return ws_max(DOMAINS * l->n / ws_max(domains, 1), 1);
}

typedef struct targets {
    const ws_hitpass *pass;
    const ws_hitquery *q;
} targets;

static void write_targets(void *of, ws_sink *s, size_t from, size_t to) {
    const targets *t = of;
    for (size_t i = from; i < to; i++) t->pass->target(s, t->q, t->q->list->hit[i]);
}

void ws_hitform_write(const ws_hitform *f, ws_sink *s, const ws_hitquery *q) {
    ws_hitquery one = *q;
    if (f->list) {
        f->list(s, q);
        return;
    }
    const size_t share = share_of(q->list);
    one.below = first_below(q->list);
    for (const ws_hitpass *p = f->pass; p < f->pass + WS_HITPASSES && p->target; p++) {
        targets all = {p, &one};
        if (p->begin) p->begin(s, &one);
        (void)ws_sink_items(s, q->list->n, share, q->threads, write_targets, &all);
        if (p->end) p->end(s, &one);
    }
}
