/* SPDX-License-Identifier: MIT
 * What stands before the first row of a table and behind the last, and the counts that go on to the next stage. */
#include "lib/run/table.h"
#include "lib/scan/state.h"

#include <stdio.h>

int ws_scan_provenance(const ws_job *job, ws_buf *out, ws_err *err) {
    const ws_tsv_head *head = ws_scan_of(job)->head;
    int rc = job->common.no_provenance ? WS_OK : ws_buf_add(out, head->provenance.p, head->provenance.n, err);
    return rc || ws_scan_changes_form_only(ws_scan_state_of(job)) ? rc : ws_provenance(job, head->npg + 1, out, err);
}

int ws_scan_head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    const ws_scan_state *s = ws_scan_state_of(job);
    const ws_names names = {s->oname, sizeof *s->oname, s->nocol};
    (void)own;
    int rc = ws_scan_provenance(job, out, err);
    return rc ? rc : ws_table_head(job, &names, NULL, s->nocol, out, err);
}

int ws_scan_counted(const ws_job *job, uint64_t *seqs, uint64_t *residues) {
    const ws_tsv_head *head = ws_scan_of(job)->head;
    ws_seqread_counts n;
    if (head->uncounted || (head->npg > 0 && head->ends == 0)) return 0;
    ws_seqread_counts_get(ws_scan_state_of(job)->input, &n);
    *seqs = head->ends ? head->in : n.seqs;
    *residues = head->ends ? head->residues : n.residues * ws_max(ws_scan_of(job)->strands, 1);
    return 1;
}

/* What the first stage read is handed on: E-values need it. Behind a cut nobody knows, so nothing is said. */
ws_pairs_counts ws_scan_counts(const ws_job *job) {
    const ws_tsv_head *head = ws_scan_of(job)->head;
    const int keeps = ws_scan_changes_form_only(ws_scan_state_of(job));
    ws_pairs_counts n = {.state = WS_COUNTS_KNOWN};
    if (job->common.no_provenance || (keeps && !head->npg && !head->ends)) return (ws_pairs_counts){.state = WS_COUNTS_NO_END};
    return ws_scan_counted(job, &n.seqs, &n.residues) ? n : (ws_pairs_counts){.state = WS_COUNTS_UNKNOWN};
}

int ws_scan_end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err) {
    const ws_pairs_counts n = ws_scan_counts(job);
    char counts[80] = "";
    (void)own;
    if (n.state == WS_COUNTS_NO_END) return WS_OK;
    if (n.state == WS_COUNTS_KNOWN)
        snprintf(counts, sizeof counts, " in=%llu residues=%llu", (unsigned long long)n.seqs, (unsigned long long)n.residues);
    return ws_table_end(job, rows, counts, out, err);
}
