#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random searches by nhmmer --cpu 0 and by nhmmsieve under its name, with sequences and alignments as queries: every byte
of report, tables, -A, --aliscoresout and --hmmout is compared, but for program, version, date, path and time.

usage: dna_searches.py COUNT SEED NHMMER NAMES SEQUENCES
NAMES is the folder with the names of HMMER's programs, SEQUENCES is FASTA of DNA. Prints a line at the end; status 1 at
the first difference."""
import os, random, re, subprocess, sys, tempfile

count, seed, peer, names, sequences = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5]
R = random.Random(seed)
SOURCE = [re.sub("[^ACGT]", "", r.split("\n", 1)[1].upper()) for r in open(sequences).read().split(">")[1:]]
SOURCE = [s for s in SOURCE if len(s) > 100]
COMPLEMENT = str.maketrans("ACGTRYMKSWHDBVN", "TGCAYRKMSWDHVBN")


def piece(n):
    s = R.choice(SOURCE)
    at = R.randrange(max(1, len(s) - n))
    return s[at : at + n]


def mutated(s, rate):
    """A copy with substitutions, insertions and deletions."""
    out = []
    for c in s:
        x = R.random()
        if x < rate: c = R.choice("ACGT")
        elif x < 1.15 * rate: c = ""
        elif x < 1.3 * rate: c += "".join(R.choice("ACGT") for _ in range(R.randrange(1, 6)))
        out.append(c)
    return "".join(out)


def rows_of(s, n, rate):
    """An alignment of n copies of s. Insertions are columns of their own."""
    extra = {k: R.randrange(1, 4) for k in range(1, len(s)) if R.random() < .02}
    rows = []
    for _ in range(n):
        row = []
        first, last = (0, len(s)) if R.random() < .8 else sorted((R.randrange(len(s)), R.randrange(len(s) + 1)))
        for k, c in enumerate(s):
            for _ in range(extra.get(k, 0)): row.append(R.choice("ACGT") if R.random() < .3 and first < k < last else "-")
            x = R.random()
            row.append("-" if x < .03 or not first <= k < last else R.choice("ACGT") if x < rate else c)
        if not set(row) - {"-"}: row[0] = "A"
        rows.append("".join(row))
    return rows


def lettered(s, rna):
    if R.random() < .15: s = "".join(R.choice("RYMKSWN") if R.random() < .01 and c != "-" else c for c in s)
    if rna: s = s.replace("T", "U")
    return s.lower() if R.random() < .2 else s


def stockholm(rows, name, rna):
    text = "# STOCKHOLM 1.0\n"
    if name: text += f"#=GF ID {name}\n"
    if R.random() < .3: text += f"#=GF AC RF{R.randrange(99999):05d}\n"
    if R.random() < .3: text += "#=GF DE a family made of copies\n"
    cut = R.random() < .5
    if cut: text += "#=GF GA %s\n" % R.choice(["12.5", "20 10;", "10 35", "5 5"])
    text += "".join(f"r{i:<9} {lettered(r, rna)}\n" for i, r in enumerate(rows))
    if R.random() < .2: text += "#=GC RF         " + "".join("x" if R.random() < .9 else "." for _ in rows[0]) + "\n"
    if R.random() < .3:
        share = R.choice([.1, .5])
        text += "#=GC MM         " + "".join("m" if R.random() < share else "." for _ in rows[0][1:]) + R.choice("mm.") + "\n"
    return text + "//\n", cut


def query():
    """Returns a file's name and text, options for it, the sequences that it stands for, whether all have a GA line."""
    rna = R.random() < .4
    bases = [piece(int(10 ** R.uniform(1.2, 2.6))) for _ in range(R.choice([1, 1, 1, 2, 3]))]
    kind, o, cut = R.randrange(8), [], False
    if kind < 4:  # sequences
        text = ""
        for i, b in enumerate(bases):
            while i and len(b) == len(bases[0]): b += "A"
            text += f">q{i}{R.choice(['', ' a query', ' x y z'])}\n{lettered(b, rna)}\n"
        name = R.choice(["q.fa", "query.a3m", "q", "q.fasta"])
        if R.random() < .3: o = ["--qformat", "fasta"]
        if R.random() < .2: o += ["--popen", R.choice(["0.05", "0.01", "0.2"])]
        if R.random() < .2: o += ["--pextend", R.choice(["0.5", "0.3", "0.9"])]
        if R.random() < .1: o += ["--mx", "DNA1"]
    elif kind < 7:  # Stockholm, of one row or more
        cuts, text = [], ""
        for i, b in enumerate(bases):
            one, c = stockholm(rows_of(b, R.choice([1, 2, 3, 5, 12]), R.uniform(0, .4)),
                               f"fam{i}" if i or R.random() < .8 else None, rna)
            text += one
            cuts.append(c)
        cut, name = all(cuts), "q.sto"
        if R.random() < .3: o = ["--singlemx"]
        if R.random() < .15: o += ["--qsingle_seqs"]
        cut = cut and not o
    else:  # aligned FASTA
        rows = rows_of(bases[0], R.choice([1, 2, 4]), R.uniform(0, .4))
        text = "".join(f">r{i}\n{lettered(r, rna)}\n" for i, r in enumerate(rows))
        name, o = ("q.afa", ["--qformat", "afa"]) if R.random() < .6 else ("q.a2m", [])
        if name == "q.a2m": text = text.upper()
    if R.random() < .7: o += ["--rna" if rna else "--dna"]
    return name, text, o, bases, cut


def target(bases):
    text = ""
    for i in range(R.randrange(1, 7)):
        s = piece(int(10 ** R.uniform(1.5, 3.6)))
        if i == 0: s += "ACGTTGCA" * 5  # nhmmer wants to see DNA in the first record
        for _ in range(R.choice([0, 0, 1, 2, 5])):
            copy = mutated(R.choice(bases), R.choice([0, .05, .15, .3]))
            if R.random() < .5: copy = copy.translate(COMPLEMENT)[::-1]
            at = R.randrange(len(s))
            s = s[:at] + copy + s[at:]
        if R.random() < .1: s = s.lower()
        name = "t" if R.random() < .1 else f"t{i}" + "x" * R.choice([0, 0, 0, 30])
        text += f">{name}{R.choice(['', '', ' a target', ' ' + 'long ' * 40])}".rstrip(" ") + f"\n{s}\n"
    return text


def options(cut):
    o = []
    def maybe(p, *words):
        if R.random() < p: o.extend(words)
    e = lambda: "%g" % (10 ** R.uniform(-20, 4))
    t = lambda: "%g" % R.uniform(-5, 60)
    if cut and R.random() < .6: o.append("--cut_ga")
    else:
        maybe(.5, *R.choice([("-E", e()), ("-T", t()), ("-E", "10.0"), ("-E", "1e5")]))
        maybe(.4, *R.choice([("--incE", e()), ("--incT", t())]))
    maybe(.15, "-Z", R.choice(["1", "40.5", "0.01"]))
    if R.random() < .1: o.append("--max")
    else:
        maybe(.15, "--F1", R.choice(["0.3", "0.02"]))
        maybe(.15, "--F2", R.choice(["0.1", "3e-3"]))
        maybe(.15, "--F3", R.choice(["0.1", "1e-5", "0.02"]))
        maybe(.1, "--nobias")
    for flag in ("--acc", "--noali", "--nonull2"): maybe(.15, flag)
    maybe(.2, R.choice(["--watson", "--crick"]))
    maybe(.2, *R.choice([("--notextw",), ("--textw", "150"), ("--textw", "120")]))
    maybe(.1, "--seed", R.choice(["7", "42"]))
    maybe(.15, *R.choice([("--w_length", "300"), ("--w_beta", "1e-3"), ("--w_beta", "0")]))
    return o


SKIPPED = re.compile(rb"^# (CPU time|Mc/sec|Copyright|Freely distributed|The format is that|HMMER 3|Program:|Version:|"
                     rb"Current dir:|Date:|number of worker threads)|^#$|^DATE |^HMMER3/f|^#=GF AU ")
FILES = ("out", "tbl", "dfam", "sto", "sc", "hmm")


def lines(path):
    if not os.path.exists(path): return None
    text = re.sub(rb"(# Option settings: )\S*/", rb"\1", open(path, "rb").read())
    return [l for l in text.split(b"\n") if not SKIPPED.match(l)]


hits = refused = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for n in range(count):
        for old in os.listdir("."): os.remove(old)
        name, text, o, bases, cut = query()
        open(name, "w").write(text)
        open("db.fa", "w").write(target(bases))
        args = o + options(cut) + ["-o", "out", "-A", "sto", "--tblout", "tbl", "--dfamtblout", "dfam", "--aliscoresout",
                                   "sc", "--hmmout", "hmm", "--cpu", "0", name, "db.fa"]
        kept, said = {}, {}
        for who, program in (("p", peer), ("w", os.path.join(names, "nhmmer"))):
            for f in FILES:
                if os.path.exists(f): os.remove(f)
            run = subprocess.run([program] + args, capture_output=True)
            kept[who] = [run.returncode != 0] + [lines(f) for f in FILES]
            said[who] = run.stderr + run.stdout
        if kept["p"][0] and kept["w"][0]:  # both refuse it
            refused += 1
            continue
        for what, a, b in zip(("status",) + FILES, kept["p"], kept["w"]):
            if a == b: continue
            print(f"search {n} of seed {seed}: {what} differs; nhmmer {' '.join(args)}")
            if what == "status": print(a, said["p"], b, said["w"])
            else:
                a, b = a or [], b or []
                print(*next(([f"< {x!r}\n> {y!r}"] for x, y in zip(a, b) if x != y), [len(a), len(b)]))
            sys.exit(1)
        hits += sum(1 for l in kept["w"][2] if l and not l.startswith(b"#"))
print(f"equal: {count} searches of seed {seed}, {hits} hits; {refused} refused by both")
