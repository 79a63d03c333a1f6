#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the rows of bench/rows.txt beside their peers and writes bench/data/current-MACHINE.tsv; `make bench-tables` then
# fills the tables of README.md and bench/README.md.
#
#   bench/run/all.sh [--device] [OPTION...] [NAME=VALUE...]
#       --device    also the runs with a GPU; eight minutes in all, without it forty
#       OPTION      of turns.py, such as --rows search,one or --runs 3; all.sh --help lists them
#       HMMER=DIR PYHMMER=PYTHON LIBMARV=DIR GPUPAIRHMM=DIR    where the peers are; HMMER's else in the PATH
#       BUILD=DIR   a folder with bin/ of warpsieve's programs [this checkout]
#       PFAM=FILE   Pfam's models, such as gecco/hmmer/Pfam.h3m of the PyPI wheel gecco-tool 0.9.10
#       DATA=DIR    proteomes and padloc-250.hmm.gz [../shared/data, shared/data]. Without it the demo's proteins take their
#                   place, and the table is demo-MACHINE.tsv, which no page shows
#       OUT=DIR     where the table goes [bench/data]
#   bench/run/all.sh pack DIR [NAME=VALUE...]
#       puts into DIR what a machine without network needs: programs of build/ (make CUDA=1 SMS=90 ISAL=0), linked with few
#       libraries, HMMER's programs, and 1,200 models of PFAM. There: bench/run/all.sh --device BUILD=DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
programs="hmmsieve nhmmsieve jacksieve seqsieve hmmcast hmmfit hmmindex msvfilt vitfilt fwdscore pairhmm papara-score"
peers="hmmsearch hmmscan phmmer jackhmmer nhmmer hmmbuild hmmalign hmmpress hmmemit hmmconvert"

BUILD='' HMMER='' PYHMMER='' LIBMARV='' GPUPAIRHMM='' PFAM='' DATA='' OUT='' device='' pack='' options=''
while [ $# -gt 0 ]; do
    case $1 in
    BUILD=* | HMMER=* | PYHMMER=* | LIBMARV=* | GPUPAIRHMM=* | PFAM=* | DATA=* | OUT=*) eval "${1%%=*}=\${1#*=}" ;;
    --device) device=1 ;;
    pack) shift; pack=${1:?all.sh pack: which folder?} ;;
    *) options="$options $1" ;;
    esac
    shift
done

if [ -n "$pack" ]; then
    mkdir -p "$pack/bin" "$pack/hmmer"
    for t in $programs; do
        "${CC:-cc}" -s -o "$pack/bin/$t" "$top/build/main/$t.o" "$top/build/libwarpsieve.a" \
            "${CUDA_LIB:-/usr/local/cuda/lib64}/libcudart_static.a" -Wl,-Bstatic -lstdc++ -lxxhash -lz -lzstd ${LDLIBS:-} \
            -Wl,-Bdynamic -static-libgcc -ldl -lrt -lpthread -lm
    done
    for p in $peers; do strip -o "$pack/hmmer/$p" "$(PATH=${HMMER:+$HMMER:}$PATH command -v "$p")"; done
    # Programs share most of their bytes.
    (cd "$pack" && tar --remove-files -cf - bin hmmer | xz -T1 --lzma2=dict=96MiB >programs.tar.xz)
    [ -z "$PFAM" ] || "${HMMER:+$HMMER/}hmmconvert" "$PFAM" | awk '{ print } $0 == "//" && ++n == 1200 { exit }' |
        "${HMMER:+$HMMER/}hmmconvert" -b - | xz -T0 >"$pack/pfam.xz"
    du -sh "$pack"
    exit
fi

BUILD=${BUILD:-$top}
if [ -f "$BUILD/programs.tar.xz" ]; then
    (cd "$BUILD" && tar -xf programs.tar.xz && rm programs.tar.xz)
    [ ! -f "$BUILD/pfam.xz" ] || xz -d "$BUILD/pfam.xz"
fi
[ ! -d "$BUILD/hmmer" ] || HMMER=${HMMER:-$BUILD/hmmer}
[ ! -f "$BUILD/pfam" ] || PFAM=${PFAM:-$BUILD/pfam}
for d in "$top/../shared/data" "$top/shared/data"; do
    [ -n "$DATA" ] || [ ! -f "$d/padloc-250.hmm.gz" ] || DATA=$d
done
# shellcheck disable=SC2086 # words
exec python3 "$here/turns.py" ${device:+--device --minutes 7.5 --runs 3 --cell 8 --limit 25} $options --build "$BUILD" \
    ${HMMER:+--hmmer "$HMMER"} ${PYHMMER:+--pyhmmer "$PYHMMER"} ${LIBMARV:+--libmarv "$LIBMARV"} \
    ${GPUPAIRHMM:+--gpupairhmm "$GPUPAIRHMM"} ${PFAM:+--pfam "$PFAM"} ${DATA:+--data "$DATA"} "${OUT:-$top/bench/data}"
