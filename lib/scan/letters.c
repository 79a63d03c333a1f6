/* SPDX-License-Identifier: MIT
 * A look at the letters of the first sequences: nucleotides are letters of amino acids too, so DNA that is given in place of proteins
 * would be scored without a word. And at the length of each, because a record of DNA may be a chromosome. */
#include "lib/run/message.h"
#include "lib/scan/state.h"

#include <string.h>

/* Letters that are looked at, and the fewest that tell: a peptide of 50 residues has letters that DNA lacks. In proteins three of four
 * letters are none of ACGTUN. Reads have a few codes of several nucleotides. */
enum { LETTERS_MOST = 10000, LETTERS_LEAST = 50, SHARE_OF_OTHERS = 20 };

static void count(ws_letters *l, const ws_batch *b, const char *letters) {
    for (size_t i = 0; i < b->n; i++) {
        const uint32_t *word = b->word + b->first[i];
        for (size_t k = 0; k < b->len[i] && l->n < LETTERS_MOST; k++) {
            const char c = letters[word[k / 6] >> 5 * (k % 6) & 31];
            if (strchr(".*~X", c)) continue;
            l->n++;
            l->others += strchr("ACGTUN", c) == NULL;
        }
    }
}

/* A chromosome is no target but holds some. */
enum { LONG_RECORD = 100000 };

static void look_at_lengths(ws_scan_state *s, const ws_batch *b) {
    ws_letters *l = &s->letters;
    if (!b || l->told_length || !s->scan->looks_long || !s->scan->abc->complement || ws_scan_binds(s)) return;
    for (size_t i = 0; i < b->n && !l->told_length; i++) l->told_length = b->len[i] > LONG_RECORD;
    if (l->told_length) ws_message_note(s->job, "%s", s->scan->looks_long);
}

void ws_scan_look_at_letters(ws_scan_state *s, const ws_batch *b) {
    ws_letters *l = &s->letters;
    look_at_lengths(s, b);
    const ws_scan *scan = s->scan;
    if (l->told || !scan->looks_like_dna || scan->abc->type != WS_ABC_AMINO || ws_scan_binds(s)) return;
    if (b) count(l, b, scan->abc->letters);
    if (b && l->n < LETTERS_MOST) return;
    l->told = 1;
    if (l->n >= LETTERS_LEAST && l->others * SHARE_OF_OTHERS <= l->n) ws_message_note(s->job, "%s", scan->looks_like_dna);
}
