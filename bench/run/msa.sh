#!/bin/sh
# SPDX-License-Identifier: MIT
# warpsieve-msa on a machine with a device: 100 chains against N G residues and half of them, with JSON. The machine builds nothing: the
# first form packs what the second needs there, which is python3 with numpy, 16 cores, 64 GB of memory and 1 GB of disk for each G.
#
#   msa.sh pack FOLDER BUILD PROTEOME...    BUILD: a folder of make B=BUILD SMS=90 PTX=90 ISAL=0; PROTEOME: .fa.gz, the first has the chains
#   msa.sh run FOLDER OUT [N [BACKEND...]]  OUT gets rows.tsv, logs and reports; N is 16, an even number; BACKENDs are auto and cuda
# A trial sets RESIDUES, of a part, to less than 1e9; what is called G is then less too.
# rows.tsv: G residues, backend, seconds of the whole command, the same for each G, GB of the largest process, bytes of JSON.
set -eu

pack() {
    to=$1 b=$2
    shift 2
    mkdir -p "$to/bin" "$to/share/warpsieve/python/warpsieve/msa"
    for t in jacksieve nhmmsieve hmmsieve hmmcast hmmfit respack; do
        "${CC:-cc}" -s -o "$to/bin/$t" "$b/main/$t.o" "$b/libwarpsieve.a" "${CUDA_LIB:-/usr/local/cuda/lib64}/libcudart_static.a" \
            -Wl,-Bstatic -lstdc++ -lxxhash -lz -lzstd -Wl,-Bdynamic -static-libgcc -ldl -lrt -lpthread -lm
    done
    cp packaging/python/warpsieve-msa "$to/bin"
    cp packaging/python/warpsieve/__init__.py "$to/share/warpsieve/python/warpsieve"
    cp packaging/python/warpsieve/msa/*.py "$to/share/warpsieve/python/warpsieve/msa"
    n=0
    for p; do n=$((n + 1)) && cp "$p" "$to/proteome$n.fa.gz"; done
    cp "$0" "$to/msa.sh"
    (cd "$to" && tar --remove-files -cf - bin | xz -T1 --lzma2=dict=96MiB >bin.tar.xz)
}

# Prints 1 G residues: rounds over all proteomes in which 0, 10 .. 90 % of the letters are others; part K of N has each N-th round.
part() { # part K N FOLDER RESIDUES
    python3 - "$@" <<'MAKE'
import glob, gzip, sys
import numpy as np
k, n, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
records = [r.partition(b"\n") for p in sorted(glob.glob(folder + "/proteome*.fa.gz")) for r in gzip.open(p, "rb").read().split(b">")[1:]]
texts = [r[2].replace(b"\n", b"") for r in records]
first = np.concatenate([[0], np.cumsum([len(t) for t in texts])]).tolist()
letters, rng = np.frombuffer(b"".join(texts), dtype=np.uint8), np.random.default_rng(k)
written, turn = 0, k
while written < float(sys.argv[4]):
    changed = letters.copy()
    at = np.flatnonzero(rng.random(len(letters), dtype=np.float32) < 0.1 * (turn % 10))
    changed[at] = letters[rng.integers(0, len(letters), len(at), dtype=np.int32)]
    text = changed.tobytes()
    sys.stdout.buffer.write(b"".join(b">%d.%s\n%s\n" % (turn, r[0], text[first[i]:first[i + 1]]) for i, r in enumerate(records)))
    written += len(text)
    turn += n
MAKE
}

# Runs a command and prints its seconds, and the GB of the largest process below it.
measured() {
    python3 - "$@" <<'RUN'
import resource, subprocess, sys, time
began = time.monotonic()
status = subprocess.call(sys.argv[1:])
print(f"{time.monotonic() - began:.2f}\t{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6:.2f}")
sys.exit(status)
RUN
}

run() {
    folder=$(cd "$1" && pwd) out=$2 n=${3:-16}
    shift $(($# < 3 ? $# : 3))
    [ $# -gt 0 ] || set -- auto cuda
    mkdir -p "$out" "$folder/db"
    [ -d "$folder/bin" ] || (cd "$folder" && xz -dc bin.tar.xz | tar -xf -)
    PATH=$folder/bin:$PATH
    began=$(date +%s)
    k=0
    while [ $k -lt "$n" ]; do
        name=$folder/db/whole-$(printf %05d-of-%05d $k "$n")
        [ -s "$name" ] || { part $k "$n" "$folder" "${RESIDUES:-1e9}" | respack -q -t 1 -o "$name.part" && mv "$name.part" "$name"; } &
        k=$((k + 1))
        [ $((k % 16)) -ne 0 ] || wait
    done
    wait
    k=0
    while [ $k -lt $((n / 2)) ]; do
        ln -sf "whole-$(printf %05d-of-%05d $k "$n")" "$folder/db/half-$(printf %05d-of-%05d $k $((n / 2)))"
        k=$((k + 1))
    done
    echo "made $n G residues in $(($(date +%s) - began)) s, $(du -shL "$folder/db" | cut -f1)" | tee "$out/made"
    zcat "$folder/proteome1.fa.gz" |
        awk '/^>/ { on = n++ % 43 == 0 && kept < 100; if (on) { kept++; $0 = ">chain" kept } } on' >"$out/chains.fa"
    cat "$folder"/db/whole-* >/dev/null # into memory, so that the first search is like the others
    printf 'giga\tbackend\tseconds\tseconds_a_giga\tgigabytes\tjson_bytes\n' | tee "$out/rows.tsv"
    for b; do
        for part in "half $((n / 2))" "whole $n"; do
            name=${part% *} g=${part#* } to=$folder/msa.$b.${part% *}
            rm -rf "$to"
            measured warpsieve-msa -o "$to" --fasta protein --backend "$b" --db "uniref90=$folder/db/$name@$g" "$out/chains.fa" \
                2>"$out/$b.$name.log" >"$out/row"
            [ "$(find "$to" -name '*_data.json' | wc -l)" -eq 100 ] ||
                { echo "msa.sh: $to lacks jobs" >&2; tail -3 "$out/$b.$name.log" >&2; exit 1; }
            bytes=$(cat "$to"/*.json | wc -c)
            awk -v g="$g" -v b="$b" -v n="$bytes" '{ printf "%s\t%s\t%s\t%.3f\t%s\t%s\n", g, b, $1, $1 / g, $2, n }' "$out/row" |
                tee -a "$out/rows.tsv"
            cp "$to/report.tsv" "$out/$b.$name.report.tsv"
            (cd "$to" && cat ./*.json | cksum) >"$out/$b.$name.sum"
        done
    done
    for name in half whole; do # all backends: the same bytes
        [ "$(cat "$out"/*."$name.sum" | sort -u | wc -l)" -eq 1 ] || { echo "msa.sh: backends differ, $name" >&2; exit 1; }
    done
    awk -F '\t' 'NR > 1 && $2 == b { x = ($3 - s) / ($1 - g); printf "%s: 230 G residues at %.3f s each and %.1f s besides: %.1f minutes\n",
        b, x, $3 - x * $1, (230 * x + $3 - x * $1) / 60 } { b = $2; g = $1; s = $3 }' "$out/rows.tsv" | tee "$out/whole"
}

what=$1
shift
case $what in
pack | run) "$what" "$@" ;;
*) echo "usage: msa.sh pack|run, see its head" >&2; exit 2 ;;
esac
