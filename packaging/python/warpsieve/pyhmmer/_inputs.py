# SPDX-License-Identifier: MIT
"""pyhmmer's sequences and models as files in memory, and what warpsieve leaves to pyhmmer."""
import functools
import io
import math
import os

from pyhmmer.easel import Alphabet, SequenceFile
from pyhmmer.plan7 import HMM, Background

from ..search import Memory

LIMIT = 100000  # residues, beyond which pyhmmer's searches of whole sequences raise an error
UNSET = -99999.0  # a parameter of E-values
CUTOFFS = {"gathering": "--cut_ga", "trusted": "--cut_tc", "noise": "--cut_nc"}


class Theirs(Exception):
    """Says why a search is pyhmmer's own."""


class File:
    """A file that a program reads: it has a path, or content that is written into memory when it is asked for."""

    objects = None

    def __init__(self, path=None):
        self._path, self._memory = path, None

    @property
    def path(self):
        if self._path is None:
            self._memory = Memory("sequences", self.content())
            self._path = self._memory.path
        return self._path

    def close(self):
        if self._memory is not None:
            self._memory.close()
            self._path = self._memory = None


def letters(sequence, table):
    """Returns the residues of a DigitalSequence. Raises Theirs for one that no file of sequences has."""
    x = bytes(sequence.sequence).translate(table)
    if b"-" in x or b"~" in x:
        raise Theirs("a sequence has gaps")
    return x


class Sequences(File):
    """Sequences of a block, which are called by their numbers, so that any name will do."""

    def __init__(self, block, alphabet, most=LIMIT):
        super().__init__()
        self.objects, self.alphabet, self.most = block, alphabet, most

    def content(self):
        table = self.alphabet.symbols.encode().ljust(256, b"?")
        for i, sequence in enumerate(self.objects):
            x = letters(sequence, table)
            if len(x) > self.most:
                raise Theirs(f"a sequence has more than {self.most} residues")
            yield b">%d\n%s\n" % (i, x)


def raw(text):
    """Returns a text as bytes: pyhmmer 0.12 has str, 0.11 bytes, and None for none."""
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text or b""


def has_plain_texts(hmm):
    """Returns whether a file of models may have the name, the accession and the description of this one."""
    words, whole = (raw(hmm.name), raw(hmm.accession)), raw(hmm.description)
    return all(len(w.split()) == bool(w) and w.strip() == w for w in words) and min(b" ".join((*words, whole)), default=32) >= 32


class Models(File):
    """Models in HMMER's binary form, in which numbers lose nothing. One whose name no file may have is called by its number."""

    def __init__(self, models):
        super().__init__()
        self.models = models

    def content(self):
        whole = io.BytesIO()
        for i, hmm in enumerate(self.models):
            if not has_plain_texts(hmm):
                hmm = hmm.copy()
                hmm.name, hmm.accession, hmm.description = f"{i}" if isinstance(hmm.name, str) else b"%d" % i, None, None
            hmm.write(whole, binary=True)
        return [whole.getbuffer()]


def targets(sequences, alphabet, most=LIMIT):
    """Returns the file of a block or of a SequenceFile. FASTA is read by the program, any other form by pyhmmer."""
    if isinstance(sequences, SequenceFile):
        if sequences.format == "fasta" and os.path.isfile(sequences.name):
            return File(os.path.abspath(sequences.name))
        with SequenceFile(sequences.name, format=sequences.format, digital=True, alphabet=alphabet) as f:
            return Sequences(f.read_block(), alphabet, most)
    return Sequences(sequences, alphabet, most)


def check_alphabets(alphabet, *others):
    """Raises Theirs unless all are the same one of proteins, DNA or RNA: pyhmmer has the error for it, or the search."""
    if not (alphabet.is_amino() or alphabet.is_dna() or alphabet.is_rna()):
        raise Theirs("the alphabet is neither of proteins nor of nucleotides")
    if any(other != alphabet for other in others):
        raise Theirs("the alphabets differ")


@functools.lru_cache(maxsize=None)
def _default_background(alphabet):
    return Background(getattr(Alphabet, alphabet.lower())())


def check_background(pipeline):
    """Raises Theirs for another background than the default one."""
    default, ours = _default_background(pipeline.alphabet.type), pipeline.background
    if default.residue_frequencies != ours.residue_frequencies or default.omega != ours.omega:
        raise Theirs("background is not the default one")


def check_consensus(hmm):
    if not hmm.consensus or not hmm.name:
        raise Theirs("a model has no consensus or no name")


def check_model(hmm, alphabet, cutoffs):
    """Raises Theirs for a model that warpsieve does not search with."""
    if not isinstance(hmm, HMM):
        raise Theirs(f"a query is {type(hmm).__name__}")
    if hmm.alphabet != alphabet:
        raise Theirs("the alphabets differ")
    if UNSET in hmm.evalue_parameters.as_vector():
        raise Theirs("a model is not calibrated")
    check_consensus(hmm)
    if cutoffs and not getattr(hmm.cutoffs, cutoffs + "_available")():
        raise Theirs(f"a model has no {cutoffs} cutoffs")


def check_numbers(options):
    """Raises Theirs for a threshold that the programs do not take."""
    for name, value in options.items():
        if isinstance(value, float) and not math.isfinite(value) or name[-1] == "E" and value <= 0 or name[-1] == "Z" and value <= 0:
            raise Theirs(f"{name} is {value}")
