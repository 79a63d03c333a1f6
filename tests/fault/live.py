#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A command in the middle of a living pipeline:

    live.py signal NAME INPUT -- COMMAND...     a signal in mid-stream: it dies of it within a second
    live.py stopped SECONDS INPUT -- COMMAND... an endless input and a reader that stops: memory does not grow
    live.py trickle INPUT -- COMMAND...         one byte at a time: each answer within a second of its record being complete

COMMAND reads standard input; INPUT is a file. For trickle an answer is a line of output that begins with the record's name.
"""
import os
import select
import signal
import subprocess
import sys
import threading
import time


def start(command):
    def by_default():  # tests that run in the background ignore SIGINT, and their children inherit that
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, preexec_fn=by_default)


def feed_for_ever(p, data):
    try:
        while True:
            p.stdin.write(data)
    except (BrokenPipeError, ValueError, OSError):
        pass


def reference(command, data):  # the status is 1 for a series of volumes, whose header promises more of them
    out = subprocess.run(command, input=data, stdout=subprocess.PIPE).stdout
    assert out, "no output"
    return out


def by_signal(name, path, command):
    data, number = open(path, "rb").read(), getattr(signal, name)
    p = start(command)
    threading.Thread(target=feed_for_ever, args=(p, data), daemon=True).start()
    got = b""
    while len(got) < 200000:
        got += os.read(p.stdout.fileno(), 65536)
    then = time.time()
    p.send_signal(number)
    while time.time() < then + 5:
        piece = os.read(p.stdout.fileno(), 65536)
        if not piece:
            break
        got += piece
    status, took = p.wait(5), time.time() - then
    assert status == -number, f"status {status}"
    assert took < 1, f"{took:.1f} s until it died"
    assert b"\n##end" not in got, "the stream has an end"
    again = reference(command, data * (2 + 2 * len(got) // max(1, len(reference(command, data)))))
    assert again.startswith(got), "the output is no beginning of the whole one"


def memory(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def settled(pid):
    """The memory once two seconds have not changed it, or after a minute: queues of a busy machine take a while to fill."""
    first = memory(pid)
    for _ in range(30):
        time.sleep(2)
        last, first = first, memory(pid)
        if first == last:
            break
    return first


def stopped(seconds, path, command):
    data = open(path, "rb").read()
    p = start(command)
    threading.Thread(target=feed_for_ever, args=(p, data), daemon=True).start()
    got = os.read(p.stdout.fileno(), 4096)
    assert got, "no output"
    first, most = settled(p.pid), 0
    end = time.time() + seconds
    while time.time() < end:
        most = max(most, memory(p.pid))
        time.sleep(0.1)
    while len(got) < 1 << 20: # it goes on where it was
        piece = os.read(p.stdout.fileno(), 65536)
        assert piece, "it ended"
        got += piece
    p.kill()
    p.wait()
    again = reference(command, data * (2 + 2 * len(got) // max(1, len(reference(command, data)))))
    assert again.startswith(got), "the output is no beginning of the whole one"
    assert most <= first + 4096, f"memory grew from {first} KiB to {most} KiB while no program read"
    print(f"{first} {most}")


def records_of(data):
    """(name, offset after which its answer is due): a FASTA record is complete at the next '>', a row at its newline."""
    out, at = [], 0
    if data.startswith(b">"):
        while at < len(data):
            behind = data.find(b">", at + 1)
            if behind < 0:
                break
            out.append((data[at + 1:behind].split()[0], behind + 1))
            at = behind
        return out
    for line in data.splitlines(keepends=True):
        at += len(line)
        if not line.startswith(b"#"):
            out.append((line.split(b"\t")[0], at))
    return out


def trickle(path, command):
    data = open(path, "rb").read()
    due, answered, worst = records_of(data), 0, 0.0
    assert len(due) > 2
    p = start(command)
    sent_at, got, next_due = {}, b"", 0
    at = 0

    def collect(wait):
        nonlocal got, answered, worst
        while select.select([p.stdout], [], [], wait)[0]:
            piece = os.read(p.stdout.fileno(), 65536)
            if not piece:
                return
            got += piece
            lines = [x for x in got.split(b"\n")[:-1] if x and not x.startswith(b"#")]
            for i in range(answered, min(len(lines), len(due))):
                assert lines[i].split(b"\t")[0] == due[i][0], (lines[i], due[i])
                worst = max(worst, time.time() - sent_at.get(i, time.time()))
            answered = len(lines)
            wait = 0

    while at < len(data):
        p.stdin.write(data[at:at + 1])
        at += 1
        if next_due < len(due) and at == due[next_due][1]:
            sent_at[next_due] = time.time()
            next_due += 1
            if next_due % 4 == 0: # now and then it falls silent
                end = time.time() + 1
                while answered < next_due and time.time() < end:
                    collect(0.05)
                assert answered >= next_due, f"record {next_due} had no answer within a second"
        collect(0)
        time.sleep(0.0002)
    p.stdin.close()
    while True:
        piece = os.read(p.stdout.fileno(), 65536)
        if not piece:
            break
        got += piece
    assert p.wait(10) == 0
    assert got == reference(command, data), "the bytes depend on the pace"
    assert worst < 1, f"an answer took {worst:.2f} s"
    print(f"{len(due)} {worst:.3f}")


def main():
    what, split = sys.argv[1], sys.argv.index("--")
    arguments, command = sys.argv[2:split], sys.argv[split + 1:]
    if what == "signal":
        by_signal(arguments[0], arguments[1], command)
    elif what == "stopped":
        stopped(float(arguments[0]), arguments[1], command)
    else:
        trickle(arguments[0], command)


main()
