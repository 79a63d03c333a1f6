#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Volumes for the tests of mrfseg, and checks of its output, with Python's own library alone.

  mrf.py golden FOLDER        every row of FOLDER/expected.tsv, on all backends that run here
  mrf.py make FILE KEY=VALUE...  a NIfTI-1 file: dims=X,Y,Z[,T] type= order=< or > slope= inter= values= (of code 0, 1, 2 ... by turns)
                              noise=N (adds 0 .. N-1) raw=AT:HEX (bytes of the header) cut=BYTES tail=BYTES
  mrf.py header FILE          dimensions, type, slope, intercept, intent and the bytes of the geometry, one a line
  mrf.py kept LABELS X,Y,Z    the labels of the component of a voxel, and the boundary, as mrfseg should write them: two lines of SHA-256
  mrf.py sha FILE             SHA-256 of a file's data
"""
import gzip
import hashlib
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

TYPES = {"uint8": (2, "B"), "int8": (256, "b"), "int16": (4, "h"), "uint16": (512, "H"), "int32": (8, "i"), "uint32": (768, "I"),
         "float32": (16, "f"), "float64": (64, "d")}


def load(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def order_of(data):
    return "<" if struct.unpack("<i", data[:4])[0] == 348 else ">"


def dims_of(data):
    dim = struct.unpack(order_of(data) + "8h", data[40:56])
    return [dim[i] if i <= dim[0] else 1 for i in (1, 2, 3, 4)]


# ---- golden ----

def options_of(o):
    words = ["--classes", str(o["K"])]
    o.setdefault("beta_in", 0.5)  # their default for every neighbourhood
    names = {"nb": "neighbours", "beta_in": "beta-in", "beta_out": "beta-out", "rule": "rule", "xi": "xi", "seed": "random-seed",
             "sweeps": "sweeps"}
    for key, name in names.items():
        if key in o:
            words += ["--" + name, str(o[key])]
    return words


def golden_row(folder, row, backend, threads):
    volume, options, sha, sweeps, fall, voxels, means, sds = row
    labels = os.path.join(tempfile.gettempdir(), "labels.%d.nii" % os.getpid())
    command = ["mrfseg", "--no-provenance", "--header", "none", "--backend", backend, "-t", str(threads), "--labels", labels]
    command += options_of(json.loads(options)) + [os.path.join(folder, volume + ".nii.gz")]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
    got = [line.split("\t") for line in out.splitlines()]
    data = open(labels, "rb").read()
    os.remove(labels)
    same = hashlib.sha256(data[352:]).hexdigest() == sha
    same = same and all(r[6] == sweeps and round(float(r[7]) * 65536) == int(fall) for r in got)
    same = same and [r[2] for r in got] == voxels.split() and [r[4] for r in got] == means.split() and [r[5] for r in got] == sds.split()
    if not same:
        print("%s %s: --backend %s -t %d gives\n%s" % (volume, options, backend, threads, out))
    return same


def golden(folder):
    listed = subprocess.run(["mrfseg", "--list-backends"], check=True, stdout=subprocess.PIPE).stdout.decode()
    backends = [f[0] for f in (line.split("\t") for line in listed.splitlines()[1:]) if f[1] == "yes"]
    rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(folder, "expected.tsv"))][1:]
    results = [golden_row(folder, row, b, t) for row in rows for b in backends for t in ((1, 3) if b == backends[0] else (2,))]
    print("%d rows, backends %s" % (len(rows), " ".join(backends)))
    return 0 if results and all(results) else 1


# ---- files ----

def make(path, *words):
    o = dict(dims="4,3,2", type="int16", order="<", slope="0", inter="0", values="0,100", noise="1", cut="0", tail="0")
    raw = [w[4:].split(":") for w in words if w.startswith("raw=")]
    o.update(w.split("=", 1) for w in words if not w.startswith("raw="))
    dims = [int(d) for d in o["dims"].split(",")]
    code, letter = TYPES[o["type"]]
    values, state, voxels = [float(v) for v in o["values"].split(",")], 1, []
    for i in range(math.prod(dims)):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        x, y, z = i % dims[0], i // dims[0] % dims[1], i // dims[0] // dims[1]
        voxels.append(values[(x // 3 + y // 2 + z // 2) % len(values)] + (state >> 33) % int(o["noise"]))
    voxels = [v if letter in "fd" else int(v) for v in voxels]
    head = bytearray(352)
    put = lambda at, form, *v: struct.pack_into(o["order"] + form, head, at, *v)
    put(0, "i", 348)
    put(40, "8h", len(dims), *(dims + [1] * (7 - len(dims))))
    put(70, "2h", code, 8 * struct.calcsize(letter))
    put(76, "8f", 1, 2, 2.5, 3, 1, 1, 1, 1)
    put(108, "3f", 352, float(o["slope"]), float(o["inter"]))
    head[123] = 2
    put(252, "2h", 0, 1)
    put(280, "12f", -2, 0, 0, 90, 0, 2.5, 0, -126, 0, 0, 3, -72)
    head[344:348] = b"n+1\0"
    for at, digits in raw:
        head[int(at):int(at) + len(digits) // 2] = bytes.fromhex(digits)
    data = bytes(head) + struct.pack("%s%d%s" % (o["order"], len(voxels), letter), *voxels)
    data = data[:len(data) - int(o["cut"])] + bytes(int(o["tail"]))
    with open(path, "wb") as f:
        f.write(gzip.compress(data, mtime=0) if path.endswith(".gz") else data)
    return 0


def header(path):
    data = load(path)
    order = order_of(data)
    print("dim", *struct.unpack(order + "8h", data[40:56]))
    print("type", *struct.unpack(order + "2h", data[70:74]))
    print("scale", *struct.unpack(order + "3f", data[108:120]))
    print("intent", *struct.unpack(order + "h", data[68:70]))
    print("geometry", data[76:108].hex(), data[123:124].hex(), data[252:328].hex())
    print("bytes", len(data))
    return 0


def sha(path):
    print(hashlib.sha256(load(path)[352:]).hexdigest())
    return 0


def neighbours(i, X, Y, Z):
    x, y, z = i % X, i // X % Y, i // X // Y
    return ([i - 1] * (x > 0) + [i + 1] * (x + 1 < X) + [i - X] * (y > 0) + [i + X] * (y + 1 < Y) + [i - X * Y] * (z > 0) +
            [i + X * Y] * (z + 1 < Z))


def kept(path, seed):
    data = load(path)
    X, Y, Z, _ = dims_of(data)
    label = data[352:]
    x, y, z = (int(v) for v in seed.split(","))
    first = x + X * (y + Y * z)
    inside, queue = {first}, [first]
    while queue:
        for k in neighbours(queue.pop(), X, Y, Z):
            if label[k] == label[first] and k not in inside:
                inside.add(k)
                queue.append(k)
    component = bytes(label[i] if i in inside else 0 for i in range(len(label)))
    edge = bytes(c if any(component[k] != c for k in neighbours(i, X, Y, Z)) else 0 for i, c in enumerate(component))
    print(hashlib.sha256(component).hexdigest())
    print(hashlib.sha256(edge).hexdigest())
    return 0


if __name__ == "__main__":
    sys.exit({"golden": golden, "make": make, "header": header, "kept": kept, "sha": sha}[sys.argv[1]](*sys.argv[2:]))
