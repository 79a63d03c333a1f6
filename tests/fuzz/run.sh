#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs each fuzz target with libFuzzer for so many seconds and says how often it ran. It keeps inputs that fail in
# FOLDER/found; the smallest form of it belongs into tests/fuzz/cases/TARGET.
#   tests/fuzz/run.sh FOLDER SECONDS [TARGET...]
set -u
folder=$1 seconds=$2
shift 2
[ $# -gt 0 ] || set -- $(cd "$folder/tests/fuzz" && for f in *.o; do echo "${f%.o}"; done | grep -v '^main$')
mkdir -p "$folder/found"
bad=0
for target; do
    mkdir -p "$folder/corpus/$target"
    dirs="$folder/corpus/$target tests/fuzz/seeds/$target"
    [ -d "tests/fuzz/cases/$target" ] && dirs="$dirs tests/fuzz/cases/$target"
    # shellcheck disable=SC2086 # several folders
    timeout -s KILL $((seconds + 60)) "$folder/tests/fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=0 -max_len=4096 -artifact_prefix="$folder/found/$target-" $dirs >"$folder/$target.log" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$target.log")
    echo "$target ${runs:-0} executions, status $status" | tee -a "$folder/counts"
    [ "$status" -eq 0 ] || { bad=1; grep -m 3 -E 'ERROR|runtime error|: FUZZ|\.[ch]:[0-9]+: ' "$folder/$target.log"; }
done
exit $bad
