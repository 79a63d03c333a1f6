/* SPDX-License-Identifier: MIT
 * The options that every tool of sequences has, and what follows from them: outputs and the form of the input. */
#include "lib/base/memory.h"
#include "lib/compress/inputs.h"
#include "lib/run/peer.h"
#include "lib/scan/state.h"

#include <string.h>

#define AT(field) offsetof(ws_scan, field)
#define PLAIN .given = WS_OPT_NOGIVEN

static const char *const out_formats[] = {"tsv", "fasta", "packed", "ids", NULL};
static const char *const badres[] = {"error", "x", "skip", NULL};

const ws_opt ws_scan_opts[] = {
    {'a', "all", NULL, WS_OPT_FLAG, AT(all), NULL, "score and keep every sequence, whatever its score",
     .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT | WS_OPT_SCORING, PLAIN},

    {0, "in-format", NULL, WS_OPT_CHOICE, AT(in_format), "FORMAT",
     "insist on " WS_FORMAT_NAMES " [auto: by content]", .choices = ws_format_names, .group = WS_GROUP_INPUT, PLAIN},
    {0, "bad-residue", NULL, WS_OPT_CHOICE, AT(badres), "WHAT",
     "at a character that is no residue: error, x (take it as unknown) or skip (leave it out) [error]",
     .choices = badres,
     .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, PLAIN},
    {0, "allow-cut", NULL, WS_OPT_FLAG, AT(allow_cut), NULL, "accept a table without its ##end line (after head, say)",
     .group = WS_GROUP_INPUT, PLAIN},

    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(out_format), "FORMAT", "write tsv, fasta, packed or ids [tsv]",
     .choices = out_formats, .group = WS_GROUP_OUTPUT, PLAIN},
    {'U', "rejected", NULL, WS_OPT_STRING, AT(rejected), "FILE", "write what did not pass to FILE, in the same format",
     .group = WS_GROUP_OUTPUT, .flags = WS_OPT_SCORING, PLAIN},
    WS_OPT_END,
};

/* ---- outputs ---- */

int ws_scan_add_output(ws_job *job, const ws_scan_output *o) {
    const int k = ws_job_add_output(job, &o->output);
    ws_scan_of(job)->emit[k] = o->emit;
    return k;
}

void ws_scan_set_main(ws_job *job, const ws_scan_output *o) {
    const char *path = job->out[0].path;
    job->out[0] = o->output;
    job->out[0].path = path;
    ws_scan_of(job)->emit[0] = o->emit;
}

/* Sets up the main output or that of -U for the format of -O. FASTA and names have neither head nor end. */
static void set_format(ws_job *job, ws_output *o) {
    const ws_scan *scan = ws_scan_of(job);
    const char *path = o->path;
    if (scan->emit[0])
        *o = job->out[0];
    else if (scan->out_format == WS_OUT_TSV && scan->top)
        *o = (ws_output){.head = ws_rows_head, .pack = ws_top_add, .end = ws_top_end, .flush = ws_top_flush};
    else if (scan->out_format == WS_OUT_TSV)
        *o = (ws_output){.head = ws_rows_head, .rest = ws_rows_late, .end = ws_scan_end};
    else if (scan->out_format == WS_OUT_PACKED)
        *o = (ws_output){.head = ws_packed_output_head, .pack = ws_packed_output_add, .end = ws_packed_output_end,
                         .flush = ws_packed_output_flush};
    o->path = path;
}

/* Rows that name a model must name one: a program that writes such rows refuses two models of one name. */
static int writes_queries(const ws_job *job) {
    const ws_scan *scan = ws_scan_of(job);
    if (!ws_scan_has_queries(job) || scan->emit[0]) return 0;
    if (scan->out_format == WS_OUT_PACKED) return 1;
    return scan->out_format == WS_OUT_TSV && (!job->common.fields || strstr(job->common.fields, "query"));
}

int ws_scan_outputs(ws_job *job, ws_err *err) {
    ws_scan *scan = ws_scan_of(job);
    if (job->common.fields && scan->out_format != WS_OUT_TSV)
        return ws_fail(err, WS_EUSAGE, "--fields chooses columns of a table, so it goes with --out-format tsv only");
    ws_queries *names = NULL;
    const int rc = writes_queries(job) ? ws_scan_name_targets(&names, job->target, job->ntarget, err) : WS_OK;
    ws_queries_destroy(names);
    if (rc) return rc;
    if (scan->top && (scan->out_format != WS_OUT_TSV || scan->rejected))
        return ws_fail(err, WS_EUSAGE,
                       "--top holds rows of a table, so it goes with --out-format tsv and without --rejected");
    const int pairs = scan->out_format == WS_OUT_TSV || (scan->out_format == WS_OUT_PACKED && job->tool->backends);
    scan->keep_rejected = scan->rejected && pairs;
    if (scan->rejected) scan->rejected_output = ws_job_add_output(job, &(ws_output){.path = scan->rejected});
    set_format(job, &job->out[0]);
    if (scan->rejected) set_format(job, &job->out[scan->rejected_output]);
    return WS_OK;
}

/* ---- input ---- */

void ws_scan_configure(ws_scan_state *s) {
    const ws_job *job = s->job;
    const ws_scan *scan = s->scan;
    int nown = 0, side = 0;
    for (int i = 0; i < scan->ncol; i++)
        if (!scan->col[i].if_absent && !scan->col[i].on_demand) s->own[nown++] = scan->col[i].name;
    for (int k = 0; k < job->nout; k++) side |= scan->emit[k] != NULL;
    const int wide = !job->batch_fixed && job->backend && !ws_job_has_device(job);
    s->conf = (ws_seqread_conf){.path = job->input,
                                .npath = job->ninput,
                                .format = (ws_format)scan->in_format,
                                .abc = scan->abc,
                                .any_abc = scan->any_abc,
                                .rows_apart = scan->out_format == WS_OUT_TSV && !side && !scan->best,
                                .queries = ws_scan_has_queries(job),
                                .wait_ms = WS_INPUTS_WAIT_MS,
                                .badres = (ws_badres)scan->badres,
                                .allow_cut = scan->allow_cut,
                                .some_text = ws_peer_is_hmmer(job->peer),
                                .tab_joins = scan->tab_joins,
                                .whole_text = scan->whole_text,
                                .grows = scan->grows && wide,
                                .batch_residues = job->common.batch,
                                .pair_residues = wide ? ws_policy_pair_batch(job->common.batch) : 0,
                                .batch_seqs = SIZE_MAX,
                                .own = s->own,
                                .nown = nown};
    const uint64_t mem = scan->mem ? scan->mem : ws_memory_allowed() / 4;
    enum { LISTS = 2 }; /* a hit is in the list of its part and in that of its batch */
    const ws_policy_room room = ws_policy_item_room(mem - job->target_mem, ws_run_slots(job), LISTS * sizeof(ws_hit));
    s->item_text = room.text;
    if ((scan->all || scan->keep_rejected) && job->ntarget > 0)
        s->conf.batch_seqs = ws_max(1, room.pairs / job->ntarget);
}
