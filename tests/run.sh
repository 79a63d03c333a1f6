#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs and bats files, JOBS of them at a time (by default as many as there are cores). Prints a line for
# each, what failed, and at the end a line of counts.
#   tests/run.sh quick|full PROGRAM...
# bats --jobs would run the bats files in parallel, with GNU parallel. Here the test programs are in the same queue, and
# a report of a sanitizer belongs to the file whose test met it.
set -u
unset MAKEFLAGS MFLAGS # of the make that runs this; one that a test calls would ask it for jobs

# Runs one of them, as a process of its own: tests/run.sh one FOLDER NAME. Leaves its log in FOLDER, and in NAME.broken
# the number of failures that have no "not ok" line. Prints what is to be seen in one piece.
one() {
    work=$1 program=$2
    name=${program#build/}
    log=$work/$(echo "$name" | tr / _)
    reports=$log.reports
    mkdir "$reports"
    # Under a sanitizer each report is a failure of its own, whatever status the test expects: a file here, and status
    # 99 or SIGABRT, which no program of ours ends with. (gcc's library for undefined behaviour writes to stderr alone,
    # but its abort() makes the address sanitizer write a file.) Options of the caller come last and win.
    own=exitcode=99:log_path=$reports/report
    export ASAN_OPTIONS="$own:handle_abort=1:strict_string_checks=1:detect_stack_use_after_return=1:${ASAN_OPTIONS:-}"
    export UBSAN_OPTIONS="$own:abort_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS:-}"
    export LSAN_OPTIONS="exitcode=99:${LSAN_OPTIONS:-}" TSAN_OPTIONS="$own:${TSAN_OPTIONS:-}"

    start=$(date +%s)
    case $program in
    *.bats) bats --tap --timing "$program" ;;
    *) "$program" ;;
    esac >"$log.tap" 2>&1
    status=$?
    n=$(grep -c '^ok ' "$log.tap")
    bad=$(grep -c '^not ok ' "$log.tap")
    found=$(find "$reports" -type f | wc -l)
    broken=$found
    if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$n" -eq 0 ]; }; then broken=$((broken + 1)); fi
    echo "$broken" >"$log.broken"
    {
        printf '%-28s %5d ok %3d failed %4ds\n' "$name" "$n" "$bad" $(($(date +%s) - start))
        grep '^# ran' "$log.tap"
        if [ "$bad" -gt 0 ]; then
            grep -A12 '^not ok ' "$log.tap" | head -60
        elif [ "$status" -ne 0 ] || [ "$n" -eq 0 ]; then
            echo "  $name: exit status $status, $n tests"
            tail -20 "$log.tap"
        fi
        if [ "$found" -gt 0 ]; then
            echo "  $name: $found reports of a sanitizer"
            find "$reports" -type f -exec head -40 {} + | head -200
        fi
    } >"$log.shown"
    cat "$log.shown"
}

if [ "$1" = one ]; then
    one "$2" "$3"
    exit 0
fi

export WARPSIEVE_TESTS=$1
shift
# Mutations of each kind of input; the programs themselves make 200000.
[ $WARPSIEVE_TESTS = full ] || export WARPSIEVE_FUZZ_RUNS="${WARPSIEVE_FUZZ_RUNS:-20000}"
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
broken=0

# Checks that the sanitizers report the defects that they must: WARPSIEVE_CONTROL is "PROGRAM KIND...", or blank without
# a sanitizer.
control= kinds=
for word in ${WARPSIEVE_CONTROL:-}; do
    [ -n "$control" ] || { control=$word; continue; }
    kinds="$kinds $word"
    mkdir "$work/control"
    (
        own=exitcode=99:log_path=$work/control/report
        export ASAN_OPTIONS="$own:handle_abort=1" UBSAN_OPTIONS="$own:abort_on_error=1"
        export LSAN_OPTIONS=exitcode=99 TSAN_OPTIONS="$own"
        exec "$control" "$word"
    ) >/dev/null 2>&1
    case $?:$(ls "$work/control") in
    99:report* | 134:report*) ;;
    *) broken=$((broken + 1)) && echo "sanitizer: $word is not reported" ;;
    esac
    rm -rf "$work/control"
done

# Those that take longest come first, so that no core is idle at the end.
longest='tests/packaging.bats tests/arm.bats tests/faults-cuda.bats tests/faults.bats tests/spill.bats tests/hmmfit.bats
    tests/input.bats tests/faults-pairs.bats tests/build.bats tests/docs.bats tests/docs-commands.bats tests/contract.bats
    tests/mrfseg.bats tests/thrash.bats tests/hmmcast.bats tests/domscore.bats tests/papara.bats tests/msa.bats
    build/tests/lib/golden build/tests/lib/dom_whole build/kernels/papara/test build/tests/lib/genomes_chain'
{
    for name in $longest; do
        case " $* $(echo tests/*.bats) " in *" $name "*) echo "$name" ;; esac
    done
    for name in "$@" tests/*.bats; do
        case " $(echo $longest) " in *" $name "*) ;; *) echo "$name" ;; esac
    done
} >"$work/queue"
xargs -n 1 -P "$jobs" sh "$0" one "$work" <"$work/queue"

: >"$work/all"
lost=$(wc -l <"$work/queue")
for name in "$work"/*.broken; do
    [ -e "$name" ] || continue
    broken=$((broken + $(cat "$name"))) lost=$((lost - 1))
    cat "${name%broken}tap" >>"$work/all"
done
[ "$lost" -eq 0 ] || { broken=$((broken + lost)) && echo "$lost files did not run to their end"; }
passed=$(grep '^ok ' "$work/all" | grep -vic '# skip')
skipped=$(grep '^ok ' "$work/all" | grep -ic '# skip')
failed=$(($(grep -c '^not ok ' "$work/all") + broken))
grep '^ok .*# skip' "$work/all" | sed 's/^ok [0-9]* /skipped: /; s/ in [0-9]*ms //'
if [ -d ../shared/golden ]; then
    echo "with ../shared: full golden data was at hand"
else
    echo "without ../shared: the committed golden subset only"
fi
[ -z "$kinds" ] || echo "with sanitizers: each report of$kinds would be a failure, as tests/fault/report.c shows"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
