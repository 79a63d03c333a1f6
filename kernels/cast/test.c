/* SPDX-License-Identifier: MIT
 * Making models: the worked example of a sequence, the random sequences, score matrices as text. Specification
 * build.md, sections 2, 3 and 18.1. */
#include <math.h>
#include <string.h>

#include "kernels/cast/tables.h"
#include "tests/tap.h"

static int near(double a, double b, double relative) { return fabs(a - b) <= relative * fabs(b); }

static const ws_abc *amino(void) { return ws_abc_get(WS_ABC_AMINO); }

/* ---- random sequences (3.1) ---- */

static void test_random(tap *t, ws_abc_type type, uint32_t expected, const char *first) {
    const ws_abc *abc = ws_abc_get(type);
    ws_build_settings s;
    ws_builder *b;
    ws_err err;
    uint32_t v = 0;
    ws_build_settings_default(&s, abc);
    if (!tap_ok(t, ws_builder_create(&b, &s, &err) == WS_OK, "a builder for %s", abc->name)) return;
    for (int f = 0; f < WS_BUILD_NFILTER; f++)
        for (size_t i = 0; i < b->random[f].n; i++)
            for (size_t j = 0; j < b->random[f].length; j++) {
                v += b->random[f].codes[6 * b->random[f].first[i] + j];
                v += v << 10;
                v ^= v >> 6;
            }
    tap_ok(t, v == expected, "%s: hash %u of all random residues", abc->name, v);
    int same = 1;
    for (size_t j = 0; first[j]; j++) same &= abc->letters[b->random[0].codes[j]] == first[j];
    tap_ok(t, same, "%s: the first random sequence begins with %s", abc->name, first);
    ws_builder_destroy(b);
}

/* ---- w1 = MCQIRX (18.1) ---- */

static const uint8_t w1[] = {10, 1, 13, 7, 14, 26};

static int make_w1(ws_hmm *h, int width, ws_err *err) {
    ws_build_settings s;
    ws_builder *b;
    ws_build_settings_default(&s, amino());
    s.width = width;
    int rc = ws_builder_create(&b, &s, err);
    if (!rc) rc = ws_build_from_sequence(b, &(ws_build_sequence){.name = "w1", .codes = w1, .L = sizeof w1}, h, err);
    ws_builder_destroy(b);
    return rc;
}

static void test_worked(tap *t, int width) {
    ws_hmm h;
    ws_err err;
    if (!tap_ok(t, make_w1(&h, width, &err) == WS_OK, "%s: w1", ws_width_name[width])) return;
    tap_ok(t, h.M == 6 && near(-log((double)h.mat[2 * 20 + 1]), 1.13399, 1e-5) &&
               near(-log((double)h.mat[2 * 20]), 2.34737, 1e-5), "emissions of node 2");
    tap_ok(t, near(h.made->entropy, 0.46342386355778825, 1e-15), "relative entropy %.17g", h.made->entropy);
    tap_ok(t, !strcmp(h.note[WS_NOTE_CONS], " mcqirx"), "consensus %s",
           h.note[WS_NOTE_CONS]);
    const float *first = h.tr, *last = h.tr + 6 * WS_NTRANS;
    tap_ok(t, first[WS_TDM] == 0.6f && first[WS_TDD] == 0.4f && last[WS_TMM] == 0.98f && last[WS_TMD] == 0.0f &&
               last[WS_TDM] == 1.0f && last[WS_TDD] == 0.0f, "transitions of the first and the last node");
    tap_ok(t, h.evparam[WS_MMU] == -7.3121624f && h.evparam[WS_VMU] == -7.68340635f &&
               h.evparam[WS_FTAU] == -1.36465108f && h.evparam[WS_MLAMBDA] == 1.2110316f,
           "calibration %.9g %.9g %.9g", (double)h.evparam[WS_MMU], (double)h.evparam[WS_VMU],
           (double)h.evparam[WS_FTAU]);
    ws_hmm_release(&h);
}

static void test_empty(tap *t) {
    ws_build_settings s;
    ws_builder *b;
    ws_hmm h;
    ws_err err;
    ws_build_settings_default(&s, amino());
    if (ws_builder_create(&b, &s, &err)) return;
    const int rc = ws_build_from_sequence(b, &(ws_build_sequence){.name = "none", .codes = w1}, &h, &err);
    tap_ok(t, rc == WS_EDATA && strstr(err.text, "none has no residues"), "no residues: %s", err.text);
    ws_builder_destroy(b);
}

/* ---- tinyali.sto (18.2), whose columns are all consensus ---- */

typedef struct tiny_row {
    const char *text; /* '-' a deletion, '~' outside a fragment */
    double weight;
} tiny_row;
static const tiny_row tiny[] = {{"ACDEF-GHIK", 0.8498274922825495}, {"ACDEFAGHIK", 0.8961321953876884},
                                {"--DEF-GHI-", 0.7880878881423643}, {"A--EFGGH--", 0.7880878881423643},
                                {"~~~KYWW~~~", 1.6778645360450337}};
enum { TINY_ROWS = sizeof tiny / sizeof *tiny, TINY_M = 10 };

/* Adds the counts of a row: of a fragment from its first to its last match state, which is not counted itself. */
static void count_row(ws_build_counts *c, const tiny_row *r) {
    const float w = (float)r->weight;
    int first = 0, last = TINY_M;
    while (r->text[first] == '~') first++;
    while (r->text[last - 1] == '~') last--;
    if (first == 0) c->tr[r->text[0] == '-' ? WS_TMD : WS_TMM] += w;
    for (int i = first; i < last; i++) {
        const int deleted = r->text[i] == '-', ends = i + 1 == TINY_M, next_deleted = !ends && r->text[i + 1] == '-';
        if (i + 1 == last && !ends) break;
        if (!deleted) c->mat[(i + 1) * 20 + amino()->code_of[(unsigned char)r->text[i]]] += w;
        c->tr[(i + 1) * WS_NTRANS + (deleted ? next_deleted ? WS_TDD : WS_TDM : next_deleted ? WS_TMD : WS_TMM)] += w;
    }
}

static int make_tiny(ws_hmm *h, const ws_build_settings *s, ws_err *err) {
    ws_build_counts c;
    ws_builder *b;
    *h = (ws_hmm){.abc = amino(), .M = TINY_M};
    if (ws_builder_create(&b, s, err)) return err->code;
    int rc = ws_build_counts_create(&c, amino(), TINY_M, TINY_ROWS, err);
    for (int r = 0; !rc && r < TINY_ROWS; r++) count_row(&c, &tiny[r]);
    if (!rc && !(h->name = ws_strndup("tiny", 4, err))) rc = err->code;
    if (!rc) rc = ws_build_from_counts(b, &c, h, err);
    ws_build_counts_release(&c);
    ws_builder_destroy(b);
    return rc;
}

static void test_counts(tap *t) {
    ws_build_settings s;
    ws_hmm h;
    ws_err err;
    ws_build_settings_default(&s, amino());
    s.ere = 0.8;
    s.esigma = 10.0;
    if (!tap_ok(t, make_tiny(&h, &s, &err) == WS_OK, "tinyali")) return;
    tap_ok(t, h.made->effn == 2.0263671875f && near(h.made->entropy, 1.58028, 1e-5),
           "effective number %.10g, %.6g bits",
           (double)h.made->effn, h.made->entropy);
    static const double t0[] = {.8346647, .0127431, .1525922, .538168, .461832, 1, 0},
                        t1[] = {.8063073, .01492872, .178764, .538168, .461832, .5049952, .4950048};
    int same = 1;
    for (int i = 0; i < WS_NTRANS; i++)
        same &= near((double)h.tr[i], t0[i], 1e-6) && near((double)h.tr[WS_NTRANS + i], t1[i], 1e-6);
    tap_ok(t, same && near((double)h.mat[20], .5356242, 1e-6), "transitions and emissions");
    tap_ok(t, near((double)h.evparam[WS_MMU], -6.0177, 1e-5) && near((double)h.evparam[WS_VMU], -6.4243, 1e-5) &&
               near((double)h.evparam[WS_FTAU], -2.3034, 1e-4), "calibration");
    ws_hmm_release(&h);
    ws_build_settings_default(&s, amino());
    tap_ok(t, make_tiny(&h, &s, &err) == WS_OK && h.made->effn == 5.0f, "no entropy to lose: 5 sequences");
    ws_hmm_release(&h);
    s.ere = -1.0;
    s.esigma = -1e4;
    tap_ok(t, make_tiny(&h, &s, &err) == WS_EDATA && strstr(err.text, "alignment tiny: there is no effective"), "%s",
           err.text);
    ws_hmm_release(&h);
}

/* ---- matrices as text ---- */

static const char dna_matrix[] = "# comment\n  A C G T N\n"
                                 "A 5 -4 -4 -4 0\n-4 5 -4 -4 0\nG -4 -4 5 -4 0\n -4 -4 -4 6 0\nN 0 0 0 0 0\n";

/* Parses the matrix with its first `from` replaced by `to`. */
static int parse_with(const char *from, const char *to, ws_build_matrix *m, ws_err *err) {
    char text[512];
    const char *at = strstr(dna_matrix, from);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - dna_matrix), dna_matrix, to, at + strlen(from));
    return ws_build_matrix_parse(m, ws_abc_get(WS_ABC_DNA), "mx", text, strlen(text), err);
}

static void test_matrix_text(tap *t) {
    static const struct {
        const char *from, *to, *says;
    } bad[] = {
        {"  A C G T N", "  A C G N", "line 2: the score matrix has no column for T"},
        {"  A C G T N", "  A C G T E", "line 2: found \"E\" where a residue letter"},
        {"  A C G T N", "  A C G T T", "line 2: the score matrix has two columns for T"},
        {"-4 5 -4 -4 0", "-4 5 -4 -4", "line 4: the row C of the score matrix has 4 scores, its first line has 5"},
        {"-4 5 -4 -4 0", "-4 5 -4 x 0", "line 4: found \"x\" where a score"},
        {"N 0 0 0 0 0\n", "", "the file ends before the row N"},
        {"N 0 0 0 0 0\n", "N 0 0 0 0 0\nX 1\n", "line 8: found a row behind the last"},
    };
    ws_build_matrix m;
    ws_err err;
    tap_ok(t, parse_with("#", "#", &m, &err) == WS_OK && m.score[0] == 5 && m.score[1] == -4 && m.score[15] == 6,
           "a matrix with and without labels of rows");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(t, parse_with(bad[i].from, bad[i].to, &m, &err) == WS_EDATA && strstr(err.text, bad[i].says), "%s",
               err.text);
    tap_ok(t, ws_build_matrix_named(&m, amino(), "blosum62", &err) == WS_EDATA && strstr(err.text, "BLOSUM62"), "%s",
           err.text);
}

/* A matrix whose scores are all negative, or have a positive mean, has no scale. */
static void test_no_scale(tap *t, int v) {
    ws_build_settings s;
    ws_builder *b;
    ws_err err;
    ws_build_settings_default(&s, amino());
    for (int i = 0; i < 400; i++) s.matrix.score[i] = v;
    tap_ok(t, ws_builder_create(&b, &s, &err) == WS_EDATA && !b && strstr(err.text, "lambda"), "all scores %d: %s", v,
           err.text);
}

int main(void) {
    tap t = {0};
    ws_cpu cpu;
    ws_cpu_probe(&cpu);
    test_random(&t, WS_ABC_AMINO, 1974810448u, "DTNALEAEGMELAFGLLNTYIILAKSNEREQPETESPTRK");
    test_random(&t, WS_ABC_DNA, 1744596854u, "ATGAGAAACGACAACCGG");
    for (int w = 0; w < WS_NWIDTH; w++)
        if (!cpu.why_not[w]) test_worked(&t, w);
    test_empty(&t);
    test_counts(&t);
    test_matrix_text(&t);
    test_no_scale(&t, -1);
    test_no_scale(&t, 1);
    return tap_end(&t);
}
