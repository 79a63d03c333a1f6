/* SPDX-License-Identifier: MIT
 * The SSV scan of lists of block strands by a width, and where bytes are too narrow for that. */
#include "kernels/long/scan.h"

#include <string.h>

/* ---- the definition as a body: every step is marked ---- */

static int lay_out(void *layout, const ws_long_model *m, ws_err *err) {
    (void)err;
    *(int *)layout = m->M;
    return WS_OK;
}

static void clear(void *layout) { (void)layout; }

static int mark(const void *layout, const ws_long_strand *strand, size_t n, uint8_t *flag, ws_buf *scratch,
                ws_err *err) {
    (void)scratch, (void)err;
    size_t steps = 0;
    for (size_t j = 0; j < n; j++) steps += ws_long_steps(*(const int *)layout, strand[j].n);
    memset(flag, 1, steps);
    return WS_OK;
}

static int follow(const void *layout, const ws_long_model *m, const ws_long_strand *s, const uint8_t *flag,
                  ws_long_seeds *found, ws_buf *scratch, ws_err *err) {
    (void)layout, (void)flag;
    uint8_t *cell = ws_buf_scratch(scratch, (size_t)m->M + 1, err);
    return cell ? ws_long_diagonals_ref(m, s->x, s->n, cell, found, err) : err->code;
}

const ws_long_ssv_body ws_long_ssv_scalar = {sizeof(int), lay_out, clear, mark, follow};

/* ---- lists ---- */

/* Heights above the floor fit signed bytes, and no cell saturates before it reaches the threshold: then the cells of
 * the vectors are those of the definition (long-targets.md, 18.25). Options far from the defaults break it. */
static int fits(const ws_long_model *m) {
    const int least = m->threshold - m->xB;
    const int dna = m->bytes.Kp == ws_abc_get(WS_ABC_DNA)->Kp;
    return dna && least > 0 && m->bytes.bias <= 64 && least <= 127 - m->bytes.bias &&
           m->threshold + m->bytes.bias <= 255;
}

int ws_long_ssv_create(ws_long_ssv *s, const ws_long_ssv_body *body, const ws_long_model *m, ws_err *err) {
    *s = (ws_long_ssv){.model = m, .body = fits(m) ? body : &ws_long_ssv_scalar};
    s->layout = ws_calloc(1, s->body->size, err);
    if (!s->layout) return err->code;
    const int rc = s->body->lay_out(s->layout, m, err);
    if (rc) ws_long_ssv_destroy(s);
    return rc;
}

void ws_long_ssv_destroy(ws_long_ssv *s) {
    if (s->layout) s->body->clear(s->layout);
    ws_free(s->layout);
    *s = (ws_long_ssv){0};
}

int ws_long_follow(const ws_long_ssv *s, const ws_long_strand *strand, const uint8_t *flag, ws_long_seeds *found,
                   ws_buf *scratch, ws_err *err) {
    return s->body->follow(s->layout, s->model, strand, flag, found, scratch, err);
}

/* Returns the mark of a step of rows from..to by the mark of another one, whose first row is `first`. */
static uint8_t mark_of_rows(int M, uint8_t mark, uint64_t first, uint64_t from, uint64_t to) {
    const uint64_t segment = ws_long_segment(M);
    uint8_t out = 0;
    for (uint32_t k = 0; k < WS_LONG_SEGMENTS && mark; k++) {
        const uint64_t begin = ws_max(first + k * segment, from), end = ws_min(first + (k + 1) * segment, to);
        if (begin >= end || !(mark & (WS_LONG_MARK_STEP | ws_long_mark_segment(k)))) continue;
        out |= ws_long_mark_segment((uint32_t)((begin - from) / segment)) |
                ws_long_mark_segment((uint32_t)((end - 1 - from) / segment));
    }
    return out;
}

int ws_long_flags_of_rows(int M, const uint8_t *whole, uint64_t at, uint32_t n, uint8_t *flag) {
    const uint64_t step = ws_long_step(M);
    int any = 0;
    for (size_t j = 0; j < ws_long_steps(M, n); j++) {
        const uint64_t from = at + j * step, to = ws_min(from + step, at + n), first = from / step,
                       last = (to - 1) / step;
        flag[j] = mark_of_rows(M, whole[first], first * step, from, to);
        if (last > first) flag[j] |= mark_of_rows(M, whole[last], last * step, from, to);
        any |= flag[j];
    }
    return any;
}

int ws_long_diagonals(const ws_long_ssv *s, const ws_long_strand *strand, size_t n, ws_long_seeds *found,
                      ws_buf *scratch, ws_err *err) {
    size_t steps = 0;
    for (size_t j = 0; j < n; j++) steps += ws_long_steps(s->model->M, strand[j].n);
    uint8_t *flag = ws_calloc(steps, 1, err);
    if (!flag) return err->code;
    int rc = s->body->mark(s->layout, strand, n, flag, scratch, err);
    const uint8_t *own = flag;
    for (size_t j = 0; !rc && j < n; j++) {
        rc = ws_long_follow(s, &strand[j], own, &found[j], scratch, err);
        own += ws_long_steps(s->model->M, strand[j].n);
    }
    ws_free(flag);
    return rc;
}
