/* SPDX-License-Identifier: MIT
 * The inputs of a run, one after another, through the parser that their first bytes ask for, into batches: see
 * lib/formats/seqread.h. When a batch is closed, the bytes after the parser's mark move to `carry` and open the
 * next one. */
#include "lib/formats/seqread.h"

#include "lib/compress/inputs.h"
#include "lib/formats/parser.h"
#include "lib/stream/policy.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    SNIFF_LINE = 256,    /* bytes of a first line that may be needed to tell a table */
    SNIFF_BLANK = 1 << 20 /* blank bytes at the start before we stop looking */
};

struct ws_seqread {
    ws_seqread_conf conf;
    ws_parse s;
    void *own[WS_NFORMAT];        /* the parsers' states, made on first use */
    ws_format format;             /* of the input being read */
    ws_format seen;               /* of the last input that had one */
    const ws_parser *parser;      /* NULL: not known yet */

    ws_inputs in;
    const uint8_t *p;             /* the rest of the current chunk */
    size_t n;
    ws_buf sniffed;               /* first bytes that did not tell the format yet */

    ws_batch carry;
    uint64_t number;
    int64_t since;                /* when the first record of this batch was complete */
    int end;                      /* WS_OK, WS_EOF or a failure: what follows the records delivered */
    ws_err err;
    uint64_t given;               /* bytes of all chunks, plain */
    ws_seqread_counts counts;
    double parsed;                /* share of `given` that the delivered batches took */
    pthread_mutex_t tally;        /* guards counts and parsed */
};

const char *const ws_format_names[] = {"auto", "fasta", "fastq", "packed", "tsv", "afa", "stockholm", "pfam",
                                       "genbank", "ddbj", "embl", "uniprot", NULL};

static const ws_parser *const parsers[WS_NFORMAT] = {
    [WS_FORMAT_FASTA] = &ws_parser_fasta,
    [WS_FORMAT_FASTQ] = &ws_parser_fastq,
    [WS_FORMAT_PACKED] = &ws_parser_packed,
    [WS_FORMAT_TSV] = &ws_parser_tsv,
    [WS_FORMAT_AFA] = &ws_parser_afa,
    [WS_FORMAT_STOCKHOLM] = &ws_parser_stockholm,
    [WS_FORMAT_PFAM] = &ws_parser_stockholm,
    [WS_FORMAT_GENBANK] = &ws_parser_genbank,
    [WS_FORMAT_DDBJ] = &ws_parser_genbank,
    [WS_FORMAT_EMBL] = &ws_parser_embl,
    [WS_FORMAT_UNIPROT] = &ws_parser_embl,
};

ws_format ws_seqformat_find(const char *name) {
    for (int f = WS_FORMAT_FASTA; f < WS_NFORMAT; f++)
        if (f != WS_FORMAT_TSV && strcasecmp(name, ws_format_names[f]) == 0) return (ws_format)f;
    return WS_FORMAT_AUTO;
}

int ws_seqformat_unknown(const char *option, const char *name, const char *program, ws_err *err) {
    if (strcasecmp(name, "ncbi") == 0)
        return ws_fail(err, WS_EUSAGE, "%s %s: %s reads no BLAST databases; make FASTA of it first: blastdbcmd "
                       "-db NAME -entry all", option, name, program);
    return ws_fail(err, WS_EUSAGE, "%s %s: %s reads " WS_SEQFORMAT_NAMES, option, name, program);
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Opening and closing */

int ws_seqread_open(ws_seqread **out, const ws_seqread_conf *conf, ws_err *err) {
    *out = NULL;
    ws_seqread *r = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    r->conf = *conf;
    if (!r->conf.batch_residues) r->conf.batch_residues = 1;
    if (!r->conf.batch_seqs) r->conf.batch_seqs = 1;
    ws_inputs_init(&r->in, conf->path, conf->npath);
    pthread_mutex_init(&r->tally, NULL);
    if (ws_parse_prepare(&r->s, &r->conf, err)) {
        ws_seqread_close(r);
        return err->code;
    }
    *out = r;
    return WS_OK;
}

void ws_seqread_batch(ws_seqread *r, uint64_t residues) {
    r->conf.batch_residues = ws_max(residues, 1);
    r->conf.grows = 0;
    r->conf.pair_residues = 0;
}

void ws_seqread_close(ws_seqread *r) {
    if (!r) return;
    ws_inputs_release(&r->in);
    for (size_t i = 0; i < sizeof r->own / sizeof *r->own; i++) {
        if (r->own[i] && parsers[i]->release) parsers[i]->release(r->own[i]);
        ws_free(r->own[i]);
    }
    ws_parse_release(&r->s);
    ws_batch_release(&r->carry);
    ws_buf_release(&r->sniffed);
    pthread_mutex_destroy(&r->tally);
    ws_free(r);
}

/* Formats */

/* Returns the format whose first line begins with p[0..n); AUTO: none. *more: it may be one with further bytes. */
static ws_format begins(const uint8_t *p, size_t n, int *more) {
    static const struct {
        const char *text;
        ws_format format;
    } first[] = {{"# STOCKHOLM", WS_FORMAT_STOCKHOLM}, {"LOCUS   ", WS_FORMAT_GENBANK}, {"ID   ", WS_FORMAT_EMBL}};
    *more = 0;
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        const size_t len = strlen(first[k].text);
        if (memcmp(p, first[k].text, ws_min(n, len)) != 0) continue;
        if (n >= len) return first[k].format;
        *more = 1;
    }
    return WS_FORMAT_AUTO;
}

/* Returns the format that the first bytes show; AUTO if it needs more of them. */
static ws_format recognise(const uint8_t *p, size_t n, int ended) {
    static const char release[] = "Genetic Sequence Data Bank"; /* in the head of a file of GenBank */
    size_t i = 0;
    int more;
    if (n && p[0] == 0x89) return WS_FORMAT_PACKED;
    while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n')) i++;
    if (i == n) return ended || n > SNIFF_BLANK ? WS_FORMAT_FASTA : WS_FORMAT_AUTO;
    if (p[i] == '>') return WS_FORMAT_FASTA;
    if (p[i] == '@') return WS_FORMAT_FASTQ;
    const ws_format named = begins(p + i, n - i, &more);
    if (named != WS_FORMAT_AUTO) return named;
    if (more && !ended) return WS_FORMAT_AUTO;
    if (p[i] == '#') return WS_FORMAT_TSV;
    /* no mark of any kind: a table's plain header has a tab */
    const uint8_t *eol = memchr(p + i, '\n', n - i);
    if (!eol && n - i < SNIFF_LINE && !ended) return WS_FORMAT_AUTO;
    const size_t line = eol ? (size_t)(eol - p) - i : n - i;
    if (memchr(p + i, '\t', line)) return WS_FORMAT_TSV;
    return memmem(p + i, line, release, sizeof release - 1) ? WS_FORMAT_GENBANK : WS_FORMAT_FASTA;
}

static int choose_parser(ws_seqread *r, ws_format f, ws_err *err) {
    const ws_parser *parser = parsers[f];
    if (r->seen != WS_FORMAT_AUTO && (r->seen == WS_FORMAT_TSV) != (f == WS_FORMAT_TSV))
        return ws_fail(err, WS_EDATA, "%s: tables and sequence files cannot be read together, and this is %s",
                       r->s.input, f == WS_FORMAT_TSV ? "a table" : "no table");
    if (f != WS_FORMAT_PACKED) {
        int rc = ws_parse_kind(&r->s, 0, err);
        if (rc) return rc;
    }
    if (!r->own[f] && !(r->own[f] = ws_calloc(1, parser->size, err))) return err->code;
    r->format = r->seen = f;
    if (f != WS_FORMAT_PACKED) r->s.any_abc = 0;
    r->parser = parser;
    r->s.of_gap = NULL;
    return parser->begin(r->own[f], &r->s, err);
}

/* Inputs */

static int open_input(ws_seqread *r, ws_err *err) {
    int rc = ws_inputs_open(&r->in, err);
    if (rc) return rc;
    r->s.input = ws_inputs_name(&r->in);
    r->s.line = 1;
    r->n = r->sniffed.n = 0;
    r->parser = NULL;
    return WS_OK;
}

/* Returns how long to wait for the next chunk. With nothing to deliver the configuration says it. */
static int patience(ws_seqread *r) {
    if (ws_parse_mark(&r->s).n == 0) return r->conf.wait_ms ? r->conf.wait_ms : -1;
    const int64_t now = now_ms();
    if (!r->since) r->since = now;
    const int64_t left = r->since + WS_STREAM_AGE_MS - now;
    return left <= 0 ? 0 : left < WS_STREAM_QUIET_MS ? (int)left : WS_STREAM_QUIET_MS;
}

/* Gives bytes to the parser, whose sentences begin with the input's name. */
static int feed(ws_seqread *r, const uint8_t *p, size_t *n, ws_err *err) {
    return r->parser->feed(r->own[r->format], &r->s, p, n, err);
}

/* Feeds the bytes that were put aside while the format was not known. A batch may become full in the middle of them. */
static int feed_sniffed(ws_seqread *r, ws_err *err) {
    size_t n = r->sniffed.n;
    int rc = feed(r, (const uint8_t *)r->sniffed.p, &n, err);
    memmove(r->sniffed.p, r->sniffed.p + n, r->sniffed.n - n);
    r->sniffed.n -= n;
    return rc;
}

/* Alignments that samtools turns into reads; BAM is inside gzip, which is undone by then. */
static const char *alignments(const uint8_t *p, size_t n) {
    if (n >= 4 && !memcmp(p, "BAM\1", 4)) return "BAM";
    return n >= 4 && !memcmp(p, "CRAM", 4) ? "CRAM" : NULL;
}

/* Chooses the parser once enough bytes are there, so that the answer does not depend on their pace. */
static int sniff(ws_seqread *r, int ended, ws_err *err) {
    const uint8_t *p = r->p;
    size_t n = r->n;
    if (r->conf.format != WS_FORMAT_AUTO) return choose_parser(r, r->conf.format, err);
    ws_format f = r->sniffed.n ? WS_FORMAT_AUTO : recognise(p, n, ended);
    if (f == WS_FORMAT_AUTO) {
        const int rc = ws_buf_add(&r->sniffed, p, n, err);
        if (rc) return rc;
        r->n = 0;
        p = (const uint8_t *)r->sniffed.p;
        n = r->sniffed.n;
        f = recognise(p, n, ended);
    }
    if (f == WS_FORMAT_AUTO) return WS_OK;
    const char *other = alignments(p, n);
    if (!other) return choose_parser(r, f, err);
    return ws_parse_fail(&r->s, err, "found %s, expected sequences (samtools fasta FILE | ..., with - in its place)",
                         other);
}

/* Fails if the input is a pipe that gave no byte, since a stage that dies before its first line leaves such a pipe.
 * With --in-format fasta the user says that an empty pipe has no sequences. */
static int silent(ws_seqread *r, ws_err *err) {
    const ws_format f = r->conf.format;
    const int text = f != WS_FORMAT_AUTO && f != WS_FORMAT_PACKED && f != WS_FORMAT_TSV;
    if (!ws_source_was_silent(r->in.src) || text) return WS_OK;
    if (r->conf.allow_cut) {
        r->s.ledger.unknown = 1;
        return WS_OK;
    }
    return ws_fail(err, WS_EDATA,
                   "%s is a pipe that ended without one byte, so the program before it has failed; if it was to write "
                   "no sequences, use --in-format fasta",
                   r->s.input);
}

static int empty(const ws_seqread *r, ws_err *err) {
    if (!r->conf.some_text || r->given) return WS_OK;
    return ws_fail(err, WS_EDATA, "%s is empty, expected sequences", r->s.input);
}

/* Ends an input that has ended well. An empty one has no format. */
static int finish_input(ws_seqread *r, ws_err *err) {
    int rc = silent(r, err);
    if (!rc) rc = empty(r, err);
    if (!r->parser && r->sniffed.n) rc = sniff(r, 1, err);
    if (!rc && r->parser && r->sniffed.n) {
        rc = feed_sniffed(r, err);
        if (rc || r->sniffed.n) return rc; /* full: the rest next time */
    }
    if (!rc && r->parser) rc = r->parser->finish(r->own[r->format], &r->s, 1, err);
    if (!rc) ws_inputs_close(&r->in);
    return rc;
}

/* Reads on by one chunk: WS_OK, WS_AGAIN (nothing came in time), WS_EOF (all inputs are read) or a failure. */
static int advance(ws_seqread *r, ws_err *err) {
    if (!r->in.src) return open_input(r, err);
    if (r->parser && r->sniffed.n) return feed_sniffed(r, err);
    if (!r->n) {
        int rc = ws_inputs_next(&r->in, patience(r), &r->p, &r->n, err);
        if (rc == WS_EOF) return finish_input(r, err);
        if (rc) return rc;
        r->given += r->n;
    }
    if (!r->parser) return sniff(r, 0, err);
    size_t n = r->n;
    int rc = feed(r, r->p, &n, err);
    r->p += n;
    r->n -= n;
    return rc;
}

/* Batches */

/* Appends to dst the content of src after a mark, with nopen words of an open record. */
static int append(ws_batch *dst, const ws_batch *src, const ws_mark *from, size_t nopen, ws_err *err) {
    const size_t dword = dst->nword, dtext = dst->text.n, dseq = dst->n, nword = src->nword - from->nword + nopen;
    int rc = ws_batch_reserve_words(dst, nword, err);
    if (!rc && src->text.n > from->ntext)
        rc = ws_batch_add_text(dst, src->text.p + from->ntext, src->text.n - from->ntext, err);
    if (!rc && nword) memcpy(dst->word + dword, src->word + from->nword, nword * sizeof *dst->word);
    for (size_t i = from->n; !rc && i < src->n; i++) {
        ws_seqtext t = src->seqtext[i];
        t.name.at += dtext - from->ntext;
        t.desc.at += dtext - from->ntext;
        t.qual.at += dtext - from->ntext;
        if (t.acc.n) t.acc.at += dtext - from->ntext;
        rc = ws_batch_add_seq(dst, src->first[i] - from->nword + dword, src->len[i], &t, err);
        if (!rc) dst->residues -= t.old;
    }
    for (size_t i = from->nrow; !rc && i < src->nrow; i++) {
        ws_row row = src->row[i];
        row.seq = (uint32_t)(row.seq - from->n + dseq);
        row.query.at += dtext - from->ntext;
        row.rest.at += dtext - from->ntext;
        rc = ws_batch_add_row(dst, &row, err);
    }
    dst->has_rows = src->has_rows;
    return rc;
}

/* Returns the mark up to which this batch leaves. A packed block brings many sequences at once: they are cut where the
 * batch became full. */
static ws_mark leaving(const ws_seqread *r, const ws_batch *b) {
    ws_mark t = {0};
    if (b->has_rows || !ws_parse_full(&r->s)) return ws_parse_mark(&r->s);
    while (t.n < b->n && !ws_parse_fills(&r->s, &t)) {
        const ws_seqtext *x = &b->seqtext[t.n];
        t.ntext += x->name.n + x->desc.n + x->qual.n + x->acc.n;
        t.residues += b->len[t.n++] - x->old;
    }
    if (t.n == b->n) return ws_parse_all(b);
    t.nword = (size_t)b->first[t.n];
    t.ntext = b->seqtext[t.n].name.at; /* a sequence's texts follow each other, name first */
    return t;
}

/* Moves what stays to carry. */
static int close_batch(ws_seqread *r, ws_batch *b, ws_err *err) {
    const ws_mark m = leaving(r, b);
    int rc = append(&r->carry, b, &m, r->s.nopen, err);
    if (b->has_rows && r->conf.rows_apart && m.n) { /* after s.mark a sequence is open */
        const XXH128_hash_t none = {0, 0};
        r->s.last = m.n > r->s.mark.n ? ws_parse_identity(b, m.n - 1) : none;
    }
    b->n = m.n;
    b->nrow = m.nrow;
    b->nword = m.nword;
    b->text.n = m.ntext;
    b->residues = m.residues;
    return rc;
}

/* Opens a batch with the carried records. A table's carried sequence does not leave yet: the next row may belong to
 * it. */
static int open_batch(ws_seqread *r, ws_batch *b, ws_err *err) {
    const ws_mark zero = {0};
    ws_batch_reuse(b);
    b->number = r->number;
    r->since = 0;
    r->s.b = b;
    r->s.mark = zero;
    r->s.goes_on = 0;
    r->s.most = r->conf.grows ? ws_stream_batch(r->counts.residues, r->conf.batch_residues) : r->conf.batch_residues;
    int rc = b->word_cap ? WS_OK : ws_batch_expect(b, r->s.most, err);
    if (!rc) rc = append(b, &r->carry, &zero, r->s.nopen, err);
    ws_batch_reuse(&r->carry);
    return rc;
}

static void deliver(ws_seqread *r, ws_batch *b) {
    const int again = r->s.goes_on; /* a sequence whose first rows left before */
    r->number++;
    pthread_mutex_lock(&r->tally);
    b->before = r->counts.seqs;
    r->counts.seqs += b->n - (size_t)again;
    for (size_t i = 0; i < b->n && r->conf.block; i++) r->counts.seqs -= b->seqtext[i].more != 0;
    r->counts.rows += b->nrow;
    r->counts.residues += b->residues - (again ? b->len[0] : 0);
    r->counts.bad_residues = r->s.bad_total;
    r->parsed = 1 - (double)r->n / (double)ws_max(r->given, 1);
    pthread_mutex_unlock(&r->tally);
}

/* Keeps the failure. After it only complete records count. */
static void give_up(ws_seqread *r, int rc, const ws_err *err) {
    ws_err ignored;
    r->end = rc;
    r->err = *err;
    if (r->parser && r->in.src) (void)r->parser->finish(r->own[r->format], &r->s, 0, &ignored);
    ws_parse_drop(&r->s);
    ws_inputs_close(&r->in);
}

int ws_seqread_fill(ws_seqread *r, ws_batch *b, ws_err *err) {
    int rc = open_batch(r, b, err);
    if (rc) give_up(r, rc, err);
    while (!r->end && !ws_parse_full(&r->s)) {
        rc = advance(r, err);
        if (rc == WS_AGAIN) break;
        if (rc) give_up(r, rc, err);
    }
    if (ws_parse_mark(&r->s).n) {
        rc = close_batch(r, b, err);
        if (!rc) deliver(r, b);
        return rc;
    }
    if (!r->end) {
        rc = close_batch(r, b, err);
        return rc ? rc : WS_AGAIN;
    }
    ws_batch_reuse(b);
    if (r->end != WS_EOF) *err = r->err;
    pthread_mutex_lock(&r->tally);
    r->parsed = 1;
    pthread_mutex_unlock(&r->tally);
    return r->end;
}

/* Questions */

int ws_seqread_ahead(ws_seqread *r) { return ws_inputs_ahead(&r->in); }
ws_format ws_seqread_format(const ws_seqread *r) { return r->seen; }
const ws_abc *ws_seqread_abc(const ws_seqread *r) { return r->s.abc; }
const ws_tsv_head *ws_seqread_head(const ws_seqread *r) { return &r->s.table; }
const ws_ledger *ws_seqread_ledger(const ws_seqread *r) { return &r->s.ledger; }

void ws_seqread_counts_get(ws_seqread *r, ws_seqread_counts *c) {
    pthread_mutex_lock(&r->tally);
    *c = r->counts;
    pthread_mutex_unlock(&r->tally);
}

/* A small file is one chunk, which is read at once and parsed by and by. */
void ws_seqread_progress(ws_seqread *r, uint64_t *done, uint64_t *size) {
    ws_inputs_progress(&r->in, done, size);
    pthread_mutex_lock(&r->tally);
    *done = (uint64_t)((double)*done * r->parsed);
    pthread_mutex_unlock(&r->tally);
}
