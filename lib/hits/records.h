/* SPDX-License-Identifier: MIT
 * A ranked hit list as binary records: what packaging/python/warpsieve/hits.py reads, in the byte order of the machine.
 * The writer and its reader are of one version, so the form is private and has no number.
 *
 *   list  its texts  { hit  its texts  { domain  lines of `columns` characters: model, match, target, posteriors,
 *                                        and with WS_RECORD_CS structure, with WS_RECORD_RF reference } }
 *
 * Texts are name, accession and description, without NUL; of a list also the name of the model that was made. */
#ifndef WS_HITS_RECORDS_H
#define WS_HITS_RECORDS_H

#include <stdint.h>

/* Kinds of queries: a model, a sequence, a model that was made of a sequence, a model whose hits are in long DNA. */
enum { WS_RECORD_MODEL, WS_RECORD_SEQUENCE, WS_RECORD_MADE, WS_RECORD_DNA };

typedef struct ws_record_list {
    uint64_t hits, reported, included;
    double Z, domZ;
    /* that were searched; UINT64_MAX: the input does not say how many; nodes: of all models, where the query is a
     * sequence */
    uint64_t seqs, residues, nodes;
    uint32_t query, length;         /* WS_RECORD_...; nodes of a model, residues of a sequence */
    uint32_t round, converged;      /* of a search in rounds, else 0 */
    uint32_t name, acc, desc;       /* bytes of texts */
    /* of the model that was made: bytes of its name, the fourth text; else 0 and the length */
    uint32_t model, nodes_of_model;
    uint32_t number; /* of the sequence that the model was made of in its file, from 0, empty ones counted; else 0 */
} ws_record_list;

typedef struct ws_record_hit {
    uint64_t size;   /* of the hit with all behind it */
    uint64_t number; /* of the target, a sequence or a model, in the input, from 0 */
    uint64_t length; /* nodes or residues of the target */
    double evalue, p;
    double lnp; /* the natural logarithm of p, by which hits are in order */
    float bits, pre_bits, sum_bits, expected;
    uint32_t flags; /* WS_HELD_..., WS_RECORD_DUPLICATE */
    uint32_t domains, best, reported, included;
    uint32_t name, acc, desc;
    uint32_t regions, ensembles, overlaps, envelopes; /* columns reg, clu, ov, env of --tblout */
} ws_record_hit;
/* Flags besides WS_HELD_...: a hit in long DNA is another view of one with a better score; a domain has these lines. */
enum { WS_RECORD_DUPLICATE = 16, WS_RECORD_CS = 32, WS_RECORD_RF = 64 };

typedef struct ws_record_domain {
    double c_evalue, i_evalue, p, lnp;
    uint64_t env_from, env_to, ali_from, ali_to; /* from > to on the other strand */
    float bits, accuracy, bias_nats, env_nats, correction_nats; /* as in ws_domain */
    uint32_t hmm_from, hmm_to, flags, columns, unused;          /* unused: 0 */
} ws_record_domain;

#endif
