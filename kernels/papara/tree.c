/* SPDX-License-Identifier: MIT
 * Edges of the unrooted tree: their numbers, lengths, and the tree as text with those numbers (specification 2.3). */
#include "kernels/papara/papara.h"

#include <stdlib.h>
#include <string.h>

#define SHORTEST 1e-6 /* replaces lengths of 0 and below */

static int rooted(const ws_papara_tree *t) { return t->node[t->root].nchild == 2; }

/* Numbers an edge and all edges below it in preorder. stack: room for all nodes. */
static void number_below(ws_papara_tree *t, int x, int own_edge, int *next, int *stack) {
    int depth = 0;
    stack[depth++] = x;
    while (depth > 0) {
        const int y = stack[--depth];
        if (y != x || own_edge) {
            t->node[y].edge = *next;
            t->top[(*next)++] = y;
        }
        for (int c = t->node[y].nchild; c-- > 0;) stack[depth++] = t->node[y].child[c];
    }
}

/* Visits nodes in the order of the tree's text: at the "(" of an inner node, and when a node ends. */
typedef int visit_fn(void *closure, int node, int leaving, int last);

/* Writes the subtrees of the virtual top to top[], in the order of the text. Returns their number. */
static int tops(const ws_papara_tree *t, int top[3]) {
    const ws_papara_node *root = &t->node[t->root];
    for (int c = 0; c < root->nchild; c++) top[c] = root->child[c];
    if (!rooted(t)) return 3;
    /* one of the root's two children becomes the top: the second, unless it is a tip */
    const int a = root->child[0], b = root->child[1];
    const ws_papara_node *na = &t->node[a], *nb = &t->node[b];
    if (nb->nchild) {
        top[0] = a, top[1] = nb->child[0], top[2] = nb->child[1];
    } else if (na->nchild) {
        top[0] = na->child[0], top[1] = na->child[1], top[2] = b;
    } else {
        return 2; /* two leaves: one edge, written at the second leaf */
    }
    return 3;
}

static int walk(const ws_papara_tree *t, visit_fn *visit, void *closure, ws_err *err) {
    int top[3] = {0}, *stack = ws_calloc(2 * (size_t)t->n + 4, sizeof *stack, err), rc = WS_OK;
    if (!stack) return WS_ENOMEM;
    const int n = tops(t, top);
    for (int c = 0; c < n && !rc; c++) {
        int depth = 0;
        stack[depth++] = top[c];
        while (depth > 0 && !rc) {
            const int x = stack[--depth], leaving = x < 0, y = leaving ? ~x : x;
            const ws_papara_node *node = &t->node[y];
            const int parent = node->parent,
                      last = y == top[c] ? c == n - 1 : t->node[parent].child[t->node[parent].nchild - 1] == y;
            if (!leaving && node->nchild) {
                stack[depth++] = ~y;
                for (int k = node->nchild; k-- > 0;) stack[depth++] = node->child[k];
                rc = visit(closure, y, 0, last);
            } else {
                rc = visit(closure, y, 1, last);
            }
        }
    }
    ws_free(stack);
    return rc;
}

typedef struct numbering {
    ws_papara_tree *t;
    int next;
} numbering;

static int number_one(void *closure, int x, int leaving, int last) {
    numbering *w = closure;
    (void)last;
    const int two_leaves = rooted(w->t) && w->t->ntip == 2;
    if (leaving && !(two_leaves && w->next)) w->t->jplace[w->t->node[x].edge] = w->next++;
    return WS_OK;
}

int ws_papara_tree_number(ws_papara_tree *t, ws_err *err) {
    const ws_papara_node *root = &t->node[t->root];
    int next = 0;
    t->nedge = t->n - 1 - rooted(t);
    t->top = ws_calloc((size_t)t->nedge, sizeof *t->top, err);
    t->length = ws_calloc((size_t)t->nedge, sizeof *t->length, err);
    t->jplace = ws_calloc((size_t)t->nedge, sizeof *t->jplace, err);
    int *stack = ws_calloc((size_t)t->n + 4, sizeof *stack, err);
    if (!t->top || !t->length || !t->jplace || !stack) {
        ws_free(stack);
        return WS_ENOMEM;
    }
    if (rooted(t)) {
        t->node[root->child[0]].edge = t->node[root->child[1]].edge = 0;
        t->top[next++] = root->child[0];
        number_below(t, root->child[1], 0, &next, stack);
        number_below(t, root->child[0], 0, &next, stack);
    } else {
        number_below(t, root->child[2], 1, &next, stack);
        number_below(t, root->child[0], 1, &next, stack);
        number_below(t, root->child[1], 1, &next, stack);
    }
    ws_free(stack);
    for (int e = 0; e < t->nedge; e++) t->length[e] = t->node[t->top[e]].length;
    if (rooted(t)) t->length[0] += t->node[root->child[1]].length;
    for (int e = 0; e < t->nedge; e++) {
        if (t->length[e] > 0) continue;
        t->length[e] = SHORTEST;
        t->not_positive++;
    }
    numbering w = {t, 0};
    return walk(t, number_one, &w, err);
}

/* ---- the tree as text ---- */

typedef struct writing {
    const ws_papara_tree *t;
    ws_buf *out;
    ws_err *err;
    int jplace, seen;
} writing;

/* Returns 1 if a name needs no quotes. gappa 0.9 reads letters beyond ASCII only in quotes. */
static int plain_name(const char *s) {
    for (; *s; s++)
        if ((unsigned char)*s <= ' ' || (unsigned char)*s > '~' || strchr("()[]:;,'{}\"\\", *s)) return 0;
    return 1;
}

static int write_name(writing *w, const char *s) {
    if (plain_name(s)) return ws_buf_adds(w->out, s, w->err);
    int rc = ws_buf_add(w->out, "'", 1, w->err);
    for (; *s && !rc; s++) rc = ws_buf_addf(w->out, w->err, *s == '\'' ? "''" : "%c", *s);
    return rc ? rc : ws_buf_add(w->out, "'", 1, w->err);
}

static int write_one(void *closure, int x, int leaving, int last) {
    writing *w = closure;
    const ws_papara_node *node = &w->t->node[x];
    if (!leaving) return ws_buf_add(w->out, "(", 1, w->err);
    const int two_leaves = rooted(w->t) && w->t->ntip == 2;
    int rc = node->nchild ? ws_buf_add(w->out, ")", 1, w->err) : write_name(w, node->name);
    if (!rc && two_leaves && w->seen++) return ws_buf_adds(w->out, ":0", w->err); /* the only edge is already written */
    if (!rc)
        rc = ws_buf_addf(w->out, w->err, ":%.10g{%d}%s", w->t->length[node->edge],
                         w->jplace ? w->t->jplace[node->edge] : node->edge, last && !two_leaves ? "" : ",");
    return rc;
}

int ws_papara_tree_write(const ws_papara_tree *t, int jplace, ws_buf *out, ws_err *err) {
    writing w = {.t = t, .out = out, .err = err, .jplace = jplace};
    int rc = ws_buf_add(out, "(", 1, err);
    if (!rc) rc = walk(t, write_one, &w, err);
    return rc ? rc : ws_buf_adds(out, ");", err);
}

/* ---- tips and rows ---- */

typedef struct named {
    const char *name;
    int index;
} named;

static int by_name(const void *a, const void *b) { return strcmp(((const named *)a)->name, ((const named *)b)->name); }

static int missing_tips(const char *const *name, int n, ws_err *err) {
    ws_buf list = {0};
    char q[WS_QUOTE_MAX];
    int rc = WS_OK;
    for (int i = 0; i < n && i < 8 && !rc; i++)
        rc = ws_buf_addf(&list, err, "%s\"%s\"", i ? ", " : "", ws_quote(q, name[i], strlen(name[i])));
    if (!rc && n > 8) rc = ws_buf_addf(&list, err, " and %d more", n - 8);
    int blank = 0;
    for (int i = 0; i < n; i++) blank |= strchr(name[i], ' ') != NULL;
    if (!rc && blank) rc = ws_buf_adds(&list, " (names of the alignment end at a blank)", err);
    if (!rc)
        rc = ws_fail(err, WS_EDATA,
                     n == 1 ? "%d leaf of the tree is not in the alignment: %s"
                            : "%d leaves of the tree are not in the alignment: %s",
                     n, list.p);
    ws_buf_release(&list);
    return rc;
}

int ws_papara_tree_bind(ws_papara_tree *t, const ws_papara_msa *m, ws_err *err) {
    named *row = ws_calloc(m->n, sizeof *row, err);
    const char **missing = ws_calloc((size_t)t->ntip, sizeof *missing, err);
    int *tip_of = ws_calloc(m->n, sizeof *tip_of, err), nmissing = 0, rc = row && missing && tip_of ? WS_OK : WS_ENOMEM;
    char q[WS_QUOTE_MAX];
    for (size_t r = 0; r < m->n && !rc; r++) row[r] = (named){m->row[r].name, (int)r};
    if (!rc) qsort(row, m->n, sizeof *row, by_name);
    for (int x = 0; x < t->n && !rc; x++) {
        ws_papara_node *node = &t->node[x];
        if (node->nchild) continue;
        const named key = {node->name, 0}, *found = bsearch(&key, row, m->n, sizeof *row, by_name);
        if (!found) {
            missing[nmissing++] = node->name;
            continue;
        }
        node->row = found->index;
        if (tip_of[node->row]++)
            rc = ws_fail(err, WS_EDATA, "two leaves of the tree have the name \"%s\"",
                         ws_quote(q, node->name, strlen(node->name)));
    }
    if (!rc && nmissing) rc = missing_tips(missing, nmissing, err);
    ws_free(row);
    ws_free(missing);
    ws_free(tip_of);
    return rc;
}
