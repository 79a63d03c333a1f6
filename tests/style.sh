#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules of CONTRIBUTING.md that a program can check (make check-style). Prints each breach and exits 1 if there was
# one.
set -u
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
ceiling=600 width=120 bytes=262144
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
tracked=${TRACKED-} # set by the hook: all files of its copy are staged ones
if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -n "$(git ls-files Makefile)" ]; then
    tracked=1
    git ls-files | while read -r f; do [ -f "$f" ] && echo "$f"; done >"$tmp/files"
else
    find . -type f ! -path './build/*' ! -path './.git/*' | sed 's|^\./||' >"$tmp/files"
fi
grep -E '\.(c|h|cu|cuh|sh|bats|bash|py)$|^\.ci/run$' "$tmp/files" >"$tmp/code"
grep -E '\.(c|h|cu|cuh)$' "$tmp/files" >"$tmp/c"
grep -E '^(Makefile|README\.md|INSTALL|CONTRIBUTING\.md|CHANGELOG\.md|man/.*|.*/README\.md)$' "$tmp/files" >"$tmp/prose"

# ---- size of files ----
xargs -d '\n' wc -l <"$tmp/code" | awk '$2 != "total" { print $1 " " $2 }' | sort -n >"$tmp/lines"
awk -v max=$ceiling '$1 > max { print $2 ": " $1 " lines, at most " max }' "$tmp/lines" >"$tmp/long"
breach "$tmp/long" "files over the ceiling; split them by idea"
# a fetched or built file that a developer added by mistake; the tree of a tarball may hold files of its user
[ -z "$tracked" ] || xargs wc -c <"$tmp/files" |
    awk -v max=$bytes '$2 != "total" && $1 > max { print $2 ": " $1 " bytes, at most " max }' >"$tmp/large"
breach "$tmp/large" "files too large to be committed"
[ -z "$tracked" ] || grep -E '\.(orig|rej)$' "$tmp/files" >"$tmp/left"
breach "$tmp/left" "what a merge or patch left"

# ---- layers: what a file includes, and what an object is linked to, lies in its own folder or in a lower layer ----
layers='lib/base | lib/simd lib/dev | lib/files lib/compress | lib/stream | lib/formats | lib/translate | lib/hmm lib/run | lib/msa'
layers="$layers | lib/scan lib/hits"
layers="$layers | kernels/filter | kernels/ssv | kernels/msv | kernels/vit | kernels/fwd | kernels/dom | kernels/long | kernels/*"
layers="$layers | bin/stages | bin/peers bin/queries | bin/filters | bin/domains | bin/genomes | bin/* | bin"
# upwards VERB: reads pairs "user provider" of files; prints those that point upwards or sideways. Tests may use
# everything.
upwards() {
    awk -v verb="$1" -v layers="$layers" '
        BEGIN {
            n = split(layers, layer, " *[|] *")
            for (i = 1; i <= n; i++) for (j = split(layer[i], f, " "); j > 0; j--) rank[f[j]] = i
        }
        function folder(p) { sub(/\/?[^\/]*$/, "", p); sub(/\/device$/, "", p); return p } # device/ is a part of its room
        function rank_of(f) { if (!(f in rank)) sub(/\/.*/, "/*", f); return f in rank ? rank[f] : 0 }
        $1 ~ /^(tests|bench)\/|^kernels\/[^\/]*\/(test|bench)\.[^\/]*$/ { next }
        {
            from = folder($1); to = folder($2)
            if (to == "") print $1 ": \"" $2 "\" is not named from the top"
            else if (!rank_of(from)) print $1 ": " from " has no layer in tests/style.sh"
            else if (from != to && (!rank_of(to) || rank_of(to) >= rank_of(from))) print $1 " " verb " " $2
        }'
}
xargs -d '\n' awk -F '"' '/^[ ]*#[ ]*include "[^"]*"/ { print FILENAME, $2 }' <"$tmp/c" | upwards includes >"$tmp/up"
breach "$tmp/up" "an include must point to a lower layer, of: $layers"
grep -n '#[ ]*include "bin/' $(grep -E '^kernels/[^/]*/test\.' "$tmp/c") /dev/null >"$tmp/above"
breach "$tmp/above" "a test of a kernel includes no bin/; one that needs it lies in tests/lib"

# Objects of the archive, from make: who defines what another one needs.
# shellcheck disable=SC2086 # names
[ -z "${OBJECTS-}" ] || nm -gPA $OBJECTS | awk -v b="${B:-build}/" '
    { sub(/:$/, "", $1); print index($1, b) == 1 ? substr($1, length(b) + 1) : $1, $3, $2 }' | awk '
    $2 == "U" || $2 == "w" { user[++n] = $1; needs[n] = $3; next }
    { by[$3] = $1 }
    END { for (i = 1; i <= n; i++) if (needs[i] in by && by[needs[i]] != user[i]) print user[i], by[needs[i]], needs[i] }' >"$tmp/links"
upwards "needs a symbol of" <"$tmp/links" | sort -u >"$tmp/up"
breach "$tmp/up" "an object may need symbols of lower layers only, of: $layers"
[ -s "$tmp/links" ] || echo "check-style: no OBJECTS were given, so links were not looked at"

grep -nE '#[ ]*include[ ]*<([a-z]*mmintrin|x86intrin|arm_neon)\.h>' $(grep -v '^lib/simd/' "$tmp/c") /dev/null >"$tmp/simd"
breach "$tmp/simd" "headers of vector instructions belong into lib/simd only"
grep -nE '#[ ]*include[ ]*<(cuda|cub|cooperative_groups|nv)[^>]*>' $(grep '\.[ch]$' "$tmp/c") /dev/null >"$tmp/cuda"
breach "$tmp/cuda" "CUDA headers belong into .cu and .cuh files only"

# ---- objects: FILE.c and FILE.cu would both become FILE.o ----
sed -nE 's/\.(c|cu)$/.o/p' "$tmp/c" | sort | uniq -d >"$tmp/objects"
breach "$tmp/objects" "two sources for one object; a build with CUDA would lose one of them"

# ---- one door for messages: lib/run/message.c, and ws_bug for what is our own fault ----
grep -nE '\b(v?printf|puts|putchar|perror) ?\(|\b(v?fprintf|fputs|fputc|fwrite) ?\([^;]*\b(stderr|stdout)\b' \
    $(grep -E '^(lib|kernels)/' "$tmp/c" |
        grep -vE '/(test|bench)\.c$|^lib/run/message\.c$|^lib/base/err\.c$') /dev/null |
    grep -v 'format(printf' >"$tmp/prints"
breach "$tmp/prints" "only lib/run/message.c prints"

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
# shellcheck disable=SC2046 # names
awk 'FNR <= 3 && /SPDX-License-Identifier: MIT/ { seen[FILENAME] = 1 }
    END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in seen)) print ARGV[i] }' $(grep -v '^\.ci/' "$tmp/code") /dev/null |
    grep -v '^/dev/null$' >"$tmp/spdx"
breach "$tmp/spdx" "no SPDX line among the first three"
grep -n "$(printf '\t')" $(cat "$tmp/code") /dev/null | grep -v '^tests/data/' | cut -c1-100 >"$tmp/tabs"
breach "$tmp/tabs" "tabs"
grep -nE '[[:blank:]]+$' $(cat "$tmp/code" "$tmp/prose") /dev/null | cut -c1-100 >"$tmp/blanks"
breach "$tmp/blanks" "blanks at the end of a line"
awk -v sources=$width -v scripts=140 '
    { max = FILENAME ~ /\.(c|h|cu|cuh)$/ ? sources : scripts }
    length($0) > max { print FILENAME ":" FNR ": " length($0) " characters, at most " max }' $(cat "$tmp/code") /dev/null >"$tmp/wide"
breach "$tmp/wide" "lines that are too long"
grep -nE '(^|[^A-Za-z0-9_.])/(work|root|home|farm)/' $(cat "$tmp/code" "$tmp/prose") /dev/null |
    grep -v '^tests/style.sh:' | cut -c1-120 >"$tmp/paths"
breach "$tmp/paths" "paths of one machine"

# ---- comments: an actor for each sentence (tests/comments.py) ----
grep -E '^(man/.*|CONTRIBUTING\.md|Makefile|.*\.mk|(kernels|lib|bin|tests|workflows|packaging)/.*/?README\.md)$' "$tmp/files" |
    cat "$tmp/code" - >"$tmp/talk"
if command -v python3 >/dev/null 2>&1; then
    xargs -d '\n' python3 tests/comments.py <"$tmp/talk" >"$tmp/actors" ||
        echo "tests/comments.py failed" >>"$tmp/actors"
    breach "$tmp/actors" "sentences without an actor"
else
    echo "check-style: there is no python3, so comments were not looked at"
fi

# ---- headers stand alone ----
widths=" $(echo 'WS_WIDTHS(NAMES)' | "$CC" -I. -include lib/simd/width.h -E -P '-DNAMES(width,...)=width' - | tail -1) "
grep '\.h$' "$tmp/c" | grep -v '\.inc\.h$' | while read -r h; do
    isa=
    case $h in
    lib/simd/v.h) continue ;; # needs the flags of a width
    lib/simd/v_*.h)
        w=${h#lib/simd/v_}
        w=${w%.h}
        case $widths in *" $w "*) ;; *) continue ;; esac # a width of another processor
        isa=$(sed -n "s/^ISA_$w *:= *//p" Makefile)
        ;;
    esac
    # shellcheck disable=SC2086 # flags
    "$CC" -std=c11 -D_GNU_SOURCE -I. $isa -Wall -Wextra -Werror -Wno-unused-function -Wno-unused-const-variable \
        -Wno-pragma-once-outside-header -fsyntax-only -x c "$h" 2>"$tmp/out" || { echo "$h (C)"; head -3 "$tmp/out"; }
    grep -q 'extern "C"' "$h" || continue
    command -v "$CXX" >/dev/null 2>&1 || continue
    # shellcheck disable=SC2086
    "$CXX" -std=c++17 -D_GNU_SOURCE -I. $isa -Wall -fsyntax-only -x c++ "$h" 2>"$tmp/out" ||
        { echo "$h (C++)"; head -3 "$tmp/out"; }
done >"$tmp/headers"
breach "$tmp/headers" "headers that do not compile alone"

awk '{ n[NR] = $1; sum += $1 } END {
    printf "check-style: %d source and test files, %d lines, median %d, longest %d\n", NR, sum, n[int((NR + 1) / 2)], n[NR] }' "$tmp/lines"
[ ! -e "$tmp/failed" ]
