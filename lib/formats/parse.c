/* SPDX-License-Identifier: MIT
 * The open record of a parser: residues to words, texts, the way into the batch. See lib/formats/parser.h. */
#include "lib/formats/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Codes on their way into words: a multiple of six, small enough to stay in the first-level cache. */
enum { CODES = 6 * 2048, CODEC_SLACK = 64 };

int ws_parse_prepare(ws_parse *s, const ws_seqread_conf *conf, ws_err *err) {
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    *s = (ws_parse){.conf = conf, .abc = conf->abc, .any_abc = conf->any_abc, .codec = ws_codec_get(&cpu),
                    .most = conf->batch_residues};
    s->code = ws_calloc(CODES + CODEC_SLACK, 1, err);
    return s->code ? WS_OK : err->code;
}

void ws_parse_release(ws_parse *s) {
    ws_free(s->code);
    ws_buf_release(&s->head);
    ws_buf_release(&s->qual);
    ws_buf_release(&s->acc);
    ws_buf_release(&s->skipped);
    ws_ledger_release(&s->ledger);
    for (int i = 0; i < s->table.nall; i++) ws_free(s->table.all[i]);
    ws_free(s->table.all);
    ws_free(s->table.column);
    ws_queries_destroy(s->queries);
}

int ws_parse_kind(ws_parse *s, int pairs, ws_err *err) {
    if (s->read && s->pairs != pairs)
        return ws_fail(err, WS_EDATA, "%s: packed pairs and other inputs cannot be read together, and this holds %s",
                       s->input, pairs ? "pairs" : "no pairs");
    s->read = 1;
    s->pairs = pairs;
    return WS_OK;
}

int ws_parse_fail(const ws_parse *s, ws_err *err, const char *fmt, ...) {
    char text[WS_ERR_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return ws_fail(err, WS_EDATA, "%s: line %llu: %s", s->input, (unsigned long long)s->line, text);
}

size_t ws_parse_start(ws_parse *s, const uint8_t *p, size_t n, char mark, const char *format, int *rc, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    size_t i = 0;
    for (; i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n'); i++) s->line += p[i] == '\n';
    if (i == n || p[i] == (uint8_t)mark) return i + (i < n);
    const uint8_t *eol = memchr(p + i, '\n', n - i);
    *rc = ws_parse_fail(s, err, "expected '%c' at the start of a %s record, found \"%s\"", mark, format,
                        ws_quote(quote, (const char *)p + i, eol ? (size_t)(eol - p) - i : n - i));
    return i + 1;
}

int ws_parse_pack(ws_parse *s, ws_err *err) {
    const size_t words = ws_batch_words(s->ncode);
    if (ws_parse_len(s) > WS_LEN_MAX)
        return ws_parse_fail(s, err, "the sequence is longer than %u residues", (unsigned)WS_LEN_MAX);
    int rc = ws_batch_reserve_words(s->b, s->nopen + words, err);
    if (rc) return rc;
    s->codec->pack(s->code, s->ncode, s->b->word + s->b->nword + s->nopen);
    s->nopen += words;
    s->ncode = 0;
    return WS_OK;
}

int ws_parse_residues(ws_parse *s, const uint8_t *p, size_t n, size_t *used, ws_err *err) {
    size_t i = 0, want, got;
    int rc = WS_OK;
    do {
        want = ws_min(n - i, CODES - s->ncode);
        got = s->codec->digitise(s->abc, p + i, want, s->code + s->ncode);
        s->ncode += got;
        i += got;
        if (s->ncode == CODES) rc = ws_parse_pack(s, err);
    } while (!rc && got == want && i < n);
    *used = i;
    return rc;
}

int ws_parse_lines(ws_parse *s, const uint8_t *p, size_t n, size_t *used, ws_err *err) {
    size_t i = 0, want, took;
    int rc = WS_OK;
    do {
        want = took = ws_min(n - i, CODES - s->ncode);
        s->ncode += s->codec->digitise_lines(s->abc, p + i, &took, s->code + s->ncode, &s->line);
        i += took;
        if (s->ncode == CODES) rc = ws_parse_pack(s, err);
    } while (!rc && took == want && i < n);
    *used = i;
    return rc;
}

/* Fails if a zero byte is among p[0..n), which stand behind `before` bytes of the line: it would end a text. */
static int no_zero(const ws_parse *s, size_t before, const uint8_t *p, size_t n, ws_err *err) {
    const uint8_t *zero = memchr(p, '\0', n);
    if (!zero) return WS_OK;
    return ws_parse_fail(s, err, "byte %zu of the line is zero, which no name or description holds",
                         before + (size_t)(zero - p) + 1);
}

size_t ws_parse_line(ws_parse *s, ws_buf *to, const uint8_t *p, size_t n, size_t most, int *whole, int *rc,
                     ws_err *err) {
    const uint8_t *eol = memchr(p, '\n', n);
    const size_t take = eol ? (size_t)(eol - p) : n;
    *whole = eol != NULL;
    *rc = take > most - to->n ? ws_parse_fail_long(s, "a line has", err) : no_zero(s, to->n, p, take, err);
    if (!*rc) *rc = ws_buf_add(to, p, take, err);
    if (*rc || !eol) return take;
    while (to->n && to->p[to->n - 1] == '\r') to->n--;
    if (to->n && memchr(to->p, '\r', to->n)) *rc = ws_parse_fail_returns(s, err);
    return take + 1;
}

int ws_parse_without(ws_parse *s, const uint8_t *p, size_t n, const char *drop, ws_err *err) {
    enum { STEP = 4096 };
    uint8_t kept[STEP + CODEC_SLACK], stays[256];
    int rc = WS_OK;
    memset(stays, 1, sizeof stays);
    for (; *drop; drop++) stays[(uint8_t)*drop] = 0;
    for (size_t from = 0; from < n && !rc; from += STEP) {
        size_t k = 0, used = 0;
        for (size_t i = from; i < ws_min(n, from + STEP); i++) {
            kept[k] = p[i];
            k += stays[p[i]];
        }
        while (!rc && used < k) {
            size_t got;
            rc = ws_parse_lines(s, kept + used, k - used, &got, err);
            used += got;
            if (!rc && used < k) rc = ws_parse_bad(s, kept[used++], err);
        }
    }
    return rc;
}

int ws_parse_refuse(const ws_parse *s, uint8_t c, const char *name, size_t nname, uint64_t place, ws_err *err) {
    char quote[WS_QUOTE_MAX], shown[WS_QUOTE_MAX], of[WS_QUOTE_MAX + 32] = "";
    const char ch = (char)c;
    if (nname) snprintf(of, sizeof of, " of sequence \"%s\"", ws_quote(shown, name, nname));
    return ws_parse_fail(s, err,
                         "'%s' is not a letter of the %s alphabet, at position %llu%s (see --bad-residue of respack "
                         "and the filters, as in respack %s--bad-residue=x FILE | ...%s)",
                         ws_quote(quote, &ch, 1), s->abc->name, (unsigned long long)place, of,
                         s->abc->type == WS_ABC_DNA ? "--dna " : s->abc->type == WS_ABC_RNA ? "--rna " : "",
                         c == '-' && s->of_gap ? s->of_gap : "");
}

static int refuse(const ws_parse *s, uint8_t c, ws_err *err) {
    const char *name = s->name.n ? s->head.p + s->name.at : NULL; /* a row of windows may have no head */
    return ws_parse_refuse(s, c, name, s->name.n, s->at + ws_parse_len(s) + 1, err);
}

int ws_parse_bad(ws_parse *s, uint8_t c, ws_err *err) {
    uint64_t place = ws_parse_len(s) + s->skipped.n / sizeof place;
    s->bad++;
    switch (s->conf->badres) {
    case WS_BADRES_X:
        s->code[s->ncode++] = (uint8_t)s->abc->any;
        return s->ncode == CODES ? ws_parse_pack(s, err) : WS_OK;
    case WS_BADRES_SKIP:
        return s->note_skips ? ws_buf_add(&s->skipped, &place, sizeof place, err) : WS_OK;
    case WS_BADRES_ERROR:
        break;
    }
    return refuse(s, c, err);
}

int ws_parse_fail_long(const ws_parse *s, const char *what, ws_err *err) {
    return ws_parse_fail(s, err, "%s more than %d MiB, which is the most; is the file damaged?", what,
                         WS_TEXT_MAX >> 20);
}

int ws_parse_fail_returns(const ws_parse *s, ws_err *err) {
    return ws_parse_fail(s, err,
                         "lines end in carriage returns alone, expected line feeds (tr '\\r' '\\n' makes them)");
}

/* Returns whether another character follows a carriage return, here or between this text and the one before it. */
static int lone_return(ws_parse *s, const uint8_t *p, size_t n) {
    int lone = n && s->returned && p[0] != '\r';
    for (const uint8_t *at = memchr(p, '\r', n), *end = p + n; at && !lone;
         at = memchr(at + 1, '\r', (size_t)(end - at - 1)))
        lone = at + 1 < end && at[1] != '\r';
    if (n) s->returned = p[n - 1] == '\r';
    return lone;
}

int ws_parse_text(ws_parse *s, ws_buf *to, const uint8_t *p, size_t n, ws_err *err) {
    if (n > WS_TEXT_MAX - to->n) return ws_parse_fail_long(s, "a name and a description have", err);
    /* the first fault is told, wherever the chunks of the input end */
    const uint8_t *zero = memchr(p, '\0', n);
    if (lone_return(s, p, zero ? (size_t)(zero - p) + 1 : n)) return ws_parse_fail_returns(s, err);
    int rc = no_zero(s, to->n + 1, p, n, err); /* behind '>' or '@' */
    if (!rc) rc = ws_buf_reserve(to, n + CODEC_SLACK, err);
    if (rc) return rc;
    if (s->conf->whole_text) memcpy(to->p + to->n, p, n);
    else s->codec->copy_text(to->p + to->n, (const char *)p, n);
    for (size_t i = 0; s->conf->tab_joins && i < n; i++)
        if (p[i] == '\t') to->p[to->n + i] = '_';
    to->n += n;
    return WS_OK;
}

/* A tab is a blank here unless ws_parse_text has changed it. */
static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

int ws_parse_header(ws_parse *s, ws_err *err) {
    const char *h = s->head.p;
    size_t n = s->head.n, from = 0, i;
    s->returned = 0;
    while (from < n && is_blank(h[from])) from++; /* "> name", which hmmsearch takes too */
    if (from == n) return ws_parse_fail(s, err, "a record without a name");
    while (h[n - 1] == '\r' || (is_blank(h[n - 1]) && !s->conf->whole_text)) n--;
    for (i = from; i < n && !is_blank(h[i]); i++) continue;
    s->name = (ws_slice){from, i - from};
    while (i < n && is_blank(h[i])) i++;
    s->desc = (ws_slice){i, n - i};
    return WS_OK;
}

/* Takes out the qualities whose residues were skipped. */
static void skip_qualities(ws_parse *s) {
    uint64_t place;
    size_t w = 0, k = 0, nskip = s->skipped.n / sizeof place;
    for (size_t i = 0; i < s->qual.n; i++) {
        if (k < nskip) {
            memcpy(&place, s->skipped.p + k * sizeof place, sizeof place);
            if (place == i) {
                k++;
                continue;
            }
        }
        s->qual.p[w++] = s->qual.p[i];
    }
    s->qual.n = w;
}

int ws_parse_qual(ws_parse *s, ws_err *err) {
    const uint64_t want = ws_parse_len(s) + s->skipped.n / sizeof(uint64_t);
    unsigned odd = 0;
    if (s->qual.n != want)
        return ws_parse_fail(s, err, "%zu quality values for %llu residues", s->qual.n, (unsigned long long)want);
    for (size_t i = 0; i < s->qual.n; i++) odd |= (unsigned char)(s->qual.p[i] - '!') > '~' - '!';
    if (odd) return ws_parse_fail(s, err, "a quality value outside of '!' to '~'");
    if (s->skipped.n) skip_qualities(s);
    return WS_OK;
}

void ws_parse_drop(ws_parse *s) {
    s->nopen = s->ncode = 0;
    s->at = s->old = 0;
    s->bad = s->returned = 0;
    s->head.n = s->qual.n = s->acc.n = s->skipped.n = 0;
    s->name = s->desc = (ws_slice){0};
}

XXH128_hash_t ws_parse_identity(const ws_batch *b, size_t i) {
    const ws_seqtext *t = &b->seqtext[i];
    const size_t n = t->name.n + t->desc.n + t->qual.n; /* one after the other */
    const XXH128_hash_t text =
        XXH3_128bits_withSeed(ws_batch_text(b, t->name), n, t->name.n ^ (uint64_t)t->qual.n << 32);
    return XXH3_128bits_withSeed(b->word + b->first[i], ws_batch_words(b->len[i]) * sizeof *b->word,
                                 text.low64 ^ text.high64 ^ b->len[i]);
}

static ws_slice put_text(ws_buf *text, const char *p, size_t n) {
    const ws_slice s = {text->n, n};
    if (n) memcpy(text->p + text->n, p, n);
    text->n += n;
    return s;
}

/* Adds the first len residues that are open as a sequence. */
static int add_seq(ws_parse *s, uint64_t len, int more, ws_err *err) {
    ws_batch *b = s->b;
    ws_seqtext t = {.at = s->at, .old = s->old, .more = more};
    int rc = ws_buf_reserve(&b->text, s->name.n + s->desc.n + s->qual.n + s->acc.n, err);
    if (rc) return rc;
    t.name = put_text(&b->text, s->head.p + s->name.at, s->name.n);
    t.desc = put_text(&b->text, s->head.p + s->desc.at, s->desc.n);
    t.qual = put_text(&b->text, s->qual.p, s->qual.n);
    t.acc = put_text(&b->text, s->acc.p, s->acc.n);
    if ((rc = ws_batch_add_seq(b, b->nword, (uint32_t)len, &t, err)) != WS_OK) return rc;
    b->residues -= s->old;
    if (!b->has_rows) { /* rows are no sequences of the database: the end of their table counts these */
        s->ledger.seqs += !more;
        s->ledger.residues += len - s->old;
    }
    s->bad_total += s->bad;
    s->bad = 0;
    return WS_OK;
}

int ws_parse_commit(ws_parse *s, uint64_t len, ws_err *err) {
    const int rc = add_seq(s, len, 0, err);
    if (!rc) ws_parse_drop(s);
    return rc;
}

int ws_parse_piece(ws_parse *s, ws_err *err) {
    const ws_seqread_conf *c = s->conf;
    const uint64_t len = WS_RESIDUES_PER_WORD * (uint64_t)s->nopen, end = s->at + len;
    if (!c->block || s->b->residues + len - s->old < c->batch_residues || end / c->block == (s->at + s->old) / c->block)
        return WS_OK;
    const uint64_t block = end / c->block * c->block, from = block > c->context ? block - c->context : 0;
    const uint64_t first = ws_max(from / WS_RESIDUES_PER_WORD * WS_RESIDUES_PER_WORD, s->at);
    const size_t keep = (size_t)((end - first) / WS_RESIDUES_PER_WORD);
    int rc = ws_batch_reserve_words(s->b, s->nopen + keep, err);
    if (!rc) rc = add_seq(s, len, 1, err);
    if (rc) return rc;
    memmove(s->b->word + s->b->nword, s->b->word + s->b->nword - keep, keep * sizeof *s->b->word);
    s->at = first;
    s->old = (uint32_t)(end - first);
    s->nopen = keep;
    return WS_OK;
}
