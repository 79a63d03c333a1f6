/* SPDX-License-Identifier: MIT
 * Text on its way to a file: see lib/files/sink.h. */
#include "lib/files/sink.h"

#include "lib/base/parallel_for.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of text that are worth a write, where they were collected and where they come at once. */
enum { ENOUGH = 1 << 20, MUCH = 1 << 17 };

void ws_sink_add(ws_sink *s, const char *p, size_t n) {
    if (s->err.code == WS_OK) (void)ws_buf_add(&s->text, p, n, &s->err);
}

void ws_sink_f(ws_sink *s, const char *fmt, ...) {
    va_list ap;
    if (s->err.code != WS_OK) return;
    va_start(ap, fmt);
    (void)ws_buf_addv(&s->text, &s->err, fmt, ap);
    va_end(ap);
}

static void write_all(ws_sink *s) {
    if (s->err.code != WS_OK || !s->write || s->text.n == 0) return;
    (void)s->write(s->to, s->text.p, s->text.n, &s->err);
    s->text.n = 0;
}

void ws_sink_pause(ws_sink *s) {
    if (s->text.n >= ENOUGH) write_all(s);
}

void ws_sink_pass(ws_sink *s, const char *p, size_t n) {
    if (!s->write || n < MUCH) {
        ws_sink_add(s, p, n);
        ws_sink_pause(s);
        return;
    }
    write_all(s);
    if (s->err.code == WS_OK) (void)s->write(s->to, p, n, &s->err);
}

/* ---- items on several threads ---- */

enum { SHARES = 4 /* of a thread, whose text is in memory */ };

typedef struct items {
    ws_sink *s;
    size_t n, share;
    ws_sink_share *make;
    void *ctx;
    size_t nslot;
    ws_sink *slot; /* [nslot] the text of share k is in slot k % nslot, until it leaves */
    int any;       /* there was text */
} items;

static int make_share(void *of, size_t k, ws_err *err) {
    const items *w = of;
    ws_sink *s = &w->slot[k % w->nslot];
    w->make(w->ctx, s, k * w->share, ws_min((k + 1) * w->share, w->n));
    return ws_sink_flush(s, err);
}

static int give_share(void *of, size_t k, ws_err *err) {
    items *w = of;
    ws_buf *text = &w->slot[k % w->nslot].text;
    w->any |= text->n > 0;
    if (text->n) ws_sink_pass(w->s, text->p, text->n);
    text->n = 0;
    if (text->cap > ENOUGH) ws_buf_release(text);
    if (w->s->err.code) *err = w->s->err;
    return w->s->err.code;
}

int ws_sink_items(ws_sink *s, size_t n, size_t share, int threads, ws_sink_share *make, void *ctx) {
    items w = {.s = s, .n = n, .share = share, .make = make, .ctx = ctx,
               .nslot = SHARES * (size_t)ws_max(threads, 1)};
    if (s->err.code || !(w.slot = ws_calloc(w.nslot, sizeof *w.slot, &s->err))) return 0;
    const ws_ordered all = {.n = (n + share - 1) / share, .room = w.nslot, .make = make_share, .give = give_share,
                            .ctx = &w};
    ws_err err = {0};
    if (ws_parallel_in_order(&all, threads, &err) && !s->err.code) s->err = err;
    for (size_t k = 0; k < w.nslot; k++) ws_sink_release(&w.slot[k]);
    ws_free(w.slot);
    return w.any;
}

int ws_sink_flush(ws_sink *s, ws_err *err) {
    write_all(s);
    if (s->err.code != WS_OK) *err = s->err;
    return s->err.code;
}

void ws_sink_release(ws_sink *s) { ws_buf_release(&s->text); }
