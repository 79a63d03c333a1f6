/* SPDX-License-Identifier: MIT
 * lib/hmm/model.h and lib/base/alphabet.h: every form of a model file, and files that must be refused with a clear
 * sentence. */
#include <math.h>

#include "lib/hmm/bias.h"
#include "lib/compress/source.h"
#include "tests/lib/hmmread.h"
#include "tests/lib/io.h"

#define GOLDEN "tests/data/golden/"

/* ---- helpers ---- */

static void die(const ws_err *err) {
    printf("Bail out! %s\n", err->text);
    exit(1);
}

static ws_hmmset read_file(const char *path, int threads) {
    ws_hmmset set;
    ws_err err;
    if (hmm_read(&set, path, threads, &err)) die(&err);
    return set;
}

/* Reads n bytes as a file would be read. */
static int read_bytes(ws_hmmset *set, const void *p, size_t n, ws_err *err) {
    char path[PATH_SIZE];
    temp_file(path, p, n);
    int rc = hmm_read(set, path, 2, err);
    unlink(path);
    return rc;
}

static char *slurp(const char *path, size_t *n) {
    char *text;
    ws_err err;
    if (ws_source_slurp(path, NULL, &text, n, &err)) die(&err);
    return text;
}

/* text with the first `from` replaced; NULL stays as it is. Release with free. */
static char *replaced(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    if (!at) {
        printf("Bail out! the test's file has no \"%s\"\n", from);
        exit(1);
    }
    char *out = malloc(strlen(text) + strlen(to) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

static int close_to(const float *a, const float *b, size_t n, float relative) {
    for (size_t i = 0; i < n; i++)
        if (!(fabsf(a[i] - b[i]) <= relative * fabsf(b[i]))) return 0;
    return 1;
}

/* The same numbers but E-value parameters, up to a relative difference. */
static int same_model(const ws_hmm *a, const ws_hmm *b, float relative) {
    size_t K = (size_t)a->abc->K, M = (size_t)a->M;
    return a->M == b->M && a->abc == b->abc && strcmp(a->name, b->name) == 0 &&
           close_to(a->mat + K, b->mat + K, M * K, relative) && close_to(a->tr, b->tr, (M + 1) * WS_NTRANS, relative) &&
           close_to(a->compo, b->compo, K, relative);
}

/* ---- alphabets ---- */

static void test_alphabet(tap *t, ws_abc_type type, int K, int Kp) {
    const ws_abc *abc = ws_abc_get(type);
    int letters = 1, degenerate = 1, residues = 0;
    float sum = 0;
    for (int x = 0; x < Kp; x++) letters &= abc->code_of[(unsigned char)abc->letters[x]] == x;
    for (int x = 0; x < K; x++) {
        degenerate &= abc->contains[x] == 1u << x;
        sum += abc->background[x];
    }
    degenerate &= abc->contains[K] == 0 && abc->contains[Kp - 2] == 0 && abc->contains[Kp - 1] == 0;
    degenerate &= abc->contains[abc->any] == (1u << K) - 1;
    for (int c = 0; c < 256; c++) residues += abc->code_of[c] < Kp;
    tap_ok(t, abc->K == K && abc->Kp == Kp && (int)strlen(abc->letters) == Kp && letters, "%s: letters and codes",
           abc->name);
    tap_ok(t, degenerate && fabsf(sum - 1) < 1e-6f, "%s: degenerate residues, background", abc->name);
    /* both cases of the letters, and . _ * ~ */
    tap_ok(t, residues == (K == 20 ? 52 : 36) + 4, "%s: %d characters are residues", abc->name, residues);
    tap_ok(t, abc->code_of['-'] == WS_C_BAD && abc->code_of['1'] == WS_C_BAD && abc->code_of[0] == WS_C_BAD &&
                  abc->code_of[0xe4] == WS_C_BAD && abc->code_of['\r'] == WS_C_SKIP && abc->code_of['\n'] == WS_C_EOL &&
                  abc->code_of['>'] == WS_C_RECORD, "%s: what is no residue", abc->name);
}

/* ---- files that are right ---- */

static void test_formats(tap *t) {
    ws_hmmset f = read_file(GOLDEN "formats/20aa-3f.hmm", 1);
    const float *want = f.hmm[0].evparam;
    for (char v = 'a'; v <= 'f'; v++) {
        char path[2][64];
        snprintf(path[0], sizeof path[0], GOLDEN "formats/20aa-3%c.hmm", v);
        snprintf(path[1], sizeof path[1], GOLDEN "formats/20aa-bin3%c.h3m", v);
        for (int binary = 0; binary < 2; binary++) {
            ws_hmmset set = read_file(path[binary], 1);
            const float *ev = set.hmm[0].evparam;
            int evalues = v == 'a' ? ev[WS_VMU] == ev[WS_MMU] && ev[WS_VLAMBDA] == ev[WS_MLAMBDA] &&
                                         fabsf(ev[WS_FTAU] - want[WS_FTAU]) < 1e-4f && ev[WS_FLAMBDA] == ev[WS_MLAMBDA]
                                   : close_to(ev, want, WS_NEVPARAM, binary ? 1e-4f : 0.0f);
            tap_ok(t, set.n == 1 && set.hmm[0].calibrated && evalues &&
                          same_model(&set.hmm[0], &f.hmm[0], binary ? 1e-5f : 0.0f), "%s", path[binary]);
            ws_hmmset_release(&set);
        }
    }
    ws_hmmset_release(&f);
}

static void test_optional_parts(tap *t) {
    ws_hmmset a = read_file(GOLDEN "formats/globins4-nostats.hmm.gz", 1);
    ws_hmmset b = read_file(GOLDEN "formats/globins4-nocompo.hmm.gz", 1);
    ws_hmmset c = read_file(GOLDEN "models/globins4_mm.hmm.gz", 1);
    const ws_hmm *h = &c.hmm[0];
    tap_ok(t, !a.hmm[0].calibrated && a.hmm[0].compo[0] > 0, "no STATS: not calibrated");
    tap_ok(t, b.hmm[0].calibrated && b.hmm[0].compo[0] == 0 && b.hmm[0].compo[19] == 0, "no COMPO: all zero");
    tap_ok(t,
           !h->has_cut[WS_CUT_GA] + !h->has_cut[WS_CUT_TC] + !h->has_cut[WS_CUT_NC] == 0 &&
               h->cut[WS_CUT_GA][0] == 25 && h->cut[WS_CUT_GA][1] == 20 && h->cut[WS_CUT_TC][0] == 26.5f &&
               h->cut[WS_CUT_NC][1] == 19,
           "GA TC NC");
    ws_hmmset maxl = read_file(GOLDEN "dna-models/MADE1.hmm.gz", 1);
    ws_hmmset binary = read_file(GOLDEN "long-targets/3box.h3m", 1);
    tap_ok(t, maxl.hmm[0].maxl == 426 && a.hmm[0].maxl == 0 && binary.hmm[0].maxl == 75,
           "MAXL, and 0 where the file has none");
    ws_hmmset_release(&maxl);
    ws_hmmset_release(&binary);
    tap_ok(t, strcmp(h->acc, "PFXXXXX.1") == 0 && strstr(h->desc, "model mask") && !b.hmm[0].desc, "ACC and DESC");
    ws_hmmset_release(&a);
    ws_hmmset_release(&b);
    ws_hmmset_release(&c);
}

/* The same consensus in all versions, read or derived; text and binary have the rest alike where they have it. */
static void test_annotation(tap *t) {
    ws_hmmset f = read_file(GOLDEN "formats/20aa-3f.hmm", 1), mm = read_file(GOLDEN "models/globins4_mm.hmm.gz", 1);
    const ws_hmm *want = &f.hmm[0], *h = &mm.hmm[0];
    int same = 1;
    for (int form = 0; form < 12; form++) {
        char path[64];
        snprintf(path, sizeof path, GOLDEN "formats/20aa-%s3%c.%s", form % 2 ? "bin" : "", 'a' + form / 2,
                 form % 2 ? "h3m" : "hmm");
        ws_hmmset set = read_file(path, 1);
        const ws_hmm *g = &set.hmm[0];
        same &= strcmp(g->note[WS_NOTE_CONS], want->note[WS_NOTE_CONS]) == 0 && g->nseq == want->nseq;
        same &= g->note[WS_NOTE_RF][20] == 'x' && !g->note[WS_NOTE_MM] && !g->note[WS_NOTE_CS] && g->map[20] == 20;
        ws_hmmset_release(&set);
    }
    tap_ok(t, same && strcmp(want->note[WS_NOTE_CONS], " ACDEFGHIKLMNPQRSTVWY") == 0,
           "consensus, map and NSEQ in every form");
    const char *cons = h->note[WS_NOTE_CONS], *cs = h->note[WS_NOTE_CS];
    tap_ok(t,
           h->nseq == 4 && h->map[1] == 9 && h->map[104] == 120 && strncmp(cons, " vvLsea", 7) == 0 &&
               strlen(cons) == 150 && strncmp(cs, " HHHHCC", 7) == 0 && h->note[WS_NOTE_RF][1] == 'x' &&
               h->note[WS_NOTE_MM][50] == '-' && h->note[WS_NOTE_MM][51] == 'm',
           "CONS RF MM CS MAP NSEQ");
    ws_hmmset_release(&f);
    ws_hmmset_release(&mm);
}

static void test_many(tap *t) {
    size_t n;
    char *text = slurp(GOLDEN "models/tiny.hmm.gz", &n);
    ws_hmmset gz = read_file(GOLDEN "models/tiny.hmm.gz", 1), four = read_file(GOLDEN "models/tiny.hmm.gz", 4), plain;
    ws_err err;
    int same = gz.n == four.n;
    for (size_t i = 0; same && i < gz.n; i++) same = same_model(&gz.hmm[i], &four.hmm[i], 0.0f);
    tap_ok(t, gz.n == 18 && gz.hmm[0].M == 2 && gz.hmm[17].M == 129 && strcmp(gz.hmm[10].name, "tiny033") == 0,
           "18 models in one gzip file");
    tap_ok(t, same, "four threads read what one reads");
    tap_ok(t, read_bytes(&plain, text, n, &err) == WS_OK && plain.xxh3 == gz.xxh3,
           "the hash is that of the plain bytes");
    ws_hmmset_release(&gz);
    ws_hmmset_release(&four);
    ws_hmmset_release(&plain);
    ws_free(text);
}

/* Line ends, comments, blank lines and blanks do not matter. */
static void test_layout(tap *t) {
    size_t n, w = 0;
    char *text = slurp(GOLDEN "formats/20aa-3f.hmm", &n), *out = malloc(4 * n + 64);
    ws_hmmset plain = read_file(GOLDEN "formats/20aa-3f.hmm", 1), set;
    ws_err err;
    w += (size_t)sprintf(out, "\r\n# a comment\n\n");
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n') w += (size_t)sprintf(out + w, i % 3 ? " \t\r" : "\r\n  # // in a comment\r\n\r");
        out[w++] = text[i];
        if (text[i] == '\n') w += (size_t)sprintf(out + w, i % 2 ? "\t " : "");
    }
    if (tap_ok(t, read_bytes(&set, out, w, &err) == WS_OK, "CRLF, comments, blank lines"))
        tap_ok(t, set.n == 1 && same_model(&set.hmm[0], &plain.hmm[0], 0.0f), "... and the same numbers");
    else
        tap_note("%s", err.text);
    ws_hmmset_release(&set);
    while (text[n - 1] == '\n') n--;
    tap_ok(t, read_bytes(&set, text, n, &err) == WS_OK, "no newline at the end");
    ws_hmmset_release(&set);
    ws_hmmset_release(&plain);
    free(out);
    ws_free(text);
}

static void test_nucleotides(tap *t) {
    size_t n;
    char *text = slurp(GOLDEN "dna-models/ecori.hmm.gz", &n), *with, *rna;
    ws_hmmset set;
    ws_err err;
    with = replaced(text, "\nSTATS", "\nGA    12.50;\nXY ignored\nSTATS");
    rna = replaced(with, "ALPH  DNA", "ALPH  rna");
    int rc = read_bytes(&set, with, strlen(with), &err);
    tap_ok(t, rc == WS_OK && set.hmm[0].abc == ws_abc_get(WS_ABC_DNA) && set.hmm[0].M == 6, "a DNA model");
    tap_ok(t, rc == WS_OK && set.hmm[0].cut[WS_CUT_GA][0] == 12.5f && set.hmm[0].cut[WS_CUT_GA][1] == 12.5f,
           "one cutoff counts for both");
    ws_hmmset_release(&set);
    rc = read_bytes(&set, rna, strlen(rna), &err);
    tap_ok(t, rc == WS_OK && set.hmm[0].abc == ws_abc_get(WS_ABC_RNA), "an RNA model");
    ws_hmmset_release(&set);
    free(with);
    free(rna);
    ws_free(text);
}

/* Numbers of all kinds in place of the first match emission. */
static void test_numbers(tap *t) {
    static const char *const odd[] = {"0", "0.", ".5", "-0.00000", "1e-3", "1.5E+1", "+2.5", "0000000000000002.25000",
                                      "3.14159265358979323846", "123456789012345", "12345678901234567890"};
    size_t n;
    char *text = slurp(GOLDEN "models/M1.hmm.gz", &n), *first = strstr(text, "\n      1 "), number[64];
    ws_hmmset set;
    ws_err err;
    int bad = 0, total = 3000;
    first += 9 + strspn(first + 9, " ");
    sprintf(number, "%.*s", (int)strcspn(first, " "), first);
    srand(7);
    for (int i = 0; i < total; i++) {
        char with[64];
        if (i < (int)(sizeof odd / sizeof odd[0]))
            strcpy(with, odd[i]);
        else
            sprintf(with, "%.*f", i % 17, rand() / (double)RAND_MAX * (i % 5 ? 12 : 88));
        char *file = replaced(text, number, with);
        if (read_bytes(&set, file, strlen(file), &err) != WS_OK ||
            set.hmm[0].mat[20] != expf((float)(-1.0 * strtod(with, NULL)))) {
            if (bad++ < 5) tap_note("%s: %s", with, err.text);
        }
        ws_hmmset_release(&set);
        free(file);
    }
    tap_ok(t, bad == 0, "%d numbers are converted as strtod does", total);
    ws_free(text);
}

/* All of "0.00000" to "9.99999" as the match emissions of one model. */
static void test_every_short_number(tap *t) {
    enum { NODES = 50000 };
    size_t n;
    char *text = slurp(GOLDEN "formats/20aa-3f.hmm", &n), *named = replaced(text, "LENG  20\n", "LENG  50000\n"),
         number[16];
    ws_hmmset set;
    ws_err err;
    ws_buf all = {0};
    int rc = ws_buf_add(&all, named, (size_t)(strstr(named, "\n      1 ") + 1 - named), &err), bad = 0;
    for (int k = 0; k < NODES && !rc; k++) {
        rc = ws_buf_addf(&all, &err, "%d", k + 1);
        for (int x = 20 * k; x < 20 * k + 20 && !rc; x++)
            rc = ws_buf_addf(&all, &err, " %d.%05d", x / 100000, x % 100000);
        if (!rc) rc = ws_buf_adds(&all, " - - - - -\n* * * * * * * * * * * * * * * * * * * *\n* * * * * * *\n", &err);
    }
    if (rc || ws_buf_adds(&all, "//\n", &err) || read_bytes(&set, all.p, all.n, &err)) die(&err);
    for (int x = 0; x < 20 * NODES; x++) {
        sprintf(number, "%d.%05d", x / 100000, x % 100000);
        bad += set.hmm[0].mat[20 + x] != expf((float)(-1.0 * strtod(number, NULL)));
    }
    tap_ok(t, bad == 0, "all numbers of one digit and five decimals are converted as strtod does");
    ws_hmmset_release(&set);
    ws_buf_release(&all);
    free(named);
    ws_free(text);
}

/* ---- files that are wrong ---- */

static void refuse(tap *t, const char *what, const void *p, size_t n, const char *expect) {
    ws_hmmset set;
    ws_err err;
    int rc = read_bytes(&set, p, n, &err);
    if (!tap_ok(t, rc == WS_EDATA && strstr(err.text, expect), "refused: %s", what))
        tap_note("%s; expected: %s", rc ? err.text : "was read", expect);
    if (rc == WS_OK) ws_hmmset_release(&set);
}

static void test_bad_text(tap *t) {
    static const struct {
        const char *what, *from, *to, *expect;
    } bad[] = {
        {"a FASTA file", "HMMER3/f", ">seq x", "the model file is the first operand"},
        {"a version to come", "HMMER3/f", "HMMER3/g", "HMMER3/a to HMMER3/f"},
        {"no name", "NAME  test", "XAME  test", "ends without NAME"},
        {"an empty name", "NAME  test", "NAME      ", "line 2: NAME is empty"},
        {"two names", "LENG", "NAME  two\nLENG", "line 3: a second NAME"},
        {"a control character", "NAME  te", "NAME  \001\002", "control character"},
        {"no length", "LENG  20", "LENX  20", "ends without LENG"},
        {"length zero", "LENG  20", "LENG  0", "LENG is \"0\""},
        {"a negative length", "LENG  20", "LENG  -5", "LENG is \"-5\""},
        {"length in words", "LENG  20", "LENG  2x", "LENG is \"2x\""},
        {"two billion nodes", "LENG  20", "LENG  2000000000", "too short for so many nodes"},
        {"more than an int", "LENG  20", "LENG  99999999999999999999", "LENG is \"9999"},
        {"one node too many", "LENG  20", "LENG  21", "found \"//\" where node 21"},
        {"one node too few", "LENG  20", "LENG  19", "found \"20\" where \"//\" was expected"},
        {"no alphabet", "ALPH", "ALPX", "ends without ALPH"},
        {"an unknown alphabet", "ALPH  amino", "ALPH  dice", "ALPH is \"dice\""},
        {"the wrong alphabet", "ALPH  amino", "ALPH  DNA", "behind the 4 values"},
        {"cutoffs before the alphabet", "LENG", "GA 1.0 2.0\nLENG", "line 3: GA stands before ALPH"},
        {"one cutoff of two", "DATE", "GA 1.0\nDATE", "the line ends where a number was expected (GA)"},
        {"two STATS of three", "STATS LOCAL VITERBI", "XTATS LOCAL VITERBI", "some of the three STATS lines"},
        {"an unknown STATS", "STATS LOCAL VITERBI", "STATS LOCAL VITERBO", "STATS LOCAL \"VITERBO\""},
        {"a lambda of 0", "STATS LOCAL VITERBI ", "STATS LOCAL VITERBI -7.5 0.0 #",
         "lambda of a STATS line is 0, expected more"},
        {"a negative lambda", "STATS LOCAL FORWARD ", "STATS LOCAL FORWARD -3.5 -0.7 #",
         "lambda of a STATS line is -0.7, expected more"},
        {"a tail from minus infinity", "STATS LOCAL FORWARD ", "STATS LOCAL FORWARD -inf 0.7 #",
         "found \"-inf\" where a number was expected (STATS)"},
        {"a location of infinity", "STATS LOCAL MSV ", "STATS LOCAL MSV inf 0.7 #",
         "found \"inf\" where a number was expected (STATS)"},
        {"a lambda of minus infinity", "STATS LOCAL MSV ", "STATS LOCAL MSV -7 -inf #",
         "found \"-inf\" where a number was expected (STATS)"},
        {"no number in STATS", "STATS LOCAL MSV ", "STATS LOCAL MSV x", "where a number was expected (STATS)"},
        {"an empty DESC", "LENG", "DESC  \nLENG", "line 3: DESC is empty"},
        {"a column that is neither", "RF    yes", "RF    maybe", "line 5: found \"maybe\" behind RF, expected yes"},
        {"a column of which the line says nothing", "MAP   yes", "MAP  ", "found \"\" behind MAP, expected yes or no"},
        {"a mask that is y", "MM    no", "MM    y", "found \"y\" behind MM"},
        {"no HMM line", "\nHMM ", "\nHMX ", "the model ends before its HMM line"},
        {"no number", "\n      1 ", "\n      1 0.1x", "where a number was expected (match emissions)"},
        {"what comes behind 9", "\n      1 ", "\n      1 0.1234: ", "found \"0.1234:\""},
        {"what stands before 0", "\n      1 ", "\n      1 /.12345 ", "found \"/.12345\""},
        {"another point", "\n      1 ", "\n      1 1,12345 ", "found \"1,12345\""},
        {"infinity", "\n      1 ", "\n      1 inf ", "found \"inf\""},
        {"hexadecimal", "\n      1 ", "\n      1 0x1 ", "found \"0x1\""},
        {"a probability above 1", "\n      1 ", "\n      1 -0.5 ", "below zero"},
        {"the wrong node", "\n      3 ", "\n      4 ", "found \"4\" where node 3 of model test"},
        {"a line missing", "0.00000        *\n", "0.00000        *\n#", "where node 1"},
    };
    size_t n;
    char *text = slurp(GOLDEN "formats/20aa-3f.hmm", &n);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *file = replaced(text, bad[i].from, bad[i].to);
        refuse(t, bad[i].what, file, strlen(file), bad[i].expect);
        free(file);
    }
    refuse(t, "an empty file", "", 0, "empty");
    refuse(t, "comments alone", "# nothing\n\n", 11, "no model");
    refuse(t, "zero bytes", "HMMER3/f\nNAME \0", 15, "byte 14 is zero");
    text = (ws_free(text), slurp(GOLDEN "formats/20aa-hmmer2.hmm", &n));
    refuse(t, "HMMER2", text, n, "hmmconvert");
    ws_free(text);
}

/* Two files one after the other. */
static void refuse_pair(tap *t, const char *what, const char *a, const char *b, const char *expect) {
    size_t n, m;
    char *p = slurp(a, &n), *q = slurp(b, &m), *both = malloc(n + m);
    memcpy(both, p, n);
    memcpy(both + n, q, m);
    refuse(t, what, both, n + m, expect);
    free(both);
    ws_free(p);
    ws_free(q);
}

static void test_bad_binary(tap *t) {
    static const struct {
        const char *what;
        size_t at;
        int32_t value;
        const char *expect;
    } bad[] = {
        {"a pressed file", 0, (int32_t)0xb3e6e6f3, "hmmpress"},
        {"a big-endian file", 0, (int32_t)0xbaedede8, "big-endian"},
        {"two billion nodes", 8, 2000000000, "too short"},
        {"no node", 8, 0, "byte 12: the model length is 0"},
        {"a negative length", 8, -1, "model length is -1"},
        {"an unknown alphabet", 12, 4, "alphabet number 4"},
        {"no probability", 16, 0x7fc00000, "byte 16: found nan where a probability"},
        {"a probability of 2", 20, 0x40000000, "byte 20: found 2 where a probability"},
        {"a name of two billion bytes", 16 + 4 * (20 * 20 + 21 * 20 + 21 * 7), 2000000000, "the file ends inside name"},
        {"a name of -1 bytes", 16 + 4 * (20 * 20 + 21 * 20 + 21 * 7), -1, "the length of the name is -1"},
        {"a tab in the name", 16 + 4 * (20 * 20 + 21 * 20 + 21 * 7) + 4, 0x74096574, "has a blank, expected one word"},
        {"a blank in the name", 16 + 4 * (20 * 20 + 21 * 20 + 21 * 7) + 4, 0x74206574,
         "has a blank, expected one word"},
        {"no name", 16 + 4 * (20 * 20 + 21 * 20 + 21 * 7), 0, "no name"}};
    size_t n;
    char *file = slurp(GOLDEN "formats/20aa-bin3f.h3m", &n);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int32_t old;
        memcpy(&old, file + bad[i].at, sizeof old);
        memcpy(file + bad[i].at, &bad[i].value, sizeof old);
        refuse(t, bad[i].what, file, n, bad[i].expect);
        memcpy(file + bad[i].at, &old, sizeof old);
    }
    ws_hmmset set = read_file(GOLDEN "formats/20aa-bin3f.h3m", 1);
    for (int i = WS_MLAMBDA; i <= WS_FLAMBDA; i += WS_VLAMBDA - WS_MLAMBDA) {
        static const float none = 0, negative = -0.7f;
        float *pairs = set.hmm[0].evparam; /* mu and lambda as they stand in the file */
        char *at = memmem(file, n, &pairs[i - 1], 2 * sizeof(float));
        must(at != NULL, "no such pair");
        memcpy(at + sizeof(float), i == WS_VLAMBDA ? &negative : &none, sizeof(float));
        refuse(t, "a lambda of 0 or less", file, n, "expected more than 0");
        memcpy(at, &pairs[i - 1], 2 * sizeof(float));
    }
    ws_hmmset_release(&set);
    ws_free(file);
    refuse_pair(t, "junk behind a binary model", GOLDEN "formats/20aa-bin3f.h3m", GOLDEN "worked/worked.fa",
                "a further model was expected");
    refuse_pair(t, "two versions in one file", GOLDEN "formats/20aa-3f.hmm", GOLDEN "formats/20aa-3e.hmm",
                "where a further model was expected, which begins with HMMER3/f");
    refuse_pair(t, "two alphabets in one file", GOLDEN "models/M1.hmm.gz", GOLDEN "dna-models/PSE.hmm.gz",
                "all models of a file must agree");
}

/* No beginning of a file is a file, wherever it is cut, and none brings the reader down. The last newline may be
 * missing. */
static void test_cuts(tap *t, const char *path, size_t step) {
    size_t n, read = 0;
    char *file = slurp(path, &n);
    ws_hmmset set;
    ws_err err;
    while (file[n - 1] == '\n') n--;
    for (size_t cut = 0; cut < n; cut += step)
        if (read_bytes(&set, file, cut, &err) != WS_EDATA) {
            if (read++ < 5) tap_note("cut at byte %zu", cut);
            ws_hmmset_release(&set);
        }
    tap_ok(t, read == 0, "every cut of %s is refused", path);
    ws_free(file);
}

/* All tables of a model that was read; 1 if there are some. */
static int make_tables(const ws_hmm *h) {
    ws_profile p;
    ws_bytes b;
    ws_words w;
    ws_odds o;
    ws_bias bias;
    ws_err err;
    if (ws_profile_create(&p, h, &err)) return 0;
    if (ws_bytes_create(&b, &p, &err) || ws_words_create(&w, &p, &err) || ws_odds_create(&o, &p, &err)) die(&err);
    ws_bias_set(&bias, h);
    ws_bytes_destroy(&b);
    ws_words_destroy(&w);
    ws_odds_destroy(&o);
    ws_profile_destroy(&p);
    return 1;
}

static float nearest(float v) { return fmaxf(fminf(roundf(v), 32767.0f), -32768.0f); }

/* Scores at, just above and just below all halves of bytes and words, and ends of the range. */
static void test_rounding(tap *t) {
    enum { M = 9000, KP = 18 };
    static const float scale[] = {WS_BYTE_SCALE, WS_WORD_SCALE},
                       end[] = {-INFINITY, -1e30f, -88.0f, -45.5f, -1e-38f, -0.0f};
    ws_profile p = {.M = M, .abc = ws_abc_get(WS_ABC_DNA)};
    ws_bytes b;
    ws_words w;
    ws_err err;
    size_t n = (size_t)KP * (M + 1);
    int bad = 0;
    if (!(p.score = ws_calloc(n, sizeof *p.score, &err))) die(&err);
    for (int i = 0; i < WS_NPTRANS; i++)
        if (!(p.tr[i] = ws_calloc(M + 1, sizeof *p.tr[i], &err))) die(&err);
    for (size_t i = 0; i < n; i++) {
        const float s = (2000.5f - (float)(i / 6)) / scale[i % 2];
        p.score[i] = i % 1000 == 999  ? end[i / 1000 % 6]
                     : i / 2 % 3 == 0 ? s
                                      : nextafterf(s, i / 2 % 3 == 1 ? 100.0f : -100.0f);
        if (p.score[i] > 8.0f) p.score[i] = 8.0f;
    }
    if (ws_bytes_create(&b, &p, &err) || ws_words_create(&w, &p, &err)) die(&err);
    for (size_t i = 0; i < n; i++) {
        const float cost = (float)b.bias - roundf(WS_BYTE_SCALE * p.score[i]);
        bad += (float)b.cost[i] != fmaxf(fminf(cost, 255.0f), 0.0f) ||
               (float)w.emit[i] != nearest(WS_WORD_SCALE * p.score[i]);
    }
    tap_ok(t, bad == 0 && (float)b.bias == roundf(WS_BYTE_SCALE * 8.0f), "bytes and words are rounded as roundf does");
    ws_bytes_destroy(&b);
    ws_words_destroy(&w);
    ws_profile_destroy(&p);
}

static void test_no_way(tap *t) {
    size_t n;
    char *text = slurp(GOLDEN "models/M1.hmm.gz", &n), *in = strstr(text, "\n      1 ");
    ws_hmmset set;
    ws_err err;
    ws_hmm *h;
    while (*--in != '\n') {} /* the transitions of node 0 */
    for (in++; *in != '\n'; in++) *in = strchr("0123456789.", *in) ? '*' : *in;
    if (read_bytes(&set, text, n, &err)) die(&err);
    h = &set.hmm[0];
    tap_ok(t, !make_tables(h), "a model that cannot be entered has no profile");
    h->tr[WS_TMM] = 1.0f;
    tap_ok(t, make_tables(h), "... and has one where it can");
    ws_hmmset_release(&set);
    ws_free(text);
}

/* Random damage: whatever comes of it, no crash (and under the sanitizers no error of memory). */
static void test_damage(tap *t, const char *path, unsigned seed) {
    size_t n;
    char *file = slurp(path, &n), *copy = malloc(n);
    ws_hmmset set;
    ws_err err;
    int odd = 0;
    srand(seed);
    for (int i = 0; i < 1500; i++) {
        memcpy(copy, file, n);
        for (int j = rand() % 4; j >= 0; j--) copy[(size_t)rand() % (i % 2 ? n : ws_min(n, 700))] = (char)rand();
        int rc = read_bytes(&set, copy, n, &err);
        odd += rc != WS_OK && rc != WS_EDATA;
        if (rc != WS_OK) continue;
        for (size_t m = 0; m < set.n; m++) make_tables(&set.hmm[m]);
        ws_hmmset_release(&set);
    }
    tap_ok(t, odd == 0, "damaged %s is read or refused (seed %u)", path, seed);
    free(copy);
    ws_free(file);
}

int main(void) {
    tap t = {0};
    test_alphabet(&t, WS_ABC_AMINO, 20, 29);
    test_alphabet(&t, WS_ABC_DNA, 4, 18);
    test_alphabet(&t, WS_ABC_RNA, 4, 18);
    test_formats(&t);
    test_optional_parts(&t);
    test_annotation(&t);
    test_many(&t);
    test_layout(&t);
    test_nucleotides(&t);
    test_numbers(&t);
    test_every_short_number(&t);
    test_bad_text(&t);
    test_bad_binary(&t);
    test_rounding(&t);
    test_no_way(&t);
    test_cuts(&t, GOLDEN "models/M1.hmm.gz", 1);
    test_cuts(&t, GOLDEN "formats/20aa-bin3f.h3m", 3);
    test_cuts(&t, GOLDEN "formats/20aa-bin3a.h3m", 7);
    test_damage(&t, GOLDEN "models/M1.hmm.gz", 11);
    test_damage(&t, GOLDEN "formats/20aa-bin3f.h3m", 12);
    return tap_end(&t);
}
