/* SPDX-License-Identifier: MIT
 * Hits in long DNA: places of models in records. They are held until the number of residues searched is known, then
 * judged and sorted as nhmmer does. Specification long-targets.md, sections 12 to 14.
 *
 *   add     a hit of one of the models; any thread, in any order
 *   rank    E-values, duplicates, what is reported, order
 *   write   lib/hits/write.h
 */
#ifndef WS_HITS_DNA_H
#define WS_HITS_DNA_H

#include "lib/hits/hits.h"

#include <pthread.h>

/* A record of the input that has hits. */
typedef struct ws_dnarecord {
    char *name, *desc, *acc; /* desc and acc: empty if there is none */
    uint64_t number;   /* in the input of the first stage, from 1 */
    uint64_t L;        /* 0: not known */
} ws_dnarecord;

/* Coordinates are those of the record's + strand; from > to on the other one. */
typedef struct ws_dnahit {
    const ws_dnarecord *record; /* set by ws_dnastore_add */
    uint64_t ali_from, ali_to, env_from, env_to;
    uint32_t hmm_from, hmm_to;
    float bits, correction_nats, accuracy;
    float pre_bits, env_nats; /* of records: the score without the null model, Forward of the envelope */
    double lnp; /* of the score alone; of the E-value after ws_dnalist_rank */
    /* Where it was found: the last resort of the order, which is that of a search by one thread. */
    uint64_t block;
    uint32_t window, subwindow, number;
    uint32_t model; /* of a list by sequence: its number */
    uint8_t minus;  /* on the other strand */
    uint8_t first;  /* of a model that changes (kernels/long/history.c): it was found by the model as it came */
    uint8_t duplicate, reported, included, shown; /* set by ws_dnalist_rank; shown: the second cutoff is met */
    /* The alignment, if it is held: columns as in ws_domain, with WS_COLUMN_ABOVE, and codes of its residues */
    uint32_t ncolumn;
    const uint8_t *column, *x;
} ws_dnahit;

/* One model's hits. A list by sequence has the hits of all models in one record, as nhmmscan has them: then the
 * record is the query, and the models are the targets. */
typedef struct ws_dnalist {
    ws_dnahit **hit;
    size_t n, cap;
    const ws_hmm *const *model; /* of a list by sequence: all models; NULL: the list is one model's */
    int cut;          /* of a list by sequence: WS_CUT_GA ... of each model decides what is reported; -1: the limits */
    size_t nreported, nincluded; /* set by ws_dnalist_rank */
} ws_dnalist;

/* The thresholds for reported and, among these, for included hits: a score if `by_bits`, else an E-value. With `by_row`
 * a reported hit whose score is below `row` has no alignment. */
typedef struct ws_dnalimits {
    double evalue, bits, inc_evalue, inc_bits;
    int by_bits, inc_by_bits, by_row;
    double row;
} ws_dnalimits;
#define WS_DNA_LIMITS { .evalue = 10.0, .inc_evalue = 0.01 }
/* Sets the limits to the model's cutoffs `cut` (WS_CUT_GA ...), which it has. row: the second one counts too. */
void ws_dnalimits_cut(ws_dnalimits *limits, const ws_hmm *hmm, int cut, int row);
/* Returns 0 if a hit can no longer be reported: so many residues were searched already, by a model with this MAXL. Its
 * P-value is that of the score alone. */
int ws_dnalimits_may(const ws_dnalimits *limits, const ws_dnahit *h, uint64_t residues, uint32_t maxl);

/* Makes E-values of P-values for a search of `residues` by a model with this MAXL, marks duplicates, decides what is
 * reported, and sorts (section 13). Hits of a list by sequence have E-values (ws_dnahit_scale), and the caller gives 0
 * for both numbers. */
void ws_dnalist_rank(ws_dnalist *l, const ws_dnalimits *limits, uint64_t residues, uint32_t maxl);

/* Makes an E-value of a hit's P-value, for one of so many models with this MAXL and a record of which so many residues
 * are searched. */
void ws_dnahit_scale(ws_dnahit *h, uint64_t residues, uint32_t maxl, size_t models);

/* Returns the name of the target of a hit: of the record, or of the model of a list by sequence. */
const char *ws_dnalist_name(const ws_dnalist *l, const ws_dnahit *h);

/* Returns the E-value of a hit after ws_dnalist_rank: 0 in place of a subnormal number (domains.md, section 10). */
double ws_dnahit_evalue(const ws_dnahit *h);

/* Returns the residues of a hit's alignment. */
static inline uint64_t ws_dnahit_residues(const ws_dnahit *h) {
    return (h->minus ? h->ali_from - h->ali_to : h->ali_to - h->ali_from) + 1;
}
/* Returns the mean posterior of the envelope's residues. */
static inline double ws_dnahit_accuracy(const ws_dnahit *h) {
    const uint64_t n = h->minus ? h->env_from - h->env_to : h->env_to - h->env_from;
    return (double)h->accuracy / (1.0 + (double)(float)n);
}
/* Returns the bits that were taken off for composition. */
static inline double ws_dnahit_bias(const ws_dnahit *h) { return (double)h->correction_nats * WS_LOG2E; }

/* Returns the smaller and the larger end of the alignment. */
static inline uint64_t ws_dnahit_low(const ws_dnahit *h) { return h->minus ? h->ali_to : h->ali_from; }
static inline uint64_t ws_dnahit_high(const ws_dnahit *h) { return h->minus ? h->ali_from : h->ali_to; }

/* The hits of a search, one list for each model. Threads may add to it at once. */
typedef struct ws_dnastore {
    ws_dnalist *list; /* [nlist] */
    size_t nlist;
    ws_dnarecord **record; /* by number, then by name */
    size_t nrecord, record_cap;
    struct ws_hitblock *block;
    pthread_mutex_t lock;
} ws_dnastore;

/* Makes empty lists for n models. WS_ENOMEM is the only failure; destroy in any case. */
int ws_dnastore_create(ws_dnastore *s, size_t n, ws_err *err);
void ws_dnastore_destroy(ws_dnastore *s);

/* A record as a hit's thread knows it. The name tells two of one number apart, as in tables of several runs. */
typedef struct ws_dnaseq {
    uint64_t number, L; /* L: residues that it has at least */
    const char *name, *desc, *acc;
    size_t nname, ndesc, nacc;
} ws_dnaseq;
/* Copies a hit in a record to the list of model q, with its alignment unless column is NULL. WS_ENOMEM is the only
 * failure. */
int ws_dnastore_add(ws_dnastore *s, size_t q, const ws_dnaseq *record, const ws_dnahit *h, ws_err *err);

/* Notes that record `number`, if it has hits, has L residues at least. */
void ws_dnastore_note_length(ws_dnastore *s, uint64_t number, uint64_t L);

#endif
