#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command once without and many times with a fault of tests/fault/shim.c (SHIM is the library) or of
tests/fault/cuda.cu (SHIM is -, the command is built with it), and checks what each run leaves behind.

    drive.py SHIM KIND FIRST LAST STEP FORM OUTPUT... -- COMMAND...

The fault KIND=N strikes for N = FIRST, FIRST+STEP, ... until LAST or until it strikes no more; KIND without N if FIRST is -. KIND may
be several, with a comma between them: the run without a fault is for all.
WARPSIEVE_FAULT_EVERY multiplies STEP, for builds that are slow.
FORM is tsv, text, packed, models (text whose cut is the end of a model), or lines: whole lines that need not be a beginning
of the faultless output. An OUTPUT is a file the command writes, "stdout" what it writes there (a file here), "pipe" the same
through a pipe. Each run must end in time, with status 0 and the same bytes, or with status 1, one sentence, and whole rows
that are the beginning of the faultless output. Before that sentence there may be notes of devices that were lost.
With WS_FAULT_DEVICE the faults are of one of several devices: each run must end with status 0 and one note, or without where
the fault may do no harm.
"""
import os
import subprocess
import sys


def fail(what):
    print(what, file=sys.stderr)
    sys.exit(1)


def run(command, env, outputs):
    for o in outputs:
        if o not in ("stdout", "pipe") and os.path.exists(o):
            os.unlink(o)
    with open("fault.out", "wb") as out:
        where = subprocess.PIPE if "pipe" in outputs else out
        p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=where, stderr=subprocess.PIPE, env=env, timeout=60)
    got = {}
    for o in outputs:
        name = "fault.out" if o == "stdout" else o
        got[o] = p.stdout if o == "pipe" else open(name, "rb").read() if os.path.exists(name) else b""
    return p.returncode, got, p.stderr


def records(form, data):
    """Returns the units between which an output may be cut: lines of text, or the sequences that respack finds in packed."""
    if form != "packed":
        return data
    p = subprocess.run(["respack", "-O", "fasta", "-"], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.stdout


def check_of_one(status, kind, err, label):
    lines = err.decode(errors="replace").splitlines()
    least = kind in ("device-memory", "launch", "lost", "context")
    if status or not least <= len(lines) <= 1 or any(": goes on without device " not in x for x in lines):
        fail(f"{label}: status {status}, expected one note of a device: {lines}")


def check(status, got, err, want, form, label):
    if status == 0:
        for o in want:
            if got[o] != want[o]:
                fail(f"{label}: status 0, but {o} differs")
        return "survived"
    if status != 1:
        fail(f"{label}: status {status}; {err.decode(errors='replace')}")
    lines = [x for x in err.decode(errors="replace").splitlines() if ": goes on without device " not in x]
    if len(lines) != 1 or ": " not in lines[0]:
        fail(f"{label}: not one sentence: {lines}")
    for o in want:
        part = records(form, got[o])
        if part and form != "packed" and not part.endswith(b"\n"):
            fail(f"{label}: {o} ends inside a row: {part[-80:]!r}")
        if form == "models" and o == "stdout" and part and not part.endswith(b"\n//\n"):
            fail(f"{label}: {o} ends inside a model: {part[-80:]!r}")
        if form == "lines":
            continue
        whole = records(form, want[o])
        if not whole.startswith(part):
            at = next(i for i in range(len(part)) if i >= len(whole) or part[i] != whole[i])
            fail(f"{label}: {o} differs from byte {at}: {part[max(0, at - 40):at + 40]!r}")
    return "refused"


def main():
    shim, kind, first, last, step, form = sys.argv[1:7]
    split = sys.argv.index("--")
    outputs, command = sys.argv[7:split], sys.argv[split + 1:]
    status, want, err = run(command, dict(os.environ), outputs)
    if status or err:
        fail(f"without a fault: status {status}, {err}")
    for one in kind.split(","):
        strike_all(shim, one, first, last, step, form, outputs, command, want)


def strike_all(shim, kind, first, last, step, form, outputs, command, want):
    count = {"survived": 0, "refused": 0}
    numbers = [None] if first == "-" else range(int(first), int(last) + 1, int(step) * int(os.environ.get("WARPSIEVE_FAULT_EVERY") or 1))
    for n in numbers:
        fault = kind if n is None else f"{kind}={n}"
        if os.path.exists("fault.log"):
            os.unlink("fault.log")
        env = dict(os.environ, WS_FAULT=fault, WS_FAULT_LOG="fault.log")
        if shim != "-":
            env["LD_PRELOAD"] = shim
        label = f"{' '.join(command)} with {fault}"
        try:
            status, got, err = run(command, env, outputs)
        except subprocess.TimeoutExpired:
            fail(f"{label}: still running after 60 seconds")
        if "WS_FAULT_DEVICE" in env and os.path.exists("fault.log"):
            check_of_one(status, kind, err, label)
        outcome = check(status, got, err, want, form, label)
        if not os.path.exists("fault.log"):
            if status:
                fail(f"{label}: status {status} without a fault; {err}")
            break
        count[outcome] += 1
    total = sum(count.values())
    if not total:
        fail(f"{kind}: no fault struck {' '.join(command)}")
    with open("fault.counts", "a") as f:
        f.write(f"{kind}\t{count['survived']}\t{count['refused']}\n")


main()
