#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tests/run.sh, which make check calls: everything is run, and nothing that fails is lost.

bats_require_minimum_version 1.5.0
load helper

# A program of that name, made of these lines
program() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }

setup() {
    cd "$BATS_TEST_TMPDIR"
    mkdir -p tests build/lib
    cp "$top/tests/run.sh" tests/
    printf '@test "one" { true; }\n@test "two" { skip "no reason"; }\n' >tests/few.bats
    program build/lib/good 'echo "ok 1 - fine"; echo 1..1'
}
# without the options that a run of make check around this one gives to sanitizers
runs() { outside_of_bats env -u ASAN_OPTIONS -u UBSAN_OPTIONS -u LSAN_OPTIONS -u TSAN_OPTIONS sh tests/run.sh quick "$@"; }
counts() { tail -1 <<<"$output"; }

@test "programs and bats files are run, skipped tests are named" {
    run -0 runs build/lib/good "$PWD/build/lib/good"
    [ "$(counts)" = "3 passed, 0 failed, 1 skipped" ] || fail "$output"
    grep -qx 'skipped: two *# skip no reason' <<<"$output"
    grep -qE '^lib/good +1 ok +0 failed' <<<"$output"
}

@test "each kind of failure is counted and shown" {
    program build/lib/wrong 'echo "not ok 1 - seven is eight"; echo "#  line 3"; exit 1'
    program build/lib/status 'echo "ok 1"; exit 3'
    program build/lib/silent ''
    program build/lib/killed 'echo "ok 1"; kill -9 $$'
    run -1 runs build/lib/good build/lib/wrong build/lib/status build/lib/silent build/lib/killed
    [ "$(counts)" = "4 passed, 4 failed, 1 skipped" ] || fail "$output"
    grep -q '^not ok 1 - seven is eight' <<<"$output"
    grep -q 'lib/status: exit status 3' <<<"$output"
    grep -q 'lib/silent: exit status 0, 0 tests' <<<"$output"
    grep -q 'lib/killed: exit status 137' <<<"$output"
    echo '@test "three" { false; }' >>tests/few.bats
    run -1 runs build/lib/good
    grep -q '^not ok 3 three' <<<"$output"
    [ "$(counts)" = "2 passed, 1 failed, 1 skipped" ] || fail "$output"
}

@test "a report of a sanitizer is a failure of the file that met it, whatever its tests say" {
    # shellcheck disable=SC2016 # the program expands it
    program build/lib/leaks 'f=$(echo "$ASAN_OPTIONS" | sed "s/.*log_path=\([^:]*\).*/\1/"); echo "SUMMARY: leak" >"$f.1"; echo "ok 1"'
    run -1 runs build/lib/leaks build/lib/good
    [ "$(counts)" = "3 passed, 1 failed, 1 skipped" ] || fail "$output"
    grep -q 'lib/leaks: 1 reports of a sanitizer' <<<"$output"
    grep -q 'SUMMARY: leak' <<<"$output"
}

@test "a file whose run is ended from outside is a failure" {
    # shellcheck disable=SC2016 # the program expands it
    program build/lib/ends 'echo "ok 1"; kill -9 $PPID'
    run -1 runs build/lib/ends
    grep -q '[12] files did not run to their end' <<<"$output"
}

@test "a test that misses a program is skipped, and fails with CI=true" {
    printf 'load %s/tests/helper\n@test "needs" { wants sh no-such-program; true; }\n' "$top" >tests/needs.bats
    run -0 outside_of_bats bats --tap tests/needs.bats
    grep -q '^ok 1 needs # skip no-such-program is not installed$' <<<"$output" || fail "$output"
    run -1 outside_of_bats env CI=true bats --tap tests/needs.bats
    grep -q 'no-such-program is not installed: sh tests/deps.sh installs it' <<<"$output" || fail "$output"
}
