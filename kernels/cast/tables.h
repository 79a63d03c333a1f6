/* SPDX-License-Identifier: MIT
 * Shared by the files of kernels/cast: a builder, matrices by name, and the steps of making a model. */
#ifndef WS_BUILD_TABLES_H
#define WS_BUILD_TABLES_H

#include "kernels/cast/estimate.h"
#include "kernels/dom/dom.h"
#include "lib/hmm/fscore.h"

/* A built-in matrix: the rows of the lower triangle. The list ends with name = NULL. */
typedef struct ws_build_table {
    const char *name;
    int K;
    const int8_t *rows;
} ws_build_table;
extern const ws_build_table ws_build_tables[];

/* Random sequences of one length, as the filters take them: sequence i is codes[6 * first[i] .. + len[i]). */
typedef struct ws_build_random {
    uint8_t *codes;
    uint32_t *word; /* the same residues packed, for devices */
    size_t nword;
    uint64_t *first;
    uint32_t *len;
    struct ws_lenmodel *lm;
    uint32_t n, length;
    uint64_t identity; /* of ws_seqs */
} ws_build_random;

struct ws_builder {
    ws_build_settings set;
    float emission[WS_KP_MAX * 20]; /* of a match state by the query's residue: emission[code*K + x] */
    ws_build_random random[WS_BUILD_NFILTER];
    ws_build_priors priors;
};

/* Draws the random sequences of all filters from one stream (section 3.1). */
int ws_build_draw(ws_builder *b, ws_err *err);
void ws_build_random_release(ws_build_random *r);

/* The scores of all random sequences against a model, bits, by filter. */
typedef struct ws_build_bits {
    double *of[WS_BUILD_NFILTER];
} ws_build_bits;
/* Makes room for them; the caller releases it, also after a failure. Returns WS_ENOMEM. */
int ws_build_bits_create(ws_build_bits *bits, const ws_builder *b, ws_err *err);
void ws_build_bits_release(ws_build_bits *bits);
/* Computes the scores of filter f, WS_BUILD_MSV or WS_BUILD_VITERBI, on the processor. Returns WS_ENOMEM on failure. */
int ws_build_filter_bits(const ws_builder *b, int f, const ws_profile *p, double *bits, ws_err *err);
/* Does the same for Forward. Returns WS_EDATA if a score is out of range, or WS_ENOMEM. */
int ws_build_forward_bits(const ws_builder *b, const ws_hmm *h, const ws_dom_tables *t, double *bits, ws_err *err);
/* Set bits from the scores of filter f, and from those of Forward, of which one out of range is WS_EDATA. */
void ws_build_take_scores(const ws_builder *b, int f, const ws_fscore *score, double *bits);
int ws_build_take_nats(const ws_builder *b, const ws_hmm *h, size_t from, const float *nats, size_t n, double *bits,
                       ws_err *err);
/* Sets h->evparam from the scores (section 3.2), and h->made->entropy. Returns WS_EDATA if they have no such
 * distribution. */
int ws_build_fit(const ws_builder *b, ws_hmm *h, const ws_build_bits *bits, ws_err *err);
/* Solves for the scale of the matrix and sets b->emission (section 2.2). Returns WS_EDATA if there is none. */
int ws_build_scale(ws_builder *b, ws_err *err);

/* Logarithms and log gammas of n numbers, for each vector width: loggamma.inc.h. */
#define WS_BUILD_LOGS_(width, ...) \
    void ws_build_log_gammas_##width(double *z, size_t n); \
    void ws_build_logs_##width(const double *x, double *to, size_t n);
WS_WIDTHS(WS_BUILD_LOGS_, )

/* Returns the mean relative entropy of the match states, bits (section 1.2). */
double ws_build_entropy(const float *mat, int M, const ws_abc *abc);
/* Scales the counts to the effective number of sequences *effn (section 7). Returns WS_EDATA, with the alignment's
 * name, if no number gives the wanted entropy, or WS_ENOMEM. */
int ws_build_scale_counts(const ws_builder *b, const char *name, ws_build_counts *c, float *effn, ws_err *err);

/* Makes a draft, as ws_build_from_counts. */
int ws_build_draft_counts(const ws_builder *b, ws_build_counts *c, ws_hmm *h, ws_err *err);
/* Calibrates and finishes a draft. */
int ws_build_complete(const ws_builder *b, ws_hmm *h, ws_err *err);
/* Sets the composition of a model (section 1.4). */
void ws_build_composition(ws_hmm *h);
/* Sets the transitions that popen (open) and pextend (extend) give at all nodes (sections 2.3 and 10.3). */
void ws_build_set_gaps(ws_hmm *h, const ws_build_settings *s, int open, int extend);

#endif
