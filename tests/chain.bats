#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tools one after another: the data that tables carry from stage to stage.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    for m in m three; do
        msvfilt $m.hmm demo.fa >$m.1
        vitfilt $m.hmm $m.1 >$m.2
        fwdscore -Z 400 $m.hmm $m.2 >$m.3
    done
}
setup() { in_data; }

header() { grep -v '^##' "$1" | head -1; }
provenance_of() { sed -n 's/^##warpsieve pg=\([0-9]*\) prog=\([a-z]*\) .*/\1\2/p' "$1" | tr '\n' ' '; }

# ---- a pipe is the same as files ----

@test "the chain in a pipe gives what each tool gives on the other's file" {
    for m in m three; do
        zcat demo.fa.gz | msvfilt $m.hmm | vitfilt $m.hmm | fwdscore -Z 400 $m.hmm >got
        same $m.3 got
        zcat demo.fa.gz | msvfilt -t 1 -K 1 $m.hmm | vitfilt -t 3 -K 3000 $m.hmm |
            fwdscore -t 2 -K 1G -Z 400 $m.hmm >got
        same $m.3 got
        gzip -c $m.1 | vitfilt $m.hmm | gzip -c | fwdscore -Z 400 $m.hmm >got
        same $m.3 got
    done
    [ "$(nrows three.3)" -gt "$(nrows m.3)" ]
}

@test "scores after a filter are those of the tool alone" {
    vitfilt -a three.hmm demo.fa >all
    [ -z "$(comm -13 <(rows three.1 | cut -f1,5 | sort) <(rows three.2 | cut -f1,5 | sort))" ]
    join -t $'\t' <(rows all | awk -F '\t' '{ print $1 "|" $5 "\t" $8 "\t" $9 "\t" $10 }' | sort) \
        <(rows three.2 | awk -F '\t' '{ print $1 "|" $5 "\t" $11 "\t" $9 "\t" $12 }' | sort) >both
    [ "$(wc -l <both)" -eq "$(nrows three.2)" ]
    awk -F '\t' '$2 != $5 || $3 != $6 || $4 != $7 { print; exit 1 }' both
}

# ---- models ----

@test "many models and few sequences: threads share the models of a batch, and the bytes stay" {
    for i in $(seq 40); do sed "s/^NAME  .*/&_$i/" three.hmm; done >many.hmm
    for tool in msvfilt fwdscore; do
        awk '/^>/ { n++ } n <= 60' demo.fa | tee few.fa | $tool -t 1 -P 0.02 -U rejected.want -O tsv many.hmm >want
        [ "$(nrows want)" -gt 120 ]
        [ "$(rows want | cut -f1 | sort -u | wc -l)" -gt 3 ]
        for t in 2 5; do
            $tool -t $t -P 0.02 -U rejected -O tsv many.hmm few.fa >got
            same want got || fail "$tool -t $t"
            same rejected.want rejected || fail "$tool -t $t, rejected"
        done
        for form in ids fasta packed; do
            $tool -t 1 -P 0.02 -O $form many.hmm few.fa >$form.want
            $tool -t 4 -P 0.02 -O $form many.hmm few.fa >$form.got
            same $form.want $form.got || fail "$tool -O $form"
        done
    done
    fwdscore -t 1 -P 1e-3 -a many.hmm want >scored.want # rows that name their model
    fwdscore -t 5 -P 1e-3 -a many.hmm want >scored
    same scored.want scored
}

@test "many models: rows go to the model they name, in the order of the input" {
    for one in globins4 m fn3; do
        msvfilt $one.hmm demo.fa >one.1
        vitfilt $one.hmm one.1 >one.2
        fwdscore -Z 400 $one.hmm one.2 >one.3
        name=$(sed -n 's/^NAME  //p' $one.hmm)
        for i in 1 2 3; do same <(rows one.$i) <(rows three.$i | awk -F '\t' -v n="$name" '$5 == n') ||
            fail "$one, stage $i"; done
    done
    # sequences in the order of the input, models of a sequence in the order of the model file
    same <(column three.1 name | uniq) <(sed -n 's/^>\([^ ]*\).*/\1/p' demo.fa | grep -xFf <(column three.1 name))
    rows three.1 | awk -F '\t' '{ n = index("globins4 Pkinase fn3", $5); if ($1 == last && n <= at) exit 1; last = $1; at = n }'
    # a table of some models read with more of them, which its ## lines would tell: only the rows' pairs are scored
    grep -v '^##' m.1 | vitfilt three.hmm >got
    same <(rows m.2) <(rows got)
}

@test "a query that is no model of the file: what comes before it is answered, then status 1 with line and name" {
    { head -5 m.1; sed -n 6p m.1 | sed 's/\tPkinase\t/\tPkinace\t/'; tail -n +7 m.1; } >odd.tsv
    run --separate-stderr vitfilt -a m.hmm odd.tsv
    [ "$status" -eq 1 ]
    told 'odd.tsv' 'line 6' '"Pkinace"' 'model'
    [ "$(grep -vc '^#' <<<"$output")" -eq 3 ]
    run --separate-stderr vitfilt globins4.hmm m.1
    [ "$status" -eq 1 ]
    told 'line 3' '"Pkinase"'
}

@test "a row without a query where others have one: status 1 and its line, wherever it stands" {
    for at in 3 6; do # an outer join leaves such rows; they met all models under a name that was none, or was another's
        awk -F '\t' -v OFS='\t' -v at=$at 'NR == at { $5 = "" } { print }' m.1 | sed 's/(xxh3:[0-9a-f]*)//' >odd.tsv
        for k in 1 1M; do
            run -1 --separate-stderr vitfilt -K $k -a three.hmm odd.tsv
            told "odd.tsv: line $at: the query is empty"
            [ "$(grep -c '^sp|' <<<"$output")" -eq $((at - 3)) ]
        done
        respack -O ids odd.tsv >got
        [ "$(wc -l <got)" -eq "$(nrows m.1)" ]
    done
}

@test "two models of one name cannot be told apart by rows, so a table is refused" {
    sed 's/^NAME  fn3/NAME  Pkinase/' fn3.hmm | cat m.hmm - >twice.hmm
    run --separate-stderr msvfilt twice.hmm demo.fa # by the first stage, which would write such rows
    refused 1 'duplicate model name Pkinase; a table needs unique names'
    grep -v '^##' m.1 >plain.1
    # and by a stage that only reads them
    run --separate-stderr vitfilt -f name --no-provenance --header none twice.hmm plain.1
    refused 1 'duplicate model name Pkinase; a table needs unique names'
    same <(msvfilt -O ids twice.hmm demo.fa) <(cat m.hmm fn3.hmm | msvfilt -O ids - demo.fa) # sequences name no model
    same <(msvfilt -O fasta twice.hmm demo.fa) <(cat m.hmm fn3.hmm | msvfilt -O fasta - demo.fa)
}

@test "a table without query: every row meets every model" {
    printf '#name\tseq\tweight\na\t%s\t7\nb\tMKVL\t8\n' "$(seqkit grep -p 'sp|P17157|PHO85_YEAST' demo.fa | seqkit seq -s -w 0)" >free.tsv
    msvfilt -a three.hmm free.tsv >got
    [ "$(header got)" = $'#name\tseq\tqual\tdesc\tweight\tquery\tqlen\ttlen\tmsv_bits\tbias_bits\tmsv_p' ]
    [ "$(rows got | cut -f1,5,6 | tr '\t\n' ', ')" = "a,7,globins4 a,7,Pkinase a,7,fn3 b,8,globins4 b,8,Pkinase b,8,fn3 " ]
    # searches: the hits of the same sequences as FASTA
    seqkit fx2tab -i demo.fa | awk -F '\t' -v OFS='\t' 'BEGIN { print "#name", "seq" } { print $1, $2 }' >free.tsv
    awk -F '\t' '!/^#/ { print ">" $1 "\n" $2 }' free.tsv >free.fa
    head -n 2 free.fa >query.fa
    local options
    for options in '' --scan --max; do
        for f in tsv fa; do hmmsieve -Z 400 $options -O tblout three.hmm free.$f | grep -v '^# [A-Z]' >got.$f; done
        same got.fa got.tsv
        [ "$(grep -vc '^#' got.tsv)" -gt 10 ]
    done
    for program in seqsieve 'jacksieve -N 2'; do
        for f in tsv fa; do $program -Z 400 -O tblout query.fa free.$f | grep -v '^# [A-Z]' >got.$f; done
        same got.fa got.tsv
        grep -qv '^#' got.tsv
    done
}

# ---- columns ----

@test "foreign columns pass through untouched" {
    awk -F '\t' -v OFS='\t' '/^##/ { print; next } { print $0, /^#/ ? "note" : "n o/t,e \"" NR "\"", /^#/ ? "tail" : "" }' m.1 >more.1
    vitfilt m.hmm more.1 >got
    [ "$(header got)" = "$(header m.1)"$'\tnote\ttail\tvit_bits\tvit_p' ] || fail "$(header got)"
    same <(rows m.2) <(rows got | cut -f1-10,13-)
    same <(rows got | cut -f1,11-12) <(rows more.1 | cut -f1,11-12 | grep -F -f <(column got name))
}

@test "thousands of columns cost time linear in their number" { # 16,000 took 17 seconds of the processor, and 0.04 now
    python3 -c 'n = 16000
print("#name\tseq\t" + "\t".join(f"c{i}" for i in range(n)))
for r in range(20): print(f"r{r}\tMKV\t" + "\t".join(f"{r}.{i}" for i in range(n)))' >wide.tsv
    (ulimit -t 5 && msvfilt -a --no-provenance m.hmm wide.tsv) >got
    same <(cut -f3- wide.tsv) <(grep -v '^##' got | cut -f5-16004)
    msvfilt -a --no-provenance -f name,c7,c3,c15999,c7 m.hmm wide.tsv >got # not in their order
    [ "$(sed -n 3p got)" = $'r1\t1.7\t1.3\t1.15999\t1.7' ] || fail "$(sed -n 3p got)"
}

@test "names that look like a table's header or its other lines go through the chain" {
    for name in '#name' name '##end' '##warpsieve' '#' '##'; do
        sed "1s/^>[^ ]*/>$name/" small.fa >odd.fa
        ssvfilt -a m.hmm odd.fa | msvfilt -a m.hmm | vitfilt -a m.hmm | respack -O fasta >got
        same <(respack -O fasta odd.fa) got || fail "a record named $name"
        respack -O tsv --header plain --no-provenance odd.fa | respack -O fasta >got
        same <(respack -O fasta odd.fa) got || fail "a record named $name, plain header"
    done
}

@test "columns in any order, and without those that no stage needs" {
    awk -F '\t' -v OFS='\t' '/^##/ { print; next } { sub(/^#/, ""); print (NR == 2 ? "#" : "") $10, $5, $2, $9, $1, $8, $7 }' m.1 >mixed.1
    vitfilt m.hmm mixed.1 >got
    [ "$(header got)" = $'#name\tseq\tqual\tdesc\tmsv_p\tquery\tbias_bits\tmsv_bits\ttlen\tqlen\tvit_bits\tvit_p' ] ||
        fail "$(header got)"
    same <(column m.2 vit_bits) <(column got vit_bits)
    same <(column m.2 vit_p) <(column got vit_p)
    same <(column m.2 msv_p) <(column got msv_p)
    cut -f1,2 m.1 | grep -v '^##' >bare.1
    vitfilt -a m.hmm bare.1 >got
    same <(column got name) <(column m.1 name)
}

@test "a stage run again replaces its columns" {
    vitfilt -a m.hmm m.2 >got
    [ "$(header got)" = "$(header m.2)" ]
    same <(rows m.2) <(rows got)
    awk -F '\t' -v OFS='\t' '/^#/ { print; next } { $11 = "7.0"; $12 = "oops"; print }' m.2 >wrong.2
    vitfilt -a m.hmm wrong.2 >got
    same <(rows m.2) <(rows got)
    msvfilt -a m.hmm m.3 >got
    same <(column got msv_p) <(column m.3 msv_p)
    same <(column got fwd_evalue) <(column m.3 fwd_evalue)
}

@test "-f names columns of the input too" {
    vitfilt -f msv_p,name,vit_p --no-provenance m.hmm m.1 >got
    [ "$(header got)" = $'#msv_p\tname\tvit_p' ]
    same <(rows got | cut -f2) <(column m.2 name)
}

# ---- rows ----

@test "rows may be taken out and sorted" {
    awk 'NR < 3 || /^##/ || NR % 3 == 0' m.1 >some.1
    vitfilt m.hmm some.1 >got
    same <(rows got | cut -f1-10) <(rows some.1 | grep -F -f <(column m.2 name | sed 's/$/\t/'))
    { head -2 m.1; rows m.1 | sort -r; tail -1 m.1; } >sorted.1
    vitfilt m.hmm sorted.1 >got
    same <(rows got | sort) <(rows m.2 | sort)
    same <(column got name) <(column sorted.1 name | grep -xFf <(column m.2 name))
    grep -v '^#' m.1 | wc -l >n
    { head -2 m.1; tail -1 m.1; } >none.1
    vitfilt m.hmm none.1 >got
    [ "$(nrows got)" -eq 0 ]
    [ "$(tail -1 got)" = "##end rows=0 in=400 residues=165280" ]
}

@test "tables of shards joined by cat" {
    awk '/^>/ { n++ } { print > "shard" (n > 150) ".fa" }' demo.fa
    msvfilt m.hmm shard0.fa >s0
    msvfilt m.hmm shard1.fa >s1
    cat s0 s1 | vitfilt m.hmm >got
    same m.2 got
    cat s0 s1 | vitfilt m.hmm | fwdscore -Z 400 m.hmm >got
    same m.3 got
    vitfilt m.hmm s0 s1 >got
    same m.2 got
    for f in s0 s1; do vitfilt m.hmm $f; done | fwdscore -Z 400 m.hmm >got
    same m.3 got
    cat s0 <(head -n -1 s1) >cut.1 # only the second lacks its end
    run --separate-stderr vitfilt m.hmm cut.1
    [ "$status" -eq 1 ]
    told 'cut.1' '##end'
    { grep -v '^##' s0; grep -v '^##' s1; } >plain.1
    vitfilt m.hmm plain.1 >got
    same <(rows m.2) <(rows got)
    fwdscore -a three.hmm shard0.fa -o other
    cat s0 other >mixed
    run --separate-stderr vitfilt m.hmm mixed
    [ "$status" -eq 1 ]
    told 'mixed: line [0-9]+' 'column'
}

# A shard that was cut at any byte, and joined by cat with the next one, must not be taken for a whole one.
@test "shards that were cut at any byte of their first and last lines, joined by cat" {
    local n size
    awk '/^>/ { n++ } { print > "shard" (n > 20) ".fa" }' small.fa
    msvfilt -a m.hmm shard0.fa | fwdscore -a m.hmm >s0
    msvfilt -a m.hmm shard1.fa | fwdscore -a m.hmm >s1
    size=$(wc -c <s0)
    cat s0 s1 | domscore -E 1e9 m.hmm >want
    for n in $(seq 1 5 "$(head -3 s0 | wc -c)") $(seq $((size - 70)) $((size - 1))); do
        { head -c "$n" s0; cat s1; } >joined
        ! respack -O ids joined >got 2>err || fail "cut after $n of $size bytes: status 0"
        [ "$(grep -c '^respack: joined' err)" -eq 1 ] || fail "cut after $n of $size bytes: $(cat err)"
    done
    head -n -1 s0 | cat - s1 >joined
    run domscore -E 1e9 --allow-cut m.hmm joined
    [[ $status -eq 1 && $output =~ 'does not say how many sequences' ]] || fail "$status $output"
    head -n -1 s0 | cat - s1 | domscore -E 1e9 --allow-cut -Z 40 m.hmm >got
    same <(rows want) <(rows got)
    sed 's/ in=[0-9]* / in=0 /' s0 >joined
    run --separate-stderr vitfilt m.hmm joined
    [ "$status" -eq 1 ]
    told 'joined: line [0-9]+' '##end' '0 sequences'
}

@test "head in between: status 1 unless --allow-cut" {
    s=$(bash -o pipefail -c 'msvfilt m.hmm demo.fa | head -20 | vitfilt m.hmm >got 2>err; echo ${PIPESTATUS[2]}')
    [ "$s" = 1 ]
    grep -q '##end' err
    [ "$(nrows got)" -gt 0 ]
    msvfilt m.hmm demo.fa | head -20 | vitfilt --allow-cut m.hmm >got2
    same <(rows got) <(rows got2)
}

@test "a stage that fails makes the next one fail" {
    head -c 60000 demo.fa.gz >cut.gz
    s=$(bash -c 'msvfilt m.hmm cut.gz 2>err1 | vitfilt m.hmm 2>err2 | fwdscore m.hmm 2>err3 >got; echo ${PIPESTATUS[*]}')
    [ "$s" = "1 1 1" ] || fail "$s"
    grep -q 'cut.gz' err1
    grep -q '##end' err2
    grep -q '##end' err3
    [ "$(nrows got)" -gt 0 ]
}

# ---- provenance ----

# A stage that dies before its first byte leaves an empty pipe, one that dies in its first line a part of that.
@test "a stage that dies before its header makes the next one fail" {
    local n
    run --separate-stderr bash -c '(sleep 1; cat demo.fa) | timeout -s KILL 0.5 msvfilt m.hmm | vitfilt m.hmm'
    refused 1 'standard input is a pipe that ended without one byte'
    run --separate-stderr bash -c 'msvfilt missing.hmm demo.fa 2>first | vitfilt m.hmm'
    refused 1 'without one byte'
    msvfilt m.hmm small.fa >few.1
    for n in 2 3 20 "$(head -1 few.1 | wc -c)" $(($(head -1 few.1 | wc -c) - 1)) $(($(head -2 few.1 | wc -c) - 1)); do
        run --separate-stderr bash -c 'head -c "$1" few.1 | vitfilt m.hmm' - "$n"
        [ "$status" -eq 1 ] || fail "$n bytes: status $status"
        told 'standard input'
    done
    : | vitfilt --in-format fasta m.hmm | grep -q '^##end rows=0 in=0' # the user says that there are no sequences
    : | vitfilt --allow-cut m.hmm | grep -q '^##end rows=0'
    : >empty.fa # a file may be empty
    vitfilt m.hmm <empty.fa | grep -q '^##end rows=0 in=0'
    gzip -c empty.fa | vitfilt m.hmm | grep -q '^##end rows=0 in=0'
}

@test "provenance: every stage adds a line, and what the first one read is handed on" {
    [ "$(provenance_of m.3)" = "1msvfilt 2vitfilt 3fwdscore " ] || fail "$(provenance_of m.3)"
    same <(grep '^##warpsieve' m.2) <(grep '^##warpsieve' m.3 | head -2)
    grep -q '^##warpsieve pg=3 .*model=Pkinase(xxh3:[0-9a-f]\{16\}) args="-Z 400"$' m.3
    for i in 1 2 3; do [ "$(tail -1 m.$i)" = "##end rows=$(nrows m.$i) in=400 residues=165280" ] ||
        fail "$(tail -1 m.$i)"; done
    grep -q '^##warpsieve .*model=3_models(xxh3:' three.1
    sed 's/^##warpsieve/##someone wrote this\n&/' m.1 >noted.1
    vitfilt m.hmm noted.1 >got
    grep -q '^##someone wrote this$' got
    msvfilt --no-provenance m.hmm demo.fa | vitfilt m.hmm >got
    [ "$(provenance_of got)" = "1vitfilt " ]
    same <(rows m.2) <(rows got)
    msvfilt --header plain m.hmm demo.fa | vitfilt m.hmm >got
    same m.2 got
}

@test "args: what needs quotes has them" {
    fwdscore -P 1e-3 -T -5.5 --nobias m.hmm small.fa >got
    grep -q 'args="-P 1e-3 -T -5.5 --nobias"$' got || fail "$(head -1 got)"
}

# ---- other forms between the stages ----

@test "FASTA or packed between the stages: the same sequences" {
    msvfilt -O fasta m.hmm demo.fa | vitfilt -O packed --no-skip m.hmm | fwdscore -O ids m.hmm >got
    msvfilt m.hmm demo.fa | vitfilt --no-skip m.hmm | fwdscore m.hmm >want
    same <(column want name) got
    [ "$(msvfilt -O ids three.hmm demo.fa | sort | uniq -d)" = "" ] || fail "a sequence is there twice"
}

@test "FASTQ keeps its qualities through tables, packed and back" {
    seqkit fx2tab small.fa | awk -F '\t' '{ q = $2; gsub(/./, "I", q); print "@" $1 "\n" $2 "\n+\n" q }' >small.fq
    msvfilt -a m.hmm small.fq | vitfilt -a m.hmm | cut -f1-3 | seqkit tab2fx -w 0 >got.fq
    same <(awk 'NR % 4 == 1 { print $1; next } { print }' small.fq) got.fq
    respack small.fq | respack -O tsv >got
    [ "$(column got qual | grep -c '^III')" -eq 40 ]
}

# ---- the models of all stages are the same ----

@test "a query that is another model in the next stage is refused, also where its name is the same" {
    sed 's/^NAME  globins4/NAME  Pkinase/' globins4.hmm >fake.hmm
    msvfilt m.hmm demo.fa >pairs.tsv
    msvfilt -O packed m.hmm demo.fa >pairs.wsp
    run --separate-stderr vitfilt -o out fake.hmm pairs.wsp
    refused 1 'pairs.wsp' '"Pkinase" is another model' 'all stages the same'
    for o in '' --max --scan; do
        run --separate-stderr hmmsieve $o -o out fake.hmm pairs.wsp
        refused 1 'pairs.wsp' '"Pkinase" is another model' 'all stages the same'
    done
    run --separate-stderr vitfilt -o out fake.hmm pairs.tsv
    refused 1 'pairs.tsv' 'another model file, xxh3:[0-9a-f]{16}, than this one, xxh3:[0-9a-f]{16}' 'the same file'
    run --separate-stderr vitfilt -o out globins4.hmm pairs.wsp
    refused 1 'pairs.wsp' '"Pkinase" is none of the models'
    respack pairs.tsv >pairs.wsp # without hashes of models
    run --separate-stderr vitfilt -o out three.hmm pairs.wsp
    refused 1 'another model file'
    # two streams, one name
    msvfilt -O packed m.hmm demo.fa >pairs.wsp
    msvfilt -O packed fake.hmm demo.fa | cat pairs.wsp - >two.wsp
    run --separate-stderr respack -o out two.wsp
    refused 1 'two.wsp' '"Pkinase", which is another model'
}
@test "packed pairs name models, not files: a file with more of them, or a binary one, is as good" {
    msvfilt -O packed three.hmm demo.fa >pairs.wsp
    vitfilt --no-provenance three.hmm pairs.wsp >want
    cat globins4.hmm fn3.hmm m.hmm >other.hmm
    vitfilt --no-provenance other.hmm pairs.wsp | same want -
    gzip -c three.hmm >three.hmm.gz
    vitfilt --no-provenance three.hmm.gz pairs.wsp | same want -
    wants hmmconvert
    hmmconvert -b three.hmm >three.h3m
    vitfilt --no-provenance three.h3m pairs.wsp | same want -
}

# ---- models on demand ----

@test "only models that have pairs are converted" {
    msvfilt -O packed m.hmm demo.fa >pairs.wsp
    msvfilt m.hmm demo.fa | grep -v '^##' >pairs.tsv
    sed '0,/^  *50 /s/^  *50 .*/     50 broken/' globins4.hmm | cat - m.hmm >broken.hmm
    vitfilt --no-provenance m.hmm pairs.wsp >want
    for t in 1 3; do
        vitfilt --no-provenance -t $t broken.hmm pairs.wsp | same want -
        same <(grep -v '^##' want) <(vitfilt --no-provenance -t $t broken.hmm pairs.tsv | grep -v '^##')
        run --separate-stderr vitfilt -t $t broken.hmm demo.fa # all of them
        refused 1 'broken.hmm, line' 'broken'
    done
    # the same sentence as from a tool that meets all models
    fault=$stderr
    sed 's/Pkinase/globins4/' pairs.tsv >wrong.tsv
    run --separate-stderr vitfilt broken.hmm wrong.tsv
    [ "$stderr" = "$fault" ] && [ "$status" -eq 1 ]
}

# into the file lines: what stays on the terminal; fails if one program drew over another's moving line
progress_of_a_chain() {
    python3 - <<'EOF'
import os, pty, re, subprocess
master, slave = pty.openpty()
stages = " | ".join(t + " three.hmm" for t in ("msvfilt", "vitfilt", "fwdscore", "domscore"))
p = subprocess.Popen(["bash", "-c", f"for _ in 1 2 3 4 5 6 7; do cat demo.fa; sleep 0.3; done | {stages} >got"], stderr=slave)
os.close(slave)
text = b""
try:
    while True:
        piece = os.read(master, 65536)
        if not piece: break
        text += piece
except OSError: pass
assert p.wait() == 0
drawn = [l.replace("\x1b[K", "") for l in re.split(r"\r(?!\n)", text.decode())[1:]]
moving = [l for l in drawn if not l.endswith("\n")]
assert len(moving) >= 5, drawn # there was a line that moved
owners = [l.split(":")[0] for l in moving]
assert sum(a != b for a, b in zip(owners, owners[1:])) <= 3, owners # it changed hands when a stage had ended
open("lines", "w").write("".join(l.replace("\r", "") for l in drawn if l.endswith("\n")))
EOF
}
@test "progress of a chain on a terminal: one line for each stage, in pairs where these are read" {
    progress_of_a_chain
    [ "$(wc -l <lines)" -eq 4 ] || fail "$(cat lines)"
    for t in msvfilt vitfilt fwdscore domscore; do
        [ "$(grep -c "^$t: .*, [0-9.]* s, [a-z0-9]*$" lines)" -eq 1 ] || fail "$(cat lines)"
    done
    grep -qE '^msvfilt: 2.80K sequences, .* [0-9.K]+ pairs kept,' lines || fail "$(cat lines)"
    grep -qE '^vitfilt: [0-9.K]+ pairs of [0-9.K]+ sequences, .* [0-9.K]+ pairs kept,' lines || fail "$(cat lines)"
    grep -qE '^domscore: [0-9.K]+ pairs of [0-9.K]+ sequences, .* residues/s, [0-9.]+ s,' lines || fail "$(cat lines)"
    run -0 --separate-stderr msvfilt --progress -O fasta three.hmm demo.fa # each sequence once
    grep -qE '[0-9]+ kept,' <<<"$stderr" || fail "$stderr"
}
