#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Searches in Python's memory: the module with the shared object, against the programs' own tables, and against pyhmmer
# where python3 has it.

bats_require_minimum_version 1.5.0
load helper

setup() { in_python; }

part() { timeout 300 python3 "$top/tests/pymem.py" "$1" "$data"; }
other() { timeout 300 python3 "$top/tests/pylong.py" "$1" "$data"; }

@test "hits in memory are those of the programs' tables" { part tables; }
@test "lists, counts, alignments and pickles" { part attributes; }
@test "TopHits.write: the tables of the programs" { part written; }
@test "TopHits.merge: lists of parts are the list of the whole" { part merges; }
@test "models and sequences as paths, bytes, files and objects" { part inputs; }
@test "HMM and HMM.split: what the programs take, and nothing else" { part models; }
@test "errors are exceptions with the program's sentence" { part errors; }
@test "threads: others run, several searches at once, Ctrl-C" { part threads; }
@test "Ctrl-C while models are made" { part interrupted; }
# One arena: how many of them threads fill is chance.
@test "400 searches leave no memory and no file behind" { MALLOC_ARENA_MAX=1 part memory; }
@test "nhmmer in memory: the tables of nhmmsieve" { other long; }
@test "to_msa and hmmalign: the alignments of the programs" { other aligned; }
@test "TopHits.write: Pfam's table" { other pfam; }
@test "jackhmmer with checkpoints, + and copy" { other rounds; }
@test "import warpsieve is quick" { part start; }

@test "pyhmmer finds the same in the same" {
    python3 -c 'import pyhmmer' 2>/dev/null || skip "python3 has no pyhmmer"
    timeout 300 python3 "$top/tests/pyhmmer_same.py" "$data"
}

@test "programs over the shared object: the same bytes as those that hold everything" {
    hmmsieve --version | grep -v '^commit:' >got
    "$top/bin/hmmsieve" --version | grep -v '^commit:' >want
    same want got
    hmmsieve --no-provenance -O tsv "$data/demo.hmm" "$data/demo.fa.gz" >got
    "$top/bin/hmmsieve" --no-provenance -O tsv "$data/demo.hmm" "$data/demo.fa.gz" >want
    same want got
    run -2 --separate-stderr hmmsieve --nosuch
    [ -n "$stderr" ]
    [ "$(nm -D --defined-only "$top/${B:-build}/shared/lib/warpsieve/libwarpsieve.so" | grep -cv ' ws_library_')" -eq 0 ]
}
