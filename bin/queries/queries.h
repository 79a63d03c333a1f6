/* SPDX-License-Identifier: MIT
 * Queries that are sequences: read from a file, made into calibrated models. Source: specification build.md,
 * sections 2, 3 and 11. */
#ifndef WS_QUERIES_QUERIES_H
#define WS_QUERIES_QUERIES_H

#include "kernels/cast/build.h"
#include "lib/base/opt.h"
#include "lib/hits/write.h"
#include "lib/formats/seqread.h"
#include "lib/run/job.h"
#include "lib/simd/codec.h"

/* Options about queries and their models, and what is made of them. */
typedef struct ws_queryset {
    const char *format, *mx, *mxfile;
    double popen, pextend, Eft;
    long long EmL, EmN, EvL, EvN, EfL, EfN;

    ws_builder *builder;
    ws_batch batch;     /* all sequences of the file, empty ones too */
    ws_buf codes, text;
    ws_queryseq *query; /* [n] those with residues; what they point to is the set's */
    size_t n;
} ws_queryset;

/* Sets the defaults of phmmer and jackhmmer, or for nucleotides of nhmmer. */
void ws_queryset_defaults(ws_queryset *q, const ws_abc *abc);
/* Sets *s to what the options say about models; seed: 0 for an arbitrary one. WS_EUSAGE, WS_EDATA with --mxfile. */
int ws_queryset_settings(const ws_queryset *q, const ws_abc *abc, uint32_t seed, ws_build_settings *s, ws_err *err);
/* Reads the sequences of a file and lists those that have residues. WS_EDATA, WS_EIO. */
int ws_queryset_load(ws_queryset *q, const char *path, ws_format format, const ws_abc *abc, const ws_codec *codec,
                     ws_err *err);
/* Reads the queries, the job's first operand, and sets the job's inputs to the others. WS_EUSAGE without operands;
 * WS_EDATA if there is no residue, except in the place of a program of HMMER: these pass over each empty query. */
int ws_queryset_read(ws_queryset *q, ws_job *job, ws_err *err);
/* Makes the builder and a model of each query, on all threads. Fails as ws_build_from_sequence, or with WS_ESTOP once
 * the job should end, which also ends the making of later models by the same builder. */
int ws_queryset_models(ws_queryset *q, const ws_job *job, const ws_build_settings *s, ws_hmmset *set, ws_err *err);
/* Sets the hash of a set of models that were made. */
void ws_queryset_hash(ws_hmmset *set);
void ws_queryset_release(ws_queryset *q);

/* Entries of an option table, of a struct with a member `queries`. */
#define WS_QUERY_STRING(type, name_, field, arg_, help_, group_) \
    {0, name_, NULL, WS_OPT_STRING, offsetof(type, queries.field), arg_, help_, .group = group_, \
     .flags = group_ == WS_GROUP_SCORE ? WS_OPT_RESULT : 0, .given = WS_OPT_NOGIVEN}
#define WS_QUERY_COUNT(type, name_, help_) \
    {0, #name_, NULL, WS_OPT_INT, offsetof(type, queries.name_), "N", help_, .min = 1, .max = 1000000, \
     .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN}
#define WS_QUERY_OPTS(type) \
    WS_QUERY_STRING(type, "mx", mx, "NAME", "the score matrix that models are made of [BLOSUM62]", WS_GROUP_SCORE), \
        WS_QUERY_STRING(type, "mxfile", mxfile, "FILE", "read the score matrix from there", WS_GROUP_INPUT), \
        {0, "popen", NULL, WS_OPT_REAL, offsetof(type, queries.popen), "P", "probability to open a gap [0.02]", \
         .min = 0, .max = 0.49999999999999994, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, \
         .given = WS_OPT_NOGIVEN}, \
        {0, "pextend", NULL, WS_OPT_REAL, offsetof(type, queries.pextend), "P", "probability to extend a gap [0.4]", \
         .min = 0, .max = 0.99999999999999989, .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT, \
         .given = WS_OPT_NOGIVEN}, \
        WS_QUERY_COUNT(type, EmL, "calibration: residues of the sequences for MSV [200]"), \
        WS_QUERY_COUNT(type, EmN, "calibration: how many sequences for MSV [200]"), \
        WS_QUERY_COUNT(type, EvL, "calibration: residues of the sequences for Viterbi [200]"), \
        WS_QUERY_COUNT(type, EvN, "calibration: how many sequences for Viterbi [200]"), \
        WS_QUERY_COUNT(type, EfL, "calibration: residues of the sequences for Forward [100]"), \
        WS_QUERY_COUNT(type, EfN, "calibration: how many sequences for Forward [200]"), \
        {0, "Eft", NULL, WS_OPT_REAL, offsetof(type, queries.Eft), "X", \
         "calibration: the tail of Forward scores that is fitted [0.04]", .min = 0, .max = 0.99999999999999989, \
         .group = WS_GROUP_SCORE, .flags = WS_OPT_RESULT | WS_OPT_ABOVE, .given = WS_OPT_NOGIVEN}, \
        WS_QUERY_STRING(type, "qformat", format, "FORMAT", \
                        "read queries in this format only: " WS_SEQFORMAT_NAMES " [by content]", WS_GROUP_INPUT)

#endif
