#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# In HMMER's place: what it reads, hmmsieve and nhmmsieve read; the last bytes of its text; its names, command lines and
# version checks.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    zcat "$data/golden/long-targets/models/RF00001.hmm.gz" >5s.hmm
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >short.fa
}
setup() { in_data; }

data_rows() { grep -v '^#' "$1" || true; }

@test "a match line with further fields, as padloc-db has one: read, and counted in a note" {
    awk '/^ +(223|224) / { $0 = $0 " \033[O x" } 1' three.hmm >stray.hmm
    hmmsieve -Z 400 --domtblout want.dom -o want.out three.hmm demo.fa
    run -0 --separate-stderr hmmsieve -Z 400 --domtblout got.dom -o got.out stray.hmm demo.fa
    told 'match lines' 'not read: 4, ' 'model Pkinase'
    same <(data_rows want.dom) <(data_rows got.dom)
    hmmsearch -Z 400 --domtblout peer.dom -o /dev/null stray.hmm demo.fa
    same <(data_rows peer.dom) <(data_rows got.dom)
    run -0 --separate-stderr hmmsieve -q -o /dev/null stray.hmm demo.fa
    [ -z "$stderr" ] || fail "$stderr"
    for t in msvfilt domscore; do
        run -0 --separate-stderr "$t" -o /dev/null stray.hmm demo.fa
        told 'not read: 4, '
    done
    sed '/^ACC/s/$/\n/' 5s.hmm | awk '/^ +7 / { $0 = $0 " x" } 1' >stray5s.hmm
    run -0 --separate-stderr nhmmsieve -o /dev/null stray5s.hmm short.fa
    told 'not read: 1, '
    awk '/^ +223 / { NF-- } 1' three.hmm >lacks.hmm
    run --separate-stderr hmmsieve lacks.hmm demo.fa
    refused 1 'lacks.hmm, line [0-9]+: node 223 has 4 columns' 'has 5'
}

@test "files of models joined without a line feed between them: the sentence says how to mend it" {
    { head -c -1 m.hmm && cat fn3.hmm; } >joined.hmm
    run --separate-stderr hmmsieve joined.hmm demo.fa
    refused 1 'found "//HMMER3/f"' 'line feed: awk 1 FILE'
    head -c -1 m.hmm >short.hmm
    awk 1 short.hmm fn3.hmm >mended.hmm
    same <(cat m.hmm fn3.hmm) mended.hmm
}

@test "no sequences and /dev/null as standard input: misuse, as in hmmsearch" {
    run -2 --separate-stderr hmmsieve m.hmm </dev/null
    refused 2 'no input' '/dev/null'
    run -2 --separate-stderr nhmmsieve made.hmm </dev/null
    refused 2 'no input' '/dev/null'
    run -0 hmmsieve -o got m.hmm /dev/null # a file that is named is read
    run -0 hmmsieve -o got m.hmm - </dev/null
    hmmsieve -o got m.hmm <demo.fa
    hmmsieve -o want m.hmm demo.fa
    same <(grep -v '^# ' want) <(grep -v '^# ' got)
}

@test "models from standard input, a named pipe and a substituted process" {
    local form
    mkfifo models
    hmmsieve --tblout want.tbl -o want.out three.hmm demo.fa
    nhmmsieve -O tblout made.hmm short.fa >want.dna
    for form in - models substituted; do
        case $form in
        -) hmmsieve --tblout got.tbl -o got.out - demo.fa <three.hmm && nhmmsieve -O tblout - short.fa <made.hmm >got.dna ;;
        models)
            cat three.hmm >models & hmmsieve --tblout got.tbl -o got.out models demo.fa
            cat made.hmm >models & nhmmsieve -O tblout models short.fa >got.dna ;;
        *) hmmsieve --tblout got.tbl -o got.out <(cat three.hmm) demo.fa && nhmmsieve -O tblout <(cat made.hmm) short.fa >got.dna ;;
        esac
        same <(data_rows want.tbl) <(data_rows got.tbl) || fail "$form"
        same <(grep -v '^# ' want.out) <(grep -v '^# ' got.out) || fail "$form"
        same <(data_rows want.dna) <(data_rows got.dna) || fail "$form"
    done
}

@test "models of DNA and of RNA in one file" {
    grep -q '^ALPH  RNA' 5s.hmm
    awk 1 made.hmm 5s.hmm >both.hmm
    nhmmsieve --tblout got -o /dev/null both.hmm short.fa
    same <(for m in made 5s; do nhmmsieve -O tblout $m.hmm short.fa; done | grep -v '^#') <(data_rows got)
    [ "$(data_rows got | awk '{ print $3 }' | sort -u | wc -l)" -eq 2 ] || fail "one of them has no hit"
    awk 1 5s.hmm m.hmm >protein.hmm
    run --separate-stderr nhmmsieve protein.hmm short.fa
    refused 1 'Pkinase' 'amino' 'RNA'
}

# ---- the last bytes of its text ----

@test "random searches: every byte of hmmsearch's report, tables and alignments, also without -Z" {
    local n=12
    [ "${WARPSIEVE_TESTS:-}" != full ] || n=300
    for f in "$data"/golden/models/{20aa,LuxC,M1,RRM_1_3a,tiny,globins4_mm}.hmm.gz; do zcat "$f"; done >golden.hmm
    run -0 python3 "$top/tests/searches.py" $n 5 "$(command -v hmmsearch)" "$(hmmsieve --hmmer-path)" three.hmm three.hmm golden.hmm demo.fa
    echo "# ran $output" >&3
}

@test "random searches of DNA with sequences and alignments: every byte of nhmmer's outputs" {
    nhmmer -h 2>/dev/null | grep -q '^# HMMER 3\.4 ' || skip "nhmmer 3.4 is not installed"
    local n=20
    [ "${WARPSIEVE_TESTS:-}" != full ] || n=400
    run -0 python3 "$top/tests/dna_searches.py" $n 5 "$(command -v nhmmer)" "$(hmmsieve --hmmer-path)" short.fa
    echo "# ran $output" >&3
}

@test "names of columns are as wide as hmmsearch's without -Z: of what was reportable when it came" {
    { printf '>%s\n' "$(printf 'long%.0s' $(seq 12))" && awk '/P40160/ { on = 1; next } /^>/ { on = 0 } on' demo.fa; cat demo.fa; } >db.fa
    hmmsieve -E 1e-6 --acc --tblout got.tbl -o got m.hmm db.fa
    data_rows got.tbl | grep -q longlong && fail "it was to be found early, and not to be reported"
    hmmsearch --cpu 0 -E 1e-6 --acc --tblout want.tbl -o want m.hmm db.fa
    same <(data_rows want.tbl) <(data_rows got.tbl)
    same <(grep -v '^# ' want) <(grep -v '^# ' got)
    [ "$(data_rows got.tbl | head -1 | awk '{ print index($0, " - ") }')" -eq 49 ] || fail "$(head -4 got.tbl)"
}

@test "descriptions: tabs, blanks at the end, text behind Ctrl-A" {
    zcat "$data/golden/models/20aa.hmm.gz" >20aa.hmm
    printf '>%b\nACDEFGHIKLMNPQRSTVWY\n' 'tab\ta\tb \t' ' blanks  a b   ' 'two first\001gi|2| second' 'none \001x' >odd.fa
    local all='--max -E 1e9 --domE 1e9 --incE 1e9 --incdomE 1e9'
    hmmsearch $all --tblout want.tbl --domtblout want.dom -A want.sto -o want 20aa.hmm odd.fa
    hmmsieve $all --tblout got.tbl --domtblout got.dom -A got.sto -o got 20aa.hmm odd.fa
    for x in tbl dom; do same <(data_rows want.$x) <(data_rows got.$x) || fail "$x"; done
    same <(grep -v '^#=GF AU' want.sto) <(grep -v '^#=GF AU' got.sto)
    same <(grep -v '^# ' want) <(grep -v '^# ' got)
    [ "$(data_rows got.tbl | wc -l)" -eq 4 ] || fail "$(cat got.tbl)"
    hmmsieve --max -E 1e9 --domE 1e9 -O tsv -f name,desc --no-provenance --header none 20aa.hmm odd.fa | sort >got # a tab would be a column
    same <(printf 'blanks\ta b\nnone\t\001x\ntab\ta b\ntwo\tfirst\001gi|2| second\n') got
}

@test "E-values below the smallest normal number are 0, -Z below 1 too" {
    hmmsieve -Z 1e-250 --tblout got.tbl -o /dev/null m.hmm demo.fa
    hmmsearch -Z 1e-250 --tblout want.tbl -o /dev/null m.hmm demo.fa
    same <(data_rows want.tbl) <(data_rows got.tbl)
    [ "$(data_rows got.tbl | awk '$5 == 0' | wc -l)" -gt 3 ] || fail "$(head -6 got.tbl)"
}

@test "a model twice in a file is searched twice" {
    cat m.hmm m.hmm >twice.hmm
    hmmsieve --tblout got.tbl -o got twice.hmm demo.fa
    hmmsieve --tblout once.tbl -o once m.hmm demo.fa
    same <(data_rows once.tbl; data_rows once.tbl) <(data_rows got.tbl)
    [ "$(grep -c '^Query: ' got)" -eq 2 ]
    cat made.hmm made.hmm >twice.hmm
    nhmmsieve --tblout got.tbl -o /dev/null twice.hmm short.fa
    nhmmsieve --tblout once.tbl -o /dev/null made.hmm short.fa
    same <(data_rows once.tbl; data_rows once.tbl) <(data_rows got.tbl)
    [ -s once.tbl ]
}

@test "nhmmsieve: --F1, --F2 and --F3 of 0 and above 1 as in nhmmer; --max through the chain" {
    local o
    zcat "$data/golden/long-targets/inputs/dna_target.fa.gz" >human.fa
    for o in '--F1 0' '--F2 0' '--F3 0' '--F1 1.5' '--F2 2' '--F3 2'; do
        nhmmsieve $o -O tblout made.hmm human.fa >got
        case $o in
        '--F3 0') [ "$(data_rows got | wc -l)" -eq 0 ] || fail "$(cat got)"; continue ;;
        '--F1 0') nhmmsieve --F1 1 -O tblout made.hmm human.fa >want ;; # nhmmer: the scan's threshold is then beyond its numbers
        '--F2 0') nhmmsieve --F2 1 -O tblout made.hmm human.fa >want ;;
        *) nhmmsieve ${o% *} 1 -O tblout made.hmm human.fa >want ;;
        esac
        same <(data_rows want) <(data_rows got) || fail "$o"
    done
}

# ---- words that are no option ----

@test "an unknown option is answered with the nearest name" {
    for t in $(all_tools); do
        run -2 --separate-stderr "$t" --cpus 2
        [[ $stderr == "$t: unknown option --cpus; the nearest is --cpu"$'\n'* ]] || fail "$stderr"
        run -2 --separate-stderr "$t" -H
        [[ $stderr == "$t: unknown option -H; there is -h"$'\n'* ]] || fail "$stderr"
    done
    run -2 --separate-stderr hmmsieve --domtblot x m.hmm demo.fa
    [[ $stderr =~ 'nearest is --domtblout' ]]
    run -2 --separate-stderr hmmsieve -e 1 m.hmm demo.fa
    [[ $stderr =~ 'unknown option -e; there is -E' ]]
    run -2 --separate-stderr hmmsieve --cup 2 m.hmm demo.fa # two letters of three differ from cpu
    [[ $stderr == 'hmmsieve: unknown option --cup'$'\n'* ]] || fail "$stderr"
    run -2 --separate-stderr hmmsieve --nothing-like-it m.hmm demo.fa
    [[ $stderr == 'hmmsieve: unknown option --nothing-like-it'$'\n'* ]] || fail "$stderr"
}

# ---- under its names ----

as_hmmer() { PATH=$(hmmsieve --hmmer-path):$PATH "$@"; }
@test "the folder of HMMER's names: a link or script for each, beside the programs and in no PATH" {
    local folder
    folder=$(hmmsieve --hmmer-path)
    for p in hmmsearch hmmscan phmmer jackhmmer nhmmer nhmmscan hmmbuild hmmalign hmmpress hmmfetch; do
        [ -x "$folder/$p" ] || fail "no $p"
        as_hmmer "$p" -h >got
        grep -q "^# $p :: " <(head -1 got) || fail "$(head -1 got)"
        [ "$(sed -n 2p got)" = '# HMMER 3.4 (Aug 2023); http://hmmer.org/' ] || fail "$(sed -n 2p got)"
        grep -q 'warpsieve' <(sed -n 3p got) || fail "the third line does not tell who it is"
        grep -q '^Usage: ' got
    done
    [ -e "$(dirname "$(command -v hmmsieve)")/hmmsearch" ] && fail "a name is in the folder of the programs"
    same <(hmmsieve --as hmmsearch -h) <(as_hmmer hmmsearch -h) # as the wheel calls it, which has no links
    run -2 --separate-stderr hmmsieve --as hmmalign -h
    refused 2 'unknown option --as'
}

@test "version checks of BUSCO, VirSorter2, antiSMASH, DFAST and nf-core pass over the names" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    python3 - <<'CHECKS'
import re, subprocess
for program in ("hmmsearch", "hmmscan", "phmmer", "jackhmmer", "nhmmer", "nhmmscan", "hmmbuild", "hmmalign", "hmmpress", "hmmfetch"):
    run = subprocess.run([program, "-h"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    text = run.stdout.decode("utf-8")
    assert not run.stderr
    # BUSCO: a number of at least 3.1 is the third word of the second line
    assert float(text.split("\n")[1].split()[2][:3]) >= 3.1
    # antiSMASH: the beginning of the help; without that option it runs no threads
    assert text.startswith("# " + program)
    assert program in ("hmmpress", "hmmfetch", "hmmalign") or " --cpu " in text
    # GTDB-Tk
    assert [x for x in text.split("\n") if x.startswith("# HMMER")][0].split(";")[0] == "# HMMER 3.4 (Aug 2023)"
    # DFAST: exits unless this is found
    assert re.search(r"# HMMER (.+) \(", text).group(1) == "3.4"
CHECKS
    (set -euo pipefail; hmmsearch -h | grep '^# HMMER' >log) # VirSorter2's rule
    [ "$(hmmsearch -h | grep -o '^# HMMER [0-9.]*' | sed 's/^# HMMER *//')" = 3.4 ] # nf-core's modules
    [ "$(hmmsearch -h | sed '2!d;s/^# HMMER *//;s/ .*//')" = 3.4 ]
}

@test "hmmsearch's command line: options first, beginnings of names, attached values, HMMER_NCPU, once each" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    hmmsearch -Z 400 --domt got.dom --tblout=got.tbl -E1e-5 --noal -o got --cpu 1 m.hmm demo.fa
    hmmsieve -Z 400 --domtblout want.dom --tblout want.tbl -E 1e-5 --noali -o want m.hmm demo.fa
    for x in dom tbl; do same <(data_rows want.$x) <(data_rows got.$x); done
    same <(grep -v '^# ' want) <(grep -v '^# ' got)
    same <(grep '^# Option' got.tbl) \
        <(echo '# Option settings: hmmsearch -o got --tblout got.tbl --domtblout got.dom --noali -E 1e-5 -Z 400 --cpu 1 m.hmm demo.fa ')
    HMMER_NCPU=3 hmmsearch -o got m.hmm demo.fa
    grep -qx '# number of worker threads:        3' got
    HMMER_NCPU=abc run --separate-stderr hmmsearch m.hmm demo.fa
    [ "$status" -eq 1 ] && [[ $output$stderr == *'HMMER_NCPU in the environment is "abc": expected a number of threads'* ]] ||
        fail "$output$stderr"
    hmmsearch -o got -E 10.0 m.hmm demo.fa # a default is not told
    [ "$(sed '/^$/q' got | grep -c '^# [a-z]')" -eq 4 ] || fail "$(head got)"
    hmmsearch -o got m.hmm - <demo.fa
    hmmscan --noali --cut_ga --tblout got.tbl -o got m.hmm small.fa
    hmmsieve --scan --noali --cut_ga --tblout want.tbl -o want m.hmm small.fa
    same <(data_rows want.tbl) <(data_rows got.tbl)
    nhmmer --cpu 2 -E 1e-3 --w_length 3000 -o /dev/null --tblout /dev/stdout made.hmm short.fa >got # barrnap's
    nhmmsieve -E 1e-3 --w_length 3000 -O tblout made.hmm short.fa >want
    same <(table want) <(table got)
    [ "$(tail -1 got)" = '# [ok]' ]
    local cores line='# number of worker threads:        '
    cores=$(getconf _NPROCESSORS_ONLN)
    for n in '' 0 1 2 5; do # nhmmer has the line in any case, with a thread for a core at most
        nhmmer ${n:+--cpu $n} -o got made.hmm short.fa
        n=${n:-2}
        grep -qx "$line$((n < cores ? n : cores))" got || fail "--cpu $n: $(head -9 got)"
    done
    ! nhmmsieve -O text made.hmm short.fa | grep -q "^$line"
}

@test "HMMER's names: which numbers an option takes, as HMMER 3.4 does" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    local option text all taken=(inf +inf Infinity 1e400 0x1p3 0X.8 ' 5' $'5 \t' 5. .5 +5 1e39 'inf ') refused=('' ' ' . 5e 1,5 5x 0x 1_0)
    takes() { hmmsearch --noali -o got "$@" m.hmm small.fa >said || fail "$*: $(cat said)"; }
    refuses() {
        ! hmmsearch --noali -o got "$@" m.hmm small.fa >said || fail "$* was taken"
        grep -q -- "^${1#-}, \|^$1[:,]" said || fail "$*: $(cat said)"
    }
    hits() { sed -n '/^Query/,$p' got | grep -v '^#'; }
    for option in -E --domE --incE --incdomE --F1 --F2 --F3 -T --domT --incT --incdomT; do
        for text in "${taken[@]}"; do takes $option "$text"; done
        for text in "${refused[@]}" nan -nan; do refuses $option "$text"; done
    done
    for option in -E --domE --incE --incdomE; do
        for text in 0 -1 -inf 1e-400; do refuses $option "$text"; done
    done
    for option in -Z --domZ; do # E-values would be infinite, or no numbers
        for text in 5. 0x10 1e300; do takes $option "$text"; done
        for text in inf 1e400 nan 0 -1; do refuses $option "$text"; done
    done
    for option in --F1 --F2 --F3; do refuses $option -1; done # nothing could pass
    takes -E 1e300 --F1 1 --F2 1 --F3 1 && all=$(hits)
    takes -E inf --F1 inf --F2 1e999 --F3 Infinity && [ "$(hits)" = "$all" ]
    takes -T -inf --F1 1 --F2 1 --F3 1 && [ "$(hits | grep -c '^>>')" -eq "$(grep -c '^>>' <<<"$all")" ]
    takes -T inf && ! hits | grep '^>>'
    takes -E 0x1p3 && all=$(hits) && takes -E ' 8 ' && [ "$(hits)" = "$all" ]
    takes --cpu ' 1 ' --seed +07 --textw ' 0130 ' # heads have the number, not its letters
    same <(grep '^# \(number\|random\|max\)' got | sed 's/.*: *//') <(printf '130\n7\n1\n')
    for text in '' ' ' abc -1 3.0 0x10 99999; do
        HMMER_NCPU=$text run hmmsearch -o got m.hmm small.fa
        [ "$status" -eq 1 ] && grep -qF "HMMER_NCPU in the environment is \"$text\": expected" <<<"$output" || fail "$output"
    done
    HMMER_NCPU=abc takes --cpu 1
    for text in 3 ' 3' '3 ' +3 0003; do
        HMMER_NCPU=$text takes --acc
        grep -qx '# number of worker threads:        3' got || fail "$text: $(head got)"
    done
}

@test "HMMER's names: outputs share a descriptor, and its lines are whole; a file is for one output alone" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    local o whole=(-o r --tblout t --domtblout d -A a)
    stripped() { grep -v '^# \(Option\|Date\|CPU\|Mc\|hits\|per-\|output\|MSA of\|Alignment of\)' "$@" | LC_ALL=C sort; }
    hmmsearch "${whole[@]}" m.hmm demo.fa
    hmmsearch --tblout /dev/stdout --domtblout /dev/fd/1 -A /dev/stdout m.hmm demo.fa >got
    same <(stripped -h r t d a) <(stripped got)
    hmmsearch --tblout /dev/stdout --domtblout /dev/fd/1 -A /dev/stdout --cpu 1 m.hmm demo.fa | cat >piped
    same <(grep -v '^# Option\|^# CPU\|^# Mc\|^# Date\|threads' got) <(grep -v '^# Option\|^# CPU\|^# Mc\|^# Date\|threads' piped)
    hmmsearch -o /dev/null --tblout /dev/stderr --domtblout /dev/stderr m.hmm demo.fa 2>got
    same <(stripped -h t d) <(stripped got)
    hmmsearch -o /dev/null --tblout /dev/null --domtblout /dev/null -A /dev/null m.hmm demo.fa
    for o in '-o x --tblout x' '--tblout x --domtblout ./x' '-A x --domtblout x' '--tblout - --domtblout y'; do
        rm -f x y
        run hmmsearch $o m.hmm demo.fa
        [ "$status" -eq 1 ] && [ ! -e x ] && [ ! -e y ] || fail "$o: $output"
    done
    run -2 hmmsieve -O text --tblout /dev/stdout m.hmm demo.fa # by its own name a descriptor is for one output
}

@test "phmmer and jackhmmer without a query that has residues: an empty report, as HMMER's; our names refuse that" {
    printf '>one\n\n>two\n' >empty.fa
    for t in seqsieve jacksieve; do
        run --separate-stderr $t empty.fa demo.fa
        refused 1 'empty.fa: no query: the file has 2 sequences, none of them with residues'
    done
    PATH=$(hmmsieve --hmmer-path):$PATH
    for t in phmmer jackhmmer; do
        rm -f got got.*
        $t -o got -A got.sto --tblout got.tbl --domtblout got.dom empty.fa demo.fa
        [ "$(sed '1,/^# - - -/d; /^# - - -/,$!d; s/^# - - .*/#/' got)" = $'#\n\n[ok]' ] || fail "$(cat got)"
        [ ! -s got.sto ] || fail "$(cat got.sto)"
        for x in tbl dom; do [ "$(sed '1d; $!d' got.$x)" = '# [ok]' ] && [ "$(head -2 got.$x | tail -1)" = "# Program:         $t" ]; done
        run --separate-stderr $t empty.fa not-there
        [ "$status" -eq 1 ] && [[ $output$stderr == *'cannot open not-there'* ]]
    done
}

# Runs one of HMMER's programs of this system, and ours of that name, in a folder each, and compares all that they leave
# but what is told of program, version, date and times.
beside_hmmer() { # beside_hmmer PROGRAM ARGUMENT...
    local who x
    for who in peer ours; do
        rm -rf $who && mkdir $who
        (cd $who && ln -s ../*.fa ../*.sto . && { [ $who = peer ] || PATH=$(hmmsieve --hmmer-path):$PATH; } && "$@" >stdout 2>stderr) ||
            fail "$who: $*: $(cat $who/stdout $who/stderr)"
    done
    same <(ls peer) <(ls ours)
    for x in $(cd peer && find . -type f); do
        same <(without_version peer/$x) <(without_version ours/$x) || fail "$x of $*"
    done
}
without_version() {
    sed -e '/^# \(HMMER 3\|Copyright\|Freely\|The format is\|CPU time\|Mc\/sec\|Program:\|Version:\|Current dir:\|Date:\)/d' \
        -e '/^HMMER3\/f\|^DATE /d' -e 's/^\(# Option settings: \)[^ ]*\//\1/' -e 's/^#=GF AU .*/#=GF AU/' "$1"
}
newer() { "$1" -h | grep -q '^# HMMER 3\.4 ' || skip "HMMER 3.4 is not installed"; } # 3.3.2 has other scores and options

@test "phmmer and jackhmmer by name: all that they leave, with options of each kind" {
    newer jackhmmer
    awk '/^>/ { n++ } n > 3 { exit } 1' demo.fa >few.fa
    beside_hmmer phmmer --cpu 1 --tblout tbl --domtblout dom -A al -o rep --popen 0.03 --pextend 0.3 --mx BLOSUM45 -E 1e-3 \
        --incE 1e-4 --EmL 100 --Eft 0.05 --seed 5 --qformat fasta --tformat fasta few.fa small.fa
    printf '>one\n\n>two\n' >empty.fa
    for t in phmmer jackhmmer; do beside_hmmer $t --cpu 1 -A al -o rep --tblout tbl --domtblout dom empty.fa small.fa; done
    beside_hmmer phmmer --cpu 1 --domT 10 --incdomT 20 --acc --noali --notextw --nonull2 -Z 1000 --domZ 5 few.fa demo.fa
    beside_hmmer jackhmmer --cpu 1 -N 2 --chkhmm ck --chkali ca --tblout tbl --domtblout dom -A al -o rep --F1 0.03 --F2 0.002 \
        --F3 1e-4 --nobias --wblosum --wid 0.5 --eclust --eid 0.7 --plaplace --fragthresh 0.4 few.fa demo.fa
    beside_hmmer jackhmmer --cpu 1 -N 1 -T 20 --domT 10 --incT 30 --eset 3 --pnone --wgsc --esigma 40 --ere 0.6 few.fa small.fa
}

@test "by HMMER's names an input without one byte is an error, as there; no output is left" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    : >zero
    gzip -c zero >zero.gz
    head -2 demo.fa >query.fa
    local n=0 words
    while IFS= read -r words; do
        for f in zero zero.gz; do
            rm -f new.*
            # shellcheck disable=SC2086 # words
            run -1 --separate-stderr $words $f
            [[ $stderr =~ ': '$f' is empty, expected sequences'$ ]] || fail "$words $f: $output $stderr"
            [ -z "$(ls new.* 2>/dev/null)" ] || fail "$words $f: $(ls new.*) was left"
            n=$((n + 1))
        done
    done <<'EOF'
hmmsearch -o new.out --tblout new.tbl -A new.sto m.hmm
hmmsearch -o new.out --tformat fasta m.hmm
hmmscan -o new.out --domtblout new.dom m.hmm
hmmscan --qformat fasta m.hmm
phmmer -o new.out query.fa
jackhmmer -N 2 -o new.out query.fa
nhmmer -o new.out --tblout new.tbl made.hmm
nhmmscan -o new.out made.hmm
hmmalign -o new.sto m.hmm
EOF
    [ $n -eq 18 ]
    printf '\n' >blank # that has one
    hmmsearch -o got m.hmm blank
    hmmsieve m.hmm zero >got # the tools themselves take it for no sequences
    grep -qx '\[ok\]' got
}

@test "hmmbuild that fails leaves no file of models, and an old one as it was" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    : >zero
    printf '>a\nMK1V\n' >bad.fa
    for f in zero bad.fa none m.hmm . /dev/null; do
        rm -f new.hmm new.sum
        run -1 hmmbuild -o new.sum new.hmm $f
        [ ! -e new.hmm ] && [ ! -e new.sum ] || fail "$f: $(ls new.*)"
        echo old >new.hmm
        run -1 hmmbuild new.hmm $f
        [ "$(cat new.hmm)" = old ] || fail "$f"
    done
    run -1 hmmsieve -o new.out m.hmm none
    [ ! -e new.out ]
    rm new.hmm
}

@test "hmmbuild of Stockholm that is said to be SELEX: an error, as there, and no model of its lines" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    printf '# STOCKHOLM 1.0\n#=GF AC PF1.2\na MKVLAT\nb MKVLAT\n//\n' >said.sto
    run -1 --separate-stderr hmmbuild --informat selex new.hmm said.sto
    [[ $stderr =~ 'said.sto: line 2: ' ]] || fail "$stderr"
    [ ! -e new.hmm ]
    printf '#=GF AT\na    MKVLAT\n#=SS HHHHHH\n# no row\n#=SA 123456\nb    MKVLAT\n' >rows.slx
    hmmbuild --amino --informat selex -o sum new.hmm rows.slx
    [ "$(awk '!/^#/ && NF { print $3, $4 }' sum)" = "3 6" ]
    rm new.hmm
}

@test "hmmalign keeps tabs and blanks of descriptions, as hmmalign of HMMER does" {
    printf '>a\tb c\td  \nGKVNVDEVGGEALGRLLVVYPWTQRFFESFG\n' >tab.fa
    hmmfit "$data/globins4.hmm" tab.fa >got
    same <(printf '#=GS a DE b c\td  \n') <(grep '^#=GS' got)
}

@test "hmmbuild by name: models, summary and what it saves" {
    newer hmmbuild
    awk '/^>/ { n++ } n > 4 { exit } 1' demo.fa | hmmfit -o rows.sto m.hmm -
    awk '/^>/ { n++ } n > 1 { exit } 1' demo.fa >one.fa
    printf '# STOCKHOLM 1.0\na ACGTACGTAACGATCAGCTACGACTGAC\nb ACGTACGTAACGATCAGCTACG-CTGAC\nc ACG-ACGTAACGATCAGGTACG-CTGAC\n//\n' >dna.sto
    beside_hmmer hmmbuild --cpu 1 new.hmm rows.sto
    beside_hmmer hmmbuild --cpu 1 -n nm -o sum -O res --amino --hand --fragthresh 0.4 --wblosum --wid 0.5 --eclust --eid 0.6 \
        --plaplace --EmL 100 --Eft 0.05 --seed 3 --maxinsertlen 7 new.hmm rows.sto
    beside_hmmer hmmbuild -n other -O res --eentexp --mx PAM30 new.hmm rows.sto
    beside_hmmer hmmbuild --eset 0 --w_length 3 new.hmm rows.sto
    beside_hmmer hmmbuild --dna --w_length 3 new.hmm dna.sto
    beside_hmmer hmmbuild --dna --eset 4 --symfrac 0.4 --w_beta 1e-5 new.hmm dna.sto
    beside_hmmer hmmbuild --singlemx --popen 0.03 --pextend 0.3 --mx BLOSUM45 --informat afa new.hmm one.fa
}

@test "heads of reports and option settings of tables: those of HMMER 3.4, for 103 command lines" {
    mkdir -p heads
    cd heads
    awk '/^>/ { n++ } n > 5 { exit } 1' ../demo.fa >t.fa
    head -2 t.fa >q.fa
    awk '/^>/ { n++ } n > 1 || NR > 20 { exit } 1' ../short.fa >d.fa
    cp ../globins4.hmm m.hmm
    cp ../made.hmm d.hmm
    cp "$data/golden/build/tinyali.sto" a.sto
    zcat "$data/golden/options/heads.gz" >want
    [ "$(grep -c '^> ' want)" -eq 103 ]
    sh "$top/tests/options.sh" "$(hmmsieve --hmmer-path)" <want >got
    same want got
}

@test "hmmbuild by name takes what HMMER 3.4 takes: --eentexp, a score matrix that nothing uses, MAXL of 3" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    local map=$data/golden/build/opt_odd.sto o
    models() { grep -v '^DATE' "$1"; }
    hmmbuild -o sum --eentexp got.hmm "$map"
    hmmcast --eentexp "$map" >want.hmm
    same <(models want.hmm) <(models got.hmm)
    grep -q 'effective seq' sum && fail "hmmbuild does not tell it: $(cat sum)"
    hmmbuild -h | grep -q eentexp && fail "hmmbuild's help does not show it"
    hmmcast "$map" >want.hmm
    for o in '--mx PAM30' '--mx none' '--mxfile none'; do
        # shellcheck disable=SC2086 # words
        hmmbuild -o sum $o got.hmm "$map"
        same <(models want.hmm) <(models got.hmm) || fail "$o"
        grep -q '^# subst score matrix .*: *[Pn][Ao][Mn]' sum || fail "$o: $(cat sum)"
    done
    run -1 --separate-stderr hmmbuild --singlemx --mx none got.hmm "$map"
    run -1 --separate-stderr hmmbuild --mx PAM30 --mxfile none got.hmm "$map"
    printf '>a\nACGTACGTACGTAAAC\n>b\nACGTACGTACGTAAAA\n' >d.afa
    hmmbuild -o sum --dna --w_length 3 got.hmm d.afa
    grep -qx 'MAXL  3' got.hmm
}

@test "hmmbuild writes models and summary to standard output, one after the other" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    export SOURCE_DATE_EPOCH=0
    local to
    cat "$data"/golden/build/{globins4,tinyali}.sto >two.sto
    hmmbuild -o want.sum want.hmm two.sto
    for to in /dev/stdout /dev/fd/1; do
        hmmbuild $to two.sto >got # a file
        hmmbuild $to two.sto | same - got
        same <(cat want.hmm want.sum | sed 's/want.hmm$/OUT/; /^# output directed/d') <(sed "s|$to\$|OUT|" got)
    done
    hmmbuild -o sum /dev/stdout two.sto >got
    same <(grep -v ^DATE want.hmm) <(grep -v ^DATE got)
    { cat two.sto; echo x; } >bad.sto
    run --separate-stderr hmmbuild /dev/stdout bad.sto
    [ "$status" -eq 1 ]
    told 'bad.sto' 'line'
    [ "$(grep -c '^//\|^[12]  *[bt]' <<<"$output")" -eq 4 ] || fail "a model or its line is lost: $output"
    misused hmmbuild -o got.hmm got.hmm two.sto
}

misused() { # misused COMMAND...: on standard output with the usage line, status 1, as HMMER does
    run -1 --separate-stderr "$@"
    [ -z "$stderr" ] || fail "$*: $stderr"
    [[ $output =~ $'\nUsage: '"$1 " ]] || fail "$*: $output"
}
@test "misuse under its names: on standard output, status 1" {
    PATH=$(hmmsieve --hmmer-path):$PATH
    misused hmmsearch
    misused hmmsearch m.hmm
    misused hmmsearch m.hmm demo.fa -E 1
    misused hmmsearch m.hmm demo.fa demo.fa
    misused hmmsearch --backend scalar m.hmm demo.fa # an option of hmmsieve
    misused hmmsearch --cut m.hmm demo.fa
    misused hmmsearch -E 1 -E 2 m.hmm demo.fa
    misused hmmsearch -E 1 -T 5 m.hmm demo.fa
    misused hmmsearch -E nought m.hmm demo.fa
    misused hmmsearch -o --noali m.hmm demo.fa
    misused hmmsearch --noali=1 m.hmm demo.fa
    misused hmmsearch - - </dev/null
    misused hmmscan -A x m.hmm demo.fa
    misused nhmmer --incE 1 --incT 5 made.hmm short.fa
    misused nhmmer --tformat fmindex made.hmm short.fa
    misused nhmmscan -A x made.hmm short.fa
    misused phmmer small.fa
    misused phmmer --cut_ga small.fa demo.fa
    misused phmmer --seq_limit 3 small.fa demo.fa
    misused jackhmmer -N 0 small.fa demo.fa
    misused jackhmmer --hand small.fa demo.fa
    misused jackhmmer --wid 0.5 small.fa demo.fa
    misused jackhmmer --pfamtblout x small.fa demo.fa
    misused hmmbuild new.hmm
    misused hmmbuild - demo.fa
    misused hmmbuild --summary x new.hmm demo.fa
    misused hmmbuild --wid 0.5 new.hmm demo.fa
    [ ! -e new.hmm ]
    misused hmmpress
    misused hmmfetch three.hmm
    run -1 --separate-stderr hmmsearch none.hmm demo.fa
    [[ -z $output && $stderr =~ ^hmmsearch:.*none.hmm ]] || fail "$output $stderr"
}
