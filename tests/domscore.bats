#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# domscore and hmmsieve: hmmsearch's files, every form of input and output, what excludes what, bad input.
# tests/lib/hits_golden.c and tests/lib/dom_golden.c compare the arithmetic; tests/hmmsearch.bats compares whole
# searches with an installed hmmsearch.

bats_require_minimum_version 1.5.0
load helper

golden=$data/golden

setup_file() {
    make_data
    for m in m three; do
        msvfilt $m.hmm demo.fa | vitfilt $m.hmm | fwdscore $m.hmm >$m.fwd
        domscore --tblout $m.tbl --domtblout $m.dom -A $m.sto $m.hmm $m.fwd >$m.tsv
    done
    zcat "$golden/models/M1.hmm.gz" >M1.hmm
}
setup() { in_data; }

# A table of hmmsearch's without its tail; with several blanks as one, since the width of names depends on what
# hmmsearch had seen so far.
body() { sed '/^#$/,$d' "$1" | tr -s ' -' ; }
not_author() { sed '/^#=GF AU/d' "$1"; }

# ---- hmmsearch's files ----

# Each model file's part of a golden file, one after the other as the program writes them.
part() { zcat "$golden/domains/$1.gz" | awk -v m="$2" '/^## / { on = $2 == m; next } on'; }

equals_golden() { # equals_golden SET OPTION...
    local set=$1 model file n=0
    shift
    zcat "$golden/domains/cases.fa.gz" >cases.fa
    for model in 20aa Caudal_act LuxC M1 Pkinase XYPPX fn3 globins4 globins4_mm globins4_pnone tiny; do
        case $model in
        Pkinase) file=$data/demo.hmm ;;
        fn3 | globins4) file=$data/$model.hmm ;;
        Caudal_act) file=$golden/domains/Caudal_act.hmm.gz ;;
        *) file=$golden/models/$model.hmm.gz ;;
        esac
        part "$set.domtblout" $model | tr -s ' -' >want.dom
        [ -s want.dom ] || continue
        hmmsieve "$@" --notextw --tblout got.tbl --domtblout got.dom -A got.sto -o got.out "$file" cases.fa
        body got.dom >got
        same want.dom got || fail "$model, --domtblout"
        part "$set.tblout" $model | tr -s ' -' >want
        body got.tbl >got
        same want got || fail "$model, --tblout"
        n=$((n + 1))
        [ "$set" = cases.def ] || continue
        part cases.def.ali.sto $model | not_author /dev/stdin >want
        not_author got.sto >got
        same want got || fail "$model, -A"
        # Widths of names differ; tests/lib/hits_golden.c and tests/hmmer.bats compare reports byte for byte.
        part cases.def.out $model | grep -v '^\[ok\]' | sed 1d | tr -s ' -' >want
        grep -v '^# \|^\[ok\]' got.out | sed 1d | tr -s ' -' >got
        same want got || fail "$model, the report"
    done
    [ $n -ge 10 ]
}
@test "tables, alignments and reports of hmmsearch 3.4, 11 model files against 50 chosen targets" { equals_golden cases.def; }
@test "the same without filters" { equals_golden cases.max --max -E 1e6 --domE 1e6; }

@test "curated cutoffs are for final scores" {
    sed 's/^GA .*/GA    20.00 15.00;/' m.hmm >ga.hmm
    fwdscore ga.hmm demo.fa >ga.fwd
    domscore --cut_ga -f name,bits,dom_bits,included ga.hmm ga.fwd >got
    [ "$(nrows got)" -gt 10 ]
    rows got | awk -F '\t' '$2 < 20 || $3 < 15 || $4 != 1 { print; exit 1 }'
    domscore -T 20 --domT 15 --incT 20 --incdomT 15 -f name,bits,dom_bits,included ga.hmm ga.fwd >want
    same <(rows want) <(rows got)
    run --separate-stderr domscore --cut_ga globins4.hmm small.fa
    refused 1 'globins4' 'no GA line'
}

# ---- one answer ----

@test "the same bytes for any threads, any batch, from a table, packed, FASTA, a pipe" {
    for opts in '-t 1' '-t 3 -K 1000' '-t 2 -K 1'; do
        domscore $opts --tblout got.tbl --domtblout got.dom -A got.sto three.hmm three.fwd >got
        same three.tsv got || fail "$opts"
        for x in tbl dom sto; do same <(grep -v '^#' three.$x) <(grep -v '^#' got.$x) || fail "$opts, $x"; done
    done
    cat three.fwd | gzip | domscore three.hmm >got
    same three.tsv got
    for input in demo.fa demo.fa.gz demo.wsp; do # all pairs, and so a few more than the filters let through
        domscore -t 3 -K 9000 three.hmm $input >$input.got
        domscore -t 1 three.hmm demo.fa >want
        same <(rows want) <(rows $input.got) || fail "$input"
    done
    [ -z "$(comm -13 <(rows want | cut -f1-3 | sort) <(rows three.tsv | cut -f1-3 | sort))" ]
}

@test "the same bytes from every backend" {
    for b in $(domscore --list-backends | awk '$2 ~ /^yes/ { print $1 }'); do
        domscore --backend "$b" three.hmm three.fwd >got
        same three.tsv got || fail "$b"
        domscore --backend "$b" three.hmm small.fa >"from.$b"
        same from.scalar "from.$b" 2>/dev/null || [ ! -e from.scalar ] || fail "$b"
    done
}

@test "rows without Forward scores are asked for them first" {
    msvfilt three.hmm demo.fa >some
    fwdscore three.hmm some | domscore three.hmm >want
    domscore three.hmm some >got
    same <(rows want) <(rows got)
    domscore -P 1e-30 three.hmm some >got
    [ "$(nrows got)" -lt "$(nrows want)" ]
}

@test "hmmsieve is the four programs" {
    domscore -O text --tblout want.tbl three.hmm three.fwd >want
    sed -i 's/three\.fwd$/demo.fa/' want want.tbl # the database
    hmmsieve --tblout got.tbl three.hmm demo.fa >got
    # what did not pass a filter is not in its rows; lines about options and files are of the whole search
    same <(grep -v '^# ' want) <(grep -v '^Passed \|^# ' got)
    [ "$(grep -c '^Passed ' got)" -eq 12 ]
    same <(grep -v '^# Option\|^# Program' want.tbl) <(grep -v '^# Option\|^# Program' got.tbl)
    grep -qx '# Option settings: hmmsieve --tblout got.tbl three.hmm demo.fa ' got.tbl || fail "$(tail -3 got.tbl)"
    grep -qx '# per-seq hits tabular output:     got.tbl' got || fail "$(head got)"
    zcat demo.fa.gz | hmmsieve --cpu 2 -K 3000 -o again three.hmm -
    same <(grep -v '^# ' got) <(grep -v '^# ' again)
    hmmsieve -O tsv --F1 0.3 --F2 0.1 --F3 0.01 --nobias -E 1000 three.hmm demo.fa >got
    msvfilt -P 0.3 --nobias three.hmm demo.fa | vitfilt -P 0.1 --nobias three.hmm |
        fwdscore -P 0.01 --nobias three.hmm |
        domscore -E 1000 three.hmm >want
    same <(rows want) <(rows got)
}

# ---- E-values ----

@test "a hit whose E-value is just below -E stays, also if it comes last" {
    local name E
    name=$(grep -v '^#' m.tsv | cut -f1 | head -1)
    awk -v RS='>' -v hit="$name" 'NR > 1 && $1 != hit && n < 2 { printf ">%s", $0; n++ }
        $1 == hit { last = $0 } END { printf ">%s", last }' demo.fa >few.fa
    domscore -f name,evalue --header none --no-provenance m.hmm few.fa | grep "^$name" >want
    E=$(head -1 want | awk '{ printf "%.6g", $2 * 1.01 }')
    domscore -E "$E" -f name,evalue --header none --no-provenance m.hmm few.fa >got
    same want got
    domscore -E "$(awk -v E="$E" 'BEGIN { printf "%.6g", E / 1.03 }')" -f name m.hmm few.fa >got
    ! grep -v '^#' got
}

@test "Z comes down the pipe; -Z, --domZ" {
    domscore -Z 400 three.hmm three.fwd >got
    same <(rows three.tsv) <(rows got)
    domscore -Z 800 --domZ 50 -f evalue,c_evalue,i_evalue,name,query m.hmm m.fwd >got
    domscore -f evalue,c_evalue,i_evalue m.hmm m.fwd >want
    [ "$(nrows got)" -ge 60 ]
    paste <(rows want) <(rows got) | awk -F '\t' '
        $1 > 0 && ($4 < 1.99 * $1 || $4 > 2.01 * $1) || $3 > 0 && ($6 < 1.99 * $3 || $6 > 2.01 * $3) { print; exit 1 }'
}

@test "a cut table: the hits so far, without E-values, status 1" {
    head -20 three.fwd >cut
    run --separate-stderr -1 domscore -o got --tblout got.tbl three.hmm cut
    told 'cut'
    [ "$(nrows got)" -gt 5 ]
    [ -z "$(column got evalue | tr -d '\n')$(column got c_evalue | tr -d '\n')" ]
    [ "$(column got included | sort -u)" = 0 ]
    grep -q '  - ' got.tbl
    ! grep -q '\[ok\]\|##end' got got.tbl || fail "as if it were whole"
    run --separate-stderr -1 domscore -Z 400 -o got three.hmm cut
    [ -n "$(column got evalue | tr -d '\n')" ]
    [ -z "$(column got c_evalue | tr -d '\n')" ]
    run --separate-stderr -1 domscore -Z 400 --domZ 3 -o got three.hmm cut
    [ -n "$(column got c_evalue | tr -d '\n')" ]
    run --separate-stderr -1 domscore --allow-cut -o got three.hmm cut
    told 'how many sequences' '-Z N'
    domscore --allow-cut -Z 400 three.hmm cut >got
    [ -n "$(column got c_evalue | tr -d '\n')" ]
}

@test "pairs before those of another model are scored and written, for any threads" {
    sed 's/^NAME .*/NAME  fn3/' globins4.hmm >fake.hmm
    cat m.hmm <(zcat -f "$data/fn3.hmm") >two.hmm
    { msvfilt -O packed m.hmm demo.fa && msvfilt -P 0.2 -O packed fake.hmm demo.fa; } >two.wsp
    local o
    for o in '' '-Z 400 --domZ 50 --stream'; do
        run --separate-stderr -1 domscore $o -t 1 -K 1000 -o want two.hmm two.wsp
        told 'two.wsp' '"fn3" is another model'
        [ "$(nrows want)" -gt 30 ] && [ -z "$(column want query | grep -v Pkinase)" ] || fail "$(head -3 want)"
        run --separate-stderr -1 domscore $o -t 4 -K 1000 -o got two.hmm two.wsp
        same want got
    done
}

@test "--stream: the same rows in input order, at once" {
    domscore -Z 400 --domZ 50 three.hmm three.fwd >want
    domscore -Z 400 --domZ 50 --stream -t 3 -K 2000 --tblout got.tbl three.hmm three.fwd >got
    same <(rows want | sort) <(rows got | sort)
    [ "$(nrows got)" -gt 50 ]
    same <(grep -v '^#' got.tbl | tr -s ' ' | sort) <(grep -v '^#' three.tbl | tr -s ' ' | sort)
    domscore -t 1 -K 1G -Z 400 --domZ 50 --stream three.hmm three.fwd >again
    same got again
    mkfifo slow
    { head -30 three.fwd; sleep 5; } >slow &
    timeout 4 domscore -Z 400 --domZ 50 --stream -f name --header none --no-provenance three.hmm slow >got || :
    [ "$(nrows got)" -gt 3 ]
    wait
}

# ---- output ----

@test "A2M, A3M, FASTA and names agree with -A" {
    domscore -O a2m m.hmm m.fwd >a2m
    domscore -O a3m m.hmm m.fwd >a3m
    domscore -O fasta --domE 1e-9 m.hmm m.fwd >fasta
    same <(grep -v '^#' m.sto | awk 'NF == 2 { s[$1] = s[$1] $2; if (!seen[$1]++) n[++k] = $1 }
        END { for (i = 1; i <= k; i++) print n[i], s[n[i]] }') \
        <(awk '/^>/ { n = substr($1, 2); next } { print n, $0 }' a2m)
    same <(tr -d . <a2m | grep -v '^>') <(grep -v '^>' a3m)
    seqkit version >/dev/null 2>&1 || true
    awk '/^>/ { split($1, p, "/"); n = substr(p[1], 2); split(p[2], q, "-"); next } { print n, q[1], q[2], $0 }' fasta |
        while read -r name from to residues; do
            whole=$(awk -v n=">$name" '/^>/ { on = $1 == n; next } on' demo.fa | tr -d '\n')
            [ "${whole:from-1:to-from+1}" = "$residues" ] || fail "$name/$from-$to"
        done
    same <(domscore -O ids m.hmm m.fwd) <(grep -v '^#' m.tbl | cut -d' ' -f1)
    same <(domscore -O tblout m.hmm m.fwd | grep -v '^# Option') <(grep -v '^# Option' m.tbl)
    same <(domscore -O sto m.hmm m.fwd) m.sto
}

@test "columns: every one of them, and their order" {
    all=$(domscore -f nothing m.hmm m.fwd 2>&1 | sed -n 's/.*there are //p')
    [ "$(tr ',' '\n' <<<"$all" | wc -l)" -eq 44 ]
    all=${all/,contig,strand,frame,from,to,locus,locus_bits/} # of ORFs alone: tests/orfs.bats
    domscore -f "$all" m.hmm m.fwd >got
    whole_rows got
    [ "$(rows got | head -1 | awk -F '\t' '{ print NF }')" -eq 37 ]
    rows got | awk -F '\t' 'length($27) != length($26) || length($25) != length($26) { print; exit 1 }'
    same <(domscore -f name,bits --header plain --no-provenance m.hmm m.fwd | sed 1d) \
        <(domscore -f name,bits --header none --no-provenance m.hmm m.fwd)
}

@test "--stats: pairs, cells and rows of the domain stage" {
    for t in 1 3; do
        domscore -t $t -K 5000 --stats=stats --tblout got.tbl m.hmm m.fwd >got
        grep -q "\"pairs\": $(rows m.fwd | wc -l)," stats || fail "$(cat stats)"
        grep -q "\"rows\": $(nrows got)," stats || fail "$(cat stats)"
        cells=$(column m.fwd tlen |
            awk -v M="$(awk '/^LENG/ { print $2; exit }' m.hmm)" '{ n += $1 * M } END { print n }')
        grep -q "\"cells\": $cells," stats || fail "$cells: $(cat stats)"
    done
    domscore --stats=stats -O tblout m.hmm m.fwd >got
    grep -q "\"rows\": $(grep -vc '^#' got)," stats || fail "$(cat stats)"
}

@test "no hits: tables with headers, status 0" {
    printf '>a\nMKVLATTREE\n' >none.fa
    hmmsieve --tblout got.tbl --domtblout got.dom -A got.sto m.hmm none.fa >got
    grep -q 'No hits detected' got
    [ "$(grep -c '^#' got.tbl)" -gt 5 ]
    [ "$(grep -vc '^#' got.tbl)" -eq 0 ]
    [ "$(head -1 got.dom | cut -c1)" = '#' ]
    [ ! -s got.sto ]
    domscore m.hmm /dev/null >got
    [ "$(nrows got)" -eq 0 ]
    grep -q '^#name' got
}

# ---- what is wrong ----

@test "what excludes what, and what is out of range" {
    wrong() { # wrong PATTERN OPTION...
        local p=$1
        shift
        run --separate-stderr domscore "$@" m.hmm m.fwd
        refused 2 "$p"
    }
    wrong '-E and -T' -E 1 -T 5
    wrong '--domE and --domT' --domE 1 --domT 5
    wrong '--incE and --incT' --incE 1 --incT 5
    wrong '--incdomE and --incdomT' --incdomE 1 --incdomT 5
    wrong '-T and --cut_tc' -T 5 --cut_tc
    wrong 'only one of' --cut_ga --cut_nc
    wrong 'out of range' -Z 0
    wrong 'out of range' --domZ 0
    wrong 'out of range' --seed -1
    wrong 'out of range' --textw 60
    wrong 'needs -Z and --domZ' --stream -Z 400
    wrong 'all hits first' --stream -Z 400 --domZ 50 -A x
    wrong 'all hits first' --stream -Z 400 --domZ 50 -O text
    wrong '--textw and --notextw' --textw 200 --notextw
    wrong 'no -U' -U x
    wrong 'out-format tsv' -O ids -f name
    wrong 'where --tblout goes' --tblout x --domtblout x
    wrong 'm.fwd' --tblout m.fwd
}

@test "models without calibration, pairs of other models, a scalar seed" {
    zcat "$golden/formats/"*nostats*.hmm.gz >nostats.hmm 2>/dev/null || sed '/^STATS/d' m.hmm >nostats.hmm
    run --separate-stderr domscore -a nostats.hmm small.fa
    refused 1 'no STATS' 'E-values'
    run --separate-stderr -1 domscore globins4.hmm m.fwd
    told 'Pkinase' 'none of the models'
    domscore --seed 7 three.hmm three.fwd >got
    domscore --seed 7 -t 1 three.hmm three.fwd >again
    same got again
    [ "$(status_of cmp -s <(rows got) <(rows three.tsv))" -eq 1 ] || fail "the seed has no influence"
}

@test "targets of unknown residues, of one residue, M = 1, names that repeat" {
    { printf '>x\n'; head -c 400 /dev/zero | tr '\0' X; printf '\n>one\nM\n>none\n>star\n****\n'
        head -40 demo.fa; head -40 demo.fa; } >odd.fa
    hmmsieve --max -O tsv -E 1e6 --domE 1e6 m.hmm odd.fa >got
    [ "$(column got name | sort | uniq -c | awk '{ print $1 % 2 }' | sort -u)" = 0 ]
    ! column got name | grep -qx 'x\|one\|none\|star' || fail "a hit without residues that mean anything"
    hmmsieve --max -E 1e9 M1.hmm odd.fa >got
    grep -q '\[ok\]' got
    hmmsieve --max -E 1e6 -A got.sto m.hmm odd.fa >got
    grep -q '^# WARNING: seq names' got.sto
    [ "$(grep -c '^#=GS' got.sto)" -ge 2 ]
}

@test "--mem: the pair is named, all others are there, status 1" {
    zcat "$golden/domains/cases.fa.gz" >cases.fa
    hmmsieve -O tsv "$data/fn3.hmm" cases.fa >want
    msvfilt "$data/fn3.hmm" cases.fa | vitfilt "$data/fn3.hmm" | fwdscore "$data/fn3.hmm" >cases.fwd
    run --separate-stderr -1 domscore --mem 100K -o got "$data/fn3.hmm" cases.fwd
    told 'fn3' 'ensemble' '--mem 100000'
    [ "$(nrows got)" -gt 0 ]
    [ "$(nrows got)" -lt "$(nrows want)" ]
    [ -z "$(comm -13 <(rows want | cut -f1,2 | sort -u) <(rows got | cut -f1,2 | sort -u))" ]
    ! grep -q '##end' got
}

@test "hmmsieve: notes of the first program, devices that are not there" {
    run --separate-stderr -0 hmmsieve --noali m.hmm demo.fa
    [ -z "$stderr" ] || fail "$stderr"
    export CUDA_VISIBLE_DEVICES=''
    run --separate-stderr -0 hmmsieve --device 1 m.hmm demo.fa
    [ "$(grep -c 'goes on without a device' <<<"$stderr")" -eq 1 ] || fail "$stderr"
    run --separate-stderr -0 hmmsieve -q --device 1 m.hmm demo.fa
    [ -z "$stderr" ] || fail "$stderr"
    run --separate-stderr hmmsieve --device 0, m.hmm demo.fa
    refused 2 '--device' 'numbers'
    run --separate-stderr hmmsieve --backend gpu m.hmm demo.fa
    refused 2 'no "gpu"' 'scalar'
    run --separate-stderr -1 hmmsieve --gpu m.hmm demo.fa
    refused 1 '^hmmsieve: --backend cuda cannot run here'
    run --separate-stderr -2 hmmsieve --gpu --backend scalar m.hmm demo.fa
    refused 2 '--gpu and --backend exclude'
    run --separate-stderr -1 hmmsieve --backend cuda m.hmm demo.fa
    refused 1 '^hmmsieve: --backend cuda cannot run here'
}

@test "hmmsieve: input that was cut: the hits until then, and neither E-values nor unknown sizes" {
    gzip -c demo.fa | head -c 60000 >cut.fa.gz
    for o in text tsv tblout; do
        run --separate-stderr -1 hmmsieve -t 2 -K 3000 -O $o -o got m.hmm cut.fa.gz
        told 'cut.fa.gz' 'cut'
        (msvfilt -t 1 m.hmm cut.fa.gz | vitfilt -t 1 m.hmm | fwdscore m.hmm | domscore -O $o m.hmm) >want 2>/dev/null ||
            true
        same <(grep -v '^##\|^# \|^Passed' want) <(grep -v '^##\|^# \|^Passed' got) || fail "$o"
        [ "$(grep -c '^sp\|^>>' got)" -gt 3 ] || fail "$o: few hits"
    done
}

@test "hmmsieve: what domscore refuses is misuse, told at once, and empties no file" {
    for o in '-E 1 -T 2' '--domE 1 --domT 3' '--cut_ga --cut_nc' '-O tsv -f bogus' '--tblout kept -A ./kept' '--backend bogus'; do
        echo kept >kept
        run -2 --separate-stderr timeout 5 hmmsieve $o -o kept m.hmm - < <(exec sleep 10)
        [ "$(cat kept)" = kept ] || fail "$o: the file is gone"
        refused 2 '.'
        rm kept
        run -2 --separate-stderr hmmsieve $o -o kept m.hmm demo.fa
        [ ! -e kept ] || fail "$o: a file was made"
    done
}

@test "hmmsieve: a parent that ignores SIGCHLD, descriptors that are not open" {
    hmmsieve -O tsv m.hmm demo.fa >want
    env --ignore-signal=CHLD hmmsieve -O tsv m.hmm demo.fa >got
    same want got
    for o in --tblout --domtblout -A -o; do
        for fd in 3 4 5 6 7; do
            run --separate-stderr bash -c 'f=$1; shift; for i in 3 4 5 6 7; do eval "exec $i>&-"; done; "$@"' - $fd \
                hmmsieve $o /dev/fd/$fd m.hmm demo.fa
            refused 1 "cannot open /dev/fd/$fd for writing"
        done
    done
    run --separate-stderr timeout 10 bash -c 'cat demo.fa | hmmsieve --tblout /dev/stdin m.hmm -'
    refused 2 'pipe that is read'
    hmmsieve --tblout /dev/fd/9 m.hmm demo.fa 9>nine >/dev/null
    [ "$(grep -vc '^#' nine)" -gt 10 ]
}

@test "hmmsieve: what failed, options that it does not have, models from a pipe" {
    printf '>a\nMKV1LAT\n' >bad.fa
    run --separate-stderr -1 hmmsieve m.hmm bad.fa
    [[ $stderr =~ ^'hmmsieve: bad.fa: line 2: '[^$'\n']*$ ]] || fail "$stderr"
    run --separate-stderr -1 hmmsieve --tblout no/such/folder m.hmm demo.fa
    [ "$stderr" = 'hmmsieve: cannot open no/such/folder for writing: No such file or directory' ] || fail "$stderr"
    for o in --mpi --stall '--restrictdb_n 5' '--ssifile x'; do
        run --separate-stderr hmmsieve $o m.hmm demo.fa
        refused 2 'option of HMMER' 'does not have'
    done
    run --separate-stderr hmmsieve --tformat selex m.hmm demo.fa
    refused 2 'selex' 'fasta'
    run --separate-stderr hmmsieve --max --F1 1 m.hmm demo.fa
    refused 2 '--max' '--F1'
    run --separate-stderr hmmsieve --max --nobias m.hmm demo.fa
    refused 2 '--max' '--nobias'
    run --separate-stderr hmmsieve - - <m.hmm
    refused 2 'both' 'standard input'
    hmmsieve -O tsv m.hmm small.fa >want
    hmmsieve -O tsv - small.fa <m.hmm | same want -
    hmmsieve -O tsv <(cat m.hmm) small.fa | same want -
    mkdir -p alone && cp "$(command -v hmmsieve)" alone/
    hmmsieve -O tsv m.hmm demo.fa >want
    env PATH=/usr/bin:/bin alone/hmmsieve -O tsv m.hmm demo.fa >got # it needs no other program
    same want got
    [ "$(status_of bash -c 'set -o pipefail; hmmsieve -O tsv three.hmm demo.fa | true')" -eq 141 ]
}

@test "hmmsieve: all threads make the text of lists, in groups of them: every row, in order, under one head" {
    local -i i rows
    copies() { # copies N: of a model, with other names
        awk -v n="$1" '{ a[NR] = $0 } END { for (i = 0; i < n; i++) for (j = 1; j <= NR; j++)
            print a[j] ~ /^NAME / ? "NAME  fn3-" i : a[j] }' "$data/fn3.hmm"
    }
    rows_are() { # rows_are MODELS ROWS TABLE: so many rows of each model, in the order of the models
        [ "$(grep -c '^# target name' "$3")" = 1 ]
        grep -v '^#' "$3" | awk '{ print $3 }' | uniq -c |
            awk -v n="$2" -v m="$1" '$1 != n || $2 != "fn3-" NR - 1 { bad++ } END { exit NR != m || bad }'
    }
    rows=$(hmmsieve -O tblout "$data/fn3.hmm" demo.fa | grep -vc '^#')
    [ "$rows" -gt 1 ]
    copies 1030 >copies.hmm # a group has at most 1,024 lists
    hmmsieve -t 3 --max --domtblout copies.dom -O tblout -Z 400 copies.hmm \
        <(hmmsieve -O fasta "$data/fn3.hmm" demo.fa) >copies.tbl
    rows_are 1030 "$rows" copies.tbl
    # and 8,192 hits: of three lists of 3,000 two go together
    hmmsieve -O fasta "$data/fn3.hmm" demo.fa | awk '/^>/ { n++ } n == 1 && !/^>/' >one
    copies 3 >copies.hmm
    for ((i = 0; i < 3000; i++)); do echo ">s$i"; cat one; done >many.fa
    hmmsieve -t 3 -Z 1 -O tblout copies.hmm many.fa >many.tbl
    rows_are 3 3000 many.tbl
}
