/* SPDX-License-Identifier: MIT
 * The order of the steps from an alignment to its counts: section 5 of build.md. */
#include "kernels/cast/align.h"

#include "lib/base/parallel_for.h"
#include "lib/msa/digital.h"
#include "lib/simd/width.h"

enum { SHARE = 256 }; /* rows that a thread takes at once */

void ws_build_ali_default(ws_build_ali_settings *s) {
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    *s = (ws_build_ali_settings){.symfrac = 0.5f, .fragthresh = 0.5f, .wid = 0.62, .eid = 0.62, .threads = 1,
                                 .width = ws_cpu_best(&cpu)};
}

void ws_build_ali_release(ws_build_ali *a) {
    ws_build_counts_release(&a->counts);
    ws_free(a->weight);
    ws_free(a->column);
    for (int i = 0; i < WS_NNOTE; i++) ws_free(a->note[i]);
    *a = (ws_build_ali){0};
}

/* Sets the columns of nodes; *M is their number. */
static int find_nodes(ws_build_ali *a, const ws_msa *m, const ws_build_ali_settings *s, int *M, ws_err *err) {
    int32_t k = 0;
    uint8_t *is = ws_calloc(m->columns, 1, err);
    int rc = is ? ws_build_columns(m, s, a->weight, is, err) : err->code;
    for (size_t c = 0; !rc && c < m->columns; c++) k += is[c];
    if (!rc && !(a->column = ws_calloc((size_t)k + 1, sizeof *a->column, err))) rc = err->code;
    *M = k;
    k = 0;
    for (size_t c = 0; !rc && c < m->columns; c++)
        if (is[c]) a->column[++k] = (int32_t)c + 1;
    ws_free(is);
    return rc;
}

/* Copies a line of the alignment at the nodes; `dash` replaces dots. */
static int take_note(ws_build_ali *a, const ws_msa *m, int note, int line, int dash, ws_err *err) {
    const int M = a->counts.M;
    if (!m->line[line]) return WS_OK;
    char *to = a->note[note] = ws_calloc((size_t)M + 2, 1, err);
    if (!to) return err->code;
    to[0] = ' ';
    for (int k = 1; k <= M; k++) {
        to[k] = m->line[line][a->column[k] - 1];
        if (dash && to[k] == '.') to[k] = '-';
    }
    return WS_OK;
}

typedef struct reading {
    ws_build_ali *a;
    const ws_msa *m;
    ws_build_ali_settings settings;
} reading;

static int weigh_or_sum(void *ctx, size_t i, ws_err *err) {
    reading *r = ctx;
    if (i == 0) return ws_build_weigh(r->m, &r->settings, r->a->weight, err);
    r->a->checksum = ws_msa_checksum(r->m);
    return WS_OK;
}

/* Weighs the rows, while a thread makes the checksum, which only one thread can do. */
static int weigh(ws_build_ali *a, const ws_msa *m, const ws_build_ali_settings *s, ws_err *err) {
    reading r = {.a = a, .m = m, .settings = *s};
    if (s->threads > 1) r.settings.threads--;
    return ws_parallel_for(2, s->threads, weigh_or_sum, &r, err);
}

typedef struct rows {
    ws_msa *m;
    const ws_build_ali *a;
    double fragments;
} rows;

static int mark_share(void *ctx, size_t i, ws_err *err) {
    const rows *r = ctx;
    (void)err;
    ws_msa_mark_fragments(r->m, i * SHARE, ws_min(SHARE, r->m->rows - i * SHARE), r->fragments);
    return WS_OK;
}

static int doctor_share(void *ctx, size_t i, ws_err *err) {
    const rows *r = ctx;
    (void)err;
    ws_build_doctor(r->m, r->a->column, r->a->counts.M, i * SHARE, ws_min(SHARE, r->m->rows - i * SHARE));
    return WS_OK;
}

/* Limits the mean length of insertions (section 5.9). */
static void limit_inserts(ws_build_counts *c, float longest) {
    for (int k = 1; k < c->M; k++) {
        float *t = c->tr + (size_t)k * WS_NTRANS;
        if (t[WS_TII] > longest * t[WS_TMI]) t[WS_TII] = longest * t[WS_TMI];
    }
}

static int create(ws_build_ali *a, ws_msa *m, const ws_build_ali_settings *s, ws_err *err) {
    const size_t shares = (m->rows + SHARE - 1) / SHARE;
    rows r = {.m = m, .a = a, .fragments = (double)s->fragthresh};
    int M = 0;
    if (m->columns >= INT32_MAX)
        return ws_fail(err, WS_EDATA, "the alignment has %zu columns, at most %d are possible", m->columns,
            INT32_MAX - 1);
    if (ws_msa_check_missing(m, err)) return err->code;
    if (!(a->weight = ws_calloc(m->rows, sizeof *a->weight, err))) return err->code;
    if (weigh(a, m, s, err)) return err->code;
    a->has_weights = m->weight || (m->rows > 1 && s->weights < WS_BUILD_WGIVEN);
    if (ws_parallel_for(shares, s->threads, mark_share, &r, err)) return err->code;
    if (find_nodes(a, m, s, &M, err)) return err->code;
    if (ws_build_counts_create(&a->counts, m->abc, M, (int32_t)m->rows, err)) return err->code;
    if (take_note(a, m, WS_NOTE_RF, WS_MSA_RF, 0, err) || take_note(a, m, WS_NOTE_CS, WS_MSA_SS, 0, err) ||
        take_note(a, m, WS_NOTE_MM, WS_MSA_MM, 1, err))
        return err->code;
    ws_build_mask(m);
    if (s->clusters && ws_build_clusters(m, s->eid, &a->counts.nclusters, err)) return err->code;
    if (ws_parallel_for(shares, s->threads, doctor_share, &r, err)) return err->code;
    if (ws_build_count(m, a->column, a->weight, s->threads, &a->counts, err)) return err->code;
    if (s->maxinsertlen > 0) limit_inserts(&a->counts, s->maxinsertlen);
    return WS_OK;
}

int ws_build_ali_create(ws_build_ali *a, ws_msa *m, const ws_build_ali_settings *s, ws_err *err) {
    *a = (ws_build_ali){0};
    const int rc = create(a, m, s, err);
    if (rc) ws_build_ali_release(a);
    return rc;
}
