#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# papara-score in the place of PaPaRa 2.5: its command line, its files, what is refused, and that no run leaves half of
# its files.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cp -r "$data/papara/tiny5" "$data/papara/vag40" .
}
setup() {
    in_data
    rm -rf run && mkdir run && cp -r tiny5 vag40 run && cd run || return 1
}

papara() { "$(hmmsieve --hmmer-path)/papara" "$@"; }
# papara_run SET NAME OPTION...: PaPaRa's own command line
papara_run() { papara -t "$1/ref.nwk" -s "$1/ref.phy" -q "$1/reads.fasta" -n "$2" "${@:3}"; }
golden_of() { if [ -e "$data/papara/$1/$2" ]; then cat "$data/papara/$1/$2"; else cat "$top/../shared/golden/papara/$1/$2"; fi; }

@test "PaPaRa's command line leaves its files, on golden data" {
    local g more= a
    [ ! -d "$top/../shared/golden/papara" ] || more="pyrg65 upp407_aa"
    [ "${WARPSIEVE_TESTS:-}" != full ] || more="$more vag652"
    for g in $more; do [ ! -d "$top/../shared/golden/papara/$g" ] || cp -r "$top/../shared/golden/papara/$g" .; done
    for g in tiny5 vag40 $more; do
        a=
        [ $g != upp407_aa ] || a=-a
        papara_run $g $g $a >said
        golden_of $g papara_alignment.phy.gz | zcat | same - papara_alignment.$g || fail "$g"
        same said papara_log.$g || fail "$g"
        [ -f papara_quality.$g ] && [ ! -s papara_quality.$g ] || fail "$g: the quality file is not there, or not empty"
        papara_run $g $g.r -r -g $a -j 2 >said
        golden_of $g papara_alignment_r.fasta.gz | zcat | same - papara_alignment.$g.r || fail "$g -r -g"
        if [ -e "$top/../shared/golden/papara/$g/papara_log.txt" ]; then # without the lines that only ours has, and times
            same "$top/../shared/golden/papara/$g/papara_log.txt" <(sed '2,3d; /^SUCCESS$/d' papara_log.$g) || fail "$g"
        fi
        echo "# ran $g" >&3
    done
    [ "$(sed -n 2p papara_log.tiny5)" = "papara -t tiny5/ref.nwk -s tiny5/ref.phy -q tiny5/reads.fasta -n tiny5" ]
    papara -t tiny5/ref.nwk -s tiny5/ref.phy -q tiny5/reads.fasta >/dev/null # without -n
    same papara_alignment.tiny5 papara_alignment.default
    papara_run vag40 c -c -p-4:-2:3:-1 -rj2 >said # values attached, letters together
    grep -qx 'scoring scheme: -4 -2 3 -1' said && grep -q 'pvec_cgap' said && grep -q 'using 2 threads' said
    papara-score --alignment want --alignment-format phylip --insertions drop --flags rule -p -4:-2:3:-1 \
        vag40/ref.phy vag40/ref.nwk vag40/reads.fasta >/dev/null
    same want papara_alignment.c
    papara-score --as papara -t tiny5/ref.nwk -s tiny5/ref.phy -q tiny5/reads.fasta -n as >/dev/null # where no link can be
    same papara_alignment.tiny5 papara_alignment.as
}

@test "rows that are not in the tree are reads, also alone" {
    printf '6 4\nA ACGT\nB ACGT\nC AC-T\nD AC-T\nE ACGT\nX ACGT\n' >a
    printf '((A:1,B:1):1,(C:1,D:1):1,E:1);' >t
    printf '>q\nACG\n' >q
    papara -t t -s a -q q -n both >/dev/null
    same <(printf '7 4\nA ACGT\nB ACGT\nC AC-T\nD AC-T\nE ACGT\nq ACG-\nX ACGT\n') papara_alignment.both
    echo '>in' | papara -t t -s a -n alone >/dev/null # standard input is not read
    same <(printf '6 4\nA ACGT\nB ACGT\nC AC-T\nD AC-T\nE ACGT\nX ACGT\n') papara_alignment.alone
    grep -v X a | sed 1s/6/5/ >all
    run -1 --separate-stderr papara -t t -s all -n none </dev/null
    [[ $output =~ 'no reads: there is no -q' ]] || fail "$output"
    [ -z "$(ls papara_*.none 2>/dev/null)" ]
}

@test "a run that is there stays unless -f is given; a run that fails leaves nothing" {
    for f in alignment quality log; do echo old >papara_$f.x; done
    run -1 --separate-stderr papara_run tiny5 x
    [[ $stderr =~ ^'papara: papara_log.x is there'.*-f ]] || fail "$stderr"
    for f in alignment quality log; do [ "$(cat papara_$f.x)" = old ] || fail "$f was replaced"; done
    gzip -c tiny5/reads.fasta | head -c -9 >bad
    for n in x new default; do
        [ $n != default ] || for f in alignment quality log; do echo old >papara_$f.default; done
        run -1 --separate-stderr papara -t tiny5/ref.nwk -s tiny5/ref.phy -q bad -n $n -f
        [[ $stderr =~ ^'papara: bad:' ]] || fail "$stderr"
        for f in alignment quality log; do
            [ $n = new ] || [ "$(cat papara_$f.$n)" = old ] || fail "$f of $n was replaced"
            [ $n != new ] || [ ! -e papara_$f.new ] || fail "$f was left"
        done
    done
    [ -z "$(ls -A | grep warpsieve)" ] || fail "$(ls -A)"
    papara_run tiny5 x -f >/dev/null
    zcat "$data/papara/tiny5/papara_alignment.phy.gz" | same - papara_alignment.x
    papara -t tiny5/ref.nwk -s tiny5/ref.phy -q tiny5/reads.fasta >/dev/null # needs no -f without -n
    same papara_alignment.x papara_alignment.default
    cp tiny5/reads.fasta papara_quality.in
    run -1 --separate-stderr papara -t tiny5/ref.nwk -s tiny5/ref.phy -q papara_quality.in -n in
    [[ $output =~ ^'-n: papara_quality.in is also read' ]] || fail "$output"
    same tiny5/reads.fasta papara_quality.in
    run -1 --separate-stderr papara_run tiny5 no/folder
    [[ $stderr =~ 'papara_alignment.no/folder' ]] || fail "$stderr"
}

@test "a disk that is full leaves the files of the run before" {
    for f in alignment quality log; do echo old >papara_$f.x; done
    run -1 --separate-stderr bash -c 'ulimit -f 8; "$@"' - "$(hmmsieve --hmmer-path)/papara" \
        -t vag40/ref.nwk -s vag40/ref.phy -q vag40/reads.fasta -n x -f
    [[ $stderr =~ 'File too large' ]] || fail "$stderr"
    for f in alignment quality log; do [ "$(cat papara_$f.x)" = old ] || fail "$f was replaced"; done
    [ -z "$(ls -A | grep warpsieve)" ] || fail "$(ls -A)"
}

@test "what it does not take is told, on standard output with status 1" {
    local words
    while IFS='|' read -r words told; do
        # shellcheck disable=SC2086 # words
        run -1 --separate-stderr papara $words
        [[ $output =~ $told ]] && grep -q '^Usage: papara -t <tree>' <<<"$output" || fail "$words: $output"
        [ -z "$(ls papara_* 2>/dev/null)" ] || fail "$words: files were left"
    done <<'EOF'
|-t names the reference tree and -s the alignment, and -t is not given
-t tiny5/ref.nwk|and -s is not given
-t tiny5/ref.nwk -s tiny5/ref.phy -l x|^-l: reads for a part
-t tiny5/ref.nwk -s tiny5/ref.phy -x x|^-x: reads for a part
-kx|^-k: reads for a part
-t tiny5/ref.nwk -s tiny5/ref.phy -z|papara has no option -z
-t tiny5/ref.nwk -s tiny5/ref.phy --alignment x|papara has no option --alignment
-t tiny5/ref.nwk -t tiny5/ref.nwk|-t is given twice
-t tiny5/ref.nwk -s|-s needs a value
-t tiny5/ref.nwk -s tiny5/ref.phy tiny5/reads.fasta|papara takes 0 operands
-t tiny5/ref.nwk -s tiny5/ref.phy -q tiny5/reads.fasta -p 1:2|^-p, --parameters: expected four whole numbers
-t tiny5/ref.nwk -s tiny5/ref.phy -q tiny5/reads.fasta -j x|^-j, --threads: expected a whole number
EOF
    printf '4 4\nA MKLV\nB MRLV\nC EKFI\nD EKFQ\n' >p.phy
    printf '(A,B,(C,D));' >p.nwk
    run -1 --separate-stderr papara -t p.nwk -s p.phy -q tiny5/reads.fasta
    [[ $stderr =~ 'expected a nucleotide or a gap; -a says that they are proteins' ]] || fail "$stderr"
    papara -h >help
    same <(printf '# The interface is that of PaPaRa 2.5; this program is papara-score of warpsieve %s\n' \
        "$(papara-score --version | sed -n '1s/.* //p')") <(sed -n 2p help)
    for o in t s q n f r g p c j a h; do grep -q "^  -$o " help || fail "-h has no -$o"; done
}
