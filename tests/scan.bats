#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# lib/run and lib/scan as whole programs show them: counts after a cut, the bound of a run, rows that skip a filter.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    msvfilt m.hmm demo.fa >m.1
}
setup() { in_data; }

end_of() { grep '^##end' "$1" | sed 's/rows=[0-9]*/rows=N/'; }

@test "counts after a cut: what the first stage read is unknown, so no stage says it" {
    [ "$(end_of m.1)" = '##end rows=N in=400 residues=165280' ] || fail "$(end_of m.1)"
    vitfilt m.hmm m.1 >whole.2
    [ "$(end_of whole.2)" = "$(end_of m.1)" ]
    grep -v '^##end' m.1 | vitfilt --allow-cut m.hmm >cut.2
    [ "$(end_of cut.2)" = '##end rows=N' ] || fail "after a cut: $(end_of cut.2)"
    fwdscore m.hmm cut.2 >cut.3
    [ "$(end_of cut.3)" = '##end rows=N' ] || fail "two stages after a cut: $(end_of cut.3)"
    grep -v '^##' m.1 | vitfilt m.hmm >bare.2 # no ## line at all
    [ "$(end_of bare.2)" = '##end rows=N' ] || fail "a table without ## lines: $(end_of bare.2)"
}

@test "-T is asked of rows that may skip the Viterbi filter too" {
    [ "$(nrows m.1)" -gt 0 ]
    vitfilt -T 10000 m.hmm m.1 >got
    # inf: the filter's integers end there
    column got vit_bits | awk '$1 != "inf" { print "passed with " $1 " bits"; exit 1 }'
    msvfilt --nobias m.hmm demo.fa >raw.1
    for option in '' --nobias; do # without the bias filter other lines decide
        vitfilt $option -P 1e-3 -T 50 m.hmm raw.1 >some
        [ "$(nrows some)" -gt 0 ]
        column some vit_bits | awk '$1 < 50 { print "passed with " $1 " bits"; exit 1 }' || fail "vitfilt $option"
    done
}

bound_of() { sed -n 's/.*"bound": "\([a-z]*\)".*/\1/p' "$1"; }

@test "the statistics name what a run waited for" {
    { sleep 1; cat small.fa; } | msvfilt -t 1 --stats=input.json -o /dev/null m.hmm
    [ "$(bound_of input.json)" = input ] || fail "a slow producer: $(bound_of input.json)"
    awk '/^>/ { n++ } n > 5 { exit } { print }' demo.fa >few.fa
    fwdscore -a -t 1 --backend scalar --stats=scoring.json -o /dev/null three.hmm few.fa
    [ "$(bound_of scoring.json)" = scoring ] || fail "work for one core: $(bound_of scoring.json)"
    cat demo.fa demo.fa demo.fa demo.fa >many.fa
    respack -t 1 --stats=output.json -O tsv many.fa | { sleep 1; cat >/dev/null; }
    [ "$(bound_of output.json)" = output ] || fail "a slow consumer: $(bound_of output.json)"
}

# Sixty models and a sequence of a million residues: rows of 60 MB in all
wide_data() {
    local i
    for i in $(seq 60); do sed "s/^NAME .*/NAME  copy$i/" m.hmm; done >sixty.hmm
    { echo '>big'; zcat demo.fa.gz | grep -v '>' | tr -d '\n' | awk '{ for (i = 0; i < 7; i++) print }'; } >big.fa
}

# Made models, 31 MB of them for fwdscore, go when others need the room, and are made again for the next batch
@test "models that --mem has no room for: the same rows within the memory" {
    local i tool
    for i in $(seq 600); do sed "s/^NAME .*/NAME  copy$i/" m.hmm; done >many.hmm
    zcat demo.fa.gz | head -40 >few.fa
    gzip -1 <many.hmm >many.hmm.gz
    msvfilt -P 1 -O packed many.hmm few.fa >pairs
    for tool in fwdscore vitfilt; do
        $tool -a -t 2 many.hmm few.fa >want
        $tool -a -t 3 --mem 2M -K 700 many.hmm few.fa >got
        same want got
        $tool -a -t 2 --mem 2M many.hmm.gz few.fa >zipped # cannot be read again, so its models stay
        cmp <(grep -v '^##' want) <(grep -v '^##' zipped)
        $tool -t 2 -P 1 -O packed many.hmm pairs >want
        $tool -t 3 -P 1 -O packed --mem 1M -K 700 many.hmm pairs >got
        same want got
    done
    sanitized && return
    local bounded free
    bounded=$(peak_memory fwdscore -t 2 -a --mem 4M -o limited many.hmm few.fa)
    free=$(peak_memory fwdscore -t 2 -a --mem 1G -o want many.hmm few.fa)
    [ "$bounded" -lt $((free - 15000)) ] || fail "with --mem 4M $bounded kB, with 1G $free kB"
    same want limited
}

@test "models that alone take more than --mem says: the same rows, and a note" {
    printf '# STOCKHOLM 1.0\n#=GF ID x\na AC\nb AC\n//\n' >short.sto
    hmmcast --amino --no-provenance -o short.hmm short.sto
    awk '{ line[NR] = $0 } END { for (n = 0; n < 3000; n++) for (i = 1; i <= NR; i++) print line[i] (i == 2 ? n : "") }' short.hmm >many.hmm
    head -40 demo.fa >few.fa
    noted() { # noted MEGABYTES SIZE COMMAND...
        run -0 --separate-stderr "${@:3}" -o want many.hmm few.fa
        [ -z "$stderr" ] || fail "$stderr"
        run -0 --separate-stderr "${@:3}" --mem "$2" -o got many.hmm few.fa
        told "3000 models alone take $1 MB or more, whatever --mem says" || fail "${*:3}"
        same <(grep -v '^#' want) <(grep -v '^#' got)
    }
    noted 2 1M msvfilt -a
    noted 2 1M hmmsieve --scan -O tsv -f name,query,evalue
    noted 12 10M hmmsieve -O tsv
    run -0 --separate-stderr hmmsieve --mem 20M -o got many.hmm few.fa
    [ -z "$stderr" ] || fail "$stderr"
}

@test "rows that are long, or more than --mem has room for, do not wait" {
    wide_data
    { cat big.fa; cat demo.fa; } >both.fa
    ssvfilt -t 2 -a -U rejected.1 -P 0.5 sixty.hmm both.fa >want
    ssvfilt -t 1 -a -K 100M -U rejected.2 -P 0.5 --mem 1M sixty.hmm both.fa >got
    same want got
    same rejected.1 rejected.2
    [ "$(nrows got)" -eq $((60 * 401)) ]
    ssvfilt -t 3 -P 0.3 -U rejected.3 --mem 1M -K 1M sixty.hmm both.fa >some
    ssvfilt -t 3 -P 0.3 -U rejected.4 -K 10K sixty.hmm both.fa >same.some
    same some same.some
    same rejected.3 rejected.4
    [ "$(nrows some)" -gt 100 ] && [ "$(nrows rejected.3)" -gt 100 ]
    sanitized || (ulimit -v 60000 && ssvfilt -t 1 -a -o limited sixty.hmm big.fa)
    sanitized || [ "$(nrows limited)" -eq 60 ]
}
