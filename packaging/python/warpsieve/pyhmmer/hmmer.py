# SPDX-License-Identifier: MIT
"""pyhmmer.hmmer with warpsieve's searches: the same functions, arguments and results.

    from warpsieve.pyhmmer import hmmsearch
    for hits in hmmsearch(hmms, sequences, bit_cutoffs="gathering"):
        print(hits.query.name, [(hit.name, hit.score) for hit in hits.reported])

A search that warpsieve does not have is pyhmmer's own: with another background than the default one, with profiles that come from
no pressed file, with models that are not calibrated, or with alphabets that do not match. The logger "warpsieve.pyhmmer" says so at
level DEBUG. `backend` may also be one of warpsieve's: auto, cuda, or another that --list-backends shows.
"""
import collections.abc
import copy
import io
import itertools

from pyhmmer.easel import Alphabet, DigitalMSA, DigitalSequence, DigitalSequenceBlock, MSAFile, SequenceFile
from pyhmmer.hmmer import _hmmalign, _hmmscan, _hmmsearch, _jackhmmer, _nhmmer, _phmmer, hmmpress
from pyhmmer.plan7 import HMM, Builder, HMMPressedFile, IterativeSearch, LongTargetsPipeline, Pipeline

from . import _pressed
from ._inputs import LIMIT, Models, Sequences, Theirs, check_alphabets, check_background, check_model, has_plain_texts, targets
from ._options import Options
from ._run import ModelSearch, Search, align, log, scan, search_sequences

__all__ = ["hmmalign", "hmmpress", "hmmscan", "hmmsearch", "jackhmmer", "nhmmer", "phmmer"]

# pyhmmer's own, also after warpsieve.patch()
THEIRS = {"hmmalign": _hmmalign.hmmalign, "hmmscan": _hmmscan.hmmscan, "hmmsearch": _hmmsearch.hmmsearch,
          "jackhmmer": _jackhmmer.jackhmmer, "nhmmer": _nhmmer.nhmmer, "phmmer": _phmmer.phmmer}
USUAL = ("threading", "multiprocessing", None)  # pyhmmer's words for how it uses cores
default_backend = None  # of warpsieve.patch


class _Call:
    """A call of a function of pyhmmer: its arguments, and the function itself."""

    def __init__(self, name, queries, sequences, alphabet, cpus, callback, backend, options, **more):
        self.name, self.callback, self.options = name, callback, {**options, "alphabet": alphabet}
        self.queries = queries if isinstance(queries, collections.abc.Iterable) else (queries,)
        self.sequences, self.alphabet, self.cpus = sequences, alphabet, max(cpus, 0)
        self.backend = default_backend if backend in USUAL else backend
        self.more = {**more, "cpus": cpus}
        if name != "jackhmmer":
            self.more["backend"] = backend if backend in USUAL[:2] else "threading"

    def theirs(self, query):
        """Returns pyhmmer's result for a query."""
        return next(iter(THEIRS[self.name]([query], self.sequences, **self.more, **self.options)))

    def pipeline(self, kind):
        """Returns the Pipeline, which checks the options."""
        check_alphabets(self.alphabet)
        pipeline = kind(**self.options)
        check_background(pipeline)
        return pipeline

    def run(self, prepare):
        """Yields the results of all queries. prepare() returns a context with ours(queries) and check(query), or raises Theirs."""
        queries = iter(self.queries)
        first = list(itertools.islice(queries, 1))
        if not first:
            return
        queries = itertools.chain(first, queries)
        try:
            way = prepare()
        except Theirs as e:
            log.debug("%s: pyhmmer itself searches: %s", self.name, e)
            yield from THEIRS[self.name](queries, self.sequences, callback=self.callback, **self.more, **self.options)
            return
        try:
            yield from Search(self.name, way.ours, way.check, self.theirs, self.callback).results(queries)
        finally:
            way.targets.close()


def _block(queries, sequences, alphabet, default, by_query=False):
    """Returns the queries, what is searched, and its alphabet: the one given, else that of the targets or of the first query."""
    if isinstance(sequences, SequenceFile):
        if sequences.name is None:
            raise ValueError("expected named `SequenceFile` for targets")
        if not sequences.digital:
            raise ValueError("expected digital mode `SequenceFile` for targets")
        return queries, sequences, alphabet or sequences.alphabet
    if isinstance(sequences, DigitalSequenceBlock):
        return queries, sequences, alphabet or sequences.alphabet
    if by_query and isinstance(queries, collections.abc.Iterable):
        first, queries = _first(queries)
        sequences = sequences if first is not None else ()  # pyhmmer looks at none of them either
    elif by_query:
        first = queries
    else:
        first, sequences = _first(sequences)
    alphabet = alphabet or (first.alphabet if hasattr(first, "alphabet") else default())
    return queries, DigitalSequenceBlock(alphabet, sequences), alphabet


def _first(objects):
    """Returns the first of some objects, or None, and an iterable of all."""
    rest = iter(objects)
    some = list(itertools.islice(rest, 1))
    return (some[0] if some else None), (objects if hasattr(objects, "__len__") else itertools.chain(some, rest))


class _Way:
    """How queries are searched with: targets, ours(queries), check(query)."""

    def __init__(self, of, ours, check):
        self.targets, self.ours, self.check = of, ours, check


def _targets_of(call, pipeline, most=LIMIT):
    check_alphabets(pipeline.alphabet, call.sequences.alphabet)
    return targets(call.sequences, pipeline.alphabet, most)


def _like(theirs):
    """Gives a function the name and the help of pyhmmer's."""
    def of(function):
        text = (theirs.__doc__ or "").strip()
        function.__doc__ = f"{function.__doc__.strip()}\n\n    In pyhmmer's words: {text}"
        function.__name__ = function.__qualname__ = theirs.__name__
        return function
    return of


@_like(_hmmsearch.hmmsearch)
def hmmsearch(queries, sequences, *, cpus=0, callback=None, backend="threading", parallel=None, **options):
    """Searches sequences with models, by warpsieve."""
    queries, sequences, alphabet = _block(queries, sequences, options.get("alphabet"), Alphabet.amino, by_query=True)
    if parallel == "targets" and isinstance(sequences, SequenceFile):
        raise RuntimeError("cannot use ``targets`` parallel mode with a sequence file")
    more = {} if parallel is None else {"parallel": parallel}  # an option since pyhmmer 0.11.1
    call = _Call("hmmsearch", queries, sequences, alphabet, cpus, callback, backend, options, **more)

    def prepare():
        pipeline = call.pipeline(Pipeline)
        search = ModelSearch(_targets_of(call, pipeline), Options(pipeline, options), call.cpus, call.backend)
        pressed = _pressed.models_of(queries)
        if pressed:
            return _Way(search.targets, lambda some: search.search(pressed.models(some), some),
                        lambda query: pressed.check(query, pipeline.bit_cutoffs))
        return _Way(search.targets, search.search, search.check)

    return call.run(prepare)


def _check_query(query, alphabet):
    """Raises Theirs for a query that is no sequence of this alphabet, or has no residues."""
    if not isinstance(query, DigitalSequence) or query.alphabet != alphabet or not 0 < len(query) <= LIMIT:
        raise Theirs(f"a query is {type(query).__name__}, or its alphabet or length is another one")


@_like(_hmmscan.hmmscan)
def hmmscan(queries, profiles, *, cpus=0, callback=None, backend="threading", **options):
    """Searches models with sequences, by warpsieve."""
    alphabet, pressed = options.get("alphabet"), isinstance(profiles, HMMPressedFile)
    if not pressed:
        profiles = profiles if hasattr(profiles, "__len__") else list(profiles)
        alphabet = alphabet or getattr(profiles, "alphabet", None) or (profiles[0].alphabet if len(profiles) else Alphabet.amino())
    else:
        alphabet = alphabet or _pressed.alphabet_of(profiles)
    call = _Call("hmmscan", queries, profiles, alphabet, cpus, callback, backend, options)

    def prepare():
        pipeline = call.pipeline(Pipeline)
        check_alphabets(alphabet)
        if pressed and pipeline.bit_cutoffs:
            raise Theirs("cutoffs of a pressed file")
        for hmm in () if pressed else profiles:
            check_model(hmm, alphabet, pipeline.bit_cutoffs)
            if not has_plain_texts(hmm):
                raise Theirs("a model has a name of several words")
        if not pressed and not len(profiles):
            raise Theirs("there are no models")
        file, told = _pressed.file_of(profiles) if pressed else Models(profiles), Options(pipeline, options)
        return _Way(file, lambda some: scan(file, some, told, call.cpus, call.backend), lambda query: _check_query(query, alphabet))

    return call.run(prepare)


@_like(_phmmer.phmmer)
def phmmer(queries, sequences, *, cpus=0, callback=None, backend="threading", builder=None, **options):
    """Searches sequences with sequences or alignments, by warpsieve."""
    queries, sequences, alphabet = _block(queries, sequences, options.get("alphabet"), Alphabet.amino)
    call = _Call("phmmer", queries, sequences, alphabet, cpus, callback, backend, options, builder=builder)

    def prepare():
        pipeline = call.pipeline(Pipeline)
        search = ModelSearch(_targets_of(call, pipeline), Options(pipeline, options), call.cpus, call.backend)
        maker = _Maker(builder or Builder(alphabet, seed=pipeline.seed), pipeline)

        def ours(some):  # warpsieve makes models of proteins, unless a builder is given
            whole = builder is None and alphabet.is_amino() and all(isinstance(query, DigitalSequence) for query in some)
            return search_sequences(search, some) if whole else search.search_made(maker.make, some)

        return _Way(search.targets, ours, lambda query: maker.check(query, (DigitalSequence, DigitalMSA)))

    return call.run(prepare)


class _Maker:
    """Makes models of queries, by pyhmmer's Builder."""

    def __init__(self, builder, pipeline):
        self.builder, self.pipeline = builder, pipeline

    def check(self, query, kinds):
        if not isinstance(query, kinds):
            raise Theirs(f"a query is {type(query).__name__}")
        if query.alphabet != self.pipeline.alphabet or self.builder.alphabet != self.pipeline.alphabet:
            raise Theirs("the alphabets differ")
        if not query.name:
            raise Theirs("a query has no name")
        if isinstance(query, DigitalSequence) and not len(query):  # pyhmmer 0.12.3 crashes
            raise ValueError(f"query {query.name!r} has no residues, so no model can be made of it")

    def make(self, query):
        build = self.builder.build_msa if isinstance(query, DigitalMSA) else self.builder.build
        return build(query, self.pipeline.background)[0]


class _Iterations(IterativeSearch):
    """The rounds of a jackhmmer, by pyhmmer, but for the searches."""

    def __init__(self, search, *arguments):
        super().__init__(*arguments)
        self.search = search

    def _search_hmm(self, hmm):
        return next(iter(self.search.search([hmm])))


@_like(_jackhmmer.jackhmmer)
def jackhmmer(queries, sequences, *, max_iterations=5, select_hits=None, checkpoints=False, cpus=0, backend="threading", callback=None,
              builder=None, **options):
    """Searches sequences with sequences or models in rounds, by warpsieve."""
    options = {"incE": 0.001, "incdomE": 0.001, **options}
    queries, sequences, alphabet = _block(queries, sequences, options.get("alphabet"), Alphabet.amino)
    if isinstance(sequences, SequenceFile):
        sequences = sequences.read_block()
    call = _Call("jackhmmer", queries, sequences, alphabet, cpus, callback, backend, options, builder=builder,
                 max_iterations=max_iterations, select_hits=select_hits, checkpoints=checkpoints)

    def prepare():
        pipeline = call.pipeline(Pipeline)
        search = ModelSearch(_targets_of(call, pipeline), Options(pipeline, options), call.cpus, call.backend)
        made = builder or Builder(alphabet, seed=pipeline.seed, architecture="hand")
        maker = _Maker(made, pipeline)
        if not hasattr(IterativeSearch, "_search_hmm"):
            raise Theirs("this pyhmmer has no rounds with another search")
        if not max_iterations or max_iterations < 1:
            raise Theirs("max_iterations is no number above 0")
        if pipeline.bit_cutoffs:
            raise Theirs("models that are made in rounds have no cutoffs")

        def check(query):
            maker.check(query, (DigitalSequence, HMM))
            if isinstance(query, HMM):
                search.check(query)

        def ours(some):
            for query in some:
                rounds = itertools.islice(_Iterations(search, pipeline, copy.copy(made), query, sequences, select_hits), max_iterations)
                done = list(rounds)
                yield done if checkpoints else done[-1]

        return _Way(search.targets, ours, check)

    return call.run(prepare)


@_like(_nhmmer.nhmmer)
def nhmmer(queries, sequences, *, cpus=0, callback=None, backend="threading", builder=None, **options):
    """Searches long DNA or RNA with models, alignments or sequences, by warpsieve."""
    queries, sequences, alphabet = _block(queries, sequences, options.get("alphabet"), Alphabet.dna)
    call = _Call("nhmmer", queries, sequences, alphabet, cpus, callback, backend, options, builder=builder)

    def prepare():
        pipeline = call.pipeline(LongTargetsPipeline)
        search = ModelSearch(_targets_of(call, pipeline, 1 << 60), Options(pipeline, options), call.cpus, call.backend)
        made = builder or Builder(alphabet, seed=options.get("seed", 42), window_length=options.get("window_length"),
                                  window_beta=options.get("window_beta"))
        if (made.window_length, made.window_beta) != (pipeline.window_length, pipeline.window_beta):
            raise Theirs("builder and options have other windows")
        maker = _Maker(made, pipeline)

        def check(query):
            maker.check(query, (DigitalSequence, DigitalMSA, HMM))
            if isinstance(query, HMM):
                search.check(query)

        search.set_windows(options)
        return _Way(search.targets, lambda some: search.search_long(maker.make, some, sequences), check)

    return call.run(prepare)


@_like(_hmmalign.hmmalign)
def hmmalign(hmm, sequences, *, cpus=0, digitize=False, trim=False, all_consensus_cols=True):
    """Aligns sequences to a model, by warpsieve."""
    if not isinstance(hmm, HMM):  # pyhmmer 0.12.3 crashes
        raise TypeError(f"a model is {type(hmm).__name__}, expected an HMM")
    if not isinstance(sequences, DigitalSequenceBlock):
        sequences = DigitalSequenceBlock(hmm.alphabet, sequences)
    try:
        if not all_consensus_cols:
            raise Theirs("all_consensus_cols is False")
        check_alphabets(hmm.alphabet, sequences.alphabet)
        text = align(hmm, sequences, max(cpus, 0), trim)
    except Theirs as e:
        log.debug("hmmalign: pyhmmer itself aligns: %s", e)
        threads = {"cpus": cpus} if cpus else {}  # an option since pyhmmer 0.11.4
        return THEIRS["hmmalign"](hmm, sequences, **threads, digitize=digitize, trim=trim, all_consensus_cols=all_consensus_cols)
    with MSAFile(io.BytesIO(text), "stockholm", digital=digitize, alphabet=hmm.alphabet if digitize else None) as f:
        return f.read()
