#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Load: large streams made on the fly through a pipe, with the peak memory of every process.

    load.py residues N     the chain msvfilt | vitfilt | fwdscore over N residues of repeated proteins
    load.py models N FILE  N renamed copies of the models of FILE in one pass over 100 proteins
    load.py long N         one sequence of N residues through every filter
    load.py empty N        N empty records
    load.py names N        100 records with names of N bytes
    load.py searches N [TOOL...]
                           N seconds of each search program: random batches, pieces, pauses and stops of both sides;
                           then readers that go away and full disks. Memory is at most 128 MiB and 4 KiB for each
                           hit, and the bytes are those of a run that none of it meets

Programs are taken from PATH. Prints one line for a run: what, rows, seconds, peak KiB of each process; status 1 on failure.
"""
import gzip
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DATA = os.path.join(TOP, "tests", "data")


def peak(pid):
    try:
        for line in open(f"/proc/{pid}/status"):
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def chain(what, pieces, commands, check=None):
    """Feeds the pieces to the first command; returns rows and the last ## line of the last one's output."""
    start, processes, previous = time.time(), [], subprocess.PIPE
    for c in commands:
        p = subprocess.Popen(c, stdin=previous, stdout=subprocess.PIPE)
        if processes:
            processes[-1].stdout.close()
        processes.append(p)
        previous = p.stdout
    most = [0] * len(commands)

    def watch():
        while any(p.poll() is None for p in processes):
            for i, p in enumerate(processes):
                most[i] = max(most[i], peak(p.pid))
            time.sleep(0.05)

    def feed():
        with processes[0].stdin as to:
            for piece in pieces:
                to.write(piece)

    threads = [threading.Thread(target=f) for f in (watch, feed)]
    for t in threads:
        t.start()
    rows, last, size = 0, b"", 0
    while True:
        piece = processes[-1].stdout.read(1 << 20)
        if not piece:
            break
        rows += piece.count(b"\n")
        size += len(piece)
        last = (last + piece)[-300:]
    status = [p.wait() for p in processes]
    for t in threads:
        t.join()
    end = last.decode(errors="replace").rstrip("\n").split("\n")[-1]
    peaks = ", ".join(f"{c[0]} {m}" for c, m in zip(commands, most))
    print(f"{what}: {rows} lines, {size} bytes, {time.time() - start:.1f} s, peak KiB: {peaks}; {end[:100]}", flush=True)
    if any(status) or (check and check not in end):
        print(f"failed: status {status}, expected {check}")
        sys.exit(1)
    return max(most)


def proteins():
    data = gzip.open(os.path.join(DATA, "demo.fa.gz")).read()
    count = sum(len(x) for x in data.split(b"\n") if not x.startswith(b">"))
    return data, count


def residues(n):
    data, count = proteins()
    model, copies = os.path.join(DATA, "globins4.hmm"), -(-n // count)
    most = chain(f"{copies * count} residues", (data for _ in range(copies)), [["msvfilt", model], ["vitfilt", model], ["fwdscore", model]],
                 f"residues={copies * count}")
    if most > 16384 * (1 + os.cpu_count()):
        print(f"failed: {most} KiB, which is no bounded memory")
        sys.exit(1)


def models(n, path):
    text = (gzip.open(path) if path.endswith(".gz") else open(path, "rb")).read().decode()
    one = [m + "//\n" for m in text.split("//\n") if m.strip()]
    with open("load.hmm", "w") as f:
        for i in range(n):
            head, name, rest = one[i % len(one)].partition("NAME  ")
            f.write(f"{head}{name}copy{i // len(one)}_{rest}")
    data, _ = proteins()
    some = b">" + b">".join(data.split(b">")[1:101])
    print(f"load.hmm: {os.path.getsize('load.hmm')} bytes", flush=True)
    chain(f"{n} models x 100 sequences", [some], [["msvfilt", "load.hmm"], ["vitfilt", "load.hmm"], ["fwdscore", "load.hmm"]], "in=100 ")
    os.unlink("load.hmm")


def long(n):
    piece = b"ACDEFGHIKLMNPQRSTVWY" * 3 + b"\n"
    model = os.path.join(DATA, "globins4.hmm")
    for tool in ("ssvfilt", "msvfilt", "vitfilt", "fwdscore"):
        pieces = [b">long\n"] + [piece * 10000] * (n // 600000) + [b"A" * (n % 600000) + b"\n"]
        chain(f"{tool}: one sequence of {n}", pieces, [[tool, "-a", "-f", f"name,tlen,{tool[:3]}_bits", model]], f"residues={n}")
    chain(f"respack: one sequence of {n}", [b">long\n"] + [piece * 10000] * (n // 600000), [["respack"], ["respack", "-O", "ids"]])


def empty(n):
    model = os.path.join(DATA, "globins4.hmm")
    step = 10000
    for commands in ([["msvfilt", model]], [["msvfilt", "-a", model], ["fwdscore", "-a", model]]):
        chain(f"{n} empty records", (b"".join(b">e%d\n" % i for i in range(k, k + step)) for k in range(0, n, step)), commands, f"in={n} ")
    chain(f"{n} empty records", (b">e\n" * step for _ in range(0, n, step)), [["respack"], ["respack", "-O", "ids"]])


def names(n):
    model = os.path.join(DATA, "globins4.hmm")
    records = [b">%d" % (i % 10) + b"n" * (n - 1) + b"\nMKV\n" for i in range(100)]
    chain(f"100 names of {n} bytes", records, [["msvfilt", "-a", model], ["vitfilt", "-a", model], ["fwdscore", "-a", model]], "in=100 ")
    chain(f"100 names of {n} bytes", records, [["respack"], ["respack", "-O", "ids"]])


# ---- searches ----

class Records:
    """Records without end, the same for the same seed: shuffled ones, and now and then one that has a hit."""

    def __init__(self, path, every):
        text = gzip.open(os.path.join(DATA, path)).read().decode()
        self.real = [y[i:i + 2000] for x in text.split(">")[1:] for y in ["".join(x.split("\n")[1:])] for i in range(0, len(y), 2000)]
        self.every = every
        self.chance = ["".join(random.Random(i).sample(x, len(x))) for i, x in enumerate(self.real)]

    def pieces(self, seed):
        r, n = random.Random(seed), 0
        while True:
            text = []
            for _ in range(50):
                n += 1
                text.append(f">r{n}\n{r.choice(self.chance if n % self.every else self.real)}\n")
            yield "".join(text).encode()


def command(tool, threads, batch):
    return [tool, "--quiet", "--no-provenance", "-O", "tsv", "--threads", str(threads), "--batch", batch]


def resident(pid):
    try:
        return next(int(x.split()[1]) for x in open(f"/proc/{pid}/status") if x.startswith("VmRSS"))
    except (OSError, StopIteration):
        return 0


def disturb(p, until, r, memory):
    """Stops and continues a process at random times until `until` or its end, and notes its memory each time."""
    while p.poll() is None:
        time.sleep(r.random() * 0.2)
        memory.append((time.time(), resident(p.pid)))
        if r.random() < 0.2 and time.time() < until:
            p.send_signal(signal.SIGSTOP)
            time.sleep(r.random() * 0.2)
            p.send_signal(signal.SIGCONT)


def disturbed(argv, records, seconds, r, file):
    """Feeds a program for so many seconds, or gives it a file. Returns its rows, how many pieces it had, and the memory that was noted."""
    p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    end, memory, fed = time.time() + seconds, [], 0

    def feed():
        nonlocal fed
        pace = random.Random(r.random())
        for piece in records.pieces(1) if not file else ():
            at = 0
            while at < len(piece):
                n = pace.choice((1, 100, 5000, len(piece)))
                p.stdin.write(piece[at:at + n])
                at += n
                if pace.random() < 0.05:
                    p.stdin.flush()
                    time.sleep(pace.random() * 0.1)
            fed += 1
            if time.time() > end:
                break
        p.stdin.close()
    threads = [threading.Thread(target=feed), threading.Thread(target=disturb, args=(p, end, random.Random(r.random()), memory))]
    for t in threads:
        t.start()
    out = []
    while piece := os.read(p.stdout.fileno(), r.choice((1, 100, 65536))):
        out.append(piece)
        if r.random() < 0.05:
            time.sleep(r.random() * 0.1)
    for t in threads:
        t.join()
    return p.wait(), b"".join(out), fed, memory


def plain_run(argv, records, pieces):
    if pieces == 0:
        p = subprocess.run(argv, stdout=subprocess.PIPE)
        return p.returncode, p.stdout
    p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        for _, piece in zip(range(pieces), records.pieces(1)):
            p.stdin.write(piece)
        p.stdin.close()
    feeder = threading.Thread(target=feed)
    feeder.start()
    out = p.stdout.read()
    feeder.join()
    return p.wait(), out


def ends(argv, operands, records):
    """Runs whose reader goes away, and runs whose disk is full. Returns what went wrong."""
    wrong = []
    data = b"".join(x for _, x in zip(range(20), records.pieces(2)))
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        operands = [operands[0], f.name]
        for seconds in (0, 0.02, 0.3):
            p = subprocess.Popen(argv + operands, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
            time.sleep(seconds)
            p.stdout.close()
            err = p.stderr.read()
            if p.wait() not in (0, -signal.SIGPIPE) or err:
                wrong.append(("reader away", seconds, p.returncode, err))
        full = subprocess.run(argv + ["-o", "/dev/full"] + operands, stderr=subprocess.PIPE)
        if full.returncode != 1 or full.stderr.count(b"\n") != 1 or b"No space left" not in full.stderr:
            wrong.append(("full disk", full.returncode, full.stderr))
    return wrong


def searches(seconds, *tools):
    proteins_of, genome = Records("demo.fa.gz", 40), Records("golden/long-targets/inputs/dna_target.fa.gz", 40)
    made = tempfile.mkdtemp()
    with open(os.path.join(made, "made.hmm"), "wb") as f:
        f.write(gzip.open(os.path.join(DATA, "golden/dna-models/MADE1.hmm.gz")).read())
    with open(os.path.join(made, "q.fa"), "w") as f:
        f.write("".join(f">q{i}\n{proteins_of.real[i]}\n" for i in (3, 30, 60)))
    few = ["--EmN", "20", "--EvN", "20", "--EfN", "50"]
    file, model, bad = os.path.join(made, "file.fa"), os.path.join(DATA, "demo.hmm"), 0
    with open(file, "wb") as f: # which jacksieve reads several times
        f.write(b"".join(x for _, x in zip(range(20 * seconds), proteins_of.pieces(1))))
    for tool, options, query, records in (("hmmsieve", [], model, proteins_of), ("seqsieve", few, os.path.join(made, "q.fa"), proteins_of),
                                          ("jacksieve", few + ["-N", "2"], os.path.join(made, "q.fa"), proteins_of),
                                          ("nhmmsieve", [], os.path.join(made, "made.hmm"), genome)):
        if tools and tool not in tools:
            continue
        r = random.Random(seconds)
        argv = command(tool, r.choice((2, 3, 4)), r.choice(("3000", "20000", "128K", "1M"))) + options
        again = tool == "jacksieve"
        operands = [query, file if again else "-"]
        rc, out, fed, memory = disturbed(argv + operands, records, seconds, r, again)
        quiet, want = plain_run(command(tool, 1, "128K") + options + operands, records, fed)
        wrong = ends(argv, operands, records)
        half = memory[0][0] + (seconds if not again else memory[-1][0] - memory[0][0]) / 2
        spans = ((0, half), (half, 2 * half - memory[0][0]), (0, 2 * memory[-1][0]))
        early, late, most = (max((m for t, m in memory if a <= t < b), default=0) for a, b in spans)
        print(f"{tool}: {seconds} s, {1000 * seconds if again else 50 * fed} records, {out.count(10)} lines, "
              f"KiB by half time {early}, then {late}, with the end {most}", flush=True)
        if rc or quiet or out != want or most > (128 << 10) + 4 * out.count(10) or wrong:
            print(f"failed: status {rc} and {quiet}, {len(out)} bytes, {len(want)} in quiet, {wrong}")
            bad = 1
    sys.exit(bad)


def main():
    jobs = {"searches": searches, "residues": residues, "models": models, "long": long, "empty": empty, "names": names}
    what, n = sys.argv[1], int(sys.argv[2])
    jobs[what](n, *sys.argv[3:])


if __name__ == "__main__":
    main()
