#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole processes against Debian's hmmsearch, and reading against cat, in one run on one machine. Writes a table in Markdown.
#   bench/process.sh YEAST.fa[.gz] ECOLI.fa[.gz] MODELDIR MANY.hmm[.gz] > bench/cpu-DATE.md
# Seconds are processor seconds (user + sys of every process of a pipe) unless "wall" is said; best of three.
set -eu
yeast=$1 ecoli=$2 models=$3 many=$4
bin=$(cd "$(dirname "$0")/../bin" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

unzipped() { case $1 in *.gz) zcat "$1" ;; *) cat "$1" ;; esac; }
unzipped "$yeast" >"$tmp/yeast.fa"
unzipped "$ecoli" >"$tmp/ecoli.fa"
unzipped "$many" >"$tmp/many.hmm"
for _ in $(seq 1 26); do cat "$tmp/yeast.fa"; done >"$tmp/db.fa"
"$bin/respack" -o "$tmp/db.wsp" "$tmp/db.fa"

# seconds WHAT COMMAND: processor and wall seconds of a shell command, best of three, into $cpu and $wall
seconds() {
    cpu=999999 wall=999999
    for _ in 1 2 3; do
        /bin/bash -c 'TIMEFORMAT="%U %S %R"; time bash -c "$1" >/dev/null' time "$1" 2>"$tmp/time"
        c=$(tail -1 "$tmp/time" | awk '{print $1 + $2}')
        w=$(tail -1 "$tmp/time" | awk '{print $3}')
        cpu=$(echo "$cpu $c" | awk '{print ($1 < $2 ? $1 : $2)}')
        wall=$(echo "$wall $w" | awk '{print ($1 < $2 ? $1 : $2)}')
    done
}
ratio() { echo "$1 $2" | awk '{printf "%.2f", ($2 > 0 ? $1 / $2 : 0)}'; }
rate() { stat -c %s "$1" | awk -v s="$2" '{printf "%.2f", (s > 0 ? $1 / s / 1e9 : 0)}'; }

echo "# Whole processes on a CPU"
echo
echo "$(date +%Y-%m-%d), commit $(git -C "$bin/.." rev-parse --short HEAD 2>/dev/null || echo unknown)," \
    "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) cores," \
    "$("$bin/msvfilt" --list-backends | awk '$2=="yes"{print $1; exit}')," \
    "hmmsearch $(hmmsearch -h | sed -n 's/^# HMMER \([^ ]*\).*/\1/p')"
echo "Command: \`bench/process.sh yeast.fa ecoli.fa models many.hmm\`"
echo
echo "## Reading (one thread, wall seconds)"
echo
echo "| what | GB/s | share of the speed of \`cat FILE \| cat > /dev/null\` |"
echo "|---|---|---|"
for f in db.fa db.wsp; do
    seconds "cat $tmp/$f | cat > /dev/null"
    base=$wall
    seconds "$bin/../build/bench/read < $tmp/$f"
    echo "| $f parsed, digitised and packed from standard input | $(rate "$tmp/$f" "$wall") | $(ratio "$base" "$wall") |"
done
echo
echo "## One model: msvfilt, vitfilt and fwdscore with -t 1"
echo
echo "$(grep -c '>' "$tmp/db.fa") sequences, $(stat -c %s "$tmp/db.fa") bytes of FASTA."
echo
echo "| model | hmmsearch --cpu 0 --noali | chain | times less |"
echo "|---|---|---|---|"
for m in globins4 cudampf100 fn3; do
    h="$models/$m.hmm"
    seconds "hmmsearch --cpu 0 --noali -o /dev/null $h $tmp/db.fa"
    theirs=$cpu
    seconds "$bin/msvfilt -t 1 $h $tmp/db.fa | $bin/vitfilt -t 1 $h | $bin/fwdscore -t 1 $h"
    echo "| $m | $theirs | $cpu | $(ratio "$theirs" "$cpu") |"
done
echo
echo "## With hmmsearch on the survivors (its domain stage is not accelerated), $(grep -c '>' "$tmp/yeast.fa") sequences"
echo
echo "| model | plain hmmsearch | chain | hmmsearch on the survivors | times less in all |"
echo "|---|---|---|---|---|"
n=$(grep -c '>' "$tmp/yeast.fa")
for m in globins4 cudampf400 cudampf1001; do
    h="$models/$m.hmm"
    seconds "hmmsearch --cpu 0 --noali -o /dev/null $h $tmp/yeast.fa"
    theirs=$cpu
    seconds "$bin/msvfilt -t 1 $h $tmp/yeast.fa | $bin/vitfilt -t 1 $h | $bin/fwdscore -t 1 -O fasta $h > $tmp/left.fa"
    chain=$cpu
    rest=0
    if [ -s "$tmp/left.fa" ]; then
        seconds "hmmsearch -Z $n --cpu 0 --noali -o /dev/null $h $tmp/left.fa"
        rest=$cpu
    fi
    echo "| $m | $theirs | $chain | $rest | $(echo "$theirs $chain $rest" | awk '{printf "%.2f", $1 / ($2 + $3)}') |"
done
echo
echo "## Many models in one pass from a pipe (wall seconds, two threads)"
echo
echo "$(grep -c ^NAME "$tmp/many.hmm") models, $(grep -c '>' "$tmp/ecoli.fa") sequences."
seconds "hmmsearch --cpu 2 --noali -o /dev/null $tmp/many.hmm $tmp/ecoli.fa"
theirs=$wall
many="$tmp/many.hmm"
seconds "cat $tmp/ecoli.fa | $bin/msvfilt -t 2 $many | $bin/vitfilt -t 2 $many | $bin/fwdscore -t 2 $many"
ours=$wall
"$bin/msvfilt" -t 2 --stats="$tmp/stats.json" "$tmp/many.hmm" "$tmp/ecoli.fa" >/dev/null
load=$(sed -n 's/.*"open_seconds": \([0-9.]*\).*/\1/p' "$tmp/stats.json")
echo "hmmsearch --cpu 2: $theirs; the chain with -t 2: $ours, $(ratio "$theirs" "$ours") times less;" \
    "loading and preparing the models: $load ($(echo "$load $ours" | awk '{printf "%.0f", 100 * $1 / $2}') % of the chain)"
