#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in place of HMMER's hmmfetch, for tools that call it: copies the text of models by name or accession, or of a
# list of these. It reads the whole file and needs no index.
set -eu
usage() {
    cat <<'END'
# hmmfetch :: retrieve profile HMM(s) from a file
# HMMER 3.4 (Aug 2023); http://hmmer.org/
# The interface is that of HMMER; this is hmmfetch of warpsieve
# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
Usage: hmmfetch [options] <hmmfile> <key>         (one model)
       hmmfetch [options] -f <hmmfile> <keyfile>  (all models of a list; their order is the file's)
       hmmfetch [options] --index <hmmfile>       (does nothing: there is no index)

Options:
  -h      : show this
  -f      : the second operand is a file of names, or - for standard input
  -o <f>  : write to file <f>
  -O      : write to a file that is called as the key
  --index : make an index
END
}
misuse() { printf '%s\nUsage: hmmfetch [options] <hmmfile> <key>\n\nAll options: hmmfetch -h\n\n' "$1"; exit 1; }
list='' out='' named='' index=''
while [ $# -gt 0 ]; do
    case $1 in
    -h) usage; exit 0 ;;
    -f) list=1; shift ;;
    -o) [ $# -gt 1 ] || misuse "-o needs a value"; out=$2; shift 2 ;;
    -O) named=1; shift ;;
    --index) index=1; shift ;;
    --) shift; break ;;
    -?*) misuse "hmmfetch has no option $1" ;;
    *) break ;;
    esac
done
if [ -n "$index" ]; then
    [ $# -eq 1 ] || misuse "hmmfetch --index takes 1 operand, and $# are given"
    [ -f "$1" ] || { echo "hmmfetch: $1 is not there, or is no file" >&2; exit 1; }
    echo "hmmfetch: no file is written, because warpsieve finds models without an index; HMMER's hmmfetch makes $1.ssi" >&2
    exit 0
fi
[ $# -eq 2 ] || misuse "hmmfetch takes 2 operands, and $# are given"
models=$1 key=$2
[ -z "$named" ] || out=$key
[ "$models" = - ] || [ -r "$models" ] || { echo "hmmfetch: $models cannot be read" >&2; exit 1; }
copy() {
    awk -v list="$list" -v key="$key" -v models="$models" '
    BEGIN {
        if (!list) { want[key] = 1; n = 1 }
        else while ((rc = (getline line < key)) > 0) {
            if (split(line, word) && word[1] !~ /^#/ && !(word[1] in want)) { want[word[1]] = 1; n++ }
        }
        if (list && rc < 0) { print "hmmfetch: " key " cannot be read" | "cat >&2"; failed = 1; exit 1 }
    }
    /^HMMER3\// { text = ""; take = 0 }
    ($1 == "NAME" || $1 == "ACC") && ($2 in want) { take = 1; found[$2] = 1 }
    { text = text $0 "\n" }
    $1 == "//" { if (take) printf "%s", text; text = ""; take = 0 }
    END {
        if (failed) exit 1
        for (k in want) if (!(k in found)) { missing++; name = k }
        if (!missing) exit 0
        print "hmmfetch: " models " has no model called " name (missing > 1 ? ", and " missing - 1 " more" : "") | "cat >&2"
        exit 1
    }'
}
[ "$key" != - ] || key=/dev/stdin
[ -z "$out" ] || [ ! "$out" -ef "$models" ] ||
    { echo "hmmfetch: the output $out is the file of models; name another output" >&2; exit 1; }
if [ -n "$out" ]; then gzip -dcf -- "$models" | copy >"$out"; else gzip -dcf -- "$models" | copy; fi
