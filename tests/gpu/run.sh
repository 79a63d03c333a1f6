#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the CUDA backends: scores against scalar, the tools' bytes under faults of the device, and
# compute-sanitizer on small sizes. Steps that do not depend on one another run at the same time: the truth of long
# models takes a core a minute.
# Usage: run.sh BUILD [scores] [faults] [sanitizer]     these parts, by default all (make gpu-check)
set -u
b=$(cd "$1" && pwd) || exit 1
shift
parts=${*:-scores faults sanitizer}
for p in $parts; do case $p in scores | faults | sanitizer) ;; *) echo "run.sh: there is no part \"$p\"" >&2; exit 2 ;; esac; done
wanted() { case " $parts " in *" $1 "*) ;; *) return 1 ;; esac; }
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

if wanted scores; then
    for kernel in ssv msv vit fwd; do step "scores, $kernel, one device" "$b/tests/gpu/check" -k $kernel; done
    step "scores, all devices" "$b/tests/gpu/check" -d all -m 520
    step "golden scores" "$b/tests/lib/golden" -b cuda
    step "papara-score" "$b/tests/gpu/papara"
    step "pairhmm" "$b/tests/gpu/pairhmm"
    step "mrfseg" "$b/tests/gpu/mrf"
    step "long targets" "$b/tests/gpu/long"
    step "domain stage" "$b/tests/gpu/dom"
    settle
fi

if ! wanted faults; then
    :
elif command -v python3 >/dev/null; then
    for tool in $TOOLS; do
        "$b/fault/$tool" --list-backends | grep -q '^cuda.yes' || continue
        mkdir "$work/$tool"
        step "faults of the device, $tool" env -C "$work/$tool" sh "$PWD/tests/fault/device.sh" "$b/fault" "$tool" 3 2
    done
    # with several devices, one tool: the driver takes a second and more to open them
    if zcat tests/data/demo.fa.gz |
        "$b/fault/msvfilt" --backend cuda --device 0,1 tests/data/fn3.hmm >/dev/null 2>&1; then
        mkdir "$work/several"
        step "faults of two devices, msvfilt" env -C "$work/several" sh "$PWD/tests/fault/device.sh" "$b/fault" msvfilt 20 4 0,1
    fi
    settle
    cat "$work"/*/fault.counts | awk -F '\t' '{ n += $2 + $3; bad += $3 }
        END { printf "%d faults: %d ended with status 1, %d did no harm\n", n, bad, n - bad }'
else
    echo "no python3, so no faults of the device: skipped"
fi

if ! wanted sanitizer; then
    :
elif command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
        for test in check papara pairhmm mrf long dom; do
            step "compute-sanitizer $tool, $test" \
                compute-sanitizer --tool $tool --error-exitcode 9 "$b/tests/gpu/$test" -m 66
        done
    done
    # rows that cross warps and blocks: the shortest models of each kernel for long ones
    for tool in memcheck racecheck; do
        for size in "fwd 2405" "fwd 3073" "vit 1025" "vit 2049" "vit 8193"; do
            kernel=${size% *} nodes=${size#* }
            step "compute-sanitizer $tool, $kernel, $nodes nodes" \
                compute-sanitizer --tool $tool --error-exitcode 9 "$b/tests/gpu/check" -k "$kernel" -l "$nodes" -m "$nodes" -s 130
        done
    done
    settle
else
    echo "no compute-sanitizer: skipped"
fi
[ $failed = 0 ] && echo "gpu-check: passed ($parts)" || echo "gpu-check: FAILED ($parts)"
exit $failed
