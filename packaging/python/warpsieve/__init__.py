# SPDX-License-Identifier: MIT
"""The programs of warpsieve from Python, and their tables as pandas.DataFrame.

    import warpsieve
    hits = warpsieve.read_table(warpsieve.run("msvfilt", "m.hmm", "db.fa.gz", P=0.02, threads=8))

A pipe is a run with another run as its input:

    passed = warpsieve.run("msvfilt", "m.hmm", "db.fa.gz")
    hits = warpsieve.read_table(warpsieve.run("fwdscore", "m.hmm", input=passed, Z=400))

Nothing is lost in silence: a program that fails raises warpsieve.Error with the sentence that it wrote, and so does a
table whose end is missing.
"""
import gzip
import importlib.metadata
import io
import os
import shutil
import signal
import subprocess
import tempfile

__all__ = ["Error", "Process", "program", "read_table", "run"]

# Columns of text; in all others of numbers an empty field is NaN.
TEXT = ("name", "seq", "qual", "desc", "query")


class Error(Exception):
    """A program failed, or a table is cut."""


def program(name):
    """Returns the path of a program: the one that was installed with this module, else the one in PATH.

    Raises Error if there is none.
    """
    try:
        installed = importlib.metadata.files("warpsieve") or []
    except importlib.metadata.PackageNotFoundError:
        installed = []
    places = [os.path.realpath(f.locate()) for f in installed if f.parts[-2:] == ("bin", name)]
    places.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin", name))  # pip install --target
    for path in places:
        if os.access(path, os.X_OK):
            return path
    path = shutil.which(name)
    if path is None:
        raise Error(f"there is no program {name}: neither was it installed with this module, nor is it in PATH")
    return path


def arguments(operands, options):
    """Returns the words of a command line: P=0.02 is -P 0.02, out_format="ids" is --out-format=ids, all=True --all."""
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        option = f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif len(name) == 1:
            words += [option, str(value)]
        else:
            words.append(f"{option}={value}")
    return words + ["--"] + [os.fspath(o) for o in operands]


class Process(subprocess.Popen):
    """A program that runs, with its output in `stdout`. It keeps the text on standard error for Error."""

    def __init__(self, words, source):
        self.source = source if isinstance(source, Process) else None
        self.messages = tempfile.TemporaryFile()
        # A caller without an input gets none: to read it fails, and is not an input without sequences.
        closed = os.open(os.devnull, os.O_WRONLY) if source is None else None
        try:
            stdin = source.stdout if self.source else closed if source is None else source
            super().__init__(words, stdin=stdin, stdout=subprocess.PIPE, stderr=self.messages)
        finally:
            if closed is not None:
                os.close(closed)
        if self.source:
            source.stdout.close()  # this process has it now, so that the one before sees when its reader is gone

    def failure(self):
        """Waits for the end, of all programs of the pipe. Returns the sentence of the first that failed, or None."""
        before = self.source.failure() if self.source else None
        status = self.wait()
        if before or status == 0 or status == -signal.SIGPIPE:
            return before
        self.messages.seek(0)
        text = self.messages.read().decode(errors="replace").strip()
        return text or f"{self.args[0]} ended with status {status}"

    def check(self):
        """Waits for the end, of all programs of the pipe; raises Error if one of them failed."""
        failure = self.failure()
        if failure:
            raise Error(failure)


def run(tool, *operands, input=None, **options):
    """Starts a program and returns its Process.

    `operands` are models and files, `options` those of the program: P=0.02, threads=8, all=True, out_format="fasta".
    `input` is its standard input: another Process, or an open file; without it there is none.
    """
    return Process([program(tool)] + arguments(operands, options), input)


class _Rows(io.TextIOBase):
    """The rows of a table in `file` for pandas to read, without the lines about them; `columns` has the header."""

    def __init__(self, file, allow_cut):
        super().__init__()
        self.file = file
        self.allow_cut = allow_cut
        self.columns = None
        self.open = False  # after a line about a program, before the line of its end
        self.first = next(self.lines(), "")

    def lines(self):
        """Yields rows; reads headers and lines about programs. Tables may follow one another, as cat joins them."""
        for line in self.file:
            if line.startswith("##record\t"):
                continue  # a record's length, which may stand anywhere
            if line.startswith("##"):
                self.open = not line.startswith("##end")
            elif line.startswith("#") or self.columns is None:
                columns = line.lstrip("#").rstrip("\n").split("\t")
                if self.columns not in (None, columns):
                    raise Error(f"another header in the same table: {line.strip()!r} after {self.columns}")
                self.columns = columns
            elif line.count("\t") == len(self.columns) - 1:
                yield line
            elif line.endswith("\n"):
                n = line.count("\t") + 1
                raise Error(f"a row of {n} fields under a header of {len(self.columns)}: {line[:60]!r}")
            else:
                self.open = True  # the last row is a part of one
        if self.open and not self.allow_cut:
            raise Error("the table is cut: it has no line ##end behind its last row")

    def readable(self):
        return True

    def read(self, size=-1):
        text, n = [self.first], len(self.first)
        self.first = ""
        for line in self.lines():
            text.append(line)
            n += len(line)
            if 0 <= size <= n:
                break
        return "".join(text)


def _open(source):
    if isinstance(source, Process):
        return io.TextIOWrapper(source.stdout, encoding="utf-8", errors="surrogateescape", newline="\n")
    if hasattr(source, "read"):
        return source
    with open(source, "rb") as f:
        packed = f.read(2) == b"\x1f\x8b"
    return (gzip.open if packed else open)(source, "rt", encoding="utf-8", errors="surrogateescape", newline="\n")


def read_table(source, allow_cut=False):
    """Returns a table as pandas.DataFrame; `source` is a file (plain or gzip), an open file of text, or a Process.

    Texts (names, sequences, descriptions, queries) are str, and empty where nothing is given. Numbers are numbers, and
    NaN where nothing is given; inf is a score beyond the range of a filter. A program that failed raises Error, and so
    does a table without its line ##end, unless allow_cut=True, which is for `head` in between.
    """
    try:
        import pandas
    except ImportError as e:
        raise Error("read_table needs pandas: pip install warpsieve[pandas]") from e
    file = _open(source)
    try:
        rows = _Rows(file, allow_cut)
        columns = rows.columns or []
        text = {c: str for c in columns if c in TEXT}
        table = pandas.DataFrame(columns=columns)
        if rows.first:
            table = pandas.read_csv(rows, sep="\t", names=columns, dtype=text, lineterminator="\n", quoting=3,
                                    keep_default_na=False, na_values=[""], float_precision="round_trip",
                                    encoding_errors="surrogateescape")
    except Error:
        file.close()  # so that the program ends
        failure = source.failure() if isinstance(source, Process) else None
        if failure:
            raise Error(failure) from None
        raise
    finally:
        file.close()
    if isinstance(source, Process):
        source.check()
    for c in text:
        table[c] = table[c].fillna("")
    return table
