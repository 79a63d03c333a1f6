#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Models that hmmsieve --scan reads in parts, from pressed files, .h3m and text: the same answers, and a sentence where
# files do not belong together, are damaged, or change while they are read.

bats_require_minimum_version 1.5.0
load helper

golden=$data/golden/hmmscan
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    zcat "$golden/pfam.hmm.gz" | cat "$data/globins4.hmm" - "$data/fn3.hmm" "$data/demo.hmm" >all.hmm
    zcat "$golden/queries.fa.gz" >q.fa
    mkdir kept
    cp all.hmm kept/db
    hmmindex -q kept/db >said
    cp kept/db.h3m binary
}
setup() {
    in_data
    rm -rf work && cp -rp kept work # with the times of change
}
scan() { hmmsieve --scan -q "$@" | grep -v '^# '; }
set_bytes() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; } # FILE OFFSET BYTES

@test "pressed, binary and text: one answer for any threads, widths, memory and options" {
    local o f
    while read -r o; do
        for f in work/db binary all.hmm; do
            # shellcheck disable=SC2086 # words
            scan $o $f q.fa | sed '/^##/d' >got.$(basename $f)
        done
        same got.all.hmm got.db || fail "pressed: $o"
        same got.all.hmm got.binary || fail "binary: $o"
    done <<'CASES'
-t 1
-t 3 -K 700
-t 2 -K 1 --mem 4M
-t 2 --backend scalar
-t 1 --backend avx2
--max --noali
--F1 1 --F2 1 --F3 1 --noali
--nobias --acc --notextw
--incT 20 -T 5 --domT 3 --incdomT 15
-Z 1000 --domZ 3 -E 5
-O tsv
-O tblout --cut_tc -T 1000000
-O domtblout
CASES
    # residues that are several need rows that text has not
    sed 's/[AL]/X/3; s/[DE]/B/2' q.fa >several.fa
    for f in work/db binary; do same <(scan all.hmm several.fa) <(scan $f several.fa); done
}

@test "what is read: headers at first, rows of all models, and models that a sequence may have passed" {
    [ -n "$(command -v strace)" ] || skip 'strace is not installed'
    strace -f -e trace=openat,pread64 -o calls hmmsieve --scan -q -o got work/db q.fa || skip 'strace cannot run here'
    grep -q 'work/db.h3f' calls
    run -1 grep -q 'openat.*work/db"' calls # the text stays closed
}

@test "without the text, and its hash where rows name it" {
    scan all.hmm q.fa >want
    scan -O tsv all.hmm q.fa | grep -o 'xxh3:[0-9a-f]*' | sort -u >id
    same id <(scan -O tsv work/db q.fa | grep -o 'xxh3:[0-9a-f]*' | sort -u)
    msvfilt -q all.hmm q.fa | vitfilt -q all.hmm >rows
    same <(scan -O tsv --no-provenance all.hmm rows) <(scan -O tsv --no-provenance work/db rows)
    msvfilt -q "$data/fn3.hmm" q.fa >other
    run --separate-stderr -1 hmmsieve --scan -q work/db other
    told 'another model file'
    rm work/db
    same want <(scan work/db q.fa)
    same <(scan --max --noali all.hmm q.fa) <(scan --max --noali work/db q.fa)
}

@test "a text that is younger than its index is read itself, with a note" {
    cp "$data/fn3.hmm" work/db
    touch -d '+1 hour' work/db
    run --separate-stderr -0 hmmsieve --scan -o got work/db q.fa
    told 'work/db is younger than work/db.h3f' 'hmmpress -f'
    same <(scan "$data/fn3.hmm" q.fa) <(grep -v '^# ' got)
    rm work/db.h3p # not pressed
    run --separate-stderr -0 hmmsieve --scan -q -o got work/db q.fa
    [ -z "$stderr" ]
}

bad() { # bad WORD...: the set in work is refused with these words, at once or when a model passes
    run --separate-stderr -1 hmmsieve --scan -q -t 2 -o got work/db q.fa
    told "$@" 'hmmpress -f'
    rm -rf work && cp -rp kept work
}

@test "files that do not belong together, or are damaged: a sentence" {
    printf 'x' >work/db.h3f && bad db.h3f
    : >work/db.h3f && bad db.h3f empty
    truncate -s -1 work/db.h3f && bad db.h3f 'ends inside'
    truncate -s -5000 work/db.h3f && bad db.h3f
    truncate -s -300 work/db.h3m && bad db.h3m
    truncate -s -90000 work/db.h3p && bad db.h3p
    cat binary >>work/db.h3m && bad db.h3f db.h3m # more models
    printf '\377' >>work/db.h3f && bad db.h3f 'record'
    set_bytes work/db.h3f 0 'x' && bad 'db.h3f, record 1, byte 0' 'found'
    set_bytes work/db.h3f 4 '\1' && bad 'record 1'
    set_bytes work/db.h3f 8 '\11' && bad 'alphabet number 9'
    set_bytes work/db.h3f 17 '\0' && bad 'name'
    printf 'x' >>work/db.h3p && bad db.h3p 'are no record'
    set_bytes work/db.h3i 60 '\1' && bad '.h3i' # the count of names is right
    set_bytes work/db.h3i 0 '\1' && bad '.h3i'
    printf 'x' >>work/db.h3i && bad '.h3i'
    set_bytes work/db.h3i 21 '\377' && bad 'db.h3f' '.h3i has'
    (rm -rf foreign && mkdir foreign && cd foreign && cp "$data/fn3.hmm" db && hmmindex -q db >said)
    cp foreign/db.h3f work/ && bad db.h3f '1 models' '11 names'
    cp foreign/db.h3[fi] work/ && bad db.h3f 'last record' db.h3m
    cp foreign/db.h3m work/ && bad db.h3m
    cp foreign/db.h3p work/ && bad db.h3p
}

@test "an index of models that have changed since: a sentence when a sequence passes" {
    # the same names and lengths, other numbers
    sed 's/^STATS LOCAL MSV  *-*[0-9.]*/STATS LOCAL MSV       -9.0000/' all.hmm >work/db
    hmmindex -f -q work/db >said
    cp kept/db.h3f work/ && bad 'db.h3f' 'is not what' 'db.h3m'
    # a cost of the first model
    hmmindex -f -q work/db >said
    # behind the head with the name, and SSV's rows of 10 and 17 vectors
    set_bytes work/db.h3f $((16 + 8 + 1 + 13 + 29 * (10 + 17) * 16 + 5)) '\7'
    run --separate-stderr -1 hmmsieve --scan -q --F1 1 --F2 1 --F3 1 -t 1 -o got work/db q.fa
    told 'globins4, record 1' 'hmmpress -f'
}

@test "a transition that gains, in the words of a model: a sentence, and no endless row" {
    # D->D of globins4: behind the head with the name, no accession, no description, notes, and 19 vectors of seven
    # transitions
    set_bytes work/db.h3p $((16 + 8 + 1 + 4 + 4 + 4 * (149 + 2) + 19 * 7 * 16)) "$(printf '\\1%.0s' {1..304})"
    run --separate-stderr -1 timeout 20 hmmsieve --scan -q --F1 1 -t 1 -o got work/db q.fa
    told 'db.h3p' 'globins4, node 1' '257' 'at most 0' 'hmmpress -f'
}

@test "files that change while they are read: a sentence, and no signal" {
    local f
    awk '/^>/ { n++ } n == 1' q.fa >one.fa
    change() { # change COMMAND...: run between the first answer and the second question
        rm -f to from && mkfifo to from
        hmmsieve --scan -q --noali -t 1 "$db" - <to >from 2>said &
        exec 7>to 8<from
        cat one.fa one.fa >&7
        timeout 20 sed -u '/^\/\//q' <&8 >got
        "$@"
        cat one.fa >&7 || true
        exec 7>&-
        cat <&8 >rest
        local rc=0
        wait $! || rc=$?
        exec 8<&-
        [ $rc -eq 1 ] || fail "status $rc: $*: $(cat said)"
        grep -qE 'changed|ends at byte' said || fail "$*: $(cat said)"
        rm -rf work && cp -rp kept work
    }
    db=work/db
    change truncate -s 3000 work/db.h3f
    change truncate -s 0 work/db.h3f
    change cp all.hmm work/db.h3f
    rm work/db.h3? && change truncate -s 5000 work/db
    db=work/db.h3m
    change truncate -s 9000 work/db.h3m
}

@test "damage in a table is told when a sequence passes the first filter, or before" {
    sed 's/^      1 .*/      1   x/' "$data/globins4.hmm" >bad.hmm
    run --separate-stderr -1 hmmsieve --scan -q bad.hmm q.fa
    told 'bad.hmm, line' '"x"'
    awk '/^ +1 / { print; getline; print; getline; sub(/0\.[0-9]+/, "y"); print; next } { print }' "$data/globins4.hmm" >worse.hmm
    printf '>w\nWWWWWWWWWWWWWWWWWW\n' | hmmsieve --scan -q worse.hmm - >got # the transitions are not read
    run --separate-stderr -1 hmmsieve --scan -q --F1 1 worse.hmm q.fa
    told 'worse.hmm, line' '"y"'
}
