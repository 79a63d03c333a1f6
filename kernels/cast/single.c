/* SPDX-License-Identifier: MIT
 * The model of one sequence. Specification build.md, sections 2.3 and 2.4. */
#include <ctype.h>
#include <string.h>

#include "kernels/cast/tables.h"
#include "lib/simd/flush.h"

/* Sets the consensus line. A degenerate letter's case comes from the emission at its code's place in the table, in a
 * later node; behind the table HMMER reads what is there, and the letter here is lower case (section 2.4). */
static int set_consensus(ws_hmm *h, const ws_build_sequence *q, ws_err *err) {
    const float sure = h->abc->type == WS_ABC_AMINO ? 0.5f : 0.9f;
    const size_t K = (size_t)h->abc->K, end = ((size_t)h->M + 1) * K;
    int rc = ws_hmm_add_note(h, WS_NOTE_CONS, err);
    for (size_t k = 1; !rc && k <= (size_t)h->M; k++) {
        const uint8_t code = q->codes[k - 1];
        const int letter = code == K ? '-' : h->abc->letters[code];
        const size_t at = k * K + code;
        h->note[WS_NOTE_CONS][k] = (char)(at < end && h->mat[at] >= sure ? toupper(letter) : tolower(letter));
    }
    return rc;
}

static int copy_text(char **to, const char *from, ws_err *err) {
    if (!from || !*from) return WS_OK;
    *to = ws_strndup(from, strlen(from), err);
    return *to ? WS_OK : err->code;
}

static int fill(const ws_builder *b, const ws_build_sequence *q, ws_hmm *h, ws_err *err) {
    const size_t K = (size_t)h->abc->K;
    int rc = copy_text(&h->name, q->name, err);
    if (!rc) rc = copy_text(&h->acc, q->acc, err);
    if (!rc) rc = copy_text(&h->desc, q->desc, err);
    if (!rc) rc = ws_hmm_alloc(h, err);
    if (!rc && !(h->made = ws_calloc(1, sizeof *h->made, err))) rc = err->code;
    if (rc) return rc;
    for (uint32_t i = 0; i < q->L; i++)
        memcpy(h->mat + (i + 1) * K, b->emission + q->codes[i] * K, K * sizeof *h->mat);
    ws_build_set_gaps(h, &b->set, 1, 1);
    *h->made = (ws_hmm_made){.effn = 1.0f, .from_sequence = 1};
    h->nseq = 1;
    ws_build_composition(h);
    return set_consensus(h, q, err);
}

int ws_build_draft_sequence(const ws_builder *b, const ws_build_sequence *q, ws_hmm *h, ws_err *err) {
    *h = (ws_hmm){.abc = b->set.abc, .M = (int)q->L};
    if (!q->L) return ws_fail(err, WS_EDATA, "sequence %s has no residues, so no model can be made of it", q->name);
    if (q->L > INT32_MAX - 1)
        return ws_fail(err, WS_EDATA, "sequence %s has %u residues, too many for a model", q->name, q->L);
    const uint32_t before = ws_flush_begin();
    const int rc = fill(b, q, h, err);
    ws_flush_end(before);
    if (rc) ws_hmm_release(h);
    return rc;
}

int ws_build_from_sequence(const ws_builder *b, const ws_build_sequence *q, ws_hmm *h, ws_err *err) {
    int rc = ws_build_draft_sequence(b, q, h, err);
    if (rc) return rc;
    rc = ws_build_complete(b, h, err);
    if (rc) ws_hmm_release(h);
    return rc;
}
