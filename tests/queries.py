#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random searches with sequences: phmmer and jackhmmer -N 1, 2, 3 and 5, each --cpu 0, against seqsieve and jacksieve with
random threads, batches and backends. Report, tables, -A and checkpoints are compared byte for byte, but for program,
author, version, file names and times.

usage: queries.py COUNT SEED FOLDER PROTEINS...
COUNT is the number of queries, FOLDER has phmmer and jackhmmer, PROTEINS are FASTA files, plain or gzipped. Queries are
proteins and parts of them, of 1 to 5,000 residues, with X, B, U and the like, lower case and low complexity. Each database
is some hundred proteins, and relatives of the queries. Prints a line at the end; status 1 at the first difference."""
import glob, gzip, os, random, re, subprocess, sys, tempfile

count, seed, peers = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
BIN = os.environ.get("WARPSIEVE_BIN") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bin")
R = random.Random(seed)
LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def records(path):
    text = (gzip.open if path.endswith(".gz") else open)(path, "rt").read()
    for r in text.split(">")[1:]:
        head, _, seq = r.partition("\n")
        yield head, seq.replace("\n", "")


ALL = [r for f in sys.argv[4:] for r in records(f)]


def query(i):
    head, seq = R.choice(ALL)
    kind = R.randrange(16)
    if kind == 0: seq = seq[: R.randrange(1, 12)]
    if kind == 1: seq = "".join(R.choice(ALL)[1] for _ in range(8)) if R.random() < 0.3 else seq[-40:]
    if kind == 2: seq = R.choice(LETTERS) * R.randrange(1, 80) + seq[:60]
    if kind == 3: seq = (seq[: R.randrange(2, 9)] * 40)[: R.randrange(10, 300)]
    if kind == 4: seq = seq.lower()
    if kind == 5: seq = "".join(R.choice("XBZUOJ") if R.random() < 0.05 else c for c in seq)
    if kind == 6: seq = seq[:30] + "X" * R.randrange(1, 200) + seq[30:]
    if kind == 7: seq = "".join(c.lower() if R.random() < 0.3 else c for c in seq)
    if kind == 8: head = head.split(" ")[0]
    if kind == 9: head = f"q{i} " + " ".join(head.split(" ")[1:]) * R.randrange(1, 4)
    if kind == 10: seq = seq + seq
    return head, seq[:5000] or "M"


def relative(seq):
    """A copy with substitutions, insertions and deletions."""
    away = R.uniform(0.1, 0.75)
    out = []
    for c in seq.upper():
        u = R.random()
        if u < away * 0.05: continue
        out.append(R.choice(LETTERS) if u < away else c)
        if R.random() < 0.01: out.extend(R.choice(LETTERS) for _ in range(R.randrange(1, 9)))
    begin = R.randrange(len(out)) if out and R.random() < 0.3 else 0
    return "".join(out[begin:]) or "M"


def options(rounds):
    o = []
    def maybe(p, *words):
        if R.random() < p: o.extend(words)
    e = lambda: "%g" % (10 ** R.uniform(-20, 3))
    maybe(.3, *R.choice([("-E", e()), ("-T", "%g" % R.uniform(-5, 80)), ("-E", "1000")]))
    maybe(.2, *R.choice([("--domE", e()), ("--domT", "%g" % R.uniform(-5, 80))]))
    maybe(.2, *R.choice([("--incE", e()), ("--incT", "%g" % R.uniform(5, 80))]))
    maybe(.2, *R.choice([("--incdomE", e()), ("--incdomT", "%g" % R.uniform(5, 80))]))
    maybe(.15, "-Z", R.choice(["1", "45638612", "0.3"]))
    maybe(.1, "--domZ", "%g" % R.uniform(.2, 9000))
    if R.random() < .1: o.append("--max")
    else:
        maybe(.1, "--F1", R.choice(["0.3", "0.0005"]))
        maybe(.1, "--F2", R.choice(["0.1", "5e-5"]))
        maybe(.1, "--F3", R.choice(["0.1", "5e-7"]))
        maybe(.1, "--nobias")
    for flag in ("--acc", "--noali", "--nonull2"): maybe(.1, flag)
    maybe(.2, *R.choice([("--notextw",), ("--textw", "150")]))
    maybe(.15, "--mx", R.choice(["BLOSUM45", "BLOSUM80", "PAM30", "PAM120"]))
    maybe(.1, "--popen", R.choice(["0.01", "0.1"]))
    maybe(.1, "--pextend", R.choice(["0.2", "0.7"]))
    maybe(.1, "--seed", R.choice(["7", "42"]))
    if rounds > 1:
        maybe(.1, R.choice(["--wgsc", "--wblosum", "--wnone"]))
        maybe(.1, *R.choice([("--eclust",), ("--enone",), ("--eset", "5"), ("--ere", "0.8")]))
        maybe(.1, *R.choice([("--fragthresh", "0"), ("--fragthresh", "1")]))
        maybe(.05, "--plaplace")
    return o


def lines(path):
    """The lines of a file that both programs must have; None: there is no such file, or it is empty."""
    if not os.path.exists(path): return None
    text = open(path, "rb").read()
    text = re.sub(rb"(?m)^(#=GF AU|HMMER3/f \[).*$", rb"\1", text)
    text = re.sub(rb" saved to: .*", b" saved", text)
    text = re.sub(rb"(?m)^(# CPU time|# Mc/sec|DATE ).*\n", b"", text)
    if path == "out": text = text[text.find(b"\nQuery:"):]
    return re.split(rb"(?m)^#\n# Program:", text)[0].split(b"\n") if text else None


def search(program, args):
    for f in glob.glob("*"):
        if f not in ("q.fa", "db.fa"): os.remove(f)
    run = subprocess.run([program] + args + ["q.fa", "db.fa"], capture_output=True)
    names = ["out", "tbl", "dom", "sto"] + sorted(glob.glob("chk-*"))
    return run.returncode, {f: lines(f) for f in names}, run.stderr


def compare(args, got, want):
    if got[0] != want[0]: return f"status {want[0]} and {got[0]}: {want[2]!r} {got[2]!r}"
    if got[1].keys() != want[1].keys(): return f"files {list(want[1])} and {list(got[1])}"
    for f, a in want[1].items():
        b = got[1][f]
        if a == b: continue
        both = [p for p in zip(a or [], b or []) if p[0] != p[1]]
        return f"{f}: " + (f"\n< {both[0][0]!r}\n> {both[0][1]!r}" if both else f"{a and len(a)} and {b and len(b)} lines")
    return None


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    backends = [l.split("\t")[0] for l in subprocess.run([os.path.join(BIN, "seqsieve"), "--list-backends"], capture_output=True,
                                                         text=True).stdout.split("\n") if "\tyes" in l and "cuda" not in l]
    fast = [b for b in backends if b != "scalar"] or backends
    done = searches = rows = 0
    while done < count:
        queries = [query(done + i) for i in range(min(R.choice([1, 1, 1, 3]), count - done))]
        done += len(queries)
        with open("q.fa", "w") as f: f.writelines(f">{h}\n{s}\n" for h, s in queries)
        database = [R.choice(ALL) for _ in range(R.randrange(20, 120))]
        for h, s in queries:
            for k in range(R.choice([0, 3, 12, 30])): database.append((f"rel{k}_{R.randrange(10**6)} of {h[:30]}", relative(s)))
        R.shuffle(database)
        with open("db.fa", "w") as f: f.writelines(f">{h}\n{s}\n" for h, s in database)
        for rounds in (0, 1, 2, 3, 5):
            args = options(rounds) + ["-o", "out", "-A", "sto", "--tblout", "tbl", "--domtblout", "dom"]
            if rounds: args += ["-N", str(rounds)]
            if rounds > 1 and R.random() < 0.3: args += ["--chkhmm", "chk-h", "--chkali", "chk-a"]
            backend = R.choice(backends if sum(len(s) for h, s in queries) < 600 else fast)
            ours = ["--cpu", R.choice("14"), "--backend", backend] + R.choice([[], ["-K", "1000"], ["-K", "20K"]])
            peer, own = ("jackhmmer", "jacksieve") if rounds else ("phmmer", "seqsieve")
            want = search(os.path.join(peers, peer), ["--cpu", "0"] + args)
            got = search(os.path.join(BIN, own), ours + args)
            searches += 1
            rows += sum(not l.startswith(b"#") for l in want[1]["tbl"] or [])
            bad = compare(args, got, want)
            if bad:
                for f in ("q.fa", "db.fa"): os.replace(f, os.path.join(os.environ.get("TMPDIR", "/tmp"), "different-" + f))
                print(f"search {searches} of seed {seed}, queries in different-q.fa: {own} {' '.join(ours + args)}\n{bad}")
                sys.exit(1)
    print(f"equal: {count} queries of seed {seed}, {searches} searches, {rows} rows of tblout")
