#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One-line mutants of lib/ and kernels/: does a test notice? Run by `make mutants` in a copy of the tree, which it changes and restores.

    tests/mutants.py COUNT [SEED [FIRST [PLACE...]]]     mutants FIRST to COUNT of those that SEED chooses

A PLACE is the beginning of a path, such as bin/fit or lib/hits/dna_; without one, every file is a place.

Each mutant changes one operator, number or condition of one line of code, is built, and meets the tests nearest to its folder.
A mutant that is not built counts as killed, and so does one whose test takes five times as long as without it. A test that fails
without a mutant is left out, and said. Prints a line for each mutant that survives, then the counts. Exits with 0: a list to read is
the result. When it is stopped it restores the line and ends what it started.
"""
import contextlib
import ctypes
import glob
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from near import nearest

# A text in a line, and the text that takes its place.
CHANGES = [
    (r" == ", " != "), (r" != ", " == "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ 1\b", " + 2"), (r" - 1\b", ""), (r" \+ ", " - "), (r"\bif \(!", "if ("),
    (r"\bif \((?!!)", "if (!("), (r" = 0;", " = 1;"), (r" = 1;", " = 0;"), (r"\breturn rc;", "return 0;"), (r"\bbreak;", ";"),
    (r"\+\+;", "+= 2;"), (r" \+= ", " -= "),
]
SECONDS = 300  # a build or a test that takes longer hangs
LEAST = 20     # no test is given less than five times this
PR_SET_CHILD_SUBREAPER = 36
LIMITS = ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_FSIZE, 4 << 30))  # of each process, also of one that no process waits for


def lines_of(path):
    """Numbers of the lines that hold code: no comments, directives, strings alone."""
    inside = False
    for i, line in enumerate(open(path)):
        text = line.strip()
        comment = inside or text.startswith("/*")
        inside = comment and "*/" not in text
        if not comment and text and not text.startswith(("#", "*", "//", '"', "static const", "extern")):
            yield i


def candidates():
    for path in sorted(glob.glob("lib/*/*.c") + glob.glob("kernels/*/*.c") + glob.glob("bin/*/*.c")):
        if path.endswith(("/test.c", "/bench.c", "_none.c", "_device.c")) or path.startswith("lib/dev/"):
            continue
        text = open(path).read().split("\n")
        for i in lines_of(path):
            code = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + "x" * (len(m.group()) - 2) + '"', text[i].split("/*")[0])
            for pattern, to in CHANGES:
                for m in re.finditer(pattern, code):
                    new = text[i][:m.start()] + to + text[i][m.end():]
                    if to == "if (!(":  # close the parenthesis that was opened
                        depth, at = 0, m.end() - 1
                        for at in range(m.end() - 1, len(code)):
                            depth += {"(": 1, ")": -1}.get(code[at], 0)
                            if depth == 0:
                                break
                        if depth:
                            continue
                        new = text[i][:m.start()] + to + text[i][m.end():at] + "))" + text[i][at + 1:]
                    yield path, i, new


def adopt():
    """Orphans become children of this process, whatever group or session they made for themselves."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_children():
    """Kills the children, then their children, which become those of this process, until there are none."""
    while True:
        with open(f"/proc/self/task/{os.getpid()}/children") as f:
            children = [int(pid) for pid in f.read().split()]
        if not children:
            return
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def bounds():
    for what, most in LIMITS:
        resource.setrlimit(what, (most, most))


def run(command, seconds=SECONDS):
    """0, the status of a failure, 1 with the first line "not ok", or 124 after so many seconds. Ends all that the command started."""
    end = time.monotonic() + seconds
    with tempfile.TemporaryFile() as told:
        p = subprocess.Popen(command, stdout=told, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True,
                             preexec_fn=bounds)
        status = None
        while status is None:
            try:
                status = p.wait(1)
            except subprocess.TimeoutExpired:
                if b"\nnot ok" in b"\n" + os.pread(told.fileno(), 1 << 20, 0):
                    status = 1
                elif time.monotonic() > end:
                    status = 124
    end_children()
    return status


def fails(test, seconds=SECONDS):
    if test.endswith(".bats"):
        return run(["make", "-j2", "CUDA=0", "all"]) or run(["bats", "--tap", test], seconds)
    return run(["make", "CUDA=0", test]) or run([test], seconds)


def time_of(test, known={}):
    """Seconds of a test that passes without a mutant, or None; asked once."""
    if test not in known:
        began = time.monotonic()
        known[test] = None if fails(test) else time.monotonic() - began
        if known[test] is None:
            print(f"left out, because it fails without a mutant: {test}", flush=True)
    return known[test]


@contextlib.contextmanager
def changed(path, i, new):
    """Has a mutant in the place of a line."""
    old = open(path).read()
    text = old.split("\n")
    text[i] = new
    try:
        open(path, "w").write("\n".join(text))
        yield
    finally:
        open(path, "w").write(old)


def killed_by(mutant, tests, passed={}):
    """The first test that notices the mutant and passes without it, or None. Seconds of tests that pass limit the next ones."""
    with changed(*mutant):
        if run(["make", "-j2", "CUDA=0", "build/libwarpsieve.a"]):
            return "the compiler"
        for by in tests:
            began = time.monotonic()
            if fails(by, 5 * max(passed[by], LEAST) if by in passed else SECONDS):
                break
            passed[by] = time.monotonic() - began
        else:
            return None
    if by not in passed and time_of(by) is None:
        return killed_by(mutant, tests[tests.index(by) + 1:])
    return by


def stop(number, frame):
    signal.signal(number, signal.SIG_IGN)
    end_children()
    sys.exit(128 + number)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    places = tuple(sys.argv[4:]) or ("",)
    chosen = random.Random(seed).sample([c for c in candidates() if c[0].startswith(places)], count)
    survivors = 0
    adopt()
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, stop)
    for n, (path, i, new) in enumerate(chosen[first - 1:], first):
        was = open(path).read().split("\n")[i]
        by = killed_by((path, i, new), nearest(path))
        survivors += by is None
        if by is None:
            print(f"survived {path}:{i + 1}\n  was {was.strip()}\n  is  {new.strip()}", flush=True)
        else:
            print(f"# {n} of {count}: {path}:{i + 1} killed by {by}", file=sys.stderr, flush=True)
    met = len(chosen[first - 1:])
    print(f"mutants {met}, killed {met - survivors}, survived {survivors}, seed {seed}")


if __name__ == "__main__":
    main()
