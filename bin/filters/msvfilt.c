/* SPDX-License-Identifier: MIT
 * msvfilt: the multiple-segment ungapped filter, followed by the composition-bias filter: hmmsearch's first filter. */
#include "kernels/msv/msv.h"
#include "bin/filters/cascade.h"
#include "kernels/filter/backend.h"

static const ws_filtercol column[] = {
    {"msv_bits", WS_COL_BITS, ws_filtercol_bits, 0},
    {"bias_bits", WS_COL_BITS, ws_filtercol_bias, WS_FILTER_NEEDS_BIAS},
    {"msv_p", WS_COL_P, ws_filtercol_p, 0},
    WS_FILTER_ACCESSION,
    {"msv_sat", WS_COL_COUNT, ws_filtercol_saturated, WS_FILTER_ON_DEMAND},
};
static const ws_names columns = WS_NAMES(column);

const ws_stage ws_msvfilt_stage = {.columns = &columns,
                               .default_p = 0.02,
                               .mu = WS_MMU,
                               .lambda = WS_MLAMBDA,
                               .bias = 1,
                               .uncorrected_first = 1};

static const ws_opt opts[] = {WS_CASCADE_OPTS("0.02"), WS_CASCADE_NOBIAS, WS_OPT_END};

static void defaults(void *own) { ((ws_cascade_opts *)own)->p = ws_msvfilt_stage.default_p; }
static int open_stage(ws_job *job, ws_err *err) { return ws_cascade_open(job, &ws_msvfilt_stage, err); }

static const ws_backend *const backends[] = {&ws_msv_cuda, WS_FILTER_BACKENDS(ws_msv_), NULL};

const ws_tool ws_msvfilt_tool = {
    .name = "msvfilt",
    .summary = "keep sequences with good ungapped segments (HMMER3's MSV and bias filters)",
    .usage = "MODEL [FILE...]",
    .columns = {&ws_pair_columns, &columns},
    .examples = "  # the whole cascade from a compressed database to a table of hits\n"
                "  zcat db.fa.gz | msvfilt m.hmm | vitfilt m.hmm | fwdscore m.hmm > hits.tsv\n"
                "  # many models in one pass, from a pipe; survivors as FASTA\n"
                "  zcat db.fa.gz | msvfilt -O fasta models.hmm > maybe.fa\n",
    WS_CASCADE_TOOL,
};
