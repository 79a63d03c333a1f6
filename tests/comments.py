#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the comments that name no actor (CONTRIBUTING.md, "Words"), for tests/style.sh.

    tests/comments.py FILE...

A sentence of a comment must not begin with What, Who or Of: it then has no main clause. No line of a file may hold one of
the pronouns below, since they hide which program, thread, function or user acts.
"""
import re
import sys

C_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)
SCRIPT = re.compile(r'(?:^|(?<=\s))#[^\n]*|""".*?"""', re.S | re.M)
HEADLESS = re.compile(r"(?:^|[.:;!?] )(?:What|Who|Of) ")
NOT_TEXT = re.compile(r"[\s*/#\"]+|SPDX-License-Identifier: MIT")
PRONOUN = re.compile(r"(?<![=\w])(?:no|some|any)body\b|\bwhoever\b", re.I)


def comments(path, text):
    """Returns (line, text) for each comment. Line comments that follow one another are one."""
    if not re.search(r"\.(c|h|cu|cuh)$", path):
        found = list(SCRIPT.finditer(text))
    else:
        found = [m for m in C_TOKEN.finditer(text) if m[0][0] == "/"]
    out = []
    for m in found:
        line = text.count("\n", 0, m.start()) + 1
        if m[0][0] in "/#" and m[0][:2] != "/*" and out and out[-1][0] + out[-1][2] == line and not out[-1][3]:
            out[-1][1] += " " + m[0].lstrip("/# ")
            out[-1][2] += 1
        else:
            out.append([line, m[0], 1 + m[0].count("\n"), m[0][:2] == "/*" or m[0][0] == '"'])
    return [(line, NOT_TEXT.sub(" ", body).strip()) for line, body, *_ in out]


def main():
    own = [re.compile(p) for p in (r"tests/comments\.py$",)]
    for path in sys.argv[1:]:
        if any(p.search(path) for p in own):
            continue
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        for number, line in enumerate(text.split("\n"), 1):
            for m in PRONOUN.finditer(line):
                print(f"{path}:{number}: {m[0]}: {line.strip()[:80]}")
        if path.endswith((".md", ".mdoc")) or re.search(r"\.[1-9]$", path):
            continue
        for line, body in comments(path, text):
            for m in HEADLESS.finditer(body):
                print(f"{path}:{line}: {body[m.start():m.start() + 80].lstrip('.:;!? ')}")


main()
