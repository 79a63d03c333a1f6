/* SPDX-License-Identifier: MIT
 * The profiles of a pressed database, as HMMER 3.4 on SSE writes them: what SSV and MSV need in one file, all else in
 * another. Source: specification press.md, section 3. */
#ifndef WS_HMM_PRESSED_H
#define WS_HMM_PRESSED_H

#include "lib/hmm/model.h"

/* Two numbers begin and end the records of .h3f and of .h3p. SSV's rows repeat so many vectors behind their end, and
 * profiles are made for targets of this length. */
#define WS_PRESSED_FILTER 0xb3e6e6f3u
#define WS_PRESSED_REST 0xb3e6f0f3u
enum { WS_PRESSED_MORE = 17, WS_PRESSED_L = 400 };

/* Where a model lies in the three files. */
typedef struct ws_pressed_place {
    uint64_t model, filter, rest; /* in .h3m, .h3f, .h3p */
} ws_pressed_place;

/* Appends the records of a model that was read in full, with a consensus, to `filter` and `rest`. *place_at: where in
 * the first record its ws_pressed_place begins, which is zero until ws_pressed_set_place. Returns WS_EDATA for a model
 * without a path, or WS_ENOMEM. */
int ws_pressed_add(const ws_hmm *h, ws_buf *filter, ws_buf *rest, size_t *place_at, ws_err *err);
/* Writes a place to p. */
void ws_pressed_set_place(char *p, const ws_pressed_place *place);

#endif
