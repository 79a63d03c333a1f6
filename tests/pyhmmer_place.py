#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of warpsieve.pyhmmer and warpsieve.patch against pyhmmer itself:   pyhmmer_place.py PART tests/data

PART is one of the functions below. `absent` runs without pyhmmer, all others need it."""
import copy
import gzip
import importlib
import io
import logging
import os
import pickle
import signal
import sys
import tempfile
import threading

import warpsieve

data = sys.argv[2]
work = tempfile.TemporaryDirectory()
handed = []  # why searches were pyhmmer's own
if sys.argv[1] != "absent":
    import pyhmmer
    import warpsieve.pyhmmer as ours
    from pyhmmer.easel import Alphabet, DigitalMSA, DigitalSequence, DigitalSequenceBlock, MSAFile, SequenceFile, TextSequence
    from pyhmmer.plan7 import HMM, Background, Builder, HMMFile, Profile, TopHits

    class Handed(logging.Handler):
        def emit(self, record):
            handed.append(record.getMessage())

    logging.getLogger("warpsieve.pyhmmer").addHandler(Handed())
    logging.getLogger("warpsieve.pyhmmer").setLevel(logging.DEBUG)

LISTS = """Z domZ E T domE domT incE incT incdomE incdomT bit_cutoffs searched_models searched_nodes searched_sequences
    searched_residues mode long_targets strand block_length""".split()
HITS = """name accession description score pre_score sum_score bias evalue pvalue included reported length new dropped
    duplicate""".split()
DOMAINS = "env_from env_to score bias c_evalue i_evalue pvalue included reported strand correction envelope_score".split()
LINES = """hmm_name hmm_accession hmm_from hmm_to hmm_sequence hmm_length target_name target_from target_to target_sequence
    target_length identity_sequence posterior_probabilities""".split()


def path(name, content):
    at = os.path.join(work.name, name)
    with open(at, "wb") as f:
        f.write(content)
    return at


def unpacked(*names):
    return gzip.open(os.path.join(data, *names)).read()


def models(*names):
    return [hmm for name in names for hmm in HMMFile(os.path.join(data, name))]


def block(content, alphabet=None):
    with SequenceFile(io.BytesIO(content), digital=True, alphabet=alphabet or Alphabet.amino()) as f:
        return f.read_block()


def proteins():
    return block(unpacked("demo.fa.gz"))


def image(top):
    """Returns all that a TopHits shows, text by text, number by number. A subnormal E-value is 0 in warpsieve."""
    def of(o, names):
        values = [getattr(o, name) for name in names]
        return [0.0 if isinstance(v, float) and 0 < v < sys.float_info.min else v for v in values]

    scan = top.mode == "scan" and top.bit_cutoffs  # pyhmmer has cutoffs of some model there
    shown = of(top, [name for name in LISTS if not scan or name[-1] != "T"])
    shown += [len(top), len(top.reported), len(top.included), type(top.query).__name__, top.query.name]
    for hit in top:
        shown += of(hit, HITS) + of(hit.best_domain, DOMAINS) + [len(hit.domains.included), len(hit.domains.reported)]
        for d in hit.domains:
            shown += of(d, DOMAINS) + of(d.alignment, LINES) + [str(d.alignment), len(d.alignment)]
    for form in ("targets", "domains", "pfam"):
        text = io.BytesIO()
        top.write(text, format=form)
        shown += text.getvalue().split(b"\n")
    if any(h.included and len(h.domains.included) for h in top) and top.mode == "search":
        shown.append(msa(top.to_msa(top.query.alphabet, all_consensus_cols=True)))
    return shown


def msa(alignment):
    text = io.BytesIO()
    alignment.write(text, "pfam")
    return text.getvalue()


def same(theirs, mine, reasons=0):
    """Results of both are the same in all that they show, and `reasons` queries were pyhmmer's."""
    theirs, mine = list(theirs), list(mine)
    assert len(theirs) == len(mine) > 0, (len(theirs), len(mine))
    for a, b in zip(theirs, mine):
        assert type(a) is type(b) is TopHits and type(a.query) is type(b.query) and a.query.name == b.query.name
        for x, y in zip(image(a), image(b)):
            assert x == y, (a.query.name, x, y)
        assert len(image(a)) == len(image(b))
    assert len(handed) == reasons, handed
    handed.clear()


def both(name, *arguments, reasons=0, **options):
    same(getattr(pyhmmer, name)(*arguments, **options), getattr(ours, name)(*arguments, **options), reasons)


def searches():
    """hmmsearch, hmmscan and phmmer, with objects of all kinds and all options of a Pipeline."""
    hmms, targets = models("globins4.hmm", "demo.hmm", "fn3.hmm"), proteins()
    both("hmmsearch", hmms, targets)
    both("hmmsearch", hmms[1], targets, cpus=1)
    same(*(m.hmmsearch((hmm for hmm in hmms), (s for s in targets), parallel="targets", backend="threading") for m in (pyhmmer, ours)))
    both("hmmsearch", hmms, targets, E=1e-5, incE=1e-20, domE=1e-3, incdomE=1e-9, Z=1000, domZ=5, F1=0.1, F2=0.01, F3=1e-4)
    both("hmmsearch", hmms, targets, T=30, incT=50, domT=20, incdomT=40, bias_filter=False, null2=False, seed=7)
    both("hmmsearch", hmms[1:], targets, bit_cutoffs="gathering", E=1e-30)
    both("hmmsearch", hmms[1:], targets, bit_cutoffs="trusted")
    both("hmmscan", targets[:60], hmms)
    both("hmmscan", targets[0], hmms, bit_cutoffs=None, Z=5, T=10)
    both("hmmscan", targets[:60], hmms[1:], bit_cutoffs="noise")
    both("phmmer", targets[:6], targets, incE=1e-5)
    both("phmmer", targets[1], targets, builder=Builder(Alphabet.amino(), popen=0.05, pextend=0.3))
    three, five = targets[3].textize().sequence, targets[5].textize().sequence
    odd = DigitalSequenceBlock(Alphabet.amino(), [
        TextSequence(name=n, description=d, accession=a, sequence=s).digitize(Alphabet.amino())
        for n, d, a, s in (("a b", "", "", three), ("", "d", "A1", ""), ("é", "naïve  two ", "", "MKV*XBZ" + five))])
    both("hmmsearch", hmms, odd)
    both("hmmscan", odd[2:], hmms)
    both("hmmsearch", hmms[0], DigitalSequenceBlock(Alphabet.amino()))
    seed = os.path.join(data, "golden", "build")
    sto = next(os.path.join(seed, f) for f in sorted(os.listdir(seed)) if f.endswith(".sto"))
    with MSAFile(sto, digital=True, alphabet=Alphabet.amino()) as f:
        alignment = f.read()
    alignment.name = "seed"
    both("phmmer", alignment, targets)
    both("phmmer", [alignment, targets[2], alignment], targets)
    assert list(ours.hmmsearch([], targets)) == list(ours.phmmer([], targets)) == list(ours.hmmscan([], hmms)) == []


def ties():
    """Hits of one score are in the order of their names, as HMMER has them, in lists, alignments and merged lists."""
    hmm, (made,) = models("demo.hmm")[0], HMMFile(path("m.hmm", unpacked("golden", "dna-models", "MADE1.hmm.gz")))
    best = next(pyhmmer.hmmsearch(hmm, proteins()))[0].name
    protein, dna = next(s for s in proteins() if s.name == best), TextSequence(sequence=made.consensus.upper()).digitize(Alphabet.dna())

    def named(sequence):
        copies = [sequence.copy() for _ in range(12)]
        for s, name in zip(copies, "k b j a i b c h d g e f".split()):
            s.name = name
        return DigitalSequenceBlock(sequence.alphabet, copies)

    for options in ({}, {"incT": 10}, {"E": 1e-300}):
        both("hmmsearch", hmm, named(protein), **options)
    both("phmmer", protein, named(protein))
    both("nhmmer", made, named(dna))


def usual():
    """The usual searches are the same with pyhmmer 0.11, too, which has names as bytes."""
    hmms, targets = models("globins4.hmm", "demo.hmm", "fn3.hmm"), proteins()
    both("hmmsearch", hmms, targets)
    both("hmmsearch", hmms[1:], targets, cpus=1, bit_cutoffs="gathering")
    both("hmmscan", targets[:30], hmms, domE=1e-3)
    both("phmmer", targets[:4], targets)
    made, = HMMFile(path("m.hmm", unpacked("golden", "dna-models", "MADE1.hmm.gz")))
    genome = block(unpacked("golden", "long-targets", "inputs", "dna_target.fa.gz"), Alphabet.dna())
    both("nhmmer", made, genome, window_length=200)
    want, got = (next(m.jackhmmer(targets[:1], targets, cpus=1, max_iterations=2)) for m in (pyhmmer, ours))
    assert want.iteration == got.iteration and image(want.hits) == image(got.hits)
    assert pyhmmer.hmmalign(hmms[1], targets[:9]) == ours.hmmalign(hmms[1], targets[:9]) and not handed
    with warpsieve.patch():
        assert pyhmmer.hmmsearch is ours.hmmsearch
    assert pyhmmer.hmmsearch is not ours.hmmsearch


def files():
    """SequenceFile and files of models, also pressed ones."""
    hmms = models("globins4.hmm", "demo.hmm")
    fasta = path("p.fa", b">x\t a  tab\n" + unpacked("demo.fa.gz")[-20000:].split(b"\n", 1)[1] + b">last one with blanks  \nMKV\n")
    pressed = path("two.hmm", b"")
    pyhmmer.hmmpress(hmms, pressed)

    def run(module):
        found = []
        with SequenceFile(fasta, digital=True, alphabet=Alphabet.amino()) as f:
            found += list(module.hmmsearch(hmms, f))
            assert f.read() is not None  # the caller's file is where it was
        with SequenceFile(fasta, digital=True, alphabet=Alphabet.amino()) as f, HMMFile(os.path.join(data, "fn3.hmm")) as m:
            found += list(module.hmmsearch(m, f, E=100))
        with SequenceFile(fasta, digital=True, alphabet=Alphabet.amino()) as f, HMMFile(pressed).optimized_profiles() as m:
            found += list(module.hmmscan(f, m))
        return found

    want, got = run(pyhmmer), run(ours)
    assert [t.query.name for t in want] == [t.query.name for t in got] and len(want) == len(got) > 3
    for a, b in zip(want, got):
        for x, y in zip(image(a), image(b)):
            assert x == y, (a.query.name, x, y)
    assert not handed, handed
    with HMMFile(pressed).optimized_profiles() as m:
        profiles = list(ours.hmmsearch(m, proteins(), cpus=1))
    want = list(pyhmmer.hmmsearch(hmms, proteins(), cpus=1))
    for a, b in zip(want, profiles):
        assert type(b.query).__name__ == "OptimizedProfile" and [h.evalue for h in a] == [h.evalue for h in b]
    assert not handed, handed
    for wrong, error in ((lambda m: m.hmmsearch(hmms, SequenceFile(fasta)), ValueError),
                         (lambda m: m.hmmsearch(hmms, SequenceFile(io.BytesIO(b">a\nMKV\n"), digital=True)), ValueError),
                         (lambda m: m.hmmsearch(hmms, SequenceFile(fasta, digital=True), parallel="targets"), RuntimeError)):
        assert raised(wrong, pyhmmer) == raised(wrong, ours) == (error, raised(wrong, pyhmmer)[1])


def raised(what, module):
    try:
        what(module)
    except Exception as e:
        return type(e), str(e)
    return None


def long():
    """nhmmer in memory and in files, with models, sequences and alignments, on both strands; blocks overlap as in pyhmmer."""
    dna = Alphabet.dna()
    made, = HMMFile(path("m.hmm", unpacked("golden", "dna-models", "MADE1.hmm.gz")))
    fasta = path("g.fa", unpacked("golden", "long-targets", "inputs", "dna_target.fa.gz"))
    genome = block(open(fasta, "rb").read(), dna)
    both("nhmmer", made, genome)
    both("nhmmer", [made, made], genome, strand="crick", E=1e-3, incE=1e-9)
    both("nhmmer", made, genome, strand="watson", window_length=200, Z=3, null2=False, bias_filter=False)
    both("nhmmer", made, genome, block_length=60000)
    both("nhmmer", made, genome, T=10, incT=20)
    whole = "".join(s.textize().sequence for s in genome)
    twice = DigitalSequenceBlock(dna, [TextSequence(name="long", sequence=whole * (1 + 600000 // len(whole))).digitize(dna)])
    both("nhmmer", made, twice)
    query = block(unpacked("golden", "nhmmer", "5s.fa.gz"), dna)[0]
    short = block(unpacked("golden", "long-targets", "inputs", "short.fa.gz"), dna)
    both("nhmmer", query, short)
    alignment = DigitalMSA(dna, name="one", sequences=[query])
    both("nhmmer", [alignment, query], short, window_length=300)

    def run(module):
        with SequenceFile(fasta, digital=True, alphabet=dna) as f:
            return list(module.nhmmer(made, f, cpus=1))

    same(run(pyhmmer), run(ours))


def rounds():
    """jackhmmer, with checkpoints, from models, and with hits that the caller chooses."""
    targets, hmm = proteins(), models("demo.hmm")[0]

    def drop(hits):
        for hit in hits:
            if hit.included and hit.score < 150:
                hit.dropped = True

    for query, options in ((targets[:3], {}), (targets[1], {"checkpoints": True, "max_iterations": 3}), (hmm, {"max_iterations": 2}),
                           (targets[:2], {"select_hits": drop, "max_iterations": 3, "incE": 1e-10})):
        want, got = (list(m.jackhmmer(query, targets, cpus=1, **options)) for m in (pyhmmer, ours))
        if options.get("checkpoints"):
            want, got = want[0], got[0]
        assert [(r.converged, r.iteration) for r in want] == [(r.converged, r.iteration) for r in got] and len(got) > 0
        for a, b in zip(want, got):
            a.hmm.creation_time = b.hmm.creation_time = None
            assert a.hmm == b.hmm and msa(a.msa) == msa(b.msa)
            for x, y in zip(image(a.hits), image(b.hits)):
                assert x == y, (x, y)
    assert not handed, handed


def aligned():
    """hmmalign, as text and digital, trimmed or not."""
    hmm, targets = models("demo.hmm")[0], proteins()[:30]
    for options in ({}, {"trim": True}, {"digitize": True}, {"trim": True, "digitize": True, "cpus": 1}):
        a, b = pyhmmer.hmmalign(hmm, targets, **options), ours.hmmalign(hmm, targets, **options)
        assert type(a) is type(b) and a == b and msa(a) == msa(b), options
        assert [s.description for s in a.sequences] == [s.description for s in b.sequences]
    assert not handed
    same_name = DigitalSequenceBlock(Alphabet.amino(), [targets[0], targets[0]])
    assert ours.hmmalign(hmm, same_name) == pyhmmer.hmmalign(hmm, same_name) and len(handed) == 1
    assert ours.hmmalign(hmm, targets, all_consensus_cols=False) == pyhmmer.hmmalign(hmm, targets, all_consensus_cols=False)
    handed.clear()


def objects():
    """Results are pyhmmer's objects: they are pickled, sorted, copied, merged, and their flags change."""
    hmm, targets = models("demo.hmm")[0], proteins()
    top = next(ours.hmmsearch(hmm, targets))
    for other in (pickle.loads(pickle.dumps(top)), copy.copy(top), copy.deepcopy(top)):
        assert image(other)[:-1] == image(top)[:-1] or image(other) == image(top)
    a, b = (next(m.hmmsearch(hmm, part)) for m, part in ((ours, targets[:150]), (pyhmmer, targets[150:])))
    want = next(pyhmmer.hmmsearch(hmm, targets))
    for merged in (a + b, a.merge(b), b.merge(a)):
        assert image(merged) == image(want)
    assert top.is_sorted(by="key") and top.query is hmm
    top.sort(by="seqidx")
    names = [s.name for s in targets]
    places = [names.index(h.name) for h in top]
    assert places == sorted(places) and not top.is_sorted(by="key")
    top.sort()
    hit = top[0]
    hit.included = False
    hit.name = "other"
    assert top[0].name == "other" and not top[0].included and len(top.included) == len(want.included) - 1


def theirs():
    """pyhmmer itself does what warpsieve does not have, with its results and its errors."""
    amino, hmms, targets = Alphabet.amino(), models("demo.hmm", "globins4.hmm"), proteins()[:50]
    names(hmms, targets)
    profile = Profile(hmms[0].M, amino)
    profile.configure(hmms[0], Background(amino), 100)
    both("hmmsearch", [hmms[1], profile.to_optimized(), hmms[0]], targets, reasons=1)
    both("hmmsearch", hmms, targets, background=Background(amino, uniform=True), reasons=1)
    both("hmmsearch", hmms, targets, background=Background(amino))
    sampled = HMM.sample(amino, 50, 42)
    both("hmmsearch", sampled, targets, reasons=1)
    both("hmmsearch", hmms[0], targets, E=0.0, reasons=1)
    for wrong in (lambda m: list(m.hmmsearch(hmms, targets, bit_cutoffs="gathering")), lambda m: list(m.hmmsearch(hmms, targets, nosuch=1)),
                  lambda m: list(m.hmmsearch(hmms, targets, bit_cutoffs="x")), lambda m: list(m.hmmsearch([7], targets)),
                  lambda m: list(m.hmmsearch(hmms, [TextSequence().digitize(Alphabet.dna())])),
                  lambda m: list(m.nhmmer(hmms[0], DigitalSequenceBlock(Alphabet.dna()), window_length=2)),
                  lambda m: list(m.nhmmer(hmms[0], targets))):
        assert raised(wrong, pyhmmer)[0] == raised(wrong, ours)[0] is not None, (raised(wrong, pyhmmer), raised(wrong, ours))
    empty = DigitalSequence(amino, name="empty", sequence=b"")
    for wrong, error, word in ((lambda m: list(m.phmmer([empty], targets)), ValueError, "empty"),
                               (lambda m: m.hmmalign(None, targets), TypeError, "NoneType")):  # pyhmmer 0.12.3 crashes
        assert raised(wrong, ours)[0] is error and word in raised(wrong, ours)[1]
    handed.clear()
    limit = 100001
    giant = DigitalSequenceBlock(amino, [TextSequence(name="g", sequence="M" * limit).digitize(amino)])
    assert raised(lambda m: list(m.hmmsearch(hmms, giant)), ours) == raised(lambda m: list(m.hmmsearch(hmms, giant)), pyhmmer)
    handed.clear()


def names(hmms, targets):
    """A query may have a name that no file of models may have, and a sequence one that no alignment may have."""
    for name, description in (("a b", None), ("tab\tx", "two\nlines"), (" lead", None)):
        odd = hmms[0].copy()
        odd.name, odd.description = name, description
        both("hmmsearch", [hmms[1], odd], targets)
        both("hmmscan", targets[:3], [odd], reasons=1)
        query = targets[0].copy()
        query.name = name
        both("phmmer", query, targets, builder=Builder(Alphabet.amino()))
        want, got = (next(m.jackhmmer(query, targets, cpus=1, max_iterations=2)) for m in (pyhmmer, ours))
        assert image(want.hits) == image(got.hits) and not handed, handed
    for name, description in (("//", ""), ("//x", ""), ("a", " leads"), ("a", "two\nlines")):
        rows = targets[:2]
        rows[0].name, rows[0].description = name, description
        want, got = (raised(lambda m: m.hmmalign(hmms[0], rows), m) or m.hmmalign(hmms[0], rows) for m in (pyhmmer, ours))
        assert want == got and len(handed) > 0, (name, description)
        handed.clear()
    query = targets[0]
    for wrong in (lambda m: list(m.jackhmmer(query, targets, bit_cutoffs="trusted")),
                  lambda m: list(m.phmmer(query, targets, bit_cutoffs="trusted")),
                  lambda m: list(m.phmmer(query, targets, bit_cutoffs="trusted", builder=Builder(Alphabet.amino())))):
        assert raised(wrong, pyhmmer) == raised(wrong, ours) is not None, raised(wrong, ours)
    dna = [TextSequence(sequence="ACGT").digitize(Alphabet.dna())]
    assert list(pyhmmer.hmmsearch([], dna)) == list(ours.hmmsearch([], dna)) == []
    handed.clear()


def calls():
    """Queries come one by one, callbacks count them, errors and Ctrl-C end a search, and nothing is left behind."""
    hmm, targets = models("demo.hmm")[0], proteins()

    def endless():
        while True:
            yield hmm

    found = ours.hmmsearch(endless(), targets[:5], cpus=1)
    for _ in range(3):
        assert next(found).query is hmm
    found.close()
    told = []
    list(ours.hmmsearch([hmm] * 70, targets[:5], callback=lambda query, n: told.append((query, n))))
    assert len(told) == 70 and all(q is hmm for q, _ in told) and told[-1][1] == 70

    class Oops(Exception):
        pass

    def oops(*_):
        raise Oops

    def late():
        yield from [hmm] * 70
        raise Oops

    assert raised(lambda m: next(m.hmmsearch(hmm, targets, callback=oops)), ours) == (Oops, "")
    got = []
    assert raised(lambda m: [got.append(top) for top in m.hmmsearch(late(), targets[:5])], ours) == (Oops, "") and len(got) == 70
    before = len(os.listdir("/proc/self/fd")), threading.active_count(), sorted(os.listdir(tempfile.gettempdir()))
    gaps = [TextSequence(name="gaps", sequence="MKV--LAAG").digitize(Alphabet.amino())]
    for _ in range(5):
        raised(lambda m: list(m.hmmsearch(hmm, gaps)), ours)  # pyhmmer itself refuses them
        raised(lambda m: m.hmmalign(hmm, gaps), ours)
        list(ours.hmmsearch(hmm, targets[:9]))
        raised(lambda m: next(m.hmmsearch(hmm, targets, callback=oops)), ours)
        next(ours.hmmsearch([hmm] * 99, targets[:9]))
        ours.hmmalign(hmm, targets[:2])
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before[:2]
    threads = [threading.Thread(target=lambda: got.append(image(next(ours.hmmsearch(hmm, targets))))) for _ in range(4)]
    got.clear()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(got) == 4 and got[0] == got[1] == got[2] == got[3]
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        list(ours.hmmsearch(endless(), targets, F1=1, F2=1, F3=1))
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError("the search was not interrupted")
    assert len(next(ours.hmmsearch(hmm, targets))) == 50


def patched():
    """patch() replaces six functions where pyhmmer has them, and undoes it; everything else stays."""
    import pyhmmer.hmmer
    names = ["hmmalign", "hmmscan", "hmmsearch", "jackhmmer", "nhmmer", "phmmer"]
    places = [(pyhmmer, n) for n in names] + [(pyhmmer.hmmer, n) for n in names]
    before = [getattr(*place) for place in places]
    others = {n: getattr(pyhmmer, n) for n in dir(pyhmmer) if n not in names}

    def now():
        return [getattr(*place) for place in places]

    with warpsieve.patch() as patch:
        assert now() == [getattr(ours, n) for n in names] * 2
        assert {n: getattr(pyhmmer, n) for n in dir(pyhmmer) if n not in names} == others
        with warpsieve.patch():
            warpsieve.patch().undo()
            assert now() == [getattr(ours, n) for n in names] * 2
        assert now() == [getattr(ours, n) for n in names] * 2
        from pyhmmer.hmmer import hmmsearch
        assert hmmsearch is ours.hmmsearch and len(next(hmmsearch(models("demo.hmm"), proteins()))) == 50
        both("hmmsearch", HMM.sample(Alphabet.amino(), 50, 42), proteins()[:5], reasons=2)  # without end in itself
    assert now() == before
    patch.undo()
    warpsieve.unpatch()
    assert now() == before
    warpsieve.patch(backend="scalar")
    warpsieve.patch()
    try:
        with warpsieve.patch():
            raise KeyError
    except KeyError:
        assert pyhmmer.hmmsearch is ours.hmmsearch
    pyhmmer.phmmer = len  # another library's
    warpsieve.unpatch()
    assert pyhmmer.phmmer is len and [x for x in now() if x is not len] == [x for i, x in enumerate(before) if i != names.index("phmmer")]
    pyhmmer.phmmer = before[names.index("phmmer")]
    with warpsieve.patch(backend="abacus"):
        assert raised(lambda m: list(m.hmmsearch(models("demo.hmm"), proteins())), pyhmmer)[0] is warpsieve.Error
    importlib.import_module("warpsieve.pyhmmer.easel")
    from warpsieve.pyhmmer.plan7 import HMM as theirs
    from warpsieve.pyhmmer import errors, easel, plan7, hmmsearch as mine
    from warpsieve.pyhmmer.hmmer import hmmsearch as also
    assert warpsieve.pyhmmer.easel is easel is pyhmmer.easel and theirs is HMM and plan7 is pyhmmer.plan7 and errors is pyhmmer.errors
    assert mine is also is ours.hmmer.hmmsearch and ours.hmmpress is pyhmmer.hmmpress and ours.__version__ == pyhmmer.__version__
    assert "warpsieve" in mine.__doc__ and "TopHits" in mine.__doc__


def absent():
    """Without pyhmmer there is a sentence, and the rest of warpsieve works."""
    sys.modules["pyhmmer"] = None
    for what, error in ((warpsieve.patch, warpsieve.Error), (lambda: __import__("warpsieve.pyhmmer"), ModuleNotFoundError)):
        try:
            what()
        except error as e:
            assert "pyhmmer is not installed" in str(e) and "pip install" in str(e), e
        else:
            raise AssertionError(f"no {error}")
    warpsieve.unpatch()
    assert len(next(warpsieve.hmmsearch(os.path.join(data, "demo.hmm"), os.path.join(data, "demo.fa.gz")))) == 50
    sys.modules["pyhmmer"] = type(sys)("pyhmmer")
    sys.modules["pyhmmer"].__version__ = "1.0.0"
    try:
        warpsieve.patch()
    except warpsieve.Error as e:
        assert "0.12" in str(e) and "1.0.0" in str(e), e
    else:
        raise AssertionError("no error")


globals()[sys.argv[1]]()
