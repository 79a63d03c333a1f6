#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs AlphaFold 3's own data pipeline, whose code is another project's and lies in a checkout of it, beside HMMER 3.4:

    msa_peer.py CHECKOUT HMMER OUT INPUT.json... -- NAME=PATH... [mmcif=DIR] [date=DATE]

It writes OUT/NAME_data.json as run_alphafold.py --norun_inference does. The pipeline's Python files run unchanged; nothing is copied
here and nothing is fetched. Where a library is absent, such as absl or rdkit, or the compiled part `alphafold3.cpp`, a stand-in has
what alignments need. Templates need the compiled part: without it inputs must say "templates": []. Exit status 3, with a sentence:
the code does not run here.
"""
import datetime
import importlib
import os
import pathlib
import sys
import types
from unittest import mock

HITS = {"uniref90": "uniref90", "mgnify": "mgnify", "small_bfd": "small_bfd", "uniprot": "uniprot_cluster_annot", "nt_rna": "ntrna",
        "rfam": "rfam", "rnacentral": "rna_central", "seqres": "seqres", "mmcif": "pdb"}


def stand_in(name, module):
    """Puts a module where an import finds it, and where its package has it."""
    sys.modules[name] = module
    package, _, last = name.rpartition(".")
    if package:
        setattr(sys.modules[package], last, module)


def importable(name):
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


# ---- the compiled part, as its documentation describes it ----


def fasta(text):
    """Returns the lists of sequences and descriptions."""
    sequences, descriptions = [], []
    for line in (raw.strip(" \t\n\v\f\r") for raw in text.split("\n")):
        if line[:1] == ">":
            descriptions.append(line[1:])
            sequences.append("")
        elif line and sequences:
            sequences[-1] += line
    return sequences, descriptions


def strings(text):
    """Yields pairs of sequence and description; a text without any is an error."""
    found = list(zip(*fasta(text)))
    if not found:
        raise ValueError("Invalid FASTA string")
    return iter(found)


def to_gapless(sequence, query_sequence):
    """Returns a row without the columns that are gaps in both, and with lower case where the query has a gap."""
    if len(sequence) != len(query_sequence):
        raise ValueError("rows of different lengths")
    pairs = zip(sequence, query_sequence)
    return "".join(s if q != "-" else s.lower() for s, q in pairs if q != "-" or s != "-")


class Array:
    """As much of a table of numbers as the comparison of two sequences needs."""

    def __init__(self, shape):
        self.shape = shape
        self.rows = [[0] * shape[1] for _ in range(shape[0])]

    def __setitem__(self, at, value):
        self.rows[at[0]][at[1]] = value

    def __getitem__(self, at):
        return types.SimpleNamespace(tolist=lambda: list(self.rows[at]))


def prepare(checkout):
    """Makes the pipeline importable; returns whether templates can be made."""
    sys.path.insert(0, os.path.join(checkout, "src"))
    if not os.path.exists(os.path.join(checkout, "src", "alphafold3", "data", "pipeline.py")):
        sys.exit(f"{checkout} is no checkout of AlphaFold 3: it has no src/alphafold3/data/pipeline.py")
    if not importable("absl.logging"):
        stand_in("absl", types.ModuleType("absl"))
        stand_in("absl.logging", mock.MagicMock())
    if not importable("etils.epath"):
        stand_in("etils", types.ModuleType("etils"))
        stand_in("etils.epath", types.SimpleNamespace(Path=pathlib.Path, PathLike=os.PathLike))
    for name in ("rdkit", "rdkit.Chem", "zstandard"):
        if not importable(name):
            stand_in(name, mock.MagicMock())
    if not importable("numpy"):
        numpy = mock.MagicMock()
        numpy.zeros = lambda shape, dtype: Array(shape)
        stand_in("numpy", numpy)
    importlib.import_module("alphafold3")
    if importable("alphafold3.cpp"):
        return True
    stand_in("alphafold3.cpp", types.ModuleType("alphafold3.cpp"))
    stand_in("alphafold3.cpp.fasta_iterator", types.SimpleNamespace(FastaStringIterator=strings, parse_fasta_include_descriptions=fasta))
    stand_in("alphafold3.cpp.msa_conversion", types.SimpleNamespace(align_sequence_to_gapless_query=to_gapless))
    importlib.import_module("alphafold3.constants")
    for name in ("cpp.cif_dict", "structure", "structure.mmcif", "constants.chemical_components"):
        stand_in("alphafold3." + name, mock.MagicMock())
    return False


def main():
    checkout, hmmer, out, *rest = sys.argv[1:]
    inputs, given = rest[:rest.index("--")], dict(word.split("=", 1) for word in rest[rest.index("--") + 1:])
    prepare(checkout)
    try:
        folding_input = importlib.import_module("alphafold3.common.folding_input")
        pipeline = importlib.import_module("alphafold3.data.pipeline")
    except Exception as e:
        print(f"the code of {checkout} does not run with this Python: {type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(3)
    paths = {f"{HITS[name]}_database_path": path for name, path in given.items() if name in HITS}
    paths.setdefault("seqres_database_path", "none")
    paths["pdb_database_path"] = pathlib.Path(paths.get("pdb_database_path", "none"))
    for name in HITS.values():
        paths.setdefault(f"{name}_database_path", "none")
    programs = {f"{p}_binary_path": os.path.join(hmmer, p) for p in ("jackhmmer", "nhmmer", "hmmalign", "hmmsearch", "hmmbuild")}
    config = pipeline.DataPipelineConfig(**programs, **paths, jackhmmer_n_cpu=1, nhmmer_n_cpu=0, hmmsearch_n_cpu=1,
                                         max_template_date=datetime.date.fromisoformat(given.get("date", "2021-09-30")))
    data = pipeline.DataPipeline(config)
    os.makedirs(out, exist_ok=True)
    for path in inputs:
        for job in folding_input.load_fold_inputs_from_path(pathlib.Path(path)):
            with open(os.path.join(out, f"{job.sanitised_name()}_data.json"), "w", encoding="utf-8") as f:
                f.write(data.process(job).to_json())


if __name__ == "__main__":
    main()
