/* SPDX-License-Identifier: MIT
 * Writes models as text, HMMER3/f. Specification build.md, section 9.4. */
#ifndef WS_HMM_HMMWRITE_H
#define WS_HMM_HMMWRITE_H

#include "lib/hmm/model.h"

/* Appends a model that this process made (h->made), up to its "//" line. program: what stands in the brackets of the
 * first line; date: the DATE line, NULL: none. Returns WS_ENOMEM on failure, and then appends nothing. */
int ws_hmm_write(const ws_hmm *h, const char *program, const char *date, ws_buf *out, ws_err *err);

#endif
