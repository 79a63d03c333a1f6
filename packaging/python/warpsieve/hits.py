# SPDX-License-Identifier: MIT
"""The results of a search in memory: TopHits of a query, with Hit, Domain and Alignment, by pyhmmer's names of attributes.

The records come from lib/hits/records.h, which says what each number is. Numbers are those of the tables, not rounded.
"""
import collections.abc
import struct

__all__ = ["Alignment", "Domain", "Hit", "Query", "TopHits"]

LIST = struct.Struct("=3Q2d3Q10I")
HIT = struct.Struct("=3Q3d4f12I")
DOMAIN = struct.Struct("=4d4Q5f5I")
LOG2E = 1.44269504088896341
REPORTED, INCLUDED, NEW, DROPPED, DUPLICATE, CS, RF = 1, 2, 4, 8, 16, 32, 64
UNKNOWN = 2**64 - 1  # a number of sequences or residues
SEQUENCE, MADE, DNA = 1, 2, 3  # kinds of queries; 0 is a model


def _text(view, at, n):
    return str(view[at:at + n], "utf-8", "surrogateescape")


class Query:
    """A query that came from a file: its name, accession, description (None: there is none) and length, M of a model."""

    def __init__(self, name, accession, description, length):
        self.name, self.accession, self.description, self.length = name, accession, description, length

    def __repr__(self):
        return f"<warpsieve.Query {self.name!r} of length {self.length}>"

    @property
    def M(self):
        return self.length


class Alignment:
    """The alignment of a domain: lines of equal length, and the places of their ends, which count from 1."""

    def __init__(self, domain, view, at, columns, places):
        self.domain = domain
        self._at, self._columns = at, columns
        self._view = view
        self.target_from, self.target_to, self.hmm_from, self.hmm_to = places

    def _line(self, k):
        at = self._at + k * self._columns
        return str(self._view[at:at + self._columns], "ascii")

    def __len__(self):
        return self._columns

    def __str__(self):
        width = max(len(self.hmm_name), len(self.target_name))
        digits = len(str(max(self.hmm_to, self.target_to)))
        margin = " " * (width + digits + 2)
        return (f"{self.hmm_name:>{width}} {self.hmm_from:>{digits}} {self.hmm_sequence} {self.hmm_to}\n"
                f"{margin}{self.identity_sequence}\n"
                f"{self.target_name:>{width}} {self.target_from:>{digits}} {self.target_sequence} {self.target_to}\n"
                f"{margin}{self.posterior_probabilities} PP")

    @property
    def hmm_sequence(self):
        return self._line(0)

    @property
    def identity_sequence(self):
        return self._line(1)

    @property
    def target_sequence(self):
        return self._line(2)

    @property
    def posterior_probabilities(self):
        return self._line(3)

    def _model_and_sequence(self):
        hit = self.domain.hit
        query = hit.hits
        return (hit, query) if query.mode == "scan" else (query, hit)

    @property
    def hmm_name(self):
        hit = self.domain.hit
        return hit._name if hit.hits.mode == "scan" else hit.hits._model

    @property
    def hmm_accession(self):
        model, _ = self._model_and_sequence()
        return model._accession or ""

    @property
    def hmm_length(self):
        model, _ = self._model_and_sequence()
        return model._nodes

    @property
    def target_name(self):
        _, sequence = self._model_and_sequence()
        return sequence._name

    @property
    def target_length(self):
        _, sequence = self._model_and_sequence()
        return sequence._length


class Domain:
    """A domain of a hit. Places are those of the envelope, and count from 1; E-values and scores are those of the tables."""

    def __init__(self, hit, view, at):
        (self.c_evalue, self.i_evalue, self.pvalue, self._lnp, self.env_from, self.env_to, ali_from, ali_to, self.score, self._accuracy,
         self._bias_nats, self._env_nats, self._correction_nats, hmm_from, hmm_to, flags, columns, _) = DOMAIN.unpack_from(view, at)
        self.hit = hit
        self.reported, self.included = bool(flags & REPORTED), bool(flags & INCLUDED)
        self.alignment = Alignment(self, view, at + DOMAIN.size, columns, (ali_from, ali_to, hmm_from, hmm_to))
        self._end = at + DOMAIN.size + (4 + bool(flags & CS) + bool(flags & RF)) * columns

    @property
    def strand(self):
        return None if not self.hit.hits.long_targets else "+" if self.alignment.target_from < self.alignment.target_to else "-"

    bias = property(lambda self: self._bias_nats * LOG2E, doc="What composition takes off the score, in bits.")
    accuracy = property(lambda self: self._accuracy / (1 + abs(self.env_to - self.env_from)),
                        doc="The mean posterior of the envelope's residues.")
    correction = property(lambda self: self._correction_nats * LOG2E, doc="What composition takes off, in bits, before its prior: null2.")
    envelope_score = property(lambda self: self._env_nats * LOG2E, doc="The Forward score of the envelope alone, in bits.")

    def __repr__(self):
        return f"<warpsieve.Domain {self.env_from}..{self.env_to} of {self.hit.name!r}, {self.score:.1f} bits>"


class _Marked(collections.abc.Sequence):
    """A list whose elements are reported or not, and included or not."""

    def __init__(self, items):
        self._items = items

    def __len__(self):
        return len(self._items)

    def __getitem__(self, i):
        return self._items[i]

    @property
    def reported(self):
        return _Marked([x for x in self._items if x.reported])

    @property
    def included(self):
        return _Marked([x for x in self._items if x.included])


class Hit:
    """A target that a query hits: a sequence, or of hmmscan a model."""

    def __init__(self, hits, view, at):
        (size, self._number, length, self.evalue, self.pvalue, self._lnp, self.score, self.pre_score, self.sum_score, self.expected,
         flags, self._ndomain, self._best, self._nreported, self._nincluded, name, acc, desc,
         *self._regions) = HIT.unpack_from(view, at)
        self.hits = hits
        self._at, self._end = at, at + size
        at += HIT.size
        self._name = self.name = _text(view, at, name)
        self._accession = self.accession = (hits._accessions[self._number] if hits._accessions else _text(view, at + name, acc)) or None
        self.description = _text(view, at + name + acc, desc) or None
        self._first = at + name + acc + desc
        self._length = self._nodes = self.length = length
        self.reported, self.included = bool(flags & REPORTED), bool(flags & INCLUDED)
        self.new, self.dropped, self.duplicate = bool(flags & NEW), bool(flags & DROPPED), bool(flags & DUPLICATE)
        self._domains = None

    def __repr__(self):
        return f"<warpsieve.Hit {self.name!r}, E {self.evalue:.2g}, {self.score:.1f} bits>"

    @property
    def bias(self):
        return struct.unpack("f", struct.pack("f", self.pre_score - self.score))[0]  # in single precision, as the tables have it

    @property
    def domains(self):
        if self._domains is None:
            made, at = [], self._first
            for _ in range(self._ndomain):
                made.append(Domain(self, self.hits._view, at))
                at = made[-1]._end
            self._domains = _Marked(made)
        return self._domains

    @property
    def best_domain(self):
        return self.domains[self._best]


class TopHits(_Marked):
    """The hits of a query, best first; `reported` and `included` are the parts that pass those thresholds.

    A list also holds hits that passed the threshold before all targets were counted, as hmmsearch's list does. Where the
    input does not say how many sequences were searched, a table whose ##end has no counts, searched_sequences and
    searched_residues are None.
    """

    def __init__(self, view, options, query=None, accessions=None):
        super().__init__(None)
        (self._n, self._nreported, self._nincluded, self.Z, self.domZ, seqs, residues, nodes, kind, length, self.iteration,
         converged, name, acc, desc, model, self._nodes, _) = LIST.unpack_from(view, 0)
        at = LIST.size
        self._view, self._options, self._length = memoryview(view), options, length
        self._accessions = None if kind == SEQUENCE else accessions  # of the targets; FASTA has no place for them
        self._name, self._accession = _text(view, at, name), _text(view, at + name, acc) or None
        self._description = _text(view, at + name + acc, desc) or None
        self._model = _text(view, at + name + acc + desc, model) or self._name
        self._first = at + name + acc + desc + model
        self.query = Query(self._name, self._accession, self._description, length) if query is None else query
        self.mode = "scan" if kind == SEQUENCE else "search"
        self.long_targets = kind == DNA
        self.converged = bool(converged)
        scan = kind == SEQUENCE
        seqs, residues = (None if n == UNKNOWN else n for n in (seqs, residues))
        self.searched_sequences, self.searched_residues = (1, length) if scan else (seqs, residues)
        self.searched_models, self.searched_nodes = (seqs, nodes) if scan else (1, self._nodes)

    strand, block_length = None, None

    def __repr__(self):
        return f"<warpsieve.TopHits of {self._name!r}: {self._n} hits, {self._nreported} reported, {self._nincluded} included>"

    def __reduce__(self):
        return TopHits, (bytes(self._view), self._options, self.query, self._accessions)

    @property
    def _items(self):
        if self._made is None:
            made, at = [], self._first
            for _ in range(self._n):
                made.append(Hit(self, self._view, at))
                at = made[-1]._end
                made[-1]._rank = len(made)
            self._made = made
        return self._made

    @_items.setter
    def _items(self, made):
        self._made = made

    def __len__(self):
        return self._n

    def __bool__(self):
        return self._n > 0

    def sort(self, by="key"):
        """Sorts by key, best first, as a search has left the hits; or by seqidx, the place of the target in the input."""
        self._items.sort(key=self._order(by))

    def is_sorted(self, by="key"):
        places = [self._order(by)(hit) for hit in self._items]
        return places == sorted(places)

    @staticmethod
    def _order(by):
        if by not in ("key", "seqidx"):
            raise ValueError(f"hits are sorted by key or seqidx, not by {by!r}")
        return lambda hit: hit._rank if by == "key" else hit._number

    def write(self, fh, format="targets", header=True):
        """Writes the reported hits to a file that is open for bytes, as hmmsearch, hmmscan and nhmmer do: `targets` is the table of
        --tblout, `domains` that of --domtblout, `pfam` that of --pfamtblout, which has its header always. The lines about program and
        options at their end are left out.
        """
        from . import tables
        tables.write(self, fh, format, header)

    def to_msa(self, all_consensus_cols=True):
        """Returns the alignment of all included domains as Stockholm (bytes), with a column for each node of the model, or for those
        where a domain has a residue. Raises ValueError if no domain is included, or if the targets are models.
        """
        from . import stockholm
        if self.mode == "scan":
            raise ValueError("hits of hmmscan are of several models, which have no alignment together")
        return stockholm.stockholm(self, all_consensus_cols)

    def copy(self):
        """Returns a list of its own with the same hits."""
        return TopHits(self._view, self._options, self.query, self._accessions)

    def __add__(self, other):
        return self.merge(other) if isinstance(other, TopHits) else NotImplemented

    def merge(self, *others):
        """Returns the hits of this and other lists of one query, over parts of the targets, as one list.

        Z is the number of all targets, unless it was given, and E-values and thresholds follow it. Raises ValueError for lists
        of different queries or options.
        """
        from . import merge
        return merge.merged([self, *others])

    def _option(self, name, default=None):
        value = self._options.get(name)
        return default if value is None else value

    E = property(lambda self: self._option("E", 10.0))
    T = property(lambda self: self._option("T"))
    domE = property(lambda self: self._option("domE", 10.0))
    domT = property(lambda self: self._option("domT"))
    incE = property(lambda self: self._option("incE", 0.01))
    incT = property(lambda self: self._option("incT"))
    incdomE = property(lambda self: self._option("incdomE", 0.01))
    incdomT = property(lambda self: self._option("incdomT"))
    bit_cutoffs = property(lambda self: self._option("bit_cutoffs"))


def length_of(view):
    """Returns how many bytes the list takes that stands at the beginning of `view`."""
    head = LIST.unpack_from(view, 0)
    at = LIST.size + sum(head[12:16])
    for _ in range(head[0]):
        at += HIT.unpack_from(view, at)[0]
    return at


def lists(view, options, queries=None, accessions=None):
    """Yields the TopHits of all queries; queries: what TopHits.query is, in their order, or None; accessions: of the targets.

    Sequences without residues, of which no models are made, have no list: a record says which sequence its query is.
    """
    at = number = 0
    while at < len(view):
        n = length_of(view[at:])
        head = LIST.unpack_from(view, at)
        place = head[-1] if head[8] == MADE else number
        yield TopHits(view[at:at + n], options, queries[place] if queries else None, accessions)
        at += n
        number += 1
