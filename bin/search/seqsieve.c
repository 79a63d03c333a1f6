/* SPDX-License-Identifier: MIT
 * seqsieve: a search with sequences, with phmmer's options. Models of the queries are made in memory; the search is
 * hmmsieve's. Source: specification build.md, section 11. */
#include "bin/peers/peers.h"
#include "bin/queries/queries.h"
#include "bin/search/sieve.h"

typedef struct ws_seqsieve {
    ws_sieve sieve;
    ws_queryset queries;
} ws_seqsieve;
static ws_seqsieve *seqsieve_of(const ws_job *job) { return job->own; }
WS_BEGINS_WITH(ws_seqsieve, sieve);

static const char *const forms[] = {WS_HIT_FORMS, NULL};

static const ws_opt opts[] = {
    WS_HIT_THRESHOLD_OPTS(ws_domscore, "0.01"),
    WS_HIT_SPACE_OPTS(ws_domscore),
    WS_QUERY_OPTS(ws_seqsieve),
    WS_SIEVE_FILTER_OPTS,
    WS_SIEVE_FORMAT,
    WS_HIT_OUTPUT_OPTS(ws_domscore, forms, "text"),
    WS_SEQ_LIMIT(ws_domscore),
    WS_SIEVE_THREADS,
    WS_SIEVE_ABSENT_OPTS,
    WS_OPT_END,
};

static void defaults(void *own) {
    ws_seqsieve *s = own;
    ws_sieve_defaults(&s->sieve);
    ws_queryset_defaults(&s->queries, ws_abc_get(WS_ABC_AMINO));
}

/* phmmer calibrates with the default seed where the seed of ensembles is arbitrary. */
static int find(ws_job *job, ws_hmmset *set, ws_err *err) {
    ws_seqsieve *s = seqsieve_of(job);
    const long long seed = s->sieve.dom.seed;
    ws_build_settings settings;
    int rc = ws_queryset_settings(&s->queries, ws_abc_get(WS_ABC_AMINO), seed ? (uint32_t)seed : 42, &settings, err);
    if (!rc) rc = ws_queryset_read(&s->queries, job, err);
    if (!rc) rc = ws_sieve_shards(&s->sieve, job, err);
    if (!rc) rc = ws_queryset_models(&s->queries, job, &settings, set, err);
    s->sieve.dom.query = s->queries.query;
    return rc;
}

static int open_tool(ws_job *job, ws_err *err) {
    seqsieve_of(job)->sieve.dom.as = &ws_peer_phmmer;
    return ws_sieve_open(job, find, err);
}

static void close_tool(ws_job *job) {
    ws_sieve_close(job);
    ws_queryset_release(&seqsieve_of(job)->queries);
}

static const ws_peer *const peers[] = {&ws_peer_phmmer, NULL};

extern const ws_tool ws_seqsieve_tool;

const ws_tool ws_seqsieve_tool = {
    .name = "seqsieve",
    .peers = peers,
    .summary = "search sequences with sequences: phmmer's options, tables and answers",
    .usage = "QUERIES [SEQUENCES...]",
    .asks_input = 1,
    .examples = "  # in place of phmmer --cpu 8 --tblout hits.tbl query.fa db.fa > hits.out\n"
                "  seqsieve --cpu 8 --tblout hits.tbl query.fa db.fa.gz > hits.out\n"
                "  # many queries in one pass over a pipe; an alignment for each of them\n"
                "  zcat db.fa.gz | seqsieve -o hits.out -A 'msa/%q.sto' queries.fa\n",
    .opts = opts,
    .own_size = sizeof(ws_seqsieve),
    .defaults = defaults,
    WS_SIEVE_TOOL,
    .chain = ws_sieve_chain,
    .open = open_tool,
    .close = close_tool,
    .finish = ws_sieve_finish,
};
