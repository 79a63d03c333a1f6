#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Faults of the system struck at every place in turn (tests/fault/): no memory, no thread, reads and writes that fail,
# are short or interrupted, a disk that fills up. Each run ends in time, either as if nothing had been or with status 1,
# one sentence and whole rows that are the beginning of the faultless output. Then interrupts, readers that stop,
# producers that trickle.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    make_data
    make_shim || return 1
    for _ in 1 2 3 4 5 6 7 8; do cat demo.fa; done >big.fa # several blocks of a packed stream
}
setup() { in_data; }
teardown() { show_counts; }

# ---- memory ----

no_memory() {
    local m k step=11 some=9 # the forms begin at other places, so that together they have most
    m=$(model_of "$1")
    ! full || step=1 some=2
    for k in memory memory-on; do
        drive $k 1 5000 $step tsv stdout -- "$1" -a -O tsv -t 1 -K 1000 $m small.fa
        drive $k 1 5000 $some tsv stdout -- "$1" -a -O tsv -t 3 -K 1000 $m small.fa
        drive $k 2 5000 $step text pipe -- "$1" -O fasta -t 1 -K 2000 $m small.fa
        drive $k 3 5000 $some packed stdout -- "$1" -O packed -t 2 -K 2000 $m small.fa
        [ -z "$m" ] || drive $k 5 5000 $some tsv stdout no -- "$1" -U no -t 2 -K 2000 $m small.fa
        [ -z "$m" ] || drive $k 7 5000 $some tsv stdout -- "$1" -a -t 2 -K 2000 three.hmm rows.tsv
    done
}
@test "no memory at the n-th allocation" {
    shimmed
    ssvfilt -a three.hmm small.fa >rows.tsv
    each no_memory $(sequence_tools)
}
@test "no memory between the blocks of a packed stream" {
    shimmed
    drive memory 1 5000 7 packed stdout -- respack -t 2 big.fa
}
@test "respack --shards: no memory, no disk, no file, no descriptor: shards that are cut, or none" {
    local k files='db-00000-of-00003 db-00001-of-00003 db-00002-of-00003'
    shimmed
    for k in 'memory 1 5000 7' 'write 1 500 1' 'room 0 300000 33333' 'read 1 500 3' 'open 1 50 1' 'close 1 9 1'; do
        # shellcheck disable=SC2086 # words
        drive $k packed $files -- respack -t 2 -K 20000 --shards 3 -o db demo.fa
    done
}

# ---- input ----

bad_reads() {
    local m f
    m=$(model_of "$1")
    export WS_FAULT_PIECE=3000
    for f in demo.fa demo.fa.gz demo.wsp; do
        drive read 1 2000 5 tsv stdout -- "$1" -a -O tsv -t 2 -K 5000 $m $f
    done
    drive inflate 1 2000 3 tsv stdout -- "$1" -a -O tsv -t 1 -K 5000 $m demo.fa.gz
    drive zinit 1 5 1 tsv stdout -- "$1" -a -O tsv $m demo.fa.gz
    drive open 1 50 1 tsv stdout -- "$1" -a -O tsv $m demo.fa.gz
}
@test "a read that fails, an inflater without memory, no file descriptor" { shimmed; each bad_reads $(sequence_tools); }

# ---- output ----

bad_writes() {
    local m o
    m=$(model_of "$1")
    drive write 1 500 1 tsv pipe -- "$1" -a -O tsv -t 2 -K 1000 $m small.fa
    for o in tsv fasta packed; do
        drive room 0 60000 1111 ${o/fasta/text} stdout -- "$1" -O $o -t 2 -K 1000 $m small.fa
    done
    [ -z "$m" ] || drive room 0 60000 1111 tsv yes no -- "$1" -o yes -U no -t 2 -K 1000 $m small.fa
    drive close 1 5 1 tsv stdout -- "$1" -a -O tsv $m small.fa
    drive close 1 5 1 tsv file -- "$1" -a -O tsv -o file $m small.fa
}
@test "ENOSPC at the n-th write, a disk that fills up: no half of a row is left in a file" { shimmed; each bad_writes $(sequence_tools); }

# ---- what must do no harm ----

harmless() {
    local m k o
    m=$(model_of "$1")
    for k in short eintr eagain; do
        for o in tsv packed; do
            drive $k - 0 0 $o stdout -- "$1" -O $o -t 2 -K 1000 $m small.fa
        done
        drive $k - 0 0 tsv pipe -- "$1" -a -O tsv -t 2 $m demo.fa.gz
    done
    drive thread 1 4 1 tsv stdout -- "$1" -a -O tsv -t 4 -K 1000 $m small.fa
    no_harm
}
@test "short, interrupted and refused reads and writes, no threads: the same bytes" { shimmed; each harmless $(sequence_tools); }

# ---- domscore, which holds its hits until its input ends ----

with_tables() { # with_tables TOOL FORM INPUT KIND FIRST LAST STEP OPTION...
    drive "${@:4:4}" "$2" stdout got.tbl got.dom got.sto -- \
        "$1" "${@:8}" --tblout got.tbl --domtblout got.dom -A got.sto three.hmm "$3"
}
domains() { with_tables domscore text few.fwd "$@"; } # domains KIND FIRST LAST STEP OPTION...
@test "domscore: no memory, writes that fail, a disk that fills up, no threads" {
    shimmed
    step=31
    ! full || step=1
    ssvfilt -P 0.1 three.hmm small.fa | fwdscore three.hmm >few.fwd
    [ "$(nrows few.fwd)" -gt 3 ]
    domains memory 1 5000 $step -t 1 -K 2000
    domains memory 1 5000 $((3 * step)) -t 3 -K 1000 -O text
    domains memory-on 1 5000 $((3 * step)) -t 2
    domains write 1 100 1 -t 2
    domains room 0 60000 2111 -t 2 -O text
    domains close 1 8 1 -t 2
    drive memory 1 5000 $step text stdout -- domscore -t 1 -O a2m three.hmm few.fwd
    drive memory 1 5000 $step tsv stdout -- domscore -t 2 -K 2000 --stream -Z 40 --domZ 3 three.hmm few.fwd
    show_counts
    domains thread 1 4 1 -t 4
    for k in short eintr eagain; do domains $k - 0 0 -t 2; done
    no_harm
}

# ---- hmmsieve ----

sieve() { with_tables hmmsieve lines small.fa "$@"; } # sieve KIND FIRST LAST STEP OPTION...
@test "hmmsieve: no memory, reads, writes and closing that fail, a disk that fills up, no threads" {
    shimmed
    step=11
    ! full || step=2
    sieve memory 1 5000 $step -t 1
    sieve memory 1 5000 $((3 * step)) -t 2 -K 2000 -O tsv
    sieve memory-on 1 5000 $((3 * step)) -t 2
    sieve read 1 200 1 -t 1
    sieve write 1 100 1 -t 2
    sieve room 0 60000 2111 -t 2
    sieve close 1 8 1 -t 2
    sieve open 1 50 1 -t 1
    drive write 1 50 1 lines got.out -- hmmsieve -t 2 --max -O a2m -o got.out three.hmm small.fa
    show_counts
    sieve thread 1 4 1 -t 4
    for k in short eintr eagain; do sieve $k - 0 0 -t 2; done
    no_harm
}

# The proteins of a file as ORFs of one contig, each behind the other.
as_orfs() { # as_orfs FILE
    awk 'function put() {
            if (n) printf "%s source=c coords=%d..%d length=%d frame=%d desc=\n%s", name, at + 1, at + 3 * n, n, at % 3 + 1, text
            at += 3 * n + 30
        }
        /^>/ { put(); name = $1; text = ""; n = 0; next } { text = text $0 "\n"; n += length($0) } END { put() }' "$1"
}
@test "hmmsieve --orfs --join: no memory, writes that fail, a disk that fills up" {
    shimmed
    step=29
    ! full || step=2
    as_orfs small.fa >orfs.fa
    orfs='hmmsieve --max --orfs --join --join-gap 1000000 -E 1e5 --domE 1e5 three.hmm orfs.fa'
    [ "$($orfs -O gff3 | grep -c 'locus=')" -ge 10 ]
    # shellcheck disable=SC2086 # words
    for t in 1 2; do
        drive memory $t 5000 $step lines stdout -- $orfs -t $t -O tsv
        drive write 1 50 1 lines pipe -- $orfs -t $t -O gff3
    done
    # shellcheck disable=SC2086 # words
    drive room 0 60000 1111 lines stdout -- $orfs -t 2 -O gff3
}

# ---- translation ----

# The proteins of a file as genes of a genome; and a record longer than memory holds, of runs of N between stop codons.
genomes() {
    local stops=TAACTAACTAATTAGTTAGTTA
    [ ! -e long.fa ] || return 0
    python3 "$top/tests/sixframe.py" genes small.fa >genes.fa
    { printf '>long\n%s' $stops; head -c 101000000 /dev/zero | tr '\0' N; printf $stops; grep -v '>' genes.fa; } >long.fa
}
left_nothing() { [ -z "$(ls -A tmp)" ] || fail "left behind: $(ls -A tmp)"; }

@test "sixframe: no memory, reads, writes and closing that fail, a full disk, no threads" {
    local o form k step=11
    shimmed
    ! full || step=1
    genomes
    export WS_FAULT_PIECE=3000
    for o in fasta packed; do
        form=${o/fasta/text}
        drive memory 1 5000 $step $form stdout -- sixframe -t 1 -K 1000 -O $o genes.fa
        drive memory 1 5000 $((3 * step)) $form pipe -- sixframe -t 3 -K 1000 -O $o genes.fa
        drive memory-on 1 5000 $((3 * step)) $form stdout -- sixframe -t 2 -O $o genes.fa
        drive read 1 200 1 $form stdout -- sixframe -t 1 -O $o genes.fa
        drive write 1 200 3 $form pipe -- sixframe -t 2 -K 1000 -O $o genes.fa
        drive room 0 90000 4111 $form stdout -- sixframe -t 2 -K 1000 -O $o genes.fa
        drive room 0 90000 9111 $form file -- sixframe -t 2 -K 1000 -O $o -o file genes.fa
        drive close 1 8 1 $form file -- sixframe -t 2 -O $o -o file genes.fa
        drive open 1 50 1 $form stdout -- sixframe -t 1 -O $o genes.fa
    done
    show_counts
    for o in fasta packed; do
        drive thread 1 4 1 ${o/fasta/text} stdout -- sixframe -t 4 -K 1000 -O $o genes.fa
        for k in short eintr eagain; do drive $k - 0 0 ${o/fasta/text} stdout -- sixframe -t 2 -O $o genes.fa; done
    done
    no_harm
}

@test "hmmsieve and msvfilt --translate: no memory, reads and writes that fail, a full disk, no threads" {
    local k step=23
    shimmed
    ! full || step=2
    genomes
    export WS_FAULT_PIECE=3000
    sieve="hmmsieve --translate -O tsv three.hmm genes.fa"
    filter="msvfilt --translate --no-provenance three.hmm genes.fa"
    # shellcheck disable=SC2086 # words
    {
        for t in 1 2; do
            drive memory 1 5000 $((t * step)) lines stdout -- $sieve -t $t
            drive memory 1 5000 $((t * step)) tsv stdout -- $filter -t $t -K 1000
        done
        drive memory-on 1 5000 $((3 * step)) lines stdout -- $sieve -t 2
        drive read 1 200 3 lines stdout -- $sieve -t 1
        drive read 1 200 3 tsv stdout -- $filter -t 1
        drive write 1 50 1 lines pipe -- $sieve -t 2
        drive write 1 200 3 tsv pipe -- $filter -t 2 -K 1000
        drive room 0 60000 2111 lines stdout -- $sieve -t 2
        drive room 0 60000 2111 tsv got -- $filter -t 2 -K 1000 -o got
        drive close 1 8 1 tsv got -- $filter -t 2 -o got
        show_counts
        for t in "$sieve" "$filter"; do
            drive thread 1 4 1 lines stdout -- $t -t 4
            for k in short eintr eagain; do drive $k - 0 0 lines stdout -- $t -t 2; done
        done
    }
    no_harm
}

# The first N bytes that are written are those of the temporary file, since nothing of the record leaves before its end.
@test "sixframe: a temporary file that cannot be made, written or read, or has no room" {
    local o step=33700000
    shimmed
    ! full || step=4000000
    genomes
    mkdir -p tmp
    export TMPDIR=$PWD/tmp
    for o in fasta packed; do
        drive room 0 67400000 $step ${o/fasta/text} stdout -- sixframe -t 2 -O $o long.fa
        drive write 1 1 1 ${o/fasta/text} stdout -- sixframe -t 2 -O $o long.fa
        left_nothing
    done
    show_counts
    run -1 --separate-stderr struck room=1000 sixframe -o orfs.out long.fa
    told 'cannot write a temporary file in .*/tmp: No space left on device' 'TMPDIR chooses another folder'
    [ ! -s orfs.out ] || fail "$(head -c 300 orfs.out)"
    run -1 --separate-stderr struck pread=7 sixframe -q long.fa
    refused 1 'cannot read a temporary file' 'Input/output error'
    run -1 --separate-stderr env TMPDIR=/nowhere sixframe long.fa
    refused 1 'cannot make a temporary file in /nowhere: No such file'
    left_nothing
}

# The same of the part of the library that cuts, which holds as few bases as it is told.
@test "ORFs of records in a temporary file: no memory, reads and writes that fail, at every place" {
    local t step=9 cut=$top/${B:-build}/tests/lib/translate
    shimmed
    [ "${shim:-}" != - ] && [ -x "$cut" ] || skip 'the test program is not here, or without the faults'
    ! full || step=1
    genomes
    { echo '>few'; echo ACGTA; echo '>in pieces'; for _ in {1..30}; do grep -v '>' genes.fa; done; cat genes.fa; } >pieces.fa
    mkdir -p tmp
    export TMPDIR=$PWD/tmp
    for t in 1 3; do
        drive memory 1 9000 $step text stdout -- "$cut" pieces.fa 1 5000 $t
        drive memory-on 1 9000 $((3 * step)) text stdout -- "$cut" pieces.fa 20000 5000 $t
        drive pread 1 900 $((5 * step)) text stdout -- "$cut" pieces.fa 1 5000 $t
        drive read 1 200 1 text stdout -- "$cut" pieces.fa 20000 5000 $t
        drive room 0 400000 $((3001 * step)) text pipe -- "$cut" pieces.fa 20000 5000 $t
    done
    drive write 1 1 1 text pipe -- "$cut" pieces.fa 1 5000 1
    show_counts
    for t in short eintr eagain; do drive $t - 0 0 text stdout -- "$cut" pieces.fa 1 5000 1; done
    no_harm
    left_nothing
}

# The cause, not what follows from it.
cause() { # cause PATTERN FAULT OPTION...
    local pattern=$1
    shift
    run -1 --separate-stderr struck "$1" hmmsieve "${@:2}" -o got.out three.hmm small.fa
    [[ $stderr =~ ^hmmsieve:\ $pattern$ ]] || fail "$*: $stderr"
}
@test "hmmsieve: the cause of a failure is named once" {
    shimmed
    cause 'cannot write to got.out: No space left on device' write=1 --max
    cause 'cannot write to got.out: No space left on device' room=0 --max -t 1
    cause 'out of memory: [0-9]+ bytes were needed' memory-on=150 -t 1
}

# ---- a living pipeline ----

interrupted() {
    local m s
    m=$(model_of "$1")
    for s in SIGINT SIGTERM; do live signal $s demo.fa -- "$1" -a -O tsv $m -; done
    [ -n "$m" ] || live signal SIGTERM demo.fa -- "$1" -O fasta -
}
@test "SIGINT and SIGTERM in mid-stream: dead within a second, what was written is a beginning of the whole" {
    each interrupted $(sequence_tools)
}

stopped() {
    local m seconds=2
    m=$(model_of "$1")
    ! full || seconds=60
    live stopped $seconds demo.fa -- "$1" -a -O tsv $m -
}
@test "a reader that stops: memory does not grow, and it goes on where it was" {
    ! sanitized || skip 'a sanitizer keeps memory for itself'
    each_at_once stopped $(sequence_tools)
}

# live_translations WHAT ARGUMENT: the same of programs that cut ORFs
live_translations() {
    live "$@" genes.fa -- sixframe -q -O tsv -
    live "$@" genes.fa -- sixframe -q -t 3 -l 5 -
    live "$@" genes.fa -- msvfilt -a --translate -O tsv m.hmm -
}
@test "sixframe and --translate: a signal in mid-stream, a reader that stops" {
    genomes
    live_translations signal SIGTERM
    live_translations signal SIGINT
    ! sanitized || skip 'a sanitizer keeps memory for itself'
    live_translations stopped 1
}

trickle() {
    local m
    m=$(model_of "$1")
    live trickle tiny.fa -- "$1" -a -O tsv $m -
    live trickle rows.tsv -- "$1" -a -O tsv $m -
    [ -z "$m" ] || live trickle many.tsv -- "$1" -a three.hmm -
}
@test "one byte at a time: each answer within a second, rows of one sequence too, and the same bytes" {
    awk '/^>/ { n++ } n > 12 { exit } { print }' demo.fa >tiny.fa
    ssvfilt -a m.hmm tiny.fa >rows.tsv
    ssvfilt -a three.hmm tiny.fa >many.tsv
    each_at_once trickle $(sequence_tools)
}
