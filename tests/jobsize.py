#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints docs/jobsize.md: what jobs cost, by rates that tables of bench/data hold. Every figure of the page is made here.

    python3 tests/jobsize.py > docs/jobsize.md
"""
import os
import re
import statistics

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(TOP, "bench", "data")


def rows(table):
    with open(os.path.join(DATA, table), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]


def median(table, key, column, pattern=r"[0-9.]+"):
    """Returns the median of the numbers of a column, in all rows that begin with `key`. A row without one is an error."""
    found = [r for r in rows(table) if r[:len(key)] == list(key)]
    numbers = [float(n) for r in found for n in re.findall(pattern, r[column])]
    if not numbers:
        raise SystemExit(f"{table}: no row {key} with a number in column {column}")
    return statistics.median(numbers)


class Job:
    """A kind of job: its unit of work, and the seconds and bytes that measured runs took for so many units."""

    def __init__(self, title, query, target, core, device, memory, sizes):
        self.title, self.query, self.target, self.sizes = title, query, target, sizes
        # each: table, beginning of the row, column, residues, queries, and which numbers of the cell
        self.core, self.device, self.memory = core, device, memory
        self.core_rate = self.rate(*core)
        self.device_rate = self.rate(*device)

    @staticmethod
    def rate(table, key, column, residues, queries, pattern=r"[0-9.]+"):
        """Returns residues times queries in a second."""
        return residues * queries / median(table, key, column, pattern)

    def gigabytes(self, backend, queries):
        """Returns the peak of the measured run, which holds for no more models or queries than it had."""
        table, key, most = self.memory
        if queries > most: return "`--dry-run`"
        if not any(r[:2] == [key, backend] for r in rows(table)): return "not measured"
        return f"{median(table, (key, backend), 3) / 1e3:.1f}"


def name(source):
    return f"`{source[0]}`, row `{' '.join(source[1])}`"


def share_of_avx2():
    """Returns what a thread of AVX2 does of one of AVX-512, by the first guesses of the programs."""
    with open(os.path.join(TOP, "lib", "run", "policy.c"), encoding="utf-8") as f:
        guess = dict(re.findall(r'\{"(avx\w+)", \{([0-9.e]+),', f.read()))
    return float(guess["avx2"]) / float(guess["avx512"])


IN_BRACKETS = r"\((\d+)\)"
JOBS = [
    Job("Models of proteins against proteins: hmmsieve", "models", "residues of proteins",
        ("alarms-h100.tsv", ("59M", "avx512"), 3, 59e6, 1200, IN_BRACKETS),
        ("rows-h100.tsv", ("2", "p590M", "hmmsieve", "cuda"), 4, 590e6, 1200),
        ("domains-h100.tsv", "59M", 1200), [(1e-3, 20000), (1, 20000), (1, 100), (20, 20000), (100, 1000)]),
    Job("Proteins against proteins, for alignments: jacksieve -N 1 -A", "queries", "residues of proteins",
        ("alarms-h100.tsv", ("100-queries", "avx512"), 3, 1e9, 100, IN_BRACKETS),
        ("rows-h100.tsv", ("1", "queries", "jacksieve", "cuda"), 4, 1e9, 100),
        ("domains-h100.tsv", "100-queries", 100), [(1, 100), (25, 1), (25, 1000), (100, 1000)]),
    Job("Models of DNA against both strands of genomes: nhmmsieve", "models", "bases",
        ("rows-h100.tsv", ("1", "dna16x63M", "nhmmsieve", "avx512"), 5, 63e6, 16),
        ("rows-h100.tsv", ("1", "dna48x300M", "nhmmsieve", "cuda"), 4, 300e6, 48),
        ("domains-h100.tsv", "m16-300Mb", 16), [(0.005, 5), (3, 5), (3, 1000), (30, 100)]),
]


def hours(seconds):
    return "seconds" if seconds < 60 else f"{seconds / 3600:.2g}" if seconds < 36000 else f"{round(seconds / 3600):,}"


def table(job):
    print(f"## {job.title}\n")
    print(f"| G {job.target} | {job.query} | core hours | GPU hours | GB, cores alone | GB of the host, with a GPU |\n"
          "|---|---|---|---|---|---|")
    for residues, queries in job.sizes:
        work = residues * 1e9 * queries
        print(f"| {residues:g} | {queries:,} | {hours(work / job.core_rate)} | {hours(work / job.device_rate)} | "
              f"{job.gigabytes('avx512', queries)} | {job.gigabytes('cuda', queries)} |")
    print(f"\nRates, {job.query} times {job.target} a second: of a core {job.core_rate:.3g} ({name(job.core)}),\n"
          f"of a GPU {job.device_rate:.3g} ({name(job.device)}).\n"
          f"GB: `{job.memory[0]}`, rows `{job.memory[1]}`, {job.memory[2]:,} {job.query}.\n")


print(f"""# How big is my job?

`tests/jobsize.py` makes this page of rates that were measured, and each table names the rows of `bench/data` that it uses. Core hours
are processor time of an Intel Xeon with AVX-512: divide them by the cores that you have. GPU hours are those of one NVIDIA H100 with
16 such cores beside it. "seconds" is less than a minute.

Ask the program about the job at hand. `--dry-run` runs a second of it, writes nothing, and says residues, hours and memory:

    hmmsieve --dry-run models.hmm db.fa.gz

What changes these figures:

- The models of the runs are the first 1,200 of Pfam, 100 proteins of yeast, and genes and repeats. Models of twice the length take
  about twice the time.
- Relatives cost more than other sequences, since the domain stage scores each match.
- A core with AVX2 does some {100 * share_of_avx2():.0f} % of what one with AVX-512 does, by the first guesses of `lib/run/policy.c`.
- A GPU takes part of a second to open, and a few models leave it idle: small jobs do not gain from one.

The database is read as a stream, so memory does not grow with it. Memory grows with the models, and with hits, mostly with their
alignments; `--mem` bounds it. The GB are the peaks of measured runs. Where a job has more models or queries than that run, the table
refers to `--dry-run`.
""")
for job in JOBS:
    table(job)
