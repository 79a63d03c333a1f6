/* SPDX-License-Identifier: MIT
 * How many sequences passed each filter, model by model, as hmmsearch's report has it. The stages of a pipe of hmmsieve count in memory
 * that they share: a row that leaves a filter tells nothing of those that did not. */
#ifndef WS_FILTERS_TALLY_H
#define WS_FILTERS_TALLY_H

#include "lib/base/ws.h"

/* The filters that count. WS_PAST_NOTHING: a stage that does not. */
typedef enum ws_past { WS_PAST_NOTHING, WS_PAST_MSV, WS_PAST_BIAS, WS_PAST_VIT, WS_PAST_FWD, WS_PAST_N } ws_past;

typedef struct ws_tally {
    double p[WS_PAST_N];                  /* each filter's threshold; 0: no such filter has run */
    _Atomic uint64_t count[][WS_PAST_N];  /* [models] */
} ws_tally;

/* Makes an empty tally and returns the descriptor of its memory, which the caller closes; -1 and a sentence on failure. */
int ws_tally_create(ws_err *err);
/* Opens the tally behind a descriptor for so many models, in any of the processes that have it. The caller closes *t. Fails with WS_EIO. */
int ws_tally_open(ws_tally **t, int fd, size_t models, ws_err *err);
void ws_tally_close(ws_tally *t, size_t models); /* t may be NULL */

#endif
