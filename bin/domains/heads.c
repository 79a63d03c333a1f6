/* SPDX-License-Identifier: MIT
 * Heads and ends of domscore's outputs. */
#include "bin/domains/domscore.h"
#include "lib/run/table.h"

static const ws_dom_program hmmsearch = {.name = "hmmsearch", .title = "search profile(s) against a sequence database",
                                         .query = "HMM file:                  ",
                                         .target = "sequence database:        "};
static const ws_dom_program hmmscan = {.name = "hmmscan", .title = "search sequence(s) against a profile database",
                                       .query = "sequence file:             ",
                                       .target = "HMM database:             "};
static const ws_dom_program *program_of(const ws_domscore *d) {
    return d->as ? d->as : d->by_seq ? &hmmscan : &hmmsearch;
}

static const char rule[] = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";

/* Returns an operand as it was given; 0 is the models. No operand stands for standard input. */
static const char *operand(const ws_job *job, int i) {
    return i < job->cmdline.noperand ? job->cmdline.operand[i] : "-";
}

/* Readers of hmmsearch's report look for its first words, and for a version. */
int ws_dom_program_head(const ws_dom_program *p, const ws_job *job, int by_seq, const char *echo, ws_buf *text,
                        ws_err *err) {
    const char *first = operand(job, 0), *second = operand(job, 1);
    return ws_buf_addf(text, err,
                       "# %s :: %s\n# HMMER 3.4 (Aug 2023); http://hmmer.org/\n"
                       "# The format is that of HMMER; computed by %s of warpsieve " WS_VERSION
                       "\n%s# query %s%s\n# target %s%s\n%s%s\n",
                       p->name, p->title, job->tool->name, rule, p->query, by_seq ? second : first, p->target,
                       by_seq ? first : second, echo, rule);
}

static int text_head(const ws_job *job, ws_buf *text, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(job);
    return ws_dom_program_head(program_of(d), job, d->by_seq, d->echo.n ? d->echo.p : "", text, err);
}

static int table_head(const ws_job *job, ws_buf *text, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(job);
    const int rc = d->provenance ? d->provenance(job, text, err) : ws_scan_provenance(job, text, err);
    return rc ? rc : ws_table_head(job, &ws_hit_columns, d->columns.column, d->columns.n, text, err);
}

/* The head of a table of hmmsearch's that is written as hits are found: the first name is not known yet. */
static int stream_head(const ws_job *job, const ws_hitform *f, ws_buf *text, ws_err *err) {
    const ws_hmm_target *h = job->target[0].data;
    const ws_hitlist none = {0};
    const ws_hitquery q = {.hmm = h->hmm, .list = &none, .first = 1, .streams = 1};
    ws_sink s = {0};
    f->pass[0].begin(&s, &q);
    int rc = ws_sink_flush(&s, err);
    if (!rc) rc = ws_buf_add(text, s.text.p, s.text.n, err);
    ws_sink_release(&s);
    return rc;
}

int ws_domscore_head(const ws_job *job, void *out, ws_buf *text, ws_err *err) {
    const ws_hitform *f = &ws_hitforms[((const ws_dom_out *)out)->form];
    switch (f->frame) {
    case WS_FRAME_COLUMNS: return table_head(job, text, err);
    case WS_FRAME_REPORT: return text_head(job, text, err);
    case WS_FRAME_HMMER: return ws_domscore_of(job)->stream ? stream_head(job, f, text, err) : WS_OK;
    default: return f->head ? ws_buf_adds(text, f->head, err) : WS_OK;
    }
}

/* No folder and no date, so that equal searches give equal bytes. */
int ws_dom_program_end(const ws_job *job, int by_seq, const char *mode, const char *settings, ws_buf *text,
                       ws_err *err) {
    const char *program = ws_job_program(job), *models = operand(job, 0), *seqs = operand(job, 1);
    int rc = ws_buf_addf(text, err,
                         "#\n# Program:         %s\n# Version:         warpsieve " WS_VERSION
                         "\n# Pipeline mode:   %s\n# Query file:      %s\n# Target file:     %s\n",
                         program, mode, by_seq ? seqs : models, by_seq ? models : seqs);
    if (rc) return rc;
    if (settings) return ws_buf_addf(text, err, "# Option settings: %s\n# [ok]\n", settings);
    return ws_buf_addf(text, err, "# Option settings: %s %s\n# [ok]\n", program,
                       job->cmdline.args.p ? job->cmdline.args.p : "");
}

static int hmmer_end(const ws_job *job, ws_dom_form form, ws_buf *text, ws_err *err) {
    const ws_domscore *d = ws_domscore_of(job);
    /* hmmscan too calls it a search that Pfam's table comes from */
    const char *mode = d->by_seq && form != WS_DOMFORM_PFAMTBLOUT ? "SCAN" : "SEARCH";
    return ws_dom_program_end(job, d->by_seq, mode, d->settings.n ? d->settings.p : NULL, text, err);
}

int ws_domscore_end(const ws_job *job, void *out, uint64_t rows, ws_buf *text, ws_err *err) {
    const ws_dom_out *o = out;
    const ws_stream_size size = ws_scan_size(job);
    (void)rows;
    switch (ws_hitforms[o->form].frame) {
    case WS_FRAME_COLUMNS:
        if (job->common.no_provenance) return WS_OK;
        return ws_ledger_put_end(text, o->rows, &size, err);
    case WS_FRAME_REPORT: return ws_buf_addf(text, err, "[ok]\n");
    case WS_FRAME_HMMER: return hmmer_end(job, o->form, text, err);
    default: return WS_OK;
    }
}
