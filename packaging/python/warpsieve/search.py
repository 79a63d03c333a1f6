# SPDX-License-Identifier: MIT
"""Searches in memory: the programs run inside of this process, in the shared object that the wheel brings.

Models and sequences go in through memory files, hits come back as binary records: nothing is written to a disk, and no table
is read. The call lets other Python threads run. Ctrl-C ends the search.
"""
import collections
import ctypes
import os
import tempfile
import threading

from . import Error, arguments, hits, program
from .inputs import HMM, Models, Sequences, is_alignment, is_model

__all__ = ["IterationResult", "hmmalign", "hmmbuild", "hmmscan", "hmmsearch", "jackhmmer", "nhmmer", "phmmer"]

MESSAGE = 4096
CUTOFFS = {"gathering": "--cut_ga", "trusted": "--cut_tc", "noise": "--cut_nc"}
# pyhmmer's options of a Pipeline, and what they are here; what a search of warpsieve has no use for is None.
OPTIONS = {**{name: name for name in ("E", "T", "domE", "domT", "incE", "incT", "incdomE", "incdomT", "Z", "domZ", "F1", "F2", "F3",
                                      "seed")},
           "alphabet": None, "background": None, "parallel": None, "bias_filter": "nobias", "null2": "nonull2", "bit_cutoffs": "cut"}

_lock = threading.Lock()
_library = None


def library():
    """Returns the shared object beside the programs. Raises Error if there is none, or it is another version's."""
    global _library
    with _lock:
        if _library is None:
            top = os.path.dirname(os.path.dirname(os.path.realpath(program("hmmsieve"))))
            paths = [os.path.join(top, *place, "lib", "warpsieve", "libwarpsieve.so") for place in ((), ("build", "shared"))]
            try:
                made = ctypes.CDLL(next(filter(os.path.exists, paths), paths[0]))  # installed, or of a checkout
            except OSError as e:
                raise Error(f"searches in memory need the programs' shared object, which the wheel brings and `make shared` makes: {e}"
                            ) from e
            made.ws_library_version.restype = ctypes.c_char_p
            made.ws_library_run.argtypes = [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_int),
                                            ctypes.c_char_p, ctypes.c_ulong]
            _library = made
    return _library


class Memory:
    """A file in memory, for a program to read or to write by its path."""

    def __init__(self, name, content=None):
        self.name = name
        if hasattr(os, "memfd_create"):
            self.fd = os.memfd_create("warpsieve")
        else:  # Python was built for an older C library
            with tempfile.TemporaryFile(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as f:
                self.fd = os.dup(f.fileno())
        self.path = f"/proc/self/fd/{self.fd}"
        try:
            with open(self.fd, "wb", closefd=False) as f:
                for piece in content or ():
                    f.write(piece)
        except BaseException:  # the caller gets no object to close
            self.close()
            raise

    def read(self):
        """Returns what was written. A map of the file in place of this copy would keep a descriptor for each result."""
        with open(self.fd, "rb", closefd=False) as f:
            f.seek(0)
            return f.read()

    def close(self):
        os.close(self.fd)


def call(words, files):
    """Runs a program with its arguments and returns when it has ended; `files` are the Memory files among them.

    Raises Error with the sentence that the program has.
    """
    lib = library()
    stop, text, status = ctypes.c_int(0), ctypes.create_string_buffer(MESSAGE), []
    words = [w if isinstance(w, bytes) else os.fsencode(w) for w in words]
    for w in words:
        if b"\0" in w: raise Error(f"{w[:80]!r} has a zero byte, which would end the text there")
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    ended = threading.Event()  # Python 3.11 takes a thread for ended whose join was interrupted

    def run():
        status.append(lib.ws_library_run(len(words), argv, ctypes.byref(stop), text, MESSAGE))
        ended.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        ended.wait()
    except BaseException:  # Ctrl-C, which reaches the main thread alone
        stop.value = 1
        while not ended.is_set():  # until then the run uses the files; another Ctrl-C changes nothing
            try:
                ended.wait()
            except BaseException:
                pass
        raise
    thread.join()  # so that no thread is left that a caller could count
    if status != [0]:
        message = text.value.decode(errors="replace")
        for f in files:
            message = message.replace(f.path, f.name)
        raise Error(message)


def _take_options(options, allowed=()):
    """Returns the program's options for pyhmmer's."""
    taken = {}
    for name, value in options.items():
        if name not in OPTIONS and name not in allowed:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(sorted((*OPTIONS, *allowed)))}")
        if isinstance(value, bool) and name not in ("bias_filter", "null2") and OPTIONS.get(name, name):
            raise TypeError(f"{name} is {value}, expected a value: only bias_filter and null2 are true or false")
        if name in allowed:
            taken[name] = value
        elif name in ("bias_filter", "null2"):
            taken[OPTIONS[name]] = not value
        elif name == "bit_cutoffs":
            if value is not None and value not in CUTOFFS:
                raise ValueError(f"bit_cutoffs is {value!r}, expected gathering, trusted, noise or None")
            taken[name] = value
        elif OPTIONS[name]:
            taken[name] = value
    return taken


def _search(tool, operands, queries, cpus, callback, backend, given, more, flags=()):
    """Runs a search over `operands`, Models and Sequences; yields TopHits, in the order of `queries`, which is one of these."""
    options = _take_options(given, ("batch", "cutoffs", "device", "gpu_mem", "mem", "resolve"))
    options.update(more)
    if queries.objects == []:
        return b"", iter(())
    if backend not in (None, "threading", "multiprocessing"):  # pyhmmer's words for how it uses cores
        options["backend"] = backend
    files, paths = [], []
    try:
        records = Memory("records")
        files.append(records)
        for o in operands:
            paths.append(o.path)
            if o.path is None:
                files.append(Memory(o.what, o.content()))
                paths[-1] = files[-1].path
        if options.get("msa") is True:
            files.append(Memory("alignment"))
            options["msa"] = files[-1].path
        cut = options.pop("bit_cutoffs", None)
        words = [tool] + ([CUTOFFS[cut]] if cut else []) + list(flags)
        words += arguments(paths, {**options, "threads": cpus or None, "quiet": True, "out_format": "tblout",
                                           "output": "/dev/null", "records": records.path})
        call(words, files)
        view = memoryview(records.read())
        msa = files[-1].read() if "msa" in options else None
    finally:
        for f in files:
            f.close()
    return msa, _results(view, given, queries, callback, operands[1].accessions)


def _results(view, given, queries, callback, accessions):
    found = collections.deque(hits.lists(view, given, queries.objects, accessions))
    total = len(found)
    while found:
        top = found.popleft()  # the caller's alone from here on, with the hits that it makes
        if callback is not None:
            callback(top.query, total)
        yield top


def hmmsearch(queries, sequences, *, cpus=0, callback=None, backend=None, **options):
    """Searches sequences with profile HMMs; returns an iterator over the TopHits of each model, in their order.

    `queries` are models: a path, bytes or an open file of HMMER's text or binary form, HMM objects of warpsieve or pyhmmer,
    or an iterable of such objects. `sequences` are a path, bytes or an open file of any form that the programs read, pairs of
    name and residues, a dict of them, or sequence objects of pyhmmer or Biopython.
    `options` are pyhmmer's (E, T, incE, Z, bit_cutoffs="gathering", F1, bias_filter, seed, ...). `cpus` are threads, 0: all
    cores. `backend`: auto, cuda, or another that --list-backends shows. `callback` is called with each query that was searched
    with, and their number.
    """
    models, targets = Models(queries), Sequences(sequences)
    return _search("hmmsieve", [models, targets], models, cpus, callback, backend, options, {})[1]


def hmmscan(queries, hmms, *, cpus=0, callback=None, backend=None, **options):
    """Searches models with sequences; returns an iterator over the TopHits of each sequence, whose hits are models."""
    models, sequences = Models(hmms), Sequences(queries, one=True)
    return _search("hmmsieve", [models, sequences], sequences, cpus, callback, backend, options, {"scan": True})[1]


def phmmer(queries, sequences, *, cpus=0, callback=None, backend=None, **options):
    """Searches sequences with sequences; returns an iterator over the TopHits of each query that has residues.

    Queries that are alignments of pyhmmer become models, as hmmbuild makes them. Raises Error if no query has residues.
    """
    if is_alignment(queries) or (isinstance(queries, (list, tuple)) and any(map(is_alignment, queries))):
        queries = [queries] if is_alignment(queries) else list(queries)
        if not all(map(is_alignment, queries)):
            raise TypeError("queries are alignments and sequences; phmmer takes one kind at a time")
        models, targets = Models(hmmbuild(q, cpus=cpus) for q in queries), Sequences(sequences)
        models.objects = queries
        return _search("hmmsieve", [models, targets], models, cpus, callback, backend, options, {})[1]
    asked, targets = Sequences(queries, one=True, what="queries"), Sequences(sequences)
    return _search("seqsieve", [asked, targets], asked, cpus, callback, backend, options, {})[1]


IterationResult = collections.namedtuple("IterationResult", "hits msa converged iteration")
IterationResult.__doc__ = """The last round of a jackhmmer: its TopHits, the alignment of what it included as Stockholm (bytes),
whether nothing new was found, and the number of the round, from 1."""


def jackhmmer(queries, sequences, *, max_iterations=5, checkpoints=False, cpus=0, callback=None, backend=None, **options):
    """Searches sequences with sequences in rounds; returns an iterator over the IterationResult of the last round of each query
    that has residues, or with `checkpoints` over the list of all its rounds. Raises Error if no query has residues.
    """
    asked, targets = Sequences(queries, one=True, what="queries"), Sequences(sequences)
    options.update({name: 0.001 for name in ("incE", "incdomE") if name not in options and options.get(name[:-1] + "T") is None})
    msa, found = _search("jacksieve", [asked, targets], asked, cpus, callback, backend, options,
                         {"rounds": max_iterations, "msa": True, "every_round": checkpoints})
    rounds = _rounds(msa, found)
    return _by_query(rounds) if checkpoints else rounds


def _by_query(rounds):
    """Yields lists of the rounds of each query."""
    one = []
    for result in rounds:
        if one and result.iteration == 1:
            yield one
            one = []
        one.append(result)
    if one:
        yield one


def nhmmer(queries, sequences, *, strand=None, window_length=None, window_beta=None, block_length=None, cpus=0, callback=None,
           backend=None, **options):
    """Searches long DNA or RNA with models, sequences or alignments; returns an iterator over the TopHits of each query.

    `queries` are models as hmmsearch takes them, sequences as phmmer takes them, an alignment of pyhmmer or a list of these, or a
    file of any of them. Each hit has one domain, and its strand. `strand` is watson, crick or None for both, Z millions of residues.
    """
    if strand not in (None, "watson", "crick"):
        raise ValueError(f"strand is {strand!r}, expected watson, crick or None")
    asked, targets = _long_queries(queries), Sequences(sequences)
    flags = [f"--{name}={value}" for name, value in (("w_length", window_length), ("w_beta", window_beta), ("block_length", block_length))
             if value is not None] + ([f"--{strand}"] if strand else [])
    for name in ("domE", "domT", "incdomE", "incdomT", "domZ"):
        if name in options:
            raise TypeError(f"there is no option {name!r} of nhmmer: a hit has one domain")
    return _search("nhmmsieve", [asked, targets], asked, cpus, callback, backend, options, {}, flags)[1]


def _long_queries(queries):
    """Returns models, or sequences or alignments that the program makes models of."""
    whole = isinstance(queries, (str, os.PathLike, bytes, bytearray, memoryview, dict, tuple)) or hasattr(queries, "read")
    if is_alignment(queries):
        queries = [queries]
    elif not whole and not is_model(queries) and not hasattr(queries, "sequence"):
        queries = list(queries)
    if is_model(queries) or (isinstance(queries, list) and all(map(is_model, queries))):
        return Models(queries)
    if isinstance(queries, list) and queries and all(map(is_alignment, queries)):
        made = Sequences(b"".join(text for q in queries for text in Sequences(q, aligned=True).content()), what="queries")
        made.objects = queries
        return made
    return Sequences(queries, one=True, what="queries")


def hmmalign(hmm, sequences, *, trim=False, cpus=0, **options):
    """Aligns sequences to a model; returns the alignment as Stockholm (bytes), or in the form that outformat says.

    `options` are those of hmmfit: outformat="a2m", mapali="seed.sto", ...
    """
    model, source = Models(hmm), Sequences(sequences)
    out, files = Memory("alignment"), []
    try:
        for given in (model, source):
            files.append(given.path if given.path is not None else Memory(given.what, given.content()))
        paths = [f if isinstance(f, str) else f.path for f in files]
        call(["hmmfit"] + arguments(paths, {**options, "trim": trim, "threads": cpus or None, "quiet": True, "output": out.path}),
             [out] + [f for f in files if not isinstance(f, str)])
        return out.read()
    finally:
        for f in [out] + files:
            if not isinstance(f, str):
                f.close()


def _rounds(msa, found):
    blocks = iter(msa.split(b"\n//\n"))
    for top in found:
        block = next(blocks) + b"\n//\n" if any(h.included and len(h.domains.included) for h in top) else b""
        yield IterationResult(top, block, top.converged, top.iteration)


def hmmbuild(alignments, *, name=None, cpus=0, **options):
    """Makes a model of an alignment, and returns the HMM; of several alignments a list of HMM.

    `alignments` is a path, bytes or an open file of any form that hmmbuild reads, an MSA object of pyhmmer, or a list of pairs
    of name and row. `options` are those of hmmcast: symfrac=0.5, wblosum=True, informat="fasta", ...
    """
    source = Sequences(alignments, what="alignment", aligned=True)
    out, files = Memory("model"), []
    try:
        files = [Memory("alignment", source.content())] if source.path is None else []
        path = files[0].path if files else source.path
        words = ["hmmcast"] + arguments([path], {**options, "n": name, "threads": cpus or None, "quiet": True, "output": out.path})
        call(words, files)
        models = HMM.split(out.read())
    finally:
        for f in [out] + files:
            f.close()
    return models[0] if len(models) == 1 else models
