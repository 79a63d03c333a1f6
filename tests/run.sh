#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs and bats files, shows what failed, and ends with one line of counts.
#   tests/run.sh quick|full PROGRAM...
set -u
depth=$1
shift
export WARPSIEVE_TESTS=$depth
log=$(mktemp) || exit 1
broken=0

# Under a sanitizer each report is a failure of its own, whatever status the test that met it expects: a file here, and status 99 or
# SIGABRT, which no program of ours ends with. (gcc's own library for undefined behaviour writes to stderr alone, but its abort()
# makes the address sanitizer write a file.) Options of the caller come last and win.
reports=$(mktemp -d) || exit 1
trap 'rm -rf "$log" "$log.one" "$reports"' EXIT
own=exitcode=99:log_path=$reports/report
export ASAN_OPTIONS="$own:handle_abort=1:strict_string_checks=1:detect_stack_use_after_return=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="$own:abort_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS:-}"
export LSAN_OPTIONS="exitcode=99:${LSAN_OPTIONS:-}" TSAN_OPTIONS="$own:${TSAN_OPTIONS:-}"

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
    found=$(find "$reports" -type f | wc -l)
    if [ "$found" -gt 0 ]; then
        broken=$((broken + found))
        echo "  $name: $found reports of a sanitizer"
        find "$reports" -type f -exec head -40 {} + | head -200
        rm -f "$reports"/*
    fi
    rm -f "$log.one"
}

# What the sanitizers must report is reported: WARPSIEVE_CONTROL is "PROGRAM KIND...", or blank without a sanitizer.
control= kinds=
for word in ${WARPSIEVE_CONTROL:-}; do
    [ -n "$control" ] || { control=$word; continue; }
    kinds="$kinds $word"
    sh -c '"$0" "$1"' "$control" "$word" >/dev/null 2>&1
    case $?:$(ls "$reports") in
    99:report* | 134:report*) ;;
    *) broken=$((broken + 1)) && echo "sanitizer: $word is not reported" ;;
    esac
    rm -f "$reports"/*
done

for program in "$@"; do tap "${program#build/}" "$program"; done
for file in tests/*.bats; do tap "$file" bats --tap "$file"; done

passed=$(grep '^ok ' "$log" | grep -vic '# skip')
skipped=$(grep '^ok ' "$log" | grep -ic '# skip')
failed=$(($(grep -c '^not ok ' "$log") + broken))
grep '^ok .*# skip' "$log" | sed 's/^ok [0-9]* /skipped: /'
[ -d ../shared/golden ] && echo "with ../shared: full golden data was at hand" || echo "without ../shared: the committed golden subset only"
[ -z "$kinds" ] || echo "with sanitizers: each report of$kinds would be a failure, as tests/fault/report.c shows"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
