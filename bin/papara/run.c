/* SPDX-License-Identifier: MIT
 * papara-score in the place of PaPaRa 2.5, when it is called by its name: the options, and the files of a run, which
 * appear whole when it has ended well. Source: specification papara.md, section 11. */
#include "bin/papara/program.h"
#include "lib/run/peeropts.h"

#include <string.h>
#include <unistd.h>

#define WORDS(...) .words = (const char *const[]){__VA_ARGS__, NULL}
#define PART(name_) \
    {.name = name_, .group = WS_PEER_OTHER, \
     .absent = "reads for a part of the alignment are not chosen here; give -q those of the part"}

const ws_peer ws_peer_papara = {
    .name = "papara",
    .title = "align reads to a reference alignment by its tree",
    .usage = "-t <tree> -s <alignment> [-q <reads>] [-options]",
    .of = "PaPaRa 2.5",
    .fixed = (const char *const[]){"--papara-run", "default", "--papara-residues", "--extra-rows", "queries",
                                   "--alphabet", "dna", "--alignment-format", "phylip", "--threads", "1", NULL},
    .opt = (const ws_peer_opt[]){
        FLAG(INPUT, "-t", "the reference tree, Newick", NULL),
        FLAG(INPUT, "-s", "the reference alignment, PHYLIP; rows that are not in the tree are reads too", NULL),
        FLAG(INPUT, "-q", "the reads, FASTA", NULL),
        FLAG(INPUT, "-a", "alignment and reads are proteins", NULL, WORDS("--alphabet", "protein")),
        FLAG(OUTPUT, "-n", "end the names of the files papara_alignment.<s> and so on  [default]", NULL,
             .tool = "--papara-run"),
        FLAG(OUTPUT, "-f", "replace the files of an earlier run", NULL, .tool = "--papara-replace"),
        FLAG(OUTPUT, "-r", "leave residues without a site out, and add no columns for them", NULL,
             WORDS("--insertions", "drop")),
        FLAG(OUTPUT, "-g", "write the alignment as FASTA", NULL,
             WORDS("--alignment-format", "fasta", "--with-references")),
        VALUE(OTHER, "-p", "-3:-1:2:-3", NULL, "gap open : gap extend : match : more for a match on a gap site", NULL,
              .dash = 1),
        FLAG(OTHER, "-c", "expect gaps by the rule of 2011, not by likelihood", NULL, WORDS("--flags", "rule")),
        VALUE(OTHER, "-j", "1", NULL, "threads", NULL), FLAG(OTHER, "-h", "show this", NULL), PART("-l"), PART("-x"),
        PART("-k"), {.name = NULL}},
};

enum { ALIGNMENT, QUALITY, LOG };
static const char *const kind[WS_PAPARA_RUN_FILES] = {"alignment", "quality", "log"};

/* ---- the log, which goes to standard output too ---- */

/* Lines of times and speeds are left out, so that the same call leaves the same bytes. */
static int log_head(const ws_job *job, void *own, ws_buf *out, ws_err *err) {
    const ws_papara_run_data *d = ws_papara_data_of(job);
    int cost[4] = {-3, -1, 2, -3};
    (void)own;
    if (d->opts->parameters) (void)sscanf(d->opts->parameters, "%d:%d:%d:%d", cost, cost + 1, cost + 2, cost + 3);
    int rc = ws_buf_addf(out, err, "papara called as:\n%s", ws_job_program(job));
    for (int i = 1; i < job->argc && !rc; i++) rc = ws_opt_add_word(out, job->argv[i], err);
    if (rc) return rc;
    return ws_buf_addf(out, err,
                       "\ncomputed by %s of warpsieve " WS_VERSION
                       "\nreferences container instantiated as: papara::references<%s, sequence_model::%s>\n"
                       "edges: %zu\nscoring scheme: %d %d %d %d\npapara_core version 2.5\n"
                       "start scoring, using %d threads\n",
                       job->tool->name, d->opts->flags_given ? "pvec_cgap" : "pvec_pgap",
                       d->ref.letters.nstate == 4 ? "tag_dna" : "tag_aa", d->ref.edges.nedge, cost[0], cost[1], cost[2],
                       cost[3], ws_job_threads(job));
}

static int log_end(const ws_job *job, void *own, uint64_t rows, ws_buf *out, ws_err *err) {
    (void)job, (void)own, (void)rows;
    return ws_buf_adds(out, "generating best scoring alignments\nSUCCESS\n", err);
}

static int no_rows(const ws_job *job, const ws_batch *b, const ws_hits *hits, const ws_scan_worker *worker,
                   ws_outtext *out, ws_err *err) {
    (void)job, (void)b, (void)worker, (void)err;
    out->rows += hits->n;
    return WS_OK;
}

/* ---- the files ---- */

/* PaPaRa stops for a run of this name, though not for that without a name, and it ends well. Here it is an error, since
 * what comes next would take old files for new ones. */
static int check_existing(const ws_papara_opts *o, const char *log, ws_err *err) {
    if (o->replace || strcmp(o->run, "default") == 0 || access(log, F_OK) != 0) return WS_OK;
    return ws_fail(err, WS_EIO, "%s is there, so a run has this name; -f replaces its files, and -n names another run",
                   log);
}

int ws_papara_run_open(ws_job *job, ws_err *err) {
    ws_papara_run_data *d = ws_papara_data_of(job);
    ws_papara_opts *o = job->own;
    if (!o->insertions_given) o->insertions = WS_PAPARA_COLUMNS;
    o->insertions_given = o->drop_gap_columns = 1;
    int rc = WS_OK;
    for (int k = 0; k < WS_PAPARA_RUN_FILES && !rc; k++) {
        ws_buf path = {0};
        rc = ws_buf_addf(&path, err, "papara_%s.%s", kind[k], o->run);
        d->run_file[k] = path.p;
        if (!rc) rc = ws_job_add_file(job, "-n", path.p, err);
    }
    if (!rc) rc = check_existing(o, d->run_file[LOG], err);
    if (rc) return rc;
    const ws_output report = {.head = log_head, .end = log_end};
    ws_scan_output file = ws_papara_alignment_out(o, d->run_file[ALIGNMENT]);
    ws_scan_set_main(job, &(ws_scan_output){.output = report, .emit = no_rows});
    file.output.whole = 1;
    d->alignment_output = ws_scan_add_output(job, &file);
    (void)ws_job_add_output(job, &(ws_output){.path = d->run_file[QUALITY], .whole = 1}); /* empty in PaPaRa too */
    (void)ws_job_add_output(job, &(ws_output){.path = d->run_file[LOG], .whole = 1, .head = log_head, .end = log_end});
    return WS_OK;
}
