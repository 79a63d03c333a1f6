# SPDX-License-Identifier: MIT
"""pyhmmer's TopHits made of warpsieve's records: as if they came out of a pickle, whose state this module writes.

A hit of the state is HMMER's own serial form of P7_HIT, P7_DOMAIN and P7_ALIDISPLAY, in network byte order. Two things that no
attribute of pyhmmer shows are not kept: P-values of the two other scores of a hit are those of its score, and the counts of targets
that passed each filter are 0.
"""
import struct

from pyhmmer.easel import VectorU8
from pyhmmer.plan7 import TopHits

from .. import hits as records
from ._inputs import raw

HIT = struct.Struct(">Iid3f3df9I2qB")
DOMAIN = struct.Struct(">I6q5fd3I")
LINES = struct.Struct(">5I3qB")
ACCESSION, DESCRIPTION = 1, 2                       # what a hit has
REFERENCE, STRUCTURE, POSTERIORS, TARGET = 1, 4, 8, 16  # what an alignment has
INCLUDED, REPORTED = 1, 2                           # pyhmmer's flags, the other way round than warpsieve's
FLAGS = [f & ~3 | (f & records.INCLUDED) >> 1 | (f & records.REPORTED) << 1 for f in range(32)]


class Names:
    """The name, accession and description of a target or a query, as bytes."""

    def __init__(self, name, accession=b"", description=b""):
        self.name, self.accession, self.description = name, accession, description

    @classmethod
    def of(cls, o):
        return cls(raw(o.name), raw(o.accession), raw(o.description))

    def ended(self):
        return b"%s\0%s\0%s\0" % (self.name, self.accession, self.description)


class _Reader:
    """Reads the records of one list, and makes pyhmmer's state of its hits."""

    def __init__(self, view, query, targets):
        (self.n, self.nreported, self.nincluded, self.Z, self.domZ, self.seqs, self.residues, self.nodes, self.kind, self.length, _, _,
         *texts, self.M, _) = records.LIST.unpack_from(view, 0)
        self.view, self.targets, self.scan = view, targets, self.kind == records.SEQUENCE
        self.query = Names(raw(query.name)) if self.kind == records.MADE else Names.of(query)  # a model that was made has a name alone
        self.at = records.LIST.size + sum(texts)

    def counts(self):
        """Returns the part of the state that says what was searched."""
        if self.scan:
            return {"nmodels": self.seqs, "nnodes": self.nodes, "nseqs": 1, "nres": self.length}
        return {"nmodels": 1, "nnodes": self.M, "nseqs": self.seqs, "nres": self.residues}

    def hits(self, by_score, window):
        """Returns the states of all hits in the order of the targets, and their places there in the order of the list."""
        made = [self._hit(by_score, window) for _ in range(self.n)]
        if self.targets is not None:  # the list has numbers in place of names, which order hits of one score
            made.sort(key=lambda hit: hit[1])
        order = sorted(range(self.n), key=lambda i: made[i][0])
        place = [0] * self.n
        for k, i in enumerate(order):
            place[i] = k
        return [made[i][2] for i in order], place

    def _ends(self, at, ndom):
        """Returns the ends of the alignment of a hit's first domain."""
        return records.DOMAIN.unpack_from(self.view, at)[6:8] if ndom else (0, 0)

    def _target(self, at, name, acc, desc):
        """Returns the names of a target that no object has."""
        view = self.view
        return Names(bytes(view[at:at + name]), bytes(view[at + name:at + name + acc]), bytes(view[at + name + acc:at + name + acc + desc]))

    def _hit(self, by_score, window):
        at = self.at
        (size, number, length, _, _, lnp, score, pre, total, expected, flags, ndom, best, nreported, nincluded, *texts, reg, clu, ov,
         env) = records.HIT.unpack_from(self.view, at)
        self.at += size
        at += records.HIT.size
        target = self._target(at, *texts) if self.targets is None else Names.of(self.targets[number])
        at += sum(texts)
        text = target.name + b"\0"
        text += target.accession + b"\0" if target.accession else b""
        text += target.description + b"\0" if target.description else b""
        has = ACCESSION * bool(target.accession) + DESCRIPTION * bool(target.description)
        key = score if by_score else -lnp
        parts = [HIT.pack(HIT.size + len(text), window, key, score, pre, total, lnp, lnp, lnp, expected,
                          reg, clu, ov, env, ndom, FLAGS[flags], nreported, nincluded, best, number, 0, has), text]
        sequence, model = (self.query, target) if self.scan else (target, self.query)
        M, L = (length, self.length) if self.scan else (self.M, length)
        names = model.ended() + sequence.ended()
        first, last = self._ends(at, ndom)
        for _ in range(ndom):
            at = self._domain(parts, at, names, M, L)
        return number, (-key, target.name, first >= last, first, number), VectorU8(bytearray(b"".join(parts)))

    def _domain(self, parts, at, names, M, L):
        """Appends a domain with its alignment; returns where the next one begins."""
        view = self.view
        (_, _, _, lnp, env_from, env_to, ali_from, ali_to, score, accuracy, bias, env, correction, hmm_from, hmm_to, flags, n,
         _) = records.DOMAIN.unpack_from(view, at)
        at += records.DOMAIN.size
        structure, reference = bool(flags & records.CS), bool(flags & records.RF)
        lines = [bytes(view[at + k * n:at + k * n + n]) for k in range(4 + structure + reference)]
        above = ([lines[-1]] if reference else []) + ([lines[4]] if structure else [])
        text = b"\0".join(above + lines[:4]) + b"\0" + names
        parts += [DOMAIN.pack(DOMAIN.size, env_from, env_to, ali_from, ali_to, 0, 0, env, correction, bias, accuracy, score, lnp,
                              bool(flags & records.REPORTED), bool(flags & records.INCLUDED), 0),
                  LINES.pack(LINES.size + len(text), n, hmm_from, hmm_to, M, ali_from, ali_to, L,
                             REFERENCE * reference | STRUCTURE * structure | POSTERIORS | TARGET), text]
        return at + n * len(lines)


def top_hits(view, query, options, named=None, targets=None, window=0, residues=None):
    """Returns pyhmmer's TopHits of a query.

    `options` are the part of its state that says what a Pipeline was told. `named` has the names in alignments, if the query has
    not. `targets` are the objects that were searched, by number; without them the records have names.
    `residues` are those that pyhmmer counts in long targets, if they are not those that were searched.
    """
    reader = _Reader(view, query if named is None else named, targets)
    dna = reader.kind == records.DNA
    hits, places = reader.hits(not options["inc_by_E"] and not dna, window)
    pipeline = {**options, **reader.counts()}
    if residues is not None:
        pipeline["nres"] = residues
    if not options["domZ_setby"]:
        pipeline["domZ"] = float(reader.nreported if dna else reader.domZ)
    if not options["Z_setby"]:
        pipeline["Z"] = 0.0 if dna else reader.Z
    top = TopHits(query)
    top.__setstate__({"_empty": False, "unsrt": hits, "hit": places, "Nalloc": reader.n, "N": reader.n, "nreported": reader.nreported,
                      "nincluded": reader.nincluded, "is_sorted_by_sortkey": True, "is_sorted_by_seqidx": False,
                      "pipeline": pipeline})
    return top
