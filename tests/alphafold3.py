#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the calls that the wrappers of AlphaFold 3 make of HMMER (src/alphafold3/data/tools at c0f97ed: jackhmmer.py,
nhmmer.py, hmmbuild.py, hmmalign.py, hmmsearch.py; options of pipeline.py), one after another as there:
    tests/alphafold3.py BIN proteins|rna DATABASE OUT
BIN has the programs. The query of proteins is a part of one of the database; a record of DNA is made the RNA query, and its
changed copies what is searched. OUT gets what the wrappers would read: text without what is told of program, version, folder and
date. Nothing of AlphaFold's is copied here."""
import os
import re
import subprocess
import sys
import tempfile

TOLD = re.compile(r"# (HMMER 3|Program:|Version:|Current dir:|Date:|Option settings:|Query file:|Target file:)|"
                  r"DATE |HMMER3/f|#=GF AU ")


def run(program, *arguments):
    subprocess.run([os.path.join(BIN, program), *map(str, arguments)], check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE)


def records(text):
    return [(part.partition("\n")[0], part.partition("\n")[2].replace("\n", "")) for part in text.split(">")[1:]]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def keep(name, text):
    lines = [line for line in text.splitlines(keepends=True) if not TOLD.match(line)]
    assert lines, name
    write(os.path.join(OUT, name), "".join(lines))


def query_file(folder, name, sequence):
    """A file as the wrappers write it, in lines of 80 letters."""
    lines = [sequence[i:i + 80] for i in range(0, len(sequence), 80)]
    return write(os.path.join(folder, name), ">query\n" + "\n".join(lines) + "\n")


def empty(folder, name):
    """An output that is there before the program runs."""
    return write(os.path.join(folder, name), "")


def has_seq_limit():
    done = subprocess.run([os.path.join(BIN, "jackhmmer"), "-h", "--seq_limit", "1"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)
    return done.returncode == 0


def jackhmmer(folder, sequence, database):
    sto, table = empty(folder, "output.sto"), empty(folder, "tblout.txt")
    limit = ("--seq_limit", 10000) if has_seq_limit() else ()
    run("jackhmmer", "-o", "/dev/null", "-A", sto, "--noali", "--F1", 0.0005, "--F2", 5e-05, "--F3", 5e-07, "--cpu", 2, "-N", 1,
        "--tblout", table, "-E", 0.0001, "--incE", 0.0001, "-Z", 138515945, "--domZ", 138515945, *limit,
        query_file(folder, "query.fasta", sequence), database)
    return read(sto), read(table)


def hmmbuild(folder, msa, form, *options):
    out = os.path.join(folder, "output.hmm")
    run("hmmbuild", "--informat", form, *options, out, write(os.path.join(folder, "query.msa"), msa))
    return read(out)


def hmmsearch(folder, hmm, database):
    out = os.path.join(folder, "output.sto")
    limits = [x for option in ("--F1", "--F2", "--F3") for x in (option, 0.1)]
    limits += [x for option in ("-E", "--incE", "--domE", "--incdomE") for x in (option, 100)]
    run("hmmsearch", "--noali", "--cpu", 2, *limits, "-A", out, write(os.path.join(folder, "query.hmm"), hmm), database)
    return read(out)


def nhmmer(folder, sequence, database):
    sto, table = empty(folder, "output.sto"), empty(folder, "tblout.txt")
    run("nhmmer", "-o", "/dev/null", "--noali", "--cpu", 2, "--tblout", table, "-E", 0.001, "-Z", 76.752808, "--rna", "--watson",
        "-A", sto, "--F3", 1e-05, query_file(folder, "query.a3m", sequence), database)
    return read(sto), read(table)


def hmmalign(folder, profile, sequences):
    out = os.path.join(folder, "output.a3m")
    run("hmmalign", "-o", out, "--outformat", "A2M", write(os.path.join(folder, "profile.hmm"), profile),
        write(os.path.join(folder, "sequences.a3m"), sequences))
    return read(out)


def unaligned(stockholm):
    """The rows of an alignment without their gaps, as FASTA."""
    rows = {}
    for line in stockholm.splitlines():
        if line and line[0] not in "#/":
            name, row = line.split()
            rows[name] = rows.get(name, "") + row
    return "".join(f">{name}\n{re.sub('[-.]', '', row).upper()}\n" for name, row in rows.items())


def changed(sequence, k):
    """A copy of RNA in which every k-th residue is another one, and which lacks some."""
    copy = [{"A": "G", "G": "A", "C": "U", "U": "C"}.get(c, c) if i % k == 0 else c for i, c in enumerate(sequence)]
    return "".join(copy[:40] + copy[40 + k % 5:])


def proteins(folder):
    found = next(seq for name, seq in records(read(DATABASE)) if "RIM11_YEAST" in name)
    query = found[100:200]
    sto, table = jackhmmer(folder, query, DATABASE)
    keep("jackhmmer.sto", sto)
    keep("jackhmmer.tbl", table)
    profile = hmmbuild(folder, sto, "stockholm", "--hand", "--amino")
    keep("hand.hmm", profile)
    keep("fast.hmm", hmmbuild(folder, sto, "stockholm", "--amino"))
    keep("templates.sto", hmmsearch(folder, profile, DATABASE))
    keep("one.hmm", hmmbuild(folder, f">query\n{query}\n", "afa", "--amino"))
    keep("aligned.a3m", hmmalign(folder, profile, unaligned(sto)))


def rna(folder):
    genome = records(read(DATABASE))[3][1].upper().replace("T", "U")
    query = genome[100:250]
    copies = [f">copy{k} of it\n{genome[k:100]}{changed(query, k)}{genome[300:400 - k]}\n" for k in range(4, 16)]
    sto, table = nhmmer(folder, query, write(os.path.join(folder, "rna.fa"), "".join(copies)))
    keep("nhmmer.sto", sto)
    keep("nhmmer.tbl", table)
    profile = hmmbuild(folder, f">query\n{query}\n", "afa", "--rna")
    keep("rna.hmm", profile)
    keep("rna.a3m", hmmalign(folder, profile, unaligned(sto)))


if __name__ == "__main__":
    BIN, what, DATABASE, OUT = sys.argv[1:]
    os.makedirs(OUT, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        {"proteins": proteins, "rna": rna}[what](temporary)
