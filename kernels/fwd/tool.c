/* SPDX-License-Identifier: MIT
 * fwdscore: the Forward score, hmmsearch's last sieve before it defines domains. */
#include "kernels/fwd/fwd.h"
#include "lib/cascade/cascade.h"

static const ws_stage stage = {.bits_column = "fwd_bits",
                               .p_column = "fwd_p",
                               .default_p = 1e-5,
                               .mu = WS_FTAU,
                               .lambda = WS_FLAMBDA,
                               .tail = 1,
                               .bias = 1,
                               .evalue = 1};

static const ws_opt opts[] = {
    WS_CASCADE_OPTS("1e-5"),
    WS_CASCADE_NOBIAS,
    WS_CASCADE_FLAG("cut_ga", cut_ga, "pass if the bit score reaches the model's GA cutoff"),
    WS_CASCADE_FLAG("cut_nc", cut_nc, "pass if the bit score reaches the model's NC cutoff"),
    WS_CASCADE_FLAG("cut_tc", cut_tc, "pass if the bit score reaches the model's TC cutoff"),
    WS_OPT_END,
};

static void defaults(void *own) { ((ws_cascade_opts *)own)->p = stage.default_p; }
static int open_stage(ws_job *job, ws_err *err) { return ws_cascade_open(job, &stage, err); }

static const ws_backend *const backends[] = {&ws_fwd_cuda, WS_X86(&ws_fwd_avx512, &ws_fwd_avx2,) &ws_fwd_scalar, NULL};

const ws_tool ws_fwd_tool = {
    .name = "fwdscore",
    .summary = "score sequences over all alignments (HMMER3's Forward), with P- and E-values",
    .usage = "MODEL [FILE...]",
    .examples = "  # hits with E-values: Z is the number of sequences in the database\n"
                "  zcat db.fa.gz | msvfilt m.hmm | vitfilt m.hmm | fwdscore -Z 82814 -E 1e-3 m.hmm > hits.tsv\n"
                "  # what hmmsearch has to look at, and hmmsearch looking\n"
                "  ... | fwdscore -O fasta m.hmm | hmmsearch -Z 82814 m.hmm -\n",
    WS_CASCADE_TOOL,
};
