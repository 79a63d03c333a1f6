# SPDX-License-Identifier: MIT
"""Pictures of depth: how many rows have a residue in each column of a chain."""
import os

from .. import Error
from . import a3m

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # told apart by eyes that do not see red and green
FOLDER = "plots"  # in the folder of the output
LINEAR_UP_TO = 500  # rows: beyond, a database with few hits would be a line at 0


def library():
    """Returns matplotlib's pyplot, for files. Raises Error where it is absent."""
    try:
        import matplotlib
        matplotlib.use("agg")
        from matplotlib import pyplot
    except ImportError:
        raise Error("--plot needs matplotlib, which is not installed: pip install matplotlib") from None
    return pyplot


def draw(pyplot, path, title, lines, length):
    """Writes a picture of lines, pairs of a name and rows, over the residues of a chain."""
    figure, axes = pyplot.subplots(figsize=(8, 3.6), dpi=120)
    tops = []
    for i, (name, rows) in enumerate(lines):
        counts = a3m.depth(rows, length)
        tops.append(max(counts))
        wide = {"linewidth": 2, "color": "black"} if name == "unpaired" else {"linewidth": 1.2, "color": COLOURS[i % len(COLOURS)]}
        axes.step(range(1, length + 1), counts, where="mid", label=f"{name}: {len(rows):,} rows", **wide)
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel("residue of the chain")
    axes.set_ylabel("rows with a residue there")
    axes.set_xlim(0.5, length + 0.5)
    if max(tops) > LINEAR_UP_TO:
        axes.set_yscale("symlog", linthresh=1)
        axes.set_yticks([0] + [10 ** k for k in range(len(str(max(tops))))])
    axes.set_ylim(0, None)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:,.0f}")
    axes.grid(True, axis="y", linewidth=0.4, color="#cccccc")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    part = f"{path}.{os.getpid()}.part"
    figure.savefig(part, format="png", bbox_inches="tight")
    pyplot.close(figure)
    os.replace(part, path)


def draw_job(pyplot, out, job, results, parts, given):
    """Writes a picture of each chain of a job whose alignments were searched."""
    folder = os.path.join(out, FOLDER)
    os.makedirs(folder, exist_ok=True)
    for entry in job.entries:
        chain = entry.chain
        if chain and chain.msa:
            lines = [(d.name, parts.rows(chain.key, d.name)) for d in given if d.kind == chain.kind]
            ids = "".join(c for c in "".join(entry.ids) if c.isalnum())
            unit = "nucleotides" if chain.kind == "rna" else "residues"
            title = f"{job.name}, chain {', '.join(entry.ids)}: {len(chain.sequence)} {unit}"
            draw(pyplot, os.path.join(folder, f"{job.file_name}_{ids}.png"), title, lines + [("unpaired", results[chain.key].unpaired)],
                 len(chain.sequence))
