/* SPDX-License-Identifier: MIT
 * Programs in whose place a tool stands: see lib/run/peer.h. Facts about HMMER's command line are those of version 3.4:
 * options come before operands, unique beginnings of long names are enough, each is given once. */
#include "lib/run/peer.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 80 }; /* options of a program */

const ws_peer *ws_peer_find(const ws_peer *const *peers, const char *argv0) {
    const char *slash = argv0 ? strrchr(argv0, '/') : NULL, *name = slash ? slash + 1 : argv0;
    for (; peers && *peers && name; peers++)
        if (strcmp((*peers)->name, name) == 0) return *peers;
    return NULL;
}

/* ---- options of the tool ---- */

static int is_name(const ws_opt *o, const char *name) {
    if (name[1] != '-') return o->letter == name[1];
    return strcmp(o->name, name + 2) == 0 || (o->alias && strcmp(o->alias, name + 2) == 0);
}

static const char *name_of(const ws_peer_opt *o) { return o->tool ? o->tool : o->name; }

int ws_peer_opt_is(const ws_peer_opt *o, const ws_opt *of) { return is_name(of, name_of(o)); }

static const ws_opt *option_of(const ws_peer_opt *o, const ws_opt_table *tab, int ntab) {
    for (int t = 0; t < ntab; t++)
        for (const ws_opt *x = tab[t].opt; x->name; x++)
            if (ws_peer_opt_is(o, x)) return x;
    ws_bug("an option of a program of HMMER is none of the tool");
}

/* Returns n for a whole number, x for a real one, f for a file, s for another word; 0: it takes no value. */
static char kind_of(const ws_peer_opt *of, const ws_opt_table *tab, int ntab) {
    if (of->words || of->absent) return 0;
    const ws_opt *o = option_of(of, tab, ntab);
    switch (o->type) {
    case WS_OPT_INT:
    case WS_OPT_SIZE: return 'n';
    case WS_OPT_REAL: return 'x';
    case WS_OPT_STRING: return strcmp(o->arg, "FILE") == 0 || strcmp(o->arg, "PREFIX") == 0 ? 'f' : 's';
    case WS_OPT_CHOICE: return 's';
    default: return 0;
    }
}

/* ---- from its arguments to the tool's ---- */

/* A walk over the arguments of a program. */
typedef struct walk {
    const ws_peer *p;
    const ws_opt_table *tab;
    int ntab;
    char **argv, **out;
    int argc, at, n;
    const char *letters; /* the rest of a word of letters */
    uint8_t seen[MOST];
    int help;
} walk;

/* Finds a long option by its name, or by a beginning of one name alone. */
static int by_name(const ws_peer *p, const char *word, size_t n, const ws_peer_opt **found, ws_err *err) {
    char q[WS_QUOTE_MAX];
    int fits = 0;
    for (const ws_peer_opt *o = p->opt; o->name; o++) {
        if (strncmp(o->name, word, n) != 0) continue;
        *found = o;
        if (strlen(o->name) == n) return WS_OK;
        fits++;
    }
    if (fits == 0) return ws_fail(err, WS_EUSAGE, "%s has no option %s", p->name, ws_quote(q, word, n));
    if (fits > 1)
        return ws_fail(err, WS_EUSAGE, "several options of %s begin with %s", p->name, ws_quote(q, word, n));
    return WS_OK;
}

static int by_letter(const ws_peer *p, char letter, const ws_peer_opt **found, ws_err *err) {
    char q[WS_QUOTE_MAX];
    for (const ws_peer_opt *o = p->opt; o->name; o++)
        if (o->name[1] == letter && !o->name[2]) {
            *found = o;
            return WS_OK;
        }
    return ws_fail(err, WS_EUSAGE, "%s has no option -%s", p->name, ws_quote(q, &letter, 1));
}

/* Appends an option to the tool's arguments. */
static int put(walk *w, const ws_peer_opt *o, char *value, ws_err *err) {
    const size_t i = (size_t)(o - w->p->opt);
    if (i >= MOST) ws_bug("more options of a program of HMMER than expected");
    if (o->absent) return ws_fail(err, WS_EUSAGE, "%s: %s", o->name, o->absent);
    if (w->seen[i]++) return ws_fail(err, WS_EUSAGE, "%s is given twice", o->name);
    if (strcmp(o->name, "-h") == 0) {
        w->help = 1;
        return WS_OK;
    }
    for (int k = 0; o->words && o->words[k]; k++) w->out[w->n++] = (char *)o->words[k];
    if (!o->words) w->out[w->n++] = (char *)name_of(o);
    if (value) w->out[w->n++] = value;
    return WS_OK;
}

/* Takes the word behind an option as its value. */
static int take_value(walk *w, const ws_peer_opt *o, char kind, char **value, ws_err *err) {
    if (w->at == w->argc) return ws_fail(err, WS_EUSAGE, "%s needs a value", o->name);
    *value = w->argv[w->at++];
    if ((kind == 's' || kind == 'f') && **value == '-' && !o->dash)
        return ws_fail(err, WS_EUSAGE, "the value of %s would be %s, which looks like an option", o->name, *value);
    return WS_OK;
}

static int take_long(walk *w, ws_err *err) {
    char *word = w->argv[w->at++], *eq = strchr(word, '='), *value = NULL;
    const ws_peer_opt *o = NULL;
    int rc = by_name(w->p, word, eq ? (size_t)(eq - word) : strlen(word), &o, err);
    if (rc) return rc;
    const char kind = kind_of(o, w->tab, w->ntab);
    if (eq && !kind) return ws_fail(err, WS_EUSAGE, "%s takes no value", o->name);
    if (eq) value = eq + 1;
    else if (kind) rc = take_value(w, o, kind, &value, err);
    return rc ? rc : put(w, o, value, err);
}

static int take_letters(walk *w, ws_err *err) {
    char *p = w->argv[w->at++] + 1;
    int rc = WS_OK;
    for (int more = 1; *p && more && !rc; p++) {
        const ws_peer_opt *o = NULL;
        char *value = NULL;
        if ((rc = by_letter(w->p, *p, &o, err)) != WS_OK) break;
        const char kind = kind_of(o, w->tab, w->ntab);
        more = !kind;
        if (kind && p[1]) value = p + 1;
        else if (kind) rc = take_value(w, o, kind, &value, err);
        if (!rc) rc = put(w, o, value, err);
    }
    return rc;
}

/* HMMER takes the number of threads from the environment, too. */
static int take_environment(walk *w, ws_err *err) {
    char q[WS_QUOTE_MAX], *threads = getenv("HMMER_NCPU"), *end = threads;
    const ws_peer_opt *o = w->p->opt;
    while (o->name && strcmp(o->name, "--cpu") != 0) o++;
    if (!o->name || !threads || w->seen[o - w->p->opt]) return WS_OK;
    const double most = option_of(o, w->tab, w->ntab)->max;
    const long long n = strtoll(threads, &end, 10);
    if (end == threads || end[strspn(end, " \t\n\v\f\r")] || n < 0 || (double)n > most)
        return ws_fail(err, WS_EUSAGE,
                       "HMMER_NCPU in the environment is \"%s\": expected a number of threads, 0 to %.0f; unset it, or "
                       "give --cpu", ws_quote(q, threads, strlen(threads)), most);
    w->out[w->n++] = (char *)o->name;
    w->out[w->n++] = threads;
    return WS_OK;
}

static int take_all(walk *w, ws_err *err) {
    int rc = WS_OK, ended = 0;
    while (w->at < w->argc && !rc && !ended) {
        const char *word = w->argv[w->at];
        if (word[0] != '-' || !word[1]) break;
        ended = strcmp(word, "--") == 0;
        if (ended) w->at++;
        else rc = word[1] == '-' ? take_long(w, err) : take_letters(w, err);
    }
    if (rc || w->help) return rc;
    if ((rc = take_environment(w, err))) return rc;
    const int n = w->argc - w->at;
    if (w->p->noperand >= 0 && n != w->p->noperand)
        return ws_fail(err, WS_EUSAGE, "%s takes %d operands, and %d are given", w->p->name, w->p->noperand, n);
    if (w->p->first) {
        w->out[w->n++] = (char *)w->p->first;
        w->out[w->n++] = w->argv[w->at++];
    }
    w->out[w->n++] = (char *)"--";
    while (w->at < w->argc) w->out[w->n++] = w->argv[w->at++];
    return WS_OK;
}

int ws_peer_fixed(const ws_peer *p) {
    int n = 0;
    while (p->fixed && p->fixed[n]) n++;
    return n;
}

int ws_peer_arguments(const ws_peer *p, const ws_opt_table *tab, int ntab, int argc, char **argv, char ***out, int *n,
                      int *help, ws_err *err) {
    const int fixed = ws_peer_fixed(p);
    enum { WORDS = 4 };
    size_t most = (size_t)fixed + 8; /* a word may hold several letters, each of which becomes so many words */
    for (int i = 0; i < argc; i++) most += WORDS * strlen(argv[i]) + 2;
    walk w = {.p = p, .tab = tab, .ntab = ntab, .argv = argv, .argc = argc, .at = 1};
    if (!(*out = w.out = ws_calloc(most, sizeof *w.out, err))) return err->code;
    w.out[w.n++] = argv[0];
    for (int i = 0; i < fixed; i++) w.out[w.n++] = (char *)p->fixed[i];
    const int rc = take_all(&w, err);
    *n = w.n;
    *help = w.help;
    return rc;
}

/* ---- help ---- */

static const char *const group_title[WS_NPEERGROUP] = {
    [WS_PEER_BASIC] = "Basic options",
    [WS_PEER_OUTPUT] = "Options for the output",
    [WS_PEER_MODELS] = "Options for queries that are sequences",
    [WS_PEER_REPORT] = "Options for what is reported",
    [WS_PEER_INCLUDE] = "Options for what is included",
    [WS_PEER_CUTOFFS] = "Options for cutoffs of the models",
    [WS_PEER_FILTER] = "Options for the filters",
    [WS_PEER_BUILD] = "Options for models of alignments",
    [WS_PEER_CALIBRATE] = "Options for the calibration of models",
    [WS_PEER_INPUT] = "Options for the input",
    [WS_PEER_OTHER] = "Other options",
};

/* Appends the options of a group. */
static int help_group(const ws_peer *p, ws_peer_group g, const ws_opt_table *tab, int ntab, ws_buf *out, ws_err *err) {
    char kind[] = " <?>";
    size_t width = 0;
    int rc = WS_OK;
    for (const ws_peer_opt *o = p->opt; o->name; o++)
        if (o->group == g && o->help)
            width = ws_max(width, strlen(o->name) + (kind_of(o, tab, ntab) ? strlen(kind) : 0));
    if (width) rc = ws_buf_addf(out, err, "\n%s:\n", group_title[g]);
    for (const ws_peer_opt *o = p->opt; o->name && !rc; o++) {
        if (o->group != g || !o->help) continue;
        kind[2] = kind_of(o, tab, ntab);
        rc = ws_buf_addf(out, err, "  %s%-*s : %s", o->name, (int)(width - strlen(o->name)), kind[2] ? kind : "",
                         o->help);
        if (!rc && o->value) rc = ws_buf_addf(out, err, "  [%s]", o->value);
        if (!rc && o->range) rc = ws_buf_addf(out, err, "  (%s)", o->range);
        if (!rc) rc = ws_buf_adds(out, "\n", err);
    }
    return rc;
}

int ws_peer_help(const ws_peer *p, const char *tool, const ws_opt_table *tab, int ntab, ws_buf *out, ws_err *err) {
    int rc = ws_buf_addf(out, err, "# %s :: %s\n", p->name, p->title);
    if (!rc && p->of)
        rc = ws_buf_addf(out, err, "# The interface is that of %s; this program is %s of warpsieve " WS_VERSION "\n",
                         p->of, tool);
    else if (!rc)
        rc = ws_buf_addf(out, err, WS_PEER_VERSION "%s %s of warpsieve " WS_VERSION "\n", ws_peer_mark, tool);
    if (!rc) rc = ws_buf_addf(out, err, WS_PEER_RULE "Usage: %s %s\n", p->name, p->usage);
    for (ws_peer_group g = 0; g < WS_NPEERGROUP && !rc; g++) rc = help_group(p, g, tab, ntab, out, err);
    return rc;
}

int ws_peer_usage(const ws_peer *p, ws_buf *out, ws_err *err) {
    return ws_buf_addf(out, err, "Usage: %s %s\n\nAll options: %s -h\n\n", p->name, p->usage, p->name);
}
