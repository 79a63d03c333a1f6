#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What passes each filter: thresholds by P, bits, E and cutoffs of the model; what the columns hold; DNA and RNA.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

# where PASSED CONDITION ALL: the names in the table PASSED are those of the rows of ALL for which the awk condition holds; the
# condition has the columns as bits, bias, p, len
where() {
    local prefix
    prefix=$(head -20 all | sed -n 's/^#name.*\t\([a-z]*\)_bits.*/\1/p')
    awk -F '\t' -v prefix="${4:-$prefix}" '/^##/ { next } /^#/ { sub(/^#/, ""); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { bits = $at[prefix "_bits"]; if (bits == "inf") bits = 1e9; bits += 0; bias = $at["bias_bits"] + 0; p = $at[prefix "_p"] + 0 }
        '"$2"' { print $1 }' "$3" >want.names
    [ -s want.names ] || fail "the condition $2 holds for no row, so nothing is tested"
    same want.names <(column "$1" name) || fail "rows with $2"
}
prefix_of() { case $1 in ssvfilt) echo ssv ;; msvfilt) echo msv ;; vitfilt) echo vit ;; fwdscore) echo fwd ;; esac; }
filters="msvfilt vitfilt fwdscore" # ssvfilt has cases of its own: pairs that stay open pass

# ---- thresholds ----

by_p() {
    local p
    p=$(prefix_of "$1")
    "$1" -a demo.hmm.gz demo.fa >all
    for limit in 1e-10 1e-4 0.003; do
        "$1" -P $limit demo.hmm.gz demo.fa >got
        if [ "$1" = msvfilt ]; then
            "$1" -a --nobias demo.hmm.gz demo.fa >raw
            awk -F '\t' -v l=$limit 'NR == FNR { if (!/^#/) raw[$1] = $NF; next } /^#/ || raw[$1] + 0 <= l + 0' raw all >both
            where got "p <= $limit" both "$p"
        else
            where got "p <= $limit" all "$p"
        fi
    done
}
@test "-P: the P-value of the corrected score, in msvfilt of the uncorrected one too" { gzip -c m.hmm >demo.hmm.gz; each by_p $filters; }

by_bits() {
    local p
    p=$(prefix_of "$1")
    "$1" -a m.hmm demo.fa >all
    "$1" -T 3.5 m.hmm demo.fa >got
    where got "bits >= 3.5" all "$p"
    "$1" -T -3.25 -P 1e-3 m.hmm demo.fa >got
    "$1" -P 1e-3 m.hmm demo.fa >part
    where got "bits >= -3.25" part "$p"
}
@test "-T: the bits that are printed; with -P both" { each by_bits $filters; }

by_evalue() {
    local p
    p=$(prefix_of "$1")
    "$1" -a m.hmm demo.fa >all
    "$1" -Z 6077 -E 0.5 m.hmm demo.fa >got
    if [ "$1" != msvfilt ]; then where got "p * 6077 <= 0.5" all "$p"; fi
    "$1" -Z 6077 -E 0.5 -P 1e-9 m.hmm demo.fa >got
    "$1" -P 1e-9 m.hmm demo.fa >want
    same <(column want name) <(column got name) || fail "with -P both are asked"
}
@test "-E with -Z" { each by_evalue $filters; }

@test "vitfilt -E is not weakened by the rule that strong MSV rows pass" {
    msvfilt m.hmm demo.fa >msv.tsv
    vitfilt --no-skip -Z 1e9 -E 1e-9 m.hmm msv.tsv >want
    vitfilt -Z 1e9 -E 1e-9 m.hmm msv.tsv >got
    [ "$(nrows got)" -le "$(($(nrows want) + $(column msv.tsv msv_p | awk '$1 * 1e9 <= 1e-9' | wc -l)))" ]
    [ "$(nrows got)" -lt "$(nrows msv.tsv)" ]
}

@test "evalue is P times Z, empty without -Z" {
    fwdscore -Z 1000 m.hmm demo.fa >got
    [ "$(nrows got)" -gt 0 ]
    paste <(column got fwd_p) <(column got evalue) | awk '$2 < 999 * $1 || $2 > 1001 * $1 { print; exit 1 }'
    fwdscore m.hmm demo.fa >got
    [ "$(column got evalue | sort -u)" = "" ]
}

@test "--cut_ga, --cut_nc, --cut_tc: the model's own cutoffs, asked of fwd_bits" {
    fwdscore -a m.hmm demo.fa >all
    for cut in ga:70.3 nc:70.2 tc:70.3; do
        fwdscore --cut_${cut%:*} m.hmm demo.fa >got
        where got "bits >= ${cut#*:}" all fwd
    done
    run --separate-stderr fwdscore --cut_ga --cut_tc m.hmm demo.fa
    refused 2 'cut_ga' 'only one'
    run --separate-stderr fwdscore --cut_ga globins4.hmm demo.fa
    refused 1 'globins4' 'GA'
    sed 's/^GA .*/GA    30.00 30.00/' m.hmm >ga30.hmm
    fwdscore --cut_ga ga30.hmm demo.fa >got
    where got "bits >= 30" all fwd
}

# ---- columns ----

@test "ssvfilt: all that msvfilt keeps passes, and pairs that stay open pass whatever their P" {
    ssvfilt -P 1e-3 m.hmm demo.fa >ssv
    msvfilt --nobias -P 1e-3 m.hmm demo.fa >msv
    [ -z "$(comm -13 <(column ssv name | sort) <(column msv name | sort))" ]
    [ "$(nrows ssv)" -lt 400 ]
    msvfilt -a --nobias m.hmm demo.fa >msv
    ssvfilt -a m.hmm demo.fa >ssv
    paste <(column ssv ssv_bits) <(column msv msv_bits) | grep -v inf >both
    awk '$1 > $2 { print; exit 1 }' both
    [ "$(awk '$1 == $2' both | wc -l)" -gt 0 ]
}

nobias() {
    local p
    p=$(prefix_of "$1")
    "$1" -a m.hmm demo.fa >with
    "$1" -a --nobias m.hmm demo.fa >without
    ! grep bias_bits without || fail "the column is still there"
    same <(column with ${p}_bits) <(column without ${p}_bits)
    paste <(column with bias_bits) <(column with ${p}_p) <(column without ${p}_p) >both
    awk '$1 > 0.01 && $2 < 0.9 && $2 != 0 && $2 <= $3 { print; exit 1 }' both
}
@test "--nobias: no column, the same bits, smaller P" { each nobias $filters; }

@test "bias_bits is the same in every stage, and kept if the table has it" {
    for t in $filters; do $t -a m.hmm demo.fa >$t.tsv; done
    same <(column msvfilt.tsv bias_bits) <(column vitfilt.tsv bias_bits)
    same <(column msvfilt.tsv bias_bits) <(column fwdscore.tsv bias_bits)
    vitfilt -a m.hmm msvfilt.tsv >got
    [ "$(grep '^#name' got | tr '\t' '\n' | grep -c bias_bits)" -eq 1 ]
    same <(column vitfilt.tsv vit_p) <(column got vit_p)
}

numbers() {
    local p
    p=$(prefix_of "$1")
    "$1" -a m.hmm demo.fa >all
    column all ${p}_bits | grep -vE '^(-?[0-9]+\.[0-9]{4}|inf)$' | head -3 >odd
    [ ! -s odd ] || fail "bits: $(cat odd)"
    column all ${p}_p | grep -vE '^[0-9](\.[0-9]{1,3})?(e-[0-9]+)?$|^0\.[0-9]{1,7}$' | head -3 >odd
    [ ! -s odd ] || fail "P: $(cat odd)"
    LC_ALL=de_DE.UTF-8 "$1" -a m.hmm demo.fa >got
    same all got
}
@test "numbers: four decimals of bits, four digits of P, whatever the locale" { each numbers $(sequence_tools with-model); }

# ---- nucleotides ----

@test "DNA and RNA models read each other's letters, and proteins are refused" {
    cat >dna.sto <<'EOF'
# STOCKHOLM 1.0
a ACGTACGGTTACCATGGATCCAGTACCATTAGGCA
b ACGTACGGTAACCATGGTTCCAGTACCATCAGGCA
c ACGTTCGGTTACCAAGGATCCAGAACCATTAGGCA
//
EOF
    hmmbuild --dna --seed 1 -n site dna.hmm dna.sto >/dev/null
    printf '>s1\nTTTTACGTACGGTTACCATGGATCCAGTACCATTAGGCATTTT\n>s2\nGGGGGGGGGGGGGGGGGGGGGGGG\n' >dna.fa
    for t in $filters; do
        $t dna.hmm dna.fa >got
        [ "$(column got name)" = s1 ] || fail "$t: $(cat got)"
        tr T U <dna.fa >rna.fa
        $t dna.hmm rna.fa >rna
        same <(rows got) <(rows rna) || fail "$t: RNA letters"
        run --separate-stderr $t dna.hmm demo.fa
        refused 1 'demo.fa: line 2' 'DNA' 'alphabet'
    done
    cat m.hmm dna.hmm >mixed.hmm
    run --separate-stderr msvfilt mixed.hmm dna.fa
    refused 1 'mixed.hmm' 'site' 'DNA' 'amino'
}
