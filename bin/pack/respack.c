/* SPDX-License-Identifier: MIT
 * respack: sequences from one form to another, above all FASTA to the packed stream and back. A tool without targets:
 * every sequence passes. */
#include "bin/pack/shards.h"

extern const ws_tool ws_respack_tool;

typedef struct respack_opts {
    int amino, dna, rna, out_format;
    ws_abc reads; /* the alphabet of --dna and --rna */
    ws_shards shards;
} respack_opts;
static respack_opts *options_of(const ws_job *job) { return job->own; }

/* That of the others with another default. */
static const char *const out_formats[] = {"packed", "tsv", "fasta", "ids", NULL};
static const int out_format[] = {WS_OUT_PACKED, WS_OUT_TSV, WS_OUT_FASTA, WS_OUT_IDS};

#define ALPHABET(name_, help_) \
    {0, #name_, NULL, WS_OPT_FLAG, offsetof(respack_opts, name_), NULL, help_, .group = WS_GROUP_INPUT, \
     .given = WS_OPT_NOGIVEN}

static const ws_opt opts[] = {
    ALPHABET(amino, "the residues are amino acids [this]"),
    ALPHABET(dna, "the residues are DNA"),
    ALPHABET(rna, "the residues are RNA"),
    {'O', "out-format", NULL, WS_OPT_CHOICE, offsetof(respack_opts, out_format), "FORMAT",
     "write packed, tsv, fasta or ids [packed]", .choices = out_formats, .group = WS_GROUP_OUTPUT,
     .given = WS_OPT_NOGIVEN},
    {0, "shards", NULL, WS_OPT_INT, offsetof(respack_opts, shards.n), "N",
     "write N packed files of about as many residues each: OUTPUT-00000-of-N and so on", .min = 1, .max = 99999,
     .group = WS_GROUP_OUTPUT, .given = WS_OPT_NOGIVEN},
    WS_OPT_END,
};

/* Reads may be cut from an alignment: a gap stays a gap, as papara-score takes it. */
static const ws_abc *with_gaps(ws_abc *abc, ws_abc_type type) {
    *abc = *ws_abc_get(type);
    abc->code_of['-'] = abc->code_of['?'] = abc->code_of['.'];
    return abc;
}

static int open_respack(ws_job *job, ws_err *err) {
    respack_opts *o = options_of(job);
    if (o->amino + o->dna + o->rna > 1)
        return ws_fail(err, WS_EUSAGE, "only one of --amino, --dna and --rna can be given");
    ws_scan *scan = ws_scan_of(job);
    scan->abc = o->dna || o->rna ? with_gaps(&o->reads, o->dna ? WS_ABC_DNA : WS_ABC_RNA) : ws_abc_get(WS_ABC_AMINO);
    scan->any_abc = o->amino + o->dna + o->rna == 0;
    if (scan->any_abc)
        scan->looks_like_dna = "the sequences look like DNA, but are taken as amino acids; use --dna or --rna, or "
                               "--amino if they are proteins";
    job->input = job->cmdline.operand;
    job->ninput = job->cmdline.noperand;
    scan->out_format = out_format[o->out_format];
    return ws_shards_open(&o->shards, job, err);
}

static void close_respack(ws_job *job) { ws_shards_close(&options_of(job)->shards); }
static int look_at_input(ws_job *job, ws_err *err) {
    return ws_shards_input(job, &options_of(job)->shards, err);
}
static int finish(ws_job *job, ws_err *err) { return ws_shards_finish(&options_of(job)->shards, job, err); }

static const ws_scoring no_scoring = {.input = look_at_input}; /* every sequence passes */

static const char *const column[] = {"name", "seq", "qual", "desc", "tlen"};
static const ws_names columns = WS_NAMES(column);

const ws_tool ws_respack_tool = {
    .name = "respack",
    .summary = "turn FASTA, FASTQ or tables into the packed residue stream, and back",
    .usage = "[FILE...]",
    .columns = {&columns},
    .examples = "  # pack a database once, read it many times: fewer bytes, and no parsing\n"
                "  zcat db.fa.gz | respack > db.wsp\n"
                "  msvfilt m.hmm db.wsp > hits.tsv\n"
                "  # back to FASTA\n"
                "  respack -O fasta db.wsp\n"
                "  # four parts for four machines: parts-00000-of-00004 and so on\n"
                "  respack --shards 4 -o parts db.fa\n",
    .opts = opts,
    .own_size = sizeof(respack_opts),
    .reader = &ws_scan_reader,
    .scoring = &no_scoring,
    .open = open_respack,
    .close = close_respack,
    .finish = finish,
};
