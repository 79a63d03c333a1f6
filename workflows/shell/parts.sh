#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Deals the rows of a table of hits out to several tables, for as many jobs of domscore:
#   parts.sh MODELS TABLE FILE...
# All rows of a model go to one FILE, since E-values of its domains depend on all of its hits. Models stay in their
# order, so the tables of the jobs, joined by join.sh, are those of one job. Each file has about as many cells. Each
# has the lines about programs and the end of TABLE, and so the size of the whole database.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: parts.sh MODELS TABLE FILE..." >&2; exit 2; }
models=$1 table=$2
shift 2
[ -f "$table" ] || { echo "parts.sh: $table is no file, which TABLE must be: it is read twice" >&2; exit 1; }
case $table in /*) ;; *) table=./$table ;; esac # awk takes a=b for an assignment, and ./a=b for a file
files=
for file in "$@"; do
    for input in "$models" "$table"; do
        if [ "$file" -ef "$input" ]; then
            echo "parts.sh: $file is also read, and would be lost" >&2
            exit 1
        fi
    done
    case $file in /*) ;; *) file=./$file ;; esac
    files+=$file$'\n'
done
export files
# every model meets one residue, so their names come in the order of the models
printf '>x\nA\n' | ssvfilt -q -t 1 -a -f query --header none --no-provenance -- "$models" | awk -F '\t' '
    function fail(text) { print "parts.sh: " text >"/dev/stderr"; failed = 1; exit 1 }
    phase == 1 { place[$1] = ++models; next }
    FNR == 1 {
        if (!models) { failed = 1; exit 1 } # ssvfilt said why
        columns = 0
    }
    FNR == 1 && phase == 3 {
        n = split(ENVIRON["files"], file, "\n") - 1
        for (m = 1; m <= models; m++) { part[m] = 1 + int(done * n / (all + 1)); done += weight[m] }
    }
    { about = /^##/ && (!columns || NF != columns) } # no row, whose name may begin with ##
    !about && !columns {
        if (!/^#/) fail(FILENAME " has no header, which names its columns")
        columns = NF; first = $1; second = $2
        for (i = 1; i <= NF; i++) column[i == 1 ? substr($1, 2) : $i] = i
        if (!column["query"] || !column["qlen"] || !column["tlen"])
            fail(FILENAME " lacks one of the columns query, qlen and tlen")
        about = 1
    }
    columns && $1 == first && $2 == second { about = 1 }
    about { for (k = 1; phase == 3 && k <= n; k++) print >file[k]; next }
    !($column["query"] in place) { fail("line " FNR " of " FILENAME " is of model " $column["query"] ", which is not among the models") }
    phase == 2 { weight[place[$column["query"]]] += cells = $column["qlen"] * $column["tlen"]; all += cells; next }
    { print >file[part[place[$column["query"]]]] }
    END { if (!failed && !columns) fail("the table is empty") }' phase=1 - phase=2 "$table" phase=3 "$table"
