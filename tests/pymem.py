#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of searches in memory, which find programs and shared object through PATH:   pymem.py PART tests/data

PART is one of the functions below."""
import gzip
import io
import math
import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

import warpsieve
from pychecks import refused, same

data = sys.argv[2]
model = os.path.join(data, "demo.hmm")
proteins = os.path.join(data, "demo.fa.gz")
work = tempfile.mkdtemp()


def at(name):
    return os.path.join(data, name)


def records(path=proteins):
    text = gzip.open(path, "rt").read()
    return [(r.split(None, 1)[0], "".join(r.split("\n")[1:])) for r in text.split(">")[1:]]


def three():
    return b"".join(open(at(f), "rb").read() for f in ("globins4.hmm", "demo.hmm", "fn3.hmm"))


def table(*words):
    """Rows of a program's table of domains without the columns that FASTA's descriptions fill."""
    path = os.path.join(work, "table")
    subprocess.run([*words[:1], "--domtblout", path, "-o", "/dev/null", *words[1:]], check=True)
    with open(path) as f:
        return [line.split()[:22] for line in f if not line.startswith("#")]


def rows(found):
    """The same rows, made of the attributes."""
    made = []
    for top in found:
        scan = top.mode == "scan"
        for hit in top.reported:
            domains = hit.domains.reported
            for i, d in enumerate(domains):
                a = d.alignment
                target, query = (hit, top.query)
                made.append([target.name, target.accession or "-", str(a.hmm_length if scan else a.target_length), query.name,
                             query.accession or "-", str(top._length), f"{hit.evalue:.2g}", f"{hit.score:.1f}", f"{hit.bias:.1f}",
                             str(i + 1), str(len(domains)), f"{d.c_evalue:.2g}", f"{d.i_evalue:.2g}", f"{d.score:.1f}",
                             f"{d.bias:.1f}", str(a.hmm_from), str(a.hmm_to), str(a.target_from), str(a.target_to), str(d.env_from),
                             str(d.env_to), f"{d.accuracy:.2f}"])
    return made


def tables():
    """Attributes are what the programs' own tables say."""
    models = os.path.join(work, "three.hmm")
    with open(models, "wb") as f:
        f.write(three())
    same(rows(warpsieve.hmmsearch(models, proteins)), table("hmmsieve", models, proteins))
    same(rows(warpsieve.hmmsearch(models, proteins, E=1e-3, incE=1e-5, Z=7, domZ=3, bias_filter=False, null2=False, seed=7)),
         table("hmmsieve", "-E", "1e-3", "--incE", "1e-5", "-Z", "7", "--domZ", "3", "--nobias", "--nonull2", "--seed", "7", models,
               proteins))
    same(rows(warpsieve.hmmsearch(model, proteins, bit_cutoffs="gathering")), table("hmmsieve", "--cut_ga", model, proteins))
    cutoffs = os.path.join(work, "cutoffs.tsv")
    with open(cutoffs, "w") as f:
        f.write("model\tbits\tdom_bits\thmm_cov\nfn3\t17\t\t\n*\t120\t125.4\t0.9\n")
    same(rows(warpsieve.hmmsearch(models, proteins, cutoffs=cutoffs)), table("hmmsieve", "--cutoffs", cutoffs, models, proteins))
    same(rows(warpsieve.hmmscan(proteins, models)), table("hmmsieve", "--scan", models, proteins))
    some = os.path.join(work, "some.fa")
    with open(some, "w") as f:
        f.writelines(f">{n}\n{s}\n" for n, s in records()[:8])
    same(rows(warpsieve.phmmer(some, proteins)), table("seqsieve", some, proteins))
    rounds = list(warpsieve.jackhmmer(some, proteins, max_iterations=2))
    same(rows(r.hits for r in rounds), table("jacksieve", "-N", "2", some, proteins))
    assert all(r.iteration <= 2 for r in rounds) and any(r.converged for r in rounds) and any(not r.converged for r in rounds)
    alignment = os.path.join(work, "a.sto")
    subprocess.run(["jacksieve", "-N", "2", "-A", alignment, "-o", "/dev/null", some, proteins], check=True)
    assert b"".join(r.msa for r in rounds) == open(alignment, "rb").read()


def attributes():
    """Lists, counts, alignments, and what survives a pickle."""
    top, = warpsieve.hmmsearch(model, proteins)
    report = subprocess.run(["hmmsieve", "--notextw", model, proteins], check=True, stdout=subprocess.PIPE).stdout.decode()
    assert (top.Z, top.query.name, top.query.accession, top.query.M) == (400, "Pkinase", "PF00069.17", 260), top
    assert (top.searched_models, top.searched_nodes, top.searched_sequences, top.searched_residues) == (1, 260, 400, 165280)
    assert top and top[0].name == "sp|P22216|RAD53_YEAST" and top[-1] is list(top)[-1] and len(top[1:3]) == 2
    assert [h.evalue for h in top] == sorted(h.evalue for h in top)
    shown = re.findall(r"== domain.*?\n(?=\n)", report, re.S)
    domains = [d for h in top.reported for d in h.domains.reported]
    assert len(shown) == len(domains) >= 50
    for text, d in zip(shown, domains):
        a, lines = d.alignment, text.split("\n")
        at = [next(i for i, row in enumerate(lines) if line in row)
              for line in (a.hmm_sequence, a.identity_sequence, a.target_sequence, a.posterior_probabilities)]
        assert at == list(range(at[0], at[0] + 4)), (at, text)
        assert len(a) == len(a.hmm_sequence) == len(a.posterior_probabilities)
        assert a.hmm_name == "Pkinase" and a.target_name == d.hit.name and a.hmm_accession == "PF00069.17"
    for d in domains:  # scores of domains are made of these two
        n, L = d.env_to - d.env_from + 1, d.hit.length
        random = L * math.log2(L / (L + 1)) + math.log2(1 / (L + 1))
        assert abs(math.log2(1 + 2 ** d.correction / 256) - d.bias) < 1e-3, d
        assert abs(d.envelope_score + (L - n) * math.log2(L / (L + 3)) - random - d.bias - d.score) < 1e-3, d
    best = top[0]
    hits = [hit for found in warpsieve.hmmsearch(three(), proteins) for hit in found]
    assert all(hit.best_domain.score == max(d.score for d in hit.domains) for hit in hits)
    assert all(hit.sum_score <= hit.score for hit in hits) and any(hit.sum_score < hit.score for hit in hits)
    assert any(hit.best_domain is not hit.domains[0] for hit in hits)
    assert best.description.startswith("Serine/threonine")
    assert abs(best.pvalue * top.Z / best.evalue - 1) < 1e-12 and best.included and best.reported and best.accession is None
    assert top.is_sorted() and not top.is_sorted(by="seqidx")
    top.sort(by="seqidx")
    assert top.is_sorted(by="seqidx") and top[0].name != best.name
    top.sort()
    assert top[0] is best
    strict, = warpsieve.hmmsearch(model, proteins, E=1e-20, incE=1e-40)
    n = sum(h.evalue <= 1e-20 for h in top)
    assert len(strict.reported) == n < 50 and len(strict.included) == sum(h.evalue <= 1e-40 for h in top) < n and strict.E == 1e-20
    again = pickle.loads(pickle.dumps(top))
    same(rows([top]), rows([again]))
    counted = []
    list(warpsieve.hmmsearch(three(), proteins, callback=lambda query, n: counted.append(query.name)))
    assert counted == ["globins4", "Pkinase", "fn3"]


def whole_table(option, *words):
    """A program's table as it is, without the lines about the run at its end."""
    path = os.path.join(work, "table")
    subprocess.run([*words[:1], option, path, "-o", "/dev/null", *words[1:]], check=True)
    with open(path, "rb") as f:
        return f.read().split(b"#\n# Program:")[0]


def written():
    """TopHits.write makes the tables of the programs."""
    models = os.path.join(work, "three.hmm")
    with open(models, "wb") as f:
        f.write(three())
    long = os.path.join(work, "long.fa")  # names wider than a column, descriptions, none
    with open(long, "w") as f:
        f.writelines(f">{'n' * (i % 40)}{n} {'some words' * (i % 2)}\n{s}\n" for i, (n, s) in enumerate(records()))
    for call, words in ((warpsieve.hmmsearch, ("hmmsieve", models, long)), (warpsieve.hmmsearch, ("hmmsieve", model, proteins)),
                        (warpsieve.hmmscan, ("hmmsieve", "--scan", models, long))):
        operands = words[-2:][::-1] if call is warpsieve.hmmscan else words[-2:]
        for form, option in (("targets", "--tblout"), ("domains", "--domtblout")):
            out = io.BytesIO()
            for i, top in enumerate(call(*operands)):
                top.write(out, format=form, header=i == 0)
            got, want = out.getvalue(), whole_table(option, *words)
            same(got.split(b"\n"), want.split(b"\n"))
    none, = warpsieve.hmmsearch(model, [("a", "MKVLAAGIVG")])
    out = io.BytesIO()
    none.write(out)
    assert out.getvalue().count(b"\n") == 3
    refused(lambda: none.write(out, format="csv"), ValueError, "targets", "csv")


def merges():
    """Lists of parts of the targets are, merged, the list of all targets."""
    all_of = records()
    parts = [all_of[:150], all_of[150:151], all_of[151:]]

    def compare(search, parts=parts, **options):
        want = search(sum(parts, []), **options)
        got = [lists[0].merge(*lists[1:]) for lists in zip(*(search(part, **options) for part in parts))]
        assert len(got) == len(want) > 0
        for a, b in zip(got, want):
            same(rows([a]) + [[]], rows([b]) + [[]])
            names = "Z domZ searched_sequences searched_residues searched_models searched_nodes".split()
            assert [getattr(a, n) for n in names] == [getattr(b, n) for n in names], (a, b)
            assert [h.name for h in a.included] == [h.name for h in b.included] and a.is_sorted()
            assert [h._number for h in a.reported] == [h._number for h in b.reported]
            for h, k in zip(a.reported, b.reported):
                assert (h.evalue, len(h.domains.included), h._nreported, h.description) == (
                    k.evalue, len(k.domains.included), k._nreported, k.description)
                assert [str(d.alignment) for d in h.domains] == [str(d.alignment) for d in k.domains]
        same(rows(got), rows(pickle.loads(pickle.dumps(got))))
        return got

    def search(sequences, **options):
        return list(warpsieve.hmmsearch(three(), sequences, **options))

    top = compare(search)[1]
    for options in ({"E": 1e-20, "incE": 1e-40}, {"T": 50.0, "incT": 100.0, "domT": 20.0}, {"Z": 7, "domZ": 3},
                    {"domE": 1e-4, "incdomE": 1e-9}, {"bit_cutoffs": "gathering"}):
        compare(lambda s, **o: list(warpsieve.hmmsearch(model, s, **o)), **options)
    # hits whose P is the same: 1, where a score is below tau, or 0; names that repeat, and names that are no UTF-8
    loose = {"E": 1e9, "domE": 1e9, "F1": 1, "F2": 1, "F3": 1}
    names = [b"\xff", b"twice", "\U00010000".encode(), *map(b"n%d".__mod__, range(33))]
    poor = [s[i:len(s) - 3 * i].encode() for n, s in parts[0] if n[10:] in ("WSC3_YEAST", "YL194_YEAST", "PXR1_YEAST") for i in range(12)]
    odd = [(names[i * 7 % 36], s) for i, s in enumerate(poor)]
    for shares in ([odd[30:], odd[:7], odd[7:30]], [odd[:30], odd[30:], odd[:20]]):
        got = compare(lambda s, **o: list(warpsieve.hmmsearch(three(), s, **o)), shares, **loose)
        assert all(sum(h.pvalue == 1 for h in found) > 2 for found in got)
    long = b">x\n" + next(s for n, s in all_of if "RAD53" in n).encode() * 6
    models = [bytes(m).replace(b"NAME  ", b"NAME  n%d" % (i * 5 % 12)) for i, m in enumerate(warpsieve.HMM.split(three()) * 4)]
    got, = compare(lambda m, **o: list(warpsieve.hmmscan(long, b"".join(m), **o)), [models[8:], models[:3], models[3:8]], **loose)
    assert sum(h.pvalue == 0 for h in got) > 3
    # a table that does not say how many sequences were searched: no sum of counts is made up
    table = subprocess.run(["msvfilt", model, proteins], check=True, stdout=subprocess.PIPE).stdout
    known, = warpsieve.hmmsearch(model, table, Z=400)
    unknown, = warpsieve.hmmsearch(model, re.sub(rb"(##end rows=[0-9]+) .*", rb"\1", table), Z=400)
    assert (known.searched_sequences, known.searched_residues) == (400, 165280) and unknown.searched_models == 1
    assert known.merge(known).searched_sequences == 800
    for found in (unknown, unknown.merge(), known.merge(unknown), unknown.merge(known)):
        assert (found.searched_sequences, found.searched_residues, found.Z) == (None, None, 400), found.searched_sequences
        assert [h.evalue for h in found] == sorted(h.evalue for h in found)
    # E-values of a part are smaller, so hits leave when the parts are merged
    weak = search(parts[0])[1].reported[-1]
    strict = [search(part, E=2 * weak.evalue)[1] for part in parts]
    assert sum(len(x.reported) for x in strict) > len(strict[0].merge(*strict[1:]).reported) > 0
    assert len(top.merge()) == len(top) and top.merge().Z == top.Z
    found = search(parts[0])
    refused(lambda: found[0].merge(found[1]), ValueError, "different queries", "globins4", "Pkinase")
    refused(lambda: found[1].merge(search(parts[1], E=1.0)[1]), ValueError, "different E", "10.0", "1.0")
    refused(lambda: found[1].merge(search(parts[1], Z=9)[1]), ValueError, "different Z")
    refused(lambda: found[1].merge([]), TypeError, "list")


def inputs():
    """Paths, bytes, open files and objects give the same."""
    want = rows(warpsieve.hmmsearch(model, proteins))
    text = gzip.open(proteins).read()
    pairs = records()

    class Record:
        def __init__(self, name, sequence, accession=""):
            self.name, self.sequence, self.accession, self.description = name, sequence, accession, "what it does"

    for targets in (text, io.BytesIO(text), io.StringIO(text.decode()), open(proteins, "rb"), pairs, dict(pairs), iter(pairs),
                    [Record(n, s) for n, s in pairs], open(proteins, "rb").read()):
        same(rows(warpsieve.hmmsearch(model, targets)), want)
    same(rows(warpsieve.hmmsearch(open(model, "rb"), pairs)), want)
    same(rows(warpsieve.hmmsearch(warpsieve.HMM.split(open(model, "rb").read()), pairs)), want)
    named = next(warpsieve.hmmsearch(model, [Record(n, s, "ACC" + n[-9:]) for n, s in pairs]))[0]
    assert (named.accession, named.description) == ("ACC" + named.name[-9:], "what it does"), named.accession
    assert [len(t) for t in warpsieve.phmmer(pairs[0], pairs)] == [len(t) for t in warpsieve.phmmer([pairs[0]], pairs)]
    assert list(warpsieve.hmmsearch(model, [("empty", "")]))[0].Z == 1 and list(warpsieve.hmmsearch(model, []))[0].Z == 0
    assert [list(s([], pairs)) for s in (warpsieve.hmmsearch, warpsieve.phmmer, warpsieve.jackhmmer)] == [[], [], []]
    # which queries have residues, the programs decide
    some = [Record(n, s, "ACC" + n) for n, s in (("empty", ""), pairs[0], ("blank", " "), ("tab", "\t \t"), pairs[1], ("none", ""))]
    real, counted = [some[1], some[4]], []
    assert [(t.query, t.query.accession, t._name) for t in warpsieve.phmmer(some, pairs[:3], callback=lambda *c: counted.append(c))] == [
        (q, q.accession, q.name) for q in real]
    assert counted == [(q, 2) for q in real], counted
    assert [(r.hits.query, r.hits._name) for r in warpsieve.jackhmmer(some, pairs[:3], max_iterations=2)] == [(q, q.name) for q in real]
    assert [t.query for t in warpsieve.hmmscan(some, model)] == some
    assert [t.query.name for t in warpsieve.phmmer(b">empty\n \n>real\n" + pairs[0][1].encode(), pairs[:3])] == ["real"]
    for search in (warpsieve.phmmer, warpsieve.jackhmmer):
        refused(lambda: search([("empty", " "), ("none", "")], pairs[:3]), warpsieve.Error, "no query", "2 sequences")
    made = warpsieve.hmmbuild([("a", "MKV-LAAGI"), ("b", "MKVLLAAGI"), ("c", "MRV-LSAGI")], name="mine", cpus=1)
    assert (made.name, made.M, made.nseq, made.alphabet) == ("mine", 8, 3, "amino"), made
    assert next(warpsieve.hmmsearch(made, [("x", "MKVLAAGI" * 3)])).query is made
    sto = os.path.join(work, "a.sto")
    with open(sto, "w") as f:
        f.write("# STOCKHOLM 1.0\n#=GF ID one\na MKVLAAGI\nb MKVLAAGL\n//\n# STOCKHOLM 1.0\n#=GF ID two\na MKV\nb MKV\n//\n")
    same([bytes(h) for h in warpsieve.hmmbuild(sto)],
         [bytes(h) for h in warpsieve.HMM.split(subprocess.run(["hmmcast", sto], check=True, stdout=subprocess.PIPE).stdout)])
    assert warpsieve.__version__ == subprocess.run(["hmmsieve", "--version"], stdout=subprocess.PIPE).stdout.decode().split()[1]


def models():
    """HMM and HMM.split take the models that the programs take, and refuse anything else with a sentence."""
    text, HMM = three(), warpsieve.HMM
    want = HMM.split(text)
    assert [(m.name, m.M) for m in want] == [("globins4", 149), ("Pkinase", 260), ("fn3", 86)] and b"".join(map(bytes, want)) == text
    for other in (text[:-1], text.replace(b"\n", b"\r\n"), text.replace(b"\n", b"\r\n")[:-2], bytearray(text), memoryview(text),
                  b"\n# three\n" + text.replace(b"\n//\n", b"\n //  \n \n# next\n") + b"#"):
        assert HMM.split(other) == want, other[-20:]
        path = os.path.join(work, "other.hmm")
        with open(path, "wb") as f:
            f.write(other)
        assert len(list(warpsieve.hmmsearch(path, [("a", "MKV")]))) == 3
    assert HMM(text[:text.index(b"//") + 2].replace(b"\n", b"\r\n")) == want[0] and HMM.split(b" \n") == []
    refused(lambda: HMM(text), warpsieve.Error, "one model", "found 3", "HMM.split")
    refused(lambda: HMM(b""), warpsieve.Error, "one model", "found 0")
    for take in (HMM, HMM.split):
        refused(lambda: take(b"\ngarbage\n"), warpsieve.Error, "line 2", "HMMER3/", "garbage")
        refused(lambda: take(bytes(want[0]) + b"x"), warpsieve.Error, "line 470", "'x'")
        refused(lambda: take(text[:3000]), warpsieve.Error, "line 1", "cut", "//")
        refused(lambda: take(b"HMMER3/f\nLENG  7\n//\n"), warpsieve.Error, "NAME")
        refused(lambda: take(b"HMMER3/f\nNAME  x\n//\n"), warpsieve.Error, "model x", "LENG")
        refused(lambda: take(b"HMMER3/f\nNAME  x\nLENG  seven\n//\n"), warpsieve.Error, "model x", "LENG", "seven")
        refused(lambda: take("HMMER3/f"), TypeError, "str", "bytes")


def errors():
    """Errors are exceptions with the sentence of the program, which names no descriptor."""
    refused(lambda: warpsieve.hmmsearch(model, "/nonexistent"), FileNotFoundError, "/nonexistent")
    refused(lambda: warpsieve.hmmsearch(b"no model\n", proteins), warpsieve.Error, "models")
    refused(lambda: warpsieve.hmmsearch(model, [("a", "MK1V")]), warpsieve.Error, "sequences", "a", "1")
    refused(lambda: warpsieve.hmmsearch(model, gzip.compress(b">a\nMKV\n" * 99)[:-20]), warpsieve.Error, "sequences", "gzip")
    refused(lambda: warpsieve.hmmsearch(at("globins4.hmm"), proteins, bit_cutoffs="noise"), warpsieve.Error, "globins4")
    refused(lambda: warpsieve.hmmsearch(model, proteins, F1=-1), warpsieve.Error, "F1")
    refused(lambda: warpsieve.hmmsearch(model, proteins, backend="abacus"), warpsieve.Error, "abacus")
    refused(lambda: warpsieve.hmmsearch(model, proteins, nosuch=1), TypeError, "no option 'nosuch'")
    refused(lambda: warpsieve.hmmsearch(model, proteins, nosuch=True), TypeError, "no option 'nosuch'")
    refused(lambda: warpsieve.hmmsearch(model, proteins, bit_cutoffs="x"), ValueError, "gathering")
    refused(lambda: warpsieve.hmmsearch(model, proteins, E=True), TypeError, "E is True")
    refused(lambda: warpsieve.hmmsearch(model, proteins, device=False), TypeError, "device is False")
    refused(lambda: warpsieve.hmmsearch(model, [("a b", "MKV")]), ValueError, "a b")
    refused(lambda: warpsieve.hmmsearch(model, [("a", "MKV\n>b\nMKV")]), ValueError, "end of line")
    refused(lambda: warpsieve.hmmsearch(model, [7]), TypeError, "int")
    refused(lambda: warpsieve.hmmsearch([7], proteins), TypeError, "int")
    refused(lambda: warpsieve.hmmbuild(b"nothing\n"), warpsieve.Error, "alignment")
    rows_of_two = [("a", "MKVLAAGIVG"), ("b", "MKVLAAGIVG")]
    refused(lambda: warpsieve.hmmbuild(rows_of_two, name="x\nNAME y"), warpsieve.Error, r"1, x\x0aNAME y", "control character")
    refused(lambda: warpsieve.hmmbuild(rows_of_two, name="x\0y"), warpsieve.Error, "zero byte")
    assert len(next(warpsieve.hmmsearch(model, proteins))) == 50, "a search after those that failed"


def threads():
    """Other threads run meanwhile, two searches at once are two searches, and Ctrl-C ends one."""
    pairs = records()
    want = rows(warpsieve.hmmsearch(three(), pairs))
    results = {}
    searches = [threading.Thread(target=lambda k=k: results.update({k: rows(warpsieve.hmmsearch(three(), pairs, cpus=1 + k % 2))}))
                for k in range(4)]
    for t in searches:
        t.start()
    for t in searches:
        t.join()
    for k in range(4):
        same(results[k], want)
    # an hour of work: the thread below counts while the search runs, and then interrupts it
    many = [(f"{n}.{i}", s) for i in range(200) for n, s in pairs]
    counts = []

    def count():
        while len(counts) < 20:
            counts.append(time.sleep(0.02))
        os.kill(os.getpid(), signal.SIGINT)

    inside = warpsieve.search.call

    def call(*arguments):  # the interrupt comes when the models are made of objects, and the program runs
        threading.Thread(target=count).start()
        warpsieve.search.call = inside
        inside(*arguments)

    warpsieve.search.call = call
    try:
        warpsieve.hmmsearch(three() * 20, many, F1=1, F2=1, F3=1, cpus=1)
    except KeyboardInterrupt:
        assert len(counts) == 20
    else:
        raise AssertionError("the search was not interrupted")
    same(rows(warpsieve.hmmsearch(three(), pairs)), want)


def interrupted():
    """Ctrl-C ends a run also while it makes models of queries, or what a search needs of models: each is seconds of work."""
    inside, sent = warpsieve.search.call, []

    def interrupt():
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    def call(*arguments):
        threading.Timer(0.3, interrupt).start()
        inside(*arguments)

    queries = [(f"{n}.{i}", s) for i in range(5) for n, s in records() if 300 < len(s) < 500]
    long = ("long", "".join(s for _, s in records())[:35000])
    warpsieve.search.call = call
    for search in (lambda: warpsieve.phmmer(queries, [("a", "MKV")], cpus=1), lambda: warpsieve.jackhmmer(queries, [("a", "MKV")], cpus=1),
                   lambda: warpsieve.phmmer([long] * 9, [("a", "MKV")], cpus=1),
                   lambda: warpsieve.hmmsearch(three() * 1000, [("a", "MKV")], cpus=1)):
        try:
            search()
        except KeyboardInterrupt:
            took = time.process_time() - sent[-1]
            assert took < 0.5, f"{took} s of work after Ctrl-C"
        else:
            raise AssertionError("the run was not interrupted")
    warpsieve.search.call = inside


def memory():
    """Searches take no more memory than those before, and leave no file open. A leak grows by each of four
    hundred, the allocator only once."""
    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * resource.getpagesize()

    pairs = records()[:100]

    def some(n):
        for _ in range(n):
            for top in warpsieve.hmmsearch(model, pairs, cpus=1):
                rows([top])
            refused(lambda: warpsieve.hmmsearch(model, [("a", "MK1V")]), warpsieve.Error)

    some(50)
    files, at = len(os.listdir("/proc/self/fd")), [resident()]
    for _ in range(4):
        some(100)
        at.append(resident())
    grown = [b - a for a, b in zip(at, at[1:])]
    assert min(grown) < 1 << 19, f"{grown} bytes more after each 100 searches"
    assert len(os.listdir("/proc/self/fd")) == files


def start():
    """`import warpsieve` takes under 0.2 s of processor time."""
    def seconds(code):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    took = min(seconds("import warpsieve") for _ in range(5)) - min(seconds("pass") for _ in range(5))
    assert took < 0.2, took
    code = "import warpsieve, sys; assert 'ctypes' not in sys.modules and 'pandas' not in sys.modules, 'loaded too early'"
    subprocess.run([sys.executable, "-c", code], check=True)
    if "packaging" in warpsieve.__file__:  # it is not installed: without programs the version is one Error
        said = subprocess.run([sys.executable, "-c", "import warpsieve; warpsieve.__version__"], env={**os.environ, "PATH": "/nonexistent"},
                              stderr=subprocess.PIPE).stderr.decode()
        assert said.count("Traceback") == 1 and "Error: there is no program hmmsieve" in said, said


globals()[sys.argv[1]]()
