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
    char *name, *desc; /* desc: empty if there is none */
    uint64_t number;   /* in the input of the first stage, from 1 */
    uint64_t L;        /* 0: not known */
} ws_dnarecord;

/* Coordinates are those of the record's + strand; from > to on the other one. */
typedef struct ws_dnahit {
    const ws_dnarecord *record; /* set by ws_dnastore_add */
    uint64_t ali_from, ali_to, env_from, env_to;
    uint32_t hmm_from, hmm_to;
    float bits, correction_nats;
    double lnp; /* of the score alone; of the E-value after ws_dnalist_rank */
    /* Where it was found: the last resort of the order, which is that of a search by one thread. */
    uint64_t block;
    uint32_t window, subwindow, number;
    uint8_t minus; /* on the other strand */
    uint8_t duplicate, reported; /* set by ws_dnalist_rank */
} ws_dnahit;

/* One model's hits. */
typedef struct ws_dnalist {
    ws_dnahit **hit;
    size_t n, cap;
    size_t nreported; /* set by ws_dnalist_rank */
} ws_dnalist;

/* The threshold for reported hits: a score if `by_bits`, else an E-value. */
typedef struct ws_dnalimits {
    double evalue, bits;
    int by_bits;
} ws_dnalimits;
#define WS_DNA_LIMITS { .evalue = 10.0 }

/* Makes E-values of P-values for a search of `residues` by a model with this MAXL, marks duplicates, decides what is
 * reported, and sorts (section 13). */
void ws_dnalist_rank(ws_dnalist *l, const ws_dnalimits *limits, uint64_t residues, uint32_t maxl);

/* Returns the E-value of a hit after ws_dnalist_rank: 0 in place of a subnormal number (domains.md, section 10). */
double ws_dnahit_evalue(const ws_dnahit *h);

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
    const char *name, *desc;
    size_t nname, ndesc;
} ws_dnaseq;
/* Copies a hit in a record to the list of model q. WS_ENOMEM is the only failure. */
int ws_dnastore_add(ws_dnastore *s, size_t q, const ws_dnaseq *record, const ws_dnahit *h, ws_err *err);

/* Notes that record `number`, if it has hits, has L residues at least. */
void ws_dnastore_note_length(ws_dnastore *s, uint64_t number, uint64_t L);

#endif
