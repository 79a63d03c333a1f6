#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of warpsieve.arrow, which finds the programs in PATH:   arrow.py tests/data"""
import gc
import os
import subprocess
import sys
import tempfile

import pyarrow
import pyarrow.parquet
import warpsieve
import warpsieve.arrow

data = sys.argv[1]
model = os.path.join(data, "demo.hmm")
proteins = os.path.join(data, "demo.fa.gz")
folder = tempfile.TemporaryDirectory()
work = folder.name


def at(name):
    return os.path.join(work, name)


def put(name, content):
    with open(at(name), "wb") as f:
        f.write(content)
    return at(name)


def text(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout


def refused(what, *patterns):
    try:
        what()
    except warpsieve.Error as e:
        assert all(p in str(e) for p in patterns), (str(e), patterns)
    else:
        raise AssertionError(f"no Error with {patterns}")


def fields(table):
    """The fields of a table as text, as far as its header names them."""
    lines = [line for line in table.decode().splitlines() if not line.startswith("##")]
    return lines[0][1:].split("\t"), [line.split("\t") for line in lines[1:]]


def equal(arrow, table):
    """Each value is what the field says; an empty field is an empty text or null."""
    names, rows = fields(table)
    assert arrow.column_names == names and arrow.num_rows == len(rows) > 0, (arrow.column_names, names, arrow.num_rows)
    for j, name in enumerate(names):
        for value, row in zip(arrow.column(j).to_pylist(), rows):
            if name not in warpsieve.NUMBERS:
                assert value == row[j], (name, value, row[j])
            elif name in warpsieve.arrow.INTEGERS:
                assert value == (int(row[j]) if row[j] else None), (name, value, row[j])
            else:
                assert value == (float(row[j]) if row[j] else None), (name, value, row[j])


def columns(tool):
    said = text(tool, "--help").decode().split("Columns that -f takes")[1].split(":\n", 1)[1].split("\n\n")[0]
    return ",".join(w.strip() for w in said.replace("\n", " ").split(",") if "(" not in w)


# all columns of the programs: from a run, as a file of Parquet, as a stream of Arrow
volume = os.path.join(data, "golden", "mrf", "phantom-small.nii.gz")
pairs = os.path.join(data, "pairhmm", "gatk-hc-na12878.Java.hmmresults.txt.gz")
tiny = [os.path.join(data, "papara", "tiny5", f) for f in ("ref.phy", "ref.nwk", "reads.fasta")]
passed = put("passed.tsv", text("fwdscore", model, proteins))
for words in (["msvfilt", "-a", model, proteins], ["vitfilt", "-a", "-f", "name,vit_bits,vit_sat,vit_p", model, proteins],
              ["fwdscore", "-Z", "400", model, proteins], ["fwdscore", model, proteins],
              ["domscore", "-Z", "400", "-f", columns("domscore"), model, passed], ["pairhmm", pairs], ["papara-score"] + tiny,
              ["mrfseg", "--classes", "4", volume]):
    table = text(*words)
    path = put("t.tsv", table)
    equal(warpsieve.read_arrow(path), table)
    warpsieve.write_table(path, at("t.parquet"))
    equal(pyarrow.parquet.read_table(at("t.parquet")), table)
    warpsieve.write_table(path, at("t.arrow"), form="arrow")
    equal(pyarrow.ipc.open_stream(at("t.arrow")).read_all(), table)
assert os.stat(at("t.parquet")).st_mode & 0o777 == os.stat(at("t.tsv")).st_mode & 0o777

# the lines about programs, several batches, a run as the source, no rows, no header
table = text("msvfilt", "-a", model, proteins)
run = warpsieve.read_arrow(warpsieve.run("msvfilt", model, proteins, all=True))
assert run.schema.metadata[b"warpsieve"].decode() == table.decode().splitlines()[0] + "\n"
warpsieve.arrow.ROWS = 7
equal(warpsieve.read_arrow(put("t.tsv", table)), table)
assert len(list(warpsieve.arrow.Batches(at("t.tsv")))) == 58
assert warpsieve.read_arrow(warpsieve.run("msvfilt", model, "/dev/null")).num_rows == 0
refused(lambda: warpsieve.read_arrow(warpsieve.run("msvfilt", model, proteins, header="none")), "the first line is")

# nothing is lost in silence, and no file looks complete that is not
refused(lambda: warpsieve.read_arrow(warpsieve.run("msvfilt", model, "/nonexistent")), "msvfilt", "/nonexistent")
cut = put("cut.tsv", table[:5000])
for form in warpsieve.arrow.FORMATS:
    refused(lambda: warpsieve.write_table(cut, at("none"), form=form), "the table is cut")
    assert not [f for f in os.listdir(work) if f.startswith("none")]
with open(at("open.parquet"), "wb") as f:
    refused(lambda: warpsieve.write_table(cut, f), "the table is cut")
gc.collect()
try:
    pyarrow.parquet.read_table(at("open.parquet"))
except pyarrow.ArrowInvalid:
    pass
else:
    raise AssertionError("a failure leaves a whole file of Parquet")
assert warpsieve.read_arrow(cut, allow_cut=True).num_rows > 2
refused(lambda: warpsieve.read_arrow(put("t.tsv", b"#name\tseq\ttlen\na\tM\t7\nb\tM\tseven\n")), "column tlen", "seven")
for wrong in ("3_05", "\u0663\u0660\u0665", "0x10", "305.0", "1" * 5000):
    refused(lambda: warpsieve.read_arrow(put("t.tsv", f"#name\tseq\ttlen\na\tM\t7\nb\tM\t{wrong}\n".encode())), "column tlen",
            "whole numbers", repr(wrong[:40]))
for wrong in ("1_0.5", "\u0663.5", "1e", "infinite"):
    refused(lambda: warpsieve.read_arrow(put("t.tsv", f"#name\tseq\tbits\na\tM\t{wrong}\n".encode())), "column bits", repr(wrong))
refused(lambda: warpsieve.read_arrow(put("t.tsv", b"#name\tseq\ttlen\na\tM\t\nb\tM\t99999999999999999999\n")), "column tlen",
        "64 bits", "99999999999999999999")
edges = warpsieve.read_arrow(put("t.tsv", b"#name\tseq\ttlen\tbits\na\t\t9223372036854775807\tinf\nb\tM\t-9223372036854775808\t-1.5e-05\n"))
assert edges.column("tlen").to_pylist() == [2**63 - 1, -2**63] and edges.column("bits").to_pylist() == [float("inf"), -1.5e-05]
refused(lambda: warpsieve.read_arrow(put("t.tsv", b"#name\tseq\na\xff\tM\n")), "column name", "UTF-8")
refused(lambda: warpsieve.write_table(cut, at("none"), form="csv"), "csv", "parquet, arrow")
mine = warpsieve.read_arrow(put("t.tsv", b"#name\tseq\tmine\na\tM\t7\n"))
assert mine.column("mine").to_pylist() == ["7"], "a column that no program writes is text"

# no table is written into itself, by any name, and a link stays a link
os.mkdir(at("links"))
own, other = put("own.tsv", table), put("links/other.tsv", b"what was there before")
os.link(own, at("links/hard"))
os.symlink("../own.tsv", at("links/soft"))
os.symlink("soft", at("links/softer"))
for name in (own, at("links/hard"), at("links/softer"), os.path.join(work, "links", "..", "own.tsv"), os.fsencode(own)):
    refused(lambda: warpsieve.write_table(own, name), os.fsdecode(name), "is also read, and would be lost")
    bad = subprocess.run([sys.executable, "-m", "warpsieve", "-o", name, own], stderr=subprocess.PIPE)
    assert bad.returncode == 1 and b"is also read" in bad.stderr, bad
with open(own, encoding="utf-8") as f, open(own, "ab") as g:
    refused(lambda: warpsieve.write_table(f, at("links/hard")), "is also read")
    refused(lambda: warpsieve.write_table(own, g), "own.tsv", "is also read")
    bad = subprocess.run([sys.executable, "-m", "warpsieve", "-o", own], stdin=f, stderr=subprocess.PIPE)
    assert bad.returncode == 1 and b"is also read" in bad.stderr, bad
refused(lambda: warpsieve.write_table(warpsieve.run("vitfilt", model, input=warpsieve.run("msvfilt", model, own)), own), "is also read")
assert open(own, "rb").read() == table and os.path.samefile(own, at("links/hard"))
os.chmod(other, 0o600)
os.symlink("other.tsv", at("links/out"))
os.symlink("new.parquet", at("links/new"))
for name, target in (("links/out", other), ("links/new", at("links/new.parquet"))):
    warpsieve.write_table(own, at(name))
    assert os.path.islink(at(name)) and not os.path.islink(target)
    equal(pyarrow.parquet.read_table(target), table)
assert os.stat(other).st_mode & 0o777 == 0o600
kept = put("kept.parquet", b"what was there before")
refused(lambda: warpsieve.write_table(cut, kept), "the table is cut")
assert open(kept, "rb").read() == b"what was there before"
os.mkfifo(at("pipe"))
with open(at("out.parquet"), "wb") as f, subprocess.Popen(["cat", at("pipe")], stdout=f):
    warpsieve.write_table(own, at("pipe"))
equal(pyarrow.parquet.read_table(at("out.parquet")), table)
for name in (at("nodir/x"), at("links"), at("x" * 255 + "y")):
    try:
        warpsieve.write_table(own, name)
    except OSError as e:
        assert e.filename == name, e
    else:
        raise AssertionError(f"{name} was written")
refused(lambda: warpsieve.write_table(own, ""), "empty name")
assert sorted(os.listdir(at("links"))) == ["hard", "new", "new.parquet", "other.tsv", "out", "soft", "softer"], os.listdir(at("links"))

# the filter
filt = [sys.executable, "-m", "warpsieve"]
out = subprocess.run(filt, input=table, stdout=subprocess.PIPE, check=True).stdout
equal(pyarrow.parquet.read_table(pyarrow.BufferReader(out)), table)
out = subprocess.run(filt + ["-O", "arrow", put("t.tsv", table)], stdout=subprocess.PIPE, check=True).stdout
equal(pyarrow.ipc.open_stream(out).read_all(), table)
subprocess.run(filt + ["-o", at("t.parquet")], input=table, check=True)
equal(pyarrow.parquet.read_table(at("t.parquet")), table)
bad = subprocess.run(filt, input=table[:5000], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
assert bad.returncode == 1 and bad.stderr == b"warpsieve: the table is cut: its last row is a part of one\n", bad.stderr
try:
    pyarrow.parquet.read_table(pyarrow.BufferReader(bad.stdout))
except pyarrow.ArrowInvalid:
    pass
else:
    raise AssertionError("a cut table is a whole file of Parquet")
with open("/dev/full", "wb") as full:
    bad = subprocess.run(filt, input=table, stdout=full, stderr=subprocess.PIPE)
assert bad.returncode == 1 and bad.stderr == b"warpsieve: [Errno 28] No space left on device\n", bad.stderr
