#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Joins tables that domscore made of the files of parts.sh, in their order, to the table that one job would make:
#   join.sh TABLE... >WHOLE
# They are tables of domains, or all of --tblout, or all of --domtblout: the head of the first, all rows, the end of
# the last, where ##end counts all rows. A table that is cut, or of another search, makes the script fail. Where a table
# does not say how many sequences were searched, the whole one does not either.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: join.sh TABLE..." >&2; exit 2; }
tables=()
for table in "$@"; do
    case $table in /* | -) ;; *) table=./$table ;; esac # awk takes a=b for an assignment, and ./a=b for a file
    tables+=("$table")
done
awk -F '\t' -v given=$# '
    function fail(text) { print "join.sh: " text >"/dev/stderr"; failed = 1; exit 1 }
    function finish() {
        if (hmmer && !whole) fail(file " is cut: its last line is not # [ok]")
        if (!hmmer && begun && !ends) fail(file " is cut: it has no line ##end")
        if (ends && told != here) fail(file " is cut: it has " here " rows, and ##end counts " told)
        if (tables > 1 && !ends != !allends) fail(file (ends ? " has a line ##end" : " has no line ##end") ", unlike the tables before it")
        allends = ends
        rows += told
    }
    function take_end(line,  w, known) {
        split(line, w, " ")
        told += substr(w[2], 6)
        sub(/^##end rows=[0-9]*/, "", line)
        known = total != "" && line != ""
        if (known && line != total)
            fail(file " counts" line ", the tables before it" total ": they are not parts of one search")
        total = seen++ && !known ? "" : line
        ends++
    }
    FNR == 1 {
        if (tables) finish()
        tables++
        file = FILENAME; hmmer = /^# /; head = 1
        ended = whole = begun = ends = told = here = columns = 0
    }
    hmmer && $0 == "#" { ended = 1; tail = "" } # no row is so short
    hmmer && ended { tail = tail $0 "\n"; whole = $0 == "# [ok]"; next }
    hmmer && head { if (tables == 1) print; head = !/^#-/; next }
    hmmer { print; next }
    /^##/ && (!columns || NF != columns) { # no row, whose name may begin with ##
        if (/^##end rows=/) take_end($0)
        else if (tables == 1 || !/^##warpsieve/) print
        begun += /^##warpsieve/
        next
    }
    /^#/ && !columns {
        columns = NF; first = $1; second = $2
        if (tables == 1) print header = $0
        else if ($0 != header) fail(file " has other columns than the tables before it")
        next
    }
    columns && $1 == first && $2 == second { next }
    { print; here++ }
    END {
        if (failed) exit 1
        if (tables) finish()
        if (tables < given) fail(given - tables " of " given " tables are empty")
        if (seen) print "##end rows=" rows total
        printf "%s", tail
    }' "${tables[@]}"
