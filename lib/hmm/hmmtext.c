/* SPDX-License-Identifier: MIT
 * HMMER3 text files, versions a to f: reads one model into memory. Source: specification profile-filters.md,
 * sections 1.1 to 1.5.
 *
 * Contents: numbers; header; main section; version and splitting. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hmm/hmmnumber.h"
#include "lib/hmm/hmmtoken.h"

/* ---- numbers ---- */

/* Parses a finite number that fills a token. HMMER's atof also accepts "25.00;", which Pfam's files contain: `tail`
 * is a character that may follow. */
static int number(reader *r, char tail, double *value, const char *what, ws_err *err) {
    const char *p = skip_blanks(r->at), *q;
    char quoted[WS_QUOTE_MAX];
    token t;
    if (ws_hmmtext_number(p, &q, value) && isfinite(*value)) {
        if (tail && *q == tail) q++;
        if (is_end(*q)) {
            r->at = q;
            return WS_OK;
        }
    }
    if (!next_token(r, &t)) return bad(r, err, "the line ends where a number was expected (%s)", what);
    r->at = t.p;
    return bad(r, err, "found \"%s\" where a number was expected (%s)", show(quoted, &t), what);
}

/* Parses n values -ln(p), '*' for p = 0, into probabilities; with p = NULL only checks them. */
static int probabilities(reader *r, float *p, int n, const char *what, ws_err *err) {
    const char *end = r->file->text + r->file->n;
    for (int i = 0; i < n; i++) {
        double v;
        r->at = skip_blanks(r->at);
        if (end - r->at >= 8 && ws_hmmtext_short(r->at, &v)) {
            if (p) p[i] = expf((float)(-1.0 * v));
            r->at += 7;
            continue;
        }
        if (*r->at == '*') {
            do r->at++;
            while (!is_end(*r->at));
            if (p) p[i] = 0.0f;
            continue;
        }
        int rc = number(r, '\0', &v, what, err);
        if (rc) return rc;
        if (v < -1e-5) return bad(r, err, "%s: %g is below zero, but it is -ln of a probability", what, v);
        if (p) p[i] = expf((float)(-1.0 * v));
    }
    return WS_OK;
}

/* ---- header ---- */

enum { STATS_MSV = 1, STATS_VITERBI = 2, STATS_FORWARD = 4, STATS_ALL = 7 };

enum { COLUMN_MAP = WS_NNOTE, NCOLUMN };

typedef struct draft {
    ws_hmm *hmm;
    int stats;           /* STATS lines seen */
    int valid[NCOLUMN];  /* valid columns behind the match emissions, by WS_NOTE_.. and COLUMN_MAP */
} draft;

static int set_text(reader *r, char **field, const token *t, const char *tag, ws_err *err) {
    if (*field) return bad(r, err, "a second %s line in one model", tag);
    for (size_t i = 0; i < t->n; i++)
        if ((unsigned char)t->p[i] < ' ' && t->p[i] != '\t') return bad(r, err, "a control character in %s", tag);
    *field = ws_strndup(t->p, t->n, err);
    return *field ? WS_OK : err->code;
}

static int head_name(reader *r, draft *d, ws_err *err) {
    token t;
    if (!next_token(r, &t)) return bad(r, err, "NAME is empty");
    return set_text(r, &d->hmm->name, &t, "NAME", err);
}

static int head_acc(reader *r, draft *d, ws_err *err) {
    token t;
    if (!next_token(r, &t)) return bad(r, err, "ACC is empty");
    return set_text(r, &d->hmm->acc, &t, "ACC", err);
}

static int head_desc(reader *r, draft *d, ws_err *err) {
    token t = {.p = skip_blanks(r->at)};
    t.n = strcspn(t.p, "\n");
    while (t.n && is_blank(t.p[t.n - 1])) t.n--;
    if (t.n == 0) return bad(r, err, "DESC is empty");
    return set_text(r, &d->hmm->desc, &t, "DESC", err);
}

/* Returns the rest of the line behind blanks, with the blanks at its end, as HMMER keeps it. */
static token rest_of_line(const reader *r) {
    token t = {.p = skip_blanks(r->at)};
    t.n = strcspn(t.p, "\r\n");
    return t;
}

static int head_date(reader *r, draft *d, ws_err *err) {
    const token t = rest_of_line(r);
    return d->hmm->made && t.n ? set_text(r, &d->hmm->made->date, &t, "DATE", err) : WS_OK;
}

/* Appends a command to the log. The number before it counts the lines, so it is left out. */
static int head_com(reader *r, draft *d, ws_err *err) {
    ws_hmm_made *made = d->hmm->made;
    token t;
    if (!made || !next_token(r, &t)) return WS_OK;
    t = rest_of_line(r);
    const size_t had = made->comlog ? strlen(made->comlog) : 0;
    char *log = ws_calloc(had + t.n + 2, 1, err);
    if (!log) return err->code;
    if (had) memcpy(log, made->comlog, had);
    if (had) log[had] = '\n';
    memcpy(log + had + (had > 0), t.p, t.n);
    ws_free(made->comlog);
    made->comlog = log;
    return WS_OK;
}

static int head_effn(reader *r, draft *d, ws_err *err) {
    double v;
    if (!d->hmm->made) return WS_OK;
    const int rc = number(r, '\0', &v, "EFFN", err);
    if (!rc) d->hmm->made->effn = (float)v;
    return rc;
}

static int head_leng(reader *r, draft *d, ws_err *err) {
    char quoted[WS_QUOTE_MAX];
    token t;
    long long m = 0;
    if (!next_token(r, &t)) return bad(r, err, "LENG is empty");
    for (size_t i = 0; i < t.n && m <= INT32_MAX; i++)
        m = t.p[i] >= '0' && t.p[i] <= '9' ? m * 10 + (t.p[i] - '0') : INT64_C(1) << 40;
    if (m < 1 || m >= INT32_MAX)
        return bad(r, err, "LENG is \"%s\", but a model has a whole number of nodes, at least 1", show(quoted, &t));
    if (d->hmm->M) return bad(r, err, "a second LENG line in one model");
    d->hmm->M = (int)m;
    return WS_OK;
}

static int head_alph(reader *r, draft *d, ws_err *err) {
    static const ws_abc_type type[] = {WS_ABC_AMINO, WS_ABC_DNA, WS_ABC_RNA};
    char quoted[WS_QUOTE_MAX];
    token t;
    if (!next_token(r, &t)) return bad(r, err, "ALPH is empty");
    if (d->hmm->abc) return bad(r, err, "a second ALPH line in one model");
    for (size_t i = 0; i < sizeof type / sizeof type[0]; i++)
        if (token_says(&t, ws_abc_get(type[i])->name)) d->hmm->abc = ws_abc_get(type[i]);
    if (!d->hmm->abc) return bad(r, err, "ALPH is \"%s\"; amino, DNA and RNA are known", show(quoted, &t));
    return WS_OK;
}

/* Parses a cutoff line: proteins have two bit scores, nucleotides one for both. */
static int head_cut(reader *r, draft *d, int which, const char *tag, ws_err *err) {
    double v[2];
    int rc;
    if (!d->hmm->abc) return bad(r, err, "%s stands before ALPH", tag);
    if ((rc = number(r, ';', &v[0], tag, err)) != WS_OK) return rc;
    v[1] = v[0];
    if (d->hmm->abc->type == WS_ABC_AMINO && (rc = number(r, ';', &v[1], tag, err)) != WS_OK) return rc;
    d->hmm->cut[which][0] = (float)v[0];
    d->hmm->cut[which][1] = (float)v[1];
    d->hmm->has_cut[which] = 1;
    return WS_OK;
}

static int head_ga(reader *r, draft *d, ws_err *err) { return head_cut(r, d, WS_CUT_GA, "GA", err); }
static int head_tc(reader *r, draft *d, ws_err *err) { return head_cut(r, d, WS_CUT_TC, "TC", err); }
static int head_nc(reader *r, draft *d, ws_err *err) { return head_cut(r, d, WS_CUT_NC, "NC", err); }

static int is_lambda(int param) { return param == WS_MLAMBDA || param == WS_VLAMBDA || param == WS_FLAMBDA; }

/* Parses a number of a STATS line. The location of MSV or Viterbi may be minus infinity: HMMER writes that for a model
 * on which random sequences have no score, and lets every target pass. */
static int stats_number(reader *r, int param, double *v, ws_err *err) {
    const char *p = skip_blanks(r->at);
    if ((param != WS_MMU && param != WS_VMU) || strncasecmp(p, "-inf", 4) != 0 || !is_end(p[4]))
        return number(r, '\0', v, "STATS", err);
    *v = -INFINITY;
    r->at = p + 4;
    return WS_OK;
}

/* Parses a STATS line. Version a has one lambda for all and one mu for MSV and Viterbi; from b on each filter has
 * its own pair. */
static int head_stats(reader *r, draft *d, ws_err *err) {
    static const struct {
        const char *word;
        int old; /* of version a */
        int bit, n, param[3];
    } line[] = {
        {"MSV", 0, STATS_MSV, 2, {WS_MMU, WS_MLAMBDA}},
        {"VITERBI", 0, STATS_VITERBI, 2, {WS_VMU, WS_VLAMBDA}},
        {"FORWARD", 0, STATS_FORWARD, 2, {WS_FTAU, WS_FLAMBDA}},
        {"VLAMBDA", 1, STATS_MSV, 1, {WS_MLAMBDA}},
        {"VMU", 1, STATS_VITERBI, 1, {WS_MMU}},
        {"FTAU", 1, STATS_FORWARD, 1, {WS_FTAU}},
    };
    float *ev = d->hmm->evparam;
    char quoted[WS_QUOTE_MAX];
    token t;
    if (!next_token(r, &t) || !token_says(&t, "LOCAL")) return bad(r, err, "STATS is not followed by LOCAL");
    if (!next_token(r, &t)) return bad(r, err, "STATS LOCAL is not followed by a filter's name");
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
        if (line[i].old != (r->file->version == 'a') || !token_says(&t, line[i].word)) continue;
        for (int j = 0; j < line[i].n; j++) {
            double v;
            int rc = stats_number(r, line[i].param[j], &v, err);
            if (rc) return rc;
            ev[line[i].param[j]] = (float)v;
            if (is_lambda(line[i].param[j]) && !((float)v > 0)) /* lambda <= 0: every pair or none would pass */
                return bad(r, err, "the lambda of a STATS line is %g, expected more than 0", v);
        }
        if (line[i].param[0] == WS_MLAMBDA) ev[WS_VLAMBDA] = ev[WS_FLAMBDA] = ev[WS_MLAMBDA];
        if (line[i].old && line[i].param[0] == WS_MMU) ev[WS_VMU] = ev[WS_MMU];
        d->stats |= line[i].bit;
        return WS_OK;
    }
    return bad(r, err, "STATS LOCAL \"%s\" is not known in HMMER3/%c", show(quoted, &t), r->file->version);
}

/* Parses an optional count; 0 where the line has none. */
static int head_count(reader *r, int32_t *count, const char *tag, ws_err *err) {
    double v;
    int rc = number(r, '\0', &v, tag, err);
    if (rc == WS_OK && v >= 1 && v <= INT32_MAX) *count = (int32_t)v;
    return rc;
}

static int head_nseq(reader *r, draft *d, ws_err *err) { return head_count(r, &d->hmm->nseq, "NSEQ", err); }
static int head_maxl(reader *r, draft *d, ws_err *err) { return head_count(r, &d->hmm->maxl, "MAXL", err); }

/* Notes the checksum, and which columns of the main section are valid, by "yes" or "no" behind their tags. */
static int head_column(reader *r, draft *d, const token *tag, ws_err *err) {
    static const char *const name[NCOLUMN] = {
        [WS_NOTE_CONS] = "CONS", [WS_NOTE_RF] = "RF", [WS_NOTE_MM] = "MM", [WS_NOTE_CS] = "CS", [COLUMN_MAP] = "MAP"};
    char quoted[WS_QUOTE_MAX];
    token t = {"", 0};
    int i = 0;
    while (i < NCOLUMN && !token_is(tag, name[i])) i++;
    if (token_is(tag, "CKSUM") && next_token(r, &t)) d->hmm->cksum = (int64_t)strtoul(t.p, NULL, 10) + 1;
    if (i < NCOLUMN) d->valid[i] = next_token(r, &t) && token_says(&t, "yes");
    if (i == NCOLUMN || d->valid[i] || token_says(&t, "no")) return WS_OK;
    return bad(r, err, "found \"%s\" behind %s, expected yes or no", show(quoted, &t), name[i]);
}

static int header_complete(reader *r, const draft *d, ws_err *err) {
    const ws_hmm *h = d->hmm;
    if (!h->name) return bad(r, err, "the header of this model ends without NAME");
    if (!h->M) return bad(r, err, "the header of model %s ends without LENG", h->name);
    if (!h->abc) return bad(r, err, "the header of model %s ends without ALPH", h->name);
    if (d->stats != 0 && d->stats != STATS_ALL)
        return bad(r, err, "model %s has some of the three STATS lines; all or none are expected", h->name);
    return WS_OK;
}

/* Reads from the line behind the version tag to the HMM line. Unknown tags are ignored: Pfam adds its own. */
static int read_header(reader *r, draft *d, ws_err *err) {
    static const struct {
        const char *tag;
        int (*read)(reader *, draft *, ws_err *);
    } known[] = {{"NAME", head_name}, {"ACC", head_acc}, {"DESC", head_desc}, {"LENG", head_leng}, {"ALPH", head_alph},
                 {"GA", head_ga},     {"TC", head_tc},   {"NC", head_nc},     {"STATS", head_stats},
                 {"NSEQ", head_nseq}, {"MAXL", head_maxl}, {"DATE", head_date},   {"COM", head_com},
                 {"EFFN", head_effn}};
    while (next_line(r)) {
        token t;
        next_token(r, &t);
        if (token_is(&t, "HMM")) return header_complete(r, d, err);
        if (token_is(&t, "//")) return bad(r, err, "the model ends before its HMM line");
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (token_is(&t, known[i].tag) && known[i].read(r, d, err) != WS_OK) return err->code;
        if (head_column(r, d, &t, err) != WS_OK) return err->code;
    }
    return bad(r, err, "the file ends inside a model's header; it may be cut");
}

/* ---- main section ---- */

static int cut_inside(reader *r, const ws_hmm *h, int k, ws_err *err) {
    return bad(r, err, "the file ends inside model %s, at node %d of %d; it may be cut", h->name, k, h->M);
}

/* Reads a line of exactly n values. */
static int plain_line(reader *r, const ws_hmm *h, int k, float *p, int n, const char *what, ws_err *err) {
    char quoted[WS_QUOTE_MAX];
    token t;
    int rc;
    if (!next_line(r)) return cut_inside(r, h, k, err);
    if ((rc = probabilities(r, p, n, what, err)) != WS_OK) return rc;
    if (next_token(r, &t))
        return bad(r, err, "found \"%s\" behind the %d values of the %s of node %d", show(quoted, &t), n, what, k);
    return WS_OK;
}

/* Returns the columns behind the match emissions of a version, in their order. */
static int columns_of(char version, const int **order) {
    static const int old[] = {COLUMN_MAP, WS_NOTE_RF, WS_NOTE_CS},
                     e[] = {COLUMN_MAP, WS_NOTE_CONS, WS_NOTE_RF, WS_NOTE_CS};
    static const int f[] = {COLUMN_MAP, WS_NOTE_CONS, WS_NOTE_RF, WS_NOTE_MM, WS_NOTE_CS};
    *order = version < 'e' ? old : version == 'e' ? e : f;
    return version < 'e' ? 3 : version == 'e' ? 4 : 5;
}

int ws_hmmtext_columns(char version) {
    const int *order;
    return columns_of(version, &order);
}

static int add_columns(const draft *d, ws_err *err) {
    ws_hmm *h = d->hmm;
    int rc = WS_OK;
    for (int i = 0; rc == WS_OK && i < WS_NNOTE; i++)
        if (d->valid[i]) rc = ws_hmm_add_note(h, i, err);
    if (rc == WS_OK && d->valid[COLUMN_MAP] && !(h->map = ws_calloc((size_t)h->M + 1, sizeof *h->map, err)))
        rc = err->code;
    return rc;
}

/* Stores one annotation column of node k. A map column that is no number stays 0: no score depends on it. */
static void take_column(ws_hmm *h, int which, int k, const token *t) {
    if (which < WS_NNOTE && h->note[which]) h->note[which][k] = *t->p;
    if (which != COLUMN_MAP || !h->map) return;
    int64_t v = 0;
    for (size_t i = 0; i < t->n && t->p[i] >= '0' && t->p[i] <= '9' && v < INT32_MAX; i++) v = v * 10 + (t->p[i] - '0');
    h->map[k] = v < INT32_MAX ? (int32_t)v : 0;
}

/* Reads a match line: "k", K match emissions, then annotation columns, whose number depends on the version. Further
 * fields are counted and have no meaning, as in HMMER. A '#' among the columns ends the line, so nothing can be missed
 * then. */
static int match_line(reader *r, ws_hmm *h, int k, ws_err *err) {
    const int *order, columns = columns_of(r->file->version, &order);
    int found = 0, rc;
    char quoted[WS_QUOTE_MAX];
    token t;
    if (!next_line(r)) return cut_inside(r, h, k, err);
    next_token(r, &t);
    if (!token_counts(&t, k))
        return bad(r, err, "found \"%s\" where node %d of model %s was expected", show(quoted, &t), k, h->name);
    if ((rc = probabilities(r, h->mat + (size_t)k * (size_t)h->abc->K, h->abc->K, "match emissions", err)) != WS_OK)
        return rc;
    for (; next_token(r, &t); found++)
        if (found < columns) take_column(h, order[found], k, &t);
    if (found < columns && *r->at != '#')
        return bad(r, err, "node %d has %d columns behind its match emissions, HMMER3/%c has %d", k, found,
                   r->file->version, columns);
    if (found > columns) h->further += (uint32_t)(found - columns);
    return WS_OK;
}

/* The insert emissions that were read last. Most models have the same in all nodes, and a line like the one before
 * needs no second look. */
typedef struct same_line {
    const char *p; /* from its first token to its end */
    size_t n;
} same_line;

/* Returns the place of a node's insert emissions; NULL of a model that is read without them. */
static float *inserts_of(const ws_hmm *h, int k) {
    return h->made ? h->made->ins + (size_t)k * (size_t)h->abc->K : NULL;
}

/* Reads a node's insert emissions, which no score depends on, or only checks them. */
static int insert_line(reader *r, const ws_hmm *h, int k, same_line *last, ws_err *err) {
    const char *begin, *end = r->file->text + r->file->n;
    reader at = *r;
    if (last->n && next_line(&at) && (size_t)(end - at.at) > last->n && !memcmp(at.at, last->p, last->n) &&
        at.at[last->n] == '\n') {
        *r = at;
        r->at += last->n;
        if (h->made) memcpy(inserts_of(h, k), inserts_of(h, k - 1), (size_t)h->abc->K * sizeof(float));
        return WS_OK;
    }
    int rc = plain_line(r, h, k, inserts_of(h, k), h->abc->K, "insert emissions", err);
    begin = r->line;
    *last = (same_line){begin, rc == WS_OK ? (size_t)(r->at - begin) : 0};
    return rc;
}

/* Reads the optional COMPO line, then the two lines of node 0. */
static int read_node0(reader *r, ws_hmm *h, ws_err *err) {
    int K = h->abc->K, rc;
    token t;
    if (!next_line(r)) return cut_inside(r, h, 0, err);
    next_token(r, &t);
    if (token_is(&t, "COMPO")) {
        if ((rc = probabilities(r, h->compo, K, "COMPO", err)) != WS_OK) return rc;
        if ((rc = plain_line(r, h, 0, inserts_of(h, 0), K, "insert emissions", err)) != WS_OK) return rc;
    } else {
        r->at = r->line;
        if ((rc = probabilities(r, inserts_of(h, 0), K, "insert emissions", err)) != WS_OK) return rc;
    }
    return plain_line(r, h, 0, h->tr, WS_NTRANS, "transitions", err);
}

/* Returns whether a model's end and the next model's first line are one line, as in `cat a b` of a file without a last
 * line feed. */
static int joins_files(const token *t) { return t->n > 8 && memcmp(t->p, "//HMMER3/", 9) == 0; }
#define HOW_TO_JOIN \
    "; a file that was joined here ends without a line feed: awk 1 FILE... joins model files so that each line has one"

static int read_nodes(reader *r, ws_hmm *h, ws_err *err) {
    char quoted[WS_QUOTE_MAX];
    same_line last = {NULL, 0};
    int rc = read_node0(r, h, err);
    for (int k = 1; rc == WS_OK && k <= h->M; k++) {
        if ((rc = match_line(r, h, k, err)) != WS_OK) break;
        if ((rc = insert_line(r, h, k, &last, err)) != WS_OK) break;
        rc = plain_line(r, h, k, h->tr + (size_t)k * WS_NTRANS, WS_NTRANS, "transitions", err);
    }
    if (rc) return rc;
    token t;
    if (!next_line(r)) return cut_inside(r, h, h->M, err);
    next_token(r, &t);
    if (!token_is(&t, "//"))
        return bad(r, err, "found \"%s\" where \"//\" was expected behind node %d, the last of model %s%s",
                   show(quoted, &t), h->M, h->name, joins_files(&t) ? HOW_TO_JOIN : "");
    return WS_OK;
}

/* Checks that the text is long enough for LENG nodes before memory is allocated: each of a node's 2K + 8 tokens
 * takes at least a character and a blank. */
static int check_room(const reader *r, const ws_hmm *h, ws_err *err) {
    size_t rest = r->file->n - (size_t)(r->at - r->file->text), least = 2 * (2 * (size_t)h->abc->K + 8);
    if ((size_t)h->M <= rest / least) return WS_OK;
    return bad(r, err, "model %s has LENG %d, but the file is too short for so many nodes", h->name, h->M);
}

/* ---- version and splitting ---- */

static int tag_of(const token *t, char *version) {
    if (t->n != 8 || memcmp(t->p, "HMMER3/", 7) != 0 || t->p[7] < 'a' || t->p[7] > 'f') return 0;
    *version = t->p[7];
    return 1;
}

int ws_hmmtext_version(ws_hmmfile *f, ws_err *err) {
    reader r = {.file = f, .at = f->text};
    char quoted[WS_QUOTE_MAX];
    token t;
    if (!next_line(&r)) return ws_fail(err, WS_EDATA, "%s: no model; the file is empty", f->name);
    next_token(&r, &t);
    if (tag_of(&t, &f->version)) return WS_OK;
    r.at = t.p;
    if (t.n >= 6 && memcmp(t.p, "HMMER2", 6) == 0)
        return bad(&r, err, "this is a HMMER2 model; convert it with HMMER's hmmconvert first");
    const int is_sequence = t.n > 0 && (*t.p == '>' || *t.p == '@');
    return bad(&r, err, "found \"%s\" where a model's first line, HMMER3/a to HMMER3/f, was expected%s",
               show(quoted, &t), is_sequence ? "; the model file is the first operand, sequences come behind it" : "");
}

/* Returns the position behind the first line at or after p whose first token is "//", else the end of the text. It
 * searches for '/', because hardly any line has one. */
static const char *model_end(const char *p, const char *text_end) {
    const char *begin = p;
    while ((p = memchr(p, '/', (size_t)(text_end - p))) != NULL) {
        const char *q = p;
        while (q > begin && is_blank(q[-1])) q--;
        if (p[1] == '/' && is_end(p[2]) && (q == begin || q[-1] == '\n')) {
            p = memchr(p, '\n', (size_t)(text_end - p));
            return p ? p + 1 : text_end;
        }
        p++;
    }
    return text_end;
}

int ws_hmmtext_split(const ws_hmmfile *f, size_t **start, size_t *n, ws_err *err) {
    const char *text_end = f->text + f->n, *p = f->text;
    size_t cap = 0;
    *start = NULL;
    *n = 0;
    for (;;) {
        reader r = {.file = f, .at = p};
        if (!next_line(&r)) return WS_OK;
        if (ws_grow(start, &cap, *n + 1, sizeof **start, err)) break;
        (*start)[(*n)++] = (size_t)(r.line - f->text);
        p = model_end(r.line, text_end);
    }
    ws_free(*start);
    *start = NULL;
    return err->code;
}

/* Reads the version tag and the header. */
static int begin_model(reader *r, draft *d, ws_err *err) {
    char quoted[WS_QUOTE_MAX], version;
    token t;
    for (int i = 0; i < WS_NEVPARAM; i++) d->hmm->evparam[i] = WS_EVPARAM_UNSET;
    next_line(r);
    next_token(r, &t);
    if (!tag_of(&t, &version) || version != r->file->version) {
        r->at = t.p;
        return bad(r, err,
                   "found \"%s\" where a further model was expected, which begins with HMMER3/%c like the first",
                   show(quoted, &t), r->file->version);
    }
    int rc = read_header(r, d, err);
    d->hmm->calibrated = d->stats == STATS_ALL;
    return rc;
}

int ws_hmmtext_header(ws_hmm *h, const ws_hmmfile *f, size_t start, ws_err *err) {
    reader r = {.file = f, .at = f->text + start};
    draft d = {.hmm = h};
    return begin_model(&r, &d, err);
}

int ws_hmmtext_read(ws_hmm *h, const ws_hmmfile *f, size_t start, ws_err *err) {
    reader r = {.file = f, .at = f->text + start};
    draft d = {.hmm = h};
    int rc = begin_model(&r, &d, err);
    if (rc != WS_OK) return rc;
    next_line(&r); /* skips the labels of the transitions */
    if ((rc = check_room(&r, h, err)) != WS_OK) return rc;
    if ((rc = ws_hmm_alloc(h, err)) != WS_OK) return rc;
    if (h->made && (rc = ws_hmm_alloc_inserts(h, err)) != WS_OK) return rc;
    if ((rc = add_columns(&d, err)) != WS_OK) return rc;
    rc = read_nodes(&r, h, err);
    if (rc == WS_OK && !h->note[WS_NOTE_CONS] && !(h->made && f->version >= 'e')) rc = ws_hmm_derive_consensus(h, err);
    if (h->made) {
        h->made->nseq = h->nseq ? h->nseq : -1;
        h->made->maxl = h->maxl ? h->maxl : -1;
        h->made->has_checksum = h->cksum != 0;
        h->made->checksum = h->cksum ? (uint32_t)(h->cksum - 1) : 0;
    }
    h->hash = rc == WS_OK ? ws_hmm_hash(h) : 0;
    return rc;
}
