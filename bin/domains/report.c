/* SPDX-License-Identifier: MIT
 * The outputs of domscore: their heads, all hits that are held, model by model, and their ends. */
#include "bin/domains/domscore.h"
#include "lib/run/table.h"

#include <math.h>
#include <string.h>

#define AUTHOR "domscore (warpsieve " WS_VERSION ")"
enum { BLOCK = 200 }; /* columns of Stockholm, as hmmsearch has them */

ws_textconf ws_domscore_text(const ws_domscore *d) {
    return (ws_textconf){.width = d->notextw ? 0 : (int)d->textw, .alignments = !d->noali, .accessions = d->acc,
                         .z_given = d->Z_given, .domz_given = d->domZ_given};
}

ws_hitquery ws_domscore_query(const ws_domscore *d, const ws_hmm_target *h, const ws_hitlist *l,
                              const ws_textconf *text) {
    return (ws_hitquery){.hmm = h->hmm, .profile = &h->profile, .list = l, .columns = &d->columns, .text = text,
                         .msa_width = d->notextw ? 0 : BLOCK, .author = AUTHOR};
}

static void count_passed(const ws_job *job, size_t m, ws_textconf *text) {
    const ws_dom_passed *p = ((const ws_domscore *)job->own)->passed;
    text->known = !(p && p->cut) && ws_scan_counted(job, &text->seqs, &text->residues);
    text->filters = p != NULL;
    if (!p) return;
    memcpy(text->filter_p, p->p, sizeof text->filter_p);
    memcpy(text->passed, p->count[m], sizeof text->passed);
}

static uint64_t rows_of(const ws_dom_out *o, const ws_held *h) {
    const int reported = (h->flags & WS_HELD_REPORTED) != 0;
    return ws_hitforms[o->form].row_of_target ? (uint64_t)reported : reported ? h->nreported : 0;
}

void ws_domscore_write_target(ws_domscore *d, const ws_hitquery *q, const ws_held *h) {
    for (int k = 0; k < d->nout; k++) {
        ws_hitforms[d->out[k].form].target(&d->out[k].sink, q, h);
        d->out[k].rows += rows_of(&d->out[k], h);
    }
}

static void write_list(ws_dom_out *o, const ws_hitquery *q) {
    const ws_hitform *f = &ws_hitforms[o->form];
    if (f->list) f->list(&o->sink, q);
    else
        for (size_t i = 0; i < q->list->n; i++) f->target(&o->sink, q, q->list->hit[i]);
    for (size_t i = 0; i < q->list->n; i++) o->rows += rows_of(o, q->list->hit[i]);
}

int ws_domscore_write(ws_job *job, double Z, int whole, ws_err *err) {
    ws_domscore *d = job->own;
    const double size = d->Z_given ? d->Z : Z, domZ = d->domZ_given ? d->domZ : whole ? 0 : NAN;
    ws_textconf text = ws_domscore_text(d);
    int rc = WS_OK;
    for (size_t m = 0; m < job->ntarget && !rc; m++) {
        const ws_hmm_target *h = job->target[m].data;
        ws_hitlist *l = &d->store.list[m];
        ws_hitquery q = ws_domscore_query(d, h, l, &text);
        q.first = m == 0;
        count_passed(job, m, &text);
        ws_hitlist_prune(l, &d->threshold[m], size);
        ws_hitlist_rank(l, &d->threshold[m], (ws_spaces){size, domZ});
        for (int k = 0; k < d->nout && !rc; k++) {
            write_list(&d->out[k], &q);
            if (d->out[k].sink.err.code) rc = ws_sink_flush(&d->out[k].sink, err);
        }
    }
    for (int k = 0; k < d->nout && !rc; k++) rc = ws_sink_flush(&d->out[k].sink, err);
    return rc;
}

/* ---- heads and ends ---- */

static const char rule[] = "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n";

static const char *target_name(const ws_job *job) {
    const char *name = job->ninput ? job->input[0] : "-";
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

/* Readers of hmmsearch's report look for its first words, and for a version. */
static int text_head(const ws_job *job, ws_buf *text, ws_err *err) {
    return ws_buf_addf(text, err,
                       "# hmmsearch :: search profile(s) against a sequence database\n"
                       "# HMMER 3.4 (the format; computed by domscore of warpsieve " WS_VERSION
                       "); http://hmmer.org/\n%s"
                       "# query HMM file:                  %s\n# target sequence database:        %s\n%s\n",
                       rule, job->cmdline.operand[0], target_name(job), rule);
}

static int table_head(const ws_job *job, ws_buf *text, ws_err *err) {
    const ws_domscore *d = job->own;
    const int rc = d->provenance ? d->provenance(job, text, err) : ws_scan_provenance(job, text, err);
    return rc ? rc : ws_table_head(job, &ws_hit_columns, d->columns.column, d->columns.n, text, err);
}

/* The head of a table of hmmsearch's that is written as hits are found: the first name is not known yet. */
static int stream_head(const ws_job *job, const ws_hitform *f, ws_buf *text, ws_err *err) {
    const ws_hmm_target *h = job->target[0].data;
    const ws_hitlist none = {0};
    const ws_hitquery q = {.hmm = h->hmm, .list = &none, .first = 1};
    ws_sink s = {0};
    f->list(&s, &q);
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
    case WS_FRAME_HMMER: return ((const ws_domscore *)job->own)->stream ? stream_head(job, f, text, err) : WS_OK;
    default: return WS_OK;
    }
}

/* hmmsearch's tables end with what made them. No folder and no date, so that equal searches give equal bytes. */
static int hmmer_end(const ws_job *job, ws_buf *text, ws_err *err) {
    const char *own = ((const ws_domscore *)job->own)->args, *args = own ? own : job->cmdline.args.p;
    return ws_buf_addf(text, err,
                       "#\n# Program:         domscore\n# Version:         warpsieve " WS_VERSION
                       "\n# Pipeline mode:   SEARCH\n"
                       "# Query file:      %s\n# Target file:     %s\n# Option settings: domscore %s\n# [ok]\n",
                       job->cmdline.operand[0], target_name(job), args ? args : "");
}

int ws_domscore_end(const ws_job *job, void *out, uint64_t rows, ws_buf *text, ws_err *err) {
    const ws_dom_out *o = out;
    uint64_t in, residues;
    (void)rows;
    switch (ws_hitforms[o->form].frame) {
    case WS_FRAME_COLUMNS:
        if (job->common.no_provenance) return WS_OK;
        if (!ws_scan_counted(job, &in, &residues))
            return ws_buf_addf(text, err, "##end rows=%llu\n", (unsigned long long)o->rows);
        return ws_buf_addf(text, err, "##end rows=%llu in=%llu residues=%llu\n", (unsigned long long)o->rows,
                           (unsigned long long)in, (unsigned long long)residues);
    case WS_FRAME_REPORT: return ws_buf_addf(text, err, "[ok]\n");
    case WS_FRAME_HMMER: return hmmer_end(job, text, err);
    default: return WS_OK;
    }
}
