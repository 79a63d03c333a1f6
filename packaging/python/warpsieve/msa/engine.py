# SPDX-License-Identifier: MIT
"""Runs warpsieve's programs beside this process, shows how far they are, and ends them with it; writes files that appear whole."""
import ctypes
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from .. import Error, program

DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
LIBC = ctypes.CDLL(None) if sys.platform.startswith("linux") else None
OF_SEARCHES = ("jacksieve", "nhmmsieve", "hmmsieve")
_running = set()
_shown = []  # the line of progress that stands on the terminal


class Interrupted(Exception):
    """The user pressed Ctrl-C twice, or the run was asked to end at once."""


class Options:
    """The threads, memory and devices that the user allows, and where progress goes."""

    def __init__(self, threads=None, mem=None, backend=None, device=None, gpu_mem=None, quiet=False):
        self.threads, self.quiet = threads, quiet
        self.search = [word for name, value in (("--mem", mem), ("--backend", backend), ("--device", device), ("--gpu-mem", gpu_mem))
                       if value is not None for word in (name, str(value))]
        self.terminal = sys.stderr.isatty() and not quiet

    def words(self, tool):
        """Returns the options that a program gets. nhmmsieve's ensembles take --mem as well."""
        threads = ["--threads", str(self.threads)] if self.threads else []
        return threads + (self.search if tool in OF_SEARCHES else [])


def clear():
    """Takes the line of progress off the terminal."""
    if _shown:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
        _shown.clear()


def show(text):
    """Puts a line of progress on the terminal, in the place of the one before."""
    width = shutil.get_terminal_size().columns - 1
    sys.stderr.write("\r\033[K" + text[:width])
    sys.stderr.flush()
    _shown[:] = [text]


def _with_parent():
    """Runs in the child: it gets no Ctrl-C of the terminal, and is killed when this process ends in any way."""
    os.setsid()
    if LIBC is not None:
        LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL)


class Running:
    """A program whose standard output is read line by line; `messages` are its sentences."""

    def __init__(self, tool, words, options, what, read=False):
        self.tool, self.what, self.terminal, self.messages = tool, what, options.terminal, []
        show_it = ["--progress"] if options.terminal else ["--no-progress"]
        try:
            self.process = subprocess.Popen([program(tool)] + options.words(tool) + show_it + words, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE if read else subprocess.DEVNULL, stderr=subprocess.PIPE,
                                            preexec_fn=_with_parent)
        except OSError as e:
            raise Error(f"{what}: {tool} does not start: {e}") from None
        _running.add(self.process)
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self):
        """Splits standard error into progress, which moves, and sentences, which are kept."""
        rest, began = "", time.monotonic()
        for piece in iter(lambda: os.read(self.process.stderr.fileno(), 65536), b""):
            parts = re.split(r"([\r\n])", rest + piece.decode("utf-8", "replace"))
            rest = parts.pop()
            for text, end in zip(parts[::2], parts[1::2]):
                self._take(text, end, began)
            if rest.startswith("\033[K"):
                self._take(rest, "\r", began)
        self._take(rest, "\n", began)
        self.process.stderr.close()

    def _take(self, text, end, began):
        line = text.replace("\033[K", "").strip()
        if text.startswith("\033[K"):
            share = re.search(r", (\d+)%$", line)
            gone = time.monotonic() - began
            left = f", {gone * (100 - int(share[1])) / int(share[1]):.0f} s left" if share and int(share[1]) > 2 else ""
            if self.terminal and end == "\r" and line:
                show(f"{self.what}: {line.partition(': ')[2]}{left}")
        elif line:
            self.messages.append(line)

    def lines(self):
        """Yields the lines of standard output as text; bytes that are no UTF-8 stand there as \\xNN."""
        for line in self.process.stdout:
            yield line.decode("utf-8", "backslashreplace")

    def check(self):
        """Waits for the end, and returns the notes. Raises Error with the program's sentence if it failed."""
        status = self.process.wait()
        self.thread.join()
        _running.discard(self.process)
        clear()
        if self.process.stdout:
            self.process.stdout.close()
        if stopping.now:
            raise Interrupted()
        if status:
            said = " ".join(self.messages[-3:]) or f"{self.tool} ended with status {status}"
            raise Error(f"{self.what}: {said}")
        return self.messages


def run(tool, words, options, what):
    """Runs a program to its end; returns its notes."""
    return Running(tool, words, options, what).check()


# ---- work of Python, over all cores ----

_function = None  # of the work that is spread; a worker has it from the fork


def _call(item):
    return _function(item)


def _as_worker():
    """Runs in a worker: Ctrl-C is the parent's, and the worker ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if LIBC is not None:
        LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL)


def spread(function, items, options):
    """Returns the list of function(item) of all items, computed by a process for each thread that the user allows."""
    global _function
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    n = min(len(items), options.threads or cores)
    if n < 2:
        return [function(item) for item in items]
    _function = function
    sys.stderr.flush()
    with multiprocessing.get_context("fork").Pool(n, _as_worker) as pool:
        done = pool.map_async(_call, items, chunksize=1)
        while not done.ready():
            done.wait(0.2)
            if stopping.now:
                raise Interrupted()
        return done.get()


class _Stopping:
    """`soon`: the run ends after this pass; `now`: at once."""

    soon = now = False

    def __call__(self, number, _frame):
        if self.soon or number != signal.SIGINT:
            self.now = True
            for process in list(_running):
                process.kill()
        elif not self.soon:
            clear()
            os.write(2, b"warpsieve-msa: ends after this pass; Ctrl-C again ends at once\n")
        self.soon = True

    def listen(self):
        """Takes Ctrl-C and SIGTERM from now on."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self)


stopping = _Stopping()


def put(path, text):
    """Writes a file that appears whole, in the place of one that may be there."""
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.unlink(part)
