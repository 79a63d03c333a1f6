#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random searches by hmmsearch --cpu 0 and by hmmsieve under its name: every byte of report, tables and -A is compared,
but for program, version, date, path and time.

usage: searches.py COUNT SEED HMMSEARCH NAMES MODELS... SEQUENCES
NAMES is the folder with the names of HMMER's programs. Prints a line at the end; status 1 at the first difference."""
import os, random, re, subprocess, sys, tempfile

count, seed, peer, names = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
model_files, sequences = sys.argv[5:-1], sys.argv[-1]
R = random.Random(seed)


MODELS = [m for f in model_files for m in re.findall(r"HMMER3/f.*?\n//\n", open(f).read() + "\n", re.S)]
RECORDS = [(r.split("\n", 1)[0], r.split("\n", 1)[1].replace("\n", "")) for r in open(sequences).read().split(">")[1:]]


def record(i):
    head, seq = R.choice(RECORDS)
    name, _, desc = head.partition(" ")
    kind = R.randrange(12)
    if kind == 0: name = name[: R.randrange(1, len(name))] + str(i)
    if kind == 1: name += "_" * R.randrange(1, 60)
    if kind == 2: desc = desc.replace(" ", "\t", 2)
    if kind == 3: desc += " " * R.randrange(1, 5) + "\t" * R.randrange(2)
    if kind == 4: desc += "\1gi|2|second title"
    if kind == 5: desc = ""
    if kind == 6: desc = "  " + desc
    if R.random() < 0.1 and len(seq) > 40:  # two domains, or a part of one
        seq = seq + seq if R.random() < 0.5 else seq[: R.randrange(20, len(seq))]
    return f">{name}{' ' if desc else R.choice(['', ' '])}{desc}\n{seq}\n"


def options():
    o = []
    def maybe(p, *words):
        if R.random() < p: o.extend(words)
    e = lambda: "%g" % (10 ** R.uniform(-30, 3))
    t = lambda: "%g" % R.uniform(-5, 150)
    maybe(.5, *R.choice([("-E", e()), ("-T", t()), ("-E", "10.0"), ("-E", "1000")]))
    maybe(.3, *R.choice([("--domE", e()), ("--domT", t())]))
    maybe(.3, *R.choice([("--incE", e()), ("--incT", t())]))
    maybe(.3, *R.choice([("--incdomE", e()), ("--incdomT", t())]))
    if not o: maybe(.2, R.choice(["--cut_ga", "--cut_nc", "--cut_tc"]))
    maybe(.15, "--domZ", "%g" % R.uniform(.2, 9000))
    maybe(.12, "-Z", R.choice(["1", "0.3", "1e-9", "45638612", "0.01"]))
    if R.random() < .1: o.append("--max")
    else:
        maybe(.1, "--F1", R.choice(["0.3", "0.02", "0", "1.5"]))
        maybe(.1, "--F2", R.choice(["0.1", "1e-3", "0"]))
        maybe(.1, "--F3", R.choice(["0.1", "1e-4"]))
        maybe(.1, "--nobias")
    for flag in ("--acc", "--noali", "--nonull2"): maybe(.15, flag)
    maybe(.2, *R.choice([("--notextw",), ("--textw", "150"), ("--textw", "120")]))
    maybe(.1, "--seed", R.choice(["7", "42"]))
    return o


OTHERS = b"CPU time|Mc/sec|Copyright|Freely distributed|The format is that|HMMER 3|Program:|Version:|Current dir:|Date:"
TIMES = re.compile(b"^# (" + OTHERS + b")", re.M)


def lines(path):
    if not os.path.exists(path): return None
    text = open(path, "rb").read()
    text = re.sub(rb"(# Option settings: )\S*/", rb"\1", text)
    text = re.sub(rb"^#=GF AU .*$", b"#=GF AU", text, flags=re.M)
    return [l for l in text.split(b"\n") if not TIMES.match(l)]


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for n in range(count):
        chosen = [R.choice(MODELS) for _ in range(R.randrange(1, 4))]
        o = options()
        cuts = [c for c in ("ga", "nc", "tc") if f"--cut_{c}" in o]
        if cuts and not all(re.search(rf"^{cuts[0].upper()} ", m, re.M) for m in chosen):
            o.remove(f"--cut_{cuts[0]}")
        open("m.hmm", "w").write("".join(chosen))
        open("db.fa", "w").write("".join(record(i) for i in range(R.randrange(1, 150))))
        for old in ("out", "tbl", "dom", "sto", "said"):
            for who in "pw":
                if os.path.exists(f"{who}.{old}"): os.remove(f"{who}.{old}")
        args = o + ["-o", "out", "-A", "sto", "--tblout", "tbl", "--domtblout", "dom", "--cpu", "0", "m.hmm", "db.fa"]
        kept = {}
        for who, program in (("p", peer), ("w", os.path.join(names, "hmmsearch"))):
            for f in ("out", "sto", "tbl", "dom"):
                if os.path.exists(f): os.remove(f)
            run = subprocess.run([program] + args, capture_output=True)
            kept[who] = [run.returncode] + [lines(f) for f in ("out", "tbl", "dom", "sto")]
            said = run.stderr
        if not kept["p"][4] or kept["p"][4] == [b""]: kept["p"][4] = None  # hmmsearch makes an empty file
        if not kept["w"][4] or kept["w"][4] == [b""]: kept["w"][4] = None
        for what, a, b in zip(("status", "report", "tblout", "domtblout", "-A"), kept["p"], kept["w"]):
            if a == b: continue
            print(f"search {n} of seed {seed}: {what} differs; hmmsearch {' '.join(args)}")
            if what != "status" and a and b:
                for x, y in zip(a, b):
                    if x != y:
                        print(f"< {x!r}\n> {y!r}")
                        break
                else: print(len(a), len(b))
            else: print(a if what == "status" else a and len(a), b if what == "status" else b and len(b), said)
            sys.exit(1)
print(f"equal: {count} searches of seed {seed}")
