#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Load: large streams made on the fly through a pipe, with the peak memory of every process.

    load.py residues N     the chain msvfilt | vitfilt | fwdscore over N residues of repeated proteins
    load.py models N FILE  N renamed copies of the models of FILE in one pass over 100 proteins
    load.py long N         one sequence of N residues through every filter
    load.py empty N        N empty records
    load.py names N        100 records with names of N bytes

Programs are taken from PATH. Prints one line for a run: what, rows, seconds, peak KiB of each process; status 1 on failure.
"""
import gzip
import os
import subprocess
import sys
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


def main():
    jobs = {"residues": residues, "models": models, "long": long, "empty": empty, "names": names}
    what, n = sys.argv[1], int(sys.argv[2])
    jobs[what](n, *sys.argv[3:])


main()
