#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# nhmmsieve --scan in place of nhmmscan: golden files of HMMER 3.4, byte for byte; the larger set where its data are
# there.

bats_require_minimum_version 1.5.0
load helper

shared=$top/../shared
golden=$data/golden/nhmmscan
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    zcat "$data"/golden/long-targets/models/RF00001.hmm.gz >five.hmm
    zcat "$data"/golden/dna-models/3box.hmm.gz "$data"/golden/dna-models/MADE1.hmm.gz >two.hmm
    zcat "$data"/golden/dna-models/MADE1.hmm.gz >made.hmm
    zcat "$data"/golden/long-targets/inputs/dna_target.fa.gz >long.fa
    zcat "$data"/golden/long-targets/inputs/short.fa.gz | awk '/^>/ { n++ } n <= 150' >some.fa
    (printf '>empty\n'; cat some.fa; printf '>tiny no hit\nACGT\n') >odd.fa
    cat some.fa long.fa >both.fa
}
setup() { in_data; }

equal() { # equal NAME ARGUMENT...
    local name=$1 x
    shift
    nhmmsieve --scan "$@" --tblout got.tbl --dfamtblout got.dfam -O text | sed -n '/^Query:/,$p' >got.out
    table got.tbl >got.rows && mv got.rows got.tbl
    for x in tbl dfam out; do zcat "$golden/$name.$x.gz" | same - got.$x || fail "$name.$x: $*"; done
}

@test "nhmmscan 3.4's report and tables, byte for byte, for any threads and batches" {
    for run in '-t 1' '-t 4' '-t 4 -K 700' '-t 1 --backend scalar'; do
        equal five $run five.hmm odd.fa
        equal two $run two.hmm long.fa -E 1000 --incE 1 --textw 150
        equal score $run five.hmm odd.fa -T 20 --incT 40 --watson --noali --acc
        equal max $run two.hmm long.fa --max -E 1e4 --crick --notextw
        equal both $run two.hmm both.fa -E 100 --noali -Z 5 --w_length 50 # the last two of no effect
    done
}

@test "nhmmscan 3.4's tables on all cases of the larger set" {
    local full=$shared/golden/nhmmer more=$shared/golden/long-targets
    [ -d "$full" ] || skip "its data are not there"
    wants xz
    for f in "$more"/inputs/*.xz "$full"/inputs/*.xz; do xz -dc "$f" >"$(basename "$f" .xz)"; done
    for f in "$more"/models/*.gz "$full"/inputs/*.gz; do zcat "$f" >"$(basename "$f" .gz)"; done
    cat MADE1_cut.hmm 3box.hmm 2OG-FeII_Oxy_3-nt.hmm bmyD.hmm >dna.hmm
    (cat RF00001.hmm; echo; cat SSU_RF00177.hmm) >rna2.hmm
    grep '^s-' "$full/cases.tsv" >cases
    local n=0 case models seqs options x
    while IFS=$'\t' read -r case _ models seqs options _; do
        [ -e "$seqs" ] || cp "$full/inputs/$seqs" .
        [ "$options" != - ] || options=
        options=${options/--cpu 0/}
        nhmmsieve --scan -t 2 $options --tblout got.tbl --dfamtblout got.dfam -O text "$models" "$seqs" |
            sed -n '/^Query:/,$p' >got.out
        sed -i '/^#$/,$d' got.tbl
        for x in tbl dfam out; do
            xz -dc "$full/expected/$case.$x.xz" | grep -v '^#$\|^# CPU time\|^# Mc/sec' >want
            [ $x != out ] || sed -i -n '/^Query:/,$p' want
            same want <(grep -v '^#$' got.$x) || fail "$case.$x"
        done
        n=$((n + 1))
    done <cases
    [ $n -ge 21 ]
    echo "# ran $n cases" >&3
}

@test "rows of one E-value stand as nhmmscan's last bits say, which the other strand changes" {
    zcat "$golden/arrays.fa.gz" >arrays.fa
    for run in '-t 1' '-t 4' '-t 4 -K 700' '-t 1 --backend scalar'; do equal arrays $run --noali made.hmm arrays.fa; done
}

@test "models with masked nodes change anew with each sequence, whose - strand comes first" {
    zcat "$data/golden/nhmmer/masked.aln.gz" | hmmcast --dna >masked.hmm
    zcat "$data/golden/nhmmer/masked.fa.gz" >masked.fa
    for run in '-t 1' '-t 4' '-t 4 -K 700' '-t 4 -K 1' '-t 1 --backend scalar'; do
        equal masked $run -E 1000 --F3 0.1 masked.hmm masked.fa
    done
}

@test "a model without the cutoff is refused once a sequence has a window" {
    sed '/^GA/d' two.hmm >uncut.hmm
    run -1 --separate-stderr nhmmsieve --scan --cut_ga uncut.hmm long.fa
    told 'a sequence meets' "model $(sed -n 's/^NAME  //p' uncut.hmm | head -1) has no GA line"
    printf '>none\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n' >none.fa
    nhmmsieve --scan --cut_ga -O tblout uncut.hmm none.fa >got
    [ "$(grep -vc '^#' got)" -eq 0 ]
    run -1 --separate-stderr nhmmsieve --cut_ga uncut.hmm none.fa # nhmmer looks at once
    told 'no GA line'
}

@test "hits of different models at one place stay" {
    sed 's/^NAME .*/NAME  another/; s/^ACC .*/ACC   RF00001x/' five.hmm | awk 1 five.hmm - >twins.hmm
    nhmmsieve --scan -T 2 --watson -O tblout five.hmm odd.fa | grep -v '^#' >want
    nhmmsieve --scan -T 2 --watson -O tblout twins.hmm odd.fa | grep -v '^#' >got
    [ "$(wc -l <want)" -ge 3 ]
    [ "$(wc -l <got)" -eq $((2 * $(wc -l <want))) ]
    same <(awk '{ print $3, $7, $8, $14 }' want) <(awk '$1 == "another" { print $3, $7, $8, $14 }' got)
}

@test "rows by sequence as tables, features, and from a pipe" {
    nhmmsieve --scan -E 100 -O tblout two.hmm both.fa >got
    table got >want
    [ "$(grep -c . want)" -eq 42 ]
    gzip -c both.fa | nhmmsieve --scan -E 100 -O tblout two.hmm - >got
    same want <(table got)
    same <(grep -v '^#' want | awk '{ print $3 }' | uniq) <(grep '^>' both.fa | sed 's/^>\([^ ]*\).*/\1/' |
        grep -Fxf <(awk '!/^#/ { print $3 }' want))
    nhmmsieve --scan -E 100 -O bed two.hmm both.fa | wc -l | same - <(grep -vc '^#' want)
    nhmmsieve --scan -E 100 -O tsv -f name,query,tlen,qlen two.hmm both.fa >t
    [ "$(grep -v '^#' t | wc -l)" -eq 40 ]
    grep -q '^##end rows=40' t
    run --separate-stderr -1 nhmmsieve --scan two.hmm "$data/demo.fa.gz"
    printf '>a\nACGTACGT\n>b\nAC1GT\n' >bad.fa
    run --separate-stderr -1 nhmmsieve --scan two.hmm bad.fa
    told 'bad.fa: line 4'
}

@test "random searches against nhmmscan" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    nhmmscan -h | grep -q 'HMMER 3\.4' || skip "nhmmscan 3.4 is not installed"
    run -0 sh "$top/tests/nhmmscan.sh" two.hmm both.fa 30
    echo "# ran ${lines[-1]}" >&3
}
