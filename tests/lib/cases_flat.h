/* SPDX-License-Identifier: MIT
 * Cases of aligned FASTA, Stockholm, GenBank and EMBL: see tests/lib/cases.h. */
#ifndef WS_TESTS_CASES_FLAT_H
#define WS_TESTS_CASES_FLAT_H

#include "tests/lib/cases.h"

#define AFA WS_FORMAT_AFA
#define STO WS_FORMAT_STOCKHOLM
#define GB WS_FORMAT_GENBANK
#define EM WS_FORMAT_EMBL
#define STO_HEAD "# STOCKHOLM 1.0\n"
#define BAD_LETTER(line, c, place, name) \
    line ": '" c "' is not a letter of the amino alphabet, at position " place " of sequence \"" name "\"" \
    " (see --bad-residue of respack and the filters, as in respack --bad-residue=x FILE | ...)"

static const struct a_case flat_cases[] = {
    /* aligned FASTA: content tells FASTA, so it is asserted */
    CASE("gaps of all kinds", AFA, ">a x\n-.A_C\n~d\n>b\nAC*--\nXE\n", "a|x||ACD\nb|||AC*XE\n", NULL,
         .assert_format = 1),
    CASE("blanks are no columns", AFA, ">a\nA -\r\n\tC\n>b\nDE-", "a|||AC\nb|||DE\n", NULL, .assert_format = 1),
    CASE("a row of gaps", AFA, ">a\n---\n>b\nA-C\n", "a|||\nb|||AC\n", NULL, .assert_format = 1),
    CASE("a row too short", AFA, ">a\nA-C\n>b\nA-\n>c\nACD\n", "a|||AC\n",
         "line 5: row \"b\" before this line has 2 columns, expected 3 as in the first row", .assert_format = 1),
    CASE("the last row too long", AFA, ">a\nA-C\n>b\nA-CC", "a|||AC\n",
         "line 4: row \"b\" before this line has 4 columns, expected 3 as in the first row", .assert_format = 1),
    CASE("bad letter of a row", AFA, ">a\nA-\n-1\n", "", BAD_LETTER("line 3", "1", "2", "a"), .assert_format = 1),
    CASE("bad letter of a row skipped", AFA, ">a\nA1\n>b\n-C\n", "a|||A\nb|||C\n", NULL, WS_BADRES_SKIP,
         .assert_format = 1),

    /* Stockholm */
    CASE("one alignment", STO, STO_HEAD "#=GF ID x\n\na  AC-D\nb .~_E\n#=GR b PP 1234\n#=GC RF xxxx\n//\n",
         "a|||ACD\nb|||E\n", NULL, 0),
    CASE("names, accessions, descriptions", STO,
         STO_HEAD "#=GS b DE two  words \n#=GS a AC X1\n#=GS b DE the last\n#=GS a WT 1\na AC\nb DE\n//\n",
         "b|the last||DE\na|||AC\n", NULL, 0),
    CASE("blocks, in another order", STO, STO_HEAD "\na A-\nb C.\n\n\nb DD\na EF\n//", "a|||AEF\nb|||CDD\n", NULL, 0),
    CASE("CRLF, comments, two alignments", STO,
         "\r\n" STO_HEAD "# hello\r\na AC\r\n//\r\n# between\r\n\r\n# STOCKHOLM 1.0\r\na DE\r\n//\r\n",
         "a|||AC\na|||DE\n", NULL, 0),
    CASE("a row of gaps in Stockholm", STO, STO_HEAD "a --\nb A-\n//\n", "a|||\nb|||A\n", NULL, 0),
    CASE("no //", STO, STO_HEAD "a AC\n//\n" STO_HEAD "b AC\n", "a|||AC\n",
         "line 6: the input ends inside an alignment, which ends with //, so it was cut", 0),
    CASE("an alignment before its end", STO, STO_HEAD "a AC\n" STO_HEAD "b AC\n//\n", "",
         "line 3: found \"# STOCKHOLM\", expected // at the end of the alignment before it", 0),
    CASE("a row too short in Stockholm", STO, STO_HEAD "a ACD\nb AC\n//\n", "",
         "line 3: row \"b\" has 2 columns in this block, expected 3 as in the row before it", 0),
    CASE("a row too few", STO, STO_HEAD "a A\nb C\n\na D\n//\n", "",
         "line 6: the block before this line lacks row \"b\"", 0),
    CASE("annotation alone", STO, STO_HEAD "#=GS a DE x\n//\n", "", "line 3: the alignment ends without a row", 0),
    CASE("annotation of a row that is missing", STO, STO_HEAD "#=GS a DE x\nb A\n//\n", "",
         "line 4: the block before this line lacks row \"a\"", 0),
    CASE("a row too many", STO, STO_HEAD "a A\n\na D\nc E\n//\n", "",
         "line 5: \"c\" is no row of the blocks before this one", 0),
    CASE("a name twice", STO, STO_HEAD "a A\na C\n//\n", "",
         "line 3: row \"a\" is in this block twice; each row needs a name of its own", 0),
    CASE("a row without text", STO, STO_HEAD "a A\nb\n//\n", "", "line 3: row \"b\" has no aligned text", 0),
    CASE("#=GS without a tag", STO, STO_HEAD "#=GS a\n", "",
         "line 2: #=GS needs the name of a row, a tag and a text", 0),
    CASE("text behind an alignment", STO, STO_HEAD "a A\n//\n>b\nA\n", "a|||A\n",
         "line 4: expected \"# STOCKHOLM 1.0\", with which an alignment begins, found \">b\"", 0),
    CASE("another version", STO, "# STOCKHOLM 2.0\na A\n//\n", "",
         "line 1: expected \"# STOCKHOLM 1.0\", with which an alignment begins, found \"# STOCKHOLM 2.0\"", 0),
    CASE("bad letter in Stockholm", STO, STO_HEAD "a AC\n\na -D\n\na E9\n//\n", "", BAD_LETTER("line 6", "9", "5", "a"),
         0),
    CASE("bad letters in Stockholm to X", STO, STO_HEAD "a A1\nb 2-\n//\n", "a|||AX\nb|||X\n", NULL, WS_BADRES_X),
    CASE("carriage returns alone in Stockholm", STO, STO_HEAD "a AC\r//\r", "",
         "line 2: lines end in carriage returns alone, expected line feeds (tr '\\r' '\\n' makes them)", 0),

    /* GenBank */
    CASE("a record", GB,
         "LOCUS       AB1  20 aa\nDEFINITION  one thing\n            goes on.\nVERSION     AB1.2  GI:7\n"
         "ORIGIN      \n        1 acdef ghikl\n       11 MNPQR\n//\n",
         "AB1|one thing||ACDEFGHIKLMNPQR\n", NULL, 0),
    CASE("a head, two records, blank lines", GB,
         "X.SEQ    Genetic Sequence Data Bank\n  June\n\nLOCUS       a\nORIGIN\n//\n\nbetween\nLOCUS       b x\r\n"
         "ORIGIN\r\n 1 ac\r\n//",
         "a|||\nb|||AC\n", NULL, 0),
    CASE("no ORIGIN", GB, "LOCUS       a\nCONTIG      join(x)\n//\nLOCUS       b\nORIGIN\n//\n", "",
         "line 3: found \"//\", expected the line ORIGIN and the sequence of record \"a\" first", 0),
    CASE("a record that is cut", GB, "LOCUS       a\nORIGIN\n 1 ac\n//\nLOCUS       b\nORIGIN\n 1 ac\n", "a|||AC\n",
         "line 8: the input ends inside a GenBank record, which ends with //, so it was cut", 0),
    CASE("a line that has no name", GB, "LOCUS       \n", "", "line 1: the line LOCUS has no name", 0),
    CASE("no record at all", GB, "Genetic Sequence Data Bank\nnothing\n", "",
         "line 3: the input has no line LOCUS, with which a GenBank record begins", 0),
    CASE("a slash in a sequence", GB, "LOCUS       a\nORIGIN\n 1 ac //\n//\n", "",
         "line 3: found \"//\" in a sequence, expected residues, or // on a line of its own", 0),
    CASE("one slash", GB, "LOCUS       a\nORIGIN\n 1 ac\n/ x\n//\n", "",
         "line 4: found \"/ x\" in a sequence, expected residues, or // on a line of its own", 0),
    CASE("bad letter in GenBank", GB, "LOCUS       a\nORIGIN\n 1 a-\n//\n", "", BAD_LETTER("line 3", "-", "2", "a"), 0),
    CASE("DNA of GenBank", GB, "LOCUS       a\nORIGIN\n 1 acgtnx\n//\n", "a|||ACGTNN\n", NULL, .type = WS_ABC_DNA),

    /* EMBL, UniProt */
    CASE("a record of EMBL", EM,
         "ID   X1; SV 1; DNA; 8 BP.\nXX\nAC   A1; B2;\nAC   C3;\nDE   first \nDE     second\nSQ   Sequence 8 BP;\n"
         "     acdef gh                           7\n     i                    8\n//\n",
         "X1|first   second||ACDEFGHI\n", NULL, 0),
    CASE("two of UniProt", EM,
         "\nID   A_B             Reviewed;  2 AA.\nDE   RecName: Full=x;\nSQ   SEQUENCE   2 AA;\n     AC\n//\n\n"
         "ID   C_D\nSQ   \n//\n",
         "A_B|RecName: Full=x;||AC\nC_D|||\n", NULL, 0),
    CASE("something between records", EM, "ID   a\nSQ   \n//\n>b\nAC\n", "a|||\n",
         "line 4: expected the line ID of an EMBL record, found \">b\"", 0),
    CASE("no SQ", EM, "ID   a\nXX\nID   b\nSQ   \n//\n", "",
         "line 3: found \"ID   b\", expected the line SQ and the sequence of record \"a\" first", 0),
    CASE("a record of EMBL that is cut", EM, "ID   a\nDE   x", "",
         "line 2: the input ends inside an EMBL record, which ends with //, so it was cut", 0),
    CASE("carriage returns alone in EMBL", EM, "ID   a\rSQ   \r//\r", "",
         "line 1: lines end in carriage returns alone, expected line feeds (tr '\\r' '\\n' makes them)", 0),
};

#endif
