/* SPDX-License-Identifier: MIT
 * Writes models as text, HMMER3/f, and as HMMER3 binary. Specification build.md, section 9.4, and press.md, section
 * 2. */
#ifndef WS_HMM_HMMWRITE_H
#define WS_HMM_HMMWRITE_H

#include "lib/hmm/model.h"

/* Appends a model that this process made or read in full (h->made), up to its "//" line. program: what stands in the
 * brackets of the first line; date: the DATE line, NULL: none. Returns WS_ENOMEM on failure, and then appends nothing.
 * */
int ws_hmm_write(const ws_hmm *h, const char *program, const char *date, ws_buf *out, ws_err *err);

/* Returns 1 if the model has a composition. */
int ws_hmm_has_compo(const ws_hmm *h);
/* Appends a model that was read in full in the binary form, version f. Returns WS_ENOMEM on failure. */
int ws_hmm_write_binary(const ws_hmm *h, ws_buf *out, ws_err *err);

#endif
