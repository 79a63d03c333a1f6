/* SPDX-License-Identifier: MIT
 * A thread that cuts ORFs ahead of a reader, until it is told to stop. */
#ifndef TESTS_ORF_HELPER_H
#define TESTS_ORF_HELPER_H

#include "lib/translate/orfread.h"

#include <stddef.h>

typedef struct helper {
    ws_orfread *r;
    _Atomic int over;
} helper;

static inline void *help(void *own) {
    helper *h = own;
    while (!h->over) ws_orfread_ahead(h->r);
    return NULL;
}

#endif
