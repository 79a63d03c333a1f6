#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times small calls beside HMMER's: one model, one protein, one alignment. Most callers make thousands of these.

    small.py --hmmer FOLDER [--rows NAME,...] [-n CALLS] [--pfam FILE] [--base FOLDER] > small.tsv

Each figure is the processor time of one call, user and system, in milliseconds: the median of CALLS calls, less that of a process that does
nothing. Both sides take turns, so that other work on the machine slows both. The rows of --scan need --pfam, a file of models as text.
The pipes read 59 million residues, so they are called a tenth as often. --base is another build, for a third column."""
import argparse
import gzip
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(TOP), "shared")

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--hmmer", required=True, metavar="FOLDER", help="HMMER 3.4's programs")
parser.add_argument("--ours", default=TOP, metavar="FOLDER", help="a build of warpsieve: the folder that has bin and libexec")
parser.add_argument("--base", metavar="FOLDER", help="another such build, which takes turns too")
parser.add_argument("--data", default=os.path.join(SHARED, "data"), metavar="FOLDER", help="proteomes and padloc-250.hmm.gz")
parser.add_argument("--golden", default=os.path.join(SHARED, "golden"), metavar="FOLDER", help="golden data: models")
parser.add_argument("--pfam", metavar="FILE", help="many models as text, for the rows of hmmscan")
parser.add_argument("--rows", metavar="NAME,...", help="these rows, or all whose names begin so")
parser.add_argument("--list", action="store_true", help="print the names of the rows")
parser.add_argument("-n", type=int, default=50, metavar="CALLS", help="calls of each program [50]")
parser.add_argument("-v", action="store_true", help="show each command line on standard error")
args = parser.parse_args()
scratch = tempfile.TemporaryDirectory()


def made(name):
    return os.path.join(scratch.name, name)


def text_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        return f.read()


def write(name, text):
    with open(made(name), "w") as f:
        f.write(text)
    return made(name)


def once(function):
    """Makes a file when the first row asks for it."""
    kept = {}
    return lambda *key: kept[key] if key in kept else kept.setdefault(key, function(*key))


@once
def proteome(name):
    found = [f for f in os.listdir(args.data) if name in f]
    return write(name + ".fa", text_of(os.path.join(args.data, found[0])))


@once
def proteins(name, first, count):
    records = text_of(proteome(name)).split(">")[1:]
    return write(f"{name}-{first}-{count}.fa", "".join(">" + r for r in records[first:first + count]))


@once
def protein(length):
    """The protein of E. coli whose length is nearest."""
    records = text_of(proteome("coli")).split(">")[1:]
    nearest = min(records, key=lambda r: abs(len("".join(r.split("\n")[1:])) - length))
    return write(f"protein-{length}.fa", ">" + nearest)


@once
def padloc(length):
    """The model whose length is nearest."""
    models = text_of(os.path.join(args.data, "padloc-250.hmm.gz")).split("//\n")[:-1]
    nearest = min(models, key=lambda m: abs(int(m.split("\nLENG ")[1].split("\n")[0]) - length))
    return write(f"padloc-{length}.hmm", nearest + "//\n")


@once
def genome():
    return write("genome.fa", ">made\n" + "".join(random.Random(1).choices("ACGT", k=900000)) + "\n")


@once
def large(compressed):
    text = text_of(proteome("cerevisiae")) * 20
    if not compressed:
        return write("large.fa", text)
    with gzip.open(made("large.fa.gz"), "wt", 6) as f:
        f.write(text)
    return made("large.fa.gz")


def hmmer(name):
    return os.path.join(args.hmmer, name)


@once
def pfam(form):
    """The models as text, as .h3m, or pressed by HMMER."""
    if form == "text":
        return os.path.abspath(args.pfam)
    if form == "h3m":
        os.link(pfam("pressed") + ".h3m", made("alone.h3m"))
        return made("alone.h3m")
    os.symlink(os.path.abspath(args.pfam), made("pressed"))
    subprocess.run([hmmer("hmmpress"), made("pressed")], check=True, stdout=subprocess.DEVNULL)
    return made("pressed")


@once
def emitted(kind):
    """Four rows of an alignment, or eleven sequences, of the globins."""
    flags = ["-a", "-N", "4"] if kind == "rows" else ["-N", "11"]
    run = subprocess.run([hmmer("hmmemit"), *flags, "--seed", "1", golden("globins4")], check=True, capture_output=True, text=True)
    return write("globins." + kind, run.stdout)


def golden(model):
    return os.path.join(args.golden, "models", model + ".hmm")


def dna(model):
    return os.path.join(args.golden, "dna-models", model + ".hmm")


def same(*command):
    """One command line under HMMER's name, for both."""
    return list(command), lambda build: [os.path.join(build, "libexec/warpsieve/hmmer", command[0]), *command[1:]]


def pipe(model, compressed):
    quoted = [shlex.quote(golden(model)), shlex.quote(large(compressed))]

    def ours(build):
        p = [shlex.quote(os.path.join(build, "bin", name)) for name in ("msvfilt", "vitfilt", "fwdscore")]
        return ["sh", "-c", f"{p[0]} -t 1 {quoted[0]} {quoted[1]} | {p[1]} -t 1 {quoted[0]} | {p[2]} -t 1 {quoted[0]}"]
    if not compressed:
        return ["hmmsearch", "--cpu", "0", "--noali", golden(model), large(False)], ours
    theirs = f"gzip -dc {quoted[1]} | {shlex.quote(hmmer('hmmsearch'))} --cpu 0 --noali {quoted[0]} -"
    return ["sh", "-c", theirs], ours


def sieve(model):
    return (["hmmsearch", "--cpu", "0", "--noali", golden(model), large(False)],
            lambda build: [os.path.join(build, "bin/hmmsieve"), "-t", "1", golden(model), large(False)])


def scan(form, count):
    query = proteins("cerevisiae", 200, count)
    ours = same("hmmscan", pfam(form), query)[1]
    return same("hmmscan", pfam("pressed"), query)[0], ours


ROWS = {}
for form in ("pressed", "h3m", "text"):
    for count in (1, 11):
        ROWS[f"scan-{form}-{count}"] = (lambda form=form, count=count: scan(form, count), 1)
for m in (85, 170, 400):
    ROWS[f"search-{m}"] = (lambda m=m: same("hmmsearch", padloc(m), proteome("coli")), 1)
for m in (85, 170, 400):
    ROWS[f"few-{m}"] = (lambda m=m: same("hmmsearch", padloc(m), proteins("coli", 0, 400)), 1)
ROWS["phmmer"] = (lambda: same("phmmer", protein(250), proteome("coli")), 1)
ROWS["jackhmmer"] = (lambda: same("jackhmmer", "-N", "2", protein(250), proteome("coli")), 1)
ROWS["nhmmer"] = (lambda: same("nhmmer", dna("MADE1"), genome()), 1)
ROWS["hmmbuild"] = (lambda: same("hmmbuild", "-n", "globins", "/dev/null", emitted("rows")), 1)
ROWS["hmmalign"] = (lambda: same("hmmalign", golden("globins4"), emitted("sequences")), 1)
for model in ("globins4", "cudampf100", "fn3"):
    ROWS[f"pipe-{model}"] = (lambda model=model: pipe(model, False), 10)
    ROWS[f"pipe-gz-{model}"] = (lambda model=model: pipe(model, True), 10)
    ROWS[f"sieve-{model}"] = (lambda model=model: sieve(model), 10)


def milliseconds(command):
    """Runs a command without output; returns the processor time of it and of what it waited for."""
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1)])
    os.close(null)
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(f"small.py: it failed with status {os.waitstatus_to_exitcode(status)}: {shlex.join(command)}")
    return 1000 * (used.ru_utime + used.ru_stime)


def row(name):
    make, share = ROWS[name]
    theirs, ours = make()
    theirs[0] = theirs[0] if theirs[0] == "sh" else hmmer(theirs[0])
    sides = [theirs, ours(os.path.abspath(args.ours)), *([ours(os.path.abspath(args.base))] if args.base else []), ["true"]]
    if args.v:
        print("\n".join(map(shlex.join, sides[:-1])), file=sys.stderr)
    calls = max(3, args.n // share)
    times = [[milliseconds(s) for s in sides] for _ in range(calls + 1)][1:]
    *medians, empty = [statistics.median(t) for t in zip(*times)]
    used = [m - empty for m in medians]
    cells = [name, calls, f"{used[0]:.2f}", f"{used[1]:.2f}", f"{used[1] / used[0]:.3f}"]
    if args.base:
        cells += [f"{used[2]:.2f}", f"{used[1] / used[2]:.3f}"]
    print(*cells, f"{empty:.2f}", sep="\t", flush=True)


if args.list:
    print(*ROWS, sep="\n")
    sys.exit()
wanted = [w for w in (args.rows or "").split(",") if w]
chosen = [r for r in ROWS if not wanted or r.startswith(tuple(wanted))]
if not args.pfam:
    chosen = [r for r in chosen if not r.startswith("scan-")]
if not chosen:
    parser.error("no row has such a name; --list shows all, and those of scan need --pfam")
of_base = ["base_ms", "ours/base"] if args.base else []
print("row", "calls", "hmmer_ms", "ours_ms", "ours/hmmer", *of_base, "empty_ms", sep="\t", flush=True)
for chosen_row in chosen:
    row(chosen_row)
