/* SPDX-License-Identifier: MIT
 * hmmpress and hmmfetch of HMMER 3.4, in whose place hmmindex and hmmpick stand when they are called by these names. */
#include "bin/press/program.h"
#include "lib/run/peeropts.h"

/* Both have one thread in HMMER. */
static const char *const one_thread[] = {"--threads", "1", NULL};

const ws_peer ws_peer_hmmpress = {
    .name = "hmmpress",
    .title = "prepare an HMM database for faster hmmscan searches",
    .usage = "[-options] <hmmfile>",
    .noperand = 1,
    .fixed = one_thread,
    .opt = (const ws_peer_opt[]){
        HELP, FLAG(BASIC, "-f", "replace the files of an earlier index", NULL), {.name = NULL}},
};

const ws_peer ws_peer_hmmfetch = {
    .name = "hmmfetch",
    .title = "retrieve profile HMM(s) from a file",
    .usage = "[options] <hmmfile> <key>         (one model)\n"
             "       hmmfetch [options] -f <hmmfile> <keyfile>  (all models of a list)\n"
             "       hmmfetch [options] --index <hmmfile>       (makes an index)",
    .noperand = -1,
    .fixed = one_thread,
    .opt = (const ws_peer_opt[]){
        HELP, FLAG(BASIC, "-f", "the second operand is a file of keys, or - for standard input", NULL),
        FLAG(BASIC, "-o", "write to file <f> [standard output]", NULL),
        FLAG(BASIC, "-O", "write each model to a file named by its key", NULL),
        FLAG(BASIC, "--index", "make the index <hmmfile>.ssi", NULL), {.name = NULL}},
};
