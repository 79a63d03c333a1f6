# SPDX-License-Identifier: MIT
"""A pass of each kind: all chains that lack it against one database. The rows of a chain are a part, a file of its own."""
import os
import re
import shutil
import tempfile
import time

from .. import Error
from . import a3m, engine

SHORT_RNA = 50
PROTEIN = ["-N", "1", "--F1", "0.0005", "--F2", "5e-05", "--F3", "5e-07", "-E", "0.0001", "--incE", "0.0001", "--noali", "-O", "a3m"]
RNA = ["-E", "0.001", "--noali", "--rna", "--qformat", "fasta", "-O", "sto"]
TEMPLATE = ["--noali", "--F1", "0.1", "--F2", "0.1", "--F3", "0.1", "-E", "100", "--incE", "100", "--domE", "100", "--incdomE", "100"]
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Parts:
    """The folder of parts. A part is KEY.DATABASE.a3m, with its numbers beside it as KEY.DATABASE.said."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, key, name, form="a3m"):
        return os.path.join(self.folder, f"{key}.{name}.{form}")

    def has(self, key, name):
        return os.path.exists(self.path(key, name))

    def names(self):
        """Returns the set of the databases that there is a part of."""
        return {name.split(".")[1] for name in os.listdir(self.folder) if re.fullmatch(r"[0-9a-f]+\.[a-z0-9_]+\.a3m", name)}

    def adopt(self, key, name, path, hits, seconds, chains):
        """Takes a file that is written as a part."""
        engine.put(self.path(key, name, "said"), f"{hits} {seconds:.3f} {chains}\n")
        os.replace(path, self.path(key, name))

    def put(self, key, name, text, hits, seconds, chains):
        """Writes the numbers, and then the part: where there is a part there are its numbers."""
        engine.put(self.path(key, name, "said"), f"{hits} {seconds:.3f} {chains}\n")
        engine.put(self.path(key, name), text)

    def rows(self, key, name):
        """Returns the rows of a part."""
        with open(self.path(key, name), encoding="utf-8") as f:
            return list(a3m.records(f))

    def said(self, key, name):
        """Returns hits, seconds of the pass and chains of the pass."""
        with open(self.path(key, name, "said"), encoding="utf-8") as f:
            hits, seconds, chains = f.read().split()
        return int(hits), float(seconds), int(chains)


def query_name(i):
    """Returns a name of five letters: as many as "query" has, so that columns of a Stockholm file stay where they are."""
    digits = ""
    for _ in range(4):
        i, d = divmod(i, len(DIGITS))
        digits = DIGITS[d] + digits
    return "q" + digits


def fasta(path, chains):
    with open(path, "w", encoding="ascii") as f:
        for i, chain in enumerate(chains):
            f.write(f">{query_name(i)}\n{chain.sequence}\n")
    return path


def z_of(database, domains):
    return ["-Z", database.z] + (["--domZ", database.z] if domains else []) if database.z else []


def proteins(database, chains, parts, options, what, stockholm):
    """Searches all chains in one pass, and writes a part of each; with `stockholm` its alignment too."""
    with tempfile.TemporaryDirectory(dir=parts.folder) as folder:
        words = PROTEIN + z_of(database, True) + ["--seq_limit", str(database.limit)]
        if stockholm:
            words += ["-A", os.path.join(folder, "%q.sto")]
        began = time.monotonic()
        words += [fasta(os.path.join(folder, "queries.fa"), chains)] + database.files
        running = engine.Running("jacksieve", words, options, what, True)
        found = spool(running, database, folder)
        notes = running.check()
        seconds = time.monotonic() - began
        for i, chain in enumerate(chains):
            name = query_name(i)
            path = os.path.join(folder, name + ".a3m")
            if name not in found:
                raise Error(f"{what}: jacksieve wrote no rows of the chain {chain.sequence[:20]}..., expected the chain itself at least")
            if stockholm:
                as_query(os.path.join(folder, name + ".sto"), name, parts.path(chain.key, database.name, "sto"))
            parts.adopt(chain.key, database.name, path, found[name], seconds, len(chains))
    return seconds, notes


def spool(running, database, folder):
    """Writes the rows of each query into a file, up to the limit with the query's own; returns how many hits were written of each."""
    found, out, left, name = {}, None, 0, None
    try:
        for line in running.lines():
            if line.startswith(">"):
                header = line[1:].strip()
                if "/" not in header.split(" ", 1)[0]:
                    if out:
                        out.close()
                    name, left = header, database.limit
                    found[name] = -1
                    out = open(os.path.join(folder, name + ".a3m"), "w", encoding="utf-8")
                    header = "query"
                else:
                    header = a3m.with_source(header)
                left -= 1
                if left >= 0:
                    found[name] += 1
                    out.write(f">{header}\n")
            elif left >= 0:
                out.write(line)
    finally:
        if out:
            out.close()
    return found


def as_query(path, name, to):
    """Moves the alignment of a chain with the name that AlphaFold 3 gives each query."""
    part = f"{to}.{os.getpid()}.part"
    with open(path, encoding="utf-8", errors="surrogateescape") as f, open(part, "w", encoding="utf-8", errors="surrogateescape") as out:
        for line in f:
            if line.startswith(name + " "):
                line = "query" + line[len(name):]
            elif line.startswith(f"#=GF ID {name}-i"):
                line = line.replace(name, "query", 1)
            out.write(line)
    os.replace(part, to)


# ---- RNA ----


def rna(database, chains, parts, options, what, stockholm):
    """Searches all chains of RNA, and aligns what is found of each to a model of the chain, so that its columns are the chain's."""
    began, notes = time.monotonic(), []
    with tempfile.TemporaryDirectory(dir=parts.folder) as folder:
        hits = {}
        for limit, some in (("1e-05", [c for c in chains if len(c.sequence) >= SHORT_RNA]),
                            ("0.02", [c for c in chains if len(c.sequence) < SHORT_RNA])):
            if not some:
                continue
            words = RNA + ["--F3", limit] + z_of(database, False) + [fasta(os.path.join(folder, "queries.fa"), some)] + database.files
            running = engine.Running("nhmmsieve", words, options, what, True)
            for name, rows in a3m.stockholm(running.lines()):
                hits[some[int(name[1:], len(DIGITS))].key] = rows[:database.limit - 1]
            notes += running.check()
        seconds = time.monotonic() - began
        for chain in chains:
            rows = [("query", chain.sequence)]
            if hits.get(chain.key):
                rows += aligned(chain, hits[chain.key], folder, options, what)
            a3m.check_columns(rows, chain.sequence, what)
            parts.put(chain.key, database.name, a3m.text(rows), len(rows) - 1, seconds, len(chains))
    return seconds, notes


def aligned(chain, hits, folder, options, what):
    """Returns the rows of hits, aligned to a model of the chain alone."""
    query, model = os.path.join(folder, "chain.fa"), os.path.join(folder, "chain.hmm")
    sequences, rows = os.path.join(folder, "hits.fa"), os.path.join(folder, "hits.a2m")
    with open(query, "w", encoding="ascii") as f:
        f.write(f">query\n{chain.sequence}\n")
    with open(sequences, "w", encoding="utf-8") as f:
        f.write(a3m.text((header, row.translate(a3m.GAPS)) for header, row in hits))
    engine.run("hmmcast", ["--informat", "afa", "--rna", "-n", "query", "-o", model, query], options, what)
    engine.run("hmmfit", ["-O", "a2m", "-o", rows, model, sequences], options, what)
    with open(rows, encoding="utf-8") as f:
        return list(a3m.records(f))


# ---- templates ----


def templates(database, chains, parts, options, what, unpaired):
    """Searches the sequences of structures with a model of each chain's alignment; `unpaired` is a function that returns its rows."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=parts.folder) as folder:
        models = os.path.join(folder, "models.hmm")
        alone = engine.Options(1, quiet=True)

        def model_of(i):
            rows, model = (os.path.join(folder, f"{i}.{form}") for form in ("a3m", "hmm"))
            with open(rows, "w", encoding="ascii") as f:
                f.write(a3m.text((str(k), row) for k, (_, row) in enumerate(unpaired(chains[i]))))
            engine.run("hmmcast", ["--informat", "a2m", "--hand", "--amino", "-n", query_name(i), "-o", model, rows], alone, what)
            os.unlink(rows)
            return model

        with open(models, "wb") as out:
            for model in engine.spread(model_of, range(len(chains)), options):
                with open(model, "rb") as f:
                    shutil.copyfileobj(f, out)
        words = TEMPLATE + ["-o", os.devnull, "-A", os.path.join(folder, "%q.sto"), models] + database.files
        notes = engine.run("hmmsieve", words, options, what)
        seconds = time.monotonic() - began
        for i, chain in enumerate(chains):
            path, rows = os.path.join(folder, query_name(i) + ".sto"), []
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="backslashreplace") as f:
                    rows = [(header, row.replace(".", "")) for _, found in a3m.stockholm(f) for header, row in found]
            parts.put(chain.template_key, database.name, a3m.text(rows), len(rows), seconds, len(chains))
    return seconds, notes
