/* SPDX-License-Identifier: MIT
 * hmmsearch's options about hits: thresholds, sizes, forms of output. domscore and the searches obey them. */
#ifndef WS_HITS_OPTIONS_H
#define WS_HITS_OPTIONS_H

#include "lib/base/opt.h"

#include <math.h>

/* -O, by ws_hitforms. WS_HIT_FORMS are the names, without RECORDS, which the Python module asks for by --records. */
typedef enum ws_dom_form {
    WS_DOMFORM_TSV, WS_DOMFORM_TEXT, WS_DOMFORM_TBLOUT, WS_DOMFORM_DOMTBLOUT, WS_DOMFORM_STO, WS_DOMFORM_A2M,
    WS_DOMFORM_A3M, WS_DOMFORM_FASTA, WS_DOMFORM_IDS, WS_DOMFORM_PFAMTBLOUT, WS_DOMFORM_BED, WS_DOMFORM_GFF3,
    WS_DOMFORM_RECORDS, WS_NDOMFORM
} ws_dom_form;
#define WS_HIT_FORMS "tsv", "text", "tblout", "domtblout", "sto", "a2m", "a3m", "fasta", "ids", "pfamtblout", \
                     "bed", "gff3"

/* Their values, for the struct of a tool's options. */
#define WS_HIT_FIELDS \
    double E, T, domE, domT, incE, incT, incdomE, incdomT, Z, domZ; \
    int E_given, T_given, domE_given, domT_given, incE_given, incT_given, incdomE_given, incdomT_given, Z_given, \
        domZ_given; \
    int cut_ga, cut_nc, cut_tc, nonull2, noali, notextw, textw_given, acc, seed_given, mem_given, form, orfs, join, \
        join_gap_given; \
    long long seed, textw, seq_limit, join_gap; \
    uint64_t mem; \
    const char *cutoffs; \
    const char *beside[WS_NDOMFORM] /* paths of the forms that are written besides -O */

#define WS_HIT_REAL(type, letter_, name_, field, arg_, help_, ...) \
    {letter_, name_, NULL, WS_OPT_REAL, offsetof(type, field), arg_, help_, .group = WS_GROUP_SCORE, \
     .given = offsetof(type, field##_given), __VA_ARGS__}
#define WS_HIT_SIZE .min = 0, .max = 1e300, .flags = WS_OPT_RESULT | WS_OPT_ABOVE
/* A threshold may be infinite: then all or none pass. */
#define WS_HIT_EVALUE .min = 0, .max = INFINITY, .flags = WS_OPT_RESULT | WS_OPT_ABOVE
#define WS_HIT_BITS .min = -INFINITY, .max = INFINITY, .flags = WS_OPT_RESULT
#define WS_HIT_FLAG(type, name_, field, group_, flags_, help_) \
    {0, name_, NULL, WS_OPT_FLAG, offsetof(type, field), NULL, help_, .group = group_, .flags = flags_, \
     .given = WS_OPT_NOGIVEN}
#define WS_HIT_PATH(type, letter_, name_, field, help_) \
    {letter_, name_, NULL, WS_OPT_STRING, offsetof(type, field), "FILE", help_, .group = WS_GROUP_OUTPUT, \
     .given = WS_OPT_NOGIVEN}

/* Entries of an option table. type: the struct of options; inc: the E-value for inclusion, as a string. */
#define WS_HIT_THRESHOLD_OPTS(type, inc) \
    WS_HIT_REAL(type, 'E', "evalue", E, "E", "report sequences whose E-value is at most E [10]", WS_HIT_EVALUE), \
        WS_HIT_REAL(type, 'T', "bits", T, "BITS", \
            "report sequences whose score is at least BITS, whatever their E-value", WS_HIT_BITS), \
        WS_HIT_REAL(type, 0, "domE", domE, "E", "report domains whose conditional E-value is at most E [10]", \
            WS_HIT_EVALUE), \
        WS_HIT_REAL(type, 0, "domT", domT, "BITS", "report domains whose score is at least BITS", WS_HIT_BITS), \
        WS_HIT_REAL(type, 0, "incE", incE, "E", "include sequences whose E-value is at most E [" inc "]", \
            WS_HIT_EVALUE), \
        WS_HIT_REAL(type, 0, "incT", incT, "BITS", \
            "include sequences whose score is at least BITS, and sort by score", WS_HIT_BITS), \
        WS_HIT_REAL(type, 0, "incdomE", incdomE, "E", \
            "include domains whose conditional E-value is at most E [" inc "]", WS_HIT_EVALUE), \
        WS_HIT_REAL(type, 0, "incdomT", incdomT, "BITS", "include domains whose score is at least BITS", WS_HIT_BITS)
#define WS_HIT_CUT_OPTS(type) \
    WS_HIT_FLAG(type, "cut_ga", cut_ga, WS_GROUP_SCORE, WS_OPT_RESULT, \
            "take all thresholds from the model's GA cutoffs"), \
        WS_HIT_FLAG(type, "cut_nc", cut_nc, WS_GROUP_SCORE, WS_OPT_RESULT, \
            "take all thresholds from the model's NC cutoffs"), \
        WS_HIT_FLAG(type, "cut_tc", cut_tc, WS_GROUP_SCORE, WS_OPT_RESULT, \
            "take all thresholds from the model's TC cutoffs"), \
    { \
        0, "cutoffs", NULL, WS_OPT_STRING, offsetof(type, cutoffs), "FILE", \
            "take each model's thresholds from FILE: your own table, KofamScan's or PADLOC's", \
            .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN \
    }
#define WS_HIT_SPACE_OPTS(type) \
    WS_HIT_REAL(type, 'Z', "db-size", Z, "N", \
            "sequences in the database, for E-values [all that were read]", WS_HIT_SIZE), \
        WS_HIT_REAL(type, 0, "domZ", domZ, "N", \
            "sequences that count for conditional E-values of domains [those reported]", \
                    WS_HIT_SIZE), \
        WS_HIT_FLAG(type, "nonull2", nonull2, WS_GROUP_SCORE, WS_OPT_RESULT, \
            "do not correct scores for biased composition"), \
    { \
        0, "seed", NULL, WS_OPT_INT, offsetof(type, seed), "N", \
            "seed of the random numbers of each ensemble [42]", .min = 0, \
            .max = UINT32_MAX, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = offsetof(type, seed_given) \
    }
#define WS_HIT_SCORE_OPTS(type) WS_HIT_THRESHOLD_OPTS(type, "0.01"), WS_HIT_CUT_OPTS(type), WS_HIT_SPACE_OPTS(type)

/* The option of programs that see all models of a sequence, and the words that it takes. */
#define WS_RESOLVE_NAMES "none", "greedy", "total", NULL
#define WS_HIT_RESOLVE(type, choices_) \
    {0, "resolve", NULL, WS_OPT_CHOICE, offsetof(type, resolve), "RULE", \
     "where domains overlap on a sequence, report those chosen by RULE: none, greedy or total [none]", \
     .choices = choices_, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN}

/* An option of AlphaFold's jackhmmer. */
#define WS_SEQ_LIMIT(type) \
    {0, "seq_limit", NULL, WS_OPT_INT, offsetof(type, seq_limit), "N", \
     "write at most the best N targets of each query", .min = 1, .max = 1e12, .group = WS_GROUP_OUTPUT, \
     .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN}

/* forms: the choices of -O; form: its default. */
#define WS_HIT_OUTPUT_OPTS(type, forms, form_) \
    {'O', "out-format", NULL, WS_OPT_CHOICE, offsetof(type, form), "FORMAT", \
     "write tsv, text, tblout, domtblout, pfamtblout, sto, a2m, a3m, fasta, ids, bed or gff3 [" form_ "]", \
         .choices = forms, \
         .group = WS_GROUP_OUTPUT, \
     .given = WS_OPT_NOGIVEN}, \
        WS_HIT_PATH(type, 0, "tblout", beside[WS_DOMFORM_TBLOUT], \
                    "also write hmmsearch's table of sequences to FILE"), \
        WS_HIT_PATH(type, 0, "domtblout", beside[WS_DOMFORM_DOMTBLOUT], \
                    "also write hmmsearch's table of domains to FILE"), \
        WS_HIT_PATH(type, 0, "pfamtblout", beside[WS_DOMFORM_PFAMTBLOUT], \
                    "also write Pfam's table of sequences, then of domains, to FILE"), \
        WS_HIT_PATH(type, 'A', "msa", beside[WS_DOMFORM_STO], \
                    "also write an alignment of all included domains to FILE, in Stockholm"), \
        {0, "records", NULL, WS_OPT_STRING, offsetof(type, beside[WS_DOMFORM_RECORDS]), "FILE", "", \
         .group = WS_GROUP_OUTPUT, .flags = WS_OPT_HIDDEN, .given = WS_OPT_NOGIVEN}, \
        WS_HIT_FLAG(type, "orfs", orfs, WS_GROUP_OUTPUT, WS_OPT_RESULT, \
            "the sequences are ORFs of sixframe or esl-translate: write where domains lie in contigs"), \
        WS_HIT_FLAG(type, "join", join, WS_GROUP_OUTPUT, WS_OPT_RESULT, \
            "give domains that may be parts of one gene, on nearby ORFs of a contig, one number"), \
        {0, "join-gap", NULL, WS_OPT_INT, offsetof(type, join_gap), "N", \
         "let at most N bases lie between two domains of a locus [1000]", .min = 0, .max = 1000000, \
         .group = WS_GROUP_OUTPUT, .flags = WS_OPT_RESULT, .given = offsetof(type, join_gap_given)}, \
        WS_HIT_FLAG(type, "noali", noali, WS_GROUP_OUTPUT, 0, "leave alignments out of the text report"), \
        {0, "textw", NULL, WS_OPT_INT, offsetof(type, textw), "N", \
         "wrap the text report at N characters [120]", \
         .min = 120, .max = 1e9, .group = WS_GROUP_OUTPUT, .given = offsetof(type, textw_given)}, \
        WS_HIT_FLAG(type, "notextw", notextw, WS_GROUP_OUTPUT, 0, \
            "do not wrap the text report; write -A as one block"), \
        WS_HIT_FLAG(type, "acc", acc, WS_GROUP_OUTPUT, 0, \
            "show accessions of models in place of names in the text report"), \
    { \
        0, "mem", NULL, WS_OPT_SIZE, offsetof(type, mem), "SIZE", \
            "most memory of the ensemble of one region [4G]; if given, hits beyond an eighth of it go to a file", \
           .min = 1, \
            .max = 1e15, .group = WS_GROUP_RUN, .given = offsetof(type, mem_given) \
    }

#endif
