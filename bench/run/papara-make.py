#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A reference and reads for measuring papara-score: papara-make.py LEAVES SITES READS LEAST MOST DIR [SEED]

DIR gets ref.phy, ref.nwk and reads.fasta. The tree is random, its leaves' sequences differ from their neighbours' in about 2 % of
the sites and lack pieces of 1 to 60 sites that were lost on some branch; no column is all gaps. Reads are pieces of LEAST to MOST
residues of leaves, with 2 % substitutions and 0.5 % insertions and deletions. Edges: 2 * LEAVES - 3.
"""
import os
import random
import sys

BASES = b"ACGT"


def child_of(rng, parent):
    seq = bytearray(parent)
    for _ in range(int(rng.expovariate(1 / (0.02 * len(seq)))) + 1):
        at = rng.randrange(len(seq))
        if seq[at] != 45:
            seq[at] = rng.choice(BASES)
    if rng.random() < 0.2:
        at, n = rng.randrange(len(seq)), rng.randint(1, 60)
        seq[at : at + n] = b"-" * len(seq[at : at + n])
    return seq


def grow(rng, sites, leaves):
    """Splits a leaf taken at random until there are enough; returns (children of each node, sequences of the leaves)."""
    children = [(1, 2, 3)]
    root = bytearray(rng.choices(BASES, k=sites))
    tip = {k: child_of(rng, root) for k in (1, 2, 3)}
    open_tips = [1, 2, 3]
    children += [(), (), ()]
    while len(tip) < leaves:
        k = rng.randrange(len(open_tips))
        node, new = open_tips[k], (len(children), len(children) + 1)
        seq = tip.pop(node)
        children[node] = new
        children += [(), ()]
        for x in new:
            tip[x] = child_of(rng, seq)
        open_tips[k] = new[0]
        open_tips.append(new[1])
    for i in range(sites):
        if all(s[i] == 45 for s in tip.values()):
            tip[open_tips[0]][i] = rng.choice(BASES)
    return children, tip


def newick(rng, children):
    text = [""] * len(children)
    for x in range(len(children) - 1, -1, -1):  # children have larger numbers
        below = "(" + ",".join(text[c] for c in children[x]) + ")" if children[x] else "t%d" % x
        text[x] = below + (":%.5f" % rng.uniform(0.005, 0.05) if x else ";\n")
    return text[0]


def read_of(rng, row, m):
    at = rng.randrange(max(1, len(row) - m))
    out = bytearray()
    for c in row[at : at + m + 8]:
        p = rng.random()
        if p < 0.0025:
            continue
        out.append(rng.choice(BASES) if p < 0.0225 else c)
        if p > 0.9975:
            out.append(rng.choice(BASES))
    return bytes(out[:m])


def main():
    leaves, sites, reads, least, most = (int(a) for a in sys.argv[1:6])
    folder = sys.argv[6]
    rng = random.Random(int(sys.argv[7]) if len(sys.argv) > 7 else 1)
    children, tip = grow(rng, sites, leaves)
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/ref.phy", "wb") as f:
        f.write(b"%d %d\n" % (leaves, sites))
        for x, seq in tip.items():
            f.write(b"t%d %s\n" % (x, seq))
    with open(folder + "/ref.nwk", "w") as f:
        f.write(newick(rng, children))
    rows = [bytes(s).replace(b"-", b"") for s in tip.values()]
    with open(folder + "/reads.fasta", "wb") as f:
        for r in range(reads):
            f.write(b">r%d\n%s\n" % (r, read_of(rng, rng.choice(rows), rng.randint(least, most))))


main()
