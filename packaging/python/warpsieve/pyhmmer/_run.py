# SPDX-License-Identifier: MIT
"""Runs of a program over pyhmmer's objects: of some queries at a time, in the order of all."""
import logging

from pyhmmer.easel import DigitalSequenceBlock
from pyhmmer.plan7 import HMM

from .. import arguments, hits
from ..search import Memory, call
from ._hits import top_hits
from ._inputs import Models, Sequences, Theirs, check_consensus, check_model, letters, raw

MOST = 2000  # queries of a run: their objects are in memory
LEAST_BLOCK, LEAST_WINDOW = 50000, 4
FIRST = 64   # of the first run, so that the first results come soon
log = logging.getLogger("warpsieve.pyhmmer")


def run(tool, paths, flags, options):
    """Returns the lists of records that a program writes."""
    records = Memory("records")
    try:
        call([tool] + flags + arguments(paths, {**options, "quiet": True, "out_format": "tblout", "output": "/dev/null",
                                                "records": records.path}), [records])
        view = memoryview(records.read())
    finally:
        records.close()
    at = 0
    while at < len(view):
        n = hits.length_of(view[at:])
        yield view[at:at + n]
        at += n


class Search:
    """A search that several runs are: what they have in common, and what pyhmmer does in their place.

    ours(queries) yields the results of some queries, in their order; check(query) raises Theirs for one that is pyhmmer's, and
    theirs(query) is that one's result.
    """

    def __init__(self, name, ours, check, theirs, callback):
        self.name, self.ours, self.check, self.theirs, self.callback = name, ours, check, theirs, callback

    def results(self, queries):
        """Yields the results of all queries; the callback has been called for each."""
        batch, most, n, queries = [], FIRST, 0, iter(queries)
        while True:
            try:
                query = next(queries)
            except StopIteration:
                break
            except BaseException:
                yield from self._ours(batch, n)  # those before the error have results
                raise
            n += 1
            try:
                self.check(query)
                batch.append(query)
                why = None
            except Theirs as e:
                why = e
            if why or len(batch) == most:
                yield from self._ours(batch, n - bool(why))
                batch, most = [], MOST
            if why:
                log.debug("%s: pyhmmer itself searches: %s", self.name, why)
                yield self._tell(query, self.theirs(query), n)
        yield from self._ours(batch, n)

    def _ours(self, batch, n):
        found, why = iter(self.ours(batch)), None
        for query in batch:
            try:
                result = next(found) if not why else self.theirs(query)
            except Theirs as e:  # what is searched, or how, is pyhmmer's alone
                log.debug("%s: pyhmmer itself searches: %s", self.name, e)
                why, result = e, self.theirs(query)
            yield self._tell(query, result, n)

    def _tell(self, query, result, n):
        if self.callback is not None:
            self.callback(query, n)
        return result


class ModelSearch:
    """Searches of the same targets with models."""

    def __init__(self, targets, options, cpus, backend):
        self.targets, self.options = targets, options
        self.flags, self.words = options.words()
        self.words.update(threads=cpus or None, backend=backend)
        self.tool = "nhmmsieve" if options.long else "hmmsieve"

    def check(self, query):
        check_model(query, self.options.pipeline.alphabet, self.options.cutoffs)

    def search(self, models, queries=None, window=0, residues=None):
        """Yields the TopHits of models, or of the queries that they were made of."""
        file = Models(models)
        try:
            lists = run(self.tool, [file.path, self.targets.path], self.flags, self.words)
            for hmm, query, view in zip(models, queries or models, lists):
                yield top_hits(view, query, self.options.state(hmm), named=hmm, targets=self.targets.objects, window=window,
                               residues=residues)
        finally:
            file.close()

    def search_made(self, make, queries):
        """Yields the TopHits of queries, of which make(query) makes models unless they are some."""
        models = [query if isinstance(query, HMM) else make(query) for query in queries]
        for hmm in models:
            self.check(hmm)
        yield from self.search(models, queries)

    def set_windows(self, given):
        """Takes the windows of a search of long targets."""
        pipeline = self.options.pipeline
        self.block = given.get("block_length", 0x40000)
        if self.block < LEAST_BLOCK or (pipeline.window_length or LEAST_WINDOW) < LEAST_WINDOW:
            raise Theirs("windows or blocks are small")
        window = f"--w_length={pipeline.window_length}" if pipeline.window_length else f"--w_beta={pipeline.window_beta}"
        self.flags += [window, f"--block_length={self.block}"]

    def search_long(self, make, queries, sequences):
        """Yields the TopHits of queries in long targets. E-values are for the residues that pyhmmer counts: of sequences in memory it
        takes windows that overlap, and counts their common part twice.
        """
        models = [query if isinstance(query, HMM) else make(query) for query in queries]
        for hmm in models:
            self.check(hmm)
        window = self.options.pipeline.window_length
        lengths = [len(s) for s in sequences] if isinstance(sequences, DigitalSequenceBlock) else []
        if max(lengths, default=0) <= self.block:
            yield from self.search(models, queries, window or 0)
            return
        for hmm, query in zip(models, queries):
            C = window or hmm.__getstate__()["max_length"]
            if not 0 < C < self.block:
                raise Theirs("a model is longer than a block")
            counted = self._counted(lengths, C)
            if self.options.pipeline.Z is None:
                self.words["Z"] = (counted + 0.5) / 1e6
            yield from self.search([hmm], [query], window or 0, counted * (1 + (self.options.strand is None)))

    def _counted(self, lengths, C):
        """Returns how many residues pyhmmer counts on a strand."""
        return sum(min(self.block, n - i - (min(C, n - i) if i else 0)) for n in lengths for i in range(0, n, self.block - C))


def search_sequences(search, queries):
    """Yields the TopHits of sequences in other sequences, with models that warpsieve makes."""
    if search.options.cutoffs:
        raise Theirs("a sequence has no cutoffs")
    file = Sequences(queries, search.options.pipeline.alphabet)
    try:
        for query, view in zip(queries, run("seqsieve", [file.path, search.targets.path], search.flags, search.words)):
            yield top_hits(view, query, search.options.state(None), targets=search.targets.objects)
    finally:
        file.close()


class _Named(Sequences):
    """Sequences by their names, with descriptions."""

    def content(self):
        table = self.alphabet.symbols.encode().ljust(256, b"?")
        for s in self.objects:
            yield b">%s %s\n%s\n" % (raw(s.name), raw(s.description), letters(s, table))


def align(hmm, sequences, cpus, trim):
    """Returns an alignment in Stockholm's form. Raises Theirs for sequences that it does not tell apart."""
    names = [raw(s.name) for s in sequences]
    if len(set(names)) < len(names) or any(name.split() != [name] or name.startswith((b"#", b"//")) for name in names):
        raise Theirs("names of sequences are not words, or the same")
    if not names or any(s.accession or not len(s) for s in sequences):
        raise Theirs("a sequence has an accession, or no residues")
    if any(d != d.strip() or b"\n" in d for d in (raw(s.description) for s in sequences)):
        raise Theirs("a description begins or ends with a blank, or has several lines")
    check_consensus(hmm)
    model, file, out = Models([hmm]), _Named(sequences, hmm.alphabet), Memory("alignment")
    try:
        call(["hmmfit"] + arguments([model.path, file.path], {"trim": trim, "threads": cpus or None, "quiet": True, "output": out.path}),
             [out])
        return out.read()
    finally:
        for f in (model, file, out):
            f.close()


def scan(models, queries, options, cpus, backend):
    """Yields the TopHits of sequences whose targets are models."""
    flags, words = options.words()
    file = Sequences(queries, options.pipeline.alphabet)
    words.update(threads=cpus or None, backend=backend, scan=True)
    try:
        for query, view in zip(queries, run("hmmsieve", [models.path, file.path], flags, words)):
            yield top_hits(view, query, options.state(None, scan=True))
    finally:
        file.close()
