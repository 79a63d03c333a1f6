/* SPDX-License-Identifier: MIT
 * HMMER3 text files: reads the match emissions of a model and its composition, and no other number. It passes by
 * the lines of insert emissions and transitions, and leaves all that is not as it should be to the whole parser
 * (lib/hmm/hmmtext.c), whose sentences say what is wrong. */
#include <math.h>

#include "lib/hmm/hmmnumber.h"
#include "lib/hmm/hmmtoken.h"

/* Reads n values -ln(p). Returns 0 if one is none. */
static int values(reader *r, float *to, int n) {
    const char *end = r->file->text + r->file->n;
    for (int i = 0; i < n; i++) {
        const char *p = skip_blanks(r->at), *q;
        double v;
        if (end - p >= 8 && ws_hmmtext_short(p, &v)) {
            q = p + 7;
        } else if (*p == '*') {
            v = INFINITY;
            for (q = p + 1; !is_end(*q);) q++;
        } else if (!ws_hmmtext_number(p, &q, &v) || !isfinite(v) || !is_end(*q) || v < -1e-5) {
            return 0;
        }
        to[i] = (float)v;
        r->at = q;
    }
    return 1;
}

/* Returns how many words are left on the line; -1 if a '#' ends it. */
static int words_left(reader *r) {
    token t;
    int n = 0;
    while (next_token(r, &t)) n++;
    return *r->at == '#' ? -1 : n;
}

/* Goes to the first line behind the header. */
static int skip_header(reader *r) {
    token t;
    while (next_line(r)) {
        next_token(r, &t);
        if (token_is(&t, "HMM")) return next_line(r); /* the labels of the transitions */
    }
    return 0;
}

/* Reads the lines of node 0: a composition if there is one, inserts, transitions. */
static int node0(reader *r, int K, float *compo) {
    token t;
    for (int x = 0; x < K; x++) compo[x] = 0;
    if (!next_line(r)) return 0;
    next_token(r, &t);
    if (!token_is(&t, "COMPO")) return next_line(r);
    if (!values(r, compo, K)) return 0;
    for (int x = 0; x < K; x++) compo[x] = expf(-compo[x]);
    return next_line(r) && next_line(r);
}

int ws_hmmtext_match(const ws_hmm *h, const ws_hmmfile *f, float *mat, float *compo) {
    const int K = h->abc->K, columns = ws_hmmtext_columns(f->version);
    reader r = {.file = f, .at = f->text};
    token t;
    if (!skip_header(&r) || !node0(&r, K, compo)) return 0;
    for (int k = 1; k <= h->M; k++) {
        if (!next_line(&r)) return 0;
        next_token(&r, &t);
        if (!token_counts(&t, k) || !values(&r, mat + (size_t)k * (size_t)K, K) || words_left(&r) != columns) return 0;
        if (!next_line(&r) || !next_line(&r)) return 0;
    }
    if (!next_line(&r)) return 0;
    next_token(&r, &t);
    return token_is(&t, "//");
}
