#!/bin/sh
# SPDX-License-Identifier: MIT
# nhmmsieve --scan against nhmmscan, report and tables byte for byte:  sh tests/nhmmscan.sh MODELS SEQUENCES RUNS [SEED [PER_RUN]]
# Each run takes PER_RUN random records (20) and random options. MODELS is a HMMER3 file of DNA or RNA models, SEQUENCES is
# FASTA, plain or gzip. HMMER's programs come from PATH. Says what was compared; status 1 if anything differs.
set -eu
[ $# -ge 3 ] || { echo "usage: nhmmscan.sh MODELS SEQUENCES RUNS [SEED [PER_RUN]]" >&2; exit 2; }
models=$1 sequences=$2 runs=$3 seed=${4:-1} n=${5:-20}
PATH=${WARPSIEVE_BIN:-$(dirname "$0")/../bin}:$PATH
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
hmmconvert "$models" >"$tmp/m.hmm"
hmmpress "$tmp/m.hmm" >/dev/null
respack --dna -O fasta "$sequences" | awk '/^>/ { printf "%s%s\n", n++ ? "\n" : "", $0; next } { printf "%s", $0 } END { print "" }' |
    paste - - >"$tmp/all"
table() { sed '/^# Program:/,$d; /^# nhmmscan ::/,/^$/d; /^# CPU time/d; /^# Mc\/sec/d' "$1" | grep -v '^#$' || true; }

i=0 rows=0
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    awk -v seed=$((seed * 1000 + i)) 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$tmp/all" | sort -g |
        head -n "$n" | cut -f 2- | tr '\t' '\n' >"$tmp/q.fa"
    options=$(awk -v seed=$((seed * 1000 + i)) '
        function one(list, a, k) { k = split(list, a, "|"); return " " a[1 + int(rand() * k)] }
        BEGIN {
            srand(seed)
            if (rand() < 0.6) o = o one("-E 1e-3|-E 1000|-E 1e6|-T 5|-T 20")
            if (rand() < 0.3) o = o one("--watson|--crick")
            if (rand() < 0.2) o = o " --max"
            else if (rand() < 0.4) o = o one("--nobias|--F1 0.1|--F2 0.1|--F3 0.01|--F1 0.5 --F2 0.1 --F3 0.01|--B1 50 --B2 100")
            if (rand() < 0.2) o = o " --nonull2"
            if (rand() < 0.2) o = o " --seed 7"
            if (rand() < 0.4) o = o one("--incE 1e-10|--incE 1|--incT 10|--incT 30")
            if (rand() < 0.3) o = o one("--noali|--notextw|--textw 150|--textw 500")
            if (rand() < 0.3) o = o " --acc"
            if (rand() < 0.2) o = o one("-Z 3|--w_length 70|--w_beta 1e-3")
            print o
        }')
    # shellcheck disable=SC2086 # words
    nhmmscan --cpu 0 $options --tblout "$tmp/h.tbl" --dfamtblout "$tmp/h.dfam" -o "$tmp/h.out" "$tmp/m.hmm" "$tmp/q.fa"
    # shellcheck disable=SC2086
    nhmmsieve --scan -K 5000 $options --tblout "$tmp/w.tbl" --dfamtblout "$tmp/w.dfam" -O text -o "$tmp/w.out" "$tmp/m.hmm" "$tmp/q.fa"
    for t in tbl dfam out; do
        table "$tmp/h.$t" >"$tmp/want"
        table "$tmp/w.$t" >"$tmp/got"
        cmp -s "$tmp/want" "$tmp/got" && continue
        diff "$tmp/want" "$tmp/got" | head -10
        echo "DIFFERENT: run $i: $t, options$options"
        exit 1
    done
    rows=$((rows + $(grep -vc '^#' "$tmp/w.tbl" || true)))
done
echo "equal: $runs searches of $n records with $(grep -c '^NAME' "$tmp/m.hmm") models, $rows hits"
