# SPDX-License-Identifier: MIT
"""The searches of warpsieve in memory, its programs from Python, and their tables as pandas.DataFrame.

    import warpsieve
    for hits in warpsieve.hmmsearch("m.hmm", [("a", "MKVLAAGIVG")], cpus=8):
        print([(hit.name, hit.evalue, hit.score) for hit in hits.reported])

hmmsearch, hmmscan, phmmer, jackhmmer, nhmmer, hmmalign and hmmbuild run in this process, and their results have pyhmmer's
attributes. warpsieve.patch() puts them in pyhmmer's place, with its own objects. A program
that runs beside this process, and its table:

    import warpsieve
    hits = warpsieve.read_table(warpsieve.run("msvfilt", "m.hmm", "db.fa.gz", P=0.02, threads=8))

A pipe is a run with another run as its input:

    passed = warpsieve.run("msvfilt", "m.hmm", "db.fa.gz")
    hits = warpsieve.read_table(warpsieve.run("fwdscore", "m.hmm", input=passed, Z=400))

Nothing is lost in silence: a program that fails raises warpsieve.Error with the sentence that it wrote, and so does a
table whose end is missing.
"""
import gzip
import importlib
import importlib.metadata
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zlib

__all__ = ["Error", "HMM", "Process", "hmmalign", "hmmbuild", "hmmscan", "hmmsearch", "jackhmmer", "nhmmer", "patch", "phmmer", "program",
           "read_arrow", "read_table", "run", "unpatch", "write_table"]

_HERE = {"HMM": "inputs", **{name: "hits" for name in ("Alignment", "Domain", "Hit", "Query", "TopHits")},
         **{name: "search" for name in ("IterationResult", "hmmalign", "hmmbuild", "hmmscan", "hmmsearch", "jackhmmer", "nhmmer",
                                       "phmmer")}}


def __getattr__(name):
    """Loads what searches in memory need when it is first used: `import warpsieve` alone is quick."""
    if name == "__version__":
        try:
            return importlib.metadata.version("warpsieve")
        except importlib.metadata.PackageNotFoundError:
            pass  # an Error of a tree that is not installed is not about the package
        return __getattr__("search").library().ws_library_version().decode()
    if name == "NUMBERS":
        return _numbers()
    if name not in _HERE and name not in _HERE.values() and name != "pyhmmer":
        raise AttributeError(f"module 'warpsieve' has no attribute {name!r}")
    module = importlib.import_module(f"warpsieve.{_HERE.get(name, name)}")
    return getattr(module, name) if name in _HERE else module


# The programs that write tables. Their columns are those that --help names: TEXT, and NUMBERS, in which an empty field is NaN.
# Any other column is of numbers if all its fields are numbers as programs write them: 0012 is text.
TABLES = ("ssvfilt", "msvfilt", "vitfilt", "fwdscore", "domscore", "nhmmsieve", "respack", "pairhmm", "papara-score", "mrfseg")
TEXT = ("name", "seq", "qual", "desc", "query", "query_accession", "strand", "cigar", "pp", "ali_seq", "ali_model", "volume", "class",
        "precision")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[-+][0-9]+)?|-?inf")
IN_NUMBERS = frozenset("0123456789+-.eE infa")  # float() and int() also take _, and digits of all scripts
END = re.compile(r"##end rows=(0|[1-9][0-9]{0,17})( in=(0|[1-9][0-9]{0,18}) residues=(0|[1-9][0-9]{0,18}))?\n")


class Error(Exception):
    """A program failed, or a table is cut."""


def patch(backend=None):
    """Puts warpsieve's searches in the place of pyhmmer's, for programs that call pyhmmer. Returns what undoes it.

        warpsieve.patch()
        from pyhmmer import hmmsearch  # warpsieve's

        with warpsieve.patch():  # for a while
            ...

    It replaces pyhmmer's hmmsearch, hmmscan, phmmer, jackhmmer, nhmmer and hmmalign, which take and return pyhmmer's objects as
    before. Everything else stays pyhmmer's own. A module that imported one of these functions earlier keeps what it has. `backend`
    is auto, cuda, or another that --list-backends shows. Raises Error without pyhmmer 0.11 or 0.12.
    """
    try:
        module = importlib.import_module("warpsieve.pyhmmer._patch")
    except ImportError as e:
        if e.name != "pyhmmer":
            raise
        raise Error(str(e)) from None
    return module.Patch(backend)


def unpatch():
    """Undoes all of patch(): the searches of pyhmmer are its own again."""
    module = sys.modules.get("warpsieve.pyhmmer._patch")
    if module:
        module.undo_all()


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


def help_columns(text):
    """Returns the columns that a program's --help names: all behind "Columns that", also those of some inputs alone."""
    said = re.search(r"^Columns that -f takes[^\n]*:\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.sub(r"\((?:of \w+: (\w+)|[^)]*)\)", r" \1", said[1]).replace(",", " ").split() if said else []


def _numbers():
    """Returns NUMBERS: it asks all programs of TABLES at once, when a table is read for the first time."""
    if "NUMBERS" not in globals():
        words = [[program(name), "--help"] for name in TABLES]
        asked = [subprocess.Popen(w, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for w in words]
        columns = [help_columns(p.communicate()[0].decode("utf-8", "replace")) for p in asked]
        if not all(columns):
            raise Error(f"{words[columns.index([])][0]} --help names no columns; expected the program of this module's version")
        globals()["NUMBERS"] = frozenset(c for names in columns for c in names if c not in TEXT)
    return globals()["NUMBERS"]


def arguments(operands, options):
    """Returns the words of a command line: P=0.02 is -P 0.02, out_format="ids" is --out-format=ids, all=True --all.

    A list gives the option once for each of its values: m=["a.hmm", "b.hmm"] is -m a.hmm -m b.hmm. An underscore at the
    end, as in class_=["fat:-100:20", "liver:60:15"], is for words of Python and falls away.
    """
    words = []
    for name, values in options.items():
        name = name.rstrip("_")
        option = f"-{name}" if len(name) == 1 else "--" + name.replace("_", "-")
        for value in values if isinstance(values, (list, tuple)) else [values]:
            if value is None or value is False:
                continue
            if value is True:
                words.append(option)
            elif len(name) == 1:
                words += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
            else:
                words.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
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

    def _take_rest(self):
        """Moves output that was not read into a file, which becomes `stdout`: the program would wait for its reader."""
        if self.stdout.closed or not isinstance(self.stdout, io.BufferedReader):
            return
        rest = tempfile.TemporaryFile()
        shutil.copyfileobj(self.stdout, rest)
        self.stdout.close()
        rest.seek(0)
        self.stdout = rest

    def failure(self):
        """Waits for the end, of all programs of the pipe. Returns the sentence of the first that failed, or None."""
        self._take_rest()
        before = self.source.failure() if self.source else None
        status = self.wait()
        if before or status == 0 or status == -signal.SIGPIPE:
            return before
        self.messages.seek(0)
        text = self.messages.read().decode(errors="replace").strip()
        return text or f"{self.args[0]} ended with status {status}"

    def check(self):
        """Waits for the end, of all programs of the pipe; raises Error if one of them failed.

        Output that was not read stays: `stdout` is then a temporary file.
        """
        failure = self.failure()
        if failure:
            raise Error(failure)


def run(tool, *operands, input=None, **options):
    """Starts a program and returns its Process.

    `operands` are models and files, `options` those of the program: P=0.02, threads=8, all=True, out_format="fasta"; a
    list repeats an option.
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
        self.names = None  # the header as a line, without #
        self.begun = self.ended = self.owed = 0  # lines pg=1 and ##end; those of pg=1 before the last header
        self.rows = 0  # since the last header or end
        self.provenance = []  # the lines ##warpsieve before the first row
        self.first = next(self.lines(), "")

    def cut(self, what):
        if not self.allow_cut:
            raise Error(f"the table is cut: {what}")

    def about(self, line):
        """Takes a line "##"."""
        if line.startswith("##end"):
            says = END.fullmatch(line)
            if not says:
                self.cut(f"expected ##end rows=N in=N residues=N, found {line[:80]!r}")
            elif self.rows > int(says[1]) or (self.rows and says[2] and not int(says[3])):
                self.cut(f"it has {self.rows} rows, but {line.strip()!r} behind them")
            self.ended += 1
            self.rows = 0
        elif "##warpsieve pg=1 " in line[1:] or not line.endswith("\n"):
            self.cut(f"another table begins, or the file ends, inside the line {line[:80]!r}")
        else:
            self.begun += line.startswith("##warpsieve pg=1 ")
            if line.startswith("##warpsieve ") and self.columns is None:
                self.provenance.append(line)

    def header(self, line):
        """Takes a header. Tables may follow one another, as cat joins them."""
        if self.ended < self.owed:
            self.cut("another one begins, but no ##end line stands before it")
        self.owed, self.rows = self.begun, 0
        if self.columns is not None:
            if line != self.names:
                raise Error(f"another header in the same table: {line!r} after {self.names!r}")
            return
        self.names, self.columns = line, line.split("\t")

    def is_header(self, line):
        """Whether a line of a table whose columns are known repeats them; a record may be named #name."""
        two = "\t".join(self.columns[:2]) + ("\t" if len(self.columns) > 2 else "")
        return line[1:].startswith(two) if line.startswith("#") else line == self.names

    def lines(self):
        """Yields rows; reads headers and lines about programs."""
        for line in self.file:
            text = line[:-1] if line.endswith("\n") else line
            fields = text.count("\t") + 1
            if line.startswith("##") and (self.columns is None or fields != len(self.columns)):
                if not line.startswith("##record\t"):  # a record's length, which may stand anywhere
                    self.about(line)
            elif self.columns is None:
                if not line.startswith("#") and not _numbers().union(TEXT) & set(text.split("\t")):
                    raise Error(f"the first line is {text[:80]!r}, expected names of columns: read_table reads tables with their header, "
                                "which -O tsv and --header=hash or plain give")
                self.header(text.removeprefix("#"))
            elif self.is_header(text):
                self.header(text.removeprefix("#"))
            elif fields != len(self.columns) and line.endswith("\n"):
                raise Error(f"a row of {fields} fields under a header of {len(self.columns)}: {line[:60]!r}")
            elif not line.endswith("\n") and (self.begun or fields != len(self.columns)):
                self.cut("its last row is a part of one")
            elif self.begun and "##warpsieve pg=1 " in text[text.rfind("\t"):]:
                self.cut(f"another table begins inside the row {text[:60]!r}")
            else:
                self.rows += 1
                yield text + "\n"
        if self.ended < self.begun:
            self.cut("it has no line ##end behind its last row")

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


def _is_number(text, kind):
    try:
        return IN_NUMBERS.issuperset(text) and isinstance(kind(text), kind)
    except ValueError:
        return False


def _check_numbers(table):
    """Raises Error for a column of numbers that pandas took for anything else."""
    for c in table.columns if len(table) else ():
        if c in _numbers() and table[c].dtype.kind not in "iuf":
            values = [str(v) for v in table[c]]
            wrong = next((v for v in values if not _is_number(v, float)), max(values, key=len))  # no text: a number too long
            raise Error(f"column {c}: expected numbers, found {wrong[:40]!r}")


def _name(source):
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else "the input"


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

    Texts (names, sequences, descriptions, queries, accessions) are str, and empty where nothing is given. Numbers are
    numbers, and NaN where nothing is given; inf is a score beyond the range of a filter. Columns that no program writes
    are of numbers if all their fields are: an identifier such as 0012 is text. A program that failed raises Error, and so
    do a file of gzip that is cut, a number that is none, and a table without its line ##end, unless allow_cut=True, which
    is for `head` in between. Names that are not UTF-8 are an Error where pandas keeps texts as Arrow does: for these give
    the file as open(path, encoding="latin-1", newline="\\n").
    """
    try:
        import pandas
    except ImportError as e:
        raise Error("read_table needs pandas: pip install warpsieve[pandas]") from e
    file = _open(source)
    try:
        rows = _Rows(file, allow_cut)
        columns = rows.columns or []
        text = {c: str for c in columns if c not in _numbers()}
        table = pandas.DataFrame(columns=columns)
        if rows.first:
            table = pandas.read_csv(rows, sep="\t", names=columns, dtype=text, lineterminator="\n", quoting=3,
                                    keep_default_na=False, na_values=[""], float_precision="round_trip",
                                    encoding_errors="surrogateescape")
    except (EOFError, gzip.BadGzipFile, zlib.error) as e:
        raise Error(f"{_name(source)}: gzip cannot undo it: {e}") from e
    except UnicodeEncodeError as e:  # where pandas keeps texts as Arrow does
        raise Error(f"{_name(source)}: {e.object[:80]!r} is not UTF-8, which pandas' texts are; read_table takes a file that was opened "
                    "with encoding=\"latin-1\" and newline=\"\\n\"") from None
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
    _check_numbers(table)
    for c in text:
        table[c] = table[c].fillna("")
        if c not in TEXT and len(table) and all(NUMBER.fullmatch(v) or not v for v in table[c]):
            table[c] = pandas.Series([float(v) if v else float("nan") for v in table[c]], index=table.index)
            if not table[c].isna().any() and (table[c] % 1 == 0).all() and (table[c].abs() < 2**53).all():
                table[c] = table[c].astype("int64")
    return table


def read_arrow(source, allow_cut=False):
    """Returns a table as pyarrow.Table: see warpsieve.arrow.read_arrow."""
    from . import arrow
    return arrow.read_arrow(source, allow_cut)


def write_table(source, to, form="parquet", allow_cut=False):
    """Writes a table as Parquet or as a stream of Arrow's IPC: see warpsieve.arrow.write_table."""
    from . import arrow
    return arrow.write_table(source, to, form, allow_cut)
