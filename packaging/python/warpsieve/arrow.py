# SPDX-License-Identifier: MIT
"""Tables as Arrow and Parquet, through pyarrow: batch by batch, so that a table of any size needs little memory."""
import gzip
import os
import stat
import tempfile
import zlib

from . import IN_NUMBERS, NUMBERS, TEXT, Error, Process, _is_number, _name, _open, _Rows

# Columns of whole numbers. All other numbers are double.
INTEGERS = frozenset("""
    qlen tlen ssv_sat msv_sat vit_sat dom ndom hmm_from hmm_to ali_from ali_to env_from env_to included reg clu ov env batch read hap
    pair read_len hap_len best_edge score second_edge second_score edges_tied len jplace_edge voxels sweeps changed""".split())
ROWS = 65536  # of a batch
FORMATS = ("parquet", "arrow")


def _pyarrow():
    try:
        import pyarrow
    except ImportError as e:
        raise Error("Arrow and Parquet need pyarrow: pip install warpsieve[arrow]") from e
    return pyarrow


class Batches:
    """The record batches of a table, which is read as they are asked for; `schema` has its columns.

    Its metadata hold the table's lines "##warpsieve" under the key "warpsieve".
    """

    def __init__(self, source, allow_cut=False):
        self.pa = _pyarrow()
        self.source, self.file = source, _open(source)
        try:
            self.rows = _Rows(self.file, allow_cut)
        except BaseException as e:
            self._fail(e)
        self.columns = self.rows.columns or []
        fields = [self.pa.field(c, self._type(c), nullable=c in NUMBERS) for c in self.columns]
        self.schema = self.pa.schema(fields, metadata={"warpsieve": "".join(self.rows.provenance)})

    def _type(self, column):
        if column not in NUMBERS:
            return self.pa.string()
        return self.pa.int64() if column in INTEGERS else self.pa.float64()

    def _fail(self, e):
        """Raises the sentence of a program that failed, or e."""
        self.file.close()
        failure = self.source.failure() if isinstance(self.source, Process) and isinstance(e, Error) else None
        if failure:
            raise Error(failure) from None
        if isinstance(e, (EOFError, gzip.BadGzipFile, zlib.error)):
            raise Error(f"{_name(self.source)}: gzip cannot undo it: {e}") from e
        raise e

    def _array(self, column, fields):
        kind = self._type(column)
        try:
            if column not in NUMBERS:
                return self.pa.array(fields, kind)
            number = int if column in INTEGERS else float
            if not IN_NUMBERS.issuperset("".join(fields)):
                raise ValueError(column)
            return self.pa.array([number(f) if f else None for f in fields], kind)
        except UnicodeEncodeError:
            text = next(f for f in fields if not f.isprintable() and any("\udc80" <= c <= "\udcff" for c in f))
            raise Error(f"column {column}: {text[:40]!r} is not UTF-8, which Arrow's texts are") from None
        except (ValueError, OverflowError):
            wrong = next((f for f in fields if f and not _is_number(f, number)), None)
            if wrong is not None:
                raise Error(f"column {column}: expected {'whole ' * (number is int)}numbers, found {wrong[:40]!r}") from None
            wrong = next(f for f in fields if f and not -2**63 <= int(f) < 2**63)
            raise Error(f"column {column}: expected whole numbers of 64 bits, found {wrong[:40]!r}") from None

    def _batch(self, lines):
        fields = zip(*(line[:-1].split("\t") for line in lines))
        return self.pa.record_batch([self._array(c, f) for c, f in zip(self.columns, fields)], schema=self.schema)

    def __iter__(self):
        lines = [self.rows.first] if self.rows.first else []
        try:
            for line in self.rows.lines():
                if len(lines) == ROWS:
                    yield self._batch(lines)
                    lines = []
                lines.append(line)
            if lines:
                yield self._batch(lines)
        except Exception as e:  # not GeneratorExit, when the caller wants no more
            self._fail(e)
        self.file.close()
        if isinstance(self.source, Process):
            self.source.check()


def read_arrow(source, allow_cut=False):
    """Returns a table as pyarrow.Table; `source` and failures are those of read_table.

    Texts are strings, empty where nothing is given; numbers are int64 or double by their column, and null where nothing
    is given. Columns that no program writes are text.
    """
    batches = Batches(source, allow_cut)
    return batches.pa.Table.from_batches(batches, schema=batches.schema)


class _Sink:
    """A file of bytes for pyarrow, whose writers add the end of a file when they go, also after a failure: then it is dead."""

    closed = False

    def __init__(self, to):
        self.to, self.dead = to, False

    def write(self, data):
        if not self.dead:
            self.to.write(data)
        return len(data)

    def flush(self):
        """pyarrow asks for it; the caller's file is the caller's to flush."""

    def close(self):
        """pyarrow asks for it."""


def _write(batches, to, form):
    """Writes all batches. After a failure the end is missing: readers of Parquet refuse such a file."""
    pa = batches.pa
    sink = _Sink(to)
    try:
        if form == "arrow":
            writer = pa.ipc.new_stream(pa.PythonFile(sink, mode="w"), batches.schema)
        else:
            import pyarrow.parquet
            writer = pyarrow.parquet.ParquetWriter(pa.PythonFile(sink, mode="w"), batches.schema, compression="zstd")
        for batch in batches:
            writer.write_batch(batch)
        writer.close()
    except BaseException:
        sink.dead = True
        raise


def _regular(file):
    """Returns what stat says of a path or an open file if that is a regular file, else None."""
    try:
        said = os.stat(file) if isinstance(file, (str, bytes, os.PathLike)) else os.fstat(file.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    return said if stat.S_ISREG(said.st_mode) else None


def _inputs(source):
    """Returns the files that a table comes from: also the words of the programs that write it."""
    return [*source.args, *_inputs(source.source)] if isinstance(source, Process) else [source]


def _check_apart(source, to):
    """Raises Error if a table would be written into a file that it comes from, by whatever name."""
    there = _regular(to)
    for file in _inputs(source) if there else ():
        own = _regular(file)
        if own and os.path.samestat(own, there):
            raise Error(f"{to if isinstance(to, str) else _name(file)} is also read, and would be lost: give another file for the output")


def _write_whole(batches, to, form):
    """Makes the file `to`, or replaces it, once all is written."""
    there, path = _regular(to), None
    end = os.path.realpath(to)  # a link stays a link
    mask = os.umask(0)
    os.umask(mask)
    try:
        fd, path = tempfile.mkstemp(prefix=os.path.basename(end)[:50] + ".", dir=os.path.dirname(end))
        with os.fdopen(fd, "wb") as f:
            _write(batches, f, form)
            os.fchmod(f.fileno(), stat.S_IMODE(there.st_mode) if there else 0o666 & ~mask)
        os.replace(path, end)
    except BaseException as e:
        if path is not None:
            os.unlink(path)
        if isinstance(e, OSError) and e.filename is not None:
            raise OSError(e.errno, e.strerror, to) from None  # not the name of the file that would have become `to`
        raise


def write_table(source, to, form="parquet", allow_cut=False):
    """Writes a table as Parquet, or with form="arrow" as a stream of Arrow's IPC; `to` is a path or an open file of bytes.

    A file at the path `to` appears, or takes the place of the one there, when it is complete, and not at all after a
    failure. A link stays a link. Raises Error if the table comes from the file `to`.
    """
    if form not in FORMATS:
        raise Error(f"there is no form {form!r}; choose from {', '.join(FORMATS)}")
    to = to if hasattr(to, "write") else os.fsdecode(to)
    if to == "":
        raise Error("the file for the output has an empty name")
    _check_apart(source, to)
    batches = Batches(source, allow_cut)
    if hasattr(to, "write"):
        _write(batches, to, form)
    elif os.path.exists(to) and not _regular(to):  # a pipe or a device
        with open(to, "wb") as f:
            _write(batches, f, form)
    else:
        _write_whole(batches, to, form)
