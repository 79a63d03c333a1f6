/* SPDX-License-Identifier: MIT
 * The outputs of nhmmsieve: what stands before and after their rows. Specification nhmmer.md, sections 3.1 and 3.2. */
#include "bin/genomes/program.h"
#include "bin/peers/peers.h"
#include "lib/run/table.h"

#include <math.h>

enum { BLOCK = 200 }; /* columns of Stockholm, as nhmmer has them */

static int head(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    const ws_dna_out *o = own;
    const ws_genome *g = ws_genome_of(job);
    const ws_hitframe frame = o->form->frame;
    if (frame == WS_FRAME_REPORT)
        return ws_peer_report_head(g->by_seq ? &ws_peer_nhmmscan : &ws_peer_nhmmer, job,
                                   ws_peer_files_of(job, g->by_seq), 1, text, err);
    const int rc = frame == WS_FRAME_COLUMNS ? ws_provenance(job, 1, text, err) : WS_OK;
    return rc ? rc : ws_dna_head(job, o, text, err);
}

/* As nhmmer, --tblout ends with what made it, and --dfamtblout does not. */
static int tblout_end(const ws_job *job, ws_buf *text, ws_err *err) {
    const int scan = ws_genome_of(job)->by_seq;
    return ws_peer_table_end(job->peer, job, ws_peer_files_of(job, scan), scan ? "SCAN" : "SEARCH", text, err);
}

static int end(const ws_job *job, void *own, uint64_t rows, ws_buf *text, ws_err *err) {
    switch (((const ws_dna_out *)own)->form->frame) {
    case WS_FRAME_COLUMNS: return ws_table_end(job, rows, text, err);
    case WS_FRAME_REPORT: return ws_buf_adds(text, "[ok]\n", err);
    case WS_FRAME_HMMER: return tblout_end(job, text, err);
    default: return WS_OK;
    }
}

/* The models that were made, which a search does not need any more. */
static int made_head(const ws_job *job, void *own, ws_buf *text, ws_err *err) {
    ws_genome *g = ws_genome_of(job);
    (void)own;
    const int rc = ws_buf_add(text, g->made.p, g->made.n, err);
    ws_buf_release(&g->made);
    return rc;
}

static void add_output(ws_job *job, const char *form, const char *path) {
    ws_genome *g = ws_genome_of(job);
    ws_dna_out *o = ws_dna_add_output(&g->dna, job, ws_dnaform_find(form), job->nout, path);
    (void)ws_job_add_output(job, &(ws_output){.path = path, .own = o, .head = head, .end = end});
}

static ws_textconf text_of(const ws_genome *g) {
    const ws_long_options *o = &g->scan;
    return (ws_textconf){.width = g->notextw ? 0 : (int)g->textw, .alignments = !g->noali, .accessions = g->acc,
                         .msa = g->beside[WS_GENOME_MSA], .known = 1, .filters = 1, .nodes = g->nodes,
                         .filter_p = {fmin(o->F1, 1), fmin(o->F1, 1), fmin(o->F2, 1), fmin(o->F3, 1)}};
}

int ws_genome_open_outputs(ws_job *job, ws_err *err) {
    static const char *const form[WS_GENOME_NBESIDE] = {[WS_GENOME_TBLOUT] = "tblout",
                                                        [WS_GENOME_DFAMTBLOUT] = "dfamtblout",
                                                        [WS_GENOME_MSA] = "sto",
                                                        [WS_GENOME_ALISCORES] = "aliscores",
                                                        [WS_GENOME_RECORDS] = "records"};
    ws_genome *g = ws_genome_of(job);
    ws_dna *d = &g->dna;
    ws_dna_out *o = ws_dna_add_output(d, job, ws_dnaform_find(ws_genome_forms[g->form]), 0, job->out[0].path);
    job->out[0] = (ws_output){.path = job->out[0].path, .own = o, .head = head, .end = end};
    for (int k = 0; k < WS_GENOME_NBESIDE; k++)
        if (g->beside[k]) add_output(job, form[k], g->beside[k]);
    if (g->hmmout && g->is_made) (void)ws_job_add_output(job, &(ws_output){.path = g->hmmout, .head = made_head});
    for (size_t i = 0; i < g->set.n; i++) g->nodes += (uint64_t)g->set.hmm[i].M;
    d->text = text_of(g);
    int rc = ws_buf_addf(&g->author, err, "%s (warpsieve " WS_VERSION ")", ws_job_program(job));
    d->author = g->author.p;
    d->msa_width = g->notextw ? 0 : BLOCK;
    if (!rc && !(d->passed = ws_calloc(g->set.n, sizeof *d->passed, err))) rc = err->code;
    return rc;
}
