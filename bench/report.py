#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recorded tables into the plots that README.md shows:   python3 bench/report.py bench [OUTDIR]

  kernels-NAME.txt   (build/bench/kernels)    -> kernels-NAME.svg    10^9 cells a second against the length of the model
  cpu-NAME.md        (bench/process.sh)       -> cpu-NAME.svg        whole processes against hmmsearch
  gpu-NAME.tsv       (build/bench/gpu)       -> gpu-NAME.svg        10^12 cells a second, and peers that were measured beside it
  devices-NAME.tsv   (devices, seconds; # what) -> devices-NAME.svg  times faster than one device

OUTDIR is bench/plots by default. The same tables give the same bytes."""
import glob
import math
import os
import re
import sys

INK, DIM, GRID = "#222222", "#666666", "#dddddd"
COLOUR = {"avx512": "#1f5fa8", "avx2": "#5aa9d6", "scalar": "#8c8c8c", "hmmer": "#c8641e", "cuda": "#2c8a4b", "libmarv": "#c8641e"}
NAME = {"avx512": "AVX-512", "avx2": "AVX2", "scalar": "scalar", "hmmer": "HMMER 3.4 (SSE)", "cuda": "warpsieve",
        "libmarv": "libmarv (MMseqs2-GPU)"}
TITLE = {"ssv": "SSV", "full": "MSV, without SSV first", "vit": "Viterbi", "fwd": "Forward"}


def esc(s):
    return s.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Svg:
    def __init__(self, width, height):
        self.part = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
                     ' font-family="Helvetica, Arial, sans-serif" font-size="12">',
                     f'<rect width="{width}" height="{height}" fill="white"/>']

    def text(self, x, y, s, anchor="start", size=12, fill=INK, weight="normal"):
        bold = f' font-weight="{weight}"' if weight != "normal" else ""
        self.part.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" fill="{fill}"{bold}>{esc(s)}</text>')

    def line(self, x1, y1, x2, y2, stroke=GRID):
        self.part.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{stroke}"/>')

    def rect(self, x, y, w, h, fill):
        self.part.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}"/>')

    def curve(self, points, stroke):
        d = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.part.append(f'<path d="M{d}" fill="none" stroke="{stroke}" stroke-width="2"/>')
        self.part += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{stroke}"/>' for x, y in points]

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(self.part) + "\n</svg>\n")
        print(path)


def step_for(top):
    """A round distance of about four grid lines."""
    raw = top / 4
    ten = 10 ** math.floor(math.log10(raw))
    return next(ten * k for k in (1, 2, 2.5, 5, 10) if ten * k >= raw)


def axes(svg, x, y, w, h, xs, top, xlabel, ylabel, log):
    """Draws grid and labels; returns the place of a value."""
    step = step_for(top)
    top = step * math.ceil(top / step)
    scale = math.log if log else float
    low, high = scale(min(xs)), scale(max(xs))

    def at(px, py):
        return (x + 8 + (scale(px) - low) / ((high - low) or 1) * (w - 16), y + h - py / top * h)

    for i in range(round(top / step) + 1):
        _, gy = at(min(xs), i * step)
        svg.line(x, gy, x + w, gy)
        svg.text(x - 5, gy + 4, f"{i * step:g}", "end", 11, DIM)
    for v in xs:
        svg.text(at(v, 0)[0], y + h + 15, f"{v:g}", "middle", 10, DIM)
    svg.text(x + w / 2, y + h + 31, xlabel, "middle", 11, DIM)
    if ylabel:
        svg.text(x - 28, y - 8, ylabel, "start", 11, DIM)
    return at


def legend(svg, x, y, keys):
    for k in keys:
        svg.rect(x, y - 9, 18, 9, COLOUR[k])
        svg.text(x + 23, y, NAME[k])
        x += 42 + 7 * len(NAME[k])


def panels(path, out, title, note, data):
    """A panel for each kernel of data[kernel][series][M]."""
    shown = [k for k in TITLE if k in data]
    if not shown:
        return
    commit = re.search(r"commit (\w+), (\S+)", note)
    pw, ph, gap, left, head = 190, 170, 50, 50, 74
    series = [s for s in COLOUR if any(s in data[k] for k in shown)]
    svg = Svg(left + max(3, len(shown)) * (pw + gap) - 20, head + ph + 46)
    svg.text(14, 20, title, size=14, weight="bold")
    if commit:
        svg.text(14, 38, f"bench/{os.path.basename(path)}, commit {commit[1]}, {commit[2]}", size=11, fill=DIM)
    legend(svg, left + 2 * (pw + gap), 20, series)
    for i, k in enumerate(shown):
        x = left + i * (pw + gap)
        ms = sorted({m for s in data[k].values() for m in s})
        top = max(v for s in data[k].values() for v in s.values())
        svg.text(x, head - 10, TITLE[k], weight="bold")
        at = axes(svg, x, head, pw, ph, ms, top, "M", "", True)
        for s in reversed(series):
            if s in data[k]:
                svg.curve([at(m, data[k][s][m]) for m in sorted(data[k][s])], COLOUR[s])
    svg.write(out)


def lines_of(path):
    """The first comment, and the words of the lines that are none."""
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    return next((n for n in lines if n.startswith("#")), ""), [n.split() for n in lines if not n.startswith("#")]


def kernels(path, out):
    data = {}
    note, rows = lines_of(path)
    for word in rows:
        if len(word) < 6 or word[0] not in TITLE or not word[2].isdigit():
            continue
        kernel = data.setdefault(word[0], {})
        kernel.setdefault(word[1], {})[int(word[2])] = float(word[3])
        kernel.setdefault("hmmer", {})[int(word[2])] = float(word[5])
    panels(path, out, "One core, 10^9 cells a second against the length of the model", note, data)


def gpu(path, out):
    """Lines "kernel M TCUPS ..."; "libmarv M TCUPS" is a peer of SSV."""
    data = {}
    note, rows = lines_of(path)
    for word in rows:
        kernel, series = ("ssv", word[0]) if word[0] in COLOUR else (word[0], "cuda")
        if kernel in TITLE:
            data.setdefault(kernel, {}).setdefault(series, {})[int(word[1])] = float(word[2])
    panels(path, out, "One GPU, 10^12 cells a second against the length of the model", note, data)


def tables(text):
    """(heading, header cells, rows) of every Markdown table; a paragraph in place of one gives no header."""
    for part in re.split(r"(?m)^## ", text)[1:]:
        head, _, body = part.partition("\n")
        lines = [line.strip("|\n").replace("\\|", "\0") for line in body.splitlines() if line.startswith("|")]
        rows = [[c.strip() for c in line.split("|")] for line in lines]
        yield head, rows[:1], rows[2:], body


def processes(path, out):
    """Rows (group, label, hmmsearch's seconds, [(ours, colour)])."""
    text = open(path, encoding="utf-8").read()
    rows, groups = [], []
    for head, header, body, prose in tables(text):
        columns = header[0] if header else []
        if columns[1:2] == ["hmmsearch --cpu 0 --noali"]:
            groups.append((len(rows), "the chain alone, one model; processor seconds"))
            rows += [(r[0], float(r[1]), [(float(r[2]), "avx512")]) for r in body]
        elif columns[1:2] == ["plain hmmsearch"]:
            groups.append((len(rows), "the chain, then hmmsearch on the survivors, one proteome; processor seconds"))
            rows += [(r[0], float(r[1]), [(float(r[2]), "avx512"), (float(r[3]), "hmmer")]) for r in body]
        else:
            m = re.search(r"hmmsearch --cpu \d+: ([\d.]+); the chain with -t \d+: ([\d.]+)", prose)
            if m:
                groups.append((len(rows), "the chain alone, many models in one pass, two threads; seconds by the clock"))
                rows.append((re.sub(r".*: (\d+ models).*", r"\1", head), float(m[1]), [(float(m[2]), "avx512")]))
    if not rows:
        return
    commit = re.search(r"(\d{4}-\d\d-\d\d), commit (\w+)", text)
    left, width, pitch = 120, 480, 34
    svg = Svg(left + width + 210, 62 + len(groups) * 26 + len(rows) * pitch)
    svg.text(14, 20, "Whole processes, time as a share of hmmsearch's", size=14, weight="bold")
    if commit:
        svg.text(14, 38, f"bench/{os.path.basename(path)}, commit {commit[2]}, {commit[1]}", size=11, fill=DIM)
    svg.rect(left + 330, 11, 18, 9, COLOUR["hmmer"])
    svg.text(left + 353, 20, "hmmsearch")
    svg.rect(left + 440, 11, 18, 9, COLOUR["avx512"])
    svg.text(left + 463, 20, "msvfilt | vitfilt | fwdscore")
    y, starts = 50, dict(groups)
    for i, (label, theirs, ours) in enumerate(rows):
        if i in starts:
            y += 20
            svg.text(14, y, starts[i], fill=DIM)
            y += 6
        svg.text(left - 8, y + 17, label, "end")
        svg.rect(left, y + 2, width, 11, COLOUR["hmmer"])
        svg.text(left + width + 6, y + 12, f"{theirs:g} s", size=11, fill=DIM)
        x = left
        for seconds, colour in ours:
            svg.rect(x, y + 14, seconds / theirs * width, 11, COLOUR[colour])
            x += seconds / theirs * width
        total = sum(s for s, _ in ours)
        svg.text(x + 6, y + 24, f"{total:.3g} s, {theirs / total:.1f} times less", size=11, fill=DIM)
        y += pitch
    svg.write(out)


def devices(path, out):
    rows, what = [], ""
    for line in open(path, encoding="utf-8"):
        if line.startswith("#"):
            what = what or line[1:].strip()
        elif line[:1].isdigit():
            rows.append(tuple(float(v) for v in line.split()[:2]))
    if len(rows) < 2:
        return
    rows.sort()
    one = rows[0][0] * rows[0][1]
    svg = Svg(420, 300)
    svg.text(14, 20, "Times faster than one device", size=14, weight="bold")
    svg.text(14, 38, what, size=11, fill=DIM)
    ns = [n for n, _ in rows]
    at = axes(svg, 50, 60, 340, 190, ns, max(ns), "devices", "", False)
    svg.line(*at(ns[0], ns[0]), *at(ns[-1], ns[-1]), DIM)
    svg.curve([at(n, one / s) for n, s in rows], COLOUR["cuda"])
    svg.write(out)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: report.py BENCHDIR [OUTDIR]")
    folder = sys.argv[1]
    out = sys.argv[2] if len(sys.argv) == 3 else os.path.join(folder, "plots")
    os.makedirs(out, exist_ok=True)
    for pattern, plot in (("kernels-*.txt", kernels), ("cpu-*.md", processes), ("gpu-*.tsv", gpu), ("devices-*.tsv", devices)):
        for path in sorted(glob.glob(os.path.join(folder, pattern))):
            plot(path, os.path.join(out, os.path.splitext(os.path.basename(path))[0] + ".svg"))


main()
