#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole searches on a machine with a device, with tables and alignments against the CPU and against HMMER; the domain stage's
# bits, memory and race checkers, kernels' speeds. The machine builds nothing: the first form packs what the second needs there.
#
#   device.sh pack FOLDER BUILD MANY LONG HMMER DNA PROTEOME,PROTEOME,PROTEOME GENOME...
#       BUILD: a folder of make B=BUILD SMS=90 PTX=90 ISAL=0, with all programs, BUILD/tests/gpu/dom.o and BUILD/bench/run/dom.o
#       MANY: models, .h3m; LONG: one long model; HMMER: the folder of its programs, static; DNA: a file of DNA models;
#       PROTEOME: .fa.gz, the first for searches with models and for queries; GENOME: FASTA, four of about 2 Mb
#       together. Stretches of the first are more models, until there are 16 and 48
#   device.sh run FOLDER OUT PART...     OUT gets logs, and rows.tsv, a line for each search; a call of ten minutes holds two parts
#       bits       the domain stage on the device, with compute-sanitizer
#       kernels    its cells a second
#       proteins   models x proteomes; two: 1,200 models x 590 M residues on one device and on two, with 16 threads and all
#       family     1.5 million homologs of the long model, -A, within 4 GB of memory, where the user may make a cgroup
#       genomes    DNA models x 63 and 300 Mb
#       queries    100 proteins x 1 G residues
#       singles    models of 10,000 proteins
#       cores      without the device: queries, scans and made models beside HMMER with 16 threads
# A part says the seconds it took. A search that takes longer than two minutes ends.
set -eu

pack() {
    to=$1 b=$2 many=$3 long=$4 hmmer=$5 dna=$6 proteomes=$7
    mkdir -p "$to/tests/data/golden/dna-models"
    peers="hmmemit phmmer jackhmmer hmmscan hmmpress"
    programs="hmmsieve nhmmsieve jacksieve seqsieve hmmcast respack"
    for t in $programs; do link "$to/$t" "$b/main/$t.o" "$b"; done
    link "$to/test" "$b/tests/gpu/dom.o" "$b"
    link "$to/bench" "$b/bench/run/dom.o" "$b"
    xz -T0 -c "$many" >"$to/pfam.h3m.xz"
    cp "$long" "$to/cobn.hmm"
    IFS=,
    n=0
    for p in $proteomes; do n=$((n + 1)) && cp "$p" "$to/proteome$n.fa.gz"; done
    unset IFS
    for p in $peers; do strip -o "$to/$p" "$hmmer/$p"; done
    cp tests/data/golden/dna-models/MADE1.hmm.gz "$to/tests/data/golden/dna-models"
    cp "$0" bench/run/genome-make.py bench/run/proteins-make.py "$to"
    shift 7
    for n in 16 48; do
        { awk 1 "$dna" && genes $((n - $(grep -c '^NAME' "$dna"))) "$1" "$to/hmmcast"; } | xz -c >"$to/m$n.hmm.xz"
    done
    k=0
    for g in "$@"; do k=$((k + 1)) && xz -c "$g" >"$to/base$k.fa.xz"; done
    # Programs share most of their bytes.
    (cd "$to" && tar --remove-files -cf - test bench $programs $peers | xz -T1 --lzma2=dict=96MiB >programs.tar.xz)
}

link() { # link PROGRAM OBJECT BUILD: with as few libraries of the system as the driver allows
    "${CC:-cc}" -s -o "$1" "$2" "$3/libwarpsieve.a" "${CUDA_LIB:-/usr/local/cuda/lib64}/libcudart_static.a" \
        -Wl,-Bstatic -lstdc++ -lxxhash -lz -lzstd -Wl,-Bdynamic -static-libgcc -ldl -lrt -lpthread -lm
}

genes() { # genes N GENOME HMMCAST: models of N stretches
    awk -v n="$1" '!/^>/ { x = x $0 }
        END {
            for (k = 0; k < n; k++)
                printf ">gene%d\n%s\n", k + 1, substr(x, 1 + int(k * (length(x) - 2000) / n), 600 + 150 * (k % 9))
        }' "$2" | "$3" --dna --singlemx --informat fasta -
}

say() { echo "[$(($(date +%s) - begun)) s] $*"; }

# Runs a search and adds a line to rows.tsv: row, backend, seconds, MB of the host's memory, status, whether its tables
# and alignments are those of the row's first search. The program has only the options that follow.
search() { # search ROW BACKEND PROGRAM ARGUMENT...
    row=$1 backend=$2 at=$w/$1.$2
    shift 2
    measure "$@" --backend "$backend"
}

measure() { # measure PROGRAM ARGUMENT...: for `search` and `peer`
    figures=$(AT=$at python3 - "$@" <<'PYTHON'
import os, resource, subprocess, sys, time
at = os.environ["AT"]
argument = [a.replace("@", at) for a in sys.argv[1:]]
begun = time.time()
# a wait with a timeout of Python's own looks 20 times a second
status = subprocess.run(["timeout", "120", *argument], stdout=subprocess.DEVNULL, stderr=open(at + ".err", "w")).returncode
print(f"{time.time() - begun:.2f}\t{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024}\t{status}")
PYTHON
    )
    [ -e "$w/$row.first" ] || echo "$at" >"$w/$row.first"
    equal=$(same "$(cat "$w/$row.first")" "$at")
    printf '%s\t%s\t%s\t%s\n' "$row" "$backend" "$figures" "$equal" | tee -a "$out/rows.tsv"
    cat "$at.err" >>"$out/stats.log"
}

same() { # same NAME OTHER: prints which files differ
    verdict=equal
    [ -s "$1.tbl" ] || [ -s "$1.sto" ] || verdict="no output"
    for x in tbl dom sto; do
        [ -f "$1.$x" ] || continue
        grep -v '^# [A-Z]' "$1.$x" >"$w/a" || true
        grep -v '^# [A-Z]' "$2.$x" >"$w/b" || true
        [ -s "$w/a" ] && cmp -s "$w/a" "$w/b" || verdict="DIFFERENT: $x"
    done
    echo "$verdict"
}

proteins() { # proteins ROW BACKEND ARGUMENT...: a search with both tables
    row=$1 backend=$2
    shift 2
    search "$row" "$backend" ./hmmsieve --stats --noali --cpu "$cpu" -o /dev/null --tblout @.tbl --domtblout @.dom "$@"
}

genomes() { # genomes ROW BACKEND MODELS GENOME
    search "$1" "$2" ./nhmmsieve --stats --cpu 16 -O tblout -o @.tbl "$3" "$4"
}

copies() { # copies N FASTA
    i=0
    while [ $i -lt "$1" ]; do i=$((i + 1)) && sed "s/^>/>$i./" "$2"; done
}

bits() {
    timeout 150 ./test || echo "test: status $?"
    for tool in memcheck racecheck initcheck; do
        timeout 100 compute-sanitizer --tool $tool --error-exitcode 9 ./test -m 33 >"$out/$tool.log" 2>&1 || echo "$tool: status $?" &
    done
    wait
    tail -n 3 "$out/memcheck.log" "$out/racecheck.log" "$out/initcheck.log"
}

all_proteins() {
    ./hmmemit -N 100000 --seed 3 cobn.hmm >"$w/family.fa"
    awk '/^>/ { n++ } n > 20000 { exit } { print }' "$w/family.fa" >"$w/deep.fa"
    copies 20 "$w/one.fa" >"$w/twenty.fa"
    for b in avx512 cuda cuda cuda cuda+cpu cuda+cpu auto auto; do
        proteins deep $b cobn.hmm "$w/deep.fa"
        proteins 59M $b "$w/pfam.h3m" "$w/twenty.fa"
    done
    for b in avx512 cuda cuda+cpu; do proteins deep-A $b -A @.sto cobn.hmm "$w/deep.fa"; done
    proteins family-A cuda+cpu -A @.sto cobn.hmm "$w/family.fa"
}

all_genomes() {
    for f in base?.fa.xz m??.hmm.xz; do xz -dc "$f" >"$w/${f%.xz}"; done
    python3 genome-make.py "$w/m16.hmm" 63 150 "$w"/base?.fa >"$w/63.fa"
    python3 genome-make.py "$w/m48.hmm" 300 150 "$w"/base?.fa >"$w/300.fa"
    for b in avx512 cuda cuda cuda+cpu cuda+cpu; do genomes m16-63Mb $b "$w/m16.hmm" "$w/63.fa"; done
    for b in avx512 cuda cuda+cpu; do genomes m16-300Mb $b "$w/m16.hmm" "$w/300.fa"; done
    for b in cuda cuda+cpu; do genomes m48-300Mb $b "$w/m48.hmm" "$w/300.fa"; done
}

kernels() {
    timeout 150 ./bench -p 2 -c 2000 -M 50,100,200,400,1092 -W 1,100000 | tee "$out/bench.tsv"
    timeout 90 ncu --clock-control none --set basic --section WarpStateStats --section Occupancy -k regex:wide \
        ./bench -p 1 -c 2000 -M 200,1092 -W 1 >"$out/ncu.log" 2>&1 || echo "ncu: status $?"
}

two_devices() {
    copies 200 "$w/one.fa" >"$w/many.fa"
    for cpu in 16 "$(nproc)"; do
        for d in 0 0,1; do proteins 590M-$d-$cpu cuda --device $d "$w/pfam.h3m" "$w/many.fa"; done
    done
    cpu=16
}

family() {
    for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        ./hmmemit -N "${FAMILY:-93750}" --seed $k cobn.hmm | sed "s/^>/>$k./" >"$w/part.$k" &
    done
    wait
    cat "$w"/part.* >"$w/family.fa"
    rm "$w"/part.*
    python3 - ./hmmsieve --backend "${BACKEND:-cuda}" --cpu 16 --mem 4G --noali -o /dev/null -A /dev/null --tblout "$w/family.tbl" \
        cobn.hmm "$w/family.fa" <<'PYTHON' | tee "$out/family.txt"
import os, subprocess, sys, time
limit, folders = 4 << 30, ("/sys/fs/cgroup/memory/family", "/sys/fs/cgroup/family")
group = next((f for f in folders if os.path.isdir(os.path.dirname(f)) and os.access(os.path.dirname(f), os.W_OK)), None)
if group:
    os.makedirs(group, exist_ok=True)
    most = next(n for n in ("memory.limit_in_bytes", "memory.max") if os.path.exists(f"{group}/{n}"))
    open(f"{group}/{most}", "w").write(str(limit))
enter = lambda: group and open(f"{group}/cgroup.procs", "w").write(str(os.getpid()))
begun, top = time.time(), {}
p = subprocess.Popen(sys.argv[1:], preexec_fn=enter)
while p.poll() is None:
    try:
        lines = [l.split() for l in open(f"/proc/{p.pid}/status") if l.startswith("Rss")]
    except OSError:
        lines = []
    for name, kb, *_ in lines:
        top[name[:-1]] = max(top.get(name[:-1], 0), int(kb) >> 10)
    time.sleep(0.1)
print(f"{time.time() - begun:.1f} s, status {p.returncode}, most MB {top}, limit {limit if group else 'none'}")
PYTHON
    echo "$(grep -vc '^#' "$w/family.tbl") targets" | tee -a "$out/family.txt"
}

# 100 proteins of the first proteome, every 60th, as AlphaFold calls jackhmmer.
all_queries() {
    every 60 100 proteome1.fa.gz >"$w/100.fa"
    head -n "$(grep -n '^>' "$w/100.fa" | sed -n '2s/:.*//p' | awk '{ print $1 - 1 }')" "$w/100.fa" >"$w/1.fa"
    python3 proteins-make.py 1000 proteome?.fa.gz | ./respack >"$w/1G.ws"
    set -- ./jacksieve --stats -o /dev/null -A @.sto --tblout @.tbl --noali \
        --F1 0.0005 --F2 0.00005 --F3 0.0000005 --cpu 16 -N 1 -E 0.0001 --incE 0.0001
    for n in 1 100; do
        for b in cuda cuda cuda+cpu auto; do search "$n-queries" $b "$@" "$w/$n.fa" "$w/1G.ws"; done
    done
}

every() { # every N MOST FASTA.GZ: every Nth record
    gzip -dc "$3" | awk -v n="$1" -v most="$2" '/^>/ { on = ++k % n == 0 && ++taken <= most } on'
}

# A line of seconds and status for HMMER's side, whose table is compared with ours.
all_cores() {
    every 60 102 proteome1.fa.gz >"$w/102.fa"
    every 16 380 proteome1.fa.gz >"$w/380.fa"
    gzip -dc proteome1.fa.gz >"$w/yeast.fa"
    cp "$w/pfam.h3m" "$w/all"
    peer phmmer avx512 ./seqsieve --noali --cpu 16 -o /dev/null --tblout @.tbl "$w/102.fa" "$w/yeast.fa"
    peer phmmer HMMER ./phmmer --noali --cpu 16 -o /dev/null --tblout @.tbl "$w/102.fa" "$w/yeast.fa"
    peer jackhmmer avx512 ./jacksieve -N 3 --noali --cpu 16 -o /dev/null --tblout @.tbl "$w/102.fa" "$w/yeast.fa"
    peer jackhmmer HMMER ./jackhmmer -N 3 --noali --cpu 16 -o /dev/null --tblout @.tbl "$w/102.fa" "$w/yeast.fa"
    ./hmmpress "$w/all" >"$out/hmmpress.log" 2>&1 || { cp "$w/pfam.h3m" "$w/all.h3m" && echo "hmmpress: status $?"; }
    peer hmmscan avx512 ./hmmsieve --scan --noali --cpu 16 -o /dev/null --tblout @.tbl "$w/all" "$w/380.fa"
    peer hmmscan HMMER ./hmmscan --noali --cpu 16 -o /dev/null --tblout @.tbl "$w/all" "$w/380.fa"
    peer hmmscan-all avx512 ./hmmsieve --scan --noali --cpu 16 -o /dev/null --tblout @.tbl "$w/all" "$w/yeast.fa"
    first 10000 >"$w/10000.fa"
    peer singles avx512 ./hmmcast --cpu 16 --no-provenance --amino --informat fasta -o @.tbl "$w/10000.fa"
}

first() { gzip -dc proteome?.fa.gz | awk -v n="$1" '/^>/ && ++k > n { exit } { print }'; }

all_singles() {
    for n in 1000 10000; do
        first $n >"$w/$n.fa"
        for b in avx512 cuda cuda+cpu auto; do
            search $n-singles $b ./hmmcast --stats --cpu 16 --no-provenance --amino --informat fasta -o @.tbl "$w/$n.fa"
        done
    done
}

peer() { # peer ROW BACKEND PROGRAM ARGUMENT...: as search, without options of backends
    row=$1 backend=$2 at=$w/$1.$2
    shift 2
    measure "$@"
}

run() {
    out=$(cd "$2" && pwd)
    cd "$1"
    shift 2
    [ ! -f programs.tar.xz ] || { tar -xf programs.tar.xz && rm programs.tar.xz; }
    begun=$(date +%s) w=$(mktemp -d) cpu=16
    nvidia-smi -L
    xz -dc pfam.h3m.xz >"$w/pfam.h3m"
    gzip -dc proteome1.fa.gz >"$w/one.fa"
    for p in "$@"; do
        say "$p"
        case $p in
        bits) bits ;;
        proteins) all_proteins ;;
        genomes) all_genomes ;;
        kernels) kernels ;;
        two) two_devices ;;
        family) family ;;
        queries) all_queries ;;
        singles) all_singles ;;
        cores) all_cores ;;
        *) echo "device.sh: there is no part \"$p\"" >&2; exit 2 ;;
        esac
    done
    say "done"
    rm -rf "$w"
}

what=$1
shift
case $what in
pack) pack "$@" ;;
run) run "$@" ;;
*) echo "device.sh: pack or run, not \"$what\"" >&2; exit 2 ;;
esac
