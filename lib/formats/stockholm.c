/* SPDX-License-Identifier: MIT
 * The parser of Stockholm as a file of sequences: rows without their gaps, in the order in which the alignment names
 * them. An alignment is held until its "//", because a row may go on in each of its blocks. */
#include "lib/formats/parser.h"

#include <string.h>

typedef struct row {
    ws_slice name, acc, desc; /* in sto.text; acc and desc: the last ones given */
    ws_buf residues;          /* letters so far */
    uint64_t columns;         /* with gaps */
} row;

typedef struct sto {
    enum { OUTSIDE, INSIDE, DELIVER } state;
    ws_buf line;          /* text of a line that has not ended */
    ws_buf text;          /* names and annotation */
    row *row;
    size_t n, cap;
    uint32_t *slot;       /* [nslot] row + 1 by the hash of its name; 0: free */
    size_t nslot;         /* a power of 2 */
    size_t next;          /* the row that is expected next */
    uint64_t before, width; /* columns before this block, and in it; width 0: no row of it was read */
    size_t in_block;      /* rows of this block */
    size_t leaving, sent; /* the row that leaves, and residues of it that are taken */
} sto;

static int begin(void *own, ws_parse *s, ws_err *err) {
    sto *t = own;
    (void)err;
    t->state = OUTSIDE;
    t->line.n = 0;
    s->note_skips = 0;
    return WS_OK;
}

/* Forgets the alignment. */
static void forget(sto *t) {
    for (size_t i = 0; i < t->n; i++) ws_buf_release(&t->row[i].residues);
    if (t->nslot) memset(t->slot, 0, t->nslot * sizeof *t->slot);
    t->n = t->text.n = t->next = t->in_block = t->leaving = t->sent = 0;
    t->before = t->width = 0;
}

static void release(void *own) {
    sto *t = own;
    forget(t);
    ws_buf_release(&t->line);
    ws_buf_release(&t->text);
    ws_free(t->row);
    ws_free(t->slot);
}

/* ---- words ---- */

typedef struct word {
    const char *p;
    size_t n;
} word;

static int is_blank(char c) { return c == ' ' || c == '\t'; }

static word trim(word w) {
    while (w.n && is_blank(w.p[w.n - 1])) w.n--;
    while (w.n && is_blank(*w.p)) w.p++, w.n--;
    return w;
}

/* Takes the first word off the line, which has no blanks at its ends then. */
static word first_word(word *line) {
    word w = trim(*line);
    size_t n = 0;
    while (n < w.n && !is_blank(w.p[n])) n++;
    *line = trim((word){w.p + n, w.n - n});
    w.n = n;
    return w;
}

static int word_is(word w, const char *text) { return w.n == strlen(text) && !memcmp(w.p, text, w.n); }
static int starts(word w, const char *text) { return w.n >= strlen(text) && !memcmp(w.p, text, strlen(text)); }

/* ---- rows ---- */

static size_t place_of(const sto *t, word name) {
    size_t at = (size_t)XXH3_64bits(name.p, name.n) & (t->nslot - 1);
    for (; t->slot[at]; at = (at + 1) & (t->nslot - 1)) {
        const ws_slice have = t->row[t->slot[at] - 1].name;
        if (have.n == name.n && !memcmp(t->text.p + have.at, name.p, name.n)) break;
    }
    return at;
}

static int widen(sto *t, ws_err *err) {
    const size_t nslot = t->nslot ? 2 * t->nslot : 64;
    uint32_t *slot = ws_calloc(nslot, sizeof *slot, err);
    if (!slot) return err->code;
    ws_free(t->slot);
    t->slot = slot;
    t->nslot = nslot;
    for (size_t i = 0; i < t->n; i++)
        slot[place_of(t, (word){t->text.p + t->row[i].name.at, t->row[i].name.n})] = (uint32_t)i + 1;
    return WS_OK;
}

static int keep(sto *t, word w, ws_slice *to, ws_err *err) {
    *to = (ws_slice){t->text.n, w.n};
    return w.n ? ws_buf_add(&t->text, w.p, w.n, err) : WS_OK;
}

/* Finds the row of a name, or adds it before the first block ends. */
static int find_row(sto *t, const ws_parse *s, word name, size_t *found, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    int rc = 2 * (t->n + 1) > t->nslot ? widen(t, err) : WS_OK;
    if (rc) return rc;
    const ws_slice guess = t->next < t->n ? t->row[t->next].name : (ws_slice){0, 0};
    *found = t->next;
    if (guess.n == name.n && !memcmp(t->text.p + guess.at, name.p, name.n)) return WS_OK;
    const size_t at = place_of(t, name);
    *found = t->slot[at] - (size_t)1;
    if (t->slot[at]) return WS_OK;
    if (t->before)
        return ws_parse_fail(s, err, "\"%s\" is no row of the blocks before this one",
                             ws_quote(quote, name.p, name.n));
    if (t->n >= UINT32_MAX - 1) return ws_parse_fail(s, err, "the alignment has more than %zu rows", t->n);
    rc = ws_grow(&t->row, &t->cap, t->n + 1, sizeof *t->row, err);
    if (rc) return rc;
    t->row[t->n] = (row){0};
    rc = keep(t, name, &t->row[t->n].name, err);
    if (rc) return rc;
    *found = t->n++;
    t->slot[at] = (uint32_t)t->n;
    return WS_OK;
}

/* Notes accession and description of a row. */
static int note_row(sto *t, const ws_parse *s, word line, ws_err *err) {
    size_t i;
    const word name = first_word(&line), tag = first_word(&line);
    if (!tag.n) return ws_parse_fail(s, err, "#=GS needs the name of a row, a tag and a text");
    int rc = find_row(t, s, name, &i, err);
    if (!rc && word_is(tag, "AC")) rc = keep(t, line, &t->row[i].acc, err);
    if (!rc && word_is(tag, "DE")) rc = keep(t, line, &t->row[i].desc, err);
    if (!rc) t->next = i;
    return rc;
}

/* Appends the residues of a row. Characters that are no residues stay until the row leaves, unless they are refused. */
static int append(const ws_parse *s, row *r, const char *name, word text, ws_err *err) {
    const int refuses = s->conf->badres == WS_BADRES_ERROR;
    int rc = ws_buf_reserve(&r->residues, text.n, err);
    for (size_t i = 0; i < text.n && !rc; i++) {
        const char c = text.p[i];
        if (c == '-' || c == '.' || c == '_' || c == '~') continue;
        r->residues.p[r->residues.n++] = c;
        if (refuses && s->abc->code_of[(uint8_t)c] >= s->abc->Kp)
            rc = ws_parse_refuse(s, (uint8_t)c, name, r->name.n, r->residues.n, err);
    }
    return rc;
}

static int add_row(sto *t, const ws_parse *s, word line, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    size_t i;
    const word name = first_word(&line);
    ws_quote(quote, name.p, name.n);
    if (!line.n) return ws_parse_fail(s, err, "row \"%s\" has no aligned text", quote);
    if (t->width && t->width != line.n)
        return ws_parse_fail(s, err, "row \"%s\" has %zu columns in this block, expected %llu as in the row before it",
                             quote, line.n, (unsigned long long)t->width);
    int rc = find_row(t, s, name, &i, err);
    if (rc) return rc;
    row *r = &t->row[i];
    if (r->columns > t->before)
        return ws_parse_fail(s, err, "row \"%s\" is in this block twice; each row needs a name of its own", quote);
    rc = append(s, r, t->text.p + r->name.at, line, err);
    t->width = line.n;
    r->columns += line.n;
    t->next = i + 1;
    t->in_block++;
    return rc;
}

static int end_block(sto *t, const ws_parse *s, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    size_t i = 0;
    if (!t->width) return WS_OK;
    t->before += t->width;
    while (t->in_block < t->n && t->row[i].columns == t->before) i++;
    if (t->in_block < t->n)
        return ws_parse_fail(s, err, "the block before this line lacks row \"%s\"",
                             ws_quote(quote, t->text.p + t->row[i].name.at, t->row[i].name.n));
    t->width = t->in_block = t->next = 0;
    return WS_OK;
}

/* ---- lines ---- */

static int outside(sto *t, const ws_parse *s, word line, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    if (starts(line, "# STOCKHOLM 1.")) {
        forget(t);
        t->state = INSIDE;
        return WS_OK;
    }
    if (!line.n || (*line.p == '#' && !starts(line, "# STOCKHOLM"))) return WS_OK;
    return ws_parse_fail(s, err, "expected \"# STOCKHOLM 1.0\", with which an alignment begins, found \"%s\"",
                         ws_quote(quote, line.p, line.n));
}

static int inside(sto *t, const ws_parse *s, word line, ws_err *err) {
    if (!line.n) return end_block(t, s, err);
    if (starts(line, "//")) {
        const int rc = end_block(t, s, err);
        if (rc) return rc;
        t->state = DELIVER;
        return t->before ? WS_OK : ws_parse_fail(s, err, "the alignment ends without a row");
    }
    if (starts(line, "# STOCKHOLM"))
        return ws_parse_fail(s, err, "found \"# STOCKHOLM\", expected // at the end of the alignment before it");
    if (*line.p != '#') return add_row(t, s, line, err);
    return word_is(first_word(&line), "#=GS") ? note_row(t, s, line, err) : WS_OK;
}

static int take_line(sto *t, const ws_parse *s, ws_err *err) {
    const word line = trim((word){t->line.p, t->line.n});
    const int rc = t->state == OUTSIDE ? outside(t, s, line, err) : inside(t, s, line, err);
    t->line.n = 0;
    return rc;
}

/* ---- rows leave ---- */

static int put_text(const sto *t, ws_parse *s, ws_buf *to, ws_slice from, ws_err *err) {
    s->returned = 0;
    return from.n ? ws_parse_text(s, to, (const uint8_t *)t->text.p + from.at, from.n, err) : WS_OK;
}

static int open_record(const sto *t, ws_parse *s, ws_err *err) {
    const row *r = &t->row[t->leaving];
    int rc = put_text(t, s, &s->head, r->name, err);
    s->name = (ws_slice){0, s->head.n};
    if (!rc) rc = put_text(t, s, &s->head, r->desc, err);
    s->desc = (ws_slice){s->name.n, s->head.n - s->name.n};
    return rc ? rc : put_text(t, s, &s->acc, r->acc, err);
}

/* Adds the alignment's rows to the batch, as many as it takes; all of them if `over`. */
static int deliver(sto *t, ws_parse *s, int over, ws_err *err) {
    enum { STEP = 1 << 16 };
    int rc = WS_OK;
    while (t->leaving < t->n && !rc && (over || !ws_parse_full(s))) {
        row *r = &t->row[t->leaving];
        const size_t n = ws_min(r->residues.n - t->sent, STEP);
        if (t->sent == 0) rc = open_record(t, s, err);
        if (!rc && n) rc = ws_parse_without(s, (const uint8_t *)r->residues.p + t->sent, n, "", err);
        if (!rc) rc = ws_parse_piece(s, err);
        t->sent += n;
        if (rc || t->sent < r->residues.n || (n && !over && ws_parse_full(s))) continue;
        const uint64_t len = ws_parse_len(s);
        rc = ws_parse_pack(s, err);
        if (!rc) rc = ws_parse_commit(s, len, err);
        ws_buf_release(&r->residues);
        t->leaving++;
        t->sent = 0;
    }
    if (t->leaving < t->n) return rc;
    forget(t);
    t->state = OUTSIDE;
    return rc;
}

/* Leaves the line feed behind "//" until all rows have left, so that the reader comes back. */
static int feed(void *own, ws_parse *s, const uint8_t *p, size_t *n, ws_err *err) {
    sto *t = own;
    size_t i = 0;
    int rc = WS_OK, whole;
    while (!rc && i < *n && !ws_parse_full(s)) {
        if (t->state == DELIVER) {
            rc = deliver(t, s, 0, err);
            if (t->state == OUTSIDE) i++;
            s->line += t->state == OUTSIDE;
            continue;
        }
        i += ws_parse_line(s, &t->line, p + i, *n - i, WS_LEN_MAX, &whole, &rc, err);
        if (rc || !whole) continue;
        rc = take_line(t, s, err);
        if (t->state == DELIVER) i--;
        else s->line++;
    }
    *n = i;
    return rc;
}

/* Returns whether the last line, which has no end, is the beginning of one that begins an alignment. */
static int begins_header(const sto *t) {
    static const char begin[] = "# STOCKHOLM 1.";
    return t->line.n && t->line.n < sizeof begin - 1 && memcmp(t->line.p, begin, t->line.n) == 0;
}

static int finish(void *own, ws_parse *s, int whole, ws_err *err) {
    sto *t = own;
    int rc = WS_OK;
    if (!whole) return WS_OK;
    while (t->line.n && t->line.p[t->line.n - 1] == '\r') t->line.n--;
    if (t->line.n && memchr(t->line.p, '\r', t->line.n)) return ws_parse_fail_returns(s, err);
    if (t->state == OUTSIDE && begins_header(t))
        return ws_parse_fail(s, err, "the input ends inside a line \"# STOCKHOLM 1.0\", so it was cut");
    if (t->line.n) rc = take_line(t, s, err);
    if (!rc && t->state == DELIVER) rc = deliver(t, s, 1, err);
    if (rc || t->state == OUTSIDE) return rc;
    return ws_parse_fail(s, err, "the input ends inside an alignment, which ends with //, so it was cut");
}

const ws_parser ws_parser_stockholm = {sizeof(sto), begin, feed, finish, release};
