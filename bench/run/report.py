#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of the tables of kernels in bench/data, with matplotlib (make plots):   python3 bench/run/report.py bench/data OUTDIR

  kernels-NAME.txt   (build/bench/run/kernels)   10^9 cells a second against the length of the model
  gpu-NAME.tsv       (build/bench/run/gpu)       10^12 cells a second, and peers that were measured beside it

Each gives OUTDIR/TABLE.svg. The same tables and the same matplotlib give the same bytes.
"""
import glob
import os
import sys

COLOUR = {"avx512": "#1f5fa8", "avx2": "#5aa9d6", "scalar": "#8c8c8c", "hmmer": "#c8641e", "cuda": "#2c8a4b",
          "libmarv": "#c8641e"}
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


PLOTS = {"kernels-*.txt": kernels, "gpu-*.tsv": gpu}


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
