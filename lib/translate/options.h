/* SPDX-License-Identifier: MIT
 * The options by which a program that searches proteins takes DNA or RNA. */
#ifndef WS_TRANSLATE_OPTIONS_H
#define WS_TRANSLATE_OPTIONS_H

#include "lib/base/opt.h"
#include "lib/translate/orfread.h"

typedef struct ws_translate_opts {
    const char *table; /* NULL: nothing is translated */
    long long least;
    int starts, strands;
    int least_given, starts_given, strands_given;
    ws_translate how;
} ws_translate_opts;

extern const char *const ws_translate_starts[], *const ws_translate_strands[];

/* Entries of the option table of a struct that has these options at an offset. */
#define WS_TRANSLATE_AT(at, field) ((at) + offsetof(ws_translate_opts, field))
#define WS_TRANSLATE_OPTS(at) \
    {0, "translate", NULL, WS_OPT_OPTSTR, WS_TRANSLATE_AT(at, table), "TABLE", \
     "take DNA or RNA, and search its ORFs by the genetic code of NCBI's table TABLE [1]", .group = WS_GROUP_INPUT, \
     .flags = WS_OPT_RESULT, .given = WS_OPT_NOGIVEN}, \
        {0, "orf-length", NULL, WS_OPT_INT, WS_TRANSLATE_AT(at, least), "N", \
         "with --translate: ORFs of at least N residues [20]", .min = 0, .max = 1e18, .group = WS_GROUP_INPUT, \
         .flags = WS_OPT_RESULT, .given = WS_TRANSLATE_AT(at, least_given)}, \
        {0, "orf-start", NULL, WS_OPT_CHOICE, WS_TRANSLATE_AT(at, starts), "CODON", \
         "with --translate: ORFs begin with any codon, atg, or a start codon of the table [any]", \
         .choices = ws_translate_starts, .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, \
         .given = WS_TRANSLATE_AT(at, starts_given)}, \
    { \
        0, "orf-strand", NULL, WS_OPT_CHOICE, WS_TRANSLATE_AT(at, strands), "STRAND", \
            "with --translate: both strands, watson, the given one, or crick, the other one [both]", \
            .choices = ws_translate_strands, .group = WS_GROUP_INPUT, .flags = WS_OPT_RESULT, \
            .given = WS_TRANSLATE_AT(at, strands_given) \
    }

/* Makes o->how of the options, and sets *how to it, or to NULL if nothing is translated. WS_EUSAGE for a table that is
 * no number, or not there, and for options that go with --translate alone. */
int ws_translate_choose(ws_translate_opts *o, const ws_translate **how, ws_err *err);

#endif
