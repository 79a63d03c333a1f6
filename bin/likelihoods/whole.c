/* SPDX-License-Identifier: MIT
 * Blocks of results text that end where a region ends: see bin/likelihoods/whole.h. A region ends where the next one
 * begins, so the last
 * region of a text waits for more lines or the end of its file. */
#include "bin/likelihoods/whole.h"

#include <string.h>

void ws_pairhmm_whole_release(ws_pairhmm_whole *w) {
    ws_buf_release(&w->rest.text);
    ws_buf_release(&w->next.text);
    ws_pairhmm_text_release(&w->parsed);
}

static void swap(ws_pairhmm_block *a, ws_pairhmm_block *b) {
    const ws_pairhmm_block t = *a;
    *a = *b;
    *b = t;
}

/* Makes the first n > 0 bytes of the rest a block. */
static int give(ws_pairhmm_whole *w, size_t n, ws_pairhmm_block *p, ws_err *err) {
    swap(&w->rest, p);
    w->rest.text.n = 0;
    w->rest.at = p->at;
    w->rest.format = p->format;
    int rc = ws_buf_add(&w->rest.text, p->text.p + n, p->text.n - n, err);
    p->text.n = n;
    for (const char *at = p->text.p, *end = at + n; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        w->rest.at.line++;
    w->seen = 0;
    w->need = 2 * w->rest.text.n;
    return rc;
}

/* Appends the last block read to the rest. If it begins another file, sets new_file instead and leaves the block in
 * `next`. */
static int take(ws_pairhmm_whole *w, ws_err *err) {
    w->new_file = w->rest.text.n && w->next.at.name != w->rest.at.name;
    if (w->new_file) return WS_OK;
    if (w->rest.text.n) return ws_buf_add(&w->rest.text, w->next.text.p, w->next.text.n, err);
    swap(&w->rest, &w->next);
    return WS_OK;
}

/* Makes the whole regions of the rest a block; WS_AGAIN if there is none yet. It parses a text again only once it
 * has doubled or the input pauses. */
static int give_regions(ws_pairhmm_whole *w, int paused, ws_pairhmm_block *p, ws_err *err) {
    size_t n;
    if (w->rest.text.n <= w->seen || (!paused && w->rest.text.n < w->need)) return WS_AGAIN;
    int rc = ws_pairhmm_whole_results(&w->parsed, w->rest.text.p, w->rest.text.n, &w->rest.at, &n, err);
    if (rc) return rc;
    if (n) return give(w, n, p, err);
    w->seen = w->rest.text.n;
    w->need = 2 * w->seen;
    return WS_AGAIN;
}

int ws_pairhmm_whole_fill(ws_pairhmm_whole *w, ws_pairhmm_input *in, ws_pairhmm_block *p, ws_err *err) {
    for (;;) {
        if ((w->ended || w->new_file) && w->rest.text.n) return give(w, w->rest.text.n, p, err);
        if (w->ended) return WS_EOF;
        int rc = w->new_file ? WS_OK : ws_pairhmm_input_fill(in, &w->next, err);
        const int paused = rc == WS_AGAIN;
        w->ended = rc == WS_EOF;
        if (w->ended) continue;
        if (!rc && w->next.format != WS_PAIRHMM_RESULTS) {
            w->new_file = 0;
            swap(&w->next, p);
            return WS_OK;
        }
        if (!rc) rc = take(w, err);
        if (rc && !paused) return rc;
        if (w->new_file) continue;
        rc = give_regions(w, paused, p, err);
        if (rc != WS_AGAIN || paused) return rc;
    }
}
