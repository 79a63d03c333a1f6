#!/bin/sh
# SPDX-License-Identifier: MIT
# make installcheck: what was installed is complete and passes the tests.
#   tests/installcheck.sh BINDIR MANDIR BASHDIR ZSHDIR FISHDIR DOCDIR
# CHECKS names the bats files to run, by default all that test programs.
set -eu
[ $# -eq 6 ] || { echo "usage: installcheck.sh BINDIR MANDIR BASHDIR ZSHDIR FISHDIR DOCDIR" >&2; exit 2; }
bin=$1 man=$2 bash=$3 zsh=$4 fish=$5 doc=$6
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
top=$(cd "$(dirname "$0")/.." && pwd)
missing=0
there() { [ -s "$1" ] || { echo "installcheck: $1 is not there" >&2; missing=1; }; }

for table in $(grep -l '^const ws_tool ws_' "$top"/bin/*/*.c); do
    tool=$(basename "$table" .c)
    there "$bin/$tool"
    there "$man/man1/$tool.1"
    there "$bash/$tool"
    there "$zsh/_$tool"
    there "$fish/$tool.fish"
    if command -v ldd >/dev/null 2>&1 && ldd "$bin/$tool" 2>/dev/null | grep -E 'libcud|not found'; then
        echo "installcheck: $bin/$tool asks for a library that another machine may not have" >&2
        missing=1
    fi
done
for name in hmmsearch hmmscan phmmer jackhmmer nhmmer nhmmscan hmmbuild hmmalign hmmpress hmmfetch papara; do
    there "$("$bin/hmmsieve" --hmmer-path)/$name"
done
there "$bin/warpsieve-msa"
there "$man/man1/warpsieve-msa.1"
for page in "$top"/man/*.[57]; do there "$man/man${page##*.}/${page##*/}"; done
(cd "$top" && find docs workflows -type f ! -path '*/.*' ! -path '*/__pycache__/*') >"${TMPDIR:-/tmp}/installcheck.$$"
while read -r f; do there "$doc/$f"; done <"${TMPDIR:-/tmp}/installcheck.$$"
rm -f "${TMPDIR:-/tmp}/installcheck.$$"
[ $missing -eq 0 ] || exit 1

cd "$top"
export WARPSIEVE_BIN="$bin"
# shellcheck disable=SC2046,SC2086 # lists of files
exec bats ${CHECKS:-$(ls tests/*.bats)}
