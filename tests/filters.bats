#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The pairs that pass each filter: thresholds by P, bits, E and cutoffs of the model; the columns' values; DNA and RNA.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

# where PASSED CONDITION ALL: the names in the table PASSED are those of the rows of ALL for which the awk condition
# holds; the condition has the columns as bits, bias, p, len
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
@test "-P: the P-value of the corrected score, in msvfilt of the uncorrected one too" { gzip -c m.hmm >demo.hmm.gz; \
    each by_p $filters; }

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

@test "vitfilt -T with --nobias: no row below, although strong MSV rows skip Viterbi's P" {
    msvfilt --nobias m.hmm demo.fa >msv
    vitfilt -a --nobias m.hmm msv >all
    vitfilt --nobias -T 30 m.hmm msv >got
    [ "$(nrows got)" -gt 0 ]
    same <(column all vit_bits | awk '$1 >= 30') <(column got vit_bits)
}
@test "vitfilt -E is not weakened by the rule that strong MSV rows pass" {
    msvfilt m.hmm demo.fa >msv.tsv
    vitfilt --no-skip -Z 1e9 -E 1e-9 m.hmm msv.tsv >want
    vitfilt -Z 1e9 -E 1e-9 m.hmm msv.tsv >got
    [ "$(nrows got)" -le "$(($(nrows want) + $(column msv.tsv msv_p | awk '$1 * 1e9 <= 1e-9' | wc -l)))" ]
    [ "$(nrows got)" -lt "$(nrows msv.tsv)" ]
}

@test "fwd_evalue is P times Z, empty without -Z" {
    fwdscore -Z 1000 m.hmm demo.fa >got
    [ "$(nrows got)" -gt 0 ]
    paste <(column got fwd_p) <(column got fwd_evalue) | awk '$2 < 999 * $1 || $2 > 1001 * $1 { print; exit 1 }'
    fwdscore m.hmm demo.fa >got
    [ "$(column got fwd_evalue | sort -u)" = "" ]
}

@test "curated cutoffs are not for filter scores: the message names domscore" {
    for cut in ga nc tc; do
        run --separate-stderr fwdscore --cut_$cut m.hmm demo.fa
        refused 2 'cut_ga' 'domscore'
    done
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

@test "DNA given to protein models: one note in a chain, also with a few codes of several nucleotides" {
    local note='the models are of proteins, but the sequences look like DNA; their letters are scored as amino acids.'
    note+=' sixframe translates DNA, hmmsieve --translate searches it'
    for t in $filters domscore; do
        for dna in ACGTTGCANNACGTACATGCATTGACGTACACGTTGCAACGTACATGCATTGACGTAC ACGTTGCANNACGTRCATGCATTGACGTACACGTTGCAACGTYCATGCATTGACGTUC; do
            run -0 --separate-stderr "$t" -o got m.hmm <(printf '>r\n%s\n' $dna)
            [ "$stderr" = "$t: $note" ] || fail "$t, $dna: $stderr"
            run -0 --separate-stderr "$t" -q -o got m.hmm <(printf '>r\n%s\n' $dna)
            [ -z "$stderr" ] || fail "$t: $stderr"
        done
        run -0 --separate-stderr "$t" -o got m.hmm <(printf '>few\nACGTTGCANNACGTACATGCATTGACGTAC\n>p\nMKVLAAGIVGLLLAQ\n')
        [ -z "$stderr" ] || fail "$t: $stderr"
        run -0 --separate-stderr "$t" -o got m.hmm demo.fa
        [ -z "$stderr" ] || fail "$t: $stderr"
    done
    printf '>r\n%s\n' ACGTTGCANNACGTACATGCATTGACGTACACGTTGCAACGTACATGCATTGACGTAC >dna.fa
    { msvfilt -a m.hmm dna.fa | vitfilt -a m.hmm | fwdscore -a m.hmm >got; } 2>said
    [ "$(cat said)" = "msvfilt: $note" ] || fail "$(cat said)"
    run -0 --separate-stderr hmmsieve -o got m.hmm dna.fa
    [ "$stderr" = "hmmsieve: $note" ] || fail "$stderr"
}

# ---- tables that people load ----

@test "--plain: a header and rows as CSV has them, without sequences; --no-seq: only these are missing" {
    printf '>a "quoted" name\nMKVLAAGIVGLLLAQMKVLAAGIVGLLLAQ\n>b\nMKVLAAGIV\n' >q.fa
    msvfilt -a --plain m.hmm q.fa >got
    [ "$(head -1 got)" = "$(printf 'name\tdesc\tquery\tqlen\ttlen\tmsv_bits\tbias_bits\tmsv_p')" ]
    [ "$(cut -f2 got | sed -n 2p)" = '"""quoted"" name"' ]
    [ "$(wc -l <got)" -eq 3 ]
    python3 -c 'import csv
rows = list(csv.DictReader(open("got"), delimiter="\t"))
assert [r["desc"] for r in rows] == ["\"quoted\" name", ""] and float(rows[0]["msv_p"]) <= 1'
    msvfilt -a m.hmm q.fa >full
    msvfilt -a --no-seq m.hmm q.fa | same <(sed 's/^##.*/&/' full | awk -F '\t' -v OFS='\t' '/^##/ { print; next }
        { print $1, $4, $5, $6, $7, $8, $9, $10 }') -
    msvfilt -a --no-seq -f name,seq --no-provenance m.hmm q.fa | grep -q 'MKVLAAGIV$' # asked for by name
    respack -O tsv --plain full | same got -
    run --separate-stderr vitfilt m.hmm <(msvfilt -a --no-seq m.hmm q.fa)
    [ "$status" -eq 1 ] && told 'name and seq'
}
@test "--plain of domscore quotes as CSV too" {
    sed 's/^>\([^ ]*\) .*/>\1 "a" and 5" b/' demo.fa | msvfilt m.hmm | domscore --plain m.hmm >got
    [ "$(wc -l <got)" -gt 10 ]
    python3 -c 'import csv
rows = list(csv.DictReader(open("got"), delimiter="\t"))
assert rows and all(r["desc"] == "\"a\" and 5\" b" for r in rows), rows[0]'
}
@test "query_accession and vit_sat are written where -f names them" {
    vitfilt -f name,query_accession,vit_bits,vit_sat --no-provenance m.hmm demo.fa >got
    rows got | awk -F '\t' '$2 != "PF00069.17" || ($3 == "inf") != $4 { print; bad = 1 } END { exit bad }'
    [ "$(column got vit_sat | sort -u | wc -l)" -eq 2 ]
    msvfilt -f msv_sat,msv_bits --no-provenance m.hmm demo.fa | rows - | awk -F '\t' '($2 == "inf") != $1 { exit 1 }'
    vitfilt m.hmm demo.fa | grep -v '^##' | head -1 | grep -qv 'vit_sat\|accession'
    fwdscore -f query_accession globins4.hmm demo.fa | rows - | sort -u >got # it has none
    [ "$(cat got)" = "" ]
    run --separate-stderr fwdscore -f fwd_sat m.hmm demo.fa
    refused 2 'fwd_sat' 'query_accession'
}
@test "-m: models of several files are one set, and all operands are inputs" {
    cat globins4.hmm m.hmm fn3.hmm >three.hmm
    msvfilt three.hmm demo.fa >want
    msvfilt -m globins4.hmm -m m.hmm --models=fn3.hmm demo.fa | same want -
    msvfilt -m globins4.hmm -m m.hmm -m fn3.hmm <demo.fa | same want -
    gzip -c m.hmm | msvfilt -m globins4.hmm -m - -m fn3.hmm demo.fa | same want -
    run --separate-stderr msvfilt -m m.hmm -m - <demo.fa
    refused 2 'standard input'
    run --separate-stderr msvfilt -m m.hmm -m none.hmm demo.fa
    refused 1 'none.hmm'
    run --separate-stderr msvfilt -o m.hmm -m m.hmm demo.fa
    refused 2 'm.hmm is also read'
}
@test "two models of one name are refused by who writes rows of them" {
    cat m.hmm m.hmm >two.hmm
    for o in tsv packed; do
        run --separate-stderr msvfilt -O $o two.hmm demo.fa
        refused 1 'duplicate model name Pkinase'
    done
    msvfilt -O ids two.hmm demo.fa | same <(msvfilt -O ids m.hmm demo.fa) -
    msvfilt -f name two.hmm demo.fa | nrows - >got
    [ "$(cat got)" -gt 10 ]
}
@test "fwdscore --best: the best models of a sequence; --top: the best sequences of a model" {
    cat globins4.hmm m.hmm fn3.hmm >three.hmm
    fwdscore -P 0.3 -f name,query,fwd_p,fwd_bits three.hmm demo.fa >all
    best() { # best COLUMN N: in awk and sort what the options do; P-values of different pairs differ
        rows all | awk -v OFS='\t' '{ print NR, $0 }' |
            sort -t "$(printf '\t')" -k$(($1 + 1)),$(($1 + 1)) -k4,4g -k5,5gr -k1,1n |
            awk -F '\t' -v c=$(($1 + 1)) -v n="$2" '$c != last { k = 0; last = $c } ++k <= n' | sort -n | cut -f2-
    }
    for k in 1 2; do
        fwdscore -P 0.3 --best $k -f name,query,fwd_p,fwd_bits three.hmm demo.fa >got
        same <(best 1 $k) <(rows got) || fail "--best $k"
        fwdscore -P 0.3 --best $k -f name,query,fwd_p,fwd_bits -t 1 -K 1 three.hmm demo.fa | same got -
    done
    for k in 1 5 1000; do
        fwdscore -P 0.3 --top $k -f name,query,fwd_p,fwd_bits three.hmm demo.fa >got
        same <(best 2 $k) <(rows got) || fail "--top $k"
        tail -1 got | grep -q "^##end rows=$(nrows got) in=400 "
        fwdscore -P 0.3 --top $k -f name,query,fwd_p,fwd_bits -t 3 -K 1 three.hmm demo.fa | same got -
    done
    msvfilt -O packed three.hmm demo.fa | fwdscore -U no --best 1 three.hmm >yes
    [ $(($(nrows yes) + $(nrows no))) -eq "$(msvfilt three.hmm demo.fa | nrows -)" ]
    run --separate-stderr fwdscore --top 3 -O ids three.hmm demo.fa
    refused 2 'top'
}
