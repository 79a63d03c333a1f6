/* SPDX-License-Identifier: MIT
 * Cutting the input into blocks: see bin/likelihoods/input.h. This file counts lines; the parsers read them. */
#include "bin/likelihoods/input.h"

#include "lib/base/mem.h"
#include "lib/compress/inputs.h"

#include <string.h>

enum {
    QUIET_MS = 20,  /* after a pause of so long, the whole regions that have arrived become a block */
    PORTION_READS = 64 /* least reads in a portion of a large region: a few registers full */
};

/* State of the search for whole regions in a block's text. In batch text the line "R H" gives the lines that follow. */
typedef struct search {
    size_t pos;           /* start of the first line that was not searched */
    size_t endless;       /* bytes of the text that are known to have no line feed after pos */
    uint64_t lines;       /* before pos */
    uint64_t reads, haps; /* lines still to come in this region */
    int inside, broken;
    size_t start, haps_at; /* start of this region, and of its haplotypes */
    uint64_t start_line;
    size_t whole; /* end of the last whole region */
    uint64_t whole_lines, whole_count;
    int large; /* the text holds one whole region, and that is large */
} search;

struct ws_pairhmm_input {
    ws_inputs in;
    uint64_t block;
    double cells;
    ws_pairhmm_format want, format, seen; /* format of this file, once known; of the first file */
    ws_buf carry;                         /* text that was read for a later block */
    uint64_t line, number;                /* line and number at which carry begins */
    int ended;
    ws_err failed; /* a failure to report after everything before it is delivered */

    ws_buf large; /* a region that is delivered in portions */
    ws_pairhmm_text parsed;
    ws_pairhmm_origin large_at;
    size_t portion, portion_reads;
};

/* ---- files ---- */

int ws_pairhmm_input_open(ws_pairhmm_input **out, const char *const *path, int npath, ws_pairhmm_format format,
                          uint64_t block, double cells, ws_err *err) {
    ws_pairhmm_input *in = *out = ws_calloc(1, sizeof *in, err);
    if (!in) return WS_ENOMEM;
    ws_inputs_init(&in->in, path, npath);
    in->want = format;
    in->block = block;
    in->cells = cells;
    return WS_OK;
}

void ws_pairhmm_input_batch(ws_pairhmm_input *in, uint64_t block) { in->block = block; }

void ws_pairhmm_input_close(ws_pairhmm_input *in) {
    if (!in) return;
    ws_inputs_release(&in->in);
    ws_buf_release(&in->carry);
    ws_buf_release(&in->large);
    ws_pairhmm_text_release(&in->parsed);
    ws_free(in);
}

static int open_input(ws_pairhmm_input *in, ws_err *err) {
    int rc = ws_inputs_open(&in->in, err);
    if (rc) return rc;
    in->format = WS_PAIRHMM_NONE;
    in->line = 1;
    return WS_OK;
}

int ws_pairhmm_input_ahead(ws_pairhmm_input *in) { return ws_inputs_ahead(&in->in); }

void ws_pairhmm_input_progress(ws_pairhmm_input *in, uint64_t *done, uint64_t *size) {
    ws_inputs_progress(&in->in, done, size);
}

ws_pairhmm_format ws_pairhmm_input_format(const ws_pairhmm_input *in) { return in->seen; }

/* ---- formats ---- */

static int refuse(const ws_pairhmm_input *in, char c, uint64_t line, ws_err *err) {
    const char *what = c == '>'               ? " (FASTA)"
                       : c == '@'             ? " (FASTQ or SAM)"
                       : c == '{' || c == '[' ? " (JSON)"
                                              : "";
    char q[WS_QUOTE_MAX];
    return ws_fail(
        err, WS_EDATA,
        "%s: line %llu: begins with \"%s\"%s: neither batches of reads and haplotypes nor a results file of GATK",
        ws_inputs_name(&in->in), (unsigned long long)line, ws_quote(q, &c, 1), what);
}

static int check_format(ws_pairhmm_input *in, ws_err *err) {
    static const char *const name[] = {"", "batch", "results"};
    if (in->want && in->format != in->want)
        return ws_fail(err, WS_EDATA, "%s: is %s text, not %s", ws_inputs_name(&in->in), name[in->format],
                       name[in->want]);
    if (in->seen && in->format != in->seen)
        return ws_fail(err, WS_EDATA, "%s: is %s text, but the input before it was %s", ws_inputs_name(&in->in),
                       name[in->format], name[in->seen]);
    in->seen = in->format;
    return WS_OK;
}

/* Sets the format by the first byte that is no blank; returns WS_AGAIN if there is none yet. */
static int sniff(ws_pairhmm_input *in, const ws_buf *text, ws_err *err) {
    uint64_t line = in->line;
    size_t i = 0;
    for (; i < text->n && strchr(" \t\r\n", text->p[i]) && text->p[i]; i++) line += text->p[i] == '\n';
    if (i == text->n) return WS_AGAIN;
    const char c = text->p[i];
    const int letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    if ((c >= '0' && c <= '9') || c == '-')
        in->format = WS_PAIRHMM_BATCH; /* the parser refuses a negative count, at its place */
    else if (letter || c == '#') in->format = WS_PAIRHMM_RESULTS;
    else return refuse(in, c, line, err);
    return check_format(in, err);
}

/* ---- cutting ---- */

static void end_region(const ws_pairhmm_input *in, search *s) {
    const double size = (double)(s->haps_at - s->start) / 5 * (double)(s->pos - s->haps_at);
    s->inside = 0;
    if (size > in->cells && s->whole > 0 && s->whole_count > 0) { /* a large region begins a block of its own */
        s->broken = 1;
        return;
    }
    s->large = size > in->cells;
    s->whole = s->pos;
    s->whole_lines = s->lines;
    s->whole_count++;
}

/* Parses the line "R H" at p. */
static void begin_region(search *s, const char *p, size_t n) {
    ws_pairhmm_line l = {.number = 0, .name = ""};
    ws_err err;
    const char *at = p;
    ws_pairhmm_next_line(&l, &at, p + n);
    if (ws_pairhmm_blank(&l)) return;
    s->inside = 1;
    s->start = s->pos;
    s->start_line = s->lines;
    s->broken = ws_pairhmm_header(&l, &s->reads, &s->haps, &err) != WS_OK;
}

/* Returns the line feed of the line at s->pos; NULL if it has not arrived. It searches no byte twice, for lines of
 * any length. */
static const char *line_end(search *s, const ws_buf *text) {
    const size_t from = ws_max(s->pos, s->endless);
    const char *lf = memchr(text->p + from, '\n', text->n - from);
    if (!lf) s->endless = text->n;
    return lf;
}

static void search_batches(const ws_pairhmm_input *in, search *s, const ws_buf *text, size_t limit) {
    while (s->whole < limit && !s->broken && !s->large) {
        const char *p = text->p + s->pos, *lf = line_end(s, text);
        if (!lf) return;
        const size_t n = (size_t)(lf - p) + 1;
        if (!s->inside) {
            begin_region(s, p, n);
        } else if (s->reads) {
            s->reads--;
        } else {
            s->haps--;
        }
        s->pos += n;
        s->lines++;
        if (!s->inside || s->broken) continue;
        if (s->reads == 0 && s->haps_at <= s->start) s->haps_at = s->pos;
        if (s->reads == 0 && s->haps == 0) end_region(in, s);
    }
}

static void search_results(search *s, const ws_buf *text, size_t limit) {
    while (s->whole < limit) {
        ws_pairhmm_line l = {.number = 0, .name = ""};
        const char *p = text->p + s->pos, *lf = line_end(s, text);
        if (!lf) return;
        const size_t n = (size_t)(lf - p) + 1;
        ws_pairhmm_next_line(&l, &p, lf + 1);
        s->whole = s->pos += n;
        s->whole_lines = ++s->lines;
        s->whole_count += !(l.p[0] == '#' || ws_pairhmm_blank(&l));
    }
}

/* Makes the text up to s->whole the block; the rest waits for the next. */
static int cut(ws_pairhmm_input *in, const search *s, ws_pairhmm_block *p, ws_err *err) {
    const size_t rest = p->text.n - s->whole;
    in->carry.n = 0;
    int rc = ws_buf_add(&in->carry, p->text.p + s->whole, rest, err);
    p->text.n = s->whole;
    p->at.line = in->line;
    p->at.number = in->number;
    p->format = in->format;
    in->line += s->whole_lines;
    in->number += s->whole_count;
    return rc;
}

/* Makes all text the block, where nothing more can be cut. Its parser says what is wrong. */
static int take_all(ws_pairhmm_input *in, search *s, ws_pairhmm_block *p, ws_err *err) {
    s->whole = p->text.n;
    s->whole_lines = s->lines;
    if (in->format == WS_PAIRHMM_RESULTS) s->whole_count += s->pos < p->text.n && p->text.p[s->pos] != '#';
    else s->whole_count += s->inside;
    return cut(in, s, p, err);
}

/* ---- portions of a large region ---- */

static int begin_portions(ws_pairhmm_input *in, ws_pairhmm_block *p) {
    ws_err ignored;
    double rows = 0, columns = 0;
    ws_pairhmm_text_reset(&in->parsed);
    if (ws_pairhmm_parse_batches(&in->parsed, p->text.p, p->text.n, &p->at, &ignored))
        return 0; /* the worker's parser says what is wrong */
    const ws_pairhmm_text *t = &in->parsed;
    if (t->nregion != 1 || t->region[0].R < 2 * PORTION_READS) return 0;
    for (size_t i = 0; i < t->nread; i++) rows += t->read[i].m;
    for (size_t i = 0; i < t->nhap; i++) columns += t->hap[i].n;
    const double fit = in->cells / (rows / (double)t->nread * columns);
    in->portion_reads = fit < PORTION_READS ? PORTION_READS : (size_t)fit / PORTION_READS * PORTION_READS;
    in->portion = 0;
    in->large_at = p->at;
    const ws_buf swap = in->large;
    in->large = p->text; /* the parsed reads point into it */
    p->text = swap;
    return 1;
}

static int next_portion(ws_pairhmm_input *in, ws_pairhmm_block *p, ws_err *err) {
    const ws_pairhmm_text *t = &in->parsed;
    const size_t n = ws_min(in->portion_reads, t->nread - in->portion);
    p->text.n = 0;
    p->format = WS_PAIRHMM_BATCH;
    p->at = in->large_at;
    p->at.first = in->portion;
    p->at.all = t->nread;
    int rc = ws_buf_addf(&p->text, err, "%zu %zu\n", n, t->nhap);
    for (size_t i = in->portion; i < in->portion + n && !rc; i++) {
        const ws_pairhmm_read *r = &t->read[i];
        rc = ws_buf_add(&p->text, r->base, (size_t)(r->gcp + r->m - r->base), err);
        if (!rc) rc = ws_buf_add(&p->text, "\n", 1, err);
    }
    for (size_t i = 0; i < t->nhap && !rc; i++) {
        rc = ws_buf_add(&p->text, t->hap[i].base, t->hap[i].n, err);
        if (!rc) rc = ws_buf_add(&p->text, "\n", 1, err);
    }
    in->portion += n;
    if (in->portion == t->nread) in->portion_reads = 0;
    return rc;
}

/* ---- filling ---- */

static int fail_later(ws_pairhmm_input *in, search *s, ws_pairhmm_block *p, const ws_err *e, ws_err *err) {
    if (!s->whole_count) {
        *err = *e;
        return e->code;
    }
    in->failed = *e;
    return cut(in, s, p, err);
}

static int deliver(ws_pairhmm_input *in, search *s, ws_pairhmm_block *p, ws_err *err) {
    if (s->broken &&
        /* the header is unreadable: its parser refuses it, and the text after it cannot be divided */
        !s->whole_count) {
        s->whole = s->pos;
        in->ended = 1;
    }
    int rc = cut(in, s, p, err);
    if (rc || !s->large || !begin_portions(in, p)) return rc;
    return next_portion(in, p, err);
}

/* Reads more bytes into the block. Returns WS_OK, WS_EOF at the end of a file, WS_AGAIN or a failure. */
static int more(ws_pairhmm_input *in, const search *s, ws_pairhmm_block *p, ws_err *err) {
    const uint8_t *chunk;
    size_t n;
    int rc = ws_inputs_next(&in->in, s->whole_count ? QUIET_MS : WS_INPUTS_WAIT_MS, &chunk, &n, err);
    return rc ? rc : ws_buf_add(&p->text, chunk, n, err);
}

static int fill_from(ws_pairhmm_input *in, ws_pairhmm_block *p, ws_err *err) {
    search s = {0};
    ws_err e = {0};
    for (;;) {
        int rc = in->format ? WS_OK : sniff(in, &p->text, &e);
        if (rc && rc != WS_AGAIN) return fail_later(in, &s, p, &e, err);
        if (in->format == WS_PAIRHMM_BATCH) search_batches(in, &s, &p->text, in->block);
        if (in->format == WS_PAIRHMM_RESULTS) search_results(&s, &p->text, in->block);
        if (s.whole >= in->block || s.broken || s.large) return deliver(in, &s, p, err);
        rc = more(in, &s, p, &e);
        if (rc == WS_OK) continue;
        if (rc == WS_AGAIN && s.whole_count) return deliver(in, &s, p, err);
        if (rc == WS_AGAIN) {
            const ws_buf swap = in->carry;
            in->carry = p->text;
            p->text = swap;
            return rc;
        }
        if (rc != WS_EOF) return fail_later(in, &s, p, &e, err);
        ws_inputs_close(&in->in);
        return take_all(in, &s, p, err);
    }
}

int ws_pairhmm_input_fill(ws_pairhmm_input *in, ws_pairhmm_block *p, ws_err *err) {
    if (in->portion_reads) return next_portion(in, p, err);
    for (;;) {
        p->text.n = 0;
        if (in->failed.code) {
            *err = in->failed;
            return err->code;
        }
        if (in->ended) return WS_EOF;
        int rc = in->in.src ? WS_OK : open_input(in, err);
        if (rc) return rc;
        p->at = (ws_pairhmm_origin){.name = ws_inputs_name(&in->in)};
        const ws_buf swap = in->carry;
        in->carry = p->text;
        p->text = swap;
        in->carry.n = 0;
        rc = ws_buf_reserve(&p->text, 1, err); /* gives an empty buffer a pointer that is not NULL */
        if (!rc) rc = fill_from(in, p, err);
        if (rc || p->text.n > 0) return rc;
    }
}
