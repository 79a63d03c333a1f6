#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The exact commands of pipelines that call HMMER, over the folder of its names: what they leave equals what HMMER 3.4 left,
# byte for byte apart from name, version, folder, date and times. tests/data/pipelines/commands.tsv says where each is from.

bats_require_minimum_version 1.5.0
load helper

setup() { in_data; }
over_the_names() { PATH=$(hmmsieve --hmmer-path):$PATH "$@"; }
full() { [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"; }

@test "every command of the table leaves what HMMER 3.4 left" {
    local n=0
    over_the_names sh "$top/tests/pipelines.sh" got
    for f in "$data"/pipelines/*.gz; do
        n=$((n + 1))
        f=$(basename "$f" .gz)
        zcat "$data/pipelines/$f.gz" >want
        same want "got/$f" || fail "$f: $(grep "^$f" "$data/pipelines/commands.tsv")"
    done
    same <(grep -v '^#' "$data/pipelines/commands.tsv" | cut -f1 | sort) <(ls got)
    [ "$n" -eq "$(ls got | wc -l)" ] || fail "a command has no recorded output"
    [ "$n" -ge 20 ]
    echo "# ran $n commands" >&3
}

@test "the table has three columns, and all commands begin with a name that the folder has" {
    grep -v '^#' "$data/pipelines/commands.tsv" >rows
    same /dev/null <(awk -F '\t' 'NF != 3' rows)
    for p in $(cut -f3 rows | sed 's/.*| //' | cut -d' ' -f1 | sort -u); do [ -x "$(hmmsieve --hmmer-path)/$p" ] || fail "$p"; done
}

@test "where HMMER 3.4 is installed: the recorded outputs are its own" {
    full
    hmmsearch -h | grep -q '^# HMMER 3.4 ' || skip "another version is installed"
    sh "$top/tests/pipelines.sh" peer
    for f in peer/*; do same <(zcat "$data/pipelines/${f#peer/}.gz") "$f" || fail "$f"; done
}

# Compares what the calls of AlphaFold 3's wrappers leave with what HMMER 3.4 left.
as_alphafold() { # as_alphafold proteins|rna DATABASE
    local f n=0
    rm -rf got
    python3 "$top/tests/alphafold3.py" "$(hmmsieve --hmmer-path)" "$1" "$2" got
    for f in got/*; do
        zcat "$data/pipelines/alphafold3/${f#got/}.gz" >want
        same want "$f" || fail "$f"
        n=$((n + 1))
    done
    echo "# compared $n files" >&3
}
@test "the calls of AlphaFold 3's wrappers for proteins: jackhmmer, hmmbuild, hmmsearch, hmmalign" {
    make_data
    as_alphafold proteins demo.fa
    [ "$(grep -vc '^#' got/jackhmmer.tbl)" -ge 10 ] || fail "too few hits"
}
@test "the calls of AlphaFold 3's wrappers for RNA: nhmmer, hmmbuild, hmmalign" {
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >dna.fa
    printf '>query\nACGUACGUACGAUCGAUCGAUCG\n' >query.fa
    if over_the_names nhmmer -o /dev/null --rna query.fa dna.fa 2>&1 | grep -q "a model's first line"; then
        skip "nhmmer has no queries that are sequences yet"
    fi
    as_alphafold rna dna.fa
    [ "$(grep -vc '^#' got/nhmmer.tbl)" -gt 10 ] || fail "too few hits"
}

@test "Biopython reads the same objects from our report and tables as from hmmsearch's" {
    full
    python3 -c 'import Bio' 2>/dev/null || skip "Biopython is not installed"
    make_data
    for who in peer ours; do
        mkdir -p $who
        [ $who = peer ] || PATH=$(hmmsieve --hmmer-path):$PATH
        hmmsearch --cpu 0 -o $who/text --tblout $who/tab --domtblout $who/dom -A $who/sto m.hmm demo.fa
        hmmscan -h >/dev/null
    done
    python3 - <<'READ'
from Bio import AlignIO, SearchIO
def hits(folder, name, form):
    return [(h.id, h.evalue, h.bitscore, h.bias, [(d.evalue, d.bitscore, d.env_start, d.env_end, str(getattr(d, "hit", ""))) for d in h])
            for q in SearchIO.parse(f"{folder}/{name}", form) for h in q] if form != "hmmer3-tab" else \
           [(h.id, h.evalue, h.bitscore, h.bias) for q in SearchIO.parse(f"{folder}/{name}", form) for h in q]
for name, form in (("text", "hmmer3-text"), ("tab", "hmmer3-tab"), ("dom", "hmmsearch3-domtab")):
    assert hits("peer", name, form) == hits("ours", name, form) and len(hits("ours", name, form)) > 20, form
rows = [[str(r.seq) for r in AlignIO.read(f"{w}/sto", "stockholm")] for w in ("peer", "ours")]
assert rows[0] == rows[1] and len(rows[0]) > 20
READ
}

@test "barrnap over the names writes the same features" {
    full
    command -v barrnap >/dev/null || skip "barrnap is not installed"
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >genome.fa
    for kingdom in bac euk; do
        barrnap --quiet --kingdom $kingdom genome.fa >want.gff
        over_the_names barrnap --quiet --kingdom $kingdom genome.fa >got.gff
        same want.gff got.gff || fail "$kingdom"
        cat got.gff >>all.gff
    done
    grep -q rRNA all.gff || fail "no feature"
}
