#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Sequences in the formats that HMMER reads besides FASTA: by content and by --tformat, from files, pipes and compressed
# files, in every tool that reads sequences; equal to HMMER in every byte of its outputs.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    awk '/^>/ { n++ } n % 8 == 1' demo.fa >some.fa
    awk '/^>/ { n++ } n > 3 { exit } 1' demo.fa >few.fa
    python3 "$top/tests/formats.py" some.fa some
    python3 "$top/tests/formats.py" few.fa few
    zcat "$data/golden/long-targets/models/RF00001.hmm.gz" >5s.hmm
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >dna.fa
    python3 "$top/tests/formats.py" dna.fa dna
}
setup() { in_data; }

formats='genbank=gb embl=embl uniprot=uniprot stockholm=sto pfam=pfam afa=afa'
by_content='gb embl uniprot sto pfam'
plain() { grep -v -e '^# ' -e '^#=GF AU' "$1" || true; }

@test "every format holds the records of the FASTA file, told by its content" {
    respack -O fasta some.fa >want
    for x in $by_content; do
        respack -O fasta some.$x >got
        same want got || fail "$x"
    done
    respack -O fasta --in-format afa some.afa >got
    same want got
    for f in $formats DDBJ=gb; do # names in any case, as with HMMER
        respack -O fasta --in-format "${f%=*}" "some.${f#*=}" >got
        same want got || fail "$f"
    done
    respack -O fasta some.gb some.fa some.sto some.embl >got # mixed
    same <(cat want want want want) got
}

from_everywhere() {
    local m
    m=$(model_of "$1")
    "$1" -a -O tsv --no-provenance $m few.fa >want
    for x in $by_content; do
        "$1" -a -O tsv --no-provenance $m <few.$x >got
        same want got || fail "$x from standard input"
        gzip -c few.$x >few.$x.gz
        "$1" -a -O tsv --no-provenance -t 3 -K 700 $m few.$x.gz >got
        same want got || fail "$x with gzip"
        cat few.$x | dd bs=7 2>/dev/null | "$1" -a -O tsv --no-provenance -K 1 $m - >got
        same want got || fail "$x in drops"
    done
}
@test "from standard input, compressed, in drops, with small batches: the same rows" { each from_everywhere $(sequence_tools); }

@test "BGZF, with its own checks" {
    python3 - some.gb <<'EOF'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
with open("some.gb.bgz", "wb") as out:
    for i in [*range(0, len(data), 5000), len(data)]:
        part = data[i:i + 5000]
        c = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = c.compress(part) + c.flush()
        out.write(b"\x1f\x8b\x08\x04" + bytes(4) + b"\0\xff\6\0BC\2\0" + struct.pack("<H", len(body) + 25) + body +
                  struct.pack("<II", zlib.crc32(part), len(part)))
EOF
    same <(respack -O fasta some.fa) <(respack -O fasta some.gb.bgz)
    head -c 3000 some.gb.bgz >cut.bgz
    run --separate-stderr respack -O fasta cut.bgz
    [ "$status" -eq 1 ]
    told 'cut.bgz' 'cut'
}

against() { # against HMMER-PROGRAM NAME OPTIONS... -- OPERANDS...: tables, report and alignments of the two
    local peer=$1 ours=$2 x
    shift 2
    rm -f want.* got.*
    "$peer" --cpu 0 --tblout want.tbl --domtblout want.dom -o want.out "$@"
    $ours --tblout got.tbl --domtblout got.dom -o got.out "$@"
    for x in tbl dom out; do same <(plain want.$x) <(plain got.$x) || fail "$x of $peer $*"; done
    [ "$(rows got.tbl | wc -l)" -gt 0 ] || fail "no hit: $peer $*"
}

@test "hmmsearch, hmmscan and phmmer on these formats: every byte, with accessions" {
    hmmpress -f three.hmm >/dev/null
    for f in $formats; do
        local x=${f#*=} name=${f%=*}
        against hmmsearch hmmsieve --acc --tformat $name -A both.sto m.hmm some.$x
        mv both.sto ours.sto
        hmmsearch --cpu 0 --tformat $name -A peer.sto -o /dev/null m.hmm some.$x
        same <(plain peer.sto) <(plain ours.sto) || fail "-A, $name"
        against hmmsearch hmmsieve -E 1e-5 --tformat $name m.hmm some.$x
        against hmmscan 'hmmsieve --scan' --qformat $name three.hmm few.$x
        against phmmer seqsieve --acc --qformat $name --tformat $name few.$x some.$x
    done
    against jackhmmer jacksieve -N 2 --qformat genbank --tformat embl few.gb some.embl
    grep -q '^#=GS .* AC ACC0' ours.sto && fail 'aligned FASTA has no accessions'
    hmmsieve -A got.sto -o /dev/null m.hmm some.uniprot
    grep -q '^#=GS .* AC ACC0' got.sto
}

@test "hmmalign and nhmmer on these formats, with accessions" {
    nhmmsieve -O tblout 5s.hmm dna.fa >fasta
    [ "$(rows fasta | wc -l)" -gt 3 ]
    for f in $formats; do
        local x=${f#*=} name=${f%=*}
        hmmalign --informat $name m.hmm few.$x >want
        hmmfit --informat $name m.hmm few.$x >got
        same <(plain want) <(plain got) || fail "hmmalign, $name"
        nhmmsieve --tformat $name -O tblout 5s.hmm dna.$x >got
        same <(rows fasta | tr -s ' ' | cut -d' ' -f1,3-) <(rows got | tr -s ' ' | cut -d' ' -f1,3-) || fail "nhmmsieve, $name"
        if [ $x != afa ]; then ! rows got | awk '$2 !~ /^ACC/' | grep . || fail "no accession, $name"; fi
        if nhmmer -h | grep -q '^# HMMER 3.4 '; then # others have another report
            nhmmer --cpu 0 --acc --tformat $name --tblout want.tbl -A want.sto -o want.out 5s.hmm dna.$x
            nhmmsieve --acc --tformat $name -O text --tblout got.tbl -A got.sto -o got.out 5s.hmm dna.$x
            for k in sto out; do same <(plain want.$k) <(plain got.$k) || fail "nhmmer, $name, $k"; done
            same <(rows want.tbl) <(rows got.tbl) || fail "nhmmer, $name"
        fi
    done
}

@test "recorded outputs of hmmsearch 3.4" {
    zcat "$data/golden/formats/hits.out.gz" >want # of all three
    for x in gb embl sto; do
        hmmsieve --acc -E 1e-3 --tblout tbl -o out m.hmm some.$x
        same want <(plain out; plain tbl) || fail "$x"
    done
}

@test "Stockholm that is cut inside a later line # STOCKHOLM 1.0 is told, a comment at the end is not" {
    printf '# STOCKHOLM 1.0\n#=GF ID x\na MKVLAAGGHWERTYIPASDFGHKLC\nb MKVLAAGGHWERTYIPASDFGHKLW\n//\n' >one.sto
    for n in 1 2 9 13; do
        { cat one.sto && printf '# STOCKHOLM 1.0' | head -c $n; } >cut.sto
        for c in "hmmcast --amino cut.sto" "respack -O fasta cut.sto" "hmmsieve m.hmm cut.sto"; do
            # shellcheck disable=SC2086 # words
            run --separate-stderr $c
            [ "$status" -eq 1 ] && told 'cut.sto: line 6' 'the input ends inside a line "# STOCKHOLM 1.0", so it was cut' ||
                fail "$c, $n bytes: $stderr"
        done
    done
    { cat one.sto && printf '# the end'; } >noted.sto
    run -0 --separate-stderr respack -O fasta noted.sto
    run -0 --separate-stderr hmmcast --amino noted.sto
}

@test "what is cut or no such format: a sentence, and the records before it" {
    for x in gb embl sto; do
        head -c -5 some.$x >cut.$x
        run --separate-stderr msvfilt m.hmm cut.$x
        [ "$status" -eq 1 ]
        told "cut.$x: line [0-9]+" 'ends with //, so it was cut'
    done
    respack -O fasta cut.gb 2>/dev/null >got || true
    same <(awk '/^>/ { n++ } n < 50' some.fa | respack -O fasta) got
    run --separate-stderr hmmsieve --tformat genbank m.hmm some.fa
    refused 1 'some.fa: line' 'no line LOCUS'
    run --separate-stderr hmmsieve --tformat uniprot m.hmm some.fa
    refused 1 'some.fa: line 1' 'expected the line ID'
    run --separate-stderr hmmsieve --tformat stockholm m.hmm some.fa
    refused 1 'some.fa: line 1' 'expected "# STOCKHOLM 1.0"'
    run --separate-stderr hmmsieve m.hmm some.afa
    refused 1 'some.afa: line 2' 'has the format afa'
    run --separate-stderr hmmsieve --tformat selex m.hmm some.afa
    refused 2 'selex' 'stockholm'
    run --separate-stderr nhmmsieve --tformat tsv 5s.hmm dna.fa
    refused 2 'tsv' 'genbank'
}

@test "BLAST databases are no input: as a format and as a file the sentence says how to make FASTA" {
    local option
    for option in 'hmmsieve --tformat ncbi' 'hmmsieve --scan --qformat NCBI' 'seqsieve --qformat ncbi' 'nhmmsieve --tformat ncbi'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr $option m.hmm some.fa
        refused 2 "${option##* --}: ${option%% *} reads no BLAST" "blastdbcmd -db" || fail "$option"
    done
    touch blast.pin
    run --separate-stderr hmmsieve m.hmm blast
    refused 1 'cannot open blast' 'BLAST' 'blastdbcmd -db blast -entry all'
    run --separate-stderr hmmsieve m.hmm blast2
    refused 1 'cannot open blast2: No such file'
}
