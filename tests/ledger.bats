#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The ledger of a stream: through every program and form the E-values are those of the whole database, or there is a
# sentence. They are never other numbers.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    export evalues=name,evalue,c_evalue,i_evalue
    make_data
    awk '/^>/ { n++ } n > 200 { exit } { print }' demo.fa >first.fa
    awk '/^>/ { n++ } n > 200 { print }' demo.fa >second.fa
    sed -n '1,/^>/p' demo.fa | sed '$d' >query.fa
    for f in demo first second; do msvfilt m.hmm $f.fa >$f.msv; done
    msvfilt --no-provenance m.hmm demo.fa >bare.msv
    vitfilt m.hmm demo.msv >demo.vit
    fwdscore m.hmm demo.vit >demo.fwd
    msvfilt m.hmm demo.fa | vitfilt m.hmm | fwdscore m.hmm | domscore -f $evalues m.hmm | grep -v '^#' | sort >want.rows
    hmmsieve -o /dev/null --tblout want.tbl m.hmm demo.fa
    awk '!/^#/ { print $1, $5 }' want.tbl | sort >want.tblrows
}
setup() { in_data; }

# Runs both consumers on standard input. Each gives the right E-values with status 0, or status 1, the sentence, and no
# E-value at all: known or unknown says which must come.
consume() { # consume known|unknown
    local s=0
    cat >in
    domscore -f $evalues m.hmm <in >dom.out 2>dom.err || s=$?
    grep -v '^#' dom.out | sort >dom.rows || true
    said "$1" "$s" dom.err
    if [ "$1" = known ]; then same want.rows dom.rows; else [ -z "$(cut -f2- dom.rows | tr -d '\t\n')" ]; fi
    s=0
    hmmsieve -o /dev/null --tblout sieve.tbl m.hmm - <in 2>sieve.err || s=$?
    awk '!/^#/ { print $1, $5 }' sieve.tbl | sort >sieve.rows
    said "$1" "$s" sieve.err
    if [ "$1" = known ]; then same want.tblrows sieve.rows; else [ -z "$(cut -d' ' -f2 sieve.rows | tr -d -- '-\n')" ]; fi
}

said() { # said known|unknown STATUS FILE
    if [ "$1" = known ]; then
        [ "$2" -eq 0 ] || fail "status $2: $(cat "$3")"
    else
        [ "$2" -eq 1 ] || fail "status $2, expected 1"
        grep -qE 'does not say how many sequences.*give -Z N' "$3" || fail "$(cat "$3")"
    fi
}

with_Z() { # the size that the user gives is taken
    same want.rows <(domscore -Z 400 -f $evalues m.hmm <in | grep -v '^#' | sort)
}

@test "--no-provenance at any stage changes no E-value: the ##end line is data" {
    grep -c '^##' bare.msv | grep -qx 1
    tail -1 bare.msv | grep -qx '##end rows=[0-9]* in=400 residues=[0-9]*'
    consume known <bare.msv
    for k in 1 2 3; do
        local o=('' '' '')
        o[k - 1]=--no-provenance
        msvfilt ${o[0]} m.hmm demo.fa | vitfilt ${o[1]} m.hmm | fwdscore ${o[2]} m.hmm | consume known
    done
    msvfilt --no-provenance m.hmm demo.fa | vitfilt --no-provenance m.hmm | fwdscore --no-provenance m.hmm | consume known
    msvfilt -O packed --no-provenance m.hmm demo.fa | consume known
    [ -z "$(msvfilt --no-provenance --header none -f name m.hmm demo.fa | grep '^#')" ]
    [ -z "$(msvfilt --plain m.hmm demo.fa | grep '^##')" ]
}

@test "a table that lost its ## lines has no size: every way ends in the sentence, and -Z is taken" {
    for t in demo.msv demo.vit demo.fwd; do
        grep -v '^##' $t | consume unknown
        with_Z
    done
    sed '/^##/d' demo.msv | consume unknown
    grep -v '^##end' bare.msv | consume unknown
    awk '!/^##/' demo.fwd | consume unknown
    awk 'NR < 40' bare.msv | consume unknown
    head -40 bare.msv | consume unknown
    msvfilt --plain -f name,seq,desc m.hmm demo.fa | consume unknown
    msvfilt --header plain --no-provenance m.hmm demo.fa | consume unknown
}

@test "what is unknown stays unknown through later stages, packed and back" {
    grep -v '^##' demo.msv | vitfilt m.hmm | consume unknown
    grep -v '^##' demo.msv | vitfilt m.hmm | fwdscore m.hmm | consume unknown
    grep -v '^##' demo.msv | vitfilt -O packed m.hmm | consume unknown
    grep -v '^##' demo.msv | respack -O packed | consume unknown
    grep -v '^##' demo.msv | respack -O packed | respack -O tsv | consume unknown
    grep -v '^##' demo.msv | respack -O packed | vitfilt m.hmm | fwdscore -O packed m.hmm | consume unknown
    # without the pairs the sequences are survivors all the same
    grep -v '^##' demo.msv | cut -f1-4 | respack | consume unknown
    grep -v '^##' demo.msv | cut -f1-4 | respack | respack -O tsv | consume unknown
    grep -v '^##' demo.msv | cut -f1-4 | respack --shards 2 -o parts
    cat parts-*-of-00002 | consume unknown
    rm parts-*-of-00002
    cut -f1-4 demo.msv | respack | respack --shards 2 -o parts
    cat parts-*-of-00002 | consume unknown
}

@test "what is known stays known: packed and back, sorted, with rows taken out, with notes, joined" {
    respack -O packed demo.msv | consume known
    respack -O packed demo.msv | respack -O tsv | consume known
    msvfilt -O packed m.hmm demo.fa | vitfilt m.hmm | fwdscore -O packed m.hmm | consume known
    respack demo.fa | consume known
    msvfilt -f name,seq,desc m.hmm demo.fa | respack | consume known
    msvfilt -f name,seq,desc m.hmm demo.fa | respack | respack | consume known # packed again
    msvfilt -f name,seq,desc m.hmm demo.fa | respack | respack -O tsv | respack | consume known
    LC_ALL=C sort demo.msv | consume known
    awk '{ print } NR == 1 { print "##in=7 residues=9, a note" }' demo.msv | consume known
    cat first.msv second.msv | consume known
    cat first.msv <(msvfilt --no-provenance m.hmm second.fa) | consume known
    cat <(msvfilt --no-provenance m.hmm first.fa) second.msv | consume known
    cat first.msv <(msvfilt --header none m.hmm second.fa) | consume known
    cat <(msvfilt -O packed m.hmm first.fa) <(msvfilt -O packed m.hmm second.fa) | consume known
    awk -F '\t' '/^#/ || $5 == "Pkinase"' demo.msv | consume known
}

@test "one table without a size takes it from all that it is joined with" {
    local bare=without
    grep -v '^##' second.msv >$bare
    cat first.msv $bare | consume unknown
    cat $bare first.msv | consume unknown
    cat first.msv <(grep -v '^##' second.msv | sed 1d) | consume unknown # rows alone behind the end
    { head -2 demo.msv; tail -n +3 demo.msv | sort; } | consume unknown # warpsieve-tsv(5) says how to sort
    cat <(respack -O packed first.msv) <(respack -O packed $bare) | consume unknown
    cat <(respack first.fa) <(cut -f1-4 $bare | respack) | consume unknown
    run --separate-stderr domscore m.hmm first.msv $bare
    [ "$status" -eq 1 ]
    [[ $stderr =~ 'does not say how many sequences' ]]
}

@test "the end of a sorted table counts its own rows, and none that were joined with it" {
    grep -v '^##' second.msv >bare
    for t in domscore 'hmmsieve -o /dev/null'; do
        for joined in 'sort first.msv; grep -v "^#" bare' 'cat first.msv bare | sort -u'; do
            run --separate-stderr $t m.hmm <(eval "$joined")
            [ "$status" -eq 1 ] || fail "$t took rows of no end: $joined"
            [[ $stderr =~ '##end lines say '[0-9]+' rows, but it has '[0-9]+ ]] || fail "$stderr"
        done
    done
    sort first.msv second.msv | consume known
    cat <(sort first.msv) second.msv | consume known
    LC_ALL=C sort demo.msv | awk '/^#/ || NR % 2' >half
    domscore -f name,evalue m.hmm half >/dev/null
}

@test "--allow-cut gives no size of what is left: cut lines and a silent pipe take it from all" {
    local cut
    for cut in 10 "$(head -1 first.msv | wc -c)" "$(head -2 first.msv | wc -c)"; do
        run --separate-stderr domscore --allow-cut -f $evalues m.hmm <(head -c "$cut" first.msv; cat second.msv)
        [ "$status" -eq 1 ] || fail "$cut bytes before another table: $status"
        [[ $stderr =~ 'does not say how many sequences' ]] || fail "$stderr"
    done
    run --separate-stderr domscore --allow-cut -f $evalues m.hmm <(sort first.msv; grep -v '^#' second.msv)
    [ "$status" -eq 1 ]
    [[ $stderr =~ 'does not say how many sequences' ]] || fail "$stderr"
    run --separate-stderr domscore --allow-cut -f $evalues m.hmm <(true) second.msv
    [ "$status" -eq 1 ]
    [[ $stderr =~ 'does not say how many sequences' ]] || fail "$stderr"
    same want.rows <(domscore --allow-cut -f $evalues m.hmm demo.msv | grep -v '^#' | sort)
}

@test "ends that come twice, and lines that were forged, are refused" {
    local end
    end=$(tail -1 demo.msv)
    for t in domscore 'hmmsieve -o /dev/null' vitfilt; do
        run --separate-stderr $t m.hmm <(cat demo.msv <(echo "$end"))
        [ "$status" -eq 1 ] || fail "$t took an end twice"
        [[ $stderr =~ 'another ##end line'.*'a table before it' ]] || fail "$stderr"
        run --separate-stderr $t m.hmm <(LC_ALL=C sort demo.msv | sed "1s/.*/&\n&/")
        [ "$status" -eq 1 ] || fail "$t took a sorted end twice"
        [[ $stderr =~ 'found 2 ##end lines, expected 1' ]] || fail "$stderr"
        for line in '##warpsieve' '##warpsieve pg=0' '##warpsieve pg=01 prog=x' '##warpsieve prog=x pg=1' \
            '##warpsieve pg=2 prog=x model=' \
            '##warpsieve pg=2 prog=x args=x' \
            '##warpsieve pg=2 prog=x args="x" and more'; do
            run --separate-stderr $t m.hmm <(sed "2s/^/$line\n/" demo.msv)
            [ "$status" -eq 1 ] || fail "$t took $line"
            [[ $stderr =~ 'line 2: found "##warpsieve'.*'expected ##warpsieve pg=N' ]] || fail "$stderr"
        done
    done
    sed 's/in=400/in=4/' demo.msv >forged # a number that may be true is taken: nothing can contradict it
    domscore -f name,evalue m.hmm forged >/dev/null
}

@test "words of options and names are no part of the ledger" {
    sed 's/^NAME .*/NAME  x(xxh3:0000000000000000)--watson/' m.hmm >odd.hmm
    msvfilt odd.hmm demo.fa | vitfilt odd.hmm | fwdscore odd.hmm | domscore -f $evalues odd.hmm | grep -v '^#' | sort >got
    same want.rows got
    # the hash of the models is that of the field, not one in the arguments
    sed '1s/args="[^"]*"/args="model=m(xxh3:0000000000000000)"/' demo.msv | consume known
    run --separate-stderr vitfilt m.hmm <(sed '1s/(xxh3:[0-9a-f]*)/(xxh3:0000000000000000)/' demo.msv)
    [ "$status" -eq 1 ]
    [[ $stderr =~ 'another model file, xxh3:0000000000000000' ]] || fail "$stderr"
}

@test "sequences are their own database; queries of sequences meet the same rules" {
    for f in demo.fa demo.wsp demo.fa.gz; do consume known <$f; done
    for t in seqsieve 'jacksieve -N 2'; do
        $t --EmN 20 --EvN 20 --EfN 50 -o /dev/null --tblout want.q query.fa demo.fa
        grep -v '^##' demo.msv | cut -f1-4 >seqs.tsv
        local s=0
        $t --EmN 20 --EvN 20 --EfN 50 -o /dev/null --tblout got.q query.fa seqs.tsv 2>err || s=$?
        [ "$s" -eq 1 ] || fail "$t: status $s"
        grep -q 'does not say how many sequences.*give -Z N' err || fail "$(cat err)"
    done
}

@test "tables of windows, of earlier versions, are refused with the program that has their answer" {
    for t in msvfilt domscore 'hmmsieve -o /dev/null'; do
        run --separate-stderr $t m.hmm <(awk '/^##end/ { print "##record\tchr1\t100\t1" } { print }' demo.msv)
        [ "$status" -eq 1 ] || fail "$t: status $status"
        [[ $stderr =~ '##record'.*'nhmmsieve MODELS GENOME' ]] || fail "$stderr"
    done
    for t in ssvfilt msvfilt vitfilt fwdscore; do
        run --separate-stderr $t --long m.hmm demo.fa
        refused 2 'no --long.*nhmmsieve MODELS GENOME'
    done
}
