#!/bin/sh
# SPDX-License-Identifier: MIT
# The attacks of docs/reliability.md in one run (make attack): prints attack, tries and failures, and exits with 1 if
# one failed. A try is what each attack counts: a mutated input, a fault at one place, a run under a random load, a test
# of damaged or hostile input.
#   tests/attack.sh BUILD [TRIES [SEED]]     BUILD: where make has put the test programs; TRIES of each random attack, 300
# With fewer TRIES the attacks of size (10^9 residues, 10^5 queries) are smaller too.
set -u
build=$1 tries=${2:-300} seed=${3:-1}
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf 'attack\ttries\tfailures\n'

say() { # say ATTACK TRIES FAILURES LOG
    printf '%s\t%s\t%s\n' "$1" "$2" "$3"
    [ "$3" -eq 0 ] || { echo "$1" >>"$tmp/bad"; grep -A12 '^not ok' "$4" >&2; }
}

parsers() {
    for target in "$@"; do
        WARPSIEVE_FUZZ_RUNS=${ATTACK_RUNS:-1000000} "$build/tests/fuzz/$target" >"$tmp/$target" 2>&1
        bad=$(($? != 0)) # some targets make fewer, as they say
        say "mutated input: $target" "$(sed -n 's/^ok.* \([0-9]*\) mutations$/\1/p' "$tmp/$target" | grep . || echo 0)" $bad "$tmp/$target"
    done
}

# Tests of bats files: a try is a test, or a fault where the file counts them.
tests() { # tests ATTACK FILE [FILTER]
    WARPSIEVE_TESTS=quick bats ${3:+-f "$3"} "tests/$2" >"$tmp/$2" 2>&1
    say "$1" "$(awk '/^# ran [0-9]+ faults/ { n += $3 } /^(not )?ok/ { m++ } END { print n ? n : m + 0 }' "$tmp/$2")" \
        "$(grep -c '^not ok' "$tmp/$2")" "$tmp/$2"
}

programs() {
    tests 'faults of the system: tools of sequences' faults.bats
    tests 'faults of the system: pairhmm, papara-score, mrfseg' faults-pairs.bats
    if [ -n "${WARPSIEVE_FAULTY:-}" ]; then
        tests 'faults of a fake device' faults-cuda.bats
    else
        say 'faults of a fake device (not here: built without CUDA)' 0 0
    fi
    tests 'damaged, cut and hostile input' input.bats
    tests 'zstd and BGZF: cut, damaged, any number of threads' compressed.bats
    tests 'signals: ignored, blocked, of process 1' signals.bats
    tests 'stages that die, names like headers, cut tables' chain.bats
    tests 'files that survive misuse, links, signals, full disks' contract.bats 'survive|SIGHUP|disk|output|descriptors|closed reader'
    tests 'pairhmm: matrix and rows, results and regions' pairhmm.bats
    tests 'papara-score: trees, alignments, outputs' papara.bats
    tests 'mrfseg: volumes, classes, outputs' mrfseg.bats
    tests 'hmmcast: alignments, matrices, faults of the system' hmmcast.bats 'wrong|misuse|mxfile|alphabets|disks|faults'
    sh tests/thrash.sh $((tries / 2)) "$seed" >"$tmp/thrash" 2>&1
    say 'random loads of the tools of sequences' $((tries / 2)) $(($? != 0)) "$tmp/thrash"
    python3 tests/attacks.py "$tries" "$seed" 2>"$tmp/attacks" || { echo attacks >>"$tmp/bad"; cat "$tmp/attacks" >&2; }
}

# Two at a time: parsers, which take about as long as all others.
# shellcheck disable=SC2046 # a word for each target
parsers $(cd tests/fuzz && for f in *.c; do [ "$f" = main.c ] || echo "${f%.c}"; done) &
programs
wait
[ ! -e "$tmp/bad" ]
