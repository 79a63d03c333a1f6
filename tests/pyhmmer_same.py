#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares searches in memory with pyhmmer's: every attribute of every hit, domain and alignment, over the same objects.

    pyhmmer_same.py tests/data               models and proteins of the tests
    pyhmmer_same.py MODELS PROTEINS SEARCH   one search over files, with the processor seconds of both on one core
SEARCH is hmmsearch, hmmscan, phmmer or jackhmmer. The last two take the first 20 and 6 proteins as queries.
"""
import gzip
import io
import os
import resource
import sys

import pyhmmer
import warpsieve
import warpsieve.search

LISTS = """Z domZ E T domE domT incE incT incdomE incdomT bit_cutoffs searched_models searched_nodes searched_sequences
    searched_residues mode long_targets strand""".split()
HITS = "name accession description score pre_score sum_score bias evalue pvalue included reported length new dropped".split()
DOMAINS = "env_from env_to score bias c_evalue i_evalue pvalue included reported strand correction envelope_score".split()
ALIGNMENTS = """hmm_name hmm_accession hmm_from hmm_to hmm_sequence hmm_length target_name target_from target_to target_sequence
    target_length identity_sequence posterior_probabilities""".split()
compared = [0]


def equal(a, b, names, where):
    for name in names:
        x, y = getattr(a, name), getattr(b, name)
        # tables have 0 in place of subnormal numbers
        assert x == y or (y == 0 and abs(x) < sys.float_info.min), (where, name, x, y)
        compared[0] += 1


def same(a, b):
    where = b.query.name
    assert a.query.name in (where, where + "-i1", where + "-i2", where + "-i3", where + "-i4"), (a.query.name, where)
    # pyhmmer also sets T and the like to the cutoffs of the last model
    equal(a, b, [name for name in LISTS if not (b.bit_cutoffs and name[-1:] == "T")], where)
    assert (len(a), len(a.reported), len(a.included)) == (len(b), len(b.reported), len(b.included)), (where, len(a), len(b))
    for h, k in zip(a, b):
        equal(h, k, HITS, (where, h.name))
        assert len(h.domains) == len(k.domains) and len(h.domains.included) == len(k.domains.included)
        equal(h.best_domain, k.best_domain, DOMAINS, (where, h.name))
        for d, e in zip(h.domains, k.domains):
            equal(d, e, DOMAINS, (where, h.name))
            equal(d.alignment, e.alignment, ALIGNMENTS, (where, h.name))


def seconds():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def compare(search, models, block, **options):
    """Runs a search with both; returns hits, and processor seconds of pyhmmer and of warpsieve."""
    few = {"phmmer": 20, "jackhmmer": 6, "hmmscan": len(block)}.get(search)

    def run(module):
        if search == "hmmsearch":
            return list(module.hmmsearch(models, block, cpus=1, **options))
        if search == "hmmscan":
            return list(module.hmmscan(block, models, cpus=1, **options))
        found = list(getattr(module, search)(block[:few], block, cpus=1, **options))
        if search == "phmmer":
            return found
        return [(r.hits, r.converged, r.iteration) for r in found]

    warpsieve.search.library()
    t0 = seconds()
    want = run(pyhmmer)
    t1 = seconds()
    got = run(warpsieve)
    t2 = seconds()
    assert len(want) == len(got) > 0
    if search == "jackhmmer":
        assert [r[1:] for r in want] == [r[1:] for r in got], ([r[1:] for r in want], [r[1:] for r in got])
        want, got = [r[0] for r in want], [r[0] for r in got]
    for a, b in zip(want, got):
        same(a, b)
    return sum(map(len, want)), t1 - t0, t2 - t1


def block_of(content):
    with pyhmmer.easel.SequenceFile(io.BytesIO(content), digital=True, alphabet=pyhmmer.easel.Alphabet.amino()) as f:
        return f.read_block()


def models_of(*paths):
    return [model for path in paths for model in pyhmmer.plan7.HMMFile(path)]


def tests(data):
    models = models_of(*(os.path.join(data, f) for f in ("globins4.hmm", "demo.hmm", "fn3.hmm")))
    block = block_of(gzip.open(os.path.join(data, "demo.fa.gz")).read())
    for search in ("hmmsearch", "hmmscan", "phmmer", "jackhmmer"):
        compare(search, models, block, **({"max_iterations": 2} if search == "jackhmmer" else {}))
    compare("hmmsearch", models, block, E=1e-5, incE=1e-20, domE=1e-3, incdomE=1e-9, Z=1000, domZ=5)
    compare("hmmsearch", models, block, T=30, incT=50, domT=20, incdomT=40, bias_filter=False, null2=False, seed=7, F1=0.1, F2=0.01)
    compare("hmmsearch", models[1:], block, bit_cutoffs="gathering")
    # the text of an HMM has four or five digits of each number, as has the file that both read here
    text = io.BytesIO()
    models[1].write(text)
    same(next(pyhmmer.hmmsearch(models[1], block)), next(warpsieve.hmmsearch(text.getvalue(), block)))
    # a model of warpsieve in pyhmmer
    made = warpsieve.hmmbuild([("a", "MKVLAAGIVGLLLAQW"), ("b", "MKVLSAGIVG-LLAQW")], name="mine")
    theirs = next(iter(pyhmmer.plan7.HMMFile(io.BytesIO(bytes(made)))))
    assert (theirs.name, theirs.M, theirs.nseq, theirs.checksum) == (made.name, made.M, made.nseq, made.checksum)
    assert abs(theirs.nseq_effective - made.nseq_effective) < 1e-6
    print(compared[0], "values equal")


if len(sys.argv) == 2:
    tests(sys.argv[1])
else:
    with open(sys.argv[2], "rb") as targets:
        n, theirs, ours = compare(sys.argv[3], models_of(sys.argv[1]), block_of(targets.read()))
    print(f"{sys.argv[3]}: {n} hits, {compared[0]} values equal; processor seconds: pyhmmer {theirs:.2f}, warpsieve {ours:.2f}, "
          f"{theirs / ours:.1f} times")
