#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hmmcast: models equal to hmmbuild's, byte for byte but for the first line and DATE; options, names, damage, order.

bats_require_minimum_version 1.5.0
load helper
load fault/common

setup_file() {
    make_data
    make_shim
    gzip -kf "$data/golden/build/opt_odd.sto" -c >odd.sto.gz
    cp "$data"/golden/build/*.{fa,sto} .
}
setup() { in_data; }

full() { [ "${WARPSIEVE_TESTS:-}" = full ] || skip "a part of make check-full"; }
shared=$top/../shared/golden/build

# Models without what may differ.
plain() { sed -e 's/^HMMER3\/f \[.*\]$/HMMER3\/f/' -e '/^DATE /d' "$@"; }
cast() { hmmcast --no-provenance "$@" | plain; }

# ---- golden models ----

golden() { # golden OPTION...: all cases of the repository
    while IFS='|' read -r input options models; do
        # shellcheck disable=SC2086 # words
        hmmcast --no-provenance "$@" $options "$input" >one || fail "$input $options"
        [ "$(grep -c '^NAME' one)" -eq "$models" ] || fail "$input $options: models"
        plain one
    done < <(tr '\t' '|' <"$data/golden/build/cases.tsv") >got
    zcat "$data/golden/build/models.hmm.gz" >want
    same want got
}
@test "models of single sequences and of alignments are hmmbuild's: one thread and four" {
    golden -t 1
    golden -t 4
}
@test "the same from every vector width" {
    for b in $(hmmcast --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do golden --backend "$b"; done
}
@test "-O: the alignment as the model sees it is hmmbuild's" {
    local n=0
    for want in "$data"/golden/build/*.resaved; do
        input=$(basename "$want" .resaved)
        options=
        [ "$input" != tinyali_e10 ] || options='--amino --esigma 10 --ere 0.8'
        # shellcheck disable=SC2086 # words
        hmmcast $options -O again "${input%_e10}.sto" >/dev/null
        same "$want" again
        n=$((n + 1))
    done
    [ $n -eq 4 ]
}
@test "-n: the alignment that -O writes has the new name" {
    hmmcast --amino --esigma 10 --ere 0.8 -n other -O again tinyali.sto >got
    grep -qx 'NAME  other' got
    grep -qx '#=GF ID tiny' tinyali.sto
    same <(sed 's/^#=GF ID tiny/#=GF ID other/' "$data/golden/build/tinyali_e10.resaved") again
}
@test "--eset 0: a line EFFN of 0, as hmmbuild writes it; models of single sequences in searches have none" {
    hmmcast --eset 0 globins4.sto >got
    grep -qx 'EFFN  0.000000' got || fail "$(head -20 got)"
    hmmsieve -o /dev/null got small.fa # it can be read
    jacksieve -N 1 --chkhmm ck -o /dev/null <(sed '3,$d' w1.fa) small.fa
    [ "$(grep -c '^EFFN' ck-1.hmm)" -eq 0 ] || fail "$(head -20 ck-1.hmm)"
}
@test "all golden data of ../shared, every width" {
    [ -d "$shared" ] || skip "its data are not there"
    echo "# ../shared/golden/build: all files" >&3
    xz -dc "$shared/build/deep.sto.xz" >deep.sto
    for b in $(hmmcast --list-backends | awk -F '\t' 'NR > 1 && $2 == "yes" { print $1 }'); do
        while IFS='|' read -r input options number lines; do
            local file=$shared/build/$input
            [ "$input" != deep.sto.xz ] || file=deep.sto
            # shellcheck disable=SC2086 # words
            hmmcast --no-provenance --backend "$b" $options -O again --summary summary "$file" >one || fail "$input $options"
            plain one >got
            zcat -f "$shared/build/$number.hmm"* | plain >want
            same want got
            for want in "$shared/build/$number".resaved*; do
                [ -f "$want" ] || continue
                zcat -f "$want" >want
                same want again
            done
            if [ -n "$lines" ]; then
                awk -F ' / ' '{ for (i = 1; i <= NF; i++) print $i }' <<<"$lines" | sed 's/ *$//' >want
                grep -v '^#' summary | sed 's/ *$//' | head -"$(wc -l <want)" >got
                same want got
            fi
            [ "${WARPSIEVE_TESTS:-}" = full ] || [ "$b" = "$(hmmcast --list-backends | sed -n '2s/\t.*//p')" ] || break
        done < <(sed 1d "$shared/build/expected.tsv" | tr '\t' '|')
    done
}

# ---- beside hmmbuild itself ----

beside_hmmbuild() {
    full
    wants hmmbuild
    hmmbuild -h | grep -q 'HMMER 3\.4 ' || skip "hmmbuild is another version than 3.4"
}
@test "beside hmmbuild: each protein of yeast as a single sequence" {
    beside_hmmbuild
    local f=$top/../shared/data/UP000002311-S.cerevisiae.fasta.gz
    [ -f "$f" ] || f=demo.fa.gz
    zcat "$f" | awk '/^>/ { if (n) print s "\n//"; n = substr($1, 2); printf "# STOCKHOLM 1.0\n#=GF ID %s\n%s ", n, n; s = ""; next }
        { s = s $0 } END { print s "\n//" }' >proteins.sto
    hmmbuild --cpu 0 --amino --singlemx -o /dev/null their.hmm proteins.sto
    plain their.hmm >want
    cast --amino --informat fasta "$f" >got
    same want got
    cast --amino --singlemx proteins.sto >got
    same want got
}
# Alignments of so many rows, one of each model, with names.
emit() { # emit MODELS ROWS SEED
    hmmemit -a -N "$2" --seed "$3" "$1" | awk -v end="-$2-$3" '{ print } /^# STOCKHOLM/ { print "#=GF ID a" ++n end }'
}
# Compares the models of a file, which are at least so many, and adds them to `models`.
as_theirs() { # as_theirs FILE LEAST OPTION...
    local file=$1 least=$2 n
    shift 2
    hmmbuild --cpu 0 "$@" -o /dev/null their.hmm "$file" || fail "hmmbuild $* $file"
    plain their.hmm >want
    cast "$@" "$file" >got
    same want got || fail "$* $file"
    n=$(grep -c ^NAME got)
    [ "$n" -ge "$least" ] || fail "$file: $n models"
    models=$((models + n))
}
@test "beside hmmbuild: alignments of hmmsearch -A and hmmemit -a" {
    beside_hmmbuild
    local models=0 rows seed m options shared_data=$top/../shared/data
    hmmsearch --cpu 0 -A found.sto -o /dev/null three.hmm demo.fa
    for rows in 1 2 3 10 100; do
        for seed in 1 2 3 4 5 6; do emit three.hmm $rows $seed; done
    done >emitted.sto
    for seed in 1 2 3; do emit three.hmm 2000 $seed; done >deep2.sto
    for options in '' --wgsc --wblosum --eclust --pnone --enone '--symfrac 0.8'; do
        # shellcheck disable=SC2086 # words
        as_theirs found.sto 2 --amino $options
        # shellcheck disable=SC2086 # words
        as_theirs emitted.sto 90 --amino $options
    done
    emit m.hmm 20000 9 >deep20.sto
    as_theirs deep20.sto 1 --amino
    as_theirs deep2.sto 9 --amino
    as_theirs deep2.sto 9 --amino --wblosum # a tree of so many rows takes hmmbuild an hour
    for m in 3box MADE1 PSE ecori; do
        zcat "$data/golden/dna-models/$m.hmm.gz" >nt.hmm
        for rows in 1 5 50 500; do
            for seed in 1 2 3 4 5 6 7 8 9 10; do emit nt.hmm $rows $seed; done
        done >nt.sto
        as_theirs nt.sto 40 --dna
        as_theirs nt.sto 40 --dna --wgsc
    done
    if [ -d "$shared_data" ]; then
        zcat "$shared_data/padloc-250.hmm.gz" >many.hmm
        zcat "$shared_data/UP000000625-E.coli.fasta.gz" >coli.fa
        hmmsearch --cpu 0 -A found.sto -o /dev/null many.hmm coli.fa
        as_theirs found.sto 50 --amino
        for rows in 1 4 30 150; do
            emit many.hmm $rows 7 >emitted.sto
            as_theirs emitted.sto 250 --amino
        done
        [ $models -ge 2000 ] || fail "$models models"
    fi
    echo "# $models models of alignments" >&3
}

@test "MAXL of nucleotides: by the length distribution, four times the nodes, given; proteins have none" {
    local n
    n=$(sed 1d dna.fa | tr -d '\n' | wc -c)
    maxl() { hmmcast --informat fasta "$@" | sed -n 's/^MAXL  //p'; }
    [ "$(maxl --w_beta 0 dna.fa)" -eq $((4 * n)) ]
    [ "$(maxl --w_length 77 dna.fa)" -eq 77 ]
    [ "$(maxl --w_length 3 dna.fa)" -eq 3 ]
    [ "$(maxl --w_length 0 dna.fa)" -eq "$(maxl dna.fa)" ]
    [ "$(maxl --w_beta 0.5 dna.fa)" -lt "$(maxl dna.fa)" ]
    [ -z "$(maxl --amino --w_length 77 w1.fa)" ]
}
@test "masked columns: emissions of the background but in the last node, any residue as the consensus" {
    sed 's/^#=GC SS_cons.*/&\n#=GC MM       .m.......m/' tinyali.sto >masked.sto
    cast --amino masked.sto >got
    grep -q '^MM    yes' got
    # node 2: the background; node 10, the last: its own, with the letter of any residue all the same
    awk '$1 == "2" && NF > 20 { print $2, $22, $23, $25 }' got >two
    [ "$(cat two)" = '2.54091 2 x m' ] || fail "$(cat two)"
    awk '$1 == "10" && NF > 20 { print $23, $25 }' got >ten
    [ "$(cat ten)" = 'x m' ] || fail "$(cat ten)"
    [ "$(awk '$1 == "10" && NF > 20 { print $10 }' got)" != 2.82275 ] || fail "the last node is the background"
}

# ---- forms of the input ----

@test "stdin, gzip, several files: the same models in the same order" {
    cat opt_odd.sto tinyali.sto >two.sto
    cast --amino opt_odd.sto tinyali.sto >want
    [ "$(grep -c ^NAME want)" -eq 2 ]
    cast --amino two.sto >got
    same want got
    gzip -kf two.sto
    cast --amino two.sto.gz >got
    same want got
    cast --amino - <two.sto >got
    same want got
    cast --amino <two.sto.gz >got
    same want got
}
@test "any number of threads and batch size: the same bytes, in the order of the sequences" {
    cast -t 1 --informat fasta demo.fa >want
    [ "$(grep -c ^NAME want)" -eq 400 ]
    grep '^>' demo.fa | sed 's/^>//; s/ .*//' >names
    same names <(sed -n 's/^NAME  //p' want)
    for t in 2 3 7; do
        cast -t $t --batch $((t * 700)) --informat fasta demo.fa.gz >got
        same want got
    done
}
@test "--singlemx: an alignment of one row is a sequence, its gaps are dropped" {
    awk '/^>/ { n++ } n == 1' demo.fa >one.fa
    cast --informat fasta one.fa >want
    cast --singlemx one.fa >got
    same want got
    local name text
    name=$(sed -n '1s/^>\([^ ]*\).*/\1/p' one.fa)
    text=$(sed 1d one.fa | tr -d '\n' | sed 's/./&-/g')
    printf '# STOCKHOLM 1.0\n%s %s\n//\n' "$name" "$text" >gaps.sto
    cast --singlemx gaps.sto >got
    same want got
    cast one.fa >got
    ! diff -q want got >/dev/null
}
@test "a location of minus infinity, of a model like the background: written and read; every target passes" {
    printf '>x\nXXX\n' >x.fa
    hmmcast --amino --informat fasta x.fa >x.hmm
    grep -q '^STATS LOCAL MSV          -inf ' x.hmm
    local n
    n=$(grep -c '^>' small.fa)
    for backend in auto scalar; do # HMMER 3.4 has these lines
        hmmsieve --backend $backend -E 1e9 x.hmm small.fa >got
        grep -qE "^Passed MSV filter: +$n +\(1\); expected .* \(0\.02\)" got
        grep -qE "^Passed Vit filter: +$n +\(1\); expected .* \(0\.001\)" got
        grep -qE "^Passed Fwd filter: +0 +\(0\); expected .* \(1e-05\)" got
    done
    # the same model in a binary file of HMMER's
    msvfilt x.hmm small.fa | grep -v '^##' >want
    [ "$(grep -vc '^#' want)" -eq "$n" ]
    msvfilt "$data/golden/formats/endless.h3m" small.fa | grep -v '^##' | same want -
}
@test "a model goes into a search without a file in between" {
    hmmcast --amino globins4.sto >g.hmm
    hmmsieve --tblout a.tbl -o /dev/null g.hmm demo.fa
    hmmcast --amino globins4.sto | hmmsieve --tblout b.tbl -o /dev/null - demo.fa
    same <(grep -v '^#' a.tbl) <(grep -v '^#' b.tbl)
}

# ---- names, dates, summary ----

@test "names: ID, file, -n" {
    sed '/#=GF ID/d' tinyali.sto >no.id.sto
    [ "$(hmmcast --amino no.id.sto | sed -n 's/^NAME  //p')" = no.id ]
    [ "$(hmmcast --amino -n given tinyali.sto | sed -n 's/^NAME  //p')" = given ]
    run --separate-stderr hmmcast --amino - <no.id.sto
    refused 1 'standard input' '-n'
    cat no.id.sto no.id.sto >twice.sto
    run --separate-stderr hmmcast --amino twice.sto
    [ "$status" -eq 1 ] && told 'twice.sto' 'alignment 2' '#=GF ID'
    cat tinyali.sto globins4.sto >two.sto
    run --separate-stderr hmmcast --amino -n given two.sto
    [ "$status" -eq 1 ] && told 'second alignment' '-n given'
    run --separate-stderr hmmcast --amino --informat fasta -n given demo.fa
    refused 1 'second sequence' '-n given'
}
@test "names that no program could read are refused; one with a blank is hmmbuild's, with a note" {
    named() { # named PATTERN ARGUMENT...
        run --separate-stderr hmmcast --amino "${@:2}"
        [ "$status" -eq 1 ] && [ -z "$output" ] || fail "${*:2}: status $status"
        grep -q "$1" <<<"$stderr" || fail "${*:2}: $stderr"
    }
    named 'the name "x\\x0aNAME y" of a model has a control character' -n $'x\nNAME y' tinyali.sto
    named "the name \"#a\" of a model begins with '#'" -n '#a' tinyali.sto
    named 'the name " " of a model is empty' -n ' ' tinyali.sto
    sed $'s/#=GF ID.*/#=GF ID a\x1bb/' tinyali.sto >escape.sto
    named 'the name "a\\x1bb" of a model has a control character' escape.sto
    printf '>a\001b\nMKVLAAGGHWERTYIPASDFGHKLC\n' >odd.fa
    named 'the name "a\\x01b" of a model has a control character' --informat fasta odd.fa
    run --separate-stderr jacksieve -N 1 --chkhmm odd odd.fa demo.fa
    refused 1 'the name "a\\x01b" of a model has a control character'
    run -0 --separate-stderr hmmcast --amino -n 'a b' -o blank.hmm tinyali.sto
    told 'the name "a b" has a blank: programs that read the model will call it by the first word'
    grep -qx 'NAME  a b' blank.hmm
    hmmcast --amino -n 'Größe' tinyali.sto | grep -qx 'NAME  Größe'
}

@test "a header of PHYLIP with more rows than there can be: the number as it stands there" {
    for n in 99999999999 2147483648; do
        printf '%s 10\na ACDEFGHIKL\n' $n >big.phy
        run --separate-stderr hmmcast --amino big.phy
        refused 1 "\"$n\" where the number of rows was expected, from 1 to 2147483647"
    done
    printf '999999999 10\na ACDEFGHIKL\n' >big.phy
    run --separate-stderr hmmcast --amino big.phy
    refused 1 'the header has 999999999 rows of 10 columns'
}

@test "DATE: of SOURCE_DATE_EPOCH in UTC, of the clock, none" {
    [ "$(SOURCE_DATE_EPOCH=86399 hmmcast --amino tinyali.sto | grep ^DATE)" = 'DATE  Thu Jan  1 23:59:59 1970' ]
    hmmcast --amino tinyali.sto | grep -qE "^DATE  [A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} $(date +%Y)$"
    ! hmmcast --no-provenance --amino tinyali.sto | grep -q ^DATE
    for bad in x -1 99999999999999999999 9223372036854775807; do
        SOURCE_DATE_EPOCH=$bad run --separate-stderr hmmcast --amino tinyali.sto
        refused 2 SOURCE_DATE_EPOCH
    done
    hmmcast --amino tinyali.sto | head -1 | grep -qx 'HMMER3/f \[warpsieve [0-9.]* | hmmcast\]'
}
@test "--stats: models and rows of the first output, whatever other outputs there are" {
    hmmcast --amino --stats=counts -O again globins4.sto tinyali.sto >models
    grep -q '"models": 2,' counts
    grep -q '"rows": 2,' counts
}
@test "a description ends before its last blanks" {
    printf '# STOCKHOLM 1.0\n#=GF ID x\n#=GF DE two words  \t \na ACDEFGHIKLMNPQRSTVWY\n//\n' >desc.sto
    hmmcast desc.sto >models
    grep -qx 'DESC  two words' models
}
@test "--summary: hmmbuild's table" {
    hmmcast --amino --summary s tinyali.sto globins4.sto >/dev/null
    printf '%s\n' '# idx name                  nseq  alen  mlen eff_nseq re/pos description' \
        '#---- -------------------- ----- ----- ----- -------- ------ -----------' >want
    head -2 s >got
    same want got
    [ "$(sed -n '3s/  *$//p' s)" = '1     tiny                     5    10    10     5.00  2.746' ] || fail "$(cat s)"
    [ "$(awk '!/^#/ { print $1, $2 }' s)" = "$(printf '1 tiny\n2 globins4')" ] || fail "$(cat s)"
    hmmcast --dna --informat fasta --summary s dna.fa >/dev/null
    head -1 s | grep -q ' mlen     W eff_nseq'
}

# ---- misuse and damage ----

@test "hmmbuild's order of operands: the sentence says where the models go" {
    run --separate-stderr hmmcast --amino not-yet.hmm tinyali.sto
    refused 1 'cannot open not-yet.hmm' 'operands are alignments, and the models go to standard output or to --output FILE'
    run --separate-stderr hmmcast --amino not-there.sto tinyali.sto
    refused 1 'cannot open not-there.sto: No such file or directory$'
}

@test "misuse: options that exclude each other, ranges, names" {
    local o
    for o in '--amino --dna' '--fast --hand' '--wpb --wnone' '--eent --eset 2' '--pnone --plaplace' '--hand --symfrac 0.3' \
        '--singlemx --mx PAM30 --mxfile x' '--mx PAM30' '--mxfile x' '--wid 0.5' '--eid 0.5' '--popen 0.5' '--pextend 1' \
        '--Eft 1' '--Eft 0' \
        '--symfrac 1.1' '--EmN 0' '--ere 0' '--maxinsertlen 4' '--w_length -1' '--informat nosuch' '-f name' '--plain' \
        '--informat fasta -O x'; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr hmmcast $o tinyali.sto
        refused 2 || fail "options: $o"
    done
    run --separate-stderr hmmcast --amino --singlemx --mx blosum62 tinyali.sto
    refused 1 'blosum62' 'BLOSUM62 BLOSUM80'
}
@test "--mxfile: a file like the built-in matrix gives the same model; damage is told" {
    cat >mx <<'END'
   A   C   G   T
  41 -32 -26 -26
 -32  39 -38 -17
 -26 -38  46 -31
 -26 -17 -31  39
END
    cast --dna --informat fasta dna.fa >want
    cast --dna --informat fasta --mxfile mx dna.fa >got
    same want got
    cast --dna --informat fasta --mxfile - dna.fa <mx >got
    same want got
    run --separate-stderr hmmcast --dna --informat fasta --mxfile - <dna.fa
    refused 2 'mxfile' 'both' 'standard input'
    run --separate-stderr hmmcast --dna --informat fasta --mxfile dna.fa dna.fa # a file may be both; it is no matrix
    refused 1 'dna.fa, line 1' 'residue letter'
    run --separate-stderr hmmcast --dna --informat fasta --mxfile mx -o mx dna.fa
    refused 2 'output: mx is also read'
    sed -i '3s/ -17//' mx
    run --separate-stderr hmmcast --dna --informat fasta --mxfile mx dna.fa
    refused 1 'mx, line 3' '3 scores'
    printf ' A C G T\n-1 -1 -1 -1\n-1 -1 -1 -1\n-1 -1 -1 -1\n-1 -1 -1 -1\n' >mx
    run --separate-stderr hmmcast --dna --informat fasta --mxfile mx dna.fa
    refused 1 lambda
}
damaged() { # damaged FILE PATTERN...
    run --separate-stderr hmmcast --amino "${flags[@]}" "$1"
    shift
    [ "$status" -eq 1 ] || fail "status $status"
    told "$@"
}
@test "what is wrong with an alignment is a sentence with file and alignment, behind the models before it" {
    local flags=()
    cat tinyali.sto >bad.sto
    sed '/^s3/s/DEF/DE/' globins4.sto tinyali.sto | sed 's/^s3  .*/s3 --DEF.GHI/' >bad.sto
    damaged bad.sto 'bad.sto' 's3' 'line'
    [ "$(grep -c '^//' <<<"$output")" -eq 1 ] || fail "the model before is lost"
    [ "$(tail -1 <<<"$output")" = // ]
    printf '# STOCKHOLM 1.0\n#=GF ID none\na --A--\nb A----\nc ----A\n//\n' >none.sto
    flags=(--fragthresh 0)
    damaged none.sto 'none.sto' 'consensus'
    flags=(--hand)
    damaged tinyali.sto 'tinyali.sto' 'RF'
    printf '>a\nACDE\n>b\nACD\n' >rows.fa
    flags=()
    damaged rows.fa 'rows.fa' 'line' 'informat fasta'
    printf '>a\nMCQIRX\n>b\n>c\nMCQ\n' >empty.fa
    flags=(--informat fasta)
    damaged empty.fa 'sequence b has no residues'
    [ "$(grep -c '^//' <<<"$output")" -eq 1 ] || fail "the model before is lost"
}
@test "--eentexp and short alignments without a solution: a sentence where hmmbuild crashes" {
    printf '# STOCKHOLM 1.0\n#=GF ID one\na A\n//\n' >one.sto
    run --separate-stderr hmmcast --amino --eentexp --ere 0.0001 --esigma 0.0001 one.sto
    [ "$status" -eq 1 ]
    told 'alignment 1, one' 'effective number'
}
@test "alphabets: of the first sequence, of each file; what does not fit" {
    run --separate-stderr hmmcast --informat fasta w1.fa
    refused 1 'w1' '--amino, --dna or --rna'
    grep -q '^ALPH  DNA' <(hmmcast --informat fasta dna.fa)
    printf '>z\nACGTACGTACGTZ\n' >z.fa # one letter that only proteins have
    grep -q '^ALPH  amino' <(hmmcast --informat fasta z.fa)
    cat dna.fa demo.fa >both.fa
    run --separate-stderr hmmcast --informat fasta both.fa
    [ "$status" -eq 1 ]
    told 'YEAST, residue 3,' 'alphabet DNA'
    # Sequences of 6 and 12 residues fill their words, so the next one follows at once.
    printf '>a\nACGTACACGTAC\n>b\nGGTACGGTTACG\n>c\nTTTTTT\n>d\nCAGTAC\n' >full.fa
    cast --dna --informat fasta full.fa >want
    cast --informat fasta full.fa >got
    same want got
    printf '# STOCKHOLM 1.0\n#=GF ID nt\na ACGTACGTACGTACGTACGTACGT\n//\n' >nt.sto
    run --separate-stderr hmmcast globins4.sto nt.sto
    [ "$status" -eq 1 ]
    told 'nt.sto' 'DNA' 'amino'
}
@test "full disks: of the models, of -O, of the summary" {
    [ -w /dev/full ] || skip "there is no /dev/full"
    for o in -o -O --summary; do
        run --separate-stderr hmmcast --amino $o /dev/full tinyali.sto
        [ "$status" -eq 1 ] || fail "$o: status $status"
        told '/dev/full' 'space'
    done
    run --separate-stderr bash -c 'hmmcast --amino tinyali.sto >/dev/full'
    refused 1 'standard output' 'space'
}
@test "a reader that leaves ends the run without a word; a standard output that is closed is told" {
    run --separate-stderr bash -c 'hmmcast --informat fasta --amino demo.fa | head -1 >/dev/null; exit ${PIPESTATUS[0]}'
    [ "$status" -eq 141 ] && [ -z "$stderr" ] || fail "status $status: $stderr"
    run --separate-stderr bash -c 'hmmcast --amino tinyali.sto >&-'
    refused 1 'standard output'
}
@test "signals: whole models in a file" {
    local s
    for s in INT TERM HUP; do
        run -0 python3 - $s <<'END'
import os, signal, subprocess, sys, time
name = sys.argv[1]
for wait in (0.05, 0.2, 0.5):
    p = subprocess.Popen(["hmmcast", "--amino", "--informat", "fasta", "-t", "2", "-o", "cut.hmm", "demo.fa", "demo.fa", "demo.fa"],
                         stderr=subprocess.PIPE)
    time.sleep(wait)
    p.send_signal(getattr(signal, "SIG" + name))
    p.communicate(timeout=600 if os.environ.get("WARPSIEVE_SLOW") else 60) # sanitizers
    text = open("cut.hmm").read() if os.path.exists("cut.hmm") else ""
    assert p.returncode in (0, -getattr(signal, "SIG" + name)), p.returncode
    assert text == "" or text.endswith("//\n"), text[-80:]
END
    done
}
@test "memory of a deep alignment: at most twice its text, and the same model, in every format" {
    ! sanitized || skip "sanitizers take memory of their own"
    python3 - <<'END'
import random
random.seed(1)
rows, columns, letters = 30000, 300, "ACDEFGHIKLMNPQRSTVWY"
line = ["".join(random.choice(letters) for _ in range(columns)) for _ in range(30)]
line = ["".join(random.choice(pair) for pair in zip(random.choice(line), line[0])) for _ in range(500)]
row = [("s%d" % i, random.choice(line)) for i in range(rows)]
def blocks(width, text, end="\n"):
    return "".join("".join(text(n, s, s[at:at + width]) for n, s in row) + end for at in range(0, columns, width))
def write(name, text):
    open("deep." + name, "w").write(text)
named = lambda n, s, part: "%-12s %s\n" % (n, part)
write("pfam", "# STOCKHOLM 1.0\n#=GF ID deep\n" + blocks(columns, named) + "//\n")
write("stockholm", "# STOCKHOLM 1.0\n#=GF ID deep\n\n" + blocks(200, named) + "//\n")
write("afa", "".join(">%s\n%s\n" % r for r in row))
write("a2m", "".join(">%s\n%s\n" % r for r in row))
write("psiblast", blocks(60, named))
write("clustal", "CLUSTAL 2.1 multiple sequence alignment\n\n" + blocks(60, named, " " * 13 + "*\n\n"))
write("phylip", "%d %d\n" % (rows, columns) + blocks(60, lambda n, s, part: ("%-9s " % n if s.startswith(part) else "") + part + "\n"))
write("phylips", "%d %d\n" % (rows, columns) + "".join("%-9s %s\n" % r for r in row))
write("selex", blocks(80, named))
END
    local text base form
    hmmcast --no-provenance -n deep --amino deep.pfam | grep -v '^RF' >want
    base=$(peak_memory sh -c 'hmmcast -t 1 --amino tinyali.sto >/dev/null')
    for form in pfam stockholm afa a2m psiblast clustal phylip phylips selex; do
        text=$(($(wc -c <deep.$form) / 1024))
        used=$(peak_memory sh -c "hmmcast --no-provenance -t 1 -n deep --informat $form --amino deep.$form >got")
        [ $((used - base)) -le $((2 * text)) ] || fail "$form: $used KB with $text KB of text, $base KB without"
        grep -v '^RF' got | sed 's/ x - -$/ - - -/' | same want - || fail "$form: another model"
    done
}

# ---- faults of the system: tests/fault ----

# Damages each of the outputs: KIND FIRST LAST STEP.
every_output() {
    local k="$*"
    # shellcheck disable=SC2086 # words
    {
        drive $k models stdout -- hmmcast --no-provenance -t 1 --amino opt_odd.sto odd.sto.gz tinyali.sto
        drive $k models stdout again table -- hmmcast --no-provenance -t 3 --amino -O again --summary table opt_odd.sto tinyali.sto
        drive $k models stdout -- hmmcast --no-provenance -t 2 -K 20 --amino --informat fasta edge.fa
    }
}

@test "faults: no memory, no descriptor, no thread, reads and writes that fail: a sentence and whole models" {
    local step=61
    shimmed
    [ "${WARPSIEVE_TESTS:-}" != full ] || step=1
    every_output memory 1 20000 $step
    every_output write 1 500 3
    every_output room 0 90000 7777
    every_output close 1 9 1
    drive read 1 2000 1 models stdout -- hmmcast --no-provenance --amino opt_odd.sto odd.sto.gz
    drive open 1 50 1 models stdout -- hmmcast --no-provenance --amino opt_odd.sto odd.sto.gz
    drive thread 1 4 1 models stdout -- hmmcast --no-provenance -t 4 -K 20 --amino --informat fasta edge.fa
    show_counts
    for k in short eintr eagain; do every_output $k - 0 0; done
    no_harm
}
