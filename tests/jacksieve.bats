#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# jacksieve: jackhmmer's report, tables, alignments and checkpoints, round by round; AlphaFold's search; what it refuses.

bats_require_minimum_version 1.5.0
load helper

shared=$top/../shared/golden/build
golden=$data/golden/sequences
setup_file() { make_data; cp "$golden/rounds.fa" "$golden/queries.fa" .; awk '/^>/ { n++ } n == 3' queries.fa >deep.fa; }
setup() { in_data; }

# Text without what names program, author, file and time; of reports from the first query on.
stripped() { # stripped KIND
    sed '/^#=GF AU/d; s/ saved to: .*//; /^# CPU/d; /^# Mc/d' |
        awk -v report="$1" 'report == "out" && !on { on = /^Query:/ } report == "out" && !on { next }
            /^#$/ { held = 1; next } /^# Program:/ { exit } { if (held) print "#"; held = 0; print }'
}
search() { jacksieve "$@" -o got.out --tblout got.tbl --domtblout got.dom -A got.sto --chkhmm got --chkali got "$queries" "$database"; }
equal_to() { # equal_to PREFIX: the files that are there
    local x n=0
    for x in out tbl dom sto; do
        if [ -f "$1.$x.gz" ]; then zcat "$1.$x.gz"; elif [ -f "$1.$x" ]; then cat "$1.$x"; else continue; fi >want.$x
        n=$((n + 1))
        same <(stripped $x <want.$x) <(stripped $x <got.$x) || fail "$1.$x"
    done
    [ $n -ge 2 ] || fail "$1: no files to compare with"
}
rounds='-N 3 --notextw'
deep='-N 5 --noali -E 0.1 --wblosum --wid 0.5 --ere 0.7 --fragthresh 0.8'

@test "rounds as jackhmmer has them, for any backend, threads and batch" {
    database=demo.fa
    for o in '' '-t 1 --backend scalar' '-t 4 -K 1000'; do
        queries=rounds.fa
        search $o $rounds
        equal_to "$golden/jackhmmer-rounds"
        queries=deep.fa
        search $o $deep
        equal_to "$golden/jackhmmer-deep"
    done
}

@test "targets that drop out, alignments that grow without new targets, a name twice" {
    cp demo.fa twice.fa
    awk '/^>/ { on = /PHO85_YEAST/ } on' demo.fa >>twice.fa
    jacksieve -N 4 --noali --incE 1 --incdomE 0.01 -E 100 "$golden/loose.fa" twice.fa | grep '^@@\|^[+-] ' >got
    zcat "$golden/jackhmmer-loose.rounds.gz" | same - got
    grep -q '^- ' got
}

@test "checkpoints are the models and alignments of the rounds" {
    rm -f got-*
    queries=deep.fa database=demo.fa
    search $deep
    [ "$(echo got-*)" = "got-1.hmm got-1.sto got-2.hmm got-2.sto got-3.hmm got-3.sto got-4.hmm got-4.sto" ]
    for n in 2 3 4; do # the model of a round is hmmcast's of the alignment before
        hmmcast --no-provenance --hand --wblosum --wid 0.5 --ere 0.7 --fragthresh 0.8 -o want.hmm got-$((n - 1)).sto
        same <(sed 1d want.hmm) <(sed 1d got-$n.hmm)
    done
    same got-4.sto <(jacksieve $deep --notextw -O sto deep.fa demo.fa) # -A is the last one
    rm -f got-*
    search -N 1
    [ "$(echo got-*)" = "got-1.hmm got-1.sto" ]
}

@test "the golden queries of the specification, every round" {
    [ -d "$shared/jackhmmer" ] || skip "its data are not there"
    database=$shared/../../data/UP000002311-S.cerevisiae.fasta.gz
    for q in "$shared"/jackhmmer/*.fa; do
        queries=$q
        rm -f got-*
        search
        equal_to "${q%.fa}"
        for f in "${q%.fa}"-*.sto; do same <(stripped sto <"$f") <(stripped sto <"got-${f##*-}"); done
        for f in "${q%.fa}"-*.hmm.gz; do
            same <(zcat "$f" | grep -v ^HMMER3) <(f=${f%.gz}; grep -v ^HMMER3 "got-${f##*-}")
        done
    done
}

@test "queries together are the queries one by one; one round from a pipe" {
    jacksieve --noali -N 2 rounds.fa demo.fa | stripped out >want
    awk '/^>/ { n++ } { print > ("one" n ".fa") }' rounds.fa
    for q in one*.fa; do
        [ "$(wc -l <"$q")" -eq 1 ] || jacksieve --noali -N 2 "$q" demo.wsp | stripped out | grep -v '^\[ok\]'
    done | same <(grep -v '^\[ok\]' want) -
    jacksieve -N 1 rounds.fa demo.fa | stripped out >want
    jacksieve -N 1 rounds.fa <demo.fa | stripped out | same want -
    jacksieve -N 1 - demo.fa <rounds.fa | stripped out | same want -
}

@test "AlphaFold's search, and --seq_limit" {
    alphafold='-N 1 --F1 0.0005 --F2 5e-05 --F3 5e-07 -E 0.0001 --incE 0.0001 -Z 100000 --cpu 2 --noali'
    jacksieve -o /dev/null -A all.sto --tblout all.tbl $alphafold deep.fa demo.fa
    [ "$(nrows all.tbl)" -gt 30 ]
    jacksieve -o /dev/null -A got.sto --tblout got.tbl $alphafold --seq_limit 7 deep.fa demo.fa
    # blanks depend on the longest name, and the best are the first
    same <(rows all.tbl | head -7 | tr -s ' ') <(rows got.tbl | tr -s ' ')
    rows got.tbl | awk '{ print $1 }' | sort >names
    sed -n 's/^\([^# ][^ ]*\)\/[0-9]*-[0-9]* .*/\1/p' got.sto | sort -u | same names -
    grep -v '^#' got.sto | grep . | head -1 | grep -q '^odd ' # the query is row 1
    jacksieve -o /dev/null -A got.sto --tblout got.tbl $alphafold --seq_limit 100000 deep.fa demo.fa
    same all.sto got.sto
    same <(rows all.tbl) <(rows got.tbl)
}

@test "what is refused" {
    wrong() { # wrong STATUS PATTERN ARGUMENT...
        run --separate-stderr jacksieve "${@:3}"
        refused "$1" "$2" || fail "jacksieve ${*:3}"
    }
    wrong 2 'standard input is no file that can be read again.*-N 1' rounds.fa - <demo.fa
    wrong 2 'standard input is no file that can be read again.*-N 1' rounds.fa <demo.fa
    mkfifo pipe
    wrong 2 'pipe is no file that can be read again' rounds.fa pipe
    wrong 2 '--wpb and --wgsc exclude each other' --wpb --wgsc rounds.fa demo.fa
    wrong 2 '--eent and --eset exclude each other' --eent --eset 3 rounds.fa demo.fa
    wrong 2 '--pnone and --plaplace exclude' --pnone --plaplace rounds.fa demo.fa
    wrong 2 'rounds.*range' -N 0 rounds.fa demo.fa
    wrong 1 'no/such-1.hmm for writing' --chkhmm no/such rounds.fa demo.fa
    head -c 20000 demo.fa.gz >cut.fa.gz
    run --separate-stderr jacksieve --tblout got.tbl -o got.out rounds.fa cut.fa.gz
    [ "$status" -eq 1 ] && [[ $stderr =~ cut.fa.gz ]] || fail "$stderr"
    [ "$(nrows got.tbl)" -eq 0 ]
}

@test "checkpoints are outputs as all others: none is an input, another output or the file of another round" {
    printf '>ck-1.sto\nMKVLAAGGHWERTYIPASDFGHKLC\n' >named.fa
    lost() { # lost PATTERN ARGUMENT...: refused before anything is written
        rm -rf lost && mkdir lost && cd lost
        cp ../demo.fa ck-1.hmm && cp ../demo.fa ck-3.sto && ln -s new ck-2.hmm && ln -s new ck-5.hmm
        run --separate-stderr jacksieve "${@:2}"
        refused 2 "$1" || fail "jacksieve ${*:2}"
        same ../demo.fa ck-1.hmm && same ../demo.fa ck-3.sto
        cd ..
    }
    lost '--chkhmm: ck-1.hmm is also read' -N 3 --chkhmm ck ../deep.fa ck-1.hmm
    lost '--chkali: ck-3.sto is also read' --chkali ck ../deep.fa ck-3.sto
    lost '--chkhmm: ck-5.hmm is where --chkhmm goes' --chkhmm ck ../deep.fa ../demo.fa
    lost '--chkhmm: ck-2.hmm is where --tblout goes' -N 3 --chkhmm ck --tblout ck-2.hmm ../deep.fa ../demo.fa
    lost '--chkali: ck-1.sto is where --msa goes' --chkali ck -A ck-1.sto ../deep.fa ../demo.fa
    lost '-A: ck-1.sto is where --chkali goes' --chkali ck -A %q ../named.fa ../demo.fa
    jacksieve -q -N 2 --chkhmm lost/ck -o /dev/null deep.fa demo.fa # there is no fifth round
}

@test "the sequences are the same in all rounds, or the run ends" {
    changed() { # changed PATTERN COMMAND...: the run has seen the file when it opens the pipe
        cp demo.fa rounds.db
        rm -f ck-* && mkfifo ck-1.hmm
        jacksieve -q -N 4 --chkhmm ck --chkali ck --tblout got.tbl -o /dev/null deep.fa rounds.db 2>said &
        exec 7<ck-1.hmm
        "${@:2}"
        cat <&7 >/dev/null
        exec 7<&-
        local s=0
        wait $! || s=$?
        [ $s -eq 1 ] || fail "$*: status $s"
        grep -q "jacksieve: rounds.db: the file has changed since the search began: $1; .* run again" said || fail "$(cat said)"
        [ ! -e ck-2.hmm ] && [ "$(nrows got.tbl)" -eq 0 ]
    }
    replace() { cp demo.fa another && mv another rounds.db; }
    grow() { printf '>new\nMKVLA\n' >>rounds.db; }
    rewrite() { touch -r rounds.db then && printf '>a' | dd of=rounds.db conv=notrunc status=none && touch -r then rounds.db; }
    changed 'another file has taken its place' replace
    changed 'it had [0-9]* bytes and has [0-9]*' grow
    changed 'it was written to' touch -d '1 day ago' rounds.db
    changed 'its bytes are others' rewrite
}

@test "random queries: each round, report, table, alignment and checkpoint of phmmer and jackhmmer" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip 'a part of make check-full'
    peers=$(dirname "$(command -v jackhmmer)") && [ -x "$peers/phmmer" ] || skip 'phmmer and jackhmmer are not installed'
    [[ $(jackhmmer -h) == *'HMMER 3.4'* ]] || skip 'jackhmmer is not that of HMMER 3.4'
    proteins=("$top"/../shared/data/UP*.fasta.gz)
    [ -f "${proteins[0]}" ] || proteins=("$data/demo.fa.gz")
    run -0 python3 "$top/tests/queries.py" 300 1 "$peers" "${proteins[@]}"
    echo "# ran $output" >&3
}
