/* SPDX-License-Identifier: MIT
 * One alignment as lines, and these in a report. Specification domains.md, section 11.3; nhmmer.md, sections 2 and
 * 3.6. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lib/hits/lines.h"

static int make_room(ws_alilines *a, const ws_hmm *hmm, size_t n, ws_err *err) {
    enum { LINES = 6 };
    char *p = ws_buf_scratch(&a->memory, LINES * (n + 1), err);
    if (!p) return err->code;
    memset(p, 0, LINES * (n + 1));
    a->n = n;
    a->model = p;
    a->match = p + (n + 1);
    a->target = p + 2 * (n + 1);
    a->pp = p + 3 * (n + 1);
    a->cs = hmm->note[WS_NOTE_CS] ? p + 4 * (n + 1) : NULL;
    a->rf = hmm->note[WS_NOTE_RF] ? p + 5 * (n + 1) : NULL;
    a->identical = 0;
    return WS_OK;
}

/* The characters of node k in the lines that are the model's own. */
static void put_node(ws_alilines *a, const ws_hmm *hmm, size_t c, size_t k) {
    a->model[c] = hmm->note[WS_NOTE_CONS][k];
    if (a->cs) a->cs[c] = hmm->note[WS_NOTE_CS][k];
    if (a->rf) a->rf[c] = hmm->note[WS_NOTE_RF][k];
}

static char match_of(const ws_hmm *hmm, const ws_profile *profile, size_t k, uint8_t x, uint8_t column) {
    const unsigned char consensus = (unsigned char)hmm->note[WS_NOTE_CONS][k];
    if (hmm->abc->code_of[consensus] == x) return (char)consensus;
    if (!profile) return column & WS_COLUMN_ABOVE ? '+' : ' ';
    return expf(profile->score[x * ((size_t)hmm->M + 1) + k]) > 1.0f ? '+' : ' ';
}

int ws_alilines_make(ws_alilines *a, const ws_hmm *hmm, const ws_profile *profile, const ws_ali *ali, ws_err *err) {
    ws_aliwalk w = ali->walk;
    const ws_abc *abc = hmm->abc;
    size_t k = ali->hmm_from;
    int rc = make_room(a, hmm, ali->ncolumn, err);
    if (rc) return rc;
    for (size_t c = 0; c < ali->ncolumn; c++) {
        ws_aliwalk_step(&w);
        a->pp[c] = ws_code_letter(w.column);
        switch (w.column & WS_COLUMN_STATE) {
        case WS_COLUMN_M:
            put_node(a, hmm, c, k);
            a->match[c] = match_of(hmm, profile, k, w.x, w.column);
            a->identical += a->match[c] != '+' && a->match[c] != ' ';
            a->target[c] = (char)toupper(ws_ali_letter(abc, w.x));
            k++;
            break;
        case WS_COLUMN_I:
            a->model[c] = '.';
            if (a->cs) a->cs[c] = '.';
            if (a->rf) a->rf[c] = '.';
            a->match[c] = ' ';
            a->target[c] = (char)tolower(ws_ali_letter(abc, w.x));
            break;
        default:
            put_node(a, hmm, c, k);
            a->match[c] = ' ';
            a->target[c] = '-';
            k++;
        }
    }
    return WS_OK;
}

void ws_alilines_release(ws_alilines *a) {
    ws_buf_release(&a->memory);
    *a = (ws_alilines){0};
}

/* ---- in a report ---- */

static int digits(uint64_t v) {
    int n = 1;
    while (v >= 10) {
        v /= 10;
        n++;
    }
    return n;
}

typedef struct frame { /* of an alignment: the margins of its lines */
    const char *query, *target;
    int name, coordinate;
    int minus; /* places of the target fall */
} frame;

static void put_marks(ws_sink *s, const frame *f, const char *line, size_t from, size_t n, const char *tag) {
    if (line)
        ws_sink_f(s, "  %*s %.*s%s%s\n", f->name + f->coordinate + 1, "", (int)n, line + from, *tag ? " " : "", tag);
}

/* Columns from .. from + n; *k and *i are the next node and residue. */
static void put_block(ws_sink *s, const frame *f, const ws_alilines *a, size_t from, size_t n, uint32_t *k,
                      uint64_t *i) {
    uint32_t nodes = 0, residues = 0;
    for (size_t c = from; c < from + n; c++) {
        nodes += a->model[c] != '.';
        residues += a->target[c] != '-';
    }
    const uint64_t next = f->minus ? *i - residues : *i + residues;
    put_marks(s, f, a->cs, from, n, "CS");
    put_marks(s, f, a->rf, from, n, "RF");
    ws_sink_f(s, "  %*s %*u %.*s %-*u\n", f->name, f->query, f->coordinate, *k, (int)n, a->model + from, f->coordinate,
              *k + nodes - 1);
    put_marks(s, f, a->match, from, n, "");
    if (residues > 0)
        ws_sink_f(s, "  %*s %*llu %.*s %-*llu\n", f->name, f->target, f->coordinate, (unsigned long long)*i, (int)n,
                  a->target + from, f->coordinate, (unsigned long long)(f->minus ? next + 1 : next - 1));
    else
        ws_sink_f(s, "  %*s %*s %.*s %*s\n", f->name, f->target, f->coordinate, "-", (int)n, a->target + from,
                  f->coordinate, "-");
    put_marks(s, f, a->pp, from, n, "PP");
    *k += nodes;
    *i = next;
}

void ws_write_alignment(ws_sink *s, const ws_hmm *hmm, const ws_profile *profile, const ws_ali *ali, const char *query,
                        const char *target, int width, ws_alilines *a) {
    frame f = {.query = query, .target = target, .minus = ali->from > ali->to};
    uint32_t k = ali->hmm_from;
    uint64_t i = ali->from;
    if (ws_alilines_make(a, hmm, profile, ali, &s->err) != WS_OK) return;
    f.name = (int)ws_max(strlen(f.query), strlen(f.target));
    f.coordinate = digits(ws_max(ali->hmm_to, ws_max(ali->from, ali->to)));
    const size_t used = (size_t)f.name + 2 * (size_t)f.coordinate + 5;
    const size_t piece = width > 0 ? (size_t)ws_line_room(width, used, WS_LINE_ALIGNMENT) : a->n;
    for (size_t from = 0; from < a->n; from += piece) {
        if (from > 0) ws_sink_add(s, "\n", 1);
        put_block(s, &f, a, from, ws_min(piece, a->n - from), &k, &i);
    }
}
