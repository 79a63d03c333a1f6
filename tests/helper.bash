# SPDX-License-Identifier: MIT
# The common base of the bats files: the places of programs and data, the list of tools, and checks of a finished run.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=$top/tests/data
pages=$top/${B:-build}/man # with what they include; make makes them
PATH=${WARPSIEVE_BIN:-$top/bin}:$PATH
export LC_ALL=C
# The tests of a file share a folder: bats --jobs may run files at the same time, and tests of one file not.
# shellcheck disable=SC2034 # read by bats
BATS_NO_PARALLELIZE_WITHIN_FILE=true

# Every tool of the sources, so that a new one is tested without an edit.
all_tools() { local f; for f in $(grep -l '^const ws_tool ws_' "$top"/bin/*/*.c); do basename "$f" .c; done | sort; }

# The usage line names the operands before the inputs. A tool that reads sequences has "MODEL [FILE...]" or "[FILE...]".
# A file remembers it, since tests ask hundreds of times.
usage_of() {
    local kept=$BATS_RUN_TMPDIR/usage.${1//\//_} new=$BATS_RUN_TMPDIR/usage.$BASHPID
    [ -s "$kept" ] || { "$1" --help | sed -n 's/^usage: [^ ]* \[options\] //p' >"$new" && mv "$new" "$kept"; }
    echo "$(<"$kept")"
}
model_of() { case $(usage_of "$1") in MODEL*) echo m.hmm ;; esac; }
sequence_tools() { # all of them, or with an argument those that have a model
    local t
    for t in $(all_tools); do
        case $(usage_of "$t") in
        'MODEL [FILE...]') echo "$t" ;;
        '[FILE...]') [ $# -gt 0 ] || echo "$t" ;;
        esac
    done
}

translators() { # tools that read DNA or RNA and have no table
    local t
    for t in $(all_tools); do
        case $(usage_of "$t") in '[SEQUENCES...]') echo "$t" ;; esac
    done
}

# Runs a tool with its model and -O tsv, so that all answer alike: tsv TOOL ARGUMENT...
tsv() { local t=$1; shift; "$t" -O tsv $(model_of "$t") "$@"; }

# Calls a function with each tool's name. No "||" here or around: that would turn off the abort on failure inside. For
# the same reason a check is a command of its own or ends in "|| fail", never the first part of "&&", and never a bare
# "!".
each() { # each FUNCTION TOOL...
    local f=$1 t
    shift
    [ $# -gt 0 ] || fail "no tools"
    for t; do
        echo "tool: $t" # shown if it fails
        "$f" "$t"
    done
}

# The same for functions that mostly wait: all tools at once, each with the folder at.TOOL to write into.
each_at_once() { # each_at_once FUNCTION TOOL...
    local f=$1 t failed=
    shift
    [ $# -gt 0 ] || fail "no tools"
    for t; do
        rm -rf "at.$t" && mkdir "at.$t"
        (set -e; "$f" "$t") >"at.$t/said" 2>&1 &
        echo $! >"at.$t/pid"
    done
    for t; do wait "$(cat "at.$t/pid")" || { failed=1; echo "tool: $t"; cat "at.$t/said"; }; done
    [ -z "$failed" ]
}

# The files all tests use, in the folder of a bats file: m.hmm (Pkinase), three.hmm, and 400 proteins in several forms.
make_data() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cp "$data/demo.hmm" m.hmm
    cp "$data/globins4.hmm" "$data/fn3.hmm" "$data/demo.fa.gz" .
    cat globins4.hmm m.hmm fn3.hmm >three.hmm
    zcat demo.fa.gz >demo.fa
    awk '/^>/ { n++ } n > 40 { exit } { print }' demo.fa >small.fa
    respack demo.fa >demo.wsp
}
in_data() { cd "$BATS_FILE_TMPDIR" || return 1; }

# Programs built with a sanitizer need terabytes of address space and their own allocator.
sanitized() { grep -q '__[at]san_init' "$(command -v respack)"; }

# Builds with sanitizers: a test that would take minutes does less, and says so.
slow() { [ -n "${WARPSIEVE_SLOW:-}" ] && echo "# ran a part only, because the build is slow: $*" >&3; }

fail() { printf '%s\n' "$@"; return 1; }

# Skips a test that lacks something which tests/deps.sh installs; where CI=true the test fails instead.
absent() { # absent WHAT
    [ "${CI:-}" != true ] || fail "$1: sh tests/deps.sh installs it" || return 1
    skip "$1"
}
wants() { # wants PROGRAM...
    local p
    for p; do command -v "$p" >/dev/null || absent "$p is not installed"; done
}

# After `run --separate-stderr`: nothing on stdout and a message with all patterns (extended, any case), in their order.
refused() { # refused STATUS PATTERN...
    local want=$1 p
    shift
    # shellcheck disable=SC2154 # set by run
    [ "$status" -eq "$want" ] || fail "status $status, expected $want; stderr: $stderr" || return 1
    [ -z "$output" ] || fail "there is output: ${output:0:200}" || return 1
    told "$@"
}

# The first line of stderr names the tool and has all patterns, one behind the other; what two of them found is not one
# word. Nothing else is there but the hint after misuse.
told() {
    local first=${stderr%%$'\n'*} all= p
    [ -n "$first" ] || fail "no message" || return 1
    [[ $first =~ ^[a-z-]+:\  ]] || fail "the message does not begin with the program's name: $first" || return 1
    for p; do
        all+=${all:+(.+|\\b)}"($p)"
        grep -qiE -- "$all" <<<"$first" || fail "the message has no /$p/, or not there: $first" || return 1
    done
    [ "$(wc -l <<<"$stderr")" -le 2 ] || fail "more than two lines: $stderr"
}

# A table: whole rows, as many fields as the header; prints nothing.
whole_rows() {
    awk -F '\t' '/^##/ { next } !n { n = NF; next }
        NF != n { print "row of " NF " fields, header of " n ": " $0; bad = 1 } END { exit bad }' "$1" || return 1
    [ ! -s "$1" ] || [ -z "$(tail -c 1 "$1" | tr -d '\n')" ] || fail "the last line is not complete: $(tail -1 "$1")"
}

rows() { grep -v '^#' "$1" || true; }
table() { sed '/^#$/,$d' "$1"; } # of HMMER, without the lines about the run behind it
nrows() { rows "$1" | wc -l; }
column() { # column FILE NAME
    awk -F '\t' -v c="$2" '/^##/ { next } !at { sub(/^#/, ""); for (i = 1; i <= NF; i++) if ($i == c) at = i; next } { print $at }' "$1"
}

# Runs a command that calls bats itself, without the variables of this one: outside_of_bats COMMAND...
outside_of_bats() {
    local path
    path=$(tr ':' '\n' <<<"$PATH" | grep -v bats-core | paste -sd:)
    env -i HOME="$HOME" LC_ALL=C PATH="$path" WARPSIEVE_TESTS=quick ASAN_OPTIONS="${ASAN_OPTIONS:-}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" \
        LSAN_OPTIONS="${LSAN_OPTIONS:-}" TSAN_OPTIONS="${TSAN_OPTIONS:-}" "$@"
}

# The programs that a block of shell names and that are not installed; then it is only read: bash -n, and what was left
# out is said.
not_installed() { # not_installed FILE
    local word
    for word in apptainer csvtk duckdb mlr sqlite3; do
        if grep -qE "(^|\| *)$word " "$1" && ! command -v $word >/dev/null; then echo $word; fi
    done
    if grep -q '^python3 -m warpsieve' "$1" && ! python3 -c 'import pyarrow' 2>/dev/null; then echo pyarrow; fi
    if grep -q '^Rscript' "$1" && ! command -v Rscript >/dev/null; then echo R; fi
    if grep -q '^python3 .*pandas' "$1" && ! python3 -c 'import pandas' 2>/dev/null; then echo pandas; fi
}
# Says what blocks were left out for want of these programs; where CI=true those of tests/deps.sh must be there.
left_out() { # left_out NAME...
    [ $# -gt 0 ] || return 0
    echo "# not installed, so checked for syntax only: $*" >&3
    case " ${CI:-} $* " in
    " true "*" mlr "* | " true "*" sqlite3 "*) fail "not installed: $*; sh tests/deps.sh installs mlr and sqlite3" ;;
    esac
}

# Status of a process as the shell sees it, without bats' opinion: status_of COMMAND...
status_of() { local s=0; "$@" || s=$?; echo "$s"; }
same() { diff "$1" "$2" >"$BATS_TEST_TMPDIR/diff" || { cut -c1-300 "$BATS_TEST_TMPDIR/diff" | head -6; return 1; }; }

# peak_memory COMMAND...: the most kilobytes that it had in memory; the size of the programs does not count as with
# ulimit -v
peak_memory() {
    python3 -c 'import resource, subprocess, sys
subprocess.check_call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}

# Goes to a folder where python3 finds the module and the programs with the shared object.
in_python() {
    [ -z "${WARPSIEVE_BIN:-}" ] || skip "programs from elsewhere are tested"
    wants python3
    ! sanitized || skip "a Python without the sanitizer cannot load an object with it"
    [ -x "$top/${B:-build}/shared/bin/hmmsieve" ] || fail "make shared makes what these tests need"
    PATH=$top/${B:-build}/shared/bin:$PATH
    export PYTHONPATH=$top/packaging/python SOURCE_DATE_EPOCH=0 # models of two programs have one date
    cd "$BATS_TEST_TMPDIR" || return 1
}
