/* SPDX-License-Identifier: MIT
 * sixframe: the open reading frames of DNA or RNA as proteins, as esl-translate cuts and names them. A tool without
 * targets: every ORF passes. */
#include "lib/scan/scan.h"

extern const ws_tool ws_sixframe_tool;

typedef struct sixframe_opts {
    ws_translate how;
    int atg, starts, windows, watson, crick, out_format;
} sixframe_opts;
static sixframe_opts *options_of(const ws_job *job) { return job->own; }

static const char *const out_formats[] = {"fasta", "packed", "tsv", "ids", NULL};
static const int out_format[] = {WS_OUT_FASTA, WS_OUT_PACKED, WS_OUT_TSV, WS_OUT_IDS};

#define AT(field) offsetof(sixframe_opts, field)
#define FLAG(letter_, name_, field_, group_, flags_, help_) \
    {letter_, name_, NULL, WS_OPT_FLAG, AT(field_), NULL, help_, .group = group_, .flags = flags_, \
     .given = WS_OPT_NOGIVEN}

static const ws_opt opts[] = {
    {'c', "code", NULL, WS_OPT_INT, AT(how.table), "TABLE", "translate by the genetic code of NCBI's table TABLE [1]",
     .min = 0, .max = 1e9, .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN},
    {'l', "min-length", NULL, WS_OPT_INT, AT(how.least), "N", "write ORFs of at least N residues [20]", .min = 0,
     .max = 1e18, .group = WS_GROUP_FILTER, .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN},
    FLAG('m', "atg", atg, WS_GROUP_FILTER, WS_OPT_RESULT, "ORFs begin with ATG"),
    FLAG('M', "starts", starts, WS_GROUP_FILTER, WS_OPT_RESULT,
         "ORFs begin with a codon that begins proteins in the genetic code"),
    FLAG(0, "watson", watson, WS_GROUP_FILTER, WS_OPT_RESULT, "the given strand alone"),
    FLAG(0, "crick", crick, WS_GROUP_FILTER, WS_OPT_RESULT, "the other strand alone"),
    FLAG('W', "windows", windows, WS_GROUP_FILTER, WS_OPT_RESULT,
         "records of fewer than 3 bases are left out, not put before the next one"),
    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(out_format), "FORMAT", "write fasta, packed, tsv or ids [fasta]",
     .choices = out_formats, .group = WS_GROUP_OUTPUT, .given = WS_OPT_NOGIVEN},
    WS_OPT_END,
};

static void defaults(void *own) {
    ((sixframe_opts *)own)->how = (ws_translate){.table = 1, .least = 20};
}

static int open_sixframe(ws_job *job, ws_err *err) {
    sixframe_opts *o = options_of(job);
    if (o->atg && o->starts)
        return ws_fail(err, WS_EUSAGE, "-m and -M exclude each other: ORFs begin with ATG, or with any start codon");
    o->how.starts = o->atg ? WS_STARTS_ATG : o->starts ? WS_STARTS_TABLE : WS_STARTS_ANY;
    if (o->watson && o->crick)
        return ws_fail(err, WS_EUSAGE, "--watson and --crick exclude each other; without them both strands are cut");
    o->how.strands = o->watson ? WS_STRANDS_WATSON : o->crick ? WS_STRANDS_CRICK : WS_STRANDS_BOTH;
    o->how.joins = !o->windows;
    ws_scan *scan = ws_scan_of(job);
    scan->abc = ws_abc_get(WS_ABC_AMINO);
    scan->translate = &o->how;
    scan->out_format = out_format[o->out_format];
    scan->whole_text = scan->out_format == WS_OUT_FASTA;
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    return ws_gencode_check(o->how.table, "--code", err);
}

static const ws_scoring no_scoring = {0}; /* every ORF passes */

static const char *const column[] = {"name", "seq", "qual", "desc", "tlen"};
static const ws_names columns = WS_NAMES(column);

const ws_tool ws_sixframe_tool = {
    .name = "sixframe",
    .summary = "translate DNA or RNA in six frames: its open reading frames as proteins",
    .usage = "[SEQUENCES...]",
    .columns = {&columns},
    .examples = "  # the ORFs of a genome, as esl-translate writes them\n"
                "  sixframe -c 11 -l 50 genome.fa.gz > orfs.fa\n"
                "  # reads against a family, without a file in between\n"
                "  zcat reads.fq.gz | sixframe -O packed | msvfilt m.hmm | vitfilt m.hmm | fwdscore m.hmm > hits.tsv\n",
    .opts = opts,
    .own_size = sizeof(sixframe_opts),
    .defaults = defaults,
    .reader = &ws_scan_reader,
    .scoring = &no_scoring,
    .open = open_sixframe,
};
