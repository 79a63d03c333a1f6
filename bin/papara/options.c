/* SPDX-License-Identifier: MIT
 * The options of papara-score. Its letters t, s, q, j and p mean the same as in papara 2. So --threads has the
 * letter j here, and --quiet has none. */
#include "bin/papara/program.h"

#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(ws_papara_opts, field)
#define PLAIN .given = WS_OPT_NOGIVEN
#define ROWS .flags = WS_OPT_RESULT

static const char *const schemes[] = {"papara2", "eq1", NULL};
static const char *const rules[] = {"likelihood", "rule", NULL};
static const char *const alphabets[] = {"auto", "dna", "protein", NULL};
static const char *const extras[] = {"ignore", "queries", NULL};
static const char *const formats[] = {"tsv", "fasta", "packed", "ids", "jplace", NULL};
static const char *const align_formats[] = {"fasta", "phylip", NULL};
static const char *const insertion_forms[] = {"drop", "columns", NULL};

const ws_opt ws_papara_opt_table[] = {
    {0, "scheme", NULL, WS_OPT_CHOICE, AT(scheme), "NAME",
     "papara2 as the released program, or eq1 as the paper's Equation 1 [papara2]", .choices = schemes,
     .group = WS_GROUP_SCORE, ROWS, PLAIN},
    {'p', "parameters", NULL, WS_OPT_STRING, AT(parameters), "COSTS",
     "open:extend:match:more, the last for a residue on a gap site [-3:-1:2:-3]", .group = WS_GROUP_SCORE, ROWS, PLAIN},
    {0, "flags", NULL, WS_OPT_CHOICE, AT(flags), "NAME",
     "gap sites of a branch by likelihood, or by the rule of 2011 [likelihood, eq1: rule]", .choices = rules,
     .group = WS_GROUP_SCORE, ROWS, .given = AT(flags_given)},
    {0, "both-strands", NULL, WS_OPT_FLAG, AT(both_strands), NULL,
     "score the reverse complement too and take the better one", .group = WS_GROUP_SCORE, ROWS, PLAIN},

    {'s', "reference", NULL, WS_OPT_STRING, AT(reference), "FILE", "the alignment, in place of the operand",
     .group = WS_GROUP_INPUT, PLAIN},
    {'t', "reference-tree", NULL, WS_OPT_STRING, AT(tree), "FILE", "the tree, in place of the operand",
     .group = WS_GROUP_INPUT, PLAIN},
    {'q', "queries", NULL, WS_OPT_STRING, AT(queries), "FILE", "reads, before those that operands name",
     .group = WS_GROUP_INPUT, PLAIN},
    {0, "alphabet", NULL, WS_OPT_CHOICE, AT(alphabet), "NAME",
     "auto, dna or protein [auto: by the letters of the alignment]", .choices = alphabets, .group = WS_GROUP_INPUT,
     ROWS, PLAIN},
    {0, "extra-rows", NULL, WS_OPT_CHOICE, AT(extra_rows), "WHAT",
     "alignment rows that are not in the tree: ignore, or queries behind the reads [ignore]", .choices = extras,
     .group = WS_GROUP_INPUT, ROWS, PLAIN},
    {0, "resolve", NULL, WS_OPT_FLAG, AT(resolve), NULL, "resolve multifurcations with branches of 1e-6",
     .group = WS_GROUP_INPUT, ROWS, PLAIN},
    {0, "papara-residues", NULL, WS_OPT_FLAG, AT(papara_residues), NULL,
     "leave out of reads what papara 2.5 leaves out: lower case, U, ...", .group = WS_GROUP_INPUT, ROWS, PLAIN},

    {'O', "out-format", NULL, WS_OPT_CHOICE, AT(out_format), "FORMAT", "write tsv, fasta, packed, ids or jplace [tsv]",
     .choices = formats, .group = WS_GROUP_OUTPUT, .given = AT(out_format_given)},
    {0, "all-edges", NULL, WS_OPT_FLAG, AT(all_edges), NULL, "write a row for every read and branch: name, edge, score",
     .group = WS_GROUP_OUTPUT, ROWS, PLAIN},
    {0, "tree", NULL, WS_OPT_STRING, AT(tree_out), "FILE", "write the tree with {n} at branch n of the rows",
     .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "alignment", NULL, WS_OPT_STRING, AT(alignment), "FILE",
     "align each read to its best branch and write the rows to FILE", .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "alignment-format", NULL, WS_OPT_CHOICE, AT(alignment_format), "FORMAT",
     "fasta, the reads alone, or phylip, behind the reference rows [fasta]", .choices = align_formats,
     .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "insertions", NULL, WS_OPT_CHOICE, AT(insertions), "WHAT",
     "residues without a site: drop, or give them columns [drop, phylip: columns]", .choices = insertion_forms,
     .group = WS_GROUP_OUTPUT, .given = AT(insertions_given)},
    {0, "with-references", NULL, WS_OPT_FLAG, AT(with_references), NULL, "with fasta: write the reference rows first",
     .group = WS_GROUP_OUTPUT, PLAIN},
    {0, "papara-run", NULL, WS_OPT_STRING, AT(run), "NAME", "", .group = WS_GROUP_OUTPUT, .flags = WS_OPT_HIDDEN,
     PLAIN}, /* of the name papara: run.c */
    {0, "papara-replace", NULL, WS_OPT_FLAG, AT(replace), NULL, "", .group = WS_GROUP_OUTPUT, .flags = WS_OPT_HIDDEN,
     PLAIN},
    {0, "drop-gap-columns", NULL, WS_OPT_FLAG, AT(drop_gap_columns), NULL,
     "leave out columns in which all leaves have gaps", .group = WS_GROUP_OUTPUT, PLAIN},

    {'j', "threads", "cpu", WS_OPT_INT, AT(threads), "N", "threads in all [all cores that the process may use]",
     .min = 0, .max = 4096, .group = WS_GROUP_RUN, PLAIN},
    {0, "quiet", NULL, WS_OPT_FLAG, AT(quiet), NULL, "write no notes and no progress on standard error",
     .group = WS_GROUP_MISC, PLAIN},
    WS_OPT_END,
};

/* Parses "O:X:M:G", four whole numbers. Returns WS_EUSAGE on failure. */
static int parse_parameters(const char *text, int value[4], ws_err *err) {
    char q[WS_QUOTE_MAX], *end;
    const char *p = text;
    for (int i = 0; i < 4; i++, p = end + 1) {
        const long v = strtol(p, &end, 10);
        if (end == p || *end != (i < 3 ? ':' : '\0') || v < -30000 || v > 30000)
            return ws_fail(err, WS_EUSAGE,
                           "-p, --parameters: expected four whole numbers such as -3:-1:2:-3, found \"%s\"",
                           ws_quote(q, text, strlen(text)));
        value[i] = (int)v;
    }
    if (value[0] > value[1] || value[1] > 0)
        return ws_fail(err, WS_EUSAGE,
                       "-p, --parameters: gap open must not be above gap extend, and that not above 0, found \"%s\"",
                       text);
    if (value[2] < 0 || value[3] > 0)
        return ws_fail(err, WS_EUSAGE,
                       "-p, --parameters: match must not be below 0, match on a gap site not above 0, found \"%s\"",
                       text);
    return WS_OK;
}

int ws_papara_options_check(const ws_papara_opts *o, const ws_job *job, ws_papara_scheme *scheme, ws_err *err) {
    int v[4] = {-3, -1, 2, -3};
    if (o->parameters && o->scheme == WS_PAPARA_EQ1)
        return ws_fail(err, WS_EUSAGE, "-p, --parameters: --scheme eq1 has fixed costs");
    int rc = o->parameters ? parse_parameters(o->parameters, v, err) : WS_OK;
    if (rc) return rc;
    *scheme = ws_papara_scheme_of(o->scheme == 1 ? WS_PAPARA_EQ1 : WS_PAPARA_2, v[0], v[1], v[2], v[3]);
    if (o->all_edges && o->out_format != WS_OUT_TSV)
        return ws_fail(err, WS_EUSAGE, "--all-edges goes with --out-format tsv only");
    if (o->all_edges && job->common.fields)
        return ws_fail(err, WS_EUSAGE, "--fields: the columns of --all-edges are fixed");
    if (o->all_edges && o->alignment) return ws_fail(err, WS_EUSAGE, "--all-edges and --alignment do not go together");
    const int of_alignment =
        o->alignment_format || o->insertions_given || o->with_references || o->drop_gap_columns;
    if (of_alignment && !o->alignment && !o->run)
        return ws_fail(
            err, WS_EUSAGE,
            "--alignment-format, --insertions, --with-references and --drop-gap-columns go with --alignment FILE");
    return WS_OK;
}
