#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults of a device, one tool: each kind of tests/fault/cuda.cu at every STEP-th place. With a real device the
# rows are compared with those of scalar first, and a kernel that traps is among the faults.
# With WS_FAULT_DEVICE, of DEVICES one fails, and the others do its work.
#   tests/fault/device.sh FOLDER TOOL STEP [THREADS [DEVICES]]     FOLDER: where the tools with the faults are; data go to the current one
set -eu
faulty=$1 tool=$2 step=$3 threads=${4:-1} devices=${5:-0}
quiet=-q
[ -z "${WS_FAULT_DEVICE:-}" ] || quiet= # the note of a lost device is looked at
top=$(cd "$(dirname "$0")/../.." && pwd)
form=tsv

case $tool in
pairhmm)
    gzip -dc "$top/tests/data/pairhmm/tiny.in.gz" >regions
    set -- -t "$threads" -K 8000 regions
    ;;
mrfseg)
    gzip -dc "$top/tests/data/golden/mrf/slab.nii.gz" >volume
    set -- -t "$threads" --classes 4 --sweeps 3 volume
    [ -z "${WS_FAULT_DEVICE:-}" ] || set -- "$@" volume # each is a call
    ;;
papara-score)
    set -- -j "$threads" -K 1500 "$top/tests/data/papara/vag40/ref.phy" "$top/tests/data/papara/vag40/ref.nwk" \
        "$top/tests/data/papara/vag40/reads.fasta"
    ;;
hmmcast)
    gzip -dc "$top/tests/data/demo.fa.gz" | awk '/^>/ { n++ } n > 6 { exit } { print }' >sequences
    set -- --no-provenance --amino --informat fasta --EmN 5 --EvN 5 --EfN 12 -t "$threads" -K 1000 sequences
    form=models
    ;;
nhmmsieve)
    gzip -dc "$top/tests/data/golden/dna-models/MADE1.hmm.gz" >models
    gzip -dc "$top/tests/data/golden/long-targets/inputs/dna_target.fa.gz" | head -c 60000 >genome
    set -- -t "$threads" -K 30000 -E 1000 models genome
    ;;
seqsieve | jacksieve) # queries are made into models before a device is opened
    gzip -dc "$top/tests/data/demo.fa.gz" | awk '/^>/ { n++ } n > 2 { exit } { print }' >queries
    gzip -dc "$top/tests/data/demo.fa.gz" | awk '/^>/ { n++ } n > 40 { exit } { print }' >sequences
    set -- $quiet -O tsv --EmN 5 --EvN 5 --EfN 30 -t "$threads" -K 3000 queries sequences
    [ "$tool" != jacksieve ] || { set -- -N 2 "$@"; }
    form=lines
    ;;
*) # a filter, or hmmsieve, which writes without E-values what was found when a stage failed
    cat "$top/tests/data/globins4.hmm" "$top/tests/data/demo.hmm" "$top/tests/data/fn3.hmm" >models
    gzip -dc "$top/tests/data/demo.fa.gz" | awk '/^>/ { n++ } n > 40 { exit } { print }' >sequences
    set -- -a -t "$threads" -K 3000 models sequences
    [ "$tool" != hmmsieve ] || { shift && set -- -O tsv "$@" && form=lines; }
    ;;
esac

every() { # KIND STEP ARGUMENT...
    kind=$1 by=$2
    shift 2
    python3 "$top/tests/fault/drive.py" - "$kind" 1 100000 "$by" $form stdout -- "$faulty/$tool" --backend cuda --device "$devices" "$@"
}

if [ -z "${WS_FAULT_FAKE:-}" ]; then
    "$faulty/$tool" --backend scalar "$@" >scalar
    "$faulty/$tool" --backend cuda --device "$devices" "$@" >device
    cmp scalar device
    every trap "$step" "$@"
fi
every device-memory,pinned,lost,launch "$step" "$@"
every gone,call $((7 * step)) "$@"
[ -z "${WS_FAULT_DEVICE:-}" ] || every choice,context $((2 * step)) "$@"
# a fake device lets nothing pass its filters, so the domain stage comes first; its many calls are alike
[ "$tool" = hmmsieve ] || exit 0
if [ -n "${WS_FAULT_FAKE:-}" ] && [ "${WARPSIEVE_TESTS:-quick}" = quick ]; then # whose kernels of that stage are slow
    awk '/^>/ { n++ } n > 8 { exit } { print }' sequences >few
    mv few sequences
fi
kinds=device-memory,pinned,lost,launch,gone,call
[ -z "${WS_FAULT_DEVICE:-}" ] || kinds=lost,gone
every $kinds $((5 * step)) --max "$@"
