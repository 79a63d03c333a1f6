#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Runs every example of the manual pages, of --help and of README.md as it stands there.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    cp three.hmm models.hmm
    cp three.hmm profiles.hmm
    printf '%s\t%s\t%s\n' knum threshold score_type globins4 - - Pkinase 125.4 domain fn3 17 full >ko_list
    cp m.hmm demo.hmm
    cp demo.fa.gz db.fa.gz
    cp demo.fa proteins.fa
    cp demo.fa db.fa
    cp "$data/golden/sequences/queries.fa" .
    head -3 queries.fa >query.fa
    zcat "$data/golden/nhmmer/5s.fa.gz" >chain.fa
    cp "$data/golden/nhmmer/tgt.fa.gz" rna.fa.gz
    mkdir msa
    cp demo.wsp db.wsp
    cp demo.fa.gz proteins.fa.gz
    mkdir -p golden && cp -r "$data/golden/build" golden/
    cp "$data/golden/build/globins4.sto" families.sto
    hmmcast --amino -O family.sto -o /dev/null families.sto
    awk '!/^#|^\/\// && NF { gsub(/\./, "-", $2); s[$1] = s[$1] $2; if (!($1 in at)) { at[$1] = ++n; name[n] = $1 } }
        END { for (i = 1; i <= n; i++) print ">" name[i] "\n" s[name[i]] }' family.sto >family.afa
    zcat "$data/pairhmm/gatk-hc-na12878.Java.hmmresults.txt.gz" >pairs.txt
    cp "$data/pairhmm/edge.in.gz" regions.in.gz
    cp "$data"/papara/tiny5/{ref.phy,ref.nwk,reads.fasta} .
    cp -r "$data/pairhmm" "$data/papara" .
    cp "$data/golden/mrf/phantom-small.nii.gz" ct.nii.gz
    python3 "$top/tests/mrf.py" make t1.nii.gz dims=12,10,8 values=100,160,210 noise=40
    python3 "$top/tests/mrf.py" make brain.nii.gz dims=12,10,8 type=uint8 values=0,1,1
    printf 'ACGTACGTAC\tIIIIIIIIII\nCGTAC\t5555\047\n' >reads.tsv
    printf 'ACGTACGTAC\nACGTTCGTAC\n' >haplotypes.txt
    cp "$data/golden/long-targets/inputs/dna_target.fa.gz" genome.fa.gz
    zcat genome.fa.gz >genome.fa
    zcat "$data/golden/long-targets/inputs/short.fa.gz" | awk '/^>/ { if (h) put(); h = substr($0, 2); s = ""; next } { s = s $0 }
        function put() { q = s; gsub(/./, "I", q); print "@" h "\n" s "\n+\n" q } END { put() }' | gzip >reads.fq.gz
    zcat "$data/golden/dna-models/MADE1.hmm.gz" | tee rrna.hmm r.hmm >repeats.hmm
    awk '/^>/ { n++ } { print > "shard" 1 + (n > 150) ".fa" }' demo.fa
    msvfilt m.hmm demo.fa | vitfilt m.hmm >maybe.tsv
    fwdscore m.hmm maybe.tsv >hits.tsv
    seqkit tab2fx -w 60 maybe.tsv >maybe.fa
    fwdscore --header plain --no-provenance m.hmm maybe.fa >plain.tsv
}
setup() { in_data; }

# The blocks of a page's EXAMPLES, one to a file block.N
blocks() {
    rm -f block.*
    awk '/^\.Sh / { in_examples = $2 == "EXAMPLES" } !in_examples { next }
        /^\.Bd -literal/ { n++; in_block = 1; next } /^\.Ed/ { in_block = 0 } in_block { gsub(/\\e/, "\\"); print > ("block." n) }' "$1"
}

# A block runs as a script that fails with its first failing part; where a program is not installed its syntax is
# checked.
run_block() { # run_block FILE
    bash -n "$1"
    if [ -n "$(not_installed "$1")" ]; then not_installed "$1" >>left.out; return 0; fi
    if grep -qE '[;&]' "$1"; then grep -qE "awk -F|python3" "$1" ||
        fail "an example of more than a pipe: $(cat "$1")"; fi
    export PYTHONPATH=$top/packaging/python
    sed -n 's/.*> \([a-z0-9.]*\)$/\1/p' "$1" | while read -r f; do rm -f "new.$f"; done
    bash -e -o pipefail "$1" >stdout 2>stderr || fail "failed: $(cat "$1")" "$(head -5 stderr)"
    [ ! -s stderr ] || fail "stderr of $(cat "$1")" "$(head -5 stderr)"
    sed -n 's/.*> \([a-z0-9.]*\)$/\1/p' "$1" | while read -r f; do [ -s "$f" ] ||
        fail "$f is empty after: $(cat "$1")"; done
}

@test "every example of every manual page runs" {
    : >left.out
    for page in "$pages"/*.[157]; do
        echo "page: $page"
        blocks "$page"
        case $page in *-packed.5) ;; *) [ -e block.1 ] || fail "no example" ;; esac
        for b in block.*; do
            [ ! -e "$b" ] || run_block "$b"
        done
    done
    # shellcheck disable=SC2046 # words
    left_out $(sort -u left.out)
}

@test "every example of every --help runs" {
    for t in $(all_tools); do
        echo "tool: $t"
        "$t" --help | sed -n '/^Examples:/,/^$/{/^  [^#]/p}' |
            sed 's/^  *//; s/^\.\.\. /msvfilt m.hmm db.fa.gz | vitfilt m.hmm /' >lines
        [ -s lines ]
        while read -r line; do
            echo "$line" >block.help
            run_block block.help
        done <lines
    done
}

@test "README.md: the commands give the output that it shows" {
    rm -f want got script
    awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on' "$top/README.md" >console
    grep -c '^\$ ' console
    sed -n 's/^\$ //p' console | while read -r line; do bash -c "$line"; done >got
    grep -v '^\$ ' console >want
    same want got
}

@test "README.md: its commands write nothing where the sources are" {
    awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' "$top/README.md" >first
    awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on' "$top/README.md" >console
    [ "$(wc -l <first)" -eq 2 ]
    mkdir -p "$PWD/there" && touch before
    { echo "cd '$top'"; cat first; echo 'pwd'; sed -n 's/^\$ //p' console; } >script
    TMPDIR=$PWD/there bash script >got || fail "$(tail -3 got)"
    same <(grep -v '^\$ ' console) <(sed 1d got)
    case $(head -1 got) in "$PWD/there/"*) ;; *) fail "the commands ran in $(head -1 got)" ;; esac
    [ -z "$(find "$top/tests" -newer before -type f)" ] || fail "$(find "$top/tests" -newer before -type f)"
}

@test "README.md: files it names are there" {
    grep -oE '\]\([A-Za-z][^)]*\)' "$top/README.md" | tr -d '])(' | while read -r f; do [ -e "$top/$f" ] ||
        fail "$f is not there"; done
}

@test "make demo ends in a table" {
    run -0 --separate-stderr sh "$top/tests/demo.sh"
    grep -q 'RAD53' <<<"$output"
    grep -qi 'what to look at' <<<"$output"
    [ -z "$stderr" ]
}
