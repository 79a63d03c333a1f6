#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# warpsieve.pyhmmer and warpsieve.patch: searches with pyhmmer's objects, against pyhmmer where python3 has it, under its
# own tests, and under tools over it.

bats_require_minimum_version 1.5.0
load helper

setup() { in_python; }

beside() {
    python3 -c 'import pyhmmer' 2>/dev/null || skip "python3 has no pyhmmer"
    [ "$1" = usual ] || python3 -c 'import pyhmmer, sys; sys.exit(not pyhmmer.__version__.startswith("0.12."))' ||
        skip "the test is for pyhmmer 0.12"
    timeout 300 python3 "$top/tests/pyhmmer_place.py" "$1" "$data"
}

@test "without pyhmmer patch() has a sentence, and the rest works" {
    timeout 300 python3 "$top/tests/pyhmmer_place.py" absent "$data"
}

@test "pyhmmer's place: hmmsearch, hmmscan, phmmer are the same" { beside searches; }
@test "pyhmmer's place: the usual searches, also of pyhmmer 0.11" { beside usual; }
@test "pyhmmer's place: hits of one score" { beside ties; }
@test "pyhmmer's place: files of sequences, models and pressed models" { beside files; }
@test "pyhmmer's place: nhmmer" { beside long; }
@test "pyhmmer's place: jackhmmer, checkpoints, select_hits" { beside rounds; }
@test "pyhmmer's place: hmmalign" { beside aligned; }
@test "pyhmmer's place: results are pickled, merged, sorted, changed" { beside objects; }
@test "pyhmmer's place: what is pyhmmer's own, and its errors" { beside theirs; }
@test "pyhmmer's place: callbacks, errors, threads, Ctrl-C, nothing left" { beside calls; }
@test "patch and unpatch" { beside patched; }

@test "pyhmmer's own tests over warpsieve's searches" {
    ran=$(python3 "$top/tests/pyhmmer_own.py" 2>log) || fail "$(tail -40 log)"
    case $ran in skipped*) skip "${ran#skipped: }" ;; esac
    tail -1 <<<"$ran" | grep -q '^\([0-9]*\) of \1 tests of pyhmmer pass$'
}

@test "python3 -m warpsieve.pyhmmer: pybarrnap and GECCO, unchanged, write the same files" {
    python3 -c 'import pybarrnap' 2>/dev/null || skip "python3 has no pybarrnap"
    example=$(python3 -c 'import os, pybarrnap; print(os.path.dirname(pybarrnap.__file__))')/example_data/minimum.fna
    python3 -m pybarrnap -q -o want.fa "$example" >want.gff
    python3 -m warpsieve.pyhmmer -m pybarrnap -q -o got.fa "$example" >got.gff
    same want.gff got.gff
    same want.fa got.fa
    python3 -m warpsieve.pyhmmer pybarrnap -q "$example" >got.gff
    same want.gff got.gff
    cat >calls.py <<'END'
import sys
from pyhmmer import hmmsearch
print(hmmsearch.__module__, sys.argv)
END
    [ "$(python3 -m warpsieve.pyhmmer calls.py -x)" = "warpsieve.pyhmmer.hmmer ['calls.py', '-x']" ]
    run python3 -m warpsieve.pyhmmer nosuch
    [ "$status" -eq 1 ] && [[ $output == *"nosuch is no command"* ]]
    python3 -c 'import gecco' 2>/dev/null || return 0
    python3 -m gecco run -q -j 1 --force-tsv -g "$example" -o want
    python3 -m warpsieve.pyhmmer -m gecco run -q -j 1 --force-tsv -g "$example" -o got
    diff -r want got
}
