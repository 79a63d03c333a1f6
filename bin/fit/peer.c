/* SPDX-License-Identifier: MIT
 * hmmalign of HMMER 3.4, in whose place hmmfit stands when it is called by that name. */
#include "bin/fit/fit.h"
#include "lib/run/peeropts.h"

const ws_peer ws_peer_hmmalign = {
    .name = "hmmalign",
    .title = "align sequences to a profile HMM",
    .usage = "[-options] <hmmfile> <seqfile>",
    .noperand = 2,
    .fixed = (const char *const[]){"--threads", "1", NULL}, /* it has one, and its callers start several of it */
    .opt = (const ws_peer_opt[]){
        HELP, FLAG(BASIC, "-o", "write the alignment to file <f> [standard output]", NULL),
        FLAG(OTHER, "--mapali", "write the rows of the model's alignment in file <f> first", NULL),
        FLAG(OTHER, "--trim", "leave out residues before the first node and behind the last", NULL),
        FLAG(OTHER, "--amino", "insist on a model of proteins", NULL),
        FLAG(OTHER, "--dna", "insist on a model of DNA", NULL), FLAG(OTHER, "--rna", "insist on a model of RNA", NULL),
        FLAG(OTHER, "--informat", "the sequences have format <s> [by content]", NULL),
        VALUE(OTHER, "--outformat", "Stockholm", NULL, "write the alignment in format <s>", NULL), {.name = NULL}},
};
