#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hmmfit: the alignments of hmmalign, forms, inputs, refusals, faults. tests/lib/dom_whole.c compares every backend with
# the definition.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    make_data
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    zcat "$data/golden/hmmfit/domains.fa.gz" >domains.fa
    { head -400 demo.fa; echo ">empty nothing at all"; cat domains.fa; printf '>one\nM\n>mixed\nmKxBUzj\n'; } >all.fa
    make_shim
}
setup() { in_data; }
teardown() { show_counts; }

# ---- what hmmalign writes ----

sequences_of() { # without what hmmalign cannot align
    zcat "$data/$1" | awk '/^>/ { on = !/^>adv_(star|tilde|gap)/ } on'
}
unpacked() { case $1 in *.gz) zcat "$1" ;; *) cat "$1" ;; esac; }

@test "alignments of hmmalign 3.4, byte for byte" {
    local model sequences options want n=0
    while IFS=$'\t' read -r model sequences options want; do
        # shellcheck disable=SC2086 # words
        sequences_of "$sequences" | hmmfit ${options//@/$data/} <(unpacked "$data/$model") | sha256sum >got
        [ "$(cut -d' ' -f1 got)" = "$want" ] || fail "another alignment: $model $sequences $options"
        n=$((n + 1))
    done < <(tail -n +2 "$data/golden/hmmfit/cases.tsv" | sed 's/\t\t/\t \t/')
    [ $n -ge 76 ]
}

@test "all three ways of computing are met, and say so" {
    hmmfit --stats=s.json -o /dev/null "$data/golden/models/LuxC.hmm.gz" domains.fa
    python3 - <<'EOF2'
import json
s = json.load(open("s.json"))
assert 0 < s["logarithms"] < s["subnormals"] < s["sequences"] == 18 == s["rows"], s
EOF2
}

@test "a sequence that no path emits is a row of its own" {
    printf '>stars\n*****\n>next\nMKLVAT\n' >stars.fa
    hmmfit -O pfam m.hmm stars.fa >got
    [ "$(grep '^stars' got | tr -s -- '-.' | sed 's/.* //; s/[.]$//')" = '*****-' ] || fail "$(cat got)"
    [ "$(grep -c '^next' got)" -eq 1 ]
}

@test "--mapali: rows of the model's alignment are as they were" {
    local map=$data/golden/build/globins4.sto
    hmmfit -O a3m --mapali "$map" globins4.hmm small.fa >got
    hmmfit -O a3m globins4.hmm small.fa | same - <(tail -n +9 got)
    [ "$(grep -c '^>' got)" -eq 44 ]
    grep -v '^[#/]' "$map" |
        awk 'NF { s[$1] = s[$1] $2 } END { for (n in s) { gsub(/[.-]/, "", s[n]); print n, s[n] } }' | sort >want
    same want <(head -8 got | sed 's/-//g; s/^>//' | tr a-z A-Z | paste -d' ' - - | sort) || fail "rows"
    gzip -c "$map" >map.gz
    hmmfit -O a3m --mapali map.gz globins4.hmm small.fa | same got - || fail "compressed"
    hmmfit -O a3m --mapali - globins4.hmm small.fa <"$map" | same got - || fail "standard input"
    { printf '# STOCKHOLM 1.0\n#=GS HBB_HUMAN AC P68871\n#=GS HBB_HUMAN DE beta\n'; tail -n +2 "$map"; } >notes.sto
    hmmfit --mapali notes.sto globins4.hmm small.fa | grep '^#=GS HBB' | tr -s ' ' |
        same - <(printf '#=GS HBB_HUMAN AC P68871\n#=GS HBB_HUMAN DE beta\n') || fail "GS"
}

@test "--mapali: residues behind a * stay where they are" { # hmmalign shifts them
    local map=$data/golden/build/opt_odd.sto
    hmmcast --amino "$map" >odd.hmm
    hmmfit -O pfam --trim --mapali "$map" odd.hmm small.fa | grep '^d ' | sed 's/.* //; s/[-.]//g' | grep -qix 'A\*DEIK\*MuNoQRJTVWYACD'
}

# ---- one answer ----

@test "the same bytes for any number of threads, any batch and every backend, in all forms" {
    local form t k b
    for form in stockholm pfam a2m a3m afa psiblast clustal clustallike phylip phylips selex; do
        hmmfit -t 1 --backend scalar -O $form m.hmm all.fa >want.$form
        for t in 2 3; do
            hmmfit -t $t -O $form m.hmm all.fa >got
            same want.$form got || fail "-O $form -t $t"
        done
    done
    for k in 1 3000 1G; do
        for form in pfam a3m; do
            hmmfit -K $k -O $form m.hmm all.fa >got
            same want.$form got || fail "-O $form -K $k"
        done
    done
    for b in $(hmmfit --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        hmmfit --backend "$b" -O pfam m.hmm all.fa >got
        same want.pfam got || fail "--backend $b"
    done
}

@test "the same bytes from FASTA, gzip, packed, a table, several files and a pipe" {
    hmmfit -O pfam m.hmm small.fa >want
    gzip -c small.fa >small.gz
    respack small.fa >small.wsp
    respack -O tsv small.fa >small.tsv
    awk '/^>/ { n++ } n <= 10' small.fa >head.fa
    awk '/^>/ { n++ } n > 10' small.fa >tail.fa
    for f in small.gz small.wsp small.tsv 'head.fa tail.fa' 'head.fa -'; do
        # shellcheck disable=SC2086
        hmmfit -O pfam m.hmm $f <tail.fa >got
        same want got || fail "$f"
    done
    for f in small.fa small.gz small.wsp small.tsv; do
        hmmfit -O pfam m.hmm <$f >got
        same want got || fail "$f from a pipe"
    done
    hmmfit --informat FASTA --outformat PFAM --amino --cpu 2 --allcol -o got m.hmm small.fa
    same want got || fail "options as hmmalign has them"
    msvfilt m.hmm demo.fa | vitfilt m.hmm | fwdscore m.hmm >passed.tsv
    fwdscore -O packed m.hmm passed.tsv >passed.wsp
    respack -O fasta passed.tsv | hmmfit m.hmm >want
    for f in passed.tsv passed.wsp; do
        hmmfit m.hmm $f >got
        same want got || fail "$f"
    done
}

# Many short rows, of more than one chunk of memory.
many_rows() {
    zcat "$data/golden/models/20aa.hmm.gz" >short.hmm
    [ -s many.fa ] || awk '/^>/ { name = $1; next }
        { for (i = 1; i < 40; i += 3) print name "." NR "." i " d\n" substr($0, i) }' demo.fa >many.fa
}
@test "--mem: rows in a temporary file are the same rows, in all forms" {
    local form
    many_rows
    for form in stockholm pfam a2m afa psiblast clustal phylip phylips selex; do
        hmmfit -O $form --mem 1G short.hmm many.fa >want
        hmmfit -O $form --mem 1 short.hmm many.fa >got
        same want got || fail "-O $form"
    done
    hmmfit -O pfam --mapali "$data/golden/build/globins4.sto" globins4.hmm demo.fa >want
    hmmfit -O pfam --mem 1 --mapali "$data/golden/build/globins4.sto" globins4.hmm demo.fa >got
    same want got || fail "--mapali"
    mkdir -p tmp
    TMPDIR=$PWD/tmp hmmfit --mem 1 -o /dev/null short.hmm many.fa
    [ -z "$(ls tmp)" ] || fail "files are left: $(ls tmp)"
    TMPDIR=$PWD/nowhere run -1 --separate-stderr hmmfit --mem 1 short.hmm many.fa
    refused 1 'temporary file' 'nowhere' '--mem' 'No such file'
    TMPDIR=$PWD/nowhere hmmfit --mem 1 -o /dev/null short.hmm small.fa # little needs no file
}

# ---- forms ----

@test "A3M: the same number of columns in each row, and all residues" {
    hmmfit -O a3m m.hmm all.fa >got
    sed '/^>/!s/[a-z*]//g' got | awk '!/^>/ { if (length($0) != 260) { print length($0) ": " $0; bad = 1 } } END { exit bad }'
    respack -O fasta all.fa | awk '/^>/ { if (NR > 1) print ""; print; next } { printf "%s", $0 } END { print "" }' >want
    same <(tr a-z A-Z <want) <(sed '/^>/!s/-//g' got | tr a-z A-Z)
    hmmfit -O a3m --trim m.hmm all.fa >trimmed
    if sed '/^>/d; s/-//g' trimmed | grep '^[a-z]'; then fail "tails are left"; fi
}

@test "names that are not unique get numbers; names and descriptions stay" {
    printf '>x one\nMKLVAT\n>x two\nMKLVAA\n' >twins.fa
    hmmfit m.hmm twins.fa >got
    grep -q '^#=GS 0|x DE one$' got
    grep -q '^1|x  *[-a-zA-Z.]*$' got
    hmmfit -O afa m.hmm twins.fa | grep '^>' | same - <(printf '>x one\n>x two\n')
}

@test "no sequences: no alignment, status 0" {
    run -0 --separate-stderr hmmfit m.hmm /dev/null
    [ -z "$output$stderr" ]
}

@test "rows of A3M leave while the input flows" {
    python3 - <<'EOF2'
import os, select, subprocess, time
p = subprocess.Popen(["hmmfit", "-O", "a3m", "m.hmm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for name in (b"one", b"two"):
    p.stdin.write(b">" + name + b"\nMKVLAT\n>next_" + name + b"\nMK\n")
    p.stdin.flush()
    t, got = time.time(), b""
    while name not in got:
        ready, _, _ = select.select([p.stdout], [], [], 2 - (time.time() - t))
        assert ready, "no answer"
        got += os.read(p.stdout.fileno(), 4096)
p.stdin.close()
assert p.wait(60) == 0
EOF2
}

@test "rows that readers of Stockholm take for other lines are noted: of hmmfit, and of -A" {
    sed '1s/>/>#/; 0,/^>sp|/s/^>sp|/>\/\/z|/' small.fa >odd.fa
    [ "$(grep -c '^>#\|^>//' odd.fa)" -eq 2 ]
    note="names begin with '#' or \"//\".*take for other lines: "
    run -0 --separate-stderr hmmfit -o got m.hmm odd.fa
    told "${note}2\$"
    run -0 --separate-stderr hmmfit -O a2m -o got m.hmm odd.fa
    [ -z "$stderr" ] || fail "$stderr"
    run -0 --separate-stderr hmmfit -q -o got m.hmm odd.fa
    [ -z "$stderr" ] || fail "$stderr"
    sed 's/^>sp|P17157/>#sp|P17157/' demo.fa >odd.fa
    for c in hmmsieve 'hmmsieve --noali'; do
        run -0 --separate-stderr $c -A got -o report m.hmm odd.fa
        told "${note}1\$"
        run -0 --separate-stderr $c -O a2m -o report m.hmm odd.fa
        [ -z "$stderr" ] || fail "$stderr"
    done
}

# ---- refusals ----

misuse() { # misuse PATTERN... -- COMMAND...
    local want=()
    while [ "$1" != -- ]; do want+=("$1"); shift; done
    shift
    run --separate-stderr "$@" <small.fa
    refused 2 "${want[@]}" || fail "command: $*"
    grep -q -- '--help' <<<"$stderr" || fail "no hint at --help: $stderr"
}
@test "misuse" {
    misuse 'no model file' -- hmmfit
    misuse 'out-format' 'stockholm, pfam, a2m, afa, psiblast, a3m, clustal, .*selex' '"msf"' -- hmmfit --outformat msf m.hmm small.fa
    misuse 'in-format' 'tsv, afa, stockholm, pfam' -- hmmfit --informat ncbi m.hmm small.fa
    misuse 'only one of --amino, --dna and --rna' -- hmmfit --amino --dna m.hmm small.fa
    misuse 'both' 'standard input' -- hmmfit --mapali - m.hmm
    misuse 'fields' 'alignments' -- hmmfit -f name m.hmm small.fa
    misuse 'both' 'standard input' -- hmmfit - -
    misuse 'standard input is named 2 times' -- hmmfit m.hmm - -
    misuse 'output: small.fa is also read' -- hmmfit -o small.fa m.hmm small.fa
    misuse 'output: m.hmm is also read' -- hmmfit -o m.hmm m.hmm small.fa
}

@test "what cannot be aligned is refused, and no row is written" {
    run -1 --separate-stderr hmmfit three.hmm small.fa
    refused 1 'three.hmm has 3 models, expected one'
    run -1 --separate-stderr hmmfit --dna m.hmm small.fa
    refused 1 'm.hmm: model Pkinase has the alphabet amino, expected DNA'
    run -1 --separate-stderr hmmfit --rna made.hmm small.fa
    refused 1 'model MADE1 has the alphabet DNA, expected RNA'
    run -1 --separate-stderr hmmfit --mapali "$data/golden/build/globins4.sto" m.hmm small.fa
    refused 1 'globins4.sto is not the alignment that model Pkinase was made from: its checksum is 2027839109, expected 3106786190'
    grep -v ^CKSUM m.hmm >nosum.hmm
    run -1 --separate-stderr hmmfit --mapali "$data/golden/build/globins4.sto" nosum.hmm small.fa
    refused 1 'model Pkinase has no CKSUM'
    sed 's/^MAP .*/MAP   no/' globins4.hmm >nomap.hmm
    run -1 --separate-stderr hmmfit --mapali "$data/golden/build/globins4.sto" nomap.hmm small.fa
    refused 1 'model globins4 has no MAP'
    run -1 --separate-stderr hmmfit --mapali small.fa globins4.hmm small.fa
    refused 1 'small.fa'
    printf '>a\nMKLV\n>b\nMK1V\n' >bad.fa
    run -1 --separate-stderr hmmfit m.hmm bad.fa
    refused 1 'bad.fa' 'line 4' '1'
    run -1 --separate-stderr hmmfit -O a3m m.hmm bad.fa
    told 'bad.fa' 'line 4'
    [ "$(head -1 <<<"$output")" = '>a' ] && [ "$(wc -l <<<"$output")" -eq 2 ] || fail "$output"
    hmmfit --bad-residue skip -q -O a3m m.hmm bad.fa | grep -A1 '^>b' | tail -1 | tr -d -- - | grep -qi '^mkv$'
    msvfilt -a three.hmm small.fa >rows.tsv
    run -1 --separate-stderr hmmfit m.hmm rows.tsv
    refused 1 'rows.tsv: line 3: the query "globins4" is not the model, Pkinase'
    msvfilt -a -O packed three.hmm small.fa >rows.wsp
    run -1 --separate-stderr hmmfit m.hmm rows.wsp
    refused 1 'rows.wsp: the query "globins4" is not the model, Pkinase'
    run -1 --separate-stderr hmmfit m.hmm <rows.tsv
    refused 1 'standard input: line 3: the query "globins4" is not the model, Pkinase'
    gzip -c small.fa | head -c 3000 >cut.gz
    run -1 --separate-stderr hmmfit m.hmm cut.gz
    refused 1 'cut.gz'
    run -1 --separate-stderr hmmfit m.hmm small.fa -o /dev/full
    refused 1 '/dev/full' 'No space left'
    run -1 --separate-stderr hmmfit -O a3m m.hmm small.fa -o /dev/full
    refused 1 '/dev/full' 'No space left'
}

@test "a reader that leaves ends the run without a word; a standard output that is closed is told" {
    local form
    for form in a3m stockholm; do
        run --separate-stderr bash -c "hmmfit -O $form m.hmm demo.fa | head -1 >/dev/null; exit \${PIPESTATUS[0]}"
        [ "$status" -eq 141 ] && [ -z "$stderr" ] || fail "-O $form: status $status: $stderr"
    done
    run --separate-stderr bash -c 'hmmfit m.hmm small.fa >&-'
    refused 1 'standard output'
}

# ---- faults ----

@test "no memory at the n-th allocation; a read or a write that fails" {
    shimmed
    local step=7 rare=41
    ! full || step=1 rare=1
    head -40 small.fa >few.fa
    drive memory 1 5000 $step text stdout -- hmmfit -t 1 -K 500 -O a3m m.hmm few.fa
    drive memory 1 5000 $step text stdout -- hmmfit -t 2 -K 500 -O pfam m.hmm few.fa
    drive memory-on 1 5000 $rare text stdout -- hmmfit -t 1 "$data/golden/models/LuxC.hmm.gz" domains.fa # in all three ways
    export WS_FAULT_PIECE=3000
    drive memory 1 5000 $step text stdout -- hmmfit -t 1 -O a3m --mapali "$data/golden/build/globins4.sto" globins4.hmm few.fa
    drive read 1 2000 5 text stdout -- hmmfit -t 2 -K 5000 -O a3m m.hmm small.fa
    drive write 1 500 1 text pipe -- hmmfit -t 2 -K 1000 -O a3m m.hmm small.fa
    drive write 1 500 1 text pipe -- hmmfit -t 2 -K 1000 m.hmm small.fa
    drive close 1 5 1 text file -- hmmfit -o file m.hmm small.fa
    many_rows
    unset WS_FAULT_PIECE
    drive write 1 20 1 text pipe -- hmmfit -t 2 -O pfam --mem 1 short.hmm many.fa
    drive read 1 40 3 text stdout -- hmmfit -t 2 -O pfam --mem 1 short.hmm many.fa
    drive memory 1 5000 97 text stdout -- hmmfit -t 1 -O pfam --mem 1 short.hmm many.fa
    drive short - 0 0 text stdout -- hmmfit -t 1 -O pfam --mem 1 short.hmm small.fa
}

@test "memory: a long sequence is computed by blocks" {
    ! sanitized || skip "a sanitizer needs more"
    python3 -c 'import random
random.seed(1)
print(">long\n" + "".join(random.choice("ACDEFGHIKLMNPQRSTVWY") for _ in range(60000)))' >long.fa
    [ "$(peak_memory hmmfit -t 1 -o /dev/null m.hmm long.fa)" -lt 120000 ]
}
