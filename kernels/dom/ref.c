/* SPDX-License-Identifier: MIT
 * Forward and Backward, scalar: the definition, operation by operation, in HMMER's order of four lanes. The compiler
 * must not reassociate or contract. Source: specification profile-filters.md, section 9.4, and domains.md, section
 * 3. */
#include "kernels/dom/ref.h"

#define RESCALE 1e4f    /* a row is scaled down above this E, or B where it has its own scale */
#define OWN_FROM 1e16f  /* B above which Backward leaves Forward's scales */

static v4 emission(const ws_dom_tables *t, uint8_t x, int q) { return v4_load(ws_dom_emit(t, x) + 4 * q); }
static v4 transition(const float *table, int q, int kind) { return v4_load(table + 4 * (WS_DOM_NTR * q + kind)); }

/* ---- Forward ---- */

/* Computes M, I and the share of D from M. Returns the D that leaves the last position. */
static v4 forward_cells(const ws_dom_tables *t, uint8_t x, float B, const ref_row *old, ref_row *new, v4 *sum) {
    v4 m = v4_up(old->M[t->Q - 1]), i = v4_up(old->I[t->Q - 1]), d = v4_up(old->D[t->Q - 1]), carry = v4_set(0);
    for (int q = 0; q < t->Q; q++) {
        v4 s = v4_mul(v4_set(B), transition(t->in, q, WS_DOM_BM));
        s = v4_add(s, v4_mul(m, transition(t->in, q, WS_DOM_MM)));
        s = v4_add(s, v4_mul(i, transition(t->in, q, WS_DOM_IM)));
        s = v4_add(s, v4_mul(d, transition(t->in, q, WS_DOM_DM)));
        s = v4_mul(s, emission(t, x, q));
        *sum = v4_add(*sum, s);
        m = old->M[q], i = old->I[q], d = old->D[q];
        new->M[q] = s;
        new->D[q] = carry;
        carry = v4_mul(s, transition(t->in, q, WS_DOM_MD));
        new->I[q] = v4_add(v4_mul(m, transition(t->in, q, WS_DOM_MI)), v4_mul(i, transition(t->in, q, WS_DOM_II)));
    }
    return carry;
}

/* Computes D to D, across up to three ends of lanes. */
static void forward_deletes(const ws_dom_tables *t, v4 carry, ref_row *new, v4 *sum) {
    carry = v4_up(carry);
    for (int q = 0; q < t->Q; q++) {
        new->D[q] = v4_add(carry, new->D[q]);
        carry = v4_mul(new->D[q], transition(t->in, q, WS_DOM_DD));
    }
    for (int pass = 0; pass < 3; pass++) {
        carry = v4_up(carry);
        for (int q = 0; q < t->Q; q++) {
            new->D[q] = v4_add(carry, new->D[q]);
            carry = v4_mul(carry, transition(t->in, q, WS_DOM_DD));
        }
    }
    for (int q = 0; q < t->Q; q++) *sum = v4_add(*sum, new->D[q]);
}

static void scale_cells(const ws_dom_tables *t, const ref_row *r, float by) {
    for (int q = 0; q < t->Q; q++) {
        r->M[q] = v4_mul(r->M[q], v4_set(by));
        r->D[q] = v4_mul(r->D[q], v4_set(by));
        r->I[q] = v4_mul(r->I[q], v4_set(by));
    }
}

static float reciprocal(float s) { return (float)(1.0 / (double)s); }

void ws_dom_ref_forward_row0(const ws_dom_tables *t, const ws_dom_mode *mode, const ref_row *r, ws_dom_row *to) {
    for (int q = 0; q < t->Q; q++) r->M[q] = r->I[q] = r->D[q] = v4_set(0);
    *to = (ws_dom_row){.N = 1.0f, .B = mode->pmove, .s = 1.0f};
}

void ws_dom_ref_forward_row(const ws_dom_tables *t, const ws_dom_mode *mode, uint8_t x, const ref_row *old,
                            ref_row *new, const ws_dom_row *from, ws_dom_row *to) {
    v4 sum = v4_set(0);
    ws_dom_row s = *from;
    const v4 carry = forward_cells(t, x, s.B, old, new, &sum);
    forward_deletes(t, carry, new, &sum);
    s.E = v4_sum(sum);
    s.N = s.N * mode->ploop;
    s.C = (s.C * mode->ploop) + (s.E * mode->eC);
    s.J = (s.J * mode->ploop) + (s.E * mode->eJ);
    s.B = (s.J * mode->pmove) + (s.N * mode->pmove);
    s.s = 1.0f;
    if (s.E > RESCALE) {
        s.N = s.N / s.E;
        s.C = s.C / s.E;
        s.J = s.J / s.E;
        s.B = s.B / s.E;
        scale_cells(t, new, reciprocal(s.E));
        s.s = s.E;
        s.E = 1.0f;
    }
    *to = s;
}

/* ---- Backward ---- */

/* Passes the carry of the first pass across up to three ends of lanes; then adds D of the next node to M. */
static void backward_finish(const ws_dom_tables *t, v4 carry, const ref_row *new) {
    for (int pass = 0; pass < 3; pass++) {
        carry = v4_down(carry);
        for (int q = t->Q - 1; q >= 0; q--) {
            carry = v4_mul(carry, transition(t->out, q, WS_DOM_DD));
            new->D[q] = v4_add(new->D[q], carry);
        }
    }
    v4 d = v4_down(new->D[0]);
    for (int q = t->Q - 1; q >= 0; q--) {
        new->M[q] = v4_add(new->M[q], v4_mul(d, transition(t->out, q, WS_DOM_MD)));
        d = new->D[q];
    }
}

/* Computes D to D towards lower nodes; `above` begins as D of the first position, moved down a lane. */
static void backward_deletes(const ws_dom_tables *t, v4 above, v4 E, const ref_row *new) {
    v4 c = v4_set(0);
    for (int q = t->Q - 1; q >= 0; q--) {
        c = v4_mul(above, transition(t->out, q, WS_DOM_DD));
        new->D[q] = v4_add(new->D[q], v4_add(c, E));
        above = new->D[q];
        new->M[q] = v4_add(new->M[q], E);
    }
    backward_finish(t, c, new);
}

/* Divides the cells of a row by the scale in to->s. */
static void backward_scale(const ws_dom_tables *t, const ref_row *r, ws_dom_row *to) {
    if (!(to->s > 1.0f)) return;
    to->E = to->E / to->s;
    to->N = to->N / to->s;
    to->J = to->J / to->s;
    to->B = to->B / to->s;
    to->C = to->C / to->s;
    scale_cells(t, r, reciprocal(to->s));
}

void ws_dom_ref_backward_last(const ws_dom_tables *t, const ws_dom_mode *mode, const ref_row *r, const ws_dom_row *f,
                              ws_dom_row *to) {
    *to = (ws_dom_row){.C = mode->pmove, .E = mode->pmove * mode->eC, .s = f->s};
    const v4 E = v4_set(to->E);
    for (int q = 0; q < t->Q; q++) r->M[q] = r->D[q] = E, r->I[q] = v4_set(0);
    v4 above = v4_down(E), c = v4_set(0);
    for (int q = t->Q - 1; q >= 0; q--) {
        c = v4_mul(above, transition(t->out, q, WS_DOM_DD));
        above = r->D[q] = v4_add(r->D[q], c);
    }
    backward_finish(t, c, r);
    backward_scale(t, r, to);
}

/* Computes a row of Backward. x: the residue of the row above, i + 1. */
void ws_dom_ref_backward_row(const ws_dom_tables *t, const ws_dom_mode *mode, uint8_t x, const ref_row *above,
                             ref_row *new, const ws_dom_row *from, const ws_dom_row *f, int *own, ws_dom_row *to) {
    v4 sum = v4_set(0), m = v4_down(v4_mul(above->M[0], emission(t, x, 0)));
    ws_dom_row s = *from;
    for (int q = t->Q - 1; q >= 0; q--) {
        const v4 i = above->I[q];
        new->I[q] = v4_add(v4_mul(i, transition(t->out, q, WS_DOM_II)), v4_mul(m, transition(t->out, q, WS_DOM_IM)));
        new->D[q] = v4_mul(m, transition(t->out, q, WS_DOM_DM));
        new->M[q] = v4_add(v4_mul(i, transition(t->out, q, WS_DOM_MI)), v4_mul(m, transition(t->out, q, WS_DOM_MM)));
        m = v4_mul(above->M[q], emission(t, x, q));
        sum = v4_add(sum, v4_mul(m, transition(t->out, q, WS_DOM_BM)));
    }
    s.B = v4_sum(sum);
    s.C = s.C * mode->ploop;
    s.J = (s.B * mode->pmove) + (s.J * mode->ploop);
    s.N = (s.B * mode->pmove) + (s.N * mode->ploop);
    s.E = (s.C * mode->eC) + (s.J * mode->eJ);
    const v4 E = v4_set(s.E);
    backward_deletes(t, v4_down(v4_add(new->D[0], E)), E, new);
    if (s.B > OWN_FROM) *own = 1;
    s.s = !*own ? f->s : s.B > RESCALE ? s.B : 1.0f;
    *to = s;
    backward_scale(t, new, to);
}

/* Computes row 0 of Backward. x: the residue of row 1, whose cells are `above`. */
void ws_dom_ref_backward_row0(const ws_dom_tables *t, const ws_dom_mode *mode, uint8_t x, const ref_row *above,
                              const ws_dom_row *from, ws_dom_row *to) {
    v4 sum = v4_set(0);
    for (int q = 0; q < t->Q; q++)
        sum = v4_add(sum, v4_mul(v4_mul(above->M[q], emission(t, x, q)), transition(t->out, q, WS_DOM_BM)));
    *to = (ws_dom_row){.B = v4_sum(sum), .s = 1.0f};
    to->N = (to->B * mode->pmove) + (from->N * mode->ploop);
}

/* ---- parsers and matrices ---- */

void ws_dom_ref_row_set(ref_row *r, v4 *memory, int Q) {
    r->M = memory;
    r->I = memory + Q;
    r->D = memory + 2 * Q;
}
