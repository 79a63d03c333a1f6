#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a genome for benchmarks: real sequences again and again, mutated, with mutated copies of the models' consensus.

    genome-make.py MODELS MEGABASES COPIES FASTA... > genome.fa

Each round over the sequences of FASTA changes more bases: none in the first one, then 5, 10, 15 and 20 % in turns. COPIES of each model's
consensus, of which 2 to 25 % of the bases are changed and some are lost, lie at random places of either strand. A model of proteins gives
a codon for each residue."""
import sys

import numpy as np

BASES = np.frombuffer(b"ACGT", dtype=np.uint8)
AMINO = "ACDEFGHIKLMNPQRSTVWY"
CODONS = dict(zip(AMINO, "GCC TGC GAC GAA TTC GGC CAC ATC AAA CTG ATG AAC CCG CAG CGC AGC ACC GTG TGG TAC".split()))
COMPLEMENT = np.arange(256, dtype=np.uint8)
for x, y in zip(b"ACGT", b"TGCA"):
    COMPLEMENT[x] = y


def sequences(path):
    text = b"".join(open(path, "rb").read().upper().replace(b"U", b"T").split(b"\n")[1:])
    x = np.frombuffer(b"".join(line for line in text.split(b"\n") if not line.startswith(b">")), dtype=np.uint8)
    return x[np.isin(x, BASES)]


def consensus(path):
    """The consensus of each model of a file with one, as text."""
    models, letters, inside, known = [], [], False, "ACGTU"
    for line in open(path):
        word = line.split()
        if line.startswith("ALPH "):
            known = AMINO if word[1].lower() == "amino" else "ACGTU"
        if line.startswith("HMM "):
            inside, letters = True, []
        elif line.startswith("//"):
            text = "".join(CODONS[x] for x in letters) if known == AMINO else "".join(letters).replace("U", "T")
            models.append(np.frombuffer(text.encode(), dtype=np.uint8))
            inside = False
        elif inside and len(word) > 6 and word[0].isdigit() and not line.startswith("        "):
            n = len(known.rstrip("U"))
            x = word[n + 2].upper()
            letters.append(x if x in known else known[min(range(n), key=lambda k: float(word[1 + k]))])
    return models


def mutated(x, share, rng):
    y = x.copy()
    at = np.flatnonzero(rng.random(len(y)) < share)
    y[at] = BASES[rng.integers(0, 4, len(at))]
    return y


def main():
    models, size, copies = consensus(sys.argv[1]), int(float(sys.argv[2]) * 1e6), int(sys.argv[3])
    rng = np.random.default_rng(1)
    base = np.concatenate([sequences(p) for p in sys.argv[4:]])
    rounds = size // len(base) + 1
    x = np.concatenate([mutated(base, 0.05 * (k % 5), rng) for k in range(rounds)])[:size]
    for m in models:
        for _ in range(copies):
            c = mutated(m, rng.uniform(0.02, 0.25), rng)
            c = c[rng.random(len(c)) > 0.01]
            if rng.random() < 0.5:
                c = COMPLEMENT[c[::-1]]
            at = rng.integers(0, size - len(c))
            x[at:at + len(c)] = c
    record = 8_000_000
    for i in range(0, size, record):
        part = x[i:i + record]
        full = len(part) // 80 * 80
        rows = np.empty((full // 80, 81), dtype=np.uint8)
        rows[:, :80], rows[:, 80] = part[:full].reshape(-1, 80), 10
        rest = part[full:].tobytes() + b"\n" if full < len(part) else b""
        sys.stdout.buffer.write(b">part%d\n" % (i // record) + rows.tobytes() + rest)


main()
