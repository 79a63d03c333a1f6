#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A database through the filters and the domain stage, on one machine, with a table of each:
#   cascade.sh MODELS DATABASE PREFIX [THREADS]
# writes PREFIX.hits.tsv (filter scores), PREFIX.hits.fa (survivors), PREFIX.domains.tsv, and PREFIX.hits.tbl and
# PREFIX.hits.dom, which are the tables that hmmsearch would make. `hmmsieve` does the same in one command, if the
# filter scores are not wanted. DATABASE is FASTA, FASTQ or packed, plain or gzip; MODELS is a file of HMMER3 models.
#
# pipefail makes the status of a pipe that of its last failing part, so a cut database or a full disk in the middle
# stops the script here. Every tool ends with 0 also if nothing passes. 141 is death by SIGPIPE: the reader of a pipe
# went away, as "| head" does on
# purpose. Where that is meant, accept it:   msvfilt ... | head -5 || [ $? -eq 141 ]
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: cascade.sh MODELS DATABASE PREFIX [THREADS]" >&2; exit 2; }
models=$1 database=$2 prefix=$3 threads=${4:-1}

msvfilt -t "$threads" -O packed "$models" "$database" | vitfilt -t "$threads" -O packed "$models" |
    fwdscore -t "$threads" -o "$prefix.hits.tsv" "$models"
respack -O fasta -o "$prefix.hits.fa" "$prefix.hits.tsv"
# The last line of the table says how many sequences the database has, so E-values are right without -Z.
domscore -t "$threads" --tblout "$prefix.hits.tbl" --domtblout "$prefix.hits.dom" -o "$prefix.domains.tsv" "$models" "$prefix.hits.tsv"
