#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A database through the filters and what survives through hmmsearch, on one machine:
#   cascade.sh MODELS DATABASE PREFIX [THREADS]
# writes PREFIX.hits.tsv (scores), PREFIX.hits.fa (survivors), and PREFIX.hits.tbl and PREFIX.hits.dom, which are the tables that hmmsearch
# would make of the whole database.
# DATABASE is FASTA, FASTQ or packed, plain or gzip; MODELS is a file of HMMER3 models.
#
# pipefail makes the status of a pipe that of its last failing part, so a cut database or a full disk in the middle stops the script
# here. Every tool ends with 0 also if nothing passes. 141 is death by SIGPIPE: the reader of a pipe went away, as "| head" does on
# purpose. Where that is meant, accept it:   msvfilt ... | head -5 || [ $? -eq 141 ]
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: cascade.sh MODELS DATABASE PREFIX [THREADS]" >&2; exit 2; }
models=$1 database=$2 prefix=$3 threads=${4:-1}

# E-values and hmmsearch need the size of the database. What msvfilt read is in the counts that --stats writes.
msvfilt -t "$threads" --stats="$prefix.hits.json" "$models" "$database" | vitfilt -t 1 "$models" >"$prefix.vit.tsv"
n=$(sed -n 's/^ *"sequences": \([0-9]*\).*/\1/p' "$prefix.hits.json")
[ "$n" -gt 0 ] || n=1 # an empty database has no hits, but -Z is more than 0
fwdscore -t "$threads" -Z "$n" -o "$prefix.hits.tsv" "$models" "$prefix.vit.tsv"
respack -O fasta -o "$prefix.hits.fa" "$prefix.hits.tsv"

# hmmsearch refuses an empty file
if [ -s "$prefix.hits.fa" ]; then
    hmmsearch --cpu "$threads" --noali -o /dev/null -Z "$n" --tblout "$prefix.hits.tbl" --domtblout "$prefix.hits.dom" \
        "$models" "$prefix.hits.fa"
else
    echo "# nothing passed the filters" | tee "$prefix.hits.tbl" >"$prefix.hits.dom"
fi
rm "$prefix.vit.tsv"
