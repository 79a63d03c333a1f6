/* SPDX-License-Identifier: MIT
 * Which format and which alphabet an alignment has: sections 4.1 and 4.2 of build.md. */
#include <ctype.h>

#include "lib/msa/reader.h"

/* ---- the format ---- */

/* Returns whether a path ends in the suffix, before an optional .gz. */
static int has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path);
    const size_t m = strlen(suffix);
    if (n >= 3 && !strcmp(path + n - 3, ".gz")) n -= 3;
    return n >= m && !memcmp(path + n - m, suffix, m);
}

static int holds(ws_word line, const char *text) {
    const size_t m = strlen(text);
    for (size_t i = 0; i + m <= line.n; i++)
        if (!memcmp(line.p + i, text, m)) return 1;
    return 0;
}

static int is_number(ws_word w) {
    for (size_t i = 0; i < w.n; i++)
        if (!isdigit((unsigned char)w.p[i])) return 0;
    return w.n > 0;
}

/* Returns whether a line is a name and a text of letters and gaps; SELEX may have gaps inside. */
static int is_row_line(ws_word line) {
    const ws_word name = ws_word_next(&line);
    for (size_t i = 0; i < line.n; i++)
        if (!isalpha((unsigned char)line.p[i]) && !strchr("-._~* ", line.p[i])) return 0;
    return name.n > 0 && line.n > 0;
}

static ws_msaformat format_of(const ws_msareader *r, ws_word line) {
    ws_word rest = line;
    const ws_word first = ws_word_next(&rest), second = ws_word_next(&rest);
    if (ws_word_starts(line, "# STOCKHOLM")) return WS_MSA_STOCKHOLM;
    if (ws_word_starts(first, ">"))
        return has_suffix(r->path, ".a2m") || has_suffix(r->path, ".a3m") ? WS_MSA_A2M : WS_MSA_AFA;
    if (ws_word_starts(line, "CLUSTAL") || holds(line, "multiple sequence alignment")) return WS_MSA_CLUSTAL;
    if (is_number(first) && is_number(second)) return has_suffix(r->path, ".phys") ? WS_MSA_PHYLIPS : WS_MSA_PHYLIP;
    if (ws_word_starts(first, "#=") || is_row_line(line))
        return has_suffix(r->path, ".pb") ? WS_MSA_PSIBLAST : WS_MSA_SELEX;
    return WS_MSA_GUESS;
}

/* Returns the format of an alignment whose characters are wanted, whatever the suffix says. */
static ws_msaformat text_format(ws_msaformat f) {
    switch (f) {
    case WS_MSA_AFA: case WS_MSA_A2M: return WS_MSA_AFA;
    case WS_MSA_PHYLIP: case WS_MSA_PHYLIPS: return WS_MSA_PHYLIP;
    case WS_MSA_GUESS: case WS_MSA_STOCKHOLM: case WS_MSA_PSIBLAST: case WS_MSA_CLUSTAL: case WS_MSA_SELEX: break;
    }
    return WS_MSA_GUESS;
}

int ws_msa_guess_format(ws_msareader *r, ws_err *err) {
    char quote[WS_QUOTE_MAX];
    enum { LOOK = 16 << 20 };
    ws_lines *l = &r->lines;
    int rc;
    ws_lines_hold(l);
    l->most = LOOK;
    do {
        if ((rc = ws_lines_next_text(l, err)) == WS_EOF)
            return ws_fail(err, WS_EDATA, "%s: no alignment was found, the input has no text", r->name);
        if (rc) return rc;
        r->format = format_of(r, (ws_word){l->p, l->n});
    } while (r->format == WS_MSA_GUESS && l->n > 0 && l->p[0] == '#'); /* comments of SELEX */
    if (r->as_text) r->format = text_format(r->format);
    if (r->format == WS_MSA_GUESS)
        return ws_msa_fail(r, err, "\"%s\" begins no alignment: expected %s%s", ws_quote(quote, l->p, l->n),
                           r->as_text ? "\">\" of FASTA or \"taxa sites\" of PHYLIP"
                                      : "\"# STOCKHOLM 1.0\", \">\" of aligned FASTA or A2M, \"CLUSTAL\", two numbers "
                                        "of PHYLIP, or a name and aligned text (--informat names a format)",
                           r->as_text ? r->hint : "");
    l->most = 0;
    ws_lines_rewind(l);
    return WS_OK;
}

/* ---- the alphabet ---- */

typedef struct letters {
    uint64_t count[26], n;
} letters;

static void count_letters(letters *c, ws_word w) {
    for (size_t i = 0; i < w.n; i++) {
        const int at = (w.p[i] | 0x20) - 'a';
        if (at < 0 || at >= 26) continue;
        c->count[at]++;
        c->n++;
    }
}

/* Adds up the counts of some letters; *kinds grows by how many of them occur. */
static uint64_t sum_of(const letters *c, const char *which, int *kinds) {
    uint64_t sum = 0;
    for (; *which; which++) {
        sum += c->count[*which - 'A'];
        *kinds += c->count[*which - 'A'] > 0;
    }
    return sum;
}

static const ws_abc *alphabet_of(const letters *c) {
    int own = 0, dna = 0, rna = 0, common = 0, degenerate = 0, rest = 0, any = 0;
    const uint64_t n_own = sum_of(c, "EFIJLOPQZ", &own), n_common = sum_of(c, "ACG", &common);
    const uint64_t n_degenerate = sum_of(c, "DHKMRSVWY", &degenerate), n_nt = sum_of(c, "NT", &rest);
    const uint64_t n_dna = sum_of(c, "ACGT", &dna), n_rna = sum_of(c, "ACGU", &rna), n_x = sum_of(c, "X", &any);
    const uint64_t n_n = c->count['N' - 'A'];
    const double few = 0.02 * (double)c->n;
    if (c->n <= 10) return NULL;
    if (c->n > 2000 && n_n == c->n) return ws_abc_get(WS_ABC_DNA);
    if (n_own > 0) return ws_abc_get(WS_ABC_AMINO);
    if ((double)(c->n - n_dna - n_n) <= few && dna == 4) return ws_abc_get(WS_ABC_DNA);
    if ((double)(c->n - n_rna - n_n) <= few && rna == 4) return ws_abc_get(WS_ABC_RNA);
    if ((double)(c->n - n_common - n_degenerate - n_nt - n_x) <= few && n_degenerate > n_common &&
        common + degenerate + rest >= 15)
        return ws_abc_get(WS_ABC_AMINO);
    return NULL;
}

const ws_abc *ws_msa_alphabet_of(const uint64_t count[26]) {
    letters c = {.n = 0};
    for (int i = 0; i < 26; i++) c.n += c.count[i] = count[i];
    return alphabet_of(&c);
}

enum { PHYLIP_NAME = 10 };

/* Returns the part of a line that is aligned text, as far as this can be told without reading the alignment. */
static ws_word text_of(const ws_msareader *r, ws_word line) {
    static const ws_word none = {"", 0};
    switch (r->format) {
    case WS_MSA_AFA: case WS_MSA_A2M:
        while (line.n > 0 && isspace((unsigned char)*line.p)) line.p++, line.n--;
        return line.n > 0 && *line.p == '>' ? none : line;
    case WS_MSA_PHYLIP: case WS_MSA_PHYLIPS:
        return line.n < PHYLIP_NAME ? none : (ws_word){line.p + PHYLIP_NAME, line.n - PHYLIP_NAME};
    case WS_MSA_GUESS: case WS_MSA_STOCKHOLM: case WS_MSA_SELEX: case WS_MSA_PSIBLAST: case WS_MSA_CLUSTAL: break;
    }
    const ws_word name = ws_word_next(&line);
    const int comments = r->format == WS_MSA_STOCKHOLM || r->format == WS_MSA_SELEX;
    return comments && ws_word_starts(name, "#") ? none : line;
}

int ws_msa_guess_alphabet(ws_msareader *r, ws_err *err) {
    static const uint64_t look[] = {500, 5000, 50000, UINT64_MAX};
    ws_lines *l = &r->lines;
    letters c = {.n = 0};
    int rc, step = 0;
    ws_lines_hold(l);
    const int header = r->format == WS_MSA_PHYLIP || r->format == WS_MSA_PHYLIPS || r->format == WS_MSA_CLUSTAL;
    rc = header ? ws_lines_next_text(l, err) : WS_OK;
    while (!rc && !r->abc && !(rc = ws_lines_next(l, err))) {
        count_letters(&c, text_of(r, (ws_word){l->p, l->n}));
        if (c.n > look[step]) {
            r->abc = alphabet_of(&c);
            step++;
        }
    }
    if (rc && rc != WS_EOF) return rc;
    if (!r->abc) r->abc = alphabet_of(&c);
    ws_lines_rewind(l);
    if (r->abc) return WS_OK;
    if (c.n == 0) return ws_fail(err, WS_EDATA, "%s: the input has no residues", r->name);
    return ws_fail(err, WS_EDATA,
        "%s: %llu letters do not tell the alphabet, of proteins, DNA or RNA; say --amino, --dna or --rna",
                   r->name, (unsigned long long)c.n);
}
