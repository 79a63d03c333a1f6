#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A short turn of tests/thrash.sh; the long ones are make thrash and make tsan-thrash.

bats_require_minimum_version 1.5.0
load helper

@test "random batch sizes, threads, backends, producers and consumers: the bytes of a plain run" {
    local rounds=25
    [ "${WARPSIEVE_TESTS:-quick}" = quick ] || rounds=500
    run -0 sh "$top/tests/thrash.sh" $rounds
}
@test "random attacks on every output format of every tool, chains, damaged input, odd outputs" {
    local tries=12
    [ "${WARPSIEVE_TESTS:-quick}" = quick ] || tries=200
    ! sanitized || skip 'a sanitizer is in the way of the shim, and keeps memory for itself'
    run -0 python3 "$top/tests/attacks.py" $tries
}
@test "load: names of 1 MB, a million empty records, 20 million residues in bounded memory" {
    ! sanitized || skip 'a sanitizer keeps memory for itself'
    run -0 python3 "$top/tests/load.py" residues 20000000
    run -0 python3 "$top/tests/load.py" names 1000000
    run -0 python3 "$top/tests/load.py" empty 1000000
}
