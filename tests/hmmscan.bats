#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hmmsieve --scan in place of hmmscan: golden files of HMMER 3.4, byte for byte; blocks of any size; memory; pauses. With
# WARPSIEVE_TESTS=full (make check-full) also random searches against the hmmscan that is installed (tests/hmmscan.sh).

bats_require_minimum_version 1.5.0
load helper

shared=$top/../shared
golden=$data/golden/hmmscan
setup_file() {
    cd "$BATS_FILE_TMPDIR"
    zcat "$golden/pfam.hmm.gz" >pfam.hmm
    cat pfam.hmm "$data/fn3.hmm" "$data/demo.hmm" >cut.hmm
    cat "$data/globins4.hmm" cut.hmm >all.hmm
    zcat "$golden/queries.fa.gz" >q.fa
}
setup() { in_data; }

text_of() { case $1 in *.gz) zcat "$1" ;; *) cat "$1" ;; esac; }
# The files of a search without what names program and files.
table() { sed '/^# Program:/,$d' "$1" | sed '$d'; }
scan() { hmmsieve --scan "$@" --tblout got.tbl --domtblout got.dom --pfamtblout got.pfam -o got.out; }
equal() { # equal FOLDER NAME
    local x want
    for x in tbl dom pfam out; do
        want=$(ls "$1/$2.$x"*)
        if [ $x = out ]; then sed -n '/^Query:/,$p' got.out >got; else table got.$x >got; fi
        same <(text_of "$want") got || fail "$2.$x"
    done
}

@test "hmmscan 3.4's report and tables, byte for byte, for any threads and blocks" {
    for run in '-t 1' '-t 4' '-t 4 -K 700' '-t 2 -K 1 --mem 4M' '-t 1 --backend scalar'; do
        scan $run all.hmm q.fa
        equal "$golden" default
        scan $run --cut_ga --acc cut.hmm q.fa
        equal "$golden" cut_ga
        scan $run --incT 20 -T 5 --domT 3 --incdomT 15 --textw 150 all.hmm q.fa
        equal "$golden" scores
        scan $run --max --nonull2 -E 5 -Z 1000 --domZ 5 --noali all.hmm q.fa
        equal "$golden" max
    done
}

@test "hmmscan 3.4 on 50 models of Pfam" {
    full=$shared/golden/build/hmmscan
    [ -d "$full" ] || skip "its data are not there"
    zcat "$full/models.hmm.gz" >50.hmm
    while read -r name options; do
        scan -t 2 $options 50.hmm "$full/queries.fa"
        equal "$full" "$name"
    done <<'CASES'
default
cut_ga --cut_ga
incT --incT 20 -T 10
max --max -E 100
Z -Z 1000 --domZ 50
CASES
}

@test "--pfamtblout of a search by model has the rows of its other tables" {
    hmmsieve --tblout t --domtblout d --pfamtblout p -o /dev/null all.hmm q.fa
    [ "$(grep -c '^# Sequence scores' p)" -eq "$(grep -c '^NAME' all.hmm)" ]
    awk '/^# Seq/ { s = 1 } /^# Dom/ { s = 0 } !/^#/ && NF && s { print $1, $2, $3, $4 }' p | sort >got
    awk '!/^#/ { print $1, $6, $5, $16 }' t | sort >want # bits, E-value, domains that were found
    same want got
    awk '/^# Seq/ { s = 1 } /^# Dom/ { s = 0 } !/^#/ && NF && !s { print $1, $2, $3, $6, $7, $8, $9, $10, $11 }' p | sort >got
    awk '!/^#/ { print $1, $14, $13, $20, $21, $18, $19, $16, $17 }' d | sort >want
    same want got
    hmmsieve -O pfamtblout all.hmm q.fa | same <(table p) <(table /dev/stdin)
}

@test "rows by sequence are the rows by model, but for E-values" {
    hmmsieve --max -Z 11 --domZ 3 -E 11 -O tsv -f name,query,bits,dom,i_evalue,ali_seq,ali_model,cigar --header none \
        --no-provenance all.hmm q.fa | sort >want
    hmmsieve --scan --max --domZ 3 -E 11 -O tsv -f name,query,bits,dom,i_evalue,ali_seq,ali_model,cigar --header none \
        --no-provenance all.hmm q.fa >got
    same want <(sort got)
    [ "$(wc -l <got)" -gt 100 ]
    same <(grep '^>' q.fa | cut -c 2- | cut -d ' ' -f 1 | grep -Fxf <(cut -f 1 got)) <(cut -f 1 got | uniq) # in order
    hmmsieve --scan -O tsv all.hmm q.fa >t
    grep -q 'prog=hmmsieve .*--scan' t
    [ "$(tail -1 t | cut -f 1)" = "##end rows=$(grep -vc '^#' t) in=$(grep -c '>' q.fa) residues=$(respack q.fa | respack -O tsv |
        tail -1 | sed 's/.*residues=//')" ] || fail "$(tail -1 t)"
    hmmsieve --scan -O fasta all.hmm q.fa | grep -c '>' | same <(grep -vc '^#' t) -
}

@test "a search that passed filters before, pairs, and models from a pipe or compressed" {
    hmmsieve --scan -O tsv --no-provenance all.hmm q.fa >want
    msvfilt all.hmm q.fa | vitfilt all.hmm | hmmsieve --scan -O tsv --no-provenance all.hmm | same want -
    hmmsieve --scan -O tsv --no-provenance - q.fa <all.hmm | same want -
    gzip -c all.hmm | hmmsieve --scan -O tsv --no-provenance - q.fa | same want -
    respack q.fa | hmmsieve --scan -O tsv --no-provenance all.hmm | same want -
    hmmsieve --scan -O tsv --no-provenance --qformat fasta all.hmm - <q.fa | same want -
}

@test "columns are as wide as the list of hmmscan makes them: it has what was worth it when the model came" {
    sed 's/^NAME  globins4/NAME  a_model_whose_name_is_longer_than_others/' all.hmm >first.hmm
    cat cut.hmm <(sed -n '1,/^\/\//p' first.hmm) >last.hmm
    read -r name e < <(hmmsieve --scan --max -E 1e4 -O tsv -f name,query,evalue --header none --no-provenance first.hmm q.fa |
        awk '$2 ~ /^a_model/ && $3 > 1 && $3 < 5 { print $1, $3 / 5; exit }')
    awk -v name=">$name" '/^>/ { on = $1 == name } on' q.fa >one.fa
    hmmsieve --scan --max -E "$e" first.hmm one.fa >wide # E is small enough for one model, not for eleven
    hmmsieve --scan --max -E "$e" last.hmm one.fa >narrow
    grep -qx '.*   exp  N  Model {36}Description' <(sed 's/ \{36\}Description/ {36}Description/' wide)
    run -1 grep -h '>> a_model\|Model {36}Desc' wide <(sed 's/ \{36\}Description/ {36}Description/' narrow)
}

@test "a sequence is answered while the next one is awaited" {
    awk '/^>/ { n++ } { print >("part." n) }' q.fa
    mkfifo to from
    hmmsieve --scan --noali -t 2 all.hmm - <to >from &
    exec 7>to 8<from
    for i in 2 3 4; do cat part.$i >&7; done # a record has ended when the next one begins
    for i in 2 3; do
        timeout 20 sed -u '/^\/\//q' <&8 >got
        grep -q "^Query:       $(head -1 part.$i | cut -c 2- | cut -d ' ' -f 1) " got || fail "part $i"
    done
    exec 7>&-
    timeout 20 cat <&8 | grep -Fx '[ok]'
    wait $!
}

@test "what fails: a cutoff that a model lacks, damaged input, misuse" {
    # as hmmscan: a model without GA is an error where a sequence passes its first filter
    run --separate-stderr -1 hmmsieve --scan --cut_ga -t 1 -o got all.hmm "$data/demo.fa.gz"
    told 'a sequence meets' 'globins4 has no GA line$' # the others have one
    sed '/^GA/d' all.hmm >uncut.hmm
    for t in 1 2 3 4; do
        run --separate-stderr -1 hmmsieve --scan --cut_ga -t $t -K 2k -o got uncut.hmm "$data/demo.fa.gz"
        told "globins4 has no GA line, and $(($(grep -c ^NAME uncut.hmm) - 1)) other models have none\$"
    done
    zcat "$data/demo.fa.gz" | head -n 9 >one.fa
    { cat "$data/globins4.hmm" && hmmcast --informat fasta one.fa; } >two.hmm # of 149 and 480 nodes
    run --separate-stderr -1 hmmsieve --scan --cut_ga --F1 1 -t 1 -o got two.hmm one.fa
    told 'globins4 has no GA line' # the first of the file, not the longer one
    printf '>w\nWWWWWWWWWWWWWWWWWW\n' | hmmsieve --scan --cut_ga all.hmm - >got # none passes
    grep -qx '\[ok\]' got
    (cat q.fa; printf '>bad\nMKV1LAT\n>more\nMKV\n') >bad.fa
    run --separate-stderr -1 hmmsieve --scan -t 2 -K 500 --tblout got.tbl all.hmm bad.fa
    told 'bad.fa: line' '1'
    hmmsieve --scan --tblout want.tbl -o /dev/null all.hmm q.fa
    same <(grep -v '^#' want.tbl) <(grep -v '^#' got.tbl) # what came before is answered
    for o in '-A x' '-O sto' '-O a2m' '-O a3m' '-O ids'; do
        run --separate-stderr hmmsieve --scan $o all.hmm q.fa
        refused 2 '--scan' 'tblout'
    done
    run --separate-stderr hmmsieve --scan --qformat selex all.hmm q.fa
    refused 2 'selex' 'fasta'
    run --separate-stderr bash -c 'ulimit -f 1; hmmsieve --scan -o big all.hmm q.fa'
    refused 1 'big' 'File too large'
    [ "$(status_of bash -c 'set -o pipefail; hmmsieve --scan all.hmm q.fa q.fa | true')" -eq 141 ]
}

@test "random searches against hmmscan" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    [ -d "$shared/golden" ] || skip "its data are not there"
    hmmscan -h | grep -q 'HMMER 3\.4' || skip "hmmscan 3.4 is not installed"
    zcat "$shared/golden/build/hmmscan/models.hmm.gz" >50.hmm
    run -0 sh "$top/tests/hmmscan.sh" 50.hmm "$shared/data/UP000002311-S.cerevisiae.fasta.gz" 40
    echo "# ran ${lines[-1]}" >&3
}
