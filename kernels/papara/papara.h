/* SPDX-License-Identifier: MIT
 * Phylogeny-aware scores of reads against every branch of a tree: data structures shared by the files of this folder.
 *
 *   letters.c  characters -> state masks
 *   tree.c     nodes -> edges and their numbers
 *   edges.c    edges -> masks, flags
 *   ref.c      scores, the definition
 *   simd.c     scores in vectors
 *   trace.c    the path of one pair
 *
 * bin/papara has the files of trees and alignments (newick.c, msa.c) and the outputs (align.c, jplace.c, rows.c).
 *
 * Source of the arithmetic: specification papara.md. */
#ifndef WS_PAPARA_H
#define WS_PAPARA_H

#include "lib/scan/scan.h"

/* ---- letters.c ---- */

typedef struct ws_papara_letters {
    ws_abc abc;         /* alphabet of the reads; '-' and '?' have the code of a gap */
    int nstate;         /* 4 or 20 */
    uint32_t all;       /* the mask of a gap: every state */
    uint32_t mask[256]; /* mask of a character of the alignment; 0: not allowed */
    uint32_t read_mask[WS_KP_MAX + 3]; /* mask of a code of a read; 0: left out of the read, as gaps are */
} ws_papara_letters;

/* Fills the tables for DNA or proteins; nothing to release. as_papara: reads lose the letters that papara 2.5
 * deletes (lower case, U, N, X and others). Source: sections 3.2 and 4. */
void ws_papara_letters_set(ws_papara_letters *l, int protein, int as_papara);
/* Returns the letter of a mask; the alphabet must have one. */
char ws_papara_letter_of(const ws_papara_letters *l, uint32_t mask);

/* ---- msa.c ---- */

typedef struct ws_papara_row {
    const char *name; /* in ws_papara_msa.names */
    char *site;       /* as in the file, without white space; NUL-terminated */
} ws_papara_row;

typedef struct ws_papara_msa {
    ws_papara_row *row;
    size_t n, sites;
    char *names, *sites_of_all;
} ws_papara_msa;

/* Reads an alignment, PHYLIP (sequential, interleaved, relaxed) or FASTA by its content, plain or gzip. Returns
 * WS_EDATA with file and line, WS_EIO or WS_ENOMEM; a failure leaves nothing to release. */
int ws_papara_msa_read(ws_papara_msa *m, const char *path, ws_err *err);
void ws_papara_msa_release(ws_papara_msa *m);
/* Returns 1 if the letters look like amino acids: at least one in twenty is not a letter of DNA. */
int ws_papara_msa_is_protein(const ws_papara_msa *m);

/* ---- newick.c ---- */

enum { WS_PAPARA_NONE = -1 };

typedef struct ws_papara_node {
    int parent, child[3], nchild; /* WS_PAPARA_NONE: none; the root has 2 or 3 children, other nodes 2 or 0 */
    double length;                /* of the branch to the parent, as written; 1 if missing */
    const char *name;             /* name of a tip */
    int edge;                     /* number of the branch to the parent (tree.c) */
    int row;                      /* row of a tip in the alignment */
} ws_papara_node;

typedef struct ws_papara_tree {
    ws_papara_node *node;
    int n, root, ntip;
    char *names;
    int missing, not_positive; /* number of missing lengths, and of lengths of 0 or below */

    /* set by tree.c: the unrooted tree */
    int nedge;
    int *top;       /* [nedge] the node below edge e; for edge 0 of a rooted tree, the first child of the root */
    double *length; /* [nedge] lengths, all above 0 */
    int *jplace;    /* [nedge] number in the postorder of the tree that ws_papara_tree_write writes */
} ws_papara_tree;

/* Reads a Newick tree and numbers its edges. resolve: nodes of more than two children become several nodes 1e-6 apart.
 * Without it they are an error. Returns WS_EDATA with file, line and byte, WS_EIO or WS_ENOMEM; a failure leaves
 * nothing to release. */
int ws_papara_tree_read(ws_papara_tree *t, const char *path, int resolve, ws_err *err);
/* Does the same from text; path is for messages. */
int ws_papara_tree_parse(ws_papara_tree *t, const char *path, const char *text, size_t n, int resolve, ws_err *err);
void ws_papara_tree_release(ws_papara_tree *t);

/* ---- tree.c ---- */

/* Numbers the edges (section 2.3): fills top, length and jplace. ws_papara_tree_parse calls it. Returns WS_ENOMEM on
 * failure. */
int ws_papara_tree_number(ws_papara_tree *t, ws_err *err);
/* Finds the row of every tip. Returns WS_EDATA and names tips without a row, or rows or tips of equal name. */
int ws_papara_tree_bind(ws_papara_tree *t, const ws_papara_msa *m, ws_err *err);
/* Appends the unrooted tree, with {n} after each length: the edge numbers of the table, or with jplace those of
 * postorder. Adds no newline. */
int ws_papara_tree_write(const ws_papara_tree *t, int jplace, ws_buf *out, ws_err *err);

/* ---- edges.c ---- */

typedef enum ws_papara_rule { WS_PAPARA_LIKELIHOOD, WS_PAPARA_RULE } ws_papara_rule;

/* The vectors of all edges. 64 edges share words, nstate + 1 of them at each site. Bit e of word s says that edge e of
 * the 64 may have state s; bit e of word nstate that a gap is expected there (CGAP). Bits beyond
 * the last edge are 0. */
enum { WS_PAPARA_GROUP = 64 };
typedef struct ws_papara_edges {
    int nstate;
    size_t nedge, ngroup, sites;
    size_t *column; /* [sites] index in the alignment; columns without any residue are left out */
    double gap_freq;
    uint64_t *bit; /* [(edge / 64 * sites + site) * (nstate + 1) + state] */
} ws_papara_edges;
#define WS_PAPARA_CGAP (UINT32_C(1) << 31)

/* Makes the vector of every edge (sections 3.3, 5 and 6) of a tree whose tips are bound to rows of m. Returns
 * WS_EDATA if no column has a residue; a failure leaves nothing to release. */
int ws_papara_edges_make(ws_papara_edges *e, const ws_papara_tree *t, const ws_papara_msa *m,
                         const ws_papara_letters *l, ws_papara_rule rule, ws_err *err);
void ws_papara_edges_release(ws_papara_edges *e);
/* Writes the vector of one edge to cell[0 .. sites): its mask, and WS_PAPARA_CGAP. */
void ws_papara_edges_get(const ws_papara_edges *e, size_t edge, uint32_t *cell);

/* ---- costs ---- */

typedef enum ws_papara_model { WS_PAPARA_2, WS_PAPARA_EQ1 } ws_papara_model;

/* Both models as costs >= 0, of which lower is better (sections 7.1 and 8). */
typedef struct ws_papara_scheme {
    ws_papara_model model;
    int32_t match;                /* R: score = match * residues - cost; 0 in eq1, whose result is the cost */
    int32_t mismatch, cgap;       /* a residue on a site that differs; extra cost on a CGAP site */
    int32_t del_open, del_extend; /* a site without residue, not CGAP: the first, and each further one */
    int32_t ins_open, ins_extend; /* a residue without site: the first, and each further one */
} ws_papara_scheme;

/* Returns the scheme of --parameters, which are papara's (-3, -1, 2, -3). eq1 ignores them and has its own. */
ws_papara_scheme ws_papara_scheme_of(ws_papara_model model, int open, int extend, int match, int match_cgap);

/* ---- scores ---- */

enum { WS_PAPARA_TOP = 8 };

/* The best edges of a read, by cost, then by number. */
typedef struct ws_papara_score {
    uint32_t len;    /* residues scored */
    uint32_t tied;   /* number of edges with the best score; 0: the read was not scored */
    int32_t reverse; /* 1: the other strand scores better */
    int32_t ntop;
    uint32_t edge[WS_PAPARA_TOP];
    int64_t cost[WS_PAPARA_TOP];
} ws_papara_score;

/* Returns the score to print for a cost. */
static inline int64_t ws_papara_result(const ws_papara_scheme *s, uint32_t len, int64_t cost) {
    return s->model == WS_PAPARA_2 ? (int64_t)s->match * len - cost : cost;
}

/* ---- the target ---- */

typedef struct ws_papara_ref {
    ws_papara_msa msa;
    ws_papara_tree tree;
    ws_papara_letters letters;
    ws_papara_edges edges;
    ws_papara_scheme scheme;
    int both_strands;
    int exact_all; /* compute every cost exactly, for --all-edges */
    int deferred;  /* the outputs compute scores themselves (rows.c), so the work on a batch does nothing */
} ws_papara_ref;

/* Writes the masks of the residues that remain of codes[0..n) to mask, which has room for n. Returns their number. */
size_t ws_papara_residues(const ws_papara_letters *l, const uint8_t *code, size_t n, uint32_t *mask);
/* Replaces a strand of DNA by its reverse complement. */
void ws_papara_reverse(uint32_t *mask, size_t m);

/* A read in a kernel. room: scratch for the kernel, made by ws_papara_read_begin. */
typedef struct ws_papara_read {
    const ws_papara_ref *ref;
    uint32_t *mask; /* [m], m >= 1 */
    size_t m;
    int64_t *cost; /* [nedge], the result; WS_PAPARA_FAR: higher than the best two, but not computed exactly */
    void *room;
} ws_papara_read;
#define WS_PAPARA_FAR INT64_MAX

/* Computes the costs of all edges. Without ref->exact_all a cost may be FAR if at least two are not. */
typedef void ws_papara_cost_fn(const ws_papara_read *r);
typedef struct ws_papara_face { /* ws_backend.own of a CPU backend, for outputs that compute scores themselves */
    ws_papara_cost_fn *cost;
} ws_papara_face;

/* Returns the cost of one pair: a read of m masks on an edge of n sites. This is the definition of the result
 * (ref.c). row: room for 2 * (m + 1). */
int64_t ws_papara_cost(const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask, size_t m,
                       int32_t *row);
/* Replaces each FAR cost by the exact one of ws_papara_cost. */
void ws_papara_cost_far(const ws_papara_read *r);

/* ---- what CPU backends share: score.c ---- */

/* Fills *r with the residues of a read, and with memory for its costs in the scratch. r->m = 0: nothing to score. That
 * is so, too, where the model has no score (eq1, reads not shorter than the reference). Returns WS_ENOMEM on
 * failure. */
int ws_papara_read_begin(ws_papara_read *r, const ws_papara_ref *ref, const uint8_t *code, size_t n, ws_buf *scratch,
                         ws_err *err);
/* Scores one strand, or both if asked for, and ranks the edges. r->cost and r->mask are then of the better strand. */
void ws_papara_read_score(ws_papara_read *r, ws_papara_cost_fn *fn, ws_papara_score *score);
/* Fills the ranking of *s from n costs, best first; equal costs by number. */
void ws_papara_rank(const int64_t *cost, size_t n, ws_papara_score *s);
/* Implement ws_backend.prepare and release on a CPU. *prep is the target's ws_papara_ref itself. */
int ws_papara_prepare(const ws_backend *self, const ws_target *t, void **prep, ws_err *err);
void ws_papara_release(void *prep);
/* Implements ws_backend.score by fn: a ws_papara_score for each item. */
int ws_papara_score_tasks(ws_papara_cost_fn *fn, const ws_seqs *seqs, const ws_task *task, size_t ntask,
                          ws_buf *scratch, ws_err *err);

WS_DECLARE_WIDTHS(ws_backend, ws_papara_);
extern const ws_backend ws_papara_cuda;
/* Returns the cost function of the best width that runs here. */
static inline ws_papara_cost_fn *ws_papara_cost_best(const ws_cpu *cpu) {
    static const ws_backend *const by_width[] = {WS_BY_WIDTH(ws_papara_)};
    return ((const ws_papara_face *)by_width[ws_cpu_best(cpu)]->own)->cost;
}

/* ---- trace.c ---- */

typedef enum ws_papara_op { WS_PAPARA_M, WS_PAPARA_D, WS_PAPARA_I } ws_papara_op;
typedef struct ws_papara_run {
    uint32_t n;
    uint32_t op; /* ws_papara_op: residue on site, site without residue, or residue without site */
} ws_papara_run;
typedef struct ws_papara_path {
    ws_papara_run *run; /* runs over all sites and residues, from the first to the last */
    size_t n, cap;
} ws_papara_path;

/* Finds the path of one pair by the rules of section 10. p's memory is reused; the caller frees p->run with ws_free.
 * Returns WS_ENOMEM on failure. */
int ws_papara_trace(ws_papara_path *p, const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask,
                    size_t m, ws_err *err);

#endif
