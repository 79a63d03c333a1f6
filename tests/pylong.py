#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of searches in memory beside those of pymem.py: long DNA, alignments, rounds, Pfam's table:   pylong.py PART tests/data

PART is one of the functions below."""
import gzip
import io
import os
import pickle
import subprocess
import sys
import tempfile

import warpsieve
from pychecks import refused, same

data = sys.argv[2]
model = os.path.join(data, "demo.hmm")
proteins = os.path.join(data, "demo.fa.gz")
genome = os.path.join(data, "golden", "long-targets", "inputs", "dna_target.fa.gz")
work = tempfile.TemporaryDirectory()


def path(name, content):
    at = os.path.join(work.name, name)
    with open(at, "wb") as f:
        f.write(content)
    return at


def unpacked(*names):
    return gzip.open(os.path.join(data, "golden", *names)).read()


def records():
    text = gzip.open(proteins, "rt").read()
    return [(r.split(None, 1)[0], "".join(r.split("\n")[1:])) for r in text.split(">")[1:]]


def output(*words):
    """Returns what a program writes, of a table without the lines about the run behind it."""
    text = subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout
    return text.replace(b"\n#\n# Program: ", b"\n\0").split(b"\0")[0]


def table(found):
    out = io.BytesIO()
    for i, top in enumerate(found):
        top.write(out, header=i == 0)
    return out.getvalue()


def long():
    """nhmmer finds what nhmmsieve finds, on both strands, with models, sequences and alignments, and options."""
    made, rna = unpacked("dna-models", "MADE1.hmm.gz"), unpacked("long-targets", "models", "RF00001.hmm.gz")
    models = path("two.hmm", made + rna)
    for options, words in (({}, ()), ({"E": 1e-3, "incE": 1e-9, "Z": 30}, ("-E", "1e-3", "--incE", "1e-9", "-Z", "30")),
                           ({"strand": "crick", "window_length": 200, "null2": False, "T": 5.0},
                            ("--crick", "--w_length", "200", "--nonull2", "-T", "5"))):
        want = output("nhmmsieve", "-O", "tblout", *words, models, genome)
        same(table(warpsieve.nhmmer(models, genome, **options)), want)
        same(table(warpsieve.nhmmer(warpsieve.HMM.split(made + rna), genome, cpus=1, **options)), want)
    query = unpacked("nhmmer", "5s.fa.gz")
    target = path("t.fa", unpacked("long-targets", "inputs", "short.fa.gz"))
    asked = path("q.fa", query)
    want = output("nhmmsieve", "-O", "tblout", asked, target)
    same(table(warpsieve.nhmmer(asked, target)), want)
    name, residues = query.decode()[1:].split("\n", 1)
    pair = (name.split()[0], residues.replace("\n", ""))
    got = list(warpsieve.nhmmer(pair, target))
    same(table(got), want)
    assert got[0].query is pair and got[0].long_targets and got[0].mode == "search"
    top, _ = warpsieve.nhmmer(models, genome)
    assert {hit.best_domain.strand for hit in top} == {"+", "-"} and top.searched_residues % 2 == 0 and top.query.name == "MADE1"
    for hit in top:
        d = hit.best_domain
        assert len(hit.domains) == 1 and abs(hit.evalue - d.i_evalue) <= 1e-12 * d.i_evalue and hit.score == d.score
        assert (d.env_from < d.env_to) == (d.strand == "+") == (d.alignment.target_from < d.alignment.target_to)
        assert hit.pre_score < hit.score + 100 and hit.length > d.alignment.target_to
    again = pickle.loads(pickle.dumps(top))
    assert [h.evalue for h in again] == [h.evalue for h in top] and again.long_targets
    same(table([again]), table([top]))
    sto = path("a.sto", b"")
    output("nhmmsieve", "--notextw", "-o", os.devnull, "-A", sto, models, genome)
    got = b"".join(t.to_msa() for t in warpsieve.nhmmer(models, genome) if any(h.included for h in t))
    alike(got, open(sto, "rb").read())
    refused(lambda: top.merge(top), ValueError, "long DNA")
    refused(lambda: top.write(io.BytesIO(), format="pfam"), ValueError, "targets", "pfam")
    refused(lambda: warpsieve.nhmmer(models, genome, strand="left"), ValueError, "left", "watson")
    refused(lambda: warpsieve.nhmmer(models, genome, domE=1), TypeError, "domE")
    refused(lambda: list(warpsieve.nhmmer(model, genome)), warpsieve.Error, "Pkinase")


def alike(got, want):
    """Alignments are the same but for the program that is named, and spaces behind texts."""
    def lines(text):
        return [line.rstrip() for line in text.split(b"\n") if not line.startswith(b"#=GF AU")]
    same(lines(got), lines(want))


def aligned():
    """to_msa is the alignment that -A writes; hmmalign is hmmfit; both are what hmmbuild takes."""
    three = path("three.hmm", b"".join(open(os.path.join(data, f), "rb").read() for f in ("globins4.hmm", "demo.hmm", "fn3.hmm")))
    sto = path("b.sto", b"")
    output("hmmsieve", "--notextw", "-o", os.devnull, "-A", sto, three, proteins)
    lists = [top for top in warpsieve.hmmsearch(three, proteins) if any(h.included for h in top)]
    text = b"".join(top.to_msa() for top in lists)
    alike(text, open(sto, "rb").read())
    pkinase = next(top for top in lists if top.query.name == "Pkinase")
    all_of, some = pkinase.to_msa(), pkinase.to_msa(all_consensus_cols=False)
    assert len(some) <= len(all_of)
    again = warpsieve.hmmbuild(all_of)
    assert again.name == "Pkinase" and again.nseq == sum(len(h.domains.included) for h in pkinase.included)
    refused(lambda: next(warpsieve.hmmscan(records()[:1], model)).to_msa(), ValueError, "hmmscan")
    refused(lambda: next(warpsieve.hmmsearch(model, [("a", "MKV")])).to_msa(), ValueError, "included")
    twice = records()[:40] + records()[:40]
    named = path("twice.fa", "".join(f">{n}\n{s}\n" for n, s in twice).encode())
    output("hmmsieve", "--notextw", "-o", os.devnull, "-A", sto, model, named)
    alike(next(warpsieve.hmmsearch(model, named)).to_msa(), open(sto, "rb").read())
    some = records()[:20]
    fasta = path("some.fa", "".join(f">{n}\n{s}\n" for n, s in some).encode())
    for options, words in (({}, ()), ({"trim": True}, ("--trim",)), ({"outformat": "a2m"}, ("--outformat", "a2m"))):
        want = output("hmmfit", *words, model, fasta)
        same(warpsieve.hmmalign(model, some, **options), want)
        same(warpsieve.hmmalign(warpsieve.HMM(open(model, "rb").read()), fasta, cpus=1, **options), want)
    refused(lambda: warpsieve.hmmalign(model, [("a", "MK1V")]), warpsieve.Error, "1")


def pfam():
    """TopHits.write has Pfam's table."""
    text = b"".join(open(os.path.join(data, f), "rb").read() for f in ("globins4.hmm", "demo.hmm", "fn3.hmm"))
    names = path("n.fa", "".join(f">{'n' * (i % 40)}{n} {'some words' * (i % 2)}\n{s}\n" for i, (n, s) in enumerate(records())).encode())
    for hmm in warpsieve.HMM.split(text):
        for options, words in (({}, ()), ({"incT": 20.0}, ("--incT", "20"))):
            out = io.BytesIO()
            next(warpsieve.hmmsearch(hmm, names, **options)).write(out, format="pfam")
            want = output("hmmsieve", "-o", os.devnull, "--pfamtblout", "/dev/stdout", *words, path("one.hmm", bytes(hmm)), names)
            same(out.getvalue(), b"".join(line + b"\n" for line in want.split(b"\n# Program:")[0].rstrip(b"#\n").split(b"\n")))


def rounds():
    """jackhmmer with checkpoints has all rounds, each as a search that ends with it; + is merge, and copy is a copy."""
    queries = records()[:5]
    whole = list(warpsieve.jackhmmer(queries, proteins, max_iterations=3, checkpoints=True))
    last = list(warpsieve.jackhmmer(queries, proteins, max_iterations=3))
    assert len(whole) == len(last) == 5 and [len(r) for r in whole] == [r.iteration for r in last]
    for r, end in zip(whole, last):
        assert [x.iteration for x in r] == list(range(1, len(r) + 1)) and not any(x.converged for x in r[:-1])
        assert (r[-1].converged, r[-1].msa, [h.name for h in r[-1].hits]) == (end.converged, end.msa, [h.name for h in end.hits])
    first = list(warpsieve.jackhmmer(queries, proteins, max_iterations=1))
    assert [[h.evalue for h in r[0].hits] for r in whole] == [[h.evalue for h in r.hits] for r in first]
    assert [r[0].msa for r in whole] == [r.msa for r in first]
    half = records()
    a, b = (next(warpsieve.hmmsearch(model, part)) for part in (half[:200], half[200:]))
    assert [h.evalue for h in a + b] == [h.evalue for h in a.merge(b)] and len(a + b) == len(a) + len(b)
    other = a.copy()
    other.sort(by="seqidx")
    assert a.is_sorted() and [h.name for h in sorted(other, key=lambda h: h.evalue)] == [h.name for h in a]


globals()[sys.argv[1]]()
