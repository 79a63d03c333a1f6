# SPDX-License-Identifier: MIT
"""The inputs of searches in memory: models and sequences, as paths, bytes, open files or objects."""
import io
import os
import re

from . import Error

__all__ = ["HMM", "Models", "Sequences"]

BETWEEN = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\n)*(?:[ \t]*(?:#[^\n]*)?\Z)?")  # blank lines and comments
END = re.compile(rb"\n[ \t]*//[ \t]*(?:\n|\Z)")


def _texts(text):
    """Yields the text of each model in a text of HMMER's form, with ends of lines as on Unix. Raises Error for anything else."""
    if not isinstance(text, (bytes, bytearray, memoryview)):
        raise TypeError(f"the text of a model is {type(text).__name__}, expected bytes")
    text, at = bytes(text).replace(b"\r\n", b"\n"), 0

    def line_of(at):
        return text.count(b"\n", 0, at) + 1

    while (at := BETWEEN.match(text, at).end()) < len(text):
        if not text.startswith(b"HMMER3/", at):
            found = text[at:at + 40].split(b"\n", 1)[0].decode(errors="replace")
            raise Error(f"line {line_of(at)}: expected a model in HMMER's text form, which begins with HMMER3/, found {found!r}")
        end = END.search(text, at)
        if not end:
            raise Error(f"the model that begins in line {line_of(at)} is cut: it has no line //")
        yield text[at:end.start()] + b"\n//\n"
        at = end.end()


class HMM:
    """A profile HMM as hmmbuild made it, or as it stands in a file; bytes(hmm) is its text in HMMER's form.

    HMM(text) is the one model of a text in this form, and HMM.split(text) has all of them. Raises Error for other bytes.
    """

    def __init__(self, text):
        texts = list(_texts(text))
        if len(texts) != 1:
            raise Error(f"expected the text of one model, found {len(texts)}: HMM.split returns all models of a text")
        self._take(texts[0])

    def _take(self, text):
        self._text = text
        self._field = {}
        for line in text.split(b"\nHMM ", 1)[0].decode(errors="surrogateescape").split("\n")[1:]:
            key, _, value = line.partition(" ")
            self._field.setdefault(key, value.strip())
        self.name = self._field.get("NAME")
        if not self.name:
            raise Error("a model has no line NAME")
        self.accession, self.description = self._field.get("ACC"), self._field.get("DESC")
        self.M = self._number("LENG", int)
        if self.M is None:
            raise Error(f"model {self.name} has no line LENG")
        self.alphabet = self._field.get("ALPH")
        self.nseq, self.nseq_effective, self.checksum = self._number("NSEQ", int), self._number("EFFN", float), self._number("CKSUM", int)

    def _number(self, key, kind):
        """Returns the number of a line of the header, or None if there is no such line."""
        value = self._field.get(key)
        try:
            return None if value is None else kind(value)
        except ValueError:
            raise Error(f"model {self.name}: {key} is {value!r}, expected a number") from None

    def __bytes__(self):
        return self._text

    def __eq__(self, other):
        return isinstance(other, HMM) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def __repr__(self):
        return f"<warpsieve.HMM {self.name!r}, M={self.M}>"

    def write(self, fh, binary=False):
        """Writes the model into an open binary file, as text; HMMER's hmmpress makes other forms."""
        if binary:
            raise ValueError("an HMM of warpsieve is written as text alone: hmmpress of HMMER makes binary files")
        fh.write(self._text)

    @classmethod
    def split(cls, text):
        """Returns the models of a text in HMMER's form; none of a text without any. Raises Error for other bytes."""
        models = []
        for one in _texts(text):
            models.append(cls.__new__(cls))
            models[-1]._take(one)
        return models


def _read(f):
    content = f.read()
    return content.encode() if isinstance(content, str) else bytes(content)


class _Input:
    """`path` of a file, or None and content(), an iterator over bytes; `objects`: what the caller gave, one each, or None."""

    path = objects = accessions = None

    def _take(self, given):
        """Takes a path, bytes or an open file; returns 0 if `given` is none of these."""
        if isinstance(given, (str, os.PathLike)):
            self.path = os.path.join(".", os.fsdecode(given)) if os.fsdecode(given) == "-" else os.fsdecode(given)
            with open(self.path, "rb"):
                pass  # so that a missing file is Python's own error
        elif isinstance(given, (bytes, bytearray, memoryview)):
            self._pieces = [given]
        elif hasattr(given, "read") and not hasattr(given, "alphabet"):
            self._pieces = [_read(given)]
        else:
            return 0
        return 1

    def content(self):
        return self._pieces


def is_alignment(o):
    """Returns whether an object is an alignment of pyhmmer."""
    return hasattr(o, "write") and hasattr(o, "sequences") and hasattr(o, "alignment")


def is_model(o):
    """Returns whether an object is a model, of warpsieve or of pyhmmer; a profile of pyhmmer is none."""
    return isinstance(o, HMM) or (hasattr(o, "to_profile") and hasattr(o, "write"))


class Models(_Input):
    what = "models"

    def __init__(self, given):
        if self._take(given):
            return
        self.objects = [given] if is_model(given) else list(given)
        for o in self.objects:
            if not is_model(o):
                raise TypeError(f"a model is {type(o).__name__}, expected an HMM of warpsieve or pyhmmer, or a path, bytes or an open file")
        foreign = [o for o in self.objects if not isinstance(o, HMM)]
        if not foreign:
            self._pieces = [bytes(o) for o in self.objects]
            return
        whole = io.BytesIO()
        for o in self.objects:
            o.write(whole, binary=len(foreign) == len(self.objects))  # binary numbers lose nothing
        self._pieces = [whole.getbuffer()]


SYMBOLS = {}  # of pyhmmer's alphabets: a table for bytes.translate


def _residues(o):
    """Returns the residues of an object as bytes: str, bytes, or pyhmmer's codes."""
    x = getattr(o, "seq", None) if hasattr(o, "seq") else o.sequence
    if hasattr(o, "alphabet") and not isinstance(x, (str, bytes)):
        symbols = o.alphabet.symbols
        table = SYMBOLS.get(symbols)
        if table is None:
            table = SYMBOLS[symbols] = symbols.encode().ljust(256, b"?")
        return bytes(x).translate(table)
    return x if isinstance(x, bytes) else str(x).encode()


def _text_of(v):
    return v.decode() if isinstance(v, bytes) else v or ""


def _is_pair(o):
    return isinstance(o, tuple) and len(o) == 2 and all(isinstance(v, (str, bytes)) for v in o)


def _is_sequence(o):
    return _is_pair(o) or hasattr(o, "sequence") or (hasattr(o, "seq") and hasattr(o, "id"))


class Sequences(_Input):
    """one: a single object is a list of one. aligned: rows of an alignment, or an object that writes one."""

    def __init__(self, given, what="sequences", one=False, aligned=False):
        self.what = what
        if self._take(given):
            return
        if aligned and hasattr(given, "write"):
            whole = io.BytesIO()
            given.write(whole, "stockholm")
            self._pieces = [whole.getbuffer()]
            return
        if isinstance(given, dict):
            given = list(given.items())
        if is_model(given):
            raise TypeError("a query is a model, expected sequences: hmmsearch searches with models")
        self.objects = [given] if one and _is_sequence(given) else list(given)
        records = [self._record(o) for o in self.objects]
        self._pieces = [piece for record in records for piece in record]
        accessions = [_text_of(getattr(o, "accession", None)) for o in self.objects]
        if any(accessions):
            self.accessions = accessions

    def _record(self, o):
        if _is_pair(o):
            name, x = (v if isinstance(v, bytes) else v.encode() for v in o)
            desc = b""
        elif _is_sequence(o):
            name = _text_of(o.id if hasattr(o, "id") and hasattr(o, "seq") else o.name).encode()
            desc = _text_of(getattr(o, "description", None)).encode()
            if desc.split(b" ", 1)[0] == name and hasattr(o, "seq"):
                desc = desc[len(name) + 1:]  # Biopython keeps the name in front
            x = _residues(o)
        else:
            raise TypeError(f"a sequence is {type(o).__name__}, expected a pair of name and residues, or an object of pyhmmer or Biopython")
        if not name or len(name.split()) != 1 or name[:1].isspace() or name[-1:].isspace():
            raise ValueError(f"the name of a sequence is {name.decode(errors='replace')!r}, expected a word without blanks")
        if b"\n" in desc or b"\r" in desc or b"\n" in x or b">" in x or b"\r" in x:
            raise ValueError(f"sequence {name.decode(errors='replace')}: its residues or description hold an end of line or \">\"")
        return (b">", name, b" ", desc, b"\n", x, b"\n") if desc else (b">", name, b"\n", x, b"\n")
