#!/bin/sh
# SPDX-License-Identifier: MIT
# The chain of filters beside hmmsearch, and reading beside cat, in one run on one machine:
#   bench/run/process.sh YEAST.fa[.gz] ECOLI.fa[.gz] MODELDIR MANY.hmm[.gz] > bench/data/chain-NAME.tsv
# Each line has two times in seconds, the least of three: that of the peer and that of warpsieve. For one model they are
# processor seconds (user and system, of every process of a pipe), else seconds by the clock.
set -eu
yeast=$1 ecoli=$2 models=$3 many=$4
top=$(cd "$(dirname "$0")/../.." && pwd)
bin=$top/bin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

unzipped() { case $1 in *.gz) zcat "$1" ;; *) cat "$1" ;; esac; }
unzipped "$yeast" >"$tmp/yeast.fa"
unzipped "$ecoli" >"$tmp/ecoli.fa"
unzipped "$many" >"$tmp/many.hmm"
for _ in $(seq 1 26); do cat "$tmp/yeast.fa"; done >"$tmp/db.fa"
"$bin/respack" -o "$tmp/db.wsp" "$tmp/db.fa"

# seconds COMMAND: processor and wall seconds of a shell command, the least of three, into $cpu and $wall
seconds() {
    cpu=999999 wall=999999
    for _ in 1 2 3; do
        /bin/bash -c 'TIMEFORMAT="%U %S %R"; time bash -c "$1" >/dev/null' time "$1" 2>"$tmp/time"
        cpu=$(tail -1 "$tmp/time" | awk -v best="$cpu" '{ s = $1 + $2; print s < best ? s : best }')
        wall=$(tail -1 "$tmp/time" | awk -v best="$wall" '{ print $3 < best ? $3 : best }')
    done
}
row() { printf '%s\t%s\t%s\t%s\n' "$@"; }

echo "# $(date +%Y-%m-%d), commit $(git -C "$top" rev-parse --short HEAD 2>/dev/null || echo unknown)," \
    "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) cores," \
    "$("$bin/msvfilt" --list-backends | awk '$2=="yes"{print $1; exit}')," \
    "hmmsearch $(hmmsearch -h | sed -n 's/^# HMMER \([^ ]*\).*/\1/p')"
echo "# bench/run/process.sh yeast.fa ecoli.fa models many.hmm; seconds, the least of three"
echo "# db: $(grep -c '>' "$tmp/db.fa") sequences, $(stat -c %s "$tmp/db.fa") bytes of FASTA;" \
    "ecoli: $(grep -c '>' "$tmp/ecoli.fa") sequences; many: $(grep -c ^NAME "$tmp/many.hmm") models"
row '#kind' what peer warpsieve
for f in db.fa db.wsp; do
    seconds "cat $tmp/$f | cat"
    peer=$wall
    seconds "$top/build/bench/run/read < $tmp/$f"
    row 'reading beside cat | cat, one thread, wall' "$f, $(stat -c %s "$tmp/$f") bytes" "$peer" "$wall"
done
for m in globins4 cudampf100 fn3; do
    h="$models/$m.hmm"
    seconds "hmmsearch --cpu 0 --noali -o /dev/null $h $tmp/db.fa"
    peer=$cpu
    seconds "$bin/msvfilt -t 1 $h $tmp/db.fa | $bin/vitfilt -t 1 $h | $bin/fwdscore -t 1 $h"
    row 'three filters beside hmmsearch, one thread each, processor' "$m x db" "$peer" "$cpu"
done
seconds "hmmsearch --cpu 2 --noali -o /dev/null $tmp/many.hmm $tmp/ecoli.fa"
peer=$wall
h="$tmp/many.hmm"
seconds "cat $tmp/ecoli.fa | $bin/msvfilt -t 2 $h | $bin/vitfilt -t 2 $h | $bin/fwdscore -t 2 $h"
row 'three filters beside hmmsearch, two threads each, wall' 'many x ecoli' "$peer" "$wall"
