/* SPDX-License-Identifier: MIT
 * Pairs of rows: weights by the branches of a tree (GSC) and by clusters (BLOSUM), and how many clusters
 * there are. Section 6.3 of build.md. */
#include "kernels/cast/align.h"
#include "lib/base/parallel_for.h"
#include "lib/msa/digital.h"

void ws_build_norm_weights(double *weight, size_t n) {
    double sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        const double y = weight[i] - lost, next = sum + y;
        lost = (next - sum) - y;
        sum = next;
    }
    for (size_t i = 0; i < n; i++) weight[i] = sum != 0 ? weight[i] / sum : 1.0 / (double)n;
    for (size_t i = 0; i < n; i++) weight[i] *= (double)n;
}

/* Returns the identity of two rows with so many residues: of the columns where both have a residue, and the same. */
static double identity_of(const ws_msa *m, const size_t *residues, size_t i, size_t j) {
    const uint8_t *x = ws_msa_row(m, i), *y = ws_msa_row(m, j);
    const uint8_t K = (uint8_t)m->abc->K, end = (uint8_t)(m->abc->Kp - 2);
    const size_t least = ws_min(residues[i], residues[j]);
    size_t same = 0;
    for (size_t c = 0; c < m->columns;) {
        uint8_t some = 0; /* of at most 255 columns, so that registers hold many of them */
        for (const size_t stop = ws_min(m->columns, c + 255); c < stop; c++)
            some += (uint8_t)((x[c] == y[c]) & (x[c] != K) & (x[c] < end));
        same += some;
    }
    return least == 0 ? 0.0 : (double)same / (double)least;
}

static size_t *count_residues(const ws_msa *m, ws_err *err) {
    size_t *n = ws_alloc(m->rows * sizeof *n, err);
    for (size_t i = 0; n && i < m->rows; i++) n[i] = ws_msa_extent_of(m, i).n;
    return n;
}

/* ---- clusters ---- */

/* Sets cluster[i] of each row, from 0; *n is their number. Rows not yet reached stand in `left`. */
static int link_rows(const ws_msa *m, double identity, int32_t *cluster, int32_t *n, ws_err *err) {
    size_t *residues = count_residues(m, err), *left = residues ? ws_alloc(m->rows * sizeof *left, err) : NULL;
    size_t *reached = left ? ws_alloc(m->rows * sizeof *reached, err) : NULL, nleft = m->rows, nreached = 0;
    *n = 0;
    for (size_t i = 0; reached && i < m->rows; i++) left[i] = i;
    while (reached && (nleft > 0 || nreached > 0)) {
        if (nreached == 0) {
            reached[nreached++] = left[--nleft];
            (*n)++;
        }
        const size_t i = reached[--nreached];
        cluster[i] = *n - 1;
        for (size_t j = 0; j < nleft;) {
            if (identity_of(m, residues, i, left[j]) < identity) {
                j++;
                continue;
            }
            reached[nreached++] = left[j];
            left[j] = left[--nleft];
        }
    }
    const int rc = reached ? WS_OK : err->code;
    ws_free(residues);
    ws_free(left);
    ws_free(reached);
    return rc;
}

int ws_build_clusters(const ws_msa *m, double identity, int32_t *clusters, ws_err *err) {
    int32_t *cluster = ws_alloc(m->rows * sizeof *cluster, err);
    const int rc = cluster ? link_rows(m, identity, cluster, clusters, err) : err->code;
    ws_free(cluster);
    return rc;
}

int ws_build_weigh_blosum(const ws_msa *m, double identity, double *weight, ws_err *err) {
    int32_t n = 0, *cluster = ws_alloc(m->rows * sizeof *cluster, err), *members = NULL;
    int rc = cluster ? link_rows(m, identity, cluster, &n, err) : err->code;
    if (!rc && !(members = ws_calloc((size_t)n, sizeof *members, err))) rc = err->code;
    if (!rc) {
        for (size_t i = 0; i < m->rows; i++) members[cluster[i]]++;
        for (size_t i = 0; i < m->rows; i++) weight[i] = 1.0 / (double)members[cluster[i]];
        ws_build_norm_weights(weight, m->rows);
    }
    ws_free(cluster);
    ws_free(members);
    return rc;
}

/* ---- the tree ---- */

/* An inner node of the tree; children are inner nodes (> 0) or rows (<= 0, negative). */
typedef struct node {
    int64_t left, right;
    double left_length, right_length;
    double height, x;
    int64_t size;
} node;

/* Distances while clusters join: row i of the matrix is the cluster id[i] of size[i] rows. */
typedef struct joining {
    const ws_msa *m;
    size_t *residues;
    double **row;       /* [n][n] */
    int64_t *id, *size;
    node *tree;
} joining;

static int distance_row(void *ctx, size_t i, ws_err *err) {
    joining *g = ctx;
    (void)err;
    for (size_t j = 0; j < g->m->rows; j++)
        g->row[i][j] = i == j ? 0.0 : 1.0 - identity_of(g->m, g->residues, ws_min(i, j), ws_max(i, j));
    return WS_OK;
}

/* Exchanges two clusters of n. */
static void swap(joining *g, size_t a, size_t b, size_t n) {
    if (a == b) return;
    for (size_t i = 0; i < n; i++) {
        const double d = g->row[i][a];
        g->row[i][a] = g->row[i][b];
        g->row[i][b] = d;
    }
    double *row = g->row[a];
    g->row[a] = g->row[b];
    g->row[b] = row;
    const int64_t id = g->id[a], size = g->size[a];
    g->id[a] = g->id[b];
    g->id[b] = id;
    g->size[a] = g->size[b];
    g->size[b] = size;
}

/* Finds the first smallest distance in the order of rows, then columns. */
static void find_closest(const joining *g, size_t n, size_t *i, size_t *j) {
    *i = 0;
    *j = 1;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (g->row[a][b] < g->row[*i][*j]) *i = a, *j = b;
}

static double length_of(const joining *g, int64_t child, double height) {
    const double length = child > 0 ? height - g->tree[child].height : height;
    return length > 0 ? length : 0.0;
}

/* Joins the two closest of n clusters into node n - 2. */
static void join(joining *g, size_t n) {
    size_t i, j;
    find_closest(g, n, &i, &j);
    const double height = g->row[i][j] / 2.0;
    node *v = &g->tree[n - 2];
    *v = (node){.left = g->id[i], .right = g->id[j], .height = height, .size = g->size[i] + g->size[j],
                .left_length = length_of(g, g->id[i], height), .right_length = length_of(g, g->id[j], height)};
    swap(g, j, n - 1, n);
    swap(g, i, n - 2, n);
    i = n - 2;
    j = n - 1;
    for (size_t c = 0; c < n; c++) {
        g->row[i][c] = ((double)g->size[i] * g->row[i][c] + (double)g->size[j] * g->row[j][c]) / (double)v->size;
        g->row[c][i] = g->row[i][c];
    }
    g->size[i] = v->size;
    g->id[i] = (int64_t)n - 2;
}

/* Gives a child what came down to it. */
static void hand_down(node *tree, double *weight, int64_t child, double w) {
    if (child > 0) tree[child].x = w;
    else weight[-child] = w;
}

/* Shares the branch lengths among the rows below them. */
static void share_lengths(node *tree, size_t rows, double *weight) {
    for (size_t i = rows - 1; i-- > 0;) {
        node *v = &tree[i];
        v->x = v->left_length + v->right_length;
        if (v->left > 0) v->x += tree[v->left].x;
        if (v->right > 0) v->x += tree[v->right].x;
    }
    tree[0].x = 0;
    for (size_t i = 0; i + 1 < rows; i++) {
        const node *v = &tree[i];
        const double lw = v->left > 0 ? v->left_length + tree[v->left].x : v->left_length;
        const double rw = v->right > 0 ? v->right_length + tree[v->right].x : v->right_length;
        double lx = v->x * lw / (lw + rw), rx = v->x * rw / (lw + rw);
        if (lw + rw == 0.0) {
            const double size = (double)v->size;
            lx = v->left > 0 ? v->x * ((double)tree[v->left].size / size) : v->x / size;
            rx = v->right > 0 ? v->x * ((double)tree[v->right].size / size) : v->x / size;
        }
        hand_down(tree, weight, v->left, lx + v->left_length);
        hand_down(tree, weight, v->right, rx + v->right_length);
    }
}

static int open_joining(joining *g, double **cells, ws_err *err) {
    const size_t n = g->m->rows;
    if (!(g->residues = count_residues(g->m, err))) return err->code;
    if (n > SIZE_MAX / sizeof **cells / n) return ws_fail_nomem(err, SIZE_MAX);
    if (!(*cells = ws_alloc(n * n * sizeof **cells, err))) return err->code;
    if (!(g->row = ws_calloc(n, sizeof *g->row, err))) return err->code;
    if (!(g->id = ws_calloc(2 * n, sizeof *g->id, err))) return err->code;
    if (!(g->tree = ws_calloc(n, sizeof *g->tree, err))) return err->code;
    g->size = g->id + n;
    for (size_t i = 0; i < n; i++) {
        g->row[i] = *cells + i * n;
        g->id[i] = -(int64_t)i;
        g->size[i] = 1;
    }
    return WS_OK;
}

int ws_build_weigh_gsc(const ws_msa *m, int threads, double *weight, ws_err *err) {
    joining g = {.m = m};
    double *cells = NULL;
    int rc = open_joining(&g, &cells, err);
    if (!rc) rc = ws_parallel_for(m->rows, threads, distance_row, &g, err);
    for (size_t left = m->rows; !rc && left >= 2; left--) join(&g, left);
    if (!rc) {
        share_lengths(g.tree, m->rows, weight);
        ws_build_norm_weights(weight, m->rows);
    }
    ws_free(g.residues);
    ws_free(cells);
    ws_free(g.row);
    ws_free(g.id);
    ws_free(g.tree);
    return rc;
}
