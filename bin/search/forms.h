/* SPDX-License-Identifier: MIT
 * hmmsieve's backends. A backend prepares nothing but room for the forms of a model that the filters score with; a form
 * is made when a filter first needs it. */
#ifndef WS_SEARCH_FORMS_H
#define WS_SEARCH_FORMS_H

#include "lib/run/job.h"

enum { WS_SIEVE_MSV, WS_SIEVE_VIT, WS_SIEVE_FWD, WS_SIEVE_FILTERS };

/* The filters' own backends of one width, or of devices. */
typedef struct ws_sieve_scorers {
    const ws_backend *scorer[WS_SIEVE_FILTERS];
    const struct ws_body *read; /* the first filter of models that are read in parts; NULL: they are made whole */
} ws_sieve_scorers;

extern const ws_backend *const ws_sieve_backends[];

/* Returns the backend of a filter that belongs to one of these. */
const ws_backend *ws_sieve_scorer(const ws_backend *b, int kind);
/* Sets *form to what that backend prepares of a model: prep is what one of ws_sieve_backends made of it. Any thread.
 * Fails as ws_backend.prepare. */
int ws_sieve_form(void *prep, int kind, void **form, ws_err *err);

#endif
