#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Windows of long DNA through the filters: the pipe's tables are nhmmer's, rows say where they are, one answer, and what
# is refused. tests/nhmmsieve.bats has the same search in one program, tests/windows-contract.bats what happens when
# something fails.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    local golden=$data/golden/long-targets
    cd "$BATS_FILE_TMPDIR" || return 1
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    zcat "$golden/models/RF00001.hmm.gz" >5s.hmm
    { sed "s/^ALPH  RNA/ALPH  DNA/" 5s.hmm && echo && cat made.hmm; } >two.hmm
    zcat "$golden/inputs/dna_target.fa.gz" >human.fa
    zcat "$golden/inputs/short.fa.gz" >short.fa
    zcat "$golden/expected/made-human.tbl.gz" >made-human.tbl
    zcat "$golden/expected/made-short.tbl.gz" >made-short.tbl
    zcat "$golden/expected/5s-short.tbl.gz" >5s-short.tbl
    cp "$data/demo.hmm" protein.hmm
    # windows before and after the scan for sub-windows
    msvfilt --long made.hmm human.fa >windows.tsv
    vitfilt made.hmm windows.tsv | fwdscore made.hmm >passed.tsv
}
setup() { in_data; }

# The whole pipe: search MODEL FILE [OPTION of all but the last...] writes nhmmer's table
search() {
    local model=$1 file=$2
    shift 2
    ssvfilt --long "$@" "$model" "$file" | msvfilt "$@" "$model" | vitfilt "$@" "$model" | fwdscore "$@" "$model" |
        domscore -O tblout "$model"
}

@test "the pipe writes nhmmer's tables, as text and as packed pairs; msvfilt --long is ssvfilt --long and msvfilt" {
    local o
    for o in tsv packed; do
        search made.hmm human.fa -O $o >got
        same made-human.tbl got
        search made.hmm short.fa -O $o >got
        same made-short.tbl got
        search 5s.hmm short.fa -O $o >got
        same 5s-short.tbl got
    done
    for o in -q -a --nobias '--B1 50'; do
        # shellcheck disable=SC2086 # options
        ssvfilt --no-provenance --long made.hmm human.fa | msvfilt --no-provenance $o made.hmm >want
        # shellcheck disable=SC2086
        msvfilt --no-provenance --long $o made.hmm human.fa >got
        same want got || fail "$o"
        [ "$(nrows got)" -gt 0 ]
    done
    msvfilt --long made.hmm human.fa | vitfilt made.hmm | fwdscore made.hmm |
        domscore --tblout beside.tbl made.hmm >table
    same made-human.tbl beside.tbl
    whole_rows table
    nhmmsieve --no-provenance made.hmm human.fa | same /dev/stdin <(grep -v '^##' table)
}

# The options of a stage: --B1 and --B2 and so on, by the options of nhmmer.
options_of() { # options_of ssv|msv|vit|fwd|dom OPTION...
    local stage=$1 out=
    shift
    while [ $# -gt 0 ]; do
        case $stage:$1 in
        ssv:--F1 | msv:--F1 | vit:--F2 | fwd:--F3) out="$out -P $2" ;;
        msv:--B1 | vit:--B2 | fwd:--B3 | ssv:--block_length | dom:-[ETZ] | dom:--seed | *:--w_length | *:--w_beta) out="$out $1 $2" ;;
        ssv:--watson | ssv:--crick | msv:--nobias | vit:--nobias | fwd:--nobias | dom:--nonull2 | dom:--cut_*) out="$out $1" ;;
        msv:--max) out="$out --nobias" ;;
        vit:--max | fwd:--max) out="$out --nobias -P 1" ;;
        esac
        case $1 in --max | --nobias | --nonull2 | --watson | --crick | --cut_*) shift ;; *) shift 2 ;; esac
    done
    echo "$out"
}

@test "every option: nhmmer's tables of the larger set, where it is at hand" {
    local set=$top/../shared/golden/long-targets case model target options
    full && [ -d "$set" ] || skip "the full golden data are not asked for, or not at hand"
    for f in "$set"/models/*.gz; do zcat "$f" >"$(basename "$f" .gz)"; done
    for f in "$set"/inputs/*.xz; do xz -dc "$f" >"$(basename "$f" .xz)"; done
    grep -v '^#' "$set/cases.tsv" >cases
    while IFS=$'\t' read -r case model target options _; do
        [ "$options" != - ] || options=
        # shellcheck disable=SC2046,SC2086 # options
        ssvfilt --long $(options_of ssv $options) "$model" "$target" |
            msvfilt -O packed $(options_of msv $options) "$model" |
            vitfilt $(options_of vit $options) "$model" | fwdscore -O packed $(options_of fwd $options) "$model" |
            domscore -O tblout $(options_of dom $options) "$model" >got
        zcat "$set/expected/$case.tbl.gz" >want
        same want got || fail "$case $options"
    done <cases
}

@test "a row says where its residues are: seq is that piece of the record, on its strand" {
    local f
    ssvfilt --long --watson two.hmm short.fa >plus
    ssvfilt --long --crick two.hmm short.fa >minus
    ssvfilt --long two.hmm short.fa >both
    [ "$(nrows both)" -eq $(($(nrows plus) + $(nrows minus))) ]
    grep -q '^##end .* residues=140000$\|^##end .* residues=[0-9]*$' both
    [ "$(sed -n 's/^##end.*residues=//p' both)" -eq $((2 * $(sed -n 's/^##end.*residues=//p' plus))) ]
    vitfilt two.hmm <(msvfilt two.hmm both) >parts
    for f in plus minus both parts windows.tsv passed.tsv; do
        [ "$(nrows $f)" -gt 0 ]
        python3 - $f short.fa human.fa <<'END' || fail "$f"
import sys
records, number = {}, {}
for path in sys.argv[2:]:
    for i, text in enumerate(open(path).read().split(">")[1:]):
        head, _, body = text.partition("\n")
        number[head.split()[0]] = i + 1
        records[head.split()[0]] = "".join(body.split()).upper().replace("U", "T")
head, seen, length = None, [], {}
for line in open(sys.argv[1]):
    row = line.rstrip("\n").lstrip("#").split("\t")
    if line.startswith("##record\t"): length[row[1]] = int(row[2]), int(row[3])
    if line.startswith("##"): continue
    if not head: head = row; continue
    r = dict(zip(head, row))
    record, a, b = records[r["name"]], int(r["from"]), int(r["to"])
    piece = record[min(a, b) - 1:max(a, b)]
    if r["strand"] == "-": piece = piece[::-1].translate(str.maketrans("ACGTRYMKHDBV", "TGCAYRKMDHVB"))
    assert (a > b) == (r["strand"] == "-") or len(piece) == 1, r
    assert len(piece) == int(r["tlen"]), r
    assert int(r["record"]) == number[r["name"]], r
    if (r["name"], int(r["record"])) not in seen: seen.append((r["name"], int(r["record"])))
    assert r["seq"].replace("U", "T") == piece, (r["seq"], piece)
assert [(name, length[name][1]) for name in length] == seen, (length, seen)
assert all(length[name][0] == len(records[name]) for name, _ in seen), length
END
    done
    [ "$(head -2 parts | tail -1)" != "$(head -2 both | tail -1)" ]
    run -1 grep -q 'vit_bits' parts
}

@test "several models in one pass; rows in any order; nhmmsieve says the same" {
    search two.hmm short.fa >got
    nhmmsieve -O tblout two.hmm short.fa | same /dev/stdin got
    msvfilt --long two.hmm short.fa | vitfilt two.hmm | fwdscore two.hmm >rows.tsv
    { grep '^#' rows.tsv | head -n -1; rows rows.tsv |
        sort -R --random-source=short.fa; tail -1 rows.tsv; } >shuffled.tsv
    domscore -O tblout two.hmm shuffled.tsv >got
    nhmmsieve -O tblout two.hmm short.fa | same /dev/stdin got
    domscore -O gff3 two.hmm rows.tsv >got
    nhmmsieve -O gff3 two.hmm short.fa | sed 's/\tnhmmsieve\t/\tdomscore\t/' | same /dev/stdin got
    domscore -O bed two.hmm rows.tsv >got
    nhmmsieve -O bed two.hmm short.fa | same /dev/stdin got
    domscore --no-provenance -f name,strand,ali_from,evalue two.hmm rows.tsv >got
    nhmmsieve --no-provenance -f name,strand,ali_from,evalue two.hmm short.fa | same /dev/stdin got
}

@test "the same bytes for any threads, batch, backend and form of the input" {
    local b k t m
    ssvfilt --long -t 1 two.hmm short.fa >want
    for t in 2 3; do ssvfilt --long -t $t two.hmm short.fa >got; same want got || fail "-t $t"; done
    for k in 1 1000 1G; do ssvfilt --long -K $k two.hmm short.fa >got; same want got || fail "-K $k"; done
    for b in $(ssvfilt --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        ssvfilt --long --backend "$b" two.hmm short.fa >got
        same want got || fail "--backend $b"
    done
    respack --dna short.fa | ssvfilt --long two.hmm >got
    same want got
    for t in msvfilt vitfilt fwdscore domscore; do
        case $t in fwdscore | domscore) m=passed.tsv ;; *) m=windows.tsv ;; esac
        $t -t 1 made.hmm $m >want
        for k in 1 1000 1G; do $t -t 3 -K $k made.hmm $m >got; same want got || fail "$t -K $k"; done
        for b in $($t --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
            $t --backend "$b" made.hmm $m >got
            same want got || fail "$t --backend $b"
        done
        respack --dna -O packed $m | $t made.hmm >got
        same want got || fail "$t from packed pairs"
    done
}

@test "records of 0 to 8 residues, of N alone, no input, no window" {
    printf '>none\n>one\nA\n>seven\nACGTACG\n>eight\nACGTACGT\n>unknown\n%s\n>gaps\n..__**\n' \
        "$(head -c 5000 /dev/zero | tr '\0' N)" >odd.fa
    search made.hmm odd.fa >got
    [ "$(grep -vc '^#' got)" -eq 0 ] && [ "$(wc -l <got)" -eq 2 ]
    search made.hmm odd.fa -O packed >got
    [ "$(wc -l <got)" -eq 2 ]
    search made.hmm /dev/null >got
    [ "$(grep -vc '^#' got)" -eq 0 ]
}

@test "-Z counts megabases, of both strands unless one was searched; a cut table has no E-values without it" {
    domscore -O tblout -Z 0.33 made.hmm passed.tsv >got
    same made-human.tbl got
    nhmmsieve --watson -Z 5 -O tblout made.hmm human.fa >want
    msvfilt --long --watson made.hmm human.fa | vitfilt made.hmm | fwdscore made.hmm |
        domscore -Z 5 -O tblout made.hmm >got
    same want got
    head -n -1 passed.tsv >cut.tsv
    run -1 --separate-stderr domscore -O tblout made.hmm cut.tsv
    run -1 --separate-stderr domscore --allow-cut -O tblout made.hmm cut.tsv
    told 'residues' '-Z'
    domscore --allow-cut -Z 0.33 -O tblout made.hmm cut.tsv >got
    same made-human.tbl got
}

@test "what is refused: status and reason" {
    local t
    run -1 --separate-stderr ssvfilt --long protein.hmm human.fa
    refused 1 Pkinase protein
    run -2 --separate-stderr ssvfilt --long --watson --crick made.hmm human.fa
    refused 2 watson crick
    for t in '-T 3' '-E 1 -Z 3'; do
        # shellcheck disable=SC2086 # options
        run -2 --separate-stderr msvfilt --long $t made.hmm human.fa
        refused 2 "[${t:0:2}]" 'windows'
    done
    run -2 --separate-stderr msvfilt --long -U no.tsv made.hmm human.fa
    refused 2 -U '--long' 'not listed'
    run -2 --separate-stderr vitfilt -U no.tsv made.hmm windows.tsv
    refused 2 -U 'reads windows' 'not listed'
    run -1 --separate-stderr msvfilt --long made.hmm windows.tsv
    told 'windows already|table of pairs'
    run -1 --separate-stderr ssvfilt made.hmm windows.tsv
    told 'windows already' 'msvfilt'
    run -1 --separate-stderr domscore made.hmm windows.tsv
    told 'fwdscore'
    for t in text domtblout sto fasta; do
        run -2 --separate-stderr domscore -O $t made.hmm passed.tsv
        told 'of windows' 'tblout'
    done
    run -2 --separate-stderr domscore -O bed protein.hmm "$data/demo.fa.gz"
    told 'bed' 'ssvfilt --long'
    run -2 --separate-stderr domscore -f nothing made.hmm passed.tsv
    told 'nothing'
    run -2 --separate-stderr domscore -f name,strand protein.hmm "$data/demo.fa.gz"
    told 'strand'
    # rows that are no windows
    for t in 's/\t+\t/\t*\t/:strand' 's/\t\([0-9]*\)\t+\t/\t1\t+\t/:as far apart' 's/\t\([0-9]*\)\t+\t/\t1.5\t+\t/:whole'; do
        sed "${t%:*}" passed.tsv >bad.tsv
        run -1 --separate-stderr domscore made.hmm bad.tsv
        told 'window of record' "${t##*:}"
        sed "${t%:*}" windows.tsv >bad.tsv
        run -1 --separate-stderr vitfilt made.hmm bad.tsv
        told 'window of record' "${t##*:}"
    done
}

@test "lengths of records: lines that awk reads, for the records that have rows; kept by cat, sort, respack and packed pairs" {
    local o
    [ "$(awk '$1 == "##record" { print $2, $3, $4 }' windows.tsv)" = "humanchr1_frag 330000 1" ]
    run -1 grep -q '^##record' <(ssvfilt --no-provenance --long made.hmm human.fa)
    ssvfilt --long made.hmm short.fa >one.tsv
    for o in tsv packed; do
        msvfilt -O $o made.hmm one.tsv | vitfilt -O $o made.hmm | fwdscore made.hmm >last.tsv
        same <(rows last.tsv | cut -f1 | uniq) <(sed -n 's/^##record\t\(.*\)\t.*\t.*/\1/p' last.tsv) || fail "$o"
        [ "$(grep -c '^##record' last.tsv)" -lt "$(grep -c '^##record' one.tsv)" ]
    done
    # into the other form and back, and a table of two searches
    respack --dna one.tsv | respack -O tsv | same one.tsv /dev/stdin
    ssvfilt --long -O packed made.hmm short.fa | respack -O tsv | grep -v '^##warp' |
        same <(grep -v '^##warp' one.tsv) /dev/stdin
    ssvfilt --long made.hmm human.fa >human.tsv
    cat one.tsv human.tsv one.tsv | respack --dna -O tsv >got
    same <(grep '^##record' got) <(grep -h '^##record' one.tsv human.tsv)
    msvfilt made.hmm <(cat human.tsv one.tsv) | vitfilt made.hmm | fwdscore made.hmm | domscore -O bed made.hmm |
        sort >got
    cat human.fa short.fa | nhmmsieve -O bed made.hmm - | sort >want
    same want got
    # lines in any order, rows that were left out
    { grep '^##warp\|^#name' passed.tsv && rows passed.tsv && tail -n 1 passed.tsv &&
        grep '^##record' passed.tsv; } >moved.tsv
    domscore -O tblout made.hmm moved.tsv | same made-human.tbl /dev/stdin
    awk -F '\t' '/^#/ || $1 != "mos334"' last.tsv | domscore -O tblout made.hmm | grep -v '^#' >got
    nhmmsieve -O tblout made.hmm short.fa | grep -v '^#\|^mos334 ' | same /dev/stdin got
    # -U has lines of its own
    msvfilt -U others.tsv made.hmm one.tsv >got
    for o in got others.tsv; do same <(rows $o | cut -f1 | uniq) <(sed -n 's/^##record\t\(.*\)\t.*\t.*/\1/p' $o) ||
        fail "$o"; done
}

@test "lengths of records that are missing or wrong; windows of before" {
    grep -v '^##record' passed.tsv >without.tsv
    run -1 --separate-stderr domscore -O tblout made.hmm without.tsv
    told '##record' 'humanchr1_frag' 'allow-cut'
    domscore -O tblout --allow-cut made.hmm without.tsv >got
    same <(sed 's/ 330000 /      - /' made-human.tbl) got
    domscore --allow-cut -f name,tlen,desc made.hmm without.tsv | rows /dev/stdin >got
    [ "$(sort -u got | cut -f1,2)" = $'humanchr1_frag\t' ]
    sed 's/^\(##record.*\t\)330000\t/\11000\t/' passed.tsv >short.tsv
    run -1 --separate-stderr domscore -O tblout made.hmm short.tsv
    told 'ends at residue' '1000'
    sed 's/^##record\t/##record /' passed.tsv >blank.tsv
    run -1 --separate-stderr domscore -O tblout made.hmm blank.tsv
    told 'line [0-9]*' '##record, a name, a length and a number'
    sed 's/^\(#name.*\t\)record/\1rlen/' windows.tsv >old.tsv
    for t in msvfilt vitfilt fwdscore domscore; do
        run -1 --separate-stderr $t made.hmm old.tsv
        told 'no column record' 'ssvfilt --long'
    done
    for t in name,seq,query name,seq,query,from,to,record name,seq,query,from,strand,record; do
        ssvfilt --long -f $t made.hmm human.fa >half.tsv
        run -1 --separate-stderr fwdscore made.hmm half.tsv
        told 'no column (from|to|strand)' 'ssvfilt --long'
    done
    sed 's/\t+\t1\t/\t+\t0.5\t/' windows.tsv >bad.tsv
    run -1 --separate-stderr vitfilt made.hmm bad.tsv
    told 'record' 'whole number'
    cat passed.tsv <(sed 's/^\(##record.*\t\)330000\t/\1400000\t/' passed.tsv) >both.tsv
    run -1 --separate-stderr domscore -O tblout made.hmm both.tsv
    told 'another length' 'tables of different inputs'
}

@test "records of one name are records of their own" {
    local k
    { cat human.fa && echo '>humanchr1_frag of another kind' && tail -n 2000 human.fa && cat human.fa; } >twice.fa
    nhmmsieve -O tblout made.hmm twice.fa >want
    [ "$(grep -c ' of another kind$' want)" -gt 0 ]
    for k in 20000 1G; do
        ssvfilt --long -K $k made.hmm twice.fa >got
        [ "$(grep -c '^##record' got)" -eq 3 ]
        msvfilt -O packed made.hmm got | vitfilt made.hmm | fwdscore made.hmm | domscore -O tblout made.hmm >table
        same want table || fail "-K $k"
    done
}

@test "a stream of windows that was cut, or whose producer died" {
    local n
    for n in 1 2 3; do
        head -n -$n windows.tsv >cut.tsv
        run -1 --separate-stderr vitfilt made.hmm cut.tsv
        told 'cut' '##end'
    done
    head -c -20 windows.tsv >cut.tsv
    run -1 --separate-stderr domscore made.hmm <(fwdscore --allow-cut made.hmm cut.tsv)
    told 'how many residues'
    ssvfilt --long -O packed made.hmm human.fa >windows.wsp
    for n in 1 64 100 129 200 300; do
        head -c -$n windows.wsp >cut.wsp
        run -1 --separate-stderr msvfilt made.hmm cut.wsp
        told 'cut'
    done
}

# records of N residues in between, and a hit at the end: far N
far() {
    printf '>far\n'
    head -c "$1" /dev/zero | tr '\0' N | fold -w 1000000
    grep -v '>' human.fa | tr -d '\n' | cut -c 302301-302700
}

@test "memory does not grow with a record: 50 and 200 million residues, the same windows" {
    ! sanitized || skip 'a sanitizer takes more memory'
    local t n few many b
    b=$(ssvfilt --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" && $1 !~ /cuda/ { print $1; exit }')
    for t in ssvfilt msvfilt; do
        for n in 49807360 200015872; do
            far $n >far.fa
            peak_memory $t --long --backend "$b" -t 2 -o far-$n.tsv made.hmm far.fa >peak-$n
            rows far-$n.tsv | awk -F '\t' -v OFS='\t' -v n=$n '{ $8 -= n; $9 -= n; print }' >at-$n
            [ "$(sed -n 's/^##record\tfar\t//p' far-$n.tsv)" = "$((n + 400))"$'\t1' ]
        done
        few=$(cat peak-49807360) many=$(cat peak-200015872)
        # six slots with a batch of 4 M residues in each, and the program
        [ "$many" -lt $((few + 12000)) ] && [ "$many" -lt 45000 ] || fail "$t: $few and $many KB"
        [ "$(nrows at-49807360)" -gt 0 ]
        same at-49807360 at-200015872
    done
}

@test "a record of 2^31 + 1 residues in 100 MB, through the whole pipe" {
    full || skip "this takes half a minute and is for check-full"
    ! sanitized || skip 'a sanitizer takes more memory'
    far 2147483249 | (ulimit -v 1000000 && ssvfilt --long -t 2 -O packed made.hmm) | msvfilt made.hmm |
        vitfilt made.hmm |
        fwdscore made.hmm | domscore -f name,tlen,strand,ali_from,ali_to,bits made.hmm | grep -v '^##' >got
    printf '#name\ttlen\tstrand\tali_from\tali_to\tbits\nfar\t2147483649\t+\t2147483339\t2147483415\t38.8\n' >want
    printf 'far\t2147483649\t-\t2147483415\t2147483339\t29.2\n' >>want
    same want got
}

@test "records of any length in a batch of any size: pieces, borders of blocks, many small records" {
    local k b
    # humans's blocks and short records in turn, so that records end in every place of a batch
    {
        cat human.fa && awk '/^>/ { n++ } n > 40 { exit } { print }' short.fa
        sed 's/>.*/>again/' human.fa && printf '>none\n>one\nA\n'
    } >mixed.fa
    for b in 50000 70001 262144; do
        msvfilt --long -t 1 -K 1G --block_length $b two.hmm mixed.fa >want
        [ "$(nrows want)" -gt 100 ]
        for k in 1 49999 100000 400000; do
            msvfilt --long -t 3 -K $k --block_length $b two.hmm mixed.fa >got
            same want got || fail "-K $k, blocks of $b"
            msvfilt --long -t 3 -K $k --block_length $b -O packed two.hmm mixed.fa | respack -O tsv >got
            same want got || fail "-K $k, blocks of $b, packed"
        done
        respack --dna mixed.fa | msvfilt --long --block_length $b two.hmm >got
        same want got || fail "packed, blocks of $b"
    done
    ssvfilt --long --bad-residue skip two.hmm <(sed '2s/^/!!/' mixed.fa) >got
    ssvfilt --long two.hmm mixed.fa | same <(rows /dev/stdin) <(rows got)
}

@test "a chromosome without --long: a note, once; none of other records" {
    run --separate-stderr ssvfilt made.hmm human.fa
    [ "$status" -eq 0 ]
    [ "$(grep -c -- '--long' <<<"$stderr")" -eq 1 ]
    run --separate-stderr ssvfilt -q made.hmm human.fa
    [ -z "$stderr" ]
    run --separate-stderr ssvfilt made.hmm short.fa
    [ -z "$stderr" ]
    run --separate-stderr ssvfilt --long made.hmm human.fa
    [ -z "$stderr" ]
}
