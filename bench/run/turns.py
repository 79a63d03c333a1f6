#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the rows of bench/rows.txt, each beside its peers in turns, and writes medians. bench/run/all.sh calls it.

A cell is a row, a program and a number of cores. All cells of a row take turns, at most RUNS times each, until a cell has
used its seconds; the processor is bound to the cell's cores. The head of the table lists each cell that was left out, with the reason."""
import argparse
import datetime
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import inputs
import rows as listing
from rows import COLUMNS, OURS

NOT_COMPARED = re.compile(rb"^(#.*|HMMER3.*|DATE .*|\s*)$")


class Programs:
    """Finds the programs of each side, and asks for their versions."""

    def __init__(self, args):
        self.folder = {OURS: os.path.join(os.path.abspath(args.build), "bin"), "HMMER": args.hmmer, "gpuPairHMM": args.gpupairhmm,
                       "MMseqs2-GPU": args.libmarv}
        self.python = args.pyhmmer
        self.said = {}

    def find(self, side, name):
        if side == "pyhmmer":
            return self.python
        folder = self.folder[side]
        found = shutil.which(name, path=os.path.abspath(folder) if folder else None) if folder or side == "HMMER" else None
        if not found:
            raise inputs.Missing(f"there is no {name} " + ("in the folder" if folder else "in the PATH, and no folder was given"))
        return found

    def version(self, side):
        if side not in self.said:
            self.said[side] = self.ask(side)
        if isinstance(self.said[side], inputs.Missing):
            raise self.said[side]
        return self.said[side]

    def ask(self, side):
        try:
            if side == OURS:
                text = self.output(self.find(side, "hmmsieve"), "--version")
                return re.search(r"\S+ (\S+)", text)[1]
            if side == "HMMER":
                version = re.search(r"# HMMER (\S+)", self.output(self.find(side, "hmmsearch"), "-h"))[1]
                return version if version == "3.4" else inputs.Missing(f"the hmmsearch found is HMMER {version}, not 3.4")
            if side == "pyhmmer":
                return self.output(self.python, "-c", "import pyhmmer; print(pyhmmer.__version__)").strip()
            return "unknown"
        except subprocess.CalledProcessError:
            return inputs.Missing(f"{self.python} has no pyhmmer (PYHMMER=PYTHON names another)")
        except inputs.Missing as e:
            return e

    @staticmethod
    def output(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def commit(self):
        return re.search(r"commit: (\S+)", self.output(self.find(OURS, "hmmsieve"), "--version"))[1]

    def backends(self):
        """Returns the best backend of the processor, and whether a GPU answers."""
        lines = [line.split("\t") for line in self.output(self.find(OURS, "hmmsieve"), "--list-backends").splitlines()[1:]]
        usable = [name for name, yes, *_ in lines if yes == "yes"]
        return next(b for b in usable if not b.startswith("cuda")), "cuda" in usable


class Cell:
    def __init__(self, row, program, spec, threads, gpu, backend):
        self.row, self.program, self.threads, self.gpu = row, program, threads, gpu
        self.backend = ("auto" if gpu else backend) if program == OURS else "gpu" if gpu else "-"
        self.wall, self.processor, self.same, self.template = [], [], "-", row["programs"][program][1]
        self.name = f"{row['name']}, {program}, {'GPU' if gpu else spec if threads == 0 else threads}"

    def command(self, programs, made, out, python):
        """The command as a list, with the paths of programs and inputs; raises Missing."""
        words = []
        for part in self.template.split(" | "):
            first, *rest = shlex.split(part)
            words += [*(["|"] if words else []), python if first == "python3" else programs.find(self.program, first)]
            for w in rest:
                words.append(re.sub(r"@(\w+)", lambda m: self.value(m[1], made, out), w))
        if "|" not in words:
            return words
        return ["bash", "-o", "pipefail", "-c", " ".join(w if w == "|" else shlex.quote(w) for w in words)]

    def value(self, name, made, out):
        if name == "t":
            return "0" if self.program == "HMMER" and self.threads == 1 else str(self.threads)
        return {"b": self.backend, "o": out, "here": listing.HERE}.get(name) or made.get(name)

    def run(self, command, cores, limit):
        """Runs it once, bound to its cores; returns a sentence if it failed."""
        everything = os.sched_getaffinity(0)
        os.sched_setaffinity(0, everything if self.gpu else set(cores[:self.threads]))
        null = os.open(os.devnull, os.O_RDWR)
        try:
            with tempfile.TemporaryFile() as said:
                files = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, said.fileno(), 2)]
                began = time.monotonic() # not by subprocess, whose fork counts 0.05 s of its own
                pid = os.posix_spawnp(command[0], command, os.environ, file_actions=files, setpgroup=0)
                signal.signal(signal.SIGALRM, lambda *_: os.killpg(pid, signal.SIGKILL))
                signal.alarm(limit)
                _, status, used = os.wait4(pid, 0)
                wall = time.monotonic() - began
                signal.alarm(0)
                if wall >= limit:
                    return f"took over {limit} s"
                if status:
                    said.seek(0)
                    words = said.read().decode(errors="replace").strip().splitlines() or ["no message"]
                    return f"status {os.waitstatus_to_exitcode(status)}: {words[-1]}"
        finally:
            os.close(null)
            os.sched_setaffinity(0, everything)
        self.wall.append(wall)
        self.processor.append(used.ru_utime + used.ru_stime)
        return None

    def line(self, commit, version):
        return [self.row["name"], self.program, str(self.threads), self.backend, f"{statistics.median(self.wall):.3f}",
                f"{statistics.median(self.processor):.3f}", str(len(self.wall)), self.same, commit, version]


def rows_of(path):
    """Returns the lines of a program's table, without blanks that only fill and without lines that name the run."""
    with open(path, "rb") as f:
        return [b" ".join(line.split()) for line in f.read().splitlines() if not NOT_COMPARED.match(line)]


def processor_model():
    with open("/proc/cpuinfo") as f:
        said = dict(re.findall(r"^(vendor_id|cpu family|model|model name)\s*: (.*)$", f.read(), re.M))
    family, model = int(said.get("cpu family", 0)), int(said.get("model", 0))
    if said.get("vendor_id") == "AuthenticAMD":
        zen = {23: "zen2" if model >= 49 else "zen", 25: "zen4" if 16 <= model <= 31 or model >= 96 else "zen3", 26: "zen5"}
        return zen.get(family, f"amd-{family}-{model}"), said["model name"]
    intel = {85: "cascadelake", 106: "icelake", 143: "sapphirerapids", 207: "emeraldrapids", 173: "graniterapids"}
    return intel.get(model, f"cpu-{family}-{model}"), said.get("model name", "unknown")


def device():
    """Returns the name of the first GPU, or None."""
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], check=True, capture_output=True,
                              text=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def busy():
    """Returns seconds that the cores of this process have worked, and seconds of this process with its children."""
    mine = {f"cpu{n}" for n in os.sched_getaffinity(0)}
    with open("/proc/stat") as f:
        ticks = sum(int(x) for name, *numbers in map(str.split, f) if name in mine for x in numbers[:3])
    t = os.times()
    return ticks / os.sysconf("SC_CLK_TCK"), t.user + t.system + t.children_user + t.children_system


class Bench:
    def __init__(self, args, programs, made):
        self.args, self.programs, self.made = args, programs, made
        self.cores = sorted(os.sched_getaffinity(0))
        self.backend, self.gpu = programs.backends()
        self.began, self.left_out, self.failed, self.slow = time.monotonic(), [], False, set()
        self.out = os.path.join(made.folder, "out")
        self.at = busy()

    def others(self, before):
        """Returns how many cores were busy with other work since the beginning, or before, as a line of the head."""
        seconds = time.monotonic() - self.began
        all_work, own = (b - a for a, b in zip(self.at, busy()))
        cores = max(before, 0.0 if self.args.idle else (all_work - own) / seconds)
        return f"others: {cores:.2f} cores busy with other work, on average over {seconds:.0f} s"

    def leave_out(self, what, why):
        self.left_out.append(f"{what}: {why}")
        print(f"left out: {what}: {why}", file=sys.stderr)

    def late(self):
        return f"the {self.args.minutes:g} minutes were over"

    def over(self):
        return time.monotonic() - self.began > 60 * self.args.minutes

    def save(self, path, head, lines, left, before, listed):
        """Writes the table, with all that was left out, in the order of bench/rows.txt."""
        order = list(listed)
        lines = sorted(lines, key=lambda line: order.index(line[0]) if line[0] in order else len(order))
        write(path, [*head, self.others(before), *(f"left out: {text}" for text in left + self.left_out)], lines)

    def cells(self, row):
        """The cells of a row that can run, each with its command."""
        found = []
        for program, (specs, _) in row["programs"].items():
            numbers = {}
            for spec in specs:
                threads = len(self.cores) if spec in ("all", "gpu") else int(spec)
                if spec == "gpu" and (program in ("HMMER", "pyhmmer") or not self.args.device):
                    continue # HMMER has no GPU
                if threads <= len(self.cores):
                    numbers[spec == "gpu", threads] = spec
            try:
                self.programs.version(program)
                for (gpu, threads), spec in sorted(numbers.items()):
                    if gpu and not self.gpu and program == OURS:
                        raise inputs.Missing("no GPU answers")
                    cell = Cell(row, program, spec, threads, gpu, self.backend)
                    series = row["name"].rsplit("-", 1)[0]
                    if (series, program, gpu, threads) in self.slow:
                        self.leave_out(cell.name, "a smaller row of the series came near the limit")
                        continue
                    out = f"{self.out}.{len(found)}"
                    found.append((cell, cell.command(self.programs, self.made, out, self.programs.python), out))
            except inputs.Missing as e:
                self.leave_out(f"{row['name']}, {program}", e)
        return found

    def row(self, row):
        """Runs the cells of a row in turns; returns lines of the table."""
        cells = self.cells(row)
        turning = list(cells)
        for turn in range(self.args.runs):
            for cell in list(turning):
                c, command, out = cell
                spent = sum(c.wall)
                if self.over() or (c.wall and spent + spent / len(c.wall) > self.args.cell):
                    continue
                if self.args.verbose and not turn:
                    print(shlex.join(command), file=sys.stderr)
                wrong = c.run(command, self.cores, self.args.limit)
                if wrong:
                    turning.remove(cell)
                    if c.wall and wrong.startswith("took"): # a slow moment of the machine: what was measured before stays
                        continue
                    self.leave_out(c.name, wrong)
                    self.failed = self.failed or not wrong.startswith("took")
                    cells.remove(cell)
                if "size" in row and (wrong or max(c.wall) > self.args.limit / 4.2): # the next one has four times the size
                    self.slow.add((row["name"].rsplit("-", 1)[0], c.program, c.gpu, c.threads))
        for c, _, _ in cells:
            if not c.wall:
                self.leave_out(c.name, self.late())
        self.compare(cells)
        return [c.line(self.args.commit, self.programs.version(c.program)) for c, _, _ in cells if c.wall]

    def compare(self, cells):
        """Notes whether each program found what the row's first one did."""
        first = None
        for c, _, out in cells:
            if "@o" not in c.template or not os.path.exists(out):
                continue
            found = rows_of(out)
            first = found if first is None else first
            c.same = "yes" if found == first else "no"
            os.remove(out)


def write(path, head, lines):
    """Puts the table there, whole or not at all."""
    with open(path + ".part", "w") as f:
        f.writelines(f"# {line}\n" for line in head)
        f.write("#" + "\t".join(COLUMNS) + "\n")
        f.writelines("\t".join(line) + "\n" for line in lines)
    os.replace(path + ".part", path)


def kept_lines(path, commit):
    """Returns the lines of an earlier call of the same commit, what it left out, and how many cores others had."""
    if not os.path.exists(path):
        return [], [], 0.0
    head, found = listing.measured(path)
    if head.get("commit") != [commit]:
        return [], [], 0.0
    return [[r[c] for c in COLUMNS] for r in found], head.get("left out", []), float(head["others"][0].split()[0])


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--device", action="store_true", help="also the cells with a GPU")
    p.add_argument("--build", default=os.path.dirname(listing.HERE), help="the folder whose bin has our programs")
    p.add_argument("--hmmer", help="the folder of HMMER 3.4's programs, else those of the PATH")
    p.add_argument("--pyhmmer", default=sys.executable, help="a python3 that has pyhmmer")
    p.add_argument("--libmarv", help="the folder of MMseqs2-GPU's align and makedb")
    p.add_argument("--gpupairhmm", help="the folder of gpuPairHMM")
    p.add_argument("--pfam", help="a file of Pfam's models, text or binary")
    p.add_argument("--data", help="the folder of real data")
    p.add_argument("--rows", default="", help="these rows, separated by commas; size stands for all of size-NUMBER")
    p.add_argument("--runs", type=int, default=5, help="turns at most [5]")
    p.add_argument("--cell", type=float, default=60, help="seconds that a cell may use before it sits out [60]")
    p.add_argument("--limit", type=int, default=60, help="seconds for one run [60]")
    p.add_argument("--minutes", type=float, default=39, help="no run begins later [39]")
    p.add_argument("--idle", action="store_true", help="nothing else runs, whatever /proc/stat says: seconds by the clock hold")
    p.add_argument("--machine", help="the name of the kind of machine, for the file's name")
    p.add_argument("--verbose", action="store_true", help="print each command")
    p.add_argument("out", help="the folder for current-MACHINE.tsv")
    return p.parse_args()


def main():
    args = arguments()
    listed = listing.listed()[0]
    wanted = [r for r in args.rows.split(",") if r]
    unknown = [w for w in wanted if w not in listed and w not in {r.rsplit("-", 1)[0] for r in listed}]
    if unknown:
        sys.exit(f"turns.py: there is no row {unknown[0]}; there are {' '.join(listed)}")
    chosen = [r for n, r in listed.items() if not wanted or n in wanted or n.rsplit("-", 1)[0] in wanted]
    programs = Programs(args)
    args.commit = programs.commit()
    kind, processor = processor_model()
    gpu = device() if args.device else None
    gpu_kind = (re.search(r"[A-Z]+[0-9]+|$", gpu)[0] or "gpu").lower() if gpu else None
    cores = len(os.sched_getaffinity(0))
    machine = args.machine or f"{gpu_kind or kind}-{cores}core"
    with tempfile.TemporaryDirectory() as folder:
        made = inputs.Inputs(folder, args.data, programs, args.pfam)
        bench = Bench(args, programs, made)
        path = os.path.join(args.out, f"{'demo' if made.demo else 'current'}-{machine}.tsv")
        head = ["The rows of bench/rows.txt by bench/run/all.sh: medians of programs that took turns", f"machine: {machine}",
                f"processor: {processor}, {cores} cores", *([f"GPU: {gpu}"] if gpu else []), f"date: {datetime.date.today()}",
                f"commit: {args.commit}"]
        if made.demo:
            head.append("data: the demo of tests/data again and again, since the folder of real data was not there")
        kept, left, before = kept_lines(path, args.commit)
        older = {line[0] for line in kept}
        for row in chosen:
            if bench.over():
                bench.leave_out(row["name"], bench.late())
                continue
            got = bench.row(row)
            kept = [line for line in kept if line[0] != row["name"]] + got
            left = [text for text in left if text.split(",")[0].split(":")[0] != row["name"]]
            older.discard(row["name"])
            for line in got:
                print("\t".join(line[:8]), flush=True)
            bench.save(path, head, kept, left, before if older else 0.0, listed)
    bench.save(path, head, kept, left, before if older else 0.0, listed)
    print(path)
    sys.exit(bench.failed)


if __name__ == "__main__":
    main()
