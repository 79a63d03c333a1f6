#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole executables, built with afl-clang-fast, under AFL++ for so many seconds each, and how often each ran. An input
# that crashes or hangs is kept in FOLDER/TARGET/default/crashes and hangs; the smallest form of it belongs into
# tests/fuzz/cases.
#   tests/fuzz/afl.sh BIN FOLDER SECONDS [TARGET...]
set -u
bin=$1 out=$2 seconds=$3
shift 3
[ $# -gt 0 ] || set -- sequences rows models pairhmm reads tree alignment volume
top=$(cd "$(dirname "$0")/../.." && pwd)
data=$top/tests/data
export AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_QUIET=1
mkdir -p "$out/small"
cp "$top/tests/fuzz/seeds/hmmtext/one" "$out/small/m.hmm"
cp "$data/papara/tiny5/ref.phy" "$data/papara/tiny5/ref.nwk" "$data/papara/tiny5/reads.fasta" "$out/small/"
printf '>a one\nACDEFGHIKL\nMNPQ\n>b\nWY\n' >"$out/small/s.fa"

# The seeds of a target into $out/in/TARGET, the command's arguments into $arguments (words; @@ is the input).
prepare() {
    in=$out/in/$1 small=$out/small
    mkdir -p "$in"
    case $1 in
    sequences)
        tool=ssvfilt arguments="-t 1 -a $small/m.hmm @@"
        cp "$small/s.fa" "$in/fasta"
        printf '@a x\nACDEF\n+\nIIIII\n@b\nWY\n+a\nII\n' >"$in/fastq"
        gzip -nc "$small/s.fa" >"$in/gz"
        "$bin/respack" -t 1 "$small/s.fa" >"$in/packed"
        "$bin/ssvfilt" -t 1 -a "$small/m.hmm" "$small/s.fa" >"$in/table"
        ;;
    rows)
        tool=fwdscore arguments="-t 1 $small/m.hmm @@"
        "$bin/ssvfilt" -t 1 -a "$small/m.hmm" "$small/s.fa" >"$in/ssv"
        "$bin/msvfilt" -t 1 -a "$small/m.hmm" "$small/s.fa" >"$in/msv"
        "$bin/msvfilt" -t 1 -a -O packed "$small/m.hmm" "$small/s.fa" >"$in/packed"
        ;;
    models)
        tool=msvfilt arguments="-t 1 -a @@ $small/s.fa"
        cp "$top"/tests/fuzz/seeds/hmmtext/* "$in/"
        for f in "$top"/tests/fuzz/seeds/hmmbin/*; do cp "$f" "$in/binary-$(basename "$f")"; done
        ;;
    pairhmm)
        tool=pairhmm arguments="-t 1 @@"
        head -c 700 "$data/pairhmm/formats/small.in" >"$in/batch"
        head -c 900 "$data/pairhmm/formats/small.results.txt" >"$in/results"
        gzip -nc "$in/batch" >"$in/gz"
        ;;
    reads)
        tool=papara-score arguments="-j 1 --quiet --alignment /dev/null $small/ref.phy $small/ref.nwk @@"
        cp "$small/reads.fasta" "$in/fasta"
        gzip -nc "$small/reads.fasta" >"$in/gz"
        ;;
    tree)
        tool=papara-score arguments="-j 1 --quiet --resolve --tree /dev/null $small/ref.phy @@ $small/reads.fasta"
        cp "$small/ref.nwk" "$in/tree"
        printf "(('A':1,B)x:2[c],(C,D)90,E);" >"$in/names"
        ;;
    alignment)
        tool=papara-score arguments="-j 1 --quiet @@ $small/ref.nwk $small/reads.fasta"
        cp "$small/ref.phy" "$in/phylip"
        awk 'NR > 1 { print ">" $1 "\n" $2 }' "$small/ref.phy" >"$in/fasta"
        ;;
    volume)
        tool=mrfseg arguments="-t 1 --classes 2 --sweeps 2 --boundary -O nii @@"
        cp "$top"/tests/fuzz/seeds/nifti/* "$in/"
        gzip -nc "$in/int16.nii" >"$in/gz"
        ;;
    *) echo "no target $1" >&2 && exit 2 ;;
    esac
}

bad=0
for target; do
    prepare "$target"
    # shellcheck disable=SC2086 # words
    afl-fuzz -i "$in" -o "$out/$target" -V "$seconds" -m 2048 -t 2000 -- "$bin/$tool" $arguments >"$out/$target.log" 2>&1
    stats=$out/$target/default/fuzzer_stats
    value() { sed -n "s/^$1 *: *//p" "$stats" 2>/dev/null; }
    echo "$target ($tool) $(value execs_done) executions, $(value saved_crashes) crashes, $(value saved_hangs) hangs" |
        tee -a "$out/counts"
    [ "$(value saved_crashes)" = 0 ] && [ "$(value saved_hangs)" = 0 ] || bad=1
done
exit $bad
