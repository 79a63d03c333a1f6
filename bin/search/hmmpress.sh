#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in place of HMMER's hmmpress, for tools that call it: warpsieve reads models as they are and needs no index. It
# checks the models and writes no file, for programs of HMMER would refuse an index that is not whole: hmmpress [-f] MODELS
set -eu
usage() {
    cat <<'END'
# hmmpress :: prepare an HMM database for faster hmmscan searches
# HMMER 3.4 (Aug 2023); http://hmmer.org/
# The interface is that of HMMER; this is hmmpress of warpsieve, which makes no files: it searches models as they are
# - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -
Usage: hmmpress [-options] <hmmfile>

Options:
  -h : show this
  -f : accept that files of an earlier hmmpress are there; they stay as they are
END
}
misuse() { printf '%s\nUsage: hmmpress [-options] <hmmfile>\n\nAll options: hmmpress -h\n\n' "$1"; exit 1; }
force=
while [ $# -gt 0 ]; do
    case $1 in
    -h) usage; exit 0 ;;
    -f) force=1; shift ;;
    --) shift; break ;;
    -?*) misuse "hmmpress has no option $1" ;;
    *) break ;;
    esac
done
[ $# -eq 1 ] || misuse "hmmpress takes 1 operand, and $# are given"
models=$1
[ -f "$models" ] || { echo "hmmpress: $models is not there, or is no file" >&2; exit 1; }
count=$(gzip -dcf -- "$models" | grep -c '^HMMER3/') || { echo "hmmpress: $models has no models in HMMER3's text form" >&2; exit 1; }
for ending in h3m h3i h3f h3p; do
    [ -n "$force" ] || [ ! -e "$models.$ending" ] ||
        { echo "hmmpress: $models.$ending is there already; hmmpress -f accepts it" >&2; exit 1; }
done
echo "hmmpress: no file is written, because warpsieve searches $models as it is; HMMER's hmmpress makes $models.h3m .h3i .h3f .h3p" >&2
echo "$count models in $models"
