#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on files and names: outputs that are inputs, files by query, tables without their ## lines, models with a mask, odd names in
scripts and completions. Each method is one try; self.r is its random source."""
import os
import shutil
import signal
import subprocess
import time

from attack_kit import TOP, Impossible, content, need, plain, rows_of, run, write

OPTIONS = {
    "hmmsieve": (["hmmsieve", "three.hmm", "small.fa"], "-o --tblout --domtblout --pfamtblout -A --stats"),
    "seqsieve": (["seqsieve", "few.fa", "small.fa"], "-o --tblout --domtblout --pfamtblout -A --stats"),
    "jacksieve": (["jacksieve", "-N", "2", "few.fa", "small.fa"], "-o --tblout --domtblout --pfamtblout -A --chkhmm --chkali --stats"),
    "nhmmsieve": (["nhmmsieve", "made.hmm", "dna.fa"], "-o --tblout --dfamtblout -A --aliscoresout --hmmout --stats"),
    "msvfilt": (["msvfilt", "three.hmm", "small.fa"], "-o -U --stats"),
    "fwdscore": (["fwdscore", "three.hmm", "rows.tsv"], "-o -U --stats"),
    "domscore": (["domscore", "three.hmm", "fwd3.wsp"], "-o --tblout --domtblout --pfamtblout -A --stats"),
    "respack": (["respack", "-O", "fasta", "small.fa"], "-o --stats"),
    "sixframe": (["sixframe", "genes.fa"], "-o --stats"),
    "hmmfit": (["hmmfit", "demo.hmm", "few.fa"], "-o --stats"),
    "mrfseg": (["mrfseg", "--classes", "3", "--sweeps", "2", "slab.nii"], "-o --labels --stats"),
    "papara-score": (["papara-score", "ref.phy", "ref.nwk", "reads.fasta"], "-o --tree --alignment -U --stats"),
    "pairhmm": (["pairhmm", "regions"], "-o --stats"),
    "hmmcast": (["hmmcast", "--no-provenance", "--amino", "families.sto"], "-o -O --summary --stats"),
}
ROUNDS = {"--chkhmm": "-1.hmm", "--chkali": "-1.sto"} # ends of the files of the first round
ODD = " ab=1'\"$`\\;&|*?[](){}#!~<>%,:\u00e9"


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)


class Files:
    def aliases(self):
        """An output is an input, or another output, under any name: refused, and every file is as it was."""
        argv, options = OPTIONS[self.r.choice(list(OPTIONS))]
        options = options.split()
        fresh("al")
        inputs = [a for a in argv if os.path.isfile(a)]
        for i in inputs:
            shutil.copy(i, "al")
        option, victim = self.r.choice(options), self.r.choice(inputs + ["other"])
        given = []
        if victim == "other":
            write("al/other", b"kept\n")
            given = [self.r.choice([o for o in options if o != option and o not in ROUNDS])]
        before = {n: content("al/" + n) for n in os.listdir("al")}
        ways = ("same", "dot", "absolute", "symlink", "hardlink", "round")
        way = "link" if option in ROUNDS else self.r.choice(ways)
        name = {"same": victim, "dot": "./" + victim, "absolute": os.path.abspath("al/" + victim), "round": "../al/" + victim}
        name = name.get(way, "alias")
        if option in ROUNDS:
            os.symlink(victim, "al/alias" + ROUNDS[option])
        elif way == "symlink":
            os.symlink(victim, "al/alias")
        elif way == "hardlink":
            os.link("al/" + victim, "al/alias")
        pairs = [(option, name)] + [(o, "other") for o in given]
        line = argv[:1] + [x for o, n in pairs for x in ([o + "=" + n] if o == "--stats" else [o, n])] + argv[1:]
        p = subprocess.run(line, cwd="al", stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        changed = [n for n, was in before.items() if content("al/" + n) != was]
        need(p.returncode in (1, 2) and p.stderr and not changed, line, way, "status", p.returncode, p.stderr, "changed:", changed)

    def queries_as_files(self):
        """The file of a query is an input: refused, and the input is as it was."""
        tool = self.r.choice(("hmmsieve", "seqsieve", "jacksieve"))
        argv = OPTIONS[tool][0]
        query = {"three.hmm": "fn3"}.get(argv[-2]) or content("few.fa").split()[0][1:].decode()
        fresh("al")
        shutil.copy(argv[-2], "al")
        shutil.copy("small.fa", f"al/{query}.x")
        option = self.r.choice(("--tblout", "--domtblout", "--pfamtblout", "-A"))
        line = argv[:1] + [option, self.r.choice(("%q.x", "./%q.x", os.path.abspath("al") + "/%q.x"))] + argv[1:-1] + [query + ".x"]
        p = subprocess.run(line, cwd="al", stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        need(content(f"al/{query}.x") == content("small.fa") and p.returncode in (1, 2) and p.stderr, line, p.returncode, p.stderr)

    def perquery(self):
        """A run that writes files by query is killed: each file is a beginning of whole lines, and the next run makes all whole."""
        if not os.path.exists("hundred.hmm"):
            one = content("demo.hmm").split(b"NAME  Pkinase")
            write("hundred.hmm", b"".join(b"NAME  m%d".join([one[0], one[1]]) % i if b"%" not in one[1] else
                                          one[0] + b"NAME  m%d" % i + one[1] for i in range(100)))
        options = {"--tblout": "tbl", "--domtblout": "dom", "-A": "sto"}
        line = ["hmmsieve", "--cpu", self.r.choice("13"), "-o", "/dev/null"]
        line += [x for o, end in options.items() for x in (o, "pq/%q." + end)] + ["hundred.hmm", "small.fa"]
        if "perquery" not in self.known:
            fresh("pq")
            begun = time.time()
            plain(line)
            self.known["perquery"] = {n: self.lasting(content("pq/" + n)) for n in os.listdir("pq")}, time.time() - begun
        want, took = self.known["perquery"]
        need(len(want) == 300, len(want), "files by query")
        fresh("pq")
        p = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(self.r.random() * took)
        p.send_signal(signal.SIGKILL)
        p.communicate()
        for n in os.listdir("pq"):
            got = self.lasting(content("pq/" + n))
            need(n in want, "killed: a file of another name is there:", n)
            need(want[n].startswith(got) and (not got or got.endswith(b"\n")), "killed:", n, "ends with", got[-80:])
        plain(line)
        bad = [n for n in want if self.lasting(content("pq/" + n)) != want[n]]
        need(not bad and len(os.listdir("pq")) == len(want), "the run behind a killed one:", bad)

    @staticmethod
    def lasting(data):
        """Without the lines of a table that hold times and options."""
        own = (b"# Date", b"# Option settings:", b"# Current dir")
        return b"".join(x for x in data.splitlines(True) if not x.startswith(own))

    def ledgers(self):
        """A table loses ## lines, or parts of them, on its way: E-values are the same, or there is a sentence and none."""
        model, stages = "three.hmm", [["msvfilt"], ["vitfilt"], ["fwdscore"]]
        at = self.r.randrange(len(stages))
        data = content("demo.fa")
        how = self.r.choice(("lines", "lines", "fields", "option", "all"))
        for i, s in enumerate(stages):
            last = i >= at
            quiet = ["--no-provenance"] if how == "option" and last else []
            key = ("ledger", tuple(map(tuple, stages[:i + 1])), tuple(quiet), i if i < at else at)
            if key not in self.known:
                self.known[key] = plain(s[:1] + quiet + s[1:] + [model], data)
            data = self.known[key]
            if i == at and how != "option":
                data = self.without(data, how)
                break
        end = [s + [model] for s in stages[at + 1:]] if how != "option" else []
        end += [["domscore", "-O", self.r.choice(("domtblout", "tblout")), model]]
        if self.r.random() < 0.3:
            end.insert(0, ["respack", "-O", "packed"])
        whole = ("ledgers", tuple(end[-1]))
        if whole not in self.known:
            out = content("demo.fa")
            for s in stages:
                out = plain(s + [model], out)
            self.known[whole] = rows_of(plain(end[-1], out))
        for s in end:
            rc, data, err = run(s, data)
            if rc:
                columns = (6, 11, 12) if "domtblout" in s else (4, 7)
                bare = s[0] != "domscore" or all(row.split()[c] == b"-" for row in rows_of(data) for c in columns)
                need(rc == 1 and err.count(b"\n") >= 1 and bare, how, at, end, rc, err, data[-200:])
                return
        got = rows_of(data)
        need(got == self.known[whole], how, "stage", at, stages[at], end, "other rows:",
             [(a, b) for a, b in zip(got, self.known[whole]) if a != b][:1] or (len(got), len(self.known[whole])))

    def without(self, data, how):
        lines = data.split(b"\n")
        own = [i for i, x in enumerate(lines) if x.startswith(b"##")]
        if how == "fields":
            i = self.r.choice(own)
            words = lines[i].split(b" ")
            del words[self.r.randrange(1, len(words))]
            lines[i] = b" ".join(words)
            return b"\n".join(lines)
        gone = own if how == "all" else self.r.sample(own, self.r.randrange(1, len(own) + 1))
        return b"\n".join(x for i, x in enumerate(lines) if i not in gone)

    def masks(self):
        """A model of DNA with a mask: any number of threads, batch, backend and neighbour in its file gives the same rows."""
        r = self.r
        gc, length = r.choice((0.2, 0.5, 0.8)), r.choice((40, 100, 200))
        weights = [(1 - gc) / 2, gc / 2, gc / 2, (1 - gc) / 2]
        base = "".join(r.choices("ACGT", weights, k=length))

        def copy():
            return "".join(c if r.random() < 0.85 else r.choice("ACGT") for c in base)
        kind = r.choice(("half", "tenth", "block"))
        mask = {"half": "".join(r.choice("m.") for _ in base), "tenth": "".join("m" if r.random() < 0.1 else "." for _ in base),
                "block": "." * (length // 3) + "m" * (length // 3) + "." * (length - 2 * (length // 3))}[kind]
        rows = "".join(f"r{i} {copy()}\n" for i in range(r.choice((1, 4, 8))))
        write("mask.sto", f"# STOCKHOLM 1.0\n#=GF ID masked\n{rows}#=GC MM {mask}\n//\n".encode())
        model = plain(["hmmcast", "--no-provenance", "--dna", "mask.sto"])
        need(b"\nMM    yes" in model or "m" not in mask, "the model has no mask")
        write("mask.hmm", model)
        write("masks.hmm", content("made.hmm") + model)
        turn = str.maketrans("ACGT", "TGCA")
        parts = ["".join(r.choices("ACGT", weights, k=r.choice((20, 300)))) + (copy() if r.random() < 0.6 else copy()[::-1].translate(turn))
                 for _ in range(6)]
        write("mask.fa", (">c\n" + "".join(parts[:4]) + "\n>d\n" + "".join(parts[4:]) + "\n").encode())
        search = ["nhmmsieve", "--no-provenance", "-E", "1000", "-O", "tsv"]
        want = plain(search + ["-t", "1", "mask.hmm", "mask.fa"])
        loaded = plain(search + ["-t", r.choice("238"), "-K", r.choice(("1000", "3000", "128K")), "mask.hmm", "mask.fa"])
        need(loaded == want, kind, length, "threads and batches: other rows")
        need(plain(search + ["--backend", "scalar", "mask.hmm", "mask.fa"]) == want, kind, length, "scalar: other rows")
        both = plain(search + ["masks.hmm", "mask.fa"])
        need([x for x in rows_of(both) if b"\tmasked\t" in x] == rows_of(want), kind, length, "beside another model: other rows")
        # one strand alone may have other rows than both together: the first envelope changes the model, in nhmmer too
        side = [self.r.choice(("--watson", "--crick"))]
        need(plain(search + side + ["-t", "1", "mask.hmm", "mask.fa"]) == plain(search + side + ["-K", "1000", "mask.hmm", "mask.fa"]),
             kind, length, side, "threads and batches: other rows")

    def equals(self):
        """workflows/shell/parts.sh and join.sh with odd names of files do what they do with plain ones."""
        if not os.path.exists("eq.tsv"):
            write("eq.tsv", plain(["fwdscore", "three.hmm"], plain(["vitfilt", "three.hmm"], content("rows.tsv"))))
        shell = os.path.join(TOP, "workflows", "shell")
        fresh("eq")
        odd = ["run=1.tsv", "a=b", "x="] + ["".join(self.r.choices(ODD, k=self.r.randrange(1, 6))) + "." + str(i) for i in range(3)]
        odd = [n for n in odd if not n.startswith("-")]
        names = self.r.sample(odd, 3)
        for table, files in ("t", ["p", "q"]), (names[0], names[1:]):
            shutil.copy("eq.tsv", "eq/" + table)
            p = subprocess.run(["bash", shell + "/parts.sh", "../three.hmm", table] + files, cwd="eq", stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=120)
            need(p.returncode == 0, "parts.sh", table, files, p.returncode, p.stderr)
            for f, g in zip(("p", "q"), files):
                need(os.path.exists("eq/" + g) and content("eq/" + f) == content("eq/" + g), "parts.sh", table, files, "no or another", g)
        for f in {"p", "q", *names[1:]}:
            write("eq/" + f, plain(["domscore", "three.hmm"], content("eq/" + f)))
        join = [subprocess.run(["bash", shell + "/join.sh"] + f, cwd="eq", stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
                for f in (["p", "q"], names[1:])]
        need(join[0].returncode == join[1].returncode == 0 and join[0].stdout == join[1].stdout, "join.sh", names[1:], join[1].returncode,
             join[1].stderr, len(join[1].stdout), "of", len(join[0].stdout))

    def shells(self):
        """Completions in bash and fish: options that begin so, files that are there, and no name is ever run."""
        shells = [s for s in ("bash", "fish") if shutil.which(s)]
        if not shells:
            raise Impossible("neither bash nor fish is installed")
        shell, tool = self.r.choice(shells), self.r.choice(list(OPTIONS))
        if not os.path.exists("shells"):
            os.mkdir("shells")
        script = f"{tool}.{shell}"
        if not os.path.exists(script):
            write(script, plain(["sh", TOP + "/completions/gen.sh", shell, tool, shutil.which(tool)]))
        fresh("shells")
        name = self.r.choice(("$(touch ran)", "`touch ran`", ";touch ran;")) if self.r.random() < 0.3 else ""
        name = "z" + name + "".join(self.r.choices(ODD, k=self.r.randrange(1, 6)))
        write("shells/" + name, b"")
        typed = name[:self.r.randrange(1, len(name) + 1)]
        before = self.r.choice(([], ["-o"], ["--output"], ["--threads"]))
        option = self.r.random() < 0.3
        if option:
            typed, before = self.r.choice(("--", "--o", "--st", "-", "--dry", "--$(touch ran)")), []
        if shell == "bash":
            ask = 'source "../$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}\n' \
                  'f=$(complete -p "$1" | sed "s/.*-F \\([^ ]*\\).*/\\1/"); "$f" "$1" "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"\n' \
                  'printf "%s\\0" "${COMPREPLY[@]}"'
            argv = ["bash", "-c", ask, "-", script, tool] + before + [typed]
        else:
            argv = ["fish", "-N", "-c", "source ../$argv[1]; complete -C (string join -- ' ' $argv[2..-2] (string escape -- $argv[-1]))",
                    script, tool] + before + [typed]
        p = subprocess.run(argv, cwd="shells", stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        need(p.returncode == 0 and not p.stderr, argv[4:], p.returncode, p.stderr)
        need(os.listdir("shells") == [name], argv[4:], "made files:", os.listdir("shells"))
        if shell == "bash":
            offered = [x for x in p.stdout.decode().split("\0") if x]
            known = {a for x in plain([tool, "--dump-options"]).decode().splitlines() for f in [x.split("\t")]
                     for a in ["-" + f[0]] * bool(f[0]) + ["--" + f[1]] + ["--" + f[2]] * bool(f[2])}
            want = {a for a in known if a.startswith(typed)} if option else {name}
            need(set(offered) <= want and (not option or set(offered) == want), argv[4:], offered[:5])
            plain_name = not set("'\"\\") & set(typed) and before != ["--threads"] and "=" not in typed
            need(option or not plain_name or offered == [name], argv[4:], "does not offer", name, offered)


FILES = {
    "aliases": "outputs that are inputs or other outputs, under any name", "queries_as_files": "files by query that are inputs",
    "perquery": "kill -9 while files by query are written", "ledgers": "tables that lose their ## lines: E-values",
    "masks": "models of DNA with a mask", "equals": "parts.sh and join.sh: odd names of files",
    "shells": "completions in bash and fish: odd names",
}
