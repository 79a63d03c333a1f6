#!/bin/sh
# SPDX-License-Identifier: MIT
# The attacks of docs/reliability.md in one run (make attack): prints attack, tries and failures, and exits with 1 if
# one failed. A try is what each attack counts: a mutated input, a fault at one place, a run under a random load, a test
# of damaged or hostile input.
#   tests/attack.sh BUILD [TRIES [SEED]]     BUILD: where make has put the test programs; TRIES of each random attack, 300
# As many attacks run at once as there are cores: 16 take six minutes, two an hour. With fewer TRIES the attacks of size
# (10^9 residues, 10^5 queries) are smaller too.
set -u
cd "$(dirname "$0")/.." || exit 1

say() { # say ATTACK TRIES FAILURES LOG
    printf '%s\t%s\t%s\n' "$1" "$2" "$3"
    [ "$3" -eq 0 ] || { echo "$1" >>"$ATTACK_LOGS/bad"; grep -A12 '^not ok' "$4" >&2; }
}

parser() { # parser TARGET: some make fewer mutations, as they say
    WARPSIEVE_FUZZ_RUNS=${ATTACK_RUNS:-1000000} "$ATTACK_BUILD/tests/fuzz/$1" >"$ATTACK_LOGS/$1" 2>&1
    bad=$(($? != 0))
    say "mutated input: $1" "$(sed -n 's/^ok.* \([0-9]*\) mutations$/\1/p' "$ATTACK_LOGS/$1" | grep . || echo 0)" $bad "$ATTACK_LOGS/$1"
}

# Tests of bats files: a try is a test, or a fault where the file counts them.
tests() { # tests FILE ATTACK [FILTER]
    WARPSIEVE_TESTS=quick bats ${3:+-f "$3"} "tests/$1" >"$ATTACK_LOGS/$1" 2>&1
    say "$2" "$(awk '/^# ran [0-9]+ faults/ { n += $3 } /^(not )?ok/ { m++ } END { print n ? n : m + 0 }' "$ATTACK_LOGS/$1")" \
        "$(grep -c '^not ok' "$ATTACK_LOGS/$1")" "$ATTACK_LOGS/$1"
}

thrash() { # thrash ROUNDS SEED
    sh tests/thrash.sh "$1" "$2" >"$ATTACK_LOGS/thrash.$2" 2>&1
    say "random loads of the tools of sequences, seed $2" "$1" $(($? != 0)) "$ATTACK_LOGS/thrash.$2"
}

random() { # random TRIES SEED NAME, which prints its own line
    python3 tests/attacks.py "$1" "$2" "$3" 2>"$ATTACK_LOGS/$3" || { echo "$3" >>"$ATTACK_LOGS/bad"; cat "$ATTACK_LOGS/$3" >&2; }
}

list() { # list TRIES SEED: a line each, the long ones first
    if [ -n "${WARPSIEVE_FAULTY:-}" ]; then
        echo "tests faults-cuda.bats 'faults of a fake device'"
    else
        printf 'faults of a fake device (not here: built without CUDA)\t0\t0\n' >&3
    fi
    cat <<'JOBS'
tests faults.bats 'faults of the system: tools of sequences'
tests input.bats 'damaged, cut and hostile input'
tests faults-pairs.bats 'faults of the system: pairhmm, papara-score, mrfseg'
JOBS
    for name in $(python3 tests/attacks.py names); do echo "random $1 $2 $name"; done
    for n in 0 1 2 3 4; do echo "thrash $(($1 / 10)) $(($2 * 5 + n))"; done
    cat <<'JOBS'
tests contract.bats 'files that survive misuse, links, signals, full disks' 'survive|SIGHUP|disk|output|descriptors|closed reader'
tests pairhmm.bats 'pairhmm: matrix and rows, results and regions'
tests papara.bats 'papara-score: trees, alignments, outputs'
tests mrfseg.bats 'mrfseg: volumes, classes, outputs'
tests hmmcast.bats 'hmmcast: alignments, matrices, faults of the system' 'wrong|misuse|mxfile|alphabets|disks|faults'
tests compressed.bats 'zstd and BGZF: cut, damaged, any number of threads'
tests chain.bats 'stages that die, names like headers, cut tables'
tests signals.bats 'signals: ignored, blocked, of process 1'
JOBS
    for target in tests/fuzz/*.c; do
        [ "$target" = tests/fuzz/main.c ] || { target=${target##*/} && echo "parser ${target%.c}"; }
    done
}

if [ "$1" = --job ]; then
    eval "$2"
    exit
fi
export ATTACK_BUILD="$1" ATTACK_LOGS
ATTACK_LOGS=$(mktemp -d)
trap 'rm -rf "$ATTACK_LOGS"' EXIT
exec 3>&1
printf 'attack\ttries\tfailures\n'
list "${2:-300}" "${3:-1}" | tr '\n' '\0' | xargs -0 -n 1 -P "$(nproc)" sh tests/attack.sh --job
[ ! -e "$ATTACK_LOGS/bad" ]
