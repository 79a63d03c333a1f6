#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Joins tables that domscore made of the files of parts.sh, in their order, to the table that one job would make:
#   join.sh TABLE... >WHOLE
# They are tables of domains, or all of --tblout, or all of --domtblout: the head of the first, all rows, the end of
# the last, where ##end counts all rows.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: join.sh TABLE..." >&2; exit 2; }
awk '
    FNR == 1 { hmmer = /^# /; head = 1; first = first ? first : FILENAME; tail = "" }
    head && /^##end/ || /^##end rows=/ { rows += substr($2, 6); end = $0; next }
    head && /^#/ { if (FILENAME == first) print; head = !(hmmer && /^#-/); next }
    hmmer && /^#/ { tail = tail $0 "\n"; next }
    { head = 0; print }
    END { if (end) { sub(/rows=[0-9]*/, "rows=" rows, end); print end }; printf "%s", tail }' "$@"
