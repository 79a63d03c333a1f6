#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the time of a search over the size of the database, from the rows size-N of bench/data/current-MACHINE.tsv:

    plot.py [--check] [--data FOLDER] bench/sizes.svg

One picture for light and dark pages: the SVG asks what the reader prefers. The same tables give the same bytes, so it needs
no matplotlib, and --check says whether the file is what the tables give."""
import argparse
import html
import math
import os
import sys

import rows as listing
from rows import OURS
from tables import Tables

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 430, 64, 218, 44, 50
STYLE = """
svg { background: #ffffff; font: 13px system-ui, "Segoe UI", "Liberation Sans", sans-serif; }
text { fill: #333333; } .title { font-size: 15px; font-weight: 600; } .group { font-weight: 600; }
.grid { stroke: #e3e3e3; } .axis { stroke: #888888; } path { fill: none; stroke-width: 2.2; } circle { stroke: none; }
.ours1 { stroke: #8bbbe6; color: #8bbbe6; } .ours2 { stroke: #4a8fd0; color: #4a8fd0; } .ours3 { stroke: #17508f; color: #17508f; }
.oursgpu { stroke: #1f8a4c; color: #1f8a4c; }
.peer1 { stroke: #f0b98a; color: #f0b98a; } .peer2 { stroke: #dd7f2f; color: #dd7f2f; } .peer3 { stroke: #a34a06; color: #a34a06; }
.peergpu { stroke: #8756b8; color: #8756b8; }
circle { fill: currentColor; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; } text { fill: #d5dae0; } .grid { stroke: #262c34; } .axis { stroke: #6e7681; }
  .ours1 { stroke: #a9d0f5; color: #a9d0f5; } .ours2 { stroke: #5fa8e8; color: #5fa8e8; } .ours3 { stroke: #2f7fd6; color: #2f7fd6; }
  .oursgpu { stroke: #3fb970; color: #3fb970; }
  .peer3 { stroke: #c7661a; color: #c7661a; } .peergpu { stroke: #b48ae0; color: #b48ae0; }
}
"""


def lines_of(machine, listed):
    """Returns [(program, cores or "gpu", [(residues, seconds)])] of all rows with a size, ours first."""
    found = {}
    for row in (r for r in listed.values() if "size" in r):
        for (name, program, column), y in machine.figure.items():
            if name == row["name"]:
                found.setdefault((program, column), []).append((float(row["size"]) * 1e6, y))
    ours = sorted({c for p, c in found if p == OURS and c != "gpu"})
    order = sorted(found, key=lambda k: (k[0] != OURS, k[0] != "HMMER", k[0], k[1] == "gpu", k[1] if k[1] != "gpu" else 0))
    # of a peer the numbers of cores that ours has too
    return [(p, c, sorted(found[p, c])) for p, c in order if c == "gpu" or c in ours]


def ticks(low, high):
    return [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def residues(x):
    return f"{x / 1e9:g} G" if x >= 1e9 else f"{x / 1e6:g} M" if x >= 1e6 else f"{x / 1e3:g} k"


class Picture:
    def __init__(self, xs, ys):
        self.x = (math.log10(min(xs)) - 0.08, math.log10(max(xs)) + 0.08)
        self.y = (math.log10(min(ys)) - 0.12, math.log10(max(ys)) + 0.12)
        self.part = []

    def at(self, x, y):
        u = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        v = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return LEFT + u * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - v * (HEIGHT - TOP - BOTTOM)

    def text(self, x, y, text, **kind):
        more = "".join(f' {k.rstrip("_").replace("_", "-")}="{v}"' for k, v in kind.items())
        self.part.append(f'<text x="{x:.1f}" y="{y:.1f}"{more}>{html.escape(text)}</text>')

    def rule(self, x, y, x2, y2, kind):
        self.part.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def axes(self, label):
        foot, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        for t in ticks(10 ** self.y[0], 10 ** self.y[1]):
            for k in (1, 2, 5):
                if self.y[0] <= math.log10(t * k) <= self.y[1]:
                    y = self.at(10 ** self.x[0], t * k)[1]
                    self.rule(LEFT, y, right, y, "grid")
                    self.text(LEFT - 8, y + 4.5, f"{t * k:g} s", text_anchor="end")
        for t in ticks(10 ** self.x[0], 10 ** self.x[1]):
            for k in (1, 2, 5):
                if self.x[0] <= math.log10(t * k) <= self.x[1]:
                    x = self.at(t * k, 10 ** self.y[0])[0]
                    self.rule(x, foot, x, foot + 5, "axis")
                    self.text(x, foot + 20, residues(t * k), text_anchor="middle")
        self.rule(LEFT, foot, right, foot, "axis")
        self.text((LEFT + right) / 2, HEIGHT - 10, label, text_anchor="middle")

    def line(self, points, kind):
        dots = [self.at(*p) for p in points]
        self.part.append(f'<path class="{kind}" d="M' + " L".join(f"{x:.1f},{y:.1f}" for x, y in dots) + '"/>')
        self.part += [f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.4"/>' for x, y in dots]


def draw(machine, listed):
    lines = lines_of(machine, listed)
    if not lines:
        raise listing.Listed("no current-MACHINE.tsv has a row of the series size")
    picture = Picture([x for *_, points in lines for x, _ in points], [y for *_, points in lines for _, y in points])
    picture.axes("residues in the database")
    picture.text(LEFT - 40, 22, "50 models against a database: " + ("processor seconds" if machine.busy else "seconds by the clock"),
                 class_="title")
    at, group, shade = TOP + 8, None, 0
    for program, cores, points in lines:
        if program != group:
            group, shade, at = program, 0, at + 12
            version = machine.versions[program]
            picture.text(WIDTH - RIGHT + 24, at, program if version == "unknown" else f"{program} {version}", class_="group")
            at += 21
        shade = shade + 1 if cores != "gpu" else shade
        kind = ("ours" if program == OURS else "peer") + ("gpu" if cores == "gpu" else str(min(3, shade)))
        picture.line(points, kind)
        picture.rule(WIDTH - RIGHT + 24, at - 4.5, WIDTH - RIGHT + 52, at - 4.5, kind + " key")
        alone = "its filter alone, one GPU" if program != OURS else f"{machine.cores} cores and a GPU"
        picture.text(WIDTH - RIGHT + 60, at, alone if cores == "gpu" else "1 core" if cores == 1 else f"{cores} cores")
        at += 21
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
            f'aria-label="Time over the size of the database">\n<style>{STYLE}.key {{ stroke-width: 3; }}</style>\n')
    return head + "\n".join(picture.part) + "\n</svg>\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--check", action="store_true")
    p.add_argument("--data", default=os.path.join(listing.HERE, "data"))
    p.add_argument("picture")
    args = p.parse_args()
    tables = Tables(args.data)
    machine = tables.machine(tables.tables["sizes"], None)
    text = draw(machine, tables.listed)
    if args.check:
        with open(args.picture, encoding="utf-8") as f:
            if f.read() != text:
                sys.exit(f"{args.picture} is not what the tables give: make bench-tables")
        return
    with open(args.picture + ".part", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(args.picture + ".part", args.picture)


if __name__ == "__main__":
    try:
        main()
    except listing.Listed as e:
        sys.exit(f"plot.py: {e}")
