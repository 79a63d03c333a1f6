/* SPDX-License-Identifier: MIT
 * The options that every tool has, and their defaults. */
#include "lib/run/job.h"

#define AT(field) offsetof(ws_common, field)
#define PLAIN .given = WS_OPT_NOGIVEN

static const char *const headers[] = {"hash", "plain", "none", NULL};

const ws_opt ws_common_opts[] = {
    {'o', "output", NULL, WS_OPT_STRING, AT(output), "FILE", "write to FILE [standard output]",
     .group = WS_GROUP_OUTPUT, PLAIN},
    {'f', "fields", NULL, WS_OPT_STRING, AT(fields), "LIST", "write these columns, separated by commas [all]",
     .group = WS_GROUP_OUTPUT, .flags = WS_OPT_TABLE, PLAIN},
    {0, "header", NULL, WS_OPT_CHOICE, AT(header), "STYLE",
     "write column names after a #, plain, or not at all (none) [hash]",
     .choices = headers, .group = WS_GROUP_OUTPUT, .flags = WS_OPT_TABLE, PLAIN},
    {0, "no-provenance", NULL, WS_OPT_FLAG, AT(no_provenance), NULL, "write no ##warpsieve lines",
     .group = WS_GROUP_OUTPUT, .flags = WS_OPT_TABLE, PLAIN},
    {0, "no-seq", NULL, WS_OPT_FLAG, AT(no_seq), NULL, "write no columns seq and qual", .group = WS_GROUP_OUTPUT,
     .flags = WS_OPT_TABLE, PLAIN},
    {0, "plain", NULL, WS_OPT_FLAG, AT(plain), NULL,
     "a table for pandas, R, DuckDB: plain header, no ## lines, no sequences, texts with quotes as in CSV",
     .group = WS_GROUP_OUTPUT, .flags = WS_OPT_TABLE, PLAIN},

    {'t', "threads", "cpu", WS_OPT_INT, AT(threads), "N", "threads in all [all cores that the process may use]",
     .min = 0, .max = 4096, .group = WS_GROUP_RUN, PLAIN},
    {0, "backend", NULL, WS_OPT_STRING, AT(backend), "NAME",
     "auto, or one that --list-backends shows; all give the same rows [auto]", .group = WS_GROUP_RUN,
     .flags = WS_OPT_SCORING, PLAIN},
    {0, "gpu", NULL, WS_OPT_FLAG, AT(gpu), NULL, "same as --backend cuda", .group = WS_GROUP_RUN,
     .flags = WS_OPT_SCORING, PLAIN},
    {0, "device", NULL, WS_OPT_STRING, AT(device), "LIST", "devices of --backend cuda: 0,2 or all [0]",
     .group = WS_GROUP_RUN, .flags = WS_OPT_SCORING, PLAIN},
    {'K', "batch", NULL, WS_OPT_SIZE, AT(batch), "SIZE",
     "residues in a batch; all sizes give the same rows [what suits the backend]", .min = 1, .max = 1e12,
     .group = WS_GROUP_RUN, PLAIN},
    {0, "gpu-mem", NULL, WS_OPT_SIZE, AT(gpu_mem), "SIZE", "use at most this much memory of each device", .min = 1e6,
     .max = 1e13, .group = WS_GROUP_RUN, .flags = WS_OPT_SCORING, PLAIN},
    {0, "list-backends", NULL, WS_OPT_FLAG, AT(list_backends), NULL,
     "list the backends and say why some cannot run here", .group = WS_GROUP_RUN, .flags = WS_OPT_SCORING, PLAIN},

    {'q', "quiet", NULL, WS_OPT_FLAG, AT(quiet), NULL, "write no notes and no progress on standard error",
     .group = WS_GROUP_MISC, PLAIN},
    {0, "progress", NULL, WS_OPT_FLAG, AT(progress), NULL, "show progress even if standard error is no terminal",
     .group = WS_GROUP_MISC, PLAIN},
    {0, "no-progress", NULL, WS_OPT_FLAG, AT(no_progress), NULL, "never show progress", .group = WS_GROUP_MISC, PLAIN},
    {0, "dry-run", NULL, WS_OPT_FLAG, AT(dry_run), NULL,
     "write no output: run about a second of the job, and estimate its time and memory",
     .group = WS_GROUP_MISC, PLAIN},
    {0, "stats", NULL, WS_OPT_OPTSTR, AT(stats), "FILE",
     "report counts, seconds and speed at the end, on standard error or as JSON in FILE",
     .group = WS_GROUP_MISC, PLAIN},
    {'h', "help", NULL, WS_OPT_HELP, 0, NULL, "show this help", .group = WS_GROUP_MISC, PLAIN},
    {0, "version", NULL, WS_OPT_VERSION, 0, NULL, "show the version", .group = WS_GROUP_MISC, PLAIN},
    {0, "dump-options", NULL, WS_OPT_DUMP, 0, NULL, "options as a table, for completions and tests",
     .group = WS_GROUP_MISC, .flags = WS_OPT_HIDDEN, PLAIN},
    WS_OPT_END,
};
