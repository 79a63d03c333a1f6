/* SPDX-License-Identifier: MIT
 * The packed stream on its way out: sequences of any batches into blocks that depend on the sequences alone. */
#include "lib/run/stream.h"

#include <string.h>

/* These close a block of empty sequences, which have no words, and one of long names. */
enum { BLOCK_SEQS = 1 << 20, BLOCK_TEXT = 1 << 26 };

static ws_slice add_text(ws_batch *to, const ws_batch *b, ws_slice s) {
    const ws_slice added = {to->text.n, s.n};
    if (s.n) memcpy(to->text.p + to->text.n, ws_batch_text(b, s), s.n);
    to->text.n += s.n;
    return added;
}

static int add_seq(ws_batch *to, const ws_batch *b, size_t i, ws_err *err) {
    const ws_seqtext *t = &b->seqtext[i];
    const size_t words = ws_batch_words(b->len[i]);
    int rc = ws_buf_reserve(&to->text, t->name.n + t->desc.n + t->qual.n, err);
    if (!rc) rc = ws_batch_reserve_words(to, words, err);
    if (rc) return rc;
    if (words) memcpy(to->word + to->nword, b->word + b->first[i], words * sizeof *to->word);
    ws_seqtext copy;
    copy.name = add_text(to, b, t->name);
    copy.desc = add_text(to, b, t->desc);
    copy.qual = add_text(to, b, t->qual);
    return ws_batch_add_seq(to, to->nword, b->len[i], &copy, err);
}

static int close_block(ws_packout *p, ws_buf *text, ws_err *err) {
    const size_t before = text->n;
    int rc = ws_packed_blocks(text, &p->open, NULL, 0, &p->totals, err);
    if (rc) text->n = before; /* no half of a block */
    ws_batch_reuse(&p->open);
    return rc;
}

int ws_packout_write(ws_packout *p, ws_out *out, const ws_batch *b, const ws_outtext *o, ws_err *err) {
    ws_buf text = {0};
    int rc = WS_OK;
    for (size_t i = 0; i < o->rows && !rc; i++) {
        uint32_t pick;
        memcpy(&pick, o->text.p + i * sizeof pick, sizeof pick);
        rc = add_seq(&p->open, b, pick, err);
        const ws_batch *open = &p->open;
        const int full = open->nword >= WS_PACKED_BLOCK_WORDS || open->n >= BLOCK_SEQS || open->text.n >= BLOCK_TEXT;
        if (!rc && full) rc = close_block(p, &text, err);
    }
    /* blocks that are complete leave, whatever came behind them */
    if (text.n) {
        ws_err second;
        const int rc2 = ws_out_write(out, text.p, text.n, rc ? &second : err);
        if (!rc) rc = rc2;
    }
    ws_buf_release(&text);
    return rc;
}

int ws_packout_finish(ws_packout *p, ws_out *out, int whole, ws_err *err) {
    ws_buf text = {0};
    int rc = close_block(p, &text, err);
    if (!rc && whole) rc = ws_packed_end(&text, &p->totals, err);
    if (!rc && text.n) rc = ws_out_write(out, text.p, text.n, err);
    ws_buf_release(&text);
    return rc;
}
