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

# ---- callers ----

# A folder of HMMER's names that can be moved: the program's own where it writes one, else copies of what the links lead to.
movable_names() { # movable_names FOLDER
    if hmmsieve --help | grep -q -- '--hmmer-path\[\?=DIR'; then
        hmmsieve --hmmer-path="$1"
    else
        mkdir "$1" && cp -L "$(hmmsieve --hmmer-path)"/* "$1"
    fi
}

# Runs a command of sh in a root of its own, where the folder names is /opt/hmmer3/bin (InterProScan 6) and /hmmer/bin (AlphaFold 3), and
# no PATH has a program of ours or of HMMER: in_an_image COMMAND
in_an_image() {
    local d mounts="set -e; mount -t tmpfs none root"
    mkdir -p root
    for d in bin sbin lib lib32 lib64 libx32 usr etc dev proc "${top#/}" "${BATS_FILE_TMPDIR#/}"; do
        if [ -L "/$d" ]; then mounts+="; ln -s '$(readlink "/$d")' 'root/$d'"
        elif [ -d "/$d" ]; then mounts+="; mkdir -p 'root/$d'; mount --rbind '/$d' 'root/$d'"; fi
    done
    for d in opt/hmmer3/bin hmmer/bin; do mounts+="; mkdir -p root/$d; mount --bind names root/$d"; done
    mounts+='; mkdir -p root/tmp'
    unshare -rm sh -c "$mounts; exec chroot root /usr/bin/env -i PATH=/usr/bin:/bin /bin/sh -c 'cd \"$PWD\"; $1'"
}
image() { # skips where no root can be made
    unshare -rm true 2>/dev/null || skip "unshare -rm is refused here, so no root of its own can be made"
    [ -x names/hmmsearch ] || movable_names "$PWD/names"
}

@test "InterProScan 6: its calls of /opt/hmmer3/bin in an image whose folder is ours" {
    image
    local f n=0 names
    names=$(cut -f1 "$data/pipelines/commands.tsv" | grep '^ips-' | tr '\n' ' ')
    in_an_image "PROGRAMS=/opt/hmmer3/bin sh $top/tests/pipelines.sh image $names"
    for f in $names; do
        same <(zcat "$data/pipelines/$f.gz") "image/$f" || fail "$f"
        n=$((n + 1))
    done
    [ "$n" -ge 11 ]
}

@test "AlphaFold 3: its calls of /hmmer/bin in an image whose folder is ours" {
    image
    make_data
    rm -rf got
    in_an_image "python3 $top/tests/alphafold3.py /hmmer/bin proteins demo.fa got"
    for f in got/*; do same <(zcat "$data/pipelines/alphafold3/${f#got/}.gz") "$f" || fail "$f"; done
    [ "$(ls got | wc -l)" -ge 5 ]
}

# ANARCI takes a word on standard error for a failure.
@test "ANARCI: one record a call, and not a word on standard error" {
    local n=0
    cat "$data/demo.hmm" "$data/fn3.hmm" >ALL.hmm
    over_the_names hmmpress -f ALL.hmm >/dev/null
    zcat "$data/demo.fa.gz" | awk '/^>/ { n++ } n % 10 == 5 { print > ("record." n ".fa") }'
    for f in record.*.fa; do
        over_the_names hmmscan -o "$f.out" ALL.hmm "$f" >said 2>&1
        [ ! -s said ] || fail "$f: $(cat said)"
        grep -qx '\[ok\]' "$f.out" || fail "$f"
        n=$((n + 1))
    done
    [ "$n" -eq 40 ]
    cat record.*.fa >all.fa # the hits are those of all records in one call
    over_the_names hmmscan -o /dev/null --tblout all.tbl ALL.hmm all.fa
    for f in record.*.fa; do over_the_names hmmscan -o /dev/null --tblout "$f.tbl" ALL.hmm "$f"; done
    same <(rows all.tbl) <(cat record.*.fa.tbl | grep -v '^#')
    [ "$(nrows all.tbl)" -ge 3 ]
}

@test "KofamScan: a folder of profiles, a process for each, two at a time, tables by the name of the profile" {
    mkdir -p profiles tabular
    cp "$data/demo.hmm" profiles/K00001.hmm
    cp "$data/fn3.hmm" profiles/K00002.hmm
    cp "$data/globins4.hmm" profiles/K00003.hmm
    zcat "$data/demo.fa.gz" >query.fa
    ls profiles/*.hmm | sed 's|.*/\(.*\)\.hmm|\1|' |
        over_the_names xargs -P 2 -I{} hmmsearch --cpu=1 -o/dev/null -T0 --tblout=tabular/{} profiles/{}.hmm query.fa
    for f in profiles/*.hmm; do cat "$f"; done >all.hmm
    over_the_names hmmsearch -o /dev/null -T 0 --tblout all.tbl all.hmm query.fa
    same <(rows all.tbl) <(cat tabular/K* | grep -v '^#')
    [ "$(ls tabular | wc -l)" -eq 3 ] && [ "$(nrows all.tbl)" -ge 50 ]
    # KofamScan's columns: the full score against a threshold of its list
    [ "$(awk '!/^#/ && $6 >= 100' tabular/K00001 | wc -l)" -eq "$(awk '!/^#/ && $3 == "Pkinase" && $6 >= 100' all.tbl | wc -l)" ]
}

# Tools that PyPI has, in an environment of their own, beside the HMMER of the PATH: in make check-full with WARPSIEVE_NET=1.
from_pypi() { # from_pypi PACKAGE...
    full
    [ -n "${WARPSIEVE_NET:-}" ] || skip "WARPSIEVE_NET=1 lets this test install $* from PyPI"
    command -v hmmsearch >/dev/null || skip "HMMER is not installed"
    [ -d venv ] || python3 -m venv venv
    venv/bin/pip -q install "$@" >pip.log 2>&1 || skip "PyPI does not bring $*: $(tail -1 pip.log)"
}

@test "ANARCI itself numbers the consensus of its 29 models as with HMMER" {
    from_pypi visanarci
    hmmemit -h >/dev/null || skip "hmmemit is not installed"
    local models
    models=$(venv/bin/python -c 'import anarci, os; print(os.path.join(os.path.dirname(anarci.__file__), "dat", "HMMs", "ALL.hmm"))')
    hmmemit -c "$models" | awk '/^>/ { print ">r" ++n; next } { print toupper($0) }' >antibodies.fa
    cat >number.py <<'READ'
import sys
from anarci import run_anarci
records = [(r.split("\n")[0], "".join(r.split("\n")[1:])) for r in open("antibodies.fa").read().split(">")[1:]]
for one in records:
    print(run_anarci([one], scheme="imgt", allowed_species=None, hmmerpath=sys.argv[1])[1:])
READ
    venv/bin/python number.py "$(dirname "$(command -v hmmscan)")" >want
    venv/bin/python number.py "$(hmmsieve --hmmer-path)" >got
    same want got
    [ "$(grep -c "'chain_type'" got)" -eq 29 ] || fail "$(cut -c1-80 got)"
    echo "# ran: ANARCI, $(wc -l <got) antibodies" >&3
}

# A family of models for MacSyFinder over our demo: a system of a kinase and a domain of fibronectin.
family() {
    mkdir -p models/Demo/definitions models/Demo/profiles
    cp "$data/demo.hmm" models/Demo/profiles/kinase.hmm
    cp "$data/fn3.hmm" models/Demo/profiles/fibro.hmm
    printf '%s\n' '---' 'maintainer:' '  name: demo' '  email: demo@example.org' 'short_desc: demo' 'vers: 1.0' >models/Demo/metadata.yml
    cat >models/Demo/definitions/both.xml <<'XML'
<model vers="2.0" inter_gene_max_space="400" min_mandatory_genes_required="1" min_genes_required="1" multi_loci="true">
    <gene name="kinase" presence="mandatory" loner="true" multi_system="true"/>
    <gene name="fibro" presence="accessory" loner="true"/>
</model>
XML
}
@test "MacSyFinder finds the same systems over the names" {
    from_pypi macsyfinder
    make_data
    family
    for who in peer ours; do
        [ $who = peer ] || PATH=$(hmmsieve --hmmer-path):$PATH
        venv/bin/macsyfinder --db-type unordered --sequence-db demo.fa --models-dir models --models Demo both -o $who --mute -w 2
        grep -v '^#' $who/all_systems.tsv >$who.tsv
        cat $who/hmmer_results/*.res_hmm_extract | grep -v '^#' >$who.hits
    done
    same peer.tsv ours.tsv
    same peer.hits ours.hits
    [ "$(wc -l <ours.hits)" -ge 30 ] || fail "$(cat ours.hits)"
    echo "# ran: macsyfinder, $(wc -l <ours.hits) hits" >&3
}

@test "DefenseFinder finds the same systems over the names, where its models are" {
    from_pypi mdmparis-defense-finder
    [ -d "${WARPSIEVE_DEFENSE_MODELS:-}/defense-finder-models" ] ||
        skip "WARPSIEVE_DEFENSE_MODELS names no folder with defense-finder-models and CasFinder (defense-finder update)"
    local proteins=$top/../shared/data/UP000000625-E.coli.fasta.gz
    [ -s "$proteins" ] || skip "its data are not there"
    zcat "$proteins" | awk '/^>/ { n++ } n <= 400' >ecoli.faa
    for who in peer ours; do
        [ $who = peer ] || PATH=$(hmmsieve --hmmer-path):$PATH
        PATH=$PWD/venv/bin:$PATH defense-finder run --skip-model-version-check --models-dir "$WARPSIEVE_DEFENSE_MODELS" \
            -o $who -w 2 ecoli.faa
    done
    for f in peer/*.tsv; do same "$f" "ours/${f#peer/}" || fail "$f"; done
    [ "$(cat ours/*hmmer.tsv | wc -l)" -gt 1 ] || fail "no hit"
    echo "# ran: defense-finder, $(cat ours/*hmmer.tsv | wc -l) rows of hits" >&3
}
