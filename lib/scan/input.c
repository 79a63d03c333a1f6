/* SPDX-License-Identifier: MIT
 * Sequences and ORFs behind one table of functions: see lib/scan/input.h. */
#include "lib/scan/input.h"

/* ---- sequences ---- */

static void seqs_close(void *own) { ws_seqread_close(own); }
static int seqs_fill(void *own, ws_batch *b, ws_err *err) { return ws_seqread_fill(own, b, err); }
static void seqs_batch(void *own, uint64_t residues) { ws_seqread_batch(own, residues); }
static int seqs_ahead(void *own) { return ws_seqread_ahead(own); }
static void seqs_counts(void *own, ws_seqread_counts *c) { ws_seqread_counts_get(own, c); }
static const ws_abc *seqs_abc(void *own) { return ws_seqread_abc(own); }

static double seqs_share(void *own) {
    uint64_t done, all;
    ws_seqread_progress(own, &done, &all);
    return all ? (double)done / (double)all : -1;
}

static uint64_t seqs_joined(void *own) {
    (void)own;
    return 0;
}

static const ws_scan_input_kind seqs = {seqs_close, seqs_fill,  seqs_batch,  seqs_ahead,       seqs_counts,
                                        seqs_abc,   seqs_share, seqs_joined, ws_packed_measure};

/* ---- ORFs ---- */

static void orfs_close(void *own) { ws_orfread_close(own); }
static int orfs_fill(void *own, ws_batch *b, ws_err *err) { return ws_orfread_fill(own, b, err); }
static void orfs_batch(void *own, uint64_t residues) { ws_orfread_batch(own, residues); }
static int orfs_ahead(void *own) { return ws_orfread_ahead(own); }
static void orfs_counts(void *own, ws_seqread_counts *c) { ws_orfread_counts_get(own, c); }
static double orfs_share(void *own) { return ws_orfread_share(own); }
static uint64_t orfs_joined(void *own) { return ws_orfread_joined(own); }

static const ws_abc *orfs_abc(void *own) {
    (void)own;
    return ws_abc_get(WS_ABC_AMINO);
}

/* A packed file of bases does not say how many residues its ORFs have. */
static int orfs_measure(const char *path, uint64_t *residues) {
    (void)path, (void)residues;
    return 0;
}

static const ws_scan_input_kind orfs = {orfs_close, orfs_fill,  orfs_batch,  orfs_ahead,  orfs_counts,
                                        orfs_abc,   orfs_share, orfs_joined, orfs_measure};

/* ---- both ---- */

int ws_scan_input_open(ws_scan_input *in, const ws_seqread_conf *conf, const ws_translate *how, int threads,
                       ws_err *err) {
    ws_orfread *translated = NULL;
    ws_seqread *files = NULL;
    const int rc = how ? ws_orfread_open(&translated, conf, how, threads, 0, err) : ws_seqread_open(&files, conf, err);
    if (rc) return rc;
    if (how)
        *in = (ws_scan_input){&orfs, translated, ws_orfread_bases(translated), ws_orfread_head(translated),
                              ws_orfread_ledger(translated)};
    else *in = (ws_scan_input){&seqs, files, files, ws_seqread_head(files), ws_seqread_ledger(files)};
    return WS_OK;
}

void ws_scan_input_close(ws_scan_input *in) {
    if (in->kind) in->kind->close(in->own);
    *in = (ws_scan_input){0};
}
