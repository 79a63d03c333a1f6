#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which version of CUDA brought a name, and whether sources get by with an older one.

    cuda_names.py list VERSION=FOLDER...         prints "name<TAB>version" of all names in the headers below these folders,
                                                 which are in the order of the versions (tests/data/cuda/README.md)
    cuda_names.py check LIST VERSION FILE...     prints each name of the files that VERSION does not have, and exits 1

Names are those of the runtime (cudaMalloc), those that begin with two underscores (__shfl_sync), and cooperative_groups::x.
A newer name is in order between "#if CUDART_VERSION >= N" and its #else or #endif. Text in asm() is not read.
"""
import gzip
import os
import re
import sys

NAME = re.compile(r"\bcuda[A-Z]\w*|\b__[a-z]\w*|\b(?:cooperative_groups|cuda|cub|thrust)::\w+(?:::\w+)*")
GROUPS = re.compile(r"\b([a-z][a-z_0-9]*)\s*\(|\b(?:class|struct|enum)\s+([a-z]\w+)")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
# Words of the compiler for processors, and names that the linker makes.
COMPILER = re.compile(r"__(attribute__|restrict__|asm__|cplusplus|builtin_\w+|atomic_\w+|x86_64__|aarch64__|clang__|st(art|op)_\w+)")


def release(text):
    return tuple(int(n) for n in text.split("."))


def make_list(folders):
    first = {}
    for version, folder in (f.split("=", 1) for f in folders):
        for where, _, names in os.walk(folder):
            for name in names:
                if not re.search(r"\.(h|hpp)$", name):
                    continue
                with open(os.path.join(where, name), errors="replace") as f:
                    text = NOT_CODE.sub(" ", f.read())
                found = [n for n in NAME.findall(text) if not n.startswith(("__nv", "__internal")) and not COMPILER.fullmatch(n)]
                if "cooperative_groups" in os.path.join(where, name):
                    found += ["cooperative_groups::" + (a or b) for a, b in GROUPS.findall(text)]
                for n in found:
                    first.setdefault(n, version)
    for n in sorted(first):
        print(f"{n}\t{first[n]}")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def lines_with_version(text, version):
    """Yields the number of a line, its code, and the version whose names it may use."""
    stack = [version]
    for number, line in enumerate(NOT_CODE.sub(blank, text).split("\n"), 1):
        words = line.split()
        word = re.sub(r"^#\s*", "#", line.strip()).split(" ")[0]
        guard = re.search(r"CUDART_VERSION\s*>=\s*(\d+)", line)
        here = max(stack[-1], (int(guard[1]) // 1000, int(guard[1]) % 1000 // 10)) if guard else stack[-1]
        if word in ("#if", "#ifdef", "#ifndef"):
            stack.append(here)
        elif word in ("#elif", "#else"):
            stack.pop()
            stack.append(max(stack[-1], here) if word == "#elif" and guard else stack[-1])
        elif word == "#endif":
            stack.pop()
        elif words:
            yield number, line, stack[-1]


def check(path, version, files):
    with gzip.open(path, "rt") as f:
        known = {n: release(v) for n, v in (line.split() for line in f)}
    newest = ".".join(str(n) for n in max(known.values()))
    bad = used = 0
    for name in files:
        with open(name) as f:
            text = f.read()
        for number, line, may in lines_with_version(text, release(version)):
            for n in NAME.findall(line):
                used += 1
                came = known.get(n)
                if came is None and COMPILER.fullmatch(n):
                    continue
                if came is None:
                    print(f"{name}:{number}: {n} is in no header of CUDA up to {newest} that {path} was made from")
                elif came > may:
                    came = ".".join(str(c) for c in came)
                    print(f"{name}:{number}: {n} came with CUDA {came}, and these sources compile with {version}: "
                          f"put it behind #if CUDART_VERSION >= {came.split('.')[0]}0{came.split('.')[1]}0")
                else:
                    continue
                bad += 1
    if not used:
        sys.exit("cuda_names.py: no name of CUDA in these files")
    print(f"{len(files)} files, {used} names of CUDA, {bad} that {version} does not have")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "list":
        make_list(sys.argv[2:])
    elif len(sys.argv) > 4 and sys.argv[1] == "check":
        check(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        sys.exit(__doc__)
