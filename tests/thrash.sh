#!/bin/sh
# SPDX-License-Identifier: MIT
# The pipeline under random loads: tools x batch sizes x threads x backends x slow and bursty producers and consumers.
# Every output must be the bytes of a plain run. Meant for builds with the thread sanitizer too, whose reports are
# failures.
#   tests/thrash.sh ROUNDS [SEED]     programs: WARPSIEVE_BIN, or bin/
set -eu
rounds=$1 seed=${2:-1}
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${WARPSIEVE_BIN:-$top/bin}:$PATH
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 ${TSAN_OPTIONS:-}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

cat "$top/tests/data/globins4.hmm" "$top/tests/data/demo.hmm" "$top/tests/data/fn3.hmm" >m.hmm
# enough that a batch is worked on in parts
{ cat m.hmm && sed 's/^NAME  .*/&_2/' m.hmm && sed 's/^NAME  .*/&_3/' m.hmm; } >wide.hmm
gzip -dc "$top/tests/data/demo.fa.gz" | head -n "${THRASH_LINES:-1500}" >db.fa
gzip -c db.fa >db.gz
respack -t 1 db.fa >db.wsp
ssvfilt -t 1 -a m.hmm db.fa | head -n 300 >rows && sed '/^##/d; s/^#//' rows >db.tsv
respack -t 1 db.tsv >pairs.wsp
awk '/^>/ { n++ } n > 7 { exit } n > 2 { print }' db.fa >queries.fa
cp "$top/tests/data/demo.hmm" one.hmm
for f in tinyali globins4 opt_odd; do
    sed "/^#=GF ID/d; s/^# STOCKHOLM 1.0/&\n#=GF ID $f/" "$top/tests/data/golden/build/$f.sto"
done >families.sto
gzip -c families.sto >families.gz
# a genome
gzip -dc "$top/tests/data/golden/dna-models/MADE1.hmm.gz" >made.hmm
for f in short dna_target; do gzip -dc "$top/tests/data/golden/long-targets/inputs/$f.fa.gz"; done >genome.fa
gzip -c genome.fa >genome.gz
gzip -dc "$top/tests/data/golden/nhmmer/multi.fa.gz" >sequences.fa # as queries

# Copies standard input in pieces of random sizes up to SIZE; sleeps up to MS milliseconds after some.
cat >pace.py <<'PACE'
import os, random, sys, time
size, ms, r = int(sys.argv[1]), float(sys.argv[2]), random.Random(int(sys.argv[3]))
while True:
    piece = os.read(0, r.randint(1, size))
    if not piece: break
    while piece: piece = piece[os.write(1, piece):]
    if r.random() < 0.1: time.sleep(r.random() * ms / 1000)
PACE

rnd=$seed
pick() { # pick WORD...: one of them into $it; a generator of our own, so that a seed is a test
    rnd=$(((rnd * 1103515245 + 12345) % 2147483648))
    shift $((rnd / 65536 % $#))
    it=$1
}
pace() { # into $it
    pick "cat" "cat" "100000 0" "3000 5" "60000 80" "300 1"
    [ "$it" = cat ] || it="python3 pace.py $it $rnd"
}

n=0
while [ $n -lt "$rounds" ]; do
    pick ssvfilt msvfilt vitfilt fwdscore domscore respack nhmmsieve hmmsieve seqsieve jacksieve \
        hmmcast hmmfit && tool=$it
    pick db.fa db.gz db.wsp db.tsv pairs.wsp && input=$it
    pick tsv tsv fasta packed ids && out=$it
    [ $tool != domscore ] || [ $out != packed ] || out=a2m
    pick 1 100 3000 20000 128K 1G && batch=$it
    pick 1 2 3 4 8 && threads=$it
    pace && producer=$it
    pace && consumer=$it
    model='' backend='' all=''
    if [ $tool = nhmmsieve ]; then
        pick genome.fa genome.gz && input=$it && pick '' '--block_length 50000' '--block_length 60000' && all=$it
        pick tsv text text sto tblout bed gff3 && out=$it
        pick made.hmm made.hmm sequences.fa && model=$it
        [ $model$out != made.hmmtext ] || { pick '' --scan && [ -z "$it" ] || all=$it; }
        pick scalar avx2 avx512 && backend="--backend $it"
        $tool --list-backends | grep -q "^$it.yes" || backend=''
    elif [ "${tool%sieve}" != $tool ]; then # whole searches
        pick db.fa db.gz db.wsp && input=$it
        pick tsv tblout text a3m ids && out=$it
        pick queries.fa queries.fa && model=$it
        [ $tool != hmmsieve ] || { pick m.hmm wide.hmm && model=$it; }
        pick scalar avx2 avx512 && backend="--backend $it"
        $tool --list-backends | grep -q "^$it.yes" || backend=''
        pick '' '' '--max' '--F1 0.3 -E 1e4' && all=$it
        [ $tool = hmmsieve ] || all="$all --EmN 20 --EvN 20 --EfN 50"
        [ $tool != jacksieve ] || all="$all -N 1"
    elif [ $tool = hmmcast ]; then # -O is another file there
        pick families.sto families.gz db.fa && input=$it && all=--amino out=models
        [ $it != db.fa ] || all='--amino --informat fasta'
        pick scalar avx2 avx512 && backend="--backend $it"
        $tool --list-backends | grep -q "^$it.yes" || backend=''
        all="$all --no-provenance --EmN 20 --EvN 20 --EfN 50"
    elif [ $tool = hmmfit ]; then
        pick db.fa db.gz db.wsp && input=$it && model=one.hmm
        pick stockholm pfam a2m a3m afa psiblast clustal phylip phylips selex && out=$it
        pick scalar avx2 avx512 && backend="--backend $it"
        $tool --list-backends | grep -q "^$it.yes" || backend=''
        pick '' --trim && all=$it
    elif [ $tool != respack ]; then
        pick m.hmm m.hmm m.hmm wide.hmm && model=$it
        pick scalar avx2 avx512 && backend="--backend $it"
        $tool --list-backends | grep -q "^$it.yes" || backend=''
        pick '' '-a' && all=$it
        case $tool$input in domscoredb.tsv | domscorepairs.wsp) all="$all -Z 1500" ;; esac # which do not say their size
    fi
    mem='' # the filters' limit; domscore and nhmmsieve need that of one region, and respack has none
    case $tool in
    *filt | fwdscore) pick '' '' '--mem 1M' '--mem 20M' && mem=$it ;;
    hmmfit) pick '' '--mem 1' && mem=$it ;;
    esac
    form="-O $out"
    [ $tool != hmmcast ] || form=''
    want=want.$tool.$model.$input.$out$all
    # shellcheck disable=SC2086 # words
    [ -f "$want" ] || $tool -t 1 $all $form $model <$input >"$want"
    # shellcheck disable=SC2086
    { $producer <$input | { $tool -K $batch -t $threads $mem $backend $all $form $model ||
        echo "status $?" >failed; } |
        $consumer >got; } 2>err
    # reports and HMMER's tables say which options were given, and when
    case $out in
    text | tblout)
        sed -i '/^# number of worker threads:/d; /^# multithread parallelization:/d; /^# Option settings:/d; /^# Date:/d' "$want" got
        ;;
    esac
    if [ -e failed ] || [ -s err ] || ! cmp -s "$want" got; then
        echo "not ok $((n + 1)) - seed $seed: $producer <$input | $tool -K $batch -t $threads $mem $backend $all $form $model | $consumer"
        cat failed err 2>/dev/null | head -40
        cmp "$want" got | head -1
        exit 1
    fi
    n=$((n + 1))
done
echo "ok 1 - $n runs from seed $seed, each the bytes of a plain run"
