/* SPDX-License-Identifier: MIT
 * Hits of one model in long targets: scores, coordinates, E-values by residues searched, duplicates, order, thresholds and nhmmer's
 * --tblout. Specification long-targets.md, sections 11 to 14. */
#ifndef WS_LONG_HITS_H
#define WS_LONG_HITS_H

#include "kernels/long/long.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A record of the input: what the table says of it. */
typedef struct ws_long_record {
    const char *name, *desc; /* desc: empty if there is none */
    uint64_t L; /* 0: nobody knows */
    uint64_t number; /* that its windows say; 0: they are not asked */
} ws_long_record;

/* Coordinates are those of the record's + strand; from > to on the other one. */
typedef struct ws_long_hit {
    uint64_t record; /* its number in the input */
    int minus;       /* on the other strand */
    uint32_t hmm_from, hmm_to;
    uint64_t ali_from, ali_to, env_from, env_to;
    float bits, correction_nats;
    double lnp; /* of the score alone; of the E-value behind ws_long_hits_finish */
    int duplicate, reported;
} ws_long_hit;
/* Zero-initialise; release with ws_free(at). */
typedef struct ws_long_hits {
    ws_long_hit *at;
    size_t n, cap;
} ws_long_hits;

/* Alignments of fewer residues give no hit. */
enum { WS_LONG_LEAST = 8 };

/* Sets the score and its P-value from an envelope of so many residues, its alignment's, and envsc (section 11). */
void ws_long_score(const ws_long_model *m, uint32_t envelope, uint32_t alignment, float nats, ws_long_hit *h);

/* Returns where residue q of a window is in the record, for a window whose first residue is there at `from` (section 12). */
static inline uint64_t ws_long_coordinate(uint64_t from, int minus, uint64_t q) { return minus ? from - (q - 1) : from + (q - 1); }

/* What is reported. Scores are asked if `by_bits`, else E-values. */
typedef struct ws_long_limits {
    double evalue, bits;
    int by_bits;
} ws_long_limits;
#define WS_LONG_LIMITS { .evalue = 10.0 }

/* Of all hits of a model: makes E-values of P-values for so many residues searched, marks duplicates, decides what is reported, and sorts
 * (section 13). The only failure is WS_ENOMEM. */
int ws_long_hits_finish(ws_long_hits *l, const ws_long_model *m, uint64_t residues, const ws_long_limits *limits,
                        const ws_long_record *record, ws_err *err);

/* Returns the E-value of a hit behind ws_long_hits_finish: 0 in place of a subnormal number (domains.md, section 10). */
double ws_long_hit_evalue(const ws_long_hit *h);

/* Appends the table of a model's hits, which ws_long_hits_finish has sorted; first: with its head (section 14). */
int ws_long_tblout(ws_buf *out, const ws_hmm *hmm, const ws_long_hits *l, const ws_long_record *record, int first, ws_err *err);

/* The same as nhmmer's --dfamtblout, each model with a head. */
int ws_long_dfamtblout(ws_buf *out, const ws_hmm *hmm, const ws_long_hits *l, const ws_long_record *record, ws_err *err);

#ifdef __cplusplus
}
#endif
#endif
