/* SPDX-License-Identifier: MIT
 * From alignments to counts: the worked example, the sample of deep alignments, weights, traces by hand, any number of
 * threads. Specification build.md, sections 5, 6, 18.2. */
#include <ctype.h>
#include <math.h>

#include "kernels/cast/build.h"
#include "lib/compress/source.h"
#include "tests/lib/io.h"

#define FOLDER "tests/data/golden/build/"

/* Reads the only alignment of a text. */
static void read_msa(const char *text, const ws_abc *abc, ws_msa *m) {
    char path[PATH_SIZE];
    ws_msareader *r = NULL;
    ws_err err = {0};
    temp_file(path, text, strlen(text));
    must(!ws_msareader_open(&r, path, WS_MSA_GUESS, abc, &err), err.text);
    must(!ws_msareader_next(r, m, &err), err.text);
    ws_msareader_close(r);
    unlink(path);
}

static const ws_abc *amino(void) { return ws_abc_get(WS_ABC_AMINO); }

static int near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

/* ---- the worked example (18.2) ---- */

static void test_worked(tap *t) {
    static const double weight[] = {0.8498274922825495, 0.8961321953876884, 0.7880878881423643, 0.7880878881423643,
                                    1.6778645360450337};
    ws_build_ali_settings s;
    ws_build_ali a;
    ws_msa m;
    ws_err err = {0};
    size_t n;
    char *text = NULL;
    must(!ws_source_slurp(FOLDER "tinyali.sto", NULL, &text, &n, &err), err.text);
    read_msa(text, amino(), &m);
    ws_free(text);
    ws_build_ali_default(&s);
    if (!tap_ok(t, !ws_build_ali_create(&a, &m, &s, &err), "the worked example")) return;
    int same = 1;
    for (int i = 0; i < 5; i++) same &= a.weight[i] == weight[i];
    tap_ok(t, same && a.checksum == 3752563042u && a.counts.M == 10 && a.column[10] == 10,
        "weights, checksum, columns");
    const float *tr = a.counts.tr, *e4 = a.counts.mat + 4 * 20, *e6 = a.counts.mat + 6 * 20,
        *e7 = a.counts.mat + 7 * 20;
    tap_ok(t, near(tr[WS_TMM], weight[0] + weight[1] + weight[3]) && near(tr[WS_TMD], weight[2]),
        "s5 does not leave B");
    tap_ok(t, near(e4[8], weight[4]) && near(e6[18], weight[4]), "s5 counts from M4 to M6 (K and W)");
    tap_ok(t, e7[18] == 0 && near(e7[5], weight[0] + weight[1] + weight[2] + weight[3]),
        "its last match, M7, does not");
    tap_ok(t, near(tr[6 * WS_NTRANS + WS_TMM], weight[1] + weight[3] + weight[4]), "but M6 to M7 does");
    tap_ok(t, !strcmp(a.note[WS_NOTE_CS], " HHHHH.EEEE") && !a.note[WS_NOTE_RF], "CS at the nodes, no RF");
    ws_build_ali_release(&a);
    ws_msa_release(&m);
}

/* ---- the sample (6.2) ---- */

static void test_sample(tap *t) {
    enum { TAKE = 10000 };
    static int64_t index[TAKE];
    char *text = NULL, *line;
    size_t n;
    ws_err err = {0};
    must(!ws_source_slurp(FOLDER "sample.tsv", NULL, &text, &n, &err), err.text);
    for (line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        long long rows, first, last, sum, got = 0;
        unsigned hash, v = 0;
        must(sscanf(line, "%lld %lld %*[^\t] %lld %lld %u", &rows, &first, &last, &sum, &hash) == 5, "sample.tsv");
        ws_build_sample(rows, TAKE, index);
        for (int i = 0; i < TAKE; i++) {
            got += index[i];
            v += (unsigned)index[i];
            v += v << 10;
            v ^= v >> 6;
        }
        tap_ok(t, index[0] == first && index[TAKE - 1] == last && got == sum && v == hash, "10,000 of %lld rows", rows);
    }
    ws_free(text);
    ws_build_sample(1, 1, index);
    tap_ok(t, index[0] == 0, "one of one");
    ws_build_sample(7, 7, index);
    tap_ok(t, index[0] == 0 && index[3] == 3 && index[6] == 6, "seven of seven");
}

/* ---- traces by hand (5.7, 5.8) ---- */

/* Counts a text without weights; returns transitions as "k:MMx3 .." that are not 0, and insert residues. */
static void count(const char *text, float fragthresh, ws_buf *out) {
    static const char *const name[] = {"MM", "MI", "MD", "IM", "II", "DM", "DD"};
    ws_build_ali_settings s;
    ws_build_ali a;
    ws_msa m;
    ws_err err = {0};
    read_msa(text, amino(), &m);
    ws_build_ali_default(&s);
    s.weights = WS_BUILD_WNONE;
    s.hand = 1;
    s.fragthresh = fragthresh;
    must(!ws_build_ali_create(&a, &m, &s, &err), err.text);
    out->n = 0;
    for (int k = 0; k <= a.counts.M; k++) {
        must(!ws_buf_addf(out, &err, "%d", k), "memory");
        for (int x = 0; x < 20; x++) {
            const float v = a.counts.mat[k * 20 + x];
            if (v > 0) must(!ws_buf_addf(out, &err, " %c%g", m.abc->letters[x], (double)v), "memory");
        }
        for (int i = 0; i < WS_NTRANS; i++) {
            const float v = a.counts.tr[k * WS_NTRANS + i];
            if (v > 0) must(!ws_buf_addf(out, &err, " %s%g", name[i], (double)v), "memory");
        }
        for (int x = 0; x < 20; x++) {
            const float v = a.counts.ins[k * 20 + x];
            if (v > 0) must(!ws_buf_addf(out, &err, " %c%g", tolower(m.abc->letters[x]), (double)v), "memory");
        }
        must(!ws_buf_adds(out, "; ", &err), "memory");
    }
    ws_build_ali_release(&a);
    ws_msa_release(&m);
}

#define TWO "# STOCKHOLM 1.0\n"

static const struct {
    const char *what, *text, *want;
} traces[] = {
    {"a deletion takes the residue behind it", "a A-cD\n#=GC RF xx.x\n", "0 MM1; 1 A1 MM1; 2 C1 MM1; 3 D1 MM1; "},
    {"and the residue before it", "a Ac-D\n#=GC RF x.xx\n", "0 MM1; 1 A1 MM1; 2 C1 MM1; 3 D1 MM1; "},
    {"one residue goes to the first of two", "a -c-D\n#=GC RF x.xx\n", "0 MM1; 1 C1 MD1; 2 DM1; 3 D1 MM1; "},
    {"two residues go to both", "a -cd-\n#=GC RF x..x\n", "0 MM1; 1 C1 MM1; 2 D1 MM1; "},
    {"the third stays", "a -cde-\n#=GC RF x...x\n", "0 MM1; 1 C1 MI1 IM1 d1; 2 E1 MM1; "},
    {"a deletion that took one takes no other", "a Ac-d-E\n#=GC RF x.x.xx\n",
     "0 MM1; 1 A1 MM1; 2 C1 MM1; 3 D1 MM1; 4 E1 MM1; "},
    {"an insertion in front, one behind", "a acDEg\n#=GC RF ..xx.\n",
     "0 MI1 IM1 II1 a1 c1; 1 D1 MM1; 2 E1 MI1 IM1 g1; "},
    {"B to D, D to E", "a -DE-\n#=GC RF xxxx\n", "0 MD1; 1 DM1; 2 D1 MM1; 3 E1 MD1; 4 DM1; "},
    {"degenerate residues", "a BX*\n#=GC RF xxx\n",
     "0 MM1; 1 D0.5 N0.5 MM1; 2 A0.05 C0.05 D0.05 E0.05 F0.05 G0.05 H0.05 I0.05 K0.05 L0.05 M0.05 N0.05 P0.05 Q0.05 "
     "R0.05 S0.05 T0.05 V0.05 W0.05 Y0.05 MM1; 3 MM1; "},
    {"a left fragment counts from its first match", "a ~~-ACDE\n#=GC RF xxxxxxx\n",
     "0; 1; 2; 3; 4 A1 MM1; 5 C1 MM1; 6 D1 MM1; 7 E1 MM1; "},
    {"a right fragment up to before its last", "a ACDE-~~\n#=GC RF xxxxxxx\n",
     "0 MM1; 1 A1 MM1; 2 C1 MM1; 3 D1 MM1; 4; 5; 6; 7; "},
    {"a fragment without a match", "a ~~~acde\nb ACDFGHI\n#=GC RF xxx....\n",
     "0 MM1; 1 A1 MM1; 2 C1 MM1; 3 D1 MI1 IM2 II6 a1 c1 d1 e1 f1 g1 h1 i1; "},
    {"a fragment without a match, cut behind its insertion", "a ~~~ac~~\nb ACDFGHI\n#=GC RF xxx....\n",
     "0 MM1; 1 A1 MM1; 2 C1 MM1; 3 D1 MI1 IM1 II4 a1 c1 f1 g1 h1 i1; "},
    {"a short row is a fragment", "a ACDEFGH\nb ---E---\n#=GC RF xxxxxxx\n",
     "0 MM1; 1 A1 MM1; 2 C1 MM1; 3 D1 MM1; 4 E1 MM1; 5 F1 MM1; 6 G1 MM1; 7 H1 MM1; "},
    {"masked columns hold any residue", "a AC\n#=GC RF xx\n#=GC MM m.\n",
     "0 MM1; 1 A0.05 C0.05 D0.05 E0.05 F0.05 G0.05 H0.05 I0.05 K0.05 L0.05 M0.05 N0.05 P0.05 Q0.05 R0.05 S0.05 T0.05 "
     "V0.05 W0.05 Y0.05 MM1; 2 C1 MM1; "},
};

static void test_traces(tap *t) {
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char text[512];
        ws_buf out = {0};
        snprintf(text, sizeof text, TWO "%s//\n", traces[i].text);
        count(text, strstr(traces[i].what, "short") ? 0.5f : 0.0f, &out);
        if (!tap_ok(t, same_text(&out, traces[i].want), "%s", traces[i].what)) tap_note("%s", out.p);
        ws_buf_release(&out);
    }
}

/* ---- settings ---- */

static int refused(const char *text, const ws_build_ali_settings *s, const char *want) {
    ws_build_ali a;
    ws_msa m;
    ws_err err = {0};
    read_msa(text, amino(), &m);
    const int rc = ws_build_ali_create(&a, &m, s, &err);
    if (rc != WS_EDATA || !strstr(err.text, want)) tap_note("%d: %s", rc, err.text);
    ws_msa_release(&m);
    return rc == WS_EDATA && strstr(err.text, want);
}

static void test_refused(tap *t) {
    ws_build_ali_settings s;
    ws_build_ali_default(&s);
    s.fragthresh = 0;
    tap_ok(t, refused(TWO "a A---\nb -C--\nc --D-\n//\n", &s, "no consensus column: none of 4 has residues in 0.5"),
           "no consensus column");
    tap_ok(t, refused(TWO "a AC~DE\n//\n", &s, "row \"a\" has a \"~\" in column 3"), "~ inside a row");
    s.hand = 1;
    tap_ok(t, refused(TWO "a ACDE\n//\n", &s, "no RF line"), "hand without RF");
    tap_ok(t, refused(TWO "a ACDE\n#=GC RF ..-_\n//\n", &s, "marks no consensus column"), "hand, RF without a column");
}

/* A flag for each column of an RF line, and none behind them. */
static void test_flags(tap *t) {
    uint8_t is[5] = {7, 7, 7, 7, 7};
    ws_build_ali_settings s;
    ws_msa m;
    ws_err err = {0};
    ws_build_ali_default(&s);
    s.hand = 1;
    read_msa(TWO "a ACDE\n#=GC RF x.x.\n//\n", amino(), &m);
    must(!ws_build_columns(&m, &s, NULL, is, &err), err.text);
    tap_ok(t, is[0] && !is[1] && is[2] && !is[3] && is[4] == 7, "hand: a flag for each of four columns");
    ws_msa_release(&m);
}

/* ---- the threshold of a consensus column (5.4) ---- */

/* Returns the number of consensus columns of rows of equal weight. */
static int columns_of(const char *text, float symfrac) {
    ws_build_ali_settings s;
    ws_build_ali a;
    ws_msa m;
    ws_err err = {0};
    read_msa(text, amino(), &m);
    ws_build_ali_default(&s);
    s.weights = WS_BUILD_WNONE;
    s.fragthresh = 0;
    s.symfrac = symfrac;
    const int M = ws_build_ali_create(&a, &m, &s, &err) ? 0 : a.counts.M;
    ws_build_ali_release(&a);
    ws_msa_release(&m);
    return M;
}

static void test_threshold(tap *t) {
    const char *text = TWO "a AC-E*\nb A-DF*\nc ACDA~\nd AC-A~\n//\n";
    tap_ok(t, columns_of(text, 0.5f) == 4, "exactly half is enough; ~ and * do not count");
    tap_ok(t, columns_of(text, 0.501f) == 3 && columns_of(text, 0.75f) == 3 && columns_of(text, 0.76f) == 2,
           "a column with two of four rows, one with three");
    tap_ok(t, columns_of(text, 0.0f) == 4 && columns_of(TWO "a A-\nb A-\n//\n", 0.0f) == 1,
        "a column without a residue");
}

/* Thresholds that are the very quotient of a column, or the single above it, with weights whose sums round: only
 * HMMER's roundings give the right answer. */
static void test_rounding(tap *t) {
    enum { ROWS_N = 3000, COLUMNS = 40 };
    ws_build_ali_settings s;
    ws_err err = {0};
    ws_msa m = {.abc = amino(), .rows = ROWS_N, .columns = COLUMNS};
    double *weight = ws_alloc(ROWS_N * sizeof *weight, &err);
    uint8_t is[COLUMNS];
    uint64_t seed = 11;
    int wrong = 0;
    must(weight && (m.code = ws_alloc((size_t)ROWS_N * COLUMNS, &err)) != NULL, "memory");
    for (size_t i = 0; i < ROWS_N; i++) weight[i] = 0.001 + (double)below(&seed, 1000000) / 333333.0;
    for (size_t i = 0; i < (size_t)ROWS_N * COLUMNS; i++) m.code[i] = below(&seed, 2) ? 20 : 3;
    ws_build_ali_default(&s);
    for (size_t c = 0; c < COLUMNS; c++) {
        float residues = 0, all = 0;
        for (size_t i = 0; i < ROWS_N; i++) {
            all = (float)((double)all + weight[i]);
            if (ws_msa_row(&m, i)[c] == 3) residues = (float)((double)residues + weight[i]);
        }
        s.symfrac = residues / all;
        must(!ws_build_columns(&m, &s, weight, is, &err), err.text);
        wrong += !is[c];
        s.symfrac = nextafterf(s.symfrac, 1);
        if (!ws_build_columns(&m, &s, weight, is, &err)) wrong += is[c];
    }
    tap_ok(t, wrong == 0, "%d columns at their own threshold, %d wrong", COLUMNS, wrong);
    ws_free(m.code);
    ws_free(weight);
}

/* The weights of the input are there with each scheme; their lines in -O too. */
static void test_given(tap *t) {
    ws_build_ali_settings s;
    ws_build_ali a;
    ws_msa m;
    ws_err err = {0};
    ws_build_ali_default(&s);
    s.weights = WS_BUILD_WGIVEN;
    for (int given = 0; given < 2; given++) {
        read_msa(given ? TWO "#=GS a WT 0.5\n#=GS b WT 3\na ACDE\nb ACDE\n//\n" : TWO "a ACDE\nb ACDE\n//\n", amino(),
            &m);
        must(!ws_build_ali_create(&a, &m, &s, &err), err.text);
        tap_ok(t, a.has_weights == given && a.weight[0] == (given ? 0.5 : 1) && a.weight[1] == (given ? 3 : 1),
               "weights of the input: %d", given);
        ws_build_ali_release(&a);
        ws_msa_release(&m);
    }
}

/* ---- threads, weights, clusters ---- */

/* An alignment of `rows` random rows with gaps, fragments and insertions. */
static char *random_text(size_t rows, size_t columns, uint64_t seed) {
    ws_buf b = {0};
    ws_err err;
    must(!ws_buf_adds(&b, TWO, &err), "memory");
    for (size_t i = 0; i < rows; i++) {
        const size_t from = below(&seed, 3) ? 0 : below(&seed, columns / 2), to = below(&seed,
            3) ? columns : columns / 2 + below(&seed, columns / 2);
        must(!ws_buf_addf(&b, &err, "r%zu ", i), "memory");
        for (size_t c = 0; c < columns; c++) {
            const int gap = c < from || c >= to || below(&seed, c % 5 == 2 ? 2 : 9) == 0;
            must(!ws_buf_addf(&b, &err, "%c", gap ? '-' : "ACDEFGHIKLMNPQRSTVWYXB*"[below(&seed, c % 3 ? 8 : 23)]),
                "memory");
        }
        must(!ws_buf_adds(&b, "\n", &err), "memory");
    }
    must(!ws_buf_adds(&b, "//\n", &err), "memory");
    return b.p;
}

static int same_counts(const ws_build_ali *a, const ws_build_ali *b, size_t rows) {
    const size_t n = ((size_t)a->counts.M + 1) * (2 * 20 + WS_NTRANS);
    return a->counts.M == b->counts.M && a->checksum == b->checksum && a->counts.nclusters == b->counts.nclusters &&
           !memcmp(a->weight, b->weight, rows * sizeof *a->weight) &&
           !memcmp(a->counts.mat, b->counts.mat, n * sizeof *a->counts.mat);
}

static void test_threads(tap *t) {
    for (int weights = WS_BUILD_WPB; weights <= WS_BUILD_WNONE; weights++) {
        const size_t rows = weights == WS_BUILD_WGSC ? 60 : 1500;
        char *text = random_text(rows, 137, 5);
        ws_build_ali_settings s;
        ws_build_ali a[2];
        ws_err err = {0};
        ws_build_ali_default(&s);
        s.weights = (ws_build_weights)weights;
        s.clusters = 1;
        for (int i = 0; i < 2; i++) {
            ws_msa m;
            read_msa(text, amino(), &m);
            s.threads = i ? 5 : 1;
            must(!ws_build_ali_create(&a[i], &m, &s, &err), err.text);
            ws_msa_release(&m);
        }
        tap_ok(t, same_counts(&a[0], &a[1], rows) && a[0].counts.M > 50,
            "weights %d: one thread and five, M = %d, %d clusters",
               weights, a[0].counts.M, a[0].counts.nclusters);
        ws_build_ali_release(&a[0]);
        ws_build_ali_release(&a[1]);
        ws_free(text);
    }
}

/* ---- deep alignments (6.2) ---- */

enum { DEEP_COLUMNS = 8, ODD = 4 /* the column that only rows of the sample have */ };

/* Returns whether column ODD counts for the weights of `rows` rows: all have "ACDE-GHI", those of the sample a residue
 * there; `fragments` of the sample have that one alone. Two rows outside the sample, of which one has it, tell. */
static int sample_decides(size_t rows, size_t fragments) {
    enum { TAKE = 10000 };
    static const uint8_t common[DEEP_COLUMNS] = {0, 1, 2, 3, 20, 5, 6, 7};
    static int64_t index[TAKE];
    ws_err err = {0};
    ws_build_ali_settings s;
    ws_msa m = {.abc = amino(), .rows = rows, .columns = DEEP_COLUMNS};
    double *weight = ws_alloc(rows * sizeof *weight, &err);
    must(weight && (m.code = ws_alloc(rows * DEEP_COLUMNS, &err)) != NULL, "memory");
    for (size_t i = 0; i < rows; i++) memcpy(ws_msa_row(&m, i), common, DEEP_COLUMNS);
    ws_build_sample(50001, TAKE, index);
    for (size_t i = 0; i < TAKE; i++) {
        uint8_t *x = ws_msa_row(&m, (size_t)index[i]);
        if (i < fragments) memset(x, 20, DEEP_COLUMNS);
        x[ODD] = 4;
    }
    must(index[0] == 2 && index[1] == 4 && index[2] == 13, "the sample begins with 2 4 13");
    ws_msa_row(&m, 3)[ODD] = 4;
    ws_build_ali_default(&s);
    must(!ws_build_weigh_pb(&m, &s, weight, &err), err.text);
    const int differ = weight[3] != weight[5];
    ws_free(m.code);
    ws_free(weight);
    return differ;
}

static void test_deep(tap *t) {
    tap_ok(t, sample_decides(50001, 0), "50,001 rows: the sample says which columns count");
    tap_ok(t, !sample_decides(50000, 0), "50,000 rows: all rows do");
    tap_ok(t, sample_decides(50001, 5000) && !sample_decides(50001, 5001),
        "a sample of more than 5,000 fragments is refused");
}

int main(void) {
    tap t = {0};
    test_worked(&t);
    test_sample(&t);
    test_traces(&t);
    test_refused(&t);
    test_flags(&t);
    test_threshold(&t);
    test_rounding(&t);
    test_given(&t);
    test_threads(&t);
    test_deep(&t);
    return tap_end(&t);
}
