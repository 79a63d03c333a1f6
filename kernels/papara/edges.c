/* SPDX-License-Identifier: MIT
 * The vector of every edge. States are those of a virtual root in its middle by Fitch's rule. The flag CGAP is by the
 * likelihood of a chain of gaps or by the set rule of 2011. Source: specification papara.md, sections 3.3, 5 and 6.
 *
 * Sites are independent. So the code computes TILE sites for all nodes, then the next TILE, and keeps a few hundred
 * bytes for each direction. */
#include "kernels/papara/papara.h"

#include <math.h>
#include <string.h>

enum { TILE = 32 };

/* A direction: the subtree that a node sees away from one neighbour. */
typedef struct vec {
    uint32_t mask[TILE];
    uint8_t set[TILE]; /* for the set rule */
    double L0[TILE], L1[TILE];
} vec;

enum { NO_GAP, GAP, GAP_OPENED };

typedef struct build {
    const ws_papara_tree *t;
    const ws_papara_msa *m;
    const ws_papara_letters *l;
    ws_papara_edges *e;
    ws_papara_rule rule;
    int *order;     /* nodes, parents before children */
    double *p;      /* [node][4] P00 P01 P10 P11 of the branch to its parent */
    vec *up, *down; /* [node] D(node, parent), D(parent, node) */
    size_t from, n; /* first site and number of sites of the tile */
} build;

/* ---- columns ---- */

static uint32_t mask_at(const build *b, const ws_papara_node *tip, size_t site) {
    return b->l->mask[(unsigned char)b->m->row[tip->row].site[b->e->column[site]]];
}

/* Lists the columns in which some leaf has no gap state, and counts their gaps. Only '-' itself counts as a gap. */
static int columns(build *b, ws_err *err) {
    ws_papara_edges *e = b->e;
    size_t dashes = 0;
    e->column = ws_calloc(b->m->sites, sizeof *e->column, err);
    uint8_t *kept = ws_calloc(b->m->sites, 1, err);
    size_t *dash = ws_calloc(b->m->sites, sizeof *dash, err);
    int rc = e->column && kept && dash ? WS_OK : WS_ENOMEM;
    for (int x = 0; x < b->t->n && !rc; x++) {
        if (b->t->node[x].nchild) continue;
        const char *site = b->m->row[b->t->node[x].row].site;
        for (size_t i = 0; i < b->m->sites; i++) {
            kept[i] |= b->l->mask[(unsigned char)site[i]] != b->l->all;
            dash[i] += site[i] == '-';
        }
    }
    for (size_t i = 0; i < b->m->sites && !rc; i++) {
        if (!kept[i]) continue;
        e->column[e->sites++] = i;
        dashes += dash[i];
    }
    ws_free(kept);
    ws_free(dash);
    if (!rc && e->sites == 0)
        rc = ws_fail(err, WS_EDATA, "the rows of the tree's leaves have no residue in any column");
    if (!rc) e->gap_freq = (double)dashes / ((double)b->t->ntip * (double)e->sites);
    return rc;
}

/* ---- one node, one tile ---- */

static double length_of(const ws_papara_tree *t, int x) { return t->length[t->node[x].edge]; }

/* Sets the transition matrices of all branches. The chain has rate g from residue to gap and 1 - g back. */
static void transitions(const build *b) {
    const double g = b->e->gap_freq;
    for (int x = 0; x < b->t->n; x++) {
        if (x == b->t->root) continue;
        const double e = exp(-length_of(b->t, x));
        double *p = b->p + 4 * (size_t)x;
        p[0] = (1 - g) + g * e;
        p[1] = g * (1 - e);
        p[2] = (1 - g) * (1 - e);
        p[3] = g + (1 - g) * e;
    }
}

static void leaf(const build *b, int x, vec *v) {
    for (size_t i = 0; i < b->n; i++) {
        v->mask[i] = mask_at(b, &b->t->node[x], b->from + i);
        const int gap = v->mask[i] == b->l->all;
        v->set[i] = gap ? GAP : NO_GAP;
        v->L0[i] = gap ? 0 : 1;
        v->L1[i] = gap ? 1 : 0;
    }
}

static uint8_t join_sets(uint8_t x, uint8_t y, int tip) {
    if (tip) return x != NO_GAP && y != NO_GAP ? GAP : x != NO_GAP || y != NO_GAP ? GAP_OPENED : NO_GAP;
    return x == GAP && y == GAP ? GAP : x == GAP || y == GAP ? GAP_OPENED : NO_GAP;
}

/* Joins x over a branch with matrix px and y over one with py into *to. tip: one of them is a leaf. */
static void join(const build *b, vec *to, const vec *x, const double *px, const vec *y, const double *py, int tip) {
    for (size_t i = 0; i < b->n; i++) {
        const uint32_t both = x->mask[i] & y->mask[i];
        to->mask[i] = both ? both : x->mask[i] | y->mask[i];
    }
    if (b->rule == WS_PAPARA_RULE) {
        for (size_t i = 0; i < b->n; i++) to->set[i] = join_sets(x->set[i], y->set[i], tip);
        return;
    }
    for (size_t i = 0; i < b->n; i++) {
        double L0 = (px[0] * x->L0[i] + px[1] * x->L1[i]) * (py[0] * y->L0[i] + py[1] * y->L1[i]);
        double L1 = (px[2] * x->L0[i] + px[3] * x->L1[i]) * (py[2] * y->L0[i] + py[3] * y->L1[i]);
        if (fabs(L0) < 0x1p-256 && fabs(L1) < 0x1p-256) { /* scale both; only their ratio matters */
            L0 *= 0x1p256;
            L1 *= 0x1p256;
        }
        to->L0[i] = L0;
        to->L1[i] = L1;
    }
}

static int is_tip(const build *b, int x) { return b->t->node[x].nchild == 0; }
static const double *p_of(const build *b, int x) { return b->p + 4 * (size_t)x; }

static void all_up(const build *b) {
    for (int k = b->t->n; k-- > 0;) {
        const int x = b->order[k];
        const ws_papara_node *node = &b->t->node[x];
        if (x == b->t->root) continue;
        if (!node->nchild) {
            leaf(b, x, &b->up[x]);
            continue;
        }
        const int l = node->child[0], r = node->child[1];
        join(b, &b->up[x], &b->up[l], p_of(b, l), &b->up[r], p_of(b, r), is_tip(b, l) || is_tip(b, r));
    }
}

/* Handles a root of two children, which is no node of the unrooted tree. Each child is the other's neighbour, over
 * the joined branch. */
static void below_root(const build *b, int x) {
    const ws_papara_node *root = &b->t->node[b->t->root];
    int other[2], n = 0;
    for (int c = 0; c < root->nchild; c++)
        if (root->child[c] != x) other[n++] = root->child[c];
    if (n == 1) b->down[x] = b->up[other[0]];
    else
        join(b, &b->down[x], &b->up[other[0]], p_of(b, other[0]), &b->up[other[1]], p_of(b, other[1]),
             is_tip(b, other[0]) || is_tip(b, other[1]));
}

/* Returns 1 if a leaf lies behind down[x], which happens only beside a root of two children. */
static int down_is_tip(const build *b, int x) {
    const ws_papara_node *root = &b->t->node[b->t->root];
    if (b->t->node[x].parent != b->t->root || root->nchild == 3) return 0;
    return is_tip(b, root->child[0] == x ? root->child[1] : root->child[0]);
}

static void all_down(const build *b) {
    for (int k = 1; k < b->t->n; k++) {
        const int x = b->order[k], parent = b->t->node[x].parent;
        if (parent == b->t->root) {
            below_root(b, x);
            continue;
        }
        const ws_papara_node *p = &b->t->node[parent];
        const int sister = p->child[0] == x ? p->child[1] : p->child[0];
        join(b, &b->down[x], &b->down[parent], p_of(b, parent), &b->up[sister], p_of(b, sister),
             down_is_tip(b, parent) || is_tip(b, sister));
    }
}

static void put(ws_papara_edges *e, size_t edge, size_t site, uint32_t mask, int cgap) {
    uint64_t *word = e->bit + ((edge / WS_PAPARA_GROUP) * e->sites + site) * ((size_t)e->nstate + 1);
    const uint64_t bit = UINT64_C(1) << edge % WS_PAPARA_GROUP;
    for (; mask; mask &= mask - 1) word[__builtin_ctz(mask)] |= bit;
    if (cgap) word[e->nstate] |= bit;
}

static void all_edges(const build *b) {
    vec root;
    for (int k = 0; k < b->t->nedge; k++) {
        const int x = b->t->top[k];
        join(b, &root, &b->up[x], p_of(b, x), &b->down[x], p_of(b, x), is_tip(b, x) || down_is_tip(b, x));
        for (size_t i = 0; i < b->n; i++)
            put(b->e, (size_t)k, b->from + i, root.mask[i],
                b->rule == WS_PAPARA_RULE ? root.set[i] == GAP : root.L0[i] < root.L1[i]);
    }
}

/* Lists the nodes, parents before children. */
static void make_order(build *b) {
    int n = 0;
    b->order[n++] = b->t->root;
    for (int k = 0; k < n; k++)
        for (int c = 0; c < b->t->node[b->order[k]].nchild; c++) b->order[n++] = b->t->node[b->order[k]].child[c];
}

int ws_papara_edges_make(ws_papara_edges *e, const ws_papara_tree *t, const ws_papara_msa *m,
                         const ws_papara_letters *l, ws_papara_rule rule, ws_err *err) {
    build b = {.t = t, .m = m, .l = l, .e = e, .rule = rule};
    const size_t nodes = (size_t)t->n;
    *e = (ws_papara_edges){.nstate = l->nstate, .nedge = (size_t)t->nedge};
    e->ngroup = (e->nedge + WS_PAPARA_GROUP - 1) / WS_PAPARA_GROUP;
    int rc = columns(&b, err);
    if (!rc) {
        e->bit = ws_calloc(e->ngroup * ((size_t)e->nstate + 1), e->sites * sizeof *e->bit, err);
        b.order = ws_calloc(nodes, sizeof *b.order, err);
        b.p = ws_calloc(4 * nodes, sizeof *b.p, err);
        b.up = ws_calloc(nodes, sizeof *b.up, err);
        b.down = ws_calloc(nodes, sizeof *b.down, err);
        rc = e->bit && b.order && b.p && b.up && b.down ? WS_OK : WS_ENOMEM;
    }
    if (!rc) {
        make_order(&b);
        transitions(&b);
        for (b.from = 0; b.from < e->sites; b.from += TILE) {
            b.n = ws_min(TILE, e->sites - b.from);
            all_up(&b);
            all_down(&b);
            all_edges(&b);
        }
    }
    ws_free(b.order);
    ws_free(b.p);
    ws_free(b.up);
    ws_free(b.down);
    if (rc) ws_papara_edges_release(e);
    return rc;
}

void ws_papara_edges_release(ws_papara_edges *e) {
    ws_free(e->column);
    ws_free(e->bit);
    *e = (ws_papara_edges){0};
}

void ws_papara_edges_get(const ws_papara_edges *e, size_t edge, uint32_t *cell) {
    const uint64_t *word = e->bit + (edge / WS_PAPARA_GROUP) * e->sites * ((size_t)e->nstate + 1);
    for (size_t i = 0; i < e->sites; i++, word += e->nstate + 1) {
        cell[i] = 0;
        for (int s = 0; s < e->nstate; s++) cell[i] |= (uint32_t)(word[s] >> edge % WS_PAPARA_GROUP & 1) << s;
        if (word[e->nstate] >> edge % WS_PAPARA_GROUP & 1) cell[i] |= WS_PAPARA_CGAP;
    }
}
