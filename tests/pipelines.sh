#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the commands of tests/data/pipelines/commands.tsv with the programs of the PATH and writes what each leaves, standard
# output and files, without the lines that name program, version, folder, date and times:
#   tests/pipelines.sh OUT [NAME...]
# makes OUT/NAME for each. With HMMER 3.4 in front of the PATH that is how the files of tests/data/pipelines were made
# (gzip -n9). With PROGRAMS=FOLDER it calls them by their absolute paths in FOLDER, as images of HMMER do. Works in the current
# folder, which it empties of its own files.
set -eu
out=$1
shift
top=$(cd "$(dirname "$0")/.." && pwd)
data=$top/tests/data
mkdir -p "$out" in
out=$(cd "$out" && pwd)
cat "$data/demo.hmm" "$data/fn3.hmm" >in/models.hmm
cp "$data/demo.hmm" in/one.hmm
gzip -dc "$data/demo.fa.gz" | awk '/^>/ { n++ } n % 5 == 1' >in/proteins.fa
gzip -dc "$data/golden/long-targets/models/RF00001.hmm.gz" >in/rrna.hmm
gzip -dc "$data/golden/long-targets/inputs/short.fa.gz" >in/genome.fa
gzip -dc "$data/golden/long-targets/inputs/dna_target.fa.gz" >in/chromosome.fa
awk '/^>/ { p = $1 == ">mos384"; if (p) print ">query"; next } p { gsub(/[Tt]/, "U"); print }' in/genome.fa >in/query.a3m
gzip -dc "$data/golden/dna-models/MADE1.hmm.gz" "$data/golden/dna-models/3box.hmm.gz" |
    awk '{ print } /^CKSUM/ { print "GA    8.0" }' >in/repeats.hmm
gzip -dc "$data/demo.fa.gz" | awk '/^>/ { p = /PHO85_YEAST/ } p' >in/record.fa
(cd in && "${PROGRAMS:+$PROGRAMS/}hmmpress" -f models.hmm && "${PROGRAMS:+$PROGRAMS/}hmmpress" -f repeats.hmm) >/dev/null

plain() { # what is told of program, version, folder, date and times is left out
    sed -e '/^# \(HMMER 3\|Copyright\|Freely\|The format is\|CPU time\|Mc\/sec\|Program:\|Version:\|Current dir:\|Date:\)/d' \
        -e 's/^\(# Option settings: \)[^ ]*\//\1/' -e 's/^#=GF AU .*/#=GF AU/'
}

tab=$(printf '\t')
grep -v '^#' "$data/pipelines/commands.tsv" | while IFS=$tab read -r name _ command; do
    [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    rm -rf work
    mkdir work
    [ -z "${PROGRAMS:-}" ] || command=$(echo "$command" | sed -E "s#(^|[|] )(hmm[a-z]+|nhmm[a-z]+|[a-z]+hmmer) #\\1$PROGRAMS/\\2 #")
    (cd work && cp ../in/* . && sh -c "$command" >stdout) || { echo "pipelines.sh: $name failed" >&2; exit 1; }
    for f in work/stdout work/out work/tbl work/dom work/sto; do
        [ ! -f "$f" ] || { echo "==> ${f#work/}" && plain <"$f"; }
    done >"$out/$name"
done
rm -rf work
