/* SPDX-License-Identifier: MIT
 * Pair-HMM forward likelihoods of reads against haplotypes: what the parsers hand to the planner, the planner to the
 * backends, and the backends back. README.md has the recurrence and the canonical order of operations. */
#ifndef WS_PAIRHMM_H
#define WS_PAIRHMM_H

#include "lib/run/tool.h"

/* ---- input ---- */

/* A read: five strings of m characters in the input's text. Letters of any case; qualities as characters, Phred + 33.
 */
typedef struct ws_pairhmm_read {
    const uint8_t *base, *q, *ins, *del, *gcp;
    uint32_t m;
} ws_pairhmm_read;

typedef struct ws_pairhmm_hap {
    const uint8_t *base;
    uint32_t n;
} ws_pairhmm_hap;

/* Reads [read, read + R) against haplotypes [hap, hap + H) of a ws_pairhmm_text. */
typedef struct ws_pairhmm_region {
    uint64_t number; /* batch: counted from 0 over the whole input */
    uint64_t first;  /* number of its first read, not 0 where a large region was cut */
    uint64_t all;    /* reads of the whole region */
    size_t read, hap, R, H;
    size_t pair; /* its first result; reads outer, haplotypes inner */
} ws_pairhmm_region;

/* A parsed piece of input. Zero-initialise; release with ws_pairhmm_text_release. */
typedef struct ws_pairhmm_text {
    ws_pairhmm_read *read;
    ws_pairhmm_hap *hap;
    ws_pairhmm_region *region;
    size_t nread, nhap, nregion, npair;
    const char *from; /* the text that reads and haplotypes point into, and its size */
    size_t size;
    size_t read_cap, hap_cap, region_cap;
} ws_pairhmm_text;

/* Empties it and keeps its memory for the next piece. */
void ws_pairhmm_text_reset(ws_pairhmm_text *t);
void ws_pairhmm_text_release(ws_pairhmm_text *t);

/* Whether all five strings of two reads are equal, byte by byte. */
int ws_pairhmm_same_read(const ws_pairhmm_read *a, const ws_pairhmm_read *b);

typedef enum ws_pairhmm_format { WS_PAIRHMM_NONE, WS_PAIRHMM_BATCH, WS_PAIRHMM_RESULTS } ws_pairhmm_format;

/* Where a piece stands in the input: for messages and numbers. */
typedef struct ws_pairhmm_place {
    const char *name;    /* of the input */
    uint64_t line;       /* of the first byte, counted from 1 */
    uint64_t number;     /* of the first region or pair, counted from 0 */
    uint64_t first, all; /* a part of a large region: its first read, and how many the region has; 0 otherwise */
} ws_pairhmm_place;

/* Parse a piece of whole regions (batch.c) or records (results.c) into t, which points into p afterwards. On failure
 * (WS_EDATA, with line and column) the regions before it are in t, whole. */
int ws_pairhmm_parse_batches(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_place *at, ws_err *err);
int ws_pairhmm_parse_results(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_place *at, ws_err *err);

/* One line of it, without its end (LF, CR LF); field.c. */
typedef struct ws_pairhmm_line {
    const char *p, *end;
    uint64_t number;
    const char *name; /* of the input */
} ws_pairhmm_line;
/* The next line of [*p, end) into *l, whose number goes up by one; 0 at the end. */
int ws_pairhmm_next_line(ws_pairhmm_line *l, const char **p, const char *end);
int ws_pairhmm_blank(const ws_pairhmm_line *l);
/* "NAME: line L, column C: " and the sentence; `at` points into the line, NULL: no column. Returns WS_EDATA. */
int ws_pairhmm_fail(ws_err *err, const ws_pairhmm_line *l, const char *at, const char *fmt, ...) WS_PRINTF(4, 5);

typedef struct ws_pairhmm_field {
    const char *p;
    size_t n;
} ws_pairhmm_field;
/* Splits a line at blanks into at most max fields; returns how many there are, also beyond max. */
size_t ws_pairhmm_split(const ws_pairhmm_line *l, ws_pairhmm_field *f, size_t max);
/* A read of five fields, a haplotype of one: characters and lengths are checked. */
int ws_pairhmm_read_of(ws_pairhmm_read *r, const ws_pairhmm_line *l, const ws_pairhmm_field f[5], ws_err *err);
int ws_pairhmm_hap_of(ws_pairhmm_hap *h, const ws_pairhmm_line *l, const ws_pairhmm_field *f, ws_err *err);

/* The counts of a "R H" line. */
int ws_pairhmm_header(const ws_pairhmm_line *l, uint64_t *R, uint64_t *H, ws_err *err);

/* Room for one more; NULL and a sentence on failure. */
ws_pairhmm_read *ws_pairhmm_add_read(ws_pairhmm_text *t, ws_err *err);
ws_pairhmm_hap *ws_pairhmm_add_hap(ws_pairhmm_text *t, ws_err *err);
ws_pairhmm_region *ws_pairhmm_add_region(ws_pairhmm_text *t, ws_err *err);

/* ---- constants of a row (tables.c) ---- */

enum { WS_PAIRHMM_QUALS = 94 };

typedef struct ws_pairhmm_quals {
    double e[WS_PAIRHMM_QUALS], over_e[WS_PAIRHMM_QUALS];         /* 10^(-q/10) and 10^(q/10) */
    double match[WS_PAIRHMM_QUALS], over_match[WS_PAIRHMM_QUALS]; /* 1 - e, and its inverse, 0 where that is infinite */
} ws_pairhmm_quals;

/* Without libm, so that the numbers are the same on every machine; nothing to release. */
void ws_pairhmm_quals_make(ws_pairhmm_quals *t);

/* Of row i, all that its cells need; the order in which they lie in memory. */
enum {
    WS_PAIRHMM_MATCH,    /* (1 - e(Q)) alpha */
    WS_PAIRHMM_MISMATCH, /* e(Q)/3 alpha */
    WS_PAIRHMM_EPS,      /* D of this row to D of this row */
    WS_PAIRHMM_DY,       /* D of this row to M of the next */
    WS_PAIRHMM_IY,       /* I of this row to M of the next */
    WS_PAIRHMM_II,       /* I of this row to I of the next */
    WS_PAIRHMM_LEAST,    /* added to every M: keeps all that is not 0 out of the subnormal numbers */
    WS_PAIRHMM_NVALUE
};

/* What belongs to a read as a whole. */
typedef struct ws_pairhmm_begin {
    double y0;         /* Y of row 0 */
    double correction; /* sum of the relative errors of rounding the match emissions to single precision */
    int clamped;       /* an alpha is 0: single precision cannot be used */
} ws_pairhmm_begin;

enum { WS_PAIRHMM_SINGLE, WS_PAIRHMM_DOUBLE, WS_PAIRHMM_SCALED };

/* Writes value v of row i to out[(i*NVALUE + v)*stride], as float or double; 0 <= i < m. *b is what belongs to the read. */
void ws_pairhmm_rows_single(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, float *out, size_t stride,
                            ws_pairhmm_begin *b);
void ws_pairhmm_rows_double(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, double *out, size_t stride,
                            ws_pairhmm_begin *b);

/* ---- the plan of a region's haplotypes (plan.c) and the sweep of a backend over it ---- */

/* Columns begin .. end-1 of one haplotype, one behind the other. In front of the first is column `pred` (0: none), and
 * slot `from` has the state that the sweep had there. The state behind the last column is kept in slot `to`, unless that
 * is 0. */
typedef struct ws_pairhmm_seg {
    uint32_t begin, end, pred, depth; /* depth: columns before the first in its haplotype */
    uint32_t from, to;
} ws_pairhmm_seg;

enum { WS_PAIRHMM_CODES = 26, WS_PAIRHMM_CHUNK = 32 /* columns summed in the precision of the cells */ };

/* An open branch: where a later haplotype goes on. Its place in ws_pairhmm_trie.open is its slot. */
typedef struct ws_pairhmm_branch {
    uint32_t depth, col;
} ws_pairhmm_branch;

/* Haplotypes as a trie of columns 1 .. ncol-1; column 0 stands before the first. Zero-initialise. */
typedef struct ws_pairhmm_trie {
    uint8_t *code;       /* [ncol] letters of the columns, as indices of `letter` */
    ws_pairhmm_seg *seg; /* in the order of their columns: parents before children */
    uint32_t *end;       /* [nhap] segment that a haplotype ends with */
    size_t ncol, nseg, nhap, nslot, ncode;
    uint8_t letter[WS_PAIRHMM_CODES]; /* 1 for A ... 26 for Z */
    /* while it is made */
    uint32_t *lcp, *cut; /* letters shared with the haplotype before; depths */
    ws_pairhmm_branch *open;
    size_t nopen, code_cap, seg_cap, end_cap, lcp_cap, cut_cap, open_cap;
} ws_pairhmm_trie;

/* Lanes are reads. All arrays of numbers are float or double; [LANES] is innermost. */
typedef struct ws_pairhmm_sweep {
    const ws_pairhmm_trie *trie;
    size_t nrow;           /* of the longest read, rounded up to the backend's `rows` */
    const void *row;       /* [nrow][NVALUE][LANES] */
    const uint8_t *letter; /* [nrow][LANES]; 0 beyond a read's end */
    const void *y0;        /* [LANES] */
    void *y, *i;           /* [ncol][LANES] */
    void *slot;            /* [nslot + 1][3 rows][LANES] */
    void *emission;        /* [ncode][rows][LANES]; for one lane [3][ncol] */
    double *sum;           /* [nslot + 1][LANES] */
    double *total;         /* out: [nseg][LANES] sum over a haplotype's columns at the end of the segment */
} ws_pairhmm_sweep;

typedef struct ws_pairhmm_backend {
    ws_backend base;
    size_t lanes[2], rows[2]; /* of single and double precision */
    void (*sweep[2])(const ws_pairhmm_sweep *s);
    int on_device; /* single and double precision by ws_pairhmm_gpu_run, the rest by another backend */
} ws_pairhmm_backend;

extern const ws_pairhmm_backend ws_pairhmm_scalar, ws_pairhmm_avx2, ws_pairhmm_avx512, ws_pairhmm_cuda;

/* Makes the trie of the first haplotypes of list[0..n) (indices of hap): as many as fit into max columns, at least one;
 * t->nhap says how many. With `share` the list is in the order of ws_pairhmm_order. */
int ws_pairhmm_trie_make(ws_pairhmm_trie *t, const ws_pairhmm_hap *hap, const uint32_t *list, size_t n, int share,
                         size_t max, ws_err *err);
void ws_pairhmm_trie_release(ws_pairhmm_trie *t);
/* Sorts list[0..n) so that common prefixes stand together. */
void ws_pairhmm_order(const ws_pairhmm_hap *hap, uint32_t *list, size_t n);

/* ---- scores (score.c, scaled.c) ---- */

typedef struct ws_pairhmm_result {
    double log10;
    int stage; /* WS_PAIRHMM_SINGLE ... */
} ws_pairhmm_result;

typedef struct ws_pairhmm_counts {
    uint64_t regions, pairs, cells, computed, computed_double, rescued, scaled;
} ws_pairhmm_counts;

/* Memory of ws_pairhmm_score, of one thread at a time; *w is NULL on failure. */
typedef struct ws_pairhmm_work ws_pairhmm_work;
int ws_pairhmm_work_create(ws_pairhmm_work **w, ws_err *err);
void ws_pairhmm_work_destroy(ws_pairhmm_work *w);

typedef struct ws_pairhmm_conf {
    ws_pairhmm_quals quals;
    int all_double, share;
    const ws_pairhmm_backend *host; /* what computes beside a device */
} ws_pairhmm_conf;

/* Every pair of every region of t into result[0 .. t->npair); adds to *c. The sweeps work in `room`. A failure is WS_ENOMEM,
 * or WS_EDEV of a device. */
int ws_pairhmm_score(const ws_pairhmm_conf *conf, const ws_pairhmm_backend *b, const ws_pairhmm_text *t,
                     ws_pairhmm_work *w, ws_buf *room, ws_pairhmm_result *result, ws_pairhmm_counts *c, ws_err *err);

/* A pair's sum over n columns is one that single (p = 0) or double precision may keep. */
int ws_pairhmm_enough(int p, double total, uint32_t n);

/* log10 of one pair's likelihood in double precision with an exponent for every cell: any value, -inf too. row: room for
 * 6*(n+1). */
typedef struct ws_pairhmm_wide {
    double v;
    int64_t k;
} ws_pairhmm_wide;
double ws_pairhmm_scaled(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, const ws_pairhmm_hap *h,
                         ws_pairhmm_wide *row);

#endif
