#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole searches by hmmsearch and hmmsieve in turns, tables written:  sh bench/run/search.sh MODELS SEQUENCES [CPUS [ROUNDS]]
# Each line: processor seconds (user and system) and wall seconds of both, their ratios, and whether --domtblout is the
# same. HMMSEARCH names another hmmsearch than that of the PATH, WARPSIEVE_BIN the folder of hmmsieve.
set -eu
models=$1 sequences=$2 cpus=${3:-2} rounds=${4:-3}
PATH=${WARPSIEVE_BIN:-$(dirname "$0")/../../bin}:$PATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

timed() { # timed PROGRAM NAME: "cpu wall"
    python3 - "$@" <<'PY'
import os, sys, time
began = time.monotonic() # not by subprocess, whose fork counts 0.05 s of its own
_, status, used = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
wall = time.monotonic() - began
if status: sys.exit(1)
print("%.3f %.3f" % (used.ru_utime + used.ru_stime, wall))
PY
}
search() { # search PROGRAM NAME
    timed "$1" --cpu "$cpus" --noali --tblout "$tmp/$2.tbl" --domtblout "$tmp/$2.dom" -o /dev/null "$models" "$sequences"
}
echo "round hmmsearch_cpu hmmsearch_wall hmmsieve_cpu hmmsieve_wall cpu_ratio wall_ratio rows"
i=0
while [ $i -lt "$rounds" ]; do
    i=$((i + 1))
    theirs=$(search "${HMMSEARCH:-hmmsearch}" theirs)
    ours=$(search hmmsieve ours)
    for t in theirs ours; do grep -v '^#' "$tmp/$t.dom" | tr -s ' ' >"$tmp/$t.rows" || :; done
    same=same
    cmp -s "$tmp/theirs.rows" "$tmp/ours.rows" || same=DIFFERENT
    echo "$i $theirs $ours $same" |
        awk '{ printf "%s %s %s %s %s %.2f %.2f %s\n", $1, $2, $3, $4, $5, $2 / $4, $3 / $5, $6 }'
done
