#!/bin/sh
# SPDX-License-Identifier: MIT
# Looks for fused multiply-adds in the machine code of objects whose sources write none: these have one order of
# operations, and a fused operation rounds once where they round twice.
#   tests/fused.sh OBJDUMP OBJECT...     at the top of the sources; each object has the list of its sources beside it
# Prints each object with such an instruction and exits 1 if there was one. The last line has the counts.
set -eu
objdump=$1
shift
exact=0 written=0 bad=0
for o; do
    # shellcheck disable=SC2046 # a list of names
    sources=$(tr -s ' \\' '\n\n' <"${o%.o}.d" | grep -E '^(lib|kernels|bin)/.*\.[ch]$' | grep -v '^lib/simd/' | sort -u)
    n=$("$objdump" -d --no-show-raw-insn "$o" | grep -cE '[[:space:]](fml[as]l?2?|fn?m(add|sub)|vfn?m(add|sub)[0-9a-z]*)[[:space:]]') || :
    # shellcheck disable=SC2086 # the same
    if grep -qE '\<(fmaf?|V[DFT]_FMA)\>' $sources; then
        [ "$n" -eq 0 ] || written=$((written + 1))
        continue
    fi
    exact=$((exact + 1))
    [ "$n" -eq 0 ] || { echo "$o: $n fused instructions" && bad=$((bad + 1)); }
done
echo "$exact exact objects, $bad of them with fused instructions; $written objects fuse as their sources say"
[ "$bad" -eq 0 ]
