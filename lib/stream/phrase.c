/* SPDX-License-Identifier: MIT
 * The phrase of a block: see lib/stream/phrase.h. */
#include "lib/stream/phrase.h"

#include <string.h>

enum {
    SEED = 8,   /* bytes of a phrase at least, and what two descriptions are compared by */
    LOOK = 8,   /* descriptions that are compared */
    SAVED = 64  /* bytes that a phrase has to save in a block */
};

static ws_slice desc_of(const ws_batch *b, size_t i) { return b->seqtext[i].desc; }

/* Finds the longest common that begins at a word of a, give or take the bytes before it, and is in b too. */
static ws_slice common_text(const char *a, size_t na, const char *b, size_t nb) {
    ws_slice best = {0, 0};
    for (size_t i = 0; i + SEED <= na; i++) {
        if (i && a[i - 1] != ' ') continue;
        const char *found = memmem(b, nb, a + i, SEED);
        if (!found) continue;
        size_t from = i, to = i + SEED, at = (size_t)(found - b), end = at + SEED;
        while (from && at && a[from - 1] == b[at - 1]) from--, at--;
        while (to < na && end < nb && a[to] == b[end]) to++, end++;
        if (to - from > best.n) best = (ws_slice){from, to - from};
        i = to - 1;
    }
    best.n = ws_min(best.n, WS_PHRASE_MAX);
    return best;
}

/* Takes what some descriptions, evenly over the block, have in common. One that has nothing in common with the others
 * is passed over. */
static void look_for_phrase(ws_phrase *x, const ws_batch *b) {
    x->n = 0;
    for (size_t k = 0; k < LOOK; k++) {
        const ws_slice d = desc_of(b, k * b->n / LOOK);
        const char *desc = ws_batch_text(b, d);
        const ws_slice common = x->n ? common_text(x->p, x->n, desc, d.n) : (ws_slice){0, ws_min(d.n, WS_PHRASE_MAX)};
        if (common.n < SEED) continue;
        memmove(x->p, x->n ? x->p + common.at : desc, common.n);
        x->n = common.n;
    }
}

/* Copies the texts with the phrase taken out. *n: in how many descriptions it was. */
static int take_out(ws_phrase *x, const ws_batch *b, size_t *n, ws_err *err) {
    ws_buf *out = &x->text;
    out->n = 0;
    int rc = ws_buf_reserve(out, b->text.n, err);
    if (!rc) rc = ws_grow(&x->seqtext, &x->cap, b->n, sizeof *x->seqtext, err);
    *n = 0;
    for (size_t i = 0; i < b->n && !rc; i++) {
        const ws_seqtext *t = &b->seqtext[i];
        const char *desc = ws_batch_text(b, t->desc), *found = x->n ? memmem(desc, t->desc.n, x->p, x->n) : NULL;
        const size_t front = found ? (size_t)(found - desc) : t->desc.n, behind = found ? t->desc.n - front - x->n : 0;
        ws_seqtext *to = &x->seqtext[i];
        *to = *t;
        to->name.at = out->n;
        rc = ws_buf_add(out, ws_batch_text(b, t->name), t->name.n, err);
        to->desc = (ws_slice){out->n, front + behind + (found != NULL)};
        if (!rc) rc = ws_buf_add(out, desc, front, err);
        if (!rc && found) rc = ws_buf_add(out, "", 1, err);
        if (!rc && behind) rc = ws_buf_add(out, found + x->n, behind, err);
        to->qual.at = out->n;
        if (!rc) rc = ws_buf_add(out, ws_batch_text(b, t->qual), t->qual.n, err);
        *n += found != NULL;
    }
    return rc;
}

int ws_phrase_take_out(ws_phrase *x, const ws_batch *b, ws_batch *with, ws_err *err) {
    size_t n = 0;
    int rc = WS_OK;
    *with = *b;
    if (x->n) rc = take_out(x, b, &n, err);
    if (!rc && 2 * n < b->n) {
        x->n = 0;
        if (b->n >= 2) look_for_phrase(x, b);
        if (x->n) rc = take_out(x, b, &n, err);
    }
    if (rc || !x->n || n * (x->n - 1) < x->n + SAVED) {
        x->n = 0;
        return rc;
    }
    with->text = x->text;
    with->seqtext = x->seqtext;
    return WS_OK;
}

void ws_phrase_release(ws_phrase *x) {
    ws_buf_release(&x->text);
    ws_free(x->seqtext);
    *x = (ws_phrase){.n = 0};
}

int ws_phrase_put_back(const char *phrase, size_t nphrase, const char *desc, size_t n, ws_buf *out, ws_err *err) {
    const char *end = desc + n, *zero;
    int rc = WS_OK;
    for (; !rc && (zero = memchr(desc, '\0', (size_t)(end - desc))) != NULL; desc = zero + 1) {
        rc = ws_buf_add(out, desc, (size_t)(zero - desc), err);
        if (!rc) rc = ws_buf_add(out, phrase, nphrase, err);
    }
    return rc ? rc : ws_buf_add(out, desc, (size_t)(end - desc), err);
}
