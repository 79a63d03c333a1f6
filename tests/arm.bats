#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The programs for 64-bit ARM, cross-compiled and run in QEMU: the golden scores, and the same bytes as the programs of
# this machine. make check has some of it, without optimization beyond -O1; make check-arm has all, of the programs as
# they ship. ARM names the prefix of the cross compiler.

bats_require_minimum_version 1.5.0
load helper

arm=${ARM:-aarch64-linux-gnu-}
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
all() { [ -n "${WARPSIEVE_ARM:-}" ]; } # set by make check-arm
B_arm=build/$(all && echo arm || echo arm-quick) # relative, as a compiler cache may write the lists of headers
b=$top/$B_arm

# Prints what is missing, as a sentence.
missing() {
    if [ -n "${WARPSIEVE_BIN:-}" ]; then echo "programs from elsewhere are tested"
    elif [ "$(uname -m)" = aarch64 ]; then echo "this machine runs the programs for ARM itself"
    elif ! command -v "${arm}gcc" >/dev/null; then echo "${arm}gcc is not installed"
    elif [ -z "$qemu" ]; then echo "qemu-aarch64 is not installed"
    elif ! echo 'int main(void) { return 0; }' | "${arm}gcc" -static -x c -include zlib.h -include xxhash.h -o "$BATS_FILE_TMPDIR/x" - \
        -lxxhash -lz 2>/dev/null; then echo "${arm}gcc has no static zlib and xxHash (Debian: zlib1g-dev:arm64, libxxhash-dev:arm64)"
    fi
}

arm_make() {
    outside_of_bats nice make -s -j2 --no-print-directory -C "$top" CUDA=0 B="$B_arm" CC="${arm}gcc" AR="${arm}ar" LDFLAGS=-static "$@"
}

setup_file() {
    missing >"$BATS_FILE_TMPDIR/missing"
    [ ! -s "$BATS_FILE_TMPDIR/missing" ] || return 0
    make_data
    if all; then
        arm_make units $(all_tools | sed "s|^|$B_arm/bin/|")
    else
        arm_make CFLAGS=-O1 "$B_arm/tests/lib/vectors" "$B_arm/tests/lib/golden" "$B_arm/bin/hmmsieve"
    fi >build.log 2>&1 || { tail -20 build.log; return 1; }
    mkdir arm
    for t in "$b"/bin/*; do
        [ -x "$t" ] || continue
        printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$qemu" "$t" >"arm/${t##*/}"
        chmod +x "arm/${t##*/}"
    done
}
setup() {
    in_data
    [ ! -s missing ] || skip "$(cat missing)"
}
objects() { find "$1/lib" "$1/kernels" "$1/bin" -name '*.o' ! -name test.o ! -name bench.o; }

@test "no fused multiply-add but where the source writes one, on this machine and on ARM" {
    for side in "$top/${B:-build}:" "$b:$arm"; do
        run -0 sh -c 'cd "$1" && shift && exec sh tests/fused.sh "$@"' sh "$top" "${side#*:}objdump" $(objects "${side%%:*}")
        echo "$output"
        # the look sees what is written: Forward and pair-HMM, by definition and in each body
        [[ ${lines[-1]} =~ ^([0-9]+)\ exact\ objects,\ 0\ .*\;\ ([0-9]+)\ objects\ fuse ]]
        [ "${BASH_REMATCH[1]}" -ge 250 ]
        [ "${BASH_REMATCH[2]}" -ge 3 ]
    done
}

@test "every vector body is compiled for NEON" {
    for f in $(cd "$top" && echo lib/*/*simd.c kernels/*/*simd.c); do
        [ -s "$b/${f%.c}.neon.o" ] || fail "$f is not"
    done
}

@test "every macro of NEON is as in plain C" {
    run -0 "$qemu" "$b/tests/lib/vectors"
    [[ ${lines[0]} == "ok 1 - neon: every macro as in plain C, "* ]] || fail "$output"
}

@test "golden scores with NEON" {
    run -0 sh -c 'cd "$1" && exec "$2" "$3" -b neon' sh "$top" "$qemu" "$b/tests/lib/golden"
    grep -q '^# ran golden scores in .* with neon' <<<"$output"
    [ "$(grep -c '^not ok' <<<"$output")" -eq 0 ] || fail "$output"
    [ "$(grep -c '^ok' <<<"$output")" -ge 3 ]
}

@test "completions of a program that EMULATOR runs: those of this machine's, but for the backends" {
    local here there
    here=$(hmmsieve --list-backends | awk 'NR > 1 { print $1 }' | paste -sd' ')
    there=$("$qemu" "$b/bin/hmmsieve" --list-backends | awk 'NR > 1 { print $1 }' | paste -sd' ')
    [[ $there == *"neon scalar" && $here != "$there" ]]
    EMULATOR=$qemu sh "$top/completions/gen.sh" bash hmmsieve "$b/bin/hmmsieve" >there.bash
    sh "$top/completions/gen.sh" bash hmmsieve "$(command -v hmmsieve)" | sed "s/\"auto $here\"/\"auto $there\"/" >here.bash
    same here.bash there.bash
}

# Runs a line of shell with the programs of this machine and with those for ARM: the same bytes.
both() { # both LINE
    local line=$1
    rm -rf here there
    mkdir here there
    (eval "$line") >here/output
    (PATH=$PWD/arm:$PATH; eval "$line") >there/output
    [ -s here/output ] || fail "no output: $line"
    cmp here/output there/output || fail "differs: $line"
}

@test "a whole search writes the same report and tables, by NEON" {
    PATH=$PWD/arm:$PATH run -0 hmmsieve --list-backends
    grep -q '^neon' <<<"$output" || fail "$output"
    both 'hmmsieve -t 2 --tblout t --domtblout d -A a -o o m.hmm small.fa; sed "/^#/d" t d; sed 1,8d a; sed "/^#/d" o'
    [ "$(grep -c YEAST here/output)" -ge 20 ]
}

@test "every program writes the same bytes" {
    all || skip "a part of make check-arm"
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    zcat "$data/golden/long-targets/models/RF00001.hmm.gz" >5s.hmm
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >short.fa
    awk '/^>/ { on = /PHO85/ } on' demo.fa >query.fa
    local p=--no-provenance v=$data/papara/vag40 g=$data/golden
    : >tried
    while read -r line; do
        both "${line%% ## *}"
        echo "${line##* ## }" >>tried
    done <<EOT
ssvfilt $p -a three.hmm demo.fa ## ssvfilt
msvfilt $p -a three.hmm demo.fa ## msvfilt
vitfilt $p -a three.hmm demo.fa ## vitfilt
fwdscore $p -a -Z 400 three.hmm demo.fa ## fwdscore
domscore $p three.hmm demo.fa ## domscore
domscore $p -O a3m m.hmm demo.fa ## domscore
msvfilt -O packed three.hmm demo.fa | vitfilt three.hmm | fwdscore -Z 400 three.hmm | domscore $p three.hmm ## domscore
hmmsieve --max -O domtblout globins4.hmm small.fa | sed '/^#/d' ## hmmsieve
hmmsieve --scan -O tblout three.hmm small.fa | sed '/^#/d' ## hmmsieve
seqsieve -O domtblout query.fa demo.fa | sed '/^#/d' ## seqsieve
jacksieve -N 3 -O tblout -A /dev/null query.fa demo.fa | sed '/^#/d' ## jacksieve
nhmmsieve -O tblout 5s.hmm short.fa | sed '/^#/d' ## nhmmsieve
nhmmsieve -O tblout --max made.hmm $g/dna.fa.gz | sed '/^#/d' ## nhmmsieve
hmmcast --amino $g/build/globins4.sto $g/build/opt_odd.sto | sed '/^DATE/d' ## hmmcast
hmmcast --informat fasta query.fa | sed '/^DATE/d' ## hmmcast
hmmfit m.hmm small.fa ## hmmfit
hmmindex -f three.hmm; cat three.hmm.h3? ## hmmindex
hmmpick three.hmm fn3 ## hmmpick
respack demo.fa ## respack
respack demo.fa | respack -O fasta ## respack
zcat $data/pairhmm/gpuPairHMM-readme.in.gz | pairhmm -O matrix ## pairhmm
pairhmm $p $data/pairhmm/gatk-hc-na12878.Java.hmmresults.txt.gz ## pairhmm
pairhmm $p --double $data/pairhmm/gatk-hc-na12878.Java.hmmresults.txt.gz ## pairhmm
papara-score $p -a --alignment q.fa -o o $v/ref.phy $v/ref.nwk $v/reads.fasta; cat q.fa o ## papara-score
mrfseg $p --classes 4 $g/mrf/phantom-small.nii.gz ## mrfseg
mrfseg $p --classes 3 --labels labels.nii $g/mrf/phantom-noisy.nii.gz; cat labels.nii ## mrfseg
EOT
    same <(all_tools) <(sort -u tried)
}

# Runs a test program in QEMU. Says how many tests it had, how much processor time they took, and of which work it did a
# part only.
unit() { # unit SOURCE
    local log=units/${1//\//_} s=0
    (cd sources && WARPSIEVE_TESTS=quick WARPSIEVE_SLOW=1 nice "$qemu" "$b/${1%.c}") >"$log" 2>&1 || s=$?
    times >"times/${1//\//_}" # this shell's own and, in the last line, those of what it ran
    { echo "# $1: $(grep -c '^ok' "$log") tests, $(awk 'END { print $1 }' "times/${1//\//_}")" && grep '^# ran a part' "$log"; } >&3
    [ $s -eq 0 ] || { echo "$1: status $s" && { grep -A5 '^not ok' "$log" || tail -5 "$log"; } && return 1; }
}

@test "the test programs pass in QEMU" {
    all || skip "a part of make check-arm"
    # here is no ../shared: full golden data, which make check-full has, would take hours
    mkdir sources units times
    ln -s "$top"/* sources/
    export -f unit
    export qemu b
    # the emulator has address space of its own, so a limit of it (tests/lib/cpu.c) is not that of the program
    (cd "$top" && ls kernels/*/test.c tests/lib/*.c) | grep -vx tests/lib/cpu.c >list
    xargs -P "$(getconf _NPROCESSORS_ONLN)" -I{} bash -c 'unit {}' <list >failed || fail "$(cat failed)"
    [ "$(ls units | wc -l)" -eq "$(wc -l <list)" ]
}
