#!/bin/sh
# SPDX-License-Identifier: MIT
# The attacks of docs/reliability.md in one run (make attack): prints attack, tries and failures, and exits with 1 if one failed.
# A try is what each attack counts: a mutated input, a fault at one place, a run under a random load, a test of damaged or hostile input.
#   tests/attack.sh BUILD [ROUNDS]     BUILD: where make has put the test programs; ROUNDS of random loads, 150
set -u
build=$1 rounds=${2:-150}
cd "$(dirname "$0")/.." || exit 1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0

say() { # say ATTACK TRIES FAILURES
    printf '%s\t%s\t%s\n' "$@"
    [ "$3" -eq 0 ] || { bad=1; grep -A12 '^not ok' "$out" >&2; }
}

printf 'attack\ttries\tfailures\n'
for target in fasta fastq gzip hmmbin hmmtext newick packed pairhmm phylip tsv; do
    WARPSIEVE_FUZZ_RUNS=1000000 "$build/tests/fuzz/$target" >"$out" 2>&1
    say "mutated input: $target" 1000000 $(($? != 0))
done

# Tests of bats files: a try is a test, or a fault where the file counts them.
tests() { # tests ATTACK FILE [FILTER]
    WARPSIEVE_TESTS=quick bats ${3:+-f "$3"} "tests/$2" >"$out" 2>&1
    tries=$(awk '/^# ran [0-9]+ faults/ { n += $3 } /^(not )?ok/ { m++ } END { print n ? n : m + 0 }' "$out")
    say "$1" "$tries" "$(grep -c '^not ok' "$out")"
}
tests 'faults of the system: tools of sequences' faults.bats
tests 'faults of the system: pairhmm, papara-score' faults-pairs.bats
tests 'damaged, cut and hostile input' input.bats
tests 'stages that die, names like headers, cut tables' chain.bats
tests 'files that survive misuse, links, signals, full disks' contract.bats 'survive|SIGHUP|disk|output|descriptors|closed reader'
tests 'pairhmm: matrix and rows, results and regions' pairhmm.bats
tests 'papara-score: trees, alignments, outputs' papara.bats

sh tests/thrash.sh "$rounds" >"$out" 2>&1
say 'random loads: batches, threads, backends, pace' "$rounds" $(($? != 0))
exit $bad
