#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# seqsieve: phmmer's report, tables and alignments; many queries in one pass; what it refuses.

bats_require_minimum_version 1.5.0
load helper

shared=$top/../shared/golden/build
golden=$data/golden/sequences
setup_file() { make_data; cp "$golden/queries.fa" .; }
setup() { in_data; }

# Text without what names program, author, file and time; of reports from the first query on.
stripped() { # stripped KIND
    sed '/^#=GF AU/d; s/ saved to: .*//; /^# CPU/d; /^# Mc/d' |
        awk -v report="$1" 'report == "out" && !on { on = /^Query:/ } report == "out" && !on { next }
            /^#$/ { held = 1; next } /^# Program:/ { exit } { if (held) print "#"; held = 0; print }'
}
search() { seqsieve "$@" -o got.out --tblout got.tbl --domtblout got.dom --pfamtblout got.pfam -A got.sto "$queries" "$database"; }
equal_to() { # equal_to PREFIX: the files that are there
    local x n=0
    for x in out tbl dom pfam sto; do
        if [ -f "$1.$x.gz" ]; then zcat "$1.$x.gz"; elif [ -f "$1.$x" ]; then cat "$1.$x"; else continue; fi >want.$x
        n=$((n + 1))
        same <(stripped $x <want.$x) <(stripped $x <got.$x) || fail "$1.$x"
    done
    [ $n -ge 2 ] || fail "$1: no files to compare with"
}
opt='-E 100 --domE 50 --incE 1 --incdomE 2 --mx PAM70 --popen 0.05 --pextend 0.6 --F1 0.1 --F2 0.02 --F3 1e-3 --notextw
    --seed 7 --EmL 150 --EvN 100 --EfL 120 --Eft 0.05 -Z 5000 --nonull2'

@test "odd, short and empty queries: each file as phmmer's, for any backend, threads and batch" {
    queries=queries.fa database=demo.fa
    for o in '' '-t 1 --backend scalar' '-t 4 -K 1000'; do
        search $o
        equal_to "$golden/phmmer-def"
        search $o $opt
        equal_to "$golden/phmmer-opt"
    done
}

@test "the golden queries of the specification" {
    [ -d "$shared/phmmer" ] || skip "its data are not there"
    for q in "$shared"/phmmer/*.fa; do
        queries=$q
        case ${q##*/} in
        e-*) database=$shared/../../data/UP000000625-E.coli.fasta.gz ;;
        *) database=$shared/../../data/UP000002311-S.cerevisiae.fasta.gz ;;
        esac
        search
        equal_to "${q%.fa}"
    done
}

@test "all queries in one pass are the queries one by one; from pipes, packed" {
    seqsieve --no-provenance -O tsv --header none queries.fa demo.fa >want
    seqsieve --no-provenance -O tsv --header none queries.fa - <demo.fa | same want -
    seqsieve --no-provenance -O tsv --header none - demo.wsp <queries.fa | same want -
    seqsieve --no-provenance -O tsv --header none --qformat packed <(respack queries.fa) demo.fa.gz | same want -
    awk '/^>/ { n++ } { print > ("one" n ".fa") }' queries.fa
    for q in one*.fa; do
        [ "$(wc -l <"$q")" -eq 1 ] || seqsieve --no-provenance -O tsv --header none "$q" demo.fa
    done | same want -
    [ "$(nrows want)" -gt 100 ]
}

@test "a matrix from a file is the one of that name" {
    seqsieve --tblout want.tbl -o want.out queries.fa demo.fa
    cat >m.mx <<'MATRIX'
# any comment
   A  R  N  D  C  Q  E  G  H  I  L  K  M  F  P  S  T  W  Y  V
A  4 -1 -2 -2  0 -1 -1  0 -2 -1 -1 -1 -1 -2 -1  1  0 -3 -2  0
R -1  5  0 -2 -3  1  0 -2  0 -3 -2  2 -1 -3 -2 -1 -1 -3 -2 -3
N -2  0  6  1 -3  0  0  0  1 -3 -3  0 -2 -3 -2  1  0 -4 -2 -3
D -2 -2  1  6 -3  0  2 -1 -1 -3 -4 -1 -3 -3 -1  0 -1 -4 -3 -3
C  0 -3 -3 -3  9 -3 -4 -3 -3 -1 -1 -3 -1 -2 -3 -1 -1 -2 -2 -1
Q -1  1  0  0 -3  5  2 -2  0 -3 -2  1  0 -3 -1  0 -1 -2 -1 -2
E -1  0  0  2 -4  2  5 -2  0 -3 -3  1 -2 -3 -1  0 -1 -3 -2 -2
G  0 -2  0 -1 -3 -2 -2  6 -2 -4 -4 -2 -3 -3 -2  0 -2 -2 -3 -3
H -2  0  1 -1 -3  0  0 -2  8 -3 -3 -1 -2 -1 -2 -1 -2 -2  2 -3
I -1 -3 -3 -3 -1 -3 -3 -4 -3  4  2 -3  1  0 -3 -2 -1 -3 -1  3
L -1 -2 -3 -4 -1 -2 -3 -4 -3  2  4 -2  2  0 -3 -2 -1 -2 -1  1
K -1  2  0 -1 -3  1  1 -2 -1 -3 -2  5 -1 -3 -1  0 -1 -3 -2 -2
M -1 -1 -2 -3 -1  0 -2 -3 -2  1  2 -1  5  0 -2 -1 -1 -1 -1  1
F -2 -3 -3 -3 -2 -3 -3 -3 -1  0  0 -3  0  6 -4 -2 -2  1  3 -1
P -1 -2 -2 -1 -3 -1 -1 -2 -2 -3 -3 -1 -2 -4  7 -1 -1 -4 -3 -2
S  1 -1  1  0 -1  0  0  0 -1 -2 -2  0 -1 -2 -1  4  1 -3 -2 -2
T  0 -1  0 -1 -1 -1 -1 -2 -2 -1 -1 -1 -1 -2 -1  1  5 -2 -2  0
W -3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1  1 -4 -3 -2 11  2 -3
Y -2 -2 -2 -3 -2 -1 -2 -3  2 -1 -1 -2 -1  3 -3 -2 -2  2  7 -1
V  0 -3 -3 -3 -1 -2 -2 -3 -3  3  1 -2  1 -1 -2 -2  0 -3 -1  4
MATRIX
    seqsieve --mxfile m.mx --tblout got.tbl -o got.out queries.fa demo.fa
    same <(sed '/^#$/,$d' want.tbl) <(sed '/^#$/,$d' got.tbl)
    same <(grep -v '^# ' want.out) <(grep -v '^# ' got.out)
    cp m.mx kept.mx
    printf '>mx\nMKVLA\n' >mx.query
    run --separate-stderr seqsieve --tblout 'kept.%q' --mxfile kept.mx mx.query demo.fa
    refused 2 '--tblout: kept.mx is also read'
    same m.mx kept.mx
}

@test "a file for each query: the alignments and tables of the queries one by one" {
    for tool in 'seqsieve -q' 'jacksieve -q -N 2' hmmsieve; do
        rm -rf apart && mkdir apart
        queries=queries.fa
        [ "$tool" != hmmsieve ] || queries=three.hmm
        $tool -o got.out -A 'apart/%q.sto' --domtblout 'apart/%q.dom' $queries demo.fa
        $tool -o want.out $queries demo.fa
        same <(sed 's/ saved to: .*//; /^# Alignment\|^# No hits/d; 1,/^$/d' got.out) <(sed 1,/^$/d want.out)
        case $tool in
        hmmsieve) names='fn3 Pkinase globins4' one=fn3 query=$data/fn3.hmm ;;
        *) names='low odd one sp|P17157|PHO85_YEAST sp|P40518|ARPC5_YEAST two' one=odd query=one.fa
            awk '/^>/ { n++ } n == 3' queries.fa >one.fa ;;
        esac
        for n in $names; do echo apart/$n.dom apart/$n.sto; done | tr ' ' '\n' | sort | same - <(printf '%s\n' apart/* | sort)
        $tool -o want.out -A want.sto --domtblout want.dom "$query" demo.fa
        same want.sto apart/$one.sto
        same <(sed '/^#$/,$d' want.dom) <(sed '/^#$/,$d' apart/$one.dom)
    done
    cat queries.fa queries.fa >twice.fa
    run --separate-stderr seqsieve -A 'apart/%q' twice.fa demo.fa
    refused 2 'two queries would both be written to apart/'
    run --separate-stderr seqsieve -A 'none/%q' queries.fa demo.fa
    refused 1 'cannot open none/.*No such file'
    printf '>fa\nMKVLA\n' >fa.query
    cp demo.fa kept.fa
    run --separate-stderr seqsieve -A 'kept.%q' fa.query kept.fa
    refused 2 'kept.fa is also read'
    same demo.fa kept.fa
    run --separate-stderr seqsieve -A 'two.%q' --tblout two.fa fa.query demo.fa
    refused 2 '-A: two.fa is where --tblout goes'
    [ ! -e two.fa ]
}

@test "A3M: the query is row 1, and rows have a column for each of its residues" {
    for tool in seqsieve 'jacksieve -N 2'; do
        $tool -O a3m queries.fa demo.fa >got.a3m
        [ "$(grep -c '^>' got.a3m)" -gt 40 ]
        head -2 got.a3m | tail -1 | same <(sed -n '/ARPC5/,/>/p' queries.fa | grep -v '>' | tr -d '\n'; echo) -
        awk '/^>/ { query = !/\/[0-9]+-[0-9]+/; next }
            { n = gsub(/[A-Z*-]/, ""); if (query) want = n; if (n != want) bad = 1 } END { exit bad }' got.a3m
    done
}

@test "--db-shards: the parts of a database are the database" {
    awk '/^>/ { n++ } { print > sprintf("parts.fa-%05d-of-00003", n < 100 ? 0 : n < 250 ? 1 : 2) }' demo.fa
    gzip -f parts.fa-00001-of-00003 && mv parts.fa-00001-of-00003.gz parts.fa-00001-of-00003
    for tool in 'seqsieve queries.fa' 'jacksieve -N 2 queries.fa' 'hmmsieve three.hmm'; do
        $tool -o want.out --tblout want.tbl -A want.sto demo.fa
        for more in '' '-t 3 -K 5000'; do
            $tool $more -o got.out --tblout got.tbl -A got.sto --db-shards 3 parts.fa
            same want.sto got.sto
            same <(sed '/^#$/,$d' want.tbl) <(sed '/^#$/,$d' got.tbl)
            same <(sed '1,/^$/d; s/ saved to: .*//' want.out) <(sed '1,/^$/d; s/ saved to: .*//' got.out)
        done
    done
    mv parts.fa-00002-of-00003 parts.fa-00002-of-00004
    run --separate-stderr seqsieve --db-shards 3 queries.fa parts.fa
    refused 1 'parts.fa-00002-of-00003, one of --db-shards 3: No such file'
    run --separate-stderr seqsieve --db-shards 3 queries.fa - <demo.fa
    refused 2 '--db-shards needs the name of a database'
    mv parts.fa-00002-of-00004 parts.fa-00002-of-00003
    run --separate-stderr seqsieve --db-shards 3 -o parts.fa-00001-of-00003 queries.fa parts.fa
    refused 2 'parts.fa-00001-of-00003 is also read'
}

@test "what is refused: queries, matrices, formats" {
    wrong() { # wrong STATUS PATTERN ARGUMENT...
        run --separate-stderr seqsieve "${@:3}"
        refused "$1" "$2" || fail "seqsieve ${*:3}"
    }
    wrong 2 'no query' --
    wrong 2 'read from standard input' - - <queries.fa
    wrong 2 'read from standard input' - <queries.fa
    wrong 2 '--mx and --mxfile exclude each other' --mx PAM30 --mxfile m.mx queries.fa demo.fa
    wrong 2 'BLOSUM61.*BLOSUM62' --mx BLOSUM61 queries.fa demo.fa
    wrong 2 '--qformat selex: seqsieve reads' --qformat selex queries.fa demo.fa
    wrong 2 'popen.*range' --popen 0.5 queries.fa demo.fa
    wrong 2 '--mpi is an option of HMMER' --mpi queries.fa demo.fa
    wrong 2 'unknown option --cut_ga' --cut_ga queries.fa demo.fa
    wrong 1 'nosuch' nosuch demo.fa
    : >none.fa
    wrong 1 'none.fa: no query' none.fa demo.fa
    printf '>a\n>b\n' >none.fa
    wrong 1 'none.fa: no query.* 2 ' none.fa demo.fa
    printf '>a\nMK7L\n' >bad.fa
    wrong 1 'bad.fa: line 2' bad.fa demo.fa
    printf 'A C\nA 1 2\nC 2\n' >bad.mx
    wrong 1 'bad.mx, line 1: ' --mxfile bad.mx queries.fa demo.fa
}
