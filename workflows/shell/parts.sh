#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Deals the rows of a table of hits out to several tables, for as many jobs of domscore:
#   parts.sh MODELS TABLE FILE...
# All rows of a model go to one FILE, since E-values of its domains depend on all of its hits. Models stay in their
# order, so the tables of the jobs, joined by join.sh, are those of one job. Each file has about as many cells.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: parts.sh MODELS TABLE FILE..." >&2; exit 2; }
models=$1 table=$2
shift 2
files=$(printf '%s\n' "$@")
export files
# every model meets one residue, so their names come in the order of the models
printf '>x\nA\n' | ssvfilt -q -t 1 -a -f query --header none --no-provenance "$models" | awk -F '\t' '
    phase == 1 { place[$1] = ++models; next }
    phase == 2 && /^#/ { if (!/^##/) { sub(/^#/, ""); for (i = 1; i <= NF; i++) column[$i] = i }; next }
    phase == 2 { weight[place[$column["query"]]] += cells = $column["qlen"] * $column["tlen"]; all += cells; next }
    FNR == 1 {
        n = split(ENVIRON["files"], file, "\n")
        for (m = 1; m <= models; m++) { part[m] = 1 + int(done * n / (all + 1)); done += weight[m] }
    }
    /^#/ { for (k = 1; k <= n; k++) print >file[k]; next }
    { print >file[part[place[$column["query"]]]] }' phase=1 - phase=2 "$table" phase=3 "$table"
