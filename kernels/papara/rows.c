/* SPDX-License-Identifier: MIT
 * --all-edges: every score of every read, a row each. Scores are made here and not in the stage before, because a batch
 * of reads times all edges need not be kept: one read's row is. */
#include "kernels/papara/program.h"

static int head(const ws_job *job, ws_buf *out, ws_err *err) {
    const ws_papara_run_data *d = job->data;
    int rc = job->common.no_provenance || !job->head
                 ? WS_OK
                 : ws_buf_add(out, job->head->provenance.p, job->head->provenance.n, err);
    if (!rc) rc = ws_provenance(job, job->head ? job->head->npg + 1 : 1, out, err);
    if (rc || job->common.header == WS_HEADER_NONE) return rc;
    return ws_buf_addf(out, err, "%sname\tedge\tscore%s\n", job->common.header == WS_HEADER_HASH ? "#" : "",
                       d->opts->both_strands ? "\tstrand" : "");
}

/* snprintf took as long as the scores. */
static char *put_number(char *to, int64_t v) {
    char digits[24];
    int n = 0;
    if (v < 0) *to++ = '-';
    for (uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v; n == 0 || u > 0; u /= 10)
        digits[n++] = (char)('0' + u % 10);
    while (n > 0) *to++ = digits[--n];
    return to;
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
        if (s->tied) p = put_number(p, (int64_t)e);
        *p++ = '\t';
        if (s->tied) p = put_number(p, ws_papara_result(&d->ref.scheme, s->len, r->cost[e]));
        for (const char *c = strand; *c; c++) *p++ = *c;
        *p++ = '\n';
        out->n = (size_t)(p - out->p);
    }
    return WS_OK;
}

static int emit(const ws_job *job, const ws_batch *b, const ws_hits *hits, ws_lane *lane, ws_outtext *out,
                ws_err *err) {
    ws_papara_run_data *d = job->data;
    const ws_papara_face *face = ws_job_turn(job)->own;
    for (size_t i = 0; i < hits->n; i++) {
        const uint32_t seq = hits->hit[i].seq;
        ws_papara_read r;
        ws_papara_score s;
        int rc = ws_papara_read_begin(&r, &d->ref, ws_lane_codes(lane, seq), b->len[seq], lane, err);
        if (rc) return rc;
        ws_papara_read_score(&r, face->cost, &s);
        const ws_slice name = b->seqtext[seq].name;
        rc = one_read(d, &r, &s, ws_batch_text(b, name), name.n, &out->text, err);
        if (rc) return rc;
        out->rows += s.tied ? d->ref.edges.nedge : 1;
        d->unscored += s.tied == 0;
    }
    d->rows += out->rows;
    d->reads += b->n;
    d->residues += b->residues;
    return WS_OK;
}

static int end(const ws_job *job, ws_buf *out, ws_err *err) {
    const ws_papara_run_data *d = job->data;
    if (job->common.no_provenance) return WS_OK;
    return ws_buf_addf(out, err, "##end rows=%llu in=%llu residues=%llu\n", (unsigned long long)d->rows,
                       (unsigned long long)d->reads, (unsigned long long)d->residues);
}

const ws_custom_out ws_papara_all_edges_out = {.head = head, .emit = emit, .end = end};
