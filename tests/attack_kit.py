#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The common base of the random attacks: places of programs and data, runs of a program, the inputs, the commands."""
import gzip
import os
import resource
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(TOP, "tests", "data")
os.environ["PATH"] = os.environ.get("WARPSIEVE_BIN", os.path.join(TOP, "bin")) + ":" + os.environ["PATH"]
FILTERS = ("ssvfilt", "msvfilt", "vitfilt", "fwdscore")
SECONDS = 120  # longer hangs


class Failure(Exception):
    pass


class Impossible(Exception):
    """An attack needs something that this machine does not have."""


def need(good, *what):
    if not good:
        raise Failure(" ".join(str(w)[:300] for w in what))


def run(argv, data=b"", env=None, limit=None):
    """Status, output and messages; input from a pipe, or a file that is open."""
    def before():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    p = subprocess.run(argv, input=data if isinstance(data, bytes) else None, stdin=None if isinstance(data, bytes) else data,
                       capture_output=True, timeout=SECONDS, env=env, preexec_fn=before if limit else None)
    return p.returncode, p.stdout, p.stderr


def plain(argv, data=b""):
    rc, out, err = run(argv, data)
    need(rc == 0, argv, "without an attack:", rc, err)
    return out


def load(name):
    with open(os.path.join(DATA, name), "rb") as f:
        data = f.read()
    return gzip.decompress(data) if name.endswith(".gz") else data


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


def content(name):
    with open(name, "rb") as f:
        return f.read()


def choices(tool):
    for line in plain([tool, "--dump-options"]).decode().splitlines():
        field = line.split("\t")
        if field[1] == "out-format":
            return field[4].split(",")
    return []


def make_data():
    models = b"".join(load(n) for n in ("globins4.hmm", "demo.hmm", "fn3.hmm"))
    write("three.hmm", models)
    write("demo.hmm", load("demo.hmm"))
    write("made.hmm", load("golden/dna-models/MADE1.hmm.gz"))
    write("demo.fa", load("demo.fa.gz"))
    write("small.fa", b">" + b">".join(load("demo.fa.gz").split(b">")[1:41]))
    write("dna.fa", load("golden/long-targets/inputs/short.fa.gz"))
    write("genome.fa", load("golden/long-targets/inputs/dna_target.fa.gz"))
    write("orfs.fa", plain([sys.executable, os.path.join(TOP, "tests", "orfs.py"), "cut", "genome.fa"]))
    write("genes.fa", plain([sys.executable, os.path.join(TOP, "tests", "sixframe.py"), "genes", "small.fa"]))
    write("few.fa", b">" + b">".join(load("demo.fa.gz").split(b">")[1:6]))
    write("families.sto", b"".join(load(f"golden/build/{n}.sto") for n in ("opt_odd", "tinyali", "opt_odd")))
    write("regions", load("pairhmm/tiny.in.gz"))
    write("results", load("pairhmm/pairhmm-testdata.txt.gz"))
    write("slab.nii", load("golden/mrf/slab.nii.gz"))
    for n in ("ref.phy", "ref.nwk", "reads.fasta"):
        write(n, load("papara/tiny5/" + n))
    write("rows.tsv", plain(["ssvfilt", "-a", "three.hmm", "small.fa"]))
    write("pairs.wsp", plain(["msvfilt", "-O", "packed", "three.hmm", "demo.fa"]))
    # pairs before each stage, as tables and packed
    write("ssv.tsv", plain(["ssvfilt", "three.hmm", "demo.fa"]))
    write("msv.tsv", plain(["msvfilt", "three.hmm", "ssv.tsv"]))
    write("vit.tsv", plain(["vitfilt", "three.hmm", "msv.tsv"]))
    write("fwd.tsv", plain(["fwdscore", "three.hmm", "vit.tsv"]))
    for n in ("ssv", "msv", "vit", "fwd"):
        write(n + ".wsp", plain(["respack", n + ".tsv"]))
    write("sequences.wsp", plain(["respack", "small.fa"]))
    write("fwd3.wsp", plain(["fwdscore", "-O", "packed", "three.hmm", "pairs.wsp"]))


def rows_of(out):
    return [x for x in out.split(b"\n") if x and not x.startswith(b"#")]


def orf_commands(tool, form):
    """The same of forms that need ORFs."""
    lax = ["--orfs", "-Z", "1", "--domZ", "1", "-E", "1e5", "--domE", "1e5"]
    if tool in ("seqsieve", "jacksieve"):
        lax += ["-q", "--EmN", "20", "--EvN", "20", "--EfN", "50"] + (["-N", "1"] if tool == "jacksieve" else [])
    return [([tool, *lax, *join, "-O", form, "few.fa" if "-q" in lax else "three.hmm"], "orfs.fa")
            for join in ([], ["--join"])[:1 + (form == "gff3")]]


def commands():
    """Every tool with each of its output formats: the command without threads and batch, and its input."""
    for tool in FILTERS + ("domscore", "respack", "sixframe", "hmmsieve", "seqsieve", "jacksieve", "nhmmsieve", "mrfseg",
                           "pairhmm", "papara-score"):
        for form in choices(tool):
            if form in ("bed", "gff3") and tool != "nhmmsieve":
                inputs = orf_commands(tool, form)
            elif tool == "respack":
                inputs = [([tool, "-O", form], n) for n in ("small.fa", "rows.tsv", "pairs.wsp")]
            elif tool == "sixframe":
                inputs = [([tool, "-c", "11", "-O", form], n) for n in ("genes.fa", "dna.fa")]
            elif tool == "hmmsieve":
                inputs = [([tool, "-O", form, "three.hmm"], "demo.fa")]
            elif tool in ("seqsieve", "jacksieve"):
                rounds = [] if tool == "seqsieve" else ["-N", "1"]
                inputs = [([tool, "-q", *rounds, "--EmN", "20", "--EvN", "20", "--EfN", "50", "-O", form, "few.fa"], "small.fa")]
            elif tool == "nhmmsieve":
                inputs = [([tool, "-E", "100", "-O", form, "made.hmm"], "dna.fa")]
            elif tool == "mrfseg":
                inputs = [([tool, "--classes", "3", "--sweeps", "2", "-O", form], "slab.nii")]
            elif tool == "pairhmm":
                inputs = [([tool, "-O", form], n) for n in ("regions", "results")]
            elif tool == "papara-score":
                inputs = [([tool, "--quiet", "-O", form, "ref.phy", "ref.nwk"], "reads.fasta")]
                if form == "tsv":
                    inputs.append(([tool, "--quiet", "--all-edges", "--both-strands", "ref.phy", "ref.nwk"], "reads.fasta"))
            else:
                inputs = [([tool, "-O", form, "three.hmm"], n) for n in ("small.fa", "rows.tsv", "pairs.wsp")]
            for argv, name in inputs:
                yield argv, name
    for argv in (["msvfilt", "-O", "tsv"], ["hmmsieve", "-O", "tsv"], ["hmmsieve", "--join", "-O", "gff3"]):
        yield argv[:1] + ["--translate"] + argv[1:] + ["three.hmm"], "genes.fa"
    yield ["hmmcast", "--no-provenance", "--amino"], "families.sto"
    yield ["hmmcast", "--no-provenance", "--amino", "--informat", "fasta"], "few.fa"


def same_text(out):
    """Without the lines of a report or table that hold times, options, numbers of threads, or the names of outputs."""
    own = (b"# CPU time", b"# Mc/sec", b"# Date", b"# Option settings:", b"# number of worker threads:",
           b"# multithread parallelization:", b"# output directed to file:", b"# MSA of ", b"# per-seq hits tabular",
           b"# per-dom hits tabular", b"# pfam-style", b"# Alignment of ", b"# No hits satisfy", b"# model checkpoint files",
           b"# MSA checkpoint files")
    return b"\n".join(x for x in out.split(b"\n") if not x.startswith(own))
