#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cuts tests/data/golden out of the full golden data: subset.py FULL_DIR OUT_DIR. The choice is deterministic."""
import gzip
import os
import shutil
import sys

full, out = sys.argv[1:3]
ALL_ADVERSARIAL = {("globins4", None), ("globins4_pnone", None), ("XYPPX", None), ("M1", None), ("tiny", "tiny033")}
DEV = ["M1", "XYPPX", "tiny", "20aa", "RRM_1_3a", "globins4", "globins4_pnone", "globins4_mm", "cudampf100", "LuxC"]
DNA = ["ecori", "PSE", "3box", "MADE1"]
LONGEST, PLAIN, MARKED = 2000, 8, 3


def lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        return f.read().splitlines()


def write_gz(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as f:
        f.write(text.encode())


def choose(rows, head):
    """Per model: adversarial targets, the first rows of every rare status, and every n-th of the rest."""
    col = {name: i for i, name in enumerate(head)}
    kept, count = [], {}
    for r in rows:
        if r[col["L"]] != "NA" and int(r[col["L"]]) > LONGEST:
            continue
        model = (r[0], r[1])
        status = tuple(r[col[c]] for c in ("ssv_status", "msv_status", "vit_status", "fwd_status", "pipe"))
        n = count[model, status] = count.get((model, status), 0) + 1
        adversarial = r[col["target"]].startswith("adv_")
        whole = (r[0], None) in ALL_ADVERSARIAL or model in ALL_ADVERSARIAL
        if (adversarial and whole) or n <= MARKED or (n % 97 == 0 and n <= 97 * PLAIN):
            kept.append(r)
    return kept


def cut(table, fasta, models, names):
    head, *rows = [line.split("\t") for line in lines(os.path.join(full, table))]
    kept = choose([r for r in rows if r[0] in names], head)
    write_gz(os.path.join(out, table), "".join("\t".join(r) + "\n" for r in [head] + kept))
    wanted, text, take = {r[3] for r in kept}, [], False
    for line in lines(os.path.join(full, fasta)):
        if line.startswith(">"):
            take = line[1:].split()[0] in wanted if len(line) > 1 else False
        if take:
            text.append(line + "\n")
    write_gz(os.path.join(out, fasta + ".gz"), "".join(text))
    for name in names:
        source = os.path.join(full, models, name + ".hmm")
        write_gz(os.path.join(out, models, name + ".hmm.gz"), open(source).read())


def copy(folder, names):
    os.makedirs(os.path.join(out, folder), exist_ok=True)
    for name in names:
        shutil.copy(os.path.join(full, folder, name), os.path.join(out, folder, name))
        os.chmod(os.path.join(out, folder, name), 0o644)


cut("hmmer34-dev.tsv.gz", "dev.fa", "models", DEV)
cut("hmmer34-dna.tsv.gz", "dna.fa", "dna-models", DNA)
copy("worked", sorted(os.listdir(os.path.join(full, "worked"))))

forms = sorted(f for f in os.listdir(os.path.join(full, "formats")) if f.startswith("20aa"))
copy("formats", forms)
names = [f.rsplit(".", 1)[0] for f in forms]
head, *rows = [line.split("\t") for line in lines(os.path.join(full, "formats/hmmer34-formats.tsv.gz"))]
kept = [r for i, r in enumerate(rows) if r[0] in names and i % 116 % 12 == 0]
for name in ("globins4-nocompo", "globins4-nostats"):
    kept += [r for i, r in enumerate(rows) if r[0] == name and i % 116 % 6 == 0]
    write_gz(os.path.join(out, "formats", name + ".hmm.gz"), open(os.path.join(full, "formats", name + ".hmm")).read())
write_gz(os.path.join(out, "formats/hmmer34-formats.tsv.gz"), "".join("\t".join(r) + "\n" for r in [head] + kept))
wanted, text, take = {r[3] for r in kept}, [], False
for line in lines(os.path.join(full, "formats/formats.fa")):
    if line.startswith(">"):
        take = line[1:].split()[0] in wanted
    if take:
        text.append(line + "\n")
write_gz(os.path.join(out, "formats/formats.fa.gz"), "".join(text))
