#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ORFs as esl-translate cuts them, step by step, and genomes to try them on.

    tests/sixframe.py genome SEED [LONGEST]      a random FASTA file
    tests/sixframe.py orfs [OPTION...] FILE      its ORFs: -c TABLE -l N -m -M -W --watson --crick
    tests/sixframe.py options SEED               random options of esl-translate
    tests/sixframe.py codons                     a record for each codon of degenerate letters
    tests/sixframe.py genes FILE                 the proteins of FILE as genes in a genome of some records
"""
import itertools
import random
import sys

RESIDUES = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
CODE = {"".join(c): r for c, r in zip(itertools.product("TCAG", repeat=3), RESIDUES)}
# NCBI's tables: codons that stand for another residue than in the first one, and those that begin proteins.
TABLES = {
    1: ("", "TTG CTG ATG"),
    2: ("AGA* AGG* ATAM TGAW", "ATT ATC ATA ATG GTG"),
    3: ("ATAM CTTT CTCT CTAT CTGT TGAW", "ATA ATG"),
    4: ("TGAW", "TTA TTG CTG ATT ATC ATA ATG GTG"),
    5: ("AGAS AGGS ATAM TGAW", "TTG ATT ATC ATA ATG GTG"),
    6: ("TAAQ TAGQ", "ATG"),
    9: ("AAAN AGAS AGGS TGAW", "ATG GTG"),
    10: ("TGAC", "ATG"),
    11: ("", "TTG CTG ATT ATC ATA ATG GTG"),
    12: ("CTGS", "CTG ATG"),
    13: ("AGAG AGGG ATAM TGAW", "TTG ATA ATG GTG"),
    14: ("AAAN AGAS AGGS TAAY TGAW", "ATG"),
    16: ("TAGL", "ATG"),
    21: ("AAAN AGAS AGGS ATAM TGAW", "ATG GTG"),
    22: ("TCA* TAGL", "ATG"),
    23: ("TTA*", "ATT ATG GTG"),
    24: ("AGAS AGGK TGAW", "TTG CTG ATG GTG"),
    25: ("TGAG", "TTG ATG GTG"),
}
SETS = dict(A="A", C="C", G="G", T="T", R="AG", Y="CT", M="AC", K="GT", S="CG", W="AT", H="ACT", B="CGT", V="ACG", D="AGT", N="ACGT")
OTHER = str.maketrans("ACGTRYMKHDBV", "TGCAYRKMDHVB")


def meanings(codon):
    return ["".join(c) for c in itertools.product(*(SETS[b] for b in codon))]


class Translator:
    def __init__(self, argv):
        self.table, self.least, self.joins, self.strands, self.starts = 1, 20, True, "+-", None
        words = iter(argv)
        for w in words:
            if w == "-c":
                self.table = int(next(words))
            elif w == "-l":
                self.least = int(next(words))
            elif w == "-m":
                self.starts = ["ATG"]
            elif w == "-M":
                self.starts = []
            elif w == "-W":
                self.joins = False
            else:
                self.strands = {"--watson": "+", "--crick": "-"}[w]
        changes, starts = TABLES[self.table]
        self.code = CODE | {c[:3]: c[3] for c in changes.split()}
        self.starts = starts.split() if self.starts == [] else self.starts
        self.known = {}
        self.number = 0

    def look(self, codon):
        if codon not in self.known:
            all_of = meanings(codon)
            residues = {self.code[c] for c in all_of}
            begins = all(c in self.starts if self.starts else self.code[c] != "*" for c in all_of)
            self.known[codon] = (residues.pop() if len(residues) == 1 else "X", begins)
        return self.known[codon]

    def end(self, name, desc, L, minus, frame, place, orf, out):
        if orf and len(orf[1]) >= self.least:
            self.number += 1
            first, last = (L - orf[0], L - place + 1) if minus else (orf[0] + 1, place)
            out.write(f">orf{self.number} source={name} coords={first}..{last} length={len(orf[1])} "
                      f"frame={frame + 1 + 3 * minus} desc={desc}\n")
            text = "".join(orf[1])
            for i in range(0, len(text), 60):
                out.write(text[i:i + 60] + "\n")

    def strand(self, name, desc, bases, minus, out):
        L, orf = len(bases), [None] * 3
        for p in range(L - 2):
            residue, begins = self.look(bases[p:p + 3])
            f = p % 3
            if not orf[f] and begins:
                orf[f] = (p, [])
                residue = "M" if self.starts else residue
            if residue == "*":
                self.end(name, desc, L, minus, f, p, orf[f], out)
                orf[f] = None
            elif orf[f]:
                orf[f][1].append(residue)
        for p in range(L - 2, L + 1):
            self.end(name, desc, L, minus, p % 3, p, orf[p % 3], out)

    def run(self, records, out):
        before = ""
        for name, desc, bases in records:
            bases = bases.upper().replace("U", "T").replace("X", "N")
            if self.joins:
                bases = before + bases
                before = bases if len(bases) < 3 else ""
            if len(bases) < 3:
                continue
            if "+" in self.strands:
                self.strand(name, desc, bases, 0, out)
            if "-" in self.strands:
                self.strand(name, desc, bases.translate(OTHER)[::-1], 1, out)


def read(path):
    name = None
    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith(">"):
            if name is not None:
                yield name, desc, "".join(bases)
            name, _, desc = line[1:].partition(" ")
            bases = []
        else:
            bases.append(line)
    if name is not None:
        yield name, desc, "".join(bases)


def genome(seed, longest):
    r = random.Random(seed)
    for n in range(r.randint(1, 12)):
        L = r.choice((r.randint(0, 8), r.randint(0, 300), r.randint(0, 5000), r.randint(0, longest)))
        bases = []
        while len(bases) < L:
            kind, some = r.randint(0, 11), r.randint(1, max(1, L // r.choice((1, 3, 10))))
            letters = ("ACGT" if kind < 6 else "acgtACGU" if kind < 7 else "N" if kind < 8 else "A" if kind < 9 else
                       "ACGTRYMKSWHBVDN" if kind < 10 else "ACG" if kind < 11 else "TTAAGG")
            bases += r.choices(letters, k=some)
        text, width = "".join(bases[:L]), r.choice((60, 60, 7, 100000))
        print(f">r{seed}.{n}" + r.choice(("", " a record", " of  two blanks")))
        for i in range(0, L, width):
            print(text[i:i + width])


def options(seed):
    r = random.Random(seed)
    words = ["-c", str(r.choice(list(TABLES)))] if r.random() < .5 else []
    words += ["-l", str(r.choice((0, 1, 2, 5, 20, 50, 300)))] if r.random() < .7 else []
    words += r.choice(([], [], ["-m"], ["-M"])) + r.choice(([], [], ["-W"])) + r.choice(([], [], ["--watson"], ["--crick"]))
    print(" ".join(words))


def genes(path):
    r = random.Random(1)
    codon = {}
    for c, residue in CODE.items():
        codon.setdefault(residue, []).append(c)
    record, bases = 0, ""
    for _, _, protein in read(path):
        gene = "ATG" + "".join(r.choice(codon.get(x, ["NNN"])) for x in protein.upper()) + "TAA"
        bases += "".join(r.choices("ACGT", k=r.randint(1, 900)))
        bases += gene if r.random() < .5 else gene.translate(OTHER)[::-1]
        if r.random() < .1:
            record += 1
            print(f">contig{record} made of genes\n{bases}")
            bases = ""
    print(f">rest\n{bases}")


def main(what, *rest):
    if what == "genome":
        genome(int(rest[0]), int(rest[1]) if len(rest) > 1 else 30000)
    elif what == "options":
        options(int(rest[0]))
    elif what == "genes":
        genes(rest[0])
    elif what == "codons":
        for c in map("".join, itertools.product("ACGTRYMKSWHBVDN", repeat=3)):
            print(f">{c}\nAAC{c}AAC")
    else:
        Translator(rest[:-1]).run(read(rest[-1]), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
