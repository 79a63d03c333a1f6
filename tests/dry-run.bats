#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --dry-run: what a run would be and cost, from a sample, and nothing written.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    export soon=20 # seconds, of sanitizers more
    [ -z "${WARPSIEVE_SLOW:-}" ] || soon=200
    make_data
    head -5 small.fa >query.fa
    for _ in $(seq 40); do cat demo.fa; done >big.fa
}
setup() { in_data; }

# A command of each tool with all its outputs, each to the file keep.N
command_of() {
    case $1 in
    domscore) echo domscore -o keep.1 --tblout keep.2 --domtblout keep.3 -A keep.4 m.hmm small.fa ;;
    hmmfit) echo hmmfit -o keep.1 m.hmm small.fa ;;
    hmmindex) echo hmmindex -o keep.1 m.hmm ;;
    hmmpick) echo hmmpick -o keep.1 three.hmm fn3 ;;
    hmmsieve) echo hmmsieve -o keep.1 --tblout keep.2 --domtblout keep.3 -A keep.4 m.hmm small.fa ;;
    hmmcast) echo hmmcast --amino --informat fasta -o keep.1 --summary keep.2 query.fa ;;
    mrfseg) echo mrfseg --classes 2 -o keep.1 --labels keep.2 "$data/golden/mrf/line.nii.gz" ;;
    nhmmsieve) echo nhmmsieve -o keep.1 --tblout keep.2 "$data"/golden/{dna-models/MADE1.hmm,long-targets/inputs/short.fa}.gz ;;
    pairhmm) echo pairhmm -o keep.1 "$data/pairhmm/edge.in.gz" ;;
    papara-score) echo papara-score --quiet -o keep.1 --alignment keep.2 --tree keep.3 "$data"/papara/tiny5/{ref.phy,ref.nwk,reads.fasta} ;;
    jacksieve) echo jacksieve -o keep.1 --tblout keep.2 --domtblout keep.3 -A keep.4 query.fa small.fa ;;
    seqsieve) echo seqsieve -o keep.1 --tblout keep.2 --domtblout keep.3 -A keep.4 query.fa small.fa ;;
    respack) echo respack -o keep.1 small.fa ;;
    sixframe) echo sixframe -o keep.1 "$data/golden/long-targets/inputs/short.fa.gz" ;;
    *) echo "$1" -o keep.1 -U keep.2 m.hmm small.fa ;;
    esac
}
value() { awk -F '\t' -v k="$1" '$1 == k { print $2 }' <<<"$output"; }

says_and_writes_nothing() {
    for i in 1 2 3 4; do echo "kept $i" >keep.$i; done
    # shellcheck disable=SC2046 # words
    run -0 --separate-stderr $(command_of "$1") --dry-run
    [ -z "$stderr" ] || fail "$stderr"
    for i in 1 2 3 4; do [ "$(cat keep.$i)" = "kept $i" ] || fail "keep.$i was written"; done
    [[ $(value program) == *" $(respack --version | sed -n '1s/.* //p')" ]] || fail "$output"
    [[ $(value threads) =~ ^[0-9]+$ && $(value memory) =~ ^[1-9][0-9]*\ MB ]] || fail "$output"
    # a busy machine may need more than the second of a sample
    [[ $(value sample) == *", which is all" || $(value sample) =~ in\ [1-9][0-9.]*\ s,\ .*of\ (the|an)\ input ]] || fail "$output"
    [[ $(value seconds) =~ ^([0-9.e+-]+|unknown)$ ]] || fail "$output"
    if [ -n "$(usage_of "$1" | grep MODEL)" ]; then
        [[ $(value models) =~ ^[1-9] && $(value nodes) =~ ^[1-9] && $(value backend) =~ ^[a-z] ]] || fail "$output"
    fi
}
@test "models, nodes, backend, memory and seconds, and no output is opened" { each says_and_writes_nothing $(all_tools); }

@test "models and nodes are those of the file; the backend is the one asked for" {
    run -0 msvfilt --dry-run --backend scalar -t 3 three.hmm small.fa
    [ "$(value models) $(value nodes) $(value backend) $(value threads)" = "3 $((149 + 260 + 86)) scalar 3" ] ||
        fail "$output"
    [[ $(value sample) == "40 sequences, "* ]] || fail "$output"
}

@test "a sample ends in time, and the seconds of the whole go by its share" {
    local seconds whole percent
    run -0 timeout "$soon" fwdscore -a --dry-run --backend scalar -t 1 three.hmm big.fa
    seconds=$(value sample | sed 's/.* in \([0-9.]*\) s, .*/\1/')
    percent=$(value sample | sed -n 's/.* s, \([0-9.e-]*\)% of the input$/\1/p')
    whole=$(value seconds)
    [ -n "$percent" ] || fail "$output"
    awk -v s="$seconds" -v p="$percent" -v w="$whole" 'BEGIN { e = s * 100 / p
        exit !(s >= 1 && p < 100 && w > e * 0.8 && w < e * 1.2) }' || fail "$output"
    run -0 bash -c 'cat big.fa | timeout "$soon" fwdscore -a --dry-run --backend scalar -t 1 three.hmm'
    [[ $(value seconds) = unknown && $(value sample) == *", of an input of unknown size" ]] || fail "$output"
}

@test "residues of the whole input: counted, by the size of the files, unknown; and what they cost by first guesses" {
    local all
    all=$(grep -v '>' big.fa | tr -d '\n' | wc -c)
    respack big.fa >big.wsp
    cat big.wsp demo.wsp >two.wsp
    run -0 timeout "$soon" hmmsieve -t 1 --backend scalar --dry-run three.hmm big.wsp # scalar code is slow, so a sample it is
    [ "$(value residues)" = "$all" ] || fail "$output"
    [[ $(value sample) == *"% of the input" ]] || fail "$output"
    run -0 timeout "$soon" hmmsieve -t 1 --backend scalar --dry-run three.hmm two.wsp demo.wsp
    [ "$(value residues)" = $((all + all / 40 * 2)) ] || fail "$output"
    # the share of what was read is that of residues, not of bytes that wait
    awk -v sample="$(value sample)" -v all="$(value residues)" 'BEGIN {
        split(sample, f, ", "); r = f[2] + 0; if (f[2] ~ /M/) r *= 1e6; else r *= 1e3
        split(f[5], p, "%"); exit !(p[1] > 95 * r / all && p[1] < 105 * r / all) }' || fail "$output"
    run -0 timeout "$soon" hmmsieve -t 1 --backend scalar --dry-run three.hmm big.fa
    [[ $(value residues) == "about "*", by the size of the files" ]] || fail "$output"
    awk -v r="$(value residues | cut -d' ' -f2 | tr -d ,)" -v all="$all" 'BEGIN { exit !(r > all / 2 && r < all * 2) }' || fail "$output"
    run -0 hmmsieve -t 2 --backend avx2 --dry-run m.hmm small.fa
    [ "$(value residues)" = "$(grep -v '>' small.fa | tr -d '\n' | wc -c)" ] || fail "$output"
    local form='^([0-9.e-]+) h, seconds: ([0-9.e-]+) s on 2 threads with avx2; .*, 3.7e\+10 cells/s$'
    [[ $(value core_hours) =~ $form ]] || fail "$output"
    awk -v h="${BASH_REMATCH[1]}" -v s="${BASH_REMATCH[2]}" -v r="$(value residues)" 'BEGIN {
        want = r * 260 / 3.7e10
        exit !(s > want / 2 * .9 && s < want / 2 * 1.1 && h * 3600 > want * .9 && h * 3600 < want * 1.1) }' || fail "$output"
    [[ $(value gpu_hours) == *" s on 1 GPU of capability 9.0; a first guess "*", 2.3e+13 cells/s" ]] || fail "$output"
    run -0 bash -c 'cat big.fa | timeout "$soon" hmmsieve -t 1 --backend scalar --dry-run three.hmm'
    [[ $(value residues) == unknown* && -z $(value core_hours) ]] || fail "$output"
    head -c 100000 big.wsp >cut.wsp # no end
    run timeout "$soon" hmmsieve -t 1 --backend scalar --dry-run three.hmm cut.wsp
    [ "$(value residues)" != "$all" ] || fail "$output"
}

# A record is read long before its ORFs are searched.
@test "the sample of one long record that is translated says which part of its ORFs it is" {
    local all
    awk 'BEGIN { srand(3); print ">one"
        for (i = 0; i < 1000000; i++) printf "%s%s", substr("ACGT", 1 + int(4 * rand()), 1), i % 60 == 59 ? "\n" : "" }' >one.fa
    all=$(sixframe -O tsv --no-seq one.fa | sed -n 's/^##end .*residues=//p')
    run -0 timeout "$soon" fwdscore -a -t 1 --backend scalar --dry-run --translate three.hmm one.fa
    [[ $(value sample) == *"% of the input" ]] || fail "$output"
    awk -v sample="$(value sample)" -v r="$(value residues | cut -d' ' -f2)" -v all="$all" 'BEGIN {
        split(sample, f, ", "); part = (f[2] ~ /M/ ? 1e8 : 1e5) * f[2] / all
        exit !(r > all * .7 && r < all * 1.3 && f[6] + 0 > part * .7 && f[6] + 0 < part * 1.3) }' || fail "$all residues: $output"
}

@test "docs/jobsize.md is what tests/jobsize.py makes of the measured tables" {
    wants python3
    python3 "$top/tests/jobsize.py" >page
    same page "$top/docs/jobsize.md"
    for f in $(grep -o '`[a-z0-9-]*\.tsv`' page | tr -d '`' | sort -u); do [ -s "$top/bench/data/$f" ] || fail "$f is not there"; done
}

@test "what the run would refuse, the dry run refuses" {
    run --separate-stderr msvfilt --dry-run -f bogus m.hmm small.fa
    refused 2 'no column "bogus"'
    run --separate-stderr msvfilt --dry-run m.hmm nosuch.fa
    refused 1 'nosuch.fa'
    run --separate-stderr msvfilt --dry-run -o small.fa m.hmm small.fa
    refused 2 'small.fa is also read'
}

@test "domscore takes a sample of a table without knowing its end" {
    ssvfilt -a m.hmm big.fa | fwdscore -a m.hmm >all.fwd
    run -0 --separate-stderr timeout 60 domscore -E 1e9 -t 1 --dry-run m.hmm all.fwd
    [ -z "$stderr" ] || fail "$stderr"
    [[ $(value seconds) =~ ^[0-9.]+$ ]] || fail "$output"
}
