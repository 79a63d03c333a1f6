#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# respack, and the packed stream as others see it. Its damage is in input.bats.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }

# Every column, line and field is kept, in the order of the table.
@test "tables of pairs become packed pairs and tables again, byte for byte" {
    cat globins4.hmm m.hmm fn3.hmm >three.hmm
    msvfilt -a -K 3K three.hmm small.fa >pairs.tsv
    msvfilt -a -t 3 -O packed three.hmm small.fa >pairs.wsp
    respack -O tsv pairs.wsp | same pairs.tsv -
    respack pairs.tsv >again.wsp
    respack -t 1 -K 10 pairs.tsv | cmp - again.wsp
    respack -O tsv again.wsp | same pairs.tsv -
    respack -O tsv pairs.tsv | same pairs.tsv -
    # by hand: other columns in another order, foreign lines, fields that are no numbers
    printf '##mine\nquery\tname\tseq\tscore\tnote\tp\nq 1\ta\tMKV\t1.5\t"x\t1e-300\n' >own.tsv
    printf 'q\xff\ta\tMKV\tn/a\t\tinf\nq 1\tb\t\t007\t#\t\n' >>own.tsv
    respack own.tsv | respack -O tsv --header plain | same own.tsv -
    sed 's/^query/#query/' own.tsv | respack | respack -O tsv --no-provenance | head -1 | grep -q '^#query'
    msvfilt -P 1e-30 globins4.hmm small.fa >none.tsv # no row
    [ "$(nrows none.tsv)" -eq 0 ]
    respack none.tsv | respack -O tsv | same none.tsv -
    # the next stage has the number that it would have after the table, also after lines of stages that say little
    printf '##warpsieve pg=%s\n' 1 '2 prog=b' 3 >said.tsv
    printf '##warpsieves\n#name\tseq\tquery\nx\tMKVLAAGIVG\tglobins4\n##end rows=1\n' >>said.tsv
    msvfilt -a globins4.hmm said.tsv >want.tsv
    grep -q '^##warpsieve pg=4 ' want.tsv
    respack said.tsv | msvfilt -a globins4.hmm | same want.tsv -
    # counts, also unknown ones, and tables without any
    head -3 pairs.tsv | respack --allow-cut >cut.wsp
    respack -O tsv cut.wsp | tail -1 | grep -qx '##end rows=1'
    msvfilt --no-provenance three.hmm small.fa >bare.tsv
    msvfilt --no-provenance -O packed three.hmm small.fa | respack -O tsv | same bare.tsv -
}

# The same rows from pairs in any form, and the same sequences.
@test "packed pairs: 10000 beside reals is the text of the table" {
    awk '/^>/ { n++ } n > 6 { exit } 1' demo.fa | msvfilt -a m.hmm |
        awk -F '\t' -v OFS='\t' '/^##/ { print; next } /^#/ { print $0, "x"; next } { print $0, n++ % 2 ? "10000" : "0.5" }' >x.tsv
    vitfilt -a -O packed m.hmm x.tsv >x.wsp
    fwdscore -a m.hmm x.wsp >got
    same <(column x.tsv x) <(column got x)
    [ "$(column got x | sort -u | tr '\n' ' ')" = '0.5 10000 ' ] || fail "$(column got x)"
}
@test "packed pairs between all stages give the table of tables between them" {
    msvfilt three.hmm demo.fa | vitfilt three.hmm | fwdscore -Z 400 three.hmm >want.tsv
    msvfilt -O packed three.hmm demo.fa | vitfilt -O packed three.hmm | fwdscore -Z 400 -O packed three.hmm >got.wsp
    respack -O tsv got.wsp | same want.tsv -
    cat got.wsp got.wsp | respack -O tsv | rows - | same <(rows want.tsv; rows want.tsv) -
    cat got.wsp got.wsp | respack -O tsv | tail -1 | grep -q ' in=800 '
    respack -O fasta want.tsv >want.fa
    respack -O fasta got.wsp | same want.fa -
    vitfilt -U no.wsp -O packed three.hmm pairs.wsp >yes.wsp
    vitfilt -U no.tsv three.hmm pairs.tsv >yes.tsv
    respack -O tsv yes.wsp | same yes.tsv -
    respack -O tsv no.wsp | same no.tsv -
    run --separate-stderr respack got.wsp demo.fa
    [ "$status" -eq 1 ] && grep -q 'cannot be read together' <<<"$stderr"
    run --separate-stderr vitfilt -f name -O packed three.hmm got.wsp
    refused 2 --fields
    head -c 5000 got.wsp >cut.wsp
    run --separate-stderr fwdscore --allow-cut three.hmm cut.wsp
    [ "$status" -eq 1 ] && told cut.wsp 'was cut'
}

@test "--help names the default of -O that is written" {
    respack --help | grep -qF 'write packed, tsv, fasta or ids [packed]'
    respack demo.fa >got
    cmp <(respack -O packed demo.fa) got
}

@test "there and back gives the normalised input" {
    respack <demo.fa | respack -O fasta >got
    same demo.fa got
    respack -O fasta demo.wsp >got
    same demo.fa got
    printf '\n>a   two  words \r\nmkv\r\n\r\nl *\r\n>b\n>c\tx\tq\nACDEF' >odd.fa
    respack odd.fa | respack -O fasta >got
    printf '>a two  words\nMKVL*\n>b\n>c x q\nACDEF\n' >want
    same want got
    respack -O fasta odd.fa >got
    same want got
    respack got | respack -O fasta >again
    same got again
}

@test "DNA, RNA and proteins: letters come back, wrong ones are refused" {
    printf '>d\nACGTNRYMKSWHBVD*\n' >d.fa
    respack --dna d.fa | respack --dna -O fasta >got
    same d.fa got
    respack --rna d.fa | respack --rna -O fasta >got
    same <(tr T U <d.fa) got
    printf '>letters\nACGTUXIRYMKSWHBVDN\n' >same.fa # as respack(1) says
    respack --dna -O fasta same.fa >got
    same got <(printf '>letters\nACGTTNARYMKSWHBVDN\n')
    respack --rna -O fasta same.fa >got
    same got <(printf '>letters\nACGUUNARYMKSWHBVDN\n')
    respack --dna d.fa | respack -O fasta >got # a packed stream knows its alphabet
    same d.fa got
    run --separate-stderr respack --dna demo.fa
    refused 1 'demo.fa: line 2' 'DNA'
    run --separate-stderr respack --dna --rna d.fa
    refused 2 'only one' 'dna'
    respack --dna d.fa >d.wsp
    run --separate-stderr msvfilt m.hmm d.wsp
    refused 1 'd.wsp' 'DNA' 'amino'
}

@test "DNA without --dna: a note at once, whatever the batch" {
    printf '>r%d\nACGTTGCANNACGTRCATGCATTGACGTAC\n' 1 2 3 >reads.fa
    for k in 1 100M; do
        run -0 --separate-stderr respack -K $k -o got.wsp reads.fa
        local note='respack: the sequences look like DNA, but are taken as amino acids'
        [ "$stderr" = "$note; use --dna or --rna, or --amino if they are proteins" ] || fail "$stderr"
    done
    for _ in $(seq 120); do cat reads.fa; done >many.fa # 10,000 letters tell before the end
    mkfifo pipe
    respack -o got.wsp pipe 2>said &
    exec 7>pipe
    cat many.fa >&7
    for _ in $(seq 100); do [ ! -s said ] || break; sleep 0.1; done
    grep -q 'look like DNA' said || fail "no note while the input is open"
    exec 7>&-
    wait $!
    for o in --dna --rna --amino; do
        run -0 --separate-stderr respack $o -o got.wsp reads.fa
        [ -z "$stderr" ] || fail "$o: $stderr"
    done
    run -0 --separate-stderr respack -o got.wsp demo.fa
    [ -z "$stderr" ]
    respack --dna reads.fa >d.wsp
    run -0 --separate-stderr respack -O tsv -o got.tsv d.wsp
    [ -z "$stderr" ]
}

@test "gaps in DNA reads are packed as papara-score takes them, and refused in proteins" {
    printf '>gap\nAC-GT?ACGTTGCA--ACGGT\n>none\nACGTACGTTGCAACGGT\n' >gaps.fa
    printf '4 17\nA ACGTACGTTGCAACGGT\nB ACGTACGTTGCAACGCT\nC TCGTACGTTGCAACGCT\nD TCGAACGTTGCAACGCT\n' >ref.phy
    printf '(A,B,(C,D));' >ref.nwk
    papara-score --quiet --no-provenance ref.phy ref.nwk gaps.fa >want
    for o in --dna --rna; do
        respack $o gaps.fa >gaps.wsp
        papara-score --quiet --no-provenance ref.phy ref.nwk gaps.wsp >got
        same want got
    done
    [ "$(column got len | sort -u)" = 17 ]
    [ "$(respack -O fasta gaps.wsp | sed -n 2p)" = AC.GU.ACGUUGCA..ACGGU ]
    run --separate-stderr respack gaps.fa
    refused 1 'line 2' "'-' is not a letter"
}

@test "--shards: all sequences in their order, about as many residues in each file, the same bytes however they came" {
    local n k
    for n in 1 3 7 500; do
        rm -rf parts && mkdir parts
        run -0 respack --shards $n -o parts/db --stats=whole.json demo.fa
        [ -z "$output" ] && [ "$(ls parts | wc -l)" -eq $n ] || fail "$(ls parts)"
        grep -q '"sequences": 400' whole.json
        cat parts/* | respack -O fasta >got
        same demo.fa got
        for k in '-t 1 -K 1' '-t 3 -K 5000'; do
            mkdir -p anew
            # shellcheck disable=SC2086 # words
            zcat demo.fa.gz | respack $k --shards $n -o anew/db
            diff -r parts anew
            rm -r anew
        done
        [ $n -eq 7 ] || continue
        local most
        most=$(respack -O tsv -f tlen --header none --no-provenance demo.fa | sort -n | tail -1)
        for k in parts/*; do
            k=$(respack -O tsv "$k" | sed -n 's/.*residues=//p')
            [ $k -ge $((165280 / 7 - most)) ] && [ $k -le $((165280 / 7 + most)) ] || fail "$k residues"
        done
        hmmsieve --noali -o /dev/null --tblout got.tbl --db-shards 7 m.hmm parts/db
        hmmsieve --noali -o /dev/null --tblout want.tbl m.hmm demo.fa
        same <(grep -v '^#' want.tbl) <(grep -v '^#' got.tbl)
    done
    cat demo.fa demo.fa demo.fa demo.fa demo.fa demo.fa demo.fa demo.fa >big.fa # several blocks in a shard
    respack --shards 1 -o one big.fa
    cmp one-00000-of-00001 <(respack big.fa)
    respack --dna --shards 2 -o reads <(printf '>a\nACG-T\n+\n>b\n>c\nAC\n' | sed '/+/d')
    [ "$(respack -O fasta reads-00000-of-00002 | tr '\n' ' ')" = '>a ACG.T ' ] || fail "$(respack -O fasta reads-00000-of-00002)"
    [ "$(respack -O fasta reads-00001-of-00002 | tr '\n' ' ')" = '>b >c AC ' ]
    printf '@r\nACGT\n+\nIIII\n' | respack --dna --shards 2 -o fq
    [ "$(respack -O tsv --header none --no-provenance -f qual fq-00000-of-00002)" = IIII ]
    respack --shards 3 -o none </dev/null
    cmp none-00002-of-00003 <(respack </dev/null)
    cmp none-00000-of-00003 none-00002-of-00003
}

@test "--shards: what it refuses, and what a failure leaves" {
    local before
    for o in '' '-o -' '-o /dev/fd/2'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr respack --shards 2 $o demo.fa
        refused 2 '--shards writes files' '--output'
    done
    run --separate-stderr respack --shards 2 -O fasta -o never demo.fa
    refused 2 --shards packed
    run --separate-stderr respack --shards 2 -U never -o never demo.fa
    refused 2 --shards --rejected
    run --separate-stderr respack --shards 0 -o never demo.fa
    refused 2 --shards
    run --separate-stderr respack --shards 2 --stats=never-00001-of-00002 -o never demo.fa
    refused 2 never-00001-of-00002 --stats
    [ -z "$(compgen -G "never*")" ] || fail "$(ls never*)"
    run --separate-stderr respack --shards 2 -o nowhere/db demo.fa
    refused 1 'cannot open nowhere/db-00000-of-00002 for writing'
    for n in 0 1; do # a shard that is an input, by its name and as standard input
        cp demo.fa in-0000$n-of-00002
        run --separate-stderr respack --shards 2 -o in in-0000$n-of-00002
        refused 2 "in-0000$n-of-00002 is also read, and would be lost"
        run --separate-stderr respack --shards 2 -o in <in-0000$n-of-00002
        [ "$status" -eq 2 ] && same demo.fa in-0000$n-of-00002
    done
    msvfilt -a m.hmm small.fa >rows.tsv
    msvfilt -a -O packed m.hmm small.fa >rows.wsp
    for f in rows.tsv rows.wsp; do
        run --separate-stderr respack --shards 2 -o never $f
        refused 1 "$f: found pairs" 'expected sequences'
    done
    respack -O tsv small.fa | respack --shards 2 -o table # a table without models is sequences
    cat table-* | respack -O fasta >got
    same small.fa got
    { cat small.fa && printf '>bad\nMK1\n'; } >late.fa
    run --separate-stderr respack --shards 2 -o late late.fa
    refused 1 "'1' is not a letter"
    [ -z "$(compgen -G "late-*")" ] || fail "$(ls late-*)"
    respack --shards 2 -o late small.fa # shards that exist outlive input that fails
    cat late-* >before
    run --separate-stderr respack --shards 2 -o late late.fa
    refused 1 "'1' is not a letter"
    cat late-* | cmp - before
    mkdir here && cd here
    run -0 respack --dry-run --shards 2 -o x ../demo.fa
    [ -z "$(ls -A)" ] || fail "$(ls -A)"
}

@test "equal records one after the other stay as many in a table" {
    printf '>a\nMKV\n>a\nMKV\n>b\nMK\n>b\nMK\n' >f
    respack -O tsv f | respack -O fasta >got
    same f got
    respack -O tsv f | msvfilt -a -f name m.hmm --no-provenance --header none >got
    same got <(printf 'a\na\nb\nb\n')
}

@test "streams are joined by cat" {
    awk '/^>/ { n++ } { print > "half" (n > 150) ".fa" }' demo.fa
    respack half0.fa >h0.wsp
    respack half1.fa >h1.wsp
    cat h0.wsp h1.wsp | respack -O fasta >got
    same demo.fa got
    respack -O fasta h0.wsp h1.wsp >got
    same demo.fa got
    cat h0.wsp <(head -c -10 h1.wsp) >cut.wsp
    run --separate-stderr bash -c 'respack -O fasta cut.wsp >got'
    [ "$status" -eq 1 ]
    told 'cut.wsp' 'cut'
    gzip -c h0.wsp h1.wsp | respack -O fasta >got
    same demo.fa got
    cat demo.fa | respack -O fasta h0.wsp - >got
    same <(cat half0.fa demo.fa) got
}

@test "many blocks: the same bytes for any batch, threads and pace of the input" {
    for _ in $(seq 20); do cat demo.fa; done >big.fa
    respack big.fa >want
    [ "$(stat -c %s want)" -lt "$(($(stat -c %s big.fa) * 4 / 5))" ]
    respack -t 1 -K 1 big.fa >got
    same want got
    respack -t 3 -K 1G big.fa >got
    same want got
    { head -c 1000000 big.fa; sleep 0.2; tail -c +1000001 big.fa; } | respack >got
    same want got
    respack want >got
    same want got
    respack -O fasta want >got
    same big.fa got
    head -c 2000000 want >cut.wsp # a broken stream copied is a broken stream, with every whole block
    run --separate-stderr bash -c 'respack cut.wsp >got'
    [ "$status" -eq 1 ]
    run --separate-stderr bash -c 'respack -O ids got >ids'
    [ "$status" -eq 1 ]
    told 'got' 'cut'
    [ "$(wc -l <ids)" -gt 1000 ]
    same <(sed -n 's/^>\([^ ]*\).*/\1/p' big.fa | head -n "$(wc -l <ids)") ids
}

@test "names and descriptions of any bytes" {
    { printf '>n\303\244me d\303\251scription \xff\nMKV\n>' # UTF-8 and not, and long ones
        head -c 70000 /dev/zero | tr '\0' n
        printf ' '
        head -c 300000 /dev/zero | tr '\0' d
        printf '\nMK\n'
    } >f.fa
    respack f.fa | respack -O fasta >got
    same f.fa got
    respack -O tsv f.fa | respack -O fasta >got
    same f.fa got
}

@test "descriptions with tabs, and blanks at their end: a search of packed sequences differs by these alone" {
    awk '/^>/ { n++; $0 = $0 (n % 3 == 0 ? "\tand a tab " : n % 3 == 1 ? "  " : "\t") } 1' demo.fa >blank.fa
    respack blank.fa >blank.wsp
    for db in blank.fa blank.wsp; do
        hmmsieve -q --noali -o $db.out --tblout $db.tbl --domtblout $db.dom -A $db.sto three.hmm $db
    done
    plain() { sed "s/\t/ /g; s/ *\$//; s/blank\.[a-z]*//g; /^# Option settings/d" "$1"; }
    for x in out tbl dom sto; do
        ! cmp -s blank.fa.$x blank.wsp.$x || fail "$x: the exception is none"
        same <(plain blank.fa.$x) <(plain blank.wsp.$x) || fail $x
    done
    msvfilt -a m.hmm blank.fa >want # a table cannot hold a tab in a column
    msvfilt -a m.hmm blank.wsp | same want -
    respack demo.fa >demo.wsp
    for db in demo.fa demo.wsp; do hmmsieve -q --tblout $db.tbl -o /dev/null three.hmm $db; done
    same <(sed 's/demo\.fa//g' demo.fa.tbl) <(sed 's/demo\.wsp//g' demo.wsp.tbl)
}

@test "tables: rows of one sequence are one record only if they follow each other" {
    msvfilt three.hmm demo.fa >t.tsv
    respack -O ids t.tsv >got
    same <(column t.tsv name | uniq) got
    respack -O tsv -f name,query,msv_bits t.tsv >got
    same <(rows t.tsv | cut -f1,5,8) <(rows got)
}

@test "tables: records that are equal, or differ in description or quality alone, stay several with texts of their own" {
    printf '>a first\nMKVLA\n>a first\nMKVLA\n>a second\nMKVLA\n' >equal.fa
    msvfilt -a three.hmm equal.fa | vitfilt -a three.hmm >t.tsv
    [ "$(column t.tsv desc | uniq -c | tr -s ' \n' ' ')" = " 6 first 3 second " ]
    respack -O fasta t.tsv >got
    same equal.fa got
    printf '@a\nACGT\n+\nIIII\n@a\nACGT\n+\n!!!!\n' >mates.fq
    respack --dna -O tsv mates.fq | respack --dna -O tsv >t.tsv
    [ "$(column t.tsv qual | tr '\n' ' ')" = "IIII !!!! " ]
    [ "$(tail -n 1 t.tsv)" = "##end rows=2 in=2 residues=8" ]
}

@test "what waits for its block is written before a run fails, of sequences and of pairs" {
    local t
    { cat small.fa && printf '>bad\nMK1\n'; } >late.fa
    for t in respack 'msvfilt -a m.hmm' 'fwdscore -a m.hmm'; do
        # shellcheck disable=SC2086 # words
        run -1 --separate-stderr $t -O packed -o late.wsp late.fa
        told "'1' is not a letter"
        respack -O ids late.wsp >got && fail "the stream has an end"
        same <(sed -n 's/^>\([^ ]*\).*/\1/p' small.fa) got || fail "$t"
    done
}

@test "a compressed packed stream is read as it is" {
    gzip -c demo.wsp >demo.wsp.gz
    respack -O fasta demo.wsp.gz >got
    same demo.fa got
}

@test "a million pairs of one sequence: table to packed pairs and back, within the memory" {
    [ "${WARPSIEVE_TESTS:-}" = full ] || skip "takes long: make check-full"
    awk 'BEGIN {
        print "##warpsieve pg=1 prog=x\n#name\tseq\tqual\tdesc\tquery\tqlen\ttlen\tmsv_bits\tmsv_p"
        for (i = 0; i < 1000000; i++) printf "s\tMKVLAAGIV\t\td\tmodel%d\t260\t9\t%.4f\t%.4g\n", i % 70000, i % 97 / 7, exp(-i % 700)
        print "##end rows=1000000 in=1 residues=19"
    }' >want
    respack -O packed want >pairs
    [ "$(stat -c %s pairs)" -lt $(($(stat -c %s want) / 4)) ]
    respack -O tsv --no-provenance pairs >got
    cmp <(grep -v '^##' want) <(grep -v '^##' got)
    sanitized || (ulimit -v 900000 && respack -t 1 -O packed want | respack -t 1 -O tsv >limited)
}

@test "a block of pairs is full with 64 MiB of texts, and not one byte before" {
    local less blocks
    for less in 0 1; do
        python3 - $less >long.tsv <<'EOF'
import sys
most, cells, count = 1 << 26, 64, 8                # each text stands behind its length, of eight bytes
print("#name\tseq\tquery\tnote")
for i in range(cells):
    print("s\tMKV\tq\t" + "x" * (most // cells - count - (int(sys.argv[1]) if i == 0 else 0)))
print("t\tMKV\tq\tx\n##end rows=65 in=2 residues=6")
EOF
        respack long.tsv >long.wsp
        blocks=$(LC_ALL=C grep -cabP '\x89WSR\r' long.wsp)
        [ "$blocks" -eq $((2 - less)) ] || fail "$less bytes less: $blocks blocks"
        respack -O tsv --no-provenance long.wsp | cmp - long.tsv
    done
}
