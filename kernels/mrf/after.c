/* SPDX-License-Identifier: MIT
 * The component of a seed and the boundary: see kernels/mrf/after.h. */
#include "kernels/mrf/after.h"

#include "lib/base/mem.h"

enum { MARK = 128, LABEL = 127 }; /* no class has the highest bit */

void ws_mrf_labels(const ws_mrf_volume *v, uint8_t *out) {
    const size_t X = v->size[0], Y = v->size[1], Z = v->size[2];
    for (size_t row = 0; row < Y * Z; row++) ws_mrf_labels_get(v, row % Y, row / Y, out + row * X);
}

/* Voxels from which runs along x are still to be marked. */
typedef struct stack {
    uint32_t *voxel;
    size_t n, cap;
} stack;

/* Pushes the first voxel of each run of label c in the row that begins at voxel `row`, between x = from and x = to. */
static int push_runs(stack *s, const uint8_t *label, size_t row, size_t from, size_t to, int c, ws_err *err) {
    for (size_t x = from; x <= to; x++) {
        if (label[row + x] != c || (x > from && label[row + x - 1] == c)) continue;
        if (ws_grow(&s->voxel, &s->cap, s->n + 1, sizeof *s->voxel, err)) return WS_ENOMEM;
        s->voxel[s->n++] = (uint32_t)(row + x);
    }
    return WS_OK;
}

/* Marks the run of label c around voxel i, and pushes what touches it. */
static int mark_run(const ws_mrf_volume *v, uint8_t *label, size_t i, int c, stack *s, ws_err *err) {
    const size_t X = v->size[0], Y = v->size[1], Z = v->size[2], plane = X * Y;
    const size_t x = i % X, row = i - x, y = i / X % Y, z = i / X / Y;
    size_t from = x, to = x;
    while (from > 0 && label[row + from - 1] == c) from--;
    while (to + 1 < X && label[row + to + 1] == c) to++;
    for (size_t k = from; k <= to; k++) label[row + k] |= MARK;
    int rc = y > 0 ? push_runs(s, label, row - X, from, to, c, err) : WS_OK;
    if (!rc && y + 1 < Y) rc = push_runs(s, label, row + X, from, to, c, err);
    if (!rc && z > 0) rc = push_runs(s, label, row - plane, from, to, c, err);
    if (!rc && z + 1 < Z) rc = push_runs(s, label, row + plane, from, to, c, err);
    return rc;
}

/* Keeps what is marked in row (y, z), and adds it to *sums. */
static void keep_marked(const ws_mrf_volume *v, uint8_t *label, size_t y, size_t z, ws_mrf_sums *sums) {
    const ws_mrf_line line = ws_mrf_line_of(v, y, z);
    for (size_t x = 0; x < v->size[0]; x++) {
        const uint64_t q = v->code[ws_mrf_line_at(&line, x) - ws_mrf_skipped(v)];
        if (label[x] & MARK) sums->n++, sums->s1 += q, sums->s2 += q * q;
        label[x] = label[x] & MARK ? label[x] & LABEL : 0;
    }
}

int ws_mrf_component(const ws_mrf_volume *v, uint8_t *label, size_t x, size_t y, size_t z, ws_mrf_sums *sums,
                     ws_err *err) {
    const size_t X = v->size[0], Y = v->size[1], Z = v->size[2], seed = x + X * (y + Y * z);
    const int c = label[seed];
    stack s = {0};
    int rc = push_runs(&s, label, seed - x, x, x, c, err);
    while (s.n > 0 && !rc) {
        const size_t i = s.voxel[--s.n];
        if (label[i] == c) rc = mark_run(v, label, i, c, &s, err);
    }
    ws_free(s.voxel);
    *sums = (ws_mrf_sums){0};
    for (size_t row = 0; row < Y * Z; row++) keep_marked(v, label + row * X, row % Y, row / Y, sums);
    return rc;
}

static int is_boundary(const ws_mrf_volume *v, const uint8_t *label, size_t x, size_t y, size_t z) {
    const size_t X = v->size[0], Y = v->size[1], Z = v->size[2], plane = X * Y;
    const int c = *label & LABEL;
    return (x > 0 && (label[-1] & LABEL) != c) || (x + 1 < X && (label[1] & LABEL) != c) ||
           (y > 0 && (*(label - X) & LABEL) != c) || (y + 1 < Y && (label[X] & LABEL) != c) ||
           (z > 0 && (*(label - plane) & LABEL) != c) || (z + 1 < Z && (label[plane] & LABEL) != c);
}

void ws_mrf_boundary(const ws_mrf_volume *v, uint8_t *label) {
    const size_t X = v->size[0], Y = v->size[1];
    for (size_t i = 0; i < v->n; i++)
        if (is_boundary(v, label + i, i % X, i / X % Y, i / X / Y)) label[i] |= MARK;
    for (size_t i = 0; i < v->n; i++) label[i] = label[i] & MARK ? label[i] & LABEL : 0;
}
