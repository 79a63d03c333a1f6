#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the module warpsieve (packaging/python), which finds the programs in PATH:   module.py tests/data"""
import gzip
import os
import re
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
bare = re.sub(rb"##.*\n", b"", kept)
for content, want in ((kept, n), (gzip.compress(kept), n), (kept + kept, 2 * n), (text("msvfilt", "--no-provenance", model, proteins), n),
                      (text("msvfilt", "--no-provenance", "--header=plain", model, proteins), n),
                      (bare.rstrip(b"\n"), n), (b"", 0)):
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
refused(lambda: warpsieve.read_table(put("t", b"#a\tb\tc\n1\t2\t3\n#a\tb\td\n1\t2\t3\n")), "another header")
refused(lambda: warpsieve.read_table(warpsieve.run("msvfilt", model, "/nonexistent")), "msvfilt", "/nonexistent")
refused(lambda: warpsieve.read_table(warpsieve.run("msvfilt", model, nosuch=1)), "--nosuch")
refused(lambda: warpsieve.read_table(warpsieve.run("msvfilt", model)), "standard input")
broken = warpsieve.run("msvfilt", model, put("cut.gz", open(proteins, "rb").read()[:20000]))
refused(lambda: warpsieve.read_table(warpsieve.run("vitfilt", model, input=broken)), "msvfilt", "cut.gz")
refused(lambda: warpsieve.run("nosuchfilt"), "nosuchfilt")

# columns are those that any of the programs says it writes; the module's own lists have no other
folder_of_all = os.path.dirname(warpsieve.program("msvfilt"))
tools = [os.path.join(folder_of_all, name) for name in os.listdir(folder_of_all)]
tools = [tool for tool in tools if os.path.isfile(tool) and os.access(tool, os.X_OK)]
said = {c for tool in tools for c in warpsieve.help_columns(text(tool, "--help").decode())}
assert said == warpsieve.NUMBERS.union(warpsieve.TEXT) and len(said) > 60, said ^ warpsieve.NUMBERS.union(warpsieve.TEXT)
assert not warpsieve.NUMBERS.intersection(warpsieve.TEXT)
assert {"hap", "pair", "precision", "fwd_evalue"} <= said and not {"of", "results:", "with", "--raw"} & said
script = put("script", b"import warpsieve; warpsieve.program = lambda name: '/bin/true'; warpsieve.read_table(__import__('sys').argv[1])")
failed = subprocess.run([sys.executable, script, put("t", kept)], stderr=subprocess.PIPE)
assert failed.returncode == 1 and b"/bin/true --help names no columns" in failed.stderr, failed.stderr

# names, and texts that look like numbers, stay what they are
hostile = ["#x", "##x", "##end", "##record", "#name", "name", "##warpsieve", '"', "NA", "0012", "1e3", "\u00e9", "\\N", "#"]
fasta = put("odd.fa", "".join(f">{n} {n}\nMKVLAAGIVGLLLAQW\n" for n in hostile).encode())
t = warpsieve.read_table(warpsieve.run("msvfilt", model, fasta, all=True))
assert list(t["name"]) == hostile and list(t["desc"]) == hostile, list(t["name"])
t = warpsieve.read_table(put("t", text("msvfilt", "-a", model, fasta) * 2))
assert list(t["name"]) == 2 * hostile, "two tables that cat has joined"
t = warpsieve.read_table(put("t", b"#name\tseq\tquery_accession\tmine\tscore\tmix\na\tM\t0012\t007\t1.5\t1\nb\tM\t\t\t-2e-05\tx\n"))
assert list(t["query_accession"]) == ["0012", ""] and list(t["mine"]) == ["007", ""], t
assert list(t["score"]) == [1.5, -2e-05] and list(t["mix"]) == ["1", "x"], t
t = warpsieve.read_table(put("t", b"#name\tseq\tmine\tother\na\tM\t7\t1.5\nb\tM\t-8\t\n"))
assert t["mine"].dtype.kind == "i" and list(t["mine"]) == [7, -8] and t["other"][0] == 1.5 and t["other"].isna()[1], t

# a column of numbers has numbers alone; names that are not UTF-8 are an Error or are kept
for wrong in ("3_05", "\u0663\u0660\u0665", "0x10", "seven", "True", "99999999999999999999"):
    refused(lambda: warpsieve.read_table(put("t", f"#name\tseq\ttlen\na\tM\t{'' if wrong == 'True' else 7}\nb\tM\t{wrong}\n".encode())),
            "column tlen", "numbers", repr(wrong))
latin = b"#name\tseq\ttlen\na\xff\tM\t7\n"
try:
    assert list(warpsieve.read_table(put("t", latin))["name"]) == ["a\udcff"]
except warpsieve.Error as e:  # pandas 3 with pyarrow
    assert "t: 'a\\udcff' is not UTF-8" in str(e) and "latin-1" in str(e), e
with open(put("t", latin), encoding="latin-1", newline="\n") as f:
    assert list(warpsieve.read_table(f)["name"]) == ["a\xff"]

# what has no header is no table, and no row of it is lost
for options in ({"out_format": "ids"}, {"O": "fasta"}, {"O": "packed"}, {"header": "none"}, {"header": "none", "no_provenance": True}):
    refused(lambda: warpsieve.read_table(warpsieve.run("msvfilt", model, proteins, **options)), "the first line is", "header")

# a cut .gz, also of bytes that are no gzip behind its magic
refused(lambda: warpsieve.read_table(put("t.gz", gzip.compress(kept)[:-30])), "t.gz", "gzip")
refused(lambda: warpsieve.read_table(put("t.gz", gzip.compress(kept)[:40] + b"\0" * 40)), "t.gz", "gzip")
refused(lambda: warpsieve.read_table(put("t.gz", gzip.compress(kept)[:-5] + b"01234")), "t.gz", "gzip")

# ends that were cut, joined or changed
end = kept[kept.rindex(b"##end"):]
for n_bytes in range(1, len(end) + 1):
    refused(lambda: warpsieve.read_table(put("t", kept[:-n_bytes] + kept)), "the table is cut")
    refused(lambda: warpsieve.read_table(put("t", kept[:-n_bytes])), "the table is cut")
for wrong in (b"rows=1 in=400 residues=9", b"rows=99 in=0 residues=0", b"rows=99 in=4e2 residues=9", b"rows=99 in= residues=9", b""):
    refused(lambda: warpsieve.read_table(put("t", cut + b"##end " + wrong + b"\n")), "the table is cut")

# options that repeat, and words of Python
assert warpsieve.arguments([], {"m": ["a", "b"], "class_": ("x:1:2",), "P": 0.5, "quiet": True, "o": None}) == \
    ["-m", "a", "-m", "b", "--class=x:1:2", "-P", "0.5", "--quiet", "--"]
two = warpsieve.read_table(warpsieve.run("msvfilt", proteins, m=[model, os.path.join(data, "fn3.hmm")], all=True))
assert len(two) == 800 and set(two["query"]) == {"Pkinase", "fn3"}

# check() before the output was read: it ends, and nothing of the output is lost
many = warpsieve.run("msvfilt", model, proteins, all=True)
first = many.stdout.read(100)
many.check()
assert first + many.stdout.read() == text("msvfilt", "-a", model, proteins)
late = warpsieve.run("msvfilt", model, proteins, all=True)
late.check()
assert len(warpsieve.read_table(late)) == 400
