#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the module warpsieve (packaging/python), which finds the programs in PATH:   module.py tests/data"""
import gzip
import os
import subprocess
import sys
import tempfile

import warpsieve

data = sys.argv[1]
model = os.path.join(data, "demo.hmm")
proteins = os.path.join(data, "demo.fa.gz")
folder = tempfile.TemporaryDirectory()
work = folder.name


def text(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout


def put(name, content):
    path = os.path.join(work, name)
    with open(path, "wb") as f:
        f.write(content)
    return path


def refused(what, *patterns):
    try:
        what()
    except warpsieve.Error as e:
        assert all(p in str(e) for p in patterns), (str(e), patterns)
    else:
        raise AssertionError(f"no Error with {patterns}")


# a run, its options, and the types of columns
plain = text("msvfilt", "-P", "0.01", "-a", "--threads=2", model, proteins)
table = warpsieve.read_table(warpsieve.run("msvfilt", model, proteins, P=0.01, all=True, threads=2))
rows = [line.split("\t") for line in plain.decode().splitlines() if not line.startswith("#")]
header = next(line for line in plain.decode().splitlines() if line.startswith("#name"))
assert list(table.columns) == header[1:].split("\t") and len(table) == len(rows) == 400
for i, row in enumerate(rows):
    for column, field in zip(table.columns, row):
        value = table[column][i]
        assert value == field if column in warpsieve.TEXT else value == float(field), (i, column, field, value)
assert table["qlen"].dtype.kind == "i" and table["msv_bits"].dtype.kind == "f"

# a pipe, and a column that is empty
passed = warpsieve.run("vitfilt", model, input=warpsieve.run("msvfilt", model, proteins))
hits = warpsieve.read_table(warpsieve.run("fwdscore", model, input=passed, Z=400))
assert len(hits) == 50 and hits["fwd_evalue"].max() <= 400
without = warpsieve.read_table(warpsieve.run("fwdscore", model, proteins))
assert without["fwd_evalue"].isna().all() and (without["qual"] == "").all()

# from files: plain, gzip, several one after another, edited, with another header line, an open file
kept = text("msvfilt", model, proteins)
n = kept.count(b"\n") - 3
for content, want in ((kept, n), (gzip.compress(kept), n), (kept + kept, 2 * n), (text("msvfilt", "--no-provenance", model, proteins), n),
                      (text("msvfilt", "--no-provenance", "--header=plain", model, proteins), n),
                      (text("msvfilt", "--no-provenance", model, proteins).rstrip(b"\n"), n), (b"", 0)):
    assert len(warpsieve.read_table(put("t", content))) == want, want
with open(put("t", kept), encoding="utf-8") as f:
    assert len(warpsieve.read_table(f)) == n
odd = b"#name\tseq\tqual\tdesc\tx\nNA\tMK\t\tsays \"hello # 1\tinf\nnan\tMK\t\t\t\n"
t = warpsieve.read_table(put("t", odd))
assert list(t["name"]) == ["NA", "nan"] and list(t["desc"]) == ['says "hello # 1', ""] and t["x"][0] == float("inf"), t
assert len(warpsieve.read_table(warpsieve.run("msvfilt", model, "/dev/null"))) == 0

assert len(warpsieve.read_table(put("t", kept + b"##record\tchr1\t9\t1\n"))) == n, "lengths of records may stand anywhere"

# what must not be lost in silence
cut = kept[: kept.rindex(b"##end")]
refused(lambda: warpsieve.read_table(put("t", cut)), "the table is cut")
assert len(warpsieve.read_table(put("t", cut), allow_cut=True)) == n
refused(lambda: warpsieve.read_table(put("t", cut[:-20])), "the table is cut")
assert len(warpsieve.read_table(put("t", cut[:-20]), allow_cut=True)) == n - 1
refused(lambda: warpsieve.read_table(put("t", b"#a\tb\n1\t2\t3\n")), "3 fields under a header of 2")
refused(lambda: warpsieve.read_table(put("t", b"#a\tb\n1\t2\n#a\tc\n1\t2\n")), "another header")
refused(lambda: warpsieve.read_table(warpsieve.run("msvfilt", model, "/nonexistent")), "msvfilt", "/nonexistent")
refused(lambda: warpsieve.read_table(warpsieve.run("msvfilt", model, nosuch=1)), "--nosuch")
refused(lambda: warpsieve.read_table(warpsieve.run("msvfilt", model)), "standard input")
broken = warpsieve.run("msvfilt", model, put("cut.gz", open(proteins, "rb").read()[:20000]))
refused(lambda: warpsieve.read_table(warpsieve.run("vitfilt", model, input=broken)), "msvfilt", "cut.gz")
refused(lambda: warpsieve.run("nosuchfilt"), "nosuchfilt")
