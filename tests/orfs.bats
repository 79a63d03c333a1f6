#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --orfs and --join: places of domains of ORFs in their contigs. tests/orfs.py cuts ORFs as esl-translate does, and
# translates bases back.

bats_require_minimum_version 1.5.0
load helper

shared=$top/../shared
by_hand=$top/tests/orfs.py

setup_file() {
    make_data
    command -v python3 >/dev/null || return 0
    zcat "$data/golden/long-targets/inputs/dna_target.fa.gz" >genome.fa
    python3 "$by_hand" cut genome.fa >orfs.fa
    # many hits of three models, most of them by chance
    printf '%s\n' -Z 1 --domZ 1 -E 1e6 --domE 1e6 --F1 1 --F2 1 --F3 0.02 >lax
    lax --orfs -f "$places" three.hmm orfs.fa | rows /dev/stdin >places
}
setup() { wants python3; in_data; }

places=name,query,contig,strand,frame,from,to,ali_from,ali_to,hmm_from,hmm_to,dom_bits
# shellcheck disable=SC2046 # words
lax() { hmmsieve $(cat lax) -O tsv "$@"; }

@test "the bases of each domain, cut from the contig and translated, are the residues of its alignment" {
    lax --orfs -f name,query,contig,strand,frame,from,to,ali_seq three.hmm orfs.fa >hits
    [ "$(python3 "$by_hand" check genome.fa hits)" -ge 300 ]
    [ "$(column hits frame | sort -u | xargs)" = '1 2 3 4 5 6' ]
    [ "$(column hits query | sort -u | wc -l)" -eq 3 ]
}

@test "places are the same on a pipe, packed, by sequence, in tables of filters, with any threads and batches" {
    msvfilt -P 1 three.hmm orfs.fa | vitfilt -P 1 three.hmm | fwdscore -P 0.02 three.hmm |
        domscore -Z 1 --domZ 1 -E 1e6 --domE 1e6 --orfs -f "$places" three.hmm | rows /dev/stdin >got
    same places got
    respack -O packed orfs.fa | lax --orfs -f "$places" three.hmm | rows /dev/stdin >got
    same places got
    respack -O tsv orfs.fa | lax --orfs -f "$places" three.hmm | rows /dev/stdin >got
    same places got
    lax --scan --orfs -f "$places" three.hmm orfs.fa | rows /dev/stdin | sort >got
    same <(sort places) got
    msvfilt -P 1 three.hmm orfs.fa | vitfilt -P 1 three.hmm | fwdscore -P 0.02 three.hmm |
        domscore --stream -Z 1 --domZ 1 -E 1e6 --domE 1e6 --orfs -f "$places" three.hmm | rows /dev/stdin | sort >got
    same <(sort places) got
    for options in '-t 1 --batch 1000' '-t 2' '-t 7 --batch 100' --backend=scalar; do
        # shellcheck disable=SC2086 # words
        lax --orfs -f "$places" $options three.hmm orfs.fa | rows /dev/stdin >got
        same places got || fail "$options"
    done
}

@test "the default columns have the places behind them, and without --orfs nothing changes" {
    lax three.hmm orfs.fa >plain
    lax --orfs three.hmm orfs.fa >got
    same <(rows plain) <(rows got | cut -f1-23)
    same <(cut -f3-7 places) <(rows got | cut -f24-)
    [ "$(grep '^#name' got | cut -f23-)" = "$(printf 'desc\tcontig\tstrand\tframe\tfrom\tto')" ]
    seqsieve --orfs --incE 1e-5 -E 1e5 --domE 1e5 -O tsv -f name,contig,from,to small.fa orfs.fa >seqs
    jacksieve -N 1 --orfs -E 1e5 --domE 1e5 -O tsv -f name,contig,from,to small.fa orfs.fa >rounds
    same <(rows seqs) <(rows rounds)
    [ "$(nrows seqs)" -ge 1 ]
}

@test "BED and GFF3 have the rows of the table" {
    lax --orfs -f contig,from,to,strand,query,hmm_from,hmm_to,name,frame three.hmm orfs.fa | rows /dev/stdin >table
    # shellcheck disable=SC2046 # words
    hmmsieve $(cat lax) --orfs -O bed three.hmm orfs.fa >bed
    same <(awk -F '\t' -v OFS='\t' '{ a = $2 < $3 ? $2 : $3; b = $2 + $3 - a; print $1, a - 1, b, $5, $4 }' table) <(cut -f1-4,6 bed)
    # shellcheck disable=SC2046 # words
    hmmsieve $(cat lax) --orfs -O gff3 three.hmm orfs.fa >gff
    [ "$(head -1 gff)" = '##gff-version 3' ]
    [ "$(sed 1d gff | awk -F '\t' '{ print NF, $2, $3, $8 }' | sort -u)" = '9 hmmsieve protein_hmm_match .' ]
    same <(awk -F '\t' -v OFS='\t' '{ a = $2 < $3 ? $2 : $3; b = $2 + $3 - a; print $1, a, b, $4, $5, $5 " " $6 " " $7, $9, $8 }' table) \
        <(sed 1d gff |
            sed -E 's/\t[^\t]*\t([-+])\t\.\tName=([^;]*);Target=([^;]*);bits=[^;]*;bias=[^;]*;frame=(.);orf=/\t\1\t\2\t\3\t\4\t/' |
            cut -f1,4-)
    # without the size of the database there is no E-value; what a name may not have is spelt
    printf '>o;1 source=a%%b coords=1..780 length=260 frame=1 desc=\n%s\n' \
        "$(seqkit grep -n -r -p RAD53_YEAST demo.fa | seqkit seq -s -w 0 | cut -c198-457)" >odd.fa
    msvfilt -a --no-provenance m.hmm odd.fa | grep -v '^##end' >odd.tsv
    run -1 --separate-stderr domscore -a --orfs -O gff3 -T -1000 --domT -1000 m.hmm odd.tsv
    grep -q $'^a%25b\tdomscore\tprotein_hmm_match\t[0-9]*\t[0-9]*\t\\.\t+\t\\.\tName=' <<<"$output"
    grep -q 'orf=o%3B1$' <<<"$output"
}

@test "a sequence that is no such ORF ends the run with a sentence that names it, and what was read before is written" {
    wrong() { # wrong DESCRIPTION PATTERN...
        local desc=$1
        shift
        { cat orfs.fa; printf '>bad %s\nACDEFG\n' "$desc"; cat orfs.fa; } >mixed.fa
        for options in '' '-t 7 --batch 100' '--scan'; do
            # shellcheck disable=SC2046,SC2086 # words
            run -1 --separate-stderr hmmsieve $(cat lax) $options --orfs -O tsv -f "$places" three.hmm mixed.fa
            told 'mixed.fa: sequence bad' "$@"
            [ "$options" = --scan ] || same places <(rows /dev/stdin <<<"$output")
        done
        printf '>bad %s\nACDEFG\n' "$desc" >bad.fa
        run -1 --separate-stderr domscore -a --orfs three.hmm bad.fa
        told 'bad.fa: sequence bad' "$@"
        [ "$(grep -vc '^#' <<<"$output")" -eq 0 ]
    }
    wrong '' 'no ORF that tells its place' 'expected "source=CONTIG coords=FROM\.\.TO length=N frame=F desc='
    wrong 'x source=a coords=1..18 length=6 frame=1 desc=' 'no ORF' 'its description is "x source=a'
    wrong 'source=a coords=1..18 length=5 frame=1 desc=' 'has 6 residues' 'length=5'
    wrong 'source=a coords=1..15 length=6 frame=1 desc=' 'coords=1\.\.15 are 15 bases' 'asks for 18'
    wrong 'source=a coords=18..1 length=6 frame=1 desc=' 'frame=1 does not go with coords=18\.\.1'
    # a table says no description, and a run without --orfs does not mind
    msvfilt -a -f name,seq,query three.hmm orfs.fa >short.tsv
    run -1 --separate-stderr domscore -a --orfs three.hmm short.tsv
    told 'short.tsv: sequence orf1 is no ORF' 'its description is ""'
    run -0 --separate-stderr hmmsieve -O tsv three.hmm mixed.fa
}

@test "what needs --orfs or excludes it is said" {
    misuse() { run -2 --separate-stderr "${@:2}"; refused 2 "$1"; }
    misuse '-O bed writes places in contigs.*give --orfs' hmmsieve -O bed m.hmm orfs.fa
    misuse '-O gff3 writes places in contigs.*give --orfs' domscore -O gff3 m.hmm orfs.fa
    misuse '-O gff3 writes places in contigs.*give --orfs' seqsieve -O gff3 small.fa orfs.fa
    misuse 'column frame is a place in a contig, so it needs --orfs' hmmsieve -O tsv -f name,frame m.hmm orfs.fa
    misuse 'column from is a place in a contig, so it needs --orfs' domscore -f name,from m.hmm orfs.fa
    for name in hmmsearch hmmscan phmmer; do
        run -1 "$(hmmsieve --hmmer-path)/$name" --orfs m.hmm orfs.fa
        grep -q 'orfs' <<<"$output"
    done
}

@test "the golden searches of ORFs: tables of hmmsearch, and places of all hits" {
    local g=$shared/golden/translate
    [ -d "$g" ] || skip "its data are not there"
    zcat "$shared/data/padloc-250.hmm.gz" | awk 'BEGIN { RS = "//\n"; ORS = "//\n" } NR % 4 == 1' >63.hmm
    for s in 's1 ecoli700k 73c99409a8204394c4222197ac571c62' 's2 prochlo300k a6db689c547a21c3d64d899471e9f94b -l 30 -c 25'; do
        # shellcheck disable=SC2086 # words
        set -- $s
        local name=$1 genome=$2 md5=$3
        xz -dc "$shared/golden/long-targets/inputs/$genome.fa.xz" >contigs.fa
        python3 "$by_hand" cut "${@:4}" contigs.fa >cut.fa
        [ "$(md5sum <cut.fa)" = "$md5  -" ]
        hmmsieve --orfs --tblout tbl --domtblout dom -O tsv -f name,query,contig,strand,frame,from,to,ali_seq 63.hmm cut.fa >hits
        same <(xz -dc "$g/expected/$name.tbl.xz" | grep -v '^# [A-Z[]') <(grep -v '^# [A-Z[]' tbl)
        same <(xz -dc "$g/expected/$name.dom.xz" | grep -v '^# [A-Z[]') <(grep -v '^# [A-Z[]' dom)
        # shellcheck disable=SC2086 # words
        [ "$(python3 "$by_hand" check $([ "$name" = s1 ] || echo -c 25) contigs.fa hits)" -eq \
            "$(xz -dc "$g/expected/$name.dom.xz" | grep -vc '^#')" ]
    done
}

@test "hmmsieve --translate writes the places that a pipe of sixframe writes with --orfs, in every form" {
    sixframe -W -l 15 genome.fa >cut.fa
    # shellcheck disable=SC2046,SC2086 # words
    for options in '-O tsv' '-O bed' '-O gff3' '--scan -O tsv' '-O tsv --join' '-O gff3 --join --join-gap 100000' \
        '-O tsv -f from,to,ali_seq,contig'; do
        hmmsieve $(cat lax) --orfs $options three.hmm cut.fa >want
        for more in '-t 1 --batch 1000' '-t 7'; do
            hmmsieve $(cat lax) --translate --orf-length 15 $more $options three.hmm genome.fa >got
            same <(grep -v '^##warp' want) <(grep -v '^##warp' got) || fail "$options $more"
        done
        [ "$(wc -l <got)" -ge 100 ]
    done
    hmmsieve -E 1e5 --translate -O tsv three.hmm genome.fa >got
    msvfilt --translate three.hmm genome.fa | vitfilt three.hmm | fwdscore three.hmm | domscore -E 1e5 --orfs three.hmm >want
    same <(grep -v 'pg=[123] ' want) <(grep -v 'pg=[123] ' got) # the last program has --orfs
    hmmsieve -E 1e5 --orfs --translate -O tsv three.hmm genome.fa >again
    same <(grep -v '^##' got) <(grep -v '^##' again)
    run -2 --separate-stderr hmmsieve --translate --join -O text three.hmm genome.fa
    refused 2 '--join numbers the rows of -O tsv'
}

# ---- --join ----

joined=query,contig,strand,from,to,hmm_from,hmm_to,dom_bits,locus,locus_bits

@test "--join gives the loci of a plain program, for small and large gaps, and changes no other number" {
    lax --orfs three.hmm orfs.fa | rows /dev/stdin >want
    for gap in 0 30 1000 1000000; do
        lax --orfs --join --join-gap $gap -f $joined three.hmm orfs.fa >hits
        python3 "$by_hand" loci $gap hits >got
        [ "$gap" -lt 1000 ] || [ "$(cat got)" -ge 20 ]
        lax --orfs --join --join-gap $gap three.hmm orfs.fa >all
        same want <(rows all | cut -f1-28)
        same <(rows hits | cut -f9-) <(rows all | cut -f29-)
    done
    [ "$(grep '^#name' all | cut -f28-)" = "$(printf 'to\tlocus\tlocus_bits')" ]
    same <(lax --orfs --join three.hmm orfs.fa | rows /dev/stdin) <(lax --orfs --join --join-gap 1000 three.hmm orfs.fa | rows /dev/stdin)
}

@test "--join is the same on a pipe and with any threads and batches, and stands in GFF3" {
    lax --orfs --join -f $joined three.hmm orfs.fa | rows /dev/stdin >want
    for options in '-t 1 --batch 1000' '-t 7 --batch 100' '--mem 1M' '--resolve none'; do
        # shellcheck disable=SC2086 # words
        lax --orfs --join $options -f $joined three.hmm orfs.fa | rows /dev/stdin >got
        same want got || fail "$options"
    done
    msvfilt -P 1 three.hmm orfs.fa | vitfilt -P 1 three.hmm | fwdscore -P 0.02 three.hmm |
        domscore -Z 1 --domZ 1 -E 1e6 --domE 1e6 --orfs --join -f $joined three.hmm | rows /dev/stdin >got
    same want got
    # shellcheck disable=SC2046 # words
    hmmsieve $(cat lax) --orfs --join -O gff3 three.hmm orfs.fa >gff
    same <(cut -f9- want) <(sed 1d gff | sed -E 's/.*;locus=([0-9]+);locus_bits=(.*)$/\1\t\2/')
    # domains that --resolve takes away are in no locus
    lax --orfs --join --join-gap 1000000 --resolve greedy -f $joined three.hmm orfs.fa >hits
    [ "$(nrows hits)" -lt "$(wc -l <want)" ]
    python3 "$by_hand" loci 1000000 hits >got
    # queries that are sequences
    jacksieve -N 2 --orfs --join --join-gap 100000 -E 1e5 --domE 1e5 -O tsv -f $joined small.fa orfs.fa >hits
    python3 "$by_hand" loci 100000 hits >got
    [ "$(nrows hits)" -ge 2 ]
}

@test "what --join needs and excludes is said" {
    misuse() { run -2 --separate-stderr "${@:2}"; refused 2 "$1"; }
    misuse '--join compares places in contigs.*give --orfs' hmmsieve --join -O tsv m.hmm orfs.fa
    misuse '--join numbers the rows of -O tsv and of -O gff3.*-O text' hmmsieve --orfs --join m.hmm orfs.fa
    misuse '--join numbers the rows.*-O bed' hmmsieve --orfs --join -O bed m.hmm orfs.fa
    misuse '--join needs all hits of a model, and --scan' hmmsieve --scan --orfs --join -O tsv m.hmm orfs.fa
    misuse '--join needs all hits of a model, and --stream' domscore --stream -Z 1 --domZ 1 --orfs --join m.hmm orfs.fa
    misuse '--join-gap has a meaning with --join only' hmmsieve --orfs --join-gap 5 -O tsv m.hmm orfs.fa
    misuse 'column locus is of a locus, so it needs --join' hmmsieve --orfs -O tsv -f name,locus m.hmm orfs.fa
    misuse 'join-gap: -1 .*0 to 1000000' hmmsieve --orfs --join --join-gap -1 -O tsv m.hmm orfs.fa
    misuse 'join-gap.*0 to 1000000' hmmsieve --orfs --join --join-gap 1000001 -O tsv m.hmm orfs.fa
}
