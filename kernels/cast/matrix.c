/* SPDX-License-Identifier: MIT
 * Score matrices: built in or from text, and what they say about a residue aligned to another. Specification build.md,
 * sections 2.1 and 2.2. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cast/tables.h"

/* ---- built in ---- */

/* Returns WS_EDATA and a sentence with the names for an alphabet. */
static int unknown_name(const ws_abc *abc, const char *name, ws_err *err) {
    char known[256] = "", quoted[WS_QUOTE_MAX];
    for (const ws_build_table *t = ws_build_tables; t->name; t++)
        if (t->K == abc->K) {
            if (*known) strcat(known, " ");
            strcat(known, t->name);
        }
    return ws_fail(err, WS_EDATA, "there is no score matrix \"%s\" for the alphabet %s; there is: %s",
                   ws_quote(quoted, name, strlen(name)), abc->name, known);
}

int ws_build_matrix_named(ws_build_matrix *m, const ws_abc *abc, const char *name, ws_err *err) {
    const ws_build_table *t = ws_build_tables;
    while (t->name && (t->K != abc->K || strcmp(t->name, name) != 0)) t++;
    if (!t->name) return unknown_name(abc, name, err);
    m->abc = abc;
    const int8_t *from = t->rows;
    for (int a = 0; a < t->K; a++)
        for (int b = 0; b <= a; b++) m->score[a * t->K + b] = m->score[b * t->K + a] = *from++;
    return WS_OK;
}

/* ---- from text ---- */

typedef struct reader {
    const char *file, *at, *end;
    size_t line;
} reader;

/* Moves to the next line that is neither blank nor a comment: *p to its first word, *end behind its last byte. Returns
 * 0 at the end of the text. */
static int next_line(reader *r, const char **p, const char **end) {
    while (r->at < r->end) {
        const char *lf = memchr(r->at, '\n', (size_t)(r->end - r->at));
        *p = r->at;
        *end = lf ? lf : r->end;
        r->at = lf ? lf + 1 : r->end;
        r->line++;
        while (*p < *end && isspace((unsigned char)**p)) (*p)++;
        if (*p < *end && **p != '#') return 1;
    }
    return 0;
}

/* Gets the next word of a line; returns its length, 0 if there is none. */
static size_t next_word(const char **p, const char *end, const char **word) {
    while (*p < end && isspace((unsigned char)**p)) (*p)++;
    *word = *p;
    while (*p < end && !isspace((unsigned char)**p)) (*p)++;
    return (size_t)(*p - *word);
}

/* Reads the labels: label[i] is the code of column i. */
static int read_labels(reader *r, const ws_abc *abc, int *label, int *n, ws_err *err) {
    const char *p, *end, *word;
    char quoted[WS_QUOTE_MAX];
    uint32_t seen = 0;
    size_t len;
    if (!next_line(r, &p, &end)) return ws_fail(err, WS_EDATA, "%s: no score matrix; the file is empty", r->file);
    for (*n = 0; (len = next_word(&p, end, &word)) > 0; (*n)++) {
        const uint8_t code = abc->code_of[(unsigned char)*word];
        if (len != 1 || code >= abc->Kp)
            return ws_fail(err, WS_EDATA, "%s, line %zu: found \"%s\" where a residue letter of the alphabet %s was "
                           "expected; the first line of a score matrix has the letters of its columns",
                           r->file, r->line, ws_quote(quoted, word, len), abc->name);
        if (seen >> code & 1)
            return ws_fail(err, WS_EDATA, "%s, line %zu: the score matrix has two columns for %c", r->file, r->line,
                           abc->letters[code]);
        seen |= UINT32_C(1) << code;
        label[*n] = code;
    }
    for (int x = 0; x < abc->K; x++)
        if (!(seen >> x & 1))
            return ws_fail(err, WS_EDATA, "%s, line %zu: the score matrix has no column for %c; it needs all %d "
                           "residues of the alphabet %s", r->file, r->line, abc->letters[x], abc->K, abc->name);
    return WS_OK;
}

/* Reads a whole number as far as it goes, as HMMER does. Returns 0 if the word does not begin as one. */
static int number_of(const char *word, size_t n, int *v) {
    char copy[24];
    const size_t sign = *word == '-' || *word == '+';
    if (n <= sign || n >= sizeof copy || !isdigit((unsigned char)word[sign])) return 0;
    memcpy(copy, word, n);
    copy[n] = '\0';
    const long wide = strtol(copy, NULL, 10);
    *v = (int)wide;
    return wide >= -1000000 && wide <= 1000000;
}

static int read_row(reader *r, ws_build_matrix *m, const int *label, int n, int row, ws_err *err) {
    const ws_abc *abc = m->abc;
    const char *p, *end, *word;
    char quoted[WS_QUOTE_MAX];
    const char name = abc->letters[label[row]];
    size_t len;
    int found = 0;
    if (!next_line(r, &p, &end))
        return ws_fail(err, WS_EDATA, "%s: the file ends before the row %c of the score matrix; it needs %d rows",
                       r->file, name, n);
    for (int first = 1; (len = next_word(&p, end, &word)) > 0; first = 0) {
        int v;
        if (first && len == 1 && abc->code_of[(unsigned char)*word] == label[row]) continue;
        if (!number_of(word, len, &v))
            return ws_fail(err, WS_EDATA, "%s, line %zu: found \"%s\" where a score from -1000000 to 1000000 was "
                           "expected, in the row %c of the score matrix", r->file, r->line,
                           ws_quote(quoted, word, len), name);
        if (found < n && label[row] < abc->K && label[found] < abc->K)
            m->score[label[row] * abc->K + label[found]] = v;
        found++;
    }
    if (found == n) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s, line %zu: the row %c of the score matrix has %d scores, its first line has %d "
                   "letters", r->file, r->line, name, found, n);
}

int ws_build_matrix_parse(ws_build_matrix *m, const ws_abc *abc, const char *file, const char *text, size_t n,
                          ws_err *err) {
    reader r = {file, text, text + n, 0};
    int label[WS_KP_MAX], columns = 0;
    const char *p, *end;
    m->abc = abc;
    int rc = read_labels(&r, abc, label, &columns, err);
    for (int row = 0; !rc && row < columns; row++) rc = read_row(&r, m, label, columns, row, err);
    if (!rc && next_line(&r, &p, &end))
        rc = ws_fail(err, WS_EDATA, "%s, line %zu: found a row behind the last of the score matrix, which has %d "
                     "letters", file, r.line, columns);
    return rc;
}

/* ---- its scale, and the probabilities that it stands for ---- */

/* Sets *f to the sum of the probabilities of all pairs at scale l, less 1, and *df to its derivative. */
static void probe(const ws_build_matrix *m, double l, double *f, double *df) {
    const int K = m->abc->K;
    const float *bg = m->abc->background;
    *f = *df = 0.0;
    for (int a = 0; a < K; a++)
        for (int b = 0; b < K; b++) {
            const double s = (double)m->score[a * K + b], p = (double)bg[a] * (double)bg[b] * exp(l * s);
            *f += p;
            *df += p * s;
        }
    *f -= 1.0;
}

/* Finds the scale: the root of probe above 0, by Newton's steps from above. */
static int solve(const ws_build_matrix *m, double *scale, ws_err *err) {
    const int K = m->abc->K;
    int most = m->score[0], i = 0;
    double f = 0.0, df = 0.0, l, before;
    for (int j = 1; j < K * K; j++) most = m->score[j] > most ? m->score[j] : most;
    double mean; /* with a mean of 0 or more, the only root is 0 or below */
    probe(m, 0.0, &l, &mean);
    for (l = most > 0 && mean < 0.0 ? 1.0 / (double)most : 50.0; l < 50.0; l *= 2.0) {
        probe(m, l, &f, &df);
        if (f > 0.0) break;
    }
    if (!(f > 0.0))
        return ws_fail(err, WS_EDATA, "the score matrix has no valid scale lambda: its scores need a positive one and "
                       "a negative mean");
    do {
        if (i++ == 100) return ws_fail(err, WS_EDATA, "the scale lambda of the score matrix did not converge");
        before = l;
        l -= f / df;
        probe(m, l, &f, &df);
    } while (f != 0.0 && !(fabs(l - before) < 1e-15 + 1e-15 * l));
    *scale = l;
    return WS_OK;
}

/* Sums p[y * stride] over the residues of a degenerate code. */
static double sum_over(const ws_abc *abc, int code, const double *p, int stride) {
    double sum = 0.0;
    for (int y = 0; y < abc->K; y++)
        if (abc->contains[code] >> y & 1) sum += p[y * stride];
    return sum;
}

int ws_build_scale(ws_builder *b, ws_err *err) {
    const ws_build_matrix *m = &b->set.matrix;
    const ws_abc *abc = m->abc;
    const int K = abc->K;
    double joint[WS_KP_MAX * 20] = {0}, l = 0.0;
    int rc = solve(m, &l, err);
    if (rc) return rc;
    for (int x = 0; x < K; x++)
        for (int y = 0; y < K; y++)
            joint[x * K + y] = (double)abc->background[x] * (double)abc->background[y] *
                               exp(l * (double)m->score[x * K + y]);
    for (int x = K; x < abc->Kp; x++)
        for (int y = 0; y < K; y++) joint[x * K + y] = sum_over(abc, x, joint + y, K);
    for (int x = 0; x < abc->Kp; x++) {
        const double any = sum_over(abc, abc->any, joint + x * K, 1);
        for (int y = 0; y < K; y++) b->emission[x * K + y] = any == 0.0 ? 0.0f : (float)(joint[x * K + y] / any);
    }
    return WS_OK;
}
