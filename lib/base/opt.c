/* SPDX-License-Identifier: MIT
 * Parsing of the command line by option tables: see lib/base/opt.h. Help and dump are in help.c. */
#include "lib/base/opt.h"

#include "lib/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct found {
    const ws_opt *opt;
    void *values;
} found;

static int name_is(const char *name, const char *word, size_t n) {
    return name && strlen(name) == n && memcmp(name, word, n) == 0;
}

int ws_opt_shadowed(const ws_opt_table *tab, int t, const ws_opt *o) {
    for (int i = 0; i < t; i++)
        for (const ws_opt *first = tab[i].opt; first->name; first++)
            if (strcmp(first->name, o->name) == 0) return 1;
    return 0;
}

int ws_opt_shown(const ws_opt_table *tab, int t, const ws_opt *o) {
    return !(o->flags & (WS_OPT_HIDDEN | tab[t].unseen)) && !ws_opt_shadowed(tab, t, o);
}

static int takes_value(const ws_opt *o) {
    return o->type == WS_OPT_INT || o->type == WS_OPT_SIZE || o->type == WS_OPT_REAL || o->type == WS_OPT_STRING ||
           o->type == WS_OPT_LIST || o->type == WS_OPT_CHOICE;
}

static found by_letter(const ws_opt_table *tab, int ntab, char letter) {
    for (int t = 0; t < ntab; t++)
        for (const ws_opt *o = tab[t].opt; o->name; o++)
            if (o->letter == letter) return (found){o, tab[t].values};
    return (found){NULL, NULL};
}

/* Returns 1 if word[0..n) is a prefix of the option's name and may stand for it. */
static int abbreviates(const ws_opt_table *tab, int t, const ws_opt *o, const char *word, size_t n) {
    return strncmp(o->name, word, n) == 0 && ws_opt_shown(tab, t, o);
}

/* Returns WS_EUSAGE and a sentence that lists the options whose names begin with word[0..n). */
static int ambiguous(const ws_opt_table *tab, int ntab, const char *word, size_t n, ws_err *err) {
    char q[WS_QUOTE_MAX];
    ws_buf list = {0};
    int rc = WS_OK;
    for (int t = 0; t < ntab && !rc; t++)
        for (const ws_opt *o = tab[t].opt; o->name && !rc; o++)
            if (abbreviates(tab, t, o, word, n)) {
                rc = ws_buf_adds(&list, list.n ? ", --" : "--", err);
                if (!rc) rc = ws_buf_adds(&list, o->name, err);
            }
    if (!rc) rc = ws_fail(err, WS_EUSAGE, "ambiguous option --%s: %s", ws_quote(q, word, n), list.p);
    ws_buf_release(&list);
    return rc;
}

/* Returns how many letters must be put in, left out or replaced to make b of a[0..n); FAR for more than two. */
enum { WORD = 48, FAR = 3 };
static size_t distance(const char *a, size_t n, const char *b) {
    const size_t m = strlen(b);
    size_t row[WORD + 1];
    if (n > WORD || m > WORD || n > m + FAR || m > n + FAR) return FAR;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t above = row[j], left = row[j - 1];
            row[j] = ws_min(corner + (a[i - 1] != b[j - 1]), ws_min(above, left) + 1);
            corner = above;
        }
    }
    return ws_min(row[m], FAR);
}

/* Refuses a word that is no long option; the sentence has the option whose name is nearest, if one is near. */
static int unknown(const ws_opt_table *tab, int ntab, const char *word, size_t n, ws_err *err) {
    char q[WS_QUOTE_MAX];
    const char *near = NULL;
    size_t least = n > 4 ? FAR : FAR - 1; /* in a short word two letters are nearly all */
    for (int t = 0; t < ntab; t++)
        for (const ws_opt *o = tab[t].opt; o->name; o++)
            for (int alias = 0; alias < (o->alias ? 2 : 1) && ws_opt_shown(tab, t, o); alias++) {
                const char *name = alias ? o->alias : o->name;
                const size_t d = distance(word, n, name);
                if (d < least) near = name;
                least = ws_min(least, d);
            }
    return ws_fail(err, WS_EUSAGE, "unknown option --%s%s%s", ws_quote(q, word, n), near ? "; the nearest is --" : "",
                   near ? near : "");
}

/* Finds a long option by its exact name, else by a prefix of one name only, and sets *f. Returns WS_EUSAGE for an
 * unknown or ambiguous word. */
static int by_name(found *f, const ws_opt_table *tab, int ntab, const char *word, size_t n, ws_err *err) {
    int fits = 0;
    *f = (found){NULL, NULL};
    for (int t = 0; t < ntab; t++)
        for (const ws_opt *o = tab[t].opt; o->name; o++) {
            if (name_is(o->name, word, n) || name_is(o->alias, word, n)) {
                *f = (found){o, tab[t].values};
                return WS_OK;
            }
            if (n && abbreviates(tab, t, o, word, n)) {
                *f = (found){o, tab[t].values};
                fits++;
            }
        }
    if (fits == 0) return unknown(tab, ntab, word, n, err);
    if (fits > 1) return ambiguous(tab, ntab, word, n, err);
    return WS_OK;
}

/* Parses a number with an optional suffix: K, M, G (powers of 1000) or Ki, Mi, Gi (powers of 1024). */
static int parse_size(const char *s, double *out) {
    char *end;
    if (*s < '0' || *s > '9') return 0;
    errno = 0;
    double v = strtod(s, &end), unit = 1;
    if (errno || end == s) return 0;
    const char *units = "KMGT", *u = *end ? strchr(units, *end == 'k' ? 'K' : *end) : NULL;
    if (u) {
        int binary = end[1] == 'i';
        unit = pow(binary ? 1024 : 1000, (double)(u - units + 1));
        end += 1 + binary;
    }
    *out = v * unit;
    return *end == '\0';
}

/* HMMER lets blanks stand on both sides of a number. */
static int is_blank(const char *s) { return s[strspn(s, " \t\n\v\f\r")] == '\0'; }

static int not_a(const ws_opt *o, const char *what, const char *text, ws_err *err) {
    char q[WS_QUOTE_MAX];
    return ws_fail(err, WS_EUSAGE, "--%s: expected %s, found \"%s\"", o->name, what, ws_quote(q, text, strlen(text)));
}

/* Fails unless v is in the option's range, which holds infinite numbers only if it names them. No range has NaN. */
static int check_range(const ws_opt *o, double v, const char *text, ws_err *err) {
    char q[WS_QUOTE_MAX], least[WS_REAL_MAX], most[WS_REAL_MAX];
    const int above = o->flags & WS_OPT_ABOVE, any = !(o->min < o->max);
    if (any ? isfinite(v) : (above ? v > o->min : v >= o->min) && v <= o->max) return WS_OK;
    if (any) return not_a(o, "a finite number", text, err);
    if (isinf(o->min) && isinf(o->max)) return not_a(o, "a number, inf or -inf", text, err);
    ws_quote(q, text, strlen(text));
    if (isinf(o->max))
        return ws_fail(err, WS_EUSAGE, "--%s: %s is out of range: expected %s %s", o->name, q,
                       above ? "more than" : "at least", ws_number_real(least, o->min));
    return ws_fail(err, WS_EUSAGE, "--%s: %s is out of range: expected %s%s to %s", o->name, q,
                   above ? "more than " : "", ws_number_real(least, o->min), ws_number_real(most, o->max));
}

static int parse_choice(const ws_opt *o, const char *text, int *out, ws_err *err) {
    for (int i = 0; o->choices[i]; i++)
        if (strcasecmp(o->choices[i], text) == 0) {
            *out = i;
            return WS_OK;
        }
    ws_buf list = {0};
    for (int i = 0; o->choices[i]; i++)
        if (ws_buf_addf(&list, err, "%s%s", i == 0 ? "" : o->choices[i + 1] ? ", " : " or ", o->choices[i])) {
            ws_buf_release(&list);
            return WS_ENOMEM;
        }
    int rc = not_a(o, list.p, text, err);
    ws_buf_release(&list);
    return rc;
}

static int add_to_list(const ws_opt *o, const char *text, ws_opt_list *list, ws_err *err) {
    if (!*text) return not_a(o, o->arg, text, err);
    if (list->n == WS_OPT_LIST_MAX)
        return ws_fail(err, WS_EUSAGE, "--%s: given more than %d times", o->name, WS_OPT_LIST_MAX);
    list->value[list->n++] = text;
    return WS_OK;
}

static int store(const found *f, const char *text, ws_err *err) {
    const ws_opt *o = f->opt;
    char *end, *at = (char *)f->values + o->offset;
    double v;
    int rc;
    if (o->given != WS_OPT_NOGIVEN) *(int *)(void *)((char *)f->values + o->given) = 1;
    switch (o->type) {
    case WS_OPT_FLAG: *(int *)(void *)at = 1; return WS_OK;
    case WS_OPT_UNFLAG: *(int *)(void *)at = 0; return WS_OK;
    case WS_OPT_INT: {
        errno = 0;
        long long i = strtoll(text, &end, 10);
        if (errno || end == text || !is_blank(end)) return not_a(o, "a whole number", text, err);
        if ((rc = check_range(o, (double)i, text, err))) return rc;
        *(long long *)(void *)at = i;
        return WS_OK;
    }
    case WS_OPT_SIZE:
        if (!parse_size(text, &v)) return not_a(o, "a size such as 64M", text, err);
        if ((rc = check_range(o, v, text, err))) return rc;
        *(uint64_t *)(void *)at = (uint64_t)v;
        return WS_OK;
    case WS_OPT_REAL:
        v = strtod(text, &end);
        if (end == text || !is_blank(end)) return not_a(o, "a number", text, err);
        if ((rc = check_range(o, v, text, err))) return rc;
        *(double *)(void *)at = v;
        return WS_OK;
    case WS_OPT_STRING:
    case WS_OPT_OPTSTR:
        if (text && !*text) return not_a(o, o->arg, text, err);
        *(const char **)(void *)at = text ? text : ""; return WS_OK;
    case WS_OPT_LIST: return add_to_list(o, text, (ws_opt_list *)(void *)at, err);
    case WS_OPT_CHOICE: return parse_choice(o, text, (int *)(void *)at, err);
    case WS_OPT_HELP:
    case WS_OPT_VERSION:
    case WS_OPT_DUMP:
    case WS_OPT_FOLDER: break;
    }
    return WS_OK;
}

int ws_opt_add_word(ws_buf *b, const char *s, ws_err *err) {
    int rc = ws_buf_add(b, " ", 1, err);
    if (rc) return rc;
    if (*s && s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:/+-=%@")] == '\0')
        return ws_buf_adds(b, s, err);
    rc = ws_buf_add(b, "'", 1, err);
    for (; !rc && *s; s++) rc = *s == '\'' ? ws_buf_adds(b, "'\\''", err) : ws_buf_add(b, s, 1, err);
    return rc ? rc : ws_buf_add(b, "'", 1, err);
}

int ws_opt_record(ws_buf *args, const ws_opt *o, const char *value, ws_err *err) {
    if (!(o->flags & WS_OPT_RESULT)) return WS_OK;
    int rc = o->letter ? ws_buf_addf(args, err, "%s-%c", args->n ? " " : "", o->letter)
                       : ws_buf_addf(args, err, "%s--%s", args->n ? " " : "", o->name);
    if (rc || !value || (ws_opt_may_have_value(o) && !*value)) return rc;
    return ws_opt_may_have_value(o) ? ws_buf_addf(args, err, "=%s", value) : ws_opt_add_word(args, value, err);
}

static int apply(ws_cmdline *cl, const found *f, const char *value, int at, ws_err *err) {
    switch (f->opt->type) {
    case WS_OPT_HELP: cl->outcome = WS_OPT_SHOW_HELP; return WS_OK;
    case WS_OPT_VERSION: cl->outcome = WS_OPT_SHOW_VERSION; return WS_OK;
    case WS_OPT_DUMP: cl->outcome = WS_OPT_SHOW_DUMP; return WS_OK;
    case WS_OPT_FOLDER:
        cl->outcome = WS_OPT_SHOW_FOLDER;
        cl->folder = value;
        return value && !*value ? not_a(f->opt, f->opt->arg, value, err) : WS_OK;
    default: break;
    }
    int rc = store(f, value, err);
    if (!rc) rc = ws_grow(&cl->given, &cl->given_cap, cl->ngiven + 1, sizeof *cl->given, err);
    if (rc) return rc;
    cl->given[cl->ngiven++] = (ws_opt_given){f->opt, value, at};
    return ws_opt_record(&cl->args, f->opt, value, err);
}

static int parse_long(ws_cmdline *cl, const ws_opt_table *tab, int ntab, int argc, char **argv, int *i, ws_err *err) {
    const char *word = argv[*i] + 2, *eq = strchr(word, '=');
    found f;
    int rc = by_name(&f, tab, ntab, word, eq ? (size_t)(eq - word) : strlen(word), err);
    if (rc) return rc;
    const char *value = eq ? eq + 1 : NULL;
    if (takes_value(f.opt) && !value) {
        if (*i + 1 >= argc) return ws_fail(err, WS_EUSAGE, "--%s needs a value: %s", f.opt->name, f.opt->arg);
        value = argv[++*i];
    } else if (value && !takes_value(f.opt) && !ws_opt_may_have_value(f.opt)) {
        return ws_fail(err, WS_EUSAGE, "--%s takes no value", f.opt->name);
    } else if (!value && f.opt->type == WS_OPT_FOLDER && *i + 1 < argc) {
        return ws_fail(err, WS_EUSAGE, "--%s has %s behind it: expected nothing, or --%s=%s", f.opt->name,
                       argv[*i + 1], f.opt->name, f.opt->arg);
    }
    rc = apply(cl, &f, value, *i, err);
    if (rc == WS_EUSAGE && f.opt->alias && strncmp(f.opt->alias, word, strlen(f.opt->alias)) == 0)
        ws_err_prefix(err, "--%s, ", f.opt->alias); /* as it was typed, before its name */
    return rc;
}

/* Parses one word of option letters and its value: "-qt4", "-P", "0.02". */
static int parse_letters(ws_cmdline *cl, const ws_opt_table *tab, int ntab, int argc, char **argv, int *i,
                         ws_err *err) {
    for (const char *p = argv[*i] + 1; *p; p++) {
        char q[WS_QUOTE_MAX];
        found f = by_letter(tab, ntab, *p);
        if (!f.opt) {
            const char other[] = {(char)(*p ^ ('a' ^ 'A')), '\0'};
            const int is_there = isalpha((unsigned char)*p) && by_letter(tab, ntab, *other).opt;
            return ws_fail(err, WS_EUSAGE, "unknown option -%s%s%s", ws_quote(q, p, 1), is_there ? "; there is -" : "",
                           is_there ? other : "");
        }
        const char *value = NULL;
        if (takes_value(f.opt)) {
            if (p[1])
                value = p + 1;
            else if (*i + 1 < argc)
                value = argv[++*i];
            else
                return ws_fail(err, WS_EUSAGE, "-%c needs a value: %s", *p, f.opt->arg);
        }
        int rc = apply(cl, &f, value, *i, err);
        if (rc == WS_EUSAGE) ws_err_prefix(err, "-%c, ", *p); /* as it was typed, before its name */
        if (rc) return rc;
        if (value) break;
    }
    return WS_OK;
}

int ws_opt_parse(ws_cmdline *cl, const ws_opt_table *tab, int ntab, int argc, char **argv, ws_err *err) {
    *cl = (ws_cmdline){.outcome = WS_OPT_RUN};
    cl->operand = ws_calloc((size_t)argc + 1, sizeof *cl->operand, err);
    if (!cl->operand) return WS_ENOMEM;
    int only_operands = 0;
    for (int i = 1; i < argc && cl->outcome == WS_OPT_RUN; i++) {
        const char *a = argv[i];
        int rc = WS_OK;
        if (a[0] == '\0') /* the empty word of an unset shell variable */
            rc = ws_fail(err, WS_EUSAGE, "an operand is empty: expected the name of a file");
        else if (only_operands || a[0] != '-' || a[1] == '\0')
            cl->operand[cl->noperand++] = a;
        else if (strcmp(a, "--") == 0)
            only_operands = 1;
        else if (a[1] == '-')
            rc = parse_long(cl, tab, ntab, argc, argv, &i, err);
        else
            rc = parse_letters(cl, tab, ntab, argc, argv, &i, err);
        if (rc) return rc;
    }
    return ws_buf_add(&cl->args, "", 1, err); /* NUL-terminated */
}

int ws_opt_clash(int first_given, int second_given, const char *first, const char *second, ws_err *err) {
    if (!first_given || !second_given) return WS_OK;
    return ws_fail(err, WS_EUSAGE, "%s and %s exclude each other", first, second);
}

void ws_cmdline_release(ws_cmdline *cl) {
    ws_free(cl->operand);
    ws_free(cl->given);
    ws_buf_release(&cl->args);
}
