#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fills the tables between <!-- bench: NAME --> and <!-- end --> from bench/data/current-MACHINE.tsv (make bench-tables).

    tables.py [--check] [--data FOLDER] PAGE...

bench/rows.txt says which rows and columns a table has. <!-- bench: NAME MACHINE --> wants that machine, otherwise the one
that has most of the table's figures. --check writes nothing, prints what differs, and fails if anything does. Where other
work ran beside the measurement, a table has processor seconds, as its last line says."""
import argparse
import difflib
import glob
import os
import re
import sys

import rows as listing
from rows import OURS

MARKS = re.compile(r"(<!-- bench: ([a-z0-9-]+)(?: ([a-z0-9-]+))? -->\n)(.*?)(<!-- end -->)", re.S)
BUSY = 0.05 # of all cores: what others may use before seconds by the clock mean nothing


class Machine:
    """Keeps the figures of one machine."""

    def __init__(self, path):
        self.head, found = listing.measured(path)
        self.name, self.processor = self.head["machine"][0], self.head["processor"][0]
        self.cores = int(re.search(r"(\d+) cores", self.processor)[1])
        others = float(self.head["others"][0].split()[0])
        self.busy = others > BUSY * self.cores
        self.figure, self.versions = {}, {}
        for r in found:
            column = "gpu" if r["backend"] in ("auto", "gpu") else int(r["threads"])
            self.figure[r["row"], r["program"], column] = float(r["processor" if self.busy else "seconds"])
            self.versions[r["program"]] = r["version"]

    def columns(self, rows, programs):
        """Numbers of cores for which the first of the programs was measured, and "gpu"."""
        found = {c for r, p, c in self.figure if r in rows and p == programs[0]}
        return sorted(c for c in found if c != "gpu") + ["gpu"] * ("gpu" in found)


def seconds(x):
    return f"{x:.3f}" if x < 0.1 else f"{x:.2f}" if x < 1 else f"{x:.1f}" if x < 100 else f"{x:.0f}"


def cell(machine, row, programs, column):
    """The seconds of all programs; a peer that was faster with fewer threads says so."""
    found = []
    for p in programs:
        x = machine.figure.get((row, p, column))
        text = "-" if x is None else seconds(x)
        if x is not None and p != OURS and column != "gpu":
            fewer = [(y, c) for (r, q, c), y in machine.figure.items() if (r, q) == (row, p) and c != "gpu" and c < column]
            if fewer and not machine.busy and min(fewer)[0] < 0.95 * x:
                text += f" ({seconds(min(fewer)[0])} on {min(fewer)[1]})"
        found.append(text)
    while len(found) > 1 and found[-1] == "-":
        found.pop()
    return "" if found == ["-"] else " / ".join(found).replace(" ", "\u00a0") # a figure and its peer's stay on one line


def program_link(program, base):
    return f"[`{program}`]({os.path.relpath(os.path.join('man', program + '.1'), base)})"


def commands(rows):
    """A list of our commands, with the names of inputs in place of their paths, without threads and backend."""
    lines = ["| row | command |", "|---|---|"]
    for row in rows:
        text = re.sub(r"@(\w+)", lambda m: m[1].upper(), row["programs"][OURS][1]).replace("|", "\\|")
        text = re.sub(r" -[tj] T\b| --backend B\b", "", text)
        lines.append(f"| {row['name']} | `{text}` |")
    return lines


def table(spec, listed, machine, base):
    """The lines of a table; `base` is the folder of its page."""
    names = list(listed) if spec["rows"] == "*" else spec["rows"].split()
    rows = [listed[n] for n in names]
    columns = spec["columns"].split()
    if "commands" in columns:
        return commands(rows)
    programs = spec["beside"].split()
    cores = machine.columns(names, programs)
    heads = {"for": "in place of", "page": "write", "question": "for example" if "page" in columns else "question"}
    head = [heads[c] for c in columns if c != "cores"]
    head += ["with a GPU" if c == "gpu" else "1 core" if c == 1 else f"{c} cores" for c in cores]
    lines, without = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)], []
    for row in rows:
        figures = [cell(machine, row["name"], programs, c) for c in cores]
        if not any(figures):
            without.append(row["question"])
            continue
        words = {"for": f"`{row['for']}`" if "for" in row else "", "page": program_link(row["page"], base), "question": row["question"]}
        lines.append("| " + " | ".join([words[c] for c in columns if c != "cores"] + figures) + " |")
    missing = [f"Not measured on `{machine.name}`: {'; '.join(without)}."] if without else []
    if len(lines) == 2:
        return missing
    return [*lines, "", caption(machine, programs), *([""] if missing else []), *missing]


def caption(machine, programs):
    """Says what the figures are, and of which machine; the table of machines says more."""
    kind = "Processor seconds, since other work ran beside" if machine.busy else "Seconds by the clock"
    known = [p for p in programs if p in machine.versions]
    sides = [p if p == OURS or machine.versions[p] == "unknown" else f"{p} {machine.versions[p]}" for p in known]
    return f"{kind}: {' / '.join(sides)}, on `{machine.name}`."


def machine_list(machines):
    """A line for each machine: its processor, its GPU, commit, date, and the cores that other work had."""
    lines = ["| machine | processor | GPU | commit | date | cores busy with other work |", "|---|---|---|---|---|---|"]
    for m in machines:
        gpu, others = m.head.get("GPU", [""])[0], m.head["others"][0].split()[0]
        lines.append(f"| `{m.name}` | {m.processor} | {gpu} | {m.head['commit'][0]} | {m.head['date'][0]} | {others} |")
    return lines


class Tables:
    def __init__(self, data):
        self.listed, self.tables = listing.listed()
        self.machines = [Machine(p) for p in sorted(glob.glob(os.path.join(data, "current-*.tsv")))]

    def machine(self, spec, wanted):
        if wanted:
            found = [m for m in self.machines if m.name == wanted]
            if not found:
                raise listing.Listed(f"there is no current-{wanted}.tsv")
            return found[0]
        if not self.machines:
            raise listing.Listed("there is no current-MACHINE.tsv: run bench/run/all.sh")
        rows = spec["rows"].split()
        return max(self.machines, key=lambda m: sum(r in rows for r, _, _ in m.figure))

    def filled(self, page):
        """Returns the text of a page as it is, and with its tables filled."""
        with open(page, encoding="utf-8") as f:
            text = f.read()
        base = "bench" if os.path.basename(os.path.dirname(os.path.abspath(page))) == "bench" else "."

        def fill(m):
            if m[2] not in self.tables:
                raise listing.Listed(f"{page}: bench/rows.txt has no table {m[2]}; it has {' '.join(self.tables)}")
            spec = self.tables[m[2]]
            if spec["columns"] == "machine":
                lines = machine_list(self.machines)
            else:
                lines = table(spec, self.listed, self.machine(spec, m[3]), base)
            return m[1] + "\n".join(lines) + "\n" + m[5]
        return text, MARKS.sub(fill, text)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", action="store_true")
    p.add_argument("--data", default=os.path.join(listing.HERE, "data"))
    p.add_argument("page", nargs="+")
    args = p.parse_args()
    tables, differ = Tables(args.data), False
    for page in args.page:
        text, new = tables.filled(page)
        if args.check:
            lines = list(difflib.unified_diff(text.splitlines(), new.splitlines(), page, "what the tables give", lineterm="", n=0))
            print("\n".join(lines), end="\n" if lines else "")
            differ = differ or bool(lines)
        elif text != new:
            with open(page + ".part", "w", encoding="utf-8") as f:
                f.write(new)
            os.replace(page + ".part", page)
            print(page)
    sys.exit(differ)


if __name__ == "__main__":
    try:
        main()
    except listing.Listed as e:
        sys.exit(f"tables.py: {e}")
