/* SPDX-License-Identifier: MIT
 * The common base of the sequence parsers: the open record, its way into the batch, and the interface by which
 * seqread.c drives them. Internal to lib/formats.
 *
 * A parser is a state machine that takes its input in chunks of any size. It packs the residues of its record as words
 * after batch->nword, and keeps the texts in buffers of ws_parse. It adds only a complete record to the batch. Records
 * after ws_parse_mark stay with the reader when a batch is closed, and open the next one. */
#ifndef WS_FORMATS_PARSER_H
#define WS_FORMATS_PARSER_H

#include "lib/formats/seqread.h"
#include "lib/simd/codec.h"

#include <xxhash.h>

/* Bytes of name and description together, and of the other columns of a row: more is damage, and would take memory
 * without a bound. */
enum { WS_TEXT_MAX = 1 << 24 };

/* A place in a batch: so many sequences, rows, words, bytes of text, residues. */
typedef struct ws_mark {
    size_t n, nrow, nword, ntext;
    uint64_t residues;
} ws_mark;

typedef struct ws_parse {
    const ws_seqread_conf *conf;
    const ws_abc *abc;
    int any_abc;       /* nothing was read yet: the first packed stream may say */
    int read, pairs;   /* something was read; it was packed pairs */
    const ws_codec *codec;
    const char *input; /* its name, for messages */
    uint64_t line;     /* the current line, from 1 */
    const char *of_gap; /* what the sentence about a '-' ends with; NULL: nothing. The reader sets it to NULL */

    ws_batch *b;
    uint64_t most;     /* residues with which it is full, unless it has packed pairs */
    ws_mark mark;      /* of a table: what is before it may leave; else all of b may */

    /* The open record: 6*nopen residues are packed after b->nword, ncode wait in code. */
    size_t nopen, ncode;
    uint8_t *code;
    uint64_t at;       /* residues of the record before these, in pieces that are in a batch already ... */
    uint32_t old;      /* ... which have the first of these too */
    uint64_t bad;      /* its residues that were replaced or skipped */
    ws_buf head;       /* its name and description ... */
    ws_slice name, desc;
    ws_buf acc;        /* its accession; empty: none */
    int returned;      /* ... ends in a carriage return so far, which only a line feed may follow */
    ws_buf qual;
    ws_buf skipped;    /* uint64_t each: places that were skipped, if note_skips: the quality loses them too */
    int note_skips;

    uint64_t bad_total;

    XXH128_hash_t last; /* with rows_apart: identity of the last sequence of the batch before, zero if there is none */
    int goes_on;        /* the first sequence of this batch is that one, so it counts once */

    ws_tsv_head table;
    ws_ledger ledger;
    ws_queries *queries; /* of packed pairs */
} ws_parse;

typedef struct ws_parser {
    size_t size; /* of its own state, zeroed before the first begin */
    /* An input of this format starts. */
    int (*begin)(void *own, ws_parse *s, ws_err *err);
    /* Takes p[0..*n), sets *n to what it used: all, unless the batch became full. */
    int (*feed)(void *own, ws_parse *s, const uint8_t *p, size_t *n, ws_err *err);
    /* The input ended (whole = 1), or nothing more will come of it because of a failure (whole = 0). All complete
     * records may leave then, whatever is returned. */
    int (*finish)(void *own, ws_parse *s, int whole, ws_err *err);
    void (*release)(void *own);
} ws_parser;

extern const ws_parser ws_parser_fasta, ws_parser_fastq, ws_parser_packed, ws_parser_tsv, ws_parser_afa,
    ws_parser_stockholm, ws_parser_genbank, ws_parser_embl;

/* *Prepares *s for inputs as conf says, which must stay as long as *s. WS_ENOMEM is the only failure; release it in any
 * case. */
int ws_parse_prepare(ws_parse *s, const ws_seqread_conf *conf, ws_err *err);
void ws_parse_release(ws_parse *s);

/* Notes that what comes next is packed pairs, or is not; WS_EDATA if what came before is of the other kind. */
int ws_parse_kind(ws_parse *s, int pairs, ws_err *err);

/* Returns the residues of the open record. */
static inline uint64_t ws_parse_len(const ws_parse *s) { return 6 * (uint64_t)s->nopen + s->ncode; }

/* Adds the text of a line to *to, which may have its beginning; *whole says whether the line's end was there. Returns
 * how many bytes of p[0..n), n > 0, were taken, with the line feed, which the text lacks; the caller counts the line. A
 * line has at most `most` bytes, and none is zero. */
size_t ws_parse_line(ws_parse *s, ws_buf *to, const uint8_t *p, size_t n, size_t most, int *whole, int *rc,
                     ws_err *err);

/* Takes the text before a record: blank characters, and its mark if that has come. Other text is a failure in *rc, told
 * with the format's name. Returns how many characters of p[0..n), n > 0, were taken; the last of them is the mark if it
 * was there. */
size_t ws_parse_start(ws_parse *s, const uint8_t *p, size_t n, char mark, const char *format, int *rc, ws_err *err);

/* Takes a header line's text, or some of it, with the characters that no text may hold as blanks. A zero byte is a
 * failure, and so is a carriage return before other text: all lines after it would be lost in the header. */
int ws_parse_text(ws_parse *s, ws_buf *to, const uint8_t *p, size_t n, ws_err *err);

/* Takes residues from p[0..n) up to the first character that is none; *used says how many. */
int ws_parse_residues(ws_parse *s, const uint8_t *p, size_t n, size_t *used, ws_err *err);

/* Does the same over any number of lines, and counts them. Only a character that no sequence may hold stops it. */
int ws_parse_lines(ws_parse *s, const uint8_t *p, size_t n, size_t *used, ws_err *err);

/* The gaps of aligned sequences. */
#define WS_PARSE_GAPS "-_.~"

/* Does the same over all of p[0..n), without the characters of `drop`, and deals with characters that are no residues
 * as --bad-residue says. */
int ws_parse_without(ws_parse *s, const uint8_t *p, size_t n, const char *drop, ws_err *err);

/* Refuses a character, the residue number `place` from 1 of a sequence whose name has nname bytes; returns WS_EDATA. */
int ws_parse_refuse(const ws_parse *s, uint8_t c, const char *name, size_t nname, uint64_t place, ws_err *err);

/* Deals with a character that is no residue as --bad-residue says. */
int ws_parse_bad(ws_parse *s, uint8_t c, ws_err *err);

/* Finds name and description in the header line, which is complete in `head`. */
int ws_parse_header(ws_parse *s, ws_err *err);

/* Checks the quality string against the sequence. */
int ws_parse_qual(ws_parse *s, ws_err *err);

/* Packs the last residues: the open record is then nopen words, ceil(len/6). */
int ws_parse_pack(ws_parse *s, ws_err *err);

/* Adds, where records are cut, the packed residues of the open record as a piece, if they fill the batch and have a
 * whole new block. The next piece is then open. */
int ws_parse_piece(ws_parse *s, ws_err *err);

/* Adds the open record, packed, to the batch as a sequence of len residues; forgets it. */
int ws_parse_commit(ws_parse *s, uint64_t len, ws_err *err);
/* Forgets the open record. */
void ws_parse_drop(ws_parse *s);

/* Returns a hash of name, description, quality and residues of sequence i. */
XXH128_hash_t ws_parse_identity(const ws_batch *b, size_t i);

/* Returns the mark at the end of a batch. */
static inline ws_mark ws_parse_all(const ws_batch *b) {
    return (ws_mark){b->n, b->nrow, b->nword, b->text.n, b->residues};
}

/* Returns the mark up to which the batch may leave. */
static inline ws_mark ws_parse_mark(const ws_parse *s) {
    return s->b->has_rows && (s->pairs || !s->conf->rows_apart) ? s->mark : ws_parse_all(s->b);
}

/* Returns 1 if the records up to m fill a batch. A record counts for at least one residue, and so do 64 bytes of text:
 * records without residues and long names have a bound, too. */
static inline int ws_parse_fills(const ws_parse *s, const ws_mark *m) {
    const uint64_t most = s->most,
                   residues = s->pairs && s->conf->pair_residues ? s->conf->pair_residues : most;
    const size_t n = ws_max(m->n, m->nrow);
    return m->residues >= residues || n >= s->conf->batch_seqs || n >= most || m->ntext / 64 >= most;
}

/* Returns whether the batch has as much as the configuration asks for. */
static inline int ws_parse_full(const ws_parse *s) {
    const ws_mark m = s->b->has_rows ? s->mark : ws_parse_all(s->b);
    return ws_parse_fills(s, &m);
}

/* Refuses `what` because it has more than WS_TEXT_MAX bytes; returns WS_EDATA. */
int ws_parse_fail_long(const ws_parse *s, const char *what, ws_err *err);

/* Refuses lines that end in carriage returns alone; returns WS_EDATA. */
int ws_parse_fail_returns(const ws_parse *s, ws_err *err);

/* Makes the sentence after "input: line n: ". Returns WS_EDATA. */
int ws_parse_fail(const ws_parse *s, ws_err *err, const char *fmt, ...) WS_PRINTF(3, 4);

#endif
