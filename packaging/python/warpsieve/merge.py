# SPDX-License-Identifier: MIT
"""TopHits.merge: the records of several lists of one query as one list, with E-values and thresholds of all targets together."""
from . import hits as records

OPTIONS = ("E", "T", "domE", "domT", "incE", "incT", "incdomE", "incdomT", "bit_cutoffs")


def _check(lists):
    first = lists[0]
    if first.long_targets:
        raise ValueError("hits in long DNA cannot be merged: their E-values and duplicates are those of all residues together")
    for other in lists[1:]:
        if not isinstance(other, records.TopHits):
            raise TypeError(f"TopHits are merged with TopHits, not with {type(other).__name__}")
        if (other.mode, other._name, other._model, other._nodes) != (first.mode, first._name, first._model, first._nodes):
            raise ValueError(f"hits of different queries cannot be merged: {first._name!r} and {other._name!r}")
        given = [[getattr(top, name) for name in OPTIONS] + [top._option("Z"), top._option("domZ")] for top in (first, other)]
        for name, a, b in zip((*OPTIONS, "Z", "domZ"), *given):
            if a != b:
                raise ValueError(f"hits of searches with different {name} cannot be merged: {a} and {b}")


def _passes(x, space, score, evalue):
    """Returns whether a hit or a domain passes a threshold: of scores if there is one, else of E-values."""
    return x.score >= score if score is not None else x.pvalue * space <= evalue


def _place(hit, by_score, number):
    """Returns a hit's place in the order of lists, as lib/hits/rank.c has it."""
    first = hit.domains[0].alignment.target_from if hit.domains else 0
    return -hit.score if by_score else hit._lnp, hit._name.encode("utf-8", "surrogateescape"), first, number


class _Marks:
    """Which hits and domains of a new list are reported and included; cutoffs of the model do not depend on its size."""

    def __init__(self, first, hits, Z):
        self.first, self.Z, keep = first, Z, first.bit_cutoffs is not None
        self.reported = {h for h in hits if (h.reported if keep else _passes(h, Z, first.T, first.E))}
        self.included = {h for h in self.reported if (h.included if keep else _passes(h, Z, first.incT, first.incE))}
        self.domZ = first._option("domZ", float(len(self.reported)))

    def of_domain(self, d):
        """Returns the flags of a domain."""
        first = self.first
        if d.hit not in self.reported:
            return 0
        if first.bit_cutoffs is not None:
            return records.REPORTED * d.reported | records.INCLUDED * d.included
        return (records.REPORTED * _passes(d, self.domZ, first.domT, first.domE) |
                records.INCLUDED * (d.hit in self.included and _passes(d, self.domZ, first.incdomT, first.incdomE)))

    def record(self, hit, number):
        """Returns the record of a hit, whose target has this number among all."""
        view, Z = hit.hits._view, self.Z
        fields = list(records.HIT.unpack_from(view, hit._at))
        name, acc, desc = fields[15:18]
        at = hit._at + records.HIT.size
        texts = [bytes(view[at:at + name]), (hit._accession or "").encode("utf-8", "surrogateescape"),
                 bytes(view[at + name + acc:at + name + acc + desc])]
        domains, flags, at = [], [], hit._first
        for d in hit.domains:
            values = list(records.DOMAIN.unpack_from(view, at))
            flags.append(self.of_domain(d))
            values[0], values[1], values[15] = d.pvalue * self.domZ, d.pvalue * Z, flags[-1] | values[15] & (records.CS | records.RF)
            domains += [records.DOMAIN.pack(*values), bytes(view[at + records.DOMAIN.size:d._end])]
            at = d._end
        body = b"".join(texts + domains)
        old = fields[10] & (records.NEW | records.DROPPED)
        fields[0:2] = records.HIT.size + len(body), number
        fields[3] = hit.pvalue * Z
        fields[10] = old | records.REPORTED * (hit in self.reported) | records.INCLUDED * (hit in self.included)
        fields[13] = sum(bool(f & records.REPORTED) for f in flags)
        fields[14] = sum(bool(f & records.INCLUDED) for f in flags)
        fields[16] = len(texts[1])
        return records.HIT.pack(*fields) + body


def merged(lists):
    """Returns one list of several: see TopHits.merge."""
    _check(lists)
    first = lists[0]
    fields = list(records.LIST.unpack_from(first._view, 0))
    scan = first.mode == "scan"
    number, before = {}, 0
    for top in lists:
        number.update((hit, before + hit._number) for hit in top)
        size = top.searched_models if scan else top.searched_sequences
        before += 1 + max((hit._number for hit in top), default=0) if size is None else size
    Z = first._option("Z", sum(top.Z for top in lists))
    marks = _Marks(first, number, float(Z))
    by_score = first.incT is not None or first.bit_cutoffs is not None
    order = sorted(number, key=lambda h: _place(h, by_score, number[h]))
    sizes = [records.LIST.unpack_from(top._view, 0)[5:8] for top in lists]
    fields[0:5] = len(order), len(marks.reported), len(marks.included), float(Z), float(marks.domZ)
    for place, of in (5, 0), (7, 2) if scan else (6, 1):  # one that is unknown leaves the sum unknown
        counts = [size[of] for size in sizes]
        fields[place] = records.UNKNOWN if records.UNKNOWN in counts else sum(counts)
    head = records.LIST.pack(*fields) + bytes(first._view[records.LIST.size:first._first])
    view = head + b"".join(marks.record(hit, number[hit]) for hit in order)
    return records.TopHits(view, first._options, first.query)
