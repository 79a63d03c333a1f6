/* SPDX-License-Identifier: MIT
 * A way along the columns of an alignment, held in one of two forms. The plain form has a byte for each column, as in
 * ws_domain, and a code for each residue. The packed form has one byte for most columns: the residue's code, 0 for a
 * delete, and three bits that say how the column follows from the one before. The code of the posterior is the same, or
 * up to 3 higher or lower; or the column is the next byte. */
#ifndef WS_HITS_ALIWALK_H
#define WS_HITS_ALIWALK_H

#include "lib/hmm/domain.h"

typedef struct ws_aliwalk {
    const uint8_t *at; /* the next column */
    const uint8_t *residue; /* the next residue; NULL: the alignment is packed */
    uint8_t column, x; /* of the column that was passed last; x only of matches and inserts */
} ws_aliwalk;
enum { WS_PACKED_CODE_BITS = 5, WS_PACKED_ANEW = 7, WS_PACKED_FIRST = WS_COLUMN_M | WS_CODE_STAR };

/* Return the way before the first column of an alignment. */
static inline ws_aliwalk ws_aliwalk_packed(const uint8_t *at) {
    return (ws_aliwalk){.at = at, .column = WS_PACKED_FIRST};
}
static inline ws_aliwalk ws_aliwalk_plain(const uint8_t *column, const uint8_t *residue) {
    return (ws_aliwalk){.at = column, .residue = residue};
}

/* Passes a column. The caller knows how many there are. */
static inline void ws_aliwalk_step(ws_aliwalk *w) {
    const int byte = *w->at++;
    if (w->residue) {
        w->column = (uint8_t)byte;
        if ((byte & WS_COLUMN_STATE) != WS_COLUMN_D) w->x = *w->residue++;
        return;
    }
    const int how = byte >> WS_PACKED_CODE_BITS; /* 0, +1, -1, +2, -2, +3, -3 */
    w->x = (uint8_t)(byte & ((1 << WS_PACKED_CODE_BITS) - 1));
    w->column = how == WS_PACKED_ANEW ? *w->at++ : (uint8_t)(w->column + (how & 1 ? (how + 1) / 2 : -(how / 2)));
}

/* Packs an alignment whose residues' codes are x[], and returns the number of bytes; `to` NULL: only counts. */
size_t ws_ali_pack(uint8_t *to, const ws_domain *d, const uint8_t *x);

#endif
