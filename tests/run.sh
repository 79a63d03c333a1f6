#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs and bats files, shows what failed, and ends with one line of counts.
#   tests/run.sh quick|full PROGRAM...
set -u
depth=$1
shift
export WARPSIEVE_TESTS=$depth
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
broken=0

# one TAP producer: its failures and notes are shown, its lines counted
tap() {
    name=$1
    shift
    start=$(date +%s)
    "$@" >"$log.one" 2>&1
    status=$?
    cat "$log.one" >>"$log"
    n=$(grep -c '^ok ' "$log.one")
    bad=$(grep -c '^not ok ' "$log.one")
    printf '%-28s %5d ok %3d failed %4ds\n' "$name" "$n" "$bad" $(($(date +%s) - start))
    grep '^# ran' "$log.one"
    if [ "$bad" -gt 0 ] || [ "$status" -ne 0 ] || [ "$n" -eq 0 ]; then
        [ "$bad" -gt 0 ] || { broken=$((broken + 1)); echo "  $name: exit status $status, $n tests"; }
        grep -A12 '^not ok ' "$log.one" | head -60
        [ "$bad" -gt 0 ] || tail -20 "$log.one"
    fi
    rm -f "$log.one"
}

for program in "$@"; do tap "${program#build/}" "$program"; done
for file in tests/*.bats; do tap "$file" bats --tap "$file"; done

passed=$(grep '^ok ' "$log" | grep -vic '# skip')
skipped=$(grep '^ok ' "$log" | grep -ic '# skip')
failed=$(($(grep -c '^not ok ' "$log") + broken))
grep '^ok .*# skip' "$log" | sed 's/^ok [0-9]* /skipped: /'
[ -d ../shared/golden ] && echo "with ../shared: full golden data was at hand" || echo "without ../shared: the committed golden subset only"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
