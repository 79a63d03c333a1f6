/* SPDX-License-Identifier: MIT
 * Places in long DNA as rows of BED and GFF3: of hits in it, and of domains in ORFs. */
#ifndef WS_HITS_FEATURES_H
#define WS_HITS_FEATURES_H

#include "lib/files/sink.h"

#include <stddef.h>
#include <stdint.h>

#define WS_GFF3_HEAD "##gff-version 3\n"

/* A place of a model. Bases count from 1; from <= to on either strand. */
typedef struct ws_feature {
    const char *seq; /* name of the sequence, of nseq bytes */
    size_t nseq;
    uint64_t from, to;
    int minus;
    const char *model;
    uint32_t hmm_from, hmm_to;
    double bits, bias, evalue; /* evalue: NaN if it is not known */
    const char *program, *type; /* of GFF3: what found it, and a term of the Sequence Ontology */
} ws_feature;

/* Writes a row of BED. odd_names: of the job, for names that begin with '#'; may be NULL. */
void ws_write_bed(ws_sink *s, const ws_feature *f, uint64_t *odd_names);
/* Writes a row of GFF3 without the end of its line, so that attributes may follow. */
void ws_write_gff3(ws_sink *s, const ws_feature *f);

#endif
