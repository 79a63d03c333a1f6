/* SPDX-License-Identifier: MIT
 * hmmpress and hmmfetch of HMMER 3.4, in whose place hmmindex and hmmpick stand when they are called by these names. */
#include "bin/press/program.h"

#define OPTION(name_, kind_, help_, tool_) \
    {.name = name_, .kind = kind_, .help = help_, .group = WS_PEER_BASIC, .tool = tool_}

/* Both have one thread in HMMER. */
static const char *const one_thread[] = {"--threads", "1", NULL};

static const ws_peer_opt press_opts[] = {
    OPTION("-h", 0, "show this", ""),
    OPTION("-f", 0, "replace the files of an earlier index", "--force"),
    {.name = NULL},
};

const ws_peer ws_peer_hmmpress = {
    .name = "hmmpress",
    .title = "prepare an HMM database for faster hmmscan searches",
    .usage = "[-options] <hmmfile>",
    .noperand = 1,
    .opt = press_opts,
    .fixed = one_thread,
};

static const ws_peer_opt fetch_opts[] = {
    OPTION("-h", 0, "show this", ""),
    OPTION("-f", 0, "the second operand is a file of keys, or - for standard input", "--list"),
    OPTION("-o", 'f', "write to file <f> [standard output]", NULL),
    OPTION("-O", 0, "write to a file that is called as the key", "--named"),
    OPTION("--index", 0, "make the index <hmmfile>.ssi", NULL),
    {.name = NULL},
};

const ws_peer ws_peer_hmmfetch = {
    .name = "hmmfetch",
    .title = "retrieve profile HMM(s) from a file",
    .usage = "[options] <hmmfile> <key>         (one model)\n"
             "       hmmfetch [options] -f <hmmfile> <keyfile>  (all models of a list)\n"
             "       hmmfetch [options] --index <hmmfile>       (makes an index)",
    .noperand = -1,
    .opt = fetch_opts,
    .fixed = one_thread,
};
