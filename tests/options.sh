#!/bin/sh
# SPDX-License-Identifier: MIT
# How outputs name the options: runs HMMER's programs of a folder with the command lines of standard input, whose lines
# begin with "> ", in the folder at hand. Prints for each the head of the report, and what the table says of the options.
# usage: zcat tests/data/golden/options/heads.gz | options.sh FOLDER
set -eu
while read -r mark line; do
    [ "$mark" = '>' ] || continue
    echo "> $line"
    rm -f tbl rep
    case $line in NCPU=*) export HMMER_NCPU="${line%% *}" ;; *) unset HMMER_NCPU ;; esac
    [ -z "${HMMER_NCPU+set}" ] || { HMMER_NCPU=${HMMER_NCPU#NCPU=} && line=${line#* }; }
    # shellcheck disable=SC2086 # words
    "$1"/$line >out
    case $line in *' -o rep '*) cat rep ;; *) cat out ;; esac | sed -n '/^# - - /,/^# - - /p' | sed '1d;$d'
    case $line in hmmbuild*) ;; *) grep '^# Option settings: ' tbl | sed 's|\(settings: \)[^ ]*/|\1|' ;; esac
done
