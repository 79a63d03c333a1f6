/* SPDX-License-Identifier: MIT
 * nhmmsieve: its options, which are nhmmer's, and its models. */
#include "bin/filters/models.h"
#include "bin/search/genome.h"
#include "lib/base/parallel_for.h"
#include "lib/run/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const ws_tool ws_nhmmsieve_tool;

/* ---- options ---- */

#define AT(field) offsetof(ws_genome, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define FLAG(name_, field, group_, help_) \
    {0, name_, NULL, WS_OPT_FLAG, AT(field), NULL, help_, .group = group_, .flags = WS_OPT_RESULT, PLAIN}
#define SHARE(name_, field, help_) \
    {0, name_, NULL, WS_OPT_REAL, AT(field), "P", help_, .min = 0, .max = 1, .group = WS_GROUP_FILTER, \
     .flags = WS_OPT_RESULT | WS_OPT_ABOVE, PLAIN}
#define LENGTH(name_, field, help_) \
    { \
        0, name_, NULL, WS_OPT_INT, AT(field), "N", help_, .min = 1, .max = INT32_MAX, .group = WS_GROUP_FILTER, \
                                                           .flags = WS_OPT_RESULT, PLAIN \
    }

#define IGNORED(name_) {0, name_, NULL, WS_OPT_FLAG, AT(ignored), NULL, "", .flags = WS_OPT_HIDDEN, PLAIN}

static const char *const forms[] = {"tsv", "tblout", "bed", "gff3", "dfamtblout", NULL};
static const char *const formats[] = {"auto", "fasta", "fastq", "packed", NULL}; /* as ws_format counts them */

static const ws_opt opts[] = {
    {'E', "evalue", NULL, WS_OPT_REAL, AT(E), "E", "report hits whose E-value is at most E [10]", .min = 0,
     .max = 1e300, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT | WS_OPT_ABOVE, .given = AT(E_given)},
    {'T', "bits", NULL, WS_OPT_REAL, AT(T), "BITS", "report hits whose score is at least BITS, whatever their E-value",
     .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = AT(T_given)},
    FLAG("cut_ga", cut_ga, WS_GROUP_SCORE, "take the threshold from the model's GA cutoff"),
    FLAG("cut_nc", cut_nc, WS_GROUP_SCORE, "take the threshold from the model's NC cutoff"),
    FLAG("cut_tc", cut_tc, WS_GROUP_SCORE, "take the threshold from the model's TC cutoff"),
    {'Z', "db-size", NULL, WS_OPT_REAL, AT(megabases), "N", "megabases searched, for E-values [those read]", .min = 0,
     .max = 1e12, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT | WS_OPT_ABOVE, .given = AT(Z_given)},
    FLAG("nonull2", nonull2, WS_GROUP_SCORE, "do not correct scores for biased composition"),
    {0, "seed", NULL, WS_OPT_INT, AT(seed), "N", "begin the random numbers of each ensemble with N [42]", .min = 0,
     .max = UINT32_MAX, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    {0, "w_length", NULL, WS_OPT_INT, AT(w_length), "N", "longest instance of a model [what the model says]", .min = 4,
     .max = 100000000, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, PLAIN},
    {0, "w_beta", NULL, WS_OPT_REAL, AT(scan.w_beta), "X",
     "longest instance by the share X of its length distribution that is left out", .min = 0, .max = 1,
     .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT | WS_OPT_ABOVE, PLAIN},

    FLAG("max", max, WS_GROUP_FILTER, "let all windows of the SSV scan pass"),
    SHARE("F1", scan.F1, "windows pass SSV, MSV and bias if their P-value is at most P [0.02]"),
    SHARE("F2", scan.F2, "rows of the Viterbi scan pass if their P-value is at most P [3e-3]"),
    SHARE("F3", scan.F3, "sub-windows pass Forward if their P-value is at most P [3e-5]"),
    FLAG("nobias", scan.nobias, WS_GROUP_FILTER, "the filters do not correct for composition bias"),
    LENGTH("B1", B1, "residues over which bias counts in full for MSV [110]"),
    LENGTH("B2", B2, "the same for Viterbi [240]"),
    LENGTH("B3", B3, "the same for Forward [1000]"),

    {0, "tformat", "in-format", WS_OPT_CHOICE, AT(format), "FORMAT",
     "insist on auto, fasta, fastq or packed [auto: by content]", .choices = formats, .group = WS_GROUP_INPUT, PLAIN},
    FLAG("watson", watson, WS_GROUP_INPUT, "search the strand as it is read only"),
    FLAG("crick", crick, WS_GROUP_INPUT, "search the other strand only"),
    {0, "block_length", NULL, WS_OPT_SIZE, AT(block), "N", "residues of a block [262144]", .min = 50000, .max = 1e9,
     .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, PLAIN},

    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(form), "FORMAT", "write tsv, tblout, bed, gff3 or dfamtblout [tsv]",
     .choices = forms, .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "tblout", NULL, WS_OPT_STRING, AT(tblout), "FILE", "write nhmmer's table there too", .group = WS_GROUP_OUTPUT,
     PLAIN},
    {0, "dfamtblout", NULL, WS_OPT_STRING, AT(dfamtblout), "FILE", "write nhmmer's table for Dfam there too",
     .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "mem", NULL, WS_OPT_SIZE, AT(mem), "SIZE", "memory that the ensemble of one region may take [4G]", .min = 1,
     .max = 1e15, .group = WS_GROUP_RUN, PLAIN},
    /* of nhmmer, for which there is nothing to do here */
    IGNORED("noali"),
    IGNORED("notextw"),
    IGNORED("dna"),
    IGNORED("rna"),
    {'a', "all", NULL, WS_OPT_FLAG, AT(all), NULL, "", .flags = WS_OPT_HIDDEN, PLAIN}, /* an option of the filters */
    WS_OPT_END,
};

static void defaults(void *own) {
    ws_genome *g = own;
    g->scan = (ws_long_options)WS_LONG_DEFAULTS;
    g->B1 = g->scan.B1;
    g->B2 = g->scan.B2;
    g->B3 = g->scan.B3;
    g->block = g->scan.block;
    g->E = 10;
    g->seed = 42;
    g->mem = 4000000000u;
}

static int check(ws_genome *g, const ws_job *job, ws_err *err) {
    const int cuts = g->cut_ga + g->cut_nc + g->cut_tc;
    int rc = ws_opt_clash(g->E_given, g->T_given, "-E", "-T", err);
    if (!rc) rc = ws_opt_clash(g->E_given || g->T_given, cuts, "-E or -T", "--cut_ga, --cut_nc and --cut_tc", err);
    if (!rc) rc = ws_opt_clash(g->watson, g->crick, "--watson", "--crick", err);
    if (!rc && g->all)
        rc = ws_fail(err, WS_EUSAGE, "--all has no meaning here: --max and --F1 to --F3 say what passes");
    if (!rc) rc = ws_models_cut(g->cut_ga, g->cut_nc, g->cut_tc, &g->cut, err);
    if (!rc && job->common.fields && strcmp(forms[g->form], "tsv") != 0)
        rc = ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table, so it goes with --out-format tsv only");
    if (g->max) { /* F1 stays: long-targets.md, section 2 */
        g->scan.F2 = g->scan.F3 = 1.0;
        g->scan.nobias = 1;
    }
    g->scan.B1 = (uint32_t)g->B1;
    g->scan.B2 = (uint32_t)g->B2;
    g->scan.B3 = (uint32_t)g->B3;
    g->scan.block = (uint32_t)g->block;
    g->scan.w_length = (uint32_t)g->w_length;
    return rc ? rc : ws_dna_open(&g->dna, job, err);
}

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
    if (!rc) rc = ws_long_target_create(m->target, &m->filter, WS_LONG_ALL, &g->scan, err);
    ws_hmm_forget(&g->set.hmm[i]);
    return rc;
}

static int check_models(const ws_genome *g, ws_err *err) {
    for (size_t i = 0; i < g->set.n; i++) {
        const ws_hmm *h = &g->set.hmm[i];
        if (!h->abc->complement)
            return ws_fail(err, WS_EDATA, "model %s is of proteins; nhmmsieve searches DNA and RNA", h->name);
        int rc = ws_models_check_stats(h, err);
        if (!rc && g->cut >= 0) rc = ws_thresholds_check_cut(h, g->cut, err);
        if (rc) return rc;
    }
    return WS_OK;
}

static int head(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    const ws_dna_out *o = own;
    const int rc = o->form->has_columns ? ws_provenance(job, 1, text, err) : WS_OK;
    return rc ? rc : ws_dna_head(job, o, text, err);
}

static int end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    return ((const ws_dna_out *)own)->form->has_columns ? ws_table_end(job, rows, "", text, err) : WS_OK;
}

static void add_output(ws_job *job, const char *form, const char *path) {
    ws_genome *g = job->own;
    ws_dna_out *o = ws_dna_add_output(&g->dna, job, ws_dnaform_find(form), job->nout);
    (void)ws_job_add_output(job, &(ws_output){.path = path, .own = o});
}

static int open_tool(ws_job *job, ws_err *err) {
    ws_genome *g = job->own;
    const char *const *path;
    size_t npath;
    const int threads = ws_job_threads(job);
    int rc = ws_models_operands(job, NULL, &path, &npath, err);
    if (!rc) rc = check(g, job, err);
    if (!rc) rc = ws_hmmset_find(&g->set, path, npath, threads, err);
    if (!rc) rc = check_models(g, err);
    if (!rc && !(g->model = ws_calloc(g->set.n, sizeof *g->model, err))) rc = err->code;
    if (!rc && !(g->target = ws_calloc(g->set.n, sizeof *g->target, err))) rc = err->code;
    if (!rc) rc = ws_parallel_for(g->set.n, threads, make_model, g, err);
    if (!rc) rc = ws_models_make_targets(job, &g->set, g->model, sizeof *g->model, err);
    if (!rc) rc = ws_dnastore_create(&g->dna.store, g->set.n, err);
    if (rc) return rc;
    job->default_batch = 12 << 20; /* so many residues have several hits of a model, whose domains go side by side */
    g->dna.limits = (ws_dnalimits){.evalue = g->E, .bits = g->T, .by_bits = g->T_given};
    g->dna.cut = g->cut;
    ws_dna_out *o = ws_dna_add_output(&g->dna, job, ws_dnaform_find(forms[g->form]), 0);
    job->out[0] = (ws_output){.path = job->out[0].path, .own = o, .head = head, .end = end};
    if (g->tblout) add_output(job, "tblout", g->tblout);
    if (g->dfamtblout) add_output(job, "dfamtblout", g->dfamtblout);
    return WS_OK;
}

static int finish(ws_job *job, ws_err *err) {
    ws_genome *g = job->own;
    const uint64_t strands = (uint64_t)(!g->watson + !g->crick), given = (uint64_t)(1e6 * g->megabases) * strands;
    for (size_t i = 0; i < g->npiecewise; i++)
        ws_dnastore_note_length(&g->dna.store, g->piecewise[i].number, g->piecewise[i].L);
    return ws_dna_write(job, &g->dna, g->target, g->Z_given ? given : g->residues, err);
}

static void close_tool(ws_job *job) {
    ws_genome *g = job->own;
    for (size_t i = 0; g->target && i < g->set.n; i++) ws_long_target_release(&g->target[i]);
    for (size_t i = 0; g->model && i < g->set.n; i++) ws_profile_destroy(&g->model[i].filter.profile);
    ws_dna_close(&g->dna);
    ws_free(g->target);
    ws_free(g->piecewise);
    ws_free(g->model);
    ws_free(job->target);
    ws_hmmset_release(&g->set);
}

const ws_tool ws_nhmmsieve_tool = {
    .name = "nhmmsieve",
    .summary = "search genomes with DNA profile HMMs: nhmmer's options and table",
    .usage = "MODELS [GENOME...]",
    .columns = {&ws_dna_columns},
    .examples = "  # in place of nhmmer --cpu 8 --tblout hits.tbl rrna.hmm genome.fa\n"
                "  nhmmsieve --threads 8 -O tblout rrna.hmm genome.fa.gz > hits.tbl\n"
                "  # repeats as features of the genome\n"
                "  zcat genome.fa.gz | nhmmsieve -E 1e-3 -O gff3 repeats.hmm > repeats.gff3\n",
    .opts = opts,
    .own_size = sizeof(ws_genome),
    .defaults = defaults,
    .backends = ws_genome_backends,
    .reader = &ws_genome_reader,
    .open = open_tool,
    .close = close_tool,
    .chain = ws_genome_chain,
    .finish = finish,
};
