#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Snakemake workflow on a real Slurm of one node: the tables of plain hmmsearch, and no job without limits.
#   bash tests/slurm.sh        status 0: equal; 77: something that it needs is not here, and a sentence says what
# As root, with Debian's packages slurm-wlm and munge, and Snakemake with its Slurm plugin in PATH. The cluster is
# three processes that this script starts and ends, with their files, their key and their ports in a temporary folder.
# A cluster of the machine's own is not touched. Every wait has a far limit, so a busy machine changes nothing.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=${WARPSIEVE_BIN:-$top/bin}:$PATH
export LC_ALL=C

absent() { echo "tests/slurm.sh: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || absent "not root, so no Slurm can be started"
for p in munged slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v $p >/dev/null || absent "there is no $p; Debian has it in slurm-wlm and munge"
done
command -v snakemake >/dev/null || absent "snakemake is not installed"
snakemake --help | grep -q slurm-no-account || absent "snakemake has no plugin for Slurm: pip install snakemake-executor-plugin-slurm"

dir=$(mktemp -d)
children=()
# Ends jobs and processes, last started first, and takes their files away.
down() {
    local status=$? i
    trap - EXIT
    if [ "$status" -ne 0 ] && [ "${SLURM_CONF:-}" = "$dir/slurm.conf" ]; then # the jobs of this cluster, of no other
        timeout 60 scancel -Q -u root 2>/dev/null || :
        for ((i = 0; i < 150; i++)); do [ -n "$(timeout 60 squeue -h 2>/dev/null)" ] || break; sleep 0.2; done
    fi
    for ((i = ${#children[@]} - 1; i >= 0; i--)); do
        kill "${children[i]}" 2>/dev/null || :
        wait "${children[i]}" 2>/dev/null || :
    done
    if [ "$status" -ne 0 ]; then find "$dir" -name '*.log' -not -name 'munge*' -size +0 -exec tail -n 20 {} + >&2 || :; fi
    rm -rf "$dir"
    exit "$status"
}
trap down EXIT
trap 'exit 1' INT TERM

# await WHAT COMMAND...: tries the command for ten minutes at most, as long as all three processes live
await() {
    local what=$1 begin=$SECONDS pid
    shift
    until "$@" >/dev/null 2>&1; do
        for pid in "${children[@]}"; do
            kill -0 "$pid" 2>/dev/null || { echo "tests/slurm.sh: a process of the cluster ended before $what" >&2; exit 1; }
        done
        [ $((SECONDS - begin)) -lt 600 ] || { echo "tests/slurm.sh: waited ten minutes for $what" >&2; exit 1; }
        sleep 0.2
    done
}

# ---- the cluster ----

host=$(hostname -s)
ports=$(python3 -c 'import socket
all = [socket.socket() for _ in range(2)]
for s in all: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in all))')
mkdir "$dir/state" "$dir/spool"
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 600 "$dir/munge.key"
cat >"$dir/slurm.conf" <<CONF
ClusterName=throwaway
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MailProg=/bin/true
MessageTimeout=100
SlurmdTimeout=0
MinJobAge=86400
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(awk '/^MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE
CONF
export SLURM_CONF=$dir/slurm.conf
unset "${!SLURM_JOB@}" "${!SBATCH_@}"
# Snakemake's plugin clears the variables of Slurm in a job before it calls srun, which then has no configuration.
mkdir "$dir/bin"
printf '#!/bin/sh\nSLURM_CONF=%s exec %s "$@"\n' "$SLURM_CONF" "$(command -v srun)" >"$dir/bin/srun"
chmod +x "$dir/bin/srun"
PATH=$dir/bin:$PATH:/usr/sbin
munged --foreground --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munge.pid" \
    --log-file="$dir/munge.log" --seed-file="$dir/munge.seed" >"$dir/munged.log" 2>&1 &
children+=($!)
await "the socket of munge" munge --socket="$dir/munge.socket" --no-input
slurmctld -D -c >"$dir/slurmctld.out.log" 2>&1 &
children+=($!)
await "an answer of slurmctld" scontrol show config
slurmd -D -N "$host" >"$dir/slurmd.out.log" 2>&1 &
children+=($!)
idle() { [ "$(sinfo -h -o %T)" = idle ]; }
await "an idle node" idle

# ---- the workflow ----

mkdir "$dir/work"
cd "$dir/work"
cat "$top"/tests/data/{globins4,demo,fn3}.hmm >three.hmm
cp "$top/tests/data/demo.fa.gz" .
export XDG_CACHE_HOME=$dir/cache
snakemake --nocolor -s "$top/workflows/snakemake/Snakefile" --profile "$top/workflows/snakemake/profiles/slurm" \
    --slurm-no-account --slurm-status-command squeue --slurm-init-seconds-before-status-checks 1 --seconds-between-status-checks 1 \
    --retries 0 --set-scatter shard=3 part=2 --config database=demo.fa.gz models=three.hmm out=results threads=1 mem_mb=500 runtime=60 \
    >"$dir/snakemake.log" 2>&1 &
children+=($!)
wait $! || exit 1 # and a signal is seen at once
unset 'children[-1]'

# ---- what it must have done ----

wrong() { echo "tests/slurm.sh: $*" >&2; exit 1; }
if grep -iE 'no wall time|no job memory|might or might not work' "$dir/snakemake.log"; then wrong "a job has no limit"; fi
squeue --states=all -h -o '%i|%T|%l|%m|%k' >"$dir/jobs"
n=$(wc -l <"$dir/jobs")
[ "$n" -eq 10 ] || wrong "Slurm ran $n jobs, expected 10: models, shards, three shards, gather, parts, two parts, report"
awk -F '|' '$2 != "COMPLETED" || $3 != "1:00:00" || $4 != "500M" { print; bad = 1 } END { exit bad }' "$dir/jobs" ||
    wrong "these jobs (number, state, time, memory, rule) did not end well, or without an hour and 500 MB as limits"

table() { grep -v '^#' "$1" | tr -s ' '; }
compared=hmmsieve
hmmsieve --noali -o /dev/null --tblout own.tbl --domtblout own.dom three.hmm demo.fa.gz
cmp <(table own.tbl) <(table results/hits.tbl) && cmp <(table own.dom) <(table results/hits.dom) || wrong "tables differ from hmmsieve's"
if command -v hmmsearch >/dev/null; then
    compared+=" and hmmsearch"
    zcat demo.fa.gz >demo.fa
    hmmsearch --noali -o /dev/null --tblout want.tbl --domtblout want.dom three.hmm demo.fa
    cmp <(table want.tbl) <(table results/hits.tbl) && cmp <(table want.dom) <(table results/hits.dom) ||
        wrong "tables differ from hmmsearch's"
else
    echo "tests/slurm.sh: hmmsearch is not installed, so its tables were not compared"
fi
echo "tests/slurm.sh: $n jobs of Slurm $(scontrol --version | sed 's/.* //'), all with limits; $(table results/hits.tbl | wc -l) hits," \
    "$(table results/hits.dom | wc -l) domains, equal to those of $compared"
