/* SPDX-License-Identifier: MIT
 * Programs of HMMER, and PaPaRa, in whose place a tool stands when it is called by their name: a tool that calls
 * hmmsearch then runs over hmmsieve unchanged. Their options, their form of help and of misuse, and how their reports
 * name the options. */
#ifndef WS_RUN_PEER_H
#define WS_RUN_PEER_H

#include "lib/run/job.h"

enum { WS_PEER_TURNS = 6 };

/* Sections of the help. */
typedef enum ws_peer_group {
    WS_PEER_BASIC, WS_PEER_OUTPUT, WS_PEER_MODELS, WS_PEER_REPORT, WS_PEER_INCLUDE, WS_PEER_CUTOFFS, WS_PEER_FILTER,
    WS_PEER_BUILD, WS_PEER_CALIBRATE, WS_PEER_INPUT, WS_PEER_OTHER, WS_NPEERGROUP
} ws_peer_group;

/* HMMER's words about an option of the tool, whose ws_opt says the rest. Lists are in the order of HMMER's own, which
 * its outputs have too. */
typedef struct ws_peer_opt {
    const char *name;    /* "-E", "--domE"; NULL ends a list */
    ws_peer_group group;
    const char *value;   /* the default; NULL: none */
    const char *range;   /* what the help says of its values; NULL: nothing */
    const char *help;    /* NULL: hidden */
    /* The line of the report's head; NULL: there is none. A label ends with a tab. A form shows the value: %g, %f,
     * %.3f and %d a number, %s the word as it was given, %c threads, at most one for each core. The line with %c is
     * always there under the name. */
    const char *echo;
    const char *zero;    /* a line before that one, if the value is 0; NULL: none */
    int turn;            /* lines of the head come by this number, below WS_PEER_TURNS, then in the list's order */
    const char *before;  /* its line comes before that of this option; NULL: in its turn */
    signed char choice;  /* above 0: a default of a group of options that exclude one another, others have -choice */
    const char *tool;    /* the option of the tool; NULL: that of the same name */
    const char *const *words; /* of an option without a value: the tool's words in its place, ended by NULL */
    int dash;            /* the value may begin with a dash */
    const char *absent;  /* of an option that the tool does not have: the sentence that says so */
} ws_peer_opt;

/* The two files of a program of HMMER, or what a report's head calls them: queries, and the targets or the output. */
typedef struct ws_peer_files {
    const char *query, *target;
} ws_peer_files;

typedef struct ws_peer {
    const char *name;    /* "hmmsearch" */
    const char *title;   /* what it does, for the first line of help and reports */
    const char *usage;   /* its operands */
    int noperand;        /* how many these are; below 0: the tool says */
    const ws_peer_opt *opt;
    const char *const *fixed; /* arguments of the tool that come before all others, ended by NULL; NULL: none */
    const char *first;   /* the tool's option whose value the first operand is; NULL: it is an operand */
    const char *of;      /* what it is, for the help: "PaPaRa 2.5"; NULL: a program of HMMER 3.4 */
    ws_peer_files file;  /* labels of the report's head */
    int wider;           /* labels have so many characters more than those of most */
} ws_peer;

/* Returns whether it is a program of HMMER; NULL is none. */
static inline int ws_peer_is_hmmer(const ws_peer *p) { return p && !p->of; }

/* Returns the program that argv[0] names, among those of a tool; NULL: none. */
const ws_peer *ws_peer_find(const ws_peer *const *peers, const char *argv0);

/* Makes of a HMMER program's arguments those of the tool, whose options are tab[0..ntab): *out, `*n` of them and NULL,
 * argv[0] first. The caller gives *out back with ws_free; the words stay those of argv and of the peer. Sets *help
 * where -h is among them. WS_EUSAGE with a sentence, WS_ENOMEM. */
int ws_peer_arguments(const ws_peer *p, const ws_opt_table *tab, int ntab, int argc, char **argv, char ***out, int *n,
                      int *help, ws_err *err);

/* Returns how many arguments of the tool come with the name. */
int ws_peer_fixed(const ws_peer *p);

/* Appends the help, whose first two lines have HMMER's form, because tools look for a version there. */
int ws_peer_help(const ws_peer *p, const char *tool, const ws_opt_table *tab, int ntab, ws_buf *out, ws_err *err);
/* Appends what stands behind the sentence about misuse. */
int ws_peer_usage(const ws_peer *p, ws_buf *out, ws_err *err);

/* Words of the help that every program under a name of HMMER's holds. */
extern const char ws_peer_mark[];

/* Appends the path of the folder with the names of HMMER's programs, which installation puts beside that of this
 * program, and a line feed. WS_EIO if it is not there. */
int ws_peer_folder(ws_buf *out, ws_err *err);
/* Makes the folder `dir`, or replaces the programs in it, by one static executable under each of these names, and
 * appends its path and a line feed. The folder appears whole; in one that is there each file is replaced whole. Refuses
 * a folder with other files. WS_EIO with a sentence, WS_ENOMEM. */
int ws_peer_folder_make(const char *dir, ws_buf *out, ws_err *err);

/* Returns whether an option of the tool is the one that a program of HMMER means. */
int ws_peer_opt_is(const ws_peer_opt *o, const ws_opt *of);

/* ---- outputs in HMMER's form, also of a tool that was called by its own name: peer_outputs.c ---- */

#define WS_PEER_VERSION "# HMMER 3.4 (Aug 2023); http://hmmer.org/\n"
#define WS_PEER_RULE "# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -\n"

/* Returns the first two operands of a search as they were given; "-" for standard input. by_seq: the first one, the
 * models, is the target. */
ws_peer_files ws_peer_files_of(const ws_job *job, int by_seq);
/* Appends the first lines of a report, in which readers look for the program's name and for a version. With
 * names_options they list the options that were given, by whatever name. WS_ENOMEM: nothing was appended. */
int ws_peer_report_head(const ws_peer *p, const ws_job *job, ws_peer_files file, int names_options, ws_buf *text,
                        ws_err *err);
/* Appends the end of a table: what made it, with the options as the program of HMMER lists them; NULL: as the tool
 * does. WS_ENOMEM: nothing was appended. */
int ws_peer_table_end(const ws_peer *p, const ws_job *job, ws_peer_files file, const char *mode, ws_buf *text,
                      ws_err *err);

#endif
