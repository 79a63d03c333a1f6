/* SPDX-License-Identifier: MIT
 * hmmalign of HMMER 3.4, in whose place hmmfit stands when it is called by that name. */
#include "bin/fit/fit.h"
#include "lib/run/peer.h"

#define OPTION(name_, kind_, default_, group_, help_) \
    {.name = name_, .kind = kind_, .value = default_, .help = help_, .group = WS_PEER_##group_}

static const ws_peer_opt opts[] = {
    {.name = "-h", .help = "show this", .group = WS_PEER_BASIC, .tool = ""},
    OPTION("-o", 'f', NULL, BASIC, "write the alignment to file <f> [standard output]"),
    OPTION("--mapali", 'f', NULL, OTHER, "write the rows of the model's alignment in file <f> first"),
    OPTION("--trim", 0, NULL, OTHER, "leave out residues before the first node and behind the last"),
    OPTION("--amino", 0, NULL, OTHER, "insist on a model of proteins"),
    OPTION("--dna", 0, NULL, OTHER, "insist on a model of DNA"),
    OPTION("--rna", 0, NULL, OTHER, "insist on a model of RNA"),
    OPTION("--informat", 's', NULL, OTHER, "the sequences have format <s> [by content]"),
    OPTION("--outformat", 's', "Stockholm", OTHER, "write the alignment in format <s>"),
    {.name = NULL},
};

/* hmmalign has one thread, and its callers start several of them. */
static const char *const one_thread[] = {"--threads", "1", NULL};

const ws_peer ws_peer_hmmalign = {
    .name = "hmmalign",
    .title = "align sequences to a profile HMM",
    .usage = "[-options] <hmmfile> <seqfile>",
    .noperand = 2,
    .opt = opts,
    .fixed = one_thread,
};
