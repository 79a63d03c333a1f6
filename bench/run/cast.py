#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times hmmcast beside hmmbuild: single sequences, families, a deep alignment, one with many insertions.

    cast.py FOLDER PROTEINS MODELS MODEL [SHARE] > cast.tsv

PATH has hmmcast and HMMER's hmmbuild and hmmemit. FOLDER takes what is made: SHARE of 2,000 PROTEINS, of 200 alignments of 50 rows
from MODELS, of 100,000 rows x 300 columns, and of 50,000 rows from MODEL with their insertions. All take turns, so that other work
on the machine slows both sides. Processor seconds are user and system."""
import os
import random
import subprocess
import sys

folder, proteins, models, model = sys.argv[1:5]
share = float(sys.argv[5]) if len(sys.argv) > 5 else 1.0


def path(name):
    return os.path.join(folder, name)


def singles():
    """The first proteins, as FASTA and, for hmmbuild, as alignments of one row."""
    text = subprocess.run(["zcat", "-f", proteins], capture_output=True, check=True, text=True).stdout
    records = text.split(">")[1:][:int(2000 * share)]
    with open(path("singles.fa"), "w") as fasta, open(path("singles.sto"), "w") as stockholm:
        for record in records:
            head, _, residues = record.partition("\n")
            name, residues = head.split()[0], residues.replace("\n", "")
            fasta.write(f">{record}")
            stockholm.write(f"# STOCKHOLM 1.0\n#=GF ID {name}\n{name} {residues}\n//\n")


def emitted(source, rows, most):
    """Alignments that hmmemit makes of a file of models, with names."""
    run = subprocess.Popen(["hmmemit", "-a", "-N", str(rows), "--seed", "1", source], stdout=subprocess.PIPE, text=True)
    n = 0
    for line in run.stdout:
        if line.startswith("# STOCKHOLM"):
            n += 1
            if n > most:
                break
            line += f"#=GF ID a{n}\n"
        yield line
    run.stdout.close()
    run.wait()


def deep(rows, columns):
    """Rows of one ancestor: half of the residues are its own, with gaps, and a tenth are fragments."""
    rnd = random.Random(1)
    letters = "ACDEFGHIKLMNPQRSTVWY"
    ancestor = rnd.choices(letters, k=columns)
    yield "# STOCKHOLM 1.0\n#=GF ID deep\n"
    for i in range(rows):
        row = list(ancestor)
        for at in rnd.choices(range(columns), k=columns // 2):
            row[at] = rnd.choice(letters)
        for at in rnd.choices(range(columns), k=3):
            n = min(rnd.randrange(20), columns - at)
            row[at:at + n] = "-" * n
        if rnd.random() < 0.1:
            at = rnd.randrange(columns)
            row[:at] = "-" * at
        yield f"UniRef{i:07d}/1-{columns} {''.join(row)}\n"
    yield "//\n"


def write(name, lines):
    with open(path(name), "w") as to:
        to.writelines(lines)


def timed(*command):
    """Returns processor seconds, wall seconds and KB of a command."""
    run = subprocess.run(["/usr/bin/time", "-f", "%U %S %e %M", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         check=True, text=True)
    user, system, wall, size = map(float, run.stderr.split("\n")[-2].split())
    return user + system, wall, size


singles()
write("families.sto", emitted(models, 50, int(200 * share)))
write("deep.sto", deep(int(100000 * share), 300))
write("insertions.sto", emitted(model, int(50000 * share), 1))
tasks = [("single sequences", "singles.sto", ["--singlemx"], "singles.fa", ["--informat", "fasta"]),
         ("families", "families.sto", [], "families.sto", []),
         ("deep", "deep.sto", [], "deep.sto", []),
         ("insertions", "insertions.sto", [], "insertions.sto", [])]
print("\t".join(["task", "bytes", "program", "threads", "processor_s", "wall_s", "KB", "processor_ratio", "wall_ratio"]))
for task, theirs, their_options, ours, our_options in tasks:
    size = os.path.getsize(path(ours))
    cpu, wall, kb = timed("hmmbuild", "--cpu", "0", "--amino", *their_options, "-o", "/dev/null", path("their.hmm"), path(theirs))
    print(f"{task}\t{size}\thmmbuild\t1\t{cpu:.2f}\t{wall:.2f}\t{kb:.0f}\t1\t1", flush=True)
    for threads in 1, 2:
        own = timed("hmmcast", "-t", str(threads), "--amino", *our_options, "-o", path("our.hmm"), path(ours))
        print(f"{task}\t{size}\thmmcast\t{threads}\t{own[0]:.2f}\t{own[1]:.2f}\t{own[2]:.0f}\t{cpu / own[0]:.1f}\t{wall / own[1]:.1f}",
              flush=True)
