/* SPDX-License-Identifier: MIT
 * Sequences and ORFs as lib/scan sees them: behind one table of functions. */
#include "lib/scan/input.h"
#include "tests/lib/io.h"

/* An input at its end. */
typedef struct told {
    int rc;
    uint64_t seqs, joined;
    ws_seqread_counts counts;
    double share;
    const char *abc;
    uint64_t ledger;
    int measured;
} told;

static told deliver_all(const char *path, const ws_translate *how) {
    const ws_seqread_conf conf = {.path = &path, .npath = 1, .abc = ws_abc_get(WS_ABC_DNA), .batch_residues = 1,
                                  .batch_seqs = SIZE_MAX, .whole_text = 1};
    ws_scan_input in = {0};
    ws_batch b = {0};
    told got = {0};
    ws_err err;
    must(!ws_scan_input_open(&in, &conf, how, 2, &err), "open");
    in.kind->batch(in.own, 1000);
    while (!(got.rc = in.kind->fill(in.own, &b, &err))) {
        got.seqs += b.n;
        (void)in.kind->ahead(in.own);
    }
    in.kind->counts(in.own, &got.counts);
    got.share = in.kind->share(in.own);
    got.joined = in.kind->joined(in.own);
    got.abc = in.kind->abc(in.own)->letters;
    got.measured = in.kind->measure(path, &(uint64_t){0});
    got.ledger = in.ledger->seqs;
    ws_scan_input_close(&in);
    ws_scan_input_close(&in);
    ws_batch_release(&b);
    return got;
}

int main(void) {
    static const char fasta[] = ">a\nAC\n>b\nGTATGAAATTTGGGCCC\n>c\nATGATGATGATGATG\n";
    const ws_translate how = {.table = 1, .least = 5, .joins = 1, .strands = WS_STRANDS_WATSON};
    char path[] = "/tmp/warpsieve.XXXXXX";
    tap t = {0};
    const int fd = mkstemp(path);
    must(fd >= 0 && write(fd, fasta, sizeof fasta - 1) == (ssize_t)sizeof fasta - 1 && !close(fd), "a file");
    const told seqs = deliver_all(path, NULL), orfs = deliver_all(path, &how);
    tap_ok(&t, seqs.rc == WS_EOF && seqs.seqs == 3 && seqs.counts.seqs == 3 && seqs.counts.residues == 34 &&
               seqs.ledger == 3 && !seqs.joined, "sequences: %d of %d bases", (int)seqs.seqs,
           (int)seqs.counts.residues);
    tap_ok(&t, orfs.rc == WS_EOF && orfs.seqs == 3 && orfs.counts.seqs == orfs.seqs && orfs.ledger == orfs.seqs &&
               orfs.joined == 1, "ORFs: %d of %d residues, %d record before the next", (int)orfs.seqs,
           (int)orfs.counts.residues, (int)orfs.joined);
    tap_ok(&t, seqs.share == 1 && orfs.share == 1, "all was delivered: %g and %g", seqs.share, orfs.share);
    tap_ok(&t, !strcmp(seqs.abc, ws_abc_get(WS_ABC_DNA)->letters) &&
               !strcmp(orfs.abc, ws_abc_get(WS_ABC_AMINO)->letters), "bases and amino acids");
    tap_ok(&t, !seqs.measured && !orfs.measured, "FASTA does not say how many residues it has");
    unlink(path);
    return tap_end(&t);
}
