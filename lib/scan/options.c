/* SPDX-License-Identifier: MIT
 * The options that every tool of sequences has. */
#include "lib/scan/state.h"

#define AT(field) offsetof(ws_scan, field)
#define PLAIN .given = WS_OPT_NOGIVEN

static const char *const out_formats[] = {"tsv", "fasta", "packed", "ids", NULL};
static const char *const badres[] = {"error", "x", "skip", NULL};

const ws_opt ws_scan_opts[] = {
    {'a', "all", NULL, WS_OPT_FLAG, AT(all), NULL, "score and keep every sequence, whatever its score",
     .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT | WS_OPT_SCORING, PLAIN},

    {0, "in-format", NULL, WS_OPT_CHOICE, AT(in_format), "FORMAT",
     "insist on " WS_FORMAT_NAMES " [auto: by content]", .choices = ws_format_names, .group = WS_GROUP_INPUT, PLAIN},
    {0, "bad-residue", NULL, WS_OPT_CHOICE, AT(badres), "WHAT",
     "a character that is no residue: error, x (take it as unknown) or skip (leave it out) [error]", .choices = badres,
     .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, PLAIN},
    {0, "allow-cut", NULL, WS_OPT_FLAG, AT(allow_cut), NULL, "accept a table without its ##end line (after head, say)",
     .group = WS_GROUP_INPUT, PLAIN},

    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(out_format), "FORMAT", "write tsv, fasta, packed or ids [tsv]",
     .choices = out_formats, .group = WS_GROUP_OUTPUT, PLAIN},
    {'U', "rejected", NULL, WS_OPT_STRING, AT(rejected), "FILE", "write what did not pass there, in the same format",
     .group = WS_GROUP_OUTPUT, .flags = WS_OPT_SCORING, PLAIN},
    WS_OPT_END,
};
