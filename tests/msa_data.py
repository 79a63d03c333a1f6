#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes inputs and databases for tests of warpsieve-msa:   msa_data.py OUT PROTEINS.fa.gz... [--many]

OUT/inputs gets AlphaFold 3's JSON, OUT/db the databases, OUT/more a job whose templates are searched, and OUT/mmcif structures.
There are few chains, with --many 20, one of which has about 2,000 residues. Hits are there twice: in two
databases, and in one under two names. One chain has no homologs, one has X and U, two jobs share a chain, and a complex has two
proteins, RNA, DNA and a ligand.
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
            copy = changed(rng, source, 0.03 * k, "ACGU")
            found.append((f"{name}{k} RNA number {k}" if k % 4 else f"{name}{k}", flank[0] + copy + flank[1]))
        found.append((f"same{i} as in all databases", long))
        write(os.path.join(out, "db", name + ".fa"), found)
    return long, short


ATOM = ("group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id", "label_entity_id",
        "label_seq_id", "pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv", "auth_seq_id", "auth_asym_id",
        "pdbx_PDB_model_num")
SCHEME = ("asym_id", "entity_id", "seq_id", "mon_id", "pdb_seq_num", "auth_seq_num", "pdb_strand_id", "pdb_ins_code", "hetero")
CODES = dict(zip("ARNDCQEGHILKMFPSTWYVX", "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL UNK".split()))


def loop(category, items, rows):
    head = "".join(f"_{category}.{item}\n" for item in items)
    return f"loop_\n{head}" + "".join(" ".join(map(str, row)) + "\n" for row in rows) + "#\n"


def structure(out, name, sequence, date, unresolved=(), author="B"):
    """Writes an mmCIF file of two chains. Residue 7 is MSE, and atoms of residue 9 lie in two places."""
    codes = [CODES.get(c, "UNK") for c in sequence]
    codes[6] = "MSE"
    atoms, scheme = [], []
    for asym, strand, shift in (("A", author, 0.0), ("C", "Z", 50.0)):
        for i, code in enumerate(codes, 1):
            there = asym == "C" or i not in unresolved
            scheme.append((asym, 1, i, code, i + 10, i + 10 if there else "?", strand, ".", "n"))
            for k, atom in enumerate(("N", "CA", "C", "O", "CB") if there else ()):
                for alt in (".",) if i != 9 else ("A", "B"):
                    atoms.append(("HETATM" if code == "MSE" else "ATOM", len(atoms) + 1, atom[0], atom, alt, code, asym, 1, i, "?",
                                  f"{i * 1.5 + k + shift + (alt == 'B'):.3f}", f"{k * 0.7:.3f}", f"{i % 5:.3f}",
                                  {"A": "0.40", "B": "0.60"}.get(alt, "1.00"), "20.00", i + 10, strand, 1))
    text = (f"data_{name.upper()}\n#\n_entry.id {name.upper()}\n#\n_exptl.method 'X-RAY DIFFRACTION'\n#\n_refine.ls_d_res_high 1.90\n#\n"
            + loop("pdbx_audit_revision_history", ("ordinal", "revision_date"), [(1, date), (2, "2023-01-01")])
            + loop("struct_asym", ("id", "entity_id", "details"), [("A", 1, "?"), ("C", 1, "'of a pair'")])
            + f"_entity.id 1\n_entity.type polymer\n_entity.pdbx_description\n;{name} in a text\n field\n;\n#\n"
            + f"_entity_poly.entity_id 1\n_entity_poly.type 'polypeptide(L)'\n_entity_poly.pdbx_strand_id {author},Z\n"
            + f"_entity_poly.pdbx_seq_one_letter_code_can\n;{sequence}\n;\n#\n"
            + loop("entity_poly_seq", ("entity_id", "num", "mon_id", "hetero"), [(1, i, code, "n") for i, code in enumerate(codes, 1)])
            + loop("pdbx_poly_seq_scheme", SCHEME, scheme) + loop("atom_site", ATOM, atoms))
    with open(os.path.join(out, "mmcif", name + ".cif"), "w", encoding="utf-8") as f:
        f.write(text)


def structures(out, rng, sequence):
    """Structures like a chain, of which AlphaFold 3 takes some: others are copies, are too young, are there twice or have no file."""
    near = [changed(rng, sequence, share, LETTERS) for share in (0.1, 0.2, 0.3, 0.4)]
    seqres = [("9aaa_B", near[0]), ("9aab_B", near[1]), ("9aac_B", sequence), ("9aad_B", near[2]), ("9aae_B", near[3]), ("9aaf_B", near[0]),
              ("9aag_Z", near[2][20:200]), ("9aah_B", near[3][40:180])]
    write(os.path.join(out, "db", "seqres.fa"), [(f"{name} mol:protein length:{len(s)}  {name[:4]} of a test", s) for name, s in seqres])
    structure(out, "9aaa", near[0], "2019-05-01", set(range(1, 9)) | set(range(60, 70)))
    structure(out, "9aab", near[1][:30] + near[1][35:90] + near[1][92:], "2018-01-01")
    structure(out, "9aac", sequence, "2017-01-01")
    structure(out, "9aad", near[2], "2022-02-02")
    structure(out, "9aaf", near[0], "2016-01-01")
    structure(out, "9aag", near[2][20:200], "2015-01-01", author="Y")
    structure(out, "9aah", near[3][40:180], "2014-01-01", range(1, 140))
    job(os.path.join(out, "more"), "templated", {"protein": {"id": "A", "sequence": sequence}})


def main():
    many = "--many" in sys.argv
    out, *paths = [word for word in sys.argv[1:] if word != "--many"]
    for folder in ("inputs", "db", "mmcif", os.path.join("more", "inputs")):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
    rng = random.Random(60)
    found = [r for path in paths for r in records(path)]
    step = 4 if many else 1
    write(os.path.join(out, "db", "uniref90.fa"), found[::step] + [("again a duplicate", found[0][1])])
    write(os.path.join(out, "db", "small_bfd.fa"), [(f"bfd{i}", s) for i, (_, s) in enumerate(found[1::step])] + found[:8 * step:step])
    write(os.path.join(out, "db", "mgnify.fa"), [(name, changed(rng, s, 0.2, LETTERS)) for name, s in found[2::step * 2]])
    copies = [(f"tr|A0A0{i:02d}|COPY_{i}", s) for i, (_, s) in enumerate(found[:6 * step:step])]
    write(os.path.join(out, "db", "uniprot.fa"), found[::step] + copies)
    long, short = ribonucleic(out, rng)
    kinase = next(s for name, s in found if "RIM11_YEAST" in name)
    chains = [s for name, s in found[::step] if 60 <= len(s) <= 400 and (not many or any(word in name for word in FAMILIES))]
    job(out, "kinase", protein("A", kinase))
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
    structures(out, rng, kinase)


if __name__ == "__main__":
    main()
