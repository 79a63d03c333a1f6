/* SPDX-License-Identifier: MIT
 * The two scans of long targets over lists, by vector width: the SSV scan of block strands and the Viterbi scan of
 * windows. They give what ws_long_diagonals_ref and ws_long_points_ref give. */
#ifndef WS_LONG_SCAN_H
#define WS_LONG_SCAN_H

#include "kernels/long/long.h"
#include "lib/simd/width.h"

/* n codes in the orientation of the strand. WS_LONG_PAD bytes behind them may be read and must be codes of the
 * alphabet, no matter which. */
typedef struct ws_long_strand {
    const uint8_t *x;
    uint32_t n;
} ws_long_strand;
enum { WS_LONG_PAD = 256 };

/* The code of one width. */
typedef struct ws_long_ssv_body {
    /* of a layout, zeroed before lay_out, whose only failure is WS_ENOMEM; clear releases what it points to */
    size_t size;
    int (*lay_out)(void *layout, const ws_long_model *m, ws_err *err);
    void (*clear)(void *layout);
    /* Marks rows: flag[j] becomes WS_LONG_MARK_STEP if a row of step j of the n strands may hold a diagonal's cell,
     * else 0. A strand has ws_long_steps(layout, n) steps, and those of the next one follow. */
    int (*mark)(const void *layout, const ws_long_strand *strand, size_t n, uint8_t *flag, ws_buf *scratch,
                ws_err *err);
    /* Appends the diagonals of a strand, looking at its marked steps alone. */
    int (*follow)(const void *layout, const ws_long_model *m, const ws_long_strand *s, const uint8_t *flag,
                  ws_long_seeds *found, ws_buf *scratch, ws_err *err);
} ws_long_ssv_body;
WS_DECLARE_WIDTHS(ws_long_ssv_body, ws_long_ssv_);

/* A model laid out for a width. Threads may share it. */
typedef struct ws_long_ssv {
    const ws_long_model *model;
    const ws_long_ssv_body *body; /* that of the width, or scalar code where the bytes are too narrow for vectors */
    void *layout;
} ws_long_ssv;
/* m must stay. The only failure is WS_ENOMEM, which leaves nothing to destroy. */
int ws_long_ssv_create(ws_long_ssv *s, const ws_long_ssv_body *body, const ws_long_model *m, ws_err *err);
void ws_long_ssv_destroy(ws_long_ssv *s);

/* Appends to found[j] the diagonals of strand j, for all of the n strands. scratch grows as needed and its content is
 * lost. The only failure is WS_ENOMEM. */
int ws_long_diagonals(const ws_long_ssv *s, const ws_long_strand *strand, size_t n, ws_long_seeds *found,
                      ws_buf *scratch, ws_err *err);

/* The same where the steps of the strand are marked already, whole or in segments. Further marks cost time and change
 * nothing. */
int ws_long_follow(const ws_long_ssv *s, const ws_long_strand *strand, const uint8_t *flag, ws_long_seeds *found,
                   ws_buf *scratch, ws_err *err);
/* Marks the steps of rows at..at + n of a strand, at from 0, by the marks of all its steps. Returns whether there are
 * any. */
int ws_long_flags_of_rows(int M, const uint8_t *whole, uint64_t at, uint32_t n, uint8_t *flag);

/* A window: n codes, and what ws_long_vit_set makes of its length and bias. */
typedef struct ws_long_vit_window {
    const uint8_t *x;
    uint32_t n;
    ws_long_vit vit;
} ws_long_vit_window;

/* The Viterbi scan of one width, or the definition. */
typedef struct ws_long_vit_body {
    /* of a layout, zeroed before lay_out, whose only failure is WS_ENOMEM; clear releases what it points to */
    size_t size;
    int (*lay_out)(void *layout, const ws_profile *p, ws_err *err);
    void (*clear)(void *layout);
    int (*points)(const void *layout, const ws_long_vit_window *window, size_t n, ws_long_seeds *found, ws_buf *scratch,
                  ws_err *err);
} ws_long_vit_body;
WS_DECLARE_WIDTHS(ws_long_vit_body, ws_long_vit_);

/* A profile laid out for a width. Threads may share it. */
typedef struct ws_long_viterbi {
    const ws_long_vit_body *body;
    void *layout;
} ws_long_viterbi;
/* Keeps nothing of the profile. The only failure is WS_ENOMEM, which leaves nothing to destroy. */
int ws_long_viterbi_create(ws_long_viterbi *s, const ws_long_vit_body *body, const ws_profile *p, ws_err *err);
void ws_long_viterbi_destroy(ws_long_viterbi *s);

/* Appends to found[j] the points of window j, for all of the n windows. The rest as for ws_long_diagonals. */
int ws_long_points(const ws_long_viterbi *s, const ws_long_vit_window *window, size_t n, ws_long_seeds *found,
                   ws_buf *scratch, ws_err *err);

/* Rows that are marked together, which fill whole words of six codes: a strand of n residues has so many steps. The
 * segments of a step are whole words too. */
enum { WS_LONG_SEGMENTS = 7 };
static inline uint32_t ws_long_step(int M) { return M <= 256 ? 126 : 252; }
static inline uint32_t ws_long_segment(int M) { return ws_long_step(M) / WS_LONG_SEGMENTS; }
static inline size_t ws_long_steps(int M, uint32_t n) { return ((size_t)n + ws_long_step(M) - 1) / ws_long_step(M); }

/* The mark of a step: all its rows, or those of segment k, from 0. Marks are added by bits; 0: none. */
enum { WS_LONG_MARK_STEP = 1, WS_LONG_MARK_SEGMENT = 2 };
static inline uint8_t ws_long_mark_segment(uint32_t k) { return (uint8_t)(WS_LONG_MARK_SEGMENT << k); }
/* Sets *from and *to to the first marked segment of a step and the one after the last. The mark is not 0. */
static inline void ws_long_marked_segments(uint8_t mark, uint32_t *from, uint32_t *to) {
    const unsigned segments = mark & WS_LONG_MARK_STEP ? 0xff : mark;
    *from = (uint32_t)__builtin_ctz(segments >> 1);
    *to = 31 - (uint32_t)__builtin_clz(segments);
}

#endif
