/* SPDX-License-Identifier: MIT
 * --all-edges: every score of every read, one row each. The output computes the scores itself, so only one read's
 * scores are in memory, not those of a batch times all edges. */
#include "bin/papara/program.h"
#include "lib/base/number.h"
#include "lib/run/table.h"

static int head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    static const char *const name[] = {"name", "edge", "score", "strand"};
    static const ws_names all = WS_NAMES(name);
    const ws_papara_run_data *d = ws_papara_data_of(job);
    (void)own;
    int rc = ws_scan_provenance(job, out, err);
    return rc ? rc : ws_table_head(job, &all, NULL, d->opts->both_strands ? 4 : 3, out, err);
}

static int one_read(const ws_papara_run_data *d, const ws_papara_read *r, const ws_papara_score *s, const char *name,
                    size_t name_n, ws_buf *out, ws_err *err) {
    const char *const strand = !d->opts->both_strands ? "" : s->tied == 0 ? "\t" : s->reverse ? "\t-" : "\t+";
    const size_t n = s->tied ? d->ref.edges.nedge : 1;
    for (size_t e = 0; e < n; e++) {
        int rc = ws_buf_reserve(out, name_n + 64, err);
        if (rc) return rc;
        char *p = out->p + out->n;
        for (size_t i = 0; i < name_n; i++) *p++ = name[i];
        *p++ = '\t';
        if (s->tied) p = ws_number_put(p, (int64_t)e);
        *p++ = '\t';
        if (s->tied) p = ws_number_put(p, ws_papara_result(&d->ref.scheme, s->len, r->cost[e]));
        for (const char *c = strand; *c; c++) *p++ = *c;
        *p++ = '\n';
        out->n = (size_t)(p - out->p);
    }
    return WS_OK;
}

static int emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                ws_outtext *out, ws_err *err) {
    ws_papara_run_data *d = ws_papara_data_of(job);
    const ws_papara_face *face = ws_job_pick_backend(job)->own;
    ws_papara_cost_fn *cost = face ? face->cost : ws_papara_cost_best(&job->machine.cpu);
    for (size_t i = 0; i < hits->n; i++) {
        const uint32_t seq = hits->hit[i].seq;
        const uint8_t *code = ws_seqs_codes(&worker->seqs, seq);
        ws_papara_read r;
        ws_papara_score s;
        int rc = ws_papara_read_begin(&r, &d->ref, code, b->len[seq], worker->scratch, err);
        if (rc) return rc;
        ws_papara_read_score(&r, cost, &s);
        const ws_slice name = b->seqtext[seq].name;
        rc = one_read(d, &r, &s, ws_batch_text(b, name), name.n, &out->text, err);
        if (rc) return rc;
        out->rows += s.tied ? d->ref.edges.nedge : 1;
        d->unscored += s.tied == 0;
    }
    return WS_OK;
}

const ws_scan_output ws_papara_all_edges_out = {.output = {.head = head, .end = ws_scan_end}, .emit = emit};
