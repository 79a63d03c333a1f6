#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles sources as for macOS, without making objects: tests/macos.h takes away what only Linux has. With clang
# the target is 64-bit ARM with macOS, where char is signed and 64 bits are "long long"; else it is this machine's, with
# the compiler's name for Linux taken away.
#   tests/macos.sh all|some|SOURCE...
#                  some: those with a header of the system beyond those of C, or with a name that the shim forbids
# Prints each message of the compiler and exits 1 if there was one; the last line has the counts.
set -eu
cd "$(dirname "$0")/.."
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
mkdir "$headers/mach-o"
echo 'int _NSGetExecutablePath(char *path, unsigned *size);' >"$headers/mach-o/dyld.h"
printf '#ifdef WS_MACOS\n#error "macOS has no endian.h"\n#endif\n#include_next <endian.h>\n' >"$headers/endian.h"
flags='-std=c11 -D_GNU_SOURCE -ffp-contract=off -I. -include tests/macos.h -fsyntax-only'
flags="$flags -I$headers"
flags="$flags -Wall -Wextra -Wformat=2 -Wundef -Werror -DWS_COMMIT=\"none\" -DWS_TOOL=ws_macos_tool"
width=avx2
if command -v clang >/dev/null 2>&1 && [ -d /usr/aarch64-linux-gnu/include ]; then
    # that compiler takes a name of the C library's headers for its own
    cc="clang -target arm64-apple-macos11 -U__nonnull -isystem /usr/aarch64-linux-gnu/include -isystem /usr/include"
    width=neon
else
    cc="${CC:-cc} -U__linux__ -D__APPLE__"
    [ "$(uname -m)" = x86_64 ] || width=neon
fi
isa=$(sed -n "s/^ISA_$width *:= *//p" Makefile)

case $* in
all) set -- lib/*/*.c kernels/*/*.c bin/*/*.c bin/main.c ;;
some)
    names=$(sed -n 's/^#pragma GCC poison //p' tests/macos.h | tr ' ' '|' | paste -sd'|' -)
    asks='#include <(endian|fcntl|mach-o/|malloc|poll|pthread|sched|signal|sys/|unistd)'
    # shellcheck disable=SC2046 # a list of names
    set -- $(grep -lE "$asks|\b(qsort_r|$names)\b" lib/*/*.c kernels/*/*.c bin/*/*.c bin/main.c)
    ;;
esac
# Sources for other widths and for libraries that may not be here are left out.
list=$(printf '%s\n' "$@" | grep -vE '/(test|bench)\.c$|_(avx2|avx512|neon)\.c$|^lib/compress/(unzstd|igzip)\.c$')
run() { # run FLAGS: the sources come on standard input
    xargs -r -n 4 -P "$(getconf _NPROCESSORS_ONLN)" $cc $flags "$@"
}
bad=0
echo "$list" | grep -v 'simd\.c$' | run || bad=1
# shellcheck disable=SC2086 # flags
echo "$list" | grep 'simd\.c$' | run $isa -DV_WIDTH=$width "-DV_HEADER=\"lib/simd/v_$width.h\"" || bad=1
echo "$(echo "$list" | wc -l) sources as for macOS by ${cc%% *}, $([ $bad -eq 0 ] && echo no || echo 'at least one') with a message"
exit $bad
