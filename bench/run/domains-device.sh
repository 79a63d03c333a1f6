#!/bin/sh
# SPDX-License-Identifier: MIT
# The domain stage on a device: bits, memory checker, tables and alignments against the CPU, times, kernels' speeds.
# For a machine that can build nothing: the first form packs what it needs, the second runs there.
#
#   domains-device.sh pack FOLDER BUILD MANY LONG PROTEOME HMMEMIT
#       BUILD: a folder of make B=BUILD SMS=90 PTX=90, with all programs, BUILD/tests/gpu/dom.o and BUILD/bench/run/dom.o
#       MANY: models, .h3m; LONG: one long model; PROTEOME: .fa.gz; HMMEMIT: HMMER's program
#   domains-device.sh run FOLDER OUT       some five minutes on one H200; OUT gets logs
set -eu

pack() {
    to=$1 b=$2
    mkdir -p "$to/tests/data/golden/dna-models"
    for t in hmmsieve nhmmsieve; do link "$to/$t" "$b/main/$t.o" "$b"; done
    link "$to/test" "$b/tests/gpu/dom.o" "$b"
    link "$to/bench" "$b/bench/run/dom.o" "$b"
    xz -T0 -c "$3" >"$to/pfam.h3m.xz"
    cp "$4" "$to/cobn.hmm"
    cp "$5" "$to/proteome.fa.gz"
    cp "$6" "$to/hmmemit"
    cp tests/data/golden/dna-models/MADE1.hmm.gz "$to/tests/data/golden/dna-models"
    cp "$0" "$to"
}

link() { # link PROGRAM OBJECT BUILD: with as few libraries of the system as the driver allows
    "${CC:-cc}" -s -o "$1" "$2" "$3/libwarpsieve.a" "${CUDA_LIB:-/usr/local/cuda/lib64}/libcudart_static.a" \
        -Wl,-Bstatic -lstdc++ -lxxhash -lz -Wl,-Bdynamic -static-libgcc -ldl -lrt -lpthread -lm
}

say() { echo "[$(($(date +%s) - begun)) s] $*"; }

search() { # search NAME BACKEND ARGUMENT...
    name=$1 backend=$2
    shift 2
    t0=$(date +%s.%N)
    status=0
    timeout 120 ./hmmsieve --stats --backend "$backend" --device-domains --cpu 16 -o /dev/null --tblout "$w/$name.tbl" \
        --domtblout "$w/$name.dom" "$@" 2>"$w/$name.err" || status=$?
    echo "$name status $status: $(echo "$(date +%s.%N) - $t0" | bc) s"
    cat "$w/$name.err"
}

same() { # same NAME OTHER: tables and alignments
    for x in tbl dom sto; do
        [ -f "$w/$1.$x" ] || continue
        grep -v '^# [A-Z]' "$w/$1.$x" >"$w/a"
        grep -v '^# [A-Z]' "$w/$2.$x" >"$w/b" || true
        if cmp -s "$w/a" "$w/b"; then echo "$2.$x: equal, $(wc -l <"$w/a") lines"; else echo "$2.$x: DIFFERENT"; fi
    done
}

run() {
    out=$(cd "$2" && pwd)
    cd "$1"
    begun=$(date +%s) w=$(mktemp -d)
    nvidia-smi -L
    xz -dc pfam.h3m.xz >"$w/pfam.h3m"
    gzip -dc proteome.fa.gz >"$w/one.fa"
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sed "s/^>/>$i./" "$w/one.fa"; done >"$w/twenty.fa"
    ./hmmemit -N 20000 --seed 3 cobn.hmm >"$w/deep.fa"
    awk '/^>/ { n++ } n > 1000 { exit } { print }' "$w/deep.fa" >"$w/few.fa"
    say "bits"
    timeout 100 ./test || echo "test: status $?"
    for tool in memcheck racecheck; do
        timeout 90 compute-sanitizer --tool $tool --error-exitcode 9 ./test -m 17 >"$out/$tool.log" 2>&1 || echo "$tool: status $?"
        tail -3 "$out/$tool.log"
    done
    say "tables and alignments"
    for b in avx512 cuda cuda+cpu; do
        search few.$b $b -A "$w/few.$b.sto" cobn.hmm "$w/few.fa"
        search one.$b $b -A "$w/one.$b.sto" "$w/pfam.h3m" "$w/one.fa"
        same few.avx512 few.$b
        same one.avx512 one.$b
    done
    say "times"
    for b in avx512 cuda cuda+cpu auto; do
        search deep.$b $b cobn.hmm "$w/deep.fa"
        search twenty.$b $b "$w/pfam.h3m" "$w/twenty.fa"
        same deep.avx512 deep.$b
        same twenty.avx512 twenty.$b
    done
    say "kernels"
    timeout 150 ./bench -p 2 -c 3000 -M 50,100,200,400,1092 -S 0,32768,65536,131072,220000 | tee "$out/bench.tsv"
    timeout 60 ncu --clock-control none --metrics gpu__time_duration.sum ./bench -p 1 -c 3000 -M 100,400,1092 >"$out/ncu.log" 2>&1 ||
        echo "ncu: status $?"
    say "done"
    rm -rf "$w"
}

what=$1
shift
case $what in
pack) pack "$@" ;;
run) run "$@" ;;
*) echo "domains-device.sh: pack or run, not \"$what\"" >&2; exit 2 ;;
esac
