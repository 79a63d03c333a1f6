/* SPDX-License-Identifier: MIT
 * The domain stage's result for one (model, target) pair: scores of the target and of each domain, positions,
 * alignments. kernels/dom makes it; the hit list reads it. Source: specification domains.md, sections 5 to 9.
 *
 * Positions count from 1: i in the target, k in the model. Scores are nats unless the name says bits. P-values are
 * natural logarithms, at most 0. */
#ifndef WS_HMM_DOMAIN_H
#define WS_HMM_DOMAIN_H

#include <stdint.h>

#include "lib/base/mem.h"

typedef enum ws_dom_status {
    WS_DOM_HIT,   /* there is at least one domain; all fields are valid */
    WS_DOM_NONE,  /* no domain, so the target is no hit; only the counts, fwd_nats and null_nats are valid */
    WS_DOM_RANGE, /* Forward or Backward is 0, infinite or NaN, where HMMER stops; the target is no hit */
    WS_DOM_MEMORY /* a region's ensemble needs more memory than the limit; an error of this pair only */
} ws_dom_status;

/* One column of an alignment is a byte: the state in the high half, the code of its posterior probability in the low
 * half. Codes 0 to 9 print as digits, 10 as '*'. A delete has no posterior; its code 15 prints as '.'. In windows of
 * long DNA a bit of match columns says that the residue scores above 0 with the fitted background. */
enum { WS_COLUMN_M = 0x00, WS_COLUMN_I = 0x10, WS_COLUMN_D = 0x20, WS_COLUMN_STATE = 0x30, WS_COLUMN_CODE = 0x0f };
enum { WS_COLUMN_ABOVE = 0x40 };
enum { WS_CODE_STAR = 10, WS_CODE_NONE = 15 };

/* Returns the code of a posterior probability p (section 11.3), 0 of what is no number: such a target is computed again
 * in logarithms. */
WS_DEVICE static inline uint8_t ws_dom_code_of(float p) {
    const double up = (double)p + 0.05;
    return (uint8_t)(up >= 1.0 ? WS_CODE_STAR : up >= 0.0 ? (int)(up * 10.0) : 0);
}

typedef struct ws_domain {
    uint32_t env_from, env_to; /* the envelope, in the target */
    uint32_t ali_from, ali_to; /* target positions of the alignment's first and last M */
    uint32_t hmm_from, hmm_to; /* their nodes */
    float env_nats;            /* envsc: Forward of the envelope, unihit */
    float correction_nats;     /* domcorrection: sum of n2 over the envelope */
    /* oasc: expected number of correctly aligned residues; the mean posterior is oasc / envelope length */
    float accuracy;
    float bits;                /* the domain's score */
    float bias_nats;           /* correction for composition; bits are bias_nats * WS_LOG2E */
    double lnp;                /* P-value of bits */
    uint8_t *column;           /* ncolumn bytes, from the first M to the last; the domain's target owns them */
    uint32_t ncolumn;
} ws_domain;

typedef struct ws_dom_result {
    ws_dom_status status;
    uint32_t L;
    float fwd_nats;  /* Forward of the whole target, in HMMER's order of operations */
    float null_nats;
    float expected;  /* nexp, "exp": expected number of domains */
    uint32_t regions, ensembles, overlaps, envelopes; /* "reg", "clu", "ov", "env"; "dom" is n */
    float pre_bits,
        /* scores before and after the correction for composition; their difference, in single precision, is the bias */
        bits;
    double lnp;           /* of bits */
    int reconstructed;    /* bits is the sum of the domains' scores, which is higher than the whole target's score */
    float n2_sum, bias_nats;                /* of the whole target: sum of n2, and its correction in nats */
    float whole_pre_bits, whole_bits;       /* the two candidates for bits and pre_bits */
    float recon_pre_bits, recon_bits;
    uint32_t recon_residues;                /* Ld: residues in the domains that were summed */
    ws_domain *domain; /* [n], in target order, reported or not */
    uint32_t n, best;  /* best: the first with the largest bits */
} ws_dom_result;

/* Frees domains and columns; the caller keeps the struct. */
static inline void ws_dom_result_release(ws_dom_result *r) {
    for (uint32_t d = 0; d < r->n; d++) ws_free(r->domain[d].column);
    ws_free(r->domain);
    r->domain = NULL;
    r->n = 0;
}

#endif
