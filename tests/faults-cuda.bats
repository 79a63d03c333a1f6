#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Faults of a device, without one: the tools with tests/fault/cuda.cu in front of the runtime, which also plays a device whose
# kernels do nothing. tests/gpu/run.sh does the same on a real one.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() { make_data; }
setup() {
    in_data
    # shellcheck disable=SC2154 # the Makefile exports it
    [ -n "${WARPSIEVE_FAULTY:-}" ] || skip 'built without CUDA'
    export WS_FAULT_FAKE=2
    step=3
    ! full || step=1
}
teardown() { show_counts; }
device_tools() { local t; for t in $(all_tools); do ! "$WARPSIEVE_FAULTY/$t" --list-backends | grep -q '^cuda.yes' || echo "$t"; done; }

one_thread() { sh "$top/tests/fault/device.sh" "$WARPSIEVE_FAULTY" "$1" $step 1; }
three_threads() { sh "$top/tests/fault/device.sh" "$WARPSIEVE_FAULTY" "$1" $((2 * step)) 3; }

@test "each tool with a cuda backend can be given a device that is none" { [ "$(device_tools | wc -l)" -ge 6 ]; }
@test "no memory, no pinned memory, no launch, a lost device, any call that fails" { each one_thread $(device_tools); }
@test "the same with three threads" { each three_threads $(device_tools); }

two_devices() {
    for kind in gone call; do
        shim=- drive $kind 1 100000 $((7 * step)) tsv stdout -- \
            "$WARPSIEVE_FAULTY/$1" --backend cuda --device all -t 4 -a -K 3000 three.hmm small.fa
    done
}
@test "the same with two devices" { each two_devices $(sequence_tools model); }

no_memory() {
    drive thread 1 4 1 tsv stdout -- \
        "$WARPSIEVE_FAULTY/$1" --backend cuda -t 2 -a -K 3000 three.hmm small.fa
    drive memory 1 5000 $step tsv stdout -- \
        "$WARPSIEVE_FAULTY/$1" --backend cuda -t 2 -a -K 3000 three.hmm small.fa
}
@test "a run on a device: no memory of the host at the n-th allocation, no threads" {
    make_shim
    each no_memory $(sequence_tools model)
}

@test "--backend auto goes on without a device that cannot be opened" {
    local n
    for _ in $(seq 60); do cat demo.fa; done >long.fa # more than a second of work, so a device is asked for
    fwdscore --backend avx2 -a -t 1 three.hmm long.fa >want || fwdscore --backend scalar -a -t 1 three.hmm long.fa >want
    for n in 1 9 15 21; do
        rm -f struck
        WS_FAULT=gone=$n WS_FAULT_LOG=struck "$WARPSIEVE_FAULTY/fwdscore" -a -t 1 three.hmm long.fa >got 2>said || fail "$n: $(cat said)"
        [ -s struck ] || fail "no device was asked for"
        same want got || fail "$n: other rows"
        [ $n -eq 1 ] || grep -q '^fwdscore: goes on without a device: .* failed on the device: ' said || fail "$n: $(cat said)"
    done
}

@test "the sentence says what failed" {
    local t
    for t in $(sequence_tools model); do
        # shellcheck disable=SC2030 # the next case sets its own
        export WS_FAULT=pinned=1
        run -1 --separate-stderr "$WARPSIEVE_FAULTY/$t" --backend cuda -a m.hmm small.fa
        told 'no [0-9]+ bytes of memory to pin'
        export WS_FAULT=lost=3
        run -1 --separate-stderr "$WARPSIEVE_FAULTY/$t" --backend cuda -a -K 3000 m.hmm small.fa
        told 'failed on the device: an illegal memory access'
    done
}
