# SPDX-License-Identifier: MIT
"""ORFs by hand, for tests of places in contigs.

orfs.py cut [-l N] [-c TABLE] GENOME       prints what esl-translate does
orfs.py check [-c TABLE] GENOME HITS       HITS: a table with a head, with columns contig, strand, from, to and ali_seq.
                                           Cuts the bases of each row from the genome, translates them, and compares
                                           them with the residues of the alignment
orfs.py loci GAP HITS                      HITS: with columns query, contig, strand, from, to, hmm_from, hmm_to,
                                           dom_bits, locus, locus_bits. Joins domains in the plainest way, and compares
"""
import argparse
import csv
import sys

BASES = "TCAG"
STANDARD = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"
OTHER = {25: {"TGA": "G"}}
MEANS = {"A": "A", "C": "C", "G": "G", "T": "T", "U": "T", "R": "AG", "Y": "CT", "M": "AC", "K": "GT", "S": "CG", "W": "AT", "H": "ACT",
         "B": "CGT", "V": "ACG", "D": "AGT", "N": "ACGT"}
PAIR = str.maketrans("ACGTRYMKSWHBVDN", "TGCAYRKMSWDVBHN")


def codons(table):
    words = [a + b + c for a in BASES for b in BASES for c in BASES]
    code = {**dict(zip(words, STANDARD)), **OTHER.get(table, {})}
    for word in (a + b + c for a in MEANS for b in MEANS for c in MEANS):
        all_of = {code[a + b + c] for a in MEANS[word[0]] for b in MEANS[word[1]] for c in MEANS[word[2]]}
        code.setdefault(word, all_of.pop() if len(all_of) == 1 else "X")
    return code


def records(path):
    name, desc, seq = None, "", []
    with open(path) as f:
        for line in f:
            if line[0] != ">":
                seq.append(line.strip().upper())
                continue
            if name is not None:
                yield name, desc, "".join(seq)
            name, _, desc = line[1:].rstrip("\n").partition(" ")
            seq = []
    yield name, desc, "".join(seq)


def translate(seq, code):
    return "".join(code.get(seq[i : i + 3], "X") for i in range(0, len(seq) - 2, 3))


def strand(seq, code):
    """Returns (end, frame, begin, residues) of the ORFs of a strand in the order in which they end; places from 0."""
    found = []
    for frame in range(3):
        at = frame
        for residues in translate(seq[frame:], code).split("*"):
            end = at + 3 * len(residues)
            found.append((end, frame, at, residues))
            at = end + 3
    return sorted(found)


def cut(args):
    code, n = codons(args.c), 0
    for name, desc, seq in records(args.genome):
        for minus in (0, 1):
            this = seq.translate(PAIR)[::-1] if minus else seq
            for _, frame, at, residues in strand(this, code):
                if len(residues) < args.l:
                    continue
                n += 1
                ends = at + 1, at + 3 * len(residues)
                ends = [len(seq) + 1 - e for e in ends] if minus else ends
                print(f">orf{n} source={name} coords={ends[0]}..{ends[1]} length={len(residues)} "
                      f"frame={frame + 1 + 3 * minus} desc={desc}")
                for i in range(0, len(residues), 60):
                    print(residues[i : i + 60])


def table(path):
    with open(path) as f:
        lines = [line for line in f if not line.startswith("##")]
    lines[0] = lines[0].lstrip("#")
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def check(args):
    code = codons(args.c)
    contig = {name: seq for name, _, seq in records(args.genome)}
    rows = table(args.hits)
    for r in rows:
        first, last = int(r["from"]), int(r["to"])
        minus = first > last
        bases = contig[r["contig"]][min(first, last) - 1 : max(first, last)]
        if minus:
            bases = bases.translate(PAIR)[::-1]
        want = r["ali_seq"].replace("-", "").upper()
        place = (first - 1) % 3 + 1 if not minus else (len(contig[r["contig"]]) - first) % 3 + 4
        if translate(bases, code) != want or len(bases) != 3 * len(want) or (r["strand"] == "-") != minus:
            sys.exit(f"{r}: the bases are {translate(bases, code)}")
        if int(r["frame"]) != place:
            sys.exit(f"{r}: the frame is {place}")
    print(len(rows))


def along(r):
    sign = -1 if r["strand"] == "-" else 1
    return sign * int(r["from"]), sign * int(r["to"])


def may_follow(a, b, gap):
    (a0, a1), (b0, b1) = along(a), along(b)
    return (a0 < b0 and a1 < b1 and int(a["hmm_from"]) < int(b["hmm_from"]) and int(a["hmm_to"]) < int(b["hmm_to"])
            and b0 - a1 - 1 <= gap)


def loci(args):
    rows = table(args.hits)
    for i, r in enumerate(rows):
        r["row"] = i
    got, joined = {}, 0
    for key in {(r["query"], r["contig"], r["strand"]) for r in rows}:
        tails = []
        for r in sorted((r for r in rows if (r["query"], r["contig"], r["strand"]) == key),
                        key=lambda r: (*along(r), r["row"])):
            before = [t for t in tails if may_follow(t[-1], r, args.gap)]
            if before:
                best = max(before, key=lambda t: (along(t[-1])[1], float(t[-1]["dom_bits"]), -t[-1]["row"]))
                best.append(r)
                joined += 1
            else:
                tails.append([r])
        for t in tails:
            for r in t:
                got[r["row"]] = t
    number, last = {}, None
    for r in rows:
        if r["query"] != last:
            number, last = {}, r["query"]
        t = got[r["row"]]
        want = number.setdefault(id(t), len(number) + 1)
        bits = f'{sum(round(float(x["dom_bits"]) * 10000) for x in t) / 10000:.4f}'
        if int(r["locus"]) != want or r["locus_bits"] != bits:
            sys.exit(f"{r}: expected locus {want} of {bits} bits")
    print(joined)


def main():
    p = argparse.ArgumentParser()
    sub = p.add_subparsers(required=True)
    for name, run, operands in (("cut", cut, ["genome"]), ("check", check, ["genome", "hits"]), ("loci", loci, ["gap", "hits"])):
        s = sub.add_parser(name)
        s.add_argument("-l", type=int, default=20)
        s.add_argument("-c", type=int, default=1)
        for o in operands:
            s.add_argument(o, type=int if o == "gap" else str)
        s.set_defaults(run=run)
    args = p.parse_args()
    args.run(args)


main()
