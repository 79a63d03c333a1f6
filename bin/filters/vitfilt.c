/* SPDX-License-Identifier: MIT
 * vitfilt: the Viterbi filter, hmmsearch's second filter. */
#include "kernels/vit/vit.h"
#include "bin/filters/cascade.h"
#include "kernels/filter/backend.h"

static const ws_filtercol column[] = {
    {"vit_bits", WS_COL_BITS, ws_filtercol_bits, 0},
    {"bias_bits", WS_COL_BITS, ws_filtercol_bias, WS_FILTER_NEEDS_BIAS | WS_FILTER_IF_ABSENT},
    {"vit_p", WS_COL_P, ws_filtercol_p, 0},
    WS_FILTER_ACCESSION,
    {"vit_sat", WS_COL_COUNT, ws_filtercol_saturated, WS_FILTER_ON_DEMAND},
};
static const ws_names columns = WS_NAMES(column);

const ws_stage ws_vitfilt_stage = {.columns = &columns,
                               .default_p = 0.001,
                               .mu = WS_VMU,
                               .lambda = WS_VLAMBDA,
                               .bias = 1,
                               .may_skip = 1,
                               .later = 1};

static const ws_opt opts[] = {
    WS_CASCADE_OPTS("0.001"),
    WS_CASCADE_NOBIAS,
    WS_CASCADE_FLAG("no-skip", no_skip, "ask the Viterbi filter also of rows whose MSV P is already below -P"),
    WS_OPT_END,
};

static void defaults(void *own) { ((ws_cascade_opts *)own)->p = ws_vitfilt_stage.default_p; }
static int open_stage(ws_job *job, ws_err *err) { return ws_cascade_open(job, &ws_vitfilt_stage, err); }

static const ws_backend *const backends[] = {&ws_vit_cuda, WS_FILTER_BACKENDS(ws_vit_), NULL};

const ws_tool ws_vitfilt_tool = {
    .name = "vitfilt",
    .summary = "keep sequences with a good gapped alignment (HMMER3's Viterbi filter)",
    .usage = "MODEL [FILE...]",
    .columns = {&ws_pair_columns, &columns},
    .examples = "  # after msvfilt, which hands its rows on\n"
                "  zcat db.fa.gz | msvfilt m.hmm | vitfilt m.hmm > maybe.tsv\n"
                "  # alone, on a FASTA file\n"
                "  vitfilt -P 1e-4 m.hmm proteins.fa\n",
    WS_CASCADE_TOOL,
};
