#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What tests/contract.bats and tests/faults.bats ask of programs with a model, asked of those whose queries are
# sequences: inputs and orders of operands, one answer, outputs that cannot be written, damage, faults.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    make_data
    cp "$data/golden/sequences/queries.fa" .
    awk '/^>/ { n++ } n > 2 { exit } { print }' demo.fa >few.fa
    make_shim
}
setup() { in_data; }
teardown() { show_counts; }

tools='seqsieve jacksieve'
few='--EmN 20 --EvN 20 --EfN 50' # a calibration that is quick
one_round() { [ "$1" != jacksieve ] || echo -N 1; }
# ask TOOL ARGUMENT...: one round, as a table without provenance
ask() {
    "$1" $few $(one_round "$1") -q -O tsv --no-provenance "${@:2}"
}
misuse() { # misuse PATTERN... -- COMMAND...
    local want=()
    while [ "$1" != -- ]; do want+=("$1"); shift; done
    shift
    run --separate-stderr "$@" <small.fa
    refused 2 "${want[@]}" || fail "command: $*"
    grep -q -- '--help' <<<"$stderr" || fail "no hint at --help: $stderr"
}

# ---- misuse ----

bad_values() {
    misuse 'threads' 'whole number' '"many"' -- "$1" -t many few.fa small.fa
    misuse 'batch' 'size' '"10X"' -- "$1" -K 10X few.fa small.fa
    misuse 'out-format' 'tsv, text' '"sam"' -- "$1" -O sam few.fa small.fa
    misuse 'quiet takes no value' -- "$1" --quiet=1 few.fa small.fa
    misuse 'operand is empty' -- "$1" few.fa ''
    misuse 'output: expected FILE, found ""' -- "$1" few.fa small.fa -o ''
    misuse 'no "gpu"' 'scalar' -- "$1" --backend gpu few.fa small.fa
    misuse 'no column "score"' 'tlen' -- "$1" -O tsv -f name,score few.fa small.fa
    misuse 'fields' 'tsv' -- "$1" -O fasta -f name few.fa small.fa
    misuse 'EmN' 'range' -- "$1" --EmN 0 few.fa small.fa
    misuse 'Eft' 'range|more than' -- "$1" --Eft 0 few.fa small.fa
    misuse 'pextend' 'range' -- "$1" --pextend 1 few.fa small.fa
    misuse 'standard input is named 2 times' -- "$1" $(one_round "$1") few.fa - small.fa -
}
@test "misuse: bad numbers, unknown choices, missing values" { each bad_values $tools; }

own_places() { # what would be read, or written twice, is left as it was
    cp small.fa in.fa
    cp few.fa q.fa
    rm -f new
    misuse 'in.fa is also read' -- "$1" q.fa in.fa -o in.fa
    misuse 'q.fa is also read' -- "$1" q.fa in.fa -o q.fa
    misuse 'q.fa is also read' -- "$1" q.fa in.fa --tblout q.fa
    misuse 'in.fa is also read' -- "$1" q.fa in.fa -A ./in.fa
    misuse 'new is where' -- "$1" q.fa in.fa -o new --tblout new
    misuse 'standard output is where' -- "$1" q.fa in.fa --domtblout -
    same small.fa in.fa
    same few.fa q.fa
    [ ! -e new ]
}
@test "misuse: an output that is an input, or another output" { each own_places $tools; }

# ---- one answer ----

any_order() {
    ask "$1" few.fa small.fa >a
    [ "$(nrows a)" -gt 1 ]
    ask "$1" few.fa <small.fa | same a -
    ask "$1" few.fa - <small.fa | same a -
    ask "$1" - small.fa <few.fa | same a -
    ask "$1" few.fa -o b small.fa >c
    same a b
    [ ! -s c ]
    awk '/^>/ { n++ } n <= 10' small.fa >head.fa
    awk '/^>/ { n++ } n > 10' small.fa >tail.fa
    ask "$1" few.fa head.fa tail.fa | same a -
    ask "$1" few.fa head.fa - <tail.fa | same a -
    cp few.fa ./-odd.fa
    ask "$1" -- -odd.fa small.fa | same a -
}
@test "operands and options in any order, -, --, several files, -o" { each any_order $tools; }

one_answer() {
    local o b
    ask "$1" --max -t 1 --backend scalar few.fa small.fa >want
    for o in '-t 1' '-t 3' '-K 1' '-K 1000 -t 2' '-K 1G' '-t 4 -K 3000'; do
        ask "$1" --max $o few.fa small.fa | same want - || fail "$o"
    done
    for b in $("$1" --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        ask "$1" --max --backend "$b" few.fa small.fa | same want - || fail "--backend $b"
    done
}
@test "the same bytes for any number of threads, batch size and backend" { each one_answer $tools; }

every_form() {
    local f
    ask "$1" few.fa demo.fa >want
    split -n l/3 demo.fa part.
    for f in part.*; do gzip -c "$f"; done >members.gz
    for f in demo.fa.gz members.gz demo.wsp; do
        ask "$1" few.fa $f | same want - || fail "$f"
        ask "$1" few.fa <$f | same want - || fail "$f from a pipe"
    done
    gzip -c few.fa >few.gz
    respack few.fa >few.wsp
    for f in few.gz few.wsp; do ask "$1" $f demo.fa | same want - || fail "queries: $f"; done
}
@test "the same bytes from FASTA, gzip, several members and packed, queries too" { each every_form $tools; }

nothing_in_it() {
    : >none.fa
    ask "$1" few.fa none.fa >got
    [ "$(nrows got)" -eq 0 ]
    printf '>a\n>b\n' | ask "$1" few.fa - >got
    [ "$(nrows got)" -eq 0 ]
    "$1" $few few.fa none.fa >got
    grep -q 'No hits detected' got
    [ "$(tail -1 got)" = '[ok]' ]
}
@test "a database without sequences, or without residues: no rows and no error" { each nothing_in_it $tools; }

# ---- damage ----

damaged() {
    local f rounds
    head -c 20000 demo.fa.gz >cut.gz
    head -c 20000 demo.wsp >cut.wsp
    printf '>a\nMKVL\n>b\nMK7VL\n' >bad.fa
    for rounds in '' '-N 1'; do
        [ "$1$rounds" != 'seqsieve-N 1' ] || continue
        for f in cut.gz cut.wsp bad.fa; do
            run -1 --separate-stderr "$1" $few $rounds -o got few.fa $f
            told "$f" || fail "$f: $stderr"
            run -1 --separate-stderr "$1" $few $rounds -o got $f small.fa
            told "$f" || fail "queries $f: $stderr"
        done
    done
    run -1 --separate-stderr "$1" few.fa nosuch.fa
    refused 1 'nosuch.fa' 'No such file'
    run -1 --separate-stderr "$1" $(one_round "$1") few.fa .
    refused 1 'directory'
}
@test "a cut or damaged database or query file: status 1 and a sentence that names it" { each damaged $tools; }

full_disk() {
    local o
    for o in -o --tblout --domtblout -A; do
        run -1 --separate-stderr "$1" $few few.fa small.fa $o /dev/full
        told '/dev/full' 'No space left' || fail "$o"
        run -1 --separate-stderr "$1" $few few.fa small.fa $o no/such/folder
        refused 1 'no/such/folder' 'No such file' || fail "$o"
    done
    run -1 --separate-stderr bash -c '"$@" >/dev/full' - "$1" $few few.fa small.fa
    told 'standard output' 'No space left'
    run -1 --separate-stderr bash -c '"$@" >&-' - "$1" $few few.fa small.fa
    told 'standard output'
    run --separate-stderr bash -c '"$@" <&-' - "$1" $few -o got few.fa -
    told 'standard input' || fail "$stderr"
    [ "$status" -ne 0 ]
    [ "$(status_of bash -c 'set -o pipefail; "$@" | true' - "$1" $few --max few.fa demo.fa)" -eq 141 ]
}
@test "a full disk, a folder that is not there, a closed stdout, a reader that left" { each full_disk $tools; }

# ---- faults ----

all_outputs() { # all_outputs TOOL KIND FIRST LAST STEP OPTION...
    local rounds=
    [ "$1" != jacksieve ] || rounds='-N 2 --chkhmm check --chkali check'
    drive "${@:2:4}" lines stdout got.tbl got.dom got.sto -- "$1" --EmN 3 --EvN 3 --EfN 30 $rounds "${@:6}" \
        --tblout got.tbl --domtblout got.dom -A got.sto few.fa small.fa
}
strikes() {
    local k step=11
    ! full || step=2
    all_outputs "$1" memory 1 5000 $step -t 1
    all_outputs "$1" memory 1 5000 $((3 * step)) -t 2 -K 2000 -O a3m
    all_outputs "$1" memory-on 1 5000 $((3 * step)) -t 2
    all_outputs "$1" read 1 200 1 -t 1
    all_outputs "$1" write 1 100 1 -t 2
    all_outputs "$1" room 0 60000 2111 -t 2
    all_outputs "$1" close 1 8 1 -t 2
    all_outputs "$1" open 1 50 1 -t 1
    show_counts
    all_outputs "$1" thread 1 4 1 -t 4
    for k in short eintr eagain; do all_outputs "$1" $k - 0 0 -t 2; done
    no_harm
}
@test "no memory, reads, writes and closing that fail, a disk that fills up, no threads" { shimmed; each strikes $tools; }
