/* SPDX-License-Identifier: MIT
 * The state of jacksieve: its options, and the queries on their way through the rounds. All queries that are not done
 * go through a round together, in one pass over the sequences. Source: specification build.md, section 12. */
#ifndef WS_SEARCH_ROUNDS_H
#define WS_SEARCH_ROUNDS_H

#include "bin/queries/queries.h"
#include "bin/search/sieve.h"
#include "lib/files/mark.h"

/* A query and what is known of it after its last round. */
typedef struct ws_roundquery {
    ws_dom_out out[WS_DOMSCORE_OUTPUTS]; /* its text for each output, until its turn */
    ws_buf names;          /* of the targets that were included */
    const char **included; /* [nincluded] these, in order, each once */
    size_t nincluded;
    size_t rows;           /* of the alignment that its model was made of, with the query */
    ws_sink checkpoint;    /* its alignment, for --chkali */
    ws_hmm next;           /* its model in the next round */
    int done;
} ws_roundquery;

typedef struct ws_rounds {
    ws_sieve sieve;
    ws_queryset queries;
    long long most; /* rounds */
    const char *chkhmm, *chkali;
    int every_round; /* records and -A have each round, for the Python module */
    int wpb, wgsc, wblosum, wnone, eent, eentexp, eclust, enone, eset_given, pnone, plaplace, wid_given, eid_given,
        ere_given;
    double fragthresh, wid, eset, ere, esigma, eid;

    ws_build_settings settings;
    ws_build_ali_settings ali;
    ws_roundquery *query; /* [queries.n] */
    size_t *active;       /* [targets] the query of each target */
    ws_queryseq *origin;  /* [targets] the same */
    ws_mark *seen;        /* [inputs] these, before the first round; NULL with one round */
    size_t written;       /* queries whose text has left */
    int round;            /* from 1 */
} ws_rounds;
static inline ws_rounds *ws_rounds_of(const ws_job *job) { return job->own; }
WS_BEGINS_WITH(ws_rounds, sieve);

/* Prepares the first round, in which each query is a target. WS_ENOMEM. */
int ws_rounds_open(ws_rounds *r, ws_err *err);
void ws_rounds_close(ws_rounds *r);
/* Notes the files of --chkhmm and --chkali for the check of all outputs. WS_ENOMEM. */
int ws_rounds_note_files(const ws_rounds *r, ws_job *job, ws_err *err);
/* Notes what the inputs are, which all rounds read. WS_ENOMEM, or WS_EIO for an input that is not there. */
int ws_rounds_note_inputs(ws_rounds *r, const ws_job *job, ws_err *err);
/* ws_tool.chain: writes the models of the round where --chkhmm says, then as ws_sieve_chain. */
int ws_rounds_chain(ws_job *job, ws_chain_ops *ops, ws_err *err);
/* ws_tool.again: ends a round, and begins the next one with the queries that are not done. */
int ws_rounds_again(ws_job *job, int *more, ws_err *err);

#endif
