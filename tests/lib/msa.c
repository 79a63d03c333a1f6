/* SPDX-License-Identifier: MIT
 * Alignments: one small alignment in every format, damage in every format with its sentence, the writer's forms.
 * Expected rows and forms are those of HMMER 3.4 (hmmbuild, esl-reformat). */
#include "lib/msa/digital.h"
#include "lib/msa/msa.h"
#include "lib/msa/write.h"
#include "tests/lib/io.h"

/* Reads all alignments of a text: "name letters" for each row, then "RF .." and so on, "//" after each. */
static int read_text(const char *text, size_t n, const char *format, const ws_abc *abc, ws_buf *out, ws_err *err) {
    static const char *const line[] = {"RF", "MM", "SS"};
    char path[PATH_SIZE];
    ws_msareader *r = NULL;
    ws_msa m;
    temp_file(path, text, n);
    const int known = format ? ws_msaformat_find(format) : WS_MSA_GUESS;
    must(known >= 0, "a format of this name");
    int rc = ws_msareader_open(&r, path, (ws_msaformat)known, abc, err);
    out->n = 0;
    while (!rc && !(rc = ws_msareader_next(r, &m, err))) {
        ws_err e;
        if (m.id) must(!ws_buf_addf(out, &e, "ID %s\n", m.id), "memory");
        for (size_t i = 0; i < m.rows; i++) {
            must(!ws_buf_addf(out, &e, "%s ", ws_msa_name(&m, i)), "memory");
            for (size_t c = 0; c < m.columns; c++) {
                const uint8_t x = ws_msa_row(&m, i)[c];
                must(!ws_buf_addf(out, &e, "%c", x == m.abc->K ? '-' : m.abc->letters[x]), "memory");
            }
            must(!ws_buf_adds(out, "\n", &e), "memory");
        }
        for (int i = 0; i < WS_MSA_NLINE; i++)
            if (m.line[i]) must(!ws_buf_addf(out, &e, "%s %s\n", line[i], m.line[i]), "memory");
        must(!ws_buf_adds(out, "//\n", &e), "memory");
        ws_msa_release(&m);
    }
    ws_msareader_close(r);
    unlink(path);
    return rc == WS_EOF ? WS_OK : rc;
}

#define ROWS "s1 ACDEF-GHIKLM\ns2 --DEFWGHI---\ns3 ACXEFW-HI*~~\n"

static const struct {
    const char *name, *format, *text, *want;
} good[] = {
    {"Stockholm", NULL, "# STOCKHOLM 1.0\n# a comment\n#=GF ID x\n#=GF TC undefined\n#=GS s1 DE d\n\n"
     "s1 ACDEF\ns2 ..def\n#=GR s2 PP ..999\ns3 acxEF\n#=GC RF xxx.x\n\n"
     "s1 .GHIKLM\ns2 WGHI___\n#=GR s2 PP 99*....\ns3 W.HI*~~\n#=GC RF xxxx...\n//\n",
         "ID x\n" ROWS "RF xxx.xxxxx...\n//\n"},
    {"Stockholm, rows in another order in block 2", NULL, "# STOCKHOLM 1.0\ns1 ACDEF\ns2 --DEF\ns3 ACXEF\n \n"
     "s3 W-HI*~~\ns2 WGHI---\ns1 -GHIKLM\n//\n", ROWS "//\n"},
    {"Stockholm with carriage returns", NULL,
     "# STOCKHOLM 1.0\r\nq ACDEFGHIKLM\r\n#=GC RF xxxxxxxxxxx\r\n\r\nq EF\r\n#=GC RF .x\r\n//\r\n",
     "q ACDEFGHIKLMEF\nRF xxxxxxxxxxx.x\n//\n"},
    {"Stockholm, two in a file", NULL,
     "\n# STOCKHOLM 1.0\n#=GC SS_cons HH\nq AC\n//\n\n# a comment\n# STOCKHOLM 1.0\nr EFGHIKLMNPQ\n//\n",
     "q AC\nSS HH\n//\nr EFGHIKLMNPQ\n//\n"},
    {"aligned FASTA, with carriage returns", NULL,
     ">s1 first\r\nACDEF-\r\nGHI KLM\r\n\r\n>s2\r\n--DEFWGHI---\r\n> s3\r\nACXEFW-HI*~~",
     ROWS "//\n"},
    {"A2M", "a2m", ">s1\nACdefGH\n>s2\nA-..dGH\n>s3\nbbACGOH\n",
     "s1 --ACDEFGH\ns2 --A-D--GH\ns3 BBAC---GH\nRF ..xx...xx\n//\n"},
    {"A2M whose first row has no residue", "a2m", ">s1\n---\n>s2\nEgC-\n>s3\n---llllllll\n>s4\n\n---\n",
     "s1 ------------\ns2 EGC---------\ns3 ----LLLLLLLL\ns4 ------------\nRF x.xx........\n//\n"},
    {"PSI-BLAST", "psiblast", "s1  ACdEF\ns2  --dEF\ns3  -C-EF\n\ns1  -GHI\ns2  WGHI\ns3  W-HI\n",
     "s1 ACDEF-GHI\ns2 --DEFWGHI\ns3 -C-EFW-HI\nRF xx.xxxxxx\n//\n"},
    {"Clustal", NULL,
     "CLUSTAL W (1.83) multiple sequence alignment\n\n\ns1 ACDEF- 5\ns2 --DEFW 4\ns3 ACXEFW 6\n    **\n"
     "s1 GHIKLM 11\ns2 GHI--- 7\ns3 -HI*~~ 7\n", ROWS "//\n"},
    {"MUSCLE's Clustal", NULL, "MUSCLE (3.8) multiple sequence alignment\n\n\nq EFGHIKLMNPQ\n\n",
     "q EFGHIKLMNPQ\n//\n"},
    {"PHYLIP", NULL, " 3 12\ns1        ACDEF-\ns2        --DEFW\ns3        ACXEFW\n\nGHI KLM\nGHI ---\n-HI *??\n",
     ROWS "//\n"},
    {"PHYLIP, sequential", NULL, "3 12\ns1        ACDEF-\nGHIKLM\ns2        --DEFW\nGHI---\ns3        ACXEFW-HI*??\n",
     ROWS "//\n"},
    {"PHYLIP, names of any length", NULL, "2 11\na_name_of_any_length ACDEFGHIKLM\nb ACDEFGHIKL-\n",
     "a_name_of_any_length ACDEFGHIKLM\nb ACDEFGHIKL-\n//\n"},
    {"PHYLIP, a blank in a name", "phylips", "1 11\na  b      ACDEFGHIKLM\n", "a__b ACDEFGHIKLM\n//\n"},
    {"SELEX", NULL,
     "# comment\n#=CS  HHHHH\ns1    ACDEF\ns2      DEF\ns3    ACXEF\n\n"
     "#=CS  E\ns1     GHIKLM\ns2    WGHI\ns3    W HI*~~\n",
     ROWS "SS HHHHHE......\n//\n"},
    {"SELEX, an empty line", "selex", "a  ACDEFGHIKLM\nb\n", "a ACDEFGHIKLM\nb -----------\n//\n"},
};

static void test_good(tap *t) {
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ws_buf out = {0};
        ws_err err = {0};
        const int rc = read_text(good[i].text, strlen(good[i].text), good[i].format, NULL, &out, &err);
        if (!tap_ok(t, !rc && same_text(&out, good[i].want), "%s", good[i].name))
            tap_note("%s", rc ? err.text : out.n ? out.p : "nothing");
        ws_buf_release(&out);
    }
}

#define STO "# STOCKHOLM 1.0\n"

static const struct {
    const char *format, *text, *want;
} bad[] = {
    {NULL, "", "no alignment was found"},
    {NULL, "\n \t\n", "no alignment was found"},
    {NULL, "a word: 12, 13\n", "line 1: \"a word: 12, 13\" begins no alignment: expected"},
    {NULL, STO "a ACACACAC\n//\n", "8 letters do not tell the alphabet"},
    {NULL, STO "a ----\n//\n", "the input has no residues"},
    {NULL, STO "a EFGHIKLMNPQ\n", "line 2: the input ends inside an alignment, where // was expected"},
    {NULL, STO "a EFGHIKLMNPQ\nb EFGH\n//\n",
     "line 3: row \"b\" has 4 columns in this block, where the line before has 11"},
    {NULL, STO "a EFGHIKLMNPQ\nb EFGHIKL1NPQ\n//\n", "line 3: row \"b\" has \"1\" at character 8 of its text"},
    {NULL, STO "a EFGHIKLMNPQ\nb EFGH KLMNPQ\n//\n", "line 3: row \"b\" has \" \" at character 5"},
    {NULL, STO "a EFGHIKLMNPQ\na EFGHIKLMNPQ\n//\n", "line 3: row \"a\" is in this block twice"},
    {NULL, STO "a EFGHIKLMNPQ\nb EFGHIKLMNPQ\n\na EF\n//\n", "line 6: the block before this line lacks row \"b\""},
    {NULL, STO "a EFGHIKLMNPQ\n\na EF\nb EF\n//\n", "line 5: \"b\" is no row of the blocks before"},
    {NULL, STO "a EFGHIKLMNPQ\n#=GC RF xxxxxxxxxxx\n\na EF\n//\n", "line 6: the block before this line lacks #=GC RF"},
    {NULL, STO "a EFGHIKLMNPQ\n\na EF\n#=GC RF xx\n//\n",
     "line 5: #=GC RF is in this block, but not in each block before"},
    {NULL, STO "a EFGHIKLMNPQ\n#=GC RF xx\n//\n", "line 3: #=GC RF has 2 columns"},
    {NULL, STO "a EFGHIKLMNPQ\n#=GC RF xxxxxxxxxxx\n#=GC RF xxxxxxxxxxx\n//\n",
     "line 4: this block has a second line #=GC RF"},
    {NULL, STO "#=GS b DE x\na EFGHIKLMNPQ\n//\n", "line 4: the block before this line lacks row \"b\""},
    {NULL, STO "#=GS a WT 1\na EFGHIKLMNPQ\nb EFGHIKLMNPQ\n//\n", "line 5: row \"b\" has no weight"},
    {NULL, STO "#=GS a WT 1\n#=GS a WT 1\na EFGHIKLMNPQ\n//\n", "line 3: row \"a\" has a second weight"},
    {NULL, STO "#=GS a WT -1\na EFGHIKLMNPQ\n//\n", "line 2: the weight of row \"a\" is negative"},
    {NULL, STO "#=GS a WT one\na EFGHIKLMNPQ\n//\n", "line 2: #=GS .. WT has \"one\", where a number was expected"},
    {NULL, STO "#=GF ID a b\na EFGHIKLMNPQ\n//\n", "line 2: #=GF ID has more than one word: \"b\" follows"},
    {NULL, STO "#=GF GA x\na EFGHIKLMNPQ\n//\n", "line 2: #=GF GA has \"x\", where a number was expected"},
    {NULL, STO "#=GF GA 1e60\na EFGHIKLMNPQ\n//\n", "line 2: #=GF GA has \"1e60\", where a number was expected"},
    {NULL, STO "#=GF NC\na EFGHIKLMNPQ\n//\n", "line 2: #=GF NC has no value"},
    {NULL, STO "a EFGHIKLMNPQ\n//\n" STO "//\n", "line 5, alignment 2: the alignment ends without a row"},
    {NULL, STO "a EFGHIKLMNPQ\n//\nx y\n",
     "line 4, alignment 2: \"x y\" stands where \"# STOCKHOLM 1.0\" was expected"},
    {NULL, STO "a EFGHIKLMNPQ\n" STO "//\n", "line 3: \"# STOCKHOLM 1.0\" comes before the //"},
    {NULL, ">\nEFGHIKLMNPQ\n", "line 1: the record has no name"},
    {NULL, ">a\nEFGHIKLMNPQ\n>b\nEF\n",
     "line 4: row \"b\", which ends before this line, has 2 columns, where the first row has 11"},
    {NULL, ">a\nEFGHIKLMNPQ\n>b\n>c\nEFGHIKLMNPQ\n", "line 4: row \"b\", which ends before this line, has no text"},
    {"afa", "x\n>a\nEFGHIKLMNPQ\n", "line 1: \"x\" stands where \">\" and a name were expected"},
    {"a2m", ">a\nEFGhiKLMNPQ\n>b\nEF--\n",
     "line 4: row \"b\", which ends before this line, has 4 capitals and '-', where the first row has 9"},
    {"a2m", ">a\nEFGHIKLMNPQ*\n", "line 2: row \"a\" has \"*\" at character 12"},
    {"a2m", ">a\n\n>b\nefghiklmnpq\n>c\n-\n", "line 6: row \"c\", which ends before this line, has 1 capitals"},
    {"psiblast", "a EFGHIKLMNPQ\nb EfGHIKLMNPQ\n",
     "line 2: 'f' is character 2 of the aligned text, where the rows above have a capital"},
    {"psiblast", "a EFGHIKLMNPQ x\n", "line 1: \"x\" follows the aligned text"},
    {NULL, "CLUSTAL W multiple sequence alignment\na EFGHIKLMNPQ\nb\n",
     "line 3: the line has a name, but no aligned text"},
    {NULL, "CLUSTAL W multiple sequence alignment\na EFGHIKLMNPQ\nb EF\n",
     "line 3: row \"b\" has 2 columns in this block"},
    {NULL, "CLUSTAL W multiple sequence alignment\na EFGHIKLMNPQ\nb EFGHIKLMNPQ\n\nb EF\n",
     "line 5: the line is of row \"b\", where \"a\" was expected"},
    {NULL, "CLUSTAL W multiple sequence alignment\na EFGHIKLMNPQ\nb EFGHIKLMNPQ\n\na EF\n\n",
     "line 6: the block before this line has 1 rows"},
    {"clustal", "a EFGHIKLMNPQ\nb EFGHIKLMNPQ\n",
     "line 1: \"a EFGHIKLMNPQ\" stands where \"CLUSTAL .. alignment\" was expected"},
    {"phylip", "2 x\na         EFGHIKLMNPQ\n",
     "line 1: the first line has \"x\" where the number of columns was expected"},
    {NULL, "3 11\na         EFGHIKLMNPQ\nb         EFGHIKLMNPQ\n", "the alignment ends after 2 of 3 rows"},
    {NULL, "2 11\na         EFGHIKLMNPQ\nb         EFGHIKLMNP\n", "line 3: row \"b\" has 10 columns in this block"},
    {NULL, "1 11\na         EFGHIKLMNPQ\nx\n", "line 3: \"x\" follows the last row"},
    {"phylip", "1 12\na         EFGHIKLMNPQ~\n", "line 2: row \"a\" has \"~\" at character"},
    {"phylips", "1 12\na         EFGHIKLMNPQ_\n", "line 2: row \"a\" has \"_\" at character"},
    {NULL, "90000 90000\na         EFGHIKLMNPQ\n", "line 1: the header has 90000 rows of 90000 columns, but only"},
    {NULL, "a EFGHIKLMNPQ\nb EFG\n\na EF\n",
     "line 4: the block before this line has 1 rows, where the first one has 2"},
    {NULL, "a EFGHIKLMNPQ\n\nb EF\n", "line 3: the line is of row \"b\", where \"a\" was expected"},
    {NULL, "a EFGHIKL+NPQ\n", "begins no alignment"},
    {NULL, "#=RF xx\n#=RF xx\na EFGHIKLMNPQ\n", "line 2: the block has a second line #=RF"},
    {"selex", "#=RF xxxxxxxxxxx\na EFGHIKLMNPQ\n\na EF\n", "a line #=RF, #=MM or #=CS is missing in the last blocks"},
    {"selex", "a EFGHIKLMNPQ\n\n#=RF xx\na EF\n", "line 3: #=RF is in this block, but not in each block before"},
    {NULL, STO "#=GF\na EFGHIKLMNPQ\n//\n", "line 2: #=GF has neither tag nor text"},
    {NULL, STO "#=GS a\na EFGHIKLMNPQ\n//\n", "line 2: #=GS needs the name of a row, a tag and a text"},
    {NULL, STO "a EFGHIKLMNPQ\n#=GR a\n//\n", "line 3: #=GR needs the name of a row, a tag and a text"},
    {NULL, STO "a EFGHIKLMNPQ\n#=GR a PP\n//\n", "line 3: the #=GR line of \"a\" has no aligned text"},
    {NULL, STO "a EFGHIKLMNPQ\nb\n//\n", "line 3: row \"b\" has no aligned text"},
    {"psiblast", "a EFGHIKLMNPQ\n\na EF\nb EF\n", "line 4: the block has more rows than the first one, which has 1"},
    {NULL, "1 11\n          EFGHIKLMNPQ\n", "line 2: the row has no name in the first 10 characters"},
    {NULL, "1 5\na         EFGHIKLMNPQ\n", "line 2: row \"a\" has more than the 5 columns of the header"},
    {NULL, "2 22\na         EFGHIKLMNPQ\nb         EFGHIKLMNPQ\n\nEFGHIKLMNPQ\n",
     "line 5: the block ends after 1 of 2 rows, and columns 12 to 22 are missing"},
};

static void test_bad(tap *t) {
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ws_buf out = {0};
        ws_err err = {0};
        const int rc = read_text(bad[i].text, strlen(bad[i].text), bad[i].format, NULL, &out, &err);
        if (!tap_ok(t, rc == WS_EDATA && strstr(err.text, bad[i].want), "%s", bad[i].want))
            tap_note("%d: %s", rc, rc ? err.text : out.p);
        ws_buf_release(&out);
    }
}

/* ---- alphabets ---- */

static void test_alphabet(tap *t) {
    static const struct {
        const char *letters;
        int times;
        const char *want; /* NULL: they do not tell */
    } c[] = {{"ACGT", 3, "DNA"}, {"acgu", 3, "RNA"}, {"ACGT", 2, NULL}, {"ACGACG", 3, NULL}, {"ACGTE", 3, "amino"},
             {"ACDGHKMNRSTVWYDDHHKKMMRR", 1, NULL}, {"ACDGHKMNRSTVWYXDDHHKKMMRR", 2, NULL}, {"N", 1999, NULL},
             {"N", 2001, "DNA"}, {"ACGTN", 3, "DNA"}, {"ACGTACGTRY", 3, NULL}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        char text[4096] = ">q\n", path[PATH_SIZE];
        size_t n = strlen(text);
        ws_msareader *r = NULL;
        ws_msa m = {0};
        ws_err err = {0};
        for (int k = 0; k < c[i].times; k++) n += (size_t)sprintf(text + n, "%s", c[i].letters);
        temp_file(path, text, n);
        must(!ws_msareader_open(&r, path, WS_MSA_GUESS, NULL, &err), "open");
        const int rc = ws_msareader_next(r, &m, &err);
        const char *got = rc ? NULL : ws_msareader_abc(r)->name;
        tap_ok(t, c[i].want ? got && !strcmp(got, c[i].want) : rc == WS_EDATA, "%d x %s is %s", c[i].times,
            c[i].letters,
               c[i].want ? c[i].want : "unknown");
        ws_msa_release(&m);
        ws_msareader_close(r);
        unlink(path);
    }
}

/* Letters of the second alignment decide where the first has too few; a format may be wrong in its 501st letter. */
static void test_look_ahead(tap *t) {
    ws_buf out = {0};
    ws_err err = {0};
    const char *two = STO "a ACG\n//\n" STO "b ACGTACGTACGT\n//\n";
    tap_ok(t, !read_text(two, strlen(two), NULL, NULL, &out, &err) && same_text(&out,
        "a ACG\n//\nb ACGTACGTACGT\n//\n"),
           "the alphabet shows in the second alignment only");
    ws_buf_release(&out);
}

/* ---- what Stockholm says of the alignment ---- */

static void test_annotation(tap *t) {
    static const char text[] = STO "#=GF ID x\n#=GF AC  X1\n#=GF DE  two words \n#=GF GA 9 9\n"
                               "#=GF GA 25.5;\n#=GF TC 1 -2.5;\n"
                               "#=GF NC undefined 3\n#=GF XX no matter\n#=GS b WT 2\n#=GS a WT 0.5\n"
                               "b EFGHIKLMNPQ\na EFGHIKLMNPQ\n//\n";
    char path[PATH_SIZE];
    ws_msareader *r = NULL;
    ws_msa m = {0};
    ws_err err = {0};
    temp_file(path, text, strlen(text));
    must(!ws_msareader_open(&r, path, WS_MSA_GUESS, NULL, &err) && !ws_msareader_next(r, &m, &err), "reading");
    tap_ok(t, !strcmp(m.id, "x") && !strcmp(m.acc, "X1") && !strcmp(m.desc, "two words "), "ID, AC, DE");
    tap_ok(t, m.ncut[WS_CUT_GA] == 1 && m.cut[WS_CUT_GA][0] == 25.5f && m.ncut[WS_CUT_TC] == 2 &&
                  m.cut[WS_CUT_TC][1] == -2.5f && m.ncut[WS_CUT_NC] == 0, "the last GA, TC, no NC");
    tap_ok(t, m.weight && m.weight[0] == 2 && m.weight[1] == 0.5 && !strcmp(ws_msa_name(&m, 0), "b"), "weights");
    ws_msa_release(&m);
    tap_ok(t, ws_msareader_next(r, &m, &err) == WS_EOF && ws_msareader_format(r) == WS_MSA_STOCKHOLM, "no second one");
    ws_msareader_close(r);
    unlink(path);
}

/* ---- sizes ---- */

/* Rows that chunks of the input cut anywhere; each letter comes back. */
static void test_large(tap *t) {
    enum { ROWS_N = 700, COLUMNS = 1100, WIDTH = 130 };
    ws_buf text = {0}, want = {0}, out = {0};
    ws_err err = {0};
    must(!ws_buf_adds(&text, STO, &err), "memory");
    for (size_t from = 0; from < COLUMNS; from += WIDTH, must(!ws_buf_adds(&text, "\n", &err), "memory"))
        for (size_t i = 0; i < ROWS_N; i++) {
            must(!ws_buf_addf(&text, &err, "row%zu ", i), "memory");
            for (size_t c = from; c < ws_min(COLUMNS, from + WIDTH); c++)
                must(!ws_buf_addf(&text, &err, "%c", "ACDEFGHIKLMNPQRSTVWY-"[(i * i + c * c + c) % 21]), "memory");
            must(!ws_buf_adds(&text, "\n", &err), "memory");
        }
    must(!ws_buf_adds(&text, "//\n", &err), "memory");
    for (size_t i = 0; i < ROWS_N; i++) {
        must(!ws_buf_addf(&want, &err, "row%zu ", i), "memory");
        for (size_t c = 0; c < COLUMNS; c++)
            must(!ws_buf_addf(&want, &err, "%c", "ACDEFGHIKLMNPQRSTVWY-"[(i * i + c * c + c) % 21]), "memory");
        must(!ws_buf_adds(&want, "\n", &err), "memory");
    }
    must(!ws_buf_adds(&want, "//\n", &err), "memory");
    tap_ok(t, !read_text(text.p, text.n, NULL, NULL, &out, &err) && same_text(&out, want.p), "%zu bytes in blocks",
        text.n);
    ws_buf_release(&text);
    ws_buf_release(&want);
    ws_buf_release(&out);
}

/* ---- the writer ---- */

typedef struct written {
    int twins, fail; /* rows share their name; the row whose text cannot be made */
} written;

static int head(void *of, size_t i, int texts, ws_msarow *row, ws_buf *scratch, ws_err *err) {
    (void)scratch, (void)err;
    row->name = ((written *)of)->twins ? "q" : i ? "longer" : "q";
    if (!texts) return WS_OK;
    row->desc = i ? "two words" : NULL;
    row->acc = i ? NULL : "X1";
    row->weight = 0.5 + (double)i;
    return WS_OK;
}

static int body(void *of, size_t i, ws_msarow *row, ws_err *err) {
    if (((written *)of)->fail == (int)i) return ws_fail(err, WS_EDATA, "no row");
    row->text = i ? "A-kkOC" : "AC..-*";
    row->pp = i ? "9.99*8" : NULL;
    return WS_OK;
}

static void test_write(tap *t) {
    static const char *const want[] = {
        [WS_MSAFORM_STOCKHOLM] = "# STOCKHOLM 1.0\n#=GF ID id\n#=GF DE of it\n\n"
            "#=GS q      WT 0.50\n#=GS longer WT 1.50\n\n#=GS q      AC X1\n\n#=GS longer DE two words\n\n"
            "q              AC..\nlonger         A-kk\n#=GR longer PP 9.99\n#=GC RF        xx..\n\n"
            "q              -*\nlonger         OC\n#=GR longer PP *8\n#=GC RF        xx\n//\n",
        [WS_MSAFORM_PFAM] = "# STOCKHOLM 1.0\n#=GF ID id\n#=GF DE of it\n\n"
            "#=GS q      WT 0.50\n#=GS longer WT 1.50\n\n#=GS q      AC X1\n\n#=GS longer DE two words\n\n"
            "q              AC..-*\nlonger         A-kkOC\n#=GR longer PP 9.99*8\n#=GC RF        xx..xx\n//\n",
        [WS_MSAFORM_A2M] = ">q X1\nAC--\n>longer two words\nA-kkXC\n",
        [WS_MSAFORM_AFA] = ">q X1\nAC..-*\n>longer two words\nA-kkOC\n",
        [WS_MSAFORM_PSIBLAST] = "q       AC----\nlonger  A-kkOC\n",
        [WS_MSAFORM_A3M] = ">q X1\nAC--\n>longer two words\nA-kkXC\n",
        [WS_MSAFORM_CLUSTAL] =
            "CLUSTAL 2.1 multiple sequence alignment\n\nq      AC..-*\nlonger A-kkOC\n       *     \n",
        [WS_MSAFORM_CLUSTALLIKE] =
            "EASEL (0.49) multiple sequence alignment\n\nq      AC..-*\nlonger A-kkOC\n       *     \n",
        [WS_MSAFORM_PHYLIP] = " 2 6\nq          AC---*\nlonger     A-KKOC\n",
        [WS_MSAFORM_PHYLIPS] = " 2 6\nq          AC---*\nlonger     A-KKOC\n",
        [WS_MSAFORM_SELEX] = "#=RF   xx..xx\nq      AC..-*\nlonger A-kkOC\n",
        [WS_MSAFORM_A2M_DOTS] = ">q X1\nAC..-*\n>longer two words\nA-kkOC\n"};
    for (int form = 0; form < WS_MSAFORM_N; form++) {
        written of = {.fail = -1};
        ws_sink s = {0};
        const ws_msasource m = {.id = "id", .desc = "of it", .rows = 2, .columns = 6, .weights = 1, .posteriors = 1,
                                .block = form == WS_MSAFORM_STOCKHOLM ? 4 : 0, .rf = "xx..xx", .of = &of, .head = head,
                                .body = body};
        ws_msa_write(&s, &m, (ws_msaform)form);
        if (!tap_ok(t, s.err.code == WS_OK && same_text(&s.text, want[form]), "form %d", form))
            tap_note("%.*s", (int)s.text.n, s.text.p);
        ws_sink_release(&s);
    }
    written of = {.twins = 1, .fail = -1};
    ws_sink s = {0};
    ws_msasource m = {.rows = 2, .columns = 6, .of = &of, .head = head, .body = body};
    ws_msa_write(&s, &m, WS_MSAFORM_STOCKHOLM);
    ws_err err = {0};
    must(!ws_buf_add(&s.text, "", 1, &err), "memory");
    tap_ok(t, strstr(s.text.p, "\n0|q AC..-*\n1|q A-kkOC\n") != NULL, "equal names");
    ws_sink_release(&s);
    of = (written){.fail = 1};
    s = (ws_sink){0};
    ws_msa_write(&s, &m, WS_MSAFORM_AFA);
    tap_ok(t, s.err.code == WS_EDATA, "a row that cannot be made");
    ws_sink_release(&s);
}

/* Rows of an alignment with letters by row and column. */
enum { PIECE_ROWS = 2000, /* more shares than three threads have in the making */ PIECE_COLUMNS = 37 };
typedef struct pieces {
    char text[PIECE_COLUMNS], pp[PIECE_COLUMNS];
    size_t fail;
} pieces;

static int pieces_head(void *of, size_t i, int texts, ws_msarow *row, ws_buf *scratch, ws_err *err) {
    (void)of;
    scratch->n = 0;
    if (ws_buf_addf(scratch, err, "row%zu", i)) return err->code;
    const size_t at = ++scratch->n;
    if (ws_buf_addf(scratch, err, "is %zu", i)) return err->code;
    row->name = scratch->p;
    if (texts) row->desc = i % 3 ? scratch->p + at : NULL;
    if (texts) row->weight = 1;
    return WS_OK;
}

static char letter_at(size_t i, size_t c) { return "ACDEFGHIKLMNPQRSTVWY-"[(i * i + c * c + c) % 21]; }

static int pieces_piece(void *of, size_t i, size_t from, size_t n, char *text, char *pp, ws_buf *scratch, ws_err *err) {
    if (i >= ((pieces *)of)->fail) return ws_fail(err, WS_EDATA, "no row %zu", i);
    if (!ws_buf_scratch(scratch, 1 + i, err)) return err->code;
    for (size_t c = 0; c < n; c++) {
        text[c] = letter_at(i, from + c);
        pp[c] = (char)('0' + (i + from + c) % 10);
    }
    return WS_OK;
}

static int pieces_body(void *of, size_t i, ws_msarow *row, ws_err *err) {
    pieces *p = of;
    row->text = p->text;
    row->pp = p->pp;
    ws_buf unused = {0};
    const int rc = pieces_piece(p, i, 0, PIECE_COLUMNS, p->text, p->pp, &unused, err);
    ws_buf_release(&unused);
    return rc;
}

/* Several threads write what one does, row by row; of several rows that cannot be made the first one is named. */
static void test_pieces(tap *t) {
    for (int form = 0; form < WS_MSAFORM_N; form++) {
        pieces of = {.fail = SIZE_MAX};
        ws_sink s[3] = {{.to = NULL}};
        for (int k = 0; k < 3; k++) {
            const ws_msasource m = {.rows = PIECE_ROWS, .columns = PIECE_COLUMNS, .weights = 1, .posteriors = 1,
                                    .block = form == WS_MSAFORM_STOCKHOLM ? 10 : 0,
                                    .rf = "xxx.xxxx.xxxx.xxxx.xxxx.xxxx.xxxx.xxx", .of = &of, .head = pieces_head,
                                    .body = pieces_body, .piece = k ? pieces_piece : NULL, .threads = k == 2 ? 3 : 1};
            ws_msa_write(&s[k], &m, (ws_msaform)form);
        }
        const size_t n = s[0].text.n;
        int same = n > (size_t)PIECE_ROWS * 20;
        for (int k = 0; k < 3; k++)
            same = same && s[k].err.code == WS_OK && s[k].text.n == n && memcmp(s[k].text.p, s[0].text.p, n) == 0;
        for (int k = 0; k < 3; k++) ws_sink_release(&s[k]);
        tap_ok(t, same, "form %d in pieces, by one thread and by three: %zu bytes", form, n);
    }
    pieces of = {.fail = 300};
    ws_sink s = {0};
    const ws_msasource m = {.rows = PIECE_ROWS, .columns = PIECE_COLUMNS, .of = &of, .head = pieces_head,
                            .piece = pieces_piece, .threads = 3};
    ws_msa_write(&s, &m, WS_MSAFORM_AFA);
    tap_ok(t, s.err.code == WS_EDATA && strcmp(s.err.text, "no row 300") == 0, "the first row that cannot be made");
    ws_sink_release(&s);
}

/* ---- digital rows ---- */

static void test_digital(tap *t) {
    uint8_t code[] = {0, 20, 28, 3, 20, 20, 28, 28};
    size_t name_at[] = {0, 2};
    ws_msa m = {.abc = ws_abc_get(WS_ABC_AMINO), .rows = 2, .columns = 4, .code = code,
        .names = {.p = (char[]){"a\0b"}},
                .name_at = name_at};
    ws_err err = {0};
    char name[16];
    tap_ok(t, ws_msa_check_missing(&m, &err) == WS_EDATA && strstr(err.text, "row \"a\" has a \"~\" in column 3"),
           "~ inside a row");
    code[2] = 20;
    tap_ok(t, ws_msa_check_missing(&m, &err) == WS_OK, "~ at an end");
    const ws_msa_extent a = ws_msa_extent_of(&m, 0), b = ws_msa_extent_of(&m, 1);
    tap_ok(t, a.n == 2 && a.first == 0 && a.last == 3 && b.n == 0, "extents of rows");
    ws_msa_mark_fragments(&m, 0, 2, 0.25);
    tap_ok(t, code[1] == 20 && code[4] == 28 && code[5] == 28, "a row without residues is a fragment");
    code[0] = 20;
    ws_msa_mark_fragments(&m, 0, 1, 0.25);
    tap_ok(t, code[0] == 28 && code[2] == 28 && code[3] == 3, "a row with a quarter of residues is a fragment");
    tap_ok(t, !strcmp(ws_msa_default_name(name, "a.b/x.sto.gz"), "x.sto") && !ws_msa_default_name(name, "-") &&
                  !strcmp(ws_msa_default_name(name, "b/x"), "x"), "names of alignments by their files");
}

int main(void) {
    tap t = {0};
    test_good(&t);
    test_bad(&t);
    test_alphabet(&t);
    test_look_ahead(&t);
    test_annotation(&t);
    test_large(&t);
    test_write(&t);
    test_pieces(&t);
    test_digital(&t);
    return tap_end(&t);
}
