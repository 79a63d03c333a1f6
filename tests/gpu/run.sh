#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the CUDA backends: scores against scalar, the tools' bytes under faults of the device, and
# compute-sanitizer on small sizes. Steps that do not depend on one another run at the same time: the truth of long
# models takes a core a minute.
# Usage: run.sh BUILD [PART...]     by default all parts (make gpu-check PARTS="...")
#   scores faults searches memcheck racecheck initcheck
# Each part is made for ten minutes of an H200 with 16 cores, and ends with a line that says how long it took. The part
# faults has those of the filters, pairhmm, papara-score, mrfseg and hmmcast, the part searches those of programs that
# search. Together they start 607 programs (351 and 256, without those of two devices), and each opens the device for
# 0.4 s.
set -u
b=$(cd "$1" && pwd) || exit 1
shift
all='scores faults searches memcheck racecheck initcheck'
parts=${*:-$all}
for p in $parts; do
    case " $all " in *" $p "*) ;; *) echo "run.sh: there is no part \"$p\", but $all" >&2; exit 2 ;; esac
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 steps=0

# Starts a step; the next settle waits for it.
step() {
    steps=$((steps + 1))
    name=$1
    shift
    (
        echo "== $name"
        begun=$(date +%s)
        "$@"
        status=$?
        [ $status = 0 ] || echo "== $name: FAILED, status $status"
        echo "== $name: $(($(date +%s) - begun)) s"
        exit $status
    ) >"$work/$steps.log" 2>&1 &
    echo $! >"$work/$steps.pid"
}

settle() {
    i=1
    while [ $i -le $steps ]; do
        wait "$(cat "$work/$i.pid")" || failed=1
        cat "$work/$i.log"
        i=$((i + 1))
    done
    steps=0
}

if "$b/tests/gpu/check" -m 1 | tee "$work/first" | grep -qE '# SKIP|a device:'; then
    cat "$work/first"
    [ "${WARPSIEVE_REQUIRE_GPU:-0}" != 1 ] || exit 1
    echo "no device: skipped"
    exit 0
fi

scores() {
    for kernel in ssv msv vit fwd; do step "scores, $kernel, one device" "$b/tests/gpu/check" -k $kernel; done
    step "scores, all devices" "$b/tests/gpu/check" -d all -m 520
    step "golden scores" "$b/tests/lib/golden" -b cuda
    step "papara-score" "$b/tests/gpu/papara"
    step "pairhmm" "$b/tests/gpu/pairhmm"
    step "mrfseg" "$b/tests/gpu/mrf"
    step "long targets" "$b/tests/gpu/long"
    step "domain stage" "$b/tests/gpu/dom"
    settle
}

# Faults of the device in the programs of a list that have such a backend.
faults_of() {
    for tool; do
        "$b/fault/$tool" --list-backends | grep -q '^cuda.yes' || continue
        mkdir "$work/$tool"
        step "faults of the device, $tool" env -C "$work/$tool" sh "$PWD/tests/fault/device.sh" "$b/fault" "$tool" 3 2
    done
}

# One of two devices fails, and the other does its work. The driver takes a second and more to open them.
one_of_two() {
    zcat tests/data/demo.fa.gz |
        "$b/fault/msvfilt" --backend cuda --device 0,1 tests/data/fn3.hmm >/dev/null 2>&1 || return 0
    for tool; do
        mkdir "$work/$tool.one"
        step "faults of one of two devices, $tool" env -C "$work/$tool.one" WS_FAULT_DEVICE=0 \
            sh "$PWD/tests/fault/device.sh" "$b/fault" "$tool" 60 4 0,1
    done
}

count_faults() {
    settle
    cat "$work"/*/fault.counts | awk -F '\t' '{ n += $2 + $3; bad += $3 }
        END { printf "%d faults: %d ended with status 1, %d did no harm\n", n, bad, n - bad }'
    rm -f "$work"/*/fault.counts
}

has() { command -v "$1" >/dev/null || { echo "no $1: skipped"; return 1; }; }

faults() {
    has python3 || return 0
    # shellcheck disable=SC2046 # names of programs
    faults_of $(echo "$TOOLS" | tr ' ' '\n' | grep -v 'sieve$')
    # with several devices, one tool: the driver takes a second and more to open them
    if zcat tests/data/demo.fa.gz |
        "$b/fault/msvfilt" --backend cuda --device 0,1 tests/data/fn3.hmm >/dev/null 2>&1; then
        mkdir "$work/several"
        step "faults of two devices, msvfilt" env -C "$work/several" sh "$PWD/tests/fault/device.sh" "$b/fault" msvfilt 20 4 0,1
    fi
    one_of_two msvfilt pairhmm papara-score mrfseg hmmcast
    count_faults
}

searches() {
    has python3 || return 0
    # shellcheck disable=SC2046 # names of programs
    faults_of $(echo "$TOOLS" | tr ' ' '\n' | grep 'sieve$')
    one_of_two hmmsieve nhmmsieve
    count_faults
}

# Runs a test under a tool of compute-sanitizer. A hazard that racecheck calls a warning leaves its status 0, and so
# does a run without a summary: each is a failure.
under() { # under TOOL TEST [ARGUMENT...]
    tool=$1
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$@" >"$work/$tool.$steps" 2>&1
    status=$?
    cat "$work/$tool.$steps"
    [ $status = 0 ] || return $status
    [ "$tool" != racecheck ] || grep -q 'RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)' "$work/$tool.$steps"
}

sanitize() { # sanitize TOOL [SIZE...]
    tool=$1
    shift
    has compute-sanitizer || return 0
    for test in check papara pairhmm mrf long dom; do
        most=66
        # with 66, racecheck of these two did not end in 540 s of an H100, beside the other steps
        [ "$tool" != racecheck ] || case $test in mrf | dom) most=33 ;; esac
        step "compute-sanitizer $tool, $test" under "$tool" "$b/tests/gpu/$test" -m $most
    done
    for size; do
        kernel=${size% *} nodes=${size#* }
        step "compute-sanitizer $tool, $kernel, $nodes nodes" \
            under "$tool" "$b/tests/gpu/check" -k "$kernel" -l "$nodes" -m "$nodes" -s 130
    done
    settle
}

for p in $parts; do
    begun=$(date +%s)
    case $p in
    scores) scores ;;
    faults) faults ;;
    searches) searches ;;
    initcheck) sanitize initcheck ;;
    # the shortest models of kernels for long ones
    *) sanitize "$p" "msv 512" "fwd 2405" "fwd 3073" "vit 1409" "vit 1537" "vit 2049" "vit 8193" ;;
    esac
    echo "== part $p: $(($(date +%s) - begun)) s"
done
[ $failed = 0 ] && echo "gpu-check: passed ($parts)" || echo "gpu-check: FAILED ($parts)"
exit $failed
