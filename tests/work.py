#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a work for tests/lib/simulate.c of what --stats=FILE counted in a search on the CPU: see tests/data/plan/yeast.work.

    tests/work.py STATS.json MACHINE >tests/data/plan/NAME.work

--stats has no sizes of single spans. Tenths of them get the shape that those of yeast.work have, and an ensemble two envelopes.
MACHINE is the line of tests/data/plan/machines for which the seconds are noted as measured."""
import json
import os
import sys

KINDS = ("parse", "ensemble", "envelope")


def shapes(path):
    """Returns tenths and longest of each kind of span of a work, as parts of its mean."""
    shape = {}
    for line in open(path):
        word = line.split()
        if word and word[0] in KINDS:
            n, cells, *sizes = map(float, word[1:])
            shape[word[0]] = [x * n / cells for x in sizes]
    return shape


def work(stats, machine, shape):
    """Returns the lines of a work."""
    if stats.get("device_cells"):
        sys.exit("the search had a device: what that did is counted apart, so run it with a backend of the CPU")
    nodes = stats["cells"] / max(stats["residues"], 1)
    lines = ["# By --stats and tests/work.py, with sizes of spans as in yeast.work.",
             f"models {stats['models']} {nodes:.0f}",
             f"sequences {stats['sequences']} {stats['residues']} {stats['read_seconds'] / max(stats['residues'], 1):.2g}"]
    for kind in ("msv", "vit", "fwd"):
        lines.append(f"{kind} {stats[kind + '_done']} {stats[kind + '_cells']:.4g}")
    for kind in KINDS:
        n, cells = stats[kind + "_done"], stats[kind + "_cells"]
        sizes = [x * cells / n if n else 0 for x in shape[kind]]
        lines.append(" ".join([kind, str(n), f"{cells:.4g}"] + [f"{x:.3g}" for x in sizes]))
    lines.append(f"from_ensembles {min(2 * stats['ensemble_done'], stats['envelope_done'])}")
    lines.append(f"start {stats['open_seconds']:.3g} 0")
    lines.append(f"end 0 {stats['write_seconds']:.3g}")
    lines.append(f"measured {machine} cpu {stats['seconds']:.3f}")
    return lines


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    plan = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data/plan/yeast.work")
    print("\n".join(work(json.load(open(sys.argv[1])), sys.argv[2], shapes(plan))))
