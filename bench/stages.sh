#!/bin/sh
# SPDX-License-Identifier: MIT
# What a search costs by stage, for bench/report.py: samples of hmmsearch by perf, and the processor time of each tool
# of the chain, the least of three. Appends lines "search, program, stage, seconds" to standard output.
#   bench/stages.sh HMMSEARCH LABEL MODELS DATABASE     HMMSEARCH has its symbols; LABEL names the search
set -eu
hmmsearch=$1 label=$2 models=$3 database=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
seconds() { # seconds COMMAND...: user and system, the least of three; the output goes to $tmp/out
    for _ in 1 2 3; do
        bash -c 'TIMEFORMAT="%U %S"; time "$@" >"$0"' "$tmp/out" "$@" 2>&1 | awk 'END { print $1 + $2 }'
    done | sort -g | head -1
}
row() { printf '%s\t%s\t%s\t%s\n' "$label" "$1" "$2" "$3"; }

whole=$(seconds "$hmmsearch" --cpu 0 --noali "$models" "$database")
perf record -q -F 499 --call-graph dwarf,16384 -o "$tmp/data" \
    "$hmmsearch" --cpu 0 --noali -o /dev/null "$models" "$database" 2>/dev/null
# the stage of a sample is that of the first function of its stack that is one's
perf script -i "$tmp/data" -F comm,ip,sym 2>/dev/null | awk -v whole="$whole" -v OFS='\t' '
    function count() { if (seen) { n++; stage = stage == "" ? "other" : stage; sum[stage]++ } stage = ""; seen = 0 }
    /^$/ { count(); next }
    /^[^ \t]/ { next }
    { seen = 1 }
    / p7_domaindef_ByPosteriorHeuristics/ { stage = "domains" }
    stage != "" { next }
    / (p7_MSVFilter|p7_SSVFilter|calc_band_[0-9]+)/ { stage = "SSV, MSV" }
    / p7_bg_(FilterScore|SetFilter)/ { stage = "bias" }
    / p7_ViterbiFilter/ { stage = "Viterbi" }
    / p7_ForwardParser/ { stage = "Forward" }
    / p7_BackwardParser/ { stage = "domains" } # begins the domain stage
    END { count(); for (s in sum) printf "%s\t%.4f\n", s, whole * sum[s] / n }' >"$tmp/stages"
while IFS="$(printf '\t')" read -r stage s; do row hmmsearch "$stage" "$s"; done <"$tmp/stages"

# msvfilt also reads and works out the bias of what it keeps
row warpsieve "SSV, MSV" "$(seconds msvfilt -t 1 "$models" "$database")"
cp "$tmp/out" "$tmp/msv"
row warpsieve Viterbi "$(seconds vitfilt -t 1 "$models" "$tmp/msv")"
cp "$tmp/out" "$tmp/vit"
row warpsieve Forward "$(seconds fwdscore -t 1 -O fasta "$models" "$tmp/vit")"
cp "$tmp/out" "$tmp/maybe.fa"
n=$(grep -c '>' "$database")
# hmmsearch on what is left
row warpsieve domains "$(seconds "$hmmsearch" --cpu 0 --noali -Z "$n" "$models" "$tmp/maybe.fa")"
