#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The faults of faults.bats for the tools that score something else than a sequence and a model: pairhmm, papara-score,
# mrfseg.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    make_shim || return 1
    zcat "$data/pairhmm/tiny.in.gz" >regions
    zcat "$data/pairhmm/pairhmm-testdata.txt.gz" >results
    gzip -c regions >regions.gz
    zcat "$data/golden/mrf/slab.nii.gz" >slab.nii
    cp "$data/golden/mrf/slab.nii.gz" .
    # promises 32,767 volumes
    python3 "$top/tests/mrf.py" make series.nii dims=9,7,5,40 values=0,100,250 noise=60 raw=48:ff7f
    cp "$data/papara/vag40/ref.phy" "$data/papara/vag40/ref.nwk" .
    cp -r "$data/papara/tiny5" .
    head -60 "$data/papara/vag40/reads.fasta" >reads.fasta
    gzip -c reads.fasta >reads.gz
    respack --dna reads.fasta >reads.wsp
}
setup() { in_data; }
teardown() { show_counts; }

pairs() { echo pairhmm "$@"; }
volumes() { echo mrfseg --classes 3 --sweeps 2 "$@"; }
reads() { echo papara-score --quiet "$@" ref.phy ref.nwk; }

# Damages each of the tools' outputs: KIND FIRST LAST STEP.
every_output() {
    local k="$*"
    # shellcheck disable=SC2046,SC2086 # words
    {
        drive $k tsv stdout -- $(pairs -t 1 -K 5000 regions)
        drive $k tsv stdout -- $(pairs -t 3 -K 3000 --raw results)
        drive $k text stdout -- $(pairs -t 2 -K 5000 -O matrix regions)
        drive $k text stdout -- $(pairs -t 2 -K 5000 -O matrix results)
        drive $k tsv stdout -- $(volumes -t 1) slab.nii slab.nii.gz
        drive $k tsv stdout -- $(volumes -t 2 --seed 35,25,0 --boundary --labels labels.nii.gz) slab.nii
        drive $k tsv stdout -- $(reads -j 1 -K 700) reads.fasta
        drive $k tsv stdout yes -- $(reads -j 3 -K 700 --alignment yes --tree tree) reads.fasta
        drive $k tsv stdout -- $(reads -j 2 -K 700 --all-edges --both-strands) reads.fasta
        drive $k text stdout -- $(reads -j 2 -K 700 -O fasta) reads.wsp
        drive $k packed stdout -- $(reads -j 2 -K 700 -O packed) reads.fasta
    }
}

@test "no memory at the n-th allocation" {
    local step=41
    shimmed
    ! full || step=1
    every_output memory 1 20000 $step
    every_output memory-on 1 20000 $((2 * step))
}

@test "a read that fails, an inflater without memory, no file descriptor" {
    local f
    shimmed
    export WS_FAULT_PIECE=3000
    # shellcheck disable=SC2046 # words
    for f in regions regions.gz results; do drive read 1 2000 3 tsv stdout -- $(pairs -t 2 -K 5000) $f; done
    for f in reads.fasta reads.gz reads.wsp; do drive read 1 2000 3 tsv stdout -- $(reads -j 2 -K 700) $f; done
    for f in slab.nii slab.nii.gz; do drive read 1 2000 3 tsv stdout -- $(volumes) $f; done
    drive inflate 1 2000 3 tsv stdout -- $(pairs -t 2 -K 5000) regions.gz
    drive inflate 1 2000 3 tsv stdout -- $(volumes) slab.nii.gz
    drive inflate 1 2000 3 tsv stdout -- $(reads -j 2 -K 700) reads.gz
    drive zinit 1 5 1 tsv stdout -- $(pairs) regions.gz
    drive zinit 1 5 1 tsv stdout -- $(volumes) slab.nii.gz
    drive zinit 1 5 1 tsv stdout -- $(reads) reads.gz
    drive open 1 50 1 tsv stdout -- $(pairs) regions.gz
    drive open 1 50 1 tsv stdout yes -- $(reads --alignment yes) reads.gz
    drive open 1 50 1 tsv stdout -- $(volumes) slab.nii.gz
}

@test "ENOSPC at the n-th write, a disk that fills up, a close that fails" {
    shimmed
    every_output write 1 500 3
    every_output room 0 100000 2777
    every_output close 1 9 1
}

@test "jplace: no half of a document that could be taken for a whole one" {
    local n
    shimmed
    papara-score --quiet -O jplace ref.phy ref.nwk reads.fasta >whole
    python3 -c 'import json; json.load(open("whole"))'
    for n in 1 100 3000 $(($(stat -c %s whole) - 1)); do
        run -1 struck room="$n" papara-score --quiet -O jplace -o part ref.phy ref.nwk reads.fasta
        # shellcheck disable=SC2314 # the last command of the loop's body
        if python3 -c 'import json; json.load(open("part"))' 2>part.err; then fail "$n bytes are a document"; fi
    done
}

@test "short, interrupted and refused reads and writes, no threads: the same bytes" {
    shimmed
    for k in short eintr eagain; do every_output $k - 0 0; done
    # shellcheck disable=SC2046 # words
    drive thread 1 4 1 tsv stdout -- $(pairs -t 4 -K 3000) regions
    drive thread 1 8 1 tsv stdout -- $(volumes -t 4) slab.nii slab.nii.gz
    drive thread 1 4 1 tsv stdout yes -- $(reads -j 4 -K 700 --alignment yes) reads.fasta
    no_harm
}

@test "SIGINT and SIGTERM in mid-stream, a reader that stops" {
    local s seconds=2 tiny="papara-score --quiet tiny5/ref.phy tiny5/ref.nwk -"
    ! full || seconds=60
    # shellcheck disable=SC2046,SC2086 # words
    for s in SIGINT SIGTERM; do
        live signal $s regions -- $(pairs) -
        live signal $s tiny5/reads.fasta -- $tiny
        live signal $s series.nii -- $(volumes) -
    done
    ! sanitized || skip 'a sanitizer keeps memory for itself'
    live stopped $seconds regions -- $(pairs) -
    live stopped $seconds tiny5/reads.fasta -- $tiny
    live stopped $seconds series.nii -- $(volumes) -
}

@test "one byte at a time: each answer within a second, and the same bytes" {
    head -24 reads.fasta >few
    # shellcheck disable=SC2046 # words
    live trickle few -- $(reads) -
}
