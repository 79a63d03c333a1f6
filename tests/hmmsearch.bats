#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The chain keeps what hmmsearch keeps: tests/hmmsearch.sh on models and proteomes. With WARPSIEVE_TESTS=full (make
# check-full) on all pairs of the project's specification, if their data are there.

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
full() { [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"; [ -d "$shared/data" ] ||
    skip "its data are not there"; }
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

# ---- hmmsieve in place of hmmsearch: the same options, the same files ----

# Without what names program, file and date.
report() { grep -v '^# \|^#$' "$1" || true; }
equal_with() { # equal_with MODELS SEQUENCES OPTION...
    local models=$1 sequences=$2
    shift 2
    hmmsearch "$@" --tblout want.tbl --domtblout want.dom -A want.sto -o want.out "$models" "$sequences"
    hmmsieve "$@" --tblout got.tbl --domtblout got.dom -A got.sto -o got.out "$models" "$sequences"
    for x in tbl dom; do same <(sed '/^#$/,$d' want.$x) <(sed '/^#$/,$d' got.$x) || fail "$*: $x"; done
    same <(sed '/^#=GF AU/d' want.sto) <(sed '/^#=GF AU/d' got.sto) || fail "$*: -A"
    same <(report want.out) <(report got.out) || fail "$*: the report"
    [ "$(grep -vc '^#' want.tbl)" -ge 5 ] || fail "$*: few hits"
}
@test "hmmsieve: each option as in hmmsearch" {
    zcat "$data/demo.fa.gz" >demo.fa
    cp "$data/demo.hmm" m.hmm
    while read -r options; do
        # -Z, because without it the columns' widths depend on what hmmsearch had read when a hit came
        case $options in *-Z*) ;; *) options="-Z 400 $options" ;; esac
        equal_with m.hmm demo.fa $options
    done <<'OPTIONS'

-E 1e-20
-T 60
--domE 1e-20
--domT 60
--incE 1e-40
--incT 150
--incdomE 1e-40
--incdomT 150
-E 100 --domE 100 --incE 10 --incdomE 10 --nobias
-Z 1000000
--domZ 5000
--cut_ga
--cut_nc
--cut_tc
--nonull2
--seed 7
--max
--F1 0.1 --F2 0.05 --F3 0.01
--noali
--notextw
--textw 160
--acc
OPTIONS
    equal_with three.hmm demo.fa -Z 400
    equal_with three.hmm demo.fa -Z 400 --max -E 1000 --domE 1000
}
@test "hmmsieve: 43 models and padloc-250 against three proteomes" {
    full
    for f in "$shared"/data/UP*.fasta.gz; do
        zcat "$f" >all.fa
        for m in "$shared"/golden/models/*.hmm; do equal_any "$m" all.fa; done
        zcat "$shared/data/padloc-250.hmm.gz" >250.hmm
        equal_any 250.hmm all.fa
    done
}
equal_any() { # for searches that may have no hits
    hmmsearch -Z 5000 --tblout want.tbl --domtblout want.dom -A want.sto -o /dev/null "$1" "$2"
    hmmsieve -Z 5000 --tblout got.tbl --domtblout got.dom -A got.sto -o /dev/null "$1" "$2"
    for x in tbl dom; do same <(sed '/^#$/,$d' want.$x) <(sed '/^#$/,$d' got.$x) || fail "$1: $x"; done
    same <(sed '/^#=GF AU/d' want.sto) <(sed '/^#=GF AU/d' got.sto) || fail "$1: -A"
}

@test "globins4 against three proteomes" { full; proteomes "$shared/golden/models/globins4.hmm"; }
@test "Pkinase against three proteomes" { full; proteomes "$shared/golden/models/Pkinase.hmm"; }
@test "fn3 against three proteomes" { full; proteomes "$shared/golden/models/fn3.hmm"; }
@test "cudampf400 against three proteomes" { full; proteomes "$shared/golden/models/cudampf400.hmm"; }
@test "cudampf1001 against three proteomes" { full; proteomes "$shared/golden/models/cudampf1001.hmm"; }
@test "250 models in one pass against three proteomes" { full; proteomes "$shared/data/padloc-250.hmm.gz"; }

@test "hmmsieve's ## lines have each -P in the fewest digits that read back equal" {
    hmmsieve -O tsv --F1 0.1 --F2 0.30000000000000004 "$data/globins4.hmm" "$data/demo.fa.gz" |
        sed -n 's/^##.*"-P \([^" ]*\).*/\1/p' |
        same - <(printf '0.1\n0.30000000000000004\n1e-05\n')
}

@test "--stats: the processor seconds of hmmsieve's stages are those of all its scoring" {
    hmmsieve --stats=stats.json -t 2 -o /dev/null three.hmm "$data/demo.fa.gz"
    awk -F '[":, ]+' '$2 ~ /^(msv|vit|fwd|parse|ensemble|envelope)_seconds$/ { n++; sum += $3 } $2 == "score_seconds" { all = $3 }
        END { exit !(n == 6 && sum > 0.8 * all && sum < 1.2 * all) }' stats.json || fail "$(cat stats.json)"
    python3 "$top/tests/work.py" stats.json 2-avx2 >made.work # what the simulator reads: counts, tenths and the longest
    [ "$(grep -cE '^(msv|vit|fwd) [1-9][0-9]* [0-9.e+]+$' made.work)" -eq 3 ] || fail "$(cat made.work)"
    [ "$(grep -cE '^(parse|ensemble|envelope) [0-9]+( [0-9.e+]+){12}$' made.work)" -eq 3 ] || fail "$(cat made.work)"
}

# ---- what only some processors do ----

@test "SSV's alarms, for which any processor is taken for one of Intel's: the same tables and alignments" {
    # shellcheck disable=SC2154 # the Makefile exports it
    [ -n "${WARPSIEVE_FAULTY:-}" ] || skip 'built without CUDA'
    hmmsieve --list-backends | grep -q '^avx512.yes' || skip 'no AVX-512'
    zcat "$data/demo.fa.gz" | awk '/^>/ { on = ++k % 40 == 0 } on' >ten.fa
    local program queries options
    while read -r program queries options; do
        # shellcheck disable=SC2086 # words
        set -- $options --backend avx512 -t 3 -K 30K -o /dev/null
        $program "$@" --tblout want.tbl -A want.sto $queries "$data/demo.fa.gz"
        WS_FAULT_INTEL=1 WS_FAULT_CALLS=calls "$WARPSIEVE_FAULTY/$program" "$@" --tblout got.tbl -A got.sto $queries \
            "$data/demo.fa.gz"
        grep -q ws_cpu_has_dear_maxima calls
        [ -s want.sto ]
        same <(grep -v '^#' want.tbl) <(grep -v '^#' got.tbl)
        same want.sto got.sto
    done <<'EOF'
hmmsieve three.hmm
hmmsieve three.hmm --F1 0.0005 --F2 5e-5 --F3 5e-7
hmmsieve three.hmm --F1 0.9
hmmsieve three.hmm --nobias -T 10
seqsieve ten.fa --F1 0.0005
jacksieve ten.fa -N 2
EOF
}
