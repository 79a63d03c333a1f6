#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the CUDA backends: scores against scalar, the tools' bytes, and compute-sanitizer on small sizes.
# Usage: run.sh BUILD   (make gpu-check)
set -u
b=$1
failed=0

step() {
    name=$1
    shift
    echo "== $name"
    "$@" || { echo "== $name: FAILED"; failed=1; }
}

step "scores, one device" "$b/tests/gpu/check"
if "$b/tests/gpu/check" -m 1 | grep -qE '# SKIP|a device:'; then
    [ $failed = 0 ] && echo "no device: skipped" # WARPSIEVE_REQUIRE_GPU=1 has failed above
    exit $failed
fi
step "papara-score" "$b/tests/gpu/papara"
step "pairhmm" "$b/tests/gpu/pairhmm"
step "scores, all devices" "$b/tests/gpu/check" -d all -m 520
if command -v python3 >/dev/null; then
    data=$(mktemp -d) || exit 1
    for tool in $TOOLS; do
        "$b/fault/$tool" --list-backends | grep -q '^cuda.yes' || continue
        step "faults of the device, $tool" env -C "$data" sh "$PWD/tests/fault/device.sh" "$PWD/$b/fault" "$tool" 3 2
    done
    awk -F '\t' '{ n += $2 + $3; bad += $3 }
        END { printf "%d faults: %d ended with status 1, %d did no harm\n", n, bad, n - bad }' "$data/fault.counts"
    rm -r "$data"
else
    echo "no python3, so no faults of the device: skipped"
fi
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
        step "compute-sanitizer $tool" compute-sanitizer --tool $tool --error-exitcode 9 "$b/tests/gpu/check" -m 66
        step "compute-sanitizer $tool, papara-score" compute-sanitizer --tool $tool --error-exitcode 9 "$b/tests/gpu/papara" -m 66
        step "compute-sanitizer $tool, pairhmm" compute-sanitizer --tool $tool --error-exitcode 9 "$b/tests/gpu/pairhmm" -m 66
    done
else
    echo "no compute-sanitizer: skipped"
fi
exit $failed
