#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks by the system and by size: a fake device that fails, limits of cgroups, 10^9 residues, 10^5 queries. Each method is one try;
self.r is its random source, self.n the number of the try, self.scale (at most 1) makes the sizes smaller."""
import os
import random

import subprocess
import threading

from attack_kit import SECONDS, Impossible, content, need, plain, same_text, write

CGROUPS = "/sys/fs/cgroup"
ON_DEVICE = ("ssvfilt", "msvfilt", "vitfilt", "fwdscore", "hmmsieve", "seqsieve", "jacksieve", "nhmmsieve", "pairhmm", "papara-score",
             "mrfseg")


def fed(argv, pieces):
    """Runs a command whose input are pieces; returns status, output, messages and the most KiB that it had in memory."""
    p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def feed():
        try:
            for x in pieces:
                p.stdin.write(x)
            p.stdin.close()
        except BrokenPipeError:
            pass
    said = []
    threads = [threading.Thread(target=feed), threading.Thread(target=lambda: said.append(p.stderr.read()))]
    for t in threads:
        t.start()
    out = p.stdout.read()
    for t in threads:
        t.join()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode, out, said[0], used.ru_maxrss


def cells(table):
    return [x.split() for x in table.decode().splitlines() if x and not x.startswith("#")]


class System:
    def device(self):
        """Every -O of every tool on a fake device, a call of which fails: the bytes of a run without the fault, or a sentence."""
        folder = os.environ.get("WARPSIEVE_FAULTY")
        if not folder:
            raise Impossible("built without CUDA")
        argv, name = self.r.choice([c for c in self.commands if c[0][0] in ON_DEVICE])
        argv = self.loaded([os.path.join(folder, argv[0]), "--backend", "cuda"] + argv[1:])
        fakes = self.r.choice("12")
        argv[1:1] = ["--device", self.r.choice(("0", "0", "all"))]
        free = dict(os.environ, WS_FAULT_FAKE=fakes)
        with open(name, "rb") as f:
            p = subprocess.run(argv, stdin=f, capture_output=True, env=free, timeout=SECONDS)
        need(p.returncode == 0, argv, "without a fault:", p.returncode, p.stderr)
        want = p.stdout
        fault = f"{self.r.choice(('device-memory', 'pinned', 'lost', 'launch', 'gone', 'call'))}={self.r.randrange(1, 200)}"
        with open(name, "rb") as f:
            p = subprocess.run(argv, stdin=f, capture_output=True, env=dict(free, WS_FAULT=fault), timeout=SECONDS)
        if p.returncode == 0:
            need(same_text(p.stdout) == same_text(want), argv, "<", name, fault, "status 0, other output")
        else:
            need(p.returncode == 1 and p.stderr.count(b"\n") >= 1, argv, "<", name, fault, p.returncode, p.stderr)

    def cgroups(self):
        """Every -O of every tool in a cgroup of little memory, few threads, part of a core: the bytes of a free run, or a sentence."""
        kind = self.r.choice(("memory", "pids", "cpu"))
        group, limits = self.group(kind)
        argv, name = self.r.choice(self.commands)
        want, argv, data = self.want(argv, name), self.loaded(argv), content(name)
        try:
            for file, value in limits:
                with open(os.path.join(group, file), "w") as f:
                    f.write(value)
            members = os.path.join(group, "cgroup.procs")
            p = subprocess.run(["sh", "-c", 'echo $$ >"$0" && exec "$@"', members] + argv, input=data, capture_output=True, timeout=SECONDS)
        finally:
            os.rmdir(group)
        good = p.returncode == 0 and same_text(p.stdout) == want or p.returncode == 1 and p.stderr.count(b"\n") >= 1
        need(good, argv, "<", name, limits, p.returncode, p.stderr, len(p.stdout))

    def group(self, kind):
        """Makes a cgroup of this kind; returns its folder, and its limits as files and values."""
        size, threads, share = self.r.choice((96, 128, 256, 512)) << 20, self.r.choice((1, 2, 4, 9)), self.r.choice((20000, 60000, 150000))
        old = os.path.isdir(os.path.join(CGROUPS, "memory"))
        place = os.path.join(CGROUPS, kind) if old else CGROUPS
        limits = {"memory": [("memory.limit_in_bytes" if old else "memory.max", str(size))], "pids": [("pids.max", str(threads))],
                  "cpu": [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", str(share))] if old else [("cpu.max", f"{share} 100000")]}
        group = os.path.join(place, f"attack-{os.getpid()}")
        try:
            os.mkdir(group)
            if not all(os.access(os.path.join(group, f), os.W_OK) for f, _ in limits[kind]):
                os.rmdir(group)
                raise OSError(f"{group} has no {kind} to set")
        except OSError as e:
            raise Impossible(f"no cgroup: {e.strerror or e}")
        return group, limits[kind]

    def residues(self):
        """10^9 residues of noise around known ones: what is known is found as it is alone, in bounded memory, and all is counted."""
        noise, dna = random.Random(7), self.n == 1
        blocks = max(1, int(1e9 * self.scale) >> 20)
        letters = "".join(noise.choices("ACGT" if dna else "ACDEFGHIKLMNPQRSTVWY", k=1 << 20))
        width, head = (64, "") if dna else (1024, ">noise\n")
        block = "".join(head + letters[i:i + width] + "\n" for i in range(0, 1 << 20, width)).encode()
        known = content("genome.fa" if dna else "demo.fa")
        bare = b"".join(x for x in known.split(b"\n") if not x.startswith(b">"))
        first, known = (b">one\n", bare + b"\n") if dna else (b"", known)
        search = ["--noali", "-Z", "1", "-T", "25", "--tblout", "found"]
        search = ["nhmmsieve"] + search + ["made.hmm", "-"] if dna else ["hmmsieve"] + search + ["demo.hmm", "-"]
        rc, _, err, _ = fed(search, [first + known])
        need(rc == 0, search, rc, err)
        alone = cells(content("found"))
        need(len(alone) >= 3, len(alone), "known hits")
        before = blocks // 2
        rc, out, err, kib = fed(search, (first if i < 0 else known if i == before else block for i in range(-1, blocks + 1)))
        need(rc == 0, search, "in noise:", rc, err)
        found, total = cells(content("found")), (blocks << 20) + len(bare)
        if dna:
            shifted = [[str(int(x[i]) + (before << 20)) for i in range(6, 10)] + [str(total)] + x[11:15] for x in alone]
            need([x[6:15] for x in found] == shifted, "found", found, "of", shifted)
        else:
            need([x[:9] for x in found] == [x[:9] for x in alone], "found", len(found), "of", len(alone))
            need(b"(%d residues searched)" % total in out, total, "residues were not counted:", out[-900:])
        need(kib < 600 << 10, kib, "KiB of memory")

    def queries(self):
        """10^5 queries, models or sequences under many names: each has the rows of the one, in their order, in bounded memory."""
        count = max(10, int(1e5 * self.scale))
        if self.n == 0:
            write("motif.afa", b">a\nMKWVTFISLLFLFSSAYSRG\n>b\nMKWVTFISLAFLFSSAYSKG\n")
            model = plain(["hmmcast", "--no-provenance", "--amino", "--informat", "afa", "-n", "NAMED", "motif.afa"])
            parts = model.split(b"NAMED")
            need(len(parts) == 2, "names in the model:", len(parts) - 1)
            with open("many-queries.hmm", "wb") as f:
                for i in range(count):
                    f.write(parts[0] + b"q%d" % i + parts[1])
            search = ["hmmsieve", "--mem", "256M", "--noali", "-o", "/dev/null", "--tblout", "found", "--max", "-E", "1e9"]
            queries = "many-queries.hmm"
        else:
            with open("many-queries.fa", "wb") as f:
                for i in range(count):
                    f.write(b">q%d\nMKWVTFISLLFLFSSAYSRG\n" % i)
            search = ["seqsieve", "--mem", "256M", "--noali", "-o", "/dev/null", "--tblout", "found", "--max", "-E", "1e9",
                      "--EmN", "10", "--EvN", "10", "--EfN", "50", "--EmL", "20", "--EvL", "20", "--EfL", "20"]
            queries = "many-queries.fa"
        write("motif.fa", b">a\nMKWVTFISLLFLFSSAYSRG\n>b\nMKWVTFISLAFLFSSAYSRGAAAA\n")
        rc, _, err, kib = fed(search + [queries, "motif.fa"], [])
        need(rc == 0, search, rc, err)
        rows, first, name = 0, None, 2 # the column of the query
        with open("found") as f:
            for line in f:
                if line.startswith("#"):
                    continue
                x = line.split()
                first = first or x[:name] + x[name + 1:]
                need(x[name] == f"q{rows // 2}", "row", rows, "is of", x[name])
                if rows % 2 == 0:
                    need(x[:name] + x[name + 1:] == first, "row", rows, "is another:", x, first)
                rows += 1
        need(rows == 2 * count, rows, "rows of", count, "queries")
        need(kib < (512 << 10) + 20 * count, kib, "KiB of memory") # models take most of it, which --mem does not bound there
        for n in (queries, "found"):
            os.unlink(n)


SYSTEM = {
    "device": "every -O of every tool: a fake device that fails", "cgroups": "every -O of every tool: limits of cgroups",
    "residues": "10^9 residues, of proteins and of one record of DNA", "queries": "10^5 queries, models and sequences",
}
