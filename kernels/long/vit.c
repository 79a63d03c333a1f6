/* SPDX-License-Identifier: MIT
 * The Viterbi scan of lists of windows by a width, and the definition as a body. */
#include "kernels/long/scan.h"

static int lay_out(void *layout, const ws_profile *p, ws_err *err) { return ws_words_create(layout, p, err); }

static void clear(void *layout) { ws_words_destroy(layout); }

static int points(const void *layout, const ws_long_vit_window *window, size_t n, ws_long_seeds *found, ws_buf *scratch,
                  ws_err *err) {
    const ws_words *w = layout;
    int16_t *cell = ws_buf_scratch(scratch, 6 * sizeof *cell * ((size_t)w->M + 1), err);
    int rc = cell ? WS_OK : err->code;
    for (size_t j = 0; !rc && j < n; j++) rc = ws_long_points_ref(w, &window[j].vit, window[j].x, window[j].n, cell,
                                                                  &found[j], err);
    return rc;
}

const ws_long_vit_body ws_long_vit_scalar = {sizeof(ws_words), lay_out, clear, points};

int ws_long_viterbi_create(ws_long_viterbi *s, const ws_long_vit_body *body, const ws_profile *p, ws_err *err) {
    *s = (ws_long_viterbi){.body = body};
    s->layout = ws_calloc(1, body->size, err);
    const int rc = s->layout ? body->lay_out(s->layout, p, err) : err->code;
    if (rc) ws_long_viterbi_destroy(s);
    return rc;
}

void ws_long_viterbi_destroy(ws_long_viterbi *s) {
    if (s->layout) s->body->clear(s->layout);
    ws_free(s->layout);
    *s = (ws_long_viterbi){0};
}

int ws_long_points(const ws_long_viterbi *s, const ws_long_vit_window *window, size_t n, ws_long_seeds *found,
                   ws_buf *scratch, ws_err *err) {
    return s->body->points(s->layout, window, n, found, scratch, err);
}
