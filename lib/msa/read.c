/* SPDX-License-Identifier: MIT
 * The reader of alignments: see lib/msa/msa.h. */
#include "lib/msa/msa.h"

#include <ctype.h>
#include <strings.h>

#include "lib/msa/reader.h"

static const struct {
    const char *name;
    ws_msaformat format;
} names[] = {{"stockholm", WS_MSA_STOCKHOLM}, {"pfam", WS_MSA_STOCKHOLM}, {"afa", WS_MSA_AFA}, {"a2m", WS_MSA_A2M},
             {"a3m", WS_MSA_A2M}, {"psiblast", WS_MSA_PSIBLAST}, {"clustal", WS_MSA_CLUSTAL},
             {"clustallike", WS_MSA_CLUSTAL}, {"phylip", WS_MSA_PHYLIP}, {"phylips", WS_MSA_PHYLIPS},
             {"selex", WS_MSA_SELEX}};

static ws_msa_read_fn *const read_one[] = {
    [WS_MSA_STOCKHOLM] = ws_msa_read_stockholm, [WS_MSA_AFA] = ws_msa_read_afa, [WS_MSA_A2M] = ws_msa_read_a2m,
    [WS_MSA_PSIBLAST] = ws_msa_read_blocks, [WS_MSA_CLUSTAL] = ws_msa_read_blocks,
    [WS_MSA_PHYLIP] = ws_msa_read_phylip, [WS_MSA_PHYLIPS] = ws_msa_read_phylip, [WS_MSA_SELEX] = ws_msa_read_selex};

int ws_msaformat_find(const char *name) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i].name)) return names[i].format;
    return -1;
}

void ws_msa_release(ws_msa *m) {
    ws_free(m->code);
    ws_buf_release(&m->names);
    ws_free(m->name_at);
    ws_free(m->weight);
    ws_buf_release(&m->notes);
    ws_free(m->note_at);
    ws_free(m->id);
    ws_free(m->acc);
    ws_free(m->desc);
    for (int i = 0; i < WS_MSA_NLINE; i++) ws_free(m->line[i]);
    *m = (ws_msa){0};
}

int ws_msareader_open(ws_msareader **out, const char *path, ws_msaformat format, const ws_abc *abc, ws_err *err) {
    *out = NULL;
    ws_msareader *r = ws_calloc(1, sizeof *r, err);
    if (!r) return err->code;
    r->format = format;
    r->abc = abc;
    if (!(r->path = ws_strndup(path, strlen(path), err)) || ws_source_open(&r->lines.source, path, err)) {
        ws_msareader_close(r);
        return err->code;
    }
    r->name = ws_source_name(r->lines.source);
    *out = r;
    return WS_OK;
}

/* Frees what only the alignment at hand needs. */
static void forget(ws_msareader *r) {
    ws_free(r->code);
    ws_free(r->piece);
    ws_free(r->length);
    ws_free(r->hash);
    ws_free(r->weight);
    r->weight = NULL;
    r->in_place = 0;
    r->nweight = r->weight_cap = 0;
    r->code = NULL;
    r->piece = NULL;
    r->length = NULL;
    r->hash = NULL;
    r->ncode = r->code_cap = r->npiece = r->piece_cap = r->length_cap = r->name_cap = r->note_cap = r->hash_cap = 0;
    for (int i = 0; i < WS_MSA_NLINE; i++) ws_buf_release(&r->line[i]);
}

void ws_msareader_keep(ws_msareader *r) { r->keeps = 1; }

void ws_msareader_keep_text(ws_msareader *r, const char *hint) {
    r->as_text = 1;
    r->hint = hint;
    for (int c = 0; c < 256; c++) r->map[c] = isspace(c) ? WS_MAP_SKIP : (uint8_t)c;
    r->map[WS_MAP_SKIP] = r->map[WS_MAP_BAD] = WS_MAP_BAD; /* no character of ASCII */
}

void ws_msareader_close(ws_msareader *r) {
    if (!r) return;
    forget(r);
    ws_source_close(r->lines.source);
    ws_buf_release(&r->lines.carry);
    ws_buf_release(&r->lines.held);
    ws_free(r->path);
    ws_free(r);
}

/* Sets what characters mean in the format (section 4.3). */
static void set_map(ws_msareader *r) {
    for (int c = 0; c < 256; c++) {
        const uint8_t x = r->abc->code_of[c];
        r->map[c] = x < r->abc->Kp ? x : WS_MAP_BAD;
    }
    r->map['-'] = (uint8_t)r->abc->K;
    const char *skip = "", *bad = "";
    switch (r->format) {
    case WS_MSA_AFA: skip = " \t"; break;
    case WS_MSA_A2M: skip = " \t.Oo", bad = "_*~"; break;
    case WS_MSA_PSIBLAST: bad = "._*~Oo"; break;
    case WS_MSA_PHYLIP: case WS_MSA_PHYLIPS:
        skip = " \t0123456789", bad = "_~";
        r->map['?'] = (uint8_t)(r->abc->Kp - 1);
        if (r->abc->type != WS_ABC_AMINO) r->map['O'] = (uint8_t)r->abc->K;
        break;
    case WS_MSA_SELEX: r->map[' '] = (uint8_t)r->abc->K; break;
    case WS_MSA_GUESS: case WS_MSA_STOCKHOLM: case WS_MSA_CLUSTAL: break;
    }
    for (; *skip; skip++) r->map[(uint8_t)*skip] = WS_MAP_SKIP;
    for (; *bad; bad++) r->map[(uint8_t)*bad] = WS_MAP_BAD;
    if (r->format == WS_MSA_A2M)
        for (int c = 'a'; c <= 'z'; c++)
            if (r->map[c] < WS_MAP_SKIP) r->map[c] |= WS_MAP_LOWER;
}

/* Turns the lines of annotation into strings. */
static int take_lines(ws_msareader *r, ws_err *err) {
    for (int i = 0; i < WS_MSA_NLINE; i++)
        if (r->line[i].n > 0 && !(r->m->line[i] = ws_strndup(r->line[i].p, r->line[i].n, err))) return err->code;
    return WS_OK;
}

int ws_msareader_next(ws_msareader *r, ws_msa *m, ws_err *err) {
    int rc = WS_OK;
    *m = (ws_msa){0};
    if (r->number++ == 0) {
        if (r->format == WS_MSA_GUESS) rc = ws_msa_guess_format(r, err);
        if (!rc && !r->abc && !r->as_text) rc = ws_msa_guess_alphabet(r, err);
        if (rc) return rc;
        if (!r->as_text) set_map(r);
    }
    r->m = m;
    m->abc = r->abc;
    rc = read_one[r->format](r, err);
    if (rc == WS_EOF && r->number == 1)
        rc = ws_fail(err, WS_EDATA, "%s: no alignment was found, the input has no text", r->name);
    if (!rc) rc = take_lines(r, err);
    forget(r);
    if (rc) ws_msa_release(m);
    return rc;
}

const ws_abc *ws_msareader_abc(const ws_msareader *r) { return r->abc; }
ws_msaformat ws_msareader_format(const ws_msareader *r) { return r->format; }

char *ws_msa_default_name(char *to, const char *path) {
    if (ws_source_is_stdin(path)) return NULL;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t n = dot ? (size_t)(dot - name) : strlen(name);
    memcpy(to, name, n);
    to[n] = '\0';
    return to;
}
