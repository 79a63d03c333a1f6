/* SPDX-License-Identifier: MIT
 * Digital rows as models, and alignments that belong to models, need them. Specification build.md, section 5. */
#ifndef WS_MSA_DIGITAL_H
#define WS_MSA_DIGITAL_H

#include <string.h>

#include "lib/msa/msa.h"

/* Returns the first of the places from .. to - 1 whose code is not x; `to` if there is none. Most of a deep alignment
 * is gaps, which are passed eight at a time. */
static inline size_t ws_msa_skip(const uint8_t *code, size_t from, size_t to, uint8_t x) {
    const uint64_t eight = UINT64_C(0x0101010101010101) * x;
    uint64_t here;
    for (; to - from >= sizeof here; from += sizeof here) {
        memcpy(&here, code + from, sizeof here);
        if (here != eight) break;
    }
    while (from < to && code[from] == x) from++;
    return from;
}

/* Returns the checksum of all codes that a model file keeps as CKSUM (section 5.2). */
uint32_t ws_msa_checksum(const ws_msa *m);

/* Returns WS_EDATA with the first row that has a '~' elsewhere than at its two ends (section 5.1). */
int ws_msa_check_missing(const ws_msa *m, ws_err *err);

/* The residues of a row: how many, and the columns of the first and the last one; n = 0: there are none. */
typedef struct ws_msa_extent {
    size_t n, first, last;
} ws_msa_extent;
ws_msa_extent ws_msa_extent_of(const ws_msa *m, size_t row);

/* Makes fragments of the rows first .. first + n - 1 that have at most `threshold` residues for each column: all before
 * their first and behind their last residue becomes '~' (section 5.3). */
void ws_msa_mark_fragments(ws_msa *m, size_t first, size_t n, double threshold);

/* Returns whether the character of an RF line stands for a consensus column. */
static inline int ws_msa_is_consensus(char rf) { return rf != '-' && rf != '.' && rf != '_'; }

#endif
