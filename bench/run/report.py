#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of the tables in bench/data, with matplotlib (make plots):   python3 bench/run/report.py bench/data OUTDIR

  kernels-NAME.txt   (build/bench/run/kernels)   10^9 cells a second against the length of the model
  chain-NAME.tsv     (bench/run/process.sh)      the chain of filters beside hmmsearch
  searches.tsv       (bench/run/search.sh)       whole searches beside hmmsearch
  gpu-NAME.tsv       (build/bench/run/gpu)       10^12 cells a second, and peers that were measured beside it
  devices-NAME.tsv   (devices, seconds)          times faster than one device
  limits-NAME.tsv    (kernel, ours, peer, limit) speed of each kernel beside its peer and what the chip can do
  scores-NAME.tsv    (fwd_bits, final_bits)      the score of fwdscore beside the final score of hmmsearch
  slice-NAME.tsv     (values of a row of voxels) a slice of a volume; voxels with a * are the boundary of a component

Each gives OUTDIR/TABLE.svg. The same tables and the same matplotlib give the same bytes.
"""
import glob
import os
import sys

COLOUR = {"avx512": "#1f5fa8", "avx2": "#5aa9d6", "scalar": "#8c8c8c", "hmmer": "#c8641e", "cuda": "#2c8a4b",
          "libmarv": "#c8641e", "limit": "#bbbbbb"}
NAME = {"avx512": "AVX-512", "avx2": "AVX2", "scalar": "scalar", "hmmer": "HMMER 3.4 (SSE)", "cuda": "warpsieve",
        "libmarv": "libmarv (MMseqs2-GPU)"}
TITLE = {"ssv": "SSV", "full": "MSV without SSV first", "vit": "Viterbi", "fwd": "Forward"}
WIDTH = 8.3  # inches, at 100 dots each


def lines_of(path):
    """Returns the comments, and the fields of the other lines."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    fields = [line.split("\t") if "\t" in line else line.split() for line in lines if line and line[0] != "#"]
    return [line.lstrip("# ") for line in lines if line.startswith("#")], fields


def below(axes):
    """Leaves the axes of a plot: no frame, light lines."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, axis="y", color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)


def model_ticks(axes, lengths):
    """A logarithmic axis of model lengths, with no more ticks than have room."""
    from matplotlib.ticker import FixedLocator, NullLocator
    axes.set_xscale("log")
    shown = [m for m in (50, 100, 200, 400, 1000, 2405, 4000) if min(lengths) <= m <= max(lengths)]
    axes.xaxis.set_major_locator(FixedLocator(shown[:: 1 if len(shown) < 6 else 2]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda m, _: f"{m:g}")


def panels(plt, data, ylabel):
    """Draws a panel for each kernel of data[kernel][series][M]; one legend below all."""
    shown = [k for k in TITLE if k in data]
    figure, row = plt.subplots(1, len(shown), figsize=(WIDTH, 3.1), squeeze=False)
    for axes, kernel in zip(row[0], shown):
        lengths = sorted({m for s in data[kernel].values() for m in s})
        for series in (s for s in COLOUR if s in data[kernel]):
            points = sorted(data[kernel][series].items())
            axes.plot(*zip(*points), color=COLOUR[series], marker="o", markersize=3.5, label=NAME[series])
        axes.set_title(TITLE[kernel], fontsize=10)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("model length M")
        model_ticks(axes, lengths)
        below(axes)
    row[0][0].set_ylabel(ylabel)
    labels = {label: handle for axes in row[0] for handle, label in zip(*axes.get_legend_handles_labels())}
    figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=4, frameon=False)
    return figure


def kernels(plt, path):
    data = {}
    for word in lines_of(path)[1]:
        if len(word) < 6 or word[0] not in TITLE or not word[2].isdigit():
            continue
        kernel = data.setdefault(word[0], {})
        kernel.setdefault(word[1], {})[int(word[2])] = float(word[3])
        kernel.setdefault("hmmer", {})[int(word[2])] = float(word[5])
    figure = panels(plt, data, "10⁹ cells a second, one core")
    figure.suptitle("Kernels on one CPU core")
    return figure


def gpu(plt, path):
    """Lines "kernel M TCUPS ..."; "libmarv M TCUPS" is a peer of SSV."""
    data = {}
    for word in lines_of(path)[1]:
        kernel, series = ("ssv", word[0]) if word[0] in COLOUR else (word[0], "cuda")
        if kernel in TITLE:
            data.setdefault(kernel, {}).setdefault(series, {})[int(word[1])] = float(word[2])
    figure = panels(plt, data, "10¹² cells a second, one GPU")
    figure.suptitle("Kernels on one GPU")
    return figure


def beside(plt, rows, labels, xlabel, title):
    """Bars of rows [(group, label, peer's seconds, ours)]: ours in per cent of the peer's; a heading for each group."""
    groups = list(dict.fromkeys(r[0] for r in rows))
    figure, axes = plt.subplots(figsize=(WIDTH, 0.75 + 0.3 * (len(rows) + 1.2 * len(groups))))
    y, ticks = 0.0, []
    for group in groups:
        axes.text(0, y, group, fontsize=9, color="#555555", va="center")
        for _, label, theirs, ours in (r for r in rows if r[0] == group):
            y += 1
            ticks.append((y, f"{label} ({theirs:g} s)"))
            axes.barh(y, 100, height=0.62, color="#eeeeee")
            axes.barh(y, 100 * ours / theirs, height=0.62, color=COLOUR["avx512"])
            axes.text(100 * ours / theirs + 1, y, f"{ours:.3g} s, {theirs / ours:.1f} times less", va="center", fontsize=9)
        y += 1.4
    axes.set_yticks([t for t, _ in ticks], [label for _, label in ticks])
    axes.set_ylim(y - 0.6, -0.7)
    axes.set_xlim(0, max(100, 100 * max(r[3] / r[2] for r in rows)))
    axes.set_xlabel(xlabel)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(left=False)
    figure.suptitle(title)
    handles = [plt.Rectangle((0, 0), 1, 1, color=c) for c in (COLOUR["avx512"], "#eeeeee")]
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    return figure


def chain(plt, path):
    rows = [(kind, what, float(peer), float(ours)) for kind, what, peer, ours in lines_of(path)[1]]
    return beside(plt, rows, ("warpsieve", "peer"), "time in per cent of the peer's, which is in brackets",
                  "The chain of filters beside hmmsearch")


def searches(plt, path):
    """Those with seconds by the clock, by machine and commit as the table's head names them."""
    notes, rows = lines_of(path)
    head = {n[0]: n.split(". ")[0] for n in notes if n[1:2] == ":"}
    rows = [(head[r[0]], f"{r[1]} x {r[2]}, {r[3]} threads", float(r[5]), float(r[6])) for r in rows if r[5] != "-"]
    return beside(plt, rows, ("hmmsieve", "hmmsearch"), "time by the clock in per cent of hmmsearch's, which is in brackets",
                  "Whole searches beside hmmsearch")


def devices(plt, path):
    notes, rows = lines_of(path)
    rows = sorted((float(r[0]), float(r[1])) for r in rows)
    figure, axes = plt.subplots(figsize=(WIDTH / 2, 3.1))
    numbers = [n for n, _ in rows]
    axes.plot(numbers, numbers, color="#bbbbbb", linestyle="--", label="as many times as devices")
    faster = [rows[0][0] * rows[0][1] / s for _, s in rows]
    axes.plot(numbers, faster, color=COLOUR["cuda"], marker="o", label="measured")
    axes.set_xticks(numbers, [f"{n:g}" for n in numbers])
    axes.set_xlabel("devices")
    axes.set_ylabel("times faster than one")
    axes.set_ylim(bottom=0)
    below(axes)
    axes.legend(frameon=False, loc="upper left")
    figure.suptitle(notes[0].split(", commit")[0], fontsize=10)
    return figure


def limits(plt, path):
    """Lines "kernel ours peer NAME limit", in 10^12 cells a second; - is what is not known."""
    notes, rows = lines_of(path)
    figure, axes = plt.subplots(figsize=(WIDTH, 0.9 + 0.5 * len(rows)))
    for y, (kernel, ours, peer, name, limit) in enumerate(rows):
        if limit != "-":
            axes.barh(y, float(limit), height=0.8, color="#eeeeee")
            axes.text(float(limit), y, f" limit {limit}", va="center", fontsize=8, color="#777777")
        axes.barh(y - 0.17, float(ours), height=0.32, color=COLOUR["cuda"])
        axes.text(float(ours), y - 0.17, f" {ours}", va="center", fontsize=8)
        if peer != "-":
            axes.barh(y + 0.17, float(peer), height=0.32, color=COLOUR["hmmer"])
            axes.text(float(peer), y + 0.17, f" {peer} {name}", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [r[0] for r in rows])
    axes.invert_yaxis()
    axes.set_xlim(right=1.12 * axes.get_xlim()[1])
    axes.set_xlabel("10¹² cells a second")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    handles = [plt.Rectangle((0, 0), 1, 1, color=c) for c in (COLOUR["cuda"], COLOUR["hmmer"], "#eeeeee")]
    figure.legend(handles, ["warpsieve", "peer, same call", "what the chip can do"], loc="outside lower center",
                  ncols=3, frameon=False)
    figure.suptitle(notes[0].split(";")[0], fontsize=11)
    return figure


def scores(plt, path):
    rows = [(float(f), float(s)) for f, s in lines_of(path)[1] if s != "-"]
    without = [float(f) for f, s in lines_of(path)[1] if s == "-"]
    figure, both = plt.subplots(1, 2, figsize=(WIDTH, 3.6))
    for axes, top in zip(both, (max(f for f, _ in rows) * 1.05, 60)):
        axes.plot([0, top], [0, top], color="#bbbbbb", linewidth=1)
        inside = [r for r in rows if r[0] <= top]
        axes.scatter(*zip(*inside), s=9, color=COLOUR["avx512"], alpha=0.6, linewidths=0)
        axes.set_xlim(0, top)
        axes.set_ylim(0, top)
        axes.set_xlabel("fwd_bits of fwdscore")
        below(axes)
    both[1].plot(without, [0.8] * len(without), "x", color=COLOUR["hmmer"], markersize=5,
                 label="not reported by hmmsearch")
    both[1].legend(frameon=False, loc="upper left")
    both[0].set_ylabel("final score of hmmsearch, bits")
    both[0].set_title(f"{len(rows) + len(without)} pairs that passed", fontsize=10)
    both[1].set_title("the low scores", fontsize=10)
    figure.suptitle("The Forward score beside the final score")
    return figure


def slices(plt, path):
    notes, rows = lines_of(path)
    values = [[float(v.rstrip("*")) for v in row] for row in rows]
    marked = [(x, y) for y, row in enumerate(rows) for x, v in enumerate(row) if v.endswith("*")]
    figure, both = plt.subplots(1, 2, figsize=(WIDTH, 3.6))
    for axes, title in zip(both, ("the values", "the boundary of the seed's component")):
        axes.imshow(values, cmap="gray", vmin=-250, vmax=300, interpolation="nearest")
        axes.set_title(title)
        axes.set_axis_off()
    both[1].scatter(*zip(*marked), s=14, marker="s", color=COLOUR["hmmer"], linewidths=0)
    figure.suptitle(notes[0])
    return figure


PLOTS = {"kernels-*.txt": kernels, "chain-*.tsv": chain, "searches.tsv": searches, "gpu-*.tsv": gpu,
         "devices-*.tsv": devices, "limits-*.tsv": limits, "scores-*.tsv": scores, "slice-*.tsv": slices}


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: report.py DATADIR OUTDIR")
    folder, out = sys.argv[1:]
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "warpsieve", "font.size": 9, "figure.constrained_layout.use": True,
                                "figure.dpi": 100, "axes.titlesize": 10})
    import matplotlib.pyplot as plt
    os.makedirs(out, exist_ok=True)
    for pattern, plot in PLOTS.items():
        for path in sorted(glob.glob(os.path.join(folder, pattern))):
            to = os.path.join(out, os.path.splitext(os.path.basename(path))[0] + ".svg")
            figure = plot(plt, path)
            figure.savefig(to, metadata={"Date": None})
            plt.close(figure)
            print(to)


if __name__ == "__main__":
    main()
