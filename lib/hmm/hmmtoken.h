/* SPDX-License-Identifier: MIT
 * Lines and tokens of HMMER3 text files. Internal to hmmtext.c, which inlines them. */
#ifndef WS_HMM_HMMTOKEN_H
#define WS_HMM_HMMTOKEN_H

#include "lib/hmm/hmmfile.h"

#include <string.h>
#include <strings.h>

/* A position in the text. The only NUL is the one behind the text (hmmset.c checks that). A NUL ends a line here, so
 * the loops below need no second bound. */
typedef struct reader {
    const ws_hmmfile *file;
    const char *at;   /* inside a line: the next token may begin here */
    const char *line; /* the line's first token; NULL before the first line */
} reader;

typedef struct token {
    const char *p;
    size_t n;
} token;

static inline int is_blank(char c) { return ws_hmmtext_is_blank(c); }
static inline int is_end(char c) { return ws_hmmtext_is_end(c); }

static inline const char *skip_blanks(const char *p) {
    while (is_blank(*p)) p++;
    return p;
}

/* Fails with WS_EDATA and a sentence that begins with the place in the file. */
#define bad(r, err, ...) \
    (ws_fail(err, WS_EDATA, __VA_ARGS__), \
     ws_err_prefix(err, "%s, line %zu: ", (r)->file->name, ws_hmmfile_line((r)->file, (r)->at)), WS_EDATA)

/* Moves to the first token of the next line that is neither blank nor a comment. Returns 0 at the end of the text. A
 * new reader stands at the line to be found. */
static inline int next_line(reader *r) {
    const char *p = r->at, *text_end = r->file->text + r->file->n;
    int within = r->line != NULL;
    for (;;) {
        if (within) {
            p = memchr(p, '\n', (size_t)(text_end - p));
            if (!p) break;
            p++;
        }
        within = 1;
        p = skip_blanks(p);
        if (is_end(*p)) continue;
        if (*p == '#') continue;
        r->at = r->line = p;
        return 1;
    }
    r->at = r->line = text_end;
    return 0;
}

/* Gets the next token of the line; returns 0 if there is none. A token that begins with '#' ends its line, as in
 * HMMER. */
static inline int next_token(reader *r, token *t) {
    const char *p = skip_blanks(r->at), *q = p;
    *t = (token){p, 0};
    r->at = p;
    if (*p == '#') return 0;
    while (!is_end(*q)) q++;
    if (q == p) return 0;
    *t = (token){p, (size_t)(q - p)};
    r->at = q;
    return 1;
}

static inline int token_is(const token *t, const char *word) {
    return strlen(word) == t->n && memcmp(t->p, word, t->n) == 0;
}
static inline int token_says(const token *t, const char *word) {
    return strlen(word) == t->n && strncasecmp(t->p, word, t->n) == 0;
}

/* Returns 1 if the token is k > 0 in decimal. */
static inline int token_counts(const token *t, int k) {
    size_t i = t->n;
    for (; k > 0 && i > 0 && t->p[i - 1] == '0' + k % 10; k /= 10) i--;
    return k == 0 && i == 0;
}

static inline const char *show(char *buf, const token *t) { return ws_quote(buf, t->p, t->n); }

#endif
