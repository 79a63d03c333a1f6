/* SPDX-License-Identifier: MIT
 * Sequences in memory as backends score them: residues in both forms, and the tool's value of each sequence. */
#ifndef WS_STREAM_SEQS_H
#define WS_STREAM_SEQS_H

#include "lib/stream/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ws_seqs {
    const uint8_t *codes;  /* one byte a residue: sequence i is codes[6 * first[i] .. + len[i]) */
    const uint32_t *word;  /* the same as in ws_batch.word, from word[first[i]] on. Devices read these */
    size_t nword;
    const uint64_t *first;
    const uint32_t *len;
    size_t n;
    const void *perseq;    /* [n] the tool's values, of a type that its backends know; of filters ws_lenmodel */
    uint64_t identity;     /* of this content, from ws_dev_identity: devices keep it; 0: it is scored once */
} ws_seqs;

static inline const uint8_t *ws_seqs_codes(const ws_seqs *s, size_t i) { return s->codes + 6 * s->first[i]; }

/* Returns the sequences of a batch, whose residues are in `codes` too, without values. They stay the batch's. */
static inline ws_seqs ws_seqs_of(const ws_batch *b, const uint8_t *codes) {
    ws_seqs s = {codes, b->word, b->nword, b->first, b->len, b->n, NULL, 0};
    return s;
}

#ifdef __cplusplus
}
#endif
#endif
