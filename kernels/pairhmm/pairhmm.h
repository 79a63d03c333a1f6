/* SPDX-License-Identifier: MIT
 * Pair-HMM forward likelihoods of reads against haplotypes: the data that parsers, planner and backends exchange.
 * README.md has the recurrence and the canonical order of operations. */
#ifndef WS_PAIRHMM_H
#define WS_PAIRHMM_H

#include "lib/base/mem.h"
#include "lib/simd/width.h"

/* ---- input ---- */

/* A read: five strings of m characters in the input's text. Letters may have either case; qualities are characters,
 * Phred + 33. */
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
    uint64_t number; /* batch text: its number in the whole input, from 0 */
    uint64_t first;  /* number of its first read; above 0 in a later portion of a large region */
    uint64_t all;    /* reads of the whole region */
    size_t read, hap, R, H;
    size_t pair; /* index of its first result; reads outer, haplotypes inner */
} ws_pairhmm_region;

/* A parsed block of input. The user zero-initialises it and calls ws_pairhmm_text_release. */
typedef struct ws_pairhmm_text {
    ws_pairhmm_read *read;
    ws_pairhmm_hap *hap;
    ws_pairhmm_region *region;
    size_t nread, nhap, nregion, npair;
    const char *from; /* the text that reads and haplotypes point into, and its size */
    size_t size;
    size_t read_cap, hap_cap, region_cap;
} ws_pairhmm_text;

/* Empties t and keeps its memory for the next block. */
void ws_pairhmm_text_reset(ws_pairhmm_text *t);
void ws_pairhmm_text_release(ws_pairhmm_text *t);

/* Returns 1 if all five strings of two reads are equal, byte by byte. */
int ws_pairhmm_same_read(const ws_pairhmm_read *a, const ws_pairhmm_read *b);

typedef enum ws_pairhmm_format { WS_PAIRHMM_NONE, WS_PAIRHMM_BATCH, WS_PAIRHMM_RESULTS } ws_pairhmm_format;

/* The place of a block in the input, for messages and numbers. */
typedef struct ws_pairhmm_origin {
    const char *name;    /* name of the input */
    uint64_t line;       /* line of the first byte, from 1 */
    uint64_t number;     /* number of the first region or pair, from 0 */
    /* for a portion of a large region: number of its first read, and reads of the region; else 0 */
    uint64_t first, all;
} ws_pairhmm_origin;

/* Parse a block of whole regions (batch.c) or records (results.c) into t, which then points into p. On failure
 * (WS_EDATA, with line and column) t has the whole regions before it. */
int ws_pairhmm_parse_batches(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_origin *at, ws_err *err);
int ws_pairhmm_parse_results(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_origin *at, ws_err *err);
/* Sets *bytes to the length of the whole regions at the begin of results text: the last of them cannot grow by
 * further lines. It may be 0, and is n where parsing fails. t holds the regions. Returns WS_ENOMEM on failure. */
int ws_pairhmm_whole_results(ws_pairhmm_text *t, const char *p, size_t n, const ws_pairhmm_origin *at, size_t *bytes,
                             ws_err *err);

/* One line of the text without its end (LF, CR LF); lex.c. */
typedef struct ws_pairhmm_line {
    const char *p, *end;
    uint64_t number;
    const char *name; /* name of the input */
} ws_pairhmm_line;
/* Reads the next line of [*p, end) into *l and increments its number. Returns 0 at the end. */
int ws_pairhmm_next_line(ws_pairhmm_line *l, const char **p, const char *end);
int ws_pairhmm_blank(const ws_pairhmm_line *l);
/* Writes "NAME: line L, column C: " and the sentence into *err, and returns WS_EDATA. `at` points into the line;
 * NULL: no column. */
int ws_pairhmm_fail(ws_err *err, const ws_pairhmm_line *l, const char *at, const char *fmt, ...) WS_PRINTF(4, 5);

typedef struct ws_pairhmm_field {
    const char *p;
    size_t n;
} ws_pairhmm_field;
/* Splits a line at blanks into at most max fields. Returns the number of fields, which may exceed max. */
size_t ws_pairhmm_split(const ws_pairhmm_line *l, ws_pairhmm_field *f, size_t max);
/* Parse a read of five fields, or a haplotype of one, and check characters and lengths. Return WS_EDATA on failure. */
int ws_pairhmm_read_of(ws_pairhmm_read *r, const ws_pairhmm_line *l, const ws_pairhmm_field f[5], ws_err *err);
int ws_pairhmm_hap_of(ws_pairhmm_hap *h, const ws_pairhmm_line *l, const ws_pairhmm_field *f, ws_err *err);

/* Parses the counts of an "R H" line. Returns WS_EDATA on failure. */
int ws_pairhmm_header(const ws_pairhmm_line *l, uint64_t *R, uint64_t *H, ws_err *err);

/* Return room for one more element; NULL and a sentence on failure. */
ws_pairhmm_read *ws_pairhmm_add_read(ws_pairhmm_text *t, ws_err *err);
ws_pairhmm_hap *ws_pairhmm_add_hap(ws_pairhmm_text *t, ws_err *err);
ws_pairhmm_region *ws_pairhmm_add_region(ws_pairhmm_text *t, ws_err *err);

/* ---- constants of a row (tables.c) ---- */

/* The text formats have 0 to 93, bytes of Java up to 127. */
enum { WS_PAIRHMM_QUALS = 128 };

typedef struct ws_pairhmm_quals {
    double e[WS_PAIRHMM_QUALS], over_e[WS_PAIRHMM_QUALS];         /* 10^(-q/10) and 10^(q/10) */
    double match[WS_PAIRHMM_QUALS], over_match[WS_PAIRHMM_QUALS]; /* 1 - e, and its inverse, 0 where that is infinite */
} ws_pairhmm_quals;

/* Fills *t without libm, so that its numbers are equal on every machine; nothing to release. */
void ws_pairhmm_quals_make(ws_pairhmm_quals *t);

/* The constants of row i that its cells need, in the order in memory. */
enum {
    WS_PAIRHMM_MATCH,    /* (1 - e(Q)) alpha */
    WS_PAIRHMM_MISMATCH, /* e(Q)/3 alpha */
    WS_PAIRHMM_EPS,      /* D of this row to D of this row */
    WS_PAIRHMM_DY,       /* D of this row to M of the next */
    WS_PAIRHMM_IY,       /* I of this row to M of the next */
    WS_PAIRHMM_II,       /* I of this row to I of the next */
    WS_PAIRHMM_LEAST,    /* added to every M: keeps nonzero values out of the subnormal range */
    WS_PAIRHMM_NVALUE
};

/* Constants of a whole read. */
typedef struct ws_pairhmm_begin {
    double y0;         /* Y of row 0 */
    double correction; /* sum of the relative errors of rounding the match emissions to single precision */
    int clamped;       /* an alpha is 0: single precision is not allowed */
} ws_pairhmm_begin;

enum { WS_PAIRHMM_SINGLE, WS_PAIRHMM_DOUBLE, WS_PAIRHMM_SCALED };

/* Write value v of row i to out[(i*NVALUE + v)*stride], as float or double; 0 <= i < m. *b receives the constants of
 * the read. */
void ws_pairhmm_rows_single(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, float *out, size_t stride,
                            ws_pairhmm_begin *b);
void ws_pairhmm_rows_double(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, double *out, size_t stride,
                            ws_pairhmm_begin *b);

/* ---- the trie of a region's haplotypes (trie.c) and the sweep of a backend over it ---- */

/* A segment: columns begin .. end-1 of one haplotype. Column `pred` precedes the first (0: none), and branch `from`
 * has the sweep's state there. The sweep saves its state after the last column in branch `to`, unless `to` is 0. */
typedef struct ws_pairhmm_seg {
    uint32_t begin, end, pred, depth; /* depth: columns before the first in its haplotype */
    uint32_t from, to;
} ws_pairhmm_seg;

enum { WS_PAIRHMM_CODES = 26, WS_PAIRHMM_CHUNK = 32 /* columns summed in the precision of the cells */ };

/* An open branch: a later haplotype continues there. Its index in ws_pairhmm_trie.open is its branch. */
typedef struct ws_pairhmm_branch {
    uint32_t depth, col;
} ws_pairhmm_branch;

/* Haplotypes as a trie of columns 1 .. ncol-1; column 0 precedes the first. The user zero-initialises it. */
typedef struct ws_pairhmm_trie {
    uint8_t *code;       /* [ncol] letters of the columns, as indices of `letter` */
    ws_pairhmm_seg *seg; /* in the order of their columns, so parents come before children */
    uint32_t *end;       /* [nhap] last segment of a haplotype */
    size_t ncol, nseg, nhap, nbranch, ncode;
    uint8_t letter[WS_PAIRHMM_CODES]; /* 1 for A ... 26 for Z */
    /* used while the trie is made */
    uint32_t *lcp, *cut; /* letters shared with the previous haplotype; depths */
    ws_pairhmm_branch *open;
    size_t nopen, code_cap, seg_cap, end_cap, lcp_cap, cut_cap, open_cap;
} ws_pairhmm_trie;

/* Arguments of a sweep. Lanes are reads. Arrays of numbers are float or double; [LANES] is the innermost index. */
typedef struct ws_pairhmm_sweep {
    const ws_pairhmm_trie *trie;
    size_t nrow;           /* of the longest read, rounded up to the backend's `rows` */
    const void *row;       /* [nrow][NVALUE][LANES] */
    const uint8_t *letter; /* [nrow][LANES]; 0 beyond a read's end */
    const void *y0;        /* [LANES] */
    void *y, *i;           /* [ncol][LANES] */
    void *branch;            /* [nbranch + 1][3 rows][LANES] */
    void *emission;        /* [ncode][rows][LANES]; for one lane [3][ncol] */
    double *sum;           /* [nbranch + 1][LANES] */
    double *total;         /* out: [nseg][LANES] sum over a haplotype's columns at the end of the segment */
} ws_pairhmm_sweep;

/* The code of one width, or of a device. */
typedef struct ws_pairhmm_body {
    size_t lanes[2], rows[2]; /* [0] single, [1] double precision */
    void (*sweep[2])(const ws_pairhmm_sweep *s);
    int on_device; /* ws_pairhmm_gpu_run does single and double precision; another body does the rest */
} ws_pairhmm_body;

WS_DECLARE_WIDTHS(ws_pairhmm_body, ws_pairhmm_);
extern const ws_pairhmm_body ws_pairhmm_cuda;

/* Makes the trie of the first haplotypes of list[0..n), indices of hap. It takes as many as fit into max columns, at
 * least one; t->nhap is their number. With `share` the list is in the order of ws_pairhmm_order. Returns WS_ENOMEM
 * on failure. */
int ws_pairhmm_trie_make(ws_pairhmm_trie *t, const ws_pairhmm_hap *hap, const uint32_t *list, size_t n, int share,
                         size_t max, ws_err *err);
void ws_pairhmm_trie_release(ws_pairhmm_trie *t);
/* Sorts list[0..n) so that haplotypes with common prefixes are adjacent. */
void ws_pairhmm_order(const ws_pairhmm_hap *hap, uint32_t *list, size_t n);

/* ---- scores (score.c, scaled.c) ---- */

typedef struct ws_pairhmm_result {
    double log10;
    int precision; /* WS_PAIRHMM_SINGLE ... */
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
    const ws_pairhmm_body *host; /* what computes beside a device */
    const ws_pairhmm_body *few;  /* what takes the last reads of a region, where its lanes hold them; NULL: none */
} ws_pairhmm_conf;

/* Scores every pair of every region of t into result[0 .. t->npair), and adds to *c. The sweeps use `room` as
 * scratch. Returns WS_ENOMEM, or WS_EDEV of a device, on failure. */
int ws_pairhmm_score(const ws_pairhmm_conf *conf, const ws_pairhmm_body *b, const ws_pairhmm_text *t,
                     ws_pairhmm_work *w, ws_buf *room, ws_pairhmm_result *result, ws_pairhmm_counts *c, ws_err *err);

/* Least sums, for each column of the haplotype, that a precision may keep. They are ten orders of magnitude above the
 * limit of single precision with row 0 at 2^120, and eighteen for double with 2^700. Losses below the limit then do
 * not matter. */
#define WS_PAIRHMM_LEAST_SINGLE 1e-28
#define WS_PAIRHMM_LEAST_DOUBLE 1e-290
/* Returns 1 if single (p = 0) or double precision may keep a pair's sum over n columns. */
static inline int ws_pairhmm_enough(int p, double total, uint32_t n) {
    return total >= (p ? WS_PAIRHMM_LEAST_DOUBLE : WS_PAIRHMM_LEAST_SINGLE) * n && total <= 1e308; /* NaN is not */
}

/* Returns log10 of one pair's likelihood, in double precision with an exponent for every cell: any value, also -inf.
 * row: room for 6*(n+1). */
typedef struct ws_pairhmm_wide {
    double v;
    int64_t k;
} ws_pairhmm_wide;
double ws_pairhmm_scaled(const ws_pairhmm_quals *t, const ws_pairhmm_read *r, const ws_pairhmm_hap *h,
                         ws_pairhmm_wide *row);

#endif
