# SPDX-License-Identifier: MIT
"""The tables of hmmsearch, hmmscan and nhmmer of a TopHits: what lib/hits/tables.c, pfam.c and dna_forms.c write."""

DASHES = b"-" * 20


def _bytes(text):
    return (text or "-").encode("utf-8", "surrogateescape")


class _Columns:
    """The first columns: target, its accession, query, its accession; padded to the widest of all hits, reported or not."""

    def __init__(self, hits):
        self.query, self.query_acc = _bytes(hits._name), _bytes(hits._accession)
        self.target_width = max([20] + [len(_bytes(h._name)) for h in hits])
        self.acc_width = max([10] + [len(_bytes(h._accession)) for h in hits])
        self.query_width, self.query_acc_width = max(20, len(self.query)), max(10, len(self.query_acc))

    def of(self, hit, *lengths):
        """Returns the columns of a hit; with lengths one of them follows the target, the other the query."""
        both = (_bytes(hit._name).ljust(self.target_width) + b" " + _bytes(hit._accession).ljust(self.acc_width),
                self.query.ljust(self.query_width) + b" " + self.query_acc.ljust(self.query_acc_width))
        return b" ".join(part + b" %5d" % n for part, n in zip(both, lengths)) if lengths else b" ".join(both)

    def heads(self):
        """Returns the names of these columns, of target and of query, and the dashes below them."""
        names = (b" target name".ljust(self.target_width - 1) + b" " + b"accession".ljust(self.acc_width),
                 b"query name".ljust(self.query_width) + b" " + b"accession".ljust(self.query_acc_width))
        dashes = (DASHES[1:].rjust(self.target_width - 1) + b" " + DASHES[10:].rjust(self.acc_width),
                  DASHES.rjust(self.query_width) + b" " + DASHES[10:].rjust(self.query_acc_width))
        return names, dashes

    @property
    def width(self):
        return self.target_width + self.acc_width + self.query_width + self.query_acc_width


def _targets(hits, columns, header):
    if header:
        names, dashes = columns.heads()
        yield b"#%*s %22s %22s %33s" % (columns.width + 2, b"", b"--- full sequence ----", b"--- best 1 domain ----",
                                        b"--- domain number estimation ----")
        yield (b"#" + b" ".join(names) + b"   E-value  score  bias   E-value  score  bias   exp reg clu  ov env dom rep inc "
               b"description of target")
        yield (b"#" + b" ".join(dashes) + b" --------- ------ ----- --------- ------ -----   --- --- --- --- --- --- --- --- "
               b"---------------------")
    for hit in hits.reported:
        best = hit.best_domain
        yield b"%s %9.2g %6.1f %5.1f %9.2g %6.1f %5.1f %5.1f %3d %3d %3d %3d %3d %3d %3d %s" % (
            columns.of(hit), hit.evalue, hit.score, hit.bias, best.i_evalue, best.score, best.bias, hit.expected, *hit._regions,
            len(hit.domains), hit._nreported, hit._nincluded, _bytes(hit.description))


def _domains(hits, columns, header):
    if header:
        names, dashes = columns.heads()
        yield b"#%*s %22s %40s %11s %11s %11s" % (columns.width + 14, b"", b"--- full sequence ---",
                                                  b"-------------- this domain -------------", b"hmm coord", b"ali coord", b"env coord")
        yield (b"#" + b"  tlen ".join(names) + b"  qlen   E-value  score  bias   #  of  c-Evalue  i-Evalue  score  bias  from    to"
               b"  from    to  from    to  acc description of target")
        yield (b"#" + b" ----- ".join(dashes) + b" ----- --------- ------ ----- --- --- --------- --------- ------ ----- ----- -----"
               b" ----- ----- ----- ----- ---- ---------------------")
    for hit in hits.reported:
        first = columns.of(hit, hit.length, hits._nodes)
        for i, d in enumerate(hit.domains.reported, 1):
            a = d.alignment
            yield b"%s %9.2g %6.1f %5.1f %3d %3d %9.2g %9.2g %6.1f %5.1f %5d %5d %5d %5d %5d %5d %4.2f %s" % (
                first, hit.evalue, hit.score, hit.bias, i, hit._nreported, d.c_evalue, d.i_evalue, d.score, d.bias, a.hmm_from, a.hmm_to,
                a.target_from, a.target_to, d.env_from, d.env_to, d.accuracy, _bytes(hit.description))


def _places(hits, columns, header):
    """The table of nhmmer."""
    c, places = columns, [h.best_domain.alignment for h in hits]
    place = max([7] + [len(str(x)) for a in places for x in (a.target_from, a.target_to)])
    widths = (c.target_width, c.acc_width, c.query_width, c.query_acc_width)
    if header:
        yield (b"#%-*s %-*s %-*s %-*s hmmfrom hmm to %*s %*s %*s %*s %*s strand %9s %6s %5s  description of target" % (
            c.target_width - 1, b" target name", c.acc_width, b"accession", c.query_width, b"query name", c.query_acc_width, b"accession",
            place, b"alifrom", place, b"ali to", place, b"envfrom", place, b"env to", place, b"sq len", b"E-value", b" score", b" bias"))
        dashes = [DASHES[n:].rjust(w) for n, w in zip((1, 10, 0, 10), (c.target_width - 1, *widths[1:]))]
        yield b"#%s ------- ------- %s ------ --------- ------ ----- ---------------------" % (
            b" ".join(dashes), b" ".join([(b"-" * 7).rjust(place)] * 5))
    for hit in hits.reported:
        d, a = hit.best_domain, hit.best_domain.alignment
        yield b"%s %7d %7d %*d %*d %*d %*d %*d    %s   %9.2g %6.1f %5.1f  %s" % (
            c.of(hit), a.hmm_from, a.hmm_to, place, a.target_from, place, a.target_to, place, d.env_from, place, d.env_to, place,
            hit.length, d.strand.encode(), hit.evalue, hit.score, d.bias, _bytes(hit.description))


def _pfam(hits, columns, header):
    """Pfam's table: targets, then domains by their own scores."""
    width, line = columns.target_width, b"-" * 6
    yield b"# Sequence scores\n# ---------------\n#"
    yield b"# %-*s %6s %9s %3s %5s %5s    %s" % (width - 1, b"name", b" bits", b"  E-value", b"n", b"exp", b" bias", b"description")
    yield b"# %*s %6s %9s %3s %5s %5s    %s" % (width - 1, b"-" * 19, line, b"-" * 9, b"---", b"-----", b"-----", b"-" * 21)
    for h in hits.reported:
        yield b"%-*s  %6.1f %9.2g %3d %5.1f %5.1f    %s" % (width, _bytes(h._name), h.score, h.evalue, len(h.domains), h.expected, h.bias,
                                                          _bytes(h.description))
    yield b"\n# Domain scores\n# -------------\n#"
    yield b"# %-*s %6s %9s %5s %5s %6s %6s %6s %6s %6s %6s     %s" % (
        width - 1, b" name", b"bits", b"E-value", b"hit", b"bias", b"env-st", b"env-en", b"ali-st", b"ali-en", b"hmm-st", b"hmm-en",
        b"description")
    yield b"# %*s %6s %9s %5s %5s %6s %6s %6s %6s %6s %6s      %s" % (
        width - 1, b"-" * 19, line, b"-" * 9, b"-----", b"-----", line, line, line, line, line, line, b"-" * 21)
    by_score = hits.incT is not None or hits.bit_cutoffs is not None
    domains = [(-d.score if by_score else d._lnp, _bytes(h._name), d.alignment.target_from, n, h, d)
               for h in hits.reported for n, d in enumerate(h.domains.reported, 1)]
    for *_, n, h, d in sorted(domains, key=lambda entry: entry[:4]):
        a = d.alignment
        yield b"%-*s  %6.1f %9.2g %5d %5.1f %6d %6d %6d %6d %6d %6d     %s" % (
            width, _bytes(h._name), d.score, d.i_evalue, n, d.bias, d.env_from, d.env_to, a.target_from, a.target_to, a.hmm_from, a.hmm_to,
            _bytes(h.description))


def write(hits, fh, format, header):
    """Writes a table: see TopHits.write."""
    rows = {"targets": _places if hits.long_targets else _targets, "domains": _domains, "pfam": _pfam}.get(format)
    if rows is None:
        raise ValueError(f"a table is one of targets, domains or pfam, not {format!r}")
    if hits.long_targets and format != "targets":
        raise ValueError(f"hits in long DNA have a table of targets, not of {format}")
    for row in rows(hits, _Columns(hits), header):
        fh.write(row + b"\n")
