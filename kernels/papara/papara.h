/* SPDX-License-Identifier: MIT
 * Phylogeny-aware scores of reads against every branch of a tree: data structures shared by the files of this folder.
 *
 *   letters.c  characters -> state masks         newick.c  text -> nodes           msa.c    alignment files -> rows
 *   tree.c     nodes -> edges and their numbers  edges.c   edges -> masks, flags
 *   ref.c      scores, the definition            simd.inc.h scores in vectors      trace.c  the path of one pair
 *   align.c, jplace.c, rows.c   outputs          options.c, tool.c   the program
 *
 * Source of the arithmetic: specification papara.md. */
#ifndef WS_PAPARA_H
#define WS_PAPARA_H

#include "lib/run/job.h"

/* ---- letters.c ---- */

typedef struct ws_papara_letters {
    ws_abc abc;         /* of the reads; '-' and '?' have the code of a gap */
    int nstate;         /* 4 or 20 */
    uint32_t all;       /* the mask of a gap: every state */
    uint32_t mask[256]; /* of a character of the alignment; 0: not allowed there */
    uint32_t read_mask[WS_KP_MAX + 3]; /* of a code of a read; 0: left out of the read, as gaps are */
} ws_papara_letters;

/* The tables of DNA or proteins; nothing to release. as_papara: reads lose what papara 2.5 deletes from them (lower case, U, N, X and
 * others). Specification 3.2 and 4. */
void ws_papara_letters_set(ws_papara_letters *l, int protein, int as_papara);
/* The letter of a mask that the alphabet has a letter for. */
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

/* PHYLIP (sequential, interleaved, relaxed) or FASTA, told apart by content, plain or gzip. WS_EDATA names file and line; a failure
 * leaves nothing to release. */
int ws_papara_msa_read(ws_papara_msa *m, const char *path, ws_err *err);
/* The same from text; path is for messages. */
int ws_papara_msa_parse(ws_papara_msa *m, const char *path, const char *text, size_t n, ws_err *err);
void ws_papara_msa_release(ws_papara_msa *m);
/* 1 if the letters look like amino acids: at least one of twenty is one that DNA has not. */
int ws_papara_msa_is_protein(const ws_papara_msa *m);

/* ---- newick.c ---- */

enum { WS_PAPARA_NONE = -1 };

typedef struct ws_papara_node {
    int parent, child[3], nchild; /* WS_PAPARA_NONE where there is none; the root has 2 or 3 children, others 2 or 0 */
    double length;                /* to the parent, as written; 1 if missing */
    const char *name;             /* of a tip */
    int edge;                     /* number of the branch to the parent (tree.c) */
    int row;                      /* of a tip: its row of the alignment */
} ws_papara_node;

typedef struct ws_papara_tree {
    ws_papara_node *node;
    int n, root, ntip;
    char *names;
    int missing, not_positive; /* how many lengths were not given, or were 0 or below */

    /* tree.c: the unrooted tree */
    int nedge;
    int *top;       /* [nedge] the node below edge e; of a rooted tree's edge 0 the first child of the root */
    double *length; /* [nedge], all above 0 */
    int *jplace;    /* [nedge] number in postorder of the tree as ws_papara_tree_write writes it */
} ws_papara_tree;

/* A Newick tree, its edges numbered. resolve: nodes of more than two children become several that are 1e-6 apart; else they are an
 * error. WS_EDATA names file, line and byte; a failure leaves nothing to release. */
int ws_papara_tree_read(ws_papara_tree *t, const char *path, int resolve, ws_err *err);
/* The same from text; path is for messages. */
int ws_papara_tree_parse(ws_papara_tree *t, const char *path, const char *text, size_t n, int resolve, ws_err *err);
void ws_papara_tree_release(ws_papara_tree *t);

/* ---- tree.c ---- */

/* Numbers the edges (specification 2.3): fills top, length and jplace. ws_papara_tree_parse does it. */
int ws_papara_tree_number(ws_papara_tree *t, ws_err *err);
/* Finds the row of every tip; WS_EDATA names the tips that have none, and rows or tips of one name. */
int ws_papara_tree_bind(ws_papara_tree *t, const ws_papara_msa *m, ws_err *err);
/* Appends the unrooted tree with {n} behind each length: our numbers, or with jplace postorder. No newline. */
int ws_papara_tree_write(const ws_papara_tree *t, int jplace, ws_buf *out, ws_err *err);

/* ---- edges.c ---- */

typedef enum ws_papara_rule { WS_PAPARA_LIKELIHOOD, WS_PAPARA_RULE } ws_papara_rule;

/* What reads are scored against. Edges go in groups of 64. Of each group and site there are nstate + 1 words: bit e of
 * word s says that edge e of the group may have state s, bit e of word nstate that a gap is expected there (CGAP).
 * Places of the last group behind the last edge are 0. */
enum { WS_PAPARA_GROUP = 64 };
typedef struct ws_papara_edges {
    int nstate;
    size_t nedge, ngroup, sites;
    size_t *column; /* [sites] of the alignment: columns of gaps alone are left out */
    double gap_freq;
    uint64_t *bit; /* [(group * sites + site) * (nstate + 1) + state] */
} ws_papara_edges;
#define WS_PAPARA_CGAP (UINT32_C(1) << 31)

/* The vector of every edge (specification 3.3, 5 and 6) of a tree whose tips are bound to rows of m. WS_EDATA if no column has a residue;
 * a failure leaves nothing to release. */
int ws_papara_edges_make(ws_papara_edges *e, const ws_papara_tree *t, const ws_papara_msa *m,
                         const ws_papara_letters *l, ws_papara_rule rule, ws_err *err);
void ws_papara_edges_release(ws_papara_edges *e);
/* One edge, cell[0 .. sites): its mask, and WS_PAPARA_CGAP. */
void ws_papara_edges_get(const ws_papara_edges *e, size_t edge, uint32_t *cell);

/* ---- costs ---- */

typedef enum ws_papara_model { WS_PAPARA_2, WS_PAPARA_EQ1 } ws_papara_model;

/* Both models as costs >= 0 that are to be small (specification 7.1 and 8). */
typedef struct ws_papara_scheme {
    ws_papara_model model;
    int32_t match;                /* R: score = match * residues - cost; 0 in eq1, where the cost is the result */
    int32_t mismatch, cgap;       /* residue on a site that differs; more on a CGAP site */
    int32_t del_open, del_extend; /* site without residue, not CGAP: the first, each further one */
    int32_t ins_open, ins_extend; /* residue without site */
} ws_papara_scheme;

/* From --parameters, as papara has them (-3, -1, 2, -3); eq1 has numbers of its own and ignores them. */
ws_papara_scheme ws_papara_scheme_of(ws_papara_model model, int open, int extend, int match, int match_cgap);

/* ---- scores ---- */

enum { WS_PAPARA_TOP = 8 };

/* The best edges of a read, in the order of cost, then of number. */
typedef struct ws_papara_score {
    uint32_t len;    /* residues that were scored */
    uint32_t tied;   /* edges as good as the best; 0: not scored */
    int32_t reverse; /* the other strand is the better one */
    int32_t ntop;
    uint32_t edge[WS_PAPARA_TOP];
    int64_t cost[WS_PAPARA_TOP];
} ws_papara_score;

/* The score that people see of a cost. */
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
    int exact_all; /* every cost is wanted, not only the best ones: for --all-edges */
    int deferred;  /* the outputs score by themselves (rows.c): the stage before them has nothing to do */
} ws_papara_ref;

/* Residues of a read as masks: what is left of codes[0..n) is written to mask, which has room for n; returns how many.
 */
size_t ws_papara_residues(const ws_papara_letters *l, const uint8_t *code, size_t n, uint32_t *mask);
/* The other strand of DNA: reversed, complemented. */
void ws_papara_reverse(uint32_t *mask, size_t m);

/* A read on its way through a kernel; room: ws_papara_room(m) bytes for the kernel's own use. */
typedef struct ws_papara_read {
    const ws_papara_ref *ref;
    uint32_t *mask; /* [m], m >= 1 */
    size_t m;
    int64_t *cost; /* [nedge], the result; WS_PAPARA_FAR: higher than the best two, how much was not worked out */
    void *room;
} ws_papara_read;
#define WS_PAPARA_FAR INT64_MAX

/* All edges. Without ref->exact_all costs may be FAR as long as two others are not. */
typedef void ws_papara_cost_fn(const ws_papara_read *r);
typedef struct ws_papara_face { /* ws_backend.own: for outputs that score by themselves */
    ws_papara_cost_fn *cost;
} ws_papara_face;

/* ref.c: the cost of one pair, a read of m masks on an edge of n sites; the definition of the result. row: room for 2 * (m + 1). */
int64_t ws_papara_cost(const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask, size_t m,
                       int32_t *row);
/* Exact costs of those edges that are FAR, by ws_papara_cost. */
void ws_papara_cost_far(const ws_papara_read *r);

/* score.c: what backends on a CPU share. Bytes that a kernel needs for a read of m residues. */
size_t ws_papara_room(const ws_papara_ref *ref, size_t m);
/* The residues of a read and memory for its costs in the lane's scratch. r->m = 0: nothing to score; that is also so
 * where the model has no score (eq1, reads not shorter than the reference). */
int ws_papara_read_begin(ws_papara_read *r, const ws_papara_ref *ref, const uint8_t *code, size_t n, ws_lane *lane,
                         ws_err *err);
/* Scores both strands if asked for and ranks; r->cost and r->mask are then of the better one. */
void ws_papara_read_score(ws_papara_read *r, ws_papara_cost_fn *fn, ws_papara_score *score);
/* Fills the ranking of *s from n costs: best first, smaller numbers first. */
void ws_papara_rank(const int64_t *cost, size_t n, ws_papara_score *s);
/* ws_backend.prepare and release of a CPU, which takes the target's ws_papara_ref as it is. */
int ws_papara_prepare(const ws_target *t, void **prep, ws_err *err);
void ws_papara_release(void *prep);
/* ws_backend.score by fn: a ws_papara_score for each item. */
int ws_papara_score_tasks(ws_papara_cost_fn *fn, const ws_batch *b, const ws_task *task, size_t ntask, ws_lane *lane,
                          ws_err *err);

extern const ws_backend ws_papara_scalar, ws_papara_avx2, ws_papara_avx512, ws_papara_cuda;

/* ---- trace.c ---- */

typedef enum ws_papara_op { WS_PAPARA_M, WS_PAPARA_D, WS_PAPARA_I } ws_papara_op;
typedef struct ws_papara_run {
    uint32_t n;
    uint32_t op; /* ws_papara_op: residue on site, site without residue, residue without site */
} ws_papara_run;
typedef struct ws_papara_path {
    ws_papara_run *run; /* all sites and residues from the first to the last */
    size_t n, cap;
} ws_papara_path;

/* The path of one pair as section 10 determines it, in p, whose memory is used again; release p->run with ws_free. WS_ENOMEM is the
 * only failure. */
int ws_papara_trace(ws_papara_path *p, const ws_papara_scheme *s, const uint32_t *cell, size_t n, const uint32_t *mask,
                    size_t m, ws_err *err);

#endif
