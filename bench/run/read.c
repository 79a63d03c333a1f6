/* SPDX-License-Identifier: MIT
 * How fast sequences are read: files or standard input into batches, nothing else. Prints GB/s of the (compressed)
 * input, seconds, records, rows and residues as one TSV line.
 *
 *   build/bench/run/read [-a amino|dna|rna] [-k residues] [FILE...] */
#include "lib/formats/seqread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int read_all(const ws_seqread_conf *conf, ws_err *err) {
    ws_seqread *r = NULL;
    ws_batch b = {0};
    ws_seqread_counts c;
    uint64_t done, size;
    const double start = now();
    int rc = ws_seqread_open(&r, conf, err);
    while (!rc) rc = ws_seqread_fill(r, &b, err);
    if (rc == WS_EOF) {
        const double s = now() - start;
        ws_seqread_counts_get(r, &c);
        ws_seqread_progress(r, &done, &size);
        printf("%.3f GB/s\t%.3f s\t%llu records\t%llu rows\t%llu residues\n", 1e-9 * (double)done / s, s,
               (unsigned long long)c.seqs, (unsigned long long)c.rows, (unsigned long long)c.residues);
        rc = WS_OK;
    }
    ws_seqread_close(r);
    ws_batch_release(&b);
    return rc;
}

int main(int argc, char **argv) {
    static const char *const standard_input[] = {"-"};
    ws_abc_type type = WS_ABC_AMINO;
    unsigned long long batch = 4 << 20;
    ws_err err;
    for (int c; (c = getopt(argc, argv, "a:k:")) != -1;) {
        if (c == 'a') type = !strcmp(optarg, "dna") ? WS_ABC_DNA : !strcmp(optarg, "rna") ? WS_ABC_RNA : WS_ABC_AMINO;
        else if (c == 'k') batch = strtoull(optarg, NULL, 10);
        else return 2;
    }
    ws_seqread_conf conf = {.path = standard_input, .npath = 1, .abc = ws_abc_get(type), .batch_residues = batch,
                            .batch_seqs = 1 << 20};
    if (optind < argc) {
        conf.path = (const char *const *)(argv + optind);
        conf.npath = argc - optind;
    }
    if (read_all(&conf, &err)) {
        fprintf(stderr, "read: %s\n", err.text);
        return 1;
    }
    return 0;
}
