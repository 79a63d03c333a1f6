#!/bin/sh
# SPDX-License-Identifier: MIT
# Proteins in genomes: hmmsieve --translate beside a pipe of esl-translate and hmmsearch, and on a device.
#
#   translate.sh cpu MODELS GENOME [CPUS [ROUNDS]]
#       Both sides in turns, tables written. Each line: processor seconds (user and system) and wall seconds of esl-translate with
#       hmmsearch, of sixframe with hmmsieve on a pipe, and of hmmsieve --translate; the ratios; whether --domtblout is the same;
#       then hmmsieve on a packed file of ORFs, which is there already, and the ratio of --translate to it
#   translate.sh genome MODELS MEGABASES COPIES FASTA... > genome.fa
#       A genome of real ones, mutated, with mutated copies of the models' consensus: genome-make.py, for models of proteins too
#   translate.sh device MODELS GENOME... [-- OPTION...]
#       hmmsieve --translate with the options, by default --backend=cuda, on each genome: bases, ORFs, residues of ORFs, wall and
#       processor seconds, rows. Two genomes, such as 100 and 300 Mb, give the slope, printed as seconds for 3 Gb
#
# ESL_TRANSLATE and HMMSEARCH name other programs than those of the PATH, WARPSIEVE_BIN the folder of ours.
set -eu
here=$(dirname "$0")
PATH=${WARPSIEVE_BIN:-$here/../../bin}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

timed() { # timed COMMAND LINE: "cpu wall" of a shell with all that it starts
    python3 - "$1" <<'PY'
import os, sys, time
began = time.monotonic()
_, status, used = os.wait4(os.posix_spawnp("bash", ["bash", "-o", "pipefail", "-c", sys.argv[1]], os.environ), 0)
wall = time.monotonic() - began
if status: sys.exit(1)
print("%.3f %.3f" % (used.ru_utime + used.ru_stime, wall))
PY
}

cpu() { # cpu MODELS GENOME CPUS ROUNDS
    export models="$1" genome="$2" tmp
    export theirs="${HMMSEARCH:-hmmsearch}" cut="${ESL_TRANSLATE:-esl-translate}"
    search="--cpu $3 --noali -o /dev/null --tblout \"\$tmp/\$n.tbl\" --domtblout \"\$tmp/\$n.dom\" \"\$models\""
    sixframe -W -O packed "$genome" >"$tmp/orfs.wsp"
    echo "round esl_cpu esl_wall pipe_cpu pipe_wall translate_cpu translate_wall cpu_ratio wall_ratio rows ready_cpu ready_wall to_ready"
    i=0
    while [ $i -lt "$4" ]; do
        i=$((i + 1))
        a=$(timed "n=esl; \"\$cut\" \"\$genome\" >\"\$tmp/orfs.fa\" && \"\$theirs\" $search \"\$tmp/orfs.fa\"")
        b=$(timed "n=pipe; sixframe -W -O packed \"\$genome\" | hmmsieve $search -")
        c=$(timed "n=translate; hmmsieve --translate $search \"\$genome\"")
        d=$(timed "n=ready; hmmsieve $search \"\$tmp/orfs.wsp\"")
        for t in esl pipe translate ready; do grep -v '^#' "$tmp/$t.dom" | tr -s ' ' >"$tmp/$t.rows" || :; done
        same=same
        for t in pipe translate ready; do cmp -s "$tmp/esl.rows" "$tmp/$t.rows" || same=DIFFERENT; done
        echo "$i $a $b $c $d $same" | awk '{ printf "%s %s %s %s %s %s %s %.2f %.2f %s %s %s %.2f\n", $1, $2, $3, $4, $5, $6, $7,
            $2 / $6, $3 / $7, $10, $8, $9, $7 / $9 }'
    done
}

device() { # device MODELS GENOME... [-- OPTION...]
    models=$1
    shift
    genomes=
    while [ $# -gt 0 ] && [ "$1" != -- ]; do genomes="$genomes $1" && shift; done
    [ $# -eq 0 ] || shift
    [ $# -gt 0 ] || set -- --backend=cuda
    export models tmp
    echo "genome bases orfs residues wall_s cpu_s rows"
    for genome in $genomes; do
        export genome
        options=$(printf "'%s' " "$@")
        t=$(timed "hmmsieve --translate $options --stats=\"\$tmp/stats\" \
            --noali -o /dev/null --domtblout \"\$tmp/dom\" \"\$models\" \"\$genome\"")
        echo "$(basename "$genome") $(grep -v '^>' "$genome" | tr -d '\n' | wc -c)" \
            "$(of sequences) $(of residues) ${t#* } ${t% *} $(grep -vc '^#' "$tmp/dom")"
    done | tee "$tmp/rows"
    awk '{ x[NR] = $2; y[NR] = $5 } END { if (NR > 1 && x[NR] != x[1])
        printf "3 Gb by the slope: %.1f s\n", y[NR] + (3e9 - x[NR]) * (y[NR] - y[1]) / (x[NR] - x[1]) }' "$tmp/rows"
}
of() { sed -n "s/^ *\"$1\": *\([0-9]*\).*/\1/p" "$tmp/stats" | head -1; }

case ${1:-} in
cpu) cpu "$2" "$3" "${4:-2}" "${5:-3}" ;;
genome) shift && python3 "$here/genome-make.py" "$@" ;;
device) shift && device "$@" ;;
*) sed -n '3,16s/^# \{0,1\}//p' "$0" && exit 2 ;;
esac
