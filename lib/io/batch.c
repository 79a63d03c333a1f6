/* SPDX-License-Identifier: MIT
 * The batch: see lib/io/batch.h. */
#include "lib/io/batch.h"

/* Codecs write up to 16 words behind the last and read as many. */
enum { WORD_SLACK = 16 };

void ws_batch_reuse(ws_batch *b) {
    b->number = 0;
    b->nword = b->n = b->nrow = b->text.n = 0;
    b->has_rows = 0;
    b->residues = 0;
    b->device = NULL;
}

void ws_batch_release(ws_batch *b) {
    ws_free(b->word);
    ws_free(b->first);
    ws_free(b->len);
    ws_free(b->seqtext);
    ws_free(b->row);
    ws_buf_release(&b->text);
    *b = (ws_batch){0};
}

int ws_batch_reserve_words(ws_batch *b, size_t words, ws_err *err) {
    size_t need;
    if (__builtin_add_overflow(b->nword, words, &need) || need > SIZE_MAX - WORD_SLACK)
        return ws_fail_nomem(err, SIZE_MAX);
    need += WORD_SLACK;
    return need <= b->word_cap ? WS_OK : ws_grow(&b->word, &b->word_cap, need, sizeof *b->word, err);
}

int ws_batch_add_text(ws_batch *b, const char *p, size_t n, ws_err *err) { return ws_buf_add(&b->text, p, n, err); }

int ws_batch_add_seq(ws_batch *b, uint64_t first, uint32_t len, const ws_seqtext *t, ws_err *err) {
    size_t need = b->n + 1;
    int rc;
    if ((rc = ws_grow(&b->first, &b->first_cap, need, sizeof *b->first, err)) != WS_OK) return rc;
    if ((rc = ws_grow(&b->len, &b->len_cap, need, sizeof *b->len, err)) != WS_OK) return rc;
    if ((rc = ws_grow(&b->seqtext, &b->seqtext_cap, need, sizeof *b->seqtext, err)) != WS_OK) return rc;
    b->first[b->n] = first;
    b->len[b->n] = len;
    b->seqtext[b->n] = *t;
    b->n = need;
    b->nword = ws_max(b->nword, (size_t)first + ws_batch_words(len));
    b->residues += len;
    return WS_OK;
}

int ws_batch_add_row(ws_batch *b, const ws_row *row, ws_err *err) {
    int rc = ws_grow(&b->row, &b->row_cap, b->nrow + 1, sizeof *b->row, err);
    if (rc) return rc;
    b->row[b->nrow++] = *row;
    return WS_OK;
}
