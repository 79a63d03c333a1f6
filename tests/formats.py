#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the records of a FASTA file in the other formats that HMMER reads, as their own databases look:
    tests/formats.py IN.fa OUT
makes OUT.gb (GenBank), OUT.embl, OUT.uniprot, OUT.sto (two alignments in blocks), OUT.pfam and OUT.afa. Names and
descriptions stay; record number k has the accession ACC00k.1 but in FASTA."""
import sys


def read(path):
    records = []
    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith(">"):
            name, _, desc = line[1:].partition(" ")
            records.append([name, desc, ""])
        else:
            records[-1][2] += line
    return records


def cut(text, n):
    return [text[i:i + n] for i in range(0, len(text), n)]


def genbank(records, out):
    out.write("GBTEST.SEQ          Genetic Sequence Data Bank\n                         June 15 2026\n\n")
    for k, (name, desc, seq) in enumerate(records):
        out.write(f"LOCUS       {name:16} {len(seq)} aa            linear   PLN 01-JUN-2026\n"
                  f"DEFINITION  {desc}\n            of which this line is not read.\nACCESSION   ACC{k:03}\n"
                  f"VERSION     ACC{k:03}.1  GI:{k}\nFEATURES             Location/Qualifiers\n"
                  f"     Protein         1..{len(seq)}\n                     /product=\"x // y\"\nORIGIN      \n")
        for i, line in enumerate(cut(seq.lower(), 60)):
            out.write(f"{60 * i + 1:9} {' '.join(cut(line, 10))}\n")
        out.write("//\n")


def embl(records, out, uniprot=False):
    for k, (name, desc, seq) in enumerate(records):
        first, _, rest = desc.partition(" ")
        kind = f"{'':10}Reviewed; {len(seq):9} AA." if uniprot else f"; SV 1; linear; mRNA; STD; FUN; {len(seq)} BP."
        out.write(f"ID   {name}{kind}\nAC   ACC{k:03}.1; OTHER{k};\nAC   THIRD{k};\nDE   {first}\n")
        out.write(f"DE   {rest}\nXX\n" if rest else "XX\n")
        out.write(f"SQ   Sequence {len(seq)};\n")
        for i, line in enumerate(cut(seq, 60)):
            end = "" if uniprot else f"{min(60 * i + 60, len(seq)):10}"
            out.write(f"     {' '.join(cut(line, 10)):65}{end}\n")
        out.write("//\n")


def gapped(records, odd):
    width = max(len(seq) for _, _, seq in records) + len(odd)
    return [(name, desc, (odd + seq[:20] + "~_" + seq[20:]).ljust(width, "-")[:width + 2].ljust(width + 2, "."))
            for name, desc, seq in records]


def stockholm(records, out, block):
    half = (len(records) + 1) // 2
    for from_ in range(0, len(records), half):
        rows = gapped(records[from_:from_ + half], "-.")
        width = len(rows[0][2])
        out.write("# STOCKHOLM 1.0\n#=GF ID   family\n#=GF GA   20.0 20.0;\n\n")
        for k, (name, desc, _) in enumerate(rows):
            out.write(f"#=GS {name} AC ACC{k + from_:03}.1\n#=GS {name} DE {desc}\n")
        for i in range(0, width, block or width):
            out.write("\n")
            for name, _, row in rows:
                out.write(f"{name:30} {row[i:i + (block or width)]}\n")
            out.write(f"#=GC RF {'x' * len(rows[0][2][i:i + (block or width)])}\n")
        out.write("//\n")


def main():
    records = read(sys.argv[1])
    name = sys.argv[2]
    with open(name + ".gb", "w") as out:
        genbank(records, out)
    with open(name + ".embl", "w") as out:
        embl(records, out)
    with open(name + ".uniprot", "w") as out:
        embl(records, out, uniprot=True)
    with open(name + ".sto", "w") as out:
        stockholm(records, out, 80)
    with open(name + ".pfam", "w") as out:
        stockholm(records, out, 0)
    with open(name + ".afa", "w") as out:
        for row, desc, seq in gapped(records, "-._"):
            out.write(f">{row} {desc}\n" + "\n".join(cut(seq, 70)) + "\n")


main()
