# SPDX-License-Identifier: MIT
"""Writes finished jobs: AlphaFold 3's data JSON, or a folder of A3M or Stockholm files for each chain; and the report."""
import json
import os
import re
import shutil

from . import a3m, databases, engine

FORMS = ("json", "a3m", "sto")
REPORT = "report.tsv"
COLUMNS = ("job", "chain", "kind", "length", "database", "hits", "seconds", "chains_in_pass", "depth", "mean_depth")
INDICES = re.compile(r'("(?:queryIndices|templateIndices)": \[)([\s\d,]+)(\])')


class Result:
    """The alignments of a chain: `unpaired` and `paired` are rows."""

    def __init__(self, chain, parts, given):
        names = {d.name for d in given}
        self.chain = chain
        if chain.kind == "rna":
            self.unpaired = a3m.merged([parts.rows(chain.key, n) for n in databases.RNA if n in names], chain.sequence)
            self.paired = None
        else:
            self.unpaired = a3m.merged([parts.rows(chain.key, n) for n in databases.UNPAIRED if n in names], chain.sequence)
            paired = [row for n in databases.PAIRED if n in names for row in parts.rows(chain.key, n)]
            self.paired = paired or a3m.query_alone(chain.sequence)


def target(out, job, form):
    """Returns the path that exists once the job is finished."""
    return os.path.join(out, f"{job.file_name}_data.json" if form == "json" else job.file_name)


def filled(entry, results):
    """Returns the fields of an entry with what was searched for it."""
    fields, chain = dict(entry.fields), entry.chain
    if chain and chain.msa:
        fields["unpairedMsa"] = a3m.text(results[chain.key].unpaired)
        if chain.kind == "protein":
            fields["pairedMsa"] = a3m.text(results[chain.key].paired)
    if chain and chain.templates:
        fields["templates"] = results[chain.template_key, "templates"]
        if fields["templates"] is None:
            del fields["templates"]
    return fields


def document(job, results):
    """Returns the text of AlphaFold 3's data JSON. Chains whose fields are the same share an element with all their ids."""
    same = {}
    for entry in job.entries:
        fields = filled(entry, results)
        ids = same.setdefault((entry.kind, json.dumps({**fields, "id": None})), (fields, []))[1]
        ids += entry.ids
    sequences = []
    for (kind, _), (fields, ids) in same.items():
        fields["id"] = ids if len(ids) > 1 else ids[0]
        sequences.append({kind: fields})
    top = {"dialect": "alphafold3", "version": 4, "name": job.top["name"], "sequences": sequences, "modelSeeds": job.top["modelSeeds"],
           "bondedAtomPairs": job.top["bondedAtomPairs"], "userCCD": job.top["userCCD"]}
    return INDICES.sub(lambda m: m[1] + re.sub(r"\n\s+", " ", m[2].strip()) + m[3], json.dumps(top, indent=2))


def write_json(out, job, results):
    engine.put(target(out, job, "json"), document(job, results))


def write_folder(out, job, results, parts, given, form):
    """Writes a folder of the job, or where it has several chains one of each in it. It appears when all its files are there."""
    made = os.path.join(out, f".{job.file_name}.{os.getpid()}.part")
    shutil.rmtree(made, ignore_errors=True)
    searched = [e for e in job.entries if e.chain and e.chain.msa]
    for entry in searched:
        for i in entry.ids if len(searched) > 1 or len(entry.ids) > 1 else [""]:
            folder = os.path.join(made, re.sub(r"[^A-Za-z0-9_-]", "_", i)) if i else made
            os.makedirs(folder)
            for database in given:
                if database.kind == entry.kind:
                    name, kind = f"{database.name}_hits", "sto" if form == "sto" and entry.kind == "protein" else "a3m"
                    shutil.copyfile(parts.path(entry.chain.key, database.name, kind), os.path.join(folder, f"{name}.{kind}"))
            result = results[entry.chain.key]
            for name, rows in (("unpaired", result.unpaired), ("paired", result.paired)):
                if rows:
                    engine.put(os.path.join(folder, name + ".a3m"), a3m.text(rows))
    os.makedirs(made, exist_ok=True)
    os.rename(made, target(out, job, form))


def report_rows(job, results, parts, given):
    """Returns a row of the report for each chain and database."""
    rows = []
    for entry in job.entries:
        chain = entry.chain
        if not chain:
            continue
        length = len(chain.sequence)
        for database in given:
            key = chain.template_key if database.kind == "template" else chain.key
            if not parts.has(key, database.name) or database.kind not in (chain.kind, "template"):
                continue
            hits, seconds, chains = parts.said(key, database.name)
            rows_of = parts.rows(key, database.name) if database.kind != "template" else []
            mean = f"{sum(a3m.depth(rows_of, length)) / length:.1f}" if rows_of else ""
            rows.append((job.name, ",".join(entry.ids), chain.kind, length, database.name, hits, f"{seconds:.3f}", chains,
                         len(rows_of) or "", mean))
        if chain.msa:
            unpaired = results[chain.key].unpaired
            rows.append((job.name, ",".join(entry.ids), chain.kind, length, "unpaired", len(unpaired) - 1, "", "", len(unpaired),
                         f"{sum(a3m.depth(unpaired, length)) / length:.1f}"))
    return ["\t".join(str(field).replace("\t", " ") for field in row) for row in rows]


def put_rows(rows, made_of, job, lines):
    """Writes the rows of a job into the folder `rows`, and what it is made of into another, before the job's own files appear."""
    engine.put(os.path.join(rows, job.file_name), "".join(line + "\n" for line in lines))
    engine.put(os.path.join(made_of, job.file_name), job.digest)


def write_report(out, rows):
    """Writes the table of all finished jobs."""
    text = "\t".join(COLUMNS) + "\n"
    for name in sorted(os.listdir(rows)):
        if not name.endswith(".part") and any(os.path.exists(os.path.join(out, name + end)) for end in ("", "_data.json")):
            with open(os.path.join(rows, name), encoding="utf-8") as f:
                text += f.read()
    engine.put(os.path.join(out, REPORT), text)
