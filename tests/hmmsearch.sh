#!/bin/sh
# SPDX-License-Identifier: MIT
# The chain against the real thing:  sh tests/hmmsearch.sh MODELS SEQUENCES
#   (a) how many sequences pass each filter, for every model: hmmsearch's own counts and our survivors
#   (b) hmmsearch on our survivors, with -Z of the whole, and hmmsearch on everything: the same tables of targets and domains
# SEQUENCES is FASTA, plain or gzip. Says what was compared; status 1 if anything differs.
set -eu
[ $# -eq 2 ] || { echo "usage: hmmsearch.sh MODELS SEQUENCES" >&2; exit 2; }
models=$1 sequences=$2
PATH=${WARPSIEVE_BIN:-$(dirname "$0")/../bin}:$PATH
export LC_ALL=C
command -v hmmsearch >/dev/null || { echo "hmmsearch is not installed" >&2; exit 2; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
what="$(basename "$models") against $(basename "$sequences")"
differs() { echo "DIFFERENT: $what: $1"; exit 1; }

respack -O fasta "$sequences" >"$tmp/all.fa"
case $models in *.gz) zcat "$models" >"$tmp/models.hmm" ;; *) cp "$models" "$tmp/models.hmm" ;; esac
n=$(grep -c '^>' "$tmp/all.fa")
nmodel=$(grep -c '^NAME ' "$tmp/models.hmm")

# ---- what hmmsearch says ----
hmmsearch --noali --tblout "$tmp/want.tbl" --domtblout "$tmp/want.dom" "$tmp/models.hmm" "$tmp/all.fa" >"$tmp/want.out"
awk '/^Query:/ { name = $2 }
    /^Passed (MSV|bias|Vit|Fwd) filter:/ { n[$2] = $4 }
    /^Passed Fwd filter:/ { print name, n["MSV"], n["bias"], n["Vit"], n["Fwd"] }' "$tmp/want.out" >"$tmp/want"

# ---- what we say: from a pipe, all models in one pass ----
gzip -1 -c "$tmp/all.fa" >"$tmp/all.fa.gz"
count() { awk -F '\t' '!/^#/ { n[$NF]++ } END { for (q in n) print q, n[q] }' | sort; }
zcat "$tmp/all.fa.gz" | msvfilt --nobias -f query "$tmp/models.hmm" | count >"$tmp/n1"
zcat "$tmp/all.fa.gz" | msvfilt "$tmp/models.hmm" >"$tmp/2.tsv"
vitfilt "$tmp/models.hmm" "$tmp/2.tsv" >"$tmp/3.tsv"
fwdscore -Z "$n" "$tmp/models.hmm" "$tmp/3.tsv" >"$tmp/4.tsv"
i=2
while [ $i -le 4 ]; do
    awk -F '\t' '/^##/ { next } /^#/ { for (i = 1; i <= NF; i++) if ($i == "query") q = i; next } { print $q }' "$tmp/$i.tsv" |
        count >"$tmp/n$i"
    i=$((i + 1))
done
sed -n 's/^NAME  *//p' "$tmp/models.hmm" | tr -d '\r' | awk -v n1="$tmp/n1" -v n2="$tmp/n2" -v n3="$tmp/n3" -v n4="$tmp/n4" '
    function load(file, stage, f) { while ((getline line <file) > 0) { split(line, f, " "); n[stage, f[1]] = f[2] } }
    BEGIN { load(n1, 1); load(n2, 2); load(n3, 3); load(n4, 4) }
    { print $1, n[1, $1] + 0, n[2, $1] + 0, n[3, $1] + 0, n[4, $1] + 0 }' >"$tmp/got"

diff "$tmp/want" "$tmp/got" >"$tmp/diff" || {
    head -20 "$tmp/diff"
    differs "model, passed MSV, bias, Viterbi, Forward: hmmsearch's are <, ours >"
}

# ---- hmmsearch on the survivors ----
respack -O fasta "$tmp/4.tsv" >"$tmp/some.fa"
if [ ! -s "$tmp/some.fa" ]; then # hmmsearch refuses an empty file
    : >"$tmp/got.tbl"
    : >"$tmp/got.dom"
elif [ "$nmodel" -eq 1 ]; then # hmmsearch takes several models from files only
    zcat "$tmp/all.fa.gz" | msvfilt "$tmp/models.hmm" | vitfilt "$tmp/models.hmm" |
        fwdscore -O fasta "$tmp/models.hmm" |
        hmmsearch --noali -Z "$n" --tblout "$tmp/got.tbl" --domtblout "$tmp/got.dom" "$tmp/models.hmm" - >/dev/null
else
    awk '/^>/ { keep = !seen[$1]++ } keep' "$tmp/some.fa" >"$tmp/once.fa"
    hmmsearch --noali -Z "$n" --tblout "$tmp/got.tbl" --domtblout "$tmp/got.dom" "$tmp/models.hmm" "$tmp/once.fa" >/dev/null
fi
for t in tbl dom; do
    grep -v '^#' "$tmp/want.$t" | tr -s ' ' >"$tmp/want.rows" || :
    grep -v '^#' "$tmp/got.$t" | tr -s ' ' >"$tmp/got.rows" || :
    diff "$tmp/want.rows" "$tmp/got.rows" >"$tmp/diff" || {
        cut -c1-150 "$tmp/diff" | head
        differs "rows of --${t%tbl}tblout: hmmsearch on everything <, on our survivors >"
    }
    eval "$t=$(wc -l <"$tmp/want.rows")"
done

awk -v what="$what" -v n="$n" -v m="$nmodel" -v hits="$tbl" -v doms="$dom" '{ a += $2; b += $3; c += $4; d += $5 } END {
    printf "equal: %s: %d models x %d sequences, passed MSV %d, bias %d, Viterbi %d, Forward %d; ", what, m, n, a, b, c, d
    printf "%d hits and %d domains reported the same\n", hits, doms }' "$tmp/got"
