#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Regions of reads and haplotypes for measuring pairhmm: pairhmm-make.py SET CELLS [SEED] > FILE

Haplotypes of a region are variants of one window of random sequence; reads are copies of a piece of one of them with errors at their
base qualities, one in a hundred from somewhere else. SET:
  small    reads 10-151 (mean 58), haplotypes 34-521, about 17 x 3.5: what GATK makes of ordinary sequence
  wgs      reads 100-151, haplotypes 205-521, about 45 x 3.5
  seg      about 184 x 55: a segmental duplication
  mixed    reads 20-151, haplotypes 80-400, 60 x 12
  device   reads 20-151, haplotypes 80-400, 40 x 5: 220 cells a byte
  even     reads of 151, haplotypes of 300, 100 x 20
"""
import random
import sys

SETS = {  # reads: least, most, mean; haplotypes: least, most; reads and haplotypes of a region
    "small": (10, 151, 58, 34, 521, 17, 3.5),
    "wgs": (100, 151, 140, 205, 521, 45, 3.5),
    "seg": (100, 151, 140, 205, 521, 184, 55),
    "mixed": (20, 151, 85, 80, 400, 60, 12),
    "device": (20, 151, 85, 80, 400, 40, 5),
    "even": (151, 151, 151, 300, 300, 100, 20),
}


def mutate(rng, h, n):
    h = list(h)
    for _ in range(n):
        at = rng.randrange(len(h))
        kind = rng.random()
        if kind < 0.7:
            h[at] = rng.choice("ACGT")
        elif kind < 0.85 and len(h) > 40:
            del h[at : at + rng.randint(1, 8)]
        else:
            h[at:at] = rng.choices("ACGT", k=rng.randint(1, 8))
    return "".join(h)


def read_of(rng, h, m):
    if rng.random() < 0.01:
        h = "".join(rng.choices("ACGT", k=max(m, 20)))
    m = min(m, len(h))
    at = rng.randint(0, len(h) - m)
    q = [rng.choice((37, 37, 37, 37, 33, 30, 25, 12, 6)) for _ in range(m)]
    b = [rng.choice("ACGT") if rng.random() < 10 ** (-v / 10) else c for c, v in zip(h[at : at + m], q)]
    return "%s %s %s %s %s" % ("".join(b), "".join(chr(v + 33) for v in q), "N" * m, "N" * m, "+" * m)


def region(rng, lo, hi, mean, hlo, hhi, reads, haps):
    window = "".join(rng.choices("ACGT", k=rng.randint(hlo, hhi)))
    count = max(1, int(rng.gauss(haps, haps / 3) + 0.5))
    hap = [window] if hlo < hhi else []
    while len(hap) < count:
        h = mutate(rng, window, rng.randint(1, 4))
        if hlo == hhi:
            h = (h + window)[:hlo]
        if hlo <= len(h) <= hhi:
            hap.append(h)
    out = []
    for _ in range(max(1, int(rng.gauss(reads, reads / 3) + 0.5))):
        m = min(hi, max(lo, int(rng.triangular(lo, hi, max(lo, 3 * mean - lo - hi))))) if lo < hi else lo
        out.append(read_of(rng, rng.choice(hap), m))
    cells = sum((len(r) - 4) // 5 for r in out) * sum(map(len, hap))
    return cells, "%d %d\n%s\n%s\n" % (len(out), len(hap), "\n".join(out), "\n".join(hap))


def main():
    shape = SETS[sys.argv[1]]
    left = float(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    while left > 0:
        cells, text = region(rng, *shape)
        left -= cells
        sys.stdout.write(text)


main()
