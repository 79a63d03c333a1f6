#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a small call costs beside its work: pages that a process touches, and threads.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
    make_data
    for _ in 1 2 3 4 5 6 7 8; do cat demo.fa; done >eight.fa # 1.3 million residues
}
setup() {
    in_data
    [ -z "${WARPSIEVE_CONTROL:-}" ] || skip "sanitizers have memory of their own"
}

# faults COMMAND: how many pages a command touches; the least of three
faults() {
    python3 - "$@" <<'END'
import os
import sys

least = None
for _ in range(3):
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1)])
    os.close(null)
    status, used = os.wait4(pid, 0)[1:]
    if status:
        sys.exit(f"status {status}")
    least = min(least or used.ru_minflt, used.ru_minflt)
print(least)
END
}

@test "a search of one model touches as little memory for a proteome as for a twentieth of it" {
    head -n $(($(wc -l <eight.fa) / 20)) eight.fa >part.fa
    local whole part
    whole=$(faults "$(hmmsieve --hmmer-path)/hmmsearch" "$data/fn3.hmm" eight.fa)
    part=$(faults "$(hmmsieve --hmmer-path)/hmmsearch" "$data/fn3.hmm" part.fa)
    [ $((whole - part)) -lt 500 ] || fail "$whole pages for the whole, $part for a part"
}
