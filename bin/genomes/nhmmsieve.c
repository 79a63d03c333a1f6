/* SPDX-License-Identifier: MIT
 * nhmmsieve: its models, and what begins and ends a run. */
#include "bin/filters/models.h"
#include "bin/genomes/program.h"
#include "bin/peers/peers.h"
#include "bin/stages/plan.h"
#include "lib/base/parallel_for.h"

#include <math.h>

extern const ws_tool ws_nhmmsieve_tool;

/* ---- models ---- */

static int make_model(void *genome, size_t i, ws_err *err) {
    ws_genome *g = genome;
    ws_genome_model *m = &g->model[i];
    const ws_hmm *hmm = &g->set.hmm[i];
    *m = (ws_genome_model){.filter = {.hmm = hmm}, .target = &g->target[i], .by = &ws_long_cuda};
    /* Most windows pass MSV, so a device computes the bias of all. */
    m->filter.gate = (ws_gate){.least = -INFINITY, .biased = !g->scan.nobias};
    int rc = ws_hmmset_load(&g->set, i, err);
    if (!rc) ws_bias_set(&m->filter.bias, hmm);
    if (!rc) rc = ws_profile_create(&m->filter.profile, hmm, err);
    if (!rc) rc = ws_long_target_create(m->target, &m->filter, &g->scan, err);
    if (!rc && !g->nonull2) rc = ws_long_target_remember(m->target, err);
    ws_hmm_forget(&g->set.hmm[i]);
    return rc;
}

static int check_models(const ws_genome *g, ws_err *err) {
    for (size_t i = 0; i < g->set.n; i++) {
        const ws_hmm *h = &g->set.hmm[i];
        if (!h->abc->complement)
            return ws_fail(err, WS_EDATA, "model %s is of proteins; nhmmsieve searches DNA and RNA", h->name);
        int rc = ws_models_check_stats(h, err);
        if (!rc && g->cut >= 0 && !g->by_seq) rc = ws_thresholds_check_cut(h, g->cut, err);
        if (rc) return rc;
    }
    return WS_OK;
}

static int open_tool(ws_job *job, ws_err *err) {
    ws_genome *g = ws_genome_of(job);
    const char *const *path;
    size_t npath;
    if (g->threads_given) job->common.threads = g->threads > 0 ? g->threads : 1;
    const int threads = ws_job_threads(job);
    int rc = ws_models_operands(job, NULL, &path, &npath, err);
    if (!rc) rc = ws_genome_check(g, job, err);
    if (!rc) rc = ws_genome_find_models(job, path, npath, err);
    if (!rc) rc = check_models(g, err);
    if (!rc && !(g->model = ws_calloc(g->set.n, sizeof *g->model, err))) rc = err->code;
    if (!rc && !(g->target = ws_calloc(g->set.n, sizeof *g->target, err))) rc = err->code;
    if (!rc && !g->by_seq && !(g->history = ws_calloc(g->set.n, sizeof *g->history, err))) rc = err->code;
    for (size_t i = 0; g->history && i < g->set.n; i++) ws_long_history_begin(&g->history[i]);
    if (!rc) rc = ws_parallel_for(g->set.n, threads, make_model, g, err);
    if (!rc) rc = ws_models_make_targets(job, &g->set, g->model, sizeof *g->model, err);
    if (!rc) rc = ws_dnastore_create(&g->dna.store, g->set.n, err);
    if (!rc && !(g->hmm = ws_calloc(g->set.n, sizeof *g->hmm, err))) rc = err->code;
    if (rc) return rc;
    for (size_t i = 0; i < g->set.n; i++) g->hmm[i] = &g->set.hmm[i];
    job->default_batch = WS_PLAN_GENOME_BATCH;
    g->dna.limits = (ws_dnalimits){.evalue = g->E, .bits = g->T, .by_bits = g->T_given, .inc_evalue = g->incE,
                                   .inc_bits = g->incT, .inc_by_bits = g->incT_given};
    g->dna.cut = g->cut;
    return ws_genome_open_outputs(job, err);
}

static int finish(ws_job *job, ws_err *err) {
    ws_genome *g = ws_genome_of(job);
    ws_models_note(job, &g->set);
    if (g->by_seq) return WS_OK; /* all batches have left */
    for (size_t i = 0; i < g->npiecewise; i++)
        ws_dnastore_note_length(&g->dna.store, g->piecewise[i].number, g->piecewise[i].L);
    for (size_t i = 0; i < g->set.n; i++)
        if (g->target[i].changes)
            g->dna.passed[i][WS_LONG_PASSED_FWD] += ws_long_history_settle(&g->history[i], &g->dna.store.list[i]);
    g->dna.text.seqs = g->seqs;
    g->dna.text.residues = g->residues;
    return ws_dna_write(job, &g->dna, g->target, g->Z_given ? ws_genome_given(g) : g->residues, err);
}

static void close_tool(ws_job *job) {
    ws_genome *g = ws_genome_of(job);
    for (size_t i = 0; g->target && i < g->set.n; i++) ws_long_target_release(&g->target[i]);
    for (size_t i = 0; g->model && i < g->set.n; i++) ws_profile_destroy(&g->model[i].filter.profile);
    for (size_t i = 0; g->history && i < g->set.n; i++) ws_long_history_release(&g->history[i]);
    ws_dna_close(&g->dna);
    ws_free(g->history);
    ws_free(g->target);
    ws_free(g->dna.passed);
    ws_buf_release(&g->made);
    ws_queryset_release(&g->queries);
    ws_buf_release(&g->author);
    ws_free(g->hmm);
    ws_free(g->piecewise);
    ws_free(g->model);
    ws_free(job->target);
    ws_hmmset_release(&g->set);
}

static const ws_peer *const peers[] = {&ws_peer_nhmmer, &ws_peer_nhmmscan, NULL};

const ws_tool ws_nhmmsieve_tool = {
    .name = "nhmmsieve",
    .summary = "search genomes with DNA models, sequences or alignments, as nhmmer does",
    .usage = "MODELS [GENOME...]",
    .asks_input = 1,
    .peers = peers,
    .columns = {&ws_dna_columns},
    .examples = "  # in place of nhmmer --cpu 8 --tblout hits.tbl rrna.hmm genome.fa\n"
                "  nhmmsieve --threads 8 -O tblout rrna.hmm genome.fa.gz > hits.tbl\n"
                "  # the alignment that AlphaFold 3 makes for a chain of RNA\n"
                "  nhmmsieve -o /dev/null --rna -E 1e-3 --F3 1e-5 -A hits.sto chain.fa rna.fa.gz\n"
                "  # repeats as features of the genome\n"
                "  zcat genome.fa.gz | nhmmsieve -E 1e-3 -O gff3 repeats.hmm > repeats.gff3\n",
    .opts = ws_genome_opts,
    .own_size = sizeof(ws_genome),
    .defaults = ws_genome_defaults,
    .backends = ws_genome_backends,
    .reader = &ws_genome_reader,
    .open = open_tool,
    .close = close_tool,
    .chain = ws_genome_chain,
    .finish = finish,
};
