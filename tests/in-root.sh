#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a program of a folder that hmmsieve --hmmer-path=DIR made, where nothing else is: the current folder is the root of the file
# system, and the program has there the absolute path that a container's image has it by.
#   tests/in-root.sh DIR PATH PROC PROGRAM ARGUMENT...
# PROC is none, empty (a folder /proc without files) or mounted. Paths below the current folder lose what is outside.
set -eu
dir=$1 path=$2 proc=$3 program=$4
shift 4
root=$PWD
made=
for folder in "${path#/}" dev proc; do
    [ $folder = proc ] && [ "$proc" = none ] || { [ -d "$folder" ] || { mkdir -p "$folder" && made="$made $folder"; }; }
done
cp "$dir/$program" "${path#/}/"
: >dev/null # a file: what is written there can be left
n=$#
for word; do
    set -- "$@" "${word#"$root"}"
done
shift "$n"
status=0
case $proc in
# shellcheck disable=SC2016 # for the inner shell
mounted) unshare -rmpf sh -c 'mount -t proc proc proc && exec chroot . "$@"' sh "$path/$program" "$@" || status=$? ;;
*) unshare -r chroot . "$path/$program" "$@" || status=$? ;;
esac
for folder in $made; do rm -rf "${folder%%/*}"; done
exit $status
