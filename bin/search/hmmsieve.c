/* SPDX-License-Identifier: MIT
 * hmmsieve: the whole search in one command, with hmmsearch's options. It runs msvfilt, vitfilt, fwdscore and domscore as a pipe. */
#include "bin/search/stages.h"
#include "bin/filters/tally.h"
#include "lib/dev/ids.h"
#include "lib/hits/options.h"
#include "lib/hits/write.h"
#include "lib/io/source.h"
#include "lib/run/job.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Values of the options. What is handed on as it was given has no meaning here. */
typedef struct sieve {
    WS_HIT_FIELDS;
    double F1, F2, F3;
    int F_given, max, nobias, threads_given;
    int windows, pfamtblout, mpi, stall, restrictdb, ssifile;
    long long threads;
    const char *tformat, *text;
    const char *models;
    const char *backend, *device; /* for the programs, as is what follows */
    uint64_t gpu_mem, batch;
    int tally; /* descriptor of what the filters count; -1: nobody reads it */
} sieve;

#define AT(field) offsetof(sieve, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define FILTER(name_, field, help_)                                                                                    \
    {0, name_, NULL, WS_OPT_REAL, AT(field), "P", help_, .min = 0, .max = 1e300, .group = WS_GROUP_FILTER,               \
     .flags = WS_OPT_RESULT, .given = AT(F_given)}
/* An option of hmmsearch that is not here. */
#define ABSENT(name_, field, type_) \
    {0, name_, NULL, type_, type_ == WS_OPT_FLAG ? AT(field) : AT(text), "X", "", .group = WS_GROUP_MISC, .flags = WS_OPT_HIDDEN, \
     .given = AT(field)}

static const char *const forms[] = {WS_HIT_FORMS, NULL};

static const ws_opt opts[] = {
    WS_HIT_SCORE_OPTS(sieve),

    {'a', "max", NULL, WS_OPT_FLAG, AT(max), NULL, "no filters: every sequence is looked at for domains", .group = WS_GROUP_FILTER,
     .flags = WS_OPT_RESULT, PLAIN},
    FILTER("F1", F1, "sequences pass msvfilt if their P-value is at most P [0.02]"),
    FILTER("F2", F2, "sequences pass vitfilt if their P-value is at most P [1e-3]"),
    FILTER("F3", F3, "sequences pass fwdscore if their P-value is at most P [1e-5]"),
    WS_HIT_FLAG(sieve, "nobias", nobias, WS_GROUP_FILTER, WS_OPT_RESULT, "the filters do not correct for composition bias"),
    WS_HIT_FLAG(sieve, "long", windows, WS_GROUP_FILTER, WS_OPT_RESULT, "in front of all others: be nhmmsieve, which searches genomes"),

    {0, "tformat", "in-format", WS_OPT_STRING, AT(tformat), "FORMAT",
     "insist on sequences in this format: fasta, fastq or packed [by content]", .group = WS_GROUP_INPUT, PLAIN},

    WS_HIT_OUTPUT_OPTS(sieve, forms, "text"),

    {'t', "threads", "cpu", WS_OPT_INT, AT(threads), "N",
     "threads that each program may have [all cores that the process may use]", .min = 0,
     .max = 4096, .group = WS_GROUP_RUN, .given = AT(threads_given)},

    ABSENT("pfamtblout", pfamtblout, WS_OPT_STRING),
    ABSENT("mpi", mpi, WS_OPT_FLAG),
    ABSENT("stall", stall, WS_OPT_FLAG),
    ABSENT("restrictdb_stkey", restrictdb, WS_OPT_STRING),
    ABSENT("restrictdb_n", restrictdb, WS_OPT_STRING),
    ABSENT("ssifile", ssifile, WS_OPT_STRING),
    WS_OPT_END,
};

static void defaults(void *own) {
    sieve *s = own;
    s->F1 = 0.02;
    s->F2 = 1e-3;
    s->F3 = 1e-5;
    s->form = WS_DOMFORM_TEXT;
}

/* ---- checks ---- */

static int check(const sieve *s, ws_err *err) {
    static const char *const formats[] = {"fasta", "fastq", "packed"};
    const char *absent = s->pfamtblout ? "--pfamtblout" : s->mpi ? "--mpi" : s->stall ? "--stall" : s->restrictdb ? "--restrictdb_..."
                         : s->ssifile ? "--ssifile" : NULL;
    int known = !s->tformat;
    for (size_t i = 0; i < sizeof formats / sizeof *formats && !known; i++) known = strcmp(s->tformat, formats[i]) == 0;
    if (absent) return ws_fail(err, WS_EUSAGE, "%s is an option of hmmsearch that hmmsieve does not have", absent);
    if (!known) return ws_fail(err, WS_EUSAGE, "--tformat %s: hmmsieve reads fasta, fastq and packed", s->tformat);
    if (s->windows) return ws_fail(err, WS_EUSAGE, "--long stands in front of all other arguments: hmmsieve --long MODELS GENOME");
    if (s->max && (s->F_given || s->nobias))
        return ws_fail(err, WS_EUSAGE, "--max turns all filters off, so --F1, --F2, --F3 and --nobias exclude it");
    return WS_OK;
}

/* Takes what is for the programs alone from the engine. This process asks for no device, because CUDA does not outlive a fork. It scores
 * nothing, so one thread is enough. */
static int take_common(ws_job *job, ws_err *err) {
    sieve *s = job->own;
    ws_common *c = &job->common;
    ws_dev_ids ids;
    s->backend = c->backend;
    s->device = c->device;
    s->gpu_mem = c->gpu_mem;
    s->batch = c->batch;
    if (c->backend && (strcmp(c->backend, "cuda") == 0 || strcmp(c->backend, "cuda+cpu") == 0)) c->backend = NULL;
    c->device = NULL;
    c->gpu_mem = 0;
    c->threads = 1;
    return ws_dev_ids_parse(&ids, s->device, err);
}

static int open_sieve(ws_job *job, ws_err *err) {
    sieve *s = job->own;
    const ws_cmdline *cl = &job->cmdline;
    int rc = check(s, err);
    if (!rc) rc = take_common(job, err);
    if (rc) return rc;
    if (cl->noperand == 0) return ws_fail(err, WS_EUSAGE, "no model file: the first operand is the HMM, the rest are sequences");
    s->models = cl->operand[0];
    struct stat st;
    if (!s->max && stat(s->models, &st) == 0 && S_ISFIFO(st.st_mode) && !ws_source_is_stdin(s->models))
        return ws_fail(err, WS_EUSAGE, "the models cannot come from the pipe %s, because four programs read them; name a file", s->models);
    if (ws_source_is_stdin(s->models))
        return ws_fail(err, WS_EUSAGE, "the models cannot come from standard input, because four programs read them; name a file");
    job->out[0].path = NULL; /* domscore opens all outputs, when it knows that nothing was misused */
    job->input = cl->operand + 1;
    job->ninput = cl->noperand - 1;
    return WS_OK;
}

/* ---- command lines ---- */

/* What all stages have. Notes and progress are those of the first one, which reads the sequences. */
static int begin_stage(const ws_job *job, ws_stage_args *to, const char *program, int first, ws_err *err) {
    const sieve *s = job->own;
    const ws_common *c = &job->common;
    char number[32];
    snprintf(number, sizeof number, "%lld", s->threads > 0 ? s->threads : 1);
    int rc = ws_stage_add(to, program, err);
    if (!rc && (!first || c->quiet)) rc = ws_stage_add(to, "--quiet", err);
    if (!rc && c->dry_run) rc = ws_stage_add(to, "--dry-run", err);
    if (!rc && c->progress) rc = ws_stage_add(to, "--progress", err);
    if (!rc && c->no_progress) rc = ws_stage_add(to, "--no-progress", err);
    if (!rc && s->threads_given) rc = ws_stage_add_text(to, "--threads", number, err);
    if (!rc && s->backend) rc = ws_stage_add_text(to, "--backend", s->backend, err);
    if (!rc && s->device) rc = ws_stage_add_text(to, "--device", s->device, err);
    snprintf(number, sizeof number, "%llu", (unsigned long long)s->gpu_mem);
    if (!rc && s->gpu_mem) rc = ws_stage_add_text(to, "--gpu-mem", number, err);
    snprintf(number, sizeof number, "%llu", (unsigned long long)s->batch);
    if (!rc && s->batch) rc = ws_stage_add_text(to, "--batch", number, err);
    snprintf(number, sizeof number, "%d", s->tally);
    if (!rc && s->tally >= 0) rc = ws_stage_add_text(to, "--tally", number, err);
    return rc;
}

/* The models, and for the first stage the sequences. Behind "--", because a file may be called anything. */
static int end_stage(const ws_job *job, ws_stage_args *to, int first, ws_err *err) {
    const sieve *s = job->own;
    int rc = first && s->tformat ? ws_stage_add_text(to, "--in-format", s->tformat, err) : WS_OK;
    if (!rc) rc = ws_stage_add_text(to, "--", s->models, err);
    for (int i = 0; i < job->ninput && first && !rc; i++) rc = ws_stage_add(to, job->input[i], err);
    return rc;
}

static int filter_stage(const ws_job *job, ws_stage_args *to, const char *program, double p, int first, ws_err *err) {
    const sieve *s = job->own;
    int rc = begin_stage(job, to, program, first, err);
    if (!rc) rc = ws_stage_add_real(to, "--pvalue", p < 1 ? p : 1, err);
    if (!rc && s->nobias) rc = ws_stage_add(to, "--nobias", err);
    if (!rc) rc = ws_stage_add_text(to, "--out-format", "packed", err);
    return rc ? rc : end_stage(job, to, first, err);
}

static int add_thresholds(const sieve *s, ws_stage_args *to, ws_err *err) {
    const struct {
        const char *option;
        double v;
        int given;
    } real[] = {{"--evalue", s->E, s->E_given}, {"--bits", s->T, s->T_given}, {"--domE", s->domE, s->domE_given},
                {"--domT", s->domT, s->domT_given}, {"--incE", s->incE, s->incE_given}, {"--incT", s->incT, s->incT_given},
                {"--incdomE", s->incdomE, s->incdomE_given}, {"--incdomT", s->incdomT, s->incdomT_given},
                {"--db-size", s->Z, s->Z_given}, {"--domZ", s->domZ, s->domZ_given}};
    const struct {
        const char *option;
        int given;
    } flag[] = {{"--cut_ga", s->cut_ga}, {"--cut_nc", s->cut_nc}, {"--cut_tc", s->cut_tc}, {"--nonull2", s->nonull2},
                {"--noali", s->noali}, {"--notextw", s->notextw}, {"--acc", s->acc}};
    int rc = WS_OK;
    for (size_t i = 0; i < sizeof real / sizeof *real && !rc; i++)
        if (real[i].given) rc = ws_stage_add_real(to, real[i].option, real[i].v, err);
    for (size_t i = 0; i < sizeof flag / sizeof *flag && !rc; i++)
        if (flag[i].given) rc = ws_stage_add(to, flag[i].option, err);
    return rc;
}

static int add_numbers(const sieve *s, ws_stage_args *to, ws_err *err) {
    char number[32];
    int rc = WS_OK;
    snprintf(number, sizeof number, "%lld", s->seed);
    if (s->seed_given) rc = ws_stage_add_text(to, "--seed", number, err);
    snprintf(number, sizeof number, "%lld", s->textw);
    if (!rc && s->textw_given) rc = ws_stage_add_text(to, "--textw", number, err);
    snprintf(number, sizeof number, "%llu", (unsigned long long)s->mem);
    return !rc && s->mem_given ? ws_stage_add_text(to, "--mem", number, err) : rc;
}

static int add_outputs(const ws_job *job, ws_stage_args *to, ws_err *err) {
    static const char *const header[] = {"hash", "plain", "none"};
    const sieve *s = job->own;
    const ws_common *c = &job->common;
    int rc = ws_stage_add_text(to, "--out-format", forms[s->form], err);
    if (!rc && c->output) rc = ws_stage_add_text(to, "--output", c->output, err);
    for (int f = 0; f < WS_NDOMFORM && !rc; f++)
        if (s->beside[f]) rc = ws_stage_add_text(to, ws_hitforms[f].option, s->beside[f], err);
    if (!rc && c->fields) rc = ws_stage_add_text(to, "--fields", c->fields, err);
    if (!rc && c->header) rc = ws_stage_add_text(to, "--header", header[c->header], err);
    if (!rc && c->no_provenance) rc = ws_stage_add(to, "--no-provenance", err);
    return rc ? rc : ws_stage_add_text(to, "--target-name", job->ninput ? job->input[0] : "-", err);
}

static int domain_stage(const ws_job *job, ws_stage_args *to, ws_err *err) {
    const sieve *s = job->own;
    int rc = begin_stage(job, to, "domscore", s->max, err);
    if (!rc && s->max) rc = ws_stage_add(to, "--all", err);
    if (!rc) rc = add_thresholds(s, to, err);
    if (!rc) rc = add_numbers(s, to, err);
    if (!rc) rc = add_outputs(job, to, err);
    return rc ? rc : end_stage(job, to, s->max, err);
}

/* ---- the run ---- */

/* The tools of the stages in their order. The first three are filters. */
enum { FILTERS = 3 };
extern const ws_tool ws_msvfilt_tool, ws_vitfilt_tool, ws_fwdscore_tool, ws_domscore_tool, ws_nhmmsieve_tool, ws_hmmsieve_tool;
static const ws_tool *const tools[] = {&ws_msvfilt_tool, &ws_vitfilt_tool, &ws_fwdscore_tool, &ws_domscore_tool};

static int run_sieve(ws_job *job, ws_err *err) {
    sieve *s = job->own;
    ws_stage_args stage[WS_STAGES_MAX] = {{0}};
    size_t n = 0;
    const int is_report = s->form == WS_DOMFORM_TEXT;
    s->tally = is_report ? ws_tally_create(err) : -1;
    int rc = is_report && s->tally < 0 ? err->code : WS_OK;
    if (!rc && !s->max) {
        rc = filter_stage(job, &stage[n++], "msvfilt", s->F1, 1, err);
        if (!rc) rc = filter_stage(job, &stage[n++], "vitfilt", s->F2, 0, err);
        if (!rc) rc = filter_stage(job, &stage[n++], "fwdscore", s->F3, 0, err);
    }
    if (!rc) rc = domain_stage(job, &stage[n++], err);
    if (job->common.dry_run) n = 1;
    if (!rc) rc = ws_stages_run(tools + (s->max ? FILTERS : 0), stage, n, err);
    job->dry_run_said = 1;
    for (size_t i = 0; i < WS_STAGES_MAX; i++) ws_stage_release(&stage[i]);
    if (s->tally >= 0) close(s->tally);
    return rc;
}

/* The programs read, so the engine's reader is at its end at once. */
static int create(void **item, ws_err *err) { return (*item = ws_calloc(1, 1, err)) ? WS_OK : WS_ENOMEM; }
static int fill(ws_job *job, void *item, size_t *parts, ws_err *err) {
    (void)job;
    (void)item;
    (void)parts;
    (void)err;
    return WS_EOF;
}
static const ws_reader reader = {.create = create, .destroy = ws_free, .fill = fill};

/* What the programs can use; nothing is scored here. The device has a start, so that nobody takes it for a processor and asks it whether it
 * is there: that alone costs a quarter of a second. */
#define USABLE(width, ...) &(const ws_backend){.name = #width, .usable = ws_usable_##width},
static const ws_backend device = {.name = "cuda", .usable = ws_usable_device, .start = ws_start_device};
static const ws_backend *const backends[] = {&device, WS_WIDTHS(USABLE, )
                                                 &(const ws_backend){.name = "scalar", .usable = ws_usable_scalar}, NULL};

static const ws_mode modes[] = {{"--long", &ws_nhmmsieve_tool}, {NULL, NULL}};

const ws_tool ws_hmmsieve_tool = {
    .name = "hmmsieve",
    .summary = "search sequences with profile HMMs: hmmsearch's options, tables and answers",
    .usage = "MODELS [SEQUENCES...]",
    .columns = {&ws_hit_columns},
    .examples = "  # in place of hmmsearch --cpu 8 --tblout hits.tbl --domtblout hits.dom m.hmm db.fa > hits.out\n"
                "  hmmsieve --cpu 8 --tblout hits.tbl --domtblout hits.dom m.hmm db.fa.gz > hits.out\n"
                "  # a table of domains, one row each, by the models' own cutoffs\n"
                "  zcat db.fa.gz | hmmsieve --cut_ga -O tsv m.hmm > domains.tsv\n",
    .opts = opts,
    .own_size = sizeof(sieve),
    .defaults = defaults,
    .backends = backends,
    .reader = &reader,
    .modes = modes,
    .open = open_sieve,
    .finish = run_sieve,
};
