/* SPDX-License-Identifier: MIT
 * Heads and ends of outputs in HMMER's form, with the program, its files and its options: see lib/run/peer.h. */
#include "lib/run/peer.h"

#include "lib/base/system.h"

#include <stdlib.h>
#include <string.h>

const char *ws_job_program(const ws_job *job) { return job->peer ? job->peer->name : job->tool->name; }

enum { LABEL = 33 }; /* characters of a label in the head of a report */

/* ---- options ---- */

/* Returns the last of the options given that is this one, by any of its names; NULL: it was not given. Those that come
 * with the name of the program do not count. */
static const ws_opt_given *find_given(const ws_cmdline *cl, const ws_peer_opt *o) {
    const ws_opt_given *found = NULL;
    for (size_t i = 0; i < cl->ngiven; i++)
        if (cl->given[i].at > cl->fixed && ws_peer_opt_is(o, cl->given[i].opt)) found = &cl->given[i];
    return found;
}

/* Appends a value in the form that begins with a %; *end: what stands behind the form. */
static int put_value(const char *form, const char **end, const char *value, ws_buf *out, ws_err *err) {
    enum { USUAL = 6 };
    const int digits = form[1] == '.' ? form[2] - '0' : USUAL;
    *end = form + (form[1] == '.' ? strlen("%.0f") : strlen("%g"));
    switch (form[1]) {
    case 's': return ws_buf_adds(out, value, err);
    case 'c': return ws_buf_addf(out, err, "%d", (int)ws_min(strtol(value, NULL, 10), ws_system_cores()));
    case 'd': return ws_buf_addf(out, err, "%lld", strtoll(value, NULL, 10));
    case 'g': return ws_buf_addf(out, err, "%g", strtod(value, NULL));
    default: return ws_buf_addf(out, err, "%.*f", digits, strtod(value, NULL));
    }
}

static int put_line(const ws_peer *p, const char *line, const char *value, ws_buf *out, ws_err *err) {
    const char *tab = strchr(line, '\t'), *rest = tab ? tab + 1 : line, *form = strchr(rest, '%'), *end = NULL;
    int rc = ws_buf_adds(out, "# ", err);
    if (!rc && tab) rc = ws_buf_addf(out, err, "%-*.*s", LABEL + p->wider, (int)(tab - line), line);
    if (!rc) rc = ws_buf_add(out, rest, form ? (size_t)(form - rest) : strlen(rest), err);
    if (!rc && form) rc = put_value(form, &end, value, out, err);
    return rc ? rc : ws_buf_addf(out, err, "%s\n", form ? end : "");
}

/* Appends the line of an option that was given with a value other than its default. */
static int echo_one(const ws_peer *p, const ws_cmdline *cl, const ws_peer_opt *o, ws_buf *out, ws_err *err) {
    const ws_opt_given *g = o->echo ? find_given(cl, o) : NULL;
    const char *value = g ? g->value : o->value;
    const int is_default = !g || (value && o->value && strcmp(value, o->value) == 0);
    const int always = o->echo && strstr(o->echo, "%c") && (g || cl->fixed);
    if (!o->echo || (is_default && !always)) return WS_OK;
    const int is_zero = o->zero && strtod(value, NULL) == 0;
    const int rc = is_zero ? put_line(p, o->zero, NULL, out, err) : WS_OK;
    return rc ? rc : put_line(p, o->echo, is_zero ? "0" : value, out, err);
}

/* Appends the line of an option, behind those of the options that come before it. */
static int echo_with(const ws_peer *p, const ws_cmdline *cl, const ws_peer_opt *o, ws_buf *out, ws_err *err) {
    int rc = WS_OK;
    for (const ws_peer_opt *x = p->opt; x->name && !rc; x++)
        if (x->before && strcmp(x->before, o->name) == 0) rc = echo_one(p, cl, x, out, err);
    return rc ? rc : echo_one(p, cl, o, out, err);
}

/* Appends the lines of the options that were given, without those whose value is the default. */
static int echo(const ws_peer *p, const ws_cmdline *cl, ws_buf *out, ws_err *err) {
    int rc = WS_OK;
    for (int turn = 0; turn < WS_PEER_TURNS; turn++)
        for (const ws_peer_opt *o = p->opt; o->name && !rc; o++)
            if (o->turn == turn && !o->before) rc = echo_with(p, cl, o, out, err);
    return rc;
}

/* Returns whether another option took the place of this default, which HMMER lists all the same. */
static int is_displaced(const ws_peer *p, const ws_cmdline *cl, const ws_peer_opt *o) {
    int found = 0;
    for (const ws_peer_opt *x = p->opt; o->choice > 0 && x->name && !found; x++)
        found = x != o && abs(x->choice) == o->choice && find_given(cl, x) != NULL;
    return found;
}

/* Appends the command line, with the names that the program of HMMER has for the options. */
static int settings(const ws_peer *p, const ws_cmdline *cl, const char *program, ws_buf *out, ws_err *err) {
    int rc = ws_buf_addf(out, err, "%s ", program);
    for (const ws_peer_opt *o = p->opt; o->name && !rc; o++) {
        const ws_opt_given *g = find_given(cl, o);
        if (g && g->value) rc = ws_buf_addf(out, err, "%s %s ", o->name, g->value);
        else if (g || is_displaced(p, cl, o)) rc = ws_buf_addf(out, err, "%s ", o->name);
    }
    for (int i = 0; i < cl->noperand && !rc; i++) rc = ws_buf_addf(out, err, "%s ", cl->operand[i]);
    return rc;
}

/* ---- heads and ends ---- */

static const char *operand(const ws_job *job, int i) {
    return i < job->cmdline.noperand ? job->cmdline.operand[i] : "-";
}

ws_peer_files ws_peer_files_of(const ws_job *job, int by_seq) {
    return (ws_peer_files){.query = operand(job, by_seq), .target = operand(job, !by_seq)};
}

int ws_peer_report_head(const ws_peer *p, const ws_job *job, ws_peer_files file, int names_options, ws_buf *text,
                        ws_err *err) {
    const int width = LABEL + p->wider;
    const size_t begin = text->n;
    int rc = ws_buf_addf(text, err,
                         "# %s :: %s\n" WS_PEER_VERSION "# The format is that of HMMER; computed by %s of warpsieve "
                         WS_VERSION "\n" WS_PEER_RULE "# %-*s%s\n# %-*s%s\n", p->name, p->title, job->tool->name,
                         width, p->file.query, file.query, width, p->file.target, file.target);
    if (!rc && names_options) rc = echo(p, &job->cmdline, text, err);
    if (!rc) rc = ws_buf_adds(text, WS_PEER_RULE "\n", err);
    if (rc) text->n = begin;
    return rc;
}

/* No folder and no date, so that equal searches give equal bytes. */
int ws_peer_table_end(const ws_peer *p, const ws_job *job, ws_peer_files file, const char *mode, ws_buf *text,
                      ws_err *err) {
    const char *program = ws_job_program(job);
    const size_t begin = text->n;
    int rc = ws_buf_addf(text, err,
                         "#\n# Program:         %s\n# Version:         warpsieve " WS_VERSION
                         "\n# Pipeline mode:   %s\n# Query file:      %s\n# Target file:     %s\n# Option settings: ",
                         program, mode, file.query, file.target);
    if (!rc && p) rc = settings(p, &job->cmdline, program, text, err);
    else if (!rc) rc = ws_buf_addf(text, err, "%s %s", program, job->cmdline.args.p ? job->cmdline.args.p : "");
    if (!rc) rc = ws_buf_adds(text, "\n# [ok]\n", err);
    if (rc) text->n = begin;
    return rc;
}
