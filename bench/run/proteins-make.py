#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a protein database for benchmarks: real proteomes again and again, with more and more letters replaced.

    proteins-make.py MEGARESIDUES PROTEOME.FA.GZ... > database.fa

Rounds over all proteomes replace 0, 10, 20 .. 90 % of the letters in turns, by letters drawn from the proteomes. A name
has its round in front."""
import gzip
import sys

import numpy as np


def records(paths):
    """Names of all records, and their residues one after another with the place where each begins."""
    names, parts = [], []
    for path in paths:
        for record in gzip.open(path, "rb").read().split(b">")[1:]:
            head, _, residues = record.partition(b"\n")
            names.append(head.split()[0])
            parts.append(residues.replace(b"\n", b""))
    first = np.concatenate([[0], np.cumsum([len(p) for p in parts])])
    return names, np.frombuffer(b"".join(parts), dtype=np.uint8), first.tolist()


def main():
    size = int(float(sys.argv[1]) * 1e6)
    names, letters, first = records(sys.argv[2:])
    rng = np.random.default_rng(1)
    written = turn = 0
    while written < size:
        changed = letters.copy()
        at = np.flatnonzero(rng.random(len(letters), dtype=np.float32) < 0.1 * (turn % 10))
        changed[at] = letters[rng.integers(0, len(letters), len(at), dtype=np.int32)]
        text = changed.tobytes()
        for k, name in enumerate(names):
            if written >= size:
                break
            sys.stdout.buffer.write(b">%d.%s\n%s\n" % (turn, name, text[first[k]:first[k + 1]]))
            written += first[k + 1] - first[k]
        turn += 1


main()
