#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sixframe: the bytes of esl-translate, from any form of input, and what it refuses. With WARPSIEVE_TESTS=full (make
# check-full) also random genomes against the esl-translate that is installed.

bats_require_minimum_version 1.5.0
load helper

set=$data/golden/translate
larger=$top/../shared/golden

setup_file() {
    make_data
    zcat "$set/corner.fa.gz" >corner.fa
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >short.fa
    if [ -d "$larger/translate" ]; then
        for g in ecoli700k prochlo300k; do xz -dc "$larger/long-targets/inputs/$g.fa.xz" >$g.fa; done
    fi
    for g in corner short; do
        gzip -k $g.fa
        respack --dna $g.fa >$g.wsp
        # a record of FASTQ for each of FASTA
        awk 'function put() { if (h) { q = s; gsub(/./, "I", q); print "@" h "\n" s "\n+\n" q } }
            /^>/ { put(); h = substr($0, 2); s = ""; next } { s = s $0 } END { put() }' $g.fa >$g.fq
    done
}
setup() { in_data; }

md5_of() { md5sum | cut -c1-32; }
random() { python3 "$top/tests/sixframe.py" "$@"; }

# Every golden case whose genome is there, with more options: cases OPTION... -- FILE.. of a genome $g
cases() {
    local name g options want n=0
    while IFS='|' read -r name g options want; do
        g=${g%.fa}
        [ -e "$g.fa" ] || continue
        for f in $(eval "echo $1"); do
            # shellcheck disable=SC2086 # options
            [ "$(sixframe -q "${@:2}" $options "$f" | md5_of)" = "$want" ] || fail "$name: ${*:2} $options $f"
            n=$((n + 1))
        done
    done < <(awk -F '\t' 'NR > 1 { print $1 "|" $2 "|" $3 "|" $5 }' "$set/cases.tsv")
    [ $n -ge 9 ]
}
@test "every golden case, with 1, 2 and 7 threads and any batch" {
    cases '$g.fa' -t 1
    cases '$g.fa' -t 2 -K 1
    cases '$g.fa' -t 7 -K 5K
}
@test "the same from gzip, FASTQ, packed and a pipe" {
    local f
    for f in corner short; do
        sixframe -q -l 3 $f.fa >want
        for g in $f.fa.gz $f.fq $f.wsp; do sixframe -q -l 3 $g | cmp - want || fail "$g"; done
        sixframe -q -l 3 <$f.fa | cmp - want
        sixframe -q -l 3 -K 100 - <$f.fq | cmp - want
    done
}
@test "every genetic code, and every codon of degenerate letters" {
    local table options want
    random codons >codons.fa
    while IFS=$'\t' read -r table options want; do
        # shellcheck disable=SC2086 # options
        [ "$(sixframe -c "$table" $options codons.fa | md5_of)" = "$want" ] || fail "$table $options"
    done < <(tail -n +2 "$set/tables.tsv")
}

# An ORF of 100,000 residues begins parts before the one where it ends.
@test "random genomes, also of runs of N and of one base, and their reference" {
    local s o
    for s in 1 2 3 4 5 6; do
        random genome $s 8000 >genome.fa
        for o in '' '-l 1 -m' '-c 11 -l 0 -M -W --crick'; do
            # shellcheck disable=SC2086 # options
            random orfs $o genome.fa >want
            # shellcheck disable=SC2086 # options
            sixframe -q $o genome.fa | cmp - want || fail "$s $o"
        done
    done
    { echo '>long'; random genome 7 200000 | grep -v '^>' | head -c 200000; head -c 200000 /dev/zero | tr '\0' A
      random genome 8 200000 | grep -v '^>' | head -c 200000; echo; } >genome.fa
    for o in '-l 40' '-m' '-M --crick'; do
        # shellcheck disable=SC2086 # options
        random orfs $o genome.fa >want
        for t in 1 3; do
            # shellcheck disable=SC2086 # options
            sixframe -q -t $t $o genome.fa | cmp - want || fail "$t $o"
            # shellcheck disable=SC2086 # options
            respack --dna genome.fa | sixframe -q -t $t $o | cmp - want || fail "packed: $t $o"
        done
    done
}

@test "random genomes and options against esl-translate" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    wants esl-translate
    local s o n=0
    for s in $(seq 200); do
        random genome "$s" >genome.fa
        o=$(random options "$s")
        # shellcheck disable=SC2086 # options; it breaks off for some records with -W
        esl-translate $o genome.fa >want 2>/dev/null || continue
        # shellcheck disable=SC2086 # options
        sixframe -q -t $((s % 4 + 1)) $o genome.fa | cmp - want || fail "seed $s: $o"
        n=$((n + 1))
    done
    [ $n -ge 180 ]
}

@test "packed, a table and names have the same ORFs" {
    sixframe -l 5 short.fa >want.fa
    sixframe -l 5 -O packed short.fa | respack -O fasta | same want.fa -
    sixframe -l 5 -O packed -t 1 -K 300 short.fa >a.wsp
    sixframe -l 5 -O packed -t 3 short.fa | cmp - a.wsp
    sixframe -l 5 -O ids short.fa | same <(sed -n 's/^>\([^ ]*\).*/\1/p' want.fa) -
    sixframe -l 5 -O tsv short.fa >table.tsv
    whole_rows table.tsv
    same <(column table.tsv desc) <(sed -n 's/^>[^ ]* //p' want.fa)
    n=$(grep -c '>' want.fa)
    [ "$(tail -1 table.tsv)" = "##end rows=$n in=$n residues=$(grep -v '>' want.fa | tr -d '\n' | wc -c)" ]
    sixframe -c 11 -O tsv short.fa | grep -q '^##warpsieve pg=1 prog=sixframe .* args="-c 11"$'
}

@test "a description keeps its blanks, and records of fewer than three bases are told" {
    printf '>a  two  blanks\tand a tab  \nATGAAATTTAAAAAA\n' >text.fa
    sixframe -l 3 --watson -m text.fa >got
    printf '>orf1 source=a coords=1..15 length=5 frame=1 desc=two  blanks\tand a tab  \nMKFKK\n' | same - got
    printf '>a one record\001 another one\nATGAAATTTAAAAAA\n' >both.fa
    [ "$(sixframe -l 3 --watson -m both.fa | head -1)" = '>orf1 source=a coords=1..15 length=5 frame=1 desc=one record' ]
    printf '>a\nAT\n>b\nGAAATTTAAAAAA\n' >joined.fa
    run -0 --separate-stderr sixframe -l 3 --watson -m joined.fa
    [ "${lines[0]}" = '>orf1 source=b coords=1..15 length=5 frame=1 desc=' ]
    grep -q 'fewer than 3 bases: 1; .*-W keeps' <<<"$stderr"
    run -0 --separate-stderr sixframe -W -l 3 --watson -m joined.fa
    [ -z "$output$stderr" ]
}

@test "what cannot be translated is refused" {
    run --separate-stderr sixframe small.fa
    refused 1 'small.fa: line 2' 'not a letter of the DNA alphabet' 'as in respack --dna --bad-residue=x FILE'
    run --separate-stderr sixframe demo.wsp
    refused 1 'packed stream of proteins' 'expected DNA or RNA'
    msvfilt -a m.hmm small.fa >pairs.tsv
    run --separate-stderr sixframe pairs.tsv
    refused 1 'not a letter of the DNA alphabet'
    printf '#name\tseq\nx\tACGT\n' >rows.tsv
    run --separate-stderr sixframe --allow-cut rows.tsv
    refused 1 'table of pairs' 'expected DNA or RNA'
    run --separate-stderr sixframe -l 2 --watson <(printf '>a\nACGT\n>\nACGT\n')
    refused 1 'line 3' 'without a name'
    run --separate-stderr sixframe -c 7 corner.fa
    refused 2 '--code: there is no genetic code 7' '1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 16, 21, 22, 23, 24 and 25'
    run --separate-stderr sixframe -m -M corner.fa
    refused 2 '-m and -M exclude each other'
    run --separate-stderr sixframe --watson --crick corner.fa
    refused 2 '--watson and --crick exclude each other'
    run --separate-stderr sixframe -l -1 corner.fa
    refused 2 'min-length' 'range'
    # all ORFs before the fault leave
    { cat corner.fa; printf '>bad\nACGTQ\n'; } >bad.fa
    run -1 --separate-stderr sixframe -q bad.fa
    same <(printf '%s\n' "$output") <(sixframe -q corner.fa)
}

# ---- programs that translate themselves ----

# The rows of the same program on the file of ORFs; its provenance names one program less.
@test "--translate: the bytes of filters and searches on the ORFs, from any form, threads and batch" {
    local t o
    random genes small.fa >genes.fa
    gzip -kf genes.fa
    sixframe -W -c 11 -l 30 genes.fa >orfs.fa
    for t in ssvfilt msvfilt vitfilt fwdscore; do
        $t --no-provenance three.hmm orfs.fa >want
        [ "$t" = ssvfilt ] || [ "$(nrows want)" -ge 5 ] || fail "$t: $(nrows want) rows"
        for o in '-t 1' '-t 3 -K 500' '-t 2 -K 1'; do
            # shellcheck disable=SC2086 # options
            $t --no-provenance $o --translate=11 --orf-length 30 three.hmm genes.fa.gz | same want - || fail "$t $o"
        done
    done
    for o in '' '--scan' '-O tsv --no-provenance' '--max -E 1e-9'; do
        # shellcheck disable=SC2086 # options
        hmmsieve --orfs $o --tblout want.tbl three.hmm orfs.fa >want
        for t in 1 3; do
            # shellcheck disable=SC2086 # options
            hmmsieve -t $t $o --translate=11 --orf-length 30 --tblout got.tbl three.hmm genes.fa >got
            same <(grep -v '^# ' want) <(grep -v '^# ' got) || fail "$o"
            same <(grep -v '^#' want.tbl) <(grep -v '^#' got.tbl) || fail "$o"
        done
    done
    sixframe -W -m --crick genes.fa | msvfilt --no-provenance three.hmm >want
    msvfilt --no-provenance --translate --orf-start ATG --orf-strand crick three.hmm <genes.fa | same want -
    sixframe -W -M genes.fa | msvfilt --no-provenance three.hmm >want
    msvfilt --no-provenance --translate --orf-start table three.hmm genes.fa | same want -
}

@test "--translate: provenance is that of the pipe of programs that says it" {
    random genes small.fa >genes.fa
    msvfilt -P 0.02 --translate=4 --orf-length 25 m.hmm genes.fa | vitfilt -P 0.001 m.hmm | fwdscore -P 1e-05 m.hmm |
        domscore --orfs m.hmm >want
    grep -q '^##warpsieve pg=1 prog=msvfilt .* args="-P 0.02 --translate=4 --orf-length 25"$' want
    hmmsieve -O tsv --translate=4 --orf-length 25 m.hmm genes.fa >got
    same <(sed '/^##/s/ [a-z]*args=.*-P [0-9.e-]*//' want) <(sed '/^##/s/ [a-z]*args=.*-P [0-9.e-]*//' got)
}

@test "--translate: what does not go together is refused" {
    run --separate-stderr hmmsieve --translate=7 m.hmm corner.fa
    refused 2 '--translate: there is no genetic code 7'
    run --separate-stderr msvfilt --translate=x m.hmm corner.fa
    refused 2 '--translate: expected the number of a genetic code, found "x"'
    run --separate-stderr msvfilt --orf-length 3 m.hmm small.fa
    refused 2 '--orf-length, .* go with --translate'
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    run --separate-stderr msvfilt --translate made.hmm corner.fa
    refused 1 '--translate makes proteins, and the models are of DNA; nhmmsieve'
    run -1 --separate-stderr hmmsieve --translate m.hmm small.fa
    told 'small.fa: line 2' 'not a letter of the DNA alphabet'
}

@test "golden searches of translated genomes, where they are at hand" {
    local case options g k
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"
    [ -d "$larger/translate" ] || skip "the full golden data are not at hand"
    zcat "$larger/../data/padloc-250.hmm.gz" | awk 'BEGIN { RS = "//\n"; ORS = "//\n" } NR % 4 == 1' >m63.hmm
    while read -r case g options; do
        # shellcheck disable=SC2086 # options
        hmmsieve $options --tblout got.tbl --domtblout got.dom m63.hmm "$g.fa" >got.out
        for k in tbl dom out; do
            xz -dc "$larger/translate/expected/$case.$k.xz" | grep -v '^#' >want
            same want <(grep -v '^#' got.$k) || fail "$case $k"
        done
    done <<<$'s1 ecoli700k --translate\ns2 prochlo300k --translate=25 --orf-length 30'
}

@test "a record of N alone, of any length, and records without an ORF" {
    { echo '>n'; head -c 30000000 /dev/zero | tr '\0' N; echo; } >n.fa
    [ "$(sixframe -l 0 -t 1 n.fa | wc -c)" -eq 0 ]
    [ "$(peak_memory sixframe -l 0 -t 1 -o /dev/null n.fa)" -lt 80000 ]
    printf '>a\nTAATAATAA\n>empty\n>b\nTAG\n' >none.fa
    sixframe -l 20 -O packed none.fa | respack -O fasta | same /dev/null -
    [ "$(sixframe -O tsv none.fa | tail -1)" = '##end rows=0 in=0 residues=0' ]
}

@test "a slow producer has the ORFs of a record within a second" {
    local t
    for t in 1 3; do
        { printf '>one\nATGAAATTTAAA\n>two\n'; sleep 3; echo ATG; } | sixframe -l 4 -m -t $t |
            { IFS= read -r -t 2 line; echo "$line" >first; cat >rest; }
        grep -q '^>orf1 source=one coords=1..12 ' first
        [ "$(cat rest)" = MKFK ]
    done
}

# A period of 6,300 bases again and again: what is found grows with the number of periods, and memory does not.
@test "a record of 10^9 bases through a pipe: all its ORFs, in bounded memory" {
    local n=${bases:-1000000000} period=6300 k
    local -a few much all
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "takes long: make check-full"
    ! sanitized || skip 'a sanitizer keeps memory for itself'
    awk -v n=$period 'BEGIN {
        srand(4)
        for (i = 0; i < n; i++) printf "%s%s", substr("ACGT", 1 + int(4 * rand()), 1), i % 63 == 62 ? "\n" : ""
    }' >period
    periods() { echo '>one record'; yes "$(<period)" | head -c $(($1 * (period + period / 63))); } # periods HOW_MANY
    numbers() { sed -n 's/^##end rows=\([0-9]*\) .*residues=/\1 /p' "$1"; }
    mkdir -p folder
    export TMPDIR=$PWD/folder
    for k in 3 4; do periods $k | sixframe -t 1 -O tsv --no-seq -l 60 >$k.tsv; done
    read -ra few < <(numbers 3.tsv)
    read -ra much < <(numbers 4.tsv)
    [ "${few[0]}" -ge 9 ] && [ "${much[0]}" -gt "${few[0]}" ]
    k=$((n / period))
    [ "$(periods $k | peak_memory sixframe -t 2 -O tsv --no-seq -l 60 -o all.tsv -)" -lt 120000 ]
    read -ra all < <(numbers all.tsv)
    [ "${all[0]}" -eq $((few[0] + (k - 3) * (much[0] - few[0]))) ]
    [ "${all[1]}" -eq $((few[1] + (k - 3) * (much[1] - few[1]))) ]
    same <(tail -2 3.tsv | grep -v '^#' | cut -f 2-) <(tail -2 all.tsv | grep -v '^#' | cut -f 2-)
    [ -z "$(ls -A folder)" ]
    rm all.tsv
}

misuse() { # misuse PATTERN -- COMMAND...
    run --separate-stderr "${@:3}"
    refused 2 "$1" || fail "command: ${*:3}"
}
translates() {
    local dna f
    dna=$(printf 'ATGAAACCCGGGTTTACGATCGATCGATCGATTGC%.0s' 1 2 3 4 5 6)
    printf '>a d\n%s\n>b\n%s\n' "$dna" "$dna" >t.fa
    for f in 1 2 3 4 5 6 7 8 9; do cat t.fa t.fa; done >many.fa
    : >none.fa
    "$1" t.fa >want
    [ -s want ]
    head -c -1 t.fa | "$1" >got
    same want got || fail "no line feed at the end"
    sed 's/$/\r/' t.fa | "$1" - >got
    same want got || fail "CRLF"
    "$1" -o got t.fa -q # options and operands in any order
    same want got
    for f in none.fa /dev/null; do
        run -0 --separate-stderr "$1" $f
        [ -z "$output$stderr" ] || fail "$f: $output$stderr"
    done
    misuse 'standard input is named 2 times' -- "$1" - -
    misuse 'output: t.fa is also read' -- "$1" -o t.fa t.fa
    same want <("$1" t.fa)
    run -2 timeout 10 script -qec "$1" /dev/null </dev/null
    run -1 --separate-stderr "$1" t.fa missing.fa
    told 'cannot open missing.fa: No such file'
    run -1 --separate-stderr "$1" .
    refused 1 'Is a directory'
    printf '>a\nAT\0G\n' >bad.fa
    run -1 --separate-stderr "$1" bad.fa
    refused 1 'bad.fa: line 2: .\\x00. is not a letter of the DNA alphabet'
    head -c 100 /dev/zero >bad.fa
    run -1 --separate-stderr "$1" bad.fa
    refused 1 'bad.fa: line 1: expected .>. at the start'
    for f in t.fa many.fa; do
        run -1 --separate-stderr "$1" $f -o /dev/full
        refused 1 '/dev/full' 'No space left'
        run -1 --separate-stderr bash -c '"$@" >/dev/full' - "$1" $f
        refused 1 'standard output' 'No space left'
        run -1 --separate-stderr bash -c '"$@" >&-' - "$1" $f
        told 'standard output'
    done
    run -1 --separate-stderr "$1" t.fa -o no/such/folder
    refused 1 'no/such/folder' 'No such file'
    run -1 --separate-stderr bash -c '"$@" <&-' - "$1"
    told 'standard input'
    for f in 1 7; do "$1" -t $f -K $((f * 100)) many.fa; done >got
    same got <("$1" many.fa; "$1" many.fa)
}
@test "programs that translate keep the same promises" { [ -n "$(translators)" ] && each translates $(translators); }
