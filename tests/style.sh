#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules of CONTRIBUTING.md that a program can check (make check-style). Prints each breach and exits 1 if there was one.
set -u
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ceiling=600 width=140
CC=${CC:-cc} CXX=${CXX:-c++}
archive=${B:-build}/libwarpsieve.a

breach() { # breach RULE: the offending places come on standard input
    if [ -s "$1" ]; then
        echo "check-style: $2"
        sed 's/^/  /' "$1"
        : >"$tmp/failed"
    fi
}

# A tarball has no git: then everything that is not a build product counts.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -n "$(git ls-files Makefile)" ]; then
    git ls-files | while read -r f; do [ -f "$f" ] && echo "$f"; done >"$tmp/files"
else
    find . -type f ! -path './build/*' ! -path './.git/*' | sed 's|^\./||' >"$tmp/files"
fi
grep -E '\.(c|h|cu|cuh|sh|bats|bash|py)$|^\.ci/run$' "$tmp/files" >"$tmp/code"
grep -E '\.(c|h|cu|cuh)$' "$tmp/files" >"$tmp/c"
grep -E '^(Makefile|README\.md|INSTALL|CONTRIBUTING\.md|CHANGELOG\.md|man/.*|.*/README\.md)$' "$tmp/files" >"$tmp/prose"

# ---- size of files ----
while read -r f; do echo "$(wc -l <"$f") $f"; done <"$tmp/code" | sort -n >"$tmp/lines"
awk -v max=$ceiling '$1 > max { print $2 ": " $1 " lines, at most " max }' "$tmp/lines" >"$tmp/long"
breach "$tmp/long" "files over the ceiling; split them by idea"

# ---- include direction: an include must not point upwards, nor to a sibling ----
while read -r f; do
    sed -n 's/^[ ]*#[ ]*include "\([^"]*\)".*/\1/p' "$f" | while read -r i; do echo "$f $i"; done
done <"$tmp/c" | awk '
    function rank(p) {
        if (p ~ /^lib\/base\//) return 1
        if (p ~ /^lib\/(simd|dev)\//) return 2
        if (p ~ /^lib\/io\//) return 3
        if (p ~ /^lib\/(hmm|run)\//) return 4
        if (p ~ /^lib\//) return 5 # cascade: what several kernels share
        if (p ~ /^(tests|bench)\/|^kernels\/[^\/]*\/(test|bench)\.c$/) return 8
        if (p ~ /^kernels\//) return 6
        return 7 # bin
    }
    function folder(p) { sub(/[^\/]*$/, "", p); return p }
    {
        from = folder($1); to = folder($2)
        if (to == "") print $1 ": \"" $2 "\" is not named from the top"
        else if (rank($1) == 8) next
        else if (from != to && rank(to) >= rank(from)) print $1 " includes " $2
    }' >"$tmp/up"
breach "$tmp/up" "includes go bin -> kernels -> cascade -> run, hmm -> io -> simd, dev -> base, and never sideways"

grep -nE '#[ ]*include[ ]*<([a-z]*mmintrin|x86intrin|arm_neon)\.h>' $(grep -v '^lib/simd/' "$tmp/c") /dev/null >"$tmp/simd"
breach "$tmp/simd" "headers of vector instructions belong into lib/simd only"
grep -nE '#[ ]*include[ ]*<(cuda|cub|cooperative_groups|nv)[^>]*>' $(grep '\.[ch]$' "$tmp/c") /dev/null >"$tmp/cuda"
breach "$tmp/cuda" "CUDA headers belong into .cu and .cuh files only"

# ---- global symbols ----
if [ -f "$archive" ]; then
    # C++ of .cu files: strong symbols by their demangled names, without what the compiler adds
    nm -gC --defined-only "$archive" 2>/dev/null | awk '$2 ~ /^[A-TX-Z]$/ { $1 = $2 = ""; sub(/^ */, ""); print }' |
        grep -vE '^(void |int )?(ws_|__odr_asan\.|__device_stub__|DW\.ref\.|guard variable)' | sort -u >"$tmp/symbols"
    breach "$tmp/symbols" "global symbols of $archive without the prefix ws_"
else
    echo "check-style: $archive is not built, so its symbols were not looked at"
fi

# ---- text ----
while read -r f; do
    head -3 "$f" | grep -q 'SPDX-License-Identifier: MIT' || echo "$f"
done <"$tmp/code" | grep -v '^\.ci/' >"$tmp/spdx"
breach "$tmp/spdx" "no SPDX line among the first three"
grep -n "$(printf '\t')" $(cat "$tmp/code") /dev/null | grep -v '^tests/data/' | cut -c1-100 >"$tmp/tabs"
breach "$tmp/tabs" "tabs"
grep -nE '[[:blank:]]+$' $(cat "$tmp/code" "$tmp/prose") /dev/null | cut -c1-100 >"$tmp/blanks"
breach "$tmp/blanks" "blanks at the end of a line"
awk -v max=$width 'length($0) > max { print FILENAME ":" FNR ": " length($0) " characters" }' $(cat "$tmp/code") /dev/null >"$tmp/wide"
breach "$tmp/wide" "lines of more than $width characters"
grep -nE '(^|[^A-Za-z0-9_.])/(work|root|home|farm)/' $(cat "$tmp/code" "$tmp/prose") /dev/null |
    grep -v '^tests/style.sh:' | cut -c1-120 >"$tmp/paths"
breach "$tmp/paths" "paths of somebody's machine"

# ---- headers stand alone ----
grep '\.h$' "$tmp/c" | grep -v '\.inc\.h$' | while read -r h; do
    case $h in
    lib/simd/*_end.h) continue ;; # undoes another header
    lib/simd/*avx2*) isa='-mavx2 -mfma -mbmi2' ;;
    lib/simd/*avx512*) isa='-mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mbmi2' ;;
    *) isa= ;;
    esac
    # shellcheck disable=SC2086 # flags
    "$CC" -std=c11 -D_GNU_SOURCE -I. $isa -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-const-variable \
        -Wno-pragma-once-outside-header -fsyntax-only -x c "$h" 2>"$tmp/out" || { echo "$h (C)"; head -3 "$tmp/out"; }
    grep -q 'extern "C"' "$h" || continue
    command -v "$CXX" >/dev/null 2>&1 || continue
    # shellcheck disable=SC2086
    "$CXX" -std=c++17 -D_GNU_SOURCE -I. $isa -Wall -fsyntax-only -x c++ "$h" 2>"$tmp/out" || { echo "$h (C++)"; head -3 "$tmp/out"; }
done >"$tmp/headers"
breach "$tmp/headers" "headers that do not compile alone"

awk '{ n[NR] = $1; sum += $1 } END {
    printf "check-style: %d source and test files, %d lines, median %d, longest %d\n", NR, sum, n[int((NR + 1) / 2)], n[NR] }' "$tmp/lines"
[ ! -e "$tmp/failed" ]
