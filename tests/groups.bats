#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Searches in a control group of 2 CPUs and 1 GiB: as many threads, and within its memory. tests/lib/cpu.c has the files of other groups.

bats_require_minimum_version 1.5.0
load helper

setup_file() { make_data; }
setup() { in_data; }
teardown() { for d in ${made:-}; do rmdir "$d" || :; done; }

# Makes a group with these limits, and sets $enter to the files that take a process in.
make_group() {
    local base=/sys/fs/cgroup cores=2
    made= enter=
    [ "$(getconf _NPROCESSORS_ONLN)" -gt 2 ] || cores=1 # a limit that is none would show nothing
    expected=$cores
    if [ -w $base/cgroup.subtree_control ] && mkdir $base/warpsieve.$$ 2>/dev/null; then
        made=$base/warpsieve.$$
        { echo "${cores}00000 100000" >$made/cpu.max && echo 1G >$made/memory.max; } 2>/dev/null || skip 'a group may have no limits here'
    elif mkdir $base/cpu/warpsieve.$$ 2>/dev/null; then
        made="$base/cpu/warpsieve.$$"
        mkdir $base/memory/warpsieve.$$ 2>/dev/null && made+=" $base/memory/warpsieve.$$" || skip 'no group of memory may be made here'
        { echo 100000 >$base/cpu/warpsieve.$$/cpu.cfs_period_us && echo ${cores}00000 >$base/cpu/warpsieve.$$/cpu.cfs_quota_us &&
            echo 1G >$base/memory/warpsieve.$$/memory.limit_in_bytes; } 2>/dev/null || skip 'a group may have no limits here'
    else
        skip 'no control group may be made here'
    fi
    for d in $made; do enter+=" $d/cgroup.procs"; done
    within true 2>/dev/null || skip "no process may enter a group here, such as one of the scheduler for real time"
}
within() ( for f in $enter; do echo "$BASHPID" >"$f" || exit 1; done; "$@" )

@test "in a group of few CPUs and 1 GiB: as many threads, by its quota, and within its memory" {
    make_group
    if sanitized; then skip 'a sanitizer has its own memory'; fi
    zcat "$data/golden/long-targets/models/RF00001.hmm.gz" >rrna.hmm
    zcat "$data/golden/long-targets/inputs/short.fa.gz" >genome.fa
    for i in 1 2 3 4 5 6 7 8; do cat demo.fa; done >large.fa
    for command in "hmmsieve three.hmm large.fa" "seqsieve small.fa large.fa" "nhmmsieve rrna.hmm genome.fa"; do
        within ${command%% *} -o /dev/null --stats=stats ${command#* } || fail "$command"
        grep -q "\"threads\": $expected," stats || fail "$command: $(grep threads stats)"
        grep -q '"threads_by": "the CPU quota of its cgroup"' stats || fail "$command: $(grep threads_by stats)"
        grep -q '"memory_allowed": 1073741824' stats || fail "$command: $(grep memory stats)"
        grep -q '"memory_by": "the memory limit of its cgroup"' stats
        [ "$(within peak_memory ${command%% *} -o /dev/null ${command#* })" -lt 1000000 ] || fail "$command: too much"
    done
}
