/* SPDX-License-Identifier: MIT
 * HMMER3 binary files (.h3m, `hmmconvert -b`), versions a to f, little endian. Source: specification
 * profile-filters.md, section 1.6.
 *
 * The parser uses a size from the file only after checking that as many bytes exist. */
#include <math.h>
#include <string.h>

#include "lib/hmm/hmmfile.h"

typedef struct reader {
    const ws_hmmfile *file;
    size_t at;
    int skim; /* skips tables and annotation */
} reader;

/* Fails with WS_EDATA and a sentence that begins with the place in the file. */
#define bad(r, err, ...) \
    (ws_fail(err, WS_EDATA, __VA_ARGS__), \
     ws_err_prefix(err, "%s, byte %zu: ", (r)->file->name, (r)->file->bytes_before + (r)->at), WS_EDATA)

/* ---- pieces ---- */

static size_t left(const reader *r) { return r->file->n - r->at; }

static int skip(reader *r, size_t n, const char *what, ws_err *err) {
    if (n > left(r) && r->file->more && n <= left(r) + r->file->more) return WS_AGAIN;
    if (n > left(r))
        return bad(r, err, "the file ends inside %s: %zu bytes were expected, %zu are left; it may be cut", what, n,
                   left(r) + r->file->more);
    r->at += n;
    return WS_OK;
}

static int copy(reader *r, void *to, size_t n, const char *what, ws_err *err) {
    int rc = skip(r, n, what, err);
    if (rc == WS_OK) memcpy(to, r->file->text + r->at - n, n);
    return rc;
}

/* Copies n bytes; to = NULL skips them. */
static int copy_or_skip(reader *r, void *to, size_t n, const char *what, ws_err *err) {
    return to ? copy(r, to, n, what, err) : skip(r, n, what, err);
}

static int read_int(reader *r, int32_t *v, const char *what, ws_err *err) { return copy(r, v, sizeof *v, what, err); }

static int probabilities(reader *r, float *p, size_t n, const char *what, ws_err *err) {
    int rc = copy(r, p, n * sizeof *p, what, err);
    for (size_t i = 0; rc == WS_OK && i < n; i++)
        if (!(p[i] >= 0.0f && p[i] <= WS_PROB_MAX)) {
            r->at -= (n - i) * sizeof *p;
            return bad(r, err, "found %g where a probability was expected (%s)", (double)p[i], what);
        }
    return rc;
}

static int finite_floats(reader *r, float *v, size_t n, const char *what, ws_err *err) {
    int rc = copy(r, v, n * sizeof *v, what, err);
    for (size_t i = 0; rc == WS_OK && i < n; i++)
        if (!isfinite(v[i])) return bad(r, err, "a value of the %s is no number", what);
    return rc;
}

/* Reads a string: int32 length with the NUL, 0 if absent, then the bytes. *s stays NULL if absent; s = NULL skips
 * the string. lines: it may have several. */
static int read_lines(reader *r, char **s, int lines, const char *what, ws_err *err) {
    int32_t n;
    int rc = read_int(r, &n, what, err);
    if (rc || n == 0) return rc;
    if (n < 0) return bad(r, err, "the length of the %s is %d", what, (int)n);
    if ((rc = skip(r, (size_t)n, what, err)) != WS_OK || !s) return rc;
    const char *p = r->file->text + r->at - (size_t)n;
    for (int32_t i = 0; i < n - 1; i++)
        if ((unsigned char)p[i] < ' ' && p[i] != '\t' && !(lines && p[i] == '\n'))
            return bad(r, err, "a control character in the %s", what);
    if (p[n - 1] != '\0') return bad(r, err, "the %s has no zero byte at its end", what);
    *s = ws_strndup(p, (size_t)n - 1, err);
    return *s ? WS_OK : err->code;
}

static int read_text(reader *r, char **s, const char *what, ws_err *err) { return read_lines(r, s, 0, what, err); }

/* Refuses blanks in names and accessions: each is one word in a text file and one column of a table. */
static int one_word(reader *r, const char *s, const char *what, ws_err *err) {
    char quoted[WS_QUOTE_MAX];
    if (!strpbrk(s, " \t")) return WS_OK;
    return bad(r, err, "the %s \"%s\" has a blank, expected one word", what, ws_quote(quoted, s, strlen(s)));
}

/* ---- version ---- */

/* The magic number of each version. Its top bits occur in no text. */
static const uint32_t magic[] = {0xe8ededb6, 0xe8ededb7, 0xe8ededb8, 0xe8ededb9, 0xe8ededb0, WS_HMMBIN_MAGIC_F};

static uint32_t word_at(const ws_hmmfile *f, size_t at) {
    uint32_t w = 0;
    if (f->n - at >= sizeof w) memcpy(&w, f->text + at, sizeof w);
    return w;
}

static int version_of(uint32_t word) {
    for (size_t i = 0; i < sizeof magic / sizeof magic[0]; i++)
        if (word == magic[i]) return 'a' + (int)i;
    return 0;
}

/* Returns 1 for the profiles of a pressed set (.h3f, .h3p). Their last two bytes encode version and vector unit. */
static int is_pressed(uint32_t word) { return (word & 0xffff0000) == 0xb3e60000; }
static int is_swapped(uint32_t word) { return version_of(__builtin_bswap32(word)) != 0; }

int ws_hmmbin_detect(const ws_hmmfile *f) {
    uint32_t word = word_at(f, 0);
    return version_of(word) || is_swapped(word) || is_pressed(word);
}

int ws_hmmbin_version(ws_hmmfile *f, ws_err *err) {
    uint32_t word = word_at(f, 0);
    f->version = (char)version_of(word);
    if (f->version) return WS_OK;
    if (is_swapped(word))
        return ws_fail(err, WS_EDATA,
                       "%s: a HMMER3 binary file of a big-endian machine; convert it there with hmmconvert -a",
                       f->name);
    return ws_fail(err, WS_EDATA,
                   "%s: a part of a database pressed by hmmpress; the models themselves are in its .h3m file", f->name);
}

/* ---- one model ---- */

static int read_sizes(reader *r, ws_hmm *h, int32_t *flags, ws_err *err) {
    int32_t M, type;
    int rc;
    if ((rc = read_int(r, flags, "flags", err)) != WS_OK) return rc;
    if ((rc = read_int(r, &M, "model length", err)) != WS_OK) return rc;
    if (M < 1 || M == INT32_MAX) return bad(r, err, "the model length is %d", (int)M);
    if ((rc = read_int(r, &type, "alphabet", err)) != WS_OK) return rc;
    if (type != WS_ABC_AMINO && type != WS_ABC_DNA && type != WS_ABC_RNA)
        return bad(r, err, "alphabet number %d; RNA (1), DNA (2) and amino (3) are known", (int)type);
    h->M = M;
    h->abc = ws_abc_get((ws_abc_type)type);
    size_t node = (2 * (size_t)h->abc->K + WS_NTRANS) * sizeof(float);
    if ((size_t)M > (left(r) + r->file->more) / node)
        return bad(r, err, "the model length is %d, but the file is too short for that", (int)M);
    return WS_OK;
}

static int read_tables(reader *r, ws_hmm *h, ws_err *err) {
    size_t M = (size_t)h->M, K = (size_t)h->abc->K;
    if (r->skim) return skip(r, (2 * K * (M + 1) - K + WS_NTRANS * (M + 1)) * sizeof(float), "tables", err);
    int rc = ws_hmm_alloc(h, err);
    if (rc == WS_OK) rc = probabilities(r, h->mat + K, M * K, "match emissions", err);
    if (rc == WS_OK && h->made) rc = ws_hmm_alloc_inserts(h, err);
    if (rc == WS_OK && h->made) rc = probabilities(r, h->made->ins, (M + 1) * K, "insert emissions", err);
    if (rc == WS_OK && !h->made) rc = skip(r, (M + 1) * K * sizeof(float), "insert emissions", err);
    if (rc == WS_OK) rc = probabilities(r, h->tr, (M + 1) * WS_NTRANS, "transitions", err);
    return rc;
}

/* Reads one character for each node, with one for index 0 before and a zero byte behind. */
static int read_note(reader *r, ws_hmm *h, int which, ws_err *err) {
    if (r->skim) return skip(r, (size_t)h->M + 2, "annotation", err);
    int rc = ws_hmm_add_note(h, which, err);
    if (rc == WS_OK) rc = copy(r, h->note[which], (size_t)h->M + 2, "annotation", err);
    if (rc) return rc;
    h->note[which][0] = ' ';
    h->note[which][h->M + 1] = '\0';
    for (int k = 1; k <= h->M; k++)
        if (h->note[which][k] <= ' ' || h->note[which][k] > '~')
            return bad(r, err, "no character in the annotation of node %d", k);
    return WS_OK;
}

static int read_annotation(reader *r, ws_hmm *h, int32_t flags, ws_err *err) {
    static const struct {
        int flag, note;
    } column[] = {{WS_HMMBIN_RF, WS_NOTE_RF}, {WS_HMMBIN_MM, WS_NOTE_MM}, {WS_HMMBIN_CONS, WS_NOTE_CONS},
                {WS_HMMBIN_CS, WS_NOTE_CS}};
    size_t nodes = (size_t)h->M + 2;
    ws_hmm_made unused = {0}, *made = h->made ? h->made : &unused;
    uint32_t cksum = 0;
    int rc;
    if ((rc = read_text(r, &h->name, "name", err)) != WS_OK) return rc;
    if (!h->name || !h->name[0]) return bad(r, err, "the model has no name");
    if ((rc = one_word(r, h->name, "name", err)) != WS_OK) return rc;
    if ((flags & WS_HMMBIN_ACC) && (rc = read_text(r, &h->acc, "accession", err)) != WS_OK) return rc;
    if (h->acc && (rc = one_word(r, h->acc, "accession", err)) != WS_OK) return rc;
    if ((flags & WS_HMMBIN_DESC) && (rc = read_text(r, &h->desc, "description", err)) != WS_OK) return rc;
    for (size_t i = 0; i < sizeof column / sizeof column[0]; i++)
        if ((flags & column[i].flag) && (rc = read_note(r, h, column[i].note, err)) != WS_OK) return rc;
    if ((flags & WS_HMMBIN_CA) && h->made && !(made->ca = ws_calloc(nodes, 1, err))) return err->code;
    if ((flags & WS_HMMBIN_CA) && (rc = copy_or_skip(r, made->ca, nodes, "annotation", err)) != WS_OK) return rc;
    if ((rc = read_lines(r, h->made ? &made->comlog : NULL, 1, "command log", err)) != WS_OK) return rc;
    if ((rc = read_int(r, &made->nseq, "sequence count", err)) != WS_OK) return rc;
    h->nseq = made->nseq > 0 ? made->nseq : 0;
    if ((rc = copy(r, &made->effn, sizeof made->effn, "effective sequence count", err)) != WS_OK) return rc;
    made->maxl = -1;
    if (r->file->version >= 'c' && (rc = read_int(r, &made->maxl, "maximum length", err)) != WS_OK) return rc;
    h->maxl = made->maxl > 0 ? made->maxl : 0;
    if ((rc = read_text(r, h->made ? &made->date : NULL, "date", err)) != WS_OK) return rc;
    if ((flags & WS_HMMBIN_MAP) && r->skim) {
        rc = skip(r, (nodes - 1) * sizeof *h->map, "map", err);
    } else if (flags & WS_HMMBIN_MAP) {
        if (!(h->map = ws_calloc(nodes - 1, sizeof *h->map, err))) return err->code;
        rc = copy(r, h->map, (nodes - 1) * sizeof *h->map, "map", err);
    }
    if (rc == WS_OK) rc = copy(r, &cksum, sizeof cksum, "checksum", err);
    if (rc == WS_OK && (flags & WS_HMMBIN_CKSUM)) h->cksum = (int64_t)cksum + 1;
    made->checksum = cksum;
    made->has_checksum = (flags & WS_HMMBIN_CKSUM) != 0;
    made->flags = (uint32_t)flags;
    if (rc != WS_OK || r->skim || (h->made && r->file->version >= 'e')) return rc;
    return h->note[WS_NOTE_CONS] ? WS_OK : ws_hmm_derive_consensus(h, err);
}

/* Reads lambda, mu and tau. Version a: see hmmtext.c. Without STATS the file has the numbers, but they are
 * meaningless. */
static int read_evparam(reader *r, ws_hmm *h, int32_t flags, ws_err *err) {
    float v[WS_NEVPARAM];
    size_t n = r->file->version == 'a' ? 3 : WS_NEVPARAM;
    int rc = copy(r, v, n * sizeof v[0], "E-value parameters", err);
    if (rc) return rc;
    for (int i = 0; i < WS_NEVPARAM; i++) h->evparam[i] = WS_EVPARAM_UNSET;
    if (!(flags & WS_HMMBIN_STATS)) return WS_OK;
    for (size_t i = 0; i < n; i++) {
        const int location = n == WS_NEVPARAM ? i == WS_MMU || i == WS_VMU : i == 1;
        if (!isfinite(v[i]) && !(location && v[i] < 0)) /* -inf: see hmmtext.c */
            return bad(r, err, "an E-value parameter is no number");
    }
    h->calibrated = 1;
    if (n == WS_NEVPARAM) {
        memcpy(h->evparam, v, sizeof v);
    } else {
        h->evparam[WS_MLAMBDA] = h->evparam[WS_VLAMBDA] = h->evparam[WS_FLAMBDA] = v[0];
        h->evparam[WS_MMU] = h->evparam[WS_VMU] = v[1];
        h->evparam[WS_FTAU] = v[2];
    }
    for (int i = WS_MLAMBDA; i <= WS_FLAMBDA; i += WS_VLAMBDA - WS_MLAMBDA)
        if (h->evparam[i] <= 0)
            return bad(r, err, "a lambda of the E-value parameters is %g, expected more than 0", (double)h->evparam[i]);
    return WS_OK;
}

static int read_cutoffs(reader *r, ws_hmm *h, ws_err *err) {
    int rc = finite_floats(r, &h->cut[0][0], WS_NCUT * 2, "score cutoffs", err);
    for (int i = 0; rc == WS_OK && i < WS_NCUT; i++) h->has_cut[i] = h->cut[i][0] != WS_CUT_UNSET;
    return rc;
}

static int read_model(ws_hmm *h, const ws_hmmfile *f, int skim, size_t *at, ws_err *err) {
    reader r = {.file = f, .at = *at, .skim = skim};
    int32_t flags;
    int rc;
    if (left(&r) < WS_HMMBIN_MAGIC && f->more) return WS_AGAIN;
    if (version_of(word_at(f, *at)) != f->version)
        return bad(&r, err, "a further model was expected, which begins with the same number as the first");
    r.at += 4;
    if ((rc = read_sizes(&r, h, &flags, err)) != WS_OK) return rc;
    if ((rc = read_tables(&r, h, err)) != WS_OK) return rc;
    if ((rc = read_annotation(&r, h, flags, err)) != WS_OK) return rc;
    if ((rc = read_evparam(&r, h, flags, err)) != WS_OK) return rc;
    if ((rc = read_cutoffs(&r, h, err)) != WS_OK) return rc;
    if ((flags & WS_HMMBIN_COMPO) && (rc = probabilities(&r, h->compo, (size_t)h->abc->K, "composition", err)) != WS_OK)
        return rc;
    *at = r.at;
    h->hash = skim ? 0 : ws_hmm_hash(h);
    return WS_OK;
}

int ws_hmmbin_read(ws_hmm *h, const ws_hmmfile *f, size_t *at, ws_err *err) { return read_model(h, f, 0, at, err); }
int ws_hmmbin_header(ws_hmm *h, const ws_hmmfile *f, size_t *at, ws_err *err) { return read_model(h, f, 1, at, err); }
