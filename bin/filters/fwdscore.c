/* SPDX-License-Identifier: MIT
 * fwdscore: the Forward score, hmmsearch's last filter before it defines domains. */
#include "kernels/fwd/fwd.h"
#include "bin/filters/cascade.h"
#include "kernels/filter/backend.h"

static const ws_filtercol column[] = {
    {"fwd_bits", WS_COL_BITS, ws_filtercol_bits, 0},
    {"bias_bits", WS_COL_BITS, ws_filtercol_bias, WS_FILTER_NEEDS_BIAS | WS_FILTER_IF_ABSENT},
    {"fwd_p", WS_COL_P, ws_filtercol_p, 0},
    {"fwd_evalue", WS_COL_P, ws_filtercol_evalue, 0},
    WS_FILTER_ACCESSION,
};
static const ws_names columns = WS_NAMES(column);

const ws_stage ws_fwdscore_stage = {.columns = &columns,
                               .default_p = 1e-5,
                               .mu = WS_FTAU,
                               .lambda = WS_FLAMBDA,
                               .tail = 1,
                               .bias = 1,
                               .later = 1};

typedef struct options {
    ws_cascade_opts cascade; /* first, as bin/filters wants it */
    int cut;
    long long best, top;
} options;

#define MOST(name_, help_) \
    {0, #name_, NULL, WS_OPT_INT, offsetof(options, name_), "N", help_, .min = 1, .max = 1e9, \
     .group = WS_GROUP_FILTER, \
     .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN}

/* Options of earlier versions, which asked for curated cutoffs of a score before its corrections. */
#define CUT(name_) \
    {0, name_, NULL, WS_OPT_FLAG, offsetof(options, cut), NULL, "", .group = WS_GROUP_FILTER, .flags = WS_OPT_HIDDEN, \
     .given = WS_OPT_NOGIVEN}

static const ws_opt opts[] = {
    WS_CASCADE_OPTS("1e-5"), WS_CASCADE_NOBIAS,
    MOST(best, "keep only the N best models of each sequence"),
    MOST(top, "keep only the N best sequences of each model; rows leave at the end"),
    CUT("cut_ga"), CUT("cut_nc"), CUT("cut_tc"), WS_OPT_END,
};

static void defaults(void *own) { ((options *)own)->cascade.p = ws_fwdscore_stage.default_p; }

static int open_stage(ws_job *job, ws_err *err) {
    if (((const options *)job->own)->cut)
        return ws_fail(err, WS_EUSAGE,
                       "fwdscore has no --cut_ga, --cut_nc and --cut_tc: a model's cutoffs are for final scores, which "
                       "domscore computes");
    int rc = ws_cascade_open(job, &ws_fwdscore_stage, err);
    if (rc) return rc;
    const ws_cascade *c = ws_cascade_of(job);
    ws_scan *scan = ws_scan_of(job);
    scan->best = ((const options *)job->own)->best;
    scan->top = ((const options *)job->own)->top;
    scan->rank_p = ws_filtercol_find(&columns, c->opts->nobias, ws_filtercol_p);
    scan->rank_bits = ws_filtercol_find(&columns, c->opts->nobias, ws_filtercol_bits);
    return WS_OK;
}

static const ws_backend *const backends[] = {&ws_fwd_cuda, WS_FILTER_BACKENDS(ws_fwd_), NULL};

const ws_tool ws_fwdscore_tool = {
    .name = "fwdscore",
    .summary = "score sequences over all alignments (HMMER3's Forward), before corrections",
    .usage = "MODEL [FILE...]",
    .columns = {&ws_pair_columns, &columns},
    .examples = "  # the last filter, and then the domains\n"
                "  zcat db.fa.gz | msvfilt m.hmm | vitfilt m.hmm | fwdscore m.hmm | domscore m.hmm > doms.tsv\n"
                "  # E-values of the filter's own: Z is the number of sequences in the database\n"
                "  ... | fwdscore -Z 82814 -E 1e-3 m.hmm > hits.tsv\n",
    .opts = opts,
    .own_size = sizeof(options),
    .defaults = defaults,
    .backends = backends,
    .reader = &ws_scan_reader,
    .scoring = &ws_cascade_scoring,
    .open = open_stage,
    .close = ws_cascade_close,
    .make = ws_cascade_make,
    .forget = ws_cascade_forget,
    .made_size = ws_cascade_made_size,
};
