/* SPDX-License-Identifier: MIT
 * Options as tables. One table feeds the parser, range checks, --help, the completions and the test of the manual
 * pages (by --dump-options). */
#ifndef WS_BASE_OPT_H
#define WS_BASE_OPT_H

#include "lib/base/mem.h"

typedef enum ws_opt_type {
    WS_OPT_FLAG,   /* int, set to 1 */
    WS_OPT_UNFLAG, /* int, set to 0: the --no- form of a flag */
    WS_OPT_INT,    /* long long */
    WS_OPT_SIZE,   /* uint64_t with an optional suffix: K, M, G powers of 1000; Ki, Mi, Gi powers of 1024 */
    WS_OPT_REAL,   /* double */
    WS_OPT_STRING, /* const char * */
    WS_OPT_LIST,   /* ws_opt_list: the user may give it several times */
    WS_OPT_OPTSTR, /* const char *, only as --name=VALUE; "" without a value */
    WS_OPT_CHOICE, /* int: index into choices; the user may write them in upper or lower case */
    WS_OPT_HELP,   /* ends the parse: see ws_opt_outcome */
    WS_OPT_VERSION,
    WS_OPT_DUMP,
    WS_OPT_FOLDER /* of the names of HMMER's programs; it may have a value, only as --name=VALUE */
} ws_opt_type;

/* The values of a WS_OPT_LIST in the order given. */
enum { WS_OPT_LIST_MAX = 64 };
typedef struct ws_opt_list {
    const char *value[WS_OPT_LIST_MAX];
    int n;
} ws_opt_list;

typedef enum ws_opt_group {
    WS_GROUP_SCORE, WS_GROUP_FILTER, WS_GROUP_INPUT, WS_GROUP_OUTPUT, WS_GROUP_RUN, WS_GROUP_MISC, WS_NGROUP
} ws_opt_group;

enum {
    WS_OPT_RESULT = 1, /* changes the rows, so the provenance line names it */
    WS_OPT_HIDDEN = 2,
    WS_OPT_ABOVE = 4, /* min itself is out of range */
    WS_OPT_SCORING = 8, /* says how to score, so tools that score nothing take it and do not show it */
    WS_OPT_TABLE = 16   /* about a table, so tools without columns take it and do not show it */
};

typedef struct ws_opt {
    char letter;            /* 0: none */
    const char *name;       /* long name; never NULL */
    const char *alias;      /* a second long name, or NULL */
    ws_opt_type type;
    size_t offset;          /* offset of the value in the struct that the table belongs to */
    const char *arg;        /* name of the value in --help: "FILE", "N" */
    const char *help;       /* one line */
    double min, max;        /* INT, SIZE, REAL: range if min < max */
    const char *const *choices; /* CHOICE: NULL-terminated */
    ws_opt_group group;
    unsigned flags;
    /* offset of an int that the parser sets to 1 when the option is given; WS_OPT_NOGIVEN: none */
    size_t given;
} ws_opt;
#define WS_OPT_NOGIVEN ((size_t)-1)
#define WS_OPT_END {.name = NULL}

typedef struct ws_opt_table {
    const ws_opt *opt; /* ends with name == NULL */
    void *values;
    unsigned unseen;   /* options with one of these flags are not shown; WS_OPT_HIDDEN always */
} ws_opt_table;

typedef enum ws_opt_outcome {
    WS_OPT_RUN, WS_OPT_SHOW_HELP, WS_OPT_SHOW_VERSION, WS_OPT_SHOW_DUMP, WS_OPT_SHOW_FOLDER
} ws_opt_outcome;

/* An option as it was given. */
typedef struct ws_opt_given {
    const ws_opt *opt;
    const char *value; /* as in argv; NULL: it has none */
    int at;            /* where in argv its value, or itself, stands */
} ws_opt_given;

typedef struct ws_cmdline {
    ws_opt_outcome outcome;
    ws_opt_given *given; /* all that were given, in order */
    size_t ngiven, given_cap;
    int fixed;           /* so many of argv's words behind the first come with the program's name; the caller's */
    const char **operand; /* points into argv; release the array with ws_free */
    int noperand;
    const char *folder;  /* the value of WS_OPT_FOLDER; NULL: none */
    ws_buf args;          /* the WS_OPT_RESULT options in the order given, quoted for the provenance line */
} ws_cmdline;

/* Returns 1 if a table before tab[t] has an option of the same name. The first table wins: a tool may have its own
 * form of a common option. */
int ws_opt_shadowed(const ws_opt_table *tab, int t, const ws_opt *o);

/* Parses argv[1..argc) into *cl and the tables' structs. GNU style: options and operands in any order; "--" ends
 * options; "-" is an operand; unique prefixes of long names are enough. Returns WS_EUSAGE and a sentence for the
 * first wrong word. The caller releases *cl in any case. */
int ws_opt_parse(ws_cmdline *cl, const ws_opt_table *tab, int ntab, int argc, char **argv, ws_err *err);
void ws_cmdline_release(ws_cmdline *cl);

/* Returns WS_EUSAGE and "first and second exclude each other" if both were given. */
int ws_opt_clash(int first_given, int second_given, const char *first, const char *second, ws_err *err);

/* Appends an option of WS_OPT_RESULT as the provenance line names it, and no other. value: as in argv, or NULL.
 * WS_ENOMEM. */
int ws_opt_record(ws_buf *args, const ws_opt *o, const char *value, ws_err *err);

/* Appends a blank and s as a word of the shell: in single quotes, unless no quotes are needed. */
int ws_opt_add_word(ws_buf *b, const char *s, ws_err *err);

/* Returns whether the option may have a value, which then is in one word with it: --name=VALUE. */
int ws_opt_may_have_value(const ws_opt *o);

/* Returns whether --help and --dump-options show an option of tab[t]: none that is hidden or shadowed. */
int ws_opt_shown(const ws_opt_table *tab, int t, const ws_opt *o);

/* Appends text, broken at blanks to stay within 100 characters; further lines begin at column `left`, where the first
 * one is. */
int ws_opt_add_wrapped(ws_buf *out, size_t left, const char *text, ws_err *err);

/* Appends the options part of --help, grouped, two columns within 100 characters. */
int ws_opt_help(ws_buf *out, const ws_opt_table *tab, int ntab, ws_err *err);

/* Appends one tab-separated line per option: letter, name, alias, argument, choices (comma-separated), help. */
int ws_opt_dump(ws_buf *out, const ws_opt_table *tab, int ntab, ws_err *err);

#endif
