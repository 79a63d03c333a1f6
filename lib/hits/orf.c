/* SPDX-License-Identifier: MIT
 * The description of an ORF: see lib/hits/orf.h. */
#include "lib/hits/orf.h"

#include <string.h>

/* The rest of a description. */
typedef struct text {
    const char *p, *end;
} text;

/* Returns 1 and passes over the word if the text begins with it. */
static int take_word(text *t, const char *word) {
    const size_t n = strlen(word);
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0) return 0;
    t->p += n;
    return 1;
}

/* Returns 1 and sets *v if the text begins with a whole number from 1 to 10^18 - 1. */
static int take_number(text *t, uint64_t *v) {
    enum { DIGITS = 18 };
    const char *from = t->p;
    for (*v = 0; t->p < t->end && *t->p >= '0' && *t->p <= '9' && t->p - from < DIGITS; t->p++)
        *v = 10 * *v + (uint64_t)(*t->p - '0');
    return t->p > from && *from != '0' && (t->p == t->end || *t->p < '0' || *t->p > '9');
}

static int take_fields(text *t, ws_orf *o, uint64_t *length, uint64_t *frame) {
    if (!take_word(t, "source=")) return 0;
    const char *blank = t->p < t->end ? memchr(t->p, ' ', (size_t)(t->end - t->p)) : NULL;
    if (!blank || blank == t->p) return 0;
    o->contig = t->p;
    o->ncontig = (size_t)(blank - t->p);
    t->p = blank;
    return take_word(t, " coords=") && take_number(t, &o->from) && take_word(t, "..") && take_number(t, &o->to) &&
           take_word(t, " length=") && take_number(t, length) && take_word(t, " frame=") && take_number(t, frame) &&
           take_word(t, " desc=");
}

#define U64(v) ((unsigned long long)(v))

int ws_orf_read(ws_orf *o, const char *name, size_t nname, const char *desc, size_t ndesc, uint64_t L, ws_err *err) {
    text t = {desc, ndesc ? desc + ndesc : desc};
    uint64_t length, frame;
    char q[WS_QUOTE_MAX], said[WS_QUOTE_MAX];
    ws_quote(q, name, nname);
    *o = (ws_orf){0};
    if (!take_fields(&t, o, &length, &frame))
        return ws_fail(err, WS_EDATA, "sequence %s is no ORF that tells its place: its description is \"%s\", expected "
                       "\"source=CONTIG coords=FROM..TO length=N frame=F desc=...\" of sixframe", q,
                       ws_quote(said, desc, ndesc));
    o->minus = o->from > o->to;
    o->frame = (int)frame;
    if (length != L)
        return ws_fail(err, WS_EDATA, "sequence %s has %llu residues, but its description says length=%llu; its place "
                       "is that of the whole ORF, as sixframe writes it", q, U64(L), U64(length));
    const uint64_t bases = (o->minus ? o->from - o->to : o->to - o->from) + 1;
    if (bases != 3 * length)
        return ws_fail(err, WS_EDATA, "sequence %s: coords=%llu..%llu are %llu bases, but length=%llu asks for %llu", q,
                       U64(o->from), U64(o->to), U64(bases), U64(length), U64(3 * length));
    if (frame > 6 || (frame > 3) != o->minus)
        return ws_fail(err, WS_EDATA, "sequence %s: frame=%llu does not go with coords=%llu..%llu; frames are 1 to 3, "
                       "and 4 to 6 on the other strand", q, U64(frame), U64(o->from), U64(o->to));
    return WS_OK;
}

int ws_held_orf(const ws_held *h, ws_orf *o, ws_err *err) {
    const char *name = ws_held_name(h), *desc = ws_held_desc(h);
    return ws_orf_read(o, name, strlen(name), desc, strlen(desc), h->L, err);
}
