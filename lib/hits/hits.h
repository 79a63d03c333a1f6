/* SPDX-License-Identifier: MIT
 * The hit list of a search: targets with their domains are held compactly until the size of the database is known, then
 * ranked and judged as hmmsearch does. Specification domains.md, section 10; README.md has the memory they take.
 *
 *   add     a target that the domain stage scored, for one of the queries
 *   rank    order, reported and included targets and domains, duplicate alignments
 *   write   lib/hits/write.h
 */
#ifndef WS_HITS_HITS_H
#define WS_HITS_HITS_H

#include "lib/hits/aliwalk.h"
#include "lib/hits/spill.h"
#include "lib/hmm/domain.h"
#include "lib/hmm/evalue.h"
#include "lib/hmm/model.h"
#include "lib/hmm/target.h"

#include <string.h>

/* A table of cutoffs asks this of reported domains besides. A sequence that keeps none of them is not reported.
 * Coverage is that of the alignment, of M nodes and of the sequence's residues. */
typedef struct ws_domain_limits {
    int asked;                       /* 0: nothing, as hmmsearch */
    double i_E, hmm_cov, target_cov; /* INFINITY; 0: any */
    int M;
    /* Judge as PADLOC judges the rows of --domtblout: of a sequence only the domains with the least E-value, which have
     * two digits; coverage is (to - from) / length, rounded to three digits. */
    int as_padloc;
} ws_domain_limits;

/* Thresholds for reported and for included hits. An E-value must be at most, a score in bits at least the threshold. */
typedef struct ws_thresholds {
    double E, domE, incE, incdomE;
    double T, domT, incT, incdomT;
    int by_T, by_domT, by_incT, by_incdomT; /* the score is asked, not the E-value */
    int and_E, and_domE;                    /* E and domE are asked as well */
    int by_p; /* the order is that of P-values although by_incT is set: other models of the list have it not */
    ws_domain_limits limits;
} ws_thresholds;
/* hmmsearch's own. */
#define WS_THRESHOLDS_DEFAULT {.E = 10.0, .domE = 10.0, .incE = 0.01, .incdomE = 0.01}

/* Checks that a model has cutoffs `cut` (WS_CUT_GA ...). WS_EDATA. */
int ws_thresholds_check_cut(const ws_hmm *hmm, int cut, ws_err *err);
/* Fails with WS_EDATA because a sequence met a model without cutoffs `cut`. Names the first such model of n, since it
 * depends on the threads which sequence is found first. */
int ws_thresholds_lack_cut(const ws_hmm *hmm, size_t n, int cut, ws_err *err);
/* Sets all thresholds to the model's cutoffs `cut` (WS_CUT_GA ...). WS_EDATA if the model has none of that kind. */
int ws_thresholds_cut(ws_thresholds *t, const ws_hmm *hmm, int cut, ws_err *err);

/* Sizes of the search: sequences in the database, and targets that domains are searched in. domZ 0:
 * as many as are reported. NaN: unknown. */
typedef struct ws_spaces {
    double Z, domZ;
} ws_spaces;

/* The last two are of rounds: a target is included that was not before, or reported that was included. */
enum { WS_HELD_REPORTED = 1, WS_HELD_INCLUDED = 2, WS_HELD_NEW = 4, WS_HELD_DROPPED = 8 };

/* A domain as it is held. ws_aliwalk reads its alignment. */
typedef struct ws_held_domain {
    uint32_t env_from, env_to, ali_from, ali_to, hmm_from, hmm_to;
    float bits, bias_nats, accuracy;
    float env_nats, correction_nats; /* as in ws_domain */
    uint32_t ncolumn; /* 0: the alignment is not held */
    uint32_t column;  /* where it stands in the target's body */
    uint32_t flags;   /* WS_HELD_..., set by ws_hitlist_rank */
    uint32_t locus;   /* from 1, set by ws_hitlist_join; 0: none */
} ws_held_domain;

/* A target as it is held: this, its domains, its name, accession and a short description, which many tables have. Its
 * body, which may be in a file, has all that ranking does not need: a long description, alignments, sequence. Texts end
 * with NUL. */
typedef struct ws_held {
    const uint8_t *body;
    uint64_t number; /* the target's place in the input, from 0: the last resort of the order */
    uint32_t L;
    float pre_bits, bits, expected;
    float sum_bits; /* of the domains, whether or not it is `bits` */
    uint32_t regions, ensembles, overlaps, envelopes;
    uint32_t n, best;              /* domains; the best of them */
    uint32_t desc;                 /* place in the body, or WS_HELD_SHORT */
    uint32_t seq, qual;            /* places of texts in the body, if they are held */
    uint32_t flags, nreported, nincluded; /* set by ws_hitlist_rank: domains */
    uint32_t model; /* of a list by sequence: its number in ws_hitlist.model; else 0 */
} ws_held;

static inline const ws_held_domain *ws_held_domains(const ws_held *h) {
    return (const ws_held_domain *)(const void *)(h + 1);
}
static inline const char *ws_held_name(const ws_held *h) { return (const char *)(ws_held_domains(h) + h->n); }
/* Returns the accession; empty: there is none. */
static inline const char *ws_held_acc(const ws_held *h) { return ws_held_name(h) + strlen(ws_held_name(h)) + 1; }
static inline const char *ws_held_text(const ws_held *h, uint32_t at) { return (const char *)h->body + at; }
/* A description of so many bytes stands behind the accession. */
#define WS_HELD_SHORT UINT32_MAX
enum { WS_HELD_SHORT_DESC = 255 };
static inline const char *ws_held_desc(const ws_held *h) {
    if (h->desc != WS_HELD_SHORT) return ws_held_text(h, h->desc);
    return ws_held_acc(h) + strlen(ws_held_acc(h)) + 1;
}

/* Mean posterior of an envelope's residues, "acc" (section 7.3). */
static inline double ws_held_accuracy(const ws_held_domain *d) {
    return (double)d->accuracy / (1.0 + (double)(float)(d->env_to - d->env_from));
}
/* Bits that were taken off for composition, of a target and of a domain. */
static inline float ws_held_bias(const ws_held *h) { return h->pre_bits - h->bits; }
static inline double ws_held_domain_bias(const ws_held_domain *d) { return (double)d->bias_nats * WS_LOG2E; }

/* One query's targets. `hit` is in input order before ws_hitlist_rank and in hmmsearch's order after it.
 *
 * A list by sequence has the models that one sequence hits, as hmmscan has them: the sequence is the query, and the
 * models are the targets. Its elements are the same pairs, and hold the sequence's texts. */
typedef struct ws_hitlist {
    ws_held **hit;
    size_t n, cap;
    float tau, lambda;            /* of the tail of the query's Forward scores */
    const ws_hmm_target *model;   /* of a list by sequence: all models; NULL: the list is one model's */
    size_t nreported, nincluded;  /* targets; set by rank, as what follows */
    /* of the longest name and accession of a target on the list, reported or not; of what is shown if accessions are
     * preferred */
    size_t name_width, acc_width, shown_width;
    /* of the longest name that was ever on hmmsearch's list, and of what is shown then, where that is known */
    size_t least_width, least_shown;
    int by_score;                 /* the order is that of scores, not of P-values */
    ws_spaces spaces;
    double *locus_bits;           /* of locus i at i - 1; set by ws_hitlist_join */
} ws_hitlist;

/* P of a score in bits of a target on the list, 0 below the smallest normal number (section 10); its logarithm. */
double ws_hitlist_p(const ws_hitlist *l, const ws_held *h, float bits);
double ws_hitlist_lnp(const ws_hitlist *l, const ws_held *h, float bits);
/* Returns the E-value of a score among so many, 0 below the smallest normal number; NaN where the size is unknown. */
double ws_hitlist_evalue(const ws_hitlist *l, const ws_held *h, float bits, double size);
/* The name, accession (empty: none) and description of a target: the sequence, or the model of a list by sequence. */
const char *ws_hitlist_name(const ws_hitlist *l, const ws_held *h);
const char *ws_hitlist_acc(const ws_hitlist *l, const ws_held *h);
const char *ws_hitlist_desc(const ws_hitlist *l, const ws_held *h);
/* Returns the sort key of a score in bits: -log P, or the score where scores decide about inclusion. The larger comes
 * first. Valid after rank. */
double ws_hitlist_key(const ws_hitlist *l, const ws_held *h, float bits);
/* Compares targets with equal keys by their names, then by the alignments of domains d and e: those of one residue
 * behind others, then by where they begin; then by their places in the input. Returns below 0 if a comes first. */
int ws_hitlist_compare(const ws_hitlist *l, const ws_held *a, const ws_held_domain *d, const ws_held *b,
                       const ws_held_domain *e);

typedef struct ws_hitstore {
    ws_hitlist *list; /* [nlist], one for each query */
    size_t nlist;
    struct ws_hitblock *block; /* memory of the held targets, newest first */
    ws_spill body;             /* their bodies; the caller may limit what stays in memory */
    uint64_t bytes;            /* of all of them */
} ws_hitstore;

/* Makes empty lists for n queries. WS_ENOMEM is the only failure; destroy in any case. */
int ws_hitstore_create(ws_hitstore *s, size_t n, ws_err *err);
void ws_hitstore_destroy(ws_hitstore *s);

/* A target's texts and residues, which ws_hitstore_add copies. */
typedef struct ws_hitseq {
    uint64_t number;
    const char *name, *desc, *qual, *acc;
    size_t nname, ndesc, nqual, nacc;
    const uint8_t *x; /* codes */
    const ws_abc *abc;
} ws_hitseq;
enum { WS_HOLD_ALIGNMENTS = 1, WS_HOLD_SEQUENCE = 2 };
/* Not held, but known of a run: places of ORFs in contigs, and loci. */
enum { WS_KNOWN_PLACES = 4, WS_KNOWN_LOCI = 8 };

/* Asks whether a target of a model's list can still be reported in a database of at least Z targets: the list of
 * hmmsearch has those. */
int ws_hit_is_worth(const ws_thresholds *t, const ws_hitlist *l, float bits, double Z);

/* Holds a target with at least one domain for query q. `hold` says what is held beyond the scores. WS_ENOMEM, WS_EIO of
 * the temporary file, and WS_EDATA for a target of more than 4 GB. */
int ws_hitstore_add(ws_hitstore *s, size_t q, const ws_hitseq *seq, const ws_dom_result *t, int hold, ws_err *err);

/* Takes from the list what cannot be reported in a database of Z sequences; NaN keeps all. */
void ws_hitlist_prune(ws_hitlist *l, const ws_thresholds *t, double Z);

/* Orders a query's targets and sets flags and counts of targets and domains. Where a size is NaN no threshold that
 * needs it is asked, and nothing is included by it. t: thresholds; of a list by sequence those of all models. */
void ws_hitlist_rank(ws_hitlist *l, const ws_thresholds *t, ws_spaces spaces);
/* Cuts a ranked list to its first n targets; domZ stays what it was. */
void ws_hitlist_limit(ws_hitlist *l, size_t n);

/* Which of the reported domains stay whose envelopes overlap on one sequence, be they of one model or of several.
 * GREEDY: the one with the highest score, then the next that overlaps none that stays. TOTAL: those that do not overlap
 * and have the greatest sum of scores; of equal sums the fewest, of these the set whose last domain ends first. */
typedef enum ws_resolve { WS_RESOLVE_NONE, WS_RESOLVE_GREEDY, WS_RESOLVE_TOTAL } ws_resolve;

/* Takes from ranked lists the reported domains that do not stay, and targets with their last domain. E-values stay as
 * they are. The lists are those of all models, or of one sequence. WS_ENOMEM. */
int ws_hitlists_resolve(ws_hitlist *l, size_t nlist, ws_resolve rule, ws_err *err);

/* Gives each reported domain of a ranked list of one model, whose targets are ORFs (lib/hits/orf.h), the number of its
 * locus: domains on one strand of one contig that follow one another there and in the model, with at most `gap` bases
 * between them. Loci have numbers in the order of the list. Nothing else changes. WS_ENOMEM, or as ws_orf_read. */
int ws_hitlist_join(ws_hitlist *l, uint64_t gap, ws_err *err);

#endif
