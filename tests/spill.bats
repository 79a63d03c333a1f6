#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hits that take more than an eighth of --mem go to a temporary file: the same bytes, bounded memory, nothing left behind,
# and a sentence where the file cannot be made or written.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    make_data
    # 9,000 hits, whose descriptions make them large
    printf '>q\nMKVLAAGIVGLLLAQPAFAADWTCKNGKWYEGDPNLAKYYREHNC\n' >q.fa
    awk 'BEGIN {
        for (k = 0; k < 100; k++) pad = pad "0123456789"
        for (i = 0; i < 9000; i++) printf ">t%d number %d %s\nMKVLAAGIVG%sLLAQPAFAADWTC%sKNGKWYEG%sAKYYREHNC\n",
            i, i, pad, i % 3 ? "L" : "", i % 5 ? "" : "WW", i % 5 == 1 ? "CCCCC" : "DPNL"
    }' >many.fa
    seqsieve -O tsv -f name,desc,cigar,pp,ali_seq --no-provenance q.fa many.fa >want.tsv
    seqsieve -t 1 -o want.out --tblout want.tbl -A want.sto q.fa many.fa
    make_shim
}
setup() {
    in_data
    rm -rf "${tmp:=$PWD/tmp}"
    mkdir -p "$tmp"
    export TMPDIR=$tmp
}
teardown() { show_counts; }

holds() { # holds PID: a file without a name, in the folder that TMPDIR names
    local f
    for f in /proc/"$1"/fd/*; do
        [[ "$(readlink "$f")" != "$TMPDIR/"*' (deleted)' ]] || return 0
    done
    return 1
}

@test "the same bytes, in every form, with every number of threads" {
    [ "$(nrows want.tsv)" -eq 9000 ]
    for o in '-t 1' '-t 3 -K 10K'; do
        seqsieve $o --mem 1M -O tsv -f name,desc,cigar,pp,ali_seq --no-provenance q.fa many.fa | same want.tsv - || fail "$o"
        seqsieve $o --mem 1M -o got.out --tblout got.tbl -A got.sto q.fa many.fa
        same <(sed 1,/^$/d want.out | sed 's/saved to.*//') <(sed 1,/^$/d got.out | sed 's/saved to.*//')
        same <(sed '/^#$/,$d' want.tbl) <(sed '/^#$/,$d' got.tbl)
        same want.sto got.sto
    done
    jacksieve -N 2 --mem 1M -O tsv -f name,desc,cigar --no-provenance q.fa many.fa >got
    jacksieve -N 2 -O tsv -f name,desc,cigar --no-provenance q.fa many.fa | same got -
    hmmcast --informat fasta q.fa >q.hmm
    hmmsieve -t 1 -A want.sto -o /dev/null q.hmm many.fa
    hmmsieve --mem 1M -A got.sto -o /dev/null q.hmm many.fa
    same want.sto got.sto
    msvfilt q.hmm many.fa | vitfilt q.hmm | fwdscore q.hmm | domscore --mem 1M -O sto q.hmm | grep -v '#=GF AU' |
        same <(grep -v '#=GF AU' want.sto) -
    [ -z "$(ls "$tmp")" ]
}

# 700 targets for a query of 480 residues: the whole query, parts of it, inserts longer than a block of 200 columns, the
# query twice, and what none of them has in common. Their descriptions fill the memory that hits may have.
wide() {
    python3 - <<'PYTHON'
import random
R = random.Random(5)
letters = "ACDEFGHIKLMNPQRSTVWY"
word = lambda n: "".join(R.choice(letters) for _ in range(n))
query = word(480)
changed = lambda s: "".join(R.choice(letters) if R.random() < 0.1 else c for c in s)
with open("wide.query.fa", "w") as f: f.write(f">wide\n{query}\n")
with open("wide.fa", "w") as f:
    for i in range(700):
        a, b = sorted(R.sample(range(481), 2)) if i % 2 else (0, 480)
        a, b = (a, b) if b - a > 60 else (0, 200)
        s = changed(query[a:b])
        if i % 7 == 0: s = s[:len(s) // 2] + word(R.choice((1, 30, 450))) + s[len(s) // 2:]
        if i % 5 == 0: s = s[:len(s) // 3] + s[len(s) // 3 + R.choice((1, 9)):]
        if i % 11 == 0: s += word(20) + changed(query)
        f.write(f">t{i} {word(6000)}\n{s}\n")
PYTHON
}

@test "alignments of several blocks: their pieces stand in a second file" {
    wide
    seqsieve -q --max --pextend 0.98 -A want.sto -o /dev/null wide.query.fa wide.fa
    [ "$(grep -c '^#=GC RF' want.sto)" -gt 20 ] # blocks
    [ "$(grep -c '^#=GC RF  *[.]*$' want.sto)" -gt 10 ] # of inserts alone
    for t in 1 2 7; do
        seqsieve -q --max --pextend 0.98 -t $t --mem 16M -A got.sto -o /dev/null wide.query.fa wide.fa
        same want.sto got.sto
    done
    seqsieve -q --max --notextw -A want.sto -o /dev/null wide.query.fa wide.fa
    seqsieve -q --max --notextw -t 3 --mem 16M -A got.sto -o /dev/null wide.query.fa wide.fa
    same want.sto got.sto
    jacksieve -q -N 2 -A want.sto -o /dev/null wide.query.fa wide.fa
    jacksieve -q -N 2 --mem 16M -A got.sto -o /dev/null wide.query.fa wide.fa
    same want.sto got.sto
    shimmed
    local step=7
    ! full || step=1
    drive write 1 40 $step lines got.sto -- seqsieve -q --mem 16M -t 2 -o /dev/null -A got.sto wide.query.fa wide.fa
    for k in eintr short=10000; do
        drive $k - 0 0 lines got.sto -- seqsieve -q --mem 16M -t 2 -o /dev/null -A got.sto wide.query.fa wide.fa
    done
    [ -z "$(ls "$tmp")" ]
}

@test "long lists: text by all threads, and one query after the other" {
    { printf '>other\nMKVLAAGIVGLLLAQPAFAADWTCKNGKWYEG\n' && cat q.fa && printf '>none\nWWWWCCCCWWWWHHHH\n' &&
        sed s/q/again/ q.fa; } >four.fa
    for o in a3m fasta ids tsv; do
        seqsieve -q -t 1 --no-provenance -O $o four.fa many.fa >want
        [ "$(wc -l <want)" -gt 25000 ]
        seqsieve -q -t 4 --no-provenance -O $o four.fa many.fa | same want - || fail "seqsieve $o"
        jacksieve -q -N 1 -t 1 --no-provenance -O $o four.fa many.fa >want
        jacksieve -q -N 1 -t 4 --mem 1M --no-provenance -O $o four.fa many.fa | same want - || fail "jacksieve $o"
        full || [ $o = a3m ] || [ $o = tsv ] || continue # all forms one by one are a part of make check-full
        awk '/^>/ { n++ } { print > ("one" n ".fa") }' four.fa
        for n in 1 2 3 4; do jacksieve -q -N 1 --no-provenance --header none -O $o one$n.fa many.fa; done |
            same <([ $o = tsv ] && sed 1d want || cat want) - || fail "one by one: $o"
    done
    seqsieve -q -t 1 --incT 90 -o want.split q.fa many.fa
    seqsieve -q -t 4 --mem 1M --incT 90 -o got.split q.fa many.fa
    [ "$(grep -n 'inclusion threshold ---' want.split | cut -d: -f1)" -gt 6500 ]
    same <(sed 1,/^$/d want.split) <(sed 1,/^$/d got.split)
    jacksieve -q -N 2 -t 1 -o want.two --tblout want.tbl -A 'want.%q' --chkali want.chk four.fa many.fa
    jacksieve -q -N 2 -t 4 -o got.two --tblout got.tbl -A 'got.%q' --chkali got.chk four.fa many.fa
    same <(sed '1,/^$/d; s/saved to.*//' want.two) <(sed '1,/^$/d; s/saved to.*//' got.two)
    same <(sed '/^# Program/,$d' want.tbl) <(sed '/^# Program/,$d' got.tbl)
    for f in other q again; do same want.$f got.$f; done
    for n in 1 2; do same want.chk-$n.sto got.chk-$n.sto; done
}

@test "lists of thousands beside others: each in its place, by several threads" {
    head -n 6000 many.fa >some.fa
    for n in 1 2 3; do sed "s/^>q/>q$n/" q.fa; printf '>none%d\nWWWWCCCCWWWWHHHH\n' $n; done >six.fa
    for program in seqsieve 'jacksieve -N 2'; do
        $program -q -t 1 -o want.six --tblout want.tbl -A want.sto six.fa some.fa
        [ "$(grep -vc '^#' want.tbl)" -eq 9000 ]
        for t in 2 5; do
            $program -q -t $t -o got.six --tblout got.tbl -A got.sto six.fa some.fa
            same <(sed '1,/^$/d; s/saved to.*//' want.six) <(sed '1,/^$/d; s/saved to.*//' got.six)
            same <(sed '/^# Program/,$d' want.tbl) <(sed '/^# Program/,$d' got.tbl)
            same want.sto got.sto
        done
    done
}

@test "the file has no name while it is in use, and is gone after the process is killed" {
    mkfifo pipe
    seqsieve --mem 1M -t 1 -O ids q.fa pipe >got 2>said &
    pid=$!
    exec 8>pipe
    cat many.fa many.fa >&8
    for _ in $(seq 300); do ! holds $pid || break; sleep 0.1; done
    holds $pid || fail "no file: $(ls -l /proc/$pid/fd; cat said)"
    [ -z "$(ls "$tmp")" ] || fail "$(ls "$tmp")"
    kill -9 $pid
    wait $pid || true
    exec 8>&-
    [ -z "$(ls "$tmp")" ]
}

@test "without a folder, and on a full disk: status 1 and a sentence" {
    TMPDIR=$tmp/none run -1 --separate-stderr seqsieve --mem 1M -o got q.fa many.fa
    told 'temporary file.* none, which TMPDIR chooses|temporary file.*/none, which TMPDIR' 'No such file'
    run -1 --separate-stderr bash -c 'ulimit -f 1024; "$@"' - seqsieve --mem 1M -O ids -o got q.fa many.fa
    told 'cannot write hits to a temporary file in .*/tmp, which TMPDIR chooses' 'File too large'
    TMPDIR=$tmp/none seqsieve --mem 1G -O tsv -f name,desc,cigar,pp,ali_seq --no-provenance q.fa many.fa | same want.tsv -
}

@test "writes of the file that fail, are short or interrupted" {
    shimmed
    local step=6
    ! full || step=1
    drive write 1 100 $step lines got.tbl -- seqsieve --mem 1M -t 2 -o /dev/null --tblout got.tbl q.fa many.fa
    drive room 0 9000000 1111111 lines got.tbl -- seqsieve --mem 1M -t 2 -o /dev/null --tblout got.tbl q.fa many.fa
    show_counts
    for k in eintr eagain short=100000; do
        drive $k - 0 0 lines got.tbl -- seqsieve --mem 1M -t 2 -o /dev/null --tblout got.tbl q.fa many.fa
    done
    no_harm
}

@test "memory stays bounded" {
    ! sanitized || skip 'a sanitizer keeps memory for itself'
    [ "$(ulimit -d)" = unlimited ] || skip 'there is a limit on data already'
    awk 'BEGIN { # 400 MB of hits
        for (k = 0; k < 2000; k++) pad = pad "0123456789"
        for (i = 0; i < 20000; i++) printf ">t%d %s\nMKVLAAGIVGLLAQPAFAADWTCKNGKWYEGDPNLAKYYREHNC\n", i, pad
    }' >long.fa
    limited() { bash -c 'ulimit -d 330000; "$@"' - seqsieve -K 100K -t 1 -O ids -o got "$@" q.fa long.fa; }
    run -1 --separate-stderr limited
    told 'out of memory'
    limited --mem 1M
    [ "$(wc -l <got)" -eq 20000 ]
    rm long.fa
}
