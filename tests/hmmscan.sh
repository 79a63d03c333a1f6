#!/bin/sh
# SPDX-License-Identifier: MIT
# hmmsieve --scan against hmmscan, byte for byte:  sh tests/hmmscan.sh MODELS SEQUENCES RUNS [SEED [PER_RUN]]
# Each run takes PER_RUN random sequences (25) and random options, and compares report and tables. MODELS is a HMMER3 file,
# SEQUENCES is FASTA, plain or gzip. HMMER's programs come from PATH. Says what was compared; status 1 if anything differs.
set -eu
[ $# -ge 3 ] || { echo "usage: hmmscan.sh MODELS SEQUENCES RUNS [SEED [PER_RUN]]" >&2; exit 2; }
models=$1 sequences=$2 runs=$3 seed=${4:-1} n=${5:-25}
PATH=${WARPSIEVE_BIN:-$(dirname "$0")/../bin}:$PATH
export LC_ALL=C
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
hmmconvert "$models" >"$tmp/m.hmm"
hmmpress "$tmp/m.hmm" >/dev/null
respack -O fasta "$sequences" | awk '/^>/ { printf "%s%s\n", n++ ? "\n" : "", $0; next } { printf "%s", $0 } END { print "" }' |
    paste - - >"$tmp/all"
table() { sed '/^# Program:/,$d' "$1"; }
report() { sed -n '/^Query:/,$p' "$1" | grep -v '^# CPU time\|^# Mc/sec'; }

i=0 rows=0
while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    awk -v seed=$((seed * 1000 + i)) -v n="$n" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' "$tmp/all" | sort -g |
        head -n "$n" | cut -f 2- | tr '\t' '\n' >"$tmp/q.fa"
    options=$(awk -v seed=$((seed * 1000 + i)) '
        function one(list, a, k) { k = split(list, a, "|"); return " " a[1 + int(rand() * k)] }
        BEGIN {
            srand(seed)
            if (rand() < 0.25) o = one("--cut_ga|--cut_tc|--cut_nc")
            else {
                if (rand() < 0.5) o = o one("-E 1e-3|-E 1000|-T 5|-T 20")
                if (rand() < 0.4) o = o one("--domE 1e-5|--domE 100|--domT 0|--domT 15")
                if (rand() < 0.4) o = o one("--incE 1e-10|--incE 1|--incT 10|--incT 30")
                if (rand() < 0.3) o = o one("--incdomE 1e-8|--incdomE 5|--incdomT 12")
            }
            if (rand() < 0.3) o = o one("-Z 1|-Z 45000|-Z 1e6")
            if (rand() < 0.3) o = o one("--domZ 1|--domZ 1000")
            if (rand() < 0.1) o = o " --max"
            else if (rand() < 0.3) o = o one("--nobias|--F1 0.1|--F2 0.1|--F3 0.01|--F1 0.5 --F2 0.1 --F3 0.01")
            if (rand() < 0.3) o = o one("--noali|--notextw|--textw 150|--textw 500")
            if (rand() < 0.3) o = o " --acc"
            if (rand() < 0.2) o = o " --nonull2"
            if (rand() < 0.2) o = o " --seed 7"
            print o
        }')
    block=$(awk -v seed=$((seed * 1000 + i)) 'BEGIN { srand(seed); print 1 + int(exp(rand() * 12)) }')
    # shellcheck disable=SC2086 # words
    hmmscan --cpu 0 $options --tblout "$tmp/h.tbl" --domtblout "$tmp/h.dom" --pfamtblout "$tmp/h.pfam" -o "$tmp/h.out" \
        "$tmp/m.hmm" "$tmp/q.fa" 2>"$tmp/h.err" && failed=0 || failed=1
    # shellcheck disable=SC2086
    hmmsieve --scan -K "$block" $options --tblout "$tmp/w.tbl" --domtblout "$tmp/w.dom" --pfamtblout "$tmp/w.pfam" \
        -o "$tmp/w.out" "$tmp/m.hmm" "$tmp/q.fa" 2>"$tmp/w.err" && ours=0 || ours=1
    [ $failed -eq $ours ] || { cat "$tmp/h.err" "$tmp/w.err"; echo "DIFFERENT: run $i: status, options$options"; exit 1; }
    [ $failed -eq 0 ] || continue # a model without the cutoff
    for t in tbl dom pfam; do
        table "$tmp/h.$t" >"$tmp/want"
        table "$tmp/w.$t" | diff "$tmp/want" - >"$tmp/diff" ||
            { head -10 "$tmp/diff"; echo "DIFFERENT: run $i: $t, options$options, -K $block"; exit 1; }
    done
    report "$tmp/h.out" >"$tmp/want"
    report "$tmp/w.out" | diff "$tmp/want" - >"$tmp/diff" ||
        { head -10 "$tmp/diff"; echo "DIFFERENT: run $i: report, options$options, -K $block"; exit 1; }
    rows=$((rows + $(grep -vc '^#' "$tmp/w.dom" || true)))
done
echo "equal: $runs searches of $n sequences with $(grep -c '^NAME' "$tmp/m.hmm") models, $rows domains"
