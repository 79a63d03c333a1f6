#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares tables with packed pairs between the stages, on a machine with a device.
#   bench/run/pairs.sh MODELS PROTEOME [TIMES [BACKEND]]
# MODELS: the 1,200 first models of gecco/hmmer/Pfam.h3m (PyPI wheel gecco-tool 0.9.10), as text or binary. PROTEOME:
# FASTA, plain or gzip, which is packed TIMES over (20). Prints seconds of wall and processor time, each run three times
# in turns, and the bytes between the stages; fails if the two chains do not give the same table.
set -eu
models=$1 proteome=$2 times=${3:-20} backend=${4:-cuda}
here=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$here/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for ((i = 0; i < times; i++)); do respack "$proteome"; done >"$work/db.wsp"
TIMEFORMAT='%R s, processor %U + %S'
chain() { # chain FORMAT OUTPUT
    msvfilt --backend "$backend" -O "$1" "$models" "$work/db.wsp" | vitfilt --backend "$backend" -O "$1" "$models" |
        fwdscore --backend "$backend" -O "$1" -o "$2" "$models"
}
for turn in 1 2 3; do
    for o in ids tsv packed; do
        printf 'turn %d, msvfilt -O %s: ' "$turn" "$o"
        time msvfilt --backend "$backend" -O "$o" -o "$work/msv.$o" "$models" "$work/db.wsp"
    done
    for o in tsv packed; do
        printf 'turn %d, the chain by %s: ' "$turn" "$o"
        time chain "$o" "$work/fwd.$o"
    done
done
wc -c "$work"/msv.* "$work"/fwd.*
respack -O tsv "$work/msv.packed" | cmp - "$work/msv.tsv"
respack -O tsv "$work/fwd.packed" | cmp - "$work/fwd.tsv"
echo "the same tables"
