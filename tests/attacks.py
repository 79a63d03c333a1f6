#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random attacks on whole programs: every -O of every tool under loads and faults, chains whose stages are killed, damaged input,
odd outputs. Prints a line "attack, tries, failures" for each; what failed goes to standard error with the seed that repeats it.

    tests/attacks.py TRIES [SEED [ATTACK...]]     programs: WARPSIEVE_BIN, or bin/
    tests/attacks.py names                        a line for each attack
"""
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

from attack_kit import FILTERS, SECONDS, TOP, Failure, Impossible, commands, content, make_data, need, plain, rows_of, run, same_text, write
from attacks_files import FILES, Files
from attacks_inputs import Inputs
from attacks_system import SYSTEM, System
from attacks_translate import TRANSLATE, Translate


SIEVES = ("hmmsieve", "seqsieve", "jacksieve")


class Attacks(Inputs, Files, System, Translate):
    def __init__(self, seed, scale):
        self.r, self.scale = random.Random(seed), scale
        self.commands = list(commands())
        self.known = {}

        self.shim = os.path.abspath("shim.so")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-O1", "-I" + TOP, "-shared", "-fPIC", "-o", self.shim,
                        os.path.join(TOP, "tests/fault/shim.c"), "-ldl"], check=True)

    def want(self, argv, name):
        key = (tuple(argv), name)
        if key not in self.known:
            self.known[key] = same_text(plain(argv, content(name)))
        return self.known[key]

    def loaded(self, argv):
        r = self.r
        more = ["--threads", str(r.choice((1, 2, 3, 8)))]
        if os.path.basename(argv[0]) != "mrfseg":
            more += ["--batch", r.choice(("1000", "3000", "20000", "128K", "1G"))]
        return argv[:1] + more + argv[1:]

    # ---- one try of each attack ----

    def loads(self):
        argv, name = self.r.choice(self.commands)
        want, argv, data = self.want(argv, name), self.loaded(argv), content(name)
        cut = sorted(self.r.randrange(len(data) + 1) for _ in range(self.r.choice((0, 1, 5, 40))))
        p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        def feed():
            try:
                for a, b in zip([0] + cut, cut + [len(data)]):
                    p.stdin.write(data[a:b])
                    p.stdin.flush()
                    time.sleep(pause.random() * 0.02)
                p.stdin.close()
            except BrokenPipeError:
                pass
        pause = random.Random(1)
        feeder = threading.Thread(target=feed)
        feeder.start()
        err = []
        reader = threading.Thread(target=lambda: err.append(p.stderr.read()))
        reader.start()
        out = p.stdout.read()
        feeder.join()
        reader.join()
        need(p.wait() == 0 and same_text(out) == want, argv, "<", name, "in", len(cut) + 1, "pieces:", p.returncode, err)

    def faults(self):
        argv, name = self.r.choice(self.commands)
        want, argv = self.want(argv, name), self.loaded(argv)
        kind = self.r.choice(("memory", "memory-on", "read", "write", "room", "close", "open", "thread", "short", "eintr", "eagain"))
        most = {"room": len(want) + 1, "close": 6, "open": 12, "thread": 8, "read": 12, "write": 12}.get(kind, 600)
        fault = kind if kind in ("short", "eintr", "eagain") else f"{kind}={self.r.randrange(1, most + 1)}"
        env = dict(os.environ, LD_PRELOAD=self.shim, WS_FAULT=fault, WS_FAULT_PIECE="3000")
        with open(name, "rb") as f, open("fault.out", "wb") as out:
            p = subprocess.run(argv, stdin=f, stdout=out, stderr=subprocess.PIPE, env=env, timeout=SECONDS)
        got = same_text(content("fault.out"))
        if p.returncode == 0:
            need(got == want, argv, "<", name, fault, "status 0, other output")
        else:
            need(p.returncode == 1 and p.stderr.count(b"\n") >= 1, argv, "<", name, fault, p.returncode, p.stderr)
            if "nii" not in argv and "packed" not in argv and argv[0] not in SIEVES: # which write the hits so far, without E-values
                need(want.startswith(got) and (argv[0] == "papara-score" and "jplace" in argv or not got or got.endswith(b"\n")),
                     argv, "<", name, fault, "left", got[-80:])

    def killed(self):
        form = self.r.choice(("tsv", "packed"))
        model, sequences = "three.hmm", "demo.fa"
        stages = [["msvfilt", "-O", form], ["vitfilt", "-O", form], ["fwdscore", "-O", form], ["domscore", "-O", "tsv"]]
        stages = [[*s[:1], "--threads", self.r.choice("12"), *s[1:], model] for s in stages[:self.r.choice((2, 3, 4))]]
        stages[-1][stages[-1].index("-O") + 1] = "tsv"
        key = tuple(s[0] for s in stages)
        if key not in self.known:
            data = content(sequences)
            for s in stages:
                data = plain(s, data)
            self.known[key] = data
        victim = self.r.randrange(len(stages) - 1)
        moment = self.r.random() * self.r.choice((0.01, 0.05, 0.2))
        running, source = [], open(sequences, "rb")
        for i, s in enumerate(stages):
            last = i + 1 == len(stages)
            p = subprocess.Popen(s, stdin=source, stdout=open("chain.out", "wb") if last else subprocess.PIPE, stderr=subprocess.DEVNULL)
            source.close()
            source = p.stdout
            running.append(p)
        time.sleep(moment)
        running[victim].send_signal(signal.SIGKILL)
        status = [p.wait(SECONDS) for p in running]
        if status[-1] == 0:
            rows = [x for x in content("chain.out").split(b"\n") if not x.startswith(b"##warpsieve")]
            need(rows == [x for x in self.known[key].split(b"\n") if not x.startswith(b"##warpsieve")],
                 key, form, "stage", victim, "killed after", moment, "status", status)

    def returns(self):
        lines = content("small.fa").split(b"\n")[:-1]
        kind = self.r.choice(("crlf", "cr", "cr-lf-end", "mixed", "one"))
        p = {"crlf": 0, "cr": 1, "cr-lf-end": 1, "mixed": self.r.random(), "one": 0}[kind]
        ends = [b"\r" if self.r.random() < p else b"\r\n" if kind != "mixed" or self.r.random() < 0.5 else b"\n" for _ in lines]
        if kind == "one":
            ends = [b"\n"] * len(lines)
            ends[self.r.randrange(len(ends))] = b"\r"
        if kind == "cr-lf-end":
            ends[-1] = b"\n"
        data = b"".join(a + b for a, b in zip(lines, ends))
        write("cr.fa", data)
        rc, out, err = run(["respack", "-O", "fasta"], data)
        want = self.want(["respack", "-O", "fasta"], "small.fa")
        need(rc == 1 and err.count(b"\n") == 1 or rc == 0 and out == want, "carriage returns,", kind, rc, err, len(out), len(want))

    def bgzf(self):
        data = content("demo.fa" if self.r.random() < 0.5 else "rows.tsv")
        blocks, at = [], 0
        while at < len(data):
            piece = data[at:at + self.r.randrange(1, 65000)]
            at += len(piece)
            blocks.append(piece)
        made = [self.block(b) for b in blocks + [b""]]
        whole = b"".join(made)
        keep = self.r.choice(("whole", "block", "byte", "end"))
        n = len(b"".join(made[:self.r.randrange(1, len(made))])) if keep == "block" else self.r.randrange(1, len(whole))
        cut = whole if keep == "whole" else b"".join(made[:-1]) if keep == "end" else whole[:n]
        rc, out, err = run(["respack", "-O", "ids", "-t", "1"], cut)
        want = plain(["respack", "-O", "ids"], data)
        good = rc == 0 and out == want if cut == whole else rc == 1 and want.startswith(out) and err
        need(good, "BGZF,", keep, n, rc, err, len(out), len(want))

    @staticmethod
    def block(piece):
        c = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = c.compress(piece) + c.flush()
        head = b"\x1f\x8b\x08\x04" + bytes(5) + b"\xff\x06\0BC\x02\0" + struct.pack("<H", len(body) + 25)
        return head + body + struct.pack("<II", zlib.crc32(piece), len(piece))

    def columns(self):
        n = self.r.choice((10, 300, 4000, 16000))
        names, text = [f"c{i}" for i in range(n)] + ["name", "seq"], []
        self.r.shuffle(names)
        for i in range(6):
            row = {"name": f"s{i}", "seq": "MKVLAAGIVGLLLAQWERTYHPLSD" * self.r.randrange(1, 9)}
            text.append("\t".join(row.get(c, str(i)) for c in names))
        data = "\n".join(["#" + "\t".join(names)] + text + ["##end rows=6"]).encode() + b"\n"
        began = time.process_time()
        rc, out, err = run(["msvfilt", "-a", "-f", "name,tlen,msv_bits", "--no-provenance", "three.hmm"], data)
        bare = "".join(f">{dict(zip(names, t.split(chr(9))))['name']}\n{dict(zip(names, t.split(chr(9))))['seq']}\n" for t in text).encode()
        want = plain(["msvfilt", "-a", "-f", "name,tlen,msv_bits", "--no-provenance", "three.hmm"], bare)
        need(rc == 0 and rows_of(out) == rows_of(want) and time.process_time() - began < 10, n, "columns:", rc, err)

    def large(self):
        if not os.path.exists("many.hmm"):
            three = content("three.hmm").split(b"NAME  ")
            write("many.hmm", b"".join(m for i in range(40) for m in [b"NAME  ".join([three[0]] + [b"x%d_" % i + t for t in three[1:]])]))
        length = self.r.choice((20000, 100000, 400000))
        seq = "".join(self.r.choices("ACDEFGHIKLMNPQRSTVWY", k=997)) * (length // 997)
        data = f">long\n{seq}\n>short\nMKVLAAGIVG\n".encode()
        tool = self.r.choice(FILTERS[:3])
        want = plain([tool, "-a", "--no-seq", "--threads", "1", "many.hmm"], data)
        limit = self.r.choice((None, 1 << 30, 400 << 20, 200 << 20))
        rc, out, err = run(self.loaded([tool, "-a", "--no-seq", "many.hmm"]), data, limit=limit)
        rows = [x for x in out.split(b"\n") if not x.startswith(b"##")]
        need(rc == 0 and out == want or rc == 1 and err and want.startswith(out), tool, "120 models x", length, rc, err, len(rows))

    def places(self):
        """Outputs of every tool at odd places: whole or refused, and nothing is lost where the command line is wrong."""
        for n in os.listdir("."):
            if n.startswith("o."):
                os.rmdir(n) if os.path.isdir(n) and not os.path.islink(n) else os.unlink(n)
        write("o.file", b"kept\n")
        os.link("o.file", "o.hard")
        os.mkdir("o.folder")
        links = ("o.dangling", "o.new"), ("o.link", "o.file"), ("o.loop", "o.loop"), ("o.far", "none/o.new"), ("o.twice", "o.dangling")
        for link, to in links:
            os.symlink(to, link)
        argv, options = self.r.choice(WRITERS)
        given = self.r.sample(options, self.r.randrange(1, len(options) + 1))
        place = {o: self.r.choice(PLACES) for o in given}
        bogus = self.r.choice(([], [], [], ["--bogus"], ["-f", "bogus"], ["--threads", "x"], ["--header", "bogus"]))
        line = argv[:1] + [x for o in given for x in ([o + "=" + place[o]] if o == "--stats" else [o, place[o]])] + bogus + argv[1:]
        read_end, write_end = os.pipe()
        os.close(write_end)
        with open("said", "wb") as out, open("said2", "wb") as err:
            stdin = self.r.choice((subprocess.DEVNULL, read_end))
            rc = subprocess.run(line, stdout=out, stderr=err, stdin=stdin, timeout=SECONDS).returncode
        os.close(read_end)
        need(rc in (0, 1, 2) and (rc or not bogus), line, rc, content("said2"))
        if rc == 2:
            made = [n for n in ("o.new", "o.other") if os.path.exists(n)]
            need(content("o.file") == b"kept\n" and not made, line, "status 2, files changed, or made:", made, content("said2"))
        if rc == 1:
            need(any(p in REFUSED for p in place.values()), line, "refused without a reason:", content("said2"))
        if rc:
            return
        for o in given:
            if o == "--stats" or place[o] in ("/dev/null", "/dev/stderr", "/dev/fd/2", "/dev/fd/0", "/dev/stdin"):
                continue
            key = ("place", tuple(argv), o)
            if key not in self.known:
                plain(argv[:1] + [o, "whole"] + argv[1:])
                self.known[key] = same_text(content("whole"))
            at = {"/proc/self/fd/1": "said", "/dev/stdout": "said", "/dev/fd/1": "said", "-": "said"}.get(place[o], place[o])
            need(os.path.isfile(at) and same_text(content(at)) == self.known[key], line, o, place[o], "is not whole")

    def sieve(self):
        """hmmsieve is ended at a random moment: without a word, whole lines."""
        number = self.r.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV))
        argv = ["hmmsieve", "--cpu", self.r.choice("13"), "-o", "sieve.out", "--tblout", "sieve.tbl", "three.hmm", "-"]

        def before():
            for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(s, signal.SIG_DFL)
        p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=before)
        feeder = threading.Thread(target=self.feed_for_ever, args=(p,))
        feeder.start()
        time.sleep(self.r.random() * self.r.choice((0.01, 0.1)))
        os.kill(p.pid, number)
        err = p.stderr.read()
        rc = p.wait(SECONDS)
        feeder.join()
        lines = [n for n in ("sieve.out", "sieve.tbl") if os.path.exists(n) and content(n) and not content(n).endswith(b"\n")]
        need(rc == -number and not err, number, rc, err)
        need(not lines, number, "half a line:", lines)

    @staticmethod
    def feed_for_ever(p):
        data = content("small.fa")
        try:
            while True:
                p.stdin.write(data)
        except BrokenPipeError:
            pass
        try:
            p.stdin.close()
        except BrokenPipeError:
            pass

    def signals(self):
        """A run that writes files is ended at a random moment: by that signal, without a word, and what is there has whole lines."""
        argv, options = self.r.choice(WRITERS)
        number = self.r.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP))
        files = {o: "sent." + o.strip("-") for o in options if o not in ("--stats", "--labels")}
        for f in files.values():
            write(f, b"")

        def before():
            for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(s, signal.SIG_DFL)
        p = subprocess.Popen(argv[:1] + [x for o in files for x in (o, files[o])] + argv[1:], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=before)
        time.sleep(self.r.random() * self.r.choice((0.01, 0.03, 0.1)))
        p.send_signal(number)
        err = p.stderr.read()
        rc = p.wait(SECONDS)
        need(rc in (0, -number) and not err, argv, number, rc, err)
        for o, f in files.items():
            got = content(f)
            need(not got or got.endswith(b"\n") or (argv[0], o) == ("papara-score", "--tree"), argv, o, number, got[-80:])

    def outputs(self):
        for n in os.listdir("."):
            if n.startswith("o."):
                os.unlink(n)
        write("o.file", b"kept\n")
        os.link("o.file", "o.hard")
        os.symlink("o.new", "o.dangling")
        os.symlink("o.file", "o.link")
        os.symlink("o.dangling", "o.twice")
        places = ["o.file", "o.hard", "o.new", "o.dangling", "o.link", "o.twice", "./o.new", "/proc/self/fd/1", "/dev/stdout", "/dev/fd/2",
                  os.path.abspath("o.new"), "o.other"]
        tool, o, u = self.r.choice(FILTERS), self.r.choice(places), self.r.choice(places)
        bogus = self.r.choice(([], [], [], ["-f", "bogus"], ["--bogus"], ["-E", "1"], ["--backend", "bogus"]))
        argv = [tool, "--quiet", "-o", o, "-U", u] + bogus + ["three.hmm", "small.fa"]
        with open("said", "wb") as out, open("said2", "wb") as err:
            rc = subprocess.run(argv, stdout=out, stderr=err, timeout=SECONDS).returncode
        if rc == 2:
            made = [n for n in ("o.new", "o.other") if os.path.exists(n)]
            need(content("o.file") == b"kept\n" and not made, argv, "status 2, files changed, or made:", made)
            return
        need(rc == 0 and not bogus, argv, rc, content("said2"))
        if ("kept", tool) not in self.known:
            kept = plain([tool, "-U", "u", "three.hmm", "small.fa"])
            self.known["kept", tool] = kept, content("u")
        for path, want in zip((o, u), self.known["kept", tool]):
            at = {"/proc/self/fd/1": "said", "/dev/stdout": "said", "/dev/fd/2": "said2"}.get(path, path)
            need(content(at) == want, argv, path, "is not whole:", len(content(at)), "of", len(want))


# Commands with several outputs, and the options that name them.
WRITERS = (
    (["msvfilt", "--quiet", "three.hmm", "small.fa"], ["-o", "-U", "--stats"]),
    (["respack", "--quiet", "-O", "fasta", "small.fa"], ["-o", "--stats"]),
    (["domscore", "three.hmm", "fwd3.wsp"], ["-o", "--tblout", "--domtblout", "-A", "--stats"]),
    (["sixframe", "--quiet", "genes.fa"], ["-o", "--stats"]),
    (["hmmsieve", "three.hmm", "small.fa"], ["-o", "--tblout", "--domtblout", "-A"]),
    (["seqsieve", "few.fa", "small.fa"], ["-o", "--tblout", "--domtblout", "-A"]),
    (["jacksieve", "-N", "2", "few.fa", "small.fa"], ["-o", "--tblout", "--domtblout", "-A"]),
    (["nhmmsieve", "made.hmm", "dna.fa"], ["-o", "--tblout", "--dfamtblout", "--stats"]),
    (["mrfseg", "--classes", "3", "--sweeps", "2", "--quiet", "slab.nii"], ["-o", "--labels", "--stats"]),
    (["papara-score", "--quiet", "ref.phy", "ref.nwk", "reads.fasta"], ["-o", "--tree", "--alignment", "-U"]),
    (["pairhmm", "--quiet", "regions"], ["-o", "--stats"]),
    (["hmmcast", "--quiet", "--no-provenance", "--amino", "families.sto"], ["-o", "-O", "--summary", "--stats"]),
)
REFUSED = ("/dev/full", "/dev/fd/7", "/proc/self/fd/3", "o.folder", "o.loop", "o.far", "none/o.new", "/dev/fd/0", "/dev/stdin")
PLACES = REFUSED + ("o.file", "o.hard", "o.new", "o.dangling", "o.link", "o.twice", "./o.new", "o.other", "/dev/null", "-", "/dev/stdout",
                    "/dev/fd/1", "/proc/self/fd/1", "/dev/stderr", "/dev/fd/2") * 2

WHAT = {
    "loads": "every -O of every tool: batches, threads, pieces of input", "faults": "every -O of every tool: faults of the system",
    "killed": "stages killed at random moments", "returns": "carriage returns in all forms", "bgzf": "BGZF cut anywhere, without its end",
    "columns": "tables of many columns", "large": "many models, long sequences, little memory",
    "outputs": "outputs: links, descriptors, files that survive misuse",
    "places": "every output option: links, descriptors, full disks, misuse",
    "spliced": "packed streams: frames dropped, doubled, moved, mixed",
    "cells": "cells of tables", "regions": "pairhmm: counts that lie, regions cut and joined",
    "placement": "papara-score: alignments, trees and reads cut, joined, changed", "shapes": "pairhmm and papara-score: extreme shapes",
    "python": "names and texts through read_table",
    "changed": "model files that change during a run",
    "ends": "##end lines: cut and joined, changed bytes",
    "orfs": "descriptions of ORFs", "volumes": "headers of volumes", "sieve": "hmmsieve, which is ended",
    "signals": "SIGINT, SIGTERM and SIGHUP while every tool writes",
} | FILES | SYSTEM | TRANSLATE


def main():
    if sys.argv[1] == "names":
        print(*WHAT, sep="\n")
        return
    tries, seed, only = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1, sys.argv[3:] or list(WHAT)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_data()
        bad = 0
        for name in only:
            failures, most, why = 0, {"large": tries // 20 + 1, "loads": 2 * tries, "shapes": tries // 4 + 1, "perquery": tries // 4 + 1,
                                      "cgroups": tries // 4 + 1, "residues": 2, "queries": 2}.get(name, tries), ""
            attacks = Attacks(seed, min(1, tries / 300))
            for n in range(most):
                attacks.r.seed(f"{seed} {name} {n}")
                attacks.n = n
                try:
                    getattr(attacks, name)()
                except Impossible as e:
                    most, why = n, f" (not here: {e})"
                    break
                except (Failure, subprocess.TimeoutExpired) as e:
                    failures += 1
                    print(f"not ok {name}, seed {seed}, try {n}: {e}", file=sys.stderr, flush=True)
            print(f"{WHAT[name]}{why}\t{most}\t{failures}", flush=True)
            bad |= failures > 0
        os.chdir("/")
    sys.exit(bad)


main()
