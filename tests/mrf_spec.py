#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/spec/mrf.md in plain Python, beside mrfseg: random volumes of random types, with and without a mask.

  mrf_spec.py COUNT    compares labels, rows and probabilities of so many volumes; prints the options of each that differs
"""
import itertools
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

import mrf

ONE = 65536
REACH = {6: 1, 18: 2, 26: 3}
STEPS = {n: [d for d in itertools.product((-1, 0, 1), repeat=3) if 0 < sum(map(abs, d)) <= r] for n, r in REACH.items()}


def write(path, dims, letter, values):
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, 3, *dims, 1, 1, 1, 1)
    code = {"f": 16, "h": 4, "B": 2}[letter]
    struct.pack_into("<2h", head, 70, code, 8 * struct.calcsize(letter))
    struct.pack_into("<5f", head, 76, 1, 1, 1, 1, 1)
    struct.pack_into("<f", head, 108, 352)
    head[344:348] = b"n+1\0"
    with open(path, "wb") as f:
        f.write(bytes(head) + struct.pack("<%d%s" % (len(values), letter), *values))


def gauss_of(n, s1, s2):
    return s1 / n, max(0.5, math.sqrt(float(n * s2 - s1 * s1) / (float(n) * float(n))))


def first_classes(codes, K):
    codes, means = sorted(codes), []
    n = len(codes)
    for c in range(K):
        means.append(float(codes[(2 * c + 1) * n // (2 * K)]))
    for _ in range(100):
        groups = [[] for _ in means]
        for q in codes:
            groups[min(range(K), key=lambda c: (abs(q - means[c]), c))].append(q)
        new = [sum(g) / len(g) if g else m for g, m in zip(groups, means)]
        if new == means:
            break
        means = new
    return [[m, gauss_of(len(g), sum(g), sum(q * q for q in g))[1] if g else 0.5] for m, g in zip(means, groups)]


class Volume:
    def __init__(self, dims, values, inside, letter, o):
        self.dims, self.inside, self.o = dims, inside, o
        own = [v for v, i in zip(values, inside) if i]
        self.least, span = min(own), max(own) - min(own)
        self.step = 1 if letter != "f" else span / 65535 or 1
        self.q = [int(math.floor((v - self.least) / self.step + 0.5)) if i else 0 for v, i in zip(values, inside)]
        self.gauss = first_classes([q for q, i in zip(self.q, inside) if i], o["K"])
        self.voxels = [i for i in range(len(values)) if inside[i]]
        X, Y, Z = dims
        self.near = {}
        for i in self.voxels:
            x, y, z = i % X, i // X % Y, i // X // Y
            at = [(x + a, y + b, z + c) for a, b, c in STEPS[o["nb"]]]
            at = [a + X * (b + Y * c) for a, b, c in at if 0 <= a < X and 0 <= b < Y and 0 <= c < Z]
            self.near[i] = [k for k in at if inside[k]]

    def prior(self, c, q):
        mean, sd = self.gauss[c]
        return int(min(math.floor((math.log(sd) + (q - mean) ** 2 / (2 * (sd * sd))) * ONE + 0.5), 2**30))

    def energies(self, i):
        same = [0] * self.o["K"]
        for k in self.near[i]:
            same[self.label[k]] += 1
        b_in, b_out = (math.floor(self.o[b] * ONE + 0.5) for b in ("beta_in", "beta_out"))
        return [self.prior(c, self.q[i]) - b_in * n - b_out * (len(self.near[i]) - n) for c, n in enumerate(same)]

    def colour(self, i):
        x, y, z = i % self.dims[0], i // self.dims[0] % self.dims[1], i // self.dims[0] // self.dims[1]
        return (x + y + z) % 2 if self.o["nb"] == 6 else x % 2 + 2 * (y % 2) + 4 * (z % 2)

    def segment(self):
        K, self.sweeps, self.falls, self.changed = self.o["K"], 0, 0, 0
        least = lambda E: min(range(K), key=lambda c: (E[c], c))
        self.label = {i: least([self.prior(c, self.q[i]) for c in range(K)]) for i in self.voxels}
        while self.sweeps < 50:
            self.sweeps += 1
            fall = 0
            for colour in range(2 if self.o["nb"] == 6 else 8):
                for i in self.voxels:
                    if self.colour(i) != colour:
                        continue
                    E = self.energies(i)
                    r = least(E)
                    if E[self.label[i]] > E[r]:
                        fall += E[self.label[i]] - E[r]
                        self.label[i] = r
                        self.changed += 1
            self.falls += fall
            for c in range(K):
                own = [self.q[i] for i in self.voxels if self.label[i] == c]
                if own:
                    self.gauss[c] = list(gauss_of(len(own), sum(own), sum(q * q for q in own)))
            if fall <= 1e-4 * len(self.voxels) * ONE:
                break
        self.order = sorted(range(K), key=lambda c: self.gauss[c][0])

    def rows(self, first):
        for k, c in enumerate(self.order):
            mean, sd = self.gauss[c]
            n = sum(label == c for label in self.label.values())
            yield [str(first + k), str(n), "%.9g" % (self.least + self.step * mean), "%.9g" % (self.step * sd),
                   str(self.sweeps), "%.6f" % (self.falls / ONE), str(self.changed), str(first + k)]

    def shares(self):
        least = lambda i: min(self.energies(i))
        weight = {i: [math.exp((least(i) - E) / ONE) for E in self.energies(i)] for i in self.voxels}
        return [weight[i][c] / sum(weight[i]) if i in weight else 0.0 for c in self.order for i in range(len(self.q))]

    def labels(self, first):
        rank = {c: k for k, c in enumerate(self.order)}
        return bytes(first + rank[self.label[i]] if self.inside[i] else 0 for i in range(len(self.q)))


def random_mask(r, dims):
    X, Y, Z = dims
    kind, share = r.randrange(3), r.uniform(0.05, 0.95)
    ball = lambda i: (i % X - X / 2) ** 2 + (i // X % Y - Y / 2) ** 2 + (i // X // Y - Z / 2) ** 2 < 20 * share
    inside = [[r.random() < share, ball(i), True][kind] for i in range(X * Y * Z)]
    inside[r.randrange(len(inside))] = True
    return inside


def compare(r, folder):
    dims = [r.randrange(1, 10), r.randrange(1, 7), r.randrange(1, 6)]
    n, letter, masked = math.prod(dims), r.choice("hf"), r.random() < 0.7
    o = dict(K=r.randrange(2, 6), nb=r.choice((6, 18, 26)), beta_in=r.choice((0, 0.1, 0.5, 2, -0.3)), beta_out=r.choice((0, 0, -0.2)))
    values = [40 * (i // 3 % 4) + r.randrange(60) for i in range(n)]
    if letter == "f":
        values = [struct.unpack("f", struct.pack("f", v * 0.37))[0] for v in values]
    inside = random_mask(r, dims) if masked else [True] * n
    v = Volume(dims, values, inside, letter, o)
    v.segment()
    outside = [float("nan"), float("inf"), 1e30] if letter == "f" else [-32768, 32767]
    path, mask, labels = (os.path.join(folder, f) for f in ("in.nii", "mask.nii", "labels.nii"))
    shares = os.path.join(folder, r.choice(("shares.nii", "shares.nii.gz")))
    write(path, dims, letter, [x if i else r.choice(outside) for x, i in zip(values, inside)])
    write(mask, dims, "B", [255 * i for i in inside])
    words = ["--classes", o["K"], "--neighbours", o["nb"], "--beta-in", o["beta_in"], "--beta-out", o["beta_out"]]
    words += ["--mask", mask] * masked + ["--labels", labels, "--probabilities", shares, "-t", r.choice((1, 3))]
    words += ["--no-provenance", "--header", "none"]
    words += ["-f", "class,voxels,mean,sd,sweeps,energy,changed,label", path]
    out = subprocess.run(["mrfseg"] + [str(w) for w in words], check=True, stdout=subprocess.PIPE).stdout.decode()
    same = [line.split("\t") for line in out.splitlines()] == list(v.rows(int(masked)))
    same = same and mrf.load(labels)[352:] == v.labels(int(masked))
    got = struct.unpack("<%df" % (n * o["K"]), mrf.load(shares)[352:])
    same = same and all(abs(a - b) < 2**-24 for a, b in zip(got, v.shares()))
    if not same:
        print("differs:", dims, letter, " ".join(str(w) for w in words))
        print(out, *v.rows(int(masked)), sep="\n")
    return same


def main(count):
    r = random.Random(58)
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(r, folder) for _ in range(count)]
    print("%d volumes, %d as the specification says" % (count, sum(results)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
