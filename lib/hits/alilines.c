/* SPDX-License-Identifier: MIT
 * The lines of one alignment. Specification domains.md, section 11.3. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lib/hits/write.h"

static int make_room(ws_alilines *a, const ws_hmm *hmm, size_t n, ws_err *err) {
    enum { LINES = 6 };
    char *p = ws_buf_scratch(&a->memory, LINES * (n + 1), err);
    if (!p) return err->code;
    memset(p, 0, LINES * (n + 1));
    a->n = n;
    a->model = p;
    a->match = p + (n + 1);
    a->target = p + 2 * (n + 1);
    a->pp = p + 3 * (n + 1);
    a->cs = hmm->note[WS_NOTE_CS] ? p + 4 * (n + 1) : NULL;
    a->rf = hmm->note[WS_NOTE_RF] ? p + 5 * (n + 1) : NULL;
    a->identical = 0;
    return WS_OK;
}

/* The characters of node k in the lines that are the model's own. */
static void put_node(ws_alilines *a, const ws_hmm *hmm, size_t c, size_t k) {
    a->model[c] = hmm->note[WS_NOTE_CONS][k];
    if (a->cs) a->cs[c] = hmm->note[WS_NOTE_CS][k];
    if (a->rf) a->rf[c] = hmm->note[WS_NOTE_RF][k];
}

static char match_of(const ws_hitquery *q, size_t k, uint8_t x) {
    const unsigned char consensus = (unsigned char)q->hmm->note[WS_NOTE_CONS][k];
    if (q->hmm->abc->code_of[consensus] == x) return (char)consensus;
    return q->profile && expf(q->profile->score[x * ((size_t)q->hmm->M + 1) + k]) > 1.0f ? '+' : ' ';
}

int ws_alilines_make(ws_alilines *a, const ws_hitquery *q, const ws_held *h, const ws_held_domain *d, ws_err *err) {
    const uint8_t *column = ws_held_columns(h, d), *x = ws_held_residues(h, d);
    const ws_abc *abc = q->hmm->abc;
    size_t k = d->hmm_from;
    int rc = make_room(a, q->hmm, d->ncolumn, err);
    if (rc) return rc;
    for (size_t c = 0; c < d->ncolumn; c++) {
        a->pp[c] = ws_code_letter(column[c]);
        switch (column[c] & WS_COLUMN_STATE) {
        case WS_COLUMN_M:
            put_node(a, q->hmm, c, k);
            a->match[c] = match_of(q, k, *x);
            a->identical += a->match[c] != '+' && a->match[c] != ' ';
            a->target[c] = (char)toupper(ws_ali_letter(abc, *x++));
            k++;
            break;
        case WS_COLUMN_I:
            a->model[c] = '.';
            if (a->cs) a->cs[c] = '.';
            if (a->rf) a->rf[c] = '.';
            a->match[c] = ' ';
            a->target[c] = (char)tolower(ws_ali_letter(abc, *x++));
            break;
        default:
            put_node(a, q->hmm, c, k);
            a->match[c] = ' ';
            a->target[c] = '-';
            k++;
        }
    }
    return WS_OK;
}

void ws_alilines_release(ws_alilines *a) {
    ws_buf_release(&a->memory);
    *a = (ws_alilines){0};
}
