/* SPDX-License-Identifier: MIT
 * Options as tables. One table is the source of parsing, range checks, --help, the completions and the test against the
 * manual pages (through --dump-options). */
#ifndef WS_BASE_OPT_H
#define WS_BASE_OPT_H

#include "lib/base/mem.h"

typedef enum ws_opt_type {
    WS_OPT_FLAG,   /* int, set to 1 */
    WS_OPT_UNFLAG, /* int, set to 0: the --no- form of a flag */
    WS_OPT_INT,    /* long long */
    WS_OPT_SIZE,   /* uint64_t, with K, M or G behind it: powers of 1000, Ki Mi Gi of 1024 */
    WS_OPT_REAL,   /* double */
    WS_OPT_STRING, /* const char * */
    WS_OPT_OPTSTR, /* const char *, only as --name=VALUE; "" if given without */
    WS_OPT_CHOICE, /* int: index into choices */
    WS_OPT_HELP,   /* ends the parse: see ws_opt_outcome */
    WS_OPT_VERSION,
    WS_OPT_DUMP
} ws_opt_type;

typedef enum ws_opt_group {
    WS_GROUP_SCORE, WS_GROUP_FILTER, WS_GROUP_INPUT, WS_GROUP_OUTPUT, WS_GROUP_RUN, WS_GROUP_MISC, WS_NGROUP
} ws_opt_group;

enum {
    WS_OPT_RESULT = 1, /* changes the rows: named in the provenance line */
    WS_OPT_HIDDEN = 2,
    WS_OPT_ABOVE = 4 /* min itself is out of range */
};

typedef struct ws_opt {
    char letter;            /* 0: none */
    const char *name;       /* long name; never NULL */
    const char *alias;      /* a second long name, or NULL */
    ws_opt_type type;
    size_t offset;          /* of the value in the struct that the table belongs to */
    const char *arg;        /* what --help calls the value: "FILE", "N" */
    const char *help;       /* one line */
    double min, max;        /* INT, SIZE, REAL: range if min < max */
    const char *const *choices; /* CHOICE: NULL-terminated */
    ws_opt_group group;
    unsigned flags;
    size_t given;           /* offset of an int that is set to 1 when the option is given; WS_OPT_NOGIVEN: none */
} ws_opt;
#define WS_OPT_NOGIVEN ((size_t)-1)
#define WS_OPT_END {.name = NULL}

typedef struct ws_opt_table {
    const ws_opt *opt; /* ends with name == NULL */
    void *values;
} ws_opt_table;

typedef enum ws_opt_outcome { WS_OPT_RUN, WS_OPT_SHOW_HELP, WS_OPT_SHOW_VERSION, WS_OPT_SHOW_DUMP } ws_opt_outcome;

typedef struct ws_cmdline {
    ws_opt_outcome outcome;
    const char **operand; /* points into argv; release with ws_free */
    int noperand;
    ws_buf args;          /* the WS_OPT_RESULT options in the order given, quoted for the provenance line */
} ws_cmdline;

/* Of options with one name in two tables the first table's counts: a tool may have its own form of a common option. */
int ws_opt_shadowed(const ws_opt_table *tab, int t, const ws_opt *o);

/* Parses argv[1..argc): GNU style, options and operands in any order, "--" ends options, "-" is an operand, long names may be
 * shortened where unique. The first wrong word is WS_EUSAGE with a sentence. *cl is to be released in any case. */
int ws_opt_parse(ws_cmdline *cl, const ws_opt_table *tab, int ntab, int argc, char **argv, ws_err *err);
void ws_cmdline_release(ws_cmdline *cl);

/* Appends the options part of --help, grouped, two columns within 100 characters. */
int ws_opt_help(ws_buf *out, const ws_opt_table *tab, int ntab, ws_err *err);

/* Appends one tab-separated line per option: letter, name, alias, argument, choices (comma-separated), help. */
int ws_opt_dump(ws_buf *out, const ws_opt_table *tab, int ntab, ws_err *err);

#endif
