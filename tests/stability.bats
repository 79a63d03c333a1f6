#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# docs/stability.md: no column and no option of a version has gone, and the files of earlier versions are read.
# tests/data/stability/promised.tsv has the names: version, kind, program, names. Before a release
# WARPSIEVE_PROMISE=X.Y.Z bats tests/stability.bats writes those of that version anew.

bats_require_minimum_version 1.5.0
load helper

kept=$data/stability
setup() { cd "$BATS_TEST_TMPDIR" || return 1; }

# Lines "kind program name" of what the programs have now.
names_now() {
    local t names
    for t in $(all_tools); do
        "$t" --help | sed -n '/^Columns that -f takes/,/^$/p' | sed '1d; s/ ([^)]*)//g' | tr -s ', ' '\n' | sed -n "s/^[a-z]/column $t &/p"
        "$t" --dump-options | awk -F '\t' -v t="$t" '{ print "option " t " --" $2; if ($3 != "") print "option " t " --" $3 }'
    done
    names=$(hmmsieve --hmmer-path)
    for t in $(ls "$names"); do "$names/$t" -h | sed -nE "s/^ +(--?[A-Za-z0-9_]+)( .*)? : .*/option $t \1/p"; done
}

@test "no column and no option of a version has gone" {
    names_now | sort -u >now
    [ "$(grep -c '^column' now)" -ge 200 ] && [ "$(grep -c '^option' now)" -ge 600 ] || fail "too few: $(wc -l <now)"
    if [ -n "${WARPSIEVE_PROMISE:-}" ]; then
        {
            grep -v "^$WARPSIEVE_PROMISE$(printf '\t')" "$kept/promised.tsv" || true
            awk -v v="$WARPSIEVE_PROMISE" '{ at = $1 "\t" $2; n[at] = n[at] sep[at] $3; sep[at] = "," }
                END { for (at in n) print v "\t" at "\t" n[at] }' now | sort
        } >written
        cp written "$kept/promised.tsv"
    fi
    awk -F '\t' '!/^#/ { n = split($4, names, ","); for (i = 1; i <= n; i++) print $2, $3, names[i] }' "$kept/promised.tsv" |
        sort -u >promised
    [ "$(wc -l <promised)" -ge 170 ]
    comm -13 now promised >gone
    [ ! -s gone ] || fail "gone, against docs/stability.md:" "$(cat gone)"
}

@test "a column that is gone is noticed" {
    names_now | grep -vx 'column msvfilt msv_bits' | sort -u >now
    awk -F '\t' '$2 == "column" && $3 == "msvfilt" { print $4 }' "$kept/promised.tsv" | tr ',' '\n' |
        sed 's/^/column msvfilt /' | sort -u >promised
    [ "$(comm -13 now promised)" = 'column msvfilt msv_bits' ]
}

# The files are what programs of 0.2.0 wrote of the first four proteins of workflows/galaxy/test-data.
@test "packed streams, packed pairs and tables of 0.2.0 are read as FASTA is" {
    local f
    awk '/^>/ { n++ } n <= 4' "$top/workflows/galaxy/test-data/proteins.fa" >four.fa
    for f in wsp pairs.wsp tsv; do zcat "$kept/0.2.0.$f.gz" >"old.$f"; done
    msvfilt -a "$data/fn3.hmm" four.fa >new.tsv
    hmmsieve -Z 400 -O tsv "$data/fn3.hmm" four.fa >want
    [ "$(nrows want)" -ge 1 ]
    for f in wsp pairs.wsp tsv; do
        hmmsieve -Z 400 -O tsv "$data/fn3.hmm" "old.$f" >got
        same <(grep -v '^##' want) <(grep -v '^##' got) || fail "$f"
    done
    for f in pairs.wsp tsv; do
        fwdscore -a -Z 400 "$data/fn3.hmm" new.tsv | grep -v '^##' >want.fwd
        same want.fwd <(fwdscore -a -Z 400 "$data/fn3.hmm" old.$f | grep -v '^##') || fail "$f"
    done
}
