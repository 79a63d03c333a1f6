# SPDX-License-Identifier: MIT
"""Reads bench/rows.txt, and the tables bench/data/current-MACHINE.tsv that were measured by it."""
import os
import re

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = "warpsieve"
COLUMNS = ["row", "program", "threads", "backend", "seconds", "processor", "runs", "same", "commit", "version"]
KEYS = {"row": ("question", "for", "page", "threads", "size"), "table": ("rows", "columns", "beside")}


class Listed(Exception):
    """Says where a file is wrong, and how."""


def listed(path=os.path.join(HERE, "rows.txt")):
    """Returns rows and tables, each a dictionary by name. A row's "programs" are pairs of its threads and its command."""
    found = {"row": {}, "table": {}}
    block = last = None
    with open(path, encoding="utf-8") as f:
        for n, line in enumerate(f, 1):
            word, _, rest = line.strip().partition(" ")
            program = re.match(r"([A-Za-z0-9-]+)(?: \[([^]]*)\])?: (.*)", line)
            if not word or word.startswith("#"):
                continue
            if line[0] == " " and last:
                block["programs"][last] = (block["programs"][last][0], block["programs"][last][1] + " " + line.strip())
            elif word in found:
                block = found[word][rest] = {"name": rest, "kind": word, "programs": {}}
            elif block and word in KEYS[block["kind"]]:
                block[word] = rest
            elif block and block["kind"] == "row" and program:
                last = program[1]
                block["programs"][last] = ((program[2] or block["threads"]).split(), program[3])
            else:
                raise Listed(f"{path}:{n}: neither a key nor PROGRAM: COMMAND: {line.strip()}")
    return found["row"], found["table"]


def measured(path):
    """Returns the head of a table, a dictionary, and its rows, dictionaries by COLUMNS."""
    head, rows = {}, []
    with open(path, encoding="utf-8") as f:
        for n, line in enumerate(f.read().splitlines(), 1):
            cells = line.split("\t")
            if line.startswith("# ") and ": " in line:
                key, _, value = line[2:].partition(": ")
                head.setdefault(key, []).append(value)
            elif line.startswith("#row\t"):
                if cells != ["#row", *COLUMNS[1:]]:
                    raise Listed(f"{path}:{n}: the columns are {cells}, expected {COLUMNS}")
            elif not line.startswith("#"):
                if len(cells) != len(COLUMNS):
                    raise Listed(f"{path}:{n}: {len(cells)} columns, expected {len(COLUMNS)}")
                rows.append(dict(zip(COLUMNS, cells)))
    return head, rows
