#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Cuts a database into packed shards of about as many residues each, in its order, so that joined results are in its
# order too:
#   shards.sh DATABASE STATS.json FILE... [-- RESPACK-OPTION...]
# One shard goes to each FILE; STATS.json gets the counts of the whole ("sequences" is what -Z wants). Options such as
# --dna may follow.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: shards.sh DATABASE STATS.json FILE... [-- RESPACK-OPTION...]" >&2; exit 2; }
database=$1 stats=$2
shift 2
shards=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do shards+=("$1"); shift; done
[ $# -eq 0 ] || shift
tmp=$(mktemp -d "$(dirname "${shards[0]}")/shards.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

respack "$@" --stats="$stats" -o "$tmp/all.wsp" "$database"
residues=$(sed -n 's/^ *"residues": \([0-9]*\).*/\1/p' "$stats")
for i in "${!shards[@]}"; do : >"$tmp/$i.fa"; done
respack -O fasta "$tmp/all.wsp" | awk -v n=${#shards[@]} -v residues="$residues" -v prefix="$tmp/" '
    /^>/ { file = prefix int(done * n / (residues + 1)) ".fa" }
    !/^>/ { done += length($0) }
    { print >file }'
for i in "${!shards[@]}"; do respack "$@" -o "${shards[$i]}" "$tmp/$i.fa"; done
