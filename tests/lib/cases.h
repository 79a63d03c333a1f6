/* SPDX-License-Identifier: MIT
 * Inputs of the sequence readers and what must come of them: records as dump() of tests/lib/io.h writes them, and the
 * message without the input's name (and the colon after it, unless the message begins with a blank). */
#ifndef WS_TESTS_CASES_H
#define WS_TESTS_CASES_H

#include "lib/formats/seqread.h"

struct a_case {
    const char *what;
    ws_format format;
    const char *in, *records, *message; /* message NULL: success */
    ws_badres badres;
    ws_abc_type type; /* 0: amino */
    int allow_cut, assert_format, only_whole;
};

#define FA WS_FORMAT_FASTA
#define FQ WS_FORMAT_FASTQ
#define TAB WS_FORMAT_TSV
#define AA20 "ACDEFGHIKLMNPQRSTVWY"
#define PG "##warpsieve pg=1 prog=a\n"
#define CUT " ended without its ##end line, so it was cut; its complete rows were read (see --allow-cut)"
#define SO_CUT "so the table before it was cut (see --allow-cut)"
#define END_LINE \
    "expected \"##end rows=N in=N residues=N\" with plain numbers, so the table was cut or changed there " \
    "(see --allow-cut)"
#define NO_SEARCH(in, residues) \
    "line 3: the ##end line says that " #in " sequences with " #residues \
    " residues were searched, but the table has 1 rows (see --allow-cut)"
#define END_CASE(end, message) \
    CASE("##end " end, TAB, "#name\tseq\na\tAC\n##end " end "\n", "a|||AC\n #0|||2\n", message, 0)
#define BAD_END(end) END_CASE(end, "line 3: found \"##end " end "\", " END_LINE)
#define CASE(w, f, i, r, m, ...) {.what = w, .format = f, .in = i, .records = r, .message = m, __VA_ARGS__}

static const struct a_case cases[] = {
    /* FASTA */
    CASE("empty FASTA", FA, "", "", NULL, .only_whole = 1),
    CASE("blank lines only", FA, "\n \n\r\n", "", NULL, 0),
    CASE("one record", FA, ">a\nACD\n", "a|||ACD\n", NULL, 0),
    CASE("no final newline", FA, ">a\nACD\n>b\nEF", "a|||ACD\nb|||EF\n", NULL, 0),
    CASE("description", FA, ">a  b c \t d  \nA\n", "a|b c   d||A\n", NULL, 0),
    CASE("tab between name and description", FA, ">a\tb\nA\n", "a|b||A\n", NULL, 0),
    CASE("CRLF", FA, ">a b\r\nAC\r\nDE\r\n>c\r\nF\r\n", "a|b||ACDE\nc|||F\n", NULL, 0),
    CASE("empty records", FA, ">a\n>b\n\n>c\nA\n>d", "a|||\nb|||\nc|||A\nd|||\n", NULL, 0),
    CASE("lower case, blanks, wrapped, blank lines", FA, "\n>a\nac d\tE\n\nfg\nH\n\n", "a|||ACDEFGH\n", NULL, 0),
    CASE("every letter that is one", FA, ">a\n" AA20 "BJZOUX*~._\n", "a|||" AA20 "BJZOUX*~..\n", NULL, 0),
    CASE("'>' inside a line ends the record", FA, ">a\nACD>b x\nEF\n", "a|||ACD\nb|x||EF\n", NULL, 0),
    CASE("DNA", FA, ">a\nACGTUNXRYacgtu\n", "a|||ACGTTNNRYACGTT\n", NULL, .type = WS_ABC_DNA),
    CASE("lengths around words", FA, ">a\nA\n>b\nACDEF\n>c\nACDEFG\n>d\nACDEFGH\n>e\nACDEFGACDEFG\n",
         "a|||A\nb|||ACDEF\nc|||ACDEFG\nd|||ACDEFGH\ne|||ACDEFGACDEFG\n", NULL, 0),
    CASE("bad letter", FA, ">a\nAC\n>b c\nACD\nE1F\n>d\nA\n", "a|||AC\n",
         "line 5: '1' is not a letter of the amino alphabet, at position 5 of sequence \"b\""
         " (see --bad-residue of respack and the filters, as in respack --bad-residue=x FILE | ...)",
         0),
    CASE("dash", FA, ">a\n-\n", "",
         "line 2: '-' is not a letter of the amino alphabet, at position 1 of sequence \"a\""
         " (see --bad-residue of respack and the filters, as in respack --bad-residue=x FILE | ...; aligned FASTA has "
         "the format afa)",
         0),
    CASE("byte beyond ASCII", FA, ">a\nA\xc3\xa9\n", "",
         "line 2: '\\xc3' is not a letter of the amino alphabet, at position 2 of sequence \"a\""
         " (see --bad-residue of respack and the filters, as in respack --bad-residue=x FILE | ...)",
         0),
    CASE("bad letters to X", FA,
         ">a\nA1-\xff"
         "D\n>b\n7\n",
         "a|||AXXXD\nb|||X\n", NULL, WS_BADRES_X),
    CASE("bad letters to N", FA, ">a\nAEZT\n", "a|||ANNT\n", NULL, WS_BADRES_X, WS_ABC_DNA),
    CASE("bad letters skipped", FA,
         ">a\nA1-\xff"
         "D\n>b\n7\n",
         "a|||AD\nb|||\n", NULL, WS_BADRES_SKIP),
    CASE("text before the first record", FA, "\nhello\n>a\nAC\n", "",
         "line 2: expected '>' at the start of a FASTA record, found \"hello\"", .only_whole = 1, .assert_format = 1),
    CASE("no format at all", FA, "hello\n>a\nAC\n", "",
         "line 1: expected '>' at the start of a FASTA record, found \"hello\"", .only_whole = 1),
    CASE("no name", FA, ">a\nAC\n>\nAC\n", "a|||AC\n", "line 3: a record without a name", 0),
    CASE("blanks for a name", FA, ">a\nAC\n> \t\nAC\n", "a|||AC\n", "line 3: a record without a name", 0),
    CASE("blanks before a name", FA, ">a\nAC\n> \tb c\nAC\n", "a|||AC\nb|c||AC\n", NULL, 0),
    CASE("only '>'", FA, ">", "", "line 1: a record without a name", 0),
    CASE("^A and bytes beyond ASCII in a header", FA, ">a \x01 \xc3\xa9\nA\n", "a|\x01 \xc3\xa9||A\n", NULL, 0),

    /* FASTQ */
    CASE("one read", FQ, "@a b\nACD\n+\nIJK\n", "a|b|IJK|ACD\n", NULL, 0),
    CASE("no final newline, '+' with text", FQ, "@a\nACD\n+a\nIJK", "a||IJK|ACD\n", NULL, 0),
    CASE("CRLF FASTQ", FQ, "@a\r\nACD\r\n+\r\nIJK\r\n@b\r\nE\r\n+\r\n!\r\n", "a||IJK|ACD\nb||!|E\n", NULL, 0),
    CASE("qualities that look like records", FQ, "@a\nACD\n+\n@>+\n\n@b\nAC\n+\n++\n", "a||@>+|ACD\nb||++|AC\n", NULL,
         0),
    CASE("SAM", FQ, "@HD\tVN:1.6\n@SQ\tSN:c\tLN:10\n", "",
         "line 1: found a header line of SAM, expected reads as FASTQ (samtools fastq writes them)", 0),
    CASE("empty reads", FQ, "@a\n\n+\n\n@b\n\n+\n\n", "a|||\nb|||\n", NULL, 0),
    CASE("empty read without its last line", FQ, "@a\n\n+", "a|||\n", NULL, 0),
    CASE("wrapped sequence", FQ, "@a\nAC\n+\nII\n@b\nAC\nDE\n+\nIIII\n", "a||II|AC\n",
         "line 7: expected '+' (sequence and quality of a FASTQ record are one line each), found \"DE\"",
         .only_whole = 1),
    CASE("qualities too short", FQ, "@a\nAC\n+\nI\n", "", "line 4: 1 quality values for 2 residues", 0),
    CASE("qualities too long", FQ, "@a\nAC\n+\nIII\n", "", "line 4: 3 quality values for 2 residues", 0),
    CASE("blank in the qualities", FQ, "@a\nAC\n+\nI \n", "", "line 4: a quality value outside of '!' to '~'", 0),
    CASE("cut after the sequence", FQ, "@a\nAC\n+\nII\n@b\nACD\n", "a||II|AC\n",
         "line 7: the input ends inside a FASTQ record, so it was cut", 0),
    CASE("cut in the header", FQ, "@a\nAC\n+\nII\n@b", "a||II|AC\n",
         "line 5: the input ends inside a FASTQ record, so it was cut", 0),
    CASE("cut in the qualities", FQ, "@a\nAC\n+\nI", "", "line 4: 1 quality values for 2 residues", 0),
    CASE("something else between records", FQ, "@a\nAC\n+\nII\n>b\nAC\n", "a||II|AC\n",
         "line 5: expected '@' at the start of a FASTQ record, found \">b\"", .only_whole = 1),
    CASE("bad letter in a read", FQ, "@a\nA>C\n+\nIII\n", "",
         "line 2: '>' is not a letter of the amino alphabet, at position 2 of sequence \"a\""
         " (see --bad-residue of respack and the filters, as in respack --bad-residue=x FILE | ...)",
         0),
    CASE("blank in a read", FQ, "@a\nA C\n+\nIII\n", "",
         "line 2: ' ' is not a letter of the amino alphabet, at position 2 of sequence \"a\""
         " (see --bad-residue of respack and the filters, as in respack --bad-residue=x FILE | ...)",
         0),
    CASE("bad letters skipped with their qualities", FQ, "@a\n1AC2D3\n+\nabcdef\n@b\nAC\n+\nxy\n",
         "a||bce|ACD\nb||xy|AC\n", NULL, WS_BADRES_SKIP),
    CASE("bad letters of a read to X", FQ, "@a\n1AC\n+\nabc\n", "a||abc|XAC\n", NULL, WS_BADRES_X),

    /* tables */
    CASE("hash header", TAB, "#name\tseq\tqual\tdesc\nb\tDE\t\tx y\n", "b|x y||DE\n #0|||2\n", NULL, 0),
    CASE("plain header, columns in any order", TAB, "z\tdesc\tseq\tquery\tname\tw\n1\td\tDE\tm\tb\t2\n",
         "b|d||DE\n #0|m|1\tm\t2|2\n", NULL, 0),
    CASE("own columns are dropped", TAB, "name\tx_bits\tseq\ta\tx_p\nb\t1\tDE\t2\t3\n", "b|||DE\n #0||2|2\n", NULL, 0),
    CASE("header only", TAB, "#name\tseq\n", "", NULL, 0),
    CASE("provenance and end only", TAB, PG "##end rows=0\n", "", NULL, 0),
    CASE("rows of one sequence", TAB,
         "name\tseq\tquery\na\tAC\tm1\na\tac\tm2\na\tAD\tm1\nb\tAD\tm1\nb\tAD\tm2\nb\tAD\tm1\n",
         "a|||AC\n #0|m1|m1|2\n #0|m2|m2|3\na|||AD\n #1|m1|m1|4\nb|||AD\n #2|m1|m1|5\n #2|m2|m2|6\nb|||AD\n "
         "#3|m1|m1|7\n",
         NULL, 0),
    CASE("descriptions and qualities of sequences that are equal else", TAB,
         "name\tseq\tqual\tdesc\tquery\na\tAC\tIJ\td\tk\na\tAC\tIJ\te\tl\na\tAC\tIK\te\tm\na\tAC\tIK\te\tn\n",
         "a|d|IJ|AC\n #0|k|k|2\na|e|IJ|AC\n #1|l|l|3\na|e|IK|AC\n #2|m|m|4\n #2|n|n|5\n", NULL, 0),
    CASE("equal records one behind the other", TAB, "name\tseq\na\tAC\na\tAC\nb\tDE\nb\tDE\n",
         "a|||AC\n #0|||2\na|||AC\n #1|||3\nb|||DE\n #2|||4\nb|||DE\n #3|||5\n", NULL, 0),
    CASE("long sequences that differ at the end", TAB,
         "name\tseq\na\t" AA20 AA20 "A\na\t" AA20 AA20 "C\na\t" AA20 AA20 "\n",
         "a|||" AA20 AA20 "A\n #0|||2\na|||" AA20 AA20 "C\n #1|||3\na|||" AA20 AA20 "\n #2|||4\n", NULL, 0),
    CASE("empty fields", TAB, "name\tseq\tq\tr\tquery\na\t\t\t\t\n", "a|||\n #0||\t\t|2\n", NULL, 0),
    CASE("no final newline of a table", TAB, "name\tseq\na\tAC\nb\tDE", "a|||AC\n #0|||2\nb|||DE\n #1|||3\n", NULL, 0),
    CASE("CRLF table", TAB, "#name\tseq\tx\r\na\tAC\t1\r\n\r\nb\tDE\t2\r\n", "a|||AC\n #0||1|2\nb|||DE\n #1||2|4\n",
         NULL, 0),
    CASE("CR at the end of a name before an empty last field", TAB, "name\tseq\tdesc\na\r\tAC\t\n",
         "a |||AC\n #0|||2\n", NULL, 0),
    CASE("CRLF, sequence last", TAB, "#name\tseq\r\na\tAC\r\n", "a|||AC\n #0|||2\n", NULL, 0),
    CASE("qualities", TAB, "name\tseq\tqual\na\tAC\tIJ\nb\tAC\t\n", "a||IJ|AC\n #0|||2\nb|||AC\n #1|||3\n", NULL, 0),
    CASE("qualities of another length", TAB, "name\tseq\tqual\na\tAC\tIJ\nb\tACD\tII\n", "a||IJ|AC\n #0|||2\n",
         "line 3: 2 quality values for 3 residues", 0),
    CASE("too few fields", TAB, "name\tseq\tx\na\tAC\t1\nb\tAC\nc\tAC\t1\n", "a|||AC\n #0||1|2\n",
         "line 3: a row of 2 fields, expected 3 as in the header", 0),
    CASE("too many fields", TAB, "name\tseq\tx\na\tAC\t1\t\t\n", "",
         "line 2: a row of 5 fields, expected 3 as in the header", 0),
    CASE("row without a name", TAB, "name\tseq\n\tAC\n", "", "line 2: a row without a name", 0),
    CASE("name that begins with #", TAB, "#name\tseq\n#1\tAC\n##2\tDE\n#nam\tF\n",
         "#1|||AC\n #0|||2\n##2|||DE\n #1|||3\n#nam|||F\n #2|||4\n", NULL, 0),
    CASE("names like the header's first column", TAB, "#name\tseq\n#name\tACDEF\n#name\tACD\n#name\tseq\n",
         "#name|||ACDEF\n #0|||2\n#name|||ACD\n #1|||3\n", NULL, 0),
    CASE("a record name and three residues", TAB, "name\tseq\nname\tMKV\n", "name|||MKV\n #0|||2\n", NULL, 0),
    CASE("names that begin like the header", TAB, "name\tseq\nn\tAC\nname\tACDE\nnamex\tDE\n",
         "n|||AC\n #0|||2\nname|||ACDE\n #1|||3\nnamex|||DE\n #2|||4\n", NULL, 0),
    CASE("no seq column", TAB, "##x\n#name\tsequence\nb\tDE\n", "",
         "line 2: expected a header line with the columns name and seq, found \"name\\x09sequence\"", 0),
    CASE("a column twice", TAB, "name\tseq\tname\n", "", "line 1: column \"name\" stands twice in the header", 0),
    CASE("bad letter in a row", TAB, "name\tseq\na\tAC\nb\tA-C\n", "a|||AC\n #0|||2\n",
         "line 3: '-' is not a letter of the amino alphabet, at position 2 of sequence \"b\""
         " (see --bad-residue of respack and the filters, as in respack --bad-residue=x FILE | ...)",
         0),
    CASE("'>' in a row", TAB, "seq\tname\n>\tb\n", "",
         "line 2: '>' is not a letter of the amino alphabet, at position 1 (see --bad-residue of respack and the "
         "filters, as in respack --bad-residue=x FILE | ...)",
         0),
    CASE("bad letters of rows skipped", TAB, "name\tseq\tqual\tquery\na\tA-C\tIJK\tm\na\tAC\tIK\tn\n",
         "a||IK|AC\n #0|m|m|2\n #0|n|n|3\n", NULL, WS_BADRES_SKIP),
    CASE("concatenated", TAB, "#name\tseq\na\tAC\n#name\tseq\na\tAC\n", "a|||AC\n #0|||2\na|||AC\n #1|||4\n", NULL, 0),
    CASE("concatenated, plain behind hash", TAB, "#name\tseq\na\tAC\nname\tseq\nb\tAC\nname\tseqs\n",
         "a|||AC\n #0|||2\nb|||AC\n #1|||4\nname|||SEQS\n #2|||5\n", NULL, 0),
    CASE("concatenated, plain with CR", TAB,
         "name\tx\tseq\r\na\t1\tAC\r\nname\tx\tseq\r\nb\t2\tAC\r\nname\tx\tseq\r\tb\n",
         "a|||AC\n #0||1|2\nb|||AC\n #1||2|4\n", "line 5: a row of 4 fields, expected 3 as in the header", 0),
    CASE("concatenated, plain", TAB, "name\tseq\na\tAC\nname\tseq\nb\tAC\nname\tseq",
         "a|||AC\n #0|||2\nb|||AC\n #1|||4\n", NULL, 0),
    CASE("concatenated, other columns", TAB, "#name\tseq\na\tAC\n#name\tseq\tx\nb\tAC\t1\n", "a|||AC\n #0|||2\n",
         "line 3: the columns of this table are not those of the first one", 0),
    CASE("concatenated, plain, other columns", TAB, "name\tseq\tx\na\tAC\t1\nname\tseq\ty\nb\tAC\t1\n",
         "a|||AC\n #0||1|2\n", "line 3: the columns of this table are not those of the first one", 0),
    CASE("provenance with its end", TAB, PG "#name\tseq\na\tAC\n##end rows=1\n", "a|||AC\n #0|||3\n", NULL, 0),
    CASE("two with their ends", TAB, PG "#name\tseq\na\tAC\n##end rows=1\n" PG "#name\tseq\nb\tAC\n##end rows=1\n",
         "a|||AC\n #0|||3\nb|||AC\n #1|||7\n", NULL, 0),
    CASE("cut before its end", TAB, PG "#name\tseq\na\tAC\n", "a|||AC\n #0|||3\n", CUT, 0),
    CASE("cut in a row", TAB, PG "#name\tseq\na\tAC\nb\tDEF", "a|||AC\n #0|||3\n", CUT, 0),
    CASE("cut in its end line", TAB, PG "#name\tseq\na\tAC\n##end row", "a|||AC\n #0|||3\n", CUT, 0),
    CASE("cut in the header", TAB, PG "#name\ts", "", CUT, 0),
    CASE("second of two cut", TAB, PG "#name\tseq\na\tAC\n##end rows=1\n" PG "#name\tseq\nb\tAC\n",
         "a|||AC\n #0|||3\nb|||AC\n #1|||7\n", CUT, 0),
    CASE("cut is allowed", TAB, PG "#name\tseq\na\tAC\nb\tDEF", "a|||AC\n #0|||3\n", NULL, .allow_cut = 1),
    CASE("two, the first without its end", TAB, PG "#name\tseq\na\tAC\n" PG "#name\tseq\nb\tAC\n##end rows=1\n",
         "a|||AC\n #0|||3\n", "line 5: another table begins, but no ##end line stands before it, " SO_CUT, 0),
    CASE("two, plain, the first without its end", TAB, PG "name\tseq\na\tAC\n" PG "name\tseq\nb\tAC\n",
         "a|||AC\n #0|||3\n", "line 5: another table begins, but no ##end line stands before it, " SO_CUT, 0),
    CASE("cut in its end line and joined", TAB,
         PG "#name\tseq\na\tAC\n##end rows=1 in=6" PG "#name\tseq\n##end rows=0\n",
         "a|||AC\n #0|||3\n", "line 4: found \"##end rows=1 in=6##warpsieve pg=1 prog=a\", " END_LINE, 0),
    CASE("cut before its line feed and joined", TAB, PG "#name\tseq\n##end rows=1" PG "#name\tseq\n##end rows=0\n", "",
         "line 3: found \"##end rows=1##warpsieve pg=1 prog=a\", " END_LINE, 0),
    CASE("cut in the word of its end line and joined", TAB, PG "#name\tseq\n##en" PG "#name\tseq\n##end rows=0\n", "",
         "line 3: another table begins inside this line, " SO_CUT, 0),
    CASE("cut in its first line and joined", TAB, "##warpsieve pg=1 pr" PG "#name\tseq\n##end rows=0\n", "",
         "line 1: another table begins inside this line, " SO_CUT, 0),
    CASE("cut in the last field and joined", TAB,
         PG "#name\tseq\tdesc\nx\tAC\td\na\tAC\tb" PG "#name\tseq\tdesc\n##end rows=2\n", "x|d||AC\n #0|||3\n",
         "line 4: another table begins inside this row, " SO_CUT, 0),
    CASE("joined after a cut, allowed", TAB, PG "#name\tseq\na\tAC\n##end ro" PG "#name\tseq\nb\tAC\n##end rows=1\n",
         "a|||AC\n #0|||3\nb|||AC\n #1|||6\n", NULL, .allow_cut = 1),
    CASE("end without a line feed, no provenance", TAB, "#name\tseq\na\tAC\n##end rows=1 in=40 residues=2",
         "a|||AC\n #0|||2\n", CUT, 0),
    END_CASE("rows=1 in=1 residues=2", NULL),
    END_CASE("rows=9 in=1000000000000000000 residues=1000000000000000000", NULL),
    END_CASE("rows=1", NULL),
    END_CASE("rows=0", "line 3: the ##end line says 0 rows, but the table has 1 (see --allow-cut)"),
    END_CASE("rows=1 in=0 residues=2", NO_SEARCH(0, 2)),
    END_CASE("rows=1 in=1 residues=0", NO_SEARCH(1, 0)),
    END_CASE("rows=1 in=0 residues=0", NO_SEARCH(0, 0)),
    BAD_END("rows=1 in= residues=2"),
    BAD_END("rows=1 in=abc residues=2"),
    BAD_END("rows=1 in=-1 residues=2"),
    BAD_END("rows=1 in=4e2 residues=2"),
    BAD_END("rows=1 in=+4 residues=2"),
    BAD_END("rows=1 in=04 residues=2"),
    BAD_END("rows=1 in=4 residues=2 "),
    BAD_END("rows=1 in=4"),
    BAD_END("rows=1 residues=2"),
    END_CASE("rows=1 in=1000000000000000001 residues=2",
             "line 3: found \"##end rows=1 in=1000000000000000001 resi...\", " END_LINE),
    END_CASE("rows=1 in=18446744073709551617 residues=2",
             "line 3: found \"##end rows=1 in=18446744073709551617 res...\", " END_LINE),
    BAD_END("rows=x"),
    BAD_END("row=1"),
    BAD_END(""),
    CASE("end that counts nothing before its rows", TAB, "#name\tseq\n##end rows=0 in=0 residues=0\na\tAC\n",
         "a|||AC\n #0|||3\n",
         "its ##end lines say that no sequences were searched, but it has 1 rows (see --allow-cut)",
         0),
    CASE("ends that count too much together", TAB, "#name\tseq\n##end rows=0 in=900000000000000000 residues=0\n"
         "#name\tseq\n##end rows=0 in=900000000000000000 residues=0\n", "",
         "line 4: the ##end lines count more than 10^18 sequences or residues (see --allow-cut)", 0),
    CASE("lines sorted, so that ends stand first", TAB, "##end rows=1\n##end rows=1\n" PG PG
         "#name\tseq\n#name\tseq\na\tAC\nb\tAC\n", "a|||AC\n #0|||7\nb|||AC\n #1|||8\n", NULL, 0),
    CASE("rows removed, and a table without provenance behind it", TAB,
         PG "#name\tseq\na\tAC\n##end rows=7 in=9 residues=9\n#name\tseq\nb\tAC\nc\tAC\nd\tAC\n",
         "a|||AC\n #0|||3\nb|||AC\n #1|||6\nc|||AC\n #2|||7\nd|||AC\n #3|||8\n", NULL, 0),
    CASE("a table without provenance before one with an end", TAB,
         "#name\tseq\nb\tAC\nc\tAC\n" PG "#name\tseq\na\tAC\n##end rows=1\n",
         "b|||AC\n #0|||2\nc|||AC\n #1|||3\na|||AC\n #2|||6\n", NULL, 0),
    CASE("two stages, one end", TAB, PG "##warpsieve pg=2 prog=b\n#name\tseq\na\tAC\n##end rows=1\n",
         "a|||AC\n #0|||4\n", NULL, 0),
};

#endif
