#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pairhmm on a device beside gpuPairHMM, whole processes on the same file, turn by turn; equality of what they write.

    pairhmm-peer.py BINDIR GPUPAIRHMM REGIONS.in [RUNS]

BINDIR holds pairhmm and, for kernels with copies, bench (build/kernels/pairhmm/bench). Files are written to a folder beside
REGIONS.in: put it into memory. Start-up is a run on an empty input (gpuPairHMM: on one pair).
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

CHUNK = 2**20 - 1  # gpuPairHMM writes so many characters at a time


def wall(cmd):
    t = time.perf_counter()
    p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    return time.perf_counter() - t, p.stdout.decode()


def repaired(text):
    """Returns gpuPairHMM's output without cut lines: it writes a line cut where its buffer ends, and then again whole."""
    out, damaged = [], 0
    for at in range(0, len(text), CHUNK):
        part, rest = text[at : at + CHUNK], text[at + CHUNK : at + CHUNK + 40]
        if rest and rest[0] not in " \n":
            cut = part.rfind("\n") if re.match(r"\d+ \d+\n", rest) else max(part.rfind("\n"), part.rfind(" "))
            damaged += cut + 1 < len(part)
            part = part[: cut + 1]
        out.append(part)
    return "".join(out).split(), damaged


def compare(ours, theirs):
    x, (y, damaged) = open(ours).read().split(), repaired(open(theirs).read())
    largest = off = below = 0
    for p, q in zip(x, y):
        d = abs(float(p) - float(q))
        if d < 1e-3:
            largest = max(largest, d)
        elif float(p) < -60:  # they have single precision only
            below += 1
        else:
            off += 1
    good = len(x) == len(y) and not off
    print("%s: values of both: largest difference %g; %d off below -60, %d elsewhere; %d damaged numbers in their file"
          % ("PASS" if good else "FAIL", largest, below, off, damaged))


def main():
    bindir, peer, regions = sys.argv[1:4]
    runs = int(sys.argv[4]) if len(sys.argv) > 4 else 7
    with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(regions))) as w:
        one = w + "/one.in"
        open(one, "w").write("1 1\nACGT IIII NNNN NNNN ++++\nACGT\n")
        ours = [bindir + "/pairhmm", "--no-provenance", "--no-sharing", "--backend"]
        cmds = {
            "pairhmm -O matrix": ours + ["cuda", "-O", "matrix", "-o", w + "/ours", regions],
            "pairhmm": ours + ["cuda", "-o", w + "/table", regions],
            "pairhmm --double": ours + ["cuda", "--double", "-o", w + "/double", regions],
            "pairhmm, nothing to do": ours + ["cuda", "-o", w + "/none", "/dev/null"],
            "gpuPairHMM": [peer, "--inputfile", regions, "--outputfile", w + "/theirs"],
            "gpuPairHMM, one pair": [peer, "--inputfile", one, "--outputfile", w + "/none"],
            "pairhmm --backend avx512 -O matrix": ours + ["avx512", "-O", "matrix", "-o", w + "/host", regions],
        }
        seconds, says = {k: [] for k in cmds}, []
        for _ in range(runs):
            for name, cmd in cmds.items():
                t, text = wall(cmd)
                seconds[name].append(t)
                if name == "gpuPairHMM":
                    says += re.findall(r"\(([0-9.]+) GCUPS\)", text)
        print("%s, %d bytes, %d runs: milliseconds, median (least)" % (regions, os.path.getsize(regions), runs))
        for name, t in seconds.items():
            print("  %-36s %7.1f (%.1f)" % (name, 1e3 * statistics.median(t), 1e3 * min(t)))
        print("  gpuPairHMM's kernels with copies, GCUPS: %s" % " ".join(says))
        same = open(w + "/ours", "rb").read() == open(w + "/host", "rb").read()
        print("%s: the same bytes with cuda and avx512" % ("PASS" if same else "FAIL"))
        compare(w + "/ours", w + "/theirs")
    if os.path.exists(bindir + "/bench"):
        for option in (["-t", "1", "-K", "1000000000"], ["-K", "4000000"], ["-K", "2000000"], ["-r", "-K", "4000000"]):
            print("bench %s: %s" % (" ".join(option), wall([bindir + "/bench"] + option + [regions])[1].splitlines()[-1]))


main()
