/* SPDX-License-Identifier: MIT
 * ssvfilt: the single-segment ungapped filter, the cheapest filter of the chain. */
#include "bin/filters/cascade.h"
#include "kernels/filter/backend.h"
#include "kernels/ssv/ssv.h"

static const ws_filtercol column[] = {
    {"ssv_bits", WS_COL_BITS, ws_filtercol_bits, 0}, {"ssv_p", WS_COL_P, ws_filtercol_p, 0}, WS_FILTER_ACCESSION,
    {"ssv_sat", WS_COL_COUNT, ws_filtercol_saturated, WS_FILTER_ON_DEMAND},
};
static const ws_names columns = WS_NAMES(column);

static const ws_stage stage = {.columns = &columns, .default_p = 0.02, .mu = WS_MMU, .lambda = WS_MLAMBDA};

static const ws_opt opts[] = {WS_CASCADE_OPTS("0.02"), WS_OPT_END};

static void defaults(void *own) { ((ws_cascade_opts *)own)->p = stage.default_p; }
static int open_stage(ws_job *job, ws_err *err) { return ws_cascade_open(job, &stage, err); }

extern const ws_backend ws_ssv_cuda;
static const ws_backend *const backends[] = {&ws_ssv_cuda, WS_FILTER_BACKENDS(ws_ssv_), NULL};

const ws_tool ws_ssvfilt_tool = {
    .name = "ssvfilt",
    .summary = "keep sequences with a good ungapped segment (HMMER3's SSV filter)",
    .usage = "MODEL [FILE...]",
    .columns = {&ws_pair_columns, &columns},
    .examples = "  # pass a database through the cheapest filter, names only\n"
                "  ssvfilt -O ids globins4.hmm proteins.fa\n"
                "  # a first sieve before the others, from a pipe\n"
                "  zcat db.fa.gz | ssvfilt m.hmm | msvfilt m.hmm | vitfilt m.hmm | fwdscore m.hmm > hits.tsv\n",
    WS_CASCADE_TOOL,
};
