# SPDX-License-Identifier: MIT
# Signals as parents and containers leave them: every program as process 1, with signals that are ignored or blocked.
# Signals in mid-stream are in contract.bats.

load helper

setup_file() {
    make_data
    zcat "$data/golden/dna-models/MADE1.hmm.gz" >made.hmm
    cp "$data"/papara/tiny5/ref.* .
    awk '/^>/ { n++ } n > 1 { exit } { print }' demo.fa >q.fa
}
setup() { in_data; }

# All but hmmindex, which reads no standard input.
readers_of_stdin() { all_tools | grep -vx hmmindex; }
# A tool with its operands that reads an endless standard input.
waiting() {
    case $1 in
    papara-score) echo papara-score --quiet ref.phy ref.nwk - ;;
    nhmmsieve) echo nhmmsieve made.hmm - ;;
    hmmsieve) echo hmmsieve m.hmm - ;;
    seqsieve) echo seqsieve q.fa - ;;
    jacksieve) echo jacksieve -N 1 q.fa - ;;
    mrfseg) echo mrfseg --classes 3 - ;;
    hmmpick) echo hmmpick -f m.hmm - ;;
    *) echo "$1" $(model_of "$1") - ;;
    esac
}

# Sends each signal to a command that waits for input and checks how it ends. HOW: as process 1 of a PID namespace
# (first), or with these signals ignored or blocked by its parent, where only SIGKILL ends it.
below() { # below HOW COMMAND...
    python3 - "$@" <<'EOF'
import os, signal, subprocess, sys, time
how, command = sys.argv[1], sys.argv[2:]
caught = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}

def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(x) for x in f.read().split()]

def start():
    def before():
        for s in caught:
            signal.signal(s, signal.SIG_IGN if how == "ignored" else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK if how == "blocked" else signal.SIG_UNBLOCK, caught)
    wrapped = ["unshare", "--user", "--map-root-user", "--pid", "--fork", *command] if how == "first" else command
    p = subprocess.Popen(wrapped, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before,
                         start_new_session=True)
    end = time.monotonic() + 20
    while time.monotonic() < end: # until it is the program, and has begun: it waits for input
        pid = (children(p.pid) or [0])[0] if how == "first" else p.pid
        try:
            status = open(f"/proc/{pid}/status").read()
            caught_now = int(status.split("SigCgt:")[1].split()[0], 16) & 1 << signal.SIGINT - 1
            if status.split()[1] == command[0] and "State:\tS" in status and (caught_now or how == "ignored"):
                break
        except (FileNotFoundError, ProcessLookupError):
            pass
        time.sleep(0.005)
    else:
        sys.exit("it did not begin")
    time.sleep(0.05)
    return p, pid

def ended(p, seconds):
    try:
        return p.wait(seconds)
    except subprocess.TimeoutExpired:
        return None

def alive(pid):
    left = []
    for n in filter(str.isdigit, os.listdir("/proc")):
        try:
            left += [n] if os.getsid(int(n)) == pid and " Z " not in open(f"/proc/{n}/stat").read() else []
        except (FileNotFoundError, ProcessLookupError):
            pass
    return left

for number in sorted(caught):
    p, pid = start()
    os.kill(pid, number)
    status = ended(p, 2 if how == "first" else 0.1)
    if how == "first":
        if status is None:
            os.kill(pid, signal.SIGKILL)
        assert status == 128 + number, f"process 1, signal {number}: {status}"
    else:
        assert status is None, f"{how}, signal {number}: {status}"
        os.kill(pid, signal.SIGKILL)
        assert ended(p, 2) == -signal.SIGKILL
        assert not alive(p.pid), f"{how}: a process is left"
    p.stdin.close()
    err = p.stderr.read()
    assert not err, err
EOF
}

# shellcheck disable=SC2046 # words
first() { below first $(waiting "$1"); }
# shellcheck disable=SC2046
ignored() { below ignored $(waiting "$1"); }
# shellcheck disable=SC2046
blocked() { below blocked $(waiting "$1"); }

@test "process 1 of a container ends by SIGINT, SIGTERM and SIGHUP, with their status" {
    unshare --user --map-root-user --pid --fork true 2>/dev/null || skip "no PID namespaces here"
    each_at_once first $(readers_of_stdin)
}

@test "process 1 whose reader goes away: 141 and silence" {
    local s
    unshare --user --map-root-user --pid --fork true 2>/dev/null || skip "no PID namespaces here"
    for _ in 1 2 3 4 5 6; do cat demo.fa; done >big.fa
    s=$(bash -c '{ unshare -Urpf msvfilt -a m.hmm big.fa 2>err; echo $? >&3; } 3>st | head -1 >/dev/null; cat st')
    [ "$s" = 141 ] || fail "status $s"
    [ ! -s err ] || fail "$(cat err)"
}

@test "signals that the parent ignores or blocks end no program, and SIGKILL leaves no process" {
    each_at_once ignored $(readers_of_stdin)
    each_at_once blocked $(readers_of_stdin)
}
