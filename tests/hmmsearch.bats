#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The chain keeps what hmmsearch keeps: tests/hmmsearch.sh on models and proteomes. With WARPSIEVE_TESTS=full (make check-full) on all
# pairs of the project's specification, if their data are there.

bats_require_minimum_version 1.5.0
load helper

shared=$top/../shared
setup_file() { cd "$BATS_FILE_TMPDIR"; cat "$data"/globins4.hmm "$data"/demo.hmm "$data"/fn3.hmm >three.hmm; }
setup() { in_data; }

compare() { # compare MODELS SEQUENCES
    run -0 sh "$top/tests/hmmsearch.sh" "$1" "$2"
    [[ ${lines[-1]} == equal:* ]]
    echo "# ran ${lines[-1]}" >&3
}
full() { [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"; [ -d "$shared/data" ] || skip "its data are not there"; }
proteomes() { # proteomes MODELS
    local f
    for f in "$shared"/data/UP*.fasta.gz; do compare "$1" "$f"; done
}

@test "globins4 against 400 proteins" { compare "$data/globins4.hmm" "$data/demo.fa.gz"; }
@test "Pkinase against 400 proteins" { compare "$data/demo.hmm" "$data/demo.fa.gz"; }
@test "fn3 against 400 proteins" { compare "$data/fn3.hmm" "$data/demo.fa.gz"; }
@test "the three in one file against 400 proteins" { compare three.hmm "$data/demo.fa.gz"; }

@test "the three against a whole proteome" {
    [ -d "$shared/data" ] || skip "its data are not there"
    compare three.hmm "$shared/data/UP000002311-S.cerevisiae.fasta.gz"
}

@test "globins4 against three proteomes" { full; proteomes "$shared/golden/models/globins4.hmm"; }
@test "Pkinase against three proteomes" { full; proteomes "$shared/golden/models/Pkinase.hmm"; }
@test "fn3 against three proteomes" { full; proteomes "$shared/golden/models/fn3.hmm"; }
@test "cudampf400 against three proteomes" { full; proteomes "$shared/golden/models/cudampf400.hmm"; }
@test "cudampf1001 against three proteomes" { full; proteomes "$shared/golden/models/cudampf1001.hmm"; }
@test "250 models in one pass against three proteomes" { full; proteomes "$shared/data/padloc-250.hmm.gz"; }
