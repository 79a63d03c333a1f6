#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each section of docs/spec/ that is cited anywhere exists.

    citations.py TOP FILE...

It prints "FILE:LINE: what is wrong" and at the end the number of citations. The status is 1 if one is wrong.

A citation is "NAME.md, section 9.4" or "NAME.md, sections 5.1, 5.2 and 6" with a text of docs/spec. In sources
"section 9.4", and everywhere "specification 9.4", means the text that the same file named last, or that of its
folder. In the texts PF and DOM stand for two of them. The sections of a text are its numbered headings and the items
of its numbered lists: 14.9 is item 9 of section 14.
"""
import os
import re
import sys

NUMBERS = r"\d+(?:\.\d+)*(?:(?:,| and| to|, and) \d+(?:\.\d+)*)*"
NAMED = re.compile(rf"\b([a-z][a-z-]*)\.md(?:\W{{0,3}}(?:sections? |\()({NUMBERS})|)")
PLAIN = re.compile(rf"\b(?:sections? |[Ss]pecification,? (?:section )?)({NUMBERS})(?![\d%])")
SHORT = re.compile(r"\b(PF|DOM) (\d+(?:\.\d+)*)")
NAMES = {"PF": "profile-filters", "DOM": "domains"}
FOLDERS = {"kernels/papara/": "papara", "kernels/pairhmm/": "pairhmm", "kernels/dom/": "domains", "kernels/mrf/": "mrf",
           "kernels/cast/": "build", "lib/msa/": "build", "bin/cast/": "build"}


def sections(text):
    found, at = set(), None
    for line in text.splitlines():
        heading = re.match(r"#+ (\d+(?:\.\d+)*)\b", line)
        item = re.match(r" {0,3}(\d+)\. ", line)
        if heading:
            at = heading.group(1)
            found.add(at)
        elif item and at:
            found.add(f"{at}.{item.group(1)}")
    return found


def one_line(text):
    """The same text with each line's end, and the star of a comment after it, replaced by as many blanks."""
    return re.sub(r"\n[ ]*(?:\*|//|#|> )?(?=[ ])|\n", lambda m: " " * len(m.group(0)), text)


def citations(path, text, specs):
    """(offset, name of the text, number) for each number that the file cites"""
    own = path.startswith("docs/spec/")
    default = next((n for folder, n in FOLDERS.items() if path.startswith(folder)), "profile-filters")
    if own:
        default = os.path.basename(path)[:-3]
    flat = re.sub(r" +", lambda m: " " + "\0" * (len(m.group(0)) - 1), one_line(text))
    keep = [i for i, c in enumerate(flat) if c != "\0"]
    flat = flat.replace("\0", "")
    found, last = [], default
    kinds = {"named": NAMED, "plain": PLAIN}
    if own:
        kinds["short"] = SHORT
    marks = [(m.start(), kind, m) for kind in kinds for m in kinds[kind].finditer(flat)]
    taken = set()
    for at, kind, m in sorted(marks, key=lambda mark: mark[0]):
        if kind == "named":
            if m.group(1) in specs:
                last = default if own else m.group(1)
                taken.update(range(m.start(), m.end()))
            elif not m.group(2):
                continue
            numbers, name = m.group(2) or "", m.group(1)
        elif kind == "short":
            numbers, name = m.group(2), NAMES[m.group(1)]
        elif at in taken or not (own or re.search(r"\.(c|h|cu|cuh)$", path) or "pecification" in m.group(0)):
            continue
        else:
            numbers, name = m.group(1), last
        found += [(keep[at], name, n) for n in re.findall(r"\d+(?:\.\d+)*", numbers)]
    return found


def main():
    top, files = sys.argv[1], sys.argv[2:]
    folder = os.path.join(top, "docs/spec")
    texts = [f for f in os.listdir(folder) if f.endswith(".md") and f != "README.md"]
    specs = {f[:-3]: sections(open(os.path.join(folder, f)).read()) for f in texts}
    total, wrong = 0, 0
    for path in files:
        if path == "docs/spec/README.md": # says how to cite, by examples
            continue
        try:
            text = open(os.path.join(top, path)).read()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        for at, name, number in citations(path, text, specs):
            total += 1
            if number not in specs.get(name, ()):
                wrong += 1
                file = f"docs/spec/{name}.md"
                what = f"{file} has no section {number}" if name in specs else f"there is no {file}"
                print(f"{path}:{text.count(chr(10), 0, at) + 1}: {what}")
    print(f"{total} citations")
    sys.exit(1 if wrong else 0)


main()
