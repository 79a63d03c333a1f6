#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# nhmmsieve: nhmmer's tables, forms of the output, blocks and strands, one answer, and what it refuses.
# tests/lib/long*.c have its stages.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    local golden=$data/golden/long-targets
    cd "$BATS_FILE_TMPDIR" || return 1
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    zcat "$golden/models/RF00001.hmm.gz" >5s.hmm
    { sed "s/^ALPH  RNA/ALPH  DNA/" 5s.hmm && echo && cat made.hmm; } >two.hmm
    cp "$golden/inputs/dna_target.fa.gz" human.fa.gz
    cp "$golden/inputs/short.fa.gz" .
    zcat human.fa.gz >human.fa
    zcat short.fa.gz >short.fa
    zcat "$golden/expected/made-human.tbl.gz" >made-human.tbl
    zcat "$golden/expected/made-short.tbl.gz" >made-short.tbl
    zcat "$golden/expected/5s-short.tbl.gz" >5s-short.tbl
    zcat "$golden/expected/5s-human.tbl.gz" >5s-human.tbl
    cp "$data/demo.hmm" protein.hmm
}
setup() { in_data; }

@test "nhmmer's tables, byte for byte" {
    nhmmsieve -O tblout made.hmm human.fa.gz >got
    same made-human.tbl <(table got)
    nhmmsieve -O tblout made.hmm short.fa >got
    same made-short.tbl <(table got)
    nhmmsieve -O tblout 5s.hmm short.fa >got
    same 5s-short.tbl <(table got)
    nhmmsieve -O tblout -E 1000 5s.hmm human.fa >got
    same 5s-human.tbl <(table got)
}

@test "--tblout ends with what made it, as nhmmer's, so that a table that was cut can be told" {
    for o in "-O tblout" "-o /dev/null --tblout /dev/stdout" "--long -O tblout"; do
        # shellcheck disable=SC2086 # options are words
        if [ "${o%% *}" = --long ]; then hmmsieve $o -E 5 made.hmm short.fa.gz; else nhmmsieve $o -E 5 made.hmm short.fa.gz; fi |
            sed -n '/^#$/,$p' | same <(printf '#\n# %-17s%s\n# %-17s%s\n# %-17s%s\n# %-17s%s\n# %-17s%s\n# %-17s%s\n# [ok]\n' \
            Program: nhmmsieve Version: "warpsieve $(nhmmsieve --version | sed -n '1s/.* //p')" 'Pipeline mode:' SEARCH \
            'Query file:' made.hmm 'Target file:' short.fa.gz 'Option settings:' "nhmmsieve -E 5") - || fail "$o"
    done
    nhmmsieve -O tblout made.hmm <short.fa >got
    same <(printf '# Query file:      made.hmm\n# Target file:     -\n') <(grep ' file: ' got)
    nhmmsieve --scan -O tblout made.hmm short.fa >got
    same <(printf '# Pipeline mode:   SCAN\n# Query file:      short.fa\n# Target file:     made.hmm\n') <(grep ' file: \|mode' got)
    [ "$(tail -1 got)" = '# [ok]' ]
    nhmmsieve -O dfamtblout made.hmm short.fa >got # which HMMER ends without
    ! grep -q 'ok' got || fail "$(tail -1 got)"
    run -1 --separate-stderr nhmmsieve -O tblout -o got made.hmm <(cat short.fa; printf '>bad\nAC1\n')
    ! grep -q 'ok' got || fail "$(tail -1 got)"
}

# The report from its first query on; an alignment without the line that says who made it.
report() { sed -n '/^Query:/,$p' "$1" | grep -v '^# CPU time\|^# Mc/sec' | sed 's/saved to: .*/saved to: got.sto/'; }
stockholm() { grep -v '^#=GF AU' "$1" || true; }

@test "nhmmer's report, alignment and scores of columns, byte for byte, for any threads, batches and blocks" {
    local golden=$data/golden/nhmmer
    equal() { # equal NAME ARGUMENT...
        local name=$1
        shift
        nhmmsieve -O text -o got.out -A got.sto --aliscoresout got.sc "$@"
        zcat "$golden/$name.out.gz" | same - <(report got.out) || fail "$name: $*"
        zcat "$golden/$name.sto.gz" | same - <(stockholm got.sto) || fail "$name: $*"
        zcat "$golden/$name.sc.gz" | same - got.sc || fail "$name: $*"
    }
    for run in '-t 1' '-t 4' '-t 3 -K 700' '-t 1 --backend scalar'; do
        equal human $run made.hmm human.fa.gz
        equal rrna $run --acc --incE 1e-6 --notextw 5s.hmm short.fa
        equal score $run -T 5 --incT 20 --textw 150 --watson made.hmm short.fa
        equal max $run --max --noali --crick -E 1e-3 5s.hmm short.fa
    done
    nhmmsieve -O sto made.hmm human.fa | same - <(nhmmsieve -o /dev/null -A /dev/stdout made.hmm human.fa)
    run -2 --separate-stderr nhmmsieve --incE 1 --incT 2 made.hmm short.fa
    refused 2 'exclude each other'
    run -2 --separate-stderr nhmmsieve --tformat fmindex made.hmm short.fa
    refused 2 'search the FASTA file'
    run -2 --separate-stderr nhmmsieve --scan -A x made.hmm short.fa
    refused 2 'one model'
}

@test "the report of a model without hits, of records without residues, of several models" {
    nhmmsieve -O text -E 1e-30 -A got.sto -o got.out made.hmm human.fa
    grep -q 'No hits detected' got.out
    grep -q '^# No hits satisfy inclusion thresholds; no alignment saved$' got.out
    [ ! -s got.sto ]
    printf '>a\n>b\n' | nhmmsieve -O text made.hmm - >got.out
    grep -q '^Target sequences:  *2  (0 residues searched)$' got.out
    grep -q '^Residues passing SSV filter:  *0  (-nan); expected (0.02)$' got.out
    nhmmsieve -O text two.hmm human.fa short.fa >got.out
    [ "$(grep -c '^//' got.out)" -eq 2 ]
    [ "$(tail -1 got.out)" = '[ok]' ]
    [ "$(grep '^Target sequences' got.out | uniq | wc -l)" -eq 1 ]
    # hits that are not reported have no part in the report but its widths
    nhmmsieve -O text -E 1e-6 5s.hmm short.fa >few
    nhmmsieve -O text -E 10 5s.hmm short.fa | awk '/^>>/ { n = $2 } /^ [!?]/ && $4 <= 1e-6 { print n, $4 }' |
        same - <(awk '/^>>/ { n = $2 } /^ [!?]/ { print n, $4 }' few)
}

made() { grep -v '^DATE\|^HMMER3/f' "$1"; }

@test "queries that are sequences or alignments: nhmmer's report, tables, alignments and models" {
    local golden=$data/golden/nhmmer
    for f in 5s.fa multi.fa m1.sto one.sto mmga.sto tgt.fa; do zcat "$golden/$f.gz" >$f; done
    equal() { # equal NAME ARGUMENT...
        local name=$1
        shift
        nhmmsieve -O text -o got.out -A got.sto --aliscoresout got.sc --tblout got.tbl --hmmout got.hmm "$@"
        zcat "$golden/$name.out.gz" | same - <(report got.out) || fail "$name: $*"
        zcat "$golden/$name.sto.gz" | same - <(stockholm got.sto) || fail "$name: $*"
        zcat "$golden/$name.hmm.gz" | same - <(made got.hmm) || fail "$name: $*"
        for x in sc tbl; do zcat "$golden/$name.$x.gz" | same - <(table got.$x) || fail "$name.$x: $*"; done
    }
    for run in '-t 1' '-t 4' '-t 2 --backend scalar'; do
        equal af3 $run -E 0.001 --incE 0.001 --rna --watson --F3 1e-5 5s.fa tgt.fa
        equal q-multi $run multi.fa tgt.fa
        equal m-one $run m1.sto tgt.fa
        equal singlemx $run --singlemx one.sto tgt.fa
        equal m-ga2 $run --cut_ga mmga.sto human.fa
    done
    # a model that was written finds the same
    nhmmsieve -O tblout -o /dev/null --hmmout m.hmm m1.sto tgt.fa
    nhmmsieve -O tblout m.hmm tgt.fa >got
    nhmmsieve -O tblout m1.sto tgt.fa >want
    same <(table want) <(table got)
}

@test "models with masked nodes, which nhmmer changes when it first fits them to an envelope" {
    local golden=$data/golden/nhmmer
    zcat "$golden/masked.aln.gz" >masked.sto
    zcat "$golden/masked.fa.gz" >masked.fa
    hmmcast --dna masked.sto >masked.hmm
    equal() { # equal NAME ARGUMENT...
        local name=$1 x
        shift
        nhmmsieve -O text -o got.out -A got.sto --aliscoresout got.sc --tblout got.tbl "$@" masked.fa
        zcat "$golden/$name.out.gz" | same - <(report got.out) || fail "$name: $*"
        zcat "$golden/$name.sto.gz" | same - <(stockholm got.sto) || fail "$name: $*"
        for x in sc tbl; do zcat "$golden/$name.$x.gz" | same - <(table got.$x) || fail "$name.$x: $*"; done
    }
    for run in '-t 1' '-t 4' '-t 3 -K 700' '-t 4 -K 1' '-t 1 --backend scalar'; do
        equal masked $run -E 1000 masked.sto
        equal masked-file $run -E 1000 masked.hmm # whose numbers have five digits
        equal masked-max $run --max -E 1e5 --crick --noali masked.sto
    done
    # without the correction there is no fit, and so no change
    nhmmsieve --nonull2 -O tblout -E 1000 masked.hmm masked.fa >want
    nhmmsieve --nonull2 -O tblout -E 1000 -t 4 -K 700 masked.hmm masked.fa | same want -
}

@test "scores of columns to the last digit: HMMER takes logarithms by a polynomial" {
    local golden=$data/golden/nhmmer
    zcat "$golden/digits.aln.gz" >digits.sto
    zcat "$golden/digits.fa.gz" >digits.fa
    nhmmsieve -E 1000 -o /dev/null --aliscoresout got digits.sto digits.fa
    zcat "$golden/digits.sc.gz" | same - got
}

# is WANT [OPTION...] FILE: the models that are made of a file, as names, lengths and alphabets
is() {
    local want=$1
    shift
    nhmmsieve -o /dev/null --hmmout got.hmm "$@" short.fa
    same <(echo "$want") <(awk '/^NAME/ { n = $2 } /^LENG/ { m = $2 } /^ALPH/ { a = $2 } /^EFFN/ { a = a "*" }
        $1 == "//" { printf "%s%s %s %s", s, n, m, a; s = ", " } END { print "" }' got.hmm) || fail "$*"
}

@test "what a file of queries is: by its content, its name and --qformat" {
    local a=ACGTACGTTGCAAC r=ACGUACGUUGCAAC
    printf '>a one\n%s\n>b\n%sA\n' $a $a >two.fa
    printf '>a\n%s\n>b\n%s\n' $a $a | tee same.fa >same.a2m
    printf '>a\n%s\n' $r | tee rna >rna.a3m
    printf '>a\n%s\n' $a >one.a2m
    printf '>a\n%s--%s\n' $a $a >gaps.fa
    printf '# STOCKHOLM 1.0\na %s\nb %s-\n//\n# STOCKHOLM 1.0\n#=GF ID x\na %s\n//\n' ${a}A $a $a >two.sto
    is 'a 14 DNA, b 15 DNA' two.fa
    is 'a 14 RNA, b 15 RNA' --rna two.fa
    is 'a 14 DNA, b 15 DNA' --qformat fasta - <two.fa
    is 'a 14 RNA' rna
    is 'a 14 RNA' rna.a3m
    is 'one 14 DNA*' one.a2m
    is 'a 14 DNA' --singlemx one.a2m
    is 'same 14 DNA*' same.a2m
    is 'same 14 DNA*' --qformat afa same.fa
    is 'a 14 DNA, b 14 DNA' --qformat fasta same.fa
    is 'a 14 DNA, b 14 DNA' --qsingle_seqs same.fa
    is 'a 28 DNA' --qsingle_seqs gaps.fa
    is 'a 14 DNA, b 15 DNA' --qsingle_seqs two.fa
    is 'a 14 DNA, b 15 DNA' --qsingle_seqs --dna two.fa
    is 'two 15 DNA*, x 14 DNA*' two.sto
    is 'two 15 DNA*, a 14 DNA' --singlemx two.sto
    is 'a 15 DNA, b 14 DNA, a 14 DNA' --qsingle_seqs two.sto
    gzip -c two.fa >zipped
    is 'a 14 DNA, b 15 DNA' zipped
    rm -f got.hmm
    nhmmsieve -o /dev/null --hmmout got.hmm made.hmm short.fa # a model is not made again
    [ ! -e got.hmm ]
    refuses() { # refuses WORDS ARGUMENT...
        local words=$1
        shift
        run --separate-stderr nhmmsieve "$@" short.fa
        [ "$status" -ne 0 ] && [[ $stderr =~ $words ]] || fail "$*: $status $stderr"
    }
    refuses 'equally long.*--qformat' same.fa
    refuses "line 2: '-' is not a letter" gaps.fa
    sed '/ID x/d' two.sto >unnamed.sto
    refuses 'alignment 2 has no name' unnamed.sto
    refuses 'models' --qsingle_seqs made.hmm
    refuses 'model MADE1 is of DNA, not of RNA' --rna made.hmm
    refuses 'exclude each other' --rna --dna two.fa
    refuses 'no score matrix' --mx BLOSUM62 two.fa
    refuses 'may be fasta' --qformat hmm made.hmm
    refuses 'no GA line' --cut_ga two.fa
    printf '>a\nACGNNNNNNNNNNNNNN\n' >n.fa
    refuses 'say --dna or --rna' n.fa
    is 'a 17 DNA' --dna n.fa
    printf '>a\nMKVLAAGIVGLPNVGKSTLFN\n' >p.fa
    refuses 'searches with DNA and RNA' p.fa
    printf '>a\n%s\n>b\n' $a >empty.fa
    refuses '1 of 2 sequences have none' empty.fa
    printf '>a\n%s\n>b\n%sE\n' $a $a >odd.fa
    refuses "'E' is not a letter" --qformat fasta odd.fa
    printf 'nothing of the kind 1\n' >text
    refuses "model's first line" text
}

@test "--max turns the filters after SSV off, also the bias; alignments have eight residues or more" {
    local plain='-E 1e30 --header none --no-provenance -f name,ali_from,ali_to,bits'
    nhmmsieve $plain --max made.hmm human.fa >got
    nhmmsieve $plain --F2 1 --F3 1 --nobias made.hmm human.fa >want
    same want got
    nhmmsieve $plain --F2 1 --F3 1 made.hmm human.fa >biased
    ! cmp -s biased got || fail "the bias filter turns nothing down here"
    same <(echo 8) <(awk '{ d = $3 - $2; print (d < 0 ? -d : d) + 1 }' got | sort -n | head -1)
}

@test "hmmsieve --long is nhmmsieve; options of nhmmer that have nothing to do are taken" {
    hmmsieve --long -O tblout made.hmm short.fa >got
    same made-short.tbl <(table got)
    nhmmsieve --noali --dna --cpu 2 -o table --tblout /dev/stdout made.hmm short.fa >got
    same made-short.tbl <(table got)
    run -2 --separate-stderr hmmsieve -E 1 --long made.hmm short.fa
    refused 2 'in front'
    run --separate-stderr hmmsieve --long --help
    [[ $output =~ nhmmsieve ]]
}

# Reports, tables and models of sequences and alignments, and the options of reports.
queries_of_the_larger_set() {
    local case program query target options x n=0
    for f in "$1"/inputs/*; do
        case $f in
            *.xz) xz -dc "$f" >"$(basename "$f" .xz)" ;;
            *.gz) zcat "$f" >"$(basename "$f" .gz)" ;;
            *) cp "$f" . ;;
        esac
    done
    cat MADE1_cut.hmm 3box.hmm 2OG-FeII_Oxy_3-nt.hmm bmyD.hmm >dna.hmm
    grep -v '^#' "$1/cases.tsv" >kinds
    while IFS=$'\t' read -r case program query target options _; do
        [ "$program" = nhmmer ] || continue
        [ "$options" != - ] || options=
        # shellcheck disable=SC2086 # options
        nhmmsieve -O text -o got.out -A got.sto --aliscoresout got.sc --tblout got.tbl --hmmout got.hmm $options \
            "$query" "$target"
        for x in out sto sc tbl hmm; do
            [ ! -e "$1/expected/$case.$x.xz" ] || xz -dc "$1/expected/$case.$x.xz" >"want.$x"
        done
        same <(report want.out) <(report got.out) || fail "$case $options"
        same <(stockholm want.sto) <(stockholm got.sto) || fail "$case $options"
        same want.sc got.sc || fail "$case $options"
        same <(grep -v '^#$' want.tbl) <(table got.tbl) || fail "$case $options"
        [ ! -e "$1/expected/$case.hmm.xz" ] || same <(made want.hmm) <(made got.hmm) || fail "$case $options"
        n=$((n + 1))
    done <kinds
    [ $n -ge 35 ]
}

@test "every option: nhmmer's tables of the larger set, where it is at hand" {
    local set=$top/../shared/golden/long-targets case model target options
    [ "${WARPSIEVE_TESTS:-quick}" = full ] && [ -d "$set" ] ||
        skip "the full golden data are not asked for, or not at hand"
    for f in "$set"/models/*.gz; do zcat "$f" >"$(basename "$f" .gz)"; done
    for f in "$set"/inputs/*.xz; do xz -dc "$f" >"$(basename "$f" .xz)"; done
    grep -v '^#' "$set/cases.tsv" >cases
    while IFS=$'\t' read -r case model target options _; do
        [ "$options" != - ] || options=
        # shellcheck disable=SC2086 # options
        nhmmsieve -O tblout $options "$model" "$target" >got
        zcat "$set/expected/$case.tbl.gz" >want
        same want got || fail "$case $options"
    done <cases
    [ -d "$set/../nhmmer" ] || skip "reports are not at hand"
    queries_of_the_larger_set "$set/../nhmmer"
    for x in reports alignments aliscores; do tar -xJf "$set/../nhmmer/lt-$x.tar.xz"; done
    while IFS=$'\t' read -r case model target options layout _; do
        [ "$options" != - ] || options=
        # shellcheck disable=SC2086 # options
        nhmmsieve -O text -o got.out -A got.sto --aliscoresout got.sc $options "$model" "$target"
        same <(stockholm "$case.sto") <(stockholm got.sto) || fail "$case $options"
        same "$case.sc" got.sc || fail "$case $options"
        if [ "$layout" = serial ]; then same <(report "$case.out") <(report got.out) || fail "$case $options"
        else # what passes the filters depends on the blocks
            same <(report "$case.out" | grep -v '^Residues passing') <(report got.out | grep -v '^Residues passing') ||
                fail "$case $options"
        fi
    done <cases
}

@test "two models: each has its table, one after the other; the same from many blocks" {
    nhmmsieve -O tblout two.hmm short.fa >got
    { cat 5s-short.tbl; grep -v '^#' made-short.tbl; } >want
    sed 's/  */ /g' want >want.narrow
    table got | sed 's/  */ /g' >got.narrow
    same want.narrow got.narrow
    nhmmsieve -O tblout --block_length 50000 made.hmm human.fa >got
    same made-human.tbl <(table got)
}

@test "strands: --watson and --crick are halves of the search, with half the residues" {
    nhmmsieve --no-provenance -f strand,ali_from,bits -E 1000 made.hmm human.fa >both
    nhmmsieve --no-provenance -f strand,ali_from,bits -E 500 --watson made.hmm human.fa >plus
    nhmmsieve --no-provenance -f strand,ali_from,bits -E 500 --crick made.hmm human.fa >minus
    grep '^+' both >want
    grep '^+' plus >got
    same want got
    grep '^-' both >want
    grep '^-' minus >got
    same want got
    [ "$(grep -c '^-' plus)" -eq 0 ]
    nhmmsieve -O tblout -Z 0.33 made.hmm human.fa >got
    same made-human.tbl <(table got)
}

@test "the same bytes for any threads, batch, backend and form of the input" {
    local b k t
    nhmmsieve -t 1 two.hmm short.fa >want
    for t in 2 3; do nhmmsieve -t $t two.hmm short.fa >got; same want got || fail "-t $t"; done
    for k in 1 1000 1G; do nhmmsieve -K $k two.hmm short.fa >got; same want got || fail "-K $k"; done
    for b in $(nhmmsieve --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        nhmmsieve --backend "$b" two.hmm short.fa >got
        same want got || fail "--backend $b"
    done
    cat short.fa.gz | nhmmsieve two.hmm >got
    same want got
    respack --dna short.fa | nhmmsieve two.hmm >got
    same want got
    awk '/^>/ { n++ } { print > (n > 200 ? "b.fa" : "a.fa") }' short.fa
    nhmmsieve two.hmm a.fa b.fa >got
    same want got
    tr ACGT acgu <short.fa | sed 's/^>.*/\L&/' >lower.fa
    nhmmsieve --no-provenance -f ali_from,ali_to,bits two.hmm lower.fa >got
    nhmmsieve --no-provenance -f ali_from,ali_to,bits two.hmm short.fa >want
    same want got
}

@test "records in pieces: the same tables from any batch, counts, places in messages" {
    local k
    cat short.fa human.fa short.fa >long.fa
    nhmmsieve --stats=whole.json -O tblout -K 1G two.hmm long.fa >want
    for k in 1 60K 300K; do
        nhmmsieve --stats=pieces.json -O tblout --block_length 50000 -K $k made.hmm human.fa >got
        same made-human.tbl <(table got) || fail "blocks of 50000, -K $k"
        nhmmsieve --stats=pieces.json -O tblout -t 3 -K $k two.hmm long.fa >got
        same want got || fail "-K $k"
        same <(grep -E '"(sequences|residues|windows)"' whole.json) <(grep -E '"(sequences|residues|windows)"' pieces.json)
    done
    { cat human.fa && echo 'ACGTEACGT'; } >late.fa
    run -1 --separate-stderr nhmmsieve -K 1 made.hmm late.fa
    told "'E'" 'position 330005'
}

@test "a record of 2^31 + 1 residues in 100 MB" {
    full || skip "this takes half a minute and is for check-full"
    ! sanitized || skip 'a sanitizer takes more memory'
    {
        printf '>far\n'
        head -c 2147483249 /dev/zero | tr '\0' N | fold -w 1000000
        grep -v '>' human.fa | tr -d '\n' | cut -c 302301-302700
    } | (ulimit -v 1000000 && nhmmsieve --no-provenance -t 2 -f name,tlen,strand,ali_from,ali_to,bits made.hmm) >got
    printf '#name\ttlen\tstrand\tali_from\tali_to\tbits\nfar\t2147483649\t+\t2147483339\t2147483415\t38.8\n' >want
    printf 'far\t2147483649\t-\t2147483415\t2147483339\t29.2\n' >>want
    same want got
}

@test "the table, BED and GFF3 say the same; --tblout stands beside them" {
    nhmmsieve --tblout beside.tbl made.hmm human.fa >table
    same made-human.tbl <(table beside.tbl)
    whole_rows table
    [ "$(nrows table)" -eq "$(grep -vc '^#' made-human.tbl)" ]
    paste <(column table hmm_from) <(column table ali_from) <(column table ali_to) <(column table env_to) <(column table bits) >got
    awk '!/^#/ { print $5 "\t" $7 "\t" $8 "\t" $10 "\t" $14 }' made-human.tbl >want
    same want got
    nhmmsieve -O bed made.hmm human.fa >got
    awk -v OFS='\t' '!/^#/ { a = $7 < $8 ? $7 : $8; b = $7 < $8 ? $8 : $7; print $1, a - 1, b, $3, sprintf("%.0f", $14), $12 }' \
        made-human.tbl |
        cut -f 1-4,6 >want
    cut -f 1-4,6 got | same want /dev/stdin
    nhmmsieve -O gff3 made.hmm human.fa >got
    [ "$(head -1 got)" = '##gff-version 3' ]
    awk -v OFS='\t' '!/^#/ { a = $7 < $8 ? $7 : $8; b = $7 < $8 ? $8 : $7; print $1, a, b, $12, $13 }' made-human.tbl >want
    awk -F '\t' -v OFS='\t' '!/^#/ { print $1, $4, $5, $7, $6 }' got | same want /dev/stdin
    grep -q 'Name=MADE1;Target=MADE1 4 80;bits=38.8;bias=7.4$' got
}

@test "names that GFF3 and BED may not have as they are: percent signs, a note" {
    sed $'s/^>[^ ]*/>#c"h;r=1,2\/a%\xc3\xa9.:^*$@!+_?-|/' human.fa >odd.fa
    run -0 --separate-stderr nhmmsieve -O gff3 -o got made.hmm odd.fa
    [ -z "$stderr" ] || fail "$stderr"
    [ "$(cut -f 1 got | sort -u | head -2 | tail -1)" = '%23c%22h%3Br%3D1%2C2%2Fa%25%C3%A9.:^*$@!+_?-|' ] || fail "$(head -3 got)"
    run -0 --separate-stderr nhmmsieve -O bed -o got made.hmm odd.fa
    told "names begin with '#'.*: $(wc -l <got)\$"
    run -0 --separate-stderr nhmmsieve -A got -o report made.hmm odd.fa
    told "names begin with '#'.*: [0-9]+\$"
    run -0 --separate-stderr nhmmsieve -q -O bed -o got made.hmm odd.fa
    [ -z "$stderr" ] || fail "$stderr"
}

@test "provenance names one model, or says how many" {
    nhmmsieve made.hmm /dev/null >got
    grep -qE '^##warpsieve pg=1 prog=nhmmsieve version=[0-9.]+ model=MADE1\(xxh3:[0-9a-f]{16}\) args=""$' got ||
        fail "$(cat got)"
    nhmmsieve two.hmm /dev/null >got
    grep -qE '^##warpsieve pg=1 prog=nhmmsieve version=[0-9.]+ model=2_models\(xxh3:[0-9a-f]{16}\) args=""$' got ||
        fail "$(cat got)"
}

@test "--dfamtblout: the numbers of --tblout in other columns, a head for each model" {
    nhmmsieve --dfamtblout beside.tbl -O dfamtblout made.hmm human.fa >got
    same got beside.tbl
    awk '!/^#/ { printf "%-20s  %-20s %-20s %6.1f %9s %5.1f %7d %7d    %s   %7d %7d %7d %7d %7d   %s\n",
                 $1, $4, $3, $14, $13, $15, $5, $6, $12, $7, $8, $9, $10, $11, $16 }' made-human.tbl >want
    grep -v '^#' got | same want /dev/stdin
    printf '%s\n' '# hit scores' '# ----------' '#' >want
    printf '%s' '# target name         acc                  query name             bits   e-value  bias  hmm-st  hmm-en strand' >>want
    printf '%s\n' '  ali-st  ali-en  env-st  env-en  sq-len   description of target' >>want
    printf '%s' '# ------------------- -------------------  -------------------  ------ --------- ----- ------- ------- ------' >>want
    printf '%s\n' ' ------- ------- ------- ------- -------   ---------------------' >>want
    head -5 got | same want /dev/stdin
    nhmmsieve -O dfamtblout two.hmm short.fa >got
    [ "$(grep -c '^# hit scores' got)" -eq 2 ]
}

@test "records of 0 to 8 residues, of N alone, and no input at all: heads without rows, status 0" {
    printf '>none\n>one\nA\n>seven\nACGTACG\n>eight\nACGTACGT\n>unknown\n%s\n>gaps\n..__**\n' \
        "$(head -c 5000 /dev/zero | tr '\0' N)" >odd.fa
    nhmmsieve -O tblout made.hmm odd.fa >got
    same <(head -2 5s-human.tbl | cut -c 1-40) <(table got | cut -c 1-40)
    [ "$(table got | wc -l)" -eq 2 ]
    nhmmsieve made.hmm /dev/null >got
    [ "$(nrows got)" -eq 0 ]
    whole_rows got
}

@test "--tformat: the format is asserted, and a pipe without one byte is a failure unless it says that it may be" {
    nhmmsieve --tformat fasta -O tblout made.hmm short.fa >got
    same made-short.tbl <(table got)
    run -1 --separate-stderr nhmmsieve --tformat packed made.hmm short.fa
    told 'line 1|packed'
    for t in "nhmmsieve made.hmm" "hmmsieve -O tsv protein.hmm"; do
        run -1 --separate-stderr $t - < <(:)
        told 'without one byte' '--in-format fasta'
        $t --in-format fasta - < <(:) >got
        [ "$(nrows got)" -eq 0 ]
    done
}

@test "what it refuses: status and reason" {
    run -2 --separate-stderr nhmmsieve -E 1 -T 20 made.hmm human.fa
    refused 2 '-E and -T'
    run -2 --separate-stderr nhmmsieve --watson --crick made.hmm human.fa
    refused 2 'watson and --crick'
    run -2 --separate-stderr nhmmsieve --block_length 100 made.hmm human.fa
    refused 2 'block_length' '50000'
    run -2 --separate-stderr nhmmsieve -
    refused 2 'both'
    run -1 --separate-stderr nhmmsieve protein.hmm human.fa
    refused 1 'Pkinase' 'protein'
    run -1 --separate-stderr nhmmsieve --cut_ga made.hmm human.fa
    refused 1 'MADE1' 'GA'
    grep -v '^STATS' made.hmm >plain.hmm
    run -1 --separate-stderr nhmmsieve plain.hmm human.fa
    refused 1 'STATS'
    printf '>a\nACGTEACGT\n' >letter.fa
    run -1 --separate-stderr nhmmsieve -O bed made.hmm letter.fa
    refused 1 'line 2' '"E"|E ' 'see --bad-residue of respack .*as in respack --dna --bad-residue=x FILE' # it has no such option itself
    respack --dna --bad-residue x letter.fa | nhmmsieve -O bed made.hmm >got
    ssvfilt -a made.hmm short.fa | head -3 >table.tsv
    run -1 --separate-stderr nhmmsieve -O bed made.hmm table.tsv
    refused 1 'table'
    head -c 30000 human.fa.gz >cut.fa.gz
    run -1 --separate-stderr nhmmsieve -O bed made.hmm cut.fa.gz
    refused 1 'cut'
}

@test "faults: memory, reads, writes, closing, opening, a full disk, threads, short and interrupted calls" {
    make_shim
    shimmed
    awk '/^>/ { n++ } n > 60 { exit } { print }' short.fa >few.fa
    drive memory 1 5000 11 tsv stdout -- nhmmsieve -t 2 -K 20000 made.hmm few.fa
    local all=(stdout got.tbl got.dfam -- nhmmsieve --tblout got.tbl --dfamtblout got.dfam)
    drive memory-on 1 5000 23 text "${all[@]}" -t 2 -K 20000 two.hmm few.fa
    drive write 1 100 1 tsv pipe -- nhmmsieve -t 2 made.hmm few.fa
    drive write 1 100 1 text "${all[@]}" -t 2 made.hmm few.fa
    drive room 0 6000 311 tsv stdout -- nhmmsieve -t 2 made.hmm few.fa
    drive room 0 20000 811 text "${all[@]}" -t 2 two.hmm few.fa
    drive close 1 8 1 text "${all[@]}" -t 2 made.hmm few.fa
    drive open 1 50 1 text "${all[@]}" -t 1 made.hmm few.fa
    gzip -kf few.fa
    for f in few.fa few.fa.gz; do WS_FAULT_PIECE=3000 drive read 1 200 1 text "${all[@]}" -t 2 made.hmm $f; done
    drive inflate 1 200 3 tsv stdout -- nhmmsieve -t 1 made.hmm few.fa.gz
    drive zinit 1 5 1 tsv stdout -- nhmmsieve made.hmm few.fa.gz
    show_counts
    drive thread 1 4 1 tsv stdout -- nhmmsieve -t 4 made.hmm few.fa
    for k in short eintr eagain; do drive $k - 0 0 text "${all[@]}" -t 2 two.hmm few.fa; done
    no_harm
    show_counts
}
