/* SPDX-License-Identifier: MIT
 * Shared by the files of the scalar backend: four lanes as plain C, and a row of Forward or Backward. */
#ifndef WS_DOM_REF_H
#define WS_DOM_REF_H

#include "kernels/dom/kernel.h"

typedef struct v4 {
    float z[4];
} v4;

static inline v4 v4_load(const float *p) { return (v4){{p[0], p[1], p[2], p[3]}}; }
static inline v4 v4_set(float a) { return (v4){{a, a, a, a}}; }
static inline v4 v4_add(v4 a, v4 b) {
    return (v4){{a.z[0] + b.z[0], a.z[1] + b.z[1], a.z[2] + b.z[2], a.z[3] + b.z[3]}};
}
static inline v4 v4_mul(v4 a, v4 b) {
    return (v4){{a.z[0] * b.z[0], a.z[1] * b.z[1], a.z[2] * b.z[2], a.z[3] * b.z[3]}};
}
/* v4_up returns each lane's next lower lane, and 0 in lane 0: node k-1 at the first position. v4_down returns the
 * next higher lane: node k+1 at the last position. */
static inline v4 v4_up(v4 a) { return (v4){{0.0f, a.z[0], a.z[1], a.z[2]}}; }
static inline v4 v4_down(v4 a) { return (v4){{a.z[1], a.z[2], a.z[3], 0.0f}}; }
static inline float v4_sum(v4 a) { return (a.z[0] + a.z[1]) + (a.z[2] + a.z[3]); }

/* One row: Q positions of each state. */
typedef struct ref_row {
    v4 *M, *I, *D;
} ref_row;
/* Sets pointers into memory, which has 3 Q positions. */
void ws_dom_ref_row_set(ref_row *r, v4 *memory, int Q);

/* Compute one row, cells and specials. `from` is the row before (Forward) or above (Backward); f is Forward's own
 * row. */
void ws_dom_ref_forward_row0(const ws_dom_tables *t, const ws_dom_mode *mode, const ref_row *r, ws_dom_row *to);
void ws_dom_ref_forward_row(const ws_dom_tables *t, const ws_dom_mode *mode, uint8_t x, const ref_row *old,
                            ref_row *new, const ws_dom_row *from, ws_dom_row *to);
void ws_dom_ref_backward_last(const ws_dom_tables *t, const ws_dom_mode *mode, const ref_row *r, const ws_dom_row *f,
                              ws_dom_row *to);
void ws_dom_ref_backward_row(const ws_dom_tables *t, const ws_dom_mode *mode, uint8_t x, const ref_row *above,
                             ref_row *new, const ws_dom_row *from, const ws_dom_row *f, int *own, ws_dom_row *to);
void ws_dom_ref_backward_row0(const ws_dom_tables *t, const ws_dom_mode *mode, uint8_t x, const ref_row *above,
                              const ws_dom_row *from, ws_dom_row *to);

/* ws_dom_ref_choose returns one of n weights by the deviate u. ws_dom_ref_end returns the origin of E of row i,
 * WS_COLUMN_M or _D of node *k, or -1 for none. Other backends call both where their own choice is uncertain. */
int ws_dom_ref_choose(const float *weight, int n, double u);
int ws_dom_ref_end(const ws_dom_tables *t, const ws_dom_problem *p, uint32_t i, double u, uint32_t *k);

int ws_dom_ref_sample(const ws_dom_tables *t, ws_dom_worker *w, const ws_dom_problem *p, uint32_t seed,
                      ws_dom_sample *s, ws_err *err);
int ws_dom_ref_label(ws_dom_worker *w, const ws_dom_sample *s, uint32_t rows, uint32_t *label, uint32_t *clusters,
                     ws_err *err);
int ws_dom_ref_fit(const ws_dom_tables *t, ws_dom_worker *w, ws_dom_fit *const *f, size_t n, ws_err *err);

#endif
