/* SPDX-License-Identifier: MIT
 * Newick trees: quotes, comments, branch labels, rooted or unrooted. The parser is not recursive, so trees of any
 * depth are read. */
#include "kernels/papara/papara.h"
#include "lib/compress/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct parse {
    ws_papara_tree *t;
    const char *path, *text, *p, *end;
    int resolve;
    size_t cap;
    ws_buf names;
    size_t *name_at; /* [node] offset into names; SIZE_MAX: no name */
    size_t name_cap;
    ws_err *err;
} parse;

#define RESOLVED 1e-6 /* length of a branch that --resolve adds */

static int fail(const parse *s, const char *at, const char *expected) {
    size_t line = 1;
    char q[WS_QUOTE_MAX];
    for (const char *p = s->text; p < at; p++) line += *p == '\n';
    const char *found = at < s->end ? ws_quote(q, at, ws_min(12, (size_t)(s->end - at))) : NULL;
    return ws_fail(s->err, WS_EDATA, "%s: line %zu, byte %zu: found %s%s%s, expected %s", s->path, line,
                   (size_t)(at - s->text) + 1, found ? "\"" : "", found ? found : "the end of the file",
                   found ? "\"" : "", expected);
}

/* Skips white space and [comments], which may be nested, and with `braces` labels in braces. */
static int skip(parse *s, int braces) {
    for (; s->p < s->end; s->p++) {
        const char open = *s->p, close = open == '[' ? ']' : '}', *at = s->p;
        if (isspace((unsigned char)open)) continue;
        if (open != '[' && !(braces && open == '{')) break;
        for (int depth = 0;; s->p++) {
            if (s->p == s->end)
                return fail(s, at, open == '[' ? "a \"]\" behind this comment" : "a \"}\" behind this label");
            depth += *s->p == open;
            depth -= *s->p == close;
            if (depth == 0) break;
        }
    }
    return WS_OK;
}

static int new_node(parse *s, int parent, int *out) {
    ws_papara_tree *t = s->t;
    if (t->n == INT32_MAX - 4) return ws_fail(s->err, WS_EDATA, "%s: the tree has too many nodes", s->path);
    int rc = ws_grow(&t->node, &s->cap, (size_t)t->n + 1, sizeof *t->node, s->err);
    if (!rc) rc = ws_grow(&s->name_at, &s->name_cap, (size_t)t->n + 1, sizeof *s->name_at, s->err);
    if (rc) return rc;
    t->node[t->n] = (ws_papara_node){.parent = parent,
                                     .child = {WS_PAPARA_NONE, WS_PAPARA_NONE, WS_PAPARA_NONE},
                                     .length = RESOLVED,
                                     .edge = WS_PAPARA_NONE,
                                     .row = WS_PAPARA_NONE};
    s->name_at[t->n] = SIZE_MAX;
    *out = t->n++;
    return WS_OK;
}

/* Moves the children of x below a new node, so that x can take one more. */
static int push_down(parse *s, int x) {
    int mid, rc = new_node(s, x, &mid);
    if (rc) return rc;
    ws_papara_node *a = &s->t->node[x], *m = &s->t->node[mid];
    m->nchild = a->nchild;
    for (int c = 0; c < a->nchild; c++) {
        m->child[c] = a->child[c];
        s->t->node[a->child[c]].parent = mid;
        a->child[c] = WS_PAPARA_NONE;
    }
    a->child[0] = mid;
    a->nchild = 1;
    return WS_OK;
}

static const char several[] =
    "\")\": a node of more than two children (a multifurcation) is not resolved; papara-score --resolve does it "
    "arbitrarily";

/* Adds a child. Only the root may have three children, and the parser learns at its end that three are all. */
static int add_child(parse *s, int parent, const char *at, int *out) {
    ws_papara_node *p = &s->t->node[parent];
    const int most = p->parent == WS_PAPARA_NONE ? 3 : 2;
    if (p->nchild == most) {
        if (!s->resolve) return fail(s, at, several);
        int rc = WS_OK;
        if (most == 3) { /* ((a,b),c) and the new child */
            const int c = p->child[2];
            p->nchild = 2;
            rc = push_down(s, parent);
            if (rc) return rc;
            p = &s->t->node[parent];
            p->child[p->nchild++] = c;
        } else {
            rc = push_down(s, parent);
        }
        if (rc) return rc;
    }
    int rc = new_node(s, parent, out);
    if (rc) return rc;
    p = &s->t->node[parent];
    p->child[p->nchild++] = *out;
    return WS_OK;
}

static int quoted(parse *s) {
    const char *at = s->p++;
    for (;; s->p++) {
        if (s->p == s->end) return fail(s, at, "a closing quote behind this name");
        if (*s->p == '\'' && (s->p + 1 == s->end || s->p[1] != '\'')) break;
        s->p += *s->p == '\'';
        int rc = ws_buf_add(&s->names, s->p, 1, s->err);
        if (rc) return rc;
    }
    s->p++;
    return WS_OK;
}

/* Parses an optional name; *at is SIZE_MAX without one. */
static int label(parse *s, size_t *at) {
    *at = s->names.n;
    int rc = WS_OK;
    if (s->p < s->end && *s->p == '\'') {
        rc = quoted(s);
    } else {
        const char *from = s->p;
        while (s->p < s->end && !isspace((unsigned char)*s->p) && !strchr("()[]:;,{", *s->p)) s->p++;
        rc = ws_buf_add(&s->names, from, (size_t)(s->p - from), s->err);
    }
    if (rc) return rc;
    if (s->names.n == *at) {
        *at = SIZE_MAX;
        return WS_OK;
    }
    return ws_buf_add(&s->names, "", 1, s->err);
}

/* Parses ":length" and the labels around it. */
static int length(parse *s, int x) {
    ws_papara_node *node = &s->t->node[x];
    int rc = skip(s, 1);
    if (rc) return rc;
    if (s->p == s->end || *s->p != ':') {
        node->length = 1;
        s->t->missing += x != 0;
        return WS_OK;
    }
    s->p++;
    if ((rc = skip(s, 0))) return rc;
    char *stop;
    if (s->p == s->end || !strchr("0123456789.+-", *s->p)) return fail(s, s->p, "the length of a branch");
    node->length = strtod(s->p, &stop); /* the text ends with NUL */
    if (stop == s->p || !(node->length > -1e300 && node->length < 1e300))
        return fail(s, s->p, "the length of a branch");
    s->p = stop;
    return skip(s, 1);
}

static int tip(parse *s, int x) {
    const char *at = s->p;
    int rc = label(s, &s->name_at[x]);
    if (rc) return rc;
    if (s->name_at[x] == SIZE_MAX) return fail(s, at, "a name or \"(\"");
    s->t->ntip++;
    return length(s, x);
}

/* Handles the text after a child: the next child, or the end of its parent, then of the grandparent, and so on. *x
 * becomes the parent that continues, or WS_PAPARA_NONE when the root was closed. */
static int after_child(parse *s, int *x) {
    size_t ignored;
    while (*x != WS_PAPARA_NONE) {
        if (s->p == s->end) return fail(s, s->p, "\",\" or \")\": the tree is cut");
        if (*s->p == ',') return WS_OK;
        if (*s->p != ')') return fail(s, s->p, "\",\" or \")\"");
        if (s->t->node[*x].nchild < 2) return fail(s, s->p, "\",\": this node has one child only");
        s->p++;
        int rc = skip(s, 1);
        if (!rc) rc = label(s, &ignored); /* support values and similar labels */
        if (!rc) rc = length(s, *x);
        if (rc) return rc;
        *x = s->t->node[*x].parent;
    }
    return WS_OK;
}

static int open_node(parse *s, int *x) {
    int rc = skip(s, 0);
    while (!rc && s->p < s->end && *s->p == '(') {
        const char *at = s->p++;
        rc = *x == WS_PAPARA_NONE ? new_node(s, *x, x) : add_child(s, *x, at, x);
        if (!rc) rc = skip(s, 0);
    }
    return rc;
}

static int nodes(parse *s) {
    int x = WS_PAPARA_NONE, child, rc = open_node(s, &x);
    if (rc) return rc;
    if (x == WS_PAPARA_NONE) {
        if (s->p == s->end) return ws_fail(s->err, WS_EDATA, "%s: there is no tree in this file", s->path);
        return *s->p == '>' || isdigit((unsigned char)*s->p)
                   ? fail(s, s->p, "\"(\": the alignment comes first, the tree second")
                   : fail(s, s->p, "\"(\", which begins a tree of two leaves or more");
    }
    while (!rc && x != WS_PAPARA_NONE) {
        rc = add_child(s, x, s->p, &child);
        if (!rc) rc = tip(s, child);
        if (!rc) rc = after_child(s, &x);
        if (rc || x == WS_PAPARA_NONE) break;
        s->p++; /* skips the comma */
        rc = open_node(s, &x);
    }
    if (rc) return rc;
    if (s->p == s->end || *s->p != ';') return fail(s, s->p, "\";\", which ends a tree");
    s->p++;
    if ((rc = skip(s, 1))) return rc;
    return s->p == s->end ? WS_OK : fail(s, s->p, "the end of the file behind \";\": one tree is read");
}

int ws_papara_tree_parse(ws_papara_tree *t, const char *path, const char *text, size_t n, int resolve, ws_err *err) {
    parse s = {.t = t, .path = path, .text = text, .p = text, .end = text + n, .resolve = resolve, .err = err};
    *t = (ws_papara_tree){0};
    const char *nul = memchr(text, '\0', n);
    if (nul) return ws_fail(err, WS_EDATA, "%s: byte %zu is zero, so this is no tree", path, (size_t)(nul - text) + 1);
    int rc = nodes(&s);
    for (int x = 0; x < t->n; x++) t->node[x].name = rc || s.name_at[x] == SIZE_MAX ? NULL : s.names.p + s.name_at[x];
    t->names = s.names.p;
    ws_free(s.name_at);
    if (!rc) rc = ws_papara_tree_number(t, err);
    if (rc) ws_papara_tree_release(t);
    return rc;
}

int ws_papara_tree_read(ws_papara_tree *t, const char *path, int resolve, ws_err *err) {
    char *text;
    size_t n;
    int rc = ws_source_slurp(path, "([", &text, &n, err);
    if (!rc) rc = ws_papara_tree_parse(t, ws_source_name_of(path), text, n, resolve, err);
    ws_free(text);
    return rc;
}

void ws_papara_tree_release(ws_papara_tree *t) {
    ws_free(t->node);
    ws_free(t->names);
    ws_free(t->top);
    ws_free(t->length);
    ws_free(t->jplace);
    *t = (ws_papara_tree){0};
}
