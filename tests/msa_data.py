#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes inputs and databases for tests of warpsieve-msa:   msa_data.py OUT PROTEINS.fa.gz... [--many]

OUT/inputs gets AlphaFold 3's JSON, OUT/db the databases. Of one file of proteins few chains are made; with --many 20, of which one has
2,000 residues. Hits are there twice: in two databases, and in one under two names. One chain has no homologs, one has X and U, two
jobs share a chain, and a complex has two proteins, RNA, DNA and a ligand.
"""
import gzip
import json
import os
import random
import sys

FAMILIES = ("kinase", "ATP-binding", "dehydrogenase", "helicase", "GTP", "proteasome", "cyclin")  # chains with many homologs
LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def records(path):
    with gzip.open(path, "rt") as f:
        return [(part.partition("\n")[0], part.partition("\n")[2].replace("\n", "")) for part in f.read().split(">")[1:]]


def write(path, found):
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(f">{name}\n{sequence}\n" for name, sequence in found))


def job(out, name, *entries, version=2):
    document = {"dialect": "alphafold3", "version": version, "name": name, "modelSeeds": [1, 5], "sequences": list(entries)}
    with open(os.path.join(out, "inputs", f"{name}.json".replace(" ", "-")), "w", encoding="utf-8") as f:
        json.dump(document, f)


def protein(ids, sequence, **more):
    return {"protein": {"id": ids, "sequence": sequence, "templates": [], **more}}


def rna(ids, sequence, **more):
    return {"rna": {"id": ids, "sequence": sequence, **more}}


def changed(rng, sequence, share, letters):
    """A copy in which a share of the residues is another one, and a few are lost or new."""
    copy = []
    for c in sequence:
        kind = rng.random()
        copy.append(c if kind > share else "" if kind < share / 8 else rng.choice(letters) * (2 if kind < share / 4 else 1))
    return "".join(copy)


def ribonucleic(out, rng):
    """Databases of RNA, and the chains that have homologs there."""
    long, short = ("".join(rng.choice("ACGU") for _ in range(n)) for n in (180, 40))
    for i, name in enumerate(("rfam", "rnacentral", "nt_rna")):
        found = []
        for k in range(12):
            flank = ["".join(rng.choice("ACGU") for _ in range(rng.randrange(5, 90))) for _ in range(2)]
            source = long if k % 3 else short
            found.append((f"{name}{k} RNA number {k}" if k % 4 else f"{name}{k}", flank[0] + changed(rng, source, 0.03 * k, "ACGU") + flank[1]))
        found.append((f"same{i} as in all databases", long))
        write(os.path.join(out, "db", name + ".fa"), found)
    return long, short


def main():
    many = "--many" in sys.argv
    out, *paths = [word for word in sys.argv[1:] if word != "--many"]
    for folder in ("inputs", "db"):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    rng = random.Random(60)
    found = [r for path in paths for r in records(path)]
    step = 4 if many else 1
    write(os.path.join(out, "db", "uniref90.fa"), found[::step] + [("again a duplicate", found[0][1])])
    write(os.path.join(out, "db", "small_bfd.fa"), [(f"bfd{i}", s) for i, (_, s) in enumerate(found[1::step])] + found[:8 * step:step])
    write(os.path.join(out, "db", "mgnify.fa"), [(name, changed(rng, s, 0.2, LETTERS)) for name, s in found[2::step * 2]])
    write(os.path.join(out, "db", "uniprot.fa"), found[::step] + [(f"tr|A0A0{i:02d}|COPY_{i}", s) for i, (_, s) in enumerate(found[:6 * step:step])])
    long, short = ribonucleic(out, rng)
    chains = [s for name, s in found[::step] if 60 <= len(s) <= 400 and (not many or any(word in name for word in FAMILIES))]
    job(out, "kinase", protein("A", next(s for name, s in found if "RIM11_YEAST" in name)))
    for i in range(13 if many else 1):
        job(out, f"chain{i}", protein("A", chains[i * len(chains) // 13]))
    job(out, "alone", protein("A", "".join(rng.choice("WCHMY") for _ in range(80))))
    strange = chains[3][:40] + "XXU" + chains[3][43:80]
    job(out, "strange", protein("A", strange, modifications=[{"ptmType": "SEP", "ptmPosition": 5}], description="it has X and U"))
    job(out, "short RNA", rna("R", short))
    job(out, "RNA", rna(["R", "S"], long[:90] + "N" + long[91:]), version=4)
    job(out, "complex", protein(["A", "B"], chains[0]), protein("C", chains[5][:120]), protein("D", chains[0]), rna("R", long),
        {"dna": {"id": "E", "sequence": "ACGTN"}}, {"ligand": {"id": ["L", "M"], "ccdCodes": ["ATP"]}},
        protein("F", "MKV", unpairedMsa="", pairedMsa=">own\nMKV\n"))
    if many:
        job(out, "long", protein("A", max((s for name, s in found if len(s) <= 2000 and "ATP" in name), key=len)))


if __name__ == "__main__":
    main()
